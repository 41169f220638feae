//! Downscaling of textures while their rows are decoded.

/// Downscales a texture while its rows arrive. Each pixel is the mean of a square in which colours
/// are weighted by their opacity.
pub(super) struct Downscaler {
    channels: usize,
    /// Columns and rows that become one pixel.
    steps: [usize; 2],
    /// Width and height of the result.
    pub(super) size: [u32; 2],
    /// For each pixel of the next output row: weighted sums of up to three colours, the sum of
    /// weights, and alpha.
    sums: Vec<[u64; 5]>,
    rows: usize,
    /// The pixels of the result.
    pub(super) pixels: Vec<u8>,
}

impl Downscaler {
    pub(super) fn new(size: [u32; 2], channels: u8, step: u32) -> Self {
        let steps = size.map(|side| step.min(side));
        let size = [0, 1].map(|axis| size[axis] / steps[axis]);
        Self {
            channels: channels.into(),
            steps: steps.map(|step| step as usize),
            size,
            sums: vec![[0; 5]; size[0] as usize],
            rows: 0,
            pixels: Vec::new(),
        }
    }

    /// Consumes the next row.
    pub(super) fn add(&mut self, row: &[u8]) {
        let [columns, rows] = self.steps;
        let colors = self.channels - usize::from(super::has_alpha(self.channels as u8));
        let squares = row.chunks_exact(columns * self.channels);
        for (square, sums) in squares.zip(&mut self.sums) {
            for pixel in square.chunks_exact(self.channels) {
                let (color, alpha) = pixel.split_at(colors);
                let alpha = alpha.first().copied().map_or(255, u64::from);
                // If all pixels are transparent, the colours have equal weights.
                let weight = (alpha << 8) + 1;
                for (sum, channel) in sums.iter_mut().zip(color) {
                    *sum += u64::from(*channel) * weight;
                }
                sums[3] += weight;
                sums[4] += alpha;
            }
        }
        self.rows += 1;
        if self.rows == rows {
            self.rows = 0;
            let count = (columns * rows) as u64;
            for sums in &mut self.sums {
                let [color @ .., weight, alpha] = *sums;
                let color = color.map(|sum| ((sum + weight / 2) / weight) as u8);
                let alpha = ((alpha + count / 2) / count) as u8;
                let pixel = color.iter().take(colors).chain([&alpha]);
                self.pixels.extend(pixel.take(self.channels));
                *sums = [0; 5];
            }
        }
    }
}
