//! Placement of layers: rectangles, parallax, and the visible part of a map in a flat image.

use crate::{Item, ItemPlace, Places, Shown};
use glam::{DVec2, Vec2, Vec3};

use super::{Layer, TileMap};
use crate::camera::{Camera, FIELD_OF_VIEW_Y_RADIANS, Projection};
use crate::describe::numbers::short;

/// A rectangle in map pixels: x to the right, y down.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RectPx {
    /// Left and top.
    pub min: [f32; 2],
    /// Right and bottom.
    pub max: [f32; 2],
}

impl RectPx {
    /// Position and size in pixels, as display text.
    pub(super) fn said(&self) -> String {
        let [x, y] = self.min.map(short);
        let [w, h] = self.size().map(short);
        if w == "0" && h == "0" {
            return format!("{x}, {y}");
        }
        format!("{x}, {y}, {w} x {h} pixels")
    }
}

/// The visible part of a map in a flat image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlatWindow {
    /// The map pixel at the top left corner of the image.
    pub top_left_px: DVec2,
    /// Image pixels per map pixel.
    pub zoom: f64,
}

impl FlatWindow {
    /// The part of a map that a camera shows in an image of this many pixels. `None` unless the
    /// camera looks straight down without perspective.
    ///
    /// If the zoom is within rounding of an integer or of the inverse of one, it is snapped, so
    /// that map pixels align with image pixels.
    pub fn of(camera: &Camera, size: [u32; 2]) -> Option<Self> {
        let straight = camera.forward().y < -0.999_99;
        if camera.projection != Projection::Orthographic || !straight {
            return None;
        }
        let size = DVec2::new(f64::from(size[0]), f64::from(size[1]));
        let tan = f64::from(FIELD_OF_VIEW_Y_RADIANS * 0.5).tan();
        let zoom = snapped(size.y / (f64::from(camera.distance()) * tan * 2.0));
        let middle = DVec2::new(camera.pose.target.x.into(), camera.pose.target.z.into());
        let top_left = middle - size / (zoom * 2.0);
        Some(Self {
            top_left_px: (top_left * zoom).round() / zoom,
            zoom,
        })
    }

    /// The part that remains after removing this many image pixels at the left and at the top.
    pub fn from(&self, pixels: [u32; 2]) -> Self {
        let [left, top] = pixels.map(f64::from);
        Self {
            top_left_px: self.top_left_px + DVec2::new(left, top) / self.zoom,
            ..*self
        }
    }

    /// The camera that shows this part in an image of this many pixels.
    pub fn camera(&self, size: [u32; 2], camera: Camera) -> Camera {
        let size = DVec2::new(f64::from(size[0]), f64::from(size[1]));
        let tan = f64::from(FIELD_OF_VIEW_Y_RADIANS * 0.5).tan();
        let middle = (self.top_left_px + size / (self.zoom * 2.0)).as_vec2();
        let distance = (size.y / (self.zoom * tan * 2.0)) as f32;
        let mut camera = camera;
        camera.projection = Projection::Orthographic;
        camera.pose.target = Vec3::new(middle.x, 0.0, middle.y);
        camera.pose.eye = camera.pose.target + Vec3::Y * distance;
        camera
    }

    /// The whole map pixel that sets the scroll position of layers ([`Layer::origin_px`]).
    pub fn camera_px(&self) -> [i64; 2] {
        // Limited to 32 bits, so that multiplying by a parallax does not overflow.
        let whole = self.top_left_px.floor().to_array().map(|px| px as i32);
        whole.map(i64::from)
    }

    /// The same, clamped to the map as a game clamps its camera: not before the first pixel, and
    /// not past the last. A map that is entirely in view therefore looks as at 1:1. `map_size` is
    /// in map pixels, `image_size` in image pixels.
    pub fn camera_on_map_px(&self, map_size: [u64; 2], image_size: [u32; 2]) -> [i64; 2] {
        let camera = self.camera_px();
        std::array::from_fn(|axis| {
            let seen = f64::from(image_size[axis]) / self.zoom;
            let furthest = (map_size[axis] as f64 - seen).max(0.0) as i64;
            camera[axis].clamp(0, furthest)
        })
    }

    /// The map pixel at a point of the image, which is given in pixels from the top left.
    pub fn map_px(&self, at: Vec2) -> DVec2 {
        self.top_left_px + at.as_dvec2() / self.zoom
    }
}

/// Rounds a zoom to an integer or to the inverse of one if it only differs by rounding errors.
fn snapped(zoom: f64) -> f64 {
    let nearest = if zoom >= 1.0 {
        zoom.round()
    } else {
        1.0 / (1.0 / zoom).round()
    };
    if (zoom / nearest - 1.0).abs() < 1e-4 {
        nearest
    } else {
        zoom
    }
}

impl Layer {
    /// Top left corner of a layer in map pixels, while the top left corner of the game's screen is
    /// at map pixel `camera_px`.
    pub fn origin_px(&self, camera_px: [i64; 2]) -> [i64; 2] {
        let scrolled = self.parallax.scrolled(camera_px);
        std::array::from_fn(|axis| {
            camera_px[axis] - scrolled[axis] + i64::from(self.position_px[axis])
        })
    }
}

impl TileMap {
    /// Size in pixels of the image of the whole map at 1:1, up to the far corner of the farthest
    /// layer.
    pub fn canvas_px(&self) -> [u64; 2] {
        let mut canvas = [1; 2];
        for layer in &self.layers {
            let Some(tileset) = self.tilesets.get(layer.tileset) else {
                continue;
            };
            for (axis, side) in canvas.iter_mut().enumerate() {
                let size = u64::from(layer.size[axis]) * u64::from(tileset.tile_size[axis]);
                let end = i64::from(layer.position_px[axis]).saturating_add_unsigned(size);
                *side = (*side).max(u64::try_from(end).unwrap_or(0));
            }
        }
        canvas
    }
}

impl Places for TileMap {
    fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        ItemPlace {
            bounds: self.bounds_of(item, shown),
            ..ItemPlace::default()
        }
    }

    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        self.contour_of(item, shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_of_a_game_stays_on_its_map() {
        let camera = |top_left: [f64; 2], zoom| {
            let window = FlatWindow {
                top_left_px: top_left.into(),
                zoom,
            };
            window.camera_on_map_px([1000, 200], [640, 480])
        };
        // The whole height of the map is visible.
        assert_eq!(camera([-20.0, -140.0], 1.0), [0, 0]);
        assert_eq!(camera([100.5, -140.0], 1.0), [100, 0]);
        assert_eq!(camera([900.0, 0.0], 1.0), [360, 0]);
        assert_eq!(camera([900.0, 150.0], 4.0), [840, 80]);
    }
}
