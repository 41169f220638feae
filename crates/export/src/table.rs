//! Tables as CSV (RFC 4180): UTF-8, a heading line, lines ending in CR LF.
//!
//! 2D maps have a line per cell of each layer, terrain one per tile, scenes one per entity. Text
//! that starts like a formula is prefixed with an apostrophe. A field without a value is empty;
//! `not_read` names the fields that could not be read.

use std::fmt::Display;
use std::io::Write as _;

use serde_json::Value as Json;

use crate::{Export, ExportError, Target};
use mapscope_formats::pfmap::{Edge, Field, Found, Meaning, Pfmap, Reading};
use mapscope_formats::{pfmap, pfscene};
use mapscope_scene::saving::FileKind;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::tilemap::{Cell, Grid, GridKind, Layer, TileMap, Unread};
use mapscope_scene::{Document, InfoQuery};

/// The headings of a table of cells.
const CELL_HEADINGS: [&str; 14] = [
    "layer",
    "layer_name",
    "x",
    "y",
    "tile",
    "palette",
    "mirrored_x",
    "mirrored_y",
    "axes_swapped",
    "priority",
    "obstruction",
    "logic",
    "zone",
    "not_read",
];
/// The headings of a table of tiles that are not fields of tiles.
const TILE_PLACE: [&str; 2] = ["row", "col"];
/// The fields of an entity in JSON (contract, "pfscene"), and the names of the components of each
/// field with several numbers.
const ENTITY_FIELDS: [(&str, &[&str]); 8] = [
    ("name", &[]),
    ("model", &[]),
    ("found", &[]),
    ("position", &["x", "y", "z"]),
    ("scale", &["scale_x", "scale_y", "scale_z"]),
    (
        "rotation",
        &["rotation_x", "rotation_y", "rotation_z", "rotation_w"],
    ),
    ("faction", &[]),
    ("ground", &[]),
];

/// A kind of table, distinguished from others by the start of its headings.
const fn csv(headings: &'static [u8]) -> FileKind {
    FileKind::new("CSV", "csv", headings)
}

/// The table targets of a document.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    let format = document.about().format.id;
    let target = if format == pfmap::FORMAT.id {
        Target {
            kind: csv(b"row,col,type,"),
            what: |_| "one line per tile",
            make: |document, _| {
                Ok(document
                    .content::<Terrain>()
                    .map(|it| tiles(it.map()))
                    .unwrap_or_default())
            },
            mirrored: None,
        }
    } else if format == pfscene::FORMAT.id {
        Target {
            kind: csv(b"name,model,found,x,y,z,"),
            what: |_| "one line per entity",
            make: entities,
            mirrored: None,
        }
    } else if crate::has_cells(document) {
        Target {
            kind: csv(b"layer,layer_name,x,y,tile,"),
            what: |_| "one line per cell of each layer",
            make: |document, _| Ok(document.content().map(cells).unwrap_or_default()),
            mirrored: None,
        }
    } else {
        return Vec::new();
    };
    vec![target]
}

/// Number of lines of the table of a 2D map, without the headings. The cells may far outnumber the
/// bytes of the file, unlike the lines of other tables.
pub fn cell_lines(document: &dyn Document) -> Option<u64> {
    let layers = document.content::<TileMap>()?.layers.iter();
    Some(layers.map(|layer| layer.cells.len() as u64).sum())
}

/// Writes a table with headings and lines of JSON values.
pub fn csv_of(
    headings: &[&str],
    lines: impl IntoIterator<Item = impl IntoIterator<Item = Json>>,
) -> String {
    let mut table = Table::default();
    table.headings(headings.iter().copied());
    for line in lines {
        for value in line {
            table.json(Some(&value));
        }
        table.end_line();
    }
    String::from_utf8_lossy(&table.bytes).into_owned()
}

/// A table being written.
#[derive(Debug, Default)]
struct Table {
    bytes: Vec<u8>,
    /// `true` if the current line has a field.
    has_field: bool,
}

impl Table {
    fn separate(&mut self) {
        if std::mem::replace(&mut self.has_field, true) {
            self.bytes.push(b',');
        }
    }

