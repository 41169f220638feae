//! What all instances of a model share: its mesh, its materials and their textures.

use std::borrow::Cow;
use std::ops::Range;

use super::materials::{BoundMaterial, MaterialMaker, TextureSize};
use crate::gpu::buffers::{Uniform, Uploads};
use crate::gpu::data_texture::DataTexture;
use crate::gpu::wgsl::shader_struct;
use crate::gpu::{Gpu, UploadError};
use glam::Vec4;
use mapscope_scene::Flaw;
use mapscope_scene::model::Model;
use mapscope_scene::model::mesh::Mesh;

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
    pub(super) influences: DataTexture,
    pub(super) joint_colors: wgpu::Buffer,
    pub(super) parts: Vec<Part>,
    /// How far each level of detail is from the mesh, in units of model space, from the finest: the
    /// mesh itself.
    errors: Vec<f32>,
    /// Whether joints move any of its vertices.
    pub(super) is_posed: bool,
    /// Bytes of the lists above.
    list_bytes: u64,
}

/// The triangles of one material.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) indices: Range<u32>,
    /// The same of the coarser levels of detail.
    coarser: Vec<Range<u32>>,
    /// Which of them are of reversed triangles: the last ones.
    pub(super) reversed: Range<u32>,
    /// Its number in the model.
    number: usize,
    uniform: wgpu::Buffer,
    material: BoundMaterial,
    /// The same with the texture in the engine's size, once it was asked for.
    engine_material: Option<BoundMaterial>,
    /// Whether the texture may have holes, which none has that was not read yet.
    pub(super) holes: bool,
}

impl ModelMesh {
    pub(super) fn upload(
        gpu: &Gpu,
        materials: &MaterialMaker,
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
        let (mut all_indices, reversed) = reversed_last(model);
        let mut coarser: Vec<Vec<Range<u32>>> = vec![Vec::new(); mesh.parts.len()];
        let mut errors = vec![0.0];
        for level in model.simplified() {
            let first = all_indices.len() as u32;
            all_indices.to_mut().extend_from_slice(&level.indices);
            for (ranges, part) in coarser.iter_mut().zip(&level.parts) {
                ranges.push(first + part.start..first + part.end);
            }
            errors.push(level.error);
        }
        let indices = buffer(
            "indices",
            bytemuck::cast_slice(&all_indices),
            wgpu::BufferUsages::INDEX,
        )?;
        let colors: Vec<[u8; 4]> = (0..model.palette_len())
            .map(|joint| {
                let [r, g, b] = model.joint_color(joint);
                [r, g, b, 255]
            })
            .collect();
        let joint_colors = buffer("joint colors", bytemuck::cast_slice(&colors), storage)?;
        let influences = influences(gpu, mesh)?;

        let parts = mesh
            .parts
            .iter()
            .zip(reversed.into_iter().zip(coarser))
            .filter_map(|(part, (reversed, coarser))| {
                let material = model.materials().get(part.material)?;
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
                let texture = material.texture.get();
                let own = texture.map(|texture| (texture, TextureSize::Own));
                Some(Part {
                    indices: part.indices.clone(),
                    coarser,
                    reversed,
                    number: part.material,
                    material: materials.bind(gpu, &uniform, own),
                    engine_material: None,
                    uniform,
                    holes: texture.is_some_and(|texture| texture.has_holes),
                })
            });
        let parts = parts.collect();
        Ok(Self {
            vertices,
            indices,
            joint_colors,
            parts,
            errors,
            is_posed: !mesh.influences.is_empty(),
            list_bytes: uploads.bytes + influences.gpu_bytes(),
            influences,
        })
    }

