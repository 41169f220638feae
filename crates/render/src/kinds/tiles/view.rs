//! 2D maps in a view: drawn entries and their uniforms.

use std::borrow::Cow;

use super::atlas::Remap;
use super::cells::Rows;
use super::entries::{EntryKind, lines};
use super::overview::{Overview, Sources};
use super::pipelines::{CellsKey, Pipeline, Sampling};
use super::place::{Eye, MapView};
use super::{TilesData, TilesRenderer, gpu_data};
use crate::frame::{Background, ContentView, LocalView};
use crate::gpu::{Gpu, bind_group, buffer};
use mapscope_scene::Shown;
use mapscope_scene::tilemap::TileMap;

/// Bytes between the uniforms of two draws: an alignment that every device allows.
const DRAW_STRIDE: u64 = 256;

/// Share of a tile that a pixel of the frame must cover before averages of tiles are drawn.
const FAR_SHARE: f32 = 0.7;

/// The slots of the backdrop and of lines, and the first one of entries.
const BACKDROP: usize = 0;
const LINES: usize = 1;
pub(super) const FIRST_SLOT: usize = 2;

/// A 2D map in a view.
#[derive(Debug)]
pub(crate) struct TilesView {
    /// The animated tiles of each tileset.
    remaps: Vec<Remap>,
    /// The averages of entries that were far away.
    overviews: Vec<Option<Overview>>,
    /// Uniforms of draws: of the backdrop, of lines, and of entries.
    slots: Vec<Slot>,
    values: wgpu::Buffer,
    /// Heights and numbers of the drawn entries, from far to near.
    order: Vec<(f32, usize)>,
    /// The draws of the next frame.
    pub(super) draws: Vec<Draw>,
}

/// The uniforms of a draw.
#[derive(Debug, Clone)]
struct Slot {
    /// Bind group 1; `None` until there is anything to draw.
    group: Option<wgpu::BindGroup>,
    /// The uniforms in the buffer.
    written: Option<gpu_data::Draw>,
}

/// A draw call.
#[derive(Debug)]
pub(super) struct Draw {
    pub(super) pipeline: Pipeline,
    pub(super) slot: usize,
    /// The number of the entry, if it draws one.
    pub(super) entry: Option<usize>,
}

