//! The instances of a model: where each stands, and how its joints pose it.

use bytemuck::Zeroable as _;

use super::mesh::ModelMesh;
use crate::content::Instance;
use crate::resources::{self, GrowingBuffer};
use crate::{Gpu, UploadError};
use mapscope_scene::model::Model;
use mapscope_scene::model::skeleton::SkinMatrix;

mod gpu_data {
    use mapscope_scene::model::skeleton::SkinMatrix;

    /// An instance: the instance inputs of `vs_model`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    pub(super) struct Place {
        pub(super) world_from_model: SkinMatrix,
        /// Where its palette begins.
        pub(super) palette_first: u32,
    }
}

use gpu_data::Place;

/// How shaders get instances.
pub(super) fn vertex_layout() -> wgpu::VertexBufferLayout<'static> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 4] = wgpu::vertex_attr_array![
        4 => Float32x4, 5 => Float32x4, 6 => Float32x4, 7 => Uint32
    ];
    resources::vertex_layout::<Place>(wgpu::VertexStepMode::Instance, &ATTRIBUTES)
}

/// The instances of a model on the GPU.
#[derive(Debug)]
pub(super) struct Instances {
    layout: wgpu::BindGroupLayout,
    /// Bind group 1.
    bind_group: wgpu::BindGroup,
    /// A joint palette for each moment, one after the other.
    palettes: GrowingBuffer,
    /// The instances themselves, as a vertex buffer.
    places: GrowingBuffer,
    /// What the buffers hold.
    written: Vec<Instance>,
    /// One palette, while it is made.
    palette: Vec<SkinMatrix>,
}

impl Instances {
    /// No instances.
    pub(super) fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        mesh: &ModelMesh,
        marks: &wgpu::Buffer,
        model: &Model,
    ) -> Self {
        let palette = vec![SkinMatrix::zeroed(); model.palette_len()];
        let buffer = |what, each, usage| GrowingBuffer::new(gpu, what, each, usage);
        let [storage, vertex] = [wgpu::BufferUsages::STORAGE, wgpu::BufferUsages::VERTEX];
        let palettes = buffer("joint palettes", size_of_val(palette.as_slice()), storage);
        let places = buffer("instances", size_of::<Place>(), vertex);
        Self {
            bind_group: bind_group(gpu, layout, mesh, marks, &palettes),
            layout: layout.clone(),
            palettes,
            places,
            written: Vec::new(),
            palette,
        }
    }

    pub(super) fn gpu_bytes(&self) -> u64 {
        self.palettes.buffer.size() + self.places.buffer.size()
    }

    /// Sends the palettes and places of these instances, as far as they have changed.
    pub(super) fn set(
        &mut self,
        gpu: &Gpu,
        model: &Model,
        mesh: &ModelMesh,
        marks: &wgpu::Buffer,
        instances: &[Instance],
    ) -> Result<(), UploadError> {
        if self.written == instances {
            return Ok(());
        }
        // Those that stand side by side at the same moment have the same palette.
        let moments = || instances.chunk_by(|a, b| a.playhead == b.playhead);
        if self.places.reserve(gpu, instances.len())? {
            self.written.clear();
        }
        if self.palettes.reserve(gpu, moments().count())? {
            self.bind_group = bind_group(gpu, &self.layout, mesh, marks, &self.palettes);
            self.written.clear();
        }
        let is_new = self.written.len() != instances.len();
        let pairs = || self.written.iter().zip(instances);
        let posed = is_new || pairs().any(|(old, new)| old.playhead != new.playhead);
        let moved = posed || pairs().any(|(a, b)| a.world_from_model != b.world_from_model);
        let palette = self.palette.as_mut_slice();
        let palette_len = palette.len() as u32;
        if posed {
            self.palettes
                .write(gpu, moments().count(), moments(), |moment, bytes| {
                    if let Some(instance) = moment.first() {
                        model.write_palette(instance.playhead, palette);
                    }
                    bytes.copy_from_slice(bytemuck::cast_slice(palette));
                });
        }
        if moved {
            let places = (0..).zip(moments()).flat_map(|(palette, moment)| {
                moment.iter().map(move |instance| Place {
                    world_from_model: SkinMatrix::from(instance.world_from_model),
                    palette_first: palette * palette_len,
                })
            });
            self.places
                .write(gpu, instances.len(), places, |place, bytes| {
                    bytes.copy_from_slice(bytemuck::bytes_of(&place));
                });
        }
        self.written.clear();
        self.written.extend_from_slice(instances);
        Ok(())
    }

    /// Has them drawn from now on.
    pub(super) fn bind(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(1, &self.bind_group, &[]);
        pass.set_vertex_buffer(1, self.places.buffer.slice(..));
    }
}

fn bind_group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    mesh: &ModelMesh,
    marks: &wgpu::Buffer,
    palettes: &GrowingBuffer,
) -> wgpu::BindGroup {
    let buffers = [
        &mesh.influences,
        &palettes.buffer,
        &mesh.joint_colors,
        marks,
    ];
    let resources = buffers.map(wgpu::Buffer::as_entire_binding);
    resources::bind_group(gpu, "model", layout, resources)
}
