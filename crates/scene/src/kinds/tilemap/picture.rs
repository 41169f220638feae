//! A picture as a map: one layer with one cell, whose tile is the whole picture. Its items are the
//! picture and its pixels.

use std::sync::Arc;

use bytes::Bytes;
use mapscope_formats::ptf::{self, Texture};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::place::RectPx;
use super::{Cell, Contents, Facts, FileForm, Layer, TileMap, Tileset};
use crate::core::source::{OpenError, OpenOptions, Progress, Source};
use crate::describe::own::{sha256, sha256_of};
use crate::describe::table::{Field, Table, ValueType, field, integer, table, text};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::document::parts::Parts;
use crate::{Direction, Document, InfoQuery, Item, Statistic, Swatch, TileMapItem};

/// Opens a texture of `PlatinumSrc` for the table of formats.
pub(crate) fn open_ptf(
    source: &Source,
    _options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let texture = source.parse::<Texture>(progress)?;
    let name = source.path.file_name().unwrap_or_default();
    let document = document(texture, &source.bytes, &name.to_string_lossy());
    progress.report(1.0)?;
    Ok(Arc::new(document))
}

/// The map of a texture.
fn document(mut texture: Texture, file: &Bytes, name: &str) -> TileMap {
    let problems = std::mem::take(&mut texture.problems);
    let tile_size = [texture.width, texture.height];
    let facts = TextureFacts {
        layout: texture.layout,
        size: ptf::Head::of(file).map_or(tile_size, |head| head.size),
        channels: texture.channels,
        unknown_flags: texture.unknown_flags,
        file: file.clone(),
    };
    let layers = vec![Layer {
        name: "Picture".to_owned(),
        size: [1; 2],
        cells: vec![Cell(0)],
        ..Layer::default()
    }];
    let mut made = TileMap {
        steps: TileMap::steps_in_file_order(&layers, &[]),
        layers,
        tilesets: vec![Tileset {
            name: name.to_owned(),
            tile_size,
            count: 1,
            rgba: texture.into_rgba(),
            ..Tileset::default()
        }],
        form: FileForm {
            contents: Contents::Picture,
            ..FileForm::default()
        },
        ..TileMap::new(&ptf::FORMAT, facts.layout.to_string(), Box::new(facts))
    };
    made.about.problems = problems;
    made.finished()
}

/// File data of a texture.
#[derive(Debug)]
struct TextureFacts {
    layout: ptf::Layout,
    /// Width and height in the file.
    size: [u32; 2],
    channels: u8,
    unknown_flags: u8,
    file: Bytes,
}

impl TextureFacts {
    /// Bytes of the decoded pixels.
    fn decoded(&self) -> u64 {
        let [width, height] = self.size.map(u64::from);
        width * height * u64::from(self.channels)
    }
}

impl Facts for TextureFacts {
    fn of(&self, map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        if item != TileMapItem::Picture {
            return Vec::new();
        }
        let channels = match self.channels {
            1 => "1: grey",
            2 => "2: grey and alpha",
            3 => "3: red, green and blue",
            _ => "4: red, green, blue and alpha",
        };
        let shown = map.picture_size().filter(|shown| *shown != self.size);
        let flags = Some(self.unknown_flags).filter(|flags| *flags != 0);
        let flags = flags.map(|flags| Value::from(flags).shown_as(format!("{flags:#04x}")));
        let facts = [
            Fact::new("Size", Value::size(self.size, "pixels")),
            Fact::new("Shown", shown.map(|shown| Value::size(shown, "pixels")))
                .keyed("shown_size")
                .derived(),
            Fact::new("Channels", Value::from(self.channels).shown_as(channels)),
            Fact::new("Unknown flags", flags),
            Fact::new("Compressed", Value::count(self.file.len(), "byte"))
                .keyed("file_bytes")
                .derived(),
            Fact::new("Decoded", Value::count(self.decoded(), "byte"))
                .keyed("decoded_bytes")
                .derived(),
        ];
        vec![FactGroup::new("In the file", facts)]
    }

    fn info(&self, map: &TileMap, _query: &InfoQuery) -> JsonMap<String, Json> {
        let shown = map
            .picture()
            .filter(|_| map.picture_size() == Some(self.size));
        let hash = match shown {
            Some(rgba) => sha256(rgba),
            None => sha256_of(|add| {
                // The document was made from the same bytes.
                let _ = Texture::read_rgba_rows(&self.file, add);
            }),
        };
        let mut info = JsonMap::new();
        info.insert("layout".to_owned(), json!(self.layout as u8));
        info.insert("size".to_owned(), json!(self.size));
        info.insert("channels".to_owned(), json!(self.channels));
        info.insert("unknown_flags".to_owned(), json!(self.unknown_flags));
        info.insert("file_bytes".to_owned(), json!(self.file.len()));
        info.insert("decoded_bytes".to_owned(), json!(self.decoded()));
        info.insert("rgba_sha256".to_owned(), json!(hash));
        info
    }
}

impl TileMap {
    /// `true` if the file is a single picture.
    pub(super) fn is_picture(&self) -> bool {
        self.form.contents == Contents::Picture
    }

    /// Width and height of the picture; `None` for a map.
    fn picture_size(&self) -> Option<[u32; 2]> {
        let tileset = self.tilesets.first().filter(|_| self.is_picture());
        tileset.map(|tileset| tileset.tile_size)
    }

