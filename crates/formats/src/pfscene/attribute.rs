//! Attributes: a key, a type and a value on a line.

use std::fmt;

/// The type of a value, which stands before it.
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
    /// All types, with the word of a file and the whole value for each.
    const NAMES: [(Self, &'static str, &'static str); 7] = [
        (Self::String, "string", "`string <text>`"),
        (Self::Int, "int", "`int <whole number>`"),
        (Self::Float, "float", "`float <number>`"),
        (Self::Bool, "bool", "`bool <0 or 1>`"),
        (Self::Vec2, "vec2", "`vec2 <x> <z>`"),
        (Self::Vec3, "vec3", "`vec3 <x> <y> <z>`"),
        (Self::Quat, "quat", "`quat <x> <y> <z> <w>`"),
    ];

    /// The word of a file.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// The type that a word of a file names.
    pub fn of(word: &[u8]) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        Some(names.find(|(_, name, _)| name.as_bytes() == word)?.0)
    }

    /// What a line with a value of the type looks like after the key.
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
    /// X, Y, Z and W of a quaternion whose conjugate is meant (fact sheet B2).
    Quat([f32; 4]),
    /// What follows `constructor_arguments int <number>`: so many values without a key.
    Arguments(Vec<Attribute>),
    /// What follows `tags int <number>`.
    Tags(Vec<Tag>),
    /// What follows the key on a line that cannot be read.
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
    /// Its type in a file; none for what cannot be read.
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
        /// The whole number of an `int`.
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

    /// Its numbers, if it is one of those that have any.
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
    /// What stands after its type: numbers with six digits after the point, as the engine writes
    /// them.
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
    /// What it says; empty for an argument of a constructor.
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
    /// The attribute of a key. Where there are several the engine takes the last.
    pub fn get(&self, key: &str) -> Option<&Attribute> {
        self.0.iter().rfind(|attribute| attribute.key == key)
    }

    /// The value at an index, whatever its key is.
    pub(super) fn by_order(&self, index: usize) -> Option<&Value> {
        Some(&self.0.get(index)?.value)
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        Some(&self.get(key)?.value)
    }
}
