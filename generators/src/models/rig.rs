//! Skeletons and their poses.
//!
//! Poses are defined in model space: the rotation of a joint from its bind pose, relative to its
//! parent and around the axes of the model. Files store it in the joints' own axes.

use glam::{DAffine3, DQuat, DVec3};
use mapscope_formats::pfobj::{Bounds, Clip, Joint, Pfobj, Rotation, Transform};

use crate::maths::bend;

/// A joint in its bind pose.
#[derive(Debug, Clone)]
pub(crate) struct Bone {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    /// Its start in model space.
    pub(crate) head: DVec3,
    /// Its end in model space, to which its own Y axis points.
    pub(crate) tip: DVec3,
}

/// A skeleton in its bind pose; parents precede their children.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rig {
    pub(crate) bones: Vec<Bone>,
}

/// Displacement of the joints from the bind pose.
#[derive(Debug, Clone)]
pub(crate) struct Pose {
    /// Rotations around the axes of the model, relative to the parent.
    pub(crate) turns: Vec<DQuat>,
    /// Shifts along the axes of the model, relative to the parent.
    pub(crate) shifts: Vec<DVec3>,
    /// Factors along the joint's own axes.
    pub(crate) scales: Vec<DVec3>,
}

impl Rig {
    pub(crate) fn find(&self, name: &str) -> usize {
        let found = self.bones.iter().position(|bone| bone.name == name);
        debug_assert!(found.is_some(), "no joint is called {name}");
        found.unwrap_or_default()
    }

    /// The joint of the other side.
    pub(crate) fn opposite(&self, bone: usize) -> usize {
        let name = &self.bones[bone].name;
        if name.contains("left") {
            self.find(&name.replace("left", "right"))
        } else {
            bone
        }
    }

    /// The rotation of a joint in the bind pose, from its own space to model space.
    fn bind_rotation(&self, bone: usize) -> DQuat {
        let Bone { head, tip, .. } = self.bones[bone];
        DQuat::from_rotation_arc(DVec3::Y, (tip - head).normalize())
    }

    pub(crate) fn rest(&self) -> Pose {
        let count = self.bones.len();
        Pose {
            turns: vec![DQuat::IDENTITY; count],
            shifts: vec![DVec3::ZERO; count],
            scales: vec![DVec3::ONE; count],
        }
    }

    /// For each joint, its rotation from the bind pose and its position in model space, without
    /// scale.
    fn places(&self, pose: &Pose) -> Vec<(DQuat, DVec3)> {
        let mut places: Vec<(DQuat, DVec3)> = Vec::new();
        for (i, bone) in self.bones.iter().enumerate() {
            let (turn, head, from) = match bone.parent {
                Some(parent) => {
                    let (turn, at) = places[parent];
                    (turn, self.bones[parent].head, at)
                }
                None => (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO),
            };
            let at = from + turn * (bone.head - head + pose.shifts[i]);
            places.push((turn * pose.turns[i], at));
        }
        places
    }

    /// Bends the two upper joints of a leg so that the third one reaches a position, with the given
    /// rotation from its bind pose, both in model space.
    pub(crate) fn stand(&self, pose: &mut Pose, leg: [usize; 3], at: DVec3, turned: DQuat) {
        let [hip, knee, foot] = leg.map(|bone| self.bones[bone].head);
        pose.turns[leg[0]] = DQuat::IDENTITY;
        let places = self.places(pose);
        let (above, from) = places[leg[0]];
        let (thigh, shin) = (above * (knee - hip), above * (foot - knee));
        let (long, short) = (thigh.length(), shin.length());
        let reach = (at - from).length().min((long + short) * 0.999);
        let toward = (at - from).normalize();
        // The knee bends to its side in the bind pose.
        let bind_way = (above * (foot - hip)).normalize();
        let swing = DQuat::from_rotation_arc(bind_way, toward);
        let side = (swing * thigh).reject_from(toward).normalize();
        let ahead = (reach * reach + long * long - short * short) / (2.0 * reach);
        let aside = (long * long - ahead * ahead).max(0.0).sqrt();
        let bent = toward * ahead + side * aside;
        let upper = DQuat::from_rotation_arc(thigh.normalize(), bent.normalize()) * above;
        let rest = (toward * reach - bent).normalize();
        let lower = DQuat::from_rotation_arc((upper * (foot - knee)).normalize(), rest) * upper;
        pose.turns[leg[0]] = above.inverse() * upper;
        pose.turns[leg[1]] = upper.inverse() * lower;
        pose.turns[leg[2]] = lower.inverse() * turned;
    }

