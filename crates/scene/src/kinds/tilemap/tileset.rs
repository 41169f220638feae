//! Tilesets: the images of cells, and their animation.

use super::StoredPixels;
use crate::describe::value::Value;

/// The images of a layer's tiles.
#[derive(Debug, Clone, Default)]
pub struct Tileset {
    /// Its display name, such as the name of its file.
    pub name: String,
    /// Width and height of a tile, in pixels.
    pub tile_size: [u32; 2],
    /// Number of images.
    pub count: usize,
    /// RGBA bytes of all images in sequence, each row by row from the top left; alpha is not
    /// premultiplied.
    pub rgba: Vec<u8>,
    /// The tile of each image in the file, in the same order. Empty if the index of every image is
    /// its tile number.
    pub tiles: Vec<Tile>,
    /// `true` if its images are placeholders for unknown ones.
    pub is_placeholder: bool,
    /// The image for tiles that the file lacks.
    pub missing: Option<usize>,
    /// Animated runs of images.
    pub strands: Vec<Strand>,
    /// The pixels in the file, for the tileset of a file that contains its images.
    pub pixels: StoredPixels,
}

/// The tile of an image in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The number that cells of the file have.
    pub id: u32,
    /// The palette that it is shown in, if there are palettes.
    pub palette: Option<u32>,
    /// Its name in the file.
    pub name: String,
}

/// An animated run of tiles (fact sheet of ika, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strand {
    /// The first image.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// Display time of each image, in hundredths of a second.
    pub delay_ticks: u32,
    /// The playback order.
    pub mode: StrandMode,
}

/// The playback order of a strand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrandMode {
    /// From the first to the last, repeated.
    Forward,
    /// From the last to the first, repeated.
    Backward,
    /// Random order.
    Random,
    /// From the first to the last and back.
    PingPong,
}

/// The image that replaces each image of a tileset at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// By image index.
    pub shown: Vec<u32>,
}

impl Tileset {
    /// Number of bytes of one image.
    pub fn image_bytes(&self) -> usize {
        self.tile_size[0] as usize * self.tile_size[1] as usize * 4
    }

    /// The RGBA bytes of an image, if it exists.
    pub fn image(&self, index: usize) -> Option<&[u8]> {
        let bytes = self.image_bytes();
        let start = index.checked_mul(bytes)?;
        self.rgba.get(start..start.checked_add(bytes)?)
    }

    /// The bytes of an image in the file; those of the image if pixels have direct colours.
    pub(super) fn stored_bytes(&self, index: usize) -> &[u8] {
        let mut indices = self.pixels.indices.chunks(self.image_bytes().max(4) / 4);
        let indices = indices.nth(index);
        indices.or_else(|| self.image(index)).unwrap_or_default()
    }

    /// The place of these bytes in the file.
    pub(super) fn image_place(&self, index: usize) -> Value {
        let bytes = self.image_bytes() / 4 * self.pixels.bytes_per_pixel as usize;
        self.pixels.place.of(index, bytes)
    }

    /// The number of a tile in the file; `None` for the image of tiles that the file lacks.
    pub(super) fn tile_id(&self, image: usize) -> Option<u32> {
        let tile = self.tiles.get(image);
        let id = tile.map_or(image as u32, |tile| tile.id);
        (self.missing != Some(image)).then_some(id)
    }

    /// The same as display text.
    pub(super) fn tile_number(&self, image: usize) -> String {
        let id = self.tile_id(image);
        id.map_or_else(|| "none".to_owned(), |id| id.to_string())
    }

    /// The strand that contains an image.
    pub(super) fn strand_of(&self, image: usize) -> Option<&Strand> {
        let number = u32::try_from(image).ok()?;
        // As in a frame, the last strand with the image counts.
        let mut strands = self.strands.iter().rev();
        strands.find(|strand| strand.is_active() && (strand.first..=strand.last).contains(&number))
    }

    /// The image that replaces an image at a time in hundredths of a second.
    pub fn image_at(&self, image: usize, ticks: u64) -> usize {
        match self.strand_of(image) {
            Some(strand) => strand.at(image as u32, ticks) as usize,
            None => image,
        }
    }

