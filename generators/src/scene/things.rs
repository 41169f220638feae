//! Man-made objects.

use glam::DVec3;

use super::kit::{Kit, Look, Roof, Seen, moved, turned, v};
use super::paint::{BARK, Hue, PLANKS, STONES, THATCH, TILES, TIMBER, hue};
use crate::maths::{cosine, sine};

const UP: DVec3 = DVec3::Y;

fn bar(kit: &mut Kit, look: impl Into<Look>, from: DVec3, to: DVec3, width: f64) {
    let front = if (to - from).normalize().z.abs() > 0.8 {
        DVec3::Y
    } else {
        DVec3::Z
    };
    kit.beam(look, [from, to], [width, width], front, Seen::All);
}

pub(super) fn well(kit: &mut Kit) {
    kit.lathe(&STONES, &[[5.6, 0.0], [5.2, 0.5], [4.2, 0.55]], 12, false);
    kit.lathe(&STONES, &[[4.1, 0.5], [3.8, 4.0]], 12, true);
    kit.lathe(
        &STONES,
        &[[4.3, 3.9], [4.3, 4.7], [2.9, 4.7], [2.9, 2.2]],
        12,
        false,
    );
    kit.lathe(hue(Hue::Blue, 0.25), &[[2.9, 2.3], [0.0, 2.3]], 12, false);
    for side in [-1.0, 1.0] {
        bar(
            kit,
            &TIMBER,
            v(3.6 * side, 0.4, 0.0),
            v(3.6 * side, 11.4, 0.0),
            0.9,
        );
        bar(
            kit,
            &TIMBER,
            v(3.6 * side, 8.6, 0.0),
            v(3.6 * side, 10.6, 2.0),
            0.5,
        );
        bar(
            kit,
            &TIMBER,
            v(3.6 * side, 8.6, 0.0),
            v(3.6 * side, 10.6, -2.0),
            0.5,
        );
    }
    bar(kit, &PLANKS, v(-4.6, 8.0, 0.0), v(4.2, 8.0, 0.0), 0.9);
    kit.within(turned(DVec3::Z, 0.25, v(1.2, 8.0, 0.0)), |kit| {
        kit.lathe(
            hue(Hue::Ochre, 0.35),
            &[[0.0, 0.0], [0.8, 0.0], [0.8, 2.4], [0.0, 2.4]],
            7,
            true,
        );
    });
    bar(kit, &TIMBER, v(-4.6, 8.0, 0.0), v(-4.6, 6.6, 0.9), 0.3);
    bar(
        kit,
        hue(Hue::Ochre, 0.3),
        v(0.0, 8.0, 0.6),
        v(0.0, 5.6, 0.6),
        0.22,
    );
    kit.within(moved(0.0, 4.2, 0.6), |kit| {
        kit.lathe(
            &PLANKS,
            &[
                [0.0, 0.0],
                [0.65, 0.0],
                [0.85, 1.5],
                [0.65, 1.5],
                [0.6, 0.9],
                [0.0, 0.9],
            ],
            7,
            false,
        );
    });
    let roof = Roof {
        half_length: 5.4,
        half_width: 4.6,
        heights: [9.6, 13.6],
        thick: 0.6,
        bulge: 0.0,
        sag: 0.0,
        parts: 1,
    };
    kit.roof(&TILES, &TIMBER, &roof);
}

/// A fence of 8 units along X; the next one continues with its post.
pub(super) fn fence(kit: &mut Kit) {
    for (x, tall) in [(-3.9, 4.3), (0.0, 4.0)] {
        kit.tapered(
            &PLANKS,
            [[x - 0.4, -0.4], [x + 0.4, 0.4]],
            [[x - 0.3, -0.3], [x + 0.3, 0.3]],
            [0.0, tall],
            &[DVec3::NEG_Y],
        );
    }
    for y in [1.5, 3.2] {
        kit.beam(
            &PLANKS,
            [v(-4.2, y, 0.3), v(4.2, y + 0.1, 0.3)],
            [0.6, 0.3],
            DVec3::Z,
            Seen::All,
        );
    }
}

