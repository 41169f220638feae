//! Images of any size. An image that exceeds the limits of the device is drawn in parts.
//!
//! Each part has the projection of the whole image, shifted and scaled, so that its pixels are
//! those of the whole and no seams appear.

use std::io;
use std::ops::Range;

use thiserror::Error;

use super::{Renderer, SceneData};
use crate::frame::{ImagePart, View};
use crate::gpu::{Gpu, Target};
use crate::kinds::terrain::REFLECTION_REACH;
use mapscope_scene::Document;

/// Bytes per pixel.
const RGBA: usize = 4;
/// Maximum side of a part in pixels, with one sample per pixel. Larger parts need more memory than
/// they save time.
const MAX_PART_SIDE: u32 = 4096;
/// Maximum number of pixels in collected rows; two rows are always collected.
const MAX_COLLECTED: u64 = 64 << 20;
/// The reason why an image was not drawn.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The device failed.
    #[error("the graphics device failed: {0}")]
    Device(String),
    /// The consumer of the rows stopped.
    #[error(transparent)]
    Rows(#[from] io::Error),
}

/// The division of an image into parts.
#[derive(Debug, Clone, Copy)]
struct Division {
    size: [u32; 2],
    /// Width and height of the area that each part contributes, except the last.
    step: [u32; 2],
    /// Additional pixels on each side of a part.
    margin: u32,
}

impl Division {
    /// Divides an image into parts whose sides are at most `max_side`.
    fn new(size: [u32; 2], max_side: u32, margin: u32) -> Self {
        // Pixels are shaded in pairs, which must not be split.
        let even = |side: u32| (side & !1).max(2);
        let max_side = even(max_side);
        let margin = even(margin.min(max_side / 4).saturating_add(1)) * u32::from(margin > 0);
        let step = even(max_side.saturating_sub(margin * 2));
        let fit = MAX_COLLECTED / u64::from(size[0].max(1));
        Self {
            size,
            step: [step, step.min(even(fit.min(u64::from(step)) as u32))],
            margin,
        }
    }

    /// The areas that parts contribute along an axis.
    fn along(self, axis: usize) -> impl Iterator<Item = Range<u32>> {
        let (side, step) = (self.size[axis], self.step[axis]);
        let starts = (0..side).step_by(step as usize);
        starts.map(move |start| start..side.min(start.saturating_add(step)))
    }

    /// The drawn area of a part.
    fn drawn(&self, [columns, rows]: [&Range<u32>; 2]) -> ImagePart {
        let around = |kept: &Range<u32>, side: u32| {
            let start = kept.start.saturating_sub(self.margin);
            start..side.min(kept.end.saturating_add(self.margin))
        };
        let [across, down] = [around(columns, self.size[0]), around(rows, self.size[1])];
        ImagePart {
            of: self.size,
            origin: [across.start, down.start],
            size: [across.end - across.start, down.end - down.start],
        }
    }
}

