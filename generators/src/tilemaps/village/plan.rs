//! The plan of the village.

use super::colors::{BLUE, FLOWER, GOLD, INK, LEAF, RED, WHITE};
use super::houses::{self, Wall};
use super::{ground, plants, things};
use crate::noise::hash;
use crate::tilemaps::canvas::{Canvas, TILE};

/// Columns and rows.
pub(crate) const SIZE: [i32; 2] = [48, 36];

/// The layers as pictures: the ground, objects on it, objects above the player, and clouds.
pub(crate) struct Picture {
    pub(crate) layers: [Canvas; 4],
    /// Cells that are not walkable, row by row.
    pub(crate) is_blocked: Vec<bool>,
}

/// The row of the topmost sea corner in each column.
const SHORE: [i32; 49] = [
    31, 31, 31, 31, 31, 31, 31, 30, 30, 30, 30, 30, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29,
    29, 29, 29, 30, 30, 30, 30, 30, 29, 28, 27, 27, 27, 27, 28, 29, 29, 29, 29, 29, 29, 28, 28, 27,
    26,
];

/// First and last column of the river at a row of corners.
fn river(row: i32) -> [i32; 2] {
    match row {
        ..=6 => [35, 37],
        7..=8 => [34, 39],
        9..=20 => [35, 37],
        21..=22 => [34, 37],
        23.. => [34, 36],
    }
}

fn is_water(column: i32, row: i32) -> bool {
    let [first, last] = river(row);
    row >= SHORE[column.clamp(0, 48) as usize] || (first..=last).contains(&column)
}

/// Segments of paths: columns and rows of corners, from and to.
const PATHS: [([i32; 2], [i32; 2]); 13] = [
    // The street from the wood across the square and the bridge to the farm.
    ([3, 17], [34, 18]),
    ([39, 17], [43, 18]),
    // To the harbour and along it.
    ([21, 20], [23, 28]),
    ([9, 26], [31, 27]),
    // To the doors.
    ([11, 15], [12, 17]),
    ([30, 15], [31, 17]),
    ([10, 23], [11, 26]),
    ([29, 26], [30, 27]),
    ([42, 12], [43, 18]),
    // To the lighthouse.
    ([43, 18], [44, 21]),
    ([42, 20], [43, 22]),
    ([42, 22], [42, 26]),
    ([42, 25], [44, 26]),
];

fn is_path(column: i32, row: i32) -> bool {
    PATHS
        .iter()
        .any(|([x0, y0], [x1, y1])| (*x0..=*x1).contains(&column) && (*y0..=*y1).contains(&row))
}

fn corners(column: i32, row: i32, is_of: fn(i32, i32) -> bool) -> ground::Corners {
    [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[i, j]| is_of(column + i, row + j))
}

/// The top row of the cliff at a column.
fn cliff_row(column: i32) -> i32 {
    match column {
        13..42 => 3,
        _ => 2,
    }
}

/// The square: its upper left cell and its size.
const SQUARE: ([i32; 2], [i32; 2]) = ([16, 14], [11, 7]);

fn cell_hash(column: i32, row: i32, seed: u32) -> u32 {
    hash(column, row, seed)
}

/// Paints pictures at a column and row into one layer or two.
struct Painter {
    layers: [Canvas; 4],
    is_blocked: Vec<bool>,
}

impl Painter {
    fn at(&mut self, layer: usize, picture: &Canvas, column: i32, row: i32) {
        self.layers[layer].draw(picture, column * TILE, row * TILE);
    }

    fn block(&mut self, [column, row]: [i32; 2], [columns, rows]: [i32; 2]) {
        for y in row..row + rows {
            for x in column..column + columns {
                if (0..SIZE[0]).contains(&x) && (0..SIZE[1]).contains(&y) {
                    self.is_blocked[(y * SIZE[0] + x) as usize] = true;
                }
            }
        }
    }

    /// Paints a house: its lowest three rows are on the ground, the rest is above the player.
    fn house(&mut self, house: &Canvas, column: i32, last_row: i32) {
        let rows = house.height / TILE;
        let first = last_row + 1 - rows;
        let split = house.height - 3 * TILE;
        let upper = house.cut([0, 0], [house.width, split]);
        let lower = house.cut([0, split], [house.width, 3 * TILE]);
        self.at(2, &upper, column, first);
        self.at(1, &lower, column, last_row - 2);
        self.block([column, last_row - 2], [house.width / TILE - 1, 3]);
    }

    fn tree(&mut self, [trunk, top]: &[Canvas; 2], column: i32, row: i32) {
        self.layers[1].draw_below(trunk, column * TILE, row * TILE);
        self.at(2, top, column, row);
        self.block([column, row + 2], [2, 1]);
    }
}