    /// The RGBA bytes of the picture; `None` for a map.
    fn picture(&self) -> Option<&[u8]> {
        self.tilesets
            .first()
            .filter(|_| self.is_picture())?
            .image(0)
    }

    /// A pixel of the picture by its item.
    pub(super) fn pixel_at(&self, item: Item) -> Option<PixelAt> {
        let Item::TileMap(TileMapItem::Pixel { x, y }) = item else {
            return None;
        };
        self.pixel([x, y])
    }

    fn pixel(&self, place: [u32; 2]) -> Option<PixelAt> {
        let [width, height] = self.picture_size()?;
        let [x, y] = place;
        let index = y as usize * width as usize + x as usize;
        let (pixels, _) = self.picture()?.as_chunks();
        let rgba = *pixels.get(index).filter(|_| x < width && y < height)?;
        Some(PixelAt { place, rgba })
    }

    /// The pixel beside one.
    pub(super) fn pixel_beside(&self, at: &PixelAt, direction: Direction) -> Option<Item> {
        let [dx, dy] = direction.step();
        let [x, y] = at.place;
        let beside = [x.checked_add_signed(dx)?, y.checked_add_signed(dy)?];
        Some(self.pixel(beside)?.item())
    }

    /// The picture and its pixels, for comparison and queries.
    pub(super) fn picture_parts(&self) -> Vec<Parts<'_>> {
        let [width, height] = self.picture_size().unwrap_or_default();
        let rgba = self.picture().unwrap_or_default();
        let name = |[y, x]: [u32; 2]| format!("{x},{y}");
        let pixels = Parts::grid("pixel", [height, width], name)
            .cells(|[y, x]| TileMapItem::Pixel { x, y })
            .contents(move |run, content| {
                let bytes = rgba.get(run.start * 4..run.end * 4);
                content.bytes(bytes.unwrap_or_default());
            });
        vec![Parts::one("picture", TileMapItem::Picture), pixels]
    }

    /// Statistics of the picture.
    pub(super) fn picture_statistics(&self) -> Vec<Statistic> {
        let (pixels, _) = self.picture().unwrap_or_default().as_chunks::<4>();
        let count = |test: fn(u8) -> bool| pixels.iter().filter(|pixel| test(pixel[3])).count();
        let numbers = [
            ("Pixels", pixels.len()),
            ("Transparent pixels", count(|alpha| alpha == 0)),
            (
                "Translucent pixels",
                count(|alpha| (1..255).contains(&alpha)),
            ),
        ];
        let numbers = numbers.into_iter().map(|(name, value)| Statistic {
            name,
            value: value.to_string(),
        });
        numbers.collect()
    }
}

/// The picture as a whole.
#[derive(Debug)]
pub(super) struct WholePicture<'a>(pub(super) &'a TileMap);

impl<'a> WholePicture<'a> {
    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Picture",
        text("Format", "format", |at: &Self| at
            .0
            .about
            .format
            .name
            .into())
        .in_summary_as("Picture")
        .derived(),
        text("Layout", "version", |at: &Self| (&*at.0.about.version)
            .into()),
        field("Size", "size_px", ValueType::Integers(2), |at: &Self| {
            Value::size(at.0.canvas_px(), "pixels")
        })
        .in_summary()
        .in_note()
        .hidden()
        .derived(),
    );
}

/// A pixel of a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct PixelAt {
    /// Column and row.
    place: [u32; 2],
    rgba: [u8; 4],
}

impl PixelAt {
    pub(super) const FIELDS: Table<'static, Self> = table!(
        "Pixel",
        integer("X", "x", |at: &Self| at.place[0].into())
            .summary("X", |at| Value::from(at.place[0]).width(COORDINATE_WIDTH))
            .derived()
            .listed(),
        integer("Y", "y", |at: &Self| at.place[1].into())
            .summary("Y", |at| Value::from(at.place[1]).width(COORDINATE_WIDTH))
            .derived()
            .listed(),
        field("Color", "color", ValueType::Text, |at: &Self| at.color())
            .in_summary()
            .derived(),
        channel::<0>("Red", "red"),
        channel::<1>("Green", "green"),
        channel::<2>("Blue", "blue"),
        channel::<3>("Alpha", "alpha"),
    );

    fn item(&self) -> Item {
        let [x, y] = self.place;
        TileMapItem::Pixel { x, y }.into()
    }

    /// Its colour as on web pages, with alpha.
    fn color(&self) -> Value {
        let [r, g, b, a] = self.rgba;
        Value::from(format!("#{r:02x}{g:02x}{b:02x}{a:02x}")).swatch(Some(Swatch::Color([r, g, b])))
    }

    /// Its rectangle in a layer at rest.
    pub(super) fn rect_px(&self) -> RectPx {
        let min = self.place.map(|at| at as f32);
        RectPx {
            min,
            max: min.map(|at| at + 1.0),
        }
    }
}

/// Reserved width of coordinates in the status line, in characters.
const COORDINATE_WIDTH: usize = 5;
/// Reserved width of channels in the status line, in characters.
const CHANNEL_WIDTH: usize = 3;

const fn channel<const N: usize>(name: &'static str, key: &'static str) -> Field<PixelAt> {
    integer(name, key, |at: &PixelAt| at.rgba[N].into())
        .summary(name, |at| Value::from(at.rgba[N]).width(CHANNEL_WIDTH))
        .listed()
}
