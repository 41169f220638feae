//! Which overlays are on.

use super::State;
use mapscope_scene::{Document, OverlayId, OverlaySet};

impl State {
    /// Switches an overlay of the open document on or off.
    pub(crate) fn switch_overlay(&mut self, id: OverlayId, on: bool) {
        if let Some(offered) = self.document().map(|document| document.about().overlays) {
            self.view.shown.overlays.set(offered, id, on);
        }
    }

    /// Whether the document has overlays that colour the surface.
    pub(crate) fn offers_surface_overlays(&self) -> bool {
        self.document().is_some_and(|d| {
            d.about()
                .overlays
                .iter()
                .any(|overlay| overlay.colors_surface)
        })
    }

    /// Whether nothing colours the surface.
    pub(crate) fn is_surface_plain(&self) -> bool {
        let overlays = self.document().map_or(&[][..], |d| d.about().overlays);
        !overlays
            .iter()
            .any(|o| o.colors_surface && self.view.shown.overlays.contains(o.id))
    }

    /// Switches off what colours the surface.
    pub(crate) fn make_surface_plain(&mut self) {
        let offered = self.document().map_or(&[][..], |d| d.about().overlays);
        for overlay in offered.iter().filter(|overlay| overlay.colors_surface) {
            self.view.shown.overlays.set(offered, overlay.id, false);
        }
    }

    /// Overlays that are on stay on where the new document has them too.
    pub(crate) fn keep_offered_overlays(&mut self, document: &dyn Document) {
        let offered = document.about().overlays;
        let mut overlays = OverlaySet::default();
        for id in self.view.shown.overlays.iter() {
            overlays.set(offered, id, true);
        }
        self.view.shown.overlays = overlays;
    }
}
