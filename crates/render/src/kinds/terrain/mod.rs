//! Terrain and its water.
//!
//! Near chunks are drawn from lists of faces. In the middle distance, where textures are reduced to
//! their colour, the same faces are drawn with cheaper shaders. Chunks with tiles of a few pixels
//! are drawn as grids whose cells grow with the distance. Invisible chunks are skipped. A map that
//! exceeds the binding limits is drawn in bands.

mod bands;
mod chunks;
mod data;
mod far;
mod gpu_data;
mod pipelines;
mod view;

use std::ops::Range;

use wgpu::util::DeviceExt as _;

pub(crate) use self::gpu_data::{REFLECTION_REACH, SHADER, TILE, tile_wgsl};

use self::bands::BandView;
use self::data::TerrainData;
use self::far::{BySteps, Parts};
use self::pipelines::{Ground, GroundPart, Pipeline, Variant, ground_parts};
use self::view::{TerrainView, Visible};
use crate::frame::{ContentRenderer, FrameLayout, FramePass, LocalView, Phase, UploadOptions};
use crate::gpu::{
    Gpu, PipelineCache, Pipelines, SAMPLER, STORAGE, TEXTURE, TEXTURE_ARRAY, UINT_LIST, UNIFORM,
    UploadError, bind_group_layout, sampler,
};
use mapscope_scene::OverlayId;
use mapscope_scene::terrain::Terrain;

/// Draws terrain.
#[derive(Debug, Clone)]
pub(crate) struct TerrainRenderer {
    /// Layout of bind group 1.
    layout: wgpu::BindGroupLayout,
    /// Layout of bind group 2.
    navigation_layout: wgpu::BindGroupLayout,
    clamped: wgpu::Sampler,
    noise: wgpu::TextureView,
    repeating: wgpu::Sampler,
    pipelines: PipelineCache<Pipeline>,
    /// Indices of the triangles of far chunks, and their range for each part of a grid.
    far_indices: wgpu::Buffer,
    far_triangles: BySteps<Parts<Range<u32>>>,
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
        // The shaders blend mip levels only in a small part of their range.
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
    type View = TerrainView;

    fn upload(
        &self,
        gpu: &Gpu,
        terrain: &Terrain,
        options: UploadOptions<&TerrainData>,
    ) -> Result<TerrainData, UploadError> {
        TerrainData::new(gpu, self, terrain, options.shared)
    }

    fn complete(
        &mut self,
        gpu: &Gpu,
        data: &mut TerrainData,
        terrain: &Terrain,
        local: &LocalView<'_>,
    ) {
        let overlays = &local.view.shown.overlays;
        if overlays.contains(OverlayId::Navigation) {
            data.upload_navigation(gpu, self, terrain);
        }
    }

    fn view(&self, gpu: &Gpu, data: &TerrainData, _: &Terrain) -> TerrainView {
        TerrainView::new(gpu, self, data)
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &TerrainData,
        view: &mut TerrainView,
        terrain: &Terrain,
        local: &LocalView<'_>,
    ) {
        view.update(gpu, data, terrain, local);
        let wireframe = view.draws_wireframe.then_some(Variant::Wireframe);
        for variant in [Some(view.variant), wireframe].into_iter().flatten() {
            for part in &view.drawn {
                let pipeline = self.pipeline(view, variant, *part, local.is_mirrored);
                self.pipelines.request(pipeline, local.is_mirrored);
            }
        }
        // The reflection shows no water.
        if view.bands.iter().any(BandView::has_water) && !local.is_reflection() {
            let pipeline = Pipeline::Water(view.shadows[1], view.reflected);
            self.pipelines.request(pipeline, local.is_mirrored);
        }
    }

