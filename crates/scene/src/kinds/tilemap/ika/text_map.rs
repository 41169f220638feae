//! Text maps.

use std::collections::HashMap;

use serde_json::{Map as JsonMap, Value, json};

use super::cells::Numbers;
use super::map::{cell_properties, entity_rect, outside, parallax_numbers};
use super::properties::{bytes, direction_by_name, meta, meta_info, unpacked_of};
use super::tileset::Found;
use crate::kinds::tilemap::making::{Room, group, texts};
use crate::kinds::tilemap::{
    Cell, Facts, Grid, GridKind, Integers, Layer, LeftOut, Object, ObjectKind, RectPx, TileMap,
    Unread, Zone,
};
use crate::{InfoQuery, Property, PropertyGroup};
use mapscope_formats::ika::text_map::{Entity, FORMAT, Span, TextMap, UnknownNode, ZoneRect};
use mapscope_formats::quoted;

/// Obstruction bits represent sides (section 4).
const OBSTRUCTION: GridKind = GridKind::Obstruction { by_sides: true };

/// Builds a 2D map from a text map and its tileset.
pub fn document(mut map: TextMap, mut found: Found) -> TileMap {
    let mut problems = std::mem::take(&mut map.problems);
    let numbers = map.layers.iter().flat_map(|layer| &layer.tiles);
    let tileset = found.tileset(numbers, map.tileset_place.begin, &mut problems);
    let mut room = Room::new();
    let mut layers = Vec::with_capacity(map.layers.len());
    let mut numbers = Vec::with_capacity(map.layers.len());
    let mut grids = Vec::new();
    let mut objects = Vec::new();
    let mut left_out = Vec::new();
    // For duplicate names, the first zone counts.
    let mut zone_numbers = HashMap::new();
    for (number, zone) in map.zones.iter().enumerate() {
        zone_numbers.entry(zone.label.clone()).or_insert(number);
    }
    for (i, layer) in map.layers.iter_mut().enumerate() {
        let tiles = std::mem::take(&mut layer.tiles);
        let (mut cells, of_layer) = Numbers::into_cells(tiles, &tileset, found.promised);
        let place = layer.data.begin;
        let name = quoted(layer.label.as_bytes());
        problems.extend(outside(&of_layer, i, &name, layer.size, &tileset, place));
        layers.push(Layer {
            name: layer.label.clone(),
            size: room.fill(&mut cells, layer.size, Cell::EMPTY),
            position_px: layer.position,
            parallax: layer.parallax,
            wraps: layer.wrap,
            cells,
            ..Layer::default()
        });
        let mut values = std::mem::take(&mut layer.obstructions);
        left_out.extend([
            LeftOut::of_cells(
                Unread::Tiles(layer.size),
                Some(i),
                of_layer.count(),
                layer.tiles_not_read,
            ),
            LeftOut::of_cells(
                Unread::Grid(OBSTRUCTION, layer.size),
                Some(i),
                values.len(),
                layer.obstructions_not_read,
            ),
        ]);
        let of_lists = [
            LeftOut::of_list(
                Unread::Entities,
                layer.entities.len(),
                layer.entities_not_read,
            ),
            LeftOut::of_list(Unread::ZoneAreas, layer.zones.len(), layer.zones_not_read),
        ];
        left_out.extend(of_lists.map(|list| list.map(|list| list.of_layer(i))));
        numbers.push(of_layer);
        let size = room.reach(&mut values, layer.size);
        if !values.is_empty() {
            grids.push(Grid {
                kind: OBSTRUCTION,
                layer: Some(i),
                size,
                values: Integers::U8(values),
            });
        }
        // Objects are drawn relative to the position of their layer.
        let origin = layer.position.map(|px| px as f32);
        let at = |position: [i32; 2]| {
            let [x, y] = position.map(|px| px as f32);
            [x + origin[0], y + origin[1]]
        };
        let entities = layer.entities.iter();
        objects.extend(entities.map(|entity| entity_object(entity, i, at(entity.position))));
        objects.extend(layer.zones.iter().map(|zone| {
            let number = zone_numbers.get(&zone.label).copied();
            zone_object(zone, i, at(zone.position), number)
        }));
    }
    left_out.extend([
        LeftOut::of_list(Unread::Layers, map.layers.len(), map.layers_not_read),
        LeftOut::of_list(Unread::Zones, map.zones.len(), map.zones_not_read),
        LeftOut::of_list(
            Unread::Waypoints,
            map.waypoints.len(),
            map.waypoints_not_read,
        ),
    ]);
    objects.extend(map.waypoints.iter().map(|waypoint| {
        let at = waypoint.position.map(|px| px as f32);
        Object {
            rect_px: RectPx { min: at, max: at },
            properties: vec![group("In the file", vec![place(&waypoint.place)])],
            ..Object::new(ObjectKind::Waypoint, &*waypoint.label, None)
        }
    }));
    let zones = map
        .zones
        .iter()
        .map(|zone| {
            let mut properties: Vec<Property> = texts([("Script", &*zone.script)]).collect();
            properties.push(place(&zone.place));
            Zone {
                name: zone.label.clone(),
                properties: vec![group("In the file", properties)],
            }
        })
        .collect();
    problems.sort_by_key(|problem| problem.place);
    let mut made = TileMap {
        steps: TileMap::steps_in_file_order(&layers, &objects),
        tilesets: vec![tileset],
        layers,
        grids,
        zones,
        objects,
        left_out: left_out.into_iter().flatten().collect(),
        ..TileMap::new(
            &FORMAT,
            map.version.clone(),
            Box::new(TextFacts { map, numbers }),
        )
    };
    made.about.problems = problems;
    made.about.dependencies = found.dependencies;
    made.files = found.file.into_iter().collect();
    made.finished()
}

