//! The custom properties of entities (fact sheet C, "Property record"; B27).

use super::bytes::{StringRef, StringTable};
use super::entities::{Entities, nowhere};

/// Bytes of a property in the file.
pub(super) const PROPERTY_BYTES: usize = 13;
/// The most dimensions of an array. With a length of at least 2 each, more than this would be
/// larger than a table can be.
const MAX_DIMENSIONS: u32 = 32;

/// What a property is made of. The numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PropertyKind {
    /// Nothing.
    None,
    /// True or false.
    Bool,
    /// Whole numbers with a sign.
    I8,
    /// Whole numbers with a sign.
    I16,
    /// Whole numbers with a sign.
    I32,
    /// Whole numbers with a sign.
    I64,
    /// Whole numbers.
    U8,
    /// Whole numbers.
    U16,
    /// Whole numbers.
    U32,
    /// Whole numbers.
    U64,
    /// Floats.
    F32,
    /// Floats of 64 bits.
    F64,
    /// Texts.
    Text,
}

/// All kinds, by their numbers, with their names in the format's documents.
const KINDS: [(PropertyKind, &str); 13] = [
    (PropertyKind::None, "NONE"),
    (PropertyKind::Bool, "BOOL"),
    (PropertyKind::I8, "I8"),
    (PropertyKind::I16, "I16"),
    (PropertyKind::I32, "I32"),
    (PropertyKind::I64, "I64"),
    (PropertyKind::U8, "U8"),
    (PropertyKind::U16, "U16"),
    (PropertyKind::U32, "U32"),
    (PropertyKind::U64, "U64"),
    (PropertyKind::F32, "F32"),
    (PropertyKind::F64, "F64"),
    (PropertyKind::Text, "STR"),
];

impl PropertyKind {
    /// All kinds in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(kind, _)| *kind)
    }

    /// The kind with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        KINDS.get(usize::from(number)).map(|(kind, _)| *kind)
    }

    /// Its number in files.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name in the format's documents.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }
}

/// A property as the file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyRecord {
    /// The number of its kind.
    pub kind: u8,
    /// How many dimensions its array has; 0 for a single value.
    pub dimensions: u32,
    /// 0, the length of the array, or where the lengths are in the table of 32-bit values.
    pub length: u32,
    /// The value, or where it is.
    pub value: u32,
}

/// A property as it is meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The lengths of its dimensions, the outermost first; none for a single value.
    pub lengths: Vec<u32>,
    /// The value, or all values of the array one after the other.
    pub values: PropertyValues,
}

/// The values of a property. A single value is a list of one.
#[derive(Debug, Clone, PartialEq)]
pub enum PropertyValues {
    /// Nothing.
    None,
    /// A single truth value.
    Bool(bool),
    /// Truth values of an array, as bits. The documents do not say which bit of a byte is the
    /// first.
    Bits(Vec<u8>),
    /// Whole numbers with a sign.
    I8(Vec<i8>),
    /// Whole numbers with a sign.
    I16(Vec<i16>),
    /// Whole numbers with a sign.
    I32(Vec<i32>),
    /// Whole numbers with a sign.
    I64(Vec<i64>),
    /// Whole numbers.
    U8(Vec<u8>),
    /// Whole numbers.
    U16(Vec<u16>),
    /// Whole numbers.
    U32(Vec<u32>),
    /// Whole numbers.
    U64(Vec<u64>),
    /// Floats.
    F32(Vec<f32>),
    /// Floats of 64 bits.
    F64(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
}

impl PropertyValues {
    /// What they are.
    pub fn kind(&self) -> PropertyKind {
        match self {
            Self::None => PropertyKind::None,
            Self::Bool(_) | Self::Bits(_) => PropertyKind::Bool,
            Self::I8(_) => PropertyKind::I8,
            Self::I16(_) => PropertyKind::I16,
            Self::I32(_) => PropertyKind::I32,
            Self::I64(_) => PropertyKind::I64,
            Self::U8(_) => PropertyKind::U8,
            Self::U16(_) => PropertyKind::U16,
            Self::U32(_) => PropertyKind::U32,
            Self::U64(_) => PropertyKind::U64,
            Self::F32(_) => PropertyKind::F32,
            Self::F64(_) => PropertyKind::F64,
            Self::Texts(_) => PropertyKind::Text,
        }
    }

