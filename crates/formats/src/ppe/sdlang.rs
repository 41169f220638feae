//! `SDLang`, the language of XMF: tags with values, attributes and child tags.
//!
//! No maintained library reads it. This implements the whole language, except that dates and times
//! are kept as text without interpretation.

mod nesting;
mod read;
#[cfg(feature = "write")]
mod write;

use crate::{Cause, Place, counted, quoted};

pub(super) use read::{Text, read};
#[cfg(feature = "write")]
pub use write::write;

/// A tag: `namespace:name value attribute=value { tags }`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tag {
    /// The namespace before the colon; empty without a colon.
    pub namespace: String,
    /// The name; empty if the tag has only values.
    pub name: String,
    /// Values in text order.
    pub values: Vec<Value>,
    /// Attributes in text order.
    pub attributes: Vec<Attribute>,
    /// The child tags.
    pub children: Vec<Self>,
    /// Start position: line and column, from 1; 0 if it was not parsed.
    pub at: At,
    /// `true` if the text ends inside it, so that child tags may be missing.
    pub is_open: bool,
    /// Start positions of its values and attributes.
    pub places: ValuePlaces,
}

/// Start positions of the values and attributes of a parsed tag, and the fault of the tag. Ignored
/// when tags are compared. Boxed, because a text can have half a million tags and most need no
/// positions.
#[derive(Debug, Clone, Default)]
pub struct ValuePlaces(Option<Box<PlaceLists>>);

/// Positions in text order.
#[derive(Debug, Clone, Default)]
struct PlaceLists {
    values: Vec<At>,
    attributes: Vec<At>,
    fault: Option<Cause>,
}

impl ValuePlaces {
    fn lists(&mut self) -> &mut PlaceLists {
        self.0.get_or_insert_default()
    }

    /// Start position of a value, by its index.
    pub(super) fn of_value(&self, index: usize) -> Option<At> {
        self.0.as_ref()?.values.get(index).copied()
    }

    /// Start position of an attribute, by its index.
    pub(super) fn of_attribute(&self, index: usize) -> Option<At> {
        self.0.as_ref()?.attributes.get(index).copied()
    }

    /// The syntax fault of the tag, if any. Anything that the tag lacks follows from it.
    pub(super) fn fault(&self) -> Option<Cause> {
        self.0.as_ref()?.fault
    }

    fn set_fault(&mut self, cause: Option<Cause>) {
        if let Some(cause) = cause {
            self.lists().fault.get_or_insert(cause);
        }
    }

    /// Removes the position of an attribute.
    pub(super) fn remove_attribute(&mut self, index: usize) {
        if self.of_attribute(index).is_some() {
            self.lists().attributes.remove(index);
        }
    }
}

impl PartialEq for ValuePlaces {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A line and a column in bytes, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct At {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl From<At> for Place {
    fn from(at: At) -> Self {
        Self::Text {
            line: u64::from(at.line),
            column: u64::from(at.column),
        }
    }
}

/// An attribute of a tag.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The namespace before the colon; empty without a colon.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `on`, `false` or `off`.
    Bool(bool),
    /// An integer, with or without `L`.
    Integer(i64),
    /// A number with a decimal point or one of the suffixes `F`, `D` and `BD`.
    Float(f64),
    /// A text in quotes or backticks.
    Text(String),
    /// Bytes in base64.
    Binary(Vec<u8>),
    /// A date or a time, as written.
    Time(String),
}

impl Value {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(yes) => Some(*yes),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The bytes, if it is binary.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl Value {
    /// A short form for display. Bytes are only counted.
    fn summary(&self) -> String {
        /// Maximum number of characters of a text.
        const MAX_CHARS: usize = 60;
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(yes) => yes.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Text(text) | Self::Time(text) => match text.char_indices().nth(MAX_CHARS) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text.clone(),
            },
            Self::Binary(bytes) => format!("[{}]", counted(bytes.len(), "byte")),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Tag {
    /// A tag with only values.
    pub fn new(namespace: &str, name: &str, values: impl IntoIterator<Item = Value>) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            values: values.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns `true` if the tag has this namespace and name.
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace && self.name == name
    }

    /// The attribute with a name, in any namespace.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        let attribute = self.attributes.iter().find(|other| other.name == name);
        attribute.map(|attribute| &attribute.value)
    }

    /// The tag in one line, without its children and truncated if it is long.
    pub fn summary(&self) -> String {
        /// Maximum number of values and of attributes.
        const MAX_VALUES: usize = 8;
        let name = self.name_in_file();
        let values = self.values.iter().map(Value::summary);
        let attributes = self
            .attributes
            .iter()
            .map(|a| format!("{}={}", a.name, a.value.summary()));
        let mut words: Vec<String> = (!name.is_empty()).then_some(name).into_iter().collect();
        let said = self.values.len() + self.attributes.len();
        words.extend(values.chain(attributes).take(MAX_VALUES));
        if said > MAX_VALUES {
            words.push("...".to_owned());
        }
        match self.children.len() {
            0 => {}
            1 => words.push("{ 1 tag }".to_owned()),
            tags => words.push(format!("{{ {tags} tags }}")),
        }
        words.join(" ")
    }

    /// Its namespace and name, as written.
    pub fn name_in_file(&self) -> String {
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", name) => name.to_owned(),
            (namespace, name) => format!("{namespace}:{name}"),
        }
    }

    /// Its name in messages.
    pub fn title(&self) -> String {
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", "") => "a tag without name".to_owned(),
            _ => quoted(self.name_in_file().as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_said_in_a_line() {
        let mut tag = Tag::new("Embed", "Script", [Value::Binary(vec![7; 9]), 3.into()]);
        tag.attributes.push(Attribute {
            namespace: String::new(),
            name: "lang".to_owned(),
            value: "lua".into(),
        });
        assert_eq!(tag.summary(), "Embed:Script [9 bytes] 3 lang=lua");
        tag.children = vec![Tag::default(); 2];
        tag.values = vec![Value::Bool(true); 12];
        tag.namespace.clear();
        let yes = "true ".repeat(8);
        assert_eq!(tag.summary(), format!("Script {yes}... {{ 2 tags }}"));
        let long = Tag::new("", "", ["x".repeat(100).as_str().into()]);
        assert_eq!(long.summary(), format!("{}...", "x".repeat(60)));
    }
}
