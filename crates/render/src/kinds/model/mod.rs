//! Models: skinned meshes.
//!
//! The mesh, the textures and the pipelines of a model exist once. Each instance has its own
//! placement and joint palette. One draw per material covers all instances.

mod gpu_data;
pub(crate) mod instances;
mod materials;
pub(crate) mod mesh;

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec4;

use self::gpu_data::{Marks, Surface};
pub(crate) use self::gpu_data::{SHADER, SKIN, skin_wgsl};
use self::instances::Instances;
use self::materials::MaterialMaker;
use self::mesh::{MeshMaterial, ModelMesh, Part};
use crate::frame::{
    Background, ContentData, ContentRenderer, ContentView, FrameLayout, FramePass, Instance,
    InstanceRanges, LevelRanges, LocalView, NOTHING, Phase, UploadOptions, shadow,
};
use crate::gpu::{
    FLOAT_LIST, Gpu, PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, Pipelines,
    STORAGE, UINT_LIST, UNIFORM, Uniform, UploadError, bind_group_layout, flag, vertex_layout,
};

use mapscope_scene::model::mesh::MeshVertex;
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::model::{self, Blending, Model, PartState};
use mapscope_scene::{Item, ModelItem, OpenOptions, OverlayId, Progress, Shown, demo, open};

/// Maximum visible error of a level of detail, in pixels.
const MAX_ERROR_PIXELS: f32 = 0.4;

/// Adds the light of a surface to what is behind it.
const ADDED: wgpu::BlendState = wgpu::BlendState {
    color: wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::SrcAlpha,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    },
    alpha: wgpu::BlendComponent::OVER,
};

/// Overlays that colour the surface.
const SURFACES: [(OverlayId, Surface); 6] = [
    (OverlayId::Unlit, Surface::Unlit),
    (OverlayId::Normals, Surface::Normals),
    (OverlayId::UvChecker, Surface::UvChecker),
    (OverlayId::BackFaces, Surface::BackFaces),
    (OverlayId::ReversedTriangles, Surface::Reversed),
    (OverlayId::JointWeights, Surface::JointWeights),
];

/// The display mode of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    surface: Surface,
    /// `true` if one material is highlighted.
    highlighted: bool,
    /// `true` if back faces are drawn.
    two_sided: bool,
}

/// Identifies a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pipeline {
    draws: Draws,
    /// `true` if joints move any vertex.
    is_posed: bool,
}

/// The parts or aspects of a model that a pipeline draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draws {
    Surface {
        look: Look,
        /// `true` if textures have holes.
        holes: bool,
        /// `true` if it receives the shadows of the ground and of what stands on it.
        in_shadow: bool,
        blending: Blending,
    },
    /// Wireframe.
    Wireframe { two_sided: bool },
    /// Shadow map.
    Shadow { holes: bool },
}

/// Draws models.
#[derive(Debug, Clone)]
pub(crate) struct ModelRenderer {
    /// Layout of bind group 1.
    layout: wgpu::BindGroupLayout,
    materials: MaterialMaker,
    pipelines: PipelineCache<Pipeline>,
    /// The terrain tile below models, once it was shown; empty if it could not be created.
    ground: OnceCell<Option<Arc<(ModelMesh, ModelView)>>>,
}

