//! Tables of fields that describe a terrain and its parts.

use std::ops::Range;

use serde_json::{Map, Value as Json, json};

use super::class::bad_tiles_note;
use super::geometry::{Barrier, Corner, LEVEL_HEIGHT, Shape};
use super::navigation::{CELLS_PER_SIDE, Cell, Domain, Island, Obstacle};
use super::pack::ChunkFaces;
use super::textures::MaterialTexture;
use super::{Terrain, TileClass};
use crate::describe::fields::{Section, Table, Value, field, fields, json_only, own_only};
use crate::describe::numbers::number;
use crate::document::parts::Content;
use crate::{Item, Property, Swatch, TerrainItem, TextSpan};
use mapscope_formats::counted;
use mapscope_formats::pfmap::{
    CHUNK_SIDE, Edge, Field, Found, Material, Meaning, Reading, TILE_CHARS, TileType,
};

/// Number of navigation cells of a tile.
const CELLS_PER_TILE: usize = (CELLS_PER_SIDE * CELLS_PER_SIDE) as usize;
/// Text for a tile that the file does not contain.
const MISSING: &str = "missing: the file ends before it";

impl Terrain {
    /// The fields of the whole map.
    pub(super) const FIELDS: Table<'static, Self> = fields!(
        "Map",
        field("File", |map: &Self| map.path.display().to_string().into())
            .in_summary_as("Map")
            .derived(),
        field("Version", |map: &Self| map.map.version.as_str().into())
            // Problems come first, since a narrow outliner truncates the end.
            .note(|map| bad_tiles_note(map.bad_tile_counts()).into()),
        field("Chunks", |map: &Self| {
            rows_and_cols(map.map.chunk_rows, map.map.chunk_cols)
        })
        .json_as(
            "chunks",
            |map| json!({"rows": map.map.chunk_rows, "cols": map.map.chunk_cols}),
        ),
        field("Tiles", |map: &Self| {
            rows_and_cols(map.map.rows(), map.map.cols())
        })
        .derived()
        .in_note()
        .json_as("tiles", Self::tiles_info),
        field("Size", |map: &Self| {
            let size = map.about.bounds.max - map.about.bounds.min;
            format!("{} x {} units", size.x, size.z).into()
        })
        .derived(),
        field("Materials", |map: &Self| map.map.materials.len().into())
            .derived()
            .json_as("materials", |map| {
                let materials =
                    (0..map.map.materials.len()).filter_map(|i| MaterialAt::new(map, i));
                let infos = materials.map(|at| Json::from(MaterialAt::FIELDS.json(&at)));
                infos.collect()
            }),
        field("Skybox", |map: &Self| {
            let skybox = map.environment.skybox.as_ref();
            skybox.map(|skybox| skybox.said()).into()
        })
        .derived(),
        field("Line ends", |map: &Self| {
            if map.map.crlf { "CR LF" } else { "LF" }.into()
        })
        .derived(),
        field("Not read", |map: &Self| {
            bad_tiles_note(map.bad_tile_counts()).into()
        })
        .derived(),
        field("Splats", |map: &Self| {
            let splats = map.map.splats.iter();
            let text = |base, accent| format!("{accent} over {base}");
            let lines = splats.map(|s| Property::new("Splat", text(s.base, s.accent)));
            lines.collect::<Vec<_>>().into()
        })
        .json_as("splats", |map| {
            let splats = map.map.splats.iter();
            splats.map(|s| json!([s.base, s.accent])).collect()
        }),
    );

    fn tiles_info(&self) -> Json {
        let count = |kind: TileType| self.counts.classes[kind as usize].into();
        let by_type = TileType::ALL.map(|kind| (kind.name().to_owned(), count(kind)));
        let [unreadable, missing] = self.bad_tile_counts();
        json!({
            "count": self.read_tiles(),
            "by_type": Map::from_iter(by_type),
            "unreadable": unreadable,
            "missing": missing,
        })
    }

    /// The value of a material reference in a tile.
    fn material_value(&self, number: i32) -> Value {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        match MaterialAt::new(self, index) {
            Some(at) => {
                let index = index as u32;
                let item = TerrainItem::Material { index };
                Value::from(at.name()).swatch(Some(at.swatch())).link(item)
            }
            None => no_material(number).into(),
        }
    }

    /// The same for comparisons: the identity of the material, regardless of its index.
    fn own_material(&self, number: i32) -> Value {
        let value = match self.material_at(number) {
            Some(material) => format!("{}, {}", material.name, material.texture).into(),
            None => Value::from(no_material(number)),
        };
        value.naming("material", number as usize, "")
    }

    fn material_at(&self, number: i32) -> Option<&Material> {
        self.map.materials.get(usize::try_from(number).ok()?)
    }

    /// The file contents in place of a tile, by its index.
    fn found_at(&self, index: usize) -> Found<'_> {
        let cols = self.map.cols().max(1);
        self.map.found(index as u32 / cols, index as u32 % cols)
    }

    /// Adds a run of tiles: their normalised characters, and references to their materials.
    pub(super) fn add_tiles(&self, run: Range<usize>, content: &mut Content<'_>) {
        let tiles = self.map.tiles.get(run.clone()).unwrap_or_default();
        let mut found = run.clone().map(|index| self.found_at(index));
        // For a run of tiles, a plain comparison of bytes suffices.
        let is_plain = tiles.len() > 1 && content.are_numbers_same("material");
        if is_plain && found.all(|it| matches!(it, Found::Tile)) {
            return content.bytes(bytemuck::cast_slice(tiles));
        }
        for (index, tile) in run.zip(tiles) {
            let reading = match self.found_at(index) {
                Found::Odd(odd) => {
                    content.bytes(odd.text);
                    Reading::of(odd.text)
                }
                Found::Tile => {
                    let mut plain = *tile;
                    for field in WITH_TWO_SPELLINGS {
                        plain.set(field, tile.get(field));
                    }
                    for field in MATERIALS {
                        plain.set(field, 0);
                    }
                    content.bytes(&plain.text());
                    Some(Reading::from(tile))
                }
                Found::Missing => None,
            };
            let materials = reading.map(|reading| MATERIALS.map(|field| reading.get(field)));
            for material in materials.into_iter().flatten() {
                content.part("material", material as usize);
            }
        }
    }
}

