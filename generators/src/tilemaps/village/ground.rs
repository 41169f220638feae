//! Ground tiles: grass, paths, cobbles, banks, water and cliffs.

use super::colors::{CLIFF, FOAM, GRASS, INK, SAND, SHADOW, SHALLOW, STONE, WATER};
use crate::noise::{cell, hash, random};
use crate::tilemaps::canvas::{Canvas, TILE};

/// The corners of a tile that belong to some ground: upper left, upper right, lower left, lower
/// right.
pub(crate) type Corners = [bool; 4];

/// Offset of a straight edge from the centre of a tile; 0 at both ends, where it continues.
const WAVE: [i32; 16] = [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, -1, -1, -1, 0, 0, 0];

/// `true` if a pixel of a tile belongs to the ground of the given corners. Pixels outside the tile
/// equal the nearest pixel of the border.
pub(crate) fn is_of(corners: Corners, x: i32, y: i32) -> bool {
    let (x, y) = (x.clamp(0, TILE - 1), y.clamp(0, TILE - 1));
    let near = |corner: usize| {
        // In half pixels, so that both sides of an arc are symmetric.
        let from = |at: i32, far: bool| if far { 31 - 2 * at } else { 2 * at + 1 };
        let (dx, dy) = (from(x, corner % 2 == 1), from(y, corner / 2 == 1));
        dx * dx + dy * dy < 16 * 16
    };
    let along = |at: i32, other: i32| other < 8 + WAVE[at as usize];
    match corners {
        [true, true, false, false] => along(x, y),
        [false, false, true, true] => !along(x, y),
        [true, false, true, false] => along(y, x),
        [false, true, false, true] => !along(y, x),
        _ if corners.iter().filter(|is_of| **is_of).count() <= 2 => {
            (0..4).any(|corner| corners[corner] && near(corner))
        }
        _ => (0..4).all(|corner| corners[corner] || !near(corner)),
    }
}

/// Number of steps in a direction to ground that is (or is not) part of it; `None` beyond `most`
/// steps.
fn steps_to(
    corners: Corners,
    [x, y]: [i32; 2],
    [dx, dy]: [i32; 2],
    most: i32,
    what: bool,
) -> Option<i32> {
    (1..=most).find(|step| is_of(corners, x + dx * step, y + dy * step) == what)
}

const ROUND: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

/// Tufts of grass: position, and `true` if large.
const TUFTS: [&[(i32, i32, bool)]; 4] = [
    &[],
    &[(3, 4, false), (11, 10, true)],
    &[(10, 3, true), (4, 11, false), (12, 13, false)],
    &[(5, 5, true), (12, 6, false), (8, 13, false)],
];

/// Grass: 0 is bare, 1 to 3 have tufts, 4 to 6 flowers.
pub(crate) fn grass(variant: usize, flowers: [u8; 2]) -> Canvas {
    let mut tile = Canvas::new(TILE, TILE);
    tile.rect([0, 0], [TILE; 2], GRASS[2]);
    for (x, y, is_large) in TUFTS[variant % 4] {
        if *is_large {
            for (dx, dy, shade) in [
                (-2, 0, 3),
                (-1, 1, 3),
                (0, -1, 3),
                (0, 0, 3),
                (2, -1, 3),
                (1, 0, 3),
                (-1, 2, 1),
                (0, 1, 1),
                (0, 2, 1),
                (1, 1, 1),
                (1, 2, 1),
                (-2, 1, 1),
                (2, 0, 1),
            ] {
                tile.set(x + dx, y + dy, GRASS[shade]);
            }
        } else {
            for (dx, dy, shade) in [(-1, 0, 3), (1, -1, 3), (0, 0, 3), (0, 1, 1), (1, 0, 1)] {
                tile.set(x + dx, y + dy, GRASS[shade]);
            }
        }
    }
    if variant >= 4 {
        for (i, [x, y]) in [[3, 10], [9, 4], [12, 11]].into_iter().enumerate() {
            let color = flowers[0];
            tile.set(x, y - 1, color);
            tile.set(x - 1, y, color);
            tile.set(x + 1, y, color);
            tile.set(x, y + 1, color);
            tile.set(x, y, flowers[1]);
            tile.set(x + 1, y + 1, GRASS[1]);
            tile.set(x, y + 2, GRASS[1]);
            if i == variant - 4 {
                tile.set(x - 1, y + 2, GRASS[3]);
            }
        }
    }
    tile
}

