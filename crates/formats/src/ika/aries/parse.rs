//! Parser for nested nodes.

use std::collections::{HashMap, HashSet};

use super::grammar::Grammar;
use super::{Item, ItemKind, MAX_DEPTH, Tree, is_space};
use crate::ika::rules;
use crate::nesting::{BracketRepair, Grammar as _, MAX_INDENT, Stack};
use crate::problems::Cause;
use crate::text::BYTE_ORDER_MARK;
use crate::{Message, Place, Problems, quoted};

/// Parses a file and reports its problems. Always returns a tree.
///
/// If the parentheses are unbalanced, the file is parsed again to find where they belong.
pub(super) fn parse<'a>(bytes: &'a [u8], grammar: &Grammar) -> (Tree<'a>, Problems) {
    let mut parser = Parser::new(bytes, grammar).run();
    if parser.is_unbalanced {
        let again = Parser {
            stack: Some(Stack::new()),
            ..Parser::new(bytes, grammar)
        };
        parser = again.run();
    }
    let tree = Tree {
        items: parser.items,
        cut: parser.cut,
        faults: parser.faults,
    };
    (tree, parser.problems)
}

struct Parser<'a, 'g> {
    bytes: &'a [u8],
    grammar: &'g Grammar,
    pos: usize,
    /// Counted from 1.
    line: u32,
    line_start: usize,
    /// Line and column of the end of the last item read.
    last_end: [u32; 2],
    items: Vec<Item<'a>>,
    /// Indices of the open nodes.
    open: Vec<usize>,
    /// Nodes closed since the last node began: index and end position.
    closed: Vec<(usize, Place)>,
    /// The byte that opens a quoted text.
    quote: u8,
    /// Present if parentheses are unbalanced; decides where nodes belong.
    stack: Option<Stack>,
    /// The damage in effect. Missing or surplus parentheses follow from it.
    damage: Option<Cause>,
    /// The list element that began after the damage.
    whole: Option<usize>,
    /// Reason the rest is not read.
    cut: Option<Cause>,
    /// The nodes that already have a text.
    has_text: HashSet<usize>,
    is_unbalanced: bool,
    faults: HashMap<usize, Cause>,
    problems: Problems,
}

impl<'a, 'g> Parser<'a, 'g> {
    fn new(bytes: &'a [u8], grammar: &'g Grammar) -> Self {
        Self {
            bytes,
            grammar,
            pos: 0,
            line: 1,
            line_start: 0,
            last_end: [1; 2],
            items: Vec::new(),
            open: Vec::new(),
            closed: Vec::new(),
            quote: if has_2006_quotes(bytes) { b'\\' } else { b'\'' },
            stack: None,
            damage: None,
            whole: None,
            cut: None,
            has_text: HashSet::new(),
            is_unbalanced: false,
            faults: HashMap::new(),
            problems: Problems::new(),
        }
    }

    fn column(&self) -> u32 {
        u32::try_from(self.pos - self.line_start + 1).unwrap_or(u32::MAX)
    }

    fn place(&self) -> Place {
        place([self.line, self.column()])
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// The innermost open node.
    fn innermost(&self) -> Option<&Item<'a>> {
        self.open.last().and_then(|index| self.items.get(*index))
    }

    /// The column, if only white space precedes it on its line.
    fn line_column(&self) -> Option<u32> {
        let before = self.bytes.get(self.line_start..self.pos)?;
        let is_first = before.len() <= MAX_INDENT && before.iter().all(|byte| is_space(*byte));
        is_first.then(|| self.column())
    }

