//! Custom properties of entities (fact sheet C, "Property record"; B27).

use std::borrow::Cow;

use super::bytes::{StringRef, StringTable};
use super::entities::{Entities, nowhere};
use crate::counted;

/// Size of a property in the file, in bytes.
pub(super) const PROPERTY_BYTES: usize = 13;
/// Maximum number of dimensions of an array. With lengths of at least 2, an array with more
/// dimensions exceeds any table.
const MAX_DIMENSIONS: u32 = 32;

/// The type of a property. The numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "each is the type of its values")]
pub enum PropertyKind {
    None,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Text,
}

/// All kinds in numerical order: name in the format's documents, and bytes per value. In an array,
/// a boolean is one bit and a text is the offset of its bytes.
const KINDS: [(PropertyKind, &str, usize); 13] = [
    (PropertyKind::None, "NONE", 0),
    (PropertyKind::Bool, "BOOL", 1),
    (PropertyKind::I8, "I8", 1),
    (PropertyKind::I16, "I16", 2),
    (PropertyKind::I32, "I32", 4),
    (PropertyKind::I64, "I64", 8),
    (PropertyKind::U8, "U8", 1),
    (PropertyKind::U16, "U16", 2),
    (PropertyKind::U32, "U32", 4),
    (PropertyKind::U64, "U64", 8),
    (PropertyKind::F32, "F32", 4),
    (PropertyKind::F64, "F64", 8),
    (PropertyKind::Text, "STR", 4),
];

impl PropertyKind {
    /// Its name in the format's documents.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Bytes per value, which determine the table that contains an array.
    pub(super) fn bytes(self) -> usize {
        KINDS[self as usize].2
    }
}

/// A property record of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyRecord {
    /// The number of its kind.
    pub kind: u8,
    /// Number of dimensions of its array; 0 for a single value.
    pub dimensions: u32,
    /// 0, the length of the array, or the index of the lengths in the table of 32-bit values.
    pub length: u32,
    /// The value, or its index.
    pub value: u32,
}

/// A property with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The lengths of its dimensions, outermost first; empty for a single value.
    pub lengths: Vec<u32>,
    /// The value, or all values of the array in order.
    pub values: PropertyValues,
}

/// The values of a property. A single value is a list of one.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "most are lists of their type")]
pub enum PropertyValues {
    None,
    /// A single boolean.
    Bool(bool),
    /// An array of booleans, eight per byte, lowest bit first.
    Bits(Vec<u8>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Texts(Vec<String>),
}

/// Shared code of the number lists: each has a kind, a variant of the same name, and a number type.
macro_rules! numbers {
    ($($kind:ident($number:ident)),+) => {
        impl PropertyValues {
            /// The kind of the values.
            pub fn kind(&self) -> PropertyKind {
                match self {
                    Self::None => PropertyKind::None,
                    Self::Bool(_) | Self::Bits(_) => PropertyKind::Bool,
                    $(Self::$kind(_) => PropertyKind::$kind,)+
                    Self::Texts(_) => PropertyKind::Text,
                }
            }

            /// Decodes numbers; `None` for a kind that is not numeric.
            fn numbers(kind: PropertyKind, bytes: &[u8]) -> Self {
                match kind {
                    $(PropertyKind::$kind => {
                        let numbers = bytes.as_chunks().0.iter().copied();
                        Self::$kind(numbers.map($number::from_le_bytes).collect())
                    })+
                    PropertyKind::None | PropertyKind::Bool | PropertyKind::Text => Self::None,
                }
            }

            /// Encodes the values, except texts.
            #[cfg(feature = "write")]
            pub(super) fn bytes(&self) -> Vec<u8> {
                match self {
                    Self::None | Self::Texts(_) => Vec::new(),
                    Self::Bool(value) => vec![u8::from(*value)],
                    Self::Bits(bytes) => bytes.clone(),
                    $(Self::$kind(list) => list.iter().flat_map(|n| n.to_le_bytes()).collect(),)+
                }
            }

            /// The values as text, at most `max` of them.
            pub fn describe(&self, max: usize) -> String {
                match self {
                    Self::None => "nothing".to_owned(),
                    Self::Bool(value) => value.to_string(),
                    Self::Bits(bytes) => {
                        let bytes = bytes.iter().map(|byte| format!("{byte:#04x}"));
                        format!("bits {}", first_of(bytes, max))
                    }
                    $(Self::$kind(list) => first_of(list.iter(), max),)+
                    Self::Texts(list) => first_of(list.iter(), max),
                }
            }
        }
    };
}
numbers!(
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64)
);

fn first_of(values: impl ExactSizeIterator<Item: ToString>, max: usize) -> String {
    let has_more = values.len() > max;
    let shown: Vec<_> = values
        .take(max)
        .map(|value| value.to_string())
        .chain(has_more.then(|| "...".to_owned()))
        .collect();
    shown.join(", ")
}

/// A property with resolved lengths.
struct Extent {
    kind: PropertyKind,
    lengths: Vec<u32>,
    /// Number of values.
    count: usize,
    is_array: bool,
}

impl PropertyRecord {
    pub(super) fn from_bytes(bytes: [u8; PROPERTY_BYTES]) -> Self {
        let [kind, numbers @ ..] = bytes;
        let (numbers, _) = numbers.as_chunks::<4>();
        let number = |i: usize| numbers.get(i).copied().map_or(0, u32::from_le_bytes);
        Self {
            kind,
            dimensions: number(0),
            length: number(1),
            value: number(2),
        }
    }

    #[cfg(feature = "write")]
    pub(super) fn write(self, bytes: &mut Vec<u8>) {
        bytes.push(self.kind);
        for number in [self.dimensions, self.length, self.value] {
            bytes.extend(number.to_le_bytes());
        }
    }

