//! The lines at the head of a text: keys with what follows them, always in the same order.

use std::ops::Range;

use crate::Rule;
use crate::cursor::{Found, Text, Word, first_words};

/// How many lines behind an unknown one are looked at.
const LINES_AHEAD: usize = 32;

/// What the head of a format looks like.
#[derive(Debug)]
pub(super) struct HeadLayout {
    /// The key of each line, and the whole line as messages name it.
    pub lines: &'static [(&'static str, &'static str)],
    /// A line that is not in all files: whoever reads the head says that it is missing.
    pub optional: Option<usize>,
    /// A line with another key than its own.
    pub alias: Option<(&'static str, usize)>,
    /// What comes behind the last line, as messages name it.
    pub then: &'static str,
    /// Whether a word can only stand behind the head.
    pub is_behind: fn(&[u8]) -> bool,
    /// What lines break that are missing, out of order or unknown.
    pub rule: &'static Rule,
}

/// The head while it is read. What is wrong with the order of its lines is said, and those behind are read all
/// the same.
#[derive(Debug)]
pub(super) struct HeadLines {
    layout: &'static HeadLayout,
    next: usize,
    /// Whether the line before is unknown and stands for none.
    is_odd: bool,
}

/// A line of the head, of which the key was read.
pub(super) struct HeadLine<'a> {
    pub line: usize,
    pub key: Word<'a>,
    /// Whether the key is another, which was said: what else is wrong with the line says nothing more.
    pub is_misspelt: bool,
}

impl HeadLines {
    pub(super) fn new(layout: &'static HeadLayout) -> Self {
        Self {
            layout,
            next: 0,
            is_odd: false,
        }
    }

    /// Whether the last line was read.
    fn is_done(&self) -> bool {
        self.next == self.layout.lines.len()
    }

    /// Reads the key of the next line; none behind the head.
    pub(super) fn next<'a>(&mut self, text: &mut Text<'a>) -> Option<HeadLine<'a>> {
        let HeadLayout { lines, rule, .. } = self.layout;
        while let Some(key) = text.line_word() {
            if (self.layout.is_behind)(key.text) {
                text.unread(key);
                self.end(text, &key.into());
                return None;
            }
            if let Some(line) = self.line_of(key.text) {
                if line < self.next {
                    let expected = lines.get(self.next).map_or(self.layout.then, |line| line.1);
                    text.wrong(rule, key, expected);
                } else {
                    self.check_missing(text, self.next..line, &key.into());
                    self.next = line + 1;
                }
                self.is_odd = false;
                return Some(HeadLine {
                    line,
                    key,
                    is_misspelt: false,
                });
            }
            if self.is_done() {
                text.unread(key);
                return None;
            }
            let ahead = self.known_line_ahead(text);
            // One that may be absent is, where this line may as well stand for the one behind it.
            let may_be_absent = self.layout.optional == Some(self.next);
            let is_absent = may_be_absent && ahead.is_none_or(|ahead| ahead > self.next + 1);
            let line = self.next + usize::from(is_absent);
            if !std::mem::replace(&mut self.is_odd, true) {
                text.wrong(rule, key, lines[line].1);
            }
            if ahead != Some(line) {
                self.next = line + 1;
                self.is_odd = false;
                return Some(HeadLine {
                    line,
                    key,
                    is_misspelt: true,
                });
            }
            text.skip_line();
        }
        self.end(text, &text.file_ends());
        None
    }

    fn line_of(&self, key: &[u8]) -> Option<usize> {
        let mut lines = self.layout.lines.iter();
        let line = lines.position(|(name, _)| name.as_bytes() == key);
        let alias = self.layout.alias;
        let alias = alias.filter(|(name, _)| name.as_bytes() == key);
        line.or(alias.map(|(_, line)| line))
    }

    /// The first line with a known key behind the one that is read: an unknown line before the next one of the
    /// head is one too many, and otherwise stands for that.
    fn known_line_ahead(&self, text: &Text<'_>) -> Option<usize> {
        let lines = text.rest().split(|byte| *byte == b'\n').skip(1);
        let mut keys = lines
            .take(LINES_AHEAD)
            .filter_map(|line| first_words(line).next());
        keys.find_map(|key| self.line_of(key))
    }

    /// Ends the head before all its lines have come.
    fn end(&mut self, text: &mut Text<'_>, found: &Found<'_>) {
        let len = self.layout.lines.len();
        self.check_missing(text, self.next..len, found);
        self.next = len;
    }

    fn check_missing(&self, text: &mut Text<'_>, missing: Range<usize>, found: &Found<'_>) {
        for line in missing.filter(|line| self.layout.optional != Some(*line)) {
            let (_, expected) = self.layout.lines[line];
            text.wrong(self.layout.rule, found.clone(), expected);
        }
    }
}
