//! Binary maps.

use std::collections::HashMap;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::cells::Numbers;
use super::properties::{faces, named, packed};
use super::tileset::Found;
use crate::core::rules;
use crate::describe::value::{Fact, FactGroup, Value};
use crate::kinds::tilemap::making::{Room, said, sha256};
use crate::kinds::tilemap::stored::{CellData, bytes_of};
use crate::kinds::tilemap::{
    Cell, Facts, FileForm, Grid, GridKind, Integers, Layer, LeftOut, ListPlace, Object, ObjectKind,
    Parallax, Pass, RectPx, Step, TileMap, Tileset, Unread, Zone,
};
use crate::{InfoQuery, TileMapItem};
use mapscope_formats::ika::DIRECTIONS;
use mapscope_formats::ika::map::{self, DrawStep, Entity, FORMAT, Map, STATES};
use mapscope_formats::{Place, Problem, Rest, Subject};

/// Offset of the tileset's name in a file.
const TILESET_AT: Place = Place::Offset(6);
/// Side of the box of an entity whose sprite is unknown, in pixels (section 3).
pub(super) const ENTITY_SIDE: f32 = 16.0;
/// Entity states for wandering in the rectangle, and in the zone.
const WANDERS_IN_RECT: u32 = 2;
const WANDERS_IN_ZONE: u32 = 3;
/// Any nonzero obstruction byte blocks.
const OBSTRUCTION: GridKind = GridKind::Obstruction { by_sides: false };

/// Builds a 2D map from a binary map and its tileset.
pub fn document(mut map: Map, mut found: Found) -> TileMap {
    let mut problems = std::mem::take(&mut map.problems);
    let numbers = map.layers.iter().flat_map(|layer| &layer.tiles);
    let tileset = found.tileset(numbers, TILESET_AT, &mut problems);
    let mut room = Room::new();
    let mut layers = Vec::with_capacity(map.layers.len());
    let mut left_out = Vec::new();
    for (i, layer) in map.layers.iter_mut().enumerate() {
        let tiles = std::mem::take(&mut layer.tiles);
        let (mut cells, of_layer) = Numbers::into_cells(tiles, &tileset, found.promised);
        // Numbered from 0, as in problems and JSON.
        let name = format!("Layer {i}");
        left_out.extend(LeftOut::of_cells(
            Unread::Tiles(map.size),
            Some(i),
            of_layer.count(),
            layer.not_read,
        ));
        let place = Place::Offset(layer.block.start);
        problems.extend(outside(&of_layer, i, &name, map.size, &tileset, place));
        layers.push(Layer {
            size: room.fill(&mut cells, map.size, Cell::EMPTY),
            name,
            parallax: layer.parallax,
            // Maps wrap along both axes or not at all (section 7.9).
            wraps: [map.wraps; 2],
            cells,
            stored: CellData::Numbers {
                numbers: of_layer,
                packed: layer.block.clone(),
                is_base64: false,
            }
            .into(),
            ..Layer::default()
        });
    }
    left_out.extend(left_out_of_map(&map));
    let grids = grids(&mut map, &mut room);
    let mut numbers_of_zones = HashMap::new();
    let named = |(_, zone): &(usize, &map::Zone)| !zone.name.is_empty();
    for (number, zone) in map.zones.iter().enumerate().filter(named) {
        numbers_of_zones.entry(&*zone.name).or_insert(number);
    }
    let objects = map
        .entities
        .iter()
        .map(|entity| object(entity, &tileset, &numbers_of_zones))
        .collect();
    let zones = map.zones.iter().map(|zone| Zone {
        name: zone.name.clone(),
    });
    let zones = zones.collect();
    problems.sort_by_key(|problem| problem.place);
    let mut made = TileMap {
        steps: steps(&map),
        tilesets: vec![tileset],
        layers,
        grids,
        zones,
        objects,
        left_out,
        form: FileForm {
            has_unnamed_layers: true,
            has_single_size: true,
            ..FileForm::default()
        },
        ..TileMap::new(&FORMAT, "6", Box::new(MapFacts { map }))
    };
    made.about.problems = problems;
    made.about.dependencies = found.dependencies;
    made.files = found.file.into_iter().collect();
    made.finished()
}

/// Unread parts of a map other than the tiles of its layers.
fn left_out_of_map(map: &Map) -> impl Iterator<Item = LeftOut> {
    let layers = match map.layers_not_read {
        0 => Rest::Nothing,
        more => Rest::Count(more),
    };
    let all = [
        LeftOut::of_list(Unread::Layers, map.layers.len(), layers),
        LeftOut::of_cells(
            Unread::Grid(OBSTRUCTION, map.size),
            None,
            map.obstruction.len(),
            map.obstruction_not_read,
        ),
        LeftOut::of_cells(
            Unread::Grid(GridKind::Zones, map.size),
            None,
            map.zone_numbers.len(),
            map.zone_numbers_not_read,
        ),
        LeftOut::of_list(Unread::Zones, map.zones.len(), map.zones_not_read),
        LeftOut::of_list(Unread::Entities, map.entities.len(), map.entities_not_read),
    ];
    all.into_iter().flatten()
}

