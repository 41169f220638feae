//! Placement of overlay labels in a view. Nearer labels come first, labels do not overlap, and
//! labels behind an occluder are hidden.

use glam::{Vec2, vec2};

use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, Label, Shown};

/// Minimum distance between labels with their outlines, in points, horizontally and vertically. If
/// two labels are closer, the one farther from the eye is omitted. The horizontal distance exceeds
/// a space, so that two labels do not read as one.
const MIN_LABEL_GAP: Vec2 = vec2(8.0, 1.0);
/// Minimum distance of labels from the edge of the view, in points, for their outlines.
const MIN_EDGE_DISTANCE: f32 = 1.5;
/// Minimum excess of the room for a label over its width, in points.
const MIN_SPARE_ROOM: f32 = 2.0;
/// Minimum room for any label, in points; labels with less room are not laid out.
const MIN_ROOM: f32 = 8.0;
/// Horizontal offset of a label that is not centred on its position, in points.
const LABEL_OFFSET_X: f32 = 6.0;
/// Maximum number of visible labels: more would leave no space between them.
const MAX_TEXTS: usize = 1_000;
/// Font size in points.
pub const FONT_SIZE: f32 = 11.5;
/// Offsets at which the outline of the letters is painted, in points.
pub const HALO: [[f32; 2]; 8] = [
    [-1.0, 0.0],
    [1.0, 0.0],
    [0.0, -1.0],
    [0.0, 1.0],
    [-0.8, -0.8],
    [0.8, -0.8],
    [-0.8, 0.8],
    [0.8, 0.8],
];
/// Red, green and blue of the outline.
pub const HALO_COLOR: [u8; 3] = [0x14, 0x17, 0x1b];
/// Opacity of the outline, from 0 to 1.
pub const HALO_OPACITY: f32 = 0.8;

/// The view in which labels are placed.
#[derive(Debug, Clone, Copy)]
pub struct LabelView<'a> {
    /// The document of the labels.
    pub document: &'a dyn Document,
    /// The view state of the document.
    pub shown: &'a Shown,
    /// The camera.
    pub camera: &'a Camera,
    /// Width and height of the view.
    pub size: Vec2,
    /// Units of `size` per point.
    pub scale: f32,
}

/// Visibility of labels, cached until labels or camera change.
#[derive(Debug, Default)]
pub struct LabelLayout {
    /// Camera and aspect ratio for which `covered` and `order` are valid.
    cached_for: Option<(Camera, f32)>,
    /// Label indices from near to far; labels at the same depth keep their order.
    order: Vec<u32>,
    /// For each label, `true` if something occludes it.
    covered: Vec<bool>,
    /// Top left and bottom right corners of the labels placed so far.
    taken: Vec<[Vec2; 2]>,
}

impl LabelLayout {
    /// Invalidates the cache for other labels.
    pub fn forget(&mut self) {
        self.cached_for = None;
    }

    /// Places the visible labels. Calls `put` with each label as laid out by `lay_out`, which also
    /// returns its size, and its top left corner.
    pub fn place<T>(
        &mut self,
        texts: &[Label],
        view: LabelView<'_>,
        mut lay_out: impl FnMut(&Label) -> (T, Vec2),
        mut put: impl FnMut(T, Vec2),
    ) {
        let LabelView {
            camera,
            size,
            scale,
            ..
        } = view;
        let aspect = size.x / size.y;
        if self.cached_for != Some((*camera, aspect)) {
            self.cached_for = Some((*camera, aspect));
            self.look(texts, view, aspect);
        }
        let [right, _] = camera.right_up();
        self.taken.clear();
        let seen = self
            .order
            .iter()
            .map(|index| *index as usize)
            .filter(|index| self.covered.get(*index) == Some(&false));
        for label in seen.filter_map(|index| texts.get(index)) {
            let Some(at) = camera.project(label.position, aspect) else {
                continue;
            };
            let at = at * size;
            // Skip positions outside the view.
            if !(at.cmpge(Vec2::ZERO).all() && at.cmple(size).all()) {
                continue;
            }
            let room = label.room.map(|room| {
                let side = camera.project(label.position + right * room, aspect);
                side.map_or(0.0, |side| side.x * size.x - at.x)
            });
            if room.is_some_and(|room| room < MIN_ROOM * scale) {
                continue;
            }
            if self.taken.len() == MAX_TEXTS {
                break;
            }
            let (text, text_size) = lay_out(label);
            let top_left = match room {
                None => at + vec2(LABEL_OFFSET_X * scale, -text_size.y * 0.5),
                Some(room) if room < text_size.x + MIN_SPARE_ROOM * scale => continue,
                Some(_) => at - text_size * 0.5,
            };
            let Some(top_left) = clamped_into(size, top_left, text_size, MIN_EDGE_DISTANCE * scale)
            else {
                continue;
            };
            // Overlapping labels would be illegible.
            let apart = MIN_LABEL_GAP * 0.5 * scale;
            let corners = [top_left - apart, top_left + text_size + apart];
            if self.taken.iter().any(|taken| overlap(*taken, corners)) {
                continue;
            }
            self.taken.push(corners);
            put(text, top_left);
        }
    }

