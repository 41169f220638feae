//! The deck of the station: floors, walls and furniture.

use super::colors::{
    ACCENT, CARGO, CLINIC, ENGINE, FLOOR, GARDEN, GLASS, GLEAM, HAZARD, INK, METAL, PLANT, RED,
    STEEL, SUN, WALL, WHITE,
};
use super::plan::{self, Place, SIZE, Wall};
use crate::noise::hash;
use crate::tilemaps::canvas::{Canvas, TILE};

/// The deck: palette indices, and the palette and the priority of each cell.
pub(crate) struct Deck {
    pub(crate) picture: Canvas,
    pub(crate) palettes: Vec<u8>,
    pub(crate) has_priority: Vec<bool>,
}

fn index(column: i32, row: i32) -> usize {
    (row * SIZE[0] + column) as usize
}

impl Deck {
    fn at(&mut self, picture: &Canvas, column: i32, row: i32) {
        self.picture.draw(picture, column * TILE, row * TILE);
    }

    fn set_palette(&mut self, [column, row]: [i32; 2], [columns, rows]: [i32; 2], palette: u8) {
        for y in row..row + rows {
            for x in column..column + columns {
                self.palettes[index(x, y)] = palette;
            }
        }
    }
}

/// The deck.
pub(crate) fn deck() -> Deck {
    let cells = || (0..SIZE[1]).flat_map(|row| (0..SIZE[0]).map(move |column| (column, row)));
    let mut deck = Deck {
        picture: Canvas::new(SIZE[0] * TILE, SIZE[1] * TILE),
        palettes: cells().map(|(x, y)| plan::palette(x, y)).collect(),
        has_priority: vec![false; (SIZE[0] * SIZE[1]) as usize],
    };
    for (column, row) in cells() {
        match plan::place(column, row) {
            Place::Space => {}
            Place::Floor(palette) => deck.at(&floor(column, row, palette), column, row),
            Place::Solid => match plan::wall(column, row) {
                Some(Wall::Face { is_lower, .. }) => deck.at(&face(is_lower), column, row),
                Some(Wall::Hull { is_lower }) => deck.at(&hull(column, row, is_lower), column, row),
                _ => deck.at(&cap(column, row), column, row),
            },
        }
    }
    shade_floors(&mut deck);
    outside(&mut deck);
    bridge(&mut deck);
    corridors(&mut deck);
    reactor(&mut deck);
    garden(&mut deck);
    clinic(&mut deck);
    engines(&mut deck);
    cargo(&mut deck);
    deck
}

/// The colour of the first ring that ends beyond a distance; rings go from the centre outwards.
fn ring(far: i32, rings: &[(i32, u8)]) -> Option<u8> {
    let found = rings.iter().find(|(end, _)| far < *end);
    found.map(|(_, color)| *color)
}

/// A floor plate of two by two tiles; each kind of room has its own.
fn floor(column: i32, row: i32, palette: u8) -> Canvas {
    let mut tile = Canvas::new(TILE, TILE);
    let (left, top) = ((column % 2) * TILE, (row % 2) * TILE);
    tile.paint(|x, y| {
        let (px, py) = (left + x, top + y);
        let side = 2 * TILE;
        let seam = |at: i32| at == 0 || at == side - 1;
        Some(match palette {
            // Slabs.
            CLINIC => match (x, y) {
                (15, _) | (_, 15) => FLOOR[2],
                (0, _) | (_, 0) => FLOOR[4],
                _ => FLOOR[3],
            },
            // A lattice.
            ENGINE | GARDEN if (px + py) % 8 == 0 || (px - py).rem_euclid(8) == 0 => FLOOR[3],
            ENGINE | GARDEN => {
                FLOOR[2 - usize::from((px + py) % 8 == 1 || (px - py).rem_euclid(8) == 7)]
            }
            _ if px == 0 || py == 0 => FLOOR[3],
            _ if seam(px) || seam(py) => FLOOR[0],
            _ if [3, 28].contains(&px) && [3, 28].contains(&py) => FLOOR[4],
            _ if [3, 28].contains(&px) && [4, 29].contains(&py) => FLOOR[1],
            CARGO if (10..22).contains(&px) && py % 4 == 2 && (8..24).contains(&py) => FLOOR[3],
            _ if py == 30 || px == 30 => FLOOR[1],
            _ => FLOOR[2],
        })
    });
    tile
}

/// The top of a wall, with an edge toward everything else.
fn cap(column: i32, row: i32) -> Canvas {
    let is_cap = |i: i32, j: i32| plan::wall(column + i, row + j) == Some(Wall::Cap);
    let is_space = |i: i32, j: i32| plan::place(column + i, row + j) == Place::Space;
    // The distance to other cells and to space, including diagonals.
    let nearest = |x: i32, y: i32, is_it: &dyn Fn(i32, i32) -> bool| {
        let mut nearest = TILE;
        for j in -1..=1 {
            for i in -1..=1 {
                if (i, j) != (0, 0) && is_it(i, j) {
                    let away = |at: i32, side: i32| match side {
                        -1 => at + 1,
                        1 => TILE - at,
                        _ => 0,
                    };
                    nearest = nearest.min(away(x, i).max(away(y, j)));
                }
            }
        }
        nearest
    };
    let mut tile = Canvas::new(TILE, TILE);
    tile.paint(|x, y| {
        let to_space = nearest(x, y, &is_space);
        let to_edge = nearest(x, y, &|i, j| !is_cap(i, j));
        Some(match (to_space, to_edge) {
            (1, _) => INK,
            (2, _) => WALL[4],
            (3..=6, _) => WALL[3],
            (7, _) => WALL[1],
            (_, 1) => INK,
            (_, 2) => WALL[3],
            (_, 3) => WALL[2],
            (_, 4) => WALL[0],
            _ => WALL[1],
        })
    });
    if (-1..=1).all(|j| (-1..=1).all(|i| is_cap(i, j))) {
        roof(&mut tile, column, row);
    }
    tile
}

