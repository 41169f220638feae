//! Layers of a map in drawing order, and the map that they form.

use std::collections::{BTreeSet, HashMap};

use super::cells::{Cells, Of};
use super::model::{Content, Layer, Map, Property, Tileset};
use super::objects::ByLayer;
use super::properties::Properties;
use super::tilesets::Files;
use crate::ExportError;
use mapscope_scene::tilemap::{self, Cell, Grid, GridKind, Pass, Step, TileMap};
use mapscope_scene::{FactGroup, OwnLine, TileMapItem};

/// Maximum number of cells of all layers together, including generated layers.
const MAX_CELLS: u64 = 1 << 28;
/// Minimum size of a cell in a file in bytes: a digit and a comma.
const CELL_BYTES: u64 = 2;
/// Maximum number of different values of a grid to show as tiles.
const MAX_VALUES: usize = 4096;
/// Opacity of a grid layer over the map.
const GRID_OPACITY: f64 = 0.6;
/// Cell size of a map without tiles, in pixels.
const DEFAULT_SIDE: u32 = 16;

/// Properties of the cells of a layer.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// All bits of the cells combined.
    bits: u32,
    has_missing: bool,
}

/// A map under construction.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    pub(super) map: &'a TileMap,
    pub(super) files: Files,
    pub(super) losses: Vec<String>,
    pub(super) tilesets: Vec<Tileset>,
    pub(super) next_gid: u32,
    /// First global tile id of each tileset that was added, and of its opaque variant.
    pub(super) gids: HashMap<(usize, bool), u32>,
    /// The tile of each image of the map, if it has one.
    pub(super) images: Vec<Option<u32>>,
    /// One entry per layer.
    seen: Vec<Seen>,
    tile_size: [u32; 2],
}

impl<'a> Builder<'a> {
    pub(super) fn new(map: &'a TileMap, stem: &str) -> Self {
        let seen = map.layers.iter().map(|layer| {
            let missing = map
                .tilesets
                .get(layer.tileset)
                .and_then(|tileset| tileset.missing);
            let mut seen = Seen::default();
            for cell in &layer.cells {
                seen.bits |= cell.0;
                seen.has_missing |= missing.is_some() && cell.image() == missing;
            }
            seen
        });
        Self {
            map,
            files: Files::new(stem),
            losses: Vec::new(),
            tilesets: Vec::new(),
            next_gid: 1,
            gids: HashMap::new(),
            images: Vec::new(),
            seen: seen.collect(),
            tile_size: [DEFAULT_SIDE; 2],
        }
    }

    /// Reports something that Tiled cannot represent, once.
    pub(super) fn lose(&mut self, what: String) {
        if !self.losses.contains(&what) {
            self.losses.push(what);
        }
    }

    /// `true` if a cell shows the image for tiles that are missing in a tileset.
    pub(super) fn shows_missing(&self, tileset: usize) -> bool {
        let mut layers = self.map.layers.iter().zip(&self.seen);
        layers.any(|(layer, seen)| layer.tileset == tileset && seen.has_missing)
    }

    /// Tile size of a layer; `None` if it has no tiles.
    fn tile_size_of(&self, layer: &tilemap::Layer) -> Option<[u32; 2]> {
        let tileset = self.map.tilesets.get(layer.tileset)?;
        let has_tiles = !layer.size.contains(&0) && !layer.cells.is_empty();
        (has_tiles && !tileset.tile_size.contains(&0)).then_some(tileset.tile_size)
    }

    pub(super) fn layer_name(&self, index: usize) -> String {
        let name = self.map.layers.get(index).map_or("", |layer| &*layer.name);
        if name.is_empty() {
            return format!("Layer {index}");
        }
        name.to_owned()
    }

