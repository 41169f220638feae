//! Terrain and its water.
//!
//! Near chunks are drawn from the lists of faces that the scene made. In the middle distance, where
//! textures are no more than their colour, the same faces are drawn with cheaper shaders. Chunks
//! whose tiles are only a few pixels wide are drawn as grids whose cells grow with the distance.
//! Nothing is drawn of chunks outside the view. A map that is too large for one binding is drawn in
//! bands.

mod bands;
mod far;
mod gpu_data;

use std::ops::Range;
use std::sync::{Arc, Weak};

use glam::{Vec2, Vec3};
use wgpu::util::DeviceExt as _;

use self::bands::{Band, Part};
use self::far::{BySteps, LAST_STEP, Parts, Steps};
use self::gpu_data::{HIGHLIGHT_LAYER, LINES, Map, Surface, WATER_HEIGHT};
pub(crate) use self::gpu_data::{REFLECTION_REACH, SHADER, TILE, tile_wgsl};
use crate::frame::constants::NOTHING;
use crate::frame::content::{ContentData, ContentRenderer, UploadOptions};
use crate::frame::light::GroundShadow;
use crate::frame::pass::{Background, FramePass, Phase};
use crate::frame::shadow;
use crate::frame::uniforms::FrameLayout;
use crate::frame::view::{Frustum, LocalView, Reflected};
use crate::gpu::bindings::{
    SAMPLER, STORAGE, TEXTURE, TEXTURE_ARRAY, UINT_LIST, UNIFORM, bind_group_layout,
};
use crate::gpu::buffers::Uploads;
use crate::gpu::limits::check_texture_size;
use crate::gpu::pipelines::{
    PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, Pipelines, on,
};
use crate::gpu::textures::{sampler, upload_array, upload_texture};
use crate::gpu::{COLOR_FORMAT, Gpu, Samples, UploadError};

use mapscope_scene::camera::Projection;
use mapscope_scene::terrain::geometry::TILE_SIDE;
use mapscope_scene::terrain::pack::{BLOCK_SIDE, Faces, Packed, TileRecord, TopClass};
use mapscope_scene::terrain::sun::{Heights, ShadowMap};
use mapscope_scene::terrain::textures::{MAX_LAYERS, Textures};
use mapscope_scene::terrain::{
    ATLAS_SIZE, CHUNK_SIDE, Edge, Overview, Relief, Splat, Terrain, colors,
};
use mapscope_scene::{Aabb, Document as _, Item, OverlayId, Shown, TerrainItem};

/// Triangles of near chunks up to which everything is drawn as finely as it is worth: on a graphics
/// card, and on a software adapter.
const FINE_TRIANGLES: [u64; 2] = [2_000_000, 150_000];
/// Pixels along a tile's side below which its chunk is drawn without textures.
const MIN_TEXTURED_PIXELS: f32 = 12.0;
/// Pixels along a tile's side below which its chunk is drawn as a grid.
const MIN_TILE_PIXELS: f32 = 7.0;
/// Pixels along the side of a cell of that grid, at least.
const MIN_CELL_PIXELS: f32 = 15.0;
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
/// Draws terrain.
#[derive(Debug, Clone)]
pub(crate) struct TerrainRenderer {
    /// Of bind group 1.
    layout: wgpu::BindGroupLayout,
    /// Of bind group 2.
    navigation_layout: wgpu::BindGroupLayout,
    clamped: wgpu::Sampler,
    noise: wgpu::TextureView,
    repeating: wgpu::Sampler,
    pipelines: PipelineCache<Pipeline>,
    /// Corners of the triangles of far chunks, and of which of them each part of a grid consists.
    far_indices: wgpu::Buffer,
    far_triangles: BySteps<Parts<Range<u32>>>,
}

/// What a pipeline is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pipeline {
    Ground(Variant, Ground, Shadows),
    Water(Shadows, Reflected),
}

/// Which shadows may fall on what is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shadows {
    None,
    /// That of the ground.
    OfGround,
    /// Those of what stands on it as well.
    All,
}

/// A class of face, and how finely it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    Rects,
    Tops(TopClass),
    Sides,
    RectsMiddle,
    TopsMiddle,
    Far,
}

impl Ground {
    const ALL: [Self; 5 + TopClass::ALL.len()] = [
        Self::Rects,
        Self::Tops(TopClass::Lit),
        Self::Tops(TopClass::Shaded),
        Self::Tops(TopClass::LitMixed),
        Self::Tops(TopClass::ShadedMixed),
        Self::Tops(TopClass::Many),
        Self::RectsMiddle,
        Self::TopsMiddle,
        Self::Sides,
        Self::Far,
    ];

    /// The shaders, and whether shadow may fall on the faces.
    fn shaders(self) -> (&'static str, &'static str, bool) {
        match self {
            Self::Rects => ("vs_rect", "fs_rect", false),
            Self::Tops(TopClass::Lit) => ("vs_top", "fs_top", false),
            Self::Tops(TopClass::Shaded) => ("vs_top", "fs_top", true),
            Self::Tops(TopClass::LitMixed) => ("vs_mixed", "fs_mixed", false),
            Self::Tops(TopClass::ShadedMixed) => ("vs_mixed", "fs_mixed", true),
            Self::Tops(TopClass::Many) => ("vs_many", "fs_many", true),
            Self::Sides => ("vs_side", "fs_side", true),
            Self::RectsMiddle => ("vs_rect", "fs_rect_middle", false),
            Self::TopsMiddle => ("vs_top", "fs_top_middle", true),
            Self::Far => ("vs_far", "fs_far", false),
        }
    }

