//! The pipelines of 2D maps. Most layers need few features of the shader, which runs for every
//! pixel: the others are left out of their pipeline.

use super::gpu_data;
use crate::gpu::pipelines::{PipelineKey, PipelineMaker, PipelineOptions, on, vertex_layout};

/// Into how many parts what is seen in a pixel is divided where one looks flatly at a layer, so that
/// it is sharp.
const MAX_PARTS: f64 = 4.0;

/// How a layer is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampling {
    /// Flat, every pixel of the map a square of whole pixels of the frame.
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
    /// A smaller level of tile images.
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
    pub(super) masked: bool,
    pub(super) wraps: bool,
    pub(super) highlights: bool,
    /// Whether tiles are as high as wide.
    pub(super) square: bool,
    /// Whether several may lie in a pixel of the frame.
    pub(super) far: bool,
    /// Whether they are in several buffers, and each draw covers the whole frame.
    pub(super) parted: bool,
    /// Whether their colours are stripes.
    pub(super) hatched: bool,
}

impl CellsKey {
    /// The constants of the shader.
    fn constants(self) -> [(&'static str, f64); 11] {
        [
            ("COLORS", self.are_colors),
            ("OPAQUE", self.opaque),
            ("TINTED", self.tinted),
            ("REMAPPED", self.remapped),
            ("MASKED", self.masked),
            ("WRAPS", self.wraps),
            ("HIGHLIGHTS", self.highlights),
            ("SQUARE", self.square),
            ("FAR", self.far),
            ("PARTED", self.parted),
            ("HATCHED", self.hatched),
        ]
        .map(|(name, is_on)| (name, on(is_on)))
    }
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        // Steps are drawn over each other, whatever their depth.
        let over = |vertex, fragment| PipelineOptions {
            depth_compare: Some(wgpu::CompareFunction::Always),
            ..PipelineOptions::blended(vertex, fragment)
        };
        // Of the groups of a draw, filling a level of a texture needs one.
        let fill = |group: usize, fragment| PipelineOptions {
            groups: group..group + 1,
            depth_compare: None,
            blend: None,
            ..PipelineOptions::blended("vs_build", fragment)
        };
        match self {
            Self::Backdrop => maker.create(&PipelineOptions {
                blend: None,
                ..over("vs_backdrop", "fs_backdrop")
            }),
            Self::Lines { is_flat: true } => maker.create(&over("vs_flat", "fs_lines")),
            Self::Lines { is_flat: false } => maker.create(&over("vs_plane", "fs_plane_lines")),
            Self::Sprites { is_exact } => {
                let fragment = if is_exact {
                    "fs_sprite_exact"
                } else {
                    "fs_sprite"
                };
                let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Uint32x3];
                let step_mode = wgpu::VertexStepMode::Instance;
                let sprites = vertex_layout::<gpu_data::Sprite>(step_mode, &attributes);
                maker.create(&PipelineOptions {
                    vertices: [Some(sprites), None],
                    ..over("vs_sprite", fragment)
                })
            }
            Self::Layer(sampling, cells) => {
                let (vertex, fragment) = match sampling {
                    Sampling::Exact => ("vs_flat", "fs_exact"),
                    Sampling::Smooth => ("vs_flat", "fs_smooth"),
                    Sampling::InSpace => ("vs_plane", "fs_plane"),
                };
                let mut constants = cells.constants().to_vec();
                // A software adapter pays for every lookup.
                if sampling == Sampling::InSpace && !maker.gpu.is_software() {
                    constants.push(("PARTS", MAX_PARTS));
                }
                maker.create(&PipelineOptions {
                    constants: &constants,
                    ..over(vertex, fragment)
                })
            }
            Self::Overview(cells) => maker.create(&PipelineOptions {
                constants: &cells.constants(),
                ..fill(1, "fs_overview")
            }),
            Self::OverviewLevel => maker.create(&fill(2, "fs_overview_level")),
            Self::PageLevel => maker.create(&fill(2, "fs_page_level")),
        }
    }
}
