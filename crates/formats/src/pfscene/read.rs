//! Reading PFSCENE (fact sheet C).
//!
//! A section begins with its `section` line, or with the line that announces the number of its
//! records. A record takes the announced number of attributes, regardless of their keys. After
//! damage, reading resumes at the next known line outside records (`LineKind`). The skipped lines
//! are reported as one problem.

mod check;
mod line;
mod record;

pub use check::MAX_LENGTH;

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;

use self::line::{Line, numbers, string, words};
use self::record::Record;
use super::{
    CAMERA_ATTRIBUTES, Diplomacy, ENTITY_ATTRIBUTES, FACTION_ATTRIBUTES, KnownAttribute, Layout,
    Pfscene, REGION_ATTRIBUTES, Section, SectionKind, Setting, Skybox, UnknownLine, ValueType,
    lines, rules, version_number,
};
use crate::cursor::{Found, Text, Word, first_words, has_decimal_comma};
use crate::misspelt::suggest;
use crate::{Cause, Place, ReadError, Rule, Subject, conflict, counted, quoted};

/// Bytes between two calls of the progress callback.
const WATCH_BYTES: usize = 1 << 16;
/// Syntax of lines, for messages.
const VERSION_LINE: &str = "`version <major>.<minor>`";
const NUM_SECTIONS_LINE: &str = "`num_sections <number of sections>`";
const SECTION_LINE: &str = "`section \"<name>\"`";
const DIPLOMACY_LINE: &str = "`diplomacy <faction> <faction> <state>`";
/// First words and syntax of the lines of `general`.
const SETTINGS: [(&str, &str); 4] = [
    ("skybox", "`skybox \"<folder>\" <extension>`"),
    (
        "ambient_light_color",
        "`ambient_light_color <red> <green> <blue> <alpha>`, whole numbers from 0 to 255",
    ),
    (
        "emit_light_color",
        "`emit_light_color <red> <green> <blue> <alpha>`, whole numbers from 0 to 255",
    ),
    ("emit_light_pos", "`emit_light_pos <x> <y> <z>`"),
];

/// Returns `true` if a file that begins with these bytes is a PFSCENE file, complete or truncated.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    let mut words = first_words(bytes);
    match words.next() {
        // The version number may be missing.
        Some(b"version") => words.take(2).any(|word| word == b"num_sections"),
        Some(b"num_factions") => words.nth(1) == Some(b"faction"),
        Some(b"num_entities") => words.nth(1) == Some(b"entity"),
        _ => false,
    }
}

