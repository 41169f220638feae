//! The document as a tree.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use egui::{Id, Key, Ui};

use super::document_key::DocumentKey;
use super::tree::{Tree, TreeAction, TreeLine};
use super::{PanelContext, PanelUi, Request, parts};
use crate::viewer::format;
use mapscope_scene::{Document, Item, OutlineNode, Swatch};

/// Indentation per level of the tree, in points.
const INDENT: f32 = 16.0;
/// A heading with more lines below it than this is closed at first.
const MAX_OPEN_LINES: usize = 64;
/// A top-level line is open at first if it is the only one or has at most this many children,
/// whatever the number of their descendants.
const MAX_OPEN_CHILDREN: usize = 16;

/// The tree of the document, with a search field.
#[derive(Debug, Default)]
pub struct Outliner {
    of: DocumentKey,
    /// All lines of the tree, in reading order.
    lines: Vec<Line>,
    /// The first line of each item.
    line_of: HashMap<Item, usize>,
    /// Lines that the user has opened or closed, by stable key, so that they survive a reload.
    opened: HashMap<Id, bool>,
    search: String,
    /// Number of lines that match the search.
    matches: usize,
    /// Search results that the user has opened to list all of their descendants.
    found_open: HashSet<Id>,
    /// Indices of the listed lines, in reading order.
    shown: Vec<usize>,
    tree: Tree,
    /// The selection that was last scrolled into view.
    selected: Option<Item>,
    /// The line of the selection; an item may have several.
    selected_line: Option<usize>,
    /// The visible level; its line is scrolled into view when the level changes.
    level: usize,
    /// Line to scroll into view.
    reveal: Option<usize>,
}

/// One line of the tree.
#[derive(Debug)]
struct Line {
    label: String,
    note: String,
    item: Option<Item>,
    /// The next line of the same item.
    twin: Option<usize>,
    swatch: Option<Swatch>,
    /// `true` if its item can be hidden.
    can_be_hidden: bool,
    depth: usize,
    parent: Option<usize>,
    /// Number of direct children.
    children: usize,
    /// Index of the first line after its descendants.
    end: usize,
    /// Stable key across reloads.
    key: Id,
}

impl PanelUi for Outliner {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_or_filled(context.document) {
            self.load_lines(&**context.document);
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
        // A part without a line of its own uses the line of the whole.
        let selected = context.shown.selected.map(|item| {
            let whole = context.document.parent_of(item);
            let listed = self.line_of.contains_key(&item).then_some(item);
            listed.or(whole).unwrap_or(item)
        });
        if self.selected != selected {
            self.selected = selected;
            let line = selected.and_then(|item| self.line_to_show(item, context.shown.highlighted));
            self.selected_line = line;
            // If the level changed and the selection has no line, the line of the level is
            // revealed.
            self.reveal = line.or(self.reveal.filter(|_| other_level));
            self.open_ancestors();
        }
        let help = "Filter items by name";
        let searched = parts::search_field(ui, &mut self.search, help);
        if searched.changed {
            self.found_open.clear();
            self.list();
        }
        if searched.entered
            && let Some(item) = self.next_match()
        {
            context.ask(Request::Select(Some(item)));
        }
        // A click does not move the keyboard focus, so a selected line rarely has it.
        let is_open_pressed = ui.memory(|memory| memory.focused().is_none())
            && ui.input(|input| input.modifiers.is_none() && input.key_pressed(Key::Enter));
        if is_open_pressed
            && let Some(item) = context.shown.selected
            && context.document.archive().is_some()
            && context.document.file_of(item).is_some()
        {
            context.ask(Request::Visit(item));
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
            self.tree.list.focus = Some(at);
            self.reveal = Some(index);
            ui.ctx().request_repaint();
        }
        if let Some(item) = self.lines.get(index).and_then(|line| line.item) {
            if ui.input(|input| input.modifiers.command) {
                context.ask(Request::AlsoSelect(item));
                return;
            }
            self.selected = Some(item);
            self.selected_line = Some(index);
            context.ask(Request::Select(Some(item)));
        }
    }

