//! What is drawn, by a GPU without a window.

#![cfg(test)]

mod gallery;
mod goldens;
mod level_pictures;
mod previews;
mod rigs;
mod scenes;
mod shaders;
mod skinning;
mod stage;
mod terrain;
mod tile_maps;
mod tiles;
