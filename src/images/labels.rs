//! Where the texts of overlays stand in a view: the nearer ones first, none upon another and none behind
//! something that covers it.

use glam::{Vec2, vec2};

use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, Label, Shown};

/// How far apart texts are at least, dark edges and all, in points, beside and above each other: of two
/// that are nearer the one that is farther from the eye is left out. In a line it is more than a space,
/// or two would read as one.
const APART: Vec2 = vec2(8.0, 1.0);
/// How far from the edge of the view texts are at least, in points, for their dark edges.
const FROM_EDGE: f32 = 1.5;
/// How much wider than a text the room must be that it stands in, in points.
const ROOM_TO_SPARE: f32 = 2.0;
/// The least room that any text stands in, in points: for less it is not laid out.
const LEAST_ROOM: f32 = 8.0;
/// How far to the right of its place a text stands that is not in the middle of it, in points.
const BESIDE: f32 = 6.0;
/// Texts that are shown: with more there is no place between them.
const MAX_TEXTS: usize = 1_000;
/// The size of the letters, in points.
pub const LETTERS: f32 = 11.5;
/// Where the dark edge of the letters is painted, in points from where they are.
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
/// Red, green and blue of that edge.
pub const HALO_COLOR: [u8; 3] = [0x14, 0x17, 0x1b];
/// How opaque it is, from 0 to 1.
pub const HALO_OPACITY: f32 = 0.8;

/// What texts are placed in.
#[derive(Debug, Clone, Copy)]
pub struct LabelView<'a> {
    /// The document that they are of.
    pub document: &'a dyn Document,
    /// What of it is shown.
    pub shown: &'a Shown,
    /// Where it is seen from.
    pub camera: &'a Camera,
    /// Width and height of the view.
    pub size: Vec2,
    /// How many of their units there are to a point.
    pub scale: f32,
}

/// Which texts are seen, kept until texts or camera change.
#[derive(Debug, Default)]
pub struct LabelPlaces {
    /// The camera and the shape of the view for which `covered` and `order` were found out.
    seen_by: Option<(Camera, f32)>,
    /// The texts from the nearest to the farthest, those of the same depth as they were made.
    order: Vec<u32>,
    /// Of each text whether something is in front of it.
    covered: Vec<bool>,
    /// The top left and bottom right corners of the labels placed so far.
    taken: Vec<[Vec2; 2]>,
}

impl LabelPlaces {
    /// Has other texts looked at.
    pub fn forget(&mut self) {
        self.seen_by = None;
    }

    /// Hands out the texts that are seen, each as `lay_out` made it together with its size, and the top
    /// left corner where it stands.
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
        if self.seen_by != Some((*camera, aspect)) {
            self.seen_by = Some((*camera, aspect));
            self.look(texts, view, aspect);
        }
        let [right, _] = camera.right_up();
        self.taken.clear();
        let seen = self.order.iter().map(|index| *index as usize);
        let seen = seen.filter(|index| self.covered.get(*index) == Some(&false));
        for label in seen.filter_map(|index| texts.get(index)) {
            let Some(at) = camera.project(label.position, aspect) else {
                continue;
            };
            let at = at * size;
            // What is beside the view has no text in it.
            if !(at.cmpge(Vec2::ZERO).all() && at.cmple(size).all()) {
                continue;
            }
            let room = label.room.map(|room| {
                let side = camera.project(label.position + right * room, aspect);
                side.map_or(0.0, |side| side.x * size.x - at.x)
            });
            if room.is_some_and(|room| room < LEAST_ROOM * scale) {
                continue;
            }
            if self.taken.len() == MAX_TEXTS {
                break;
            }
            let (text, text_size) = lay_out(label);
            let top_left = match room {
                None => at + vec2(BESIDE * scale, -text_size.y * 0.5),
                Some(room) if room < text_size.x + ROOM_TO_SPARE * scale => continue,
                Some(_) => at - text_size * 0.5,
            };
            let Some(top_left) = moved_into(size, top_left, text_size, FROM_EDGE * scale) else {
                continue;
            };
            // Letters upon letters could not be read.
            let apart = APART * 0.5 * scale;
            let corners = [top_left - apart, top_left + text_size + apart];
            if self.taken.iter().any(|taken| overlap(*taken, corners)) {
                continue;
            }
            self.taken.push(corners);
            put(text, top_left);
        }
    }

    /// Finds out which texts are seen, and which are nearer.
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

/// Where a text stands whole in a view that is so large, as near to a place as it can; none where it is
/// larger than the view.
fn moved_into(view: Vec2, top_left: Vec2, text_size: Vec2, from_edge: f32) -> Option<Vec2> {
    let first = Vec2::splat(from_edge);
    let last = view - text_size - first;
    first.cmple(last).all().then(|| top_left.clamp(first, last))
}

/// Whether two boxes, each by its corners, have a point in common.
fn overlap(a: [Vec2; 2], b: [Vec2; 2]) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// Whether something is in front of the place of a text that is in view.
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
        // A tree is right before the eye, at the left edge of the view.
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
        LabelPlaces::default().place(&texts, view, lay_out, |label, _| seen.push(label));
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

    /// Where texts of 40 x 10 points stand in a view of 200 x 100, each at its place in that.
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
                // Before all that could cover it.
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
        LabelPlaces::default().place(
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
