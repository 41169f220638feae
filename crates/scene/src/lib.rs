//! Scenes: plain data made ready to be drawn, picked and described, on the CPU alone.
//!
//! Everything the rest of the program asks of an open file goes through [`Document`], so panels,
//! `info` and `check` treat every format the same way. Files come in through [`registry::open`].

pub mod assets;
pub mod camera;
mod colors;
pub mod demo;
mod document;
mod first_look;
pub mod ika;
pub mod level;
mod listed;
mod listing;
mod mips;
pub mod model;
mod numbers;
mod parallel;
mod pen;
pub mod pictures;
mod playback;
pub mod ppe;
pub mod registry;
mod rules;
pub mod saving;
mod shown;
pub mod terrain;
pub mod tilemap;
mod tree;

pub use document::{
    Aabb, Direction, Document, Drawable, GameView, GridPlace, Hit, InfoQuery, Item, Kind, Label,
    Legend, LegendEntry, Line, OutlineNode, ProblemFrame, Property, PropertyGroup, Ray, SeenFrom,
    Spawn, Statistic, SummaryPart, Swatch, TextSpan,
};
pub use first_look::FirstLook;
pub use listing::{
    Branch, ChunkInfo, ChunkMap, LayerInfo, Light, Part, Picture, Sheet, SheetFace, TilesetInfo,
};
pub use playback::{ClipInfo, Curve, Playhead};
pub use rules::rules;
pub use shown::{Amounts, Overlay, OverlaySet, Shown};
