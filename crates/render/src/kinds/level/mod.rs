//! Levels: chunks of faces with textures and lightmaps.
//!
//! Only the shown level of a map is on the GPU. Its chunks are uploaded all at once or, in a
//! window, from the nearest on within a budget per frame. Lights are separate: if one is switched
//! or dimmed, its lightmaps are repainted or the vertex tints uploaded again.
//!
//! Visible chunks are drawn from near to far, without faces on sides that are seen from behind.
//! Transparent faces are drawn from back to front. Where faces are small on screen, adjoining ones
//! are merged. Where a level is cut open, caps close the solid parts.

mod caps;
mod chunks;
mod gpu_data;
mod materials;
mod pipelines;
mod shown_level;
mod transparent;
mod view;

pub(crate) use self::gpu_data::SHADER;

use self::materials::MaterialLayout;
use self::pipelines::Pipeline;
use self::shown_level::ShownLevel;
use self::view::{Draw, LevelView};
use crate::frame::{
    ContentData, ContentRenderer, FrameLayout, FramePass, LocalView, Phase, UploadOptions,
};
use crate::gpu::{
    Gpu, PipelineCache, Pipelines, SAMPLER, TEXTURE, UNIFORM, UploadError, bind_group_layout,
    sampler,
};
use mapscope_scene::Shown;
use mapscope_scene::camera::Projection;
use mapscope_scene::level::Map;

/// Draws levels.
#[derive(Debug, Clone)]
pub(crate) struct LevelRenderer {
    /// Layout of bind group 1.
    look_layout: wgpu::BindGroupLayout,
    materials: MaterialLayout,
    /// Layout of bind group 3.
    page_layout: wgpu::BindGroupLayout,
    lightmap_sampler: wgpu::Sampler,
    pipelines: PipelineCache<Pipeline>,
}

/// A map on the GPU.
#[derive(Debug)]
pub(crate) struct LevelData {
    level: ShownLevel,
    /// The shown level, if the device has no room for it.
    refused: Option<usize>,
    /// Upload budget of each frame, in bytes; `None` to upload everything at once.
    bytes_per_frame: Option<u64>,
    /// `true` if faces are merged where they are small.
    is_face_merging_on: bool,
}

impl LevelRenderer {
    pub(crate) fn new(gpu: &Gpu, frame: &FrameLayout) -> Self {
        let look_layout = bind_group_layout(gpu, "level look", &[UNIFORM]);
        let bindings = [UNIFORM, TEXTURE, TEXTURE, SAMPLER];
        let (repeat, clamp) = (wgpu::AddressMode::Repeat, wgpu::AddressMode::ClampToEdge);
        let materials = MaterialLayout {
            layout: bind_group_layout(gpu, "level material", &bindings),
            repeated: sampler(gpu, "level", repeat, gpu.mipmap_filter()),
            clamped: sampler(gpu, "level sky", clamp, gpu.mipmap_filter()),
        };
        let page_layout = bind_group_layout(gpu, "lightmaps", &[TEXTURE, SAMPLER]);
        let layouts = [&frame.layout, &look_layout, &materials.layout, &page_layout];
        Self {
            pipelines: PipelineCache::new(&SHADER, &layouts),
            look_layout,
            materials,
            page_layout,
            lightmap_sampler: sampler(gpu, "lightmaps", clamp, wgpu::MipmapFilterMode::Nearest),
        }
    }
}

impl ContentRenderer for LevelRenderer {
    type Content = Map;
    type Data = LevelData;
    type View = LevelView;

    fn upload(
        &self,
        gpu: &Gpu,
        map: &Map,
        options: UploadOptions<&LevelData>,
    ) -> Result<LevelData, UploadError> {
        let bytes_per_frame = options.bytes_per_frame;
        let mut level = ShownLevel::new(gpu, self, map, 0)?;
        if bytes_per_frame.is_none() {
            level.upload_chunks(gpu, map, &Shown::default(), None);
        }
        Ok(LevelData {
            level,
            refused: None,
            bytes_per_frame,
            is_face_merging_on: true,
        })
    }

    /// Uploads the shown level, its chunks, and changes of its lights and tints.
    fn complete(&mut self, gpu: &Gpu, data: &mut LevelData, map: &Map, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        if data.level.number != shown.level && data.refused != Some(shown.level) {
            match ShownLevel::new(gpu, self, map, shown.level) {
                Ok(level) => data.level = level,
                Err(error) => {
                    // The previous level stays.
                    log::error!("{error}");
                    data.refused = Some(shown.level);
                }
            }
        }
        let nearest = data.bytes_per_frame.map(|bytes| (bytes, local.eye));
        data.level.update_lights(gpu, map, shown);
        data.level.upload_chunks(gpu, map, shown, nearest);
        // An orthographic view sees one point of a sky.
        let has_sky = local.view.camera.projection == Projection::Perspective;
        let sky = has_sky.then(|| map.sky_at(data.level.number, local.eye));
        data.level.set_sky(gpu, map, sky.flatten());
    }

