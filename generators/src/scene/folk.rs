//! Inhabitants and moving things with their clips: villagers, sheep, geese and a banner.

use glam::DVec3;

use super::kit::{Kit, Seen, moved, turned, v};
use super::paint::{Hue, TIMBER, hue};
use crate::maths::sine;
use crate::models::rig::{Bone, Pose, Rig};

/// A joint: its name, its parent, its start and its end.
fn bone(name: &str, parent: Option<usize>, head: [f64; 3], tip: [f64; 3]) -> Bone {
    Bone {
        name: name.to_owned(),
        parent,
        head: head.into(),
        tip: tip.into(),
    }
}

/// Frames of a clip. For each, `pose_at` changes the rest pose at a time from 0 to 1.
pub(super) fn frames(rig: &Rig, count: usize, pose_at: impl Fn(&mut Pose, f64)) -> Vec<Pose> {
    let frame = |i: usize| {
        let mut pose = rig.rest();
        pose_at(&mut pose, i as f64 / count as f64);
        pose
    };
    (0..count).map(frame).collect()
}

const CHEST: usize = 1;
const HEAD: usize = 2;
const LEFT_ARM: usize = 3;
const RIGHT_ARM: usize = 4;

pub(super) fn villager_rig() -> Rig {
    Rig {
        bones: vec![
            bone("root", None, [0.0, 0.0, 0.0], [0.0, 2.8, 0.0]),
            bone("chest", Some(0), [0.0, 2.8, 0.0], [0.0, 5.6, 0.0]),
            bone("head", Some(CHEST), [0.0, 5.6, 0.0], [0.0, 7.4, 0.0]),
            bone("left_arm", Some(CHEST), [1.1, 5.1, 0.0], [1.9, 2.8, 0.3]),
            bone("right_arm", Some(CHEST), [-1.1, 5.1, 0.0], [-1.9, 2.8, 0.3]),
        ],
    }
}

/// Clothes of a villager.
pub(super) struct Dress {
    pub(super) cloth: Hue,
    pub(super) trim: Hue,
    pub(super) long: bool,
}

