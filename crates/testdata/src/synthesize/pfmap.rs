//! Synthetic terrain for tests and measurements.

use mapscope_formats::pfmap::{
    CHUNK_SIDE, CHUNK_TILES, Field, Layout, Material, OddTiles, Pfmap, Tile, TileType, write,
};

/// Generates a map that resembles a landscape: hills with ramps and corners, cliffs, lakes, roads
/// and patches of seven materials, named as in the game. The bytes depend only on the arguments.
///
/// For tests and measurements; 64 x 64 chunks take 104 MB.
pub fn pfmap(chunk_rows: u32, chunk_cols: u32, seed: u64) -> Vec<u8> {
    let land = Land { seed };
    let (rows, cols) = (chunk_rows * CHUNK_SIDE, chunk_cols * CHUNK_SIDE);
    let mut tiles = Vec::with_capacity(rows as usize * cols as usize);
    let levels_of = |row| (0..=cols).map(|col| land.level(row, col)).collect();
    let mut north: Vec<i8> = levels_of(0);
    for row in 0..rows {
        let south: Vec<i8> = levels_of(row + 1);
        let corners = north.windows(2).zip(south.windows(2));
        for (col, (north, south)) in (0..cols).zip(corners) {
            tiles.push(land.tile(row, col, [north[0], north[1], south[0], south[1]]));
        }
        north = south;
    }
    debug_assert_eq!(
        tiles.len() as u64,
        u64::from(chunk_rows) * u64::from(chunk_cols) * u64::from(CHUNK_TILES)
    );
    let materials = MATERIALS.iter().zip(5..);
    write(&Pfmap {
        version: "1.0".to_owned(),
        materials: materials
            .map(|(&(name, texture), line)| Material {
                name: name.to_owned(),
                texture: texture.to_owned(),
                line,
            })
            .collect(),
        splats: Vec::new(),
        chunk_rows,
        chunk_cols,
        tiles,
        layout: Layout::regular(5 + MATERIALS.len() as u64, 4),
        crlf: false,
        problems: Vec::new(),
        bad_tiles: Vec::new(),
        odd_tiles: OddTiles::default(),
    })
}

/// The first seven materials of the game's demo map.
const MATERIALS: [(&str, &str); 7] = [
    ("Grass", "grass.png"),
    ("Cliffs", "cliffs.png"),
    ("Cobblestone", "cobblestone.jpg"),
    ("Grass2", "grass2.jpg"),
    ("Dirty-Grass", "dirty_grass.jpg"),
    ("Cracked-Dirt", "cracked_dirt.jpg"),
    ("Dirt-Road", "dirt_road.jpg"),
];
const GRASS: u16 = 0;
const CLIFFS: u16 = 1;
const COBBLESTONE: u16 = 2;
const OTHER_GRASS: u16 = 3;
const DIRTY_GRASS: u16 = 4;
const CRACKED_DIRT: u16 = 5;
const DIRT_ROAD: u16 = 6;

/// The number 1 in the fixed-point format of the land, which gives the same results on every
/// machine.
const ONE: i32 = 1 << 12;

/// The synthetic land: noise at several scales, each with its own layer number.
struct Land {
    seed: u64,
}

impl Land {
    /// A random number from 0 to [`ONE`] for a point of a lattice.
    fn random(&self, layer: u64, row: u32, col: u32) -> i32 {
        // The finaliser of SplitMix64, which hides patterns of its input.
        let mut bits = self.seed ^ layer << 58 ^ u64::from(row) << 29 ^ u64::from(col);
        bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 52) as i32
    }

    /// Smooth noise from 0 to [`ONE`] with a period of `size` tiles.
    fn noise(&self, layer: u64, size: u32, row: u32, col: u32) -> i32 {
        let smooth = |t: u32| {
            let t = (t % size) as i32 * ONE / size as i32;
            (t * t / ONE) * (3 * ONE - 2 * t) / ONE
        };
        let mix = |a: i32, b: i32, t: i32| a + (b - a) * t / ONE;
        let at = |down: u32, right: u32| self.random(layer, row / size + down, col / size + right);
        let (down, right) = (smooth(row), smooth(col));
        let north = mix(at(0, 0), at(0, 1), right);
        let south = mix(at(1, 0), at(1, 1), right);
        mix(north, south, down)
    }

    /// The height of a corner between tiles, in levels. Corners of one tile differ by at most one
    /// level, because the slope of the noise stays below one level per tile.
    fn level(&self, row: u32, col: u32) -> i8 {
        let height = self.noise(1, 40, row, col) * 6 - 2 * ONE;
        // Plains at the level of most of the land, between hills and lakes.
        let height = if (0..2 * ONE).contains(&height) {
            0
        } else {
            height - height.signum().max(0) * 2 * ONE
        };
        height.div_euclid(ONE) as i8
    }

    /// The tile between four corners: north-west, north-east, south-west, south-east.
    fn tile(&self, row: u32, col: u32, corners: [i8; 4]) -> Tile {
        let base = corners.into_iter().min().unwrap_or(0);
        let [nw, ne, sw, se] = corners.map(|level| level > base);
        // Table A5 of the fact sheet, from the raised corners to the type.
        let kind = match (nw, ne, sw, se) {
            (true, true, false, false) => TileType::RampSn,
            (false, false, true, true) => TileType::RampNs,
            (true, false, true, false) => TileType::RampEw,
            (false, true, false, true) => TileType::RampWe,
            (false, true, false, false) => TileType::CornerConcaveSw,
            // Two opposite raised corners match no type, so a lowered corner is raised as well.
            (true, true | false, false, true) => TileType::CornerConvexSw,
            (true, false, false, false) => TileType::CornerConcaveSe,
            (true | false, true, true, false) => TileType::CornerConvexSe,
            (false, false, false, true) => TileType::CornerConcaveNw,
            (false, true, true, true) => TileType::CornerConvexNw,
            (false, false, true, false) => TileType::CornerConcaveNe,
            (true, false, true, true) => TileType::CornerConvexNe,
            (false, false, false, false) | (true, true, true, true) => TileType::Flat,
        };
        // Plateaus rise from the plains with cliffs.
        let is_plain = base == 0 && kind == TileType::Flat;
        let is_table = is_plain && self.noise(2, 48, row, col) > ONE * 3 / 4;
        let mut tile = Tile::default();
        tile.kind = kind;
        tile.base_height = if is_table { 4 } else { base };
        tile.ramp_height = u8::from(kind != TileType::Flat);
        tile.top_material = self.ground(row, col, base);
        tile.side_material = CLIFFS;
        // Deep water is not walkable.
        tile.set(Field::Pathable, i32::from(base >= -1));
        tile
    }

    /// The material on top of a tile.
    fn ground(&self, row: u32, col: u32, base: i8) -> u16 {
        let road = (self.noise(3, 56, row, col) - ONE / 2).abs();
        let patch = self.noise(4, 14, row, col);
        match base {
            ..0 => CRACKED_DIRT,
            0 if road < ONE / 50 => DIRT_ROAD,
            0 if road < ONE / 12 && patch > ONE * 4 / 5 => COBBLESTONE,
            _ if patch > ONE * 3 / 4 => OTHER_GRASS,
            _ if patch < ONE / 5 => DIRTY_GRASS,
            _ => GRASS,
        }
    }
}
