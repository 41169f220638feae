//! Hides items, and shows single ones.

use super::session::Session;
use mapscope_scene::{Item, Light, items_of_kinds};

/// Maximum number of items that the solo command hides.
const MAX_SOLO: usize = 1000;

impl Session {
    /// `true` if the open document has items that can be hidden.
    pub(crate) fn can_hide(&self) -> bool {
        self.document().is_some_and(|document| document.can_hide())
    }

    /// The item that the solo command shows alone: the selected light, or what the selection is
    /// hidden with.
    pub(crate) fn solo_target(&self) -> Option<Item> {
        let selected = self.view.shown.selected?;
        let document = self.document()?;
        if self.lights().iter().any(|light| light.item == selected) {
            return Some(selected);
        }
        let target = document.hide_target(selected)?;
        (self.alike(target).len() <= MAX_SOLO).then_some(target)
    }

    /// The switchable lights of the visible level.
    fn lights(&self) -> Vec<Light> {
        let lights = self.levels().map(|it| it.lights(self.view.shown.level));
        lights.unwrap_or_default()
    }

    /// The items of the kind of an item.
    fn alike(&self, item: Item) -> Vec<Item> {
        let Some(document) = self.document() else {
            return Vec::new();
        };
        let listed = items_of_kinds(&**document, &[item.kind()]);
        let kinds = document.about().kinds.iter().map(|kind| kind.item);
        let kinds = kinds.filter(|kind| kind.kind() == item.kind());
        listed
            .into_iter()
            .map(|named| named.item)
            .chain(kinds)
            .collect()
    }

    /// Shows an item without the others of its kind, or all if it is the only visible one. A light
    /// is switched on, and the others are switched off.
    pub(crate) fn solo(&mut self, layer: Item) {
        let lights = self.lights();
        if lights.iter().any(|light| light.item == layer) {
            self.solo_light(layer, &lights);
            return;
        }
        let mut others = self.alike(layer);
        others.retain(|other| *other != layer);
        let was_solo = self.is_solo(layer, &others);
        self.view
            .shown
            .hidden
            .retain(|hidden| *hidden != layer && !others.contains(hidden));
        if !was_solo {
            self.view.shown.hidden.extend(others);
        }
        self.pointer.hovered = None;
    }

    fn solo_light(&mut self, item: Item, lights: &[Light]) {
        let wanted = |light: &Light| {
            let intensity = if light.item == item { light.full } else { 0 };
            (intensity != light.intensity).then_some(intensity)
        };
        let set = &mut self.view.shown.lights;
        let was_solo = lights
            .iter()
            .all(|light| set.get(light.item) == wanted(light));
        for light in lights {
            set.set(light.item, if was_solo { None } else { wanted(light) });
        }
    }

    fn is_solo(&self, layer: Item, others: &[Item]) -> bool {
        !self.view.shown.hides(layer) && others.iter().all(|other| self.view.shown.hides(*other))
    }

    /// The item that the hide command hides: the selection or an item that contains it.
    pub(crate) fn hidden_with_selection(&self) -> Option<Item> {
        let item = self.view.shown.selected?;
        let item = self.document()?.hide_target(item)?;
        (!self.view.shown.hides(item)).then_some(item)
    }

    pub(crate) fn hide_selection(&mut self) {
        if let Some(item) = self.hidden_with_selection() {
            self.hide(item, true);
            self.select(None);
        }
    }

    /// Hides an item, or shows it again.
    pub(crate) fn hide(&mut self, item: Item, hide: bool) {
        self.view.shown.hidden.retain(|hidden| *hidden != item);
        if hide {
            self.view.shown.hidden.push(item);
        }
        // The hovered item may be hidden now.
        self.pointer.hovered = None;
    }
}
