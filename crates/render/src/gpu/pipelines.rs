//! Pipelines: their options, and a cache for each renderer.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use wgpu::naga::ShaderStage;

use super::{COLOR_FORMAT, DEPTH_FORMAT, Gpu, Samples, Shader, Source};

/// Identifies a pipeline of a renderer.
pub(crate) trait PipelineKey: Copy + PartialEq + Send + Sync + 'static {
    /// Creates the pipeline.
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline;
}

/// The parameters that all pipelines of a renderer share.
pub(crate) struct PipelineMaker<'a> {
    pub(crate) gpu: &'a Gpu,
    source: &'a Source,
    layouts: &'a [wgpu::BindGroupLayout],
    is_mirrored: bool,
}

/// The pipelines of a renderer. Each is created when it is first needed, or ahead of that in the
/// background.
#[derive(Debug, Clone)]
pub(crate) struct PipelineCache<K> {
    shader: &'static Shader,
    /// Parsed with the first pipeline.
    source: Arc<OnceLock<Source>>,
    layouts: Vec<wgpu::BindGroupLayout>,
    slots: Vec<Slot<K>>,
    /// Missing pipelines of the next frame.
    requested: Vec<Slot<K>>,
    /// The thread that creates pipelines ahead.
    prefetch: Option<Arc<Prefetch>>,
}

/// The entry of a pipeline in the cache.
#[derive(Debug, Clone)]
struct Slot<K> {
    key: K,
    /// `true` if front faces are mirrored.
    is_mirrored: bool,
    /// Empty until it is created.
    pipeline: Arc<OnceLock<wgpu::RenderPipeline>>,
}

/// Creates a pipeline, in any thread.
pub(crate) type Job = Box<dyn Fn() + Send + Sync>;

/// The pipelines of any renderer.
pub(crate) trait Pipelines {
    /// Adds a job for each missing pipeline of the next frame.
    fn take_requested(&mut self, gpu: &Gpu, jobs: &mut Vec<Job>);

    /// Waits for the pipelines that are being created ahead.
    fn wait_for_pipelines(&mut self);

    /// Recreates all pipelines from the shader on disk, in this thread, where an error scope
    /// catches the errors.
    fn recreate(&mut self, gpu: &Gpu);
}

impl<K: PipelineKey> PipelineCache<K> {
    /// Creates an empty cache. `layouts` are those of bind groups 0, 1 and so on.
    pub(crate) fn new(shader: &'static Shader, layouts: &[&wgpu::BindGroupLayout]) -> Self {
        Self {
            shader,
            source: Arc::default(),
            layouts: layouts.iter().copied().cloned().collect(),
            slots: Vec::new(),
            requested: Vec::new(),
            prefetch: None,
        }
    }

    /// Creates a missing pipeline now. `is_mirrored` inverts the front faces.
    pub(crate) fn create(&mut self, gpu: &Gpu, key: K, is_mirrored: bool) {
        let slot = self.slot(key, is_mirrored);
        slot.fill(gpu, self.shader, &self.source, &self.layouts);
    }

    /// Requests a pipeline for the next frame. All missing ones are created in parallel.
    pub(crate) fn request(&mut self, key: K, is_mirrored: bool) {
        let is_listed = |slot: &Slot<K>| slot.is_for(key, is_mirrored);
        if self.get(key, is_mirrored).is_none() && !self.requested.iter().any(is_listed) {
            let slot = self.slot(key, is_mirrored);
            self.requested.push(slot);
        }
    }

    /// Starts a thread that creates missing pipelines, unless one is still running. Each key comes
    /// with `true` if it is mirrored.
    pub(crate) fn prefetch(&mut self, gpu: &Gpu, keys: impl Iterator<Item = (K, bool)>) {
        if self.prefetch.as_ref().is_some_and(|it| !it.is_done()) {
            return;
        }
        self.prefetch = None;
        let mut missing = Vec::new();
        for (key, is_mirrored) in keys {
            if self.get(key, is_mirrored).is_none() {
                missing.push(self.slot(key, is_mirrored));
            }
        }
        if missing.is_empty() {
            return;
        }
        let fill = self.filler(gpu);
        let work = missing.into_iter().map(move |slot| fill(&slot));
        self.prefetch = Prefetch::begin(work).map(Arc::new);
    }

    /// Returns a pipeline, if it was created.
    pub(crate) fn get(&self, key: K, is_mirrored: bool) -> Option<&wgpu::RenderPipeline> {
        let slot = self.slots.iter().find(|slot| slot.is_for(key, is_mirrored));
        slot?.pipeline.get()
    }

