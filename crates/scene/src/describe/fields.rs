//! Field tables: each kind of record defines its fields once, in a table.
//!
//! A record is any type that a table can read fields from: mostly a small `Copy` struct of
//! references, such as a chunk with its level and its map. Its table is defined beside it. All
//! outputs are generated from the table: the inspector ([`Table::groups`]), the status line
//! ([`Table::summary`]), the note of the outline line ([`Table::note`]), the JSON keys in lists of
//! its kind ([`Table::json`]) and the full JSON description ([`Table::details`]):
//!
//! ```ignore
//! impl<'a> ChunkAt<'a> {
//!     const FIELDS: Table<'a, Self> = Table {
//!         sections: &[section(
//!             "Chunk",
//!             &[
//!                 field("Level", |at| Value::from(at.level).link(at.level_item())),
//!                 field("Cubes", |at: &Self| at.cube_count().into()).in_summary().json("cubes"),
//!                 field("Chunk", |at: &Self| at.index.to_string().into())
//!                     .summary("Chunk", |at| at.index.to_string().into())
//!                     .json_as("index", |at| json!(at.index.yxz())),
//!                 json_only("readable", |at| at.data.is_some().into()),
//!             ],
//!         )],
//!     };
//! }
//! let groups = ChunkAt::FIELDS.groups(&at);
//! ```
//!
//! A document looks up the record of an item in one place and pairs it with its table
//! ([`Table::of`]), so that every output is available.
//!
//! Two documents are compared by the same tables ([`Table::own`]): by all fields except those
//! marked as derived from others ([`Field::derived`]) or as the record's place in its file
//! ([`Field::place`]).
//!
//! A new field is one row. A row followed by a method names its record type (`|at: &Self|`),
//! because type inference does not look ahead. Display and JSON mostly use the same [`Value`]; a
//! row can have a separate function for an output that differs.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;

use glam::Vec3;
use serde_json::{Map, Value as Json};

use super::numbers::{number, short, xyz};
use super::own::{self, Named, OwnLine, key_of};
use crate::{Item, Origin, Property, PropertyGroup, SummaryPart, Swatch};

/// The fields of a kind of record, in inspector order.
pub(crate) struct Table<'a, R> {
    /// Lists, each with a heading.
    pub(crate) sections: &'a [Section<'a, R>],
}

/// Fields under one inspector heading.
pub(crate) struct Section<'a, R> {
    /// The heading.
    pub(crate) title: &'static str,
    /// JSON key, if it differs from the one derived from the heading.
    pub(crate) key: Option<&'static str>,
    /// Fields in reading order.
    pub(crate) fields: &'a [Field<R>],
}

/// Creates a section from a heading and its fields.
pub(crate) const fn section<'a, R>(title: &'static str, fields: &'a [Field<R>]) -> Section<'a, R> {
    Section {
        title,
        key: None,
        fields,
    }
}

impl<R> Section<'_, R> {
    /// Sets the JSON key, in place of the one derived from the heading.
    pub(crate) const fn keyed(self, key: &'static str) -> Self {
        let key = Some(key);
        Self { key, ..self }
    }
}

/// Creates the table of a record whose fields all share one heading.
macro_rules! fields {
    ($title:literal, $($field:expr),+ $(,)?) => {
        $crate::describe::fields::Table {
            sections: &[$crate::describe::fields::section($title, &[$($field),+])],
        }
    };
}

pub(crate) use fields;

/// Reads a field of a record.
type Read<R> = fn(&R) -> Value;

/// Reads a field of a record as JSON.
type ReadJson<R> = fn(&R) -> Json;

