//! Synthetic models for measurements.

use std::f32::consts::TAU;

use mapscope_formats::pfobj::{
    Bounds, Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};

use super::ppe::{PPE_SHEET, scramble};

/// Number of joints in the chain along the stalk, and the length of each.
pub(super) const JOINTS: u32 = 16;
pub(super) const JOINT_LENGTH: f32 = 0.5;
/// Number of frames of the only clip.
pub(super) const FRAMES: u32 = 32;
/// Maximum rotation of a joint in radians.
const TURN: f32 = 0.06;
/// Height, and radius at the bottom.
pub(super) const HEIGHT: f32 = JOINTS as f32 * JOINT_LENGTH;
const RADIUS: f32 = 1.0;

/// A point on the stalk.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub position: [f32; 3],
    pub uv: [f32; 2],
    pub normal: [f32; 3],
}

/// Generates a model with `triangles` triangles: a knobbly, swaying stalk with two materials. Its
/// skeleton has 16 joints, two of which influence each vertex. Its texture is
/// [`ppe_sheet`](super::ppe_sheet). The model depends only on the arguments.
pub fn pfobj(triangles: u32, seed: u64) -> Pfobj {
    let around = ((triangles as f32 / 6.0).sqrt() as u32).max(3);
    let rings = triangles.div_ceil(2 * around).max(1);
    let point = |ring: u32, step: u32| point(ring as f32 / rings as f32, step, around, seed);
    let mut corners = Vec::with_capacity(triangles as usize * 3);
    for ring in 0..rings {
        for step in 0..around {
            let [a, b] = [step, step + 1].map(|step| point(ring, step));
            let [c, d] = [step, step + 1].map(|step| point(ring + 1, step));
            corners.extend([a, c, b, b, c, d]);
        }
    }
    corners.truncate(triangles as usize * 3);
    let mut influences = Vec::with_capacity(corners.len() * 2);
    let vertices = corners.iter().zip(0_u32..).map(|(corner, number)| {
        influences.extend(weights(corner.position[1]));
        Vertex {
            position: corner.position,
            uv: corner.uv,
            normal: corner.normal,
            first_influence: 2 * number,
            influence_count: 2,
            material: u32::from(corner.position[1] > HEIGHT / 2.0),
        }
    });
    let vertices: Vec<Vertex> = vertices.collect();
    let positions: Vec<[f32; 3]> = corners.iter().map(|corner| corner.position).collect();
    let bounds_of_frames = (0..FRAMES).map(|frame| {
        let places = places(turn(frame));
        bounds(positions.iter().map(|position| posed(*position, &places)))
    });
    let frames = 0..FRAMES;
    let poses = frames.flat_map(|frame| (0..JOINTS).map(move |joint| local(joint, turn(frame))));
    let count = vertices.len() as u32;
    Pfobj {
        version: "1.0".to_owned(),
        influences,
        materials: ["Bark", "Leaf"].map(material).to_vec(),
        joints: (0..JOINTS).map(joint).collect(),
        clips: vec![Clip {
            name: "Sway".to_owned(),
            frame_count: FRAMES,
            poses: poses.collect(),
            bounds: bounds_of_frames.map(Some).collect(),
            line: 0,
            frame_lines: vec![0; FRAMES as usize],
        }],
        bounds: Some(bounds(positions.iter().copied())),
        has_bounds: true,
        layout: Layout::regular(count),
        vertices,
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    }
}

/// The point at a fraction of the height and at a step of `around`.
pub(super) fn point(part: f32, step: u32, around: u32, seed: u64) -> Point {
    let turned = step as f32 / around as f32;
    let (sin, cos) = (turned * TAU).sin_cos();
    // Each knob covers an eighth of the circumference; the last one is next to the first.
    let knob = u64::from(step * 8 / around) % 8 + ((part * 32.0) as u64) * 8;
    let bump = (scramble(seed ^ knob) & 0xff) as f32 / 255.0;
    let radius = RADIUS * (1.0 - 0.6 * part) * (0.9 + 0.1 * bump);
    Point {
        position: [radius * cos, HEIGHT * part, radius * sin],
        uv: [turned * 2.0, part * 4.0],
        normal: [cos, 0.0, sin],
    }
}

/// The influences on a vertex at a height: the joint at this height and the next one.
pub(super) fn weights(height: f32) -> [Influence; 2] {
    let along = height / JOINT_LENGTH;
    let joint = (along as u32).min(JOINTS - 1);
    let part = if joint + 1 < JOINTS {
        along.fract()
    } else {
        0.0
    };
    let next = (joint + 1).min(JOINTS - 1);
    [(joint, 1.0 - part), (next, part)].map(|(joint, weight)| Influence { joint, weight })
}

/// The rotation of each joint at a frame, in radians.
pub(super) fn turn(frame: u32) -> f32 {
    TURN * (frame as f32 / FRAMES as f32 * TAU).sin()
}

/// The transform of a joint relative to its parent, rotated by `turn` around Z.
fn local(joint: u32, turn: f32) -> Transform {
    let (sin, cos) = (turn / 2.0).sin_cos();
    let length = if joint == 0 { 0.0 } else { JOINT_LENGTH };
    Transform {
        scale: [1.0; 3],
        rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, -sin, cos]),
        translation: [0.0, length, 0.0],
    }
}

/// The rotation of each joint in model space, and its start in X and Y.
fn places(turn: f32) -> Vec<(f32, [f32; 2])> {
    let mut at = [0.0; 2];
    let joints = (1..=JOINTS).map(|joint| {
        let turned = joint as f32 * turn;
        let here = at;
        at = [
            here[0] - turned.sin() * JOINT_LENGTH,
            here[1] + turned.cos() * JOINT_LENGTH,
        ];
        (turned, here)
    });
    joints.collect()
}

/// The skinned position of a vertex.
fn posed([x, y, z]: [f32; 3], places: &[(f32, [f32; 2])]) -> [f32; 3] {
    let mut sum = [0.0, 0.0, z];
    for Influence { joint, weight } in weights(y) {
        let Some((turned, at)) = places.get(joint as usize) else {
            continue;
        };
        let (sin, cos) = turned.sin_cos();
        let above = y - joint as f32 * JOINT_LENGTH;
        sum[0] += weight * (at[0] + x * cos - above * sin);
        sum[1] += weight * (at[1] + x * sin + above * cos);
    }
    sum
}

fn bounds(positions: impl Iterator<Item = [f32; 3]>) -> Bounds {
    let none = Bounds {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
    };
    positions.fold(none, |bounds, position| Bounds {
        min: std::array::from_fn(|axis| bounds.min[axis].min(position[axis])),
        max: std::array::from_fn(|axis| bounds.max[axis].max(position[axis])),
    })
}

fn material(name: &str) -> Material {
    Material {
        name: name.to_owned(),
        ambient: 1.0,
        diffuse: [0.8; 3],
        specular: [0.0; 3],
        texture: PPE_SHEET.to_owned(),
        line: 0,
        texture_line: 0,
        texture_column: 1,
    }
}

fn joint(number: u32) -> Joint {
    Joint {
        name: format!("joint_{number}"),
        parent: number.checked_sub(1),
        bind: local(number, 0.0),
        tip: [0.0, JOINT_LENGTH, 0.0],
        line: 0,
    }
}