    /// The entry of a pipeline; adds it if necessary.
    fn slot(&mut self, key: K, is_mirrored: bool) -> Slot<K> {
        if let Some(slot) = self.slots.iter().find(|slot| slot.is_for(key, is_mirrored)) {
            return slot.clone();
        }
        let slot = Slot {
            key,
            is_mirrored,
            pipeline: Arc::default(),
        };
        self.slots.push(slot.clone());
        slot
    }

    /// Returns a function that fills entries in any thread.
    fn filler(&self, gpu: &Gpu) -> impl Fn(&Slot<K>) + Clone + Send + Sync + use<K> {
        let (gpu, shader) = (gpu.clone(), self.shader);
        let (source, layouts) = (Arc::clone(&self.source), self.layouts.clone());
        move |slot| slot.fill(&gpu, shader, &source, &layouts)
    }
}

impl<K: PipelineKey> Pipelines for PipelineCache<K> {
    fn take_requested(&mut self, gpu: &Gpu, jobs: &mut Vec<Job>) {
        for slot in std::mem::take(&mut self.requested) {
            let fill = self.filler(gpu);
            jobs.push(Box::new(move || fill(&slot)));
        }
    }

    fn wait_for_pipelines(&mut self) {
        if let Some(mut prefetch) = self.prefetch.take().and_then(Arc::into_inner) {
            prefetch.finish();
        }
    }

    fn recreate(&mut self, gpu: &Gpu) {
        self.source = Arc::default();
        self.prefetch = None;
        for slot in &mut self.slots {
            slot.pipeline = Arc::default();
            slot.fill(gpu, self.shader, &self.source, &self.layouts);
        }
    }
}

impl<K: PipelineKey> Slot<K> {
    fn is_for(&self, key: K, is_mirrored: bool) -> bool {
        self.key == key && self.is_mirrored == is_mirrored
    }

    /// Creates the pipeline, or waits for the thread that is creating it.
    fn fill(
        &self,
        gpu: &Gpu,
        shader: &Shader,
        source: &OnceLock<Source>,
        layouts: &[wgpu::BindGroupLayout],
    ) {
        self.pipeline.get_or_init(|| {
            self.key.create(&PipelineMaker {
                gpu,
                source: source.get_or_init(|| Source::new(&gpu.device, shader)),
                layouts,
                is_mirrored: self.is_mirrored,
            })
        });
    }
}

/// A thread that creates pipelines. Dropping it waits for the thread, since some drivers crash if
/// the program exits while they compile.
#[derive(Debug)]
struct Prefetch {
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Prefetch {
    /// Processes work items one after the other; `None` if no thread could be started.
    fn begin(mut work: impl Iterator<Item = ()> + Send + 'static) -> Option<Self> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let thread = std::thread::Builder::new()
            .name("pipelines".to_owned())
            .spawn(
                move || {
                    while !stop.load(Ordering::Relaxed) && work.next().is_some() {}
                },
            );
        let thread = Some(thread.ok()?);
        Some(Self { is_stopped, thread })
    }

    fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the end of the work, or of the current item if it was stopped.
    fn finish(&mut self) {
        // After a panic the missing pipelines are created when they are needed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.finish();
    }
}

/// Depth bias of shadow casters away from the sun, in texels of the shadow map along the slope.
const SHADOW_SLOPE_BIAS: f32 = 1.5;

/// Options of a pipeline.
pub(crate) struct PipelineOptions<'a> {
    pub(crate) vertex: &'a str,
    /// The fragment shader; `None` if only depth is drawn.
    pub(crate) fragment: Option<&'a str>,
    /// `true` if only depth is drawn.
    pub(crate) is_depth_only: bool,
    /// The vertex and instance buffers.
    pub(crate) vertices: [Option<wgpu::VertexBufferLayout<'a>>; 2],
    /// The bind groups that it uses.
    pub(crate) groups: Range<usize>,
    pub(crate) depth_write: bool,
    /// The depth comparison; `None` without a depth texture.
    pub(crate) depth_compare: Option<wgpu::CompareFunction>,
    /// Format of the colour target.
    pub(crate) color_format: wgpu::TextureFormat,
    pub(crate) blend: Option<wgpu::BlendState>,
    pub(crate) cull: bool,
    pub(crate) wireframe: bool,
    /// Depth bias: constant, and scaled by the slope.
    pub(crate) depth_bias: (i32, f32),
    pub(crate) constants: &'a [(&'a str, f64)],
}

