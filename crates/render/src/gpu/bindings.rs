//! Types of bindings, and bind groups.

use super::Gpu;

/// The values of a draw.
pub(crate) const UNIFORM: wgpu::BindingType = buffer_type(wgpu::BufferBindingType::Uniform);
/// A list that shaders read.
pub(crate) const STORAGE: wgpu::BindingType =
    buffer_type(wgpu::BufferBindingType::Storage { read_only: true });
/// A texture.
pub(crate) const TEXTURE: wgpu::BindingType = texture_type(wgpu::TextureViewDimension::D2);
/// A list of numbers: see [`DataTexture`](super::data_texture::DataTexture).
pub(crate) const FLOAT_LIST: wgpu::BindingType =
    flat_texture_type(wgpu::TextureSampleType::Float { filterable: false });
/// The same of whole numbers.
pub(crate) const UINT_LIST: wgpu::BindingType = flat_texture_type(wgpu::TextureSampleType::Uint);
/// An array of textures.
pub(crate) const TEXTURE_ARRAY: wgpu::BindingType =
    texture_type(wgpu::TextureViewDimension::D2Array);
/// A texture that surrounds everything.
pub(crate) const CUBE_TEXTURE: wgpu::BindingType = texture_type(wgpu::TextureViewDimension::Cube);
/// A texture of depths that others are compared with.
pub(crate) const DEPTH_TEXTURE: wgpu::BindingType =
    flat_texture_type(wgpu::TextureSampleType::Depth);
/// What compares with it.
pub(crate) const COMPARISON: wgpu::BindingType =
    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
/// What a texture is filtered with.
pub(crate) const SAMPLER: wgpu::BindingType =
    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);

const fn buffer_type(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

const fn texture_type(view_dimension: wgpu::TextureViewDimension) -> wgpu::BindingType {
    texture_of(
        wgpu::TextureSampleType::Float { filterable: true },
        view_dimension,
    )
}

const fn flat_texture_type(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    texture_of(sample_type, wgpu::TextureViewDimension::D2)
}

const fn texture_of(
    sample_type: wgpu::TextureSampleType,
    view_dimension: wgpu::TextureViewDimension,
) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled: false,
    }
}

/// The layout of a bind group: its bindings in order, which both stages see.
pub(crate) fn bind_group_layout(
    gpu: &Gpu,
    label: &str,
    bindings: &[wgpu::BindingType],
) -> wgpu::BindGroupLayout {
    let entries = bindings.iter().zip(0..);
    let entries: Vec<_> = entries
        .map(|(ty, binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: *ty,
            count: None,
        })
        .collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
}

/// A bind group of some resources in order.
pub(crate) fn bind_group<'a>(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries = resources.into_iter().zip(0..);
    let entries: Vec<_> = entries
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}
