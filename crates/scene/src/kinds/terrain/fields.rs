//! Tables of fields that describe a terrain and its parts.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value as Json;

use super::class::bad_tiles_note;
use super::geometry::{Barrier, Corner, LEVEL_HEIGHT, Shape};
use super::navigation::{CELLS_PER_SIDE, Cell, Domain, Island, Obstacle};
use super::pack::ChunkFaces;
use super::textures::MaterialTexture;
use super::{Blocker, Terrain, TileClass};
use crate::describe::table::{
    Field as Row, FieldKey, Table, ValueType, compared_only, field, flag, integer, place, section,
    shown_only, summary_only, table, text, vector,
};
use crate::describe::value::{Fact, Value};
use crate::document::parts::Content;
use crate::{Item, Swatch, TerrainItem, TextSpan};
use mapscope_formats::counted;
use mapscope_formats::pfmap::{
    CHUNK_SIDE, Edge, Field, Found, Material, Meaning, Reading, TILE_CHARS, Tile, TileType,
};

/// Number of navigation cells of a tile.
const CELLS_PER_TILE: usize = (CELLS_PER_SIDE * CELLS_PER_SIDE) as usize;
/// Text for a tile that the file does not contain.
const MISSING: &str = "missing: the file ends before it";

impl Terrain {
    /// The fields of the whole map.
    pub(super) const FIELDS: Table<'static, Self> = table!(
        "Map",
        text("File", "file", |map: &Self| map
            .path
            .display()
            .to_string()
            .into())
        .in_summary_as("Map")
        .derived(),
        text("Version", "version", |map: &Self| map
            .map
            .version
            .as_str()
            .into())
        // Problems come first, since a narrow outliner truncates the end.
        .note(|map| bad_tiles_note(map.bad_tile_counts()).into()),
        field("Chunks", "chunks", ROWS_AND_COLS, |map: &Self| {
            rows_and_cols(map.map.chunk_rows, map.map.chunk_cols)
        })
        .listed(),
        field("Tiles", "tiles", TILE_COUNTS, Self::tile_counts)
            .derived()
            .listed()
            .shown(|map| rows_and_cols(map.map.rows(), map.map.cols()))
            .in_note(),
        field("Size", "size", ValueType::Numbers(2), |map: &Self| {
            let size = map.about.bounds.max - map.about.bounds.min;
            Value::size([size.x, size.z], "units")
        })
        .derived(),
        field(
            "Materials",
            "materials",
            ValueType::Records(material_keys),
            |map: &Self| {
                let materials = 0..map.map.materials.len();
                let materials = materials.filter_map(|index| MaterialAt::new(map, index));
                Value::list(materials.map(|at| MaterialAt::FIELDS.listed(&at)))
            }
        )
        .derived()
        .listed()
        .shown(|map| map.map.materials.len().into()),
        text("Skybox", "skybox", |map: &Self| {
            let skybox = map.environment.skybox.as_ref();
            skybox.map(|skybox| skybox.said()).into()
        })
        .derived(),
        text("Line ends", "line_ends", |map: &Self| {
            if map.map.crlf { "CR LF" } else { "LF" }.into()
        })
        .derived(),
        shown_only("Not read", |map: &Self| {
            bad_tiles_note(map.bad_tile_counts()).into()
        }),
        field(
            "Splat",
            "splats",
            ValueType::List(&ValueType::Integers(2)),
            |map: &Self| {
                let splats = map.map.splats.iter();
                Value::list(splats.map(|splat| {
                    let text = format!("{} over {}", splat.accent, splat.base);
                    Value::from([splat.base, splat.accent]).shown_as(text)
                }))
            }
        )
        .listed(),
    );

    fn tile_counts(&self) -> Value {
        let by_type = TileType::ALL.map(|kind| {
            let count = self.counts.classes[kind as usize];
            Fact::new(kind.name(), count)
        });
        let [unreadable, missing] = self.bad_tile_counts();
        Value::object([
            Fact::new("Count", self.read_tiles()),
            Fact::new("By type", Value::object(by_type)),
            Fact::new("Unreadable", unreadable),
            Fact::new("Missing", missing),
        ])
    }

    /// The value of a material reference in a tile.
    fn material_value(&self, number: i32) -> Value {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        match MaterialAt::new(self, index) {
            Some(at) => {
                let index = index as u32;
                let item = TerrainItem::Material { index };
                Value::reference(at.index, at.material.name.as_str())
                    .with_index()
                    .swatch(Some(at.swatch()))
                    .link(item)
            }
            None => Value::from(number).shown_as(no_material(number)),
        }
    }

    /// The same for comparisons: the identity of the material, regardless of its index.
    fn compared_material(&self, number: i32) -> Value {
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

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Chunk",
        integer("Row", "row", |at: &Self| at.row.into())
            .summary("Chunk", |at| [at.row, at.col].into())
            .note(|at| at.terrain.bad_tiles_note(at.index).into()),
        integer("Column", "col", |at: &Self| at.col.into()),
        field(
            "North-west corner",
            "north_west_corner",
            ValueType::Numbers(2),
            |at: &Self| {
                let [row, col] = [at.row, at.col].map(|at| (at * CHUNK_SIDE) as f32);
                let corner = at.terrain.placement.world(col, row, 0.0);
                let text = format!("x {}  z {}", corner.x, corner.z);
                Value::from([corner.x, corner.z]).shown_as(text)
            }
        ),
        field("Levels", "levels", ValueType::Integers(2), |at: &Self| {
            let levels = at.faces.ground.map(Value::range);
            levels.unwrap_or_else(|| Value::none("unknown"))
        })
        .note(|at| {
            let text = |[low, high]: [i32; 2]| format!("levels {low} to {high}");
            at.faces.ground.map(text).into()
        }),
        flag("Below the water", "below_the_water", |at: &Self| at
            .faces
            .has_water
            .into()),
        place("In the file", "place", Self::lines).place(),
        shown_only("Not read", |at: &Self| {
            at.terrain.bad_tiles_note(at.index).into()
        }),
    );

    /// The lines of the file that contain it.
    fn lines(&self) -> Value {
        let map = &self.terrain.map;
        let [row, col] = [self.row, self.col].map(|at| at * CHUNK_SIDE);
        // If the file ends within the chunk, this finds the last tile present.
        let tiles = (0..CHUNK_SIDE * CHUNK_SIDE).rev();
        let mut lines = tiles.filter_map(|at| {
            let place = (row + at / CHUNK_SIDE, col + at % CHUNK_SIDE);
            map.tile_place(place.0, place.1).map(|(line, _)| line)
        });
        match (map.tile_place(row, col), lines.next()) {
            (Some((first, _)), Some(last)) => Value::lines([first, last]),
            _ => Value::none(MISSING),
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

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Material",
        integer("Index", "index", |at: &Self| at.index.into())
            .summary("Material", |at| at.name().into())
            .derived(),
        text("Name", "name", |at: &Self| {
            Value::from(at.material.name.as_str()).swatch(Some(at.swatch()))
        })
        .listed(),
        text("Texture", "texture", |at: &Self| at
            .material
            .texture
            .as_str()
            .into())
        .listed(),
        flag("Found", "found", |at: &Self| at.texture.file.found.into())
            .derived()
            .hidden()
            .listed(),
        text("File", "file", |at: &Self| at.texture.file.file_value()).derived(),
        field("Image", "size_px", ValueType::Integers(2), |at: &Self| {
            at.texture.file.size_value()
        })
        .derived(),
        integer("Tops", "tops", |at: &Self| Value::amount(
            at.uses[0], "tiles"
        ))
        .derived()
        .note(|at| {
            match at.uses {
                [tops, 0] => counted(tops as usize, "top"),
                [0, sides] => counted(sides as usize, "side"),
                [tops, sides] => format!("{tops} tops, {sides} sides"),
            }
            .into()
        }),
        integer("Sides", "sides", |at: &Self| Value::amount(
            at.uses[1], "tiles"
        ))
        .derived()
        .note(|at| (!at.texture.file.found).then_some("no texture").into()),
        place("In the file", "place", |at: &Self| Value::line(
            at.material.line
        ))
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

fn material_keys() -> Vec<FieldKey> {
    MaterialAt::FIELDS.listed_keys()
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

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Tile type",
        text("Name", "name", |of: &Self| {
            Value::from(of.class.name()).swatch(Some(swatch(of.class)))
        })
        .summary("Type", |of| {
            format!("{} {}", of.class.code(), of.class.name()).into()
        }),
        text("Digit", "digit", |of: &Self| {
            let is_type = matches!(of.class, TileClass::Type(_));
            is_type.then(|| of.class.code().to_string()).into()
        }),
        integer("Tiles", "tiles", |of: &Self| {
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
    found: Found<'a>,
    tile: &'a Tile,
    /// `None` if there are not 24 characters.
    reading: Option<Reading>,
}

impl<'a> TileAt<'a> {
    pub(super) fn new(terrain: &'a Terrain, row: u32, col: u32) -> Option<Self> {
        let map = &terrain.map;
        let tile = map.tile(row, col)?;
        let found = map.found(row, col);
        let reading = match &found {
            Found::Odd(odd) => Reading::of(odd.text),
            Found::Tile => Some(Reading::from(tile)),
            Found::Missing => None,
        };
        Some(Self {
            terrain,
            row,
            col,
            class: TileClass::of(map, row, col)?,
            found,
            tile,
            reading,
        })
    }

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Tile", Self::PLACE),
            section("Text", Self::TEXT),
            section("Shape", Self::SHAPE),
            section("Surface", Self::SURFACE),
            section("Navigation", Self::NAVIGATION),
        ],
    };

    const PLACE: &'a [Row<Self>] = &[
        integer("Row", "row", |at: &Self| at.row.into())
            .derived()
            .summary("Row", |at| padded(at.row, at.terrain.map.rows()))
            .listed(),
        integer("Column", "col", |at: &Self| at.col.into())
            .derived()
            .summary("Column", |at| padded(at.col, at.terrain.map.cols()))
            .listed(),
        field("Chunk", "chunk", ValueType::Integers(2), |at: &Self| {
            let [row, col] = at.chunk();
            let map = &at.terrain.map;
            let width = digits(map.chunk_rows) + digits(map.chunk_cols) + 2;
            Value::from([row, col])
                .link(TerrainItem::Chunk { row, col })
                .width(width)
        })
        .derived()
        .in_summary()
        .listed(),
        field(
            "In chunk",
            "in_chunk",
            ValueType::Integers(2),
            |at: &Self| {
                let [row, col] = [at.row, at.col].map(|at| at % CHUNK_SIDE);
                Value::from([row, col]).shown_as(format!("row {row}, column {col}"))
            },
        )
        .derived(),
        vector("Centre", "center", |at: &Self| {
            let center = at.terrain.tile_center(at.row, at.col);
            at.is_read().then_some(center).into()
        })
        .derived(),
        place("In the file", "place", |at: &Self| {
            let place = at.terrain.map.tile_place(at.row, at.col);
            place.map_or_else(
                || Value::none(MISSING),
                |(line, column)| Value::column(line, column.into()),
            )
        })
        .place(),
        flag("Missing", "missing", |at: &Self| {
            matches!(at.found, Found::Missing).into()
        })
        .derived()
        .hidden()
        .listed(),
        flag("Readable", "readable", |at: &Self| at.is_read().into())
            .derived()
            .hidden()
            .listed(),
        shown_only("State", Self::state),
        summary_only("Type", |at: &Self| {
            let widths = TileClass::all().map(|class| class.name().len());
            Value::from(at.class.name()).width(widths.max().unwrap_or(0))
        }),
    ];

    const TEXT: &'a [Row<Self>] = &[text("Characters", "raw", |at: &Self| {
        let text = at.text();
        text.map(|(text, _)| String::from_utf8_lossy(&text).into_owned())
            .into()
    })
    .derived()
    .listed()
    .shown(Self::characters)];

    const SHAPE: &'a [Row<Self>] = &[
        of_file(Field::Type, ValueType::Text, Self::kind).listed(),
        of_file(Field::BaseHeight, ValueType::Integer, |at| {
            at.number(Field::BaseHeight)
        })
        .listed(),
        of_file(Field::RampHeight, ValueType::Integer, |at: &Self| {
            at.number(Field::RampHeight)
        })
        .listed()
        .shown(Self::shown_ramp_height),
        field("Corners", "corners", CORNER_HEIGHTS, Self::corners)
            .derived()
            .listed(),
    ];

    const SURFACE: &'a [Row<Self>] = &[
        of_file(Field::TopMaterial, ValueType::Integer, |at: &Self| {
            at.material(Field::TopMaterial)
        })
        .listed()
        .compared(|at| at.compared_material(Field::TopMaterial)),
        of_file(Field::SideMaterial, ValueType::Integer, |at: &Self| {
            at.material(Field::SideMaterial)
        })
        .listed()
        .compared(|at| at.compared_material(Field::SideMaterial)),
        of_file(Field::Pathable, ValueType::Flag, |at| {
            at.flag(Field::Pathable)
        })
        .listed(),
        flag("Walkable", "walkable", |at: &Self| {
            at.walk().map(|walk| walk.is_ok()).into()
        })
        .derived()
        .hidden()
        .listed(),
        shown_only("Ground units", |at: &Self| {
            at.reading.map(|_| at.ground_units()).into()
        }),
        of_file(Field::BlendNormals, ValueType::Flag, |at| {
            at.flag(Field::BlendNormals)
        })
        .listed(),
        of_file(Field::NoBump, ValueType::Flag, |at| at.flag(Field::NoBump)).listed(),
        of_file(Field::Cover, ValueType::Integer, |at| {
            let cover = at.reading.map(|reading| {
                Value::from(reading.get(Field::Cover)).shown_as(reading.tile.cover().name())
            });
            cover.into()
        })
        .listed(),
        field("Blend", "blend", ValueType::Integers(4), |at: &Self| {
            let blend = |reading: Reading| Edge::ALL.map(|edge| reading.tile.blend(edge) as u8);
            at.reading.map(blend).into()
        })
        .derived()
        .hidden()
        .listed(),
        text(Field::BlendNorth.label(), "blend_north", |at: &Self| {
            at.blend(Edge::North)
        }),
        text(Field::BlendEast.label(), "blend_east", |at: &Self| {
            at.blend(Edge::East)
        }),
        text(Field::BlendSouth.label(), "blend_south", |at: &Self| {
            at.blend(Edge::South)
        }),
        text(Field::BlendWest.label(), "blend_west", |at: &Self| {
            at.blend(Edge::West)
        }),
        text(Field::Reserved.label(), "reserved", |at: &Self| {
            let text = |reading: Reading| {
                let text = &reading.tile.text()[Field::Reserved.chars()];
                String::from_utf8_lossy(text).into_owned()
            };
            at.reading.map(text).into()
        }),
        compared_only("Other characters", |at: &Self| at.other_characters().into()),
    ];

    const NAVIGATION: &'a [Row<Self>] = &[field("Cells", "cells", CELLS, Self::cell_facts)
        .derived()
        .listed()
        .shown(|at| at.cell_lines().into())];

    /// The tile in the form of `info --tile` in the contract, with corners in world units.
    /// Unreadable values are null.
    pub(super) fn info(&self) -> Json {
        Self::FIELDS.json(self).into()
    }

    /// Characters that no field represents, such as a digit other than 1 for a set flag. For
    /// contents that are not a tile, all characters.
    fn other_characters(&self) -> Option<String> {
        let (text, _) = &self.text()?;
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

    /// Its characters, and their number in the file; `None` if the file ends before it.
    fn text(&self) -> Option<(Cow<'a, [u8]>, usize)> {
        match &self.found {
            Found::Odd(odd) => Some((odd.text.into(), odd.length)),
            Found::Tile => Some((self.tile.text().to_vec().into(), TILE_CHARS)),
            Found::Missing => None,
        }
    }

    fn kind(&self) -> Value {
        let Some(reading) = &self.reading else {
            return Value::absent();
        };
        match reading.kind().map(TileClass::Type) {
            Some(class) => Value::from(class.name())
                .shown_as(format!("{} {}", class.code(), class.name()))
                .link(class.item())
                .swatch(Some(swatch(class))),
            None => Value::none("unknown"),
        }
    }

    fn number(&self, field: Field) -> Value {
        self.reading.map(|reading| reading.get(field)).into()
    }

    fn shown_ramp_height(&self) -> Value {
        let value = self.number(Field::RampHeight);
        let is_flat = |reading: &Reading| reading.kind() == Some(TileType::Flat);
        match self.reading.filter(is_flat) {
            Some(reading) if reading.get(Field::RampHeight) != 0 => {
                let number = reading.get(Field::RampHeight);
                value.shown_as(format!("{number} (means nothing on a flat tile)"))
            }
            _ => value,
        }
    }

    fn material(&self, field: Field) -> Value {
        let number = self.reading.map(|reading| reading.get(field));
        number
            .map(|number| self.terrain.material_value(number))
            .into()
    }

    fn compared_material(&self, field: Field) -> Value {
        let number = self.reading.map(|reading| reading.get(field));
        number
            .map(|number| self.terrain.compared_material(number))
            .into()
    }

    /// A flag. Its label describes it even if the file stores the opposite.
    fn flag(&self, field: Field) -> Value {
        let is_inverted = matches!(field.meaning(), Meaning::InvertedFlag(_));
        let is_set = |reading: Reading| (reading.tile.get(field) != 0) != is_inverted;
        self.reading.map(is_set).into()
    }

    fn blend(&self, edge: Edge) -> Value {
        let mode = |reading: Reading| reading.tile.blend(edge).name();
        self.reading.map(mode).into()
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
    fn cell_lines(&self) -> Vec<Fact> {
        let mut lines: Vec<Fact> = self
            .cells()
            .map(|(name, at)| Fact::new(name, at.line(Domain::Ground, CELLS_PER_TILE)))
            .collect();
        let ships: Vec<CellAt<'_>> = self
            .cells()
            .map(|(_, at)| at)
            .filter(|at| at.island(Domain::Water).is_some())
            .collect();
        let line = ships
            .first()
            .map(|first| Fact::new("Ships", first.line(Domain::Water, ships.len())));
        lines.extend(line);
        lines
    }

    fn cell_facts(&self) -> Value {
        let keys = ["nw", "ne", "sw", "se"].into_iter().zip(self.cells());
        Value::object(keys.map(|(key, (name, at))| Fact::new(name, at.facts()).keyed(key)))
    }

    fn shape(&self) -> Option<Shape> {
        let reading = self.reading.filter(Reading::has_shape);
        reading.map(|reading| Shape::of(&reading.tile))
    }

    /// Heights of its corners, in world units.
    fn corners(&self) -> Value {
        let Some(shape) = self.shape() else {
            return Value::absent();
        };
        let names = ["North-west", "North-east", "South-west", "South-east"];
        let keys = ["nw", "ne", "sw", "se"];
        let corners = names.into_iter().zip(keys).zip(shape.corners);
        Value::object(corners.map(|((name, key), level)| {
            let y = level as f32 * LEVEL_HEIGHT;
            let value = Value::from(y).shown_as(format!("level {level}, y {y}"));
            Fact::new(name, value).keyed(key)
        }))
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
    fn characters(&self) -> Value {
        let Some((text, length)) = &self.text() else {
            return Value::absent();
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
        Value::from(shown).spans(fields.filter_map(span).collect())
    }
}

/// Creates a row for a field of the file.
const fn of_file<'a>(
    field: Field,
    ty: ValueType,
    read: fn(&TileAt<'a>) -> Value,
) -> Row<TileAt<'a>> {
    self::field(field.label(), field.key(), ty, read)
}

/// A cell of the navigation grid.
struct CellAt<'a> {
    terrain: &'a Terrain,
    cell: Cell,
}

impl<'a> CellAt<'a> {
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

    /// Its state for a domain, which it shares with `count` cells of its tile.
    fn line(&self, domain: Domain, count: usize) -> Value {
        let obstacle = self.obstacle(domain);
        let all = match count {
            CELLS_PER_TILE => String::new(),
            count => format!("{count} of {CELLS_PER_TILE} cells: "),
        };
        if let Some(obstacle) = obstacle {
            let text = self.terrain.obstacle_text(obstacle);
            return Value::from(format!("{all}{text}")).link_if(self.entity().map(|it| it.item));
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
        Value::from(format!("{all}{text}")).link_if(link.map(|(_, island)| IslandAt::item(island)))
    }

    /// The entity that blocks it for ground units.
    fn entity(&self) -> Option<&'a Blocker> {
        match self.obstacle(Domain::Ground)? {
            Obstacle::Entity(index) => self.terrain.blockers.get(index as usize),
            _ => None,
        }
    }

    fn facts(&self) -> Value {
        let obstacle = self.obstacle(Domain::Ground);
        let island = |domain| self.island(domain).map(|(number, _)| number);
        Value::object([
            Fact::new("Passable", obstacle.is_none()),
            Fact::new("Blocked", obstacle.map(Obstacle::name)),
            Fact::new("Entity", self.entity().map(|entity| entity.name.as_str())),
            Fact::new("Island", island(Domain::Ground)),
            Fact::new("Water", island(Domain::Water)),
        ])
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

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Island",
        integer("Number", "number", |at: &Self| (at.index + 1).into()).in_summary_as("Island"),
        integer("Cells", "cells", |at: &Self| at.island.cells.into())
            .in_summary()
            .note(|at| Value::count(at.island.cells, "cell")),
        flag("Reached from", "is_largest", |at: &Self| (at.index == 0)
            .into())
        .shown(|at| {
            match at.index {
                0 => "the largest island: most of the ground".into(),
                _ => "nowhere else".into(),
            }
        }),
        field(
            "First tile",
            "first_tile",
            ValueType::Integers(2),
            |at: &Self| {
                let (row, col) = at.island.first.tile();
                Value::from([row, col])
                    .shown_as(format!("row {row}, column {col}"))
                    .link(TerrainItem::Tile { row, col })
            }
        ),
        field("Tiles", "tiles", TILE_RANGES, |at: &Self| {
            let islands = at.terrain.navigation().islands(Domain::Ground);
            let tiles = islands.tiles_of(at.index).map(|[rows, cols]| {
                let ends = |range: &Range<u32>| [range.start, range.end.saturating_sub(1)];
                let ([top, bottom], [left, right]) = (ends(&rows), ends(&cols));
                let text = format!("rows {top} to {bottom}, columns {left} to {right}");
                let facts = [
                    Fact::new("Rows", [top, bottom]),
                    Fact::new("Columns", [left, right]).keyed("cols"),
                ];
                Value::object(facts).shown_as(text)
            });
            tiles.into()
        }),
    );
}

/// First and last row and column.
const TILE_RANGES: ValueType = ValueType::Object(&[
    ("rows", ValueType::Integers(2)),
    ("cols", ValueType::Integers(2)),
]);

/// A number of rows and a number of columns.
const ROWS_AND_COLS: ValueType =
    ValueType::Object(&[("rows", ValueType::Integer), ("cols", ValueType::Integer)]);

/// Numbers of tiles.
const TILE_COUNTS: ValueType = ValueType::Object(&[
    ("count", ValueType::Integer),
    ("by_type", ValueType::ByName(&ValueType::Integer)),
    ("unreadable", ValueType::Integer),
    ("missing", ValueType::Integer),
]);

/// A height of each corner, in world units.
const CORNER_HEIGHTS: ValueType = ValueType::Object(&[
    ("nw", ValueType::Number),
    ("ne", ValueType::Number),
    ("sw", ValueType::Number),
    ("se", ValueType::Number),
]);

/// The navigation cells of a tile.
const CELLS: ValueType = ValueType::ByName(&ValueType::Object(&[
    ("passable", ValueType::Flag),
    ("blocked", ValueType::Text),
    ("entity", ValueType::Text),
    ("island", ValueType::Integer),
    ("water", ValueType::Integer),
]));

fn swatch(class: TileClass) -> Swatch {
    Swatch::Color(class.color())
}

fn rows_and_cols(rows: u32, cols: u32) -> Value {
    let facts = [
        Fact::new("Rows", rows),
        Fact::new("Columns", cols).keyed("cols"),
    ];
    Value::object(facts).shown_as(format!("{rows} rows, {cols} columns"))
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
