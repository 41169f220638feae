//! Reading PFSCENE (fact sheet C).
//!
//! Every line is read for what its first word says it is, whatever the numbers before it announce,
//! so that a line too many or too few spoils nothing but what it belongs to.

mod check;

pub use check::MAX_LENGTH;

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;

use super::{
    Attribute, Attributes, Camera, Diplomacy, Entity, Faction, General, Layout, Pfscene, Region,
    Section, SectionKind, Setting, Skybox, Tag, UnknownLine, Value, ValueType, lines, rules,
    version_number,
};
use crate::cursor::{Found, Text, Word, first_words, has_decimal_comma, is_separator, text_place};
use crate::{Cause, Message, Place, ReadError, Rule, Subject, conflict, counted, quoted};

/// Bytes between two looks at whether anyone still waits for the file.
const WATCH_BYTES: usize = 1 << 16;
/// The engine has room for names of factions up to this length, and of everything else.
const ENGINE_FACTION_NAME_BYTES: usize = 31;
const ENGINE_NAME_BYTES: usize = 127;
/// What the engine reads of factions and cameras, which it tells by their order.
const FACTION_ATTRIBUTES: [(&str, ValueType); 2] = [
    ("color", ValueType::Vec3),
    ("controllable", ValueType::Bool),
];
const CAMERA_ATTRIBUTES: [(&str, ValueType); 3] = [
    ("position", ValueType::Vec3),
    ("pitch", ValueType::Float),
    ("yaw", ValueType::Float),
];

/// Says whether a file that begins with these bytes is a PFSCENE file, whole or cut short.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    let mut words = first_words(bytes);
    // The number may be missing.
    words.next() == Some(b"version") && words.take(2).any(|word| word == b"num_sections")
}

/// Reads a scene.
///
/// Whatever does not keep the rest from being shown is in [`Pfscene::problems`]. Numbers of entries
/// are taken for promises: what there is is read, whatever they say. The memory in use is bounded by
/// the length of `bytes`.
///
/// # Errors
/// When there is no section.
pub fn read(bytes: &[u8]) -> Result<Pfscene, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher, which is told now and then how much is done, from 0 to 1, and can
/// stop it.
///
/// # Errors
/// As [`read`], and [`ReadError::Cancelled`] when the watcher breaks.
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
        Ok(scene)
    };
    conflict::read(bytes, &rules::CONFLICT, read, |scene| &mut scene.problems)
}

/// How the lines of a file are spelt that the scene was read from.
fn layout(bytes: &[u8], scene: &Pfscene) -> Layout {
    let mut layout = scene.layout.clone();
    let mut found = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    lines::for_each_line(scene, &mut |line, plain| {
        let Some(index) = line.checked_sub(1) else {
            return;
        };
        // The writer's order is that of the file nearly everywhere: what it gives out of order is
        // written in its own spelling.
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

/// What a section with records lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Faction,
    Entity,
    Region,
    Camera,
}

impl Kind {
    /// What the records of a section are.
    fn of(section: &SectionKind) -> Option<Self> {
        match section {
            SectionKind::Factions => Some(Self::Faction),
            SectionKind::Entities => Some(Self::Entity),
            SectionKind::Regions => Some(Self::Region),
            SectionKind::Cameras => Some(Self::Camera),
            SectionKind::General | SectionKind::Unknown { .. } => None,
        }
    }

    /// The first word of a record, and the whole line as messages name it.
    fn line(self) -> (&'static str, &'static str) {
        match self {
            Self::Faction => ("faction", "`faction \"<name>\"`"),
            Self::Entity => (
                "entity",
                "`entity <name> <path of the model> <number of attributes>`",
            ),
            Self::Region => ("region", "`region <name> <type> <number of attributes>`"),
            Self::Camera => ("camera", "`camera <name>`"),
        }
    }

    /// How many of them a scene has.
    fn count(self, scene: &Pfscene) -> usize {
        match self {
            Self::Faction => scene.factions.len(),
            Self::Entity => scene.entities.len(),
            Self::Region => scene.regions.len(),
            Self::Camera => scene.cameras.len(),
        }
    }

    /// What problems of one of them are about.
    fn subject(self, index: usize) -> Subject {
        let index = index as u32;
        match self {
            Self::Faction => Subject::Faction(index),
            Self::Entity => Subject::SceneEntity(index),
            Self::Region => Subject::Region(index),
            Self::Camera => Subject::Camera(index),
        }
    }

    /// The attributes that the engine tells by their order.
    fn ordered(self, is_1_1: bool) -> &'static [(&'static str, ValueType)] {
        match self {
            Self::Faction if is_1_1 => &FACTION_ATTRIBUTES,
            Self::Faction => &FACTION_ATTRIBUTES[..1],
            Self::Camera => &CAMERA_ATTRIBUTES,
            Self::Entity | Self::Region => &[],
        }
    }
}

/// A record while its attributes are read.
struct Record {
    kind: Kind,
    name: String,
    /// Of an entity.
    model: String,
    /// Of a region.
    shape_type: u32,
    attributes: Attributes,
    /// Of a record with more than [`FEW_ATTRIBUTES`], where each key stood last.
    lines: HashMap<String, u64>,
    line: u64,
    /// How many attributes it is to have, if it says.
    promise: Option<Promise>,
    /// The index of an attribute that lists arguments or tags while its list is read, and how many there are to
    /// be.
    list: Option<(usize, Promise)>,
    /// How many of the attributes that are told by their order there are or are missing.
    due: usize,
    /// That a line of it is none of an attribute that it may have: it may be one too many, or stand for
    /// one that is missing.
    odd_line: Option<Cause>,
    /// The keys that were meant where others stand, and what was said of that.
    misspelt: Vec<(String, Cause)>,
}

/// A name with spaces in it has no more words, or is none.
const MAX_NAME_WORDS: usize = 8;
/// The line that begins a section, as messages name it.
const SECTION_LINE: &str = "`section \"<name>\"`";
/// The line of what factions are to each other, as messages name it.
const DIPLOMACY_LINE: &str = "`diplomacy <faction> <faction> <state>`";
/// Keys of so many attributes are compared one by one; the engine knows fewer.
const FEW_ATTRIBUTES: usize = 32;

impl Record {
    /// Whether it has fewer attributes than it says.
    fn is_short(&self) -> bool {
        let count = self.attributes.0.len() as u64;
        self.promise.is_some_and(|promise| count < promise.count)
    }

    /// How many arguments or tags are left to be read; none where none are listed.
    fn left_to_list(&self) -> Option<u64> {
        let (attribute, promise) = self.list?;
        let listed = self.attributes.0.get(attribute)?.value.listed();
        promise.count.checked_sub(listed as u64)
    }

    /// What the attribute lists whose list is read.
    fn listed(&self) -> Option<&Value> {
        let (attribute, _) = self.list?;
        Some(&self.attributes.0.get(attribute)?.value)
    }

    fn listed_mut(&mut self) -> Option<&mut Value> {
        let (attribute, _) = self.list?;
        Some(&mut self.attributes.0.get_mut(attribute)?.value)
    }

    /// The line of the last attribute of a key that was added.
    fn line_of(&self, key: &str) -> Option<u64> {
        if self.attributes.0.len() <= FEW_ATTRIBUTES {
            self.attributes.get(key).map(|attribute| attribute.line)
        } else {
            self.lines.get(key).copied()
        }
    }

