//! Conversion of binary maps to text maps.

use mapscope_formats::ika::map::{Entity, Map, Zone};
use mapscope_formats::ika::text_map::{self, Span, TextMap, Waypoint, ZoneRect};
use mapscope_formats::ika::{DIRECTIONS, Parallax};

use super::super::{ConversionReport, ConvertError, ItemNames, name_or};
use super::{
    MUSIC, RENDER_STRING, START, drawn, entity_name, layer_label, pixels, render_string, sign,
    tile_name,
};

/// Maximum number of rectangles for the zones of a map; each of them is a text of its own.
const MAX_RECTS: usize = 1 << 16;
/// The number of tiles without a zone.
const NO_ZONE: u32 = 0;
/// Movement states of an entity, as indices into the list of states: still, and moved by a script.
const STILL: u32 = 0;
const SCRIPTED: u32 = 4;

/// Converts a binary map to a text map; `tile_px` is the size of its tiles.
///
/// Layers are in drawing order. Obstruction, zones and entities become those of the layer below the
/// entities.
pub(super) fn convert(
    map: &Map,
    tile_px: [u32; 2],
    told: &mut ConversionReport,
) -> Result<TextMap, ConvertError> {
    let (order, hidden, below_entities) = order(map, told);
    let stage = below_entities.map_or(order.len(), |below| hidden + below);
    let stage = stage.saturating_sub(1);
    let [width, height] = map.size;
    let (zones, labels) = zones(map, told);
    let mut text = TextMap {
        version: "1.2".to_owned(),
        size: [
            pixels(width.into(), tile_px[0])?,
            pixels(height.into(), tile_px[1])?,
        ],
        tileset: map.tileset.clone(),
        zones,
        ..TextMap::default()
    };
    let meta = [
        (MUSIC, map.music.clone()),
        (RENDER_STRING, reordered(map, &order, stage + 1)),
    ];
    let meta = meta.into_iter().filter(|(_, value)| !value.is_empty());
    text.meta = meta.map(|(key, value)| (key.to_owned(), value)).collect();
    if map.start != [0; 2] {
        let [x, y] = map.start;
        text.waypoints.push(Waypoint {
            label: START.to_owned(),
            position: [pixels(x.into(), tile_px[0])?, pixels(y.into(), tile_px[1])?],
            place: Span::default(),
        });
    }
    for number in &order {
        let Some(layer) = map.layers.get(*number) else {
            continue;
        };
        text.layers.push(text_map::Layer {
            label: layer_label(*number),
            size: map.size,
            parallax: layer.parallax,
            wrap: [map.wraps; 2],
            tiles: layer.tiles.clone(),
            obstructions: vec![0; layer.tiles.len()],
            ..text_map::Layer::default()
        });
    }
    let obstructed = map.obstruction.iter().filter(|tile| **tile != 0).count();
    let width = map.size[0] as usize;
    let in_zones = map
        .zone_numbers
        .iter()
        .filter(|zone| **zone != NO_ZONE)
        .count();
    let Some(layer) = text.layers.get_mut(stage) else {
        told.lost(
            obstructed,
            "tile",
            "their obstruction, because the map has no layers",
        );
        told.lost(
            in_zones,
            "tile",
            "their zone, because the map has no layers",
        );
        told.lost(
            map.entities.len(),
            "entity",
            "their position, because the map has no layers",
        );
        return Ok(text);
    };
    let other = map.obstruction.iter().enumerate();
    let other = other.filter(|(_, tile)| **tile > 1);
    let other: ItemNames = other.map(|(index, _)| tile_name(index, width)).collect();
    told.lost(other, "tile", "their obstruction number, which becomes 1");
    layer.obstructions = map
        .obstruction
        .iter()
        .map(|tile| u8::from(*tile != 0))
        .collect();
    layer.zones = rectangles(map, tile_px, &labels, told)?;
    layer.entities = map.entities.iter().map(entity).collect();
    report_entity_losses(map, below_entities, layer.parallax, told);
    Ok(text)
}

