//! Reading the text of nodes, and making up for parentheses and quotes that are lost or too many.

use super::grammar::Grammar;
use super::{Beginning, DEEPEST, Item, ItemKind, Misnamed, Names, Tree, is_space, lacks};
use crate::ika::rules;
use crate::problems::Cause;
use crate::text::BYTE_ORDER_MARK;
use crate::{Message, Place, Problems, quoted};

/// Lines that begin with more blanks than these have no layout.
const MAX_INDENT: usize = 256;
/// How far the end of a text is looked for that has a quote in it.
const MAX_TEXT: usize = 4096;

/// Reads a file. What is wrong with it is listed; there is always a tree.
///
/// Where parentheses are too many or too few, it is read once more, and they are taken for right where the
/// names of nodes and the layout of the text say so: first with both, and where that does not make up for
/// all of them, with the names alone. Where they are neither, but nodes stand where they cannot, names say
/// which of them are at another place than they should.
pub(super) fn parse<'a>(bytes: &'a [u8], grammar: &Grammar) -> (Tree<'a>, Problems) {
    let parse = |mending| Reading::of(Parser::new(bytes, grammar, mending).run(), grammar);
    let plain = parse(None);
    let mended = |has_layout| {
        let parens = plain.parens;
        parse(Some(Mending { parens, has_layout }))
    };
    if plain.parens == Parens::Even {
        if plain.names.misplaced == 0 {
            return plain.read;
        }
        let mended = mended(false);
        let is_better =
            mended.parens == Parens::Even && mended.faults() + mended.mends <= plain.faults();
        return if is_better { mended.read } else { plain.read };
    }
    let by_both = mended(true);
    if by_both.parens == Parens::Even && by_both.faults() == 0 {
        return by_both.read;
    }
    let by_names = mended(false);
    let rank = |reading: &Reading<'_>| (reading.parens != Parens::Even, reading.faults());
    if by_both.parens == Parens::Even && rank(&by_both) <= rank(&by_names) {
        by_both.read
    } else {
        by_names.read
    }
}

/// What is made of a file in one way.
struct Reading<'a> {
    parens: Parens,
    names: Names,
    /// For how many parentheses it is made up.
    mends: usize,
    read: (Tree<'a>, Problems),
}

impl<'a> Reading<'a> {
    fn of(
        (parens, mends, (mut tree, mut problems)): (Parens, usize, (Tree<'a>, Problems)),
        grammar: &Grammar,
    ) -> Self {
        let names = tree.check_names(grammar, &mut problems);
        Self {
            parens,
            names,
            mends,
            read: (tree, problems),
        }
    }

    /// How many nodes are not where they should be.
    fn faults(&self) -> usize {
        self.names.misplaced + self.names.odd
    }
}

/// Whether as many parentheses end nodes as begin them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parens {
    Even,
    /// The file ends inside a node.
    TooFew,
    /// The outermost node ends before the file does.
    TooMany,
}

/// How to make up for parentheses that are lost or too many.
#[derive(Debug, Clone, Copy)]
struct Mending {
    /// What is wrong with them.
    parens: Parens,
    /// Whether blanks before a parenthesis at the beginning of a line say which node it ends.
    has_layout: bool,
}

struct Parser<'a, 'g> {
    bytes: &'a [u8],
    pos: usize,
    /// From 1.
    line: u32,
    line_start: usize,
    /// Where what was read last ends: its line and column.
    last_end: [u32; 2],
    items: Vec<Item<'a>>,
    /// The indices of the nodes that are not closed yet.
    open: Vec<usize>,
    /// The indices of those that were closed since anything else began, and where.
    closed: Vec<(usize, Place)>,
    /// How many texts are in quotes, and how many are not.
    texts: [usize; 2],
    /// Why the rest is not read.
    cut: Option<Cause>,
    /// That a parenthesis is too many or too few.
    unbalanced: Option<Cause>,
    misnamed: Vec<Misnamed>,
    problems: Problems,
    grammar: &'g Grammar,
    mending: Option<Mending>,
    /// For how many parentheses it was made up.
    mends: usize,
    /// How many nodes more are open than in the file, and what that follows from, if none are too many in
    /// all: one that is made up for is at another place.
    shift: (isize, Option<Cause>),
    /// Whether each quote that begins a text has one that ends it: whatever is between them is a text.
    has_even_quotes: bool,
}

impl<'a, 'g> Parser<'a, 'g> {
    fn new(bytes: &'a [u8], grammar: &'g Grammar, mending: Option<Mending>) -> Self {
        Self {
            bytes,
            pos: 0,
            line: 1,
            line_start: 0,
            last_end: [1; 2],
            items: Vec::new(),
            open: Vec::new(),
            closed: Vec::new(),
            texts: [0; 2],
            cut: None,
            unbalanced: None,
            misnamed: Vec::new(),
            problems: Problems::new(),
            grammar,
            mending,
            mends: 0,
            shift: (0, None),
            has_even_quotes: has_even_quotes(bytes),
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

    fn item(&self, index: usize) -> Option<&Item<'a>> {
        self.items.get(index)
    }

    /// The innermost node that is open.
    fn innermost(&self) -> Option<&Item<'a>> {
        self.open.last().and_then(|index| self.item(*index))
    }

