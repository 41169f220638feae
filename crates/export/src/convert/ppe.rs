//! Layouts and compression of `PixelPerfectEngine`'s map data (document, "Binary chunks" and
//! "Compression"; fact sheet, sections 2, 3, 6 and 8).

use mapscope_formats::ppe::{Cell, Compression, Layout, MAP_FORMAT, MapData, MapFlags, map_data};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, ConversionReport, ItemNames, Row};

/// The layouts of cells, and the kinds of compression.
pub(super) const FORMS: &[Row<MapData>] = &[
    Row::change(
        &MAP_FORMAT,
        "layout",
        [
            "old",
            "Cells of the old layout: palettes from 0 to 255, priorities of several bits, no logic attributes",
        ],
        |map, told| {
            to_old(map, told);
            Ok(())
        },
    ),
    Row::change(
        &MAP_FORMAT,
        "layout",
        [
            "new",
            "Cells of the new layout: palettes from 0 to 4095, a priority flag",
        ],
        |map, told| {
            to_new(map, told);
            Ok(())
        },
    ),
    Row::change(
        &MAP_FORMAT,
        "compression",
        ["none", "Cells and attributes are not compressed"],
        |map, _| {
            compress(map, 0);
            Ok(())
        },
    ),
    Row::change(
        &MAP_FORMAT,
        "compression",
        ["rle", "Cells and attributes are run-length encoded"],
        |map, _| {
            compress(map, MapFlags::RLE);
            Ok(())
        },
    ),
    Row::change(
        &MAP_FORMAT,
        "compression",
        ["zlib", "Cells and attributes in a zlib stream"],
        |map, _| {
            compress(map, MapFlags::ZLIB);
            Ok(())
        },
    ),
    Row::change(
        &MAP_FORMAT,
        "compression",
        ["zstd", "Cells and attributes in Zstandard frames"],
        |map, _| {
            compress(map, MapFlags::ZSTD);
            Ok(())
        },
    ),
];

fn compress(map: &mut MapData, compression: u32) {
    map.flags.0 = map.flags.0 & !MapFlags::COMPRESSIONS | compression;
}

/// The cells that match a condition, by column and row.
fn cells_where(map: &MapData, predicate: impl Fn(Cell) -> bool) -> ItemNames {
    let width = map.size[0].max(1) as usize;
    let cells = map.cells.iter().enumerate();
    let cells = cells.filter(|(_, raw)| predicate(Cell::decode(**raw, map.flags)));
    cells
        .map(|(index, _)| format!("{},{}", index % width, index / width))
        .collect()
}

/// Re-encodes all cells in the layout of other flags.
fn set_flags(map: &mut MapData, flags: u32, change: impl Fn(Cell) -> Cell) {
    let flags = MapFlags(flags);
    for raw in &mut map.cells {
        *raw = change(Cell::decode(*raw, map.flags)).encode(flags);
    }
    map.flags = flags;
}

/// Flags with a meaning in one layout only. The flag for logic attributes means user data in the
/// other layout. The flag for swapped axes has no meaning in the new layout, where each cell has
/// its own.
const SINGLE_LAYOUT_FLAGS: u32 = MapFlags::PRIORITY_USER_DATA_OR_LOGIC | MapFlags::AXIS_SWITCH;

fn to_new(map: &mut MapData, told: &mut ConversionReport) {
    if map.flags.layout() == Layout::New {
        return;
    }
    if map.flags.priority_is_user_data() {
        let used = cells_where(map, |cell| cell.priority_user_data.unwrap_or(0) != 0);
        told.lost(
            used,
            "cell",
            "their user data in place of a priority, which the new layout does not support",
        );
        told.loss("the flag for user data in place of priorities is lost");
    }
    let high = cells_where(map, |cell| cell.priority > 1);
    told.lost(
        high,
        "cell",
        "their priority above 1: the new layout has only 0 and 1",
    );
    let flags = map.flags.0 & !SINGLE_LAYOUT_FLAGS | MapFlags::NEW_LAYOUT;
    set_flags(map, flags, |cell| Cell {
        priority: cell.priority.min(1),
        priority_user_data: None,
        ..cell
    });
}

fn to_old(map: &mut MapData, told: &mut ConversionReport) {
    if map.flags.layout() == Layout::Old {
        return;
    }
    if let Some(logic) = map.logic.take() {
        told.lost(
            logic.len(),
            "cell",
            "their logic attribute, which the old layout does not support",
        );
    }
    let palette = |cell: Cell| cell.palette_user_data.unwrap_or(cell.palette);
    let high = cells_where(map, |cell| palette(cell) > 0xFF);
    told.lost(
        high,
        "cell",
        "their palette above 255: only its lowest 8 bits are kept",
    );
    let is_turned = cells_where(map, |cell| cell.axis_switch).count > 0;
    let axis_switch = if is_turned { MapFlags::AXIS_SWITCH } else { 0 };
    let flags = map.flags.0 & !SINGLE_LAYOUT_FLAGS & !MapFlags::NEW_LAYOUT | axis_switch;
    set_flags(map, flags, |cell| cell);
}

impl Content for MapData {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        map_data::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        map_data::write(self).map_err(|error| error.to_string())
    }

    fn format() -> &'static Format {
        &MAP_FORMAT
    }

    fn form(&self) -> String {
        let compression = match self.flags.compression() {
            Compression::None => "no compression".to_owned(),
            compression => compression.name().to_owned(),
        };
        format!("{} layout, {compression}", self.flags.layout().name())
    }

    fn is_same(&self, other: &Self) -> bool {
        self.flags == other.flags
            && self.size == other.size
            && self.cells == other.cells
            && self.graphics == other.graphics
            && self.logic == other.logic
    }
}
