//! The materials of a level on the GPU, and their textures.

use std::sync::Arc;

use glam::{Vec3, Vec4};

use super::gpu_data;
use crate::gpu::{COLOR_FORMAT, Gpu, TextureCache, bind_group, upload_texture};
use mapscope_scene::assets::Texture;
use mapscope_scene::level::Map;
use mapscope_scene::level::materials::{Look, Material, Materials};
use mapscope_scene::level::textures::Textures;

/// The layout and samplers of all materials.
#[derive(Debug, Clone)]
pub(super) struct MaterialLayout {
    /// Layout of bind group 2.
    pub(super) layout: wgpu::BindGroupLayout,
    /// For surfaces.
    pub(super) repeated: wgpu::Sampler,
    /// For sides of skies.
    pub(super) clamped: wgpu::Sampler,
}

/// A material on the GPU.
#[derive(Debug)]
pub(super) struct LevelMaterial {
    pub(super) is_textured: bool,
    pub(super) has_matcap: bool,
    pub(super) is_liquid: bool,
    /// Bind group 2 for each texture of its animation.
    frames: Vec<wgpu::BindGroup>,
    /// Duration of each texture in seconds.
    frame_secs: f64,
}

impl LevelMaterial {
    /// Bind group 2 at a moment.
    pub(super) fn bind_group(&self, time_secs: f32) -> Option<&wgpu::BindGroup> {
        let frame = if self.frame_secs > 0.0 {
            (f64::from(time_secs) / self.frame_secs) as usize
        } else {
            0
        };
        self.frames.get(frame.checked_rem(self.frames.len())?)
    }
}

/// Creates the materials of a level, which share textures.
#[derive(Debug)]
pub(super) struct MaterialMaker {
    level: usize,
    textures: TextureCache,
    /// In place of a missing texture.
    white: wgpu::TextureView,
    /// In place of the texture of an unknown material.
    unknown: Option<Arc<Texture>>,
    /// Bytes of uniforms.
    bytes: u64,
}

impl MaterialMaker {
    pub(super) fn new(gpu: &Gpu, level: usize) -> Self {
        let white = upload_texture(gpu, "white", COLOR_FORMAT, [1, 1], &[&[&[u8::MAX; 4]]]);
        Self {
            level,
            textures: TextureCache::default(),
            white: white.create_view(&wgpu::TextureViewDescriptor::default()),
            unknown: None,
            bytes: 4,
        }
    }

    /// Creates a material of the level from its index.
    pub(super) fn make(
        &mut self,
        gpu: &Gpu,
        layout: &MaterialLayout,
        sampler: &wgpu::Sampler,
        map: &Map,
        index: usize,
    ) -> Option<LevelMaterial> {
        let material = map.levels().get(self.level)?.materials.list.get(index)?;
        let look = material.look.as_ref();
        let texture = match look {
            None if !material.is_known => {
                let unknown = self
                    .unknown
                    .get_or_insert_with(|| Textures::placeholder().into());
                Some(Arc::clone(unknown))
            }
            look => look.and_then(|look| find(map, look.texture?)),
        };
        let matcap = look.and_then(|look| find(map, look.matcap?));
        let next = look
            .map_or(&[][..], |look| &look.next_textures)
            .iter()
            .filter_map(|index| find(map, *index));
        let textures: Vec<Option<Arc<Texture>>> = if texture.is_some() {
            [texture.clone()]
                .into_iter()
                .chain(next.map(Some))
                .collect()
        } else {
            vec![None]
        };
        let data = material_data(material, index);
        let uniform = gpu.filled_buffer(
            "material",
            bytemuck::bytes_of(&data),
            wgpu::BufferUsages::UNIFORM,
        );
        self.bytes += size_of::<gpu_data::Material>() as u64;
        let matcap_view = self.view(gpu, matcap.as_ref());
        let frames = textures.iter().map(|texture| {
            let view = self.view(gpu, texture.as_ref());
            let texture = wgpu::BindingResource::TextureView;
            let resources = [
                uniform.as_entire_binding(),
                texture(&view),
                texture(&matcap_view),
                wgpu::BindingResource::Sampler(sampler),
            ];
            bind_group(gpu, "material", &layout.layout, resources)
        });
        Some(LevelMaterial {
            is_textured: texture.is_some(),
            has_matcap: matcap.is_some(),
            is_liquid: material.is_liquid && look.is_some_and(|look| look.wave_scale != 0.0),
            frames: frames.collect(),
            frame_secs: look.map_or(0.0, |look| f64::from(look.advance_micros) * 1e-6),
        })
    }

    fn view(&mut self, gpu: &Gpu, texture: Option<&Arc<Texture>>) -> wgpu::TextureView {
        match texture {
            Some(texture) => self.textures.view(gpu, "level texture", texture),
            None => self.white.clone(),
        }
    }

    /// Bytes of GPU memory.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes + self.textures.bytes
    }
}

/// Finds a texture of the map by its index.
fn find(map: &Map, index: usize) -> Option<Arc<Texture>> {
    let texture = map.textures().list.get(index)?;
    Some(Arc::clone(&texture.texture))
}

fn material_data(material: &Material, index: usize) -> gpu_data::Material {
    let share = |color: [u8; 3]| Vec3::from(color.map(f32::from)) / 255.0;
    let unknown = Look {
        color: if material.is_known {
            Materials::muted_color(index)
        } else {
            // The placeholder texture is coloured.
            [u8::MAX; 3]
        },
        alpha: u8::MAX,
        ..Look::default()
    };
    let look = material.look.as_ref().unwrap_or(&unknown);
    let alpha = if material.is_transparent {
        look.alpha
    } else {
        u8::MAX
    };
    // NaN and infinity mean no motion (fact sheet A14).
    let number = |number: f32| if number.is_finite() { number } else { 0.0 };
    let [u, v] = look.texture_scroll.map(number);
    let [matcap_u, matcap_v] = look.matcap_scroll.map(number);
    let counts = f32::from(u8::from(material.is_transparent));
    gpu_data::Material {
        color: share(look.color).extend(f32::from(alpha) / 255.0),
        emission: share(look.emission).extend(counts),
        scroll: Vec4::new(u, v, matcap_u, matcap_v),
        wave: Vec3::from(look.wave_velocity.map(number)).extend(number(look.wave_scale).abs()),
        wave_offset: number(look.wave_offset),
        index: index as u32,
        padding: [0; 2],
    }
}
