//! Buildings: two kinds of cottages, a barn, a chapel and a windmill. Their fronts face +Z.

use glam::DVec3;

use super::kit::{Kit, Look, Roof, Seen, moved, turned, v};
use super::paint::{Hue, PLANKS, PLASTER, SLATES, STONES, THATCH, TILES, TIMBER, hue};

const BOTTOM: [DVec3; 1] = [DVec3::NEG_Y];
/// Thickness of beams on walls.
const BEAM: f64 = 0.5;

/// A beam on the wall at Z = 0 between two points.
fn post(kit: &mut Kit, from: [f64; 2], to: [f64; 2], width: f64) {
    let ends = [from, to].map(|[x, y]| v(x, y, 0.0));
    kit.beam(&TIMBER, ends, [width, BEAM], DVec3::Z, Seen::OnWall);
}

/// A window on the wall at Z = 0, given its centre and its size.
fn window(kit: &mut Kit, [x, y]: [f64; 2], [wide, tall]: [f64; 2], shutters: Option<Look>) {
    let (w, h) = (0.5 * wide, 0.5 * tall);
    let pane = [
        v(x - w, y - h, 0.08),
        v(x + w, y - h, 0.08),
        v(x + w, y + h, 0.08),
        v(x - w, y + h, 0.08),
    ];
    kit.polygon(hue(Hue::Window, 0.45), &pane);
    post(kit, [x - w - 0.3, y + h], [x + w + 0.3, y + h], 0.5);
    post(kit, [x - w, y - h], [x - w, y + h], 0.4);
    post(kit, [x + w, y - h], [x + w, y + h], 0.4);
    post(kit, [x, y - h], [x, y + h], 0.25);
    kit.block(
        &TIMBER,
        v(x - w - 0.4, y - h - 0.4, 0.0),
        v(x + w + 0.4, y - h, 0.7),
        &[DVec3::NEG_Z],
    );
    if let Some(shutters) = shutters {
        for side in [-1.0, 1.0] {
            let at = x + side * (w + 0.5 * w + 0.3);
            kit.block(
                shutters,
                v(at - 0.5 * w, y - h, 0.0),
                v(at + 0.5 * w, y + h, 0.3),
                &[DVec3::NEG_Z, DVec3::NEG_Y],
            );
        }
    }
}

/// A box with flowers below a window.
fn flower_box(kit: &mut Kit, x: f64, y: f64) {
    kit.block(
        &PLANKS,
        v(x - 1.7, y - 0.9, 0.0),
        v(x + 1.7, y, 1.1),
        &[DVec3::NEG_Z],
    );
    for (i, flower) in [Hue::Red, Hue::Green, Hue::Ochre, Hue::Red]
        .into_iter()
        .enumerate()
    {
        let at = x - 1.3 + 0.87 * i as f64;
        kit.lump(
            hue(flower, 0.6),
            v(at, y + 0.2, 0.6),
            v(0.5, 0.5, 0.45),
            [5, 2],
            0.1,
            3,
        );
    }
}

/// A door on the wall at Z = 0, given the centre of its foot.
fn door(kit: &mut Kit, x: f64, y: f64, [wide, tall]: [f64; 2], look: Look) {
    let w = 0.5 * wide;
    kit.polygon(
        look,
        &[
            v(x - w, y, 0.15),
            v(x + w, y, 0.15),
            v(x + w, y + tall, 0.15),
            v(x - w, y + tall, 0.15),
        ],
    );
    for side in [-1.0, 1.0] {
        post(kit, [x + side * w, y], [x + side * w, y + tall + 0.3], 0.7);
    }
    post(
        kit,
        [x - w - 0.8, y + tall + 0.2],
        [x + w + 0.8, y + tall + 0.2],
        0.8,
    );
    kit.block(
        hue(Hue::Black, 0.7),
        v(x + w - 1.1, y + 0.45 * tall, 0.15),
        v(x + w - 0.7, y + 0.5 * tall, 0.4),
        &[DVec3::NEG_Z],
    );
    // A step in front of it.
    kit.block(
        &STONES,
        v(x - w - 0.4, 0.0, 0.0),
        v(x + w + 0.4, 0.6 * y, 1.6),
        &[DVec3::NEG_Z, DVec3::NEG_Y],
    );
}

