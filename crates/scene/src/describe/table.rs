//! Field tables: each kind of record defines its fields once, in a table.
//!
//! A record is any type that a table can read fields from: mostly a small `Copy` struct of
//! references, such as a chunk with its level and its map. Its table is defined beside it. Each
//! row has a name for people, a key for programs, a type, and a reader that returns a typed
//! [`Value`]. All outputs are derived from the table:
//!
//! - the inspector ([`Table::groups`])
//! - the status line ([`Table::summary`])
//! - the note of the outline line ([`Table::note`])
//! - the JSON of a single record ([`Table::details`]), and of a record in a list of its kind
//!   ([`Table::json`])
//! - the values for comparison ([`Table::own`])
//! - the keys for the schema ([`Table::keys`])
//!
//! An example:
//!
//! ```ignore
//! impl<'a> ChunkAt<'a> {
//!     const FIELDS: Table<'a, Self> = Table {
//!         sections: &[section(
//!             "Chunk",
//!             &[
//!                 integer("Level", "level", |at: &Self| Value::from(at.level).link(at.level_item())),
//!                 integer("Cubes", "cubes", |at: &Self| at.cube_count().into()).in_summary().listed(),
//!                 field("Chunk", "index", Integers(3), |at: &Self| at.index.yxz().into()).listed(),
//!                 flag("Readable", "readable", |at: &Self| at.data.is_some().into()).hidden().listed(),
//!             ],
//!         )],
//!     };
//! }
//! ```
//!
//! A document looks up the record of an item in one place and pairs it with its table
//! ([`Table::of`]). The pair provides every output.
//!
//! Comparisons of documents use the same values. They ignore fields that are derived from others
//! ([`Field::derived`]) and the record's place in its file ([`Field::place`]).
//!
//! A new field is one row. If the row calls a method such as [`Field::listed`], its closure names
//! the record type (`|at: &Self|`), because the compiler cannot infer it there.

use std::borrow::{Borrow, Cow};

use serde_json::{Map, Value as Json};

use super::own::{OwnLine, key_of};
use super::value::{Fact, FactGroup, Value, is_key};
use crate::{Origin, Property, PropertyGroup, SummaryPart};

/// The fields of a kind of record, in inspector order.
pub(crate) struct Table<'a, R> {
    /// Sections in inspector order, each with a heading.
    pub(crate) sections: &'a [Section<'a, R>],
}

/// Fields under one inspector heading.
pub(crate) struct Section<'a, R> {
    /// The heading.
    title: &'static str,
    /// JSON key, if it differs from the one derived from the heading.
    key: Option<&'static str>,
    /// Fields in reading order.
    fields: &'a [Field<R>],
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

    fn key(&self) -> String {
        self.key
            .map_or_else(|| key_of(self.title), ToOwned::to_owned)
    }
}

/// Creates the table of a record whose fields all share one heading.
macro_rules! table {
    ($title:literal, $($field:expr),+ $(,)?) => {
        $crate::describe::table::Table {
            sections: &[$crate::describe::table::section($title, &[$($field),+])],
        }
    };
}

pub(crate) use table;

/// The type of a field in JSON. Every value can be null as well.
#[derive(Debug, Clone, Copy)]
pub enum ValueType {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text of the file, or the name of an enum variant.
    Text,
    /// Bytes in hexadecimal, with spaces between them.
    Bytes,
    /// A place in the file: line and column, or offset and length.
    Place,
    /// A list of numbers of this length.
    Numbers(usize),
    /// A list of whole numbers of this length.
    Integers(usize),
    /// A list of any length.
    List(&'static ValueType),
    /// An object with these keys. A trailing `?` marks a key that may be absent. Without keys, it
    /// stands for a value of any type.
    Object(&'static [(&'static str, ValueType)]),
    /// An object keyed by names.
    ByName(&'static ValueType),
    /// A record, with the keys that it has in lists of its kind.
    Record(fn() -> Vec<FieldKey>),
    /// A list of records.
    Records(fn() -> Vec<FieldKey>),
}

