//! Maps on the GPU: the resources that all views share.

use std::ops::Range;
use std::sync::{Arc, Weak};

use glam::Vec2;

use super::TerrainRenderer;
use super::bands::{self, Band};
use super::chunks::{self, Chunk};
use super::gpu_data::{Map, Surface, WATER_HEIGHT};
use super::view::{shows_water, surface};
use crate::frame::{ContentData, Frustum, GroundShadow, LocalView, NOTHING};
use crate::gpu::{
    COLOR_FORMAT, Gpu, UploadError, Uploads, check_texture_size, upload_array, upload_texture,
};
use mapscope_scene::Aabb;
use mapscope_scene::terrain::geometry::TILE_SIDE;
use mapscope_scene::terrain::pack::{BLOCK_SIDE, TileRecord};
use mapscope_scene::terrain::sun::{Heights, ShadowMap};
use mapscope_scene::terrain::textures::{MAX_LAYERS, Textures};
use mapscope_scene::terrain::{ATLAS_SIZE, Overview, Patchwork, Relief, Splat, Terrain, colors};

/// Maximum number of triangles of near chunks at the finest detail: on a graphics card, and on a
/// software adapter.
const FINE_TRIANGLES: [u64; 2] = [2_000_000, 150_000];
/// A map on the GPU.
#[derive(Debug)]
pub(crate) struct TerrainData {
    pub(super) bands: Vec<Band>,
    /// `true` if the bands have the navigation grid. It is computed when its overlay is first
    /// shown.
    has_navigation: bool,
    pub(super) ground_shadow: GroundShadow,
    /// The array of the materials' textures, and its source.
    pub(super) materials: wgpu::TextureView,
    layers: Vec<Weak<Patchwork>>,
    /// The source of the tiles in the bands.
    tiles: Weak<Vec<TileRecord>>,
    pub(super) overview: wgpu::TextureView,
    /// `true` without faces. All chunks are then drawn as grids.
    pub(super) is_coarse: bool,
    /// `true` if textures have holes or tiles blend.
    pub(super) is_rich: bool,
    /// The uniforms of the map without highlights and overlays.
    pub(super) map: Map,
    /// The index of each chunk, as an instance.
    pub(super) chunk_indices: wgpu::Buffer,
    /// Corners of the eight triangles of a tile's top.
    pub(super) top_indices: wgpu::Buffer,
    pub(super) chunks: Vec<Chunk>,
    /// Groups of chunks, and their bounds.
    pub(super) groups: Vec<(Range<u32>, Aabb)>,
    /// Number of blocks in a row of the map.
    pub(super) blocks_across: usize,
    /// Maximum number of triangles of near chunks at the finest detail.
    pub(super) fine_triangles: u64,
    gpu_bytes: u64,
}

