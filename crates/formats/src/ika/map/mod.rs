//! The binary map, "MAP v6" (document, "Old map format"; fact sheet 2 and 3).

mod layout;
mod read;
mod render_string;
mod resync;
#[cfg(feature = "write")]
mod write;

use std::ops::Range;

use layout::COUNT_BYTES;
pub(super) use read::validated_size;
pub use read::{read, read_with};
pub use render_string::DrawStep;
#[cfg(feature = "write")]
pub use write::write;

use super::{Parallax, verge};
use crate::{Format, Problem, Rest, UnreadReason};

/// Magic bytes at the start of a map.
const MAGIC: &[u8; 6] = b"MAP\xf96\0";

/// The table entry for binary maps.
pub static FORMAT: Format = Format {
    id: "ika-map",
    name: "ika map",
    endings: &["map"],
    sniff,
};

/// Returns `true` if a file is a map of ika or of VERGE. Reading rejects VERGE maps by name.
fn sniff(bytes: &[u8]) -> bool {
    // A different number after the magic is another version, which reading reports.
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    bytes.starts_with(&MAGIC[..4])
        || bytes.starts_with(MANGLED_MAGIC)
        || verge::verge_version(bytes).is_some()
}

/// Byte order mark that text editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The magic of a map that was saved as UTF-8 text.
const MANGLED_MAGIC: &[u8; 7] = b"MAP\xc3\xb96\0";

/// A binary map as plain data. Texts are decoded from Windows-1252.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map {
    /// File name of the tileset, as in the file.
    pub tileset: String,
    /// File name of the music.
    pub music: String,
    /// The drawing order; see [`Map::draw_steps`].
    pub render_string: String,
    /// Width and height of all layers, in tiles. Their product is at least 1 and at most
    /// [`MAX_TILES`](super::MAX_TILES).
    pub size: [u32; 2],
    /// Start position of the player, in tiles.
    pub start: [i32; 2],
    /// `true` if the map wraps around.
    pub wraps: bool,
    /// The layers in file order.
    pub layers: Vec<Layer>,
    /// Number of further layers that are unreadable because the file ends.
    pub layers_not_read: u32,
    /// Obstruction: one byte per tile, row by row from the top left; not 0 is blocked. Shorter if
    /// the file has fewer.
    pub obstruction: Vec<u8>,
    /// Reason for missing obstruction, if any is missing.
    pub obstruction_not_read: Option<UnreadReason>,
    /// Byte range in the file of the compressed [`Map::obstruction`].
    pub obstruction_block: Range<u64>,
    /// The zone of each tile, row by row from the top left: an index into [`Map::zones`], where 0
    /// means no zone. Shorter if the file has fewer.
    pub zone_numbers: Vec<u32>,
    /// Reason for missing zone numbers, if any are missing.
    pub zone_numbers_not_read: Option<UnreadReason>,
    /// Byte range in the file of the compressed [`Map::zone_numbers`].
    pub zone_block: Range<u64>,
    /// The zones in file order. If the list is empty, the engine adds a zone 0.
    pub zones: Vec<Zone>,
    /// Number of further zones that were not read.
    pub zones_not_read: Rest,
    /// The entities in file order.
    pub entities: Vec<Entity>,
    /// Number of further entities that were not read.
    pub entities_not_read: Rest,
    /// All problems of the file, in file order. Limited to the first hundred of each kind, plus the
    /// number of further ones.
    pub problems: Vec<Problem>,
}

/// A layer of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// Scroll speed relative to the camera.
    pub parallax: Parallax,
    /// Tile numbers, row by row from the top left. Shorter if the file has fewer; missing entries
    /// have no tile.
    pub tiles: Vec<u32>,
    /// Reason for missing tiles, if any are missing.
    pub not_read: Option<UnreadReason>,
    /// Byte range in the file of the compressed tiles.
    pub block: Range<u64>,
}

/// A kind of zone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// Description of its purpose.
    pub description: String,
    /// Script that runs when the player activates the zone.
    pub activation_script: String,
    /// Script that runs when another entity steps on the zone.
    pub entity_script: String,
    /// Chance of activation, in percent.
    pub chance_percent: i32,
    /// Number of steps before activation.
    pub delay_steps: i32,
    /// `true` if the zone is activated from an adjacent tile, like entities, rather than by
    /// stepping on it.
    pub is_adjacent: bool,
    /// Byte range in the file.
    pub place: Range<u64>,
}

