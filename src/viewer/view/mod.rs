//! Where a document is seen from: the camera, framing, picking, walking, flat views and measuring.
//!
//! A [`View`] knows no document: its methods take the one that it shows.

pub(crate) mod camera_control;
pub(crate) mod fields_of_view;
pub(crate) mod flat;
mod framing;
mod free_view;
pub(crate) mod history;
pub(crate) mod measure;
pub(crate) mod navigation;
pub(crate) mod plan;
pub(crate) mod shown;
pub(crate) mod viewpoint;
mod walk;

use glam::{DVec2, Vec2, Vec3};

use self::camera_control::CameraMode;
use self::fields_of_view::FieldsOfView;
use self::flat::{FlatView, NO_VIEW};
use self::history::ViewHistory;
use self::shown::TrackedShown;
use mapscope_scene::camera::{Camera, Handedness, NamedView, Pose};
use mapscope_scene::{Aabb, Item, Shown};

/// The view of the open document: its camera and the visible parts.
#[derive(Debug)]
pub(crate) struct View {
    /// The camera.
    pub camera: Camera,
    /// The control mode of the camera.
    pub mode: CameraMode,
    /// Flying speed in world units per second.
    pub fly_speed: f32,
    /// Height of the game view above the ground.
    pub game_height: f32,
    /// Width divided by height.
    pub aspect: f32,
    /// Width and height in physical pixels, once it has been shown.
    pub size_px: [u32; 2],
    /// Fields of view of the camera, from the user or the command line.
    pub fov: FieldsOfView,
    /// State of the flat view.
    pub flat: FlatView,
    /// The direction from which to frame a newly opened document, once the aspect ratio is known.
    pub framing: Option<NamedView>,
    /// The pose that framed the whole document. While the camera is in it, other named views frame
    /// the whole document too.
    pub framed: Option<Pose>,
    /// The visible parts of the document, with their revision.
    pub shown: TrackedShown,
    /// The views before and after this one.
    pub history: ViewHistory,
}

impl View {
    /// Creates the view of no document.
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

    /// Adopts the camera of another view.
    pub(crate) fn take_camera(&mut self, other: &Self) {
        self.camera = other.camera;
        self.mode = other.mode;
        self.fly_speed = other.fly_speed;
        self.game_height = other.game_height;
        self.fov = other.fov;
        self.flat = other.flat;
        self.framing = other.framing;
        let (flat, camera_px) = (other.shown.flat, other.shown.flat_camera_px);
        if (self.shown.flat, self.shown.flat_camera_px) != (flat, camera_px) {
            (self.shown.flat, self.shown.flat_camera_px) = (flat, camera_px);
        }
    }

    /// Shows something else, through the same camera.
    pub(crate) fn show(&mut self, mut shown: Shown) {
        shown.flat_view_px = self.shown.flat_view_px;
        self.shown.set_playhead(shown.playhead);
        if *self.shown != shown {
            *self.shown = shown;
        }
    }

    /// The vertical field of view of the perspective view, in degrees.
    pub(crate) fn field_of_view(&self) -> f32 {
        self.fov.of(self.mode)
    }

    /// Applies the field of view of the current mode to the camera.
    pub(crate) fn use_field_of_view(&mut self) {
        self.camera.fov_y_radians = self.field_of_view().to_radians();
    }
}

/// State of the pointer.
#[derive(Debug, Default)]
pub(crate) struct Pointer {
    /// The item under the pointer.
    pub hovered: Option<Item>,
    /// Its world position, if it is over an item in the view.
    pub pointed_at: Option<Vec3>,
    /// `true` while a drag looks around; the pointer is then locked.
    pub looking: bool,
    /// Accumulated motion of the locked pointer that has not turned the view yet, in logical
    /// pixels.
    pub look_delta: Vec2,
}

impl Pointer {
    /// Clears the hovered item, which may no longer exist.
    pub(crate) fn leave(&mut self) {
        self.hovered = None;
        self.pointed_at = None;
    }

    /// Takes in by how many physical pixels the pointer was moved while it is held.
    pub(crate) fn look(&mut self, by: DVec2, pixels_per_point: f64) {
        self.look_delta += (by / pixels_per_point).as_vec2();
    }
}
