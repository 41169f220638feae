//! 2D maps: one draw per layer, from a buffer of cells and a texture of tile images.
//!
//! A layer is one rectangle. The shader looks up the tile of each pixel, so the cost depends on the
//! covered pixels instead of the number of tiles. At integer zoom levels of a flat view that is
//! sufficient. Otherwise the shader blends all tiles that a pixel touches. Each tile has its own
//! mip levels, so that neighbours do not bleed and no seams appear. If a pixel covers several
//! tiles, averages of tiles are used. Mip levels and averages are created on demand.
//!
//! Steps are drawn from far to near without a depth test, since layers are transparent.

mod atlas;
mod build;
mod cells;
mod entries;
mod gpu_data;
mod overview;
mod pipelines;
mod place;
mod sprites;
mod view;

pub(crate) use self::gpu_data::SHADER;

use self::atlas::Atlas;
use self::cells::{Band, Rows, split_bands, upload_bands};
use self::entries::{Entry, EntryKind, joins};
use self::pipelines::Pipeline;
use self::sprites::Sprites;
use self::view::{FIRST_SLOT, TilesView};
use crate::frame::{
    ContentData, ContentRenderer, FrameLayout, FramePass, LocalView, Phase, UploadOptions,
};
use crate::gpu::{
    COLOR_FORMAT, Gpu, PipelineCache, Pipelines, SAMPLER, STORAGE, TEXTURE, TEXTURE_ARRAY, UNIFORM,
    UploadError, bind_group, bind_group_layout, sampler, upload_array, upload_texture,
};
use mapscope_scene::Shown;
use mapscope_scene::tilemap::{Cell, Step, TileMap};

/// Draws 2D maps.
#[derive(Debug, Clone)]
pub(crate) struct TilesRenderer {
    /// Layout of bind group 1.
    draw_layout: wgpu::BindGroupLayout,
    /// Layout of bind group 2.
    source_layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// Bind group 2 for draws that do not use it.
    no_source: wgpu::BindGroup,
    /// An empty texture.
    nothing: wgpu::TextureView,
    /// In place of missing tile images.
    no_pages: wgpu::TextureView,
    pipelines: PipelineCache<Pipeline>,
}

/// A 2D map on the GPU.
#[derive(Debug)]
pub(crate) struct TilesData {
    atlases: Vec<Atlas>,
    /// The cells of each layer.
    bands: Vec<Vec<(Rows, Band)>>,
    sprites: Sprites,
    /// The steps of the map in order, then the areas of its zones, then its grids.
    entries: Vec<Entry>,
    /// Number of slots per view.
    slots: usize,
    /// In place of missing buffers.
    nothing: wgpu::Buffer,
}

impl TilesRenderer {
    pub(crate) fn new(gpu: &Gpu, frame: &FrameLayout) -> Self {
        let bindings = [UNIFORM, STORAGE, TEXTURE_ARRAY, STORAGE, STORAGE];
        let draw_layout = bind_group_layout(gpu, "tiles", &bindings);
        let source_layout = bind_group_layout(gpu, "averages", &[TEXTURE, SAMPLER, TEXTURE_ARRAY]);
        let (clamp, linear) = (
            wgpu::AddressMode::ClampToEdge,
            wgpu::MipmapFilterMode::Linear,
        );
        let sampler = sampler(gpu, "averages", clamp, linear);
        let texels: &[&[&[u8]]] = &[&[&[0; 4]]];
        let nothing = upload_texture(gpu, "nothing", COLOR_FORMAT, [1, 1], texels)
            .create_view(&wgpu::TextureViewDescriptor::default());
        let no_pages = upload_array(gpu, "no pages", COLOR_FORMAT, [1, 1], texels);
        let layouts = [&frame.layout, &draw_layout, &source_layout];
        Self {
            no_source: source_group(gpu, &source_layout, &sampler, [&nothing, &no_pages]),
            nothing,
            no_pages,
            pipelines: PipelineCache::new(&SHADER, &layouts),
            draw_layout,
            source_layout,
            sampler,
        }
    }

    /// Bind group 2 for averages.
    fn source_group(&self, gpu: &Gpu, view: &wgpu::TextureView) -> wgpu::BindGroup {
        let views = [view, &self.no_pages];
        source_group(gpu, &self.source_layout, &self.sampler, views)
    }

    /// Bind group 2 for mip levels of pages.
    fn source_group_of_pages(&self, gpu: &Gpu, pages: &wgpu::TextureView) -> wgpu::BindGroup {
        let views = [&self.nothing, pages];
        source_group(gpu, &self.source_layout, &self.sampler, views)
    }
}

impl ContentRenderer for TilesRenderer {
    type Content = TileMap;
    type Data = TilesData;
    type View = TilesView;

    fn upload(
        &self,
        gpu: &Gpu,
        map: &TileMap,
        _: UploadOptions<&TilesData>,
    ) -> Result<TilesData, UploadError> {
        let mut atlases = Vec::with_capacity(map.tilesets.len());
        for tileset in &map.tilesets {
            atlases.push(Atlas::new(gpu, tileset)?);
        }
        let mut bands = Vec::with_capacity(map.layers.len());
        for layer in &map.layers {
            let cell_bytes = if layer.tints.is_some() { 16 } else { 4 };
            let rows = split_bands(gpu, "a layer", layer.size, cell_bytes)?;
            let upright;
            let cells = match map.tilesets.get(layer.tileset) {
                // Placeholder tiles show their numbers, which must stay readable.
                Some(tileset) if tileset.is_placeholder => {
                    let cells = layer.cells.iter().map(|cell| cell.upright());
                    upright = cells.collect::<Vec<Cell>>();
                    bytemuck::cast_slice(&upright)
                }
                _ => bytemuck::cast_slice(&layer.cells),
            };
            let tints = layer.tints.as_deref();
            bands.push(upload_bands(gpu, rows, layer.size[0], cells, tints));
        }
        let mut data = TilesData {
            atlases,
            bands,
            sprites: Sprites::new(gpu, map)?,
            entries: Vec::with_capacity(map.steps.len() + map.grids.len()),
            slots: 0,
            nothing: cells::storage(gpu, "nothing", &[]),
        };
        data.list_entries(gpu, map)?;
        Ok(data)
    }

