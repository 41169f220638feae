//! Tilesets: found beside their map, or shown on their own.

use std::path::PathBuf;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::properties::{meta, meta_info};
use crate::assets::{Assets, LookUp};
use crate::core::rules::{self, Fault};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::document::parts::Parts;
use crate::kinds::tilemap::making::{said, sha256};
use crate::kinds::tilemap::{
    Cell, Contents, Facts, FileForm, Layer, LeftOut, ListPlace, StoredPixels, Strand, StrandMode,
    TileMap, Tileset, Unread, missing_tile, numbered_tile,
};
use crate::{InfoQuery, NamedFile, OpenOptions, OwnLine, Source, TileMapItem, ViewState};
use mapscope_formats::ika::vsp::{self, Pixels, Vsp};
use mapscope_formats::{Place, Problem, Rest, Subject, quoted};

/// Side of the tiles of a missing tileset, in pixels (section 7.19).
const PLACEHOLDER_SIDE: u32 = 16;
/// Maximum number of numbered placeholder tiles.
const MAX_PLACEHOLDERS: usize = 4096;
/// Maximum number of tileset problems that are listed with its map.
const MAX_PROBLEMS: usize = 8;
/// Number of columns in which a tileset is shown, unless it is very large.
const COLUMNS: u32 = 16;

/// The result of looking for the tileset of a map.
#[derive(Debug, Default)]
pub struct Found {
    /// The tileset, if it was found and could be read.
    pub vsp: Option<Vsp>,
    /// Its name.
    pub name: String,
    /// The number of tiles that it declares.
    pub promised: u32,
    /// Its faults, without the place in the map.
    pub faults: Vec<Fault>,
    /// The files that were read or looked for.
    pub dependencies: Vec<PathBuf>,
    /// The file, if the map names one.
    pub file: Option<NamedFile>,
}

/// Looks for the tileset of a map: by its path relative to the folder of the map, then beside the
/// map, ignoring case (section 7.18). The folders that the user named come last.
pub(super) fn find(name: &str, source: &Source, options: &OpenOptions) -> Found {
    let mut found = Found {
        name: name.to_owned(),
        ..Found::default()
    };
    if name.is_empty() {
        let message = "no tileset name in the map; tiles are shown as numbers".to_owned();
        found.faults.push((&rules::MISSING_TILESET, message));
        return found;
    }
    let quote = quoted(name.as_bytes());
    let assets = Assets::new(source, options, LookUp::BesideOnly);
    let file = assets.read_any_case(name);
    let mut named = file.named("tileset", name);
    found.dependencies = file.candidates;
    let bytes = file.bytes.map_err(|error| format!("tileset {error}"));
    let read = bytes.and_then(|bytes| {
        vsp::read(&bytes).map_err(|error| format!("the tileset {quote} cannot be read: {error}"))
    });
    named.found = read.is_ok();
    found.file = Some(named);
    match read {
        Ok(vsp) => {
            let problems = vsp.problems.iter().take(MAX_PROBLEMS);
            let messages = problems.map(|problem| {
                let Problem { place, message, .. } = problem;
                let message = format!("the tileset {quote} at {place}: {message}");
                (&rules::TILESET, message)
            });
            found.faults.extend(messages);
            if let Some(more @ 1..) = vsp.problems.len().checked_sub(MAX_PROBLEMS) {
                let message = format!("the tileset {quote}: and {more} more problems");
                found.faults.push((&rules::TILESET, message));
            }
            found.promised = vsp.count;
            found.vsp = Some(vsp);
        }
        Err(message) => {
            let message = format!("{message}; tiles are shown as numbers");
            found.faults.push((&rules::MISSING_TILESET, message));
        }
    }
    found
}

impl Found {
    /// The images for a map with these tile numbers. Without a tileset, each number gets a
    /// placeholder. Faults are listed at the place where the map names the tileset.
    pub(super) fn tileset<'a>(
        &mut self,
        numbers: impl Iterator<Item = &'a u32>,
        place: Place,
        problems: &mut Vec<Problem>,
    ) -> Tileset {
        let faults = self.faults.drain(..);
        problems.extend(
            faults.map(|(rule, message)| Problem::new(rule, Subject::Tileset, place, message)),
        );
        match self.vsp.take() {
            Some(vsp) => tileset(vsp, &self.name),
            None => placeholders(numbers.max().copied(), &self.name),
        }
    }
}