/// A path over grass.
pub(crate) fn path(corners: Corners, variant: u32) -> Canvas {
    let mut tile = grass(0, [0; 2]);
    tile.paint(|x, y| {
        if is_of(corners, x, y) {
            let above = steps_to(corners, [x, y], [0, -1], 2, false);
            let beside = ROUND
                .iter()
                .any(|by| steps_to(corners, [x, y], *by, 1, false).is_some());
            return Some(match above {
                Some(1) => SAND[0],
                Some(_) => SAND[1],
                None if beside => SAND[1],
                None => SAND[2],
            });
        }
        let below = steps_to(corners, [x, y], [0, 1], 1, true).is_some();
        let beside = ROUND
            .iter()
            .any(|by| steps_to(corners, [x, y], *by, 1, true).is_some());
        // Blades of grass stick out of the edge.
        let stands = hash(x, y, 71).is_multiple_of(3);
        match () {
            () if below => Some(if stands { GRASS[3] } else { GRASS[1] }),
            () if beside => Some(if stands { GRASS[3] } else { GRASS[1] }),
            () => None,
        }
    });
    let pebbles: [&[(i32, i32)]; 3] = [&[(4, 5)], &[(11, 4), (5, 12)], &[(3, 11), (12, 9), (8, 3)]];
    for (x, y) in pebbles[variant as usize % 3] {
        let is_free = |x: i32, y: i32| {
            is_of(corners, x, y)
                && (-2..=2).all(|d| is_of(corners, x, y + d) && is_of(corners, x + d, y))
        };
        if is_free(*x, *y) && is_free(x + 2, y + 1) {
            tile.rect([*x, *y], [2, 1], SAND[4]);
            tile.set(x - 1, y + 1, SAND[3]);
            tile.rect([*x, y + 1], [2, 1], SAND[1]);
            tile.set(
                x + 6,
                y + 3,
                if is_free(x + 6, y + 3) {
                    SAND[3]
                } else {
                    tile.get(x + 6, y + 3)
                },
            );
        }
    }
    tile
}

/// Cobbles of two by two tiles.
pub(crate) fn cobbles() -> Canvas {
    let mut picture = Canvas::new(2 * TILE, 2 * TILE);
    let side = picture.width as f32;
    let at = |x: i32, y: i32| {
        let place = [x, y].map(|at| (at as f32 + 0.5) / side);
        cell(place, [5, 6], 0.55, 11)
    };
    picture.paint(|x, y| {
        let stone = at(x, y);
        let light = at(x, y - 1);
        Some(if stone.inside < 0.11 {
            SAND[1]
        } else if light.inside < 0.11 {
            SAND[4]
        } else if stone.id % 5 == 0 {
            STONE[4]
        } else {
            SAND[3]
        })
    });
    picture
}

/// Kerbs around a picture full of cobbles; grass grows over its corners.
pub(crate) fn kerbs(picture: &mut Canvas) {
    let (width, height) = (picture.width, picture.height);
    let before = picture.clone();
    picture.paint(|x, y| {
        let (left, top) = (x.min(width - 1 - x), y.min(height - 1 - y));
        let is_bottom = y > height / 2;
        let edge = left.min(top);
        // Rounded corners.
        if left + top < 3 {
            return Some(if left + top == 2 { GRASS[1] } else { GRASS[2] });
        }
        let joint = if top <= left {
            (x + 4) % 8 == 0
        } else {
            (y + 4) % 8 == 0
        };
        match edge {
            0 if is_bottom && top == 0 => Some(STONE[0]),
            0 => Some(STONE[1]),
            1..=3 if joint => Some(STONE[1]),
            1 if is_bottom && top == 1 => Some(STONE[1]),
            1 => Some(STONE[4]),
            2 => Some(STONE[3]),
            3 => Some(if top == 3 && is_bottom {
                STONE[4]
            } else {
                STONE[2]
            }),
            4 if !is_bottom || left == 4 => Some(SAND[1]),
            _ => Some(before.get(x, y)),
        }
    });
}