/// Reads a scene.
///
/// Recoverable faults are listed in [`Pfscene::problems`]. The announced numbers of records are
/// checked but not relied on. Memory use is bounded by the length of `bytes`.
///
/// # Errors
/// Returns an error if the file has no section.
pub fn read(bytes: &[u8]) -> Result<Pfscene, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called regularly with the progress from 0 to 1,
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`ReadError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Pfscene, ReadError> {
    let read = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        let num_sections = reader.read_head()?;
        reader.read_sections(watch)?;
        reader.check_end(num_sections);
        let mut scene = reader.scene;
        scene.layout = layout(bytes, &scene);
        scene.problems = reader.text.problems.finish();
        super::name_entities(&mut scene.problems, &scene.entities);
        Ok(scene)
    };
    conflict::read(bytes, &rules::CONFLICT, read, |scene| &mut scene.problems)
}

/// Returns the layout of a scene with the original spelling of its lines.
fn layout(bytes: &[u8], scene: &Pfscene) -> Layout {
    let mut layout = scene.layout.clone();
    let mut found = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    lines::for_each_line(scene, &mut |line, plain| {
        let Some(index) = line.checked_sub(1) else {
            return;
        };
        // Most files have their lines in the writer's order. Lines out of order lose their original
        // spelling and get the writer's.
        while found.next_if(|(i, _)| (*i as u64) < index).is_some() {}
        if let Some((_, text)) = found.next_if(|(i, _)| *i as u64 == index) {
            let text = match text.strip_suffix(b"\r") {
                Some(text) if layout.crlf => text,
                _ => text,
            };
            layout.keep(line, plain, text);
        }
    });
    layout
}

/// A kind of records that a section lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Faction,
    Entity,
    Region,
    Camera,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Faction, Self::Entity, Self::Region, Self::Camera];

    /// Returns the kind of the records of a section.
    fn of(section: &SectionKind) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.section() == section)
    }

    /// The section that lists these records.
    fn section(self) -> &'static SectionKind {
        &KNOWN_SECTIONS[1 + self as usize]
    }

    /// The first word of the line that announces their number.
    fn count_key(self) -> &'static str {
        self.section().count_key().unwrap_or_default()
    }

    /// The first word of a record.
    fn noun(self) -> &'static str {
        match self {
            Self::Faction => "faction",
            Self::Entity => "entity",
            Self::Region => "region",
            Self::Camera => "camera",
        }
    }

    /// Syntax of a record's first line, for messages.
    fn line(self) -> &'static str {
        match self {
            Self::Faction => "`faction \"<name>\"`",
            Self::Entity => "`entity <name> <path of the model> <number of attributes>`",
            Self::Region => "`region <name> <type> <number of attributes>`",
            Self::Camera => "`camera <name>`",
        }
    }

    /// Number of these records in a scene.
    fn count(self, scene: &Pfscene) -> usize {
        match self {
            Self::Faction => scene.factions.len(),
            Self::Entity => scene.entities.len(),
            Self::Region => scene.regions.len(),
            Self::Camera => scene.cameras.len(),
        }
    }

    /// The subject of problems about one of these records.
    fn subject(self, index: usize) -> Subject {
        let index = index as u32;
        match self {
            Self::Faction => Subject::Faction(index),
            Self::Entity => Subject::SceneEntity(index),
            Self::Region => Subject::Region(index),
            Self::Camera => Subject::Camera(index),
        }
    }

    /// The attributes that the engine knows.
    fn known(self) -> &'static [KnownAttribute] {
        match self {
            Self::Faction => FACTION_ATTRIBUTES,
            Self::Entity => ENTITY_ATTRIBUTES,
            Self::Region => REGION_ATTRIBUTES,
            Self::Camera => CAMERA_ATTRIBUTES,
        }
    }

    /// `true` if the engine identifies attributes by their order instead of their keys.
    fn is_ordered(self) -> bool {
        matches!(self, Self::Faction | Self::Camera)
    }

    /// The fixed number of attributes in a version of the format, if there is one.
    fn fixed_count(self, version: Option<[u32; 2]>) -> Option<u64> {
        match self {
            Self::Faction => version.map(|version| if version < [1, 1] { 1 } else { 2 }),
            Self::Camera => Some(3),
            Self::Entity | Self::Region => None,
        }
    }
}

/// Kind of a known line outside records, by its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Section,
    /// The line with the number of records.
    Count(Kind),
    Record(Kind),
    Diplomacy,
}

/// First words of lines, and the kind of each line.
static LINE_KINDS: [(&str, LineKind); 10] = [
    ("section", LineKind::Section),
    ("num_factions", LineKind::Count(Kind::Faction)),
    ("faction", LineKind::Record(Kind::Faction)),
    ("diplomacy", LineKind::Diplomacy),
    ("num_entities", LineKind::Count(Kind::Entity)),
    ("entity", LineKind::Record(Kind::Entity)),
    ("num_regions", LineKind::Count(Kind::Region)),
    ("region", LineKind::Record(Kind::Region)),
    ("num_cameras", LineKind::Count(Kind::Camera)),
    ("camera", LineKind::Record(Kind::Camera)),
];

impl LineKind {
    fn of(word: &[u8]) -> Option<Self> {
        let mut all = LINE_KINDS.iter();
        let found = all.find(|(key, _)| key.as_bytes() == word)?;
        Some(found.1)
    }

