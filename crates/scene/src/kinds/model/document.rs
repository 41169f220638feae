//! The [`Document`] implementation for PFOBJ models.

use std::collections::HashSet;
use std::path::PathBuf;

use glam::Vec3;
use serde_json::{Map, Value};

use super::overlays::{BIND_COLOR, BONE_COLOR, DECLARED_COLOR, NORMAL_COLOR, SKINNED_COLOR};
use super::{Model, joint_item};
use crate::colors;
use crate::core::overlay::overlays;
use crate::core::rules;
use crate::describe::outline::{LISTED_AFTER, LISTED_BEFORE, beyond, file_name};
use crate::document::parts::Parts;
use crate::{
    Aabb, About, Animation, Annotations, Direction, Document, Drawable, Flaw, Hit, InfoQuery, Item,
    ItemPlace, Legend, LegendEntry, ModelItem, Moment, NamedFile, Neighbor, OutlineNode, Overlay,
    OverlayId, OwnLine, Playhead, ProblemTarget, PropertyGroup, Ray, SeenFrom, Shown, Statistic,
    SummaryPart,
};
use mapscope_formats::pfobj::Bounds;
use mapscope_formats::{Problem, Subject};

/// The overlays of a model.
pub(crate) static OVERLAYS: [Overlay; 16] = overlays![
    Unlit "Unlit" "Show textures as they are, without light" surface,
    Normals "Normals"
        "Colour the surface by the direction it faces: red west, green up, blue south" surface,
    UvChecker "UV checker"
        "Show a checkerboard in place of textures: red grows with U, green with V" surface,
    BackFaces "Back faces"
        "Draw back faces too, in a warning colour: the engine culls them" surface,
    ReversedTriangles "Reversed triangles"
        "Colour triangles whose winding contradicts their normals, which the engine shows from \
         behind only; they are drawn from both sides" surface,
    JointWeights "Joint weights"
        "Give each joint a colour, mixed where several move a vertex" surface,
    EngineTextures "Engine texture size"
        "Show textures of models at the 128 by 128 pixels to which the engine resizes them",
    TwoSided "Two-sided" "Draw back faces as if they were front faces: the engine culls them",
    Wireframe "Wireframe" "Draw the edges of the triangles",
    Skeleton "Skeleton" "Draw the bones through the mesh",
    JointNames "Joint names" "Write the name of each joint beside its bone, in the window only",
    NormalLines "Normal lines" "Draw a yellow line along the normal of each vertex",
    FrameBounds "Bounds of the frame"
        "Draw the box that the file declares for the frame, and that of the mesh where it differs",
    BindBounds "Bounds of the bind pose"
        "Draw the box that the file declares for the bind pose, and that of the mesh where it differs",
    GroundTile "Ground tile" "Put a tile of terrain under the model, 8 by 8 units",
    HeightScale "Height scale"
        "Put a ruler beside the model, in units and in levels of terrain, which are 4 units high; \
         its numbers are in the window only",
];