/// A paling fence around a garden, 8 units along X.
pub(super) fn pales(kit: &mut Kit) {
    for y in [0.9, 2.4] {
        kit.beam(
            &PLANKS,
            [v(-4.0, y, 0.0), v(4.0, y, 0.0)],
            [0.4, 0.25],
            DVec3::Z,
            Seen::All,
        );
    }
    for i in 0..9 {
        let (x, tall) = (f64::from(i) - 4.0 + 0.1, 3.1 + 0.3 * f64::from((i * 7) % 3));
        let look = hue(Hue::Wool, 0.42 + 0.06 * f64::from(i % 3));
        kit.beam(
            look,
            [v(x, 0.0, 0.25), v(x, tall, 0.25)],
            [0.55, 0.25],
            DVec3::Z,
            Seen::All,
        );
    }
}

/// A wheel around X, centred on the origin.
fn wheel(kit: &mut Kit, radius: f64) {
    kit.within(turned(DVec3::Z, 0.25, DVec3::ZERO), |kit| {
        kit.lathe(
            &TIMBER,
            &[
                [radius - 0.5, -0.3],
                [radius, -0.3],
                [radius, 0.3],
                [radius - 0.5, 0.3],
                [radius - 0.5, -0.3],
            ],
            10,
            false,
        );
        kit.lathe(
            &TIMBER,
            &[[0.0, -0.5], [0.5, -0.5], [0.5, 0.5], [0.0, 0.5]],
            6,
            false,
        );
    });
    for i in 0..5 {
        let turns = f64::from(i) / 5.0;
        let way = v(0.0, cosine(turns), sine(turns));
        kit.beam(
            &TIMBER,
            [way * 0.4, way * (radius - 0.4)],
            [0.3, 0.25],
            DVec3::X,
            Seen::All,
        );
    }
}

/// A cart with hay; its shafts point toward +Z.
pub(super) fn cart(kit: &mut Kit) {
    kit.block(&PLANKS, v(-2.6, 2.4, -4.6), v(2.6, 2.9, 4.0), &[]);
    for side in [-1.0, 1.0] {
        kit.beam(
            &PLANKS,
            [v(2.6 * side, 3.6, -4.6), v(2.6 * side, 3.6, 4.0)],
            [1.3, 0.3],
            DVec3::X,
            Seen::All,
        );
        for z in [-4.2, -0.3, 3.6] {
            bar(
                kit,
                &TIMBER,
                v(2.75 * side, 2.4, z),
                v(2.95 * side, 4.9, z),
                0.4,
            );
        }
        bar(
            kit,
            &TIMBER,
            v(1.6 * side, 2.5, 4.0),
            v(1.3 * side, 2.9, 10.0),
            0.4,
        );
        kit.within(moved(3.4 * side, 2.2, -0.6), |kit| wheel(kit, 2.2));
    }
    for z in [-4.6, 4.0] {
        kit.beam(
            &PLANKS,
            [v(-2.6, 3.6, z), v(2.6, 3.6, z)],
            [1.3, 0.3],
            DVec3::Z,
            Seen::All,
        );
    }
    bar(kit, &TIMBER, v(-3.4, 2.2, -0.6), v(3.4, 2.2, -0.6), 0.5);
    bar(kit, &TIMBER, v(0.0, 0.0, 9.0), v(0.0, 2.8, 8.6), 0.4);
    bar(kit, &TIMBER, v(-1.5, 2.8, 8.6), v(1.5, 2.8, 8.6), 0.35);
    kit.lump(
        &THATCH,
        v(0.0, 4.1, -0.4),
        v(2.7, 2.3, 4.3),
        [8, 4],
        0.14,
        71,
    );
}

pub(super) fn barrel(kit: &mut Kit) {
    kit.lathe(
        &PLANKS,
        &[
            [1.1, 0.0],
            [1.45, 1.7],
            [1.1, 3.4],
            [0.95, 3.4],
            [0.95, 3.2],
            [0.0, 3.2],
        ],
        10,
        false,
    );
    for [low, high, radius] in [[0.35, 0.75, 1.27], [2.65, 3.05, 1.27]] {
        kit.lathe(
            hue(Hue::Grey, 0.2),
            &[
                [radius - 0.2, low],
                [radius + 0.03, low],
                [radius + 0.03, high],
                [radius - 0.2, high],
            ],
            10,
            false,
        );
    }
}