    /// Whether it draws chunks of some detail.
    fn is_of(self, detail: Detail) -> bool {
        match detail {
            Detail::Near => matches!(self, Self::Rects | Self::Tops(_) | Self::Sides),
            Detail::Middle => matches!(self, Self::RectsMiddle | Self::TopsMiddle | Self::Sides),
            Detail::Far(_) => self == Self::Far,
        }
    }

    /// What draws the same and can do more, for which it takes longer.
    fn more_general(self) -> Self {
        match self {
            Self::Tops(TopClass::Lit) => Self::Tops(TopClass::Shaded),
            Self::Tops(TopClass::LitMixed) => Self::Tops(TopClass::ShadedMixed),
            other => other,
        }
    }

    /// Which of a chunk's faces it draws.
    fn faces(self, faces: &Faces) -> Range<u32> {
        match self {
            Self::Rects | Self::RectsMiddle => faces.rects.clone(),
            Self::Tops(class) => faces.tops[class as usize].clone(),
            Self::TopsMiddle => faces.all_tops(),
            Self::Sides => faces.sides.clone(),
            Self::Far => 0..0,
        }
    }
}

/// A class of face, and whether what stands on the ground may cast a shadow on it: what is drawn at
/// once.
type GroundPart = (Ground, bool);

/// All parts of the ground, in the order in which they are drawn.
fn ground_parts() -> impl Iterator<Item = GroundPart> {
    let kinds = Ground::ALL.into_iter();
    kinds.flat_map(|ground| [(ground, false), (ground, true)])
}

/// What the shaders can do. The plainest are far faster than those that can do everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// Light and textures.
    Plain,
    /// Holes in textures, and accents.
    Rich,
    /// Overlays, grids and highlights, and all of the above.
    Inspect,
    /// The edges of the triangles.
    Wireframe,
}

/// A map on the GPU.
#[derive(Debug)]
pub(crate) struct TerrainData {
    bands: Vec<Band>,
    /// Whether they have the navigation grid: it is worked out when its overlay is first shown.
    has_navigation: bool,
    ground_shadow: GroundShadow,
    /// The array of the materials' textures, and what it was made of.
    materials: wgpu::TextureView,
    textures: Weak<Textures>,
    /// What the tiles in the bands were made of.
    tiles: Weak<Vec<TileRecord>>,
    overview: wgpu::TextureView,
    /// Whether there are no faces yet, so that all chunks are drawn as far ones.
    is_coarse: bool,
    /// What shaders know of the map when nothing is highlighted and no overlay is on.
    map_at_rest: Map,
    /// The index of each chunk, for handing one to a draw call.
    chunk_indices: wgpu::Buffer,
    /// Points of the eight triangles of a tile's top.
    top_indices: wgpu::Buffer,
    /// Far chunks with their steps, then chunks with water, written for each frame.
    instances: wgpu::Buffer,
    is_rich: bool,
    /// What the next frame is drawn with.
    variant: Variant,
    draws_wireframe: bool,
    gpu_bytes: u64,
    fine_triangles: u64,
    chunks: Vec<Chunk>,
    groups: Vec<(Range<u32>, Aabb)>,
    /// Which shadows fall where only that of the ground may, and where those of what stands on it
    /// may too.
    shadows: [Shadows; 2],
    /// What its water reflects.
    reflected: Reflected,
    /// For each block in rows from the north-west whether what stands on the ground casts a shadow
    /// on it, and how many there are in a row.
    cast_on: Vec<bool>,
    blocks_across: usize,
    /// The chunks in view.
    seen: Vec<Seen>,
    /// Those of them that have water.
    with_water: Vec<u32>,
    /// What is drawn face by face of the chunks in view, the nearest first.
    visible: Vec<Visible>,
    /// The chunks in view that are drawn as grids: those of one draw call side by side, the nearest first.
    far: Vec<FarChunk>,
    /// The parts of the ground of which something is in view.
    drawn: Vec<GroundPart>,
    /// What `instances` holds.
    listed: Vec<u32>,
    far_steps: Steps,
}

#[derive(Debug)]
struct Chunk {
    /// The index of its band.
    band: u32,
    bounds: Aabb,
    faces: Faces,
    blocks: [(Aabb, Faces); 4],
    has_water: bool,
}

/// How a chunk is drawn, depending on the size of its tiles in the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Face by face, with textures.
    Near,
    /// Face by face, in the colours of the overview.
    Middle,
    /// As a grid whose cells have 2 to the power of this many tiles along a side.
    Far(u32),
}

/// A chunk in view.
#[derive(Debug, Clone, Copy)]
struct Seen {
    chunk: u32,
    /// From the eye.
    distance: f32,
    /// Whether all of it is in view.
    is_inside: bool,
}

/// How many chunks of a row have bounds together: one test finds that none of them is in view.
const GROUP_CHUNKS: u32 = 16;

