//! The chunks of a level on the GPU. Their vertices, indices and tints are in a few large buffers,
//! to which they are uploaded one by one.

use std::ops::Range;

use crate::gpu::{Gpu, UploadError, buffer, check_buffer_size};
use mapscope_scene::level::materials::Blend;
use mapscope_scene::level::mesh::{ChunkMesh, LevelVertex, Part};
use mapscope_scene::level::tint::{PLAIN, Tint};
use mapscope_scene::{Aabb, level, map_parallel};

/// Size of the vertices of a block in bytes.
const BLOCK_BYTES: u64 = 32 << 20;

const VERTEX_BYTES: u64 = size_of::<LevelVertex>() as u64;
const TINT_BYTES: u64 = size_of::<[u8; 4]>() as u64;
const INDEX_BYTES: u64 = size_of::<u32>() as u64;

/// Buffers that several chunks share. Each is created on demand.
#[derive(Debug, Default)]
pub(super) struct Block {
    vertex_count: u64,
    index_count: u64,
    transparent_count: u64,
    pub(super) vertices: Option<wgpu::Buffer>,
    pub(super) indices: Option<wgpu::Buffer>,
    /// A tint for each vertex.
    pub(super) tints: Option<wgpu::Buffer>,
}

/// Triangles of a chunk with the same material.
#[derive(Debug)]
pub(super) struct ChunkPart {
    pub(super) part: Part,
    /// Starts of its groups of indices: those flat on +X, +Y, +Z, -X, -Y and -Z, then all others;
    /// and the end of the last group.
    bounds: [u32; 8],
    /// The same for merged faces.
    merged: [u32; 8],
}

/// A chunk of a level.
#[derive(Debug)]
pub(super) struct LevelChunk {
    /// Number of the chunk in the level.
    pub(super) number: usize,
    pub(super) bounds: Aabb,
    pub(super) block: usize,
    /// Its first vertex and index in the buffers of its block.
    pub(super) first_vertex: u32,
    first_index: u32,
    pub(super) parts: Vec<ChunkPart>,
    /// The first of its sorted transparent indices in those of its block.
    pub(super) first_transparent: u32,
    /// `true` if it is uploaded.
    pub(super) is_uploaded: bool,
    /// Mean length of the edges of faces that can be merged, in metres; `None` without such faces.
    pub(super) merged_edge_len: Option<f32>,
    /// The tint of all vertices, unless each has its own.
    pub(super) same_tint: Option<[u8; 4]>,
    /// `true` if its tint darkens it.
    pub(super) darkens: bool,
    /// Intensity of each of its dynamic lights, as painted on its lightmaps.
    pub(super) painted: Vec<u8>,
}

impl ChunkPart {
    /// The index ranges to draw, without the sides in `away` (one bit each), which are seen from
    /// behind.
    pub(super) fn toward(&self, away: u8, is_merged: bool) -> impl Iterator<Item = Range<u32>> {
        let bounds = if is_merged {
            &self.merged
        } else {
            &self.bounds
        };
        let is_drawn = move |group: usize| away & (1 << group) == 0;
        // A run of groups is one range, from its first group to the end of its last one.
        let begins = (0..7)
            .filter(move |group| is_drawn(*group) && !group.checked_sub(1).is_some_and(is_drawn));
        let runs = begins.map(move |first| {
            let end = (first..7).find(|group| !is_drawn(*group)).unwrap_or(7);
            bounds[first]..bounds[end]
        });
        runs.filter(|range| !range.is_empty())
    }
}

