//! Every shader of the program.

use crate::frame::{blit, floor, lines, sky};
use crate::gpu::Shader;
use crate::probe::{SKIN_PROBE, TILE_PROBE};
use crate::{level, model, terrain, tiles};

/// Every shader of the program.
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