/// The chunks of a map in groups, and the bounds of each group.
fn groups(chunks: &[Chunk], cols: u32) -> Vec<(Range<u32>, Aabb)> {
    let cols = cols.max(1) as usize;
    let rows = chunks.chunks(cols).enumerate();
    rows.flat_map(|(row, chunks)| {
        let groups = chunks.chunks(GROUP_CHUNKS as usize);
        let first = (row * cols) as u32;
        (first..).step_by(GROUP_CHUNKS as usize).zip(groups)
    })
    .map(|(first, group)| {
        let bounds = Aabb::around_all(group.iter().map(|chunk| chunk.bounds));
        let bounds = bounds.unwrap_or_default();
        (first..first + group.len() as u32, bounds)
    })
    .collect()
}

/// A chunk in view, or a part of it, that is drawn face by face.
#[derive(Debug, Clone)]
struct Visible {
    chunk: u32,
    band: u32,
    detail: Detail,
    distance: f32,
    faces: Faces,
    /// Whether what stands on the ground may cast a shadow on it.
    in_shadow: bool,
}

/// A chunk in view that is drawn as a grid.
#[derive(Debug, Clone, Copy)]
struct FarChunk {
    chunk: u32,
    band: u32,
    step: u32,
    distance: f32,
    /// Whether what stands on the ground may cast a shadow on it.
    in_shadow: bool,
}

impl FarChunk {
    /// What is the same for all that one draw call draws.
    fn draw_key(&self) -> (u32, bool, u32) {
        (self.band, self.in_shadow, self.step)
    }
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let (Self::Ground(.., shadows) | Self::Water(shadows, _)) = self;
        let in_shadow = ("IN_SHADOW", on(shadows == Shadows::All));
        let lookups = shadow::lookups_constant(maker.gpu);
        let (variant, ground) = match self {
            Self::Ground(variant, ground, _) => (variant, ground),
            Self::Water(_, reflected) => {
                return maker.create(&PipelineOptions {
                    constants: &[
                        in_shadow,
                        lookups,
                        ("SKYBOX", on(reflected.skybox)),
                        ("PLANAR", on(reflected.ground)),
                    ],
                    vertices: [Some(chunk_attribute(4)), None],
                    ..PipelineOptions::blended("vs_water", "fs_water")
                });
            }
        };
        let (vertex, fragment, shaded) = ground.shaders();
        let is_rich = matches!(variant, Variant::Rich | Variant::Inspect);
        let constants = [
            ("RICH", on(is_rich)),
            ("INSPECT", on(variant == Variant::Inspect)),
            ("SHADED", on(shaded && shadows != Shadows::None)),
            ("SEVERAL_SAMPLES", on(maker.gpu.samples != Samples::One)),
            in_shadow,
            lookups,
        ];
        let options = if variant == Variant::Wireframe {
            PipelineOptions::edges(vertex, "fs_wire")
        } else {
            PipelineOptions::new(vertex, fragment)
        };
        let is_far = ground == Ground::Far;
        maker.create(&PipelineOptions {
            vertices: [Some(chunk_attribute(if is_far { 4 } else { 0 })), None],
            constants: &constants,
            ..options
        })
    }
}

/// The chunk that a draw call is about, or (with a stride) each of its instances.
fn chunk_attribute(stride: u64) -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: stride,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &[wgpu::VertexAttribute {
            format: wgpu::VertexFormat::Uint32,
            offset: 0,
            shader_location: 0,
        }],
    }
}

impl TerrainRenderer {
    pub(crate) fn new(gpu: &Gpu, frame: &FrameLayout) -> Self {
        let bindings = [
            UNIFORM,
            UINT_LIST,
            STORAGE,
            STORAGE,
            STORAGE,
            TEXTURE_ARRAY,
            SAMPLER,
            TEXTURE,
            SAMPLER,
            TEXTURE,
            TEXTURE,
        ];
        let layout = bind_group_layout(gpu, "terrain", &bindings);
        let navigation_layout = bind_group_layout(gpu, "navigation grid", &[STORAGE]);
        // The shaders blend levels over a small part of their range only.
        let filter = gpu.mipmap_filter();
        let (far_indices, far_triangles) = far::triangles();
        let far_indices = gpu
            .device
            .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("far grids"),
                contents: bytemuck::cast_slice(&far_indices),
                usage: wgpu::BufferUsages::INDEX,
            });
        Self {
            far_indices,
            far_triangles,
            clamped: sampler(gpu, "clamped", wgpu::AddressMode::ClampToEdge, filter),
            noise: frame.noise.clone(),
            repeating: frame.repeating.clone(),
            pipelines: PipelineCache::new(&SHADER, &[&frame.layout, &layout, &navigation_layout]),
            layout,
            navigation_layout,
        }
    }
}

impl ContentRenderer for TerrainRenderer {
    type Content = Terrain;
    type Data = TerrainData;