fn chimney(kit: &mut Kit, x: f64, z: f64, heights: [f64; 2]) {
    let [low, high] = heights;
    kit.tapered(
        &STONES,
        [[x - 1.7, z - 1.7], [x + 1.7, z + 1.7]],
        [[x - 1.3, z - 1.3], [x + 1.3, z + 1.3]],
        [low, high],
        &[DVec3::NEG_Y, DVec3::Y],
    );
    kit.block(
        &STONES,
        v(x - 1.7, high, z - 1.7),
        v(x + 1.7, high + 0.9, z + 1.7),
        &[DVec3::Y],
    );
    let y = high + 0.88;
    kit.polygon(
        &STONES,
        &[
            v(x - 1.7, y, z + 1.7),
            v(x + 1.7, y, z + 1.7),
            v(x + 1.7, y, z - 1.7),
            v(x - 1.7, y, z - 1.7),
        ],
    );
    let y = y + 0.06;
    kit.polygon(
        hue(Hue::Black, 0.2),
        &[
            v(x - 0.8, y, z + 0.8),
            v(x + 0.8, y, z + 0.8),
            v(x + 0.8, y, z - 0.8),
            v(x - 0.8, y, z - 0.8),
        ],
    );
}

/// Builds on the four walls of a house as if each were at Z = 0 around X = 0: front, right, back,
/// left.
fn on_walls(
    kit: &mut Kit,
    half_width: f64,
    half_depth: f64,
    mut wall: impl FnMut(&mut Kit, usize, f64),
) {
    let walls = [
        (0.0, v(0.0, 0.0, half_depth), half_width),
        (0.25, v(half_width, 0.0, 0.0), half_depth),
        (0.5, v(0.0, 0.0, -half_depth), half_width),
        (0.75, v(-half_width, 0.0, 0.0), half_depth),
    ];
    for (i, (turns, at, half)) in walls.into_iter().enumerate() {
        kit.within(turned(DVec3::Y, turns, at), |kit| wall(kit, i, half));
    }
}

/// The triangle of a gable on the wall at Z = 0.
fn gable(kit: &mut Kit, look: impl Into<Look>, half: f64, [low, high]: [f64; 2]) {
    kit.polygon(
        look,
        &[v(-half, low, 0.0), v(half, low, 0.0), v(0.0, high, 0.0)],
    );
}

