//! The flat view of 2D maps: whole zooms, whole screen pixels, and the switch to 3D and back.
//!
//! Screen lengths are in physical pixels here, regardless of the interface scale: only those can
//! show a map pixel without blurring it.

use glam::{DVec2, Vec2, Vec3};

use super::View;
use super::camera_control::CameraMode;
use mapscope_scene::camera::{Camera, NamedView, Pose, Projection};
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Aabb, Document, fixed};

/// Magnifications, and inverse reductions, of a map. The reductions suffice to fit any map into a
/// view.
const WHOLE_ZOOMS: [u32; 24] = [
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072, 4096,
];
/// Maximum zoom.
const MAX_ZOOM: f64 = 32.0;
/// Minimum zoom, except for maps that do not fit into the view at it.
const MIN_ZOOM: f64 = 1.0 / 16.0;
/// Maximum fraction of the view that a framed item takes.
const MAX_FRAMED_FRACTION: f64 = 0.6;
/// Maximum distance on a map that wraps around, in map pixels: the camera represents them exactly.
const MAX_WRAPPED_PX: f64 = 1_000_000.0;
/// Maximum zoom for a framed item, unless the view is closer already.
const MAX_FRAMED_ZOOM: f64 = 4.0;

/// The size of a view before it is first shown.
pub(crate) const NO_VIEW: [u32; 2] = [0, 0];

/// State of the flat view and of the 3D view of a map while a file is open.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FlatView {
    /// The last state of the flat view.
    left_at: Option<FlatState>,
    /// The last camera pose in 3D.
    tilted: Option<Pose>,
    /// The last projection in 3D.
    tilted_projection: Projection,
    /// `true` if the whole map is fitted into the view, and stays so when the view is resized.
    fits: bool,
}

/// The centre of the flat view, in map pixels, and its zoom.
#[derive(Debug, Clone, Copy)]
struct FlatState {
    middle: DVec2,
    zoom: f64,
}

impl FlatState {
    fn window(self, size: DVec2) -> FlatWindow {
        let top_left = self.middle - size / (self.zoom * 2.0);
        FlatWindow {
            top_left_px: (top_left * self.zoom).round() / self.zoom,
            zoom: self.zoom,
        }
    }
}

/// Returns all zooms in ascending order.
fn zooms() -> impl DoubleEndedIterator<Item = f64> {
    let smaller = WHOLE_ZOOMS.iter().skip(1).rev();
    let larger = WHOLE_ZOOMS.iter().map(|zoom| f64::from(*zoom));
    smaller
        .map(|times| 1.0 / f64::from(*times))
        .chain(larger.filter(|zoom| *zoom <= MAX_ZOOM))
}

/// Returns the next or the previous zoom; the same one at the ends.
fn next_zoom(zoom: f64, nearer: bool, least: f64) -> f64 {
    let next = if nearer {
        zooms().find(|step| *step > zoom * 1.001)
    } else {
        let farther = zooms().rev().find(|step| *step < zoom * 0.999);
        farther.filter(|step| *step > least * 0.999)
    };
    next.unwrap_or(zoom)
}

/// Returns the nearest zoom that is a whole number or the inverse of one.
fn nearest_zoom(zoom: f64) -> f64 {
    if zoom >= 1.0 {
        zoom.round().min(MAX_ZOOM)
    } else {
        1.0 / (1.0 / zoom.max(1e-6)).round()
    }
}

/// Returns the largest zoom that fits a box into a view and is a whole number or the inverse of
/// one.
fn fitting_zoom(size: DVec2, view: DVec2) -> f64 {
    let zoom = (view / size.max(DVec2::ONE)).min_element();
    if zoom >= 1.0 {
        zoom.floor().min(MAX_ZOOM)
    } else {
        1.0 / (1.0 / zoom.max(1e-6)).ceil()
    }
}

/// Formats a zoom, such as `200 %`.
pub(crate) fn zoom_text(zoom: f64) -> String {
    let percent = zoom * 100.0;
    let decimals = match percent {
        percent if (percent - percent.round()).abs() < 0.01 => 0,
        percent if percent >= 10.0 => 1,
        _ => 2,
    };
    format!("{} %", fixed(percent, decimals))
}

/// Returns the width and height in pixels of a document that is a 2D map.
pub(crate) fn map_size(document: &dyn Document) -> Option<DVec2> {
    let [width, height] = document.layers()?.flat_size();
    Some(DVec2::new(width as f64, height as f64))
}

impl View {
    /// `true` if the view is flat.
    pub(crate) fn is_flat(&self) -> bool {
        self.mode == CameraMode::Flat
    }

    /// Changes the camera mode without moving the camera.
    pub(crate) fn set_mode(&mut self, mode: CameraMode) {
        let now_flat = mode == CameraMode::Flat;
        match (self.is_flat(), now_flat) {
            (true, false) => {
                self.flat.left_at = self.flat_state();
                self.camera.projection = self.flat.tilted_projection;
            }
            (false, true) => {
                self.flat.tilted_projection = self.camera.projection;
                self.camera.projection = Projection::Orthographic;
            }
            _ => {}
        }
        self.mode = mode;
        self.shown.flat = now_flat;
        self.use_field_of_view();
    }

