//! Builds the layers of a map one by one, with everything they need.

use std::sync::Arc;

use super::files::{Files, quoted_name};
use super::notes::Notes;
use super::objects;
use super::palette::MapPalette;
use super::tiles::{self, DEFAULT_SIDE, Definitions, checked_size};
use crate::Image;
use crate::core::rules;
use crate::kinds::tilemap::making::Room;
use crate::kinds::tilemap::stored::CellData;
use crate::kinds::tilemap::{
    Cell, Grid, GridKind, Layer, LeftOut, ListPlace, Object, Parallax, Pass, Step, TileMap,
    Tileset, Unread,
};
use mapscope_formats::ppe::sdlang::At;
use mapscope_formats::ppe::xmf::{MapSource, RepeatMode, Xmf, XmfLayer};
use mapscope_formats::ppe::{Corner, Layout, MapData, MapFlags};
use mapscope_formats::{Integers, Place, Problem, Rest, UnreadReason};

/// Maximum bytes of all tile images.
const MAX_IMAGE_BYTES: usize = 192 << 20;
/// Maximum bytes of all sprite images.
const MAX_SPRITE_BYTES: usize = 64 << 20;
/// Maximum number of 32-bit words for the cells of all layers except the first, including
/// attributes.
const MAX_WORDS: usize = 1 << 25;
/// Maximum number of objects on a map.
const MAX_OBJECTS: usize = 1 << 16;
/// Denominator of rounded scroll rates, if no small denominator is exact.
const FINEST_RATE: i32 = 1 << 12;

/// A map under construction.
pub(super) struct Builder {
    /// The colours of the map.
    pub(super) palette: MapPalette,
    /// The problems found so far.
    pub(super) notes: Notes,
    /// Place of problems without a place of their own.
    place: Place,
    room: Room,
    image_bytes_left: usize,
    sprite_bytes_left: usize,
    words_left: usize,
    layers: Vec<Layer>,
    tilesets: Vec<Tileset>,
    grids: Vec<Grid>,
    objects: Vec<Object>,
    images: Vec<Image>,
    left_out: Vec<LeftOut>,
}

