//! The outline of the hovered item, painted over the view.
//!
//! The view is not rendered again for it: moving the pointer over a large map costs no more than
//! moving it over a button.

use egui::{Color32, Painter, Pos2, Rect, Stroke, pos2};
use glam::{Mat4, Vec3, Vec4};

use crate::viewer::state::OpenFile;
use crate::viewer::view::shown::{Revision, TrackedShown};
use mapscope_scene::Item;
use mapscope_scene::camera::Camera;
use mapscope_scene::colors::HOVERED;

/// Wide enough to be visible on any ground, in logical pixels.
const STROKE: Stroke = Stroke {
    width: 2.0,
    color: {
        let [r, g, b] = HOVERED;
        Color32::from_rgb(r, g, b)
    },
};

/// The outline of an item, cached while the pointer stays on it.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Cache key: the item, the load, and the revision of the visible state.
    of: Option<(Item, u64, Revision)>,
    segments_in_world: Vec<[Vec3; 2]>,
}

impl Outline {
    /// Paints the outline of an item over the view in `rect`.
    pub(crate) fn paint(
        &mut self,
        painter: &Painter,
        rect: Rect,
        open: &OpenFile,
        camera: &Camera,
        item: Option<Item>,
        shown: &TrackedShown,
    ) {
        let of = item.map(|item| (item, open.version, shown.revision()));
        if self.of != of {
            self.of = of;
            let contour = |item| open.document.contour(item, shown);
            self.segments_in_world = item.map_or_else(Vec::new, contour);
        }
        if self.segments_in_world.is_empty() {
            return;
        }
        let painter = painter.with_clip_rect(rect);
        let clip_from_world = camera.clip_from_world(rect.aspect_ratio());
        for segment in &self.segments_in_world {
            if let Some(ends) = on_screen(segment, clip_from_world, camera.near, rect) {
                painter.line_segment(ends, STROKE);
                // Round ends close the corners.
                for end in ends {
                    painter.circle_filled(end, STROKE.width / 2.0, STROKE.color);
                }
            }
        }
    }
}

/// Returns the screen positions of a segment's ends, clipped at the near plane; `None` if all of it
/// is behind.
fn on_screen(
    segment_in_world: &[Vec3; 2],
    clip_from_world: Mat4,
    near: f32,
    rect: Rect,
) -> Option<[Pos2; 2]> {
    let [a, b] = segment_in_world.map(|point| clip_from_world * point.extend(1.0));
    if a.w < near && b.w < near {
        return None;
    }
    // In an orthographic projection `w` is 1 everywhere, which is more than any near plane.
    let ahead = |end: Vec4, other: Vec4| {
        if end.w < near {
            end.lerp(other, (near - end.w) / (other.w - end.w))
        } else {
            end
        }
    };
    let place = |clip: Vec4| {
        let at = clip.truncate().truncate() / clip.w;
        pos2(
            rect.left() + (at.x + 1.0) * 0.5 * rect.width(),
            rect.top() + (1.0 - at.y) * 0.5 * rect.height(),
        )
    };
    let ends = [ahead(a, b), ahead(b, a)].map(place);
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

#[cfg(test)]
mod tests {
    use egui::vec2;
    use glam::Vec2;

    use super::*;
    use mapscope_scene::camera::{Handedness, Pose, Projection};

    #[test]
    fn ends_are_where_the_camera_sees_them_and_what_is_behind_the_eye_is_cut_off() {
        let rect = Rect::from_min_size(pos2(250.0, 30.0), vec2(800.0, 500.0));
        let pose: Pose = "0,50,100,0,0,0".parse().unwrap();
        let (seen, behind) = (Vec3::new(10.0, 2.0, 5.0), Vec3::new(3.0, 60.0, 300.0));
        for handedness in [Handedness::Right, Handedness::Mirrored] {
            for projection in [Projection::Perspective, Projection::Orthographic] {
                let mut camera = Camera::new(pose, handedness);
                camera.projection = projection;
                let aspect = rect.aspect_ratio();
                let ends = |segment: [Vec3; 2]| {
                    on_screen(&segment, camera.clip_from_world(aspect), camera.near, rect)
                };
                let at: Vec2 = camera.project(seen, aspect).unwrap();
                let at = rect.min + vec2(at.x * rect.width(), at.y * rect.height());
                let [start, end] = ends([seen, behind]).unwrap();
                assert!(start.distance(at) < 0.1, "{start:?} is not {at:?}");
                assert!(end.x.is_finite() && end.y.is_finite());
                let hidden = ends([behind, behind + Vec3::Y]).is_none();
                assert_eq!(hidden, projection == Projection::Perspective);
            }
        }
    }
}
