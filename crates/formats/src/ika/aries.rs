//! The notation of ika's text files: nested nodes in parentheses, each with a name and with nodes
//! and texts in it (fact sheet 4).

mod grammar;
mod parse;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

pub(super) use grammar::Grammar;

use super::rules;
use super::text;
use crate::base64;
use crate::misspelt::{meant, near};
use crate::problems::Cause;
use crate::text::BYTE_ORDER_MARK;
use crate::{Message, Place, Problem, Problems, Rest, Rule, Subject, quoted};

/// Nodes may stand in nodes to this depth; maps need eight.
const DEEPEST: usize = 64;
/// Where the root is looked for, in bytes.
const MAX_BEGINNING: usize = 4096;
/// How many names that are not known are compared with those that are.
const MAX_UNKNOWN: usize = 4096;
/// How many nodes in a node are looked at for one of a name; those that are no lists have fewer.
const MAX_NODES: usize = 32;

/// A file in the notation.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    /// Nodes and texts in the order in which they begin.
    items: Vec<Item<'a>>,
    /// Why the rest of the file was not read, if it was not.
    cut: Option<Cause>,
    /// That there is a parenthesis too many or too few, if there is: nodes may stand in others than they
    /// should.
    unbalanced: Option<Cause>,
    misnamed: Vec<Misnamed>,
}

/// A node whose name is not what it seems.
#[derive(Debug)]
struct Misnamed {
    /// What is said of it.
    cause: Cause,
    /// Where it begins, and the node that it is in.
    places: [Option<Place>; 2],
}

/// What is found out about the names of nodes.
#[derive(Debug, Clone, Copy, Default)]
struct Names {
    /// How many nodes and texts stand where they cannot.
    misplaced: usize,
    /// How many nodes stand in one that has another of their name, or lack their text.
    odd: usize,
}

/// A node around another one.
#[derive(Debug)]
struct Around {
    index: usize,
    /// Which of the nodes that may stand in it are there, as bits.
    children: u32,
    /// The last node in it.
    last: Option<usize>,
}

/// A node that cannot stand where it does.
#[derive(Debug)]
struct Misplaced {
    index: usize,
    parent: usize,
    /// The nodes in which it may stand: the one behind it, the one before it, and one around it.
    homes: [Option<usize>; 3],
}

impl Misplaced {
    fn of(items: &[Item<'_>], index: usize, around: &[Around], grammar: &Grammar) -> Self {
        let item = items.get(index);
        let (parent, before) = around
            .last()
            .map(|of| (of.index, of.last))
            .unwrap_or_default();
        let end = items.get(parent).map_or(0, |parent| parent.next);
        let next = item.map(|item| item.next).filter(|next| *next < end);
        let name = item.map(|item| item.bytes).unwrap_or_default();
        let mut further = around.iter().rev().map(|of| of.index);
        let further = further.find(|of| {
            let of = items.get(*of).map(|of| of.bytes);
            of.is_some_and(|of| grammar.lists(of, name))
        });
        Self {
            index,
            parent,
            homes: [next, before, further],
        }
    }
}

/// A node or a text.
#[derive(Debug, Clone, Copy)]
struct Item<'a> {
    kind: ItemKind,
    /// The name of a node; a text as it stands in the file, without quotes.
    bytes: &'a [u8],
    /// Where it begins in the file, in bytes.
    start: usize,
    /// For a node, where it ends in the file.
    end: usize,
    line: u32,
    column: u32,
    /// The index of the first item that is not in it.
    next: usize,
    /// Whether the file ends before the node does.
    is_open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Node,
    Bare,
    Quoted,
}

impl Item<'_> {
    fn place(&self) -> Place {
        Place::Text {
            line: self.line.into(),
            column: self.column.into(),
        }
    }
}

/// A node of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'t, 'a> {
    items: &'t [Item<'a>],
    item: Item<'a>,
    /// The indices of what is in it.
    first: usize,
}

/// A text of a tree.
#[derive(Debug, Clone)]
pub(super) struct Text<'a> {
    /// Without quotes and escapes.
    pub bytes: Cow<'a, [u8]>,
    /// Where it begins, with its quote if it has one.
    pub place: Place,
    item: Option<Item<'a>>,
}