/// A model in a view.
#[derive(Debug)]
pub(crate) struct ModelView {
    instances: Instances,
    ranges: LevelRanges,
    /// `true` if joints move any vertex.
    is_posed: bool,
    /// `true` if it receives shadows.
    in_shadow: bool,
    /// The state of the parts, and for each the material that it shows; `None` if it is hidden.
    parts: (PartState, Vec<Option<usize>>),
    marks: Uniform<Marks>,
    /// The display mode of the next frame.
    look: Look,
    /// `true` if reversed triangles are highlighted.
    marks_reversed: bool,
    draws_wireframe: bool,
    draws_ground: bool,
    /// `true` if textures have the engine's size.
    engine_textures: bool,
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let (look, holes, in_shadow, blending) = match self.draws {
            Draws::Surface {
                look,
                holes,
                in_shadow,
                blending,
            } => (look, holes, in_shadow, blending),
            Draws::Wireframe { two_sided } => {
                (Look::plain(two_sided), false, false, Blending::None)
            }
            Draws::Shadow { holes } => (Look::plain(true), holes, false, Blending::None),
        };
        let constants = [
            ("SURFACE", f64::from(look.surface as u8)),
            ("HOLES", flag(holes)),
            ("HIGHLIGHTED", flag(look.highlighted)),
            ("IN_SHADOW", flag(in_shadow)),
            ("BLENDED", flag(blending != Blending::None)),
            ("POSED", flag(self.is_posed)),
            shadow::lookups_constant(maker.gpu),
        ];
        let attributes = wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Snorm16x2, 2 => Float32x2, 3 => Uint32
        ];
        let vertices = vertex_layout::<MeshVertex>(wgpu::VertexStepMode::Vertex, &attributes);
        let options = match self.draws {
            Draws::Surface { .. } => match blending {
                Blending::None => PipelineOptions::new("vs_model", "fs_model"),
                Blending::Mix => PipelineOptions::blended("vs_model", "fs_model"),
                Blending::Add => PipelineOptions {
                    blend: Some(ADDED),
                    ..PipelineOptions::blended("vs_model", "fs_model")
                },
            },
            Draws::Wireframe { .. } => PipelineOptions::wireframe("vs_model", "fs_model_wire"),
            Draws::Shadow { holes: true } => {
                PipelineOptions::shadow_caster("vs_model_shadow", Some("fs_model_shadow"))
            }
            Draws::Shadow { holes: false } => {
                PipelineOptions::shadow_caster("vs_model_shadow", None)
            }
        };
        maker.create(&PipelineOptions {
            vertices: [Some(vertices), Some(instances::vertex_layout())],
            cull: !look.two_sided,
            constants: &constants,
            ..options
        })
    }
}

impl ModelRenderer {
    pub(crate) fn new(gpu: &Gpu, frame: &FrameLayout) -> Self {
        let bindings = [UINT_LIST, FLOAT_LIST, STORAGE, UNIFORM];
        let layout = bind_group_layout(gpu, "model", &bindings);
        let materials = MaterialMaker::new(gpu);
        Self {
            pipelines: PipelineCache::new(&SHADER, &[&frame.layout, &layout, &materials.layout]),
            layout,
            materials,
            ground: OnceCell::new(),
        }
    }

    /// Uploads the built-in terrain tile. Logs an error and returns `None` if that fails.
    fn upload_ground(&self, gpu: &Gpu) -> Option<Arc<(ModelMesh, ModelView)>> {
        let ground = open(
            &demo::ground(),
            &OpenOptions::default(),
            &Progress::default(),
        );
        let ground = ground
            .inspect_err(|error| log::error!("the ground tile: {error}"))
            .ok()?;
        let model = ground.content()?;
        let mesh = ModelMesh::upload(gpu, &self.materials, model)
            .inspect_err(|error| log::error!("the ground tile: {error}"))
            .ok()?;
        let mut view = self.view(gpu, &mesh, model);
        let mut ranges = [InstanceRanges::NONE; MAX_LEVELS];
        ranges[0].upright = 0..1;
        view.set_instances(gpu, model, &mesh, &[Instance::default()], &ranges);
        Some(Arc::new((mesh, view)))
    }

    /// The terrain tile below a model, if it is shown.
    fn ground(&self, view: &ModelView) -> Option<&(ModelMesh, ModelView)> {
        let ground = self.ground.get().filter(|_| view.draws_ground)?;
        ground.as_deref()
    }

    /// Draws the instances that `windings` selects, with one draw per material, level of detail and
    /// winding. `drawn` returns the indices and the pipeline of a part, or `None` if it is not
    /// drawn.
    fn draw_with(
        &self,
        pass: &mut FramePass<'_>,
        (mesh, view): (&ModelMesh, &ModelView),
        windings: impl Fn(&InstanceRanges) -> [(bool, Range<u32>); 2],
        drawn: impl Fn(&Part, &MeshMaterial, usize) -> Option<(Range<u32>, Pipeline)>,
    ) {
        let windings = view.ranges.each_ref().map(windings);
        let mut instances = windings.iter().flatten().map(|(_, instances)| instances);
        if instances.all(Range::is_empty) {
            return;
        }
        view.bind(mesh, pass);
        for (part, material) in view.shown_parts(mesh) {
            pass.set_bind_group(2, material.bind_group(view.engine_textures), &[]);
            for (level, windings) in windings.iter().enumerate() {
                let Some((indices, pipeline)) = drawn(part, material, level) else {
                    continue;
                };
                if indices.is_empty() {
                    continue;
                }
                for (is_mirrored, instances) in windings {
                    pass.is_mirrored = *is_mirrored;
                    if !instances.is_empty() && pass.set_pipeline(&self.pipelines, pipeline) {
                        pass.draw_indexed(indices.clone(), 0, instances.clone());
                    }
                }
            }
        }
    }

