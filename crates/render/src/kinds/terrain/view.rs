//! Maps in a view: the visible chunks, and the detail and draw calls of each.

use glam::Vec3;

use super::TerrainRenderer;
use super::bands::BandView;
use super::chunks::{Detail, detail_for};
use super::data::TerrainData;
use super::far::{Parts, Steps};
use super::gpu_data::{HIGHLIGHT_LAYER, LINES, Map, Surface};
use super::pipelines::{Ground, GroundPart, Pipeline, Shadows, Variant, ground_parts};
use crate::frame::{Background, ContentView, Frustum, LocalView, NOTHING, Reflected, shadow};
use crate::gpu::{Gpu, buffer};
use mapscope_scene::camera::Projection;
use mapscope_scene::terrain::geometry::TILE_SIDE;
use mapscope_scene::terrain::pack::{BLOCK_SIDE, Faces};
use mapscope_scene::terrain::{Edge, Terrain};
use mapscope_scene::{Aabb, Document as _, Item, OverlayId, Shown, TerrainItem};

/// Overlays that colour the surface.
const SURFACES: [(OverlayId, Surface); 7] = [
    (OverlayId::Unlit, Surface::Unlit),
    (OverlayId::TileTypes, Surface::Types),
    (OverlayId::Pathable, Surface::Pathable),
    (OverlayId::Navigation, Surface::Navigation),
    (OverlayId::Height, Surface::Height),
    (OverlayId::Normals, Surface::Normals),
    (OverlayId::Cover, Surface::Cover),
];

/// A map in a view.
#[derive(Debug)]
pub(crate) struct TerrainView {
    pub(super) bands: Vec<BandView>,
    /// Instances of far chunks and their skirts, then of chunks with water. Written in each frame.
    pub(super) instances: wgpu::Buffer,
    /// The features that the next frame needs.
    pub(super) variant: Variant,
    pub(super) draws_wireframe: bool,
    /// The shadows to draw: on parts out of reach of objects' shadows, and on parts within reach.
    pub(super) shadows: [Shadows; 2],
    /// The features of the reflection in its water.
    pub(super) reflected: Reflected,
    /// For each block, in rows from the north-west, `true` if an object on the ground may cast a
    /// shadow on it.
    shadowed_blocks: Vec<bool>,
    /// The visible chunks, in map order.
    visible_chunks: Vec<VisibleChunk>,
    /// The visible chunks with water.
    with_water: Vec<u32>,
    /// Visible chunks, or blocks of them, that are drawn face by face; from near to far.
    pub(super) visible: Vec<Visible>,
    /// Visible chunks that are drawn as grids; by draw call, and from near to far within each.
    far: Vec<FarChunk>,
    /// The visible parts of the ground.
    pub(super) drawn: Vec<GroundPart>,
    /// The contents of `instances`.
    listed: Vec<u32>,
    far_steps: Steps,
}

/// A visible chunk.
#[derive(Debug, Clone, Copy)]
struct VisibleChunk {
    chunk: u32,
    /// Distance from the eye to its bounds.
    distance: f32,
    /// `true` if the whole chunk is visible.
    is_inside: bool,
}

/// A visible chunk, or a block of it, that is drawn face by face.
#[derive(Debug, Clone)]
pub(super) struct Visible {
    pub(super) chunk: u32,
    pub(super) band: u32,
    pub(super) detail: Detail,
    distance: f32,
    pub(super) faces: Faces,
    /// `true` if an object on the ground may cast a shadow on it.
    pub(super) in_shadow: bool,
}

/// A visible chunk that is drawn as a grid.
#[derive(Debug, Clone, Copy)]
struct FarChunk {
    chunk: u32,
    band: u32,
    step: u32,
    distance: f32,
    /// `true` if an object on the ground may cast a shadow on it.
    in_shadow: bool,
}

impl FarChunk {
    /// The key of its draw call.
    fn draw_key(&self) -> (u32, bool, u32) {
        (self.band, self.in_shadow, self.step)
    }
}