/// A villager facing +Z.
pub(super) fn villager(kit: &mut Kit, dress: &Dress) {
    let (cloth, trim) = (hue(dress.cloth, 0.55), hue(dress.trim, 0.5));
    let skin = hue(Hue::Skin, 0.62);
    kit.held(&[(0, 1.0)], |kit| {
        if dress.long {
            kit.lathe(
                hue(dress.cloth, 0.45),
                &[[1.55, 0.15], [1.25, 1.6], [0.95, 3.2]],
                8,
                true,
            );
            // An apron.
            kit.polygon(
                hue(Hue::Linen, 0.7),
                &[
                    v(-0.75, 0.6, 1.52),
                    v(0.75, 0.6, 1.52),
                    v(0.6, 3.2, 1.0),
                    v(-0.6, 3.2, 1.0),
                ],
            );
        } else {
            for side in [-1.0, 1.0] {
                let x = 0.48 * side;
                kit.beam(
                    hue(Hue::Leather, 0.35),
                    [v(x, 0.0, 0.0), v(x, 1.2, 0.0)],
                    [0.75, 0.8],
                    DVec3::Z,
                    Seen::All,
                );
                kit.beam(
                    hue(Hue::Leather, 0.35),
                    [v(x, 0.25, 0.2), v(x, 0.25, 0.9)],
                    [0.7, 0.5],
                    DVec3::Y,
                    Seen::All,
                );
                kit.beam(
                    hue(dress.trim, 0.3),
                    [v(x, 1.2, 0.0), v(x, 3.0, 0.0)],
                    [0.7, 0.75],
                    DVec3::Z,
                    Seen::All,
                );
            }
            kit.lathe(hue(dress.cloth, 0.45), &[[1.15, 1.9], [0.95, 3.2]], 8, true);
        }
    });
    kit.held(&[(0, 0.5), (CHEST, 0.5)], |kit| {
        kit.lathe(hue(Hue::Leather, 0.4), &[[0.98, 2.9], [1.0, 3.3]], 8, true);
    });
    kit.held(&[(CHEST, 1.0)], |kit| {
        kit.scaled(v(1.0, 1.0, 0.78), |kit| {
            kit.lathe(
                cloth,
                &[[0.95, 3.2], [1.25, 4.7], [0.95, 5.4], [0.35, 5.65]],
                8,
                true,
            );
        });
    });
    for (arm, side) in [(LEFT_ARM, 1.0), (RIGHT_ARM, -1.0)] {
        kit.held(&[(CHEST, 0.4), (arm, 0.6)], |kit| {
            kit.lump(
                cloth,
                v(1.1 * side, 5.0, 0.0),
                v(0.5, 0.5, 0.5),
                [6, 3],
                0.0,
                1,
            );
        });
        kit.held(&[(arm, 1.0)], |kit| {
            let [shoulder, wrist] = [v(1.15 * side, 5.1, 0.0), v(1.75 * side, 3.2, 0.25)];
            kit.beam(cloth, [shoulder, wrist], [0.7, 0.7], DVec3::Z, Seen::All);
            kit.lump(
                skin,
                wrist + v(0.07 * side, -0.25, 0.05),
                v(0.32, 0.4, 0.32),
                [5, 3],
                0.0,
                2,
            );
        });
    }
    kit.held(&[(HEAD, 1.0)], |kit| {
        kit.beam(
            skin,
            [v(0.0, 5.4, 0.0), v(0.0, 6.0, 0.0)],
            [0.55, 0.55],
            DVec3::Z,
            Seen::All,
        );
        kit.lump(skin, v(0.0, 6.6, 0.05), v(0.78, 0.92, 0.8), [7, 4], 0.0, 3);
        kit.lump(skin, v(0.0, 6.5, 0.85), v(0.13, 0.2, 0.2), [4, 2], 0.0, 4);
        for side in [-1.0, 1.0] {
            kit.lump(
                hue(Hue::Black, 0.2),
                v(0.3 * side, 6.72, 0.74),
                v(0.1, 0.13, 0.08),
                [4, 2],
                0.0,
                5,
            );
        }
        if dress.long {
            // A scarf around the hair.
            kit.lump(
                trim,
                v(0.0, 6.75, -0.18),
                v(0.9, 0.98, 0.85),
                [7, 4],
                0.0,
                6,
            );
        } else {
            kit.lump(
                hue(Hue::Hair, 0.45),
                v(0.0, 6.78, -0.16),
                v(0.84, 0.86, 0.82),
                [7, 4],
                0.0,
                7,
            );
            kit.within(turned(DVec3::X, -0.02, v(0.0, 7.15, -0.05)), |kit| {
                let straw = hue(Hue::Ochre, 0.7);
                kit.lathe(hue(Hue::Ochre, 0.4), &[[0.6, 0.0], [1.5, -0.1]], 9, true);
                kit.lathe(
                    straw,
                    &[[1.5, -0.1], [0.78, 0.1], [0.7, 0.7], [0.0, 0.85]],
                    9,
                    false,
                );
            });
        }
    });
}

/// Breathing, shifting the weight and looking around.
pub(super) fn stand_about(pose: &mut Pose, at: f64) {
    pose.bend(
        CHEST,
        1.5 * sine(at),
        2.0 * sine(at + 0.2),
        1.5 * sine(at + 0.1),
    );
    pose.bend(HEAD, 3.0 * sine(2.0 * at), 16.0 * sine(at), 0.0);
    pose.bend(LEFT_ARM, 6.0 * sine(at + 0.1), 0.0, 3.0 * sine(at));
    pose.bend(RIGHT_ARM, 6.0 * sine(at + 0.6), 0.0, 3.0 * sine(at + 0.5));
}

/// Waving with a raised arm.
pub(super) fn wave(pose: &mut Pose, at: f64) {
    stand_about(pose, at);
    pose.bend(LEFT_ARM, -20.0, 0.0, -130.0 + 16.0 * sine(3.0 * at));
}

pub(super) fn sheep_rig() -> Rig {
    Rig {
        bones: vec![
            bone("root", None, [0.0, 2.6, 0.0], [0.0, 4.6, 0.0]),
            bone("neck", Some(0), [0.0, 3.4, 1.7], [0.0, 4.1, 2.7]),
            bone("head", Some(1), [0.0, 4.0, 2.6], [0.0, 3.6, 3.8]),
            bone("tail", Some(0), [0.0, 3.0, -2.1], [0.0, 2.2, -2.6]),
        ],
    }
}

