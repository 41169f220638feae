//! Values of fields: typed data and its display form.
//!
//! JSON, comparisons and searches read the data. The display text is derived from the data and its
//! [`Form`], so that no value is formatted unless it is shown.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use glam::Vec3;
use serde_json::{Map, Value as Json, json};

use super::numbers::{number, short, xyz};
use super::own::{self, Named, OwnLine, key_of};
use crate::{Item, Origin, Property, PropertyGroup, Swatch, TextSpan};
use mapscope_formats::{Place, counted};

/// The value of a field of a record. See the `From` conversions for the types it can hold.
#[derive(Debug, Clone)]
pub struct Value {
    data: Data,
    form: Form,
    /// Display text in place of the one derived from the data.
    shown: Option<Cow<'static, str>>,
    /// Target of a click.
    link: Option<Item>,
    swatch: Option<Swatch>,
    /// Name that replaces the name of the field.
    name: Option<&'static str>,
    /// Part that the value refers to.
    names: Option<Named>,
    spans: Vec<TextSpan>,
    /// Character count of the longest such value.
    width: usize,
}

/// Typed data of a value.
#[derive(Debug, Clone)]
enum Data {
    /// The field does not apply to this record, or its value is unknown.
    Absent,
    Flag(bool),
    Integer(i64),
    /// A whole number that `Integer` cannot hold.
    Large(u64),
    Number(f32),
    Text(Cow<'static, str>),
    /// Coordinates, or another list of numbers.
    Numbers(Vec<f32>),
    Integers(Vec<i64>),
    /// A part of the file, by its index in its list and by its name.
    Reference {
        index: i64,
        name: String,
    },
    Place(FilePlace),
    Bytes(Arc<[u8]>),
    List(Vec<Value>),
    Object(Vec<Fact>),
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilePlace {
    /// First and last line, from 1.
    Lines([u64; 2]),
    /// Line and column, from 1.
    Column(u64, u64),
    /// Offset and length in the file or in a section that was unpacked, in bytes.
    Bytes {
        offset: u64,
        length: u64,
        section: Option<&'static str>,
    },
}

/// Section of data that was unpacked from a part of the file.
const UNPACKED: &str = "unpacked";

/// The display form of a value's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Numbers separated by commas.
    Plain,
    /// A number with its unit.
    Unit(&'static str),
    /// A count and its noun. The noun is given in the singular.
    Count(&'static str),
    /// Numbers with the names of their axes.
    Axes,
    /// Width and height with their unit.
    Size(&'static str),
    /// First and last number, or the offset and end of a byte range.
    Range,
    /// The length of a byte range, followed by its offset.
    LengthFirst,
    /// Numbers separated by spaces.
    Spaced,
    /// Numbers in parentheses.
    Tuple,
    /// A hexadecimal number with at least this number of digits.
    Hex(usize),
    /// The index of a reference, followed by its name.
    IndexAndName,
    /// This number of lines of a list, followed by a line that counts the rest.
    First(usize),
    /// A list in one line, separated by commas. It is compared as one value.
    Whole,
}

/// An elementary part of a value, as queries compare it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plain<'a> {
    Flag(bool),
    Number(f64),
    /// A number that the file has in single precision.
    Single(f32),
    Text(&'a str),
}

/// A named value of a record whose fields are not known in advance.
#[derive(Debug, Clone)]
pub struct Fact {
    name: &'static str,
    key: Cow<'static, str>,
    value: Value,
    /// Value for display in place of `value`.
    shown: Option<Box<Value>>,
    origin: Origin,
    is_shown: bool,
}

/// Facts under one inspector heading.
#[derive(Debug, Clone)]
pub struct FactGroup {
    pub(crate) title: &'static str,
    pub(crate) facts: Vec<Fact>,
}

impl Fact {
    /// Creates a fact that the file stores. Its JSON key is derived from its name.
    pub fn new(name: &'static str, value: impl Into<Value>) -> Self {
        Self {
            name,
            key: key_of(name).into(),
            value: value.into(),
            shown: None,
            origin: Origin::File,
            is_shown: true,
        }
    }

    /// Creates a fact that only repeats others. It has no JSON and is not compared.
    pub(crate) fn shown_only(name: &'static str, value: impl Into<Value>) -> Self {
        Self::new(name, value).keyed("").derived()
    }

    /// Sets the JSON key.
    pub(crate) fn keyed(self, key: impl Into<Cow<'static, str>>) -> Self {
        let key = key.into();
        Self { key, ..self }
    }

    /// Marks the fact as derived from others ([`Origin::Derived`]).
    pub(crate) fn derived(self) -> Self {
        let origin = Origin::Derived;
        Self { origin, ..self }
    }

    /// Marks the fact as the record's place in the file ([`Origin::Place`]), and sets its JSON key
    /// to `place`.
    pub(crate) fn place(self) -> Self {
        let origin = Origin::Place;
        Self { origin, ..self }.keyed("place")
    }

    /// Shows this value in the inspector instead of the fact's value.
    pub(crate) fn shown(self, value: Value) -> Self {
        let shown = Some(Box::new(value));
        Self { shown, ..self }
    }

    /// Removes the fact from the inspector.
    pub(crate) fn hidden(self) -> Self {
        let is_shown = false;
        Self { is_shown, ..self }
    }

    /// Appends the inspector lines of the fact.
    fn list(self, properties: &mut Vec<Property>) {
        if self.is_shown {
            let place = self.value.place_in_file();
            let first = properties.len();
            let value = self.shown.map_or(self.value, |shown| *shown);
            value.list_as(self.name, properties);
            Property::set_place(properties, first, place);
        }
    }
}

impl FactGroup {
    /// Creates a group.
    pub fn new(title: &'static str, facts: impl IntoIterator<Item = Fact>) -> Self {
        let facts = facts.into_iter().collect();
        Self { title, facts }
    }

    /// Returns the property group of the inspector.
    pub(crate) fn group(self) -> PropertyGroup {
        let mut properties = Vec::with_capacity(self.facts.len());
        for fact in self.facts {
            fact.list(&mut properties);
        }
        PropertyGroup {
            title: self.title,
            properties,
        }
    }

    /// Returns a fact by its key and by keys within its value ([`Describe::value`]).
    ///
    /// [`Describe::value`]: super::table::Describe::value
    pub(crate) fn value(self, path: &[String]) -> Option<Value> {
        let is_title = key_of(self.title) == *path.first()? && path.len() > 1;
        let facts = Value::object(self.facts);
        if is_title {
            facts.at(&path[1..])
        } else {
            facts.at(path)
        }
    }

    /// Returns the key of the group, and its facts as JSON.
    pub(crate) fn json(self) -> (String, Json) {
        (key_of(self.title), Value::object(self.facts).json())
    }

    /// Returns the lines that are compared.
    pub fn own(self) -> Vec<OwnLine> {
        Value::object(self.facts).own_lines(self.title)
    }
}

impl Value {
    fn new(data: Data) -> Self {
        Self {
            data,
            form: Form::Plain,
            shown: None,
            link: None,
            swatch: None,
            name: None,
            names: None,
            spans: Vec::new(),
            width: 0,
        }
    }

    fn in_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Creates the value of a field that does not apply to this record: null in JSON, and no
    /// inspector line.
    pub(crate) fn absent() -> Self {
        Self::new(Data::Absent)
    }

    /// Creates an absent value whose inspector line gives the reason.
    pub(crate) fn none(why: impl Into<Cow<'static, str>>) -> Self {
        Self::absent().shown_as(why)
    }

    /// Creates a number with its unit, such as `pixels`.
    pub(crate) fn amount(number: impl Into<Self>, unit: &'static str) -> Self {
        number.into().in_form(Form::Unit(unit))
    }

    /// Creates a count with its noun, given in the singular.
    pub(crate) fn count(number: impl Into<Self>, noun: &'static str) -> Self {
        number.into().in_form(Form::Count(noun))
    }

    /// Creates a width and a height, or sizes along more axes, with their unit. The unit may be
    /// empty.
    pub(crate) fn size(sizes: impl Into<Self>, unit: &'static str) -> Self {
        sizes.into().in_form(Form::Size(unit))
    }

    /// Creates a range from its first and last number. A byte range is displayed with its end.
    pub(crate) fn range(ends: impl Into<Self>) -> Self {
        ends.into().in_form(Form::Range)
    }

    /// Creates numbers in parentheses, such as the index of a chunk.
    pub(crate) fn tuple(numbers: impl Into<Self>) -> Self {
        numbers.into().in_form(Form::Tuple)
    }

    /// Creates a list of whole numbers, such as indices.
    pub(crate) fn integers<I: Into<i64>>(integers: impl IntoIterator<Item = I>) -> Self {
        Self::new(Data::Integers(
            integers.into_iter().map(Into::into).collect(),
        ))
    }

    /// Creates a text from a constant, such as the name of an enum variant.
    pub(crate) fn name(name: &'static str) -> Self {
        Self::new(Data::Text(name.into()))
    }

    /// Creates a hexadecimal number with at least this number of digits.
    pub(crate) fn hex(bits: impl Into<Self>, digits: usize) -> Self {
        bits.into().in_form(Form::Hex(digits))
    }

    /// Creates a colour with its swatch.
    pub(crate) fn color(rgb: [u8; 3]) -> Self {
        let channels = rgb.map(i64::from).to_vec();
        Self::new(Data::Integers(channels))
            .in_form(Form::Spaced)
            .swatch(Some(Swatch::Color(rgb)))
    }

    /// Creates a reference to a part by its list index and its name. JSON has the index; the
    /// display text is the name.
    pub(crate) fn reference(index: usize, name: impl Into<String>) -> Self {
        let (index, name) = (index as i64, name.into());
        Self::new(Data::Reference { index, name })
    }

    /// Shows the index of a reference before its name.
    pub(crate) fn with_index(self) -> Self {
        self.in_form(Form::IndexAndName)
    }

    /// Creates a byte range of a decoded section.
    pub(crate) fn bytes_in(section: &'static str, offset: usize, length: usize) -> Self {
        Self::bytes_of(Some(section), offset, length)
    }

    /// Creates a line number, from 1.
    pub(crate) fn line(line: u64) -> Self {
        Self::lines([line, line])
    }

    /// Creates a first and a last line number, from 1.
    pub(crate) fn lines(lines: [u64; 2]) -> Self {
        Self::new(Data::Place(FilePlace::Lines(lines)))
    }

    /// Creates a line and a column, from 1.
    pub(crate) fn column(line: u64, column: u64) -> Self {
        Self::new(Data::Place(FilePlace::Column(line, column)))
    }

    /// Creates a byte range of the file.
    pub(crate) fn bytes_at(offset: usize, length: usize) -> Self {
        Self::bytes_of(None, offset, length)
    }

    fn bytes_of(section: Option<&'static str>, offset: usize, length: usize) -> Self {
        Self::new(Data::Place(FilePlace::Bytes {
            offset: offset as u64,
            length: length as u64,
            section,
        }))
    }

    /// Creates a byte range of unpacked data.
    pub(crate) fn unpacked_at(offset: usize, length: usize) -> Self {
        Self::bytes_of(Some(UNPACKED), offset, length)
    }

    /// Shows the length of a byte range before its offset.
    pub(crate) fn length_first(self) -> Self {
        self.in_form(Form::LengthFirst)
    }

    /// Creates bytes, shown as rows of hexadecimal numbers and letters.
    pub(crate) fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::new(Data::Bytes(bytes.into()))
    }

    /// Creates a list. The inspector shows one line for each element.
    pub(crate) fn list<V: Into<Self>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::new(Data::List(values.into_iter().map(Into::into).collect()))
    }

    /// Creates an object. The inspector shows the lines of its facts.
    pub(crate) fn object(facts: impl IntoIterator<Item = Fact>) -> Self {
        Self::new(Data::Object(facts.into_iter().collect()))
    }

    /// Shows a list in one line, and compares it as one value.
    pub(crate) fn whole(self) -> Self {
        self.in_form(Form::Whole)
    }

    /// Shows only the first `max` elements of a list, and a line that counts the rest. JSON and
    /// comparisons use all elements.
    pub(crate) fn showing(self, max: usize) -> Self {
        self.in_form(Form::First(max))
    }

    /// Sets a display text in place of the one derived from the data.
    pub(crate) fn shown_as(self, text: impl Into<Cow<'static, str>>) -> Self {
        let shown = Some(text.into());
        Self { shown, ..self }
    }

    /// Colours a text of the file by field.
    pub(crate) fn spans(self, spans: Vec<TextSpan>) -> Self {
        Self { spans, ..self }
    }

    /// Sets the target of a click on the value.
    pub(crate) fn link(self, item: impl Into<Item>) -> Self {
        self.link_if(Some(item))
    }

    /// Sets the target of a click, if the item exists.
    pub(crate) fn link_if(self, item: Option<impl Into<Item>>) -> Self {
        let link = item.map(Into::into);
        Self { link, ..self }
    }

    /// Sets the thumbnail or colour beside the value.
    pub(crate) fn swatch(self, swatch: Option<Swatch>) -> Self {
        Self { swatch, ..self }
    }

    /// Replaces the name of the field, for fields whose name depends on the record.
    pub(crate) fn named(self, name: &'static str) -> Self {
        let name = Some(name);
        Self { name, ..self }
    }

    /// Marks the value as a reference to a part, given by its kind and index. `remainder` is the
    /// rest of the value. References to matched parts are equal even if their names or indices
    /// differ. A marked object is compared as one value.
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
    ///
    /// [`SummaryPart::width`]: crate::SummaryPart::width
    pub(crate) fn width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// `true` if the field does not apply to the record, or its value is unknown.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self.data, Data::Absent)
    }

    /// Returns the part of the value at a path of keys: a fact of an object, a coordinate by the
    /// name of its axis, or a line, column, offset or length of a place. `None` if there is no
    /// such part.
    pub(crate) fn at(self, path: &[String]) -> Option<Self> {
        let Some((key, rest)) = path.split_first() else {
            return Some(self);
        };
        let axis = ["x", "y", "z", "w"].iter().position(|axis| axis == key);
        match self.data {
            Data::Absent => Some(Self::absent()),
            Data::Object(facts) => {
                let fact = facts.into_iter().find(|fact| is_key(&fact.key, key))?;
                fact.value.at(rest)
            }
            Data::List(values) => {
                let parts = values.into_iter().filter_map(|value| value.at(path));
                let parts: Vec<Self> = parts.collect();
                (!parts.is_empty()).then(|| Self::list(parts))
            }
            Data::Numbers(numbers) => Some((*numbers.get(axis?)?).into()),
            Data::Integers(integers) => Some((*integers.get(axis?)?).into()),
            Data::Place(place) => match (place, &**key) {
                (FilePlace::Lines([line, _]) | FilePlace::Column(line, _), "line")
                | (FilePlace::Lines([_, line]), "last_line") => Some(line.into()),
                (FilePlace::Column(_, column), "column") => Some(column.into()),
                (FilePlace::Bytes { offset, .. }, "offset") => Some(offset.into()),
                (FilePlace::Bytes { length, .. }, "length") => Some(length.into()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the place at which the value begins. `None` if it is no place, or a place in data that
    /// was unpacked from the file.
    pub fn place_in_file(&self) -> Option<Place> {
        match self.data {
            Data::Place(FilePlace::Lines([line, _])) => Some(Place::line(line)),
            Data::Place(FilePlace::Column(line, column)) => Some(Place::Text { line, column }),
            Data::Place(FilePlace::Bytes {
                offset,
                section: None,
                ..
            }) => Some(Place::Offset(offset)),
            _ => None,
        }
    }

    /// Returns how many lines and columns before a place, or how many bytes before it, the value
    /// begins. `None` if it is no place in the file, begins later, or ends before. Column 0 of a
    /// place is its whole line, of which the first value is the nearest.
    pub(crate) fn distance_before(&self, place: Place) -> Option<[u64; 2]> {
        let Data::Place(of_value) = &self.data else {
            return None;
        };
        match (*of_value, place) {
            // A single line is that of the name; the record may continue below it.
            (FilePlace::Lines([first, last]), Place::Text { line, .. }) => {
                let lines = line.checked_sub(first)?;
                (first == last || line <= last).then_some([lines, 0])
            }
            (FilePlace::Column(first, from), Place::Text { line, column: 0 }) if first == line => {
                Some([0, from])
            }
            (FilePlace::Column(first, from), Place::Text { line, column }) if first == line => {
                Some([0, column.checked_sub(from)?])
            }
            (FilePlace::Column(first, _), Place::Text { line, .. }) => {
                Some([line.checked_sub(first)?, 0])
            }
            (
                FilePlace::Bytes {
                    offset: first,
                    length,
                    section: None,
                },
                Place::Offset(offset),
            ) => {
                let before = offset.checked_sub(first)?;
                (before < length).then_some([before, length])
            }
            _ => None,
        }
    }

    /// Compares two values of a field for sorting: numbers, then texts, then absent values. Lists
    /// are compared by their first elements, references by their names.
    pub fn order(&self, other: &Self) -> Ordering {
        fn key(value: &Value) -> (u8, f64, String) {
            let mut key = (2, 0.0, String::new());
            value.any(&mut |plain| {
                key = match plain {
                    Plain::Flag(is_set) => (0, f64::from(u8::from(is_set)), String::new()),
                    Plain::Number(number) => (0, number, String::new()),
                    Plain::Single(number) => (0, number.into(), String::new()),
                    Plain::Text(text) => (1, 0.0, text.to_lowercase()),
                };
                let is_reference = matches!(value.data, Data::Reference { .. });
                !is_reference || key.0 == 1
            });
            key
        }
        let (a, b) = (key(self), key(other));
        (a.0.cmp(&b.0))
            .then(a.1.total_cmp(&b.1))
            .then_with(|| a.2.cmp(&b.2))
    }

    /// `true` if `test` holds for the value or for one of its elements.
    pub(crate) fn any(&self, test: &mut dyn FnMut(Plain<'_>) -> bool) -> bool {
        match &self.data {
            Data::Absent | Data::Bytes(_) => false,
            Data::Flag(is_set) => test(Plain::Flag(*is_set)),
            Data::Integer(integer) => test(Plain::Number(*integer as f64)),
            Data::Large(integer) => test(Plain::Number(*integer as f64)),
            Data::Number(number) => test(Plain::Single(*number)),
            Data::Text(text) => test(Plain::Text(text)),
            Data::Numbers(numbers) => numbers.iter().any(|number| test(Plain::Single(*number))),
            Data::Integers(all) => all
                .iter()
                .any(|integer| test(Plain::Number(*integer as f64))),
            Data::Reference { index, name } => {
                test(Plain::Number(*index as f64)) || test(Plain::Text(name))
            }
            Data::Place(FilePlace::Lines([line, _]) | FilePlace::Column(line, _)) => {
                test(Plain::Number(*line as f64))
            }
            Data::Place(FilePlace::Bytes { offset, .. }) => test(Plain::Number(*offset as f64)),
            Data::List(values) => values.iter().any(|value| value.any(test)),
            Data::Object(facts) => facts.iter().any(|fact| fact.value.any(test)),
        }
    }

    /// Returns the name that replaces the field's name, and the character count of the longest such
    /// value.
    pub(super) fn layout(&self) -> (Option<&'static str>, usize) {
        (self.name, self.width)
    }

    /// Returns the display text, or `None` if the value has none.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        if let Some(shown) = &self.shown {
            return Some(shown.as_ref().into());
        }
        let joined = |texts: Vec<Cow<'_, str>>| (!texts.is_empty()).then(|| texts.join(", "));
        Some(match &self.data {
            Data::Absent => return None,
            Data::Flag(is_set) => if *is_set { "yes" } else { "no" }.into(),
            Data::Integer(integer) => match self.form {
                Form::Hex(digits) => format!("{integer:#0width$x}", width = digits + 2).into(),
                Form::Count(noun) => counted(*integer as usize, noun).into(),
                _ => self.with_unit(integer.to_string()).into(),
            },
            Data::Large(integer) => match self.form {
                Form::Hex(_) => format!("{integer:#x}").into(),
                _ => integer.to_string().into(),
            },
            Data::Number(number) => self.with_unit(short(*number)).into(),
            Data::Text(text) => text.as_ref().into(),
            Data::Numbers(numbers) => match (&**numbers, self.form) {
                ([x, y, z], Form::Axes) => xyz([*x, *y, *z]).into(),
                _ => self.joined(numbers.iter().copied().map(short)).into(),
            },
            Data::Integers(integers) => self.joined(integers.iter().map(i64::to_string)).into(),
            Data::Reference { index, name } => match self.form {
                Form::IndexAndName => format!("{index} {name}").into(),
                _ => name.as_str().into(),
            },
            Data::Place(place) => place.text(self.form).into(),
            Data::Bytes(bytes) => hex_of(bytes).into(),
            Data::List(values) => joined(values.iter().filter_map(Self::text).collect())?.into(),
            Data::Object(facts) => {
                let values = facts.iter().filter_map(|fact| fact.value.text());
                joined(values.collect())?.into()
            }
        })
    }

    fn with_unit(&self, number: String) -> String {
        match self.form {
            Form::Unit(unit) if !unit.is_empty() => format!("{number} {unit}"),
            _ => number,
        }
    }

    /// Joins numbers in the value's form.
    fn joined(&self, numbers: impl Iterator<Item = String>) -> String {
        let (separator, unit) = match self.form {
            Form::Size(unit) => (" x ", unit),
            Form::Range => (" to ", ""),
            Form::Spaced => (" ", ""),
            Form::Unit(unit) => (", ", unit),
            _ => (", ", ""),
        };
        let text = numbers.collect::<Vec<_>>().join(separator);
        match self.form {
            Form::Tuple => format!("({text})"),
            _ if unit.is_empty() => text,
            _ => format!("{text} {unit}"),
        }
    }

    /// Returns the value as JSON. Absent values are null.
    pub fn json(&self) -> Json {
        match &self.data {
            Data::Absent => Json::Null,
            Data::Flag(is_set) => (*is_set).into(),
            Data::Integer(integer) => (*integer).into(),
            Data::Large(integer) => (*integer).into(),
            Data::Number(value) => number(*value),
            Data::Text(text) => text.as_ref().into(),
            Data::Numbers(numbers) => numbers.iter().copied().map(number).collect(),
            Data::Integers(integers) => integers.clone().into(),
            Data::Reference { index, .. } => (*index).into(),
            Data::Place(place) => place.json(),
            Data::Bytes(bytes) => hex_of(bytes).into(),
            Data::List(values) => values.iter().map(Self::json).collect(),
            Data::Object(facts) => {
                let mut keys = Map::new();
                for fact in facts {
                    fact.value.add_json(&fact.key, &mut keys);
                }
                keys.into()
            }
        }
    }

    /// Adds the value to an object. An object without a key adds its facts.
    pub(super) fn add_json(&self, key: &str, keys: &mut Map<String, Json>) {
        match (&self.data, key) {
            (Data::Object(facts), "") => {
                for fact in facts {
                    fact.value.add_json(&fact.key, keys);
                }
            }
            (_, "") => {}
            _ => {
                keys.insert(key.to_owned(), self.json());
            }
        }
    }

    /// Appends the inspector lines of the value.
    pub(super) fn list_as(self, name: &'static str, properties: &mut Vec<Property>) {
        let name = self.name.unwrap_or(name);
        if self.shown.is_none() {
            match self.data {
                Data::Object(facts) => {
                    for fact in facts {
                        fact.list(properties);
                    }
                    return;
                }
                Data::List(values) if self.form != Form::Whole => {
                    let max = match self.form {
                        Form::First(max) => max,
                        _ => usize::MAX,
                    };
                    let more = values.len().saturating_sub(max);
                    for value in values.into_iter().take(max) {
                        value.list_as(name, properties);
                    }
                    if more > 0 {
                        properties.push(Property::new(name, format!("and {more} more")));
                    }
                    return;
                }
                Data::Bytes(bytes) => {
                    return properties.push(Property {
                        bytes,
                        ..Property::new(name, "")
                    });
                }
                _ => {}
            }
        }
        if let Some(text) = self.text() {
            let (text, place) = (text.into_owned(), self.place_in_file());
            properties.push(Property {
                place,
                swatch: self.swatch,
                link: self.link,
                spans: self.spans,
                ..Property::new(name, text)
            });
        }
    }

    /// Returns the compared lines of a value that belongs to no table.
    pub(crate) fn own_lines(self, title: &'static str) -> Vec<OwnLine> {
        let mut lines = Vec::new();
        self.own_as(title, ("", "".into()), Origin::File, &mut lines);
        lines
    }

    /// Appends the compared lines of the value. A list or object with a display text is one line.
    pub(super) fn own_as(
        self,
        title: &'static str,
        (name, key): (&'static str, Cow<'static, str>),
        origin: Origin,
        lines: &mut Vec<OwnLine>,
    ) {
        let name = self.name.unwrap_or(name);
        // The text of a compared number has all digits, unlike its display text.
        let text = match &self.data {
            Data::Number(number) if matches!(self.form, Form::Unit(_)) => {
                Some(self.with_unit(number.to_string()))
            }
            Data::Number(_) | Data::Numbers(_) | Data::Bytes(_) => None,
            _ => self.text().map(Cow::into_owned),
        };
        let value = match self.data {
            Data::Absent if self.shown.is_none() => return,
            Data::Object(facts) if self.names.is_none() && self.shown.is_none() => {
                let facts = facts.into_iter();
                for fact in facts.filter(|fact| fact.origin != Origin::Derived) {
                    let origin = match origin {
                        Origin::File => fact.origin,
                        other => other,
                    };
                    let name = (fact.name, fact.key);
                    fact.value.own_as(title, name, origin, lines);
                }
                return;
            }
            Data::List(values) if self.form != Form::Whole && self.shown.is_none() => {
                for value in values {
                    // An element with its own name also has its own key.
                    let key = match value.name {
                        Some(name) => format!("{key}_{}", key_of(name)).into(),
                        None => key.clone(),
                    };
                    value.own_as(title, (name, key), origin, lines);
                }
                return;
            }
            Data::Bytes(bytes) => own::bytes_text(&bytes).into(),
            Data::Reference { name, .. } if self.names.is_some() => name.into(),
            data => Self::new(data).json(),
        };
        lines.push(OwnLine {
            key: Some(key).filter(|key| !key.is_empty()),
            origin,
            text,
            names: self.names,
            ..OwnLine::new(title, name, value)
        });
    }
}

impl FilePlace {
    fn text(self, form: Form) -> String {
        match self {
            Self::Lines([first, last]) if first == last => format!("line {first}"),
            Self::Lines([first, last]) => format!("lines {first} to {last}"),
            Self::Column(line, column) => format!("line {line}, column {column}"),
            Self::Bytes {
                offset,
                length,
                section: Some(UNPACKED),
            } => format!("{offset:#x} to {:#x} of the unpacked data", offset + length),
            Self::Bytes { offset, length, .. } => {
                let count = counted(length as usize, "byte");
                match form {
                    Form::Range => format!("{offset:#x} to {:#x}, {count}", offset + length),
                    Form::LengthFirst => format!("{length} at {offset:#x}"),
                    _ if length == 0 => format!("{offset:#x}"),
                    _ => format!("{offset:#x}, {count}"),
                }
            }
        }
    }

    fn json(self) -> Json {
        match self {
            Self::Lines([first, last]) if first == last => json!({"line": first}),
            Self::Lines([first, last]) => json!({"line": first, "last_line": last}),
            Self::Column(line, column) => json!({"line": line, "column": column}),
            Self::Bytes {
                offset,
                length,
                section: None,
            } => json!({"offset": offset, "length": length}),
            Self::Bytes {
                offset,
                length,
                section,
            } => json!({"section": section, "offset": offset, "length": length}),
        }
    }
}

/// `true` if a word in a query names a key. The singular of a list's key names it too.
pub(crate) fn is_key(key: &str, word: &str) -> bool {
    key == word || key.strip_suffix('s') == Some(word)
}

/// Formats bytes as hexadecimal numbers with spaces between them.
fn hex_of(bytes: &[u8]) -> String {
    let numbers = bytes.iter().map(|byte| format!("{byte:02x}"));
    numbers.collect::<Vec<_>>().join(" ")
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::new(Data::Text(text.into()))
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<bool> for Value {
    fn from(is_set: bool) -> Self {
        Self::new(Data::Flag(is_set))
    }
}

/// Implements `From` for integers that are stored as `i64`, and for arrays of them.
macro_rules! from_integers {
    ($($integer:ty),+) => { $(
        impl From<$integer> for Value {
            fn from(integer: $integer) -> Self {
                Self::new(Data::Integer(integer as i64))
            }
        }

        impl<const N: usize> From<[$integer; N]> for Value {
            fn from(integers: [$integer; N]) -> Self {
                Self::new(Data::Integers(integers.map(|integer| integer as i64).to_vec()))
            }
        }
    )+ };
}

from_integers!(u8, i8, u16, i16, u32, i32, i64, usize);

impl From<u64> for Value {
    fn from(integer: u64) -> Self {
        let small = i64::try_from(integer).map(Data::Integer);
        Self::new(small.unwrap_or(Data::Large(integer)))
    }
}

impl<const N: usize> From<[u64; N]> for Value {
    fn from(integers: [u64; N]) -> Self {
        integers.map(|integer| integer as i64).into()
    }
}

impl From<f32> for Value {
    fn from(number: f32) -> Self {
        Self::new(Data::Number(number))
    }
}

impl From<Vec3> for Value {
    fn from(vector: Vec3) -> Self {
        vector.to_array().into()
    }
}

/// Three numbers are shown with the names of their axes.
impl<const N: usize> From<[f32; N]> for Value {
    fn from(numbers: [f32; N]) -> Self {
        Self::new(Data::Numbers(numbers.to_vec())).in_form(Form::Axes)
    }
}

impl From<&[f32]> for Value {
    fn from(numbers: &[f32]) -> Self {
        Self::new(Data::Numbers(numbers.to_vec()))
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Self {
        Self::list(values)
    }
}

impl From<Vec<Fact>> for Value {
    fn from(facts: Vec<Fact>) -> Self {
        Self::object(facts)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::absent, Into::into)
    }
}
