//! A summary of a model without its vertices and poses, which are nearly all of a file. Levels of
//! detail are compared by it, so their lines are only counted.

use std::ops::ControlFlow;

use super::head::read_head;
use super::plain::Plain;
use super::read::{Reader, Section};
use super::{Bounds, Joint, Material, Pfobj, PfobjError, read, rules};
use crate::cursor::Text;

/// Number of bytes in which line ends are counted at once: the most that a `u8` can count.
const BLOCK: usize = 255;
/// Lines of a vertex, and of bounds.
const VERTEX_LINES: u64 = 5;
const BOUNDS_LINES: u64 = 3;

/// A summary of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of whole triangles.
    pub triangles: usize,
    /// The names of its materials, in file order.
    pub materials: Vec<String>,
    /// The skeleton, in file order.
    pub joints: Vec<Joint>,
    /// Name and number of frames of each clip, in file order.
    pub clips: Vec<(String, u32)>,
    /// The declared bounds of the bind pose, in model space.
    pub bounds: Option<Bounds>,
}

impl Summary {
    /// Summarises a model that was read.
    pub fn of(model: &Pfobj) -> Self {
        let clips = model.clips.iter();
        Self {
            triangles: model.triangle_count(),
            materials: names(&model.materials),
            joints: model.joints.clone(),
            clips: clips
                .map(|clip| (clip.name.clone(), clip.frame_count))
                .collect(),
            bounds: model.bounds,
        }
    }
}

fn names(materials: &[Material]) -> Vec<String> {
    let materials = materials.iter();
    materials.map(|material| material.name.clone()).collect()
}

/// Reads a summary of a model. If the file has the announced lines and no faults in the relevant
/// ones, the lines of vertices and poses are not parsed; otherwise the whole file is read.
///
/// # Errors
/// Same as [`read`].
pub fn summarize(bytes: &[u8]) -> Result<Summary, PfobjError> {
    let mut text = Text::new(bytes, &rules::TEXT_RULES);
    let head = read_head(&mut text);
    let mut watch = |_| ControlFlow::Continue(());
    match Reader::new(text, head, &mut watch).read_summary() {
        Some(summary) => Ok(summary),
        None => Ok(Summary::of(&read(bytes)?)),
    }
}

impl Reader<'_, '_> {
    /// Reads the summary; `None` if the file deviates in any way.
    fn read_summary(mut self) -> Option<Summary> {
        let announced = |section| self.announced(section);
        let vertices = announced(Section::Vertices)?;
        let materials = announced(Section::Materials)?;
        let joints = announced(Section::Joints)?;
        let clips = announced(Section::Clips)?;
        // A model has at least one readable vertex.
        Plain::new(self.text.bytes, self.text.pos).vertex(&mut Vec::new())?;
        self.skip_lines(vertices.checked_mul(VERTEX_LINES)?, b"vm")?;
        for _ in 0..materials {
            self.expect(b"material")?;
            self.read_material();
        }
        for _ in 0..joints {
            self.expect(b"j ")?;
            self.read_joint();
        }
        let bounds_lines = if self.model.has_bounds {
            BOUNDS_LINES
        } else {
            0
        };
        let last: &[u8] = if self.model.has_bounds {
            b"z_bounds"
        } else {
            b""
        };
        let mut named = Vec::new();
        for index in 0..clips {
            self.expect(b"as ")?;
            let (name, frames) = self.read_clip_summary(index)?;
            let lines = joints.checked_add(bounds_lines)?.checked_mul(frames)?;
            self.skip_lines(lines, last)?;
            named.push((name, u32::try_from(frames).ok()?));
        }
        let bounds = self.model.has_bounds.then(|| self.read_bounds());
        // The last line must end too: without a line end, its last number may be truncated.
        let rest = self.text.rest();
        let is_ended = rest.is_empty() && self.text.bytes.ends_with(b"\n");
        let is_whole = is_ended && bounds != Some(None);
        self.link_joints();
        (is_whole && self.text.problems.checkpoint() == 0).then_some(Summary {
            triangles: usize::try_from(vertices / 3).ok()?,
            materials: names(&self.model.materials),
            joints: self.model.joints,
            clips: named,
            bounds: bounds.flatten(),
        })
    }

    /// Checks that the next line begins with `key`.
    fn expect(&self, key: &[u8]) -> Option<()> {
        self.text.rest().starts_with(key).then_some(())
    }

    /// Skips lines. The last one must begin with `last`.
    fn skip_lines(&mut self, lines: u64, last: &[u8]) -> Option<()> {
        let Some(before) = lines.checked_sub(1) else {
            return Some(());
        };
        self.text.pos += after_lines(self.text.rest(), before)?;
        let line = self.text.rest();
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        line.get(indent.count()..)?
            .starts_with(last)
            .then_some(())?;
        self.text.pos += after_lines(line, 1)?;
        self.text.line_start = self.text.pos;
        self.text.line += lines;
        Some(())
    }
}

