//! XMF, the container of maps: layers with their map data, tile sheets, palettes, sprites and
//! objects, as `SDLang` text (fact sheet 7).
//!
//! Tags and attributes that are unknown to the format are kept, so that writing loses no data.

mod read;
mod records;
mod tag;
#[cfg(feature = "write")]
mod write;

use super::cell::Layout;
use super::sdlang::{At, Attribute, Tag, Value};
use crate::Problem;

pub(super) use read::sniff;
pub use read::{read, read_with, text};
#[cfg(feature = "write")]
pub use write::{pack, write};

/// An XMF file as plain data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Xmf {
    /// Compression of the file.
    pub packing: Packing,
    /// Metadata of the map.
    pub metadata: Metadata,
    /// Layers in file order. Their drawing order is [`XmfLayer::priority`].
    pub layers: Vec<XmfLayer>,
    /// Palettes of all layers.
    pub palettes: Vec<Palette>,
    /// Other tags outside layers.
    pub other: Vec<Tag>,
    /// `true` if the text ends before the map's name, version and screen are complete.
    pub is_header_truncated: bool,
    /// `true` if layers, palettes and other tags are missing.
    pub is_cut: bool,
    /// All problems of the file, in file order.
    pub problems: Vec<Problem>,
}

/// Compression of the text of an XMF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Uncompressed: `.xmf`.
    #[default]
    Text,
    /// `ZLIB` and a zlib stream.
    Zlib,
    /// `ZSTD` and a Zstandard frame.
    Zstd,
}

/// Metadata of a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata {
    /// Major and minor version of the format.
    pub version: Option<[i64; 2]>,
    /// The name of the map.
    pub name: Option<String>,
    /// Width and height of the target screen, in pixels.
    pub resolution: Option<[u32; 2]>,
    /// Other tags: `Software`, `Creator`, `DateOfCreation` and more.
    pub other: Vec<Tag>,
    /// Attributes; the format defines none.
    pub attributes: Vec<Attribute>,
}

/// The kind of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LayerKind {
    /// Cells with tiles.
    #[default]
    Tile,
    /// Cells with tiles that the game rotates and scales.
    TransformableTile,
    /// Sprites.
    Sprite,
    /// A kind that the engine rejects.
    Other(String),
}

impl LayerKind {
    /// The kind of the layer whose tag has this name.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "Tile" => Self::Tile,
            "TransformableTile" => Self::TransformableTile,
            "Sprite" => Self::Sprite,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The name of its tag.
    pub fn name(&self) -> &str {
        match self {
            Self::Tile => "Tile",
            Self::TransformableTile => "TransformableTile",
            Self::Sprite => "Sprite",
            Self::Other(name) => name,
        }
    }

    /// Returns `true` if the layer has cells.
    pub fn has_tiles(&self) -> bool {
        matches!(self, Self::Tile | Self::TransformableTile)
    }
}

/// Content outside a layer's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepeatMode {
    /// Nothing.
    #[default]
    Off,
    /// The map, repeated.
    On,
    /// Tile 0 everywhere.
    SingleTile,
}

impl RepeatMode {
    /// The text of the tag.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::On => "On",
            Self::SingleTile => "SingleTile",
        }
    }
}

/// A layer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct XmfLayer {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: LayerKind,
    /// Drawing order, ascending. Also the identifier of the layer.
    pub priority: i32,
    /// Width and height of tiles in pixels; 0 without tiles.
    pub tile_size: [u32; 2],
    /// Columns and rows. Both are 0 without tiles or if the file does not state them. The header of
    /// a map file has precedence.
    pub size: [u32; 2],
    /// Location of the cells.
    pub map: Option<MapSource>,
    /// Attributes of the tag that locates the cells, such as `dataPakSrc`.
    pub map_attributes: Vec<Attribute>,
    /// Tile sheets.
    pub tile_sources: Vec<TileSource>,
    /// Priorities of layers whose tile sheets this one uses too (`Shared:TileData`).
    pub shared_tiles: Vec<i32>,
    /// Content outside the cells.
    pub repeat: RepeatMode,
    /// Scroll speed of the layer along X and Y, if the file states it.
    pub scroll_rate: [Option<f64>; 2],
    /// Blending of the layer with those below, such as `AlphaBlend`.
    pub rendering_mode: Option<String>,
    /// Images of sprites.
    pub sprite_sources: Vec<SpriteSource>,
    /// Images of several sprites.
    pub sprite_sheets: Vec<SpriteSheet>,
    /// Palettes of the layer.
    pub palettes: Vec<Palette>,
    /// Boxes, sprites and shapes.
    pub objects: Vec<Object>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags.
    pub other: Vec<Tag>,
    /// Position in the file.
    pub at: At,
    /// `true` if the text ends inside it, so that any part of it may be missing.
    pub is_cut: bool,
}

