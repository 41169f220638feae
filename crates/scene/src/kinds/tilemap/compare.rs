//! The parts of a map, for comparison with another map.

use crate::{Compare, Item};
use std::rc::Rc;

use super::grids::obstruction_name;
use super::items::number;
use super::{Contents, Grid, GridKind, Layer, ObjectKind, TileMap};
use crate::describe::own::hex_text;
use crate::describe::value::{Fact, FactGroup, Value};
use crate::document::parts::{Content, Parts};
use crate::{OwnLine, TileMapItem};
use mapscope_formats::Integers;

impl TileMap {
    /// All parts of the file: the map, its layers with cells, grids, zones and objects; for a
    /// tileset, its tiles.
    pub(super) fn all_parts(&self) -> Vec<Parts<'_>> {
        if self.is_picture() {
            return self.picture_parts();
        }
        let mut parts = vec![Parts::one("map", TileMapItem::Map)];
        match self.form.contents {
            Contents::Map | Contents::Picture => {}
            // Tiles are located by their use in layers, which requires the sheets.
            Contents::NamedTiles => parts.push(self.named_tiles().not_compared()),
            Contents::Tiles => {
                parts.extend(self.tileset_parts());
                parts.extend(self.facts.parts(self, None));
                return parts;
            }
            Contents::Layer => {
                parts.extend(self.layer_parts(0));
                return parts;
            }
        }
        let layers = Parts::named("layer", self.layers.len(), |index| self.layer_name(index))
            // Layers without names are matched by their cells.
            .keys(|index| {
                let layer = self.layers.get(index);
                let layer = layer.filter(|_| !self.form.has_unnamed_layers);
                layer.map_or_else(String::new, |layer| layer.name.clone())
            })
            .referenced_by_index()
            .items(|index| Some(Self::layer_item(index)))
            .with_children(|index| self.layer_parts(index));
        parts.push(layers);
        parts.extend(self.grids_of(None));
        let zones = Parts::named("zone", self.zones.len(), |index| self.zone_name(index))
            // An unnamed zone is the same zone even if its number changes.
            .keys(|index| {
                let zone = self.zones.get(index);
                zone.map_or_else(String::new, |zone| zone.name.clone())
            })
            .referenced_by_index()
            .items(|index| Some(Self::zone_item(index)));
        parts.push(zones);
        parts.extend(ObjectKind::ALL.map(|kind| self.object_parts(kind)));
        parts.extend(self.facts.parts(self, None));
        parts
    }

    /// The cells of a layer, its grids, and its other parts.
    fn layer_parts(&self, index: usize) -> Vec<Parts<'_>> {
        let Some(layer) = self.layers.get(index) else {
            return Vec::new();
        };
        let cells = [self.cell_parts(index, layer)]
            .into_iter()
            .chain(self.grids_of(Some(index)));
        // Cells from another file can be found but do not count as differences.
        let is_elsewhere = layer.stored.is_elsewhere;
        let cells = cells.map(|list| {
            if is_elsewhere {
                list.not_compared()
            } else {
                list
            }
        });
        cells.chain(self.facts.parts(self, Some(index))).collect()
    }

    /// The grids of a layer or of the map.
    fn grids_of(&self, layer: Option<usize>) -> impl Iterator<Item = Parts<'_>> {
        let grids = self.grids.iter().filter(move |grid| grid.layer == layer);
        grids.map(|grid| self.grid_parts(grid))
    }

    fn cell_parts<'a>(&'a self, layer_number: usize, layer: &'a Layer) -> Parts<'a> {
        let [columns, rows] = layer.size;
        let first_lost = self.first_unread_cell(layer_number);
        Parts::grid("cell", [rows, columns], place_name)
            .cells(move |[row, column]| Self::cell_item(layer_number, [column, row]))
            .up_to(first_lost.unwrap_or(usize::MAX).min(layer.cells.len()))
            .contents(move |run, content| {
                let cells = layer.stored.all(&layer.cells).get(run);
                content.bytes(bytemuck::cast_slice(cells.unwrap_or_default()));
            })
    }

    fn grid_parts<'a>(&'a self, grid: &'a Grid) -> Parts<'a> {
        let [columns, rows] = grid.size;
        let what = grid_name(grid.kind);
        // Number 0 is no zone. Inserting a zone renumbers the following ones.
        let zone = move |value: u64| {
            let zone = usize::try_from(value).ok();
            zone.filter(|zone| grid.kind == GridKind::Zones && (1..self.zones.len()).contains(zone))
        };
        let own = move |index| {
            let Some(value) = grid.values.get(index) else {
                return Vec::new();
            };
            let said = match (grid.kind, zone(value)) {
                (GridKind::Obstruction { .. }, _) => {
                    Value::from(value).shown_as(obstruction_name(grid.kind, value))
                }
                (_, Some(zone)) => Value::reference(zone, self.zone_name(zone))
                    .with_index()
                    .naming("zone", zone, ""),
                (GridKind::Zones, None) if value == 0 => Value::from(0).shown_as("none"),
                _ => value.into(),
            };
            let place = grid.place.of(index, grid.values.bits() as usize / 8);
            let facts = [
                Fact::new("", said).keyed(""),
                Fact::new("Bytes", place).place(),
            ];
            FactGroup::new(what, facts).own()
        };
        // Cells of the map's grids are placed on its lowest layer.
        let layer = grid.layer.unwrap_or(0);
        Parts::grid(what, [rows, columns], place_name)
            .items(move |index| {
                let columns = columns.max(1) as usize;
                let place = [index % columns, index / columns].map(number);
                self.cell_in(layer, place).map(|at| at.item())
            })
            .owns(own)
            .up_to(grid.values.len())
            .contents(move |run, content| {
                if grid.kind != GridKind::Zones || content.are_numbers_same("zone") {
                    return add_integers(&grid.values, run, content);
                }
                for value in run.filter_map(|index| grid.values.get(index)) {
                    match zone(value) {
                        Some(zone) => content.part("zone", zone),
                        None => content.bytes(&value.to_le_bytes()),
                    }
                }
            })
    }

    fn object_parts(&self, kind: ObjectKind) -> Parts<'_> {
        let objects = self
            .objects
            .iter()
            .enumerate()
            .filter(|(_, object)| object.kind == kind);
        let indices: Rc<[usize]> = objects.map(|(index, _)| index).collect();
        let count = indices.len();
        let index = move |number: usize| indices.get(number).copied();
        let object = {
            let index = index.clone();
            move |number: usize| self.objects.get(index(number)?)
        };
        let name = {
            let (index, object) = (index.clone(), object.clone());
            move |number: usize, is_key: bool| {
                let name = object(number).map_or("", |object| &object.name);
                match index(number).filter(|_| kind == ObjectKind::ZoneArea) {
                    Some(index) => self.object_name(index),
                    None if is_key => name.to_owned(),
                    // Named by its number among objects of its kind.
                    None if name.trim().is_empty() => number.to_string(),
                    None => index(number).map_or_else(String::new, |it| self.object_name(it)),
                }
            }
        };
        let (key, place) = (name.clone(), object.clone());
        Parts::named(kind.item(0).kind(), count, move |number| {
            name(number, false)
        })
        .keys(move |number| key(number, true))
        .of("layer", move |number| object(number)?.layer)
        .at(move |number| Some(place(number)?.rect_px.min.map(|px| px as i64)))
        .ordered(!self.form.has_sorted_objects)
        .items(move |number| self.object_item(index(number)?))
    }

    /// The tiles that the file names, tileset by tileset.
    fn named_tiles(&self) -> Parts<'_> {
        let name = |index: usize| self.tileset_name(index);
        let tilesets = Parts::named("tileset", self.tilesets.len(), name);
        tilesets.owns(|_| Vec::new()).with_children(move |number| {
            let tiles = self
                .tilesets
                .get(number)
                .map_or(0, |tileset| tileset.tiles.len());
            let name = move |image: usize| {
                let tile = self.tile(number, image);
                tile.map_or_else(String::new, |tile| tile.number())
            };
            let tiles = Parts::named("tile", tiles, name);
            vec![tiles.items(move |image| Some(Self::tile_item(number, image)))]
        })
    }

    /// The tileset of a tileset file, and its tiles.
    fn tileset_parts(&self) -> Vec<Parts<'_>> {
        let Some(tileset) = self.tilesets.first() else {
            return Vec::new();
        };
        let read = (0..tileset.tile_count()).take_while(|image| !self.is_image_unread(*image));
        let tiles = Parts::list("tile", read.count())
            .items(|image| Some(Self::tile_item(0, image)))
            .contents(move |run, content| {
                run.for_each(|image| content.bytes(tileset.stored_bytes(image)));
            })
            .owns(move |image| {
                let mut own = self.own_of(Self::tile_item(0, image));
                let facts = [
                    Fact::new("pixels", hex_text(tileset.stored_bytes(image))),
                    Fact::new("Bytes", tileset.image_place(image)).place(),
                ];
                own.extend(FactGroup::new("Tile", facts).own());
                own
            });
        vec![Parts::one("tileset", Self::tileset_item(0)), tiles]
    }
}

