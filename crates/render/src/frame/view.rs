//! What a frame shows, and from where.

use glam::{Affine3A, Mat4, Vec3, Vec3A, Vec4};

use super::ImagePart;
use super::instances::{Instance, InstanceRanges, LevelRanges};
use mapscope_scene::camera::{Camera, Projection};
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::{Aabb, Playhead, Shown, Sun};

/// Everything about a frame but the document itself.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Where it is taken from.
    pub camera: Camera,
    /// What of the document is shown.
    pub shown: Shown,
    /// Seconds since the start, for what moves by itself. A view that does not change has one
    /// that does not change.
    pub time_secs: f32,
    /// How much wider than on a plain screen contours are, in pixels.
    pub outline_scale: f32,
    /// Which part of an image is drawn, in as many pixels as the target has; none for the whole of
    /// one of that size.
    pub part: Option<ImagePart>,
}

impl View {
    /// A view with nothing selected and no overlay.
    pub fn plain(camera: Camera) -> Self {
        Self {
            camera,
            shown: Shown::default(),
            time_secs: 0.0,
            outline_scale: 1.0,
            part: None,
        }
    }
}

/// A frame from the space of something that is drawn in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalView<'a> {
    /// What is shown, and the camera in world space.
    pub(crate) view: &'a View,
    /// Width and height in pixels of the whole image.
    pub(crate) size: [u32; 2],
    /// Which part of it is drawn.
    pub(crate) part: ImagePart,
    /// Model space to clip space.
    pub(crate) clip_from_model: Mat4,
    /// The camera in model space: where the eye is, where it looks, and what is right and up.
    pub(crate) eye: Vec3,
    pub(crate) forward: Vec3,
    right: Vec3,
    up: Vec3,
    /// How long a unit of the world is in model space.
    scale: f32,
    /// Whether model space is world space.
    pub(crate) is_in_place: bool,
    /// Whether the world shows it as in a mirror, so that its front faces are the other way round.
    pub(crate) is_mirrored: bool,
    /// The moment that is shown of it.
    pub(crate) playhead: Playhead,
    /// What is in view, or casts a shadow, of content that is drawn wherever it stands.
    pub(crate) instances: &'a [Instance],
    /// Which of these are drawn where.
    pub(crate) ranges: &'a LevelRanges,
    /// What casts shadows on others, in world space; none without such shadows.
    pub(crate) casters: Option<&'a [Aabb]>,
    /// Unit vector toward the sun, in world space.
    pub(crate) to_sun: Vec3,
    /// What water reflects.
    pub(crate) reflected: Reflected,
}

/// What water reflects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reflected {
    /// Whether the sky is the skybox of the document, and not Mapscope's own.
    pub(crate) skybox: bool,
    /// Whether the ground and what stands on it are as well, which are drawn as in a mirror.
    pub(crate) ground: bool,
}

impl<'a> LocalView<'a> {
    /// The part of an image that a view is of, in so many pixels, from world space.
    pub(crate) fn new(view: &'a View, size: [u32; 2]) -> Self {
        let part = view.part.unwrap_or(ImagePart::whole(size));
        let whole = Self::whole(view, size);
        Self {
            clip_from_model: part.clip_from_whole() * whole.clip_from_model,
            part: ImagePart { size, ..part },
            ..whole
        }
    }

    /// The whole image, of which so many pixels are drawn at once, from world space.
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
            playhead: view.shown.playhead,
            instances: &[],
            ranges: &[InstanceRanges::NONE; MAX_LEVELS],
            casters: None,
            to_sun: Sun::default().direction(),
            reflected: Reflected::default(),
        }
    }

    /// The frame from the space of something that stands in the world.
    pub(crate) fn of(self, world_from_model: &Affine3A) -> Self {
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
            // Its directions are those of the world.
            reflected: Reflected::default(),
            is_mirrored: is_mirrored(world_from_model),
            ..self
        }
    }

    /// The frame as a level mirror at a world height shows it: of what is above the mirror, where it
    /// is seen in the mirror. None if nothing is, or not from there; it must be in world space.
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
        // What is below the mirror is before the near plane. Depth falls from 1 at the mirror, and
        // along the steepest ray of the frame it ends at zero.
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

    /// The ray through the middle of the whole image, and what is added to it toward its right and
    /// its upper edge, in model space.
    pub(crate) fn rays(&self) -> [Vec3; 3] {
        let half_height = self.view.camera.half_height();
        let half_width = half_height * self.size[0] as f32 / self.size[1] as f32;
        [self.forward, self.right * half_width, self.up * half_height]
    }

    /// Whether this is what water reflects.
    pub(crate) fn is_reflection(&self) -> bool {
        self.is_mirrored && self.is_in_place
    }

    /// How far away the target of the camera is, in model space.
    pub(crate) fn distance(&self) -> f32 {
        self.view.camera.distance() * self.scale
    }

    /// How many pixels a unit of model space has at distance 1.
    pub(crate) fn pixels_at_1(&self) -> f32 {
        self.size[1] as f32 / (2.0 * self.view.camera.half_height())
    }

    /// How many pixels a unit of model space has where a box is nearest to the eye.
    pub(crate) fn pixels_per_unit(&self, bounds: &Aabb) -> f32 {
        let distance = match self.view.camera.projection {
            Projection::Perspective => bounds.distance(self.eye),
            Projection::Orthographic => self.distance(),
        };
        self.pixels_at_1() / distance
    }

    /// How far away a place in model space is; only for comparing it with others.
    pub(crate) fn depth(&self, place: Vec3) -> f32 {
        match self.view.camera.projection {
            Projection::Perspective => self.eye.distance_squared(place),
            Projection::Orthographic => self.forward.dot(place),
        }
    }

    /// How far away the near plane is, in model space.
    pub(crate) fn near(&self) -> f32 {
        self.view.camera.near * self.scale
    }
}

/// Whether what stands so is seen as in a mirror.
pub(crate) fn is_mirrored(world_from_model: &Affine3A) -> bool {
    world_from_model.matrix3.determinant() < 0.0
}

/// By how much lengths grow at most in what stands so.
pub(crate) fn largest_scale(world_from_model: &Affine3A) -> f32 {
    let axes = world_from_model.matrix3;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3A::length);
    lengths.into_iter().fold(0.0, f32::max)
}

/// The planes that bound what a camera sees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frustum {
    /// Left, right, bottom, top and near; a point is inside where all are positive.
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

    /// Whether a box may be seen: none when it is not, and else whether all of it is inside. Boxes
    /// near a corner of the frame may be taken for seen when they are not.
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
