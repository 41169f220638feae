//! What the colours of the overlays and of the selection mean.

use std::sync::Arc;

use egui::{CollapsingHeader, RichText, ScrollArea, Ui};

use super::document_key::DocumentKey;
use super::{PanelContext, parts};
use mapscope_scene::{Document, Item, OverlaySet, Shown, Swatch};

/// Room between two lines, in points.
const ENTRY_GAP: f32 = 3.0;

/// Lists the colours of the overlays that are on, and of the selection; takes no room when they
/// have none.
#[derive(Debug, Default)]
pub struct Legend {
    of: DocumentKey,
    overlays: OverlaySet,
    /// The selected item, if the surface shows something of it.
    selected: Option<Item>,
    legends: Vec<mapscope_scene::Legend>,
}

impl Legend {
    /// Whether there is nothing to be said about what is shown.
    pub fn is_empty(&mut self, document: &Arc<dyn Document>, shown: &Shown) -> bool {
        let other_document = self.of.changed_to(document);
        let selected = shown.selected.filter(|_| !shown.hides_weights);
        if other_document || self.overlays != shown.overlays || self.selected != selected {
            self.overlays = shown.overlays.clone();
            self.selected = selected;
            self.legends = document.legends(shown);
        }
        self.legends.is_empty()
    }

    /// Shows the legend. The frame around it is up to who places it.
    ///
    /// A click on its title folds the colours of an overlay away, and back. Those for which there is not
    /// enough room are folded at first.
    pub fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.is_empty(context.document, context.shown) {
            return;
        }
        let height = ui.available_height();
        ScrollArea::vertical().show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = ENTRY_GAP;
            let line = ui.text_style_height(&egui::TextStyle::Body) + ENTRY_GAP;
            for legend in &self.legends {
                let is_small = legend.entries.len() as f32 * line <= height;
                CollapsingHeader::new(RichText::new(legend.title).strong())
                    .id_salt(("legend", legend.title))
                    .default_open(is_small)
                    .show_unindented(ui, |ui| {
                        for entry in &legend.entries {
                            ui.horizontal(|ui| {
                                parts::swatch(ui, context, Swatch::Color(entry.color));
                                ui.label(&entry.label);
                            });
                        }
                    });
            }
        });
    }
}
