//! Attributes: a key, a type and a value on a line.

use std::fmt;

/// The type of a value, written before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// The rest of the line.
    String,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// 0 or 1.
    Bool,
    /// Two numbers.
    Vec2,
    /// Three numbers.
    Vec3,
    /// Four numbers.
    Quat,
}

impl ValueType {
    /// All types, with the word in a file and the form of a value.
    const NAMES: [(Self, &'static str, &'static str); 7] = [
        (Self::String, "string", "`string <text>`"),
        (Self::Int, "int", "`int <whole number>`"),
        (Self::Float, "float", "`float <number>`"),
        (Self::Bool, "bool", "`bool <0 or 1>`"),
        (Self::Vec2, "vec2", "`vec2 <x> <z>`"),
        (Self::Vec3, "vec3", "`vec3 <x> <y> <z>`"),
        (Self::Quat, "quat", "`quat <x> <y> <z> <w>`"),
    ];

    /// The type's word in a file.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the type of a word in a file.
    pub fn of(word: &[u8]) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        Some(names.find(|(_, name, _)| name.as_bytes() == word)?.0)
    }

    /// The form of a line with such a value, after the key.
    pub(super) fn pattern(self) -> &'static str {
        Self::NAMES[self as usize].2
    }
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text without line ends.
    String(String),
    /// A whole number.
    Int(i32),
    /// A number.
    Float(f32),
    /// Yes or no.
    Bool(bool),
    /// X and Z in most uses.
    Vec2([f32; 2]),
    /// X, Y and Z, or red, green and blue.
    Vec3([f32; 3]),
    /// X, Y, Z and W of a quaternion; the rotation is its conjugate (fact sheet B2).
    Quat([f32; 4]),
    /// The lines after `constructor_arguments int <number>`: the given number of values without a
    /// key.
    Arguments(Vec<Attribute>),
    /// The lines after `tags int <number>`.
    Tags(Vec<Tag>),
    /// The rest of a line after the key, if it cannot be read.
    Unreadable(String),
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $variant:ident $type:ty;)*) => {
        $($(#[$doc])* pub fn $name(&self) -> Option<$type> {
            match self {
                Self::$variant(value) => Some(*value),
                _ => None,
            }
        })*
    };
}

impl Value {
    /// Its type in a file; `None` for an unreadable value.
    pub fn value_type(&self) -> Option<ValueType> {
        Some(match self {
            Self::String(_) => ValueType::String,
            Self::Int(_) | Self::Arguments(_) | Self::Tags(_) => ValueType::Int,
            Self::Float(_) => ValueType::Float,
            Self::Bool(_) => ValueType::Bool,
            Self::Vec2(_) => ValueType::Vec2,
            Self::Vec3(_) => ValueType::Vec3,
            Self::Quat(_) => ValueType::Quat,
            Self::Unreadable(_) => return None,
        })
    }

    /// The text of a string.
    pub fn string(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    accessors! {
        /// The integer of an `int`.
        int Int i32;
        /// The number of a `float`.
        float Float f32;
        /// `true` if a `bool` is 1.
        bool Bool bool;
        /// The numbers of a `vec2`.
        vec2 Vec2 [f32; 2];
        /// The numbers of a `vec3`.
        vec3 Vec3 [f32; 3];
        /// The numbers of a `quat`.
        quat Quat [f32; 4];
    }

    /// Its numbers; empty for a value without any.
    pub fn numbers(&self) -> &[f32] {
        match self {
            Self::Float(number) => std::slice::from_ref(number),
            Self::Vec2(numbers) => numbers,
            Self::Vec3(numbers) => numbers,
            Self::Quat(numbers) => numbers,
            _ => &[],
        }
    }
}

impl fmt::Display for Value {
    /// Writes the value without its type. Numbers have six decimals, as in the engine.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) | Self::Unreadable(text) => f.write_str(text),
            Self::Int(number) => write!(f, "{number}"),
            Self::Bool(is_set) => write!(f, "{}", u8::from(*is_set)),
            Self::Arguments(arguments) => write!(f, "{}", arguments.len()),
            Self::Tags(tags) => write!(f, "{}", tags.len()),
            Self::Float(_) | Self::Vec2(_) | Self::Vec3(_) | Self::Quat(_) => {
                for (i, number) in self.numbers().iter().enumerate() {
                    let space = if i == 0 { "" } else { " " };
                    write!(f, "{space}{number:.6}")?;
                }
                Ok(())
            }
        }
    }
}

/// An attribute of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The key; empty for an argument of a constructor.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Line of the file, from 1.
    pub line: u64,
}

/// A tag of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The tag.
    pub text: String,
    /// Line of the file, from 1.
    pub line: u64,
}

/// The attributes of a record, in file order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attributes(pub Vec<Attribute>);

impl Attributes {
    /// The attribute of a key. If there are several, the engine uses the last one.
    pub fn get(&self, key: &str) -> Option<&Attribute> {
        self.0.iter().rfind(|attribute| attribute.key == key)
    }

    /// The value at an index, regardless of its key.
    pub(super) fn by_order(&self, index: usize) -> Option<&Value> {
        Some(&self.0.get(index)?.value)
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        Some(&self.get(key)?.value)
    }
}
