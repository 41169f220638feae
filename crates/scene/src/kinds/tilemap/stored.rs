//! What the file of a map stores of the parts that are shown, and where.

use std::ops::Range;
use std::sync::Arc;

use super::Cell;
use super::ika::Numbers;
use super::left_out::not_read;
use super::ppe::cell_facts;
use crate::describe::value::{Fact, FactGroup, Value};
use mapscope_formats::UnreadReason;
use mapscope_formats::ppe::{self, MapData};

/// How the file of a map is organized.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileForm {
    /// What the file contains.
    pub contents: Contents,
    /// `true` if the layers have no names in the file.
    pub has_unnamed_layers: bool,
    /// `true` if the file stores size and wrapping only once for the whole map.
    pub has_single_size: bool,
    /// `true` if objects are ordered by their own data rather than in file order.
    pub has_sorted_objects: bool,
}

/// What the file of a map contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contents {
    /// A map, whose tiles are in another file.
    #[default]
    Map,
    /// A map, and names and numbers of its tiles.
    NamedTiles,
    /// A single layer.
    Layer,
    /// The images of tiles. The layers of the map only show them.
    Tiles,
    /// A single picture, which is the only tile of the only cell.
    Picture,
}

/// The place of the elements of a list in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListPlace {
    /// In another file, or unknown.
    #[default]
    Unknown,
    /// From this offset on.
    At(u64),
    /// In packed data, which begins with the list.
    Unpacked,
    /// Somewhere in packed data.
    Packed,
}

impl ListPlace {
    /// The place of an element of this many bytes.
    pub(super) fn of(self, index: usize, bytes: usize) -> Value {
        match self {
            Self::Unknown => Value::absent(),
            Self::At(start) => place_of(Some(start + (index * bytes) as u64), bytes),
            Self::Unpacked => Value::unpacked_at(index * bytes, bytes),
            Self::Packed => place_of(None, bytes),
        }
    }
}

/// A number of bytes at an offset, if they are not packed.
pub(super) fn place_of(offset: Option<u64>, bytes: usize) -> Value {
    match offset {
        Some(offset) => Value::bytes_at(offset as usize, bytes).length_first(),
        None => Value::none(format!("{bytes}, compressed")),
    }
}

/// A range of bytes of the file.
pub(super) fn bytes_of(range: &Range<u64>) -> Value {
    let length = range.end.saturating_sub(range.start);
    Value::range(Value::bytes_at(range.start as usize, length as usize))
}

/// The pixels of the tiles of a tileset in its file.
#[derive(Debug, Clone, Default)]
pub struct StoredPixels {
    /// Palette indices, tile by tile; empty if pixels have direct colours.
    pub indices: Vec<u8>,
    /// Bytes of each pixel.
    pub bytes_per_pixel: u32,
    /// The place of the pixels.
    pub place: ListPlace,
}

/// The cells of a layer in the file.
#[derive(Debug, Clone, Default)]
pub struct StoredCells {
    /// `true` if the cells are in another file. They can be found, but they are not compared.
    pub is_elsewhere: bool,
    pub(super) data: CellData,
}

/// The numbers of cells in the file.
#[derive(Debug, Clone, Default)]
pub(super) enum CellData {
    /// Unknown.
    #[default]
    None,
    /// Tile numbers, and the bytes of the file in which they are packed.
    Numbers {
        numbers: Numbers,
        packed: Range<u64>,
        is_base64: bool,
    },
    /// Tile numbers with flags and attributes.
    Map(Arc<MapData>),
}

impl From<CellData> for StoredCells {
    fn from(data: CellData) -> Self {
        let is_elsewhere = false;
        Self { is_elsewhere, data }
    }
}

impl StoredCells {
    /// The tile number of a cell, if it may differ from the number ([`Tile::id`]) of the image that
    /// the cell shows. Cells are in rows from the top left.
    ///
    /// [`Tile::id`]: super::Tile::id
    pub fn tile_number(&self, index: usize) -> Option<u32> {
        match &self.data {
            CellData::None => None,
            CellData::Numbers { numbers, .. } => numbers.own(index),
            CellData::Map(map) => Some(cell_of(map, index)?.tile_id.into()),
        }
    }

    /// The palette and the priority of a cell, or the user data in their fields; `None` if the
    /// format has no such fields.
    pub fn palette_and_priority(&self, index: usize) -> Option<[u32; 2]> {
        let cell = cell_of(self.map_data()?, index)?;
        let palette = cell.palette_user_data.unwrap_or(cell.palette);
        let priority = cell.priority_user_data.unwrap_or(cell.priority);
        Some([palette.into(), priority.into()])
    }

    /// Its map data, if it has such.
    pub(super) fn map_data(&self) -> Option<&MapData> {
        match &self.data {
            CellData::Map(map) => Some(map),
            _ => None,
        }
    }

    /// All numbers; `cells` are those of the layer.
    pub(super) fn all<'a>(&'a self, cells: &'a [Cell]) -> &'a [u32] {
        match &self.data {
            CellData::None => &[],
            CellData::Numbers { numbers, .. } => numbers.all(cells),
            CellData::Map(map) => &map.cells,
        }
    }

    /// File data of a cell beyond its tile. `lost` is the reason why the cell was not read.
    pub(super) fn facts(&self, index: usize, lost: Option<UnreadReason>) -> Vec<FactGroup> {
        match &self.data {
            CellData::None => Vec::new(),
            CellData::Map(map) if index < map.cells.len() => cell_facts(map, index),
            CellData::Numbers {
                numbers,
                packed,
                is_base64,
            } if index < numbers.count() => {
                let packed = bytes_of(packed);
                let base64 = packed.text().map(|text| format!("{text}, in base64"));
                let packed = match base64.filter(|_| *is_base64) {
                    Some(text) => packed.shown_as(text),
                    None => packed,
                };
                let facts = [
                    Fact::new("Tile number", numbers.own(index)).derived(),
                    Fact::new("Bytes", ListPlace::Unpacked.of(index, 4)).place(),
                    Fact::new("Packed", packed).keyed("packed_place").derived(),
                ];
                vec![FactGroup::new("In the file", facts)]
            }
            _ => {
                let bytes = lost.map(|why| Fact::new("Bytes", Value::none(not_read(why))).place());
                bytes.map_or_else(Vec::new, |it| vec![FactGroup::new("In the file", [it])])
            }
        }
    }

    /// Bytes of memory that it holds.
    pub(super) fn cpu_bytes(&self) -> u64 {
        match &self.data {
            CellData::None => 0,
            CellData::Numbers { numbers, .. } => numbers.cpu_bytes(),
            CellData::Map(map) => {
                let graphics = map.graphics.as_ref();
                let graphics = graphics.map_or(0, |graphics| size_of_val(&**graphics));
                let logic = map.logic.as_ref();
                let logic = logic.map_or(0, |logic| logic.len() * logic.bits() as usize / 8);
                (size_of_val(&*map.cells) + graphics + logic) as u64
            }
        }
    }
}

fn cell_of(map: &MapData, index: usize) -> Option<ppe::Cell> {
    (index < map.cells.len()).then(|| map.cell(index))
}
