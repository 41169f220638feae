//! Hides items, and shows single layers.

use super::session::Session;
use mapscope_scene::Item;

impl Session {
    /// `true` if the open document has items that can be hidden.
    pub(crate) fn can_hide(&self) -> bool {
        self.document().is_some_and(|document| document.can_hide())
    }

    /// The selected layer, or the layer that the selection is hidden with.
    pub(crate) fn selected_layer(&self) -> Option<Item> {
        let selected = self.view.shown.selected.filter(|_| self.has_layers())?;
        self.document()?.hide_target(selected)
    }

    /// Shows only a layer, or all layers if it is the only visible one.
    pub(crate) fn solo(&mut self, layer: Item) {
        let others: Vec<Item> = self
            .layers()
            .map(mapscope_scene::Layers::layers)
            .unwrap_or_default()
            .into_iter()
            .map(|other| other.item)
            .filter(|other| *other != layer)
            .collect();
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