    /// Builds the map.
    ///
    /// # Errors
    /// If its layers have too many cells together.
    pub(super) fn map(&mut self) -> Result<Map<'a>, ExportError> {
        let map = self.map;
        let sizes: Vec<[u32; 2]> = map
            .layers
            .iter()
            .filter_map(|layer| self.tile_size_of(layer))
            .collect();
        let common = sizes
            .iter()
            .copied()
            .reduce(|all, next| [0, 1].map(|axis| gcd(all[axis], next[axis])));
        self.tile_size = common.unwrap_or([DEFAULT_SIDE; 2]);
        if sizes.iter().any(|size| *size != self.tile_size) {
            let [width, height] = self.tile_size;
            let loss = format!(
                "All cells in Tiled have one size, {width} x {height} pixels; tiles of other sizes cover several cells."
            );
            self.lose(loss);
        }
        let size = self.size_in_cells()?;
        self.images = self.gids_of_images();
        let mut by_layer = ByLayer::new();
        for (index, object) in map.objects.iter().enumerate() {
            by_layer.entry(object.layer).or_default().push(index);
        }
        let mut layers = self.layers_not_drawn(size);
        for step in &map.steps {
            match *step {
                Step::Layer { layer, .. } => layers.extend(self.layer(layer, *step, true, size)),
                // Objects that the game draws twice are written once; they look the same.
                Step::Objects { layer } => {
                    let indices = by_layer.remove(&layer).unwrap_or_default();
                    layers.extend(self.groups(layer, &indices, true));
                }
            }
        }
        for (layer, indices) in by_layer {
            layers.extend(self.groups(layer, &indices, false));
        }
        layers.extend(self.grids());
        self.report_map_losses();
        let mut properties = Properties::default();
        properties.add(Property::text("Format", map.about.format.name));
        properties.add_facts(map.facts_of(TileMapItem::Map.into()));
        Ok(Map {
            size,
            tile_size: self.tile_size,
            properties: properties.finish(),
            tilesets: std::mem::take(&mut self.tilesets),
            layers,
            next_object: map.objects.len() as u32 + 1,
        })
    }

    /// The size of a layer's tile in cells of the map.
    fn span(&self, tile_size: [u32; 2]) -> [u32; 2] {
        [0, 1].map(|axis| (tile_size[axis] / self.tile_size[axis].max(1)).max(1))
    }

    /// Columns and rows of the largest layer, in cells of the map.
    fn size_in_cells(&self) -> Result<[u32; 2], ExportError> {
        let map = self.map;
        let mut size = [1_u64; 2];
        let mut grow = |of: [u32; 2], span: [u32; 2]| {
            for (axis, size) in size.iter_mut().enumerate() {
                *size = (*size).max(u64::from(of[axis]) * u64::from(span[axis]));
            }
        };
        for layer in &map.layers {
            if let Some(tile_size) = self.tile_size_of(layer) {
                grow(layer.size, self.span(tile_size));
            }
        }
        for grid in &map.grids {
            if let Some(tile_size) = self.tile_size_of_grid(grid) {
                grow(grid.size, self.span(tile_size));
            }
        }
        let layers = map.steps.len() + map.layers.len() + map.grids.len();
        let cells = size[0]
            .saturating_mul(size[1])
            .saturating_mul(layers as u64);
        if cells > MAX_CELLS {
            return Err(ExportError::TooLarge {
                what: "the cells of all layers at the size of the largest",
                bytes: cells.saturating_mul(CELL_BYTES),
                kind: "Tiled map",
                max: MAX_CELLS * CELL_BYTES,
            });
        }
        Ok(size.map(|side| side as u32))
    }

    /// The layers that the game does not draw; they are hidden and below all others.
    fn layers_not_drawn(&mut self, size: [u32; 2]) -> Vec<Layer<'a>> {
        let map = self.map;
        let drawn = map.steps.iter().filter_map(|step| match step {
            Step::Layer { layer, .. } => Some(*layer),
            Step::Objects { .. } => None,
        });
        let drawn: BTreeSet<usize> = drawn.collect();
        let hidden = (0..map.layers.len()).filter(|layer| !drawn.contains(layer));
        let hidden = hidden
            .filter_map(|layer| self.layer(layer, Step::tiles(layer, Pass::All), false, size));
        hidden.collect()
    }

    /// The layer of tiles that a step draws.
    fn layer(
        &mut self,
        index: usize,
        step: Step,
        is_visible: bool,
        size: [u32; 2],
    ) -> Option<Layer<'a>> {
        let layer = self.map.layers.get(index)?;
        let tile_size = self.tile_size_of(layer)?;
        let Step::Layer {
            skips_zero,
            is_opaque,
            pass,
            ..
        } = step
        else {
            return None;
        };
        let name = self.layer_name(index);
        self.report_layer_losses(index, layer, tile_size, &name);
        let span = self.span(tile_size);
        let mut properties = Properties::default();
        if [0, 1].map(|axis| layer.size[axis] * span[axis]) != size {
            properties.add(Property::number("columns", layer.size[0]));
            properties.add(Property::number("rows", layer.size[1]));
        }
        properties.add_facts(self.map.facts_of(TileMap::layer_item(index)));
        let first_gid = self.gid_of(layer.tileset, is_opaque);
        Some(Layer {
            name: match pass {
                Pass::All | Pass::Normal => name,
                Pass::Priority => format!("{name} (priority)"),
            },
            is_visible,
            opacity: 1.0,
            offset: layer.position_px.map(f64::from),
            parallax: parallax(layer),
            properties: properties.finish(),
            content: Content::Tiles(Cells {
                of: Of::Layer {
                    layer,
                    pass,
                    skips_zero,
                },
                first_gid,
                span,
            }),
        })
    }

    /// Reports losses of a layer.
    fn report_layer_losses(
        &mut self,
        index: usize,
        layer: &tilemap::Layer,
        [w, h]: [u32; 2],
        name: &str,
    ) {
        let seen = self.seen.get(index).copied().unwrap_or_default();
        if layer.tints.is_some() {
            self.lose(format!("The cells of {name} lose their tints."));
        }
        let [palettes, priorities] = self.lost_fields(layer);
        if palettes {
            self.lose(format!(
                "The palettes of cells of {name} are left out: its tiles have their own colours."
            ));
        }
        if priorities {
            self.lose(format!("The priority values of cells of {name} are left out: only whether they have a priority is kept."));
        }
        if seen.bits & Cell::SWAP_AXES != 0 && w != h {
            self.lose(format!(
                "{name} has tiles turned by 90° that are not square: the game stretches them, but Tiled does not."
            ));
        }
        if seen.has_missing {
            self.lose(format!(
                "{name} has tile numbers that its tileset does not have: they become a crossed-out tile."
            ));
        }
        if layer.wraps.contains(&true) || layer.outside.is_some() {
            self.lose(format!(
                "{name} repeats beyond its edges, but Tiled shows it once."
            ));
        }
        if parallax(layer) != [1.0; 2] {
            let loss = "Parallax is relative to the centre of the view in Tiled, and to its top left corner in the game.";
            self.lose(loss.to_owned());
        }
    }

    /// Two flags for cells that show a tile: the cell has another palette than the tile is shown
    /// in, and its priority is more than a flag.
    fn lost_fields(&self, layer: &tilemap::Layer) -> [bool; 2] {
        let tileset = self.map.tilesets.get(layer.tileset);
        let mut lost = [false; 2];
        for (at, cell) in layer.cells.iter().enumerate() {
            let Some(image) = cell.image() else {
                continue;
            };
            let Some([palette, priority]) = layer.stored.palette_and_priority(at) else {
                continue;
            };
            let tile = tileset.and_then(|tileset| tileset.tiles.get(image));
            let shown = tile.and_then(|tile| tile.palette).unwrap_or(0);
            lost[0] |= palette != shown;
            lost[1] |= priority != u32::from(cell.has_priority());
            if lost == [true; 2] {
                break;
            }
        }
        lost
    }

    /// Reports losses of the whole map.
    fn report_map_losses(&mut self) {
        let map = self.map;
        if !map.left_out.is_empty() {
            self.lose("Parts of the map that could not be read are empty.".to_owned());
        }
        let has_grid = map.grids.iter().any(|grid| grid.kind == GridKind::Zones);
        let areas: BTreeSet<usize> = map
            .objects
            .iter()
            .filter_map(|object| object.zone)
            .collect();
        if !has_grid && (0..map.zones.len()).any(|zone| !areas.contains(&zone)) {
            self.lose("Zones without an area on the map are left out.".to_owned());
        }
        // Cells without a zone have the first one, which has no tile.
        let first = map.zones.first().filter(|_| has_grid);
        let facts = map.facts_of(TileMap::zone_item(0)).into_iter();
        let mut stored = facts.flat_map(FactGroup::own).filter_map(OwnLine::stored);
        // Numbers and flags of a zone have no effect without a text, such as a script.
        let mut has_text = || stored.any(|(_, _, value)| value.is_string());
        if first.is_some_and(|zone| !zone.name.is_empty() || has_text()) {
            self.lose(
                "The properties of zone 0, which is everywhere else, are left out.".to_owned(),
            );
        }
    }

    fn tile_size_of_grid(&self, grid: &Grid) -> Option<[u32; 2]> {
        let ground = self.map.ground_of(grid)?;
        let tileset = self.map.tilesets.get(ground.tileset)?;
        let is_there = !grid.size.contains(&0) && !grid.values.is_empty();
        let size = tileset.tile_size;
        // Layers without cells do not contribute to the common tile size, so check theirs.
        let is_multiple =
            |axis: usize| size[axis] > 0 && size[axis].is_multiple_of(self.tile_size[axis].max(1));
        (is_there && is_multiple(0) && is_multiple(1)).then_some(size)
    }

    /// The values of grids as hidden layers above all others.
    fn grids(&mut self) -> Vec<Layer<'a>> {
        let map = self.map;
        let layers = map.grids.iter().filter_map(|grid| {
            let kind = match grid.kind {
                GridKind::Obstruction { .. } => "Obstruction",
                GridKind::Zones => "Zones",
                GridKind::Logic => "Logic attributes",
            };
            let name = match grid.layer {
                Some(layer) => format!("{kind} of {}", self.layer_name(layer)),
                None => kind.to_owned(),
            };
            let Some(tile_size) = self.tile_size_of_grid(grid) else {
                self.lose(format!(
                    "{name} is left out: its tiles have a different size."
                ));
                return None;
            };
            let Some(values) = self.values_of(grid) else {
                self.lose(format!(
                    "{name} is left out: it has more than {MAX_VALUES} values."
                ));
                return None;
            };
            if grid.layer.is_some() && values.is_empty() {
                return None;
            }
            let first_gid = self.gid_of_values(&name, grid.kind, tile_size, &values);
            let ground = map.ground_of(grid)?;
            Some(Layer {
                name,
                is_visible: false,
                opacity: GRID_OPACITY,
                offset: ground.position_px.map(f64::from),
                parallax: parallax(&ground),
                properties: Vec::new(),
                content: Content::Tiles(Cells {
                    of: Of::Grid { grid, values },
                    first_gid,
                    span: self.span(tile_size),
                }),
            })
        });
        layers.collect()
    }

    /// The values of a grid except 0, and of all zones, in ascending order; `None` if there are too
    /// many.
    fn values_of(&self, grid: &Grid) -> Option<Vec<u64>> {
        let mut values = BTreeSet::new();
        if grid.kind == GridKind::Zones {
            values.extend(1..self.map.zones.len().min(MAX_VALUES) as u64);
        }
        let mut last = 0;
        for value in (0..grid.values.len()).filter_map(|index| grid.values.get(index)) {
            // Most values equal that of the previous cell.
            if value != last && value != 0 && values.insert(value) && values.len() > MAX_VALUES {
                return None;
            }
            last = value;
        }
        Some(values.into_iter().collect())
    }
}

/// The greatest common divisor.
fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Movement of a layer per pixel of camera movement, in x and y.
pub(super) fn parallax(layer: &tilemap::Layer) -> [f64; 2] {
    let tilemap::Parallax { mul, div } = layer.parallax;
    [0, 1].map(|axis| match div[axis] {
        0 => 0.0,
        div => f64::from(mul[axis]) / f64::from(div),
    })
}