    /// Draws the shadow casters. Their winding does not matter.
    fn draw_shadow(&self, pass: &mut FramePass<'_>, mesh: &ModelMesh, view: &ModelView) {
        let casting = view
            .ranges
            .iter()
            .map(|ranges| &ranges.casting)
            .filter(|instances| !instances.is_empty());
        if casting.clone().next().is_none() {
            return;
        }
        view.bind(mesh, pass);
        pass.is_mirrored = false;
        for (part, material) in view.shown_parts(mesh) {
            if pass.set_pipeline(&self.pipelines, view.shadow(material.holes)) {
                pass.set_bind_group(2, material.bind_group(view.engine_textures), &[]);
                for instances in casting.clone() {
                    // The map should not change when the camera comes closer, so it has one level
                    // of detail.
                    pass.draw_indexed(part.indices.clone(), 0, instances.clone());
                }
            }
        }
    }
}

impl ContentRenderer for ModelRenderer {
    type Content = Model;
    type Data = ModelMesh;
    type View = ModelView;

    const IS_INSTANCED: bool = true;
    const CASTS_SHADOWS: bool = true;

    fn upload(
        &self,
        gpu: &Gpu,
        model: &Model,
        _: UploadOptions<&ModelMesh>,
    ) -> Result<ModelMesh, UploadError> {
        ModelMesh::upload(gpu, &self.materials, model)
    }

    fn complete(&mut self, gpu: &Gpu, mesh: &mut ModelMesh, model: &Model, local: &LocalView<'_>) {
        let engine_textures = shows_engine_textures(&local.view.shown);
        mesh.update_textures(gpu, &self.materials, model, engine_textures);
    }

    fn view(&self, gpu: &Gpu, mesh: &ModelMesh, model: &Model) -> ModelView {
        let shown = Shown::default();
        let mut uniform = Uniform::new(gpu, "marks");
        uniform.write(gpu, marks(None));
        ModelView {
            instances: Instances::new(gpu, &self.layout, mesh, &uniform.buffer),
            ranges: [InstanceRanges::NONE; MAX_LEVELS],
            is_posed: mesh.is_posed,
            in_shadow: false,
            parts: {
                let state = PartState::default();
                (state, model.materials_of_parts(state))
            },
            marks: uniform,
            look: look(model, &shown, None),
            marks_reversed: false,
            draws_wireframe: false,
            draws_ground: false,
            engine_textures: false,
        }
    }

    fn prepare(
        &mut self,
        gpu: &Gpu,
        mesh: &ModelMesh,
        view: &mut ModelView,
        model: &Model,
        local: &LocalView<'_>,
    ) {
        view.update(gpu, model, mesh, local);
        if view.draws_ground {
            self.ground.get_or_init(|| self.upload_ground(gpu));
        }
        let ground = self.ground.get().filter(|_| view.draws_ground);
        let ground = ground
            .and_then(|ground| ground.as_deref())
            .map(|(mesh, view)| (mesh, view));
        for (mesh, view) in ground.into_iter().chain([(mesh, &*view)]) {
            let parts = view.shown_parts(mesh);
            let surfaces = parts.clone().map(|(_, material)| view.pipeline(material));
            let marked = parts
                .filter(|(part, _)| view.marks_reversed && !part.reversed.is_empty())
                .map(|(_, material)| view.reversed(material.holes));
            let wireframe = view.draws_wireframe.then(|| view.wireframe());
            for pipeline in surfaces.chain(marked).chain(wireframe) {
                let ranges = view.ranges.iter();
                let windings = ranges.map(|ranges| [ranges.in_frame(), ranges.in_water()]);
                for (is_mirrored, instances) in windings.flatten().flatten() {
                    if !instances.is_empty() {
                        self.pipelines.request(pipeline, is_mirrored);
                    }
                }
            }
        }
        if view.ranges.iter().any(|ranges| !ranges.casting.is_empty()) {
            for (_, material) in view.shown_parts(mesh) {
                self.pipelines.request(view.shadow(material.holes), false);
            }
        }
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, mesh: &ModelMesh, view: &ModelView) {
        match phase {
            Phase::Shadow => self.draw_shadow(pass, mesh, view),
            Phase::Reflection => {
                let in_water = InstanceRanges::in_water;
                self.draw_with(pass, (mesh, view), in_water, |part, material, level| {
                    Some(view.surface(part, material, level))
                });
            }
            Phase::Opaque => {
                let ground = self.ground(view).map(|(mesh, view)| (mesh, view));
                for (mesh, view) in [Some((mesh, view)), ground].into_iter().flatten() {
                    let in_frame = InstanceRanges::in_frame;
                    self.draw_with(pass, (mesh, view), in_frame, |part, material, level| {
                        let is_opaque = view.blending(material) == Blending::None;
                        is_opaque.then(|| view.surface(part, material, level))
                    });
                    if view.marks_reversed {
                        let marked = |part: &Part, material: &MeshMaterial, _| {
                            Some((part.reversed.clone(), view.reversed(material.holes)))
                        };
                        self.draw_with(pass, (mesh, view), in_frame, marked);
                    }
                }
            }
            Phase::Lines if view.draws_wireframe => {
                let edges = |part: &Part, _: &_, _| Some((part.indices.clone(), view.wireframe()));
                self.draw_with(pass, (mesh, view), InstanceRanges::in_frame, edges);
            }
            Phase::Transparent => {
                let in_frame = InstanceRanges::in_frame;
                self.draw_with(pass, (mesh, view), in_frame, |part, material, level| {
                    let is_blended = view.blending(material) != Blending::None;
                    is_blended.then(|| view.surface(part, material, level))
                });
            }
            Phase::Background | Phase::Lines => {}
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }
}

impl ContentData for ModelMesh {
    fn gpu_bytes(&self) -> u64 {
        self.bytes()
    }

