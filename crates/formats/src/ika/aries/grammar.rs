//! Which nodes may stand in which.

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
    /// The names of the nodes that may stand in a node of a name; none where that has a text alone, or is
    /// not known.
    pub(super) fn children(&self, parent: &[u8]) -> &'static [&'static str] {
        let mut nodes = self.nodes.iter();
        let found = nodes.find(|(name, _)| name.as_bytes() == parent);
        found.map_or(&[], |(_, children)| children)
    }

    /// Whether it names such a node among those that stand in another.
    pub(super) fn lists(&self, parent: &[u8], name: &[u8]) -> bool {
        self.child(parent, name).is_some()
    }

    /// Which of those that stand in a node has a name.
    pub(super) fn child(&self, parent: &[u8], name: &[u8]) -> Option<usize> {
        let mut children = self.children(parent).iter();
        children.position(|child| child.as_bytes() == name)
    }

    /// The names of the nodes in which one of a name may stand.
    pub(super) fn parents(&self, name: &[u8]) -> Vec<&'static str> {
        let parents = self.nodes.iter().map(|(parent, _)| *parent);
        let parents = parents.filter(|parent| self.lists(parent.as_bytes(), name));
        parents.collect()
    }

    /// Whether it names such a node at all.
    pub(super) fn knows(&self, name: &[u8]) -> bool {
        let mut children = self.nodes.iter().flat_map(|(_, children)| *children);
        name == self.root.as_bytes() || children.any(|child| child.as_bytes() == name)
    }

    /// Whether a node has nodes in it and no text.
    pub(super) fn has_no_text(&self, name: &[u8]) -> bool {
        self.is_free(name) || !self.children(name).is_empty() && !self.is_with_text(name)
    }

    /// Whether a node has nodes and a text in it.
    pub(super) fn is_with_text(&self, name: &[u8]) -> bool {
        self.with_text.iter().any(|it| it.as_bytes() == name)
    }

    /// Whether a node has a text in it.
    pub(super) fn has_text(&self, name: &[u8]) -> bool {
        self.knows(name) && !self.has_no_text(name)
    }

    /// Whether nodes in it can have any names.
    pub(super) fn is_free(&self, name: &[u8]) -> bool {
        name == self.free.as_bytes()
    }

    /// Whether a node may stand in another: what is not known may stand wherever nodes do, and have all in
    /// it.
    pub(super) fn allows(&self, parent: &[u8], name: &[u8]) -> bool {
        if self.is_free(parent) || !self.knows(parent) {
            return true;
        }
        let children = self.children(parent);
        self.lists(parent, name) || !children.is_empty() && !self.knows(name)
    }

    /// The name that is meant by one that may not stand in a node: that of the list of such elements, or
    /// that of the elements of such a list.
    pub(super) fn other_number(&self, parent: &[u8], name: &[u8]) -> Option<&'static str> {
        let mut others = self.children(parent).iter().copied();
        others.find(|other| {
            let other = other.as_bytes();
            self.is_list(other) && self.lists(other, name)
                || self.is_list(name) && self.lists(name, other)
        })
    }

    /// Whether nothing but nodes of one name stand in a node.
    pub(super) fn is_list(&self, name: &[u8]) -> bool {
        self.children(name).len() == 1 && self.has_no_text(name)
    }
}