/// The position of a span in a text.
fn place(span: &Span) -> Property {
    Property::new("Place", format!("{}, {}", span.begin, bytes(&span.bytes))).place()
}

/// Unknown nodes, as written in the file.
fn own(nodes: &[UnknownNode]) -> impl Iterator<Item = Property> {
    /// Maximum number of listed nodes, and of words per node.
    const MAX: usize = 32;
    let texts = nodes.iter().take(MAX).map(|node| {
        let words: Vec<&str> = node.text.split_ascii_whitespace().take(MAX).collect();
        words.join(" ")
    });
    let more = nodes.len().checked_sub(MAX).filter(|more| *more > 0);
    let more = more.map(|more| Property::new("", format!("and {more} more")));
    texts.map(|text| Property::new("Node", text)).chain(more)
}

fn entity_object(entity: &Entity, layer: usize, at: [f32; 2]) -> Object {
    let mut properties = vec![
        Property::new("Direction", &*entity.direction),
        Property::amount("Speed", entity.speed, "pixels a second"),
        Property::flag("Stopped by the map", entity.is_obstructed_by_map),
        Property::flag("Stopped by entities", entity.is_obstructed_by_entities),
        Property::flag("Stops entities", entity.obstructs_entities),
    ];
    properties.extend(texts([
        ("Sprite", &*entity.sprite),
        ("Script", &*entity.activation_script),
        ("Script by touch", &*entity.adjacent_script),
        ("Move script", &*entity.move_script),
    ]));
    properties.extend(own(&entity.other));
    properties.push(place(&entity.place));
    Object {
        rect_px: entity_rect(at),
        faces: direction_by_name(&entity.direction),
        properties: vec![group("In the file", properties)],
        ..Object::new(ObjectKind::Entity, &*entity.label, Some(layer))
    }
}

fn zone_object(zone: &ZoneRect, layer: usize, at: [f32; 2], number: Option<usize>) -> Object {
    Object {
        rect_px: RectPx::at(at, zone.size.map(|px| px as f32)),
        zone: number,
        properties: vec![group("In the file", vec![place(&zone.place)])],
        ..Object::new(ObjectKind::ZoneArea, &*zone.label, Some(layer))
    }
}

/// File data of a map beyond the drawn content.
#[derive(Debug)]
struct TextFacts {
    /// The map without tiles and obstructions.
    map: TextMap,
    /// The tile numbers of each layer.
    numbers: Vec<Numbers>,
}

