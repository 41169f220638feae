//! Navigation history of the open document's views and selections, with back and forward.

use std::collections::VecDeque;

use super::View;
use super::camera_control::CameraMode;
use super::flat::FlatView;
use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, Item};

/// Maximum number of views in each direction.
const MAX_VIEWS: usize = 100;
/// Minimum duration of a view in the history, in seconds. Views during a drag or a flight are
/// skipped.
const REST_SECS: f64 = 0.5;

/// The views before and after the current one.
#[derive(Debug, Default)]
pub(crate) struct ViewHistory {
    before: VecDeque<VisitedView>,
    after: VecDeque<VisitedView>,
    /// The view of the last frame; `None` if the history restarts with the next one.
    last: Option<VisitedView>,
    /// Start of `last`, in seconds of the window's clock; `None` if it counts regardless of its
    /// duration.
    since_secs: Option<f64>,
}

/// A view of the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisitedView {
    camera: Camera,
    mode: CameraMode,
    flat: FlatView,
    /// The level that was shown.
    pub level: usize,
    /// The selected item.
    pub selected: Option<Item>,
    size_px: [u32; 2],
}

impl VisitedView {
    fn is_like(&self, other: &Self) -> bool {
        // The mode may change at the start of a drag.
        let is_flat = |seen: &Self| seen.mode == CameraMode::Flat;
        let key = |seen: &Self| (seen.camera, seen.level, is_flat(seen), seen.selected);
        key(self) == key(other)
    }
}

impl ViewHistory {
    fn side(&mut self, backwards: bool) -> &mut VecDeque<VisitedView> {
        if backwards {
            &mut self.before
        } else {
            &mut self.after
        }
    }

    /// Clears the history, because another document is open.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Adds the current view to the history at the next change, regardless of its duration.
    pub(crate) fn rest(&mut self) {
        self.since_secs = None;
    }
}

fn push(side: &mut VecDeque<VisitedView>, seen: VisitedView) {
    if side.len() == MAX_VIEWS {
        side.pop_front();
    }
    side.push_back(seen);
}

impl View {
    /// The current view.
    pub(crate) fn current_view(&self) -> VisitedView {
        VisitedView {
            camera: self.camera,
            mode: self.mode,
            flat: self.flat,
            level: self.shown.level,
            selected: self.shown.selected,
            size_px: self.size_px,
        }
    }

    /// Records the view of a frame, at a time in seconds of the window's clock. A view that has
    /// rested is added to the history once it changes.
    pub(crate) fn note_view(&mut self, now_secs: f64) {
        if self.framing.is_some() {
            return;
        }
        let now = self.current_view();
        let history = &mut self.history;
        let Some(last) = history.last.replace(now) else {
            history.since_secs = None;
            return;
        };
        // Resizing moves the camera of a flat view too.
        if last.is_like(&now) || last.size_px != now.size_px {
            return;
        }
        let has_rested = |since| now_secs - since >= REST_SECS;
        if history.since_secs.is_none_or(has_rested) {
            push(&mut history.before, last);
            history.after.clear();
        }
        history.since_secs = Some(now_secs);
    }

    /// `true` if there is a view to go back (or forward) to.
    pub(crate) fn has_view(&self, backwards: bool) -> bool {
        let history = &self.history;
        let side = if backwards {
            &history.before
        } else {
            &history.after
        };
        !side.is_empty()
    }

    /// Takes the view before this one off the history, or the one after it, and puts this one on the
    /// other side.
    pub(crate) fn step_history(&mut self, backwards: bool) -> Option<VisitedView> {
        let now = self.current_view();
        let history = &mut self.history;
        let seen = history.side(backwards).pop_back()?;
        push(history.side(!backwards), now);
        history.last = None;
        Some(seen)
    }

