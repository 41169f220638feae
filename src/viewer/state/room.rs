//! What gives way in a small window, so that the view keeps most of it.

use super::State;
use super::session::Session;
use super::settings::LEFT_SIZE;
use crate::viewer::docks::{Dock, Panel};

/// Width in points below which the two docks beside the view leave too little of it.
const NARROW: f32 = 1000.0;
/// Width in points from which on the left dock is at first wide enough for long names, how wide that is, and
/// what part of a wider window it takes until it is as wide as any name.
const WIDE: f32 = 1440.0;
const WIDE_LEFT_SIZE: f32 = 320.0;
const WIDE_LEFT: f32 = 0.2;
const WIDEST_LEFT_SIZE: f32 = 480.0;
/// Height in points below which nothing opens below the view unless it is asked for.
const LOW: f32 = 560.0;
/// The part of the window's width or height that a dock takes at most.
const MOST_BESIDE: f32 = 0.38;
const MOST_BELOW: f32 = 0.5;
/// The same of a dock beside the view in a narrow window, until somebody makes it wider.
const FIRST_BESIDE: f32 = 0.25;
/// The least width of a dock beside the view, and height of one below it, in points.
const LEAST_BESIDE: f32 = 150.0;
const LEAST_BELOW: f32 = 90.0;

/// What is small about the window, and what has given way to that.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// Whether the window is narrow.
    narrow: bool,
    /// Whether it is low.
    low: bool,
    /// Whether the dock on the right is folded, until it is asked for or there is room again.
    folds_right: bool,
    /// Whether the list of problems, which had opened by itself, was closed because the window is
    /// low, and nothing else was opened or closed there since.
    folds_problems: bool,
    /// The docks whose size was chosen since the program started.
    sized: Vec<Dock>,
}

/// The sizes that a dock may have in a window, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DockSizes {
    /// The one that it has.
    pub now: f32,
    /// The least that it can be given.
    pub min: f32,
    /// The most that it can be given.
    pub max: f32,
}

impl Session {
    /// `true` if the open document has content for a panel. Without a document all panels are
    /// offered.
    pub(crate) fn offers(&self, panel: Panel) -> bool {
        let open = self.open.as_ref();
        open.is_none_or(|open| open.panels.contains(&panel))
    }
}

impl State {
    /// Returns the open panel at an edge. If the document has no content for the chosen panel, it
    /// is hidden, but stays chosen for the next document.
    pub(crate) fn open_panel(&self, dock: Dock) -> Option<Panel> {
        let wanted = self.settings.dock(dock).open;
        let wanted = wanted.filter(|_| !self.is_folded(dock))?;
        if self.session.offers(wanted) {
            return Some(wanted);
        }
        match dock {
            Dock::Left => Some(Panel::Outliner),
            Dock::Right | Dock::Bottom => None,
        }
    }

    /// `true` if a panel is open.
    pub(crate) fn is_panel_open(&self, panel: Panel) -> bool {
        self.open_panel(panel.dock()) == Some(panel)
    }

    /// Takes in the size of the window in points. What gave way to a small one comes back in a
    /// larger one.
    pub(crate) fn fit_window(&mut self, [width, height]: [f32; 2]) {
        let room = &mut self.interface.room;
        let (narrow, low) = (width < NARROW, height < LOW);
        let was_narrow = std::mem::replace(&mut room.narrow, narrow);
        let was_low = std::mem::replace(&mut room.low, low);
        if narrow != was_narrow {
            let both = self.settings.left.open.is_some() && self.settings.right.open.is_some();
            room.folds_right = narrow && both;
        }
        let bottom = &mut self.settings.bottom.open;
        let by_itself = self.interface.problems_by_themselves && *bottom == Some(Panel::Problems);
        if low && !was_low && by_itself {
            *bottom = None;
            room.folds_problems = true;
        }
        if !low
            && std::mem::take(&mut room.folds_problems)
            && let Some(document) = self.session.document().cloned()
        {
            self.show_problems_if_any(&*document);
        }
    }

    /// Whether a dock is folded because the window is narrow.
    pub(crate) fn is_folded(&self, dock: Dock) -> bool {
        dock == Dock::Right && self.interface.room.folds_right
    }

