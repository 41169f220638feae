//! Where the texts of overlays stand in a view: the nearer ones first, none upon another and none behind
//! something that covers it.

use glam::{Vec2, vec2};

use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, Label, Shown};

/// How far apart texts are at least, dark edges and all, in points: of two that are nearer the one
/// that is farther from the eye is left out.
const APART: f32 = 1.0;
/// How much wider than a text the room must be that it stands in, in points.
const ROOM_TO_SPARE: f32 = 2.0;
/// The least room that any text stands in, in points: for less it is not laid out.
const LEAST_ROOM: f32 = 8.0;
/// How far to the right of its place a text stands that is not in the middle of it, in points.
const BESIDE: f32 = 6.0;
/// How far beside the view a place may be whose text is still looked at, in points.
const AROUND: f32 = 100.0;
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
            let around = Vec2::splat(AROUND * scale);
            if !at.is_finite() || at.cmplt(-around).any() || at.cmpgt(size + around).any() {
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
            // Letters upon letters could not be read.
            let apart = Vec2::splat(APART * 0.5 * scale);
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

/// Whether two boxes, each by its corners, have a point in common.
fn overlap(a: [Vec2; 2], b: [Vec2; 2]) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// Whether something is in front of the place of a text that is in view.
fn is_covered(label: &Label, view: LabelView<'_>, aspect: f32) -> bool {
    let at = view.camera.project(label.position, aspect);
    let in_view = at.filter(|at| at.cmpge(Vec2::ZERO).all() && at.cmple(Vec2::ONE).all());
    in_view.is_some_and(|at| {
        let ray = view.camera.ray_in_world(at, aspect);
        let distance = (label.position - ray.origin).dot(ray.direction);
        let annotations = view.document.annotations();
        annotations.is_some_and(|annotations| annotations.covers(ray, distance, view.shown))
    })
}
