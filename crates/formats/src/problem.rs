//! Problems: faults of a file, with place and severity.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use crate::Rule;

/// Severity of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information for the author. Notes are not problems: they are created on request and listed
    /// separately.
    Note,
    /// A likely mistake, although the file can be read.
    Warning,
    /// Something in the file cannot be read or has no meaning, or the engine refuses the file.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Place of a [`Problem`] in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A place in a text file.
    Text {
        /// Line number, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
    },
    /// A byte offset in a binary file, from 0.
    Offset(u64),
}

impl Place {
    /// Returns the beginning of a line of a text file. `line` counts from 1.
    pub const fn line(line: u64) -> Self {
        Self::Text { line, column: 1 }
    }

    /// Line number in a text, from 1.
    pub(crate) const fn line_number(self) -> Option<u64> {
        match self {
            Self::Text { line, .. } => Some(line),
            Self::Offset(_) => None,
        }
    }
}

impl fmt::Display for Place {
    /// Writes the form of the `at` key of `info --json`: `LINE:COLUMN` or `0xOFFSET`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column } => write!(f, "{line}:{column}"),
            Self::Offset(offset) => write!(f, "{offset:#x}"),
        }
    }
}

/// The record that a [`Problem`] is about. The variants use the terms of each format; indices count
/// from 0 in file order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The whole file, or a part that is not a record, such as its header.
    #[default]
    File,
    /// A material of a PFMAP, PFOBJ or P3M file.
    Material(u32),
    /// A splat of a PFMAP file.
    Splat(u32),
    /// A tile of a PFMAP file, counted from the north-west corner of the whole map.
    Tile {
        /// Row, from the north.
        row: u32,
        /// Column, from the west.
        col: u32,
    },
    /// A vertex of a PFOBJ file.
    Vertex(u32),
    /// A joint of a PFOBJ file or a bone of a P3M file.
    Joint(u32),
    /// A clip of a PFOBJ file or an animation of a P3M file.
    Clip(u32),
    /// An action of a P3M file.
    Action(u32),
    /// A part of a P3M file.
    Part(u32),
    /// A texture of a P3M file.
    Texture(u32),
    /// The poses of a frame of a PFOBJ file. A frame that was left out shares the index of the
    /// following one.
    Frame {
        /// Index of the clip.
        clip: u32,
        /// Index of the frame in the clip.
        frame: u32,
    },
    /// The bounds of a frame of a PFOBJ file.
    FrameBounds {
        /// Index of the clip.
        clip: u32,
        /// Index of the frame in the clip.
        frame: u32,
    },
    /// The bounds of the bind pose of a PFOBJ file.
    BindBounds,
    /// A sibling file of a PFOBJ file with the same model at another level of detail; 0 is full
    /// detail.
    Lod(u32),
    /// A faction of a PFSCENE file.
    Faction(u32),
    /// An entity of a PFSCENE file.
    SceneEntity(u32),
    /// A region of a PFSCENE file.
    Region(u32),
    /// A camera of a PFSCENE file.
    Camera(u32),
    /// A level of a PMF file.
    Level(u8),
    /// A material of a level.
    LevelMaterial {
        /// Index of the level.
        level: u8,
        /// Index of the material in the level.
        material: u32,
    },
    /// An entity of a level.
    LevelEntity {
        /// Index of the level.
        level: u8,
        /// Index of the entity in the level.
        entity: u32,
    },
    /// A chunk of a level.
    Chunk {
        /// Index of the level.
        level: u8,
        /// Position along Y, X and Z.
        chunk: [u32; 3],
    },
    /// A cube of a chunk.
    Cube {
        /// Index of the level.
        level: u8,
        /// Position of the chunk along Y, X and Z.
        chunk: [u32; 3],
        /// Index of the cube in the chunk.
        cube: u32,
    },
    /// An entity of a chunk.
    ChunkEntity {
        /// Index of the level.
        level: u8,
        /// Position of the chunk along Y, X and Z.
        chunk: [u32; 3],
        /// Index of the entity in the chunk.
        entity: u32,
    },
    /// An entity of a PMF file or of a binary ika map outside levels, chunks and layers.
    MapEntity(u32),
    /// An extension of a PMF file.
    Extension(u32),
    /// A file or folder in the archive of a PMF file.
    ArchiveEntry(u32),
    /// A layer of a 2D map.
    Layer(u32),
    /// A tile of a layer.
    Cell {
        /// Index of the layer.
        layer: u32,
        /// Column.
        x: u32,
        /// Row.
        y: u32,
    },
    /// An entity or object of a layer.
    LayerEntity {
        /// Index of the layer.
        layer: u32,
        /// Index of the entity or object in the layer.
        entity: u32,
    },
    /// A zone of an ika map.
    Zone(u32),
    /// The tileset, tile sheets or palettes of a 2D map.
    Tileset,
}

