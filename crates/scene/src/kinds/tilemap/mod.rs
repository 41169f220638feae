//! Maps of 2D tiles: the common form of ika's and `PixelPerfectEngine`'s maps, ready to be drawn,
//! pointed at and described.
//!
//! A map lies flat on the ground of its world, and a unit is a pixel of its tiles. X goes to the
//! right of the file's map (east), and Z goes down (south). Layers are stacked along Y in drawing
//! order ([`Shown::layer_gap`]). The view from straight above equals the image that the game draws.

mod cell;
mod clips;
mod compare;
mod document;
mod fields;
mod flatten;
mod grids;
mod here;
pub mod ika;
pub(crate) mod info;
mod items;
mod known;
mod layers;
mod left_out;
pub(crate) mod making;
mod objects;
mod outline;
mod overlays;
mod pick;
pub(crate) mod picture;
mod place;
mod placeholder;
pub mod ppe;
#[cfg(test)]
mod sample;
mod shapes;
mod sheet;
mod stored;
mod tileset;
mod walk;

use std::fmt;

pub use cell::Cell;
pub use flatten::TILE_LINES_APART;
pub use grids::{DARK_STRIPES, hatch_px};
pub use known::Known;
pub use left_out::{LeftOut, Unread};
pub(crate) use overlays::OVERLAYS;
pub use place::{FlatWindow, RectPx};
pub use placeholder::{missing_tile, numbered_tile};
pub use stored::{Contents, FileForm, ListPlace, StoredCells, StoredPixels};
pub use tileset::{Frame, Strand, StrandMode, Tile, Tileset};

#[cfg(doc)]
use crate::Shown;
use crate::camera::Handedness;
use crate::document::parts::Parts;
use crate::{
    Aabb, About, ClipInfo, FactGroup, GameView, Image, InfoQuery, NamedFile, OwnLine, TileMapItem,
};
use mapscope_formats::Format;
pub use mapscope_formats::Integers;
pub use mapscope_formats::ika::Parallax;

/// Handedness of the world of tile maps: +X is to the right of a view along -Z.
pub const HANDEDNESS: Handedness = Handedness::Right;

/// An open 2D map.
#[derive(Debug)]
pub struct TileMap {
    /// Metadata shared by all documents. Everything except format, version, problems and
    /// dependencies is derived from the other fields ([`TileMap::finished`]).
    pub about: About,
    /// The tilesets of the layers.
    pub tilesets: Vec<Tileset>,
    /// The layers, in file order.
    pub layers: Vec<Layer>,
    /// For each layer of the file, its index in `layers`; empty if the order is the same.
    pub layers_of_file: Vec<usize>,
    /// Drawing steps, from the bottom.
    pub steps: Vec<Step>,
    /// Numbers per tile that are not drawn but can be shown, such as obstruction.
    pub grids: Vec<Grid>,
    /// Zones, which the numbers of a grid or areas of the map refer to.
    pub zones: Vec<Zone>,
    /// Objects on the map: entities, waypoints, sprites, boxes and areas of zones.
    pub objects: Vec<Object>,
    /// Images of sprites.
    pub images: Vec<Image>,
    /// How its file is organized.
    pub form: FileForm,
    /// Format-specific data.
    pub facts: Box<dyn Facts>,
    /// Parts of the file that were not read.
    pub left_out: Vec<LeftOut>,
    /// The files that it names.
    pub files: Vec<NamedFile>,
    /// The clip of the animated tiles, if there are any.
    pub clips: Vec<ClipInfo>,
    /// Statistics that are computed on demand; empty in a new map.
    pub known: Known,
}

impl GridKind {
    /// `true` for obstruction.
    pub(crate) fn is_obstruction(self) -> bool {
        matches!(self, Self::Obstruction { .. })
    }
}

impl TileMap {
    /// An empty map of a format.
    pub fn new(format: &'static Format, version: impl Into<String>, facts: Box<dyn Facts>) -> Self {
        Self {
            about: About {
                format,
                version: version.into(),
                problems: Vec::new(),
                bounds: Aabb::default(),
                handedness: HANDEDNESS,
                game_view: GameView::FromAbove,
                overlays: &[],
                dependencies: Vec::new(),
                kinds: Vec::new(),
                floor_height: None,
                cpu_bytes: 0,
            },
            tilesets: Vec::new(),
            layers: Vec::new(),
            layers_of_file: Vec::new(),
            steps: Vec::new(),
            grids: Vec::new(),
            zones: Vec::new(),
            objects: Vec::new(),
            images: Vec::new(),
            form: FileForm::default(),
            facts,
            left_out: Vec::new(),
            files: Vec::new(),
            clips: Vec::new(),
            known: Known::default(),
        }
    }

    /// Completes the map with everything that is derived from its parts.
    pub fn finished(mut self) -> Self {
        self.clips = Self::clips_of(&self.tilesets);
        self.about.bounds = self.bounds_of_all();
        self.about.overlays = self.offered_overlays();
        self.about.cpu_bytes = self.bytes();
        self
    }
}

/// Format-specific data of a map, computed on demand. All methods default to empty.
pub trait Facts: fmt::Debug + Send + Sync {
    /// File data of an item beyond its fields.
    fn of(&self, map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        let _ = (map, item);
        Vec::new()
    }

