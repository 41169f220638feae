//! File data of maps beyond the drawn content.

use std::sync::Arc;

use serde_json::{Map as JsonMap, Value, json};

use super::own;
use crate::describe::own::lines_of_groups;
use crate::document::parts::Parts;
use crate::kinds::tilemap::making::{group, sha256, texts};
use crate::kinds::tilemap::{Cell, Facts, Grid, TileMap, TileStorage, left_out};
use crate::{InfoQuery, Origin, OwnLine, Property, PropertyGroup, TileMapItem};
use mapscope_formats::ppe::sdlang::Tag;
use mapscope_formats::ppe::xmf::{
    MapSource, Object, Palette, PaletteSource, Shape, SpriteSheet, SpriteSource, TileSource, Xmf,
    XmfLayer, path_below_root,
};
use mapscope_formats::ppe::{Compression, Corner, MapData, MapFlags};

/// File data of a layer's cells.
#[derive(Debug)]
pub(super) struct LayerFacts {
    /// The cells; `None` if there are none.
    pub(super) map: Option<Arc<MapData>>,
}

impl LayerFacts {
    /// The header of the map data, in words.
    fn header(&self) -> Option<PropertyGroup> {
        let map = self.map.as_ref()?;
        let flags = map.flags;
        let [width, height] = map.size;
        let mut properties = vec![
            Property::new("Flags", format!("{:#010x}", flags.0)),
            Property::new("Size", format!("{width} x {height} cells")),
            Property::new("Layout", map.flags.layout().name()),
            Property::new("Compression", map.flags.compression().name()),
        ];
        let mut say = |is_so: bool, value: &str| {
            if is_so {
                properties.push(Property::new("", value));
            }
        };
        say(
            flags.priority_is_user_data(),
            "the priority of cells is user data",
        );
        say(
            flags.has(MapFlags::PALETTE_USER_DATA),
            "the palette of cells is user data",
        );
        say(
            flags.has(MapFlags::AXIS_SWITCH),
            "tiles may be flipped diagonally",
        );
        say(flags.has_graphics(), "cells have graphics attributes");
        let bits = flags.logic_bits();
        say(
            bits > 0,
            &format!("cells have logic attributes of {bits} bits"),
        );
        if flags.user() != 0 {
            let user = format!("{:#04x}", flags.user());
            properties.push(Property::new("User flags", user));
        }
        Some(group("Map data", properties))
    }

    /// A cell as stored in the file.
    fn cell(&self, index: usize) -> Vec<PropertyGroup> {
        let Some(map) = self.map.as_ref() else {
            return Vec::new();
        };
        if index >= map.cells.len() {
            let why = map.not_read.map(|why| {
                let bytes = Property::new("Bytes", left_out::not_read(why)).place();
                group("In the file", vec![bytes])
            });
            return why.into_iter().collect();
        }
        let cell = map.cell(index);
        let raw = map.raw(index);
        let mut properties = vec![Property::new("Tile identifier", id_name(cell.tile_id))];
        let mut say = |name, value: String| properties.push(Property::new(name, value));
        match cell.palette_user_data {
            Some(data) => say("Palette field", format!("{data}, user data")),
            None => say("Palette", cell.palette.to_string()),
        }
        match cell.priority_user_data {
            Some(data) => say("Priority field", format!("{data}, user data")),
            None => say("Priority", cell.priority.to_string()),
        }
        let bytes = raw
            .to_le_bytes()
            .map(|byte| format!("{byte:02x}"))
            .join(" ");
        let bytes = place_of(&bytes, map.cell_offset(index));
        properties.push(Property::new("Bytes", bytes).place());
        let mut groups = vec![group("In the file", properties)];
        groups.extend(graphics(map, index));
        groups.extend(logic(map, index));
        groups
    }

