//! Where a document is seen from, and what the pointer does there: the camera, framing, picking,
//! walking, measuring, and what is painted over the view.

pub(crate) mod camera_control;
mod contour;
pub(crate) mod flat;
mod framing;
mod free_view;
mod history;
mod labels;
pub(crate) mod measure;
pub(crate) mod shown;
pub(crate) mod viewport;
mod walk;

use glam::{Vec2, Vec3};

use self::camera_control::CameraMode;
use self::flat::{FlatView, NO_VIEW};
use self::history::ViewHistory;
use self::measure::Measure;
use self::shown::TrackedShown;
use super::state::clip_box::ClipBox;
use super::state::compare::Comparison;
use super::state::settings::FieldsOfView;
use mapscope_scene::camera::{Camera, Handedness, NamedView, Pose};
use mapscope_scene::{Aabb, Item, OverlayId};

/// Where the open document is seen from, and what of it is shown.
#[derive(Debug)]
pub(crate) struct View {
    /// Where it is seen from.
    pub camera: Camera,
    /// What the pointer does to the camera.
    pub mode: CameraMode,
    /// Speed of flying in world units a second.
    pub fly_speed: f32,
    /// Height of the game's view above the ground.
    pub game_height: f32,
    /// Width over height.
    pub aspect: f32,
    /// Width and height in physical pixels, once it was shown.
    pub size_px: [u32; 2],
    /// How wide the camera sees, as it was set or the command line asks for.
    pub fov: FieldsOfView,
    /// What is remembered of the flat view.
    pub flat: FlatView,
    /// The direction from which a document that was just opened is to be seen, as soon as the
    /// shape of the view is known.
    pub framing: Option<NamedView>,
    /// The pose in which all of the document was put into the view. While the camera is in it, other
    /// named views show all of it too.
    pub framed: Option<Pose>,
    /// What of the document is shown.
    pub shown: TrackedShown,
    /// The views before and after this one.
    pub history: ViewHistory,
}

impl View {
    /// Nothing is seen yet.
    pub(crate) fn new(fov: FieldsOfView) -> Self {
        let bounds = Aabb {
            min: Vec3::splat(-100.0),
            max: Vec3::splat(100.0),
        };
        let aspect = 1.6;
        let camera = Camera::framing(bounds, NamedView::default(), Handedness::Right, aspect);
        let mut view = Self {
            camera,
            mode: CameraMode::default(),
            fly_speed: 50.0,
            game_height: camera_control::GAME_HEIGHT,
            aspect,
            size_px: NO_VIEW,
            fov,
            flat: FlatView::default(),
            framing: None,
            framed: None,
            shown: TrackedShown::default(),
            history: ViewHistory::default(),
        };
        view.use_field_of_view();
        view
    }

    /// The vertical field of view of the perspective view, in degrees.
    pub(crate) fn field_of_view(&self) -> f32 {
        self.fov.of(self.mode)
    }

    /// Has the camera see as wide as it is to.
    pub(crate) fn use_field_of_view(&mut self) {
        self.camera.fov_y_radians = self.field_of_view().to_radians();
    }
}

/// What the pointer is over, and does.
#[derive(Debug, Default)]
pub(crate) struct Pointer {
    /// What it is over.
    pub hovered: Option<Item>,
    /// Where in the world it is, if it is over something in the view.
    pub pointed_at: Option<Vec3>,
    /// Whether one looks around with it; it is then held.
    pub looking: bool,
    /// How far it was moved while it was held and the view has not turned yet, in logical pixels.
    pub looked_by: Vec2,
}

impl Pointer {
    /// What it was over may be gone.
    pub(crate) fn leave(&mut self) {
        self.hovered = None;
        self.pointed_at = None;
    }
}

/// What is done with a document beside looking.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// Measures.
    pub measure: Measure,
    /// Cuts away what is not to be seen.
    pub clip_box: ClipBox,
    /// Whether visibility stays that of where the eye was when this was switched on.
    pub holds_visibility: bool,
    /// The kind that is stepped through.
    pub stepping: Option<Item>,
    /// Overlays that were switched on to show problems of the document.
    pub problem_overlays: Vec<OverlayId>,
    /// Compares with another file.
    pub comparison: Comparison,
}
