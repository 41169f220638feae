//! The head of a model: seven lines that announce how many entries each list has (document section
//! 3.1, fact sheet B1). The lists after it are read by their keywords, regardless of the counts in
//! the head.

use super::read::Section;
use super::rules;
use crate::cursor::{Found, Text, Word, has_decimal_comma};
use crate::{Cause, counted};

/// Maximum number of clips, joints and materials in the engine.
const ENGINE_CLIPS: u64 = 32;
const ENGINE_JOINTS: u64 = 256;
const ENGINE_MATERIALS: u64 = 16;

/// The first word of each line, and the form of the line in messages.
const LINES: [(&str, &str); 7] = [
    ("version", "`version <number>`"),
    ("num_verts", "`num_verts <number of vertices>`"),
    ("num_joints", "`num_joints <number of joints>`"),
    ("num_materials", "`num_materials <number of materials>`"),
    ("num_as", "`num_as <number of clips>`"),
    ("frame_counts", "`frame_counts <frames of each clip>`"),
    ("has_collision", "`has_collision <0 or 1>`"),
];
const FRAME_COUNTS: usize = 5;
/// The name of `num_materials` in the document. The engine does not know it.
const NUM_MATERIAL: (&[u8], usize) = (b"num_material", 3);

/// Limit of the announced numbers, as a multiple of the entries that fit into the rest of the file;
/// anything above is absurd. A truncated file also announces more than it holds.
const MAX_COUNT_RATIO: u64 = 64;
/// Minimum size in bytes of a vertex, a joint, a material and a clip in a file.
const MIN_VERTEX: usize = b"v 0 0 0\nvt 0 0\nvn 0 0 0\nvw\nvm 0\n".len();
const MIN_JOINT: usize = b"j 0 a 1/1/1 0/0/0 0/0/0 0/0/0\n".len();
const MIN_MATERIAL: usize =
    b"material a\nambient 1\ndiffuse 1 1 1\nspecular 1 1 1\ntexture a\n".len();
const MIN_CLIP: usize = b"as a 0\n".len();

/// Contents of the head.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub version: String,
    /// The announced number of vertices, materials, joints, clips and bounds of the bind pose,
    /// unless it is missing or absurd.
    pub announced: [Option<u64>; 5],
    /// The problem with each announced number: a list of another length is its consequence.
    pub count_faults: [Option<Cause>; 5],
    /// Frames of each clip.
    pub frame_counts: Vec<u64>,
    /// Frames of all clips together.
    pub all_frames: u64,
    pub crlf: bool,
    /// Maximum number of vertices that fit into the file.
    pub vertex_room: usize,
}

/// A number of the head and its word.
type Count<'a> = Option<(u64, Word<'a>)>;

struct HeadReader<'a, 't> {
    text: &'t mut Text<'a>,
    head: Head,
    counts: [Count<'a>; 4],
}

/// Reads the head, up to the vertices.
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

impl<'a> HeadReader<'a, '_> {
    fn read_lines(&mut self) {
        let mut is_read = [false; LINES.len()];
        let mut next = 0;
        while let Some(key) = self.text.line_word() {
            let line = LINES
                .iter()
                .position(|(name, _)| name.as_bytes() == key.text)
                .or((key.text == NUM_MATERIAL.0).then_some(NUM_MATERIAL.1));
            if line.is_none() && (next == LINES.len() || Section::of(key.text).is_some()) {
                self.text.unread(key);
                break;
            }
            if line == Some(next) {
                self.text.problems.cause = None;
            } else {
                let expected = LINES.get(next).map_or("the first vertex", |line| line.1);
                self.broken(key.into(), expected);
            }
            let Some(line) = line.filter(|line| !is_read[*line]) else {
                self.text.skip_line();
                continue;
            };
            is_read[line] = true;
            next = next.max(line + 1);
            if key.text == NUM_MATERIAL.0 {
                let message = "found `num_material`; the engine expects `num_materials`";
                self.text.warn(&rules::NUM_MATERIAL, key, message);
            }
            self.read_line(line);
            if line == 0 {
                // All lines of a file end alike, so the first one is enough.
                self.head.crlf = self.text.bytes[..self.text.pos].ends_with(b"\r\n");
            }
        }
        if let Some((_, expected)) = LINES.get(next) {
            let found = match self.text.word(false) {
                Some(key) => {
                    self.text.unread(key);
                    key.into()
                }
                None => self.text.found_file_end(),
            };
            self.broken(found, expected);
        }
    }

    /// Reports a line that is missing, unknown or out of order. Later problems are its
    /// consequences, up to the next line in its place.
    fn broken(&mut self, found: Found<'_>, expected: &str) {
        self.text.wrong(&rules::HEADER_LINE, found, expected);
        let problems = &mut self.text.problems;
        problems.cause = problems.cause.or(problems.last());
    }

