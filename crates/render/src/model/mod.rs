//! Models: meshes that joints move.
//!
//! The mesh, the textures and the pipelines of a model are there once, however often it is drawn:
//! each of its instances has its own place in the world and its own joint palette, and all of them
//! are drawn together, material by material.

mod instances;
mod mesh;

use super::frame::{FrameData, FrameRenderer};
use super::resources::{
    PipelineOptions, create_pipeline, sampler_entry, storage_entry, texture_entry, uniform_entry,
};
use super::shaders::MODEL;
use super::{DrawStatistics, Gpu, UploadError};
use mapscope_scene::model::instances::Instance;
use mapscope_scene::model::mesh::MeshVertex;
use mapscope_scene::model::{self, Model};
use mapscope_scene::registry::{self, OpenOptions, Progress};
use mapscope_scene::{Drawable, Shown, demo};

use self::instances::Crowd;
use self::mesh::ModelMesh;

mod gpu_data {
    use glam::Vec4;

    /// Keep in sync with `Marks` in `model.wgsl`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    pub(super) struct Marks {
        pub(super) heat: [Vec4; 5],
        pub(super) back_face: Vec4,
        pub(super) joint: u32,
        pub(super) material: u32,
        pub(super) padding: [u32; 2],
    }

    const _: () = assert!(size_of::<Marks>() == 112, "model.wgsl has 112 bytes");

    /// Stands for no joint and no material.
    pub(super) const NOTHING: u32 = u32::MAX;
}

/// How the surface is coloured; the numbers are those of `SURFACE_*` in the shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surface {
    Lit = 0,
    Unlit = 1,
    Normals = 2,
    UvChecker = 3,
    BackFaces = 4,
    JointWeights = 5,
    Heat = 6,
}

