//! P3M, the models of `PlatinumSrc`: parts with materials, a skeleton of bones, and animations.
//!
//! The layouts follow the fact sheet (sections P1 to P7): layout A is what the exporter writes and
//! the engine loads, layout B is that of the format's document. Coordinates are those of the file,
//! without conversion: left-handed, X right, Y up, Z forward, one unit is a metre.

mod bytes;
mod check;
mod decode;
mod field;
mod motion;
mod names;
mod read;
pub(crate) mod rules;
mod skeleton;
#[cfg(feature = "write")]
mod write;

use std::ops::Range;

pub use field::FieldValue;
pub use motion::{Moment, Span, Timeline, value_at};
pub use read::{read, read_with};
pub(crate) use rules::RULES;
#[cfg(feature = "write")]
pub use write::{StringsBuilder, weight_ranges, write};

/// The reason why nothing of a model can be shown.
pub use crate::ReadError as P3mError;

use crate::{Format, Problem};

/// The entry of P3M in the table of formats.
pub static FORMAT: Format = Format {
    id: "p3m",
    name: "PlatinumSrc model",
    endings: &["p3m"],
    sniff: read::sniff,
};

/// Index of a texture or matcap that means that there is none.
pub const NO_TEXTURE: u8 = 255;

/// A P3M file as plain data, as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct P3m {
    /// The layout in which the file was read.
    pub layout: Layout,
    /// Flags of the header, which have no meaning yet.
    pub flags: u8,
    /// Meshes in file order.
    pub parts: Vec<Part>,
    /// The unused bits of the mask of visible parts, which ends with the last byte.
    pub mask_padding: u8,
    /// Materials in file order; parts name them by index.
    pub materials: Vec<Material>,
    /// Textures in file order; materials name them by index.
    pub textures: Vec<Texture>,
    /// The skeleton: parents come before their children.
    pub bones: Vec<Bone>,
    /// Animations in file order.
    pub animations: Vec<Animation>,
    /// Actions in file order; animations name them by index.
    pub actions: Vec<Action>,
    /// Data of the user, only in layout B.
    pub fields: Vec<Field>,
    /// The strings that names point into, with the terminating zeros as in the file.
    pub strings: Vec<u8>,
    /// All faults of the file, in file order. The first hundred of each kind are listed, followed
    /// by the number of further ones.
    pub problems: Vec<Problem>,
    /// Noteworthy properties that are not faults, in file order.
    pub notes: Vec<Problem>,
}

/// A layout of P3M (fact sheet P7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// What the exporter writes and the engine loads, since 2024-10-15.
    A,
    /// The format's document, since 2025-08-08.
    B,
    /// Version 1.0, which is only recognised.
    V1_0,
    /// Version 1.1, which is only recognised.
    V1_1,
}

/// A string of the file. One that cannot be read is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Name {
    /// Its text.
    pub text: String,
    /// Its offset in [`P3m::strings`], as written.
    pub offset: u16,
}

/// A mesh (fact sheet P1, "Part").
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Name for people and for lists of parts.
    pub name: Name,
    /// File offset.
    pub at: u64,
    /// Flags as written: their meaning depends on the layout.
    pub flags: u8,
    /// `true` if it is drawn unless an action says otherwise.
    pub is_visible: bool,
    /// Index of its material, as written. It may be outside the list.
    pub material: u8,
    /// Materials while animations play, only in layout B.
    pub overrides: Vec<Override>,
    /// Positions of its vertices in model space, in metres.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates of the vertices; (0, 0) is the bottom left of the image, which repeats.
    /// Empty if the part has none.
    pub uvs: Vec<[f32; 2]>,
    /// Unit normals of the vertices in model space. Empty if the part has none.
    pub normals: Vec<[f32; 3]>,
    /// Vertices of its triangles, three after three, as written. They may be outside the list.
    /// A triangle is counter-clockwise as seen from outside (fact sheet P2).
    pub indices: Vec<u16>,
    /// File offset of the first vertex.
    pub vertices_at: u64,
    /// File offset of the first index.
    pub indices_at: u64,
    /// Weights of bones on its vertices.
    pub groups: Vec<Group>,
}

/// The material of a part while an animation plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Name of the animation.
    pub animation: Name,
    /// Of several animations at once, that with the highest priority applies.
    pub priority: u8,
    /// Index of the material, as written.
    pub material: u8,
}

