//! The [`Document`] implementation for models.

use crate::describe::table::Describe;
use crate::{Compare, Places, RelatedFiles, Walk};
use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::Model;
use crate::core::overlay::{joined, overlays};
use crate::core::rules;
use crate::describe::outline::file_name;
use crate::{
    About, Animation, Annotations, Document, Drawable, Flaw, Hit, InfoQuery, Item, Legend,
    ModelItem, Moment, NamedFile, OutlineNode, Overlay, OverlayId, Playhead, ProblemTarget, Ray,
    Shown, Statistic, Textures, ViewState,
};
use mapscope_formats::pfobj::Bounds;
use mapscope_formats::{Problem, Subject};

/// The overlays of a model of any format.
const SHARED_OVERLAYS: [Overlay; 13] = overlays![
    Unlit "Unlit" "Show textures as they are, without light" surface,
    Normals "Normals"
        "Colour the surface by the direction it faces: red west, green up, blue south" surface,
    UvChecker "UV checker"
        "Show a checkerboard in place of textures: red grows with U, green with V" surface,
    BackFaces "Back faces"
        "Draw back faces too, in a warning colour: the engine culls them" surface,
    ReversedTriangles "Reversed triangles"
        "Colour triangles whose winding contradicts their normals, and draw both sides; the engine \
         shows only their back" surface,
    JointWeights "Joint weights"
        "Give each joint a colour, blended where several joints move a vertex" surface,
    TwoSided "Two-sided" "Draw back faces as if they were front faces: the engine culls them",
    Wireframe "Wireframe" "Draw the edges of the triangles",
    Skeleton "Skeleton" "Draw the bones in front of the mesh",
    JointNames "Joint names" "Write the name of each joint beside its bone, in the window only",
    JointPaths "Joint paths"
        "Draw the path of each selected joint over the clip, with a mark for each frame",
    OnionSkin "Onion skin"
        "Draw the skeletons of two earlier frames in red and of two later frames in blue",
    NormalLines "Normal lines" "Draw a yellow line along the normal of each vertex",
];

/// The overlays of a P3M model.
pub(crate) static P3M_OVERLAYS: [Overlay; 13] = SHARED_OVERLAYS;

/// The overlays of a PFOBJ model.
pub(crate) static OVERLAYS: [Overlay; 18] = joined(
    &SHARED_OVERLAYS,
    &overlays![
        EngineTextures "Engine texture size"
            "Show textures of models at the 128 by 128 pixels to which the engine resizes them",
        FrameBounds "Bounds of the frame"
            "Draw the declared bounding box of the frame, and that of the mesh where it differs",
        BindBounds "Bounds of the bind pose"
            "Draw the declared bounding box of the bind pose, and that of the mesh where it differs",
        GroundTile "Ground tile" "Show a terrain tile of 8 by 8 units under the model",
        HeightScale "Height scale"
            "Show a ruler beside the model, in units and terrain levels of 4 units; its numbers are \
             in the window only",
    ],
);

