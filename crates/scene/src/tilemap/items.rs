//! The numbers by which parts of a map are pointed at, selected and described.

use super::{Cell, Layer, ThingKind, TileMap, Tileset};
use crate::Item;

/// The kinds of [`Item`] that a map has.
pub(crate) mod item {
    /// The whole file.
    pub(crate) const MAP: &str = "map";
    /// A layer, by its index.
    pub(crate) const LAYER: &str = "layer";
    /// A cell: its layer times 2 to the power of 32, plus its index.
    pub(crate) const CELL: &str = "cell";
    /// A tileset, by its index.
    pub(crate) const TILESET: &str = "tileset";
    /// A picture of a tileset, and all cells that show it: the tileset times 2 to the power of 32,
    /// plus the index of the picture.
    pub(crate) const TILE: &str = "tile";
    /// A zone, by its index.
    pub(crate) const ZONE: &str = "zone";
    /// An entity, by its index among all things.
    pub(crate) const ENTITY: &str = "entity";
    /// A waypoint, by its index among all things.
    pub(crate) const WAYPOINT: &str = "waypoint";
    /// An area of a zone, by its index among all things.
    pub(crate) const AREA: &str = "zone area";
    /// A sprite, by its index among all things.
    pub(crate) const SPRITE: &str = "sprite";
    /// A box, by its index among all things.
    pub(crate) const BOX: &str = "box";
    /// A line, by its index among all things.
    pub(crate) const LINE: &str = "line";
    /// The clip of the tiles that change.
    pub(crate) const CLIP: &str = "clip";
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

/// A cell with what it is a part of.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellAt<'a> {
    pub(super) layer_number: usize,
    pub(super) layer: &'a Layer,
    /// Counted row by row.
    pub(super) index: usize,
    /// Column and row.
    pub(super) place: [u32; 2],
    pub(super) cell: Cell,
}

impl TileMap {
    /// A cell by its item.
    pub(super) fn cell_at(&self, item: Item) -> Option<CellAt<'_>> {
        if item.kind != item::CELL {
            return None;
        }
        let (layer_number, index) = split(item);
        let layer = self.layers.get(layer_number)?;
        let cell = *layer.cells.get(index)?;
        let width = layer.size[0] as usize;
        Some(CellAt {
            layer_number,
            layer,
            index,
            place: [index.checked_rem(width)? as u32, (index / width) as u32],
            cell,
        })
    }

    /// A picture of a tileset by its item: the number of the tileset, and its own.
    pub(super) fn tile_at(&self, item: Item) -> Option<(usize, &Tileset, usize)> {
        if item.kind != item::TILE {
            return None;
        }
        let (number, picture) = split(item);
        let tileset = self.tilesets.get(number)?;
        (picture < tileset.picture_count()).then_some((number, tileset, picture))
    }

    /// A layer, a tileset or a zone, which are numbered by their index, if there is one.
    pub(super) fn numbered<T>(of: &[T], item: Item) -> Option<(usize, &T)> {
        let index = usize::try_from(item.index).ok()?;
        Some((index, of.get(index)?))
    }

    /// The item of a zone.
    pub(super) fn zone_item(zone: usize) -> Item {
        Item {
            kind: item::ZONE,
            index: zone as u64,
        }
    }

    /// The item of a tileset.
    pub(super) fn tileset_item(tileset: usize) -> Item {
        Item {
            kind: item::TILESET,
            index: tileset as u64,
        }
    }

    /// What a layer is called.
    pub(super) fn layer_name(&self, layer: usize) -> String {
        let name = self.layers.get(layer).map_or("", |layer| &*layer.name);
        named_or(name, "Layer", layer)
    }

    /// What a zone is called.
    pub(super) fn zone_name(&self, zone: usize) -> String {
        let name = self.zones.get(zone).map_or("", |zone| &*zone.name);
        named_or(name, "Zone", zone)
    }

    /// What a thing is called.
    pub(super) fn thing_name(&self, index: usize) -> String {
        let Some(thing) = self.things.get(index) else {
            return String::new();
        };
        if thing.name.is_empty()
            && let Some(zone) = thing.zone
            && thing.kind == ThingKind::ZoneArea
        {
            return self.zone_name(zone);
        }
        named_or(&thing.name, title_of(thing.kind), index)
    }

    /// What a tileset is called.
    pub(super) fn tileset_name(&self, tileset: usize) -> String {
        let name = self
            .tilesets
            .get(tileset)
            .map_or("", |tileset| &*tileset.name);
        named_or(name, "Tileset", tileset)
    }
}

/// A name, or what it is and its number if it has none.
fn named_or(name: &str, what: &str, number: usize) -> String {
    if name.trim().is_empty() {
        format!("{what} {number}")
    } else {
        name.to_owned()
    }
}

/// What a thing is, for people.
pub(super) fn title_of(kind: ThingKind) -> &'static str {
    match kind {
        ThingKind::Entity => "Entity",
        ThingKind::Waypoint => "Waypoint",
        ThingKind::ZoneArea => "Zone area",
        ThingKind::Sprite => "Sprite",
        ThingKind::Box => "Box",
        ThingKind::Line => "Line",
    }
}