    fn run(mut self) -> (Parens, usize, (Tree<'a>, Problems)) {
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.problems.add(&rules::SYNTAX, self.place(), || {
                "a byte order mark; the engine refuses it".to_owned()
            });
            self.pos = BYTE_ORDER_MARK.len();
        }
        self.begin();
        let mut parens = self.all();
        if let Some(item) = self.innermost() {
            let (begin, name) = (item.place(), quoted(item.bytes));
            let count = self.open.len();
            let is_at_end = self.pos >= self.bytes.len();
            // Of a text that does not end it is said already.
            if is_at_end && self.cut.is_none() {
                self.problems.add(&rules::TRUNCATED, self.place(), || {
                    let inside = match count {
                        1 => format!("the node {name}, which begins at {begin}"),
                        _ => {
                            format!("{count} nodes, the innermost {name}, which begins at {begin}")
                        }
                    };
                    format!("the file ends inside {inside}; expected `)`")
                });
                self.cut = self.problems.last();
                // Where all but the outermost node are closed, the file goes on to its end.
                let text = self.bytes.trim_ascii_end();
                if count == 1 && text.ends_with(b")") {
                    self.unbalanced = self.cut;
                }
            }
            if is_at_end {
                parens = Parens::TooFew;
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
        self.check_quotes();
        let tree = Tree {
            items: self.items,
            cut: self.cut,
            unbalanced: self.unbalanced,
            misnamed: self.misnamed,
        };
        (parens, self.mends, (tree, self.problems))
    }

    /// Makes up for what is wrong with the beginning of the root.
    fn begin(&mut self) {
        let root = self.grammar.root;
        let Some(beginning) = Beginning::of(self.bytes, self.grammar) else {
            return;
        };
        let blank = self.rest().iter().take_while(|byte| is_space(**byte));
        self.skip_to(self.pos + blank.count());
        let place = self.place();
        match beginning {
            Beginning::Root => {}
            Beginning::Misspelt => {
                let found = quoted(name_in(self.rest().get(1..).unwrap_or_default()));
                self.problems.add(&rules::MAGIC, place, || {
                    Message::read(format!("found {found}; expected `{root}`"), "as that")
                });
                self.node(1);
                if let Some(item) = self.items.last_mut() {
                    item.bytes = root.as_bytes();
                }
            }
            Beginning::Behind(begin) => {
                let before = self.bytes.get(self.pos..begin).unwrap_or_default();
                let before = before.trim_ascii_end();
                let found = quoted(before.get(..40).unwrap_or(before));
                self.problems.add(&rules::MAGIC, place, || {
                    format!("found {found} before `({root}`; expected nothing; it is left out")
                });
                self.skip_to(begin);
                // The root lacks what stands before it.
                let places = [Some(self.place()), None];
                let misnamed = self.problems.last().map(|cause| Misnamed { cause, places });
                self.misnamed.extend(misnamed);
            }
            Beginning::NoParen => {
                self.problems.add(&rules::MAGIC, place, || {
                    Message::read_so(format!("found `{root}`; expected `({root}`"))
                });
                self.node(0);
            }
            Beginning::NoRoot => {
                let found = quoted(name_in(self.rest().get(1..).unwrap_or_default()));
                self.problems.add(&rules::MAGIC, place, || {
                    Message::read_so(format!(
                        "found the node {found}; expected `({root}` before it"
                    ))
                });
                self.open(root);
            }
        }
    }

    /// Goes to a byte further on.
    fn skip_to(&mut self, pos: usize) {
        while self.pos < pos {
            match self.bytes.get(self.pos) {
                Some(b'\n') => self.line_end(),
                _ => self.pos += 1,
            }
        }
    }

    /// Begins a node that is not in the file.
    fn open(&mut self, name: &'static str) {
        self.open.push(self.items.len());
        let at = [self.line, self.column()];
        self.push(ItemKind::Node, name.as_bytes(), self.pos, at);
    }

    /// Reads all nodes. Says whether there are parentheses behind them, or not enough before.
    fn all(&mut self) -> Parens {
        let mut parens = Parens::Even;
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
                _ if self.mend(byte) => continue,
                _ => {}
            }
            let is_outside = self.open.is_empty();
            if is_outside && is_ended {
                self.problems.add(&rules::TRAILING_DATA, self.place(), || {
                    "more text behind the last parenthesis; it is left out".to_owned()
                });
                if matches!(byte, b'(' | b')') {
                    self.unbalanced = self.problems.last();
                    parens = Parens::TooMany;
                }
                break;
            }
            match byte {
                b'(' => {
                    if self.open.len() == DEEPEST {
                        self.problems.add(&rules::DEPTH, self.place(), || {
                            format!(
                                "more than {DEEPEST} nodes in each other; expected at most 8; \
                                 the rest of the file is left out"
                            )
                        });
                        self.cut = self.problems.last();
                        break;
                    }
                    self.node(1);
                }
                b')' if is_outside => {
                    self.problems.add(&rules::SYNTAX, self.place(), || {
                        "`)` without `(` before it; the engine refuses it".to_owned()
                    });
                    self.pos += 1;
                }
                b')' => {
                    self.pos += 1;
                    self.close();
                    is_ended = self.open.is_empty();
                }
                b'\'' => self.quoted(),
                _ => self.bare(),
            }
        }
        parens
    }

