//! Which overlays are on.

use super::State;
use mapscope_scene::{Document, OverlayId, OverlaySet};

impl State {
    /// Switches an overlay of the open document on or off.
    pub(crate) fn switch_overlay(&mut self, id: OverlayId, on: bool) {
        let offered = self.overlays();
        self.view.shown.overlays.set(offered, id, on);
    }

    /// Whether the open document has an overlay.
    pub(crate) fn offers_overlay(&self, id: OverlayId) -> bool {
        self.overlays().iter().any(|overlay| overlay.id == id)
    }

    /// The overlays of the document that colour the surface.
    pub(crate) fn surface_overlays(&self) -> impl Iterator<Item = OverlayId> + use<> {
        let overlays = self.overlays().iter();
        overlays
            .filter(|overlay| overlay.colors_surface)
            .map(|overlay| overlay.id)
    }

    /// Whether nothing colours the surface.
    pub(crate) fn is_surface_plain(&self) -> bool {
        let is_on = |id| self.view.shown.overlays.contains(id);
        !self.surface_overlays().any(is_on)
    }

    /// Switches off what colours the surface.
    pub(crate) fn make_surface_plain(&mut self) {
        for id in self.surface_overlays() {
            self.switch_overlay(id, false);
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
