//! The children that each node may have.

use crate::nesting;

/// The node names of a kind of file.
#[derive(Debug)]
pub(in super::super) struct Grammar {
    /// Name of the root node.
    pub root: &'static str,
    /// The names of nodes that contain nodes, with the names of their children. All others contain
    /// only a text.
    pub nodes: &'static [(&'static str, &'static [&'static str])],
    /// Nodes in `nodes` that contain a text as well.
    pub with_text: &'static [&'static str],
    /// The node whose children can have any name.
    pub free: &'static str,
}

impl Grammar {
    fn names(&self, parent: &[u8]) -> &'static [&'static str] {
        let mut nodes = self.nodes.iter();
        let found = nodes.find(|(name, _)| name.as_bytes() == parent);
        found.map_or(&[], |(_, children)| children)
    }

    /// Names of the allowed children; empty if the node contains only a text or is unknown.
    pub(super) fn children(&self, parent: &[u8]) -> Vec<&'static [u8]> {
        self.names(parent).iter().map(|it| it.as_bytes()).collect()
    }

    /// Returns `true` if a node contains nodes but no text.
    pub(super) fn has_no_text(&self, name: &[u8]) -> bool {
        let is_with_text = self.with_text.iter().any(|it| it.as_bytes() == name);
        name == self.free.as_bytes() || !self.names(name).is_empty() && !is_with_text
    }

    /// Returns `true` if a node contains only nodes of one name.
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