    /// `true` if a line is of a known kind. Attributes have a value type as second word and do not
    /// count, regardless of their keys.
    fn is_known(line: &[u8]) -> bool {
        let mut words = first_words(line);
        let begin = words.next().and_then(Self::of);
        begin.is_some()
            && words
                .next()
                .is_some_and(|word| ValueType::of(word).is_none())
    }
}

/// An announced number of entries.
#[derive(Debug, Clone, Copy)]
struct AnnouncedCount {
    count: u64,
    place: Place,
}

impl fmt::Display for AnnouncedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            u64::MAX => f.write_str("more than 64 bits can hold"),
            count => write!(f, "{count}"),
        }
    }
}

/// The open part of a section. A section that occurs twice has two parts, each with its own
/// announced number of records.
#[derive(Debug, Default)]
struct Part {
    /// Index of the section.
    section: usize,
    /// The kind of its records, if it has any.
    kind: Option<Kind>,
    /// Line that begins the part.
    line: u64,
    /// Number of records of its kind, and of diplomacy lines, that were read before the part.
    records_before: usize,
    diplomacy_before: usize,
    /// The line with the number of its records, if any.
    count_line: Option<u64>,
    announced: Option<AnnouncedCount>,
    /// The first damage in it, if any.
    damage: Option<Cause>,
}

/// The sections that the engine knows.
static KNOWN_SECTIONS: [SectionKind; 5] = [
    SectionKind::General,
    SectionKind::Factions,
    SectionKind::Entities,
    SectionKind::Regions,
    SectionKind::Cameras,
];

