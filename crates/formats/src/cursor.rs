//! Text files of the Permafrost Engine, read word by word and line by line.

use std::borrow::Cow;
use std::fmt;

use super::problems::{Cause, Problems};
use super::text::BYTE_ORDER_MARK;
use super::{Message, Place, ReadError, Rule, counted, quoted};

/// Number of bytes of a line that the engine reads, including the line end.
pub(super) const ENGINE_LINE_BYTES: usize = 255;

/// The rules of a text format.
#[derive(Debug)]
pub(super) struct TextRules {
    /// A line of the header begins with a space; `None` if the engine skips the space.
    pub indented_line: Option<&'static Rule>,
    pub byte_order_mark: &'static Rule,
    pub blank_line: &'static Rule,
    /// A line has more words than are read.
    pub extra_words: &'static Rule,
    /// A line is too long for the engine.
    pub long_line: &'static Rule,
}

/// A text and a read position.
pub(super) struct Text<'a> {
    pub bytes: &'a [u8],
    pub pos: usize,
    /// Line number, from 1.
    pub line: u64,
    /// Offset of the first byte of the line.
    pub line_start: usize,
    pub problems: Problems,
    /// The first error that [`Text::wrong`] listed: the reason if nothing can be shown.
    pub first_error: Option<ReadError>,
    rules: &'static TextRules,
    /// `true` if a number with a decimal comma has been listed.
    has_decimal_comma: bool,
}

/// A word of the text and its position.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a [u8],
    pub start: usize,
    pub place: (u64, u32),
}

impl Word<'_> {
    /// Parses the word as a number.
    pub(super) fn number<T: std::str::FromStr>(&self) -> Option<T> {
        std::str::from_utf8(self.text).ok()?.parse().ok()
    }

    /// Parses the word as an unsigned integer of digits only.
    pub(super) fn count(&self) -> Option<u64> {
        // A number that does not fit is as absurd as the largest one that does.
        let is_number = self.text.iter().all(u8::is_ascii_digit);
        is_number.then(|| self.number().unwrap_or(u64::MAX))
    }

    /// Returns a part of the word.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Self {
        let (line, column) = self.place;
        Self {
            text: self.text.get(range.clone()).unwrap_or_default(),
            start: self.start + range.start,
            place: (line, column.saturating_add(range.start as u32)),
        }
    }
}

impl From<Word<'_>> for Place {
    fn from(word: Word<'_>) -> Self {
        word.place.into()
    }
}

impl From<(u64, u32)> for Place {
    fn from(line_and_column: (u64, u32)) -> Self {
        text_place(line_and_column, 0)
    }
}

/// The text found in place of something expected: a word, or the end of the line or file.
#[derive(Debug, Clone)]
pub(super) struct Found<'a> {
    pub place: Place,
    pub word: Option<&'a [u8]>,
    /// Text of messages about it, after the word if there is one.
    text: Cow<'static, str>,
}

impl<'a> From<Word<'a>> for Found<'a> {
    fn from(word: Word<'a>) -> Self {
        Self {
            place: word.into(),
            word: Some(word.text),
            text: "".into(),
        }
    }
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(word) = self.word {
            write!(f, "found {}", quoted(word))?;
        }
        f.write_str(&self.text)
    }
}

impl Found<'_> {
    /// Replaces the text after the word.
    pub(super) fn with(self, text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        Self { text, ..self }
    }

    /// Returns an error for a file that has this in place of `expected`.
    pub(super) fn error(&self, rule: &'static Rule, expected: impl fmt::Display) -> ReadError {
        ReadError::unreadable(rule, self.place, self, expected)
    }
}

/// Returns the place `index` characters after a line and column.
pub(super) fn text_place((line, column): (u64, u32), index: usize) -> Place {
    Place::Text {
        line,
        column: u64::from(column) + index as u64,
    }
}

/// `true` if a number in a word has a comma in place of the point.
pub(super) fn has_decimal_comma(word: &[u8]) -> bool {
    word.windows(3)
        .any(|around| matches!(around, [a, b',', b] if a.is_ascii_digit() && b.is_ascii_digit()))
}

/// Returns the first words of a file, which identify its format.
pub(super) fn first_words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let head = &bytes[..bytes.len().min(4096)];
    head.strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(head)
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

