//! XMF, the container of maps: layers with their map data, tile sheets, palettes, sprites and
//! objects, as `SDLang` text (fact sheet 7).
//!
//! Tags and attributes that the format does not name are kept, so that writing loses nothing.

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
    /// How the file is packed.
    pub packing: Packing,
    /// What the map says of itself.
    pub metadata: Metadata,
    /// Layers in the order of the file. They are drawn by [`XmfLayer::priority`].
    pub layers: Vec<XmfLayer>,
    /// Palettes of all layers.
    pub palettes: Vec<Palette>,
    /// Other tags outside of layers.
    pub other: Vec<Tag>,
    /// Whether the text ends before all is said of the map: its name, version and screen.
    pub is_head_cut: bool,
    /// Whether layers, palettes and other tags are missing.
    pub is_cut: bool,
    /// Everything that is wrong with the file, in file order.
    pub problems: Vec<Problem>,
}

/// How the text of an XMF file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Not at all: `.xmf`.
    #[default]
    Text,
    /// `ZLIB` and a zlib stream.
    Zlib,
    /// `ZSTD` and a Zstandard frame.
    Zstd,
}

/// What a map says of itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata {
    /// Major and minor version of the format.
    pub version: Option<[i64; 2]>,
    /// The name of the map.
    pub name: Option<String>,
    /// Width and height of the screen that the map is made for, in pixels.
    pub resolution: Option<[u32; 2]>,
    /// Other tags: `Software`, `Creator`, `DateOfCreation` and more.
    pub other: Vec<Tag>,
    /// Attributes, of which the format names none.
    pub attributes: Vec<Attribute>,
}

/// What kind of layer one is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LayerKind {
    /// Cells with tiles.
    #[default]
    Tile,
    /// Cells with tiles that the game turns and stretches.
    TransformableTile,
    /// Sprites.
    Sprite,
    /// Something that the engine refuses.
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

    /// Whether there are cells.
    pub fn has_tiles(&self) -> bool {
        matches!(self, Self::Tile | Self::TransformableTile)
    }
}

/// What is seen outside of a layer's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepeatMode {
    /// Nothing.
    #[default]
    Off,
    /// The map again and again.
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
    /// Layers are drawn in ascending order. It is their identifier too.
    pub priority: i32,
    /// Width and height of tiles in pixels; 0 without tiles.
    pub tile_size: [u32; 2],
    /// Columns and rows; 0 both without tiles, and where the file does not say them. The header of a
    /// map file wins over it.
    pub size: [u32; 2],
    /// Where the cells are.
    pub map: Option<MapSource>,
    /// Attributes of the tag that says where the cells are, such as `dataPakSrc`.
    pub map_attributes: Vec<Attribute>,
    /// Tile sheets.
    pub tile_sources: Vec<TileSource>,
    /// Priorities of layers whose tile sheets this one uses too (`Shared:TileData`).
    pub shared_tiles: Vec<i32>,
    /// What is seen outside of the cells.
    pub repeat: RepeatMode,
    /// How fast the layer scrolls along X and Y, where the file says it.
    pub scroll_rate: [Option<f64>; 2],
    /// How the layer is mixed with those below, such as `AlphaBlend`.
    pub rendering_mode: Option<String>,
    /// Images of sprites.
    pub sprite_sources: Vec<SpriteSource>,
    /// Images of several sprites.
    pub sprite_sheets: Vec<SpriteSheet>,
    /// Palettes that come with the layer.
    pub palettes: Vec<Palette>,
    /// Boxes, sprites and shapes.
    pub objects: Vec<Object>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags.
    pub other: Vec<Tag>,
    /// Where it is in the file.
    pub at: At,
    /// Whether the text ends inside it, so that anything of it may be missing.
    pub is_cut: bool,
}

