//! The sky, wherever nothing else is.

use super::resources::{PipelineOptions, create_pipeline};
use super::shaders::SKY;
use super::{FrameData, FrameRenderer, Gpu};

/// Draws the sky behind everything.
#[derive(Debug)]
pub(super) struct SkyRenderer {
    pipeline: wgpu::RenderPipeline,
}

impl SkyRenderer {
    pub(super) fn new(gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let pipeline = create_pipeline(
            gpu,
            &SKY.module(&gpu.device),
            &[&frame.layout],
            &PipelineOptions {
                depth_write: false,
                cull: false,
                depth_compare: wgpu::CompareFunction::Equal,
                ..PipelineOptions::new("vs_sky", "fs_sky")
            },
        );
        Self { pipeline }
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, frame: &FrameData) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &frame.bind_group, &[]);
        pass.draw(0..3, 0..1);
    }
}