impl Text<'_> {
    /// The bytes that it stands for, and the problem if they are not all. What follows a character that
    /// is not base64 is left out.
    pub(super) fn base64(&self, name: &str, problems: &mut Problems) -> (Vec<u8>, Option<Cause>) {
        let (bytes, fault) = base64::decode(&self.bytes);
        let mut cause = None;
        if let Some(fault) = fault {
            let rest = if fault.is_symbol {
                "; the rest is left out"
            } else {
                ""
            };
            problems.add(&rules::BASE64, self.place_of(fault.position), || {
                format!("{name}: {}{rest}", fault.message)
            });
            cause = problems.last();
        }
        (bytes, cause)
    }

    /// No text, at the place of a node that has none.
    pub(super) fn none(place: Place) -> Self {
        Self {
            bytes: Cow::Borrowed(&[]),
            place,
            item: None,
        }
    }

    /// Where one of its bytes is in the file.
    pub(super) fn place_of(&self, index: usize) -> Place {
        let Some(item) = self.item else {
            return self.place;
        };
        let is_quoted = item.kind == ItemKind::Quoted;
        let (mut line, mut column) = (item.line, item.column + u32::from(is_quoted));
        let mut is_escaped = false;
        let mut left = index;
        for byte in item.bytes {
            is_escaped = is_quoted && !is_escaped && *byte == b'\\';
            if left == 0 && !is_escaped {
                break;
            }
            left -= usize::from(!is_escaped);
            (line, column) = match byte {
                b'\n' => (line.saturating_add(1), 1),
                _ => (line, column.saturating_add(1)),
            };
        }
        Place::Text {
            line: line.into(),
            column: column.into(),
        }
    }
}

/// Whether a file begins with a node of this name.
pub(super) fn begins_with(bytes: &[u8], name: &str) -> bool {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let start = bytes.iter().take(4096).position(|byte| !is_space(*byte));
    let node = bytes.get(start.unwrap_or_default()..);
    let rest = node
        .and_then(|node| node.strip_prefix(b"("))
        .and_then(|node| node.strip_prefix(name.as_bytes()));
    rest.is_some_and(|rest| match rest.first() {
        Some(byte) => is_space(*byte) || matches!(byte, b'(' | b')'),
        None => true,
    })
}

/// How a file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// With its root.
    Root,
    /// With a node of nearly its name.
    Misspelt,
    /// With something before its root, which begins at this byte.
    Behind(usize),
    /// With its name, without a parenthesis.
    NoParen,
    /// With a node that stands in it.
    NoRoot,
}

impl Beginning {
    /// How a file begins that may be of a grammar.
    pub(super) fn of(bytes: &[u8], grammar: &Grammar) -> Option<Self> {
        let root = grammar.root.as_bytes();
        let text = bytes.get(..MAX_BEGINNING).unwrap_or(bytes);
        let blank = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let begin =
            bytes.len() - blank.len() + blank.iter().take_while(|it| is_space(**it)).count();
        let first = text.get(begin..)?;
        let node = first.strip_prefix(b"(");
        let name = parse::name_in(node.unwrap_or(first));
        if name == root {
            return Some(node.map_or(Self::NoParen, |_| Self::Root));
        }
        let mut parens = (begin..text.len()).filter(|at| text.get(*at) == Some(&b'('));
        let is_root = |at: &usize| text.get(*at + 1..).map(parse::name_in) == Some(root);
        if let Some(behind) = parens.find(is_root) {
            return Some(Self::Behind(behind));
        }
        let node = node?;
        if grammar.lists(root, name) {
            return Some(Self::NoRoot);
        }
        let found = std::str::from_utf8(name).ok();
        let is_near = found.is_some_and(|found| meant(found, [grammar.root]).is_some());
        let inside = node.get(name.len()..).map(<[u8]>::trim_ascii_start);
        let inside = inside.and_then(|inside| inside.strip_prefix(b"("));
        let is_like = inside.is_some_and(|it| grammar.lists(root, parse::name_in(it)));
        (is_near || is_like).then_some(Self::Misspelt)
    }
}