    /// Looks at the document as it was seen, of whose levels the same is shown.
    pub(crate) fn restore(&mut self, document: &dyn Document, seen: &VisitedView) {
        // A view from walking or flying must not fall or drift at once.
        self.set_mode(match seen.mode {
            CameraMode::Fly | CameraMode::Walk => CameraMode::Orbit,
            mode => mode,
        });
        self.framing = None;
        self.camera = seen.camera;
        // Update layers with parallax, whose positions depend on the camera.
        if let Some(window) = self.flat_window() {
            self.show_flat_window(document, window);
        }
        self.flat = seen.flat;
    }
}

#[cfg(test)]
mod tests {
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::{Action, find};
    use crate::viewer::state::State;
    use crate::viewer::state::settings::Settings;
    use crate::viewer::testing::{document, loaded, model};
    use glam::Vec3;
    use mapscope_scene::TerrainItem;
    use mapscope_scene::camera::{NamedView, Pose};

    fn opened() -> State {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(document(), false));
        state.session.shape_view(1.5);
        state.session.view.note_view(0.0);
        state
    }

    fn at(x: f32) -> Pose {
        Pose {
            eye: Vec3::new(x, 50.0, 20.0),
            target: Vec3::new(x, 0.0, 0.0),
        }
    }

    #[test]
    fn views_are_gone_back_to_and_forth() {
        let [back, forth] = ["camera.back", "camera.forward"].map(|id| find(id).unwrap().action);
        let mut state = opened();
        assert!(!state.is_enabled(back) && !state.is_enabled(forth));
        let first = state.session.view.camera.pose;
        // A drag passes many views.
        for step in 0_u8..10 {
            state.session.view.camera.pose = at(step.into());
            state.session.view.note_view(10.0 + f64::from(step) * 0.1);
        }
        state.session.view.camera.pose = at(50.0);
        state.session.view.note_view(20.0);
        let go = |state: &mut State, action, secs| {
            state.run(action);
            state.session.view.note_view(secs);
            state.session.view.camera.pose
        };
        assert_eq!(go(&mut state, back, 21.0), at(9.0));
        assert_eq!(go(&mut state, back, 21.1), first);
        assert!(!state.is_enabled(back));
        assert_eq!(go(&mut state, forth, 21.2), at(9.0));
        assert_eq!(go(&mut state, forth, 21.3), at(50.0));
        assert!(!state.is_enabled(forth));
        assert_eq!(go(&mut state, back, 21.4), at(9.0));
        // A new view clears the forward history.
        state.session.view.camera.pose = at(70.0);
        state.session.view.note_view(21.5);
        assert!(!state.is_enabled(forth));
        assert_eq!(go(&mut state, back, 21.6), at(9.0));
        // The next document has its own history.
        state.loaded(loaded(model(), false));
        assert!(!state.is_enabled(back) && !state.is_enabled(forth));
    }

    #[test]
    fn selections_are_gone_back_to() {
        let mut state = opened();
        let tile = |row| Some(TerrainItem::Tile { row, col: 5 }.into());
        for row in 1..4 {
            state.session.select(tile(row));
            state.session.view.note_view(f64::from(row) * 10.0);
        }
        let selected = |state: &State| state.session.view.shown.selected;
        for before in [tile(2), tile(1), None] {
            state.session.restore_view(true);
            assert_eq!(selected(&state), before);
        }
        state.session.restore_view(false);
        assert_eq!(selected(&state), tile(1));
    }

    #[test]
    fn commands_that_follow_each_other_at_once_have_views_of_their_own() {
        let mut state = opened();
        let mut seen = Vec::new();
        for (view, secs) in [
            (NamedView::Top, 1.0),
            (NamedView::North, 1.1),
            (NamedView::East, 1.2),
        ] {
            seen.push(state.session.view.camera.pose);
            state.run(Action::View(view));
            state.session.view.note_view(secs);
        }
        while let Some(pose) = seen.pop() {
            state.session.restore_view(true);
            assert_eq!(state.session.view.camera.pose, pose);
        }
        assert!(!state.session.view.has_view(true));
    }
}
