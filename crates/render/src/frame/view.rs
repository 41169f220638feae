//! Views: the camera of a frame, and what it shows.

use glam::{Affine3A, Mat4, Vec3, Vec3A, Vec4};

use super::{ImagePart, Instance, InstanceRanges, LevelRanges};
use mapscope_scene::camera::{Camera, Projection};
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::{Aabb, Playhead, Shown, Sun};

/// Everything that defines a frame, except the document.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// The visible parts of the document.
    pub shown: Shown,
    /// Seconds since the start, for animations that always run. A static view has a constant time.
    pub time_secs: f32,
    /// Scale of the width of contours, in pixels per point.
    pub line_scale: f32,
    /// The part of an image that is drawn, with as many pixels as the target; `None` for a whole
    /// image of the target's size.
    pub part: Option<ImagePart>,
}

impl View {
    /// A view without selection and overlays.
    pub fn plain(camera: Camera) -> Self {
        Self {
            camera,
            shown: Shown::default(),
            time_secs: 0.0,
            line_scale: 1.0,
            part: None,
        }
    }
}

/// A view in model space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalView<'a> {
    /// The visible parts, and the camera in world space.
    pub(crate) view: &'a View,
    /// Width and height of the whole image in pixels.
    pub(crate) size: [u32; 2],
    /// The part of it that is drawn.
    pub(crate) part: ImagePart,
    /// Model space to clip space.
    pub(crate) clip_from_model: Mat4,
    /// The camera in model space: position, and directions ahead, right and up.
    pub(crate) eye: Vec3,
    pub(crate) forward: Vec3,
    right: Vec3,
    up: Vec3,
    /// Length of a world unit in model space.
    scale: f32,
    /// `true` if model space is world space.
    pub(crate) is_in_place: bool,
    /// `true` if model space is mirrored, which inverts front faces.
    pub(crate) is_mirrored: bool,
    /// `true` for an attached model, which the selection is not about.
    pub(crate) is_attached: bool,
    /// The moment that is shown.
    pub(crate) playhead: Playhead,
    /// Placements of instanced content that are visible or cast a shadow.
    pub(crate) instances: &'a [Instance],
    /// The instances that each pass draws.
    pub(crate) ranges: &'a LevelRanges,
    /// Bounds of shadow casters, in world space; `None` without a shadow map.
    pub(crate) casters: Option<&'a [Aabb]>,
    /// Unit vector toward the sun, in world space.
    pub(crate) to_sun: Vec3,
    /// The reflection in water.
    pub(crate) reflected: Reflected,
}

/// The contents of the reflection in water.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reflected {
    /// `true` if the sky is the skybox of the document instead of the built-in sky.
    pub(crate) skybox: bool,
    /// `true` if the ground and what stands on it are reflected too.
    pub(crate) ground: bool,
}

impl<'a> LocalView<'a> {
    /// The view of a drawn part of an image with this size, in world space.
    pub(crate) fn new(view: &'a View, size: [u32; 2]) -> Self {
        let part = view.part.unwrap_or(ImagePart::whole(size));
        let whole = Self::whole(view, size);
        Self {
            clip_from_model: part.clip_from_whole() * whole.clip_from_model,
            part: ImagePart { size, ..part },
            ..whole
        }
    }

    /// The view of the whole image, in world space. `drawn` is the size of the drawn part.
    pub(crate) fn whole(view: &'a View, drawn: [u32; 2]) -> Self {
        let camera = &view.camera;
        let [right, up] = camera.right_up();
        let size = view.part.map_or(drawn, |part| part.of);
        Self {
            view,
            size,
            part: ImagePart::whole(size),
            clip_from_model: camera.clip_from_world(size[0] as f32 / size[1] as f32),
            eye: camera.pose.eye,
            forward: camera.forward(),
            right,
            up,
            scale: 1.0,
            is_in_place: true,
            is_mirrored: false,
            is_attached: false,
            playhead: view.shown.playhead,
            instances: &[],
            ranges: &[InstanceRanges::NONE; MAX_LEVELS],
            casters: None,
            to_sun: Sun::default().direction(),
            reflected: Reflected::default(),
        }
    }

    /// The view in the model space of a placement.
    pub(crate) fn in_model_space(self, world_from_model: &Affine3A) -> Self {
        if *world_from_model == Affine3A::IDENTITY {
            return self;
        }
        let model_from_world = world_from_model.inverse();
        let direction = |vector| {
            model_from_world
                .transform_vector3(vector)
                .normalize_or_zero()
        };
        Self {
            clip_from_model: self.clip_from_model * Mat4::from(*world_from_model),
            eye: model_from_world.transform_point3(self.eye),
            forward: direction(self.forward),
            right: direction(self.right),
            up: direction(self.up),
            scale: model_from_world.transform_vector3(self.forward).length(),
            is_in_place: false,
            casters: None,
            // They are in world space.
            reflected: Reflected::default(),
            is_mirrored: is_mirrored(world_from_model),
            ..self
        }
    }

