//! Numbers about the last picture and the document.

use egui::{Grid, Label, RichText, Ui};

use super::document_key::DocumentKey;
use super::{PanelContext, format, parts};
use crate::scene::Statistic;

/// Shows what the last picture took, and what the document counts.
#[derive(Debug, Default)]
pub struct Statistics {
    of: DocumentKey,
    /// What the document says.
    statistics: Vec<Statistic>,
}

impl Statistics {
    /// Shows the panel.
    pub fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.statistics = context.document.statistics();
        }
        let frame = context.frame;
        parts::scrolled(ui, |ui| {
            parts::heading(ui, "Last picture");
            table(ui, "picture", |row| {
                row("Frame time", &format::milliseconds(frame.frame_ms));
                row("Triangles", &format::count(frame.triangles));
                row("Draw calls", &format::count(frame.draw_calls.into()));
                row("GPU memory", &format::bytes(frame.gpu_bytes));
                row("Memory", &format::bytes(frame.cpu_bytes));
                row("GPU", frame.adapter);
            });
            if self.statistics.is_empty() {
                return;
            }
            parts::heading(ui, "File");
            table(ui, "file", |row| {
                for statistic in &self.statistics {
                    row(statistic.name, &statistic.value);
                }
            });
        });
    }
}

/// A table of names and values.
fn table(ui: &mut Ui, salt: &str, fill: impl FnOnce(&mut dyn FnMut(&str, &str))) {
    let columns = Grid::new(salt).num_columns(2).min_col_width(104.0);
    columns.show(ui, |ui| {
        fill(&mut |name, value| {
            ui.label(RichText::new(name).weak());
            let mut text = RichText::new(value);
            if value.starts_with(|c: char| c.is_ascii_digit()) {
                text = text.monospace();
            }
            ui.add(Label::new(text).selectable(true));
            ui.end_row();
        });
    });
}