    /// The graphics attributes of cells, if there are any.
    fn graphics_parts(&self) -> Option<Parts<'_>> {
        let map = self.map.as_ref()?;
        let attributes = map.graphics.as_ref()?;
        let [columns, rows] = map.size;
        let list = Parts::grid("graphics attributes", [rows, columns], |[row, column]| {
            format!("{column},{row}")
        })
        .cells(|[row, column]| TileMap::cell_item(0, [column, row]))
        .up_to(attributes.len())
        .owns(|index| {
            let groups: Vec<PropertyGroup> = graphics(map, index).into_iter().collect();
            let place = place_of("32", map.graphics_offset(index));
            let place = OwnLine::new("Graphics attributes", "Bytes", place);
            lines_of_groups(&groups)
                .chain([place.within(Origin::Place)])
                .collect()
        })
        .contents(|run, content| {
            let cells = attributes.get(run).unwrap_or_default();
            for corner in cells.as_flattened() {
                content.bytes(&corner.rgba);
                content.bytes(bytemuck::bytes_of(&corner.light));
            }
        });
        Some(list)
    }

    /// File position of the logic attribute of a cell.
    fn logic_place(&self, index: usize) -> Option<String> {
        let map = self.map.as_ref()?;
        let bytes = map.logic.as_ref()?.bits() / 8;
        Some(place_of(&bytes.to_string(), map.logic_offset(index)))
    }

    /// File data of a cell, independent of the images to show it with.
    fn own_cell(&self, index: usize) -> Vec<OwnLine> {
        let Some(map) = self.map.as_ref().filter(|map| index < map.cells.len()) else {
            return Vec::new();
        };
        let cell = map.cell(index);
        let turned = [
            (cell.mirror_h, Cell::MIRROR_X),
            (cell.mirror_v, Cell::MIRROR_Y),
            (cell.axis_switch, Cell::SWAP_AXES),
        ]
        .into_iter()
        .filter(|(is_so, _)| *is_so);
        let flags = Cell(turned.fold(0, |bits, (_, bit)| bits | bit)).flags_text();
        let mut own = vec![OwnLine::new("Tile", "Flags", flags)];
        // Its attributes are compared separately.
        let groups = self.cell(index);
        own.extend(lines_of_groups(groups.get(..1).unwrap_or_default()));
        own
    }

    /// Its cells, if they were read.
    fn cells_in_file(&self) -> Option<&[u32]> {
        self.map.as_ref().map(|map| &map.cells[..])
    }

    /// The tile identifier of a cell, even of an empty one.
    fn tile_number(&self, index: usize) -> Option<u32> {
        let map = self.map.as_ref().filter(|map| index < map.cells.len())?;
        Some(map.cell(index).tile_id.into())
    }

    fn palette_and_priority(&self, index: usize) -> Option<[u32; 2]> {
        let map = self.map.as_ref().filter(|map| index < map.cells.len())?;
        let cell = map.cell(index);
        let palette = cell.palette_user_data.unwrap_or(cell.palette);
        let priority = cell.priority_user_data.unwrap_or(cell.priority);
        Some([palette.into(), priority.into()])
    }

    fn cpu_bytes(&self) -> u64 {
        let Some(map) = &self.map else {
            return 0;
        };
        let graphics = map
            .graphics
            .as_ref()
            .map_or(0, |graphics| size_of_val(&**graphics));
        let logic = map
            .logic
            .as_ref()
            .map_or(0, |l| l.len() * l.bits() as usize / 8);
        (size_of_val(&*map.cells) + graphics + logic) as u64
    }
}

fn graphics(map: &MapData, index: usize) -> Option<PropertyGroup> {
    const NAMES: [&str; 4] = ["Upper left", "Upper right", "Lower left", "Lower right"];
    let Some(corners) = map.graphics.as_ref()?.get(index) else {
        return not_read("Graphics attributes", map);
    };
    let lines = NAMES.into_iter().zip(corners).map(|(name, corner)| {
        let Corner {
            rgba: [r, g, b, a],
            light: [x, y],
        } = corner;
        Property::new(
            name,
            format!("tint {r} {g} {b}, opacity {a}, light {x} {y}"),
        )
    });
    let mut properties: Vec<Property> = lines.collect();
    let bytes = place_of("32", map.graphics_offset(index));
    properties.push(Property::new("Bytes", bytes).derived());
    Some(group("Graphics attributes", properties))
}

fn logic(map: &MapData, index: usize) -> Option<PropertyGroup> {
    let logic = map.logic.as_ref()?;
    let Some(value) = logic.get(index) else {
        return not_read("Logic attribute", map);
    };
    let digits = logic.bits() as usize / 4;
    let properties = vec![
        Property::new("Value", value.to_string()),
        Property::new("", format!("0x{value:0digits$x}")),
        Property::new(
            "Bytes",
            place_of(&(logic.bits() / 8).to_string(), map.logic_offset(index)),
        ),
    ];
    // The logic grid has the same value.
    let properties = properties.into_iter().map(Property::derived);
    Some(group("Logic attribute", properties.collect()))
}

