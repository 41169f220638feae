//! What the colours of the overlays and of the selection mean.

use egui::{CollapsingHeader, RichText, ScrollArea, Ui};

use super::{PanelContext, format, parts};
use mapscope_scene::{Legend, Swatch};

/// Room between two lines, in points.
const ENTRY_GAP: f32 = 3.0;

/// Lists the colours of the overlays that are on, and of the selection. The frame around it is up to
/// who places it.
///
/// A click on its title folds the colours of an overlay away, and back. Those for which there is not
/// enough room are folded at first: all of them unless the view `has_room`.
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