/// A grass bank above water, which is visible where there is no land.
pub(crate) fn bank(corners: Corners) -> Canvas {
    let mut tile = Canvas::new(TILE, TILE);
    let ground = grass(0, [0; 2]);
    tile.paint(|x, y| {
        if is_of(corners, x, y) {
            let at_edge = |most| {
                ROUND
                    .iter()
                    .any(|by| steps_to(corners, [x, y], *by, most, false).is_some())
            };
            return Some(if at_edge(1) {
                GRASS[1]
            } else if at_edge(2) {
                GRASS[4]
            } else if at_edge(3) {
                GRASS[3]
            } else {
                ground.get(x, y)
            });
        }
        let above = steps_to(corners, [x, y], [0, -1], 9, true);
        let beside = [[-1, 0], [1, 0]]
            .into_iter()
            .filter_map(|by| steps_to(corners, [x, y], by, 4, true))
            .min();
        let below = steps_to(corners, [x, y], [0, 1], 3, true);
        let stone = hash(x / 3, 0, 5).is_multiple_of(3);
        match (above, beside, below) {
            (Some(1), ..) => Some(SAND[0]),
            (Some(2), ..) => Some(SAND[1]),
            (Some(3), ..) => Some(if stone { SAND[2] } else { SAND[1] }),
            (Some(4), ..) => Some(if stone { SAND[1] } else { SAND[0] }),
            (Some(5), ..) => Some(WATER[0]),
            (Some(6), ..) => Some(FOAM),
            (_, Some(1), _) | (_, _, Some(1)) => Some(SAND[0]),
            (_, Some(2), _) => Some(FOAM),
            (_, _, Some(2)) => Some(FOAM),
            (Some(7..=9), ..) | (_, Some(3 | 4), _) | (_, _, Some(3)) => Some(SHALLOW),
            _ => None,
        }
    });
    tile
}

/// Frames of open water.
pub(crate) fn water() -> Vec<Canvas> {
    // A crest that rises, breaks and sinks, and another one half a cycle later.
    const CREST: [&[&str]; 4] = [
        &["       ", " .___. ", "       "],
        &["  ___  ", " /...\\ ", "       "],
        &["  =_=  ", "_/...\\_", "       "],
        &["       ", "._...._", "       "],
    ];
    let crest = |frame: usize| {
        Canvas::drawn(CREST[frame % 4], |character| match character {
            '=' => WATER[4],
            '_' | '/' | '\\' => WATER[3],
            '.' => WATER[1],
            _ => 0,
        })
    };
    let frame = |frame: usize| {
        let mut tile = Canvas::new(TILE, TILE);
        tile.rect([0, 0], [TILE; 2], WATER[2]);
        tile.draw(&crest(frame), 1, 3);
        tile.draw(&crest(frame + 2), 8, 11);
        tile
    };
    (0..4).map(frame).collect()
}

/// Frames of water that reflects the sun.
pub(crate) fn sparkles() -> Vec<Canvas> {
    let frame = |frame: usize| {
        let mut tile = water().swap_remove(frame);
        let [x, y] = [[4, 10], [11, 5], [5, 11], [12, 6]][frame];
        tile.set(x, y, WATER[4]);
        if frame.is_multiple_of(2) {
            for [dx, dy] in ROUND {
                tile.set(x + dx, y + dy, WATER[3]);
            }
        }
        tile
    };
    (0..4).map(frame).collect()
}

/// The colour of a waterfall at a pixel, given its distance from the top.
fn falling(x: i32, y: i32) -> u8 {
    let strand = hash(x / 2, 3, 17);
    let start = (strand % 16) as i32;
    match (y - start).rem_euclid(16) {
        0..=4 if !strand.is_multiple_of(3) => WATER[4],
        5..=7 => WATER[3],
        8..=12 if x % 4 == 1 => WATER[1],
        _ => {
            if x % 5 == 2 {
                WATER[3]
            } else {
                WATER[2]
            }
        }
    }
}

/// Frames of a waterfall.
pub(crate) fn fall() -> Vec<Canvas> {
    let frame = |frame: i32| {
        let mut tile = Canvas::new(TILE, TILE);
        tile.paint(|x, y| Some(falling(x, y - 4 * frame)));
        tile
    };
    (0..4).map(frame).collect()
}

/// Frames of the top of a waterfall.
pub(crate) fn fall_top() -> Vec<Canvas> {
    let frame = |frame: i32| {
        let mut tile = water().swap_remove(frame as usize);
        tile.paint(|x, y| {
            let lip = 6 + (hash(x / 3, 1, 9) % 3) as i32;
            match y - lip {
                ..0 => None,
                0 => Some(WATER[3]),
                1..=2 => Some(WATER[4]),
                _ => Some(falling(x, y - 4 * frame)),
            }
        });
        tile
    };
    (0..4).map(frame).collect()
}

