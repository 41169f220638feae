//! The files of the village.

use mapscope_formats::ika::Parallax;
use mapscope_formats::ika::map::{self, Entity, Layer, Map, Zone};
use mapscope_formats::ika::vsp::{self, Pixels, STRANDS, Strand, Version, Vsp};

use super::plan::{self, SIZE};
use super::{colors, ground, things};
use crate::tilemaps::canvas::{Canvas, Sheet, TILE};
use crate::{Failure, Files};

/// Names of the files.
pub(crate) const MAP: &str = "harbour.map";
pub(crate) const TILES: &str = "harbour.vsp";

/// Playback modes of strands.
const FORWARDS: u16 = 0;
const THERE_AND_BACK: u16 = 3;

/// The animated tiles and their playback modes.
fn strands(sheet: &mut Sheet) -> Vec<Strand> {
    let mut strands = Vec::new();
    // A still tile needs no strand.
    let mut add = |frames: &[Canvas], delay: u16, mode: u16| {
        if frames.iter().any(|frame| *frame != frames[0]) {
            let [start, finish] = sheet.add_frames(frames).map(|number| number as u16);
            strands.push(Strand {
                start,
                finish,
                delay,
                mode,
            });
        }
    };
    add(&ground::water(), 24, FORWARDS);
    add(&ground::sparkles(), 20, THERE_AND_BACK);
    add(&ground::fall_top(), 9, FORWARDS);
    add(&ground::fall(), 9, FORWARDS);
    add(&ground::fall_foot(), 9, FORWARDS);
    for (frames, delay) in [(things::fountain(), 12), (things::smoke(), 26)] {
        let [columns, rows] = frames[0].size_in_tiles();
        for row in 0..rows {
            for column in 0..columns {
                let tiles: Vec<Canvas> =
                    frames.iter().map(|frame| frame.tile(column, row)).collect();
                add(&tiles, delay, FORWARDS);
            }
        }
    }
    strands.resize(STRANDS, Strand::default());
    strands
}

/// The tileset, and the numbers of the layers' tiles.
fn tiles(layers: &[Canvas; 4]) -> (Vsp, Vec<Vec<u32>>) {
    let mut sheet = Sheet::new();
    let strands = strands(&mut sheet);
    let layers = layers.iter().map(|layer| sheet.cells(layer)).collect();
    let pixels = sheet.tiles.iter().flat_map(Canvas::pixels);
    let rgba = pixels.flat_map(|color| colors::rgba(*color)).collect();
    let vsp = Vsp {
        version: Version::Binary(6),
        tile_size: [TILE as u32; 2],
        count: sheet.tiles.len() as u32,
        description: "Harbour".to_owned(),
        pixels: Pixels::Rgba(rgba),
        strands,
        ..Vsp::default()
    };
    (vsp, layers)
}

/// A zone: its name, its description, its script, and the script's chance in percent.
fn zone(name: &str, description: &str, script: &str, chance_percent: i32) -> Zone {
    Zone {
        name: name.to_owned(),
        description: description.to_owned(),
        activation_script: script.to_owned(),
        chance_percent,
        ..Zone::default()
    }
}

fn zones() -> Vec<Zone> {
    vec![
        zone("", "Nothing in particular", "", 0),
        Zone {
            entity_script: "splash".to_owned(),
            ..zone("Harbour", "Gulls cry and ropes creak", "hear_gulls", 15)
        },
        zone("Market", "Somebody calls out a price", "hear_market", 25),
        Zone {
            delay_steps: 12,
            ..zone("Edge of the wood", "Something rustles", "meet_something", 8)
        },
        zone("Waterfall", "Spray in the air", "spray", 100),
        Zone {
            entity_script: "scatter_seed".to_owned(),
            ..zone("Farm", "It smells of earth", "hear_hens", 20)
        },
        Zone {
            is_adjacent: true,
            ..zone("Lighthouse door", "It is locked", "try_door", 100)
        },
    ]
}

/// Positions of the zones: first column and row, number of columns and rows, and number of the
/// zone.
const ZONES: [([i32; 4], u32); 8] = [
    ([8, 27, 26, 2], 1),
    ([13, 29, 2, 4], 1),
    ([21, 29, 2, 5], 1),
    ([16, 14, 11, 7], 2),
    ([0, 7, 9, 21], 3),
    ([31, 6, 8, 4], 4),
    ([38, 7, 9, 10], 5),
    ([43, 24, 2, 2], 6),
];

fn zone_numbers() -> Vec<u32> {
    let cells = (0..SIZE[1]).flat_map(|row| (0..SIZE[0]).map(move |column| (column, row)));
    let number = |(column, row)| {
        let is_in = |[x, y, columns, rows]: [i32; 4]| {
            (x..x + columns).contains(&column) && (y..y + rows).contains(&row)
        };
        ZONES
            .iter()
            .find(|(area, _)| is_in(*area))
            .map_or(0, |(_, number)| *number)
    };
    cells.map(number).collect()
}

