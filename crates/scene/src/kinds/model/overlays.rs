//! Line and text overlays of a model.

use glam::{Affine3A, Vec3};

use super::Model;
use super::clips::AXIS_COLORS;
use super::poses::skin_normal;
use crate::describe::lines::LineBuilder;
use crate::describe::numbers::short;
use crate::geometry::LEVEL_HEIGHT;
use crate::normal::unpack_normal;
use crate::{Aabb, Annotations, Label, Line, OverlayId, Playhead, Shown};
use mapscope_formats::pfobj::Bounds;

/// Bones are green, as in the engine.
pub(super) const BONE_COLOR: [u8; 3] = [72, 224, 104];
pub(super) const SELECTED_COLOR: [u8; 3] = [255, 178, 46];
/// Normals are yellow, as in the engine.
pub(super) const NORMAL_COLOR: [u8; 3] = [250, 226, 60];
/// Declared boxes are blue, as in the engine.
pub(super) const DECLARED_COLOR: [u8; 3] = [86, 148, 242];
pub(super) const SKINNED_COLOR: [u8; 3] = [240, 98, 62];
pub(super) const BIND_COLOR: [u8; 3] = [190, 150, 240];
const SCALE_COLOR: [u8; 3] = [232, 232, 226];

/// Length of a normal, as a fraction of the model's size.
const NORMAL_LENGTH: f32 = 0.03;
/// Position and thickness of the thickest part of a bone, as fractions of its length.
const BONE_WAIST: [f32; 2] = [0.14, 0.07];
/// Length of the marks of joints without a bone, and of the axes of the selected joint, as
/// fractions of the model's size.
const MARK_LENGTH: f32 = 0.008;
const AXIS_LENGTH: f32 = 0.06;
/// Distance of the height scale from the model, and lengths of its marks, as fractions of the
/// model's size.
const SCALE_DISTANCE: f32 = 0.12;
const SCALE_MARKS: [f32; 2] = [0.02, 0.05];
/// Units between the marks of a height scale, and between the numbered ones. A level of terrain is
/// 4 units high.
const SCALE_STEPS: [[f32; 2]; 9] = [
    [0.002, 0.01],
    [0.01, 0.05],
    [0.05, 0.25],
    [0.25, 1.0],
    [1.0, 4.0],
    [4.0, 20.0],
    [20.0, 100.0],
    [100.0, 500.0],
    [1000.0, 5000.0],
];
/// Maximum number of numbers on a height scale, if the steps allow it.
const MAX_NUMBERS: f32 = 7.0;

/// Returns the edges of a bone: two pyramids, base to base. A bone of length 0 has none.
fn bone_edges([from, to]: [Vec3; 2]) -> impl Iterator<Item = [Vec3; 2]> {
    let along = to - from;
    let [waist, thickness] = BONE_WAIST;
    let direction = along.try_normalize();
    direction.into_iter().flat_map(move |direction| {
        let (side, up) = direction.any_orthonormal_pair();
        let ring = [side, up, -side, -up]
            .map(|way| from + along * waist + way * along.length() * thickness);
        (0..4_usize)
            .flat_map(move |i| [[from, ring[i]], [ring[i], ring[(i + 1) % 4]], [ring[i], to]])
    })
}

/// Adds the edges of the declared box and of that of the mesh.
fn bounds_lines([declared, mesh]: [Option<Aabb>; 2], look: ([u8; 3], f32), lines: &mut Vec<Line>) {
    for (bounds, (color, width)) in [(declared, look), (mesh, (SKINNED_COLOR, 1.5))] {
        if let Some(bounds) = bounds {
            LineBuilder::new(lines, color, width).aabb(&bounds);
        }
    }
}

