//! Tilesets as sheets in companion files, and the animations of their tiles.

use std::collections::HashSet;

use super::layers::Builder;
use super::model::{Picture, Property, Tile, Tileset};
use super::properties::Properties;
use crate::{CompanionFile, png_of};
use mapscope_scene::saving::PNG;
use mapscope_scene::tilemap::{self, GridKind, Strand, StrandMode, TileMap, numbered_tile};

/// Number of columns of a sheet, unless it is very large.
const COLUMNS: usize = 16;
/// Maximum number of characters of a name that are used in a file name.
const MAX_NAME: usize = 40;
/// Maximum number of frames of all tiles of a tileset: each tile of a strand has all its frames.
const MAX_FRAMES: u64 = 1 << 20;
/// Milliseconds per tick of strands, a hundredth of a second.
const TICK_MS: u32 = 10;
/// Maximum number of images with their own files.
const MAX_IMAGES: usize = 1024;

/// The companion files of a map.
#[derive(Debug)]
pub(super) struct Files {
    stem: String,
    /// Names that are taken, in lower case: some file systems ignore case.
    names: HashSet<String>,
    pub(super) beside: Vec<CompanionFile>,
}

impl Files {
    pub(super) fn new(stem: &str) -> Self {
        // XML cannot represent control characters.
        let named = |c: char| if c.is_control() { '_' } else { c };
        Self {
            stem: stem.chars().map(named).collect(),
            names: HashSet::new(),
            beside: Vec::new(),
        }
    }

    /// Adds an image, in a file named after its content.
    pub(super) fn add(&mut self, name: &str, size: [u32; 2], rgba: &[u8]) -> Picture {
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = name.chars().take(MAX_NAME).map(safe).collect();
        let name = match name.trim_matches('-') {
            "" => "tileset",
            name => name,
        };
        let plain = format!("{}-{name}.png", self.stem);
        let numbered = (2_u32..).map(|number| format!("{}-{name}-{number}.png", self.stem));
        let mut free = std::iter::once(plain).chain(numbered);
        let file = free
            .find(|file| self.names.insert(file.to_lowercase()))
            .unwrap_or_default();
        self.beside.push(CompanionFile {
            name: file.clone(),
            kind: PNG,
            bytes: png_of(size, rgba),
        });
        Picture { file, size }
    }
}

/// Arranges the images of tiles in a grid; `None` without images. Returns the number of columns,
/// the size in pixels, and the pixels.
fn sheet<'a>(
    [width, height]: [u32; 2],
    count: usize,
    image: impl Fn(usize) -> Option<&'a [u8]>,
) -> Option<(u32, [u32; 2], Vec<u8>)> {
    let side = (count as f64).sqrt().ceil() as usize;
    let columns = side.max(COLUMNS).min(count);
    let (line, rows) = (width as usize * 4, count.div_ceil(columns.max(1)));
    let pitch = columns * line;
    let size = [columns * width as usize, rows * height as usize];
    let size = [u32::try_from(size[0]).ok()?, u32::try_from(size[1]).ok()?];
    if size.contains(&0) {
        return None;
    }
    let mut rgba = vec![0; pitch * size[1] as usize];
    for index in 0..count {
        let first = (index / columns) * height as usize * pitch + (index % columns) * line;
        let lines = image(index).unwrap_or_default().chunks_exact(line);
        for (y, pixels) in lines.enumerate() {
            let at = first + y * pitch;
            if let Some(place) = rgba.get_mut(at..at + line) {
                place.copy_from_slice(pixels);
            }
        }
    }
    Some((columns as u32, size, rgba))
}

/// The number of tiles in one cycle of a strand.
fn round_of(strand: &Strand) -> u64 {
    let count = u64::from(strand.last.saturating_sub(strand.first)) + 1;
    match strand.mode {
        StrandMode::PingPong => count * 2 - 2,
        StrandMode::Forward | StrandMode::Backward | StrandMode::Random => count,
    }
}

/// The frames of a tile in a strand: tile and duration in milliseconds.
fn frames(strand: &Strand, image: u32) -> Vec<[u32; 2]> {
    let delay = strand.delay_ticks.max(1);
    let in_turn = Strand {
        mode: match strand.mode {
            StrandMode::Random => StrandMode::Forward,
            mode => mode,
        },
        ..*strand
    };
    let steps = 0..round_of(strand);
    let shown = steps.map(|step| in_turn.at(image, step * u64::from(delay)));
    shown
        .map(|shown| [shown, delay.saturating_mul(TICK_MS)])
        .collect()
}

