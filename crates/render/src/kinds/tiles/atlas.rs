//! Tilesets on the GPU: pages of images in a texture, and the animated tiles of a view. Mip levels
//! are created on demand.

use std::sync::OnceLock;

use super::pipelines::Pipeline;
use super::{TilesRenderer, build};
use crate::gpu::{
    COLOR_FORMAT, Gpu, UploadError, array_layers, buffers, check_texture_size, max_array_layers,
    textures, write_texels,
};
use mapscope_scene::tilemap::{Strand, Tileset};

/// Side of a page in pixels, unless tiles are larger. Small enough that a nearly empty last page
/// wastes little.
const PAGE_SIDE: u32 = 512;

/// The images of a tileset.
#[derive(Debug)]
pub(super) struct Atlas {
    pub(super) arrangement: Arrangement,
    /// Number of images.
    pub(super) count: u32,
    texture: wgpu::Texture,
    pub(super) view: wgpu::TextureView,
    /// Set once the mip levels exist.
    has_levels: OnceLock<()>,
    pub(super) bytes: u64,
}

/// Maps tiles to the images that a view shows in their place.
#[derive(Debug)]
pub(super) struct Remap {
    pub(super) buffer: wgpu::Buffer,
    /// The contents of `buffer`, and their tick; empty if no tile is animated.
    shown: Vec<u32>,
    ticks: u64,
    /// Incremented whenever `buffer` is written.
    pub(super) version: u32,
}

/// The arrangement of images on pages. Each place has sides that are powers of two, so that mip
/// levels do not mix neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrangement {
    pub(super) tile_size: [u32; 2],
    /// Bits of an image's number that are its column and row on a page.
    pub(super) place_bits: [u32; 2],
    /// Bits of a pixel's column and row within an image.
    pub(super) pixel_bits: [u32; 2],
    pub(super) pages: u32,
}

impl Arrangement {
    fn of(tile_size: [u32; 2], count: u32, max_pages: u32) -> Self {
        let bits = |number: u32| number.max(1).next_power_of_two().trailing_zeros();
        let pixel_bits = tile_size.map(bits);
        let mut side_bits = bits(PAGE_SIDE);
        loop {
            // No more columns and rows than images.
            let all = bits(count);
            let columns = side_bits.saturating_sub(pixel_bits[0]).min(all.div_ceil(2));
            let rows = side_bits.saturating_sub(pixel_bits[1]).min(all - columns);
            let pages = count.max(1).div_ceil(1 << (columns + rows));
            if pages <= max_pages || side_bits >= 16 {
                return Self {
                    tile_size,
                    place_bits: [columns, rows],
                    pixel_bits,
                    pages,
                };
            }
            side_bits += 1;
        }
    }

    /// Width and height of a page in pixels.
    fn page_size(&self) -> [u32; 2] {
        [0, 1].map(|axis| 1 << (self.place_bits[axis] + self.pixel_bits[axis]).min(31))
    }

    /// The smallest mip level.
    pub(super) fn last_level(&self) -> u32 {
        self.pixel_bits[0].min(self.pixel_bits[1])
    }

    /// `Draw::page` of the shader.
    pub(super) fn bits(&self) -> [u32; 4] {
        let ([a, b], [c, d]) = (self.place_bits, self.pixel_bits);
        [a, b, c, d]
    }
}

impl Atlas {
    pub(super) fn new(gpu: &Gpu, tileset: &Tileset) -> Result<Self, UploadError> {
        let count = if tileset.image_bytes() == 0 {
            0
        } else {
            tileset.count as u32
        };
        let tile_size = tileset.tile_size.map(|side| side.max(1));
        let max_pages = max_array_layers(gpu);
        let arrangement = Arrangement::of(tile_size, count, max_pages);
        let [width, height] = arrangement.page_size();
        check_texture_size(gpu, "a tile image", [width, height])?;
        if arrangement.pages > max_pages {
            let page = u64::from(width) * u64::from(height) * 4;
            return Err(UploadError::TooLarge {
                what: "a tileset",
                bytes: page * u64::from(arrangement.pages),
                limit: page * u64::from(max_pages),
            });
        }
        let levels = arrangement.last_level() + 1;
        let texture = textures::texture(
            gpu,
            "tiles",
            COLOR_FORMAT,
            (
                [width, height],
                array_layers(gpu, arrangement.pages),
                levels,
            ),
            wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::RENDER_ATTACHMENT,
        );
        let page_bytes = u64::from(width) * u64::from(height) * 4;
        let page_bytes = page_bytes * u64::from(texture.depth_or_array_layers());
        let bytes: u64 = (0..levels).map(|level| page_bytes >> (level * 2)).sum();
        if count > 0 {
            fill_pages(gpu, &texture, tileset, &arrangement);
        }
        let has_levels = OnceLock::new();
        if levels == 1 || count == 0 {
            has_levels.get_or_init(|| ());
        }
        Ok(Self {
            bytes,
            view: texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..Default::default()
            }),
            arrangement,
            count,
            texture,
            has_levels,
        })
    }

    /// Creates the mip levels, once.
    pub(super) fn make_levels(&self, gpu: &Gpu, renderer: &TilesRenderer) {
        self.has_levels
            .get_or_init(|| self.draw_levels(gpu, renderer));
    }

    fn draw_levels(&self, gpu: &Gpu, renderer: &TilesRenderer) {
        let Some(pipeline) = renderer.pipelines.get(Pipeline::PageLevel, false) else {
            return;
        };
        let [width, height] = self.arrangement.tile_size;
        let of_level = |level: u32| wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            base_mip_level: level,
            mip_level_count: Some(1),
            ..Default::default()
        };
        let of_page = |page: u32, level: u32| wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: page,
            array_layer_count: Some(1),
            ..of_level(level)
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for level in 1..=self.arrangement.last_level() {
            let source = self.texture.create_view(&of_level(level - 1));
            let source = renderer.source_group_of_pages(gpu, &source);
            for page in 0..self.arrangement.pages {
                let target = self.texture.create_view(&of_page(page, level));
                let mut pass = build::begin(&mut encoder, &target);
                pass.set_pipeline(pipeline);
                pass.set_bind_group(2, &source, &[]);
                let page_and_level = page << build::LEVEL_BITS | level;
                build::draw(&mut pass, [width, height], page_and_level);
            }
        }
        gpu.queue.submit([encoder.finish()]);
    }
}

