//! The items of a map: conversions and names.

use super::{Cell, Layer, Object, ObjectKind, Strand, Tile, TileMap, Tileset};
use crate::{Item, Swatch, TileMapItem};
use mapscope_formats::counted;

/// Converts an index to the type used by items.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl TileMap {
    /// The item of a layer.
    pub fn layer_item(layer: usize) -> Item {
        let index = number(layer);
        TileMapItem::Layer { index }.into()
    }

    /// The item of a cell, by its column and row.
    pub fn cell_item(layer: usize, [x, y]: [u32; 2]) -> Item {
        let layer = number(layer);
        TileMapItem::Cell { layer, x, y }.into()
    }

    /// The item of an image of a tileset, and of all cells that show it.
    pub fn tile_item(tileset: usize, image: usize) -> Item {
        TileMapItem::Tile {
            tileset: number(tileset),
            index: number(image),
        }
        .into()
    }

    /// The item of a zone.
    pub fn zone_item(zone: usize) -> Item {
        let index = number(zone);
        TileMapItem::Zone { index }.into()
    }

    /// The item of a tileset.
    pub(super) fn tileset_item(tileset: usize) -> Item {
        let index = number(tileset);
        TileMapItem::Tileset { index }.into()
    }

    /// The item of an object.
    pub fn object_item(&self, index: usize) -> Option<Item> {
        let kind = self.objects.get(index)?.kind;
        Some(kind.item(number(index)).into())
    }
}

impl ObjectKind {
    /// The item of an object of this kind, by its index among all objects.
    pub(super) fn item(self, index: u32) -> TileMapItem {
        match self {
            Self::Entity => TileMapItem::Entity { index },
            Self::Waypoint => TileMapItem::Waypoint { index },
            Self::ZoneArea => TileMapItem::ZoneArea { index },
            Self::Sprite => TileMapItem::Sprite { index },
            Self::Box => TileMapItem::Box { index },
            Self::Line => TileMapItem::Line { index },
        }
    }
}

/// A cell with its layer and position.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellAt<'a> {
    pub(super) layer_number: usize,
    pub(super) layer: &'a Layer,
    /// Index, row by row.
    pub(super) index: usize,
    /// Column and row.
    pub(super) place: [u32; 2],
    pub(super) cell: Cell,
}

impl CellAt<'_> {
    /// The item of the cell.
    pub(super) fn item(&self) -> Item {
        TileMap::cell_item(self.layer_number, self.place)
    }
}

/// A tile of a tileset: one of its images.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileAt<'a> {
    pub(super) map: &'a TileMap,
    pub(super) tileset_number: usize,
    pub(super) tileset: &'a Tileset,
    pub(super) image: usize,
}

impl<'a> TileAt<'a> {
    /// The item of the tile, and of all cells that show it.
    pub(super) fn item(&self) -> Item {
        TileMap::tile_item(self.tileset_number, self.image)
    }

    /// The tile as described in the file, if it is.
    pub(super) fn tile(&self) -> Option<&'a Tile> {
        self.tileset.tiles.get(self.image)
    }

    /// Its number in the file.
    pub(super) fn number(&self) -> String {
        self.tileset.tile_number(self.image)
    }

    /// `true` if it represents tiles that the tileset lacks.
    pub(super) fn is_missing(&self) -> bool {
        self.tileset.missing == Some(self.image)
    }

    /// The animation strand that contains it.
    pub(super) fn strand(&self) -> Option<&'a Strand> {
        self.tileset.strand_of(self.image)
    }

    /// Number of cells that show it.
    pub(super) fn uses(&self) -> u64 {
        self.map.uses(self.tileset_number, self.image)
    }

    /// Number of its uses, as display text.
    pub(super) fn times_used(&self) -> String {
        match self.uses() {
            0 => "nowhere".to_owned(),
            1 => "once".to_owned(),
            uses => counted(usize::try_from(uses).unwrap_or(usize::MAX), "time"),
        }
    }

    /// Its thumbnail. Thumbnails are numbered through all tilesets, followed by those of sprites.
    pub(super) fn swatch(&self) -> Swatch {
        let before: usize = self
            .map
            .tilesets
            .iter()
            .take(self.tileset_number)
            .map(Tileset::image_count)
            .sum();
        Swatch::Thumbnail(before + self.image)
    }
}

