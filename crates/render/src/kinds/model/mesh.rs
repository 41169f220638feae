//! Meshes with materials and textures, which all instances of a model share.

use std::borrow::Cow;
use std::ops::Range;

use super::materials::{BoundMaterial, MaterialMaker, TextureSize};
use crate::gpu::{DataTexture, Gpu, Uniform, UploadError, Uploads, shader_struct};
use glam::Vec4;
use mapscope_scene::Flaw;
use mapscope_scene::model::mesh::Mesh;
use mapscope_scene::model::{self, Blending, Model};

shader_struct! {
    /// The uniforms of a material.
    pub(super) struct Material {
        diffuse: Vec4,
        specular: Vec4,
        ambient: Vec4,
        // Its own light, and its opacity.
        emission: Vec4,
        index: u32,
    }
    padding: [u32; 3]
}

/// A model on the GPU.
#[derive(Debug)]
pub(crate) struct ModelMesh {
    pub(super) vertices: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    pub(super) influences: DataTexture,
    pub(super) joint_colors: wgpu::Buffer,
    pub(super) parts: Vec<Part>,
    /// The materials of the model, as far as parts show them.
    materials: Vec<Option<MeshMaterial>>,
    /// Maximum distance of each level of detail from the mesh, in units of model space. The finest
    /// level is the mesh itself.
    errors: Vec<f32>,
    /// `true` if joints move any vertex.
    pub(super) is_posed: bool,
    /// Incremented whenever a texture with holes was uploaded later.
    pub(super) shadow_revision: u32,
    /// Bytes of the lists above.
    list_bytes: u64,
}

/// The triangles of one material, in P3M those of one part.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) indices: Range<u32>,
    /// The same for the coarser levels of detail.
    coarser: Vec<Range<u32>>,
    /// Indices of reversed triangles, which come last.
    pub(super) reversed: Range<u32>,
}

/// A material of a model.
#[derive(Debug)]
pub(super) struct MeshMaterial {
    uniform: wgpu::Buffer,
    material: BoundMaterial,
    /// The same with a texture of the engine's size, once it was shown.
    engine_material: Option<BoundMaterial>,
    /// `true` if the texture has holes; `false` while it is deferred.
    pub(super) holes: bool,
    pub(super) blending: Blending,
}

impl ModelMesh {
    pub(super) fn upload(
        gpu: &Gpu,
        materials_of: &MaterialMaker,
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
            .map(|(part, (reversed, coarser))| Part {
                indices: part.indices.clone(),
                coarser,
                reversed,
            })
            .collect();
        let drawn = model.drawn_materials();
        let materials = model.materials().iter().zip(drawn).zip(0..);
        let materials = materials
            .map(|((material, is_drawn), index)| {
                is_drawn.then(|| MeshMaterial::new(gpu, materials_of, material, index))
            })
            .collect();
        Ok(Self {
            vertices,
            indices,
            joint_colors,
            parts,
            materials,
            errors,
            is_posed: !mesh.influences.is_empty(),
            shadow_revision: 0,
            list_bytes: uploads.bytes + influences.gpu_bytes(),
            influences,
        })
    }

    /// Uploads textures that were loaded since the last call, and missing ones of the engine's size
    /// if these are shown.
    pub(super) fn update_textures(
        &mut self,
        gpu: &Gpu,
        materials: &MaterialMaker,
        model: &Model,
        engine_textures: bool,
    ) {
        for (own, material) in self.materials.iter_mut().zip(model.materials()) {
            let (Some(own), Some(texture)) = (own, material.texture.get()) else {
                continue;
            };
            let is_unread = own.material.texture.is_none();
            if !is_unread && (own.engine_material.is_some() || !engine_textures) {
                continue;
            }
            let bind = |size| materials.bind(gpu, &own.uniform, Some((texture, size)));
            if is_unread {
                own.material = bind(TextureSize::Own);
                own.holes = texture.has_holes;
                self.shadow_revision += u32::from(own.holes);
            }
            if engine_textures {
                own.engine_material = Some(bind(TextureSize::Engine));
            }
        }
    }

    /// A material by its index in the model; `None` if no part shows it.
    pub(super) fn material(&self, index: usize) -> Option<&MeshMaterial> {
        self.materials.get(index)?.as_ref()
    }

    /// The coarsest level of detail within a distance from the mesh, in units of model space.
    pub(super) fn coarsest_level(&self, max_error: f32) -> usize {
        let close = self.errors.iter().take_while(|error| **error <= max_error);
        close.count().saturating_sub(1)
    }

    /// Bytes of GPU memory, with its share of textures that other models use too.
    pub(super) fn bytes(&self) -> u64 {
        let materials = self.materials.iter().flatten().flat_map(|own| {
            let engine_material = own.engine_material.as_ref();
            [Some(&own.material), engine_material].into_iter().flatten()
        });
        self.list_bytes + materials.map(BoundMaterial::gpu_bytes).sum::<u64>()
    }
}

impl Part {
    /// The triangles of a level of detail.
    pub(super) fn level(&self, level: usize) -> Range<u32> {
        let coarser = level.checked_sub(1).and_then(|at| self.coarser.get(at));
        coarser.unwrap_or(&self.indices).clone()
    }
}

impl MeshMaterial {
    fn new(gpu: &Gpu, materials: &MaterialMaker, material: &model::Material, index: u32) -> Self {
        let color = |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, 0.0);
        let mut uniform = Uniform::new(gpu, "material");
        uniform.write(
            gpu,
            Material {
                diffuse: color(material.diffuse),
                specular: color(material.specular),
                ambient: color(material.ambient),
                emission: color(material.emission).with_w(material.opacity),
                index,
                padding: [0; 3],
            },
        );
        let uniform = uniform.buffer;
        let texture = material.texture.get();
        let own = texture.map(|texture| (texture, TextureSize::Own));
        Self {
            material: materials.bind(gpu, &uniform, own),
            engine_material: None,
            uniform,
            holes: texture.is_some_and(|texture| texture.has_holes),
            blending: material.blending,
        }
    }

    /// Bind group 2, with the texture of the engine's size if that is shown and uploaded.
    pub(super) fn bind_group(&self, engine_textures: bool) -> &wgpu::BindGroup {
        let resized = self.engine_material.as_ref().filter(|_| engine_textures);
        &resized.unwrap_or(&self.material).bind_group
    }
}

/// The influences of joints on vertices, for `influence_at` in `skin.wgsl`.
pub(crate) fn influences(gpu: &Gpu, mesh: &Mesh) -> Result<DataTexture, UploadError> {
    let words = bytemuck::cast_slice(&mesh.influences);
    DataTexture::from_words(gpu, "weights", wgpu::TextureFormat::Rg32Uint, words)
}

/// Moves the reversed triangles of each part behind its others. Returns the indices, and the range
/// of reversed ones for each part. The others can then be drawn alone, so that no two triangles
/// overlap.
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
        // Stable: file order is kept within both groups.
        order.sort_by_key(|at| mesh.triangles.get(*at).is_some_and(is_reversed));
        let corners: Vec<u32> = order
            .iter()
            .filter_map(|at| mesh.indices.get(at * 3..at * 3 + 3))
            .flatten()
            .copied()
            .collect();
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