    /// Shows textures that were read since this was asked last, and makes those in the engine's size
    /// if they are wanted and not there. Says whether the model now casts another shadow.
    pub(super) fn update_textures(
        &mut self,
        gpu: &Gpu,
        materials: &MaterialMaker,
        model: &Model,
        engine_textures: bool,
    ) -> bool {
        let mut has_new_holes = false;
        for part in &mut self.parts {
            let is_unread = part.material.texture.is_none();
            if !is_unread && (part.engine_material.is_some() || !engine_textures) {
                continue;
            }
            let material = model.materials().get(part.number);
            let Some(texture) = material.and_then(|material| material.texture.get()) else {
                continue;
            };
            let bind = |size| materials.bind(gpu, &part.uniform, Some((texture, size)));
            if is_unread {
                part.material = bind(TextureSize::Own);
                part.holes = texture.has_holes;
                has_new_holes |= part.holes;
            }
            if engine_textures {
                part.engine_material = Some(bind(TextureSize::Engine));
            }
        }
        has_new_holes
    }

    /// The coarsest level of detail that is not further off than so many units of model space.
    pub(super) fn level_of_detail(&self, max_error: f32) -> usize {
        let close = self.errors.iter().take_while(|error| **error <= max_error);
        close.count().saturating_sub(1)
    }

    /// Bytes of GPU memory that it holds, with its share of textures that other models show too.
    pub(super) fn gpu_bytes(&self) -> u64 {
        let materials = self.parts.iter().flat_map(|part| {
            let engine_material = part.engine_material.as_ref();
            [Some(&part.material), engine_material]
                .into_iter()
                .flatten()
        });
        self.list_bytes + materials.map(BoundMaterial::gpu_bytes).sum::<u64>()
    }
}

impl Part {
    /// Its triangles in a level of detail.
    pub(super) fn level(&self, level: usize) -> Range<u32> {
        let coarser = level.checked_sub(1).and_then(|at| self.coarser.get(at));
        coarser.unwrap_or(&self.indices).clone()
    }

    /// Bind group 2: with the texture in the engine's size if that is wanted and there.
    pub(super) fn material(&self, engine_textures: bool) -> &wgpu::BindGroup {
        let resized = self.engine_material.as_ref().filter(|_| engine_textures);
        &resized.unwrap_or(&self.material).bind_group
    }
}

/// How much joints move vertices, for `influence_at` in `skin.wgsl`.
pub(crate) fn influences(gpu: &Gpu, mesh: &Mesh) -> Result<DataTexture, UploadError> {
    let words = bytemuck::cast_slice(&mesh.influences);
    DataTexture::of(gpu, "weights", wgpu::TextureFormat::Rg32Uint, words)
}

/// The indices of a mesh with the reversed triangles of each part behind its others, and which indices
/// of each part are theirs: so the others are drawn alone, and nothing is in one place with them.
fn reversed_last(model: &Model) -> (Cow<'_, [u32]>, Vec<Range<u32>>) {
    let mesh = model.mesh();
    let reversed = model.flawed(Flaw::Reversed);
    let is_reversed = |triangle: &u32| reversed.binary_search(triangle).is_ok();
    let mut indices = Cow::Borrowed(mesh.indices.as_slice());
    let parts = mesh.parts.iter().map(|part| {
        let end = part.indices.end;
        if reversed.is_empty() {
            return end..end;
        }
        let of_part = part.indices.start as usize / 3..end as usize / 3;
        let triangles = mesh.triangles.get(of_part.clone()).unwrap_or_default();
        let mut order: Vec<usize> = of_part.collect();
        // In file order among themselves, as the others are.
        order.sort_by_key(|at| mesh.triangles.get(*at).is_some_and(is_reversed));
        let corners = order
            .iter()
            .filter_map(|at| mesh.indices.get(at * 3..at * 3 + 3));
        let corners: Vec<u32> = corners.flatten().copied().collect();
        let range = part.indices.start as usize..end as usize;
        if let Some(sorted) = indices.to_mut().get_mut(range)
            && sorted.len() == corners.len()
        {
            sorted.copy_from_slice(&corners);
        }
        let count = triangles
            .iter()
            .filter(|triangle| is_reversed(triangle))
            .count();
        end - 3 * count as u32..end
    });
    let parts = parts.collect();
    (indices, parts)
}