/// Details on the tops of walls: plates, a hatch, fans and lights.
fn roof(tile: &mut Canvas, column: i32, row: i32) {
    let kind = hash(column, row, 6) % 12;
    tile.paint(|x, y| {
        let (dx, dy) = ((2 * x - 15).abs(), (2 * y - 15).abs());
        let (edge, far) = (dx.max(dy), dx * dx + dy * dy);
        match kind {
            // A plate.
            0..=3 => match edge {
                15 => Some(WALL[0]),
                13 => Some(WALL[2]),
                _ if dx == 9 && dy == 9 => Some(WALL[0]),
                _ => None,
            },
            // A fan behind a ring.
            4 => {
                let is_blade = dx.min(dy) < 3 || (dx - dy).abs() < 3;
                let blade = if is_blade { WALL[2] } else { WALL[0] };
                ring(
                    far,
                    &[(12, WALL[3]), (110, blade), (160, WALL[3]), (200, INK)],
                )
            }
            // Slits.
            5 | 6 if dx < 12 && dy < 12 => Some(match y % 4 {
                0 => INK,
                1 => WALL[3],
                _ => WALL[1],
            }),
            // A light.
            7 => ring(far, &[(6, WHITE), (20, ACCENT[3]), (40, INK)]),
            _ => None,
        }
    });
}

/// The front of a wall.
fn face(is_lower: bool) -> Canvas {
    let mut tile = Canvas::new(TILE, TILE);
    let top = if is_lower { TILE } else { 0 };
    tile.paint(|x, y| {
        Some(match y + top {
            0 => INK,
            1 => WALL[4],
            2 => WALL[3],
            3 => WALL[0],
            26 => WALL[0],
            27 => WALL[2],
            28..=30 => WALL[1],
            31 => INK,
            _ if x == 0 => WALL[3],
            _ if x == 15 => WALL[0],
            4 => WALL[1],
            12 | 14 => WALL[1],
            13 => ACCENT[3],
            25 => WALL[1],
            _ if x == 14 => WALL[1],
            _ => WALL[2],
        })
    });
    tile
}

/// The side of the station, with a row of windows.
fn hull(column: i32, row: i32, is_lower: bool) -> Canvas {
    let mut tile = Canvas::new(TILE, TILE);
    let top = if is_lower { TILE } else { 0 };
    let at_left = plan::place(column - 1, row) == Place::Space;
    let at_right = plan::place(column + 1, row) == Place::Space;
    tile.paint(|x, y| {
        Some(match y + top {
            _ if (at_left && x == 0) || (at_right && x == 15) => INK,
            0 => INK,
            1 => WALL[4],
            2..=4 => WALL[3],
            5 => WALL[0],
            _ if x == 0 => WALL[3],
            _ if x == 15 => WALL[0],
            14 | 24 => WALL[0],
            15 | 25 => WALL[2],
            31 => INK,
            28..=30 => WALL[0],
            26..=27 => WALL[1],
            16..=23 => WALL[1],
            _ => WALL[2],
        })
    });
    if !is_lower && column % 2 == 0 {
        tile.rect([4, 8], [8, 5], INK);
        tile.rect([5, 9], [6, 3], HAZARD[1]);
        tile.rect([5, 9], [6, 1], WHITE);
    } else if is_lower && column % 3 == 0 {
        for y in [1, 3, 5] {
            tile.rect([4, y], [8, 1], INK);
        }
    }
    tile
}

/// Darkens the floor at the foot of walls.
fn shade_floors(deck: &mut Deck) {
    for row in 0..SIZE[1] {
        for column in 0..SIZE[0] {
            let is_floor =
                |i: i32, j: i32| matches!(plan::place(column + i, row + j), Place::Floor(_));
            if !is_floor(0, 0) {
                continue;
            }
            let darker = |color: u8, by: u8| {
                if (FLOOR[0]..=FLOOR[4]).contains(&color) {
                    color.saturating_sub(by).max(FLOOR[0])
                } else {
                    color
                }
            };
            for y in 0..TILE {
                for x in 0..TILE {
                    let (px, py) = (column * TILE + x, row * TILE + y);
                    let color = deck.picture.get(px, py);
                    if !is_floor(0, -1) && y < 5 {
                        deck.picture
                            .set(px, py, darker(color, if y < 2 { 2 } else { 1 }));
                    } else if !is_floor(-1, 0) && x < 3 {
                        deck.picture.set(px, py, darker(color, 1));
                    }
                }
            }
        }
    }
}