    fn add(&mut self, attribute: Attribute) {
        let attributes = &mut self.attributes.0;
        attributes.push(attribute);
        if attributes.len() > FEW_ATTRIBUTES {
            let is_first = self.lines.is_empty();
            let from = if is_first { 0 } else { attributes.len() - 1 };
            let added = attributes[from..].iter();
            self.lines
                .extend(added.map(|attribute| (attribute.key.clone(), attribute.line)));
        }
    }
}

/// A number of entries that is announced.
#[derive(Debug, Clone, Copy)]
struct Promise {
    count: u64,
    place: Place,
}

impl Promise {
    /// The number that a word is, if it is one.
    fn of(word: Word<'_>) -> Option<Self> {
        let place = word.into();
        word.count().map(|count| Self { count, place })
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            u64::MAX => f.write_str("more than 64 bits can hold"),
            count => write!(f, "{count}"),
        }
    }
}

/// A section while it is read. One that the file has twice is read in two parts, each of which
/// announces its own entries.
#[derive(Debug)]
struct Part {
    /// Index of the section.
    section: usize,
    /// Line that begins the part.
    line: u64,
    /// How many records of its kind came before it, and how many lines of diplomacy.
    records_before: usize,
    diplomacy_before: usize,
    /// That a pair of factions has two lines of diplomacy.
    diplomacy_again: Option<Cause>,
    /// The line with the number of its entries, if there was one, and whether it is said already that
    /// there is none.
    count_line: Option<u64>,
    lacks_count: bool,
    promise: Option<Promise>,
    /// Why it may have fewer records than are announced.
    lost: Option<Cause>,
}

/// The sections that the engine knows.
const KNOWN_SECTIONS: [SectionKind; 5] = [
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
    /// Of a scene that does not say its version, whether its lines are those of version 1.1.
    is_1_1: Option<bool>,
    /// The record that attributes belong to.
    record: Option<Record>,
    /// The section that is read.
    part: Option<Part>,
    /// The index of the section of each kind that is known, in the order of [`KNOWN_SECTIONS`], and the first
    /// line of it that there is.
    known_sections: [Option<(usize, u64)>; KNOWN_SECTIONS.len()],
    /// How many sections were begun.
    parts: usize,
    /// That lines belong to nothing, since the line that should begin their section or record is missing or
    /// cannot be read. Those that follow say nothing more.
    stray: Option<Cause>,
    /// That a section cannot be told from the one before it, or comes twice.
    section_cause: Option<Cause>,
    /// That the last record or the last section ends too early, with the file.
    cut: Option<Cause>,
    /// Where diplomacy is said for the first time, by factions, and that it is said twice of two.
    states: HashMap<(u32, u32), u64>,
    diplomacy_again: Option<Cause>,
    /// What follows the first word of the line that began the record.
    record_text: &'a [u8],
    /// That factions lack an attribute, which all of them may.
    lacks_alike: Option<Cause>,
    /// How many factions there should be, and the problem that there are fewer.
    faction_count: Option<(u64, Cause)>,
    /// When the last line was read, as the problems have it.
    end_of_lines: usize,
    /// That the file ends before all records that its last section says it has.
    early_end: Option<String>,
    next_watch: usize,
}

/// A line of which the first word is read: that word, and what follows it.
struct Line<'a> {
    key: Word<'a>,
    rest: Option<Word<'a>>,
    /// That the line ends, and where.
    end: Found<'static>,
}

impl<'a> Line<'a> {
    fn number(&self) -> u64 {
        self.key.place.0
    }

    /// The words after the first.
    fn words(&self) -> impl Iterator<Item = Word<'a>> {
        self.rest.into_iter().flat_map(words)
    }

    /// A name in quotation marks after the first word, and what follows it.
    fn quoted_name(&self) -> Option<(Word<'a>, Word<'a>)> {
        let rest = self.rest?;
        if rest.text.first() != Some(&b'"') {
            return None;
        }
        let length = rest.text[1..].iter().position(|byte| *byte == b'"')?;
        let after = rest.part(length + 2..rest.text.len());
        (length > 0).then(|| (rest.part(1..length + 1), after))
    }

    /// What follows the first word.
    fn found(&self) -> Found<'a> {
        self.rest.map_or_else(|| self.end.clone(), Found::from)
    }
}

/// The words of a text on one line.
fn words(text: Word<'_>) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.text.get(at..)?;
        let start = at + rest.iter().position(|byte| !is_separator(*byte))?;
        let rest = &text.text[start..];
        let end = rest.iter().position(|byte| is_separator(*byte));
        at = end.map_or(text.text.len(), |end| start + end);
        Some(text.part(start..at))
    })
}

