//! What is seen wherever nothing else is: the sky over maps, a studio around models.

use super::resources::{PipelineOptions, create_pipeline};
use super::shaders::{SKY, STUDIO, Shader};
use super::{FrameData, FrameRenderer, Gpu};

/// What is behind everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backdrop {
    /// A sky, for what has ground of its own.
    Sky,
    /// A floor with a grid, for what stands on it.
    Studio,
}

/// Draws what is behind everything.
#[derive(Debug)]
pub(super) struct SkyRenderer {
    sky: wgpu::RenderPipeline,
    studio: wgpu::RenderPipeline,
}

impl SkyRenderer {
    pub(super) fn new(gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let pipeline = |shader: &Shader, vertex, fragment| {
            create_pipeline(
                gpu,
                &shader.module(&gpu.device),
                &[&frame.layout],
                &PipelineOptions {
                    depth_write: false,
                    cull: false,
                    depth_compare: wgpu::CompareFunction::Equal,
                    ..PipelineOptions::new(vertex, fragment)
                },
            )
        };
        Self {
            sky: pipeline(&SKY, "vs_sky", "fs_sky"),
            studio: pipeline(&STUDIO, "vs_studio", "fs_studio"),
        }
    }

    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        backdrop: Backdrop,
    ) {
        pass.set_pipeline(match backdrop {
            Backdrop::Sky => &self.sky,
            Backdrop::Studio => &self.studio,
        });
        pass.set_bind_group(0, &frame.bind_group, &[]);
        pass.draw(0..3, 0..1);
    }
}