/// The fate of the subject of a [`Problem`], if its message reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was read in spite of the fault.
    Read,
    /// It, or a part of it, was left out.
    LeftOut,
}

/// The text of a [`Problem`]: the fault, the expectation and the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    text: String,
    outcome: Option<Outcome>,
}

impl Message {
    /// Builds the message of a fault that is read as expected.
    pub fn read_as_expected(found: impl Into<String>) -> Self {
        Self::read(found, "as expected")
    }

    /// Builds the message of a fault that is read anyway. `how` completes "read": `as 1.2`,
    /// `without it`.
    pub fn read(found: impl Into<String>, how: impl fmt::Display) -> Self {
        Self {
            text: format!("{}; read {how}", found.into()),
            outcome: Some(Outcome::Read),
        }
    }

    /// Builds the message of a fault that causes a loss. `what` names the lost part, such as
    /// `the chunk`.
    pub fn left_out(found: impl Into<String>, what: impl fmt::Display) -> Self {
        Self {
            text: format!("{}; left out: {what}", found.into()),
            outcome: Some(Outcome::LeftOut),
        }
    }

    /// Prefixes the text with a part of the file, such as `zone 3`.
    #[must_use]
    pub(crate) fn within(self, part: impl fmt::Display) -> Self {
        Self {
            text: format!("{part}: {}", self.text),
            ..self
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self {
            text,
            outcome: None,
        }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// One fault of a file: the place, the text found there and the expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Severity.
    pub severity: Severity,
    /// Place in the file.
    pub place: Place,
    /// The broken rule.
    pub rule: &'static Rule,
    /// The affected record.
    pub subject: Subject,
    /// The fault and the expectation, without a full stop.
    pub message: String,
    /// The fate of the subject. `None` means the default of the rule ([`Rule::leaves_out`]).
    pub outcome: Option<Outcome>,
    /// Number of problems that this entry stands for. It is 1, except in the entry that counts the
    /// unlisted problems.
    pub count: usize,
    /// Problems that would not exist without this one, sorted by place. A [`Tally`] does not count
    /// them, and they have no consequences of their own. If there are many, the last entry counts
    /// the unlisted ones.
    pub consequences: Vec<Problem>,
}

impl Problem {
    /// Creates a problem with the severity of its rule.
    pub fn new(
        rule: &'static Rule,
        subject: Subject,
        place: Place,
        message: impl Into<Message>,
    ) -> Self {
        let Message { text, outcome } = message.into();
        Self {
            severity: rule.severity,
            place,
            rule,
            subject,
            message: text,
            outcome,
            count: 1,
            consequences: Vec::new(),
        }
    }

    /// Adds another problem and its consequences as consequences of this one. A cause is as severe
    /// as its worst consequence, so no error is hidden below a warning.
    pub fn add_consequence(&mut self, mut problem: Self) {
        self.severity = self.severity.max(problem.severity);
        let further = std::mem::take(&mut problem.consequences);
        self.consequences.push(problem);
        self.consequences.extend(further);
        // The entry that counts the unlisted ones stays last.
        let key = |problem: &Self| (problem.count > 1, problem.place);
        self.consequences.sort_by_key(key);
    }

    /// Adds the lost part, such as `the chunk`, to the message.
    pub(crate) fn with_loss(self, what: impl fmt::Display) -> Self {
        let Message { text, outcome } = Message::left_out(self.message, what);
        Self {
            message: text,
            outcome,
            ..self
        }
    }

    /// `true` if something in the file may be left out because of this problem. The outcome
    /// decides, if the message reports one. Otherwise only an error of a rule with
    /// [`Rule::leaves_out`] may.
    pub fn may_leave_out(&self) -> bool {
        match self.outcome {
            Some(outcome) => outcome == Outcome::LeftOut,
            None => self.severity == Severity::Error && self.rule.leaves_out,
        }
    }

    /// The problem, followed by its consequences.
    pub fn with_consequences(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.consequences)
    }

    /// Number of consequences.
    pub fn consequence_count(&self) -> usize {
        let consequences = self.consequences.iter();
        consequences.map(|problem| problem.count).sum()
    }

    /// The message, followed by the number of consequences.
    pub fn message_with_count(&self) -> Cow<'_, str> {
        match self.consequence_summary() {
            None => (&*self.message).into(),
            Some(count) => format!("{} ({count})", self.message).into(),
        }
    }