    /// What was made of another map with the same textures shares them; what was made of this one
    /// before it had its faces, all else too.
    fn upload(
        &self,
        gpu: &Gpu,
        terrain: &Terrain,
        options: UploadOptions<&TerrainData>,
    ) -> Result<TerrainData, UploadError> {
        let Relief {
            packed,
            shadow,
            is_coarse,
        } = terrain.relief();
        let textures = terrain.textures();
        let parts = bands::parts(terrain, packed, bands::max_bytes(gpu))?;
        check_texture_size(gpu, "the shadow of the ground", shadow.size)?;
        let mut uploads = Uploads::new(gpu);
        let mut buffer = |what, bytes: &[u8], usage| uploads.buffer(what, bytes, usage);
        let vertex = wgpu::BufferUsages::VERTEX;
        let indices: Vec<u32> = (0..packed.chunks.len() as u32).collect();
        let chunk_indices = buffer("chunks", bytemuck::cast_slice(&indices), vertex)?;
        let instances = buffer(
            "instances",
            // In a grid, its four skirts, and water.
            bytemuck::cast_slice(&indices.repeat(6)),
            vertex | wgpu::BufferUsages::COPY_DST,
        )?;
        // Each point with the next one around the tile and the centre. What is flat comes from the
        // first corner of a triangle, and in OpenGL from the last.
        let fan = (0..8).flat_map(|point| {
            let mut corners = [point, (point + 1) % 8, 8];
            corners.rotate_left(usize::from(gpu.is_opengl()));
            corners
        });
        let fan: Vec<u16> = fan.collect();
        let top_indices = buffer("fan", bytemuck::cast_slice(&fan), wgpu::BufferUsages::INDEX)?;
        let mut gpu_bytes = 0;
        let same_textures = options
            .shared
            .filter(|other| other.textures.as_ptr() == Arc::as_ptr(textures));
        let same_map =
            same_textures.filter(|other| other.tiles.as_ptr() == Arc::as_ptr(terrain.tiles()));
        let materials = match same_textures {
            Some(other) => other.materials.clone(),
            None => upload_materials(gpu, textures),
        };
        if same_textures.is_none() || same_map.is_some() {
            let levels = textures.layers.iter().flat_map(|layer| &layer.levels);
            gpu_bytes += levels.map(|level| level.len() as u64).sum::<u64>();
        }
        let overview = match same_map {
            Some(other) => other.overview.clone(),
            None => upload_overview(gpu, terrain.overview()),
        };
        let levels = terrain.overview().levels.iter();
        gpu_bytes += levels.map(|level| level.len() as u64).sum::<u64>();
        let shadow_heights = shadow_heights(shadow);
        let shadow_scale = shadow.texels_per_tile as f32;
        let format = match shadow.heights {
            Heights::Half(_) => wgpu::TextureFormat::R16Float,
            Heights::Quantized { .. } => wgpu::TextureFormat::R8Unorm,
        };
        let levels: &[&[u8]] = &[shadow.heights.bytes()];
        gpu_bytes += shadow.heights.bytes().len() as u64;
        let plain = wgpu::TextureViewDescriptor::default();
        let shadow = upload_texture(gpu, "shadow", format, shadow.size, &[levels]);
        let shadow = shadow.create_view(&plain);
        let placement = terrain.placement();
        let ground_shadow = GroundShadow {
            heights: shadow.clone(),
            heights_of_texels: shadow_heights,
            north_west: placement.north_west(),
            size: Vec2::new(placement.cols as f32, placement.rows as f32) * TILE_SIDE,
        };
        let texture = wgpu::BindingResource::TextureView;
        let shared = [
            texture(&materials),
            wgpu::BindingResource::Sampler(&self.clamped),
            texture(&self.noise),
            wgpu::BindingResource::Sampler(&self.repeating),
            texture(&shadow),
            texture(&overview),
        ];
        let layouts = [&self.layout, &self.navigation_layout];
        let lists = (terrain.tiles().as_slice(), packed);
        let bands = parts.iter().enumerate().map(|(i, part)| {
            let same_tiles = same_map.and_then(|other| other.bands.get(i));
            Band::new(&mut uploads, layouts, lists, part, same_tiles, &shared)
        });
        let bands = bands.collect::<Result<Vec<_>, _>>()?;
        gpu_bytes += uploads.bytes;
        let chunks = chunks(terrain, packed, &parts);
        Ok(TerrainData {
            bands,
            has_navigation: false,
            ground_shadow,
            materials,
            textures: Arc::downgrade(textures),
            tiles: Arc::downgrade(terrain.tiles()),
            overview,
            is_coarse: *is_coarse,
            map_at_rest: Map {
                shadow_heights,
                shadow_scale,
                ..map_data(terrain)
            },
            chunk_indices,
            top_indices,
            instances,
            is_rich: textures.has_holes
                || !terrain.map().splats.is_empty()
                || terrain.tiles().iter().any(TileRecord::has_seams),
            variant: Variant::Plain,
            draws_wireframe: false,
            gpu_bytes,
            fine_triangles: FINE_TRIANGLES[usize::from(gpu.is_software())],
            shadows: [Shadows::OfGround; 2],
            reflected: Reflected::default(),
            cast_on: vec![false; chunks.len() * 4],
            blocks_across: (placement.cols / BLOCK_SIDE).max(1) as usize,
            with_water: Vec::with_capacity(chunks.len()),
            visible: Vec::with_capacity(chunks.len()),
            far: Vec::with_capacity(chunks.len()),
            seen: Vec::with_capacity(chunks.len()),
            groups: groups(&chunks, placement.cols / CHUNK_SIDE),
            drawn: Vec::with_capacity(2 * Ground::ALL.len()),
            listed: Vec::with_capacity(chunks.len() * 6),
            far_steps: Steps::new(chunks.len(), (placement.cols / CHUNK_SIDE) as usize),
            chunks,
        })
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut TerrainData,
        terrain: &Terrain,
        local: &LocalView<'_>,
    ) {
        let overlays = &local.view.shown.overlays;
        if overlays.contains(OverlayId::Navigation) && !data.has_navigation {
            self.upload_navigation(gpu, data, terrain);
        }
        data.update(gpu, terrain, local);
        let wireframe = data.draws_wireframe.then_some(Variant::Wireframe);
        for variant in [Some(data.variant), wireframe].into_iter().flatten() {
            for part in &data.drawn {
                let pipeline = self.pipeline(data, variant, *part, local.is_mirrored);
                self.pipelines.need(pipeline, local.is_mirrored);
            }
        }
        // What water reflects has none.
        if data.bands.iter().any(Band::has_water) && !local.is_reflection() {
            let pipeline = Pipeline::Water(data.shadows[1], data.reflected);
            self.pipelines.need(pipeline, local.is_mirrored);
        }
    }

