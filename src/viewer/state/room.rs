//! Adapts the layout to small windows, so that the view keeps most of the room.

use super::State;
use super::session::Session;
use super::settings::DEFAULT_LEFT_SIZE;
use crate::viewer::docks::{Dock, Panel};

/// Window width in points below which two side docks leave too little room for the view.
const NARROW: f32 = 1000.0;
/// Wide windows: the minimum window width in points, and the initial width of the left dock. The
/// dock's width is a share of the window's, up to a maximum.
const WIDE: f32 = 1440.0;
const WIDE_LEFT_SIZE: f32 = 320.0;
const WIDE_LEFT_SHARE: f32 = 0.2;
const MAX_LEFT_SIZE: f32 = 480.0;
/// Window height in points below which no bottom panel opens automatically.
const LOW: f32 = 560.0;
/// Maximum share of the window that a dock takes.
const MAX_SIDE_SHARE: f32 = 0.38;
const MAX_BOTTOM_SHARE: f32 = 0.5;
/// Initial maximum share of a side dock in a narrow window, until the user resizes it.
const NARROW_SIDE_SHARE: f32 = 0.25;
/// Minimum width of a side dock and minimum height of the bottom dock, in points.
const MIN_SIDE_WIDTH: f32 = 150.0;
const MIN_BOTTOM_HEIGHT: f32 = 90.0;

/// The size class of the window, and the panels that were folded because of it.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// `true` if the window is narrow.
    narrow: bool,
    /// `true` if the window is low.
    low: bool,
    /// `true` if the right dock is folded until it is requested or the window becomes wider.
    folds_right: bool,
    /// `true` if a low window closed the automatically opened problems panel. Any other change of
    /// that dock resets this.
    folds_problems: bool,
    /// Docks that the user has resized since the start.
    sized: Vec<Dock>,
}

/// The size of a dock and its limits, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DockSizes {
    /// Current size.
    pub now: f32,
    /// Minimum size.
    pub min: f32,
    /// Maximum size.
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
        let chosen = self
            .settings
            .dock(dock)
            .open
            .filter(|_| !self.is_folded(dock))?;
        if self.session.offers(chosen) {
            return Some(chosen);
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

    /// Applies the size of the window, in points. Folded panels come back in a larger window.
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
        let by_itself = self.interface.problems_auto_opened && *bottom == Some(Panel::Problems);
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

    /// `true` if a dock is folded because the window is narrow.
    pub(crate) fn is_folded(&self, dock: Dock) -> bool {
        dock == Dock::Right && self.interface.room.folds_right
    }

    /// Unfolds a dock because a panel in it is opened or closed.
    pub(crate) fn unfold(&mut self, dock: Dock) {
        let room = &mut self.interface.room;
        room.folds_right &= dock != Dock::Right;
        room.folds_problems &= dock != Dock::Bottom;
    }

    /// `true` if the window is high enough to open a bottom panel automatically.
    pub(crate) fn has_room_below(&self) -> bool {
        !self.interface.room.low
    }

    /// The sizes of a dock in a window, in points. `is_tall`: its panel shows an image and needs
    /// more height than a list.
    pub(crate) fn dock_sizes(
        &self,
        dock: Dock,
        [width, height]: [f32; 2],
        is_tall: bool,
    ) -> DockSizes {
        let room = &self.interface.room;
        let (min, max) = match dock {
            Dock::Left | Dock::Right => (MIN_SIDE_WIDTH, width * MAX_SIDE_SHARE),
            Dock::Bottom if is_tall => ((height * 0.3).min(220.0), height * MAX_BOTTOM_SHARE),
            Dock::Bottom => (MIN_BOTTOM_HEIGHT, height * MAX_BOTTOM_SHARE),
        };
        let max = max.max(min);
        let size = match self.settings.dock(dock).size {
            DEFAULT_LEFT_SIZE if dock == Dock::Left && width >= WIDE => {
                (width * WIDE_LEFT_SHARE).clamp(WIDE_LEFT_SIZE, MAX_LEFT_SIZE)
            }
            size => size,
        };
        let first = if room.narrow && dock != Dock::Bottom && !room.sized.contains(&dock) {
            width * NARROW_SIDE_SHARE
        } else {
            max
        };
        DockSizes {
            now: size.min(first).clamp(min, max),
            min,
            max,
        }
    }

    /// Sets the size of a dock, in points.
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
        // With the left dock closed, it stays open.
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
        assert_eq!(now(&state, Dock::Left, SMALL), 640.0 * MAX_SIDE_SHARE);
        assert_eq!(now(&state, Dock::Bottom, SMALL), 170.0);
    }
}
