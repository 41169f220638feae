//! Moves the camera around the open document.

use super::State;
use super::session::Session;
use crate::view_request::ViewRequest;
use crate::viewer::view::camera_control::{self, CameraMode};
use crate::viewer::view::history::VisitedView;
use mapscope_formats::Severity;
use mapscope_scene::camera::{self, NamedView, Pose};
use mapscope_scene::demo::Demo;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{Aabb, Document, Item};

impl Session {
    /// `true` if a 2D map is open.
    pub(crate) fn is_map(&self) -> bool {
        self.has_layers()
    }

    /// `true` if the open document can be shown as a plan.
    pub(crate) fn has_plan(&self) -> bool {
        self.is_map()
            || self
                .document()
                .is_some_and(|document| document.content::<Terrain>().is_some())
    }

    /// The bounds of the visible part of the open document.
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

    /// Looks through a camera of the file as the game does.
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

    /// Moves the camera to a pose.
    pub(crate) fn apply_pose(&mut self, pose: Pose) {
        match &self.open {
            Some(open) => self.view.apply_pose(&*open.document, pose),
            None => self.view.camera.pose = pose,
        }
    }

    /// Keeps the camera for a document that is similar to the previous one.
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
        // A demo without a requested view starts at its best pose.
        let demo_pose = demo
            .filter(|demo| view.is_none() && !demo.is_flat)
            .map(|demo| demo.first_pose);
        let requested = request.pose(document).unwrap_or_default();
        if let Some(pose) = requested.or(demo_pose) {
            self.view.apply_pose(document, pose);
            return;
        }
        self.view.framing = Some(view.unwrap_or_default());
        // A map starts in the game's view, unless another view is requested.
        if matches!(view, None | Some(NamedView::Flat)) && self.is_map() {
            self.view.set_mode(CameraMode::Flat);
        }
    }

    /// Applies the aspect ratio of the view, and frames a document that was just opened.
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
        self.restore_visited(&seen);
    }

    /// Shows and selects what was in view before.
    pub(super) fn restore_visited(&mut self, seen: &VisitedView) {
        let Some(document) = self.document().cloned() else {
            return;
        };
        self.select(seen.selected.filter(|item| document.has(*item)));
        self.show_level(seen.level);
        self.view.restore(&*document, seen);
    }
}

impl State {
    /// Sets the camera from text, such as a copied pose.
    pub(crate) fn paste_pose(&mut self, text: &str) {
        match text.parse::<Pose>() {
            Ok(pose) => {
                self.session.view.set_mode(CameraMode::Orbit);
                self.session.apply_pose(pose);
            }
            Err(error) => {
                let text = format!("The clipboard does not contain a camera: {error}");
                self.notices.toast(text, Some(Severity::Error));
            }
        }
    }
}