/// A scene while it is read.
struct Reader<'a> {
    text: Text<'a>,
    scene: Pfscene,
    /// `None` if the file has no readable version.
    version: Option<[u32; 2]>,
    /// The open record.
    record: Option<Record>,
    /// The keys of its attributes.
    keys: Vec<Word<'a>>,
    /// The open section.
    part: Option<Part>,
    /// Index in the scene of each of the [`KNOWN_SECTIONS`], if it was found.
    known_sections: [Option<usize>; 5],
    /// By kind of records: `true` if the file has a `section` line for them anywhere. Computed when
    /// the first unknown section begins.
    section_is_named: Option<[bool; 4]>,
    /// Number of section parts begun so far.
    parts: usize,
    /// The first damage that could explain a wrong number of sections.
    section_damage: Option<Cause>,
    /// By kind: the first damage that could explain a wrong number of records.
    damages: [Option<Cause>; 4],
    /// The problem at the end of the file, if any: a missing line feed or missing records.
    cut: Option<Cause>,
    /// The cause of further problems on the current line: `cut`, or a NUL byte in the line.
    line_cause: Option<Cause>,
    /// Line number of the diplomacy of each pair of factions.
    states: HashMap<(u32, u32), u64>,
    next_watch: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes, &rules::TEXT_RULES),
            scene: Pfscene {
                layout: Layout::new(bytes),
                ..Pfscene::default()
            },
            version: None,
            record: None,
            keys: Vec::new(),
            part: None,
            known_sections: [None; 5],
            section_is_named: None,
            parts: 0,
            section_damage: None,
            damages: [None; 4],
            cut: None,
            line_cause: None,
            states: HashMap::new(),
            next_watch: 0,
        }
    }

    /// Makes later problems of the record consequences of the last problem.
    fn damaged(&mut self) {
        let problems = &mut self.text.problems;
        problems.cause = problems.cause.or(problems.last());
    }

    /// [`Reader::damaged`] for damage that may hide records or a section.
    fn lost(&mut self) {
        self.damaged();
        match &mut self.part {
            Some(part) => part.damage = part.damage.or(self.text.problems.cause),
            None => self.mark_section_lost(),
        }
    }

    /// [`Reader::damaged`] for damage that may change the number of sections.
    fn mark_section_lost(&mut self) {
        self.damaged();
        self.section_damage = self.section_damage.or(self.text.problems.cause);
    }

    /// Skips to the next known line outside records.
    fn skip<'f>(&mut self, rule: &'static Rule, found: impl Into<Found<'f>>, expected: &str) {
        self.text.skip_to(rule, found, expected, LineKind::is_known);
        self.lost();
    }

    /// Reads the next line that is not blank. Blank lines are reported.
    fn line(&mut self) -> Option<Line<'a>> {
        let number = self.text.line;
        let key = self.text.word(true)?;
        if key.place.0 != number {
            let message = "blank line; the engine refuses it";
            self.text.warn(&rules::BLANK_LINE, (number, 1), message);
            // The blank line may replace another line.
            self.lost();
        }
        let rest = self.text.words();
        let end = self.text.found_line_end();
        let (start, number) = (self.text.line_start, self.text.line);
        self.text.skip_line();
        self.check_last_line();
        self.line_cause = self.cut;
        self.check_nul(start, number);
        Some(Line { key, rest, end })
    }

    /// Reports a last line without a line end. Other faults of that line are consequences.
    fn check_last_line(&mut self) {
        if self.text.pos == self.text.line_start || self.cut.is_some() {
            return;
        }
        let whole = "missing line feed after the last line; the engine refuses the file";
        let message = self.early_end().unwrap_or_else(|| whole.to_owned());
        self.text
            .warn(&rules::LAST_LINE, self.text.place(), &message);
        self.cut = self.text.problems.cause.or(self.text.problems.last());
        self.text.problems.cause = self.cut;
    }

    /// Describes the early end of the file, if its last section announces more records than were
    /// read.
    fn early_end(&self) -> Option<String> {
        let part = self.part.as_ref()?;
        let (kind, announced) = (part.kind?, part.announced?);
        let records = kind.count(&self.scene) - part.records_before;
        let records = records + usize::from(self.record.is_some());
        let read = counted(records, kind.noun());
        ((records as u64) < announced.count)
            .then(|| format!("the file ends after {read}; expected {announced}"))
    }

    /// `true` if the scene has no head and no `section` lines, as the engine's editor wrote it
    /// until 2021.
    fn is_older(&self) -> bool {
        self.scene.layout.is_older
    }

    /// Reads the two lines before the sections, and returns the number of sections.
    fn read_head(&mut self) -> Result<Option<AnnouncedCount>, ReadError> {
        if let Some(word) = self.text.indented_line_word() {
            self.text.unread(word);
            if let Some(LineKind::Count(Kind::Faction | Kind::Entity)) = LineKind::of(word.text) {
                let message =
                    "older form without version and sections; the current engine refuses it";
                self.text.warn(&rules::OLDER_FORM, word, message);
                self.scene.layout.is_older = true;
                return Ok(None);
            }
        }
        if let Some(line) = self.head_line("version", VERSION_LINE)? {
            self.read_version(&line);
        }
        let Some(line) = self.head_line("num_sections", NUM_SECTIONS_LINE)? else {
            return Ok(None);
        };
        self.scene.layout.num_sections_line = line.number();
        let mut words = line.words();
        let (rule, number) = (&rules::HEADER_LINE, words.next());
        let announced = self.count(rule, &line, number, NUM_SECTIONS_LINE);
        self.check_extra_words(words);
        Ok(announced)
    }

    /// Reads the next line of the head, if it is present. Other lines in its place are skipped.
    fn head_line(&mut self, key: &str, expected: &str) -> Result<Option<Line<'a>>, ReadError> {
        let Some(word) = self.text.indented_line_word() else {
            let end = self.text.found_file_end();
            return Err(end.error(&rules::HEADER_LINE, expected));
        };
        self.text.unread(word);
        if word.text != key.as_bytes() {
            // A blank line before it may be the cause.
            self.damaged();
            let goes_on = |line: &[u8]| {
                let first = first_words(line).next().unwrap_or_default();
                LineKind::is_known(line) || first == key.as_bytes() || first == b"num_sections"
            };
            self.text
                .skip_to(&rules::HEADER_LINE, word, expected, goes_on);
            self.mark_section_lost();
        }
        let is_there = self.text.next_line_is(key.as_bytes());
        Ok(if is_there { self.line() } else { None })
    }

    fn read_version(&mut self, line: &Line<'a>) {
        let mut words = line.words();
        let word = words.next();
        self.scene.version = word.map_or_else(String::new, |word| string(word.text));
        self.version = version_number(&self.scene.version);
        match (self.version, word) {
            (Some(version), _) if version > [1, 1] => {
                self.text.report(&rules::VERSION, line.found().place, || {
                    let [major, minor] = version;
                    format!("version {major}.{minor}; the engine reads versions up to 1.1")
                });
            }
            (Some(_), _) => {}
            (None, Some(word)) if has_decimal_comma(word.text) => {
                let rule = &rules::DECIMAL_COMMA;
                self.text
                    .report_decimal_comma(rule, word.into(), "the version is unknown");
            }
            (None, _) => self
                .text
                .wrong(&rules::HEADER_LINE, line.found(), VERSION_LINE),
        }
        if self.version.is_some() {
            self.check_extra_words(words);
        }
    }

    /// Parses an announced number. A missing or malformed number is reported as a fault of `rule`.
    fn count(
        &mut self,
        rule: &'static Rule,
        line: &Line<'a>,
        word: Option<Word<'a>>,
        expected: &str,
    ) -> Option<AnnouncedCount> {
        let count = word.and_then(|word| word.count());
        if count.is_none() {
            let found = word.map_or_else(|| line.end.clone(), Found::from);
            self.text.wrong(rule, found, expected);
            self.damaged();
        }
        let place = word?.into();
        count.map(|count| AnnouncedCount { count, place })
    }

    /// Warns of extra words at the end of a line.
    fn check_extra_words(&mut self, mut after: impl Iterator<Item = Word<'a>>) {
        if let Some(extra) = after.next() {
            let message = "extra words on the line; they are ignored";
            self.text.warn(&rules::EXTRA_WORDS, extra, message);
            self.damaged();
        }
    }

    /// Compares a number with the announced one, and reports a difference. Returns `true` if they
    /// differ. `announces` begins the message.
    fn check_count(
        &mut self,
        announced: AnnouncedCount,
        announces: &str,
        count: usize,
        noun: &str,
    ) -> bool {
        let differs = announced.count != count as u64;
        if differs {
            self.text.report(&rules::COUNT, announced.place, || {
                format!("{announces} {announced}; found {}", counted(count, noun))
            });
        }
        differs
    }

    fn read_sections(
        &mut self,
        watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        loop {
            if self.text.pos >= self.next_watch {
                self.next_watch = self.text.pos + WATCH_BYTES;
                if watch(self.text.pos as f32 / self.text.bytes.len() as f32).is_break() {
                    return Err(ReadError::Cancelled);
                }
            }
            let Some(line) = self.line() else {
                break;
            };
            if !self.continue_record(&line) {
                self.read_line(&line);
            }
        }
        self.check_last_line();
        if let Some(record) = &mut self.record {
            record.is_last = true;
        }
        let damage = self.end_section();
        self.cut = self.cut.or(damage);
        if self.scene.sections.is_empty() {
            let end = self.text.found_file_end();
            let first = self.text.first_error.take();
            return Err(first.unwrap_or_else(|| end.error(&rules::LINE, SECTION_LINE)));
        }
        Ok(())
    }

    /// Reads a line outside records.
    fn read_line(&mut self, line: &Line<'a>) {
        let begin = LineKind::of(line.key.text);
        let open = self.part.as_ref().map(|part| part.section);
        match open.map(|section| &mut self.scene.sections[section].kind) {
            Some(SectionKind::Unknown { lines, .. }) => {
                // If the count line of a known section follows at once, the name of this section
                // may be damaged.
                let belongs_to_unknown = match begin {
                    Some(LineKind::Section) => false,
                    Some(LineKind::Count(kind)) => {
                        let section_is_named = self
                            .section_is_named
                            .is_some_and(|named| named[kind as usize]);
                        section_is_named || !lines.is_empty()
                    }
                    _ => true,
                };
                if belongs_to_unknown {
                    lines.push(unknown_line(self.text.bytes, line));
                    return;
                }
            }
            Some(SectionKind::General)
                if matches!(begin, None | Some(LineKind::Diplomacy))
                    || line.value_type().is_some() =>
            {
                self.read_setting(line);
                return;
            }
            _ => {}
        }
        let kind = self.part.as_ref().and_then(|part| part.kind);
        match begin {
            Some(LineKind::Section) => self.begin_section(line),
            Some(LineKind::Count(of)) => {
                self.require_section(line, of);
                self.read_section_count(of, line);
            }
            Some(LineKind::Record(of)) => {
                self.require_section(line, of);
                self.begin_record(of, line);
            }
            Some(LineKind::Diplomacy) if kind == Some(Kind::Faction) => self.read_diplomacy(line),
            _ => {
                let mut expected = kind.map_or(SECTION_LINE, Kind::line).to_owned();
                let key = std::str::from_utf8(line.key.text).unwrap_or_default();
                if let Some(meant) = suggest(key, LINE_KINDS.iter().map(|(key, _)| key)) {
                    expected = format!("{expected} (did you mean `{meant}`?)");
                }
                self.skip(&rules::LINE, line.key, &expected);
            }
        }
    }

    /// Begins the section of a kind of records, unless it is already open. A missing `section` line
    /// is reported.
    fn require_section(&mut self, line: &Line<'a>, kind: Kind) {
        if self.part.as_ref().and_then(|part| part.kind) == Some(kind) {
            return;
        }
        let cause = self.text.problems.cause;
        let damage = self.end_section();
        self.text.problems.cause = cause.or(damage);
        if !self.is_older() {
            let expected = format!("`section \"{}\"`", kind.section().name());
            self.text.wrong(&rules::LINE, line.key, &expected);
            self.mark_section_lost();
        }
        let damage = self.text.problems.cause;
        self.enter_section(line.key, kind.section().clone(), [0, line.number()]);
        if let Some(part) = &mut self.part {
            part.damage = damage;
        }
    }

    fn begin_section(&mut self, line: &Line<'a>) {
        let open = self.part.as_ref().map(|part| part.section);
        let damage = self.end_section();
        self.text.problems.cause = self.line_cause;
        let Some((name, after)) = line.quoted_name() else {
            self.skip(&rules::RECORD, line.found(), SECTION_LINE);
            return;
        };
        let open = open.map(|section| self.scene.sections[section].kind.name().as_bytes());
        if open == Some(name.text) {
            // The open section begins again. Damage in its first part is the cause.
            self.text.problems.cause = damage.or(self.line_cause);
        }
        self.check_extra_words(words(after));
        let mut known = KNOWN_SECTIONS.iter();
        let kind = known
            .find(|kind| kind.name().as_bytes() == name.text)
            .cloned()
            .unwrap_or_else(|| SectionKind::Unknown {
                name: string(name.text),
                lines: Vec::new(),
            });
        if let SectionKind::Unknown { name: unknown, .. } = &kind {
            let text = self.text.bytes;
            self.section_is_named.get_or_insert_with(|| {
                Kind::ALL.map(|kind| {
                    let line = format!("section \"{}\"", kind.section().name());
                    text.windows(line.len()).any(|it| it == line.as_bytes())
                })
            });
            if let Some(meant) = suggest(unknown, KNOWN_SECTIONS.iter().map(SectionKind::name)) {
                self.text.report(&rules::SECTION, name, || {
                    let name = quoted(name.text);
                    format!("unknown section {name} (did you mean `{meant}`?)")
                });
                self.mark_section_lost();
            }
        }
        self.enter_section(name, kind, [line.number(); 2]);
    }

    /// Begins a section, or another part of it. `name` is the word to report a duplicate at. `line`
    /// is the number of the `section` line, 0 if it is missing. `begin` is the first line of this
    /// part.
    fn enter_section(&mut self, name: Word<'a>, kind: SectionKind, [line, begin]: [u64; 2]) {
        let known = KNOWN_SECTIONS.iter().position(|known| *known == kind);
        let records = Kind::of(&kind);
        let sections = &mut self.scene.sections;
        let next = sections.len();
        let section = match known {
            Some(number) => *self.known_sections[number].get_or_insert(next),
            None => next,
        };
        if let Some(first) = sections.get(section) {
            let first = if first.line > 0 {
                first.line
            } else {
                first.count_line
            };
            self.text.report(&rules::SECTION_TWICE, name, || {
                let name = kind.name();
                format!("duplicate section `{name}`; the first is on line {first}")
            });
            self.mark_section_lost();
        } else {
            let count_line = 0;
            sections.push(Section {
                kind,
                line,
                count_line,
            });
        }
        self.parts += 1;
        self.part = Some(Part {
            section,
            kind: records,
            line: begin,
            records_before: records.map_or(0, |kind| kind.count(&self.scene)),
            diplomacy_before: self.scene.diplomacy.len(),
            ..Part::default()
        });
    }

    /// Closes the open section and checks its announced numbers. Returns its first damage, if any.
    fn end_section(&mut self) -> Option<Cause> {
        self.end_record();
        let part = self.part.take()?;
        let Some(kind) = part.kind else {
            return part.damage;
        };
        self.text.problems.cause = self.cut.or(part.damage);
        let count = kind.count(&self.scene) - part.records_before;
        let key = kind.count_key();
        if let Some(announced) = part.announced {
            if self.check_count(announced, &format!("`{key}` declares"), count, kind.noun()) {
                self.damaged();
            }
        } else if part.count_line.is_none() {
            let place = Place::line(part.line);
            self.text.report(&rules::COUNT, place, || {
                format!("missing line `{key} <number>`")
            });
            self.damaged();
        }
        if kind == Kind::Faction {
            self.check_pairs(&part, count);
        }
        let damage = &mut self.damages[kind as usize];
        *damage = damage.or(self.text.problems.cause);
        self.text.problems.cause
    }

    /// Checks that the number of diplomacy lines is the number of pairs of factions.
    fn check_pairs(&mut self, part: &Part, factions: usize) {
        let pairs = factions.saturating_mul(factions);
        let found = self.scene.diplomacy.len() - part.diplomacy_before;
        if found != pairs && self.version.is_some_and(|version| version >= [1, 1]) {
            self.text.report(&rules::COUNT, Place::line(part.line), || {
                let found = counted(found, "line");
                format!("{found} of `diplomacy`; expected {pairs}, one per pair of factions")
            });
            self.damaged();
        }
    }

    /// Reads the line with the number of records of the open section.
    fn read_section_count(&mut self, kind: Kind, line: &Line<'a>) {
        let Some(part) = &mut self.part else {
            return;
        };
        let (key, noun) = (kind.count_key(), kind.noun());
        let section = &mut self.scene.sections[part.section];
        if section.count_line == 0 {
            section.count_line = line.number();
        }
        if let Some(first) = part.count_line.replace(line.number()) {
            self.text.report(&rules::COUNT, line.key, || {
                format!("duplicate `{key}`; the first is on line {first}")
            });
            return;
        }
        if kind.count(&self.scene) > part.records_before {
            self.text.report(&rules::LINE, line.key, || {
                format!("`{key}` after the first `{noun}`; expected before it")
            });
        }
        let mut words = line.words();
        let expected = format!("`{key} <number>`");
        let announced = self.count(&rules::HEADER_LINE, line, words.next(), &expected);
        if announced.is_some() {
            self.check_extra_words(words);
        }
        if let Some(part) = &mut self.part {
            part.announced = announced;
        }
    }

    /// Reads a line of `general`.
    fn read_setting(&mut self, line: &Line<'a>) {
        self.text.problems.cause = self.line_cause;
        let general = &mut self.scene.general;
        let number = line.number();
        let (folder, rest) = match line.quoted_name() {
            Some((folder, rest)) => (Some(folder), Some(rest)),
            None => (None, line.rest),
        };
        let mut rest = rest.into_iter().flat_map(words);
        let mut color: Option<[i32; 4]> = None;
        let (first, is_read) = match line.key.text {
            b"skybox" => {
                let skybox = folder.zip(rest.next()).map(|(folder, extension)| Skybox {
                    folder: string(folder.text),
                    extension: string(extension.text),
                });
                set(&mut general.skybox, number, skybox)
            }
            b"ambient_light_color" => {
                color = numbers(&mut rest).ok();
                set(&mut general.ambient_light_color, number, color)
            }
            b"emit_light_color" => {
                color = numbers(&mut rest).ok();
                set(&mut general.emit_light_color, number, color)
            }
            b"emit_light_pos" => {
                let position = numbers(&mut rest)
                    .ok()
                    .filter(|it: &[f32; 3]| it.iter().all(|it| it.is_finite()));
                set(&mut general.emit_light_pos, number, position)
            }
            _ if line.rest.is_none() => {
                self.text
                    .wrong(&rules::LINE, line.key, "a line of `general`");
                return;
            }
            _ => {
                general.other.push(unknown_line(self.text.bytes, line));
                self.suggest(line, "setting", SETTINGS.iter().map(|(key, _)| *key));
                return;
            }
        };
        if let Some(first) = first {
            self.text.report(&rules::ATTRIBUTE_TWICE, line.key, || {
                let key = quoted(line.key.text);
                format!("duplicate {key}; the first is on line {first}")
            });
        }
        let key = line.key.text;
        let mut settings = SETTINGS.iter();
        let expected = settings.find(|(known, _)| known.as_bytes() == key);
        let comma = line.words().find(|word| has_decimal_comma(word.text));
        if is_read {
            self.check_extra_words(rest);
            self.check_color(line, color.into_iter().flatten().map(|part| part as f32));
        } else if let Some(comma) = comma.filter(|_| key == b"emit_light_pos") {
            let lost = "values with such numbers are left out";
            let rule = &rules::DECIMAL_COMMA;
            self.text.report_decimal_comma(rule, comma.into(), lost);
        } else if let Some((_, expected)) = expected {
            self.text.wrong(&rules::RECORD, line.found(), expected);
        }
    }

    fn read_diplomacy(&mut self, line: &Line<'a>) {
        self.text.problems.cause = self.line_cause;
        let mut words = line.words();
        let Ok([faction, other, state]) = numbers(&mut words) else {
            self.text
                .wrong(&rules::RECORD, line.found(), DIPLOMACY_LINE);
            self.lost();
            return;
        };
        self.check_extra_words(words);
        let line = line.number();
        if let Some(first) = self.states.insert((faction, other), line) {
            let place = Place::line(line);
            self.text.report(&rules::DIPLOMACY_TWICE, place, || {
                format!(
                    "duplicate diplomacy of factions {faction} and {other}; the first is on \
                     line {first}"
                )
            });
            self.lost();
        }
        self.scene.diplomacy.push(Diplomacy {
            faction,
            other,
            state,
            line,
        });
    }
}

/// Stores a value of `general`, if it could be read. Returns the line of the previous value, if
/// any, and `true` if the new value was stored.
fn set<T>(setting: &mut Option<Setting<T>>, line: u64, value: Option<T>) -> (Option<u64>, bool) {
    let first = setting.as_ref().map(|setting| setting.line);
    let is_read = value.is_some();
    if let Some(value) = value {
        *setting = Some(Setting { value, line });
    }
    (first, is_read)
}

/// Returns a line unchanged, with its indentation.
fn unknown_line(text: &[u8], line: &Line<'_>) -> UnknownLine {
    let whole = line.whole(text);
    let indent = whole.place.1 as usize - 1;
    let start = whole.start - indent;
    UnknownLine {
        text: string(&text[start..whole.start + whole.text.len()]),
        line: line.number(),
    }
}
