//! What of a document is shown, and how.

use std::collections::HashMap;
use std::sync::Arc;

#[cfg(doc)]
use super::{Document, Levels};
use crate::core::item::Item;
use crate::core::overlay::OverlaySet;
use crate::core::playback::Playhead;
use crate::describe::Line;
use crate::geometry::Aabb;

/// What of a document is shown, and how: everything but where it is seen from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown {
    /// The overlays that are on.
    pub overlays: OverlaySet,
    /// What is selected; a kind highlights all of its kind.
    pub selected: Option<Item>,
    /// The kind that is highlighted while one of its kind is selected.
    pub highlighted: Option<Item>,
    /// The moment of its animation.
    pub playhead: Playhead,
    /// Which of its levels is shown, if it has such ([`Document::levels`]).
    pub level: usize,
    /// What lies outside this box in world space is cut away.
    pub cut: Option<Aabb>,
    /// Items that are not shown, such as a material with all that is made of it.
    pub hidden: Vec<Item>,
    /// How bright lights are that are not as the file has them.
    pub lights: Overrides,
    /// How opaque layers are that are not wholly so.
    pub opacities: Overrides,
    /// Whether a 2D map is shown as the game does, its layers upon each other and moving with the
    /// camera each in its own way.
    pub flat: bool,
    /// The pixel of a flat 2D map that is at the top left corner of the frame, by which its
    /// layers have scrolled ([`FlatWindow::camera_px`](crate::tilemap::FlatWindow::camera_px)).
    pub flat_camera_px: [i64; 2],
    /// How many pixels of a flat 2D map are across and down the frame, if that is known.
    pub flat_view_px: Option<[u32; 2]>,
    /// How far apart the layers of a 2D map are that is not shown flat, in world units; as far as
    /// is usual for it if there is none.
    pub layer_gap: Option<f32>,
    /// Which cells of a tree are outlined where cells are: those of this depth, or at the ends of
    /// the tree if there is none.
    pub cell_depth: Option<u8>,
    /// The cube of which visibility is shown while the selection is in none: the one that the eye is
    /// in, or was in when that was held ([`Levels::visibility_at`]).
    pub visibility_from: Option<Item>,
    /// Whether the surface of a model stays as it is while a joint is selected, in place of showing
    /// the weights of the joint.
    pub hides_weights: bool,
    /// Lines around what is not as in another document.
    pub changes: ChangeLines,
    /// Whether nothing casts a shadow.
    pub hides_shadows: bool,
    /// Whether joints, entities, zones and the like are named, whichever overlays are on.
    pub has_names: bool,
    /// Whether nothing is behind everything, so that an image is transparent there: no sky, no floor
    /// and no black.
    pub is_transparent: bool,
    /// Whether the image of a whole 2D map outlines what was not read, as its views do: it has the map's
    /// own pixels unless that is asked for.
    pub outlines_left_out: bool,
}

impl Shown {
    /// Whether the same is shown in the same way, whatever the moments of the animation are.
    pub fn is_same_but_moment(&mut self, other: &Self) -> bool {
        // Compared as a whole, so that nothing is left out that is added later.
        let moment = std::mem::replace(&mut self.playhead, other.playhead);
        let is_same = self == other;
        self.playhead = moment;
        is_same
    }

    /// Whether an item was hidden by itself.
    pub fn hides(&self, item: Item) -> bool {
        self.hidden.contains(&item)
    }
}

/// Numbers that the user gave to items in place of those that they have, such as how bright a
/// light is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    set: HashMap<Item, u8>,
}

impl Overrides {
    /// The number that an item was given, from 0 to 255; none for one that is as it was.
    pub fn get(&self, item: Item) -> Option<u8> {
        self.set.get(&item).copied()
    }

    /// Gives an item a number, or the one that it had.
    pub fn set(&mut self, item: Item, amount: Option<u8>) {
        match amount {
            Some(amount) => self.set.insert(item, amount),
            None => self.set.remove(&item),
        };
    }

    /// Whether all items are as they were.
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
        assert!(before.is_same_but_moment(&now));
        assert_eq!(before, Shown::default(), "and it is as it was");
        let layer = TileMapItem::Layer { index: 1 }.into();
        now.opacities.set(layer, Some(0));
        assert!(
            !before.is_same_but_moment(&now),
            "what is faint is not pointed at"
        );
    }
}

/// Lines around what has changed, in world space. Two of them are the same if one was made from the
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
