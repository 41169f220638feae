//! Synthetic models for tests.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use mapscope_formats::pfobj::{
    self, Clip, Influence, Joint, Layout, MAX_INFLUENCES, Material, Pfobj, Rotation, Transform,
    Vertex,
};
use mapscope_scene::model::Model;
use mapscope_scene::{self, Document, OpenOptions, Progress, Source, demo};

/// An empty model.
pub(crate) fn empty() -> Pfobj {
    Pfobj {
        version: "1.0".to_owned(),
        vertices: Vec::new(),
        influences: Vec::new(),
        materials: Vec::new(),
        joints: Vec::new(),
        clips: Vec::new(),
        bounds: None,
        has_bounds: false,
        bad_vertices: Vec::new(),
        layout: Layout::regular(0),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    }
}

/// A material with typical values.
pub(crate) fn material(name: &str, texture: &str) -> Material {
    Material {
        name: name.to_owned(),
        ambient: 1.0,
        diffuse: [0.64; 3],
        specular: [0.1; 3],
        texture: texture.to_owned(),
        line: 0,
        texture_line: 0,
        texture_column: 1,
    }
}

/// A rotation as stored in files: the conjugate of the actual one (fact sheet B2).
pub(crate) fn rotation(meant: Quat) -> Rotation {
    Rotation::ConjugatedQuaternion(meant.conjugate().to_array())
}

pub(crate) fn transform(scale: f32, meant: Quat, translation: Vec3) -> Transform {
    Transform {
        scale: [scale; 3],
        rotation: rotation(meant),
        translation: translation.to_array(),
    }
}

pub(crate) fn joint(name: String, parent: Option<u32>, bind: Transform, tip: Vec3) -> Joint {
    Joint {
        name,
        parent,
        bind,
        tip: tip.to_array(),
        line: 0,
    }
}

pub(crate) fn clip(name: &str, frame_count: u32, poses: Vec<Transform>) -> Clip {
    Clip {
        name: name.to_owned(),
        frame_count,
        poses,
        bounds: Vec::new(),
        line: 0,
        frame_lines: Vec::new(),
    }
}