impl ContentView for TerrainView {
    fn gpu_bytes(&self) -> u64 {
        let maps = self.bands.iter().map(|band| band.map.buffer.size());
        self.instances.size() + maps.sum::<u64>()
    }

    fn background(&self) -> Background {
        Background::Sky
    }
}

impl TerrainView {
    pub(super) fn new(gpu: &Gpu, renderer: &TerrainRenderer, data: &TerrainData) -> Self {
        let shared = renderer.shared_bindings(data);
        let bands = data
            .bands
            .iter()
            .map(|band| BandView::new(gpu, &renderer.layout, band, &shared));
        let count = data.chunks.len();
        // Per chunk at most a grid, four skirts, and water.
        let bytes = (count.max(1) * 6 * size_of::<u32>()) as u64;
        Self {
            bands: bands.collect(),
            instances: buffer(gpu, "instances", bytes, wgpu::BufferUsages::VERTEX),
            variant: Variant::Plain,
            draws_wireframe: false,
            shadows: [Shadows::OfGround; 2],
            reflected: Reflected::default(),
            shadowed_blocks: vec![false; count * 4],
            visible_chunks: Vec::with_capacity(count),
            with_water: Vec::with_capacity(count),
            visible: Vec::with_capacity(count),
            far: Vec::with_capacity(count),
            drawn: Vec::with_capacity(2 * Ground::ALL.len()),
            listed: Vec::with_capacity(count * 6),
            far_steps: Steps::new(count, data.blocks_across / 2),
        }
    }

