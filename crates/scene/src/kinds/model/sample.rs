//! Small models for tests.

use crate::{OpenOptions, Progress, Source};
use bytes::Bytes;
use mapscope_formats::pfobj::{
    Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};

/// The identity transform.
pub(super) const IN_PLACE: Transform = Transform {
    scale: [1.0; 3],
    rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, 0.0, 1.0]),
    translation: [0.0; 3],
};

pub(super) fn influence(joint: u32, weight: f32) -> Influence {
    Influence { joint, weight }
}

pub(super) fn moved(translation: [f32; 3]) -> Transform {
    Transform {
        translation,
        ..IN_PLACE
    }
}

/// A rotation by an angle around Z, as in a file.
pub(super) fn turned(degrees: f32) -> Rotation {
    let (sin, cos) = (degrees.to_radians() / 2.0).sin_cos();
    Rotation::ConjugatedQuaternion([0.0, 0.0, -sin, cos])
}

/// An upright square of two triangles that faces +Z, with one material.
pub(super) fn quad() -> Pfobj {
    let corner = |x: f32, y: f32| Vertex {
        position: [x, y, 0.0],
        uv: [x, y],
        normal: [0.0, 0.0, 1.0],
        first_influence: 0,
        influence_count: 0,
        material: 0,
    };
    let [a, b, c, d] = [
        corner(0.0, 0.0),
        corner(1.0, 0.0),
        corner(1.0, 1.0),
        corner(0.0, 1.0),
    ];
    Pfobj {
        version: "1.0".to_owned(),
        vertices: vec![a, b, c, a, c, d],
        influences: Vec::new(),
        materials: vec![Material {
            name: "Stone".to_owned(),
            ambient: 1.0,
            diffuse: [0.8; 3],
            specular: [0.1; 3],
            texture: "stone.png".to_owned(),
            line: 38,
            texture_line: 42,
            texture_column: 1,
        }],
        joints: Vec::new(),
        clips: Vec::new(),
        bounds: None,
        has_bounds: false,
        layout: Layout::regular(6),
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    }
}

/// A [`quad`] with a chain of joints, each one unit above its parent, and a clip without movement.
/// All corners are moved by the last joint.
pub(super) fn chain(joints: u32, frames: u32) -> Pfobj {
    let mut pfobj = quad();
    pfobj.joints = (0..joints)
        .map(|i| Joint {
            name: format!("bone{i}"),
            parent: i.checked_sub(1),
            bind: moved([0.0, if i == 0 { 0.0 } else { 1.0 }, 0.0]),
            tip: [0.0, 1.0, 0.0],
            line: 43 + u64::from(i),
        })
        .collect();
    let poses: Vec<Transform> = pfobj.joints.iter().map(|joint| joint.bind).collect();
    pfobj.clips = vec![Clip {
        name: "Sway".to_owned(),
        frame_count: frames,
        poses: poses.repeat(frames as usize),
        bounds: Vec::new(),
        line: 43 + u64::from(joints),
        frame_lines: (0..frames)
            .map(|frame| 44 + u64::from(joints) + u64::from(frame * joints))
            .collect(),
    }];
    let last = [influence(joints - 1, 1.0)];
    set_influences(&mut pfobj, &[&last[..]; 6]);
    pfobj
}

/// Sets the influences of the first corners and clears those of the others.
pub(super) fn set_influences(pfobj: &mut Pfobj, influences: &[&[Influence]]) {
    pfobj.influences.clear();
    for (i, vertex) in pfobj.vertices.iter_mut().enumerate() {
        let listed = influences.get(i).copied().unwrap_or_default();
        vertex.first_influence = pfobj.influences.len() as u32;
        vertex.influence_count = listed.len() as u8;
        pfobj.influences.extend(listed);
    }
}

/// Builds a model that is not on disk, without textures.
pub(super) fn model(pfobj: Pfobj) -> super::Model {
    let source = Source {
        path: "sample.pfobj".into(),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    let (options, progress) = (OpenOptions::default(), Progress::default());
    super::Model::build(pfobj, &source, &options, &progress).unwrap()
}