/// A field of a record, with the outputs that include it.
pub(crate) struct Field<R> {
    name: &'static str,
    /// Reader for the inspector.
    value: Option<Read<R>>,
    /// Name and reader for the status line.
    summary: Option<(&'static str, Read<R>)>,
    /// Reader for the note of the outline line.
    note: Option<Read<R>>,
    /// Key and reader for JSON.
    json: Option<(&'static str, ReadJson<R>)>,
    /// JSON key of a field with the same value there, and the JSON value used if it is absent.
    same_json: Option<(&'static str, Option<u8>)>,
    /// Key and reader for the JSON of a single record, in place of the inspector's value.
    detail: Option<(&'static str, ReadJson<R>)>,
    /// Origin of the value, which decides how documents are compared by it.
    origin: Origin,
    /// Compared in place of the inspector's value, and included in the JSON of a single record.
    own: Option<Read<R>>,
    /// Compared in place of both `own` and `value`.
    compared: Option<Read<R>>,
}

/// Creates a field of the inspector.
pub(crate) const fn field<R>(name: &'static str, value: Read<R>) -> Field<R> {
    Field {
        name,
        value: Some(value),
        summary: None,
        note: None,
        json: None,
        same_json: None,
        detail: None,
        origin: Origin::File,
        own: None,
        compared: None,
    }
}

/// Creates a field that is compared but appears in no other output.
pub(crate) const fn own_only<R>(name: &'static str, own: Read<R>) -> Field<R> {
    Field {
        value: None,
        ..field(name, own).own(own)
    }
}

/// Creates a field of the status line only.
pub(crate) const fn summary_only<R>(name: &'static str, value: Read<R>) -> Field<R> {
    Field {
        value: None,
        ..field(name, value).summary(name, value)
    }
}

/// Creates a field of JSON only.
pub(crate) const fn json_only<R>(key: &'static str, json: fn(&R) -> Json) -> Field<R> {
    Field {
        name: key,
        value: None,
        summary: None,
        note: None,
        json: Some((key, json)),
        same_json: None,
        detail: None,
        origin: Origin::Derived,
        own: None,
        compared: None,
    }
}

/// Creates a field that appears only in the JSON of a single record. It is omitted if it is null.
pub(crate) const fn detail_only<R>(key: &'static str, json: fn(&R) -> Json) -> Field<R> {
    Field {
        name: key,
        value: None,
        summary: None,
        note: None,
        json: None,
        same_json: None,
        detail: Some((key, json)),
        origin: Origin::Derived,
        own: None,
        compared: None,
    }
}

impl<R> Field<R> {
    /// Marks a field as derived from other fields, records or files, or as ignored by every engine.
    /// Two records that differ only in derived fields are equal.
    pub(crate) const fn derived(self) -> Self {
        Self {
            origin: Origin::Derived,
            ..self
        }
    }

    /// Marks a field as the record's place in the file.
    pub(crate) const fn place(self) -> Self {
        Self {
            origin: Origin::Place,
            ..self
        }
    }

    /// Compares this value in place of the inspector's.
    pub(crate) const fn own(self, value: Read<R>) -> Self {
        Self {
            own: Some(value),
            ..self
        }
    }

    /// Compares this value without showing it: the complete data, even where other outputs truncate
    /// it or describe it as part of another record.
    pub(crate) const fn compared(self, value: Read<R>) -> Self {
        Self {
            compared: Some(value),
            ..self
        }
    }

    /// Adds the same value to the status line.
    pub(crate) const fn in_summary(self) -> Self {
        let name = self.name;
        self.in_summary_as(name)
    }

    /// Adds the same value to the status line under another name.
    pub(crate) const fn in_summary_as(self, name: &'static str) -> Self {
        match self.value {
            Some(value) => self.summary(name, value),
            None => self,
        }
    }

    /// Adds this value to the status line.
    pub(crate) const fn summary(self, name: &'static str, value: Read<R>) -> Self {
        Self {
            summary: Some((name, value)),
            ..self
        }
    }

    /// Adds the same value to the note of the outline line.
    pub(crate) const fn in_note(self) -> Self {
        Self {
            note: self.value,
            ..self
        }
    }

    /// Adds this value to the note of the outline line, unless it is absent.
    pub(crate) const fn note(self, value: Read<R>) -> Self {
        Self {
            note: Some(value),
            ..self
        }
    }

    /// Adds the same value to JSON, unless it is absent.
    pub(crate) const fn json(self, key: &'static str) -> Self {
        Self {
            same_json: Some((key, None)),
            ..self
        }
    }

    /// Adds the same value to JSON, or 0 if it is absent.
    pub(crate) const fn json_or_0(self, key: &'static str) -> Self {
        Self {
            same_json: Some((key, Some(0))),
            ..self
        }
    }

    /// Adds this value to JSON.
    pub(crate) const fn json_as(self, key: &'static str, json: fn(&R) -> Json) -> Self {
        Self {
            json: Some((key, json)),
            ..self
        }
    }

    /// Adds this value to the JSON of a single record, in place of the inspector's value. It is
    /// omitted if it is null.
    pub(crate) const fn detail_as(self, key: &'static str, json: fn(&R) -> Json) -> Self {
        Self {
            detail: Some((key, json)),
            ..self
        }
    }

    /// Omits a field from JSON, for values that only link to another item.
    pub(crate) const fn only_shown(self) -> Self {
        self.detail_as("", |_| Json::Null)
    }

    /// Adds the keys that [`Field::add_details`] may add, each with the field's inspector name.
    /// Keys that are named by the value itself are not included.
    fn add_keys(&self, keys: &mut Vec<(String, &'static str)>) {
        let mut add = |key: &str| {
            if !key.is_empty() {
                keys.push((key.to_owned(), self.name));
            }
        };
        let said = match self.same_json.filter(|_| self.value.is_some()) {
            Some((key, _)) => Some(key),
            None => self.json.map(|(key, _)| key),
        };
        if let Some(key) = said {
            add(key);
        }
        let name = key_of(self.name);
        if let Some((key, _)) = self.detail {
            add(key);
        } else if self.same_json.is_none()
            && self.own.is_some() | self.value.is_some()
            && said.is_none_or(|key| key != name)
        {
            add(&name);
        }
    }

    /// Adds the field to the JSON of a single record.
    fn add_details(&self, record: &R, details: &mut Details) {
        let said = match self.same_json.zip(self.value) {
            Some(((key, absent), value)) => {
                let json = value(record).json().or(absent.map(Json::from));
                details.add_if(key, json);
                Some(key)
            }
            None => self.json.map(|(key, json)| {
                details.add(key, json(record));
                key
            }),
        };
        if let Some((key, json)) = self.detail {
            details.add_if(key, Some(json(record)).filter(|json| !json.is_null()));
            return;
        }
        // The inspector's value has the same content, so it adds nothing.
        if self.same_json.is_some() || said.is_some_and(|key| key == key_of(self.name)) {
            return;
        }
        // The compared value keeps all its digits.
        let mut values = [self.own, self.value].into_iter().flatten();
        let value = values.find_map(|read| Some(read(record)).filter(|value| !value.is_absent()));
        if let Some(value) = value {
            value.add_details(self.name, details);
        }
    }
}

/// A JSON object under construction. Values that share a name are collected in a list.
#[derive(Default)]
pub(crate) struct Details {
    keys: Map<String, Json>,
    /// Keys whose value is such a list.
    lists: BTreeSet<String>,
}

impl Details {
    fn add(&mut self, key: &str, value: Json) {
        match self.keys.get_mut(key) {
            Some(Json::Array(values)) if self.lists.contains(key) => values.push(value),
            Some(first) => {
                *first = vec![first.take(), value].into();
                self.lists.insert(key.to_owned());
            }
            None => {
                self.keys.insert(key.to_owned(), value);
            }
        }
    }

    fn add_if(&mut self, key: &str, value: Option<Json>) {
        if let Some(value) = value {
            self.add(key, value);
        }
    }

    /// Adds an element of a list, which stays a list even if it has one element.
    fn add_listed(&mut self, key: &str, value: Json) {
        if !self.keys.contains_key(key) {
            self.keys.insert(key.to_owned(), Vec::<Json>::new().into());
            self.lists.insert(key.to_owned());
        }
        self.add(key, value);
    }

    /// Adds an inspector line of a field.
    fn add_line(&mut self, field: &str, property: &Property) {
        let value = property.text().into_owned().into();
        if property.name == field {
            self.add_listed(&Self::key(field), value);
        } else {
            self.add(&Self::key(property.name), value);
        }
    }

    /// Returns the JSON key of a name, or `more` for an empty name.
    fn key(name: &str) -> String {
        if name.is_empty() {
            "more".to_owned()
        } else {
            key_of(name)
        }
    }
}

/// Adds an inspector list that belongs to no table to the JSON of a record.
pub(crate) fn add_group(details: &mut Map<String, Json>, group: &PropertyGroup) {
    let mut lines = Details::default();
    for property in &group.properties {
        lines.add_line("", property);
    }
    details.insert(key_of(group.title), lines.keys.into());
}

/// The JSON keys of a kind of item ([`Document::details`](crate::Document::details)).
#[derive(Debug, Clone)]
pub struct ItemKeys {
    /// The kind, as returned by [`Item::kind`].
    pub kind: &'static str,
    /// One object for each inspector heading.
    pub groups: Vec<GroupKeys>,
}

/// The JSON keys under an inspector heading.
#[derive(Debug, Clone)]
pub struct GroupKeys {
    /// Key of the object.
    pub key: String,
    /// Heading.
    pub title: &'static str,
    /// Keys of its fields with their inspector names, in alphabetical order. A file can add further
    /// keys.
    pub keys: Vec<(String, &'static str)>,
}

/// A record, or a reference to one, with its table.
struct Described<'a, R, B>(Table<'a, R>, B);

/// The outputs of a record of any kind.
pub(crate) trait Describe {
    /// Returns the inspector's lists, without empty ones.
    fn groups(&self) -> Vec<PropertyGroup>;

    /// Returns the status line.
    fn summary(&self) -> Vec<SummaryPart>;

    /// Returns the note of the outline line.
    fn note(&self) -> String;

    /// Returns the values stored in the file, with their origin, for comparison.
    fn own(&self) -> Vec<OwnLine>;

    /// Returns the full description as JSON.
    fn details(&self) -> Map<String, Json>;
}

impl<R, B: Borrow<R>> Describe for Described<'_, R, B> {
    fn groups(&self) -> Vec<PropertyGroup> {
        self.0.groups(self.1.borrow())
    }

    fn summary(&self) -> Vec<SummaryPart> {
        self.0.summary(self.1.borrow())
    }

    fn note(&self) -> String {
        self.0.note(self.1.borrow())
    }

    fn own(&self) -> Vec<OwnLine> {
        self.0.own(self.1.borrow())
    }

    fn details(&self) -> Map<String, Json> {
        self.0.details(self.1.borrow())
    }
}

impl<'a, R> Table<'a, R> {
    fn fields(&self) -> impl Iterator<Item = &Field<R>> {
        self.sections.iter().flat_map(|section| section.fields)
    }

    /// Returns the inspector's lists, without empty ones.
    pub(crate) fn groups(&self, record: &R) -> Vec<PropertyGroup> {
        let groups = self.sections.iter().map(|section| {
            let mut properties = Vec::with_capacity(section.fields.len());
            for field in section.fields {
                if let Some(value) = field.value {
                    value(record).list_as(field.name, &mut properties);
                }
            }
            PropertyGroup {
                title: section.title,
                properties,
            }
        });
        groups
            .filter(|group| !group.properties.is_empty())
            .collect()
    }

    /// Combines the table with a record of any kind, or with a reference to one.
    pub(crate) fn of(self, record: impl Borrow<R> + 'a) -> Box<dyn Describe + 'a>
    where
        R: 'a,
    {
        Box::new(Described(self, record))
    }

    /// Returns the inspector lines without headings, for a list within another.
    pub(crate) fn properties(&self, record: &R) -> Vec<Property> {
        let groups = self.groups(record).into_iter();
        groups.flat_map(|group| group.properties).collect()
    }

    /// Returns the status line.
    pub(crate) fn summary(&self, record: &R) -> Vec<SummaryPart> {
        let parts = self.fields().filter_map(|field| {
            let (name, value) = field.summary?;
            let value = value(record);
            Some(SummaryPart {
                name: value.name.unwrap_or(name),
                width: value.width,
                value: value.text()?,
            })
        });
        parts.collect()
    }

    /// Returns the note of the outline line.
    pub(crate) fn note(&self, record: &R) -> String {
        let notes = self.fields().filter_map(|field| field.note?(record).text());
        notes.collect::<Vec<_>>().join(", ")
    }

    /// Returns the values stored in the file, with their origin, for comparison with another
    /// record.
    pub(crate) fn own(&self, record: &R) -> Vec<OwnLine> {
        let mut lines = Vec::new();
        for section in self.sections {
            for field in section.fields {
                let read = field.compared.or(field.own).or(field.value);
                if let Some(read) = read.filter(|_| field.origin != Origin::Derived) {
                    read(record).own_as(section.title, field.name, field.origin, &mut lines);
                }
            }
        }
        lines
    }

    /// Returns the keys of [`Table::details`] that do not depend on the record.
    pub(crate) fn keys(&self, kind: &'static str) -> ItemKeys {
        let groups = self
            .sections
            .iter()
            .map(|section| {
                let mut keys = Vec::new();
                for field in section.fields {
                    field.add_keys(&mut keys);
                }
                keys.sort_unstable();
                keys.dedup_by(|(a, _), (b, _)| a == b);
                GroupKeys {
                    key: section
                        .key
                        .map_or_else(|| key_of(section.title), str::to_owned),
                    title: section.title,
                    keys,
                }
            })
            .collect();
        ItemKeys { kind, groups }
    }

    /// Returns the record's JSON object in lists of its kind.
    pub(crate) fn json(&self, record: &R) -> Map<String, Json> {
        let fields = self.fields().flat_map(|field| {
            let same = field
                .same_json
                .zip(field.value)
                .and_then(|((key, absent), value)| {
                    let json = value(record).json();
                    Some((key, json.or(absent.map(Json::from))?))
                });
            let other = field.json.map(|(key, json)| (key, json(record)));
            same.into_iter().chain(other)
        });
        fields.map(|(key, json)| (key.to_owned(), json)).collect()
    }

    /// Returns the full description of the record as JSON: one object for each inspector heading.
    /// Fields of [`Table::json`] have the same key and value here; the keys of other fields are
    /// derived from their names.
    pub(crate) fn details(&self, record: &R) -> Map<String, Json> {
        let sections = self.sections.iter().filter_map(|section| {
            let mut details = Details::default();
            for field in section.fields {
                field.add_details(record, &mut details);
            }
            let key = section
                .key
                .map_or_else(|| key_of(section.title), str::to_owned);
            (!details.keys.is_empty()).then(|| (key, details.keys.into()))
        });
        sections.collect()
    }
}

/// The value of a field for a record. See the `From` conversions for the types it can hold.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    content: Content,
    link: Option<Item>,
    swatch: Option<Swatch>,
    name: Option<&'static str>,
    key: Option<&'static str>,
    names: Option<Named>,
    width: usize,
}

#[derive(Debug, Clone)]
enum Content {
    /// The field does not apply to this record, and has neither a line nor a key.
    Absent,
    Text(String),
    /// `yes` or `no`.
    Flag(bool),
    Integer(i64),
    Number(f32),
    /// Position or direction.
    Vector(Vec3),
    /// Inspector lines with their own names.
    Lines(Vec<Property>),
    /// Inspector lines that use the name of the field unless they are named.
    List(Vec<Value>),
}

impl Value {
    fn new(content: Content) -> Self {
        Self {
            content,
            link: None,
            swatch: None,
            name: None,
            key: None,
            names: None,
            width: 0,
        }
    }

    /// Creates the value of a field that does not apply to this record.
    pub(crate) fn absent() -> Self {
        Self::new(Content::Absent)
    }

    /// Creates one inspector line for each value, with the name of the field unless it is named.
    pub(crate) fn list<V: Into<Self>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::new(Content::List(values.into_iter().map(Into::into).collect()))
    }

    /// Like [`Value::list`], with at most `max` lines and a last line that counts the rest.
    pub(crate) fn list_up_to<V: Into<Self>>(
        max: usize,
        values: impl ExactSizeIterator<Item = V>,
    ) -> Self {
        let more = values.len().saturating_sub(max);
        let more = (more > 0).then(|| format!("and {more} more").into());
        Self::list(values.take(max).map(Into::into).chain(more))
    }

    /// Creates a colour with its swatch.
    pub(crate) fn color([r, g, b]: [u8; 3]) -> Self {
        Self::from(format!("{r} {g} {b}")).swatch(Some(Swatch::Color([r, g, b])))
    }

    /// Formats bits in hexadecimal, as the format documents do.
    pub(crate) fn bits(bits: u8) -> Self {
        format!("{bits:#04x}").into()
    }

    /// Sets the target of a click on the value.
    pub(crate) fn link(self, item: impl Into<Item>) -> Self {
        self.link_if(Some(item))
    }

    /// Sets the target of a click, if the item exists.
    pub(crate) fn link_if(self, item: Option<impl Into<Item>>) -> Self {
        Self {
            link: item.map(Into::into),
            ..self
        }
    }

    /// Sets the thumbnail or colour beside the value.
    pub(crate) fn swatch(self, swatch: Option<Swatch>) -> Self {
        Self { swatch, ..self }
    }

    /// Sets a name for this record, for fields whose name varies.
    pub(crate) fn named(self, name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }

    /// Sets the JSON key of one of several values, if it differs from the one derived from its
    /// name.
    pub(crate) fn keyed(self, key: Option<&'static str>) -> Self {
        Self { key, ..self }
    }

    /// Marks the value as a reference to a part, by its kind and its index, with the rest of the
    /// value in `remainder`. References compare equal between files even if the part has another name
    /// or index.
    pub(crate) fn naming(
        self,
        what: &'static str,
        index: usize,
        remainder: impl Into<String>,
    ) -> Self {
        let (part, remainder) = ((what, index), remainder.into());
        let names = Some(Named { part, remainder });
        Self { names, ..self }
    }

    /// Sets the character count of the longest such value ([`SummaryPart::width`]).
    pub(crate) fn width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    fn is_absent(&self) -> bool {
        match &self.content {
            Content::Absent => true,
            Content::Lines(lines) => lines.is_empty(),
            Content::List(values) => values.iter().all(Self::is_absent),
            _ => false,
        }
    }

    /// Returns the display text, or `None` if the value is absent.
    fn text(self) -> Option<String> {
        Some(match self.content {
            Content::Absent => return None,
            Content::Text(text) => text,
            Content::Flag(is_set) => if is_set { "yes" } else { "no" }.to_owned(),
            Content::Integer(integer) => integer.to_string(),
            Content::Number(number) => short(number),
            Content::Vector(vector) => xyz(vector),
            Content::Lines(lines) => {
                let values = lines.into_iter().map(|line| line.value);
                values.collect::<Vec<_>>().join(", ")
            }
            Content::List(values) => {
                let values = values.into_iter().filter_map(Self::text);
                values.collect::<Vec<_>>().join(", ")
            }
        })
    }

    /// Returns the JSON value, or `None` if the value is absent.
    fn json(self) -> Option<Json> {
        Some(match self.content {
            Content::Absent => return None,
            Content::Text(text) => text.into(),
            Content::Flag(is_set) => is_set.into(),
            Content::Integer(integer) => integer.into(),
            Content::Number(value) => number(value),
            Content::Vector(vector) => vector.to_array().map(number).to_vec().into(),
            Content::Lines(lines) => lines.into_iter().map(|line| line.value).collect(),
            Content::List(values) => values.into_iter().filter_map(Self::json).collect(),
        })
    }

    /// Adds its lines to those of the inspector.
    fn list_as(self, name: &'static str, properties: &mut Vec<Property>) {
        let name = self.name.unwrap_or(name);
        match self.content {
            Content::Lines(lines) => return properties.extend(lines),
            Content::List(values) => {
                return values
                    .into_iter()
                    .for_each(|value| value.list_as(name, properties));
            }
            _ => {}
        }
        let (link, swatch) = (self.link, self.swatch);
        properties.extend(self.text().map(|text| Property {
            swatch,
            link,
            ..Property::new(name, text)
        }));
    }

    /// Adds its values to the JSON of a record, under their inspector names.
    fn add_details(self, field: &'static str, details: &mut Details) {
        let name = self.name.unwrap_or(field);
        match self.content {
            Content::Lines(lines) => {
                for line in &lines {
                    details.add_line(field, line);
                }
            }
            Content::List(values) => {
                for value in values {
                    let is_list = matches!(value.content, Content::List(_) | Content::Lines(_));
                    if is_list || value.name.is_some() {
                        value.add_details(field, details);
                    } else if let Some(json) = value.json() {
                        details.add_listed(&Details::key(field), json);
                    }
                }
            }
            content => {
                let key = self.key.map_or_else(|| Details::key(name), str::to_owned);
                details.add_if(&key, Self::new(content).json());
            }
        }
    }

    /// Returns the compared lines of a value that belongs to no table.
    pub(crate) fn own_lines(self, title: &'static str) -> Vec<OwnLine> {
        let mut lines = Vec::new();
        self.own_as(title, "", Origin::File, &mut lines);
        lines
    }

    /// Adds its lines to the compared ones. Numbers keep all their digits.
    fn own_as(
        self,
        title: &'static str,
        name: &'static str,
        origin: Origin,
        lines: &mut Vec<OwnLine>,
    ) {
        let name = self.name.unwrap_or(name);
        match self.content {
            Content::Lines(properties) => {
                lines.extend(own::lines_of(title, &properties).map(|line| line.within(origin)));
            }
            Content::List(values) => {
                for value in values {
                    value.own_as(title, name, origin, lines);
                }
            }
            content => {
                let (key, names) = (self.key, self.names);
                let line = |value| OwnLine {
                    key,
                    origin,
                    names,
                    ..OwnLine::new(title, name, value)
                };
                lines.extend(Self::new(content).json().map(line));
            }
        }
    }

    /// Returns its inspector line, or `None` if the value is absent.
    pub(crate) fn property(self, name: &'static str) -> Option<Property> {
        let mut properties = Vec::with_capacity(1);
        self.list_as(name, &mut properties);
        properties.pop()
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::new(Content::Text(text))
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<bool> for Value {
    fn from(is_set: bool) -> Self {
        Self::new(Content::Flag(is_set))
    }
}

/// Implements `From` for integers of each size.
macro_rules! from_integers {
    ($($integer:ty),+) => { $(
        impl From<$integer> for Value {
            fn from(integer: $integer) -> Self {
                Self::new(Content::Integer(integer as i64))
            }
        }
    )+ };
}

from_integers!(u8, i8, u16, i16, u32, i32, u64, usize);

impl From<f32> for Value {
    fn from(number: f32) -> Self {
        Self::new(Content::Number(number))
    }
}

impl From<Vec3> for Value {
    fn from(vector: Vec3) -> Self {
        Self::new(Content::Vector(vector))
    }
}

impl From<[f32; 3]> for Value {
    fn from(vector: [f32; 3]) -> Self {
        Vec3::from(vector).into()
    }
}

impl From<Vec<Property>> for Value {
    fn from(lines: Vec<Property>) -> Self {
        Self::new(Content::Lines(lines))
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Self {
        Self::list(values)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A record that borrows, as most do.
    struct Sample<'a> {
        name: &'a str,
        count: u32,
        size: Option<f32>,
    }

    impl<'a> Sample<'a> {
        const FIELDS: Table<'a, Self> = Table {
            sections: &[
                section(
                    "Sample",
                    &[
                        field("Name", |sample: &Self| sample.name.into())
                            .in_summary()
                            .json("name"),
                        field("Count", |sample: &Self| sample.count.into())
                            .note(|sample| format!("{} of them", sample.count).into())
                            .summary("All", |sample| Value::from(sample.count).width(9))
                            .json_as("counts", |sample| json!([sample.count])),
                        field("Size", |sample: &Self| sample.size.into())
                            .in_note()
                            .json("size"),
                        json_only("is_even", |sample| sample.count.is_multiple_of(2).into()),
                        summary_only("Even", |sample| sample.count.is_multiple_of(2).into()),
                        field("Line", |sample: &Self| {
                            format!("line {}", sample.count).into()
                        })
                        .detail_as("line", |sample| sample.count.into()),
                        detail_only("half", |sample| (sample.count / 2).into()),
                    ],
                ),
                section(
                    "Letters",
                    &[field("", |sample: &Self| {
                        let letters = sample.name.chars();
                        let lines = letters.map(|letter| Property::new("Letter", letter));
                        lines.collect::<Vec<_>>().into()
                    })],
                )
                .keyed("spelt"),
                section(
                    "In words",
                    &[
                        field("Word", |sample: &Self| Value::list([sample.name])),
                        field("+X side", |_| "stone".into()),
                        field("", |_| {
                            Value::list([Value::from(3).named("Twice"), 4.into()])
                        }),
                    ],
                ),
            ],
        };
    }

    #[test]
    fn a_row_says_a_field_in_all_places() {
        let name = String::from("ab");
        let mut sample = Sample {
            name: &name,
            count: 3,
            size: Some(0.25),
        };
        let lines = |sample: &Sample<'_>| -> Vec<(&str, &str, String)> {
            let groups = Sample::FIELDS.groups(sample).into_iter();
            let lines = groups.flat_map(|group| {
                let lines = group.properties.into_iter();
                lines.map(move |line| (group.title, line.name, line.value))
            });
            lines.collect()
        };
        let line = |title, name, value: &str| (title, name, value.to_owned());
        let expected = [
            line("Sample", "Name", "ab"),
            line("Sample", "Count", "3"),
            line("Sample", "Size", "0.25"),
            line("Sample", "Line", "line 3"),
            line("Letters", "Letter", "a"),
            line("Letters", "Letter", "b"),
            line("In words", "Word", "ab"),
            line("In words", "+X side", "stone"),
            line("In words", "Twice", "3"),
            line("In words", "", "4"),
        ];
        assert_eq!(lines(&sample), expected);
        let part = |name, value: &str, width| SummaryPart {
            name,
            value: value.to_owned(),
            width,
        };
        let summary = [
            part("Name", "ab", 0),
            part("All", "3", 9),
            part("Even", "no", 0),
        ];
        assert_eq!(Sample::FIELDS.summary(&sample), summary);
        assert_eq!(Sample::FIELDS.note(&sample), "3 of them, 0.25");
        let info = json!({"name": "ab", "counts": [3], "size": 0.25, "is_even": false});
        assert_eq!(Json::from(Sample::FIELDS.json(&sample)), info);
        let details = json!({
            "sample": {"name": "ab", "count": "x", "counts": [3], "size": 0.25, "is_even": false,
                       "line": 3, "half": 1},
            "spelt": {"letter": ["a", "b"]},
            "in_words": {"word": ["ab"], "+x_side": "stone", "twice": 3, "more": [4]},
        });
        let mut expected = details;
        expected["sample"]["count"] = 3.into();
        assert_eq!(Json::from(Sample::FIELDS.details(&sample)), expected);
        // An absent value has no line, and a section without lines has no heading.
        (sample.name, sample.size) = ("", None);
        assert_eq!(lines(&sample).len(), 7);
        assert_eq!(Sample::FIELDS.note(&sample), "3 of them");
        assert_eq!(Sample::FIELDS.json(&sample).get("size"), None);
    }
}
