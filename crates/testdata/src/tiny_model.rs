//! A model whose numbers all differ, so that any swap is detected.

use mapscope_formats::pfobj::{
    Bounds, Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};

/// Two triangles, three joints, two materials and two clips. A frame of the first clip declares
/// bounds that are half a unit too wide.
pub fn tiny_model() -> Pfobj {
    let still = Transform {
        scale: [1.0; 3],
        rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, 0.0, 1.0]),
        translation: [0.0; 3],
    };
    let positions = [[-1.0, -2.0, -3.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0]];
    let bounds = Bounds {
        min: positions[0],
        max: positions[1],
    };
    let vertex = |i: u32| Vertex {
        position: positions[i as usize % 3],
        uv: [0.25, 0.5],
        normal: [0.0, 1.0, 0.0],
        first_influence: i,
        influence_count: 1,
        material: i % 2,
    };
    let joint = |name: &str, parent| Joint {
        name: name.to_owned(),
        parent,
        bind: still,
        tip: [0.0, 1.0, 0.0],
        line: 0,
    };
    let clip = |name: &str, frames: u32, off: f32| {
        let mut declared = vec![bounds; frames as usize];
        declared[1].max[0] += off;
        Clip {
            name: name.to_owned(),
            frame_count: frames,
            poses: vec![still; 3 * frames as usize],
            bounds: declared.into_iter().map(Some).collect(),
            line: 0,
            frame_lines: vec![0; frames as usize],
        }
    };
    let material = |i: u32| Material {
        name: format!("skin{i}"),
        ambient: 1.0,
        diffuse: [0.8; 3],
        specular: [0.0; 3],
        texture: format!("picture{i}.png"),
        line: 0,
        texture_line: 0,
        texture_column: 1,
    };
    Pfobj {
        version: "1.0".to_owned(),
        vertices: (0..6).map(vertex).collect(),
        influences: vec![
            Influence {
                joint: 0,
                weight: 1.0
            };
            6
        ],
        materials: (0..2).map(material).collect(),
        joints: vec![
            joint("root", None),
            joint("arm", Some(0)),
            joint("hand", Some(1)),
        ],
        clips: vec![clip("walk", 3, 0.5), clip("idle", 2, 0.0)],
        bounds: Some(bounds),
        has_bounds: true,
        layout: Layout::regular(6),
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    }
}