    /// The view in a horizontal mirror at a world height, clipped to the space above it. `None` if
    /// the eye is below it, or the projection is orthographic. The view must be in world space.
    pub(crate) fn mirrored_at(self, height: f32) -> Option<Self> {
        let is_seen = self.eye.y > height && self.is_in_place;
        if !is_seen || self.view.camera.projection == Projection::Orthographic {
            return None;
        }
        let flip = |vector: Vec3| vector.with_y(-vector.y);
        let [forward, right, up] = [self.forward, self.right, self.up].map(flip);
        let mirror = Mat4::from_cols(
            Vec4::X,
            -Vec4::Y,
            Vec4::Z,
            Vec4::new(0.0, 2.0 * height, 0.0, 1.0),
        );
        // The near plane is the mirror, which clips everything below it. Depth falls from 1 at the
        // mirror to 0 along the steepest ray of the frame.
        let [_, to_right, to_top] = self.rays();
        let steepest = forward.y + to_right.y.abs() + to_top.y.abs();
        if steepest <= 0.0 {
            return None;
        }
        let above = Vec4::new(0.0, 1.0, 0.0, -height) * (0.999 / steepest);
        let rows = (self.clip_from_model * mirror).transpose();
        let rows = Mat4::from_cols(rows.x_axis, rows.y_axis, rows.w_axis - above, rows.w_axis);
        Some(Self {
            clip_from_model: rows.transpose(),
            eye: self.eye.with_y(2.0 * height - self.eye.y),
            forward,
            right,
            up,
            is_mirrored: !self.is_mirrored,
            casters: None,
            reflected: Reflected::default(),
            ..self
        })
    }

    /// The ray through the centre of the whole image, and the offsets to its right and its top
    /// edge, in model space.
    pub(crate) fn rays(&self) -> [Vec3; 3] {
        let half_height = self.view.camera.half_height();
        let half_width = half_height * self.size[0] as f32 / self.size[1] as f32;
        [self.forward, self.right * half_width, self.up * half_height]
    }

    /// `true` if this is the view of the reflection.
    pub(crate) fn is_reflection(&self) -> bool {
        self.is_mirrored && self.is_in_place
    }

    /// Distance of the camera's target, in model space.
    pub(crate) fn distance(&self) -> f32 {
        self.view.camera.distance() * self.scale
    }

    /// Pixels per unit of model space at distance 1.
    pub(crate) fn pixels_at_1(&self) -> f32 {
        self.size[1] as f32 / (2.0 * self.view.camera.half_height())
    }

    /// Pixels per unit of model space at the nearest point of a box.
    pub(crate) fn pixels_per_unit(&self, bounds: &Aabb) -> f32 {
        let distance = match self.view.camera.projection {
            Projection::Perspective => bounds.distance(self.eye),
            Projection::Orthographic => self.distance(),
        };
        self.pixels_at_1() / distance
    }

    /// A measure of distance in model space, for comparisons only.
    pub(crate) fn depth(&self, place: Vec3) -> f32 {
        match self.view.camera.projection {
            Projection::Perspective => self.eye.distance_squared(place),
            Projection::Orthographic => self.forward.dot(place),
        }
    }

    /// Distance of the near plane, in model space.
    pub(crate) fn near(&self) -> f32 {
        self.view.camera.near * self.scale
    }
}

/// `true` if a placement mirrors its content.
pub(crate) fn is_mirrored(world_from_model: &Affine3A) -> bool {
    world_from_model.matrix3.determinant() < 0.0
}

/// The largest factor by which a placement scales lengths.
pub(crate) fn largest_scale(world_from_model: &Affine3A) -> f32 {
    let axes = world_from_model.matrix3;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3A::length);
    lengths.into_iter().fold(0.0, f32::max)
}

/// The planes of the visible space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frustum {
    /// Left, right, bottom, top and near. A point is inside if all are positive.
    pub(crate) planes: [Vec4; 5],
}

impl Frustum {
    pub(crate) fn new(clip_from_model: Mat4) -> Self {
        let row = |i: usize| clip_from_model.row(i);
        let (x, y, z, w) = (row(0), row(1), row(2), row(3));
        Self {
            planes: [w + x, w - x, w + y, w - y, w - z],
        }
    }

    /// Tests a box: `None` if it is invisible, otherwise `true` if all of it is visible. Boxes near
    /// a corner of the frame may be false positives.
    pub(crate) fn sees(&self, bounds: &Aabb) -> Option<bool> {
        let mut inside = true;
        for plane in &self.planes {
            let normal = plane.truncate();
            let outward = normal.cmpge(Vec3::ZERO);
            let furthest = Vec3::select(outward, bounds.max, bounds.min);
            let nearest = Vec3::select(outward, bounds.min, bounds.max);
            if normal.dot(furthest) + plane.w < 0.0 {
                return None;
            }
            inside &= normal.dot(nearest) + plane.w >= 0.0;
        }
        Some(inside)
    }
}