/// The palette index for a character of a drawing.
fn key(character: char) -> u8 {
    match character {
        '#' => INK,
        '0' => WALL[0],
        '1' => WALL[1],
        '2' => WALL[2],
        '3' => WALL[3],
        '4' => WALL[4],
        'a' => ACCENT[0],
        'b' => ACCENT[1],
        'c' => ACCENT[2],
        'd' => ACCENT[3],
        'e' => ACCENT[4],
        'f' => FLOOR[0],
        'g' => FLOOR[1],
        'h' => FLOOR[2],
        'i' => FLOOR[3],
        'm' => METAL[0],
        'n' => METAL[1],
        'o' => METAL[2],
        'p' => METAL[3],
        'q' => METAL[4],
        'P' => PLANT[0],
        'Q' => PLANT[1],
        'R' => PLANT[2],
        'S' => PLANT[3],
        'k' => HAZARD[0],
        'y' => HAZARD[1],
        'r' => RED,
        'w' => WHITE,
        _ => 0,
    }
}

/// A window in a wall, `columns` tiles wide and two tiles high, through which the stars are
/// visible.
fn window(columns: i32) -> Canvas {
    let width = columns * TILE;
    let mut canvas = Canvas::new(width, 2 * TILE);
    for y in 4..27 {
        for x in 3..width - 3 {
            // The ends are slanted.
            let lean = (y - 4) / 6;
            let from_side = (x - 3).min(width - 4 - x) - (3 - lean).max(0);
            if from_side < 0 {
                continue;
            }
            let is_frame = from_side < 2 || !(6..=24).contains(&y);
            let bar = x % 32 >= 30 || x % 32 < 2;
            let color = match () {
                () if from_side == 0 || y == 4 || y == 26 => INK,
                () if is_frame => WALL[if y < 6 || from_side < 2 { 3 } else { 1 }],
                () if bar => WALL[if x % 32 == 30 { 3 } else { 1 }],
                () if (x + y) % 24 < 4 => GLEAM,
                () => GLASS,
            };
            canvas.set(x, y, color);
        }
    }
    canvas
}

/// A screen in a wall, two tiles wide and as high as the upper half of the wall.
fn screen(kind: usize) -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, TILE);
    canvas.rect([3, 0], [26, 15], INK);
    canvas.rect([4, 1], [24, 13], ACCENT[0]);
    match kind {
        // A curve.
        0 => {
            for x in 5..27i32 {
                let y = [9, 8, 6, 4, 3, 4, 6, 9, 11, 10, 8][(x % 11) as usize];
                canvas.rect([x, y], [1, 2], ACCENT[3]);
                if x % 4 == 0 {
                    canvas.set(x, 12, ACCENT[2]);
                }
            }
        }
        // Bars.
        1 => {
            for i in 0..6 {
                let high = [4, 8, 6, 10, 5, 7][i as usize];
                canvas.rect([6 + 4 * i, 13 - high], [2, high], ACCENT[2]);
                canvas.rect([6 + 4 * i, 13 - high], [2, 1], ACCENT[4]);
            }
        }
        // Lines of text, and a warning.
        _ => {
            for i in 0..4 {
                canvas.rect([6, 3 + 3 * i], [[12, 8, 14, 6][i as usize], 1], ACCENT[3]);
            }
            canvas.rect([22, 3], [4, 4], RED);
            canvas.rect([22, 9], [4, 3], ACCENT[2]);
        }
    }
    canvas.rect([4, 1], [24, 1], ACCENT[1]);
    canvas
}

/// A vent in a wall, one tile by two.
fn vent() -> Canvas {
    let mut canvas = Canvas::new(TILE, 2 * TILE);
    canvas.rect([2, 16], [12, 9], INK);
    for y in [17, 19, 21, 23] {
        canvas.rect([3, y], [10, 1], WALL[3]);
    }
    canvas
}

/// Pipes on a wall, one tile by two.
fn wall_pipes() -> Canvas {
    let mut canvas = Canvas::new(TILE, 2 * TILE);
    for (x, wide) in [(2, 5), (9, 5)] {
        for y in 4..31 {
            let is_ring = y % 9 < 2;
            for dx in 0..wide {
                let color = match dx {
                    0 => INK,
                    _ if dx == wide - 1 => METAL[0],
                    1 => METAL[if is_ring { 4 } else { 3 }],
                    2 => METAL[if is_ring { 3 } else { 2 }],
                    _ => METAL[1],
                };
                canvas.set(x + dx, y, color);
            }
        }
    }
    canvas
}

/// A closed door in a wall, two tiles by two.
fn shut_door() -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, 2 * TILE);
    canvas.rect([1, 3], [30, 29], INK);
    canvas.rect([2, 4], [28, 28], WALL[3]);
    canvas.rect([4, 6], [24, 26], INK);
    for y in 7..32 {
        for x in 5..27i32 {
            let from_middle = (2 * x - 31).abs();
            let color = match () {
                () if from_middle == 1 => INK,
                () if y < 9 => WALL[4],
                () if from_middle < 4 => WALL[1],
                () if (16..20).contains(&y) => HAZARD[usize::from((x + y) % 6 < 3)],
                () if x < 16 => WALL[3],
                () => WALL[2],
            };
            canvas.set(x, y, color);
        }
    }
    canvas.rect([13, 0], [6, 3], INK);
    canvas.rect([14, 1], [4, 1], ACCENT[3]);
    canvas
}