/// Fields of a tile with two spellings that the engine reads alike: letters in either case, and 0
/// with either sign.
const WITH_TWO_SPELLINGS: [Field; 2] = [Field::Type, Field::BaseHeight];

/// The fields of a tile that reference materials.
const MATERIALS: [Field; 2] = [Field::TopMaterial, Field::SideMaterial];

fn no_material(number: i32) -> String {
    format!("{number}: there is no such material")
}

/// A chunk.
pub(super) struct ChunkAt<'a> {
    terrain: &'a Terrain,
    row: u32,
    col: u32,
    index: usize,
    faces: &'a ChunkFaces,
}

impl<'a> ChunkAt<'a> {
    pub(super) fn new(terrain: &'a Terrain, row: u32, col: u32) -> Option<Self> {
        let index = terrain.chunk_index(row, col)?;
        let faces = terrain.relief.packed.chunks.get(index)?;
        Some(Self {
            terrain,
            row,
            col,
            index,
            faces,
        })
    }

    pub(super) const FIELDS: Table<'a, Self> = fields!(
        "Chunk",
        field("Row", |at: &Self| at.row.into())
            .summary("Chunk", |at| format!("{}, {}", at.row, at.col).into())
            .note(|at| at.terrain.bad_tiles_note(at.index).into()),
        field("Column", |at: &Self| at.col.into()),
        field("North-west corner", |at: &Self| {
            let [row, col] = [at.row, at.col].map(|at| (at * CHUNK_SIDE) as f32);
            let corner = at.terrain.placement.world(col, row, 0.0);
            format!("x {}  z {}", corner.x, corner.z).into()
        }),
        field("Levels", |at: &Self| {
            let text = |[low, high]: [i32; 2]| format!("{low} to {high}");
            let levels = at.faces.ground.map(text);
            levels.unwrap_or_else(|| "unknown".to_owned()).into()
        })
        .note(|at| {
            let text = |[low, high]: [i32; 2]| format!("levels {low} to {high}");
            at.faces.ground.map(text).into()
        }),
        field("Below the water", |at: &Self| at.faces.has_water.into()),
        field("In the file", |at: &Self| at.lines().into()),
        field("Not read", |at: &Self| {
            at.terrain.bad_tiles_note(at.index).into()
        }),
    );

    /// The lines of the file that contain it.
    fn lines(&self) -> String {
        let map = &self.terrain.map;
        let [row, col] = [self.row, self.col].map(|at| at * CHUNK_SIDE);
        // If the file ends within the chunk, this finds the last tile present.
        let tiles = (0..CHUNK_SIDE * CHUNK_SIDE).rev();
        let mut lines = tiles.filter_map(|at| {
            let place = (row + at / CHUNK_SIDE, col + at % CHUNK_SIDE);
            map.tile_place(place.0, place.1).map(|(line, _)| line)
        });
        match (map.tile_place(row, col), lines.next()) {
            (Some((first, _)), Some(last)) if first == last => format!("line {first}"),
            (Some((first, _)), Some(last)) => format!("lines {first} to {last}"),
            _ => MISSING.to_owned(),
        }
    }
}

