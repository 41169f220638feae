//! Reading PFSCENE (fact sheet C).
//!
//! A section begins with its `section` line, or with the line that announces its records. A record
//! keeps as many attributes as it announces, regardless of their keys. After damage, reading
//! resumes at the next line that begins a section, a count or a record; the skipped lines are one
//! problem.

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

/// Bytes between two calls of the watcher.
const WATCH_BYTES: usize = 1 << 16;
/// Forms of lines in messages.
const VERSION_LINE: &str = "`version <major>.<minor>`";
const NUM_SECTIONS_LINE: &str = "`num_sections <number of sections>`";
const SECTION_LINE: &str = "`section \"<name>\"`";
const DIPLOMACY_LINE: &str = "`diplomacy <faction> <faction> <state>`";
/// The lines of `general` by their first words.
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
        // The number may be missing.
        Some(b"version") => words.take(2).any(|word| word == b"num_sections"),
        Some(b"num_factions") => words.nth(1) == Some(b"faction"),
        Some(b"num_entities") => words.nth(1) == Some(b"entity"),
        _ => false,
    }
}

/// Reads a scene.
///
/// Faults that leave the rest readable are listed in [`Pfscene::problems`]. The announced numbers
/// of records are only compared with the actual ones. The memory in use is bounded by the length of
/// `bytes`.
///
/// # Errors
/// If there is no section.
pub fn read(bytes: &[u8]) -> Result<Pfscene, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher. The watcher gets the progress, from 0 to 1, now and then, and can stop
/// the reading.
///
/// # Errors
/// Same as [`read`], and [`ReadError::Cancelled`] if the watcher breaks.
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

/// Records the spelling of the lines from which the scene was read.
fn layout(bytes: &[u8], scene: &Pfscene) -> Layout {
    let mut layout = scene.layout.clone();
    let mut found = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    lines::for_each_line(scene, &mut |line, plain| {
        let Some(index) = line.checked_sub(1) else {
            return;
        };
        // The writer's order is nearly always that of the file. Lines out of order get the writer's
        // spelling.
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

    /// The section that lists them.
    fn section(self) -> &'static SectionKind {
        &KNOWN_SECTIONS[1 + self as usize]
    }

    /// The first word of the line with their number.
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

    /// The form of a record's first line in messages.
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

/// The part that a line begins, by its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Section,
    /// The line with the number of records.
    Count(Kind),
    Record(Kind),
    Diplomacy,
}

/// First words of lines, and the part that each begins.
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

    /// `true` if a line outside a record begins a part. An attribute does not, regardless of its
    /// key.
    fn is_at(line: &[u8]) -> bool {
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

/// A section while it is read. A section that occurs twice is read in two parts with announced
/// numbers of their own.
#[derive(Debug, Default)]
struct Part {
    /// Index of the section.
    section: usize,
    /// The kind of its records, if it has any.
    kind: Option<Kind>,
    /// Line that begins the part.
    line: u64,
    /// Number of records of its kind, and of lines of diplomacy, before the part.
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
    /// By [`KNOWN_SECTIONS`]: the index of the section.
    known_sections: [Option<usize>; 5],
    /// By kind: `true` if the file names their section anywhere. It is set when an unknown section
    /// begins.
    section_is_named: Option<[bool; 4]>,
    /// Number of sections begun.
    parts: usize,
    /// The damage that explains a wrong number of sections.
    section_damage: Option<Cause>,
    /// By kind: the damage that explains a wrong number of records.
    damages: [Option<Cause>; 4],
    /// The problem that the file ends too early.
    cut: Option<Cause>,
    /// Same as `cut`, or a problem of the whole current line.
    line_cause: Option<Cause>,
    /// The line of each pair of factions in the diplomacy.
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

    /// Makes later problems of the record consequences of the last one.
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

    /// Skips to the next line that begins a part.
    fn skip<'f>(&mut self, rule: &'static Rule, found: impl Into<Found<'f>>, expected: &str) {
        self.text.skip_to(rule, found, expected, LineKind::is_at);
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

    /// Describes after how many records the file ends, if its last section announces more.
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
            // A blank line may be in its place.
            self.damaged();
            let goes_on = |line: &[u8]| {
                let first = first_words(line).next().unwrap_or_default();
                LineKind::is_at(line) || first == key.as_bytes() || first == b"num_sections"
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

    /// Parses a number of entries; a missing number breaks `rule`.
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

    /// Warns of words after the part of a line that is read.
    fn check_extra_words(&mut self, mut after: impl Iterator<Item = Word<'a>>) {
        if let Some(extra) = after.next() {
            let message = "extra words on the line; they are ignored";
            self.text.warn(&rules::EXTRA_WORDS, extra, message);
            self.damaged();
        }
    }

    /// Reports a number that differs from the announced one; returns `true` if it does.
    fn check_count(
        &mut self,
        announced: AnnouncedCount,
        announces: &str,
        count: usize,
        noun: &str,
    ) -> bool {
        let is_other = announced.count != count as u64;
        if is_other {
            self.text.report(&rules::COUNT, announced.place, || {
                format!("{announces} {announced}; found {}", counted(count, noun))
            });
        }
        is_other
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
                // The name of a known section may be damaged if its count follows.
                let is_other = match begin {
                    Some(LineKind::Section) => false,
                    Some(LineKind::Count(kind)) => {
                        let section_is_named = self
                            .section_is_named
                            .is_some_and(|named| named[kind as usize]);
                        section_is_named || !lines.is_empty()
                    }
                    _ => true,
                };
                if is_other {
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

    /// Begins the section of some records if another one is open.
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
            // The section begins twice, so the first one lacks records.
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

    /// Begins a section. `name` is the word with its name, `line` is its first line or 0 without
    /// one, and `begin` is the first line of this part.
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

    /// Compares the ending section with its announced numbers, and returns its damage.
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

    /// Checks that each pair of factions has a line of diplomacy.
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

/// Sets a value of `general`, if it could be read. Returns the line of the previous value, and
/// whether the value was read.
fn set<T>(setting: &mut Option<Setting<T>>, line: u64, value: Option<T>) -> (Option<u64>, bool) {
    let first = setting.as_ref().map(|setting| setting.line);
    let is_read = value.is_some();
    if let Some(value) = value {
        *setting = Some(Setting { value, line });
    }
    (first, is_read)
}

/// Keeps a line unchanged, with the spaces before it.
fn unknown_line(text: &[u8], line: &Line<'_>) -> UnknownLine {
    let whole = line.whole(text);
    let indent = whole.place.1 as usize - 1;
    let start = whole.start - indent;
    UnknownLine {
        text: string(&text[start..whole.start + whole.text.len()]),
        line: line.number(),
    }
}
