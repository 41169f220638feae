//! Records: a first line, and the attributes below it.

use std::collections::HashMap;

use super::super::{
    Attribute, Attributes, Camera, Entity, Faction, Region, Tag, Value, ValueType, rules,
};
use super::line::{self, Line, string, words};
use super::{AnnouncedCount, Kind, LineKind, Reader};
use crate::cursor::{Found, Word, has_decimal_comma, text_place};
use crate::{Message, Place, Subject, counted, quoted};

/// Maximum length of the names of factions, and of all other names, in the engine.
const ENGINE_FACTION_NAME_BYTES: usize = 31;
const ENGINE_NAME_BYTES: usize = 127;
/// Up to this number of attributes, keys are compared one by one.
const LINEAR_SEARCH_LIMIT: usize = 32;

/// A record while its attributes are read.
pub(super) struct Record {
    pub kind: Kind,
    name: String,
    /// Only for entities.
    model: String,
    /// Only for regions.
    shape_type: u32,
    pub attributes: Attributes,
    line: u64,
    /// The announced number of attributes, if any.
    announced: Option<AnnouncedCount>,
    /// Number of attributes still expected; `None` if it is unknown.
    room: Option<u64>,
    /// The arguments or tags that are being read.
    list: Option<List>,
    /// The known attributes that it has, one bit for each.
    pub seen: u32,
    /// `true` if the file ends in it.
    pub is_last: bool,
}

/// The arguments or tags of an attribute while they are read.
struct List {
    /// Index of the attribute.
    attribute: usize,
    announced: AnnouncedCount,
    /// Number of lines still expected.
    left: u64,
}

impl<'a> Reader<'a> {
    /// Reads the first line of a record.
    pub(super) fn begin_record(&mut self, kind: Kind, line: &Line<'a>) {
        self.text.problems.cause = self.line_cause;
        self.text.problems.subject = kind.subject(kind.count(&self.scene));
        self.keys.clear();
        let expected = kind.line();
        let mut rest = line.words();
        let name = match kind {
            Kind::Faction => Some(self.faction_name(line, expected)),
            _ => rest.next(),
        };
        let has_detail = matches!(kind, Kind::Entity | Kind::Region);
        let detail = if has_detail { rest.next() } else { None };
        let Some(name) = name.filter(|_| detail.is_some() || !has_detail) else {
            self.text.problems.subject = Subject::File;
            self.skip(&rules::RECORD, line.found(), expected);
            return;
        };
        self.check_name(name, kind);
        let mut record = Record {
            kind,
            name: string(name.text),
            model: String::new(),
            shape_type: 0,
            attributes: Attributes::default(),
            line: line.number(),
            announced: None,
            room: kind.fixed_count(self.version),
            list: None,
            seen: 0,
            is_last: false,
        };
        if let Some(detail) = detail {
            record.announced = self.count(&rules::RECORD, line, rest.next(), expected);
            record.room = record.announced.map(|announced| announced.count);
            match kind {
                Kind::Entity => record.model = string(detail.text),
                _ => record.shape_type = self.read_shape_type(detail),
            }
        }
        if kind != Kind::Faction {
            self.check_extra_words(rest);
        }
        self.record = Some(record);
    }