    /// Writes a text field. An apostrophe precedes text that spreadsheets would read as a formula.
    fn text(&mut self, text: &str) {
        self.separate();
        let formula;
        let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
            formula = format!("'{text}");
            &formula
        } else {
            text
        };
        if text.contains(['"', ',', '\r', '\n']) {
            let _infallible = write!(self.bytes, "\"{}\"", text.replace('"', "\"\""));
        } else {
            self.bytes.extend(text.as_bytes());
        }
    }

    /// Writes a field that needs no quotation marks, or an empty one.
    fn plain(&mut self, value: Option<impl Display>) {
        self.separate();
        if let Some(value) = value {
            let _infallible = write!(self.bytes, "{value}");
        }
    }

    /// Writes a JSON value as a field.
    fn json(&mut self, value: Option<&Json>) {
        match value {
            None | Some(Json::Null) => self.plain(None::<u8>),
            Some(Json::String(text)) => self.text(text),
            Some(value @ (Json::Array(_) | Json::Object(_))) => self.text(&value.to_string()),
            Some(value) => self.plain(Some(value)),
        }
    }

    fn end_line(&mut self) {
        self.has_field = false;
        self.bytes.extend(b"\r\n");
    }

    fn headings<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        names.into_iter().for_each(|name| self.text(name));
        self.end_line();
    }

    fn finish(self) -> Export {
        Export {
            file: self.bytes,
            ..Export::default()
        }
    }
}

/// All cells of a 2D map in layer order, each layer row by row.
///
/// Values of grids that belong to the map itself are repeated for all its layers at the same column
/// and row. A zone is the name of the grid's zone at the cell; zone areas are not part of a table.
fn cells(map: &TileMap) -> Export {
    let mut table = Table::default();
    table.headings(CELL_HEADINGS);
    for (index, layer) in map.layers.iter().enumerate() {
        cells_of_layer(&mut table, map, index, layer);
    }
    let mut export = table.finish();
    if map.objects.iter().any(|object| object.zone.is_some()) {
        export
            .losses
            .push("Zone areas and other objects on the map are left out.".to_owned());
    } else if !map.objects.is_empty() {
        export
            .losses
            .push("Objects on the map are left out.".to_owned());
    }
    if map.layers.iter().any(|layer| layer.tints.is_some()) {
        export
            .losses
            .push("The tints of cells are left out.".to_owned());
    }
    export
}

fn cells_of_layer(table: &mut Table, map: &TileMap, index: usize, layer: &Layer) {
    let tileset = map.tilesets.get(layer.tileset);
    let is_grid = |kind: fn(GridKind) -> bool| {
        let mut grids = map.grids.iter();
        grids.find(|grid| kind(grid.kind) && grid.layer.is_none_or(|of| of == index))
    };
    let grids = [
        is_grid(|kind| matches!(kind, GridKind::Obstruction { .. })),
        is_grid(|kind| kind == GridKind::Logic),
    ];
    let zones = is_grid(|kind| kind == GridKind::Zones);
    let width = layer.size[0].max(1) as usize;
    for (at, cell) in layer.cells.iter().enumerate() {
        let [x, y] = [(at % width) as u32, (at / width) as u32];
        let image = cell.image();
        let of_image = image.and_then(|image| tileset?.tiles.get(image));
        let number = image.and_then(|image| {
            let of_file = layer.stored.tile_number(at);
            of_file.or_else(|| Some(of_image.map_or(image as u32, |tile| tile.id)))
        });
        table.plain(Some(index));
        table.text(&layer.name);
        table.plain(Some(x));
        table.plain(Some(y));
        table.plain(number);
        let fields = layer.stored.palette_and_priority(at);
        let fields = fields.filter(|_| image.is_some());
        let palette = fields.map(|[palette, _]| palette);
        let of_tile = || of_image.and_then(|tile| tile.palette);
        table.plain(palette.or_else(of_tile));
        for flag in [Cell::MIRROR_X, Cell::MIRROR_Y, Cell::SWAP_AXES] {
            table.plain(image.map(|_| cell.0 & flag != 0));
        }
        let priority = fields.map(|[_, priority]| priority);
        table.plain(priority.or_else(|| image.map(|_| cell.has_priority().into())));
        for grid in grids {
            table.plain(grid.and_then(|grid| value_at(grid, [x, y])));
        }
        let zone = zones.and_then(|grid| value_at(grid, [x, y]));
        let known = zone.and_then(|zone| map.zones.get(usize::try_from(zone).ok()?));
        match known.filter(|known| !known.name.is_empty()) {
            Some(known) => table.text(&known.name),
            None => table.plain(zone),
        }
        table.text(&not_read(map, index, [x, y]).join(" "));
        table.end_line();
    }
}

