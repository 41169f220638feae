//! The baseline for frame times: the cost of trivial frames on a device.
//!
//! Times from different machines cannot be compared; a time divided by the baseline of the same
//! machine, target and run can.

use image::RgbaImage;
use image::imageops::{self, FilterType};

use super::FramePass;
use crate::gpu::{
    COLOR_FORMAT, Gpu, PassTimer, PassTimes, PipelineCache, PipelineKey, PipelineMaker,
    PipelineOptions, SAMPLER, Shader, TEXTURE, Target, TimedPass, bind_group, bind_group_layout,
    sampler, source, upload_texture,
};

/// Width and height of the texture, in texels.
const TEXTURE_SIDE: u32 = 512;

/// The shader of the textured quad.
pub(crate) static SHADER: Shader = Shader {
    name: "floor",
    shared: &[],
    parts: &[source!("floor.wgsl")],
};

/// Draws the two baseline frames.
#[derive(Debug)]
pub struct Floor {
    pipelines: PipelineCache<Quad>,
    bindings: wgpu::BindGroup,
    timer: Option<PassTimer>,
}

/// The pipeline of the textured quad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quad;

impl PipelineKey for Quad {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        maker.create(&PipelineOptions {
            // Neither tests nor writes depth: the minimum.
            depth_compare: Some(wgpu::CompareFunction::Always),
            depth_write: false,
            cull: false,
            ..PipelineOptions::new("vertex", "fragment")
        })
    }
}

impl Floor {
    /// Creates the pipeline and the texture.
    pub fn new(gpu: &Gpu) -> Self {
        let layout = bind_group_layout(gpu, "floor", &[TEXTURE, SAMPLER]);
        let mut pipelines = PipelineCache::new(&SHADER, &[&layout]);
        pipelines.create(gpu, Quad, false);
        let (repeat, linear) = (wgpu::AddressMode::Repeat, wgpu::MipmapFilterMode::Linear);
        let resources = [
            wgpu::BindingResource::TextureView(&texture(gpu)),
            wgpu::BindingResource::Sampler(&sampler(gpu, "floor", repeat, linear)),
        ];
        Self {
            bindings: bind_group(gpu, "floor", &layout, resources),
            pipelines,
            timer: None,
        }
    }

    /// Records an empty frame: colour and depth are cleared.
    pub fn clear(encoder: &mut wgpu::CommandEncoder, target: &Target) {
        FramePass::begin(target, encoder, false, None);
    }

    /// Switches GPU timing of quads on or off ([`Floor::pass_times`]).
    pub fn set_pass_timing(&mut self, gpu: &Gpu, is_on: bool) {
        PassTimer::set_on(&mut self.timer, gpu, is_on);
    }

    /// Takes the GPU time of a submitted quad ([`TimedPass::Frame`]), once; `None` until it is
    /// known, or if timing is off.
    pub fn pass_times(&mut self, gpu: &Gpu) -> Option<PassTimes> {
        self.timer.as_mut()?.take(gpu)
    }

    /// Records a frame with one textured quad.
    pub fn textured_quad(&mut self, encoder: &mut wgpu::CommandEncoder, target: &Target) {
        let timer = self.timer.as_mut();
        let timestamps = timer.and_then(|timer| timer.begin(TimedPass::Frame));
        let mut pass = FramePass::begin(target, encoder, false, timestamps);
        if pass.set_pipeline(&self.pipelines, Quad) {
            pass.set_bind_group(0, &self.bindings, &[]);
            pass.draw(6, 0..1);
        }
        drop(pass);
        if let Some(timer) = &mut self.timer {
            timer.end_frame(encoder);
        }
    }
}

/// A texture with detail in every texel, and its mip levels.
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
        let gpu = Gpu::headless(None).unwrap();
        let target = Target::new(&gpu, [600, 40]);
        let mut floor = Floor::new(&gpu);
        let frame = |record: &mut dyn FnMut(&mut wgpu::CommandEncoder)| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            record(&mut encoder);
            gpu.queue.submit([encoder.finish()]);
            target.read_back(&gpu).unwrap()
        };
        let cleared = frame(&mut |encoder| Floor::clear(encoder, &target));
        let background = *cleared.get_pixel(0, 0);
        assert!(cleared.pixels().all(|pixel| *pixel == background));
        let quad = frame(&mut |encoder| floor.textured_quad(encoder, &target));
        let covered = quad.pixels().filter(|pixel| **pixel != background).count();
        // The hash may equal the background now and then.
        assert!(covered > 600 * 40 - 10, "{covered}");
        let colors: std::collections::HashSet<_> = quad.pixels().map(|p| p.0).collect();
        assert!(colors.len() > 1000, "the texture shows: {}", colors.len());
    }
}
