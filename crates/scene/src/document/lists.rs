//! Lists of document contents for panels, in addition to the outline.

use glam::Vec2;

use crate::camera::Pose;
use crate::core::item::Item;
use crate::describe::Swatch;
use crate::geometry::Aabb;

/// A level of a map; one level is shown at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelInfo {
    /// Its name.
    pub name: String,
    /// The item of the level.
    pub item: Item,
    /// Bounds in world space.
    pub bounds: Aabb,
}

/// A camera in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCamera {
    /// Its name.
    pub name: String,
    /// The item of the camera.
    pub item: Item,
    /// Its position, and a target some distance ahead of it.
    pub pose: Pose,
}

/// A light that can be switched and dimmed ([`Overrides`](crate::Overrides)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Light {
    /// The item of the light.
    pub item: Item,
    /// Its display name, such as `Fast light 201`.
    pub name: String,
    /// Further information, such as what controls it.
    pub note: String,
    /// Red, green and blue at full brightness.
    pub color: [u8; 3],
    /// Brightness in the file, from 0 to 255; 0 is off.
    pub intensity: u8,
    /// Brightness after switching it on, from 1 to 255.
    pub full: u8,
}

/// A line of a tree that is too large to be listed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The item of the line.
    pub item: Item,
    /// The text of the line.
    pub label: String,
    /// A short note at its end.
    pub note: String,
    /// A colour before the text.
    pub swatch: Option<Swatch>,
    /// Number of lines below it.
    pub children: usize,
}

/// The chunks of a level, for a map of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChunkMap {
    /// Names of the values per chunk, such as `Cubes`.
    pub measures: Vec<&'static str>,
    /// The chunks that have content or cannot be read.
    pub chunks: Vec<ChunkInfo>,
}

/// A chunk in a map of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkInfo {
    /// The item of the chunk.
    pub item: Item,
    /// Bounds in world space.
    pub bounds: Aabb,
    /// `true` if any part of it could be read.
    pub is_readable: bool,
    /// `true` if all of it could be read.
    pub is_whole: bool,
    /// One number for each of [`ChunkMap::measures`].
    pub values: Vec<u64>,
}

/// A lightmap and its usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightmapInfo {
    /// The item of the lightmap.
    pub item: Item,
    /// Its display name.
    pub name: String,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Number of faces that are lit by it.
    pub faces: usize,
}

/// A face on a lightmap.
#[derive(Debug, Clone, PartialEq)]
pub struct LightmapFace {
    /// The item of the face.
    pub item: Item,
    /// Its triangles, in UV coordinates from the top left; 1 is the whole width or height.
    pub triangles: Vec<[Vec2; 3]>,
}

/// A layer of a document with layers, which are ordered from bottom to top.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerInfo {
    /// The item of the layer.
    pub item: Item,
    /// Its display name.
    pub name: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Display text of its parallax factor: `1:2` scrolls at half the camera's speed. Empty if the
    /// layer scrolls with the camera.
    pub parallax: String,
    /// The same as a sentence; empty if the layer scrolls with the camera.
    pub parallax_help: String,
    /// `true` if the map draws it.
    pub is_drawn: bool,
    /// A further note, such as that the layer is never drawn.
    pub note: String,
}

/// A tileset and its usage.
#[derive(Debug, Clone, PartialEq)]
pub struct TilesetInfo {
    /// The item of the tileset.
    pub item: Item,
    /// Its display name.
    pub name: String,
    /// Width and height of a tile in pixels.
    pub tile_size: [u32; 2],
    /// Number of cells of all layers that show each tile, by tile index.
    pub uses: Vec<u64>,
    /// Number of each tile in the file; empty if it equals the index.
    pub ids: Vec<u32>,
    /// `true` if the tileset was not found. Its tiles are then drawn as numbers, and their count is
    /// a guess.
    pub is_missing: bool,
}

/// An RGBA image; rows start at the top left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Image {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Red, green, blue and alpha of each pixel, row by row; alpha is not premultiplied.
    pub rgba: Vec<u8>,
}
