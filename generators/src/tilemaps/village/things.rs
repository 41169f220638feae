//! Objects of the village: the fountain, stalls, fences, lamps, the harbour with its boats.

use super::colors::{
    BLUE, CLIFF, FLOWER, FOAM, GLOW, GOLD, INK, LEAF, PLASTER, RED, Ramp, SAND, SHADOW, SHALLOW,
    SMOKE, STONE, WATER, WHITE, WOOD,
};
use super::plants::shadow;
use crate::noise::hash;
use crate::tilemaps::canvas::{Canvas, TILE};

/// The colour of a character in small drawings.
pub(crate) fn key(character: char) -> u8 {
    match character {
        '#' => INK,
        '~' => SHADOW,
        '*' => GLOW,
        'w' => WHITE,
        '1' => WOOD[1],
        '2' => WOOD[2],
        '3' => WOOD[3],
        '4' => WOOD[4],
        'a' => STONE[1],
        'b' => STONE[2],
        'c' => STONE[3],
        'd' => STONE[4],
        'r' => RED[1],
        'R' => RED[2],
        'q' => RED[3],
        'u' => BLUE[1],
        'U' => BLUE[2],
        'v' => BLUE[3],
        'y' => GOLD[1],
        'Y' => GOLD[2],
        'z' => GOLD[3],
        'Z' => GOLD[4],
        'g' => LEAF[2],
        'G' => LEAF[3],
        'h' => LEAF[4],
        'p' => FLOWER[3],
        'P' => FLOWER[2],
        'V' => FLOWER[1],
        'o' => FOAM,
        's' => SAND[1],
        'S' => SAND[2],
        _ => 0,
    }
}

/// A barrel of one tile.
pub(crate) fn barrel() -> Canvas {
    Canvas::drawn(
        &[
            "                ",
            "    #######     ",
            "   #3444332#    ",
            "  #342222231#   ",
            "  ##3333322##   ",
            "  #4#######1#   ",
            "  #bcdccbbba#   ",
            "  #344332221#~~ ",
            "  #344332221#~~~",
            "  #344332221#~~~",
            "  #bcdccbbba#~~~",
            "  #344332221#~~~",
            "  #34433222#~~~~",
            "   #######~~~~~ ",
            "                ",
            "                ",
        ],
        key,
    )
}

/// An open crate of one tile, filled with objects in the colours of these characters.
pub(crate) fn crate_of(content: &str) -> Canvas {
    let mut canvas = Canvas::drawn(
        &[
            "                ",
            "                ",
            " ############   ",
            " #4444444443#   ",
            " #4########3#   ",
            " #4#      #3#   ",
            " #4#      #3#   ",
            " #4########3#   ",
            " #3333333332#   ",
            " ############ ~ ",
            " #4332433241#~~ ",
            " #3221322131#~~ ",
            " #3333333331#~~ ",
            " ############~  ",
        ],
        key,
    );
    let colors: Vec<char> = content.chars().collect();
    for y in 0..2 {
        for x in 0..6 {
            let character = colors[(hash(x, y, 4) as usize) % colors.len()];
            canvas.set(4 + x, 5 + y, key(character));
        }
    }
    canvas
}

/// A lit lamp post of one by three tiles, with a glow in the top two.
pub(crate) fn lamp() -> [Canvas; 2] {
    let mut post = Canvas::new(TILE, 3 * TILE);
    post.rect([7, 18], [3, 27], INK);
    post.rect([8, 18], [1, 26], STONE[2]);
    post.rect([5, 43], [7, 3], INK);
    post.rect([6, 43], [5, 1], STONE[3]);
    post.rect([6, 44], [5, 1], STONE[1]);
    for x in 11..16 {
        post.set_below(x, 44, SHADOW);
        post.set_below(x, 45, SHADOW);
    }
    let mut head = Canvas::new(TILE, 3 * TILE);
    head.draw(
        &Canvas::drawn(
            &[
                "      #      ",
                "     #b#     ",
                "   ##cba##   ",
                "  #########  ",
                "   #zZZzY#   ",
                "   #ZwwZz#   ",
                "   #ZwwZz#   ",
                "   #zZZzY#   ",
                "   #YzzYy#   ",
                "  #########  ",
                "    #cba#    ",
                "     ###     ",
            ],
            key,
        ),
        2,
        5,
    );
    let lit = head.clone();
    head.paint(|x, y| {
        let (dx, dy) = (2 * x - 15, 2 * y - 21);
        let is_near = dx * dx + dy * dy < 15 * 15;
        (lit.get(x, y) == 0 && is_near).then_some(GLOW)
    });
    [post, head]
}