/// Colours of vertices by the weight of a joint: 0, a quarter, and so on up to 1.
pub const HEAT_COLORS: [[u8; 3]; 5] = [
    [42, 46, 92],
    [36, 124, 184],
    [56, 190, 120],
    [244, 200, 62],
    [232, 66, 48],
];
/// Colour of triangles whose winding contradicts their normals.
pub const REVERSED_COLOR: [u8; 3] = [36, 204, 255];
/// Colour of vertices that no joint moves, in the overlay of all joints' weights. The shader has
/// the same constant.
const UNMOVED_COLOR: [u8; 3] = [115; 3];
/// Margin around a framed item, as a fraction of the model's size.
const MARGIN: f32 = 0.06;

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

    fn summary(&self, item: Item, _pointer: Option<Vec3>, _shown: &Shown) -> Vec<SummaryPart> {
        match item {
            Item::Model(item) => {
                let described = self.described(item, Playhead::default());
                described.map_or_else(Vec::new, |at| at.summary())
            }
            _ => Vec::new(),
        }
    }

    fn properties(&self, item: Item, playhead: Playhead) -> Vec<PropertyGroup> {
        match item {
            Item::Model(item) => self.groups(item, playhead),
            _ => Vec::new(),
        }
    }

    fn details(&self, item: Item, playhead: Playhead) -> Map<String, Value> {
        match item {
            Item::Model(item) => self.details_of(item, playhead),
            _ => Map::new(),
        }
    }

    fn parts(&self) -> Option<Vec<Parts<'_>>> {
        Some(self.all_parts())
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        let described = match item {
            Item::Model(item) => self.described(item, Playhead::default()),
            _ => None,
        };
        described.map_or_else(Vec::new, |at| at.own())
    }

    fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        let playhead = shown.playhead;
        let Item::Model(item) = item else {
            return ItemPlace::default();
        };
        let around = |aabb: Aabb| {
            let margin = Vec3::splat(self.size() * MARGIN);
            aabb.is_finite().then_some(Aabb {
                min: aabb.min - margin,
                max: aabb.max + margin,
            })
        };
        let mut place = ItemPlace::default();
        place.bounds = match item {
            ModelItem::Triangle { index } => {
                place.seen_from = self.viewpoint_of_triangle(index, shown);
                let corners = self.triangle_corners(index, playhead);
                corners.and_then(Aabb::around).and_then(around)
            }
            ModelItem::Joint { .. } => self.joint_of(item.into()).and_then(|joint| {
                let bone = self.with_joints(playhead, |globals| self.bone(globals, joint));
                around(Aabb::around(bone)?)
            }),
            ModelItem::Material { index } => {
                let of_material = |part: &&super::mesh::Part| part.material == index as usize;
                self.mesh.parts.iter().find(of_material).and_then(|part| {
                    let triangles = part.indices.start / 3..part.indices.end / 3;
                    self.with_mesh(playhead, |mesh| {
                        Aabb::around(triangles.flat_map(|t| self.drawn_corners(&mesh.points, t)))
                    })
                })
            }
            ModelItem::Clip { index } => self.extent_of(Some(index as usize)),
            ModelItem::Model => Some(self.extent_at(playhead).unwrap_or(self.about.bounds)),
            ModelItem::Flaw { flaw } => {
                let triangles = self.flawed(flaw);
                if let [index] = triangles {
                    place.seen_from = self.viewpoint_of_triangle(*index, shown);
                }
                let triangles = triangles.iter();
                let corners = triangles.filter_map(|it| self.triangle_corners(*it, playhead));
                Aabb::around(corners.flatten()).and_then(around)
            }
            ModelItem::Lod { .. } => None,
        };
        place
    }

    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        if let Some(joint) = self.joint_of(item) {
            return self.bone_contour(joint, shown.playhead);
        }
        match item {
            Item::Model(ModelItem::Triangle { index }) => {
                let corners = self.triangle_corners(index, shown.playhead);
                corners.map_or_else(Vec::new, |corners| edges(corners).to_vec())
            }
            Item::Model(ModelItem::Flaw { flaw }) => {
                let triangles = self.flawed(flaw).iter();
                let corners = triangles.filter_map(|it| self.triangle_corners(*it, shown.playhead));
                corners.flat_map(edges).collect()
            }
            _ => Vec::new(),
        }
    }

    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let is_back = matches!(direction, Direction::North | Direction::West);
        let step = |index: u32, count: usize| {
            let next = if is_back {
                index.checked_sub(1)
            } else {
                index.checked_add(1)
            };
            next.filter(|next| (*next as usize) < count)
        };
        let listed = if is_back { LISTED_BEFORE } else { LISTED_AFTER };
        let Item::Model(of) = item else {
            return Neighbor::default();
        };
        let next =
            match of {
                ModelItem::Joint { index } => {
                    return Neighbor {
                        item: self.next_joint(index as usize, direction),
                        name: Some(match direction {
                            Direction::North => {
                                ["Parent joint", "Select the joint that this one hangs on"]
                            }
                            Direction::South => [
                                "First child joint",
                                "Select the first joint that hangs on this one",
                            ],
                            Direction::West => [
                                "Previous sibling",
                                "Select the joint before this one at the same parent",
                            ],
                            Direction::East => [
                                "Next sibling",
                                "Select the joint after this one at the same parent",
                            ],
                        }),
                    };
                }
                ModelItem::Material { index } => step(index, self.pfobj.materials.len())
                    .map(|index| ModelItem::Material { index }),
                ModelItem::Clip { index } => {
                    step(index, self.clips.len()).map(|index| ModelItem::Clip { index })
                }
                ModelItem::Triangle { index } => step(index, self.pfobj.triangle_count())
                    .map(|index| ModelItem::Triangle { index }),
                ModelItem::Model | ModelItem::Lod { .. } | ModelItem::Flaw { .. } => None,
            };
        Neighbor {
            item: next.map(Item::Model),
            name: Some(listed),
        }
    }

    /// Steps through the triangles of a material or with a flaw, or through all joints in file
    /// order.
    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        if let Item::Model(ModelItem::Joint { index }) = kind {
            let from = match after {
                Some(Item::Model(ModelItem::Joint { index })) => index,
                _ => index,
            } as usize;
            let count = self.skeleton.len();
            let step = if backwards { count.checked_sub(1)? } else { 1 };
            return (count > 1 && from < count).then(|| joint_item((from + step) % count));
        }
        // In file order, which is ascending.
        let triangles = match kind {
            Item::Model(ModelItem::Material { index: material }) => {
                let of_kind = |part: &&super::mesh::Part| part.material == material as usize;
                let indices = self.mesh.parts.iter().find(of_kind)?.indices.clone();
                let range = indices.start as usize / 3..indices.end as usize / 3;
                self.mesh.triangles.get(range)?
            }
            Item::Model(ModelItem::Flaw { flaw }) => self.flawed(flaw),
            _ => return None,
        };
        let after = match after {
            Some(Item::Model(ModelItem::Triangle { index })) => Some(index),
            _ => None,
        };
        let found = beyond(triangles, after, backwards);
        found.map(|&index| ModelItem::Triangle { index }.into())
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

    fn emptiness(&self, _shown: &Shown) -> Option<String> {
        let all = self.pfobj.triangle_count();
        let is_broken = all > 0 || !self.about.problems.is_empty();
        let is_empty = self.mesh.triangles.is_empty();
        (is_empty && is_broken)
            .then(|| "No triangle of this model can be read: see the problems.".to_owned())
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        let on = &shown.overlays;
        let mut legends =
            Legend::of_overlays(&OVERLAYS, on, |id| self.overlay_colors(id, shown.playhead));
        let selected = shown.selected.filter(|_| !shown.hides_weights);
        let joint = selected.and_then(|item| self.joint_of(item));
        if joint.is_some_and(|joint| self.moves_vertices(joint)) {
            let labels = ["0", "0.25", "0.5", "0.75", "1: this joint alone"];
            let entries = HEAT_COLORS.into_iter().zip(labels);
            legends.push(Legend {
                title: "Weight of this joint",
                entries: entries
                    .map(|(c, label)| LegendEntry::new(c, label))
                    .collect(),
            });
        }
        legends
    }

    fn statistics(&self) -> Vec<Statistic> {
        let frames = self.clips.iter().map(|clip| clip.frames as usize);
        let materials = self.pfobj.materials.len();
        let files = (0..materials).filter_map(|index| self.materials.file(index));
        let missing = files.filter(|file| !file.found).count();
        vec![
            Statistic::new("Triangles", self.pfobj.triangle_count()),
            Statistic::new("Vertices", self.pfobj.vertices.len()),
            Statistic::new("Different vertices", self.mesh.vertices.len()),
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
        self.json()
    }

    fn files(&self) -> Vec<NamedFile> {
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

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn animation(&self) -> Option<&dyn Animation> {
        (!self.clips.is_empty()).then_some(self)
    }
}

impl Model {
    /// Returns a viewpoint in front of a triangle, or any viewpoint if the triangle is degenerate.
    fn viewpoint_of_triangle(&self, index: u32, shown: &Shown) -> SeenFrom {
        let corners = self.triangle_corners(index, shown.playhead);
        let normal = corners.and_then(|[a, b, c]| (b - a).cross(c - a).try_normalize());
        let (Some([a, b, c]), Some(normal)) = (corners, normal) else {
            return SeenFrom::Anywhere;
        };
        // The overlay draws reversed triangles from both sides; this is the outer one.
        let is_turned = shown.overlays.contains(OverlayId::ReversedTriangles)
            && self.flawed(Flaw::Reversed).binary_search(&index).is_ok();
        let middle = (a + b + c) / 3.0;
        let normal = if is_turned { -normal } else { normal };
        SeenFrom::Before { middle, normal }
    }

    /// Returns the legend of an overlay at a moment.
    pub(crate) fn overlay_colors(
        &self,
        overlay: OverlayId,
        playhead: Playhead,
    ) -> Vec<LegendEntry> {
        let entry = LegendEntry::new;
        match overlay {
            OverlayId::Normals => vec![
                entry([255, 128, 128], "Faces west (+X)"),
                entry([128, 255, 128], "Faces up (+Y)"),
                entry([128, 128, 255], "Faces south (+Z)"),
            ],
            OverlayId::BackFaces => vec![entry(colors::BACK_FACE, "Back of a triangle")],
            OverlayId::ReversedTriangles if !self.flawed(Flaw::Reversed).is_empty() => {
                vec![entry(REVERSED_COLOR, "Winding against the normals")]
            }
            OverlayId::JointWeights => {
                let joints = self.pfobj.joints.iter().enumerate();
                let moving = joints
                    .filter(|(i, _)| self.moves_vertices(*i))
                    .map(|(i, joint)| LegendEntry::new(self.joint_color(i), joint.name.clone()));
                let still = (self.uses.unweighted > 0)
                    .then(|| LegendEntry::new(UNMOVED_COLOR, "No joint: it does not move"));
                moving.chain(still).collect()
            }
            OverlayId::Skeleton if !self.pfobj.joints.is_empty() => {
                vec![entry(BONE_COLOR, "Bone, from joint to tip")]
            }
            OverlayId::NormalLines if !self.mesh.vertices.is_empty() => {
                vec![entry(NORMAL_COLOR, "Normal of a vertex")]
            }
            OverlayId::FrameBounds => bounds_entries(self.frame_bounds(playhead), DECLARED_COLOR),
            OverlayId::BindBounds => bounds_entries(self.bind_bounds(), BIND_COLOR),
            _ => Vec::new(),
        }
    }

    /// `true` if a joint moves any vertex. Joints that only control others do not.
    pub fn moves_vertices(&self, joint: usize) -> bool {
        let uses = self.uses.joints.get(joint);
        uses.is_some_and(|uses| uses.vertices > 0)
    }

    /// Returns the colour of a joint in the overlay of all joints' weights. Neighbours in the file
    /// are far apart on the colour wheel.
    pub fn joint_color(&self, joint: usize) -> [u8; 3] {
        const GOLDEN: f32 = 0.618_034;
        let hue = (joint as f32 * GOLDEN).fract() * 6.0;
        // Brightness varies between rounds of the wheel.
        let value = [1.0, 0.72, 0.88][joint % 3];
        [5.0, 3.0, 1.0].map(|offset: f32| {
            let at = (hue + offset) % 6.0;
            let chroma = at.min(4.0 - at).clamp(0.0, 1.0);
            (255.0 * value * (1.0 - 0.7 * chroma)) as u8
        })
    }

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

    /// Returns the parent, the first child or a sibling of a joint.
    fn next_joint(&self, joint: usize, direction: Direction) -> Option<Item> {
        let parent = self.skeleton.parent(joint);
        let beside = |step: isize| {
            let is_root = |j: &u32| self.skeleton.parent(*j as usize).is_none();
            let siblings: Vec<u32> = match parent {
                Some(parent) => self.skeleton.children(parent).to_vec(),
                None => (0..self.skeleton.len() as u32).filter(is_root).collect(),
            };
            let at = siblings.iter().position(|j| *j as usize == joint)?;
            siblings.get(at.checked_add_signed(step)?).copied()
        };
        let next = match direction {
            Direction::North => parent?,
            Direction::South => *self.skeleton.children(joint).first()? as usize,
            Direction::West => beside(-1)? as usize,
            Direction::East => beside(1)? as usize,
        };
        Some(joint_item(next))
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

/// Returns the legend of the existing boxes: the declared one, and that of the mesh.
fn bounds_entries([declared, mesh]: [Option<Aabb>; 2], color: [u8; 3]) -> Vec<LegendEntry> {
    let declared = declared.map(|_| LegendEntry::new(color, "Declared by the file"));
    let mesh = mesh.map(|_| LegendEntry::new(SKINNED_COLOR, "Of the mesh, where it differs"));
    declared.into_iter().chain(mesh).collect()
}

/// Returns the edges of a triangle.
fn edges([a, b, c]: [Vec3; 3]) -> [[Vec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

#[cfg(test)]
mod tests {
    use mapscope_formats::pfobj;

    use super::*;
    use crate::core::rules;
    use crate::kinds::model::{material_item, sample};
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
        assert!(matches!(single, SeenFrom::Before { .. }), "{single:?}");
        let triangle = ModelItem::Triangle { index: 1 };
        assert_eq!(single, seen_from(&pfobj, triangle));
        // Several triangles have no common direction.
        pfobj.vertices[0].normal = [0.0; 3];
        assert_eq!(seen_from(&pfobj, flaw), SeenFrom::Anywhere);
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
            let parts = model.summary(item.into(), None, &Shown::default());
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
        let last = problems.last().unwrap().to_string();
        assert_eq!(problems.len(), 101);
        assert_eq!(last, "200:1: warning: and 200 more of this rule");
    }
}
