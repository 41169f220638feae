//! PMF, the maps of `PlatinumSrc`: levels of chunks, each an octree of cubes.
//!
//! The layout follows the format's document (`pmf.txt`) and, where it is silent, the fact sheet
//! (sections A and B). Coordinates are those of the file, without conversion: left-handed, X right,
//! Y up, Z forward, one unit is a metre.

mod bytes;
mod chunk;
mod chunk_codec;
mod codec;
mod cube;
mod cube_codec;
mod entities;
mod entity_fields;
mod entity_kinds;
mod entity_properties;
#[cfg(feature = "write")]
mod entity_write;
mod header;
mod level;
mod newer;
mod read;
pub(crate) mod rules;
#[cfg(feature = "write")]
mod string_builder;
#[cfg(feature = "write")]
mod write;

pub use bytes::{
    ChunkIndex, LONGEST_NAME_BYTES, LONGEST_PATH_BYTES, Part, Side, StringRef, StringTable,
};
pub use chunk::{
    ChunkClient, ChunkData, ChunkServer, ClientDynamicLight, ClientFastLight, DynamicLight,
    EnvironmentRegion, FastLight, LightLayer, Lightmap, ServerRegion, Vertex,
};
pub use cube::{
    BadChild, Cell, ChildFault, Collider, Corners, Cube, CubeKind, Cubes, Face, Geometry,
    LightInfo, LightReference, NO_LIGHTMAP, Parent, PathAttribute, PathInfo, SIDE_CORNERS, SIDES,
    VisChunk, VisInfo, corner_signs,
};
pub use entities::{Entities, Entity, FieldValue};
pub use entity_fields::{Field, FieldKind, Signal, Unit, Value};
pub use entity_kinds::EntityKind;
pub use entity_properties::{Property, PropertyKind, PropertyRecord, PropertyValues};
#[cfg(feature = "write")]
pub use entity_write::{EntityList, NewEntity};
pub use header::{Extension, Header, MAX_GAMEMODES};
pub use level::{
    ClientMaterial, Gravity, LevelClient, LevelCommon, Material, PhysicsMaterial, Sky,
    SoundEnvironment, SoundMaterial, Wave, Weather,
};
pub use read::{read, read_archive, read_with};
pub(crate) use rules::RULES;
#[cfg(feature = "write")]
pub use string_builder::StringTableBuilder;
#[cfg(feature = "write")]
pub use write::{Packing, write};

/// The reason why a map cannot be shown.
pub use crate::ReadError as PmfError;
/// The reason why a map cannot be written.
pub use crate::WriteError;

use crate::paf::Archive;
use crate::{Format, Problem, lz4};

/// The table entry for PMF.
pub static FORMAT: Format = Format {
    id: "pmf",
    name: "PlatinumSrc map",
    endings: &["pmf"],
    sniff: header::sniff,
};

/// Date of the supported revision of the format's document. Its author has changed the layout since
/// then without changing the version number.
pub const DOCUMENT_DATE: &str = "2025-09-15";

/// A PMF file as plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Pmf {
    /// Metadata of the map.
    pub header: Header,
    /// The strings of [`Pmf::entities`].
    pub strings: StringTable,
    /// The embedded files, if any.
    pub archive: Option<Archive>,
    /// Extensions of the format.
    pub extensions: Vec<Extension>,
    /// Levels in file order.
    pub levels: Vec<Level>,
    /// Entities of all levels, in world space: the origin is the centre of the centre chunk.
    pub entities: Entities,
    /// All problems of the file, in file order. Limited to the first hundred of each kind, plus the
    /// number of further ones.
    pub problems: Vec<Problem>,
}

/// A compressed section of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame {
    /// File offset of its LZ4 frame.
    pub start: u64,
    /// Size in the file, in bytes.
    pub packed: u32,
    /// Decoded size, in bytes.
    pub unpacked: u32,
}