impl Annotations for Model {
    /// Adds the lines of the enabled overlays and of the selection.
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        let on = |id| shown.overlays.contains(id);
        let selected = self.selected_joint(shown);
        if on(OverlayId::Skeleton) || selected.is_some() {
            self.with_joints(shown.playhead, |globals| {
                if on(OverlayId::Skeleton) {
                    self.skeleton_lines(globals, selected, lines);
                }
                if let Some(joint) = selected {
                    self.axis_lines(globals, joint, lines);
                }
            });
        }
        if on(OverlayId::JointPaths) {
            self.path_lines(shown, lines);
        }
        if on(OverlayId::OnionSkin) {
            self.ghost_lines(shown, lines);
        }
        if on(OverlayId::NormalLines) {
            self.normal_lines(shown.playhead, lines);
        }
        if on(OverlayId::FrameBounds) {
            let bounds = self.frame_bounds(shown.playhead);
            bounds_lines(bounds, (DECLARED_COLOR, 2.0), lines);
        }
        if on(OverlayId::BindBounds) {
            bounds_lines(self.bind_bounds(), (BIND_COLOR, 1.5), lines);
        }
        if on(OverlayId::HeightScale) {
            self.ruler()
                .lines(&mut LineBuilder::new(lines, SCALE_COLOR, 1.5));
        }
    }

    /// Adds the labels of the enabled overlays and of the selection.
    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        let on = |id| shown.overlays.contains(id);
        let selected = self.selected_joint(shown);
        let has_names = on(OverlayId::JointNames) || shown.has_names;
        if has_names || selected.is_some() {
            self.with_joints(shown.playhead, |globals| {
                let joints = if has_names {
                    self.pfobj.joints.len()
                } else {
                    0
                };
                let others = (0..joints).filter(|i| selected != Some(*i));
                for i in selected.into_iter().chain(others) {
                    let Some(joint) = self.pfobj.joints.get(i) else {
                        continue;
                    };
                    let is_selected = selected == Some(i);
                    // At the centre of the bone, because many joints start at the end of another
                    // one.
                    let [from, to] = self.bone(globals, i);
                    labels.push(Label {
                        room: None,
                        position: from.midpoint(to),
                        text: joint.name.clone(),
                        color: if is_selected {
                            SELECTED_COLOR
                        } else {
                            BONE_COLOR
                        },
                    });
                }
            });
        }
        if on(OverlayId::HeightScale) {
            self.ruler().labels(labels);
        }
    }
}

impl Model {
    fn selected_joint(&self, shown: &Shown) -> Option<usize> {
        shown.selected.and_then(|item| self.joint_of(item))
    }

    fn skeleton_lines(&self, globals: &[Affine3A], selected: Option<usize>, lines: &mut Vec<Line>) {
        let mark = self.size() * MARK_LENGTH;
        for joint in 0..globals.len() {
            let is_selected = selected == Some(joint);
            let color = if is_selected {
                SELECTED_COLOR
            } else {
                BONE_COLOR
            };
            let width = if is_selected { 2.5 } else { 1.5 };
            let mut builder = LineBuilder::new(lines, color, width).on_top();
            let bone = self.bone(globals, joint);
            for [from, to] in bone_edges(bone) {
                builder.line(from, to);
            }
            if bone[0].distance(bone[1]) < mark {
                for axis in Vec3::AXES {
                    builder.line(bone[0] - axis * mark, bone[0] + axis * mark);
                }
            }
            // A joint can start apart from the end of its parent's bone.
            if let Some(parent) = self.skeleton.parent(joint) {
                let [_, end] = self.bone(globals, parent);
                builder.color[3] = 110;
                builder.width_points = 1.0;
                if end.distance(bone[0]) > mark {
                    builder.line(end, bone[0]);
                }
            }
        }
    }

    /// Adds the axes of a joint's own space.
    fn axis_lines(&self, globals: &[Affine3A], joint: usize, lines: &mut Vec<Line>) {
        let Some(global) = globals.get(joint) else {
            return;
        };
        let origin = Vec3::from(global.translation);
        let length = self.size() * AXIS_LENGTH;
        for (axis, color) in Vec3::AXES.into_iter().zip(AXIS_COLORS) {
            let along = global.transform_vector3(axis).normalize_or_zero();
            let mut builder = LineBuilder::new(lines, color, 2.5).on_top();
            builder.line(origin, origin + along * length);
        }
    }

    fn normal_lines(&self, playhead: Playhead, lines: &mut Vec<Line>) {
        let length = self.size() * NORMAL_LENGTH;
        let mut builder = LineBuilder::new(lines, NORMAL_COLOR, 1.0);
        self.with_mesh(playhead, |mesh| {
            let points = &self.mesh.point_of_vertex;
            for (vertex, point) in self.mesh.vertices.iter().zip(points) {
                let influences = self.mesh.influences(vertex.influence_range());
                let normal = skin_normal(unpack_normal(vertex.normal), influences, &mesh.palette);
                if let Some(place) = mesh.points.get(*point as usize) {
                    builder.line(*place, *place + normal * length);
                }
            }
        });
    }