impl Remap {
    pub(super) fn new(gpu: &Gpu, tileset: &Tileset) -> Self {
        let is_animated = tileset.strands.iter().any(Strand::is_active);
        let shown: Vec<u32> = if is_animated {
            tileset.frame(0).shown
        } else {
            Vec::new()
        };
        let size = shown.len().max(4) * 4;
        let storage = wgpu::BufferUsages::STORAGE;
        let buffer = buffers::buffer(gpu, "shown tiles", size as u64, storage);
        gpu.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(&shown));
        Self {
            buffer,
            shown,
            ticks: 0,
            version: 0,
        }
    }

    /// `true` if any tile is animated.
    pub(super) fn is_animated(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Shows the tiles of a moment.
    pub(super) fn set_ticks(&mut self, gpu: &Gpu, tileset: &Tileset, ticks: u64) {
        if self.ticks == ticks || !self.is_animated() {
            return;
        }
        self.ticks = ticks;
        let mut is_other = false;
        for strand in tileset.strands.iter().filter(|strand| strand.is_active()) {
            let last = strand.last.min(self.shown.len() as u32);
            for image in strand.first..=last {
                if let Some(place) = self.shown.get_mut(image as usize) {
                    let now = strand.at(image, ticks);
                    is_other |= *place != now;
                    *place = now;
                }
            }
        }
        if is_other {
            self.version += 1;
            gpu.queue
                .write_buffer(&self.buffer, 0, bytemuck::cast_slice(&self.shown));
        }
    }
}

/// Uploads the images page by page.
fn fill_pages(gpu: &Gpu, texture: &wgpu::Texture, tileset: &Tileset, arrangement: &Arrangement) {
    let [page_width, page_height] = arrangement.page_size().map(|side| side as usize);
    let tile_row = tileset.tile_size[0] as usize * 4;
    let columns = 1_usize << arrangement.place_bits[0];
    let per_page = columns << arrangement.place_bits[1];
    let mut page = vec![0; page_width * page_height * 4];
    let mut images = tileset
        .rgba
        .chunks_exact(tileset.image_bytes().max(1))
        .take(tileset.count);
    for number in 0..arrangement.pages {
        let mut is_filled = 0;
        for (place, image) in images.by_ref().take(per_page).enumerate() {
            let left = (place % columns) << arrangement.pixel_bits[0];
            let top = (place / columns) << arrangement.pixel_bits[1];
            let at = (top * page_width + left) * 4;
            let rows = page[at..].chunks_mut(page_width * 4);
            for (row, pixels) in rows.zip(image.chunks_exact(tile_row)) {
                row[..tile_row].copy_from_slice(pixels);
            }
            is_filled = place + 1;
        }
        // Empty rows and pages are not uploaded: textures are zero-initialised.
        let rows = is_filled.div_ceil(columns) << arrangement.pixel_bits[1];
        if rows == 0 {
            break;
        }
        let texels = &page[..rows * page_width * 4];
        let size = [page_width as u32, rows as u32];
        write_texels(gpu, texture, (0, [0, 0, number]), size, texels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_all_pictures_within_the_limits() {
        for (size, count, max_pages) in [
            ([16, 16], 1, 2048),
            ([16, 16], 65_536, 2048),
            ([16, 16], 65_536, 4),
            ([8, 8], 3, 256),
            ([24, 17], 1000, 256),
            ([1, 1], 65_536, 256),
            ([500, 3], 77, 256),
            ([600, 700], 20, 256),
        ] {
            let arrangement = Arrangement::of(size, count, max_pages);
            let [columns, rows] = arrangement.place_bits;
            assert!(
                arrangement.pages << (columns + rows) >= count,
                "{arrangement:?}"
            );
            assert!(arrangement.pages <= max_pages, "{arrangement:?}");
            let page = arrangement.page_size();
            assert!(page.iter().all(|side| *side <= 16_384), "{arrangement:?}");
            for (bits, side) in arrangement.pixel_bits.into_iter().zip(size) {
                assert!(1 << bits >= side, "{arrangement:?}");
            }
        }
        // A few images need only a small page.
        assert_eq!(Arrangement::of([16, 16], 3, 256).page_size(), [32, 32]);
    }
}
