//! The notation of ika's text files: nested nodes in parentheses. Each node has a name and contains
//! nodes and texts (fact sheet 4).

mod grammar;
mod parse;

use std::borrow::Cow;
use std::collections::HashMap;

pub(super) use grammar::Grammar;

use super::{rules, text};
use crate::misspelt::suggest;
use crate::problems::Cause;
use crate::text::BYTE_ORDER_MARK;
use crate::{Message, Place, Problems, Rest, Subject, base64, quoted};

/// Maximum nesting depth of nodes; maps need eight.
const MAX_DEPTH: usize = 64;
/// Maximum number of unknown names to compare with known ones.
const MAX_UNKNOWN: usize = 4096;

/// A parsed file.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    /// Nodes and texts, ordered by where they begin.
    items: Vec<Item<'a>>,
    /// Reason the rest of the file was not read, if it was not.
    cut: Option<Cause>,
    /// Causes of damaged nodes, by node index. Anything missing from such a node follows from its
    /// cause.
    faults: HashMap<usize, Cause>,
}

/// A node or a text.
#[derive(Debug, Clone, Copy)]
struct Item<'a> {
    kind: ItemKind,
    /// The name of a node, or a text as written in the file, without quotes.
    bytes: &'a [u8],
    /// Start offset in the file, in bytes.
    start: usize,
    /// For a node, its end offset in the file.
    end: usize,
    line: u32,
    column: u32,
    /// Index of the first item after this one's content.
    next: usize,
    /// `true` if the file ends before the node does.
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
    tree: &'t Tree<'a>,
    index: usize,
    item: Item<'a>,
}

/// A text of a tree.
#[derive(Debug, Clone)]
pub(super) struct Text<'a> {
    /// The bytes without quotes and escapes.
    pub bytes: Cow<'a, [u8]>,
    /// Position of its start, including the quote if it has one.
    pub place: Place,
    item: Option<Item<'a>>,
}

impl Text<'_> {
    /// Decodes the text as base64 and returns the bytes, plus the problem if they are incomplete.
    /// Decoding stops at the first character that is not base64.
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

    /// An empty text, placed at a node that has no text.
    pub(super) fn none(place: Place) -> Self {
        Self {
            bytes: Cow::Borrowed(&[]),
            place,
            item: None,
        }
    }

    /// Position in the file of the byte at `index`.
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

/// Returns `true` if the file begins with a node of this name.
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

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl<'a> Tree<'a> {
    /// Reads a file and reports its problems. Always returns a tree.
    pub(super) fn read(bytes: &'a [u8], grammar: &Grammar) -> (Self, Problems) {
        let (mut tree, mut problems) = parse::parse(bytes, grammar);
        tree.check_names(grammar, &mut problems);
        (tree, problems)
    }

    /// Warns of misspelt and duplicate nodes. An unknown node counts as misspelt if its name
    /// resembles a known one that is missing from the same parent.
    fn check_names(&mut self, grammar: &Grammar, problems: &mut Problems) {
        let mut unknown = 0;
        let (mut found, mut twice) = (Vec::new(), Vec::new());
        // Only faults in the nesting, not those added below for names.
        let faults = self.faults.clone();
        // A known name in the wrong parent counts as unknown.
        let mut is_known = vec![false; self.items.len()];
        if let Some(root) = self.root(grammar.root) {
            is_known[root.index] = true;
        }
        for index in 0..self.items.len() {
            let Some(parent) = Node::at(self, index).filter(|_| is_known[index]) else {
                continue;
            };
            let known = grammar.children(parent.name());
            let is_list = grammar.is_list(parent.name());
            if known.is_empty() {
                continue;
            }
            let mut seen = Vec::new();
            for node in parent.nodes().filter(|node| known.contains(&node.name())) {
                is_known[node.index] = true;
                if seen.contains(&node.name()) && !is_list {
                    twice.push((index, node.name(), node.place()));
                } else if seen.len() < known.len() {
                    seen.push(node.name());
                }
            }
            // If the file ends in a name, the name may be incomplete.
            let whole = parent.nodes().filter(|node| !node.is_open());
            for node in whole.filter(|node| !known.contains(&node.name())) {
                unknown += 1;
                if unknown > MAX_UNKNOWN {
                    break;
                }
                let missing = known
                    .iter()
                    .filter(|name| is_list || !seen.contains(*name))
                    .filter_map(|name| str::from_utf8(name).ok());
                let name = str::from_utf8(node.name()).ok();
                if let Some(meant) = name.and_then(|name| suggest(name, missing)) {
                    found.push((index, node.name(), node.place(), meant));
                }
            }
        }
        let mut warn = |parent: usize, key, rule, place, message: &dyn Fn(&[u8]) -> String| {
            let of = self.items.get(parent).map_or(&b""[..], |of| of.bytes);
            let (subject, message) = (Subject::File, || message(of));
            if let Some(cause) = faults.get(&parent) {
                problems.add_consequence(Some(*cause), rule, subject, place, message);
            } else if let Some(cause) = problems.add_grouped(key, rule, subject, place, message) {
                self.faults.entry(parent).or_insert(cause);
            }
        };
        for (parent, name, place, meant) in &found {
            let key = (0, *name, &**meant);
            warn(*parent, key, &rules::UNKNOWN_NODE, *place, &|of| {
                let [name, of] = [*name, of].map(quoted);
                format!("unknown node {name} in {of} (did you mean `{meant}`?)")
            });
        }
        for (parent, name, place) in twice {
            // If two records were merged, every node of the second one is a duplicate.
            let key = (parent, &b""[..], "");
            warn(parent, key, &rules::VALUE, place, &|of| {
                let [name, of] = [name, of].map(quoted);
                format!("duplicate node {name} in {of}; the engine reads only the first")
            });
        }
    }

    /// Returns the first top-level node of this name.
    pub(super) fn root(&self, name: &str) -> Option<Node<'_, 'a>> {
        let mut index = 0;
        while let Some(item) = self.items.get(index) {
            if item.kind == ItemKind::Node && item.bytes == name.as_bytes() {
                return Node::at(self, index);
            }
            index = item.next;
        }
        None
    }
}