    /// Updates which labels are occluded, and their order by distance.
    fn look(&mut self, texts: &[Label], view: LabelView<'_>, aspect: f32) {
        self.covered.clear();
        self.covered
            .extend(texts.iter().map(|label| is_covered(label, view, aspect)));
        self.order.clear();
        self.order.extend(0..texts.len() as u32);
        let forward = view.camera.forward();
        let depth = |index: u32| {
            let label = texts.get(index as usize);
            label.map_or(f32::MAX, |label| forward.dot(label.position))
        };
        let by_depth = |a: &u32, b: &u32| depth(*a).total_cmp(&depth(*b)).then(a.cmp(b));
        self.order.sort_unstable_by(by_depth);
    }
}

/// Moves a label of this size fully into the view, as near to its position as possible; `None` if
/// it is larger than the view.
fn clamped_into(view: Vec2, top_left: Vec2, text_size: Vec2, from_edge: f32) -> Option<Vec2> {
    let first = Vec2::splat(from_edge);
    let last = view - text_size - first;
    first.cmple(last).all().then(|| top_left.clamp(first, last))
}

/// `true` if two boxes, each given by two corners, intersect.
fn overlap(a: [Vec2; 2], b: [Vec2; 2]) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// `true` if something occludes the position of a label in view.
fn is_covered(label: &Label, view: LabelView<'_>, aspect: f32) -> bool {
    let at = view.camera.project(label.position, aspect);
    let in_view = |at: &Vec2| at.min_element() >= 0.0 && at.max_element() <= 1.0;
    at.filter(in_view).is_some_and(|at| {
        let ray = view.camera.ray_in_world(at, aspect);
        let distance = (label.position - ray.origin).dot(ray.direction);
        let annotations = view.document.annotations();
        annotations.is_some_and(|annotations| annotations.covers(ray, distance, view.shown))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::camera::NamedView;
    use mapscope_scene::{OpenOptions, Progress, demo};

    #[test]
    fn names_that_are_seen_in_a_street_are_covered_by_nothing() {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&demo::HAMLET.source(), &options, &progress);
        let document = &*document.unwrap();
        let annotations = document.annotations().unwrap();
        let shown = &Shown {
            has_names: true,
            ..Shown::default()
        };
        let mut texts = Vec::new();
        annotations.labels(shown, &mut texts);
        // A tree is close to the eye at the left edge of the view.
        let pose = "60,14,150,-20,8,20".parse().unwrap();
        let camera = &Camera::new(pose, document.about().handedness);
        let size = vec2(1000.0, 560.0);
        let view = LabelView {
            document,
            shown,
            camera,
            size,
            scale: 1.0,
        };
        let mut seen = Vec::new();
        let lay_out = |label: &Label| (label.clone(), vec2(40.0, 14.0));
        LabelLayout::default().place(&texts, view, lay_out, |label, _| seen.push(label));
        let is_beside = |label: &Label| {
            let at = camera.project(label.position, size.x / size.y).unwrap();
            at.cmplt(Vec2::ZERO).any() || at.cmpgt(Vec2::ONE).any()
        };
        let covers = |label: &Label| {
            let at = camera.project(label.position, size.x / size.y).unwrap();
            let ray = camera.ray_in_world(at, size.x / size.y);
            let distance = (label.position - ray.origin).dot(ray.direction);
            annotations.covers(ray, distance, shown)
        };
        assert!((10..50).contains(&seen.len()), "{}", seen.len());
        let beside = seen.iter().filter(|label| is_beside(label)).count();
        for label in &seen {
            assert!(
                !covers(label),
                "{}, of {beside} beside the view",
                label.text
            );
        }
    }

    /// Positions of labels of 40 x 10 points in a view of 200 x 100 points; `places` are view
    /// coordinates.
    fn placed(places: &[Vec2], scale: f32) -> Vec<Vec2> {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&demo::DRAKELING.source(), &options, &progress);
        let document = &*document.unwrap();
        let about = document.about();
        let size = vec2(200.0, 100.0) * scale;
        let aspect = size.x / size.y;
        let view = NamedView::South;
        let camera = Camera::framing(about.bounds, view, about.handedness, aspect);
        let labels = places.iter().map(|place| {
            let ray = camera.ray_in_world(*place / vec2(200.0, 100.0), aspect);
            Label {
                // In front of everything that could occlude it.
                position: ray.origin + ray.direction * 0.2 * camera.distance(),
                room: None,
                text: String::new(),
                color: [255; 3],
            }
        });
        let labels: Vec<_> = labels.collect();
        let view = LabelView {
            document,
            shown: &Shown::default(),
            camera: &camera,
            size,
            scale,
        };
        let mut found = Vec::new();
        let text_size = vec2(40.0, 10.0) * scale;
        LabelLayout::default().place(
            &labels,
            view,
            |_| ((), text_size),
            |(), at| found.push((at / scale).round()),
        );
        found
    }

    #[test]
    fn texts_at_the_edge_are_moved_into_the_view() {
        for scale in [1.0, 2.0] {
            let at = |x, y| placed(&[vec2(x, y)], scale);
            assert_eq!(at(100.0, 50.0), [vec2(106.0, 45.0)], "beside its place");
            assert_eq!(at(190.0, 50.0), [vec2(159.0, 45.0)]);
            assert_eq!(at(190.0, 99.0), [vec2(159.0, 89.0)]);
            assert_eq!(at(100.0, 2.0), [vec2(106.0, 2.0)]);
            assert_eq!(at(-3.0, 50.0), [], "its place is not in the view");
        }
    }

    #[test]
    fn texts_in_a_line_are_more_than_a_space_apart() {
        let pair = |apart: f32| placed(&[vec2(20.0, 50.0), vec2(60.0 + apart, 50.0)], 1.0).len();
        assert_eq!([pair(4.0), pair(10.0)], [1, 2]);
    }
}
