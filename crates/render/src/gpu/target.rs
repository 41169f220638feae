//! Render targets, and reading them back.

use image::RgbaImage;

use super::{COLOR_FORMAT, DEPTH_FORMAT, Gpu, Samples, texture};

/// Bytes per pixel or sample, of colour and of depth.
const BYTES_EACH: u64 = 4;

/// A colour and a depth texture of the same size. With several samples per pixel, these are drawn
/// and resolved into the colour texture.
#[derive(Debug)]
pub struct Target {
    /// Width and height in pixels.
    pub size: [u32; 2],
    color: wgpu::Texture,
    color_view: wgpu::TextureView,
    samples: Samples,
    /// The multisampled colour, if pixels have several samples.
    samples_view: Option<wgpu::TextureView>,
    depth_view: wgpu::TextureView,
}

impl Target {
    /// Creates a target. Sides are clamped to the range from 1 to the limit of the device.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let size = size.map(|side| side.clamp(1, limit));
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC;
        let color = texture(gpu, "color", COLOR_FORMAT, (size, 1, 1), usage);
        let several = gpu.samples != Samples::One;
        Self {
            size,
            color_view: color.create_view(&wgpu::TextureViewDescriptor::default()),
            samples: gpu.samples,
            samples_view: several.then(|| attachment(gpu, "samples", COLOR_FORMAT, size)),
            depth_view: attachment(gpu, "depth", DEPTH_FORMAT, size),
            color,
        }
    }

    /// Bytes of GPU memory.
    pub fn gpu_bytes(&self) -> u64 {
        let pixels = self.size.map(u64::from).iter().product::<u64>();
        let samples = u64::from(self.samples.count());
        let color_samples = self.samples_view.as_ref().map_or(0, |_| samples);
        pixels * BYTES_EACH * (1 + color_samples + samples)
    }

    /// The colour texture, for presenting it in a window.
    pub fn color_view(&self) -> &wgpu::TextureView {
        &self.color_view
    }

    /// Width divided by height.
    pub fn aspect(&self) -> f32 {
        self.size[0] as f32 / self.size[1] as f32
    }

    /// Begins a pass that clears the target to a colour and to infinite depth.
    pub(crate) fn begin_pass<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        clear_color: wgpu::Color,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> wgpu::RenderPass<'e> {
        // Only the resolved colour is stored.
        let (view, resolve_target, store) = match &self.samples_view {
            Some(samples) => (samples, Some(&self.color_view), wgpu::StoreOp::Discard),
            None => (&self.color_view, None, wgpu::StoreOp::Store),
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("frame"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(clear_color),
                    store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth_view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            timestamp_writes,
            ..Default::default()
        })
    }

    /// Reads the frame back, waiting for the GPU.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn read_back(&self, gpu: &Gpu) -> Result<RgbaImage, String> {
        read_back(gpu, &self.color)
    }
}

/// Reads a texture with four bytes per texel back, waiting for the GPU.
///
/// # Errors
/// When the device is lost or out of memory.
pub(crate) fn read_back(gpu: &Gpu, color: &wgpu::Texture) -> Result<RgbaImage, String> {
    let [width, height] = [color.width(), color.height()];
    let align = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;
    let bytes_per_row = (width * 4).next_multiple_of(align);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("frame read back"),
        size: u64::from(bytes_per_row) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        color.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(bytes_per_row),
                rows_per_image: None,
            },
        },
        color.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let mapped = gpu.map_buffer(&buffer)?;
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    for row in mapped.chunks_exact(bytes_per_row as usize) {
        pixels.extend_from_slice(&row[..(width * 4) as usize]);
    }
    RgbaImage::from_raw(width, height, pixels).ok_or_else(|| "frame size".to_owned())
}

/// A multisampled attachment that is not stored.
fn attachment(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    [width, height]: [u32; 2],
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: gpu.samples.count(),
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TRANSIENT_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