    fn prefetch_pipelines(&mut self, gpu: &Gpu, view: &TerrainView) {
        let in_frame = ground_parts().map(|part| (view.pipeline(view.variant, part), false));
        // The reflection has no shadows of what stands on the ground.
        let unshaded = ground_parts().filter(|(_, in_shadow)| !in_shadow);
        let reflected = unshaded
            .filter(|_| view.reflected.ground)
            .map(|part| (view.pipeline(view.variant, part), true));
        self.pipelines.prefetch(gpu, in_frame.chain(reflected));
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &TerrainData, view: &TerrainView) {
        match phase {
            Phase::Opaque | Phase::Reflection => self.draw_ground(view.variant, pass, data, view),
            Phase::Transparent => self.draw_water(pass, data, view),
            Phase::Lines if view.draws_wireframe => {
                self.draw_ground(Variant::Wireframe, pass, data, view);
            }
            Phase::Shadow | Phase::Background | Phase::Lines => {}
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }
}

impl TerrainRenderer {
    /// The bindings of group 1 that all bands of a map share.
    fn shared_bindings<'a>(&'a self, data: &'a TerrainData) -> [wgpu::BindingResource<'a>; 6] {
        [
            wgpu::BindingResource::TextureView(&data.materials),
            wgpu::BindingResource::Sampler(&self.clamped),
            wgpu::BindingResource::TextureView(&self.noise),
            wgpu::BindingResource::Sampler(&self.repeating),
            wgpu::BindingResource::TextureView(&data.ground_shadow.heights),
            wgpu::BindingResource::TextureView(&data.overview),
        ]
    }

    /// The pipeline that draws a part of the ground in a variant. This is its own pipeline if that
    /// was created ahead, otherwise a more general one, so that the first frame needs only half as
    /// many.
    fn pipeline(
        &self,
        view: &TerrainView,
        variant: Variant,
        part: GroundPart,
        is_mirrored: bool,
    ) -> Pipeline {
        let own = view.pipeline(variant, part);
        if self.pipelines.get(own, is_mirrored).is_some() {
            return own;
        }
        let (ground, _) = part;
        view.pipeline(variant, (ground.more_general(), true))
    }

    fn draw_ground(
        &self,
        variant: Variant,
        pass: &mut FramePass<'_>,
        data: &TerrainData,
        view: &TerrainView,
    ) {
        let mut bound = None;
        let mut bind = |pass: &mut FramePass<'_>, at: u32| {
            let band = view.bands.get(at as usize).zip(data.bands.get(at as usize));
            if bound.replace(at) != Some(at)
                && let Some((view, band)) = band
            {
                view.bind(band, pass);
            }
        };
        pass.set_index_buffer(data.top_indices.slice(..), wgpu::IndexFormat::Uint16);
        for part in &view.drawn {
            let (ground, in_shadow) = *part;
            let pipeline = self.pipeline(view, variant, *part, pass.is_mirrored);
            if !pass.set_pipeline(&self.pipelines, pipeline) {
                continue;
            }
            if ground == Ground::Far {
                for (i, band) in (0..).zip(&view.bands) {
                    let ranges = &band.far_ranges[usize::from(in_shadow)];
                    if ranges.iter().any(|parts| !parts.ground.is_empty()) {
                        bind(pass, i);
                        self.draw_far(pass, view, ranges);
                    }
                }
                continue;
            }
            let is_it = |v: &&Visible| v.in_shadow == in_shadow && ground.is_of(v.detail);
            for visible in view.visible.iter().filter(is_it) {
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
        view: &TerrainView,
        ranges: &BySteps<Parts<Range<u32>>>,
    ) {
        pass.set_vertex_buffer(0, view.instances.slice(..));
        pass.set_index_buffer(self.far_indices.slice(..), wgpu::IndexFormat::Uint16);
        for (triangles, instances) in self.far_triangles.iter().zip(ranges) {
            for (triangles, instances) in triangles.iter().zip(instances.iter()) {
                if !instances.is_empty() {
                    pass.draw_indexed(triangles.clone(), 0, instances.clone());
                }
            }
        }
    }

    fn draw_water(&self, pass: &mut FramePass<'_>, data: &TerrainData, view: &TerrainView) {
        let pipeline = Pipeline::Water(view.shadows[1], view.reflected);
        let bands = view.bands.iter().zip(&data.bands);
        for (band_view, band) in bands.filter(|(view, _)| view.has_water()) {
            if pass.set_pipeline(&self.pipelines, pipeline) {
                band_view.bind(band, pass);
                pass.set_vertex_buffer(0, view.instances.slice(..));
                pass.draw(6, band_view.water_range.clone());
            }
        }
    }
}
