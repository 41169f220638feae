//! Numbers about the last frame and the document.

use egui::{Grid, Label, RichText, Ui};

use super::document_key::DocumentKey;
use super::{PanelContext, PanelUi, parts};
use crate::viewer::format;
use mapscope_render::TimedPass;
use mapscope_scene::Statistic;

/// The passes of a frame with the names of their GPU times.
const PASSES: [(TimedPass, &str); 3] = [
    (TimedPass::Reflection, "GPU, reflection"),
    (TimedPass::ShadowMap, "GPU, shadow map"),
    (TimedPass::Frame, "GPU, frame"),
];
/// Width of the column of names, in points.
const NAME_WIDTH: f32 = 104.0;
/// Minimum panel width for tables side by side, in points.
const MIN_COLUMNS_WIDTH: f32 = 760.0;
/// Gap between tables side by side, in points.
const GAP: f32 = 36.0;

/// Shows the costs of the last frame and the document's counts.
#[derive(Debug, Default)]
pub struct Statistics {
    of: DocumentKey,
    /// Statistics of the document.
    statistics: Vec<Statistic>,
}

impl PanelUi for Statistics {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_or_filled(context.document) {
            self.statistics = context.document.statistics();
        }
        let frame = context.frame;
        let tables = |ui: &mut Ui| {
            table(ui, "Last frame", |row| {
                row("Frame time", &format::milliseconds(frame.frame_ms));
                let passes = frame.passes.unwrap_or_default();
                for (pass, name) in PASSES {
                    if let Some(time) = passes.of(pass) {
                        row(name, &format::milliseconds(time.as_secs_f32() * 1e3));
                    }
                }
                if !frame.has_timestamps {
                    row("GPU time", "not reported by this adapter");
                }
                row("Triangles", &format::count(frame.triangles));
                row("Draw calls", &format::count(frame.draw_calls.into()));
                if frame.shadow_triangles > 0 {
                    row("Shadow triangles", &format::count(frame.shadow_triangles));
                }
            });
            table(ui, "Computer", |row| {
                row("GPU memory", &format::bytes(frame.gpu_bytes));
                row("Memory", &format::bytes(frame.cpu_bytes));
                row("GPU", frame.adapter);
            });
            if !self.statistics.is_empty() {
                table(ui, "File", |row| {
                    for statistic in &self.statistics {
                        row(statistic.name, &format::with_counts(&statistic.value));
                    }
                });
            }
        };
        parts::scrolled(ui, |ui| {
            // Side by side if there is room: a panel below the view is low.
            if ui.available_width() > MIN_COLUMNS_WIDTH {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = GAP;
                    tables(ui);
                });
            } else {
                tables(ui);
            }
        });
    }
}

/// Shows a table of names and values with a heading.
fn table(ui: &mut Ui, title: &str, fill: impl FnOnce(&mut dyn FnMut(&str, &str))) {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.x = ui.ctx().global_style().spacing.item_spacing.x;
        parts::heading(ui, title);
        let columns = Grid::new(title).num_columns(2).min_col_width(NAME_WIDTH);
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
    });
}