impl LevelChunk {
    /// Lays out the chunks of a level in blocks.
    pub(super) fn arrange(
        gpu: &Gpu,
        level: &level::Level,
    ) -> Result<(Vec<Self>, Vec<Block>), UploadError> {
        let mut blocks = vec![Block::default()];
        let mut chunks = Vec::with_capacity(level.chunks.len());
        for mesh in &level.chunks {
            let vertices = mesh.vertices.len() as u64;
            let bytes = vertices * VERTEX_BYTES;
            check_buffer_size(gpu, "a chunk", bytes)?;
            let is_full = |block: &Block| {
                block.vertex_count > 0 && block.vertex_count * VERTEX_BYTES + bytes > BLOCK_BYTES
            };
            if blocks.last().is_some_and(is_full) {
                blocks.push(Block::default());
            }
            let number = blocks.len() - 1;
            let Some(block) = blocks.last_mut() else {
                continue;
            };
            let first_index = block.index_count as u32;
            let first_merged = first_index + mesh.indices.len() as u32;
            let parts = mesh.parts.iter().enumerate().map(|(number, (part, _))| {
                let bounds = [false, true].map(|is_merged| mesh.drawn_bounds(number, is_merged));
                let [bounds, merged] = bounds.map(Option::unwrap_or_default);
                ChunkPart {
                    part: part.clone(),
                    bounds: bounds.map(|at| first_index + at),
                    merged: merged.map(|at| first_merged + at),
                }
            });
            chunks.push(Self {
                number: mesh.chunk,
                bounds: mesh.bounds,
                block: number,
                first_vertex: block.vertex_count as u32,
                first_index,
                parts: parts.collect(),
                is_uploaded: false,
                merged_edge_len: (!mesh.merged.indices.is_empty()).then_some(mesh.edge_len),
                same_tint: Some(PLAIN),
                darkens: false,
                painted: Vec::new(),
                first_transparent: block.transparent_count as u32,
            });
            // Buffer writes are aligned to eight bytes.
            block.vertex_count += vertices.next_multiple_of(2);
            block.index_count += index_count(mesh).next_multiple_of(2);
            let alpha = mesh.parts.iter().filter(|(p, _)| p.blend == Blend::Alpha);
            block.transparent_count += alpha.map(|(_, range)| range.len() as u64).sum::<u64>();
            check_buffer_size(gpu, "a chunk", block.index_count * INDEX_BYTES)?;
        }
        Ok((chunks, blocks))
    }

    /// Uploads its vertices and indices.
    pub(super) fn upload(&mut self, gpu: &Gpu, block: &mut Block, mesh: &ChunkMesh) {
        if !mesh.vertices.is_empty() {
            let vertices = block.vertices.get_or_insert_with(|| {
                let size = block.vertex_count * VERTEX_BYTES;
                buffer(gpu, "chunks", size, wgpu::BufferUsages::VERTEX)
            });
            let at = u64::from(self.first_vertex) * VERTEX_BYTES;
            gpu.queue
                .write_buffer(vertices, at, bytemuck::cast_slice(&mesh.vertices));
        }
        if !mesh.indices.is_empty() {
            let indices = block.indices.get_or_insert_with(|| {
                let size = block.index_count * INDEX_BYTES;
                buffer(gpu, "triangles", size, wgpu::BufferUsages::INDEX)
            });
            let at = u64::from(self.first_index) * INDEX_BYTES;
            let exact = bytemuck::cast_slice(&mesh.indices);
            let merged = bytemuck::cast_slice(&mesh.merged.indices);
            gpu.queue.write_buffer(indices, at, exact);
            gpu.queue
                .write_buffer(indices, at + exact.len() as u64, merged);
        }
        self.is_uploaded = true;
    }

    /// Uploads its tint. `same_tints` has one tint per chunk, at `index` for this one.
    pub(super) fn upload_tint(
        &mut self,
        gpu: &Gpu,
        block: &mut Block,
        (same_tints, index): (&wgpu::Buffer, usize),
        tint: &Tint,
    ) {
        let takes_away = |tint: &[u8; 4]| tint[3] != PLAIN[3];
        self.darkens = match tint {
            Tint::Same(tint) => takes_away(tint),
            Tint::Each(tints) => tints.iter().any(takes_away),
        };
        match tint {
            Tint::Same(tint) => {
                if self.same_tint != Some(*tint) {
                    let at = index as u64 * TINT_BYTES;
                    gpu.queue.write_buffer(same_tints, at, tint);
                }
                self.same_tint = Some(*tint);
            }
            Tint::Each(tints) => {
                let buffer = block.tints.get_or_insert_with(|| {
                    let size = block.vertex_count * TINT_BYTES;
                    buffer(gpu, "tints", size, wgpu::BufferUsages::VERTEX)
                });
                let at = u64::from(self.first_vertex) * TINT_BYTES;
                gpu.queue
                    .write_buffer(buffer, at, bytemuck::cast_slice(tints));
                self.same_tint = None;
            }
        }
    }

