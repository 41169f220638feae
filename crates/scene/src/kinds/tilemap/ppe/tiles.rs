//! Tiles of a layer: the images that its cells need, and the cells that show them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::files::{Files, Pixels, quoted_name};
use super::notes::Notes;
use super::palette::{Colors, MapPalette, cut, has_foreign_colors};
use crate::core::parallel::split_among_threads;
use crate::core::rules;
use crate::describe::outline::base_name;
use crate::kinds::tilemap::{Cell, Tile, Tileset, missing_tile, numbered_tile};
use mapscope_formats::Place;
use mapscope_formats::ppe::sdlang::At;
use mapscope_formats::ppe::xmf::{Xmf, XmfLayer};
use mapscope_formats::ppe::{Cell as FileCell, Layout, MapData, MapFlags};

/// Side of tiles without a container, in pixels.
pub(super) const DEFAULT_SIDE: u32 = 16;
/// Maximum side of tiles, in pixels.
const MAX_SIDE: u32 = 1024;
/// Maximum bytes of numbered placeholder tiles per layer.
const MAX_NUMBERED_BYTES: usize = 64 << 20;
/// Maximum number of images per layer.
const MAX_IMAGES: usize = 1 << 17;

/// A tile in a palette: the identifier in the low 16 bits, and the palette above it.
type Key = u32;

fn key(id: u16, palette: u32) -> Key {
    u32::from(id) | palette << 16
}

/// Numbers the distinct keys without hashing: most layers have millions of cells and some hundred
/// keys.
struct KeyTable {
    /// One plus the number of a page, by the upper bits of a key.
    first: Vec<u32>,
    /// One plus the number of a key, by its low 8 bits.
    pages: Vec<[u32; 256]>,
    /// The keys in insertion order.
    keys: Vec<Key>,
    max: usize,
}

impl KeyTable {
    /// For keys with palettes below 4096, or without palettes.
    fn new(has_palettes: bool, max: usize) -> Self {
        let bits = if has_palettes { 28 - 8 } else { 16 - 8 };
        Self {
            first: vec![0; 1 << bits],
            pages: Vec::new(),
            keys: Vec::new(),
            max,
        }
    }

    fn get(&self, key: Key) -> Option<u32> {
        let page = *self.first.get((key >> 8) as usize)?;
        let page = self.pages.get(page.checked_sub(1)? as usize)?;
        page[(key & 255) as usize].checked_sub(1)
    }

    /// Adds a key if it is new, within the limit, and wanted.
    fn add(&mut self, key: Key, is_wanted: impl FnOnce() -> bool) {
        if self.get(key).is_some() || self.keys.len() >= self.max || !is_wanted() {
            return;
        }
        let Some(page) = self.first.get_mut((key >> 8) as usize) else {
            return;
        };
        if *page == 0 {
            self.pages.push([0; 256]);
            *page = self.pages.len() as u32;
        }
        self.keys.push(key);
        if let Some(page) = self.pages.get_mut(*page as usize - 1) {
            page[(key & 255) as usize] = self.keys.len() as u32;
        }
    }

    /// Renumbers the keys in ascending order.
    fn sort(&mut self) {
        self.keys
            .sort_unstable_by_key(|key| (key & 0xFFFF, key >> 16));
        for (number, key) in (1..).zip(&self.keys) {
            let page = self
                .first
                .get((key >> 8) as usize)
                .copied()
                .unwrap_or_default();
            if let Some(page) = self.pages.get_mut((page as usize).wrapping_sub(1)) {
                page[(key & 255) as usize] = number;
            }
        }
    }
}

/// Fast extraction of cell bits: [`FileCell::decode`] for millions of cells.
#[derive(Debug, Clone, Copy)]
struct Bits {
    flags: MapFlags,
    has_palettes: bool,
}

impl Bits {
    fn key(self, raw: u32) -> Key {
        if !self.has_palettes {
            return raw & 0xFFFF;
        }
        match self.flags.layout() {
            Layout::New => raw & 0x0FFF_FFFF,
            Layout::Old => raw & 0xFFFF | raw >> 24 << 16,
        }
    }

    fn cell(self, raw: u32, image: u32) -> Cell {
        let cell = FileCell::decode(raw, self.flags);
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        Cell(
            image
                | bit(cell.mirror_h, Cell::MIRROR_X)
                | bit(cell.mirror_v, Cell::MIRROR_Y)
                | bit(cell.axis_switch, Cell::SWAP_AXES)
                | bit(cell.priority != 0, Cell::PRIORITY),
        )
    }
}

/// The images and cells of a layer.
pub(super) struct Tiles {
    pub(super) tileset: Tileset,
    pub(super) cells: Vec<Cell>,
    pub(super) has_priority: bool,
    /// The cell that shows tile 0.
    pub(super) zero: Cell,
}

