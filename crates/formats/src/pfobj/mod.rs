//! PFOBJ, the models of the Permafrost Engine: ASCII meshes with skeletons and animation clips.
//!
//! The layout is that of the format's document (`pfobj.txt`, section 3) as real files have it and
//! the engine reads it (fact sheet B): the head has seven lines, joints have names, and rotations
//! are quaternions.

mod check;
mod clip;
mod head;
mod layout;
mod number;
mod plain;
mod read;
mod repeated;
pub mod rules;
mod summary;
#[cfg(feature = "write")]
mod write;

pub use layout::Layout;
pub use read::{read, read_with};
pub use summary::{Summary, summarize};
#[cfg(feature = "write")]
pub use write::write;

/// Why nothing of a model can be shown: it has neither a vertex that can be read nor a joint.
pub use crate::ReadError as PfobjError;

use crate::{Format, Problem};

/// How the table of formats knows PFOBJ.
pub static FORMAT: Format = Format {
    id: "pfobj",
    name: "Permafrost Engine model",
    endings: &["pfobj"],
    sniff: read::sniff,
};

/// The max number of joints that move a vertex; the engine leaves out those that follow (fact sheet B1).
pub const MAX_INFLUENCES: usize = 6;
/// How far from 1 the length of a normal or a quaternion may be. Six digits, as exporters write them,
/// leave it within 1e-6, and the normals that Blender keeps in 16 bits within 5e-5; three digits would
/// leave it within this. What is further off was not made to be of length 1.
pub const LENGTH_TOLERANCE: f32 = 1e-3;
/// Frames a second at which the engine plays a clip unless a script says otherwise (fact sheet B5).
pub const FRAMES_PER_SECOND: f32 = 24.0;

/// A PFOBJ file as plain data, as it is written: nothing is normalised or turned.
#[derive(Debug, Clone, PartialEq)]
pub struct Pfobj {
    /// The version as written, such as `1.0`.
    pub version: String,
    /// Corners of triangles, three after three (fact sheet B1).
    pub vertices: Vec<Vertex>,
    /// The influences of joints on vertices, vertex by vertex ([`Pfobj::influences_of`]).
    pub influences: Vec<Influence>,
    /// Materials in file order; vertices name them by index.
    pub materials: Vec<Material>,
    /// The skeleton, in file order. Empty for a model that does not move.
    pub joints: Vec<Joint>,
    /// Animation sets in file order.
    pub clips: Vec<Clip>,
    /// The declared bounds of the bind pose, in model space; none in a file without collision data, or one that was cut off before it.
    pub bounds: Option<Bounds>,
    /// Whether the head says that there are bounds (`has_collision`).
    pub has_bounds: bool,
    /// Where the vertices stand in the text.
    pub layout: Layout,
    /// Indices of vertices that are placeholders since they could not be read, in rising order.
    pub bad_vertices: Vec<u32>,
    /// Whether lines end in CR LF.
    pub crlf: bool,
    /// Everything that is wrong with the file, in file order.
    /// Of each kind the first hundred are listed, and how many more there are.
    pub problems: Vec<Problem>,
    /// What is not wrong, but worth knowing, in file order.
    pub notes: Vec<Problem>,
}

/// A corner of a triangle (document, section 3.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Place in model space: X left, Y up, Z forward.
    pub position: [f32; 3],
    /// Texture coordinates; (0, 0) is the bottom left of the image, which repeats.
    pub uv: [f32; 2],
    /// Unit vector out of the surface, in model space.
    pub normal: [f32; 3],
    /// Index of the first of its influences in [`Pfobj::influences`].
    pub first_influence: u32,
    /// How many influences it has, at most [`MAX_INFLUENCES`].
    pub influence_count: u8,
    /// Index of its material. It may be outside the list.
    pub material: u32,
}

/// The weight of a joint on a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Index of the joint, from 0. It may be outside the list.
    pub joint: u32,
    /// Relative to the others of the same vertex: they need not sum to 1.
    pub weight: f32,
}

/// A material (document, section 3.3).
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name for people.
    pub name: String,
    /// Factor of the ambient light.
    pub ambient: f32,
    /// Factors of the diffuse light: red, green, blue.
    pub diffuse: [f32; 3],
    /// Factors of the specular light: red, green, blue.
    pub specular: [f32; 3],
    /// File name of the texture, as written.
    pub texture: String,
    /// Line of the file, from 1, of its first line.
    pub line: u64,
    /// Line of the file, from 1, that names the texture.
    pub texture_line: u64,
    /// Column of its texture's name there, in bytes from 1.
    pub texture_column: u32,
}

/// A joint of the skeleton (document, section 3.4).
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name for people.
    pub name: String,
    /// Index of its parent, from 0; none for a root. Never itself or one of its descendants, and
    /// always within the list: what the file says otherwise is a problem, and the joint a root.
    pub parent: Option<u32>,
    /// Its bind pose, relative to its parent.
    pub bind: Transform,
    /// Where the bone ends, relative to the joint, in its own space.
    pub tip: [f32; 3],
    /// Line of the file, from 1.
    pub line: u64,
}

