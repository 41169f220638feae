//! Levels: chunks of faces with textures and lightmaps.
//!
//! Of a map one level is on the GPU at a time, the one that is shown. Its chunks are sent one by
//! one, either all before the next picture or, in a window, the nearest first and so many bytes for
//! each picture that it does not wait. Lights are not part of what is sent: when one is switched or
//! dimmed, its lightmaps are painted again, or a tint of the vertices is sent.
//!
//! Chunks in view are drawn the nearest first, without those of their faces that lie flat on a side
//! which is seen from behind, then the sky, and then what is seen through from back to front. Where
//! faces are small on screen, those that go on in each other are drawn as one. Where a level is cut
//! open, what is solid is closed with caps.

mod caps;
mod chunks;
mod gpu_data;
mod materials;
mod pipelines;
mod see_through;
mod shown_level;

use std::ops::Range;

use glam::{Vec3, Vec4};

use self::caps::Caps;
use self::chunks::LevelChunk;
use self::materials::MaterialLayout;
use self::pipelines::{Look, PipelineKey, Surface};
use self::shown_level::ShownLevel;
use super::frame::{FrameData, FrameRenderer, Frustum, clip_from_world};
use super::resources::{sampler_entry, texture_entry, uniform_entry};
use super::{DrawStatistics, Gpu, UploadError, View};
use mapscope_formats::pmf::CubeKind;
use mapscope_scene::camera::{Camera, Projection};
use mapscope_scene::level::Map;
use mapscope_scene::level::caps::CUT_SLACK;
use mapscope_scene::level::materials::Blend;
use mapscope_scene::model::BACK_FACE_COLOR;
use mapscope_scene::{Aabb, Shown};