/// The definition of a tile.
struct TileDefinition {
    image: usize,
    place: u32,
    name: String,
}

/// A sheet of a layer.
struct Sheet {
    pixels: Arc<Pixels>,
    pal_shift: Option<u32>,
}

/// The tiles that a layer's sheets define.
#[derive(Default)]
pub(super) struct Definitions {
    sheets: Vec<Sheet>,
    /// By the identifier.
    tiles: Vec<Option<TileDefinition>>,
    /// `true` if any sheet is available.
    pub(super) has_images: bool,
    /// `true` to hide tiles that no sheet defines; only if there is a sheet.
    hides_undefined: bool,
    name: String,
}

impl Definitions {
    /// Loads the definitions of a layer of a container, including the tiles shared from other
    /// layers.
    pub(super) fn load(
        xmf: &Xmf,
        layer: &XmfLayer,
        tile_size: [u32; 2],
        files: &mut Files<'_>,
        notes: &mut Notes,
    ) -> Self {
        let mut definitions = Self::default();
        let order = files.tile_order;
        let shared = xmf
            .layers
            .iter()
            .filter(|other| layer.shared_tiles.contains(&other.priority));
        let mut names = Vec::new();
        for source in std::iter::once(layer)
            .chain(shared)
            .flat_map(|layer| &layer.tile_sources)
        {
            let pixels = match files.image(&source.path) {
                Ok(pixels) => pixels,
                Err((rule, error)) => {
                    let message = format!("sheet {error}; its tiles are shown as numbers");
                    notes.add_tile_problem(rule, source.at, message);
                    continue;
                }
            };
            let name = base_name(&source.path);
            names.push(name);
            let [columns, rows] = [0, 1].map(|axis| pixels.size()[axis] / tile_size[axis]);
            let count = columns.saturating_mul(rows);
            definitions.has_images = true;
            let sheet = definitions.sheets.len();
            definitions.sheets.push(Sheet {
                pixels,
                pal_shift: source.pal_shift,
            });
            let mut outside = None;
            let mut define = |id: u32, place: u32, name: &str| {
                if place >= count {
                    outside.get_or_insert((id, place));
                    return;
                }
                let defined = TileDefinition {
                    image: sheet,
                    place,
                    name: name.to_owned(),
                };
                definitions.define(id, defined);
            };
            match &source.tiles {
                Some(tiles) => {
                    for tile in tiles {
                        define(tile.id(order), tile.index(order), &tile.name);
                    }
                }
                // Without a tile list, tiles are numbered by position.
                None => (0..count.min(0xFFFF)).for_each(|place| define(place, place, "")),
            }
            if let Some((id, place)) = outside {
                let name = quoted_name(&source.path);
                let message = format!(
                    "tile {id} is at position {place} of the sheet {name}, which has {count} \
                     positions"
                );
                notes.add_tile_problem(&rules::SHEET_PLACE, source.at, message);
            }
        }
        definitions.name = names.join(", ");
        definitions.hides_undefined = files.hides_undefined && definitions.has_images;
        definitions
    }

    /// For duplicate identifiers, the first definition counts.
    fn define(&mut self, id: u32, defined: TileDefinition) {
        let id = id as usize;
        if id >= usize::from(FileCell::NO_TILE) {
            return;
        }
        if self.tiles.len() <= id {
            self.tiles.resize_with(id + 1, || None);
        }
        if let Some(place) = self.tiles.get_mut(id) {
            place.get_or_insert(defined);
        }
    }

    fn get(&self, id: u32) -> Option<&TileDefinition> {
        self.tiles.get(id as usize)?.as_ref()
    }

    /// `true` if cells with a key are empty.
    fn hides(&self, key: Key) -> bool {
        let id = key & 0xFFFF;
        id == u32::from(FileCell::NO_TILE) || (self.hides_undefined && self.get(id).is_none())
    }

    fn is_indexed(&self) -> bool {
        let mut sheets = self.sheets.iter();
        sheets.any(|sheet| matches!(*sheet.pixels, Pixels::Indexed(_)))
    }
}

/// The tile size of a container if it is valid, else the default.
pub(super) fn checked_size(size: [u32; 2], at: At, notes: &mut Notes) -> [u32; 2] {
    if size.iter().all(|side| (1..=MAX_SIDE).contains(side)) {
        return size;
    }
    let [width, height] = size;
    if size != [0; 2] {
        notes.add(
            &rules::TILE_SIZE,
            at,
            format!(
                "tiles of {width} x {height} pixels; expected 1 to {MAX_SIDE} per side (shown \
                 with {DEFAULT_SIDE} x {DEFAULT_SIDE})"
            ),
        );
    }
    [DEFAULT_SIDE; 2]
}

