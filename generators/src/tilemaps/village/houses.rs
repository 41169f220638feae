//! Houses, lit from the upper left.

use super::colors::{CLIFF, FLOWER, GOLD, INK, LEAF, PLASTER, Ramp, SHADOW, STONE, WATER, WOOD};
use crate::noise::hash;
use crate::tilemaps::canvas::{Canvas, TILE};

/// The shade of a shingle roof at a pixel, 0 to 4.
fn shingle(x: i32, y: i32) -> usize {
    let row = y.div_euclid(4);
    let x = x + 4 * (row & 1);
    let odd = hash(x.div_euclid(8).rem_euclid(2), row.rem_euclid(4), 5) % 4;
    match (y.rem_euclid(4), x.rem_euclid(8)) {
        (3, _) => 1,
        (_, 7) => 1,
        (0, _) => 3,
        _ if odd == 0 => 3,
        _ => 2,
    }
}

/// A part of a wall, one tile wide.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Wall {
    Plain,
    Window,
    Door,
}

/// Height of a wall.
const WALL: i32 = 24;

/// A wall of timber and plaster on a stone base.
pub(crate) fn wall(tiles: &[Wall]) -> Canvas {
    let width = tiles.len() as i32 * TILE;
    let mut canvas = Canvas::new(width, WALL);
    canvas.paint(|x, y| {
        let in_tile = x % TILE;
        Some(match y {
            19.. => match (y, (x + 4 * (y / 22)) % 8) {
                (23, _) => INK,
                (19, 1..) => STONE[4],
                (_, 0) | (22, _) => STONE[1],
                _ => STONE[3 - usize::from(hash(x / 8 % 2, y / 3, 3).is_multiple_of(2))],
            },
            0..=2 => PLASTER[0],
            // Beams: below the eave, above the foot, and between the tiles.
            3 | 4 => WOOD[if y == 3 { 2 } else { 1 }],
            17 | 18 => WOOD[if y == 17 { 2 } else { 1 }],
            _ if in_tile == 0 => WOOD[2],
            _ if in_tile == 15 => WOOD[1],
            5 => PLASTER[1],
            _ if in_tile == 1 => PLASTER[3],
            _ if in_tile == 14 => PLASTER[1],
            _ => PLASTER[2],
        })
    });
    for (i, tile) in tiles.iter().enumerate() {
        let x = i as i32 * TILE;
        match tile {
            Wall::Plain => {}
            Wall::Window => canvas.draw(&window(), x + 2, 5),
            Wall::Door => canvas.draw(&door(), x + 2, 5),
        }
    }
    canvas.rect([0, 0], [1, WALL], INK);
    canvas.rect([width - 1, 0], [1, WALL], INK);
    canvas
}

fn window() -> Canvas {
    let rows = [
        "############",
        "#dllllllllk#",
        "#dl#bbWb#lk#",
        "#dl#bWbb#lk#",
        "#dl######lk#",
        "#dl#Wbbc#lk#",
        "#dl#bbcc#lk#",
        "#dl######lk#",
        "#gpgrgpggrg#",
        "#kkkkkkkkkk#",
        "############",
    ];
    Canvas::drawn(&rows, |character| match character {
        '#' => INK,
        'd' => WOOD[3],
        'l' => PLASTER[4],
        'k' => WOOD[1],
        'b' => WATER[3],
        'c' => WATER[2],
        'W' => WATER[4],
        'g' => LEAF[3],
        'p' => FLOWER[3],
        'r' => FLOWER[2],
        _ => 0,
    })
}

fn door() -> Canvas {
    let rows = [
        "  ########  ",
        " ##......## ",
        "##.dDdDdD.##",
        "#..dDdDdD..#",
        "#..dDWWdD..#",
        "#..dDWwdD..#",
        "#..dDdDdD..#",
        "#..dDdDdD..#",
        "#..dDdDgD..#",
        "#..dDdDgD..#",
        "#..dDdDdD..#",
        "#..dDdDdD..#",
        "#..dDdDdD..#",
        "#..dDdDdD..#",
        "#..dDdDdD..#",
        "#.ssssssss.#",
        "#.SSSSSSSS.#",
        "#ssssssssss#",
    ];
    Canvas::drawn(&rows, |character| match character {
        '#' => INK,
        '.' => WOOD[1],
        'd' => WOOD[3],
        'D' => WOOD[2],
        'W' => GOLD[3],
        'w' => GOLD[2],
        'g' => GOLD[2],
        's' => STONE[4],
        'S' => STONE[2],
        _ => 0,
    })
}

