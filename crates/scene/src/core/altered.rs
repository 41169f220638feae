//! Files that another program re-encoded as a whole. Texts in UTF-16 or with CR line ends are read.
//! Binary files that were handled as text are only reported, since bytes of them are lost or moved.

use bytes::Bytes;

use super::rules::{LINE_ENDS, TEXT_MODE, UTF8, UTF16};
use mapscope_formats::{Place, Problem, Subject};

/// Number of characters at the beginning of a text that identify UTF-16.
const SNIFFED_CHARS: usize = 16;
/// Minimum number of line ends for concluding that all of them were converted.
const MIN_LINE_ENDS: usize = 2;

/// Converts the text of a file in UTF-16 or with CR line ends to UTF-8 with LF, and returns it with
/// the problem to report.
pub(crate) fn restored(bytes: &[u8]) -> Option<(Bytes, Problem)> {
    let (text, rule, message) = if let Some(text) = from_utf16(bytes) {
        let message = "the text is UTF-16; expected ASCII or UTF-8 without a byte order mark";
        (text, &UTF16, message)
    } else {
        let message = "lines end with CR alone, so the engine reads the text as one line; expected LF or CR LF";
        (from_cr(bytes)?, &LINE_ENDS, message)
    };
    let problem = Problem::new(rule, Subject::File, Place::line(1), message);
    Some((text.into(), problem))
}

/// Returns the problem of a binary file that was saved or transferred as text, if `bytes` look like
/// such a file.
///
/// Call it only if the plain reading reports problems: an intact file may look the same.
pub(super) fn handled_as_text(bytes: &[u8]) -> Option<Problem> {
    if !bytes.contains(&0) {
        return None;
    }
    let line_ends = memchr::memchr_iter(b'\n', bytes);
    let mut has_cr = line_ends.clone().map(|at| at > 0 && bytes[at - 1] == b'\r');
    let (rule, message) = if !bytes.is_ascii() && str::from_utf8(bytes).is_ok() {
        let message = "the file was saved as UTF-8 text, which replaces all bytes above 127; expected the \
                       original bytes";
        (&UTF8, message)
    } else if line_ends.count() >= MIN_LINE_ENDS && has_cr.all(|has_cr| has_cr) {
        let message = "the file was transferred as text, with CR (0D) before every LF (0A); \
                       expected the original bytes";
        (&TEXT_MODE, message)
    } else {
        return None;
    };
    Some(Problem::new(rule, Subject::File, Place::Offset(0), message))
}

fn from_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let (pairs, odd) = bytes.as_chunks();
    let mut decoders = [u16::from_le_bytes, u16::from_be_bytes].into_iter();
    let decode = decoders.find(|decode| begins_as_text(pairs, *decode))?;
    let units = pairs
        .iter()
        .copied()
        .map(decode)
        .skip_while(|unit| *unit == 0xfeff);
    let chars = char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
    // A truncated text may end in the middle of a character.
    let rest = odd.iter().map(|_| char::REPLACEMENT_CHARACTER);
    Some(chars.chain(rest).collect::<String>().into_bytes())
}

/// `true` if a text of ASCII characters begins here, or behind a byte order mark.
fn begins_as_text(pairs: &[[u8; 2]], decode: fn([u8; 2]) -> u16) -> bool {
    let mut units = pairs.iter().copied().map(decode).peekable();
    units.next_if_eq(&0xfeff);
    let is_ascii = |unit: u16| {
        let byte = u8::try_from(unit);
        byte.is_ok_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    };
    units.len() >= SNIFFED_CHARS && units.take(SNIFFED_CHARS).all(is_ascii)
}

fn from_cr(bytes: &[u8]) -> Option<Vec<u8>> {
    let line_ends = memchr::memchr_iter(b'\r', bytes).count();
    let is_cr_text = line_ends >= MIN_LINE_ENDS && memchr::memchr2(b'\n', 0, bytes).is_none();
    let with_lf = |byte: &u8| if *byte == b'\r' { b'\n' } else { *byte };
    is_cr_text.then(|| bytes.iter().map(with_lf).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(encode).collect()
    }

    #[test]
    fn utf_16_is_decoded_with_and_without_a_byte_order_mark() {
        let text = "version 1.0\nmaterial Größe 🗺 grass.png\n";
        for encode in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in ["", "\u{feff}"] {
                let bytes = encoded(&format!("{mark}{text}"), encode);
                let (restored, problem) = restored(&bytes).unwrap();
                assert_eq!((&*restored, problem.rule), (text.as_bytes(), &UTF16));
            }
        }
    }

    #[test]
    fn utf_16_may_be_truncated_inside_a_character() {
        let bytes = encoded("num_materials 1 🗺", u16::to_le_bytes);
        for cut in 1..4 {
            let (text, _) = restored(&bytes[..bytes.len() - cut]).unwrap();
            let text = str::from_utf8(&text).unwrap();
            let rest = text.strip_prefix("num_materials 1 ").unwrap();
            assert!(!rest.is_empty() && rest.chars().all(|char| char == '\u{fffd}'));
        }
    }

    #[test]
    fn cr_line_ends_become_lf() {
        let (text, problem) = restored(b"version 1.0\rmaterial a b.png\r").unwrap();
        assert_eq!(&*text, b"version 1.0\nmaterial a b.png\n");
        assert_eq!(problem.rule, &LINE_ENDS);
    }

    #[test]
    fn binary_files_that_were_handled_as_text_are_named() {
        let bytes: Vec<u8> = (0..=255).collect();
        let latin_1: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        for text in [&*latin_1, &*String::from_utf8_lossy(&bytes)] {
            let problem = handled_as_text(text.as_bytes()).unwrap();
            assert_eq!(problem.rule, &UTF8);
        }
        let problem = handled_as_text(b"\0\r\n\xff\rx\r\n\r\n\0").unwrap();
        assert_eq!(problem.rule, &TEXT_MODE);
    }

    #[test]
    fn other_bytes_are_left_alone() {
        let text = "version 1.0\nnum_materials 1 Größe\n".as_bytes();
        let numbers: Vec<u8> = (1..200_u32).flat_map(u32::to_le_bytes).collect();
        let few = encoded("version 1.0", u16::to_le_bytes);
        let others: [&[u8]; 9] = [
            text,
            &numbers,
            &few,
            b"",
            b"\xff\xfe",
            &[0; 64],
            b"\0\n\xff\rx\n\n\0",
            b"\0\r\n\xffx\n\r\n",
            b"a\r\nb\r\n",
        ];
        for bytes in others {
            assert_eq!(restored(bytes), None, "{bytes:?}");
            assert_eq!(handled_as_text(bytes), None, "{bytes:?}");
        }
    }
}