    fn complete(&mut self, gpu: &Gpu, data: &mut TilesData, map: &TileMap, local: &LocalView<'_>) {
        data.upload_grids(gpu, map, &local.view.shown);
    }

    fn view(&self, gpu: &Gpu, data: &TilesData, map: &TileMap) -> TilesView {
        TilesView::new(gpu, self, data, map)
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &TilesData,
        view: &mut TilesView,
        map: &TileMap,
        local: &LocalView<'_>,
    ) {
        view.update(gpu, self, (data, map), local);
        for draw in &view.draws {
            self.pipelines.request(draw.pipeline, local.is_mirrored);
        }
    }

    /// Draws the backdrop, then the listed entries.
    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &TilesData, view: &TilesView) {
        if phase != Phase::Transparent {
            return;
        }
        let mut last = None;
        for draw in &view.draws {
            let Some(group) = view.group(draw.slot) else {
                continue;
            };
            if last != Some(draw.pipeline) && !pass.set_pipeline(&self.pipelines, draw.pipeline) {
                continue;
            }
            last = Some(draw.pipeline);
            let entry = draw.entry.and_then(|number| data.entries.get(number));
            let overview = draw.entry.and_then(|number| view.overview(number));
            let source = overview.map_or(&self.no_source, |overview| &overview.group);
            pass.set_bind_group(1, group, &[]);
            pass.set_bind_group(2, source, &[]);
            match (draw.pipeline, entry) {
                (Pipeline::Sprites { .. }, Some(entry)) => {
                    pass.set_vertex_buffer(0, data.sprites.instances.slice(..));
                    pass.draw(6, data.sprites.of(entry.kind));
                }
                (Pipeline::Backdrop, _) => pass.draw(3, 0..1),
                _ => pass.draw(6, 0..1),
            }
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }
}

fn source_group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    sampler: &wgpu::Sampler,
    [view, pages]: [&wgpu::TextureView; 2],
) -> wgpu::BindGroup {
    let resources = [
        wgpu::BindingResource::TextureView(view),
        wgpu::BindingResource::Sampler(sampler),
        wgpu::BindingResource::TextureView(pages),
    ];
    bind_group(gpu, "averages", layout, resources)
}

impl ContentData for TilesData {
    fn gpu_bytes(&self) -> u64 {
        let bands = |bands: &[(Rows, Band)]| -> u64 { bands.iter().map(|(_, b)| b.bytes()).sum() };
        let atlases: u64 = self.atlases.iter().map(|atlas| atlas.bytes).sum();
        let layers: u64 = self.bands.iter().map(|layer| bands(layer)).sum();
        let colors = self
            .entries
            .iter()
            .filter_map(|entry| entry.colors.as_deref());
        atlases + layers + colors.map(bands).sum::<u64>() + self.sprites.bytes()
    }
}

impl TilesData {
    /// Lists the entries of a map, with slots for their draws.
    fn list_entries(&mut self, gpu: &Gpu, map: &TileMap) -> Result<(), UploadError> {
        let mut slots = FIRST_SLOT;
        let mut entry = |kind, layer, count: usize| {
            let first = slots;
            slots += count;
            Entry {
                kind,
                layer,
                slots: first..slots,
                colors: None,
            }
        };
        for (number, step) in map.steps.iter().enumerate() {
            self.entries.push(match *step {
                Step::Layer {
                    layer,
                    skips_zero,
                    is_opaque,
                    pass,
                } => {
                    let bands = self.bands.get(layer).map_or(0, Vec::len);
                    let kind = EntryKind::Tiles {
                        skips_zero,
                        is_opaque,
                        pass,
                        joins: joins(&map.steps, number),
                    };
                    entry(kind, Some(layer), bands)
                }
                Step::Objects { layer } => entry(EntryKind::Objects { step: number }, layer, 1),
            });
        }
        for (range, (layer, _)) in self.sprites.of_areas.iter().enumerate() {
            self.entries
                .push(entry(EntryKind::Areas { range }, *layer, 1));
        }
        for number in map.grids_from_below() {
            let Some(grid) = map.grids.get(number) else {
                continue;
            };
            let bands = split_bands(gpu, "numbers of cells", grid.size, 4)?;
            let kind = EntryKind::Grid { grid: number };
            self.entries.push(entry(kind, grid.layer, bands.len()));
        }
        self.slots = slots;
        Ok(())
    }
    /// Uploads the colours of grids that are shown for the first time.
    fn upload_grids(&mut self, gpu: &Gpu, map: &TileMap, shown: &Shown) {
        for entry in &mut self.entries {
            let EntryKind::Grid { grid: index } = entry.kind else {
                continue;
            };
            let grid = map.grids.get(index).filter(|grid| grid.is_shown(shown));
            if let Some(grid) = grid.filter(|_| entry.colors.is_none()) {
                // They fitted when the map was uploaded.
                let rows = split_bands(gpu, "numbers of cells", grid.size, 4).unwrap_or_default();
                let colors = map.grid_colors(index);
                let cells = bytemuck::cast_slice(&colors);
                entry.colors = Some(upload_bands(gpu, rows, grid.size[0], cells, None));
            }
        }
    }
}