    fn prepare_ahead(&mut self, gpu: &Gpu, data: &TerrainData) {
        let in_frame = ground_parts().map(|part| (data.pipeline(data.variant, part), false));
        // Nothing that stands on it casts a shadow on what water reflects.
        let unshaded = ground_parts().filter(|(_, in_shadow)| !in_shadow);
        let reflected = unshaded.filter(|_| data.reflected.ground);
        let reflected = reflected.map(|part| (data.pipeline(data.variant, part), true));
        self.pipelines.make_ahead(gpu, in_frame.chain(reflected));
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &TerrainData) {
        match phase {
            Phase::Opaque | Phase::Reflection => self.draw_ground(data.variant, pass, data),
            Phase::Transparent => self.draw_water(pass, data),
            Phase::Lines if data.draws_wireframe => {
                self.draw_ground(Variant::Wireframe, pass, data);
            }
            Phase::Shadow | Phase::Background | Phase::Lines => {}
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }
}

impl TerrainRenderer {
    /// Puts the navigation grid on the GPU. Where there is no room for it the overlay shows nothing.
    fn upload_navigation(&self, gpu: &Gpu, data: &mut TerrainData, terrain: &Terrain) {
        data.has_navigation = true;
        let codes = terrain.navigation().codes(colors::ISLANDS.len() as u8);
        let mut uploads = Uploads::new(gpu);
        for band in &mut data.bands {
            band.set_navigation(&mut uploads, &self.navigation_layout, &codes);
        }
        data.gpu_bytes += uploads.bytes;
    }

    /// What a variant draws a part of the ground with: its own pipeline if that was made ahead, or else
    /// one that draws other parts as well. With these there are half as many to wait for before the
    /// first frame.
    fn pipeline(
        &self,
        data: &TerrainData,
        variant: Variant,
        part: GroundPart,
        is_mirrored: bool,
    ) -> Pipeline {
        let own = data.pipeline(variant, part);
        if self.pipelines.get(own, is_mirrored).is_some() {
            return own;
        }
        let (ground, _) = part;
        data.pipeline(variant, (ground.more_general(), true))
    }

    fn draw_ground(&self, variant: Variant, pass: &mut FramePass<'_>, data: &TerrainData) {
        let mut bound = None;
        let mut bind = |pass: &mut FramePass<'_>, band: u32| {
            if bound.replace(band) != Some(band)
                && let Some(band) = data.bands.get(band as usize)
            {
                band.bind(pass);
            }
        };
        pass.set_index_buffer(data.top_indices.slice(..), wgpu::IndexFormat::Uint16);
        for part in &data.drawn {
            let (ground, in_shadow) = *part;
            let pipeline = self.pipeline(data, variant, *part, pass.is_mirrored);
            if !pass.set_pipeline(&self.pipelines, pipeline) {
                continue;
            }
            if ground == Ground::Far {
                for (i, band) in (0..).zip(&data.bands) {
                    let ranges = &band.far_ranges[usize::from(in_shadow)];
                    if ranges.iter().any(|parts| !parts.ground.is_empty()) {
                        bind(pass, i);
                        self.draw_far(pass, data, ranges);
                    }
                }
                continue;
            }
            let is_it = |v: &&Visible| v.in_shadow == in_shadow && ground.is_of(v.detail);
            let visible = data.visible.iter().filter(is_it);
            for visible in visible {
                let instances = ground.faces(&visible.faces);
                if instances.is_empty() {
                    continue;
                }
                bind(pass, visible.band);
                let at = u64::from(visible.chunk) * 4;
                pass.set_vertex_buffer(0, data.chunk_indices.slice(at..at + 4));
                if matches!(ground, Ground::Tops(_) | Ground::TopsMiddle) {
                    pass.draw_indexed(0..24, 0, instances);
                } else {
                    pass.draw(6, instances);
                }
            }
        }
    }