/// Where the cells of a layer are.
#[derive(Debug, Clone, PartialEq)]
pub enum MapSource {
    /// In a file of map data.
    File {
        /// The path as the file has it.
        path: String,
        /// Where it is said.
        at: At,
    },
    /// In the file itself: raw cells without header, of the new layout as files are written now,
    /// of the old one before 2025-04-14 (fact sheet 8.20).
    Embedded {
        /// The raw bits of cells, row by row.
        cells: Vec<u32>,
        /// Where it is said.
        at: At,
    },
    /// In another layer.
    Shared {
        /// The priority of that layer.
        layer: i32,
        /// Where it is said.
        at: At,
    },
}

/// A tile sheet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileSource {
    /// The path of the image as the file has it.
    pub path: String,
    /// Palettes of its tiles have 2 to the power of this colours.
    pub pal_shift: Option<u32>,
    /// Where in the palette of the map its own colours go, where the file says it.
    pub offset: Option<u32>,
    /// The tiles that are used of it; none if it does not say, as where the image does.
    pub tiles: Option<Vec<TileInfo>>,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags.
    pub other: Vec<Tag>,
    /// Where it is in the file.
    pub at: At,
    /// Whether the text ends inside it, so that tiles may be missing.
    pub is_cut: bool,
}

/// A tile of a sheet: two numbers, of which it is disputed which is which.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TileInfo {
    /// The first number.
    pub first: u32,
    /// The second number.
    pub second: u32,
    /// The name of the tile.
    pub name: String,
    /// Where it is in the file.
    pub at: At,
}

/// How the numbers of [`TileInfo`] are read (fact sheet 8.18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TileOrder {
    /// The identifier, then the place in the sheet: as the document says and the editor writes.
    #[default]
    IdFirst,
    /// The place in the sheet, then the identifier: as the engine's loader reads.
    IndexFirst,
}

impl TileInfo {
    /// The identifier that cells name the tile by.
    pub fn id(&self, order: TileOrder) -> u32 {
        match order {
            TileOrder::IdFirst => self.first,
            TileOrder::IndexFirst => self.second,
        }
    }

    /// The place in the sheet, row by row from the top left.
    pub fn index(&self, order: TileOrder) -> u32 {
        match order {
            TileOrder::IdFirst => self.second,
            TileOrder::IndexFirst => self.first,
        }
    }
}

/// The order of the bytes of an embedded colour, which has changed with the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorOrder {
    /// Alpha, blue, green, red: what the engine has written since March 2025.
    #[default]
    Abgr,
    /// Alpha, red, green, blue: what it wrote before.
    Argb,
}

impl ColorOrder {
    /// A colour of [`PaletteSource::Embedded`] as red, green, blue and alpha.
    pub fn rgba(self, color: [u8; 4]) -> [u8; 4] {
        let [alpha, first, green, last] = color;
        match self {
            Self::Abgr => [last, green, first, alpha],
            Self::Argb => [first, green, last, alpha],
        }
    }
}

/// How embedded data of a container is read, which does not say how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The bytes of embedded colours.
    pub colors: ColorOrder,
    /// The layout of embedded cells.
    pub cells: Layout,
}

impl Default for Dialect {
    /// As files are written now.
    fn default() -> Self {
        Self {
            colors: ColorOrder::default(),
            cells: Layout::New,
        }
    }
}

impl Dialect {
    /// As files were written before 2025.
    pub const OLD: Self = Self {
        colors: ColorOrder::Argb,
        cells: Layout::Old,
    };