/// Whether no node of a name is in one, which ends before an item.
fn lacks(items: &[Item<'_>], index: usize, end: usize, name: &[u8]) -> bool {
    let node = Node::at(items, index).map(|mut node| {
        node.item.next = end;
        node
    });
    node.is_some_and(|node| node.lacks(name))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl<'a> Tree<'a> {
    /// Reads a file, with what is wrong with it; there is always a tree.
    pub(super) fn read(bytes: &'a [u8], grammar: &Grammar) -> (Self, Problems) {
        parse::parse(bytes, grammar)
    }

    /// Lists the nodes without a name, those that have nearly the name of one that may stand where they do,
    /// or that of its list or of its elements, and those that may stand elsewhere alone, and takes them for
    /// what they are meant as. Where that is there already, they are left out. Those in lists that are left
    /// out are listed by whoever reads these.
    fn check_names(&mut self, grammar: &Grammar, problems: &mut Problems) -> Names {
        let mut around: Vec<Around> = Vec::new();
        let mut names = Names::default();
        let mut misplaced: Vec<Misplaced> = Vec::new();
        // What is in which node, of what was misspelt.
        let mut there = HashSet::new();
        let mut unknown = 0;
        // Nodes of whose names it was said already that they are wrong.
        let told = self.misnamed.iter().filter_map(|it| it.places[0]);
        let told: HashSet<Place> = told.collect();
        let mut index = 0;
        while let Some(&item) = self.items.get(index) {
            let is_behind =
                |of: &mut Around| self.items.get(of.index).is_none_or(|of| of.next <= index);
            while around.pop_if(is_behind).is_some() {}
            if item.kind != ItemKind::Node {
                let of = around.last().and_then(|of| self.items.get(of.index));
                names.misplaced += usize::from(of.is_some_and(|of| grammar.has_no_text(of.bytes)));
                index = item.next;
                continue;
            }
            let is_empty = || Node::at(&self.items, index).is_some_and(|it| it.text().is_none());
            names.odd += usize::from(grammar.is_with_text(item.bytes) && is_empty());
            let parent = around.last().and_then(|of| Node::at(&self.items, of.index));
            let parent = parent.filter(|parent| grammar.knows(parent.name()));
            let place = item.place();
            if let Some(parent) = parent
                && let Some(child) = grammar.child(parent.name(), item.bytes)
            {
                names.odd += usize::from(around.last_mut().is_some_and(|of| {
                    let is_there = of.children & 1 << child != 0;
                    of.children |= 1 << child;
                    is_there && !grammar.is_list(parent.name())
                }));
            } else if let Some(parent) = parent
                && unknown < MAX_UNKNOWN
                && !told.contains(&place)
                && let Some(meant) = self.meant_by(index, parent, grammar)
            {
                let is_there = !grammar.is_list(parent.name())
                    && (!there.insert((parent.first, meant)) || !parent.lacks(meant.as_bytes()));
                let names = [item.bytes, meant.as_bytes()];
                let names = [names.iter().min(), names.iter().max()];
                problems.add_alike(names, &rules::UNKNOWN_NODE, Subject::File, place, || {
                    let [name, parent] = [item.bytes, parent.name()].map(quoted);
                    let found = format!("{name} is no node of {parent}; expected `{meant}`");
                    if is_there {
                        Message::left_out(format!("{found}, which it has"), name)
                    } else {
                        Message::read(found, "as that")
                    }
                });
                if let Some(item) = self.items.get_mut(index).filter(|_| !is_there) {
                    item.bytes = meant.as_bytes();
                }
            } else if parent.is_some() && grammar.knows(item.bytes) && !told.contains(&place) {
                misplaced.push(Misplaced::of(&self.items, index, &around, grammar));
            } else if let Some(parent) = parent
                && !told.contains(&place)
                && !grammar.is_list(parent.name())
            {
                unknown += 1;
                let name = quoted(item.bytes);
                let of = quoted(parent.name());
                if item.bytes.is_empty() {
                    problems.add(&rules::UNKNOWN_NODE, place, || {
                        format!("found a node without a name in {of}; it is left out")
                    });
                } else {
                    problems.add(&rules::OTHER_NODE, place, || {
                        format!("{name} is no node of {of}; the engine leaves it out")
                    });
                }
                let places = [place, parent.place()].map(Some);
                let misnamed = problems.last().map(|cause| Misnamed { cause, places });
                self.misnamed.extend(misnamed);
            }
            if let Some(of) = around.last_mut() {
                of.last = Some(index);
            }
            // A node that may have any nodes in it is not looked into.
            let name = self.items.get(index).map(|item| item.bytes);
            if name.is_some_and(|name| grammar.is_free(name)) {
                index = item.next;
                continue;
            }
            around.push(Around {
                index,
                children: 0,
                last: None,
            });
            index += 1;
        }
        names.misplaced += misplaced.len();
        self.move_misplaced(&misplaced, grammar, problems);
        names
    }

    /// Lists the nodes that cannot stand where they do, and takes them for where they can.
    fn move_misplaced(
        &mut self,
        misplaced: &[Misplaced],
        grammar: &Grammar,
        problems: &mut Problems,
    ) {
        let mut moved_nodes = HashSet::new();
        let mut adopted: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut taken = HashSet::new();
        for node in misplaced {
            let [Some(item), Some(parent)] =
                [node.index, node.parent].map(|index| self.items.get(index))
            else {
                continue;
            };
            let fits = |home: &usize| {
                self.items.get(*home).is_some_and(|of| {
                    grammar.lists(of.bytes, item.bytes)
                        && (grammar.is_list(of.bytes)
                            || lacks(&self.items, *home, of.next, item.bytes)
                                && !taken.contains(&(*home, item.bytes)))
                })
            };
            let home = node.homes.into_iter().flatten().find(fits);
            if home.is_none() && grammar.is_list(parent.bytes) {
                continue;
            }
            let (rule, subject, place) = (&rules::UNKNOWN_NODE, Subject::File, item.place());
            // Those that stand in one node are there for one cause.
            problems.add_alike(parent.place(), rule, subject, place, || {
                let [name, of] = [item, parent].map(|item| quoted(item.bytes));
                let home = home.and_then(|home| self.items.get(home));
                let Some(home) = home else {
                    let parents = grammar.parents(item.bytes).join("` or `");
                    let what =
                        format!("found {name} in {of}; expected in `{parents}`; it is left out");
                    return what.into();
                };
                let (home, begin) = (quoted(home.bytes), home.place());
                Message::read_so(format!(
                    "found {name} in {of}; expected in {home}, which begins at {begin}"
                ))
            });
            if let Some(home) = home {
                taken.insert((home, item.bytes));
                moved_nodes.insert(node.index);
                adopted.entry(home).or_default().push(node.index);
            }
        }
        if moved_nodes.is_empty() {
            return;
        }
        let mut moved = Vec::with_capacity(self.items.len());
        let mut index = 0;
        while let Some(item) = self.items.get(index) {
            if !moved_nodes.contains(&index) {
                self.put(index, &moved_nodes, &adopted, &mut moved);
            }
            index = item.next;
        }
        self.items = moved;
    }

    /// Puts an item behind others, and what is in it but for what is moved, with what is moved there.
    fn put(
        &self,
        index: usize,
        moved_nodes: &HashSet<usize>,
        adopted: &HashMap<usize, Vec<usize>>,
        moved: &mut Vec<Item<'a>>,
    ) {
        let Some(item) = self.items.get(index) else {
            return;
        };
        let at = moved.len();
        moved.push(*item);
        let node = Node::at(&self.items, index).filter(|_| item.kind == ItemKind::Node);
        let inside = node.into_iter().flat_map(Node::content);
        let inside = inside.map(|(index, _)| index);
        let mut inside: Vec<usize> = inside.filter(|it| !moved_nodes.contains(it)).collect();
        if let Some(adopted) = adopted.get(&index) {
            inside.extend(adopted);
            inside.sort_unstable();
        }
        for index in inside {
            self.put(index, moved_nodes, adopted, moved);
        }
        let next = moved.len();
        if let Some(item) = moved.get_mut(at) {
            item.next = next;
        }
    }

    /// The name that is meant by that of a node in another, which is not one of those that may stand there.
    fn meant_by(
        &self,
        index: usize,
        parent: Node<'_, 'a>,
        grammar: &Grammar,
    ) -> Option<&'static str> {
        let node = Node::at(&self.items, index)?;
        let name = node.name();
        let children = grammar.children(parent.name());
        let is_list = grammar.is_list(parent.name());
        let is_missing = |child: &&str| is_list || parent.lacks(child.as_bytes());
        let is_of = |other: &str, inside: Node<'_, '_>| {
            inside.name() == other.as_bytes() || grammar.lists(other.as_bytes(), inside.name())
        };
        if grammar.knows(name) {
            let other = grammar.other_number(parent.name(), name)?;
            return node
                .nodes()
                .all(|inside| is_of(other, inside))
                .then_some(other);
        }
        let mut in_case = children.iter().copied();
        if let Some(same) = in_case.find(|it| name.eq_ignore_ascii_case(it.as_bytes())) {
            return Some(same);
        }
        if let [_] = name {
            // Of the names of one letter, the one that is not there.
            let mut missing = children.iter().copied();
            return missing.find(|child| child.len() == 1 && is_missing(child));
        }
        let text = std::str::from_utf8(name).ok()?;
        let missing = || children.iter().copied().filter(|child| is_missing(child));
        let meant = meant(text, children).or_else(|| near(text, missing()).map(str::to_owned));
        if let Some(meant) = meant {
            return children.iter().copied().find(|child| *child == meant);
        }
        // The only one that has in it what is there.
        let has_nodes = node.nodes().next().is_some();
        let mut alike = missing().filter(|child| {
            has_nodes
                && !grammar.children(child.as_bytes()).is_empty()
                && node.nodes().all(|inside| is_of(child, inside))
        });
        alike.next().filter(|_| alike.next().is_none())
    }

    /// Lets what is said of nodes that the file does not end follow from its end, and what else does; and
    /// what nodes lack from that it may stand elsewhere, or have another name.
    pub(super) fn fold_cut(&self, problems: &mut Problems, follows: impl Fn(&Problem) -> bool) {
        self.fold_imbalance(problems);
        if let Some(unbalanced) = self.unbalanced {
            // What stands in the place of one that is lost is taken for the end of what is before it, on its line
            // or the one before.
            let lost = problems.place_of(Some(unbalanced));
            let is_before = |place: Place| {
                let lines = [Some(place), lost].map(|place| place?.line_number());
                let [Some(line), Some(of_lost)] = lines else {
                    return false;
                };
                Some(place) < lost && line + 1 >= of_lost
            };
            problems.fold(unbalanced, |problem| {
                is_before(problem.place) || self.is_of_missing(problem)
            });
        }
        for Misnamed { cause, places } in &self.misnamed {
            problems.fold(*cause, |problem| {
                places.contains(&Some(problem.place)) && self.is_of_missing(problem)
            });
        }
        let Some(cut) = self.cut else { return };
        let mut open: Vec<Place> = Vec::new();
        open.extend(self.items.iter().filter(|it| it.is_open).map(Item::place));
        let last = self.items.last().map(Item::place);
        problems.fold(cut, |problem| {
            let is_of_last = last.is_some_and(|last| problem.place >= last);
            is_of_last || open.contains(&problem.place) || follows(problem)
        });
    }

    /// Lets a parenthesis that is too many or too few at the end follow from where one may be lost or
    /// twice.
    fn fold_imbalance(&self, problems: &mut Problems) {
        let Some(end) = self.unbalanced else { return };
        let is_nameless = |item: &Item<'_>| item.kind == ItemKind::Node && item.bytes.is_empty();
        let nameless = self.items.iter().find(|item| is_nameless(item));
        let nameless = nameless.and_then(|nameless| {
            let place = Some(nameless.place());
            self.misnamed.iter().find(|it| it.places.contains(&place))
        });
        let in_data = [&rules::SYNTAX, &rules::BASE64, &rules::BLOCK];
        let first = nameless
            .map(|it| it.cause)
            .or_else(|| problems.find_since(0, |problem| in_data.contains(&problem.rule)));
        if let Some(first) = first {
            problems.fold_one(first, end);
        }
    }

    /// Whether a problem says that a node lacks something, or has what belongs elsewhere.
    fn is_of_missing(&self, problem: &Problem) -> bool {
        const OF_MISSING: [&Rule; 7] = [
            &rules::MISSING_NODE,
            &rules::NO_HEADER,
            &rules::NO_LAYERS,
            &rules::ZONE_NAME,
            &rules::SIZE,
            &rules::UNKNOWN_NODE,
            &rules::OTHER_NODE,
        ];
        // A value that is there has a place of its own.
        let values = [&rules::VALUE, &rules::UNREADABLE_VALUE, &rules::VERSION];
        let is_value = values.contains(&problem.rule);
        let is_of_node =
            |item: &Item<'_>| item.kind == ItemKind::Node && item.place() == problem.place;
        OF_MISSING.contains(&problem.rule) || is_value && self.items.iter().any(is_of_node)
    }

    /// The first node of this name that is in no other.
    pub(super) fn root(&self, name: &str) -> Option<Node<'_, 'a>> {
        let mut index = 0;
        while let Some(item) = self.items.get(index) {
            if item.kind == ItemKind::Node && item.bytes == name.as_bytes() {
                return Node::at(&self.items, index);
            }
            index = item.next;
        }
        None
    }
}

impl<'t, 'a> Node<'t, 'a> {
    /// The node at an index.
    fn at(items: &'t [Item<'a>], index: usize) -> Option<Self> {
        Some(Self {
            items,
            item: *items.get(index)?,
            first: index + 1,
        })
    }

    /// Its name.
    pub(super) fn name(&self) -> &'a [u8] {
        self.item.bytes
    }

    /// Where it begins.
    pub(super) fn place(&self) -> Place {
        self.item.place()
    }

    /// Whether the file ends before it does.
    pub(super) fn is_open(&self) -> bool {
        self.item.is_open
    }

    /// What is missing of the list in a node of this name.
    pub(super) fn rest_of(self, name: &str) -> Rest {
        let is_open = self
            .node(name)
            .map_or(self.is_open(), |node| node.is_open());
        if is_open {
            Rest::Unknown
        } else {
            Rest::Nothing
        }
    }

    /// Where it is in the file, in bytes.
    pub(super) fn range(&self) -> std::ops::Range<u64> {
        self.item.start as u64..self.item.end as u64
    }

    /// What is in it: the index of each item, and the item.
    fn content(self) -> impl Iterator<Item = (usize, Item<'a>)> {
        let mut index = self.first;
        std::iter::from_fn(move || {
            if index >= self.item.next {
                return None;
            }
            let (at, item) = (index, *self.items.get(index)?);
            index = item.next;
            Some((at, item))
        })
    }

    /// The nodes in it.
    pub(super) fn nodes(self) -> impl Iterator<Item = Self> {
        self.content()
            .filter(|(_, item)| item.kind == ItemKind::Node)
            .filter_map(move |(index, _)| Node::at(self.items, index))
    }

    /// The nodes of a name in it.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = Self> {
        self.nodes()
            .filter(move |node| node.name() == name.as_bytes())
    }

    /// The first node of a name in it.
    pub(super) fn node(self, name: &str) -> Option<Self> {
        self.all(name).next()
    }

    /// Whether no node of a name is in it.
    fn lacks(self, name: &[u8]) -> bool {
        let mut nodes = self.nodes().take(MAX_NODES);
        nodes.all(|node| node.name() != name)
    }

    /// Its value: the first text in it.
    pub(super) fn text(self) -> Option<Text<'a>> {
        let texts = self.content().map(|(_, item)| item);
        let item = texts.into_iter().find(|item| item.kind != ItemKind::Node)?;
        let is_escaped = item.kind == ItemKind::Quoted && item.bytes.contains(&b'\\');
        Some(Text {
            bytes: if is_escaped {
                unescaped(item.bytes).into()
            } else {
                item.bytes.into()
            },
            place: item.place(),
            item: Some(item),
        })
    }
}

