//! Writer of text maps of version 1.2, as the engine's editor writes them: all texts in quotes,
//! nodes indented with tabs, base64 in one line.

use std::fmt::Display;

use super::super::block::{check_count, deflate, deflate_words};
use super::super::{WriteError, aries, text};
use super::{Entity, Layer, ROOT, TextMap, ZoneRect};
use crate::base64;

/// Writes a map as version 1.2, regardless of its original version. The output is deterministic.
///
/// # Errors
/// Returns an error for data that the format cannot represent: characters outside Windows-1252,
/// keys of [`TextMap::meta`] with spaces or parentheses, and layers whose lists do not have one
/// element per tile.
pub fn write(map: &TextMap) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    out.node(ROOT, |out| {
        out.value("version", "1.2")?;
        out.node("information", |out| {
            out.value("title", &map.title)?;
            out.node("meta", |out| {
                for (key, value) in &map.meta {
                    out.value(key, value)?;
                }
                Ok(())
            })
        })?;
        out.node("header", |out| {
            out.pair("dimensions", ["width", "height"], map.size)?;
            out.value("tileset", &map.tileset)
        })?;
        out.node("waypoints", |out| {
            for waypoint in &map.waypoints {
                out.node("waypoint", |out| {
                    out.value("label", &waypoint.label)?;
                    out.numbers(["x", "y"], waypoint.position)
                })?;
            }
            Ok(())
        })?;
        out.node("zones", |out| {
            for zone in &map.zones {
                out.node("zone", |out| {
                    out.value("label", &zone.label)?;
                    out.value("script", &zone.script)
                })?;
            }
            Ok(())
        })?;
        out.node("layers", |out| {
            for (i, layer) in map.layers.iter().enumerate() {
                out.node("layer", |out| out.layer(i, layer))?;
            }
            Ok(())
        })
    })?;
    Ok(out.bytes)
}

/// The output buffer.
#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
    depth: usize,
}

impl Out {
    /// Begins a new line unless the output is empty.
    fn begin_line(&mut self) {
        if !self.bytes.is_empty() {
            self.bytes.extend(b"\r\n");
        }
        self.bytes.extend(std::iter::repeat_n(b'\t', self.depth));
    }

    /// Writes the start of a node up to the space after its name.
    fn begin(&mut self, name: &str) -> Result<(), WriteError> {
        let bytes = text::encode(name, "name of a node")?;
        if !aries::is_name(&bytes) {
            let name = crate::quoted(name.as_bytes());
            return Err(WriteError::new(
                "name of a node",
                format!("{name} is empty or has spaces or parentheses"),
            ));
        }
        self.begin_line();
        self.bytes.push(b'(');
        self.bytes.extend(&*bytes);
        self.bytes.push(b' ');
        Ok(())
    }

    /// Writes a node that contains nodes.
    fn node(
        &mut self,
        name: &str,
        content: impl FnOnce(&mut Self) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        self.begin(name)?;
        let empty = self.bytes.len();
        self.depth += 1;
        content(self)?;
        self.depth -= 1;
        if self.bytes.len() > empty {
            self.begin_line();
        }
        self.bytes.push(b')');
        Ok(())
    }

    /// Writes a node that contains a text.
    fn value(&mut self, name: &str, value: &str) -> Result<(), WriteError> {
        self.begin(name)?;
        let value = text::encode(value, name)?;
        self.bytes.extend(aries::quote(&value));
        self.bytes.push(b')');
        Ok(())
    }

    fn shown(&mut self, name: &str, value: impl Display) -> Result<(), WriteError> {
        self.value(name, &value.to_string())
    }

    fn numbers(&mut self, names: [&str; 2], values: [i32; 2]) -> Result<(), WriteError> {
        for (name, value) in names.into_iter().zip(values) {
            self.shown(name, value)?;
        }
        Ok(())
    }

    /// Writes a node that contains two numbers.
    fn pair<T: Display>(
        &mut self,
        name: &str,
        names: [&str; 2],
        values: [T; 2],
    ) -> Result<(), WriteError> {
        self.node(name, |out| {
            for (name, value) in names.into_iter().zip(values) {
                out.shown(name, value)?;
            }
            Ok(())
        })
    }

    fn layer(&mut self, index: usize, layer: &Layer) -> Result<(), WriteError> {
        let record = format!("layer {index}");
        check_count(&record, "tiles", layer.tiles.len(), layer.size)?;
        check_count(
            &record,
            "obstructions",
            layer.obstructions.len(),
            layer.size,
        )?;
        self.value("label", &layer.label)?;
        self.value("type", "tile")?;
        self.pair("dimensions", ["width", "height"], layer.size)?;
        self.pair("position", ["x", "y"], layer.position)?;
        self.node("parallax", |out| {
            out.numbers(["mulx", "muly"], layer.parallax.mul)?;
            out.numbers(["divx", "divy"], layer.parallax.div)
        })?;
        self.pair("wrap", ["x", "y"], layer.wrap)?;
        self.node("data", |out| {
            out.value("format", "zlib")?;
            out.block(&deflate_words(&layer.tiles));
            Ok(())
        })?;
        self.node("obstructions", |out| {
            out.value("style", "tile")?;
            out.value("format", "zlib")?;
            out.block(&deflate(&layer.obstructions));
            Ok(())
        })?;
        self.node("entities", |out| {
            for entity in &layer.entities {
                out.node("entity", |out| out.entity(entity))?;
            }
            Ok(())
        })?;
        self.node("zones", |out| {
            for zone in &layer.zones {
                out.node("zone", |out| out.zone(zone))?;
            }
            Ok(())
        })
    }

    fn block(&mut self, bytes: &[u8]) {
        self.begin_line();
        self.bytes.push(b'\'');
        self.bytes.extend(base64::encode(bytes).as_bytes());
        self.bytes.push(b'\'');
    }

    fn entity(&mut self, entity: &Entity) -> Result<(), WriteError> {
        self.value("label", &entity.label)?;
        self.numbers(["x", "y"], entity.position)?;
        self.value("sprite", &entity.sprite)?;
        self.shown("speed", entity.speed)?;
        self.value("direction", &entity.direction)?;
        self.value("move_script", &entity.move_script)?;
        self.shown("obstructs_entities", entity.obstructs_entities)?;
        self.shown("obstructed_by_entities", entity.is_obstructed_by_entities)?;
        self.shown("obstructed_by_map", entity.is_obstructed_by_map)?;
        self.value("adj_activate_script", &entity.adjacent_script)?;
        self.value("activate_script", &entity.activation_script)
    }

    fn zone(&mut self, zone: &ZoneRect) -> Result<(), WriteError> {
        self.value("label", &zone.label)?;
        self.numbers(["x", "y"], zone.position)?;
        self.numbers(["width", "height"], zone.size)
    }
}
