//! Nested text whose brackets are unbalanced: finds the node that a lost or surplus bracket belongs
//! to.
//!
//! Only used if the plain reading of a text is unbalanced. Two heuristics place a node: the
//! children that the format allows in each node, and the columns at which nodes begin their lines.
//! An unknown node stays in place, and no node is renamed.

/// Largest indentation that is used to place nodes, in bytes.
pub(crate) const MAX_INDENT: usize = 256;

/// The allowed children of each node. The name of the root level is empty.
pub(crate) trait Grammar {
    /// `true` if the format lists `child` among the nodes in `parent`.
    fn lists(&self, parent: &[u8], child: &[u8]) -> bool;

    /// `true` if `parent` may contain any node.
    fn is_free(&self, parent: &[u8]) -> bool;

    /// `true` if `parent` may contain `child` more than once.
    fn is_repeated(&self, parent: &[u8], child: &[u8]) -> bool;

    /// `true` if the format has the node anywhere.
    fn knows(&self, name: &[u8]) -> bool;

    /// Names of the nodes that may be in `parent` and may contain `child`.
    fn between(&self, parent: &[u8], child: &[u8]) -> Vec<&'static str>;
}

/// The repair before a node or a closing bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BracketRepair {
    /// No repair: it fits, or there is no better place for it.
    Fits,
    /// Close the given number of open nodes, the innermost first: their ends are lost.
    Close(usize),
    /// Reopen the given number of nodes that were closed last: one of their ends is surplus.
    Reopen(usize),
    /// Begin a node of this name, whose beginning is lost.
    Begin(&'static str),
    /// Skip the closing bracket: the beginning of its node is lost.
    Skip,
}

/// A node that is open or was closed last.
#[derive(Debug)]
struct Level {
    name: Vec<u8>,
    /// The column at which the node begins its line, unless its parent begins at the same one.
    column: Option<u32>,
    /// Names of the known nodes in it.
    children: Vec<Vec<u8>>,
}

impl Level {
    /// `true` if the level can take another node of this name.
    fn takes(&self, name: &[u8], grammar: &impl Grammar) -> bool {
        grammar.lists(&self.name, name)
            && (grammar.is_repeated(&self.name, name)
                || !self.children.iter().any(|child| child == name))
    }

    /// Compares the column of a node with the level's own, if both are known.
    fn compare(&self, column: Option<u32>) -> Option<std::cmp::Ordering> {
        Some(column?.cmp(&self.column?))
    }
}

/// The open nodes, and the nodes closed since the last one began.
#[derive(Debug)]
pub(crate) struct Stack {
    open: Vec<Level>,
    closed: Vec<Level>,
    /// `true` if a node has ended at the column at which it begins.
    is_aligned: bool,
}

impl Stack {
    /// Creates a stack at the root level.
    pub(crate) fn new() -> Self {
        Self {
            open: vec![Level {
                name: Vec::new(),
                column: None,
                children: Vec::new(),
            }],
            closed: Vec::new(),
            is_aligned: false,
        }
    }

    /// Adds a node to the innermost one and opens it.
    pub(crate) fn open(&mut self, name: &[u8], column: Option<u32>, grammar: &impl Grammar) {
        self.closed.clear();
        if let Some(parent) = self.open.last_mut()
            && grammar.lists(&parent.name, name)
        {
            // The column is useless if the children do not begin deeper.
            parent.column = parent
                .column
                .filter(|own| column.is_none_or(|it| it > *own));
            if !grammar.is_repeated(&parent.name, name)
                && !parent.children.iter().any(|child| child == name)
            {
                parent.children.push(name.to_owned());
            }
        }
        let is_told = |column: &u32| self.open.iter().all(|level| level.column != Some(*column));
        self.open.push(Level {
            name: name.to_owned(),
            column: column.filter(is_told),
            children: Vec::new(),
        });
    }

    /// Closes the innermost node.
    pub(crate) fn close(&mut self) {
        if self.open.len() > 1 {
            self.closed.extend(self.open.pop());
        }
    }

    /// Reopens the node that was closed last.
    pub(crate) fn reopen(&mut self) {
        self.open.extend(self.closed.pop());
    }

    /// Decides where a node belongs. `column` is set if the node begins its line.
    pub(crate) fn before_node(
        &self,
        name: &[u8],
        column: Option<u32>,
        grammar: &impl Grammar,
    ) -> BracketRepair {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let Some(top) = self.open.last() else {
            return BracketRepair::Fits;
        };
        if !grammar.knows(name) {
            return BracketRepair::Fits;
        }
        if grammar.lists(&top.name, name) {
            // A node that begins no deeper than the innermost one is its sibling.
            let is_beside = matches!(top.compare(column), Some(Less | Equal));
            let is_around =
                |level: &Level| level.compare(column).is_none_or(|order| order == Greater);
            let mut around = self.open.iter().rev();
            let outer = around.position(|level| level.takes(name, grammar) && is_around(level));
            return outer
                .filter(|_| is_beside)
                .map_or(BracketRepair::Fits, BracketRepair::Close);
        }
        let is_free = grammar.is_free(&top.name);
        let is_in = |level: &&Level| level.compare(column).is_none_or(|order| order == Greater);
        let mut closed = self.closed.iter().rev();
        let reopened = closed.position(|level| level.takes(name, grammar) && is_in(&level));
        if let Some(further) = reopened.filter(|_| !is_free) {
            return BracketRepair::Reopen(further + 1);
        }
        // A node that begins deeper than the innermost one belongs in it.
        let order = top.compare(column);
        let is_inside = order == Some(Greater) || is_free && order.is_none();
        let mut around = self.open.iter().rev();
        let outer = around
            .position(|level| level.takes(name, grammar) && level.compare(column) != Some(Less));
        match outer {
            Some(count) if !is_inside => BracketRepair::Close(count),
            _ if is_free => BracketRepair::Fits,
            _ => match grammar.between(&top.name, name)[..] {
                [lost] if top.takes(lost.as_bytes(), grammar) => BracketRepair::Begin(lost),
                _ => BracketRepair::Fits,
            },
        }
    }

    /// Decides what a closing bracket at the beginning of a line closes. If the parent of the
    /// innermost node, or the node closed last, begins at `column`, a single bracket is lost or
    /// surplus. A bracket deeper than the innermost node does not close it if other ends are
    /// aligned.
    pub(crate) fn before_end(&mut self, column: u32) -> BracketRepair {
        self.is_aligned |= self
            .open
            .last()
            .is_some_and(|top| top.column == Some(column));
        let begins = |level: &&Level| level.column == Some(column);
        let Some(top) = self.open.last().and_then(|top| top.column) else {
            return BracketRepair::Fits;
        };
        let around = self.open.iter().rev().nth(1).filter(begins);
        let closed = self.closed.last().filter(begins);
        if top > column && around.is_some() {
            BracketRepair::Close(1)
        } else if top < column && closed.is_some() {
            BracketRepair::Reopen(1)
        } else if top < column && self.is_aligned {
            BracketRepair::Skip
        } else {
            BracketRepair::Fits
        }
    }
}