/// The weights of a bone on the vertices of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Name of the bone. No bone need have it.
    pub bone: Name,
    /// File offset.
    pub at: u64,
    /// Runs of vertices with weights.
    pub ranges: Vec<WeightRange>,
    /// The number of vertices to skip in the empty range that ends the group, as written.
    pub last_skip: u16,
}

/// Weights of consecutive vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightRange {
    /// Vertices without a weight before these.
    pub skip: u16,
    /// A weight for each vertex: (byte + 1) / 256.
    pub weights: Vec<u8>,
}

/// A material (fact sheet P1, "Material").
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// File offset.
    pub at: u64,
    /// Mode of drawing and flags, as written: 0 normal, 1 add in the low nibble.
    pub mode: u8,
    /// Red, green, blue and alpha that multiply the texture.
    pub color: [u8; 4],
    /// Red, green and blue of its own light.
    pub emission: [u8; 3],
    /// 255 has full directional light, 0 has even light.
    pub shading: u8,
    /// Index of its texture, as written, or [`NO_TEXTURE`].
    pub texture: u8,
    /// Index of its matcap, as written, or [`NO_TEXTURE`]. Only in layout B.
    pub matcap: u8,
    /// Its changes over time, only in layout B.
    pub animation: Option<Box<MaterialAnimation>>,
}

/// Changes of a material over time (fact sheet P1, "Animated material").
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialAnimation {
    /// Time of a frame in microseconds.
    pub us_per_frame: u32,
    /// Loop mode and flags, as written: 0 none, 1 loop, 2 continue in the low nibble; 0x10 keeps
    /// the scroll of the previous animation.
    pub flags: u8,
    /// Movement of the texture per second.
    pub texture_scroll: [f32; 2],
    /// Movement of the matcap per second.
    pub matcap_scroll: [f32; 2],
    /// Index of the last frame.
    pub last_frame: u8,
    /// Keys of colour, emission, shading, texture and matcap.
    pub tracks: [Vec<MaterialKey>; 5],
}

/// A key of a material's track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaterialKey {
    /// Frames skipped since the previous key, as written.
    pub skip: u8,
    /// Frame of the key.
    pub frame: u32,
    /// Mode of interpolation, as written; 0 for tracks without modes.
    pub mode: u8,
    /// The value: as many bytes as the track has components, then zeros.
    pub value: [u8; 4],
}

/// A texture of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// File offset.
    pub at: u64,
    /// Type as written: 0 embedded, 1 external.
    pub kind: u8,
    /// Its image.
    pub content: TextureContent,
}

/// The image of a texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextureContent {
    /// A PTF file in the model; also the bytes of an unknown type.
    Embedded {
        /// Its bytes.
        ptf: Vec<u8>,
        /// Its file offset.
        at: u64,
    },
    /// A path without an ending (fact sheet R).
    External(Name),
}

/// A bone of the skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Name, by which weights and actions refer to it.
    pub name: Name,
    /// File offset.
    pub at: u64,
    /// Its start, in model space.
    pub head: [f32; 3],
    /// Its end as written, in model space. See [`P3m::has_lost_tails`].
    pub tail: [f32; 3],
    /// Number of its children, as written.
    pub children: u8,
    /// Index of its parent, which is smaller than its own; `None` for a root.
    pub parent: Option<u32>,
}

/// An animation: references to actions, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// Name for people.
    pub name: Name,
    /// File offset.
    pub at: u64,
    /// The frames that it plays. Without any, the model stands at rest.
    pub references: Vec<Reference>,
}

/// Frames of an action that an animation plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// File offset.
    pub at: u64,
    /// Index of the action, as written. It may be outside the list.
    pub action: u8,
    /// Factor of the speed, as written.
    pub speed: f32,
    /// First frame.
    pub start: u16,
    /// Last frame, which is played too. If it is less than the first, frames are played downward.
    pub end: u16,
}

/// Keys of bones over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// File offset.
    pub at: u64,
    /// Time of a frame in microseconds.
    pub us_per_frame: u32,
    /// Mode of the list of parts, as written: 0 the visible ones and those of the list, 1 the
    /// visible ones without those of the list, 2 only those of the list, 3 all without those of the
    /// list.
    pub part_list_mode: u8,
    /// Names of parts.
    pub parts: Vec<Name>,
    /// Tracks of bones.
    pub tracks: Vec<BoneTracks>,
}

