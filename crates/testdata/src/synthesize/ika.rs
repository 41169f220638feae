//! Synthetic maps and tilesets for tests and measurements.

use mapscope_formats::ika::map::{self, Map};
use mapscope_formats::ika::text_map::{self, TextMap};
use mapscope_formats::ika::vsp::{Pixels, STRANDS, Strand, Version, Vsp};
use mapscope_formats::ika::{DIRECTIONS, Parallax};

/// Number of tiles of the synthetic tileset, and their size in pixels.
const TILES: u32 = 64;
const TILE: u32 = 16;
/// File name of the tileset in synthetic maps.
pub const IKA_TILESET: &str = "made_up.vsp";

/// Generates a binary map: meadows and water with paths, things scattered on the layers above,
/// zones, entities and obstruction. The result depends only on the arguments. `size` is in tiles;
/// the tileset is [`ika_tileset`].
pub fn ika_map(size: [u32; 2], layers: usize, seed: u64) -> Map {
    let [width, height] = size;
    let tiles = |layer: usize| tiles(size, layer, seed);
    let ground = tiles(0);
    // Water blocks everybody.
    let obstruction = ground.iter().map(|tile| u8::from(*tile < 16)).collect();
    let mut zone_numbers = vec![0; ground.len()];
    for (index, number) in zone_numbers.iter_mut().enumerate() {
        let (x, y) = (index as u32 % width, index as u32 / width);
        if x < width / 4 && y < height / 4 {
            *number = 1;
        } else if x >= width - width / 4 && y >= height - height / 4 {
            *number = 2;
        }
    }
    let digits = (1..=layers.min(9)).map(|layer| char::from(b'0' + layer as u8));
    let render_string: String = digits.chain(['E', 'R']).collect();
    let zone = |name: &str, chance_percent| map::Zone {
        name: name.to_owned(),
        chance_percent,
        ..map::Zone::default()
    };
    Map {
        tileset: IKA_TILESET.to_owned(),
        music: "song.it".to_owned(),
        render_string,
        size,
        start: [1, 1],
        wraps: seed.is_multiple_of(2),
        layers: (0..layers)
            .map(|layer| map::Layer {
                parallax: parallax(layer),
                tiles: tiles(layer),
                ..map::Layer::default()
            })
            .collect(),
        obstruction,
        zone_numbers,
        zones: vec![
            zone("No zone", 0),
            map::Zone {
                description: "In the north-west".to_owned(),
                activation_script: "enter_café".to_owned(),
                entity_script: "steps".to_owned(),
                delay_steps: 3,
                is_adjacent: true,
                ..zone("Café", 50)
            },
            zone("South-east", 100),
        ],
        entities: (0..8_u32)
            .map(|number| map::Entity {
                name: format!("Entity {number}"),
                position: entity_position(size, seed, number),
                direction: number as i32,
                speed: 100,
                is_obstructed_by_map: true,
                is_obstructed_by_entities: number.is_multiple_of(2),
                obstructs_entities: number.is_multiple_of(3),
                sprite: "walker.chr".to_owned(),
                is_adjacent: number.is_multiple_of(4),
                activation_script: format!("talk_{number}"),
                state: number % 6,
                move_script: "U2D2".to_owned(),
                wander_steps: 5,
                wander_delay: 60,
                wander_rect: [2, 3, 10, 12],
                wander_zone: "South-east".to_owned(),
                chase_target: "Entity 0".to_owned(),
                chase_distance: 16,
                place: 0..0,
            })
            .collect(),
        ..Map::default()
    }
}

/// Generates a text map with the tiles of [`ika_map`]; its layers differ in size and position.
pub fn ika_text_map(size: [u32; 2], layers: usize, seed: u64) -> TextMap {
    let [width, height] = size;
    let layer = |number: usize| {
        let shrink = number as u32 * 2;
        let size = [width, height].map(|edge| edge.saturating_sub(shrink).max(1));
        let tiles = tiles(size, number, seed);
        text_map::Layer {
            label: format!("Layer {number}"),
            size,
            position: [number as i32 * 8, number as i32 * -4],
            parallax: parallax(number),
            wrap: [number == 1, number == 2],
            obstructions: tiles.iter().map(|tile| u8::from(*tile < 16)).collect(),
            tiles,
            entities: (0..4_u32)
                .map(|entity| text_map::Entity {
                    label: format!("Entity {number}.{entity}"),
                    position: entity_position(size, seed, entity),
                    sprite: "walker.ika-sprite".to_owned(),
                    speed: 80,
                    direction: DIRECTIONS[entity as usize % 8].to_owned(),
                    move_script: "it's (a) path\\way\nnext".to_owned(),
                    obstructs_entities: true,
                    is_obstructed_by_entities: entity == 1,
                    is_obstructed_by_map: entity == 2,
                    adjacent_script: "touch".to_owned(),
                    activation_script: "talk".to_owned(),
                    other: Vec::new(),
                    place: text_map::Span::default(),
                })
                .collect(),
            zones: vec![text_map::ZoneRect {
                label: "Café".to_owned(),
                position: [16, 32],
                size: [64, 48],
                place: text_map::Span::default(),
            }],
            ..text_map::Layer::default()
        }
    };
    TextMap {
        version: "1.2".to_owned(),
        title: "Made up".to_owned(),
        meta: vec![("rstring".to_owned(), "12E".to_owned())],
        size: size.map(|edge| (edge * TILE) as i32),
        tileset: IKA_TILESET.to_owned(),
        tileset_place: text_map::Span::default(),
        zones: vec![text_map::Zone {
            label: "Café".to_owned(),
            script: "enter_café".to_owned(),
            place: text_map::Span::default(),
        }],
        waypoints: vec![text_map::Waypoint {
            label: "Gate".to_owned(),
            position: [40, 24],
            place: text_map::Span::default(),
        }],
        layers: (0..layers).map(layer).collect(),
        ..TextMap::default()
    }
}

