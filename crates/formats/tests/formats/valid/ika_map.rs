//! Binary ika maps (document, and fact sheet 2 and 7).

use encoding_rs::WINDOWS_1252;
use mapscope_formats::ika::map::Map;
pub(super) use mapscope_formats::ika::map::read;

use super::{GeneratedFile, Random, Reading, zlib};

pub(super) fn describe(map: Map) -> Reading {
    let mut records = Vec::new();
    list! { records:
        "head" in [&map].into_iter() =>
            |it| [&it.tileset, &it.music, &it.render_string], it.size, it.start, it.wraps;
        "parallax" in map.layers.iter() => |it| it.parallax.mul, it.parallax.div;
        "layer" in map.layers.iter().filter(|it| !it.tiles.is_empty()) => |it| it.tiles;
        "obstruction" in [&map.obstruction].into_iter().filter(|it| !it.is_empty()) => |it| it;
        "zone-map" in [&map.zone_numbers].into_iter().filter(|it| !it.is_empty()) => |it| it;
        "zone" in map.zones.iter() =>
            |it| [&it.name, &it.description, &it.activation_script, &it.entity_script],
            [it.chance_percent, it.delay_steps], it.is_adjacent;
        "entity" in map.entities.iter() => |it|
            [&it.name, &it.sprite, &it.activation_script, &it.move_script, &it.wander_zone, &it.chase_target],
            [it.is_obstructed_by_map, it.is_obstructed_by_entities, it.obstructs_entities, it.is_adjacent],
            it.position, [it.direction, it.speed], it.state, [it.wander_steps, it.wander_delay],
            it.wander_rect, it.chase_distance;
    }
    let problems = map.problems;
    Reading { records, problems }
}

fn text(made: &mut GeneratedFile, text: &str) {
    let bytes = WINDOWS_1252.encode(text).0;
    made.u32(bytes.len());
    made.bytes.extend(&*bytes);
}

fn bool(made: &mut GeneratedFile, random: &mut Random) -> bool {
    let byte = if random.odd(3) {
        random.below(256)
    } else {
        random.below(2)
    };
    made.bytes.push(byte as u8);
    byte != 0
}

/// A unique text, or an empty one.
fn some_text(random: &mut Random) -> String {
    let begin = random.pick(&["", "Grün \u{20ac} ", "two\nlines ", "(x ", "MAP"]);
    if random.odd(4) {
        String::new()
    } else {
        format!("{begin}{}", random.name())
    }
}

fn block(made: &mut GeneratedFile, random: &mut Random, data: &[u8], row: usize) {
    let start = made.bytes.len();
    let mut data = data.to_vec();
    if random.odd(4) {
        // One more row, or a part of one.
        let more = if random.below(2) == 0 {
            row
        } else {
            1 + random.below(row)
        };
        data.extend(std::iter::repeat_n(random.below(2) as u8, more));
        made.warn("ika/long-block");
    }
    let packed = zlib(random, &data);
    made.u32(packed.len());
    made.bytes.extend(packed);
    made.pieces.push(start..made.bytes.len());
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut made = GeneratedFile::default();
    let size = if random.odd(4) {
        [40, 30]
    } else {
        [1 + random.below(12), 1 + random.below(9)]
    };
    let [width, height] = size;
    let tiles = width * height;
    let [layers, zones, entities] = [1 + random.count(3), random.count(3), random.count(4)];
    made.bytes.extend(b"MAP\xf96\0");
    let texts = [
        some_text(random),
        some_text(random),
        random.pick(&["1ER", "12E", "E1", "1ERxy"]).to_owned(),
    ];
    for it in &texts {
        text(&mut made, it);
    }
    made.u32(width);
    made.u32(height);
    let start = [random.int(), random.int()];
    start.into_iter().for_each(|number| made.i32(number));
    let wraps = bool(&mut made, random);
    let says = says!("head", texts, size, start, wraps);
    made.record(0, says);
    made.u32(layers);
    for _ in 0..layers {
        let at = made.bytes.len();
        let numbers = [(); 4].map(|()| random.int());
        numbers.into_iter().for_each(|number| made.i32(number));
        let [mul_x, div_x, mul_y, div_y] = numbers;
        made.record(at, says!("parallax", [mul_x, mul_y], [div_x, div_y]));
    }
    for _ in 0..layers {
        let at = made.bytes.len();
        // Layers of one tile deflate to few bytes, many of them zero.
        let is_empty = random.odd(3);
        let numbers: Vec<u32> = (0..tiles)
            .map(|_| {
                if is_empty {
                    0
                } else {
                    random.next() as u32 & 0xfff
                }
            })
            .collect();
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        block(&mut made, random, &bytes, 4 * width);
        made.record(at, says!("layer", numbers));
    }
    let at = made.bytes.len();
    let obstruction: Vec<u8> = (0..tiles).map(|_| random.below(2) as u8).collect();
    block(&mut made, random, &obstruction, width);
    made.record(at, says!("obstruction", obstruction));
    let at = made.bytes.len();
    let numbers: Vec<u32> = (0..tiles)
        .map(|_| random.below(zones.max(1)) as u32)
        .collect();
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    block(&mut made, random, &bytes, 4 * width);
    made.record(at, says!("zone-map", numbers));
    made.pieces.clear();
    made.u32(zones);
    for _ in 0..zones {
        let at = made.bytes.len();
        let texts = [(); 4].map(|()| some_text(random));
        texts.iter().for_each(|it| text(&mut made, it));
        let numbers = [random.below(101) as i32, random.below(1000) as i32];
        numbers.into_iter().for_each(|number| made.i32(number));
        let is_adjacent = bool(&mut made, random);
        made.record(at, says!("zone", texts, numbers, is_adjacent));
    }
    made.u32(entities);
    for _ in 0..entities {
        entity(&mut made, random);
    }
    if random.is_odd {
        made.warnings
            .extend(["ika/render-string", "ika/zone-name", "ika/value"]);
        if random.odd(3) {
            let more = 1 + random.below(120);
            let byte = random.pick(&[0, b'\n', b'x']);
            made.bytes.extend(std::iter::repeat_n(byte, more));
            made.warn("ika/trailing-data");
        }
    } else {
        made.warnings.extend(["ika/render-string", "ika/zone-name"]);
    }
    made
}

fn entity(made: &mut GeneratedFile, random: &mut Random) {
    let at = made.bytes.len();
    let texts = [(); 6].map(|()| some_text(random));
    let [name, sprite, activation, moves, zone, target] = &texts;
    let numbers = [(); 11].map(|()| random.int());
    let [
        x,
        y,
        speed,
        steps,
        delay,
        left,
        top,
        right,
        bottom,
        distance,
        _,
    ] = numbers;
    let [direction, state] = [9, 6].map(|most| random.below(most) as i32);
    text(made, name);
    [x, y, direction, speed]
        .into_iter()
        .for_each(|number| made.i32(number));
    let [by_map, by_entities, obstructs] = [(); 3].map(|()| bool(made, random));
    text(made, sprite);
    let adjacent = bool(made, random);
    text(made, activation);
    made.i32(state);
    text(made, moves);
    let [start, waits, wanders] = [[x, y], [steps, delay], [direction, speed]];
    let area = [left, top, right, bottom];
    waits
        .into_iter()
        .chain(area)
        .for_each(|number| made.i32(number));
    text(made, zone);
    text(made, target);
    made.i32(distance);
    let bools = [by_map, by_entities, obstructs, adjacent];
    made.record(
        at,
        says!(
            "entity", texts, bools, start, wanders, state, waits, area, distance
        ),
    );
}
