//! The texts of overlays, painted over the view at their world positions.

use egui::{Color32, FontId, Painter, Rect};

use crate::images::labels::{FONT_SIZE, HALO, HALO_COLOR, HALO_OPACITY, LabelLayout, LabelView};
use crate::viewer::state::OpenFile;
use crate::viewer::view::shown::{Revision, TrackedShown};
use mapscope_scene::Label;
use mapscope_scene::camera::Camera;

/// The texts of the visible overlays, cached until they change.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Cache key: the revision of the visible state, and the load.
    of: Option<(Revision, u64)>,
    texts: Vec<Label>,
    places: LabelLayout,
}

impl Labels {
    /// Paints the texts over the view in `rect`.
    pub(crate) fn paint(
        &mut self,
        painter: &Painter,
        rect: Rect,
        open: &OpenFile,
        camera: &Camera,
        shown: &TrackedShown,
    ) {
        let of = Some((shown.revision(), open.version));
        if self.of != of {
            self.of = of;
            self.texts.clear();
            if let Some(annotations) = open.document.annotations() {
                annotations.labels(shown, &mut self.texts);
            }
            self.places.forget();
        }
        if self.texts.is_empty() {
            return;
        }
        let painter = painter.with_clip_rect(rect);
        let font = FontId::proportional(FONT_SIZE);
        let view = LabelView {
            document: &*open.document,
            shown,
            camera,
            size: glam::vec2(rect.width(), rect.height()),
            scale: 1.0,
        };
        let [r, g, b] = HALO_COLOR;
        let halo = Color32::from_rgb(r, g, b).gamma_multiply(HALO_OPACITY);
        self.places.place(
            &self.texts,
            view,
            |label| {
                let [r, g, b] = label.color;
                let color = Color32::from_rgb(r, g, b);
                let galley = painter.layout_no_wrap(label.text.clone(), font.clone(), color);
                let size = glam::vec2(galley.size().x, galley.size().y);
                ((galley, color), size)
            },
            |(galley, color), at| {
                let at = rect.min + egui::vec2(at.x, at.y);
                for [x, y] in HALO {
                    let at = at + egui::vec2(x, y);
                    painter.galley_with_override_text_color(at, galley.clone(), halo);
                }
                painter.galley(at, galley, color);
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use egui::Shape;
    use glam::Vec3;

    use crate::viewer::commands::Action;
    use crate::viewer::testing::with_moving;
    use mapscope_scene::OverlayId;
    use mapscope_scene::camera::Pose;

    /// Returns which of the document's two texts are visible from a position.
    fn seen_from(eye: Vec3, target: Vec3) -> Vec<String> {
        let mut h = with_moving();
        h.state_mut()
            .state
            .run(Action::Overlay(OverlayId::Skeleton));
        h.state_mut().state.session.view.camera.pose = Pose { eye, target };
        h.run();
        let view = h.state().placed.viewport.unwrap();
        // Without the texts of the outliner and the dark edges of letters.
        let in_view = h.output().shapes.iter().filter(|s| s.clip_rect == view);
        let texts = in_view.filter_map(|shape| match &shape.shape {
            Shape::Text(text) if text.override_text_color.is_none() => Some(text.galley.text()),
            _ => None,
        });
        texts.map(str::to_owned).collect()
    }

    #[test]
    fn texts_are_at_their_places_and_not_upon_each_other() {
        let middle = Vec3::new(0.0, 1.0, 0.0);
        let near = seen_from(Vec3::new(0.0, 1.0, 4.0), middle);
        assert_eq!(near, ["Hip", "Head", "7"]);
        let far = Vec3::new(0.0, 1.0, 400.0);
        assert_eq!(
            seen_from(far, middle),
            ["Hip"],
            "both are at the same place, and there is no room for the number"
        );
        // Of two texts at the same view position, the nearer one, although it was created later.
        let above = Vec3::new(0.01, 4.0, 0.0);
        assert_eq!(seen_from(above, Vec3::ZERO), ["Head", "7"]);
        let behind = Vec3::new(0.0, 1.0, 8.0);
        assert!(seen_from(Vec3::new(0.0, 1.0, 4.0), behind).is_empty());
    }
}