/// A material.
pub(super) struct MaterialAt<'a> {
    index: usize,
    material: &'a Material,
    texture: &'a MaterialTexture,
    /// Numbers of tiles that show it on top, and at their sides.
    uses: [u64; 2],
}

impl<'a> MaterialAt<'a> {
    pub(super) fn new(terrain: &'a Terrain, index: usize) -> Option<Self> {
        Some(Self {
            index,
            material: terrain.map.materials.get(index)?,
            texture: terrain.textures.materials.get(index)?,
            uses: *terrain.counts.materials.get(index)?,
        })
    }

    pub(super) const FIELDS: Table<'a, Self> = fields!(
        "Material",
        field("Index", |at: &Self| at.index.into())
            .summary("Material", |at| at.name().into())
            .derived(),
        field("Name", |at: &Self| {
            Value::from(at.material.name.as_str()).swatch(Some(at.swatch()))
        })
        .json("name"),
        field("Texture", |at: &Self| at.material.texture.as_str().into()).json("texture"),
        field("File", |at: &Self| {
            at.texture.file.properties().to_vec().into()
        })
        .derived()
        .json_as("found", |at| at.texture.file.found.into()),
        field("Tops", |at: &Self| format!("{} tiles", at.uses[0]).into())
            .derived()
            .note(|at| {
                match at.uses {
                    [tops, 0] => counted(tops as usize, "top"),
                    [0, sides] => counted(sides as usize, "side"),
                    [tops, sides] => format!("{tops} tops, {sides} sides"),
                }
                .into()
            }),
        field("Sides", |at: &Self| format!("{} tiles", at.uses[1]).into())
            .derived()
            .note(|at| (!at.texture.file.found).then_some("no texture").into()),
        field("In the file", |at: &Self| {
            format!("line {}", at.material.line).into()
        })
        .place(),
    );

    /// Its index and name.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.index, self.material.name)
    }

    fn swatch(&self) -> Swatch {
        Swatch::Thumbnail(self.index)
    }
}

/// All tiles of a class.
pub(super) struct TilesOf<'a> {
    terrain: &'a Terrain,
    class: TileClass,
}

impl<'a> TilesOf<'a> {
    pub(super) fn new(terrain: &'a Terrain, class: u8) -> Option<Self> {
        let class = TileClass::from_index(class)?;
        Some(Self { terrain, class })
    }

