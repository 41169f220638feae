//! Models: meshes that joints move.
//!
//! The mesh, the textures and the pipelines of a model are there once, however often it is drawn:
//! each of its instances has its own place in the world and its own joint palette, and all of them
//! are drawn together, material by material.

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
use self::mesh::{ModelMesh, Part};
use crate::frame::constants::NOTHING;
use crate::frame::content::{ContentData, ContentRenderer, UploadOptions};
use crate::frame::instances::{Instance, InstanceRanges, LevelRanges};
use crate::frame::pass::{Background, FramePass, Phase};
use crate::frame::shadow;
use crate::frame::uniforms::FrameLayout;
use crate::frame::view::LocalView;
use crate::gpu::bindings::{FLOAT_LIST, STORAGE, UINT_LIST, UNIFORM, bind_group_layout};
use crate::gpu::buffers::Uniform;
use crate::gpu::pipelines::{
    PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, Pipelines, on, vertex_layout,
};
use crate::gpu::{Gpu, UploadError};

use mapscope_scene::model::mesh::MeshVertex;
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::model::{self, Model};
use mapscope_scene::{Item, ModelItem, OpenOptions, OverlayId, Progress, Shown, demo, open};

/// How far from the mesh what is drawn for it may be, in pixels.
const MAX_ERROR_PIXELS: f32 = 0.4;

/// Overlays that colour the surface.
const SURFACES: [(OverlayId, Surface); 6] = [
    (OverlayId::Unlit, Surface::Unlit),
    (OverlayId::Normals, Surface::Normals),
    (OverlayId::UvChecker, Surface::UvChecker),
    (OverlayId::BackFaces, Surface::BackFaces),
    (OverlayId::ReversedTriangles, Surface::Reversed),
    (OverlayId::JointWeights, Surface::JointWeights),
];

/// How a model is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    surface: Surface,
    /// Whether one material stands out from the others.
    highlighted: bool,
    /// Whether back faces are drawn too.
    two_sided: bool,
}

/// What a pipeline is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pipeline {
    draws: Draws,
    /// Whether joints move any of the vertices.
    is_posed: bool,
}

/// What is drawn of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draws {
    Surface {
        look: Look,
        /// Whether textures may have holes.
        holes: bool,
        /// Whether it is shaded by the ground and by what stands on it.
        in_shadow: bool,
    },
    /// The edges of the triangles alone.
    Wireframe { two_sided: bool },
    /// What it keeps the sun from.
    Shadow { holes: bool },
}

/// Draws models.
#[derive(Debug, Clone)]
pub(crate) struct ModelRenderer {
    /// Of bind group 1.
    layout: wgpu::BindGroupLayout,
    materials: MaterialMaker,
    pipelines: PipelineCache<Pipeline>,
    /// A tile of terrain under models, once one was asked for; empty if it could not be made.
    ground: OnceCell<Option<Arc<ModelData>>>,
}