/// A warning about tile numbers that the tileset lacks, once per layer (section 7.11).
pub(super) fn outside(
    numbers: &Numbers,
    layer: usize,
    name: &str,
    [width, _]: [u32; 2],
    tileset: &Tileset,
    place: Place,
) -> Option<Problem> {
    // Without a tileset, no number is invalid.
    let (count, index, number) = numbers.outside().filter(|_| !tileset.is_placeholder)?;
    let (x, y) = (index % width.max(1) as usize, index / width.max(1) as usize);
    let tiles = numbers.limit();
    let more = match count - 1 {
        0 => String::new(),
        more => format!(", and {more} more like it"),
    };
    let subject = Subject::Cell {
        layer: layer as u32,
        x: x as u32,
        y: y as u32,
    };
    Some(Problem::new(
        &rules::TILE_NUMBER,
        subject,
        place,
        format!(
            "{name}: tile number {number} at ({x}, {y}){more}; expected a number below {tiles}, \
             the tile count of the tileset"
        ),
    ))
}

/// Drawing order: the first layer is opaque and includes its tile 0, the others are drawn over it
/// without their tile 0 (sections 3 and 7.10).
fn steps(map: &Map) -> Vec<Step> {
    let mut is_first = true;
    let steps = map.draw_steps().into_iter().map(|step| match step {
        DrawStep::Layer(layer) => {
            let is_first = std::mem::take(&mut is_first);
            Step::Layer {
                layer,
                skips_zero: !is_first,
                is_opaque: is_first,
                pass: Pass::All,
            }
        }
        DrawStep::Entities => Step::Objects { layer: None },
    });
    steps.collect()
}

/// Obstruction and zones. Like the entities, they belong to the map, not to a layer (section 2,
/// rows 11 and 12).
fn grids(map: &mut Map, room: &mut Room) -> Vec<Grid> {
    let mut obstruction = std::mem::take(&mut map.obstruction);
    let mut zones = std::mem::take(&mut map.zone_numbers);
    let mut grids = Vec::new();
    let mut add = |kind, size: [u32; 2], values: Integers| {
        if !values.is_empty() {
            grids.push(Grid {
                kind,
                layer: None,
                size,
                values,
                place: ListPlace::Unpacked,
            });
        }
    };
    let size = room.reach(&mut obstruction, map.size);
    add(OBSTRUCTION, size, Integers::U8(obstruction));
    let size = room.reach(&mut zones, map.size);
    add(GridKind::Zones, size, Integers::U32(zones));
    grids
}

fn zone_facts(zone: &map::Zone) -> Vec<FactGroup> {
    let facts = [
        said("Description", &zone.description),
        said("Script", &zone.activation_script),
        said("Script for entities", &zone.entity_script),
        Fact::new("Chance", Value::amount(zone.chance_percent, "of 100")).keyed("chance_percent"),
        Fact::new("Delay", Value::amount(zone.delay_steps, "steps")).keyed("delay_steps"),
        Fact::new("Activated from beside", zone.is_adjacent),
        Fact::new("Bytes", bytes_of(&zone.place)).place(),
    ];
    vec![FactGroup::new("In the file", facts)]
}

/// The box of an entity whose upper left corner is at a pixel.
pub(super) fn entity_rect([x, y]: [f32; 2]) -> RectPx {
    RectPx {
        min: [x, y],
        max: [x + ENTITY_SIDE, y + ENTITY_SIDE],
    }
}

fn object(entity: &Entity, tileset: &Tileset, zones: &HashMap<&str, usize>) -> Object {
    // In any other state, the names of zone and rectangle have no meaning.
    let wander_zone = zones.get(&*entity.wander_zone).copied();
    Object {
        rect_px: entity_rect(entity.position.map(|px| px as f32)),
        faces: faces(entity.direction.into()),
        zone: wander_zone.filter(|_| entity.state == WANDERS_IN_ZONE),
        wander_px: (entity.state == WANDERS_IN_RECT).then(|| wander_rect(entity, tileset)),
        ..Object::new(ObjectKind::Entity, &*entity.name, None)
    }
}

fn entity_facts(entity: &Entity) -> Vec<FactGroup> {
    let in_the_file = [
        Fact::new("Direction", named(entity.direction.into(), &DIRECTIONS)),
        speed(entity.speed),
        Fact::new("Stopped by the map", entity.is_obstructed_by_map),
        Fact::new("Stopped by entities", entity.is_obstructed_by_entities),
        Fact::new("Stops entities", entity.obstructs_entities),
        Fact::new("Activated by touch", entity.is_adjacent),
        said("Sprite", &entity.sprite),
        said("Script", &entity.activation_script),
    ];
    let [left, top, right, bottom] = entity.wander_rect;
    let rect = format!("left {left}  top {top}  right {right}  bottom {bottom}");
    let movement = [
        Fact::new("State", named(entity.state.into(), &STATES)),
        said("Script", &entity.move_script),
        Fact::new("Wander steps", entity.wander_steps),
        Fact::new("Wander delay", entity.wander_delay),
        Fact::new(
            "Wander rectangle",
            Value::from(entity.wander_rect).shown_as(rect),
        ),
        said("Wander zone", &entity.wander_zone),
        said("Chases", &entity.chase_target),
        Fact::new("Chase distance", entity.chase_distance),
    ];
    let place = Fact::new("Bytes", bytes_of(&entity.place)).place();
    vec![
        FactGroup::new("In the file", in_the_file),
        FactGroup::new("Movement", movement),
        FactGroup::new("Place", [place]),
    ]
}

