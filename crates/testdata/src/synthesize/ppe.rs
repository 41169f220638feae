//! Maps made up for tests and measurements.

use mapscope_formats::Integers;
use mapscope_formats::ppe::{Cell, Corner, Layout, MapData, MapFlags};

/// How many tiles made-up maps use.
const TILES: u32 = 64;

/// Makes up a map: patches of tiles with holes between them, in which every mirror, palette and
/// priority that the flags allow occurs, and the attributes that they ask for. The same numbers
/// make the same map.
pub fn ppe_map(size: [u32; 2], flags: MapFlags, seed: u64) -> MapData {
    let count = size[0] as usize * size[1] as usize;
    let width = size[0].max(1) as usize;
    let cells = (0..count).map(|i| {
        let (x, y) = ((i % width) as u64, (i / width) as u64);
        // Eight by eight cells are alike, so that runs are as long as in drawn maps.
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

/// A cell of what its layout has room for.
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

/// A number that looks like chance (splitmix64).
pub(super) fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