    /// Makes up for a parenthesis that is lost or too many before what stands here, if it seems so. Says
    /// whether it went past something for it.
    fn mend(&mut self, byte: u8) -> bool {
        let Some(Mending { parens, has_layout }) = self.mending else {
            return false;
        };
        match (parens, byte) {
            (Parens::TooFew, b'(') => {
                let rest = self.rest().get(1..).unwrap_or_default();
                if rest.trim_ascii_start().starts_with(b"(") {
                    self.mended(self.place(), || Message::read_so("`(` twice; expected one"));
                    self.pos += 1;
                    return true;
                }
                let name = name_in(rest);
                if self.is_twice(name) {
                    self.mended(self.place(), || {
                        let name = quoted(&[b"(", name].concat());
                        Message::read_so(format!("{name} twice; expected one"))
                    });
                    self.pos += 1 + name.len();
                    return true;
                }
                self.close_before(name);
            }
            (_, b'(') => {
                let name = name_in(self.rest().get(1..).unwrap_or_default());
                let parent = self.innermost();
                if parent.is_none_or(|parent| !self.grammar.allows(parent.bytes, name)) {
                    let is_moved = parens == Parens::Even;
                    _ = self.reopen_before(name)
                        || is_moved && self.close_before(name)
                        || self.open_before(name);
                }
            }
            (_, b')') if !has_layout => {}
            (Parens::TooFew, b')') => self.close_by_layout(),
            (Parens::TooFew, _) => self.close_before_text(),
            (Parens::TooMany, b')') => self.reopen_by_layout(),
            (Parens::TooMany | Parens::Even, _) => return self.mend_before_text(),
        }
        false
    }