impl<'a> PipelineOptions<'a> {
    /// Opaque triangles with back-face culling.
    pub(crate) fn new(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            vertex,
            fragment: Some(fragment),
            is_depth_only: false,
            vertices: [None, None],
            groups: 0..usize::MAX,
            depth_write: true,
            // Depth is reversed.
            depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
            color_format: COLOR_FORMAT,
            blend: None,
            cull: true,
            wireframe: false,
            depth_bias: (0, 0.0),
            constants: &[],
        }
    }

    /// A background: drawn only where nothing else was drawn.
    pub(crate) fn background(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            depth_compare: Some(wgpu::CompareFunction::Equal),
            blend: None,
            ..Self::blended(vertex, fragment)
        }
    }

    /// Alpha-blended triangles, seen from both sides.
    pub(crate) fn blended(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth_write: false,
            cull: false,
            ..Self::new(vertex, fragment)
        }
    }

    /// Shadow casters, seen from both sides. `fragment` discards holes.
    pub(crate) fn shadow_caster(vertex: &'a str, fragment: Option<&'a str>) -> Self {
        Self {
            fragment,
            is_depth_only: true,
            cull: false,
            // Away from the sun, so that no surface shades itself.
            depth_bias: (0, -SHADOW_SLOPE_BIAS),
            ..Self::new(vertex, "")
        }
    }

    /// Wireframes.
    pub(crate) fn wireframe(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            wireframe: true,
            // In front of the triangles that they bound.
            depth_bias: (40, 1.0),
            cull: true,
            ..Self::blended(vertex, fragment)
        }
    }
}

/// The value of a boolean pipeline constant.
pub(crate) fn flag(is_on: bool) -> f64 {
    f64::from(u8::from(is_on))
}

impl PipelineMaker<'_> {
    /// Creates a pipeline that draws a frame or fills a texture.
    pub(crate) fn create(&self, options: &PipelineOptions<'_>) -> wgpu::RenderPipeline {
        let Self { gpu, source, .. } = *self;
        let layouts: Vec<Option<&wgpu::BindGroupLayout>> = self
            .layouts
            .iter()
            .enumerate()
            .take(options.groups.end)
            .map(|(group, layout)| options.groups.contains(&group).then_some(layout))
            .collect();
        let label = options.fragment.unwrap_or(options.vertex);
        // Shadow maps and other textures have one sample.
        let is_of_frame = options.depth_compare.is_some() && !options.is_depth_only;
        let samples = if is_of_frame {
            gpu.samples
        } else {
            Samples::One
        };
        let layout = gpu
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: &layouts,
                immediate_size: 0,
            });
        let stage =
            |stage, entry_point| source.stage(&gpu.device, stage, entry_point, options.constants);
        let vertex = stage(ShaderStage::Vertex, options.vertex);
        let fragment = options
            .fragment
            .map(|entry_point| stage(ShaderStage::Fragment, entry_point));
        let targets = [Some(wgpu::ColorTargetState {
            format: options.color_format,
            blend: options.blend,
            write_mask: wgpu::ColorWrites::ALL,
        })];
        gpu.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(label),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &vertex.module,
                    entry_point: Some(options.vertex),
                    compilation_options: vertex.compilation_options(),
                    buffers: &options.vertices,
                },
                primitive: wgpu::PrimitiveState {
                    // Views are mirrored: what is counter-clockwise in the world is clockwise in
                    // the frame (fact sheet 0).
                    front_face: if self.is_mirrored {
                        wgpu::FrontFace::Ccw
                    } else {
                        wgpu::FrontFace::Cw
                    },
                    cull_mode: options.cull.then_some(wgpu::Face::Back),
                    polygon_mode: if options.wireframe {
                        wgpu::PolygonMode::Line
                    } else {
                        wgpu::PolygonMode::Fill
                    },
                    ..Default::default()
                },
                depth_stencil: options
                    .depth_compare
                    .map(|compare| wgpu::DepthStencilState {
                        format: DEPTH_FORMAT,
                        depth_write_enabled: Some(options.depth_write),
                        depth_compare: Some(compare),
                        stencil: wgpu::StencilState::default(),
                        bias: wgpu::DepthBiasState {
                            constant: options.depth_bias.0,
                            slope_scale: options.depth_bias.1,
                            clamp: 0.0,
                        },
                    }),
                multisample: wgpu::MultisampleState {
                    count: samples.count(),
                    ..Default::default()
                },
                fragment: fragment.as_ref().map(|fragment| wgpu::FragmentState {
                    module: &fragment.module,
                    entry_point: options.fragment,
                    compilation_options: fragment.compilation_options(),
                    targets: if options.is_depth_only { &[] } else { &targets },
                }),
                multiview_mask: None,
                cache: None,
            })
    }
}

/// Views are mirrored: counter-clockwise triangles of the world are clockwise in the frame (fact
/// sheet 0).
pub(crate) fn vertex_layout<T>(
    step_mode: wgpu::VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> wgpu::VertexBufferLayout<'_> {
    wgpu::VertexBufferLayout {
        array_stride: size_of::<T>() as u64,
        step_mode,
        attributes,
    }
}