/// The order of layers in the text map, in which the layers that the map does not draw come first.
/// Also returns the number of these, and how many of the others are below the entities, if the
/// entities are drawn.
fn order(map: &Map, told: &mut ConversionReport) -> (Vec<usize>, usize, Option<usize>) {
    let (drawn, below_entities) = drawn(map);
    let is_drawn = |layer: &usize| drawn.contains(layer);
    let hidden: Vec<usize> = (0..map.layers.len())
        .filter(|layer| !is_drawn(layer))
        .collect();
    let names: ItemNames = hidden.iter().map(|layer| layer_label(*layer)).collect();
    told.lost(
        names,
        "layer",
        "their hidden state: text maps draw all layers, these below the others",
    );
    let steps = map.draw_steps();
    let twice = steps.len() - drawn.len();
    let entities = steps
        .iter()
        .filter(|step| **step == super::DrawStep::Entities)
        .count();
    told.lost(
        twice - entities,
        "step of the render string",
        "their layer, which is drawn only once",
    );
    told.lost(
        entities.saturating_sub(1),
        "step of the render string",
        "their entities, which are drawn only once",
    );
    let hidden_count = hidden.len();
    let order: Vec<usize> = hidden.into_iter().chain(drawn).collect();
    let moved = order
        .iter()
        .enumerate()
        .filter(|(at, layer)| at != *layer)
        .map(|(_, layer)| layer_label(*layer));
    told.lost(
        moved.collect::<ItemNames>(),
        "layer",
        "their number, because layers are stored in drawing order",
    );
    (order, hidden_count, below_entities)
}

/// The render string for reordered layers; empty if it equals the default of readers.
fn reordered(map: &Map, order: &[usize], below_entities: usize) -> String {
    let place = |layer: usize| order.iter().position(|other| *other == layer);
    let number = |c: char| (0..10).find(|layer| sign(*layer) == Some(c));
    let signs = map.render_string.chars();
    let signs = signs.map(|c| match number(c).and_then(place) {
        Some(place) => sign(place).unwrap_or(c),
        None => c,
    });
    let signs: String = signs.collect();
    if signs == render_string(map.layers.len(), below_entities) {
        String::new()
    } else {
        signs
    }
}

/// The zone types, and the label of each zone by its number.
fn zones(map: &Map, told: &mut ConversionReport) -> (Vec<text_map::Zone>, Vec<String>) {
    let mut kinds: Vec<text_map::Zone> = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut renamed = Vec::new();
    for (number, zone) in map.zones.iter().enumerate() {
        let mut label = zone.name.clone();
        let is_nothing = number == 0 && label.is_empty() && zone.activation_script.is_empty();
        if !is_nothing && (label.is_empty() || known.contains(&label)) {
            renamed.push(zone_name(number, zone));
            label = match &*label {
                "" => format!("({number})"),
                label => format!("{label} ({number})"),
            };
            while known.contains(&label) {
                label.push('\'');
            }
        }
        if !is_nothing {
            known.insert(label.clone());
            kinds.push(text_map::Zone {
                label: label.clone(),
                script: zone.activation_script.clone(),
                place: Span::default(),
            });
        }
        labels.push(label);
    }
    told.lost(
        renamed.into_iter().collect::<ItemNames>(),
        "zone",
        "their name, which is empty or not unique: a number is appended",
    );
    // Zone 0 means no zone and is never activated.
    let usual_chance = |number: usize| if number == 0 { 0 } else { 100 };
    let lost = |predicate: &dyn Fn(&Zone) -> bool| -> ItemNames {
        let zones = map.zones.iter().enumerate();
        let zones = zones.filter(|(_, zone)| predicate(zone));
        zones
            .map(|(number, zone)| zone_name(number, zone))
            .collect()
    };
    told.lost(
        lost(&|zone| !zone.description.is_empty()),
        "zone",
        "their description",
    );
    told.lost(
        lost(&|zone| !zone.entity_script.is_empty()),
        "zone",
        "their entity script",
    );
    told.lost(lost(&|zone| zone.delay_steps != 0), "zone", "their delay");
    told.lost(
        lost(&|zone| zone.is_adjacent),
        "zone",
        "their activation from adjacent tiles",
    );
    let zones = map.zones.iter().enumerate();
    let chances = zones.filter(|(number, zone)| zone.chance_percent != usual_chance(*number));
    let chances: ItemNames = chances
        .map(|(number, zone)| zone_name(number, zone))
        .collect();
    told.lost(chances, "zone", "their chance of activation");
    (kinds, labels)
}

/// The name of a zone in messages.
fn zone_name(number: usize, zone: &Zone) -> String {
    name_or(&zone.name, || format!("zone {number}"))
}