    /// The number of consequences in words, such as `3 problems follow from it`; `None` without
    /// consequences. If all break the same rule as this problem, the text is `3 more like it`,
    /// because they may be independent.
    pub fn consequence_summary(&self) -> Option<String> {
        let are_alike = self.consequences.iter().all(|it| it.is_like(self));
        match self.consequence_count() {
            0 => None,
            count if are_alike => Some(format!("{count} more like it")),
            1 => Some("1 problem follows from it".to_owned()),
            count => Some(format!("{} follow from it", counted(count, "problem"))),
        }
    }

    /// Returns everything except the wording: place, severity, rule, subject, outcome, and the
    /// numbers and names in the message. Tests compare these facts, so that messages can be
    /// reworded.
    pub fn facts(&self) -> String {
        let mut facts = format!("{}: {}: {}", self.place, self.severity, self.rule.id);
        if self.subject != Subject::File {
            let subject = format!("{:?}", self.subject);
            let words = subject.split(|c: char| !c.is_ascii_alphanumeric());
            let is_kept = |word: &&str| !word.starts_with(|c: char| c.is_ascii_lowercase());
            let words: Vec<&str> = words.filter(is_kept).filter(|it| !it.is_empty()).collect();
            facts = format!("{facts} ({})", words.join(" "));
        }
        match self.outcome {
            Some(Outcome::Read) => facts += ", read",
            Some(Outcome::LeftOut) => facts += ", left out",
            None => {}
        }
        let mut values = BTreeSet::new();
        for (i, part) in self.message.split('`').enumerate() {
            if i % 2 == 1 {
                // Names are in backticks. The syntax of a line, such as `vt <u> <v>`, is not a
                // name.
                values.extend((!part.contains('<')).then_some(part));
            } else {
                let words = part.split([' ', ',', ';', ':', '(', ')']);
                values.extend(words.filter(|word| word.contains(|c: char| c.is_ascii_digit())));
            }
        }
        for (i, value) in values.into_iter().enumerate() {
            facts += if i == 0 { ": " } else { " " };
            facts += value;
        }
        facts
    }

    /// `true` if this problem breaks the same rule as its cause.
    pub fn is_like(&self, cause: &Self) -> bool {
        self.rule == cause.rule
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.severity, self.message)
    }
}

/// Number of errors and warnings, without consequences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Problems of [`Severity::Error`].
    pub errors: usize,
    /// Problems of [`Severity::Warning`].
    pub warnings: usize,
}

impl Tally {
    /// Counts problems.
    pub fn of(problems: &[Problem]) -> Self {
        let of = |severity| problems.iter().filter(move |p| p.severity == severity);
        let count = |severity| of(severity).map(|problem| problem.count).sum();
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
        }
    }

    /// Severity of the worst problem; `None` without problems.
    pub fn worst(&self) -> Option<Severity> {
        match (self.errors, self.warnings) {
            (0, 0) => None,
            (0, _) => Some(Severity::Warning),
            _ => Some(Severity::Error),
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
    }
}

impl fmt::Display for Tally {
    /// Writes `no problems`, or text such as `1 error, 5 warnings`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = counted(self.errors, "error");
        let warnings = counted(self.warnings, "warning");
        match (self.errors, self.warnings) {
            (0, 0) => f.write_str("no problems"),
            (0, _) => f.write_str(&warnings),
            (_, 0) => f.write_str(&errors),
            _ => write!(f, "{errors}, {warnings}"),
        }
    }
}

/// Returns a number with its noun, such as `1 file` or `3 files`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {}", Plural(noun)),
    }
}