    fn draw_far(
        &self,
        pass: &mut FramePass<'_>,
        data: &TerrainData,
        ranges: &BySteps<Parts<Range<u32>>>,
    ) {
        pass.set_vertex_buffer(0, data.instances.slice(..));
        pass.set_index_buffer(self.far_indices.slice(..), wgpu::IndexFormat::Uint16);
        for (triangles, instances) in self.far_triangles.iter().zip(ranges) {
            for (triangles, instances) in triangles.iter().zip(instances.iter()) {
                if !instances.is_empty() {
                    pass.draw_indexed(triangles.clone(), 0, instances.clone());
                }
            }
        }
    }

    fn draw_water(&self, pass: &mut FramePass<'_>, data: &TerrainData) {
        let pipeline = Pipeline::Water(data.shadows[1], data.reflected);
        for band in data.bands.iter().filter(|band| band.has_water()) {
            if pass.set_pipeline(&self.pipelines, pipeline) {
                band.bind(pass);
                pass.set_vertex_buffer(0, data.instances.slice(..));
                pass.draw(6, band.water_range.clone());
            }
        }
    }
}

/// Puts the textures of materials into one array.
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

/// The values of the map that do not change with the view, without any shadow, and the view's at
/// rest.
fn map_data(terrain: &Terrain) -> Map {
    let placement = terrain.placement();
    let accents = accents(&terrain.map().splats, &terrain.textures().layer_of_material);
    let levels = terrain.levels();
    Map {
        north_west: placement.north_west(),
        size: [placement.cols, placement.rows],
        surface: Surface::Lit as u32,
        lines: 0,
        highlight: NOTHING,
        shadow_heights: Vec2::Y,
        shadow_scale: 1.0,
        overview_scale: 1.0 / terrain.overview().tiles_per_texel as f32,
        levels: Vec2::new(levels[0] as f32, levels[1] as f32),
        per_tile: 1.0 / Vec2::new(placement.cols as f32, placement.rows as f32),
        accents: bytemuck::cast(accents),
        sun: terrain.sun().direction().extend(0.0),
        first_row: 0,
    }
}

/// The world height that 0 stands for in the texture of a shadow, and what 1 adds.
fn shadow_heights(shadow: &ShadowMap) -> Vec2 {
    match shadow.heights {
        Heights::Half(_) => Vec2::Y,
        Heights::Quantized { min, step, .. } => Vec2::new(min, step * f32::from(u8::MAX)),
    }
}

/// The layer of each layer's accent; one without an accent has itself for one.
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

fn chunks(terrain: &Terrain, packed: &Packed, parts: &[Part]) -> Vec<Chunk> {
    let placement = terrain.placement();
    let cols = (placement.cols / CHUNK_SIDE).max(1) as usize;
    let bounds = |row: u32, col: u32, side: u32, faces: &Faces| {
        let [low, high] = faces.levels.map(|level| level as f32);
        let a = placement.world(col as f32, row as f32, low);
        let b = placement.world((col + side) as f32, (row + side) as f32, high);
        Aabb {
            min: a.min(b),
            max: a.max(b),
        }
    };
    packed
        .chunks
        .iter()
        .enumerate()
        .map(|(i, chunk)| {
            let band = parts.partition_point(|part| part.chunks.end <= i);
            let own = |faces: &Faces| parts[band].own(faces);
            let [row, col] = [i / cols, i % cols].map(|at| at as u32 * CHUNK_SIDE);
            Chunk {
                band: band as u32,
                bounds: bounds(row, col, CHUNK_SIDE, &chunk.all),
                faces: own(&chunk.all),
                blocks: std::array::from_fn(|block| {
                    let (down, right) = (block as u32 / 2, block as u32 % 2);
                    let faces = own(&chunk.blocks[block]);
                    let (row, col) = (row + down * BLOCK_SIDE, col + right * BLOCK_SIDE);
                    (bounds(row, col, BLOCK_SIDE, &faces), faces)
                }),
                has_water: chunk.has_water,
            }
        })
        .collect()
}

impl ContentData for TerrainData {
    fn gpu_bytes(&self) -> u64 {
        self.gpu_bytes
    }

