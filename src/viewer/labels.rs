//! The texts of overlays, written over the picture at their places in the world.

use egui::{Align2, Color32, FontId, Painter, Rect, Vec2, vec2};

use super::state::OpenFile;
use super::theme;
use crate::scene::camera::Camera;
use crate::scene::{Label, Shown};

/// How far texts may overlap before one of them is left out, in points.
const OVERLAP: f32 = 1.5;
/// Where the dark edge of the letters is painted.
const HALO: [Vec2; 8] = [
    vec2(-1.0, 0.0),
    vec2(1.0, 0.0),
    vec2(0.0, -1.0),
    vec2(0.0, 1.0),
    vec2(-0.8, -0.8),
    vec2(0.8, -0.8),
    vec2(-0.8, 0.8),
    vec2(0.8, 0.8),
];

/// The texts of what is shown, kept until that changes.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// What they were made from: what is shown, and the load that it is of.
    of: Option<(Shown, u64)>,
    texts: Vec<Label>,
    /// Where there is a text already.
    taken: Vec<Rect>,
}

impl Labels {
    /// Paints the texts over the picture in a rectangle.
    pub(super) fn paint(
        &mut self,
        painter: &Painter,
        rect: Rect,
        open: &OpenFile,
        camera: &Camera,
        shown: &Shown,
    ) {
        let same = |(of, version): &(Shown, u64)| of == shown && *version == open.version;
        if !self.of.as_ref().is_some_and(same) {
            self.of = Some((shown.clone(), open.version));
            self.texts.clear();
            open.document.labels(shown, &mut self.texts);
        }
        if self.texts.is_empty() {
            return;
        }
        let painter = painter.with_clip_rect(rect);
        let font = FontId::proportional(11.5);
        let aspect = rect.aspect_ratio();
        self.taken.clear();
        for label in &self.texts {
            let Some(at) = camera.project(label.position, aspect) else {
                continue;
            };
            let at = rect.min + vec2(at.x * rect.width(), at.y * rect.height());
            if !at.is_finite() || !rect.expand(100.0).contains(at) {
                continue;
            }
            let [r, g, b] = label.color;
            let color = Color32::from_rgb(r, g, b);
            let galley = painter.layout_no_wrap(label.text.clone(), font.clone(), color);
            let beside = at + vec2(6.0, 0.0);
            let text = Align2::LEFT_CENTER.anchor_size(beside, galley.size());
            // Letters upon letters could not be read.
            let core = text.shrink(OVERLAP);
            if self.taken.iter().any(|taken| taken.intersects(core)) {
                continue;
            }
            self.taken.push(core);
            for offset in HALO {
                let halo = theme::DEEP.gamma_multiply(0.8);
                painter.galley_with_override_text_color(text.min + offset, galley.clone(), halo);
            }
            painter.galley(text.min, galley, color);
        }
    }
}