impl<'t, 'a> Node<'t, 'a> {
    /// Returns the node at an index.
    fn at(tree: &'t Tree<'a>, index: usize) -> Option<Self> {
        let item = *tree.items.get(index)?;
        let is_node = item.kind == ItemKind::Node;
        is_node.then_some(Self { tree, index, item })
    }

    /// The name of the node.
    pub(super) fn name(&self) -> &'a [u8] {
        self.item.bytes
    }

    /// The position of its start.
    pub(super) fn place(&self) -> Place {
        self.item.place()
    }

    /// Returns `true` if the file ends before the node does.
    pub(super) fn is_open(&self) -> bool {
        self.item.is_open
    }

    /// The cause if the node is damaged; anything missing from it follows from that cause.
    pub(super) fn cause(&self) -> Option<Cause> {
        let cut = self.tree.cut.filter(|_| self.is_open());
        self.tree.faults.get(&self.index).copied().or(cut)
    }

    /// Returns how much of the list in the child node `name` is missing.
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

    /// Byte range in the file.
    pub(super) fn range(&self) -> std::ops::Range<u64> {
        self.item.start as u64..self.item.end as u64
    }

    /// The items inside the node, each with its index.
    fn content(self) -> impl Iterator<Item = (usize, Item<'a>)> {
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            if index >= self.item.next {
                return None;
            }
            let (at, item) = (index, *self.tree.items.get(index)?);
            index = item.next;
            Some((at, item))
        })
    }

    /// The child nodes.
    pub(super) fn nodes(self) -> impl Iterator<Item = Self> {
        self.content()
            .filter_map(move |(index, _)| Node::at(self.tree, index))
    }

    /// The child nodes of a name.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = Self> {
        self.nodes()
            .filter(move |node| node.name() == name.as_bytes())
    }

    /// The first child node of a name.
    pub(super) fn node(self, name: &str) -> Option<Self> {
        self.all(name).next()
    }

    /// The node's value: its first text.
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

    /// Collects the unknown nodes in this node and its known descendants. Nodes named in `records`
    /// are skipped, because each collects its own.
    pub(super) fn unknown_nodes(self, grammar: &Grammar, records: &[&[u8]]) -> Vec<Self> {
        let mut own = Vec::new();
        let known = grammar.children(self.name());
        for node in self.nodes().filter(|_| !known.is_empty()) {
            if !known.contains(&node.name()) {
                own.push(node);
            } else if !records.contains(&node.name()) {
                own.extend(node.unknown_nodes(grammar, records));
            }
        }
        own
    }
}

/// Values that text maps and text tilesets share.
impl Node<'_, '_> {
    /// The node's name and its text value.
    pub(super) fn key_and_value(self) -> (String, String) {
        let value = self.text().map(|value| text::decode(&value.bytes));
        (text::decode(self.name()), value.unwrap_or_default())
    }