    fn extent(self, entities: &Entities) -> Result<Extent, String> {
        let &(kind, ..) = KINDS
            .get(usize::from(self.kind))
            .ok_or_else(|| format!("unknown kind {}; expected 0 to 12", self.kind))?;
        let Self {
            dimensions, length, ..
        } = self;
        if dimensions > MAX_DIMENSIONS {
            return Err(format!(
                "{dimensions} dimensions; expected at most {MAX_DIMENSIONS}"
            ));
        }
        let lengths = entities.listed(dimensions, length).ok_or_else(|| {
            format!(
                "the table of 32-bit values does not have {dimensions} lengths at index {length:#x}"
            )
        })?;
        let count = lengths
            .iter()
            .try_fold(1_usize, |count, length| count.checked_mul(*length as usize))
            .ok_or_else(|| {
                let lengths: Vec<_> = lengths.iter().map(u32::to_string).collect();
                format!("an array of {} values", lengths.join(" x "))
            })?;
        Ok(Extent {
            kind,
            count,
            is_array: !lengths.is_empty(),
            lengths,
        })
    }

    /// The bytes of the values; for texts the bytes of their offsets. A single value of up to 32
    /// bits is in the record.
    fn bytes<'a>(
        self,
        extent: &Extent,
        entities: &'a Entities,
        strings: &'a StringTable,
    ) -> Result<Cow<'a, [u8]>, String> {
        let &Extent { kind, count, .. } = extent;
        let size = kind.bytes();
        if !extent.is_array && size < 8 {
            let mut bytes = self.value.to_le_bytes().to_vec();
            bytes.truncate(size);
            return Ok(bytes.into());
        }
        let (table, count) = match kind {
            PropertyKind::Bool => (strings.bytes(), count.div_ceil(8)),
            _ if size == 1 => (strings.bytes(), count),
            _ => (entities.table(size), count),
        };
        let first = (self.value as usize).checked_mul(size);
        let end = first.zip(count.checked_mul(size));
        let range = end.and_then(|(first, len)| Some(first..first.checked_add(len)?));
        let bytes = range.and_then(|range| table.get(range));
        bytes.map(Cow::Borrowed).ok_or_else(|| {
            let Extent { count, .. } = extent;
            let table = match size {
                1 => "string table".to_owned(),
                _ => format!("table of {}-bit values", 8 * size),
            };
            let (kind, first) = (kind.name(), self.value);
            let values = counted(*count, &format!("value of {kind}"));
            format!("the {table} does not have {values} at index {first:#x}")
        })
    }

    /// Checks that the property is readable. At most `texts_left` texts are checked, because many
    /// properties may share a long array.
    pub(super) fn check(
        self,
        entities: &Entities,
        strings: &StringTable,
        texts_left: &mut usize,
    ) -> Result<(), String> {
        let extent = self.extent(entities)?;
        let bytes = self.bytes(&extent, entities, strings)?;
        if extent.kind != PropertyKind::Text {
            return Ok(());
        }
        let looked_at = extent.count.min((*texts_left).max(1));
        *texts_left = texts_left.saturating_sub(looked_at);
        let missing = offsets(&bytes).take(looked_at).find(|at| !strings.has(*at));
        missing.map_or(Ok(()), |offset| Err(nowhere(offset)))
    }

    /// Offsets of the bytes of the string table that belong to it.
    pub(super) fn string_offsets(self, entities: &Entities, strings: &StringTable) -> Vec<u32> {
        let Ok(extent) = self.extent(entities) else {
            return Vec::new();
        };
        let bytes = self.bytes(&extent, entities, strings).unwrap_or_default();
        match (extent.kind, extent.kind.bytes()) {
            (PropertyKind::Text, _) => offsets(&bytes).collect(),
            (_, 1) if extent.is_array => (self.value..).take(bytes.len()).collect(),
            _ => Vec::new(),
        }
    }

    /// The property with its values. `strings` is the string table of the section.
    ///
    /// # Errors
    /// Returns the reason why it is unreadable.
    pub fn resolve(self, entities: &Entities, strings: &StringTable) -> Result<Property, String> {
        let extent = self.extent(entities)?;
        let bytes = self.bytes(&extent, entities, strings)?;
        let values = match extent.kind {
            PropertyKind::Bool if extent.is_array => PropertyValues::Bits(bytes.into_owned()),
            PropertyKind::Bool => PropertyValues::Bool(bytes[..] != [0]),
            PropertyKind::Text => {
                let offsets: Vec<_> = offsets(&bytes).collect();
                PropertyValues::Texts(texts(&offsets, strings)?)
            }
            kind => PropertyValues::numbers(kind, &bytes),
        };
        Ok(Property {
            lengths: extent.lengths,
            values,
        })
    }
}

/// Decodes the offsets of texts.
fn offsets(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes)
}

/// The texts at these offsets. They may repeat, but their total length is bounded so that a short
/// file cannot produce excessive text.
pub(super) fn texts(offsets: &[u32], strings: &StringTable) -> Result<Vec<String>, String> {
    const MIN_TEXT_BUDGET: usize = 1 << 20;
    let mut bytes_left = MIN_TEXT_BUDGET + 4 * strings.bytes().len();
    let text = |offset: &u32| {
        if !strings.has(*offset) {
            return Err(nowhere(*offset));
        }
        let text = strings.get(StringRef(*offset)).into_owned();
        bytes_left = bytes_left
            .checked_sub(text.len())
            .ok_or("texts many times longer than the string table")?;
        Ok(text)
    };
    offsets.iter().map(text).collect()
}
