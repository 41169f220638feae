//! Pipelines: their options, and a cache of them for each renderer.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use wgpu::naga::ShaderStage;

use super::samples::DEPTH_FORMAT;
use super::specialize::Source;
use super::{COLOR_FORMAT, Gpu, Samples, Shader};

/// What a pipeline is made for.
pub(crate) trait PipelineKey: Copy + PartialEq + Send + Sync + 'static {
    /// Makes the pipeline.
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline;
}

/// What the pipelines of a renderer have in common.
pub(crate) struct PipelineMaker<'a> {
    pub(crate) gpu: &'a Gpu,
    source: &'a Source,
    layouts: &'a [wgpu::BindGroupLayout],
    is_mirrored: bool,
}

/// The pipelines of a renderer. Each is made when it is first needed, or before that in a thread of
/// its own.
#[derive(Debug, Clone)]
pub(crate) struct PipelineCache<K> {
    shader: &'static Shader,
    /// Read with the first pipeline.
    source: Arc<OnceLock<Source>>,
    layouts: Vec<wgpu::BindGroupLayout>,
    slots: Vec<Slot<K>>,
    /// Those that the next frame needs and that are not there yet.
    needed: Vec<Slot<K>>,
    /// What makes pipelines that are not needed yet.
    ahead: Option<Arc<Ahead>>,
}

/// The place of a pipeline.
#[derive(Debug, Clone)]
struct Slot<K> {
    /// What it is for.
    key: K,
    /// Whether that is mirrored.
    is_mirrored: bool,
    /// Empty until it is made.
    pipeline: Arc<OnceLock<wgpu::RenderPipeline>>,
}

/// Makes a pipeline, in any thread.
pub(crate) type Job = Box<dyn Fn() + Send + Sync>;

/// The pipelines of a renderer, whatever it draws.
pub(crate) trait Pipelines {
    /// Adds a job for each that the next frame needs and that is not there yet.
    fn take_needed(&mut self, gpu: &Gpu, jobs: &mut Vec<Job>);

    /// Waits for those that are being made ahead.
    fn finish_ahead(&mut self);

    /// Makes all of them again from the shader as it now is on disk. They are made in this thread, which
    /// is asked for errors.
    fn remake(&mut self, gpu: &Gpu);
}

impl<K: PipelineKey> PipelineCache<K> {
    /// An empty cache; `layouts` are those of bind groups 0, 1 and so on.
    pub(crate) fn new(shader: &'static Shader, layouts: &[&wgpu::BindGroupLayout]) -> Self {
        Self {
            shader,
            source: Arc::default(),
            layouts: layouts.iter().copied().cloned().collect(),
            slots: Vec::new(),
            needed: Vec::new(),
            ahead: None,
        }
    }

    /// Makes a pipeline now, if it is not there yet. What is mirrored has its front faces the other way
    /// round.
    pub(crate) fn make(&mut self, gpu: &Gpu, key: K, is_mirrored: bool) {
        let slot = self.slot(key, is_mirrored);
        slot.fill(gpu, self.shader, &self.source, &self.layouts);
    }

    /// Has a pipeline made before the next frame, beside all others that are needed for it.
    pub(crate) fn need(&mut self, key: K, is_mirrored: bool) {
        let is_listed = |slot: &Slot<K>| slot.is_for(key, is_mirrored);
        if self.get(key, is_mirrored).is_none() && !self.needed.iter().any(is_listed) {
            let slot = self.slot(key, is_mirrored);
            self.needed.push(slot);
        }
    }

    /// Begins to make the pipelines that are not there yet in a thread, unless it is still at others.
    /// `keys` come with whether they are mirrored.
    pub(crate) fn make_ahead(&mut self, gpu: &Gpu, keys: impl Iterator<Item = (K, bool)>) {
        if self.ahead.as_ref().is_some_and(|it| !it.is_done()) {
            return;
        }
        self.ahead = None;
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
        self.ahead = Ahead::begin(work).map(Arc::new);
    }

    /// A pipeline, if it was made.
    pub(crate) fn get(&self, key: K, is_mirrored: bool) -> Option<&wgpu::RenderPipeline> {
        let slot = self.slots.iter().find(|slot| slot.is_for(key, is_mirrored));
        slot?.pipeline.get()
    }

    /// The place of a pipeline.
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

    /// What fills places of pipelines, in any thread.
    fn filler(&self, gpu: &Gpu) -> impl Fn(&Slot<K>) + Clone + Send + Sync + use<K> {
        let (gpu, shader) = (gpu.clone(), self.shader);
        let (source, layouts) = (Arc::clone(&self.source), self.layouts.clone());
        move |slot| slot.fill(&gpu, shader, &source, &layouts)
    }
}

