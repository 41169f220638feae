//! How levels are drawn: a pipeline for each way.

use super::caps::{self, Caps};
use crate::gpu::pipelines::{PipelineKey, PipelineMaker, PipelineOptions, on, vertex_layout};
use crate::gpu::wgsl::shader_enum;
use mapscope_scene::level::materials::Blend;
use mapscope_scene::level::mesh::LevelVertex;
use mapscope_scene::level::tint::PLAIN;

shader_enum! {
    "SURFACE"
    /// How the surface is coloured.
    pub(super) enum Surface { Full, Lightmap, Unlit, Normals, UvChecker, Tint, BackFaces }
}

/// How a level is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) surface: Surface,
    /// Whether one material stands out from the others.
    pub(super) highlighted: bool,
    /// Whether the back of every face is drawn.
    pub(super) two_sided: bool,
    /// Whether something is cut away.
    pub(super) cut: bool,
}

/// Where the tint of a vertex is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TintFrom {
    /// It has none.
    Nowhere,
    /// It is that of its chunk.
    Chunk,
    /// It has its own.
    Vertex,
}

/// What a pipeline is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipeline {
    Faces(FacesKey),
    Edges {
        two_sided: bool,
        cut: bool,
    },
    /// A side of the sky, with a texture or without.
    SkySide(bool),
    /// The background where there is no sky.
    Backdrop,
    /// The caps where the clip box cuts solid cubes.
    Caps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FacesKey {
    pub(super) look: Look,
    pub(super) blend: Blend,
    pub(super) is_textured: bool,
    pub(super) has_matcap: bool,
    pub(super) is_liquid: bool,
    pub(super) tint: TintFrom,
    /// Whether tints take light away.
    pub(super) dims: bool,
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        match self {
            Self::Faces(key) => faces_pipeline(maker, key),
            Self::Edges { two_sided, cut } => {
                let attributes = vertex_attributes();
                let tints = tint_layout(TintFrom::Chunk);
                maker.create(&PipelineOptions {
                    vertices: [Some(level_vertices(&attributes)), Some(tints)],
                    cull: !two_sided,
                    constants: &[("CUT", on(cut))],
                    ..PipelineOptions::edges("vs_level", "fs_level_wire")
                })
            }
            Self::SkySide(is_textured) => maker.create(&PipelineOptions {
                // Where a side is cut at the edge of the frame, its depth is not always zero to the
                // last bit.
                depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                constants: &[("TEXTURED", on(is_textured))],
                groups: 0..3,
                ..PipelineOptions::behind_all("vs_sky_side", "fs_sky_side")
            }),
            Self::Backdrop => maker.create(&PipelineOptions {
                groups: 0..1,
                ..PipelineOptions::behind_all("vs_sky", "fs_backdrop")
            }),
            Self::Caps => {
                let attributes = Caps::attributes();
                let vertices = wgpu::VertexBufferLayout {
                    array_stride: caps::STRIDE,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &attributes,
                };
                maker.create(&PipelineOptions {
                    vertices: [Some(vertices), None],
                    groups: 0..1,
                    ..PipelineOptions::new("vs_cap", "fs_cap")
                })
            }
        }
    }
}

impl Surface {
    /// Whether colours are data about the surface, so that additive blending would falsify them.
    fn shows_data(self) -> bool {
        match self {
            Self::Full | Self::Unlit | Self::BackFaces => false,
            Self::Lightmap | Self::Normals | Self::UvChecker | Self::Tint => true,
        }
    }
}

impl FacesKey {
    /// Whether an additive surface is alpha-blended thinly instead, since its colour is data.
    fn is_veil(self) -> bool {
        self.blend == Blend::Add && self.look.surface.shows_data()
    }

    /// Whether it is enough to know where surfaces are in the texture and the lightmap.
    fn is_plain(self) -> bool {
        let Look {
            surface,
            highlighted: _,
            two_sided: _,
            cut,
        } = self.look;
        let is_plain = matches!(surface, Surface::Full | Surface::Lightmap | Surface::Unlit);
        is_plain && !(cut || self.dims || self.is_liquid || self.has_matcap)
    }
}

fn vertex_attributes() -> [wgpu::VertexAttribute; 4] {
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Snorm16x2, 2 => Float32x2, 3 => Unorm16x2]
}

fn level_vertices(attributes: &[wgpu::VertexAttribute]) -> wgpu::VertexBufferLayout<'_> {
    vertex_layout::<LevelVertex>(wgpu::VertexStepMode::Vertex, attributes)
}

/// The layout of tints: of a vertex, or of a whole chunk.
fn tint_layout(tint: TintFrom) -> wgpu::VertexBufferLayout<'static> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![4 => Unorm8x4];
    let (array_stride, step_mode) = match tint {
        TintFrom::Vertex => (size_of_val(&PLAIN) as u64, wgpu::VertexStepMode::Vertex),
        TintFrom::Nowhere | TintFrom::Chunk => (0, wgpu::VertexStepMode::Instance),
    };
    wgpu::VertexBufferLayout {
        array_stride,
        step_mode,
        attributes: &ATTRIBUTES,
    }
}

fn faces_pipeline(maker: &PipelineMaker<'_>, key: FacesKey) -> wgpu::RenderPipeline {
    let Look {
        surface,
        highlighted,
        two_sided,
        cut,
    } = key.look;
    let is_opaque = key.blend == Blend::Opaque;
    let constants = [
        ("SURFACE", f64::from(surface as u8)),
        ("TEXTURED", on(key.is_textured)),
        ("MATCAP", on(key.has_matcap)),
        ("LIQUID", on(key.is_liquid)),
        ("TINTED", on(key.tint != TintFrom::Nowhere)),
        ("HIGHLIGHTED", on(highlighted)),
        ("CUT", on(cut)),
        ("BLEND", f64::from(key.blend as u8)),
        ("VEIL", on(key.is_veil())),
    ];
    let attributes = vertex_attributes();
    let is_tinted = key.tint != TintFrom::Nowhere;
    let (vertex, fragment) = match (key.is_plain(), is_tinted) {
        (true, false) => ("vs_plain", "fs_plain"),
        (true, true) => ("vs_plain_tinted", "fs_plain_tinted"),
        (false, _) => ("vs_level", "fs_level"),
    };
    let added = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    maker.create(&PipelineOptions {
        vertices: [
            Some(level_vertices(&attributes)),
            Some(tint_layout(key.tint)),
        ],
        cull: !two_sided,
        depth_write: is_opaque,
        blend: match key.blend {
            Blend::Opaque => None,
            Blend::Alpha => Some(wgpu::BlendState::ALPHA_BLENDING),
            Blend::Add if key.is_veil() => Some(wgpu::BlendState::ALPHA_BLENDING),
            Blend::Add => Some(wgpu::BlendState {
                color: added,
                alpha: added,
            }),
        },
        constants: &constants,
        ..PipelineOptions::new(vertex, fragment)
    })
}