impl Layer {
    /// The item of a cell by its row-major index; `number` is the number of the layer.
    pub(super) fn cell_item(&self, number: usize, index: usize) -> Item {
        let width = self.size[0].max(1) as usize;
        TileMap::cell_item(number, [index % width, index / width].map(|at| at as u32))
    }
}

impl TileMap {
    /// The cell of a layer in a column and row.
    pub(super) fn cell_in(&self, layer_number: usize, place: [u32; 2]) -> Option<CellAt<'_>> {
        let layer = self.layers.get(layer_number)?;
        let [x, y] = place;
        let [width, height] = layer.size;
        let index = y as usize * width as usize + x as usize;
        let is_there = x < width && y < height;
        let cell = *layer.cells.get(index).filter(|_| is_there)?;
        Some(CellAt {
            layer_number,
            layer,
            index,
            place,
            cell,
        })
    }

    /// A cell by its item.
    pub(super) fn cell_at(&self, item: Item) -> Option<CellAt<'_>> {
        match item {
            Item::TileMap(TileMapItem::Cell { layer, x, y }) => {
                self.cell_in(layer as usize, [x, y])
            }
            _ => None,
        }
    }

    /// A tile by its tileset and image.
    pub(super) fn tile(&self, tileset_number: usize, image: usize) -> Option<TileAt<'_>> {
        let tileset = self.tilesets.get(tileset_number)?;
        (image < tileset.image_count()).then_some(TileAt {
            map: self,
            tileset_number,
            tileset,
            image,
        })
    }

    /// A tile by its item.
    pub(super) fn tile_at(&self, item: Item) -> Option<TileAt<'_>> {
        match item {
            Item::TileMap(TileMapItem::Tile { tileset, index }) => {
                self.tile(tileset as usize, index as usize)
            }
            _ => None,
        }
    }

    /// The tile of a cell.
    pub(super) fn tile_of(&self, at: &CellAt<'_>) -> Option<TileAt<'_>> {
        self.tile(at.layer.tileset, at.cell.image()?)
    }

    /// An object by its item: its index, and itself.
    pub(super) fn object_at(&self, item: Item) -> Option<(usize, &Object)> {
        let index = match item {
            Item::TileMap(
                TileMapItem::Entity { index }
                | TileMapItem::Waypoint { index }
                | TileMapItem::ZoneArea { index }
                | TileMapItem::Sprite { index }
                | TileMapItem::Box { index }
                | TileMapItem::Line { index },
            ) => index as usize,
            _ => return None,
        };
        let is_it = self.object_item(index) == Some(item);
        Some((index, self.objects.get(index).filter(|_| is_it)?))
    }

    /// Display name of a layer.
    pub(super) fn layer_name(&self, layer: usize) -> String {
        let name = self.layers.get(layer).map_or("", |layer| &*layer.name);
        named_or(name, "Layer", layer)
    }

    /// Display name of a zone; for an undefined zone, its number and the reason.
    pub(super) fn zone_name(&self, zone: usize) -> String {
        match self.zones.get(zone) {
            Some(known) => named_or(&known.name, "Zone", zone),
            None if self.is_zone_not_read(zone) => format!("{zone} (not read)"),
            None => format!("{zone} (not described)"),
        }
    }

    /// Display name of an object.
    pub(super) fn object_name(&self, index: usize) -> String {
        let Some(object) = self.objects.get(index) else {
            return String::new();
        };
        if object.name.is_empty()
            && let Some(zone) = object.zone
            && object.kind == ObjectKind::ZoneArea
        {
            return self.zone_name(zone);
        }
        named_or(&object.name, object.kind.said().title, index)
    }

    /// Display name of a tileset.
    pub(super) fn tileset_name(&self, tileset: usize) -> String {
        let tilesets = self.tilesets.get(tileset);
        let name = tilesets.map_or("", |tileset| &*tileset.name);
        named_or(name, "Tileset", tileset)
    }

    /// The image of an object.
    pub(super) fn object_swatch(&self, object: &Object) -> Option<Swatch> {
        let image = object.image.filter(|image| *image < self.images.len())?;
        let tiles = self.tilesets.iter().map(Tileset::image_count);
        Some(Swatch::Thumbnail(tiles.sum::<usize>() + image))
    }
}

/// A name, or the kind and number if the name is empty.
fn named_or(name: &str, what: &str, number: usize) -> String {
    if name.trim().is_empty() {
        format!("{what} {number}")
    } else {
        name.to_owned()
    }
}
