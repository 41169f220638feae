//! What a model says of itself: the [`Document`] of a PFOBJ.

use std::path::PathBuf;

use glam::Vec3;
use serde_json::{Map, Value, json};

use super::lines::{BIND_COLOR, BONE_COLOR, DECLARED_COLOR, NORMAL_COLOR, SKINNED_COLOR};
use super::outline::{joint_item, seconds};
use super::{Model, item};
use crate::camera::Handedness;
use crate::listed::{LISTED_AFTER, LISTED_BEFORE};
use crate::numbers::{number, plural};
use crate::{
    Aabb, ClipInfo, Curve, Direction, Document, Drawable, Hit, InfoQuery, Item, Kind, Label,
    Legend, LegendEntry, Line, OutlineNode, Overlay, Playhead, ProblemFrame, PropertyGroup, Ray,
    SeenFrom, Shown, Statistic, SummaryPart,
};
use mapscope_formats::pfobj::{self, Bounds};
use mapscope_formats::{Format, Problem, Subject};

/// The overlays of a model.
pub(super) static OVERLAYS: [Overlay; 14] = [
    Overlay {
        id: "unlit",
        name: "Unlit",
        help: "Textures as they are, without light",
        colors_surface: true,
    },
    Overlay {
        id: "normals",
        name: "Normals",
        help: "Colours the surface by the direction it faces: red west, green up, blue south",
        colors_surface: true,
    },
    Overlay {
        id: "uv-checker",
        name: "UV checker",
        help: "A checker in place of the textures: red grows with U, green with V",
        colors_surface: true,
    },
    Overlay {
        id: "back-faces",
        name: "Back faces",
        help: "Draws the back of triangles too, in a warning colour: the engine leaves them out",
        colors_surface: true,
    },
    Overlay {
        id: "joint-weights",
        name: "Joint weights",
        help: "A colour for each joint, mixed where several move a vertex",
        colors_surface: true,
    },
    Overlay {
        id: "two-sided",
        name: "Two-sided",
        help: "Draws the back of triangles as their front: the engine leaves them out",
        colors_surface: false,
    },
    Overlay {
        id: "wireframe",
        name: "Wireframe",
        help: "The edges of the triangles that are drawn",
        colors_surface: false,
    },
    Overlay {
        id: "skeleton",
        name: "Skeleton",
        help: "The bones, through the mesh",
        colors_surface: false,
    },
    Overlay {
        id: "joint-names",
        name: "Joint names",
        help: "The name of each joint beside its bone, in the window only",
        colors_surface: false,
    },
    Overlay {
        id: "normal-lines",
        name: "Normal lines",
        help: "A yellow line along the normal of each vertex",
        colors_surface: false,
    },
    Overlay {
        id: "frame-bounds",
        name: "Bounds of the frame",
        help: "The box that the file declares for the frame, and that of the mesh where it differs",
        colors_surface: false,
    },
    Overlay {
        id: "bind-bounds",
        name: "Bounds of the bind pose",
        help: "The box that the file declares for the model at rest",
        colors_surface: false,
    },
    Overlay {
        id: "ground-tile",
        name: "Ground tile",
        help: "A tile of terrain under the model, 8 by 8 units",
        colors_surface: false,
    },
    Overlay {
        id: "height-scale",
        name: "Height scale",
        help: "A scale beside the model, in units and in levels of terrain, which are 4 units high; \
               its numbers are in the window only",
        colors_surface: false,
    },
];

/// Colours of vertices that a joint does not move at all, that it moves by a quarter, and so on
/// to those that it alone moves.
pub const HEAT_COLORS: [[u8; 3]; 5] = [
    [42, 46, 92],
    [36, 124, 184],
    [56, 190, 120],
    [244, 200, 62],
    [232, 66, 48],
];
/// Colour of the back of triangles.
pub const BACK_FACE_COLOR: [u8; 3] = [255, 48, 160];
/// How far around a thing one sees when it is framed, as a part of the model's size.
const MARGIN: f32 = 0.06;

