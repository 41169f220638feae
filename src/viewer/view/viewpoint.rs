//! Views of documents that are stored in the settings.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::View;
use super::camera_control::CameraMode;
use mapscope_scene::camera::{Pose, Projection};
use mapscope_scene::{Document, Item, Levels, Shown, fixed};

/// A view of a document, in terms that survive changes of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Viewpoint {
    /// Id of the document's format.
    format: String,
    /// Eye and target of the camera, in the form of `--camera`.
    camera: String,
    /// `true` without perspective.
    #[serde(default)]
    orthographic: bool,
    /// `true` for the flat view of a 2D map.
    #[serde(default)]
    flat: bool,
    /// The visible level.
    #[serde(default)]
    level: usize,
    /// The selected item, such as `tile 3 17`.
    #[serde(default)]
    selected: Option<String>,
}

impl Viewpoint {
    /// `true` if it is a view of a document of this format.
    pub(crate) fn is_of(&self, document: &dyn Document) -> bool {
        self.format == document.about().format.id
    }

    /// The visible level, if the document has it.
    pub(crate) fn level(&self, document: &dyn Document) -> usize {
        let count = document.levels().map_or(0, |it| Levels::levels(it).len());
        self.level.min(count.saturating_sub(1))
    }

    /// The selected item, if the document has it.
    pub(crate) fn selected(&self, document: &dyn Document) -> Option<Item> {
        let (kind, numbers) = Item::split_kind(self.selected.as_deref()?)?;
        let mut items = Item::of_kind(kind, numbers).into_iter();
        items.find(|item| document.has(*item))
    }

    /// The centre of the selected item, or else the point that the camera looks at. `None` for an
    /// invalid view, and for one of another format or level.
    pub(crate) fn place(&self, document: &dyn Document, shown: &Shown) -> Option<Vec3> {
        if !self.is_of(document) || self.level(document) != shown.level {
            return None;
        }
        let selected = self.selected(document);
        let bounds = selected.and_then(|item| document.place(item, shown).bounds);
        let target = || Some(self.camera.parse::<Pose>().ok()?.target);
        bounds.map(|bounds| bounds.center()).or_else(target)
    }

    /// Describes where it is: the selected item, or the point that the camera looks at.
    pub(crate) fn place_text(&self) -> String {
        let target = self
            .camera
            .parse::<Pose>()
            .map(|pose| pose.target.to_array());
        let target = target.map(|at| format!("at {}", at.map(|axis| fixed(axis, 1)).join(" ")));
        self.selected.clone().or(target.ok()).unwrap_or_default()
    }
}

impl View {
    /// The current view.
    pub(crate) fn viewpoint(&self, document: &dyn Document) -> Viewpoint {
        Viewpoint {
            format: document.about().format.id.to_owned(),
            camera: self.camera.pose.to_string(),
            orthographic: self.camera.projection == Projection::Orthographic,
            flat: self.is_flat(),
            level: self.shown.level,
            selected: self.shown.selected.map(|item| item.to_string()),
        }
    }

    /// Moves the camera to a stored view, if that is valid.
    pub(crate) fn look_from(&mut self, document: &dyn Document, viewpoint: &Viewpoint) {
        let Ok(pose) = viewpoint.camera.parse::<Pose>() else {
            return;
        };
        self.framing = None;
        let is_flat = viewpoint.flat && document.layers().is_some();
        self.set_mode(if is_flat {
            CameraMode::Flat
        } else {
            CameraMode::Orbit
        });
        self.camera.projection = if viewpoint.orthographic || is_flat {
            Projection::Orthographic
        } else {
            Projection::Perspective
        };
        self.camera.pose = pose;
        // Layers that scroll with the camera.
        if let Some(window) = self.flat_window() {
            self.show_flat_window(document, window);
        }
    }
}