/// Scale, rotation and translation as a file has them; a point is scaled first and moved last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Factors along X, Y and Z.
    pub scale: [f32; 3],
    /// The rotation.
    pub rotation: Rotation,
    /// Along X, Y and Z.
    pub translation: [f32; 3],
}

/// A rotation as a file has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rotation {
    /// X, Y, Z and W of the quaternion whose conjugate is meant (fact sheet B2).
    ConjugatedQuaternion([f32; 4]),
    /// Angles in degrees around X, Y and Z; around Z is turned first (document, section 3.5, and
    /// fact sheet B2).
    EulerDegrees([f32; 3]),
}

/// An animation set (document, section 3.5).
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    /// Name for people.
    pub name: String,
    /// Number of frames, damaged ones included.
    pub frame_count: u32,
    /// Of each frame, the pose of each joint relative to its parent: `frame * joints + joint`. It is the bind
    /// pose where the file has none that can be read.
    pub poses: Vec<Transform>,
    /// The declared bounds of each frame, in model space, `None` where they are missing. Empty if no frame has
    /// bounds.
    pub bounds: Vec<Option<Bounds>>,
    /// Line of the file, from 1, of its first line.
    pub line: u64,
    /// Of each frame, the line of the file of its first joint.
    pub frame_lines: Vec<u64>,
}

/// An axis-aligned box as a file has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The min corner.
    pub min: [f32; 3],
    /// The max corner.
    pub max: [f32; 3],
}

impl Pfobj {
    /// How many whole triangles the vertices make.
    pub fn triangle_count(&self) -> usize {
        self.vertices.len() / 3
    }

    /// Whether clips move its vertices: the engine does not look at weights where there is none
    /// (fact sheet B1).
    pub fn is_skinned(&self) -> bool {
        !self.joints.is_empty() && !self.clips.is_empty()
    }

    /// Whether no joint moves a vertex when clips play, since it has no weights or their sum is 0
    /// (fact sheet B3). Not so in a model without clips, where none needs any.
    pub fn is_unweighted(&self, vertex: &Vertex) -> bool {
        self.is_skinned() && sum_of_weights(self.influences_of(vertex)) == 0.0
    }

    /// Line of the file, from 1, on which a vertex begins.
    pub fn vertex_line(&self, vertex: u32) -> u64 {
        self.layout.line(vertex)
    }

    /// The vertex that a line of the file, from 1, belongs to.
    pub fn vertex_at_line(&self, line: u64) -> Option<u32> {
        self.layout.vertex_at(line)
    }

    /// The pose that a line of the file, from 1, holds: clip, frame and joint. The lines of a frame
    /// are taken to follow each other, as they do unless blank lines are among them.
    pub fn pose_at_line(&self, line: u64) -> Option<(usize, usize, usize)> {
        let last_at = |lines: usize| lines.checked_sub(1);
        let clip = last_at(self.clips.partition_point(|clip| clip.line <= line))?;
        let frames = &self.clips.get(clip)?.frame_lines;
        let frame = last_at(frames.partition_point(|first| *first <= line))?;
        let joint = usize::try_from(line - frames.get(frame)?).ok()?;
        (joint < self.joints.len()).then_some((clip, frame, joint))
    }

    /// The influences on a vertex.
    pub fn influences_of(&self, vertex: &Vertex) -> &[Influence] {
        let first = vertex.first_influence as usize;
        self.influences
            .get(first..first + usize::from(vertex.influence_count))
            .unwrap_or_default()
    }
}

impl Rotation {
    /// Whether it is a rotation for the engine: a quaternion whose length is 1, within
    /// [`LENGTH_TOLERANCE`]. The engine makes none of others, and what they turn is distorted
    /// (fact sheet B2).
    pub fn is_unit(&self) -> bool {
        match self {
            Self::ConjugatedQuaternion(xyzw) => is_unit(xyzw),
            Self::EulerDegrees(_) => false,
        }
    }
}

impl Vertex {
    /// Whether the length of its normal is 0, so that it points nowhere. Also so where the square of
    /// the length is too small for a number of the engine.
    pub fn has_no_normal(&self) -> bool {
        square(&self.normal) == 0.0
    }
}

/// Whether the length of a vector is 1, within [`LENGTH_TOLERANCE`].
#[inline]
fn is_unit(vector: &[f32]) -> bool {
    // The square is twice as far off.
    (square(vector) - 1.0).abs() <= 2.0 * LENGTH_TOLERANCE
}

/// The square of the length of a vector.
#[inline]
fn square(vector: &[f32]) -> f32 {
    vector.iter().map(|number| number * number).sum()
}

/// What the engine divides the weights of a vertex by.
#[inline]
fn sum_of_weights(influences: &[Influence]) -> f32 {
    influences.iter().map(|influence| influence.weight).sum()
}