/// A low house with one room under a thatched roof.
pub(super) fn thatched_cottage(kit: &mut Kit) {
    const W: f64 = 12.0;
    const D: f64 = 9.0;
    const EAVES: f64 = 10.0;
    const RIDGE: f64 = 19.5;
    kit.block(
        &STONES,
        v(-W - 0.4, 0.0, -D - 0.4),
        v(W + 0.4, 1.6, D + 0.4),
        &BOTTOM,
    );
    on_walls(kit, W, D, |kit, i, half| {
        kit.polygon(
            &PLASTER,
            &[
                v(-half, 1.6, 0.0),
                v(half, 1.6, 0.0),
                v(half, EAVES, 0.0),
                v(-half, EAVES, 0.0),
            ],
        );
        post(kit, [-half + 0.4, 1.6], [-half + 0.4, EAVES], 1.1);
        post(kit, [half - 0.4, 1.6], [half - 0.4, EAVES], 1.1);
        post(kit, [-half, 2.0], [half, 2.0], 0.9);
        post(kit, [-half, EAVES - 0.5], [half, EAVES - 0.5], 1.0);
        if i % 2 == 1 {
            gable(kit, &PLASTER, half, [EAVES, RIDGE]);
            post(kit, [0.0, EAVES], [0.0, RIDGE - 0.4], 0.9);
            for side in [-1.0, 1.0] {
                post(kit, [side * 5.6, EAVES], [side * 0.4, EAVES + 5.4], 0.8);
                post(kit, [side * half, 2.4], [side * 4.2, EAVES - 1.0], 0.8);
            }
            window(
                kit,
                [0.0, 6.0],
                [3.2, 3.4],
                (i == 1).then(|| hue(Hue::Green, 0.5)),
            );
        }
    });
    kit.within(moved(0.0, 0.0, D), |kit| {
        door(kit, -1.5, 1.6, [3.8, 6.6], hue(Hue::Green, 0.42));
        for x in [-7.6, 6.4] {
            window(kit, [x, 6.0], [3.0, 3.2], Some(hue(Hue::Green, 0.5)));
            flower_box(kit, x, 3.9);
        }
        post(kit, [2.4, 2.4], [2.4, EAVES - 1.0], 0.8);
        post(kit, [-4.6, 2.4], [-4.6, EAVES - 1.0], 0.8);
    });
    kit.within(turned(DVec3::Y, 0.5, v(0.0, 0.0, -D)), |kit| {
        for x in [-4.0, 4.0] {
            post(kit, [x, 2.4], [x, EAVES - 1.0], 0.8);
        }
        post(kit, [4.4, EAVES - 1.2], [10.8, 2.6], 0.8);
        post(kit, [-4.4, EAVES - 1.2], [-10.8, 2.6], 0.8);
        window(kit, [0.0, 6.2], [3.0, 3.0], None);
    });
    let roof = Roof {
        half_length: W + 2.2,
        half_width: D + 2.6,
        heights: [EAVES - 2.2, RIDGE],
        thick: 2.1,
        bulge: 0.7,
        sag: 0.7,
        parts: 4,
    };
    kit.roof(&THATCH, &THATCH, &roof);
    // The ridge is covered twice.
    for part in 0..4 {
        let x = |n: i32| (W + 2.5) * (f64::from(n) / 2.0 - 1.0);
        let y = |n: i32| RIDGE + 2.2 - 0.7 * [0.0, 0.75, 1.0, 0.75, 0.0][n as usize];
        for side in [1.0, -1.0] {
            let [a, b] = if side > 0.0 {
                [part, part + 1]
            } else {
                [part + 1, part]
            };
            kit.polygon(
                hue(Hue::Leather, 0.72),
                &[
                    v(x(a), y(a) - 1.9, 2.2 * side),
                    v(x(b), y(b) - 1.9, 2.2 * side),
                    v(x(b), y(b) + 0.5, 0.0),
                    v(x(a), y(a) + 0.5, 0.0),
                ],
            );
        }
    }
    chimney(kit, 8.2, -1.5, [14.0, 25.5]);
}

/// A house of two floors. The upper floor is wider; the tiled gable faces the street.
pub(super) fn tiled_cottage(kit: &mut Kit) {
    const W: f64 = 9.0;
    const D: f64 = 11.0;
    const FLOOR: f64 = 9.4;
    const EAVES: f64 = 17.0;
    const RIDGE: f64 = 27.0;
    /// Overhang of the upper floor.
    const OUT: f64 = 1.0;
    kit.block(
        &STONES,
        v(-W, 0.0, -D),
        v(W, FLOOR, D),
        &[DVec3::NEG_Y, DVec3::Y],
    );
    kit.within(moved(0.0, 0.0, D), |kit| {
        door(kit, 3.4, 0.9, [4.2, 6.6], Look::from(&PLANKS));
        window(kit, [-3.8, 5.2], [4.0, 3.4], Some(hue(Hue::Red, 0.45)));
        flower_box(kit, -3.8, 3.0);
    });
    for (turns, at) in [(0.25, v(W, 0.0, 0.0)), (0.75, v(-W, 0.0, 0.0))] {
        kit.within(turned(DVec3::Y, turns, at), |kit| {
            window(kit, [-4.5, 5.2], [3.0, 3.0], None);
            window(kit, [4.5, 5.2], [3.0, 3.0], None);
        });
    }
    let (w, d) = (W + OUT, D + OUT);
    kit.block(
        &TIMBER,
        v(-w - 0.2, FLOOR - 0.9, -d - 0.2),
        v(w + 0.2, FLOOR + 0.2, d + 0.2),
        &[],
    );
    on_walls(kit, w, d, |kit, i, half| {
        kit.polygon(
            &PLASTER,
            &[
                v(-half, FLOOR, 0.0),
                v(half, FLOOR, 0.0),
                v(half, EAVES, 0.0),
                v(-half, EAVES, 0.0),
            ],
        );
        post(kit, [-half + 0.4, FLOOR], [-half + 0.4, EAVES], 1.0);
        post(kit, [half - 0.4, FLOOR], [half - 0.4, EAVES], 1.0);
        post(kit, [-half, EAVES - 0.4], [half, EAVES - 0.4], 0.9);
        for side in [-1.0, 1.0] {
            post(kit, [side * 3.6, FLOOR], [side * 3.6, EAVES], 0.8);
            post(
                kit,
                [side * (half - 0.6), FLOOR + 0.4],
                [side * 4.2, EAVES - 1.0],
                0.8,
            );
        }
        let shutters = (i == 0).then(|| hue(Hue::Red, 0.45));
        window(kit, [0.0, FLOOR + 4.0], [3.0, 3.4], shutters);
        if i % 2 == 0 {
            gable(kit, &PLASTER, half, [EAVES, RIDGE]);
            post(kit, [-6.0, EAVES + 4.0], [6.0, EAVES + 4.0], 0.8);
            for side in [-1.0, 1.0] {
                post(kit, [side * 3.2, EAVES], [side * 3.2, EAVES + 4.0], 0.8);
                post(
                    kit,
                    [side * 3.0, EAVES + 4.4],
                    [side * 0.3, RIDGE - 1.2],
                    0.7,
                );
            }
            window(kit, [0.0, EAVES + 1.9], [2.4, 2.6], None);
        }
    });
    let roof = Roof {
        half_length: d + 1.4,
        half_width: w + 1.8,
        heights: [EAVES - 1.8, RIDGE],
        thick: 0.8,
        bulge: 0.0,
        sag: 0.0,
        parts: 1,
    };
    kit.within(turned(DVec3::Y, 0.25, DVec3::ZERO), |kit| {
        kit.roof(&TILES, &TIMBER, &roof);
    });
    kit.beam(
        hue(Hue::Red, 0.3),
        [v(0.0, RIDGE + 0.8, -d - 1.5), v(0.0, RIDGE + 0.8, d + 1.5)],
        [1.1, 0.8],
        DVec3::Y,
        Seen::All,
    );
    chimney(kit, -6.0, -5.0, [18.0, 29.5]);
}