    /// Whether a node of this name, which cannot stand in another of it, would be the first thing in one.
    fn is_twice(&self, name: &[u8]) -> bool {
        let last = self
            .open
            .last()
            .filter(|last| **last + 1 == self.items.len());
        let is_it = last
            .and_then(|last| self.item(*last))
            .is_some_and(|item| item.bytes == name);
        is_it && self.grammar.knows(name) && !self.grammar.lists(name, name)
    }

    /// Lists that a parenthesis is lost or too many. What else seems to be wrong with nodes follows from the
    /// first of them.
    fn mended<M: Into<Message>>(&mut self, place: Place, message: impl FnOnce() -> M) {
        self.mends += 1;
        let (shift, cause) = self.shift;
        let cause = cause.filter(|_| shift != 0);
        let (rule, subject) = (&rules::SYNTAX, self.problems.subject);
        self.problems
            .add_consequence(cause, rule, subject, place, message);
        let cause = cause.or(self.problems.last());
        self.shift.1 = cause;
        self.unbalanced = self.unbalanced.or(cause);
    }

    /// Counts nodes that were opened or closed and are not in the file, where others make up for them.
    fn shifted(&mut self, by: isize) {
        if let Some(Mending { parens, .. }) = self.mending
            && parens == Parens::Even
        {
            self.shift.0 = self.shift.0.saturating_add(by);
        }
    }

    /// Whether a node of this name may stand in another, and is not there yet.
    fn fits(&self, index: usize, name: &[u8]) -> bool {
        let parent = self.item(index).map(|item| item.bytes).unwrap_or_default();
        self.grammar.lists(parent, name)
            && (self.grammar.is_list(parent) || lacks(&self.items, index, self.items.len(), name))
    }

    /// Closes the nodes in which a node of this name cannot stand, if it can in the one around them. Says
    /// whether it did.
    fn close_before(&mut self, name: &[u8]) -> bool {
        let (grammar, parents) = (self.grammar, &self.open);
        let is_allowed = |parent: &Item<'_>| grammar.allows(parent.bytes, name);
        if self.innermost().is_none_or(is_allowed) {
            return false;
        }
        let mut parents = parents.iter().rev();
        let inside = parents.position(|parent| self.fits(*parent, name));
        if let Some(inside) = inside {
            let next = quoted(&[b"(", name].concat());
            self.close_lost(inside, &next);
        }
        inside.is_some()
    }

    /// Begins the node in which a node of this name can stand, if the innermost node lacks one. Says whether
    /// it did.
    fn open_before(&mut self, name: &[u8]) -> bool {
        let Some(&innermost) = self.open.last() else {
            return false;
        };
        let grammar = self.grammar;
        let parent = self.item(innermost).map(|item| item.bytes);
        let mut children = grammar.children(parent.unwrap_or_default()).iter().copied();
        let lost = children.find(|child| {
            grammar.lists(child.as_bytes(), name) && self.fits(innermost, child.as_bytes())
        });
        let Some(lost) = lost.filter(|_| self.open.len() + 1 < DEEPEST) else {
            return false;
        };
        self.mended(self.place(), || {
            let (name, parent) = (quoted(name), quoted(parent.unwrap_or_default()));
            Message::read_so(format!(
                "found {name} in {parent}; expected `({lost}` before it"
            ))
        });
        self.shifted(1);
        self.open(lost);
        true
    }

