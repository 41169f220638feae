//! Conversion of text maps to binary maps.

use std::collections::{BTreeSet, HashMap};

use mapscope_formats::ika::map::{Entity, Layer, Map, Zone};
use mapscope_formats::ika::text_map::{self, TextMap, ZoneRect};
use mapscope_formats::ika::{DIRECTIONS, MAX_TILES, Parallax};
use mapscope_formats::quoted;

use super::super::{ConversionReport, ConvertError, ItemNames, name_or};
use super::{
    MUSIC, RENDER_STRING, START, drawn, entity_name, layer_label, layer_name, pixels,
    render_string, tile_name,
};

/// Limits on the tiles added when all layers are enlarged to the largest: per existing tile, and
/// independent of the file.
const MAX_PADDING_FACTOR: u64 = 16;
const MAX_PADDING_BASE: u64 = 1 << 20;
/// Maximum number of tiles to set for the zones of a map.
const MAX_ZONE_TILES: u64 = 1 << 28;
/// Movement states of an entity, as indices into the list of states: still, and moved by a script.
const STILL: u32 = 0;
const SCRIPTED: u32 = 4;
/// Faces down, the engine's default for unknown words.
const DOWN: i32 = 1;

/// Converts a text map to a binary map; `tile_px` is the size of its tiles.
///
/// Properties of single layers are applied to the whole map.
pub(super) fn convert(
    text: &TextMap,
    tile_px: [u32; 2],
    told: &mut ConversionReport,
) -> Result<Map, ConvertError> {
    let size = size(text)?;
    let mut map = Map {
        tileset: text.tileset.clone(),
        size,
        layers: text
            .layers
            .iter()
            .map(|layer| filled_up(layer, size))
            .collect(),
        ..Map::default()
    };
    report_layer_losses(text, size, told);
    let [width, height] = size;
    let wanted = [
        pixels(width.into(), tile_px[0])?,
        pixels(height.into(), tile_px[1])?,
    ];
    if text.size != wanted {
        let ([w, h], [x, y]) = (text.size, wanted);
        told.loss(format!(
            "the size of the map changes from {w} x {h} pixels to that of its layers, {x} x {y}"
        ));
    }
    wrap(text, &mut map, told);
    obstruction(text, &mut map, told);
    let numbers = zones(text, &mut map);
    zone_numbers(text, &mut map, &numbers, tile_px, told)?;
    entities(text, &mut map, told);
    names(text, &mut map, tile_px, told);
    Ok(map)
}

/// The size of the largest layers, in tiles.
fn size(text: &TextMap) -> Result<[u32; 2], ConvertError> {
    let edge = |axis: usize| {
        text.layers
            .iter()
            .map(|layer| layer.size[axis])
            .max()
            .unwrap_or(0)
    };
    let size = [edge(0), edge(1)];
    let tiles = u64::from(size[0]) * u64::from(size[1]);
    if tiles == 0 {
        let text = "the map has no layers, which set the size of a binary map".to_owned();
        return Err(ConvertError::Unrepresentable(text));
    }
    let own: u64 = text
        .layers
        .iter()
        .map(|layer| layer.tiles.len() as u64)
        .sum();
    let all = tiles.saturating_mul(text.layers.len() as u64);
    if tiles > MAX_TILES
        || all
            > own
                .saturating_mul(MAX_PADDING_FACTOR)
                .saturating_add(MAX_PADDING_BASE)
    {
        let text = format!(
            "padding all layers to the largest takes {all} tiles instead of {own}, which is too many"
        );
        return Err(ConvertError::Unrepresentable(text));
    }
    Ok(size)
}

/// Copies a grid into a larger one, padded with 0.
fn enlarged<T: Copy + Default>(of: &[T], size: [u32; 2], to: [u32; 2]) -> Vec<T> {
    let [width, to_width] = [size[0] as usize, to[0] as usize];
    let mut all = vec![T::default(); to_width * to[1] as usize];
    if width > 0 {
        for (row, large) in of.chunks(width).zip(all.chunks_mut(to_width)) {
            for (to, from) in large.iter_mut().zip(row) {
                *to = *from;
            }
        }
    }
    all
}

