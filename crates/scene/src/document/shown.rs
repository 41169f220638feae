//! View settings that select the visible content of a document.

use std::collections::HashMap;
use std::sync::Arc;

#[cfg(doc)]
use super::{Document, Levels};
use crate::core::item::Item;
use crate::core::overlay::OverlaySet;
use crate::core::playback::Playhead;
use crate::describe::Line;
use crate::geometry::Aabb;

/// All view settings of a document except the camera.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown {
    /// The active overlays.
    pub overlays: OverlaySet,
    /// The selection; a selected kind highlights all its items.
    pub selected: Option<Item>,
    /// Further selected joints, whose curves and paths are shown too.
    pub also_selected: Vec<Item>,
    /// The kind that is highlighted while one of its items is selected.
    pub highlighted: Option<Item>,
    /// The moment of the animation.
    pub playhead: Playhead,
    /// Index of the visible level, if the document has levels ([`Document::levels`]).
    pub level: usize,
    /// Clip box in world space: content outside it is cut away.
    pub cut: Option<Aabb>,
    /// Hidden items, such as a material with everything made of it.
    pub hidden: Vec<Item>,
    /// Brightness of lights that differ from the file.
    pub lights: Overrides,
    /// Opacity of layers that are not fully opaque.
    pub opacities: Overrides,
    /// `true` to show a 2D map as the game does: layers stacked, each scrolling with its own
    /// parallax.
    pub flat: bool,
    /// The pixel of a flat 2D map at the top left corner of the frame, which sets the scroll
    /// position of its layers ([`FlatWindow::camera_px`](crate::tilemap::FlatWindow::camera_px)).
    pub flat_camera_px: [i64; 2],
    /// Size of the frame in pixels of a flat 2D map, if known.
    pub flat_view_px: Option<[u32; 2]>,
    /// Distance between the layers of a 2D map that is not shown flat, in world units; `None` for
    /// the default distance.
    pub layer_gap: Option<f32>,
    /// Tree depth of the cells that the cell overlay outlines; `None` for the leaves.
    pub cell_depth: Option<u8>,
    /// The cube whose visibility is shown if the selection is not in a cube: the one that contains
    /// the eye, or contained it when it was locked ([`Levels::visibility_at`]).
    pub visibility_from: Option<Item>,
    /// `true` to keep the surface of a model unchanged while a joint is selected, without showing
    /// the joint's weights.
    pub hides_weights: bool,
    /// Frames between the ghosts of an onion skin; `None` for the default.
    pub ghost_step: Option<u32>,
    /// Lines around differences from another document.
    pub changes: ChangeLines,
    /// `true` to disable shadows.
    pub hides_shadows: bool,
    /// `true` to label joints, entities, zones and the like regardless of the active overlays.
    pub has_names: bool,
    /// `true` for a transparent background in images: no sky, floor or black.
    pub is_transparent: bool,
    /// `true` to outline unread content in the image of a whole 2D map, as in its views. Otherwise
    /// the image has only the map's own pixels.
    pub outlines_left_out: bool,
}

impl Shown {
    /// The selection, followed by the further selected joints.
    pub fn all_selected(&self) -> impl Iterator<Item = Item> {
        self.selected
            .into_iter()
            .chain(self.also_selected.iter().copied())
    }

    /// Compares all settings except the moment of the animation.
    pub fn eq_except_playhead(&mut self, other: &Self) -> bool {
        // Compares whole values, so that fields added later are included.
        let moment = std::mem::replace(&mut self.playhead, other.playhead);
        let is_same = self == other;
        self.playhead = moment;
        is_same
    }

    /// `true` if an item itself is hidden.
    pub fn hides(&self, item: Item) -> bool {
        self.hidden.contains(&item)
    }
}

/// User overrides of numbers of items, such as the brightness of a light.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    set: HashMap<Item, u8>,
}

impl Overrides {
    /// The override of an item, from 0 to 255; `None` if it has its original value.
    pub fn get(&self, item: Item) -> Option<u8> {
        self.set.get(&item).copied()
    }

    /// Sets the override of an item, or removes it.
    pub fn set(&mut self, item: Item, amount: Option<u8>) {
        match amount {
            Some(amount) => self.set.insert(item, amount),
            None => self.set.remove(&item),
        };
    }

    /// `true` if no item has an override.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TileMapItem;

    #[test]
    fn the_moment_alone_makes_no_difference() {
        let mut before = Shown::default();
        let mut now = Shown {
            playhead: Playhead::at_frame(0, 7),
            ..Shown::default()
        };
        assert!(before.eq_except_playhead(&now));
        assert_eq!(before, Shown::default(), "and it is as it was");
        let layer = TileMapItem::Layer { index: 1 }.into();
        now.opacities.set(layer, Some(0));
        assert!(
            !before.eq_except_playhead(&now),
            "what is faint is not pointed at"
        );
    }
}

/// Lines around differences, in world space. Two instances are equal only if one is a clone of the
/// other.
#[derive(Debug, Clone, Default)]
pub struct ChangeLines(pub(crate) Option<Arc<[Line]>>);

impl ChangeLines {
    /// The lines.
    pub fn lines(&self) -> &[Line] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl PartialEq for ChangeLines {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(lines), Some(others)) => Arc::ptr_eq(lines, others),
            (None, None) => true,
            _ => false,
        }
    }
}