/// Opens a model that is not on disk. Textures are found beside `path` and among those of the
/// terrain demo.
pub(crate) fn open(path: &Path, pfobj: &Pfobj) -> Arc<dyn Document> {
    let source = Source {
        path: path.to_owned(),
        bytes: pfobj::write(pfobj).into(),
        embedded: demo::TERRAIN.source().embedded,
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// Opens a scene without a map. Its entities form rows and play the clips of a model in turn.
pub(crate) fn scene(entities: usize, pfobj: &Pfobj) -> Arc<dyn Document> {
    let name = "assets/models/rig.pfobj";
    let mut text =
        format!("version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities {entities}\n");
    for i in 0..entities {
        let (x, z) = (i % 20 * 20, i / 20 * 20);
        let clip = &pfobj.clips[i % pfobj.clips.len()].name;
        write!(
            text,
            "entity rig {name} 5\nposition vec3 {x} 0 {z}\nscale vec3 1 1 1\n\
             rotation quat 0 0 0 1\nanimated bool 1\nidle_clip string {clip}\n"
        )
        .unwrap();
    }
    let files = [(name, &*pfobj::write(pfobj).leak())];
    let source = Source {
        path: Path::new("rigs.pfscene").to_owned(),
        bytes: text.into_bytes().into(),
        embedded: Box::leak(Box::new(files)),
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// A model with `count` copies of its first clip.
pub(crate) fn with_clips(mut pfobj: Pfobj, count: usize) -> Pfobj {
    let first = pfobj.clips[0].clone();
    let named = |i| Clip {
        name: format!("clip{i}"),
        ..first.clone()
    };
    pfobj.clips = (0..count).map(named).collect();
    pfobj
}

pub(crate) fn model(document: &dyn Document) -> &Model {
    document.content().unwrap()
}

/// A deterministic pseudorandom generator.
#[derive(Debug)]
pub(crate) struct Numbers(u32);

impl Numbers {
    pub(crate) fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// The next number, from 0 to 1.
    pub(crate) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = (self.0 >> ((self.0 >> 28) + 4) ^ self.0).wrapping_mul(277_803_737);
        ((word >> 22 ^ word) >> 8) as f32 / (1 << 24) as f32
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    pub(crate) fn below(&mut self, count: u32) -> u32 {
        ((self.next() * count as f32) as u32).min(count - 1)
    }

    pub(crate) fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|_| self.between(-reach, reach)))
    }

    pub(crate) fn turn(&mut self, most_radians: f32) -> Quat {
        Quat::from_axis_angle(
            self.vector(1.0).normalize_or(Vec3::X),
            self.between(-most_radians, most_radians),
        )
    }
}

/// A cloud of triangles. Each corner has several joints of a tree that turns, moves and scales
/// them.
pub(crate) fn tangle(joints: u32, triangles: u32, frames: u32) -> Pfobj {
    let mut numbers = Numbers::new(joints * 7 + triangles);
    let mut pose = |first: bool| {
        let reach = if first { 0.5 } else { 2.0 };
        let mut pose = transform(1.0, numbers.turn(0.6), numbers.vector(reach));
        pose.scale = [(); 3].map(|()| numbers.between(0.7, 1.4));
        pose
    };
    let joints: Vec<Joint> = (0..joints)
        .map(|i| {
            let parent = (i > 0).then(|| (i - 1) / 2);
            joint(format!("joint{i}"), parent, pose(i == 0), Vec3::Y)
        })
        .collect();
    let poses = (0..frames as usize * joints.len())
        .map(|i| pose(i % joints.len() == 0))
        .collect();
    let mut model = empty();
    for i in 0..triangles * 3 {
        let first_influence = model.influences.len() as u32;
        let count = i % (MAX_INFLUENCES as u32 + 1);
        let influences = (0..count).map(|_| Influence {
            joint: numbers.below(joints.len() as u32),
            weight: numbers.between(0.05, 1.0),
        });
        model.influences.extend(influences.collect::<Vec<_>>());
        model.vertices.push(Vertex {
            position: numbers.vector(10.0).to_array(),
            uv: [numbers.next(), numbers.next()],
            normal: numbers.vector(1.0).normalize_or(Vec3::Y).to_array(),
            first_influence,
            influence_count: count as u8,
            material: 0,
        });
    }
    model.materials = vec![material("Grass", "grass.jpg")];
    model.joints = joints;
    model.clips = vec![clip("Tangle", frames, poses)];
    model
}

/// An upright square chimney, sixteen units high and open at both ends, with two materials for its
/// lower and upper half and a chain of four joints. In its clip of eight frames it bends to +X and
/// to -X.
pub(crate) fn chimney(lower: &str, upper: &str) -> Pfobj {
    const JOINTS: u32 = 4;
    const JOINT_HEIGHT: f32 = 4.0;
    const HEIGHT: f32 = JOINTS as f32 * JOINT_HEIGHT;
    const FRAMES: u32 = 8;
    let mut model = empty();
    model.materials = vec![material("Lower", lower), material("Upper", upper)];
    let pose = |joint: u32, turn: f32| {
        let (height, turn) = if joint == 0 {
            (0.0, 0.0)
        } else {
            (JOINT_HEIGHT, turn)
        };
        transform(1.0, Quat::from_rotation_z(turn), Vec3::Y * height)
    };
    let tip = Vec3::Y * JOINT_HEIGHT;
    model.joints = (0..JOINTS)
        .map(|i| joint(format!("bone{i}"), i.checked_sub(1), pose(i, 0.0), tip))
        .collect();
    let poses = (0..FRAMES * JOINTS).map(|i| {
        let part = (i / JOINTS) as f32 / FRAMES as f32;
        pose(i % JOINTS, -0.3 * (part * std::f32::consts::TAU).sin())
    });
    model.clips = vec![clip("Bend", FRAMES, poses.collect())];
    let mut triangle = |turn: Quat, corners: [Vec3; 3]| {
        let above = corners.iter().all(|corner| corner.y >= HEIGHT / 2.0);
        for corner in corners {
            let first_influence = model.influences.len() as u32;
            let at = (corner.y / JOINT_HEIGHT - 0.5).clamp(0.0, (JOINTS - 1) as f32);
            for (joint, weight) in [(at as u32, 1.0 - at.fract()), (at as u32 + 1, at.fract())] {
                if weight > 0.0 {
                    model.influences.push(Influence { joint, weight });
                }
            }
            model.vertices.push(Vertex {
                position: (turn * corner).to_array(),
                uv: [corner.x / 4.0 + 0.5, corner.y / 4.0],
                normal: (turn * Vec3::Z).to_array(),
                first_influence,
                influence_count: (model.influences.len() as u32 - first_influence) as u8,
                material: u32::from(above),
            });
        }
    };
    for side in 0..4 {
        let turn = Quat::from_rotation_y(side as f32 * std::f32::consts::FRAC_PI_2);
        let at = |x: f32, y: f32| Vec3::new(x, y, 2.0);
        for ring in 0..HEIGHT as u32 {
            let (low, high) = (ring as f32, ring as f32 + 1.0);
            let [a, b, c, d] = [at(-2.0, low), at(2.0, low), at(2.0, high), at(-2.0, high)];
            triangle(turn, [a, b, c]);
            triangle(turn, [a, c, d]);
        }
    }
    model
}

/// A sword along +X: a blade of nine units and a guard, with one material.
pub(crate) fn sword(texture: &str) -> Pfobj {
    let mut model = empty();
    model.materials = vec![material("Blade", texture)];
    let boxes = [
        (Vec3::new(5.0, 0.0, 0.0), Vec3::new(4.5, 0.5, 0.15)),
        (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.3, 1.5, 0.4)),
    ];
    let sides = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    for (center, half) in boxes {
        for normal in sides {
            let across = Vec3::new(normal.y, normal.z, normal.x);
            let up = normal.cross(across);
            let at = |x: f32, y: f32| center + (normal + across * x + up * y) * half;
            let [a, b, c, d] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
            model
                .vertices
                .extend([a, b, c, a, c, d].map(|corner| Vertex {
                    position: corner.to_array(),
                    uv: [corner.x / 4.0, (corner.y + corner.z) / 4.0],
                    normal: normal.to_array(),
                    first_influence: 0,
                    influence_count: 0,
                    material: 0,
                }));
        }
    }
    model
}

/// The chimney with reversed triangles: some in two adjacent walls, of both materials.
pub(crate) fn reversed_chimney(lower: &str, upper: &str) -> Pfobj {
    let mut model = chimney(lower, upper);
    for (index, triangle) in model.vertices.chunks_exact_mut(3).enumerate() {
        // 32 to a wall, 2 to a ring.
        if matches!(index, 8 | 9 | 13 | 22..26 | 44..47 | 60) {
            triangle.swap(1, 2);
        }
    }
    model
}