/// Describes where a fault occurs again, for the end of the message about its first occurrence.
/// `listed` holds the line numbers of some of the `others`; the rest is only counted. Example:
/// `, the others on lines 15, 20, 25 and 196 more`.
pub fn others_on_lines(listed: &[u64], others: usize) -> String {
    let lines: Vec<String> = listed.iter().map(u64::to_string).collect();
    match (lines.as_slice(), others.saturating_sub(lines.len())) {
        ([], 0) => String::new(),
        ([], more) => format!(", and {more} more"),
        ([line], 0) => format!(", the other on line {line}"),
        ([lines @ .., last], 0) => {
            format!(", the others on lines {} and {last}", lines.join(", "))
        }
        (lines, more) => format!(", the others on lines {} and {more} more", lines.join(", ")),
    }
}

/// The plural of a noun.
#[derive(Debug, Clone, Copy)]
pub struct Plural<'a>(pub &'a str);

impl fmt::Display for Plural<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the noun before ` of ` or ` (` is inflected.
        let ends = [" of ", " ("]
            .into_iter()
            .filter_map(|tail| self.0.find(tail));
        let (noun, tail) = self.0.split_at(ends.min().unwrap_or(self.0.len()));
        if let Some(stem) = noun.strip_suffix("ex") {
            write!(f, "{stem}ices")?;
        } else if let Some(stem) = noun
            .strip_suffix('y')
            .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']))
        {
            write!(f, "{stem}ies")?;
        } else if noun.ends_with('x') {
            write!(f, "{noun}es")?;
        } else {
            write!(f, "{noun}s")?;
        }
        f.write_str(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ODD: Rule = Rule {
        id: "test/odd",
        severity: Severity::Warning,
        leaves_out: false,
        summary: "Something is odd.",
    };
    static WRONG: Rule = Rule {
        id: "test/wrong",
        severity: Severity::Error,
        leaves_out: false,
        summary: "Something is wrong.",
    };

    #[test]
    fn a_cause_counts_once_and_is_as_severe_as_its_worst_consequence() {
        let problem = |rule, line| Problem::new(rule, Subject::File, Place::line(line), "it is so");
        let mut odd = problem(&ODD, 3);
        assert_eq!(odd.consequence_summary(), None);
        let mut later = problem(&ODD, 9);
        later.add_consequence(problem(&ODD, 5));
        odd.add_consequence(later);
        assert_eq!(
            (odd.severity, odd.consequence_count()),
            (Severity::Warning, 2)
        );
        assert_eq!(odd.consequence_summary().unwrap(), "2 more like it");
        odd.add_consequence(Problem {
            count: 7,
            ..problem(&WRONG, 7)
        });
        let lines = odd.with_consequences().map(|problem| problem.place);
        assert!(
            lines.eq([3, 5, 9, 7].map(Place::line)),
            "the number of unlisted ones is last"
        );
        assert!(odd.consequences.iter().all(|it| it.consequences.is_empty()));
        assert_eq!(
            odd.consequence_summary().unwrap(),
            "9 problems follow from it"
        );
        assert_eq!(
            odd.message_with_count(),
            "it is so (9 problems follow from it)"
        );
        assert_eq!(Tally::of(&[odd]).to_string(), "1 error");
    }

    #[test]
    fn counts_use_singular_and_plural() {
        let tally = |errors, warnings| Tally { errors, warnings }.to_string();
        assert_eq!(tally(0, 0), "no problems");
        assert_eq!(tally(1, 0), "1 error");
        assert_eq!(tally(1, 5), "1 error, 5 warnings");
        assert_eq!(tally(2, 1), "2 errors, 1 warning");
        assert_eq!(counted(0, "entity"), "0 entities");
        assert_eq!(counted(2, "other key"), "2 other keys");
        assert_eq!(counted(3, "vertex"), "3 vertices");
        assert_eq!(counted(2, "bounding box"), "2 bounding boxes");
    }

    #[test]
    fn only_the_main_noun_is_inflected() {
        assert_eq!(counted(2, "byte of strings"), "2 bytes of strings");
        assert_eq!(counted(1, "chunk (1 along X)"), "1 chunk (1 along X)");
        assert_eq!(
            counted(3, "vertex of a box (bent)"),
            "3 vertices of a box (bent)"
        );
    }

    #[test]
    fn only_some_of_many_lines_are_listed() {
        assert_eq!(others_on_lines(&[], 0), "");
        assert_eq!(others_on_lines(&[15], 1), ", the other on line 15");
        assert_eq!(
            others_on_lines(&[15, 20, 25], 3),
            ", the others on lines 15, 20 and 25"
        );
        assert_eq!(
            others_on_lines(&[15, 20, 25], 199),
            ", the others on lines 15, 20, 25 and 196 more"
        );
    }
}