impl Document for Model {
    fn format(&self) -> &'static Format {
        &pfobj::FORMAT
    }

    fn version(&self) -> String {
        self.pfobj.version.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn bounds(&self) -> Aabb {
        self.whole
    }

    fn handedness(&self) -> Handedness {
        Handedness::Mirrored
    }

    fn drawable(&self) -> Drawable<'_> {
        Drawable::Model(self)
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn curves(&self, item: Item, clip: usize) -> Vec<Curve> {
        self.joint_curves(item, clip)
    }

    fn follows_playhead(&self, item: Item) -> bool {
        matches!(item.kind, item::JOINT | item::TRIANGLE | item::CLIP)
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world, shown)
    }

    fn summary(&self, item: Item) -> Vec<SummaryPart> {
        let index = item.index as usize;
        match item.kind {
            item::TRIANGLE => {
                let Some(corners) = self.corners(item.index) else {
                    return Vec::new();
                };
                let digits = (self.pfobj.triangle_count() - 1).to_string().len();
                let material = corners[0].material as usize;
                let materials = self.pfobj.materials.iter();
                let widest = materials.map(|m| m.name.chars().count()).max();
                let line = self.pfobj.vertex_line(item.index as u32 * 3);
                vec![
                    SummaryPart {
                        name: "Triangle",
                        value: format!("{index:>digits$}"),
                        width: digits,
                    },
                    SummaryPart {
                        name: "Material",
                        value: self.material_name(material),
                        width: widest.unwrap_or(0),
                    },
                    SummaryPart::new("Line", line.to_string()),
                ]
            }
            item::JOINT => {
                let Some(joint) = self.pfobj.joints.get(index) else {
                    return Vec::new();
                };
                let moved = self.uses.joints.get(index).map_or(0, |uses| uses.vertices);
                let parent = self.skeleton.parent(index);
                let parent = parent.and_then(|parent| self.pfobj.joints.get(parent));
                let mut parts = vec![SummaryPart::new("Joint", joint.name.clone())];
                parts.extend(parent.map(|p| SummaryPart::new("Parent", p.name.clone())));
                parts.push(SummaryPart::new(
                    "Moves",
                    plural(moved, "vertex", "vertices"),
                ));
                parts
            }
            item::MATERIAL => {
                let Some(material) = self.pfobj.materials.get(index) else {
                    return Vec::new();
                };
                vec![
                    SummaryPart::new("Material", self.material_name(index)),
                    SummaryPart::new("Texture", material.texture.clone()),
                ]
            }
            item::CLIP => {
                let Some(clip) = self.clips.get(index) else {
                    return Vec::new();
                };
                vec![
                    SummaryPart::new("Clip", clip.name.clone()),
                    SummaryPart::new("Frames", clip.frames.to_string()),
                    SummaryPart::new("Lasts", seconds(clip.frames)),
                ]
            }
            item::MODEL => vec![SummaryPart::new("Model", self.path.display().to_string())],
            item::LOD => {
                let path = self.lods.path(item.index);
                let part = |path: PathBuf| SummaryPart::new("File", path.display().to_string());
                path.map(part).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn properties(&self, item: Item, playhead: Playhead) -> Vec<PropertyGroup> {
        self.item_properties(item, playhead)
    }

    fn item_bounds(&self, item: Item, playhead: Playhead) -> Option<Aabb> {
        let around = |aabb: Aabb| {
            let margin = Vec3::splat(self.size() * MARGIN);
            let finite = aabb.min.is_finite() && aabb.max.is_finite();
            finite.then_some(Aabb {
                min: aabb.min - margin,
                max: aabb.max + margin,
            })
        };
        match item.kind {
            item::TRIANGLE => {
                let corners = self.triangle_corners(item.index, playhead)?;
                around(Aabb::around(corners)?)
            }
            item::JOINT if item.index < self.skeleton.len() as u64 => {
                let joint = item.index as usize;
                let bone = self.with_joints(playhead, |globals| self.bone(globals, joint));
                around(Aabb::around(bone)?)
            }
            item::MATERIAL => {
                let of_material = |part: &&super::mesh::Part| part.material as u64 == item.index;
                let part = self.mesh.parts.iter().find(of_material)?;
                let triangles = part.indices.start / 3..part.indices.end / 3;
                self.with_mesh(playhead, |mesh| {
                    Aabb::around(triangles.flat_map(|t| self.drawn_corners(&mesh.points, t)))
                })
            }
            item::CLIP => self.extent_of(Some(item.index as usize)),
            item::MODEL => Some(self.extent_at(playhead).unwrap_or(self.whole)),
            _ => None,
        }
    }

    fn bounds_in_view(&self, shown: &Shown) -> Aabb {
        self.extent_of(shown.playhead.clip).unwrap_or(self.whole)
    }

    fn seen_from(&self, item: Item, shown: &Shown) -> SeenFrom {
        let corners = match item.kind {
            item::TRIANGLE => self.triangle_corners(item.index, shown.playhead),
            _ => None,
        };
        let before = corners.and_then(|[a, b, c]| {
            Some(SeenFrom::Before {
                middle: (a + b + c) / 3.0,
                normal: (b - a).cross(c - a).try_normalize()?,
            })
        });
        before.unwrap_or(SeenFrom::Anywhere)
    }

    fn item_outline(&self, item: Item, playhead: Playhead) -> Vec<[Vec3; 2]> {
        self.outline_lines(item, playhead)
    }

    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        self.overlay_lines(shown, lines);
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        self.overlay_labels(shown, labels);
    }

    fn neighbor(&self, item: Item, direction: Direction) -> Option<Item> {
        let step = |index: u64, count: usize| {
            let next = match direction {
                Direction::North | Direction::West => index.checked_sub(1)?,
                Direction::South | Direction::East => index.checked_add(1)?,
            };
            (next < count as u64).then_some(Item {
                kind: item.kind,
                index: next,
            })
        };
        match item.kind {
            item::JOINT => self.next_joint(item.index as usize, direction),
            item::MATERIAL => step(item.index, self.pfobj.materials.len()),
            item::CLIP => step(item.index, self.clips.len()),
            item::TRIANGLE => step(item.index, self.pfobj.triangle_count()),
            _ => None,
        }
    }

    fn neighbor_name(&self, item: Item, direction: Direction) -> Option<[&'static str; 2]> {
        Some(match (item.kind, direction) {
            (item::JOINT, Direction::North) => {
                ["Parent joint", "Select the joint that this one hangs on"]
            }
            (item::JOINT, Direction::South) => [
                "First child joint",
                "Select the first joint that hangs on this one",
            ],
            (item::JOINT, Direction::West) => [
                "Previous sibling",
                "Select the joint before this one at the same parent",
            ],
            (item::JOINT, Direction::East) => [
                "Next sibling",
                "Select the joint after this one at the same parent",
            ],
            (_, Direction::North | Direction::West) => LISTED_BEFORE,
            (_, Direction::South | Direction::East) => LISTED_AFTER,
        })
    }

    fn problem_frame(&self, problem: &Problem) -> Option<ProblemFrame> {
        let (clip, frame, overlay) = match problem.subject {
            Subject::Frame { clip, frame } => (clip, frame, None),
            Subject::FrameBounds { clip, frame } => (clip, frame, Some("frame-bounds")),
            _ => return None,
        };
        let last = self
            .pfobj
            .clips
            .get(clip as usize)?
            .frame_count
            .checked_sub(1)?;
        Some(ProblemFrame {
            frame: frame.min(last),
            overlay,
        })
    }

    fn file_of(&self, item: Item) -> Option<PathBuf> {
        (item.kind == item::LOD).then(|| self.lods.path(item.index))?
    }

    fn problem_item(&self, problem: &Problem) -> Option<Item> {
        let (kind, index, count) = match problem.subject {
            Subject::Vertex(vertex) => {
                let triangle = vertex / 3;
                let is_whole = (triangle as usize) < self.pfobj.triangle_count();
                return is_whole.then_some(Item {
                    kind: item::TRIANGLE,
                    index: triangle.into(),
                });
            }
            Subject::Material(index) => (item::MATERIAL, index, self.pfobj.materials.len()),
            Subject::Joint(index) => (item::JOINT, index, self.pfobj.joints.len()),
            Subject::Clip(clip)
            | Subject::Frame { clip, .. }
            | Subject::FrameBounds { clip, .. } => (item::CLIP, clip, self.pfobj.clips.len()),
            _ => (item::MODEL, 0, 1),
        };
        ((index as usize) < count).then_some(Item {
            kind,
            index: index.into(),
        })
    }

    fn overlays(&self) -> &'static [Overlay] {
        &OVERLAYS
    }

    fn legend(&self, overlay_id: &str) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry {
            color,
            label: label.to_owned(),
        };
        match overlay_id {
            "normals" => vec![
                entry([255, 128, 128], "faces west (+X)"),
                entry([128, 255, 128], "faces up (+Y)"),
                entry([128, 128, 255], "faces south (+Z)"),
            ],
            "back-faces" => vec![entry(BACK_FACE_COLOR, "back of a triangle")],
            "joint-weights" => {
                let joints = self.pfobj.joints.iter().zip(&self.uses.joints).enumerate();
                joints
                    .filter(|(_, (_, uses))| uses.vertices > 0)
                    .map(|(i, (joint, _))| entry(self.joint_color(i), &joint.name))
                    .collect()
            }
            "skeleton" => vec![entry(BONE_COLOR, "bone, from joint to tip")],
            "normal-lines" => vec![entry(NORMAL_COLOR, "normal of a vertex")],
            "frame-bounds" => vec![
                entry(DECLARED_COLOR, "declared by the file"),
                entry(SKINNED_COLOR, "of the mesh, where it differs"),
            ],
            "bind-bounds" => vec![entry(BIND_COLOR, "at rest")],
            _ => Vec::new(),
        }
    }

    fn selection_legend(&self, item: Item) -> Option<Legend> {
        let moves = item.kind == item::JOINT && self.moves_vertices(item.index as usize);
        moves.then(|| Legend {
            title: "Weight of this joint",
            entries: HEAT_COLORS
                .into_iter()
                .zip(["0", "0.25", "0.5", "0.75", "1: it alone"])
                .map(|(color, label)| LegendEntry {
                    color,
                    label: label.to_owned(),
                })
                .collect(),
        })
    }

    fn kinds(&self) -> Vec<Kind> {
        Vec::new()
    }

    /// Steps through the triangles of a material, or from a joint to the others in file order.
    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        if kind.kind == item::JOINT {
            let count = self.skeleton.len() as u64;
            let from = after.unwrap_or(kind).index;
            let step = if backwards { count.checked_sub(1)? } else { 1 };
            return (count > 1 && from < count)
                .then(|| joint_item(((from + step) % count) as usize));
        }
        let of_kind = |part: &&super::mesh::Part| part.material as u64 == kind.index;
        let mut parts = self
            .mesh
            .parts
            .iter()
            .filter(|_| kind.kind == item::MATERIAL);
        let indices = parts.find(of_kind)?.indices.clone();
        let range = indices.start as usize / 3..indices.end as usize / 3;
        // In file order, which is rising.
        let triangles = self.mesh.triangles.get(range)?;
        let after = after.filter(|item| item.kind == item::TRIANGLE);
        let after = after.and_then(|item| u32::try_from(item.index).ok());
        let found = match (after, backwards) {
            (None, false) => triangles.first(),
            (None, true) => triangles.last(),
            (Some(at), false) => {
                let next = triangles.partition_point(|triangle| *triangle <= at);
                triangles.get(next).or(triangles.first())
            }
            (Some(at), true) => {
                let before = triangles.partition_point(|triangle| *triangle < at);
                let before = before.checked_sub(1);
                before.and_then(|i| triangles.get(i)).or(triangles.last())
            }
        };
        found.map(|triangle| Item {
            kind: item::TRIANGLE,
            index: u64::from(*triangle),
        })
    }

    fn statistics(&self) -> Vec<Statistic> {
        let statistic = |name, value: usize| Statistic {
            name,
            value: value.to_string(),
        };
        let frames = self.clips.iter().map(|clip| clip.frames as usize);
        let missing = self.materials.pictures.iter().filter(|p| !p.found).count();
        vec![
            statistic("Triangles", self.pfobj.triangle_count()),
            statistic("Vertices", self.pfobj.vertices.len()),
            statistic("Different vertices", self.mesh.vertices.len()),
            statistic("Reversed triangles", self.uses.reversed),
            statistic("Joints", self.skeleton.len()),
            statistic("Clips", self.clips.len()),
            statistic("Frames", frames.sum()),
            statistic("Materials", self.pfobj.materials.len()),
            statistic("Missing textures", missing),
        ]
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        Some(self.materials.pictures.get(index)?.thumbnail())
    }

    fn dependencies(&self) -> Vec<PathBuf> {
        self.materials.dependencies.clone()
    }

    fn cpu_bytes(&self) -> u64 {
        let clips = self.pfobj.clips.iter().map(|clip| {
            size_of_val(clip.poses.as_slice())
                + size_of_val(clip.bounds.as_slice())
                + size_of_val(clip.frame_lines.as_slice())
        });
        let frames = self.extents.frames.iter();
        let bytes = size_of_val(self.pfobj.vertices.as_slice())
            + size_of_val(self.pfobj.influences.as_slice())
            + size_of_val(self.pfobj.joints.as_slice())
            + clips.sum::<usize>()
            + frames
                .map(|frames| size_of_val(frames.as_slice()))
                .sum::<usize>()
            + self.mesh.cpu_bytes()
            + self.skeleton.cpu_bytes()
            + self.poses.cpu_bytes()
            + self.tree.cpu_bytes()
            + self.materials.cpu_bytes();
        bytes as u64
    }

    fn info(&self, _query: &InfoQuery) -> Map<String, Value> {
        let joints: Vec<Value> = self
            .pfobj
            .joints
            .iter()
            .enumerate()
            .map(|(i, joint)| json!({"name": joint.name, "parent": self.skeleton.parent(i)}))
            .collect();
        let materials: Vec<Value> = self
            .pfobj
            .materials
            .iter()
            .zip(&self.materials.pictures)
            .map(|(m, p)| json!({"name": m.name, "texture": m.texture, "found": p.found}))
            .collect();
        let clips: Vec<Value> = self
            .clips
            .iter()
            .zip(&self.extents.worst)
            .map(|(clip, worst)| {
                let error = worst.map_or(Value::Null, |worst| number(worst.size));
                json!({"name": clip.name, "frames": clip.frames, "bounds_error": error})
            })
            .collect();
        // What the file says; what the mesh occupies only where it says nothing.
        let bounds = self.pfobj.bounds.unwrap_or(Bounds {
            min: self.extents.bind.unwrap_or(self.whole).min.into(),
            max: self.extents.bind.unwrap_or(self.whole).max.into(),
        });
        let corner = |corner: [f32; 3]| json!(corner.map(number));
        let mut info = Map::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put("vertices", self.pfobj.vertices.len().into());
        put("triangles", self.pfobj.triangle_count().into());
        put("joints", joints.into());
        put("materials", materials.into());
        put("clips", clips.into());
        if !self.lods.is_empty() {
            put("lods", self.lods.names().into());
        }
        put(
            "bounds",
            json!({"min": corner(bounds.min), "max": corner(bounds.max)}),
        );
        info
    }
}