pub(crate) fn picture() -> Picture {
    let size = SIZE.map(|side| side * TILE);
    let mut painter = Painter {
        layers: [(); 4].map(|()| Canvas::new(size[0], size[1])),
        is_blocked: vec![false; (SIZE[0] * SIZE[1]) as usize],
    };
    land(&mut painter);
    cliffs(&mut painter);
    square(&mut painter);
    village(&mut painter);
    farm(&mut painter);
    harbour(&mut painter);
    woods(&mut painter);
    clouds(&mut painter);
    Picture {
        layers: painter.layers,
        is_blocked: painter.is_blocked,
    }
}

fn land(painter: &mut Painter) {
    let (water, sparkles) = (ground::water(), ground::sparkles());
    for row in 0..SIZE[1] {
        for column in 0..SIZE[0] {
            let random = cell_hash(column, row, 1);
            let wet = corners(column, row, is_water);
            let paved = corners(column, row, is_path);
            if wet.contains(&true) {
                let open = !wet.contains(&false);
                let frames = if open && random.is_multiple_of(11) {
                    &sparkles
                } else {
                    &water
                };
                painter.at(0, &frames[(random / 16 % 4) as usize], column, row);
                if !open {
                    painter.at(1, &ground::bank(wet.map(|wet| !wet)), column, row);
                }
                let wet_corners = wet.iter().filter(|wet| **wet).count();
                if wet_corners >= 2 {
                    painter.block([column, row], [1, 1]);
                }
            } else if paved.contains(&true) {
                let is_full = !paved.contains(&false);
                let variant = if is_full { random % 3 } else { 0 };
                painter.at(0, &ground::path(paved, variant), column, row);
            } else {
                let (variant, flowers) = match random % 40 {
                    0..=15 => (0, [0; 2]),
                    16..=23 => (1, [0; 2]),
                    24..=29 => (2, [0; 2]),
                    30..=35 => (3, [0; 2]),
                    36 => (4, [WHITE, GOLD[2]]),
                    37 => (5, [FLOWER[3], GOLD[3]]),
                    38 => (6, [GOLD[2], RED[2]]),
                    _ => (1, [0; 2]),
                };
                painter.at(0, &ground::grass(variant, flowers), column, row);
            }
        }
    }
}

fn cliffs(painter: &mut Painter) {
    let face = ground::cliff();
    let [first, last] = river(3);
    let (left, right) = (first * TILE - 8, last * TILE + 8);
    for column in 0..SIZE[0] {
        let row = cliff_row(column);
        let is_fall = (first - 1..=last).contains(&column);
        let layer = usize::from(is_fall);
        for y in 0..face.height {
            for x in column * TILE..(column + 1) * TILE {
                let inset = 1 + (hash(y / 3, 0, 8) % 3) as i32;
                if is_fall && (left - inset + 3..right + inset - 3).contains(&x) {
                    continue;
                }
                let is_end = is_fall && (left - inset..right + inset).contains(&x);
                let color = if is_end {
                    INK
                } else {
                    face.get(x % (2 * TILE), y)
                };
                painter.layers[layer].set(x, row * TILE + y, color);
            }
        }
        if !is_fall {
            let y = (row + ground::CLIFF_ROWS) * TILE;
            painter.layers[1].draw_below(&ground::foot_shadow(1), column * TILE, y);
        }
        painter.block([column, row], [1, ground::CLIFF_ROWS]);
    }
    // Where the cliff protrudes, its side is visible from above.
    for (column, is_left) in [(13, true), (41, false)] {
        let x = if is_left {
            column * TILE
        } else {
            (column + 1) * TILE - 1
        };
        let step = if is_left { 1 } else { -1 };
        for y in 2 * TILE + 4..3 * TILE + 5 {
            for (i, color) in [INK, super::colors::GRASS[0], super::colors::GRASS[3]]
                .into_iter()
                .enumerate()
            {
                painter.layers[0].set(x + step * i as i32, y, color);
            }
        }
    }
    let falls = [
        ground::fall_top(),
        ground::fall(),
        ground::fall(),
        ground::fall_foot(),
    ];
    for column in first - 1..=last {
        for (row, frames) in (3..).zip(&falls) {
            let frame = (cell_hash(column, 0, 3) % 4) as usize;
            painter.at(0, &frames[frame], column, row);
        }
    }
}