    /// Closes the nodes in one that begins its line as the parenthesis here does, unless the innermost one
    /// may do so too.
    fn close_by_layout(&mut self) {
        let Some(indent) = self.indent(self.pos, self.line_start) else {
            return;
        };
        let indent_of = |index: &usize| self.item(*index).and_then(|item| self.indent_of(item));
        let mut indents = self.open.iter().rev().map(indent_of);
        let innermost = indents.next().flatten();
        if innermost.is_none_or(|innermost| innermost == indent) {
            return;
        }
        if let Some(further) = indents.position(|other| other == Some(indent)) {
            let around = self.open.iter().rev().nth(further + 1);
            let name = around
                .and_then(|index| self.item(*index))
                .map(|item| item.bytes);
            let next = format!("that of {}", quoted(name.unwrap_or_default()));
            self.close_lost(further + 1, &next);
        }
    }

    /// Closes a node that has its text before another one, if the node around it has none.
    fn close_before_text(&mut self) {
        if let Some(around) = self.around_word()
            && self
                .open
                .last()
                .is_some_and(|index| index + 1 < self.items.len())
        {
            let next = format!("the text of {}", quoted(around));
            self.close_lost(1, &next);
        }
    }

    /// The name of the node around the innermost one, if both have a text and that of the innermost is a
    /// word.
    fn around_word(&self) -> Option<&'a [u8]> {
        let grammar = self.grammar;
        let [.., around, innermost] = self.open[..] else {
            return None;
        };
        let [around, innermost] = [self.item(around)?.bytes, self.item(innermost)?.bytes];
        (grammar.lists(around, innermost) && grammar.has_text(around)).then_some(around)
    }

    /// Closes so many nodes whose ends are lost before what stands here.
    fn close_lost(&mut self, count: usize, next: &str) {
        let Some(&Item { line, bytes, .. }) = self.innermost() else {
            return;
        };
        let begin = self.innermost().map_or(self.place(), Item::place);
        // The end of a node that begins and ends on a line is lost there.
        let [end_line, _] = self.last_end;
        let place = if end_line == line {
            place(self.last_end)
        } else {
            self.place()
        };
        self.mended(place, || {
            let (name, parens) = (quoted(bytes), ")".repeat(count));
            let of = match count {
                1 => format!("the end of {name}, which begins at {begin}"),
                _ => format!(
                    "the ends of {count} nodes, the innermost {name}, which begins at {begin}"
                ),
            };
            Message::read_so(format!(
                "{of}, is missing before {next}; expected `{parens}`"
            ))
        });
        self.shifted(-count.cast_signed());
        for _ in 0..count {
            self.close();
        }
    }

    /// Opens a node again that was closed just now, and those around it that were closed after it: the
    /// parenthesis that closed it is one too many. It is one in which a node of this name may stand. Says
    /// whether there is one.
    fn reopen_before(&mut self, name: &[u8]) -> bool {
        let mut closed = self.closed.iter();
        let at = closed.rposition(|(index, _)| self.fits(*index, name));
        if let Some(at) = at {
            self.reopen_at(at);
        }
        at.is_some()
    }

    /// The same of the one that begins its line as the parenthesis here does, unless the innermost one does.
    fn reopen_by_layout(&mut self) {
        let Some(indent) = self.indent(self.pos, self.line_start) else {
            return;
        };
        if let Some(innermost) = self.innermost()
            && self
                .indent_of(innermost)
                .is_none_or(|other| other == indent)
        {
            return;
        }
        let indent_of = |index| self.item(index).and_then(|item| self.indent_of(item));
        let mut closed = self.closed.iter();
        if let Some(at) = closed.rposition(|(index, _)| indent_of(*index) == Some(indent)) {
            self.reopen_at(at);
        }
    }