/// Stripes of yellow and dark.
fn hazard(canvas: &mut Canvas, [x0, y0]: [i32; 2], [width, height]: [i32; 2]) {
    for y in y0..y0 + height {
        for x in x0..x0 + width {
            canvas.set(x, y, HAZARD[usize::from((x + y).rem_euclid(8) < 4)]);
        }
    }
}

/// Solar panels on trusses, and a dish.
fn outside(deck: &mut Deck) {
    let mut panel = Canvas::new(2 * TILE, 2 * TILE);
    panel.paint(|x, y| {
        let edge = x.min(31 - x).min(y).min(31 - y);
        Some(match () {
            () if edge == 0 => INK,
            () if edge == 1 => METAL[2],
            () if x % 10 == 1 || y % 10 == 1 => WALL[0],
            () if x % 10 == 2 || y % 10 == 2 => WALL[3],
            () if matches!(x % 10 + y % 10, 8 | 9) => WALL[4],
            () if x % 10 == 0 || y % 10 == 0 => WALL[1],
            () => WALL[2],
        })
    });
    // A horizontal truss, which looks the same after a rotation.
    let mut truss = Canvas::new(TILE, TILE);
    truss.paint(|x, y| {
        let from_middle = (2 * y - 15).abs();
        match from_middle {
            ..=5 if (x - y).rem_euclid(8) < 2
                || (x + y).rem_euclid(8) == 7
                || (x + y).rem_euclid(8) == 0 =>
            {
                Some(METAL[2])
            }
            7 => Some(METAL[3]),
            9 => Some(INK),
            _ => None,
        }
    });
    let upright = turned(&truss);
    for (column, is_left) in [(1, true), (37, false)] {
        for row in [24, 26] {
            for i in [0, 2, 4] {
                let x = if is_left { column + i } else { column - i };
                deck.at(&panel, x, row);
                deck.set_palette([x, row], [2, 2], SUN);
            }
        }
    }
    for column in [4, 35] {
        deck.at(&upright, column, 23);
        deck.set_palette([column, 23], [1, 1], SUN);
    }
    for column in [7, 32] {
        deck.at(&truss, column, 25);
        deck.set_palette([column, 25], [1, 1], SUN);
    }
    // Masts with a light on the wings.
    for column in [5, 34] {
        for row in 2..5 {
            deck.at(&upright, column, row);
        }
        let mut dish = Canvas::new(TILE, TILE);
        dish.paint(|x, y| {
            let (dx, dy) = (2 * x - 15, 2 * y - 15);
            let far = dx * dx + dy * dy;
            ring(
                far,
                &[
                    (8, RED),
                    (40, METAL[1]),
                    (90, METAL[3]),
                    (150, METAL[4]),
                    (195, METAL[2]),
                    (250, INK),
                ],
            )
        });
        deck.at(&dish, column, 1);
    }
}

/// A square picture, transposed.
fn turned(picture: &Canvas) -> Canvas {
    let mut turned = Canvas::new(picture.height, picture.width);
    turned.paint(|x, y| Some(picture.get(y, x)));
    turned
}

/// The command bridge, with a window to the stars.
fn bridge(deck: &mut Deck) {
    deck.at(&window(8), 16, 1);
    deck.at(&screen(0), 14, 1);
    deck.at(&screen(1), 24, 1);
    // A rug with the sign of the station, the same in all four quarters.
    let mut rug = Canvas::new(6 * TILE, 3 * TILE);
    let (width, height) = (rug.width, rug.height);
    rug.paint(|x, y| {
        let edge = x.min(width - 1 - x).min(y).min(height - 1 - y);
        Some(match edge {
            0 => FLOOR[0],
            1 | 2 => ACCENT[1],
            3 => ACCENT[2],
            4 => FLOOR[0],
            _ => FLOOR[1],
        })
    });
    deck.at(&rug, 17, 4);
    // The table with the hologram.
    let mut table = Canvas::new(2 * TILE, 2 * TILE);
    table.paint(|x, y| {
        let (dx, dy) = (2 * x - 31, 2 * y - 31);
        let far = dx * dx + dy * dy;
        let (a, b) = (dx.abs().max(dy.abs()), dx.abs().min(dy.abs()));
        let is_ray = b < 3 || a - b < 3;
        let glow = ACCENT[if is_ray { 3 } else { 1 }];
        ring(
            far,
            &[
                (30, WHITE),
                (90, ACCENT[4]),
                (330, glow),
                (390, ACCENT[4]),
                (520, ACCENT[0]),
                (560, INK),
                (800, METAL[3]),
                (840, METAL[1]),
                (960, INK),
            ],
        )
    });
    deck.at(&table, 19, 4);
    // Consoles along the window.
    let console = Canvas::drawn(
        &[
            "                                ",
            " ############################## ",
            "#444444444444444444444444444433#",
            "#4############################3#",
            "#3#accccaabbbbbbbbbba#aeeeeea#2#",
            "#3#acddcaabdbdbbdbdba#acccaca#2#",
            "#3#accccaabbbddddbbba#aeeecea#2#",
            "#3############################2#",
            "#3333333333333333333333333333222#",
            "#3rr3yy3cc3cc3333333ee3ee3rr322#",
            "#222222222222222222222222222211#",
            "################################",
            "#111111111111111111111111111110#",
            "#1111111#000000000000#111111110#",
            "#000000##############0000000000#",
            " ############################## ",
        ],
        key,
    );
    for column in [14, 16, 22, 24] {
        deck.at(&console, column, 3);
    }
    // Seats.
    let seat = Canvas::drawn(
        &[
            "                ",
            "                ",
            "    ########    ",
            "   #bccccccb#   ",
            "  ##bccccccb##  ",
            "  #2#bbbbbb#2#  ",
            "  #3#bccccb#3#  ",
            "  #3#cddddc#3#  ",
            "  #3#cddddc#3#  ",
            "  #3#bccccb#3#  ",
            "  #2########2#  ",
            "  ###baaaab###  ",
            "    #aaaaaa#    ",
            "    ########    ",
        ],
        key,
    );
    for [column, row] in [[14, 4], [25, 4], [16, 4], [23, 4]] {
        deck.at(&seat, column, row);
    }
    deck.at(&seat, 19, 6);
    deck.at(&seat, 20, 6);
    for (column, row) in [(14, 7), (25, 7)] {
        deck.at(&locker(), column, row - 1);
    }
}