    /// File data of an item for comparisons, if it is not that of the inspector: data of other
    /// files, such as tilesets, is not compared.
    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        let _ = (map, item);
        None
    }

    /// Other parts of the file, outside of layers or within one.
    fn parts<'a>(&'a self, map: &'a TileMap, layer: Option<usize>) -> Vec<Parts<'a>> {
        let _ = (map, layer);
        Vec::new()
    }

    /// The keys that the contract defines for the format ("info --json").
    fn info(&self, map: &TileMap, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let _ = (map, query);
        serde_json::Map::new()
    }

    /// Bytes of memory that it holds.
    fn cpu_bytes(&self) -> u64 {
        0
    }
}

/// A map without a file has no format-specific data.
impl Facts for () {}

/// A layer of tiles.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// Its display name.
    pub name: String,
    /// Its tileset, an index of [`TileMap::tilesets`].
    pub tileset: usize,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Position of its top left corner, in map pixels.
    pub position_px: [i32; 2],
    /// Its parallax factor.
    pub parallax: Parallax,
    /// `true` per axis (horizontal, vertical) if it repeats.
    pub wraps: [bool; 2],
    /// Its cells, row by row from the top left; unread ones are empty.
    pub cells: Vec<Cell>,
    /// The cell shown around the layer, if any ([`Layer::wraps`] takes precedence).
    pub outside: Option<Cell>,
    /// For each cell the tints of its upper left, upper right, lower left and lower right corner:
    /// red, green, blue and alpha. A channel below 128 darkens, and one above it lightens; alpha
    /// 255 has no effect.
    pub tints: Option<Vec<[[u8; 4]; 4]>>,
    /// `true` if any of its cells has priority ([`Cell::has_priority`]).
    pub has_priority: bool,
    /// Its cells in the file.
    pub stored: StoredCells,
}

/// A drawing step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Tiles of a layer.
    Layer {
        /// The layer.
        layer: usize,
        /// `true` to skip tile 0, as ika does in all layers except the first drawn one.
        skips_zero: bool,
        /// `true` to draw tiles fully opaque, as ika does in the first drawn layer (fact sheet of
        /// ika, section 3).
        is_opaque: bool,
        /// The cells to draw.
        pass: Pass,
    },
    /// The objects ([`Object`]) of a layer, or those without a layer.
    Objects {
        /// The layer.
        layer: Option<usize>,
    },
}

impl Step {
    /// A step for the tiles of a layer in a pass, with their own transparency.
    pub const fn tiles(layer: usize, pass: Pass) -> Self {
        Self::Layer {
            layer,
            skips_zero: false,
            is_opaque: false,
            pass,
        }
    }
}

/// A subset of a layer's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pass {
    /// All cells.
    #[default]
    All,
    /// Cells without priority.
    Normal,
    /// Cells with priority, drawn above the steps in between.
    Priority,
}

/// A number for each tile of a map.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The meaning of the numbers.
    pub kind: GridKind,
    /// The layer of the grid, which determines its place and visibility. `None` for a grid of the
    /// map itself, which scrolls with the camera and begins at the map's first pixel.
    pub layer: Option<usize>,
    /// Columns and rows.
    pub size: [u32; 2],
    /// The numbers, row by row from the top left; unread ones are missing at the end.
    pub values: Integers,
    /// Their place in the file.
    pub place: ListPlace,
}

/// The meaning of a grid's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridKind {
    /// Obstruction: 0 is free.
    Obstruction {
        /// `true` if bits are sides from which a tile cannot be entered; otherwise any nonzero
        /// number blocks the whole tile.
        by_sides: bool,
    },
    /// The zone of each tile, an index of [`TileMap::zones`]; 0 is no zone.
    Zones,
    /// Logic values with a game-specific meaning.
    Logic,
}

/// A zone, as the file describes it.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Its name.
    pub name: String,
}

/// An object on a map.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its kind.
    pub kind: ObjectKind,
    /// Its name.
    pub name: String,
    /// Its layer, if it has one.
    pub layer: Option<usize>,
    /// Its rectangle, in map pixels.
    pub rect_px: RectPx,
    /// The image drawn there, an index of [`TileMap::images`].
    pub image: Option<usize>,
    /// The direction that it faces, if known: a step to the right and down, each -1, 0 or 1.
    pub faces: Option<[i8; 2]>,
    /// The area in which it may walk, in map pixels.
    pub wander_px: Option<RectPx>,
    /// Its zone, an index of [`TileMap::zones`].
    pub zone: Option<usize>,
    /// Corners of a line or a shape, in map pixels.
    pub outline_px: Vec<[f32; 2]>,
}

impl Object {
    /// An object with only its name and layer set.
    pub fn new(kind: ObjectKind, name: impl Into<String>, layer: Option<usize>) -> Self {
        Self {
            kind,
            name: name.into(),
            layer,
            rect_px: RectPx::default(),
            image: None,
            faces: None,
            wander_px: None,
            zone: None,
            outline_px: Vec::new(),
        }
    }
}

/// Kinds of objects on a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// A character or thing of the game.
    Entity,
    /// A named place.
    Waypoint,
    /// A part of the map that belongs to a zone.
    ZoneArea,
    /// A freely placed image.
    Sprite,
    /// A box that is invisible in the game.
    Box,
    /// A line that is invisible in the game.
    Line,
}
