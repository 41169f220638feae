//! Levels: chunks of faces with textures and lightmaps.
//!
//! Of a map one level is on the GPU at a time, the one that is shown. Its chunks are uploaded either
//! all before the next frame or, in a window, the nearest first, as many for each frame as do not
//! delay it. Lights are not part of them: when one is switched or dimmed, its lightmaps are painted
//! again, or a tint of the vertices is uploaded.
//!
//! Chunks in view are drawn the nearest first, without those of their faces that lie flat on a side
//! which is seen from behind, and what is transparent from back to front. Where
//! faces are small on screen, those that go on in each other are drawn as one. Where a level is cut
//! open, what is solid is closed with caps.

mod caps;
mod chunks;
mod gpu_data;
mod materials;
mod pipelines;
mod shown_level;
mod transparent;

use std::ops::Range;

use glam::{Vec3, Vec4};

pub(crate) use self::gpu_data::SHADER;

use self::caps::Caps;
use self::chunks::LevelChunk;
use self::materials::MaterialLayout;
use self::pipelines::{Look, Pipeline, Surface};
use self::shown_level::ShownLevel;
use crate::frame::constants::NOTHING;
use crate::frame::content::{ContentData, ContentRenderer, UploadOptions};
use crate::frame::pass::{Background, FramePass, Phase};
use crate::frame::uniforms::FrameLayout;
use crate::frame::view::{Frustum, LocalView};
use crate::gpu::bindings::{SAMPLER, TEXTURE, UNIFORM, bind_group, bind_group_layout};
use crate::gpu::buffers::buffer;
use crate::gpu::pipelines::{PipelineCache, Pipelines};
use crate::gpu::textures::sampler;
use crate::gpu::{Gpu, UploadError};
use mapscope_scene::camera::Projection;
use mapscope_scene::level::Map;
use mapscope_scene::level::caps::CUT_SLACK;
use mapscope_scene::level::materials::Blend;
use mapscope_scene::{Aabb, Item, LevelItem, OverlayId, Shown};

/// Overlays that colour the surface.
const SURFACES: [(OverlayId, Surface); 8] = [
    (OverlayId::Lightmap, Surface::Lightmap),
    (OverlayId::Unlit, Surface::Unlit),
    (OverlayId::Normals, Surface::Normals),
    (OverlayId::UvChecker, Surface::UvChecker),
    (OverlayId::MaterialColors, Surface::Tint),
    (OverlayId::OctreeDepth, Surface::Tint),
    (OverlayId::CubeTypes, Surface::Tint),
    (OverlayId::BackFaces, Surface::BackFaces),
];

/// How long edges of faces are on screen, in pixels, below which faces are joined: gaps where an edge
/// meets the middle of another one are rare and a pixel large, but one sees them come and go in
/// large surfaces.
const MERGED_EDGE_PX: f32 = 24.0;

/// Bits by which sides are not drawn: all that lie flat on a side.
const FLAT_SIDES: u8 = 0b11_1111;

/// From where one looks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Eye {
    /// From a place in the world.
    At(Vec3),
    /// From far away, into this direction.
    Along(Vec3),
}

/// Draws levels.
#[derive(Debug, Clone)]
pub(crate) struct LevelRenderer {
    /// Of bind group 1.
    look_layout: wgpu::BindGroupLayout,
    materials: MaterialLayout,
    /// Of bind group 3.
    page_layout: wgpu::BindGroupLayout,
    lightmap_sampler: wgpu::Sampler,
    pipelines: PipelineCache<Pipeline>,
}

/// A map on the GPU.
#[derive(Debug)]
pub(crate) struct LevelData {
    level: ShownLevel,
    /// The level that the device has no room for, if it is asked for.
    refused: Option<usize>,
    /// How many bytes are uploaded before a frame; none to upload all at once.
    bytes_per_frame: Option<u64>,
    /// Whether faces are joined where they are small.
    merges_faces: bool,
    look_buffer: wgpu::Buffer,
    /// Bind group 1.
    look_bind_group: wgpu::BindGroup,
    /// What `look_buffer` holds.
    written_look: Option<gpu_data::Look>,
    time_secs: f32,
    /// The chunks in view, the nearest first, with their distance.
    visible: Vec<(f32, u32)>,
    caps: Caps,
    /// What is drawn in a frame.
    list: DrawList,
}

/// What is drawn, in this order.
#[derive(Debug, Default)]
struct DrawList {
    opaque: Vec<Draw>,
    has_caps: bool,
    /// Which material is on each side of the sky, and whether anything else is seen behind.
    sky: [Option<(usize, bool)>; 6],
    has_backdrop: bool,
    transparent: Vec<Draw>,
    edges: Option<Pipeline>,
}