    /// As a file was written that says when that was; else as files are written now (fact sheet
    /// 8.20).
    pub fn of(metadata: &Metadata) -> Self {
        /// When the engine began to write colours as it does now.
        const NEW_COLORS: &str = "2025-03-01";
        /// When it began to write cells in the new layout.
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
    /// The names of the tags that say when the map was made, the best first.
    pub(in crate::ppe) const DATES: [&str; 2] = ["DateOfLastModification", "DateOfCreation"];

    /// When the map was last changed or else made, as `2025-04-14`, if it says so.
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

/// A palette: colours and where they go in the palette of the map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Palette {
    /// Where the colours are.
    pub source: PaletteSource,
    /// Only 2 to the power of this colours are taken, where the file says it.
    pub pal_shift: Option<u32>,
    /// Where the first one goes.
    pub offset: u32,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Where it is in the file.
    pub at: At,
}

/// Where the colours of a palette are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaletteSource {
    /// In an image, by its path as the file has it.
    File(String),
    /// In the file itself.
    Embedded {
        /// The name of the palette.
        name: Option<String>,
        /// The bytes of each colour as the file has them; [`ColorOrder`] makes sense of them.
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
    /// What sprites name it by.
    pub id: i32,
    /// The path of the image as the file has it.
    pub path: String,
    /// The name.
    pub name: Option<String>,
    /// Left, top, width and height of the part of the image that it is, if it is a part.
    pub part: Option<[i32; 4]>,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Where it is in the file.
    pub at: At,
}

/// An image of several sprites.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpriteSheet {
    /// The path of the image as the file has it.
    pub path: String,
    /// The sprites in it.
    pub sprites: Vec<SheetSprite>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags, and those that hold the sprites without these.
    pub other: Vec<Tag>,
    /// Where it is in the file.
    pub at: At,
    /// Whether the text ends inside it, so that sprites may be missing.
    pub is_cut: bool,
}

/// A sprite of a sheet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SheetSprite {
    /// What sprites name it by.
    pub id: i32,
    /// Left, top, width and height of its part of the image.
    pub part: [i32; 4],
    /// The name.
    pub name: Option<String>,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
}

/// Something that is at a place of a layer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    /// The name.
    pub name: String,
    /// What the game knows it by: sprites are drawn in ascending order.
    pub id: i32,
    /// What it is.
    pub shape: Shape,
    /// Whether things bump into it.
    pub to_collision: bool,
    /// Other attributes.
    pub attributes: Vec<Attribute>,
    /// Other tags.
    pub other: Vec<Tag>,
    /// Where it is in the file.
    pub at: At,
}

/// What an [`Object`] is. Places are in pixels of the layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A box: left, top, right and bottom. The last pixel is part of it.
    Box([i32; 4]),
    /// A sprite.
    Sprite(Sprite),
    /// A sprite that is drawn between four corners: upper left, which is [`Sprite::position`], upper
    /// right, lower left and lower right.
    QuadSprite(Sprite, [[i32; 2]; 3]),
    /// A line through points, from the first to the last.
    Polyline {
        /// The points.
        points: Vec<Point>,
        /// Whether it goes on to the first point.
        is_closed: bool,
    },
    /// Four corners: upper left, upper right, lower left, lower right.
    Quad([[i32; 2]; 4]),
    /// Something else; the values that follow the identifier are in `values`.
    Other {
        /// The name of the tag.
        kind: String,
        /// The values but the name and the identifier.
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
    /// Where its top left corner is.
    pub position: [i32; 2],
    /// How large it is drawn; 1024 is once, and less than 0 mirrors it.
    pub scale: [Option<i32>; 2],
    /// Where its lower right corner is, along X and Y; it is as large as its image where nothing
    /// is said. On the other side of the upper left corner it mirrors the sprite.
    pub corner: [Option<i32>; 2],
    /// Whether it is mirrored left to right, and upside down.
    pub mirror: [Option<bool>; 2],
    /// The palette.
    pub palette: u32,
    /// Palettes have 2 to the power of this colours.
    pub pal_shift: Option<u32>,
    /// How opaque it is: 255 is wholly.
    pub alpha: Option<u8>,
}

/// A point of a line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point {
    /// Where it is.
    pub position: [i32; 2],
    /// The points that bend the line to it from the one before: none, one or two.
    pub controls: Vec<[i32; 2]>,
    /// Other tags.
    pub other: Vec<Tag>,
}

/// A path without the name of the folder that it begins at, such as `%PATH%/`, and without `./`
/// and `../`: what can be looked for below a folder.
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
