//! What is said of the parts of a terrain: of each tile as far as the file has it.

use serde_json::{Value, json};

use super::class::bad_tiles_note;
use super::geometry::{Barrier, LEVEL_HEIGHT, Shape};
use super::{Terrain, TileClass};
use crate::numbers::number;
use crate::{Property, PropertyGroup, Swatch, TerrainItem, TextSpan};
use mapscope_formats::pfmap::{
    CHUNK_SIDE, Field, Found, Meaning, OddText, Reading, TILE_CHARS, TileType,
};

/// What the file has in the place of a tile, read as far as the engine reads it.
struct FoundTile<'a> {
    /// None where the file ends before it.
    text: Option<OddText<'a>>,
    /// None where there are not 24 characters.
    reading: Option<Reading>,
    /// Whether the tile is there.
    is_read: bool,
}

impl Terrain {
    fn found<'a>(&'a self, row: u32, col: u32, own: &'a mut [u8; TILE_CHARS]) -> FoundTile<'a> {
        let is_read = self.map.is_read(row, col);
        match (self.map.found(row, col), self.map.tile(row, col)) {
            (Found::Odd(text), _) => FoundTile {
                text: Some(text),
                reading: Reading::of(text.text),
                is_read,
            },
            (Found::Tile, Some(tile)) => {
                *own = tile.text();
                FoundTile {
                    text: Some(OddText {
                        text: own,
                        length: TILE_CHARS,
                    }),
                    reading: Some(Reading::from(tile)),
                    is_read,
                }
            }
            (Found::Missing, _) | (Found::Tile, None) => FoundTile {
                text: None,
                reading: None,
                is_read: false,
            },
        }
    }

    /// The tile of `info --tile`, as the contract has it; corners in world units. What could not
    /// be read is null.
    pub(super) fn tile_info(&self, row: u32, col: u32) -> Value {
        let mut own = [0; TILE_CHARS];
        let found = self.found(row, col, &mut own);
        let of = |value: fn(&Reading) -> Value| found.reading.as_ref().map_or(Value::Null, value);
        let mut info = json!({
            "row": row,
            "col": col,
            "chunk": [row / CHUNK_SIDE, col / CHUNK_SIDE],
            "readable": found.is_read,
            "missing": found.text.is_none(),
            "raw": found.text.map(|text| String::from_utf8_lossy(text.text)),
            "walkable": of(|r| r.has_shape().then(|| Barrier::of(&r.tile).is_none()).into()),
            "corners": of(|r| {
                if !r.has_shape() {
                    return Value::Null;
                }
                let corners = Shape::of(&r.tile).corners;
                let [nw, ne, sw, se] = corners.map(|c| number(c as f32 * LEVEL_HEIGHT));
                json!({"nw": nw, "ne": ne, "sw": sw, "se": se})
            }),
        });
        for field in shown_fields().filter(|field| *field != Field::Reserved) {
            let Some(value) = found.reading.map(|reading| field_value(&reading, field)) else {
                info[field.key()] = Value::Null;
                continue;
            };
            match (field.meaning(), info.get_mut(field.key())) {
                (Meaning::Blend(_), Some(Value::Array(modes))) => modes.push(value),
                (Meaning::Blend(_), _) => info[field.key()] = json!([value]),
                _ => info[field.key()] = value,
            }
        }
        info
    }

