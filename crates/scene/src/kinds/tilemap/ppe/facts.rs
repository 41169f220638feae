//! File data of maps beyond the drawn content.

use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::own;
use crate::describe::value::{Fact, FactGroup, Value};
use crate::document::parts::Parts;
use crate::kinds::tilemap::making::sha256;
use crate::kinds::tilemap::stored::place_of;
use crate::kinds::tilemap::{Facts, TileMap, left_out};
use crate::{InfoQuery, OwnLine, TileMapItem};
use mapscope_formats::ppe::xmf::{MapSource, Object, Shape, Xmf, XmfLayer, path_below_root};
use mapscope_formats::ppe::{Compression, Corner, MapData, MapFlags};

/// The header of map data, in words.
fn header(map: &MapData) -> FactGroup {
    let flags = map.flags;
    let bits = flags.logic_bits();
    let said = |key: &'static str, is_so: bool, text: &'static str| {
        let fact = Fact::new("", Value::from(is_so).shown_as(text));
        let fact = fact.keyed(key).derived();
        if is_so { fact } else { fact.hidden() }
    };
    let logic = Value::from(bits).shown_as(format!("cells have logic attributes of {bits} bits"));
    let logic = Fact::new("", logic).keyed("logic_attribute_bits").derived();
    let user = Fact::new("User flags", Value::hex(flags.user(), 2)).derived();
    let facts = [
        Fact::new("Flags", Value::hex(flags.0, 8)),
        Fact::new("Size", Value::size(map.size, "cells")),
        Fact::new("Layout", flags.layout().name()),
        Fact::new("Compression", flags.compression().name()),
        said(
            "priority_is_user_data",
            flags.priority_is_user_data(),
            "the priority of cells is user data",
        ),
        said(
            "palette_is_user_data",
            flags.has(MapFlags::PALETTE_USER_DATA),
            "the palette of cells is user data",
        ),
        said(
            "axis_switch",
            flags.has(MapFlags::AXIS_SWITCH),
            "tiles may be flipped diagonally",
        ),
        said(
            "graphics_attributes",
            flags.has_graphics(),
            "cells have graphics attributes",
        ),
        if bits > 0 { logic } else { logic.hidden() },
        if flags.user() != 0 {
            user
        } else {
            user.hidden()
        },
    ];
    FactGroup::new("Map data", facts)
}