    /// Returns the boxes of the bind pose: the declared one, and that of the mesh if it differs.
    pub(super) fn bind_bounds(&self) -> [Option<Aabb>; 2] {
        self.boxes(self.pfobj.bounds.as_ref(), self.extents.bind)
    }

    /// Returns the boxes of a moment: the declared one, and that of the mesh if it differs.
    pub(super) fn frame_bounds(&self, playhead: Playhead) -> [Option<Aabb>; 2] {
        self.boxes(self.declared_at(playhead), self.extent_at(playhead))
    }

    /// Returns the declared box, and that of the mesh if it differs.
    fn boxes(&self, declared: Option<&Bounds>, mesh: Option<Aabb>) -> [Option<Aabb>; 2] {
        let agree = |mesh: &Aabb| declared.is_some_and(|d| self.extents.agree(d, mesh));
        [declared.map(Aabb::from), mesh.filter(|mesh| !agree(mesh))]
    }

    /// Returns the edges of a joint's bone at a moment.
    pub(super) fn bone_contour(&self, joint: usize, playhead: Playhead) -> Vec<[Vec3; 2]> {
        let bone = self.with_joints(playhead, |globals| self.bone(globals, joint));
        let finite = |edge: &[Vec3; 2]| edge.iter().all(|end| end.is_finite());
        bone_edges(bone).filter(finite).collect()
    }

    /// Returns the height scale beside the model.
    fn ruler(&self) -> Ruler {
        let bounds = self.about.bounds;
        let size = self.size();
        let (low, high) = (bounds.min.y.min(0.0), bounds.max.y.max(0.0));
        let fits = |steps: &&[f32; 2]| high - low <= steps[1] * MAX_NUMBERS;
        let [step, number] = *SCALE_STEPS.iter().find(fits).unwrap_or(&SCALE_STEPS[8]);
        Ruler {
            foot: Vec3::new(bounds.max.x + size * SCALE_DISTANCE, 0.0, bounds.center().z),
            // A model beyond the range of all scales gets a truncated one.
            first: (low / step).floor().max(-1000.0) as i32,
            last: (high / step).ceil().min(1000.0) as i32,
            step,
            steps_to_number: (number / step).round() as i32,
            marks: SCALE_MARKS.map(|part| part * size),
        }
    }
}

/// A vertical scale.
struct Ruler {
    /// Position on the ground.
    foot: Vec3,
    /// Lowest and highest mark, in steps.
    first: i32,
    last: i32,
    /// Units between marks.
    step: f32,
    steps_to_number: i32,
    /// Lengths of marks without and with a number.
    marks: [f32; 2],
}

impl Ruler {
    fn at(&self, step: i32) -> Vec3 {
        self.foot + Vec3::Y * (step as f32 * self.step)
    }

    fn has_number(&self, step: i32) -> bool {
        step % self.steps_to_number == 0
    }

    fn lines(&self, builder: &mut LineBuilder<'_>) {
        builder.line(self.at(self.first), self.at(self.last));
        for step in self.first..=self.last {
            let length = self.marks[usize::from(self.has_number(step))];
            builder.line(self.at(step), self.at(step) + Vec3::X * length);
        }
    }

