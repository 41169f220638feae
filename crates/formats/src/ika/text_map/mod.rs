//! The text map, `.ika-map`, of versions 1.0 to 1.2 (fact sheet 4).

mod read;
#[cfg(feature = "write")]
mod write;

use std::ops::Range;

pub use read::{read, read_with};
#[cfg(feature = "write")]
pub use write::write;

use super::{Parallax, aries};
use crate::{Format, NotRead, Place, Problem, Rest};

/// The name of the node that is a map.
const ROOT: &str = "ika-map";

/// How the table of formats knows text maps.
pub static FORMAT: Format = Format {
    id: "ika-map-text",
    name: "ika map (text)",
    endings: &["ika-map"],
    sniff: |bytes| aries::begins_with(bytes, ROOT),
};

/// A text map as plain data. Texts are what the bytes mean in Windows-1252.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextMap {
    /// The version of the format, such as `1.1`.
    pub version: String,
    /// The name of the map.
    pub title: String,
    /// What else its author says of it: key and value, in file order.
    pub meta: Vec<(String, String)>,
    /// Width and height in pixels, as the file says; layers have their own.
    pub size: [i32; 2],
    /// The file name of the tileset, as it is in the file.
    pub tileset: String,
    /// Where that is in the file.
    pub tileset_place: Span,
    /// The kinds of zones.
    pub zones: Vec<Zone>,
    /// Named points.
    pub waypoints: Vec<Waypoint>,
    /// The layers in the order in which they are drawn, the lowest first.
    pub layers: Vec<Layer>,
    /// Unknown nodes outside of layers.
    pub other: Vec<OwnNode>,
    /// How many kinds of zones are missing.
    pub zones_not_read: Rest,
    /// How many waypoints are missing.
    pub waypoints_not_read: Rest,
    /// How many layers are missing.
    pub layers_not_read: Rest,
    /// Whether the file ends before all is said of the whole map: its title, tileset and size.
    pub is_head_cut: bool,
    /// Everything that is wrong with the file, in file order.
    /// Of each kind the first hundred are listed, and how many more there are.
    pub problems: Vec<Problem>,
}

/// A kind of zone, to which the rectangles of layers point by its label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Zone {
    /// Its name.
    pub label: String,
    /// The script that runs when it is activated.
    pub script: String,
    /// Where it is in the file.
    pub place: Span,
}

/// A named point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waypoint {
    /// Its name.
    pub label: String,
    /// X and y from the top left of the map, in pixels.
    pub position: [i32; 2],
    /// Where it is in the file.
    pub place: Span,
}

/// A layer of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// Its name.
    pub label: String,
    /// Its width and height in tiles; 0 both where the file does not say what they are, and else
    /// at least 1, and at most [`MAX_TILES`](super::MAX_TILES) together.
    pub size: [u32; 2],
    /// X and y of its top left corner on the map, in pixels.
    pub position: [i32; 2],
    /// How far it goes with the camera.
    pub parallax: Parallax,
    /// Whether it wraps around along x and y.
    pub wrap: [bool; 2],
    /// Tile numbers, row by row from the top left. Shorter where the file has less: what is
    /// missing is no tile.
    pub tiles: Vec<u32>,
    /// Why they are fewer, if they are.
    pub tiles_not_read: Option<NotRead>,
    /// What is blocked: a byte for each tile, row by row from the top left, with bits for its
    /// sides. Shorter where the file has less; none where it does not name any.
    pub obstructions: Vec<u8>,
    /// Why they are fewer, if they are.
    pub obstructions_not_read: Option<NotRead>,
    /// The entities on it, in file order.
    pub entities: Vec<Entity>,
    /// Unknown nodes outside of entities.
    pub other: Vec<OwnNode>,
    /// How many entities are missing.
    pub entities_not_read: Rest,
    /// Zones on it, in file order.
    pub zones: Vec<ZoneRect>,
    /// How many zones are missing.
    pub zones_not_read: Rest,
    /// Whether the file ends before its tiles, so that anything of it may be missing.
    pub is_cut: bool,
    /// Where it is in the file.
    pub place: Span,
    /// Where the tiles are in the file, compressed and in base64.
    pub data: Span,
}

/// A rectangle of a layer that is a zone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneRect {
    /// The label of its [`Zone`].
    pub label: String,
    /// X and y of its top left corner, in pixels.
    pub position: [i32; 2],
    /// Its width and height, in pixels.
    pub size: [i32; 2],
    /// Where it is in the file.
    pub place: Span,
}

/// Somebody or something on a layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Its name.
    pub label: String,
    /// X and y in pixels.
    pub position: [i32; 2],
    /// The file name of its sprite.
    pub sprite: String,
    /// In pixels a second.
    pub speed: i32,
    /// Where it looks, as one of [`DIRECTIONS`](super::DIRECTIONS); the engine takes any other
    /// word for `down`.
    pub direction: String,
    /// The script that it moves by.
    pub move_script: String,
    /// Whether it stops other entities.
    pub obstructs_entities: bool,
    /// Whether other entities stop it.
    pub is_obstructed_by_entities: bool,
    /// Whether the map stops it.
    pub is_obstructed_by_map: bool,
    /// The script that runs when the player touches it.
    pub adjacent_script: String,
    /// The script that runs when it is activated.
    pub activation_script: String,
    /// Unknown nodes.
    pub other: Vec<OwnNode>,
    /// Where it is in the file.
    pub place: Span,
}

/// A node that the format does not name, and that the engine ignores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnNode {
    /// The node as it stands in the file.
    pub text: String,
    /// Where it is in the file.
    pub place: Span,
}

/// Where something is in a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Line and column of its beginning.
    pub begin: Place,
    /// Its bytes.
    pub bytes: Range<u64>,
}

impl Default for Span {
    /// Of what is not in a file.
    fn default() -> Self {
        Self {
            begin: Place::Text { line: 1, column: 1 },
            bytes: 0..0,
        }
    }
}

impl TextMap {
    /// The map without the places of its parts in a file, without problems, unknown nodes and notes of what
    /// was not read: what is left when it is written.
    pub fn without_places(mut self) -> Self {
        self.other.clear();
        for zone in &mut self.zones {
            zone.place = Span::default();
        }
        for waypoint in &mut self.waypoints {
            waypoint.place = Span::default();
        }
        for layer in &mut self.layers {
            layer.place = Span::default();
            layer.other.clear();
            layer.data = Span::default();
            layer.tiles_not_read = None;
            layer.obstructions_not_read = None;
            layer.entities_not_read = Rest::Nothing;
            layer.zones_not_read = Rest::Nothing;
            layer.is_cut = false;
            for entity in &mut layer.entities {
                entity.place = Span::default();
                entity.other.clear();
            }
            for zone in &mut layer.zones {
                zone.place = Span::default();
            }
        }
        self.zones_not_read = Rest::Nothing;
        self.waypoints_not_read = Rest::Nothing;
        self.layers_not_read = Rest::Nothing;
        self.is_head_cut = false;
        self.tileset_place = Span::default();
        self.problems.clear();
        self
    }
}
