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

/// The reason why nothing of a model can be shown: it has no readable vertex and no joint.
pub use crate::ReadError as PfobjError;

use crate::{Format, Problem};

/// The entry of PFOBJ in the table of formats.
pub static FORMAT: Format = Format {
    id: "pfobj",
    name: "Permafrost Engine model",
    endings: &["pfobj"],
    sniff: read::sniff,
};

/// Maximum number of joints that move a vertex; the engine ignores further ones (fact sheet B1).
pub const MAX_INFLUENCES: usize = 6;
/// Tolerance for the length of a unit normal or quaternion. Six digits, as exporters write them,
/// leave it within 1e-6, and the normals that Blender keeps in 16 bits within 5e-5; three digits
/// would leave it within this. A vector further off was not meant to have length 1.
pub const LENGTH_TOLERANCE: f32 = 1e-3;
/// Frames per second at which the engine plays a clip, unless a script sets another rate (fact
/// sheet B5).
pub const FRAMES_PER_SECOND: f32 = 24.0;

/// A PFOBJ file as plain data, as it is written: nothing is normalised or rotated.
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
    /// The declared bounds of the bind pose, in model space; `None` in a file without collision
    /// data, or one that is truncated before them.
    pub bounds: Option<Bounds>,
    /// `true` if the head announces bounds (`has_collision`).
    pub has_bounds: bool,
    /// Positions of the vertices in the text.
    pub layout: Layout,
    /// Indices of placeholders for unreadable vertices, ascending.
    pub bad_vertices: Vec<u32>,
    /// `true` if lines end in CR LF.
    pub crlf: bool,
    /// All faults of the file, in file order. The first hundred of each kind are listed, followed
    /// by the number of further ones.
    pub problems: Vec<Problem>,
    /// Noteworthy properties that are not faults, in file order.
    pub notes: Vec<Problem>,
}

/// A corner of a triangle (document, section 3.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Position in model space: X left, Y up, Z forward.
    pub position: [f32; 3],
    /// Texture coordinates; (0, 0) is the bottom left of the image, which repeats.
    pub uv: [f32; 2],
    /// Unit vector out of the surface, in model space.
    pub normal: [f32; 3],
    /// Index of the first of its influences in [`Pfobj::influences`].
    pub first_influence: u32,
    /// Number of its influences, at most [`MAX_INFLUENCES`].
    pub influence_count: u8,
    /// Index of its material. It may be outside the list.
    pub material: u32,
}

/// The weight of a joint on a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Index of the joint, from 0. It may be outside the list.
    pub joint: u32,
    /// Weight relative to the others of the same vertex: they need not sum to 1.
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
    /// First line of the material in the file, from 1.
    pub line: u64,
    /// Line of the texture in the file, from 1.
    pub texture_line: u64,
    /// Column of the texture's name in that line, in bytes from 1.
    pub texture_column: u32,
}

/// A joint of the skeleton (document, section 3.4).
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name for people.
    pub name: String,
    /// Index of its parent, from 0; `None` for a root. It is always in the list, and never the
    /// joint itself or a descendant. If the file contradicts that, it is a problem, and the joint
    /// is a root.
    pub parent: Option<u32>,
    /// Its bind pose, relative to its parent.
    pub bind: Transform,
    /// End of the bone, relative to the joint, in the joint's space.
    pub tip: [f32; 3],
    /// Line of the file, from 1.
    pub line: u64,
}

/// Scale, rotation and translation as written; a point is scaled first and translated last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Factors along X, Y and Z.
    pub scale: [f32; 3],
    /// The rotation.
    pub rotation: Rotation,
    /// Along X, Y and Z.
    pub translation: [f32; 3],
}

/// A rotation as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rotation {
    /// X, Y, Z and W of a quaternion; the rotation is its conjugate (fact sheet B2).
    ConjugatedQuaternion([f32; 4]),
    /// Angles in degrees around X, Y and Z; the rotation around Z comes first (document, section
    /// 3.5, and fact sheet B2).
    EulerDegrees([f32; 3]),
}

/// An animation set (document, section 3.5).
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    /// Name for people.
    pub name: String,
    /// Number of frames, damaged ones included.
    pub frame_count: u32,
    /// The pose of each joint in each frame, relative to its parent: `frame * joints + joint`.
    /// Unreadable poses are the bind pose.
    pub poses: Vec<Transform>,
    /// The declared bounds of each frame, in model space; `None` if they are missing. Empty if no
    /// frame has bounds.
    pub bounds: Vec<Option<Bounds>>,
    /// First line of the clip in the file, from 1.
    pub line: u64,
    /// Line of the first joint of each frame.
    pub frame_lines: Vec<u64>,
}

/// An axis-aligned box as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The min corner.
    pub min: [f32; 3],
    /// The max corner.
    pub max: [f32; 3],
}

impl Pfobj {
    /// Number of whole triangles.
    pub fn triangle_count(&self) -> usize {
        self.vertices.len() / 3
    }

    /// `true` if clips move its vertices: the engine ignores weights in a model without clips (fact
    /// sheet B1).
    pub fn is_skinned(&self) -> bool {
        !self.joints.is_empty() && !self.clips.is_empty()
    }

    /// `true` if no joint moves a vertex when clips play, since it has no weights or their sum is 0
    /// (fact sheet B3). `false` in a model without clips, which needs no weights.
    pub fn is_unweighted(&self, vertex: &Vertex) -> bool {
        self.is_skinned() && sum_of_weights(self.influences_of(vertex)) == 0.0
    }

    /// Line of the file, from 1, on which a vertex begins.
    pub fn vertex_line(&self, vertex: u32) -> u64 {
        self.layout.line(vertex)
    }

    /// Index of the vertex that a line of the file, from 1, belongs to.
    pub fn vertex_at_line(&self, line: u64) -> Option<u32> {
        self.layout.vertex_at(line)
    }

    /// The pose on a line of the file, from 1: clip, frame and joint. Assumes that a frame has no
    /// blank lines.
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
    /// `true` if the engine takes it as a rotation: a quaternion whose length is 1, within
    /// [`LENGTH_TOLERANCE`]. The engine does not normalise others, so they distort the model (fact
    /// sheet B2).
    pub fn is_unit(&self) -> bool {
        match self {
            Self::ConjugatedQuaternion(xyzw) => is_unit(xyzw),
            Self::EulerDegrees(_) => false,
        }
    }
}

impl Vertex {
    /// `true` if the length of its normal is 0, so that it has no direction. That includes lengths
    /// whose square is too small for the engine's numbers.
    pub fn has_no_normal(&self) -> bool {
        square(&self.normal) == 0.0
    }
}

/// `true` if the length of a vector is 1, within [`LENGTH_TOLERANCE`].
#[inline]
fn is_unit(vector: &[f32]) -> bool {
    // Squaring doubles the deviation.
    (square(vector) - 1.0).abs() <= 2.0 * LENGTH_TOLERANCE
}

/// The squared length of a vector.
#[inline]
fn square(vector: &[f32]) -> f32 {
    vector.iter().map(|number| number * number).sum()
}

/// The divisor of a vertex's weights in the engine.
#[inline]
fn sum_of_weights(influences: &[Influence]) -> f32 {
    influences.iter().map(|influence| influence.weight).sum()
}
