//! The byte cursor of binary files, with error messages for ika's formats.

use super::{rules, text};
use crate::bytes::{self, Record, Source};
use crate::{Place, Problems, ReadError, Rule, Subject, counted};

/// Longest text that fits the engine's buffer, in bytes (fact sheet 2).
const ENGINE_TEXT_BYTES: usize = 1023;

/// A whole file as source; messages name only records.
#[derive(Debug, Clone, Copy)]
pub(super) struct File;

impl Source for File {
    const TRUNCATED: &'static Rule = &rules::TRUNCATED;
    const WHOLE: &'static str = "file";

    fn place(&self, pos: usize) -> Place {
        Place::Offset(pos as u64)
    }

    fn subject(&self, Record { name, index, .. }: Record) -> Subject {
        match (name, index.map(|index| index as u32)) {
            ("layer", Some(layer)) => Subject::Layer(layer),
            ("zone", Some(zone)) => Subject::Zone(zone),
            ("entity", Some(entity)) => Subject::MapEntity(entity),
            ("strand", Some(_)) => Subject::Tileset,
            _ => Subject::File,
        }
    }

    fn context(&self, record: Record, _: usize) -> String {
        record.to_string()
    }

    fn missing_bytes(record: Record, left: usize, wanted: usize) -> [String; 2] {
        [
            format!(
                "the file ends in the {}: {}",
                record.field,
                bytes_left(left)
            ),
            counted(wanted, "byte"),
        ]
    }
}

/// Phrase for the number of bytes left, for messages.
pub(super) fn bytes_left(left: usize) -> String {
    match left {
        0 => "no bytes are left".to_owned(),
        1 => "only 1 byte is left".to_owned(),
        _ => format!("only {left} bytes are left"),
    }
}

/// A cursor over the bytes of a file.
pub(super) type Cursor<'a> = bytes::Cursor<'a, File>;

impl Cursor<'_> {
    /// Reads a byte as a flag: `true` unless it is 0.
    pub(super) fn flag(&mut self) -> Result<bool, ReadError> {
        Ok(self.u8()? != 0)
    }

    /// Reads a text with its length in bytes before it (document, "STRING").
    pub(super) fn string(&mut self, problems: &mut Problems) -> Result<String, ReadError> {
        let at = self.pos();
        let len = self.u32()? as usize;
        let (what, left) = (self.field_name(), self.left());
        if len > left {
            self.seek(at);
            let len = counted(len, "byte");
            let found = format_args!("the {what} is {len} long, but {}", bytes_left(left));
            return Err(self.fault(&rules::TRUNCATED, at, found, "a text inside the file"));
        }
        if len > ENGINE_TEXT_BYTES {
            self.warn(problems, &rules::LONG_TEXT, at, || {
                format!(
                    "the {what} is {len} bytes long; the engine has room for {ENGINE_TEXT_BYTES}"
                )
            });
        }
        Ok(text::decode(self.bytes(len)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_data_is_reported_with_its_place() {
        let mut problems = Problems::new();
        let mut cursor = Cursor::new(b"\x02\0\0\0ab\x09\0\0\0c", File);
        assert_eq!(cursor.field("name").string(&mut problems).unwrap(), "ab");
        cursor.enter("entity", 3);
        let error = cursor.field("name").string(&mut problems).unwrap_err();
        assert_eq!(
            error.problem().unwrap().facts(),
            "0x6: error: ika/truncated (MapEntity 3): 1 3 9"
        );
        cursor.seek(9);
        let error = cursor.field("speed").u32().unwrap_err();
        assert_eq!(
            error.problem().unwrap().facts(),
            "0x9: error: ika/truncated (MapEntity 3): 2 3 4"
        );
        assert!(problems.finish().is_empty());
    }
}