/// A locker of one tile by two.
fn locker() -> Canvas {
    Canvas::drawn(
        &[
            " ############## ",
            "#44444444444433#",
            "#43333333333322#",
            "################",
            "#33333##3333322#",
            "#3####3#3####32#",
            "#33333##3333322#",
            "#3####3#3####32#",
            "#33333##3333322#",
            "#33333##3333322#",
            "#3333e##3e33322#",
            "#3333e##3e33322#",
            "#33333##3333322#",
            "#33333##3333322#",
            "#33333##3333322#",
            "#33333##3333322#",
            "#22222##2222211#",
            "#22222##2222211#",
            "################",
            "#00000000000000#",
            " ############## ",
        ],
        key,
    )
}

/// Corridors between rooms.
fn corridors(deck: &mut Deck) {
    // Lights along both sides; the right one is the mirrored left one.
    let mut light = Canvas::new(TILE, TILE);
    light.rect([2, 2], [4, 12], INK);
    light.rect([3, 3], [2, 10], ACCENT[3]);
    light.rect([3, 3], [1, 10], ACCENT[4]);
    for row in [8, 9, 10, 20] {
        deck.at(&light, 18, row);
        deck.at(&light.mirrored(), 21, row);
    }
    let across = turned(&light);
    for column in [12, 13, 14, 25, 26, 27] {
        deck.at(&across, column, 16);
        deck.at(&mirrored_down(&across), column, 17);
    }
    // Hazard stripes at the entrances of the reactor room and the cargo bay.
    let mut stripes = Canvas::new(4 * TILE, TILE);
    hazard(&mut stripes, [0, 10], [64, 6]);
    deck.at(&stripes, 18, 11);
    deck.at(&stripes, 18, 22);
    gantry(deck, 18, 9, 4);
    gantry(deck, 18, 21, 4);
    // Screens and vents.
    for (picture, column, row) in [
        (vent(), 12, 14),
        (vent(), 27, 14),
        (wall_pipes(), 13, 14),
        (wall_pipes(), 26, 14),
    ] {
        deck.at(&picture, column, row);
    }
}

/// The picture with top and bottom swapped.
fn mirrored_down(picture: &Canvas) -> Canvas {
    turned(&turned(picture).mirrored())
}

/// The reactor: rings around a core with eightfold symmetry.
fn reactor(deck: &mut Deck) {
    let mut core = Canvas::new(6 * TILE, 6 * TILE);
    let side = core.width;
    core.paint(|x, y| {
        let (dx, dy) = ((2 * x + 1 - side).abs(), (2 * y + 1 - side).abs());
        let (a, b) = (dx.max(dy), dx.min(dy));
        let far = dx * dx + dy * dy;
        let within = |radius: i32| far < 4 * radius * radius;
        // 16 spokes along the axes, the diagonals and halfway between them.
        let is_spoke = b < 3 || (a - b).abs() < 4;
        let is_half_spoke = (2 * a - 5 * b).abs() < 7;
        Some(match () {
            () if within(6) => WHITE,
            () if within(9) => ACCENT[4],
            () if within(11) => ACCENT[3],
            () if within(15) && is_spoke => ACCENT[4],
            () if within(15) => ACCENT[2],
            () if within(16) => ACCENT[0],
            () if within(18) => METAL[4],
            () if within(20) => METAL[2],
            () if within(21) => INK,
            () if within(28) && is_spoke => METAL[3],
            () if within(28) && is_half_spoke => ACCENT[2],
            () if within(24) => ACCENT[1],
            () if within(28) => ACCENT[0],
            () if within(29) => INK,
            () if within(31) => METAL[3],
            () if within(34) => METAL[if is_spoke || is_half_spoke { 3 } else { 2 }],
            () if within(36) => METAL[1],
            () if within(37) => INK,
            // Stripes that run outwards.
            () if within(44) => {
                let turns = 20 * b / a.max(1);
                HAZARD[usize::from(turns % 7 < 4)]
            }
            () if within(45) => INK,
            () => return None,
        })
    });
    deck.at(&core, 17, 13);
    // Columns in the corners of the room, with a light on top.
    let mut pillar = Canvas::new(2 * TILE, 2 * TILE);
    pillar.paint(|x, y| {
        let (dx, dy) = ((2 * x - 31).abs(), (2 * y - 31).abs());
        let edge = dx.max(dy).max((dx + dy) * 3 / 4);
        ring(
            edge,
            &[
                (6, ACCENT[4]),
                (10, ACCENT[2]),
                (12, INK),
                (20, METAL[2]),
                (22, METAL[3]),
                (24, METAL[1]),
                (26, INK),
            ],
        )
    });
    for [column, row] in [[15, 12], [23, 12], [15, 18], [23, 18]] {
        deck.at(&pillar, column, row);
    }
    for column in [16, 22] {
        deck.at(&screen(column as usize / 6 % 3), column, 10);
    }
    deck.at(&wall_pipes(), 15, 10);
    deck.at(&wall_pipes(), 24, 10);
}

