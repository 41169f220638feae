//! Hiding items, and showing a layer alone.

use super::session::Session;
use mapscope_scene::Item;

impl Session {
    /// Whether there is something that can be hidden.
    pub(crate) fn can_hide(&self) -> bool {
        self.document().is_some_and(|document| document.can_hide())
    }

    /// The layer that is selected, or that the selection is hidden with.
    pub(crate) fn selected_layer(&self) -> Option<Item> {
        let selected = self.view.shown.selected.filter(|_| self.has_layers())?;
        self.document()?.hide_target(selected)
    }

    /// Shows a layer alone, or all of them if it is alone already.
    pub(crate) fn solo(&mut self, layer: Item) {
        let layers = self.layers().map(mapscope_scene::Layers::layers);
        let layers = layers.unwrap_or_default().into_iter();
        let others = layers.map(|other| other.item);
        let others: Vec<Item> = others.filter(|other| *other != layer).collect();
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

    fn is_solo(&self, layer: Item, others: &[Item]) -> bool {
        !self.view.shown.hides(layer) && others.iter().all(|other| self.view.shown.hides(*other))
    }

    /// What the command that hides would hide: the selection, or what it is made of.
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
        // What the pointer is over may be gone.
        self.pointer.hovered = None;
    }
}