/// Frames of the foot of a waterfall.
pub(crate) fn fall_foot() -> Vec<Canvas> {
    let frame = |frame: i32| {
        let mut tile = water().swap_remove(frame as usize);
        tile.paint(|x, y| {
            let drop = |seed| (hash((x + 3 * frame) / 3, frame, seed) % 4) as i32;
            match y {
                _ if y < 3 + drop(5) / 2 => Some(falling(x, y - 4 * frame)),
                _ if y < 7 + drop(6) => Some(super::colors::WHITE),
                _ if y < 9 + drop(7) => Some(WATER[4]),
                _ if y < 11 + drop(8) && (x + y + frame) % 3 != 0 => Some(WATER[3]),
                _ => None,
            }
        });
        tile
    };
    (0..4).map(frame).collect()
}

/// Height of a cliff in tiles.
pub(crate) const CLIFF_ROWS: i32 = 3;

/// The face of a cliff, two tiles wide, with overhanging grass.
pub(crate) fn cliff() -> Canvas {
    let (width, height) = (2 * TILE, CLIFF_ROWS * TILE);
    let mut picture = Canvas::new(width, height);
    let at = |x: i32, y: i32| {
        let place = [x as f32 / width as f32, y as f32 / height as f32];
        cell(place, [3, 3], 0.8, 29)
    };
    picture.paint(|x, y| {
        let rock = at(x, y);
        // Each rock is lit on its left and upper edges, and dark on the others.
        let slope = (at(x + 2, y).inside - at(x - 2, y).inside) * 2.0
            + (at(x, y + 2).inside - at(x, y - 2).inside);
        let streak = hash(x, y / 4, 41).is_multiple_of(9);
        let shade = match () {
            () if rock.inside < 0.05 => 0,
            () if rock.inside > 0.33 => 2 + i32::from(rock.id % 2 == 0) - i32::from(streak),
            () if slope > 0.45 => 4,
            () if slope > 0.1 => 3,
            () if slope < -0.3 => 1,
            () => 2 - i32::from(streak),
        };
        let depth = i32::from(y > 32) + i32::from(y > 42);
        Some(CLIFF[(shade - depth).max(0) as usize])
    });
    picture.paint(|x, y| {
        let hang = 4 + (hash(x / 2, 0, 31) % 4) as i32 - (x % 2);
        match y - hang {
            ..-2 => Some(if y < 2 { GRASS[3] } else { GRASS[2] }),
            -2 => Some(GRASS[2]),
            -1 => Some(GRASS[0]),
            0 | 1 => Some(CLIFF[0]),
            _ if y == height - 1 => Some(INK),
            _ => None,
        }
    });
    // Boulders and grass at its foot.
    for (x0, half) in [(5, 4), (20, 5), (28, 3)] {
        for dx in -half..half {
            let top = height - 2 - half + (2i32 * dx + 1).abs() / 3;
            for y in top..height - 1 {
                let color = match () {
                    () if y == top || dx == -half || dx == half - 1 => CLIFF[0],
                    () if y == top + 1 && dx < half / 2 => CLIFF[4],
                    () if dx < 0 => CLIFF[3],
                    () => CLIFF[2],
                };
                picture.set(x0 + dx, y, color);
            }
        }
    }
    picture
}

/// The shadow at the foot of a cliff or a wall.
pub(crate) fn foot_shadow(columns: i32) -> Canvas {
    let mut picture = Canvas::new(columns * TILE, TILE);
    picture.rect([0, 0], [columns * TILE, 5], SHADOW);
    picture
}

/// Rows of earth with a crop: nothing, sprouts or wheat.
pub(crate) fn field(plant: &[&str], key: impl Fn(char) -> u8) -> Canvas {
    let mut tile = Canvas::new(TILE, TILE);
    tile.paint(|x, y| {
        Some(match y % 8 {
            0 => SAND[1],
            1..=4 => {
                if random(x, y, 3) < 0.12 {
                    SAND[1]
                } else {
                    CLIFF[1]
                }
            }
            5 => CLIFF[1],
            _ => CLIFF[0],
        })
    });
    let plant = Canvas::drawn(plant, key);
    for [x, y] in [[1, -4], [9, -4], [1, 4], [9, 4]] {
        tile.draw(&plant, x, y);
    }
    tile
}