/// Fences: left end, middle and right end of a horizontal one, then a vertical one and its end.
pub(crate) fn fence() -> Canvas {
    let mut canvas = Canvas::new(5 * TILE, TILE);
    let post = Canvas::drawn(
        &[
            " ### ", "#443#", "#442#", "#432#", "#432#", "#432#", "#432#", "#432#", "#432#",
            "#431#", "#####", " ~~~~",
        ],
        key,
    );
    let rail = |canvas: &mut Canvas, from: i32, to: i32| {
        for y in [5, 9] {
            canvas.rect([from, y], [to - from, 4], INK);
            canvas.rect([from, y + 1], [to - from, 1], WOOD[4]);
            canvas.rect([from, y + 2], [to - from, 1], WOOD[2]);
        }
        canvas.rect([from, 13], [to - from, 1], SHADOW);
    };
    rail(&mut canvas, 8, 2 * TILE + 8);
    for x in [6, 22, 38] {
        canvas.draw(&post, x, 2);
    }
    for x in [3 * TILE, 4 * TILE] {
        canvas.rect([x + 7, 0], [3, TILE], INK);
        canvas.rect([x + 8, 0], [1, TILE], WOOD[3]);
        canvas.draw(&post, x + 6, 2);
    }
    canvas.rect([4 * TILE, 13], [TILE, 3], 0);
    canvas
}

/// A stall of three by three tiles: the part on the ground, and its roof.
pub(crate) fn stall(ramp: Ramp, goods: [&str; 2]) -> [Canvas; 2] {
    let size = [3 * TILE, 3 * TILE];
    let mut table = Canvas::new(size[0], size[1]);
    for x in [3, 41] {
        table.rect([x, 18], [4, 27], INK);
        table.rect([x + 1, 18], [1, 26], WOOD[3]);
        table.rect([x + 2, 18], [1, 26], WOOD[2]);
    }
    table.rect([3, 27], [42, 18], INK);
    table.rect([4, 28], [40, 7], WOOD[4]);
    table.rect([4, 36], [40, 8], WOOD[2]);
    for x in 4..44 {
        for y in 36..44 {
            if x % 6 == 3 {
                table.set(x, y, WOOD[1]);
            } else if y == 36 {
                table.set(x, y, WOOD[3]);
            }
        }
    }
    for (i, goods) in goods.iter().enumerate() {
        let colors: Vec<char> = goods.chars().collect();
        let x0 = 6 + 19 * i as i32;
        table.rect([x0, 27], [17, 8], INK);
        for x in x0 + 1..x0 + 16 {
            for y in 28..34 {
                // Round goods: light at the top, dark at the bottom.
                let (column, row) = ((x - x0 - 1) / 3, (y - 28) / 3);
                let color = key(colors[hash(column, row, 8) as usize % colors.len()]);
                let is_gap = (x - x0 - 1) % 3 == 2 || (y - 28) % 3 == 2;
                table.set(x, y, if is_gap { WOOD[0] } else { color });
            }
        }
    }
    table.draw_below(&shadow(size, [27, 43], [21, 4]), 0, 0);
    let mut roof = Canvas::new(size[0], size[1]);
    roof.paint(|x, y| {
        if !(1..47).contains(&x) {
            return None;
        }
        let stripe = (x - 1) / 6;
        // The hem has scallops.
        let hem = 20 + [0, 1, 2, 2, 1, 0][((x - 1) % 6) as usize];
        let inset = ((10 - y) / 3).max(0);
        if !(4..=hem).contains(&y) || x < 1 + inset || x >= 47 - inset {
            return None;
        }
        let is_edge = y == 4 || y == hem || x == 1 + inset || x == 46 - inset;
        let is_white = stripe % 2 == 1;
        let shade = if y > 17 {
            1
        } else if y > 15 {
            2
        } else if y < 8 {
            4
        } else {
            3
        };
        Some(if is_edge {
            INK
        } else if is_white {
            PLASTER[shade]
        } else {
            ramp[shade - 1 + usize::from(y < 8 && shade > 3)]
        })
    });
    [table, roof]
}