/// A long plank house with a large gate.
pub(super) fn barn(kit: &mut Kit) {
    const W: f64 = 15.0;
    const D: f64 = 10.0;
    const EAVES: f64 = 10.5;
    const RIDGE: f64 = 21.0;
    kit.block(
        &STONES,
        v(-W - 0.4, 0.0, -D - 0.4),
        v(W + 0.4, 1.8, D + 0.4),
        &BOTTOM,
    );
    on_walls(kit, W, D, |kit, i, half| {
        kit.polygon(
            &PLANKS,
            &[
                v(-half, 1.8, 0.0),
                v(half, 1.8, 0.0),
                v(half, EAVES, 0.0),
                v(-half, EAVES, 0.0),
            ],
        );
        for x in [-half + 0.4, half - 0.4] {
            post(kit, [x, 1.8], [x, EAVES], 1.2);
        }
        post(kit, [-half, EAVES - 0.4], [half, EAVES - 0.4], 0.9);
        post(kit, [-half, 2.2], [half, 2.2], 0.8);
        if i % 2 == 1 {
            gable(kit, &PLANKS, half, [EAVES, RIDGE]);
            post(kit, [-5.2, 15.6], [5.2, 15.6], 0.9);
            kit.polygon(
                hue(Hue::Black, 0.3),
                &[
                    v(-1.5, 11.6, 0.1),
                    v(1.5, 11.6, 0.1),
                    v(1.5, 14.6, 0.1),
                    v(-1.5, 14.6, 0.1),
                ],
            );
        } else {
            for side in [-1.0, 1.0] {
                post(kit, [side * 5.0, 1.8], [side * 5.0, EAVES], 1.0);
                post(
                    kit,
                    [side * (half - 0.8), 2.4],
                    [side * 5.6, EAVES - 1.0],
                    0.8,
                );
            }
        }
    });
    kit.within(moved(0.0, 0.0, D), |kit| {
        // One wing of the gate is open.
        kit.polygon(
            hue(Hue::Black, 0.25),
            &[
                v(-4.5, 0.2, 0.45),
                v(4.5, 0.2, 0.45),
                v(4.5, 8.6, 0.45),
                v(-4.5, 8.6, 0.45),
            ],
        );
        kit.polygon(
            &PLANKS,
            &[
                v(0.1, 0.2, 0.6),
                v(4.5, 0.2, 0.6),
                v(4.5, 8.6, 0.6),
                v(0.1, 8.6, 0.6),
            ],
        );
        kit.beam(
            &TIMBER,
            [v(0.4, 0.6, 0.7), v(4.2, 8.2, 0.7)],
            [0.7, 0.4],
            DVec3::Z,
            Seen::OnWall,
        );
        kit.within(turned(DVec3::Y, -0.17, v(-4.5, 0.0, 0.6)), |kit| {
            kit.block(&PLANKS, v(0.0, 0.2, 0.0), v(4.3, 8.6, 0.4), &[DVec3::NEG_Y]);
        });
        for x in [-4.7, 4.7] {
            kit.beam(
                &TIMBER,
                [v(x, 0.0, 0.5), v(x, 9.2, 0.5)],
                [0.9, 0.9],
                DVec3::Z,
                Seen::OnWall,
            );
        }
        kit.beam(
            &TIMBER,
            [v(-5.4, 9.0, 0.5), v(5.4, 9.0, 0.5)],
            [0.9, 0.9],
            DVec3::Z,
            Seen::OnWall,
        );
    });
    let roof = Roof {
        half_length: W + 1.8,
        half_width: D + 2.2,
        heights: [EAVES - 2.1, RIDGE],
        thick: 1.6,
        bulge: 0.4,
        sag: 0.8,
        parts: 4,
    };
    kit.roof(&THATCH, &THATCH, &roof);
}

