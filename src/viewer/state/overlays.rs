//! Which overlays are on.

use super::State;
use super::session::Session;
use crate::view_request::ViewRequest;
use mapscope_formats::Severity;
use mapscope_scene::{Document, OverlayId};

impl Session {
    /// Whether an overlay of the open document is on.
    pub(crate) fn is_overlay_on(&self, id: OverlayId) -> bool {
        let mut offered = self.overlays().iter();
        offered.any(|overlay| overlay.id == id && self.view.shown.overlays.is_on(overlay))
    }

    /// Whether an overlay shows another document in place of the open one: the entities of a map are
    /// in the scene beside it.
    fn opens_scene(&self, id: OverlayId) -> bool {
        id == OverlayId::Entities && self.is_terrain()
    }

    /// Why an overlay that the open document offers cannot be switched on, as a sentence.
    pub(crate) fn why_no_overlay(&self, id: OverlayId) -> Option<String> {
        self.why_no_counterpart().filter(|_| self.opens_scene(id))
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

    /// Overlays that are on stay on where the new document has them too.
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

    /// Switches on the overlay that shows a problem, for as long as this document is open.
    pub(crate) fn switch_on_for_problem(&mut self, id: OverlayId) {
        if !self.session.is_overlay_on(id) {
            self.switch_overlay(id, true);
            self.session.tools.problem_overlays.push(id);
        }
    }

    /// Switches off what was switched on to show problems, and not touched since.
    pub(super) fn forget_overlays_of_problems(&mut self) {
        for id in std::mem::take(&mut self.session.tools.problem_overlays) {
            self.switch_overlay(id, false);
        }
    }

    /// Has a map that was just opened with its entities asked for show them: opens its scene, or says
    /// why there is none.
    pub(super) fn show_asked_entities(&mut self, request: &ViewRequest) {
        if !self.session.opens_scene(OverlayId::Entities) || !request.requests(OverlayId::Entities)
        {
            return;
        }
        match self.session.why_no_counterpart() {
            Some(why) => self.notices.toast(why, Some(Severity::Warning)),
            None => self.open_counterpart(),
        }
    }

    /// Switches off what colours the surface.
    pub(crate) fn make_surface_plain(&mut self) {
        for id in self.session.surface_overlays() {
            self.switch_overlay(id, false);
        }
    }
}
