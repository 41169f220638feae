//! Writing PFOBJ as the engine's exporter lays it out.

use std::io::Write as _;

use super::{Bounds, Influence, Pfobj, Rotation, Transform};

/// Writes a model. Read again it is the same, but for problems and the lines on which things
/// stand: those are the same for a file that is laid out as the engine's exporter does.
///
/// Numbers have six decimals where that says all of them, and as many digits as they need where it
/// does not. Names are written as they are.
pub fn write(model: &Pfobj) -> Vec<u8> {
    let mut writer = Writer {
        // About what a vertex and a pose of a real file take.
        out: Vec::with_capacity(
            4096 + 128 * model.vertices.len()
                + 128
                    * model
                        .clips
                        .iter()
                        .map(|clip| clip.poses.len())
                        .sum::<usize>(),
        ),
        line_end: if model.crlf { b"\r\n" } else { b"\n" },
    };
    writer.model(model);
    writer.out
}

struct Writer {
    out: Vec<u8>,
    line_end: &'static [u8],
}

impl Writer {
    fn model(&mut self, model: &Pfobj) {
        self.head_line("version", &model.version);
        self.head_line("num_verts", &model.vertices.len().to_string());
        self.head_line("num_joints", &model.joints.len().to_string());
        self.head_line("num_materials", &model.materials.len().to_string());
        self.head_line("num_as", &model.clips.len().to_string());
        let counts: Vec<String> = model
            .clips
            .iter()
            .map(|clip| clip.frame_count.to_string())
            .collect();
        self.head_line("frame_counts", &counts.join(" "));
        self.head_line("has_collision", if model.has_bounds { "1" } else { "0" });
        for vertex in &model.vertices {
            self.text("v ");
            self.numbers(&vertex.position, b' ');
            self.end_line();
            self.text("vt ");
            self.numbers(&vertex.uv, b' ');
            self.end_line();
            self.text("vn ");
            self.numbers(&vertex.normal, b' ');
            self.end_line();
            self.text("vw ");
            for Influence { joint, weight } in model.influences_of(vertex) {
                self.text(&format!(" {joint}/"));
                self.number(*weight);
            }
            self.end_line();
            self.text(&format!("vm {}", vertex.material));
            self.end_line();
        }
        for material in &model.materials {
            self.text(&format!("material {}", material.name));
            self.end_line();
            self.text("    ambient ");
            self.number(material.ambient);
            self.end_line();
            self.text("    diffuse ");
            self.numbers(&material.diffuse, b' ');
            self.end_line();
            self.text("    specular ");
            self.numbers(&material.specular, b' ');
            self.end_line();
            self.text(&format!("    texture {}", material.texture));
            self.end_line();
        }
        for joint in &model.joints {
            let parent = joint.parent.map_or(0, |parent| u64::from(parent) + 1);
            self.text(&format!("j {parent} {} ", joint.name));
            self.transform(&joint.bind);
            self.text(" ");
            self.numbers(&joint.tip, b'/');
            self.end_line();
        }
        for clip in &model.clips {
            self.text(&format!("as {} {}", clip.name, clip.frame_count));
            self.end_line();
            for frame in 0..clip.frame_count as usize {
                let joints = model.joints.len();
                let poses = clip.poses.get(frame * joints..(frame + 1) * joints);
                for (pose, number) in poses.unwrap_or_default().iter().zip(1..) {
                    self.text(&format!("        {number} "));
                    self.transform(pose);
                    self.end_line();
                }
                if let Some(bounds) = clip.bounds.get(frame) {
                    self.bounds(bounds, "\t");
                }
            }
        }
        if let Some(bounds) = &model.bounds {
            self.bounds(bounds, "");
        }
    }

    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn end_line(&mut self) {
        self.out.extend_from_slice(self.line_end);
    }

    fn head_line(&mut self, key: &str, value: &str) {
        self.text(&format!("{key:<15}{value}"));
        self.end_line();
    }

    fn transform(&mut self, transform: &Transform) {
        self.numbers(&transform.scale, b'/');
        self.text(" ");
        match &transform.rotation {
            Rotation::ConjugatedQuaternion(quaternion) => self.numbers(quaternion, b'/'),
            Rotation::EulerDegrees(angles) => self.numbers(angles, b'/'),
        }
        self.text(" ");
        self.numbers(&transform.translation, b'/');
    }

    fn bounds(&mut self, bounds: &Bounds, indent: &str) {
        for (axis, key) in ["x_bounds ", "y_bounds ", "z_bounds "]
            .into_iter()
            .enumerate()
        {
            self.text(indent);
            self.text(key);
            self.numbers(&[bounds.min[axis], bounds.max[axis]], b' ');
            self.end_line();
        }
    }

    fn numbers(&mut self, numbers: &[f32], separator: u8) {
        for (i, number) in numbers.iter().enumerate() {
            if i > 0 {
                self.out.push(separator);
            }
            self.number(*number);
        }
    }

    /// Writes a number so that it is read back bit for bit.
    fn number(&mut self, number: f32) {
        let start = self.out.len();
        // Writing to memory does not fail.
        let _ = write!(self.out, "{number:.6}");
        let written = std::str::from_utf8(&self.out[start..]).unwrap_or_default();
        let is_same = |read: f32| read.to_bits() == number.to_bits();
        if written.parse().is_ok_and(is_same) && written.len() <= 20 {
            return;
        }
        self.out.truncate(start);
        // Very large and very small numbers would be long without an exponent.
        let _ = if (1e-5..1e15).contains(&number.abs()) {
            write!(self.out, "{number}")
        } else {
            write!(self.out, "{number:e}")
        };
    }
}