    fn shadow_revision(&self) -> u32 {
        self.shadow_revision
    }

    fn level_of_detail(&self, shown: &Shown, pixels_per_unit: f32) -> usize {
        if shows_mesh(shown) {
            return 0;
        }
        self.coarsest_level(MAX_ERROR_PIXELS / pixels_per_unit)
    }
}

impl ContentView for ModelView {
    fn gpu_bytes(&self) -> u64 {
        self.instances.gpu_bytes()
    }

    fn background(&self) -> Background {
        Background::Studio
    }
}

impl ModelView {
    /// Sets the instances. If there is no room for all of them, the previous instances stay.
    fn set_instances(
        &mut self,
        gpu: &Gpu,
        model: &Model,
        mesh: &ModelMesh,
        instances: &[Instance],
        ranges: &LevelRanges,
    ) {
        let marks = &self.marks.buffer;
        match self.instances.set(gpu, model, mesh, marks, instances) {
            Ok(()) => self.ranges.clone_from(ranges),
            Err(error) => log::error!("{error}"),
        }
    }

    /// Prepares the next frame, uploading only what has changed.
    fn update(&mut self, gpu: &Gpu, model: &Model, mesh: &ModelMesh, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        self.set_instances(gpu, model, mesh, local.instances, local.ranges);
        let playhead = local
            .instances
            .first()
            .map_or(shown.playhead, |it| it.playhead);
        let state = model.part_state(playhead);
        if self.parts.0 != state {
            self.parts = (state, model.materials_of_parts(state));
        }
        let selected = shown.selected.filter(|_| !local.is_attached);
        self.look = look(model, shown, selected);
        self.marks_reversed = self.look.surface == Surface::Reversed;
        if self.marks_reversed {
            // All other triangles look as usual.
            self.look.surface = Surface::Lit;
        }
        let is_lit = matches!(self.look.surface, Surface::Lit | Surface::BackFaces);
        self.in_shadow = local.casters.is_some() && is_lit;
        self.draws_wireframe = gpu.draws_wireframe(shown);
        self.engine_textures = shows_engine_textures(shown);
        self.draws_ground = shown.overlays.contains(OverlayId::GroundTile) && !local.is_attached;
        self.marks.write(gpu, marks(selected));
    }

    /// Binds the mesh and its instances.
    fn bind(&self, mesh: &ModelMesh, pass: &mut FramePass<'_>) {
        self.instances.bind(pass);
        pass.set_vertex_buffer(0, mesh.vertices.slice(..));
        pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
    }

    /// The parts that are not hidden, with their materials.
    fn shown_parts<'m>(
        &self,
        mesh: &'m ModelMesh,
    ) -> impl Iterator<Item = (&'m Part, &'m MeshMaterial)> + Clone {
        let parts = mesh.parts.iter().zip(&self.parts.1);
        parts.filter_map(|(part, material)| Some((part, mesh.material((*material)?)?)))
    }

