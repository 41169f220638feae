//! Text maps.

use std::collections::HashMap;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::cells::Numbers;
use super::map::{entity_rect, outside, parallax_numbers, speed, tiles_sha256};
use super::properties::{direction_by_name, meta, meta_info};
use super::tileset::Found;
use crate::describe::value::{Fact, FactGroup, Value};
use crate::kinds::tilemap::making::{Room, said};
use crate::kinds::tilemap::stored::{CellData, bytes_of};
use crate::kinds::tilemap::{
    Cell, Facts, Grid, GridKind, Integers, Layer, LeftOut, ListPlace, Object, ObjectKind, RectPx,
    TileMap, Unread, Zone,
};
use crate::{InfoQuery, TileMapItem};
use mapscope_formats::ika::text_map::{Entity, FORMAT, Span, TextMap, UnknownNode, ZoneRect};
use mapscope_formats::{Place, quoted};

/// Obstruction bits represent sides (section 4).
const OBSTRUCTION: GridKind = GridKind::Obstruction { by_sides: true };

/// Builds a 2D map from a text map and its tileset.
pub fn document(mut map: TextMap, mut found: Found) -> TileMap {
    let mut problems = std::mem::take(&mut map.problems);
    let numbers = map.layers.iter().flat_map(|layer| &layer.tiles);
    let tileset = found.tileset(numbers, map.tileset_place.begin, &mut problems);
    let mut room = Room::new();
    let mut layers = Vec::with_capacity(map.layers.len());
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
        let count = of_layer.count();
        let mut values = std::mem::take(&mut layer.obstructions);
        layers.push(Layer {
            name: layer.label.clone(),
            size: room.fill(&mut cells, layer.size, Cell::EMPTY),
            position_px: layer.position,
            parallax: layer.parallax,
            wraps: layer.wrap,
            cells,
            stored: CellData::Numbers {
                numbers: of_layer,
                packed: layer.data.bytes.clone(),
                is_base64: true,
            }
            .into(),
            ..Layer::default()
        });
        left_out.extend([
            LeftOut::of_cells(
                Unread::Tiles(layer.size),
                Some(i),
                count,
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
        let size = room.reach(&mut values, layer.size);
        if !values.is_empty() {
            grids.push(Grid {
                kind: OBSTRUCTION,
                layer: Some(i),
                size,
                values: Integers::U8(values),
                place: ListPlace::Unpacked,
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
            ..Object::new(ObjectKind::Waypoint, &*waypoint.label, None)
        }
    }));
    let zones = map.zones.iter().map(|zone| Zone {
        name: zone.label.clone(),
    });
    let zones = zones.collect();
    problems.sort_by_key(|problem| problem.place);
    let mut made = TileMap {
        steps: TileMap::steps_in_file_order(&layers, &objects),
        tilesets: vec![tileset],
        layers,
        grids,
        zones,
        objects,
        left_out: left_out.into_iter().flatten().collect(),
        ..TileMap::new(&FORMAT, map.version.clone(), Box::new(TextFacts { map }))
    };
    made.about.problems = problems;
    made.about.dependencies = found.dependencies;
    made.files = found.file.into_iter().collect();
    made.finished()
}

/// The position of a span in a text.
fn place(span: &Span) -> Fact {
    let bytes = bytes_of(&span.bytes);
    let text = format!("{}, {}", span.begin, bytes.text().unwrap_or_default());
    let place = match span.begin {
        Place::Text { line, column } => Value::column(line, column).shown_as(text),
        Place::Offset(_) => bytes,
    };
    Fact::new("Place", place).place()
}

/// Unknown nodes, as written in the file.
fn nodes(nodes: &[UnknownNode]) -> Fact {
    /// Maximum number of listed nodes, and of words per node.
    const MAX: usize = 32;
    let texts = nodes.iter().map(|node| {
        let words: Vec<&str> = node.text.split_ascii_whitespace().take(MAX).collect();
        words.join(" ")
    });
    Fact::new("Node", Value::list(texts).showing(MAX)).keyed("nodes")
}

fn entity_object(entity: &Entity, layer: usize, at: [f32; 2]) -> Object {
    Object {
        rect_px: entity_rect(at),
        faces: direction_by_name(&entity.direction),
        ..Object::new(ObjectKind::Entity, &*entity.label, Some(layer))
    }
}

fn entity_facts(entity: &Entity) -> Vec<Fact> {
    vec![
        Fact::new("Direction", &*entity.direction),
        speed(entity.speed),
        Fact::new("Stopped by the map", entity.is_obstructed_by_map),
        Fact::new("Stopped by entities", entity.is_obstructed_by_entities),
        Fact::new("Stops entities", entity.obstructs_entities),
        said("Sprite", &entity.sprite),
        said("Script", &entity.activation_script),
        said("Script by touch", &entity.adjacent_script),
        said("Move script", &entity.move_script),
        nodes(&entity.other),
        place(&entity.place),
    ]
}

fn zone_object(zone: &ZoneRect, layer: usize, at: [f32; 2], number: Option<usize>) -> Object {
    Object {
        rect_px: RectPx::at(at, zone.size.map(|px| px as f32)),
        zone: number,
        ..Object::new(ObjectKind::ZoneArea, &*zone.label, Some(layer))
    }
}

/// File data of a map beyond the drawn content.
#[derive(Debug)]
struct TextFacts {
    /// The map without tiles and obstructions.
    map: TextMap,
}

impl TextFacts {
    /// File data of the object with this index: the entities and zones of each layer, then the
    /// waypoints.
    fn object(&self, mut index: usize) -> Option<Vec<Fact>> {
        for layer in &self.map.layers {
            if let Some(entity) = layer.entities.get(index) {
                return Some(entity_facts(entity));
            }
            index -= layer.entities.len();
            if let Some(zone) = layer.zones.get(index) {
                return Some(vec![place(&zone.place)]);
            }
            index -= layer.zones.len();
        }
        Some(vec![place(&self.map.waypoints.get(index)?.place)])
    }
}

impl Facts for TextFacts {
    fn of(&self, map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        let facts = match item {
            TileMapItem::Map => {
                let of = &self.map;
                let facts = [
                    said("Title", &of.title),
                    said("Tileset", &of.tileset),
                    Fact::new("Size", Value::size(of.size, "pixels")).keyed("size_px"),
                    nodes(&of.other),
                ];
                let facts = FactGroup::new("In the file", facts);
                return [facts].into_iter().chain(meta(&of.meta)).collect();
            }
            TileMapItem::Layer { index } => self.map.layers.get(index as usize).map(|layer| {
                let packed = Fact::new("Packed tiles", bytes_of(&layer.data.bytes));
                vec![
                    nodes(&layer.other),
                    place(&layer.place),
                    packed.keyed("packed_place").derived(),
                ]
            }),
            TileMapItem::Zone { index } => {
                let zone = self.map.zones.get(index as usize);
                zone.map(|zone| vec![said("Script", &zone.script), place(&zone.place)])
            }
            _ => {
                let object = map.object_at(item.into());
                object.and_then(|(index, _)| self.object(index))
            }
        };
        let facts = facts.map(|facts| FactGroup::new("In the file", facts));
        facts.into_iter().collect()
    }

    fn info(&self, map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Json> {
        let file = &self.map;
        let layers = file.layers.iter().zip(&map.layers).map(|(layer, shown)| {
            json!({
                "label": layer.label,
                "size": layer.size,
                "position": layer.position,
                "parallax": parallax_numbers(layer.parallax),
                "wrap": layer.wrap,
                "tiles_sha256": tiles_sha256(shown),
            })
        });
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
        objects.sum::<usize>() as u64
    }
}