impl Model {
    /// Number and name of a material.
    pub(super) fn material_name(&self, index: usize) -> String {
        match self.pfobj.materials.get(index) {
            Some(material) => format!("{index} {}", material.name),
            None => format!("{index}: there is no such material"),
        }
    }

    /// Whether a joint moves any vertex. Joints that only control others do not.
    pub fn moves_vertices(&self, joint: usize) -> bool {
        let uses = self.uses.joints.get(joint);
        uses.is_some_and(|uses| uses.vertices > 0)
    }

    /// The colour of a joint in the overlay of all joints' weights: neighbours in the file are
    /// far apart on the colour wheel.
    pub fn joint_color(&self, joint: usize) -> [u8; 3] {
        const GOLDEN: f32 = 0.618_034;
        let hue = (joint as f32 * GOLDEN).fract() * 6.0;
        // Between rounds of the wheel, lighter and darker.
        let value = [1.0, 0.72, 0.88][joint % 3];
        [5.0, 3.0, 1.0].map(|offset: f32| {
            let at = (hue + offset) % 6.0;
            let chroma = at.min(4.0 - at).clamp(0.0, 1.0);
            (255.0 * value * (1.0 - 0.7 * chroma)) as u8
        })
    }

    /// The bounds that the file declares for a moment: those of the frame, or of the bind pose.
    pub(super) fn declared_at(&self, playhead: Playhead) -> Option<&Bounds> {
        match self.poses.between(playhead) {
            None => self.pfobj.bounds.as_ref(),
            Some((clip, [frame, _], _)) => {
                let clip = self.pfobj.clips.get(clip)?;
                clip.bounds.get(frame as usize)
            }
        }
    }