    /// Unfolds a dock in which a panel is opened or closed.
    pub(crate) fn unfold(&mut self, dock: Dock) {
        let room = &mut self.interface.room;
        room.folds_right &= dock != Dock::Right;
        room.folds_problems &= dock != Dock::Bottom;
    }

    /// Whether there is room for what opens below the view by itself.
    pub(crate) fn has_room_below(&self) -> bool {
        !self.interface.room.low
    }

    /// How large a dock is in a window of some size in points. One that `is_tall` has an image, which
    /// takes more room than a list.
    pub(crate) fn dock_sizes(
        &self,
        dock: Dock,
        [width, height]: [f32; 2],
        is_tall: bool,
    ) -> DockSizes {
        let room = &self.interface.room;
        let (min, max) = match dock {
            Dock::Left | Dock::Right => (LEAST_BESIDE, width * MOST_BESIDE),
            Dock::Bottom if is_tall => ((height * 0.3).min(220.0), height * MOST_BELOW),
            Dock::Bottom => (LEAST_BELOW, height * MOST_BELOW),
        };
        let max = max.max(min);
        let size = match self.settings.dock(dock).size {
            LEFT_SIZE if dock == Dock::Left && width >= WIDE => {
                (width * WIDE_LEFT).clamp(WIDE_LEFT_SIZE, WIDEST_LEFT_SIZE)
            }
            size => size,
        };
        let first = if room.narrow && dock != Dock::Bottom && !room.sized.contains(&dock) {
            width * FIRST_BESIDE
        } else {
            max
        };
        DockSizes {
            now: size.min(first).clamp(min, max),
            min,
            max,
        }
    }

    /// Gives a dock a size in points.
    pub(crate) fn resize_dock(&mut self, dock: Dock, size: f32) {
        self.settings.dock_mut(dock).size = size;
        let sized = &mut self.interface.room.sized;
        if !sized.contains(&dock) {
            sized.push(dock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::Action;
    use crate::viewer::state::settings::Settings;

    const SMALL: [f32; 2] = [640.0, 400.0];
    const LARGE: [f32; 2] = [1280.0, 800.0];

    #[test]
    fn a_narrow_window_folds_the_right_dock_until_it_is_asked_for_or_there_is_room() {
        let inspector = Action::Panel(Panel::Inspector);
        let is_open = |state: &State| state.is_on(inspector) == Some(true);
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.fit_window(SMALL);
        assert!(!is_open(&state) && state.is_panel_open(Panel::Outliner));
        assert_eq!(state.settings_to_keep(), Settings::default(), "next time");
        state.fit_window(LARGE);
        assert!(is_open(&state));
        state.fit_window(SMALL);
        state.run(inspector);
        state.fit_window([650.0, 400.0]);
        assert!(is_open(&state), "it was asked for");
        state.run(inspector);
        state.fit_window(LARGE);
        assert!(!is_open(&state), "it was closed");
        // Nothing is in its way.
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.run(Action::Panel(Panel::Outliner));
        state.fit_window(SMALL);
        assert!(is_open(&state));
    }

    #[test]
    fn docks_begin_narrow_in_a_narrow_window_and_take_more_where_that_is_wanted() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        let now = |state: &State, dock, size| state.dock_sizes(dock, size, false).now;
        state.fit_window(LARGE);
        assert_eq!(now(&state, Dock::Left, LARGE), 250.0);
        state.fit_window(SMALL);
        assert_eq!(now(&state, Dock::Left, SMALL), 160.0);
        state.fit_window(LARGE);
        assert_eq!(now(&state, Dock::Left, LARGE), 250.0, "as before");
        assert_eq!(now(&state, Dock::Left, [1600.0, 900.0]), 320.0);
        assert_eq!(now(&state, Dock::Left, [2000.0, 1100.0]), 400.0);
        assert_eq!(now(&state, Dock::Left, [3840.0, 2160.0]), 480.0);
        state.fit_window(SMALL);
        state.resize_dock(Dock::Left, 230.0);
        assert_eq!(now(&state, Dock::Left, SMALL), 230.0);
        assert_eq!(now(&state, Dock::Left, [1600.0, 900.0]), 230.0);
        state.resize_dock(Dock::Left, 900.0);
        assert_eq!(now(&state, Dock::Left, SMALL), 640.0 * MOST_BESIDE);
        assert_eq!(now(&state, Dock::Bottom, SMALL), 170.0);
    }
}