    pub(super) const FIELDS: Table<'a, Self> = fields!(
        "Tile type",
        field("Name", |of: &Self| {
            Value::from(of.class.name()).swatch(Some(swatch(of.class)))
        })
        .summary("Type", |of| {
            format!("{} {}", of.class.code(), of.class.name()).into()
        }),
        field("Digit", |of: &Self| {
            let is_type = matches!(of.class, TileClass::Type(_));
            is_type.then(|| of.class.code().to_string()).into()
        }),
        field("Tiles", |of: &Self| {
            of.terrain.counts.classes[of.class.index()].into()
        })
        .in_summary(),
    );
}

/// A tile: the file contents in its place, read as far as the engine reads them.
pub(super) struct TileAt<'a> {
    terrain: &'a Terrain,
    row: u32,
    col: u32,
    class: TileClass,
    /// Its characters, and their number in the file; `None` if the file ends before it.
    text: Option<(Vec<u8>, usize)>,
    /// `None` if there are not 24 characters.
    reading: Option<Reading>,
}

impl<'a> TileAt<'a> {
    pub(super) fn new(terrain: &'a Terrain, row: u32, col: u32) -> Option<Self> {
        let map = &terrain.map;
        let tile = map.tile(row, col)?;
        let (text, reading) = match map.found(row, col) {
            Found::Odd(odd) => (Some((odd.text.to_vec(), odd.length)), Reading::of(odd.text)),
            Found::Tile => (
                Some((tile.text().to_vec(), TILE_CHARS)),
                Some(Reading::from(tile)),
            ),
            Found::Missing => (None, None),
        };
        Some(Self {
            terrain,
            row,
            col,
            class: TileClass::of(map, row, col)?,
            text,
            reading,
        })
    }

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            Section {
                title: "Tile",
                key: None,
                fields: &[
                    field("Row", |at: &Self| at.row.into())
                        .derived()
                        .summary("Row", |at| padded(at.row, at.terrain.map.rows()))
                        .json("row"),
                    field("Column", |at: &Self| at.col.into())
                        .derived()
                        .summary("Column", |at| padded(at.col, at.terrain.map.cols()))
                        .json("col"),
                    field("Chunk", |at: &Self| {
                        let [row, col] = at.chunk();
                        Value::from(format!("{row}, {col}")).link(TerrainItem::Chunk { row, col })
                    })
                    .summary("Chunk", |at| {
                        let [row, col] = at.chunk();
                        let map = &at.terrain.map;
                        let width = digits(map.chunk_rows) + digits(map.chunk_cols) + 2;
                        Value::from(format!("{row}, {col}")).width(width)
                    })
                    .derived()
                    .json_as("chunk", |at| json!(at.chunk())),
                    field("In chunk", |at: &Self| {
                        let [row, col] = [at.row, at.col].map(|at| at % CHUNK_SIDE);
                        format!("row {row}, column {col}").into()
                    })
                    .derived(),
                    field("Centre", |at: &Self| {
                        let center = at.terrain.tile_center(at.row, at.col);
                        let text = format!("x {}  y {}  z {}", center.x, center.y, center.z);
                        at.is_read().then_some(text).into()
                    })
                    .derived(),
                    field("In the file", |at: &Self| {
                        let place = at.terrain.map.tile_place(at.row, at.col);
                        let text = |(line, column)| format!("line {line}, column {column}");
                        place.map_or_else(|| MISSING.to_owned(), text).into()
                    })
                    .place()
                    .json_as("missing", |at| at.text.is_none().into()),
                    field("State", Self::state)
                        .derived()
                        .summary("Type", |at| {
                            let widths = TileClass::all().map(|class| class.name().len());
                            Value::from(at.class.name()).width(widths.max().unwrap_or(0))
                        })
                        .json_as("readable", |at| at.is_read().into()),
                ],
            },
            Section {
                title: "Text",
                key: None,
                fields: &[field("Characters", |at: &Self| at.characters().into())
                    .derived()
                    .json_as("raw", |at| {
                        let text = at.text.as_ref();
                        text.map(|(text, _)| String::from_utf8_lossy(text)).into()
                    })],
            },
            Section {
                title: "Shape",
                key: None,
                fields: &[
                    field("", |at: &Self| at.fields(true)).own(|at| at.stored_fields(true)),
                    field("Corners", |at: &Self| at.corners().into())
                        .derived()
                        .json_as("corners", |at| {
                            let corners = at.shape().map(|shape| shape.corners);
                            let corners =
                                corners.map(|c| c.map(|c| number(c as f32 * LEVEL_HEIGHT)));
                            corners.map_or(
                                Json::Null,
                                |[nw, ne, sw, se]| json!({"nw": nw, "ne": ne, "sw": sw, "se": se}),
                            )
                        }),
                ],
            },
            Section {
                title: "Surface",
                key: None,
                fields: &[
                    field("", |at: &Self| at.fields(false)).own(|at| at.stored_fields(false)),
                    own_only("Other characters", |at: &Self| at.other_characters().into()),
                    json_only("walkable", |at| at.walk().map(|walk| walk.is_ok()).into()),
                ],
            },
            Section {
                title: "Navigation",
                key: None,
                fields: &[field("", |at: &Self| at.cell_lines().into())
                    .derived()
                    .json_as("cells", Self::cells_json)],
            },
        ],
    };

    /// The tile in the form of `info --tile` in the contract, with corners in world units.
    /// Unreadable values are null.
    pub(super) fn info(&self) -> Json {
        let mut info = Json::from(Self::FIELDS.json(self));
        for field in Field::ALL {
            let value = self.reading.and_then(|reading| {
                let (number, tile) = (reading.get(field), &reading.tile);
                Some(match field.meaning() {
                    Meaning::Type => reading.kind()?.name().into(),
                    Meaning::Levels | Meaning::Material | Meaning::Cover => number.into(),
                    Meaning::Flag => (tile.get(field) != 0).into(),
                    Meaning::InvertedFlag(_) => (tile.get(field) == 0).into(),
                    Meaning::Blend(_) => json!(Edge::ALL.map(|edge| tile.blend(edge) as u8)),
                    Meaning::BlendAll | Meaning::Reserved => return None,
                })
            });
            if let Some(key) = field.key() {
                info[key] = value.into();
            }
        }
        info
    }

    /// Values of its shape fields or of its surface fields, with derived values.
    fn fields(&self, of_shape: bool) -> Value {
        self.field_lines(of_shape, true)
    }

    /// The same without derived values.
    fn stored_fields(&self, of_shape: bool) -> Value {
        self.field_lines(of_shape, false)
    }

    fn field_lines(&self, of_shape: bool, with_derived: bool) -> Value {
        let Some(reading) = &self.reading else {
            return Value::absent();
        };
        let mut lines = Vec::new();
        for field in Field::ALL {
            let is_of_shape = matches!(field.meaning(), Meaning::Type | Meaning::Levels);
            if is_of_shape == of_shape {
                // The blend modes of all edges share one key.
                let key = field
                    .key()
                    .filter(|_| !matches!(field.meaning(), Meaning::Blend(_)));
                let value = match field.meaning() {
                    Meaning::Material if !with_derived => {
                        self.terrain.own_material(reading.get(field))
                    }
                    Meaning::Levels if !with_derived => reading.get(field).into(),
                    _ => self.field(reading, field),
                };
                lines.push(value.named(field.label()).keyed(key));
            }
            if field == Field::Pathable && !of_shape && with_derived {
                lines.push(Value::from(self.ground_units()).named("Ground units"));
            }
        }
        lines.into()
    }

    /// Characters that no field represents, such as a digit other than 1 for a set flag. For
    /// contents that are not a tile, all characters.
    fn other_characters(&self) -> Option<String> {
        let (text, _) = self.text.as_ref()?;
        let Some(reading) = self.reading.filter(|_| text.len() == TILE_CHARS) else {
            return Some(String::from_utf8_lossy(text).into_owned());
        };
        let mut plain = reading.tile;
        let names_edges = Edge::ALL
            .into_iter()
            .any(|edge| reading.get(Field::blend(edge)) != 0);
        let mut other_characters = Vec::new();
        for field in Field::ALL {
            let number = reading.get(field);
            plain.set(field, number);
            let is_said = match field.meaning() {
                // It is covered by the edges unless they have their own modes.
                Meaning::BlendAll => !names_edges || number == 0,
                Meaning::Reserved => true,
                Meaning::Type => reading.kind().is_some(),
                _ => field.chars().len() > 1 || number <= i32::from(field.max_digit()),
            };
            let spelled = plain.text();
            for at in field.chars() {
                let (found, plain) = (text.get(at), spelled.get(at));
                // The engine accepts type letters in either case.
                let is_plain = found
                    .zip(plain)
                    .is_some_and(|(a, b)| a.eq_ignore_ascii_case(b));
                if let Some(found) = found.filter(|_| !is_said || !is_plain) {
                    other_characters.push(format!("{at}: {}", char::from(*found)));
                }
            }
        }
        (!other_characters.is_empty()).then(|| other_characters.join(", "))
    }

    fn field(&self, reading: &Reading, field: Field) -> Value {
        let (number, tile) = (reading.get(field), &reading.tile);
        match field.meaning() {
            Meaning::Type => match reading.kind().map(TileClass::Type) {
                Some(class) => Value::from(format!("{} {}", class.code(), class.name()))
                    .link(class.item())
                    .swatch(Some(swatch(class))),
                None => "unknown".into(),
            },
            Meaning::Levels
                if number != 0
                    && field == Field::RampHeight
                    && reading.kind() == Some(TileType::Flat) =>
            {
                format!("{number} (means nothing on a flat tile)").into()
            }
            Meaning::Levels => number.into(),
            Meaning::Material => self.terrain.material_value(number),
            Meaning::Flag => (tile.get(field) != 0).into(),
            Meaning::InvertedFlag(_) => (tile.get(field) == 0).into(),
            Meaning::Cover => tile.cover().name().into(),
            Meaning::Blend(edge) => tile.blend(edge).name().into(),
            // It is included in the fields of the edges.
            Meaning::BlendAll => Value::absent(),
            Meaning::Reserved => String::from_utf8_lossy(&tile.text()[field.chars()]).into(),
        }
    }

    /// Number of its cells on which ground units can walk, and the first obstacle on the other
    /// cells.
    fn ground_units(&self) -> String {
        if self.walk().is_none() {
            return "unknown".to_owned();
        }
        let obstacles = self.cells().map(|(_, at)| at.obstacle(Domain::Ground));
        let barred: Vec<Obstacle> = obstacles.flatten().collect();
        let Some(first) = barred.first() else {
            return "can walk".to_owned();
        };
        let first = first.name();
        match CELLS_PER_TILE - barred.len() {
            0 => format!("cannot walk: {first}"),
            open => format!("can walk on {open} of {CELLS_PER_TILE} cells: {first}"),
        }
    }

    /// `Ok` if ground units can walk on it, else the reason; `None` if unknown.
    fn walk(&self) -> Option<Result<(), Barrier>> {
        let reading = self.reading.filter(Reading::has_shape);
        reading.map(|reading| Barrier::of(&reading.tile).map_or(Ok(()), Err))
    }

    /// Its navigation cells, in the order of [`Corner`].
    fn cells(&self) -> impl Iterator<Item = (&'static str, CellAt<'a>)> {
        let names = [
            ("North-west cell", Corner::NorthWest),
            ("North-east cell", Corner::NorthEast),
            ("South-west cell", Corner::SouthWest),
            ("South-east cell", Corner::SouthEast),
        ];
        let (terrain, row, col) = (self.terrain, self.row, self.col);
        let cell = move |(name, corner)| {
            let cell = Cell::in_tile(row, col, corner);
            (name, CellAt { terrain, cell })
        };
        names.into_iter().map(cell)
    }

    /// A line for each cell, and one for ships if there is water.
    fn cell_lines(&self) -> Vec<Property> {
        let mut lines: Vec<Property> = self
            .cells()
            .map(|(name, at)| at.line(name, Domain::Ground))
            .collect();
        let ships: Vec<CellAt<'_>> = self
            .cells()
            .map(|(_, at)| at)
            .filter(|at| at.island(Domain::Water).is_some())
            .collect();
        if let Some(first) = ships.first() {
            let mut line = first.line("Ships", Domain::Water);
            if ships.len() < CELLS_PER_TILE {
                let (open, text) = (ships.len(), line.value);
                line.value = format!("{open} of {CELLS_PER_TILE} cells: {text}");
            }
            lines.push(line);
        }
        lines
    }

    fn cells_json(&self) -> Json {
        let keys = ["nw", "ne", "sw", "se"];
        let cells = keys
            .into_iter()
            .zip(self.cells())
            .map(|(key, (_, at))| (key.to_owned(), at.json()));
        cells.collect::<Map<_, _>>().into()
    }

    fn shape(&self) -> Option<Shape> {
        let reading = self.reading.filter(Reading::has_shape);
        reading.map(|reading| Shape::of(&reading.tile))
    }

    fn corners(&self) -> Vec<Property> {
        let names = ["North-west", "North-east", "South-west", "South-east"];
        let levels = self.shape().into_iter().flat_map(|shape| shape.corners);
        let line = |(name, level): (&'static str, i32)| {
            let y = level as f32 * LEVEL_HEIGHT;
            Property::new(name, format!("level {level}, y {y}"))
        };
        names.into_iter().zip(levels).map(line).collect()
    }

    /// Row and column of its chunk.
    fn chunk(&self) -> [u32; 2] {
        [self.row, self.col].map(|at| at / CHUNK_SIDE)
    }

    fn is_read(&self) -> bool {
        self.terrain.map.is_read(self.row, self.col)
    }

    /// Its problem, if it has one.
    fn state(&self) -> Value {
        let is_odd = matches!(self.terrain.map.found(self.row, self.col), Found::Odd(_));
        if !self.is_read() {
            Value::from(self.class.name())
                .link(self.class.item())
                .swatch(Some(swatch(self.class)))
        } else if is_odd {
            "has characters that mean nothing; this is what the engine reads".into()
        } else {
            Value::absent()
        }
    }

    /// Its characters, split into fields if their number is that of a tile.
    fn characters(&self) -> Vec<Property> {
        let Some((text, length)) = &self.text else {
            return Vec::new();
        };
        let mut shown = characters(text);
        if text.len() < *length {
            shown.push('…');
        }
        let span = |(color_index, field): (usize, Field)| {
            Some(TextSpan {
                text: characters(text.get(field.chars())?),
                field: field.name(),
                color_index,
            })
        };
        let is_tile = text.len() == TILE_CHARS;
        let fields = Field::ALL.into_iter().enumerate().filter(|_| is_tile);
        vec![Property {
            spans: fields.filter_map(span).collect(),
            ..Property::new("Characters", shown)
        }]
    }
}

