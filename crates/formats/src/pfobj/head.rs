//! The head of a model: seven lines that say how much of everything there is (document section
//! 3.1, fact sheet B1).
//!
//! What they say is a promise that the file need not keep: what follows is read by its keywords.

use std::ops::Range;

use super::read::Section;
use super::rules;
use crate::cursor::{Found, Text, Word, has_decimal_comma};
use crate::{Cause, Place, counted};

/// Clips, joints and materials that the engine has room for.
const ENGINE_CLIPS: u64 = 32;
pub(super) const ENGINE_JOINTS: u64 = 256;
const ENGINE_MATERIALS: u64 = 16;

/// The lines in their order.
const LINES: [(&str, &str); 7] = [
    ("version", "`version <number>`"),
    ("num_verts", "`num_verts <number of vertices>`"),
    ("num_joints", "`num_joints <number of joints>`"),
    ("num_materials", "`num_materials <number of materials>`"),
    ("num_as", "`num_as <number of clips>`"),
    ("frame_counts", "`frame_counts <frames of each clip>`"),
    ("has_collision", "`has_collision <0 or 1>`"),
];

/// How many times what fits into the rest of a file the head may promise before that is absurd: a
/// file that is cut off promises more than it holds too.
const PROMISE_LIMIT: u64 = 64;
/// The minimum of bytes that a vertex, a joint, a material and a clip take in a file.
const MIN_VERTEX: usize = b"v 0 0 0\nvt 0 0\nvn 0 0 0\nvw\nvm 0\n".len();
const MIN_JOINT: usize = b"j 0 a 1/1/1 0/0/0 0/0/0 0/0/0\n".len();
const MIN_MATERIAL: usize =
    b"material a\nambient 1\ndiffuse 1 1 1\nspecular 1 1 1\ntexture a\n".len();
const MIN_CLIP: usize = b"as a 0\n".len();

/// What the head of a file says.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub version: String,
    /// How many vertices, materials, joints and clips there are to be, in this order, if the head
    /// has a number for it that is not absurd.
    pub promised: [Option<u64>; 4],
    /// Where it has more of them than the engine takes.
    pub beyond_limit: [Option<Place>; 4],
    /// Frames of each clip.
    pub frame_counts: Vec<u64>,
    /// Frames of all clips together.
    pub all_frames: u64,
    /// That `frame_counts` has fewer numbers that can be read than there are to be clips.
    pub few_frame_counts: Option<Cause>,
    /// That it has more, and where the first of those stands.
    pub extra_frame_counts: Option<(Cause, Place)>,
    /// Whether there are bounds.
    pub has_bounds: Option<bool>,
    pub crlf: bool,
    /// The max number of vertices that the file has room for.
    pub vertex_room: usize,
}

impl Head {
    /// How many vertices, materials, joints or clips there are to be.
    pub(super) fn promised(&self, section: Section) -> Option<u64> {
        self.promised.get(section as usize).copied().flatten()
    }
}

/// A number of the head and where it stands.
type Count<'a> = Option<(u64, Word<'a>)>;

struct HeadReader<'a, 't> {
    text: &'t mut Text<'a>,
    head: Head,
    counts: [Count<'a>; 4],
}

/// Reads the head; what follows are the vertices.
pub(super) fn read_head(text: &mut Text<'_>) -> Head {
    let mut reader = HeadReader {
        text,
        head: Head::default(),
        counts: [None; 4],
    };
    reader.read_lines();
    reader.check_counts();
    reader.head
}

impl HeadReader<'_, '_> {
    fn read_lines(&mut self) {
        let mut next = 0;
        // Whether the line before is none of the head: it may stand for the next one.
        let mut is_strange = false;
        while let Some(key) = self.text.line_word() {
            if Section::of(key.text).is_some() {
                self.text.unread(key);
                self.require(next..LINES.len(), key, is_strange);
                break;
            }
            // The name of the document, which the engine does not know.
            let is_document_name = key.text == b"num_material";
            let known = LINES
                .iter()
                .position(|(name, _)| name.as_bytes() == key.text)
                .or(is_document_name.then_some(3));
            let Some(line) = known else {
                if next == LINES.len() {
                    // The body is read next.
                    self.text.unread(key);
                    break;
                }
                if !is_strange {
                    self.text.wrong(&rules::HEADER_LINE, key, LINES[next].1);
                }
                is_strange = true;
                self.text.skip_line();
                continue;
            };
            if line < next {
                let expected = LINES.get(next).map_or("the first vertex", |line| line.1);
                self.text.wrong(&rules::HEADER_LINE, key, expected);
            } else {
                self.require(next..line, key, is_strange);
                next = line + 1;
            }
            is_strange = false;
            if is_document_name {
                self.text.warn(
                    &rules::NUM_MATERIAL,
                    key.place,
                    "`num_material`; the engine expects `num_materials`",
                );
            }
            self.read_line(line);
            if line == 0 {
                // Lines that end in CR LF all do: the first one tells.
                self.head.crlf = self.text.bytes[..self.text.pos].ends_with(b"\r\n");
            }
        }
        if self.text.rest().is_empty() {
            self.require(next..LINES.len(), self.text.file_ends(), is_strange);
        }
    }