/// The shadow that a house casts to its right, as high as its wall.
fn cast_shadow(canvas: &mut Canvas, width: i32, top: i32) {
    let bottom = canvas.height;
    for y in top..bottom {
        let reach = 9.min(y - top);
        for x in width..width + reach {
            canvas.set_below(x, y, SHADOW);
        }
    }
}

/// A chimney of one tile width.
fn chimney() -> Canvas {
    let rows = [
        " ######## ",
        "#kkkkkkkk#",
        "#llllmmmm#",
        "##########",
        " #llmmkm# ",
        " #mmkmmk# ",
        " #lkmmkk# ",
        " #mmmkmk# ",
        " #llmmkk# ",
        " #mmmkkm# ",
        " #lmmmkk# ",
        " #llmkmk# ",
        " #mmmmkk# ",
        " ######## ",
    ];
    Canvas::drawn(&rows, |character| match character {
        '#' => INK,
        'l' => STONE[4],
        'm' => STONE[2],
        'k' => STONE[1],
        _ => 0,
    })
}

/// A house whose roof slopes toward the viewer. It is as wide as its wall plus a tile for its
/// shadow, and five tiles high.
pub(crate) fn long_house(tiles: &[Wall], ramp: Ramp, chimney_at: Option<i32>) -> Canvas {
    let width = tiles.len() as i32 * TILE;
    let mut canvas = Canvas::new(width + TILE, 5 * TILE);
    let wall_top = canvas.height - WALL;
    canvas.draw(&wall(tiles), 0, wall_top);
    // The roof: a short slope behind the ridge, a long one in front of it.
    let (top, ridge, eave) = (10, 17, wall_top + 2);
    for y in top..eave {
        // It narrows behind the ridge.
        let inset = if y < ridge { (ridge - y).min(6) } else { 0 };
        for x in inset..width - inset {
            let from_left = x - inset;
            let from_right = width - 1 - inset - x;
            let is_edge = from_left == 0 || from_right == 0 || y == top || y == eave - 1;
            let shade = shingle(x, y - ridge);
            let color = match y {
                _ if is_edge => INK,
                _ if y < ridge - 1 => ramp[usize::from(shade != 1)],
                _ if y <= ridge => ramp[4],
                _ if y == eave - 2 => ramp[0],
                _ if y == eave - 3 => ramp[1],
                _ if from_left <= 2 => ramp[4 - usize::from(shade == 1)],
                _ if from_right <= 2 => ramp[usize::from(shade != 1)],
                _ => ramp[shade],
            };
            canvas.set(x, y, color);
        }
    }
    if let Some(x) = chimney_at {
        canvas.draw(&chimney(), x, 0);
    }
    cast_shadow(&mut canvas, width, wall_top + 4);
    canvas
}

/// A house whose gable faces the viewer; its height follows from its width.
pub(crate) fn gable_house(tiles: &[Wall], ramp: Ramp) -> Canvas {
    let width = tiles.len() as i32 * TILE;
    let rise = |x: i32| {
        let from_middle = (2 * x + 1 - width).abs() / 2;
        from_middle * 3 / 4
    };
    let depth = 34;
    let height = 7 * TILE;
    let mut canvas = Canvas::new(width + TILE, height);
    let wall_top = height - WALL;
    canvas.draw(&wall(tiles), 0, wall_top);
    // The lower end of the roof's edge is slightly below the top of the wall.
    let apex = wall_top + 5 - rise(0);
    for x in 0..width {
        let front = apex + rise(x);
        for y in front..wall_top + 3 {
            // The gable, with beams at its foot and in its centre.
            let from_front = y - front;
            let color = match () {
                () if from_front < 4 => PLASTER[0],
                () if y > wall_top => WOOD[1],
                () if y >= wall_top => WOOD[2],
                () if (2 * x + 1 - width).abs() < 3 => WOOD[2],
                () if from_front < 6 => PLASTER[1],
                () => PLASTER[2],
            };
            canvas.set(x, y, color);
        }
        let is_left = 2 * x < width;
        for y in front - depth..=front {
            let along = y - front;
            let from_side = x.min(width - 1 - x);
            // Courses run toward the viewer; every other one is offset.
            let course = from_side / 4;
            let joint = (along + 4 * (course & 1)).rem_euclid(8) == 0;
            let step = from_side % 4;
            let base: usize = if is_left { 3 } else { 2 };
            let shade = match () {
                () if step == 0 || joint => base - 1,
                () if step == 3 && is_left => {
                    base + usize::from(hash(course, along / 8, 9).is_multiple_of(2))
                }
                () => base,
            };
            let color = match () {
                () if along == -depth || along == 0 || from_side == 0 => INK,
                () if along >= -3 => ramp[if is_left { 4 } else { 1 }],
                () if (2 * x + 1 - width).abs() <= 3 => ramp[if is_left { 4 } else { 3 }],
                () => ramp[shade],
            };
            canvas.set(x, y, color);
        }
    }
    // A round window in the gable.
    let middle = width / 2;
    let at = apex + if width > 3 * TILE { 13 } else { 9 };
    for (dy, half) in [
        (0, 2),
        (1, 4),
        (2, 4),
        (3, 5),
        (4, 5),
        (5, 4),
        (6, 4),
        (7, 2),
    ] {
        for x in middle - half..middle + half {
            let is_edge = x == middle - half || x == middle + half - 1 || dy == 0 || dy == 7;
            let color = match () {
                () if is_edge => INK,
                () if x == middle || dy == 4 => WOOD[1],
                () if x < middle && dy < 4 => GOLD[4],
                () => GOLD[3],
            };
            canvas.set(x, at + dy, color);
        }
    }
    cast_shadow(&mut canvas, width, wall_top + 4);
    canvas
}