pub(super) fn crates(kit: &mut Kit) {
    let crate_at = |kit: &mut Kit, at: DVec3, turns: f64, size: f64| {
        kit.within(turned(UP, turns, at), |kit| {
            let half = 0.5 * size;
            kit.block(
                &PLANKS,
                v(-half + 0.1, 0.0, -half + 0.1),
                v(half - 0.1, size - 0.1, half - 0.1),
                &[DVec3::NEG_Y],
            );
            for (x, z) in [(-half, -half), (half, -half), (half, half), (-half, half)] {
                bar(kit, &TIMBER, v(x, 0.0, z), v(x, size, z), 0.35);
            }
            for side in [-half, half] {
                kit.beam(
                    &TIMBER,
                    [v(-half, size - 0.15, side), v(half, size - 0.15, side)],
                    [0.35, 0.3],
                    DVec3::Y,
                    Seen::All,
                );
            }
        });
    };
    crate_at(kit, v(0.0, 0.0, 0.0), 0.02, 2.8);
    crate_at(kit, v(2.9, 0.0, 0.9), 0.09, 2.3);
    crate_at(kit, v(0.2, 2.8, 0.0), 0.13, 2.0);
}

pub(super) fn haystack(kit: &mut Kit) {
    kit.lathe(
        &THATCH,
        &[[3.2, 0.0], [3.9, 2.4], [3.5, 4.8], [2.0, 7.0], [0.35, 8.2]],
        10,
        true,
    );
    bar(kit, &TIMBER, v(0.0, 7.0, 0.0), v(0.1, 9.6, 0.0), 0.35);
}

/// A stall with a striped cloth roof and goods; its front faces +Z.
pub(super) fn stall(kit: &mut Kit, stripe: Hue) {
    for x in [-4.2, 4.2] {
        bar(kit, &TIMBER, v(x, 0.0, 2.2), v(x, 7.4, 2.2), 0.45);
        bar(kit, &TIMBER, v(x, 0.0, -2.6), v(x, 9.4, -2.6), 0.45);
    }
    for i in 0..7 {
        let x = |n: i32| 1.4 * f64::from(n) - 4.9;
        let look = if i % 2 == 0 {
            hue(stripe, 0.55)
        } else {
            hue(Hue::Linen, 0.72)
        };
        let [a, b] = [x(i), x(i + 1)];
        let roof = [
            v(a, 7.1, 3.4),
            v(b, 7.1, 3.4),
            v(b, 9.7, -3.2),
            v(a, 9.7, -3.2),
        ];
        kit.polygon(look, &roof);
        kit.polygon(
            look,
            &[
                v(a, 6.1, 3.45),
                v(b, 6.1, 3.45),
                v(b, 7.1, 3.4),
                v(a, 7.1, 3.4),
            ],
        );
        let mut under = roof.map(|at| at - UP * 0.08);
        under.reverse();
        kit.polygon(hue(Hue::Linen, 0.25), &under);
    }
    kit.block(&PLANKS, v(-4.4, 2.9, -0.4), v(4.4, 3.3, 2.4), &[]);
    kit.block(
        &PLANKS,
        v(-4.2, 0.0, 1.7),
        v(4.2, 2.9, 2.1),
        &[DVec3::NEG_Y],
    );
    for (i, ware) in [Hue::Red, Hue::Cabbage, Hue::Orange, Hue::Ochre]
        .into_iter()
        .enumerate()
    {
        let x = 2.1 * i as f64 - 3.15;
        kit.tapered(
            &TIMBER,
            [[x - 0.8, 0.2], [x + 0.8, 1.9]],
            [[x - 0.9, 0.1], [x + 0.9, 2.0]],
            [3.3, 3.8],
            &[DVec3::NEG_Y, DVec3::Y],
        );
        for (dx, dz) in [(-0.4, 0.7), (0.4, 0.7), (-0.4, 1.5), (0.4, 1.5), (0.0, 1.1)] {
            let y = if dx == 0.0 { 4.2 } else { 3.8 };
            kit.lump(
                hue(ware, 0.55),
                v(x + dx, y, dz),
                DVec3::splat(0.48),
                [5, 2],
                0.05,
                72,
            );
        }
    }
}

