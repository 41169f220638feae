//! Scenes: plain data made ready to be drawn, picked and described, on the CPU alone.
//!
//! Everything the rest of the program asks of an open file goes through [`Document`], so panels,
//! `info` and `check` treat every format the same way. Files come in through [`open`].

pub mod assets;
mod bvh;
pub mod camera;
pub mod colors;
pub mod demo;
mod describe;
mod document;
mod fields;
mod flat_image;
mod geometry;
mod item;
pub mod level;
mod line_builder;
mod listed;
mod listing;
pub mod model;
pub mod normal;
mod numbers;
mod open;
mod overlay;
mod parallel;
mod playback;
mod rules;
pub mod saving;
mod shown;
mod source;
pub mod terrain;
pub mod tilemap;

pub use describe::{
    Kind, Label, Legend, LegendEntry, Line, OutlineNode, Property, PropertyGroup, Statistic,
    SummaryPart, Swatch, TextSpan,
};
pub use document::{
    About, Animation, Annotations, Direction, Document, Drawable, GameView, Hit, InfoQuery,
    ItemPlace, Layers, Levels, Neighbor, ProblemFrame, ProblemTarget, SeenFrom, Spawn,
};
pub use flat_image::FlatImage;
pub use geometry::{Aabb, Ray};
pub use item::{Item, LevelItem, ModelItem, Owner, TerrainItem, TileMapItem};
pub use listing::{
    Branch, ChunkInfo, ChunkMap, LayerInfo, LevelInfo, Light, LightmapFace, LightmapInfo, Picture,
    TilesetInfo,
};
pub use open::{formats, identify_format, looks_openable, open, overlays};
pub use overlay::{Overlay, OverlayId, OverlaySet};
pub use parallel::on_all_threads;
pub use playback::{ClipInfo, Curve, Playhead};
pub use rules::rules;
pub use shown::{Overrides, Shown};
pub use source::{OpenError, OpenOptions, Progress, Source};