impl Facts for TextFacts {
    fn map(&self) -> Vec<PropertyGroup> {
        let map = &self.map;
        let [width, height] = map.size;
        let mut properties: Vec<Property> =
            texts([("Title", &*map.title), ("Tileset", &*map.tileset)]).collect();
        properties.push(Property::new("Size", format!("{width} x {height} pixels")));
        properties.extend(own(&map.other));
        let mut groups = vec![group("In the file", properties)];
        groups.extend(meta(&map.meta));
        groups
    }

    fn layer(&self, layer: usize) -> Vec<PropertyGroup> {
        let Some(layer) = self.map.layers.get(layer) else {
            return Vec::new();
        };
        let mut properties: Vec<Property> = own(&layer.other).collect();
        properties.extend([
            place(&layer.place),
            Property::new("Packed tiles", bytes(&layer.data.bytes)).derived(),
        ]);
        vec![group("In the file", properties)]
    }

    fn cell(&self, layer: usize, index: usize) -> Vec<PropertyGroup> {
        let (Some(layer), Some(numbers)) = (self.map.layers.get(layer), self.numbers.get(layer))
        else {
            return Vec::new();
        };
        let packed = format!("{}, in base64", bytes(&layer.data.bytes));
        cell_properties(numbers, index, packed, layer.tiles_not_read)
    }

    fn grid_place(&self, grid: &Grid, index: usize) -> Option<String> {
        Some(unpacked_of(grid, index))
    }

    fn tile_number(&self, layer: usize, index: usize) -> Option<u32> {
        self.numbers.get(layer)?.own(index)
    }

    fn cells_in_file<'a>(&'a self, map: &'a TileMap, layer: usize) -> Option<&'a [u32]> {
        let cells = &map.layers.get(layer)?.cells;
        Some(self.numbers.get(layer)?.all(cells))
    }

    fn info(&self, map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Value> {
        let file = &self.map;
        let layers = file.layers.iter().zip(&self.numbers).zip(&map.layers).map(
            |((layer, numbers), shown)| {
                json!({
                    "label": layer.label,
                    "size": layer.size,
                    "position": layer.position,
                    "parallax": parallax_numbers(layer.parallax),
                    "wrap": layer.wrap,
                    "tiles_sha256": numbers.sha256(&shown.cells),
                })
            },
        );
        let mut info = JsonMap::new();
        info.insert("title".to_owned(), json!(file.title));
        // In tiles, as for the other maps: the extent of the largest layers. The file's own size is
        // in pixels and may differ.
        let tile = map
            .tilesets
            .first()
            .map_or([1; 2], |tileset| tileset.tile_size);
        let canvas = map.canvas_px();
        let size = [0, 1].map(|axis| canvas[axis].div_ceil(u64::from(tile[axis].max(1))));
        info.insert("size".to_owned(), json!(size));
        info.insert("size_px".to_owned(), json!(file.size));
        info.insert("meta".to_owned(), meta_info(&file.meta));
        info.insert("tileset".to_owned(), json!(file.tileset));
        info.insert("layers".to_owned(), layers.collect());
        let zones = file.zones.iter().map(|zone| zone.label.as_str());
        info.insert("zones".to_owned(), zones.collect());
        let entities = file
            .layers
            .iter()
            .flat_map(|layer| &layer.entities)
            .map(|entity| entity.label.as_str());
        info.insert("entities".to_owned(), entities.collect());
        let waypoints = file
            .waypoints
            .iter()
            .map(|waypoint| waypoint.label.as_str());
        info.insert("waypoints".to_owned(), waypoints.collect());
        info
    }

    fn cpu_bytes(&self) -> u64 {
        let objects = self
            .map
            .layers
            .iter()
            .map(|layer| size_of_val(&*layer.entities) + size_of_val(&*layer.zones));
        let numbers = self.numbers.iter().map(Numbers::cpu_bytes);
        objects.sum::<usize>() as u64 + numbers.sum::<u64>()
    }
}
