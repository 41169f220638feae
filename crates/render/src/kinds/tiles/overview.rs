//! Averages of distant layers, where a pixel covers several cells. They are a texture with mip
//! levels, created on demand.

use super::cells::Rows;
use super::pipelines::{CellsKey, Pipeline};
use super::{TilesRenderer, build};
use crate::gpu::{COLOR_FORMAT, Gpu, textures};

/// Columns and rows per texel.
const CELLS_PER_TEXEL: u32 = 2;

/// The averages of a layer.
#[derive(Debug)]
pub(super) struct Overview {
    texture: wgpu::Texture,
    /// Bind group 2.
    pub(super) group: wgpu::BindGroup,
    /// Its sources.
    sources: Option<Sources>,
}

/// The sources of the averages, besides cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sources {
    pub(super) cells: CellsKey,
    /// The highlighted image.
    pub(super) highlighted: u32,
    /// Version of the animated tiles.
    pub(super) version: u32,
}

impl Overview {
    pub(super) fn new(gpu: &Gpu, renderer: &TilesRenderer, cells: [u32; 2]) -> Self {
        let max_side = gpu.device.limits().max_texture_dimension_2d;
        let [width, height] = cells.map(|side| side.div_ceil(CELLS_PER_TEXEL).clamp(1, max_side));
        let levels = width.max(height).ilog2() + 1;
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT;
        let size = ([width, height], 1, levels);
        let texture = textures::texture(gpu, "averages", COLOR_FORMAT, size, usage);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Self {
            group: renderer.source_group(gpu, &view),
            texture,
            sources: None,
        }
    }

    /// Bytes of GPU memory.
    pub(super) fn bytes(&self) -> u64 {
        let level = u64::from(self.texture.width()) * u64::from(self.texture.height()) * 4;
        level + level / 3
    }

    /// Updates it if its sources have changed, from the bind groups of the bands of a layer.
    pub(super) fn make<'a>(
        &mut self,
        gpu: &Gpu,
        renderer: &TilesRenderer,
        sources: Sources,
        rows_of_layer: u32,
        parts: impl Iterator<Item = (&'a wgpu::BindGroup, &'a Rows)>,
    ) {
        if self.sources == Some(sources) {
            return;
        }
        self.sources = Some(sources);
        let first = renderer
            .pipelines
            .get(Pipeline::Overview(sources.cells), false);
        let next = renderer.pipelines.get(Pipeline::OverviewLevel, false);
        let (Some(first), Some(next)) = (first, next) else {
            return;
        };
        let size = |level: u32| {
            [self.texture.width(), self.texture.height()].map(|side| (side >> level).max(1))
        };
        let view = |level| {
            self.texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level: level,
                mip_level_count: Some(1),
                ..Default::default()
            })
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let [width, height] = size(0);
            let mut pass = build::begin(&mut encoder, &view(0));
            pass.set_pipeline(first);
            for (group, rows) in parts {
                // A texel belongs to the band of its first row.
                let texel = |row: u32| {
                    let rows = u64::from(rows_of_layer.max(1));
                    (u64::from(row) * u64::from(height)).div_ceil(rows) as u32
                };
                let (top, bottom) = (texel(rows.drawn.start), texel(rows.drawn.end).min(height));
                if top >= bottom {
                    continue;
                }
                pass.set_scissor_rect(0, top, width, bottom - top);
                pass.set_bind_group(1, group, &[]);
                build::draw(&mut pass, [width, height], 0);
            }
        }
        for level in 1..self.texture.mip_level_count() {
            let source = renderer.source_group(gpu, &view(level - 1));
            let mut pass = build::begin(&mut encoder, &view(level));
            pass.set_pipeline(next);
            pass.set_bind_group(2, &source, &[]);
            build::draw(&mut pass, size(level), 0);
        }
        gpu.queue.submit([encoder.finish()]);
    }
}