    fn view(&self, gpu: &Gpu, _: &LevelData, _: &Map) -> LevelView {
        LevelView::new(gpu, &self.look_layout)
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &LevelData,
        view: &mut LevelView,
        map: &Map,
        local: &LocalView<'_>,
    ) {
        view.update(gpu, data, map, local);
        for pipeline in view.list.pipelines() {
            self.pipelines.request(pipeline, local.is_mirrored);
        }
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &LevelData, view: &LevelView) {
        let list = &view.list;
        match phase {
            Phase::Opaque => {
                self.draw_all(pass, data, view, list.opaque.iter().cloned());
                self.draw_caps(pass, view);
            }
            Phase::Background => self.draw_sky(pass, data, view),
            Phase::Transparent => {
                self.draw_all(pass, data, view, list.transparent.iter().cloned());
            }
            Phase::Lines => {
                if let Some(pipeline) = list.edges {
                    let all = list.opaque.iter().chain(&list.transparent);
                    let edges = all.map(|draw| Draw {
                        pipeline,
                        ..draw.clone()
                    });
                    self.draw_all(pass, data, view, edges);
                }
            }
            Phase::Shadow | Phase::Reflection => {}
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }
}

impl LevelRenderer {
    fn draw_caps(&self, pass: &mut FramePass<'_>, view: &LevelView) {
        if let Some((vertices, count)) = view.caps.vertices()
            && pass.set_pipeline(&self.pipelines, Pipeline::Caps)
        {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(count, 0..1);
        }
    }

    fn draw_sky(&self, pass: &mut FramePass<'_>, data: &LevelData, view: &LevelView) {
        if view.list.has_backdrop && pass.set_pipeline(&self.pipelines, Pipeline::Backdrop) {
            pass.draw(3, 0..1);
        }
        for (side, material) in (0..).zip(view.list.sky) {
            if let Some((material, is_textured)) = material
                && let Some(group) = data.level.sky_material(material, view.time_secs)
                && pass.set_pipeline(&self.pipelines, Pipeline::SkySide(is_textured))
            {
                pass.set_bind_group(1, &view.look_bind_group, &[]);
                pass.set_bind_group(2, group, &[]);
                pass.draw(6, side..side + 1);
            }
        }
    }

    fn draw_all(
        &self,
        pass: &mut FramePass<'_>,
        data: &LevelData,
        view: &LevelView,
        draws: impl Iterator<Item = Draw>,
    ) {
        let level = &data.level;
        pass.set_bind_group(1, &view.look_bind_group, &[]);
        let mut last: Option<Draw> = None;
        for draw in draws {
            let changes =
                |what: fn(&Draw) -> u64| last.as_ref().is_none_or(|l| what(l) != what(&draw));
            let chunk = level.chunks.get(draw.chunk as usize);
            let block = chunk.and_then(|chunk| level.blocks.get(chunk.block));
            let Some((chunk, block)) = chunk.zip(block) else {
                continue;
            };
            let is_set = last.as_ref().is_some_and(|l| l.pipeline == draw.pipeline);
            if !is_set && !pass.set_pipeline(&self.pipelines, draw.pipeline) {
                continue;
            }
            if changes(|draw| draw.material.into()) {
                let Some(group) = level.material(draw.material.into(), view.time_secs) else {
                    continue;
                };
                pass.set_bind_group(2, group, &[]);
            }
            if changes(|draw| draw.page.into()) {
                let Some(group) = level.pages.get(usize::from(draw.page)) else {
                    continue;
                };
                pass.set_bind_group(3, &group.bind_group, &[]);
            }
            if changes(|draw| u64::from(draw.chunk) << 1 | u64::from(draw.is_sorted)) {
                let indices = if draw.is_sorted {
                    view.sorted_indices(chunk.block)
                } else {
                    block.indices.as_ref()
                };
                let (Some(vertices), Some(indices)) = (&block.vertices, indices) else {
                    continue;
                };
                pass.set_vertex_buffer(0, vertices.slice(..));
                pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
                if let (None, Some(tints)) = (chunk.same_tint, &block.tints) {
                    pass.set_vertex_buffer(1, tints.slice(..));
                } else {
                    let at = u64::from(draw.chunk) * 4;
                    pass.set_vertex_buffer(1, level.same_tints.slice(at..at + 4));
                }
            }
            pass.draw_indexed(draw.indices.clone(), chunk.first_vertex as i32, 0..1);
            last = Some(draw);
        }
    }
}

impl ContentData for LevelData {
    fn gpu_bytes(&self) -> u64 {
        self.level.gpu_bytes()
    }

    fn progress(&self) -> Option<(usize, usize)> {
        self.level.progress()
    }
}

impl LevelData {
    /// Sets whether flat faces are merged where they are small on screen.
    pub(crate) fn set_face_merging(&mut self, is_face_merging_on: bool) {
        self.is_face_merging_on = is_face_merging_on;
    }
}