/// Builds the images and cells of a layer. Images may take up to `room_bytes` bytes.
pub(super) fn build(
    map: &MapData,
    definitions: &Definitions,
    palette: &MapPalette,
    tile_size: [u32; 2],
    room_bytes: usize,
    place: Place,
    notes: &mut Notes,
) -> Tiles {
    let tile_bytes = tile_size[0] as usize * tile_size[1] as usize * 4;
    let max = (room_bytes / tile_bytes.max(1)).clamp(1, MAX_IMAGES);
    // If colours do not come from palettes, a tile has one image.
    let has_palettes = definitions.is_indexed() && !map.flags.has(MapFlags::PALETTE_USER_DATA);
    let bits = Bits {
        flags: map.flags,
        has_palettes,
    };
    let mut table = KeyTable::new(has_palettes, max);
    let mut is_used = vec![false; 1 << 16];
    let mut numbered_left = MAX_NUMBERED_BYTES / tile_bytes.max(1);
    // Neighbours are often equal.
    let mut last = None;
    for raw in &map.cells {
        if last == Some(*raw) {
            continue;
        }
        last = Some(*raw);
        let key = bits.key(*raw);
        if !definitions.hides(key) {
            // Numbered placeholders have the declared tile size, however large, so their number is
            // limited.
            table.add(key, || {
                let is_defined = definitions.get(key & 0xFFFF).is_some();
                let left = numbered_left.checked_sub(usize::from(!is_defined));
                numbered_left = left.unwrap_or(0);
                left.is_some()
            });
        }
    }
    for key in &table.keys {
        is_used[usize::from(*key as u16)] = true;
    }
    // Unused tiles of the sheets are listed too.
    for (id, tile) in (0..).zip(&definitions.tiles) {
        if tile.is_some() && !is_used[usize::from(id as u16)] {
            table.add(id, || true);
        }
    }
    table.sort();
    let mut tileset = Tileset {
        name: definitions.name.clone(),
        tile_size,
        count: table.keys.len(),
        rgba: Vec::with_capacity(table.keys.len() * tile_bytes),
        is_placeholder: !definitions.has_images,
        ..Tileset::default()
    };
    let mut painter = Painter {
        definitions,
        palette,
        tile_size,
        colors: None,
        undefined: BTreeSet::new(),
        without_colors: None,
    };
    for key in &table.keys {
        let tile = painter.paint(*key, &mut tileset.rgba);
        tileset.tiles.push(Tile {
            palette: has_palettes.then_some(key >> 16),
            ..tile
        });
    }
    let undefined = &painter.undefined;
    if let Some(id) = undefined.first().filter(|_| definitions.has_images) {
        notes.add_tile_problem(
            &rules::UNDEFINED_TILE,
            place,
            format!(
                "{} not found in any sheet; shown as numbers (the engine draws nothing)",
                match undefined.len() {
                    1 => format!("tile {id}"),
                    count => format!("{count} tiles, tile {id} first,"),
                }
            ),
        );
    }
    if let Some(number) = painter.without_colors {
        notes.add_tile_problem(
            &rules::PALETTE_COLORS,
            place,
            format!(
                "too few colours for palette {number} in the map; those of the sheet are shown"
            ),
        );
    }
    let (cells, all, left_out) = cells_of(&map.cells, bits, &table, definitions);
    if left_out > 0 {
        notes.add_tile_problem(
            &rules::PICTURE_LIMIT,
            place,
            format!(
                "too many tile images; {left_out} cells are shown without theirs, beside {} \
                 images",
                table.keys.len()
            ),
        );
        tileset.missing = Some(tileset.count);
        tileset.count += 1;
        tileset.rgba.extend(missing_tile(tile_size));
        tileset.tiles.push(Tile {
            id: 0,
            palette: None,
            name: "tiles without an image".to_owned(),
        });
    }
    let zero = table.get(key(0, 0));
    Tiles {
        tileset,
        cells,
        has_priority: Cell(all).has_priority(),
        zero: zero.map_or(Cell::EMPTY, Cell),
    }
}

/// The cells of a layer, the union of their bits, and the number of cells without an image because
/// of the limit.
fn cells_of(
    raw: &[u32],
    bits: Bits,
    table: &KeyTable,
    definitions: &Definitions,
) -> (Vec<Cell>, u32, u64) {
    let mut cells = bytemuck::allocation::zeroed_vec::<Cell>(raw.len());
    let done = split_among_threads(&mut cells, 1, |first, cells| {
        let raw = raw.get(first..).unwrap_or_default();
        fill(cells, raw, bits, table, definitions)
    })
    .into_iter();
    let (all, left_out) = done.fold((0, 0), |(all, left_out), (bits, more)| {
        (all | bits, left_out + more)
    });
    (cells, all, left_out)
}

