//! Rendering on a GPU without a window.

#![cfg(test)]

mod gallery;
mod goldens;
mod level_pictures;
mod previews;
#[expect(
    dead_code,
    reason = "benchmarks and the test of allocations use the rest"
)]
mod rigs;
mod scenes;
mod shaders;
mod skinning;
mod sky;
mod stage;
mod terrain;
mod tile_maps;
mod tiles;