/// A cell of the navigation grid.
struct CellAt<'a> {
    terrain: &'a Terrain,
    cell: Cell,
}

impl CellAt<'_> {
    /// Its island, with its number from 1.
    fn island(&self, domain: Domain) -> Option<(usize, &Island)> {
        let islands = self.terrain.navigation().islands(domain);
        let index = islands.at(self.cell)?;
        Some((index + 1, islands.list.get(index)?))
    }

    fn obstacle(&self, domain: Domain) -> Option<Obstacle> {
        let terrain = self.terrain;
        terrain
            .navigation()
            .obstacle(&terrain.map, domain, self.cell)
    }

    fn line(&self, name: &'static str, domain: Domain) -> Property {
        let obstacle = self.obstacle(domain);
        let entity = match obstacle {
            Some(Obstacle::Entity(index)) => self.terrain.blockers.get(index as usize),
            _ => None,
        };
        if let Some(obstacle) = obstacle {
            return Property {
                link: entity.map(|entity| entity.item),
                ..Property::new(name, self.terrain.obstacle_text(obstacle))
            };
        }
        let island = self.island(domain);
        let text = island.map_or_else(String::new, |(number, island)| {
            let cells = counted(island.cells as usize, "cell");
            match domain {
                Domain::Ground => format!("open, island {number} of {cells}"),
                Domain::Water => format!("can sail, water {number} of {cells}"),
            }
        });
        let link = island.filter(|_| domain == Domain::Ground);
        Property {
            link: link.map(|(_, island)| IslandAt::item(island)),
            ..Property::new(name, text)
        }
    }

    fn json(&self) -> Json {
        let obstacle = self.obstacle(Domain::Ground);
        let entity = match obstacle {
            Some(Obstacle::Entity(index)) => self.terrain.blockers.get(index as usize),
            _ => None,
        };
        json!({
            "passable": obstacle.is_none(),
            "blocked": obstacle.map(Obstacle::name),
            "entity": entity.map(|entity| entity.name.as_str()),
            "island": self.island(Domain::Ground).map(|(number, _)| number),
            "water": self.island(Domain::Water).map(|(number, _)| number),
        })
    }
}

