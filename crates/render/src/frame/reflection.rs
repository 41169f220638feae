//! What water reflects: the ground, what stands on it and the sky, drawn once more as in a mirror, at
//! half the size of the frame.
//!
//! Ground that is drawn from two places in a frame is drawn and submitted one after the other, since it
//! holds the values of one frame at a time. The shadow map of the frame is drawn after that, so that
//! the shadows of what stands on the ground are left out.

use super::light::{FrameLight, GroundShadow};
use super::pass::FramePass;
use super::uniforms::{FrameData, FrameLayout};
use super::view::LocalView;
use crate::gpu::timing::PassTimer;
use crate::gpu::{Gpu, Target, TimedPass};
use mapscope_scene::Aabb;

/// How many pixels of the frame are one of its reflection, along each side.
const PIXELS_PER_TEXEL: u32 = 2;

/// What was drawn as in a mirror.
#[derive(Debug)]
pub(crate) struct Reflection {
    target: Target,
    frame: FrameData,
}

impl Reflection {
    /// One for frames of a size.
    pub(crate) fn new(gpu: &Gpu, layout: &FrameLayout, frame_size: [u32; 2]) -> Self {
        let size = frame_size.map(|side| side.div_ceil(PIXELS_PER_TEXEL));
        Self {
            target: Target::new(gpu, size),
            frame: FrameData::new(gpu, layout, Aabb::default(), 0.0),
        }
    }

    /// Whether it is for frames of this size.
    pub(crate) fn is_for(&self, frame_size: [u32; 2]) -> bool {
        self.target.size == frame_size.map(|side| side.div_ceil(PIXELS_PER_TEXEL))
    }

    pub(crate) fn view(&self) -> &wgpu::TextureView {
        self.target.color_view()
    }

    /// Bytes of GPU memory that it holds.
    pub(crate) fn gpu_bytes(&self) -> u64 {
        self.target.gpu_bytes()
    }

    /// Has it drawn as a view shows it, in the shadow of the ground and below this sky.
    pub(crate) fn bind(
        &mut self,
        gpu: &Gpu,
        layout: &FrameLayout,
        mirrored: &LocalView<'_>,
        light: &FrameLight,
        ground: Option<&GroundShadow>,
        skybox: Option<&wgpu::TextureView>,
    ) {
        self.frame.bind(gpu, layout, None, ground, skybox, None);
        self.frame.write(gpu, mirrored, light);
    }

    /// Draws it.
    pub(crate) fn draw(
        &self,
        gpu: &Gpu,
        timer: Option<&mut PassTimer>,
        draw: impl FnOnce(&mut FramePass<'_>),
    ) {
        let timestamps = timer.and_then(|timer| timer.begin(TimedPass::Reflection));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = FramePass::begin(&self.target, &mut encoder, false, timestamps);
        pass.set_bind_group(0, &self.frame.bind_group, &[]);
        draw(&mut pass);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
}
