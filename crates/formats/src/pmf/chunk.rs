//! The contents of chunks apart from their cubes: regions, lights, lightmaps, vertices (fact sheet
//! A7 to A9).

use std::ops::Range;

use super::bytes::{ChunkIndex, StringRef, StringTable};
use super::codec::{Out, Reader, Stored, records};
use super::cube::{Corners, Cubes};
use super::entities::Entities;
use super::rules;
use crate::ReadError;

/// Largest exponent of a lightmap side, which has 2 to this power luxels.
const MAX_LIGHTMAP_EXPONENT: u8 = 15;

/// The contents of a chunk (document, "Common chunk data").
///
/// Coordinates are in chunk space: metres, the origin at the centre of the chunk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChunkData {
    /// The strings of the common and the client section (fact sheet B6).
    pub strings: StringTable,
    /// Names of the materials, referenced by boxes by index.
    pub materials: Vec<StringRef>,
    /// Names of the physics materials, referenced by boxes by index.
    pub physics_materials: Vec<StringRef>,
    /// Names of the sound materials, referenced by boxes by index. The level has no names to match
    /// them (fact sheet B12).
    pub sound_materials: Vec<StringRef>,
    /// Regions with different weather.
    pub weather_regions: Vec<EnvironmentRegion>,
    /// Regions with different gravity.
    pub gravity_regions: Vec<EnvironmentRegion>,
    /// Lights with lightmaps of their own.
    pub dynamic_lights: Vec<DynamicLight>,
    /// Lights that colour vertices.
    pub fast_lights: Vec<FastLight>,
    /// The octree.
    pub cubes: Cubes,
    /// Visible and audible data; `None` without a client section.
    pub client: Option<ChunkClient>,
    /// Data for the server only; `None` without a server section.
    pub server: Option<ChunkServer>,
    /// `true` if a part of the chunk was unreadable and is left out.
    pub is_damaged: bool,
}

/// Visible and audible data of a chunk (document, "Client chunk data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChunkClient {
    /// Regions with a different sound environment.
    pub sound_regions: Vec<EnvironmentRegion>,
    /// Regions with a different sky.
    pub sky_regions: Vec<EnvironmentRegion>,
    /// Lightmaps, referenced by the sides of boxes by index.
    pub lightmaps: Vec<Lightmap>,
    /// Vertices of all boxes.
    pub vertices: Vec<Vertex>,
    /// Normals of all boxes.
    pub normals: Vec<[f32; 3]>,
    /// Appearance of each of [`ChunkData::dynamic_lights`], in the same order.
    pub dynamic_lights: Vec<ClientDynamicLight>,
    /// Appearance of each of [`ChunkData::fast_lights`], in the same order.
    pub fast_lights: Vec<ClientFastLight>,
}

/// Server-only data of a chunk (document, "Server chunk data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChunkServer {
    /// The strings of the section.
    pub strings: StringTable,
    /// Regions in which other chunks are awake.
    pub regions: Vec<ServerRegion>,
    /// Entities, in chunk space.
    pub entities: Entities,
}

/// A part of a chunk with an environment of its own (document, "Environment region").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnvironmentRegion {
    /// Its corners relative to the centre of the chunk, in the order of
    /// [`corner_signs`](super::corner_signs).
    pub corners: Corners,
    /// Name of the environment.
    pub environment: StringRef,
}

impl Stored for EnvironmentRegion {
    const MIN_BYTES: usize = 100;

    /// Reads a region. A region whose corners are not finite is dropped later.
    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        Ok(Self {
            corners: r.corners()?,
            environment: r.read()?,
        })
    }

    fn write(&self, out: &mut Out) {
        self.corners.write(out);
        self.environment.write(out);
    }
}

records! {
    /// A light with lightmaps of its own (document, "Dynamic light").
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DynamicLight {
        /// Bits: [`DynamicLight::ENABLED`] and [`DynamicLight::PRESERVE`].
        pub flags: u8,
        /// Its number in the map, by which entities refer to it.
        pub id: u32,
    }

    /// A light that colours vertices (document, "Fast light").
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FastLight {
        /// The same bits as in [`DynamicLight`].
        pub flags: u8,
        /// Initial brightness; 255 is full.
        pub intensity: u8,
        /// Its number in the map, by which entities refer to it.
        pub id: u32,
    }
}

impl DynamicLight {
    /// Initially on.
    pub const ENABLED: u8 = 0x01;
    /// Keeps its state when players leave and come back.
    pub const PRESERVE: u8 = 0x02;
    pub(super) const FLAGS: u8 = Self::ENABLED | Self::PRESERVE;
}

/// An image of the light on surfaces (document, "Lightmap").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lightmap {
    /// Exponent of its side: 2 to this power luxels; at most 15.
    pub exponent: u8,
    /// Red, green and blue of each luxel, row by row from the top (fact sheet B14).
    pub luxels: Vec<u8>,
}

