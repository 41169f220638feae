//! A small animated model: an arm that bends in one clip and stretches in another.

use std::fs;
use std::path::{Path, PathBuf};

use mapscope_formats::pfobj::{
    self, Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};

/// Number of frames of the first clip.
pub(crate) const BEND_FRAMES: u32 = 24;

/// A rotation around Z as stored in files: the conjugate of the actual one (fact sheet B2).
fn rotated(degrees: f32, translation: [f32; 3], scale: f32) -> Transform {
    let (sin, cos) = (degrees.to_radians() * 0.5).sin_cos();
    Transform {
        scale: [scale; 3],
        rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, -sin, cos]),
        translation,
    }
}

/// Adds the sides of a column with a square cross-section between two heights, moved by one joint.
fn column(pfobj: &mut Pfobj, joint: u32, [bottom, top]: [f32; 2]) {
    const HALF: f32 = 0.3;
    for (normal, along) in [
        ([0.0, 0.0, 1.0], [1.0, 0.0]),
        ([0.0, 0.0, -1.0], [-1.0, 0.0]),
        ([1.0, 0.0, 0.0], [0.0, -1.0]),
        ([-1.0, 0.0, 0.0], [0.0, 1.0]),
    ] {
        let corner = |side: f32, y: f32| {
            let across = |axis: usize, way: f32| HALF * (normal[axis] + side * way);
            [across(0, along[0]), y, across(2, along[1])]
        };
        let [a, b] = [corner(-1.0, bottom), corner(1.0, bottom)];
        let [c, d] = [corner(1.0, top), corner(-1.0, top)];
        for position in [a, b, c, a, c, d] {
            pfobj.vertices.push(Vertex {
                position,
                uv: [0.5, 0.5],
                normal,
                first_influence: pfobj.influences.len() as u32,
                influence_count: 1,
                material: 0,
            });
            pfobj.influences.push(Influence { joint, weight: 1.0 });
        }
    }
}

fn clip(name: &str, frame_count: u32, poses: impl Fn(f32) -> [Transform; 2]) -> Clip {
    let frame = |frame: u32| poses(frame as f32 / frame_count as f32);
    Clip {
        name: name.to_owned(),
        frame_count,
        poses: (0..frame_count).flat_map(frame).collect(),
        bounds: Vec::new(),
        line: 0,
        frame_lines: Vec::new(),
    }
}

/// Writes the arm, two units high, to a file.
pub(crate) fn write_arm(folder: &Path, name: &str) -> PathBuf {
    let [lower, upper] = [[0.0; 3], [0.0, 1.0, 0.0]];
    let joint = |name: &str, parent, translation| Joint {
        name: name.to_owned(),
        parent,
        bind: rotated(0.0, translation, 1.0),
        tip: [0.0, 1.0, 0.0],
        line: 0,
    };
    let bend = |part: f32| {
        let degrees = 80.0 * (part * std::f32::consts::TAU).sin();
        [rotated(0.0, lower, 1.0), rotated(degrees, upper, 1.0)]
    };
    let stretch = |part: f32| [rotated(0.0, lower, 1.0), rotated(0.0, upper, 1.0 + part)];
    let mut arm = Pfobj {
        version: "1.0".to_owned(),
        vertices: Vec::new(),
        influences: Vec::new(),
        materials: vec![Material {
            name: "skin".to_owned(),
            ambient: 1.0,
            diffuse: [0.8; 3],
            specular: [0.0; 3],
            texture: "skin.png".to_owned(),
            line: 0,
            texture_line: 0,
            texture_column: 1,
        }],
        joints: vec![joint("lower", None, lower), joint("upper", Some(0), upper)],
        clips: vec![clip("Bend", BEND_FRAMES, bend), clip("Stretch", 8, stretch)],
        bounds: None,
        has_bounds: false,
        layout: Layout::regular(0),
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    };
    column(&mut arm, 0, [0.0, 1.0]);
    column(&mut arm, 1, [1.0, 2.0]);
    let white = image::RgbImage::from_pixel(4, 4, image::Rgb([235, 225, 210]));
    white.save(folder.join("skin.png")).unwrap();
    let file = folder.join(name);
    fs::write(&file, pfobj::write(&arm)).unwrap();
    file
}