/// Converts the tiles of zones to rectangles in pixels.
fn rectangles(
    map: &Map,
    tile_px: [u32; 2],
    labels: &[String],
    told: &mut ConversionReport,
) -> Result<Vec<ZoneRect>, ConvertError> {
    let mut numbers = map.zone_numbers.clone();
    let width = map.size[0] as usize;
    let known = labels.len() as u64;
    let unknown = numbers.iter().enumerate();
    let unknown = unknown.filter(|(_, number)| u64::from(**number) >= known.max(1));
    let unknown: ItemNames = unknown.map(|(index, _)| tile_name(index, width)).collect();
    told.lost(unknown, "tile", "their zone, which does not exist");
    let mut rects = Vec::new();
    for start in 0..numbers.len() {
        let number = numbers[start];
        let Some(label) = labels.get(number as usize).filter(|_| number != NO_ZONE) else {
            continue;
        };
        let (x, y) = (start % width, start / width);
        let row = numbers[start..(y + 1) * width].iter();
        let across = row.take_while(|other| **other == number).count();
        let mut down = 0;
        while let Some(row) = numbers.get_mut(start + down * width..)
            && let Some(row) = row.get_mut(..across)
            && row.iter().all(|other| *other == number)
        {
            row.fill(NO_ZONE);
            down += 1;
        }
        if rects.len() == MAX_RECTS {
            let text = format!(
                "the zones need more than {MAX_RECTS} rectangles, the only shape of zones in a text map"
            );
            return Err(ConvertError::Unrepresentable(text));
        }
        let both = |[x, y]: [usize; 2]| -> Result<[i32; 2], ConvertError> {
            Ok([pixels(x as i64, tile_px[0])?, pixels(y as i64, tile_px[1])?])
        };
        rects.push(ZoneRect {
            label: label.clone(),
            position: both([x, y])?,
            size: both([across, down])?,
            place: Span::default(),
        });
    }
    Ok(rects)
}

fn entity(entity: &Entity) -> text_map::Entity {
    let direction = usize::try_from(entity.direction).ok();
    let direction = direction.filter(|direction| is_known(*direction));
    let script = entity.activation_script.clone();
    let (adjacent_script, activation_script) = if entity.is_adjacent {
        (script, String::new())
    } else {
        (String::new(), script)
    };
    text_map::Entity {
        label: entity.name.clone(),
        position: entity.position,
        sprite: entity.sprite.clone(),
        speed: entity.speed,
        direction: DIRECTIONS[direction.unwrap_or(1)].to_owned(),
        move_script: entity.move_script.clone(),
        obstructs_entities: entity.obstructs_entities,
        is_obstructed_by_entities: entity.is_obstructed_by_entities,
        is_obstructed_by_map: entity.is_obstructed_by_map,
        adjacent_script,
        activation_script,
        other: Vec::new(),
        place: Span::default(),
    }
}

/// `true` if text maps have a word for a direction number; they have none for nowhere.
fn is_known(direction: usize) -> bool {
    direction < DIRECTIONS.len() - 1
}

/// Reports properties of entities that text maps cannot represent.
fn report_entity_losses(
    map: &Map,
    below: Option<usize>,
    parallax: Parallax,
    told: &mut ConversionReport,
) {
    let count = |predicate: &dyn Fn(&Entity) -> bool| -> ItemNames {
        let entities = map.entities.iter().enumerate();
        let entities = entities.filter(|(_, it)| predicate(it));
        entities
            .map(|(number, it)| entity_name(number, &it.name))
            .collect()
    };
    let all = count(&|_| true);
    match below {
        None => told.lost(all, "entity", "their hidden state"),
        Some(0) => told.lost(all, "entity", "their position below all layers"),
        Some(_) if parallax != Parallax::default() => {
            told.lost(all, "entity", "the map's parallax: that of a layer is used");
        }
        Some(_) => {}
    }
    let direction = |it: &Entity| usize::try_from(it.direction).is_ok_and(is_known);
    told.lost(
        count(&|it| !direction(it)),
        "entity",
        "their direction, which becomes down",
    );
    let scripted = |it: &Entity| match it.state {
        STILL => it.move_script.is_empty(),
        SCRIPTED => !it.move_script.is_empty(),
        _ => false,
    };
    told.lost(count(&|it| !scripted(it)), "entity", "their movement mode");
    let wanders = |it: &Entity| {
        (it.wander_steps, it.wander_delay, it.wander_rect) != (0, 0, [0; 4])
            || !it.wander_zone.is_empty()
    };
    told.lost(
        count(&wanders),
        "entity",
        "the range and pauses of their wandering",
    );
    let chases = |it: &Entity| !it.chase_target.is_empty() || it.chase_distance != 0;
    told.lost(count(&chases), "entity", "the target of their chase");
    let unused = |it: &Entity| it.is_adjacent && it.activation_script.is_empty();
    told.lost(
        count(&unused),
        "entity",
        "their activation by touch, which has no script",
    );
}