fn square(painter: &mut Painter) {
    let ([column, row], [columns, rows]) = SQUARE;
    let mut square = Canvas::new(columns * TILE, rows * TILE);
    let cobbles = ground::cobbles();
    square.paint(|x, y| Some(cobbles.get(x % cobbles.width, y % cobbles.height)));
    ground::kerbs(&mut square);
    painter.at(0, &square, column, row);
    painter.at(1, &things::fountain()[0], 20, 16);
    painter.block([20, 17], [3, 2]);
    let stalls = [
        (things::stall(RED, ["RqR", "hGg"]), 16, 17),
        (things::stall(BLUE, ["zYZ", "pVP"]), 24, 17),
    ];
    for ([table, roof], column, row) in stalls {
        painter.at(1, &table, column, row);
        painter.at(2, &roof, column, row);
        painter.block([column, row + 1], [3, 2]);
    }
    for [column, row] in [[17, 12], [25, 12], [20, 20], [24, 20], [33, 15], [9, 15]] {
        lamp(painter, column, row);
    }
}

fn lamp(painter: &mut Painter, column: i32, row: i32) {
    let [post, head] = things::lamp();
    painter.layers[1].draw_below(&post, column * TILE, row * TILE);
    painter.at(2, &head, column, row);
    painter.block([column, row + 2], [1, 1]);
}

fn village(painter: &mut Painter) {
    use Wall::{Door, Plain, Window};
    let inn = houses::gable_house(&[Window, Plain, Door, Plain, Window], RED);
    painter.house(&inn, 19, 13);
    let blue = houses::long_house(&[Window, Door, Window, Plain], BLUE, Some(44));
    painter.house(&blue, 10, 14);
    let red = houses::long_house(&[Window, Plain, Door, Window, Window], RED, Some(12));
    painter.house(&red, 28, 14);
    let small = houses::long_house(&[Window, Door, Window], RED, Some(28));
    painter.house(&small, 9, 22);
    let store = houses::gable_house(&[Window, Door, Window], BLUE);
    painter.house(&store, 28, 25);
    let shop = houses::long_house(&[Window, Window, Door, Window], BLUE, None);
    painter.house(&shop, 15, 25);
    for [column, row] in [[12, 8], [28, 8], [10, 16]] {
        let smoke = &things::smoke()[0];
        painter.at(2, smoke, column, row);
    }
    for ([column, row], berries) in [
        ([14, 15], None),
        ([18, 13], Some(FLOWER[2])),
        ([24, 13], Some(FLOWER[2])),
        ([8, 22], None),
        ([12, 22], Some(GOLD[2])),
        ([27, 24], None),
        ([27, 14], Some(FLOWER[3])),
    ] {
        painter.at(1, &plants::bush(berries), column, row);
        painter.block([column, row], [1, 1]);
    }
    for ([column, row], thing) in [
        ([24, 12], things::barrel()),
        ([33, 13], things::barrel()),
        ([20, 25], things::barrel()),
        ([20, 24], things::crate_of("RqRr")),
        ([14, 25], things::crate_of("GhGg")),
        ([18, 12], things::sign()),
    ] {
        painter.at(1, &thing, column, row);
        painter.block([column, row], [1, 1]);
    }
    for [column, row] in [[17, 15], [24, 15]] {
        painter.at(1, &things::bench(), column, row);
    }
}

fn farm(painter: &mut Painter) {
    use Wall::{Door, Window};
    let house = houses::long_house(&[Window, Window, Door, Window], RED, Some(12));
    painter.house(&house, 40, 11);
    painter.at(2, &things::smoke()[0], 40, 5);
    let wheat = ground::field(
        &[
            " z y z", "zYzYzY", "YzYyYz", "yYyYyY", "gyGygy", " g g g", " G G G",
        ],
        things::key,
    );
    let greens = ground::field(
        &["      ", "  h   ", " hGh h", "hGgGhG", "gGgggg", " g gg "],
        things::key,
    );
    for row in 13..16 {
        for column in 38..41 {
            painter.at(1, &wheat, column, row);
        }
        for column in 44..47 {
            painter.at(1, &greens, column, row);
        }
    }
    let fence = things::fence();
    let part = |index: i32| fence.tile(index, 0);
    for (column, part) in [
        (38, part(0)),
        (39, part(1)),
        (40, part(2)),
        (44, part(0)),
        (45, part(1)),
        (46, part(2)),
    ] {
        for row in [12, 16] {
            painter.at(1, &part, column, row);
            painter.block([column, row], [1, 1]);
        }
    }
    // Over the river.
    let [deck, railing] = things::bridge();
    for column in 0..5 {
        let x = column % 3;
        let at = |canvas: &Canvas| canvas.cut([x * TILE, 0], [TILE, 4 * TILE]);
        painter.at(1, &at(&deck), 34 + column, 15);
        painter.at(2, &at(&railing), 34 + column, 15);
        for row in 16..18 {
            painter.is_blocked[(row * SIZE[0] + 34 + column) as usize] = false;
        }
    }
    painter.house(&houses::lighthouse(RED), 43, 24);
}

