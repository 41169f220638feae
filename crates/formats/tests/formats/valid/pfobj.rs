//! Models (document, and fact sheet B1).

pub(super) use mapscope_formats::pfobj::read;
use mapscope_formats::pfobj::{Bounds, Pfobj, Rotation, Transform};

use super::{GeneratedFile, Random, Reading};

pub(super) fn describe(model: Pfobj) -> Reading {
    let mut records = Vec::new();
    let weights = |it| -> Vec<(u32, f32)> {
        let all = model.influences_of(it).iter();
        all.map(|it| (it.joint, it.weight)).collect()
    };
    let vertices = (0..)
        .zip(&model.vertices)
        .filter(|(i, _)| !model.bad_vertices.contains(i));
    list! { records:
        "head" in [&model].into_iter() => |it| it.version;
        "vertex" in vertices => |(_, it)| it.position, it.uv, it.normal, weights(it), it.material;
        "material" in model.materials.iter() =>
            |it| it.name, it.ambient, it.diffuse, it.specular, it.texture;
        "joint" in model.joints.iter() => |it| it.name, transform(&it.bind), it.tip;
        "parents" in [&model.joints].into_iter() =>
            |it| it.iter().map(|it| it.parent).collect::<Vec<_>>();
        "clip" in model.clips.iter() => |it| it.name;
        "bounds" in model.bounds.iter() => |it| box_says(it);
    }
    for clip in &model.clips {
        let joints = model.joints.len();
        for frame in 0..clip.frame_count as usize {
            let poses = clip.poses[frame * joints..][..joints].iter().map(transform);
            records.push(frame_text(
                &poses.collect::<Vec<_>>(),
                clip.bounds.get(frame).and_then(Declared::corners),
            ));
        }
    }
    let problems = model.problems;
    Reading { records, problems }
}

/// Bounds of a frame, which may be missing.
trait Declared {
    fn corners(&self) -> Option<[[f32; 3]; 2]>;
}

impl Declared for Bounds {
    fn corners(&self) -> Option<[[f32; 3]; 2]> {
        Some(box_says(self))
    }
}

impl Declared for Option<Bounds> {
    fn corners(&self) -> Option<[[f32; 3]; 2]> {
        self.as_ref().map(box_says)
    }
}

fn frame_text(poses: &[String], bounds: Option<[[f32; 3]; 2]>) -> String {
    says!("frame", poses, bounds)
}

fn box_says(bounds: &Bounds) -> [[f32; 3]; 2] {
    [bounds.min, bounds.max]
}

fn transform(it: &Transform) -> String {
    match it.rotation {
        Rotation::ConjugatedQuaternion(turn) => says!("turned", it.scale, turn, it.translation),
        Rotation::EulerDegrees(turn) => says!("angles", it.scale, turn, it.translation),
    }
}

/// Scale, rotation and translation as text, and as they are read.
fn some_transform(random: &mut Random) -> (String, String) {
    let (scale, scale_read) = random.numbers::<3>("/");
    let (translation, translation_read) = random.numbers::<3>("/");
    let turns: [(&str, [f32; 4]); 4] = [
        ("0/0.6/0/0.8", [0.0, 0.6, 0.0, 0.8]),
        ("-0.5/0.5/5e-1/0.500000", [-0.5, 0.5, 0.5, 0.5]),
        ("-0/0/0/1", [-0.0, 0.0, 0.0, 1.0]),
        ("0.0/-1.0/0.0/0.0", [0.0, -1.0, 0.0, 0.0]),
    ];
    let (rotation, rotation_read) = random.pick(&turns);
    let says = says!("turned", scale_read, rotation_read, translation_read);
    (format!("{scale} {rotation} {translation}"), says)
}

/// Writes the three lines of a box and returns the expected bounds.
fn bounds(made: &mut GeneratedFile, random: &mut Random) -> Bounds {
    let mut bounds = Bounds {
        min: [0.0; 3],
        max: [0.0; 3],
    };
    for (axis, name) in ["x_bounds", "y_bounds", "z_bounds"].into_iter().enumerate() {
        let [low, high] = [(); 2].map(|()| random.fresh());
        made.line(&format!("{name} -{low}.5 {high}.25"));
        bounds.min[axis] = -(low as f32 + 0.5);
        bounds.max[axis] = high as f32 + 0.25;
    }
    bounds
}

fn vertex(made: &mut GeneratedFile, random: &mut Random, [materials, joints, clips]: [usize; 3]) {
    let start = made.bytes.len();
    let (position, position_read) = random.numbers::<3>(" ");
    let (uv, uv_read) = random.numbers::<2>(" ");
    let (normal, normal_read) = random.pick(&[
        ("0 1 0", [0.0, 1.0, 0.0]),
        ("-1e0 0.0 -0", [-1.0_f32, 0.0, -0.0]),
    ]);
    let material = random.below(materials);
    let pad = if random.odd(4) { "  \t" } else { " " };
    made.line(&format!("v{pad}{position}"));
    made.line(&format!("vt{pad}{uv}"));
    made.line(&format!("vn{pad}{normal}"));
    let mut weights = String::new();
    let mut kept = Vec::new();
    // In a model without clips the engine skips the line, regardless of its content.
    if clips > 0 && joints > 0 {
        let count = 1 + if random.is_odd {
            random.below(8)
        } else {
            random.below(3)
        };
        for i in 0..count {
            let joint = random.below(joints);
            let weight = random.fresh() as f32 / 64.0;
            weights += &format!(" {joint}/{weight}");
            if i < 6 {
                kept.push((joint, weight));
            }
        }
    } else {
        weights.push_str(random.pick(if random.is_odd {
            &["", " ", " none", "  -"]
        } else {
            &[" "]
        }));
    }
    made.line(&format!("vw{weights}"));
    made.line(&format!("vm{pad}{material}"));
    made.record(
        start,
        says!(
            "vertex",
            position_read,
            uv_read,
            normal_read,
            kept,
            material
        ),
    );
}

