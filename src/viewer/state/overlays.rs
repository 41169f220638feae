//! Switches overlays.

use super::State;
use super::session::Session;
use crate::view_request::ViewRequest;
use mapscope_formats::Severity;
use mapscope_scene::{Document, OverlayId};

impl Session {
    /// `true` if an overlay of the open document is on.
    pub(crate) fn is_overlay_on(&self, id: OverlayId) -> bool {
        self.overlays()
            .iter()
            .any(|overlay| overlay.id == id && self.view.shown.overlays.is_on(overlay))
    }

    /// `true` if an overlay opens another document: the entities of a map are in its scene.
    fn opens_scene(&self, id: OverlayId) -> bool {
        id == OverlayId::Entities && self.is_terrain()
    }

    /// The reason why an offered overlay cannot be switched on, as a sentence, if there is one.
    pub(crate) fn why_no_overlay(&self, id: OverlayId) -> Option<String> {
        self.why_no_counterpart().filter(|_| self.opens_scene(id))
    }

    /// `true` if the open document has an overlay.
    pub(crate) fn offers_overlay(&self, id: OverlayId) -> bool {
        self.overlays().iter().any(|overlay| overlay.id == id)
    }

    /// The overlays of the document that colour the surface.
    pub(crate) fn surface_overlays(&self) -> impl Iterator<Item = OverlayId> + use<> {
        self.overlays()
            .iter()
            .filter(|overlay| overlay.colors_surface)
            .map(|overlay| overlay.id)
    }

    /// `true` if no overlay colours the surface.
    pub(crate) fn is_surface_plain(&self) -> bool {
        let is_on = |id| self.view.shown.overlays.contains(id);
        !self.surface_overlays().any(is_on)
    }

    /// Keeps the overlays that a new document also offers.
    pub(crate) fn keep_offered_overlays(&mut self, document: &dyn Document) {
        let offered = document.about().overlays;
        let mut overlays = self.view.shown.overlays.kept_for(offered);
        if self.opens_scene(OverlayId::Entities) {
            overlays.set(offered, OverlayId::Entities, false);
        }
        self.view.shown.overlays = overlays;
    }
}

impl State {
    /// Switches an overlay of the open document on or off.
    pub(crate) fn switch_overlay(&mut self, id: OverlayId, on: bool) {
        if self.session.opens_scene(id) {
            if on {
                self.open_counterpart();
            }
            return;
        }
        let offered = self.session.overlays();
        self.session.view.shown.overlays.set(offered, id, on);
    }

    /// Switches on the overlay that shows a problem. Opening another document switches it off
    /// again.
    pub(crate) fn switch_on_for_problem(&mut self, id: OverlayId) {
        if !self.session.is_overlay_on(id) {
            self.switch_overlay(id, true);
            self.session.tools.problem_overlays.push(id);
        }
    }

    /// Switches off the overlays that were switched on to show problems, unless the user changed
    /// them since.
    pub(super) fn reset_problem_overlays(&mut self) {
        for id in std::mem::take(&mut self.session.tools.problem_overlays) {
            self.switch_overlay(id, false);
        }
    }

    /// Shows requested entities of a map that was just opened: opens its scene, or reports why it
    /// cannot.
    pub(super) fn show_requested_entities(&mut self, request: &ViewRequest) {
        if !self.session.opens_scene(OverlayId::Entities) || !request.requests(OverlayId::Entities)
        {
            return;
        }
        match self.session.why_no_counterpart() {
            Some(why) => self.notices.toast(why, Some(Severity::Warning)),
            None => self.open_counterpart(),
        }
    }

    /// Switches off the overlays that colour the surface.
    pub(crate) fn make_surface_plain(&mut self) {
        for id in self.session.surface_overlays() {
            self.switch_overlay(id, false);
        }
    }
}