pub(super) fn signpost(kit: &mut Kit) {
    kit.tapered(
        &TIMBER,
        [[-0.5, -0.5], [0.5, 0.5]],
        [[-0.4, -0.4], [0.4, 0.4]],
        [0.0, 9.4],
        &[DVec3::NEG_Y],
    );
    for (y, turns, long) in [(8.3, 0.0, 4.4), (6.9, 0.27, 3.8), (5.6, 0.56, 4.0)] {
        kit.within(turned(UP, turns, v(0.0, y, 0.0)), |kit| {
            for (z, out) in [(0.62, 1.0), (0.38, -1.0)] {
                let mut board = vec![
                    v(-0.9, -0.55, z),
                    v(long - 0.8, -0.55, z),
                    v(long, 0.0, z),
                    v(long - 0.8, 0.55, z),
                    v(-0.9, 0.55, z),
                ];
                if out < 0.0 {
                    board.reverse();
                }
                kit.polygon(&PLANKS, &board);
            }
            for (from, to) in [
                (v(-0.9, 0.55, 0.0), v(long - 0.8, 0.55, 0.0)),
                (v(long - 0.8, 0.55, 0.0), v(long, 0.0, 0.0)),
                (v(long, 0.0, 0.0), v(long - 0.8, -0.55, 0.0)),
                (v(long - 0.8, -0.55, 0.0), v(-0.9, -0.55, 0.0)),
                (v(-0.9, -0.55, 0.0), v(-0.9, 0.55, 0.0)),
            ] {
                let [front, back] = [DVec3::Z * 0.62, DVec3::Z * 0.38];
                kit.polygon(&TIMBER, &[from + front, to + front, to + back, from + back]);
            }
        });
    }
}

/// A jetty that starts at the shore and extends 40 units along +Z over the water, a step above the
/// shore.
pub(super) fn jetty(kit: &mut Kit) {
    for i in 0..20 {
        let z = 2.0 * f64::from(i);
        let skew = 0.25 * sine(f64::from(i) * 0.31);
        kit.block(
            &PLANKS,
            v(-2.6 + skew, 0.7, z + 0.1),
            v(2.6 + skew, 1.1, z + 1.85),
            &[DVec3::NEG_Y],
        );
    }
    for x in [-1.9, 1.9] {
        bar(kit, &TIMBER, v(x, 0.4, 0.0), v(x, 0.4, 40.0), 0.6);
    }
    for z in [6.0, 17.0, 28.0, 39.4] {
        for x in [-2.7, 2.7] {
            let tall = if z > 30.0 { 4.2 } else { 2.2 };
            kit.tapered(
                &BARK,
                [[x - 0.5, z - 0.5], [x + 0.5, z + 0.5]],
                [[x - 0.4, z - 0.4], [x + 0.4, z + 0.4]],
                [-13.0, tall],
                &[DVec3::NEG_Y],
            );
        }
    }
}

/// A boat with its bow toward +Z.
pub(super) fn boat(kit: &mut Kit) {
    // For each frame: position along the boat, half of the width at the bottom and the top, and
    // their heights.
    let frames: [[f64; 5]; 6] = [
        [-5.2, 1.0, 1.7, 0.5, 2.5],
        [-2.5, 1.4, 2.4, 0.1, 2.1],
        [0.0, 1.5, 2.5, 0.0, 2.0],
        [2.5, 1.2, 2.1, 0.1, 2.2],
        [4.6, 0.6, 1.1, 0.5, 2.7],
        [6.2, 0.05, 0.1, 1.2, 3.3],
    ];
    let low = |[z, w, _, y, _]: [f64; 5], side: f64| v(w * side, y, z);
    let high = |[z, _, w, _, y]: [f64; 5], side: f64| v(w * side, y, z);
    for pair in frames.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let outer = [low(b, 1.0), low(a, 1.0), high(a, 1.0), high(b, 1.0)];
        let flip = |at: DVec3| at * v(-1.0, 1.0, 1.0);
        let mut left = outer.map(flip);
        left.reverse();
        let thin = |at: DVec3| v(at.x * 0.88, at.y + 0.18, at.z);
        let mut inner = outer.map(thin);
        inner.reverse();
        for corners in [outer, left] {
            kit.polygon(&PLANKS, &corners);
        }
        let mut inner_left = inner.map(flip);
        inner_left.reverse();
        for corners in [inner, inner_left] {
            kit.polygon(&TIMBER, &corners);
        }
        kit.polygon(
            &TIMBER,
            &[
                thin(low(a, -1.0)),
                thin(low(b, -1.0)),
                thin(low(b, 1.0)),
                thin(low(a, 1.0)),
            ]
            .map(|at| at + UP * 0.1),
        );
        for side in [1.0, -1.0] {
            kit.beam(
                &TIMBER,
                [high(a, side), high(b, side)],
                [0.4, 0.35],
                DVec3::Y,
                Seen::All,
            );
        }
    }
    let stern = frames[0];
    kit.polygon(
        &PLANKS,
        &[
            low(stern, 1.0),
            low(stern, -1.0),
            high(stern, -1.0),
            high(stern, 1.0),
        ],
    );
    for z in [-3.2, 0.6] {
        kit.block(&PLANKS, v(-2.1, 1.35, z - 0.6), v(2.1, 1.6, z + 0.6), &[]);
    }
    kit.beam(
        &PLANKS,
        [v(-3.6, 2.5, -2.6), v(2.2, 1.9, 2.2)],
        [0.3, 0.3],
        DVec3::Y,
        Seen::All,
    );
}

