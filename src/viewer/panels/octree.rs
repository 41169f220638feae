//! The cubes of a level as a tree; only visible lines are built.

use egui::{Slider, Ui};

use super::document_key::DocumentKey;
use super::tree::{Tree, TreeAction, TreeLine};
use super::{PanelContext, PanelUi, Request, parts};
use crate::viewer::commands::Action;
use mapscope_scene::{Branch, Item, Levels, OverlayId, fixed};

/// Indentation per level of the tree, in points. It is small because the tree is deep.
const INDENT: f32 = 8.0;
/// Maximum number of search results.
const MAX_FOUND: usize = 1000;
/// Maximum number of ancestors of an item.
const MAX_ANCESTORS: usize = 256;
/// Greatest depth of the slider for cells; the value after it selects the leaves of the tree.
const MAX_DEPTH: u8 = 12;
/// The command that outlines cells.
const CELLS: Action = Action::Overlay(OverlayId::Cells);

/// The tree with a search field; it follows the selection.
#[derive(Debug, Default)]
pub struct Octree {
    of: DocumentKey,
    level: usize,
    /// Lines of the open part of the tree, in reading order.
    lines: Vec<Line>,
    search: String,
    /// Search results while a search is active.
    found: Vec<Line>,
    /// The selection that was last scrolled into view, and the item of its line.
    selected: Option<Item>,
    current: Option<Item>,
    tree: Tree,
}

#[derive(Debug)]
struct Line {
    branch: Branch,
    depth: usize,
    open: bool,
}

impl Line {
    fn new(branch: Branch, depth: usize) -> Self {
        Self {
            branch,
            depth,
            open: false,
        }
    }
}

impl PanelUi for Octree {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let level = context.shown.level;
        let levels = context.document.levels();
        if self.of.changed_to(context.document) || self.level != level {
            self.begin(levels, level);
        }
        if self.lines.is_empty() {
            parts::hint(ui, "No octree", "This level has no readable chunks.");
            return;
        }
        cells(ui, context);
        let help = "Find cubes by index or by the name of a material";
        let searched = parts::search_field(ui, &mut self.search, help);
        if searched.changed {
            self.find(levels);
        }
        if searched.entered
            && let Some(line) = self.found.first()
        {
            context.ask(Request::Select(Some(line.branch.item)));
        }
        if self.selected != context.shown.selected {
            self.selected = context.shown.selected;
            self.show_selected(levels);
        }
        if !self.search.is_empty() {
            ui.weak(match self.found.len() {
                MAX_FOUND => format!("The first {MAX_FOUND} matches"),
                found => parts::matches(found, &self.search),
            });
        }
        match self.rows(ui, context) {
            Some(TreeAction::Toggle(at)) => self.toggle(levels, at),
            Some(TreeAction::Focus(at) | TreeAction::Select(at)) => {
                self.tree.list.focus = Some(at);
                self.tree.list.reveal = Some(at);
                if let Some(line) = self.shown().get(at) {
                    let item = line.branch.item;
                    self.selected = Some(item);
                    self.current = Some(item);
                    context.ask(Request::Select(Some(item)));
                }
                ui.ctx().request_repaint();
            }
            None => {}
        }
    }

    fn forget_search(&mut self) {
        self.search.clear();
        // Forces a new listing.
        self.of = DocumentKey::default();
    }
}

impl Octree {
    /// Lists a level from the root. After a reload, open lines are opened again.
    fn begin(&mut self, levels: Option<&dyn Levels>, level: usize) {
        let again = level == self.level;
        let open = self.lines.iter().filter(|line| line.open && again);
        let open: Vec<Item> = open.map(|line| line.branch.item).collect();
        self.level = level;
        let roots = levels.map_or_else(Vec::new, |levels| levels.branches(level, None));
        self.lines = roots.into_iter().map(|root| Line::new(root, 0)).collect();
        // In reading order: a parent is open before its children are looked up.
        let mut from = 0;
        for item in open {
            let mut rest = self.lines.iter().skip(from);
            let found = rest.position(|line| line.branch.item == item);
            if let Some(at) = found {
                from += at;
                self.toggle(levels, from);
            }
        }
        if self.lines.len() == 1 {
            self.open(levels, 0);
        }
        self.selected = None;
        self.current = None;
        self.find(levels);
    }

    fn find(&mut self, levels: Option<&dyn Levels>) {
        let text = self.search.trim();
        if text.is_empty() {
            self.found.clear();
            // The tree scrolls to the selected search result.
            self.show_selected(levels);
            return;
        }
        let find = |levels: &dyn Levels| levels.find_branches(self.level, text, MAX_FOUND);
        let found = levels.map_or_else(Vec::new, find);
        let line = |branch: Branch| {
            let children = 0;
            Line::new(Branch { children, ..branch }, 0)
        };
        self.found = found.into_iter().map(line).collect();
    }

