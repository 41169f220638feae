//! The head of a model: seven lines that say how much of everything there is (document section
//! 3.1, fact sheet B1).
//!
//! What they say is a promise that the file need not keep: what follows is read by its keywords.

use super::read::Section;
use super::rules;
use crate::cursor::{Found, Text, Word, has_decimal_comma};
use crate::head_lines::{HeadLayout, HeadLines};
use crate::{Cause, Place, counted};

/// Clips, joints and materials that the engine has room for.
const ENGINE_CLIPS: u64 = 32;
pub(super) const ENGINE_JOINTS: u64 = 256;
const ENGINE_MATERIALS: u64 = 16;

const FRAME_COUNTS: usize = 5;
static LAYOUT: HeadLayout = HeadLayout {
    lines: &[
        ("version", "`version <number>`"),
        ("num_verts", "`num_verts <number of vertices>`"),
        ("num_joints", "`num_joints <number of joints>`"),
        ("num_materials", "`num_materials <number of materials>`"),
        ("num_as", "`num_as <number of clips>`"),
        ("frame_counts", "`frame_counts <frames of each clip>`"),
        ("has_collision", "`has_collision <0 or 1>`"),
    ],
    optional: None,
    // The name of the document, which the engine does not know.
    alias: Some(("num_material", 3)),
    then: "the first vertex",
    is_behind: |word| Section::of(word).is_some(),
    rule: &rules::HEADER_LINE,
};

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

impl<'a> HeadReader<'a, '_> {
    fn read_lines(&mut self) {
        let mut lines = HeadLines::new(&LAYOUT);
        while let Some(line) = lines.next(self.text) {
            if line.is_misspelt {
                self.read_misspelt(line.line);
                continue;
            }
            if line.key.text == b"num_material" {
                self.text.warn(
                    &rules::NUM_MATERIAL,
                    line.key,
                    "`num_material`; the engine expects `num_materials`",
                );
            }
            self.read_line(line.line);
            if line.line == 0 {
                // Lines that end in CR LF all do: the first one tells.
                self.head.crlf = self.text.bytes[..self.text.pos].ends_with(b"\r\n");
            }
        }
    }

    /// Reads what follows the key of a line.
    fn read_line(&mut self, line: usize) {
        let expected = LAYOUT.lines[line].1;
        if line == FRAME_COUNTS {
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
            self.take(line, number, word);
            if line == LAYOUT.lines.len() - 1 {
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
        } else {
            self.text.wrong(&rules::HEADER_LINE, word, expected);
        }
        self.text.end_line();
    }

    /// Reads what follows the key of a line that is misspelt, as far as it is what it should be.
    fn read_misspelt(&mut self, line: usize) {
        let words: Vec<Word<'_>> = std::iter::from_fn(|| self.text.word(false)).collect();
        let numbers: Option<Vec<u64>> = words.iter().map(Word::count).collect();
        match (line, words.first(), numbers) {
            (0, Some(word), _) => {
                self.head.version = String::from_utf8_lossy(word.text).into_owned();
            }
            (FRAME_COUNTS, _, Some(numbers)) => self.head.frame_counts = numbers,
            (_, Some(word), Some(numbers)) if numbers.len() == 1 => {
                self.take(line, numbers[0], *word);
            }
            _ => {}
        }
        self.text.skip_line();
    }

    /// Takes the number of a line.
    fn take(&mut self, line: usize, number: u64, word: Word<'a>) {
        let section = match line {
            1 => Section::Vertices,
            2 => Section::Joints,
            3 => Section::Materials,
            4 => Section::Clips,
            _ => {
                self.head.has_bounds = Some(number != 0);
                return;
            }
        };
        self.counts[section as usize] = Some((number, word));
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
}