impl TerrainData {
    /// Uploads a map. It shares textures with a map that has the same ones. An earlier revision of
    /// the same map, which had no faces yet, shares everything else too.
    pub(super) fn new(
        gpu: &Gpu,
        renderer: &TerrainRenderer,
        terrain: &Terrain,
        shared: Option<&Self>,
    ) -> Result<Self, UploadError> {
        let Relief {
            packed,
            shadow,
            is_coarse,
        } = terrain.relief();
        let textures = terrain.textures();
        let parts = bands::parts(terrain, packed, bands::max_bytes(gpu))?;
        check_texture_size(gpu, "the shadow of the ground", shadow.size)?;
        let layers: Vec<_> = textures.layers.iter().map(Arc::downgrade).collect();
        let same_textures = shared.filter(|other| {
            let mut pairs = other.layers.iter().zip(&layers);
            other.layers.len() == layers.len() && pairs.all(|(a, b)| a.ptr_eq(b))
        });
        let same_map =
            same_textures.filter(|other| other.tiles.as_ptr() == Arc::as_ptr(terrain.tiles()));

        let mut uploads = Uploads::new(gpu);
        let indices: Vec<u32> = (0..packed.chunks.len() as u32).collect();
        let (indices, vertex) = (bytemuck::cast_slice(&indices), wgpu::BufferUsages::VERTEX);
        let chunk_indices = uploads.buffer("chunks", indices, vertex)?;
        let fan = top_indices(gpu);
        let fan = bytemuck::cast_slice(&fan);
        let top_indices = uploads.buffer("fan", fan, wgpu::BufferUsages::INDEX)?;
        let lists = (terrain.tiles().as_slice(), packed);
        let bands = parts
            .iter()
            .enumerate()
            .map(|(i, part)| {
                let same_tiles = same_map.and_then(|other| other.bands.get(i));
                Band::new(
                    &mut uploads,
                    &renderer.navigation_layout,
                    lists,
                    part,
                    same_tiles,
                )
            })
            .collect::<Result<Vec<_>, _>>()?;

        let materials = match same_textures {
            Some(other) => other.materials.clone(),
            None => upload_materials(gpu, textures),
        };
        if same_textures.is_none() || same_map.is_some() {
            let levels = textures.layers.iter().flat_map(|layer| &layer.levels);
            uploads.bytes += levels.map(|level| level.len() as u64).sum::<u64>();
        }
        let overview = match same_map {
            Some(other) => other.overview.clone(),
            None => upload_overview(gpu, terrain.overview()),
        };
        let levels = terrain.overview().levels.iter();
        uploads.bytes += levels.map(|level| level.len() as u64).sum::<u64>();
        uploads.bytes += shadow.heights.bytes().len() as u64;

        let placement = terrain.placement();
        let chunks = chunks::chunks(terrain, packed, &parts);
        Ok(Self {
            bands,
            has_navigation: false,
            ground_shadow: GroundShadow {
                heights: upload_shadow(gpu, shadow),
                heights_of_texels: shadow_heights(shadow),
                north_west: placement.north_west(),
                size: Vec2::new(placement.cols as f32, placement.rows as f32) * TILE_SIDE,
            },
            materials,
            layers,
            tiles: Arc::downgrade(terrain.tiles()),
            overview,
            is_coarse: *is_coarse,
            is_rich: textures.has_holes
                || !terrain.map().splats.is_empty()
                || terrain.tiles().iter().any(TileRecord::has_seams),
            map: map_data(terrain, shadow),
            chunk_indices,
            top_indices,
            groups: chunks::groups(terrain, &chunks),
            chunks,
            blocks_across: (placement.cols / BLOCK_SIDE).max(1) as usize,
            fine_triangles: FINE_TRIANGLES[usize::from(gpu.is_software())],
            gpu_bytes: uploads.bytes,
        })
    }

    /// Uploads the navigation grid once. The overlay shows nothing if the device has no room for
    /// it.
    pub(super) fn upload_navigation(
        &mut self,
        gpu: &Gpu,
        renderer: &TerrainRenderer,
        terrain: &Terrain,
    ) {
        if std::mem::replace(&mut self.has_navigation, true) {
            return;
        }
        let codes = terrain.navigation().codes(colors::ISLANDS.len() as u8);
        let mut uploads = Uploads::new(gpu);
        for band in &mut self.bands {
            band.set_navigation(&mut uploads, &renderer.navigation_layout, &codes);
        }
        self.gpu_bytes += uploads.bytes;
    }
}

impl ContentData for TerrainData {
    fn gpu_bytes(&self) -> u64 {
        self.gpu_bytes
    }

    fn water_height(&self, local: &LocalView<'_>) -> Option<f32> {
        let frustum = Frustum::new(local.clip_from_model);
        let mut with_water = self.chunks.iter().filter(|chunk| chunk.has_water);
        let is_seen = shows_water(surface(&local.view.shown))
            && with_water.any(|chunk| frustum.sees(&chunk.bounds).is_some());
        is_seen.then_some(WATER_HEIGHT)
    }

    fn ground_shadow(&self) -> Option<&GroundShadow> {
        Some(&self.ground_shadow)
    }
}

