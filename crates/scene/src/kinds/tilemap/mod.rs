//! Maps of 2D tiles: what ika's and `PixelPerfectEngine`'s maps have in common, ready to be
//! drawn, pointed at and described.
//!
//! A map lies flat on the ground of its world. A unit is a pixel of its tiles: X goes to the
//! right of the file's map (east), Z down it (south), and the layers lie above each other along
//! Y, each higher than the ones that are drawn before it ([`Shown::layer_gap`]). Seen from
//! straight above, that is the image that the game draws.

mod animation;
mod cell;
mod compare;
mod document;
mod fields;
mod flatten;
mod grids;
mod here;
pub mod ika;
mod items;
mod known;
mod layers;
mod left_out;
pub(crate) mod making;
mod objects;
mod outline;
mod overlays;
mod pick;
mod place;
mod placeholder;
pub mod ppe;
#[cfg(test)]
mod sample;
mod shapes;
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
pub use tileset::{Frame, Strand, StrandMode, Tile, Tileset};

#[cfg(doc)]
use crate::Shown;
use crate::camera::Handedness;
use crate::document::parts::Parts;
use crate::{
    Aabb, About, ClipInfo, GameView, Image, InfoQuery, NamedFile, OwnLine, PropertyGroup,
    TileMapItem,
};
use mapscope_formats::Format;
pub use mapscope_formats::Integers;
pub use mapscope_formats::ika::Parallax;

/// How the world of tile maps is to be seen: +X is to the right of a view along -Z.
pub const HANDEDNESS: Handedness = Handedness::Right;

/// An open 2D map.
#[derive(Debug)]
pub struct TileMap {
    /// What is known of it as of any document; all but format, version, problems and dependencies
    /// follows from the rest ([`TileMap::finished`]).
    pub about: About,
    /// What the layers take their tiles from.
    pub tilesets: Vec<Tileset>,
    /// The layers, in file order.
    pub layers: Vec<Layer>,
    /// Of each layer of the file, its index in `layers`; empty where they are in the same order.
    pub layers_of_file: Vec<usize>,
    /// What is drawn, the first at the bottom.
    pub steps: Vec<Step>,
    /// Numbers for each tile that are not drawn but can be shown, such as obstruction.
    pub grids: Vec<Grid>,
    /// Zones that the numbers of a grid or areas of the map stand for.
    pub zones: Vec<Zone>,
    /// What stands on the map: entities, waypoints, sprites, boxes and areas of zones.
    pub objects: Vec<Object>,
    /// Images of sprites.
    pub images: Vec<Image>,
    /// What only its format knows.
    pub facts: Box<dyn Facts>,
    /// What the file has, or says that it has, and was not read.
    pub left_out: Vec<LeftOut>,
    /// The files that it names.
    pub files: Vec<NamedFile>,
    /// One clip of the animated tiles, if there are any.
    pub clips: Vec<ClipInfo>,
    /// What is counted when it is first asked for: nothing, in a map that was just made.
    pub known: Known,
}

impl GridKind {
    /// Whether it says where nobody can walk.
    pub(crate) fn is_obstruction(self) -> bool {
        matches!(self, Self::Obstruction { .. })
    }
}

impl TileMap {
    /// A map of a format without anything in it yet.
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
            facts,
            left_out: Vec::new(),
            files: Vec::new(),
            clips: Vec::new(),
            known: Known::default(),
        }
    }

    /// The same with what follows from all that it is made of.
    pub fn finished(mut self) -> Self {
        self.clips = Self::clips_of(&self.tilesets);
        self.about.bounds = self.bounds_of_all();
        self.about.overlays = self.offered_overlays();
        self.about.cpu_bytes = self.bytes();
        self
    }
}

/// What only the format of a map knows of it; at first, nothing.
pub trait Facts: fmt::Debug + Send + Sync {
    /// What the file says of the whole map.
    fn map(&self) -> Vec<PropertyGroup> {
        Vec::new()
    }

