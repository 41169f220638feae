//! The caps of the clip box on the GPU. They are rebuilt if the box moves or items are hidden.

use crate::gpu::{Gpu, buffers, check_buffer_size};
use mapscope_scene::level::Map;
use mapscope_scene::level::caps::CapVertex;
use mapscope_scene::{Aabb, Item, Shown};

/// The caps of the shown level.
#[derive(Debug, Default)]
pub(super) struct Caps {
    /// Their sources: the level, the clip box and the hidden items.
    level: usize,
    cut: Option<Aabb>,
    hidden: Vec<Item>,
    vertices: Option<wgpu::Buffer>,
    count: u32,
}

impl Caps {
    /// Rebuilds them if their sources have changed.
    pub(super) fn update(&mut self, gpu: &Gpu, map: &Map, shown: &Shown) {
        let is_same = self.level == shown.level && self.hidden == shown.hidden;
        if self.cut == shown.cut && (is_same || self.cut.is_none()) {
            return;
        }
        self.level = shown.level;
        self.cut = shown.cut;
        self.hidden.clone_from(&shown.hidden);
        let vertices = map.caps(shown);
        let bytes: &[u8] = bytemuck::cast_slice(&vertices);
        let size = bytes.len() as u64;
        self.count = 0;
        if bytes.is_empty() {
            return;
        }
        if let Err(error) = check_buffer_size(gpu, "the caps of the cut", size) {
            log::warn!("{error}");
            return;
        }
        self.count = vertices.len() as u32;
        // While a slider is dragged, each frame has new caps.
        let buffer = self.vertices.take().filter(|buffer| buffer.size() >= size);
        let buffer = buffer.unwrap_or_else(|| {
            let room = size.next_power_of_two();
            buffers::buffer(gpu, "caps", room, wgpu::BufferUsages::VERTEX)
        });
        gpu.queue.write_buffer(&buffer, 0, bytes);
        self.vertices = Some(buffer);
    }

    /// `true` without caps.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The vertices and their number; `None` without caps.
    pub(super) fn vertices(&self) -> Option<(&wgpu::Buffer, u32)> {
        let buffer = self.vertices.as_ref()?;
        (!self.is_empty()).then_some((buffer, self.count))
    }

    /// The vertex attributes.
    pub(super) fn attributes() -> [wgpu::VertexAttribute; 2] {
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Uint32]
    }

    /// Bytes of GPU memory.
    pub(super) fn gpu_bytes(&self) -> u64 {
        self.vertices.as_ref().map_or(0, wgpu::Buffer::size)
    }
}

/// Bytes per vertex.
pub(super) const STRIDE: u64 = size_of::<CapVertex>() as u64;
