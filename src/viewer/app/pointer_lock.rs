//! Holds the pointer while one looks around with it, so that the edge of the screen does not
//! stop it.
//!
//! Where the system can lock a pointer it says how the mouse moves. X11 cannot: there the
//! pointer is kept in the window and put back into the middle whenever it has gone far from it.

use glam::DVec2;
use winit::dpi::PhysicalPosition;
use winit::window::{CursorGrabMode, Window};

/// How far the pointer may go from the middle before it is put back, of the window's lesser side.
const LEASH: f64 = 0.25;

/// The pointer of the window, held or free. Positions are in physical pixels of the window.
#[derive(Debug, Default)]
pub(crate) struct PointerLock {
    /// Where it was last.
    at: DVec2,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    /// Where it is put when it is free again.
    home: DVec2,
    /// How it is kept from the edges where the system does not lock it.
    leash: Option<Leash>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Leash {
    middle: DVec2,
    length: f64,
    last: DVec2,
    /// Whether it was put back and no position has come yet that says so.
    put_back: bool,
}

impl PointerLock {
    /// Whether it is held.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Holds the pointer or lets it go.
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
                    length: size.min_element() * LEASH,
                    last: self.at,
                    put_back: false,
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

    /// The pointer was moved to a place of the window; gives how far, if it is held for that.
    pub(crate) fn moved(&mut self, window: &Window, to: PhysicalPosition<f64>) -> Option<DVec2> {
        let to = DVec2::new(to.x, to.y);
        let Some(held) = &mut self.held else {
            self.at = to;
            return None;
        };
        let leash = held.leash.as_mut()?;
        let by = leash.follow(to);
        if leash.is_taut() {
            leash.put_back = true;
            put(window, leash.middle);
        }
        Some(by)
    }

    /// The mouse was moved by so much, as the system says of a pointer that it has locked.
    pub(crate) fn mouse_moved(&self, by: (f64, f64)) -> Option<DVec2> {
        let held = self.held.as_ref()?;
        held.leash.is_none().then_some(DVec2::new(by.0, by.1))
    }
}

impl Leash {
    /// Takes in a position; gives how far the hand has moved the pointer since the last.
    fn follow(&mut self, to: DVec2) -> DVec2 {
        let mut by = to - self.last;
        // Positions from before it was put back may still come after. It has not moved farther
        // than it must have.
        let since_middle = to - self.middle;
        if self.put_back && since_middle.length_squared() < by.length_squared() {
            self.put_back = false;
            by = since_middle;
        }
        self.last = to;
        by
    }

    fn is_taut(&self) -> bool {
        !self.put_back && self.last.distance(self.middle) > self.length
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
            put_back: false,
        };
        assert_eq!(
            leash.follow(DVec2::new(560.0, 300.0)),
            DVec2::new(20.0, 0.0)
        );
        assert!(leash.is_taut());
        leash.put_back = true;
        // Still on its way when it was put back.
        assert_eq!(
            leash.follow(DVec2::new(570.0, 302.0)),
            DVec2::new(10.0, 2.0)
        );
        assert!(!leash.is_taut());
        // Back, and moved a little since.
        assert_eq!(leash.follow(DVec2::new(407.0, 300.0)), DVec2::new(7.0, 0.0));
        assert_eq!(
            leash.follow(DVec2::new(417.0, 300.0)),
            DVec2::new(10.0, 0.0)
        );
        assert!(!leash.is_taut() && !leash.put_back);
    }
}
