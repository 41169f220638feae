//! How a field of an entity is stored: where, as what, and in which unit.

use super::bytes::hex;
use super::entity_kinds::EntityKind;

/// A field of an entity of some type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name. No two fields of a type have the same name.
    pub name: &'static str,
    /// Where it begins, in bytes after the type byte of the entity.
    pub offset: u16,
    /// What it is.
    pub kind: FieldKind,
    /// What its numbers count.
    pub unit: Unit,
}

/// What the numbers of a field count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Nothing, or nothing that the format's documents say.
    None,
    /// Units of the map, which are metres (fact sheet B1).
    Metres,
    /// Degrees.
    Degrees,
    /// Microseconds.
    Microseconds,
}

impl Unit {
    /// What stands after a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Metres => " m",
            Self::Degrees => "°",
            Self::Microseconds => " µs",
        }
    }
}

/// What the name of a signal in a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The entity does something when the signal comes.
    Input,
    /// The entity sends the signal.
    Output,
}

/// How a field is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// So many bytes of bits, and what each says when it is set, from the lowest; nothing for a bit
    /// without meaning.
    Flags(u8, &'static [&'static str]),
    /// The upper four bits of the byte of flags that is the next field: a number of this list.
    HighNibble(&'static [&'static str]),
    /// A byte: a number of this list.
    Choice(&'static [&'static str]),
    /// A byte: the number of a type of entities.
    EntityKind,
    /// The same of a filter by type, where 255 is a player.
    TypeFilter,
    /// A whole number of 1, 2, 4 or 8 bytes without a sign.
    Unsigned(u8),
    /// A whole number of 8 bytes with a sign.
    Signed64,
    /// 32 steps of a pattern, one bit each.
    Pattern32,
    /// Floats, row by row.
    Floats {
        /// What the rows are called; one without a name where there is only one.
        rows: &'static [&'static str],
        /// What the numbers of a row are called; one without a name where there is only one.
        columns: &'static [&'static str],
    },
    /// Red, green and blue, a byte each.
    Rgb,
    /// Red, green, blue and alpha, a byte each.
    Rgba,
    /// So many bytes.
    Bytes(u8),
    /// The offset of a text in the string table.
    Text,
    /// The same, of the name of a signal; empty for none.
    Signal(Signal),
    /// The index of a property (an "entity data container").
    Property,
    /// How many floats a shape has, by the upper four bits of the first byte: one is here, more are
    /// at an index of the table of 32-bit numbers. Without any, and for other bits, it is a number.
    Shape(&'static [usize]),
    /// A byte that counts texts, and four: nothing, the offset of the text, or the index of the
    /// offsets in the table of 32-bit numbers.
    TextList,
}

/// The columns of a place or a direction.
pub(super) const XYZ: &[&str] = &["X", "Y", "Z"];
/// The columns of what has two axes.
pub(super) const XY: &[&str] = &["X", "Y"];
/// The columns of texture coordinates.
pub(super) const UV: &[&str] = &["U", "V"];
/// What there is only one of.
pub(super) const ONE: &[&str] = &[""];
/// The corners of a box in the order of the format (fact sheet A10, K).
pub(super) const CORNERS: &[&str] = &[
    "+X +Y +Z", "-X +Y +Z", "+X +Y -Z", "-X +Y -Z", "+X -Y +Z", "-X -Y +Z", "+X -Y -Z", "-X -Y -Z",
];
/// The corners of a rectangle in the order of entities (not that of drawn faces).
pub(super) const QUAD: &[&str] = &["top left", "top right", "bottom left", "bottom right"];
/// The columns of the angles of an area light.
const FROM_TO: &[&str] = &["from", "to"];

/// The type number that stands for a player, in filters.
pub(super) const PLAYER: u8 = 255;
/// What names of entities begin with that the server makes for players; those of maps must not.
/// (Names of signals that begin with `unique:` are what the compiler makes, so maps have them.)
pub(super) const PLAYER_NAME: &[u8] = b"player:";

impl FieldKind {
    /// How many bytes of the body are the field's own.
    pub const fn bytes(self) -> usize {
        match self {
            // It shares the byte of the flags after it.
            Self::HighNibble(_) => 0,
            Self::Choice(_) | Self::EntityKind | Self::TypeFilter => 1,
            Self::Flags(bytes, _) | Self::Unsigned(bytes) | Self::Bytes(bytes) => bytes as usize,
            Self::Rgb => 3,
            Self::Pattern32
            | Self::Rgba
            | Self::Text
            | Self::Signal(_)
            | Self::Property
            | Self::Shape(_) => 4,
            Self::TextList => 5,
            Self::Signed64 => 8,
            Self::Floats { rows, columns } => 4 * rows.len() * columns.len(),
        }
    }