fn filled_up(layer: &text_map::Layer, size: [u32; 2]) -> Layer {
    Layer {
        parallax: layer.parallax,
        tiles: enlarged(&layer.tiles, layer.size, size),
        ..Layer::default()
    }
}

/// The names of the layers that match a condition.
fn layers_where(text: &TextMap, predicate: impl Fn(usize, &text_map::Layer) -> bool) -> ItemNames {
    let layers = text.layers.iter().enumerate();
    let layers = layers.filter(|(number, layer)| predicate(*number, layer));
    layers
        .map(|(number, layer)| layer_name(number, &layer.label))
        .collect()
}

/// The names of the entities that match a condition, which also receives their layer.
fn entities_where(
    text: &TextMap,
    predicate: impl Fn(usize, &text_map::Entity) -> bool,
) -> ItemNames {
    let layers = text.layers.iter().enumerate();
    let entities = layers.flat_map(|(on, layer)| layer.entities.iter().map(move |it| (on, it)));
    let entities = entities
        .enumerate()
        .filter(|(_, (on, it))| predicate(*on, it));
    entities
        .map(|(number, (_, it))| entity_name(number, &it.label))
        .collect()
}

fn report_layer_losses(text: &TextMap, size: [u32; 2], told: &mut ConversionReport) {
    told.lost(
        layers_where(text, |_, layer| layer.size != size),
        "layer",
        "their size: they are padded to that of the map with tile 0",
    );
    told.lost(
        layers_where(text, |_, layer| layer.position != [0; 2]),
        "layer",
        "their position",
    );
    told.lost(
        layers_where(text, |number, layer| layer.label != layer_label(number)),
        "layer",
        "their name",
    );
    told.lost(
        layers_where(text, |number, _| number >= 10),
        "layer",
        "their visibility: only the first ten layers can be drawn",
    );
}

fn wrap(text: &TextMap, map: &mut Map, told: &mut ConversionReport) {
    map.wraps = text.layers.iter().any(|layer| layer.wrap == [true; 2]);
    told.lost(
        layers_where(text, |_, layer| layer.wrap != [map.wraps; 2]),
        "layer",
        "their wrapping, which becomes that of the whole map",
    );
}

fn obstruction(text: &TextMap, map: &mut Map, told: &mut ConversionReport) {
    map.obstruction = vec![0; map.tile_count() as usize];
    let obstructs = |layer: &&text_map::Layer| layer.obstructions.iter().any(|tile| *tile != 0);
    let layers: Vec<usize> = (0..text.layers.len())
        .filter(|number| text.layers.get(*number).as_ref().is_some_and(obstructs))
        .collect();
    for layer in layers.iter().filter_map(|number| text.layers.get(*number)) {
        let own = enlarged(&layer.obstructions, layer.size, map.size);
        for (tile, own) in map.obstruction.iter_mut().zip(own) {
            *tile |= own;
        }
    }
    if layers.len() > 1 {
        told.lost(
            layers_where(text, |number, _| layers.contains(&number)),
            "layer",
            "their own obstruction: a tile is blocked if any of them blocks it",
        );
    }
    let sides = map.obstruction.iter().enumerate();
    let sides = sides.filter(|(_, tile)| **tile > 1 && **tile != 0xF);
    let width = map.size[0] as usize;
    let sides: ItemNames = sides.map(|(index, _)| tile_name(index, width)).collect();
    told.lost(sides, "tile", "their open sides: all sides are blocked");
    told.lost(
        entities_where(text, |on, entity| {
            entity.is_obstructed_by_map && !layers.is_empty() && layers != [on]
        }),
        "entity",
        "their layer's obstruction, which becomes that of the whole map",
    );
}

/// Adds the zones to the map and returns the number of each by its label. Number 0 means no zone:
/// the first zone if it has no area, or else a placeholder.
fn zones(text: &TextMap, map: &mut Map) -> HashMap<String, u32> {
    let is_used = |label: &str| {
        let rects = text.layers.iter().flat_map(|layer| &layer.zones);
        rects.into_iter().any(|rect| rect.label == label)
    };
    if text.zones.first().is_some_and(|zone| is_used(&zone.label)) {
        map.zones.push(Zone::default());
    }
    let mut numbers = HashMap::new();
    for zone in &text.zones {
        let number = map.zones.len() as u32;
        numbers.entry(zone.label.clone()).or_insert(number);
        map.zones.push(Zone {
            name: zone.label.clone(),
            activation_script: zone.script.clone(),
            chance_percent: if number == 0 { 0 } else { 100 },
            ..Zone::default()
        });
    }
    numbers
}

