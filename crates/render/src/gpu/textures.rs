//! Textures and samplers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{COLOR_FORMAT, Gpu};
use mapscope_scene::assets::Texture;

/// Creates a sampler that filters linearly within a mip level.
pub(crate) fn sampler(
    gpu: &Gpu,
    label: &str,
    address_mode: wgpu::AddressMode,
    mipmap_filter: wgpu::MipmapFilterMode,
) -> wgpu::Sampler {
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some(label),
        address_mode_u: address_mode,
        address_mode_v: address_mode,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter,
        ..Default::default()
    })
}

/// The textures of materials. Materials that share a texture share its upload.
#[derive(Debug, Default)]
pub(crate) struct TextureCache {
    /// By address of the texture.
    views: BTreeMap<usize, wgpu::TextureView>,
    /// Bytes of GPU memory.
    pub(crate) bytes: u64,
}

impl TextureCache {
    /// Returns a view of a texture with its mip levels; uploads it if necessary.
    pub(crate) fn view(
        &mut self,
        gpu: &Gpu,
        label: &str,
        texture: &Arc<Texture>,
    ) -> wgpu::TextureView {
        let view = self.views.entry(Arc::as_ptr(texture).addr());
        let upload = || {
            let (view, bytes) = upload_mips(gpu, label, texture);
            self.bytes += bytes;
            view
        };
        view.or_insert_with(upload).clone()
    }
}

/// The number of layers to allocate for an array. OpenGL takes a texture with one layer for a plain
/// one, and a square one with six or twelve layers for cubes, so there an empty layer is added.
pub(crate) fn array_layers(gpu: &Gpu, count: u32) -> u32 {
    let is_taken_for_other = count <= 1 || count.is_multiple_of(6);
    count.max(1) + u32::from(gpu.is_opengl() && is_taken_for_other)
}

/// The maximum number of layers of an array.
pub(crate) fn max_array_layers(gpu: &Gpu) -> u32 {
    gpu.device.limits().max_texture_array_layers - u32::from(gpu.is_opengl())
}

/// Creates an array of textures with their mip levels, as [`upload_texture`] does.
pub(crate) fn upload_array(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    layers: &[&[&[u8]]],
) -> wgpu::TextureView {
    let count = array_layers(gpu, layers.len() as u32);
    let texture = upload_layers(gpu, label, format, (size, count), layers);
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    })
}

/// Creates a texture with its mip levels. Returns a view and the bytes of GPU memory.
pub(crate) fn upload_mips(gpu: &Gpu, label: &str, texture: &Texture) -> (wgpu::TextureView, u64) {
    // A texture that exceeds the limit of the device starts at a smaller mip level.
    let max_side = gpu.device.limits().max_texture_dimension_2d;
    let fits = |level: &usize| texture.size.iter().all(|side| side >> level <= max_side);
    let first = (0..texture.levels.len()).find(fits).unwrap_or_default();
    let size = texture.size.map(|side| (side >> first).max(1));
    let levels: Vec<&[u8]> = texture.levels[first..].iter().map(Vec::as_slice).collect();
    let bytes = levels.iter().map(|level| level.len() as u64).sum();
    let texture = upload_texture(gpu, label, COLOR_FORMAT, size, &[&levels]);
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    (view, bytes)
}

/// Creates a texture from layers, each with its mip levels from the largest. Texels are in rows
/// from the top left, without padding.
pub(crate) fn upload_texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    layers: &[&[&[u8]]],
) -> wgpu::Texture {
    upload_layers(gpu, label, format, (size, layers.len() as u32), layers)
}

/// The same with a given number of allocated layers.
fn upload_layers(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    (size, count): ([u32; 2], u32),
    layers: &[&[&[u8]]],
) -> wgpu::Texture {
    let levels = layers.iter().map(|levels| levels.len()).min().unwrap_or(1) as u32;
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let texture = texture(gpu, label, format, (size, count, levels), usage);
    for (layer, mips) in (0..).zip(layers) {
        for (level, texels) in (0..levels).zip(*mips) {
            let size = size.map(|side| (side >> level).max(1));
            write_texels(gpu, &texture, (level, [0, 0, layer]), size, texels);
        }
    }
    texture
}

/// Creates an empty texture from its size and its numbers of layers and mip levels.
pub(crate) fn texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    ([width, height], layers, levels): ([u32; 2], u32, u32),
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: layers.max(1),
        },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Uploads a rectangle of texels to a mip level, at a column, row and layer.
pub(crate) fn write_texels(
    gpu: &Gpu,
    texture: &wgpu::Texture,
    (mip_level, [x, y, z]): (u32, [u32; 3]),
    [width, height]: [u32; 2],
    texels: &[u8],
) {
    let texel_bytes = texture.format().block_copy_size(None).unwrap_or(4);
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            mip_level,
            origin: wgpu::Origin3d { x, y, z },
            ..texture.as_image_copy()
        },
        texels,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(width * texel_bytes),
            rows_per_image: None,
        },
        wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
    );
}

/// Creates a cube texture from six layers with their mip levels.
pub(crate) fn upload_cube(gpu: &Gpu, size: [u32; 2], faces: &[&[&[u8]]; 6]) -> wgpu::TextureView {
    let texture = upload_texture(gpu, "skybox", COLOR_FORMAT, size, faces);
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    })
}
