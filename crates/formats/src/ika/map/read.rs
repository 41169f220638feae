//! Reader of binary maps.
//!
//! The header must be valid. After it, every intact part is read and the rest is reported.

use std::ops::ControlFlow;

use super::super::bytes::{Cursor, File, bytes_left};
use super::super::{DIRECTIONS, MAX_TILES, rules, verge};
use super::layout::{COUNT_BYTES, Layout};
use super::render_string::oddities;
use super::resync::{ENTITY_BYTES, Record, Runs, ZONE_BYTES};
use super::{BYTE_ORDER_MARK, Entity, MAGIC, MANGLED_MAGIC, Map, STATES, Zone};
use crate::{Place, Problem, Problems, ReadError, Rest, Subject, counted, outside, quoted};

/// Reads a map.
///
/// Recoverable faults are in [`Map::problems`]. Layers and other lists are shorter if the file has
/// less data. Memory use is bounded by the inflated size of the blocks, which is bounded by the
/// length of `bytes`.
///
/// # Errors
/// Returns an error if the file header is missing or corrupt, or if the file is a VERGE map.
pub fn read(bytes: &[u8]) -> Result<Map, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called now and then with the progress from 0 to 1
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`ReadError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Map, ReadError> {
    let mut problems = Problems::new();
    let mut cursor = Cursor::new(bytes, File);
    let Header {
        mut map,
        layers: announced,
        render_at,
        size_at,
    } = read_header(&mut cursor, bytes, &mut problems)?;
    let blocks_at = cursor.pos();
    let (layout, layers) =
        Layout::find(bytes, blocks_at, announced, map.tile_count(), &mut problems);
    if i32::try_from(layers).is_err() {
        cursor.enter("header", None);
        let found = format_args!("{} layers", (layers as u32).cast_signed());
        let at = blocks_at - COUNT_BYTES;
        return Err(cursor.fault(&rules::LAYER_COUNT, at, found, "0 or more"));
    }
    check_layers(
        &map.render_string,
        layers,
        [render_at, blocks_at],
        &mut problems,
    );
    let tail = layout.tail;
    layout.inflate(layers, bytes, size_at, &mut map, &mut problems, watch)?;
    problems.cause = None;
    if let Some(tail) = tail {
        cursor.seek(tail);
        read_tail(&mut cursor, &mut map, &mut problems);
    } else {
        map.zones_not_read = Rest::Unknown;
        map.entities_not_read = Rest::Unknown;
    }
    map.problems = problems.finish();
    Ok(map)
}

fn check_magic(bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.starts_with(MAGIC) {
        return Ok(());
    }
    if let Some(verge) = verge::verge_version(bytes) {
        return Err(verge::refusal(verge));
    }
    let expected = "`MAP`, the byte F9, `6` and a zero byte";
    let found = if bytes.starts_with(MANGLED_MAGIC) {
        "the file was saved as UTF-8 text, which damages binary maps".to_owned()
    } else if bytes.is_empty() {
        "the file is empty".to_owned()
    } else {
        let begin = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        format!("the file begins with {}", quoted(begin))
    };
    Err(ReadError::unreadable(
        &rules::MAGIC,
        Place::Offset(0),
        found,
        expected,
    ))
}

/// The header.
struct Header {
    /// The map with only its header fields set.
    map: Map,
    /// The declared number of layers.
    layers: usize,
    render_at: usize,
    size_at: usize,
}

fn read_header(
    cursor: &mut Cursor<'_>,
    bytes: &[u8],
    problems: &mut Problems,
) -> Result<Header, ReadError> {
    let without_mark = bytes.strip_prefix(BYTE_ORDER_MARK);
    let map = without_mark.filter(|rest| rest.starts_with(MAGIC));
    if map.is_some() {
        problems.add(&rules::MAGIC, Place::Offset(0), || {
            "UTF-8 byte order mark at the beginning of the file; expected `MAP`, which follows \
             it"
            .to_owned()
        });
        cursor.seek(BYTE_ORDER_MARK.len());
    }
    check_magic(map.unwrap_or(bytes))?;
    cursor.enter("header", None);
    cursor.bytes(MAGIC.len())?;
    let tileset = cursor.field("name of the tileset").string(problems)?;
    let music = cursor.field("name of the music").string(problems)?;
    let render_at = cursor.pos();
    let render_string = cursor.field("render string").string(problems)?;
    let size_at = cursor.pos();
    let size = [cursor.field("width").i32()?, cursor.field("height").i32()?];
    let start = [cursor.field("start").i32()?, cursor.field("start").i32()?];
    let wraps = cursor.field("round flag").flag()?;
    let layers = cursor.field("number of layers").u32()? as usize;
    let Some(checked) = validated_size(size) else {
        let [width, height] = size;
        let found = format_args!("a map of {width} x {height} tiles");
        let expected = format_args!("at least 1 x 1 and at most {MAX_TILES} tiles");
        return Err(cursor.fault(&rules::SIZE, size_at, found, expected));
    };
    let map = Map {
        tileset,
        music,
        render_string,
        size: checked,
        start,
        wraps,
        ..Map::default()
    };
    Ok(Header {
        map,
        layers,
        render_at,
        size_at,
    })
}

/// Reports a map without layers, from which all problems of blocks follow, and oddities of the
/// render string.
fn check_layers(
    render_string: &str,
    layers: usize,
    [render_at, blocks_at]: [usize; 2],
    problems: &mut Problems,
) {
    if layers == 0 {
        let place = Place::Offset((blocks_at - COUNT_BYTES) as u64);
        problems.add(&rules::NO_LAYERS, place, || {
            "no layers, so nothing can be shown; expected at least one".to_owned()
        });
        problems.cause = problems.last();
    }
    for oddity in oddities(render_string, layers) {
        let place = Place::Offset(render_at as u64);
        problems.add(&rules::RENDER_STRING, place, || oddity);
    }
}

/// Converts a size in tiles; `None` if it is invalid (fact sheet 7.5).
pub(in super::super) fn validated_size(size: [i32; 2]) -> Option<[u32; 2]> {
    let [width, height] = size.map(u32::try_from);
    let size = [width.ok()?, height.ok()?];
    let tiles = u64::from(size[0]) * u64::from(size[1]);
    (1..=MAX_TILES).contains(&tiles).then_some(size)
}

/// Returns `true` if all zones and entities parse, regardless of the bytes after them.
pub(super) fn reads_to_end(cursor: &Cursor<'_>) -> bool {
    let cursor = &mut cursor.clone();
    read_trial::<Zone>(cursor).is_some() && read_trial::<Entity>(cursor).is_some()
}

/// Parses a list without keeping it.
fn read_trial<T: Record>(cursor: &mut Cursor<'_>) -> Option<()> {
    let problems = &mut Problems::for_trial();
    for _ in 0..cursor.u32().ok()? {
        T::read(cursor, problems).ok()?;
    }
    Some(())
}

/// Reads zones and entities and reports trailing data.
fn read_tail(cursor: &mut Cursor<'_>, map: &mut Map, problems: &mut Problems) {
    map.zones_not_read = Rest::Unknown;
    map.entities_not_read = Rest::Unknown;
    let runs = if reads_to_end(cursor) {
        None
    } else {
        Runs::new(cursor)
    };
    let runs = runs.as_ref();
    let result = read_zones(cursor, map, runs, problems).and_then(|entities| {
        check_zone_numbers(map, problems);
        match entities {
            None => read_entities(cursor, map, runs, problems),
            Some(count) => read_list(cursor, "entity", count, &mut map.entities, problems)
                .map_err(|(_, error)| error),
        }
    });
    if let Err(error) = result {
        problems.add_error(error);
        return;
    }
    map.entities_not_read = Rest::Nothing;
    let (at, left) = (cursor.pos(), cursor.left());
    if left > 0 {
        let rest = cursor.rest();
        cursor.enter("file", None);
        cursor.warn(problems, &rules::TRAILING_DATA, at, || {
            let left = counted(left, "byte");
            let begins = if rest.starts_with(MAGIC) {
                ", another map"
            } else {
                ""
            };
            format!("{left} after the last entity{begins}; expected the end of the file")
        });
    }
}

/// Reads a record count. Also returns a fault if the count is impossible. In that case the records
/// that are present are still read, and the number of missing ones is unknown.
fn read_count(
    cursor: &mut Cursor<'_>,
    what: &'static str,
    record_bytes: usize,
) -> Result<(u32, Option<ReadError>), ReadError> {
    let at = cursor.pos();
    let count = cursor.u32()?;
    cursor.enter("file", None);
    let left = cursor.left();
    if i32::try_from(count).is_err() {
        let found = format_args!("{} {what}", count.cast_signed());
        let fault = cursor.fault(&rules::TRUNCATED, at, found, "0 or more");
        return Ok((count, Some(fault)));
    }
    // An unreachable count can mean a truncated file.
    let is_possible = count as usize <= cursor.pos() + left;
    let fault = (!is_possible).then(|| {
        let found = format_args!("{count} {what}, but {}", bytes_left(left));
        let most = format_args!("at most {}", left / record_bytes);
        cursor.fault(&rules::TRUNCATED, at, found, most)
    });
    Ok((count, fault))
}

/// Reads `count` records. On failure, returns the number of missing records and the error.
fn read_list<T: Record>(
    cursor: &mut Cursor<'_>,
    name: &'static str,
    count: u32,
    list: &mut Vec<T>,
    problems: &mut Problems,
) -> Result<(), (u32, ReadError)> {
    for i in 0..count {
        cursor.enter(name, list.len());
        let record = T::read(cursor, problems);
        list.push(record.map_err(|error| (count - i, error))?);
    }
    Ok(())
}

/// Reads the zones. If the damage covers the entity count, returns the number of entities that
/// follow.
fn read_zones(
    cursor: &mut Cursor<'_>,
    map: &mut Map,
    runs: Option<&Runs<'_>>,
    problems: &mut Problems,
) -> Result<Option<u32>, ReadError> {
    cursor.enter("zones", None);
    let count_at = cursor.pos();
    let (count, impossible) = read_count(cursor.field("number of zones"), "zones", ZONE_BYTES)
        .map_err(|error| error.with_loss("all zones and entities"))?;
    if let Some(next) = runs.and_then(|runs| runs.next_zone(cursor, count_at, count)) {
        let placeholders = next.skip_damage("zone", cursor, &mut map.zones, problems);
        // Tiles refer to zones by index, so damaged zones keep placeholders.
        map.zones.extend((0..placeholders).map(|_| Zone::default()));
        if next.is_entity {
            map.zones_not_read = Rest::Nothing;
            return Ok(Some(next.to_read()));
        }
        read_list(cursor, "zone", next.to_read(), &mut map.zones, problems)
            .map_err(|(_, error)| error.with_loss("the rest of the file and all entities"))?;
        map.zones_not_read = Rest::Nothing;
        return Ok(None);
    }
    match read_list(cursor, "zone", count, &mut map.zones, problems) {
        Ok(()) => map.zones_not_read = Rest::Nothing,
        Err((missing, error)) => {
            return Err(match (impossible, map.zones.len().checked_sub(1)) {
                (Some(fault), None) => fault.with_loss("all zones and entities"),
                (Some(fault), Some(last)) => fault.with_loss(format_args!(
                    "everything after zone {last} and all entities"
                )),
                (None, _) => {
                    map.zones_not_read = Rest::Count(missing);
                    let more = counted(missing as usize, "zone");
                    error.with_loss(format_args!("{more} and all entities"))
                }
            });
        }
    }
    Ok(None)
}

fn read_entities(
    cursor: &mut Cursor<'_>,
    map: &mut Map,
    runs: Option<&Runs<'_>>,
    problems: &mut Problems,
) -> Result<(), ReadError> {
    cursor.enter("entities", None);
    let count_at = cursor.pos();
    let cursor_at_count = cursor.field("number of entities");
    let (count, impossible) = read_count(cursor_at_count, "entities", ENTITY_BYTES)
        .map_err(|error| error.with_loss("all entities"))?;
    if let Some(next) = runs.and_then(|runs| runs.next_entity(cursor, count_at, count)) {
        next.skip_damage("entity", cursor, &mut map.entities, problems);
        return read_list(
            cursor,
            "entity",
            next.to_read(),
            &mut map.entities,
            problems,
        )
        .map_err(|(_, error)| error.with_loss("the rest of the file"));
    }
    let read = read_list(cursor, "entity", count, &mut map.entities, problems);
    read.map_err(
        |(missing, error)| match (impossible, map.entities.len().checked_sub(1)) {
            (Some(fault), _) if cursor.left() == 0 => fault,
            (Some(fault), None) => fault.with_loss("all entities"),
            (Some(fault), Some(last)) => {
                fault.with_loss(format_args!("everything after entity {last}"))
            }
            (None, _) => {
                map.entities_not_read = Rest::Count(missing);
                error.with_loss(counted(missing as usize, "entity"))
            }
        },
    )
}

pub(super) fn read_zone(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Zone, ReadError> {
    let start = cursor.pos() as u64;
    Ok(Zone {
        name: cursor.field("name").string(problems)?,
        description: cursor.field("description").string(problems)?,
        activation_script: cursor.field("activation script").string(problems)?,
        entity_script: cursor.field("script for entities").string(problems)?,
        chance_percent: cursor.field("chance").i32()?,
        delay_steps: cursor.field("delay").i32()?,
        is_adjacent: cursor.field("adjacent activation flag").flag()?,
        place: start..cursor.pos() as u64,
    })
}

/// Warns of tiles whose zone does not exist (fact sheet 7.13).
fn check_zone_numbers(map: &Map, problems: &mut Problems) {
    // Without zones, the engine adds a zone 0.
    let zones = map.zones.len().max(1);
    let is_outside = |number: &u32| *number as usize >= zones;
    let mut all = map.zone_numbers.iter().enumerate();
    let Some((i, number)) = all.find(|(_, number)| is_outside(number)) else {
        return;
    };
    let width = map.size[0] as usize;
    let more = all.filter(|(_, number)| is_outside(number)).count();
    let subject = Subject::Cell {
        layer: 0,
        x: (i % width) as u32,
        y: (i / width) as u32,
    };
    let place = Place::Offset(map.zone_block.start);
    // A damaged block can contain any number.
    let length_place = Place::Offset(map.zone_block.start.saturating_sub(COUNT_BYTES as u64));
    let is_of_block = |problem: &Problem| [place, length_place].contains(&problem.place);
    let broken = problems.find(is_of_block);
    problems.add_consequence(broken, &rules::ZONE_NUMBER, subject, place, || {
        let more = if more > 0 {
            let (tiles, are) = (
                counted(more, "more tile"),
                if more == 1 { "is" } else { "are" },
            );
            format!("; {tiles} {are} in zones that do not exist")
        } else {
            String::new()
        };
        format!(
            "zone map: tile ({}, {}) is in zone {number}, {}{more}",
            i % width,
            i / width,
            outside("zone", map.zones.len() as u64)
        )
    });
}

pub(super) fn read_entity(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Entity, ReadError> {
    let start = cursor.pos() as u64;
    let name = cursor.field("name").string(problems)?;
    let position = [cursor.field("x").i32()?, cursor.field("y").i32()?];
    let direction_at = cursor.pos();
    let direction = cursor.field("direction").i32()?;
    let in_table = usize::try_from(direction).is_ok_and(|i| i < DIRECTIONS.len());
    if !in_table {
        cursor.warn(problems, &rules::VALUE, direction_at, || {
            let last = DIRECTIONS.len() - 1;
            format!("the direction is {direction}; expected 0 to {last}")
        });
    }
    let speed = cursor.field("speed").i32()?;
    let is_obstructed_by_map = cursor.field("map obstruction flag").flag()?;
    let is_obstructed_by_entities = cursor.field("entity obstruction flag").flag()?;
    let obstructs_entities = cursor.field("obstructing flag").flag()?;
    let sprite = cursor.field("name of the sprite").string(problems)?;
    let is_adjacent = cursor.field("adjacent activation flag").flag()?;
    let activation_script = cursor.field("activation script").string(problems)?;
    let state_at = cursor.pos();
    let state = cursor.field("state").u32()?;
    if state as usize >= STATES.len() {
        cursor.warn(problems, &rules::VALUE, state_at, || {
            let last = STATES.len() - 1;
            format!("the state is {state}; expected 0 to {last}")
        });
    }
    Ok(Entity {
        name,
        position,
        direction,
        speed,
        is_obstructed_by_map,
        is_obstructed_by_entities,
        obstructs_entities,
        sprite,
        is_adjacent,
        activation_script,
        state,
        move_script: cursor.field("move script").string(problems)?,
        wander_steps: cursor.field("wander steps").i32()?,
        wander_delay: cursor.field("wander delay").i32()?,
        wander_rect: {
            let mut side = || cursor.field("wander rectangle").i32();
            [side()?, side()?, side()?, side()?]
        },
        wander_zone: cursor.field("wander zone").string(problems)?,
        chase_target: cursor.field("chase target").string(problems)?,
        chase_distance: cursor.field("chase distance").i32()?,
        place: start..cursor.pos() as u64,
    })
}