/// The columns and rows of a rectangle that lie on the map, and `true` if the rectangle consists
/// exactly of them.
fn cells(rect: &ZoneRect, tile_px: [u32; 2], size: [u32; 2]) -> ([[u32; 2]; 2], bool) {
    let mut is_exact = true;
    let mut ranges = [[0; 2]; 2];
    for (axis, range) in ranges.iter_mut().enumerate() {
        let tile = i64::from(tile_px[axis]);
        let begin = i64::from(rect.position[axis]);
        let end = begin + i64::from(rect.size[axis]);
        let most = i64::from(size[axis]);
        is_exact &= begin % tile == 0
            && end % tile == 0
            && (0..=end).contains(&begin)
            && end <= most * tile;
        // A tile belongs to the zone if its centre does.
        let first = |px: i64| (px + tile / 2).div_euclid(tile).clamp(0, most) as u32;
        *range = [first(begin), first(end)];
    }
    (ranges, is_exact)
}

/// The label and position of a rectangle in messages.
fn rect_name(
    ZoneRect {
        label, position, ..
    }: &ZoneRect,
) -> String {
    let [x, y] = position;
    format!("{} at {x},{y}", quoted(label.as_bytes()))
}

fn zone_numbers(
    text: &TextMap,
    map: &mut Map,
    numbers: &HashMap<String, u32>,
    tile_px: [u32; 2],
    told: &mut ConversionReport,
) -> Result<(), ConvertError> {
    map.zone_numbers = vec![0; map.tile_count() as usize];
    let width = map.size[0] as usize;
    let [mut inexact, mut unknown, mut outside] = [const { Vec::new() }; 3];
    let mut overlapping = BTreeSet::new();
    let mut all = 0_u64;
    for rect in text.layers.iter().flat_map(|layer| &layer.zones) {
        let Some(number) = numbers.get(&rect.label) else {
            unknown.push(rect_name(rect));
            continue;
        };
        let ([[left, right], [top, bottom]], is_exact) = cells(rect, tile_px, map.size);
        if left >= right || top >= bottom {
            outside.push(rect_name(rect));
            continue;
        }
        inexact.extend((!is_exact).then(|| rect_name(rect)));
        all += u64::from(right - left) * u64::from(bottom - top);
        if all > MAX_ZONE_TILES {
            let text = format!("the zones have more than {MAX_ZONE_TILES} tiles together");
            return Err(ConvertError::Unrepresentable(text));
        }
        for y in top..bottom {
            let row = y as usize * width;
            let columns = row + left as usize..row + right as usize;
            let tiles = map.zone_numbers.get_mut(columns.clone());
            for (index, tile) in columns.zip(tiles.into_iter().flatten()) {
                if *tile != 0 && *tile != *number {
                    overlapping.insert(index);
                }
                *tile = *number;
            }
        }
    }
    told.lost(
        unknown.into_iter().collect::<ItemNames>(),
        "rectangle",
        "their label, because no zone has it",
    );
    told.lost(
        inexact.into_iter().collect::<ItemNames>(),
        "rectangle",
        "their edges, which are not aligned with tiles",
    );
    told.left_out(
        outside.into_iter().collect::<ItemNames>(),
        "rectangle",
        "outside the map, or empty",
    );
    let overlapping = overlapping.into_iter();
    let overlapping: ItemNames = overlapping.map(|index| tile_name(index, width)).collect();
    told.lost(overlapping, "tile", "all zones but the last");
    let layers = layers_where(text, |_, layer| !layer.zones.is_empty());
    if layers.count > 1 {
        told.lost(
            layers,
            "layer",
            "their zones, which become those of the whole map",
        );
    }
    Ok(())
}

