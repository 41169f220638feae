//! Parser for `SDLang` and for XDL, its extension, which the engine writes today. XDL adds integers
//! in other bases, texts in apostrophes, more comments and ISO dates (its specification is the
//! engine's parser, newsdlang).

use super::nesting::Tags;
use super::{At, Attribute, Tag, Value};
use crate::nesting::{BracketRepair, MAX_INDENT, Stack};
use crate::ppe::rules;
use crate::text::BYTE_ORDER_MARK;
use crate::{Cause, Message, Place, Problems, Rule, base64, quoted};

/// Maximum nesting depth of tags.
const MAX_DEPTH: usize = 64;
/// Maximum number of tags. Real maps have some hundreds.
const MAX_TAGS: usize = 1 << 19;
/// Maximum number of values and attributes.
const MAX_VALUES: usize = 1 << 21;
/// Maximum number of values and attributes whose positions are kept; the first ones win.
const MAX_PLACES: usize = 1 << 16;

/// The namespace of layers.
const LAYER: &str = "Layer";

/// Delimiters of a multi-line text in XDL.
const SCOPE_BEGIN: &[u8] = b"q{\"";
const SCOPE_END: &[u8] = b"\"}";

/// The result of parsing a text.
#[derive(Debug, Default)]
pub(in crate::ppe) struct Text {
    /// The tags, without a last one that is truncated before its brace.
    pub tags: Vec<Tag>,
    /// `true` if later tags were not read.
    pub is_cut: bool,
}

/// Reads all tags of a text. Unreadable parts are reported and omitted. If the braces are
/// unbalanced, the text is parsed again to find where they belong. `begin` creates the initial list
/// of problems.
pub(in crate::ppe) fn read(text: &[u8], begin: impl Fn() -> Problems) -> (Text, Problems) {
    let read = |stack| {
        let start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let mut reader = Reader {
            text,
            pos: start,
            line: 1,
            line_start: start,
            tags_left: MAX_TAGS,
            values_left: MAX_VALUES,
            places_left: MAX_PLACES,
            problems: begin(),
            fault: None,
            unread: Vec::new(),
            stack,
            damage: None,
            is_unbalanced: false,
            cut: None,
        };
        let tags = reader.tags();
        let is_cut = reader.cut.is_some();
        let text = Text { tags, is_cut };
        (reader.is_unbalanced, (text, reader.problems))
    };
    let (is_unbalanced, plain) = read(None);
    if !is_unbalanced {
        return plain;
    }
    // Dropped first, to avoid holding both results in memory.
    drop(plain);
    read(Some(Stack::new())).1
}

struct Reader<'a> {
    text: &'a [u8],
    pos: usize,
    line: u32,
    line_start: usize,
    tags_left: usize,
    values_left: usize,
    places_left: usize,
    problems: Problems,
    /// The first fault in the current tag.
    fault: Option<Cause>,
    /// Positions of unreadable values after the last value of the current tag.
    unread: Vec<At>,
    /// Present if braces are unbalanced; decides where tags belong.
    stack: Option<Stack>,
    /// The brace fault since the last layer began. Later brace faults follow from it.
    damage: Option<Cause>,
    is_unbalanced: bool,
    /// Reason the rest is not read.
    cut: Option<Cause>,
}

/// End of a tag.
enum TagEnd {
    /// At the end of its line or at a semicolon.
    Done,
    /// At the end of the text.
    WithText,
    /// At a brace, which opens its child tags.
    Open,
}

/// Adds a complete tag to its siblings. If nothing of the tag itself was readable, only its
/// children are added.
fn close(tag: Tag, siblings: &mut Vec<Tag>) {
    if is_unreadable(&tag) {
        siblings.extend(tag.children);
    } else {
        siblings.push(tag);
    }
}

/// Returns `true` if nothing of the tag itself was readable.
fn is_unreadable(tag: &Tag) -> bool {
    tag.name.is_empty()
        && tag.namespace.is_empty()
        && tag.values.is_empty()
        && tag.attributes.is_empty()
}