/// A pointed window on the wall at Z = 0, given its foot.
fn lancet(kit: &mut Kit, [x, y]: [f64; 2], [wide, tall]: [f64; 2]) {
    let shape = |by: f64, z: f64| {
        let w = 0.5 * wide + by;
        [
            v(x - w, y - by, z),
            v(x + w, y - by, z),
            v(x + w, y + 0.62 * tall, z),
            v(x + 0.55 * w, y + 0.86 * tall + 0.5 * by, z),
            v(x, y + tall + by, z),
            v(x - 0.55 * w, y + 0.86 * tall + 0.5 * by, z),
            v(x - w, y + 0.62 * tall, z),
        ]
    };
    kit.polygon(hue(Hue::Linen, 0.42), &shape(0.5, 0.1));
    kit.polygon(hue(Hue::Window, 0.35), &shape(0.0, 0.18));
}

/// A stone chapel with its tower in front.
pub(super) fn chapel(kit: &mut Kit) {
    const W: f64 = 9.0;
    const D: f64 = 15.0;
    const EAVES: f64 = 15.0;
    const RIDGE: f64 = 26.0;
    const TOWER: f64 = 6.5;
    const BELFRY: f64 = 36.0;
    kit.block(
        &STONES,
        v(-W - 0.6, 0.0, -D - 0.6),
        v(W + 0.6, 2.0, D),
        &BOTTOM,
    );
    on_walls(kit, W, D, |kit, i, half| {
        kit.polygon(
            &STONES,
            &[
                v(-half, 2.0, 0.0),
                v(half, 2.0, 0.0),
                v(half, EAVES, 0.0),
                v(-half, EAVES, 0.0),
            ],
        );
        if i % 2 == 0 {
            gable(kit, &STONES, half, [EAVES, RIDGE]);
        } else {
            for x in [-9.5, -1.5, 6.5] {
                lancet(kit, [x, 5.0], [2.6, 7.0]);
            }
            for x in [-13.5, -5.5, 2.5] {
                // A buttress.
                kit.tapered(
                    &STONES,
                    [[x - 0.9, 0.0], [x + 0.9, 2.4]],
                    [[x - 0.9, 0.0], [x + 0.9, 0.7]],
                    [0.0, 12.0],
                    &[DVec3::NEG_Z, DVec3::NEG_Y],
                );
            }
        }
    });
    kit.within(turned(DVec3::Y, 0.5, v(0.0, 0.0, -D)), |kit| {
        lancet(kit, [0.0, 6.0], [4.4, 10.0]);
    });
    let roof = Roof {
        half_length: D + 1.0,
        half_width: W + 1.6,
        heights: [EAVES - 1.9, RIDGE],
        thick: 0.8,
        bulge: 0.0,
        sag: 0.0,
        parts: 1,
    };
    kit.within(turned(DVec3::Y, 0.25, DVec3::ZERO), |kit| {
        kit.roof(&SLATES, &TIMBER, &roof);
    });
    kit.within(moved(0.0, 0.0, D + 2.5), |kit| {
        let t = TOWER;
        kit.block(
            &STONES,
            v(-t - 0.7, 0.0, -t - 0.7),
            v(t + 0.7, 2.6, t + 0.7),
            &BOTTOM,
        );
        kit.tapered(
            &STONES,
            [[-t, -t], [t, t]],
            [[-t + 0.5, -t + 0.5], [t - 0.5, t - 0.5]],
            [2.6, BELFRY],
            &[DVec3::NEG_Y, DVec3::Y],
        );
        for y in [19.0, BELFRY - 0.6] {
            kit.block(
                &STONES,
                v(-t - 0.2, y, -t - 0.2),
                v(t + 0.2, y + 1.0, t + 0.2),
                &[],
            );
        }
        on_walls(kit, t - 0.2, t - 0.2, |kit, i, _| {
            for x in [-1.9, 1.9] {
                lancet(kit, [x, 25.0], [2.2, 7.0]);
            }
            if i == 0 {
                // The clock.
                kit.within(turned(DVec3::X, 0.25, v(0.0, 22.4, 0.25)), |kit| {
                    kit.lathe(
                        hue(Hue::Linen, 0.75),
                        &[[1.7, 0.0], [1.5, 0.25], [0.0, 0.25]],
                        10,
                        false,
                    );
                });
                let hands = [v(0.0, 22.4, 0.55), v(0.0, 23.7, 0.55), v(0.9, 22.0, 0.55)];
                for end in [hands[1], hands[2]] {
                    kit.beam(
                        hue(Hue::Black, 0.3),
                        [hands[0], end],
                        [0.25, 0.1],
                        DVec3::Z,
                        Seen::OnWall,
                    );
                }
            }
        });
        kit.within(moved(0.0, 0.0, t), |kit| {
            lancet(kit, [0.0, 1.0], [5.6, 10.4]);
            kit.polygon(
                &PLANKS,
                &[
                    v(-2.3, 1.0, 0.3),
                    v(2.3, 1.0, 0.3),
                    v(2.3, 7.6, 0.3),
                    v(1.3, 9.6, 0.3),
                    v(0.0, 10.6, 0.3),
                    v(-1.3, 9.6, 0.3),
                    v(-2.3, 7.6, 0.3),
                ],
            );
            kit.block(
                &STONES,
                v(-4.0, 0.0, 0.0),
                v(4.0, 0.5, 4.0),
                &[DVec3::NEG_Y, DVec3::NEG_Z],
            );
            kit.block(
                &STONES,
                v(-3.2, 0.5, 0.0),
                v(3.2, 1.0, 2.6),
                &[DVec3::NEG_Y, DVec3::NEG_Z],
            );
        });
        // A spire with a broader foot.
        let e = t + 1.2;
        kit.tapered(
            &SLATES,
            [[-e, -e], [e, e]],
            [[-t + 1.6, -t + 1.6], [t - 1.6, t - 1.6]],
            [BELFRY + 0.4, BELFRY + 4.4],
            &[DVec3::Y],
        );
        let s = t - 1.6;
        let (low, tip) = (BELFRY + 4.4, v(0.0, BELFRY + 21.0, 0.0));
        let ring = [v(-s, low, s), v(s, low, s), v(s, low, -s), v(-s, low, -s)];
        for i in 0..4 {
            kit.polygon(&SLATES, &[ring[i], ring[(i + 1) % 4], tip]);
        }
        let gold = hue(Hue::Ochre, 0.6);
        kit.beam(
            gold,
            [tip - DVec3::Y * 0.6, tip + DVec3::Y * 4.4],
            [0.5, 0.5],
            DVec3::Z,
            Seen::All,
        );
        kit.beam(
            gold,
            [tip + v(-1.5, 2.8, 0.0), tip + v(1.5, 2.8, 0.0)],
            [0.5, 0.5],
            DVec3::Z,
            Seen::All,
        );
    });
}