/// Frames of a fountain of three by three tiles.
pub(crate) fn fountain() -> Vec<Canvas> {
    let frame = |frame: i32| {
        let mut canvas = Canvas::new(3 * TILE, 3 * TILE);
        let (cx, cy) = (48, 58);
        // The basin: a rim, its wall below, and water; in half pixels.
        let within = |x: i32, y: i32, rx: i32, ry: i32, down: i32| {
            let (dx, dy) = ((2 * x + 1 - cx) * ry, (2 * (y - down) + 1 - cy) * rx);
            dx * dx + dy * dy <= rx * rx * ry * ry
        };
        canvas.paint(|x, y| {
            let wall_tone = |x: i32| match x {
                ..8 => 4,
                8..=20 => 3,
                21..=34 => 2,
                _ => 1,
            };
            match () {
                () if within(x, y, 34, 21, 0) => {
                    let is_shade = !within(x, y, 34, 21, 3);
                    let ring = (2 * x + 1 - cx).pow(2) + (2 * (2 * y + 1 - cy)).pow(2);
                    let wave = (ring / 90 - frame * 3).rem_euclid(12);
                    Some(match () {
                        () if is_shade => WATER[1],
                        () if wave < 2 => WATER[4],
                        () if wave < 5 => WATER[3],
                        () => WATER[2],
                    })
                }
                () if within(x, y, 37, 24, 0) => Some(INK),
                () if within(x, y, 43, 30, 0) => {
                    let is_light = x + y < 48;
                    Some(if is_light { STONE[4] } else { STONE[3] })
                }
                () if within(x, y, 46, 33, 0) => Some(if y > 29 { STONE[1] } else { INK }),
                () if within(x, y, 46, 33, 6) => {
                    let is_edge = !within(x, y + 1, 46, 33, 6);
                    let joint = (x + 3) % 9 == 0;
                    Some(if is_edge {
                        INK
                    } else {
                        STONE[wall_tone(x) - usize::from(joint)]
                    })
                }
                () => None,
            }
        });
        // The pillar with a bowl.
        canvas.draw(
            &Canvas::drawn(
                &[
                    "   ########   ",
                    " ##dvvvvvvc## ",
                    "#dcvvovvovvba#",
                    "##ccccbbbaaa##",
                    " #############",
                    "   ##dcba##   ",
                    "    #dcba#    ",
                    "    #dcba#    ",
                    "    #dcba#    ",
                    "   #ddcbba#   ",
                    "  #ddccbbaa#  ",
                    "   ########   ",
                ],
                key,
            ),
            17,
            19,
        );
        // The jet rises, and drops fall from the bowl.
        for y in 8..21 {
            let wide = i32::from(y < 12) + i32::from((y + frame) % 4 < 2);
            for x in 24 - wide..=24 + wide {
                let is_core = x == 24 || (y + frame) % 4 == 1;
                canvas.set(x, y, if is_core { WHITE } else { WATER[4] });
            }
        }
        for side in [-1, 1] {
            for step in 0..4 {
                let fallen = (step * 4 + frame) % 16;
                let (x, y) = (
                    24 + side * (4 + fallen / 4),
                    9 + fallen * fallen / 20 + fallen / 3,
                );
                if (step + frame) % 2 == 0 {
                    canvas.set(x, y, WATER[4]);
                    canvas.set(x, y + 1, WATER[3]);
                }
            }
            for step in 0..3 {
                let y = 24 + (step * 4 + frame) % 12;
                canvas.set(24 + side * 7, y, WHITE);
                canvas.set(24 + side * 7, y + 1, WATER[4]);
            }
            canvas.rect([24 + side * 7 - 1, 36], [3, 1], WATER[4]);
        }
        canvas.draw_below(&shadow([48, 48], [27, 36], [23, 11]), 0, 0);
        canvas
    };
    (0..4).map(frame).collect()
}