    fn run(mut self) -> Self {
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.problems.add(&rules::SYNTAX, self.place(), || {
                "byte order mark at the beginning of the file; the engine refuses it".to_owned()
            });
            self.pos = BYTE_ORDER_MARK.len();
        }
        if self.quote == b'\\' {
            self.problems.add(&rules::SYNTAX, self.place(), || {
                Message::read(
                    "texts in the form of 2006, `\\text'`; expected `'text'`",
                    "as expected",
                )
            });
        }
        self.all();
        self.end();
        self
    }

    /// Reads all nodes.
    fn all(&mut self) {
        let mut is_ended = false;
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'\n' => {
                    self.line_end();
                    continue;
                }
                byte if is_space(byte) => {
                    self.pos += 1;
                    continue;
                }
                _ => {}
            }
            if self.settle(byte) {
                continue;
            }
            let is_outside = self.open.is_empty();
            if is_outside && is_ended {
                self.report_damage(
                    &rules::TRAILING_DATA,
                    self.place(),
                    || "extra text after the last parenthesis; ignored",
                );
                self.is_unbalanced |= matches!(byte, b'(' | b')');
                break;
            }
            match byte {
                b'(' => {
                    if self.open.len() == MAX_DEPTH {
                        self.problems.add(&rules::DEPTH, self.place(), || {
                            format!(
                                "nodes nested more than {MAX_DEPTH} deep; the rest of the file \
                                 is left out"
                            )
                        });
                        self.cut = self.problems.last();
                        break;
                    }
                    self.node();
                }
                b')' if is_outside => {
                    self.is_unbalanced = true;
                    self.report_damage(
                        &rules::SYNTAX,
                        self.place(),
                        || "unmatched `)`; the engine refuses it",
                    );
                    self.pos += 1;
                }
                b')' => {
                    self.pos += 1;
                    self.close();
                    is_ended |= self.open.is_empty();
                }
                quote if quote == self.quote || quote == b'\'' => self.quoted(),
                _ => self.bare(),
            }
        }
    }

    /// Closes the nodes that are still open at the end of the file.
    fn end(&mut self) {
        if let Some(item) = self.innermost() {
            let (begin, name) = (item.place(), quoted(item.bytes));
            let count = self.open.len();
            self.is_unbalanced |= self.pos >= self.bytes.len();
            if self.cut.is_none() {
                self.report_damage(&rules::TRUNCATED, self.place(), || {
                    let inside = match count {
                        1 => format!("the node {name}, opened at {begin}"),
                        _ => {
                            format!("{count} nodes, the innermost {name}, opened at {begin}")
                        }
                    };
                    format!("the file ends inside {inside}; expected `)`")
                });
                self.cut = self.damage;
            }
        }
        for index in &self.open {
            if let Some(item) = self.items.get_mut(*index) {
                item.is_open = true;
            }
        }
        while !self.open.is_empty() {
            self.close();
        }
    }

    /// Reports a fault in the nesting of nodes, as a consequence of earlier damage if there is any.
    fn report_damage<M: Into<Message>>(
        &mut self,
        rule: &'static crate::Rule,
        place: Place,
        message: impl FnOnce() -> M,
    ) {
        let (damage, subject) = (self.damage, self.problems.subject);
        self.problems
            .add_consequence(damage, rule, subject, place, message);
        self.damage = damage.or(self.problems.last());
        self.whole = None;
    }

    /// Marks the innermost node as damaged.
    fn fault(&mut self) {
        self.mark_damaged(self.damage);
    }

    /// Marks the innermost node as damaged. Its parent is marked too, unless either of them is a
    /// list.
    fn mark_damaged(&mut self, cause: Option<Cause>) {
        let (Some(cause), Some((index, around))) = (cause, self.open.split_last()) else {
            return;
        };
        self.faults.entry(*index).or_insert(cause);
        let name = |index: &usize| self.items.get(*index).map_or(&b""[..], |item| item.bytes);
        if let Some(parent) = around.last()
            && ![name(index), name(parent)]
                .iter()
                .any(|it| self.grammar.is_list(it))
        {
            self.faults.entry(*parent).or_insert(cause);
        }
    }

    /// Recovers from a missing or surplus parenthesis before the current byte. Returns `true` if it
    /// skipped something.
    fn settle(&mut self, byte: u8) -> bool {
        let (column, rest) = (self.line_column(), self.rest());
        let Some(stack) = &mut self.stack else {
            return false;
        };
        let name = name_in(rest.get(1..).unwrap_or_default());
        // If the file ends in a name, the name may be incomplete.
        if byte == b'(' && rest.len() == 1 + name.len() {
            return false;
        }
        let settle = match byte {
            b'(' => stack.before_node(name, column, self.grammar),
            b')' => column.map_or(BracketRepair::Fits, |column| stack.before_end(column)),
            _ => BracketRepair::Fits,
        };
        let next = quoted(if byte == b'(' { name } else { b")" });
        match settle {
            BracketRepair::Fits if byte == b'(' && name.is_empty() => {
                let is_twice = rest.get(1..).is_some_and(|rest| rest.starts_with(b"("));
                if is_twice {
                    self.report_damage(&rules::SYNTAX, self.place(), || {
                        Message::read_as_expected("duplicate `(`; expected one")
                    });
                    self.pos += 1;
                }
                return is_twice;
            }
            BracketRepair::Fits => {}
            BracketRepair::Close(count) => self.close_unclosed(count, &next),
            BracketRepair::Reopen(count) => self.reopen(count),
            BracketRepair::Skip => {
                self.report_damage(&rules::SYNTAX, self.place(), || {
                    Message::read("unmatched `)`", "without it")
                });
                self.pos += 1;
                return true;
            }
            BracketRepair::Begin(lost) => {
                self.report_damage(&rules::SYNTAX, self.place(), || {
                    Message::read_as_expected(format!("found {next}; expected `({lost}` before it"))
                });
                self.fault();
                self.begin(lost.as_bytes(), self.pos, [self.line, self.column()], None);
                self.fault();
            }
        }
        false
    }

    /// Closes `count` nodes whose closing parentheses are missing before `next`.
    fn close_unclosed(&mut self, count: usize, next: &str) {
        let Some(&Item { line, bytes, .. }) = self.innermost() else {
            return;
        };
        let begin = self.innermost().map_or(self.place(), Item::place);
        // If a node ends on the line on which it begins, its parenthesis is missing there.
        let place = match self.last_end {
            [end_line, _] if end_line == line => place(self.last_end),
            _ => self.place(),
        };
        self.report_damage(&rules::SYNTAX, place, || {
            let (name, parens) = (quoted(bytes), ")".repeat(count));
            let of = match count {
                1 => format!("the end of {name}"),
                _ => format!("the ends of {count} nodes, the innermost {name}"),
            };
            Message::read_as_expected(format!(
                "missing `{parens}` before {next}: {of}, opened at {begin}"
            ))
        });
        for _ in 0..count {
            self.fault();
            self.close();
        }
        self.fault();
    }

    /// Reopens the last `count` closed nodes.
    fn reopen(&mut self, count: usize) {
        let at = self.closed.len().saturating_sub(count);
        let Some(&(index, end)) = self.closed.get(at) else {
            return;
        };
        let name = self.items.get(index).map(|item| quoted(item.bytes));
        self.report_damage(&rules::SYNTAX, end, || {
            let name = name.unwrap_or_default();
            Message::read(
                format!("unmatched `)`: {name} continues after it"),
                "without it",
            )
        });
        for (index, _) in self.closed.split_off(at).into_iter().rev() {
            self.open.push(index);
            self.fault();
            if let Some(stack) = &mut self.stack {
                stack.reopen();
            }
        }
    }

    /// Advances past a line end.
    fn line_end(&mut self) {
        self.pos += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.pos;
    }

    fn push(&mut self, kind: ItemKind, bytes: &'a [u8], start: usize, [line, column]: [u32; 2]) {
        if kind == ItemKind::Node {
            self.closed.clear();
        }
        self.items.push(Item {
            kind,
            bytes,
            start,
            end: self.pos,
            line,
            column,
            next: self.items.len() + 1,
            is_open: false,
        });
    }

    /// Closes the innermost node.
    fn close(&mut self) {
        let next = self.items.len();
        self.last_end = [self.line, self.column()];
        let Some(index) = self.open.pop() else { return };
        if let Some(item) = self.items.get_mut(index) {
            (item.next, item.end) = (next, self.pos);
        }
        let [line, column] = self.last_end;
        self.closed
            .push((index, place([line, column.saturating_sub(1)])));
        if let Some(stack) = &mut self.stack {
            stack.close();
        }
        // A complete list element ends the damage.
        if self.whole == Some(index) {
            (self.damage, self.whole) = (None, None);
        }
    }

    /// Begins a node.
    fn begin(&mut self, name: &'a [u8], start: usize, at: [u32; 2], column: Option<u32>) {
        let index = self.items.len();
        if let Some(stack) = &mut self.stack {
            stack.open(name, column, self.grammar);
        }
        let parent = self.innermost().map(|item| item.bytes);
        if self.damage.is_some() && parent.is_some_and(|parent| self.grammar.is_list(parent)) {
            self.whole = Some(index);
        }
        self.open.push(index);
        self.push(ItemKind::Node, name, start, at);
    }

    /// Reads the opening of a node and its name.
    fn node(&mut self) {
        let (start, at, column) = (self.pos, [self.line, self.column()], self.line_column());
        self.pos += 1;
        let rest = self.rest();
        let name = name_in(rest);
        self.pos += name.len();
        self.last_end = [self.line, self.column()];
        let is_spaced = rest.get(name.len()).is_none_or(|byte| is_space(*byte));
        let mut cause = None;
        if name.is_empty() && !rest.is_empty() {
            self.problems.add(&rules::SYNTAX, place(at), || {
                "node without a name; expected one after `(`".to_owned()
            });
            cause = self.problems.last();
        } else if !is_spaced && !name.is_empty() {
            self.problems.add(&rules::NODE_NAME, self.place(), || {
                format!(
                    "missing space after the node name {}; the engine reads what follows as \
                     part of the name",
                    quoted(name)
                )
            });
            cause = self.problems.last();
        }
        self.mark_damaged(cause);
        self.begin(name, start, at, column);
    }

    /// Reads a quoted text.
    fn quoted(&mut self) {
        let (start, at) = (self.pos, [self.line, self.column()]);
        self.pos += 1;
        let rest = self.rest();
        let quote = quote_in(rest, 0);
        let (mut len, mut is_closed) = (quote.unwrap_or(rest.len()), quote.is_some());
        let is_lost = has_unbalanced_quote(rest, quote);
        // Quotes are unbalanced if a multi-line text is followed by text with an odd number of
        // quotes.
        self.is_unbalanced |= is_lost && rest.get(..len).unwrap_or_default().contains(&b'\n');
        let is_judged = is_lost && self.stack.is_some();
        if let Some((end, has_quote)) = guess_text_end(rest, quote).filter(|_| is_judged) {
            (len, is_closed) = (end, has_quote);
            let text = quoted(rest.get(..len).unwrap_or_default());
            self.report_damage(&rules::SYNTAX, place(at), || {
                Message::read_as_expected(if has_quote {
                    format!("unescaped `'` in the text {text}; expected `\\'`")
                } else {
                    format!("the text {text} is not closed on its line; expected `'`")
                })
            });
            self.fault();
        }
        let text = rest.get(..len).unwrap_or_default();
        for (index, byte) in text.iter().enumerate() {
            if *byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.line_start = self.pos + index + 1;
            }
        }
        self.pos += len;
        if !is_closed && self.pos >= self.bytes.len() {
            self.problems.add(&rules::TRUNCATED, place(at), || {
                format!("the text {} is not closed; expected `'`", quoted(text))
            });
            self.cut = self.problems.last();
        }
        self.pos += usize::from(is_closed);
        self.last_end = [self.line, self.column()];
        self.push(ItemKind::Quoted, text, start, at);
        self.check_stray(text, at);
    }

    /// Reads a bare text up to the next parenthesis.
    fn bare(&mut self) {
        let (start, at) = (self.pos, [self.line, self.column()]);
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'(' | b')' => break,
                b'\n' => self.line_end(),
                _ => {
                    self.pos += 1;
                    if !is_space(byte) {
                        self.last_end = [self.line, self.column()];
                    }
                }
            }
        }
        let text = self.bytes.get(start..self.pos).unwrap_or_default();
        let len = text.iter().rposition(|byte| !is_space(*byte));
        let text = text
            .get(..len.map_or(0, |last| last + 1))
            .unwrap_or_default();
        self.push(ItemKind::Bare, text, start, at);
        self.check_stray(text, at);
    }

    /// Warns of a text in a node that allows no text or already has one.
    fn check_stray(&mut self, text: &[u8], at: [u32; 2]) {
        let grammar = self.grammar;
        let text = quoted(text);
        let Some(&index) = self.open.last() else {
            return self.report_damage(&rules::MAGIC, place(at), || {
                let root = grammar.root;
                format!("found {text} before `({root}`; ignored")
            });
        };
        let names: Vec<&[u8]> = self
            .open
            .iter()
            .filter_map(|index| self.items.get(*index))
            .map(|item| item.bytes)
            .collect();
        // The content of unknown nodes is not checked.
        let is_known = names.windows(2).all(|pair| grammar.lists(pair[0], pair[1]))
            && names.first() == Some(&grammar.root.as_bytes());
        let parent = names.last().copied().unwrap_or_default();
        let is_first = self.has_text.insert(index);
        if is_known && (grammar.has_no_text(parent) || !is_first) {
            let parent = quoted(parent);
            self.report_damage(&rules::STRAY_TEXT, place(at), || {
                format!("found the text {text} among the nodes of {parent}; ignored")
            });
            self.fault();
        }
    }
}

