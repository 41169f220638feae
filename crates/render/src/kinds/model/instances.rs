//! The instances of a model: where each stands, and how its joints pose it.

use super::mesh::ModelMesh;
use crate::frame::instances::Instance;
use crate::gpu::buffers::GrowingBuffer;
use crate::gpu::data_texture::DataTexture;
use crate::gpu::{Gpu, UploadError, bindings, pipelines};
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
    pipelines::vertex_layout::<Place>(wgpu::VertexStepMode::Instance, &ATTRIBUTES)
}

/// The instances of a model on the GPU.
#[derive(Debug)]
pub(super) struct Instances {
    layout: wgpu::BindGroupLayout,
    /// Bind group 1.
    bind_group: wgpu::BindGroup,
    /// A joint palette for each moment, one after the other.
    palettes: DataTexture,
    /// The instances themselves, as a vertex buffer.
    places: GrowingBuffer,
    /// What the buffers hold.
    written: Vec<Instance>,
}

impl Instances {
    /// No instances.
    pub(super) fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        mesh: &ModelMesh,
        marks: &wgpu::Buffer,
    ) -> Self {
        let palettes = palettes(gpu);
        let vertex = wgpu::BufferUsages::VERTEX;
        let places = GrowingBuffer::new(gpu, "instances", size_of::<Place>(), vertex);
        Self {
            bind_group: bind_group(gpu, layout, mesh, marks, &palettes),
            layout: layout.clone(),
            palettes,
            places,
            written: Vec::new(),
        }
    }

    pub(super) fn gpu_bytes(&self) -> u64 {
        self.palettes.gpu_bytes() + self.places.buffer.size()
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
        let palette_len = model.palette_len();
        let palette_words = moments().count() * palette_len * size_of::<SkinMatrix>() / 4;
        if self.palettes.reserve(gpu, palette_words)? {
            self.bind_group = bind_group(gpu, &self.layout, mesh, marks, &self.palettes);
            self.written.clear();
        }
        let is_new = self.written.len() != instances.len();
        let pairs = || self.written.iter().zip(instances);
        let posed = is_new || pairs().any(|(old, new)| old.playhead != new.playhead);
        let moved = posed || pairs().any(|(a, b)| a.world_from_model != b.world_from_model);
        if posed {
            self.palettes.write(gpu, palette_words, |words| {
                let matrices: &mut [SkinMatrix] = bytemuck::cast_slice_mut(words);
                for (moment, palette) in
                    moments().zip(matrices.chunks_exact_mut(palette_len.max(1)))
                {
                    if let Some(instance) = moment.first() {
                        model.write_palette(instance.playhead, palette);
                    }
                }
            });
        }
        if moved {
            let places = (0..).zip(moments()).flat_map(|(palette, moment)| {
                moment.iter().map(move |instance| Place {
                    world_from_model: SkinMatrix::from(instance.world_from_model),
                    palette_first: palette * palette_len as u32,
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

/// No palettes, for `palette_matrix` in `skin.wgsl`.
pub(crate) fn palettes(gpu: &Gpu) -> DataTexture {
    DataTexture::new(gpu, "joint palettes", wgpu::TextureFormat::Rgba32Float)
}

fn bind_group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    mesh: &ModelMesh,
    marks: &wgpu::Buffer,
    palettes: &DataTexture,
) -> wgpu::BindGroup {
    let (influences, palettes) = (mesh.influences.view(), palettes.view());
    let resources = [
        wgpu::BindingResource::TextureView(&influences),
        wgpu::BindingResource::TextureView(&palettes),
        mesh.joint_colors.as_entire_binding(),
        marks.as_entire_binding(),
    ];
    bindings::bind_group(gpu, "model", layout, resources)
}
