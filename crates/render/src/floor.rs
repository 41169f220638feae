//! The floor that frame times are measured against: what a device needs for next to nothing.
//!
//! Times from different machines cannot be compared; a time divided by the floor of the same
//! machine, target and run can.

use image::RgbaImage;
use image::imageops::{self, FilterType};

use super::resources::{bind_group, sampler, upload_texture};
use super::shaders::FLOOR;
use super::target::DEPTH_FORMAT;
use super::{COLOR_FORMAT, Gpu, Target};

/// Width and height of the texture, in texels.
const TEXTURE_SIDE: u32 = 512;

/// Draws the two pictures that are the floor.
#[derive(Debug)]
pub struct Floor {
    pipeline: wgpu::RenderPipeline,
    bindings: wgpu::BindGroup,
}

impl Floor {
    /// Compiles the pipeline and makes the texture.
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let module = FLOOR.module(device);
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("floor"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vertex"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                ..Default::default()
            },
            // Without a test and without writing: the least there is.
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(false),
                depth_compare: Some(wgpu::CompareFunction::Always),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fragment"),
                compilation_options: Default::default(),
                targets: &[Some(COLOR_FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let (repeat, linear) = (wgpu::AddressMode::Repeat, wgpu::MipmapFilterMode::Linear);
        let resources = [
            wgpu::BindingResource::TextureView(&texture(gpu)),
            wgpu::BindingResource::Sampler(&sampler(gpu, "floor", repeat, linear)),
        ];
        let bindings = bind_group(gpu, "floor", &pipeline.get_bind_group_layout(0), resources);
        Self { pipeline, bindings }
    }

    /// Records a picture in which there is nothing: colour and depth are cleared.
    pub fn clear(&self, encoder: &mut wgpu::CommandEncoder, target: &Target) {
        target.begin_pass(encoder);
    }

    /// Records a picture that is one textured quad.
    pub fn textured_quad(&self, encoder: &mut wgpu::CommandEncoder, target: &Target) {
        let mut pass = target.begin_pass(encoder);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.draw(0..4, 0..1);
    }
}

/// A texture with detail in every texel, and all its mip levels.
fn texture(gpu: &Gpu) -> wgpu::TextureView {
    let mut level = RgbaImage::from_fn(TEXTURE_SIDE, TEXTURE_SIDE, |x, y| {
        let [b, g, r, _] = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519))
            .rotate_left(13)
            .wrapping_mul(3_266_489_917)
            .to_be_bytes();
        image::Rgba([r, g, b, 255])
    });
    let mut levels = Vec::new();
    for mip_level in 0..=TEXTURE_SIDE.ilog2() {
        let side = TEXTURE_SIDE >> mip_level;
        if mip_level > 0 {
            level = imageops::resize(&level, side, side, FilterType::Triangle);
        }
        levels.push(level.as_raw().clone());
    }
    let levels: Vec<&[u8]> = levels.iter().map(Vec::as_slice).collect();
    let size = [TEXTURE_SIDE; 2];
    upload_texture(gpu, "floor", COLOR_FORMAT, size, &[&levels])
        .create_view(&wgpu::TextureViewDescriptor::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quad_covers_the_whole_target_and_the_clear_is_even() {
        let gpu = Gpu::headless().unwrap();
        let target = Target::new(&gpu, [600, 40]);
        let floor = Floor::new(&gpu);
        let picture = |record: &dyn Fn(&mut wgpu::CommandEncoder)| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            record(&mut encoder);
            gpu.queue.submit([encoder.finish()]);
            target.read_back(&gpu).unwrap()
        };
        let cleared = picture(&|encoder| floor.clear(encoder, &target));
        let background = *cleared.get_pixel(0, 0);
        assert!(cleared.pixels().all(|pixel| *pixel == background));
        let quad = picture(&|encoder| floor.textured_quad(encoder, &target));
        let covered = quad.pixels().filter(|pixel| **pixel != background).count();
        // A hash may give the background's colour now and then.
        assert!(covered > 600 * 40 - 10, "{covered}");
        let colors: std::collections::HashSet<_> = quad.pixels().map(|p| p.0).collect();
        assert!(colors.len() > 1000, "the texture shows: {}", colors.len());
    }
}