/// The headings of the fields of a cell that are empty because the file could not be read there.
fn not_read(map: &TileMap, layer: usize, [x, y]: [u32; 2]) -> Vec<&'static str> {
    let lost = map.left_out.iter().filter_map(|lost| {
        let (name, [width, height]) = match lost.what {
            Unread::Tiles(size) => ("tile", size),
            Unread::Grid(GridKind::Obstruction { .. }, size) => ("obstruction", size),
            Unread::Grid(GridKind::Logic, size) => ("logic", size),
            Unread::Grid(GridKind::Zones, size) => ("zone", size),
            _ => return None,
        };
        let is_here = lost.layer.is_none_or(|of| of == layer) && x < width && y < height;
        let index = y as usize * width as usize + x as usize;
        (is_here && lost.has_cell(index)).then_some(name)
    });
    lost.collect()
}

/// The value of a grid at a column and row.
fn value_at(grid: &Grid, [x, y]: [u32; 2]) -> Option<u64> {
    let is_inside = x < grid.size[0] && y < grid.size[1];
    let index = y as usize * grid.size[0] as usize + x as usize;
    grid.values.get(index).filter(|_| is_inside)
}

/// The heading of a tile field: its JSON key, with a suffix if the fields of several edges share
/// the key.
fn heading(field: Field) -> Option<String> {
    let key = field.key();
    let heading = match field.meaning() {
        Meaning::Blend(edge) => {
            let edge = match edge {
                Edge::North => "n",
                Edge::East => "e",
                Edge::South => "s",
                Edge::West => "w",
            };
            format!("{key}_{edge}")
        }
        _ => key.to_owned(),
    };
    (!key.is_empty()).then_some(heading)
}

/// All tiles of a terrain, row by row from the north-west corner, as the engine reads them, with
/// the values of `info --tile`.
fn tiles(map: &Pfmap) -> Export {
    let mut table = Table::default();
    let headings: Vec<(Field, String)> = Field::ALL
        .into_iter()
        .filter_map(|field| Some((field, heading(field)?)))
        .collect();
    let names = headings.iter().map(|(_, name)| &**name);
    table.headings(TILE_PLACE.into_iter().chain(names));
    for row in 0..map.rows() {
        for col in 0..map.cols() {
            let reading = match map.found(row, col) {
                Found::Tile => map.tile(row, col).map(Reading::from),
                Found::Odd(odd) => Reading::of(odd.text),
                Found::Missing => None,
            };
            table.plain(Some(row));
            table.plain(Some(col));
            for (field, _) in &headings {
                tile_field(&mut table, reading.as_ref(), *field);
            }
            table.end_line();
        }
    }
    table.finish()
}

fn tile_field(table: &mut Table, reading: Option<&Reading>, field: Field) {
    let number = reading.map(|reading| reading.get(field));
    // The engine's reading of a digit without a meaning.
    let of_tile = reading.map(|reading| reading.tile.get(field));
    match field.meaning() {
        Meaning::Type => table.plain(reading.and_then(Reading::kind)),
        Meaning::Flag => table.plain(of_tile.map(|flag| flag != 0)),
        Meaning::InvertedFlag(_) => table.plain(of_tile.map(|flag| flag == 0)),
        Meaning::Blend(edge) => table.plain(reading.map(|reading| reading.tile.blend(edge) as u8)),
        Meaning::Levels
        | Meaning::Material
        | Meaning::Cover
        | Meaning::BlendAll
        | Meaning::Reserved => {
            table.plain(number);
        }
    }
}

/// All entities of a scene, in file order.
///
/// # Errors
/// Never.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature of an export function"
)]
fn entities(document: &dyn Document, _stem: &str) -> Result<Export, ExportError> {
    let mut table = Table::default();
    let headings = ENTITY_FIELDS.iter().flat_map(|(name, parts)| {
        let whole = parts.is_empty().then_some(*name);
        parts.iter().copied().chain(whole)
    });
    table.headings(headings);
    let info = document.info(&InfoQuery::default());
    let list = info.get("entities").and_then(Json::as_array);
    for entity in list.into_iter().flatten() {
        for (name, parts) in ENTITY_FIELDS {
            let value = entity.get(name);
            if parts.is_empty() {
                table.json(value);
            }
            for part in 0..parts.len() {
                table.json(value.and_then(|value| value.get(part)));
            }
        }
        table.end_line();
    }
    Ok(table.finish())
}