/// Overlays that colour the surface.
const SURFACES: [(&str, Surface); 8] = [
    ("lightmap", Surface::Lightmap),
    ("unlit", Surface::Unlit),
    ("normals", Surface::Normals),
    ("uv-checker", Surface::UvChecker),
    ("material-colors", Surface::Tint),
    ("octree-depth", Surface::Tint),
    ("cube-types", Surface::Tint),
    ("back-faces", Surface::BackFaces),
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
#[derive(Debug)]
pub(super) struct LevelRenderer {
    /// Of bind group 1.
    look_layout: wgpu::BindGroupLayout,
    materials: MaterialLayout,
    /// Of bind group 3.
    page_layout: wgpu::BindGroupLayout,
    lightmap_sampler: wgpu::Sampler,
    /// Made when they are first needed.
    pipelines: Vec<(PipelineKey, wgpu::RenderPipeline)>,
}

/// A map on the GPU.
#[derive(Debug)]
pub(super) struct LevelData {
    level: ShownLevel,
    /// The level that the device has no room for, if it is asked for.
    refused: Option<usize>,
    /// How many bytes are sent before a picture; none to send all at once.
    bytes_per_picture: Option<u64>,
    /// Whether faces are joined where they are small.
    pub(super) merges_faces: bool,
    look_buffer: wgpu::Buffer,
    /// Bind group 1.
    look_bind_group: wgpu::BindGroup,
    /// What `look_buffer` holds.
    written_look: Option<gpu_data::Look>,
    time_secs: f32,
    /// The chunks in view, the nearest first, with their distance.
    visible: Vec<(f32, u32)>,
    caps: Caps,
    /// What is drawn for a picture.
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
    see_through: Vec<Draw>,
    edges: Option<PipelineKey>,
}

/// A draw call.
#[derive(Debug, Clone)]
struct Draw {
    key: PipelineKey,
    chunk: u32,
    material: u16,
    page: u16,
    /// Whether the indices are those that were sorted.
    is_sorted: bool,
    indices: Range<u32>,
}

impl LevelRenderer {
    pub(super) fn new(gpu: &Gpu) -> Self {
        use wgpu::TextureViewDimension::D2;
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            let label = Some(label);
            gpu.device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries })
        };
        let sampler = |label, address_mode, mipmap_filter| {
            gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some(label),
                address_mode_u: address_mode,
                address_mode_v: address_mode,
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter,
                ..Default::default()
            })
        };
        // A processor that stands in for a graphics card pays for every lookup.
        let between_levels = if gpu.is_processor() {
            wgpu::MipmapFilterMode::Nearest
        } else {
            wgpu::MipmapFilterMode::Linear
        };
        Self {
            look_layout: layout("level look", &[uniform_entry(0)]),
            materials: MaterialLayout {
                layout: layout(
                    "level material",
                    &[
                        uniform_entry(0),
                        texture_entry(1, D2),
                        texture_entry(2, D2),
                        sampler_entry(3),
                    ],
                ),
                repeated: sampler("level", wgpu::AddressMode::Repeat, between_levels),
                clamped: sampler("level sky", wgpu::AddressMode::ClampToEdge, between_levels),
            },
            page_layout: layout("lightmaps", &[texture_entry(0, D2), sampler_entry(1)]),
            lightmap_sampler: sampler(
                "lightmaps",
                wgpu::AddressMode::ClampToEdge,
                wgpu::MipmapFilterMode::Nearest,
            ),
            pipelines: Vec::new(),
        }
    }

    /// The same with shaders as they now are on disk.
    pub(super) fn reloaded(&self, gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let mut renderer = Self {
            look_layout: self.look_layout.clone(),
            materials: self.materials.clone(),
            page_layout: self.page_layout.clone(),
            lightmap_sampler: self.lightmap_sampler.clone(),
            pipelines: Vec::new(),
        };
        for (key, _) in &self.pipelines {
            renderer.make_pipeline(gpu, frame, *key);
        }
        renderer
    }

    fn make_pipeline(&mut self, gpu: &Gpu, frame: &FrameRenderer, key: PipelineKey) {
        if self.pipeline(key).is_none() {
            let layouts = [
                &frame.layout,
                &self.look_layout,
                &self.materials.layout,
                &self.page_layout,
            ];
            self.pipelines.push((key, key.pipeline(gpu, layouts)));
        }
    }

    fn pipeline(&self, key: PipelineKey) -> Option<&wgpu::RenderPipeline> {
        let found = self.pipelines.iter().find(|(other, _)| *other == key);
        found.map(|(_, pipeline)| pipeline)
    }

    /// Puts what is shown first of a map on the GPU; with a number of bytes only so much of it for
    /// each picture.
    pub(super) fn upload(
        &self,
        gpu: &Gpu,
        map: &Map,
        bytes_per_picture: Option<u64>,
    ) -> Result<LevelData, UploadError> {
        let look_buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("level look"),
            size: size_of::<gpu_data::Look>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let look_bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("level look"),
            layout: &self.look_layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: look_buffer.as_entire_binding(),
            }],
        });
        let mut level = ShownLevel::new(gpu, self, map, 0)?;
        if bytes_per_picture.is_none() {
            level.send_chunks(gpu, map, &Shown::default(), None);
        }
        Ok(LevelData {
            level,
            refused: None,
            bytes_per_picture,
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
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        frame: &FrameRenderer,
        data: &mut LevelData,
        (map, view, size): (&Map, &View, [u32; 2]),
    ) {
        let shown = &view.shown;
        if data.level.number != shown.part && data.refused != Some(shown.part) {
            match ShownLevel::new(gpu, self, map, shown.part) {
                Ok(level) => data.level = level,
                Err(error) => {
                    // What was shown before stays.
                    log::error!("{error}");
                    data.refused = Some(shown.part);
                }
            }
        }
        let eye = Eye::of(&view.camera);
        let budget = data.bytes_per_picture;
        let nearest = budget.map(|bytes| (bytes, view.camera.pose.eye));
        data.level.update_lights(gpu, map, shown);
        data.level.send_chunks(gpu, map, shown, nearest);
        data.time_secs = map.time_secs(shown.playhead);
        data.send_look(gpu, shown);
        data.find_visible(map, view, size);
        data.level.hide(shown);
        data.caps.update(gpu, map, shown);
        data.list_draws(gpu, map, shown, eye);
        data.list_sky(gpu, map, view);
        data.list.has_caps = !data.caps.is_empty();
        data.list.edges =
            (shown.overlays.contains("wireframe") && gpu.draws_wireframes()).then(|| {
                let look = look(shown);
                PipelineKey::Edges {
                    two_sided: look.two_sided,
                    cut: look.cut,
                }
            });
        for key in data.list.keys() {
            self.make_pipeline(gpu, frame, key);
        }
    }

    /// Draws what hides what is behind it, then the sky, and then what does not.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        data: &LevelData,
        statistics: &mut DrawStatistics,
    ) {
        let list = &data.list;
        pass.set_bind_group(0, &frame.bind_group, &[]);
        self.draw_all(pass, data, list.opaque.iter().cloned(), statistics);
        self.draw_caps(pass, data, statistics);
        self.draw_sky(pass, data, statistics);
        self.draw_all(pass, data, list.see_through.iter().cloned(), statistics);
        if let Some(key) = list.edges {
            let all = list.opaque.iter().chain(&list.see_through);
            let edges = all.map(|draw| Draw {
                key,
                ..draw.clone()
            });
            self.draw_all(pass, data, edges, statistics);
        }
    }

    fn draw_caps(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        data: &LevelData,
        statistics: &mut DrawStatistics,
    ) {
        let pipeline = self.pipeline(PipelineKey::Caps);
        let (Some(pipeline), Some((vertices, count))) = (pipeline, data.caps.vertices()) else {
            return;
        };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.draw(0..count, 0..1);
        statistics.draw_calls += 1;
        statistics.triangles += u64::from(count) / 3;
    }

    fn draw_sky(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        data: &LevelData,
        statistics: &mut DrawStatistics,
    ) {
        if data.list.has_backdrop
            && let Some(pipeline) = self.pipeline(PipelineKey::Backdrop)
        {
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
            statistics.draw_calls += 1;
            statistics.triangles += 1;
        }
        for (side, material) in (0..).zip(data.list.sky) {
            let Some((material, is_textured)) = material else {
                continue;
            };
            let group = data.level.sky_material(material, data.time_secs);
            let pipeline = self.pipeline(PipelineKey::SkySide(is_textured));
            let (Some(group), Some(pipeline)) = (group, pipeline) else {
                continue;
            };
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &data.look_bind_group, &[]);
            pass.set_bind_group(2, group, &[]);
            pass.draw(0..6, side..side + 1);
            statistics.draw_calls += 1;
            statistics.triangles += 2;
        }
    }

    fn draw_all(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        data: &LevelData,
        draws: impl Iterator<Item = Draw>,
        statistics: &mut DrawStatistics,
    ) {
        let level = &data.level;
        pass.set_bind_group(1, &data.look_bind_group, &[]);
        let mut last: Option<Draw> = None;
        for draw in draws {
            let changes =
                |what: fn(&Draw) -> u64| last.as_ref().is_none_or(|l| what(l) != what(&draw));
            let Some(chunk) = level.chunks.get(draw.chunk as usize) else {
                continue;
            };
            let Some(block) = level.blocks.get(chunk.block) else {
                continue;
            };
            if last.as_ref().is_none_or(|last| last.key != draw.key) {
                let Some(pipeline) = self.pipeline(draw.key) else {
                    continue;
                };
                pass.set_pipeline(pipeline);
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
                let indices = if draw.is_sorted {
                    &block.sorted
                } else {
                    &block.indices
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
            statistics.draw_calls += 1;
            statistics.triangles += draw.indices.len() as u64 / 3;
            last = Some(draw);
        }
    }
}

impl LevelData {
    pub(super) fn gpu_bytes(&self) -> u64 {
        self.level.gpu_bytes() + self.caps.gpu_bytes()
    }

    /// How many chunks of how many are there; none once all are.
    pub(super) fn progress(&self) -> Option<(usize, usize)> {
        self.level.progress()
    }

    fn send_look(&mut self, gpu: &Gpu, shown: &Shown) {
        let everything = Aabb {
            min: Vec3::NEG_INFINITY,
            max: Vec3::INFINITY,
        };
        let cut = shown.cut.unwrap_or(everything);
        let back_face = Vec3::from(BACK_FACE_COLOR.map(f32::from)) / 255.0;
        let look = gpu_data::Look {
            cut_min: (cut.min - CUT_SLACK).extend(self.time_secs),
            cut_max: (cut.max + CUT_SLACK).extend(0.0),
            back_face: Vec4::from((back_face, 0.0)),
            material: selected_material(shown).unwrap_or(gpu_data::NOTHING),
            padding: [0; 7],
        };
        if self.written_look != Some(look) {
            gpu.queue
                .write_buffer(&self.look_buffer, 0, bytemuck::bytes_of(&look));
            self.written_look = Some(look);
        }
    }

    /// Lists the chunks in view, the nearest first, so that they hide what is behind them before it
    /// is shaded.
    fn find_visible(&mut self, map: &Map, view: &View, size: [u32; 2]) {
        let number = self.level.number;
        let eye = Eye::of(&view.camera);
        let frustum = Frustum::new(clip_from_world(view, size));
        let is_cut_away = |bounds: &Aabb| {
            let apart = |cut: Aabb| {
                (cut.min.max(bounds.min))
                    .cmpgt(cut.max.min(bounds.max))
                    .any()
            };
            view.shown.cut.is_some_and(apart)
        };
        let is_hidden = |chunk: &LevelChunk| {
            let item = map.chunk_item(number, chunk.number);
            item.is_some_and(|item| view.shown.hides(item))
        };
        let shown = &view.shown;
        // What is coloured or outlined face by face is drawn face by face.
        let merges = self.merges_faces
            && look(shown).surface != Surface::Tint
            && !shown.overlays.contains("wireframe");
        let scale = PixelScale::of(&view.camera, size);
        self.visible.clear();
        if Map::hides_kind(shown, CubeKind::Geometry) {
            return;
        }
        for (i, chunk) in (0..).zip(&mut self.level.chunks) {
            let bounds = &chunk.bounds;
            let is_seen = chunk.is_there && frustum.sees(bounds).is_some() && !is_cut_away(bounds);
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
        list.see_through.clear();
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
                    Blend::Add => &mut list.see_through,
                };
                let Some(key) = level.key(look, chunk, &part.part) else {
                    continue;
                };
                let away = if part.part.two_sided { 0 } else { away };
                list.extend(part.toward(away, chunk.is_merged).map(|indices| Draw {
                    key,
                    chunk: *number,
                    material: part.part.material,
                    page: part.part.page,
                    is_sorted: false,
                    indices,
                }));
            }
        }
        level.sort_see_through(gpu, map, eye, &self.visible, look);
        // What is additive comes last, and what is alpha-blended from back to front before it.
        let additive = list.see_through.len();
        for (_, number) in self.visible.iter().rev() {
            level.list_see_through(look, *number, &mut list.see_through);
        }
        list.see_through.rotate_left(additive);
    }

    fn list_sky(&mut self, gpu: &Gpu, map: &Map, view: &View) {
        let camera = &view.camera;
        self.list.sky = [None; 6];
        // Without perspective all rays are the same, and see one place of a sky.
        if camera.projection == Projection::Perspective {
            let sky = map.sky_at(self.level.number, camera.pose.eye);
            self.list.sky = self.level.sky_sides(gpu, map, sky);
        }
        self.list.has_backdrop = self.list.sky.contains(&None);
    }
}

