//! What is seen wherever nothing else is: the sky over maps, a studio around models.

use super::content::{Background, FramePass};
use super::frame::FrameLayout;
use super::resources::{
    PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, upload_texture,
};
use super::shaders::STUDIO;
use super::{COLOR_FORMAT, Gpu};
use mapscope_scene::assets::Skybox;

/// Draws what is behind everything.
#[derive(Debug, Clone)]
pub(super) struct SkyRenderer {
    pipelines: PipelineCache<Background>,
}

impl PipelineKey for Background {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let [vertex, fragment] = match self {
            Self::Studio => ["vs_sky", "fs_studio"],
            Self::Skybox => ["vs_skybox", "fs_skybox"],
            Self::Sky | Self::Own => ["vs_sky", "fs_sky"],
        };
        maker.create(&PipelineOptions::behind_all(vertex, fragment))
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

/// Puts a skybox on the GPU; none that is larger than the device allows.
pub(super) fn upload_skybox(gpu: &Gpu, skybox: &Skybox) -> Option<wgpu::TextureView> {
    let side = skybox.side();
    if side > gpu.device.limits().max_texture_dimension_2d {
        return None;
    }
    let faces = skybox.faces.each_ref();
    let faces = faces.map(|face| face.levels.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let faces = faces.each_ref().map(Vec::as_slice);
    Some(cube_texture(gpu, [side; 2], &faces))
}

/// Makes a cube texture of six layers with their mip levels.
pub(super) fn cube_texture(gpu: &Gpu, size: [u32; 2], faces: &[&[&[u8]]; 6]) -> wgpu::TextureView {
    let texture = upload_texture(gpu, "skybox", COLOR_FORMAT, size, faces);
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    })
}