impl Builder<'_> {
    /// The first global tile id of a tileset of the map, which is added if it is new; 0 if it has
    /// no tiles. An opaque variant ignores the transparency of pixels.
    pub(super) fn gid_of(&mut self, index: usize, is_opaque: bool) -> u32 {
        let map = self.map;
        let Some(of) = map.tilesets.get(index) else {
            return 0;
        };
        let is_opaque = is_opaque && of.rgba.iter().skip(3).step_by(4).any(|alpha| *alpha < 255);
        if let Some(gid) = self.gids.get(&(index, is_opaque)) {
            return *gid;
        }
        let count = if self.shows_missing(index) {
            of.count
        } else {
            of.tile_count()
        };
        let opaque = is_opaque.then(|| {
            let mut rgba = of.rgba.clone();
            rgba.iter_mut()
                .skip(3)
                .step_by(4)
                .for_each(|alpha| *alpha = 255);
            tilemap::Tileset { rgba, ..of.clone() }
        });
        let shown = opaque.as_ref().unwrap_or(of);
        let made = sheet(of.tile_size, count, |image| shown.image(image));
        let gid = made.map_or(0, |(columns, size, rgba)| {
            let name = if of.name.is_empty() {
                format!("Tileset {index}")
            } else {
                of.name.clone()
            };
            let file = match (is_opaque, map.tilesets.len()) {
                (false, 1) => "tileset".to_owned(),
                (true, 1) => "tileset-opaque".to_owned(),
                (false, _) => name.clone(),
                (true, _) => format!("{name}-opaque"),
            };
            let picture = self.files.add(&file, size, &rgba);
            let tiles = self.tiles(of, count, &name);
            let name = if is_opaque {
                format!("{name} (opaque)")
            } else {
                name
            };
            self.add_tileset(name, of.tile_size, count, columns, Some(picture), tiles)
        });
        self.gids.insert((index, is_opaque), gid);
        gid
    }

    fn add_tileset(
        &mut self,
        name: String,
        tile_size: [u32; 2],
        count: usize,
        columns: u32,
        sheet: Option<Picture>,
        tiles: Vec<Tile>,
    ) -> u32 {
        let first_gid = self.next_gid;
        self.next_gid += count as u32;
        self.tilesets.push(Tileset {
            first_gid,
            name,
            tile_size,
            tile_count: count as u32,
            columns,
            sheet,
            tiles,
        });
        first_gid
    }

    /// The tiles of a tileset that have data.
    fn tiles(&mut self, of: &tilemap::Tileset, count: usize, name: &str) -> Vec<Tile> {
        if of.is_placeholder {
            let loss = format!(
                "The images of the tiles of {name} are not known: tiles show their numbers."
            );
            self.lose(loss);
        }
        // If several strands contain a tile, the last one applies, as when a frame is drawn.
        let mut owners: Vec<Option<&Strand>> = vec![None; count];
        for strand in of.strands.iter().filter(|strand| strand.is_active()) {
            let last = (strand.last as usize + 1).min(count);
            let owned = owners
                .get_mut(strand.first as usize..last)
                .unwrap_or_default();
            owned.fill(Some(strand));
        }
        let mut left = MAX_FRAMES;
        let mut tiles = Vec::new();
        for (image, strand) in owners.into_iter().enumerate() {
            let strand = strand.filter(|strand| {
                let enough = left.checked_sub(round_of(strand));
                left = enough.unwrap_or(left);
                if enough.is_none() {
                    self.lose(format!(
                        "{name} has runs of animated tiles that are too long: some stand still."
                    ));
                }
                enough.is_some()
            });
            if strand.is_some_and(|strand| strand.mode == StrandMode::Random) {
                self.lose(format!(
                    "Tiles of {name} that change at random change in sequence instead."
                ));
            }
            let mut properties = Vec::new();
            if let Some(tile) = of.tiles.get(image).filter(|_| of.missing != Some(image)) {
                properties.push(Property::number("id", tile.id));
                properties.extend(
                    tile.palette
                        .map(|palette| Property::number("palette", palette)),
                );
                if !tile.name.is_empty() {
                    properties.push(Property::text("name", &*tile.name));
                }
            }
            let frames = strand.map_or_else(Vec::new, |strand| frames(strand, image as u32));
            if !frames.is_empty() || !properties.is_empty() {
                tiles.push(Tile {
                    id: image as u32,
                    properties,
                    frames,
                    picture: None,
                });
            }
        }
        tiles
    }

    /// Adds a tileset with a numbered tile for each value of a grid and returns its first global
    /// tile id.
    pub(super) fn gid_of_values(
        &mut self,
        name: &str,
        kind: GridKind,
        tile_size: [u32; 2],
        values: &[u64],
    ) -> u32 {
        let images: Vec<Vec<u8>> = values
            .iter()
            .map(|value| numbered_tile(tile_size, u32::try_from(*value).unwrap_or(u32::MAX)))
            .collect();
        let made = sheet(tile_size, values.len(), |image| {
            images.get(image).map(Vec::as_slice)
        });
        let Some((columns, size, rgba)) = made else {
            return 0;
        };
        let picture = self.files.add(name, size, &rgba);
        let tiles = (0..).zip(values).map(|(id, value)| Tile {
            id,
            properties: self.said_of_value(kind, *value),
            frames: Vec::new(),
            picture: None,
        });
        let tiles = tiles.collect();
        self.add_tileset(
            name.to_owned(),
            tile_size,
            values.len(),
            columns,
            Some(picture),
            tiles,
        )
    }

    fn said_of_value(&self, kind: GridKind, value: u64) -> Vec<Property> {
        let mut properties = Properties::default();
        properties.add(Property::number("value", value));
        if kind == GridKind::Zones {
            let zone = usize::try_from(value).ok();
            if let Some(number) = zone
                && let Some(zone) = self.map.zones.get(number)
            {
                properties.add(Property::text("zone", &*zone.name));
                properties.add_facts(self.map.facts_of(TileMap::zone_item(number)));
            }
        }
        properties.finish()
    }

    /// Adds a tileset of sprite images, each in its own file. Returns the tile of each image of the
    /// map, if it has one.
    pub(super) fn gids_of_images(&mut self) -> Vec<Option<u32>> {
        let map = self.map;
        let mut gids = vec![None; map.images.len()];
        for image in map.objects.iter().filter_map(|object| object.image) {
            if let Some(gid) = gids.get_mut(image) {
                *gid = Some(0);
            }
        }
        let (mut tiles, mut largest) = (Vec::new(), [0; 2]);
        let used = gids
            .iter_mut()
            .zip(&map.images)
            .filter(|(gid, _)| gid.is_some());
        let mut has_all = true;
        for (gid, image) in used {
            *gid = None;
            if image.size.contains(&0) {
                continue;
            }
            if tiles.len() == MAX_IMAGES {
                has_all = false;
                continue;
            }
            let id = tiles.len() as u32;
            *gid = Some(self.next_gid + id);
            largest = [0, 1].map(|axis| image.size[axis].max(largest[axis]));
            tiles.push(Tile {
                id,
                properties: Vec::new(),
                frames: Vec::new(),
                picture: Some(self.files.add("sprite", image.size, &image.rgba)),
            });
        }
        if !has_all {
            self.lose(format!("Only the first {MAX_IMAGES} images of sprites have files; other sprites are rectangles."));
        }
        if !tiles.is_empty() {
            self.add_tileset("Sprites".to_owned(), largest, tiles.len(), 0, None, tiles);
        }
        gids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strand_makes_its_round_from_each_of_its_tiles() {
        let strand = |mode| Strand {
            first: 4,
            last: 6,
            delay_ticks: 7,
            mode,
        };
        let shown = |mode, image| -> Vec<u32> {
            let frames = frames(&strand(mode), image);
            assert!(frames.iter().all(|[_, duration]| *duration == 70));
            frames.iter().map(|[shown, _]| *shown).collect()
        };
        assert_eq!(shown(StrandMode::Forward, 5), [5, 6, 4]);
        assert_eq!(shown(StrandMode::Backward, 5), [5, 4, 6]);
        assert_eq!(shown(StrandMode::PingPong, 5), [5, 6, 5, 4]);
        assert_eq!(shown(StrandMode::Random, 6), [6, 4, 5]);
    }

    #[test]
    fn names_of_files_are_safe_and_differ() {
        let mut files = Files::new("wald\u{7}");
        let mut add = |name| files.add(name, [1, 1], &[0; 4]).file;
        assert_eq!(add("../Tiles:1"), "wald_-Tiles-1.png");
        assert_eq!(add("tiles 1"), "wald_-tiles-1-2.png");
        assert_eq!(add("<>"), "wald_-tileset.png");
    }

    #[test]
    fn a_sheet_has_its_tiles_row_by_row() {
        let tiles: Vec<[u8; 8]> = (0..18).map(|tile| [tile; 8]).collect();
        let (columns, size, rgba) = sheet([1, 2], 18, |tile| Some(&tiles[tile])).unwrap();
        assert_eq!((columns, size), (16, [16, 4]));
        assert_eq!(rgba[15 * 4], 15);
        assert_eq!(rgba[(16 + 14) * 4], 14);
        assert_eq!(rgba[(32 + 1) * 4], 17);
        assert_eq!(rgba[(32 + 2) * 4..][..4], [0; 4]);
        assert!(sheet([0, 2], 18, |_| None).is_none());
        assert!(sheet([1, 2], 0, |_| None).is_none());
    }
}