pub(super) fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], rules: &'static TextRules) -> Self {
        Self {
            bytes,
            pos: 0,
            line: 1,
            line_start: 0,
            problems: Problems::new(),
            first_error: None,
            rules,
            has_decimal_comma: false,
        }
    }

    /// Line and column of the read position.
    pub(super) fn place(&self) -> (u64, u32) {
        let column = self.pos - self.line_start + 1;
        (self.line, u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The unread rest of the text.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// Skips spaces and, if `lines` is set, line ends.
    pub(super) fn skip_separators(&mut self, lines: bool) {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'\n' if lines => self.skip_line_end(),
                b' ' | b'\t' | b'\r' => self.pos += 1,
                _ => break,
            }
        }
    }

    /// Skips the line feed at the read position.
    pub(super) fn skip_line_end(&mut self) {
        self.pos += 1;
        self.check_line_length();
        self.line += 1;
        self.line_start = self.pos;
    }

    /// Warns of a line that is too long for the engine. Must be called at the end of the line.
    pub(super) fn check_line_length(&mut self) {
        let bytes = self.pos - self.line_start;
        if bytes > ENGINE_LINE_BYTES {
            let place = text_place((self.line, 1), ENGINE_LINE_BYTES);
            self.report(self.rules.long_line, place, || {
                format!(
                    "line of {bytes} bytes; the engine reads at most {ENGINE_LINE_BYTES}, \
                     including the line end"
                )
            });
        }
    }

    /// Reads the next word of this line or, if `lines` is set, of a later one.
    pub(super) fn word(&mut self, lines: bool) -> Option<Word<'a>> {
        self.skip_separators(lines);
        let (start, place) = (self.pos, self.place());
        let rest = self.rest();
        let len = rest
            .iter()
            .position(|byte| is_separator(*byte))
            .unwrap_or(rest.len());
        self.pos += len;
        (len > 0).then(|| Word {
            text: &rest[..len],
            start,
            place,
        })
    }

    /// Reads the first word of the next header line that is not blank. The engine expects it in the
    /// first column.
    pub(super) fn line_word(&mut self) -> Option<Word<'a>> {
        let word = self.indented_line_word()?;
        if let Some(rule) = self.rules.indented_line
            && word.start != self.line_start
            && !self.has_mark_before(word)
        {
            self.warn(
                rule,
                (self.line, 1),
                "space at the beginning of the line; the engine refuses it",
            );
        }
        Some(word)
    }

    /// `true` if only a byte order mark precedes the word on its line.
    fn has_mark_before(&self, word: Word<'_>) -> bool {
        self.line_start == 0 && self.bytes[..word.start] == *BYTE_ORDER_MARK
    }

    /// Reads the first word of the next header line that is not blank, in any column.
    pub(super) fn indented_line_word(&mut self) -> Option<Word<'a>> {
        let blank_from = self.line;
        let at_file_start = self.pos == 0;
        if at_file_start && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.pos = BYTE_ORDER_MARK.len();
            self.warn(
                self.rules.byte_order_mark,
                (1, 1),
                "byte order mark at the beginning of the file; the engine refuses it",
            );
        }
        let word = self.word(true)?;
        if self.line != blank_from {
            self.warn(
                self.rules.blank_line,
                (blank_from, 1),
                "blank line in the header; the engine stops here",
            );
        }
        Some(word)
    }

    /// Reads the rest of the line, without spaces around it.
    pub(super) fn words(&mut self) -> Option<Word<'a>> {
        self.skip_separators(false);
        let (start, place) = (self.pos, self.place());
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        let last = line.iter().rposition(|byte| !is_separator(*byte))?;
        self.pos += last + 1;
        Some(Word {
            text: &line[..=last],
            start,
            place,
        })
    }

    /// Ends a line that is read completely; warns of further words.
    pub(super) fn end_line(&mut self) {
        if let Some(extra) = self.word(false) {
            self.warn_extra_words(extra.place);
        }
        self.skip_line();
    }

    /// Warns of unread words on a line.
    pub(super) fn warn_extra_words(&mut self, at: impl Into<Place>) {
        let message = "extra words on the line; they are ignored";
        self.warn(self.rules.extra_words, at, message);
    }

    /// Moves to the beginning of the next line.
    pub(super) fn skip_line(&mut self) {
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.pos += end.unwrap_or(rest.len());
        if end.is_some() {
            self.skip_line_end();
        }
    }

    /// Skips lines until `begins` accepts one as the beginning of a record. The skipped lines are
    /// one problem, at the first unexpected word. It is the cause of all problems until another
    /// cause is set.
    pub(super) fn skip_to<'f>(
        &mut self,
        rule: &'static Rule,
        found: impl Into<Found<'f>>,
        expected: &str,
        begins: impl Fn(&[u8]) -> bool,
    ) {
        self.wrong(rule, found, expected);
        self.problems.cause = self.problems.cause.or(self.problems.last());
        while !self.rest().is_empty() {
            let line = self.rest().split(|byte| *byte == b'\n').next();
            if line.is_some_and(&begins) {
                break;
            }
            self.skip_line();
        }
    }

    /// Moves forward to a position.
    pub(super) fn advance_to(&mut self, pos: usize) {
        while self.pos < pos {
            match self.bytes.get(self.pos) {
                Some(b'\n') => self.skip_line_end(),
                _ => self.pos += 1,
            }
        }
    }

    /// Lists a problem at a place.
    pub(super) fn report<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: impl Into<Place>,
        message: impl FnOnce() -> M,
    ) {
        self.problems.add(rule, at.into(), message);
    }

    /// [`Text::report`] with a constant message.
    pub(super) fn warn(&mut self, rule: &'static Rule, at: impl Into<Place>, message: &str) {
        self.report(rule, at, || message.to_owned());
    }

    /// Lists something unexpected.
    pub(super) fn wrong<'f>(
        &mut self,
        rule: &'static Rule,
        found: impl Into<Found<'f>>,
        expected: &str,
    ) {
        self.wrong_after(None, rule, found, expected);
    }

    /// [`Text::wrong`] for a consequence of another problem, if there is one.
    pub(super) fn wrong_after<'f>(
        &mut self,
        cause: Option<Cause>,
        rule: &'static Rule,
        found: impl Into<Found<'f>>,
        expected: &str,
    ) {
        let found = found.into();
        self.first_error
            .get_or_insert_with(|| found.error(rule, expected));
        self.report_after(cause, rule, found.place, || {
            format!("{found}; expected {expected}")
        });
    }

    /// [`Text::report`] for a consequence of another problem, if there is one.
    pub(super) fn report_after<M: Into<Message>>(
        &mut self,
        cause: Option<Cause>,
        rule: &'static Rule,
        at: impl Into<Place>,
        message: impl FnOnce() -> M,
    ) {
        let subject = self.problems.subject;
        self.problems
            .add_consequence(cause, rule, subject, at.into(), message);
    }

    /// [`Text::report`] for one of several problems that a program writes for the same reason, such
    /// as NaN: the first one is the problem, and the others are its consequences.
    pub(super) fn report_grouped<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: impl Into<Place>,
        message: impl FnOnce() -> M,
    ) {
        let subject = self.problems.subject;
        self.problems
            .add_grouped((), rule, subject, at.into(), message);
    }

    /// The end of the line, found at the read position.
    pub(super) fn found_line_end(&self) -> Found<'static> {
        Found {
            place: self.place().into(),
            word: None,
            text: "the line ends".into(),
        }
    }

    /// The end of the file, found at the read position.
    pub(super) fn found_file_end(&self) -> Found<'static> {
        self.found_line_end().with(if self.bytes.is_empty() {
            "the file is empty"
        } else {
            "the file ends"
        })
    }

    /// Lists a number with a decimal comma, as locale-dependent programs write it. The first one is
    /// the problem and reports the count in the whole file; the others are its consequences.
    pub(super) fn report_decimal_comma(
        &mut self,
        rule: &'static Rule,
        found: Found<'_>,
        lost: &str,
    ) {
        let is_first = !std::mem::replace(&mut self.has_decimal_comma, true);
        let count = if is_first {
            self.count_decimal_commas()
        } else {
            1
        };
        let found = found.with(match count {
            0 | 1 => ", which has a decimal comma".into(),
            count => Cow::from(format!(", one of {count} numbers with a decimal comma")),
        });
        let expected = format!("a decimal point; {lost}");
        self.first_error
            .get_or_insert_with(|| found.error(rule, &expected));
        self.report_grouped(rule, found.place, || {
            format!("{found}; expected {expected}")
        });
    }

    /// Counts the numbers with a decimal comma in the whole text. Other words with such a comma,
    /// such as names, do not count.
    fn count_decimal_commas(&self) -> usize {
        let words = self
            .bytes
            .split(|byte| is_separator(*byte) || *byte == b'/');
        let with_comma = words.filter(|word| has_decimal_comma(word));
        let is_number = |word: &&[u8]| {
            let word = String::from_utf8_lossy(word).replace(',', ".");
            word.parse::<f32>().is_ok()
        };
        with_comma.filter(is_number).count()
    }

    /// Lists data after the last record, or a last line without a line end.
    pub(super) fn check_end(
        &mut self,
        trailing_data: &'static Rule,
        last_line: &'static Rule,
        after: &str,
        is_line_ended: bool,
    ) {
        let rest = self.rest();
        if !rest.is_empty() {
            self.report(trailing_data, self.place(), || {
                let (bytes, rest) = (counted(rest.len(), "byte"), quoted(rest));
                format!("{bytes} after {after}, beginning with {rest}; ignored")
            });
        } else if !is_line_ended {
            let message = "missing line feed after the last line; the engine refuses the file";
            self.warn(last_line, self.place(), message);
        }
    }

    /// Moves back to the beginning of a word.
    pub(super) fn unread(&mut self, word: Word<'_>) {
        // A word is on a single line: the current one.
        self.pos = word.start;
    }

    /// `true` if the first word of the next line is `key`.
    pub(super) fn next_line_is(&self, key: &[u8]) -> bool {
        self.next_word() == Some(key)
    }

    /// Returns the first word of the next line that is not blank, without reading it.
    pub(super) fn next_word(&self) -> Option<&'a [u8]> {
        let mut words = self.rest().split(|byte| is_separator(*byte));
        words.find(|word| !word.is_empty())
    }
}