    fn reopen_at(&mut self, at: usize) {
        let closed = self.closed.split_off(at);
        let Some(&(index, end)) = closed.first() else {
            return;
        };
        let name = self.item(index).map(|item| quoted(item.bytes));
        self.mended(end, || {
            let name = name.unwrap_or_default();
            Message::read(
                format!("one `)` too many: {name} goes on behind it"),
                "without it",
            )
        });
        self.shifted(closed.len().cast_signed());
        self.open
            .extend(closed.iter().rev().map(|(index, _)| index));
    }

    /// Takes a word for a node whose parenthesis is lost, and a text for that of a node that was closed too
    /// early.
    fn mend_before_text(&mut self) -> bool {
        let grammar = self.grammar;
        let (rest, parent) = (self.rest(), self.innermost().map(|item| item.bytes));
        let name = name_in(rest);
        let is_node = parent.is_some_and(|parent| {
            let is_free =
                grammar.is_free(parent) && rest.get(name.len()).copied().is_some_and(is_space);
            !name.is_empty() && (is_free || grammar.lists(parent, name))
        });
        if is_node {
            let name = quoted(name);
            self.mended(self.place(), || {
                Message::read_so(format!(
                    "found {name} without a parenthesis before it; expected `(`"
                ))
            });
            self.node(0);
            return true;
        }
        if parent.is_none_or(|parent| grammar.has_no_text(parent))
            && let Some((last, _)) = self.closed.last()
            && self
                .item(*last)
                .is_some_and(|item| grammar.has_text(item.bytes))
        {
            self.reopen_at(self.closed.len() - 1);
        }
        false
    }