    /// Uploads the vertices and indices of all chunks in parallel. Returns the results of `and` for
    /// each mesh. `meshes` are in the order of `chunks`.
    pub(super) fn upload_all<T: Send>(
        gpu: &Gpu,
        (chunks, blocks): (&mut [Self], &mut [Block]),
        meshes: &[ChunkMesh],
        and: impl Fn(&ChunkMesh) -> T + Sync,
    ) -> Vec<T> {
        for block in &mut *blocks {
            let (vertices, indices) = (wgpu::BufferUsages::VERTEX, wgpu::BufferUsages::INDEX);
            let size = block.vertex_count * VERTEX_BYTES;
            block.vertices = mapped(gpu, "chunks", size, vertices);
            let size = block.index_count * INDEX_BYTES;
            block.indices = mapped(gpu, "triangles", size, indices);
        }
        let write = |number: usize| {
            let (chunk, mesh) = (chunks.get(number)?, meshes.get(number)?);
            let block = blocks.get(chunk.block)?;
            let at = u64::from(chunk.first_vertex) * VERTEX_BYTES;
            let vertices = bytemuck::cast_slice(&mesh.vertices);
            fill(block.vertices.as_ref(), at, [vertices, &[]]);
            let at = u64::from(chunk.first_index) * INDEX_BYTES;
            let indices = [&mesh.indices, &mesh.merged.indices];
            let indices = indices.map(|indices| bytemuck::cast_slice(indices));
            fill(block.indices.as_ref(), at, indices);
            Some(and(mesh))
        };
        let results = map_parallel(chunks.len(), write);
        let buffers = blocks.iter().flat_map(|b| [&b.vertices, &b.indices]);
        for buffer in buffers.flatten() {
            buffer.unmap();
        }
        for chunk in chunks {
            chunk.is_uploaded = true;
        }
        results.into_iter().flatten().collect()
    }

    /// Approximate number of bytes to upload.
    pub(super) fn bytes(mesh: &ChunkMesh) -> u64 {
        let vertices = mesh.vertices.len() as u64 * (VERTEX_BYTES + TINT_BYTES);
        vertices + index_count(mesh) * INDEX_BYTES
    }
}

/// Number of indices of a chunk in the buffer: all faces, then merged faces.
fn index_count(mesh: &ChunkMesh) -> u64 {
    (mesh.indices.len() + mesh.merged.indices.len()) as u64
}

impl Block {
    /// Bytes of GPU memory.
    pub(super) fn gpu_bytes(&self) -> u64 {
        let buffers = [&self.vertices, &self.indices, &self.tints];
        buffers.into_iter().flatten().map(wgpu::Buffer::size).sum()
    }

    /// Creates a buffer for the sorted indices of its transparent faces.
    pub(super) fn sorted_indices(&self, gpu: &Gpu) -> wgpu::Buffer {
        let size = self.transparent_count * INDEX_BYTES;
        buffer(gpu, "sorted triangles", size, wgpu::BufferUsages::INDEX)
    }
}

/// Creates a buffer with a plain tint for each chunk.
pub(super) fn same_tints(gpu: &Gpu, chunks: usize) -> wgpu::Buffer {
    gpu.filled_buffer(
        "tints of chunks",
        bytemuck::cast_slice(&vec![PLAIN; chunks.max(1)]),
        wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
    )
}

/// Creates a mapped buffer; `None` if it would be empty.
fn mapped(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> Option<wgpu::Buffer> {
    let descriptor = wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | gpu.filled_usage(),
        mapped_at_creation: true,
    };
    (size > 0).then(|| gpu.device.create_buffer(&descriptor))
}

/// Writes bytes, one part after the other, into a mapped buffer.
fn fill(buffer: Option<&wgpu::Buffer>, at: u64, parts: [&[u8]; 2]) {
    let [first, second] = parts;
    let size = (first.len() + second.len()) as u64;
    let Some(buffer) = buffer.filter(|_| size > 0) else {
        return;
    };
    match buffer.get_mapped_range_mut(at..at + size) {
        Ok(mut room) => {
            let (mut of_first, mut of_second) = room.slice(..).split_at(first.len());
            of_first.copy_from_slice(first);
            of_second.copy_from_slice(second);
        }
        Err(error) => log::error!("filling a buffer: {error}"),
    }
}
