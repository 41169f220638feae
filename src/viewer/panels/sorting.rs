//! Sorting of a table or a list by one of its columns.

use std::cmp::Ordering;

use egui::accesskit::Role;
use egui::{Button, Color32, RichText, Shape, Stroke, Ui, WidgetInfo, vec2};

use super::parts;

/// Width of the mark of the sorted column, in points.
const MARK_WIDTH: f32 = 14.0;

/// The sorted column, and `true` for the largest first. `None` for the order of the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sorting(Option<(usize, bool)>);

impl Sorting {
    /// The sorted column, if any.
    pub(super) fn column(self) -> Option<usize> {
        self.0.map(|(column, _)| column)
    }

    /// Sorts rows. `compare` compares two rows by a column.
    pub(super) fn apply<T>(
        self,
        rows: &mut [T],
        mut compare: impl FnMut(usize, &T, &T) -> Ordering,
    ) {
        if let Some((column, is_descending)) = self.0 {
            rows.sort_by(|a, b| {
                let [a, b] = if is_descending { [b, a] } else { [a, b] };
                compare(column, a, b)
            });
        }
    }

    /// Shows the heading of a column. A click sorts by it, a second one reverses the order, and a
    /// third one restores that of the file. Returns `true` if it was clicked.
    pub(super) fn heading(&mut self, ui: &mut Ui, column: usize, name: &str) -> bool {
        let (is_descending, next) = match self.0 {
            Some((of, false)) if of == column => (Some(false), Some((column, true))),
            Some((of, true)) if of == column => (Some(true), None),
            _ => (None, Some((column, false))),
        };
        let text = RichText::new(name).strong();
        // With room for the mark, so that nothing moves below the pointer.
        let font = egui::TextStyle::Button.resolve(ui.style());
        let name_of = name.to_owned();
        let galley = ui.fonts_mut(|fonts| fonts.layout_no_wrap(name_of, font, Color32::WHITE));
        let room = vec2(galley.size().x + MARK_WIDTH, 0.0);
        let heading = ui.add(Button::new(text).frame(false).min_size(room));
        heading.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, true, name));
        if let Some(is_descending) = is_descending {
            let mark = heading.rect.right_center() - vec2(MARK_WIDTH * 0.4, 0.0);
            let [tip, base] = if is_descending {
                [3.0, -3.0]
            } else {
                [-3.0, 3.0]
            };
            let corners = [vec2(0.0, tip), vec2(-4.0, base), vec2(4.0, base)];
            let color = ui.visuals().strong_text_color();
            let shape =
                Shape::convex_polygon(corners.map(|at| mark + at).into(), color, Stroke::NONE);
            ui.painter().add(shape);
        }
        let is_clicked = heading.on_hover_text("Sort by this column").clicked();
        if is_clicked {
            self.0 = next;
        }
        is_clicked
    }

    /// Shows the headings of a list whose rows have no columns. Returns `true` if one was clicked.
    pub(super) fn headings(&mut self, ui: &mut Ui, names: &[&str]) -> bool {
        ui.weak("Sort by");
        let mut is_clicked = false;
        for (column, name) in names.iter().enumerate() {
            is_clicked |= self.heading(ui, column, name);
        }
        is_clicked
    }
}

/// Shows a button that copies a table as comma-separated values.
pub(super) fn csv_button(ui: &mut Ui, enabled: bool, table: impl FnOnce() -> String) {
    let help = "Copy the list as comma-separated values";
    if parts::button(ui, enabled, "Copy as CSV", help) {
        ui.copy_text(table());
    }
}