/// A horizontal bridge of grating with rails on both sides; its cells have priority.
fn gantry(deck: &mut Deck, column: i32, row: i32, columns: i32) {
    let mut grid = Canvas::new(TILE, TILE);
    grid.paint(|x, y| {
        Some(match y {
            0 | 15 => INK,
            1 | 14 => METAL[4],
            2 | 13 => METAL[2],
            3 | 12 => INK,
            _ if x == 0 || x == 15 => METAL[2],
            _ if (x + y) % 4 == 0 || (x - y).rem_euclid(4) == 0 => METAL[2],
            _ => METAL[0],
        })
    });
    // Posts of the rails.
    for x in [1, 12] {
        for y in [0, 12] {
            grid.rect([x, y], [3, 4], INK);
            grid.rect([x + 1, y + 1], [1, 2], WHITE);
        }
    }
    for x in column..column + columns {
        deck.at(&grid, x, row);
        deck.has_priority[index(x, row)] = true;
    }
}

/// Plant beds under lamps, and a tank.
fn garden(deck: &mut Deck) {
    let bed = |plants: usize| {
        let mut bed = Canvas::new(2 * TILE, 2 * TILE);
        bed.rect([1, 2], [30, 29], INK);
        bed.rect([2, 3], [28, 22], METAL[3]);
        bed.rect([2, 3], [28, 1], METAL[4]);
        bed.rect([2, 25], [28, 5], METAL[1]);
        bed.rect([2, 26], [28, 1], METAL[2]);
        bed.rect([4, 5], [24, 19], INK);
        bed.rect([5, 6], [22, 17], METAL[0]);
        for x in (5..27).step_by(3) {
            for y in (6..23).step_by(4) {
                bed.set(x + (y % 3), y, METAL[1]);
            }
        }
        let plant = match plants {
            0 => Canvas::drawn(
                &[
                    "   PPP    ",
                    "  PSRQP   ",
                    " PSRRRQPP ",
                    "PSRQRSRQQP",
                    "PRRSRRQQRP",
                    "PQRRQSRRQP",
                    " PQQRRQQP ",
                    "  PPQQPP  ",
                    "    PP    ",
                ],
                key,
            ),
            1 => Canvas::drawn(
                &[
                    "   PP PP  ",
                    "  PSPPSP  ",
                    " PSRPPRSP ",
                    " PRrPPRRP ",
                    " PRrrRrRP ",
                    "  PRRRrP  ",
                    "  PQrRQP  ",
                    "   PQQP   ",
                    "    PP    ",
                ],
                key,
            ),
            _ => Canvas::drawn(
                &[
                    "  yy  yy  ",
                    " yywyywyy ",
                    "  yyPPyy  ",
                    "   PRRP   ",
                    " PPPRQPPP ",
                    "PSRPRQPSRP",
                    " PRRRQRRP ",
                    "  PPRQPP  ",
                    "    PP    ",
                ],
                key,
            ),
        };
        bed.draw(&plant, 5, 4);
        bed.draw(&plant, 17, 4);
        bed.draw(&plant, 5, 13);
        bed.draw(&plant, 17, 13);
        bed
    };
    for (i, row) in [9, 12, 18].into_iter().enumerate() {
        for (j, column) in [5, 7, 9].into_iter().enumerate() {
            deck.at(&bed((i + j) % 3), column, row);
        }
    }
    // A water channel: one tile for straights, one for bends.
    let water = pipe_tiles(true);
    for row in 8..15 {
        for column in [4, 11] {
            deck.at(&water.upright, column, row);
        }
    }
    for column in 5..11 {
        deck.at(&water.level, column, 15);
    }
    deck.at(&water.bend, 11, 15);
    deck.at(&water.bend.mirrored(), 4, 15);
    deck.set_palette([4, 8], [1, 8], STEEL);
    deck.set_palette([11, 8], [1, 8], STEEL);
    deck.set_palette([4, 15], [8, 1], STEEL);
    deck.at(&screen(1), 4, 6);
    deck.at(&screen(2), 10, 6);
    deck.at(&window(3), 6, 6);
    deck.at(&vent(), 9, 6);
}

/// Pipes or channels in a floor: horizontal, vertical, and a bend from the top to the left.
struct PipeTiles {
    level: Canvas,
    upright: Canvas,
    bend: Canvas,
}