impl Renderer {
    /// Draws an image, and passes its rows from the top to `rows`: RGBA bytes of several rows at
    /// once, with straight alpha. An image with a side that exceeds the limit of the device or
    /// `max_side` is drawn in parts. `rows` is called after each part, if necessary without rows,
    /// so that it can stop a long operation.
    ///
    /// # Errors
    /// When the device is lost or out of memory, or `rows` fails.
    pub fn draw_image(
        &mut self,
        gpu: &Gpu,
        scene: Option<(&mut SceneData, &dyn Document)>,
        view: &View,
        size: [u32; 2],
        max_side: Option<u32>,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), PictureError> {
        let (mut data, document) = scene.unzip();
        let mut view = view.clone();
        let is_transparent = view.shown.is_transparent;
        let mut draw = |part: Option<ImagePart>| {
            view.part = part;
            let target = Target::new(gpu, part.map_or(size, |part| part.size));
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let scene = data.as_deref_mut().zip(document);
            self.draw(gpu, &mut encoder, &target, scene, &view);
            gpu.queue.submit([encoder.finish()]);
            let mut image = target.read_back(gpu).map_err(PictureError::Device)?;
            if is_transparent {
                image.pixels_mut().for_each(unpremultiply);
            }
            Ok::<_, PictureError>(image)
        };
        let max_side = max_side.unwrap_or(u32::MAX);
        if fits_one_target(gpu, size) && size.iter().all(|side| *side <= max_side) {
            let image = draw(None)?;
            return Ok(rows(&image)?);
        }
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let most = MAX_PART_SIDE / gpu.samples.count().isqrt();
        let max_side = max_side.min(limit).min(most);
        let longest = size[0].max(size[1]) as f32;
        let margin = (longest * REFLECTION_REACH).ceil() as u32;
        let division = Division::new(size, max_side, margin);
        let row_bytes = size[0] as usize * RGBA;
        let mut collected = Vec::new();
        for down in division.along(1) {
            collected.resize(down.len() * row_bytes, 0);
            for across in division.along(0) {
                let part = division.drawn([&across, &down]);
                let image = draw(Some(part))?;
                let [left, top] = [across.start - part.origin[0], down.start - part.origin[1]];
                let kept = left as usize * RGBA..(left as usize + across.len()) * RGBA;
                let whole_rows = image.chunks_exact(part.size[0] as usize * RGBA);
                let to = across.start as usize * RGBA..across.end as usize * RGBA;
                for (row, drawn) in collected
                    .chunks_exact_mut(row_bytes)
                    .zip(whole_rows.skip(top as usize))
                {
                    row[to.clone()].copy_from_slice(&drawn[kept.clone()]);
                }
                rows(&[])?;
            }
            rows(&collected)?;
        }
        Ok(())
    }
}

/// `true` if a device draws an image of this size at once, so that all rows arrive together. The
/// image and all of its samples must fit into a buffer.
pub fn fits_one_target(gpu: &Gpu, size: [u32; 2]) -> bool {
    let limits = gpu.device.limits();
    let [width, height] = size.map(u64::from);
    let row = (width * RGBA as u64).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT.into());
    let side = u64::from(limits.max_texture_dimension_2d);
    let samples = u64::from(gpu.samples.count());
    width.max(height) <= side && row * height * samples <= limits.max_buffer_size
}

/// Converts a pixel from premultiplied to straight alpha.
///
/// Additive surfaces have colour without alpha. Their alpha becomes the brightest channel, so that
/// they look the same over black.
fn unpremultiply(pixel: &mut image::Rgba<u8>) {
    let [r, g, b, a] = pixel.0;
    let alpha = a.max(r).max(g).max(b);
    if alpha != u8::MAX && alpha != 0 {
        let straight = |channel: u8| {
            ((u32::from(channel) * 510 + u32::from(alpha)) / (u32::from(alpha) * 2)) as u8
        };
        pixel.0 = [straight(r), straight(g), straight(b), alpha];
    } else {
        pixel.0[3] = alpha;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_image_once_and_none_is_too_large() {
        for (size, max_side, margin) in [
            ([640, 360], 100, 5),
            ([101, 77], 64, 0),
            ([50_000, 3], 4096, 375),
            ([1, 1], 1, 1),
        ] {
            let division = Division::new(size, max_side, margin);
            for (axis, side) in size.into_iter().enumerate() {
                let mut end = 0;
                for kept in division.along(axis) {
                    assert_eq!(kept.start, end);
                    assert!(kept.start.is_multiple_of(2), "pixels are shaded by twos");
                    end = kept.end;
                    let part = division.drawn([&kept, &(0..1)]);
                    if axis == 0 {
                        assert!(part.size[0] <= max_side.max(6), "{part:?}");
                        assert!(part.origin[0] <= kept.start && part.origin[0].is_multiple_of(2));
                        assert!(part.origin[0] + part.size[0] >= kept.end);
                    }
                }
                assert_eq!(end, side);
            }
        }
    }

    #[test]
    fn colours_are_divided_by_their_opacity() {
        let straight = |rgba| {
            let mut pixel = image::Rgba(rgba);
            unpremultiply(&mut pixel);
            pixel.0
        };
        assert_eq!(straight([64, 32, 0, 128]), [128, 64, 0, 128]);
        assert_eq!(straight([10, 20, 30, 255]), [10, 20, 30, 255]);
        assert_eq!(straight([0; 4]), [0; 4]);
        assert_eq!(straight([51, 102, 0, 0]), [128, 255, 0, 102], "a glow");
    }
}