/// Number of bytes in the given number of lines; `None` if there are fewer lines.
fn after_lines(bytes: &[u8], lines: u64) -> Option<usize> {
    let is_end = |byte: &u8| *byte == b'\n';
    let mut left = lines;
    let mut at = 0;
    for block in bytes.chunks(BLOCK) {
        let ends = block
            .iter()
            .fold(0_u8, |ends, byte| ends + u8::from(is_end(byte)));
        if u64::from(ends) >= left {
            break;
        }
        left -= u64::from(ends);
        at += block.len();
    }
    for _ in 0..left {
        at += bytes.get(at..)?.iter().position(is_end)? + 1;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "version 1.0\nnum_verts 3\nnum_joints 1\nnum_materials 1\nnum_as 2\n\
        frame_counts 2 0\nhas_collision 1\n\
        v 0.5 0.0 0.0\nvt 0.0 0.0\nvn 0.0 1.0 0.0\nvw 0/1.0\nvm 0\n\
        v 0.0 0.5 0.0\nvt 0.0 0.0\nvn 0.0 1.0 0.0\nvw 0/1.0\nvm 0\n\
        v 0.0 0.0 0.5\nvt 0.0 0.0\nvn 0.0 1.0 0.0\nvw 0/1.0\nvm 0\n\
        material Skin\nambient 1.0\ndiffuse 1.0 1.0 1.0\nspecular 0.0 0.0 0.0\ntexture skin.png\n\
        j 0 root 1.0/1.0/1.0 0.0/0.0/0.0/1.0 0.0/0.0/0.0 0.0/1.0/0.0\n\
        as Wave 2\n\
        \t1 1.0/1.0/1.0 0.0/0.0/0.0/1.0 0.0/0.0/0.0\n\
        \tx_bounds 0.0 0.5\n\ty_bounds 0.0 0.5\n\tz_bounds 0.0 0.5\n\
        \t1 1.0/1.0/1.0 0.0/0.0/0.0/1.0 0.0/0.0/0.0\n\
        \tx_bounds 0.0 0.5\n\ty_bounds 0.0 0.5\n\tz_bounds 0.0 0.5\n\
        as Stand 0\n\
        x_bounds 0.0 0.5\ny_bounds 0.0 0.5\nz_bounds 0.0 0.5\n";

    fn try_summarize(text: &str) -> Option<Summary> {
        let mut text = Text::new(text.as_bytes(), &rules::TEXT_RULES);
        let head = read_head(&mut text);
        Reader::new(text, head, &mut |_| ControlFlow::Continue(())).read_summary()
    }

    #[test]
    fn a_summary_is_that_of_the_whole_file() {
        let of_all = Summary::of(&read(MODEL.as_bytes()).unwrap());
        assert_eq!(
            of_all.clips,
            [("Wave".to_owned(), 2), ("Stand".to_owned(), 0)]
        );
        assert_eq!(try_summarize(MODEL), Some(of_all));
        let still = MODEL.replace("num_as 2", "num_as 0");
        let (head, rest) = still.split_once("as Wave").unwrap();
        let (_, end) = rest.split_once("as Stand 0\n").unwrap();
        let still = [head, end].concat().replace("counts 2 0", "counts ");
        let of_all = Summary::of(&read(still.as_bytes()).unwrap());
        assert_eq!(try_summarize(&still), Some(of_all));
    }

    #[test]
    fn whatever_is_not_as_it_should_be_is_read_as_a_whole() {
        for (from, to) in [
            ("num_verts 3", "num_verts 6"),
            ("num_verts 3", "num_verts 0"),
            ("num_joints 1", "num_joints 2"),
            ("num_materials 1", "num_materials 0"),
            ("num_as 2", "num_as 1"),
            ("counts 2 0", "counts 1 0"),
            ("Wave 2", "Wave 1"),
            ("vn 0.0 1.0 0.0\n", ""),
            ("v 0.5 0.0", "v x 0.0"),
            ("0.0/1.0/0.0\nas", "0.0/1.0\nas"),
            ("z_bounds 0.0 0.5\nas", "z_bounds 0.0 0.5\nmore\nas"),
            ("as Stand 0\nx_bounds 0.0", "as Stand 0\nx_bounds x"),
            ("j 0 root", "j 1 root"),
        ] {
            let text = MODEL.replace(from, to);
            assert_ne!(text, MODEL, "{from}");
            assert_eq!(try_summarize(&text), None, "{from} {to}");
            let of_all = read(text.as_bytes()).map(|model| Summary::of(&model));
            assert_eq!(summarize(text.as_bytes()), of_all, "{from} {to}");
        }
        for end in 0..MODEL.len() {
            assert_eq!(try_summarize(&MODEL[..end]), None, "{end}");
        }
        assert!(summarize(b"").is_err());
    }

    #[test]
    fn lines_are_counted_over_the_ends_of_blocks() {
        for length in [0, 1, 84, 254, 255, 300] {
            let line = [" ".repeat(length), "\n".to_owned()].concat();
            let text = line.repeat(9);
            for lines in 0..=9 {
                let bytes = after_lines(text.as_bytes(), lines);
                assert_eq!(bytes, Some(line.len() * lines as usize));
            }
            assert_eq!(after_lines(text.as_bytes(), 10), None);
        }
    }
}
