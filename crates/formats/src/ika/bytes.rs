//! The bytes of a binary file, read one after the other, so that whatever is missing is said with
//! its place and the record that it belongs to.

use std::fmt;

use super::rules;
use super::text;
use crate::{Place, Problem, Problems, ReadError, Rule, Subject};

/// Texts of more bytes do not fit the place that the engine reads them to (fact sheet 2).
const ENGINE_TEXT_BYTES: usize = 1023;

/// The bytes, and how far they are read.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    record: Record,
}

/// The record that is being read, as messages name it: `entity 3`.
#[derive(Debug, Clone, Copy)]
struct Record {
    name: &'static str,
    index: Option<usize>,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{} {index}", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let record = Record {
            name: "file",
            index: None,
        };
        Self {
            bytes,
            pos: 0,
            record,
        }
    }

    /// How much is read, in bytes.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// How much is not read, in bytes.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// Says what is read from here on, for messages.
    pub(super) fn enter(&mut self, name: &'static str, index: impl Into<Option<usize>>) {
        self.record = Record {
            name,
            index: index.into(),
        };
    }

    /// Goes to a byte. Past the end there is nothing to read.
    pub(super) fn seek(&mut self, pos: usize) {
        self.pos = pos.min(self.bytes.len());
    }

    /// The record that is being read, as problems name it.
    #[cold]
    fn subject(&self) -> Subject {
        let Record { name, index } = self.record;
        match (name, index.map(|index| index as u32)) {
            ("zone", Some(zone)) => Subject::Zone(zone),
            ("entity", Some(entity)) => Subject::MapEntity(entity),
            ("strand", Some(_)) => Subject::Tileset,
            _ => Subject::File,
        }
    }

    /// Why something cannot be read: what stands at a byte, and what should.
    #[cold]
    pub(super) fn fault(
        &self,
        rule: &'static Rule,
        pos: usize,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ReadError {
        let message = format!("{}: {found}; expected {expected}", self.record);
        let place = Place::Offset(pos as u64);
        ReadError::Unreadable(Problem::new(rule, self.subject(), place, message))
    }

    /// Lists what is wrong at a byte and can be lived with.
    #[cold]
    pub(super) fn warn(
        &self,
        problems: &mut Problems,
        rule: &'static Rule,
        pos: usize,
        message: impl FnOnce() -> String,
    ) {
        problems.add_about(rule, self.subject(), Place::Offset(pos as u64), || {
            format!("{}: {}", self.record, message())
        });
    }

    /// The next bytes.
    pub(super) fn bytes(&mut self, count: usize, what: &str) -> Result<&'a [u8], ReadError> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        match rest.get(..count) {
            Some(bytes) => {
                self.pos += count;
                Ok(bytes)
            }
            None => Err(self.end(count, what)),
        }
    }

    #[cold]
    fn end(&self, count: usize, what: &str) -> ReadError {
        let left = self.left();
        let found = format_args!("the file ends in the {what}, {left} bytes left");
        self.fault(&rules::TRUNCATED, self.pos, found, format!("{count} bytes"))
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ReadError> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        match rest.first_chunk() {
            Some(bytes) => {
                self.pos += N;
                Ok(*bytes)
            }
            None => Err(self.end(N, what)),
        }
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8, ReadError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    /// A byte that is true unless it is 0.
    pub(super) fn flag(&mut self, what: &str) -> Result<bool, ReadError> {
        Ok(self.u8(what)? != 0)
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16, ReadError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, ReadError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(super) fn i32(&mut self, what: &str) -> Result<i32, ReadError> {
        Ok(i32::from_le_bytes(self.array(what)?))
    }

    /// A text with the number of its bytes before it (document, "STRING").
    pub(super) fn string(
        &mut self,
        what: &str,
        problems: &mut Problems,
    ) -> Result<String, ReadError> {
        let at = self.pos;
        let len = self.u32(what)? as usize;
        let left = self.left();
        if len > left {
            self.pos = at;
            let found = format_args!("the {what} has {len} bytes, but {left} bytes are left");
            return Err(self.fault(&rules::TRUNCATED, at, found, "a text that ends in the file"));
        }
        if len > ENGINE_TEXT_BYTES {
            self.warn(problems, &rules::LONG_TEXT, at, || {
                format!("the {what} has {len} bytes; the engine has room for {ENGINE_TEXT_BYTES}")
            });
        }
        Ok(text::decode(self.bytes(len, what)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_its_place() {
        let mut problems = Problems::new();
        let mut cursor = Cursor::new(b"\x02\0\0\0ab\x09\0\0\0c");
        assert_eq!(cursor.string("name", &mut problems).unwrap(), "ab");
        cursor.enter("entity", 3);
        let error = cursor.string("name", &mut problems).unwrap_err();
        assert_eq!(
            error.to_string(),
            "0x6: entity 3: the name has 9 bytes, but 1 bytes are left; \
             expected a text that ends in the file"
        );
        cursor.seek(9);
        let error = cursor.u32("speed").unwrap_err();
        assert_eq!(
            error.to_string(),
            "0x9: entity 3: the file ends in the speed, 2 bytes left; expected 4 bytes"
        );
        assert!(problems.finish().is_empty());
    }
}