/// The speed of an entity.
pub(super) fn speed(px_per_s: i32) -> Fact {
    let speed = Value::amount(px_per_s, "pixels a second");
    Fact::new("Speed", speed).keyed("speed_px_per_s")
}

/// The wander rectangle of an entity, assuming units of tiles as in VERGE's maps (section 7.23).
/// The tiles at its edges are included.
fn wander_rect(entity: &Entity, tileset: &Tileset) -> RectPx {
    let [left, top, right, bottom] = entity.wander_rect.map(|tile| tile as f32);
    let [width, height] = tileset.tile_size.map(|px| px as f32);
    RectPx {
        min: [left * width, top * height],
        max: [(right + 1.0) * width, (bottom + 1.0) * height],
    }
}

/// File data of a map beyond the drawn content.
#[derive(Debug)]
struct MapFacts {
    /// The map without tiles, obstruction and zone numbers.
    map: Map,
}

impl Facts for MapFacts {
    fn of(&self, _map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        let facts = match item {
            TileMapItem::Map => Some(map_facts(&self.map)),
            TileMapItem::Layer { index } => {
                let layer = self.map.layers.get(index as usize);
                layer.map(|layer| layer_facts(index, layer))
            }
            TileMapItem::Zone { index } => self.map.zones.get(index as usize).map(zone_facts),
            TileMapItem::Entity { index } => {
                self.map.entities.get(index as usize).map(entity_facts)
            }
            _ => None,
        };
        facts.unwrap_or_default()
    }

    fn info(&self, map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Json> {
        let file = &self.map;
        let layers = file.layers.iter().zip(&map.layers).map(|(layer, shown)| {
            json!({
                "label": shown.name,
                "size": file.size,
                "parallax": parallax_numbers(layer.parallax),
                "tiles_sha256": tiles_sha256(shown),
            })
        });
        let mut info = JsonMap::new();
        info.insert("size".to_owned(), json!(file.size));
        info.insert("tileset".to_owned(), json!(file.tileset));
        info.insert("music".to_owned(), json!(file.music));
        info.insert("layers".to_owned(), layers.collect());
        let zones = file.zones.iter().map(|zone| zone.name.as_str());
        info.insert("zones".to_owned(), zones.collect());
        let entities = file.entities.iter().map(|entity| entity.name.as_str());
        info.insert("entities".to_owned(), entities.collect());
        info.insert("render_string".to_owned(), json!(file.render_string));
        info.insert("round".to_owned(), json!(file.wraps));
        info.insert("start".to_owned(), json!(file.start));
        info
    }

    fn cpu_bytes(&self) -> u64 {
        let lists = size_of_val(&*self.map.zones) + size_of_val(&*self.map.entities);
        lists as u64
    }
}

fn map_facts(map: &Map) -> Vec<FactGroup> {
    let [x, y] = map.start;
    let facts = [
        Fact::new("Tiles", Value::size(map.size, "")).keyed("size"),
        Fact::new("Render string", &*map.render_string),
        Fact::new(
            "Start",
            Value::from(map.start).shown_as(format!("tile {x}, {y}")),
        ),
        Fact::new("Wraps", map.wraps).keyed("round"),
        said("Tileset", &map.tileset),
        said("Music", &map.music),
        Fact::new("Obstruction", packed(&map.obstruction_block))
            .keyed("obstruction_place")
            .derived(),
        Fact::new("Zone map", packed(&map.zone_block))
            .keyed("zone_map_place")
            .derived(),
    ];
    vec![FactGroup::new("In the file", facts)]
}

fn layer_facts(number: u32, layer: &map::Layer) -> Vec<FactGroup> {
    // Digits begin with 1, and 0 is the tenth (section 3).
    let digit = (number < 10).then_some((number + 1) % 10);
    let digit = digit.map(|digit| Value::from(digit).shown_as(format!("`{digit}`")));
    let facts = [
        Fact::new("Packed tiles", packed(&layer.block)).place(),
        Fact::new("In the render string", digit).derived(),
    ];
    vec![FactGroup::new("In the file", facts)]
}

/// The hash of the tile numbers of a layer as 32-bit little-endian integers.
pub(super) fn tiles_sha256(layer: &Layer) -> String {
    let numbers = layer.stored.all(&layer.cells);
    if cfg!(target_endian = "big") {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        return sha256(&bytes);
    }
    sha256(bytemuck::cast_slice(numbers))
}

/// The numbers of a parallax in the order of the contract: mulx, divx, muly, divy.
pub(super) fn parallax_numbers(Parallax { mul, div }: Parallax) -> [i32; 4] {
    [mul[0], div[0], mul[1], div[1]]
}