pub(super) fn log_pile(kit: &mut Kit) {
    for (row, count) in [4, 3, 2].into_iter().enumerate() {
        for i in 0..count {
            let x = 1.5 * (f64::from(i) - 0.5 * f64::from(count - 1));
            let y = 0.75 + 1.3 * row as f64;
            let z = 0.3 * sine(f64::from(i) * 0.37 + row as f64 * 0.21);
            kit.within(turned(DVec3::X, 0.25, v(x, y, z - 3.0)), |kit| {
                kit.lathe(&BARK, &[[0.75, 0.0], [0.75, 6.0]], 7, true);
                kit.lathe(hue(Hue::Ochre, 0.62), &[[0.75, 6.0], [0.0, 6.0]], 7, false);
                kit.lathe(hue(Hue::Ochre, 0.55), &[[0.0, 0.0], [0.75, 0.0]], 7, false);
            });
        }
    }
}

pub(super) fn trough(kit: &mut Kit) {
    kit.tapered(
        &STONES,
        [[-3.0, -1.2], [3.0, 1.2]],
        [[-3.2, -1.4], [3.2, 1.4]],
        [0.0, 2.2],
        &[DVec3::NEG_Y, DVec3::Y],
    );
    let [low, high] = [1.7, 2.2];
    kit.polygon(
        hue(Hue::Blue, 0.4),
        &[
            v(-2.8, low, 1.0),
            v(2.8, low, 1.0),
            v(2.8, low, -1.0),
            v(-2.8, low, -1.0),
        ],
    );
    for (a, b) in [
        ([-3.2, 1.4], [3.2, 1.4]),
        ([3.2, 1.4], [3.2, -1.4]),
        ([3.2, -1.4], [-3.2, -1.4]),
        ([-3.2, -1.4], [-3.2, 1.4]),
    ] {
        let inner = |[x, z]: [f64; 2], y: f64| v(x * 0.87, y, z * 0.72);
        let rim = |[x, z]: [f64; 2]| v(x, high, z);
        kit.polygon(&STONES, &[rim(a), rim(b), inner(b, high), inner(a, high)]);
        kit.polygon(
            &STONES,
            &[inner(b, low), inner(a, low), inner(a, high), inner(b, high)],
        );
    }
}

pub(super) fn bench(kit: &mut Kit) {
    kit.block(&PLANKS, v(-3.0, 1.7, -0.7), v(3.0, 2.1, 0.7), &[]);
    for x in [-2.2, 2.2] {
        kit.block(
            &TIMBER,
            v(x - 0.3, 0.0, -0.5),
            v(x + 0.3, 1.7, 0.5),
            &[DVec3::NEG_Y, DVec3::Y],
        );
    }
}

/// A lamp on a post.
pub(super) fn lamp(kit: &mut Kit) {
    kit.lathe(&STONES, &[[1.0, 0.0], [0.8, 0.9], [0.0, 0.9]], 6, false);
    bar(kit, &TIMBER, v(0.0, 0.5, 0.0), v(0.0, 9.6, 0.0), 0.5);
    bar(kit, &TIMBER, v(0.0, 9.0, 0.0), v(2.1, 9.0, 0.0), 0.35);
    bar(kit, &TIMBER, v(0.0, 7.6, 0.0), v(1.4, 9.0, 0.0), 0.3);
    kit.within(moved(1.9, 6.6, 0.0), |kit| {
        kit.lathe(hue(Hue::Ochre, 0.95), &[[0.45, 0.2], [0.6, 1.4]], 6, false);
        kit.lathe(
            hue(Hue::Black, 0.5),
            &[[0.0, 0.0], [0.5, 0.0], [0.55, 0.25]],
            6,
            false,
        );
        kit.lathe(hue(Hue::Black, 0.5), &[[0.75, 1.3], [0.0, 2.3]], 6, false);
    });
}