fn material(made: &mut GeneratedFile, random: &mut Random) {
    let start = made.bytes.len();
    let name = if random.odd(3) {
        random
            .pick(&["texture", "material.001", "j", "as"])
            .to_owned()
    } else {
        random.name()
    };
    let texture = format!("{}.png", random.name());
    let (ambient, ambient_read) = random.number();
    let (diffuse, diffuse_read) = random.numbers::<3>(" ");
    let (specular, specular_read) = random.numbers::<3>(" ");
    let indent = if random.odd(3) {
        random.pick(&["", "\t", " "])
    } else {
        "    "
    };
    made.line(&format!("material {name}"));
    made.line(&format!("{indent}ambient  {ambient}"));
    made.line(&format!("{indent}diffuse {diffuse}"));
    made.line(&format!("{indent}specular {specular}"));
    made.line(&format!("{indent}texture  {texture}"));
    let says = says!(
        "material",
        name,
        ambient_read,
        diffuse_read,
        specular_read,
        texture
    );
    made.record(start, says);
}

fn clip(made: &mut GeneratedFile, random: &mut Random, joints: usize, frames: usize) {
    let start = made.bytes.len();
    let name = random.name();
    made.line(&format!("as {name} {frames}"));
    made.record(start, says!("clip", name));
    // The numbers of poses are ignored: only their order counts.
    let numbers = random.pick(&["from 1", "go on", "turned"]);
    for frame in 0..frames {
        let start = made.bytes.len();
        let mut poses = Vec::new();
        for joint in 0..joints {
            let (text, says) = some_transform(random);
            let number = match numbers {
                "go on" if random.is_odd => 1 + frame * joints + joint,
                "turned" if random.is_odd => joints - joint,
                _ => joint + 1,
            };
            let indent = if random.odd(4) { "  " } else { "" };
            made.line(&format!("{indent}{number} {text}"));
            poses.push(says);
        }
        let bounds = bounds(made, random);
        made.record(start, frame_text(&poses, bounds.corners()));
    }
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut made = GeneratedFile::text(random);
    let joints = random.count(4);
    let clips = if joints == 0 { 0 } else { random.count(3) };
    let frames: Vec<usize> = (0..clips).map(|_| 1 + random.count(2)).collect();
    let vertices = 3 * (1 + random.count(3));
    let materials = 1 + random.count(2);
    let between = if random.odd(3) {
        random.pick(&[" ", "\t", "\t\t  "])
    } else {
        "        "
    };
    let start = made.bytes.len();
    let version = if random.odd(3) { "2.5" } else { "1.0" };
    for (key, number) in [
        ("version", version),
        ("num_verts", &vertices.to_string()),
        ("num_joints", &joints.to_string()),
        ("num_materials", &materials.to_string()),
        ("num_as", &clips.to_string()),
    ] {
        made.line(&format!("{key}{between}{number}"));
    }
    let counts: String = frames.iter().map(|frames| format!("{frames} ")).collect();
    made.line(&format!("frame_counts{between}{counts}"));
    made.line(&format!("has_collision{between}1"));
    made.record(start, says!("head", version));
    for _ in 0..vertices {
        vertex(&mut made, random, [materials, joints, clips]);
    }
    for _ in 0..materials {
        material(&mut made, random);
    }
    let (joints_at, mut parents) = (made.bytes.len(), Vec::new());
    for joint in 0..joints {
        let start = made.bytes.len();
        let parent = random.below(joint + 1);
        let name = if random.odd(4) {
            format!("as{joint}")
        } else {
            random.name()
        };
        let (text, says) = some_transform(random);
        let (tip, tip_read) = random.numbers::<3>("/");
        made.line(&format!("j {parent} {name} {text} {tip}"));
        parents.push((parent as u32).checked_sub(1));
        made.record(start, says!("joint", name, says, tip_read));
    }
    made.record(joints_at, says!("parents", parents));
    for frames in frames {
        clip(&mut made, random, joints, frames);
    }
    let start = made.bytes.len();
    let bounds = bounds(&mut made, random);
    made.record(start, says!("bounds", box_says(&bounds)));

    if random.is_odd {
        made.warnings.extend([
            "pfobj/pose-order",
            "pfobj/influences",
            "pfobj/extra-words",
            "pfobj/trailing-data",
            "pfobj/name",
        ]);
        if random.odd(4) {
            made.line(random.pick(&["# the end", "v 1 2 3", "as more 1"]));
        }
    }
    made
}