    /// Prepares the next frame.
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        data: &TerrainData,
        terrain: &Terrain,
        local: &LocalView<'_>,
    ) {
        let shown = &local.view.shown;
        let map = Map {
            surface: surface(shown),
            lines: lines(shown),
            highlight: highlight(terrain, shown),
            ..data.map
        };
        for (view, band) in self.bands.iter_mut().zip(&data.bands) {
            view.write(gpu, band, &map);
        }
        let inspects = map.surface != 0 || map.lines != 0 || map.highlight != NOTHING;
        self.variant = match (inspects, data.is_rich) {
            (true, _) => Variant::Inspect,
            (false, true) => Variant::Rich,
            (false, false) => Variant::Plain,
        };
        self.draws_wireframe = gpu.draws_wireframe(shown);
        // Surfaces that an overlay colours are not lit.
        let is_lit = map.surface == Surface::Lit as u32;
        self.shadows = match (local.casters, shown.hides_shadows) {
            (_, true) => [Shadows::None; 2],
            (Some(_), false) if is_lit => [Shadows::OfGround, Shadows::All],
            _ => [Shadows::OfGround; 2],
        };
        self.reflected = local.reflected;
        self.shadowed_blocks.fill(false);
        for caster in local.casters.unwrap_or_default() {
            self.mark_shadow(data, terrain, caster, local.to_sun);
        }
        self.list_chunks(data, local);
        self.list_drawn();
        self.list_far(is_from_below(terrain, local));
        self.list_water(data, shows_water(map.surface));
        if !self.listed.is_empty() {
            let bytes = bytemuck::cast_slice(&self.listed);
            gpu.queue.write_buffer(&self.instances, 0, bytes);
        }
    }

    /// Lists the instances of far grids and of their skirts.
    fn list_far(&mut self, is_from_below: bool) {
        let steps = self.far.iter().map(|far| (far.chunk, far.step));
        self.far_steps.set(steps, is_from_below);
        self.listed.clear();
        for band in &mut self.bands {
            band.far_ranges = Default::default();
        }
        for group in self.far.chunk_by(|a, b| a.draw_key() == b.draw_key()) {
            let (band, in_shadow, step) = group[0].draw_key();
            let ranges = &mut self.bands[band as usize].far_ranges[usize::from(in_shadow)];
            let begin = self.listed.len() as u32;
            let instances = group.iter().map(|far| far.chunk | step << 28);
            self.listed.extend(instances);
            let ground = begin..self.listed.len() as u32;
            let skirts = Edge::ALL.map(|side| {
                let begin = self.listed.len() as u32;
                let with_skirt = group
                    .iter()
                    .filter(|far| self.far_steps.need_skirt(far.chunk, step, side));
                let instances = with_skirt.map(|far| far.chunk | step << 28);
                self.listed.extend(instances);
                begin..self.listed.len() as u32
            });
            ranges[step as usize] = Parts { ground, skirts };
        }
    }

    /// Lists the instances of water.
    fn list_water(&mut self, data: &TerrainData, is_shown: bool) {
        let mut with_water = self.with_water.as_slice();
        for (i, band) in (0..).zip(&mut self.bands) {
            let of_band = |chunk: &u32| data.chunks[*chunk as usize].band == i;
            let count = with_water.partition_point(of_band);
            let (own, of_others) = with_water.split_at(count);
            with_water = of_others;
            let begin = self.listed.len() as u32;
            if is_shown {
                self.listed.extend_from_slice(own);
            }
            band.water_range = begin..self.listed.len() as u32;
        }
    }

    /// The pipeline that draws a part of the ground in a variant.
    pub(super) fn pipeline(&self, variant: Variant, (ground, in_shadow): GroundPart) -> Pipeline {
        let shadows = match variant {
            Variant::Wireframe => Shadows::None,
            _ => self.shadows[usize::from(in_shadow)],
        };
        Pipeline::Ground(variant, ground, shadows)
    }

    /// Lists the visible parts of the ground.
    fn list_drawn(&mut self) {
        let (visible, far) = (&self.visible, &self.far);
        let is_drawn = |(ground, in_shadow): &GroundPart| match ground {
            Ground::Far => far.iter().any(|it| it.in_shadow == *in_shadow),
            _ => visible.iter().any(|it| {
                let matches = it.in_shadow == *in_shadow && ground.is_of(it.detail);
                matches && !ground.faces(&it.faces).is_empty()
            }),
        };
        self.drawn.clear();
        self.drawn.extend(ground_parts().filter(is_drawn));
    }

    /// Marks the blocks that the shadow of a box in world space may reach.
    fn mark_shadow(&mut self, data: &TerrainData, terrain: &Terrain, caster: &Aabb, to_sun: Vec3) {
        let lowest = terrain.about().bounds.min.y;
        let swept = shadow::with_shadow(caster, to_sun, lowest);
        let placement = terrain.placement();
        // Columns increase toward negative x.
        let first = placement.tiles(swept.max.x, swept.min.z) / BLOCK_SIDE as f32;
        let last = placement.tiles(swept.min.x, swept.max.z) / BLOCK_SIDE as f32;
        let across = data.blocks_across;
        let down = self.shadowed_blocks.len() / across;
        let range = |first: f32, last: f32, count: usize| {
            // Negative numbers become 0.
            first.floor() as usize..((last.floor() + 1.0) as usize).min(count)
        };
        for row in range(first.y, last.y, down) {
            let cols = range(first.x, last.x, across);
            if let Some(blocks) = self
                .shadowed_blocks
                .get_mut(row * across..(row + 1) * across)
                && let Some(blocks) = blocks.get_mut(cols)
            {
                blocks.fill(true);
            }
        }
    }

    /// For each block of a chunk, `true` if an object on the ground may cast a shadow on it.
    fn blocks_in_shadow(&self, data: &TerrainData, chunk: usize) -> [bool; 4] {
        let chunks_across = data.blocks_across.div_ceil(2);
        let [row, col] = [chunk / chunks_across * 2, chunk % chunks_across * 2];
        std::array::from_fn(|block| {
            let at = (row + block / 2) * data.blocks_across + col + block % 2;
            self.shadowed_blocks.get(at).copied().unwrap_or_default()
        })
    }

    /// Lists the visible chunks, with the finest affordable detail. They are sorted from near to
    /// far, so that hidden pixels are not shaded.
    fn list_chunks(&mut self, data: &TerrainData, local: &LocalView<'_>) {
        let frustum = Frustum::new(local.clip_from_model);
        self.find_visible_chunks(data, local, &frustum);
        let tile_pixels_at_1 = TILE_SIDE * local.pixels_at_1();
        // Tries finer detail first. Each level has a limit of triangles, except the coarsest. The
        // medium level has a lower limit than the finest.
        let finest = data.fine_triangles;
        for (coarseness, max_triangles) in [(0.3, finest), (0.55, finest * 2 / 5), (1.0, u64::MAX)]
        {
            let tile_pixels_at_1 = tile_pixels_at_1 / coarseness;
            if self.list_visible(data, local, &frustum, tile_pixels_at_1, max_triangles) {
                break;
            }
        }
        self.visible
            .sort_by(|a, b| a.distance.total_cmp(&b.distance));
        self.far.sort_unstable_by(|a, b| {
            let order = a
                .draw_key()
                .cmp(&b.draw_key())
                .then(a.distance.total_cmp(&b.distance));
            order.then(a.chunk.cmp(&b.chunk))
        });
    }

    /// Finds the visible chunks, in map order.
    fn find_visible_chunks(
        &mut self,
        data: &TerrainData,
        local: &LocalView<'_>,
        frustum: &Frustum,
    ) {
        self.visible_chunks.clear();
        self.with_water.clear();
        for (group, bounds) in &data.groups {
            let Some(is_inside) = frustum.sees(bounds) else {
                continue;
            };
            for (index, chunk) in group
                .clone()
                .zip(&data.chunks[group.start as usize..group.end as usize])
            {
                let inside = if is_inside {
                    Some(true)
                } else {
                    frustum.sees(&chunk.bounds)
                };
                let Some(is_inside) = inside else {
                    continue;
                };
                self.visible_chunks.push(VisibleChunk {
                    chunk: index,
                    distance: chunk.bounds.distance(local.eye),
                    is_inside,
                });
                if chunk.has_water {
                    self.with_water.push(index);
                }
            }
        }
    }

    /// Lists the visible chunks with their detail, given the pixels per tile at distance 1. Stops
    /// and returns `false` if the faces have more than `max_triangles` triangles.
    fn list_visible(
        &mut self,
        data: &TerrainData,
        local: &LocalView<'_>,
        frustum: &Frustum,
        tile_pixels_at_1: f32,
        max_triangles: u64,
    ) -> bool {
        let eye = local.eye;
        let mut triangles = 0;
        self.visible.clear();
        self.far.clear();
        for entry in &self.visible_chunks {
            let i = entry.chunk as usize;
            let chunk = &data.chunks[i];
            let (chunk_index, distance, inside) = (entry.chunk, entry.distance, entry.is_inside);
            let scale_distance = match local.view.camera.projection {
                Projection::Perspective => distance,
                Projection::Orthographic => local.distance(),
            };
            let detail = detail_for(tile_pixels_at_1 / scale_distance.max(1.0));
            let detail = match detail {
                Detail::Near | Detail::Middle if data.is_coarse => Detail::Far(1),
                detail => detail,
            };
            let blocks_in_shadow = self.blocks_in_shadow(data, i);
            if let Detail::Far(step) = detail {
                self.far.push(FarChunk {
                    chunk: chunk_index,
                    band: chunk.band,
                    step,
                    distance,
                    in_shadow: blocks_in_shadow.contains(&true),
                });
                continue;
            }
            let listed = self.visible.len();
            let all_alike = blocks_in_shadow.iter().all(|it| *it == blocks_in_shadow[0]);
            if inside && all_alike || detail != Detail::Near {
                self.visible.push(Visible {
                    chunk: chunk_index,
                    band: chunk.band,
                    detail,
                    distance,
                    faces: chunk.faces.clone(),
                    in_shadow: blocks_in_shadow.contains(&true),
                });
            } else {
                let blocks = chunk.blocks.iter().zip(blocks_in_shadow);
                let in_view = blocks.filter(|((b, _), _)| inside || frustum.sees(b).is_some());
                let visible = in_view.map(|((bounds, faces), in_shadow)| Visible {
                    chunk: chunk_index,
                    band: chunk.band,
                    detail,
                    distance: bounds.distance(eye),
                    faces: faces.clone(),
                    in_shadow,
                });
                self.visible.extend(visible);
            }
            let listed = self.visible[listed..].iter();
            triangles += listed.map(|it| it.faces.triangles()).sum::<u64>();
            if triangles > max_triangles {
                return false;
            }
        }
        true
    }
}