impl Builder {
    pub(super) fn new(place: Place, notes: Notes) -> Self {
        Self {
            palette: MapPalette::default(),
            notes,
            place,
            room: Room::new(),
            image_bytes_left: MAX_IMAGE_BYTES,
            sprite_bytes_left: MAX_SPRITE_BYTES,
            words_left: MAX_WORDS,
            layers: Vec::new(),
            tilesets: Vec::new(),
            grids: Vec::new(),
            objects: Vec::new(),
            images: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds all built parts to a map.
    pub(super) fn finish(self, mut map: TileMap, problems: Vec<Problem>) -> TileMap {
        map.about.problems = problems;
        let map = TileMap {
            steps: steps(&self.layers, &self.objects),
            layers: self.layers,
            tilesets: self.tilesets,
            grids: self.grids,
            objects: self.objects,
            images: self.images,
            left_out: self.left_out,
            ..map
        };
        map.finished()
    }

    /// Records that further layers were not read.
    pub(super) fn mark_layers_unread(&mut self) {
        let layers = LeftOut::of_list(Unread::Layers, self.layers.len(), Rest::Unknown);
        self.left_out.extend(layers);
    }

    /// Adds the cells of a map without a container.
    pub(super) fn add_bare_layer(&mut self, name: &str, map: &MapData) {
        let layer = Layer {
            name: name.to_owned(),
            ..Layer::default()
        };
        let definitions = Definitions::default();
        self.add_cells(
            layer,
            map,
            &definitions,
            [DEFAULT_SIDE; 2],
            self.place,
            false,
        );
    }

    /// Keeps the cells of the last layer as its file has them.
    pub(super) fn keep_cells(&mut self, map: Arc<MapData>) {
        if let Some(layer) = self.layers.last_mut() {
            layer.stored = CellData::Map(map).into();
        }
    }

    /// Adds a layer of a container with its objects.
    pub(super) fn add_layer(&mut self, xmf: &Xmf, index: usize, files: &mut Files<'_>) {
        let Some(layer) = xmf.layers.get(index) else {
            return;
        };
        self.notes.enter(index);
        if layer.kind.has_tiles() {
            let map = self.map_of(xmf, layer, files);
            let none = || {
                // A layer that names no cells has not lost any.
                let not_read = match &layer.map {
                    Some(_) => Some(UnreadReason::NoFile),
                    None => layer.is_cut.then_some(UnreadReason::FileEnds),
                };
                Arc::new(MapData {
                    flags: MapFlags(MapFlags::NEW_LAYOUT),
                    size: layer.size,
                    not_read,
                    ..MapData::default()
                })
            };
            self.add_tile_layer(xmf, index, &map.clone().unwrap_or_else(none), files);
            if let Some(map) = map {
                self.keep_cells(map);
            }
        } else {
            let empty = Layer {
                name: layer.name.clone(),
                parallax: parallax(layer),
                ..Layer::default()
            };
            self.add_empty_layer(empty, [DEFAULT_SIDE; 2]);
        }
        let number = self.layers.len() - 1;
        if let Some(shown) = self.layers.last_mut() {
            shown.stored.is_elsewhere = match layer.map {
                Some(MapSource::Embedded { .. }) => false,
                Some(_) => true,
                // They may be in the unread part of the file.
                None => !layer.is_cut,
            };
        }
        if layer.is_cut {
            let objects = LeftOut::of_list(Unread::Objects, layer.objects.len(), Rest::Unknown);
            self.left_out
                .extend(objects.map(|list| list.of_layer(number)));
        }
        let room = MAX_OBJECTS.saturating_sub(self.objects.len());
        if layer.objects.len() > room {
            let message = format!("more than {MAX_OBJECTS} objects; the rest is left out");
            self.notes.add(&rules::LAYER_LIMIT, layer.at, message);
        }
        let found = objects::of_layer(
            layer,
            number,
            &self.palette,
            files,
            self.images.len(),
            &mut self.sprite_bytes_left,
            room,
        );
        self.objects.extend(found.objects);
        self.images.extend(found.images);
        for (at, (rule, message)) in found.notes {
            self.notes.add(rule, at, message);
        }
    }

    /// Adds a layer of a container with these cells.
    pub(super) fn add_tile_layer(
        &mut self,
        xmf: &Xmf,
        index: usize,
        map: &MapData,
        files: &mut Files<'_>,
    ) {
        let Some(layer) = xmf.layers.get(index) else {
            return;
        };
        let tile_size = checked_size(layer.tile_size, layer.at, &mut self.notes);
        let definitions = Definitions::load(xmf, layer, tile_size, files, &mut self.notes);
        let shown = Layer {
            name: layer.name.clone(),
            parallax: parallax(layer),
            wraps: [layer.repeat == RepeatMode::On; 2],
            ..Layer::default()
        };
        let is_endless = layer.repeat == RepeatMode::SingleTile;
        let place = layer.at.into();
        self.add_cells(shown, map, &definitions, tile_size, place, is_endless);
    }

    /// Adds a layer without cells, whose tiles would have this size.
    fn add_empty_layer(&mut self, layer: Layer, tile_size: [u32; 2]) {
        self.layers.push(Layer {
            tileset: self.tilesets.len(),
            ..layer
        });
        // No cell uses it, but every layer has a tileset.
        self.tilesets.push(Tileset {
            name: "no tiles".to_owned(),
            tile_size,
            ..Tileset::default()
        });
    }

    /// Reserves memory for the cells of a layer and the images of its tiles. The first layer's
    /// cells always fit.
    fn take_room(&mut self, map: &MapData, tile_size: [u32; 2]) -> Result<(), String> {
        let tile_bytes = tile_size[0] as usize * tile_size[1] as usize * 4;
        if self.image_bytes_left < 2 * tile_bytes {
            return Err(
                "too many pixels in the tiles of all layers; this one is left out".to_owned(),
            );
        }
        let graphics = map
            .graphics
            .as_ref()
            .map_or(0, |graphics| 4 * graphics.len());
        let logic = map.logic.as_ref();
        let logic = logic.map_or(0, |logic| logic.len() * logic.bits() as usize / 32);
        let words = map.cells.len() + graphics + logic;
        if self.layers.is_empty() {
            return Ok(());
        }
        let left = self.words_left.checked_sub(words);
        self.words_left =
            left.ok_or_else(|| "too many cells in all layers; this one is left out".to_owned())?;
        Ok(())
    }

    fn add_cells(
        &mut self,
        layer: Layer,
        map: &MapData,
        definitions: &Definitions,
        tile_size: [u32; 2],
        place: Place,
        is_endless: bool,
    ) {
        if let Err(message) = self.take_room(map, tile_size) {
            self.notes.add(&rules::LAYER_LIMIT, place, message);
            let number = Some(self.layers.len());
            let lost = LeftOut::of_cells(
                Unread::Tiles(map.size),
                number,
                0,
                Some(UnreadReason::TooLarge),
            );
            self.left_out.extend(lost);
            self.add_empty_layer(layer, tile_size);
            return;
        }
        let made = tiles::build(
            map,
            definitions,
            &self.palette,
            tile_size,
            self.image_bytes_left,
            place,
            &mut self.notes,
        );
        self.image_bytes_left -= made.tileset.rgba.len().min(self.image_bytes_left);
        self.left_out.extend(left_out(map, self.layers.len()));
        let mut cells = made.cells;
        let size = self.room.fill(&mut cells, map.size, Cell::EMPTY);
        let number = self.layers.len();
        self.layers.push(Layer {
            tileset: self.tilesets.len(),
            size,
            tints: tints(map, cells.len()),
            cells,
            outside: is_endless.then_some(made.zero),
            has_priority: made.has_priority,
            ..layer
        });
        self.tilesets.push(made.tileset);
        if let Some(logic) = map.logic.as_ref().filter(|logic| !logic.is_empty()) {
            let (size, values) = self.logic(logic, size);
            self.grids.push(Grid {
                kind: GridKind::Logic,
                layer: Some(number),
                size,
                values,
                place: map.logic_offset(0).map_or(ListPlace::Packed, ListPlace::At),
            });
        }
    }

    /// Logic values for a layer of this size, and the size that they cover.
    fn logic(&mut self, logic: &Integers, size: [u32; 2]) -> ([u32; 2], Integers) {
        let mut values = logic.clone();
        let size = match &mut values {
            Integers::U8(list) => self.room.reach(list, size),
            Integers::U16(list) => self.room.reach(list, size),
            Integers::U32(list) => self.room.reach(list, size),
            Integers::U64(list) => self.room.reach(list, size),
        };
        (size, values)
    }

    /// The cells of a layer from any source.
    fn map_of(
        &mut self,
        xmf: &Xmf,
        layer: &XmfLayer,
        files: &mut Files<'_>,
    ) -> Option<Arc<MapData>> {
        let mut source = layer.map.as_ref();
        if let Some(MapSource::Shared {
            layer: priority,
            at,
        }) = source
        {
            let mut others = xmf
                .layers
                .iter()
                .filter(|other| other.priority == *priority);
            source = others.find_map(|other| other.map.as_ref());
            if matches!(source, None | Some(MapSource::Shared { .. })) {
                let message = format!("no cells to share in a layer of priority {priority}");
                self.notes.add(&rules::SHARED_CELLS, *at, message);
                return None;
            }
        }
        match source? {
            MapSource::File { path, at } => match files.map(path) {
                Ok(map) => {
                    self.note_problems(&map, &quoted_name(path), *at);
                    if map.size != layer.size && !layer.size.contains(&0) {
                        let [[w, h], [x, y]] = [map.size, layer.size];
                        let message = format!(
                            "the layer has {x} x {y} cells, but its map data {w} x {h}; the map \
                             data is shown"
                        );
                        self.notes.add(&rules::LAYER_SIZE, layer.at, message);
                    }
                    Some(map)
                }
                Err((rule, error)) => {
                    self.notes.add(rule, *at, format!("map {error}"));
                    None
                }
            },
            MapSource::Embedded { cells, .. } => {
                let mut map = MapData {
                    flags: MapFlags(match files.dialect(xmf).cells {
                        Layout::New => MapFlags::NEW_LAYOUT,
                        Layout::Old => 0,
                    }),
                    size: layer.size,
                    cells: cells.clone(),
                    ..MapData::default()
                };
                map.not_read = (cells.len() < map.cell_count()).then_some(UnreadReason::Missing);
                Some(Arc::new(map))
            }
            MapSource::Shared { .. } => None,
        }
    }

    /// Lists the problems of a map file at the place where a container names it.
    fn note_problems(&mut self, map: &MapData, name: &str, at: At) {
        for problem in &map.problems {
            let message = format!("{name} at {}: {}", problem.place, problem.message);
            self.notes.add(problem.rule, at, message);
        }
    }
}

/// The unread parts of a layer's cells.
fn left_out(map: &MapData, layer: usize) -> impl Iterator<Item = LeftOut> {
    let lost = |what, read| LeftOut::of_cells(what, Some(layer), read, map.not_read);
    let graphics = map.graphics.as_ref();
    let logic = map.logic.as_ref();
    let all = [
        lost(Unread::Tiles(map.size), map.cells.len()),
        graphics.and_then(|list| lost(Unread::Attributes(map.size), list.len())),
        logic.and_then(|list| lost(Unread::Grid(GridKind::Logic, map.size), list.len())),
    ];
    all.into_iter().flatten()
}

/// The drawing order of layers. Cells with priority are above sprites (document, "Layout (new)"),
/// so they are drawn after the sprite layers that follow their own layer.
fn steps(layers: &[Layer], objects: &[Object]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut above = None;
    for (layer, of) in layers.iter().enumerate() {
        let step = |pass| Step::tiles(layer, pass);
        if !of.cells.is_empty() {
            steps.extend(above.take());
        }
        if of.has_priority {
            steps.push(step(Pass::Normal));
            above = Some(step(Pass::Priority));
        } else {
            steps.push(step(Pass::All));
        }
        if objects.iter().any(|object| object.layer == Some(layer)) {
            steps.push(Step::Objects { layer: Some(layer) });
        }
    }
    steps.extend(above);
    steps
}

/// The tints of cell corners. `None` if nothing is tinted, or if most tints are missing, since
/// filling them would take memory based on an unverified header.
fn tints(map: &MapData, cells: usize) -> Option<Vec<[[u8; 4]; 4]>> {
    let graphics = map.graphics.as_ref()?;
    let neutral = Corner::NEUTRAL.rgba;
    let is_tinted = |corners: &[Corner; 4]| corners.iter().any(|corner| corner.rgba != neutral);
    if graphics.len() < cells / 4 || !graphics.iter().any(is_tinted) {
        return None;
    }
    let mut tints: Vec<_> = graphics
        .iter()
        .map(|corners| corners.map(|corner| corner.rgba))
        .take(cells)
        .collect();
    tints.resize(cells, [neutral; 4]);
    Some(tints)
}

/// The scroll rate of a layer as a ratio of integers.
fn parallax(layer: &XmfLayer) -> Parallax {
    let mut parallax = Parallax::default();
    for (axis, rate) in layer.scroll_rate.into_iter().enumerate() {
        let rate = rate.unwrap_or(1.0).clamp(-1e4, 1e4);
        let is_exact = |div: &i32| {
            let whole = rate * f64::from(*div);
            (whole - whole.round()).abs() < 1e-9
        };
        let div = (1..=1000).find(is_exact).unwrap_or(FINEST_RATE);
        parallax.div[axis] = div;
        parallax.mul[axis] = (rate * f64::from(div)).round() as i32;
    }
    parallax
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::ObjectKind;

    #[test]
    fn priority_is_above_the_sprites_that_follow() {
        let tiles = |has_priority| Layer {
            cells: vec![Cell::EMPTY],
            has_priority,
            ..Layer::default()
        };
        let layers = [tiles(true), Layer::default(), tiles(false), tiles(true)];
        let sprite = Object::new(ObjectKind::Sprite, "", Some(1));
        let step = Step::tiles;
        let expected = [
            step(0, Pass::Normal),
            step(1, Pass::All),
            Step::Objects { layer: Some(1) },
            step(0, Pass::Priority),
            step(2, Pass::All),
            step(3, Pass::Normal),
            step(3, Pass::Priority),
        ];
        assert_eq!(steps(&layers, &[sprite]), expected);
    }

    #[test]
    fn rates_are_ratios() {
        let rate = |rate| {
            let layer = XmfLayer {
                scroll_rate: [rate, None],
                ..XmfLayer::default()
            };
            let Parallax { mul, div } = parallax(&layer);
            assert_eq!((mul[1], div[1]), (1, 1));
            (mul[0], div[0])
        };
        assert_eq!(rate(None), (1, 1));
        assert_eq!(rate(Some(0.5)), (1, 2));
        assert_eq!(rate(Some(0.325)), (13, 40));
        assert_eq!(rate(Some(-2.0)), (-2, 1));
        assert_eq!(rate(Some(0.0)), (0, 1));
        assert_eq!(rate(Some(std::f64::consts::PI)), (12868, 4096));
        assert_eq!(rate(Some(1e300)), (10_000, 1));
    }
}
