//! Moves the camera around the open document.

use super::State;
use super::session::Session;
use crate::view_request::ViewRequest;
use crate::viewer::view::camera_control::{self, CameraMode};
use mapscope_formats::Severity;
use mapscope_scene::camera::{self, NamedView, Pose};
use mapscope_scene::demo::Demo;
use mapscope_scene::{Aabb, Document, Item};

impl Session {
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
        if let Some(open) = &self.open {
            self.view.frame_all(&*open.document);
        }
    }

    /// Fills the view with an item.
    pub(crate) fn frame(&mut self, item: Item) {
        if let Some(open) = &self.open {
            self.view.frame(&*open.document, item);
        }
    }

    /// Looks through a camera of the file as its game does.
    pub(crate) fn look_through(&mut self, item: Item) {
        if let Some(open) = &self.open {
            self.view.look_through(&*open.document, item);
        }
    }

    /// Moves the camera only if the selection has left the view.
    pub(crate) fn keep_in_view(&mut self) {
        if let Some(open) = &self.open {
            self.view.keep_in_view(&*open.document);
        }
    }

    /// Sees from a place.
    pub(crate) fn apply_pose(&mut self, pose: Pose) {
        match &self.open {
            Some(open) => self.view.apply_pose(&*open.document, pose),
            None => self.view.camera.pose = pose,
        }
    }

    /// Goes on looking from the same place at a document that is like the one before.
    pub(super) fn keep_camera(&mut self, document: &dyn Document) {
        self.view.camera.near = camera::near_plane(document.level_bounds(self.view.shown.level));
        self.view.shown.flat = self.view.is_flat();
        self.tools.measure.close();
    }

    pub(super) fn look_at_document(
        &mut self,
        document: &dyn Document,
        demo: Option<&Demo>,
        request: &ViewRequest,
    ) {
        let bounds = document.level_bounds(self.view.shown.level);
        self.view.camera.handedness = document.about().handedness;
        self.view.camera.near = camera::near_plane(bounds);
        self.view.forget_flat();
        self.tools.measure.close();
        self.view.fly_speed = camera_control::first_fly_speed(bounds);
        let view = request.view;
        // Nobody has asked for a demo to be seen from anywhere: from where it looks best.
        let first = demo.filter(|demo| view.is_none() && !demo.is_flat);
        let first = first.map(|demo| demo.first_pose);
        let asked = request.pose(document).unwrap_or_default();
        if let Some(pose) = asked.or(first) {
            self.view.apply_pose(document, pose);
            return;
        }
        self.view.framing = Some(view.unwrap_or_default());
        // Unless another view is asked for, a map is seen as the game shows it.
        if matches!(view, None | Some(NamedView::Flat)) && self.is_map() {
            self.view.set_mode(CameraMode::Flat);
        }
    }

    /// Takes on the shape of the view, and frames a document that has just been opened.
    pub(crate) fn shape_view(&mut self, aspect: f32) {
        self.view.aspect = aspect;
        let Some(document) = self.document().cloned() else {
            return;
        };
        let framing = self.view.framing.take();
        if framing.is_some() && self.view.is_flat() {
            self.view.fit_flat(&*document);
            if self.open_file().is_some_and(|open| open.demo.is_some()) {
                self.view.show_all_pixels(&*document);
            }
        } else if let Some(view) = framing {
            self.view.camera.face(view);
            self.view
                .camera
                .frame(document.bounds_in_view(&self.view.shown), aspect);
            self.view.framed = Some(self.view.camera.pose);
        }
    }

    /// Goes back to the previous view, or forward to the next one.
    pub(crate) fn restore_view(&mut self, backwards: bool) {
        let Some(seen) = self.view.step_history(backwards) else {
            return;
        };
        self.show_level(seen.level);
        if let Some(open) = &self.open {
            self.view.restore(&*open.document, &seen);
        }
    }
}

impl State {
    /// Sets the camera from text, such as a copied one.
    pub(crate) fn paste_pose(&mut self, text: &str) {
        match text.parse::<Pose>() {
            Ok(pose) => {
                self.session.view.set_mode(CameraMode::Orbit);
                self.session.apply_pose(pose);
            }
            Err(error) => {
                let text = format!("The clipboard has no camera: {error}");
                self.notices.toast(text, Some(Severity::Error));
            }
        }
    }
}
