//! Writing PFOBJ in the layout of the engine's exporter.

use std::fmt::{self, Display};
use std::io::Write as _;

use super::{Bounds, Influence, Pfobj, Rotation, Transform};

/// Writes a model. Reading it again gives the same model, except for problems and line numbers.
/// Line numbers stay the same if the file has the layout of the engine's exporter.
///
/// Numbers have six decimals if that is exact, and otherwise as many digits as they need. Names are
/// written unchanged.
pub fn write(model: &Pfobj) -> Vec<u8> {
    let poses: usize = model.clips.iter().map(|clip| clip.poses.len()).sum();
    let line_end = if model.crlf { "\r\n" } else { "\n" };
    // Approximate size of a vertex and a pose in a real file.
    let mut out = Vec::with_capacity(4096 + 128 * (model.vertices.len() + poses));
    // Writing to memory does not fail.
    each_line(model, |line| {
        let _ = write!(out, "{line}{line_end}");
    });
    out
}

/// Calls a function with each line of a file.
fn each_line(model: &Pfobj, mut line: impl FnMut(fmt::Arguments<'_>)) {
    line(format_args!("{:<15}{}", "version", model.version));
    let frame_counts = model
        .clips
        .iter()
        .map(|clip| clip.frame_count.to_string())
        .collect::<Vec<_>>()
        .join(" ");
    let counts: [(&str, &dyn Display); 6] = [
        ("num_verts", &model.vertices.len()),
        ("num_joints", &model.joints.len()),
        ("num_materials", &model.materials.len()),
        ("num_as", &model.clips.len()),
        ("frame_counts", &frame_counts),
        ("has_collision", &u8::from(model.has_bounds)),
    ];
    for (key, count) in counts {
        line(format_args!("{key:<15}{count}"));
    }
    for vertex in &model.vertices {
        line(format_args!("v {}", spaced(&vertex.position)));
        line(format_args!("vt {}", spaced(&vertex.uv)));
        line(format_args!("vn {}", spaced(&vertex.normal)));
        let influences = model
            .influences_of(vertex)
            .iter()
            .map(|Influence { joint, weight }| format!(" {joint}/{}", spaced(&[*weight])));
        line(format_args!("vw {}", influences.collect::<String>()));
        line(format_args!("vm {}", vertex.material));
    }
    for material in &model.materials {
        line(format_args!("material {}", material.name));
        line(format_args!("    ambient {}", spaced(&[material.ambient])));
        line(format_args!("    diffuse {}", spaced(&material.diffuse)));
        line(format_args!("    specular {}", spaced(&material.specular)));
        line(format_args!("    texture {}", material.texture));
    }
    for joint in &model.joints {
        let parent = joint.parent.map_or(0, |parent| u64::from(parent) + 1);
        let (name, bind, tip) = (&joint.name, transform(&joint.bind), slashed(&joint.tip));
        line(format_args!("j {parent} {name} {bind} {tip}"));
    }
    for clip in &model.clips {
        line(format_args!("as {} {}", clip.name, clip.frame_count));
        for frame in 0..clip.frame_count as usize {
            let joints = model.joints.len();
            let poses = clip.poses.get(frame * joints..(frame + 1) * joints);
            for (pose, number) in poses.unwrap_or_default().iter().zip(1..) {
                line(format_args!("        {number} {}", transform(pose)));
            }
            if let Some(Some(bounds)) = clip.bounds.get(frame) {
                bounds_lines(bounds, "\t", &mut line);
            }
        }
    }
    if let Some(bounds) = &model.bounds {
        bounds_lines(bounds, "", &mut line);
    }
}

fn bounds_lines(bounds: &Bounds, indent: &str, line: &mut impl FnMut(fmt::Arguments<'_>)) {
    for (axis, key) in ["x_bounds", "y_bounds", "z_bounds"].into_iter().enumerate() {
        let range = [bounds.min[axis], bounds.max[axis]];
        line(format_args!("{indent}{key} {}", spaced(&range)));
    }
}

/// Formats a transform for a joint or a pose.
fn transform(transform: &Transform) -> String {
    let rotation = match &transform.rotation {
        Rotation::ConjugatedQuaternion(quaternion) => slashed(quaternion),
        Rotation::EulerDegrees(angles) => slashed(angles),
    };
    let [scale, translation] = [&transform.scale, &transform.translation].map(|n| slashed(n));
    format!("{scale} {rotation} {translation}")
}

/// Numbers with separators, written so that they are read back bit for bit.
struct Numbers<'a>(&'a [f32], &'static str);

fn spaced(numbers: &[f32]) -> Numbers<'_> {
    Numbers(numbers, " ")
}

fn slashed(numbers: &[f32]) -> Numbers<'_> {
    Numbers(numbers, "/")
}

impl Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(numbers, separator) = self;
        for (i, number) in numbers.iter().enumerate() {
            f.write_str(if i > 0 { separator } else { "" })?;
            let written = format!("{number:.6}");
            let is_same = |read: f32| read.to_bits() == number.to_bits();
            if written.parse().is_ok_and(is_same) && written.len() <= 20 {
                f.write_str(&written)?;
            } else if (1e-5..1e15).contains(&number.abs()) {
                write!(f, "{number}")?;
            } else {
                // Very large and very small numbers would be long without an exponent.
                write!(f, "{number:e}")?;
            }
        }
        Ok(())
    }
}
