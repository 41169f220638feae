//! Moves the camera around the open document.

use super::State;
use crate::viewer::view::camera_control::CameraMode;
use mapscope_formats::Severity;
use mapscope_scene::camera::Pose;
use mapscope_scene::{Aabb, Item};

impl State {
    /// Returns `true` if a 2D map is open.
    pub(crate) fn is_map(&self) -> bool {
        self.has_layers()
    }

    /// Returns the bounds of everything that can be seen of the open document.
    pub(crate) fn shown_bounds(&self) -> Option<Aabb> {
        Some(self.view.shown_bounds(&**self.document()?))
    }

    /// Frames the whole document.
    pub(crate) fn frame_all(&mut self) {
        if let Some(open) = &self.files.open {
            self.view.frame_all(&*open.document);
        }
    }

    /// Fills the view with an item.
    pub(crate) fn frame(&mut self, item: Item) {
        if let Some(open) = &self.files.open {
            self.view.frame(&*open.document, item);
        }
    }

    /// Looks through a camera of the file as its game does.
    pub(crate) fn look_through(&mut self, item: Item) {
        if let Some(open) = &self.files.open {
            self.view.look_through(&*open.document, item);
        }
    }

    /// Moves the camera only if the selection has left the view.
    pub(crate) fn keep_in_view(&mut self) {
        if let Some(open) = &self.files.open {
            self.view.keep_in_view(&*open.document);
        }
    }

    /// Sees from a place.
    pub(crate) fn take_pose(&mut self, pose: Pose) {
        match &self.files.open {
            Some(open) => self.view.take_pose(&*open.document, pose),
            None => self.view.camera.pose = pose,
        }
    }

    /// Sets the camera from text, such as a copied one.
    pub(crate) fn paste_pose(&mut self, text: &str) {
        match text.parse::<Pose>() {
            Ok(pose) => {
                self.view.set_mode(CameraMode::Orbit);
                self.take_pose(pose);
            }
            Err(error) => {
                let text = format!("The clipboard has no camera: {error}");
                self.notices.toast(text, Some(Severity::Error));
            }
        }
    }

    /// Goes back to the previous view, or forward to the next one.
    pub(crate) fn see_again(&mut self, backwards: bool) {
        let Some(seen) = self.view.step_history(backwards) else {
            return;
        };
        self.show_level(seen.level);
        if let Some(open) = &self.files.open {
            self.view.restore(&*open.document, &seen);
        }
    }
}
