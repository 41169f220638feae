//! The materials of models: their layout, and their textures, each of which is on the GPU once,
//! however many models show it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::gpu::bindings::{SAMPLER, TEXTURE, UNIFORM, bind_group, bind_group_layout};
use crate::gpu::textures::{upload_mips, upload_texture};
use crate::gpu::{COLOR_FORMAT, Gpu};
use mapscope_scene::assets::Texture;
use mapscope_scene::model::ENGINE_TEXTURE_SIZE;

/// RGBA of a texture that was not read yet.
const UNREAD_COLOR: [u8; 4] = [128, 128, 128, 255];

/// What the materials of all models share.
#[derive(Debug, Clone)]
pub(super) struct MaterialMaker {
    /// Of bind group 2.
    pub(super) layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// Stands in for a texture that was not read yet.
    unread: wgpu::TextureView,
    textures: Arc<Mutex<BTreeMap<TextureKey, OnGpu>>>,
}

/// Where a texture is in memory, and its size on the GPU.
type TextureKey = (usize, TextureSize);

/// How large a texture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextureSize {
    /// As it is.
    Own,
    /// As the engine resizes it.
    Engine,
}

/// A texture on the GPU for as long as a model shows it.
#[derive(Debug)]
struct OnGpu {
    /// Held so that no other texture comes to lie at its address.
    _of: Weak<Texture>,
    texture: Weak<GpuTexture>,
}

/// A texture on the GPU.
#[derive(Debug)]
pub(super) struct GpuTexture {
    view: wgpu::TextureView,
    bytes: u64,
}

/// Bind group 2 with a texture.
#[derive(Debug)]
pub(super) struct BoundMaterial {
    pub(super) bind_group: wgpu::BindGroup,
    /// None of a texture that was not read yet.
    pub(super) texture: Option<Arc<GpuTexture>>,
}

impl MaterialMaker {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let unread = upload_texture(gpu, "unread", COLOR_FORMAT, [1, 1], &[&[&UNREAD_COLOR]]);
        Self {
            layout: bind_group_layout(gpu, "material", &[UNIFORM, TEXTURE, SAMPLER]),
            sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("model"),
                address_mode_u: wgpu::AddressMode::Repeat,
                address_mode_v: wgpu::AddressMode::Repeat,
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                // A software adapter pays for every lookup.
                anisotropy_clamp: if gpu.is_software() { 1 } else { 8 },
                ..Default::default()
            }),
            unread: unread.create_view(&wgpu::TextureViewDescriptor::default()),
            textures: Arc::default(),
        }
    }

    /// A material with its values and its texture, if that was read.
    pub(super) fn bind(
        &self,
        gpu: &Gpu,
        uniform: &wgpu::Buffer,
        texture: Option<(&Arc<Texture>, TextureSize)>,
    ) -> BoundMaterial {
        let texture = texture.map(|(texture, size)| self.texture(gpu, texture, size));
        let view = texture
            .as_ref()
            .map_or(&self.unread, |texture| &texture.view);
        let resources = [
            uniform.as_entire_binding(),
            wgpu::BindingResource::TextureView(view),
            wgpu::BindingResource::Sampler(&self.sampler),
        ];
        BoundMaterial {
            bind_group: bind_group(gpu, "material", &self.layout, resources),
            texture,
        }
    }

    fn texture(&self, gpu: &Gpu, texture: &Arc<Texture>, size: TextureSize) -> Arc<GpuTexture> {
        let textures = self.textures.lock();
        let mut textures = textures.unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::as_ptr(texture).addr(), size);
        let there = textures.get(&key).and_then(|there| there.texture.upgrade());
        there.unwrap_or_else(|| {
            let (view, bytes) = match size {
                TextureSize::Own => upload_mips(gpu, "model texture", texture),
                TextureSize::Engine => {
                    upload_mips(gpu, "engine texture", &texture.resized(ENGINE_TEXTURE_SIZE))
                }
            };
            let made = Arc::new(GpuTexture { view, bytes });
            textures.retain(|_, there| there.texture.strong_count() > 0);
            let there = OnGpu {
                _of: Arc::downgrade(texture),
                texture: Arc::downgrade(&made),
            };
            textures.insert(key, there);
            made
        })
    }
}

impl BoundMaterial {
    /// Its share of the bytes of GPU memory that its texture holds, as one of all that show it.
    pub(super) fn gpu_bytes(&self) -> u64 {
        let texture = self.texture.as_ref();
        texture.map_or(0, |texture| {
            texture.bytes / Arc::strong_count(texture) as u64
        })
    }
}
