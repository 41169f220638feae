//! A tree widget that builds only its visible lines; used by the outliner and the octree.

use egui::accesskit::Role;
use egui::{
    Align2, Color32, EventFilter, Id, Key, Modifiers, Painter, Rect, Response, Sense, Shape,
    Stroke, Ui, WidgetInfo, vec2,
};

use super::list::List;
use super::{Hover, PanelContext, Request, menu, parts};
use mapscope_scene::{Item, Swatch};

/// Width reserved for the triangle before the text of a line, in points.
const TOGGLE_WIDTH: f32 = 16.0;
/// Width reserved for the eye at the end of a line, in points.
const EYE_WIDTH: f32 = 20.0;

/// A line of a tree.
#[derive(Debug)]
pub(super) struct TreeLine<'a> {
    /// Stable id while the tree scrolls, so that the line keeps the focus.
    pub(super) id: Id,
    pub(super) label: &'a str,
    pub(super) note: &'a str,
    pub(super) swatch: Option<Swatch>,
    pub(super) item: Option<Item>,
    /// `true` if it is selected.
    pub(super) selected: bool,
    /// Number of ancestors.
    pub(super) depth: usize,
    /// `true` if it is open; `None` without children.
    pub(super) open: Option<bool>,
    /// `true` if its item can be hidden.
    pub(super) can_be_hidden: bool,
}

/// User action on a line, by its position among the listed lines.
#[derive(Debug, Clone, Copy)]
pub(super) enum TreeAction {
    /// Open or close it.
    Toggle(usize),
    /// Move the keyboard focus to it, and select it.
    Focus(usize),
    /// Select it.
    Select(usize),
}

/// State of a tree between frames.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) list: List,
    /// How much room there was for the lines in the last frame.
    height: f32,
    /// Number of lines in the last frame.
    count: usize,
    hovered: Hover,
}

impl Tree {
    /// Shows the visible lines of `count` lines. `indent` is the indentation per ancestor, in
    /// points.
    pub(super) fn show<'a>(
        &mut self,
        ui: &mut Ui,
        context: &mut PanelContext<'_>,
        indent: f32,
        count: usize,
        line_at: impl Fn(&PanelContext<'_>, usize) -> Option<TreeLine<'a>>,
    ) -> Option<TreeAction> {
        let height = ui.available_height();
        if height < self.height - 1.0 {
            // Less height must not push the selection out of view.
            let is_selected = |at: &usize| line_at(context, *at).is_some_and(|line| line.selected);
            let list = &mut self.list;
            list.reveal = list.reveal.or(list.in_sight.clone().find(is_selected));
            let fitting = (height / parts::Row::height(ui)) as usize;
            list.in_sight.end = list.in_sight.end.min(list.in_sight.start + fitting);
        }
        self.height = height;
        // A list that has just grown cannot scroll beyond its old end before the next frame.
        let has_grown = std::mem::replace(&mut self.count, count) < count;
        let later = self.list.reveal.take_if(|_| has_grown);
        if later.is_some() {
            ui.ctx().request_repaint();
        }
        let mut action = None;
        let mut hovered = None;
        let role = Some(Role::Tree);
        self.list.show(ui, role, count, |ui, at, takes_focus| {
            let Some(line) = line_at(context, at) else {
                return;
            };
            let row = parts::Row {
                id: line.id,
                role: Role::TreeItem,
                name: line.label,
                note: line.note,
                selected: line.selected,
                highlighted: line.item.is_some() && line.item == context.hovered,
                branch: Some(parts::Branch {
                    depth: line.depth,
                    open: line.open,
                }),
            };
            let response = row.show(ui);
            let toggle = line.paint(ui, context, indent, &response);
            if takes_focus {
                response.request_focus();
            }
            if response.has_focus() {
                keep_arrows(ui, &response);
                let depth_at = |at| Some(line_at(context, at)?.depth);
                action = key_pressed(ui, &line, at, count, depth_at).or(action.take());
            }
            if response.has_focus()
                && line.selected
                && let Some(item) = line.item
                && ui.input(|input| input.key_pressed(Key::Enter))
            {
                context.ask(Request::Visit(item));
            }
            if response.hovered() {
                hovered = line.item;
            }
            if response.clicked() {
                let place = response.interact_pointer_pos();
                let on_toggle = place.is_some_and(|place| toggle.contains(place));
                if line.item.is_some() && !on_toggle {
                    action = Some(TreeAction::Select(at));
                } else if line.open.is_some() {
                    action = Some(TreeAction::Toggle(at));
                }
            }
            if let Some(item) = line.item {
                if response.double_clicked() {
                    context.ask(Request::Visit(item));
                }
                response.context_menu(|ui| menu::of_item(ui, context.menu(), item, None));
            }
        });
        self.list.reveal = later;
        self.hovered.report(context, hovered);
        action
    }
}