/// The position of a line and a column.
fn place([line, column]: [u32; 2]) -> Place {
    Place::Text {
        line: line.into(),
        column: column.into(),
    }
}

/// Returns the name at the start of `text`.
fn name_in(text: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| is_space(*byte) || matches!(byte, b'(' | b')');
    let end = text.iter().position(is_end);
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// Returns `true` if texts are written `\text'`, as by the writer of 2006. The version shows the
/// style.
fn has_2006_quotes(bytes: &[u8]) -> bool {
    const VERSION: &[u8] = b"(version";
    let head = bytes.get(..4096).unwrap_or(bytes);
    let at = head.windows(VERSION.len()).position(|it| it == VERSION);
    let behind = at.and_then(|at| head.get(at + VERSION.len()..));
    behind.is_some_and(|behind| behind.trim_ascii_start().starts_with(b"\\"))
}

/// Finds the next unescaped quote.
fn quote_in(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match text.get(at)? {
            b'\'' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns `true` if there is a quote and a parenthesis, white space or the end of the text follows
/// it.
fn is_closing_quote(text: &[u8], quote: Option<usize>) -> bool {
    let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'(' | b')');
    quote.is_some_and(|quote| text.get(quote + 1).is_none_or(ends))
}

/// Returns `true` if there is no quote, or if text with an odd number of quotes follows it
/// directly.
fn has_unbalanced_quote(text: &[u8], quote: Option<usize>) -> bool {
    let Some(quote) = quote.filter(|_| !is_closing_quote(text, quote)) else {
        return quote.is_none();
    };
    let behind = text.get(quote + 1..).unwrap_or_default();
    let bare = behind
        .iter()
        .take_while(|byte| !matches!(byte, b'(' | b')'));
    bare.filter(|byte| **byte == b'\'').count() % 2 == 1
}

/// Finds the likely end of a text whose closing quote seems missing. Returns the end and `true` if
/// a quote is there. Candidates, in this order: the end of its node on the same line, the end of
/// the line, a later quote on the line.
fn guess_text_end(text: &[u8], quote: Option<usize>) -> Option<(usize, bool)> {
    let line_end = text.iter().position(|byte| *byte == b'\n');
    let line = text.get(..line_end.unwrap_or(text.len()))?;
    let before = line.get(..quote.unwrap_or(line.len())).unwrap_or(line);
    if let Some(end) = node_end(before) {
        return Some((end, false));
    }
    let mut next = quote?;
    if next >= line.len() {
        return Some((line.trim_ascii_end().len(), false));
    }
    while !is_closing_quote(text, Some(next)) {
        next = quote_in(line, next + 1)?;
    }
    Some((next, true))
}

/// Finds the parenthesis that closes the node around `text`.
fn node_end(text: &[u8]) -> Option<usize> {
    let mut depth = 0_u32;
    text.iter().position(|byte| match byte {
        b'(' => {
            depth += 1;
            false
        }
        b')' if depth == 0 => true,
        b')' => {
            depth -= 1;
            false
        }
        _ => false,
    })
}