/// What the text maps and tilesets have in common.
impl Node<'_, '_> {
    /// Its name and the text that is its value.
    pub(super) fn key_and_value(self) -> (String, String) {
        let value = self.text().map(|value| text::decode(&value.bytes));
        (text::decode(self.name()), value.unwrap_or_default())
    }

    /// The version that the root of a file states; one that the engine does not read is listed.
    pub(super) fn version(self, known: &[&str], problems: &mut Problems) -> String {
        let version = self.node("version").and_then(Node::text);
        let place = version.as_ref().map_or(self.place(), |text| text.place);
        let version = version.map(|text| text::decode(&text.bytes));
        let version = version.unwrap_or_default();
        if !known.contains(&&*version) {
            problems.add(&rules::VERSION, place, || {
                let found = match &*version {
                    "" => "no version".to_owned(),
                    version => format!("version {}", quoted(version.as_bytes())),
                };
                let (last, others) = known.split_last().unwrap_or((&"", &[]));
                let others = others.join(", ");
                Message::read(
                    format!("{found}; expected {others} or {last}"),
                    format_args!("as {last}"),
                )
            });
        }
        version
    }

    /// Lists that data is said to be packed in another way than all data is.
    pub(super) fn check_packing(self, name: &str, problems: &mut Problems) {
        let format = self.node("format").and_then(Node::text);
        if let Some(format) = format.filter(|format| *format.bytes != *b"zlib") {
            problems.add(&rules::VALUE, format.place, || {
                let format = quoted(&format.bytes);
                Message::read(
                    format!("{name}: the data is said to be {format}; expected `zlib`"),
                    "as that",
                )
            });
        }
    }
}