    /// The blanks before a byte, if nothing else is before it on its line.
    fn indent(&self, pos: usize, line_start: usize) -> Option<&'a [u8]> {
        let indent = self.bytes.get(line_start..pos)?;
        let is_indent = indent.len() <= MAX_INDENT && indent.iter().all(|byte| is_space(*byte));
        is_indent.then_some(indent)
    }

    /// The same of the beginning of a node.
    fn indent_of(&self, item: &Item<'_>) -> Option<&'a [u8]> {
        let before = (item.column as usize).saturating_sub(1);
        self.indent(item.start, item.start.saturating_sub(before))
    }

    /// Goes past a line end.
    fn line_end(&mut self) {
        self.pos += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.pos;
    }

    fn push(&mut self, kind: ItemKind, bytes: &'a [u8], start: usize, [line, column]: [u32; 2]) {
        match kind {
            ItemKind::Quoted => self.texts[0] += 1,
            ItemKind::Bare => self.texts[1] += 1,
            ItemKind::Node => {}
        }
        self.closed.clear();
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
        if let Some(index) = self.open.pop()
            && let Some(item) = self.items.get_mut(index)
        {
            (item.next, item.end) = (next, self.pos);
            let [line, column] = self.last_end;
            self.closed
                .push((index, place([line, column.saturating_sub(1)])));
        }
    }

    /// The beginning of a node and its name, with so many parentheses before it.
    fn node(&mut self, parens: usize) {
        let (start, at) = (self.pos, [self.line, self.column()]);
        self.pos += parens;
        let rest = self.rest();
        let name = name_in(rest);
        self.pos += name.len();
        self.last_end = [self.line, self.column()];
        if rest.get(name.len()).is_some_and(|byte| !is_space(*byte)) {
            self.problems.add(&rules::NODE_NAME, self.place(), || {
                format!(
                    "no space behind the name {}; the engine takes what follows for a part of the \
                     name",
                    quoted(name)
                )
            });
            if let Some(cause) = self.problems.last() {
                let of = self.innermost().map(Item::place);
                let places = [Some(place(at)), of];
                self.misnamed.push(Misnamed { cause, places });
            }
        }
        self.open.push(self.items.len());
        self.push(ItemKind::Node, name, start, at);
    }

    /// A text in quotes.
    fn quoted(&mut self) {
        let at = [self.line, self.column()];
        let begin = (self.pos + 1, self.line, self.line_start);
        self.pos += 1;
        let start = self.pos;
        let mut end = self.bytes.len();
        let mut is_closed = false;
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'\'' => {
                    end = self.pos;
                    is_closed = true;
                    break;
                }
                b'\n' => self.line_end(),
                b'\\' => {
                    self.pos += 1;
                    match self.bytes.get(self.pos) {
                        Some(b'\n') => self.line_end(),
                        Some(_) => self.pos += 1,
                        None => {}
                    }
                }
                _ => self.pos += 1,
            }
        }
        self.pos = self.pos.min(self.bytes.len());
        let mut text = self.bytes.get(start..end).unwrap_or_default();
        let behind = self.bytes.get(self.pos + 1..).unwrap_or_default();
        let fault = quote_fault(text, behind, is_closed, self.grammar);
        let is_text = matches!(fault, Some(QuoteFault::NoEnd(_))) && is_end(behind);
        let fault = fault.filter(|_| !(is_text && self.has_even_quotes));
        match fault {
            Some(QuoteFault::NoEnd(len)) => {
                (self.pos, self.line, self.line_start) = begin;
                self.pos += len;
                text = text.get(..len).unwrap_or_default();
                self.problems.add(&rules::SYNTAX, place(at), || {
                    Message::read_so(format!(
                        "the text {} has no end on its line; expected `'`",
                        quoted(text)
                    ))
                });
                is_closed = false;
            }
            Some(QuoteFault::Twice(len)) => {
                self.problems.add(&rules::SYNTAX, place(at), || {
                    Message::read_so("`'` twice; expected one")
                });
                if text.is_empty() {
                    // The second one begins the text.
                    return;
                }
                self.pos += len;
            }
            Some(QuoteFault::Inside(len)) => {
                for _ in 0..len {
                    match self.bytes.get(self.pos) {
                        Some(b'\n') => self.line_end(),
                        _ => self.pos += 1,
                    }
                }
                text = self.bytes.get(start..self.pos).unwrap_or_default();
                self.problems.add(&rules::SYNTAX, place(at), || {
                    let text = quoted(text);
                    Message::read_so(format!("`'` inside the text {text}; expected `\\'` for it"))
                });
            }
            None if !is_closed => {
                self.problems.add(&rules::TRUNCATED, place(at), || {
                    format!("the text {} does not end; expected `'`", quoted(text))
                });
                self.cut = self.problems.last();
            }
            None => {}
        }
        self.pos += usize::from(is_closed);
        self.last_end = [self.line, self.column()];
        self.push(ItemKind::Quoted, text, start - 1, at);
    }

    /// A text up to the next parenthesis.
    fn bare(&mut self) {
        let (start, at) = (self.pos, [self.line, self.column()]);
        let is_short = |mending: Mending| mending.parens == Parens::TooFew;
        let is_word = self.mending.is_some_and(is_short) && self.around_word().is_some();
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'(' | b')' => break,
                byte if is_word && is_space(byte) => break,
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
        let text = text.get(..len.map_or(0, |last| last + 1));
        self.push(ItemKind::Bare, text.unwrap_or_default(), start, at);
    }

    /// Lists the texts that lack their first quote, where many are in quotes. From that it follows that
    /// parentheses in them are taken for those of nodes.
    fn check_quotes(&mut self) {
        let [quoted_texts, bare] = self.texts;
        if 4 * quoted_texts <= bare {
            return;
        }
        let mut around: Vec<(usize, Place)> = Vec::new();
        for (index, item) in self.items.iter_mut().enumerate() {
            while around.pop_if(|(end, _)| *end <= index).is_some() {}
            if item.kind == ItemKind::Node {
                around.push((item.next, item.place()));
            }
            let Some((b'\'', text)) = item.bytes.split_last() else {
                continue;
            };
            if item.kind != ItemKind::Bare {
                continue;
            }
            item.bytes = text;
            self.problems.add(&rules::SYNTAX, item.place(), || {
                let text = quoted(text);
                Message::read_so(format!(
                    "the text {text} has no quote before it; expected `'`"
                ))
            });
            let of = around.last().map(|(_, place)| *place);
            for misnamed in self.misnamed.iter().filter(|it| it.places[1] == of) {
                if let Some(cause) = self.problems.last() {
                    self.problems.fold_one(cause, misnamed.cause);
                }
            }
        }
    }
}

