//! Writer of binary maps, as the engine wrote them.

use super::super::block::{check_count, deflate, deflate_words};
use super::super::{WriteError, text};
use super::{Entity, Layer, MAGIC, Map, Zone};

/// Writes a map. The output is deterministic and does not depend on file locations or problems of
/// the map.
///
/// # Errors
/// Returns an error for data that the format cannot represent: characters outside Windows-1252 and
/// lists whose length is not the number of tiles.
pub fn write(map: &Map) -> Result<Vec<u8>, WriteError> {
    let mut out = Out {
        bytes: MAGIC.to_vec(),
    };
    out.string(&map.tileset, "name of the tileset")?;
    out.string(&map.music, "name of the music")?;
    out.string(&map.render_string, "render string")?;
    for number in map.size {
        out.u32(number);
    }
    for number in map.start {
        out.i32(number);
    }
    out.flag(map.wraps);
    out.count("layers", map.layers.len())?;
    for Layer { parallax, .. } in &map.layers {
        for (mul, div) in parallax.mul.into_iter().zip(parallax.div) {
            out.i32(mul);
            out.i32(div);
        }
    }
    for (i, layer) in map.layers.iter().enumerate() {
        check_count(&format!("layer {i}"), "tiles", layer.tiles.len(), map.size)?;
        out.block("layer", &deflate_words(&layer.tiles))?;
    }
    check_count("obstruction", "bytes", map.obstruction.len(), map.size)?;
    out.block("obstruction", &deflate(&map.obstruction))?;
    check_count("zone map", "numbers", map.zone_numbers.len(), map.size)?;
    out.block("zone map", &deflate_words(&map.zone_numbers))?;
    out.count("zones", map.zones.len())?;
    for zone in &map.zones {
        out.zone(zone)?;
    }
    out.count("entities", map.entities.len())?;
    for entity in &map.entities {
        out.entity(entity)?;
    }
    Ok(out.bytes)
}

/// The output buffer.
struct Out {
    bytes: Vec<u8>,
}

impl Out {
    fn u32(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    fn i32(&mut self, value: i32) {
        self.bytes.extend(value.to_le_bytes());
    }

    fn flag(&mut self, value: bool) {
        self.bytes.push(value.into());
    }

    fn count(&mut self, what: &str, count: usize) -> Result<(), WriteError> {
        let count = u32::try_from(count)
            .map_err(|_| WriteError::new(what, format!("{count}, but at most {}", u32::MAX)))?;
        self.u32(count);
        Ok(())
    }

    fn block(&mut self, what: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.count(what, bytes.len())?;
        self.bytes.extend(bytes);
        Ok(())
    }

    fn string(&mut self, value: &str, what: &str) -> Result<(), WriteError> {
        let bytes = text::encode(value, what)?;
        self.block(what, &bytes)
    }

    fn zone(&mut self, zone: &Zone) -> Result<(), WriteError> {
        self.string(&zone.name, "name of a zone")?;
        self.string(&zone.description, "description of a zone")?;
        self.string(&zone.activation_script, "script of a zone")?;
        self.string(&zone.entity_script, "script of a zone")?;
        self.i32(zone.chance_percent);
        self.i32(zone.delay_steps);
        self.flag(zone.is_adjacent);
        Ok(())
    }

    fn entity(&mut self, entity: &Entity) -> Result<(), WriteError> {
        self.string(&entity.name, "name of an entity")?;
        for number in entity.position {
            self.i32(number);
        }
        self.i32(entity.direction);
        self.i32(entity.speed);
        self.flag(entity.is_obstructed_by_map);
        self.flag(entity.is_obstructed_by_entities);
        self.flag(entity.obstructs_entities);
        self.string(&entity.sprite, "sprite of an entity")?;
        self.flag(entity.is_adjacent);
        self.string(&entity.activation_script, "script of an entity")?;
        self.u32(entity.state);
        self.string(&entity.move_script, "script of an entity")?;
        self.i32(entity.wander_steps);
        self.i32(entity.wander_delay);
        for number in entity.wander_rect {
            self.i32(number);
        }
        self.string(&entity.wander_zone, "wander zone of an entity")?;
        self.string(&entity.chase_target, "chase target of an entity")?;
        self.i32(entity.chase_distance);
        Ok(())
    }
}
