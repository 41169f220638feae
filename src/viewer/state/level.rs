//! Which level of a document is shown, and how: what is cut away and hidden, and the lights.

use super::loader::capitalized;
use crate::view_request::ViewRequest;
use crate::viewer::state::State;
use crate::viewer::view::camera_control::{self, CameraMode};
use mapscope_formats::Severity;
use mapscope_scene::camera;
use mapscope_scene::{Aabb, Document, Item, Layers, LevelInfo, Levels, OverlayId, Shown};

/// What of a document is cut off at each end beyond what it is known to occupy, as a part of its
/// size: a slider at its end cuts nothing, however numbers are rounded.
const BEYOND: f32 = 0.01;

/// The tool that cuts away what lies outside a box. What it was set to outlives its being closed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Cut {
    open: bool,
    /// Where it cuts, in world space; none where it cuts nothing.
    at: Option<Aabb>,
}

impl Cut {
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The box of which the sliders are the ends, in a document of these bounds.
    pub(crate) fn ends(&self, bounds: Aabb) -> Aabb {
        self.at.map_or(bounds, |at| Aabb {
            min: at.min.clamp(bounds.min, bounds.max),
            max: at.max.clamp(bounds.min, bounds.max),
        })
    }

    /// Whether anything is cut away while it is open.
    pub(crate) fn cuts(&self) -> bool {
        self.at.is_some()
    }
}

impl State {
    /// The levels of the open document, if it is made of such.
    pub(crate) fn levels(&self) -> Option<&dyn Levels> {
        self.document()?.levels()
    }

    /// The layers of the open document, if it is made of such.
    pub(crate) fn layers(&self) -> Option<&dyn Layers> {
        self.document()?.layers()
    }

    /// What there is to choose from of levels.
    pub(crate) fn level_list(&self) -> &[LevelInfo] {
        self.levels().map_or(&[], |levels| levels.levels())
    }

    /// Whether the document has several levels, of which one is shown.
    pub(crate) fn has_levels(&self) -> bool {
        self.level_list().len() > 1
    }

    /// The name of the level that is shown.
    pub(crate) fn level_name(&self) -> Option<&str> {
        Some(&self.level_list().get(self.shown.level)?.name)
    }

    /// Shows a level and all of it; nothing changes for the one that is shown already.
    pub(crate) fn show_level(&mut self, level: usize) {
        if level == self.shown.level || level >= self.level_list().len() {
            return;
        }
        self.shown.level = level;
        self.set_cut(None);
        self.hovered = None;
        self.pointed_at = None;
        let level_of = |item| self.levels()?.level_of(item);
        let selected = self.shown.selected;
        let selected = selected.filter(|item| level_of(*item).is_none_or(|of| of == level));
        self.shown.selected = selected;
        let bounds = self
            .document()
            .map_or_else(Aabb::default, |document| document.level_bounds(level));
        self.camera.near = camera::near_plane(bounds);
        self.fly_speed = camera_control::first_fly_speed(bounds);
        self.set_mode(CameraMode::Orbit);
        self.frame_all();
    }

    /// Shows the level that an item belongs to.
    pub(crate) fn show_level_of(&mut self, item: Item) {
        let level = self.levels().and_then(|levels| levels.level_of(item));
        if let Some(level) = level {
            self.show_level(level);
        }
    }

    /// Shows the level after the one that is shown, or the one before, going round at the end.
    pub(crate) fn next_level(&mut self, backwards: bool) {
        let count = self.level_list().len();
        if count > 0 {
            let step = if backwards { count - 1 } else { 1 };
            self.show_level((self.shown.level + step) % count);
        }
    }

    /// What is shown of a document that was read again stays, as far as it is there.
    pub(crate) fn keep_shown(&mut self, document: &dyn Document) {
        if self.shown.level >= self.level_list().len() {
            self.shown.level = 0;
            self.set_cut(None);
        }
        let playhead = self.shown.playhead;
        let is_there = |item: &Item| !document.properties(*item, playhead).is_empty();
        self.shown.hidden.retain(is_there);
    }

    /// Shows what is asked for of a document that was just opened, and says what of it is not
    /// there.
    pub(crate) fn show_first(&mut self, document: &dyn Document, request: &ViewRequest) {
        self.forget_level();
        if let Err(missing) = request.show(document, &mut self.shown) {
            self.toast(capitalized(&missing), Some(Severity::Warning));
        }
        self.cut = Cut {
            open: self.shown.cut.is_some(),
            at: self.shown.cut,
        };
    }

    /// Shows everything of the first level as the file has it.
    pub(crate) fn forget_level(&mut self) {
        let shown = std::mem::take(&mut self.shown);
        self.shown = Shown {
            overlays: shown.overlays,
            selected: shown.selected,
            playhead: shown.playhead,
            hides_weights: !self.settings.joint_weights,
            ..Shown::default()
        };
        self.cut = Cut::default();
        self.holds_visibility = false;
    }