fn pipe_tiles(is_water: bool) -> PipeTiles {
    // The colours from the centre outwards; joints between two pipes are thicker.
    let channel = [
        (2, ACCENT[4]),
        (6, ACCENT[3]),
        (8, ACCENT[2]),
        (10, INK),
        (12, METAL[3]),
        (99, METAL[1]),
    ];
    let pipe = [
        (2, METAL[4]),
        (6, METAL[3]),
        (8, METAL[2]),
        (10, METAL[1]),
        (12, INK),
        (14, FLOOR[0]),
        (99, FLOOR[2]),
    ];
    let joint = [
        (6, METAL[4]),
        (8, METAL[3]),
        (10, METAL[2]),
        (12, METAL[1]),
        (14, INK),
        (99, FLOOR[2]),
    ];
    let color = |from_middle: i32, is_joint: bool| match (is_water, is_joint) {
        (true, _) => ring(from_middle, &channel),
        (_, true) => ring(from_middle, &joint),
        _ => ring(from_middle, &pipe),
    };
    let mut level = Canvas::new(TILE, TILE);
    level.paint(|x, y| color((2 * y - 15).abs(), !(2..TILE - 2).contains(&x)));
    let mut bend = Canvas::new(TILE, TILE);
    bend.paint(|x, y| {
        // Around the upper left corner.
        let (dx, dy) = (2 * x + 1, 2 * y + 1);
        let far = ((dx * dx + dy * dy) as f32).sqrt();
        color((far - 16.0).abs() as i32, x < 2 || y < 2)
    });
    let upright = turned(&level);
    PipeTiles {
        level,
        upright,
        bend,
    }
}

/// Beds and a scanner.
fn clinic(deck: &mut Deck) {
    let bed = Canvas::drawn(
        &[
            " ############## ",
            "#33333333333322#",
            "#3############2#",
            "#3#wwwwwwwwww#2#",
            "#3#wwwwwwwww4#2#",
            "#3#wwwwwwwww4#2#",
            "#3#4444444444#2#",
            "#3############2#",
            "#3#dddddddddd#2#",
            "#3#dccccccccc#2#",
            "#3#dccccccccb#2#",
            "#3#dcccwwcccb#2#",
            "#3#dcwwwwwwcb#2#",
            "#3#dcwwwwwwcb#2#",
            "#3#dcccwwcccb#2#",
            "#3#dccccccccb#2#",
            "#3#dccccccccb#2#",
            "#3#cccccccccb#2#",
            "#3#bbbbbbbbbb#2#",
            "#3############2#",
            "#22222222222211#",
            "################",
            "#1############0#",
            "##            ##",
        ],
        key,
    );
    for column in [28, 30, 34] {
        deck.at(&bed, column, 8);
    }
    deck.at(&screen(0), 28, 6);
    deck.at(&screen(2), 34, 6);
    deck.at(&window(3), 30, 6);
    // The scanner, with full symmetry.
    let mut scanner = Canvas::new(2 * TILE, 2 * TILE);
    scanner.paint(|x, y| {
        let (dx, dy) = ((2 * x - 31).abs(), (2 * y - 31).abs());
        let far = dx * dx + dy * dy;
        ring(
            far,
            &[
                (170, ACCENT[4]),
                (260, ACCENT[3]),
                (400, ACCENT[2]),
                (450, INK),
                (600, WALL[4]),
                (760, WALL[3]),
                (860, WALL[2]),
                (960, INK),
            ],
        )
    });
    deck.at(&scanner, 34, 10);
    // A mark on the floor.
    let mut cross = Canvas::new(2 * TILE, 2 * TILE);
    cross.paint(|x, y| {
        let (dx, dy) = ((2 * x - 31).abs(), (2 * y - 31).abs());
        let (a, b) = (dx.max(dy), dx.min(dy));
        Some(match () {
            () if a < 20 && b < 7 => RED,
            () if a * a + b * b < 740 => WHITE,
            () if a * a + b * b < 860 => ACCENT[2],
            () => return None,
        })
    });
    deck.at(&cross, 31, 10);
    let mut stripes = Canvas::new(2 * TILE, TILE);
    hazard(&mut stripes, [0, 12], [32, 4]);
    deck.at(&stripes, 31, 14);
}

