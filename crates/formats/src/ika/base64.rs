//! Base64 as ika wrote it: in one line or in many (fact sheet 4).

use std::sync::LazyLock;

use data_encoding::{DecodeKind, Encoding, Specification};

use super::aries::Text;
use super::rules;
use crate::{Problems, quoted};

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
pub(super) fn decode(text: &Text<'_>, name: &str, problems: &mut Problems) -> Vec<u8> {
    let Some(encoding) = &*TOLERANT else {
        return Vec::new();
    };
    let Ok(len) = encoding.decode_len(text.bytes.len()) else {
        return Vec::new();
    };
    let mut bytes = vec![0; len];
    let (written, fault) = match encoding.decode_mut(&text.bytes, &mut bytes) {
        Ok(written) => (written, None),
        Err(partial) => (partial.written, Some(partial.error)),
    };
    bytes.truncate(written);
    if let Some(error) = fault {
        problems.add(&rules::BASE64, text.place_of(error.position), || {
            if error.kind != DecodeKind::Symbol {
                return format!("{name}: the base64 ends in the middle of a byte");
            }
            let found = text.bytes.get(error.position..=error.position);
            let found = quoted(found.unwrap_or_default());
            format!(
                "{name}: found {found}; expected base64: letters, digits, `+` and `/`; the rest is \
                 left out"
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
    use crate::ika::aries::Tree;

    /// What is read of a text in a node `a` that begins on the third line.
    fn read(text: &[u8]) -> (Vec<u8>, Vec<String>) {
        let mut problems = Problems::new();
        let file = [b"\n\n(a ", text, b")"].concat();
        let tree = Tree::read(&file, &mut problems);
        let node = tree.root("a").unwrap();
        let text = node.text().unwrap_or(Text::none(node.place()));
        let bytes = decode(&text, "tiles", &mut problems);
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
        let expected = "tiles: found `!`; expected base64: letters, digits, `+` and `/`; the rest \
                        is left out";
        for (text, place) in [
            (&b"AAAA\nAA!AAAAA"[..], "4:3"),
            (b"'AAAA\nAA!AAAAA'", "4:3"),
            (b"AAAAAA!AAAAA", "3:10"),
            (b"'AAAAAA!AAAAA'", "3:11"),
        ] {
            let (bytes, problems) = read(text);
            assert!(bytes.starts_with(&[0; 3]));
            assert_eq!(problems, [format!("{place}: error: {expected}")]);
        }
        let (_, problems) = read(b"AAAAA");
        assert_eq!(
            problems,
            ["3:8: error: tiles: the base64 ends in the middle of a byte"]
        );
        assert_eq!(read(b"").0, b"");
    }
}