fn harbour(painter: &mut Painter) {
    painter.at(1, &things::pier(2, 6), 21, 28);
    painter.at(1, &things::pier(2, 4), 13, 29);
    for [column, row, columns, rows] in [[21, 28, 2, 5], [13, 29, 2, 3]] {
        for y in row..row + rows {
            for x in column..column + columns {
                painter.is_blocked[(y * SIZE[0] + x) as usize] = false;
            }
        }
    }
    for ([column, row], thing) in [
        ([22, 29], things::barrel()),
        ([22, 30], things::bollard()),
        ([21, 32], things::bollard()),
        ([13, 29], things::crate_of("RqRr")),
        ([14, 31], things::bollard()),
        ([24, 27], things::crate_of("vUvw")),
        ([25, 27], things::barrel()),
    ] {
        painter.at(1, &thing, column, row);
        painter.block([column, row], [1, 1]);
    }
    let [hull, sail] = things::sailing_boat();
    painter.at(1, &hull, 24, 29);
    painter.at(2, &sail, 24, 29);
    for [column, row] in [[18, 31], [10, 32], [30, 32]] {
        painter.at(1, &things::rowing_boat(), column, row);
    }
    for [column, row] in [[4, 32], [5, 31], [39, 31], [46, 30], [33, 31], [38, 7]] {
        painter.at(1, &things::rock(), column, row);
    }
    for ([column, row], has_flower) in [
        ([35, 8], true),
        ([36, 11], false),
        ([35, 20], true),
        ([36, 21], false),
    ] {
        painter.at(1, &things::lily(has_flower), column, row);
    }
    for [column, row] in [[19, 26], [27, 27]] {
        lamp(painter, column, row - 1);
    }
}

fn woods(painter: &mut Painter) {
    let (leafy, fir) = (plants::tree(LEAF), plants::fir());
    let mut places: Vec<([i32; 2], bool)> = Vec::new();
    // The western wood, in staggered rows with a clearing at the start of the street.
    for (i, row) in (5..27).step_by(2).enumerate() {
        for column in (-1..8).step_by(2) {
            let column = column + (i as i32 & 1);
            let edge = 6 - (cell_hash(row, 0, 5) % 3) as i32;
            let is_street = (14..19).contains(&row);
            if column <= edge && !is_street {
                places.push((
                    [column, row],
                    !cell_hash(column / 2, row, 6).is_multiple_of(3),
                ));
            }
        }
    }
    // On the cliff.
    for column in (-1..48).step_by(2) {
        for row in [-2, 0] {
            let is_free =
                !(31..39).contains(&column) && !cell_hash(column, row, 9).is_multiple_of(4);
            if is_free {
                places.push((
                    [column + i32::from(row == 0), row],
                    cell_hash(column, row, 4).is_multiple_of(2),
                ));
            }
        }
    }
    for place in [
        ([9, 6], true),
        ([12, 6], false),
        ([15, 7], false),
        ([26, 7], false),
        ([31, 6], true),
        ([24, 6], true),
        ([17, 8], true),
        ([26, 20], false),
        ([31, 21], false),
        ([12, 18], false),
        ([38, 8], true),
        ([45, 7], true),
        ([46, 18], true),
        ([38, 20], false),
        ([40, 21], false),
        ([46, 21], false),
        ([6, 24], false),
        ([2, 26], true),
        ([5, 25], true),
    ] {
        places.push(place);
    }
    places.sort_by_key(|([column, row], _)| (*row, *column));
    for ([column, row], is_fir) in places {
        painter.tree(if is_fir { &fir } else { &leafy }, column, row);
    }
}

fn clouds(painter: &mut Painter) {
    let large = plants::cloud(
        [96, 48],
        &[
            (22, 26, 12),
            (70, 24, 13),
            (48, 18, 15),
            (36, 30, 12),
            (58, 30, 13),
            (82, 31, 8),
            (12, 32, 7),
        ],
    );
    let small = plants::cloud(
        [64, 32],
        &[
            (18, 18, 9),
            (44, 17, 10),
            (30, 13, 10),
            (54, 21, 6),
            (9, 22, 5),
        ],
    );
    for (cloud, column, row) in [
        (&large, 3, 10),
        (&small, 36, 13),
        (&large, 30, 29),
        (&small, 15, 4),
        (&small, 4, 30),
    ] {
        painter.at(3, cloud, column, row);
    }
}
