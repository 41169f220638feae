//! The kinds of document, a folder each. A kind may use the rooms below `kinds`; of the other kinds
//! only scenes use any, since they place models on terrain.

pub mod archive;
pub mod level;
pub mod map_scene;
pub mod model;
pub mod terrain;
pub mod tilemap;
