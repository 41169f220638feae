//! The passes and phases of a frame.

use std::ops::{Deref, DerefMut, Range};

use glam::Vec3;

use crate::gpu::Target;
use crate::gpu::pipelines::{PipelineCache, PipelineKey};

/// Far below the horizon: haze, so that the edge of a map stands out. Frames are cleared to it.
pub(crate) const HAZE: Vec3 = Vec3::new(0.33, 0.39, 0.42);

/// What a frame took to draw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawStatistics {
    /// Triangles handed to the GPU, but for those of what water reflects.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
    /// Triangles on the shadow map of the frame, which is drawn only when it is to change. They are
    /// not among the others.
    pub shadow_triangles: u64,
    /// Draw calls for these.
    pub shadow_draw_calls: u32,
}

/// When something is drawn: each phase of all drawables comes before the next phase of any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
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
    pub(crate) const OF_FRAME: [Self; 4] = [
        Self::Opaque,
        Self::Background,
        Self::Transparent,
        Self::Lines,
    ];
}

/// What is behind everything. Of several drawables that ask for one, the last of this list wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Background {
    /// A floor with a grid, for what stands on it.
    Studio,
    /// A sky, for what has ground of its own.
    Sky,
    /// The same as six images, where the document has them.
    Skybox,
    /// What a drawable draws itself in [`Phase::Background`], or covers.
    Own,
}

/// A frame while it is drawn: the render pass, and what it took so far.
#[derive(Debug)]
pub(crate) struct FramePass<'a> {
    pass: wgpu::RenderPass<'a>,
    pub(crate) statistics: DrawStatistics,
    /// Whether what is drawn stands there as in a mirror.
    pub(crate) is_mirrored: bool,
}

impl<'a> FramePass<'a> {
    /// Begins a frame on a target: transparent, or with haze everywhere.
    pub(crate) fn begin(
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

    pub(crate) fn new(pass: wgpu::RenderPass<'a>) -> Self {
        Self {
            pass,
            statistics: DrawStatistics::default(),
            is_mirrored: false,
        }
    }

    /// Draws with a pipeline from now on; says whether it was made.
    pub(crate) fn set_pipeline<K: PipelineKey>(
        &mut self,
        pipelines: &PipelineCache<K>,
        key: K,
    ) -> bool {
        let pipeline = pipelines.get(key, self.is_mirrored);
        pipeline.inspect(|it| self.pass.set_pipeline(it)).is_some()
    }

    /// Draws triangles of vertices that the shader makes.
    pub(crate) fn draw(&mut self, vertices: u32, instances: Range<u32>) {
        self.count(vertices, &instances);
        self.pass.draw(0..vertices, instances);
    }

    /// Draws triangles of vertices with these indices.
    pub(crate) fn draw_indexed(
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
