//! The storage of entity fields: offset, type and unit.

use super::bytes::hex;
use super::entity_kinds::EntityKind;

/// A field of an entity type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name, unique within a type.
    pub name: &'static str,
    /// Offset in bytes after the type byte of the entity.
    pub offset: u16,
    /// Its storage type.
    pub kind: FieldKind,
    /// Unit of its numbers.
    pub unit: Unit,
}

/// Unit of the numbers in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// No unit, or none that the format's documents mention.
    None,
    /// Units of the map, which are metres (fact sheet B1).
    Metres,
    /// Degrees.
    Degrees,
    /// Microseconds.
    Microseconds,
}

impl Unit {
    /// The suffix of a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Metres => " m",
            Self::Degrees => "°",
            Self::Microseconds => " µs",
        }
    }
}

/// The direction of a signal field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The entity reacts to the signal.
    Input,
    /// The entity sends the signal.
    Output,
}

/// Storage type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Bit flags: the number of bytes, and the meaning of each set bit from the lowest; empty for a
    /// bit without meaning.
    Flags(u8, &'static [&'static str]),
    /// The upper four bits of the flags byte, which is the next field: a number of this list.
    HighNibble(&'static [&'static str]),
    /// A byte: a number of this list.
    Choice(&'static [&'static str]),
    /// A byte: the number of an entity type.
    EntityKind,
    /// A type filter: as [`Self::EntityKind`], with 255 for a player.
    TypeFilter,
    /// An unsigned integer of 1, 2, 4 or 8 bytes.
    Unsigned(u8),
    /// A signed integer of 8 bytes.
    Signed64,
    /// 32 steps of a pattern, one bit each.
    Pattern32,
    /// Floats, row by row.
    Floats {
        /// Names of the rows; a single row has no name.
        rows: &'static [&'static str],
        /// Names of the numbers in a row; a single number has no name.
        columns: &'static [&'static str],
    },
    /// Red, green and blue, one byte each.
    Rgb,
    /// Red, green, blue and alpha, one byte each.
    Rgba,
    /// A number of raw bytes.
    Bytes(u8),
    /// The offset of a text in the string table.
    Text,
    /// The offset of a signal name; empty for no signal.
    Signal(Signal),
    /// The index of a property (an "entity data container").
    Property,
    /// A shape: its number of floats, by the upper four bits of the first byte. A single float is
    /// stored here; more are at an index in the table of 32-bit numbers. With no floats, or for
    /// other bits, the field is a plain number.
    Shape(&'static [usize]),
    /// A one-byte count of texts, and four bytes: unused, the offset of the text, or the index of
    /// the offsets in the table of 32-bit numbers.
    TextList,
}

/// Columns of a position or direction.
pub(super) const XYZ: &[&str] = &["X", "Y", "Z"];
/// Columns of a value with two axes.
pub(super) const XY: &[&str] = &["X", "Y"];
/// Columns of texture coordinates.
pub(super) const UV: &[&str] = &["U", "V"];
/// The only row or column.
pub(super) const ONE: &[&str] = &[""];
/// The corners of a box in the order of the format (fact sheet A10, K).
pub(super) const CORNERS: &[&str] = &[
    "+X +Y +Z", "-X +Y +Z", "+X +Y -Z", "-X +Y -Z", "+X -Y +Z", "-X -Y +Z", "+X -Y -Z", "-X -Y -Z",
];
/// The corners of a rectangle in the order of entities (drawn faces have another order).
pub(super) const QUAD: &[&str] = &["top left", "top right", "bottom left", "bottom right"];
/// Columns of the angles of an area light.
const FROM_TO: &[&str] = &["from", "to"];

/// The type number of a player, in filters.
pub(super) const PLAYER: u8 = 255;
/// Prefix of the entity names that the server makes for players; maps must not use it. (The
/// compiler makes signal names with the prefix `unique:`, so maps do contain those.)
pub(super) const PLAYER_NAME: &[u8] = b"player:";

impl FieldKind {
    /// Number of bytes that the field occupies in the body.
    pub const fn bytes(self) -> usize {
        match self {
            // Shares the byte of the flags after it.
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

    /// The meaning of a number, for fields whose numbers are names.
    pub fn name_of(self, number: u8) -> Option<&'static str> {
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

/// The value of a field. Its [`Field`] describes how to interpret it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An unsigned integer, flag bits, or the number of a choice or entity type.
    Number(u64),
    /// A signed integer.
    Signed(i64),
    /// Floats, row by row.
    Floats(Vec<f32>),
    /// A colour or raw bytes.
    Bytes(Vec<u8>),
    /// A text.
    Text(String),
    /// Texts.
    Texts(Vec<String>),
    /// The index of a property.
    Property(u32),
    /// An offset or index outside its table.
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

    /// The floats, if it contains floats.
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

/// Formats floats row by row: `top left 0, 1; top right 1, 1`.
fn table(rows: &[&str], columns: &[&str], floats: &[f32], unit: &str) -> String {
    let rows = floats
        .chunks(columns.len().max(1))
        .zip(rows)
        .map(|(row, name)| {
            let numbers: Vec<_> = row.iter().map(f32::to_string).collect();
            format!("{name} {}", numbers.join(", "))
                .trim_start()
                .to_owned()
        });
    format!("{}{unit}", rows.collect::<Vec<_>>().join("; "))
}
