//! Motions of the drakeling.

use glam::DVec3;

use super::rig::{Pose, Rig};
use crate::maths::{bend, curve, hermite, sine};

const IDLE_FRAMES: u32 = 48;
const WALK_FRAMES: u32 = 32;
const JUMP_FRAMES: u32 = 36;

/// Names and poses of the clips, frame by frame. The first frame follows the last one.
pub(crate) fn clips(rig: &Rig) -> Vec<(&'static str, Vec<Pose>)> {
    let body = Body::new(rig);
    let frames = |count: u32, pose: &dyn Fn(f64) -> Pose| {
        let times = (0..count).map(|frame| f64::from(frame) / f64::from(count));
        times.map(pose).collect()
    };
    vec![
        ("Idle", frames(IDLE_FRAMES, &|t| body.idle(t))),
        ("Walk", frames(WALK_FRAMES, &|t| body.walk(t))),
        ("Jump", frames(JUMP_FRAMES, &|t| body.jump(t))),
    ]
}

/// The joints by function.
struct Body<'a> {
    rig: &'a Rig,
    root: usize,
    hips: usize,
    spine: [usize; 2],
    neck: usize,
    head: usize,
    jaw: usize,
    eyes: usize,
    tail: [usize; 4],
    /// Left and right.
    ears: [usize; 2],
    /// Left and right: arm and hand.
    wings: [[usize; 2]; 2],
    /// Front left, front right, back left, back right: upper, lower and foot.
    legs: [[usize; 3]; 4],
}

const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

impl<'a> Body<'a> {
    fn new(rig: &'a Rig) -> Self {
        let leg = |end: &str, side: &str| {
            ["upper", "lower", "foot"].map(|part| rig.find(&format!("leg.{end}.{side}.{part}")))
        };
        Self {
            rig,
            root: rig.find("root"),
            hips: rig.find("hips"),
            spine: ["spine.1", "spine.2"].map(|name| rig.find(name)),
            neck: rig.find("neck"),
            head: rig.find("head"),
            jaw: rig.find("jaw"),
            eyes: rig.find("eyes"),
            tail: ["tail.1", "tail.2", "tail.3", "tail.4"].map(|name| rig.find(name)),
            ears: SIDES.map(|(side, _)| rig.find(&format!("ear.{side}"))),
            wings: SIDES.map(|(side, _)| {
                ["arm", "hand"].map(|part| rig.find(&format!("wing.{side}.{part}")))
            }),
            legs: [
                leg("front", "left"),
                leg("front", "right"),
                leg("back", "left"),
                leg("back", "right"),
            ],
        }
    }

    /// Position of a foot's joint in the bind pose.
    fn foot(&self, leg: usize) -> DVec3 {
        self.rig.bones[self.legs[leg][2]].head
    }

    /// Places a foot at an offset from its bind pose, with its toes lowered by degrees.
    fn place_foot(&self, pose: &mut Pose, leg: usize, away: DVec3, toes_down: f64) {
        let at = self.foot(leg) + away;
        self.rig
            .stand(pose, self.legs[leg], at, bend(toes_down, 0.0, 0.0));
    }

    /// Lifts the wings by degrees and folds their hands backwards.
    fn wings(&self, pose: &mut Pose, lift: f64, fold: f64, hand: f64) {
        for ([arm, end], (_, side)) in self.wings.into_iter().zip(SIDES) {
            pose.bend(arm, 0.0, -side * fold, -side * lift);
            pose.bend(end, 0.0, -side * fold * 0.8, -side * hand);
        }
    }

    fn ears(&self, pose: &mut Pose, lift: f64, back: [f64; 2]) {
        for ((ear, (_, side)), back) in self.ears.into_iter().zip(SIDES).zip(back) {
            pose.bend(ear, 0.0, -side * back, -side * lift);
        }
    }

    /// Sways the tail: a wave that runs to its tip, in degrees per joint.
    fn tail(&self, pose: &mut Pose, t: f64, waves: f64, width: f64, rise: f64) {
        for (i, &joint) in self.tail.iter().enumerate() {
            let late = 0.13 * i as f64;
            let grow = 0.7 + 0.25 * i as f64;
            let across = width * grow * sine(waves * t - late);
            pose.bend(joint, -rise, across, 0.0);
        }
    }

    fn blink(&self, pose: &mut Pose, shut: f64) {
        pose.scales[self.eyes] = DVec3::new(1.0, 1.0 - 0.97 * shut, 1.0);
    }