/// The list that the next tag belongs to.
fn siblings<'t>(roots: &'t mut Vec<Tag>, open: &'t mut [Tag]) -> &'t mut Vec<Tag> {
    open.last_mut().map_or(roots, |tag| &mut tag.children)
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn continues_name(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'$')
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn at(&self) -> At {
        self.at_pos(self.pos)
    }

    /// The position of a byte on the current line.
    fn at_pos(&self, pos: usize) -> At {
        let column = pos.saturating_sub(self.line_start) + 1;
        At {
            line: self.line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// Reports a fault in a tag. Later faults in the tag follow from it.
    #[cold]
    fn syntax<M: Into<Message>>(&mut self, at: At, message: impl FnOnce() -> M) {
        self.fault = self.add_after(self.fault, &rules::SYNTAX, at, message);
    }

    /// Reports a missing or surplus brace. Later brace faults follow from it.
    #[cold]
    fn brace<M: Into<Message>>(&mut self, at: At, message: impl FnOnce() -> M) {
        self.damage = self.add_after(self.damage, &rules::SYNTAX, at, message);
    }

    /// Reports an unexpected end of the text and that the rest is not read.
    #[cold]
    fn report_truncated<M: Into<Message>>(&mut self, at: At, message: impl FnOnce() -> M) {
        self.cut = self.add_after(self.fault, &rules::TEXT_TRUNCATED, at, message);
    }

    /// Reports a problem as a consequence of another, if there is one. Returns the cause for later
    /// ones.
    fn add_after<M: Into<Message>>(
        &mut self,
        cause: Option<Cause>,
        rule: &'static Rule,
        at: At,
        message: impl FnOnce() -> M,
    ) -> Option<Cause> {
        let subject = self.problems.subject;
        self.problems
            .add_consequence(cause, rule, subject, at.into(), message);
        cause.or(self.problems.last()).or(self.problems.cause)
    }

    /// The column, if only white space precedes it on its line.
    fn line_column(&self) -> Option<u32> {
        let before = self.text.get(self.line_start..self.pos)?;
        let is_first = before.len() <= MAX_INDENT && before.iter().all(u8::is_ascii_whitespace);
        is_first.then(|| self.at().column)
    }

    /// Skips bytes and counts the lines in them.
    fn skip(&mut self, bytes: usize) {
        let end = self.text.len().min(self.pos.saturating_add(bytes));
        let skipped = self.text.get(self.pos..end).unwrap_or_default();
        for (i, byte) in skipped.iter().enumerate() {
            if *byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.line_start = self.pos + i + 1;
            }
        }
        self.pos = end;
    }

    /// Skips to the end of the line.
    fn skip_line(&mut self) {
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.pos += end.unwrap_or(rest.len());
    }

    /// Takes one position from the budget. Returns `true` if it may be kept.
    fn reserve_place(&mut self) -> bool {
        let left = self.places_left.checked_sub(1);
        self.places_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Skips spaces, comments and escaped line ends.
    fn skip_spaces(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r', ..] => self.pos += 1,
                [b'/', b'/', ..] | [b'-', b'-', ..] | [b'#', ..] => self.skip_line(),
                [b'/', b'*', ..] => self.skip_comment(*b"*/"),
                [b'/', b'+', ..] => self.skip_comment(*b"+/"),
                [b'\\', after @ ..] => {
                    let blank = after
                        .iter()
                        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
                        .count();
                    if after.get(blank) != Some(&b'\n') {
                        return;
                    }
                    self.skip(blank + 2);
                }
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self, end: [u8; 2]) {
        let at = self.at();
        let inside = self.rest().get(2..).unwrap_or_default();
        if let Some(len) = inside.windows(2).position(|pair| pair == end) {
            self.skip(len + 4);
        } else {
            self.skip(self.text.len());
            let end = quoted(&end);
            self.report_truncated(at, || format!("comment not closed; expected {end}"));
        }
    }

    fn tags(&mut self) -> Vec<Tag> {
        let mut roots = Vec::new();
        let mut open: Vec<Tag> = Vec::new();
        // Number of open braces below the maximum depth.
        let mut too_deep = 0_usize;
        loop {
            self.skip_spaces();
            let at = self.at();
            let Some(byte) = self.peek() else {
                break;
            };
            let column = self.line_column();
            match byte {
                b'\n' | b';' => self.skip(1),
                b'}' => {
                    if too_deep > 0 {
                        too_deep -= 1;
                    } else {
                        self.close(at, column, &mut roots, &mut open);
                    }
                    self.pos += 1;
                }
                b'{' if too_deep == 0 && open.len() < MAX_DEPTH => {
                    self.pos += 1;
                    self.open_stray_brace(at, &mut roots, &mut open);
                }
                _ => {
                    if self.tags_left == 0 || self.values_left == 0 {
                        self.problems.add(&rules::LIMIT, at.into(), || {
                            format!(
                                "more than {MAX_TAGS} tags or {MAX_VALUES} values; the rest is \
                                 ignored"
                            )
                        });
                        self.cut = self.problems.last().or(self.problems.cause);
                        break;
                    }
                    self.tags_left -= 1;
                    let (tag, end) = self.tag();
                    if too_deep > 0 {
                        too_deep += usize::from(matches!(end, TagEnd::Open));
                    } else if self.add(tag, &end, column, &mut roots, &mut open) {
                        too_deep = 1;
                    }
                }
            }
        }
        self.end(&mut open);
        while let Some(tag) = open.pop() {
            close(tag, siblings(&mut roots, &mut open));
        }
        roots
    }

    /// Adds a tag to its parent. Returns `true` if its children are too deep to be read.
    fn add(
        &mut self,
        mut tag: Tag,
        end: &TagEnd,
        column: Option<u32>,
        roots: &mut Vec<Tag>,
        open: &mut Vec<Tag>,
    ) -> bool {
        // A tag that is truncated by the end of the text may lack anything.
        let is_last = matches!(end, TagEnd::WithText);
        if is_last && (!open.is_empty() || self.cut.is_some()) {
            return false;
        }
        // A new layer ends the effect of earlier brace faults.
        if tag.namespace == LAYER && open.is_empty() {
            self.damage = None;
        }
        let is_open = matches!(end, TagEnd::Open);
        let mut name = tag.name_in_file().into_bytes();
        if name.is_empty() && is_open {
            // A nameless tag with children is unknown.
            name.push(b' ');
        }
        if let Some(stack) = &self.stack {
            match stack.before_node(&name, column, &Tags) {
                BracketRepair::Fits | BracketRepair::Skip => {}
                BracketRepair::Close(count) => {
                    self.close_unclosed(count, &tag.title(), tag.at, roots, open);
                }
                BracketRepair::Reopen(count) => {
                    self.reopen(count, &tag.title(), tag.at, roots, open);
                }
                BracketRepair::Begin(lost) => self.begin(lost, &tag.title(), tag.at, open),
            }
        }
        if let Some(stack) = &mut self.stack {
            stack.open(&name, column, &Tags);
        }
        let depth = open.len();
        if is_open && depth < MAX_DEPTH {
            open.push(tag);
            return false;
        }
        if let Some(stack) = &mut self.stack {
            stack.close();
        }
        if is_open {
            self.problems.add(&rules::LIMIT, tag.at.into(), || {
                format!("tags nested more than {MAX_DEPTH} deep; those inside this one are ignored")
            });
        }
        tag.is_open = is_last;
        let siblings = siblings(roots, open);
        if is_last {
            siblings.push(tag);
        } else {
            close(tag, siblings);
        }
        is_open
    }

    /// Closes the tag that a brace belongs to.
    fn close(&mut self, at: At, column: Option<u32>, roots: &mut Vec<Tag>, open: &mut Vec<Tag>) {
        let settle = match (&mut self.stack, column) {
            (Some(stack), Some(column)) => stack.before_end(column),
            _ => BracketRepair::Fits,
        };
        match settle {
            BracketRepair::Close(count) => self.close_unclosed(count, "`}`", at, roots, open),
            BracketRepair::Reopen(count) => self.reopen(count, "`}`", at, roots, open),
            BracketRepair::Skip => {
                self.brace(at, || {
                    Message::read("found `}`, but no tag begins at its column", "without it")
                });
                return;
            }
            BracketRepair::Fits | BracketRepair::Begin(_) => {}
        }
        if let Some(tag) = open.pop() {
            close(tag, siblings(roots, open));
            if let Some(stack) = &mut self.stack {
                stack.close();
            }
        } else {
            self.is_unbalanced = true;
            self.brace(at, || {
                Message::read("found `}`, but no tag is open", "without it")
            });
        }
    }

    /// Closes tags whose closing braces are missing before `next`.
    fn close_unclosed(
        &mut self,
        count: usize,
        next: &str,
        at: At,
        roots: &mut Vec<Tag>,
        open: &mut Vec<Tag>,
    ) {
        if let Some(tag) = open.last() {
            let (inside, begin) = (tag.title(), Place::from(tag.at));
            self.brace(at, || {
                let braces = "}".repeat(count);
                Message::read_as_expected(format!(
                    "found {next} inside {inside}, opened at {begin}; expected `{braces}` \
                     before it"
                ))
            });
        }
        for _ in 0..count {
            let Some(mut tag) = open.pop() else { break };
            tag.places.set_fault(self.damage);
            close(tag, siblings(roots, open));
            if let Some(stack) = &mut self.stack {
                stack.close();
            }
        }
    }

    /// Reopens the last closed tags.
    fn reopen(
        &mut self,
        count: usize,
        next: &str,
        at: At,
        roots: &mut Vec<Tag>,
        open: &mut Vec<Tag>,
    ) {
        for _ in 0..count {
            let Some(tag) = siblings(roots, open).pop() else {
                break;
            };
            open.push(tag);
            if let Some(stack) = &mut self.stack {
                stack.reopen();
            }
        }
        let Some(tag) = open.last_mut() else { return };
        let (of, begin, has_tags) = (tag.title(), Place::from(tag.at), !tag.children.is_empty());
        self.brace(at, || {
            let brace = if has_tags {
                "expected one `}` less before it"
            } else {
                "expected `{` after it"
            };
            Message::read_as_expected(format!("found {next} outside {of} of {begin}; {brace}"))
        });
        tag.places.set_fault(self.damage);
    }

    /// Inserts a tag whose line is missing.
    fn begin(&mut self, lost: &'static str, next: &str, at: At, open: &mut Vec<Tag>) {
        self.brace(at, || {
            Message::read_as_expected(format!(
                "found {next} outside its tag; expected a tag such as `{lost}` with `{{` before \
                 it"
            ))
        });
        let (namespace, name) = lost.split_once(':').unwrap_or(("", lost));
        let mut tag = Tag::new(namespace, name, []);
        tag.at = at;
        tag.places.set_fault(self.damage);
        open.push(tag);
        if let Some(stack) = &mut self.stack {
            stack.open(lost.as_bytes(), None, &Tags);
        }
    }

    /// Reports a brace without a tag. It is treated as the brace of the previous tag, if that has
    /// no children.
    fn open_stray_brace(&mut self, at: At, roots: &mut Vec<Tag>, open: &mut Vec<Tag>) {
        self.brace(at, || {
            "found `{`; expected a tag before it on its line".to_owned()
        });
        let siblings = siblings(roots, open);
        if let Some(mut tag) = siblings.pop_if(|tag| tag.children.is_empty()) {
            tag.places.set_fault(self.damage);
            if let Some(stack) = &mut self.stack {
                stack.reopen();
            }
            open.push(tag);
        }
    }

    /// Reports that the text ends inside open tags, and marks these.
    fn end(&mut self, open: &mut [Tag]) {
        self.is_unbalanced |= !open.is_empty();
        if let (Some(tag), None) = (open.last(), self.cut) {
            let (title, begin) = (tag.title(), Place::from(tag.at));
            let inside = match open.len() {
                1 => format!("{title}, opened at {begin}"),
                count => format!("{count} tags, the innermost {title}, opened at {begin}"),
            };
            let (at, cause) = (self.at(), self.damage.or(self.fault));
            let message = || format!("the text ends inside {inside}; expected `}}`");
            self.cut = self.add_after(cause, &rules::TEXT_TRUNCATED, at, message);
        }
        for tag in open {
            tag.is_open = true;
            tag.places.set_fault(self.cut);
        }
    }

    /// Reads a tag up to its end.
    fn tag(&mut self) -> (Tag, TagEnd) {
        self.fault = None;
        self.unread.clear();
        let mut tag = Tag {
            at: self.at(),
            ..Tag::default()
        };
        let mut is_first = true;
        let end = loop {
            self.skip_spaces();
            let at = self.at();
            match self.peek() {
                None => break TagEnd::WithText,
                Some(b'}') => break TagEnd::Done,
                Some(b'\n' | b';') => {
                    self.skip(1);
                    break TagEnd::Done;
                }
                Some(b'{') => {
                    self.pos += 1;
                    break TagEnd::Open;
                }
                Some(b'q') if self.rest().starts_with(SCOPE_BEGIN) => {
                    let value = self.scope_text();
                    self.add_value(&mut tag, value, at);
                }
                Some(byte) if begins_name(byte) => self.name_or_attribute(&mut tag, is_first),
                Some(byte) => match self.value() {
                    Some(value) => self.add_value(&mut tag, value, at),
                    // Not replaced by a placeholder: a tag has few values besides bytes, and bytes
                    // are recognised by their type.
                    None if byte == b'[' => {}
                    None => self.add_unread(at),
                },
            }
            is_first = false;
        };
        tag.places.set_fault(self.fault);
        if !matches!(end, TagEnd::WithText) {
            self.fault = None;
        }
        (tag, end)
    }

    fn add_unread(&mut self, at: At) {
        if self.unread.len() < self.values_left {
            self.unread.push(at);
        }
    }

    /// Adds the next value of a tag. Unreadable values before it become `null`, so that it keeps
    /// its index.
    fn add_value(&mut self, tag: &mut Tag, value: Value, at: At) {
        let unread = std::mem::take(&mut self.unread).into_iter();
        for (value, at) in unread.map(|at| (Value::Null, at)).chain([(value, at)]) {
            self.values_left = self.values_left.saturating_sub(1);
            tag.values.push(value);
            if self.reserve_place() {
                tag.places.lists().values.push(at);
            }
        }
    }

    fn name(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let mut end = rest
            .iter()
            .position(|byte| !continues_name(*byte))
            .unwrap_or(rest.len());
        // The sign of an infinity follows the word.
        end += usize::from(rest.starts_with(b"inf+") && end == 3);
        let name = &rest[..end];
        self.pos += name.len();
        name
    }

    /// Reads the name of a tag, an attribute, or a keyword value.
    fn name_or_attribute(&mut self, tag: &mut Tag, is_first: bool) {
        let (start, at) = (self.pos, self.at());
        let mut name = self.name();
        let mut namespace: &[u8] = b"";
        if self.peek() == Some(b':') {
            self.pos += 1;
            namespace = name;
            name = self.name();
            if name.is_empty() {
                let found = quoted(&self.text[start..self.pos]);
                self.syntax(at, || {
                    format!("found {found}; expected a name after the colon")
                });
            }
        }
        if self.peek() == Some(b'=') {
            self.pos += 1;
            self.values_left = self.values_left.saturating_sub(1);
            let value = match self.peek() {
                Some(b'q') if self.rest().starts_with(SCOPE_BEGIN) => Some(self.scope_text()),
                Some(byte) if begins_name(byte) => {
                    let at = self.at();
                    let word = self.name();
                    let value = keyword(word);
                    if value.is_none() {
                        self.syntax(at, || format!("found {}; expected a value", quoted(word)));
                    }
                    value
                }
                None | Some(b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{' | b'}') => {
                    let attribute = quoted(name);
                    self.syntax(at, || format!("missing value of the attribute {attribute}"));
                    None
                }
                Some(_) => self.value(),
            };
            if let Some(value) = value {
                let (namespace, name) =
                    (self.decode_text(namespace, at), self.decode_text(name, at));
                tag.attributes.push(Attribute {
                    namespace,
                    name,
                    value,
                });
                if self.reserve_place() {
                    tag.places.lists().attributes.push(at);
                }
            }
            return;
        }
        let is_word = |value: &Value| {
            let is_number = matches!(value, Value::Float(_));
            namespace.is_empty() && !(is_first && is_number)
        };
        match keyword(name).filter(is_word) {
            Some(value) => self.add_value(tag, value, at),
            None if is_first => {
                (tag.namespace, tag.name) =
                    (self.decode_text(namespace, at), self.decode_text(name, at));
            }
            None => {
                let found = quoted(&self.text[start..self.pos]);
                self.syntax(at, || {
                    format!("found {found}; expected a value, an attribute or the end of the line")
                });
                self.add_unread(at);
            }
        }
    }

    /// Decodes text and replaces invalid UTF-8.
    fn decode_text(&mut self, bytes: &[u8], at: At) -> String {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return text.to_owned();
        }
        self.problems.add(&rules::ENCODING, at.into(), || {
            format!("{} is not valid UTF-8", quoted(bytes))
        });
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Reads a value that is not a word: a text, bytes, or some kind of number.
    fn value(&mut self) -> Option<Value> {
        match self.peek()? {
            quote @ (b'"' | b'\'') => Some(Value::Text(self.text(quote))),
            b'`' => Some(self.raw_text(b"`", b"`")),
            b'[' => self.binary(),
            b'0'..=b'9' | b'-' | b'+' | b'.' => self.number(),
            _ => {
                let at = self.at();
                let found = self.token();
                self.syntax(at, || format!("found {}; expected a value", quoted(found)));
                None
            }
        }
    }

    /// Takes all bytes up to one that ends a value; at least one byte.
    fn token(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let ends = |i: usize| {
            matches!(
                rest[i..],
                [
                    b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{' | b'}' | b'"' | b'`' | b'[' | b'#',
                    ..
                ] | [b'/', b'/' | b'*' | b'+', ..]
                    | [b'-', b'-', ..]
                    | [b'\\', b'\r' | b'\n', ..]
            )
        };
        let end = (1..rest.len()).find(|i| ends(*i)).unwrap_or(rest.len());
        self.pos += end;
        &rest[..end]
    }

    /// Reads a text in quotes or in apostrophes, as in XDL and in the characters of `SDLang`.
    fn text(&mut self, quote: u8) -> String {
        let at = self.at();
        self.pos += 1;
        let mut text = Vec::new();
        loop {
            let rest = self.rest();
            let end = rest
                .iter()
                .position(|byte| *byte == quote || matches!(byte, b'\\' | b'\n'))
                .unwrap_or(rest.len());
            text.extend_from_slice(&rest[..end]);
            self.pos += end;
            match &rest[end..] {
                [byte, ..] if *byte == quote => {
                    self.pos += 1;
                    break;
                }
                [b'\\', escaped, ..] => self.escape(*escaped, &mut text),
                [b'\n', ..] => {
                    // Stop before the end of the line and before a brace there, so that parsing can
                    // continue.
                    let line = rest[..end].trim_ascii_end();
                    if let Some(before) = line.strip_suffix(b"{") {
                        let behind = end - before.len();
                        self.pos -= behind;
                        text.truncate(text.len() - behind);
                        text.truncate(text.trim_ascii_end().len());
                    }
                    let begin = quoted(&text);
                    self.syntax(at, || {
                        let end = quoted(&[quote]);
                        format!("the text {begin} is not closed on its line; expected {end}")
                    });
                    break;
                }
                _ => {
                    self.pos = self.text.len();
                    let begin = quoted(&text);
                    self.report_truncated(at, || {
                        let end = quoted(&[quote]);
                        format!("the text {begin} is not closed; expected {end}")
                    });
                    break;
                }
            }
        }
        self.decode_text(&text, at)
    }

    fn escape(&mut self, escaped: u8, text: &mut Vec<u8>) {
        let at = self.at();
        let character = match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'"' | b'\\' | b'\'' => escaped,
            b'\r' | b'\n' => {
                // The text continues after the spaces of the next line.
                let rest = self.rest().get(1..).unwrap_or_default();
                let line_end = rest.iter().take_while(|byte| **byte == b'\r').count();
                self.skip(1 + line_end + 1);
                let rest = self.rest();
                let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
                self.pos += spaces.count();
                return;
            }
            other => {
                self.syntax(at, || {
                    let found = quoted(&[b'\\', other]);
                    format!("found {found}; expected \\n, \\t, \\r, \\\" or \\\\")
                });
                other
            }
        };
        text.push(character);
        self.pos += 2;
    }

    /// Reads a text in backticks or in the scope of XDL, which has no escapes and may span lines.
    fn raw_text(&mut self, begin: &[u8], end: &[u8]) -> Value {
        let at = self.at();
        let inside = self.rest().get(begin.len()..).unwrap_or_default();
        let found = inside.windows(end.len()).position(|bytes| bytes == end);
        let text = &inside[..found.unwrap_or(inside.len())];
        self.skip(begin.len() + text.len() + end.len());
        if found.is_none() {
            let end = match end {
                b"`" => "a backtick".to_owned(),
                _ => quoted(end),
            };
            self.report_truncated(at, || format!("text not closed; expected {end}"));
        }
        Value::Text(self.decode_text(text, at))
    }

    fn scope_text(&mut self) -> Value {
        self.raw_text(SCOPE_BEGIN, SCOPE_END)
    }

    /// Reads bytes in base64.
    fn binary(&mut self) -> Option<Value> {
        let at = self.at();
        let inside = self.rest().get(1..).unwrap_or_default();
        let is_other = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"+/= \t\r\n".contains(byte);
        let Some(len) = inside.iter().position(is_other) else {
            self.skip(self.text.len());
            self.report_truncated(at, || "bytes not closed; expected `]`".to_owned());
            return None;
        };
        let (packed, behind) = inside.split_at(len);
        let line = behind.iter().position(|byte| *byte == b'\n');
        let line = &behind[..line.unwrap_or(behind.len())];
        let Some(end) = line.iter().position(|byte| *byte == b']') else {
            // The following lines are still readable.
            let last = packed.iter().rposition(|byte| *byte == b'\n');
            self.skip(1 + last.unwrap_or(len + line.len()));
            self.syntax(at, || "bytes not closed; expected `]`".to_owned());
            return None;
        };
        let (bytes, fault) = base64::decode(&inside[..len + end]);
        let Some(fault) = fault else {
            self.skip(len + end + 2);
            return Some(Value::Binary(bytes));
        };
        let wrong = fault.position.min(len);
        self.skip(1 + wrong);
        let at = self.at();
        self.syntax(at, || fault.message);
        self.skip(len + end - wrong + 1);
        None
    }

    fn number(&mut self) -> Option<Value> {
        let at = self.at();
        let token = self.token();
        let value = number(token);
        if value.is_none() {
            self.syntax(at, || format!("found {}; expected a value", quoted(token)));
        }
        value
    }
}

/// Keyword values.
fn keyword(word: &[u8]) -> Option<Value> {
    match word {
        b"true" | b"on" | b"yes" => Some(Value::Bool(true)),
        b"false" | b"off" | b"no" => Some(Value::Bool(false)),
        b"null" => Some(Value::Null),
        b"NaN" => Some(Value::Float(f64::NAN)),
        b"inf" | b"inf+" => Some(Value::Float(f64::INFINITY)),
        b"inf-" => Some(Value::Float(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// Parses a number, date or time.
fn number(token: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(token).ok()?;
    // XDL numbers may have underscores between their digits.
    let is_between = |at: usize| {
        let digit = |at: Option<usize>| at.and_then(|at| token.get(at));
        let sides = [digit(at.checked_sub(1)), digit(Some(at + 1))];
        sides
            .iter()
            .all(|side| side.is_some_and(u8::is_ascii_hexdigit))
    };
    if !text.match_indices('_').all(|(at, _)| is_between(at)) {
        return None;
    }
    let number = text.replace('_', "");
    if let Some(integer) = parse_prefixed_integer(&number) {
        return Some(Value::Integer(integer));
    }
    if let Some(float) = parse_hexadecimal_float(&number) {
        return Some(Value::Float(float));
    }
    let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &number[digits.len()..];
    let float = || {
        let number: f64 = digits.parse().ok()?;
        number.is_finite().then_some(Value::Float(number))
    };
    let is_time = (digits.contains([':', '/']) && token.first().is_some_and(|b| *b != b'.'))
        || is_iso_date(token);
    match suffix.to_ascii_uppercase().as_str() {
        // A time begins with days, as in `2d:12:14:34`, and ends with a zone.
        _ if is_time => Some(Value::Time(text.to_owned())),
        "" if digits.contains(['.', 'e', 'E']) => float(),
        "" | "L" => digits.parse().ok().map(Value::Integer),
        "F" | "D" | "BD" => float(),
        _ => None,
    }
}

/// Parses an integer with the prefix `0x`, `0o` or `0b`.
fn parse_prefixed_integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let bases = [("0x", 16), ("0o", 8), ("0b", 2)];
    let (digits, base) = bases
        .iter()
        .find_map(|(prefix, base)| Some((digits.strip_prefix(prefix)?, *base)))?;
    // Only digits: the library would accept another sign.
    let is_plain = digits.chars().all(|digit| digit.is_digit(base));
    is_plain
        .then(|| i64::from_str_radix(&format!("{sign}{digits}"), base).ok())
        .flatten()
}

/// Parses a number with hexadecimal digits and a power of two, such as `0x1.8p4`.
fn parse_hexadecimal_float(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, power) = digits.strip_prefix("0x")?.split_once(['p', 'P'])?;
    let power: i32 = power.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = || whole.chars().chain(fraction.chars());
    let mut value = Some(0.0).filter(|_| digits().next().is_some());
    for digit in digits() {
        value = Some(value? * 16.0 + f64::from(digit.to_digit(16)?));
    }
    let fraction = i32::try_from(4 * fraction.len()).ok()?;
    let number = sign * value? * f64::from(power.saturating_sub(fraction)).exp2();
    number.is_finite().then_some(number)
}

/// Returns `true` if a value begins with a date such as `2024-09-19`.
fn is_iso_date(token: &[u8]) -> bool {
    let date = token.first_chunk::<10>();
    date.is_some_and(|date| {
        let is_good = |(i, byte): (usize, &u8)| match i {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        date.iter().enumerate().all(is_good)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn good(text: &str) -> Vec<Tag> {
        let (Text { tags, .. }, problems) = read(text.as_bytes(), Problems::new);
        assert_eq!(problems.finish(), [], "{text}");
        tags
    }

    /// The parsed text in short form, and its problems.
    fn bad(text: impl AsRef<[u8]>) -> (String, Vec<String>) {
        let (Text { tags, .. }, problems) = read(text.as_ref(), Problems::new);
        let said = problems
            .finish()
            .iter()
            .map(crate::Problem::facts)
            .collect();
        (super::super::write(&tags), said)
    }

    #[track_caller]
    fn says(text: impl AsRef<[u8]>, read: &str, expected: &[&str]) {
        assert_eq!(
            bad(text),
            (
                read.to_owned(),
                expected.iter().map(ToString::to_string).collect()
            )
        );
    }

    fn values(text: &str) -> Vec<Value> {
        good(text).remove(0).values
    }

    #[test]
    fn tags_have_namespaces_values_attributes_and_children() {
        let tags = good(
            "File:Source \"a.png\" palShift=5 ns:key=on {\n\tEmbed:TileInfo {\n\t\t0 1 \"x\"\n\t}\n}\nnext",
        );
        let [tag, next] = tags.as_slice() else {
            panic!("{tags:?}");
        };
        assert!(tag.is("File", "Source") && next.is("", "next"));
        assert_eq!(tag.values, ["a.png".into()]);
        assert_eq!(tag.attribute("palShift"), Some(&Value::Integer(5)));
        assert_eq!(tag.attributes[1].namespace, "ns");
        assert_eq!(tag.attributes[1].value, Value::Bool(true));
        let info = &tag.children[0];
        assert!(info.is("Embed", "TileInfo"));
        assert!(info.children[0].is("", ""));
        assert_eq!(info.children[0].values, [0.into(), 1.into(), "x".into()]);
        let at = |tag: &Tag| (tag.at.line, tag.at.column);
        let places = [at(tag), at(info), at(&info.children[0]), at(next)];
        assert_eq!(places, [(1, 1), (2, 2), (3, 3), (6, 1)]);
        assert_eq!(tag.title(), "`File:Source`");
    }

    #[test]
    fn values_of_every_kind() {
        assert_eq!(
            values("v 1 -2 3L 4.5 6F 7.25d 8BD .5 +9"),
            [
                Value::Integer(1),
                Value::Integer(-2),
                Value::Integer(3),
                Value::Float(4.5),
                Value::Float(6.0),
                Value::Float(7.25),
                Value::Float(8.0),
                Value::Float(0.5),
                Value::Integer(9),
            ]
        );
        assert_eq!(
            values("v true on false off null"),
            [
                Value::Bool(true),
                Value::Bool(true),
                Value::Bool(false),
                Value::Bool(false),
                Value::Null,
            ]
        );
        assert_eq!(
            values(r#"v "a\"b\\c\nd\te" `raw \n "text"` 'c' '\n'"#),
            [
                "a\"b\\c\nd\te".into(),
                "raw \\n \"text\"".into(),
                "c".into(),
                "\n".into(),
            ]
        );
        assert_eq!(values("v `two\nlines`\nw"), ["two\nlines".into()]);
        assert_eq!(values("v \"one \\\n\t  line\""), ["one line".into()]);
        for (text, bytes) in [
            ("AAEC/w==", vec![0, 1, 2, 255]),
            ("AAEC\r\n\t/w", vec![0, 1, 2, 255]),
            ("", vec![]),
        ] {
            assert_eq!(values(&format!("v [{text}]")), [Value::Binary(bytes)]);
        }
        let times = "2015/12/06 12:00:00.000-UTC 2d:12:14:34";
        let expected = times.split(' ').map(|time| Value::Time(time.to_owned()));
        assert_eq!(values(&format!("v {times}")), expected.collect::<Vec<_>>());
    }

    #[test]
    fn xdl_is_read_too() {
        let integers = |text: &str| {
            values(text)
                .iter()
                .map(Value::as_integer)
                .collect::<Vec<_>>()
        };
        let expected = [1, 0x1234_abcd, 255, -16, 8, 83, 5, 85, 80, 123_456].map(Some);
        assert_eq!(
            integers("v 0x1 0x01234_abcd 0xFF -0x10 0o10 0o1_23 0b101 0b0101_0101 8_0 123_456"),
            expected
        );
        assert_eq!(
            values("v .849_656 1.5e2 1.25e-2 2e3"),
            [0.849656, 150.0, 0.0125, 2000.0].map(Value::Float)
        );
        assert_eq!(values("v yes no"), [Value::Bool(true), Value::Bool(false)]);
        assert_eq!(
            values(r#"v 'it\'s "text"' '' q{"raw \n {'x'} "} a='b c'"#),
            ["it's \"text\"", "", "raw \\n {'x'} "].map(Value::from)
        );
        let tag = good("v a='b c' b=0x10 c=q{\"d\ne\"}").remove(0);
        let expected = ["b c".into(), 16.into(), "d\ne".into()];
        let attributes = tag.attributes.into_iter().map(|attribute| attribute.value);
        assert_eq!(attributes.collect::<Vec<_>>(), expected);
        assert_eq!(values("v /+ 1 /* +/ 2 /* /+ */ 3"), [2.into(), 3.into()]);
        let times = "2024-09-19 18:35:45Z 2024-09-19T06:35:45-12:00 1:35:45.000";
        let expected = times.split(' ').map(|time| Value::Time(time.to_owned()));
        assert_eq!(values(&format!("v {times}")), expected.collect::<Vec<_>>());
        assert_eq!(
            values("v inf+ inf- 0x12acp4 -0x1.8p-1 1.5e-3"),
            [f64::INFINITY, f64::NEG_INFINITY, 76480.0, -0.75, 0.0015].map(Value::Float)
        );
        assert!(values("v NaN")[0].as_number().is_some_and(f64::is_nan));
        assert!(good("inf 1")[0].is("", "inf"));
        for wrong in [
            "0x",
            "0xp1",
            "0x1p",
            "0xg",
            "0b2",
            "_1",
            "1_",
            "1__2",
            "0x-1",
            "0x8000000000000000",
        ] {
            let (_, said) = bad(format!("v {wrong}"));
            assert!(!said.is_empty(), "{wrong}");
        }
        says("a /+ b\nc", "", &["1:3: error: xmf/truncated: +/"]);
        says("a q{\"b\nc", "", &["1:3: error: xmf/truncated: \"}"]);
    }

    #[test]
    fn tags_end_with_lines_semicolons_and_braces() {
        let names = |text: &str| {
            let tags = good(text);
            let names = tags.iter().map(|tag| tag.name.clone());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("a; b;c\n;;d"), "a b c d");
        assert_eq!(names("a { x }\nb {\n} c"), "a b c");
        assert_eq!(names("a 1 \\\n 2 \\ \r\n b=3\nc"), "a c");
        assert_eq!(names("\u{feff}a\r\nb"), "a b");
        assert_eq!(
            names("# one\na // two\n-- three\nb /* four\n */ x=1 # five\nc --six\n\n/**/d"),
            "a b c d"
        );
        assert_eq!(good("a {x{y;z};w}")[0].children[0].children.len(), 2);
        assert_eq!(names("Käse; straße-1.2_$"), "Käse straße-1.2_$");
        assert_eq!(good(""), []);
    }

    #[test]
    fn unreadable_parts_are_omitted() {
        says("a 1 @ 2", "a 1 null 2\n", &["1:5: error: xmf/syntax: @"]);
        says(
            "a 12x 2\nb",
            "a null 2\nb\n",
            &["1:3: error: xmf/syntax: 12x"],
        );
        says(
            "a 99999999999999999999",
            "a\n",
            &["1:3: error: xmf/syntax: 99999999999999999999"],
        );
        says("a b", "a\n", &["1:3: error: xmf/syntax: b"]);
        says("a b=", "a\n", &["1:3: error: xmf/syntax: b"]);
        says("a b=c", "a\n", &["1:5: error: xmf/syntax: c"]);
        says("ns: 1", "ns: 1\n", &["1:1: error: xmf/syntax: ns:"]);
        says(
            "a \"open\nb",
            "a \"open\"\nb\n",
            &["1:3: error: xmf/syntax: \" open"],
        );
        says(
            "a\nb \"open\\",
            "a\n",
            &["2:3: error: xmf/truncated: \" open"],
        );
        says(r#"a "\q""#, "a \"q\"\n", &[r"1:4: error: xmf/syntax: \q"]);
        says("a `open\nb", "", &["1:3: error: xmf/truncated"]);
        for (text, read) in [
            ("a [AB\nb", ""),
            ("a [AB\nb \"c\"\nd [AAAA]\n", "a\nb \"c\"\nd [AAAA]\n"),
            ("a [AAAA\nAA\n}", "a\n"),
            ("a [AB c=\"d\"\nb\n", "a\nb\n"),
        ] {
            let (text, said) = bad(text);
            assert_eq!(text, read);
            let rules = ["1:3: error: xmf/syntax: ]", "1:3: error: xmf/truncated: ]"];
            assert!(rules.contains(&said[0].as_str()), "{said:?}");
        }
        says(
            "a [AA\n!A] 2\nb",
            "a 2\nb\n",
            &["2:1: error: xmf/syntax: ! + / base64"],
        );
        says("a [A] 2", "a 2\n", &["1:4: error: xmf/syntax: base64"]);
        says(
            "a 'long and more\nb",
            "a \"long and more\"\nb\n",
            &["1:3: error: xmf/syntax: ' long and more"],
        );
        says("a /* b\nc", "", &["1:3: error: xmf/truncated: */"]);
        says("a\n}\nb", "a\nb\n", &["2:1: error: xmf/syntax, read: }"]);
        says("{\nb\n}\nc", "b\nc\n", &["1:1: error: xmf/syntax: {"]);
        says(
            "a {\nb {\n c\n d 1",
            "a {\n\tb {\n\t\tc\n\t}\n}\n",
            &["4:5: error: xmf/truncated: 1 2 b }"],
        );
        says(
            b"a \"\xff\"",
            "a \"\u{fffd}\"\n",
            &["1:3: warning: xmf/encoding: UTF-8 \\xff"],
        );
    }

    #[test]
    fn one_fault_of_a_text_is_one_problem() {
        let layers = "Metadata {\n\tVersion 1 0\n}\nLayer:Tile \"a\" 1 {\n\tb {\n\t\tc\n\t}\n}\n\
                      Layer:Tile \"d\" 2 {\n\te\n}\n";
        for (from, to, is_same, said) in [
            (
                " {\n\tV",
                "\n\tV",
                true,
                "2:2: error: xmf/syntax, read: 1 Metadata Version {",
            ),
            ("1 {", "1", false, "8:1: error: xmf/syntax, read: }"),
            ("2 {", "2", false, "11:1: error: xmf/syntax, read: }"),
            ("1 {", "1 { {", true, "4:20: error: xmf/syntax: {"),
            ("1 {", "1\n{", true, "5:1: error: xmf/syntax: {"),
            ("\t}\n", "", true, "7:1: error: xmf/syntax, read: 2 5 b }"),
            (
                "0\n}",
                "0",
                true,
                "3:1: error: xmf/syntax, read: 1 Layer:Tile Metadata }",
            ),
            (
                "e\n}",
                "e",
                true,
                "11:1: error: xmf/truncated: 1 9 Layer:Tile }",
            ),
            ("\"a\"", "\"a", true, "4:12: error: xmf/syntax: \" a 1"),
            ("\"a\"", "a\"", false, "4:12: error: xmf/syntax: a"),
            ("\"d\" 2", "2 @ \"d", false, "9:14: error: xmf/syntax: @"),
        ] {
            let (_, whole) = (bad(layers), layers);
            let (text, problems) = bad(whole.replacen(from, to, 1));
            assert_eq!(problems.len(), 1, "{from:?}: {problems:?}");
            assert!(problems[0].starts_with(said), "{problems:?}");
            let is_read = text == bad(layers).0;
            assert_eq!(is_read, is_same && !from.contains('"'), "{from:?}: {text}");
        }
    }

    #[test]
    fn depth_and_number_are_limited() {
        let deep = format!("{}x{}\nafter", "a {\n".repeat(200), "}".repeat(200));
        let (text, said) = bad(&deep);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("65:1: error: xmf/limit: 64"),
            "{said:?}"
        );
        assert!(text.ends_with("}\nafter\n"));
        let (_, said) = bad("a\n{\n".repeat(200));
        let limit = "130:1: error: xmf/limit: 64";
        assert!(said.iter().any(|said| said.starts_with(limit)), "{said:#?}");
        let (_, said) = bad("a\n".repeat(MAX_TAGS + 10));
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("524289:1: error: xmf/limit: 2097152 524288"),
            "{said:?}"
        );
        let (_, said) = bad("1 ".repeat(1000));
        assert!(said.is_empty());
    }

    /// An unterminated item is scanned once, not repeatedly.
    #[test]
    fn time_is_linear() {
        for piece in [
            "[",
            "`",
            "/* ",
            "\"",
            "'",
            "{",
            "}",
            "a=",
            "\\",
            "\\\n",
            "-",
            "a {",
            "a \"\\\n",
            "a\n}",
            "[A\n",
            "Layer:Sprite {\nObject:Box {\n",
            "Object:Box\nToCollision\n",
            "Version\n",
            "Objct:Bx\n",
            "Embed:TileInfo {\n1\n}\n2\n",
            "a\n{",
            "File:SpriteSource\n",
            "Layer:Tile\nb\n}\n",
        ] {
            let text = piece.repeat(1_000_000 / piece.len());
            let begin = std::time::Instant::now();
            bad(&text);
            let elapsed = begin.elapsed();
            assert!(
                elapsed < std::time::Duration::from_secs(5),
                "{piece:?}: {elapsed:?}"
            );
        }
    }
}
