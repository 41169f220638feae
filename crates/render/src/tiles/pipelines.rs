//! The pipelines of 2D maps. Most layers need few features of the shader, which runs for every
//! pixel: the others are left out of their pipeline.

use super::gpu_data;
use crate::resources::{PipelineKey, PipelineOptions, create_pipeline};
use crate::{COLOR_FORMAT, Gpu};

/// Into how many parts what is seen in a pixel is divided where one looks flatly at a layer, so that
/// it is sharp.
const MAX_PARTS: f64 = 4.0;

/// How a layer is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampling {
    /// Flat, every pixel of the map a square of whole pixels of the picture.
    Exact,
    /// Flat, at any other zoom.
    Smooth,
    /// As a plane in space, with mip levels.
    InSpace,
}

/// What a pipeline is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipeline {
    /// The background of a flat map.
    Backdrop,
    /// Lines around tiles and pixels.
    Lines {
        is_flat: bool,
    },
    Sprites {
        is_exact: bool,
    },
    Layer(Sampling, CellsKey),
    /// The average of every few cells.
    Overview(CellsKey),
    /// A smaller level of it.
    OverviewLevel,
    /// A smaller level of tile pictures.
    PageLevel,
}

/// How cells are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellsKey {
    /// Whether they are colours, not tiles.
    pub(super) are_colors: bool,
    /// Whether they hide what is below, however transparent they are.
    pub(super) opaque: bool,
    pub(super) tinted: bool,
    /// Whether tiles change.
    pub(super) remapped: bool,
    /// Whether some are left out, or something lies around them.
    pub(super) choosy: bool,
    pub(super) wraps: bool,
    pub(super) highlights: bool,
    /// Whether tiles are as high as wide.
    pub(super) square: bool,
    /// Whether several may sampling in a pixel of the picture.
    pub(super) far: bool,
    /// Whether they are in several buffers, and each draw covers the whole picture.
    pub(super) parted: bool,
    /// Whether their colours are stripes.
    pub(super) hatched: bool,
}

impl CellsKey {
    /// The constants of the shader.
    fn constants(self) -> [(&'static str, f64); 11] {
        let Self {
            are_colors,
            opaque,
            tinted,
            remapped,
            choosy,
            wraps,
            highlights,
            square,
            far,
            parted,
            hatched,
        } = self;
        [
            ("COLORS", are_colors),
            ("OPAQUE", opaque),
            ("TINTED", tinted),
            ("REMAPPED", remapped),
            ("CHOOSY", choosy),
            ("WRAPS", wraps),
            ("HIGHLIGHTS", highlights),
            ("SQUARE", square),
            ("FAR", far),
            ("PARTED", parted),
            ("HATCHED", hatched),
        ]
        .map(|(name, on)| (name, f64::from(u8::from(on))))
    }
}

impl PipelineKey for Pipeline {
    fn create(
        self,
        gpu: &Gpu,
        module: &wgpu::ShaderModule,
        layouts: &[wgpu::BindGroupLayout],
    ) -> wgpu::RenderPipeline {
        let over = |vertex, fragment| PipelineOptions {
            depth_write: false,
            depth_compare: wgpu::CompareFunction::Always,
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            cull: false,
            ..PipelineOptions::new(vertex, fragment)
        };
        let create = |options: &PipelineOptions<'_>| create_pipeline(gpu, module, layouts, options);
        // Of the groups of a draw, filling a level needs one.
        let fill = |group: usize, fragment, constants: &[(&str, f64)]| {
            let mut groups = vec![None; group];
            groups.push(layouts.get(group));
            fill_pipeline(gpu, module, &groups, fragment, constants)
        };
        match self {
            Self::Backdrop => create(&PipelineOptions {
                blend: None,
                ..over("vs_backdrop", "fs_backdrop")
            }),
            Self::Lines { is_flat: true } => create(&over("vs_flat", "fs_lines")),
            Self::Lines { is_flat: false } => create(&over("vs_lying", "fs_lying_lines")),
            Self::Sprites { is_exact } => {
                let fragment = if is_exact {
                    "fs_sprite_exact"
                } else {
                    "fs_sprite"
                };
                let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Uint32x3];
                let sprites = wgpu::VertexBufferLayout {
                    array_stride: size_of::<gpu_data::Sprite>() as u64,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &attributes,
                };
                create(&PipelineOptions {
                    vertices: [Some(sprites), None],
                    ..over("vs_sprite", fragment)
                })
            }
            Self::Layer(sampling, cells) => {
                let (vertex, fragment) = match sampling {
                    Sampling::Exact => ("vs_flat", "fs_exact"),
                    Sampling::Smooth => ("vs_flat", "fs_smooth"),
                    Sampling::InSpace => ("vs_lying", "fs_lying"),
                };
                let mut constants = cells.constants().to_vec();
                // A software adapter pays for every lookup.
                if sampling == Sampling::InSpace && !gpu.is_software() {
                    constants.push(("PARTS", MAX_PARTS));
                }
                create(&PipelineOptions {
                    constants: &constants,
                    ..over(vertex, fragment)
                })
            }
            Self::Overview(cells) => fill(1, "fs_overview", &cells.constants()),
            Self::OverviewLevel => fill(2, "fs_overview_level", &[]),
            Self::PageLevel => fill(2, "fs_page_level", &[]),
        }
    }
}

/// A pipeline that fills a level of a texture.
fn fill_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    layouts: &[Option<&wgpu::BindGroupLayout>],
    fragment: &str,
    constants: &[(&str, f64)],
) -> wgpu::RenderPipeline {
    let device = &gpu.device;
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(fragment),
        bind_group_layouts: layouts,
        immediate_size: 0,
    });
    let compilation_options = wgpu::PipelineCompilationOptions {
        constants,
        zero_initialize_workgroup_memory: false,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(fragment),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs_build"),
            compilation_options: compilation_options.clone(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options,
            targets: &[Some(COLOR_FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
