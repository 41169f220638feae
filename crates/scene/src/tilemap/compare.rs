//! What a map is made of, for comparing it with another.

use std::ops::Range;

use super::grids::obstruction_name;
use super::items::number;
use super::{Grid, GridKind, Layer, ObjectKind, OwnTiles, TileMap, Unread};
use crate::diff::Parts;
use crate::{Origin, OwnLine, TileMapItem};
use mapscope_formats::Integers;

impl TileMap {
    /// All that the file has: the map, its layers with their cells, grids, zones and objects; of a
    /// tileset its tiles.
    pub(super) fn all_parts(&self) -> Vec<Parts<'_>> {
        let map = Parts::one("map", TileMapItem::Map);
        let mut parts = vec![map.lost(|_| self.facts.is_head_cut())];
        match self.facts.own_tiles() {
            OwnTiles::None => {}
            // The tiles are found by what the layers use of them, which needs the sheets.
            OwnTiles::Named => parts.push(self.named_tiles().for_finding()),
            OwnTiles::Images => {
                parts.extend(self.tileset_parts());
                parts.extend(self.facts.parts(self, None));
                return parts;
            }
        }
        if self.facts.is_layer() {
            parts.extend(self.layer_parts(0));
            return parts;
        }
        let layers = Parts::named("layer", self.layers.len(), |index| self.layer_name(index));
        // Those without names are found by their cells.
        let layers = layers.keys(|index| {
            let layer = self.layers.get(index);
            let layer = layer.filter(|_| self.facts.names_layers());
            layer.map_or_else(String::new, |layer| layer.name.clone())
        });
        let layers = layers.named_by_others();
        let layers = layers.items(|index| Some(Self::layer_item(index)));
        let layers = layers.lost(|index| self.facts.is_layer_cut(index));
        let layers = layers.unknown(|index, field| self.facts.is_field_cut(index, field));
        let layers = layers.cut(self.is_list_cut(|what| matches!(what, Unread::Layers(_))));
        parts.push(layers.made_of(|index| self.layer_parts(index)));
        parts.extend(self.grids_of(None));
        let zones = Parts::named("zone", self.zones.len(), |index| self.zone_name(index));
        // One without a name is no other where it has another number.
        let zones = zones.keys(|index| {
            let zone = self.zones.get(index);
            zone.map_or_else(String::new, |zone| zone.name.clone())
        });
        let zones = zones.cut(self.is_list_cut(|what| matches!(what, Unread::Zones(_))));
        let zones = zones.named_by_others();
        parts.push(zones.items(|index| Some(Self::zone_item(index))));
        parts.extend(ObjectKind::ALL.map(|kind| self.object_parts(kind)));
        parts.extend(self.facts.parts(self, None));
        parts
    }

    /// The cells of a layer, its grids, and what else it has.
    fn layer_parts(&self, index: usize) -> Vec<Parts<'_>> {
        let Some(layer) = self.layers.get(index) else {
            return Vec::new();
        };
        let cells = self.cell_parts(index, layer);
        let cells = [cells].into_iter().chain(self.grids_of(Some(index)));
        // What is in a file beside this one can be found, and makes no difference.
        let has_cells = self.facts.has_cells(index);
        let cells = cells.map(|list| if has_cells { list } else { list.for_finding() });
        cells.chain(self.facts.parts(self, Some(index))).collect()
    }

    /// The grids of a layer or of the map, and those of which nothing was read.
    fn grids_of(&self, layer: Option<usize>) -> impl Iterator<Item = Parts<'_>> {
        let grids = self.grids.iter().filter(move |grid| grid.layer == layer);
        let lost = self.grids_lost(layer).into_iter();
        let lost = lost.map(|kind| Parts::grid(grid_name(kind), [0; 2], place_name).cut(true));
        grids.map(|grid| self.grid_parts(grid)).chain(lost)
    }

    fn cell_parts<'a>(&'a self, layer_number: usize, layer: &'a Layer) -> Parts<'a> {
        let [columns, rows] = layer.size;
        let first_lost = self.first_cell_lost(layer_number);
        Parts::grid("cell", [rows, columns], place_name)
            .told_by_lines()
            .cells(move |[row, column]| Self::cell_item(layer_number, [column, row]))
            .lost_from(first_lost.unwrap_or(usize::MAX))
            .cut(self.is_size_unknown(layer_number))
            .memory(move |run| {
                let cells = self.facts.cells_in_file(self, layer_number)?;
                cells.get(run).map(bytemuck::cast_slice)
            })
            .bytes("bytes", move |index, bytes| {
                self.facts.cell_bytes(layer_number, index, bytes);
                if !bytes.is_empty() {
                    return;
                }
                let columns = columns.max(1) as usize;
                let place = [index % columns, index / columns].map(number);
                let Some(at) = self.cell_in(layer_number, place) else {
                    return;
                };
                // An image has another index in another tileset.
                let flags = at.cell.0 & !super::Cell::NOTHING;
                let tile = self.tile_in_file(&at).map_or(u64::MAX, u64::from);
                bytes.extend(tile.to_le_bytes());
                bytes.extend(flags.to_le_bytes());
                let tints = layer.tints.as_ref().and_then(|tints| tints.get(index));
                bytes.extend(tints.iter().flat_map(|corners| corners.as_flattened()));
            })
    }

    fn grid_parts<'a>(&'a self, grid: &'a Grid) -> Parts<'a> {
        let [columns, rows] = grid.size;
        let value = |index: usize| grid.values.get(index);
        let what = grid_name(grid.kind);
        let own = move |index| {
            let Some(value) = value(index) else {
                return Vec::new();
            };
            let said = match grid.kind {
                GridKind::Obstruction { .. } => obstruction_name(grid.kind, value).into(),
                GridKind::Zones => match usize::try_from(value) {
                    Ok(0) => "none".into(),
                    Ok(zone) if zone < self.zones.len() => {
                        format!("{zone} {}", self.zone_name(zone)).into()
                    }
                    _ => value.into(),
                },
                GridKind::Logic => serde_json::Value::from(value),
            };
            let place = self.facts.grid_place(grid, index);
            let place = place.map(|place| OwnLine::new(what, "Bytes", place).within(Origin::Place));
            let said = OwnLine::new(what, "", said);
            [said].into_iter().chain(place).collect()
        };
        // A grid of the map has the place of its lowest layer.
        let layer = grid.layer.unwrap_or(0);
        let list = Parts::grid(what, [rows, columns], place_name)
            .told_by_lines()
            .items(move |index| {
                let columns = columns.max(1) as usize;
                let place = [index % columns, index / columns].map(number);
                self.cell_in(layer, place).map(|at| at.item())
            })
            .owns(own)
            .lost_from(grid.values.len())
            .memory(move |run| in_memory(&grid.values, run))
            .bytes("value", move |index, bytes| {
                bytes.extend(value(index).into_iter().flat_map(u64::to_le_bytes));
            });
        if grid.kind != GridKind::Zones {
            return list;
        }
        // Where a zone is inserted, those behind it get other numbers. Number 0 is no zone.
        list.naming("zone", move |index| {
            let zone = usize::try_from(value(index)?).ok()?;
            (1..self.zones.len()).contains(&zone).then_some(zone)
        })
    }

    fn object_parts(&self, kind: ObjectKind) -> Parts<'_> {
        let objects = self.objects.iter().enumerate();
        let objects = objects.filter(|(_, object)| object.kind == kind);
        let indices: Vec<usize> = objects.map(|(index, _)| index).collect();
        let layers: Vec<Option<usize>> = indices
            .iter()
            .map(|index| self.objects.get(*index).and_then(|object| object.layer))
            .collect();
        let of_kind = indices.clone();
        let named = indices.clone();
        let key = move |number: usize| {
            let index = named.get(number).copied();
            let object = index.and_then(|index| self.objects.get(index));
            match index.filter(|_| kind == ObjectKind::ZoneArea) {
                Some(index) => self.object_name(index),
                None => object.map_or_else(String::new, |object| object.name.clone()),
            }
        };
        let object = move |number: usize| indices.get(number).copied();
        let name = move |number: usize| {
            let index = of_kind.get(number).copied();
            let object = index.and_then(|index| self.objects.get(index));
            let is_named = object.is_some_and(|object| !object.name.trim().is_empty());
            match index.filter(|_| is_named || kind == ObjectKind::ZoneArea) {
                Some(index) => self.object_name(index),
                // By its number among those of its kind.
                None => number.to_string(),
            }
        };
        let count = self
            .objects
            .iter()
            .filter(|object| object.kind == kind)
            .count();
        // What stands on layers is lost with them.
        let stands_on_layers = kind != ObjectKind::Waypoint;
        let is_cut = self.is_list_cut(|what| {
            what.is_of(kind) || stands_on_layers && matches!(what, Unread::Layers(_))
        });
        Parts::named(kind.item(0).kind(), count, name)
            .keys(key)
            .standing_on("layer", move |number| *layers.get(number)?)
            .ordered(self.facts.lists_objects_in_order())
            .items(move |number| self.object_item(object(number)?))
            .cut(is_cut)
    }

    /// The tiles that the file names, tileset by tileset.
    fn named_tiles(&self) -> Parts<'_> {
        let name = |index: usize| self.tileset_name(index);
        let tilesets = Parts::named("tileset", self.tilesets.len(), name);
        tilesets.owns(|_| Vec::new()).made_of(move |number| {
            let tiles = self
                .tilesets
                .get(number)
                .map_or(0, |tileset| tileset.tiles.len());
            let name = move |image: usize| {
                self.tile(number, image)
                    .map_or_else(String::new, |tile| tile.number())
            };
            let tiles = Parts::named("tile", tiles, name);
            vec![tiles.items(move |image| Some(Self::tile_item(number, image)))]
        })
    }

    /// The tileset of a file that is one, and its tiles.
    fn tileset_parts(&self) -> Vec<Parts<'_>> {
        let Some(tileset) = self.tilesets.first() else {
            return Vec::new();
        };
        let tiles = Parts::numbered("tile", tileset.tile_count());
        let tiles = tiles.items(|image| Some(Self::tile_item(0, image)));
        let tiles = tiles.lost(|image| self.is_image_lost(image));
        let tiles = tiles.cut(self.is_list_cut(|what| matches!(what, Unread::Images(_))));
        let tiles = tiles.bytes("pixels", |image, bytes| {
            let own = self.facts.tile_bytes(image);
            bytes.extend(own.or(tileset.image(image)).unwrap_or_default());
        });
        let tiles = tiles.owns(|image| {
            let place = self
                .facts
                .tile_place(image)
                .map(|place| OwnLine::new("Tile", "Bytes", place).within(Origin::Place));
            self.own_of(Self::tile_item(0, image))
                .into_iter()
                .chain(place)
                .collect()
        });
        vec![Parts::one("tileset", Self::tileset_item(0)), tiles]
    }
}

/// A run of integers as it lies in memory.
fn in_memory(values: &Integers, run: Range<usize>) -> Option<&[u8]> {
    match values {
        Integers::U8(list) => list.get(run),
        Integers::U16(list) => list.get(run).map(bytemuck::cast_slice),
        Integers::U32(list) => list.get(run).map(bytemuck::cast_slice),
        Integers::U64(list) => list.get(run).map(bytemuck::cast_slice),
    }
}

/// The column and the row of a cell.
fn place_name([row, column]: [u32; 2]) -> String {
    format!("{column},{row}")
}

/// What a number of a grid is called.
fn grid_name(kind: GridKind) -> &'static str {
    match kind {
        GridKind::Obstruction { .. } => "obstruction",
        GridKind::Zones => "zone cell",
        GridKind::Logic => "logic value",
    }
}