/// Pipes that wind over the floor, and machines.
fn engines(deck: &mut Deck) {
    let pipes = pipe_tiles(false);
    let bend = &pipes.bend;
    // From the top to the left, then alternating.
    let top_right = bend.mirrored();
    let bottom_left = mirrored_down(bend);
    let bottom_right = mirrored_down(&top_right);
    let route = [
        (&top_right, 30, 17),
        (&bottom_left, 31, 17),
        (&pipes.upright, 31, 18),
        (&top_right, 31, 19),
        (&pipes.level, 32, 19),
        (bend, 33, 19),
        (&pipes.upright, 33, 18),
        (&bottom_right, 33, 17),
        (&pipes.level, 34, 17),
        (&bottom_left, 35, 17),
        (&pipes.upright, 35, 18),
        (&pipes.upright, 35, 19),
    ];
    deck.at(&pipes.upright, 30, 16);
    for (tile, column, row) in route {
        deck.at(tile, column, row);
    }
    let machine = Canvas::drawn(
        &[
            "  ############################  ",
            " #qqqqqqqqqqqqqqqqqqqqqqqqqqqq# ",
            "#qpppppppppppppppppppppppppppoo#",
            "#qp##########pppp##########ppoo#",
            "#qp#dddddddd#pppp#ccccccbb#ppoo#",
            "#qp#dedededd#pppp#cdcdcdcb#ppoo#",
            "#qp#dddddddd#pppp#cccccbbb#ppoo#",
            "#qp##########pppp##########ppoo#",
            "#qpppppppppppppppppppppppppppoo#",
            "################################",
            "#oooooooooooooooooooooooooooonn#",
            "#o########oooooooooooo########n#",
            "#o#nnnnnn#oorrooyyooee#nnnnnn#n#",
            "#o########oooooooooooo########n#",
            "#o#nnnnnn#o##########o#nnnnnn#n#",
            "#o########o#nmnmnmnm#o########n#",
            "#o#nnnnnn#o##########o#nnnnnn#n#",
            "#o########o#nmnmnmnm#o########n#",
            "#o#nnnnnn#o##########o#nnnnnn#n#",
            "#o########oooooooooooo########n#",
            "#nnnnnnnnnnnnnnnnnnnnnnnnnnnnnm#",
            "#mmmmmmmmmmmmmmmmmmmmmmmmmmmmmm#",
            "################################",
            " #kkkkkk#              #kkkkkk# ",
            " ########              ######## ",
        ],
        key,
    );
    deck.at(&machine, 29, 15);
    deck.at(&machine, 34, 15);
    // Tanks with full symmetry.
    let mut tank = Canvas::new(2 * TILE, 2 * TILE);
    tank.paint(|x, y| {
        let (dx, dy) = ((2 * x - 31).abs(), (2 * y - 31).abs());
        let far = dx * dx + dy * dy;
        let is_bar = dx.min(dy) < 3;
        ring(
            far,
            &[
                (60, RED),
                (100, INK),
                (330, METAL[if is_bar { 4 } else { 3 }]),
                (560, METAL[if is_bar { 3 } else { 2 }]),
                (720, METAL[1]),
                (840, METAL[3]),
                (960, INK),
            ],
        )
    });
    deck.at(&tank, 28, 18);
    deck.at(&wall_pipes(), 28, 13);
    deck.at(&wall_pipes(), 33, 13);
    deck.at(&wall_pipes(), 35, 13);
    deck.at(&vent(), 30, 13);
    deck.at(&vent(), 34, 13);
}

/// Crates, marks on the floor and a crane above them.
fn cargo(deck: &mut Deck) {
    let crate_top = {
        let mut canvas = Canvas::new(2 * TILE, 2 * TILE);
        canvas.paint(|x, y| {
            let (dx, dy) = ((2 * x - 31).abs(), (2 * y - 31).abs());
            let (a, b) = (dx.max(dy), dx.min(dy));
            Some(match a {
                31 => return None,
                29 => INK,
                27 => METAL[4],
                25 | 23 => METAL[3],
                21 => INK,
                _ if (a - b).abs() <= 4 => METAL[3],
                _ if a < 8 => ACCENT[2],
                _ if a < 10 => INK,
                _ if a % 6 == 1 => METAL[1],
                _ => METAL[2],
            })
        });
        canvas
    };
    let small = {
        let mut canvas = Canvas::new(TILE, TILE);
        canvas.paint(|x, y| {
            let (dx, dy) = ((2 * x - 15).abs(), (2 * y - 15).abs());
            let (a, b) = (dx.max(dy), dx.min(dy));
            Some(match a {
                15 => INK,
                13 => ACCENT[3],
                11 => ACCENT[2],
                9 => INK,
                _ if (a - b).abs() <= 2 => ACCENT[2],
                _ => ACCENT[1],
            })
        });
        canvas
    };
    for [column, row] in [[11, 23], [13, 23], [27, 23]] {
        deck.at(&crate_top, column, row);
    }
    for [column, row] in [[15, 23], [11, 25], [12, 25], [26, 23], [28, 25]] {
        deck.at(&small, column, row);
    }
    // Bays.
    for column in [21, 23] {
        let mut bay = Canvas::new(2 * TILE, 2 * TILE);
        for y in 0..32 {
            for x in 0..32 {
                let edge = x.min(31 - x).min(y).min(31 - y);
                let is_corner = x.min(31 - x) < 10 && y.min(31 - y) < 10;
                if edge < 2 && is_corner {
                    bay.set(x, y, HAZARD[1]);
                }
            }
        }
        deck.at(&bay, column, 23);
    }
    // The crane: a vertical beam across the bay, above everything.
    let mut beam = Canvas::new(TILE, TILE);
    beam.paint(|x, y| {
        let from_middle = (2 * x - 15).abs();
        Some(match from_middle {
            15 => INK,
            13 => ACCENT[3],
            11 => ACCENT[1],
            9 => INK,
            _ if (x - y).rem_euclid(8) < 2 || matches!((x + y).rem_euclid(8), 0 | 7) => ACCENT[2],
            _ => FLOOR[0],
        })
    });
    for column in [17, 25] {
        for row in 23..26 {
            deck.at(&beam, column, row);
            deck.has_priority[index(column, row)] = true;
        }
    }
    deck.at(&shut_door(), 12, 21);
    deck.at(&shut_door(), 26, 21);
    deck.at(&screen(1), 15, 21);
    deck.at(&screen(2), 23, 21);
}
