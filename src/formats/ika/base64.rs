//! Base64 as ika wrote it: in one line or in many (fact sheet 4).

use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};

use super::problems::{Kind, Problems};
use crate::formats::Place;

/// The standard alphabet. White space is passed over, and so is padding, which some streams lack.
static TOLERANT: LazyLock<Option<Encoding>> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification
        .symbols
        .push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    specification.ignore.push_str(" \t\r\n=");
    specification.check_trailing_bits = false;
    specification.encoding().ok()
});

/// Decodes a text. What follows a character that is not base64 is left out.
pub(super) fn decode(text: &[u8], name: &str, place: Place, problems: &mut Problems) -> Vec<u8> {
    let Some(encoding) = &*TOLERANT else {
        return Vec::new();
    };
    let Ok(len) = encoding.decode_len(text.len()) else {
        return Vec::new();
    };
    let mut bytes = vec![0; len];
    let (written, fault) = match encoding.decode_mut(text, &mut bytes) {
        Ok(written) => (written, None),
        Err(partial) => (partial.written, Some(partial.error.position)),
    };
    bytes.truncate(written);
    if let Some(at) = fault {
        problems.add(Kind::Block, place, || {
            let found = text.get(at).copied().unwrap_or_default();
            format!(
                "{name}: byte {at} of the text is {}; expected base64; the rest is left out",
                crate::formats::quoted(&[found])
            )
        });
    }
    bytes
}

/// The text of bytes in one line, padded, as the engine has it since version 1.1.
pub(super) fn encode(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Vec<u8>, Vec<String>) {
        let mut problems = Problems::new();
        let place = Place::Text { line: 3, column: 4 };
        let bytes = decode(text, "tiles", place, &mut problems);
        let problems = problems.finish();
        (bytes, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn both_habits_are_read() {
        let bytes: Vec<u8> = (0..200).collect();
        for len in [0, 1, 2, 3, 33, 34, 35, 200] {
            let line = encode(&bytes[..len]);
            let lines: Vec<&str> = line
                .as_bytes()
                .chunks(44)
                .map(|line| std::str::from_utf8(line).unwrap())
                .collect();
            let lines = format!("{}\n", lines.join("\r\n\t "));
            let bare = line.trim_end_matches('=');
            for text in [&line[..], &lines, bare] {
                let (read, problems) = read(text.as_bytes());
                assert_eq!(read, bytes[..len], "{text}");
                assert_eq!(problems, [""; 0]);
            }
        }
    }

    #[test]
    fn other_characters_end_it() {
        let (bytes, problems) = read(b"AAAA\nAA!AAAAA");
        assert!(bytes.starts_with(&[0; 3]));
        assert_eq!(
            problems,
            ["3:4: error: tiles: byte 7 of the text is `!`; expected base64; the rest is left out"]
        );
        assert_eq!(read(b"").0, b"");
    }
}
