//! Compares the fields of a part in two files.

use serde_json::Value as Json;

use crate::describe::own::{OTHER, key_of};
use crate::{Origin, OwnLine};

/// A field with its values in A and in B.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// The display name of the field.
    pub name: String,
    /// The JSON key of the field.
    pub key: String,
    /// The values in A and B; `None` if a file lacks the field.
    pub values: [Option<Json>; 2],
    /// The values as display text.
    pub texts: [Option<String>; 2],
}

impl FieldChange {
    /// Creates a change whose key is derived from the display name.
    pub(super) fn new(name: &str, values: [Option<Json>; 2]) -> Self {
        Self {
            name: name.to_owned(),
            key: key_of(name),
            texts: [0, 1].map(|i| values[i].as_ref().map(text_of)),
            values,
        }
    }
}

impl OwnLine {
    /// Returns the display text of its value.
    pub(crate) fn text(&self) -> String {
        self.text.clone().unwrap_or_else(|| text_of(&self.value))
    }
}

/// A value as display text.
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
        // Whole numbers are shown without decimals.
        Json::Number(number) => {
            let text = number.to_string();
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        }
        Json::Object(_) => value.to_string(),
    }
}

/// A field with all lines of A and B that share its name.
struct Said<'a> {
    line: &'a OwnLine,
    values: [Vec<&'a OwnLine>; 2],
}

/// Groups the lines by field, in the order of A, followed by fields that only B has.
fn said(own: &[Vec<OwnLine>; 2]) -> Vec<Said<'_>> {
    let mut fields: Vec<Said<'_>> = Vec::new();
    for (side, lines) in own.iter().enumerate() {
        let lines = lines.iter();
        for line in lines.filter(|line| line.origin == Origin::File) {
            let is_same = |Said { line: first, .. }: &Said<'_>| {
                (first.title, first.name, &first.key) == (line.title, line.name, &line.key)
            };
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

/// Returns the fields of a part that differ between A and B; `is_same` compares two values.
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
        title,
        name,
        ref key,
        ..
    } = *said.line;
    let is_same_name = |other: &&Said<'_>| other.line.name == name;
    let name = match name {
        "" => title.to_owned(),
        OTHER => key.as_deref().unwrap_or(name).to_owned(),
        // The heading distinguishes fields of the same name.
        name if all.iter().filter(is_same_name).count() > 1 => format!("{title}: {name}"),
        name => name.to_owned(),
    };
    let value = |i: usize| match said.values[i].as_slice() {
        [] => None,
        [line] => Some(line.value.clone()),
        lines => Some(lines.iter().map(|line| line.value.clone()).collect()),
    };
    let key = key
        .as_ref()
        .map_or_else(|| key_of(&name), ToString::to_string);
    let text = |i: usize| {
        let texts = said.values[i].iter().map(|line| line.text());
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    };
    let (values, texts) = ([0, 1].map(value), [0, 1].map(text));
    FieldChange {
        name,
        key,
        values,
        texts,
    }
}

/// The position of a part in each file.
pub(super) fn places(own: &[Vec<OwnLine>; 2]) -> [Option<String>; 2] {
    [0, 1].map(|i| {
        let mut lines = own[i].iter();
        let place = lines.find(|line| line.origin == Origin::Place)?;
        let text = place.text();
        // A number needs the name of what it counts.
        Some(match &place.value {
            Json::Number(_) => format!("{} {text}", place.name.to_lowercase()),
            _ => text,
        })
    })
}
