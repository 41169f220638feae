//! Classes of tiles for counting: the tile types, plus unreadable and missing tiles.

use super::{Terrain, colors};
use crate::colors::bytes;
use crate::{Item, TerrainItem};
use mapscope_formats::pfmap::{Found, Pfmap, TileType};

/// The class of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileClass {
    /// A tile type.
    Type(TileType),
    /// The file has something else in place of the tile.
    Unreadable,
    /// The file ends before the tile.
    Missing,
}

impl TileClass {
    /// Number of classes.
    pub const COUNT: usize = TileType::ALL.len() + 2;

    /// All classes, ordered by index.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        let types = TileType::ALL.into_iter().map(Self::Type);
        types.chain([Self::Unreadable, Self::Missing])
    }

    /// The class of the tile at a row and column of a map.
    pub fn of(map: &Pfmap, row: u32, col: u32) -> Option<Self> {
        let tile = map.tile(row, col)?;
        Some(if map.is_read(row, col) {
            Self::Type(tile.kind)
        } else if map.found(row, col) == Found::Missing {
            Self::Missing
        } else {
            Self::Unreadable
        })
    }

    /// The number that shaders use for the class: the digit of a type.
    pub const fn index(self) -> usize {
        match self {
            Self::Type(kind) => kind as usize,
            Self::Unreadable => TileType::ALL.len(),
            Self::Missing => TileType::ALL.len() + 1,
        }
    }

    /// The class of a number.
    pub fn from_index(index: u8) -> Option<Self> {
        Self::all().find(|class| class.index() == usize::from(index))
    }

    /// The item that covers all tiles of the class.
    pub fn item(self) -> Item {
        let class = self.index() as u8;
        TerrainItem::TileType { class }.into()
    }

    /// Its display name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Type(kind) => kind.name(),
            Self::Unreadable => "unreadable",
            Self::Missing => "missing",
        }
    }

    /// The character of a type in files. Other classes have a character that no tile uses.
    pub const fn code(self) -> char {
        match self {
            Self::Type(kind) => kind.digit(),
            Self::Unreadable => '?',
            Self::Missing => '-',
        }
    }

    /// Its colour in the tile type overlay.
    pub fn color(self) -> [u8; 3] {
        bytes(colors::TYPES[self.index()])
    }
}

/// The tiles that a class or a material refers to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Members {
    /// The tiles of a class.
    Class(TileClass),
    /// The tiles that show a material on top, or at their sides if no top shows it.
    Material { index: u16, on_top: bool },
}

/// A note with the numbers of unreadable and missing tiles, if there are any.
pub(super) fn bad_tiles_note([unreadable, missing]: [u64; 2]) -> Option<String> {
    let part = |count: u64, what| (count > 0).then(|| format!("{count} {what}"));
    match (part(unreadable, "unreadable"), part(missing, "missing")) {
        (Some(unreadable), Some(missing)) => Some(format!("{unreadable}, {missing}")),
        (part, None) | (None, part) => part,
    }
}

impl Terrain {
    /// Numbers of unreadable and of missing tiles.
    pub(super) fn bad_tile_counts(&self) -> [u64; 2] {
        [TileClass::Unreadable, TileClass::Missing].map(|class| self.counts.classes[class.index()])
    }

    /// Number of tiles that were read.
    pub(super) fn read_tiles(&self) -> usize {
        self.map.tiles.len() - self.map.bad_tiles.len()
    }

    /// The same note for a chunk.
    pub(super) fn bad_tiles_note(&self, chunk: usize) -> Option<String> {
        bad_tiles_note(self.bad_in_chunks.get(chunk)?.map(u64::from))
    }

    /// All types, and the other classes that have tiles.
    pub(super) fn listed_classes(&self) -> impl Iterator<Item = TileClass> + '_ {
        TileClass::all().filter(|class| {
            matches!(class, TileClass::Type(_)) || self.counts.classes[class.index()] > 0
        })
    }

    pub(super) fn row_and_col(&self, tile: usize) -> (u32, u32) {
        let cols = self.map.cols().max(1) as usize;
        ((tile / cols) as u32, (tile % cols) as u32)
    }

    /// The tiles that an item refers to; `None` for an item without tiles.
    pub(super) fn members(&self, item: Item) -> Option<Members> {
        match item {
            Item::Terrain(TerrainItem::Material { index }) => {
                let [top, sides] = *self.counts.materials.get(index as usize)?;
                let index = u16::try_from(index).ok()?;
                let on_top = top > 0;
                (top + sides > 0).then_some(Members::Material { index, on_top })
            }
            Item::Terrain(TerrainItem::TileType { class }) => {
                let class = TileClass::from_index(class)?;
                (self.counts.classes[class.index()] > 0).then_some(Members::Class(class))
            }
            _ => None,
        }
    }

    /// `true` if the tile at an index belongs to these tiles.
    pub(super) fn is_member(&self, members: Members, at: usize) -> bool {
        let tile = &self.map.tiles[at];
        let (row, col) = self.row_and_col(at);
        match members {
            Members::Class(TileClass::Type(kind)) => {
                tile.kind == kind && self.map.is_read(row, col)
            }
            Members::Class(class) => TileClass::of(&self.map, row, col) == Some(class),
            Members::Material { index, on_top } => {
                let named = if on_top {
                    tile.top_material
                } else {
                    tile.side_material
                };
                named == index && self.map.is_read(row, col)
            }
        }
    }
}