    /// What a number means, for fields whose numbers are names.
    pub(super) fn name_of(self, number: u8) -> Option<&'static str> {
        match self {
            Self::HighNibble(names) | Self::Choice(names) => {
                names.get(usize::from(number)).copied()
            }
            Self::TypeFilter if number == PLAYER => Some("PLAYER"),
            Self::EntityKind | Self::TypeFilter => {
                EntityKind::from_number(number).map(EntityKind::name)
            }
            _ => None,
        }
    }
}

/// What a field holds. How it is to be read stands in its [`Field`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number, the bits of flags, or the number of a choice or of a type of entities.
    Number(u64),
    /// A whole number with a sign.
    Signed(i64),
    /// Floats, row by row.
    Floats(Vec<f32>),
    /// A colour or a row of bytes.
    Bytes(Vec<u8>),
    /// A text.
    Text(String),
    /// Texts.
    Texts(Vec<String>),
    /// The index of a property.
    Property(u32),
    /// An offset or an index that leads out of its table.
    Nowhere(u32),
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The floats, if it is any.
    pub fn floats(&self) -> Option<&[f32]> {
        match self {
            Self::Floats(floats) => Some(floats),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<f32> for Value {
    fn from(float: f32) -> Self {
        Self::Floats(vec![float])
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<const N: usize> From<[f32; N]> for Value {
    fn from(floats: [f32; N]) -> Self {
        Self::Floats(floats.to_vec())
    }
}

impl<const N: usize> From<[u8; N]> for Value {
    fn from(bytes: [u8; N]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl Field {
    /// The value as text, with its unit.
    pub fn describe(&self, value: &Value) -> String {
        let unit = self.unit.symbol();
        match (self.kind, value) {
            (FieldKind::Flags(_, names), Value::Number(bits)) => {
                let bits = (0..).zip(names).filter(|(bit, _)| bits >> bit & 1 == 1);
                let set: Vec<_> = bits.map(|(_, name)| *name).collect();
                let set = set.join(", ");
                if set.is_empty() {
                    "none".to_owned()
                } else {
                    set
                }
            }
            (
                kind @ (FieldKind::HighNibble(_)
                | FieldKind::Choice(_)
                | FieldKind::EntityKind
                | FieldKind::TypeFilter),
                Value::Number(number),
            ) => {
                let name = u8::try_from(*number)
                    .ok()
                    .and_then(|number| kind.name_of(number));
                name.map_or_else(|| format!("{number} (unknown)"), str::to_owned)
            }
            (FieldKind::Pattern32, Value::Number(bits)) => format!("{bits:032b}"),
            (FieldKind::Rgb | FieldKind::Rgba, Value::Bytes(bytes)) => {
                format!("#{}", hex(bytes).replace(' ', ""))
            }
            (kind, Value::Floats(floats)) => {
                let (rows, columns) = match (kind, floats.len()) {
                    (FieldKind::Floats { rows, columns }, _) => (rows, columns),
                    (_, 6) => (XYZ, FROM_TO),
                    (_, 24) => (CORNERS, XYZ),
                    _ => (ONE, XYZ),
                };
                table(rows, columns, floats, unit)
            }
            (_, Value::Number(number)) => format!("{number}{unit}"),
            (_, Value::Signed(number)) => format!("{number}{unit}"),
            (_, Value::Bytes(bytes)) => hex(bytes),
            (_, Value::Text(text)) => text.clone(),
            (_, Value::Texts(texts)) => texts.join(", "),
            (_, Value::Property(index)) => format!("property {index}"),
            (_, Value::Nowhere(index)) => format!("{index} (outside its table)"),
        }
    }
}

/// Floats row by row: `top left 0, 1; top right 1, 1`.
fn table(rows: &[&str], columns: &[&str], floats: &[f32], unit: &str) -> String {
    let rows = floats.chunks(columns.len().max(1)).zip(rows);
    let rows = rows.map(|(row, name)| {
        let numbers: Vec<_> = row.iter().map(f32::to_string).collect();
        format!("{name} {}", numbers.join(", "))
            .trim_start()
            .to_owned()
    });
    format!("{}{unit}", rows.collect::<Vec<_>>().join("; "))
}