    /// Returns the version in the root node. Reports a version that the engine does not read.
    pub(super) fn version(self, known: &[&str], problems: &mut Problems) -> String {
        let version = self.node("version").and_then(Node::text);
        let place = version.as_ref().map_or(self.place(), |text| text.place);
        let version = version
            .map(|text| text::decode(&text.bytes))
            .unwrap_or_default();
        if !known.contains(&&*version) {
            problems.add(&rules::VERSION, place, || {
                let found = match &*version {
                    "" => "missing version".to_owned(),
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

    /// Reports a packing format other than `zlib`, the only one in use.
    pub(super) fn check_packing(self, name: &str, problems: &mut Problems) {
        let format = self.node("format").and_then(Node::text);
        if let Some(format) = format.filter(|format| *format.bytes != *b"zlib") {
            problems.add(&rules::VALUE, format.place, || {
                let format = quoted(&format.bytes);
                Message::read(
                    format!("{name}: declared data format {format}; expected `zlib`"),
                    "as expected",
                )
            });
        }
    }
}

/// Removes the escapes from a quoted text.
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

/// Quotes a text and escapes it where needed.
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

/// Returns `true` if a text is a valid node name.
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
        (tree, problems.iter().map(crate::Problem::facts).collect())
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
    fn faults_are_reported_and_the_rest_is_read() {
        let (tree, problems) = read(b"(a (b 1)\n (c 2");
        assert_eq!(problems, ["2:6: error: ika/truncated: ) 2 c"]);
        assert_eq!(value(tree.root("a").unwrap(), "c"), "2");

        let (tree, problems) = read(b"(a (b 'x\\");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("1:7: error: ika/truncated: ' x\\"));
        assert_eq!(value(tree.root("a").unwrap(), "b"), "x");

        let (tree, problems) = read(b"(a(b)(c 1)) rest (d )");
        assert_eq!(
            problems,
            [
                "1:3: warning: ika/node-name: a",
                "1:5: warning: ika/node-name: b",
                "1:13: warning: ika/trailing-data",
            ]
        );
        assert_eq!(value(tree.root("a").unwrap(), "c"), "1");
        assert!(tree.root("d").is_none());

        let (tree, problems) = read(b")(a )");
        assert!(
            problems[0].starts_with("1:1: error: ika/syntax: )"),
            "{problems:?}"
        );
        assert!(tree.root("a").is_some());
        let (tree, problems) = read(b"\xef\xbb\xbf(a )");
        assert_eq!(problems, ["1:1: error: ika/syntax"]);
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
            let said = format!("1:7: error: ika/syntax, read: ' {text}");
            assert_eq!(problems, [said]);
            let root = tree.root("a").unwrap();
            assert_eq!(value(root, "b"), text);
            assert_eq!(root.nodes().count(), 3);
        }
        // Multi-line texts are read whole, even if the file ends in one.
        let (tree, problems) = read(b"(a (b 'two (x)\nlines (y') (c 'z'))");
        assert_eq!(
            (value(tree.root("a").unwrap(), "b"), problems.len()),
            ("two (x)\nlines (y".to_owned(), 0)
        );
        // With balanced quotes, a text may look like nodes.
        let (tree, problems) = read(b"(a (b 'two)\n(c lines') (d 'z'))");
        let root = tree.root("a").unwrap();
        assert_eq!(
            (value(root, "b"), value(root, "d"), problems.len()),
            ("two)\n(c lines".to_owned(), "z".to_owned(), 0)
        );
        // Quotes in names do not count.
        let (tree, problems) = read(b"(a (x' 'y') (b 'two)\n(c lines'))");
        assert_eq!(
            (value(tree.root("a").unwrap(), "b"), problems.len()),
            ("two)\n(c lines".to_owned(), 0)
        );
        let (_, problems) = read(b"(a (b 'two\nlines");
        assert_eq!(problems, ["1:7: error: ika/truncated: ' two\\nlines"]);
    }

    #[test]
    fn depth_is_limited() {
        let (_, problems) = read("(x ".repeat(1_000_000).as_bytes());
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("ika/depth: 64"));
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
    fn file_beginnings_are_distinguished() {
        assert!(begins_with(b"(ika-map \r\n", "ika-map"));
        assert!(begins_with(
            b"\xef\xbb\xbf\n (ika-map(version 1.0))",
            "ika-map"
        ));
        assert!(!begins_with(b"(ika-mapper )", "ika-map"));
        assert!(!begins_with(b"ika-map", "ika-map"));
        assert!(!begins_with(b"", "ika-map"));
    }

    /// Decodes a text in a node `a` that begins on the third line.
    fn base64_of(text: &[u8]) -> (Vec<u8>, Vec<String>) {
        let file = [b"\n\n(a ", text, b")"].concat();
        let (tree, mut problems) = Tree::read(&file, &GRAMMAR);
        let node = tree.root("a").unwrap();
        let text = node.text().unwrap_or(Text::none(node.place()));
        let (bytes, _) = text.base64("tiles", &mut problems);
        let problems = problems.finish();
        (bytes, problems.iter().map(crate::Problem::facts).collect())
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
        let expected = "ika/base64: ! + / base64";
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
        assert_eq!(problems, ["3:8: error: ika/base64: base64"]);
        assert_eq!(base64_of(b"").0, b"");
    }
}
