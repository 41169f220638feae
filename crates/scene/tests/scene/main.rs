//! Documents: opening, description, picking and flat drawing, without a GPU.

#![cfg(test)]

mod altered;
mod archive;
mod cut_maps;
mod differences;
mod go_to;
mod ika;
mod items;
mod level;
mod map_scene;
mod model;
mod mutation;
mod navigation;
mod p3m;
mod ppe;
mod ptf;
mod queries;
mod rules;
mod same;
