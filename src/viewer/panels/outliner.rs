//! The document as a tree.

use std::collections::{HashMap, HashSet};

use egui::{Id, Ui};

use super::document_key::DocumentKey;
use super::tree::{Tree, TreeAction, TreeLine};
use super::{PanelContext, PanelUi, Request, format, parts};
use mapscope_scene::{Document, Item, OutlineNode, Swatch};

/// Room before the text of a line for each level of the tree, in points.
const INDENT: f32 = 16.0;
/// A heading with more lines than this under it is closed at first.
const OPEN_AT_FIRST: usize = 64;
/// A line at the top of the tree is open if it has no more than this right under it, however much
/// is below those.
const HEADINGS_AT_FIRST: usize = 16;

/// The tree of the document, with a search field.
#[derive(Debug, Default)]
pub struct Outliner {
    of: DocumentKey,
    /// The tree in reading order.
    lines: Vec<Line>,
    /// The line of each item.
    line_of: HashMap<Item, usize>,
    /// What was opened and closed by hand, by name, so that it outlives a reload.
    opened: HashMap<Id, bool>,
    search: String,
    /// Lines that match the search.
    matches: usize,
    /// Indices of the lines that are shown, in reading order.
    shown: Vec<usize>,
    tree: Tree,
    /// The selection that was last brought into sight.
    selected: Option<Item>,
    /// The part that is shown, which was brought into sight when it was chosen.
    level: usize,
    /// A line to bring into sight.
    reveal: Option<usize>,
}

/// One line of the tree.
#[derive(Debug)]
struct Line {
    label: String,
    note: String,
    item: Option<Item>,
    swatch: Option<Swatch>,
    /// Whether its item can be hidden.
    can_be_hidden: bool,
    depth: usize,
    parent: Option<usize>,
    /// How many lines are right below it.
    children: usize,
    /// Index of the first line that is not below this one.
    end: usize,
    /// Stays the same when the file is loaded again.
    key: Id,
}

impl PanelUi for Outliner {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.lines.clear();
            flatten(
                &**context.document,
                context.document.outline(),
                None,
                Id::unique("outline"),
                &mut self.lines,
            );
            self.line_of.clear();
            for (i, line) in self.lines.iter().enumerate() {
                if let Some(item) = line.item {
                    // Of several lines the first.
                    self.line_of.entry(item).or_insert(i);
                }
            }
            self.selected = None;
            self.list();
        }
        if self.lines.is_empty() {
            parts::hint(ui, "Nothing to list", "This file has no parts.");
            return;
        }
        let other_level = self.level != context.shown.level;
        if other_level {
            self.level = context.shown.level;
            let levels = context.document.levels();
            let level = levels.and_then(|levels| levels.levels().get(self.level));
            let item = level.map(|level| level.item);
            self.reveal = item.and_then(|item| self.line_of.get(&item).copied());
            self.open_shown();
        }
        // A part that has no line is found at the whole.
        let selected = context.shown.selected.map(|item| {
            let whole = context.document.whole_of(item);
            let listed = self.line_of.contains_key(&item).then_some(item);
            listed.or(whole).unwrap_or(item)
        });
        if self.selected != selected {
            self.selected = selected;
            let line = selected.and_then(|item| self.line_of.get(&item).copied());
            // Another level is shown for what is in it, or clears the selection.
            self.reveal = line.or(self.reveal.filter(|_| other_level));
            self.open_above();
        }
        let help = "List only what has this in its name";
        let searched = parts::search_field(ui, &mut self.search, help);
        if searched.changed {
            self.list();
        }
        if searched.entered
            && let Some(item) = self.next_match()
        {
            context.ask(Request::Select(Some(item)));
        }
        if !self.search.is_empty() {
            ui.weak(parts::matches(self.matches, &self.search));
        }
        let Some(action) = self.rows(ui, context) else {
            return;
        };
        let (TreeAction::Toggle(at) | TreeAction::Focus(at) | TreeAction::Select(at)) = action;
        let Some(&index) = self.shown.get(at) else {
            return;
        };
        if let TreeAction::Toggle(_) = action {
            self.toggle(index);
            return;
        }
        if let TreeAction::Focus(_) = action {
            self.tree.focus = Some(at);
            self.reveal = Some(index);
            ui.ctx().request_repaint();
        }
        if let Some(item) = self.lines.get(index).and_then(|line| line.item) {
            self.selected = Some(item);
            context.ask(Request::Select(Some(item)));
        }
    }

    fn forget_search(&mut self) {
        self.search.clear();
        self.list();
    }
}