/// A draw call.
#[derive(Debug, Clone)]
struct Draw {
    pipeline: Pipeline,
    chunk: u32,
    material: u16,
    page: u16,
    /// Whether the indices are those that were sorted.
    is_sorted: bool,
    indices: Range<u32>,
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

    /// Puts what is shown first of a map on the GPU; with a number of bytes only so much of it for
    /// each frame.
    fn upload(
        &self,
        gpu: &Gpu,
        map: &Map,
        options: UploadOptions<&LevelData>,
    ) -> Result<LevelData, UploadError> {
        let size = size_of::<gpu_data::Look>() as u64;
        let look_buffer = buffer(gpu, "level look", size, wgpu::BufferUsages::UNIFORM);
        let look = [look_buffer.as_entire_binding()];
        let look_bind_group = bind_group(gpu, "level look", &self.look_layout, look);
        let bytes_per_frame = options.bytes_per_frame;
        let mut level = ShownLevel::new(gpu, self, map, 0)?;
        if bytes_per_frame.is_none() {
            level.upload_chunks(gpu, map, &Shown::default(), None);
        }
        Ok(LevelData {
            level,
            refused: None,
            bytes_per_frame,
            merges_faces: true,
            look_buffer,
            look_bind_group,
            written_look: None,
            time_secs: 0.0,
            visible: Vec::new(),
            caps: Caps::default(),
            list: DrawList::default(),
        })
    }