    fn material_property(&self, name: &'static str, number: i32) -> Property {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        match self.map.materials.get(index) {
            Some(material) => Property {
                link: Some(
                    TerrainItem::Material {
                        index: index as u32,
                    }
                    .into(),
                ),
                ..Property::with_thumbnail(name, format!("{index} {}", material.name), index)
            },
            None => Property::new(name, format!("{number}: there is no such material")),
        }
    }

    pub(super) fn tile_properties(&self, row: u32, col: u32) -> Vec<PropertyGroup> {
        if self.map.tile(row, col).is_none() {
            return Vec::new();
        }
        let mut own = [0; TILE_CHARS];
        let found = self.found(row, col, &mut own);
        let mut groups = vec![PropertyGroup {
            title: "Tile",
            properties: self.place_properties(row, col, &found),
        }];
        if let Some(text) = found.text {
            let mut shown = characters(text.text);
            if text.text.len() < text.length {
                shown.push('…');
            }
            let chars: Option<&[u8; TILE_CHARS]> = text.text.try_into().ok();
            groups.push(PropertyGroup {
                title: "Text",
                properties: vec![Property {
                    spans: chars.map_or_else(Vec::new, spans),
                    ..Property::new("Characters", shown)
                }],
            });
        }
        if let Some(reading) = &found.reading {
            let [shape, surface] = self.field_properties(reading);
            for (title, properties) in [("Shape", shape), ("Surface", surface)] {
                groups.push(PropertyGroup { title, properties });
            }
        }
        groups
    }

    /// Where a tile is, in the world and in the file.
    fn place_properties(&self, row: u32, col: u32, found: &FoundTile<'_>) -> Vec<Property> {
        let [chunk_row, chunk_col] = [row / CHUNK_SIDE, col / CHUNK_SIDE];
        let chunk = TerrainItem::Chunk {
            row: chunk_row,
            col: chunk_col,
        };
        let mut place = vec![
            Property::new("Row", row.to_string()),
            Property::new("Column", col.to_string()),
            Property {
                link: Some(chunk.into()),
                ..Property::new("Chunk", format!("{chunk_row}, {chunk_col}"))
            },
            Property::new(
                "In chunk",
                format!("row {}, column {}", row % CHUNK_SIDE, col % CHUNK_SIDE),
            ),
        ];
        if found.is_read {
            let center = self.tile_center(row, col);
            place.push(Property::new(
                "Centre",
                format!("x {}  y {}  z {}", center.x, center.y, center.z),
            ));
        }
        let in_file = self.map.tile_place(row, col).map_or_else(
            || "missing: the file ends before it".to_owned(),
            |(line, column)| format!("line {line}, column {column}"),
        );
        place.push(Property::new("In the file", in_file));
        if !found.is_read {
            let class = TileClass::of(&self.map, row, col).unwrap_or(TileClass::Missing);
            place.push(Property {
                link: Some(class.item()),
                swatch: Some(Swatch::Color(class.color())),
                ..Property::new("State", class.name())
            });
        } else if matches!(self.map.found(row, col), Found::Odd(_)) {
            place.push(Property::new(
                "State",
                "has characters that mean nothing; this is what the engine reads",
            ));
        }
        place
    }

    /// What fields say, and what follows from it: of the shape of a tile, and of its surface.
    fn field_properties(&self, reading: &Reading) -> [Vec<Property>; 2] {
        let [mut shape, mut surface] = [Vec::new(), Vec::new()];
        for field in shown_fields() {
            let group = match field.meaning() {
                Meaning::Type | Meaning::Levels => &mut shape,
                _ => &mut surface,
            };
            group.push(self.field_property(reading, field));
            if field == Field::Pathable {
                group.push(Property::new("Ground units", ground_units(reading)));
            }
        }
        if reading.has_shape() {
            let names = ["North-west", "North-east", "South-west", "South-east"];
            let corners = names.into_iter().zip(Shape::of(&reading.tile).corners);
            shape.extend(corners.map(|(name, level)| {
                let y = level as f32 * LEVEL_HEIGHT;
                Property::new(name, format!("level {level}, y {y}"))
            }));
        }
        [shape, surface]
    }

    fn field_property(&self, reading: &Reading, field: Field) -> Property {
        let (label, number, tile) = (field.label(), reading.get(field), &reading.tile);
        let plain = |value: &str| Property::new(label, value);
        match (field.meaning(), reading.kind()) {
            (Meaning::Type, Some(kind)) => Property {
                link: Some(TileClass::Type(kind).item()),
                swatch: Some(Swatch::Color(TileClass::Type(kind).color())),
                ..plain(&format!("{} {kind}", kind.digit()))
            },
            (Meaning::Type, None) => plain("unknown"),
            (Meaning::Levels, Some(TileType::Flat))
                if field == Field::RampHeight && number != 0 =>
            {
                plain(&format!("{number} (means nothing on a flat tile)"))
            }
            (Meaning::Levels, _) => plain(&number.to_string()),
            (Meaning::Material, _) => self.material_property(label, number),
            (Meaning::Flag, _) => plain(yes_no(tile.get(field) != 0)),
            (Meaning::InvertedFlag(_), _) => plain(yes_no(tile.get(field) == 0)),
            (Meaning::Cover, _) => plain(tile.cover().name()),
            (Meaning::Blend(edge), _) => plain(tile.blend(edge).name()),
            (Meaning::BlendAll | Meaning::Reserved, _) => {
                plain(&String::from_utf8_lossy(&tile.text()[field.chars()]))
            }
        }
    }

    pub(super) fn chunk_properties(&self, row: u32, col: u32) -> Vec<PropertyGroup> {
        let index = self.chunk_index(row, col);
        let Some((index, chunk)) = index.and_then(|i| Some((i, self.packed.chunks.get(i)?))) else {
            return Vec::new();
        };
        let corner =
            self.placement
                .world((col * CHUNK_SIDE) as f32, (row * CHUNK_SIDE) as f32, 0.0);
        let levels = chunk.ground.map_or_else(
            || "unknown".to_owned(),
            |[low, high]| format!("{low} to {high}"),
        );
        let bad = self.bad_tiles_note(index);
        let bad = bad.map(|note| Property::new("Not read", note));
        vec![PropertyGroup {
            title: "Chunk",
            properties: [
                Property::new("Row", row.to_string()),
                Property::new("Column", col.to_string()),
                Property::new(
                    "North-west corner",
                    format!("x {}  z {}", corner.x, corner.z),
                ),
                Property::new("Levels", levels),
                Property::new("Below the water", yes_no(chunk.has_water)),
                Property::new("In the file", self.chunk_lines(row, col)),
            ]
            .into_iter()
            .chain(bad)
            .collect(),
        }]
    }

    /// The lines of the file that a chunk is on.
    fn chunk_lines(&self, chunk_row: u32, chunk_col: u32) -> String {
        let [row, col] = [chunk_row, chunk_col].map(|at| at * CHUNK_SIDE);
        // Of a chunk that the file ends in, the last tile that is there.
        let tiles = (0..CHUNK_SIDE * CHUNK_SIDE).rev();
        let mut lines = tiles.filter_map(|at| {
            let place = (row + at / CHUNK_SIDE, col + at % CHUNK_SIDE);
            self.map.tile_place(place.0, place.1).map(|(line, _)| line)
        });
        match (self.map.tile_place(row, col), lines.next()) {
            (Some((first, _)), Some(last)) if first == last => format!("line {first}"),
            (Some((first, _)), Some(last)) => format!("lines {first} to {last}"),
            _ => "missing: the file ends before it".to_owned(),
        }
    }

    pub(super) fn material_properties(&self, index: usize) -> Vec<PropertyGroup> {
        let (Some(material), Some(texture)) = (
            self.map.materials.get(index),
            self.textures.materials.get(index),
        ) else {
            return Vec::new();
        };
        let [file, size] = texture.picture.properties();
        let [tops, sides] = self.material_uses.get(index).copied().unwrap_or_default();
        vec![PropertyGroup {
            title: "Material",
            properties: vec![
                Property::new("Index", index.to_string()),
                Property::with_thumbnail("Name", material.name.clone(), index),
                Property::new("Texture", material.texture.clone()),
                file,
                size,
                Property::new("Tops", format!("{tops} tiles")),
                Property::new("Sides", format!("{sides} tiles")),
                Property::new("In the file", format!("line {}", material.line)),
            ],
        }]
    }

    pub(super) fn type_properties(&self, class: TileClass) -> Vec<PropertyGroup> {
        let mut properties = vec![Property {
            swatch: Some(Swatch::Color(class.color())),
            ..Property::new("Name", class.name())
        }];
        if let TileClass::Type(kind) = class {
            properties.push(Property::new("Digit", kind.digit().to_string()));
        }
        properties.push(Property::new(
            "Tiles",
            self.class_counts[class.index()].to_string(),
        ));
        vec![PropertyGroup {
            title: "Tile type",
            properties,
        }]
    }

    pub(super) fn map_properties(&self) -> Vec<PropertyGroup> {
        let bounds = self.about.bounds;
        let bad = bad_tiles_note(self.bad_tile_counts());
        let bad = bad.map(|note| Property::new("Not read", note));
        let splats = self
            .map
            .splats
            .iter()
            .map(|s| Property::new("Splat", format!("{} over {}", s.accent, s.base)));
        vec![PropertyGroup {
            title: "Map",
            properties: [
                Property::new("File", self.path.display().to_string()),
                Property::new("Version", self.map.version.clone()),
                Property::new(
                    "Chunks",
                    format!(
                        "{} rows, {} columns",
                        self.map.chunk_rows, self.map.chunk_cols
                    ),
                ),
                Property::new(
                    "Tiles",
                    format!("{} rows, {} columns", self.map.rows(), self.map.cols()),
                ),
                Property::new(
                    "Size",
                    format!(
                        "{} x {} units",
                        bounds.max.x - bounds.min.x,
                        bounds.max.z - bounds.min.z
                    ),
                ),
                Property::new("Materials", self.map.materials.len().to_string()),
                Property::new("Line ends", if self.map.crlf { "CR LF" } else { "LF" }),
            ]
            .into_iter()
            .chain(bad)
            .chain(splats)
            .collect(),
        }]
    }
}