impl Document for Model {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, _shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        draw(Drawable::in_place(self));
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world, shown)
    }

    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        match item {
            Item::Model(item) => self.described(item, view.playhead),
            _ => None,
        }
    }

    fn notes(&self) -> Vec<Problem> {
        self.notes.clone()
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let flaw = Flaw::of_rule(problem.rule).filter(|flaw| !self.flawed(*flaw).is_empty());
        if let Some(flaw) = flaw {
            return Some(ProblemTarget {
                item: ModelItem::Flaw { flaw }.into(),
                moment: None,
                overlay: flaw.overlay(),
            });
        }
        let (item, index, count) = match problem.subject {
            Subject::Vertex(vertex) => {
                let index = vertex / 3;
                let count = self.pfobj.triangle_count();
                (ModelItem::Triangle { index }, index, count)
            }
            Subject::Material(index) => {
                let count = self.pfobj.materials.len();
                (ModelItem::Material { index }, index, count)
            }
            Subject::Part(index) => (ModelItem::Part { index }, index, self.mesh.parts.len()),
            Subject::Texture(index) | Subject::Action(index) if self.rig.is_some() => {
                let file = self.rig.as_ref().map(|rig| &rig.file);
                let (textures, actions) =
                    file.map_or((0, 0), |file| (file.textures.len(), file.actions.len()));
                match problem.subject {
                    Subject::Texture(_) => (ModelItem::Texture { index }, index, textures),
                    _ => (ModelItem::Action { index }, index, actions),
                }
            }
            Subject::Joint(index) => {
                let count = self.pfobj.joints.len();
                (ModelItem::Joint { index }, index, count)
            }
            Subject::Clip(index)
            | Subject::Frame { clip: index, .. }
            | Subject::FrameBounds { clip: index, .. } => {
                (ModelItem::Clip { index }, index, self.pfobj.clips.len())
            }
            Subject::Lod(number) => (ModelItem::Lod { number }, 0, 1),
            _ => (ModelItem::Model, 0, 1),
        };
        let (moment, overlay) = self.problem_moment(problem).unzip();
        ((index as usize) < count).then(|| ProblemTarget {
            item: item.into(),
            moment,
            overlay: overlay.flatten(),
        })
    }

    fn emptiness(&self, _shown: &Shown) -> Option<String> {
        let all = self.pfobj.triangle_count();
        let is_broken = all > 0 || !self.about.problems.is_empty();
        let is_empty = self.mesh.triangles.is_empty();
        (is_empty && is_broken)
            .then(|| "No triangle of this model can be read: see the problems.".to_owned())
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        self.legend_list(shown)
    }

    fn statistics(&self) -> Vec<Statistic> {
        let frames = self.clips.iter().map(|clip| clip.frames as usize);
        let materials = self.pfobj.materials.len();
        let files = (0..materials).filter_map(|index| self.materials.file(index));
        let missing = files.filter(|file| !file.found).count();
        let vertices = match self.rig {
            Some(_) => self.mesh.vertices.len(),
            None => self.pfobj.vertices.len(),
        };
        vec![
            Statistic::new("Triangles", self.pfobj.triangle_count()),
            Statistic::new("Vertices", vertices),
            Statistic::new("Distinct vertices", self.mesh.vertices.len()),
            Statistic::new("Reversed triangles", self.flawed(Flaw::Reversed).len()),
            Statistic::new("Vertices without weights", self.uses.unweighted),
            Statistic::new("Joints", self.skeleton.len()),
            Statistic::new("Clips", self.clips.len()),
            Statistic::new("Frames", frames.sum::<usize>()),
            Statistic::new("Materials", materials),
            Statistic::new("Missing textures", missing),
        ]
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        self.materials.file(index)?.thumbnail()
    }

    fn info(&self, _query: &InfoQuery) -> Map<String, Value> {
        self.json_of_p3m().unwrap_or_else(|| self.json())
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn animation(&self) -> Option<&dyn Animation> {
        (!self.clips.is_empty()).then_some(self)
    }

    fn textures(&self) -> Option<&dyn Textures> {
        Some(self)
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn places(&self) -> Option<&dyn Places> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        Some(self)
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }
}

impl RelatedFiles for Model {
    fn files(&self) -> Vec<NamedFile> {
        if let Some(rig) = &self.rig {
            return rig.named_files();
        }
        let mut seen = HashSet::new();
        let materials = self.pfobj.materials.iter().enumerate();
        let textures = materials.filter(|(_, it)| !it.texture.is_empty());
        let textures = textures.filter(|(_, it)| seen.insert(it.texture.as_str()));
        let textures = textures.filter_map(|(index, material)| {
            let file = self.materials.file(index)?;
            Some(file.named(&material.texture))
        });
        let mut files: Vec<NamedFile> = textures.collect();
        let lods = self.lods.iter().filter(|(_, path)| *path != self.path);
        files.extend(lods.map(|(_, path)| NamedFile {
            kind: "level of detail",
            name: file_name(path),
            path: Some(path.to_owned()),
            found: true,
            named_by: None,
        }));
        files
    }

    fn summarized_file(&self, problem: &Problem) -> Option<PathBuf> {
        match problem.subject {
            Subject::Lod(number @ 1..) if rules::is_of_lod(problem.rule) => self.lods.path(number),
            _ => None,
        }
    }

    fn file_of(&self, item: Item) -> Option<PathBuf> {
        match item {
            Item::Model(ModelItem::Lod { number }) => self.lods.path(number),
            _ => None,
        }
    }

    fn source_of(&self, item: Item) -> Option<PathBuf> {
        self.file_of(item)
    }
}

impl Model {
    /// Returns the declared bounds at a moment: those of the frame, or of the bind pose.
    pub(super) fn declared_at(&self, playhead: Playhead) -> Option<&Bounds> {
        match self.poses.between(playhead) {
            None => self.pfobj.bounds.as_ref(),
            Some((clip, [frame, _], _)) => {
                let clip = self.pfobj.clips.get(clip)?;
                clip.bounds.get(frame as usize)?.as_ref()
            }
        }
    }
}

impl Model {
    /// Returns the moment of a problem, and the overlay that visualises it.
    fn problem_moment(&self, problem: &Problem) -> Option<(Moment, Option<OverlayId>)> {
        let (clip, frame, overlay) = match problem.subject {
            Subject::Frame { clip, frame } => (clip, frame, None),
            Subject::FrameBounds { clip, frame } => (clip, frame, Some(OverlayId::FrameBounds)),
            Subject::BindBounds => {
                return Some((Moment::BindPose, Some(OverlayId::BindBounds)));
            }
            _ => return None,
        };
        let clip = self.pfobj.clips.get(clip as usize)?;
        let frame = frame.min(clip.frame_count.checked_sub(1)?);
        Some((Moment::Frame(frame), overlay))
    }
}