impl DrawList {
    /// What it needs pipelines for.
    fn keys(&self) -> impl Iterator<Item = PipelineKey> {
        let draws = self.opaque.iter().chain(&self.see_through);
        let sides = self.sky.iter().flatten();
        draws
            .map(|draw| draw.key)
            .chain(sides.map(|(_, is_textured)| PipelineKey::SkySide(*is_textured)))
            .chain(self.has_caps.then_some(PipelineKey::Caps))
            .chain(self.has_backdrop.then_some(PipelineKey::Backdrop))
            .chain(self.edges)
    }
}

impl Eye {
    fn of(camera: &Camera) -> Self {
        match camera.projection {
            Projection::Perspective => Self::At(camera.pose.eye),
            Projection::Orthographic => Self::Along(camera.forward()),
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
    fn of(camera: &Camera, [width, height]: [u32; 2]) -> Self {
        let clip_from_view = camera.clip_from_view(width as f32 / height.max(1) as f32);
        Self {
            eye: Eye::of(camera),
            pixels: clip_from_view.y_axis.y.abs() * height as f32 * 0.5,
            near: camera.near,
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
            return 0;
        }
        eye.sides_away(bounds)
    }
}

fn look(shown: &Shown) -> Look {
    let on = |(id, _): &&(&str, Surface)| shown.overlays.contains(id);
    let overlay = SURFACES.iter().find(on).map(|(_, surface)| *surface);
    let surface = overlay.unwrap_or(Surface::Full);
    Look {
        surface,
        highlighted: selected_material(shown).is_some(),
        two_sided: surface == Surface::BackFaces || shown.overlays.contains("two-sided"),
        cut: shown.cut.is_some(),
    }
}

/// The index of the selected material of the level that is shown.
fn selected_material(shown: &Shown) -> Option<u32> {
    let item = shown.selected?;
    let index = item.index as u32;
    (item == Map::material_item(shown.part, index as usize)).then_some(index)
}
