//! Binding types, layouts and bind groups.

use super::Gpu;

/// A uniform buffer.
pub(crate) const UNIFORM: wgpu::BindingType = buffer_type(wgpu::BufferBindingType::Uniform);
/// A storage buffer that shaders only read.
pub(crate) const STORAGE: wgpu::BindingType =
    buffer_type(wgpu::BufferBindingType::Storage { read_only: true });
/// A 2D texture.
pub(crate) const TEXTURE: wgpu::BindingType = texture_type(wgpu::TextureViewDimension::D2);
/// A list of floats: see [`DataTexture`](super::data_texture::DataTexture).
pub(crate) const FLOAT_LIST: wgpu::BindingType =
    flat_texture_type(wgpu::TextureSampleType::Float { filterable: false });
/// A list of integers.
pub(crate) const UINT_LIST: wgpu::BindingType = flat_texture_type(wgpu::TextureSampleType::Uint);
/// An array of 2D textures.
pub(crate) const TEXTURE_ARRAY: wgpu::BindingType =
    texture_type(wgpu::TextureViewDimension::D2Array);
/// A cube texture.
pub(crate) const CUBE_TEXTURE: wgpu::BindingType = texture_type(wgpu::TextureViewDimension::Cube);
/// A depth texture for comparisons.
pub(crate) const DEPTH_TEXTURE: wgpu::BindingType =
    flat_texture_type(wgpu::TextureSampleType::Depth);
/// A comparison sampler.
pub(crate) const COMPARISON: wgpu::BindingType =
    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
/// A filtering sampler.
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

/// Creates a bind group layout from binding types in order. Both shader stages see all bindings.
pub(crate) fn bind_group_layout(
    gpu: &Gpu,
    label: &str,
    bindings: &[wgpu::BindingType],
) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = bindings
        .iter()
        .zip(0..)
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

/// Creates a bind group from resources in order.
pub(crate) fn bind_group<'a>(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries: Vec<_> = resources
        .into_iter()
        .zip(0..)
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}
