//! Maps of ika: the binary maps of its first years, "MAP v6", and the text maps of version 1.2
//! (document "Old map format"; fact sheet of ika, sections 2 to 4).

mod to_binary;
mod to_text;

use mapscope_formats::ika::map::{self, DrawStep, Map};
use mapscope_formats::ika::text_map::{self, TextMap};
use mapscope_formats::{Format, Problem, ReadError, quoted};

use super::{
    Content, Context, ConversionReport, ConvertError, Form, ItemNames, Make, Row, finished, name_or,
};

/// The forms of a binary map.
pub(super) const BINARY_FORMS: &[Row<Map>] = &[
    Row {
        form: BINARY,
        make: Make::Change(|_, _| Ok(())),
    },
    Row {
        form: TEXT,
        make: Make::Other(|map, context, mut told| {
            let text = to_text::convert(&map, tile_px(context, &mut told), &mut told)?;
            finished(&text, told)
        }),
    },
];

/// The forms of a text map.
pub(super) const TEXT_FORMS: &[Row<TextMap>] = &[
    Row {
        form: BINARY,
        make: Make::Other(|text, context, mut told| {
            let map = to_binary::convert(&text, tile_px(context, &mut told), &mut told)?;
            finished(&map, told)
        }),
    },
    Row {
        form: TEXT,
        make: Make::Change(|_, _| Ok(())),
    },
];

const BINARY: Form = Form {
    name: "v6",
    what: "Binary map of early engine versions, \"MAP v6\"",
    aspect: "version",
    format: &map::FORMAT,
    endings: &["map"],
};

const TEXT: Form = Form {
    name: "1.2",
    what: "Text map of version 1.2, as written by the engine's editor",
    aspect: "version",
    format: &text_map::FORMAT,
    endings: &["ika-map"],
};

/// Tile size of most tilesets, in pixels.
const USUAL_TILE_PX: [u32; 2] = [16, 16];

/// Width and height of tiles in pixels, which convert positions to tiles and back.
fn tile_px(context: &Context, told: &mut ConversionReport) -> [u32; 2] {
    let known = context.tile_px.filter(|size| !size.contains(&0));
    known.unwrap_or_else(|| {
        let [width, height] = USUAL_TILE_PX;
        told.loss(format!(
            "the tileset was not found, so tiles are assumed to be {width} x {height} pixels \
             (`--textures DIR` adds its folder)"
        ));
        USUAL_TILE_PX
    })
}

/// The key of a text map in which imports store the drawing order (fact sheet, section 4).
const RENDER_STRING: &str = "rstring";
/// The key of the music's name.
const MUSIC: &str = "music";
/// The label of the player's start position.
const START: &str = "start";

/// The label of a layer without a name.
fn layer_label(number: usize) -> String {
    format!("Layer {number}")
}

/// The name of a layer of a text map in messages.
fn layer_name(number: usize, label: &str) -> String {
    name_or(label, || format!("layer {number}"))
}

/// The name of an entity in messages.
fn entity_name(number: usize, name: &str) -> String {
    name_or(name, || format!("entity {number}"))
}

/// The column and row of a tile in messages.
fn tile_name(index: usize, width: usize) -> String {
    let width = width.max(1);
    format!("{},{}", index % width, index / width)
}

/// The character of a layer in a render string; `None` after the tenth layer.
fn sign(layer: usize) -> Option<char> {
    match layer {
        0..9 => char::from_digit(layer as u32 + 1, 10),
        9 => Some('0'),
        _ => None,
    }
}

/// A render string that draws `layers` layers in order, and the entities after the first
/// `before_entities` of them.
fn render_string(layers: usize, before_entities: usize) -> String {
    let mut signs: Vec<char> = (0..layers).filter_map(sign).collect();
    signs.insert(before_entities.min(signs.len()), 'E');
    signs.push('R');
    signs.into_iter().collect()
}

/// The layers that a map draws, in order of first use, and how many of them are below the entities;
/// `None` if the entities are not drawn.
fn drawn(map: &Map) -> (Vec<usize>, Option<usize>) {
    let mut layers = Vec::new();
    let mut entities = None;
    for step in map.draw_steps() {
        match step {
            DrawStep::Layer(layer) if !layers.contains(&layer) => layers.push(layer),
            DrawStep::Layer(_) => {}
            DrawStep::Entities => entities = entities.or(Some(layers.len())),
        }
    }
    (layers, entities)
}

/// The length of tiles in pixels.
fn pixels(tiles: i64, tile: u32) -> Result<i32, ConvertError> {
    let pixels = tiles.saturating_mul(tile.into());
    let text = || format!("{tiles} tiles of {tile} pixels exceed the maximum size");
    i32::try_from(pixels).map_err(|_| ConvertError::Unrepresentable(text()))
}

impl Content for Map {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        map::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        map::write(self).map_err(|error| error.to_string())
    }

    fn format() -> &'static Format {
        &map::FORMAT
    }

    fn form(&self) -> String {
        "version 6".to_owned()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.clone().without_places() == other.clone().without_places()
    }

    fn unwritten(&self, bytes: &[u8], told: &mut ConversionReport) {
        let flags: ItemNames = self.odd_flags(bytes).into_iter().collect();
        told.lost(flags, "flag", "their value, which becomes 1");
    }
}

impl Content for TextMap {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        text_map::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        text_map::write(self).map_err(|error| error.to_string())
    }

    fn format() -> &'static Format {
        &text_map::FORMAT
    }

    fn unwritten(&self, _bytes: &[u8], told: &mut ConversionReport) {
        let in_layers = self.layers.iter().flat_map(|layer| {
            let in_entities = layer.entities.iter().flat_map(|entity| &entity.other);
            layer.other.iter().chain(in_entities)
        });
        let nodes = self.other.iter().chain(in_layers);
        let names: ItemNames = nodes
            .map(|node| {
                let name = node.text.trim_start_matches(['(', ' ']);
                quoted(
                    name.split_whitespace()
                        .next()
                        .unwrap_or_default()
                        .as_bytes(),
                )
            })
            .collect();
        told.left_out(names, "custom node", "only nodes known to ika are written");
    }

    fn form(&self) -> String {
        format!("version {}", self.version)
    }

    fn is_same(&self, other: &Self) -> bool {
        // All are written as the newest version.
        let [one, two] = [self, other].map(|map| Self {
            version: String::new(),
            ..map.clone().without_places()
        });
        one == two
    }
}