    /// The frame at a time in hundredths of a second.
    pub fn frame(&self, ticks: u64) -> Frame {
        let mut shown: Vec<u32> = (0..self.count as u32).collect();
        for strand in self.strands.iter().filter(|strand| strand.is_active()) {
            let last = strand.last.min(self.count as u32);
            for image in strand.first..=last {
                if let Some(place) = shown.get_mut(image as usize) {
                    *place = strand.at(image, ticks);
                }
            }
        }
        Frame { shown }
    }
}

impl Strand {
    /// Display time of each tile in seconds.
    pub(super) fn delay_secs(&self) -> f32 {
        self.delay_ticks.max(1) as f32 / 100.0
    }

    /// `true` if it has more than one image.
    pub fn is_active(&self) -> bool {
        self.first < self.last
    }

    /// Its period in hundredths of a second. `None` if it changes at random.
    pub(super) fn period_ticks(&self) -> Option<u64> {
        let count = u64::from(self.last.saturating_sub(self.first)) + 1;
        let steps = match self.mode {
            StrandMode::Forward | StrandMode::Backward => count,
            StrandMode::PingPong => (count * 2).saturating_sub(2).max(1),
            StrandMode::Random => return None,
        };
        Some(steps * u64::from(self.delay_ticks.max(1)))
    }

    /// The image that replaces one of its images at a time in hundredths of a second. Each image
    /// starts from itself.
    pub fn at(&self, image: u32, ticks: u64) -> u32 {
        let count = u64::from(self.last.saturating_sub(self.first)) + 1;
        let begun = u64::from(image.saturating_sub(self.first));
        // A delay of 0 counts as the shortest possible one.
        let steps = ticks / u64::from(self.delay_ticks.max(1));
        let place = match self.mode {
            StrandMode::Forward => (begun + steps) % count,
            StrandMode::Backward => (begun + count - steps % count) % count,
            StrandMode::Random if steps == 0 => begun,
            StrandMode::Random => scrambled(steps ^ (begun << 32)) % count,
            StrandMode::PingPong => {
                let round = (count * 2).saturating_sub(2).max(1);
                let at = (begun + steps) % round;
                if at < count { at } else { round - at }
            }
        };
        self.first + place as u32
    }
}

impl StrandMode {
    /// The playback order as display text.
    pub(super) fn said(self) -> &'static str {
        match self {
            Self::Forward => "forwards",
            Self::Backward => "backwards",
            Self::Random => "at random",
            Self::PingPong => "back and forth",
        }
    }
}

/// A deterministic pseudorandom number (the finalizer of `SplitMix64`).
fn scrambled(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strand(mode: StrandMode) -> Strand {
        Strand {
            first: 4,
            last: 6,
            delay_ticks: 10,
            mode,
        }
    }

    #[test]
    fn every_image_of_a_strand_goes_its_own_way() {
        let steps = |mode, image| [0, 9, 10, 20, 30, 40].map(|ticks| strand(mode).at(image, ticks));
        assert_eq!(steps(StrandMode::Forward, 4), [4, 4, 5, 6, 4, 5]);
        assert_eq!(steps(StrandMode::Forward, 6), [6, 6, 4, 5, 6, 4]);
        assert_eq!(steps(StrandMode::Backward, 4), [4, 4, 6, 5, 4, 6]);
        assert_eq!(steps(StrandMode::PingPong, 4), [4, 4, 5, 6, 5, 4]);
        let random = steps(StrandMode::Random, 5);
        assert_eq!(random[0], 5);
        assert!(random.iter().all(|image| (4..=6).contains(image)));
    }

    #[test]
    fn what_is_in_no_strand_stays() {
        let tileset = Tileset {
            count: 6,
            strands: vec![strand(StrandMode::Forward)],
            ..Tileset::default()
        };
        // The strand ends beyond the last image, which must not panic.
        let shown = tileset.frame(10).shown;
        assert_eq!(shown, [0, 1, 2, 3, 5, 6]);
        for (image, shown) in shown.into_iter().enumerate() {
            assert_eq!(tileset.image_at(image, 10), shown as usize);
        }
    }
}
