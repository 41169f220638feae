//! The files of the station.

use std::collections::HashMap;

use mapscope_formats::Integers;
use mapscope_formats::ppe::map_data::{self, Corner, MapData};
use mapscope_formats::ppe::sdlang::{At, Tag, Value};
use mapscope_formats::ppe::xmf::{
    self, LayerKind, MapSource, Metadata, Object, Palette, PaletteSource, RepeatMode, Shape,
    Sprite, SpriteSource, TileInfo, TileSource, Xmf, XmfLayer,
};
use mapscope_formats::ppe::{Cell, EMPTY_CELL, MapFlags};

use super::plan::SIZE;
use super::{colors, crew, deck, light, space};
use crate::tilemaps::canvas::{Canvas, TILE};
use crate::{Failure, Files};

/// Names of the files.
pub(crate) const XMF: &str = "station.xmf";
pub(crate) const MAP: &str = "station.map";
pub(crate) const TILES: &str = "station_tiles.png";
pub(crate) const CREW: &str = "station_crew.png";

/// Exponent of the palette size: palettes have 2^`PAL_SHIFT` colours.
const PAL_SHIFT: u32 = 5;
/// Number of columns of the sheet.
const SHEET_COLUMNS: i32 = 16;
/// Position of the sprites' palette, in palettes.
const CREW_PALETTE: u32 = 8;

/// The orientation of a tile: axes swapped first, then left and right, then up and down.
#[derive(Clone, Copy)]
struct Turn {
    axes: bool,
    h: bool,
    v: bool,
}

/// All orientations, the simplest first.
const TURNS: [Turn; 8] = {
    let mut turns = [Turn {
        axes: false,
        h: false,
        v: false,
    }; 8];
    let mut i = 0;
    while i < 8 {
        turns[i] = Turn {
            axes: i & 4 != 0,
            h: i & 1 != 0,
            v: i & 2 != 0,
        };
        i += 1;
    }
    turns
};

impl Turn {
    /// A tile as a cell with this orientation shows it.
    fn of(self, tile: &Canvas) -> Canvas {
        let mut turned = Canvas::new(TILE, TILE);
        turned.paint(|x, y| {
            let x = if self.h { TILE - 1 - x } else { x };
            let y = if self.v { TILE - 1 - y } else { y };
            Some(if self.axes {
                tile.get(y, x)
            } else {
                tile.get(x, y)
            })
        });
        turned
    }
}

/// Tiles that are distinct in all orientations.
struct Sheet {
    tiles: Vec<Canvas>,
    known: HashMap<Vec<u8>, (u16, Turn)>,
}

impl Sheet {
    /// The tile and orientation of a cell; `None` if it is empty.
    fn find(&mut self, tile: &Canvas) -> Option<(u16, Turn)> {
        if tile.pixels().iter().all(|color| *color == 0) {
            return None;
        }
        if let Some(found) = self.known.get(tile.pixels()) {
            return Some(*found);
        }
        let id = self.tiles.len() as u16;
        self.tiles.push(tile.clone());
        for turn in TURNS {
            let turned = turn.of(tile).pixels().to_vec();
            self.known.entry(turned).or_insert((id, turn));
        }
        self.known.get(tile.pixels()).copied()
    }

    /// The cells of a picture.
    fn cells(
        &mut self,
        picture: &Canvas,
        flags: MapFlags,
        palette: impl Fn(usize) -> u8,
        has_priority: impl Fn(usize) -> bool,
    ) -> Vec<u32> {
        let [columns, rows] = picture.size_in_tiles();
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cells = places.enumerate().map(|(index, (column, row))| {
            let Some((tile_id, turn)) = self.find(&picture.tile(column, row)) else {
                return EMPTY_CELL;
            };
            let cell = Cell {
                tile_id,
                palette: palette(index).into(),
                mirror_h: turn.h,
                mirror_v: turn.v,
                axis_switch: turn.axes,
                priority: has_priority(index).into(),
                priority_user_data: None,
                palette_user_data: None,
            };
            cell.encode(flags)
        });
        cells.collect()
    }