/// A list of whole numbers, such as indices.
pub(crate) const INTEGERS: ValueType = ValueType::List(&ValueType::Integer);
/// A list of texts, such as names.
pub(crate) const TEXTS: ValueType = ValueType::List(&ValueType::Text);

/// Reads a field of a record.
type Read<R> = fn(&R) -> Value;

/// A field of a record, with the outputs that include it.
pub(crate) struct Field<R> {
    name: &'static str,
    /// JSON key. It is empty if the field has no JSON, or if its facts have their own keys.
    key: &'static str,
    /// JSON type.
    ty: ValueType,
    read: Read<R>,
    /// Reader for display, if its text is not derived from the data.
    shown: Option<Read<R>>,
    /// `true` if the inspector shows the field.
    is_shown: bool,
    /// `true` if the field appears in JSON lists of records.
    is_listed: bool,
    /// Name and reader for the status line.
    summary: Option<(&'static str, Read<R>)>,
    /// Reader for the note of the outline line.
    note: Option<Read<R>>,
    /// Origin of the value. It determines whether comparisons use the value.
    origin: Origin,
    /// Reader for comparisons, if they need a value other than that of `read`.
    compared: Option<Read<R>>,
}

/// Creates a field of the inspector and of JSON.
pub(crate) const fn field<R>(
    name: &'static str,
    key: &'static str,
    ty: ValueType,
    read: Read<R>,
) -> Field<R> {
    Field {
        name,
        key,
        ty,
        read,
        shown: None,
        is_shown: true,
        is_listed: false,
        summary: None,
        note: None,
        origin: Origin::File,
        compared: None,
    }
}

/// Defines constructors of fields of one type.
macro_rules! constructors {
    ($($(#[$doc:meta])+ $name:ident = $ty:expr;)+) => { $(
        $(#[$doc])+
        pub(crate) const fn $name<R>(
            name: &'static str,
            key: &'static str,
            read: Read<R>,
        ) -> Field<R> {
            field(name, key, $ty, read)
        }
    )+ };
}

constructors! {
    /// Creates a field with a flag.
    flag = ValueType::Flag;
    /// Creates a field with a whole number.
    integer = ValueType::Integer;
    /// Creates a field with a number that can have a fraction.
    decimal = ValueType::Number;
    /// Creates a field with a text.
    text = ValueType::Text;
    /// Creates a field with three coordinates.
    vector = ValueType::Numbers(3);
    /// Creates a field with a place in the file. [`Field::place`] marks it as the record's own
    /// place.
    place = ValueType::Place;
}

/// Creates a field whose value is a list of facts. Their names and keys depend on the record.
pub(crate) const fn facts<R>(read: Read<R>) -> Field<R> {
    field("", "", ValueType::Object(&[]), read)
}

/// Creates a field whose value is a list of facts with known keys.
pub(crate) const fn keyed_facts<R>(
    keys: &'static [(&'static str, ValueType)],
    read: Read<R>,
) -> Field<R> {
    field("", "", ValueType::Object(keys), read)
}

/// Creates an inspector field that only repeats other fields. It has no JSON and is not compared.
pub(crate) const fn shown_only<R>(name: &'static str, read: Read<R>) -> Field<R> {
    field(name, "", ValueType::Text, read).derived()
}

/// Creates a field of the status line only.
pub(crate) const fn summary_only<R>(name: &'static str, read: Read<R>) -> Field<R> {
    shown_only(name, read).hidden().summary(name, read)
}

/// Creates a field that is only compared.
pub(crate) const fn compared_only<R>(name: &'static str, read: Read<R>) -> Field<R> {
    let field = shown_only(name, read).hidden();
    let origin = Origin::File;
    Field { origin, ..field }
}

impl<R> Field<R> {
    /// Excludes a field from comparisons: it is derived from other fields, records or files, or
    /// every engine ignores it.
    pub(crate) const fn derived(self) -> Self {
        let origin = Origin::Derived;
        Self { origin, ..self }
    }