/// Location of the cells of a layer.
#[derive(Debug, Clone, PartialEq)]
pub enum MapSource {
    /// In a map data file.
    File {
        /// The path as in the file.
        path: String,
        /// Position of the tag.
        at: At,
    },
    /// Embedded in the container: raw cells without a header. Files have the new layout today, and
    /// the old one before 2025-04-14 (fact sheet 8.20).
    Embedded {
        /// The raw bits of cells, row by row.
        cells: Vec<u32>,
        /// Position of the tag.
        at: At,
    },
    /// In another layer.
    Shared {
        /// The priority of that layer.
        layer: i32,
        /// Position of the tag.
        at: At,
    },
}

/// A tile sheet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileSource {
    /// The path of the image as in the file.
    pub path: String,
    /// Exponent of the palette size of its tiles: 2 to this power colours.
    pub pal_shift: Option<u32>,
    /// Offset of its own colours in the palette of the map, if the file states it.
    pub offset: Option<u32>,
    /// The tiles used from it; `None` if it does not list them, for example because the image does.
    pub tiles: Option<Vec<TileInfo>>,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags.
    pub other: Vec<Tag>,
    /// Position in the file.
    pub at: At,
    /// `true` if the text ends inside it, so that tiles may be missing.
    pub is_cut: bool,
}

/// A tile of a sheet: two numbers whose order is ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TileInfo {
    /// The first number.
    pub first: u32,
    /// The second number.
    pub second: u32,
    /// The name of the tile.
    pub name: String,
    /// Position in the file.
    pub at: At,
}

/// Interpretation of the numbers of [`TileInfo`] (fact sheet 8.18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TileOrder {
    /// The identifier, then the index in the sheet: as in the document and in the editor's output.
    #[default]
    IdFirst,
    /// The index in the sheet, then the identifier: as in the engine's loader.
    IndexFirst,
}

impl TileInfo {
    /// The identifier by which cells refer to the tile.
    pub fn id(&self, order: TileOrder) -> u32 {
        match order {
            TileOrder::IdFirst => self.first,
            TileOrder::IndexFirst => self.second,
        }
    }

    /// The index in the sheet, row by row from the top left.
    pub fn index(&self, order: TileOrder) -> u32 {
        match order {
            TileOrder::IdFirst => self.second,
            TileOrder::IndexFirst => self.first,
        }
    }
}

/// Byte order of embedded colours, which differs between versions of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorOrder {
    /// Alpha, blue, green, red: written by the engine since March 2025.
    #[default]
    Abgr,
    /// Alpha, red, green, blue: written before that.
    Argb,
}

impl ColorOrder {
    /// Converts a colour of [`PaletteSource::Embedded`] to red, green, blue and alpha.
    pub fn rgba(self, color: [u8; 4]) -> [u8; 4] {
        let [alpha, first, green, last] = color;
        match self {
            Self::Abgr => [last, green, first, alpha],
            Self::Argb => [first, green, last, alpha],
        }
    }
}

/// Interpretation of the embedded data of a container, which does not record how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Byte order of embedded colours.
    pub colors: ColorOrder,
    /// The layout of embedded cells.
    pub cells: Layout,
}

impl Default for Dialect {
    /// The dialect of current files.
    fn default() -> Self {
        Self {
            colors: ColorOrder::default(),
            cells: Layout::New,
        }
    }
}

impl Dialect {
    /// The dialect of files before 2025.
    pub const OLD: Self = Self {
        colors: ColorOrder::Argb,
        cells: Layout::Old,
    };

    /// The dialect by the date of a file; without a date, that of current files (fact sheet 8.20).
    pub fn of(metadata: &Metadata) -> Self {
        /// Date of the engine's change to the current colours.
        const NEW_COLORS: &str = "2025-03-01";
        /// Date of the engine's change to the new cell layout.
        const NEW_CELLS: &str = "2025-04-14";
        let now = Self::default();
        let Some(date) = metadata.date() else {
            return now;
        };
        Self {
            colors: if &*date < NEW_COLORS {
                ColorOrder::Argb
            } else {
                now.colors
            },
            cells: if &*date < NEW_CELLS {
                Layout::Old
            } else {
                now.cells
            },
        }
    }
}

impl Metadata {
    /// Names of the tags with the date of the map, in order of preference.
    pub(in crate::ppe) const DATES: [&str; 2] = ["DateOfLastModification", "DateOfCreation"];

    /// Date of the last change or else of the creation, as `2025-04-14`, if the map has one.
    pub fn date(&self) -> Option<String> {
        let mut dates = Self::DATES.iter().filter_map(|name| {
            let tag = self.other.iter().find(|tag| tag.is("", name))?;
            let (Value::Time(text) | Value::Text(text)) = tag.values.first()? else {
                return None;
            };
            // `SDLang` has slashes, XDL has hyphens.
            let date = text.get(..10)?.replace('/', "-");
            let is_good = |(i, c): (usize, char)| match i {
                4 | 7 => c == '-',
                _ => c.is_ascii_digit(),
            };
            date.chars().enumerate().all(is_good).then_some(date)
        });
        dates.next()
    }
}

/// A palette: colours and their offset in the palette of the map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Palette {
    /// Location of the colours.
    pub source: PaletteSource,
    /// Exponent of the number of colours to use: 2 to this power, if the file states it.
    pub pal_shift: Option<u32>,
    /// Offset of the first colour in the palette of the map.
    pub offset: u32,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Position in the file.
    pub at: At,
}