fn yes_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// The characters of a tile, cut into its fields.
fn spans(text: &[u8; TILE_CHARS]) -> Vec<TextSpan> {
    Field::ALL
        .into_iter()
        .enumerate()
        .map(|(color_index, field)| TextSpan {
            text: characters(&text[field.chars()]),
            field: field.name(),
            color_index,
        })
        .collect()
}

/// Bytes of a file as text, each in view, whatever it is.
fn characters(bytes: &[u8]) -> String {
    let quoted = bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(|c| {
            if c.is_control() {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        });
        let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        valid.chain(invalid).collect::<Vec<_>>()
    });
    quoted.collect()
}

/// The fields that mean something by themselves: the blend mode of all edges is in that of each.
fn shown_fields() -> impl Iterator<Item = Field> {
    let fields = Field::ALL.into_iter();
    fields.filter(|field| field.meaning() != Meaning::BlendAll)
}

/// What a field says, in JSON.
fn field_value(reading: &Reading, field: Field) -> Value {
    let tile = &reading.tile;
    match field.meaning() {
        Meaning::Type => reading.kind().map(TileType::name).into(),
        Meaning::Flag => (tile.get(field) != 0).into(),
        Meaning::InvertedFlag(_) => (tile.get(field) == 0).into(),
        Meaning::Blend(edge) => (tile.blend(edge) as u8).into(),
        Meaning::Levels
        | Meaning::Material
        | Meaning::Cover
        | Meaning::BlendAll
        | Meaning::Reserved => reading.get(field).into(),
    }
}

/// Whether ground units can walk on a tile, and if not, why.
fn ground_units(reading: &Reading) -> String {
    if !reading.has_shape() {
        return "unknown".to_owned();
    }
    match Barrier::of(&reading.tile) {
        None => "can walk".to_owned(),
        Some(barrier) => format!("cannot walk: {}", barrier.name()),
    }
}