/// The images of a tileset, plus one for numbers that it lacks.
fn tileset(vsp: Vsp, name: &str) -> Tileset {
    let tile_bytes = vsp.tile_pixels() as usize * 4;
    let (tile_size, strands) = (vsp.tile_size, vsp.strands.clone());
    let mut rgba = match vsp.pixels {
        Pixels::Rgba(bytes) => bytes,
        _ => vsp.rgba().into_owned(),
    };
    // The last tile may be partial.
    let count = rgba.len().div_ceil(tile_bytes.max(1));
    let missing = missing_tile(tile_size);
    rgba.reserve_exact((count * tile_bytes).saturating_sub(rgba.len()) + missing.len());
    rgba.resize(count * tile_bytes, 0);
    rgba.extend(missing);
    let last = count.saturating_sub(1) as u32;
    let strands = strands
        .iter()
        .filter(|strand| strand.is_active())
        .map(|strand| Strand {
            first: u32::from(strand.start).min(last),
            last: u32::from(strand.finish).min(last),
            delay_ticks: strand.delay.into(),
            mode: match strand.mode {
                1 => StrandMode::Backward,
                2 => StrandMode::Random,
                3 => StrandMode::PingPong,
                _ => StrandMode::Forward,
            },
        });
    Tileset {
        name: name.to_owned(),
        tile_size,
        count: count + 1,
        rgba,
        tiles: Vec::new(),
        is_placeholder: false,
        missing: Some(count),
        strands: strands
            .filter(|strand| strand.first < strand.last)
            .collect(),
        pixels: StoredPixels::default(),
    }
}

/// Numbered tiles in place of a missing tileset. Number 0 is empty, as in nearly all tilesets,
/// since layers are stacked.
fn placeholders(max: Option<u32>, name: &str) -> Tileset {
    let count = max.map_or(1, |max| max as usize + 1).min(MAX_PLACEHOLDERS);
    let size = [PLACEHOLDER_SIDE; 2];
    let mut rgba = vec![0; (PLACEHOLDER_SIDE * PLACEHOLDER_SIDE * 4) as usize];
    for number in 1..count {
        rgba.extend(numbered_tile(size, number as u32));
    }
    rgba.extend(missing_tile(size));
    Tileset {
        name: name.to_owned(),
        tile_size: size,
        count: count + 1,
        rgba,
        is_placeholder: true,
        missing: Some(count),
        ..Tileset::default()
    }
}

/// A tileset on its own: all its tiles in rows.
pub fn document(mut vsp: Vsp, name: &str) -> TileMap {
    let problems = std::mem::take(&mut vsp.problems);
    let version = vsp.version.to_string();
    let facts = TilesetFacts::of(&vsp);
    let left_out = left_out(&vsp);
    let pixels = StoredPixels {
        indices: match &vsp.pixels {
            Pixels::Indexed(indices) => indices.clone(),
            _ => Vec::new(),
        },
        bytes_per_pixel: facts.bytes_per_pixel,
        place: vsp
            .pixels_offset()
            .map_or(ListPlace::Unpacked, ListPlace::At),
    };
    let tileset = Tileset {
        pixels,
        ..tileset(vsp, name)
    };
    let count = tileset.missing.unwrap_or_default() as u32;
    let side = f64::from(count).sqrt().ceil() as u32;
    let columns = COLUMNS.max(side).min(count.max(1));
    let rows = count.div_ceil(columns);
    let mut cells: Vec<Cell> = (0..count).map(Cell).collect();
    cells.resize(columns as usize * rows as usize, Cell::EMPTY);
    let layers = vec![Layer {
        name: "Tiles".to_owned(),
        size: if rows == 0 { [0; 2] } else { [columns, rows] },
        cells,
        ..Layer::default()
    }];
    let mut made = TileMap {
        steps: TileMap::steps_in_file_order(&layers, &[]),
        tilesets: vec![tileset],
        layers,
        left_out,
        form: FileForm {
            contents: Contents::Tiles,
            ..FileForm::default()
        },
        ..TileMap::new(&vsp::FORMAT, version, Box::new(facts))
    };
    made.about.problems = problems;
    made.finished()
}

