//! Scenes: plain data made ready to be drawn, picked and described, on the CPU alone.
//!
//! Everything the rest of the program asks of an open file goes through [`Document`], so panels,
//! `info` and `check` treat every format the same way. Files come in through [`open`].

pub mod assets;
mod describe;
pub mod diff;
mod document;
mod geometry;
pub mod level;
pub mod map_scene;
pub mod model;
mod open;
pub mod terrain;
pub mod tilemap;

pub use bytes::Bytes;
pub use describe::fields::{GroupKeys, ItemKeys};
pub use describe::numbers::{fixed, without_sign_of_zero};
pub use describe::own::OwnLine;
pub use describe::{
    Kind, Label, Legend, LegendEntry, Line, Origin, OutlineNode, PlainValue, Property,
    PropertyGroup, Statistic, SummaryPart, Swatch, TextSpan, colors,
};
use describe::{fields, numbers, outline};
pub use document::environment::{Environment, Sun};
pub use document::find::{NamedItem, find_items, item_keys, items_of_kinds};
pub use document::flat_image::{FlatImage, FlatPart};
pub use document::item::{
    Flaw, Item, LevelItem, ModelItem, Owner, SceneItem, TerrainItem, TileMapItem,
};
pub use document::lists::{
    Branch, ChunkInfo, ChunkMap, Image, LayerInfo, LevelInfo, Light, LightmapFace, LightmapInfo,
    NamedCamera, NamedFile, TilesetInfo,
};
use document::overlay;
pub use document::overlay::{Overlay, OverlayId, OverlaySet};
pub use document::playback::{ClipInfo, Curve, OwnClip, Playhead};
pub use document::shown::{Overrides, Shown};
pub use document::{
    About, Animation, Annotations, Direction, Document, Drawable, GameView, Hit, InfoQuery,
    ItemPlace, Layers, Levels, Moment, Neighbor, OtherFile, Pending, ProblemTarget, SeenFrom,
    Spawn,
};
pub use geometry::{Aabb, Ray, camera, normal};
use geometry::{bvh, lines};
pub use open::parallel::on_all_threads;
pub use open::rules::{is_missing_file, rules};
pub use open::source::{MapChoice, OpenError, OpenOptions, Progress, Source};
pub use open::system::system_reason;
pub use open::usage::{Usage, is_for_others};
pub use open::{
    dangling_link, demo, format_by_name, formats, identify_format, looks_openable, open,
    outside_link, overlays, saving,
};
use open::{parallel, rules};
