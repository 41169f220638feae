//! The pipelines of terrain.

use std::ops::Range;

use super::chunks::Detail;
use crate::frame::{Reflected, shadow};
use crate::gpu::{PipelineKey, PipelineMaker, PipelineOptions, Samples, flag};
use mapscope_scene::terrain::pack::{Faces, TopClass};

/// Identifies a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipeline {
    Ground(Variant, Ground, Shadows),
    Water(Shadows, Reflected),
}

/// Shadows that may fall on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shadows {
    None,
    /// The shadow of the ground.
    OfGround,
    /// The shadows of the ground and of objects.
    All,
}

/// A class of faces at a level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    Rects,
    Tops(TopClass),
    Sides,
    RectsMiddle,
    TopsMiddle,
    Far,
}

impl Ground {
    pub(super) const ALL: [Self; 5 + TopClass::ALL.len()] = [
        Self::Rects,
        Self::Tops(TopClass::Lit),
        Self::Tops(TopClass::Shaded),
        Self::Tops(TopClass::LitMixed),
        Self::Tops(TopClass::ShadedMixed),
        Self::Tops(TopClass::Many),
        Self::RectsMiddle,
        Self::TopsMiddle,
        Self::Sides,
        Self::Far,
    ];

    /// The vertex and fragment shaders, and `true` if the shadow of the ground may fall on the
    /// faces.
    pub(super) fn shaders(self) -> (&'static str, &'static str, bool) {
        match self {
            Self::Rects => ("vs_rect", "fs_rect", false),
            Self::Tops(TopClass::Lit) => ("vs_top", "fs_top", false),
            Self::Tops(TopClass::Shaded) => ("vs_top", "fs_top", true),
            Self::Tops(TopClass::LitMixed) => ("vs_mixed", "fs_mixed", false),
            Self::Tops(TopClass::ShadedMixed) => ("vs_mixed", "fs_mixed", true),
            Self::Tops(TopClass::Many) => ("vs_many", "fs_many", true),
            Self::Sides => ("vs_side", "fs_side", true),
            Self::RectsMiddle => ("vs_rect", "fs_rect_middle", false),
            Self::TopsMiddle => ("vs_top", "fs_top_middle", true),
            Self::Far => ("vs_far", "fs_far", false),
        }
    }

    /// `true` if it draws chunks at a level of detail.
    pub(super) fn is_of(self, detail: Detail) -> bool {
        match detail {
            Detail::Near => matches!(self, Self::Rects | Self::Tops(_) | Self::Sides),
            Detail::Middle => matches!(self, Self::RectsMiddle | Self::TopsMiddle | Self::Sides),
            Detail::Far(_) => self == Self::Far,
        }
    }

    /// A slower class that can draw the same faces.
    pub(super) fn more_general(self) -> Self {
        match self {
            Self::Tops(TopClass::Lit) => Self::Tops(TopClass::Shaded),
            Self::Tops(TopClass::LitMixed) => Self::Tops(TopClass::ShadedMixed),
            other => other,
        }
    }

    /// The faces of a chunk that it draws.
    pub(super) fn faces(self, faces: &Faces) -> Range<u32> {
        match self {
            Self::Rects | Self::RectsMiddle => faces.rects.clone(),
            Self::Tops(class) => faces.tops[class as usize].clone(),
            Self::TopsMiddle => faces.all_tops(),
            Self::Sides => faces.sides.clone(),
            Self::Far => 0..0,
        }
    }
}

/// A class of faces, with `true` if shadows of what stands on the ground may fall on them.
pub(super) type GroundPart = (Ground, bool);

/// All parts of the ground, in drawing order.
pub(super) fn ground_parts() -> impl Iterator<Item = GroundPart> {
    let kinds = Ground::ALL.into_iter();
    kinds.flat_map(|ground| [(ground, false), (ground, true)])
}

/// The features of the shaders. The plain ones are much faster than the full ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// Light and textures.
    Plain,
    /// Holes in textures, and accents.
    Rich,
    /// Overlays, grids, highlights, and all of the above.
    Inspect,
    /// Wireframes.
    Wireframe,
}

impl PipelineKey for Pipeline {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let (Self::Ground(.., shadows) | Self::Water(shadows, _)) = self;
        let in_shadow = ("IN_SHADOW", flag(shadows == Shadows::All));
        let lookups = shadow::lookups_constant(maker.gpu);
        let (variant, ground) = match self {
            Self::Ground(variant, ground, _) => (variant, ground),
            Self::Water(_, reflected) => {
                return maker.create(&PipelineOptions {
                    constants: &[
                        in_shadow,
                        lookups,
                        ("SKYBOX", flag(reflected.skybox)),
                        ("PLANAR", flag(reflected.ground)),
                    ],
                    vertices: [Some(chunk_attribute(4)), None],
                    ..PipelineOptions::blended("vs_water", "fs_water")
                });
            }
        };
        let (vertex, fragment, shaded) = ground.shaders();
        let is_rich = matches!(variant, Variant::Rich | Variant::Inspect);
        let constants = [
            ("RICH", flag(is_rich)),
            ("INSPECT", flag(variant == Variant::Inspect)),
            ("SHADED", flag(shaded && shadows != Shadows::None)),
            ("SEVERAL_SAMPLES", flag(maker.gpu.samples != Samples::One)),
            in_shadow,
            lookups,
        ];
        let options = if variant == Variant::Wireframe {
            PipelineOptions::wireframe(vertex, "fs_wire")
        } else {
            PipelineOptions::new(vertex, fragment)
        };
        let is_far = ground == Ground::Far;
        maker.create(&PipelineOptions {
            vertices: [Some(chunk_attribute(if is_far { 4 } else { 0 })), None],
            constants: &constants,
            ..options
        })
    }
}

/// The chunk of a draw call or, with a stride, of each instance.
pub(super) fn chunk_attribute(stride: u64) -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: stride,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &[wgpu::VertexAttribute {
            format: wgpu::VertexFormat::Uint32,
            offset: 0,
            shader_location: 0,
        }],
    }
}