/// Overlays that colour the surface.
const SURFACES: [(&str, Surface); 5] = [
    ("unlit", Surface::Unlit),
    ("normals", Surface::Normals),
    ("uv-checker", Surface::UvChecker),
    ("back-faces", Surface::BackFaces),
    ("joint-weights", Surface::JointWeights),
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
struct PipelineKey {
    look: Look,
    /// Whether textures may have holes.
    holes: bool,
    /// Whether it draws the edges of the triangles alone.
    wireframe: bool,
}

/// Draws models.
#[derive(Debug)]
pub(super) struct ModelRenderer {
    /// Of bind group 1.
    layout: wgpu::BindGroupLayout,
    /// Of bind group 2.
    material_layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// Made when they are first needed.
    pipelines: Vec<(PipelineKey, wgpu::RenderPipeline)>,
}

/// A model on the GPU, with its instances.
#[derive(Debug)]
pub(super) struct ModelData {
    mesh: ModelMesh,
    crowd: Crowd,
    /// Whether there is one instance, which shows the moment that the view asks for.
    follows_view: bool,
    marks: wgpu::Buffer,
    /// What `marks` holds.
    written_marks: gpu_data::Marks,
    /// How the next picture is drawn.
    look: Look,
}

impl ModelRenderer {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            let label = Some(label);
            gpu.device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries })
        };
        Self {
            layout: layout(
                "model",
                &[
                    storage_entry(0),
                    storage_entry(1),
                    storage_entry(2),
                    storage_entry(3),
                    uniform_entry(4),
                ],
            ),
            material_layout: layout(
                "material",
                &[
                    uniform_entry(0),
                    texture_entry(1, wgpu::TextureViewDimension::D2),
                    sampler_entry(2),
                ],
            ),
            sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("model"),
                address_mode_u: wgpu::AddressMode::Repeat,
                address_mode_v: wgpu::AddressMode::Repeat,
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                // A processor that stands in for a graphics card pays for every lookup.
                anisotropy_clamp: if gpu.is_processor() { 1 } else { 8 },
                ..Default::default()
            }),
            pipelines: Vec::new(),
        }
    }

    /// The same with shaders as they now are on disk.
    pub(super) fn reloaded(&self, gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let mut renderer = Self {
            layout: self.layout.clone(),
            material_layout: self.material_layout.clone(),
            sampler: self.sampler.clone(),
            pipelines: Vec::new(),
        };
        for (key, _) in &self.pipelines {
            renderer.make_pipeline(gpu, frame, *key);
        }
        renderer
    }

    fn make_pipeline(&mut self, gpu: &Gpu, frame: &FrameRenderer, key: PipelineKey) {
        if self.pipeline(key).is_some() {
            return;
        }
        let on = |on: bool| f64::from(u8::from(on));
        let constants = [
            ("SURFACE", f64::from(key.look.surface as u8)),
            ("HOLES", on(key.holes)),
            ("HIGHLIGHTED", on(key.look.highlighted)),
        ];
        let attributes = wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Snorm16x2, 2 => Float32x2, 3 => Uint32
        ];
        let pipeline = create_pipeline(
            gpu,
            &MODEL.module(&gpu.device),
            &[&frame.layout, &self.layout, &self.material_layout],
            &PipelineOptions {
                vertices: Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<MeshVertex>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &attributes,
                }),
                cull: !key.look.two_sided,
                wireframe: key.wireframe,
                blend: key.wireframe.then_some(wgpu::BlendState::ALPHA_BLENDING),
                depth_write: !key.wireframe,
                constants: &constants,
                ..PipelineOptions::new(
                    "vs_model",
                    if key.wireframe {
                        "fs_model_wire"
                    } else {
                        "fs_model"
                    },
                )
            },
        );
        self.pipelines.push((key, pipeline));
    }

    fn pipeline(&self, key: PipelineKey) -> Option<&wgpu::RenderPipeline> {
        let found = self.pipelines.iter().find(|(other, _)| *other == key);
        found.map(|(_, pipeline)| pipeline)
    }

    /// Puts a model on the GPU: one instance of it, which stands where the file has it.
    pub(super) fn upload(&self, gpu: &Gpu, model: &Model) -> Result<ModelData, UploadError> {
        let mesh = ModelMesh::upload(gpu, &self.material_layout, &self.sampler, model)?;
        let marks = marks(&Shown::default());
        let marks_buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("marks"),
            size: size_of::<gpu_data::Marks>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue
            .write_buffer(&marks_buffer, 0, bytemuck::bytes_of(&marks));
        Ok(ModelData {
            crowd: Crowd::new(gpu, &self.layout, &mesh, &marks_buffer, model)?,
            mesh,
            follows_view: true,
            marks: marks_buffer,
            written_marks: marks,
            look: look(model, &Shown::default()),
        })
    }

    /// Puts the ground that models stand on, on the GPU: none, with a word in the log, if the one
    /// that is built in is broken.
    pub(super) fn upload_ground(&self, gpu: &Gpu) -> Option<ModelData> {
        let ground = registry::open(
            &demo::ground(),
            &OpenOptions::default(),
            &Progress::default(),
        );
        let ground = ground
            .inspect_err(|error| log::error!("the ground tile: {error}"))
            .ok()?;
        let Drawable::Model(model) = ground.drawable() else {
            return None;
        };
        let data = self.upload(gpu, model);
        let mut data = data
            .inspect_err(|error| log::error!("the ground tile: {error}"))
            .ok()?;
        data.prepare(gpu, model, &Shown::default());
        Some(data)
    }

    /// Makes what a picture of a model needs and is not there yet.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        frame: &FrameRenderer,
        data: &ModelData,
        shown: &Shown,
    ) {
        let wireframe = shown.overlays.contains("wireframe") && gpu.draws_wireframes();
        for part in &data.mesh.parts {
            self.make_pipeline(gpu, frame, data.key(part.holes));
        }
        if wireframe {
            self.make_pipeline(gpu, frame, data.wireframe_key());
        }
    }

    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        data: &ModelData,
        statistics: &mut DrawStatistics,
    ) {
        self.draw_with(pass, frame, data, statistics, |holes| data.key(holes));
    }

    /// Draws the edges of all triangles, where the device can.
    pub(super) fn draw_wireframe(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        data: &ModelData,
        statistics: &mut DrawStatistics,
    ) {
        self.draw_with(pass, frame, data, statistics, |_| data.wireframe_key());
    }

    fn draw_with(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        data: &ModelData,
        statistics: &mut DrawStatistics,
        key: impl Fn(bool) -> PipelineKey,
    ) {
        let instances = data.crowd.len();
        if instances == 0 {
            return;
        }
        pass.set_bind_group(0, &frame.bind_group, &[]);
        pass.set_bind_group(1, data.crowd.bind_group(), &[]);
        pass.set_vertex_buffer(0, data.mesh.vertices.slice(..));
        pass.set_index_buffer(data.mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
        for part in &data.mesh.parts {
            let Some(pipeline) = self.pipeline(key(part.holes)) else {
                continue;
            };
            pass.set_pipeline(pipeline);
            pass.set_bind_group(2, &part.material, &[]);
            pass.draw_indexed(part.indices.clone(), 0, 0..instances);
            statistics.draw_calls += 1;
            statistics.triangles += part.indices.len() as u64 / 3 * u64::from(instances);
        }
    }
}

