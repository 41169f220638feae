//! What two files say of a part, field by field.

use serde_json::Value as Json;

use crate::describe::own::key_of;
use crate::{Origin, OwnLine};

/// What is said of something in A and in B.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// The name of the field, for people.
    pub name: String,
    /// The same as a key of JSON.
    pub key: String,
    /// What A and B say; none where one says nothing.
    pub values: [Option<Json>; 2],
}

impl FieldChange {
    /// A field that is named for people as for programs.
    pub(super) fn new(name: &str, values: [Option<Json>; 2]) -> Self {
        Self {
            name: name.to_owned(),
            key: key_of(name),
            values,
        }
    }

    /// What A and B say, for people.
    pub fn texts(&self) -> [Option<String>; 2] {
        [0, 1].map(|i| self.values[i].as_ref().map(text_of))
    }
}

/// A value as people write it.
pub(super) fn text_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Json::Null => "not a number".to_owned(),
        Json::Array(values) if values.iter().all(Json::is_number) => {
            let numbers = values.iter().map(text_of);
            numbers.collect::<Vec<_>>().join(" ")
        }
        Json::Array(values) => {
            let values = values.iter().map(text_of);
            values.collect::<Vec<_>>().join(", ")
        }
        // A whole number needs no decimals.
        Json::Number(number) => {
            let text = number.to_string();
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        }
        Json::Object(_) => value.to_string(),
    }
}

/// A field with all that A and B say under its name.
struct Said<'a> {
    line: &'a OwnLine,
    values: [Vec<&'a OwnLine>; 2],
}

/// What is said under each name, in the order of A, then of what only B has.
fn said(own: &[Vec<OwnLine>; 2]) -> Vec<Said<'_>> {
    let mut fields: Vec<Said<'_>> = Vec::new();
    for (side, lines) in own.iter().enumerate() {
        let lines = lines.iter();
        for line in lines.filter(|line| line.origin == Origin::File) {
            let is_same =
                |said: &Said<'_>| (said.line.title, said.line.name) == (line.title, line.name);
            let index = fields.iter().position(is_same).unwrap_or_else(|| {
                let values = Default::default();
                fields.push(Said { line, values });
                fields.len() - 1
            });
            let values = fields.get_mut(index).map(|said| &mut said.values);
            if let Some(values) = values.and_then(|values| values.get_mut(side)) {
                values.push(line);
            }
        }
    }
    fields
}

/// The fields in which a part is not the same in A and in B, given whether two values are.
pub(super) fn changes(
    own: &[Vec<OwnLine>; 2],
    is_same: impl Fn([&OwnLine; 2]) -> bool,
) -> Vec<FieldChange> {
    let said = said(own);
    let different = said.iter().filter(|said| {
        let [a, b] = &said.values;
        a.len() != b.len() || !a.iter().zip(b).all(|(a, b)| is_same([a, b]))
    });
    different.map(|it| change(it, &said)).collect()
}

fn change(said: &Said<'_>, all: &[Said<'_>]) -> FieldChange {
    let OwnLine {
        title, name, key, ..
    } = *said.line;
    let is_same_name = |other: &&Said<'_>| other.line.name == name;
    let name = match name {
        "" => title.to_owned(),
        // Fields of the same name are told apart by their headings.
        name if all.iter().filter(is_same_name).count() > 1 => format!("{title}: {name}"),
        name => name.to_owned(),
    };
    let value = |i: usize| match said.values[i].as_slice() {
        [] => None,
        [line] => Some(line.value.clone()),
        lines => Some(lines.iter().map(|line| line.value.clone()).collect()),
    };
    let key = key.map_or_else(|| key_of(&name), str::to_owned);
    let values = [0, 1].map(value);
    FieldChange { name, key, values }
}

/// Where a part stands in each file.
pub(super) fn places(own: &[Vec<OwnLine>; 2]) -> [Option<String>; 2] {
    [0, 1].map(|i| {
        let mut lines = own[i].iter();
        let place = lines.find(|line| line.origin == Origin::Place)?;
        let text = text_of(&place.value);
        // A number alone does not say what it counts.
        Some(match &place.value {
            Json::Number(_) => format!("{} {text}", place.name.to_lowercase()),
            _ => text,
        })
    })
}
