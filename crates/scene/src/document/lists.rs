//! What panels list of a document beyond its outline.

use glam::Vec2;

use crate::camera::Pose;
use crate::core::item::Item;
use crate::describe::Swatch;
use crate::geometry::Aabb;

/// A level of a map; one is shown at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelInfo {
    /// Its name.
    pub name: String,
    /// The item that stands for it.
    pub item: Item,
    /// What it occupies in world space.
    pub bounds: Aabb,
}

/// A camera that a file has.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCamera {
    /// Its name.
    pub name: String,
    /// The item that stands for it.
    pub item: Item,
    /// Where it is and what it looks at, some way ahead of it.
    pub pose: Pose,
}

/// A light that can be switched and dimmed ([`Overrides`](crate::Overrides)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Light {
    /// The item that stands for it.
    pub item: Item,
    /// Its name for people, such as `Fast light 201`.
    pub name: String,
    /// What else is known of it, such as what controls it.
    pub note: String,
    /// Red, green and blue at full brightness.
    pub color: [u8; 3],
    /// How bright the file has it, from 0 to 255; 0 is off.
    pub intensity: u8,
    /// How bright it is once it is switched on, from 1 to 255.
    pub full: u8,
}

/// A line of a tree that is too large to be listed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// What the line stands for.
    pub item: Item,
    /// What it says.
    pub label: String,
    /// A small note at its end.
    pub note: String,
    /// A colour before it.
    pub swatch: Option<Swatch>,
    /// How many lines are below it.
    pub children: usize,
}

/// The chunks of a level, for a map of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChunkMap {
    /// What is measured of each chunk, such as `Cubes`.
    pub measures: Vec<&'static str>,
    /// The chunks that hold anything or cannot be read.
    pub chunks: Vec<ChunkInfo>,
}

/// A chunk in a map of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkInfo {
    /// The item that stands for it.
    pub item: Item,
    /// What it occupies in world space.
    pub bounds: Aabb,
    /// Whether something of it could be read.
    pub is_readable: bool,
    /// Whether all of it could be read.
    pub is_whole: bool,
    /// One number for each of [`ChunkMap::measures`].
    pub values: Vec<u64>,
}

/// A lightmap, and how much it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightmapInfo {
    /// The item that stands for it.
    pub item: Item,
    /// Its name for people.
    pub name: String,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// How many faces take light from it.
    pub faces: usize,
}

/// A face on a lightmap.
#[derive(Debug, Clone, PartialEq)]
pub struct LightmapFace {
    /// The item of the face.
    pub item: Item,
    /// Its triangles, in UV coordinates from the top left: 1 is the whole width or height.
    pub triangles: Vec<[Vec2; 3]>,
}

/// A layer of a document that is made of such, from the bottom to the top.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerInfo {
    /// The item that stands for it.
    pub item: Item,
    /// Its name for people.
    pub name: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// How it moves with the camera, for people: `1:2` is half as fast. Empty for one that moves
    /// with it.
    pub parallax: String,
    /// The same in a sentence; empty where it moves with the camera.
    pub parallax_help: String,
    /// Whether the map draws it.
    pub is_drawn: bool,
    /// What else is to be known of it, such as that nothing draws it.
    pub note: String,
}

/// A tileset and how much of it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct TilesetInfo {
    /// The item that stands for it.
    pub item: Item,
    /// Its name for people.
    pub name: String,
    /// Width and height of a tile in pixels.
    pub tile_size: [u32; 2],
    /// How many cells of all layers show each tile, by its index.
    pub uses: Vec<u64>,
    /// The number that the file has for each tile; empty where that is its index.
    pub ids: Vec<u32>,
    /// Whether it was not found: its tiles are numbers, and how many there are is a guess.
    pub is_missing: bool,
}

/// An image: RGBA bytes from the top left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Image {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Red, green, blue and opacity of each pixel, row by row; colours are not multiplied by it.
    pub rgba: Vec<u8>,
}