/// What a word is without quotation marks around it, of which one may be missing.
fn between_quotes(word: Word<'_>) -> Option<Word<'_>> {
    let is_quote = |byte: &u8| *byte == b'"';
    let start = word.text.iter().position(|byte| !is_quote(byte))?;
    let end = word.text[start..].iter().position(is_quote);
    Some(word.part(start..end.map_or(word.text.len(), |end| start + end)))
}

/// The parts of a word between quotation marks, before the first and after the last.
fn split_at_quotes(word: Word<'_>) -> impl Iterator<Item = Word<'_>> {
    let mut start = 0;
    let parts = word.text.split(|byte| *byte == b'"').map(move |part| {
        let range = start..start + part.len();
        start = range.end + 1;
        word.part(range)
    });
    parts.filter(|part| !part.text.is_empty())
}

/// Sets a value of `general` that could be read.
fn set<T>(setting: &mut Option<Setting<T>>, line: u64, value: Option<T>) -> bool {
    let value = value.map(|value| Setting { value, line });
    let is_read = value.is_some();
    *setting = value.or(setting.take());
    is_read
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes, &rules::TEXT_RULES),
            scene: Pfscene {
                version: String::new(),
                sections: Vec::new(),
                general: General::default(),
                factions: Vec::new(),
                diplomacy: Vec::new(),
                entities: Vec::new(),
                regions: Vec::new(),
                cameras: Vec::new(),
                layout: Layout::new(bytes),
                problems: Vec::new(),
            },
            is_1_1: None,
            record: None,
            part: None,
            known_sections: [None; KNOWN_SECTIONS.len()],
            parts: 0,
            stray: None,
            section_cause: None,
            cut: None,
            states: HashMap::new(),
            diplomacy_again: None,
            record_text: &[],
            lacks_alike: None,
            faction_count: None,
            end_of_lines: 0,
            early_end: None,
            next_watch: 0,
        }
    }

    /// The next line that has any words. Blank lines are said to be there.
    fn line(&mut self) -> Option<Line<'a>> {
        let line = self.text.line;
        let key = self.text.word(true)?;
        if key.place.0 != line {
            self.text.report(&rules::BLANK_LINE, (line, 1), || {
                "a blank line; the engine refuses it".to_owned()
            });
        }
        let rest = self.text.words();
        let end = self.text.line_ends();
        self.check_nul();
        self.text.skip_line();
        Some(Line { key, rest, end })
    }

    /// Reads the two lines before the sections, and gives the number of sections.
    fn read_head(&mut self) -> Result<Option<Promise>, ReadError> {
        let expected = "`version <major>.<minor>`";
        let other = [b"num_sections".as_slice()];
        match self.head_line(b"version", expected, &other)? {
            Some((line, is_misspelt)) => self.read_version(&line, expected, is_misspelt),
            None => self.guess_version(),
        }
        let expected = "`num_sections <number of sections>`";
        let promise = match self.head_line(b"num_sections", expected, &[])? {
            Some((line, is_misspelt)) => self.read_section_number(&line, expected, is_misspelt),
            None => return Ok(None),
        };
        Ok(promise)
    }

    /// The next line of the head if it begins with a word, or stands for one that does; also says which. Lines
    /// before it are too many. None where another line is in its place.
    fn head_line(
        &mut self,
        key: &[u8],
        expected: &str,
        others: &[&[u8]],
    ) -> Result<Option<(Line<'a>, bool)>, ReadError> {
        let mut is_said = false;
        loop {
            let Some(word) = self.text.indented_line_word() else {
                let end = self.text.file_ends();
                return Err(end.error(&rules::HEADER_LINE, expected));
            };
            self.text.unread(word);
            if word.text == key {
                return Ok(self.line().map(|line| (line, false)));
            }
            if !std::mem::replace(&mut is_said, true) {
                self.text.wrong(&rules::HEADER_LINE, word, expected);
            }
            if word.text == b"section" || others.contains(&word.text) {
                return Ok(None);
            }
            let Some(line) = self.line() else {
                return Ok(None);
            };
            if !self.text.next_line_is(key) {
                return Ok(Some((line, true)));
            }
        }
    }

    /// Reads the line of the version, of which it may be said already that it is misspelt or out of place.
    fn read_version(&mut self, line: &Line<'a>, expected: &str, is_said: bool) {
        let mut words = line.words();
        let word = words.next();
        let version = word.and_then(|word| version_number(&string(word.text)));
        if let Some(word) = word.filter(|_| !is_said || version.is_some()) {
            self.scene.version = string(word.text);
        }
        let Some(version) = version else {
            if let Some(word) = word.filter(|word| has_decimal_comma(word.text)) {
                let lost = "the version is not known";
                let rule = &rules::DECIMAL_COMMA;
                self.text.decimal_comma(rule, word.into(), lost);
            } else if !is_said {
                self.text.wrong(&rules::HEADER_LINE, line.found(), expected);
            }
            self.guess_version();
            return;
        };
        self.is_1_1 = None;
        if version > [1, 1] {
            self.text.report(&rules::VERSION, line.found().place, || {
                let [major, minor] = version;
                format!("version {major}.{minor}; the engine reads versions up to 1.1")
            });
        }
        self.check_no_more_words(words);
    }

    /// Takes the version for the one that the lines are of, where the file does not say it.
    fn guess_version(&mut self) {
        let mut lines = self.text.bytes.split(|byte| *byte == b'\n');
        let of_1_1: [&[u8]; 2] = [b"controllable", b"diplomacy"];
        self.is_1_1 = Some(lines.any(|line| {
            let line = line.trim_ascii_start();
            of_1_1.iter().any(|key| line.starts_with(key))
        }));
    }

    /// Whether the scene is of version 1.1, or looks like it if it does not say.
    fn is_1_1(&self) -> bool {
        self.is_1_1.unwrap_or_else(|| self.scene.is_1_1())
    }

    /// Reads the line with the number of sections, of which it may be said already that it is misspelt or out
    /// of place.
    fn read_section_number(
        &mut self,
        line: &Line<'a>,
        expected: &str,
        is_said: bool,
    ) -> Option<Promise> {
        self.scene.layout.num_sections_line = line.number();
        let mut words = line.words();
        let number = words.next();
        if is_said {
            return number.and_then(Promise::of);
        }
        let promise = self.count(&rules::HEADER_LINE, line, number, expected)?;
        self.check_no_more_words(words);
        Some(promise)
    }

    /// A number of entries, with the rule that a line without one breaks.
    fn count(
        &mut self,
        rule: &'static Rule,
        line: &Line<'a>,
        word: Option<Word<'a>>,
        expected: &str,
    ) -> Option<Promise> {
        let count = word.and_then(|word| word.count());
        if count.is_none() {
            let found = word.map_or_else(|| line.found(), Found::from);
            self.text.wrong(rule, found, expected);
        }
        word.and_then(Promise::of)
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
            if line.key.text == b"section" {
                self.begin_section(&line);
                continue;
            }
            if line.key.text == b"num_sections" && self.scene.layout.num_sections_line == 0 {
                // That it is not where it should be has been said.
                self.scene.layout.num_sections_line = line.number();
                continue;
            }
            if self.stands_for_section(&line) {
                self.misplaced(&line, SECTION_LINE);
                self.begin_section(&line);
                continue;
            }
            if let Some(kind) = self.begun_by_count(&line) {
                self.begin_section_without_line(&line, kind);
            } else if let Some(kind) = self.begun_by_record(&line) {
                self.begin_section_without_line(&line, kind);
                // That it lacks its number too is no other problem.
                if let Some(part) = &mut self.part {
                    part.lacks_count = true;
                }
            }
            let Some(section) = self.part.as_ref().map(|part| part.section) else {
                self.misplaced_after(&line, SECTION_LINE);
                self.section_cause = self.section_cause.or(self.stray);
                continue;
            };
            match &mut self.scene.sections[section].kind {
                SectionKind::General => self.read_setting(&line),
                SectionKind::Unknown { lines, .. } => {
                    let indent = line.key.place.1 as usize - 1;
                    let text = &self.text.bytes[line.key.start - indent..self.text.pos];
                    lines.push(UnknownLine {
                        text: string(text.trim_ascii_end()),
                        line: line.number(),
                    });
                }
                kind => {
                    if let Some(kind) = Kind::of(kind) {
                        self.read_record_line(section, kind, &line);
                    }
                }
            }
        }
        self.end_of_lines = self.text.problems.moment();
        let lacks = |record: &Record| record.is_short() || self.missing_attribute(record).is_some();
        let is_short = self.record.as_ref().is_some_and(lacks) || self.lacks_records();
        self.early_end = self.early_end();
        self.end_section();
        if is_short {
            self.cut = self.text.problems.first_since(self.end_of_lines);
        }
        if let Some(cause) = self.cut {
            self.text.problems.fold_since(self.end_of_lines, cause);
        }
        if self.scene.sections.is_empty() {
            let expected = SECTION_LINE;
            let end = self.text.file_ends();
            let first = self.text.first_error.take();
            return Err(first.unwrap_or_else(|| end.error(&rules::LINE, expected)));
        }
        Ok(())
    }

    /// Whether the section that is read has fewer records than it announces, or not even their number.
    fn lacks_records(&self) -> bool {
        let Some((kind, records)) = self.records_of_part() else {
            return false;
        };
        self.part.as_ref().is_some_and(|part| match part.promise {
            Some(promise) => records < promise.count,
            None => kind.is_some() && part.count_line.is_none() && records == 0,
        })
    }

    /// The kind of the records of the section that is read, and how many it has so far.
    fn records_of_part(&self) -> Option<(Option<Kind>, u64)> {
        let part = self.part.as_ref()?;
        let section = self.scene.sections.get(part.section);
        let kind = section.and_then(|section| Kind::of(&section.kind));
        let records = kind.map_or(0, |kind| kind.count(&self.scene)) - part.records_before;
        Some((kind, (records + usize::from(self.record.is_some())) as u64))
    }

    /// After how many records the file ends that says it has more, in words.
    fn early_end(&self) -> Option<String> {
        let (kind, records) = self.records_of_part()?;
        let promise = self.part.as_ref()?.promise;
        let promised = promise.map(|promise| promise.count);
        let promised = promised.filter(|promised| records < *promised)?;
        let read = counted(records as usize, kind?.line().0);
        Some(format!("the file ends after {read}; expected {promised}"))
    }

    /// Lists a line that has no place where it stands.
    fn misplaced(&mut self, line: &Line<'a>, expected: &str) {
        self.text.wrong(&rules::LINE, line.key, expected);
    }

    /// The same for the first of several lines that belong to nothing.
    fn misplaced_after(&mut self, line: &Line<'a>, expected: &str) {
        if self.stray.is_none() {
            self.misplaced(line, expected);
            self.stray = self.text.problems.last();
            if let Some(part) = &mut self.part {
                part.lost = part.lost.or(self.stray);
            }
        }
    }

    /// Whether a line with another first word stands for the one that begins a section: it names one, and
    /// the number of its entries follows.
    fn stands_for_section(&self, line: &Line<'a>) -> bool {
        let Some((name, _)) = line.quoted_name() else {
            return false;
        };
        let mut kinds = KNOWN_SECTIONS.iter();
        let kind = kinds.find(|kind| kind.name().as_bytes() == name.text);
        kind.is_some_and(|kind| self.count_follows(kind))
    }

    /// Whether the next line has the number of entries of a section.
    fn count_follows(&self, kind: &SectionKind) -> bool {
        let count = kind.count_key();
        count.is_some_and(|count| self.text.next_line_is(count.as_bytes()))
    }

    /// The section that a line with a number of entries begins, where that is another one.
    fn begun_by_count(&self, line: &Line<'a>) -> Option<&'static SectionKind> {
        let is_named = |kind: &&SectionKind| {
            let count = kind.count_key();
            count.is_some_and(|count| count.as_bytes() == line.key.text)
        };
        let begun = KNOWN_SECTIONS.iter().find(is_named)?;
        self.is_elsewhere(begun).then_some(begun)
    }

    /// The section that a line with a record begins, where that is another one.
    fn begun_by_record(&self, line: &Line<'a>) -> Option<&'static SectionKind> {
        let is_begun = |section: &&SectionKind| {
            let kind = Kind::of(section);
            kind.is_some_and(|kind| {
                kind.line().0.as_bytes() == line.key.text && self.stands_for_record(kind, line)
            })
        };
        let begun = KNOWN_SECTIONS.iter().find(is_begun)?;
        self.is_elsewhere(begun).then_some(begun)
    }

    /// Whether a section is not the one that is read; what an unknown one has is not known.
    fn is_elsewhere(&self, begun: &SectionKind) -> bool {
        let open = self.part.as_ref().map(|part| part.section);
        let open = open.and_then(|section| self.scene.sections.get(section));
        match open.map(|section| &section.kind) {
            Some(SectionKind::Unknown { .. }) => false,
            open => open != Some(begun),
        }
    }

    /// Begins a section whose first line is missing, with the one that has the number of its entries.
    fn begin_section_without_line(&mut self, line: &Line<'a>, kind: &SectionKind) {
        self.end_section();
        if self.stray.is_none() {
            let expected = format!("`section \"{}\"`", kind.name());
            self.misplaced(line, &expected);
        }
        self.enter_section(line.key, kind.clone(), [0, line.number()]);
    }

    fn begin_section(&mut self, line: &Line<'a>) {
        let known_name = |name: Word<'_>| {
            let mut kinds = KNOWN_SECTIONS.iter();
            kinds.find(|kind| kind.name().as_bytes() == name.text)
        };
        if self.is_section_again(line) {
            return;
        }
        self.end_section();
        self.stray = None;
        let quoted_name = line.quoted_name();
        let name = if let Some((name, after)) = quoted_name {
            self.check_no_more(after);
            name
        } else {
            self.text.wrong(&rules::RECORD, line.found(), SECTION_LINE);
            let cause = self.text.problems.last();
            // One that is known, wherever its quotation marks are.
            let names = || line.words().flat_map(split_at_quotes);
            let known = names().find(|name| known_name(*name).is_some());
            let Some(name) = known.or_else(|| names().next()) else {
                self.stray = cause;
                return;
            };
            name
        };
        let kind = if let Some(kind) = known_name(name) {
            kind.clone()
        } else {
            if quoted_name.is_some() {
                let names = "`general`, `factions`, `entities`, `regions` or `cameras`";
                self.text.wrong(&rules::SECTION, name, names);
            }
            // What it has is known by the number of its entries.
            let mut kinds = KNOWN_SECTIONS.iter();
            match kinds.find(|kind| self.count_follows(kind)) {
                Some(kind) => kind.clone(),
                None => SectionKind::Unknown {
                    name: string(name.text),
                    lines: Vec::new(),
                },
            }
        };
        self.enter_section(name, kind, [line.number(); 2]);
    }

    /// Whether a line begins the section again that the line before it begins, and says so.
    fn is_section_again(&mut self, line: &Line<'a>) -> bool {
        let Some(part) = &self.part else {
            return false;
        };
        let section = &self.scene.sections[part.section];
        let name = line.quoted_name().map(|(name, _)| name);
        let again = name.filter(|name| {
            name.text == section.kind.name().as_bytes() && line.number() == part.line + 1
        });
        if let Some(name) = again {
            let first = part.line;
            let twice = format!(
                "{} for the second time; the first is in line {first}",
                quoted(name.text)
            );
            match section.kind.count_key() {
                // The engine reads it as that.
                Some(key) => self.text.report(&rules::COUNT, name, || {
                    Message::read_so(format!("{twice}; expected `{key} <number>`"))
                }),
                None => self.text.report(&rules::SECTION_TWICE, name, || twice),
            }
            self.section_cause = self.section_cause.or(self.text.problems.last());
        }
        again.is_some()
    }

    /// Begins a section whose name stands in a word, with its first line, or 0 if there is none, and the
    /// first line of this part of it.
    fn enter_section(&mut self, name: Word<'a>, kind: SectionKind, [line, begin]: [u64; 2]) {
        self.stray = None;
        let known = KNOWN_SECTIONS.iter().position(|known| *known == kind);
        let sections = &mut self.scene.sections;
        let first = known.and_then(|number| self.known_sections[number]);
        let section = if let Some((first, first_line)) = first {
            self.text.report(&rules::SECTION_TWICE, name, || {
                let name = kind.name();
                format!("`{name}` for the second time; the first is in line {first_line}")
            });
            self.section_cause = self.section_cause.or(self.text.problems.last());
            first
        } else {
            sections.push(Section {
                kind,
                line,
                count_line: 0,
            });
            let section = sections.len() - 1;
            if let Some(number) = known {
                self.known_sections[number] = Some((section, begin));
            }
            section
        };
        let records = Kind::of(&self.scene.sections[section].kind);
        self.parts += 1;
        self.part = Some(Part {
            section,
            line: begin,
            records_before: records.map_or(0, |kind| kind.count(&self.scene)),
            diplomacy_before: self.scene.diplomacy.len(),
            diplomacy_again: None,
            count_line: None,
            lacks_count: false,
            promise: None,
            lost: None,
        });
    }

    /// Looks at whether the section that ends has what it announced.
    fn end_section(&mut self) {
        self.end_record();
        let Some(part) = self.part.take() else {
            return;
        };
        let section = &self.scene.sections[part.section].kind;
        let Some(kind) = Kind::of(section) else {
            return;
        };
        let key = section.count_key().unwrap_or_default();
        let count = kind.count(&self.scene) - part.records_before;
        if let Some(promise) = part.promise {
            self.check_count(
                promise,
                &format!("`{key}` says"),
                count,
                kind.line().0,
                [part.lost, None],
            );
            let is_short = kind == Kind::Faction && promise.count > count as u64;
            let cause = part.lost.or(self.text.problems.last());
            if let Some(cause) = cause.filter(|_| is_short) {
                self.faction_count = Some((promise.count, cause));
            }
        } else if part.count_line.is_none() && !part.lacks_count {
            self.text.report(&rules::COUNT, (part.line, 1), || {
                format!("no line `{key} <number>`")
            });
        }
        let pairs = count.saturating_mul(count);
        let found = self.scene.diplomacy.len() - part.diplomacy_before;
        // Where there are more or fewer factions than announced, it may be for those that there should be.
        let promised = part.promise.map(|promise| u128::from(promise.count).pow(2));
        let is_whole = found == pairs || promised == Some(found as u128);
        if kind == Kind::Faction && self.is_1_1() && !is_whole {
            // Factions as older versions have them come without.
            let of_older = self.lacks_alike.filter(|_| found == 0);
            let again = part.diplomacy_again.filter(|_| found > pairs);
            let cause = part.lost.or(again).or(of_older);
            let place = (part.line, 1);
            self.text.report_after(cause, &rules::COUNT, place, || {
                if found == 0 {
                    return format!(
                        "no `diplomacy`; expected {} in version 1.1, one for each pair of factions",
                        counted(pairs, "line")
                    );
                }
                let found = counted(found, "line");
                format!("{found} of `diplomacy`; expected {pairs}, one for each pair of factions")
            });
        }
    }

    /// Reads the line with the number of entries of a section, of which it may be said already that it is
    /// misspelt.
    fn read_section_count(
        &mut self,
        section: usize,
        line: &Line<'a>,
        key: &'static str,
        is_misspelt: bool,
    ) {
        let kind = Kind::of(&self.scene.sections[section].kind);
        let records = kind.map_or(0, |kind| kind.count(&self.scene));
        let section = &mut self.scene.sections[section];
        if section.count_line == 0 {
            section.count_line = line.number();
        }
        let first = self.part.as_ref().and_then(|part| part.count_line);
        if let Some(first) = first {
            self.text.report(&rules::COUNT, line.key, || {
                format!("`{key}` for the second time; the first is in line {first}")
            });
            return;
        }
        let before = self.part.as_ref().map_or(0, |part| part.records_before);
        if let Some(kind) = kind
            && (self.record.is_some() || records > before)
        {
            self.text.report(&rules::LINE, line.key, || {
                let noun = kind.line().0;
                format!("`{key}` after the first `{noun}`; expected before it")
            });
        }
        let mut words = line.words();
        let promise = if is_misspelt {
            words.next().and_then(Promise::of)
        } else {
            let expected = format!("`{key} <number>`");
            let promise = self.count(&rules::HEADER_LINE, line, words.next(), &expected);
            if promise.is_some() {
                self.check_no_more_words(words);
            }
            promise
        };
        if let Some(part) = &mut self.part {
            part.count_line = Some(line.number());
            part.promise = promise;
        }
    }

    /// Whether a line stands for the one with the number of entries of the section that it begins.
    fn stands_for_count(&self, kind: Kind, line: &Line<'a>) -> bool {
        let is_first = self.part.as_ref().is_some_and(|part| {
            part.count_line.is_none()
                && !part.lacks_count
                && part.records_before == kind.count(&self.scene)
        });
        let mut words = line.words();
        let has_number = words.next().is_some_and(|word| word.count().is_some());
        is_first && self.record.is_none() && has_number && words.next().is_none()
    }

    fn read_setting(&mut self, line: &Line<'a>) {
        let color = "<red> <green> <blue> <alpha>`, whole numbers from 0 to 255";
        let expected = match line.key.text {
            b"skybox" => "`skybox \"<folder>\" <extension>`".to_owned(),
            b"ambient_light_color" => format!("`ambient_light_color {color}"),
            b"emit_light_color" => format!("`emit_light_color {color}"),
            b"emit_light_pos" => "`emit_light_pos <x> <y> <z>`".to_owned(),
            _ => {
                self.misplaced(line, "a line of `general`");
                return;
            }
        };
        if let Some(first) = self.setting_line(line.key.text) {
            self.text.report(&rules::ATTRIBUTE_TWICE, line.key, || {
                let key = quoted(line.key.text);
                format!("{key} for the second time; the first is in line {first}")
            });
        }
        if !self.read_general(line) {
            let comma = line.words().find(|word| has_decimal_comma(word.text));
            if let Some(comma) = comma.filter(|_| line.key.text == b"emit_light_pos") {
                let lost = "values with such numbers are left out";
                self.text
                    .decimal_comma(&rules::DECIMAL_COMMA, comma.into(), lost);
            } else {
                self.text.wrong(&rules::RECORD, line.found(), &expected);
            }
        }
    }

    /// The line of a value of `general`, if there is one.
    fn setting_line(&self, key: &[u8]) -> Option<u64> {
        let general = &self.scene.general;
        match key {
            b"skybox" => general.skybox.as_ref().map(|it| it.line),
            b"ambient_light_color" => general.ambient_light_color.as_ref().map(|it| it.line),
            b"emit_light_color" => general.emit_light_color.as_ref().map(|it| it.line),
            _ => general.emit_light_pos.as_ref().map(|it| it.line),
        }
    }

    /// Reads a line of `general`, if it can be read.
    fn read_general(&mut self, line: &Line<'a>) -> bool {
        let general = &mut self.scene.general;
        let number = line.number();
        match line.key.text {
            b"skybox" => {
                let Some((folder, after)) = line.quoted_name() else {
                    return false;
                };
                let mut words = words(after);
                let skybox = words.next().map(|extension| Skybox {
                    folder: string(folder.text),
                    extension: string(extension.text),
                });
                let is_read = set(&mut general.skybox, number, skybox);
                self.check_no_more_words(words);
                is_read
            }
            b"emit_light_pos" => {
                let mut words = line.words();
                let position = numbers(&mut words).ok();
                let is_finite = |position: &[f32; 3]| position.iter().all(|part| part.is_finite());
                let is_read = set(
                    &mut general.emit_light_pos,
                    number,
                    position.filter(is_finite),
                );
                if is_read {
                    self.check_no_more_words(words);
                }
                is_read
            }
            key => {
                let mut words = line.words();
                let color: Option<[i32; 4]> = numbers(&mut words).ok();
                let slot = if key == b"ambient_light_color" {
                    &mut general.ambient_light_color
                } else {
                    &mut general.emit_light_color
                };
                let is_read = set(slot, number, color);
                if let Some(color) = color {
                    self.check_no_more_words(words);
                    self.check_color(line, color.map(|part| part as f32));
                }
                is_read
            }
        }
    }

    /// Reads a line of a section with records.
    fn read_record_line(&mut self, section: usize, kind: Kind, line: &Line<'a>) {
        let (first_word, expected) = kind.line();
        let key = line.key.text;
        match self.scene.sections[section].kind.count_key() {
            Some(count) if count.as_bytes() == key => {
                self.read_section_count(section, line, count, false);
            }
            Some(count) if self.stands_for_count(kind, line) => {
                self.misplaced(line, &format!("`{count} <number>`"));
                self.read_section_count(section, line, count, true);
            }
            _ if key == first_word.as_bytes() => self.begin_record(kind, line),
            _ if kind == Kind::Faction && key == b"diplomacy" => self.read_diplomacy(line),
            _ if kind == Kind::Faction && stands_for_diplomacy(line) => {
                self.misplaced(line, DIPLOMACY_LINE);
                self.read_diplomacy(line);
            }
            _ if self.stands_for_record(kind, line) => {
                self.misplaced(line, expected);
                self.begin_record(kind, line);
            }
            _ if self.lacks_first_line(line) => {
                self.end_record();
                self.stray = None;
                self.misplaced_after(line, expected);
            }
            _ => self.read_attribute(line, expected),
        }
    }

    /// Whether a line with an unknown first word has what the first line of a record has, and no attribute.
    fn stands_for_record(&self, kind: Kind, line: &Line<'a>) -> bool {
        let first = line.words().next();
        if first.is_none_or(|word| ValueType::of(word.text).is_some()) {
            return false;
        }
        let words: Vec<Word<'_>> = line.words().take(4).collect();
        let is_number = |word: &Word<'_>| word.number::<f64>().is_some();
        let is_path = |word: &Word<'_>| {
            !is_number(word) && word.text.iter().any(|byte| matches!(byte, b'/' | b'.'))
        };
        let is_list = self.record.as_ref().is_some_and(|it| it.list.is_some());
        match (kind, &words[..]) {
            (Kind::Faction, _) => line.quoted_name().is_some() && line.key.text != b"tag",
            (Kind::Entity, [_, model, count]) => {
                !is_list && is_path(model) && count.count().is_some()
            }
            (Kind::Region, [name, shape, count]) => {
                !is_number(name)
                    && matches!(shape.text, b"0" | b"1")
                    && count.count().is_some()
                    && !check::is_region_attribute(line.key.text)
            }
            (Kind::Camera, [name]) => {
                let is_whole = |it: &Record| it.attributes.0.len() >= CAMERA_ATTRIBUTES.len();
                !is_number(name) && self.record.as_ref().is_none_or(is_whole)
            }
            _ => false,
        }
    }

    /// Whether a line is the first attribute of an entity or region whose own line is missing: the one
    /// before has all its attributes, the one that follows this line among them.
    fn lacks_first_line(&self, line: &Line<'a>) -> bool {
        let Some(record) = &self.record else {
            return false;
        };
        let is_whole = record.promise.is_some()
            && !record.is_short()
            && record.left_to_list().is_none_or(|left| left == 0);
        let has = |key: &[u8]| {
            let key = std::str::from_utf8(key).ok();
            key.is_some_and(|key| record.line_of(key).is_some())
        };
        let next = first_words(self.text.rest()).next();
        let first = line.words().next();
        let is_typed = first.is_some_and(|word| ValueType::of(word.text).is_some());
        is_whole && is_typed && next.is_some_and(has)
    }

    fn read_diplomacy(&mut self, line: &Line<'a>) {
        self.end_record();
        let mut words = line.words();
        let Ok([faction, other, state]) = numbers(&mut words) else {
            self.text
                .wrong(&rules::RECORD, line.found(), DIPLOMACY_LINE);
            let cause = self.text.problems.last();
            if let Some(part) = &mut self.part {
                part.lost = part.lost.or(cause);
            }
            return;
        };
        self.check_no_more_words(words);
        if let Some(first) = self.states.insert((faction, other), line.number()) {
            let place = Place::line(line.number());
            self.text.report(&rules::DIPLOMACY_TWICE, place, || {
                format!(
                    "factions {faction} and {other} for the second time; the first is in line {first}"
                )
            });
            let again = self.text.problems.last();
            self.diplomacy_again = self.diplomacy_again.or(again);
            if let Some(part) = &mut self.part {
                part.diplomacy_again = part.diplomacy_again.or(again);
            }
        }
        self.scene.diplomacy.push(Diplomacy {
            faction,
            other,
            state,
            line: line.number(),
        });
    }

    /// Reads the first line of a record.
    fn begin_record(&mut self, kind: Kind, line: &Line<'a>) {
        let text = line.rest.map_or(&[][..], |rest| rest.text);
        let again = self.record.as_ref().filter(|record| {
            let is_empty = record.attributes.0.is_empty()
                && record.promise.is_none_or(|promise| promise.count > 0);
            is_empty && record.line + 1 == line.number() && self.record_text == text
        });
        if let Some(first) = again.map(|record| record.line) {
            self.text.report(&rules::LINE, line.key, || {
                let key = quoted(line.key.text);
                format!("{key} for the second time; the first is in line {first}")
            });
            return;
        }
        self.record_text = text;
        self.end_record();
        let expected = kind.line().1;
        self.text.problems.subject = kind.subject(kind.count(&self.scene));
        self.stray = None;
        let mut rest = line.words();
        let mut name = if kind == Kind::Faction {
            self.faction_name(line)
        } else {
            rest.next()
        };
        let has_detail = matches!(kind, Kind::Entity | Kind::Region);
        let mut detail = if has_detail { rest.next() } else { None };
        if kind == Kind::Entity
            && let Some((spaced, model)) = spaced_name(line)
        {
            self.text.wrong(&rules::RECORD, spaced, expected);
            (name, detail) = (Some(spaced), Some(model));
            rest.by_ref()
                .take_while(|word| word.start != model.start)
                .count();
        }
        let Some(name) = name.filter(|_| detail.is_some() || !has_detail) else {
            self.text.wrong(&rules::RECORD, line.found(), expected);
            self.stray = self.text.problems.last();
            if let Some(part) = &mut self.part {
                part.lost = part.lost.or(self.stray);
            }
            self.text.problems.subject = Subject::File;
            return;
        };
        let max_bytes = if kind == Kind::Faction {
            ENGINE_FACTION_NAME_BYTES
        } else {
            ENGINE_NAME_BYTES
        };
        self.check_name(name, max_bytes);
        let mut record = Record {
            kind,
            name: string(name.text),
            model: String::new(),
            shape_type: 0,
            attributes: Attributes::default(),
            lines: HashMap::new(),
            line: line.number(),
            promise: None,
            list: None,
            due: 0,
            odd_line: None,
            misspelt: Vec::new(),
        };
        if let Some(detail) = detail {
            record.promise = self.count(&rules::RECORD, line, rest.next(), expected);
            if kind == Kind::Entity {
                record.model = string(detail.text);
            } else {
                record.shape_type = self.read_shape_type(detail);
            }
        }
        if kind != Kind::Faction {
            self.check_no_more_words(rest);
        }
        self.record = Some(record);
    }

    /// The name of a faction, which says what is wrong with its quotation marks; none where there is no
    /// name.
    fn faction_name(&mut self, line: &Line<'a>) -> Option<Word<'a>> {
        if let Some((name, after)) = line.quoted_name() {
            self.check_no_more(after);
            return Some(name);
        }
        let name = between_quotes(line.rest?)?;
        let name = name.part(0..name.text.trim_ascii_end().len());
        if name.text.is_empty() {
            return None;
        }
        let expected = Kind::Faction.line().1;
        self.text.wrong(&rules::RECORD, line.found(), expected);
        Some(name)
    }

    fn read_shape_type(&mut self, word: Word<'a>) -> u32 {
        let shape_type = word.number();
        if shape_type.is_none_or(|shape_type| shape_type > 1) {
            let found = word;
            let expected = "0 for a circle or 1 for a rectangle";
            self.text.wrong(&rules::REGION_SHAPE, found, expected);
        }
        shape_type.unwrap_or(u32::MAX)
    }

    /// Warns of what follows all that is read of a line.
    fn check_no_more(&mut self, after: Word<'a>) {
        self.check_no_more_words(words(after));
    }

    fn check_no_more_words(&mut self, mut after: impl Iterator<Item = Word<'a>>) {
        if let Some(extra) = after.next() {
            self.text.report(&rules::EXTRA_WORDS, extra, || {
                "more on the line than is read; it is ignored".to_owned()
            });
        }
    }

    fn check_name(&mut self, name: Word<'a>, max_bytes: usize) {
        if name.text.len() > max_bytes {
            self.text
                .report(&rules::NAME, text_place(name.place, max_bytes), || {
                    let (name, bytes) = (quoted(name.text), name.text.len());
                    format!("{name} has {bytes} bytes; the engine reads {max_bytes} of them")
                });
        }
    }

    /// Reads a line of the record that is open: an attribute, or a line of what the attribute before
    /// it lists. `expected` is what begins a record.
    fn read_attribute(&mut self, line: &Line<'a>, expected: &str) {
        let Some(mut record) = self.record.take() else {
            self.misplaced_after(line, expected);
            return;
        };
        if !self.read_of_list(line, &mut record) {
            self.read_own_attribute(line, &mut record);
        }
        self.record = Some(record);
    }

    /// Reads an attribute of a record.
    fn read_own_attribute(&mut self, line: &Line<'a>, record: &mut Record) {
        if self.is_no_attribute(record, line) {
            let (cause, expected) = (record.odd_line, check::expected_in(record.kind));
            self.text
                .wrong_after(cause, &rules::LINE, line.key, expected);
            record.odd_line = record.odd_line.or(self.text.problems.last());
            return;
        }
        let moment = self.text.problems.moment();
        let mut attribute = Attribute {
            key: string(line.key.text),
            value: self.read_value(line, line.rest),
            line: line.number(),
        };
        let of_value = self.text.problems.moment();
        self.check_attribute(record, &attribute, line);
        if attribute.value.value_type().is_none() {
            record.odd_line = record.odd_line.or(self.text.problems.last());
        }
        // What is wrong with a line has one cause.
        let problems = &mut self.text.problems;
        let cause = problems.first_since(of_value);
        if let Some(cause) = cause.or(problems.first_since(moment)) {
            problems.fold_since(moment, cause);
        }
        if record.kind == Kind::Entity
            && let Some(promise) = self.begin_list(&mut attribute, line)
        {
            self.end_list(record);
            record.list = Some((record.attributes.0.len(), promise));
        }
        record.add(attribute);
    }

    /// Reads a line of what an attribute lists, or one among those, and says whether it is one. While more are
    /// to come, a line before one of them that is none of them is one too many, or stands for one.
    fn read_of_list(&mut self, line: &Line<'a>, record: &mut Record) -> bool {
        let is_listed = |key: &[u8]| key == b"tag" || ValueType::of(key).is_some();
        if record.list.is_none() {
            if record.kind != Kind::Entity || !is_listed(line.key.text) {
                return false;
            }
            // The line before the list is missing, or misspelt.
            let expected = match line.key.text {
                b"tag" => "`tags int <number of tags>`",
                _ => "`constructor_arguments int <number of values>`",
            };
            let cause = record.odd_line;
            self.text
                .wrong_after(cause, &rules::LINE, line.key, expected);
            record.odd_line = record.odd_line.or(self.text.problems.last());
            return true;
        }
        if self.read_listed(line, record) {
            return true;
        }
        let left = record.left_to_list().unwrap_or(0);
        let (key, expected) = match record.listed() {
            Some(Value::Tags(_)) => ("tag", "`tag \"<text>\"`"),
            _ => ("", "a type and a value"),
        };
        let rest = self.text.rest().split(|byte| *byte == b'\n');
        let keys = rest.map(|line| first_words(line).next().unwrap_or_default());
        let follow = keys.take_while(|it| match key {
            "" => ValueType::of(it).is_some(),
            key => *it == key.as_bytes(),
        });
        let follow = follow
            .take(usize::try_from(left).unwrap_or(usize::MAX))
            .count() as u64;
        let first = line.words().next();
        let is_typed = first.is_some_and(|word| ValueType::of(word.text).is_some());
        // The last of them may be misspelt; an attribute is none of them.
        let is_last = left == 1 && follow == 0 && !is_typed && stands_for_listed(line, key);
        if left == 0 || (follow == 0 && !is_last) {
            self.end_list(record);
            return false;
        }
        self.text.wrong(&rules::RECORD, line.key, expected);
        record.odd_line = record.odd_line.or(self.text.problems.last());
        if is_typed {
            // An attribute among them.
            let moment = self.text.problems.moment();
            self.read_own_attribute(line, record);
            if let Some(cause) = record.odd_line {
                self.text.problems.fold_since(moment, cause);
            }
        } else if follow < left {
            self.add_listed(line, record);
        }
        true
    }

    /// Adds a line that cannot be read to a list.
    fn add_listed(&mut self, line: &Line<'a>, record: &mut Record) {
        let (number, text) = (line.number(), self.whole(line));
        match record.listed_mut() {
            Some(Value::Tags(tags)) => {
                // Without a text it is none.
                let name = line.quoted_name().map(|(name, _)| string(name.text));
                tags.extend(name.map(|text| Tag { text, line: number }));
            }
            Some(Value::Arguments(arguments)) => arguments.push(Attribute {
                key: String::new(),
                value: Value::Unreadable(string(text.text)),
                line: number,
            }),
            _ => {}
        }
    }

    /// All words of a line.
    fn whole(&self, line: &Line<'a>) -> Word<'a> {
        let start = line.key.start;
        let end = line.rest.map_or(start + line.key.text.len(), |rest| {
            rest.start + rest.text.len()
        });
        Word {
            text: &self.text.bytes[start..end],
            ..line.key
        }
    }

    /// Makes a list of an attribute that is one, and gives the number of what it lists.
    fn begin_list(&mut self, attribute: &mut Attribute, line: &Line<'a>) -> Option<Promise> {
        let count = attribute.value.int()?;
        attribute.value = match attribute.key.as_str() {
            "constructor_arguments" => Value::Arguments(Vec::new()),
            "tags" => Value::Tags(Vec::new()),
            _ => return None,
        };
        let place = line.found().place;
        if count < 0 {
            self.text.report(&rules::COUNT, place, || {
                format!("found {count}; expected 0 or more")
            });
        }
        let count = u64::try_from(count).unwrap_or(0);
        Some(Promise { count, place })
    }

    /// Reads a line of what an attribute lists, if it is one.
    fn read_listed(&mut self, line: &Line<'a>, record: &mut Record) -> bool {
        match record.listed_mut() {
            Some(Value::Tags(tags)) if line.key.text == b"tag" => {
                let text = if let Some((text, after)) = line.quoted_name() {
                    self.check_no_more(after);
                    Some(text)
                } else {
                    self.text
                        .wrong(&rules::RECORD, line.found(), "`tag \"<text>\"`");
                    line.rest.and_then(between_quotes)
                };
                tags.push(Tag {
                    text: text.map_or_else(String::new, |text| string(text.text)),
                    line: line.number(),
                });
                true
            }
            Some(Value::Arguments(arguments)) if ValueType::of(line.key.text).is_some() => {
                // Type and value are the whole line.
                let whole = self.whole(line);
                arguments.push(Attribute {
                    key: String::new(),
                    value: self.read_value(line, Some(whole)),
                    line: line.number(),
                });
                true
            }
            _ => false,
        }
    }

    /// Reads a type and a value.
    fn read_value(&mut self, line: &Line<'a>, text: Option<Word<'a>>) -> Value {
        let types = "`string`, `int`, `float`, `bool`, `vec2`, `vec3` or `quat`";
        let Some(text) = text else {
            self.text.wrong(&rules::VALUE, line.end.clone(), types);
            return Value::Unreadable(String::new());
        };
        let mut values = words(text);
        let Some((word, value_type)) = values
            .next()
            .and_then(|word| Some((word, ValueType::of(word.text)?)))
        else {
            let word = words(text).next().unwrap_or(text);
            self.text.wrong(&rules::VALUE, word, types);
            return Value::Unreadable(string(text.text));
        };
        if value_type == ValueType::String {
            let value = text.text[word.text.len()..].trim_ascii();
            if value.is_empty() {
                self.text
                    .wrong(&rules::VALUE, line.end.clone(), value_type.pattern());
                return Value::Unreadable(string(text.text));
            }
            return Value::String(string(value));
        }
        let read = match value_type {
            ValueType::Int => number(&mut values).map(Value::Int),
            ValueType::Bool => match values.next() {
                Some(word) if word.text == b"0" => Ok(Value::Bool(false)),
                Some(word) if word.text == b"1" => Ok(Value::Bool(true)),
                other => Err(other),
            },
            ValueType::Vec2 => numbers(&mut values).map(Value::Vec2),
            ValueType::Vec3 => numbers(&mut values).map(Value::Vec3),
            ValueType::Quat => numbers(&mut values).map(Value::Quat),
            ValueType::Float | ValueType::String => number(&mut values).map(Value::Float),
        };
        match read {
            Ok(value) => {
                let numbers = value.numbers();
                if let Some(bad) = numbers.iter().position(|number| !number.is_finite()) {
                    // Behind the type.
                    let bad = words(text).nth(1 + bad).unwrap_or(text);
                    self.text.report_alike(&rules::NOT_FINITE, bad, || {
                        format!("{}; expected a finite number", Found::from(bad))
                    });
                }
                self.check_no_more_words(values);
                value
            }
            Err(bad) => {
                let found = bad.map_or_else(|| line.end.clone(), Found::from);
                if bad.is_some_and(|word| has_decimal_comma(word.text)) {
                    let lost = "values with such numbers are left out";
                    self.text.decimal_comma(&rules::DECIMAL_COMMA, found, lost);
                } else {
                    self.text.wrong(&rules::VALUE, found, value_type.pattern());
                }
                Value::Unreadable(string(text.text))
            }
        }
    }

    /// Looks at whether as many arguments or tags follow as were announced.
    fn end_list(&mut self, record: &mut Record) {
        let noun = match record.listed() {
            Some(Value::Tags(_)) => "tag",
            _ => "value",
        };
        let count = record.listed().map_or(0, Value::listed);
        if let Some((_, promise)) = record.list.take() {
            self.check_count(promise, "announces", count, noun, [record.odd_line; 2]);
        }
    }

    /// Says that there are more or fewer of something than was announced, if it is so. That one is
    /// known to be missing may be why there are fewer, and that one is none why there are more.
    fn check_count(
        &mut self,
        promise: Promise,
        announces: &str,
        count: usize,
        noun: &str,
        [missing, extra]: [Option<Cause>; 2],
    ) {
        if promise.count != count as u64 {
            let is_short = (count as u64) < promise.count;
            let cause = if is_short { missing } else { extra };
            self.text
                .report_after(cause, &rules::COUNT, promise.place, || {
                    let there_are = match (count, noun) {
                        (1, _) => format!("there is 1 {noun}"),
                        (_, "entity") => format!("there are {count} entities"),
                        _ => format!("there are {count} {noun}s"),
                    };
                    format!("{announces} {promise}; {there_are}")
                });
        }
    }

    /// Adds the record that is open to the scene, and looks at whether it has what it needs.
    fn end_record(&mut self) {
        let Some(mut record) = self.record.take() else {
            return;
        };
        self.end_list(&mut record);
        let odd_line = record.odd_line;
        let missing = self.missing_attribute(&record);
        let lacks = missing.and_then(|key| {
            let mut misspelt = record.misspelt.iter();
            let meant = misspelt.find(|(meant, _)| meant == key);
            let cause = meant.map(|(_, cause)| *cause).or(odd_line);
            self.report_missing(record.kind, record.line, key, cause)
        });
        if let Some(promise) = record.promise {
            let count = record.attributes.0.len();
            let causes = [odd_line.or(lacks), odd_line];
            self.check_count(promise, "announces", count, "attribute", causes);
        }
        self.text.problems.subject = Subject::File;
        self.add_record(record);
    }

    /// The key of the first attribute that a record needs and does not have.
    fn missing_attribute(&self, record: &Record) -> Option<&'static str> {
        let lacks = |key: &&str| record.attributes.get(key).is_none();
        match record.kind {
            Kind::Entity => ["position", "scale", "rotation"].into_iter().find(lacks),
            Kind::Region => {
                let extent = match record.shape_type {
                    0 => Some("radius"),
                    1 => Some("dimensions"),
                    _ => None,
                };
                extent.into_iter().chain(["pos"]).find(lacks)
            }
            kind @ (Kind::Faction | Kind::Camera) => {
                let next = kind.ordered(self.is_1_1()).get(record.due);
                next.map(|(key, _)| *key)
            }
        }
    }

    fn add_record(&mut self, record: Record) {
        let Record {
            kind,
            name,
            model,
            shape_type,
            attributes,
            line,
            ..
        } = record;
        let scene = &mut self.scene;
        match kind {
            Kind::Faction => scene.factions.push(Faction {
                name,
                attributes,
                line,
            }),
            Kind::Entity => scene.entities.push(Entity {
                name,
                model,
                attributes,
                line,
            }),
            Kind::Region => scene.regions.push(Region {
                name,
                shape_type,
                attributes,
                line,
            }),
            Kind::Camera => scene.cameras.push(Camera {
                name,
                attributes,
                line,
            }),
        }
    }
}