/// A placeholder line for unread attributes.
fn not_read(title: &'static str, map: &MapData) -> Option<PropertyGroup> {
    let said = left_out::not_read(map.not_read?);
    Some(group(title, vec![Property::new("Bytes", said).derived()]))
}

fn id_name(id: u16) -> String {
    format!("{id} ({id:#06x})")
}

/// Bytes and their position.
fn place_of(bytes: &str, offset: Option<u64>) -> String {
    match offset {
        Some(offset) => format!("{bytes} at {offset:#x}"),
        None => format!("{bytes}, compressed"),
    }
}

/// File data of map data files.
#[derive(Debug)]
pub(super) struct MapFacts {
    pub(super) map: LayerFacts,
    /// The name of the container that names its tiles.
    pub(super) container: Option<String>,
}

impl Facts for MapFacts {
    fn map(&self) -> Vec<PropertyGroup> {
        let mut groups: Vec<PropertyGroup> = self.map.header().into_iter().collect();
        let container = self.container.as_deref();
        let says = container.unwrap_or("no container beside it names the map: tiles are numbered");
        groups.push(group(
            "Container",
            vec![Property::new("File", says).derived()],
        ));
        groups
    }

    fn cell(&self, _layer: usize, index: usize) -> Vec<PropertyGroup> {
        self.map.cell(index)
    }

    fn tile_number(&self, _layer: usize, index: usize) -> Option<u32> {
        self.map.tile_number(index)
    }

    fn palette_and_priority(&self, _layer: usize, index: usize) -> Option<[u32; 2]> {
        self.map.palette_and_priority(index)
    }

    fn cells_in_file<'a>(&'a self, _map: &'a TileMap, _layer: usize) -> Option<&'a [u32]> {
        self.map.cells_in_file()
    }

    fn stores_layer_names(&self) -> bool {
        false
    }

    fn is_layer(&self) -> bool {
        true
    }

    fn parts<'a>(&'a self, _map: &'a TileMap, layer: Option<usize>) -> Vec<Parts<'a>> {
        let graphics = layer.and_then(|_| self.map.graphics_parts());
        graphics.into_iter().collect()
    }

