//! What is seen wherever nothing else is: the sky over maps, a studio around models.

use super::Gpu;
use super::content::{Background, FramePass};
use super::frame::FrameLayout;
use super::resources::{PipelineCache, PipelineKey, PipelineMaker, PipelineOptions};
use super::shaders::STUDIO;

/// Draws what is behind everything.
#[derive(Debug, Clone)]
pub(super) struct SkyRenderer {
    pipelines: PipelineCache<Background>,
}

impl PipelineKey for Background {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let fragment = match self {
            Self::Studio => "fs_studio",
            Self::Sky | Self::Own => "fs_sky",
        };
        maker.create(&PipelineOptions::behind_all("vs_sky", fragment))
    }
}

impl SkyRenderer {
    pub(super) fn new(frame: &FrameLayout) -> Self {
        Self {
            pipelines: PipelineCache::new(&STUDIO, &[&frame.layout]),
        }
    }

    /// The same with shaders as they now are on disk.
    pub(super) fn reloaded(&self, gpu: &Gpu) -> Self {
        let mut renderer = self.clone();
        renderer.pipelines.remake(gpu);
        renderer
    }

    pub(super) fn prepare(&mut self, gpu: &Gpu, background: Background) {
        if background != Background::Own {
            self.pipelines.make(gpu, background, false);
        }
    }

    pub(super) fn draw(&self, pass: &mut FramePass<'_>, background: Background) {
        if pass.set_pipeline(&self.pipelines, background) {
            pass.draw(3, 0..1);
        }
    }
}