    /// Marks a field as the record's place in the file.
    pub(crate) const fn place(self) -> Self {
        let origin = Origin::Place;
        Self { origin, ..self }
    }

    /// Adds the field to JSON lists of records of this kind.
    pub(crate) const fn listed(self) -> Self {
        let is_listed = true;
        Self { is_listed, ..self }
    }

    /// Removes the field from the inspector.
    pub(crate) const fn hidden(self) -> Self {
        let is_shown = false;
        Self { is_shown, ..self }
    }

    /// Shows this value in the inspector instead of the field's value.
    pub(crate) const fn shown(self, value: Read<R>) -> Self {
        let shown = Some(value);
        Self { shown, ..self }
    }

    /// Compares this value instead of the field's value.
    pub(crate) const fn compared(self, value: Read<R>) -> Self {
        let compared = Some(value);
        Self { compared, ..self }
    }

    /// Shows and compares this value instead of the field's value.
    pub(crate) const fn shown_and_compared(self, value: Read<R>) -> Self {
        self.shown(value).compared(value)
    }

    /// Adds the displayed value to the status line.
    pub(crate) const fn in_summary(self) -> Self {
        let name = self.name;
        self.in_summary_as(name)
    }

    /// Adds the displayed value to the status line under another name.
    pub(crate) const fn in_summary_as(self, name: &'static str) -> Self {
        let read = self.display();
        self.summary(name, read)
    }

    /// Adds this value to the status line.
    pub(crate) const fn summary(self, name: &'static str, value: Read<R>) -> Self {
        let summary = Some((name, value));
        Self { summary, ..self }
    }

    /// Adds the displayed value to the note of the outline line.
    pub(crate) const fn in_note(self) -> Self {
        let read = self.display();
        self.note(read)
    }

    /// Adds this value to the note of the outline line, unless it is absent.
    pub(crate) const fn note(self, value: Read<R>) -> Self {
        let note = Some(value);
        Self { note, ..self }
    }

    /// Returns the reader of the displayed value.
    const fn display(&self) -> Read<R> {
        match self.shown {
            Some(shown) => shown,
            None => self.read,
        }
    }

    /// `true` for a field that adds its facts to the JSON object, each under its own key.
    const fn has_facts(&self) -> bool {
        self.key.is_empty() && matches!(self.ty, ValueType::Object(_))
    }

    /// Like [`Field::has_facts`], if the keys depend on the record.
    const fn has_open_facts(&self) -> bool {
        self.key.is_empty() && matches!(self.ty, ValueType::Object([]))
    }