    /// How many they are; of [`Self::Bits`], how many bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Bool(_) => 1,
            Self::I8(values) => values.len(),
            Self::I16(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::Bits(values) | Self::U8(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// The values as people read them, at most so many of them.
    pub fn describe(&self, most: usize) -> String {
        fn list<T: ToString>(values: &[T], most: usize) -> String {
            let mut shown: Vec<_> = values.iter().take(most).map(T::to_string).collect();
            if values.len() > most {
                shown.push("...".to_owned());
            }
            shown.join(", ")
        }
        match self {
            Self::None => "nothing".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Bits(bytes) => {
                let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
                format!("bits {}", list(&bytes, most))
            }
            Self::I8(values) => list(values, most),
            Self::I16(values) => list(values, most),
            Self::I32(values) => list(values, most),
            Self::I64(values) => list(values, most),
            Self::U8(values) => list(values, most),
            Self::U16(values) => list(values, most),
            Self::U32(values) => list(values, most),
            Self::U64(values) => list(values, most),
            Self::F32(values) => list(values, most),
            Self::F64(values) => list(values, most),
            Self::Texts(values) => list(values, most),
        }
    }
}

/// A property whose lengths have been found.
struct Extent {
    kind: PropertyKind,
    lengths: Vec<u32>,
    /// How many values there are.
    count: usize,
    is_array: bool,
}

impl PropertyRecord {
    pub(super) fn from_bytes(bytes: [u8; PROPERTY_BYTES]) -> Self {
        let [kind, rest @ ..] = bytes;
        let (numbers, _) = rest.as_chunks::<4>();
        let number = |i: usize| numbers.get(i).copied().map_or(0, u32::from_le_bytes);
        Self {
            kind,
            dimensions: number(0),
            length: number(1),
            value: number(2),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; PROPERTY_BYTES] {
        let numbers = [self.dimensions, self.length, self.value].map(u32::to_le_bytes);
        let numbers = numbers.as_flattened();
        std::array::from_fn(|i| match i.checked_sub(1) {
            None => self.kind,
            Some(i) => numbers.get(i).copied().unwrap_or_default(),
        })
    }

    fn extent(self, entities: &Entities) -> Result<Extent, String> {
        let kind = PropertyKind::from_number(self.kind)
            .ok_or_else(|| format!("unknown kind {}; expected 0 to 12", self.kind))?;
        let lengths = match self.dimensions {
            0 => Vec::new(),
            1 => vec![self.length],
            2..=MAX_DIMENSIONS => entities
                .values32(self.length, self.dimensions as usize)
                .ok_or_else(|| {
                    format!(
                        "{} lengths from {:#x} lead out of the table of 32-bit values",
                        self.dimensions, self.length
                    )
                })?
                .iter()
                .copied()
                .map(u32::from_le_bytes)
                .collect(),
            more => {
                return Err(format!(
                    "{more} dimensions; at most {MAX_DIMENSIONS} are read"
                ));
            }
        };
        let count = lengths
            .iter()
            .try_fold(1_u64, |count, length| count.checked_mul(u64::from(*length)))
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(|| format!("an array of {} values", product(&lengths)))?;
        Ok(Extent {
            kind,
            count,
            is_array: !lengths.is_empty(),
            lengths,
        })
    }

    /// Whether it can be read. Of texts in arrays only so many more are looked at: many properties
    /// may have the same long array.
    pub(super) fn check(
        self,
        entities: &Entities,
        strings: &StringTable,
        texts_left: &mut usize,
    ) -> Result<(), String> {
        let extent = self.extent(entities)?;
        if extent.is_array && extent.kind == PropertyKind::Text {
            let offsets = self.values32(&extent, entities)?;
            let looked_at = offsets.len().min(*texts_left);
            *texts_left -= looked_at;
            let mut looked_at = offsets.iter().take(looked_at);
            return match looked_at.find(|offset| !strings.has(u32::from_le_bytes(**offset))) {
                Some(offset) => Err(nowhere(u32::from_le_bytes(*offset))),
                None => Ok(()),
            };
        }
        self.locate(&extent, entities, strings)
    }

    /// Whether all its values are there.
    fn locate(
        self,
        extent: &Extent,
        entities: &Entities,
        strings: &StringTable,
    ) -> Result<(), String> {
        match (extent.kind, extent.is_array) {
            (PropertyKind::None, _) => Ok(()),
            (PropertyKind::Text, false) if strings.has(self.value) => Ok(()),
            (PropertyKind::Text, false) => Err(nowhere(self.value)),
            (PropertyKind::I64 | PropertyKind::U64 | PropertyKind::F64, _) => {
                self.values64(extent, entities).map(|_| ())
            }
            (_, false) => Ok(()),
            (PropertyKind::Bool | PropertyKind::I8 | PropertyKind::U8, true) => {
                self.values8(extent, strings).map(|_| ())
            }
            (PropertyKind::I16 | PropertyKind::U16, true) => {
                self.values16(extent, entities).map(|_| ())
            }
            (
                PropertyKind::I32 | PropertyKind::U32 | PropertyKind::F32 | PropertyKind::Text,
                true,
            ) => self.values32(extent, entities).map(|_| ()),
        }
    }

    /// What is said of an array that leads out of its table.
    fn outside(self, extent: &Extent, table: &str) -> String {
        format!(
            "{} values of {} from {:#x} lead out of the {table}",
            extent.count,
            extent.kind.name(),
            self.value
        )
    }

    fn values8<'a>(self, extent: &Extent, strings: &'a StringTable) -> Result<&'a [u8], String> {
        let bytes = if extent.kind == PropertyKind::Bool {
            extent.count.div_ceil(8)
        } else {
            extent.count
        };
        let first = self.value as usize;
        first
            .checked_add(bytes)
            .and_then(|end| strings.bytes().get(first..end))
            .ok_or_else(|| self.outside(extent, "string table"))
    }

    fn values16<'a>(
        self,
        extent: &Extent,
        entities: &'a Entities,
    ) -> Result<&'a [[u8; 2]], String> {
        entities
            .values16(self.value, extent.count)
            .ok_or_else(|| self.outside(extent, "table of 16-bit values"))
    }