    fn labels(&self, labels: &mut Vec<Label>) {
        for step in (self.first..=self.last).filter(|step| self.has_number(*step)) {
            let height = step as f32 * self.step;
            let levels = height / LEVEL_HEIGHT;
            let text = if levels.fract() == 0.0 && levels != 0.0 {
                format!("{}  level {levels}", short(height))
            } else {
                short(height)
            };
            labels.push(Label {
                room: None,
                position: self.at(step) + Vec3::X * self.marks[1] * 1.2,
                text,
                color: SCALE_COLOR,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelItem;
    use crate::kinds::model::sample;
    use mapscope_formats::pfobj::Bounds;

    fn shown(model: &Model, overlay: OverlayId) -> Shown {
        let mut shown = Shown::default();
        shown.overlays.set(model.about.overlays, overlay, true);
        shown
    }

    fn lines(model: &Model, shown: &Shown) -> Vec<Line> {
        let mut lines = Vec::new();
        model.lines(shown, &mut lines);
        lines
    }

    #[test]
    fn bones_reach_from_joints_to_tips_and_the_selected_one_stands_out() {
        let mut pfobj = sample::chain(2, 2);
        pfobj.clips[0].poses[3].rotation = sample::turned(90.0);
        let model = sample::model(pfobj);
        let mut shown = shown(&model, OverlayId::Skeleton);
        let bind = lines(&model, &shown);
        assert_eq!(bind.len(), 24);
        assert!(bind.iter().all(|line| line.on_top));
        let ends = |lines: &[Line], place: Vec3| {
            let near = |line: &Line| line.ends[1].distance(place) < 1e-5;
            lines.iter().filter(|line| near(line)).count()
        };
        assert_eq!(ends(&bind, Vec3::new(0.0, 2.0, 0.0)), 4);
        shown.playhead = Playhead::at_frame(0, 1);
        shown.selected = Some(ModelItem::Joint { index: 1 }.into());
        let posed = lines(&model, &shown);
        // Includes the axes of the selected joint.
        assert_eq!(posed.len(), 27);
        assert_eq!(ends(&posed, Vec3::new(-1.0, 1.0, 0.0)), 4);
        let [r, g, b] = SELECTED_COLOR;
        let selected = posed.iter().filter(|line| line.color == [r, g, b, 255]);
        assert_eq!(selected.count(), 12);
        let mut labels = Vec::new();
        model.labels(&shown, &mut labels);
        assert_eq!((labels.len(), labels[0].text.as_str()), (1, "bone1"));
        assert!(labels[0].position.distance(Vec3::new(-0.5, 1.0, 0.0)) < 1e-5);
        (shown.selected, shown.has_names) = (None, true);
        labels.clear();
        model.labels(&shown, &mut labels);
        assert_eq!(labels.len(), model.pfobj.joints.len(), "all are named");
    }

    #[test]
    fn the_skinned_box_is_drawn_where_it_is_not_the_declared_one() {
        let mut pfobj = sample::chain(1, 2);
        let right = Bounds {
            min: [0.0; 3],
            max: [1.0, 1.0, 0.0],
        };
        let wrong = Bounds {
            max: [1.0, 3.0, 0.0],
            ..right
        };
        pfobj.clips[0].bounds = vec![Some(right), Some(wrong)];
        let model = sample::model(pfobj);
        let mut shown = shown(&model, OverlayId::FrameBounds);
        shown.playhead = Playhead::at_frame(0, 0);
        assert_eq!(lines(&model, &shown).len(), 12);
        shown.playhead = Playhead::at_frame(0, 1);
        assert_eq!(lines(&model, &shown).len(), 24);
    }

    #[test]
    fn normals_follow_the_mesh() {
        let mut pfobj = sample::chain(1, 1);
        pfobj.clips[0].poses[0].translation = [0.0, 0.0, 2.0];
        let model = sample::model(pfobj);
        let mut shown = shown(&model, OverlayId::NormalLines);
        shown.playhead = Playhead::at_frame(0, 0);
        let lines = lines(&model, &shown);
        assert_eq!(lines.len(), 4);
        for line in lines {
            let [from, to] = line.ends;
            assert_eq!(from.z, 2.0);
            assert!(to.z > 2.0 && from.truncate() == to.truncate());
        }
    }

    #[test]
    fn a_height_scale_counts_units_and_levels() {
        let mut pfobj = sample::quad();
        for vertex in &mut pfobj.vertices {
            vertex.position[1] *= 9.5;
        }
        let model = sample::model(pfobj);
        let shown = shown(&model, OverlayId::HeightScale);
        // One vertical line, and a mark at each of 0 to 10.
        assert_eq!(lines(&model, &shown).len(), 12);
        let mut labels = Vec::new();
        model.labels(&shown, &mut labels);
        let texts: Vec<_> = labels.iter().map(|label| label.text.as_str()).collect();
        assert_eq!(texts, ["0", "4  level 1", "8  level 2"]);
        assert_eq!(labels[2].position.y, 8.0);
    }

    #[test]
    fn lines_that_lead_nowhere_are_left_out() {
        let mut pfobj = sample::chain(2, 1);
        pfobj.clips[0].poses[0].scale = [f32::MAX; 3];
        pfobj.clips[0].poses[1].translation = [f32::MAX; 3];
        let model = sample::model(pfobj);
        let mut shown = shown(&model, OverlayId::Skeleton);
        shown.playhead = Playhead::at_frame(0, 0);
        let finite = |line: &Line| line.ends.iter().all(|end| end.is_finite());
        assert!(lines(&model, &shown).iter().all(finite));
    }
}