/// Adds a run of integers.
fn add_integers(values: &Integers, run: std::ops::Range<usize>, content: &mut Content<'_>) {
    let bytes = match values {
        Integers::U8(list) => list.get(run),
        Integers::U16(list) => list.get(run).map(bytemuck::cast_slice),
        Integers::U32(list) => list.get(run).map(bytemuck::cast_slice),
        Integers::U64(list) => list.get(run).map(bytemuck::cast_slice),
    };
    content.bytes(bytes.unwrap_or_default());
}

/// The column and the row of a cell.
fn place_name([row, column]: [u32; 2]) -> String {
    format!("{column},{row}")
}

/// Kind name of a grid's numbers.
fn grid_name(kind: GridKind) -> &'static str {
    match kind {
        GridKind::Obstruction { .. } => "obstruction",
        GridKind::Zones => "zone cell",
        GridKind::Logic => "logic value",
    }
}

impl Compare for TileMap {
    fn parts(&self) -> Vec<Parts<'_>> {
        self.all_parts()
    }

    fn other_parts(&self) -> Vec<Parts<'_>> {
        let tiles = self.tilesets.iter().enumerate().map(|(number, tileset)| {
            Parts::list("tile", tileset.tile_count())
                .items(move |image| Some(Self::tile_item(number, image)))
                .not_compared()
        });
        tiles.collect()
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        self.own_of(item)
    }
}