    /// Resets the state of the previous document.
    pub(crate) fn forget_flat(&mut self) {
        self.set_mode(CameraMode::Orbit);
        self.flat = FlatView {
            tilted_projection: self.camera.projection,
            ..FlatView::default()
        };
    }

    /// Switches between the flat view and the 3D view, each in its last state.
    pub(crate) fn toggle_flat(&mut self, document: &dyn Document) {
        if self.is_flat() {
            self.set_mode(CameraMode::Orbit);
            if let Some(pose) = self.flat.tilted {
                self.camera.pose = pose;
            } else {
                let bounds = self.shown_bounds(document);
                self.camera.face(NamedView::Iso);
                self.camera.frame(bounds, self.aspect);
            }
        } else {
            self.flat.tilted = Some(self.camera.pose);
            self.set_mode(CameraMode::Flat);
            match self.flat.left_at {
                Some(seen) => self.show_flat_window(document, seen.window(self.view_size())),
                None => self.fit_flat(document),
            }
        }
    }

    fn view_size(&self) -> DVec2 {
        let [width, height] = self.size_px.map(f64::from);
        DVec2::new(width, height).max(DVec2::ONE)
    }

    /// Sets the size of the view in physical pixels.
    pub(crate) fn resize_view(&mut self, document: &dyn Document, size: [u32; 2]) {
        if size == self.size_px {
            return;
        }
        let seen = self.flat_state();
        let before = std::mem::replace(&mut self.size_px, size);
        match seen {
            Some(_) if self.flat.fits => self.fit_flat(document),
            Some(seen) => self.show_flat_window(document, seen.window(self.view_size())),
            // The camera was set before the view existed.
            None if before == NO_VIEW && self.is_flat() => {
                self.apply_pose(document, self.camera.pose);
            }
            None => {}
        }
    }

    /// Moves the camera to a pose. From straight above a map becomes flat, at the nearest whole
    /// zoom.
    pub(crate) fn apply_pose(&mut self, document: &dyn Document, pose: Pose) {
        self.camera.pose = pose;
        let flat = Camera {
            projection: Projection::Orthographic,
            ..self.camera
        };
        let window = FlatWindow::of(&flat, self.size_px);
        let Some(window) = window.filter(|_| document.layers().is_some()) else {
            return;
        };
        self.set_mode(CameraMode::Flat);
        if self.size_px != NO_VIEW {
            let middle = DVec2::new(pose.target.x.into(), pose.target.z.into());
            let zoom = nearest_zoom(window.zoom);
            self.show_flat_window(
                document,
                FlatState { middle, zoom }.window(self.view_size()),
            );
        }
    }

    /// Returns the visible part of the map, or `None` unless the view is flat.
    pub(crate) fn flat_window(&self) -> Option<FlatWindow> {
        let is_seen = self.is_flat() && self.size_px != NO_VIEW;
        is_seen
            .then(|| FlatWindow::of(&self.camera, self.size_px))
            .flatten()
    }

    fn flat_state(&self) -> Option<FlatState> {
        let window = self.flat_window()?;
        Some(FlatState {
            middle: window.top_left_px + self.view_size() / (window.zoom * 2.0),
            zoom: window.zoom,
        })
    }

    /// Shows a part of the map, aligned to whole pixels. The centre of the view is clamped to the
    /// map.
    pub(crate) fn show_flat_window(&mut self, document: &dyn Document, window: FlatWindow) {
        self.flat.fits = false;
        let half = self.view_size() / (window.zoom * 2.0);
        let mut seen = FlatState {
            middle: window.top_left_px + half,
            zoom: window.zoom,
        };
        // A map that wraps around has no edge to stop at.
        let layers = document.layers();
        let wraps = layers.map_or([false; 2], mapscope_scene::Layers::wraps);
        let size_px = layers.map_or([0; 2], mapscope_scene::Layers::flat_size);
        if let Some(size) = map_size(document) {
            for (axis, wraps) in wraps.into_iter().enumerate() {
                let [from, to] = if wraps {
                    [-MAX_WRAPPED_PX, MAX_WRAPPED_PX]
                } else {
                    [0.0, size[axis]]
                };
                seen.middle[axis] = seen.middle[axis].clamp(from, to);
            }
        }
        let window = seen.window(self.view_size());
        let (free, on_map) = (
            window.camera_px(),
            window.camera_on_map_px(size_px, self.size_px),
        );
        self.shown.flat_camera_px = [0, 1].map(|axis| {
            if wraps[axis] {
                free[axis]
            } else {
                on_map[axis]
            }
        });
        let across = (self.view_size() / window.zoom).ceil();
        self.shown.flat_view_px = Some([across.x as u32, across.y as u32]);
        self.camera = window.camera(self.size_px, self.camera);
    }

