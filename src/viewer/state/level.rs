//! The visible level of a document, and its lights.

use super::clip_box::ClipBox;
use super::session::Session;
use crate::view_request::ViewRequest;
use crate::viewer::format::capitalized;
use crate::viewer::state::State;
use crate::viewer::view::camera_control::{self, CameraMode};
use mapscope_formats::Severity;
use mapscope_scene::{Aabb, Document, Item, Layers, LevelInfo, Levels, OverlayId, Shown, camera};

impl Session {
    /// The levels of the open document, if it has levels.
    pub(crate) fn levels(&self) -> Option<&dyn Levels> {
        self.document()?.levels()
    }

    /// The layers of the open document, if it has layers.
    pub(crate) fn layers(&self) -> Option<&dyn Layers> {
        self.document()?.layers()
    }

    /// The levels to choose from.
    pub(crate) fn level_list(&self) -> &[LevelInfo] {
        self.levels().map_or(&[], |levels| levels.levels())
    }

    /// `true` if the document has several levels.
    pub(crate) fn has_levels(&self) -> bool {
        self.level_list().len() > 1
    }

    /// The name of the visible level, if any.
    pub(crate) fn level_name(&self) -> Option<&str> {
        Some(&self.level_list().get(self.view.shown.level)?.name)
    }

    /// Shows a level completely. The visible level stays unchanged.
    pub(crate) fn show_level(&mut self, level: usize) {
        if level == self.view.shown.level || level >= self.level_list().len() {
            return;
        }
        self.view.shown.level = level;
        self.set_cut(None);
        self.pointer.leave();
        let level_of = |item| self.levels()?.level_of(item);
        let selected = self
            .view
            .shown
            .selected
            .filter(|item| level_of(*item).is_none_or(|of| of == level));
        self.view.shown.selected = selected;
        let document = self.document();
        let bounds = document.map_or_else(Aabb::default, |document| document.level_bounds(level));
        self.view.camera.near = camera::near_plane(bounds);
        self.view.fly_speed = camera_control::first_fly_speed(bounds);
        self.view.set_mode(CameraMode::Orbit);
        self.frame_all();
    }

    /// Shows the level that an item belongs to.
    pub(crate) fn show_level_of(&mut self, item: Item) {
        let level = self.levels().and_then(|levels| levels.level_of(item));
        if let Some(level) = level {
            self.show_level(level);
        }
    }

    /// Shows the next or the previous level, cyclically.
    pub(crate) fn next_level(&mut self, backwards: bool) {
        let count = self.level_list().len();
        if count > 0 {
            let step = if backwards { count - 1 } else { 1 };
            self.show_level((self.view.shown.level + step) % count);
        }
    }

    /// Resets parts of the view that a reloaded document no longer has.
    pub(crate) fn keep_shown(&mut self, document: &dyn Document) {
        if self.view.shown.level >= self.level_list().len() {
            self.view.shown.level = 0;
            self.set_cut(None);
        }
        let is_there = |item: &Item| document.has(*item);
        self.view.shown.hidden.retain(is_there);
    }

    /// Finds the visibility cube around the eye, while the overlay is on and not frozen.
    pub(crate) fn follow_visibility(&mut self) {
        let is_on = self.view.shown.overlays.contains(OverlayId::Visibility);
        self.tools.holds_visibility &= is_on;
        if self.tools.holds_visibility {
            return;
        }
        let eye = self.view.camera.pose.eye;
        let levels = self.levels().filter(|_| is_on);
        let from = levels.and_then(|levels| levels.visibility_at(eye, &self.view.shown));
        if self.view.shown.visibility_from != from {
            self.view.shown.visibility_from = from;
        }
    }

    /// `true` if the document has layers.
    pub(crate) fn has_layers(&self) -> bool {
        self.layers().is_some()
    }

    /// Switches all lights of the visible level on or off, or resets them to the file.
    pub(crate) fn switch_all_lights(&mut self, on: Option<bool>) {
        let lights = self.levels().map(|l| l.lights(self.view.shown.level));
        for light in lights.unwrap_or_default() {
            let intensity = on
                .map(|on| if on { light.full } else { 0 })
                .filter(|intensity| *intensity != light.intensity);
            self.view.shown.lights.set(light.item, intensity);
        }
    }
}

impl State {
    /// Shows the requested content of a document that was just opened, and reports missing items.
    pub(crate) fn show_first(&mut self, document: &dyn Document, request: &ViewRequest) {
        self.forget_level();
        if let Err(missing) = request.show(document, &mut self.session.view.shown) {
            self.notices
                .toast(capitalized(&missing), Some(Severity::Warning));
        }
        self.session.tools.clip_box = ClipBox::at(self.session.view.shown.cut);
    }

    /// Resets the view to the first level with the content of the file.
    pub(crate) fn forget_level(&mut self) {
        let shown = std::mem::take(&mut *self.session.view.shown);
        *self.session.view.shown = Shown {
            overlays: shown.overlays,
            selected: shown.selected,
            playhead: shown.playhead,
            hides_weights: !self.settings.joint_weights,
            ..Shown::default()
        };
        self.session.tools.clip_box = ClipBox::default();
        self.session.tools.holds_visibility = false;
    }
}
