//! Spelling of the lines of a scene.

use std::collections::BTreeMap;

/// The lines of a file that the writer would spell differently, so that an unchanged file is
/// written byte for byte.
///
/// A value has many spellings, such as `3.25` and `3.250000`. The data has only the value; this
/// type keeps the spelling, together with the line that the writer would have produced. If the
/// writer still produces that line, nothing has changed, and the original spelling is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// `true` if lines end in CR LF.
    pub crlf: bool,
    /// The file has neither a head nor the first lines of sections.
    pub(super) is_older: bool,
    /// Line of `num_sections`, from 1.
    pub(super) num_sections_line: u64,
    /// By line, from 1.
    spellings: BTreeMap<u64, Spelling>,
}

/// `true` if a line has the number of entries that the writer would put there, or has no such
/// number.
fn announces_the_same(plain: &str, found: &[u8]) -> bool {
    let words: Vec<&str> = plain.split_ascii_whitespace().collect();
    let [key, .., count] = words[..] else {
        return true;
    };
    let is_head = matches!(key, "entity" | "region" | "constructor_arguments" | "tags");
    if !is_head && !key.starts_with("num_") {
        return true;
    }
    let found = String::from_utf8_lossy(found);
    let announced = found.split_ascii_whitespace().nth(words.len() - 1);
    announced.and_then(|word| word.parse::<u64>().ok()) == count.parse().ok()
}

/// A line in two spellings, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spelling {
    /// The writer's spelling.
    plain: String,
    /// The spelling in the file.
    found: Box<[u8]>,
}

impl Layout {
    /// Creates a layout without known lines; only the line end is taken from the file.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        Self {
            crlf: end.is_some_and(|end| bytes[..end].ends_with(b"\r")),
            ..Self::default()
        }
    }

    /// Keeps the spelling of a line if it differs from the writer's. A line with a wrong number of
    /// entries is not kept: written unchanged, its entries would be read differently. A blank line
    /// belongs to another line.
    pub(super) fn keep(&mut self, line: u64, plain: String, found: &[u8]) {
        let is_other = plain.as_bytes() != found && !found.trim_ascii().is_empty();
        if is_other && announces_the_same(&plain, found) {
            let found = found.into();
            self.spellings.insert(line, Spelling { plain, found });
        }
    }

    /// Returns a line in its original spelling if its content is unchanged.
    #[cfg(feature = "write")]
    pub(super) fn spelt<'a>(&'a self, line: u64, plain: &'a str) -> &'a [u8] {
        match self.spellings.get(&line) {
            Some(spelling) if spelling.plain == plain => &spelling.found,
            _ => plain.as_bytes(),
        }
    }
}
