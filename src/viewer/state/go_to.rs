//! Go to: moves the view to a place that a text names.

use super::State;
use super::interface::Dialog;
use super::session::Session;
use crate::viewer::view::camera_control::CameraMode;
use crate::viewer::view::history::VisitedView;
use mapscope_scene::{Destination, Playhead, destinations};

/// Maximum number of places that a text may mean.
const MAX_LISTED: usize = 200;

/// The typed text of a place, and the places that it may mean.
#[derive(Debug, Clone)]
pub(crate) struct GoTo {
    /// The typed text.
    pub text: String,
    /// Index of the selected place.
    pub at: usize,
    /// The places, or a sentence if there are none.
    pub found: Result<Vec<Destination>, String>,
    /// The text that was searched for.
    searched: String,
    /// The place in view.
    previewed: Option<Destination>,
    /// The view before the first preview.
    before: Before,
}

/// The view before a place is previewed.
#[derive(Debug, Clone, Copy)]
struct Before {
    view: VisitedView,
    playhead: Playhead,
    is_playing: bool,
}

impl PartialEq for GoTo {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.at) == (&other.text, other.at)
    }
}

impl GoTo {
    /// Searches for the typed text, unless that was done already.
    pub(crate) fn search(&mut self, session: &Session) {
        if self.text == self.searched {
            return;
        }
        self.searched.clone_from(&self.text);
        self.found = session.document().map_or_else(
            || Ok(Vec::new()),
            |document| destinations(&**document, &self.text, MAX_LISTED),
        );
    }

    /// The selected place.
    pub(crate) fn destination(&self) -> Option<&Destination> {
        self.found.as_ref().ok()?.get(self.at)
    }
}

impl State {
    /// Asks for a place.
    pub(crate) fn ask_for_place(&mut self) {
        let before = Before {
            view: self.session.view.current_view(),
            playhead: self.session.view.shown.playhead,
            is_playing: self.session.player.is_playing(),
        };
        self.interface.dialog = Some(Dialog::GoTo(Box::new(GoTo {
            text: String::new(),
            at: 0,
            found: Ok(Vec::new()),
            searched: String::new(),
            previewed: None,
            before,
        })));
    }

    /// Shows the selected place, or the view from before if there is none.
    pub(crate) fn preview(&mut self, go_to: &mut GoTo) {
        let destination = go_to.destination();
        if destination == go_to.previewed.as_ref() {
            return;
        }
        go_to.previewed = destination.cloned();
        self.return_from(go_to);
        if let Some(destination) = &go_to.previewed {
            self.go_to(destination);
        }
    }

    /// Returns to the view from before a preview.
    pub(crate) fn return_from(&mut self, go_to: &GoTo) {
        let Before {
            view,
            playhead,
            is_playing,
        } = go_to.before;
        self.session.restore_visited(&view);
        if self.session.view.shown.playhead != playhead {
            self.session.choose_clip(playhead.clip);
            self.session.go_to_frame(playhead.frame.into());
        }
        self.session.player.set_playing(is_playing);
        self.session.plays_at_once = is_playing;
    }

    /// Goes to a place.
    pub(crate) fn go_to(&mut self, destination: &Destination) {
        match destination {
            Destination::Item(named) => {
                if self.session.has_joints() {
                    // The item would move out of view.
                    self.session.player.set_playing(false);
                    self.session.plays_at_once = false;
                }
                self.session.select(Some(named.item));
                self.session.frame(named.item);
            }
            Destination::Problem(target) => self.show_problem(Some(*target)),
            Destination::Position(position) => {
                if let Some(open) = &self.session.open {
                    self.session.view.center_on(&*open.document, *position);
                }
            }
            Destination::Frame(frame) => {
                if self.session.player.clip().is_none() {
                    self.session.choose_clip(Some(0));
                }
                self.session.go_to_frame((*frame).into());
            }
            Destination::Camera(pose) => {
                self.session.view.set_mode(CameraMode::Orbit);
                self.session.apply_pose(*pose);
            }
        }
    }

    /// Goes to the place that a text names.
    ///
    /// # Errors
    /// If it names none, a sentence for the user.
    pub(crate) fn go_to_text(&mut self, text: &str) -> Result<(), String> {
        let document = self.session.document().ok_or("no file is open")?;
        let found = destinations(&**document, text, 1)?;
        if let Some(destination) = found.first() {
            self.go_to(destination);
        }
        Ok(())
    }
}