    /// Reads what follows the key of a line.
    fn read_line(&mut self, line: usize) {
        let expected = LINES[line].1;
        if line == 5 {
            self.read_frame_counts();
            return;
        }
        let Some(word) = self.text.word(false) else {
            let found = self.text.line_ends();
            self.text.wrong(&rules::HEADER_LINE, found, expected);
            self.text.skip_line();
            return;
        };
        if line == 0 {
            self.head.version = String::from_utf8_lossy(word.text).into_owned();
            if has_decimal_comma(word.text) {
                let lost = "the version says nothing else";
                self.text
                    .decimal_comma(&rules::DECIMAL_COMMA, word.into(), lost);
            } else if !word.number::<f32>().is_some_and(f32::is_finite) {
                self.text
                    .wrong(&rules::HEADER_LINE, word, "a version number");
            }
        } else if let Some(number) = word.count() {
            match line {
                1 => self.counts[Section::Vertices as usize] = Some((number, word)),
                2 => self.counts[Section::Joints as usize] = Some((number, word)),
                3 => self.counts[Section::Materials as usize] = Some((number, word)),
                4 => self.counts[Section::Clips as usize] = Some((number, word)),
                _ => {
                    self.head.has_bounds = Some(number != 0);
                    if number > 1 {
                        self.text.wrong(&rules::HEADER_LINE, word, "0 or 1");
                    } else if number == 0 {
                        self.text.warn(
                            &rules::NO_BOUNDS,
                            word.place,
                            "no bounds (`has_collision 0`); the engine refuses such a model",
                        );
                    }
                }
            }
        } else {
            self.text.wrong(&rules::HEADER_LINE, word, expected);
        }
        self.text.end_line();
    }

    fn read_frame_counts(&mut self) {
        self.head.frame_counts.clear();
        self.head.few_frame_counts = None;
        self.head.extra_frame_counts = None;
        let clips = self.counts[Section::Clips as usize].map(|(clips, _)| clips);
        let mut extra = None;
        let mut is_read = true;
        while let Some(word) = self.text.word(false) {
            if let Some(number) = word.count() {
                if clips == Some(self.head.frame_counts.len() as u64) {
                    extra = Some(word);
                }
                self.head.frame_counts.push(number);
            } else {
                self.text
                    .wrong(&rules::HEADER_LINE, word, "a number of frames");
                // How many follow it is not known.
                self.head.few_frame_counts = self.text.problems.last();
                is_read = false;
                break;
            }
        }
        let listed = self.head.frame_counts.len();
        if let (Some(clips), Some(extra)) = (clips, extra) {
            let message = || {
                let listed = counted(listed, "number");
                format!(
                    "{listed} of frames; expected {clips}, one for each of the clips of `num_as`; \
                     the engine ignores the rest"
                )
            };
            self.text.report(&rules::EXTRA_WORDS, extra, message);
            let cause = self.text.problems.last();
            self.head.extra_frame_counts = cause.map(|cause| (cause, extra.into()));
        } else if is_read && clips.is_some_and(|clips| clips > listed as u64) {
            let listed = counted(listed, "number");
            let found = format!("the line ends after {listed} of frames");
            let found = self.text.line_ends().with(found);
            let expected = "one for each of the clips of `num_as`";
            self.text.wrong(&rules::HEADER_LINE, found, expected);
            self.head.few_frame_counts = self.text.problems.last();
        }
        self.text.skip_line();
    }

    /// Lists what is odd with the numbers; and takes those as promises that can be kept.
    fn check_counts(&mut self) {
        let left = self.text.rest().len();
        let room = |min: usize| left / min + 1;
        self.head.vertex_room = room(MIN_VERTEX);
        let lists = [
            ("vertices", MIN_VERTEX, u64::MAX),
            ("materials", MIN_MATERIAL, ENGINE_MATERIALS),
            ("joints", MIN_JOINT, ENGINE_JOINTS),
            ("clips", MIN_CLIP, ENGINE_CLIPS),
        ];
        for (i, (what, min, engine)) in lists.into_iter().enumerate() {
            let Some((number, word)) = self.counts[i] else {
                continue;
            };
            // Of a file that ends here it is said that it does.
            if number / PROMISE_LIMIT > room(min) as u64 && left > 0 {
                let expected = format!(
                    "no more than the {} that the rest of the file has room for",
                    room(min)
                );
                let found = Found::from(word).with(format!(" {what}"));
                self.text.wrong(&rules::HEADER_COUNT, found, &expected);
                continue;
            }
            self.head.promised[i] = Some(number);
            if number > engine {
                let (rule, does) = match what {
                    "joints" => (&rules::JOINT_LIMIT, "moves no more than"),
                    _ => (&rules::LIMIT, "refuses more than"),
                };
                let message = || format!("{number} {what}; the engine {does} {engine}");
                self.text.report(rule, word, message);
                self.head.beyond_limit[i] = Some(word.into());
            }
        }
        let frames = self.head.frame_counts.iter();
        self.head.all_frames = frames.fold(0, |sum, frames| sum.saturating_add(*frames));
        let [vertices, materials, ..] = self.counts;
        if let Some((number, word)) = vertices
            && self.head.promised[0].is_some()
            && !number.is_multiple_of(3)
        {
            self.text.report(&rules::TRIANGLES, word, || {
                let found = Found::from(word);
                format!("{found} vertices; expected a multiple of 3, since three make a triangle")
            });
        }
        if let Some((0, word)) = vertices {
            let error = || Found::from(word).error(&rules::NO_VERTICES, "at least three vertices");
            self.text.first_error.get_or_insert_with(error);
        }
        if let Some((0, word)) = materials {
            self.text.warn(
                &rules::NO_MATERIALS,
                word,
                "no materials; the engine has none for the vertices then",
            );
        }
    }

    /// Lists lines that are missing; the first is taken for one that could not be recognised if
    /// there is such a line.
    fn require<'f>(&mut self, lines: Range<usize>, found: impl Into<Found<'f>>, is_strange: bool) {
        let found = found.into();
        for (_, expected) in LINES[lines].iter().skip(is_strange.into()) {
            self.text
                .wrong(&rules::HEADER_LINE, found.clone(), expected);
        }
    }
}