/// Numbers of directions and states.
const UP: i32 = 0;
const DOWN: i32 = 1;
const LEFT: i32 = 2;
const RIGHT: i32 = 3;
const DOWN_RIGHT: i32 = 7;
const WANDERS: u32 = 1;
const WANDERS_IN_RECT: u32 = 2;
const WANDERS_IN_ZONE: u32 = 3;
const SCRIPTED: u32 = 4;
const CHASES: u32 = 5;

/// A character on a tile, with a name, a direction and a sprite.
fn entity(name: &str, [column, row]: [i32; 2], direction: i32, sprite: &str) -> Entity {
    Entity {
        name: name.to_owned(),
        position: [column * TILE, row * TILE],
        direction,
        speed: 100,
        is_obstructed_by_map: true,
        is_obstructed_by_entities: true,
        obstructs_entities: true,
        sprite: sprite.to_owned(),
        activation_script: format!("talk_{}", name.to_lowercase().replace(' ', "_")),
        ..Entity::default()
    }
}

fn entities() -> Vec<Entity> {
    vec![
        entity("Mira", [21, 22], UP, "mira.chr"),
        Entity {
            is_adjacent: true,
            ..entity("Fruit seller", [17, 17], DOWN, "seller.chr")
        },
        Entity {
            is_adjacent: true,
            ..entity("Flower seller", [25, 17], DOWN, "seller.chr")
        },
        Entity {
            speed: 140,
            state: WANDERS_IN_RECT,
            wander_steps: 3,
            wander_delay: 40,
            wander_rect: [17, 15, 25, 16],
            ..entity("Pip", [20, 15], RIGHT, "child.chr")
        },
        Entity {
            speed: 180,
            state: CHASES,
            chase_target: "Pip".to_owned(),
            chase_distance: 2,
            obstructs_entities: false,
            ..entity("Biscuit", [18, 16], RIGHT, "dog.chr")
        },
        Entity {
            speed: 60,
            state: SCRIPTED,
            move_script: "L0 W200 R3 W400 L3".to_owned(),
            ..entity("Old Tom", [22, 32], RIGHT, "fisher.chr")
        },
        Entity {
            state: SCRIPTED,
            move_script: "R12 W100 L12 W100".to_owned(),
            ..entity("Carrier", [15, 27], RIGHT, "carrier.chr")
        },
        Entity {
            speed: 80,
            state: WANDERS_IN_ZONE,
            wander_steps: 5,
            wander_delay: 120,
            wander_zone: "Farm".to_owned(),
            ..entity("Farmer", [42, 13], DOWN, "farmer.chr")
        },
        Entity {
            speed: 50,
            state: WANDERS,
            wander_steps: 2,
            wander_delay: 80,
            is_obstructed_by_entities: false,
            ..entity("Hen", [45, 11], LEFT, "hen.chr")
        },
        Entity {
            speed: 120,
            state: WANDERS_IN_ZONE,
            wander_steps: 8,
            wander_delay: 200,
            wander_zone: "Edge of the wood".to_owned(),
            ..entity("Fox", [7, 20], DOWN_RIGHT, "fox.chr")
        },
        Entity {
            speed: 90,
            state: SCRIPTED,
            move_script: "L20 W50 R20 W50".to_owned(),
            ..entity("Traveller", [36, 17], LEFT, "traveller.chr")
        },
        entity("Keeper", [42, 24], DOWN, "keeper.chr"),
    ]
}

/// The map and its tileset.
pub(crate) fn files() -> Result<Files, Failure> {
    let picture = plan::picture();
    let (vsp, layers) = tiles(&picture.layers);
    let clouds = layers.len() - 1;
    let layers = layers.into_iter().enumerate().map(|(layer, tiles)| Layer {
        parallax: if layer == clouds {
            Parallax {
                mul: [3; 2],
                div: [2; 2],
            }
        } else {
            Parallax::default()
        },
        tiles,
        ..Layer::default()
    });
    let map = Map {
        tileset: TILES.to_owned(),
        music: "harbour.it".to_owned(),
        // The ground and objects on it, the characters, objects above them, and the clouds.
        render_string: "12E34R".to_owned(),
        size: SIZE.map(|side| side as u32),
        start: [21, 22],
        layers: layers.collect(),
        obstruction: picture.is_blocked.into_iter().map(u8::from).collect(),
        zone_numbers: zone_numbers(),
        zones: zones(),
        entities: entities(),
        ..Map::default()
    };
    Ok(vec![
        (MAP.to_owned(), map::write(&map)?),
        (TILES.to_owned(), vsp::write(&vsp)?),
    ])
}