pub(super) fn sheep(kit: &mut Kit) {
    let (wool, face) = (hue(Hue::Wool, 0.68), hue(Hue::Black, 0.75));
    kit.held(&[(0, 1.0)], |kit| {
        kit.lump(
            wool,
            v(0.0, 3.0, -0.2),
            v(1.65, 1.5, 2.35),
            [9, 6],
            0.12,
            81,
        );
        for (x, z) in [(0.8, 1.1), (-0.8, 1.1), (0.8, -1.5), (-0.8, -1.5)] {
            kit.beam(
                face,
                [v(x, 0.0, z), v(x, 2.2, z)],
                [0.5, 0.5],
                DVec3::Z,
                Seen::All,
            );
        }
    });
    kit.held(&[(0, 0.4), (1, 0.6)], |kit| {
        kit.lump(wool, v(0.0, 3.8, 1.9), v(0.95, 0.95, 0.9), [7, 4], 0.1, 82);
    });
    kit.held(&[(2, 1.0)], |kit| {
        kit.lump(
            face,
            v(0.0, 3.85, 3.15),
            v(0.55, 0.6, 0.95),
            [7, 4],
            0.0,
            83,
        );
        kit.lump(wool, v(0.0, 4.4, 2.6), v(0.6, 0.45, 0.55), [6, 3], 0.1, 84);
        for side in [-1.0, 1.0] {
            kit.lump(
                face,
                v(0.75 * side, 4.05, 2.6),
                v(0.42, 0.18, 0.25),
                [5, 2],
                0.0,
                85,
            );
        }
    });
    kit.held(&[(3, 1.0)], |kit| {
        kit.lump(wool, v(0.0, 2.7, -2.4), v(0.35, 0.6, 0.35), [5, 3], 0.0, 86);
    });
}

/// Grazing, and looking up now and then.
pub(super) fn graze(pose: &mut Pose, at: f64) {
    // Down most of the time, with smooth transitions.
    let down = (0.5 + 1.1 * sine(at)).clamp(0.0, 1.0);
    let down = down * down * (3.0 - 2.0 * down);
    pose.bend(1, 78.0 * down, 0.0, 0.0);
    pose.bend(
        2,
        6.0 * sine(6.0 * at) * down - 12.0 * (1.0 - down),
        10.0 * (1.0 - down) * sine(2.0 * at),
        0.0,
    );
    pose.bend(3, 0.0, 0.0, 18.0 * sine(4.0 * at));
}

pub(super) fn goose_rig() -> Rig {
    Rig {
        bones: vec![
            bone("root", None, [0.0, 1.2, 0.0], [0.0, 2.2, 0.0]),
            bone("neck", Some(0), [0.0, 1.7, 0.9], [0.0, 3.0, 1.3]),
            bone("head", Some(1), [0.0, 3.0, 1.3], [0.0, 3.0, 2.1]),
        ],
    }
}

pub(super) fn goose(kit: &mut Kit) {
    let (white, orange) = (hue(Hue::Snow, 0.72), hue(Hue::Orange, 0.5));
    kit.held(&[(0, 1.0)], |kit| {
        kit.lump(
            white,
            v(0.0, 1.45, -0.1),
            v(0.8, 0.75, 1.35),
            [7, 4],
            0.0,
            91,
        );
        kit.lump(
            white,
            v(0.0, 1.8, -1.35),
            v(0.35, 0.25, 0.5),
            [5, 3],
            0.0,
            92,
        );
        for side in [-1.0, 1.0] {
            kit.lump(
                hue(Hue::Snow, 0.5),
                v(0.68 * side, 1.55, -0.25),
                v(0.22, 0.48, 0.95),
                [6, 3],
                0.0,
                93,
            );
            kit.beam(
                orange,
                [v(0.32 * side, 0.0, 0.0), v(0.32 * side, 0.9, 0.0)],
                [0.2, 0.2],
                DVec3::Z,
                Seen::All,
            );
            kit.beam(
                orange,
                [v(0.32 * side, 0.06, -0.1), v(0.32 * side, 0.06, 0.6)],
                [0.5, 0.1],
                DVec3::Y,
                Seen::All,
            );
        }
    });
    kit.held(&[(0, 0.3), (1, 0.7)], |kit| {
        kit.beam(
            white,
            [v(0.0, 1.5, 0.8), v(0.0, 3.0, 1.25)],
            [0.5, 0.5],
            DVec3::Z,
            Seen::All,
        );
    });
    kit.held(&[(2, 1.0)], |kit| {
        kit.lump(
            white,
            v(0.0, 3.05, 1.4),
            v(0.34, 0.36, 0.45),
            [6, 4],
            0.0,
            94,
        );
        kit.beam(
            orange,
            [v(0.0, 2.98, 1.7), v(0.0, 2.92, 2.25)],
            [0.28, 0.2],
            DVec3::Y,
            Seen::All,
        );
    });
}

