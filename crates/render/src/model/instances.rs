//! The instances of a model: where each stands, and how its joints pose it.

use std::num::NonZero;

use bytemuck::Zeroable as _;
use glam::Affine3A;

use super::mesh::ModelMesh;
use crate::resources::{self, check_size};
use crate::wgsl::shader_struct;
use crate::{Gpu, UploadError};
use mapscope_scene::model::Model;
use mapscope_scene::model::instances::Instance;
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

impl Place {
    fn new(world_from_model: &Affine3A, palette_first: u32) -> Self {
        Self {
            world_from_model: SkinMatrix::from(*world_from_model),
            palette_first,
            padding: [0; 3],
        }
    }
}

/// The instances of a model on the GPU.
#[derive(Debug)]
pub(super) struct Instances {
    layout: wgpu::BindGroupLayout,
    /// Bind group 1.
    bind_group: wgpu::BindGroup,
    /// The joint palettes of all instances, one after the other.
    palettes: wgpu::Buffer,
    places: wgpu::Buffer,
    /// For how many instances there is room.
    room: u32,
    /// What the buffers hold.
    written: Vec<Instance>,
    /// One palette, while it is made.
    palette: Vec<SkinMatrix>,
}

impl Instances {
    /// No instances, with room for one.
    pub(super) fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        mesh: &ModelMesh,
        marks: &wgpu::Buffer,
        model: &Model,
    ) -> Result<Self, UploadError> {
        let (palettes, places) = buffers(gpu, model, 1)?;
        Ok(Self {
            bind_group: bind_group(gpu, layout, mesh, marks, [&palettes, &places]),
            layout: layout.clone(),
            palettes,
            places,
            room: 1,
            written: Vec::new(),
            palette: vec![SkinMatrix::zeroed(); model.palette_len()],
        })
    }

    pub(super) fn len(&self) -> u32 {
        self.written.len() as u32
    }

    pub(super) fn bind_group(&self) -> &wgpu::BindGroup {
        &self.bind_group
    }

    pub(super) fn gpu_bytes(&self) -> u64 {
        self.palettes.size() + self.places.size()
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
        let mut is_new = self.written.len() != instances.len();
        let count = u32::try_from(instances.len()).unwrap_or(u32::MAX);
        if count > self.room {
            let room = count.checked_next_power_of_two().unwrap_or(count);
            // Where there is no room to grow into, there may be enough.
            let made = buffers(gpu, model, room).or_else(|_| buffers(gpu, model, count));
            let (palettes, places) = made?;
            self.bind_group = bind_group(gpu, &self.layout, mesh, marks, [&palettes, &places]);
            (self.palettes, self.places, self.room) = (palettes, places, room);
            is_new = true;
        }
        let changed = |differs: fn(&(&Instance, &Instance)) -> bool| {
            is_new
                || self
                    .written
                    .iter()
                    .zip(instances)
                    .any(|pair| differs(&pair))
        };
        let moved = changed(|(old, new)| old.world_from_model != new.world_from_model);
        let posed = changed(|(old, new)| old.playhead != new.playhead);
        let palette = self.palette.as_mut_slice();
        if posed {
            let each = size_of_val(palette);
            let mut posed_at = None;
            let palettes = &self.palettes;
            write(gpu, palettes, each, instances, |instance, _, bytes| {
                // Those that stand side by side at the same moment have the same pose.
                if posed_at != Some(instance.playhead) {
                    model.write_palette(instance.playhead, palette);
                    posed_at = Some(instance.playhead);
                }
                bytes.copy_from_slice(bytemuck::cast_slice(palette));
            });
        }
        if moved {
            let each = size_of::<Place>();
            let joints = model.palette_len() as u32;
            write(gpu, &self.places, each, instances, |instance, i, bytes| {
                let place = Place::new(&instance.world_from_model, i * joints);
                bytes.copy_from_slice(bytemuck::bytes_of(&place));
            });
        }
        self.written.clear();
        self.written.extend_from_slice(instances);
        Ok(())
    }
}

/// Writes so many bytes for each instance straight into what is sent to the GPU.
fn write(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    bytes_each: usize,
    instances: &[Instance],
    mut one: impl FnMut(&Instance, u32, &mut wgpu::WriteOnly<'_, [u8]>),
) {
    let size = NonZero::new((bytes_each * instances.len()) as u64);
    let view = size.and_then(|size| gpu.queue.write_buffer_with(buffer, 0, size));
    let Some(mut view) = view else {
        return;
    };
    let mut rest = view.slice(..);
    for (instance, i) in instances.iter().zip(0..) {
        let Some(mut bytes) = rest.split_off(..bytes_each) else {
            return;
        };
        one(instance, i, &mut bytes);
    }
}

/// Buffers for the palettes and the places of so many instances.
fn buffers(
    gpu: &Gpu,
    model: &Model,
    room: u32,
) -> Result<(wgpu::Buffer, wgpu::Buffer), UploadError> {
    let buffer = |what, bytes_each: usize| {
        let size = bytes_each as u64 * u64::from(room);
        check_size(gpu, what, size)?;
        Ok(resources::buffer(
            gpu,
            what,
            size,
            wgpu::BufferUsages::STORAGE,
        ))
    };
    Ok((
        buffer(
            "joint palettes",
            size_of::<SkinMatrix>() * model.palette_len(),
        )?,
        buffer("instances", size_of::<Place>())?,
    ))
}

fn bind_group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    mesh: &ModelMesh,
    marks: &wgpu::Buffer,
    [palettes, places]: [&wgpu::Buffer; 2],
) -> wgpu::BindGroup {
    let buffers = [
        &mesh.influences,
        palettes,
        places,
        &mesh.joint_colors,
        marks,
    ];
    let resources = buffers.map(wgpu::Buffer::as_entire_binding);
    resources::bind_group(gpu, "model", layout, resources)
}