    /// The joint above, below, or beside another.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use crate::rules;
    use mapscope_formats::Place;

    fn item(kind: &'static str, index: u64) -> Item {
        Item { kind, index }
    }

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
        let step = |material, after: Option<u64>, backwards| {
            let after = after.map(|index| item(item::TRIANGLE, index));
            let kind = item(item::MATERIAL, material);
            let next = model.next_of_kind(kind, after, backwards)?;
            Some(next.index)
        };
        assert_eq!(step(0, None, false), Some(0));
        assert_eq!(step(0, Some(0), false), Some(2));
        assert_eq!(step(0, Some(1), false), Some(2));
        assert_eq!(step(0, Some(4), false), Some(0));
        assert_eq!(step(0, Some(0), true), Some(4));
        assert_eq!(step(1, Some(3), true), Some(1));
        assert_eq!(step(2, None, false), None);
        assert_eq!(model.next_of_kind(item(item::CLIP, 0), None, false), None);
    }

    #[test]
    fn joints_are_stepped_through_in_circles() {
        let model = sample::model(sample::chain(3, 1));
        let next = |from, backwards| {
            let next = model.next_of_kind(item(item::JOINT, from), None, backwards);
            next.map(|next| (next.kind, next.index))
        };
        assert_eq!(next(0, false), Some((item::JOINT, 1)));
        assert_eq!(next(2, false), Some((item::JOINT, 0)));
        assert_eq!(next(0, true), Some((item::JOINT, 2)));
        assert_eq!(next(3, true), None);
        let alone = sample::model(sample::chain(1, 1));
        assert_eq!(alone.next_of_kind(item(item::JOINT, 0), None, false), None);
        let name = |direction| {
            model
                .neighbor_name(item(item::JOINT, 1), direction)
                .unwrap()[0]
        };
        assert_eq!(name(Direction::North), "Parent joint");
        assert_eq!(name(Direction::East), "Next sibling");
    }

    #[test]
    fn problems_say_the_frame_that_they_are_in() {
        let model = sample::model(sample::chain(2, 3));
        let of = |subject| {
            let place = Place::Text { line: 1, column: 1 };
            let problem = Problem::new(&rules::BOUNDS_DIFFER, subject, place, "odd");
            let item = model.problem_item(&problem).unwrap();
            let frame = model.problem_frame(&problem);
            (item.kind, frame.map(|frame| (frame.frame, frame.overlay)))
        };
        let clip = 0;
        assert_eq!(of(Subject::Clip(clip)), (item::CLIP, None));
        let pose = of(Subject::Frame { clip, frame: 1 });
        assert_eq!(pose, (item::CLIP, Some((1, None))));
        let bounds = of(Subject::FrameBounds { clip, frame: 1 });
        assert_eq!(bounds, (item::CLIP, Some((1, Some("frame-bounds")))));
        let left_out = of(Subject::Frame { clip, frame: 3 });
        assert_eq!(left_out, (item::CLIP, Some((2, None))));
        assert_eq!(of(Subject::Vertex(4)), (item::TRIANGLE, None));
        assert_eq!(of(Subject::File), (item::MODEL, None));
    }

    #[test]
    fn the_status_bar_says_what_is_pointed_at() {
        let model = sample::model(sample::chain(2, 24));
        let said = |kind, index| -> String {
            let parts = model.summary(item(kind, index));
            let parts = parts.iter().map(|p| [p.name, " ", &p.value].concat());
            parts.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(
            said(item::TRIANGLE, 1),
            "Triangle 1, Material 0 Stone, Line 23"
        );
        assert_eq!(
            said(item::JOINT, 1),
            "Joint bone1, Parent bone0, Moves 6 vertices"
        );
        assert_eq!(said(item::CLIP, 0), "Clip Sway, Frames 24, Lasts 1.00 s");
        assert_eq!(
            said(item::MATERIAL, 0),
            "Material 0 Stone, Texture stone.png"
        );
        assert_eq!(said(item::TRIANGLE, 2), "");
    }

    #[test]
    fn colors_are_explained() {
        let model = sample::model(sample::chain(3, 1));
        // Of three joints only the last one moves anything.
        let legend = model.legend("joint-weights");
        assert_eq!(legend.len(), 1);
        assert_eq!(legend[0].label, "bone2");
        assert_eq!(legend[0].color, model.joint_color(2));
        let heat = model.selection_legend(item(item::JOINT, 2)).unwrap();
        let colors: Vec<_> = heat.entries.iter().map(|entry| entry.color).collect();
        assert_eq!(colors, HEAT_COLORS);
        assert!(model.selection_legend(item(item::JOINT, 3)).is_none());
        // Neighbours can be told apart.
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
                ..material.clone()
            })
            .collect();
        let model = sample::model(pfobj);
        let last = model.problems().last().unwrap().to_string();
        assert_eq!(model.problems().len(), 101);
        assert_eq!(last, "200:1: warning: and 200 more of this rule");
    }
}
