//! The pipelines of levels.

use super::caps::{self, Caps};
use crate::gpu::{PipelineKey, PipelineMaker, PipelineOptions, flag, shader_enum, vertex_layout};
use mapscope_scene::level::materials::Blend;
use mapscope_scene::level::mesh::LevelVertex;
use mapscope_scene::level::tint::PLAIN;

shader_enum! {
    "SURFACE"
    /// The colouring of the surface.
    pub(super) enum Surface { Full, Lightmap, Unlit, Normals, UvChecker, Tint, BackFaces }
}

/// The display mode of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) surface: Surface,
    /// `true` if one material is highlighted.
    pub(super) highlighted: bool,
    /// `true` if back faces are drawn.
    pub(super) two_sided: bool,
    /// `true` if a clip box cuts the level.
    pub(super) cut: bool,
}

/// The source of a vertex's tint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TintSource {
    /// No tint.
    Nowhere,
    /// The tint of the chunk.
    Chunk,
    /// A tint per vertex.
    Vertex,
}

/// Identifies a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipeline {
    Faces(FacesKey),
    Edges {
        two_sided: bool,
        cut: bool,
    },
    /// A side of the sky, with `true` if it is textured.
    SkySide(bool),
    /// The background where the sky has no sides.
    Backdrop,
    /// The caps of solid cubes at the clip box.
    Caps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FacesKey {
    pub(super) look: Look,
    pub(super) blend: Blend,
    pub(super) is_textured: bool,
    pub(super) has_matcap: bool,
    pub(super) is_liquid: bool,
    pub(super) tint: TintSource,
    /// `true` if tints darken the level.
    pub(super) darkens: bool,
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        match self {
            Self::Faces(key) => faces_pipeline(maker, key),
            Self::Edges { two_sided, cut } => {
                let attributes = vertex_attributes();
                let tints = tint_layout(TintSource::Chunk);
                maker.create(&PipelineOptions {
                    vertices: [Some(level_vertices(&attributes)), Some(tints)],
                    cull: !two_sided,
                    constants: &[("CUT", flag(cut))],
                    ..PipelineOptions::wireframe("vs_level", "fs_level_wire")
                })
            }
            Self::SkySide(is_textured) => maker.create(&PipelineOptions {
                // The depth of a side that is clipped at the edge of the frame is not always
                // exactly zero.
                depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                constants: &[("TEXTURED", flag(is_textured))],
                groups: 0..3,
                ..PipelineOptions::background("vs_sky_side", "fs_sky_side")
            }),
            Self::Backdrop => maker.create(&PipelineOptions {
                groups: 0..1,
                ..PipelineOptions::background("vs_sky", "fs_backdrop")
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
    /// `true` if colours represent data, which additive blending would falsify.
    fn shows_data(self) -> bool {
        match self {
            Self::Full | Self::Unlit | Self::BackFaces => false,
            Self::Lightmap | Self::Normals | Self::UvChecker | Self::Tint => true,
        }
    }
}

impl FacesKey {
    /// `true` if an additive surface is faintly alpha-blended instead, since its colour represents
    /// data.
    fn is_veil(self) -> bool {
        self.blend == Blend::Add && self.look.surface.shows_data()
    }

    /// `true` if only the coordinates in the texture and the lightmap are needed.
    fn is_plain(self) -> bool {
        let Look {
            surface,
            highlighted: _,
            two_sided: _,
            cut,
        } = self.look;
        let is_plain = matches!(surface, Surface::Full | Surface::Lightmap | Surface::Unlit);
        is_plain && !(cut || self.darkens || self.is_liquid || self.has_matcap)
    }
}

fn vertex_attributes() -> [wgpu::VertexAttribute; 4] {
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Snorm16x2, 2 => Float32x2, 3 => Unorm16x2]
}

fn level_vertices(attributes: &[wgpu::VertexAttribute]) -> wgpu::VertexBufferLayout<'_> {
    vertex_layout::<LevelVertex>(wgpu::VertexStepMode::Vertex, attributes)
}

/// The layout of tints, per vertex or per chunk.
fn tint_layout(tint: TintSource) -> wgpu::VertexBufferLayout<'static> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![4 => Unorm8x4];
    let (array_stride, step_mode) = match tint {
        TintSource::Vertex => (size_of_val(&PLAIN) as u64, wgpu::VertexStepMode::Vertex),
        TintSource::Nowhere | TintSource::Chunk => (0, wgpu::VertexStepMode::Instance),
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
        ("TEXTURED", flag(key.is_textured)),
        ("MATCAP", flag(key.has_matcap)),
        ("LIQUID", flag(key.is_liquid)),
        ("TINTED", flag(key.tint != TintSource::Nowhere)),
        ("HIGHLIGHTED", flag(highlighted)),
        ("CUT", flag(cut)),
        ("BLEND", f64::from(key.blend as u8)),
        ("VEIL", flag(key.is_veil())),
    ];
    let attributes = vertex_attributes();
    let is_tinted = key.tint != TintSource::Nowhere;
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