fn entities(text: &TextMap, map: &mut Map, told: &mut ConversionReport) {
    let has_entities = |layer: &text_map::Layer| !layer.entities.is_empty();
    let last = text.layers.iter().rposition(has_entities);
    let highest = last.map_or(map.layers.len(), |number| number + 1);
    told.lost(
        entities_where(text, |on, _| on + 1 != highest),
        "entity",
        "their position below the layers above them",
    );
    let scrolls = |on: usize| {
        let layer = text.layers.get(on);
        layer.is_some_and(|layer| layer.parallax != Parallax::default())
    };
    told.lost(
        entities_where(text, |on, _| scrolls(on)),
        "entity",
        "their layer's parallax: that of the map is used",
    );
    told.lost(
        entities_where(text, |_, it| direction(&it.direction).is_none()),
        "entity",
        "the unknown name of their direction, which the engine reads as down",
    );
    told.lost(
        entities_where(text, |_, it| {
            !it.adjacent_script.is_empty() && !it.activation_script.is_empty()
        }),
        "entity",
        "their touch script",
    );
    let all = text.layers.iter().flat_map(|layer| &layer.entities);
    map.entities = all.map(entity).collect();
    map.render_string = render_string(map.layers.len(), highest);
}

/// The number of a direction that text maps have a word for.
fn direction(word: &str) -> Option<i32> {
    let known = DIRECTIONS.iter().take(DIRECTIONS.len() - 1);
    let number = known.into_iter().position(|known| *known == word);
    number.and_then(|number| i32::try_from(number).ok())
}

fn entity(entity: &text_map::Entity) -> Entity {
    let is_adjacent = entity.activation_script.is_empty() && !entity.adjacent_script.is_empty();
    let script = if is_adjacent {
        &entity.adjacent_script
    } else {
        &entity.activation_script
    };
    Entity {
        name: entity.label.clone(),
        position: entity.position,
        direction: direction(&entity.direction).unwrap_or(DOWN),
        speed: entity.speed,
        is_obstructed_by_map: entity.is_obstructed_by_map,
        is_obstructed_by_entities: entity.is_obstructed_by_entities,
        obstructs_entities: entity.obstructs_entities,
        sprite: entity.sprite.clone(),
        is_adjacent,
        activation_script: script.clone(),
        state: if entity.move_script.is_empty() {
            STILL
        } else {
            SCRIPTED
        },
        move_script: entity.move_script.clone(),
        ..Entity::default()
    }
}

/// Converts the title and the other metadata of the map.
fn names(text: &TextMap, map: &mut Map, tile_px: [u32; 2], told: &mut ConversionReport) {
    let title = Some(&text.title).filter(|title| !title.is_empty());
    let title: ItemNames = title
        .map(|title| quoted(title.as_bytes()))
        .into_iter()
        .collect();
    told.lost(title, "map", "their title");
    let mut keys = Vec::new();
    for (key, value) in &text.meta {
        match key.as_str() {
            MUSIC if map.music.is_empty() => map.music.clone_from(value),
            RENDER_STRING if is_same_order(map, value) => map.render_string.clone_from(value),
            _ => keys.push(quoted(key.as_bytes())),
        }
    }
    let keys: ItemNames = keys.into_iter().collect();
    told.lost(keys, "metadata key", "their value");
    let mut points = Vec::new();
    for point in &text.waypoints {
        let tile = |axis: usize| {
            let (px, size) = (point.position[axis], tile_px[axis] as i32);
            (size > 0 && px % size == 0).then(|| px / size)
        };
        match (tile(0), tile(1)) {
            (Some(x), Some(y)) if point.label == START && map.start == [0; 2] => map.start = [x, y],
            _ => points.push(name_or(&point.label, || "unnamed".to_owned())),
        }
    }
    let points: ItemNames = points.into_iter().collect();
    told.lost(points, "waypoint", "their position");
}

/// `true` if another render string draws the map in the same order.
fn is_same_order(map: &Map, other: &str) -> bool {
    let mut with_other = Map {
        render_string: other.to_owned(),
        layers: vec![Layer::default(); map.layers.len()],
        ..Map::default()
    };
    let other = (drawn(&with_other), with_other.draw_steps().len());
    with_other.render_string.clone_from(&map.render_string);
    let own = (drawn(&with_other), with_other.draw_steps().len());
    let is_same_entities = map.entities.is_empty() || own.0.1 == other.0.1;
    own.0.0 == other.0.0
        && is_same_entities
        && (own.1 == other.1 || map.entities.is_empty() && own.1 == other.1 + 1)
}
