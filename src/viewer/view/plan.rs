//! The plan of a map: its flat image, or the tiles of its ground from above, north up.

use glam::{DVec2, Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::{View, flat};
use mapscope_scene::Document;
use mapscope_scene::camera::{Camera, Projection};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::terrain::geometry::{LEVEL_HEIGHT, Placement};

/// Minimum height of the eye above the ground on a plan, in world units.
const MIN_EYE_HEIGHT: f32 = 1.0;
/// Maximum distance at which ground counts as seen, as a multiple of the size of the map.
const REACH: f32 = 2.0;

/// The coordinates of a plan, from its top left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Plan {
    /// The pixels of a 2D map of this size.
    Flat(DVec2),
    /// The tiles of a terrain.
    Ground(Placement),
}

impl Plan {
    /// Returns the plan of the view: of a 2D map only while it is flat.
    pub(crate) fn of(view: &View, document: &dyn Document) -> Option<Self> {
        if document.layers().is_some() {
            let size = flat::map_size(document)?;
            return view.is_flat().then_some(Self::Flat(size));
        }
        let terrain = document.content::<Terrain>()?;
        Some(Self::Ground(terrain.placement()))
    }

    /// Width and height in its own units.
    pub(crate) fn size(self) -> DVec2 {
        match self {
            Self::Flat(size) => size,
            Self::Ground(ground) => DVec2::new(ground.cols.into(), ground.rows.into()),
        }
    }

    /// The place on the plan of a position in world space.
    pub(crate) fn at(self, world: Vec3) -> DVec2 {
        match self {
            Self::Flat(_) => DVec2::new(world.x.into(), world.z.into()),
            Self::Ground(ground) => ground.tiles(world.x, world.z).as_dvec2(),
        }
    }

    /// The world position of a place on the plan, at a height in world units.
    pub(crate) fn world(self, at: DVec2, height: f32) -> Vec3 {
        let at = at.as_vec2();
        match self {
            Self::Flat(_) => Vec3::new(at.x, height, at.y),
            Self::Ground(ground) => ground.world(at.x, at.y, height / LEVEL_HEIGHT),
        }
    }
}

/// Returns the corners of the ground at height `y` that a view shows: far left, far right, near
/// right and near left. Ground beyond `reach`, in world units, is left out. `None` if the view
/// shows no ground.
pub(crate) fn seen_ground(camera: &Camera, aspect: f32, y: f32, reach: f32) -> Option<[Vec3; 4]> {
    let mut camera = *camera;
    let mut top = 0.0;
    if camera.projection == Projection::Perspective {
        let height = (camera.pose.eye.y - y).max(MIN_EYE_HEIGHT);
        let lift = Vec3::Y * (y + height - camera.pose.eye.y);
        camera.pose.eye += lift;
        camera.pose.target += lift;
        // The camera never rolls, so ground at the same depth is level in the view.
        let [_, up] = camera.right_up();
        let steepness = -height / reach - camera.forward().y;
        let limit = 0.5 - steepness / (2.0 * up.y * camera.half_height());
        if up.y > f32::EPSILON && limit.is_finite() {
            top = limit.max(0.0);
        }
    }
    if top >= 1.0 {
        return None;
    }
    let corners = [(0.0, top), (1.0, top), (1.0, 1.0), (0.0, 1.0)]
        .map(|(x, down)| camera_control::on_level(&camera, y, Vec2::new(x, down), aspect));
    let [
        Some(far_left),
        Some(far_right),
        Some(near_right),
        Some(near_left),
    ] = corners
    else {
        return None;
    };
    Some([far_left, far_right, near_right, near_left])
}

impl View {
    /// World height of the ground around the camera's target.
    fn ground_height(&self, document: &dyn Document) -> f32 {
        let at = self.camera.pose.target;
        let terrain = document.content::<Terrain>();
        let height = terrain.and_then(|terrain| terrain.height_at(at.x, at.z));
        height.unwrap_or_else(|| document.about().bounds.center().y)
    }

    /// Returns the corners of the visible part of a plan: top left, top right, bottom right and
    /// bottom left, if the view is not turned.
    pub(crate) fn seen_on_plan(&self, document: &dyn Document, plan: Plan) -> Option<[DVec2; 4]> {
        match plan {
            Plan::Flat(_) => {
                let window = self.flat_window()?;
                let size = DVec2::from_array(self.size_px.map(f64::from)) / window.zoom;
                let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
                Some(corners.map(|corner| window.top_left_px + corner * size))
            }
            Plan::Ground(_) => {
                let bounds = document.about().bounds;
                let reach = bounds.radius() * REACH + self.camera.distance();
                let ground = self.ground_height(document);
                let corners = seen_ground(&self.camera, self.aspect, ground, reach)?;
                Some(corners.map(|corner| plan.at(corner)))
            }
        }
    }