    /// The blending of a material. Colours that represent data are opaque.
    fn blending(&self, material: &MeshMaterial) -> Blending {
        match self.look.surface {
            Surface::Lit | Surface::Unlit => material.blending,
            _ => Blending::None,
        }
    }

    fn pipeline(&self, material: &MeshMaterial) -> Pipeline {
        self.drawing(Draws::Surface {
            look: self.look,
            holes: material.holes,
            in_shadow: self.in_shadow,
            blending: self.blending(material),
        })
    }

    /// The indices and the pipeline of a part, without its reversed triangles if these are
    /// highlighted.
    fn surface(
        &self,
        part: &Part,
        material: &MeshMaterial,
        level: usize,
    ) -> (Range<u32>, Pipeline) {
        let mut indices = part.level(level);
        if self.marks_reversed {
            indices.end = part.reversed.start;
        }
        (indices, self.pipeline(material))
    }

    /// The pipeline of highlighted reversed triangles, seen from both sides.
    fn reversed(&self, holes: bool) -> Pipeline {
        let look = Look {
            surface: Surface::Reversed,
            ..Look::plain(true)
        };
        self.drawing(Draws::Surface {
            look,
            holes,
            in_shadow: false,
            blending: Blending::None,
        })
    }

    fn wireframe(&self) -> Pipeline {
        self.drawing(Draws::Wireframe {
            two_sided: self.look.two_sided,
        })
    }

    fn shadow(&self, holes: bool) -> Pipeline {
        self.drawing(Draws::Shadow { holes })
    }

    fn drawing(&self, draws: Draws) -> Pipeline {
        Pipeline {
            draws,
            is_posed: self.is_posed,
        }
    }
}

impl Look {
    /// The mode that shows only the shape.
    fn plain(two_sided: bool) -> Self {
        Self {
            surface: Surface::Lit,
            highlighted: false,
            two_sided,
        }
    }
}

fn shows_engine_textures(shown: &Shown) -> bool {
    shown.overlays.contains(OverlayId::EngineTextures)
}

/// `true` if an overlay shows the structure of the mesh.
fn shows_mesh(shown: &Shown) -> bool {
    let mut of_mesh = SURFACES
        .iter()
        .filter(|(_, it)| *it != Surface::Unlit)
        .map(|(overlay, _)| *overlay);
    let is_on = |overlay| shown.overlays.contains(overlay);
    is_on(OverlayId::Wireframe) || of_mesh.any(is_on)
}

/// How a model looks while an item of it is selected.
fn look(model: &Model, shown: &Shown, selected: Option<Item>) -> Look {
    let on = |(id, _): &&(OverlayId, Surface)| shown.overlays.contains(*id);
    let overlay = SURFACES.iter().find(on).map(|(_, surface)| *surface);
    // A joint without influence would only darken the model.
    let moves = |joint: u32| model.moves_vertices(joint as usize);
    let surface = match selected_joint(selected) {
        // The weights of a selected joint take precedence over other colourings.
        Some(joint) if !shown.hides_weights && moves(joint) => Surface::Heat,
        _ => overlay.unwrap_or(Surface::Lit),
    };
    Look {
        surface,
        highlighted: selected_material(selected).is_some(),
        two_sided: surface == Surface::BackFaces || shown.overlays.contains(OverlayId::TwoSided),
    }
}

fn marks(selected: Option<Item>) -> Marks {
    let color = |[r, g, b]: [u8; 3]| {
        let [r, g, b] = [r, g, b].map(|channel| f32::from(channel) / 255.0);
        Vec4::new(r, g, b, 1.0)
    };
    Marks {
        heat: model::HEAT_COLORS.map(color),
        back_face: color(mapscope_scene::colors::BACK_FACE),
        reversed: color(model::REVERSED_COLOR),
        joint: selected_joint(selected).unwrap_or(NOTHING),
        material: selected_material(selected).unwrap_or(NOTHING),
        padding: [0; 2],
    }
}

fn selected_joint(selected: Option<Item>) -> Option<u32> {
    match selected {
        Some(Item::Model(ModelItem::Joint { index })) => Some(index),
        _ => None,
    }
}

fn selected_material(selected: Option<Item>) -> Option<u32> {
    match selected {
        Some(Item::Model(ModelItem::Material { index })) => Some(index),
        _ => None,
    }
}