    fn grid_place(&self, _grid: &Grid, index: usize) -> Option<String> {
        self.map.logic_place(index)
    }

    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        match item {
            TileMapItem::Cell { .. } => {
                let at = map.cell_at(item.into())?;
                Some(self.map.own_cell(at.index))
            }
            _ => None,
        }
    }

    fn info(&self, _map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Value> {
        let mut info = JsonMap::new();
        let Some(map) = &self.map.map else {
            return info;
        };
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put("size", json!(map.size));
        put("flags", json!(map.flags.0));
        put("layout", json!(map.flags.layout().name()));
        put("compression", json!(map.flags.compression().name()));
        let is_known = !matches!(
            map.flags.compression(),
            Compression::Lzw | Compression::Several
        );
        let known = |value: Value| if is_known { value } else { Value::Null };
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

    fn cpu_bytes(&self) -> u64 {
        self.map.cpu_bytes()
    }
}

/// File data of a container.
#[derive(Debug)]
pub(super) struct XmfFacts {
    /// The container without embedded cells, which are in `layers`.
    xmf: Xmf,
    /// The layers in map order, each with its index in the container.
    layers: Vec<(usize, LayerFacts)>,
    /// For each object of the map, the index of its layer in the container, and its own index
    /// within that layer.
    objects: Vec<[usize; 2]>,
}

impl XmfFacts {
    pub(super) fn new(mut xmf: Xmf, layers: Vec<(usize, LayerFacts)>) -> Self {
        let mut objects = Vec::new();
        for (index, _) in &layers {
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

    /// File data of the object with this index, including its layer.
    fn own_object(&self, index: u32) -> Option<Vec<OwnLine>> {
        let [of_file, object] = *self.objects.get(index as usize)?;
        let layer = self.layers.iter().position(|(it, _)| *it == of_file)?;
        let of_file = self.xmf.layers.get(of_file)?;
        let named = (layer, &*of_file.name);
        Some(own::object(of_file.objects.get(object)?, named))
    }

    fn layer_of(&self, layer: usize) -> Option<(&XmfLayer, &LayerFacts)> {
        let (index, facts) = self.layers.get(layer)?;
        Some((self.xmf.layers.get(*index)?, facts))
    }
}

/// Indices of a layer's objects in drawing order: by identifier, then in file order.
pub(super) fn in_drawing_order(objects: &[Object]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by_key(|index| objects.get(*index).map(|object| object.id));
    order
}

/// Maximum number of listed elements of one kind.
const MAX_LISTED: usize = 32;

/// A line for each element of a list, and the number of remaining elements.
fn listed<T>(
    name: &'static str,
    list: &[T],
    line: impl Fn(&T) -> String,
) -> impl Iterator<Item = Property> {
    let lines = list
        .iter()
        .take(MAX_LISTED)
        .map(move |element| Property::new(name, line(element)));
    let more = list.len().checked_sub(MAX_LISTED).filter(|more| *more > 0);
    let more = more.map(|more| Property::new("", format!("and {more} more")));
    lines.chain(more)
}

/// Tags that are left to the game, or that Mapscope does not interpret.
pub(super) fn custom_tags(tags: &[Tag]) -> impl Iterator<Item = Property> {
    listed("Tag", tags, Tag::summary)
}

/// Source and destination of a palette.
fn palette_line(palette: &Palette) -> String {
    let source = match &palette.source {
        PaletteSource::File(path) => path.clone(),
        PaletteSource::Embedded { name, colors } => {
            let name = name.as_deref().unwrap_or("embedded");
            format!("{name}, {} colours in the file", colors.len())
        }
    };
    let max = palette.pal_shift.map_or_else(String::new, |shift| {
        format!(", at most {} colours", 1_u64 << shift)
    });
    format!("{source}{max}, from {} on", palette.offset)
}

/// Describes a tile sheet without its tiles.
fn sheet_line(source: &TileSource) -> String {
    let palettes = source
        .pal_shift
        .map(|shift| format!("palettes of {} colours", 1_u64 << shift));
    let offset = source
        .offset
        .map(|offset| format!("its own from {offset} on"));
    let named = source
        .tiles
        .as_ref()
        .map(|tiles| format!("{} tiles named", tiles.len()));
    let parts = [Some(source.path.clone()), palettes, offset, named];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Describes an image of a sprite: its identifier and its source.
fn sprite_source_line(source: &SpriteSource) -> String {
    let name = source.name.as_deref().map(|name| format!(" {name}"));
    let part = source
        .part
        .map(|[x, y, width, height]| format!(", {width} x {height} pixels at {x}, {y}"));
    let (name, part) = (name.unwrap_or_default(), part.unwrap_or_default());
    format!("{}{name}: {}{part}", source.id, source.path)
}

fn sprite_sheet_line(sheet: &SpriteSheet) -> String {
    format!("{}, {} sprites", sheet.path, sheet.sprites.len())
}

/// Source of the cells of a layer, as display text.
pub(super) fn source_name(layer: &XmfLayer) -> String {
    match &layer.map {
        Some(MapSource::File { path, .. }) => path.clone(),
        Some(MapSource::Embedded { .. }) => "in the file".to_owned(),
        Some(MapSource::Shared { layer, .. }) => format!("those of layer {layer}"),
        None => "none".to_owned(),
    }
}

/// The keys of a layer in the contract, and further ones. Its number is its position in drawing
/// order, as used elsewhere.
fn layer_info(layer: &XmfLayer, number: Option<usize>) -> Value {
    let map = match &layer.map {
        Some(MapSource::File { path, .. }) => json!(path_below_root(path)),
        _ => Value::Null,
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
        "boxes": boxes.collect::<Value>(),
        "sprites": sprites.collect::<Value>(),
    })
}

impl Facts for XmfFacts {
    fn map(&self) -> Vec<PropertyGroup> {
        let metadata = &self.xmf.metadata;
        let resolution = metadata
            .resolution
            .map(|[w, h]| format!("{w} x {h} pixels"));
        let mut properties: Vec<Property> = texts([
            ("Name", metadata.name.as_deref().unwrap_or_default()),
            ("Screen", resolution.as_deref().unwrap_or_default()),
        ])
        .collect();
        if let Some([major, minor]) = metadata.version {
            properties.push(Property::new("Version", format!("{major}.{minor}")));
        }
        properties.extend(custom_tags(&metadata.other));
        properties.extend(listed("Palette", &self.xmf.palettes, palette_line));
        properties.extend(custom_tags(&self.xmf.other));
        vec![group("In the file", properties)]
    }

    fn layer(&self, layer: usize) -> Vec<PropertyGroup> {
        let Some((layer, facts)) = self.layer_of(layer) else {
            return Vec::new();
        };
        let mut properties = vec![
            Property::new("Kind", layer.kind.name()),
            Property::new("Priority", layer.priority.to_string()),
        ];
        if layer.kind.has_tiles() {
            properties.push(Property::new("Cells", source_name(layer)));
            properties.push(Property::new("Around it", layer.repeat.name()));
        }
        properties.extend(listed("Sheet", &layer.tile_sources, sheet_line));
        let shared = |priority: &i32| format!("those of the layer of priority {priority}");
        properties.extend(listed("Tiles too", &layer.shared_tiles, shared));
        properties.extend(listed("Sprite", &layer.sprite_sources, sprite_source_line));
        properties.extend(listed("Sprites", &layer.sprite_sheets, sprite_sheet_line));
        properties.extend(listed("Palette", &layer.palettes, palette_line));
        let mode = layer.rendering_mode.as_deref().unwrap_or_default();
        properties.extend(texts([("Rendering mode", mode)]));
        properties.extend(custom_tags(&layer.other));
        properties.push(Property::new("Place", format!("line {}", layer.at.line)).place());
        let mut groups = vec![group("In the file", properties)];
        groups.extend(facts.header());
        groups
    }

    fn cell(&self, layer: usize, index: usize) -> Vec<PropertyGroup> {
        let facts = self.layer_of(layer);
        facts.map_or_else(Vec::new, |(_, facts)| facts.cell(index))
    }

    fn tile_number(&self, layer: usize, index: usize) -> Option<u32> {
        self.layer_of(layer)?.1.tile_number(index)
    }

    fn palette_and_priority(&self, layer: usize, index: usize) -> Option<[u32; 2]> {
        self.layer_of(layer)?.1.palette_and_priority(index)
    }

    fn cells_in_file<'a>(&'a self, _map: &'a TileMap, layer: usize) -> Option<&'a [u32]> {
        self.layer_of(layer)?.1.cells_in_file()
    }

    fn tile_storage(&self) -> TileStorage {
        TileStorage::Named
    }

    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        match item {
            TileMapItem::Map => Some(own::map(&self.xmf)),
            TileMapItem::Layer { index } => Some(own::layer(self.layer_of(index as usize)?.0)),
            TileMapItem::Cell { .. } => {
                let at = map.cell_at(item.into())?;
                Some(self.layer_of(at.layer_number)?.1.own_cell(at.index))
            }
            TileMapItem::Entity { index }
            | TileMapItem::Waypoint { index }
            | TileMapItem::ZoneArea { index }
            | TileMapItem::Sprite { index }
            | TileMapItem::Box { index }
            | TileMapItem::Line { index } => self.own_object(index),
            _ => None,
        }
    }

    fn parts<'a>(&'a self, map: &'a TileMap, layer: Option<usize>) -> Vec<Parts<'a>> {
        let Some(number) = layer else {
            return vec![own::palettes(&self.xmf.palettes), own::tags(&self.xmf)];
        };
        let Some((layer, _)) = self.layer_of(number) else {
            return Vec::new();
        };
        own::of_layer(layer, move |id| Self::tile_item(map, number, id))
    }

    fn has_file_object_order(&self) -> bool {
        false
    }

    fn has_cells(&self, layer: usize) -> bool {
        self.layer_of(layer)
            .is_some_and(|(layer, _)| match layer.map {
                Some(MapSource::Embedded { .. }) => true,
                Some(_) => false,
                // They may be in the unread part of the file.
                None => layer.is_cut,
            })
    }

    fn info(&self, _map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Value> {
        let xmf = &self.xmf;
        let mut info = JsonMap::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put("name", json!(xmf.metadata.name));
        put("resolution", json!(xmf.metadata.resolution));
        let layers = xmf.layers.iter().enumerate().map(|(index, layer)| {
            let number = self.layers.iter().position(|(of, _)| *of == index);
            layer_info(layer, number)
        });
        put("layers", layers.collect());
        info
    }

    fn cpu_bytes(&self) -> u64 {
        self.layers.iter().map(|(_, facts)| facts.cpu_bytes()).sum()
    }
}
