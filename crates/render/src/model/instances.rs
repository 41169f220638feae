//! The instances of a model: where each stands, and how its joints pose it.

use bytemuck::Zeroable as _;

use super::mesh::ModelMesh;
use crate::content::Instance;
use crate::resources::{self, GrowingBuffer};
use crate::wgsl::shader_struct;
use crate::{Gpu, UploadError};
use mapscope_scene::model::Model;
use mapscope_scene::model::skeleton::SkinMatrix;

shader_struct! {
    /// An instance as shaders read it.
    pub(super) struct Place {
        world_from_model: SkinMatrix,
        /// Where its palette begins.
        palette_first: u32,
    }
    padding: [u32; 3]
}

/// The instances of a model on the GPU.
#[derive(Debug)]
pub(super) struct Instances {
    layout: wgpu::BindGroupLayout,
    /// Bind group 1.
    pub(super) bind_group: wgpu::BindGroup,
    /// A joint palette for each moment, one after the other.
    palettes: GrowingBuffer,
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
        let storage = |what, each| GrowingBuffer::new(gpu, what, each, wgpu::BufferUsages::STORAGE);
        let palettes = storage("joint palettes", size_of_val(palette.as_slice()));
        let places = storage("instances", size_of::<Place>());
        Self {
            bind_group: bind_group(gpu, layout, mesh, marks, [&palettes, &places]),
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
        let grown = [
            self.palettes.reserve(gpu, moments().count())?,
            self.places.reserve(gpu, instances.len())?,
        ];
        if grown.contains(&true) {
            let buffers = [&self.palettes, &self.places];
            self.bind_group = bind_group(gpu, &self.layout, mesh, marks, buffers);
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
                    padding: [0; 3],
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
}

fn bind_group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    mesh: &ModelMesh,
    marks: &wgpu::Buffer,
    [palettes, places]: [&GrowingBuffer; 2],
) -> wgpu::BindGroup {
    let buffers = [
        &mesh.influences,
        &palettes.buffer,
        &places.buffer,
        &mesh.joint_colors,
        marks,
    ];
    let resources = buffers.map(wgpu::Buffer::as_entire_binding);
    resources::bind_group(gpu, "model", layout, resources)
}
