//! The map: a mountain, a walled plateau, a lake with an island, a river, roads to all of them, and
//! a garden with a row of the 13 tile types.
//!
//! Heights are whole levels at tile corners. The type of a tile follows from its four corners. At
//! sheer walls, the tiles on top have their own corners.

use image::RgbImage;
use mapscope_formats::pfmap::{BlendMode, CHUNK_SIDE, Edge, Field, TILE_CHARS, Tile, TileType};

use super::textures;
use crate::noise::{fbm, smoothstep};

/// Number of chunks along one side of the map.
const CHUNKS: u32 = 4;
/// Number of tiles along one side of the map.
pub(crate) const SIDE: i32 = (CHUNKS * CHUNK_SIDE) as i32;

/// A texture of the map.
pub(crate) struct Material {
    name: &'static str,
    /// File name.
    pub(crate) texture: &'static str,
    /// Paints the texture.
    pub(crate) paint: fn() -> RgbImage,
}

const fn material(name: &'static str, texture: &'static str, paint: fn() -> RgbImage) -> Material {
    Material {
        name,
        texture,
        paint,
    }
}

/// The materials in file order. At a hard seam, the later material overlaps the earlier one.
pub(crate) const MATERIALS: [Material; 9] = [
    material("Grass", "grass.jpg", textures::grass),
    material("Meadow", "meadow.jpg", textures::meadow),
    material("Moss", "moss.jpg", textures::moss),
    material("Rock", "rock.jpg", textures::rock),
    material("Sand", "sand.jpg", textures::sand),
    material("Path", "path.jpg", textures::path),
    material("Cobbles", "cobbles.jpg", textures::cobbles),
    material("Flagstones", "flagstones.jpg", textures::flagstones),
    material("Snow", "snow.jpg", textures::snow),
];
const GRASS: u16 = 0;
const MEADOW: u16 = 1;
const MOSS: u16 = 2;
const ROCK: u16 = 3;
const SAND: u16 = 4;
const PATH: u16 = 5;
const COBBLES: u16 = 6;
const FLAGSTONES: u16 = 7;
const SNOW: u16 = 8;

/// Column and row, in tiles from the north-west corner of the map.
pub(crate) type Place = [f32; 2];

const MOUNTAIN: Place = [31.0, 30.0];
const PLATEAU: Place = [96.0, 25.0];
const LAKE: Place = [32.0, 94.0];
pub(crate) const ISLAND: Place = [29.0, 92.0];
const RIVER: [Place; 6] = [
    [44.0, 97.0],
    [58.0, 102.0],
    [70.0, 108.0],
    [84.0, 108.0],
    [104.0, 116.0],
    [128.0, 110.0],
];
/// Cobbled roads: from the south over the river to the square, and on to the plateau's ramp.
pub(crate) const ROADS: [&[Place]; 2] = [
    &[[76.5, 128.0], [76.5, 62.0]],
    &[[76.5, 62.0], [76.5, 51.5], [92.5, 51.5], [92.5, 24.0]],
];
/// Dirt paths: from the square to the lake, up the mountain, and to the garden.
pub(crate) const PATHS: [&[Place]; 3] = [
    &[[72.0, 63.5], [60.0, 65.0], [53.0, 74.0], [48.0, 84.0]],
    &[
        [62.0, 64.5],
        [64.5, 54.0],
        [66.5, 42.0],
        [62.0, 37.5],
        [45.0, 37.5],
        [41.0, 43.0],
        [31.0, 45.5],
    ],
    &[[80.0, 62.5], [92.0, 68.0], [108.0, 69.0], [109.5, 77.0]],
];
/// West, north, east and south end of the paved square, and of the garden.
pub(crate) const SQUARE: [i32; 4] = [70, 56, 83, 69];
pub(crate) const GARDEN: [i32; 4] = [95, 77, 124, 91];
/// The ruin on the plateau: a wall around a yard.
const RUIN: [i32; 4] = [97, 14, 110, 26];

pub(crate) fn distance(a: Place, b: Place) -> f32 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    (x * x + y * y).sqrt()
}

/// Distance from a polyline.
fn distance_from_line(at: Place, line: &[Place]) -> f32 {
    let from_segment = |ends: &[Place]| {
        let [a, b] = [ends[0], ends[1]];
        let along = [b[0] - a[0], b[1] - a[1]];
        let dot = (at[0] - a[0]) * along[0] + (at[1] - a[1]) * along[1];
        let t = (dot / (along[0] * along[0] + along[1] * along[1])).clamp(0.0, 1.0);
        distance(at, [a[0] + along[0] * t, a[1] + along[1] * t])
    };
    line.windows(2).map(from_segment).fold(f32::MAX, f32::min)
}

