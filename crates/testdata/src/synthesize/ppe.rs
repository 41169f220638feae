//! Synthetic maps for tests and measurements.

use mapscope_formats::Integers;
use mapscope_formats::ppe::sdlang::{At, Tag, Value};
use mapscope_formats::ppe::xmf::{
    LayerKind, MapSource, Metadata, Palette, PaletteSource, TileInfo, TileSource, Xmf, XmfLayer,
};
use mapscope_formats::ppe::{Cell, Corner, Layout, MapData, MapFlags};

/// Number of tiles that synthetic maps use.
const TILES: u32 = 64;
/// Size of a tile in pixels, and number of columns of the sheet.
const TILE: u32 = 16;
const SHEET_COLUMNS: u32 = 8;
/// Exponent of the palette size: palettes have 2^`PAL_SHIFT` colours. Cells select one of
/// `PALETTES`.
const PAL_SHIFT: u32 = 5;
const PALETTES: u32 = 4;
/// Total number of colours.
const COLORS: u32 = PALETTES << PAL_SHIFT;
/// File name of the sheet in synthetic containers, and of the texture of synthetic models.
pub const PPE_SHEET: &str = "made_up.tga";

/// Generates a container of one layer with the cells of [`ppe_map`]; its tiles are those of
/// [`ppe_sheet`].
pub fn ppe_container(size: [u32; 2], seed: u64) -> Xmf {
    let map = ppe_map(size, MapFlags(MapFlags::NEW_LAYOUT), seed);
    let tiles = (0..TILES).map(|id| TileInfo {
        first: id,
        second: id,
        name: format!("tile{id:04X}"),
        ..TileInfo::default()
    });
    Xmf {
        metadata: Metadata {
            version: Some([1, 0]),
            // A date that selects the current layout of cells.
            other: vec![Tag::new(
                "",
                "DateOfCreation",
                [Value::Text("2026-01-01".to_owned())],
            )],
            ..Metadata::default()
        },
        palettes: vec![Palette {
            source: PaletteSource::Embedded {
                name: None,
                colors: colors(seed).map(|[b, g, r]| [255, b, g, r]).collect(),
            },
            ..Palette::default()
        }],
        layers: vec![XmfLayer {
            name: "Made up".to_owned(),
            kind: LayerKind::Tile,
            tile_size: [TILE; 2],
            size,
            map: Some(MapSource::Embedded {
                cells: map.cells,
                at: At::default(),
            }),
            tile_sources: vec![TileSource {
                path: PPE_SHEET.to_owned(),
                pal_shift: Some(PAL_SHIFT),
                tiles: Some(tiles.collect()),
                ..TileSource::default()
            }],
            ..XmfLayer::default()
        }],
        ..Xmf::default()
    }
}

/// Blue, green and red of all colours.
fn colors(seed: u64) -> impl Iterator<Item = [u8; 3]> {
    (0..COLORS).map(move |color| {
        let [b, g, r, ..] = scramble(seed ^ u64::from(color)).to_le_bytes();
        [b, g, r]
    })
}

/// Generates the sheet of the synthetic containers as a TGA file: 64 tiles of 16 x 16 pixels and
/// four palettes.
pub fn ppe_sheet(seed: u64) -> Vec<u8> {
    let [width, height] = [SHEET_COLUMNS, TILES / SHEET_COLUMNS].map(|tiles| tiles * TILE);
    // With a palette of 24-bit colours that starts at 0, and rows from the top.
    let mut bytes = vec![0, 1, 1, 0, 0];
    bytes.extend((COLORS as u16).to_le_bytes());
    bytes.extend([24, 0, 0, 0, 0]);
    for side in [width, height] {
        bytes.extend((side as u16).to_le_bytes());
    }
    bytes.extend([8, 0x20]);
    bytes.extend(colors(seed).flatten());
    for y in 0..height {
        for x in 0..width {
            let tile = x / TILE + y / TILE * SHEET_COLUMNS;
            let grain = scramble(seed ^ u64::from(x) << 32 ^ u64::from(y)) as u32 % 4;
            // Colour 0 is transparent.
            bytes.push((1 + (tile + grain) % ((1 << PAL_SHIFT) - 1)) as u8);
        }
    }
    bytes
}

/// Generates a map: patches of tiles with holes between them, with every mirror, palette and
/// priority that the flags allow, and the attributes that they require. The map depends only on the
/// arguments.
pub fn ppe_map(size: [u32; 2], flags: MapFlags, seed: u64) -> MapData {
    let count = size[0] as usize * size[1] as usize;
    let width = size[0].max(1) as usize;
    let cells = (0..count).map(|i| {
        let (x, y) = ((i % width) as u64, (i / width) as u64);
        // Areas of 8 x 8 cells are uniform, so that runs are as long as in hand-drawn maps.
        let patch = scramble(seed ^ ((x / 8) << 32) ^ (y / 8));
        let bits = if patch.is_multiple_of(4) {
            scramble(seed ^ (x << 32) ^ y)
        } else {
            patch
        };
        cell(bits as u32, flags)
    });
    let cells = cells.map(|cell| cell.encode(flags)).collect();
    let value = |i: usize| scramble(seed ^ (i as u64 / 5));
    let logic = match flags.logic_bits() {
        0 => None,
        8 => Some(Integers::U8((0..count).map(|i| value(i) as u8).collect())),
        16 => Some(Integers::U16((0..count).map(|i| value(i) as u16).collect())),
        32 => Some(Integers::U32((0..count).map(|i| value(i) as u32).collect())),
        _ => Some(Integers::U64((0..count).map(value).collect())),
    };
    let graphics = flags.has_graphics().then(|| {
        let corner = |i: usize| {
            let bits = scramble(seed ^ (i as u64 / 3));
            let [r, g, b, a, rest @ ..] = bits.to_le_bytes();
            Corner {
                rgba: [r, g, b, a],
                light: bytemuck::cast(rest),
            }
        };
        (0..count)
            .map(|i| std::array::from_fn(|k| corner(4 * i + k)))
            .collect()
    });
    MapData {
        flags,
        size,
        cells,
        graphics,
        logic,
        ..MapData::default()
    }
}

/// A cell with values that its layout can represent.
fn cell(bits: u32, flags: MapFlags) -> Cell {
    if bits.is_multiple_of(7) {
        return Cell {
            tile_id: Cell::NO_TILE,
            ..Cell::default()
        };
    }
    let above_tile = match flags.layout() {
        // Palettes 0 to 3.
        Layout::Old => bits >> 8 & 0x03FF,
        Layout::New => bits >> 8 & 0xF003,
    };
    Cell::decode((bits % TILES) | (above_tile << 16), flags)
}

/// A pseudorandom number (splitmix64).
pub(super) fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