/// Generates the tileset of the synthetic maps: 64 tiles of 16 x 16 pixels in 32 bits, the first of
/// them empty, with four animations.
pub fn ika_tileset(seed: u64) -> Vsp {
    let mut pixels = Vec::with_capacity((TILES * TILE * TILE * 4) as usize);
    for tile in 0..TILES {
        for y in 0..TILE {
            for x in 0..TILE {
                let grain = (noise(seed, [x, y, tile]) & 31) as u8;
                let shade = |base: u32| (base % 200) as u8 + grain;
                pixels.extend(match tile {
                    0 => [0; 4],
                    1..16 => [grain, shade(40 + tile * 6), shade(150), 255],
                    16..32 => [shade(tile * 3), shade(120 + tile), grain, 255],
                    // Round things with an empty rim.
                    _ => {
                        let from_center = |at: u32| (2 * at as i32 + 1 - TILE as i32).pow(2);
                        let is_inside = from_center(x) + from_center(y) < 200;
                        let alpha = if is_inside { 255 } else { 0 };
                        [shade(tile * 5), shade(tile * 11), shade(tile * 17), alpha]
                    }
                });
            }
        }
    }
    let mut strands = vec![Strand::default(); STRANDS];
    for (mode, strand) in strands.iter_mut().take(4).enumerate() {
        let start = 1 + mode as u16 * 4;
        *strand = Strand {
            start,
            finish: start + 3,
            delay: 10 + mode as u16 * 5,
            mode: mode as u16,
        };
    }
    strands[3].finish = 15;
    Vsp {
        version: Version::Binary(6),
        tile_size: [TILE; 2],
        count: TILES,
        description: "Made up".to_owned(),
        meta: Vec::new(),
        palette: Vec::new(),
        mask: None,
        pixels: Pixels::Rgba(pixels),
        strands,
        ..Vsp::default()
    }
}

/// The tiles of a layer: the ground below, and things on one of eight tiles above it.
fn tiles([width, height]: [u32; 2], layer: usize, seed: u64) -> Vec<u32> {
    let seed = seed.wrapping_add(layer as u64 * 0x9e37_79b9);
    let mut tiles = Vec::with_capacity((u64::from(width) * u64::from(height)) as usize);
    for y in 0..height {
        for x in 0..width {
            let grain = noise(seed, [x, y, 0]);
            tiles.push(if layer == 0 {
                let is_water = noise(seed, [x / 8, y / 8, 1]).is_multiple_of(3);
                let first = if is_water { 0 } else { 16 };
                first + 1 + grain % 15
            } else if grain.is_multiple_of(8) {
                32 + (grain >> 8) % 32
            } else {
                0
            });
        }
    }
    tiles
}

fn parallax(layer: usize) -> Parallax {
    match layer {
        0 | 1 => Parallax::default(),
        2 => Parallax {
            mul: [3, 1],
            div: [2, 2],
        },
        _ => Parallax {
            mul: [0, 2],
            div: [1, 1],
        },
    }
}

fn entity_position(size: [u32; 2], seed: u64, number: u32) -> [i32; 2] {
    let at = |axis: usize| {
        let span = (size[axis % 2] * TILE).max(1);
        (noise(seed, [number, axis as u32, 2]) % span) as i32
    };
    [at(0), at(1)]
}

/// A pseudorandom number that depends only on seed and position.
fn noise(seed: u64, [x, y, z]: [u32; 3]) -> u32 {
    let place = u64::from(x) | u64::from(y) << 24 | u64::from(z) << 48;
    let mut bits = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_add(place);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ bits >> 31) as u32
}