/// An island of ground.
pub(super) struct IslandAt<'a> {
    terrain: &'a Terrain,
    pub(super) index: usize,
    island: &'a Island,
}

impl<'a> IslandAt<'a> {
    /// The island of a cell.
    pub(super) fn new(terrain: &'a Terrain, row: u32, col: u32) -> Option<Self> {
        let islands = terrain.navigation().islands(Domain::Ground);
        let index = islands.at(Cell { row, col })?;
        Some(Self {
            terrain,
            index,
            island: islands.list.get(index)?,
        })
    }

    /// The item of an island.
    pub(super) fn item(island: &Island) -> Item {
        let Cell { row, col } = island.first;
        TerrainItem::Island { row, col }.into()
    }

    pub(super) const FIELDS: Table<'a, Self> = fields!(
        "Island",
        field("Number", |at: &Self| (at.index + 1).into()).in_summary_as("Island"),
        field("Cells", |at: &Self| at.island.cells.into())
            .in_summary()
            .note(|at| counted(at.island.cells as usize, "cell").into()),
        field("Reached from", |at: &Self| match at.index {
            0 => "the largest island: most of the ground".into(),
            _ => "nowhere else".into(),
        }),
        field("First tile", |at: &Self| {
            let (row, col) = at.island.first.tile();
            Value::from(format!("row {row}, column {col}")).link(TerrainItem::Tile { row, col })
        }),
        field("Tiles", |at: &Self| {
            let islands = at.terrain.navigation().islands(Domain::Ground);
            let tiles = islands.tiles_of(at.index).map(|[rows, cols]| {
                let last = |range: &Range<u32>| range.end.saturating_sub(1);
                format!(
                    "rows {} to {}, columns {} to {}",
                    rows.start,
                    last(&rows),
                    cols.start,
                    last(&cols)
                )
            });
            tiles.into()
        }),
    );
}

fn swatch(class: TileClass) -> Swatch {
    Swatch::Color(class.color())
}

fn rows_and_cols(rows: u32, cols: u32) -> Value {
    format!("{rows} rows, {cols} columns").into()
}

/// Maximum number of digits of the numbers below `count`.
fn digits(count: u32) -> usize {
    count.saturating_sub(1).to_string().len()
}

/// A row or column number, padded to a common width.
fn padded(number: u32, count: u32) -> Value {
    let width = digits(count);
    Value::from(format!("{number:>width$}")).width(width)
}

/// Bytes of a file as text, with control characters and invalid UTF-8 escaped.
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
