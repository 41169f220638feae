//! What is seen wherever nothing else is: the sky over maps, a studio around models.

use std::sync::OnceLock;

use super::resources::{PipelineOptions, create_pipeline};
use super::shaders::{SKY, STUDIO, Shader};
use super::{FrameData, FrameRenderer, Gpu};

/// Draws what is behind everything.
#[derive(Debug)]
pub(super) struct SkyRenderer {
    sky: wgpu::RenderPipeline,
    /// Made when the first model is drawn.
    studio: OnceLock<wgpu::RenderPipeline>,
}

impl SkyRenderer {
    pub(super) fn new(gpu: &Gpu, frame: &FrameRenderer) -> Self {
        Self {
            sky: pipeline(gpu, frame, &SKY, "fs_sky"),
            studio: OnceLock::new(),
        }
    }

    /// The same with shaders as they now are on disk.
    pub(super) fn reloaded(&self, gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let renderer = Self::new(gpu, frame);
        if self.studio.get().is_some() {
            renderer.studio(gpu, frame);
        }
        renderer
    }

    fn studio(&self, gpu: &Gpu, frame: &FrameRenderer) -> &wgpu::RenderPipeline {
        self.studio
            .get_or_init(|| pipeline(gpu, frame, &STUDIO, "fs_studio"))
    }

    /// Draws a sky, for what has ground of its own.
    pub(super) fn draw_sky(&self, pass: &mut wgpu::RenderPass<'_>, data: &FrameData) {
        draw(pass, data, &self.sky);
    }

    /// Draws a floor with a grid, for what stands on it.
    pub(super) fn draw_studio(
        &self,
        gpu: &Gpu,
        frame: &FrameRenderer,
        pass: &mut wgpu::RenderPass<'_>,
        data: &FrameData,
    ) {
        draw(pass, data, self.studio(gpu, frame));
    }
}

fn pipeline(
    gpu: &Gpu,
    frame: &FrameRenderer,
    shader: &Shader,
    fragment: &str,
) -> wgpu::RenderPipeline {
    create_pipeline(
        gpu,
        &shader.module(&gpu.device),
        &[&frame.layout],
        &PipelineOptions {
            depth_write: false,
            cull: false,
            depth_compare: wgpu::CompareFunction::Equal,
            ..PipelineOptions::new("vs_sky", fragment)
        },
    )
}

fn draw(pass: &mut wgpu::RenderPass<'_>, data: &FrameData, pipeline: &wgpu::RenderPipeline) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &data.bind_group, &[]);
    pass.draw(0..3, 0..1);
}