/// A character or object on the map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// X and y from the top left of the map, in pixels.
    pub position: [i32; 2],
    /// Facing direction: an index into [`DIRECTIONS`](super::DIRECTIONS) if it is valid.
    pub direction: i32,
    /// Speed in pixels per second.
    pub speed: i32,
    /// `true` if the map blocks it.
    pub is_obstructed_by_map: bool,
    /// `true` if other entities block it.
    pub is_obstructed_by_entities: bool,
    /// `true` if it blocks other entities.
    pub obstructs_entities: bool,
    /// File name of its sprite.
    pub sprite: String,
    /// `true` if it is activated when the player touches it.
    pub is_adjacent: bool,
    /// Script that runs on activation.
    pub activation_script: String,
    /// Movement state: an index into [`STATES`] if it is valid.
    pub state: u32,
    /// Movement script.
    pub move_script: String,
    /// Number of steps that it wanders at a time.
    pub wander_steps: i32,
    /// Waiting time in between.
    pub wander_delay: i32,
    /// Left, top, right and bottom of the area in which it wanders; their unit is undocumented
    /// (fact sheet 7.23).
    pub wander_rect: [i32; 4],
    /// Zone in which it wanders.
    pub wander_zone: String,
    /// The entity that it chases.
    pub chase_target: String,
    /// Closest distance to its chase target.
    pub chase_distance: i32,
    /// Byte range in the file.
    pub place: Range<u64>,
}

/// Names of the entity states, in numerical order (fact sheet 2).
pub const STATES: [&str; 6] = [
    "nothing",
    "wander",
    "wander in a rectangle",
    "wander in a zone",
    "scripted",
    "chase",
];

impl Map {
    /// Number of tiles in each layer.
    pub fn tile_count(&self) -> u64 {
        let [width, height] = self.size;
        u64::from(width) * u64::from(height)
    }

    /// List index of the tile at a column and row; `None` outside the map.
    pub fn tile_index(&self, [x, y]: [u32; 2]) -> Option<usize> {
        let [width, height] = self.size;
        let index = u64::from(y) * u64::from(width) + u64::from(x);
        (x < width && y < height).then_some(index as usize)
    }

    /// Names of the flags in `bytes`, the file of this map, that are neither 0 nor 1. Any value but
    /// 0 means yes and is written as 1.
    pub fn odd_flags(&self, bytes: &[u8]) -> Vec<String> {
        let is_odd = |at: usize| bytes.get(at).is_some_and(|flag| *flag > 1);
        let end_of_text = |at: usize| {
            let length = bytes.get(at..)?.first_chunk::<COUNT_BYTES>()?;
            at.checked_add(COUNT_BYTES + u32::from_le_bytes(*length) as usize)
        };
        let mark = if bytes.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let texts = (0..3).try_fold(mark + MAGIC.len(), |at, _| end_of_text(at));
        // The flag follows width, height and start position.
        let wraps = texts.is_some_and(|at| is_odd(at + 4 * COUNT_BYTES));
        let mut names: Vec<String> = wraps.then(|| "wraps".to_owned()).into_iter().collect();
        for (number, zone) in self.zones.iter().enumerate() {
            let end = zone.place.end as usize;
            if is_odd(end.saturating_sub(1)) {
                names.push(format!("adjacent activation of zone {number}"));
            }
        }
        for (number, entity) in self.entities.iter().enumerate() {
            // The flags follow the name, position, direction and speed.
            let Some(flags) = end_of_text(entity.place.start as usize) else {
                continue;
            };
            let flags = flags + 4 * COUNT_BYTES;
            let last = end_of_text(flags + 3);
            for (at, what) in [
                (Some(flags), "obstructed by the map"),
                (Some(flags + 1), "obstructed by entities"),
                (Some(flags + 2), "obstructs entities"),
                (last, "adjacent activation"),
            ] {
                if at.is_some_and(is_odd) {
                    names.push(format!("{what} of entity {number}"));
                }
            }
        }
        names
    }

    /// Returns the map without file locations, problems and notes of unread parts: the data that
    /// writing preserves.
    pub fn without_places(mut self) -> Self {
        for layer in &mut self.layers {
            layer.block = 0..0;
            layer.not_read = None;
        }
        for zone in &mut self.zones {
            zone.place = 0..0;
        }
        for entity in &mut self.entities {
            entity.place = 0..0;
        }
        self.obstruction_block = 0..0;
        self.zone_block = 0..0;
        self.layers_not_read = 0;
        self.obstruction_not_read = None;
        self.zone_numbers_not_read = None;
        self.zones_not_read = Rest::Nothing;
        self.entities_not_read = Rest::Nothing;
        self.problems.clear();
        self
    }
}