    /// `true` if the view looks straight down.
    pub(crate) fn is_from_above(&self) -> bool {
        self.camera.forward().y < -0.999_99
    }

    /// Looks at a place on a plan, from the same direction and distance.
    pub(crate) fn look_at_plan(&mut self, document: &dyn Document, at: DVec2) {
        let Some(plan) = Plan::of(self, document) else {
            return;
        };
        let height = self.ground_height(document);
        if let Plan::Ground(_) = plan
            && (self.camera.pose.target.y - height).abs() > LEVEL_HEIGHT
        {
            // The distance is that of the visible ground, not of a point above or below it.
            self.camera.pose.target = self.point_at_center(document);
        }
        let mut point = plan.world(at, height);
        let terrain = document.content::<Terrain>();
        if let Some(height) = terrain.and_then(|terrain| terrain.height_at(point.x, point.z)) {
            point.y = height;
        }
        self.center_on(document, point);
    }

    /// Turns to the north without tilting.
    pub(crate) fn face_north(&mut self) {
        if self.mode == CameraMode::Game {
            self.set_mode(CameraMode::Orbit);
        }
        let forward = self.camera.forward();
        let level = Vec2::new(forward.x, forward.z).length();
        let direction = self.camera.handedness.north() * level + Vec3::Y * forward.y;
        self.camera.pose = camera_control::face(&self.camera, direction);
    }

    /// Returns the direction to the north in the view: right and ahead, as a unit vector.
    pub(crate) fn north(&self) -> Vec2 {
        let [right, up] = self.camera.right_up();
        let ahead = (self.camera.forward() + up).with_y(0.0).normalize_or_zero();
        let north = self.camera.handedness.north();
        Vec2::new(north.dot(right), north.dot(ahead)).normalize_or(Vec2::Y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::camera::{Handedness, Pose};

    fn camera(eye: Vec3, target: Vec3) -> Camera {
        Camera::new(Pose { eye, target }, Handedness::Mirrored)
    }

    #[track_caller]
    fn assert_seen(camera: &Camera, y: f32, expected: Option<[[f32; 2]; 4]>) {
        let seen = seen_ground(camera, 2.0, y, 1000.0);
        let seen = seen.map(|seen| seen.map(|at| [at.x.round(), at.z.round()]));
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_seen_ground_ends_at_the_edges_of_the_view() {
        // 45 degrees down with a field of view of 90 degrees: from below the eye to the horizon.
        let mut slant = camera(Vec3::Y * 101.0, Vec3::new(0.0, 1.0, -100.0));
        slant.fov_y_radians = std::f32::consts::FRAC_PI_2;
        let seen = seen_ground(&slant, 2.0, 1.0, 1000.0).unwrap();
        let [far_left, far_right, near_right, near_left] = seen;
        assert!(
            (near_left.z).abs() < 0.1 && (near_right.z).abs() < 0.1,
            "{seen:?}"
        );
        // West is +X and left.
        let width = 200.0 / 2.0_f32.sqrt();
        assert!((near_left.x - width).abs() < 1.0, "{seen:?}");
        assert!((near_right.x + width).abs() < 1.0, "{seen:?}");
        assert!(far_left.z < -400.0 && (far_left.z - far_right.z).abs() < 1.0);
        assert!(far_left.x > near_left.x && far_right.x < near_right.x);
        // Straight down at 45 degrees, as high as 2 * 100 * tan(22.5 degrees).
        let half = (100.0 * (std::f32::consts::FRAC_PI_8).tan()).round();
        let straight = camera(Vec3::Y * 101.0, Vec3::Y);
        let wide = (200.0 * (std::f32::consts::FRAC_PI_8).tan()).round();
        let rectangle = [[wide, -half], [-wide, -half], [-wide, half], [wide, half]];
        assert_seen(&straight, 1.0, Some(rectangle));
        let mut flat = straight;
        flat.projection = Projection::Orthographic;
        assert_seen(&flat, 1.0, Some(rectangle));
        // Upward, and level without foreshortening.
        assert_seen(
            &camera(Vec3::Y * 101.0, Vec3::new(0.0, 400.0, -100.0)),
            1.0,
            None,
        );
        flat.pose.target = Vec3::new(0.0, 101.0, -100.0);
        assert_seen(&flat, 1.0, None);
    }
}