    /// What the file says of a layer beyond its name, size, place and parallax.
    fn layer(&self, layer: usize) -> Vec<PropertyGroup> {
        let _ = layer;
        Vec::new()
    }

    /// What the file says of a cell beyond its tile: flags, attributes and where its bytes are.
    /// `index` counts row by row from the top left.
    fn cell(&self, layer: usize, index: usize) -> Vec<PropertyGroup> {
        let _ = (layer, index);
        Vec::new()
    }

    /// Where the file has the number of a grid for a cell. `index` counts row by row from the top left.
    fn grid_place(&self, grid: &Grid, index: usize) -> Option<String> {
        let _ = (grid, index);
        None
    }

    /// The tile number that the file has for a cell, where that is not the number of the image
    /// ([`Tile::id`]) which the cell shows.
    fn tile_number(&self, layer: usize, index: usize) -> Option<u32> {
        let _ = (layer, index);
        None
    }

    /// The palette and the priority that the file has for a cell, or what it has in their fields; none
    /// in a format without them.
    fn palette_and_priority(&self, layer: usize, index: usize) -> Option<[u32; 2]> {
        let _ = (layer, index);
        None
    }

    /// Whether the names of layers are in the file.
    fn names_layers(&self) -> bool {
        true
    }

    /// Whether the file itself is the one layer.
    fn is_layer(&self) -> bool {
        false
    }

    /// Fields of an item for comparisons, if they differ from those of the inspector: other files, such as
    /// tilesets, are not compared.
    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        let _ = (map, item);
        None
    }

    /// What else the file has, outside of layers or in one of them.
    fn parts<'a>(&'a self, map: &'a TileMap, layer: Option<usize>) -> Vec<Parts<'a>> {
        let _ = (map, layer);
        Vec::new()
    }

    /// Whether the file says of the whole map, and of no layer, how large it is and whether it repeats.
    fn is_of_one_size(&self) -> bool {
        false
    }

    /// Whether the order of objects is that of the file, and follows from nothing that it says of them.
    fn lists_objects_in_order(&self) -> bool {
        true
    }

    /// Whether the cells of a layer are in the file itself.
    fn has_cells(&self, layer: usize) -> bool {
        let _ = layer;
        true
    }

    /// What of its tiles the file itself has.
    fn own_tiles(&self) -> OwnTiles {
        OwnTiles::None
    }

    /// The cells of a layer as the file has them; none of those that are in another file.
    fn cells_in_file<'a>(&'a self, map: &'a TileMap, layer: usize) -> Option<&'a [u32]> {
        let _ = (map, layer);
        None
    }

    /// The bytes of a tile's pixels, where they are not those of its image. Only of a tileset.
    fn tile_bytes(&self, image: usize) -> Option<&[u8]> {
        let _ = image;
        None
    }

    /// Where the file has the pixels of a tile. Only of a tileset.
    fn tile_place(&self, image: usize) -> Option<String> {
        let _ = image;
        None
    }

    /// The keys that the contract names for the format ("info --json").
    fn info(&self, map: &TileMap, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let _ = (map, query);
        serde_json::Map::new()
    }

    /// Bytes of memory that it holds.
    fn cpu_bytes(&self) -> u64 {
        0
    }
}

/// What of its tiles a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnTiles {
    /// Nothing: they are in another file.
    None,
    /// Their names and numbers.
    Named,
    /// Their images: the file is a tileset, and the layers only show it.
    Images,
}

/// Of a map that is in no file there is nothing more to know.
impl Facts for () {}

