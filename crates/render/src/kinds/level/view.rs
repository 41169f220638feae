//! Levels in a view: visible chunks and draws.

use std::ops::Range;

use glam::{Vec3, Vec4};

use super::caps::Caps;
use super::chunks::LevelChunk;
use super::pipelines::{Look, Pipeline, Surface};
use super::shown_level::ShownLevel;
use super::transparent::{Scratch, SortedFor, TransparentFaces};
use super::{LevelData, gpu_data};
use crate::frame::{Background, ContentView, Frustum, LocalView, NOTHING};
use crate::gpu::{Gpu, Uniform, bind_group};
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

/// Length of edges on screen, in pixels, below which faces are merged. Gaps at T-junctions are rare
/// and a pixel large, but flicker in large surfaces.
const MERGED_EDGE_PX: f32 = 24.0;

/// The bits of all sides.
const FLAT_SIDES: u8 = 0b11_1111;

/// The position of the viewer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Eye {
    /// A place in the world.
    At(Vec3),
    /// Infinitely far away, looking in this direction.
    Along(Vec3),
}

/// A level in one view.
#[derive(Debug)]
pub(crate) struct LevelView {
    /// The number of the level in the map, once it was prepared.
    level: Option<usize>,
    look: Uniform<gpu_data::Look>,
    /// Bind group 1.
    pub(super) look_bind_group: wgpu::BindGroup,
    pub(super) time_secs: f32,
    /// Visible chunks from near to far, with a measure of their distance.
    visible: Vec<(f32, u32)>,
    /// For each chunk `true` if its merged faces are drawn.
    merged: Vec<bool>,
    /// The transparent faces of each chunk.
    transparent: Vec<TransparentFaces>,
    /// The sorted indices of transparent faces, by block.
    sorted: Vec<Option<wgpu::Buffer>>,
    scratch: Scratch,
    /// Hidden materials.
    hidden: Vec<u16>,
    pub(super) caps: Caps,
    /// The draws of the next frame.
    pub(super) list: DrawList,
}

/// The draws of a frame, in drawing order.
#[derive(Debug, Default)]
pub(super) struct DrawList {
    pub(super) opaque: Vec<Draw>,
    pub(super) has_caps: bool,
    /// The material on each side of the sky, with `true` if it is textured; and `true` if any side
    /// has none.
    pub(super) sky: [Option<(usize, bool)>; 6],
    pub(super) has_backdrop: bool,
    pub(super) transparent: Vec<Draw>,
    pub(super) edges: Option<Pipeline>,
}

/// A draw call.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    pub(super) pipeline: Pipeline,
    pub(super) chunk: u32,
    pub(super) material: u16,
    pub(super) page: u16,
    /// `true` if the indices are sorted ones.
    pub(super) is_sorted: bool,
    pub(super) indices: Range<u32>,
}

impl ContentView for LevelView {
    fn gpu_bytes(&self) -> u64 {
        let sorted = self.sorted.iter().flatten().map(wgpu::Buffer::size);
        self.caps.gpu_bytes() + sorted.sum::<u64>()
    }

    fn background(&self) -> Background {
        Background::Own
    }
}

impl LevelView {
    pub(super) fn new(gpu: &Gpu, layout: &wgpu::BindGroupLayout) -> Self {
        let look = Uniform::new(gpu, "level look");
        let resources = [look.buffer.as_entire_binding()];
        Self {
            level: None,
            look_bind_group: bind_group(gpu, "level look", layout, resources),
            look,
            time_secs: 0.0,
            visible: Vec::new(),
            merged: Vec::new(),
            transparent: Vec::new(),
            sorted: Vec::new(),
            scratch: Scratch::default(),
            hidden: Vec::new(),
            caps: Caps::default(),
            list: DrawList::default(),
        }
    }

    /// Prepares the next frame.
    pub(super) fn update(&mut self, gpu: &Gpu, data: &LevelData, map: &Map, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        self.set_level(&data.level, map);
        self.time_secs = map.time_secs(local.playhead);
        self.write_look(gpu, shown);
        self.find_visible(data, local);
        self.hide(shown, data.level.number);
        self.caps.update(gpu, map, shown);
        self.list_draws(gpu, data, map, shown, Eye::of(local));
        self.list.sky = data.level.sky_sides;
        self.list.has_backdrop = self.list.sky.contains(&None);
        self.list.has_caps = !self.caps.is_empty();
        self.list.edges = gpu.draws_wireframe(shown).then(|| {
            let look = look(shown);
            Pipeline::Edges {
                two_sided: look.two_sided,
                cut: look.cut,
            }
        });
    }