/// A model on the GPU, with its instances.
#[derive(Debug)]
pub(crate) struct ModelData {
    mesh: ModelMesh,
    instances: Instances,
    ranges: LevelRanges,
    /// Whether shadows may fall on it in the next frame.
    in_shadow: bool,
    /// Whether it casts another shadow than before, because a texture with holes was read.
    has_new_shadow: bool,
    marks: Uniform<Marks>,
    /// How the next frame is drawn.
    look: Look,
    /// Whether reversed triangles stand out in it.
    marks_reversed: bool,
    draws_wireframe: bool,
    draws_ground: bool,
    /// Whether textures are in the engine's size.
    engine_textures: bool,
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let (look, holes, in_shadow) = match self.draws {
            Draws::Surface {
                look,
                holes,
                in_shadow,
            } => (look, holes, in_shadow),
            Draws::Wireframe { two_sided } => (Look::plain(two_sided), false, false),
            Draws::Shadow { holes } => (Look::plain(true), holes, false),
        };
        let constants = [
            ("SURFACE", f64::from(look.surface as u8)),
            ("HOLES", on(holes)),
            ("HIGHLIGHTED", on(look.highlighted)),
            ("IN_SHADOW", on(in_shadow)),
            ("POSED", on(self.is_posed)),
            shadow::lookups_constant(maker.gpu),
        ];
        let attributes = wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Snorm16x2, 2 => Float32x2, 3 => Uint32
        ];
        let vertices = vertex_layout::<MeshVertex>(wgpu::VertexStepMode::Vertex, &attributes);
        let options = match self.draws {
            Draws::Surface { .. } => PipelineOptions::new("vs_model", "fs_model"),
            Draws::Wireframe { .. } => PipelineOptions::edges("vs_model", "fs_model_wire"),
            Draws::Shadow { holes: true } => {
                PipelineOptions::casting("vs_model_shadow", Some("fs_model_shadow"))
            }
            Draws::Shadow { holes: false } => PipelineOptions::casting("vs_model_shadow", None),
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

    /// Puts the ground that models stand on, on the GPU: none, with a word in the log, if the one
    /// that is built in is broken.
    fn upload_ground(&self, gpu: &Gpu) -> Option<Arc<ModelData>> {
        let ground = open(
            &demo::ground(),
            &OpenOptions::default(),
            &Progress::default(),
        );
        let ground = ground.inspect_err(|error| log::error!("the ground tile: {error}"));
        let ground = ground.ok()?;
        let model = ground.content()?;
        let data = self.make_data(gpu, model);
        let data = data.inspect_err(|error| log::error!("the ground tile: {error}"));
        let mut data = data.ok()?;
        let mut ranges = [InstanceRanges::NONE; MAX_LEVELS];
        ranges[0].upright = 0..1;
        data.set_instances(gpu, model, &[Instance::default()], &ranges);
        Some(data.into())
    }

    fn make_data(&self, gpu: &Gpu, model: &Model) -> Result<ModelData, UploadError> {
        let mesh = ModelMesh::upload(gpu, &self.materials, model)?;
        let shown = Shown::default();
        let mut uniform = Uniform::new(gpu, "marks");
        uniform.write(gpu, marks(&shown));
        Ok(ModelData {
            instances: Instances::new(gpu, &self.layout, &mesh, &uniform.buffer),
            mesh,
            ranges: [InstanceRanges::NONE; MAX_LEVELS],
            in_shadow: false,
            marks: uniform,
            has_new_shadow: false,
            look: look(model, &shown),
            marks_reversed: false,
            draws_wireframe: false,
            draws_ground: false,
            engine_textures: false,
        })
    }

    /// The ground that a model stands on, if it is drawn.
    fn ground(&self, data: &ModelData) -> Option<&ModelData> {
        let ground = self.ground.get().filter(|_| data.draws_ground)?;
        ground.as_deref()
    }

    /// Draws what a part says of instances, with one draw for each material and level of detail of those
    /// that are seen as in a mirror and of the others.
    fn draw_with(
        &self,
        pass: &mut FramePass<'_>,
        data: &ModelData,
        windings: impl Fn(&InstanceRanges) -> [(bool, Range<u32>); 2],
        drawn: impl Fn(&Part, usize) -> (Range<u32>, Pipeline),
    ) {
        let windings = data.ranges.each_ref().map(windings);
        let mut instances = windings.iter().flatten().map(|(_, instances)| instances);
        if instances.all(Range::is_empty) {
            return;
        }
        data.bind(pass);
        for part in &data.mesh.parts {
            pass.set_bind_group(2, part.material(data.engine_textures), &[]);
            for (level, windings) in windings.iter().enumerate() {
                let (indices, pipeline) = drawn(part, level);
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

    /// Draws what the sun sees, whichever way round it is.
    fn draw_shadow(&self, pass: &mut FramePass<'_>, data: &ModelData) {
        let casting = data.ranges.iter().map(|ranges| &ranges.casting);
        let casting = casting.filter(|instances| !instances.is_empty());
        if casting.clone().next().is_none() {
            return;
        }
        data.bind(pass);
        pass.is_mirrored = false;
        for part in &data.mesh.parts {
            if pass.set_pipeline(&self.pipelines, data.shadow(part.holes)) {
                pass.set_bind_group(2, part.material(data.engine_textures), &[]);
                for instances in casting.clone() {
                    // The map stays as it is while one comes closer.
                    pass.draw_indexed(part.indices.clone(), 0, instances.clone());
                }
            }
        }
    }
}

impl ContentRenderer for ModelRenderer {
    type Content = Model;
    type Data = ModelData;

    const IS_INSTANCED: bool = true;
    const CASTS_SHADOWS: bool = true;

    fn upload(
        &self,
        gpu: &Gpu,
        model: &Model,
        _: UploadOptions<&ModelData>,
    ) -> Result<ModelData, UploadError> {
        self.make_data(gpu, model)
    }

    fn prepare(&mut self, gpu: &Gpu, data: &mut ModelData, model: &Model, local: &LocalView<'_>) {
        data.update(gpu, model, local);
        let engine_textures = data.engine_textures;
        let mesh = &mut data.mesh;
        data.has_new_shadow |= mesh.update_textures(gpu, &self.materials, model, engine_textures);
        let ground = data
            .draws_ground
            .then(|| self.ground.get_or_init(|| self.upload_ground(gpu)));
        let ground = ground.cloned().flatten();
        for data in ground.as_deref().into_iter().chain([&*data]) {
            let parts = data.mesh.parts.iter();
            let surfaces = parts.clone().map(|part| data.pipeline(part.holes));
            let marked = parts.filter(|part| data.marks_reversed && !part.reversed.is_empty());
            let marked = marked.map(|part| data.reversed(part.holes));
            let wireframe = data.draws_wireframe.then(|| data.wireframe());
            for pipeline in surfaces.chain(marked).chain(wireframe) {
                let ranges = data.ranges.iter();
                let windings = ranges.map(|ranges| [ranges.in_frame(), ranges.in_water()]);
                for (is_mirrored, instances) in windings.flatten().flatten() {
                    if !instances.is_empty() {
                        self.pipelines.need(pipeline, is_mirrored);
                    }
                }
            }
        }
        if data.ranges.iter().any(|ranges| !ranges.casting.is_empty()) {
            for part in &data.mesh.parts {
                self.pipelines.need(data.shadow(part.holes), false);
            }
        }
    }

    fn draw(&self, phase: Phase, pass: &mut FramePass<'_>, data: &ModelData) {
        match phase {
            Phase::Shadow => self.draw_shadow(pass, data),
            Phase::Reflection => {
                let in_water = InstanceRanges::in_water;
                self.draw_with(pass, data, in_water, |part, level| {
                    data.surface(part, level)
                });
            }
            Phase::Opaque => {
                for data in [Some(data), self.ground(data)].into_iter().flatten() {
                    let in_frame = InstanceRanges::in_frame;
                    self.draw_with(pass, data, in_frame, |part, level| {
                        data.surface(part, level)
                    });
                    if data.marks_reversed {
                        let marked =
                            |part: &Part, _| (part.reversed.clone(), data.reversed(part.holes));
                        self.draw_with(pass, data, in_frame, marked);
                    }
                }
            }
            Phase::Lines if data.draws_wireframe => {
                let edges = |part: &Part, _| (part.indices.clone(), data.wireframe());
                self.draw_with(pass, data, InstanceRanges::in_frame, edges);
            }
            Phase::Background | Phase::Transparent | Phase::Lines => {}
        }
    }

    fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }
}

impl ContentData for ModelData {
    fn gpu_bytes(&self) -> u64 {
        self.mesh.gpu_bytes() + self.instances.gpu_bytes()
    }

    fn take_new_shadow(&mut self) -> bool {
        std::mem::take(&mut self.has_new_shadow)
    }

    fn level_of_detail(&self, shown: &Shown, pixels_per_unit: f32) -> usize {
        if shows_mesh(shown) {
            return 0;
        }
        self.mesh
            .level_of_detail(MAX_ERROR_PIXELS / pixels_per_unit)
    }

    fn background(&self) -> Background {
        Background::Studio
    }
}

impl ModelData {
    /// Shows the model this many times; as before where there is no room for so many.
    fn set_instances(
        &mut self,
        gpu: &Gpu,
        model: &Model,
        instances: &[Instance],
        ranges: &LevelRanges,
    ) {
        let (mesh, marks) = (&self.mesh, &self.marks.buffer);
        match self.instances.set(gpu, model, mesh, marks, instances) {
            Ok(()) => self.ranges.clone_from(ranges),
            Err(error) => log::error!("{error}"),
        }
    }

    /// Sends what shaders must know of what is shown, as far as it has changed.
    fn update(&mut self, gpu: &Gpu, model: &Model, local: &LocalView<'_>) {
        let shown = &local.view.shown;
        self.set_instances(gpu, model, local.instances, local.ranges);
        self.look = look(model, shown);
        self.marks_reversed = self.look.surface == Surface::Reversed;
        if self.marks_reversed {
            // All others are as ever.
            self.look.surface = Surface::Lit;
        }
        let is_lit = matches!(self.look.surface, Surface::Lit | Surface::BackFaces);
        self.in_shadow = local.casters.is_some() && is_lit;
        self.draws_wireframe = gpu.draws_wireframe(shown);
        self.engine_textures = shown.overlays.contains(OverlayId::EngineTextures);
        self.draws_ground = shown.overlays.contains(OverlayId::GroundTile);
        self.marks.write(gpu, marks(shown));
    }

    /// Has its instances drawn from now on.
    fn bind(&self, pass: &mut FramePass<'_>) {
        self.instances.bind(pass);
        pass.set_vertex_buffer(0, self.mesh.vertices.slice(..));
        pass.set_index_buffer(self.mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
    }

    fn pipeline(&self, holes: bool) -> Pipeline {
        self.drawing(Draws::Surface {
            look: self.look,
            holes,
            in_shadow: self.in_shadow,
        })
    }

    /// What is drawn of a part, and how: without its reversed triangles where these stand out.
    fn surface(&self, part: &Part, level: usize) -> (Range<u32>, Pipeline) {
        let mut indices = part.level(level);
        if self.marks_reversed {
            indices.end = part.reversed.start;
        }
        (indices, self.pipeline(part.holes))
    }

    /// Reversed triangles that stand out, from both sides.
    fn reversed(&self, holes: bool) -> Pipeline {
        let look = Look {
            surface: Surface::Reversed,
            ..Look::plain(true)
        };
        self.drawing(Draws::Surface {
            look,
            holes,
            in_shadow: false,
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
        let is_posed = self.mesh.is_posed;
        Pipeline { draws, is_posed }
    }
}

impl Look {
    /// Nothing but the shape.
    fn plain(two_sided: bool) -> Self {
        Self {
            surface: Surface::Lit,
            highlighted: false,
            two_sided,
        }
    }
}

/// Whether an overlay shows what the mesh is made of.
fn shows_mesh(shown: &Shown) -> bool {
    let of_mesh = SURFACES.iter().filter(|(_, it)| *it != Surface::Unlit);
    let mut of_mesh = of_mesh.map(|(overlay, _)| *overlay);
    let is_on = |overlay| shown.overlays.contains(overlay);
    is_on(OverlayId::Wireframe) || of_mesh.any(is_on)
}

fn look(model: &Model, shown: &Shown) -> Look {
    let on = |(id, _): &&(OverlayId, Surface)| shown.overlays.contains(*id);
    let overlay = SURFACES.iter().find(on).map(|(_, surface)| *surface);
    // A joint that moves nothing would only darken everything.
    let moves = |joint: u32| model.moves_vertices(joint as usize);
    let surface = match selected_joint(shown) {
        // Whatever else colours the surface, a joint shows what it moves.
        Some(joint) if !shown.hides_weights && moves(joint) => Surface::Heat,
        _ => overlay.unwrap_or(Surface::Lit),
    };
    Look {
        surface,
        highlighted: selected_material(shown).is_some(),
        two_sided: surface == Surface::BackFaces || shown.overlays.contains(OverlayId::TwoSided),
    }
}

fn marks(shown: &Shown) -> Marks {
    let color = |[r, g, b]: [u8; 3]| {
        let [r, g, b] = [r, g, b].map(|channel| f32::from(channel) / 255.0);
        Vec4::new(r, g, b, 1.0)
    };
    Marks {
        heat: model::HEAT_COLORS.map(color),
        back_face: color(mapscope_scene::colors::BACK_FACE),
        reversed: color(model::REVERSED_COLOR),
        joint: selected_joint(shown).unwrap_or(NOTHING),
        material: selected_material(shown).unwrap_or(NOTHING),
        padding: [0; 2],
    }
}

fn selected_joint(shown: &Shown) -> Option<u32> {
    match shown.selected {
        Some(Item::Model(ModelItem::Joint { index })) => Some(index),
        _ => None,
    }
}

fn selected_material(shown: &Shown) -> Option<u32> {
    match shown.selected {
        Some(Item::Model(ModelItem::Material { index })) => Some(index),
        _ => None,
    }
}