    fn forget_search(&mut self) {
        self.search.clear();
        self.found_open.clear();
        self.list();
    }
}

impl Outliner {
    /// Loads the lines of a document.
    fn load_lines(&mut self, document: &dyn Document) {
        self.lines.clear();
        let top = Id::unique("outline");
        flatten(document, document.outline(), None, top, &mut self.lines);
        self.line_of.clear();
        // In reverse, so that the first line of each item remains in the map.
        for (i, line) in self.lines.iter_mut().enumerate().rev() {
            line.twin = line.item.and_then(|item| self.line_of.insert(item, i));
        }
        self.selected = None;
        self.selected_line = None;
    }

    /// Shows the visible lines.
    fn rows(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) -> Option<TreeAction> {
        let list_id = ui.scope_id().with("outline");
        let mut tree = std::mem::take(&mut self.tree);
        let reveal = self.reveal.take();
        let reveal = reveal.and_then(|line| self.shown.binary_search(&line).ok());
        tree.list.reveal = reveal.or(tree.list.reveal);
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
                open: self.is_listed_open(at),
                can_be_hidden: line.can_be_hidden,
            })
        });
        self.tree = tree;
        action
    }

    /// Returns the line to show for an item. An entity, for example, has lines under its faction
    /// and its model. The line under `kind` is preferred, then the line nearest to the previous
    /// one.
    fn line_to_show(&self, item: Item, kind: Option<Item>) -> Option<usize> {
        let lines = std::iter::successors(self.line_of.get(&item).copied(), |line| {
            self.lines.get(*line)?.twin
        });
        let parent = |line: usize| self.lines.get(line)?.parent;
        let heading = |line: usize| std::iter::successors(Some(line), |line| parent(*line)).last();
        let is_under_kind = |line: usize| {
            let above = parent(line).and_then(|above| self.lines.get(above)?.item);
            kind.is_some() && above == kind
        };
        let before = self.selected_line;
        // Ties go to the first line.
        lines.max_by_key(|line| {
            let is_beside = before.is_some_and(|before| parent(before) == parent(*line));
            let is_in_tree = before.is_some_and(|before| heading(before) == heading(*line));
            (is_under_kind(*line), is_beside, is_in_tree, Reverse(*line))
        })
    }

    /// `true` if a listed line is open; `None` if it has no lines below it. In a search a line is
    /// open if some of its descendants are listed.
    fn is_listed_open(&self, at: usize) -> Option<bool> {
        let index = *self.shown.get(at)?;
        let end = self.lines.get(index)?.end;
        (end > index + 1).then(|| {
            if self.search.is_empty() {
                self.is_open(index)
            } else {
                self.shown.get(at + 1).is_some_and(|next| *next < end)
            }
        })
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
            let is_short = line.end - index - 1 <= MAX_OPEN_LINES;
            let is_alone = line.end - index == self.lines.len();
            is_short || line.depth == 0 && (is_alone || line.children <= MAX_OPEN_CHILDREN)
        })
    }

    fn toggle(&mut self, index: usize) {
        let open = self.is_open(index);
        let Some(line) = self.lines.get(index) else {
            return;
        };
        if self.search.is_empty() {
            self.opened.insert(line.key, !open);
        } else if !self.found_open.remove(&line.key) {
            self.found_open.insert(line.key);
        }
        self.list();
    }

    /// Opens the line to reveal and all of its ancestors.
    fn open_shown(&mut self) {
        if let Some(at) = self.reveal
            && !self.is_open(at)
        {
            self.toggle(at);
        }
        self.open_ancestors();
    }

    /// Opens all ancestors of the line to reveal.
    fn open_ancestors(&mut self) {
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

    /// Returns the next item after the selected one that matches the search, and wraps around.
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

    /// Builds the list of lines: search results with their ancestors, or all lines that are not
    /// inside a closed line.
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
            // An item with lines under several headings counts once.
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
            let opened = self.lines.iter().enumerate().filter(|(index, line)| {
                keep.contains(index) && self.found_open.contains(&line.key)
            });
            let below = opened.flat_map(|(index, line)| index + 1..line.end);
            keep = below.chain(keep.iter().copied()).collect();
            shown.extend(keep);
            shown.sort_unstable();
        }
        self.shown = shown;
    }
}