    /// The sorted indices of the transparent faces of a block, if any.
    pub(super) fn sorted_indices(&self, block: usize) -> Option<&wgpu::Buffer> {
        self.sorted.get(block)?.as_ref()
    }

    /// Discards what belongs to another level.
    fn set_level(&mut self, level: &ShownLevel, map: &Map) {
        if self.level.replace(level.number) == Some(level.number) {
            return;
        }
        let meshes = map
            .levels()
            .get(level.number)
            .map_or(&[][..], |level| &level.chunks);
        let chunks = level.chunks.iter().zip(meshes);
        let transparent =
            chunks.map(|(chunk, mesh)| TransparentFaces::of(mesh, chunk.first_transparent));
        self.transparent = transparent.collect();
        self.merged = vec![false; level.chunks.len()];
        self.sorted = vec![None; level.blocks.len()];
    }

    /// Collects the hidden materials.
    fn hide(&mut self, shown: &Shown, number: usize) {
        self.hidden.clear();
        let hidden = shown.hidden.iter().filter_map(|item| match *item {
            Item::Level(LevelItem::Material { level, index }) => {
                (level as usize == number).then_some(index as u16)
            }
            _ => None,
        });
        self.hidden.extend(hidden);
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
        self.look.write(gpu, look);
    }

    /// Lists the visible chunks from near to far, so that hidden pixels are not shaded.
    fn find_visible(&mut self, data: &LevelData, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        let level = data.level.number as u32;
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
        // Tints and wireframes need the original faces.
        let merges = data.is_face_merging_on
            && look(shown).surface != Surface::Tint
            && !shown.overlays.contains(OverlayId::Wireframe);
        let scale = PixelScale::of(local);
        self.visible.clear();
        if Map::are_faces_hidden(shown) {
            return;
        }
        let chunks = data.level.chunks.iter().zip(&mut self.merged);
        for (i, (chunk, is_merged)) in (0..).zip(chunks) {
            let bounds = &chunk.bounds;
            let is_seen =
                chunk.is_uploaded && frustum.sees(bounds).is_some() && !is_cut_away(bounds);
            if !is_seen || is_hidden(chunk) {
                continue;
            }
            self.visible.push((eye.depth(bounds.center()), i));
            *is_merged = merges
                && !chunk.darkens
                && chunk
                    .merged_edge_len
                    .is_some_and(|len| len * scale.in_box(bounds) < MERGED_EDGE_PX);
        }
        self.visible
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    fn list_draws(&mut self, gpu: &Gpu, data: &LevelData, map: &Map, shown: &Shown, eye: Eye) {
        let look = look(shown);
        let list = &mut self.list;
        list.opaque.clear();
        list.transparent.clear();
        let level = &data.level;
        for (_, number) in &self.visible {
            let Some(chunk) = level.chunks.get(*number as usize) else {
                continue;
            };
            let away = look.sides_away(eye, &chunk.bounds);
            let is_merged = self
                .merged
                .get(*number as usize)
                .copied()
                .unwrap_or_default();
            for part in &chunk.parts {
                let list = match part.part.blend {
                    Blend::Opaque => &mut list.opaque,
                    // Listed from back to front, below.
                    Blend::Alpha => continue,
                    Blend::Add => &mut list.transparent,
                };
                if self.hidden.contains(&part.part.material) {
                    continue;
                }
                let Some(pipeline) = level.pipeline(look, chunk, &part.part) else {
                    continue;
                };
                let away = if part.part.two_sided { 0 } else { away };
                list.extend(part.toward(away, is_merged).map(|indices| Draw {
                    pipeline,
                    chunk: *number,
                    material: part.part.material,
                    page: part.part.page,
                    is_sorted: false,
                    indices,
                }));
            }
        }
        self.sort_transparent(gpu, level, map, eye, look);
        let list = &mut self.list;
        // Alpha-blended faces from back to front, then additive ones.
        let additive = list.transparent.len();
        for (_, number) in self.visible.iter().rev() {
            let Some(faces) = self.transparent.get(*number as usize) else {
                continue;
            };
            list_transparent(
                level,
                look,
                *number,
                (faces, &self.hidden),
                &mut list.transparent,
            );
        }
        list.transparent.rotate_left(additive);
    }

    /// Sorts the transparent faces of visible chunks where the eye has moved.
    fn sort_transparent(&mut self, gpu: &Gpu, level: &ShownLevel, map: &Map, eye: Eye, look: Look) {
        let Some(meshes) = map.levels().get(level.number).map(|level| &level.chunks) else {
            return;
        };
        for (_, number) in &self.visible {
            let number = *number as usize;
            let chunk = level.chunks.get(number).zip(meshes.get(number));
            let faces = self.transparent.get_mut(number);
            let faces = faces.filter(|faces| !faces.is_empty());
            let Some(((chunk, mesh), faces)) = chunk.zip(faces) else {
                continue;
            };
            let wanted = SortedFor {
                eye,
                away: look.sides_away(eye, &chunk.bounds),
                is_merged: self.merged.get(number).copied().unwrap_or_default(),
            };
            let sorted = faces.sort(mesh, wanted, &mut self.scratch);
            let block = level.blocks.get(chunk.block);
            let buffer = self.sorted.get_mut(chunk.block);
            if let Some(first) = sorted
                && let Some((block, buffer)) = block.zip(buffer)
            {
                let buffer = buffer.get_or_insert_with(|| block.sorted_indices(gpu));
                let indices = bytemuck::cast_slice(&self.scratch.indices);
                gpu.queue
                    .write_buffer(buffer, u64::from(first) * 4, indices);
            }
        }
    }
}

/// Lists the transparent faces of a chunk, from back to front, without those of hidden materials.
fn list_transparent(
    level: &ShownLevel,
    look: Look,
    number: u32,
    (faces, hidden): (&TransparentFaces, &[u16]),
    list: &mut Vec<Draw>,
) {
    let Some(chunk) = level.chunks.get(number as usize) else {
        return;
    };
    for (part, indices) in &faces.runs {
        let part = chunk.parts.get(usize::from(*part));
        let Some(part) = part.filter(|part| !hidden.contains(&part.part.material)) else {
            continue;
        };
        let Some(pipeline) = level.pipeline(look, chunk, &part.part) else {
            continue;
        };
        list.push(Draw {
            pipeline,
            chunk: number,
            material: part.part.material,
            page: part.part.page,
            is_sorted: true,
            indices: indices.clone(),
        });
    }
}

impl DrawList {
    /// The pipelines that it needs.
    pub(super) fn pipelines(&self) -> impl Iterator<Item = Pipeline> {
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

    /// A measure of distance, for comparisons only.
    pub(super) fn depth(self, place: Vec3) -> f32 {
        match self {
            Self::At(eye) => eye.distance_squared(place),
            Self::Along(direction) => direction.dot(place),
        }
    }

    /// The sides that are seen from behind everywhere in a box: +X, +Y, +Z, -X, -Y, -Z, one bit
    /// each.
    fn sides_away(self, bounds: &Aabb) -> u8 {
        let (plus, minus) = match self {
            Self::At(eye) => (eye.cmplt(bounds.min), eye.cmpgt(bounds.max)),
            Self::Along(direction) => (direction.cmpgt(Vec3::ZERO), direction.cmplt(Vec3::ZERO)),
        };
        (plus.bitmask() | minus.bitmask() << 3) as u8 & FLAT_SIDES
    }
}

/// The scale of things on screen.
#[derive(Debug, Clone, Copy)]
struct PixelScale {
    eye: Eye,
    /// Pixels per metre: at a distance of one metre, or everywhere.
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

    /// Pixels per metre at the nearest point of a box.
    fn in_box(self, bounds: &Aabb) -> f32 {
        match self.eye {
            Eye::At(eye) => self.pixels / bounds.distance(eye).max(self.near),
            Eye::Along(_) => self.pixels,
        }
    }
}

impl Look {
    /// The sides of a chunk that are not drawn because they are seen from behind, one bit each.
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

/// Index of the selected material of the shown level, if any.
fn selected_material(shown: &Shown) -> Option<u32> {
    match shown.selected {
        Some(Item::Level(LevelItem::Material { level, index })) => {
            (level as usize == shown.level).then_some(index)
        }
        _ => None,
    }
}