pub(crate) fn distance_from_lines(at: Place, lines: &[&[Place]]) -> f32 {
    let each = lines.iter().map(|line| distance_from_line(at, line));
    each.fold(f32::MAX, f32::min)
}

/// Maximum level of hills; higher ground may have cliffs.
const HILLS_MAX: i32 = 4;

/// Distance from a rectangle; 0 inside.
pub(crate) fn distance_from(at: Place, [west, north, east, south]: [i32; 4]) -> f32 {
    let beyond = |x: f32, low: i32, high: i32| (low as f32 - x).max(x - high as f32).max(0.0);
    distance(
        [beyond(at[0], west, east), beyond(at[1], north, south)],
        [0.0, 0.0],
    )
}

fn within(column: i32, row: i32, [west, north, east, south]: [i32; 4]) -> bool {
    (west..east).contains(&column) && (north..south).contains(&row)
}

/// Noise over the map with the given number of waves across it.
fn wild(at: Place, waves: i32, seed: u32) -> f32 {
    fbm(
        at.map(|a| (a / SIDE as f32).clamp(0.0, 0.999)),
        [waves, waves],
        3,
        seed,
    )
}

/// Softer noise, without small bumps.
fn rolling(at: Place, waves: i32, seed: u32) -> f32 {
    1.2 * fbm(
        at.map(|a| (a / SIDE as f32).clamp(0.0, 0.999)),
        [waves, waves],
        1,
        seed,
    )
}

/// Distance from the shore of the lake; negative inside it.
fn from_lake(at: Place) -> f32 {
    distance(at, LAKE) - 19.0 + 5.0 * wild(at, 6, 101)
}

/// Distance from the banks of the river; negative inside it.
fn from_river(at: Place) -> f32 {
    distance_from_line(at, &RIVER) - 3.2 + 0.8 * wild(at, 10, 102)
}

/// Distance from any water.
pub(crate) fn inland(at: Place) -> f32 {
    from_lake(at).min(from_river(at))
}

/// Level of the ground at a tile corner, before the plateau and buildings.
fn ground(at: Place) -> i32 {
    let island = distance(at, ISLAND) + 1.5 * wild(at, 12, 103);
    match island {
        ..2.6 => return 1,
        ..5.2 => return 0,
        ..7.5 => return -1,
        _ => {}
    }
    match (from_lake(at), from_river(at)) {
        (..-3.6, _) | (0.0.., ..-1.7) => return -3,
        (..0.0, _) | (_, ..0.0) => return -1,
        _ => {}
    }
    let mountain = distance(at, MOUNTAIN) + 6.0 * wild(at, 7, 104);
    match mountain {
        ..3.2 => return 9,
        ..8.5 if wild(at, 13, 113) > 0.06 => return 9,
        ..11.0 => return 8,
        ..18.5 => return 5,
        ..23.0 => return 2,
        _ => {}
    }
    let built = distance_from_lines(at, &ROADS)
        .min(distance_from_lines(at, &PATHS))
        .min(distance_from(at, SQUARE))
        .min(distance_from(at, GARDEN));
    let room = smoothstep(3.0, 11.0, built)
        * smoothstep(2.5, 11.0, inland(at))
        * smoothstep(24.0, 36.0, mountain);
    let hills = 2.2 + 5.0 * rolling(at, 5, 105) - 0.03 * distance(at, [64.0, 64.0]);
    let foot = 2.4 * smoothstep(34.0, 22.5, mountain);
    ((hills * room).max(foot) as i32).clamp(0, HILLS_MAX)
}

/// The heights of a tile's corners, in levels: north-west, north-east, south-west, south-east.
type Corners = [i32; 4];

/// Type, base and ramp height of a tile with these corners; `None` if no type matches.
fn shape([nw, ne, sw, se]: Corners) -> Option<(TileType, i32, i32)> {
    let base = nw.min(ne).min(sw).min(se);
    let ramp = nw.max(ne).max(sw).max(se) - base;
    let raised = [nw, ne, sw, se].map(|corner| match corner - base {
        0 => Some(false),
        rise if rise == ramp => Some(true),
        _ => None,
    });
    let kind = match raised {
        [Some(nw), Some(ne), Some(sw), Some(se)] => match (nw, ne, sw, se) {
            (false, false, false, false) => TileType::Flat,
            (true, true, false, false) => TileType::RampSn,
            (false, false, true, true) => TileType::RampNs,
            (true, false, true, false) => TileType::RampEw,
            (false, true, false, true) => TileType::RampWe,
            (false, true, false, false) => TileType::CornerConcaveSw,
            (true, true, false, true) => TileType::CornerConvexSw,
            (true, false, false, false) => TileType::CornerConcaveSe,
            (true, true, true, false) => TileType::CornerConvexSe,
            (false, false, false, true) => TileType::CornerConcaveNw,
            (false, true, true, true) => TileType::CornerConvexNw,
            (false, false, true, false) => TileType::CornerConcaveNe,
            (true, false, true, true) => TileType::CornerConvexNe,
            _ => return None,
        },
        _ => return None,
    };
    Some((kind, base, ramp))
}