impl Lightmap {
    /// Number of luxels per side.
    pub fn side(&self) -> u32 {
        1_u32.checked_shl(self.exponent.into()).unwrap_or(0)
    }
}

impl Stored for Lightmap {
    const MIN_BYTES: usize = 4;

    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        let exponent: u8 = r.read()?;
        if exponent > MAX_LIGHTMAP_EXPONENT {
            let at = r.cursor.pos() - 1;
            let found = format!("2^{exponent} luxels on each side");
            return Err(r
                .cursor
                .fault(&rules::LIGHTMAP_SIZE, at, found, "at most 2^15"));
        }
        let luxels = r.cursor.bytes(3_usize << (2 * exponent))?.to_vec();
        Ok(Self { exponent, luxels })
    }

    fn write(&self, out: &mut Out) {
        let luxels = 3 * (self.side() as usize).pow(2);
        out.check_len("luxels of a lightmap", self.luxels.len(), luxels);
        self.exponent.write(out);
        out.bytes.extend(&self.luxels);
    }
}

/// A vertex (document, "Vertex").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vertex {
    /// Position in chunk space, in metres.
    pub position: [f32; 3],
    /// Texture coordinates: V down, and the texture repeats.
    pub uv: [f32; 2],
    /// Lightmap coordinates: V down, 0 to 1 over the map.
    pub lightmap_uv: [f32; 2],
}

impl Stored for Vertex {
    const MIN_BYTES: usize = 28;
    const COUNT_BYTES: usize = 4;

    /// Reads a vertex. Faces with non-finite vertices are omitted.
    #[inline]
    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        let [x, y, z, u, v, s, t] = r.cursor.floats()?;
        Ok(Self {
            position: [x, y, z],
            uv: [u, v],
            lightmap_uv: [s, t],
        })
    }

    fn write(&self, out: &mut Out) {
        self.position.write(out);
        [self.uv, self.lightmap_uv].write(out);
    }
}

impl Vertex {
    /// Returns `true` if all of its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let mut numbers = self
            .position
            .iter()
            .chain(&self.uv)
            .chain(&self.lightmap_uv);
        numbers.all(|number| number.is_finite())
    }
}

/// Appearance of a dynamic light (document, "Client-side dynamic light").
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientDynamicLight {
    /// Red, green, blue.
    pub color: [u8; 3],
    /// Its light on surfaces.
    pub layers: Vec<LightLayer>,
}

/// The contribution of a dynamic light to a lightmap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightLayer {
    /// Index of the lightmap that it is added to. Always within the list.
    pub lightmap: u8,
    /// Luxels in the layout of that lightmap (fact sheet B16).
    pub luxels: Vec<u8>,
}

/// Appearance of a fast light (document, "Client-side fast light").
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientFastLight {
    /// Red, green, blue.
    pub color: [u8; 3],
    ranges: Vec<FastRange>,
    multipliers: Vec<u8>,
}

/// A range of vertices that a fast light reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FastRange {
    first_vertex: u32,
    first_multiplier: u32,
}

impl ClientFastLight {
    /// A light that reaches no vertices.
    pub fn new(color: [u8; 3]) -> Self {
        Self {
            color,
            ..Self::default()
        }
    }

    /// The ranges of the chunk's vertices that it reaches, in rising order, with a multiplier per
    /// vertex; 255 is the full light (fact sheet B17).
    pub fn ranges(&self) -> impl Iterator<Item = (Range<u32>, &[u8])> {
        let nexts = self.ranges.iter().skip(1).map(|next| next.first_multiplier);
        let ends = nexts.chain([self.multipliers.len() as u32]);
        self.ranges.iter().zip(ends).map(|(range, end)| {
            let multipliers = range.first_multiplier as usize..end as usize;
            let multipliers = self.multipliers.get(multipliers).unwrap_or_default();
            let end = range.first_vertex.saturating_add(multipliers.len() as u32);
            (range.first_vertex..end, multipliers)
        })
    }

    /// Appends a range of vertices.
    pub fn push_range(&mut self, first_vertex: u32, multipliers: &[u8]) {
        self.ranges.push(FastRange {
            first_vertex,
            first_multiplier: self.multipliers.len() as u32,
        });
        self.multipliers.extend(multipliers);
    }
}

/// A part of a chunk in which other chunks are awake (document, "Region"), in chunk space.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRegion {
    /// The corner of max X, Y and Z; it may be below the other.
    pub max: [f32; 3],
    /// The corner of min X, Y and Z.
    pub min: [f32; 3],
    /// The other chunks. They may be outside the grid.
    pub chunks: Vec<ChunkIndex>,
}

impl Stored for ServerRegion {
    const MIN_BYTES: usize = 28;

    /// Reads a region. A region whose corners are not finite is dropped later.
    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        Ok(Self {
            max: r.cursor.floats()?,
            min: r.cursor.floats()?,
            chunks: r.read()?,
        })
    }

    fn write(&self, out: &mut Out) {
        [self.max, self.min].write(out);
        self.chunks.write(out);
    }
}