/// Whether a line with another first word stands for one of diplomacy.
fn stands_for_diplomacy(line: &Line<'_>) -> bool {
    let mut words = line.words();
    numbers::<u32, 3>(&mut words).is_ok() && words.next().is_none()
}

/// Whether a line with another first word stands for one of a list: a tag, or a value.
fn stands_for_listed(line: &Line<'_>, key: &str) -> bool {
    let first = line.words().next();
    match key {
        "tag" => line.quoted_name().is_some(),
        _ => first.is_some_and(|word| word.number::<f32>().is_some()),
    }
}

/// The name of an entity that has spaces in it, and the path of the model behind it.
fn spaced_name<'a>(line: &Line<'a>) -> Option<(Word<'a>, Word<'a>)> {
    let rest = line.rest?;
    let words: Vec<Word<'_>> = words(rest).take(MAX_NAME_WORDS + 3).collect();
    let (count, before) = words.split_last()?;
    let (model, name) = before.split_last()?;
    let is_spaced = name.len() > 1 && name.len() <= MAX_NAME_WORDS;
    // The third word would be the number.
    let is_counted = words.get(2).is_some_and(|word| word.count().is_some());
    let last = name.last()?;
    let end = last.start + last.text.len() - rest.start;
    (is_spaced && !is_counted && count.count().is_some() && model.text.contains(&b'/'))
        .then(|| (rest.part(0..end), *model))
}

/// The number that the next word is; what it is otherwise, none where there is none.
fn number<'a, T: std::str::FromStr>(
    words: &mut impl Iterator<Item = Word<'a>>,
) -> Result<T, Option<Word<'a>>> {
    let word = words.next();
    word.and_then(|word| word.number()).ok_or(word)
}

fn numbers<'a, T: std::str::FromStr + Default + Copy, const N: usize>(
    words: &mut impl Iterator<Item = Word<'a>>,
) -> Result<[T; N], Option<Word<'a>>> {
    let mut numbers = [T::default(); N];
    for slot in &mut numbers {
        *slot = number(words)?;
    }
    Ok(numbers)
}
