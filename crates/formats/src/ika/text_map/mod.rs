//! The text map, `.ika-map`, of versions 1.0 to 1.2 (fact sheet 4).

mod read;
#[cfg(feature = "write")]
mod write;

use std::ops::Range;

pub use read::{read, read_with};
#[cfg(feature = "write")]
pub use write::write;

use super::{Parallax, aries};
use crate::{Format, Place, Problem, Rest, UnreadReason};

/// Name of the root node.
const ROOT: &str = "ika-map";

/// The table entry for text maps.
pub static FORMAT: Format = Format {
    id: "ika-map-text",
    name: "ika map (text)",
    endings: &["ika-map"],
    sniff: |bytes| aries::begins_with(bytes, ROOT),
};

/// A text map as plain data. Texts are decoded from Windows-1252.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextMap {
    /// Version of the format, such as `1.1`.
    pub version: String,
    /// The name of the map.
    pub title: String,
    /// Other metadata by the author: key and value, in file order.
    pub meta: Vec<(String, String)>,
    /// Width and height in pixels, as in the file; layers have their own size.
    pub size: [i32; 2],
    /// File name of the tileset, as in the file.
    pub tileset: String,
    /// Location of the tileset name in the file.
    pub tileset_place: Span,
    /// The kinds of zones.
    pub zones: Vec<Zone>,
    /// Named points.
    pub waypoints: Vec<Waypoint>,
    /// The layers in drawing order, lowest first.
    pub layers: Vec<Layer>,
    /// Unknown nodes outside layers.
    pub other: Vec<UnknownNode>,
    /// Number of missing kinds of zones.
    pub zones_not_read: Rest,
    /// Number of missing waypoints.
    pub waypoints_not_read: Rest,
    /// Number of missing layers.
    pub layers_not_read: Rest,
    /// `true` if the file ends before the map's title, tileset and size are complete.
    pub is_header_truncated: bool,
    /// All problems of the file, in file order. Limited to the first hundred of each kind, plus the
    /// number of further ones.
    pub problems: Vec<Problem>,
}

/// A kind of zone. The rectangles of layers refer to it by its label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Zone {
    /// Its name.
    pub label: String,
    /// Script that runs on activation.
    pub script: String,
    /// Location in the file.
    pub place: Span,
}

/// A named point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waypoint {
    /// Its name.
    pub label: String,
    /// X and y from the top left of the map, in pixels.
    pub position: [i32; 2],
    /// Location in the file.
    pub place: Span,
}

/// A layer of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// Its name.
    pub label: String,
    /// Width and height in tiles. Both are 0 if the file does not state them; otherwise their
    /// product is at least 1 and at most [`MAX_TILES`](super::MAX_TILES).
    pub size: [u32; 2],
    /// X and y of its top left corner on the map, in pixels.
    pub position: [i32; 2],
    /// Scroll speed relative to the camera.
    pub parallax: Parallax,
    /// `true` if it wraps around, along x and y.
    pub wrap: [bool; 2],
    /// Tile numbers, row by row from the top left. Shorter if the file has fewer; missing entries
    /// have no tile.
    pub tiles: Vec<u32>,
    /// Reason for missing tiles, if any are missing.
    pub tiles_not_read: Option<UnreadReason>,
    /// Obstruction: one byte per tile, row by row from the top left, with bits for the tile's
    /// sides. Shorter if the file has fewer; empty if it has no obstructions.
    pub obstructions: Vec<u8>,
    /// Reason for missing obstructions, if any are missing.
    pub obstructions_not_read: Option<UnreadReason>,
    /// The entities on it, in file order.
    pub entities: Vec<Entity>,
    /// Unknown nodes outside entities.
    pub other: Vec<UnknownNode>,
    /// Number of missing entities.
    pub entities_not_read: Rest,
    /// The zones on it, in file order.
    pub zones: Vec<ZoneRect>,
    /// Number of missing zones.
    pub zones_not_read: Rest,
    /// `true` if the file ends before its tiles, so that any part of it may be missing.
    pub is_cut: bool,
    /// Location in the file.
    pub place: Span,
    /// Location of the tiles in the file, compressed and in base64.
    pub data: Span,
}

/// A rectangular zone of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneRect {
    /// The label of its [`Zone`].
    pub label: String,
    /// X and y of its top left corner, in pixels.
    pub position: [i32; 2],
    /// Width and height, in pixels.
    pub size: [i32; 2],
    /// Location in the file.
    pub place: Span,
}

/// A character or object on a layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Its name.
    pub label: String,
    /// X and y in pixels.
    pub position: [i32; 2],
    /// File name of its sprite.
    pub sprite: String,
    /// Speed in pixels per second.
    pub speed: i32,
    /// Facing direction, one of [`DIRECTIONS`](super::DIRECTIONS). The engine treats any other word
    /// as `down`.
    pub direction: String,
    /// Movement script.
    pub move_script: String,
    /// `true` if it blocks other entities.
    pub obstructs_entities: bool,
    /// `true` if other entities block it.
    pub is_obstructed_by_entities: bool,
    /// `true` if the map blocks it.
    pub is_obstructed_by_map: bool,
    /// Script that runs when the player touches it.
    pub adjacent_script: String,
    /// Script that runs on activation.
    pub activation_script: String,
    /// Unknown nodes.
    pub other: Vec<UnknownNode>,
    /// Location in the file.
    pub place: Span,
}

/// A node unknown to the format, which the engine ignores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnknownNode {
    /// The source text of the node.
    pub text: String,
    /// Location in the file.
    pub place: Span,
}

/// A location in a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Line and column of its start.
    pub begin: Place,
    /// Byte range.
    pub bytes: Range<u64>,
}

impl Default for Span {
    /// The span of an item that is not in a file.
    fn default() -> Self {
        Self {
            begin: Place::Text { line: 1, column: 1 },
            bytes: 0..0,
        }
    }
}

impl TextMap {
    /// Returns the map without file locations, problems, unknown nodes and notes of unread parts:
    /// the data that writing preserves.
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
        self.is_header_truncated = false;
        self.tileset_place = Span::default();
        self.problems.clear();
        self
    }
}
