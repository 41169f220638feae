//! What is seen wherever nothing else is: the sky over maps, a studio around models.

use super::content::{Background, Phase};
use super::frame::FrameLayout;
use super::resources::{PipelineCache, PipelineKey, PipelineOptions, create_pipeline};
use super::shaders::STUDIO;
use super::{DrawStatistics, Gpu};

/// Draws what is behind everything.
#[derive(Debug, Clone)]
pub(super) struct SkyRenderer {
    pipelines: PipelineCache<Background>,
}

impl PipelineKey for Background {
    fn create(
        self,
        gpu: &Gpu,
        module: &wgpu::ShaderModule,
        layouts: &[wgpu::BindGroupLayout],
    ) -> wgpu::RenderPipeline {
        let fragment = match self {
            Self::Studio => "fs_studio",
            Self::Sky | Self::Own => "fs_sky",
        };
        let options = PipelineOptions::behind_all("vs_sky", fragment);
        create_pipeline(gpu, module, layouts, &options)
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
            self.pipelines.make(gpu, background);
        }
    }

    pub(super) fn draw(
        &self,
        phase: Phase,
        pass: &mut wgpu::RenderPass<'_>,
        background: Background,
        statistics: &mut DrawStatistics,
    ) {
        if let (Phase::Background, Some(pipeline)) = (phase, self.pipelines.get(background)) {
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
            statistics.draw_calls += 1;
            statistics.triangles += 1;
        }
    }
}
