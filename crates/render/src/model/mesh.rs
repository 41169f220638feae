//! What all instances of a model share: its mesh, its materials and their textures.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::resources::{TextureCache, Uniform, Uploads, bind_group};
use crate::wgsl::shader_struct;
use crate::{Gpu, UploadError};
use glam::Vec4;
use mapscope_scene::model::{ENGINE_TEXTURE_SIZE, Model};

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
    /// Whether joints move any of its vertices.
    pub(super) is_posed: bool,
    pub(super) gpu_bytes: u64,
}

/// The triangles of one material.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) indices: Range<u32>,
    /// Its number in the model.
    number: usize,
    uniform: wgpu::Buffer,
    /// Bind group 2.
    material: wgpu::BindGroup,
    /// Bind group 2 with the texture in the engine's size, once it was asked for.
    engine_material: Option<wgpu::BindGroup>,
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
            let uniform = uniform.buffer;
            Some(Part {
                indices: part.indices.clone(),
                number: part.material,
                material: bind(gpu, material_layout, sampler, &uniform, &texture),
                engine_material: None,
                uniform,
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
            is_posed: !mesh.influences.is_empty(),
            gpu_bytes: uploads.bytes + textures.bytes,
        })
    }

    /// Makes textures in the engine's size, unless they are there already.
    pub(super) fn add_engine_textures(
        &mut self,
        gpu: &Gpu,
        material_layout: &wgpu::BindGroupLayout,
        sampler: &wgpu::Sampler,
        model: &Model,
    ) {
        // Of each texture, by where it is in memory.
        let mut resized = BTreeMap::new();
        let mut textures = TextureCache::default();
        for part in &mut self.parts {
            let Some(material) = model.materials().get(part.number) else {
                continue;
            };
            part.engine_material.get_or_insert_with(|| {
                let original = &material.texture;
                let texture = resized
                    .entry(Arc::as_ptr(original).addr())
                    .or_insert_with(|| Arc::new(original.resized(ENGINE_TEXTURE_SIZE)));
                let view = textures.view(gpu, "engine texture", texture);
                bind(gpu, material_layout, sampler, &part.uniform, &view)
            });
        }
        self.gpu_bytes += textures.bytes;
    }
}

impl Part {
    /// Bind group 2: with the texture in the engine's size if that is wanted and there.
    pub(super) fn material(&self, engine_textures: bool) -> &wgpu::BindGroup {
        let resized = self.engine_material.as_ref().filter(|_| engine_textures);
        resized.unwrap_or(&self.material)
    }
}

fn bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    sampler: &wgpu::Sampler,
    uniform: &wgpu::Buffer,
    texture: &wgpu::TextureView,
) -> wgpu::BindGroup {
    let resources = [
        uniform.as_entire_binding(),
        wgpu::BindingResource::TextureView(texture),
        wgpu::BindingResource::Sampler(sampler),
    ];
    bind_group(gpu, "material", layout, resources)
}