impl ContentView for TilesView {
    fn gpu_bytes(&self) -> u64 {
        let overviews = self.overviews.iter().flatten().map(Overview::bytes);
        let remaps = self.remaps.iter().map(|remap| remap.buffer.size());
        self.values.size() + overviews.sum::<u64>() + remaps.sum::<u64>()
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

impl TilesView {
    pub(super) fn new(
        gpu: &Gpu,
        renderer: &TilesRenderer,
        data: &TilesData,
        map: &TileMap,
    ) -> Self {
        let size = data.slots as u64 * DRAW_STRIDE;
        let empty = Slot {
            group: None,
            written: None,
        };
        let remaps = map.tilesets.iter().map(|tileset| Remap::new(gpu, tileset));
        let mut view = Self {
            remaps: remaps.collect(),
            overviews: data.entries.iter().map(|_| None).collect(),
            slots: vec![empty; data.slots],
            values: buffer(gpu, "draws of tiles", size, wgpu::BufferUsages::UNIFORM),
            order: Vec::new(),
            draws: Vec::new(),
        };
        view.bind_entries(gpu, renderer, data, map);
        view
    }

    /// Bind group 1 of a slot.
    pub(super) fn group(&self, slot: usize) -> Option<&wgpu::BindGroup> {
        self.slots.get(slot)?.group.as_ref()
    }

    /// The averages of an entry, if it was far away.
    pub(super) fn overview(&self, entry: usize) -> Option<&Overview> {
        self.overviews.get(entry)?.as_ref()
    }

    /// Prepares the next frame.
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        renderer: &mut TilesRenderer,
        (data, map): (&TilesData, &TileMap),
        local: &LocalView<'_>,
    ) {
        let shown = &local.view.shown;
        let ticks = map.ticks(local.playhead);
        for (remap, tileset) in self.remaps.iter_mut().zip(&map.tilesets) {
            remap.set_ticks(gpu, tileset, ticks);
        }
        let map_view = MapView::of(local);
        self.bind_grids(gpu, renderer, data);
        self.draws.clear();
        self.list_backdrop(gpu, map, &map_view);
        self.arrange(data, map, local);
        let lined = lined_entry(data, map, shown);
        for at in 0..self.order.len() {
            let number = self.order[at].1;
            self.list_entry(gpu, renderer, data, (map, shown, &map_view, number));
            if lined == Some(number) && map_view.sampling() == Sampling::InSpace {
                self.list_lines(gpu, data, (map, shown, &map_view, number));
            }
        }
        // In a flat view they are drawn over all layers.
        if let Some(number) = lined.filter(|_| map_view.sampling() != Sampling::InSpace) {
            self.list_lines(gpu, data, (map, shown, &map_view, number));
        }
    }

    /// Lists the draws of an entry.
    fn list_entry(
        &mut self,
        gpu: &Gpu,
        renderer: &mut TilesRenderer,
        data: &TilesData,
        (map, shown, map_view, number): (&TileMap, &Shown, &MapView<'_>, usize),
    ) {
        let Some(entry) = data.entries.get(number) else {
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
            self.write(gpu, slot, values);
            self.draws.push(Draw {
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
        let atlas = data.atlases.get(layer.tileset);
        let Some((atlas, remap)) = atlas.zip(self.remaps.get(layer.tileset)) else {
            return;
        };
        let of_layer = || data.bands.get(entry.layer?);
        let Some(bands) = entry.colors.as_ref().or_else(of_layer) else {
            return;
        };
        let version = remap.version;
        let (mut values, mut key) = entry.values(map, shown, layer, (atlas, remap.is_animated()));
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
            self.write(gpu, slot, values);
            self.draws.push(Draw {
                pipeline: Pipeline::Backdrop,
                slot,
                entry: Some(number),
            });
        }
        if map_view.sampling() != Sampling::InSpace {
            let wraps = map_view.wraps(layer);
            key.wraps = wraps[0] || wraps[1];
            key.is_split = bands.len() > 1 && (wraps[1] || map_view.is_around(layer));
        }
        key.far = is_far && map_view.sampling() != Sampling::Exact;
        // The draws listed above get their pipeline.
        let of_entry = self.draws.iter_mut().rev();
        for draw in of_entry.take_while(|draw| draw.entry == Some(number)) {
            draw.pipeline = Pipeline::Layer(map_view.sampling(), key);
        }
        if needs_levels {
            renderer.pipelines.create(gpu, Pipeline::PageLevel, false);
            atlas.make_levels(gpu, renderer);
        }
        if key.far
            && let Some(overview) = self.overviews.get_mut(number)
        {
            let size = values.size.map(|side| side as u32);
            let plain = CellsKey {
                wraps: false,
                far: false,
                is_split: false,
                hatched: false,
                ..key
            };
            let pipelines = &mut renderer.pipelines;
            pipelines.create(gpu, Pipeline::Overview(plain), false);
            pipelines.create(gpu, Pipeline::OverviewLevel, false);
            let overview = overview.get_or_insert_with(|| Overview::new(gpu, renderer, size));
            let sources = Sources {
                cells: plain,
                highlighted: values.highlighted,
                version,
            };
            let slots = self.slots.get(entry.slots.clone()).unwrap_or_default();
            let parts = slots
                .iter()
                .zip(bands)
                .filter_map(|(slot, (rows, _))| Some((slot.group.as_ref()?, rows)));
            overview.make(gpu, renderer, sources, size[1], parts);
        }
    }

    /// Creates the bind groups of everything but grids.
    fn bind_entries(
        &mut self,
        gpu: &Gpu,
        renderer: &TilesRenderer,
        data: &TilesData,
        map: &TileMap,
    ) {
        for slot in [BACKDROP, LINES] {
            self.bind(gpu, renderer, data, slot, (&data.nothing, None), 0);
        }
        for entry in &data.entries {
            match entry.kind {
                EntryKind::Tiles { .. } => {
                    let layer = entry.layer.unwrap_or_default();
                    let tileset = map.layers.get(layer).map_or(0, |layer| layer.tileset);
                    let bands = data.bands.get(layer).map_or(&[][..], Vec::as_slice);
                    for (slot, (_, band)) in entry.slots.clone().zip(bands) {
                        let cells = (&band.cells, band.tints.as_ref());
                        self.bind(gpu, renderer, data, slot, cells, tileset);
                    }
                }
                EntryKind::Objects { .. } | EntryKind::Areas { .. } => {
                    let pixels = (&data.sprites.pixels, None);
                    self.bind(gpu, renderer, data, entry.slots.start, pixels, 0);
                }
                EntryKind::Grid { .. } => {}
            }
        }
    }

    /// Creates the bind groups of grids whose colours were uploaded.
    fn bind_grids(&mut self, gpu: &Gpu, renderer: &TilesRenderer, data: &TilesData) {
        for entry in &data.entries {
            let bands = entry.colors.iter().flatten();
            for (slot, (_, band)) in entry.slots.clone().zip(bands) {
                if self.group(slot).is_none() {
                    self.bind(gpu, renderer, data, slot, (&band.cells, None), 0);
                }
            }
        }
    }

    /// Creates bind group 1 of a slot from its uniforms, cells and tints, and a tileset (the first
    /// one if that does not exist).
    fn bind(
        &mut self,
        gpu: &Gpu,
        renderer: &TilesRenderer,
        data: &TilesData,
        slot: usize,
        (cells, tints): (&wgpu::Buffer, Option<&wgpu::Buffer>),
        tileset: usize,
    ) {
        let atlas = data.atlases.get(tileset).or(data.atlases.first());
        let remap = self.remaps.get(tileset).or(self.remaps.first());
        let values = wgpu::BufferBinding {
            buffer: &self.values,
            offset: slot as u64 * DRAW_STRIDE,
            size: std::num::NonZeroU64::new(size_of::<gpu_data::Draw>() as u64),
        };
        let remap = remap.map_or(&data.nothing, |remap| &remap.buffer);
        let pages = atlas.map_or(&renderer.no_pages, |atlas| &atlas.view);
        let resources = [
            wgpu::BindingResource::Buffer(values),
            cells.as_entire_binding(),
            wgpu::BindingResource::TextureView(pages),
            remap.as_entire_binding(),
            tints.unwrap_or(&data.nothing).as_entire_binding(),
        ];
        let group = bind_group(gpu, "tiles", &renderer.draw_layout, resources);
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.group = Some(group);
        }
    }

    /// Writes the uniforms of a draw if they have changed.
    fn write(&mut self, gpu: &Gpu, number: usize, values: gpu_data::Draw) {
        if let Some(slot) = self.slots.get_mut(number)
            && slot.written != Some(values)
        {
            let at = number as u64 * DRAW_STRIDE;
            gpu.queue
                .write_buffer(&self.values, at, bytemuck::bytes_of(&values));
            slot.written = Some(values);
        }
    }

    /// Lists the entries that are drawn, from back to front.
    fn arrange(&mut self, data: &TilesData, map: &TileMap, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        let eye = Eye::of(local);
        self.order.clear();
        for (number, entry) in data.entries.iter().enumerate() {
            if entry.is_shown(map, shown, &data.sprites) {
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

    fn list_lines(
        &mut self,
        gpu: &Gpu,
        data: &TilesData,
        (map, shown, map_view, number): (&TileMap, &Shown, &MapView<'_>, usize),
    ) {
        let Some(entry) = data.entries.get(number) else {
            return;
        };
        let layer = entry.layer.and_then(|layer| map.layers.get(layer));
        let (Some(layer), height) = (layer, entry.height_px(map, shown, number)) else {
            return;
        };
        let Some(atlas) = data.atlases.get(layer.tileset) else {
            return;
        };
        let (mut values, _) = entry.values(map, shown, layer, (atlas, false));
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

/// The number of the entry with lines around its tiles and pixels, if any.
fn lined_entry(data: &TilesData, map: &TileMap, shown: &Shown) -> Option<usize> {
    if lines(shown) == [0.0; 2] {
        return None;
    }
    let layer = map.lined_layer(shown)?;
    data.entries.iter().position(|entry| {
        matches!(entry.kind, EntryKind::Tiles { .. }) && entry.layer == Some(layer)
    })
}
