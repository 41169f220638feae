//! The reflection in water: the ground, what stands on it and the sky, drawn mirrored at half the
//! size of the frame.
//!
//! It is drawn before the shadow map of the frame, so it has no shadows of what stands on the
//! ground.

use super::{FrameData, FrameLayout, FrameLight, FramePass, GroundShadow, LocalView};
use crate::gpu::{Gpu, PassTimer, Target, TimedPass};
use mapscope_scene::Aabb;

/// Pixels of the frame per texel of the reflection, along each side.
const PIXELS_PER_TEXEL: u32 = 2;

/// The reflection of one view.
#[derive(Debug)]
pub(crate) struct Reflection {
    target: Target,
    frame: FrameData,
}

impl Reflection {
    /// Creates one for a frame size.
    pub(crate) fn new(gpu: &Gpu, layout: &FrameLayout, frame_size: [u32; 2]) -> Self {
        let size = frame_size.map(|side| side.div_ceil(PIXELS_PER_TEXEL));
        Self {
            target: Target::new(gpu, size),
            frame: FrameData::new(gpu, layout, Aabb::default(), 0.0),
        }
    }

    /// `true` if it fits a frame size.
    pub(crate) fn is_for(&self, frame_size: [u32; 2]) -> bool {
        self.target.size == frame_size.map(|side| side.div_ceil(PIXELS_PER_TEXEL))
    }

    pub(crate) fn view(&self) -> &wgpu::TextureView {
        self.target.color_view()
    }

    /// Bytes of GPU memory.
    pub(crate) fn gpu_bytes(&self) -> u64 {
        self.target.gpu_bytes()
    }

    /// Binds the light, the shadow of the ground and the sky, and sets the mirrored view.
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

    /// Begins its pass.
    pub(crate) fn begin_pass<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        timer: Option<&mut PassTimer>,
    ) -> FramePass<'e> {
        let timestamps = timer.and_then(|timer| timer.begin(TimedPass::Reflection));
        let mut pass = FramePass::begin(&self.target, encoder, false, timestamps);
        pass.set_bind_group(0, &self.frame.bind_group, &[]);
        pass
    }
}
