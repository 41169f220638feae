//! Values stored in files, line by line, for comparison.

use std::borrow::Cow;

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::Origin;

/// Maximum number of bytes that are compared literally. Longer data is compared by checksum.
const MAX_BYTES: usize = 64;
/// Maximum length of a generated text that is compared literally, in bytes.
const MAX_TEXT: usize = 1024;

/// Name of fields that only their JSON keys tell apart, because the file names them.
pub(crate) const OTHER: &str = "Other";

/// A value that a file stores for a record.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnLine {
    /// Heading of the value.
    pub(crate) title: &'static str,
    /// Field name, or empty if the heading already names it.
    pub(crate) name: &'static str,
    /// JSON key of the field, if it differs from the one derived from its name.
    pub(crate) key: Option<Cow<'static, str>>,
    /// Origin: a value of the record, or the record's place in the file.
    pub(crate) origin: Origin,
    /// Value: numbers with all their digits, texts as displayed.
    pub(crate) value: Json,
    /// Display text of the value, unless it follows from the value.
    pub(crate) text: Option<String>,
    /// Part that the value refers to, if any.
    pub(crate) names: Option<Named>,
}

/// A part that a value refers to. Its name and its list index may differ between two files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    /// Kind of its list ([`Parts`](crate::diff::Parts)) and its index there.
    pub(crate) part: (&'static str, usize),
    /// The rest of the value.
    pub(crate) remainder: String,
}

impl OwnLine {
    /// Returns the key and the value of an attribute of a scene entity, or `None` for any other
    /// line.
    pub fn attribute(self) -> Option<(String, Json)> {
        let key = || self.key.map_or_else(|| key_of(self.name), Cow::into_owned);
        (self.title == "Attributes").then(|| (key(), self.value))
    }

    /// Returns heading, name and value of a line that is neither derived nor a place: flags and whole
    /// numbers as such, everything else as display text.
    pub fn stored(self) -> Option<(&'static str, &'static str, Json)> {
        let is_plain = self.value.is_boolean() || self.value.is_i64() || self.value.is_u64();
        let value = if is_plain {
            self.value.clone()
        } else {
            self.text().into()
        };
        (self.origin == Origin::File).then_some((self.title, self.name, value))
    }

    /// Creates a line of a record.
    pub(crate) fn new(title: &'static str, name: &'static str, value: impl Into<Json>) -> Self {
        Self {
            title,
            name,
            key: None,
            origin: Origin::File,
            value: value.into(),
            text: None,
            names: None,
        }
    }

    /// Sets the origin.
    pub(crate) fn within(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }
}

/// Formats bytes as text if they are short printable UTF-8, otherwise like [`hex_text`].
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= MAX_BYTES && !text.contains(char::is_control) => text.to_owned(),
        _ => hex_text(bytes),
    }
}

/// Returns a text, or its checksum if it is longer than a few lines.
pub(crate) fn long_text(text: String) -> String {
    if text.len() > MAX_TEXT {
        hex_text(text.as_bytes())
    } else {
        text
    }
}

/// Formats bytes in hexadecimal, or as a checksum if there are many. Used for numbers whose bytes
/// might also be valid text.
pub(crate) fn hex_text(bytes: &[u8]) -> String {
    if bytes.len() > MAX_BYTES {
        let crc32 = crc32fast::hash(bytes);
        return format!("{} bytes with the CRC-32 {crc32:08x}", bytes.len());
    }
    let numbers = bytes.iter().map(|byte| format!("{byte:02x}"));
    numbers.collect::<Vec<_>>().join(" ")
}

/// The SHA-256 of bytes in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    sha256_of(|add| add(bytes))
}

/// The SHA-256 of bytes that come piece by piece, in hexadecimal.
pub(crate) fn sha256_of(feed: impl FnOnce(&mut dyn FnMut(&[u8]))) -> String {
    use std::fmt::Write as _;

    let mut hasher = Sha256::new();
    feed(&mut |piece| hasher.update(piece));
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Converts a field name to a JSON key: lower case, with underscores, keeping the signs of axes.
pub(crate) fn key_of(name: &str) -> String {
    let mut words = Vec::new();
    for word in name.split_whitespace() {
        let sign = word.get(..1).filter(|_| word.starts_with(['+', '-']));
        let parts = word
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| !part.is_empty());
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
