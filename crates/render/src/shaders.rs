//! The list of all shaders.

use crate::frame::{blit, floor, lines, sky};
use crate::gpu::Shader;
use crate::kinds::{level, model, terrain, tiles};
use crate::probe::{SKIN_PROBE, TILE_PROBE};

/// All shaders.
pub static SHADERS: &[&Shader] = &[
    &terrain::SHADER,
    &model::SHADER,
    &level::SHADER,
    &tiles::SHADER,
    &sky::SHADER,
    &lines::SHADER,
    &TILE_PROBE,
    &SKIN_PROBE,
    &floor::SHADER,
    &blit::SHADER,
];