/// Frames of smoke, one by two tiles.
pub(crate) fn smoke() -> Vec<Canvas> {
    let frame = |frame: i32| {
        let mut canvas = Canvas::new(TILE, 2 * TILE);
        // Puffs rise, swell and thin out; the oldest shrink again.
        for puff in (0..4).rev() {
            let age = puff * 4 + frame;
            let y = 30 - age * 2;
            let x = 6 + age / 3;
            let radius = [4, 5, 6, 7, 8, 9, 9, 9, 9, 8, 8, 7, 6, 5, 4, 3][age as usize];
            canvas.paint(|px, py| {
                let (dx, dy) = (2 * (px - x) + 1, 2 * (py - y) + 1);
                if dx * dx + dy * dy > radius * radius {
                    return None;
                }
                Some(SMOKE[usize::from(2 * dx + 3 * dy < 3)])
            });
        }
        canvas
    };
    (0..4).map(frame).collect()
}

/// A horizontal bridge: left end, middle and right end, each one tile wide and three high. The
/// second picture is above the player: the railing in front.
pub(crate) fn bridge() -> [Canvas; 2] {
    let size = [3 * TILE, 4 * TILE];
    let mut deck = Canvas::new(size[0], size[1]);
    deck.paint(|x, y| {
        let plank = x % 8;
        Some(match y {
            12 | 49 => INK,
            13..=48 => match plank {
                0 => WOOD[0],
                1 => WOOD[4],
                _ if !(17..=45).contains(&y) => WOOD[1],
                _ if hash(x / 8 % 2, y / 12, 3).is_multiple_of(3) => WOOD[2],
                _ => WOOD[3],
            },
            50..=53 => match x % 8 {
                0 => INK,
                _ if y == 53 => INK,
                _ => WOOD[1],
            },
            54..=58 => SHADOW,
            _ => return None,
        })
    });
    let rail = |canvas: &mut Canvas, y: i32| {
        for post in [2, 18, 34] {
            canvas.rect([post, y - 2], [5, 11], INK);
            canvas.rect([post + 1, y - 1], [2, 9], WOOD[4]);
            canvas.rect([post + 3, y - 1], [1, 9], WOOD[2]);
        }
        canvas.rect([0, y], [size[0], 5], INK);
        canvas.rect([0, y + 1], [size[0], 1], WOOD[4]);
        canvas.rect([0, y + 2], [size[0], 1], WOOD[3]);
        canvas.rect([0, y + 3], [size[0], 1], WOOD[1]);
    };
    rail(&mut deck, 7);
    let mut railing = Canvas::new(size[0], size[1]);
    rail(&mut railing, 43);
    [deck, railing]
}