    /// The listed lines.
    fn shown(&self) -> &[Line] {
        if self.search.is_empty() {
            &self.lines
        } else {
            &self.found
        }
    }

    /// Opens all ancestors of the selection and scrolls to it.
    fn show_selected(&mut self, levels: Option<&dyn Levels>) {
        self.current = self.selected;
        let above = std::iter::successors(self.selected, |item| levels?.branch_above(*item));
        let mut chain: Vec<Item> = above.take(MAX_ANCESTORS).collect();
        chain.reverse();
        let mut at: Option<usize> = None;
        for item in chain {
            if let Some(parent) = at {
                self.open(levels, parent);
            }
            // An item without a line uses the line of its owner.
            at = self.child(at, item).or(at);
        }
        self.tree.list.reveal = at.filter(|_| self.search.is_empty());
        if let Some(line) = at.and_then(|at| self.lines.get(at)) {
            self.current = Some(line.branch.item);
        }
    }

    /// Returns the line of an item among the children of a line, or among the roots.
    fn child(&self, parent: Option<usize>, item: Item) -> Option<usize> {
        let (first, depth) = match parent {
            Some(parent) => (parent + 1, self.lines.get(parent)?.depth + 1),
            None => (0, 0),
        };
        let below = self.lines.iter().enumerate().skip(first);
        let below = below.take_while(|(_, line)| line.depth >= depth);
        let mut of_depth = below.filter(|(_, line)| line.depth == depth);
        let found = of_depth.find(|(_, line)| line.branch.item == item);
        found.map(|(at, _)| at)
    }

    /// Lists the children of a line.
    fn open(&mut self, levels: Option<&dyn Levels>, index: usize) {
        let Some(line) = self.lines.get_mut(index) else {
            return;
        };
        if line.open || line.branch.children == 0 {
            return;
        }
        line.open = true;
        let depth = line.depth + 1;
        let above = Some(line.branch.item);
        let below = levels.map_or_else(Vec::new, |levels| levels.branches(self.level, above));
        let below = below.into_iter().map(|branch| Line::new(branch, depth));
        let first = index + 1;
        self.lines.splice(first..first, below);
    }

    fn toggle(&mut self, levels: Option<&dyn Levels>, index: usize) {
        let Some(line) = self.lines.get_mut(index) else {
            return;
        };
        if !line.open {
            self.open(levels, index);
            return;
        }
        line.open = false;
        let depth = line.depth;
        let rest = self.lines.iter().skip(index + 1);
        let below = rest.take_while(|line| line.depth > depth).count();
        self.lines.drain(index + 1..=index + below);
    }

    fn rows(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) -> Option<TreeAction> {
        let list_id = ui.scope_id().with("octree");
        let searching = !self.search.is_empty();
        let mut tree = std::mem::take(&mut self.tree);
        let lines = self.shown();
        let action = tree.show(ui, context, INDENT, lines.len(), |_, at| {
            let line = lines.get(at)?;
            let item = line.branch.item;
            Some(TreeLine {
                id: list_id.with((item, searching)),
                label: &line.branch.label,
                note: &line.branch.note,
                swatch: line.branch.swatch,
                item: Some(item),
                selected: self.current == Some(item),
                depth: line.depth,
                open: (line.branch.children > 0).then_some(line.open),
                can_be_hidden: false,
            })
        });
        self.tree = tree;
        action
    }
}

/// Shows which cells of the tree are outlined in the view.
fn cells(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let overlays = context.document.about().overlays;
    if !overlays
        .iter()
        .any(|overlay| overlay.id == OverlayId::Cells)
    {
        return;
    }
    ui.horizontal(|ui| {
        let on = context.shown.overlays.contains(OverlayId::Cells);
        let switch = ui.selectable_label(on, "Cells");
        let help = "Outline the octree cells in the view, including empty ones";
        if switch.on_hover_text(help).clicked() {
            context.ask(Request::Run(CELLS));
        }
        let ends = MAX_DEPTH + 1;
        let mut depth = context.shown.cell_depth.unwrap_or(ends).min(ends);
        ui.spacing_mut().slider_width = (ui.available_width() - 58.0).max(40.0);
        let slider = Slider::new(&mut depth, 0..=ends)
            .custom_formatter(move |value, _| {
                if value > f64::from(MAX_DEPTH) {
                    "leaves".to_owned()
                } else {
                    fixed(value, 0)
                }
            })
            .custom_parser(move |text| match text.trim() {
                "leaves" => Some(f64::from(ends)),
                number => number.parse().ok(),
            });
        let slider = ui.add(slider);
        parts::name(&slider, "Depth of the cells");
        if slider.changed() {
            let depth = (depth <= MAX_DEPTH).then_some(depth);
            context.ask(Request::CellDepth(depth));
            if !on {
                context.ask(Request::Run(CELLS));
            }
        }
        slider.on_hover_text(
            "Depth of the outlined cells; the rightmost position shows the leaves of the tree",
        );
    });
}
