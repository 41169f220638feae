//! A list of which only the rows in sight are made.

use std::ops::Range;

use egui::accesskit::Role;
use egui::{ScrollArea, Ui};

use super::parts;

/// What a list remembers between frames, and where it is to scroll.
#[derive(Debug, Default)]
pub(super) struct List {
    /// A row to bring into sight.
    pub(super) reveal: Option<usize>,
    /// A row to scroll to the top.
    pub(super) top: Option<usize>,
    /// A row to give the keyboard focus to.
    pub(super) focus: Option<usize>,
    /// The rows that were in sight in the last frame.
    pub(super) in_sight: Range<usize>,
}

impl List {
    /// Shows the rows that are in sight, of so many. `role` is what a screen reader calls the list, and
    /// `row` shows the row at an index; it is told whether the row takes the keyboard focus.
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        role: Option<Role>,
        count: usize,
        mut row: impl FnMut(&mut Ui, usize, bool),
    ) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let row_height = parts::Row::height(ui);
        let mut offset = self.top.take().map(|at| at as f32 * row_height);
        if let Some(at) = self.reveal.take() {
            let whole = self.in_sight.start + 1..self.in_sight.end.saturating_sub(2);
            if !whole.contains(&at) {
                let above = ui.available_height() * 0.4;
                offset = Some((at as f32 * row_height - above).max(0.0));
            }
        }
        let focus = self.focus.take();
        let mut area = ScrollArea::vertical().auto_shrink(false);
        if let Some(offset) = offset {
            area = area.vertical_scroll_offset(offset);
        }
        area.show_rows(ui, row_height, count, |ui, rows| {
            if let Some(role) = role {
                parts::take_role(ui, role);
            }
            self.in_sight = rows.clone();
            for at in rows {
                row(ui, at, focus == Some(at));
            }
        });
    }
}