    /// Returns the name of a faction. A name without quotation marks is reported, and used
    /// unchanged.
    fn faction_name(&mut self, line: &Line<'a>, expected: &str) -> Word<'a> {
        if let Some((name, after)) = line.quoted_name() {
            self.check_extra_words(words(after));
            return name;
        }
        self.text.wrong(&rules::RECORD, line.found(), expected);
        self.damaged();
        let end = line.key.part(line.key.text.len()..line.key.text.len());
        line.rest.unwrap_or(end)
    }

    fn read_shape_type(&mut self, word: Word<'a>) -> u32 {
        let shape_type = word.number();
        if shape_type.is_none_or(|shape_type| shape_type > 1) {
            let expected = "0 for a rectangle or 1 for a circle";
            self.text.wrong(&rules::REGION_SHAPE, word, expected);
            self.damaged();
        }
        shape_type.unwrap_or(u32::MAX)
    }

    fn check_name(&mut self, name: Word<'a>, kind: Kind) {
        let max_bytes = match kind {
            Kind::Faction => ENGINE_FACTION_NAME_BYTES,
            _ => ENGINE_NAME_BYTES,
        };
        if name.text.len() > max_bytes {
            let place = text_place(name.place, max_bytes);
            self.text.report(&rules::NAME, place, || {
                let (name, bytes) = (quoted(name.text), name.text.len());
                format!("{name} has {bytes} bytes; the engine reads at most {max_bytes}")
            });
        }
    }

    /// Reads a line of the open record, if it belongs to it. Otherwise the record ends.
    pub(super) fn continue_record(&mut self, line: &Line<'a>) -> bool {
        let Some(mut record) = self.record.take() else {
            return false;
        };
        let is_read = self.read_listed(line, &mut record) || self.read_attribute(line, &mut record);
        self.record = Some(record);
        if !is_read {
            self.end_record();
        }
        is_read
    }

    /// Reads an argument or a tag, if the line is an announced one.
    fn read_listed(&mut self, line: &Line<'a>, record: &mut Record) -> bool {
        let Some(list) = record.list.as_mut().filter(|list| list.left > 0) else {
            return false;
        };
        match &mut record.attributes.0[list.attribute].value {
            Value::Tags(tags) if line.key.text == b"tag" => {
                if let Some((text, after)) = line.quoted_name() {
                    self.check_extra_words(words(after));
                    let (text, line) = (string(text.text), line.number());
                    tags.push(Tag { text, line });
                } else {
                    let expected = "`tag \"<text>\"`";
                    self.text.wrong(&rules::RECORD, line.found(), expected);
                    self.damaged();
                }
            }
            Value::Arguments(arguments) if ValueType::of(line.key.text).is_some() => {
                arguments.push(Attribute {
                    key: String::new(),
                    value: self.read_value(line, Some(line.whole(self.text.bytes))),
                    line: line.number(),
                });
            }
            _ => {
                self.end_list(record);
                return false;
            }
        }
        list.left -= 1;
        true
    }

    /// Reads an attribute. A record owns as many lines as it announces, regardless of their keys. A
    /// line without a type is damaged: it ends the record if it begins another one, and otherwise
    /// does not count.
    fn read_attribute(&mut self, line: &Line<'a>, record: &mut Record) -> bool {
        let value_type = line.value_type();
        let begins = line.rest.is_some() && LineKind::of(line.key.text).is_some();
        if record.room == Some(0) || (value_type.is_none() && begins) {
            return false;
        }
        self.end_list(record);
        if let Some(value_type) = value_type {
            self.check_key(record, value_type, line);
        }
        let mut attribute = Attribute {
            key: string(line.key.text),
            value: self.read_value(line, line.rest),
            line: line.number(),
        };
        if value_type.is_some() {
            record.room = record.room.map(|room| room - 1);
            self.check_value(record.kind, &attribute, line);
            if record.kind == Kind::Entity {
                self.begin_list(&mut attribute, line, record);
            }
        } else if record.kind.is_ordered() {
            return true;
        }
        self.keys.push(line.key);
        record.attributes.0.push(attribute);
        true
    }

    /// Turns an attribute that announces arguments or tags into a list.
    fn begin_list(&mut self, attribute: &mut Attribute, line: &Line<'a>, record: &mut Record) {
        let Some(count) = attribute.value.int() else {
            return;
        };
        attribute.value = match attribute.key.as_str() {
            "constructor_arguments" => Value::Arguments(Vec::new()),
            "tags" => Value::Tags(Vec::new()),
            _ => return,
        };
        let place = line.found().place;
        if count < 0 {
            self.text.report(&rules::COUNT, place, || {
                format!("found {count}; expected 0 or more")
            });
        }
        let count = u64::try_from(count).unwrap_or(0);
        record.list = Some(List {
            attribute: record.attributes.0.len(),
            announced: AnnouncedCount { count, place },
            left: count,
        });
    }

    /// Ends the arguments or tags, and reports missing ones.
    fn end_list(&mut self, record: &mut Record) {
        let Some(list) = record.list.take().filter(|list| list.left > 0) else {
            return;
        };
        let (count, noun) = match &record.attributes.0[list.attribute].value {
            Value::Tags(tags) => (tags.len(), "tag"),
            Value::Arguments(arguments) => (arguments.len(), "value"),
            _ => return,
        };
        self.check_count(list.announced, "declares", count, noun);
        self.damaged();
    }

    /// Reads a type and a value.
    fn read_value(&mut self, line: &Line<'a>, text: Option<Word<'a>>) -> Value {
        let unreadable = || Value::Unreadable(text.map_or_else(String::new, |it| string(it.text)));
        let mut values = text.into_iter().flat_map(words);
        let first = values.next();
        let value_type = first.and_then(|word| ValueType::of(word.text));
        let (Some(text), Some(first), Some(value_type)) = (text, first, value_type) else {
            let types = "`string`, `int`, `float`, `bool`, `vec2`, `vec3` or `quat`";
            let found = first.map_or_else(|| line.end.clone(), Found::from);
            self.text.wrong(&rules::VALUE, found, types);
            self.lost();
            return unreadable();
        };
        let read = if value_type == ValueType::String {
            let value = text.text[first.text.len()..].trim_ascii();
            if !value.is_empty() {
                return Value::String(string(value));
            }
            Err(None)
        } else {
            line::value(value_type, &mut values)
        };
        match read {
            Ok(value) => {
                let numbers = value.numbers();
                if let Some(bad) = numbers.iter().position(|number| !number.is_finite()) {
                    // The first word is the type.
                    let bad = words(text).nth(1 + bad).unwrap_or(text);
                    self.text.report_grouped(&rules::NOT_FINITE, bad, || {
                        format!("{}; expected a finite number", Found::from(bad))
                    });
                }
                self.check_extra_words(values);
                value
            }
            Err(Some(bad)) if has_decimal_comma(bad.text) => {
                let lost = "values with such numbers are left out";
                let rule = &rules::DECIMAL_COMMA;
                self.text.report_decimal_comma(rule, bad.into(), lost);
                unreadable()
            }
            Err(bad) => {
                let found = bad.map_or_else(|| line.end.clone(), Found::from);
                self.text.wrong(&rules::VALUE, found, value_type.pattern());
                self.damaged();
                unreadable()
            }
        }
    }

    /// Adds the open record to the scene, and checks that it has its required attributes.
    pub(super) fn end_record(&mut self) {
        let Some(mut record) = self.record.take() else {
            return;
        };
        self.end_list(&mut record);
        let count = record.attributes.0.len();
        let noun = record.kind.noun();
        let is_without = record
            .announced
            .is_some_and(|announced| announced.count == 0);
        // Entities name factions by their index.
        if count == 0 && !is_without && !record.is_last && record.kind != Kind::Faction {
            self.text.problems.subject = Subject::File;
            let line = Place::line(record.line);
            self.text.report(&rules::RECORD, line, || {
                Message::left_out("no attributes found", format!("the {noun}"))
            });
            self.lost();
            return;
        }
        if !record.kind.is_ordered() {
            self.check_duplicate_keys(&record);
        }
        if let Some(missing) = self.missing_attribute(&record) {
            let (rule, place) = (&rules::ATTRIBUTE_MISSING, Place::line(record.line));
            let message = || format!("{noun}: {missing}");
            let problems = &mut self.text.problems;
            if record.kind == Kind::Faction && problems.cause.is_none() {
                // Factions of an older version all lack the same attribute.
                let subject = problems.subject;
                problems.cause = problems.add_grouped(count, rule, subject, place, message);
            } else {
                problems.add(rule, place, message);
            }
            self.lost();
        }
        if let Some(announced) = record.announced
            && self.check_count(announced, "declares", count, "attribute")
        {
            self.lost();
        }
        self.text.problems.subject = Subject::File;
        self.add_record(record);
    }

    /// Reports duplicate keys of a record.
    fn check_duplicate_keys(&mut self, record: &Record) {
        let attributes = &record.attributes.0;
        let is_few = attributes.len() <= LINEAR_SEARCH_LIMIT;
        let mut lines = HashMap::new();
        for (i, Attribute { key, line, .. }) in attributes.iter().enumerate() {
            let first = if is_few {
                let first = attributes[..i].iter().rfind(|first| first.key == *key);
                first.map(|first| first.line)
            } else {
                lines.insert(key, *line)
            };
            if let Some(first) = first {
                let place = self
                    .keys
                    .get(i)
                    .map_or(Place::line(*line), |key| (*key).into());
                self.text.report(&rules::ATTRIBUTE_TWICE, place, || {
                    let key = quoted(key.as_bytes());
                    format!("duplicate {key}; the first is on line {first}")
                });
                self.damaged();
            }
        }
    }

    /// Describes the first required attribute that a record lacks.
    fn missing_attribute(&self, record: &Record) -> Option<String> {
        let needed: &[&str] = match (record.kind, record.shape_type) {
            // Older forms have no rotation.
            (Kind::Entity, _) if self.is_older() => &["position", "scale"],
            (Kind::Entity, _) => &["position", "scale", "rotation"],
            (Kind::Region, 0) => &["dimensions", "pos"],
            (Kind::Region, 1) => &["radius", "pos"],
            (Kind::Region, _) => &["pos"],
            (Kind::Faction | Kind::Camera, _) => {
                let count = record.attributes.0.len();
                let needed = record.kind.fixed_count(self.version)? as usize;
                let known = record.kind.known().get(..needed)?;
                let names = known
                    .iter()
                    .map(|known| format!("`{}`", known.key))
                    .collect::<Vec<_>>()
                    .join(", ");
                let count = (count < needed).then(|| counted(count, "attribute"))?;
                return Some(format!("{count}; expected {needed}: {names}"));
            }
        };
        let mut needed = needed.iter();
        let missing = needed.find(|key| record.attributes.get(key).is_none())?;
        Some(format!("missing `{missing}`"))
    }

    fn add_record(&mut self, record: Record) {
        macro_rules! push {
            ($list:ident, $type:ident, $($field:ident),*) => {
                self.scene.$list.push($type { $($field: record.$field),* })
            };
        }
        match record.kind {
            Kind::Faction => push!(factions, Faction, name, attributes, line),
            Kind::Entity => push!(entities, Entity, name, model, attributes, line),
            Kind::Region => push!(regions, Region, name, shape_type, attributes, line),
            Kind::Camera => push!(cameras, Camera, name, attributes, line),
        }
    }
}
