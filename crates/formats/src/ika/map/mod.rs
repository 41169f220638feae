//! The binary map, "MAP v6" (document, "Old map format"; fact sheet 2 and 3).

mod layout;
mod read;
mod render_string;
mod resync;
#[cfg(feature = "write")]
mod write;

use std::ops::Range;

use layout::COUNT_BYTES;
pub(super) use read::checked_size;
pub use read::{read, read_with};
pub use render_string::DrawStep;
#[cfg(feature = "write")]
pub use write::write;

use super::{Parallax, verge};
use crate::{Format, NotRead, Problem, Rest};

/// What a map begins with.
const MAGIC: &[u8; 6] = b"MAP\xf96\0";

/// How the table of formats knows binary maps.
pub static FORMAT: Format = Format {
    id: "ika-map",
    name: "ika map",
    endings: &["map"],
    sniff,
};

/// Whether a file is a map of ika, or one of VERGE, which reading refuses by name.
fn sniff(bytes: &[u8]) -> bool {
    // Another number after it is another version, and reading says so.
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    bytes.starts_with(&MAGIC[..4])
        || bytes.starts_with(MANGLED_MAGIC)
        || verge::verge_version(bytes).is_some()
}

/// What editors of texts put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The magic of a map that was saved as if it were text in UTF-8.
const MANGLED_MAGIC: &[u8; 7] = b"MAP\xc3\xb96\0";

/// A binary map as plain data. Texts are what the bytes mean in Windows-1252.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map {
    /// The file name of the tileset, as it is in the file.
    pub tileset: String,
    /// The file name of the music.
    pub music: String,
    /// What is drawn in which order: see [`Map::draw_steps`].
    pub render_string: String,
    /// Width and height of all layers, in tiles. At least 1, and at most
    /// [`MAX_TILES`](super::MAX_TILES) together.
    pub size: [u32; 2],
    /// Where the player starts, in tiles.
    pub start: [i32; 2],
    /// Whether the map wraps around.
    pub wraps: bool,
    /// The layers in file order.
    pub layers: Vec<Layer>,
    /// How many layers follow those, of which nothing can be read since the file ends.
    pub layers_not_read: u32,
    /// What is blocked: a byte for each tile, row by row from the top left; not 0 is blocked.
    /// Shorter where the file has less.
    pub obstruction: Vec<u8>,
    /// Why it is shorter, if it is.
    pub obstruction_not_read: Option<NotRead>,
    /// Where [`Map::obstruction`] is compressed in the file, in bytes.
    pub obstruction_block: Range<u64>,
    /// The zone of each tile, row by row from the top left: an index into [`Map::zones`], where
    /// 0 means no zone. Shorter where the file has less.
    pub zone_numbers: Vec<u32>,
    /// Why they are fewer, if they are.
    pub zone_numbers_not_read: Option<NotRead>,
    /// Where [`Map::zone_numbers`] is compressed in the file, in bytes.
    pub zone_block: Range<u64>,
    /// The zones in file order. If there are none, the engine makes up number 0.
    pub zones: Vec<Zone>,
    /// How many zones follow those.
    pub zones_not_read: Rest,
    /// The entities in file order.
    pub entities: Vec<Entity>,
    /// How many entities follow those.
    pub entities_not_read: Rest,
    /// Everything that is wrong with the file, in file order.
    /// Of each kind the first hundred are listed, and how many more there are.
    pub problems: Vec<Problem>,
}

/// A layer of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// How far it goes with the camera.
    pub parallax: Parallax,
    /// Tile numbers, row by row from the top left. Shorter where the file has less: what is
    /// missing is no tile.
    pub tiles: Vec<u32>,
    /// Why they are fewer, if they are.
    pub not_read: Option<NotRead>,
    /// Where the tiles are compressed in the file, in bytes.
    pub block: Range<u64>,
}

/// A kind of zone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The script that runs when the player activates it.
    pub activation_script: String,
    /// The script that runs when another entity steps on it.
    pub entity_script: String,
    /// How often of 100 times it is activated.
    pub chance_percent: i32,
    /// How many steps it takes until it is activated.
    pub delay_steps: i32,
    /// Whether it is activated from beside, as entities are, and not by stepping on it.
    pub is_adjacent: bool,
    /// Where it is in the file, in bytes.
    pub place: Range<u64>,
}

/// Somebody or something on the map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// X and y from the top left of the map, in pixels.
    pub position: [i32; 2],
    /// Where it looks: an index into [`DIRECTIONS`](super::DIRECTIONS) unless it means nothing.
    pub direction: i32,
    /// In pixels a second.
    pub speed: i32,
    /// Whether the map stops it.
    pub is_obstructed_by_map: bool,
    /// Whether other entities stop it.
    pub is_obstructed_by_entities: bool,
    /// Whether it stops other entities.
    pub obstructs_entities: bool,
    /// The file name of its sprite.
    pub sprite: String,
    /// Whether it is activated when the player touches it.
    pub is_adjacent: bool,
    /// The script that runs when it is activated.
    pub activation_script: String,
    /// How it moves: an index into [`STATES`] unless it means nothing.
    pub state: u32,
    /// The script that it moves by.
    pub move_script: String,
    /// How many steps it wanders.
    pub wander_steps: i32,
    /// How long it waits between.
    pub wander_delay: i32,
    /// Left, top, right and bottom of where it wanders; their unit is nowhere said (fact sheet
    /// 7.23).
    pub wander_rect: [i32; 4],
    /// The zone in which it wanders.
    pub wander_zone: String,
    /// Whom it chases.
    pub chase_target: String,
    /// How near it comes.
    pub chase_distance: i32,
    /// Where it is in the file, in bytes.
    pub place: Range<u64>,
}

/// What the states of entities are called, in the order of their numbers (fact sheet 2).
pub const STATES: [&str; 6] = [
    "nothing",
    "wander",
    "wander in a rectangle",
    "wander in a zone",
    "scripted",
    "chase",
];

impl Map {
    /// How many tiles each layer has.
    pub fn tile_count(&self) -> u64 {
        let [width, height] = self.size;
        u64::from(width) * u64::from(height)
    }

    /// The index in lists of a tile by its column and row; none outside.
    pub fn tile_index(&self, [x, y]: [u32; 2]) -> Option<usize> {
        let [width, height] = self.size;
        let index = u64::from(y) * u64::from(width) + u64::from(x);
        (x < width && y < height).then_some(index as usize)
    }

    /// Names of the flags that are neither 0 nor 1 in the bytes that the map was read from: each value but 0 means
    /// yes, and is written as 1.
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
        // Behind width, height and start.
        let wraps = texts.is_some_and(|at| is_odd(at + 4 * COUNT_BYTES));
        let mut names: Vec<String> = wraps.then(|| "wraps".to_owned()).into_iter().collect();
        for (number, zone) in self.zones.iter().enumerate() {
            let end = zone.place.end as usize;
            if is_odd(end.saturating_sub(1)) {
                names.push(format!("adjacent activation of zone {number}"));
            }
        }
        for (number, entity) in self.entities.iter().enumerate() {
            // Behind the name, position, direction and speed.
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

    /// The map without what says where its parts are in a file, and without problems and what
    /// was not read: what is left when it is written.
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