/// A level (document, "Level data").
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Flags for the state that players keep when they arrive from another level:
    /// [`Level::KEEP_VELOCITY`], [`Level::KEEP_CHUNK`] and [`Level::KEEP_PLACE`].
    pub flags: u8,
    /// File offset of the level.
    pub offset: u64,
    /// Size in the file, in bytes.
    pub size: u32,
    /// Its common, client and server sections.
    pub frames: [Frame; 3],
    /// Number of chunks along Y, X and Z; 0 if unreadable.
    pub grid: [u32; 3],
    /// Base-2 logarithm of the edge length of a chunk in metres; at most 24.
    pub chunk_exponent: u8,
    /// The chunk whose centre is the origin of world space. It may be outside the grid.
    pub center: ChunkIndex,
    /// Data shared by client and server.
    pub common: LevelCommon,
    /// Visible and audible data; `None` without a client section.
    pub client: Option<LevelClient>,
    /// Server-only data; `None` without a server section.
    pub server: Option<LevelServer>,
    /// Its chunks in file order: Z changes fastest, then X, then Y. Empty if their directory is
    /// unreadable.
    pub chunks: Vec<Chunk>,
}

/// Server-only data of a level (document, "Server level data").
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LevelServer {
    /// The strings of the section.
    pub strings: StringTable,
    /// Entities of the level, in world space.
    pub entities: Entities,
}

/// A chunk of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Its position in the grid.
    pub index: ChunkIndex,
    /// Its common, client and server sections.
    pub frames: [Frame; 3],
    /// Its readable contents; `None` if its cubes are unreadable.
    pub data: Option<Box<ChunkData>>,
}

/// Index in file order of the chunk at a position in a grid; `None` outside the grid.
fn chunk_number(grid: [u32; 3], index: ChunkIndex) -> Option<usize> {
    if !chunk_codec::is_inside(grid, index) {
        return None;
    }
    let [y, x, z] = index.yxz().map(|at| at as usize);
    let [_, x_count, z_count] = grid.map(|count| count as usize);
    Some((y * x_count + x) * z_count + z)
}

impl Chunk {
    /// End of its last section in the file.
    fn end(&self) -> u64 {
        self.frames.iter().map(Frame::end).max().unwrap_or(0)
    }

    /// Returns `true` if the whole chunk was read.
    pub fn is_whole(&self) -> bool {
        self.data.as_ref().is_some_and(|data| !data.is_damaged)
    }
}

impl Level {
    /// Players keep their velocity.
    pub const KEEP_VELOCITY: u8 = 0x04;
    /// Players keep the position of their chunk relative to the centre chunk.
    pub const KEEP_CHUNK: u8 = 0x02;
    /// Players keep their position within a chunk.
    pub const KEEP_PLACE: u8 = 0x01;

    /// The chunk at a position in the grid; `None` outside the grid.
    pub fn chunk(&self, index: ChunkIndex) -> Option<&Chunk> {
        self.chunks.get(self.chunk_number(index)?)
    }

    /// Index in [`Level::chunks`] of the chunk at a position in the grid; `None` outside the grid.
    pub fn chunk_number(&self, index: ChunkIndex) -> Option<usize> {
        chunk_number(self.grid, index).filter(|number| *number < self.chunks.len())
    }

    /// Edge length of a chunk, in metres.
    pub fn chunk_side(&self) -> f32 {
        f32::from(self.chunk_exponent).exp2()
    }

    /// The centre of a chunk in world space, in metres (fact sheet B10).
    pub fn chunk_center(&self, index: ChunkIndex) -> [f32; 3] {
        let [y, x, z] = index.yxz().map(|at| at as f32);
        let [center_y, center_x, center_z] = self.center.yxz().map(|at| at as f32);
        let side = self.chunk_side();
        [
            (x - center_x) * side,
            (y - center_y) * side,
            (z - center_z) * side,
        ]
    }
}