/// A layer of tiles.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// Its name for people.
    pub name: String,
    /// What its tiles are taken from, an index of [`TileMap::tilesets`].
    pub tileset: usize,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Where its top left corner is, in pixels of the map.
    pub position_px: [i32; 2],
    /// How it moves with the camera.
    pub parallax: Parallax,
    /// Whether it repeats to the left and right, and up and down.
    pub wraps: [bool; 2],
    /// Its cells, row by row from the top left; empty ones where they were not read.
    pub cells: Vec<Cell>,
    /// What lies around it, in place of nothing ([`Layer::wraps`] comes first).
    pub outside: Option<Cell>,
    /// Of each cell the tint of its upper left, upper right, lower left and lower right corner:
    /// red, green, blue and opacity. A channel below 128 darkens, one above lightens; opacity 255
    /// changes nothing.
    pub tints: Option<Vec<[[u8; 4]; 4]>>,
    /// Whether any of its cells has priority ([`Cell::has_priority`]).
    pub has_priority: bool,
}

/// Something that is drawn, in the order in which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Tiles of a layer.
    Layer {
        /// Which one.
        layer: usize,
        /// Whether tile 0 is left out, as ika does in all layers but the first that it draws.
        skips_zero: bool,
        /// Whether its tiles hide all that is below, however transparent they are, as in the layer
        /// that ika draws first (fact sheet of ika, section 3).
        is_opaque: bool,
        /// Which of its cells.
        pass: Pass,
    },
    /// The objects ([`Object`]) of a layer, or those of no layer.
    Objects {
        /// Which layer's.
        layer: Option<usize>,
    },
}

impl Step {
    /// All tiles of a layer that are in a pass, as transparent as they are.
    pub const fn tiles(layer: usize, pass: Pass) -> Self {
        Self::Layer {
            layer,
            skips_zero: false,
            is_opaque: false,
            pass,
        }
    }
}

/// Which cells of a layer are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pass {
    /// All of them.
    #[default]
    All,
    /// Those without priority.
    Normal,
    /// Those with priority, above what was drawn in between.
    Priority,
}

/// A number for each tile of a map.
#[derive(Debug, Clone)]
pub struct Grid {
    /// What the numbers mean.
    pub kind: GridKind,
    /// The layer that it belongs to, whose place it shares and with which it is hidden; none for
    /// one of the map itself, which moves with the camera and begins at the map's first pixel.
    pub layer: Option<usize>,
    /// Columns and rows.
    pub size: [u32; 2],
    /// The numbers, row by row from the top left; fewer than there are tiles where they were not read.
    pub values: Integers,
}

/// What the numbers of a grid mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridKind {
    /// Where nobody can walk: 0 is free.
    Obstruction {
        /// Whether bits stand for sides from which a tile cannot be entered; else any number but 0
        /// blocks all of it.
        by_sides: bool,
    },
    /// Which zone it is, an index of [`TileMap::zones`]; 0 is none.
    Zones,
    /// What the game makes of it.
    Logic,
}

/// A zone, as the file describes it.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// What the file says of it.
    pub properties: Vec<PropertyGroup>,
}

/// Something that stands on a map.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name.
    pub name: String,
    /// The layer that it stands on, if it says so.
    pub layer: Option<usize>,
    /// What it occupies, in pixels of the map.
    pub rect_px: RectPx,
    /// The image that is drawn there, an index of [`TileMap::images`].
    pub image: Option<usize>,
    /// Where it looks, if that is known: a step to the right and down, each -1, 0 or 1.
    pub faces: Option<[i8; 2]>,
    /// Where it may walk, in pixels of the map.
    pub wander_px: Option<RectPx>,
    /// The zone that it is a part of, an index of [`TileMap::zones`].
    pub zone: Option<usize>,
    /// Corners of a line or a shape, in pixels of the map.
    pub outline_px: Vec<[f32; 2]>,
    /// What the file says of it.
    pub properties: Vec<PropertyGroup>,
}

impl Object {
    /// Something of which no more is known yet than its name and the layer that it stands on.
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
            properties: Vec::new(),
        }
    }
}

/// What stands on a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// Somebody or something of the game.
    Entity,
    /// A place with a name.
    Waypoint,
    /// A part of the map that belongs to a zone.
    ZoneArea,
    /// An image that is placed freely.
    Sprite,
    /// A box that is not seen in the game.
    Box,
    /// A line that is not seen in the game.
    Line,
}