/// A lighthouse of two by six tiles: a tower with stripes and a lantern.
pub(crate) fn lighthouse(stripes: Ramp) -> Canvas {
    let (width, height) = (3 * TILE, 6 * TILE);
    let mut canvas = Canvas::new(width, height);
    let middle = TILE;
    let shaded = |ramp: Ramp, at: i32, half: i32| {
        let part = (at + half) * 8 / (2 * half).max(1);
        ramp[match part {
            ..1 => 3,
            1..=2 => 4,
            3..=4 => 3,
            5..=6 => 2,
            _ => 1,
        }]
    };
    let mut span = |y: i32, half: i32, ramp: Ramp| {
        for x in middle - half..middle + half {
            let is_edge = x == middle - half || x == middle + half - 1;
            let color = if is_edge {
                INK
            } else {
                shaded(ramp, x - middle, half)
            };
            canvas.set(x, y, color);
        }
    };
    for y in 4..11 {
        span(y, (y - 2).min(8), stripes);
    }
    for y in 11..20 {
        span(y, 6, GOLD);
    }
    for y in 20..24 {
        span(y, 10, STONE);
    }
    for y in 24..88 {
        let half = 7 + (y - 24) / 16;
        // The tower is round, so the stripes sag by whole pixels below its centre.
        let stripe = (y - 24) / 16 % 2 == 0;
        span(y, half, if stripe { PLASTER } else { stripes });
    }
    for y in 88..94 {
        span(y, 13, CLIFF);
    }
    for (y, half) in [(3, 2), (20, 10), (24, 10), (93, 13)] {
        canvas.rect([middle - half, y], [2 * half, 1], INK);
    }
    canvas.rect([middle - 1, 0], [2, 4], INK);
    canvas.rect([middle - 1, 11], [2, 9], GOLD[4]);
    for x in [middle - 4, middle + 3] {
        canvas.rect([x, 11], [1, 9], INK);
    }
    canvas.rect([middle - 6, 11], [12, 1], INK);
    // A railing.
    for x in (middle - 10..middle + 10).step_by(3) {
        canvas.rect([x, 17], [1, 3], INK);
    }
    canvas.rect([middle - 10, 17], [20, 1], INK);
    // Windows and a door.
    for y in [34, 50, 66] {
        canvas.rect([middle - 2, y], [4, 6], INK);
        canvas.rect([middle - 1, y + 1], [2, 4], WATER[1]);
        canvas.set(middle - 1, y + 1, WATER[4]);
    }
    canvas.rect([middle - 4, 78], [8, 15], INK);
    canvas.rect([middle - 3, 79], [6, 14], WOOD[2]);
    canvas.rect([middle - 3, 79], [2, 14], WOOD[3]);
    canvas.set(middle + 1, 86, GOLD[3]);
    for y in 80..94 {
        for x in middle + 8..middle + 8 + (y - 74) {
            if x < middle + 13 + (y - 80) {
                canvas.set_below(x, y, SHADOW);
            }
        }
    }
    canvas
}