    fn values32<'a>(
        self,
        extent: &Extent,
        entities: &'a Entities,
    ) -> Result<&'a [[u8; 4]], String> {
        entities
            .values32(self.value, extent.count)
            .ok_or_else(|| self.outside(extent, "table of 32-bit values"))
    }

    fn values64<'a>(
        self,
        extent: &Extent,
        entities: &'a Entities,
    ) -> Result<&'a [[u8; 8]], String> {
        entities
            .values64(self.value, extent.count)
            .ok_or_else(|| self.outside(extent, "table of 64-bit values"))
    }

    /// Offsets of the bytes of the string table that belong to it.
    pub(super) fn string_offsets(self, entities: &Entities, strings: &StringTable) -> Vec<u32> {
        let Ok(extent) = self.extent(entities) else {
            return Vec::new();
        };
        match (extent.kind, extent.is_array) {
            (PropertyKind::Text, false) => vec![self.value],
            (PropertyKind::Text, true) => {
                let offsets = self.values32(&extent, entities).unwrap_or_default();
                offsets.iter().copied().map(u32::from_le_bytes).collect()
            }
            (PropertyKind::Bool | PropertyKind::I8 | PropertyKind::U8, true) => {
                let bytes = self.values8(&extent, strings).unwrap_or_default();
                (self.value..).take(bytes.len()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The property as it is meant. `strings` is the string table of the section.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    pub fn resolve(self, entities: &Entities, strings: &StringTable) -> Result<Property, String> {
        let extent = self.extent(entities)?;
        let values = if extent.is_array {
            self.array(&extent, entities, strings)?
        } else {
            self.single(&extent, entities, strings)?
        };
        Ok(Property {
            lengths: extent.lengths,
            values,
        })
    }

    fn single(
        self,
        extent: &Extent,
        entities: &Entities,
        strings: &StringTable,
    ) -> Result<PropertyValues, String> {
        let value = self.value;
        let wide = || {
            let values = self.values64(extent, entities)?;
            Ok::<_, String>(values.first().copied().unwrap_or_default())
        };
        // Inline values stand in the low bytes.
        Ok(match extent.kind {
            PropertyKind::None => PropertyValues::None,
            PropertyKind::Bool => PropertyValues::Bool(value & 0xFF != 0),
            PropertyKind::I8 => PropertyValues::I8(vec![value as i8]),
            PropertyKind::I16 => PropertyValues::I16(vec![value as i16]),
            PropertyKind::I32 => PropertyValues::I32(vec![value as i32]),
            PropertyKind::I64 => PropertyValues::I64(vec![i64::from_le_bytes(wide()?)]),
            PropertyKind::U8 => PropertyValues::U8(vec![value as u8]),
            PropertyKind::U16 => PropertyValues::U16(vec![value as u16]),
            PropertyKind::U32 => PropertyValues::U32(vec![value]),
            PropertyKind::U64 => PropertyValues::U64(vec![u64::from_le_bytes(wide()?)]),
            PropertyKind::F32 => PropertyValues::F32(vec![f32::from_bits(value)]),
            PropertyKind::F64 => PropertyValues::F64(vec![f64::from_le_bytes(wide()?)]),
            PropertyKind::Text => PropertyValues::Texts(texts(&[value], strings)?),
        })
    }

    fn array(
        self,
        extent: &Extent,
        entities: &Entities,
        strings: &StringTable,
    ) -> Result<PropertyValues, String> {
        fn all<const N: usize, T>(values: &[[u8; N]], from: fn([u8; N]) -> T) -> Vec<T> {
            values.iter().copied().map(from).collect()
        }
        let bytes = || self.values8(extent, strings);
        let values16 = || self.values16(extent, entities);
        let values32 = || self.values32(extent, entities);
        let values64 = || self.values64(extent, entities);
        Ok(match extent.kind {
            PropertyKind::None => PropertyValues::None,
            PropertyKind::Bool => PropertyValues::Bits(bytes()?.to_vec()),
            PropertyKind::I8 => {
                PropertyValues::I8(bytes()?.iter().map(|byte| *byte as i8).collect())
            }
            PropertyKind::U8 => PropertyValues::U8(bytes()?.to_vec()),
            PropertyKind::I16 => PropertyValues::I16(all(values16()?, i16::from_le_bytes)),
            PropertyKind::U16 => PropertyValues::U16(all(values16()?, u16::from_le_bytes)),
            PropertyKind::I32 => PropertyValues::I32(all(values32()?, i32::from_le_bytes)),
            PropertyKind::U32 => PropertyValues::U32(all(values32()?, u32::from_le_bytes)),
            PropertyKind::F32 => PropertyValues::F32(all(values32()?, f32::from_le_bytes)),
            PropertyKind::I64 => PropertyValues::I64(all(values64()?, i64::from_le_bytes)),
            PropertyKind::U64 => PropertyValues::U64(all(values64()?, u64::from_le_bytes)),
            PropertyKind::F64 => PropertyValues::F64(all(values64()?, f64::from_le_bytes)),
            PropertyKind::Text => {
                let offsets = all(values32()?, u32::from_le_bytes);
                PropertyValues::Texts(texts(&offsets, strings)?)
            }
        })
    }
}

/// The texts at these offsets. Many may be the same, but not so long that a short file makes much
/// text.
pub(super) fn texts(offsets: &[u32], strings: &StringTable) -> Result<Vec<String>, String> {
    const FEW_BYTES: usize = 1 << 20;
    let mut bytes_left = FEW_BYTES + 4 * strings.bytes().len();
    let text = |offset: &u32| {
        if !strings.has(*offset) {
            return Err(nowhere(*offset));
        }
        let text = strings.get(StringRef(*offset)).into_owned();
        bytes_left = bytes_left
            .checked_sub(text.len())
            .ok_or("texts that take many times as much as the string table")?;
        Ok(text)
    };
    offsets.iter().map(text).collect()
}

/// The lengths of an array, as people write them.
fn product(lengths: &[u32]) -> String {
    let lengths: Vec<_> = lengths.iter().map(u32::to_string).collect();
    lengths.join(" x ")
}
