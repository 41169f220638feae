//! What all instances of a model share: its mesh, its materials and their textures.

use std::ops::Range;

use crate::resources::{TextureCache, Uniform, Uploads, bind_group};
use crate::wgsl::shader_struct;
use crate::{Gpu, UploadError};
use glam::Vec4;
use mapscope_scene::model::Model;

shader_struct! {
    /// A material as shaders read it.
    pub(super) struct Material {
        diffuse: Vec4,
        specular: Vec4,
        ambient: f32,
        index: u32,
    }
    padding: [u32; 2]
}

/// A model's mesh on the GPU.
#[derive(Debug)]
pub(super) struct ModelMesh {
    pub(super) vertices: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    pub(super) influences: wgpu::Buffer,
    pub(super) joint_colors: wgpu::Buffer,
    pub(super) parts: Vec<Part>,
    pub(super) gpu_bytes: u64,
}

/// The triangles of one material.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) indices: Range<u32>,
    /// Bind group 2.
    pub(super) material: wgpu::BindGroup,
    /// Whether the texture may have holes.
    pub(super) holes: bool,
}

impl ModelMesh {
    pub(super) fn upload(
        gpu: &Gpu,
        material_layout: &wgpu::BindGroupLayout,
        sampler: &wgpu::Sampler,
        model: &Model,
    ) -> Result<Self, UploadError> {
        let mesh = model.mesh();
        let mut uploads = Uploads::new(gpu);
        let mut buffer = |what, bytes, usage| uploads.buffer(what, bytes, usage);
        let storage = wgpu::BufferUsages::STORAGE;
        let vertices = buffer(
            "vertices",
            bytemuck::cast_slice(&mesh.vertices),
            wgpu::BufferUsages::VERTEX,
        )?;
        let indices = buffer(
            "indices",
            bytemuck::cast_slice(&mesh.indices),
            wgpu::BufferUsages::INDEX,
        )?;
        let influences = buffer("weights", bytemuck::cast_slice(&mesh.influences), storage)?;
        let colors: Vec<[u8; 4]> = (0..model.palette_len())
            .map(|joint| {
                let [r, g, b] = model.joint_color(joint);
                [r, g, b, 255]
            })
            .collect();
        let joint_colors = buffer("joint colors", bytemuck::cast_slice(&colors), storage)?;

        let mut textures = TextureCache::default();
        let parts = mesh.parts.iter().filter_map(|part| {
            let material = model.materials().get(part.material)?;
            let texture = textures.view(gpu, "model texture", &material.texture);
            let color = |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, 0.0);
            let mut uniform = Uniform::new(gpu, "material");
            uniform.write(
                gpu,
                Material {
                    ambient: material.ambient,
                    index: part.material as u32,
                    padding: [0; 2],
                    diffuse: color(material.diffuse),
                    specular: color(material.specular),
                },
            );
            let resources = [
                uniform.buffer.as_entire_binding(),
                wgpu::BindingResource::TextureView(&texture),
                wgpu::BindingResource::Sampler(sampler),
            ];
            Some(Part {
                indices: part.indices.clone(),
                material: bind_group(gpu, "material", material_layout, resources),
                holes: material.texture.has_holes,
            })
        });
        let parts = parts.collect();
        Ok(Self {
            vertices,
            indices,
            influences,
            joint_colors,
            parts,
            gpu_bytes: uploads.bytes + textures.bytes,
        })
    }
}
