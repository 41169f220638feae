//! How wide the camera sees.

use serde::{Deserialize, Serialize};

use super::camera_control::CameraMode;
use mapscope_scene::camera;

/// The vertical fields of view of the camera in perspective, in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FieldsOfView {
    /// Of the camera that hangs in the air.
    usual: f32,
    /// Through the eyes of a player who stands in rooms.
    first_person: f32,
}

impl Default for FieldsOfView {
    fn default() -> Self {
        Self {
            usual: camera::FIELD_OF_VIEW_Y_RADIANS.to_degrees(),
            first_person: 70.0,
        }
    }
}

impl FieldsOfView {
    /// The one that is used while the pointer does this to the camera.
    pub(crate) fn of(self, mode: CameraMode) -> f32 {
        match mode {
            CameraMode::Walk => self.first_person,
            _ => self.usual,
        }
    }

    /// Changes it, to one that can be used.
    pub(crate) fn set(&mut self, mode: CameraMode, degrees: f32) {
        let range = camera::FIELDS_OF_VIEW_Y_DEGREES;
        let degrees = degrees.clamp(*range.start(), *range.end());
        match mode {
            CameraMode::Walk => self.first_person = degrees,
            _ => self.usual = degrees,
        }
    }

    /// Brings both into the range that can be used; one that is not a number is as at the first start.
    pub(crate) fn repair(&mut self) {
        let default = Self::default();
        let range = camera::FIELDS_OF_VIEW_Y_DEGREES;
        for (field, normal) in [
            (&mut self.usual, default.usual),
            (&mut self.first_person, default.first_person),
        ] {
            *field = if field.is_finite() {
                field.clamp(*range.start(), *range.end())
            } else {
                normal
            };
        }
    }
}