    fn background(&self) -> Background {
        Background::Sky
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

impl TerrainData {
    /// Works out what the view shows, and sends what shaders must know of it.
    fn update(&mut self, gpu: &Gpu, terrain: &Terrain, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        let mut map = self.map_at_rest;
        let is_on = |overlay: &OverlayId| shown.overlays.contains(*overlay);
        map.surface = surface(shown);
        let lines = LINES.iter().filter(|(overlay, _)| is_on(overlay));
        map.lines = lines.map(|(_, bit)| bit).sum();
        map.highlight = highlight(terrain, shown);
        for band in &mut self.bands {
            band.write(gpu, &map);
        }
        let inspects = map.surface != 0 || map.lines != 0 || map.highlight != NOTHING;
        self.variant = match (inspects, self.is_rich) {
            (true, _) => Variant::Inspect,
            (false, true) => Variant::Rich,
            (false, false) => Variant::Plain,
        };

        self.draws_wireframe = gpu.draws_wireframe(shown);

        // Overlays that colour the surface leave no light on it.
        let is_lit = map.surface == Surface::Lit as u32;
        self.shadows = match (local.casters, shown.hides_shadows) {
            (_, true) => [Shadows::None; 2],
            (Some(_), false) if is_lit => [Shadows::OfGround, Shadows::All],
            _ => [Shadows::OfGround; 2],
        };
        self.reflected = local.reflected;
        self.cast_on.fill(false);
        for caster in local.casters.unwrap_or_default() {
            self.cast(terrain, caster, local.to_sun);
        }

        self.find_visible(local);
        self.list_drawn();
        let steps = self.far.iter().map(|far| (far.chunk, far.step));
        self.far_steps.set(steps, is_from_below(terrain, local));
        self.listed.clear();
        for band in &mut self.bands {
            band.far_ranges = Default::default();
        }
        for alike in self.far.chunk_by(|a, b| a.draw_key() == b.draw_key()) {
            let (band, in_shadow, step) = alike[0].draw_key();
            let ranges = &mut self.bands[band as usize].far_ranges[usize::from(in_shadow)];
            let begin = self.listed.len() as u32;
            let instances = alike.iter().map(|far| far.chunk | step << 28);
            self.listed.extend(instances);
            let ground = begin..self.listed.len() as u32;
            let skirts = Edge::ALL.map(|side| {
                let begin = self.listed.len() as u32;
                let with_skirt = alike
                    .iter()
                    .filter(|far| self.far_steps.need_skirt(far.chunk, step, side));
                let instances = with_skirt.map(|far| far.chunk | step << 28);
                self.listed.extend(instances);
                begin..self.listed.len() as u32
            });
            ranges[step as usize] = Parts { ground, skirts };
        }
        let mut with_water = self.with_water.as_slice();
        for (i, band) in (0..).zip(&mut self.bands) {
            let of_band = |chunk: &u32| self.chunks[*chunk as usize].band == i;
            let count = with_water.partition_point(of_band);
            let (own, of_others) = with_water.split_at(count);
            with_water = of_others;
            let begin = self.listed.len() as u32;
            if shows_water(map.surface) {
                self.listed.extend_from_slice(own);
            }
            band.water_range = begin..self.listed.len() as u32;
        }
        if !self.listed.is_empty() {
            let bytes = bytemuck::cast_slice(&self.listed);
            gpu.queue.write_buffer(&self.instances, 0, bytes);
        }
    }

    /// What a variant draws a part of the ground with.
    fn pipeline(&self, variant: Variant, (ground, in_shadow): GroundPart) -> Pipeline {
        let shadows = match variant {
            Variant::Wireframe => Shadows::None,
            _ => self.shadows[usize::from(in_shadow)],
        };
        Pipeline::Ground(variant, ground, shadows)
    }

    /// Lists the parts of the ground of which something is in view.
    fn list_drawn(&mut self) {
        let (visible, far) = (&self.visible, &self.far);
        let is_drawn = |(ground, in_shadow): &GroundPart| match ground {
            Ground::Far => far.iter().any(|it| it.in_shadow == *in_shadow),
            _ => visible.iter().any(|it| {
                let is_it = it.in_shadow == *in_shadow && ground.is_of(it.detail);
                is_it && !ground.faces(&it.faces).is_empty()
            }),
        };
        self.drawn.clear();
        self.drawn.extend(ground_parts().filter(is_drawn));
    }

    /// Marks the blocks on which the shadow of a box in world space may fall.
    fn cast(&mut self, terrain: &Terrain, caster: &Aabb, to_sun: Vec3) {
        let lowest = terrain.about().bounds.min.y;
        let swept = shadow::with_shadow(caster, to_sun, lowest);
        let placement = terrain.placement();
        // Columns run against x.
        let first = placement.tiles(swept.max.x, swept.min.z) / BLOCK_SIDE as f32;
        let last = placement.tiles(swept.min.x, swept.max.z) / BLOCK_SIDE as f32;
        let across = self.blocks_across;
        let down = self.cast_on.len() / across;
        let range = |first: f32, last: f32, count: usize| {
            // Numbers below 0 become 0.
            first.floor() as usize..((last.floor() + 1.0) as usize).min(count)
        };
        for row in range(first.y, last.y, down) {
            let cols = range(first.x, last.x, across);
            if let Some(blocks) = self.cast_on.get_mut(row * across..(row + 1) * across)
                && let Some(blocks) = blocks.get_mut(cols)
            {
                blocks.fill(true);
            }
        }
    }

    /// Whether a shadow of what stands on the ground may fall on each block of a chunk.
    fn blocks_in_shadow(&self, chunk: usize) -> [bool; 4] {
        let chunks_across = self.blocks_across.div_ceil(2);
        let [row, col] = [chunk / chunks_across * 2, chunk % chunks_across * 2];
        std::array::from_fn(|block| {
            let at = (row + block / 2) * self.blocks_across + col + block % 2;
            self.cast_on.get(at).copied().unwrap_or_default()
        })
    }

    /// Lists the chunks in view, the nearest first, so that they hide what is behind them before
    /// it is shaded.
    fn find_visible(&mut self, local: &LocalView<'_>) {
        let frustum = Frustum::new(local.clip_from_model);
        self.find_seen(local, &frustum);
        let tile_pixels_at_1 = TILE_SIDE * local.pixels_at_1();
        // As fine as the number of triangles allows. Where it cannot be finest, the middle way is
        // taken only while it is cheap.
        let finest = self.fine_triangles;
        for (coarseness, max_triangles) in [(0.3, finest), (0.55, finest * 2 / 5), (1.0, u64::MAX)]
        {
            let tile_pixels_at_1 = tile_pixels_at_1 / coarseness;
            if self.list_visible(local, &frustum, tile_pixels_at_1, max_triangles) {
                break;
            }
        }
        self.visible
            .sort_by(|a, b| a.distance.total_cmp(&b.distance));
        self.far.sort_unstable_by(|a, b| {
            let order = a.draw_key().cmp(&b.draw_key());
            let order = order.then(a.distance.total_cmp(&b.distance));
            order.then(a.chunk.cmp(&b.chunk))
        });
    }

    /// Finds the chunks in view, in the order in which they are on the map.
    fn find_seen(&mut self, local: &LocalView<'_>, frustum: &Frustum) {
        self.seen.clear();
        self.with_water.clear();
        for (group, bounds) in &self.groups {
            let Some(is_inside) = frustum.sees(bounds) else {
                continue;
            };
            for (index, chunk) in group
                .clone()
                .zip(&self.chunks[group.start as usize..group.end as usize])
            {
                let inside = if is_inside {
                    Some(true)
                } else {
                    frustum.sees(&chunk.bounds)
                };
                let Some(is_inside) = inside else {
                    continue;
                };
                self.seen.push(Seen {
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

    /// Lists what is drawn of the chunks in view where tiles at distance 1 have this many pixels along a
    /// side; says whether those that are drawn face by face have no more than so many triangles, and is
    /// not complete if they do.
    fn list_visible(
        &mut self,
        local: &LocalView<'_>,
        frustum: &Frustum,
        tile_pixels_at_1: f32,
        max_triangles: u64,
    ) -> bool {
        let eye = local.eye;
        let mut triangles = 0;
        self.visible.clear();
        self.far.clear();
        for seen in &self.seen {
            let i = seen.chunk as usize;
            let chunk = &self.chunks[i];
            let (chunk_index, distance, inside) = (seen.chunk, seen.distance, seen.is_inside);
            let scale_distance = match local.view.camera.projection {
                Projection::Perspective => distance,
                Projection::Orthographic => local.distance(),
            };
            let detail = detail_for(tile_pixels_at_1 / scale_distance.max(1.0));
            let detail = match detail {
                Detail::Near | Detail::Middle if self.is_coarse => Detail::Far(1),
                detail => detail,
            };
            let blocks_in_shadow = self.blocks_in_shadow(i);
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

/// Whether a view is from below the ground, all of which is then above it.
fn is_from_below(terrain: &Terrain, local: &LocalView<'_>) -> bool {
    let eye = local.eye;
    match local.view.camera.projection {
        Projection::Orthographic => local.forward.y > 0.0,
        // What water reflects is seen from below it, as if there were no ground before it.
        Projection::Perspective if local.is_reflection() => false,
        Projection::Perspective => {
            let ground = terrain.height_at(eye.x, eye.z);
            eye.y < ground.unwrap_or(terrain.about().bounds.min.y)
        }
    }
}

/// How a chunk is drawn whose tiles have this many pixels along a side.
fn detail_for(tile_pixels: f32) -> Detail {
    if tile_pixels >= MIN_TEXTURED_PIXELS {
        return Detail::Near;
    }
    if tile_pixels >= MIN_TILE_PIXELS {
        return Detail::Middle;
    }
    let step = (MIN_CELL_PIXELS / tile_pixels).log2().ceil();
    Detail::Far((step as u32).clamp(1, LAST_STEP))
}

/// How the surface is coloured: a [`Surface`].
fn surface(shown: &Shown) -> u32 {
    let is_on = |(overlay, _): &&(OverlayId, Surface)| shown.overlays.contains(*overlay);
    let surfaces = SURFACES.iter().filter(is_on);
    let surface = surfaces.map(|(_, surface)| *surface as u32).max();
    surface.unwrap_or(Surface::Lit as u32)
}

/// Whether there is water above a surface: overlays colour the ground below it as well.
fn shows_water(surface: u32) -> bool {
    surface <= Surface::Unlit as u32
}

/// What is highlighted: all tiles of the selected type, or with the selected material on top.
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

    #[test]
    fn the_further_a_chunk_the_coarser_its_grid() {
        assert_eq!(detail_for(40.0), Detail::Near);
        assert_eq!(detail_for(8.0), Detail::Middle);
        assert_eq!(detail_for(6.9), Detail::Far(2));
        assert_eq!(detail_for(1.0), Detail::Far(4));
        assert_eq!(detail_for(0.0), Detail::Far(LAST_STEP));
    }

    #[test]
    fn every_layer_can_have_an_accent_and_be_one() {
        let layers: Vec<u8> = (0..=255).collect();
        let splat = |base, accent| Splat { base, accent };
        let accents = accents(&[splat(255, 3), splat(7, 255), splat(9, 256)], &layers);
        assert_eq!([accents[255], accents[7]], [3, 255]);
        assert!((0..255).all(|layer| layer == 7 || usize::from(accents[layer]) == layer));
    }

    /// Ground that is higher than the eye has cracks to hide as long as the eye is not under the ground.
    #[test]
    fn ground_is_seen_from_below_from_under_it() {
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
