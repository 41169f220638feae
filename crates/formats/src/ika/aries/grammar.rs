//! Which nodes may stand in which.

use crate::nesting;

/// The nodes of a kind of file.
#[derive(Debug)]
pub(in super::super) struct Grammar {
    /// The name of the node that is the file.
    pub root: &'static str,
    /// Nodes with nodes in them, by name, and the names of these. All others have a text alone.
    pub nodes: &'static [(&'static str, &'static [&'static str])],
    /// Those of them that have a text too.
    pub with_text: &'static [&'static str],
    /// The node in which nodes can have any names.
    pub free: &'static str,
}

impl Grammar {
    fn names(&self, parent: &[u8]) -> &'static [&'static str] {
        let mut nodes = self.nodes.iter();
        let found = nodes.find(|(name, _)| name.as_bytes() == parent);
        found.map_or(&[], |(_, children)| children)
    }

    /// The names of the nodes that may stand in a node; none where that has a text alone, or is not known.
    pub(super) fn children(&self, parent: &[u8]) -> Vec<&'static [u8]> {
        self.names(parent).iter().map(|it| it.as_bytes()).collect()
    }

    /// Whether a node has nodes in it and no text.
    pub(super) fn has_no_text(&self, name: &[u8]) -> bool {
        let is_with_text = self.with_text.iter().any(|it| it.as_bytes() == name);
        name == self.free.as_bytes() || !self.names(name).is_empty() && !is_with_text
    }

    /// Whether nothing but nodes of one name stand in a node.
    pub(super) fn is_list(&self, name: &[u8]) -> bool {
        self.names(name).len() == 1 && self.has_no_text(name)
    }
}

impl nesting::Grammar for Grammar {
    fn lists(&self, parent: &[u8], child: &[u8]) -> bool {
        match parent {
            b"" => child == self.root.as_bytes(),
            _ => self.names(parent).iter().any(|it| it.as_bytes() == child),
        }
    }

    fn is_free(&self, parent: &[u8]) -> bool {
        parent == self.free.as_bytes() || !parent.is_empty() && !self.knows(parent)
    }

    fn is_repeated(&self, parent: &[u8], _: &[u8]) -> bool {
        self.is_list(parent)
    }

    fn knows(&self, name: &[u8]) -> bool {
        let mut children = self.nodes.iter().flat_map(|(_, children)| *children);
        name == self.root.as_bytes() || children.any(|child| child.as_bytes() == name)
    }

    fn between(&self, parent: &[u8], child: &[u8]) -> Vec<&'static str> {
        let names = match parent {
            b"" => std::slice::from_ref(&self.root),
            _ => self.names(parent),
        };
        let names = names.iter().copied();
        names
            .filter(|name| self.lists(name.as_bytes(), child))
            .collect()
    }
}
