//! Scenes: plain data prepared for drawing, picking and describing. Runs on the CPU alone.
//!
//! The rest of the program accesses an open file only through [`Document`], so panels, `info` and
//! `check` treat all formats alike. [`open`] opens files.

pub mod assets;
mod core;
mod describe;
pub mod diff;
mod document;
mod geometry;
mod kinds;
mod open;

pub use assets::{NamedFile, Pending};
pub use bytes::Bytes;
pub use core::budget::DecodeBudget;
pub use core::inside::{ArchiveOrigin, file_on_disk};
pub use core::item::{
    ArchiveItem, Flaw, Item, LevelItem, ModelItem, Owner, SceneItem, TerrainItem, TileMapItem,
};
pub use core::overlay::{Overlay, OverlayId, OverlaySet};
pub use core::parallel::map_parallel;
pub use core::playback::{Blend, ClipInfo, Curve, CurveOptions, OwnClip, Playhead};
pub use core::rules::{is_damaged_file, is_missing_file, rules};
pub use core::source::{MapChoice, OpenError, OpenOptions, Progress, Source};
pub use core::system::system_reason;
pub use describe::numbers::{fixed, without_sign_of_zero};
pub use describe::own::OwnLine;
pub use describe::table::Describe;
pub use describe::table::{FieldKey, GroupKeys, InfoKeys, ItemKeys, ValueType};
pub use describe::value::{Fact, FactGroup, Value};
pub use describe::{
    Kind, Label, Legend, LegendEntry, Line, Origin, OutlineNode, Property, PropertyGroup,
    Statistic, SummaryPart, Swatch, TextSpan, colors,
};
pub use document::environment::{Environment, Sun};
pub use document::flat_image::{FlatImage, FlatPart};
pub use document::lists::{
    Branch, ChunkInfo, ChunkMap, Image, LayerInfo, LevelInfo, Light, LightmapFace, LightmapInfo,
    NamedCamera, TilesetInfo,
};
pub use document::shown::{ChangeLines, Overrides, Shown};
pub use document::textures::{TextureInfo, TextureScale, Textures, UvLayout};
pub use document::{
    About, Animation, Annotations, Compare, Deferred, Direction, Document, Drawable, GameView,
    Hiding, Hit, InfoQuery, ItemPlace, Layers, Levels, Moment, Neighbor, OtherFile, Placements,
    Places, ProblemTarget, RelatedFiles, Spawn, ViewState, VisibleFrom, Walk,
};
pub use geometry::{Aabb, Ray, camera, normal};
pub use kinds::{archive, level, map_scene, model, terrain, tilemap};
pub use open::find::{NamedItem, find_items, items_of_kinds};
pub use open::go_to::{Destination, destinations};
pub use open::query::{Found, QueryError, find_matches};
pub use open::suggest::{Users, alike, continuations, fields_of_kind, users};
pub use open::usage::{Usage, is_shared_asset};
pub use open::{
    dangling_link, demo, format_by_name, formats, has_known_ending, identify_format, info_keys,
    item_keys, main_kind, open, outside_link, overlays, overlays_by_kind, saving,
};
