//! 2D maps: each layer one draw, from one buffer of cells and one texture of tile images.
//!
//! A layer is drawn as one rectangle, and the tile under a pixel is looked up in the shader, so that
//! a layer costs what it covers of the frame and no more, however many tiles it has. Where every
//! pixel of the map is a square of whole pixels of the frame, that is all. Else the shader looks
//! at all tiles that a pixel touches, with mip levels of each tile by itself, so that nothing of its
//! neighbours bleeds into it and no seam opens between them; and where several tiles are in a pixel,
//! at averages of them. Levels and averages are made when they are first needed.
//!
//! Steps are drawn over each other from the far side to the near one, without a depth test: layers
//! are see-through.

mod atlas;
mod build;
mod cells;
mod gpu_data;
mod overview;
mod pipelines;
mod place;
mod sprites;

pub(crate) use self::gpu_data::SHADER;

use std::borrow::Cow;
use std::ops::Range;

use self::atlas::Atlas;
use self::cells::{Band, Rows, bands_of, send_bands};
use self::overview::{MadeOf, Overview};
use self::pipelines::{CellsKey, Pipeline, Sampling};
use self::place::{Eye, MapView};
use self::sprites::Sprites;
use crate::frame::content::{ContentData, ContentRenderer, UploadOptions};
use crate::frame::pass::{Background, FramePass, Phase};
use crate::frame::uniforms::FrameLayout;
use crate::frame::view::LocalView;
use crate::gpu::bindings::{
    SAMPLER, STORAGE, TEXTURE, TEXTURE_ARRAY, UNIFORM, bind_group, bind_group_layout,
};
use crate::gpu::buffers::buffer;
use crate::gpu::pipelines::{PipelineCache, Pipelines};
use crate::gpu::textures::{sampler, upload_array, upload_texture};
use crate::gpu::{COLOR_FORMAT, Gpu, UploadError};
use mapscope_scene::tilemap::{Cell, Grid, Layer, Pass, Step, TileMap, hatch_px};
use mapscope_scene::{Item, OverlayId, Shown, TileMapItem};

/// Bytes from the uniforms of one draw to those of the next: an alignment that every device allows.
const DRAW_STRIDE: u64 = 256;

/// Draws 2D maps.
#[derive(Debug, Clone)]
pub(crate) struct TilesRenderer {
    /// Of bind group 1.
    draw_layout: wgpu::BindGroupLayout,
    /// Of bind group 2.
    source_layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// Bind group 2 where it is not needed.
    no_source: wgpu::BindGroup,
    /// A texture of nothing.
    nothing: wgpu::TextureView,
    /// In place of tile images that are not there.
    no_pages: wgpu::TextureView,
    pipelines: PipelineCache<Pipeline>,
}

/// A 2D map on the GPU.
#[derive(Debug)]
pub(crate) struct TilesData {
    atlases: Vec<Atlas>,
    /// Of each layer.
    bands: Vec<Vec<(Rows, Band)>>,
    sprites: Sprites,
    /// The steps of the map in their order, then the areas of its zones, then its grids.
    entries: Vec<Entry>,
    /// Values of draws: of the backdrop, of lines, and of entries.
    slots: Vec<Slot>,
    values: wgpu::Buffer,
    /// In place of buffers that are not there.
    nothing: wgpu::Buffer,
    /// Heights and numbers of the entries that are drawn, the furthest first.
    order: Vec<(f32, usize)>,
    /// What is drawn for a frame.
    draws: Vec<Draw>,
}

/// Something that is drawn.
#[derive(Debug)]
struct Entry {
    kind: EntryKind,
    /// The layer that it is of.
    layer: Option<usize>,
    slots: Range<usize>,
    overview: Option<Overview>,
    /// Colours, if they were asked for.
    colors: Option<Vec<(Rows, Band)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Tiles {
        skips_zero: bool,
        is_opaque: bool,
        pass: Pass,
        /// Whether the other pass of the layer comes right before or after, so that both are one
        /// where they lie at the same height.
        joins: bool,
    },
    Objects {
        step: usize,
    },
    /// What fills the areas of zones of a layer, by its index in [`Sprites::of_areas`].
    Areas {
        range: usize,
    },
    Grid {
        grid: usize,
    },
}