    fn has_key(&self) -> bool {
        !self.key.is_empty() || self.has_facts()
    }
}

/// The JSON keys of a kind of item ([`Describe::details`]).
#[derive(Debug, Clone)]
pub struct ItemKeys {
    /// The kind, as returned by [`Item::kind`](crate::Item::kind).
    pub kind: &'static str,
    /// One object for each inspector heading.
    pub groups: Vec<GroupKeys>,
    /// `true` if a file can add further headings.
    pub is_open: bool,
}

/// The JSON keys under an inspector heading.
#[derive(Debug, Clone)]
pub struct GroupKeys {
    /// Key of the object.
    pub key: String,
    /// Heading.
    pub title: &'static str,
    /// Keys of its fields.
    pub keys: Vec<FieldKey>,
    /// `true` if a file can add further keys.
    pub is_open: bool,
}

/// The JSON key of a field.
#[derive(Debug, Clone)]
pub struct FieldKey {
    /// The key.
    pub key: Cow<'static, str>,
    /// Name of the field in the inspector.
    pub name: &'static str,
    /// Type of its value.
    pub ty: ValueType,
}

impl FieldKey {
    /// Creates a key that belongs to no table.
    pub(crate) fn new(key: &'static str, ty: ValueType) -> Self {
        Self {
            key: key.into(),
            name: "",
            ty,
        }
    }
}

/// The JSON keys of a file ([`Document::info`](crate::Document::info)).
#[derive(Debug, Clone)]
pub struct InfoKeys {
    /// Keys of every file.
    pub keys: Vec<FieldKey>,
    /// Keys that appear only in some files, or only in response to a query.
    pub optional: Vec<FieldKey>,
}

impl InfoKeys {
    /// Combines the keys of a table with others.
    pub(crate) fn new(
        mut keys: Vec<FieldKey>,
        more: &[(&'static str, ValueType)],
        optional: &[(&'static str, ValueType)],
    ) -> Self {
        let key = |(key, ty): &(&'static str, ValueType)| FieldKey::new(key, *ty);
        keys.extend(more.iter().map(key));
        let optional = optional.iter().map(key).collect();
        Self { keys, optional }
    }
}

/// A table and a record, or a reference to one.
struct Described<'a, R, B>(Table<'a, R>, B);

/// The outputs of a record of any kind. A record that is only shown can leave the others empty.
pub trait Describe {
    /// Returns the property groups of the inspector. Empty groups are omitted.
    fn groups(&self) -> Vec<PropertyGroup>;

    /// Returns the status line.
    fn summary(&self) -> Vec<SummaryPart>;

    /// Returns the note of the outline line.
    fn note(&self) -> String {
        String::new()
    }

    /// Returns the values stored in the file, with their origin, for comparison.
    fn own(&self) -> Vec<OwnLine> {
        Vec::new()
    }

    /// Returns the full description as JSON.
    fn details(&self) -> Map<String, Json> {
        Map::new()
    }

    /// Returns the value of a field by its key and by keys within the value, or `None` if the
    /// record has no such field. A heading's key before that of the field selects one of several
    /// fields with the same key.
    fn value(&self, path: &[String]) -> Option<Value> {
        let _ = path;
        None
    }
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

    fn value(&self, path: &[String]) -> Option<Value> {
        self.0.value(self.1.borrow(), path)
    }
}

/// A record with facts that are computed on demand.
pub(crate) struct WithFacts<'a, F> {
    pub(crate) record: Box<dyn Describe + 'a>,
    pub(crate) facts: F,
}

impl<F: Fn() -> Vec<FactGroup>> Describe for WithFacts<'_, F> {
    fn groups(&self) -> Vec<PropertyGroup> {
        let mut groups = self.record.groups();
        groups.extend((self.facts)().into_iter().map(FactGroup::group));
        groups
    }

    fn summary(&self) -> Vec<SummaryPart> {
        self.record.summary()
    }

    fn note(&self) -> String {
        self.record.note()
    }

    fn own(&self) -> Vec<OwnLine> {
        let mut own = self.record.own();
        own.extend((self.facts)().into_iter().flat_map(FactGroup::own));
        own
    }

    fn details(&self) -> Map<String, Json> {
        let mut details = self.record.details();
        details.extend((self.facts)().into_iter().map(FactGroup::json));
        details
    }

    fn value(&self, path: &[String]) -> Option<Value> {
        self.record.value(path).or_else(|| {
            let mut facts = (self.facts)().into_iter();
            facts.find_map(|group| group.value(path))
        })
    }
}

impl<'a, R> Table<'a, R> {
    fn fields(&self) -> impl Iterator<Item = &Field<R>> {
        self.sections.iter().flat_map(|section| section.fields)
    }

    /// Combines the table with a record of any kind, or with a reference to one.
    pub(crate) fn of(self, record: impl Borrow<R> + 'a) -> Box<dyn Describe + 'a>
    where
        R: 'a,
    {
        Box::new(Described(self, record))
    }

    /// Returns the property groups of the inspector. Empty groups are omitted.
    pub(crate) fn groups(&self, record: &R) -> Vec<PropertyGroup> {
        let groups = self.sections.iter().map(|section| {
            let mut properties = Vec::with_capacity(section.fields.len());
            for field in section.fields.iter().filter(|field| field.is_shown) {
                let first = properties.len();
                field.display()(record).list_as(field.name, &mut properties);
                if field.shown.is_some() && field.origin == Origin::Place {
                    let place = (field.read)(record).place_in_file();
                    Property::set_place(&mut properties, first, place);
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

    /// Returns the status line.
    pub(crate) fn summary(&self, record: &R) -> Vec<SummaryPart> {
        let parts = self.fields().filter_map(|field| {
            let (name, value) = field.summary?;
            let value = value(record);
            let (own_name, width) = value.layout();
            Some(SummaryPart {
                name: own_name.unwrap_or(name),
                width,
                value: value.text()?.into_owned(),
            })
        });
        parts.collect()
    }

    /// Returns the note of the outline line.
    pub(crate) fn note(&self, record: &R) -> String {
        let notes = self.fields().filter_map(|field| field.note);
        let notes = notes.filter_map(|note| note(record).text().map(Cow::into_owned));
        notes.collect::<Vec<_>>().join(", ")
    }

    /// Returns the values stored in the file, with their origin, for comparison with another
    /// record.
    pub(crate) fn own(&self, record: &R) -> Vec<OwnLine> {
        let mut lines = Vec::new();
        for section in self.sections {
            let fields = section.fields.iter();
            for field in fields.filter(|field| field.origin != Origin::Derived) {
                let read = field.compared.unwrap_or(field.read);
                let name = (field.name, field.key.into());
                read(record).own_as(section.title, name, field.origin, &mut lines);
            }
        }
        lines
    }

    /// Returns the record's JSON object in lists of its kind.
    pub(crate) fn json(&self, record: &R) -> Map<String, Json> {
        let mut keys = Map::new();
        for field in self.fields().filter(|field| field.is_listed) {
            (field.read)(record).add_json(field.key, &mut keys);
        }
        keys
    }

    /// Returns the fields of [`Table::json`] as a value, for a field that lists records.
    pub(crate) fn listed(&self, record: &R) -> Value {
        let listed = self.fields().filter(|field| field.is_listed);
        listed
            .map(|field| Fact::new(field.name, (field.read)(record)).keyed(field.key))
            .collect::<Vec<_>>()
            .into()
    }

    /// Returns the full description of the record as JSON: one object for each inspector heading.
    /// Headings without any value are omitted.
    pub(crate) fn details(&self, record: &R) -> Map<String, Json> {
        let sections = self.sections.iter().filter_map(|section| {
            let mut keys = Map::new();
            for field in section.fields.iter().filter(|field| field.has_key()) {
                (field.read)(record).add_json(field.key, &mut keys);
            }
            let is_empty = keys.values().all(Json::is_null);
            (!is_empty).then(|| (section.key(), keys.into()))
        });
        sections.collect()
    }

    /// Returns the value of a field ([`Describe::value`]).
    pub(crate) fn value(&self, record: &R, path: &[String]) -> Option<Value> {
        let (key, rest) = path.split_first()?;
        let exact = self.fields().filter(|field| field.key == key);
        let plural = self.fields().filter(|field| field.key != key);
        let plural = plural.filter(|field| is_key(field.key, key));
        let mut absent = None;
        // A field that does not apply to the record gives way to another of the same name.
        for field in exact.chain(plural).filter(|field| !field.key.is_empty()) {
            match (field.read)(record).at(rest) {
                Some(value) if value.is_absent() => absent = Some(value),
                Some(value) => return Some(value),
                None => {}
            }
        }
        if absent.is_some() {
            return absent;
        }
        let mut facts = self.fields().filter(|field| field.has_facts());
        facts
            .find_map(|field| (field.read)(record).at(path))
            .or_else(|| {
                let key_in = rest.first()?;
                let section = self.sections.iter().find(|section| section.key() == *key)?;
                let mut fields = section.fields.iter();
                fields.find_map(|field| match field.has_facts() {
                    true => (field.read)(record).at(rest),
                    false if is_key(field.key, key_in) => (field.read)(record).at(&rest[1..]),
                    false => None,
                })
            })
    }

    /// Returns the fields of several records as facts, each with a list of their values.
    pub(crate) fn facts_of(&self, records: &[R]) -> Vec<Fact> {
        let fields = self.fields().filter(|field| !field.key.is_empty());
        fields
            .map(|field| {
                let values = Value::list(records.iter().map(field.read));
                Fact::new(field.name, values).keyed(field.key)
            })
            .collect()
    }

    /// Returns the keys of [`Table::details`] that do not depend on the record.
    pub(crate) fn keys(&self, kind: &'static str) -> ItemKeys {
        let groups = self.sections.iter().map(|section| {
            let fields = section.fields.iter();
            GroupKeys {
                key: section.key(),
                title: section.title,
                keys: fields.flat_map(Field::keys).collect(),
                is_open: section.fields.iter().any(Field::has_open_facts),
            }
        });
        let groups = groups.collect();
        ItemKeys {
            kind,
            groups,
            is_open: false,
        }
    }

    /// Returns the keys of [`Table::json`] that do not depend on the record.
    pub(crate) fn listed_keys(&self) -> Vec<FieldKey> {
        let fields = self.fields().filter(|field| field.is_listed);
        fields.flat_map(Field::keys).collect()
    }
}

impl<R> Field<R> {
    fn keys(&self) -> Vec<FieldKey> {
        let key = |key, name, ty| FieldKey { key, name, ty };
        match (self.key, self.ty) {
            ("", ValueType::Object(keys)) => {
                let keys = keys.iter();
                keys.map(|(fact, ty)| key((*fact).into(), "", *ty))
                    .collect()
            }
            ("", _) => Vec::new(),
            (own, ty) => vec![key(own.into(), self.name, ty)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::own::Named;
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
                        text("Name", "name", |sample: &Self| sample.name.into())
                            .in_summary()
                            .listed(),
                        integer("Count", "count", |sample: &Self| {
                            Value::count(sample.count, "entity")
                        })
                        .in_note()
                        .summary("All", |sample| Value::from(sample.count).width(9))
                        .listed(),
                        decimal("Size", "size_px", |sample: &Self| {
                            Value::amount(sample.size, "pixels")
                        })
                        .in_note()
                        .listed(),
                        flag("Even", "is_even", |sample: &Self| {
                            sample.count.is_multiple_of(2).into()
                        })
                        .derived()
                        .hidden()
                        .listed(),
                        place("In the file", "place", |sample: &Self| {
                            Value::line(sample.count.into())
                        })
                        .place(),
                        shown_only("State", |_| "fine".into()),
                    ],
                ),
                section(
                    "Letters",
                    &[
                        field(
                            "Letter",
                            "letters",
                            ValueType::List(&ValueType::Text),
                            |sample: &Self| {
                                let letters = sample.name.chars().map(String::from);
                                Value::list(letters).showing(2)
                            },
                        ),
                        facts(|sample: &Self| {
                            let first = sample.name.chars().next();
                            let fact = |first: char| Fact::new("First letter", first.to_string());
                            Value::object(first.map(fact))
                        }),
                        integer("Leaf", "leaf", |sample: &Self| {
                            Value::reference(sample.count as usize, "green")
                                .with_index()
                                .naming("leaf", sample.count as usize, "")
                        }),
                    ],
                )
                .keyed("spelt"),
            ],
        };
    }

    fn lines(sample: &Sample<'_>) -> Vec<(&'static str, &'static str, String)> {
        let groups = Sample::FIELDS.groups(sample).into_iter();
        let lines = groups.flat_map(|group| {
            let lines = group.properties.into_iter();
            lines.map(move |line| (group.title, line.name, line.value))
        });
        lines.collect()
    }

    #[test]
    fn a_row_is_a_field_of_every_output() {
        let name = String::from("abc");
        let mut sample = Sample {
            name: &name,
            count: 3,
            size: Some(0.1),
        };
        let line = |title, name, value: &str| (title, name, value.to_owned());
        let expected = [
            line("Sample", "Name", "abc"),
            line("Sample", "Count", "3 entities"),
            line("Sample", "Size", "0.1 pixels"),
            line("Sample", "In the file", "line 3"),
            line("Sample", "State", "fine"),
            line("Letters", "Letter", "a"),
            line("Letters", "Letter", "b"),
            line("Letters", "Letter", "and 1 more"),
            line("Letters", "First letter", "a"),
            line("Letters", "Leaf", "3 green"),
        ];
        assert_eq!(lines(&sample), expected);
        let part = |name, value: &str, width| SummaryPart {
            name,
            value: value.to_owned(),
            width,
        };
        let summary = [part("Name", "abc", 0), part("All", "3", 9)];
        assert_eq!(Sample::FIELDS.summary(&sample), summary);
        assert_eq!(Sample::FIELDS.note(&sample), "3 entities, 0.1 pixels");
        let listed = json!({"name": "abc", "count": 3, "size_px": 0.1, "is_even": false});
        assert_eq!(Json::from(Sample::FIELDS.json(&sample)), listed);
        assert_eq!(Sample::FIELDS.listed(&sample).json(), listed);
        let details = json!({
            "sample": {"name": "abc", "count": 3, "size_px": 0.1, "is_even": false,
                       "place": {"line": 3}},
            "spelt": {"letters": ["a", "b", "c"], "first_letter": "a", "leaf": 3},
        });
        assert_eq!(Json::from(Sample::FIELDS.details(&sample)), details);
        // A field without a value is null, without a line.
        (sample.name, sample.size) = ("", None);
        assert_eq!(lines(&sample).len(), 5);
        assert_eq!(Sample::FIELDS.note(&sample), "3 entities");
        assert_eq!(Sample::FIELDS.json(&sample)["size_px"], Json::Null);
    }

    #[test]
    fn all_but_derived_fields_are_compared_with_all_their_digits() {
        let sample = Sample {
            name: "abc",
            count: 3,
            size: Some(0.123_456_7),
        };
        let own = Sample::FIELDS.own(&sample);
        let values: Vec<(&str, Json)> = own
            .iter()
            .map(|line| (line.key.as_deref().unwrap(), line.value.clone()))
            .collect();
        let expected = [
            ("name", json!("abc")),
            ("count", json!(3)),
            ("size_px", json!(0.123_456_7)),
            ("place", json!({"line": 3})),
            ("letters", json!("a")),
            ("letters", json!("b")),
            ("letters", json!("c")),
            ("first_letter", json!("a")),
            ("leaf", json!("green")),
        ];
        assert_eq!(values, expected);
        assert_eq!(own[3].origin, Origin::Place);
        assert_eq!(own[2].text.as_deref(), Some("0.1234567 pixels"));
        let names = Some(Named {
            part: ("leaf", 3),
            remainder: String::new(),
        });
        assert_eq!(own[8].names, names);
    }

    #[test]
    fn keys_have_types_and_those_of_facts_are_open() {
        let keys = Sample::FIELDS.keys("sample");
        let [sample, spelt] = &keys.groups[..] else {
            panic!("{keys:?}");
        };
        assert_eq!((&*sample.key, &*spelt.key), ("sample", "spelt"));
        assert_eq!([sample.is_open, spelt.is_open], [false, true]);
        let names: Vec<_> = sample.keys.iter().map(|field| &*field.key).collect();
        assert_eq!(names, ["name", "count", "size_px", "is_even", "place"]);
        assert!(matches!(sample.keys[4].ty, ValueType::Place));
        assert_eq!(Sample::FIELDS.listed_keys().len(), 4);
    }
}
