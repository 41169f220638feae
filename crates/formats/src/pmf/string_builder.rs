//! Builder for string tables.

use std::collections::HashMap;

use super::bytes::{StringRef, StringTable};

/// Collects the strings of a section. Each is stored once, and the empty one is at offset 0.
#[derive(Debug, Clone)]
pub struct StringTableBuilder {
    bytes: Vec<u8>,
    offsets: HashMap<String, StringRef>,
}

impl Default for StringTableBuilder {
    fn default() -> Self {
        Self {
            bytes: vec![0],
            offsets: HashMap::from([(String::new(), StringRef(0))]),
        }
    }
}

impl StringTableBuilder {
    /// Adds a string if it is new and returns its offset. `None` if it contains a zero byte or if
    /// the table would exceed 4 GiB.
    pub fn add(&mut self, text: &str) -> Option<StringRef> {
        if let Some(string) = self.offsets.get(text) {
            return Some(*string);
        }
        if text.contains('\0') {
            return None;
        }
        let string = StringRef(self.add_bytes(text.as_bytes())?);
        self.offsets.insert(text.to_owned(), string);
        Some(string)
    }

    /// Adds bytes that are not a string, such as the values of a property, and returns their
    /// offset. `None` if the table would exceed 4 GiB.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Option<u32> {
        let offset = u32::try_from(self.bytes.len()).ok()?;
        u32::try_from(self.bytes.len() + bytes.len() + 1).ok()?;
        self.bytes.extend(bytes);
        self.bytes.push(0);
        Some(offset)
    }

    /// The table.
    pub fn finish(&self) -> StringTable {
        StringTable::new(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_there_once() {
        let mut builder = StringTableBuilder::default();
        let stone = builder.add("stone").unwrap();
        let wood = builder.add("wood").unwrap();
        assert_eq!(builder.add("stone"), Some(stone));
        assert_eq!(builder.add(""), Some(StringRef(0)));
        assert_eq!(builder.add("a\0b"), None);
        let bytes = builder.add_bytes(&[7, 0, 8]).unwrap();
        let table = builder.finish();
        assert_eq!(table.bytes(), b"\0stone\0wood\0\x07\0\x08\0");
        assert_eq!(table.get(stone), "stone");
        assert_eq!(table.get(wood), "wood");
        assert_eq!(bytes, 12);
    }
}
