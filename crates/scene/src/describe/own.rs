//! What files say of records, line by line, for comparing them.

use serde_json::Value as Json;

use crate::{Origin, Property, PropertyGroup};

/// How many bytes of a file are told as they are; of more there is only a checksum.
const MAX_BYTES: usize = 64;
/// The same of a text that is made of them.
const MAX_TEXT: usize = 1024;

/// A thing that a file says of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnLine {
    /// The heading that it stands under.
    pub(crate) title: &'static str,
    /// The name of the field; empty where the heading says what it is.
    pub(crate) name: &'static str,
    /// The key that the field has in JSON where that does not follow from its name.
    pub(crate) key: Option<&'static str>,
    /// Whether it is a value of the record, or the record's place in the file.
    pub(crate) origin: Origin,
    /// The value: numbers with all their digits, texts as people read them.
    pub(crate) value: Json,
    /// The part that the value names, if it names one.
    pub(crate) names: Option<Named>,
}

/// A part that a value names. What it is called and where it stands in its list may differ between two
/// files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    /// The kind of list that it is in ([`Parts`](crate::diff::Parts)), and its index there.
    pub(crate) part: (&'static str, usize),
    /// What else the value says.
    pub(crate) besides: String,
}

impl OwnLine {
    /// The key and the value of an attribute of an entity of a scene; none of anything else.
    pub fn attribute(self) -> Option<(String, Json)> {
        if self.title != "Attributes" {
            return None;
        }
        // Keys that nobody knows stand before their values.
        let unknown = self.value.as_str().filter(|_| self.name == "Other");
        let unknown = unknown.and_then(|line| line.split_once(" = "));
        match unknown {
            Some((key, value)) => Some((key.to_owned(), value.into())),
            None => Some((self.name.to_owned(), self.value)),
        }
    }

    /// Something that a file says of a record.
    pub(crate) fn new(title: &'static str, name: &'static str, value: impl Into<Json>) -> Self {
        Self {
            title,
            name,
            key: None,
            origin: Origin::File,
            value: value.into(),
            names: None,
        }
    }

    /// The same of a value that names a part of another list.
    pub(crate) fn naming(self, what: &'static str, index: Option<usize>) -> Self {
        let named = |index| Named {
            part: (what, index),
            besides: String::new(),
        };
        let names = index.map(named);
        Self { names, ..self }
    }

    /// The same in a field that says where records stand, or of one that does not.
    pub(crate) fn within(self, origin: Origin) -> Self {
        let origin = match origin {
            Origin::File => self.origin,
            other => other,
        };
        Self { origin, ..self }
    }
}

/// The lines of a list of the inspector that say what is in the file, or where.
pub(crate) fn lines_of(
    title: &'static str,
    properties: &[Property],
) -> impl Iterator<Item = OwnLine> {
    let own = properties.iter();
    let own = own.filter(|property| property.origin != Origin::Derived);
    own.map(move |property| {
        let value = if property.bytes.is_empty() {
            property.value.clone()
        } else {
            bytes_text(&property.bytes)
        };
        OwnLine {
            origin: property.origin,
            ..OwnLine::new(title, property.name, value)
        }
    })
}

/// The same of several lists.
pub(crate) fn lines_of_groups(groups: &[PropertyGroup]) -> impl Iterator<Item = OwnLine> {
    let groups = groups.iter();
    groups.flat_map(|group| lines_of(group.title, &group.properties))
}

/// Bytes of a text: as they stand where they are one, else in hexadecimal, and of many a checksum.
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= MAX_BYTES && !text.contains(char::is_control) => text.to_owned(),
        _ => hex_text(bytes),
    }
}

/// A text of any length, of which more than a few lines are told by a checksum.
pub(crate) fn long_text(text: String) -> String {
    if text.len() > MAX_TEXT {
        hex_text(text.as_bytes())
    } else {
        text
    }
}

/// Bytes of numbers, which may be those of letters too: in hexadecimal, and of many a checksum.
pub(crate) fn hex_text(bytes: &[u8]) -> String {
    if bytes.len() > MAX_BYTES {
        let crc32 = crc32fast::hash(bytes);
        return format!("{} bytes with the CRC-32 {crc32:08x}", bytes.len());
    }
    let numbers = bytes.iter().map(|byte| format!("{byte:02x}"));
    numbers.collect::<Vec<_>>().join(" ")
}

/// The name of a field as a key of JSON: lower case, with underscores, and with the signs of axes.
pub(crate) fn key_of(name: &str) -> String {
    let mut words = Vec::new();
    for word in name.split_whitespace() {
        let sign = word.get(..1).filter(|_| word.starts_with(['+', '-']));
        let parts = word.split(|c: char| !c.is_alphanumeric());
        let parts = parts.filter(|part| !part.is_empty());
        let first = words.len();
        words.extend(parts.map(str::to_lowercase));
        if let Some((sign, word)) = sign.zip(words.get_mut(first)) {
            word.insert_str(0, sign);
        }
    }
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_signs_of_axes() {
        let names = ["Run-length", "Max corner", "+X", "+X -Y +Z", "a - b"];
        let expected = ["run_length", "max_corner", "+x", "+x_-y_+z", "a_b"];
        assert_eq!(names.map(key_of), expected);
    }
}
