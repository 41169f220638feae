//! What the readers of text formats share.

/// How many characters of a file a message quotes at most.
const QUOTED_CHARS: usize = 40;
/// The same of a path: as many as a line of the Permafrost Engine has.
const QUOTED_PATH_CHARS: usize = 255;

/// What some editors put before the first character of a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text between backticks, as messages quote it: cut after 40 characters, with escapes for
/// whatever cannot be printed. Costs the same whatever the length of `text`.
pub fn quoted(text: &[u8]) -> String {
    quoted_to(text, QUOTED_CHARS)
}

/// The same for a path, which says little while its end is cut off: cut after 255 characters.
pub fn quoted_path(path: &str) -> String {
    quoted_to(path.as_bytes(), QUOTED_PATH_CHARS)
}

fn quoted_to(text: &[u8], max_chars: usize) -> String {
    // No character is longer than four bytes.
    let head = &text[..text.len().min(4 * max_chars)];
    let mut quoted = String::from("`");
    let mut chars = 0;
    // Escapes count as what is seen of them, or a text of nothing else would be many lines long.
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
            if c.is_control() || c == '\u{feff}' {
                push(&c.escape_default().to_string())
            } else {
                push(c.encode_utf8(&mut buffer))
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

/// Says of the number of an entry that the list, which has so many, does not have it. `what` is
/// the name of an entry.
pub(super) fn outside(what: &str, count: u64) -> String {
    match count {
        0 => "but the list is empty".to_owned(),
        1 => format!("but the list has only {what} 0"),
        _ => format!("but the list ends at {}", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

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