/// The centre of the mill's hub, and the position where its axle leaves the wall.
pub(super) const HUB: DVec3 = DVec3::new(0.0, 31.0, 10.2);
pub(super) const AXLE: DVec3 = DVec3::new(0.0, 31.0, 5.0);

/// A windmill; the second joint rotates its sails around Z.
pub(super) fn windmill(kit: &mut Kit) {
    kit.held(&[(0, 1.0)], |kit| {
        kit.lathe(&STONES, &[[11.2, 0.0], [10.6, 7.0]], 10, true);
        kit.lathe(&TIMBER, &[[12.4, 6.6], [12.4, 7.4], [10.0, 7.5]], 10, false);
        kit.lathe(&PLASTER, &[[10.0, 7.4], [6.8, 27.0]], 10, true);
        kit.lathe(&TIMBER, &[[7.6, 26.4], [7.6, 27.6]], 10, false);
        kit.lathe(
            &THATCH,
            &[
                [8.8, 26.8],
                [8.2, 29.4],
                [6.2, 33.4],
                [3.0, 36.4],
                [0.0, 37.6],
            ],
            10,
            true,
        );
        // The underside of the eaves.
        kit.lathe(&TIMBER, &[[6.6, 27.2], [8.8, 26.8]], 10, false);
        // Handrail around the gallery.
        for i in 0..10 {
            let at = |n: i32, y: f64| {
                let turns = (f64::from(n) + 0.5) / 10.0;
                v(
                    12.0 * crate::maths::cosine(turns),
                    y,
                    -12.0 * crate::maths::sine(turns),
                )
            };
            kit.beam(
                &TIMBER,
                [at(i, 7.4), at(i, 10.4)],
                [0.5, 0.5],
                at(i, 0.0),
                Seen::All,
            );
            kit.beam(
                &TIMBER,
                [at(i, 10.3), at(i + 1, 10.3)],
                [0.45, 0.45],
                at(i, 0.0),
                Seen::All,
            );
        }
        kit.within(moved(0.0, 0.0, 10.55), |kit| {
            door(kit, 0.0, 0.4, [4.2, 5.6], Look::from(&PLANKS));
        });
        kit.within(turned(DVec3::X, -0.026, v(0.0, 0.0, 10.2)), |kit| {
            window(kit, [0.0, 13.5], [3.0, 3.4], Some(hue(Hue::Blue, 0.5)));
            window(kit, [0.0, 20.5], [2.6, 3.0], Some(hue(Hue::Blue, 0.5)));
        });
        kit.beam(&TIMBER, [AXLE, HUB], [1.8, 1.8], DVec3::Y, Seen::All);
    });
    kit.held(&[(1, 1.0)], |kit| {
        kit.within(turned(DVec3::X, 0.25, HUB), |kit| {
            kit.lathe(&TIMBER, &[[1.7, -0.8], [1.7, 0.9], [0.0, 1.6]], 6, false);
        });
        for sail in 0..4 {
            kit.within(turned(DVec3::Z, f64::from(sail) / 4.0 + 0.07, HUB), |kit| {
                kit.beam(
                    &TIMBER,
                    [v(0.0, 0.6, 0.2), v(0.0, 21.0, 0.2)],
                    [0.8, 0.6],
                    DVec3::Z,
                    Seen::All,
                );
                let rows = [4.0, 8.2, 12.4, 16.6, 20.6];
                for y in rows {
                    kit.beam(
                        &TIMBER,
                        [v(-0.6, y, 0.5), v(4.4, y, 0.1)],
                        [0.4, 0.3],
                        DVec3::Z,
                        Seen::OnWall,
                    );
                }
                kit.beam(
                    &TIMBER,
                    [v(4.2, 4.0, 0.15), v(4.2, 20.6, 0.15)],
                    [0.4, 0.4],
                    DVec3::Z,
                    Seen::OnWall,
                );
                // Canvas, visible from both sides.
                let canvas = hue(Hue::Linen, 0.72);
                let [a, b, c, d] = [
                    v(0.4, 4.2, 0.3),
                    v(4.1, 4.2, 0.0),
                    v(4.1, 20.4, 0.0),
                    v(0.4, 20.4, 0.3),
                ];
                kit.polygon(canvas, &[a, b, c, d]);
                kit.polygon(
                    hue(Hue::Linen, 0.5),
                    &[
                        d - DVec3::Z * 0.1,
                        c - DVec3::Z * 0.1,
                        b - DVec3::Z * 0.1,
                        a - DVec3::Z * 0.1,
                    ],
                );
            });
        }
    });
}
