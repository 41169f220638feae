//! Pipelines, bind groups, buffers and textures: what all renderers make of the device.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use wgpu::naga::ShaderStage;

use super::shaders::Shader;
use super::specialize::Source;
use super::target::DEPTH_FORMAT;
use super::{COLOR_FORMAT, Gpu, Samples, UploadError};
use mapscope_scene::assets::Texture;

/// What a pipeline is made for.
pub(super) trait PipelineKey: Copy + PartialEq + Send + Sync + 'static {
    /// Makes the pipeline.
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline;
}

/// What the pipelines of a renderer have in common.
pub(super) struct PipelineMaker<'a> {
    pub(super) gpu: &'a Gpu,
    source: &'a Source,
    layouts: &'a [wgpu::BindGroupLayout],
    is_mirrored: bool,
}

/// The pipelines of a renderer. Each is made when it is first needed, or before that in a thread of
/// its own.
#[derive(Debug, Clone)]
pub(super) struct PipelineCache<K> {
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
pub(super) type Job = Box<dyn Fn() + Send + Sync>;

/// The pipelines of a renderer, whatever it draws.
pub(super) trait Pipelines {
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
    pub(super) fn new(shader: &'static Shader, layouts: &[&wgpu::BindGroupLayout]) -> Self {
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
    pub(super) fn make(&mut self, gpu: &Gpu, key: K, is_mirrored: bool) {
        let slot = self.slot(key, is_mirrored);
        slot.fill(gpu, self.shader, &self.source, &self.layouts);
    }

    /// Has a pipeline made before the next frame, beside all others that are needed for it.
    pub(super) fn need(&mut self, key: K, is_mirrored: bool) {
        let is_listed = |slot: &Slot<K>| slot.is_for(key, is_mirrored);
        if self.get(key, is_mirrored).is_none() && !self.needed.iter().any(is_listed) {
            let slot = self.slot(key, is_mirrored);
            self.needed.push(slot);
        }
    }

    /// Begins to make the pipelines that are not there yet in a thread, unless it is still at others.
    /// `keys` come with whether they are mirrored.
    pub(super) fn make_ahead(&mut self, gpu: &Gpu, keys: impl Iterator<Item = (K, bool)>) {
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
    pub(super) fn get(&self, key: K, is_mirrored: bool) -> Option<&wgpu::RenderPipeline> {
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
pub(super) struct PipelineOptions<'a> {
    pub(super) vertex: &'a str,
    /// The shader of its pixels; none where their depth is all that is drawn.
    pub(super) fragment: Option<&'a str>,
    /// Whether it draws depth alone.
    pub(super) is_depth_only: bool,
    /// The buffers of vertices or instances.
    pub(super) vertices: [Option<wgpu::VertexBufferLayout<'a>>; 2],
    /// Which bind groups it has.
    pub(super) groups: Range<usize>,
    pub(super) depth_write: bool,
    /// How depths are compared; none to draw on a texture without depth.
    pub(super) depth_compare: Option<wgpu::CompareFunction>,
    /// Of the texture that is drawn on.
    pub(super) color_format: wgpu::TextureFormat,
    pub(super) blend: Option<wgpu::BlendState>,
    pub(super) cull: bool,
    pub(super) wireframe: bool,
    /// By how much depth is off, in units and with the slope.
    pub(super) depth_bias: (i32, f32),
    pub(super) constants: &'a [(&'a str, f64)],
}

impl<'a> PipelineOptions<'a> {
    /// Opaque triangles that hide what is behind them and are seen from outside only.
    pub(super) fn new(vertex: &'a str, fragment: &'a str) -> Self {
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
    pub(super) fn behind_all(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            depth_compare: Some(wgpu::CompareFunction::Equal),
            blend: None,
            ..Self::blended(vertex, fragment)
        }
    }

    /// What is mixed with what is behind it, and seen from both sides.
    pub(super) fn blended(vertex: &'a str, fragment: &'a str) -> Self {
        Self {
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth_write: false,
            cull: false,
            ..Self::new(vertex, fragment)
        }
    }

    /// What the sun sees of triangles, from whichever side; `fragment` discards what is a hole.
    pub(super) fn casting(vertex: &'a str, fragment: Option<&'a str>) -> Self {
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
    pub(super) fn edges(vertex: &'a str, fragment: &'a str) -> Self {
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
pub(super) fn on(on: bool) -> f64 {
    f64::from(u8::from(on))
}

impl PipelineMaker<'_> {
    /// Makes a pipeline that draws a frame or fills a texture.
    pub(super) fn create(&self, options: &PipelineOptions<'_>) -> wgpu::RenderPipeline {
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
pub(super) fn vertex_layout<T>(
    step_mode: wgpu::VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> wgpu::VertexBufferLayout<'_> {
    wgpu::VertexBufferLayout {
        array_stride: size_of::<T>() as u64,
        step_mode,
        attributes,
    }
}

/// A buffer of values that shaders know by a name. What it holds is not sent again.
#[derive(Debug)]
pub(super) struct Uniform<T> {
    pub(super) buffer: wgpu::Buffer,
    written: Option<T>,
}

impl<T: bytemuck::Pod + PartialEq> Uniform<T> {
    pub(super) fn new(gpu: &Gpu, label: &str) -> Self {
        let size = size_of::<T>() as u64;
        Self {
            buffer: buffer(gpu, label, size, wgpu::BufferUsages::UNIFORM),
            written: None,
        }
    }

    pub(super) fn write(&mut self, gpu: &Gpu, value: T) {
        if self.written != Some(value) {
            let bytes = bytemuck::bytes_of(&value);
            gpu.queue.write_buffer(&self.buffer, 0, bytes);
            self.written = Some(value);
        }
    }
}

/// A buffer of things of one size that grows with their number.
#[derive(Debug)]
pub(super) struct GrowingBuffer {
    what: &'static str,
    bytes_each: usize,
    pub(super) buffer: wgpu::Buffer,
}

impl GrowingBuffer {
    /// One without room.
    pub(super) fn new(
        gpu: &Gpu,
        what: &'static str,
        bytes_each: usize,
        usage: wgpu::BufferUsages,
    ) -> Self {
        Self {
            what,
            bytes_each,
            // No binding may be empty.
            buffer: buffer(gpu, what, 16, usage),
        }
    }

    /// Makes room for so many things; says whether the buffer is another one now, which is empty.
    pub(super) fn reserve(&mut self, gpu: &Gpu, count: usize) -> Result<bool, UploadError> {
        let bytes = |count: usize| (count * self.bytes_each) as u64;
        if bytes(count) <= self.buffer.size() {
            return Ok(false);
        }
        check_size(gpu, self.what, bytes(count))?;
        // Where there is no room to grow into, there is enough.
        let room = bytes(count.next_power_of_two());
        let size = room.min(gpu.max_storage_bytes() & !15).max(bytes(count));
        self.buffer = buffer(gpu, self.what, size, self.buffer.usage());
        Ok(true)
    }

    /// Writes so many things, for which there must be room, straight into what is sent to the GPU.
    pub(super) fn write<T>(
        &self,
        gpu: &Gpu,
        count: usize,
        things: impl Iterator<Item = T>,
        mut write: impl FnMut(T, &mut wgpu::WriteOnly<'_, [u8]>),
    ) {
        let size = NonZero::new((count * self.bytes_each) as u64);
        let view = size.and_then(|size| gpu.queue.write_buffer_with(&self.buffer, 0, size));
        let Some(mut view) = view else {
            return;
        };
        let mut rest = view.slice(..);
        for thing in things {
            if let Some(mut bytes) = rest.split_off(..self.bytes_each) {
                write(thing, &mut bytes);
            }
        }
    }
}

/// The values of a draw.
pub(super) const UNIFORM: wgpu::BindingType = buffer_type(wgpu::BufferBindingType::Uniform);
/// A list that shaders read.
pub(super) const STORAGE: wgpu::BindingType =
    buffer_type(wgpu::BufferBindingType::Storage { read_only: true });
/// A texture.
pub(super) const TEXTURE: wgpu::BindingType = texture_type(wgpu::TextureViewDimension::D2);
/// A list of numbers: see [`DataTexture`](super::data_texture::DataTexture).
pub(super) const FLOAT_LIST: wgpu::BindingType =
    flat_texture_type(wgpu::TextureSampleType::Float { filterable: false });
/// The same of whole numbers.
pub(super) const UINT_LIST: wgpu::BindingType = flat_texture_type(wgpu::TextureSampleType::Uint);
/// An array of textures.
pub(super) const TEXTURE_ARRAY: wgpu::BindingType =
    texture_type(wgpu::TextureViewDimension::D2Array);
/// A texture that surrounds everything.
pub(super) const CUBE_TEXTURE: wgpu::BindingType = texture_type(wgpu::TextureViewDimension::Cube);
/// A texture of depths that others are compared with.
pub(super) const DEPTH_TEXTURE: wgpu::BindingType =
    flat_texture_type(wgpu::TextureSampleType::Depth);
/// What compares with it.
pub(super) const COMPARISON: wgpu::BindingType =
    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
/// What a texture is filtered with.
pub(super) const SAMPLER: wgpu::BindingType =
    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);

const fn buffer_type(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

const fn texture_type(view_dimension: wgpu::TextureViewDimension) -> wgpu::BindingType {
    texture_of(
        wgpu::TextureSampleType::Float { filterable: true },
        view_dimension,
    )
}

const fn flat_texture_type(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    texture_of(sample_type, wgpu::TextureViewDimension::D2)
}

const fn texture_of(
    sample_type: wgpu::TextureSampleType,
    view_dimension: wgpu::TextureViewDimension,
) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled: false,
    }
}

/// The layout of a bind group: its bindings in order, which both stages see.
pub(super) fn bind_group_layout(
    gpu: &Gpu,
    label: &str,
    bindings: &[wgpu::BindingType],
) -> wgpu::BindGroupLayout {
    let entries = bindings.iter().zip(0..);
    let entries: Vec<_> = entries
        .map(|(ty, binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: *ty,
            count: None,
        })
        .collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
}

/// A bind group of some resources in order.
pub(super) fn bind_group<'a>(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries = resources.into_iter().zip(0..);
    let entries: Vec<_> = entries
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}

/// A sampler that filters linearly within a mip level.
pub(super) fn sampler(
    gpu: &Gpu,
    label: &str,
    address_mode: wgpu::AddressMode,
    mipmap_filter: wgpu::MipmapFilterMode,
) -> wgpu::Sampler {
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some(label),
        address_mode_u: address_mode,
        address_mode_v: address_mode,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter,
        ..Default::default()
    })
}

/// A buffer that is written to.
pub(super) fn buffer(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Says whether something fits where the device can use it.
pub(super) fn check_size(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<(), UploadError> {
    check_limit(what, bytes, gpu.max_storage_bytes())
}

/// Says whether a buffer that is not bound as a whole fits the device.
pub(super) fn check_buffer_size(
    gpu: &Gpu,
    what: &'static str,
    bytes: u64,
) -> Result<(), UploadError> {
    check_limit(what, bytes, gpu.device.limits().max_buffer_size)
}

/// Says whether so many bytes are within a limit.
pub(super) fn check_limit(what: &'static str, bytes: u64, limit: u64) -> Result<(), UploadError> {
    if bytes > limit {
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Says whether a texture of four bytes a texel fits the device.
pub(super) fn check_texture_size(
    gpu: &Gpu,
    what: &'static str,
    size: [u32; 2],
) -> Result<(), UploadError> {
    let side = u64::from(gpu.device.limits().max_texture_dimension_2d);
    let size = size.map(u64::from);
    if size.iter().any(|of_texture| *of_texture > side) {
        let [bytes, limit] = [size[0] * size[1] * 4, side * side * 4];
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Makes the buffers of a document, and counts their bytes.
pub(super) struct Uploads<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) bytes: u64,
}

impl<'a> Uploads<'a> {
    pub(super) fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, bytes: 0 }
    }

    pub(super) fn buffer(
        &mut self,
        what: &'static str,
        bytes: &[u8],
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, UploadError> {
        check_size(self.gpu, what, bytes.len() as u64)?;
        let buffer = self.gpu.filled_buffer(what, bytes, usage);
        self.bytes += buffer.size();
        Ok(buffer)
    }
}

/// The textures of materials, each there once, however many materials show it.
#[derive(Debug, Default)]
pub(super) struct TextureCache {
    /// By where they are in memory.
    views: BTreeMap<usize, wgpu::TextureView>,
    /// Bytes of GPU memory that they hold.
    pub(super) bytes: u64,
}

impl TextureCache {
    /// A texture with its mip levels.
    pub(super) fn view(
        &mut self,
        gpu: &Gpu,
        label: &str,
        texture: &Arc<Texture>,
    ) -> wgpu::TextureView {
        let view = self.views.entry(Arc::as_ptr(texture).addr());
        let upload = || {
            let (view, bytes) = upload_mips(gpu, label, texture);
            self.bytes += bytes;
            view
        };
        view.or_insert_with(upload).clone()
    }
}

/// How many layers a texture must have to be an array of so many. OpenGL takes a texture of one layer
/// for none, and a square one of six or twelve for cubes, so that there one layer more is left empty.
pub(super) fn array_layers(gpu: &Gpu, count: u32) -> u32 {
    let is_taken_for_other = count <= 1 || count.is_multiple_of(6);
    count.max(1) + u32::from(gpu.is_opengl() && is_taken_for_other)
}

/// How many layers an array may have.
pub(super) fn max_array_layers(gpu: &Gpu) -> u32 {
    gpu.device.limits().max_texture_array_layers - u32::from(gpu.is_opengl())
}

/// Makes an array of textures, each with its mip levels, as [`upload_texture`] does.
pub(super) fn upload_array(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    layers: &[&[&[u8]]],
) -> wgpu::TextureView {
    let count = array_layers(gpu, layers.len() as u32);
    let texture = upload_layers(gpu, label, format, (size, count), layers);
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    })
}

/// Makes a texture with its mip levels, and says how many bytes of GPU memory it holds.
pub(super) fn upload_mips(gpu: &Gpu, label: &str, texture: &Texture) -> (wgpu::TextureView, u64) {
    // What is larger than the device allows begins with a smaller level.
    let max_side = gpu.device.limits().max_texture_dimension_2d;
    let fits = |level: &usize| texture.size.iter().all(|side| side >> level <= max_side);
    let first = (0..texture.levels.len()).find(fits).unwrap_or_default();
    let size = texture.size.map(|side| (side >> first).max(1));
    let levels: Vec<&[u8]> = texture.levels[first..].iter().map(Vec::as_slice).collect();
    let bytes = levels.iter().map(|level| level.len() as u64).sum();
    let texture = upload_texture(gpu, label, COLOR_FORMAT, size, &[&levels]);
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    (view, bytes)
}

/// Makes a texture of some layers, each with its mip levels, the largest first, in rows from the
/// top left without padding.
pub(super) fn upload_texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    layers: &[&[&[u8]]],
) -> wgpu::Texture {
    upload_layers(gpu, label, format, (size, layers.len() as u32), layers)
}

/// The same with room for so many layers.
fn upload_layers(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    (size, count): ([u32; 2], u32),
    layers: &[&[&[u8]]],
) -> wgpu::Texture {
    let levels = layers.iter().map(|levels| levels.len()).min().unwrap_or(1) as u32;
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let texture = texture(gpu, label, format, (size, count, levels), usage);
    for (layer, mips) in (0..).zip(layers) {
        for (level, texels) in (0..levels).zip(*mips) {
            let size = size.map(|side| (side >> level).max(1));
            write_texels(gpu, &texture, (level, [0, 0, layer]), size, texels);
        }
    }
    texture
}

/// Makes an empty texture, of a size and so many layers and mip levels.
pub(super) fn texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    ([width, height], layers, levels): ([u32; 2], u32, u32),
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: layers.max(1),
        },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Sends a rectangle of texels to a mip level of a texture: to its column, row and layer.
pub(super) fn write_texels(
    gpu: &Gpu,
    texture: &wgpu::Texture,
    (mip_level, [x, y, z]): (u32, [u32; 3]),
    [width, height]: [u32; 2],
    texels: &[u8],
) {
    let texel_bytes = texture.format().block_copy_size(None).unwrap_or(4);
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            mip_level,
            origin: wgpu::Origin3d { x, y, z },
            ..texture.as_image_copy()
        },
        texels,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(width * texel_bytes),
            rows_per_image: None,
        },
        wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
    );
}