impl ModelData {
    pub(super) fn gpu_bytes(&self) -> u64 {
        self.mesh.gpu_bytes + self.crowd.gpu_bytes()
    }

    /// Shows these instances from now on, instead of one that follows the view.
    pub(super) fn set_instances(
        &mut self,
        gpu: &Gpu,
        model: &Model,
        instances: &[Instance],
    ) -> Result<(), UploadError> {
        self.follows_view = false;
        self.crowd
            .set(gpu, model, &self.mesh, &self.marks, instances)
    }

    /// Sends what shaders must know of what is shown, as far as it has changed.
    pub(super) fn prepare(&mut self, gpu: &Gpu, model: &Model, shown: &Shown) {
        if self.follows_view {
            let instance = Instance::in_place(shown.playhead);
            let one = std::slice::from_ref(&instance);
            let set = self.crowd.set(gpu, model, &self.mesh, &self.marks, one);
            if let Err(error) = set {
                // There has been room for one since the upload.
                log::error!("{error}");
            }
        }
        self.look = look(model, shown);
        let marks = marks(shown);
        if marks != self.written_marks {
            gpu.queue
                .write_buffer(&self.marks, 0, bytemuck::bytes_of(&marks));
            self.written_marks = marks;
        }
    }

    fn key(&self, holes: bool) -> PipelineKey {
        PipelineKey {
            look: self.look,
            holes,
            wireframe: false,
        }
    }

    /// Edges look the same on all surfaces.
    fn wireframe_key(&self) -> PipelineKey {
        PipelineKey {
            look: Look {
                surface: Surface::Lit,
                highlighted: false,
                two_sided: self.look.two_sided,
            },
            holes: false,
            wireframe: true,
        }
    }
}

fn look(model: &Model, shown: &Shown) -> Look {
    let on = |(id, _): &&(&str, Surface)| shown.overlays.contains(id);
    let overlay = SURFACES.iter().find(on).map(|(_, surface)| *surface);
    // A joint that moves nothing would only darken everything.
    let moves = |joint: u32| model.moves_vertices(joint as usize);
    let surface = match index_of(shown, "joint") {
        // Whatever else colours the surface, a joint shows what it moves.
        Some(joint) if !shown.hides_weights && moves(joint) => Surface::Heat,
        _ => overlay.unwrap_or(Surface::Lit),
    };
    Look {
        surface,
        highlighted: index_of(shown, "material").is_some(),
        two_sided: surface == Surface::BackFaces || shown.overlays.contains("two-sided"),
    }
}

fn marks(shown: &Shown) -> gpu_data::Marks {
    let color = |[r, g, b]: [u8; 3]| {
        let [r, g, b] = [r, g, b].map(|channel| f32::from(channel) / 255.0);
        glam::Vec4::new(r, g, b, 1.0)
    };
    gpu_data::Marks {
        heat: model::HEAT_COLORS.map(color),
        back_face: color(model::BACK_FACE_COLOR),
        joint: index_of(shown, "joint").unwrap_or(gpu_data::NOTHING),
        material: index_of(shown, "material").unwrap_or(gpu_data::NOTHING),
        padding: [0; 2],
    }
}

/// The index of what is selected, if it is of a kind.
fn index_of(shown: &Shown, kind: &str) -> Option<u32> {
    let item = shown.selected.filter(|item| item.kind == kind)?;
    u32::try_from(item.index).ok()
}