impl Outliner {
    /// Shows the lines that are in sight.
    fn rows(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) -> Option<TreeAction> {
        let list_id = ui.scope_id().with("outline");
        let mut tree = std::mem::take(&mut self.tree);
        let reveal = self.reveal.take();
        tree.reveal = reveal.and_then(|line| self.shown.binary_search(&line).ok());
        let action = tree.show(ui, context, INDENT, self.shown.len(), |_, at| {
            let index = *self.shown.get(at)?;
            let line = self.lines.get(index)?;
            Some(TreeLine {
                id: list_id.with(line.key),
                label: &line.label,
                note: &line.note,
                swatch: line.swatch,
                item: line.item,
                selected: line.item.is_some() && line.item == self.selected,
                depth: line.depth,
                open: (line.end > index + 1).then(|| self.is_open(index)),
                can_be_hidden: line.can_be_hidden,
            })
        });
        self.tree = tree;
        action
    }

    fn is_open(&self, index: usize) -> bool {
        if !self.search.is_empty() {
            return true;
        }
        let Some(line) = self.lines.get(index) else {
            return false;
        };
        let by_hand = self.opened.get(&line.key).copied();
        by_hand.unwrap_or_else(|| {
            let is_short = line.end - index - 1 <= OPEN_AT_FIRST;
            is_short || line.depth == 0 && line.children <= HEADINGS_AT_FIRST
        })
    }

    fn toggle(&mut self, index: usize) {
        let open = self.is_open(index);
        if let Some(line) = self.lines.get(index).filter(|_| self.search.is_empty()) {
            self.opened.insert(line.key, !open);
            self.list();
        }
    }

    /// Opens the line that is to be brought into sight, and everything above it.
    fn open_shown(&mut self) {
        if let Some(at) = self.reveal
            && !self.is_open(at)
        {
            self.toggle(at);
        }
        self.open_above();
    }

    /// Opens everything above the line that is to be brought into sight.
    fn open_above(&mut self) {
        let mut above = self.reveal;
        let mut changed = false;
        while let Some(parent) = above.and_then(|i| self.lines.get(i)).and_then(|l| l.parent) {
            if !self.is_open(parent)
                && let Some(line) = self.lines.get(parent)
            {
                self.opened.insert(line.key, true);
                changed = true;
            }
            above = Some(parent);
        }
        if changed {
            self.list();
        }
    }

    /// The item that the search finds after the selected one, going round at the end.
    fn next_match(&self) -> Option<Item> {
        if self.search.is_empty() {
            return None;
        }
        let wanted = self.search.to_lowercase();
        let at = self.selected.and_then(|item| self.line_of.get(&item));
        let after = at.map_or(0, |at| at + 1);
        let around = (after..self.lines.len()).chain(0..after);
        let mut items = around.filter_map(|at| {
            let line = self.lines.get(at)?;
            let matches = line.label.to_lowercase().contains(&wanted);
            let item = line.item.filter(|_| matches)?;
            (self.line_of.get(&item) == Some(&at)).then_some(item)
        });
        items.next()
    }

    /// Finds the lines to show: what matches the search with what stands above it, or else what
    /// is not in something closed.
    fn list(&mut self) {
        let mut shown = Vec::new();
        if self.search.is_empty() {
            let mut index = 0;
            while let Some(line) = self.lines.get(index) {
                shown.push(index);
                index = if self.is_open(index) {
                    index + 1
                } else {
                    line.end
                };
            }
            self.matches = 0;
        } else {
            let wanted = self.search.to_lowercase();
            let mut keep = HashSet::new();
            // An item that stands under several headings is found once.
            let mut found = HashSet::new();
            self.matches = 0;
            for (index, line) in self.lines.iter().enumerate() {
                let is_found = line.item.is_some_and(|item| found.contains(&item));
                if is_found || !line.label.to_lowercase().contains(&wanted) {
                    continue;
                }
                self.matches += 1;
                found.extend(line.item);
                let mut at = Some(index);
                while let Some(i) = at.filter(|&i| keep.insert(i)) {
                    at = self.lines.get(i).and_then(|line| line.parent);
                }
            }
            shown.extend(keep);
            shown.sort_unstable();
        }
        self.shown = shown;
    }
}

/// Puts a tree into reading order.
fn flatten(
    document: &dyn Document,
    nodes: Vec<OutlineNode>,
    parent: Option<usize>,
    above: Id,
    lines: &mut Vec<Line>,
) {
    let depth = parent
        .and_then(|i| lines.get(i))
        .map_or(0, |line| line.depth + 1);
    for (nth, node) in nodes.into_iter().enumerate() {
        let index = lines.len();
        // By item where there is one, because labels may stand more than once.
        let key = match node.item {
            Some(item) => above.with(item),
            None => above.with((&node.label, nth)),
        };
        lines.push(Line {
            label: node.label,
            note: format::with_counts(&node.note),
            item: node.item,
            swatch: node.swatch,
            can_be_hidden: node
                .item
                .is_some_and(|item| document.hidden_with(item) == Some(item)),
            depth,
            parent,
            children: node.children.len(),
            end: 0,
            key,
        });
        flatten(document, node.children, Some(index), key, lines);
        let end = lines.len();
        if let Some(line) = lines.get_mut(index) {
            line.end = end;
        }
    }
}
