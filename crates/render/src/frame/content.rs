//! What renderers of all kinds of content have in common: one trait, and a fixed order of phases.

use std::any::Any;
use std::fmt;

use super::light::GroundShadow;
use super::pass::{Background, FramePass, Phase};
use super::view::LocalView;
use crate::gpu::pipelines::Pipelines;
use crate::gpu::{Gpu, UploadError};
use mapscope_scene::Shown;

/// Draws one kind of content.
pub(crate) trait ContentRenderer: fmt::Debug + Clone + Send + 'static {
    /// What it draws.
    type Content: Any;
    /// That on the GPU.
    type Data: ContentData;

    /// Whether what is uploaded once is drawn wherever it stands ([`LocalView::instances`]). If
    /// not, it is uploaded for each place, and seen from its own space.
    const IS_INSTANCED: bool = false;

    /// Whether it casts shadows ([`Phase::Shadow`]); only what is instanced may.
    const CASTS_SHADOWS: bool = false;

    /// Puts it on the GPU.
    fn upload(
        &self,
        gpu: &Gpu,
        content: &Self::Content,
        options: UploadOptions<&Self::Data>,
    ) -> Result<Self::Data, UploadError>;

    /// Makes ready what the next frame needs.
    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut Self::Data,
        content: &Self::Content,
        local: &LocalView<'_>,
    );

    /// Begins to make what this frame does not need and others of the same content may.
    fn prepare_ahead(&mut self, _: &Gpu, _: &Self::Data) {}

    /// Draws what belongs to a phase. Bind group 0 is set.
    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &Self::Data);

    /// Its pipelines.
    fn pipelines(&mut self) -> &mut dyn Pipelines;
}

/// Content on the GPU.
pub(crate) trait ContentData: Any + fmt::Debug + Send + Sync {
    /// Bytes of GPU memory that it holds.
    fn gpu_bytes(&self) -> u64;

    /// How many chunks of how many are on the GPU; none once all are.
    fn progress(&self) -> Option<(usize, usize)> {
        None
    }

    /// With which level of detail, from the finest, it is drawn where a unit of its space has so many
    /// pixels.
    fn level_of_detail(&self, _: &Shown, _pixels_per_unit: f32) -> usize {
        0
    }

    /// What is to be behind it in the frame that was prepared.
    fn background(&self) -> Background;

    /// World height of its water, if that is in a view.
    fn water_height(&self, _: &LocalView<'_>) -> Option<f32> {
        None
    }

    /// Whether it casts another shadow than when this was asked last, though it stands where it
    /// stood.
    fn take_new_shadow(&mut self) -> bool {
        false
    }

    /// The shadow that the ground casts, if this is ground.
    fn ground_shadow(&self) -> Option<&GroundShadow> {
        None
    }
}

/// How something is put on the GPU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UploadOptions<D> {
    /// What it may share textures with.
    pub(crate) shared: Option<D>,
    /// How many bytes are sent before each frame; none to send all at once.
    pub(crate) bytes_per_frame: Option<u64>,
}

/// A renderer whatever it draws.
pub(crate) trait AnyRenderer: fmt::Debug + Send {
    fn is_instanced(&self) -> bool;

    fn casts_shadows(&self) -> bool;

    /// Whether this draws such content.
    fn draws(&self, content: &dyn Any) -> bool;

    /// Puts content that this draws on the GPU.
    fn upload(
        &self,
        gpu: &Gpu,
        content: &dyn Any,
        options: UploadOptions<&dyn ContentData>,
    ) -> Result<Option<Box<dyn ContentData>>, UploadError>;

    /// Makes ready what the next frame needs of content that this has put on the GPU.
    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut dyn ContentData,
        content: &dyn Any,
        local: &LocalView<'_>,
    );

    /// Begins to make what the frame that was prepared does not need and others may.
    fn prepare_ahead(&mut self, gpu: &Gpu, data: &dyn ContentData);

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &dyn ContentData);

    /// Its pipelines.
    fn pipelines(&mut self) -> &mut dyn Pipelines;

    /// The same with shaders as they now are on disk.
    fn reloaded(&self, gpu: &Gpu) -> Box<dyn AnyRenderer>;
}

impl<R: ContentRenderer> AnyRenderer for R {
    fn is_instanced(&self) -> bool {
        R::IS_INSTANCED
    }

    fn casts_shadows(&self) -> bool {
        R::CASTS_SHADOWS
    }

    fn draws(&self, content: &dyn Any) -> bool {
        content.is::<R::Content>()
    }

    fn upload(
        &self,
        gpu: &Gpu,
        content: &dyn Any,
        options: UploadOptions<&dyn ContentData>,
    ) -> Result<Option<Box<dyn ContentData>>, UploadError> {
        let Some(content) = content.downcast_ref() else {
            return Ok(None);
        };
        let options = UploadOptions {
            shared: options.shared.and_then(downcast::<R::Data>),
            bytes_per_frame: options.bytes_per_frame,
        };
        let data = ContentRenderer::upload(self, gpu, content, options)?;
        Ok(Some(Box::new(data)))
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut dyn ContentData,
        content: &dyn Any,
        local: &LocalView<'_>,
    ) {
        let data: &mut dyn Any = data;
        if let (Some(data), Some(content)) = (data.downcast_mut(), content.downcast_ref()) {
            ContentRenderer::prepare(self, gpu, data, content, local);
        }
    }

    fn prepare_ahead(&mut self, gpu: &Gpu, data: &dyn ContentData) {
        if let Some(data) = downcast(data) {
            ContentRenderer::prepare_ahead(self, gpu, data);
        }
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &dyn ContentData) {
        if let Some(data) = downcast(data) {
            ContentRenderer::draw(self, phase, pass, data);
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        ContentRenderer::pipelines(self)
    }

    fn reloaded(&self, gpu: &Gpu) -> Box<dyn AnyRenderer> {
        let mut renderer = self.clone();
        ContentRenderer::pipelines(&mut renderer).remake(gpu);
        Box::new(renderer)
    }
}

fn downcast<D: ContentData>(data: &dyn ContentData) -> Option<&D> {
    let data: &dyn Any = data;
    data.downcast_ref()
}
