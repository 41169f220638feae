//! Helpers for the readers of text formats, and the display of text from files and file names.

use std::borrow::Cow;

/// Maximum number of characters that a message quotes from a file.
const QUOTED_CHARS: usize = 40;
/// Maximum number of characters of a quoted path: the length of a line of the Permafrost Engine.
const QUOTED_PATH_CHARS: usize = 255;

/// The mark that some editors put before the first character of a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Formats bytes for messages: `04 22 4d 18`.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

/// `true` if a character is shown unescaped. All others are escaped: control characters, line and
/// paragraph separators, and format characters that are invisible or change the direction of text.
/// The two joiners are shown, since Persian words and emoji contain them.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Escapes text from a file or a file name to a single line. The result cannot control a terminal,
/// start a new log line or hide its content. All such text that reaches a terminal, a log, a window
/// title or an annotation goes through here or through [`quoted`].
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_printable(c) {
            clean.push(c);
        } else {
            clean.extend(c.escape_default());
        }
    }
    clean.into()
}

/// Quotes text between backticks for messages: cut after 40 characters, with escapes for characters
/// that cannot be printed. The cost does not depend on the length of `text`.
pub fn quoted(text: &[u8]) -> String {
    quoted_to(text, QUOTED_CHARS)
}

/// [`quoted`] for a path, which is of little use without its end: cut after 255 characters.
pub fn quoted_path(path: &str) -> String {
    quoted_to(path.as_bytes(), QUOTED_PATH_CHARS)
}

fn quoted_to(text: &[u8], max_chars: usize) -> String {
    // A character has at most four bytes.
    let head = &text[..text.len().min(4 * max_chars)];
    let mut quoted = String::from("`");
    let mut chars = 0;
    // Escapes count in their printed length, or a text of only escapes would fill many lines.
    let mut push = |shown: &str| {
        chars += shown.chars().count();
        let has_room = chars <= max_chars;
        if has_room {
            quoted.push_str(shown);
        }
        has_room
    };
    let is_whole = head.utf8_chunks().all(|chunk| {
        let mut buffer = [0; 4];
        chunk.valid().chars().all(|c| {
            if is_printable(c) {
                push(c.encode_utf8(&mut buffer))
            } else {
                push(&c.escape_default().to_string())
            }
        }) && chunk
            .invalid()
            .iter()
            .all(|byte| push(&format!("\\x{byte:02x}")))
    });
    let cut = !is_whole || head.len() < text.len();
    quoted.push_str(if cut { "...`" } else { "`" });
    quoted
}

/// Describes an index outside a list of `count` entries. `what` is the noun of an entry.
pub(super) fn outside(what: &str, count: u64) -> String {
    match count {
        0 => "but the list is empty".to_owned(),
        1 => format!("but the list has only {what} 0"),
        _ => format!("but the list ends at {}", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::{printable, quoted};

    #[test]
    fn text_that_drives_a_terminal_or_hides_is_escaped() {
        for (text, shown) in [
            ("größe 日本 🗺\u{fe0f} \u{200c}\u{200d}", None),
            (
                "a\u{1b}[2Jb\r\n\u{7}\u{9b}",
                Some(r"a\u{1b}[2Jb\r\n\u{7}\u{9b}"),
            ),
            ("\n::error::x", Some(r"\n::error::x")),
            (
                "a\u{202e}b\u{2066}\u{200f}\u{61c}",
                Some(r"a\u{202e}b\u{2066}\u{200f}\u{61c}"),
            ),
            (
                "\u{2028}\u{2029}\u{200b}",
                Some(r"\u{2028}\u{2029}\u{200b}"),
            ),
        ] {
            assert_eq!(printable(text), shown.unwrap_or(text));
            assert_eq!(
                quoted(text.as_bytes()),
                format!("`{}`", shown.unwrap_or(text))
            );
        }
    }

    #[test]
    fn what_is_quoted_is_short_and_printable() {
        assert_eq!(quoted(b"grass.png"), "`grass.png`");
        assert_eq!(quoted("Käse".as_bytes()), "`Käse`");
        assert_eq!(quoted(b"a\0b\xff\x1b"), "`a\\u{0}b\\xff\\u{1b}`");
        assert_eq!(quoted(&[b'7'; 40]), format!("`{}`", "7".repeat(40)));
        assert_eq!(
            quoted(&vec![b'7'; 5 << 20]),
            format!("`{}...`", "7".repeat(40))
        );
        assert_eq!(quoted(&[0xff; 41]), format!("`{}...`", "\\xff".repeat(10)));
    }
}
