//! The texts of overlays, written over the view at their places in the world.

use egui::{Align2, Color32, FontId, Painter, Rect, vec2};
use glam::Vec2;

use super::shown::{Revision, TrackedShown};
use crate::viewer::state::OpenFile;
use crate::viewer::ui::theme;
use mapscope_scene::camera::Camera;
use mapscope_scene::{Label, Shown};

/// How far apart texts are at least, dark edges and all, in points: of two that are nearer the one
/// that is farther from the eye is left out.
const APART: f32 = 1.0;
/// How much wider than a text the room must be that it stands in, in points.
const ROOM_TO_SPARE: f32 = 2.0;
/// The least room that any text stands in, in points: for less it is not laid out.
const LEAST_ROOM: f32 = 8.0;
/// Texts that are painted: with more there is no place between them.
const MAX_TEXTS: usize = 1_000;
/// Where the dark edge of the letters is painted.
const HALO: [egui::Vec2; 8] = [
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
pub(crate) struct Labels {
    /// What they were made from: what is shown, and the load that it is of.
    of: Option<(Revision, u64)>,
    texts: Vec<Label>,
    /// The camera and the shape of the view for which `covered` and `order` were found out.
    seen_by: Option<(Camera, f32)>,
    /// The texts from the nearest to the farthest, those of the same depth as they were made.
    order: Vec<u32>,
    /// Of each text whether something is in front of it.
    covered: Vec<bool>,
    /// Where there is a text already.
    taken: Vec<Rect>,
}

impl Labels {
    /// Paints the texts over the view in a rectangle.
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
            self.seen_by = None;
        }
        if self.texts.is_empty() {
            return;
        }
        let painter = painter.with_clip_rect(rect);
        let font = FontId::proportional(11.5);
        let aspect = rect.aspect_ratio();
        if self.seen_by != Some((*camera, aspect)) {
            self.seen_by = Some((*camera, aspect));
            let texts = self.texts.iter();
            let is_covered = |label| is_covered(label, open, camera, aspect, shown);
            self.covered.clear();
            self.covered.extend(texts.map(is_covered));
            self.order.clear();
            self.order.extend(0..self.texts.len() as u32);
            let forward = camera.forward();
            let texts = &self.texts;
            let depth = |index: u32| {
                let label = texts.get(index as usize);
                label.map_or(f32::MAX, |label| forward.dot(label.position))
            };
            let by_depth = |a: &u32, b: &u32| depth(*a).total_cmp(&depth(*b)).then(a.cmp(b));
            self.order.sort_unstable_by(by_depth);
        }
        let [right, _] = camera.right_up();
        self.taken.clear();
        let seen = self.order.iter().map(|index| *index as usize);
        let seen = seen.filter(|index| self.covered.get(*index) == Some(&false));
        for label in seen.filter_map(|index| self.texts.get(index)) {
            let Some(at) = camera.project(label.position, aspect) else {
                continue;
            };
            let at = rect.min + vec2(at.x * rect.width(), at.y * rect.height());
            if !at.is_finite() || !rect.expand(100.0).contains(at) {
                continue;
            }
            let room = label.room.map(|room| {
                let side = camera.project(label.position + right * room, aspect);
                side.map_or(0.0, |side| side.x * rect.width() + rect.min.x - at.x)
            });
            if room.is_some_and(|room| room < LEAST_ROOM) {
                continue;
            }
            if self.taken.len() == MAX_TEXTS {
                break;
            }
            let [r, g, b] = label.color;
            let color = Color32::from_rgb(r, g, b);
            let galley = painter.layout_no_wrap(label.text.clone(), font.clone(), color);
            let text = match room {
                None => Align2::LEFT_CENTER.anchor_size(at + vec2(6.0, 0.0), galley.size()),
                Some(room) => {
                    if room < galley.size().x + ROOM_TO_SPARE {
                        continue;
                    }
                    Align2::CENTER_CENTER.anchor_size(at, galley.size())
                }
            };
            // Letters upon letters could not be read.
            let around = text.expand(APART * 0.5);
            if self.taken.iter().any(|taken| taken.intersects(around)) {
                continue;
            }
            self.taken.push(around);
            for offset in HALO {
                let halo = theme::DEEP.gamma_multiply(0.8);
                painter.galley_with_override_text_color(text.min + offset, galley.clone(), halo);
            }
            painter.galley(text.min, galley, color);
        }
    }
}

/// Whether something is in front of the place of a text that is in view.
fn is_covered(label: &Label, open: &OpenFile, camera: &Camera, aspect: f32, shown: &Shown) -> bool {
    let at = camera.project(label.position, aspect);
    let in_view = at.filter(|at| at.cmpge(Vec2::ZERO).all() && at.cmple(Vec2::ONE).all());
    in_view.is_some_and(|at| {
        let ray = camera.ray_in_world(at, aspect);
        let distance = (label.position - ray.origin).dot(ray.direction);
        let annotations = open.document.annotations();
        annotations.is_some_and(|annotations| annotations.covers(ray, distance, shown))
    })
}

#[cfg(test)]
mod tests {
    use egui::Shape;
    use glam::Vec3;

    use crate::viewer::commands::Action;
    use crate::viewer::testing::with_moving;
    use mapscope_scene::OverlayId;
    use mapscope_scene::camera::Pose;

    /// Which of the two texts of the document are seen from a place.
    fn seen_from(eye: Vec3, target: Vec3) -> Vec<String> {
        let mut h = with_moving();
        h.state_mut()
            .state
            .run(Action::Overlay(OverlayId::Skeleton));
        h.state_mut().state.view.camera.pose = Pose { eye, target };
        h.run();
        let view = h.state().placed.viewport.unwrap();
        // Not those of the outline, and not the dark edges of letters.
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
        // Of two at the same place of the view the nearer one, although it was made later.
        let above = Vec3::new(0.01, 4.0, 0.0);
        assert_eq!(seen_from(above, Vec3::ZERO), ["Head", "7"]);
        let behind = Vec3::new(0.0, 1.0, 8.0);
        assert!(seen_from(Vec3::new(0.0, 1.0, 4.0), behind).is_empty());
    }
}
