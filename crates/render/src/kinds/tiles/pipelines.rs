//! The pipelines of 2D maps. The shader runs for every pixel, and most layers need only few of its
//! features.

use super::gpu_data;
use crate::gpu::{PipelineKey, PipelineMaker, PipelineOptions, flag, vertex_layout};

/// Number of samples per pixel at grazing angles, for sharpness.
const MAX_PARTS: f64 = 4.0;

/// The sampling of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampling {
    /// Flat view at an integer zoom level.
    Exact,
    /// Flat view at any other zoom level.
    Smooth,
    /// A plane in space, with mip levels.
    InSpace,
}

/// Identifies a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipeline {
    /// The background in a flat view.
    Backdrop,
    /// Lines around tiles and pixels.
    Lines {
        is_flat: bool,
    },
    Sprites {
        is_exact: bool,
    },
    Layer(Sampling, CellsKey),
    /// Averages of cells.
    Overview(CellsKey),
    /// A mip level of averages.
    OverviewLevel,
    /// A mip level of tile images.
    PageLevel,
}

/// Features of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellsKey {
    /// `true` for colours instead of tiles.
    pub(super) are_colors: bool,
    /// `true` if they cover everything below, regardless of transparency.
    pub(super) opaque: bool,
    pub(super) tinted: bool,
    /// `true` if tiles are animated.
    pub(super) remapped: bool,
    /// `true` if some cells are skipped, or cells surround the layer.
    pub(super) masked: bool,
    pub(super) wraps: bool,
    pub(super) highlights: bool,
    /// `true` if tiles are square.
    pub(super) square: bool,
    /// `true` if a pixel of the frame may cover several tiles.
    pub(super) far: bool,
    /// `true` if the cells are in several buffers and each draw covers the whole frame.
    pub(super) is_split: bool,
    /// `true` if colours are hatched.
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
            ("PARTED", self.is_split),
            ("HATCHED", self.hatched),
        ]
        .map(|(name, is_on)| (name, flag(is_on)))
    }
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        // Steps are drawn in order, without a depth test.
        let over = |vertex, fragment| PipelineOptions {
            depth_compare: Some(wgpu::CompareFunction::Always),
            ..PipelineOptions::blended(vertex, fragment)
        };
        // A pass that fills a texture uses only one bind group.
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
