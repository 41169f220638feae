//! The light in the station, as a colour per cell corner, and the logic attributes of cells.

use super::colors;
use super::plan::{self, Place, Wall};

/// A lamp: its position and reach in tiles, its colour and its strength.
type Lamp = ([f32; 2], f32, [f32; 3], f32);

const WARM: [f32; 3] = [1.0, 0.82, 0.5];
const COOL: [f32; 3] = [0.55, 0.85, 1.0];
const WHITE: [f32; 3] = [0.9, 0.95, 1.0];
const GREEN: [f32; 3] = [0.8, 1.0, 0.55];
const ORANGE: [f32; 3] = [1.0, 0.55, 0.2];
const PINK: [f32; 3] = [1.0, 0.55, 0.85];
const BLUE: [f32; 3] = [0.35, 0.65, 1.0];
const RED: [f32; 3] = [1.0, 0.2, 0.15];

const LAMPS: [Lamp; 33] = [
    // The reactor and its columns.
    ([20.0, 16.0], 9.0, BLUE, 0.6),
    ([20.0, 16.0], 3.0, WHITE, 0.3),
    ([16.0, 13.0], 2.2, BLUE, 0.4),
    ([24.0, 13.0], 2.2, BLUE, 0.4),
    ([16.0, 19.0], 2.2, BLUE, 0.4),
    ([24.0, 19.0], 2.2, BLUE, 0.4),
    // The command bridge.
    ([20.0, 5.0], 4.5, COOL, 0.55),
    ([15.5, 3.4], 2.6, COOL, 0.4),
    ([24.5, 3.4], 2.6, COOL, 0.4),
    ([20.0, 2.0], 4.0, [0.6, 0.6, 1.0], 0.25),
    // Corridors.
    ([20.0, 9.0], 3.0, COOL, 0.35),
    ([13.5, 17.0], 3.0, COOL, 0.4),
    ([26.5, 17.0], 3.0, COOL, 0.4),
    ([20.0, 21.0], 3.0, WARM, 0.35),
    // The garden, a lamp above each row.
    ([6.0, 10.0], 3.2, GREEN, 0.5),
    ([10.0, 10.0], 3.2, GREEN, 0.5),
    ([6.0, 13.0], 3.2, GREEN, 0.45),
    ([10.0, 13.0], 3.2, GREEN, 0.45),
    ([8.0, 19.0], 3.6, GREEN, 0.5),
    ([8.0, 15.5], 3.0, COOL, 0.3),
    // The clinic.
    ([30.0, 9.0], 4.5, WHITE, 0.42),
    ([34.5, 9.0], 4.0, WHITE, 0.35),
    ([35.0, 11.0], 2.4, PINK, 0.5),
    ([32.0, 13.5], 2.0, WHITE, 0.25),
    // The engines.
    ([30.0, 16.0], 3.0, ORANGE, 0.65),
    ([35.0, 16.0], 3.0, ORANGE, 0.65),
    ([29.0, 19.0], 2.2, RED, 0.5),
    ([33.0, 18.5], 3.4, ORANGE, 0.3),
    // The cargo bay.
    ([14.0, 24.5], 3.8, WARM, 0.5),
    ([20.0, 24.5], 3.6, WARM, 0.45),
    ([26.5, 24.5], 3.8, WARM, 0.5),
    ([13.0, 22.0], 2.0, RED, 0.4),
    ([27.0, 22.0], 2.0, RED, 0.4),
];

/// Brightness of a cell without lamps.
fn ambient(column: i32, row: i32) -> Option<[f32; 3]> {
    Some(match (plan::place(column, row), plan::wall(column, row)) {
        (Place::Space, _) => return None,
        (Place::Floor(colors::CLINIC), _) => [0.78, 0.78, 0.86],
        (Place::Floor(_), _) => [0.6, 0.6, 0.74],
        (_, Some(Wall::Face { .. })) => [0.68, 0.68, 0.8],
        (_, Some(Wall::Hull { .. })) => [0.86, 0.86, 0.94],
        _ => [0.74, 0.74, 0.84],
    })
}

/// The colour modifiers at a corner between cells, of which 128 is neutral, and the direction of
/// most of the light.
pub(crate) fn at_corner(column: i32, row: i32) -> ([u8; 3], [i16; 2]) {
    let around = [[-1, -1], [0, -1], [-1, 0], [0, 0]];
    let cells = around
        .iter()
        .filter_map(|[i, j]| ambient(column + i, row + j));
    let (count, sum) = cells.fold((0.0, [0.0; 3]), |(count, sum), color| {
        (count + 1.0, [0, 1, 2].map(|i| sum[i] + color[i]))
    });
    if count == 0.0 {
        return ([128; 3], [0; 2]);
    }
    let mut light = sum.map(|channel| channel / count);
    let mut from = [0.0; 2];
    for ([x, y], reach, color, strength) in LAMPS {
        let to = [x - column as f32, y - row as f32];
        let far = (to[0] * to[0] + to[1] * to[1]) / (reach * reach);
        if far < 1.0 {
            let share = strength * (1.0 - far) * (1.0 - far);
            for channel in 0..3 {
                light[channel] += share * color[channel];
            }
            for axis in 0..2 {
                from[axis] += share * to[axis];
            }
        }
    }
    let rgb = light.map(|channel| {
        let value = if channel <= 1.0 {
            channel * 128.0
        } else {
            128.0 + (channel - 1.0) * 90.0
        };
        value.clamp(0.0, 255.0) as u8
    });
    (rgb, from.map(|axis| (axis * 4096.0) as i16))
}

/// The logic attribute of a cell.
pub(crate) fn logic(column: i32, row: i32) -> u8 {
    let place = plan::place(column, row);
    let is_in = |[x, y, columns, rows]: plan::Area| {
        (x..x + columns).contains(&column) && (y..y + rows).contains(&row)
    };
    let triggers: [(plan::Area, u8); 14] = [
        // Entrances of rooms.
        ([18, 11, 4, 1], 16),
        ([18, 22, 4, 1], 17),
        ([12, 16, 1, 2], 18),
        ([27, 16, 1, 2], 19),
        ([31, 14, 2, 1], 20),
        // Usable objects: consoles, beds, the scanner, the machines.
        ([14, 3, 4, 1], 32),
        ([22, 3, 4, 1], 33),
        ([19, 4, 2, 2], 34),
        ([28, 8, 3, 2], 35),
        ([34, 10, 2, 2], 36),
        ([29, 15, 2, 2], 37),
        ([34, 15, 2, 2], 38),
        // Harmful areas, stronger near the core.
        ([18, 14, 4, 4], 200),
        ([17, 13, 6, 6], 120),
    ];
    match place {
        Place::Space => 255,
        Place::Solid => 1,
        Place::Floor(_) => triggers
            .iter()
            .find(|(area, _)| is_in(*area))
            .map_or(0, |(_, value)| *value),
    }
}