/// The place of a line and a column.
fn place([line, column]: [u32; 2]) -> Place {
    Place::Text {
        line: line.into(),
        column: column.into(),
    }
}

/// The name that a text begins with.
pub(super) fn name_in(text: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| is_space(*byte) || matches!(byte, b'(' | b')');
    let end = text.iter().position(is_end);
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// What is wrong with the quotes of a text.
#[derive(Debug, Clone, Copy)]
enum QuoteFault {
    /// The last one is lost: the text has so many bytes.
    NoEnd(usize),
    /// The first one stands there twice, or the last one: so many bytes are too many.
    Twice(usize),
    /// The last one is in the text, which goes on behind it for so many bytes.
    Inside(usize),
}

/// Whether each quote that begins a text has one that ends it.
fn has_even_quotes(bytes: &[u8]) -> bool {
    let mut is_inside = false;
    let mut rest = bytes;
    while let Some((byte, behind)) = rest.split_first() {
        let skipped = match byte {
            b'\\' if is_inside => 1,
            // A name may have quotes in it.
            b'(' if !is_inside => name_in(behind).len(),
            _ => 0,
        };
        is_inside ^= *byte == b'\'';
        rest = behind.get(skipped..).unwrap_or_default();
    }
    !is_inside
}

/// Whether a text can end before this: there is nothing but the end of its node behind it, or what follows
/// in that.
fn is_end(rest: &[u8]) -> bool {
    let ends_value = |byte: &u8| is_space(*byte) || matches!(byte, b'(' | b')');
    rest.first().is_none_or(ends_value)
}

/// What is wrong with the quotes of a text, which goes up to the next quote or to the end of the file.
fn quote_fault(
    text: &[u8],
    behind: &[u8],
    is_closed: bool,
    grammar: &Grammar,
) -> Option<QuoteFault> {
    let line_end = text.iter().position(|byte| *byte == b'\n');
    let line = text.get(..line_end.unwrap_or(text.len()))?.trim_ascii_end();
    let lost = Some(QuoteFault::NoEnd(node_end(line).unwrap_or(line.len())));
    if !is_closed {
        return lost.filter(|_| line_end.is_some() && node_end(line).is_some());
    }
    let end = node_end(text);
    if is_end(behind) {
        // Nor has a text the ends of nodes in it, and then a node.
        let rest = text.get(end?..)?;
        let next = rest
            .iter()
            .position(|byte| !is_space(*byte) && *byte != b')')?;
        let next = rest.get(next..)?.strip_prefix(b"(")?;
        return lost.filter(|_| grammar.knows(name_in(next)));
    }
    if text.is_empty() {
        return Some(QuoteFault::Twice(0));
    }
    if end.is_some() {
        return lost;
    }
    if let [b'\'', rest @ ..] = behind
        && is_end(rest)
    {
        return Some(QuoteFault::Twice(1));
    }
    // The next quote, if the node does not end before it.
    let near = behind.get(..behind.len().min(MAX_TEXT))?;
    let inside = near.get(..node_end(near).unwrap_or(near.len()))?;
    let next = inside
        .iter()
        .position(|byte| *byte == b'\'')
        .map(|next| next + 1);
    let next = next.filter(|next| behind.get(*next..).is_some_and(is_end));
    match next {
        Some(len) => Some(QuoteFault::Inside(len)),
        None => lost.filter(|_| line_end.is_some()),
    }
}

/// The parenthesis in a text that ends a node which begins before it.
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