/// Indices of the triangles of a tile's top: each of its points with the next one and the centre.
fn top_indices(gpu: &Gpu) -> Vec<u16> {
    let fan = (0..8).flat_map(|point| {
        let mut corners = [point, (point + 1) % 8, 8];
        // The first corner of a triangle is the provoking one, and in OpenGL the last one.
        corners.rotate_left(usize::from(gpu.is_opengl()));
        corners
    });
    fan.collect()
}

/// Uploads the textures of materials as one array.
fn upload_materials(gpu: &Gpu, textures: &Textures) -> wgpu::TextureView {
    let layers: Vec<Vec<&[u8]>> = textures.layers.iter().map(|l| slices(&l.levels)).collect();
    let layers: Vec<&[&[u8]]> = layers.iter().map(Vec::as_slice).collect();
    upload_array(gpu, "materials", COLOR_FORMAT, ATLAS_SIZE, &layers)
}

fn upload_overview(gpu: &Gpu, overview: &Overview) -> wgpu::TextureView {
    let levels = slices(&overview.levels);
    let texture = upload_texture(gpu, "overview", COLOR_FORMAT, overview.size, &[&levels]);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn slices(levels: &[Vec<u8>]) -> Vec<&[u8]> {
    levels.iter().map(Vec::as_slice).collect()
}

/// Uploads the heights of the ground's shadow.
fn upload_shadow(gpu: &Gpu, shadow: &ShadowMap) -> wgpu::TextureView {
    let format = match shadow.heights {
        Heights::Half(_) => wgpu::TextureFormat::R16Float,
        Heights::Quantized { .. } => wgpu::TextureFormat::R8Unorm,
    };
    let levels: &[&[u8]] = &[shadow.heights.bytes()];
    let shadow = upload_texture(gpu, "shadow", format, shadow.size, &[levels]);
    shadow.create_view(&wgpu::TextureViewDescriptor::default())
}

/// The uniforms of a map without highlights and overlays.
fn map_data(terrain: &Terrain, shadow: &ShadowMap) -> Map {
    let placement = terrain.placement();
    let accents = accents(&terrain.map().splats, &terrain.textures().layer_of_material);
    let levels = terrain.levels();
    Map {
        north_west: placement.north_west(),
        size: [placement.cols, placement.rows],
        surface: Surface::Lit as u32,
        lines: 0,
        highlight: NOTHING,
        shadow_heights: shadow_heights(shadow),
        shadow_scale: shadow.texels_per_tile as f32,
        overview_scale: 1.0 / terrain.overview().tiles_per_texel as f32,
        levels: Vec2::new(levels[0] as f32, levels[1] as f32),
        per_tile: 1.0 / Vec2::new(placement.cols as f32, placement.rows as f32),
        accents: bytemuck::cast(accents),
        sun: terrain.sun().direction().extend(0.0),
        first_row: 0,
    }
}

/// World height of the value 0 in the shadow texture, and height per value 1.
fn shadow_heights(shadow: &ShadowMap) -> Vec2 {
    match shadow.heights {
        Heights::Half(_) => Vec2::Y,
        Heights::Quantized { min, step, .. } => Vec2::new(min, step * f32::from(u8::MAX)),
    }
}

/// The accent layer of each layer; the layer itself if it has no accent.
fn accents(splats: &[Splat], layer_of_material: &[u8]) -> [u8; MAX_LAYERS] {
    let mut accents = std::array::from_fn(|layer| layer as u8);
    let layer = |material: u32| layer_of_material.get(material as usize).copied();
    for splat in splats {
        if let (Some(base), Some(accent)) = (layer(splat.base), layer(splat.accent)) {
            accents[usize::from(base)] = accent;
        }
    }
    accents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_can_have_an_accent_and_be_one() {
        let layers: Vec<u8> = (0..=255).collect();
        let splat = |base, accent| Splat { base, accent };
        let accents = accents(&[splat(255, 3), splat(7, 255), splat(9, 256)], &layers);
        assert_eq!([accents[255], accents[7]], [3, 255]);
        assert!((0..255).all(|layer| layer == 7 || usize::from(accents[layer]) == layer));
    }
}