/// A cell as stored in the file, and its attributes.
pub(in crate::kinds::tilemap) fn cell_facts(map: &MapData, index: usize) -> Vec<FactGroup> {
    let cell = map.cell(index);
    let id = Value::from(cell.tile_id).shown_as(format!("{0} ({0:#06x})", cell.tile_id));
    let palette = match cell.palette_user_data {
        Some(data) => user_data("Palette field", "palette_user_data", data.into()),
        None => Fact::new("Palette", cell.palette),
    };
    let priority = match cell.priority_user_data {
        Some(data) => user_data("Priority field", "priority_user_data", data.into()),
        None => Fact::new("Priority", cell.priority),
    };
    let flags = [
        (cell.mirror_h, "mirror_x"),
        (cell.mirror_v, "mirror_y"),
        (cell.axis_switch, "swap_axes"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    let bytes = map.raw(index).to_le_bytes();
    let place = place_of(map.cell_offset(index), bytes.len());
    let text = bytes.map(|byte| format!("{byte:02x}")).join(" ");
    let text = match map.cell_offset(index) {
        Some(offset) => format!("{text} at {offset:#x}"),
        None => format!("{text}, compressed"),
    };
    let facts = [
        Fact::new("Tile identifier", id),
        palette,
        priority,
        Fact::new("Flags", Value::list(flags.map(|(_, key)| key))).hidden(),
        Fact::new("Bytes", Value::bytes(bytes).shown_as(text)).derived(),
        Fact::new("Place", place).place().hidden(),
    ];
    let in_the_file = FactGroup::new("In the file", facts);
    let attributes = [graphics(map, index), logic(map, index)];
    [in_the_file]
        .into_iter()
        .chain(attributes.into_iter().flatten())
        .collect()
}

fn user_data(name: &'static str, key: &'static str, data: u32) -> Fact {
    Fact::new(
        name,
        Value::from(data).shown_as(format!("{data}, user data")),
    )
    .keyed(key)
}

/// The graphics attributes of cells, if there are any.
fn graphics_parts(map: &MapData) -> Option<Parts<'_>> {
    let attributes = map.graphics.as_ref()?;
    let [columns, rows] = map.size;
    let list = Parts::grid("graphics attributes", [rows, columns], |[row, column]| {
        format!("{column},{row}")
    })
    .cells(|[row, column]| TileMap::cell_item(0, [column, row]))
    .up_to(attributes.len())
    .owns(|index| graphics(map, index).map_or_else(Vec::new, FactGroup::own))
    .contents(|run, content| {
        let cells = attributes.get(run).unwrap_or_default();
        for corner in cells.as_flattened() {
            content.bytes(&corner.rgba);
            content.bytes(bytemuck::bytes_of(&corner.light));
        }
    });
    Some(list)
}

fn graphics(map: &MapData, index: usize) -> Option<FactGroup> {
    const NAMES: [[&str; 3]; 4] = [
        ["Upper left", "Light, upper left", "light_upper_left"],
        ["Upper right", "Light, upper right", "light_upper_right"],
        ["Lower left", "Light, lower left", "light_lower_left"],
        ["Lower right", "Light, lower right", "light_lower_right"],
    ];
    let Some(corners) = map.graphics.as_ref()?.get(index) else {
        return not_read("Graphics attributes", map);
    };
    let facts = NAMES.into_iter().zip(corners);
    let facts = facts.flat_map(|([name, light_name, key], corner)| {
        let Corner { rgba, light } = *corner;
        let ([r, g, b, a], [x, y]) = (rgba, light);
        let text = format!("tint {r} {g} {b}, opacity {a}, light {x} {y}");
        [
            Fact::new(name, Value::from(rgba).shown_as(text)),
            Fact::new(light_name, light).keyed(key).hidden(),
        ]
    });
    let place = place_of(map.graphics_offset(index), size_of::<[Corner; 4]>());
    let place = Fact::new("Bytes", place).place();
    Some(FactGroup::new("Graphics attributes", facts.chain([place])))
}

fn logic(map: &MapData, index: usize) -> Option<FactGroup> {
    let logic = map.logic.as_ref()?;
    let Some(value) = logic.get(index) else {
        return not_read("Logic attribute", map);
    };
    let bits = logic.bits() as usize;
    let facts = [
        Fact::new("Value", value),
        Fact::shown_only("", Value::hex(value, bits / 4)),
        Fact::new("Bytes", place_of(map.logic_offset(index), bits / 8)).place(),
    ];
    Some(FactGroup::new("Logic attribute", facts))
}

/// A placeholder line for unread attributes.
fn not_read(title: &'static str, map: &MapData) -> Option<FactGroup> {
    let bytes = Value::none(left_out::not_read(map.not_read?));
    Some(FactGroup::new(title, [Fact::new("Bytes", bytes).place()]))
}

/// The data of a cell or another item that is compared: its first list. The attributes of cells
/// are compared separately.
fn first_list(facts: Vec<FactGroup>) -> Vec<OwnLine> {
    facts
        .into_iter()
        .next()
        .map_or_else(Vec::new, FactGroup::own)
}

/// File data of map data files.
#[derive(Debug)]
pub(super) struct MapFacts {
    pub(super) map: Arc<MapData>,
    /// The name of the container that names its tiles.
    pub(super) container: Option<String>,
}

impl Facts for MapFacts {
    fn of(&self, _map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        if item != TileMapItem::Map {
            return Vec::new();
        }
        let none = "no container beside it names the map: tiles are numbered";
        let container = self.container.as_deref().map(Value::from);
        let container = container.unwrap_or_else(|| Value::none(none));
        let file = Fact::new("File", container).derived();
        vec![header(&self.map), FactGroup::new("Container", [file])]
    }

    fn parts<'a>(&'a self, _map: &'a TileMap, layer: Option<usize>) -> Vec<Parts<'a>> {
        let graphics = layer.and_then(|_| graphics_parts(&self.map));
        graphics.into_iter().collect()
    }

    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        let is_cell = matches!(item, TileMapItem::Cell { .. });
        is_cell.then(|| first_list(map.facts_of(item.into())))
    }

    fn info(&self, _map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Json> {
        let mut info = JsonMap::new();
        let map = &*self.map;
        let mut put = |key: &str, value: Json| info.insert(key.to_owned(), value);
        put("size", json!(map.size));
        put("flags", json!(map.flags.0));
        put("layout", json!(map.flags.layout().name()));
        put("compression", json!(map.flags.compression().name()));
        let is_known = !matches!(
            map.flags.compression(),
            Compression::Lzw | Compression::Several
        );
        let known = |value: Json| if is_known { value } else { Json::Null };
        put("empty", known(json!(map.empty_cells())));
        let hash = if cfg!(target_endian = "little") {
            sha256(bytemuck::cast_slice(&map.cells))
        } else {
            sha256(&map.cell_bytes())
        };
        put("cells_sha256", known(json!(hash)));
        put("graphics_attributes", json!(map.flags.has_graphics()));
        put("logic_attribute_bits", json!(map.flags.logic_bits()));
        put("user_flags", json!(map.flags.user()));
        put("xmf", json!(self.container));
        info
    }
}

/// File data of a container.
#[derive(Debug)]
pub(super) struct XmfFacts {
    /// The container without embedded cells, which are in the layers of the map.
    xmf: Xmf,
    /// For each layer of the map, its index in the container.
    layers: Vec<usize>,
    /// For each object of the map, the index of its layer in the container, and its own index
    /// within that layer.
    objects: Vec<[usize; 2]>,
}

impl XmfFacts {
    pub(super) fn new(mut xmf: Xmf, layers: Vec<usize>) -> Self {
        let mut objects = Vec::new();
        for index in &layers {
            let of_layer = xmf
                .layers
                .get(*index)
                .map_or_else(Vec::new, |layer| in_drawing_order(&layer.objects));
            objects.extend(of_layer.into_iter().map(|object| [*index, object]));
        }
        for layer in &mut xmf.layers {
            if let Some(MapSource::Embedded { cells, .. }) = &mut layer.map {
                *cells = Vec::new();
            }
        }
        Self {
            xmf,
            layers,
            objects,
        }
    }

    fn layer_of(&self, layer: usize) -> Option<&XmfLayer> {
        self.xmf.layers.get(*self.layers.get(layer)?)
    }

    /// File data of the object with this index, including its layer.
    fn object(&self, index: usize) -> Option<Vec<Fact>> {
        let [of_file, object] = *self.objects.get(index)?;
        let layer = self.layers.iter().position(|it| *it == of_file)?;
        let of_file = self.xmf.layers.get(of_file)?;
        let named = (layer, &*of_file.name);
        Some(own::object(of_file.objects.get(object)?, named))
    }
}

/// Indices of a layer's objects in drawing order: by identifier, then in file order.
pub(super) fn in_drawing_order(objects: &[Object]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by_key(|index| objects.get(*index).map(|object| object.id));
    order
}

/// The keys of a layer in the contract, and further ones. Its number is its position in drawing
/// order, as used elsewhere.
fn layer_info(layer: &XmfLayer, number: Option<usize>) -> Json {
    let map = match &layer.map {
        Some(MapSource::File { path, .. }) => json!(path_below_root(path)),
        _ => Json::Null,
    };
    let tiles: usize = layer
        .tile_sources
        .iter()
        .filter_map(|source| source.tiles.as_ref())
        .map(Vec::len)
        .sum();
    let boxes = layer
        .objects
        .iter()
        .filter_map(|object| match object.shape {
            Shape::Box([left, top, right, bottom]) => {
                Some(json!([object.name, object.id, left, top, right, bottom]))
            }
            _ => None,
        });
    let sprites = layer
        .objects
        .iter()
        .filter_map(|object| match object.shape {
            Shape::Sprite(sprite) | Shape::QuadSprite(sprite, _) => {
                let [x, y] = sprite.position;
                Some(json!([object.name, object.id, sprite.source, x, y]))
            }
            _ => None,
        });
    json!({
        "name": layer.name,
        "number": number,
        "kind": layer.kind.name(),
        "priority": layer.priority,
        "tile_size": layer.tile_size,
        "size": layer.size,
        "map": map,
        "repeat": layer.repeat.name(),
        "scroll_rate": layer.scroll_rate,
        "rendering_mode": layer.rendering_mode,
        "embedded": matches!(layer.map, Some(MapSource::Embedded { .. })),
        "tiles": tiles,
        "boxes": boxes.collect::<Json>(),
        "sprites": sprites.collect::<Json>(),
    })
}

impl Facts for XmfFacts {
    fn of(&self, map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        let facts = match item {
            TileMapItem::Map => Some(own::map(&self.xmf)),
            TileMapItem::Layer { index } => self.layer_of(index as usize).map(own::layer),
            _ => {
                let object = map.object_at(item.into());
                object.and_then(|(index, _)| self.object(index))
            }
        };
        let facts = facts.map(|facts| FactGroup::new("In the file", facts));
        let layer = match item {
            TileMapItem::Layer { index } => map.layers.get(index as usize),
            _ => None,
        };
        let cells = layer.and_then(|layer| layer.stored.map_data()).map(header);
        facts.into_iter().chain(cells).collect()
    }

    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        let is_of_file = !matches!(item, TileMapItem::Tileset { .. } | TileMapItem::Tile { .. });
        is_of_file.then(|| first_list(map.facts_of(item.into())))
    }

    fn parts<'a>(&'a self, map: &'a TileMap, layer: Option<usize>) -> Vec<Parts<'a>> {
        let Some(number) = layer else {
            return vec![
                own::palettes(&self.xmf.palettes),
                own::parts_of_tags(&self.xmf),
            ];
        };
        let Some(layer) = self.layer_of(number) else {
            return Vec::new();
        };
        own::of_layer(layer, move |id| Self::tile_item(map, number, id))
    }

    fn info(&self, _map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Json> {
        let xmf = &self.xmf;
        let mut info = JsonMap::new();
        let mut put = |key: &str, value: Json| info.insert(key.to_owned(), value);
        put("name", json!(xmf.metadata.name));
        put("resolution", json!(xmf.metadata.resolution));
        let layers = xmf.layers.iter().enumerate().map(|(index, layer)| {
            let number = self.layers.iter().position(|of| *of == index);
            layer_info(layer, number)
        });
        put("layers", layers.collect());
        info
    }
}
