//! Pipelines, buffers and textures: what all renderers make of the device.

use wgpu::util::DeviceExt as _;

use super::target::DEPTH_FORMAT;
use super::{COLOR_FORMAT, Gpu, UploadError};
use mapscope_scene::model::Texture;

/// What pipelines differ in.
pub(super) struct PipelineOptions<'a> {
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    /// The one buffer of vertices or instances.
    pub(super) vertices: Option<wgpu::VertexBufferLayout<'a>>,
    /// A second buffer beside it.
    pub(super) more_vertices: Option<wgpu::VertexBufferLayout<'a>>,
    pub(super) depth_write: bool,
    pub(super) depth_compare: wgpu::CompareFunction,
    pub(super) blend: Option<wgpu::BlendState>,
    pub(super) cull: bool,
    pub(super) wireframe: bool,
    pub(super) constants: &'a [(&'a str, f64)],
}

impl<'a> PipelineOptions<'a> {
    /// Opaque triangles that hide what is behind them and are seen from outside only.
    pub(super) fn new(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            vertex,
            fragment,
            vertices: None,
            more_vertices: None,
            depth_write: true,
            // Depth is reversed.
            depth_compare: wgpu::CompareFunction::GreaterEqual,
            blend: None,
            cull: true,
            wireframe: false,
            constants: &[],
        }
    }
}

pub(super) fn create_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    layouts: &[&wgpu::BindGroupLayout],
    options: &PipelineOptions<'_>,
) -> wgpu::RenderPipeline {
    let layouts: Vec<Option<&wgpu::BindGroupLayout>> = layouts.iter().copied().map(Some).collect();
    let layout = gpu
        .device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(options.vertex),
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
    let compilation_options = wgpu::PipelineCompilationOptions {
        constants: options.constants,
        // Every variable is written before it is read.
        zero_initialize_workgroup_memory: false,
    };
    gpu.device
        .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(options.vertex),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(options.vertex),
                compilation_options: compilation_options.clone(),
                buffers: &[options.vertices.clone(), options.more_vertices.clone()],
            },
            primitive: wgpu::PrimitiveState {
                // The view is mirrored, so what is counter-clockwise from outside in the world is
                // clockwise in the picture (fact sheet 0).
                front_face: wgpu::FrontFace::Cw,
                cull_mode: options.cull.then_some(wgpu::Face::Back),
                polygon_mode: if options.wireframe {
                    wgpu::PolygonMode::Line
                } else {
                    wgpu::PolygonMode::Fill
                },
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(options.depth_write),
                depth_compare: Some(options.depth_compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState {
                    // Lines of the wireframe lie in front of the triangles they bound.
                    constant: if options.wireframe { 40 } else { 0 },
                    slope_scale: if options.wireframe { 1.0 } else { 0.0 },
                    clamp: 0.0,
                },
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(options.fragment),
                compilation_options,
                targets: &[Some(wgpu::ColorTargetState {
                    format: COLOR_FORMAT,
                    blend: options.blend,
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
}

pub(super) const BOTH_STAGES: wgpu::ShaderStages = wgpu::ShaderStages::VERTEX_FRAGMENT;

pub(super) fn uniform_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    buffer_entry(binding, wgpu::BufferBindingType::Uniform)
}

pub(super) fn storage_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    buffer_entry(
        binding,
        wgpu::BufferBindingType::Storage { read_only: true },
    )
}

pub(super) fn buffer_entry(
    binding: u32,
    ty: wgpu::BufferBindingType,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: BOTH_STAGES,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

pub(super) fn texture_entry(
    binding: u32,
    view_dimension: wgpu::TextureViewDimension,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: BOTH_STAGES,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension,
            multisampled: false,
        },
        count: None,
    }
}

pub(super) fn sampler_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: BOTH_STAGES,
        ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        count: None,
    }
}

/// Says whether something fits where the device can use it.
pub(super) fn check_size(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<(), UploadError> {
    let limits = gpu.device.limits();
    let limit = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size);
    if bytes > limit {
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Says whether a buffer that is not bound as a whole fits the device.
pub(super) fn check_buffer_size(
    gpu: &Gpu,
    what: &'static str,
    bytes: u64,
) -> Result<(), UploadError> {
    let limit = gpu.device.limits().max_buffer_size;
    if bytes > limit {
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Says whether a texture of four bytes a texel fits the device.
pub(super) fn check_texture_size(
    gpu: &Gpu,
    what: &'static str,
    size: [u32; 2],
) -> Result<(), UploadError> {
    let side = u64::from(gpu.device.limits().max_texture_dimension_2d);
    let size = size.map(u64::from);
    if size.iter().any(|of_texture| *of_texture > side) {
        let [bytes, limit] = [size[0] * size[1] * 4, side * side * 4];
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Makes the buffers of a document, and counts their bytes.
pub(super) struct Uploads<'a> {
    gpu: &'a Gpu,
    pub(super) bytes: u64,
}

impl<'a> Uploads<'a> {
    pub(super) fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, bytes: 0 }
    }

    pub(super) fn buffer(
        &mut self,
        what: &'static str,
        bytes: &[u8],
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, UploadError> {
        check_size(self.gpu, what, bytes.len() as u64)?;
        // No binding may be empty, and none may end within a word.
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().max(8).next_multiple_of(8), 0);
        self.bytes += padded.len() as u64;
        let descriptor = wgpu::util::BufferInitDescriptor {
            label: Some(what),
            contents: &padded,
            usage,
        };
        Ok(self.gpu.device.create_buffer_init(&descriptor))
    }
}

/// Makes a texture of a picture with its mip levels, and says how many bytes it has.
pub(super) fn upload_picture(
    gpu: &Gpu,
    label: &str,
    picture: &Texture,
) -> (wgpu::TextureView, u64) {
    // What is larger than the device allows begins with a smaller level.
    let most = gpu.device.limits().max_texture_dimension_2d;
    let fits = |level: &usize| picture.size.iter().all(|side| side >> level <= most);
    let first = (0..picture.levels.len()).find(fits).unwrap_or_default();
    let size = picture.size.map(|side| (side >> first).max(1));
    let levels: Vec<&[u8]> = picture.levels[first..].iter().map(Vec::as_slice).collect();
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let view = upload_texture(gpu, label, format, size, &[&levels])
        .create_view(&wgpu::TextureViewDescriptor::default());
    (view, levels.iter().map(|level| level.len() as u64).sum())
}

/// Makes a texture of some layers, each with its mip levels, the largest first, in rows from the
/// top left without padding.
pub(super) fn upload_texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    layers: &[&[&[u8]]],
) -> wgpu::Texture {
    let mip_level_count = layers.iter().map(|levels| levels.len()).min().unwrap_or(1) as u32;
    let extent = |level: u32, layers: u32| wgpu::Extent3d {
        width: (size[0] >> level).max(1),
        height: (size[1] >> level).max(1),
        depth_or_array_layers: layers,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: extent(0, layers.len().max(1) as u32),
        mip_level_count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let texel_bytes = format.block_copy_size(None).unwrap_or(4);
    for (layer, levels) in layers.iter().enumerate() {
        for (level, texels) in levels.iter().enumerate().take(mip_level_count as usize) {
            let extent = extent(level as u32, 1);
            gpu.queue.write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture: &texture,
                    mip_level: level as u32,
                    origin: wgpu::Origin3d {
                        x: 0,
                        y: 0,
                        z: layer as u32,
                    },
                    aspect: wgpu::TextureAspect::All,
                },
                texels,
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(extent.width * texel_bytes),
                    rows_per_image: None,
                },
                extent,
            );
        }
    }
    texture
}
