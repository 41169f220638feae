//! The numbers by which parts of a map are pointed at, selected and described.

use super::{ThingKind, TileMap};
use crate::scene::Item;

/// The kinds of [`Item`] that a map has.
pub(in crate::scene) mod item {
    /// The whole file.
    pub(in crate::scene) const MAP: &str = "map";
    /// A layer, by its index.
    pub(in crate::scene) const LAYER: &str = "layer";
    /// A cell: its layer times 2 to the power of 32, plus its index.
    pub(in crate::scene) const CELL: &str = "cell";
    /// A tileset, by its index.
    pub(in crate::scene) const TILESET: &str = "tileset";
    /// A picture of a tileset, and all cells that show it: the tileset times 2 to the power of 32,
    /// plus the index of the picture.
    pub(in crate::scene) const TILE: &str = "tile";
    /// A zone, by its index.
    pub(in crate::scene) const ZONE: &str = "zone";
    /// An entity, by its index among all things.
    pub(in crate::scene) const ENTITY: &str = "entity";
    /// A waypoint, by its index among all things.
    pub(in crate::scene) const WAYPOINT: &str = "waypoint";
    /// An area of a zone, by its index among all things.
    pub(in crate::scene) const AREA: &str = "zone area";
    /// A sprite, by its index among all things.
    pub(in crate::scene) const SPRITE: &str = "sprite";
    /// A box, by its index among all things.
    pub(in crate::scene) const BOX: &str = "box";
    /// A line, by its index among all things.
    pub(in crate::scene) const LINE: &str = "line";
    /// The clip of the tiles that change.
    pub(in crate::scene) const CLIP: &str = "clip";
}

/// The item of something that is numbered within something else.
pub(super) fn within(kind: &'static str, outer: usize, inner: usize) -> Item {
    Item {
        kind,
        index: (outer as u64) << 32 | inner as u64 & 0xffff_ffff,
    }
}

/// The numbers that [`within`] took.
pub(super) fn split(item: Item) -> (usize, usize) {
    ((item.index >> 32) as usize, item.index as u32 as usize)
}

/// The kind of item that a thing is.
pub(super) fn kind_of(kind: ThingKind) -> &'static str {
    match kind {
        ThingKind::Entity => item::ENTITY,
        ThingKind::Waypoint => item::WAYPOINT,
        ThingKind::ZoneArea => item::AREA,
        ThingKind::Sprite => item::SPRITE,
        ThingKind::Box => item::BOX,
        ThingKind::Line => item::LINE,
    }
}

impl TileMap {
    /// The item of a layer.
    pub fn layer_item(layer: usize) -> Item {
        Item {
            kind: item::LAYER,
            index: layer as u64,
        }
    }

    /// The item of a cell.
    pub fn cell_item(layer: usize, index: usize) -> Item {
        within(item::CELL, layer, index)
    }

    /// The item of a picture of a tileset, which stands for all cells that show it.
    pub fn tile_item(tileset: usize, picture: usize) -> Item {
        within(item::TILE, tileset, picture)
    }

    /// The item of a thing.
    pub fn thing_item(&self, index: usize) -> Option<Item> {
        let thing = self.things.get(index)?;
        Some(Item {
            kind: kind_of(thing.kind),
            index: index as u64,
        })
    }
}