/// The corners that give a tile this type.
pub(crate) fn corners_of(wanted: TileType, base: i32, ramp: i32) -> Corners {
    let raised = |bits: i32| [8, 4, 2, 1].map(|bit| base + if bits & bit != 0 { ramp } else { 0 });
    let all = (0..16).map(raised);
    let mut fitting = all.filter(|&c| shape(c).is_some_and(|(kind, ..)| kind == wanted));
    fitting.next().unwrap_or([base; 4])
}

/// Heights at the corners of all tiles, such that every tile has a type.
struct Ground(Vec<i32>);

impl Ground {
    fn new() -> Self {
        let corner = |i: i32| ground([(i % (SIDE + 1)) as f32, (i / (SIDE + 1)) as f32]);
        let mut ground = Self((0..(SIDE + 1) * (SIDE + 1)).map(corner).collect());
        // Lowers corners that match no type until all tiles have one.
        while (0..SIDE * SIDE)
            .filter(|i| ground.dig(i % SIDE, i / SIDE))
            .count()
            > 0
        {}
        ground
    }

    fn indices(column: i32, row: i32) -> [usize; 4] {
        let corner = |x: i32, y: i32| ((row + y) * (SIDE + 1) + column + x) as usize;
        [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)]
    }

    fn corners(&self, column: i32, row: i32) -> Corners {
        Self::indices(column, row).map(|i| self.0[i])
    }

    /// Lowers a corner of a tile that has no type or is too steep for a hill. Returns `true` if it
    /// changed.
    fn dig(&mut self, column: i32, row: i32) -> bool {
        let corners = self.corners(column, row);
        let low = corners.into_iter().min().unwrap_or(0);
        let high = corners.into_iter().max().unwrap_or(0);
        let too_steep = low >= 0 && high <= HILLS_MAX && high > low + 1;
        if shape(corners).is_some() && !too_steep {
            return false;
        }
        let between = |&c: &i32| c != low && c != high;
        let wrong = corners.iter().position(between);
        let wrong = wrong.or(corners.iter().position(|&c| c == high));
        if let Some(corner) = wrong {
            let to = if too_steep { corners[corner] - 1 } else { low };
            self.0[Self::indices(column, row)[corner]] = to;
        }
        true
    }
}

/// A tile under construction.
struct TileDraft {
    corners: Corners,
    top: u16,
    side: u16,
    /// Built by people: no soft edges, no bumps.
    built: bool,
    /// Not walkable, even if it is flat.
    wall: bool,
}

impl TileDraft {
    fn built(corners: Corners, top: u16) -> Self {
        Self {
            corners,
            top,
            side: FLAGSTONES,
            built: true,
            wall: false,
        }
    }
}

/// `true` if the plateau, at level 4 with sheer walls, covers this tile.
fn on_plateau(column: i32, row: i32) -> bool {
    let at = [column as f32 + 0.5, row as f32 + 0.5];
    row < 43 && distance(at, PLATEAU) + 5.0 * wild(at, 8, 106) < 19.0
}

/// The path up the mountain, which rises from east to west: its level at the western edge of a
/// column.
fn climb(column: i32) -> i32 {
    (62 - column).clamp(0, 2) + (54 - column).clamp(0, 3)
}

/// The building at this tile, if any.
fn works(column: i32, row: i32, ground: Corners) -> Option<TileDraft> {
    if let Some(spot) = garden(column, row) {
        return Some(spot);
    }
    if within(column, row, RUIN) {
        return Some(ruin(column, row));
    }
    let wet = ground.iter().any(|&c| c < 0);
    if (75..78).contains(&column) && row > 90 && wet {
        return Some(TileDraft::built([0; 4], FLAGSTONES));
    }
    if (91..94).contains(&column) && (43..47).contains(&row) {
        let base = 46 - row;
        let corners = corners_of(TileType::RampSn, base, 1);
        return Some(TileDraft {
            side: ROCK,
            ..TileDraft::built(corners, COBBLES)
        });
    }
    if (47..63).contains(&column) && (36..39).contains(&row) {
        let (west, east) = (climb(column), climb(column + 1));
        let corners = [west, east, west, east];
        return Some(TileDraft {
            side: ROCK,
            built: false,
            ..TileDraft::built(corners, PATH)
        });
    }
    None
}