#[cfg(test)]
mod tests {
    use mapscope_formats::pfobj;

    use super::super::joint_item;
    use super::super::legends::HEAT_COLORS;
    use super::super::overlays::{BIND_COLOR, SKINNED_COLOR};
    use super::*;
    use crate::core::rules;
    use crate::kinds::model::{material_item, sample};
    use crate::{Direction, LegendEntry, VisibleFrom};
    use mapscope_formats::Place;

    #[test]
    fn triangles_of_a_material_are_stepped_through_in_circles() {
        let mut pfobj = sample::quad();
        let [first, second] = [0..3, 3..6].map(|range| pfobj.vertices[range].to_vec());
        pfobj.vertices = [&first[..], &second, &first, &second, &first].concat();
        let other = pfobj.materials[0].clone();
        pfobj.materials.push(other);
        for vertex in &mut pfobj.vertices[3..6] {
            vertex.material = 1;
        }
        let model = sample::model(pfobj);
        let step = |material, after: Option<u32>, backwards| {
            let after = after.map(|index| ModelItem::Triangle { index }.into());
            match model.next_of_kind(material_item(material), after, backwards) {
                Some(Item::Model(ModelItem::Triangle { index })) => Some(index),
                next => {
                    assert_eq!(next, None);
                    None
                }
            }
        };
        assert_eq!(step(0, None, false), Some(0));
        assert_eq!(step(0, Some(0), false), Some(2));
        assert_eq!(step(0, Some(1), false), Some(2));
        assert_eq!(step(0, Some(4), false), Some(0));
        assert_eq!(step(0, Some(0), true), Some(4));
        assert_eq!(step(1, Some(3), true), Some(1));
        assert_eq!(step(2, None, false), None);
        let clip = ModelItem::Clip { index: 0 }.into();
        assert_eq!(model.next_of_kind(clip, None, false), None);
    }

    #[test]
    fn joints_are_stepped_through_in_circles() {
        let model = sample::model(sample::chain(3, 1));
        let next = |from, backwards| model.next_of_kind(joint_item(from), None, backwards);
        assert_eq!(next(0, false), Some(joint_item(1)));
        assert_eq!(next(2, false), Some(joint_item(0)));
        assert_eq!(next(0, true), Some(joint_item(2)));
        assert_eq!(next(3, true), None);
        let alone = sample::model(sample::chain(1, 1));
        assert_eq!(alone.next_of_kind(joint_item(0), None, false), None);
        let name = |direction| model.neighbor(joint_item(1), direction).name.unwrap()[0];
        assert_eq!(name(Direction::North), "Parent joint");
        assert_eq!(name(Direction::East), "Next sibling");
    }

    #[test]
    fn both_boxes_of_the_bind_pose_are_drawn_where_they_differ() {
        let mut pfobj = sample::quad();
        let bind = sample::model(pfobj.clone()).extents.bind.unwrap();
        let mut bounds = Bounds {
            min: bind.min.to_array(),
            max: bind.max.to_array(),
        };
        let mut drawn = |apart: f32| {
            bounds.max[1] += apart;
            pfobj.bounds = Some(bounds);
            let model = sample::model(pfobj.clone());
            let mut shown = Shown::default();
            shown.overlays.set(&OVERLAYS, OverlayId::BindBounds, true);
            let mut lines = Vec::new();
            model.lines(&shown, &mut lines);
            let legends = model.legends(&shown);
            let entries = legends.iter().flat_map(|legend| &legend.entries);
            let colors: Vec<_> = entries.map(|entry| entry.color.unwrap()).collect();
            (lines.len(), colors)
        };
        assert_eq!(drawn(0.0), (12, vec![BIND_COLOR]));
        assert_eq!(drawn(1.0), (24, vec![BIND_COLOR, SKINNED_COLOR]));
    }

    #[test]
    fn a_single_triangle_with_a_flaw_is_seen_from_before_it() {
        let mut pfobj = sample::quad();
        pfobj.vertices[4].normal = [0.0; 3];
        let seen_from = |pfobj: &pfobj::Pfobj, item: ModelItem| {
            let model = sample::model(pfobj.clone());
            model.place(item.into(), &Shown::default()).seen_from
        };
        let flaw = ModelItem::Flaw {
            flaw: Flaw::NoNormal,
        };
        let single = seen_from(&pfobj, flaw);
        assert!(matches!(single, VisibleFrom::Before { .. }), "{single:?}");
        let triangle = ModelItem::Triangle { index: 1 };
        assert_eq!(single, seen_from(&pfobj, triangle));
        // Several triangles have no common direction.
        pfobj.vertices[0].normal = [0.0; 3];
        assert_eq!(seen_from(&pfobj, flaw), VisibleFrom::Anywhere);
    }

