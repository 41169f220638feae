//! Textures and samplers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{COLOR_FORMAT, Gpu};
use mapscope_scene::assets::Texture;

/// A sampler that filters linearly within a mip level.
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

/// The textures of materials, each there once, however many materials show it.
#[derive(Debug, Default)]
pub(crate) struct TextureCache {
    /// By where they are in memory.
    views: BTreeMap<usize, wgpu::TextureView>,
    /// Bytes of GPU memory that they hold.
    pub(crate) bytes: u64,
}

impl TextureCache {
    /// A texture with its mip levels.
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

/// How many layers a texture must have to be an array of so many. OpenGL takes a texture of one layer
/// for none, and a square one of six or twelve for cubes, so that there one layer more is left empty.
pub(crate) fn array_layers(gpu: &Gpu, count: u32) -> u32 {
    let is_taken_for_other = count <= 1 || count.is_multiple_of(6);
    count.max(1) + u32::from(gpu.is_opengl() && is_taken_for_other)
}

/// How many layers an array may have.
pub(crate) fn max_array_layers(gpu: &Gpu) -> u32 {
    gpu.device.limits().max_texture_array_layers - u32::from(gpu.is_opengl())
}

/// Makes an array of textures, each with its mip levels, as [`upload_texture`] does.
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

/// Makes a texture with its mip levels, and says how many bytes of GPU memory it holds.
pub(crate) fn upload_mips(gpu: &Gpu, label: &str, texture: &Texture) -> (wgpu::TextureView, u64) {
    // What is larger than the device allows begins with a smaller level.
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

/// Makes a texture of some layers, each with its mip levels, the largest first, in rows from the
/// top left without padding.
pub(crate) fn upload_texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    layers: &[&[&[u8]]],
) -> wgpu::Texture {
    upload_layers(gpu, label, format, (size, layers.len() as u32), layers)
}

/// The same with room for so many layers.
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

/// Makes an empty texture, of a size and so many layers and mip levels.
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

/// Sends a rectangle of texels to a mip level of a texture: to its column, row and layer.
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

/// Makes a cube texture of six layers with their mip levels.
pub(crate) fn upload_cube(gpu: &Gpu, size: [u32; 2], faces: &[&[&[u8]]; 6]) -> wgpu::TextureView {
    let texture = upload_texture(gpu, "skybox", COLOR_FORMAT, size, faces);
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    })
}
