//! Locks the pointer while a drag looks around, so that the edge of the screen does not stop it.
//!
//! If the system can lock a pointer, it reports relative mouse motion. X11 cannot: there the
//! pointer is confined to the window and moved back to its centre whenever it is far from it.

use glam::DVec2;
use winit::dpi::PhysicalPosition;
use winit::window::{CursorGrabMode, Window};

/// Maximum distance of the pointer from the centre, as a fraction of the window's shorter side.
const LEASH_FRACTION: f64 = 0.25;

/// The pointer of the window, locked or free. Positions are in physical pixels of the window.
#[derive(Debug, Default)]
pub(crate) struct PointerLock {
    /// Its last position while free.
    at: DVec2,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    /// The position to restore on release.
    home: DVec2,
    /// Keeps it away from the edges if the system cannot lock it.
    leash: Option<Leash>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Leash {
    middle: DVec2,
    length: f64,
    last: DVec2,
    /// `true` from the moment when it is moved back until a position confirms that.
    recentred: bool,
}

impl PointerLock {
    /// `true` if it is locked.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Locks or releases the pointer.
    pub(crate) fn hold(&mut self, window: &Window, hold: bool) {
        if hold == self.is_held() {
            return;
        }
        if hold {
            let locked = window.set_cursor_grab(CursorGrabMode::Locked).is_ok();
            if !locked && let Err(error) = window.set_cursor_grab(CursorGrabMode::Confined) {
                log::debug!("the pointer cannot be kept in the window: {error}");
            }
            let size = window.inner_size();
            let size = DVec2::new(size.width.into(), size.height.into());
            self.held = Some(Held {
                home: self.at,
                leash: (!locked).then_some(Leash {
                    middle: size / 2.0,
                    length: size.min_element() * LEASH_FRACTION,
                    last: self.at,
                    recentred: false,
                }),
            });
        } else if let Some(held) = self.held.take() {
            put(window, held.home);
            self.at = held.home;
            if let Err(error) = window.set_cursor_grab(CursorGrabMode::None) {
                log::debug!("the pointer cannot be let go: {error}");
            }
        }
    }

    /// Handles a pointer position. Returns the motion if the pointer is confined.
    pub(crate) fn moved(&mut self, window: &Window, to: PhysicalPosition<f64>) -> Option<DVec2> {
        let to = DVec2::new(to.x, to.y);
        let Some(held) = &mut self.held else {
            self.at = to;
            return None;
        };
        let leash = held.leash.as_mut()?;
        let by = leash.follow(to);
        if leash.is_taut() {
            leash.recentred = true;
            put(window, leash.middle);
        }
        Some(by)
    }

    /// The raw mouse motion, if the system has locked the pointer.
    pub(crate) fn mouse_moved(&self, by: (f64, f64)) -> Option<DVec2> {
        let held = self.held.as_ref()?;
        held.leash.is_none().then_some(DVec2::new(by.0, by.1))
    }
}

impl Leash {
    /// Handles a position; returns the motion by the user since the last one.
    fn follow(&mut self, to: DVec2) -> DVec2 {
        let mut by = to - self.last;
        // Positions from before the move back may still arrive after it. The shorter motion is the
        // plausible one.
        let since_middle = to - self.middle;
        if self.recentred && since_middle.length_squared() < by.length_squared() {
            self.recentred = false;
            by = since_middle;
        }
        self.last = to;
        by
    }

    fn is_taut(&self) -> bool {
        !self.recentred && self.last.distance(self.middle) > self.length
    }
}

fn put(window: &Window, at: DVec2) {
    if let Err(error) = window.set_cursor_position(PhysicalPosition::new(at.x, at.y)) {
        log::debug!("the pointer cannot be moved: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn putting_the_pointer_back_is_no_movement_of_the_hand() {
        let middle = DVec2::new(400.0, 300.0);
        let mut leash = Leash {
            middle,
            length: 150.0,
            last: DVec2::new(540.0, 300.0),
            recentred: false,
        };
        assert_eq!(
            leash.follow(DVec2::new(560.0, 300.0)),
            DVec2::new(20.0, 0.0)
        );
        assert!(leash.is_taut());
        leash.recentred = true;
        // Reported before the move back took effect.
        assert_eq!(
            leash.follow(DVec2::new(570.0, 302.0)),
            DVec2::new(10.0, 2.0)
        );
        assert!(!leash.is_taut());
        // Moved back, and a small motion since.
        assert_eq!(leash.follow(DVec2::new(407.0, 300.0)), DVec2::new(7.0, 0.0));
        assert_eq!(
            leash.follow(DVec2::new(417.0, 300.0)),
            DVec2::new(10.0, 0.0)
        );
        assert!(!leash.is_taut() && !leash.recentred);
    }
}