pub(super) fn waddle(pose: &mut Pose, at: f64) {
    pose.bend(0, 0.0, 0.0, 4.0 * sine(2.0 * at));
    pose.bend(1, 12.0 * sine(at) + 6.0 * sine(3.0 * at), 0.0, 0.0);
    pose.bend(2, -10.0 * sine(at), 24.0 * sine(at + 0.3), 0.0);
}

/// Number of joints along the cloth of a banner.
const FOLDS: usize = 5;
/// Height of the bar from which it hangs.
const HANG: f64 = 15.0;

pub(super) fn banner_rig() -> Rig {
    let mut bones = vec![bone("pole", None, [0.0, 0.0, 0.0], [0.0, HANG, 0.0])];
    for i in 0..FOLDS {
        let y = |n: usize| HANG - 9.0 * n as f64 / FOLDS as f64;
        bones.push(bone(
            &format!("fold{i}"),
            Some(i),
            [0.0, y(i), 0.4],
            [0.0, y(i + 1), 0.4],
        ));
    }
    Rig { bones }
}

/// A banner on a pole: a cloth in two colours with a swallow's tail.
pub(super) fn banner(kit: &mut Kit) {
    kit.held(&[(0, 1.0)], |kit| {
        kit.within(moved(0.0, 0.0, 0.0), |kit| {
            kit.lathe(
                hue(Hue::Grey, 0.5),
                &[[1.4, 0.0], [1.0, 0.8], [0.0, 0.8]],
                7,
                false,
            );
        });
        kit.beam(
            &TIMBER,
            [v(0.0, 0.4, 0.0), v(0.0, HANG + 1.4, 0.0)],
            [0.5, 0.5],
            DVec3::Z,
            Seen::All,
        );
        kit.beam(
            &TIMBER,
            [v(-2.6, HANG, 0.2), v(2.6, HANG, 0.2)],
            [0.4, 0.4],
            DVec3::Z,
            Seen::All,
        );
        kit.lump(
            hue(Hue::Ochre, 0.7),
            v(0.0, HANG + 1.8, 0.0),
            v(0.5, 0.6, 0.5),
            [6, 4],
            0.0,
            95,
        );
    });
    for i in 0..FOLDS {
        let y = |n: usize| HANG - 9.0 * n as f64 / FOLDS as f64;
        for (left, right, look) in [
            (-2.2, -0.8, Hue::Blue),
            (-0.8, 0.8, Hue::Ochre),
            (0.8, 2.2, Hue::Blue),
        ] {
            // The last part ends in two points.
            let end = |x: f64| {
                if i + 1 == FOLDS {
                    y(FOLDS) - 1.5 + 1.9 * (1.0 - x.abs() / 2.2)
                } else {
                    y(i + 1)
                }
            };
            for (out, tone) in [(1.0, 0.55), (-1.0, 0.4)] {
                let mut corners = [
                    (left, end(left), i + 2),
                    (right, end(right), i + 2),
                    (right, y(i), i + 1),
                    (left, y(i), i + 1),
                ];
                if out < 0.0 {
                    corners.reverse();
                }
                let corners =
                    corners.map(|(x, y, joint)| (v(x, y, 0.4 + 0.03 * out), joint.min(FOLDS)));
                kit.cloth(hue(look, tone), &corners);
            }
        }
    }
}

pub(super) fn flutter(pose: &mut Pose, at: f64) {
    for i in 0..FOLDS {
        let share = (i as f64 + 1.0) / FOLDS as f64;
        pose.bend(
            i + 1,
            11.0 * share * sine(2.0 * at - 0.17 * i as f64),
            5.0 * share * sine(at - 0.1 * i as f64),
            0.0,
        );
    }
}

pub(super) fn windmill_rig() -> Rig {
    use super::houses::{AXLE, HUB};
    Rig {
        bones: vec![
            bone("tower", None, [0.0, 0.0, 0.0], [0.0, 26.0, 0.0]),
            bone("sails", Some(0), AXLE.to_array(), HUB.to_array()),
        ],
    }
}

/// A quarter turn, after which the sails look the same.
pub(super) fn turn_sails(pose: &mut Pose, at: f64) {
    pose.bend(1, 0.0, 0.0, -90.0 * at);
}