    /// Breathes, sways its tail, looks left and right, twitches an ear and blinks.
    fn idle(&self, t: f64) -> Pose {
        let mut pose = self.rig.rest();
        // Two breaths; the chest follows the belly.
        let breath = |late: f64| sine(2.0 * t - late);
        pose.shifts[self.hips] = DVec3::new(0.0, 0.04 * breath(0.0) - 0.03, 0.0);
        pose.bend(self.hips, 0.6 * breath(0.1), 0.0, 0.9 * sine(t));
        pose.bend(self.spine[0], -breath(0.06), 0.0, -0.5 * sine(t));
        pose.bend(
            self.spine[1],
            -1.8 * breath(0.12),
            1.5 * sine(t),
            -0.4 * sine(t),
        );
        let look = [
            (0.0, 0.0),
            (0.12, 1.0),
            (0.3, 1.0),
            (0.45, -0.25),
            (0.55, -1.0),
            (0.72, -1.0),
            (0.88, 0.0),
            (1.0, 0.0),
        ];
        let turned = curve(&look, t);
        let tilted = curve(
            &[
                (0.1, 0.0),
                (0.22, 1.0),
                (0.36, 0.0),
                (0.58, 0.0),
                (0.66, -0.5),
                (0.8, 0.0),
            ],
            t,
        );
        pose.bend(self.neck, 1.5 * breath(0.2), 11.0 * turned, 2.0 * tilted);
        pose.bend(
            self.head,
            -1.5 * breath(0.16) - 3.0 * tilted.abs(),
            15.0 * turned,
            9.0 * tilted,
        );
        pose.bend(self.jaw, 2.0 + 1.6 * breath(0.2), 0.0, 0.0);
        let shut = |at: f64| curve(&[(0.012, 1.0), (0.055, 0.0)], (t - at).abs());
        self.blink(&mut pose, shut(0.46).max(shut(0.9)));
        let twitch = |at: f64| {
            let t = (t - at) / 0.12;
            if (0.0..1.0).contains(&t) {
                sine(2.0 * t) * (1.0 - t)
            } else {
                0.0
            }
        };
        let ear = 2.5 * breath(0.25);
        self.ears(
            &mut pose,
            ear,
            [
                6.0 * turned + 20.0 * twitch(0.66),
                -6.0 * turned + 20.0 * twitch(0.2),
            ],
        );
        self.wings(&mut pose, 2.2 * breath(0.15) - 4.0, 9.0, 3.0 * breath(0.25));
        self.tail(&mut pose, t, 1.0, 9.0, 1.2 * breath(0.3));
        for leg in 0..4 {
            self.place_foot(&mut pose, leg, DVec3::ZERO, 0.0);
        }
        pose
    }

    /// Walks on the spot. Each foot is on the ground for five eighths of the time and moves back at
    /// constant speed.
    fn walk(&self, t: f64) -> Pose {
        const ON_GROUND: f64 = 0.625;
        const STRIDE: f64 = 1.5;
        let mut pose = self.rig.rest();
        let twice = |late: f64| sine(2.0 * t - late);
        // The hips rise and fall with every step of the hind legs and sway over the supporting one;
        // the shoulders follow a quarter later.
        pose.shifts[self.hips] = DVec3::new(0.08 * sine(t + 0.2), 0.07 * twice(0.1) - 0.06, 0.0);
        pose.bend(
            self.hips,
            1.6 * twice(0.3),
            5.0 * sine(t + 0.05),
            3.4 * sine(t + 0.2),
        );
        pose.bend(
            self.spine[0],
            -1.5 * twice(0.35),
            -5.5 * sine(t + 0.02),
            -3.0 * sine(t + 0.2),
        );
        pose.bend(
            self.spine[1],
            1.0 * twice(0.6),
            -4.0 * sine(t - 0.05),
            -3.0 * sine(t - 0.05),
        );
        pose.bend(
            self.neck,
            -2.0 + 2.4 * twice(0.7),
            2.2 * sine(t - 0.05),
            1.5 * sine(t - 0.05),
        );
        pose.bend(
            self.head,
            2.0 - 3.4 * twice(0.8),
            2.2 * sine(t - 0.1),
            2.6 * sine(t - 0.1),
        );
        pose.bend(self.jaw, 3.0 + 1.5 * twice(0.9), 0.0, 0.0);
        self.ears(&mut pose, 5.0 * twice(0.95), [4.0 * twice(0.0); 2]);
        self.wings(&mut pose, 4.0 * twice(0.5) - 3.0, 14.0, 5.0 * twice(0.7));
        self.tail(&mut pose, t + 0.1, 1.0, -10.0, 1.5 + 1.5 * twice(0.4));
        // Left hind, left front, right hind, right front, a quarter apart.
        for (leg, late) in [(2, 0.0), (0, 0.25), (3, 0.5), (1, 0.75)] {
            let phase = t - late;
            let phase = phase - phase.floor();
            let (z, y, toes) = if phase < ON_GROUND {
                let t = phase / ON_GROUND;
                // The heel leaves the ground at the end.
                (STRIDE * (0.5 - t), 0.0, 0.0)
            } else {
                let t = (phase - ON_GROUND) / (1.0 - ON_GROUND);
                let slope = -STRIDE * (1.0 - ON_GROUND) / ON_GROUND;
                let z = hermite(-0.5 * STRIDE, slope, 0.5 * STRIDE, slope, t);
                let high = 0.42 * sine(0.5 * t) * (1.0 - 0.25 * t);
                let toes = curve(&[(0.0, 0.0), (0.3, 42.0), (0.75, -14.0), (1.0, 0.0)], t);
                // It rolls off over its toes.
                (z, high + 0.75 * sine(toes.max(0.0) / 360.0), toes)
            };
            let narrow = if leg % 2 == 0 { -0.12 } else { 0.12 };
            self.place_foot(&mut pose, leg, DVec3::new(narrow, y, z), toes);
        }
        pose
    }