/// Fills a part of [`cells_of`].
fn fill(
    cells: &mut [Cell],
    raw: &[u32],
    bits: Bits,
    table: &KeyTable,
    definitions: &Definitions,
) -> (u32, u64) {
    let missing = table.keys.len() as u32;
    let (mut all, mut left_out) = (0, 0);
    // Neighbours are often equal.
    let mut last = None;
    let (mut cell, mut is_left_out) = (Cell::EMPTY, false);
    for (place, raw) in cells.iter_mut().zip(raw) {
        if last != Some(*raw) {
            last = Some(*raw);
            let key = bits.key(*raw);
            let image = table.get(key);
            let is_empty = definitions.hides(key);
            is_left_out = image.is_none() && !is_empty;
            cell = if is_empty {
                Cell::EMPTY
            } else {
                bits.cell(*raw, image.unwrap_or(missing))
            };
            all |= cell.0;
        }
        left_out += u64::from(is_left_out);
        *place = cell;
    }
    (all, left_out)
}

/// Paints images of tiles.
struct Painter<'a> {
    definitions: &'a Definitions,
    palette: &'a MapPalette,
    tile_size: [u32; 2],
    /// The colours of the last tile, with their sheet and palette.
    colors: Option<(usize, u32, Colors)>,
    /// Tiles that no sheet defines.
    undefined: BTreeSet<u32>,
    /// The first palette with missing colours.
    without_colors: Option<u32>,
}

impl Painter<'_> {
    fn paint(&mut self, key: Key, out: &mut Vec<u8>) -> Tile {
        let (id, number) = (key & 0xFFFF, key >> 16);
        let defined = self.definitions.get(id);
        let found = defined.and_then(|tile| Some((tile, self.definitions.sheets.get(tile.image)?)));
        let Some((tile, sheet)) = found else {
            out.extend(numbered_tile(self.tile_size, id));
            self.undefined.insert(id);
            return Tile {
                id,
                palette: None,
                name: String::new(),
            };
        };
        let is_known = matches!(&self.colors, Some((s, n, _)) if (*s, *n) == (tile.image, number));
        if !is_known && let Pixels::Indexed(image) = &*sheet.pixels {
            let colors = self.palette.colors_of(image, number, sheet.pal_shift);
            self.colors = Some((tile.image, number, colors));
        }
        let [width, height] = self.tile_size;
        let columns = (sheet.pixels.size()[0] / width).max(1);
        let at = [
            i64::from(tile.place % columns) * i64::from(width),
            i64::from(tile.place / columns) * i64::from(height),
        ];
        let colors = self.colors.as_ref().map(|(_, _, colors)| colors);
        if let (Pixels::Indexed(sheet), Some(colors)) = (&*sheet.pixels, colors)
            && self.without_colors.is_none()
            && has_foreign_colors(sheet, at, self.tile_size, colors)
        {
            self.without_colors = Some(number);
        }
        cut(&sheet.pixels, at, self.tile_size, colors, out);
        Tile {
            id,
            palette: None,
            name: tile.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_rising_order() {
        for has_palettes in [false, true] {
            let mut table = KeyTable::new(has_palettes, 4);
            let palette = u32::from(has_palettes) * 4095;
            let keys = [key(0xFFFE, palette), key(7, palette), key(7, 0), key(0, 0)];
            for _ in 0..2 {
                for key in &keys {
                    table.add(*key, || true);
                }
                table.add(key(6, 0), || false);
            }
            table.add(key(9, 0), || true);
            table.sort();
            let numbers = keys.map(|key| table.get(key));
            let expected = if has_palettes {
                [3, 2, 1, 0].map(Some)
            } else {
                [Some(3), Some(1), Some(1), Some(0)]
            };
            assert_eq!(numbers, expected);
            // Added only while the limit allows it.
            assert_eq!(table.get(key(9, 0)).is_some(), !has_palettes);
            assert_eq!([6, 8].map(|id| table.get(key(id, 0))), [None; 2]);
            assert_eq!(table.get(u32::MAX), None);
        }
    }

    #[test]
    fn cells_keep_their_flags() {
        let cell = |raw, flags| {
            Bits {
                flags: MapFlags(flags),
                has_palettes: true,
            }
            .cell(raw, 5)
        };
        assert_eq!(cell(0xF123_0007, 8).0 >> 24, 0b1111);
        assert_eq!(cell(0x1000_0007, 8), Cell(5 | Cell::MIRROR_X));
        assert_eq!(cell(0x0107_0007, 4).0 >> 24, 0b0111);
        assert_eq!(cell(0x0004_0007, 0), Cell(5 | Cell::PRIORITY));
        assert_eq!(cell(0x0004_0007, 1), Cell(5));
    }
}