/// `true` if the eye is below the ground.
fn is_from_below(terrain: &Terrain, local: &LocalView<'_>) -> bool {
    let eye = local.eye;
    match local.view.camera.projection {
        Projection::Orthographic => local.forward.y > 0.0,
        // The mirrored eye may be below the ground, but the reflection is not seen through it.
        Projection::Perspective if local.is_reflection() => false,
        Projection::Perspective => {
            let ground = terrain.height_at(eye.x, eye.z);
            eye.y < ground.unwrap_or(terrain.about().bounds.min.y)
        }
    }
}

/// The colouring of the surface, as the number of a [`Surface`].
pub(super) fn surface(shown: &Shown) -> u32 {
    let is_on = |(overlay, _): &&(OverlayId, Surface)| shown.overlays.contains(*overlay);
    let surfaces = SURFACES.iter().filter(is_on);
    let surface = surfaces.map(|(_, surface)| *surface as u32).max();
    surface.unwrap_or(Surface::Lit as u32)
}

/// `true` if water is drawn with a surface. Overlays colour the ground below the water, so it is
/// hidden.
pub(super) fn shows_water(surface: u32) -> bool {
    surface <= Surface::Unlit as u32
}

/// The lines on the surface, as bits of [`Map::lines`].
fn lines(shown: &Shown) -> u32 {
    let is_on = |(overlay, _): &&(OverlayId, u32)| shown.overlays.contains(*overlay);
    let lines = LINES.iter().filter(is_on);
    lines.map(|(_, bit)| bit).sum()
}