    /// Crouches, leaps with two wing beats, lands and shakes itself.
    fn jump(&self, t: f64) -> Pose {
        let mut pose = self.rig.rest();
        let frame = t * f64::from(JUMP_FRAMES);
        let at = |keys: &[(f64, f64)]| curve(keys, frame);
        let height = at(&[
            (10.5, 0.0),
            (12.0, 0.9),
            (17.0, 3.3),
            (19.5, 3.2),
            (24.5, 0.55),
            (25.5, 0.0),
        ]);
        let low = at(&[
            (0.0, 0.0),
            (7.5, -0.72),
            (9.0, -0.74),
            (11.0, 0.16),
            (13.0, 0.0),
            (24.5, 0.0),
            (27.0, -0.72),
            (31.0, 0.06),
            (35.0, 0.0),
        ]);
        let nod = at(&[
            (0.0, 0.0),
            (8.0, 5.0),
            (11.0, -24.0),
            (16.0, -14.0),
            (21.0, 8.0),
            (25.0, 6.0),
            (28.0, 4.0),
            (33.0, 0.0),
        ]);
        let ahead = at(&[
            (0.0, 0.0),
            (8.5, -0.45),
            (11.5, 0.35),
            (17.0, 0.1),
            (25.0, 0.1),
            (27.5, 0.2),
            (34.0, 0.0),
        ]);
        // Stretched at take-off and squashed at landing; the width compensates the height.
        let tall = at(&[
            (0.0, 1.0),
            (8.0, 0.93),
            (11.5, 1.1),
            (16.0, 1.0),
            (22.0, 1.0),
            (24.8, 1.07),
            (27.0, 0.88),
            (31.0, 1.03),
            (35.0, 1.0),
        ]);
        pose.scales[self.root] = DVec3::new(1.0 / tall.sqrt(), 1.0 / tall.sqrt(), tall);
        pose.shifts[self.root] = DVec3::new(0.0, height, 0.0);
        pose.shifts[self.hips] = DVec3::new(0.0, low, ahead);
        pose.bend(self.hips, nod, 0.0, 0.0);
        let curl = at(&[
            (0.0, 0.0),
            (8.0, 6.0),
            (11.5, -9.0),
            (17.0, -3.0),
            (20.0, 4.0),
            (27.0, 7.0),
            (33.0, 0.0),
        ]);
        for joint in self.spine {
            pose.bend(joint, curl, 0.0, 0.0);
        }
        let shake = at(&[
            (28.5, 0.0),
            (30.0, 1.0),
            (31.5, -0.9),
            (33.0, 0.5),
            (34.5, 0.0),
        ]);
        let up = at(&[
            (0.0, 0.0),
            (7.0, 8.0),
            (9.0, 4.0),
            (13.0, -22.0),
            (18.0, -12.0),
            (24.0, 6.0),
            (27.0, 14.0),
            (31.0, -4.0),
            (35.0, 0.0),
        ]);
        pose.bend(self.neck, 0.5 * up - 0.5 * nod, 5.0 * shake, 0.0);
        pose.bend(self.head, 0.5 * up - 0.5 * nod, 7.0 * shake, 11.0 * shake);
        let mouth = at(&[
            (0.0, 2.0),
            (9.0, 2.0),
            (12.5, 26.0),
            (19.0, 22.0),
            (24.0, 8.0),
            (27.0, 0.0),
            (35.0, 2.0),
        ]);
        pose.bend(self.jaw, mouth, 0.0, 0.0);
        self.blink(
            &mut pose,
            at(&[
                (7.0, 0.0),
                (9.0, 0.45),
                (11.0, 0.0),
                (25.0, 0.0),
                (26.5, 1.0),
                (28.5, 0.9),
                (30.5, 0.0),
            ]),
        );
        let lift = at(&[
            (0.0, -4.0),
            (8.5, 34.0),
            (12.0, -46.0),
            (15.5, 30.0),
            (18.5, -40.0),
            (22.0, 24.0),
            (26.0, 10.0),
            (28.5, -14.0),
            (32.0, 2.0),
            (35.0, -4.0),
        ]);
        let hand = at(&[
            (0.0, 0.0),
            (7.0, -14.0),
            (9.5, 26.0),
            (12.5, -34.0),
            (14.0, -8.0),
            (16.5, 24.0),
            (19.5, -30.0),
            (23.0, 16.0),
            (27.5, 10.0),
            (30.0, -10.0),
            (35.0, 0.0),
        ]);
        let fold = at(&[
            (0.0, 9.0),
            (8.0, 4.0),
            (11.0, -8.0),
            (22.0, -8.0),
            (28.0, 6.0),
            (35.0, 9.0),
        ]);
        self.wings(&mut pose, lift, fold, hand);
        let ears = at(&[
            (0.0, 0.0),
            (8.0, -16.0),
            (11.0, -22.0),
            (16.0, 12.0),
            (21.0, 26.0),
            (26.5, -26.0),
            (30.0, 8.0),
            (35.0, 0.0),
        ]);
        self.ears(
            &mut pose,
            ears,
            [14.0 * shake - 0.5 * ears, -14.0 * shake - 0.5 * ears],
        );
        // The tail lags behind: up in the crouch, trailing down in the leap, whipping at the end.
        for (i, &joint) in self.tail.iter().enumerate() {
            let late = frame - 1.4 * i as f64;
            let rise = curve(
                &[
                    (0.0, 0.0),
                    (8.0, 9.0),
                    (12.0, -4.0),
                    (15.0, -13.0),
                    (18.0, -6.0),
                    (22.0, 13.0),
                    (26.0, 8.0),
                    (28.5, -9.0),
                    (31.5, 3.0),
                    (34.0, 0.0),
                ],
                late,
            );
            let wag = curve(
                &[
                    (0.0, 0.0),
                    (4.0, 7.0),
                    (8.0, -6.0),
                    (12.0, 0.0),
                    (26.0, 0.0),
                    (28.5, 9.0),
                    (31.0, -6.0),
                    (33.0, 0.0),
                ],
                late,
            );
            let level = if i == 0 { -0.8 * nod.min(0.0) } else { 0.0 };
            pose.bend(joint, rise + level, wag, 0.0);
        }
        // Feet keep their place on the ground. In the air the hind feet trail and the front feet
        // are drawn up; all reach for the ground before landing.
        let air = at(&[
            (10.5, 0.0),
            (12.5, 0.6),
            (15.5, 1.0),
            (20.0, 1.0),
            (24.0, 0.12),
            (25.5, 0.0),
        ]);
        let trail = at(&[
            (10.5, 0.0),
            (12.0, 1.0),
            (14.0, 0.8),
            (18.0, 0.25),
            (21.0, 0.0),
        ]);
        for leg in 0..4 {
            let side = if leg % 2 == 0 { 1.0 } else { -1.0 };
            let away = if leg < 2 {
                DVec3::new(0.1 * side * air, 0.75 * air, 0.55 * air - 0.2 * trail)
            } else {
                DVec3::new(
                    0.08 * side * air,
                    0.5 * air - 0.35 * trail,
                    0.15 * air - 1.0 * trail,
                )
            };
            let toes = if leg < 2 {
                34.0 * air
            } else {
                22.0 * air + 40.0 * trail
            };
            // While it stands, the root is also on the ground.
            self.place_foot(&mut pose, leg, away + DVec3::Y * height, toes);
        }
        pose
    }
}
