//! Legend of the colours of overlays and of the selection.

use egui::{CollapsingHeader, RichText, ScrollArea, Ui};

use super::{PanelContext, parts};
use crate::viewer::format;
use mapscope_scene::{Legend, Swatch};

/// Gap between two lines, in points.
const ENTRY_GAP: f32 = 3.0;

/// Lists the colours of active overlays and of the selection. The caller draws the frame around it.
///
/// A click on a title folds or unfolds the colours of an overlay. Overlays that do not fit are
/// folded at first, and all of them are unless the view `has_room`.
pub fn legend(ui: &mut Ui, legends: &[Legend], has_room: bool, context: &mut PanelContext<'_>) {
    let height = ui.available_height();
    ScrollArea::vertical().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = ENTRY_GAP;
        let line = ui.text_style_height(&egui::TextStyle::Body) + ENTRY_GAP;
        for legend in legends {
            let is_small = has_room && legend.entries.len() as f32 * line <= height;
            CollapsingHeader::new(RichText::new(legend.title).strong())
                .id_salt(("legend", legend.title))
                .default_open(is_small)
                .show_unindented(ui, |ui| {
                    for entry in &legend.entries {
                        ui.horizontal(|ui| {
                            match entry.color {
                                Some(color) => {
                                    parts::swatch(ui, context, Swatch::Color(color));
                                }
                                None => parts::no_swatch(ui),
                            }
                            ui.label(format::with_counts(&entry.label));
                        });
                    }
                });
        }
    });
}
