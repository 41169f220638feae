//! Lists of integers whose width the file chooses.

/// Unsigned integers in the width of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names describe the element types")]
pub enum Integers {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Integers {
    /// Number of integers.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(list) => list.len(),
            Self::U16(list) => list.len(),
            Self::U32(list) => list.len(),
            Self::U64(list) => list.len(),
        }
    }

    /// `true` if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of bits of each integer: 8, 16, 32 or 64.
    pub fn bits(&self) -> u32 {
        match self {
            Self::U8(_) => u8::BITS,
            Self::U16(_) => u16::BITS,
            Self::U32(_) => u32::BITS,
            Self::U64(_) => u64::BITS,
        }
    }

    /// The integer at an index; `None` if it is missing.
    pub fn get(&self, index: usize) -> Option<u64> {
        match self {
            Self::U8(list) => list.get(index).map(|value| u64::from(*value)),
            Self::U16(list) => list.get(index).map(|value| u64::from(*value)),
            Self::U32(list) => list.get(index).map(|value| u64::from(*value)),
            Self::U64(list) => list.get(index).copied(),
        }
    }
}
