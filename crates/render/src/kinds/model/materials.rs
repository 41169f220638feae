//! Materials of models. Models that share a texture share its upload.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::gpu::{
    COLOR_FORMAT, Gpu, SAMPLER, TEXTURE, UNIFORM, bind_group, bind_group_layout, upload_mips,
    upload_texture,
};
use mapscope_scene::assets::Texture;
use mapscope_scene::model::ENGINE_TEXTURE_SIZE;

/// RGBA colour of a deferred texture.
const UNREAD_COLOR: [u8; 4] = [128, 128, 128, 255];

/// The resources that the materials of all models share.
#[derive(Debug, Clone)]
pub(super) struct MaterialMaker {
    /// Layout of bind group 2.
    pub(super) layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// The placeholder of a deferred texture.
    unread: wgpu::TextureView,
    textures: Arc<Mutex<BTreeMap<TextureKey, OnGpu>>>,
}

/// Address of a texture, and its size on the GPU.
type TextureKey = (usize, TextureSize);

/// The size at which a texture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextureSize {
    /// Its original size.
    Own,
    /// The size to which the engine resizes it.
    Engine,
}

/// A texture that is on the GPU while any model shows it.
#[derive(Debug)]
struct OnGpu {
    /// Keeps the address from being reused for another texture.
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
    /// `None` if the texture is deferred.
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

    /// Binds a material's uniforms, and its texture or a placeholder.
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
        let mut textures = self.textures.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// Its share of the GPU memory of its texture, among all materials that use it.
    pub(super) fn gpu_bytes(&self) -> u64 {
        let texture = self.texture.as_ref();
        texture.map_or(0, |texture| {
            texture.bytes / Arc::strong_count(texture) as u64
        })
    }
}
