//! The visible state of the open document, with a revision for change detection.

use std::ops::{Deref, DerefMut};

use mapscope_scene::{Playhead, Shown};

/// The visible state. It dereferences to [`Shown`]; mutable access increments its revision.
#[derive(Debug, Default)]
pub(crate) struct TrackedShown {
    shown: Shown,
    revision: Revision,
}

/// Revision of the visible state; a cache key for anything derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Revision {
    /// Number of changes of everything except the moment.
    pub all_but_moment: u64,
    /// Number of changes of the moment.
    pub moment: u64,
}

impl TrackedShown {
    /// Returns the revision.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Sets the moment.
    pub(crate) fn set_playhead(&mut self, playhead: Playhead) {
        if self.shown.playhead != playhead {
            self.shown.playhead = playhead;
            self.revision.moment += 1;
        }
    }
}

impl Deref for TrackedShown {
    type Target = Shown;

    fn deref(&self) -> &Shown {
        &self.shown
    }
}

impl DerefMut for TrackedShown {
    fn deref_mut(&mut self) -> &mut Shown {
        self.revision.all_but_moment += 1;
        &mut self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::TileMapItem;

    #[test]
    fn every_change_makes_a_new_revision_and_moments_are_counted_apart() {
        let mut shown = TrackedShown::default();
        let before = shown.revision();
        assert!(shown.selected.is_none());
        assert_eq!(shown.revision(), before, "it was only read");
        let layer = TileMapItem::Layer { index: 1 }.into();
        shown.opacities.set(layer, Some(0));
        let faded = shown.revision();
        assert_ne!(faded.all_but_moment, before.all_but_moment);
        shown.set_playhead(Playhead::at_frame(0, 7));
        let moved = shown.revision();
        assert_eq!(moved.all_but_moment, faded.all_but_moment);
        assert_ne!(moved.moment, faded.moment);
        shown.set_playhead(Playhead::at_frame(0, 7));
        assert_eq!(shown.revision(), moved, "it is the same moment");
    }
}