    /// The poses of the joints as in files: relative to the parent, with conjugated rotations.
    fn transforms(&self, pose: &Pose) -> Vec<Transform> {
        let places = self.places(pose);
        let mut transforms = Vec::new();
        for (i, bone) in self.bones.iter().enumerate() {
            let own = places[i].0 * self.bind_rotation(i);
            let (parent, from) = match bone.parent {
                Some(parent) => {
                    let (turn, at) = places[parent];
                    (turn * self.bind_rotation(parent), at)
                }
                None => (DQuat::IDENTITY, DVec3::ZERO),
            };
            let rotation = (parent.inverse() * own).normalize();
            // Of the two quaternions of a rotation, take the one closer to the identity.
            let rotation = if rotation.w < 0.0 {
                -rotation
            } else {
                rotation
            };
            let translation = parent.inverse() * (places[i].1 - from);
            transforms.push(Transform {
                scale: pose.scales[i].to_array().map(|n| rounded(n, 5)),
                rotation: Rotation::ConjugatedQuaternion(
                    rotation.conjugate().to_array().map(|n| rounded(n, 5)),
                ),
                translation: translation.to_array().map(|n| rounded(n, 4)),
            });
        }
        transforms
    }

    /// The skeleton as in files.
    pub(crate) fn joints(&self) -> Vec<Joint> {
        let binds = self.transforms(&self.rest());
        let joint = |(bone, bind): (&Bone, Transform)| Joint {
            name: bone.name.clone(),
            parent: bone.parent.map(|parent| parent as u32),
            bind,
            tip: [0.0, rounded(bone.head.distance(bone.tip), 4), 0.0],
            line: 0,
        };
        self.bones.iter().zip(binds).map(joint).collect()
    }

    /// A clip as in files, with the bounds of each frame.
    pub(crate) fn clip(&self, model: &Pfobj, name: &str, poses: &[Pose]) -> Clip {
        let frames: Vec<Vec<Transform>> = poses.iter().map(|pose| self.transforms(pose)).collect();
        let inverse_binds: Vec<DAffine3> = global(&model.joints, None)
            .iter()
            .map(DAffine3::inverse)
            .collect();
        let bounds = |frame: &Vec<Transform>| {
            let skins: Vec<DAffine3> = global(&model.joints, Some(frame))
                .iter()
                .zip(&inverse_binds)
                .map(|(pose, bind)| *pose * *bind)
                .collect();
            bounds_of(model.vertices.iter().map(|vertex| {
                let at = DVec3::from(vertex.position.map(f64::from));
                let influences = model.influences_of(vertex);
                let total: f64 = influences.iter().map(|i| f64::from(i.weight)).sum();
                let moved = influences.iter().map(|influence| {
                    let skin = skins[influence.joint as usize];
                    skin.transform_point3(at) * f64::from(influence.weight)
                });
                moved.sum::<DVec3>() / total
            }))
        };
        Clip {
            name: name.to_owned(),
            frame_count: frames.len() as u32,
            bounds: frames.iter().map(bounds).map(Some).collect(),
            poses: frames.concat(),
            line: 0,
            frame_lines: Vec::new(),
        }
    }
}

impl Pose {
    /// Rotates a joint further: nod, turn to the left and tilt to the right, in degrees.
    pub(crate) fn bend(&mut self, bone: usize, nod: f64, turn_left: f64, tilt: f64) {
        self.turns[bone] *= bend(nod, turn_left, tilt);
    }
}

/// Model-space transforms of joints in a pose, or in the bind pose.
fn global(joints: &[Joint], pose: Option<&[Transform]>) -> Vec<DAffine3> {
    let mut places: Vec<DAffine3> = Vec::new();
    for (i, joint) in joints.iter().enumerate() {
        let local = pose.map_or(joint.bind, |pose| pose[i]);
        let Rotation::ConjugatedQuaternion(stored) = local.rotation else {
            continue;
        };
        let local = DAffine3::from_scale_rotation_translation(
            DVec3::from(local.scale.map(f64::from)),
            DQuat::from_array(stored.map(f64::from))
                .conjugate()
                .normalize(),
            DVec3::from(local.translation.map(f64::from)),
        );
        places.push(
            joint
                .parent
                .map_or(local, |parent| places[parent as usize] * local),
        );
    }
    places
}

/// The bounding box of positions.
pub(crate) fn bounds_of(places: impl Iterator<Item = DVec3>) -> Bounds {
    let start = (DVec3::MAX, DVec3::MIN);
    let (min, max) = places.fold(start, |(min, max), at| (min.min(at), max.max(at)));
    let [min, max] = [min, max].map(|corner| corner.to_array().map(|n| rounded(n, 5)));
    Bounds { min, max }
}

/// Rounds to `decimals` decimals and never returns a negative zero.
pub(crate) fn rounded(number: f64, decimals: u32) -> f32 {
    let factor = f64::from(10_u32.pow(decimals));
    ((number * factor).round() / factor + 0.0) as f32
}
