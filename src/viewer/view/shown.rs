//! What of the open document is shown, with a number that says whether it has changed.

use std::ops::{Deref, DerefMut};

use mapscope_scene::{Playhead, Shown};

/// What is shown. It is read and written as [`Shown`] is; whoever takes it to write makes a new
/// revision of it.
#[derive(Debug, Default)]
pub(crate) struct TrackedShown {
    shown: Shown,
    revision: Revision,
}

/// Which revision of what is shown it is. Who keeps something that was made from what is shown
/// keeps its revision, and compares that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Revision {
    /// Counts the changes of all but the moment.
    pub all_but_moment: u64,
    /// Counts the moments.
    pub moment: u64,
}

impl TrackedShown {
    /// Which revision it is.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Shows a moment.
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