/// The keys of a bone in an action.
#[derive(Debug, Clone, PartialEq)]
pub struct BoneTracks {
    /// Name of the bone. No bone need have it.
    pub bone: Name,
    /// File offset.
    pub at: u64,
    /// Keys of translation in metres, along the bone's own axes.
    pub translation: Vec<Key>,
    /// Keys of rotation in radians, about the bone's own axes: Z first, then X, then Y.
    pub rotation: Vec<Key>,
    /// Keys of scale, along the bone's own axes.
    pub scale: Vec<Key>,
}

/// A key of a bone's track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Frames skipped since the previous key, as written.
    pub skip: u8,
    /// Frame of the key, from 0.
    pub frame: u32,
    /// The way from the previous key to this one, as written: 0 none, 1 linear.
    pub mode: u8,
    /// X, Y and Z.
    pub value: [f32; 3],
}

/// Data of the user (fact sheet P1, "Field").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name for people.
    pub name: Name,
    /// File offset.
    pub at: u64,
    /// Type and flags, as written.
    pub kind: u8,
    /// Everything after the type, as written.
    pub bytes: Vec<u8>,
    /// File range of the elements of an array in the strings; empty for other fields.
    pub elements: Range<u64>,
}

impl P3m {
    /// A model of a layout without any content.
    pub fn empty(layout: Layout, flags: u8) -> Self {
        Self {
            layout,
            flags,
            parts: Vec::new(),
            mask_padding: 0,
            materials: Vec::new(),
            textures: Vec::new(),
            bones: Vec::new(),
            animations: Vec::new(),
            actions: Vec::new(),
            fields: Vec::new(),
            strings: Vec::new(),
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Index of the first bone with this name. Bones without a name are never found.
    pub fn bone_named(&self, name: &str) -> Option<usize> {
        let mut bones = self.bones.iter();
        bones.position(|bone| !name.is_empty() && bone.name.text == name)
    }

    /// `true` if a material adds to what is behind it.
    pub fn is_additive(&self, material: &Material) -> bool {
        match self.layout {
            Layout::B => material.mode & 0x0F == 1,
            _ => material.mode == 1,
        }
    }
}

impl Texture {
    /// Its path as written; `None` if the image is in the file.
    pub fn path(&self) -> Option<&str> {
        match &self.content {
            TextureContent::External(path) => Some(&path.text),
            TextureContent::Embedded { .. } => None,
        }
    }
}

impl Part {
    /// The triangles that can be drawn: index of the triangle, and its vertices. Triangles with a
    /// vertex that does not exist or has a number that is not finite are left out.
    pub fn triangles(&self) -> impl Iterator<Item = (usize, [u16; 3])> {
        let (triangles, _) = self.indices.as_chunks::<3>();
        let triangles = triangles.iter().copied().enumerate();
        triangles.filter(|(_, vertices)| vertices.iter().all(|vertex| self.has(*vertex)))
    }

    /// `true` if a vertex exists and all of its numbers are finite.
    fn has(&self, vertex: u16) -> bool {
        let vertex = usize::from(vertex);
        let is_finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        self.positions.get(vertex).is_some_and(|it| is_finite(it))
            && self.uvs.get(vertex).is_none_or(|it| is_finite(it))
            && self.normals.get(vertex).is_none_or(|it| is_finite(it))
    }
}

impl Group {
    /// The weighted vertices of a part with this number of vertices, with weights from 1/256 to 1.
    /// Empty if the group is for more vertices.
    pub fn weights(&self, vertex_count: usize) -> impl Iterator<Item = (usize, f32)> {
        let mut end = 0;
        let runs = self.ranges.iter().flat_map(move |range| {
            let start = end + usize::from(range.skip);
            end = start + range.weights.len();
            (start..).zip(&range.weights)
        });
        let count = if self.end() > vertex_count {
            0
        } else {
            usize::MAX
        };
        runs.take(count)
            .map(|(vertex, weight)| (vertex, (f32::from(*weight) + 1.0) / 256.0))
    }

    /// The vertex after the last one that the ranges are for.
    fn end(&self) -> usize {
        let ranges = self.ranges.iter();
        let counts = ranges.map(|range| usize::from(range.skip) + range.weights.len());
        counts.sum::<usize>() + usize::from(self.last_skip)
    }
}

impl Bone {
    /// File offset of its number of children.
    fn children_at(&self) -> usize {
        self.at as usize + 26
    }
}

impl MaterialAnimation {
    /// The textures and matcaps of its keys, as written.
    fn texture_keys(&self) -> impl Iterator<Item = u8> {
        let keys = self.tracks.iter().skip(3).flatten();
        keys.map(|key| key.value[0])
    }
}