/// Returns the action of the pressed arrow key on the focused line.
fn key_pressed(
    ui: &Ui,
    line: &TreeLine<'_>,
    at: usize,
    count: usize,
    depth_at: impl Fn(usize) -> Option<usize>,
) -> Option<TreeAction> {
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let focus = |at: usize| (at < count).then_some(TreeAction::Focus(at));
    let above = || (0..at).rfind(|above| depth_at(*above).is_some_and(|depth| depth < line.depth));
    if pressed(Key::ArrowDown) {
        focus(at + 1)
    } else if pressed(Key::ArrowUp) {
        focus(at.checked_sub(1)?)
    } else if pressed(Key::ArrowRight) {
        if line.open? {
            focus(at + 1)
        } else {
            Some(TreeAction::Toggle(at))
        }
    } else if pressed(Key::ArrowLeft) {
        match line.open {
            Some(true) => Some(TreeAction::Toggle(at)),
            _ => above().map(TreeAction::Focus),
        }
    } else {
        None
    }
}

/// Makes the arrow keys move within a list while it has the focus, instead of to another widget.
pub(super) fn keep_arrows(ui: &Ui, response: &Response) {
    let keys = EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, keys));
}

impl TreeLine<'_> {
    /// Paints the line in its row. Returns the rectangle that opens and closes it.
    fn paint(
        &self,
        ui: &Ui,
        context: &mut PanelContext<'_>,
        indent: f32,
        response: &Response,
    ) -> Rect {
        let row = response.rect;
        let mut rect = row.with_max_x(row.max.x - parts::Row::END_MARGIN);
        let can_be_hidden = self.item.filter(|_| self.can_be_hidden);
        let hidden = can_be_hidden.is_some_and(|item| context.shown.hides(item));
        if let Some(item) = can_be_hidden {
            let place = rect.with_min_x(rect.max.x - EYE_WIDTH);
            rect.max.x = place.min.x - 4.0;
            if eye(ui, place, self.label, hidden, response, "") {
                context.ask(Request::Hide(item, !hidden));
            }
        }
        let rect = rect.with_min_x(row.min.x + 4.0 + self.depth as f32 * indent);
        let toggle = rect.with_max_x(rect.min.x + TOGGLE_WIDTH);
        let mut rest = rect.with_min_x(toggle.max.x);
        if let Some(open) = self.open {
            paint_triangle(ui, open, toggle);
        }
        if let Some(swatch) = self.swatch {
            let side = row.height() - 6.0;
            let place = Align2::LEFT_CENTER.align_size_within_rect(vec2(side, side), rest);
            parts::paint_swatch(ui, context, swatch, place);
            rest.min.x = place.max.x + 6.0;
        }
        let is_hidden = |item| context.document.is_hidden(item, context.shown);
        let hidden = hidden || can_be_hidden.is_some_and(is_hidden);
        if !parts::paint_name_and_note(ui, rest, self.label, self.note, hidden) {
            let texts = [self.label, self.note];
            // Full text for truncated lines.
            response.clone().on_hover_ui(|ui| {
                for text in texts.into_iter().filter(|text| !text.is_empty()) {
                    ui.label(text);
                }
            });
        }
        match self.open {
            Some(_) => toggle,
            None => Rect::NOTHING,
        }
    }
}

/// Shows an eye in a row that hides or shows the item called `name`. Returns `true` if it was
/// clicked. `more_help` follows the description of the click.
pub(super) fn eye(
    ui: &Ui,
    place: Rect,
    name: &str,
    hidden: bool,
    row: &Response,
    more_help: &str,
) -> bool {
    // Not focusable: a command does the same, and Tab would stop twice at each line.
    let response = ui.interact(place, row.id.with("eye"), Sense::CLICK);
    response.widget_info(|| {
        let name = format!("Show {name}");
        WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), !hidden, name)
    });
    let visuals = ui.visuals();
    let color = if response.hovered() || response.has_focus() {
        visuals.strong_text_color()
    } else if hidden {
        visuals.warn_fg_color
    } else {
        visuals.weak_text_color().gamma_multiply(0.8)
    };
    paint_eye(ui.painter(), place, color, hidden);
    let help = if hidden {
        "Show this again"
    } else {
        "Hide this"
    };
    let response = response.on_hover_text(format!("{help}{more_help}"));
    response.clicked()
}

/// Paints an eye, crossed out if hidden.
fn paint_eye(painter: &Painter, place: Rect, color: Color32, hidden: bool) {
    let center = place.center();
    let stroke = Stroke::new(1.2, color);
    let (wide, high) = (6.5, 4.0);
    let lid = |up: f32| {
        let points = (-6..=6).map(|step| {
            let along = f32::from(step as i8) / 6.0;
            center + vec2(along * wide, up * high * (1.0 - along * along))
        });
        Shape::line(points.collect(), stroke)
    };
    painter.add(lid(-1.0));
    painter.add(lid(1.0));
    if hidden {
        let across = vec2(5.0, 5.0);
        painter.line_segment([center - across, center + across], stroke);
    } else {
        painter.circle_filled(center, 1.9, color);
    }
}

/// Paints a triangle that points down if open and to the right if closed.
pub(super) fn paint_triangle(ui: &Ui, open: bool, rect: Rect) {
    let (center, r) = (rect.center(), 3.5);
    let corners = if open {
        [vec2(-r, -r * 0.6), vec2(r, -r * 0.6), vec2(0.0, r * 0.8)]
    } else {
        [vec2(-r * 0.6, -r), vec2(r * 0.8, 0.0), vec2(-r * 0.6, r)]
    };
    let corners = corners.map(|offset| center + offset).to_vec();
    let color = ui.visuals().weak_text_color();
    ui.painter()
        .add(Shape::convex_polygon(corners, color, Stroke::NONE));
}