    fn picture(&self) -> Canvas {
        let rows = (self.tiles.len() as i32 + SHEET_COLUMNS - 1) / SHEET_COLUMNS;
        let mut picture = Canvas::new(SHEET_COLUMNS * TILE, rows * TILE);
        for (tile, i) in self.tiles.iter().zip(0..) {
            picture.draw(tile, i % SHEET_COLUMNS * TILE, i / SHEET_COLUMNS * TILE);
        }
        picture
    }
}

/// Encodes a picture of palette indices as a PNG file.
fn png(picture: &Canvas, palette: &[[u8; 4]]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    // Palette indices are not quantities, so neighbouring pixels do not predict them.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_palette(
        palette
            .iter()
            .flat_map(|[r, g, b, _]| [*r, *g, *b])
            .collect::<Vec<_>>(),
    );
    encoder.set_trns(palette.iter().map(|color| color[3]).collect::<Vec<_>>());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.pixels())?;
    writer.finish()?;
    Ok(bytes)
}

/// The tiles of the sheet that the cells use.
fn tile_source(cells: &[u32], flags: MapFlags) -> TileSource {
    let cells = cells.iter().map(|raw| Cell::decode(*raw, flags));
    let mut ids: Vec<u16> = cells
        .filter(|cell| !cell.is_empty())
        .map(|cell| cell.tile_id)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let tiles = ids.into_iter().map(|id| TileInfo {
        first: id.into(),
        second: id.into(),
        name: format!("tile{id:04X}"),
        ..TileInfo::default()
    });
    TileSource {
        path: TILES.to_owned(),
        pal_shift: Some(PAL_SHIFT),
        tiles: Some(tiles.collect()),
        ..TileSource::default()
    }
}

/// A palette that is loaded at the position of palette `number`.
fn palette(source: PaletteSource, number: u32) -> Palette {
    Palette {
        source,
        pal_shift: Some(PAL_SHIFT),
        offset: number << PAL_SHIFT,
        attributes: Vec::new(),
        at: At::default(),
    }
}

/// An object of the crew's layer.
fn object(name: &str, id: i32, shape: Shape, to_collision: bool) -> Object {
    Object {
        name: name.to_owned(),
        id,
        shape,
        to_collision,
        attributes: Vec::new(),
        other: Vec::new(),
        at: At::default(),
    }
}

/// The light and the logic attributes of all cells.
fn attributes() -> (Vec<[Corner; 4]>, Vec<u8>) {
    let cells = || (0..SIZE[1]).flat_map(|row| (0..SIZE[0]).map(move |column| (column, row)));
    let corner = |column: i32, row: i32| {
        let ([r, g, b], light) = light::at_corner(column, row);
        Corner {
            rgba: [r, g, b, 255],
            light,
        }
    };
    let corners = cells().map(|(column, row)| {
        Corner::ORDER.map(|[i, j]| corner(column + i32::from(i), row + i32::from(j)))
    });
    let logic = cells().map(|(column, row)| light::logic(column, row));
    (corners.collect(), logic.collect())
}

