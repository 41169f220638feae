//! What renderers of all kinds of content have in common: one trait, and a fixed order of phases.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use glam::Affine3A;

use crate::DrawStatistics;
use crate::frame::LocalView;
use crate::gpu::pipelines::{PipelineCache, PipelineKey, Pipelines};
use crate::gpu::{Gpu, Target, UploadError};
use crate::shadow::GroundShadow;
use crate::sky::HAZE;
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::{Playhead, Shown};

/// When something is drawn: each phase of all drawables comes before the next phase of any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// What keeps the sun from what is behind it; drawn from the sun, as depth alone.
    Shadow,
    /// What water reflects; drawn before the frame, as in a mirror.
    Reflection,
    /// What hides what is behind it.
    Opaque,
    /// What is behind everything.
    Background,
    /// What is blended with what is behind it.
    Transparent,
    /// Wireframes, and the lines of overlays.
    Lines,
}

impl Phase {
    /// Those of the frame itself, in the order in which they are drawn.
    pub(super) const OF_FRAME: [Self; 4] = [
        Self::Opaque,
        Self::Background,
        Self::Transparent,
        Self::Lines,
    ];
}

/// What is behind everything. Of several drawables that ask for one, the last of this list wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Background {
    /// A floor with a grid, for what stands on it.
    Studio,
    /// A sky, for what has ground of its own.
    Sky,
    /// The same as six images, where the document has them.
    Skybox,
    /// What a drawable draws itself in [`Phase::Background`], or covers.
    Own,
}

/// One of the places where content stands, and the moment at which it is there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Instance {
    pub(super) world_from_model: Affine3A,
    pub(super) playhead: Playhead,
}

/// Which of the instances of a level of detail are drawn where.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InstanceRanges {
    /// In the frame, of those that are not mirrored.
    pub(super) upright: Range<u32>,
    /// The same of those that are.
    pub(super) mirrored: Range<u32>,
    /// In the shadow map.
    pub(super) casting: Range<u32>,
    /// In what water reflects: of those that are not mirrored, and of those that are.
    pub(super) reflected: [Range<u32>; 2],
}

impl InstanceRanges {
    /// Nothing is drawn anywhere.
    pub(super) const NONE: Self = Self {
        upright: 0..0,
        mirrored: 0..0,
        casting: 0..0,
        reflected: [0..0, 0..0],
    };

    /// What is drawn in the frame, and whether it is seen as in a mirror.
    pub(super) fn in_frame(&self) -> [(bool, Range<u32>); 2] {
        [(false, self.upright.clone()), (true, self.mirrored.clone())]
    }

    /// The same of what water reflects.
    pub(super) fn in_water(&self) -> [(bool, Range<u32>); 2] {
        let [upright, mirrored] = self.reflected.clone();
        [(true, upright), (false, mirrored)]
    }
}

/// [`InstanceRanges`] by level of detail, from the finest.
pub(super) type LevelRanges = [InstanceRanges; MAX_LEVELS];

/// A frame while it is drawn: the render pass, and what it took so far.
#[derive(Debug)]
pub(super) struct FramePass<'a> {
    pass: wgpu::RenderPass<'a>,
    pub(super) statistics: DrawStatistics,
    /// Whether what is drawn stands there as in a mirror.
    pub(super) is_mirrored: bool,
}

impl<'a> FramePass<'a> {
    /// Begins a frame on a target: transparent, or with haze everywhere.
    pub(super) fn begin(
        target: &Target,
        encoder: &'a mut wgpu::CommandEncoder,
        is_transparent: bool,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> Self {
        let clear_color = if is_transparent {
            wgpu::Color::TRANSPARENT
        } else {
            let [r, g, b] = HAZE.to_array().map(f64::from);
            wgpu::Color { r, g, b, a: 1.0 }
        };
        Self::new(target.begin_pass(encoder, clear_color, timestamp_writes))
    }

    pub(super) fn new(pass: wgpu::RenderPass<'a>) -> Self {
        Self {
            pass,
            statistics: DrawStatistics::default(),
            is_mirrored: false,
        }
    }

    /// Draws with a pipeline from now on; says whether it was made.
    pub(super) fn set_pipeline<K: PipelineKey>(
        &mut self,
        pipelines: &PipelineCache<K>,
        key: K,
    ) -> bool {
        let pipeline = pipelines.get(key, self.is_mirrored);
        pipeline.inspect(|it| self.pass.set_pipeline(it)).is_some()
    }

    /// Draws triangles of vertices that the shader makes.
    pub(super) fn draw(&mut self, vertices: u32, instances: Range<u32>) {
        self.count(vertices, &instances);
        self.pass.draw(0..vertices, instances);
    }

    /// Draws triangles of vertices with these indices.
    pub(super) fn draw_indexed(
        &mut self,
        indices: Range<u32>,
        base_vertex: i32,
        instances: Range<u32>,
    ) {
        self.count(indices.len() as u32, &instances);
        self.pass.draw_indexed(indices, base_vertex, instances);
    }

    fn count(&mut self, vertices: u32, instances: &Range<u32>) {
        self.statistics.draw_calls += 1;
        self.statistics.triangles += u64::from(vertices / 3) * instances.len() as u64;
    }
}

impl<'a> Deref for FramePass<'a> {
    type Target = wgpu::RenderPass<'a>;

    fn deref(&self) -> &Self::Target {
        &self.pass
    }
}

impl DerefMut for FramePass<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.pass
    }
}

/// Draws one kind of content.
pub(super) trait ContentRenderer: fmt::Debug + Clone + Send + 'static {
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
pub(super) trait ContentData: Any + fmt::Debug + Send + Sync {
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
pub(super) struct UploadOptions<D> {
    /// What it may share textures with.
    pub(super) shared: Option<D>,
    /// How many bytes are sent before each frame; none to send all at once.
    pub(super) bytes_per_frame: Option<u64>,
}

/// A renderer whatever it draws.
pub(super) trait AnyRenderer: fmt::Debug + Send {
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
