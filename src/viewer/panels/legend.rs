//! What the colours of the overlays mean.

use egui::{RichText, ScrollArea, Ui};

use super::document_key::DocumentKey;
use super::{PanelContext, parts};
use crate::scene::{LegendEntry, OverlaySet, Swatch};

/// Lists the colours of the overlays that are on; takes no room when they have none.
#[derive(Debug, Default)]
pub struct Legend {
    of: DocumentKey,
    overlays: OverlaySet,
    /// Name of each overlay that is on and has a legend, and its colours.
    legends: Vec<(&'static str, Vec<LegendEntry>)>,
}

impl Legend {
    /// Shows the legend. The frame around it is up to who places it.
    pub fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let other_document = self.of.changed_to(context.document);
        if other_document || self.overlays != *context.overlays {
            self.overlays = context.overlays.clone();
            let offered = context.document.overlays().iter();
            self.legends = offered
                .filter(|overlay| context.overlays.contains(overlay.id))
                .map(|overlay| (overlay.name, context.document.legend(overlay.id)))
                .filter(|(_, entries)| !entries.is_empty())
                .collect();
        }
        if self.legends.is_empty() {
            return;
        }
        ScrollArea::vertical().show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 3.0;
            for (name, entries) in &self.legends {
                ui.label(RichText::new(*name).strong());
                for entry in entries {
                    ui.horizontal(|ui| {
                        parts::swatch(ui, context, Swatch::Color(entry.color));
                        ui.label(&entry.label);
                    });
                }
            }
        });
    }
}