/// Unread parts of a tileset.
fn left_out(vsp: &Vsp) -> Vec<LeftOut> {
    let read = vsp.pixels.len() / (vsp.tile_pixels() as usize).max(1);
    let images = (vsp.count as usize).saturating_sub(read);
    let strands = vsp::STRANDS.saturating_sub(vsp.strands.len());
    let lists = [
        (
            Unread::Images as fn(Rest) -> Unread,
            read,
            images,
            vsp.pixels_not_read,
        ),
        (
            Unread::Strands,
            vsp.strands.len(),
            strands,
            vsp.strands_not_read,
        ),
    ]
    .into_iter()
    .filter_map(|(what, read, lost, why)| {
        let list = LeftOut::of_list(what, read, Rest::Count(lost as u32));
        Some(list?.because(why?))
    });
    lists.collect()
}

/// File data of a tileset beyond its images.
#[derive(Debug)]
struct TilesetFacts {
    count: u32,
    description: String,
    meta: Vec<(String, String)>,
    transparent: Option<u8>,
    /// All strands, including inactive ones.
    strands: Vec<vsp::Strand>,
    /// Bytes of the pixels as RGBA.
    rgba_bytes: usize,
    /// The colours of the palette as stored in the file.
    palette: Vec<[u8; 3]>,
    bytes_per_pixel: u32,
    /// Offset of the palette in the file.
    palette_at: Option<u64>,
    /// Offset of the strands in the file.
    strands_at: Option<u64>,
}

impl TilesetFacts {
    fn of(vsp: &Vsp) -> Self {
        let is_indexed = !vsp.palette.is_empty();
        Self {
            count: vsp.count,
            description: vsp.description.clone(),
            meta: vsp.meta.clone(),
            transparent: is_indexed.then(|| vsp.transparent_index()),
            strands: vsp.strands.clone(),
            rgba_bytes: vsp.pixels.len() * 4,
            palette: vsp.palette.clone(),
            bytes_per_pixel: vsp.pixels.bytes_per_pixel(),
            palette_at: vsp.palette_offset(),
            strands_at: vsp.strands_at,
        }
    }

    fn active_strands(&self) -> impl Iterator<Item = &vsp::Strand> {
        self.strands.iter().filter(|strand| strand.is_active())
    }

    fn facts(&self) -> Vec<FactGroup> {
        let colors = Value::amount(self.palette.len(), "colours");
        let transparent = self
            .transparent
            .map(|color| Value::from(color).shown_as(format!("colour {color}")));
        let active = self.active_strands().count();
        let strands = Value::from(active).shown_as(format!("{active} of {}", vsp::STRANDS));
        let facts = [
            Fact::new("Tiles", self.count),
            Fact::new("Bytes per pixel", self.bytes_per_pixel),
            said("Description", &self.description),
            Fact::new("Palette", self.transparent.map(|_| colors)).keyed("palette_colors"),
            Fact::new("Transparent", transparent).keyed("transparent_color"),
            Fact::new("Strands in use", strands)
                .keyed("strands")
                .derived(),
        ];
        let facts = FactGroup::new("In the file", facts);
        [facts].into_iter().chain(meta(&self.meta)).collect()
    }

