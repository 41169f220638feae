//! Data of the user in layout B (fact sheet P1, "Field").

use std::borrow::Cow;

use super::bytes::record;
use super::names::{Owner, Strings};
use super::{Field, P3m, rules};
use crate::{Message, counted};

/// Types of fields that have an own reading.
const STR: u8 = 0;
const BOOL: u8 = 1;
/// The flags of a field.
const ARRAY: u8 = 0x10;
const EMPTY: u8 = 0x20;
/// Size in bytes of the values of each type: STR, BOOL, I8 to I64, U8 to U64, F32, F64.
const VALUE_BYTES: [usize; 12] = [2, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8];
/// Names of the types.
const TYPES: [&str; 12] = [
    "STR", "BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F32", "F64",
];
/// Size in bytes of the count and the offset of an array.
const ARRAY_BYTES: usize = 4;

/// A value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A truth value.
    Bool(bool),
    /// An integer, or a byte of an array of truth values, whose encoding the document leaves open.
    Integer(i128),
    /// A number of single precision.
    Single(f32),
    /// A number of double precision.
    Double(f64),
}

impl Field {
    /// Name of its type in the format's document; `None` if the type is unknown.
    pub fn type_name(&self) -> Option<&'static str> {
        TYPES.get(usize::from(self.kind & 0x0F)).copied()
    }

    /// `true` if its values are in the strings.
    pub fn is_array(&self) -> bool {
        self.kind & ARRAY != 0
    }

    /// `true` if it has no value.
    pub fn is_empty(&self) -> bool {
        self.kind & EMPTY != 0
    }

    /// Size in bytes of each value; `None` if the type is unknown.
    pub(super) fn element_bytes(&self) -> Option<usize> {
        VALUE_BYTES.get(usize::from(self.kind & 0x0F)).copied()
    }

    /// Size in bytes of what follows the type in the file; `None` if it is unknown.
    pub(super) fn value_bytes(&self) -> Option<usize> {
        if self.is_empty() {
            Some(0)
        } else if self.is_array() {
            Some(ARRAY_BYTES)
        } else {
            self.element_bytes()
        }
    }

    /// The number of elements of an array and the offset of the first one in the strings.
    fn array(&self) -> Option<(usize, u16)> {
        let (&[count, offset], _) = self.bytes.as_chunks::<2>() else {
            return None;
        };
        let count = usize::from(u16::from_le_bytes(count)) + 1;
        (self.is_array() && !self.is_empty()).then_some((count, u16::from_le_bytes(offset)))
    }
}

impl P3m {
    /// The values of a field: none, one, or those of an array. A string that does not exist is
    /// empty.
    pub fn values_of<'a>(&'a self, field: &'a Field) -> impl Iterator<Item = FieldValue<'a>> {
        let size = field.element_bytes().unwrap_or(1);
        let bytes = match field.array() {
            None => &field.bytes[..],
            Some((count, offset)) => {
                let rest = self.strings.get(offset.into()..);
                let bytes = rest.and_then(|rest| rest.get(..count * size));
                bytes.unwrap_or_default()
            }
        };
        bytes
            .chunks_exact(size)
            .filter_map(|bytes| self.value(field, bytes))
    }

    fn value(&self, field: &Field, bytes: &[u8]) -> Option<FieldValue<'_>> {
        let mut padded = [0; 8];
        padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let unsigned = u64::from_le_bytes(padded);
        let unused_bits = 64 - 8 * bytes.len() as u32;
        Some(match field.kind & 0x0F {
            STR => {
                let rest = self.strings.get(unsigned as usize..).unwrap_or_default();
                let text = rest.split(|byte| *byte == 0).next().unwrap_or_default();
                FieldValue::Text(String::from_utf8_lossy(text))
            }
            BOOL if !field.is_array() => FieldValue::Bool(unsigned != 0),
            2..=5 => {
                let signed = (unsigned << unused_bits).cast_signed() >> unused_bits;
                FieldValue::Integer(signed.into())
            }
            BOOL | 6..=9 => FieldValue::Integer(unsigned.into()),
            10 => FieldValue::Single(f32::from_bits(unsigned as u32)),
            11 => FieldValue::Double(f64::from_bits(unsigned)),
            _ => return None,
        })
    }
}

/// Finds the elements of arrays and checks strings. `strings_at` is the file offset of the strings.
pub(super) fn resolve(fields: &mut [Field], strings: &mut Strings<'_, '_>, strings_at: u64) {
    for (i, field) in fields.iter_mut().enumerate() {
        let Some(size) = field.element_bytes() else {
            continue;
        };
        let mut owner = Owner {
            at: field.at + 3,
            record: record("field", i, "value"),
        };
        let mut texts = &field.bytes[..];
        if let Some((count, offset)) = field.array() {
            let Some(elements) = strings.get(offset, count * size) else {
                strings.add((), &rules::FIELD_ELEMENTS, owner, || {
                    let count = counted(count, "element");
                    let found = format!("{count} at offset {offset}; expected all in the strings");
                    Message::left_out(found, "the elements")
                });
                continue;
            };
            texts = elements;
            owner.at = strings_at + u64::from(offset);
            field.elements = owner.at..owner.at + elements.len() as u64;
        }
        if field.kind & 0x0F == STR {
            for offset in texts.as_chunks().0 {
                strings.find(u16::from_le_bytes(*offset), owner);
                owner.at += 2;
            }
        }
    }
}