impl<K: PipelineKey> Pipelines for PipelineCache<K> {
    fn take_needed(&mut self, gpu: &Gpu, jobs: &mut Vec<Job>) {
        for slot in std::mem::take(&mut self.needed) {
            let fill = self.filler(gpu);
            jobs.push(Box::new(move || fill(&slot)));
        }
    }

    fn finish_ahead(&mut self) {
        if let Some(mut ahead) = self.ahead.take().and_then(Arc::into_inner) {
            ahead.finish();
        }
    }

    fn remake(&mut self, gpu: &Gpu) {
        self.source = Arc::default();
        self.ahead = None;
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

    /// Makes the pipeline, or waits for it where another thread is making it.
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

/// A thread that makes pipelines. It is waited for when it is no longer wanted, since drivers do not
/// bear that the program ends while they compile.
#[derive(Debug)]
struct Ahead {
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Goes through the pieces of some work one after the other; none where there is no thread for it.
    fn begin(mut work: impl Iterator<Item = ()> + Send + 'static) -> Option<Self> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let thread = std::thread::Builder::new().name("pipelines".to_owned());
        let thread = thread.spawn(
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

    /// Waits until it has done all of its work, or the rest of the piece it is at when it was stopped.
    fn finish(&mut self) {
        // If it panicked, what it had not made is made when it is needed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.finish();
    }
}

/// By how much what casts shadows is further from the sun than it is, in texels of the shadow map
/// along its slope.
const SHADOW_SLOPE_BIAS: f32 = 1.5;

/// What pipelines differ in.
pub(crate) struct PipelineOptions<'a> {
    pub(crate) vertex: &'a str,
    /// The shader of its pixels; none where their depth is all that is drawn.
    pub(crate) fragment: Option<&'a str>,
    /// Whether it draws depth alone.
    pub(crate) is_depth_only: bool,
    /// The buffers of vertices or instances.
    pub(crate) vertices: [Option<wgpu::VertexBufferLayout<'a>>; 2],
    /// Which bind groups it has.
    pub(crate) groups: Range<usize>,
    pub(crate) depth_write: bool,
    /// How depths are compared; none to draw on a texture without depth.
    pub(crate) depth_compare: Option<wgpu::CompareFunction>,
    /// Of the texture that is drawn on.
    pub(crate) color_format: wgpu::TextureFormat,
    pub(crate) blend: Option<wgpu::BlendState>,
    pub(crate) cull: bool,
    pub(crate) wireframe: bool,
    /// By how much depth is off, in units and with the slope.
    pub(crate) depth_bias: (i32, f32),
    pub(crate) constants: &'a [(&'a str, f64)],
}

impl<'a> PipelineOptions<'a> {
    /// Opaque triangles that hide what is behind them and are seen from outside only.
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

    /// What is seen where nothing else was drawn.
    pub(crate) fn behind_all(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            depth_compare: Some(wgpu::CompareFunction::Equal),
            blend: None,
            ..Self::blended(vertex, fragment)
        }
    }

    /// What is mixed with what is behind it, and seen from both sides.
    pub(crate) fn blended(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth_write: false,
            cull: false,
            ..Self::new(vertex, fragment)
        }
    }

    /// What the sun sees of triangles, from whichever side; `fragment` discards what is a hole.
    pub(crate) fn casting(vertex: &'a str, fragment: Option<&'a str>) -> Self {
        Self {
            fragment,
            is_depth_only: true,
            cull: false,
            // Away from the sun, so that no surface shades itself.
            depth_bias: (0, -SHADOW_SLOPE_BIAS),
            ..Self::new(vertex, "")
        }
    }

    /// The edges of triangles.
    pub(crate) fn edges(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            wireframe: true,
            // They lie in front of the triangles that they bound.
            depth_bias: (40, 1.0),
            cull: true,
            ..Self::blended(vertex, fragment)
        }
    }
}

/// The value of a constant that switches something on.
pub(crate) fn on(on: bool) -> f64 {
    f64::from(u8::from(on))
}

impl PipelineMaker<'_> {
    /// Makes a pipeline that draws a frame or fills a texture.
    pub(crate) fn create(&self, options: &PipelineOptions<'_>) -> wgpu::RenderPipeline {
        let Self { gpu, source, .. } = *self;
        let layouts = self.layouts.iter().enumerate().take(options.groups.end);
        let layouts: Vec<Option<&wgpu::BindGroupLayout>> = layouts
            .map(|(group, layout)| options.groups.contains(&group).then_some(layout))
            .collect();
        let label = options.fragment.unwrap_or(options.vertex);
        // Shadow maps and other textures have one.
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
                    // The view is mirrored, so what is counter-clockwise from outside in the world
                    // is clockwise in the frame (fact sheet 0).
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

/// The layout of a buffer of vertices or instances.
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