/// A pier of planks with a left and a right edge, one tile each, and with its front end on piles.
pub(crate) fn pier(columns: i32, rows: i32) -> Canvas {
    let (width, height) = (columns * TILE, rows * TILE);
    let mut canvas = Canvas::new(width, height);
    let end = height - 10;
    canvas.paint(|x, y| {
        let from_side = x.min(width - 1 - x);
        let plank = y % 8;
        Some(match y {
            _ if from_side == 0 && y < end => INK,
            _ if y < end - 1 => match plank {
                7 => WOOD[0],
                0 => WOOD[4],
                _ if from_side <= 2 => WOOD[1],
                _ if (x + 8 * (y / 8 % 2)) % 16 == 7 => WOOD[1],
                _ if hash((x + 8 * (y / 8 % 2)) / 16 % 2, y / 8 % 2, 6).is_multiple_of(2) => {
                    WOOD[2]
                }
                _ => WOOD[3],
            },
            _ if y < end => INK,
            _ if y < end + 3 => WOOD[1],
            _ if y == end + 3 => INK,
            _ if y < end + 8 && (x % 16 == 3 || x % 16 == 12) => INK,
            _ if y < end + 8 && (4..12).contains(&(x % 16)) && (x % 16 < 6 || x % 16 > 9) => {
                WOOD[1]
            }
            _ if y == end + 8 && !(6..10).contains(&(x % 16)) => FOAM,
            _ => SHADOW,
        })
    });
    canvas
}

/// A bollard on a pier.
pub(crate) fn bollard() -> Canvas {
    Canvas::drawn(
        &[
            "                ",
            "                ",
            "                ",
            "     ####       ",
            "    #cdcb#      ",
            "    #bcba#      ",
            "    ######      ",
            "     #ba#~~     ",
            "     #ba#~~~    ",
            "    #44422#~    ",
            "    #22211#     ",
            "     #####      ",
        ],
        key,
    )
}

/// A rowing boat of two tiles by one and a half.
pub(crate) fn rowing_boat() -> Canvas {
    Canvas::drawn(
        &[
            "                                ",
            "                                ",
            "      ####################      ",
            "   ###44444444444444444444###   ",
            "  #444##################33333#  ",
            " #44##111111#3311111#3311##333# ",
            " #43#1111111#3311111#3311##332# ",
            " #433#222222#3322222#332##3322# ",
            "  #433##################3332#   ",
            "  o#3333333333333333333332221#o ",
            "   o#RRRRRRRRRRRRRRRrrrrrr##oo  ",
            "    oo#2222222222222111##ooo    ",
            "      ooo##############oo       ",
            "         oooooooooooooo         ",
        ],
        key,
    )
}

/// A sailing boat, four by five tiles: its hull, and its sail above.
pub(crate) fn sailing_boat() -> [Canvas; 2] {
    let size = [4 * TILE, 5 * TILE];
    let mut hull = Canvas::new(size[0], size[1]);
    hull.paint(|x, y| {
        // The deck is seen from above, with the side below it.
        let bend = (2 * x - 62).pow(2) / 330;
        let (top, rim) = (52 + bend / 3, 62 - bend / 2);
        let left = 3 + (y - 55).max(0) / 3;
        let right = 60 - (y - 55).max(0) * 2 / 3;
        if x < left || x > right || y < top {
            return None;
        }
        let keel = 72 - bend / 2;
        Some(match () {
            () if y > keel + 3 => return None,
            () if y > keel + 1 => SHALLOW,
            () if y > keel => FOAM,
            () if x == left || x == right || y == top || y == keel => INK,
            () if y < rim - 1 && (x <= left + 2 || x >= right - 2 || y <= top + 1) => WOOD[4],
            () if y < rim - 1 => {
                if (y - 50) % 4 == 0 {
                    WOOD[1]
                } else {
                    WOOD[2]
                }
            }
            () if y == rim - 1 => INK,
            () if y <= rim + 1 => WOOD[4],
            () if y == rim + 2 => WOOD[1],
            () if y <= rim + 5 => {
                if x < 30 {
                    BLUE[3]
                } else {
                    BLUE[2]
                }
            }
            () if y == rim + 6 => BLUE[1],
            () => WOOD[if x < 30 { 2 } else { 1 }],
        })
    });
    let mut sail = Canvas::new(size[0], size[1]);
    sail.rect([27, 2], [4, 58], INK);
    sail.rect([28, 3], [1, 56], WOOD[4]);
    sail.rect([29, 3], [1, 56], WOOD[2]);
    sail.paint(|x, y| {
        // The billowing main sail to the right of the mast, and a small one to the left.
        if x >= 31 && (6..50).contains(&y) {
            let belly = (y - 6) * 26 / 44 + ((y - 6) * (50 - y)) / 90;
            let from_mast = x - 31;
            if from_mast > belly {
                return None;
            }
            let is_edge = from_mast == belly || y == 49;
            let stripe = (y / 9) % 2 == 0;
            let shade = if from_mast * 3 < belly { 3 } else { 2 };
            let shade = shade + usize::from(from_mast * 3 < belly * 2 && y % 9 < 3);
            return Some(match () {
                () if is_edge => INK,
                () if stripe => RED[shade.min(3)],
                () => PLASTER[(shade + 1).min(4)],
            });
        }
        if x < 27 && (12..48).contains(&y) {
            let belly = (y - 12) * 20 / 36;
            let from_mast = 26 - x;
            if from_mast > belly {
                return None;
            }
            let is_edge = from_mast == belly || y == 47;
            return Some(match () {
                () if is_edge => INK,
                () if from_mast * 2 > belly => PLASTER[4],
                () => PLASTER[3],
            });
        }
        None
    });
    sail.draw(
        &Canvas::drawn(&["####  ", "RRRR##", "qRRr# ", "####  "], key),
        31,
        1,
    );
    [hull, sail]
}