    /// The colours of the palette.
    fn colors(&self) -> Parts<'_> {
        Parts::list("colour", self.palette.len())
            .owns(|index| {
                let color = self.palette.get(index).copied().unwrap_or_default();
                let place = place_in(self.palette_at, index, 3);
                let color = Fact::new("Red, green and blue", color).keyed("color");
                FactGroup::new("Colour", [color, place]).own()
            })
            .contents(|run, content| {
                content.bytes(self.palette.get(run).unwrap_or_default().as_flattened());
            })
    }

    /// File data of a strand, with its meaning.
    fn own_strand(&self, number: usize, strand: vsp::Strand) -> Vec<OwnLine> {
        let tile = |number: u16| {
            if u32::from(number) < self.count {
                number.into()
            } else {
                Value::from(number).shown_as(format!("{number} (there is no such tile)"))
            }
        };
        let mode = match vsp::MODES.get(usize::from(strand.mode)) {
            Some(mode) => (*mode).into(),
            None => Value::from(strand.mode).shown_as(format!("{} (means nothing)", strand.mode)),
        };
        let delay = f32::from(strand.delay) / 100.0;
        let facts = [
            Fact::new("First tile", tile(strand.start)),
            Fact::new("Last tile", tile(strand.finish)),
            Fact::new("Each for", Value::amount(delay, "s")).keyed("delay_s"),
            Fact::new("Mode", mode),
            place_in(self.strands_at, number, 8),
        ];
        FactGroup::new("Strand", facts).own()
    }
}

/// The place of an element of a list that begins at an offset, if it is known.
fn place_in(start: Option<u64>, index: usize, bytes: usize) -> Fact {
    let place = start.map_or(ListPlace::Unknown, ListPlace::At);
    Fact::new("Bytes", place.of(index, bytes)).place()
}

impl Facts for TilesetFacts {
    fn of(&self, _map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        match item {
            TileMapItem::Map => self.facts(),
            _ => Vec::new(),
        }
    }

    /// The strands with nonzero data, by their numbers.
    fn parts<'a>(&'a self, _map: &'a TileMap, _layer: Option<usize>) -> Vec<Parts<'a>> {
        let said: Vec<(usize, &vsp::Strand)> = self
            .strands
            .iter()
            .enumerate()
            .filter(|(_, strand)| **strand != vsp::Strand::default())
            .collect();
        let numbers: Vec<usize> = said.iter().map(|(number, _)| *number).collect();
        let strands = Parts::named("strand", said.len(), move |index| {
            numbers
                .get(index)
                .map_or_else(String::new, usize::to_string)
        })
        .owns(move |index| {
            let strand = said.get(index);
            strand.map_or_else(Vec::new, |(number, strand)| {
                self.own_strand(*number, **strand)
            })
        });
        vec![self.colors(), strands]
    }

    /// They are compared as data of the tileset.
    fn own(&self, map: &TileMap, item: TileMapItem) -> Option<Vec<OwnLine>> {
        let own = map.fields_of(item.into(), ViewState::default())?.own();
        match item {
            TileMapItem::Map => Some(own),
            TileMapItem::Tileset { .. } => {
                let facts = self.facts().into_iter().flat_map(FactGroup::own);
                Some(own.into_iter().chain(facts).collect())
            }
            _ => None,
        }
    }

    fn info(&self, map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Json> {
        let tileset = map.tilesets.first();
        let size = tileset.map_or([0; 2], |tileset| tileset.tile_size);
        let rgba = tileset.and_then(|tileset| tileset.rgba.get(..self.rgba_bytes));
        let active = self.active_strands();
        let strands = active.map(|s| json!([s.start, s.finish, s.delay, s.mode]));
        let mut info = JsonMap::new();
        info.insert("tile_size".to_owned(), json!(size));
        info.insert("tiles".to_owned(), json!(self.count));
        info.insert("bytes_per_pixel".to_owned(), json!(self.bytes_per_pixel));
        info.insert("strands".to_owned(), json!(self.active_strands().count()));
        info.insert("strand_list".to_owned(), strands.collect());
        info.insert("description".to_owned(), json!(self.description));
        info.insert("meta".to_owned(), meta_info(&self.meta));
        let hash = sha256(rgba.unwrap_or_default());
        info.insert("rgba_sha256".to_owned(), json!(hash));
        info
    }

    fn cpu_bytes(&self) -> u64 {
        (size_of_val(&*self.strands) + self.description.len()) as u64
    }
}