/// The XMF file and the files that it references.
pub(crate) fn files() -> Result<Files, Failure> {
    let flags = MapFlags(
        MapFlags::NEW_LAYOUT
            | MapFlags::PRIORITY_USER_DATA_OR_LOGIC
            | MapFlags::GRAPHICS
            | MapFlags::ZLIB,
    );
    let mut sheet = Sheet {
        tiles: Vec::new(),
        known: HashMap::new(),
    };
    let deck = deck::deck();
    let deck_cells = sheet.cells(
        &deck.picture,
        flags,
        |index| deck.palettes[index],
        |index| deck.has_priority[index],
    );
    let sky_cells = sheet.cells(&space::sky(), flags, |_| colors::SPACE, |_| false);
    let (graphics, logic) = attributes();
    let size = SIZE.map(|side| side as u32);
    let layer = |name: &str, priority: i32, cells: &[u32]| XmfLayer {
        name: name.to_owned(),
        kind: LayerKind::Tile,
        priority,
        tile_size: [TILE as u32; 2],
        size,
        tile_sources: vec![tile_source(cells, flags)],
        ..XmfLayer::default()
    };
    let stars = XmfLayer {
        map: Some(MapSource::Embedded {
            cells: sky_cells.clone(),
            at: At::default(),
        }),
        repeat: RepeatMode::On,
        scroll_rate: [Some(0.25); 2],
        ..layer("Stars", 0, &sky_cells)
    };
    let rooms = XmfLayer {
        map: Some(MapSource::File {
            path: MAP.to_owned(),
            at: At::default(),
        }),
        ..layer("Deck", 8, &deck_cells)
    };
    let sprite = |name: &str, id: i32, source: i32, position: [i32; 2]| {
        let sprite = Sprite {
            source,
            position,
            palette: CREW_PALETTE,
            pal_shift: Some(PAL_SHIFT),
            ..Sprite::default()
        };
        object(name, id, Shape::Sprite(sprite), true)
    };
    let area = |name: &str, id: i32, [x, y, columns, rows]: [i32; 4]| {
        let corners = [x, y, x + columns, y + rows].map(|at| at * TILE);
        let shape = Shape::Box([corners[0], corners[1], corners[2] - 1, corners[3] - 1]);
        object(name, id, shape, false)
    };
    let crew_layer = XmfLayer {
        name: "Crew".to_owned(),
        kind: LayerKind::Sprite,
        priority: 16,
        sprite_sources: crew::PARTS
            .into_iter()
            .zip(0..)
            .map(|((part, name), id)| SpriteSource {
                id,
                path: CREW.to_owned(),
                name: Some(name.to_owned()),
                part: Some(part),
                ..SpriteSource::default()
            })
            .collect(),
        palettes: vec![palette(PaletteSource::File(CREW.to_owned()), CREW_PALETTE)],
        objects: vec![
            area("command bridge", 0, [14, 3, 12, 5]),
            area("reactor", 1, [15, 12, 10, 8]),
            area("garden", 2, [4, 8, 8, 12]),
            area("clinic", 3, [28, 8, 8, 4]),
            area("engines", 4, [28, 15, 8, 5]),
            area("cargo bay", 5, [11, 23, 18, 3]),
            sprite("shuttle", 65536, 0, [120, 16]),
            sprite("Vela", 65537, 1, [312, 130]),
            sprite("Juno", 65538, 1, [216, 262]),
            sprite("watering robot", 65539, 2, [112, 262]),
            sprite("loading robot", 65540, 2, [318, 388]),
            object(
                "patrol",
                6,
                Shape::Polyline {
                    points: [[200, 272], [260, 272], [260, 204], [320, 204]]
                        .map(|position| xmf::Point {
                            position,
                            ..xmf::Point::default()
                        })
                        .into(),
                    is_closed: false,
                },
                false,
            ),
        ],
        ..XmfLayer::default()
    };
    let palettes = colors::NAMES.into_iter().zip(0..).map(|(name, number)| {
        let source = PaletteSource::Embedded {
            name: Some(name.to_owned()),
            // In the engine's current order: `ColorOrder::Abgr`.
            colors: (colors::rgba(number).into_iter())
                .map(|[r, g, b, a]| [a, b, g, r])
                .collect(),
        };
        palette(source, number.into())
    });
    let xmf = Xmf {
        metadata: Metadata {
            version: Some([1, 0]),
            name: Some("Station".to_owned()),
            resolution: Some([424, 240]),
            // Determines the layout of embedded cells and colours.
            other: vec![Tag::new(
                "",
                "DateOfCreation",
                [Value::Time("2026-11-01".to_owned())],
            )],
            ..Metadata::default()
        },
        layers: vec![stars, rooms, crew_layer],
        palettes: palettes.collect(),
        ..Xmf::default()
    };
    let map = MapData {
        flags,
        size,
        cells: deck_cells,
        graphics: Some(graphics),
        logic: Some(Integers::U8(logic)),
        ..MapData::default()
    };
    Ok(vec![
        (XMF.to_owned(), xmf::write(&xmf)),
        (MAP.to_owned(), map_data::write(&map)?),
        (
            TILES.to_owned(),
            png(&sheet.picture(), &colors::rgba(colors::STEEL))?,
        ),
        (CREW.to_owned(), png(&crew::picture(), &crew::PALETTE)?),
    ])
}