/// A sign on a post.
pub(crate) fn sign() -> Canvas {
    Canvas::drawn(
        &[
            "                ",
            " ############   ",
            " #4444444442#   ",
            " #4#33#3#331#   ",
            " #4333333331#   ",
            " #3#3#33#331#   ",
            " #2222222211#   ",
            " ############   ",
            "     #42#       ",
            "     #42#       ",
            "     #42#~~     ",
            "     #42#~~~    ",
            "     ####~      ",
        ],
        key,
    )
}

/// A bench of two tiles.
pub(crate) fn bench() -> Canvas {
    Canvas::drawn(
        &[
            "                                ",
            "                                ",
            "                                ",
            "   ##########################   ",
            "   #444444444444444444444442#   ",
            "   ##########################   ",
            "   #333333333333333333333331#   ",
            "   ##########################   ",
            "  #44444444444444444444444442#  ",
            "  #33333333333333333333333331#  ",
            "  ############################  ",
            "   #a#~~~~~~~~~~~~~~~~~~~~#a#~~ ",
            "   ###~~~~~~~~~~~~~~~~~~~~###~~ ",
        ],
        key,
    )
}

/// Stones in the water.
pub(crate) fn rock() -> Canvas {
    Canvas::drawn(
        &[
            "                ",
            "                ",
            "                ",
            "                ",
            "      ####      ",
            "    ##ddcc##    ",
            "   #ddccccbb#   ",
            "  #ddcccbbbba#  ",
            "  #dccccbbbaa#  ",
            " #ddccbbbbbaa## ",
            " #dccbbbbaaaa## ",
            " ############## ",
            "o oooooooooooo o",
            "  o oooo oooo   ",
        ],
        |character| match character {
            'a' => CLIFF[1],
            'b' => CLIFF[2],
            'c' => CLIFF[3],
            'd' => CLIFF[4],
            other => key(other),
        },
    )
}

/// A water lily leaf, with or without a flower.
pub(crate) fn lily(has_flower: bool) -> Canvas {
    let mut canvas = Canvas::drawn(
        &[
            "                ",
            "                ",
            "                ",
            "   gggg         ",
            "  gGhhGg        ",
            " gGhGG  g       ",
            " gGGGGGGg   ggg ",
            "  gGGGGg   gGhGg",
            "   gggg    gGGg ",
            "            gg  ",
        ],
        key,
    );
    if has_flower {
        canvas.draw(&Canvas::drawn(&[" p ", "pwp", " P "], key), 4, 3);
    }
    canvas
}