/// The 13 types in a row: with one level to climb, and again with two, where the slope has the side
/// material. Between the rows, cobbles encode the digit of each type in binary.
fn garden(column: i32, row: i32) -> Option<TileDraft> {
    if !within(column, row, GARDEN) {
        return None;
    }
    let [west, north, east, south] = GARDEN;
    let (x, y) = (column - west, row - north);
    if x == 0 || y == 0 || column == east - 1 || row == south - 1 {
        return Some(TileDraft::built([0; 4], COBBLES));
    }
    let kind = TileType::ALL.get(((x - 2) / 2) as usize).copied();
    let kind = kind.filter(|_| x >= 2 && x % 2 == 0);
    let Some(kind) = kind else {
        return Some(TileDraft::built([0; 4], FLAGSTONES));
    };
    let stand = |ramp| {
        let corners = match kind {
            TileType::Flat => [ramp; 4],
            kind => corners_of(kind, 0, ramp),
        };
        let spot = TileDraft::built(corners, if ramp == 1 { SAND } else { GRASS });
        Some(TileDraft {
            side: ROCK,
            wall: true,
            ..spot
        })
    };
    match y {
        3 => stand(1),
        5..9 => {
            let bit = kind as i32 >> (8 - y) & 1;
            Some(TileDraft::built(
                [0; 4],
                if bit == 1 { COBBLES } else { SAND },
            ))
        }
        11 => stand(2),
        _ => Some(TileDraft::built([0; 4], FLAGSTONES)),
    }
}

/// Walls around a yard, open to the south, with towers at the corners.
fn ruin(column: i32, row: i32) -> TileDraft {
    let [west, north, east, south] = RUIN;
    let (x, y) = (column - west, row - north);
    let near = |n: i32, end: i32, width: i32| n < width || n >= end - width;
    let (columns, rows) = (east - west, south - north);
    let tower = near(x, columns, 2) && near(y, rows, 2);
    let gate = y == rows - 1 && (5..8).contains(&x);
    let fallen = (x == 0 && (5..7).contains(&y)) || (y == 0 && (8..10).contains(&x));
    let wall = near(x, columns, 1) || near(y, rows, 1);
    match (tower, wall && !gate) {
        (true, _) => TileDraft {
            wall: true,
            ..TileDraft::built([8; 4], FLAGSTONES)
        },
        (_, true) if fallen => TileDraft {
            wall: true,
            ..TileDraft::built([5; 4], FLAGSTONES)
        },
        (_, true) => TileDraft {
            wall: true,
            ..TileDraft::built([6; 4], FLAGSTONES)
        },
        _ if (4..9).contains(&x) && (4..8).contains(&y) => TileDraft::built([4; 4], FLAGSTONES),
        _ => TileDraft::built([4; 4], COBBLES),
    }
}

/// The material of natural ground.
fn natural(at: Place, corners: Corners) -> u16 {
    let low = corners.into_iter().min().unwrap_or(0);
    let high = corners.into_iter().max().unwrap_or(0);
    let raised = corners.into_iter().filter(|&c| c == high).count();
    if low <= -3 {
        return MOSS;
    }
    let shore = inland(at).max(5.0 - distance(at, ISLAND));
    if low < 0 || (high <= 1 && shore < 2.4 + 1.6 * wild(at, 12, 107)) {
        return SAND;
    }
    let patch = wild(at, 9, 108);
    match low {
        8.. => SNOW,
        // The flat half of a slope's outer corner lies above it, in the snow of the summit.
        _ if high >= 8 && raised == 3 => SNOW,
        5.. if patch > 0.22 => ROCK,
        5.. if patch < -0.10 => MOSS,
        4.. if patch > 0.05 => MEADOW,
        _ if wild(at, 6, 109) > 0.22 => MEADOW,
        _ if wild(at, 5, 110) > 0.30 => MOSS,
        _ => GRASS,
    }
}

