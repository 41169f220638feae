//! Everything that is wrong with the file, as a list.

use std::fmt::Write as _;

use egui::accesskit::Role;
use egui::{Align2, RichText, ScrollArea, TextStyle, Ui, vec2};

use super::document_key::DocumentKey;
use super::{PanelContext, Request, format, parts};
use crate::formats::{Problem, Severity};

/// Width of the column of places, in points.
const PLACE_WIDTH: f32 = 84.0;

/// Lists the document's problems and leads to their places.
#[derive(Debug)]
pub struct Problems {
    of: DocumentKey,
    show_errors: bool,
    show_warnings: bool,
    /// Numbers of errors and warnings in the document.
    counts: [usize; 2],
    /// Indices of the problems that pass the filter.
    listed: Vec<usize>,
    /// The one that was clicked last.
    current: Option<usize>,
}

impl Default for Problems {
    fn default() -> Self {
        Self {
            of: DocumentKey::default(),
            show_errors: true,
            show_warnings: true,
            counts: [0; 2],
            listed: Vec::new(),
            current: None,
        }
    }
}

impl Problems {
    /// Shows the panel.
    pub fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let problems = context.document.problems();
        if self.of.changed_to(context.document) {
            let errors = problems
                .iter()
                .filter(|p| p.severity == Severity::Error)
                .count();
            self.counts = [errors, problems.len() - errors];
            self.current = None;
            self.list(problems);
        }
        if problems.is_empty() {
            parts::hint(ui, "No problems", "Nothing is wrong with this file.");
            return;
        }
        ui.horizontal_wrapped(|ui| {
            let [errors, warnings] = self.counts;
            let filters = [
                (&mut self.show_errors, format::counted(errors, "error")),
                (
                    &mut self.show_warnings,
                    format::counted(warnings, "warning"),
                ),
            ];
            let mut changed = false;
            for (on, name) in filters {
                let toggle = ui.toggle_value(on, name);
                changed |= toggle.on_hover_text("List these or not").changed();
            }
            if changed {
                self.list(problems);
            }
            let copy = ui
                .button("Copy all")
                .on_hover_text("Copy the listed problems as text");
            if copy.clicked() {
                ui.copy_text(self.as_text(problems));
            }
        });
        if self.listed.is_empty() {
            parts::hint(ui, "All problems are filtered out", "");
            return;
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        let list_id = ui.scope_id().with("problems");
        let row_height = parts::Row::height(ui);
        let area = ScrollArea::vertical().auto_shrink(false);
        area.show_rows(ui, row_height, self.listed.len(), |ui, rows| {
            for &index in self.listed.get(rows).unwrap_or_default() {
                let Some(problem) = problems.get(index) else {
                    continue;
                };
                let row = parts::Row {
                    id: list_id.with(index),
                    role: Role::ListBoxOption,
                    name: &problem.to_string(),
                    selected: self.current == Some(index),
                    highlighted: false,
                    branch: None,
                };
                let response = row.show(ui);
                paint_problem(ui, problem, response.rect);
                if response.clicked() {
                    self.current = Some(index);
                    context.requests.push(Request::ShowProblem(index));
                }
                response.on_hover_text(&problem.message);
            }
        });
    }

    /// Fills the list with what passes the filter.
    fn list(&mut self, problems: &[Problem]) {
        let passes = |problem: &Problem| match problem.severity {
            Severity::Error => self.show_errors,
            Severity::Warning => self.show_warnings,
        };
        self.listed = (0..problems.len())
            .filter(|&i| problems.get(i).is_some_and(passes))
            .collect();
    }

    /// The listed problems, one to a line.
    fn as_text(&self, problems: &[Problem]) -> String {
        let mut text = String::new();
        for problem in self.listed.iter().filter_map(|&i| problems.get(i)) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{problem}");
        }
        text
    }
}

fn paint_problem(ui: &Ui, problem: &Problem, row: egui::Rect) {
    let rect = row.with_min_x(row.min.x + 6.0);
    let rect = rect.with_max_x(row.max.x - parts::Row::END_MARGIN);
    let side = ui.text_style_height(&TextStyle::Body) * 0.8;
    let icon = Align2::LEFT_CENTER.align_size_within_rect(vec2(side, side), rect);
    parts::paint_severity(ui, problem.severity, icon);
    let place = rect.with_min_x(icon.max.x + 8.0);
    let place = place.with_max_x(place.min.x + PLACE_WIDTH);
    let visuals = ui.visuals();
    let (weak, color) = (visuals.weak_text_color(), visuals.text_color());
    let text = RichText::new(problem.place.to_string()).monospace();
    parts::paint_text(ui, place, text, weak, Align2::LEFT_CENTER);
    let message = rect.with_min_x(place.max.x + 8.0);
    let text = RichText::new(&problem.message);
    parts::paint_text(ui, message, text, color, Align2::LEFT_CENTER);
}