    /// Finds the visibility cube that the eye is in, while that is asked for and not held.
    pub(crate) fn follow_visibility(&mut self) {
        if !self.shown.overlays.contains(OverlayId::Visibility) {
            self.holds_visibility = false;
            self.shown.visibility_from = None;
        } else if !self.holds_visibility {
            let eye = self.camera.pose.eye;
            let levels = self.levels();
            self.shown.visibility_from =
                levels.and_then(|levels| levels.visibility_at(eye, &self.shown));
        }
    }

    /// Whether there is something to be cut open, and hidden.
    pub(crate) fn can_cut(&self) -> bool {
        self.levels().is_some()
    }

    /// Whether there is something that can be hidden.
    pub(crate) fn can_hide(&self) -> bool {
        self.can_cut() || self.has_layers()
    }

    /// Whether the document is made of layers.
    pub(crate) fn has_layers(&self) -> bool {
        self.layers().is_some()
    }

    /// The layer that is selected, or that the selection is hidden with.
    pub(crate) fn selected_layer(&self) -> Option<Item> {
        let selected = self.shown.selected.filter(|_| self.has_layers())?;
        self.document()?.hidden_with(selected)
    }

    /// Shows a layer alone, or all of them if it is alone already.
    pub(crate) fn solo(&mut self, layer: Item) {
        let layers = self.layers().map(|layers| layers.layers());
        let layers = layers.unwrap_or_default().into_iter();
        let others = layers.map(|other| other.item);
        let others: Vec<Item> = others.filter(|other| *other != layer).collect();
        let was_solo = self.is_solo(layer, &others);
        self.shown
            .hidden
            .retain(|hidden| *hidden != layer && !others.contains(hidden));
        if !was_solo {
            self.shown.hidden.extend(others);
        }
        self.hovered = None;
    }

    fn is_solo(&self, layer: Item, others: &[Item]) -> bool {
        !self.shown.hides(layer) && others.iter().all(|other| self.shown.hides(*other))
    }

    /// Opens the tool that cuts, with what it cut before, or closes it and cuts nothing.
    pub(crate) fn toggle_cut(&mut self) {
        self.cut.open = !self.cut.open;
        self.shown.cut = self.cut.at.filter(|_| self.cut.open);
    }

    /// Cuts away what lies outside a box; what is not inside the bounds is not cut.
    pub(crate) fn set_cut(&mut self, ends: Option<Aabb>) {
        let bounds = self.shown_bounds().unwrap_or_default();
        let beyond = bounds.radius() * BEYOND;
        self.cut.at = ends.filter(|ends| *ends != bounds).map(|ends| {
            let mut at = ends;
            for axis in 0..3 {
                if ends.min[axis] <= bounds.min[axis] {
                    at.min[axis] = bounds.min[axis] - beyond;
                }
                if ends.max[axis] >= bounds.max[axis] {
                    at.max[axis] = bounds.max[axis] + beyond;
                }
            }
            at
        });
        self.shown.cut = self.cut.at.filter(|_| self.cut.open);
    }

    /// What the command that hides would hide: the selection, or what it is made of.
    pub(crate) fn hidden_with_selection(&self) -> Option<Item> {
        let item = self.shown.selected?;
        let item = self.document()?.hidden_with(item)?;
        (!self.shown.hides(item)).then_some(item)
    }

    pub(crate) fn hide_selection(&mut self) {
        if let Some(item) = self.hidden_with_selection() {
            self.hide(item, true);
            self.select(None);
        }
    }

    /// Hides an item, or shows it again.
    pub(crate) fn hide(&mut self, item: Item, hide: bool) {
        self.shown.hidden.retain(|hidden| *hidden != item);
        if hide {
            self.shown.hidden.push(item);
        }
        // What the pointer is over may be gone.
        self.hovered = None;
    }

    /// Switches all lights of the level that is shown on or off, or has them as in the file.
    pub(crate) fn switch_all_lights(&mut self, on: Option<bool>) {
        let lights = self.levels().map(|l| l.lights(self.shown.level));
        for light in lights.unwrap_or_default() {
            let intensity = on.map(|on| if on { light.full } else { 0 });
            let intensity = intensity.filter(|intensity| *intensity != light.intensity);
            self.shown.lights.set(light.item, intensity);
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
            .any(|o| o.colors_surface && self.shown.overlays.contains(o.id))
    }

    /// Switches off what colours the surface.
    pub(crate) fn make_surface_plain(&mut self) {
        let offered = self.document().map_or(&[][..], |d| d.about().overlays);
        for overlay in offered.iter().filter(|overlay| overlay.colors_surface) {
            self.shown.overlays.set(offered, overlay.id, false);
        }
    }
}
