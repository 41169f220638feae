//! How lines of a scene are spelt.

use std::collections::BTreeMap;

/// The lines of a file that the writer would write otherwise, by which a file comes out as it was.
///
/// A value may be spelt in many ways, such as `3.25` and `3.250000`. Data has the value alone; the
/// spelling is kept here, with what the writer would have written. Where that is still what it would
/// write, nothing has been changed, and the line is written as it stood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Whether lines end in CR LF.
    pub crlf: bool,
    /// The file has neither a head nor the first lines of sections.
    pub(super) is_older: bool,
    /// Line of `num_sections`, from 1.
    pub(super) num_sections_line: u64,
    /// By line, from 1.
    spellings: BTreeMap<u64, Spelling>,
}

/// Whether a line has the number of entries that the writer would put there; so has one without any.
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
    /// As the writer would write it.
    plain: String,
    /// As it stands in the file.
    found: Box<[u8]>,
}

impl Layout {
    /// The layout of a file of which no line is known, but how lines end.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        Self {
            crlf: end.is_some_and(|end| bytes[..end].ends_with(b"\r")),
            ..Self::default()
        }
    }

    /// Keeps the spelling of a line if it is not the writer's, unless it announces another number of
    /// entries than there are: written so, they would be read as others. What is blank is another line.
    pub(super) fn keep(&mut self, line: u64, plain: String, found: &[u8]) {
        let is_other = plain.as_bytes() != found && !found.trim_ascii().is_empty();
        if is_other && announces_the_same(&plain, found) {
            let found = found.into();
            self.spellings.insert(line, Spelling { plain, found });
        }
    }

    /// A line, with the spelling that it had in the file if it says the same.
    #[cfg(feature = "write")]
    pub(super) fn spelt<'a>(&'a self, line: u64, plain: &'a str) -> &'a [u8] {
        match self.spellings.get(&line) {
            Some(spelling) if spelling.plain == plain => &spelling.found,
            _ => plain.as_bytes(),
        }
    }
}