    /// Reads the rest of a line after its key.
    fn read_line(&mut self, line: usize) {
        let expected = LINES[line].1;
        if line == FRAME_COUNTS {
            self.read_frame_counts();
            return;
        }
        let Some(word) = self.text.word(false) else {
            let found = self.text.found_line_end();
            self.text.wrong(&rules::HEADER_LINE, found, expected);
            self.text.skip_line();
            return;
        };
        if line == 0 {
            self.head.version = String::from_utf8_lossy(word.text).into_owned();
            if has_decimal_comma(word.text) {
                let lost = "the version has no other effect";
                self.text
                    .report_decimal_comma(&rules::DECIMAL_COMMA, word.into(), lost);
            } else if !word.number::<f32>().is_some_and(f32::is_finite) {
                self.text
                    .wrong(&rules::HEADER_LINE, word, "a version number");
            }
        } else if let Some(number) = word.count() {
            self.take(line, number, word);
            if line == LINES.len() - 1 {
                if number > 1 {
                    self.text.wrong(&rules::HEADER_LINE, word, "0 or 1");
                } else if number == 0 {
                    self.text.warn(
                        &rules::NO_BOUNDS,
                        word.place,
                        "no bounds (`has_collision 0`); the engine refuses the model",
                    );
                    self.record_count_fault(Section::Bounds);
                }
            }
        } else {
            self.text.wrong(&rules::HEADER_LINE, word, expected);
        }
        self.text.end_line();
    }

    /// Records the last problem as one with the announced number of a section.
    fn record_count_fault(&mut self, section: Section) {
        let problems = &self.text.problems;
        self.head.count_faults[section as usize] = problems.cause.or(problems.last());
    }

    /// Records the number of a line.
    fn take(&mut self, line: usize, number: u64, word: Word<'a>) {
        let section = match line {
            1 => Section::Vertices,
            2 => Section::Joints,
            3 => Section::Materials,
            4 => Section::Clips,
            _ => {
                self.head.announced[Section::Bounds as usize] = Some(number.min(1));
                return;
            }
        };
        self.counts[section as usize] = Some((number, word));
    }

    fn read_frame_counts(&mut self) {
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
                // The number of the remaining ones is unknown.
                self.record_count_fault(Section::Clips);
                is_read = false;
                break;
            }
        }
        let listed = self.head.frame_counts.len();
        if let (Some(clips), Some(extra)) = (clips, extra) {
            let message = || {
                let listed = counted(listed, "frame count");
                format!(
                    "found {listed}; expected {clips}, one per clip of `num_as` (the engine \
                     ignores the rest)"
                )
            };
            self.text.report(&rules::EXTRA_WORDS, extra, message);
            self.record_count_fault(Section::Clips);
        } else if is_read && clips.is_some_and(|clips| clips > listed as u64) {
            let listed = counted(listed, "frame count");
            let found = format!("the line ends after {listed}");
            let found = self.text.found_line_end().with(found);
            let expected = "one per clip of `num_as`";
            self.text.wrong(&rules::HEADER_LINE, found, expected);
            self.record_count_fault(Section::Clips);
        }
        self.text.skip_line();
    }

    /// Lists faults of the numbers, and adopts each number that the file has room for.
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
            // A file that ends here is reported as truncated instead.
            if number / MAX_COUNT_RATIO > room(min) as u64 && left > 0 {
                let expected = format!(
                    "at most the {} that fit into the rest of the file",
                    room(min)
                );
                let found = Found::from(word).with(format!(" {what}"));
                self.text.wrong(&rules::HEADER_COUNT, found, &expected);
                continue;
            }
            self.head.announced[i] = Some(number);
            if number > engine {
                let (rule, does) = match what {
                    "joints" => (&rules::JOINT_LIMIT, "animates at most"),
                    _ => (&rules::LIMIT, "accepts at most"),
                };
                let message = || format!("{number} {what}; the engine {does} {engine}");
                self.text.report(rule, word, message);
                self.head.count_faults[i] = self.text.problems.last();
            }
        }
        let frames = self.head.frame_counts.iter();
        self.head.all_frames = frames.fold(0, |sum, frames| sum.saturating_add(*frames));
        let [vertices, materials, ..] = self.counts;
        if let Some((number, word)) = vertices
            && self.head.announced[0].is_some()
            && !number.is_multiple_of(3)
        {
            self.text.report(&rules::TRIANGLES, word, || {
                let found = Found::from(word);
                format!("{found} vertices; expected a multiple of 3, one triangle each")
            });
            self.record_count_fault(Section::Vertices);
        }
        if let Some((0, word)) = vertices {
            let error = || Found::from(word).error(&rules::NO_VERTICES, "at least three vertices");
            self.text.first_error.get_or_insert_with(error);
        }
        if let Some((0, word)) = materials {
            self.text.warn(
                &rules::NO_MATERIALS,
                word,
                "no materials; the vertices need at least one",
            );
            self.record_count_fault(Section::Materials);
        }
    }
}