/// Flattens a tree into reading order.
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
        // By item if there is one, because labels are not unique.
        let key = match node.item {
            Some(item) => above.with(item),
            None => above.with((&node.label, nth)),
        };
        lines.push(Line {
            label: node.label,
            note: format::with_counts(&node.note),
            item: node.item,
            twin: None,
            swatch: node.swatch,
            can_be_hidden: node
                .item
                .is_some_and(|item| document.hide_target(item) == Some(item)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::{OpenOptions, Progress, SceneItem, Source};

    /// The outline of a small scene.
    fn of_scene() -> Outliner {
        let source = Source {
            path: "a.pfscene".into(),
            bytes: mapscope_testdata::tiny_scene::SCENE.as_bytes().into(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&source, &options, &progress).unwrap();
        let mut outliner = Outliner::default();
        outliner.load_lines(&*document);
        outliner.list();
        outliner
    }

    #[test]
    fn a_found_line_opens_to_what_is_below_it() {
        let mut outliner = of_scene();
        let arrows = |outliner: &Outliner| -> Vec<(String, Option<bool>)> {
            let listed = outliner.shown.iter().enumerate();
            let arrow = |(at, index): (usize, &usize)| {
                let label = outliner.lines[*index].label.clone();
                (label, outliner.is_listed_open(at))
            };
            listed.map(arrow).collect()
        };
        let of = |outliner: &Outliner, label: &str| {
            let mut arrows = arrows(outliner).into_iter();
            arrows.find(|(of, _)| of == label).unwrap().1
        };
        assert_eq!(of(&outliner, "The Others"), Some(true));
        outliner.search = "the oth".to_owned();
        outliner.list();
        assert_eq!(of(&outliner, "Factions"), Some(true));
        assert_eq!(of(&outliner, "The Others"), Some(false));
        let faction = outliner.shown.iter().copied();
        let faction = faction.last().unwrap();
        outliner.toggle(faction);
        assert_eq!(of(&outliner, "The Others"), Some(true));
        assert_eq!(of(&outliner, "0 guard"), None);
        outliner.toggle(faction);
        assert_eq!(of(&outliner, "The Others"), Some(false));
        outliner.search = "guard".to_owned();
        outliner.list();
        assert_eq!(of(&outliner, "The Others"), Some(true));
    }

    #[test]
    fn a_selection_stays_in_the_tree_where_it_was_made() {
        let mut outliner = of_scene();
        // The first entity has lines under a faction, a class and a model.
        let guard: Item = SceneItem::Entity { index: 0 }.into();
        let rock: Item = SceneItem::Entity { index: 1 }.into();
        let above = |outliner: &Outliner, line: Option<usize>| {
            let parent = outliner.lines[line.unwrap()].parent.unwrap();
            outliner.lines[parent].item
        };
        let faction: Item = SceneItem::Faction { index: 1 }.into();
        let class: Item = SceneItem::Class { index: 0 }.into();
        let [model, other] = [0, 1].map(|index| Item::from(SceneItem::Model { index }));
        let shown = |outliner: &Outliner, item, kind| {
            let line = outliner.line_to_show(item, kind);
            above(outliner, line)
        };
        assert_eq!(shown(&outliner, guard, None), Some(faction), "the first");
        for kind in [faction, class, model] {
            assert_eq!(shown(&outliner, guard, Some(kind)), Some(kind));
        }
        // Starting from the other model's entity, which is below the models.
        outliner.selected_line = outliner.line_to_show(rock, None);
        assert_eq!(above(&outliner, outliner.selected_line), Some(other));
        assert_eq!(shown(&outliner, guard, None), Some(model));
        assert_eq!(
            outliner.line_to_show(SceneItem::Entity { index: 9 }.into(), None),
            None
        );
    }
}