/// Location of the colours of a palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaletteSource {
    /// In an image; its path as in the file.
    File(String),
    /// Embedded in the container.
    Embedded {
        /// The name of the palette.
        name: Option<String>,
        /// The bytes of each colour as in the file; [`ColorOrder`] defines their order.
        colors: Vec<[u8; 4]>,
    },
}

impl Default for PaletteSource {
    fn default() -> Self {
        Self::File(String::new())
    }
}

/// An image of a sprite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpriteSource {
    /// Identifier by which sprites refer to it.
    pub id: i32,
    /// The path of the image as in the file.
    pub path: String,
    /// The name.
    pub name: Option<String>,
    /// Left, top, width and height of the part of the image to use, if it is not the whole image.
    pub part: Option<[i32; 4]>,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Position in the file.
    pub at: At,
}

/// An image of several sprites.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpriteSheet {
    /// The path of the image as in the file.
    pub path: String,
    /// The sprites in it.
    pub sprites: Vec<SheetSprite>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags, including the containers of the sprites without the sprites.
    pub other: Vec<Tag>,
    /// Position in the file.
    pub at: At,
    /// `true` if the text ends inside it, so that sprites may be missing.
    pub is_cut: bool,
}

/// A sprite of a sheet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SheetSprite {
    /// Identifier by which sprites refer to it.
    pub id: i32,
    /// Left, top, width and height of its part of the image.
    pub part: [i32; 4],
    /// The name.
    pub name: Option<String>,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
}

/// An object at a position in a layer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    /// The name.
    pub name: String,
    /// Identifier in the game. Sprites are drawn in ascending order of it.
    pub id: i32,
    /// Its shape.
    pub shape: Shape,
    /// `true` if it takes part in collisions.
    pub to_collision: bool,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags.
    pub other: Vec<Tag>,
    /// Position in the file.
    pub at: At,
}

/// The shape of an [`Object`]. Positions are in pixels of the layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A box: left, top, right and bottom, inclusive.
    Box([i32; 4]),
    /// A sprite.
    Sprite(Sprite),
    /// A sprite that is drawn between four corners: upper left, which is [`Sprite::position`],
    /// upper right, lower left and lower right.
    QuadSprite(Sprite, [[i32; 2]; 3]),
    /// A line through points, from the first to the last.
    Polyline {
        /// The points.
        points: Vec<Point>,
        /// `true` if it continues to the first point.
        is_closed: bool,
    },
    /// Four corners: upper left, upper right, lower left, lower right.
    Quad([[i32; 2]; 4]),
    /// An unknown shape; `values` has the values after the identifier.
    Other {
        /// The name of the tag.
        kind: String,
        /// The values without the name and the identifier.
        values: Vec<Value>,
    },
}

impl Default for Shape {
    fn default() -> Self {
        Self::Box([0; 4])
    }
}

impl Shape {
    /// The name of its tag.
    pub fn kind(&self) -> &str {
        match self {
            Self::Box(_) => "Box",
            Self::Sprite(_) => "Sprite",
            Self::QuadSprite(..) => "QuadSprite",
            Self::Polyline { .. } => "Polyline",
            Self::Quad(_) => "Quad",
            Self::Other { kind, .. } => kind,
        }
    }
}

/// A sprite of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sprite {
    /// The image, by the identifier of a [`SpriteSource`] or [`SheetSprite`].
    pub source: i32,
    /// Position of its top left corner.
    pub position: [i32; 2],
    /// Scale factors in units of 1/1024; negative values mirror it.
    pub scale: [Option<i32>; 2],
    /// Position of its lower right corner along X and Y; `None` for the size of the image. A corner
    /// on the other side of the upper left one mirrors the sprite.
    pub corner: [Option<i32>; 2],
    /// `true` if it is mirrored left to right, and upside down.
    pub mirror: [Option<bool>; 2],
    /// The palette.
    pub palette: u32,
    /// Exponent of the palette size: 2 to this power colours.
    pub pal_shift: Option<u32>,
    /// Opacity; 255 is opaque.
    pub alpha: Option<u8>,
}

/// A point of a line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point {
    /// Its position.
    pub position: [i32; 2],
    /// Bezier control points of the line from the previous point: none, one or two.
    pub controls: Vec<[i32; 2]>,
    /// Other tags.
    pub other: Vec<Tag>,
}

/// Strips the name of the root folder, such as `%PATH%/`, and leading `./` and `../` from a path.
/// The result can be looked up below a folder.
pub fn path_below_root(path: &str) -> &str {
    let mut rest = path;
    if let Some((_, after)) = rest.strip_prefix('%').and_then(|name| name.split_once('%')) {
        rest = after;
    }
    loop {
        let trimmed = rest.trim_start_matches(['/', '\\']);
        let mut parents = ["./", ".\\", "../", "..\\"].into_iter();
        match parents.find_map(|up| trimmed.strip_prefix(up)) {
            Some(after) => rest = after,
            None => return trimmed,
        }
    }
}
