//! Instances of a model: their placements and joint palettes.

use super::mesh::ModelMesh;
use crate::frame::Instance;
use crate::gpu::{DataTexture, Gpu, GrowingBuffer, UploadError, bindings, pipelines};
use mapscope_scene::model::Model;
use mapscope_scene::model::skeleton::SkinMatrix;

mod gpu_data {
    use mapscope_scene::model::skeleton::SkinMatrix;

    /// An instance: the instance inputs of `vs_model`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    pub(super) struct Place {
        pub(super) world_from_model: SkinMatrix,
        /// Index of the first matrix of its palette.
        pub(super) palette_first: u32,
    }
}

use gpu_data::Place;

/// The layout of the instance buffer.
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
    /// The joint palettes of all moments, one after the other.
    palettes: DataTexture,
    /// The instance buffer.
    places: GrowingBuffer,
    /// The contents of the buffers.
    written: Vec<Instance>,
}

impl Instances {
    /// Creates an empty list.
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

    /// Uploads the palettes and placements that have changed.
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
        // Adjacent instances at the same moment share a palette.
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

    /// Binds the instances.
    pub(super) fn bind(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(1, &self.bind_group, &[]);
        pass.set_vertex_buffer(1, self.places.buffer.slice(..));
    }
}

/// An empty list of palettes, for `palette_matrix` in `skin.wgsl`.
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
