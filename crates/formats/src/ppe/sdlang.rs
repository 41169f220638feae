//! `SDLang`, the language of XMF: tags with values, attributes and tags inside them.
//!
//! No maintained library reads it. What is here is the whole language but the meaning of dates
//! and times, which are kept as text.

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
    /// What stands before the colon; empty if there is none.
    pub namespace: String,
    /// The name; empty if the tag has only values.
    pub name: String,
    /// Values in the order of the text.
    pub values: Vec<Value>,
    /// Attributes in the order of the text.
    pub attributes: Vec<Attribute>,
    /// The tags inside.
    pub children: Vec<Self>,
    /// Where it begins: line and column, from 1. It is 0 for what was not read.
    pub at: At,
    /// Whether the text ends inside it, so that tags inside may be missing.
    pub is_open: bool,
    /// Where its values and attributes begin.
    pub places: ValuePlaces,
}

/// Where the values and attributes of a tag begin, as far as it was read, and what is wrong with it. Tags are equal wherever that is.
/// A text can have half a million tags, so that those without places take next to nothing.
#[derive(Debug, Clone, Default)]
pub struct ValuePlaces(Option<Box<PlaceLists>>);

/// Places in the order of the text.
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

    /// Where a value begins, by its index.
    pub(super) fn of_value(&self, index: usize) -> Option<At> {
        self.0.as_ref()?.values.get(index).copied()
    }

    /// Where an attribute begins, by its index.
    pub(super) fn of_attribute(&self, index: usize) -> Option<At> {
        self.0.as_ref()?.attributes.get(index).copied()
    }

    /// What is wrong with the text of the tag, if anything: whatever the tag lacks follows from it.
    pub(super) fn fault(&self) -> Option<Cause> {
        self.0.as_ref()?.fault
    }

    fn set_fault(&mut self, cause: Option<Cause>) {
        if let Some(cause) = cause {
            self.lists().fault.get_or_insert(cause);
        }
    }

    /// Leaves out an attribute.
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
    /// What stands before the colon; empty if there is none.
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
    /// A whole number, with or without `L`.
    Integer(i64),
    /// A number with a decimal point or one of the suffixes `F`, `D` and `BD`.
    Float(f64),
    /// A text in quotes or backticks.
    Text(String),
    /// Bytes in base64.
    Binary(Vec<u8>),
    /// A date or a time, as it is written.
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

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(yes) => Some(*yes),
            _ => None,
        }
    }

    /// The whole number, if it is one.
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

    /// The bytes, if it is some.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl Value {
    /// The value for people: short, and bytes only counted.
    fn summary(&self) -> String {
        /// How many characters of a text are said.
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
    /// A tag with values and nothing else.
    pub fn new(namespace: &str, name: &str, values: impl IntoIterator<Item = Value>) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            values: values.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Whether this is its namespace and name.
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace && self.name == name
    }

    /// An attribute by its name, whatever its namespace.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        let attribute = self.attributes.iter().find(|other| other.name == name);
        attribute.map(|attribute| &attribute.value)
    }

    /// The tag in a line: what it says, without what is inside it, cut where it is long.
    pub fn summary(&self) -> String {
        /// How many values and attributes are said.
        const MAX_VALUES: usize = 8;
        let name = self.name_in_file();
        let values = self.values.iter().map(Value::summary);
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|a| format!("{}={}", a.name, a.value.summary()));
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

    /// Its namespace and name, as they are written.
    pub fn name_in_file(&self) -> String {
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", name) => name.to_owned(),
            (namespace, name) => format!("{namespace}:{name}"),
        }
    }

    /// What messages call it.
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