/// The highlighted tiles, as a value of [`Map::highlight`]: the tiles of the selected type, or
/// those with the selected material on top.
fn highlight(terrain: &Terrain, shown: &Shown) -> u32 {
    match shown.highlighted.or(shown.selected) {
        Some(Item::Terrain(TerrainItem::TileType { class })) => class.into(),
        Some(Item::Terrain(TerrainItem::Material { index })) => {
            let texture = terrain.textures().materials.get(index as usize);
            let layer = texture.and_then(|texture| texture.layer);
            layer.map_or(NOTHING, |layer| u32::from(layer) | HIGHLIGHT_LAYER)
        }
        _ => NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::View;
    use mapscope_scene::camera::{Camera, Pose};

    /// Looking up at ground is not enough: hills above the eye still need skirts.
    #[test]
    fn ground_is_seen_from_below_only_by_an_eye_below_it() {
        let source = mapscope_scene::demo::TERRAIN.source();
        let (options, progress) = Default::default();
        let document = mapscope_scene::open(&source, &options, &progress).unwrap();
        let terrain: &Terrain = document.content().unwrap();
        let bounds = document.about().bounds;
        let middle = bounds.center();
        let ground = terrain.height_at(middle.x, middle.z).unwrap();
        let off_map = Vec3::new(bounds.max.x + 100.0, 0.0, middle.z);
        for (eye, expected) in [
            (middle.with_y(ground + 0.5), false),
            (middle.with_y(ground - 0.5), true),
            (off_map.with_y(bounds.min.y + 0.5), false),
            (off_map.with_y(bounds.min.y - 0.5), true),
        ] {
            let target = eye + Vec3::new(1.0, 0.2, 0.0);
            let pose = Pose { eye, target };
            let view = View::plain(Camera::new(pose, document.about().handedness));
            let local = LocalView::new(&view, [60, 40]);
            assert_eq!(is_from_below(terrain, &local), expected, "{eye}");
            let reflected = local.mirrored_at(eye.y - 1.0).unwrap();
            assert!(!is_from_below(terrain, &reflected), "{eye}");
        }
    }
}
