//! The visible part of an image in a panel, which the pointer drags and zooms.

use egui::{PointerButton, Pos2, Rect, Response, Ui, vec2};
use glam::Vec2;

/// Maximum zoom of an image, relative to the zoom that fits it into its place.
const MAX_ZOOM: f32 = 200.0;
/// Zoom factor per point of scrolling.
const ZOOM_PER_POINT: f32 = 1.004;
/// Part of its place that a fitted image fills.
const FITTED: f32 = 0.96;

/// The visible part of an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageView {
    /// Magnification relative to the zoom that fits the image into its place.
    pub(super) zoom: f32,
    /// UV coordinates in the middle.
    middle: Vec2,
    /// The zoom at the last frame at which a pixel of the image covers a pixel of the screen.
    actual: f32,
}

impl Default for ImageView {
    fn default() -> Self {
        Self {
            zoom: 1.0,
            middle: Vec2::splat(0.5),
            actual: 1.0,
        }
    }
}

impl ImageView {
    /// Shows a pixel of the image as a pixel of the screen.
    pub(super) fn show_actual_size(&mut self) {
        self.zoom = self.actual;
    }

    /// Pans and zooms with the pointer. Returns the rectangle of the whole image.
    pub(super) fn moved(
        &mut self,
        ui: &Ui,
        response: &Response,
        place: Rect,
        size: [u32; 2],
    ) -> Rect {
        let size = vec2(size[0].max(1) as f32, size[1].max(1) as f32);
        let fit = (place.width() / size.x).min(place.height() / size.y) * FITTED;
        self.actual = 1.0 / (fit * ui.pixels_per_point());
        let fitting = size * fit;
        if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle)
        {
            let by = response.drag_delta() / (fitting * self.zoom);
            self.middle -= Vec2::new(by.x, by.y);
        }
        if let Some(pointer) = response.hover_pos() {
            let (scrolled, pinched) =
                ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = ZOOM_PER_POINT.powf(scrolled) * pinched;
            if factor != 1.0 && factor.is_finite() {
                let before = uv_of(self.seen(place, fitting), pointer);
                let zoom = self.zoom * factor;
                self.zoom = zoom.clamp(self.actual.min(1.0), MAX_ZOOM.max(self.actual));
                let after = uv_of(self.seen(place, fitting), pointer);
                self.middle += before - after;
            }
        }
        self.middle = self.middle.clamp(Vec2::ZERO, Vec2::ONE);
        if self.zoom <= 1.0 {
            self.middle = Vec2::splat(0.5);
        }
        self.seen(place, fitting)
    }

    fn seen(&self, place: Rect, fitting: egui::Vec2) -> Rect {
        let size = fitting * self.zoom;
        let aside = vec2(0.5 - self.middle.x, 0.5 - self.middle.y) * size;
        Rect::from_center_size(place.center() + aside, size)
    }
}

/// The UV coordinates at a position on an image.
pub(super) fn uv_of(seen: Rect, at: Pos2) -> Vec2 {
    let along = (at - seen.min) / seen.size();
    Vec2::new(along.x, along.y)
}

/// The position of UV coordinates on an image.
pub(super) fn position_of(seen: Rect, uv: Vec2) -> Pos2 {
    seen.min + vec2(uv.x, uv.y) * seen.size()
}
