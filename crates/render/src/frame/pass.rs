//! The passes and phases of a frame.

use std::ops::{Deref, DerefMut, Range};

use glam::Vec3;

use crate::gpu::{PipelineCache, PipelineKey, Target};

/// Colour of the haze far below the horizon, against which the edge of a map is visible. Frames are
/// cleared to it.
pub(crate) const HAZE: Vec3 = Vec3::new(0.33, 0.39, 0.42);

/// The cost of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawStatistics {
    /// Triangles drawn, without those of the reflection.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
    /// Triangles on the shadow map, which are not part of `triangles`. The map is drawn only if it
    /// is stale.
    pub shadow_triangles: u64,
    /// Draw calls of the shadow map.
    pub shadow_draw_calls: u32,
}

/// A phase of drawing. Each phase of all drawables precedes the next phase of any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Shadow casters, drawn from the sun as depth only.
    Shadow,
    /// The reflection in water, drawn before the frame.
    Reflection,
    /// Opaque surfaces.
    Opaque,
    /// The background.
    Background,
    /// Alpha-blended surfaces.
    Transparent,
    /// Wireframes, and the lines of overlays.
    Lines,
}

impl Phase {
    /// The phases of the frame itself, in drawing order.
    pub(crate) const OF_FRAME: [Self; 4] = [
        Self::Opaque,
        Self::Background,
        Self::Transparent,
        Self::Lines,
    ];
}

/// The background. If several drawables request one, the last variant wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Background {
    /// A floor with a grid, for objects.
    Studio,
    /// A sky, for content with ground of its own.
    Sky,
    /// A sky of six images, if the document has them.
    Skybox,
    /// Drawn or covered by a drawable itself, in [`Phase::Background`].
    Own,
}

/// A frame being drawn: the render pass and its cost so far.
#[derive(Debug)]
pub(crate) struct FramePass<'a> {
    pass: wgpu::RenderPass<'a>,
    pub(crate) statistics: DrawStatistics,
    /// `true` if front faces are mirrored.
    pub(crate) is_mirrored: bool,
}

impl<'a> FramePass<'a> {
    /// Begins a frame on a target, which is cleared to transparent or to haze.
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

    /// Sets a pipeline. Returns `false` if it was not created.
    pub(crate) fn set_pipeline<K: PipelineKey>(
        &mut self,
        pipelines: &PipelineCache<K>,
        key: K,
    ) -> bool {
        let pipeline = pipelines.get(key, self.is_mirrored);
        pipeline.inspect(|it| self.pass.set_pipeline(it)).is_some()
    }

    /// Draws triangles whose vertices the shader generates.
    pub(crate) fn draw(&mut self, vertices: u32, instances: Range<u32>) {
        self.count(vertices, &instances);
        self.pass.draw(0..vertices, instances);
    }

    /// Draws indexed triangles.
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
