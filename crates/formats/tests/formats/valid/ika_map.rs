//! Binary ika maps (document, and fact sheet 2 and 7).

use encoding_rs::WINDOWS_1252;
use mapscope_formats::ika::map::{Map, read};

use super::{Format, Made, Random, Reading, zlib};

pub(crate) const FORMAT: Format = Format {
    name: "ika-map",
    make,
    read: |bytes| read(bytes).map(describe),
    is_text: false,
    is_flat: false,
    kept: 0.95,
    told: 0.9,
    made_up: 0.02,
};

fn describe(map: Map) -> Reading {
    let mut records = vec![head_says(
        &[&map.tileset, &map.music, &map.render_string],
        map.size,
        map.start,
        map.wraps,
    )];
    for layer in &map.layers {
        let [mul, div] = [layer.parallax.mul, layer.parallax.div];
        records.push(format!("parallax {mul:?} {div:?}"));
    }
    records.extend(
        map.layers
            .iter()
            .filter(|it| !it.tiles.is_empty())
            .map(|it| format!("layer {:?}", it.tiles)),
    );
    let obstruction =
        (!map.obstruction.is_empty()).then(|| format!("obstruction {:?}", map.obstruction));
    records.extend(obstruction);
    let zones = (!map.zone_numbers.is_empty()).then(|| format!("zone-map {:?}", map.zone_numbers));
    records.extend(zones);
    for it in &map.zones {
        let texts = [
            &it.name,
            &it.description,
            &it.activation_script,
            &it.entity_script,
        ];
        records.push(format!(
            "zone {texts:?} {} {} {}",
            it.chance_percent, it.delay_steps, it.is_adjacent
        ));
    }
    for it in &map.entities {
        let texts = [
            &it.name,
            &it.sprite,
            &it.activation_script,
            &it.move_script,
            &it.wander_zone,
            &it.chase_target,
        ];
        let bools = [
            it.is_obstructed_by_map,
            it.is_obstructed_by_entities,
            it.obstructs_entities,
            it.is_adjacent,
        ];
        let [x, y] = it.position;
        let [left, top, right, bottom] = it.wander_rect;
        let state = it.state as i32;
        let numbers = [
            x,
            y,
            it.direction,
            it.speed,
            state,
            it.wander_steps,
            it.wander_delay,
            left,
            top,
            right,
            bottom,
            it.chase_distance,
        ];
        records.push(format!("entity {texts:?} {bools:?} {numbers:?}"));
    }
    let problems = map.problems;
    Reading { records, problems }
}

fn head_says(texts: &[&str], size: [u32; 2], start: [i32; 2], wraps: bool) -> String {
    format!("head {texts:?} {size:?} {start:?} {wraps}")
}

fn text(made: &mut Made, text: &str) {
    let bytes = WINDOWS_1252.encode(text).0;
    made.u32(bytes.len());
    made.bytes.extend(&*bytes);
}

fn bool(made: &mut Made, random: &mut Random) -> bool {
    let byte = if random.odd(3) {
        random.below(256)
    } else {
        random.below(2)
    };
    made.bytes.push(byte as u8);
    byte != 0
}

/// A text that no other is equal to, or none.
fn some_text(random: &mut Random) -> String {
    let begin = random.pick(&["", "Grün \u{20ac} ", "two\nlines ", "(x ", "MAP"]);
    if random.odd(4) {
        String::new()
    } else {
        format!("{begin}{}", random.name())
    }
}

fn block(made: &mut Made, random: &mut Random, data: &[u8], row: usize) {
    let start = made.bytes.len();
    let mut data = data.to_vec();
    if random.odd(4) {
        // One row more, or a bit of one.
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

fn make(random: &mut Random) -> Made {
    let mut made = Made::default();
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
    made.record(
        0,
        head_says(
            &texts.each_ref().map(|text| &**text),
            size.map(|edge| edge as u32),
            start,
            wraps,
        ),
    );
    made.u32(layers);
    for _ in 0..layers {
        let at = made.bytes.len();
        let [a, b, c, d] = [(); 4].map(|()| random.int());
        [a, b, c, d].into_iter().for_each(|number| made.i32(number));
        made.record(at, format!("parallax {:?} {:?}", [a, c], [b, d]));
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
        made.record(at, format!("layer {numbers:?}"));
    }
    let at = made.bytes.len();
    let obstruction: Vec<u8> = (0..tiles).map(|_| random.below(2) as u8).collect();
    block(&mut made, random, &obstruction, width);
    made.record(at, format!("obstruction {obstruction:?}"));
    let at = made.bytes.len();
    let numbers: Vec<u32> = (0..tiles)
        .map(|_| random.below(zones.max(1)) as u32)
        .collect();
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    block(&mut made, random, &bytes, 4 * width);
    made.record(at, format!("zone-map {numbers:?}"));
    made.pieces.clear();
    made.u32(zones);
    for _ in 0..zones {
        let at = made.bytes.len();
        let texts = [(); 4].map(|()| some_text(random));
        texts.iter().for_each(|it| text(&mut made, it));
        let numbers = [random.below(101) as i32, random.below(1000) as i32];
        numbers.into_iter().for_each(|number| made.i32(number));
        let is_adjacent = bool(&mut made, random);
        made.record(
            at,
            format!("zone {texts:?} {} {} {is_adjacent}", numbers[0], numbers[1]),
        );
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

fn entity(made: &mut Made, random: &mut Random) {
    let at = made.bytes.len();
    let texts = [(); 6].map(|()| some_text(random));
    let [name, sprite, activation, moves, zone, target] = &texts;
    let numbers = [(); 12].map(|()| random.int());
    let [
        x,
        y,
        _,
        speed,
        _,
        steps,
        delay,
        left,
        top,
        right,
        bottom,
        distance,
    ] = numbers;
    let direction = random.below(9) as i32;
    let state = random.below(6) as i32;
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
    [steps, delay, left, top, right, bottom]
        .into_iter()
        .for_each(|number| made.i32(number));
    text(made, zone);
    text(made, target);
    made.i32(distance);
    let bools = [by_map, by_entities, obstructs, adjacent];
    let numbers = [
        x, y, direction, speed, state, steps, delay, left, top, right, bottom, distance,
    ];
    made.record(at, format!("entity {texts:?} {bools:?} {numbers:?}"));
}
