//! The interface of all kinds of content: one renderer per kind, data per content, views per camera.

use std::any::Any;
use std::fmt;

use super::{Background, FramePass, GroundShadow, LocalView, Phase};
use crate::gpu::{Gpu, Pipelines, UploadError};
use mapscope_scene::Shown;

/// Draws one kind of content.
pub(crate) trait ContentRenderer: fmt::Debug + Clone + Send + 'static {
    /// The content as the document has it.
    type Content: Any;
    /// The GPU resources of the content. All views share them.
    type Data: ContentData;
    /// The state of one view: what depends on a camera.
    type View: ContentView;

    /// `true` if one draw covers all placements ([`LocalView::instances`]). Otherwise each placement
    /// has a view of its own, in the space of the content.
    const IS_INSTANCED: bool = false;

    /// `true` if it casts shadows ([`Phase::Shadow`]). Requires `IS_INSTANCED`.
    const CASTS_SHADOWS: bool = false;

    /// Uploads the content.
    fn upload(
        &self,
        gpu: &Gpu,
        content: &Self::Content,
        options: UploadOptions<&Self::Data>,
    ) -> Result<Self::Data, UploadError>;

    /// Uploads deferred parts that a view needs.
    fn complete(&mut self, _: &Gpu, _: &mut Self::Data, _: &Self::Content, _: &LocalView<'_>) {}

    /// Creates the state of a new view.
    fn view(&self, gpu: &Gpu, data: &Self::Data, content: &Self::Content) -> Self::View;

    /// Prepares the next frame of a view.
    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &Self::Data,
        view: &mut Self::View,
        content: &Self::Content,
        local: &LocalView<'_>,
    );

    /// Starts to create pipelines that the prepared frame does not need but later frames may.
    fn prefetch_pipelines(&mut self, _: &Gpu, _: &Self::View) {}

    /// Draws one phase of a prepared view. Bind group 0 is set.
    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &Self::Data, view: &Self::View);

    /// The pipelines of the renderer.
    fn pipelines(&mut self) -> &mut dyn Pipelines;
}

/// Content on the GPU.
pub(crate) trait ContentData: Any + fmt::Debug + Send + Sync {
    /// Bytes of GPU memory.
    fn gpu_bytes(&self) -> u64;

    /// The number of uploaded chunks and of all chunks; `None` once all are uploaded.
    fn progress(&self) -> Option<(usize, usize)> {
        None
    }

    /// The level of detail, from 0 for the finest, where a unit of model space covers this many
    /// pixels.
    fn level_of_detail(&self, _: &Shown, _pixels_per_unit: f32) -> usize {
        0
    }

    /// Incremented if it casts another shadow, although its placements are the same.
    fn shadow_revision(&self) -> u32 {
        0
    }

    /// World height of the water, if a view shows any.
    fn water_height(&self, _: &LocalView<'_>) -> Option<f32> {
        None
    }

    /// The shadow of the ground, if this is ground.
    fn ground_shadow(&self) -> Option<&GroundShadow> {
        None
    }
}

/// The state of one view of some content.
pub(crate) trait ContentView: Any + fmt::Debug + Send + Sync {
    /// Bytes of GPU memory.
    fn gpu_bytes(&self) -> u64;

    /// The background that the prepared frame needs.
    fn background(&self) -> Background;
}

/// Options of an upload.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UploadOptions<D> {
    /// Data whose textures may be shared.
    pub(crate) shared: Option<D>,
    /// Upload budget of each frame, in bytes; `None` to upload everything at once.
    pub(crate) bytes_per_frame: Option<u64>,
}

/// A view of any kind of content, once it was prepared.
pub(crate) type AnyView = Option<Box<dyn ContentView>>;

/// A renderer of any kind of content. Data, views and content of other kinds are ignored.
pub(crate) trait AnyRenderer: fmt::Debug + Send {
    /// See [`ContentRenderer::IS_INSTANCED`].
    fn is_instanced(&self) -> bool;

    /// See [`ContentRenderer::CASTS_SHADOWS`].
    fn casts_shadows(&self) -> bool;

    /// `true` if the renderer draws this kind of content.
    fn draws(&self, content: &dyn Any) -> bool;

    /// See [`ContentRenderer::upload`].
    fn upload(
        &self,
        gpu: &Gpu,
        content: &dyn Any,
        options: UploadOptions<&dyn ContentData>,
    ) -> Result<Option<Box<dyn ContentData>>, UploadError>;

    /// See [`ContentRenderer::complete`] and [`ContentRenderer::prepare`]; creates the view first if
    /// necessary.
    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut dyn ContentData,
        view: &mut AnyView,
        content: &dyn Any,
        local: &LocalView<'_>,
    );

    /// See [`ContentRenderer::prefetch_pipelines`].
    fn prefetch_pipelines(&mut self, gpu: &Gpu, view: &dyn ContentView);

    /// See [`ContentRenderer::draw`].
    fn draw(
        &self,
        phase: Phase,
        pass: &mut FramePass<'_>,
        data: &dyn ContentData,
        view: &dyn ContentView,
    );

    /// The pipelines of the renderer.
    fn pipelines(&mut self) -> &mut dyn Pipelines;

    /// Returns a copy whose pipelines use the shaders that are now on disk.
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
            shared: options.shared.and_then(data_of::<R>),
            bytes_per_frame: options.bytes_per_frame,
        };
        let data = ContentRenderer::upload(self, gpu, content, options)?;
        Ok(Some(Box::new(data)))
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut dyn ContentData,
        view: &mut AnyView,
        content: &dyn Any,
        local: &LocalView<'_>,
    ) {
        let data: &mut dyn Any = data;
        let (Some(data), Some(content)) = (data.downcast_mut(), content.downcast_ref()) else {
            return;
        };
        self.complete(gpu, data, content, local);
        let view = view.get_or_insert_with(|| Box::new(self.view(gpu, data, content)));
        let view: &mut dyn Any = &mut **view;
        if let Some(view) = view.downcast_mut() {
            ContentRenderer::prepare(self, gpu, data, view, content, local);
        }
    }

    fn prefetch_pipelines(&mut self, gpu: &Gpu, view: &dyn ContentView) {
        if let Some(view) = view_of::<R>(view) {
            ContentRenderer::prefetch_pipelines(self, gpu, view);
        }
    }

    fn draw(
        &self,
        phase: Phase,
        pass: &mut FramePass<'_>,
        data: &dyn ContentData,
        view: &dyn ContentView,
    ) {
        if let (Some(data), Some(view)) = (data_of::<R>(data), view_of::<R>(view)) {
            ContentRenderer::draw(self, phase, pass, data, view);
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        ContentRenderer::pipelines(self)
    }

    fn reloaded(&self, gpu: &Gpu) -> Box<dyn AnyRenderer> {
        let mut renderer = self.clone();
        ContentRenderer::pipelines(&mut renderer).recreate(gpu);
        Box::new(renderer)
    }
}

fn data_of<R: ContentRenderer>(data: &dyn ContentData) -> Option<&R::Data> {
    let data: &dyn Any = data;
    data.downcast_ref()
}

fn view_of<R: ContentRenderer>(view: &dyn ContentView) -> Option<&R::View> {
    let view: &dyn Any = view;
    view.downcast_ref()
}