/// The properties of a tile.
fn spot(ground: &Ground, column: i32, row: i32) -> TileDraft {
    let corners = ground.corners(column, row);
    if let Some(spot) = works(column, row, corners) {
        return spot;
    }
    let corners = if on_plateau(column, row) {
        [4; 4]
    } else {
        corners
    };
    let at = [column as f32 + 0.5, row as f32 + 0.5];
    let dry = corners.iter().all(|&c| c >= 0);
    let [west, north, east, south] = SQUARE;
    let top = if within(column, row, [west + 2, north + 2, east - 2, south - 2]) {
        FLAGSTONES
    } else if within(column, row, SQUARE) || distance_from_lines(at, &ROADS) < 1.6 {
        COBBLES
    } else if dry && distance_from_lines(at, &PATHS) + 0.7 * wild(at, 20, 111) < 1.3 {
        PATH
    } else {
        natural(at, corners)
    };
    TileDraft {
        corners,
        top,
        side: ROCK,
        built: false,
        wall: false,
    }
}

/// The blend mode between two neighbours, which both must use.
fn blend(a: &TileDraft, b: &TileDraft) -> BlendMode {
    let hard = |spot: &TileDraft| matches!(spot.top, FLAGSTONES | SNOW);
    if a.built || b.built {
        BlendMode::None
    } else if a.top != b.top && (hard(a) || hard(b)) {
        BlendMode::Edge
    } else {
        BlendMode::Blur
    }
}

/// The tile of a spot, given its neighbours to the north, east, south and west.
fn tile(spot: &TileDraft, neighbours: [Option<&TileDraft>; 4], at: Place) -> Tile {
    let (kind, base, ramp) = shape(spot.corners).unwrap_or((TileType::Flat, spot.corners[0], 0));
    let steep = kind != TileType::Flat && ramp > 1;
    let mut tile = Tile::default();
    tile.kind = kind;
    tile.base_height = base as i8;
    tile.ramp_height = ramp as u8;
    tile.top_material = spot.top;
    tile.side_material = spot.side;
    let pathable = !spot.wall && !steep && base >= -1;
    tile.set(Field::Pathable, pathable.into());
    tile.set(Field::BlendNormals, (!spot.built).into());
    tile.set(Field::NoBump, (spot.built || spot.top == SNOW).into());
    let lush = wild(at, 14, 112);
    let grows = matches!(spot.top, GRASS | MEADOW) && !spot.built && !steep && lush > 0.1;
    tile.set(
        Field::Cover,
        if !grows {
            0
        } else if lush > 0.3 {
            1
        } else {
            2
        },
    );
    for (edge, neighbour) in Edge::ALL.into_iter().zip(neighbours) {
        let mode = blend(spot, neighbour.unwrap_or(spot));
        tile.set(Field::blend(edge), mode as i32);
    }
    tile
}

/// All tiles, row by row from the north-west corner.
pub(crate) fn tiles() -> Vec<Tile> {
    let ground = Ground::new();
    let all = || (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE));
    let spots: Vec<TileDraft> = all()
        .map(|(column, row)| spot(&ground, column, row))
        .collect();
    let spot_at = |column: i32, row: i32| {
        let inside = (0..SIDE).contains(&column) && (0..SIDE).contains(&row);
        inside.then(|| &spots[(row * SIDE + column) as usize])
    };
    all()
        .zip(&spots)
        .map(|((column, row), spot)| {
            let neighbours = [(0, -1), (1, 0), (0, 1), (-1, 0)];
            let neighbours = neighbours.map(|(x, y)| spot_at(column + x, row + y));
            tile(spot, neighbours, [column as f32 + 0.5, row as f32 + 0.5])
        })
        .collect()
}

/// The file.
pub(crate) fn text() -> String {
    let mut lines = vec![
        "version 1.2".to_owned(),
        format!("num_materials {}", MATERIALS.len()),
        "num_splats 1".to_owned(),
        format!("num_rows {CHUNKS}"),
        format!("num_cols {CHUNKS}"),
    ];
    let material = |m: &Material| format!("material {} {}", m.name, m.texture);
    lines.extend(MATERIALS.iter().map(material));
    lines.push(format!("splat {GRASS} {MEADOW}"));
    let tiles = tiles();
    let chunk_side = CHUNK_SIDE as usize;
    for chunk in 0..(CHUNKS * CHUNKS) as usize {
        let (chunk_row, chunk_column) = (chunk / CHUNKS as usize, chunk % CHUNKS as usize);
        for row in 0..chunk_side {
            let start = (chunk_row * chunk_side + row) * SIDE as usize + chunk_column * chunk_side;
            for four in tiles[start..start + chunk_side].chunks_exact(4) {
                let four: Vec<[u8; TILE_CHARS]> = four.iter().map(Tile::text).collect();
                lines.push(String::from_utf8_lossy(&four.join(&b' ')).into_owned());
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}
