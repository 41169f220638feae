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
    /// All types, with the word of a file for each.
    const NAMES: [(Self, &'static str); 7] = [
        (Self::String, "string"),
        (Self::Int, "int"),
        (Self::Float, "float"),
        (Self::Bool, "bool"),
        (Self::Vec2, "vec2"),
        (Self::Vec3, "vec3"),
        (Self::Quat, "quat"),
    ];

    /// The word of a file.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// The type that a word of a file names.
    pub fn of(word: &[u8]) -> Option<Self> {
        let found = Self::NAMES
            .iter()
            .find(|(_, name)| name.as_bytes() == word)?;
        Some(found.0)
    }

    /// What a line with a value of the type looks like after the key.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::String => "`string <text>`",
            Self::Int => "`int <whole number>`",
            Self::Float => "`float <number>`",
            Self::Bool => "`bool <0 or 1>`",
            Self::Vec2 => "`vec2 <x> <z>`",
            Self::Vec3 => "`vec3 <x> <y> <z>`",
            Self::Quat => "`quat <x> <y> <z> <w>`",
        }
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
    /// What follows the key of a line that cannot be read.
    Unreadable(String),
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

    /// The whole number of an `int`.
    pub fn int(&self) -> Option<i32> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The number of a `float`.
    pub fn float(&self) -> Option<f32> {
        match self {
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether a `bool` is 1.
    pub fn bool(&self) -> Option<bool> {
        match self {
            Self::Bool(is_set) => Some(*is_set),
            _ => None,
        }
    }

    /// The numbers of a `vec2`.
    pub fn vec2(&self) -> Option<[f32; 2]> {
        match self {
            Self::Vec2(numbers) => Some(*numbers),
            _ => None,
        }
    }

    /// The numbers of a `vec3`.
    pub fn vec3(&self) -> Option<[f32; 3]> {
        match self {
            Self::Vec3(numbers) => Some(*numbers),
            _ => None,
        }
    }

    /// The numbers of a `quat`.
    pub fn quat(&self) -> Option<[f32; 4]> {
        match self {
            Self::Quat(numbers) => Some(*numbers),
            _ => None,
        }
    }

    /// How many arguments or tags it lists.
    pub(super) fn listed(&self) -> usize {
        match self {
            Self::Arguments(arguments) => arguments.len(),
            Self::Tags(tags) => tags.len(),
            _ => 0,
        }
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

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        Some(&self.get(key)?.value)
    }
}

/// An attribute of entities whose meaning is known.
#[derive(Debug)]
pub struct KnownAttribute {
    /// Its key.
    pub key: &'static str,
    /// The type of its value.
    pub value_type: ValueType,
    /// What it says of an entity, as a sentence.
    pub summary: &'static str,
}

/// The attributes of entities that the engine reads (fact sheet C). Classes of scripts may have
/// others.
pub static ENTITY_ATTRIBUTES: &[KnownAttribute] = &[
    known(
        "position",
        ValueType::Vec3,
        "Where it stands, in world space.",
    ),
    known(
        "scale",
        ValueType::Vec3,
        "Its size along X, Y and Z of the world.",
    ),
    known(
        "rotation",
        ValueType::Quat,
        "How it is turned: the conjugate of a quaternion.",
    ),
    known("animated", ValueType::Bool, "Whether it plays clips."),
    known(
        "idle_clip",
        ValueType::String,
        "The clip that it plays while it does nothing.",
    ),
    known(
        "selectable",
        ValueType::Bool,
        "Whether a player can select it.",
    ),
    known("static", ValueType::Bool, "Whether it never moves."),
    known(
        "collision",
        ValueType::Bool,
        "Whether units walk around it.",
    ),
    known("faction_id", ValueType::Int, "The index of its faction."),
    known(
        "selection_radius",
        ValueType::Float,
        "The radius of its selection circle, in world units.",
    ),
    known(
        "vision_range",
        ValueType::Float,
        "How far it sees, in world units.",
    ),
    known(
        "class",
        ValueType::String,
        "The class of the script that runs it.",
    ),
    known(
        "constructor_arguments",
        ValueType::Int,
        "The number of values that the class is made with.",
    ),
    known("tags", ValueType::Int, "The number of its tags."),
];

const fn known(key: &'static str, value_type: ValueType, summary: &'static str) -> KnownAttribute {
    KnownAttribute {
        key,
        value_type,
        summary,
    }
}