/// Room for the values of a draw.
#[derive(Debug)]
struct Slot {
    /// Bind group 1; none until there is something to draw.
    group: Option<wgpu::BindGroup>,
    /// What is in `values`.
    written: Option<gpu_data::Draw>,
}

/// A draw call.
#[derive(Debug)]
struct Draw {
    pipeline: Pipeline,
    slot: usize,
    /// The entry, if it is of one.
    entry: Option<usize>,
}

/// How much of a tile is in a pixel of the frame at least where averages of tiles are seen.
const FAR_SHARE: f32 = 0.7;

/// The slots of the backdrop and of lines.
const BACKDROP: usize = 0;
const LINES: usize = 1;

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
        let nothing = upload_texture(gpu, "nothing", COLOR_FORMAT, [1, 1], texels);
        let nothing = nothing.create_view(&wgpu::TextureViewDescriptor::default());
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

    /// Bind group 2 for levels of pages.
    fn source_group_of_pages(&self, gpu: &Gpu, pages: &wgpu::TextureView) -> wgpu::BindGroup {
        let views = [&self.nothing, pages];
        source_group(gpu, &self.source_layout, &self.sampler, views)
    }
}

impl ContentRenderer for TilesRenderer {
    type Content = TileMap;
    type Data = TilesData;

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
            let rows = bands_of(gpu, "a layer", layer.size, cell_bytes)?;
            let upright;
            let cells = match map.tilesets.get(layer.tileset) {
                // The number of a tile that is not known can be read.
                Some(tileset) if tileset.is_placeholder => {
                    let cells = layer.cells.iter().map(|cell| cell.upright());
                    upright = cells.collect::<Vec<Cell>>();
                    bytemuck::cast_slice(&upright)
                }
                _ => bytemuck::cast_slice(&layer.cells),
            };
            let tints = layer.tints.as_deref();
            bands.push(send_bands(gpu, rows, layer.size[0], cells, tints));
        }
        let mut data = TilesData {
            atlases,
            bands,
            sprites: Sprites::new(gpu, map)?,
            entries: Vec::with_capacity(map.steps.len() + map.grids.len()),
            slots: Vec::new(),
            values: buffer_of_values(gpu, 1),
            nothing: cells::storage(gpu, "nothing", &[]),
            order: Vec::new(),
            draws: Vec::new(),
        };
        data.list_entries(gpu, map)?;
        data.values = buffer_of_values(gpu, data.slots.len());
        data.bind_entries(gpu, self, map);
        Ok(data)
    }

    fn prepare(&mut self, gpu: &Gpu, data: &mut TilesData, map: &TileMap, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        let ticks = map.ticks(local.playhead);
        for (atlas, tileset) in data.atlases.iter_mut().zip(&map.tilesets) {
            atlas.set_ticks(gpu, tileset, ticks);
        }
        let map_view = MapView::of(local);
        data.bind_grids(gpu, self, map, shown);
        data.draws.clear();
        data.list_backdrop(gpu, map, &map_view);
        data.arrange(map, local);
        let lined = data.lined_entry(map, shown);
        for at in 0..data.order.len() {
            let number = data.order[at].1;
            self.prepare_entry(gpu, data, (map, shown, &map_view, number));
            if lined == Some(number) && map_view.sampling() == Sampling::InSpace {
                data.list_lines(gpu, (map, shown, &map_view, number));
            }
        }
        // Where all layers are upon each other, they are over all of them.
        if let Some(number) = lined.filter(|_| map_view.sampling() != Sampling::InSpace) {
            data.list_lines(gpu, (map, shown, &map_view, number));
        }
        for draw in &data.draws {
            self.pipelines.need(draw.pipeline, local.is_mirrored);
        }
    }

    /// Draws the backdrop, and all that was prepared over it.
    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &TilesData) {
        if phase != Phase::Transparent {
            return;
        }
        let mut last = None;
        for draw in &data.draws {
            let Some(group) = data.slots.get(draw.slot).and_then(|s| s.group.as_ref()) else {
                continue;
            };
            if last != Some(draw.pipeline) && !pass.set_pipeline(&self.pipelines, draw.pipeline) {
                continue;
            }
            last = Some(draw.pipeline);
            let entry = draw.entry.and_then(|number| data.entries.get(number));
            let overview = entry.and_then(|entry| entry.overview.as_ref());
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

impl TilesRenderer {
    /// Works out how an entry is drawn.
    fn prepare_entry(
        &mut self,
        gpu: &Gpu,
        data: &mut TilesData,
        (map, shown, map_view, number): (&TileMap, &Shown, &MapView<'_>, usize),
    ) {
        let Some(entry) = data.entries.get_mut(number) else {
            return;
        };
        let height = entry.height_px(map, shown, number);
        if let EntryKind::Objects { .. } | EntryKind::Areas { .. } = entry.kind {
            let slot = entry.slots.start;
            let origin = entry.layer.and_then(|layer| {
                let layer = map.layers.get(layer)?;
                let origin = map_view.origin_px(layer);
                Some([0, 1].map(|axis| origin[axis] - i64::from(layer.position_px[axis])))
            });
            let values = map_view.of_objects(origin.unwrap_or_default(), height);
            let is_exact = map_view.sampling() == Sampling::Exact;
            data.write(gpu, slot, values);
            data.draws.push(Draw {
                pipeline: Pipeline::Sprites { is_exact },
                slot,
                entry: Some(number),
            });
            return;
        }
        let layer = if let EntryKind::Grid { grid } = entry.kind {
            map.grids.get(grid).and_then(|grid| map.ground_of(grid))
        } else {
            let layer = entry.layer.and_then(|layer| map.layers.get(layer));
            layer.map(Cow::Borrowed)
        };
        let Some(layer) = layer.as_deref() else {
            return;
        };
        let Some(atlas) = data.atlases.get_mut(layer.tileset) else {
            return;
        };
        let bands = match (&entry.colors, entry.layer) {
            (Some(colors), _) => colors,
            (None, Some(layer)) => match data.bands.get(layer) {
                Some(bands) => bands,
                None => return,
            },
            (None, None) => return,
        };
        let (mut values, mut key) = entry.values(map, shown, layer, atlas);
        let mut is_far = false;
        let mut needs_levels = false;
        for ((rows, _), slot) in bands.iter().zip(entry.slots.clone()) {
            values.rows = [rows.stored.start, rows.stored.end].map(|row| row as i32);
            values.drawn_rows = [rows.drawn.start, rows.drawn.end].map(|row| row as i32);
            values.first_row = rows.stored.start as i32;
            let Some(reach) = map_view.place(&mut values, layer, rows, height) else {
                continue;
            };
            let tile = values.tile;
            is_far |= reach > tile[0].min(tile[1]) * FAR_SHARE;
            needs_levels |= map_view.sampling() != Sampling::Exact && reach > 1.0;
            let Some(slot_data) = data.slots.get_mut(slot) else {
                continue;
            };
            slot_data.write(gpu, &data.values, slot, values);
            data.draws.push(Draw {
                pipeline: Pipeline::Backdrop,
                slot,
                entry: Some(number),
            });
        }
        if map_view.sampling() != Sampling::InSpace {
            let wraps = map_view.wraps(layer);
            key.wraps = wraps[0] || wraps[1];
            key.parted = bands.len() > 1 && (wraps[1] || map_view.is_around(layer));
        }
        key.far = is_far && map_view.sampling() != Sampling::Exact;
        // The draws that were listed above get their pipeline.
        let of_entry = data.draws.iter_mut().rev();
        for draw in of_entry.take_while(|draw| draw.entry == Some(number)) {
            draw.pipeline = Pipeline::Layer(map_view.sampling(), key);
        }
        if needs_levels {
            self.pipelines.make(gpu, Pipeline::PageLevel, false);
            atlas.make_levels(gpu, self);
        }
        if key.far {
            let size = values.size.map(|side| side as u32);
            let plain = CellsKey {
                wraps: false,
                far: false,
                parted: false,
                hatched: false,
                ..key
            };
            self.pipelines.make(gpu, Pipeline::Overview(plain), false);
            self.pipelines.make(gpu, Pipeline::OverviewLevel, false);
            let overview = entry
                .overview
                .get_or_insert_with(|| Overview::new(gpu, self, size));
            let made_of = MadeOf {
                cells: plain,
                highlighted: values.highlighted,
                version: atlas.version,
            };
            let groups = data.slots.get(entry.slots.clone()).unwrap_or_default();
            let parts = groups
                .iter()
                .zip(bands)
                .filter_map(|(slot, (rows, _))| Some((slot.group.as_ref()?, rows)));
            overview.make(gpu, self, made_of, size[1], parts);
        }
    }
}

/// Whether a step draws one pass of a layer, and the step before or after it the other one.
fn joins(steps: &[Step], number: usize) -> bool {
    let half = |number: Option<usize>| match steps.get(number?)? {
        Step::Layer { layer, pass, .. } => Some((*layer, *pass)),
        Step::Objects { .. } => None,
    };
    match half(Some(number)) {
        Some((layer, Pass::Normal)) => half(Some(number + 1)) == Some((layer, Pass::Priority)),
        Some((layer, Pass::Priority)) => half(number.checked_sub(1)) == Some((layer, Pass::Normal)),
        _ => false,
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

fn buffer_of_values(gpu: &Gpu, slots: usize) -> wgpu::Buffer {
    let size = slots as u64 * DRAW_STRIDE;
    buffer(gpu, "draws of tiles", size, wgpu::BufferUsages::UNIFORM)
}

impl Slot {
    const EMPTY: Self = Self {
        group: None,
        written: None,
    };

    /// Sends the values of a draw, unless they are there.
    fn write(&mut self, gpu: &Gpu, buffer: &wgpu::Buffer, number: usize, values: gpu_data::Draw) {
        if self.written != Some(values) {
            let at = number as u64 * DRAW_STRIDE;
            gpu.queue
                .write_buffer(buffer, at, bytemuck::bytes_of(&values));
            self.written = Some(values);
        }
    }
}

impl ContentData for TilesData {
    fn gpu_bytes(&self) -> u64 {
        let bands = |bands: &[(Rows, Band)]| -> u64 { bands.iter().map(|(_, b)| b.bytes()).sum() };
        let atlases: u64 = self.atlases.iter().map(|atlas| atlas.bytes).sum();
        let layers: u64 = self.bands.iter().map(|layer| bands(layer)).sum();
        let entries: u64 = self
            .entries
            .iter()
            .map(|entry| {
                let overview = entry.overview.as_ref().map_or(0, Overview::bytes);
                overview + entry.colors.as_deref().map_or(0, bands)
            })
            .sum();
        atlases + layers + entries + self.sprites.bytes() + self.values.size()
    }

    fn background(&self) -> Background {
        let has_backdrop = self.draws.first().is_some_and(|draw| draw.slot == BACKDROP);
        if has_backdrop {
            Background::Own
        } else {
            Background::Studio
        }
    }
}

impl TilesData {
    /// Lists the steps and grids of a map, with a slot for each draw that they may need.
    fn list_entries(&mut self, gpu: &Gpu, map: &TileMap) -> Result<(), UploadError> {
        let mut slots = LINES + 1;
        let mut entry = |kind, layer, count: usize| {
            let first = slots;
            slots += count;
            Entry {
                kind,
                layer,
                slots: first..slots,
                overview: None,
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
            let bands = bands_of(gpu, "numbers of cells", grid.size, 4)?;
            let kind = EntryKind::Grid { grid: number };
            self.entries.push(entry(kind, grid.layer, bands.len()));
        }
        self.slots.resize_with(slots, || Slot::EMPTY);
        Ok(())
    }

    /// Makes the bind groups of all but grids.
    fn bind_entries(&mut self, gpu: &Gpu, renderer: &TilesRenderer, map: &TileMap) {
        for slot in [BACKDROP, LINES] {
            let group = self.group(gpu, renderer, slot, &self.nothing, None, None);
            self.slots[slot].group = Some(group);
        }
        for number in 0..self.entries.len() {
            let entry = &self.entries[number];
            match entry.kind {
                EntryKind::Tiles { .. } => {
                    let layer = entry.layer.unwrap_or_default();
                    let atlas = map.layers.get(layer).map_or(0, |layer| layer.tileset);
                    let atlas = self.atlases.get(atlas);
                    let bands = self.bands.get(layer).map_or(&[][..], Vec::as_slice);
                    for (slot, (_, band)) in entry.slots.clone().zip(bands) {
                        let (cells, tints) = (&band.cells, band.tints.as_ref());
                        let group = self.group(gpu, renderer, slot, cells, atlas, tints);
                        self.slots[slot].group = Some(group);
                    }
                }
                EntryKind::Objects { .. } | EntryKind::Areas { .. } => {
                    let slot = entry.slots.start;
                    let pixels = &self.sprites.pixels;
                    let group = self.group(gpu, renderer, slot, pixels, None, None);
                    self.slots[slot].group = Some(group);
                }
                EntryKind::Grid { .. } => {}
            }
        }
    }

    /// Sends the colours of grids that are shown for the first time.
    fn bind_grids(&mut self, gpu: &Gpu, renderer: &TilesRenderer, map: &TileMap, shown: &Shown) {
        for number in map.steps.len()..self.entries.len() {
            let entry = &self.entries[number];
            let EntryKind::Grid { grid: index } = entry.kind else {
                continue;
            };
            let grid = map.grids.get(index).filter(|grid| grid.is_shown(shown));
            let Some(grid) = grid.filter(|_| entry.colors.is_none()) else {
                continue;
            };
            // The same rows were found to fit when the map was sent.
            let rows = bands_of(gpu, "numbers of cells", grid.size, 4).unwrap_or_default();
            let colors = map.grid_colors(index);
            let cells = bytemuck::cast_slice(&colors);
            let bands = send_bands(gpu, rows, grid.size[0], cells, None);
            for (slot, (_, band)) in entry.slots.clone().zip(&bands) {
                let group = self.group(gpu, renderer, slot, &band.cells, None, None);
                self.slots[slot].group = Some(group);
            }
            self.entries[number].colors = Some(bands);
        }
    }

    /// Bind group 1 of a slot: it reads cells, the textures and the table of animated tiles of an
    /// atlas, and tints.
    fn group(
        &self,
        gpu: &Gpu,
        renderer: &TilesRenderer,
        slot: usize,
        cells: &wgpu::Buffer,
        atlas: Option<&Atlas>,
        tints: Option<&wgpu::Buffer>,
    ) -> wgpu::BindGroup {
        let atlas = atlas.or(self.atlases.first());
        let values = wgpu::BufferBinding {
            buffer: &self.values,
            offset: slot as u64 * DRAW_STRIDE,
            size: std::num::NonZeroU64::new(size_of::<gpu_data::Draw>() as u64),
        };
        let remap = atlas.map_or(&self.nothing, |atlas| &atlas.remap);
        let pages = atlas.map_or(&renderer.no_pages, |atlas| &atlas.view);
        let resources = [
            wgpu::BindingResource::Buffer(values),
            cells.as_entire_binding(),
            wgpu::BindingResource::TextureView(pages),
            remap.as_entire_binding(),
            tints.unwrap_or(&self.nothing).as_entire_binding(),
        ];
        bind_group(gpu, "tiles", &renderer.draw_layout, resources)
    }

    fn write(&mut self, gpu: &Gpu, number: usize, values: gpu_data::Draw) {
        if let Some(slot) = self.slots.get_mut(number) {
            slot.write(gpu, &self.values, number, values);
        }
    }

    /// Lists the entries that are drawn, from back to front.
    fn arrange(&mut self, map: &TileMap, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        let eye = Eye::of(local);
        self.order.clear();
        for (number, entry) in self.entries.iter().enumerate() {
            if entry.is_shown(map, shown, &self.sprites) {
                let height = entry.height_px(map, shown, number);
                self.order.push((eye.nearness(height), number));
            }
        }
        self.order
            .sort_unstable_by(|(a, i), (b, j)| a.total_cmp(b).then(i.cmp(j)));
    }

    fn list_backdrop(&mut self, gpu: &Gpu, map: &TileMap, map_view: &MapView<'_>) {
        if let Some(values) = map_view.of_backdrop(map) {
            self.write(gpu, BACKDROP, values);
            self.draws.push(Draw {
                pipeline: Pipeline::Backdrop,
                slot: BACKDROP,
                entry: None,
            });
        }
    }

    /// Around the tiles and pixels of which layer there are lines, if there are any.
    fn lined_entry(&self, map: &TileMap, shown: &Shown) -> Option<usize> {
        if lines(shown) == [0.0; 2] {
            return None;
        }
        let layer = map.lined_layer(shown)?;
        self.entries.iter().position(|entry| {
            matches!(entry.kind, EntryKind::Tiles { .. }) && entry.layer == Some(layer)
        })
    }

    fn list_lines(
        &mut self,
        gpu: &Gpu,
        (map, shown, map_view, number): (&TileMap, &Shown, &MapView<'_>, usize),
    ) {
        let Some(entry) = self.entries.get(number) else {
            return;
        };
        let layer = entry.layer.and_then(|layer| map.layers.get(layer));
        let (Some(layer), height) = (layer, entry.height_px(map, shown, number)) else {
            return;
        };
        let Some(atlas) = self.atlases.get(layer.tileset) else {
            return;
        };
        let (mut values, _) = entry.values(map, shown, layer, atlas);
        let rows = Rows {
            drawn: 0..layer.size[1],
            stored: 0..layer.size[1],
        };
        values.lines = lines(shown);
        if map_view.place(&mut values, layer, &rows, height).is_none() {
            return;
        }
        map_view.fade_lines(&mut values);
        self.write(gpu, LINES, values);
        let is_flat = map_view.sampling() != Sampling::InSpace;
        self.draws.push(Draw {
            pipeline: Pipeline::Lines { is_flat },
            slot: LINES,
            entry: None,
        });
    }
}

impl Entry {
    /// Whether it is drawn.
    fn is_shown(&self, map: &TileMap, shown: &Shown, sprites: &Sprites) -> bool {
        let opacity = self.layer.map_or(1.0, |layer| opacity(shown, layer));
        let is_asked_for = match self.kind {
            // The other pass draws it too.
            EntryKind::Tiles {
                pass: Pass::Priority,
                joins: true,
                ..
            } => !shown.flat,
            EntryKind::Tiles { .. } => true,
            EntryKind::Objects { .. } => !sprites.of(self.kind).is_empty(),
            EntryKind::Areas { .. } => shown.overlays.contains(OverlayId::Zones),
            EntryKind::Grid { grid } => {
                map.grids.get(grid).is_some_and(|grid| grid.is_shown(shown))
            }
        };
        is_asked_for && opacity > 0.0
    }

    /// How high above the ground it lies.
    fn height_px(&self, map: &TileMap, shown: &Shown, number: usize) -> f32 {
        match self.kind {
            EntryKind::Tiles { .. } | EntryKind::Objects { .. } => {
                map.step_height_px(number, shown)
            }
            EntryKind::Areas { .. } => map.objects_height(self.layer, shown),
            EntryKind::Grid { grid } => {
                let grid = map.grids.get(grid);
                grid.map_or(0.0, |grid| map.grid_height_px(grid, shown))
            }
        }
    }

    /// What does not depend on where it is seen.
    fn values(
        &self,
        map: &TileMap,
        shown: &Shown,
        layer: &Layer,
        atlas: &Atlas,
    ) -> (gpu_data::Draw, CellsKey) {
        let mut flags = 0;
        let mut outside = Cell::EMPTY;
        let is_grid = matches!(self.kind, EntryKind::Grid { .. });
        let is_hatched = match self.kind {
            EntryKind::Grid { grid } => map.grids.get(grid).is_some_and(Grid::is_hatched),
            _ => false,
        };
        let mut opaque = false;
        if let EntryKind::Tiles {
            skips_zero,
            is_opaque,
            pass,
            joins,
        } = self.kind
        {
            opaque = is_opaque;
            flags |= if skips_zero { gpu_data::SKIPS_ZERO } else { 0 };
            flags |= match pass {
                Pass::All => 0,
                Pass::Normal if joins && shown.flat => 0,
                Pass::Normal => gpu_data::NORMAL_ONLY,
                Pass::Priority => gpu_data::PRIORITY_ONLY,
            };
            outside = layer.outside.unwrap_or(outside);
        }
        let masked = flags != 0 || outside != Cell::EMPTY;
        for (wraps, bit) in layer.wraps.into_iter().zip(gpu_data::WRAPS) {
            flags |= if wraps { bit } else { 0 };
        }
        let highlighted = selected_tile(shown).filter(|_| !is_grid);
        let size = match self.kind {
            EntryKind::Grid { grid } => map.grids.get(grid).map_or(layer.size, |grid| grid.size),
            _ => layer.size,
        };
        let tile = atlas.arrangement.tile_size;
        let values = gpu_data::Draw {
            opacity: match (is_grid, self.layer) {
                (false, Some(layer)) => opacity(shown, layer),
                _ => 1.0,
            },
            size: size.map(|side| side as i32),
            tile: tile.map(|side| side as f32),
            per_tile: tile.map(|side| 1.0 / side as f32),
            per_size: size.map(|side| 1.0 / side.max(1) as f32),
            count: atlas.count,
            last_level: atlas.arrangement.last_level(),
            flags,
            page: atlas.arrangement.bits(),
            outside: outside.0,
            hatch: hatch_px(tile) as f32,
            highlighted: highlighted.map_or(Cell::NOTHING, |(tileset, image)| {
                if tileset == layer.tileset {
                    image
                } else {
                    Cell::NOTHING
                }
            }),
            ..Default::default()
        };
        let key = CellsKey {
            are_colors: is_grid,
            opaque,
            tinted: layer.tints.is_some() && !is_grid,
            remapped: atlas.changes() && !is_grid,
            masked,
            wraps: false,
            highlights: highlighted.is_some(),
            square: tile[0] == tile[1],
            far: false,
            parted: false,
            hatched: is_hatched,
        };
        (values, key)
    }
}

/// How opaque a layer is, from 0 to 1; 0 for one that is hidden.
fn opacity(shown: &Shown, layer: usize) -> f32 {
    let item = TileMapItem::Layer {
        index: layer as u32,
    };
    if shown.hides(item.into()) {
        return 0.0;
    }
    f32::from(shown.opacities.get(item.into()).unwrap_or(u8::MAX)) / 255.0
}

/// How strong lines around tiles and around pixels are.
fn lines(shown: &Shown) -> [f32; 2] {
    let is_on = |id| shown.overlays.contains(id);
    [OverlayId::Grid, OverlayId::PixelGrid].map(|id| f32::from(u8::from(is_on(id))))
}

/// The tileset and the tile that are selected, if a tile is.
fn selected_tile(shown: &Shown) -> Option<(usize, u32)> {
    match shown.selected {
        Some(Item::TileMap(TileMapItem::Tile { tileset, index })) => {
            Some((tileset as usize, index))
        }
        _ => None,
    }
}