    /// Fits the whole map into the view.
    pub(crate) fn fit_flat(&mut self, document: &dyn Document) {
        let Some(size) = map_size(document) else {
            return;
        };
        let seen = FlatState {
            middle: size * 0.5,
            zoom: fitting_zoom(size, self.view_size()),
        };
        self.show_flat_window(document, seen.window(self.view_size()));
        self.flat.fits = true;
    }

    /// Zooms in until every map pixel is visible, even if the view no longer contains the whole
    /// map.
    pub(crate) fn show_all_pixels(&mut self, document: &dyn Document) {
        if let Some(seen) = self.flat_state().filter(|seen| seen.zoom < 1.0) {
            let seen = FlatState { zoom: 1.0, ..seen };
            self.show_flat_window(document, seen.window(self.view_size()));
        }
    }

    /// Centres the flat view on a map position.
    pub(crate) fn center_flat(&mut self, document: &dyn Document, middle: DVec2) {
        if let Some(seen) = self.flat_state() {
            let seen = FlatState { middle, ..seen };
            self.show_flat_window(document, seen.window(self.view_size()));
        }
    }

    /// Frames a box of the world in the flat view, without zooming in too far.
    pub(crate) fn frame_flat(&mut self, document: &dyn Document, bounds: Aabb) {
        let Some(now) = self.flat_state() else {
            return;
        };
        let corner = |corner: Vec3| DVec2::new(corner.x.into(), corner.z.into());
        let [low, high] = [bounds.min, bounds.max].map(corner);
        let fitting = fitting_zoom(high - low, self.view_size() * MAX_FRAMED_FRACTION);
        let seen = FlatState {
            middle: (low + high) * 0.5,
            zoom: fitting.min(now.zoom.max(MAX_FRAMED_ZOOM)),
        };
        self.show_flat_window(document, seen.window(self.view_size()));
    }

    /// Sets the zoom in screen pixels per map pixel. The point at a view position, in pixels from
    /// the top left, stays in place.
    pub(crate) fn zoom_flat_to(&mut self, document: &dyn Document, zoom: f64, at: Vec2) {
        let Some(window) = self.flat_window() else {
            return;
        };
        self.show_flat_window(
            document,
            FlatWindow {
                top_left_px: window.map_px(at) - at.as_dvec2() / zoom,
                zoom,
            },
        );
    }

    /// Changes to the next or the previous zoom.
    pub(crate) fn zoom_flat(&mut self, document: &dyn Document, nearer: bool, at: Vec2) {
        let (Some(window), Some(size)) = (self.flat_window(), map_size(document)) else {
            return;
        };
        let fitting = fitting_zoom(size, self.view_size());
        let zoom = next_zoom(window.zoom, nearer, MIN_ZOOM.min(fitting));
        if (zoom - window.zoom).abs() > f64::EPSILON {
            self.zoom_flat_to(document, zoom, at);
        }
    }

    /// Returns the centre of the view, in pixels from its top left.
    pub(crate) fn middle_of_view(&self) -> Vec2 {
        (self.view_size() * 0.5).floor().as_vec2()
    }

    /// Returns the map position at a position of the flat view.
    pub(crate) fn flat_place(&self, at: Vec2) -> Option<Vec3> {
        let place = self.flat_window()?.map_px(at).as_vec2();
        Some(Vec3::new(place.x, 0.0, place.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooms_are_whole_numbers_and_one_over_them() {
        let mut zoom = 1.0 / 16.0;
        let mut up = vec![zoom_text(zoom)];
        for _ in 0..20 {
            zoom = next_zoom(zoom, true, MIN_ZOOM);
            up.push(zoom_text(zoom));
        }
        up.dedup();
        let expected = [
            "6.25 %", "8.33 %", "12.5 %", "16.7 %", "25 %", "33.3 %", "50 %", "100 %", "200 %",
            "300 %", "400 %", "600 %", "800 %", "1200 %", "1600 %", "2400 %", "3200 %",
        ];
        assert_eq!(up, expected);
        assert_eq!(next_zoom(1.0 / 16.0, false, MIN_ZOOM), 1.0 / 16.0);
        // A map that would not fit can be zoomed out further.
        assert_eq!(next_zoom(1.0 / 16.0, false, 1.0 / 66.0), 1.0 / 24.0);
        // From between two steps, at which a map just fits.
        assert_eq!(next_zoom(0.2, true, MIN_ZOOM), 0.25);
        assert_eq!(next_zoom(5.0, false, MIN_ZOOM), 4.0);
    }

    #[test]
    fn what_fits_is_as_large_as_whole_pixels_allow() {
        let zoom = |w, h| fitting_zoom(DVec2::new(w, h), DVec2::new(800.0, 600.0));
        assert_eq!(zoom(160.0, 120.0), 5.0);
        assert_eq!(zoom(161.0, 100.0), 4.0);
        assert_eq!(zoom(1.0, 1.0), MAX_ZOOM);
        assert_eq!(zoom(801.0, 10.0), 0.5);
        assert_eq!(zoom(65_536.0, 65_536.0), 1.0 / 110.0);
    }
}