    #[test]
    fn problems_say_the_frame_that_they_are_in() {
        let model = sample::model(sample::chain(2, 3));
        let of = |subject| {
            let place = Place::Text { line: 1, column: 1 };
            let problem = Problem::new(&rules::BOUNDS_DIFFER, subject, place, "odd");
            let target = model.problem_target(&problem).unwrap();
            (target.item, target.moment, target.overlay)
        };
        let clip = 0;
        let item = Item::from(ModelItem::Clip { index: 0 });
        assert_eq!(of(Subject::Clip(clip)), (item, None, None));
        let pose = of(Subject::Frame { clip, frame: 1 });
        assert_eq!(pose, (item, Some(Moment::Frame(1)), None));
        let bounds = of(Subject::FrameBounds { clip, frame: 1 });
        let overlay = Some(OverlayId::FrameBounds);
        assert_eq!(bounds, (item, Some(Moment::Frame(1)), overlay));
        let bind = (
            ModelItem::Model.into(),
            Some(Moment::BindPose),
            Some(OverlayId::BindBounds),
        );
        assert_eq!(of(Subject::BindBounds), bind);
        let left_out = of(Subject::Frame { clip, frame: 3 });
        assert_eq!(left_out, (item, Some(Moment::Frame(2)), None));
        let triangle = ModelItem::Triangle { index: 1 }.into();
        assert_eq!(of(Subject::Vertex(4)), (triangle, None, None));
        assert_eq!(of(Subject::File), (ModelItem::Model.into(), None, None));
    }

    #[test]
    fn the_status_bar_says_what_is_pointed_at() {
        let model = sample::model(sample::chain(2, 24));
        let said = |item: ModelItem| -> String {
            let parts = (&model as &dyn Document).summary(item.into(), &Shown::default());
            let parts = parts.iter().map(|p| [p.name, " ", &p.value].concat());
            parts.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(
            said(ModelItem::Triangle { index: 1 }),
            "Triangle 1, Material 0 Stone, Line 23"
        );
        assert_eq!(
            said(ModelItem::Joint { index: 1 }),
            "Joint bone1, Parent bone0, Moves 6 vertices"
        );
        assert_eq!(
            said(ModelItem::Clip { index: 0 }),
            "Clip Sway, Frames 24, Lasts 1.00 s"
        );
        assert_eq!(
            said(ModelItem::Material { index: 0 }),
            "Material 0 Stone, Texture stone.png"
        );
        assert_eq!(said(ModelItem::Triangle { index: 2 }), "");
    }

    #[test]
    fn colors_are_explained() {
        let model = sample::model(sample::chain(3, 1));
        // Of three joints, only the last one moves any vertex.
        let mut shown = Shown {
            selected: Some(joint_item(2)),
            ..Shown::default()
        };
        shown.overlays.set(&OVERLAYS, OverlayId::Wireframe, true);
        shown.overlays.set(&OVERLAYS, OverlayId::JointWeights, true);
        let legends = model.legends(&shown);
        let titles: Vec<_> = legends.iter().map(|legend| legend.title).collect();
        assert_eq!(titles, ["Joint weights", "Weight of this joint"]);
        let bone = LegendEntry::new(model.joint_color(2), "bone2");
        assert_eq!(legends[0].entries, [bone]);
        let colors = legends[1].entries.iter().map(|entry| entry.color);
        assert!(colors.eq(HEAT_COLORS.map(Some)));
        shown.hides_weights = true;
        assert_eq!(model.legends(&shown).len(), 1);
        shown.hides_weights = false;
        shown.selected = Some(joint_item(3));
        assert_eq!(model.legends(&shown).len(), 1);
        // Neighbours are easy to distinguish.
        for joint in 0..200 {
            let [a, b] = [joint, joint + 1].map(|joint| model.joint_color(joint));
            let apart = (0..3).map(|i| a[i].abs_diff(b[i])).max();
            assert!(apart > Some(60), "{joint}: {a:?} {b:?}");
        }
    }

    #[test]
    fn of_many_problems_the_first_are_listed() {
        let mut pfobj = sample::chain(1, 1);
        let material = pfobj.materials[0].clone();
        pfobj.materials = (0..300)
            .map(|i| pfobj::Material {
                texture: format!("{i}.png"),
                texture_line: 100 + i,
                texture_column: 1,
                ..material.clone()
            })
            .collect();
        let model = sample::model(pfobj);
        let problems = &model.about().problems;
        let last = problems.last().unwrap();
        assert_eq!(problems.len(), 101);
        assert_eq!((last.place, last.count), (Place::line(200), 200));
    }
}