    /// Works out what a view shows of a map, and makes and sends what is not there yet.
    fn prepare(&mut self, gpu: &Gpu, data: &mut LevelData, map: &Map, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        if data.level.number != shown.level && data.refused != Some(shown.level) {
            match ShownLevel::new(gpu, self, map, shown.level) {
                Ok(level) => data.level = level,
                Err(error) => {
                    // What was shown before stays.
                    log::error!("{error}");
                    data.refused = Some(shown.level);
                }
            }
        }
        let eye = Eye::of(local);
        let budget = data.bytes_per_frame;
        let nearest = budget.map(|bytes| (bytes, local.eye));
        data.level.update_lights(gpu, map, shown);
        data.level.upload_chunks(gpu, map, shown, nearest);
        data.time_secs = map.time_secs(local.playhead);
        data.write_look(gpu, shown);
        data.find_visible(local);
        data.level.hide(shown);
        data.caps.update(gpu, map, shown);
        data.list_draws(gpu, map, shown, eye);
        data.list_sky(gpu, map, local);
        data.list.has_caps = !data.caps.is_empty();
        data.list.edges = gpu.draws_wireframe(shown).then(|| {
            let look = look(shown);
            Pipeline::Edges {
                two_sided: look.two_sided,
                cut: look.cut,
            }
        });
        for pipeline in data.list.pipelines() {
            self.pipelines.need(pipeline, local.is_mirrored);
        }
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &LevelData) {
        let list = &data.list;
        match phase {
            Phase::Opaque => {
                self.draw_all(pass, data, list.opaque.iter().cloned());
                self.draw_caps(pass, data);
            }
            Phase::Background => self.draw_sky(pass, data),
            Phase::Transparent => {
                self.draw_all(pass, data, list.transparent.iter().cloned());
            }
            Phase::Lines => {
                if let Some(pipeline) = list.edges {
                    let all = list.opaque.iter().chain(&list.transparent);
                    let edges = all.map(|draw| Draw {
                        pipeline,
                        ..draw.clone()
                    });
                    self.draw_all(pass, data, edges);
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
    fn draw_caps(&self, pass: &mut FramePass<'_>, data: &LevelData) {
        if let Some((vertices, count)) = data.caps.vertices()
            && pass.set_pipeline(&self.pipelines, Pipeline::Caps)
        {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(count, 0..1);
        }
    }

    fn draw_sky(&self, pass: &mut FramePass<'_>, data: &LevelData) {
        if data.list.has_backdrop && pass.set_pipeline(&self.pipelines, Pipeline::Backdrop) {
            pass.draw(3, 0..1);
        }
        for (side, material) in (0..).zip(data.list.sky) {
            if let Some((material, is_textured)) = material
                && let Some(group) = data.level.sky_material(material, data.time_secs)
                && pass.set_pipeline(&self.pipelines, Pipeline::SkySide(is_textured))
            {
                pass.set_bind_group(1, &data.look_bind_group, &[]);
                pass.set_bind_group(2, group, &[]);
                pass.draw(6, side..side + 1);
            }
        }
    }

    fn draw_all(
        &self,
        pass: &mut FramePass<'_>,
        data: &LevelData,
        draws: impl Iterator<Item = Draw>,
    ) {
        let level = &data.level;
        pass.set_bind_group(1, &data.look_bind_group, &[]);
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
                let Some(group) = level.material(draw.material.into(), data.time_secs) else {
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
                let sorted = draw.is_sorted.then_some(&block.sorted);
                let indices = sorted.unwrap_or(&block.indices);
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
        self.level.gpu_bytes() + self.caps.gpu_bytes()
    }

    fn progress(&self) -> Option<(usize, usize)> {
        self.level.progress()
    }

    fn background(&self) -> Background {
        Background::Own
    }
}

impl LevelData {
    /// Says whether flat faces are joined where they are small on screen, as at first they are.
    pub(crate) fn set_merges_faces(&mut self, merges_faces: bool) {
        self.merges_faces = merges_faces;
    }

    fn write_look(&mut self, gpu: &Gpu, shown: &Shown) {
        let everything = Aabb {
            min: Vec3::NEG_INFINITY,
            max: Vec3::INFINITY,
        };
        let cut = shown.cut.unwrap_or(everything);
        let back_face = Vec3::from(mapscope_scene::colors::BACK_FACE.map(f32::from)) / 255.0;
        let look = gpu_data::Look {
            cut_min: (cut.min - CUT_SLACK).extend(self.time_secs),
            cut_max: (cut.max + CUT_SLACK).extend(0.0),
            back_face: Vec4::from((back_face, 0.0)),
            material: selected_material(shown).unwrap_or(NOTHING),
            padding: [0; 3],
        };
        if self.written_look != Some(look) {
            gpu.queue
                .write_buffer(&self.look_buffer, 0, bytemuck::bytes_of(&look));
            self.written_look = Some(look);
        }
    }

    /// Lists the chunks in view, the nearest first, so that they hide what is behind them before it
    /// is shaded.
    fn find_visible(&mut self, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        let level = self.level.number as u32;
        let eye = Eye::of(local);
        let frustum = Frustum::new(local.clip_from_model);
        let is_cut_away = |bounds: &Aabb| {
            let apart = |cut: Aabb| {
                (cut.min.max(bounds.min))
                    .cmpgt(cut.max.min(bounds.max))
                    .any()
            };
            shown.cut.is_some_and(apart)
        };
        let is_hidden = |chunk: &LevelChunk| {
            let chunk = chunk.number as u32;
            shown.hides(LevelItem::Chunk { level, chunk }.into())
        };
        // What is coloured or outlined face by face is drawn face by face.
        let merges = self.merges_faces
            && look(shown).surface != Surface::Tint
            && !shown.overlays.contains(OverlayId::Wireframe);
        let scale = PixelScale::of(local);
        self.visible.clear();
        if Map::hides_faces(shown) {
            return;
        }
        for (i, chunk) in (0..).zip(&mut self.level.chunks) {
            let bounds = &chunk.bounds;
            let is_seen =
                chunk.is_uploaded && frustum.sees(bounds).is_some() && !is_cut_away(bounds);
            if !is_seen || is_hidden(chunk) {
                continue;
            }
            self.visible.push((eye.depth(bounds.center()), i));
            chunk.is_merged = merges
                && !chunk.dims
                && chunk
                    .merged_edge_len
                    .is_some_and(|len| len * scale.in_box(bounds) < MERGED_EDGE_PX);
        }
        self.visible
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    fn list_draws(&mut self, gpu: &Gpu, map: &Map, shown: &Shown, eye: Eye) {
        let look = look(shown);
        let list = &mut self.list;
        list.opaque.clear();
        list.transparent.clear();
        let level = &mut self.level;
        for (_, number) in &self.visible {
            let Some(chunk) = level.chunks.get(*number as usize) else {
                continue;
            };
            let away = look.sides_away(eye, &chunk.bounds);
            for part in &chunk.parts {
                let list = match part.part.blend {
                    Blend::Opaque => &mut list.opaque,
                    // Listed from back to front, below.
                    Blend::Alpha => continue,
                    Blend::Add => &mut list.transparent,
                };
                let Some(pipeline) = level.pipeline(look, chunk, &part.part) else {
                    continue;
                };
                let away = if part.part.two_sided { 0 } else { away };
                list.extend(part.toward(away, chunk.is_merged).map(|indices| Draw {
                    pipeline,
                    chunk: *number,
                    material: part.part.material,
                    page: part.part.page,
                    is_sorted: false,
                    indices,
                }));
            }
        }
        level.sort_transparent(gpu, map, eye, &self.visible, look);
        // What is additive comes last, and what is alpha-blended from back to front before it.
        let additive = list.transparent.len();
        for (_, number) in self.visible.iter().rev() {
            level.list_transparent(look, *number, &mut list.transparent);
        }
        list.transparent.rotate_left(additive);
    }

    fn list_sky(&mut self, gpu: &Gpu, map: &Map, local: &LocalView<'_>) {
        self.list.sky = [None; 6];
        // Without perspective all rays are the same, and see one place of a sky.
        if local.view.camera.projection == Projection::Perspective {
            let sky = map.sky_at(self.level.number, local.eye);
            self.list.sky = self.level.sky_sides(gpu, map, sky);
        }
        self.list.has_backdrop = self.list.sky.contains(&None);
    }
}

impl DrawList {
    /// What it needs pipelines for.
    fn pipelines(&self) -> impl Iterator<Item = Pipeline> {
        let draws = self.opaque.iter().chain(&self.transparent);
        let sides = self.sky.iter().flatten();
        draws
            .map(|draw| draw.pipeline)
            .chain(sides.map(|(_, is_textured)| Pipeline::SkySide(*is_textured)))
            .chain(self.has_caps.then_some(Pipeline::Caps))
            .chain(self.has_backdrop.then_some(Pipeline::Backdrop))
            .chain(self.edges)
    }
}

impl Eye {
    fn of(local: &LocalView<'_>) -> Self {
        match local.view.camera.projection {
            Projection::Perspective => Self::At(local.eye),
            Projection::Orthographic => Self::Along(local.forward),
        }
    }

    /// How far away a place is; only for comparing it with others.
    fn depth(self, place: Vec3) -> f32 {
        match self {
            Self::At(eye) => eye.distance_squared(place),
            Self::Along(direction) => direction.dot(place),
        }
    }

    /// The sides that are seen from behind wherever they are in a box: +X, +Y, +Z, -X, -Y, -Z, bit
    /// by bit.
    fn sides_away(self, bounds: &Aabb) -> u8 {
        let (plus, minus) = match self {
            Self::At(eye) => (eye.cmplt(bounds.min), eye.cmpgt(bounds.max)),
            Self::Along(direction) => (direction.cmpgt(Vec3::ZERO), direction.cmplt(Vec3::ZERO)),
        };
        (plus.bitmask() | minus.bitmask() << 3) as u8 & FLAT_SIDES
    }
}

/// How large things are on screen.
#[derive(Debug, Clone, Copy)]
struct PixelScale {
    eye: Eye,
    /// Pixels for each metre: at a distance of one metre, or everywhere.
    pixels: f32,
    near: f32,
}

impl PixelScale {
    fn of(local: &LocalView<'_>) -> Self {
        let [width, height] = local.size;
        let camera = &local.view.camera;
        let clip_from_view = camera.clip_from_view(width as f32 / height.max(1) as f32);
        Self {
            eye: Eye::of(local),
            pixels: clip_from_view.y_axis.y.abs() * height as f32 * 0.5,
            near: local.near(),
        }
    }

    /// Pixels for each metre where a box is nearest.
    fn in_box(self, bounds: &Aabb) -> f32 {
        match self.eye {
            Eye::At(eye) => self.pixels / bounds.distance(eye).max(self.near),
            Eye::Along(_) => self.pixels,
        }
    }
}

impl Look {
    /// The sides that are not drawn of a chunk since they are seen from behind, bit by side.
    fn sides_away(self, eye: Eye, bounds: &Aabb) -> u8 {
        if self.two_sided {
            0
        } else {
            eye.sides_away(bounds)
        }
    }
}

fn look(shown: &Shown) -> Look {
    let on = |(id, _): &&(OverlayId, Surface)| shown.overlays.contains(*id);
    let overlay = SURFACES.iter().find(on).map(|(_, surface)| *surface);
    let surface = overlay.unwrap_or(Surface::Full);
    Look {
        surface,
        highlighted: selected_material(shown).is_some(),
        two_sided: surface == Surface::BackFaces || shown.overlays.contains(OverlayId::TwoSided),
        cut: shown.cut.is_some(),
    }
}

/// The index of the selected material of the level that is shown.
fn selected_material(shown: &Shown) -> Option<u32> {
    match shown.selected {
        Some(Item::Level(LevelItem::Material { level, index })) => {
            (level as usize == shown.level).then_some(index)
        }
        _ => None,
    }
}