/// A quoted text without its escapes.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        text.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(&other) => other,
                None => continue,
            },
            _ => byte,
        });
    }
    text
}

/// A text in quotes, with the escapes that it needs.
pub(super) fn quote(bytes: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(bytes.len() + 2);
    quoted.push(b'\'');
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => quoted.extend([b'\\', byte]),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// Whether a text can be the name of a node.
pub(super) fn is_name(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && !bytes
            .iter()
            .any(|byte| is_space(*byte) || matches!(byte, b'(' | b')'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    const GRAMMAR: Grammar = Grammar {
        root: "map",
        nodes: &[
            ("map", &["title", "list", "layer", "free"]),
            ("list", &["element"]),
            ("element", &["name", "number"]),
            ("layer", &["size", "data"]),
            ("size", &["width", "height"]),
            ("data", &["format"]),
        ],
        with_text: &["data"],
        free: "free",
    };

    fn read(bytes: &[u8]) -> (Tree<'_>, Vec<String>) {
        let (tree, problems) = Tree::read(bytes, &GRAMMAR);
        let problems = problems.finish();
        (tree, problems.iter().map(ToString::to_string).collect())
    }

    fn value(node: Node<'_, '_>, name: &str) -> String {
        let text = node.node(name).and_then(Node::text);
        String::from_utf8(text.unwrap().bytes.into_owned()).unwrap()
    }

    #[test]
    fn nodes_and_texts_of_both_kinds_are_read() {
        let any = Grammar {
            root: "doc",
            nodes: &[],
            with_text: &[],
            free: "doc",
        };
        let (tree, problems) = Tree::read(
            b"(doc \r\n\t(title  The  River's end \r\n )\r\n\t(script 'a (\\'b\\')\\n\\\\\\t\\q')\n\
              (empty )(none '')(both one (x ) 'two')\n)",
            &any,
        );
        assert_eq!(problems.finish(), []);
        let root = tree.root("doc").unwrap();
        assert_eq!(value(root, "title"), "The  River's end");
        assert_eq!(value(root, "script"), "a ('b')\n\\\tq");
        assert!(root.node("empty").unwrap().text().is_none());
        assert_eq!(value(root, "none"), "");
        assert_eq!(value(root, "both"), "one");
        let names: Vec<_> = root.nodes().map(|node| node.name()).collect();
        assert_eq!(
            names,
            [&b"title"[..], b"script", b"empty", b"none", b"both"]
        );
        assert_eq!(root.all("title").count(), 1);
        assert!(root.node("x").is_none() && tree.root("title").is_none());
        let title = root.node("title").unwrap();
        assert_eq!(title.place(), Place::Text { line: 2, column: 2 });
        assert_eq!(title.range(), 8..37);
        let text = title.text().unwrap();
        assert_eq!(
            text.place,
            Place::Text {
                line: 2,
                column: 10
            }
        );
    }

    #[test]
    fn quotes_hold_every_text() {
        for text in [&b""[..], b"'", b"\\", b"a\nb\tc", b"(x)", b"\\n", &[0, 255]] {
            let file = [b"(a ", &quote(text)[..], b")"].concat();
            let (tree, problems) = read(&file);
            assert_eq!(problems, [""; 0]);
            let read = tree.root("a").unwrap().text().unwrap();
            assert_eq!(read.bytes, text);
        }
    }

    #[test]
    fn every_byte_of_a_text_has_its_place() {
        let (tree, _) = read(b"(a \r\n 'b\\'c\n d' )(e f\n  g)");
        let at = |line, column| Place::Text { line, column };
        let text = tree.root("a").unwrap().text().unwrap();
        assert_eq!(&*text.bytes, b"b'c\n d");
        let places: Vec<Place> = (0..7).map(|index| text.place_of(index)).collect();
        let expected = [(2, 3), (2, 5), (2, 6), (2, 7), (3, 1), (3, 2), (3, 3)];
        assert_eq!(places, expected.map(|(line, column)| at(line, column)));
        let (tree, _) = read(b"(e f\n  g)");
        let text = tree.root("e").unwrap().text().unwrap();
        assert_eq!((text.place_of(0), text.place_of(4)), (at(1, 4), at(2, 3)));
        assert_eq!(Text::none(at(7, 8)).place_of(3), at(7, 8));
    }

    #[test]
    fn faults_are_said_and_the_rest_is_read() {
        let (tree, problems) = read(b"(a (b 1)\n (c 2");
        assert_eq!(
            problems,
            [
                "2:6: error: the file ends inside 2 nodes, the innermost `c`, which begins at 2:2; \
                 expected `)`"
            ]
        );
        assert_eq!(value(tree.root("a").unwrap(), "c"), "2");

        let (tree, problems) = read(b"(a (b 'x\\");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("1:7: error: the text `x\\` does not end"));
        assert_eq!(value(tree.root("a").unwrap(), "b"), "x");

        let (tree, problems) = read(b"(a(b)(c 1)) rest (d )");
        assert_eq!(
            problems,
            [
                "1:3: warning: no space behind the name `a`; the engine takes what follows for a \
                 part of the name",
                "1:5: warning: no space behind the name `b`; the engine takes what follows for a \
                 part of the name",
                "1:13: warning: more text behind the last parenthesis; it is left out",
            ]
        );
        assert_eq!(value(tree.root("a").unwrap(), "c"), "1");
        assert!(tree.root("d").is_none());

        let (tree, problems) = read(b")(a )");
        assert!(
            problems[0].starts_with("1:1: error: `)` without `(`"),
            "{problems:?}"
        );
        assert!(tree.root("a").is_some());
        let (tree, problems) = read(b"\xef\xbb\xbf(a )");
        assert_eq!(
            problems,
            ["1:1: error: a byte order mark; the engine refuses it"]
        );
        assert!(tree.root("a").is_some());
    }

    #[test]
    fn texts_without_their_last_quote_end_on_their_line() {
        for (file, text) in [
            (&b"(a (b 'Water)\n(c 'foo')\n(d 'bar'))"[..], "Water"),
            (b"(a (b 'Water)\n(c 'foo') (d ''))", "Water"),
            (b"(a (b 'tiles.vsp)\n(c foo) (d bar))", "tiles.vsp"),
            (b"(a (b 'Water (deep))\r\n(c 'foo')(d bar))", "Water (deep)"),
            (b"(a (b 'Water\n) (c 'foo')(d bar))", "Water"),
        ] {
            let (tree, problems) = read(file);
            let said = format!(
                "1:7: error: the text `{text}` has no end on its line; expected `'`; it is read so"
            );
            assert_eq!(problems, [said]);
            let root = tree.root("a").unwrap();
            assert_eq!(value(root, "b"), text);
            assert_eq!(root.nodes().count(), 3);
        }
        // Texts of several lines are whole, and a file may end in one.
        let (tree, problems) = read(b"(a (b 'two (x)\nlines (y') (c 'z'))");
        assert_eq!(
            (value(tree.root("a").unwrap(), "b"), problems.len()),
            ("two (x)\nlines (y".to_owned(), 0)
        );
        // With as many quotes as there should be, a text may look like nodes.
        let (tree, problems) = read(b"(a (b 'two)\n(c lines') (d 'z'))");
        let root = tree.root("a").unwrap();
        assert_eq!(
            (value(root, "b"), value(root, "d"), problems.len()),
            ("two)\n(c lines".to_owned(), "z".to_owned(), 0)
        );
        // Those in names do not count.
        let (tree, problems) = read(b"(a (x' 'y') (b 'two)\n(c lines'))");
        assert_eq!(
            (value(tree.root("a").unwrap(), "b"), problems.len()),
            ("two)\n(c lines".to_owned(), 0)
        );
        let (_, problems) = read(b"(a (b 'two\nlines");
        assert_eq!(
            problems,
            ["1:7: error: the text `two\\nlines` does not end; expected `'`"]
        );
    }

    #[test]
    fn depth_is_limited() {
        let (_, problems) = read("(x ".repeat(1_000_000).as_bytes());
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("more than 64 nodes in each other"));
        let good = ["(x ".repeat(64), ")".repeat(64)].concat();
        assert_eq!(read(good.as_bytes()).1, [""; 0]);
        let (_, problems) = Tree::read(&b"(".repeat(65), &GRAMMAR);
        assert!(
            problems
                .finish()
                .iter()
                .any(|p| p.severity == Severity::Error)
        );
    }

    #[test]
    fn beginnings_are_told_apart() {
        assert!(begins_with(b"(ika-map \r\n", "ika-map"));
        assert!(begins_with(
            b"\xef\xbb\xbf\n (ika-map(version 1.0))",
            "ika-map"
        ));
        assert!(!begins_with(b"(ika-mapper )", "ika-map"));
        assert!(!begins_with(b"ika-map", "ika-map"));
        assert!(!begins_with(b"", "ika-map"));
    }

    /// What is read of a text in a node `a` that begins on the third line.
    fn base64_of(text: &[u8]) -> (Vec<u8>, Vec<String>) {
        let file = [b"\n\n(a ", text, b")"].concat();
        let (tree, mut problems) = Tree::read(&file, &GRAMMAR);
        let node = tree.root("a").unwrap();
        let text = node.text().unwrap_or(Text::none(node.place()));
        let (bytes, _) = text.base64("tiles", &mut problems);
        let problems = problems.finish();
        (bytes, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn both_habits_of_base64_are_read() {
        let bytes: Vec<u8> = (0..200).collect();
        for len in [0, 1, 2, 3, 33, 34, 35, 200] {
            let line = base64::encode(&bytes[..len]);
            let lines: Vec<&str> = line
                .as_bytes()
                .chunks(44)
                .map(|line| std::str::from_utf8(line).unwrap())
                .collect();
            let lines = format!("{}\n", lines.join("\r\n\t "));
            let bare = line.trim_end_matches('=');
            for text in [&line[..], &lines, bare] {
                let (read, problems) = base64_of(text.as_bytes());
                assert_eq!(read, bytes[..len], "{text}");
                assert_eq!(problems, [""; 0]);
            }
        }
    }

    #[test]
    fn other_characters_end_base64() {
        let expected = "tiles: found `!`; expected base64: letters, digits, `+` and `/`; the rest \
                        is left out";
        for (text, place) in [
            (&b"AAAA\nAA!AAAAA"[..], "4:3"),
            (b"'AAAA\nAA!AAAAA'", "4:3"),
            (b"AAAAAA!AAAAA", "3:10"),
            (b"'AAAAAA!AAAAA'", "3:11"),
        ] {
            let (bytes, problems) = base64_of(text);
            assert!(bytes.starts_with(&[0; 3]));
            assert_eq!(problems, [format!("{place}: error: {expected}")]);
        }
        let (_, problems) = base64_of(b"AAAAA");
        assert_eq!(
            problems,
            ["3:8: error: tiles: the base64 ends in the middle of a byte"]
        );
        assert_eq!(base64_of(b"").0, b"");
    }
}
