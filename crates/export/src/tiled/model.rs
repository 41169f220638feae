//! A Tiled map in memory, from which both file formats are written. Names follow Tiled's JSON
//! format. All coordinates are in pixels of the map, x to the right and y down.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::cells::Cells;

/// Version of Tiled's format to write, the first one in which objects have a `type` again.
pub(super) const VERSION: &str = "1.10";

/// A whole map.
#[derive(Debug)]
pub(super) struct Map<'a> {
    /// Columns and rows of all layers.
    pub(super) size: [u32; 2],
    /// Width and height of the cells in pixels.
    pub(super) tile_size: [u32; 2],
    pub(super) properties: Vec<Property>,
    pub(super) tilesets: Vec<Tileset>,
    /// Layers from bottom to top. Their ids are their positions in the list, from 1.
    pub(super) layers: Vec<Layer<'a>>,
    /// The id of the last object plus 1.
    pub(super) next_object: u32,
}

/// A named property of a part of the map.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) value: Value,
}

/// The value of a property.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Whole(i32),
    Flag(bool),
}

/// A tileset: either a sheet of tiles of one size, or images of any sizes.
#[derive(Debug)]
pub(super) struct Tileset {
    /// The global id of its first tile.
    pub(super) first_gid: u32,
    pub(super) name: String,
    /// Tile size in pixels; for images, the maximum width and height.
    pub(super) tile_size: [u32; 2],
    pub(super) tile_count: u32,
    /// Number of columns in the sheet; 0 for images.
    pub(super) columns: u32,
    /// The sheet; `None` if tiles have their own images.
    pub(super) sheet: Option<Picture>,
    /// Tiles with properties, frames or images, in ascending order.
    pub(super) tiles: Vec<Tile>,
}

/// An image in a companion file of the map.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// The file name.
    pub(super) file: String,
    /// Width and height in pixels.
    pub(super) size: [u32; 2],
}

/// The data of a tile.
#[derive(Debug)]
pub(super) struct Tile {
    /// Its number in the tileset, from 0.
    pub(super) id: u32,
    pub(super) properties: Vec<Property>,
    /// The frames of its animation: tile and duration in milliseconds.
    pub(super) frames: Vec<[u32; 2]>,
    pub(super) picture: Option<Picture>,
}

/// A layer.
#[derive(Debug)]
pub(super) struct Layer<'a> {
    pub(super) name: String,
    pub(super) is_visible: bool,
    /// From 0 to 1.
    pub(super) opacity: f64,
    pub(super) offset: [f64; 2],
    /// Movement per pixel of camera movement.
    pub(super) parallax: [f64; 2],
    pub(super) properties: Vec<Property>,
    pub(super) content: Content<'a>,
}

/// The content of a layer.
#[derive(Debug)]
pub(super) enum Content<'a> {
    Tiles(Cells<'a>),
    /// Objects in drawing order.
    Objects(Vec<Object>),
}

/// An object.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) id: u32,
    pub(super) name: String,
    /// Its type.
    pub(super) class: &'static str,
    /// Its upper left corner; for an image, its lower left corner.
    pub(super) at: [f64; 2],
    pub(super) size: [f64; 2],
    pub(super) shape: Shape,
    pub(super) properties: Vec<Property>,
}

/// The shape of an object.
#[derive(Debug)]
pub(super) enum Shape {
    Rectangle,
    Point,
    /// Vertices relative to the position of the object.
    Line(Vec<[f64; 2]>),
    /// The global id of its tile.
    Tile(u32),
}

impl Property {
    pub(super) fn text(name: &str, value: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            value: Value::Text(value.into()),
        }
    }

    /// A number, or text if it exceeds the range of Tiled's integers.
    pub(super) fn number(name: &str, value: impl Into<u64>) -> Self {
        let value = value.into();
        let value =
            i32::try_from(value).map_or_else(|_| Value::Text(value.to_string()), Value::Whole);
        Self {
            name: name.to_owned(),
            value,
        }
    }
}

impl Serialize for Property {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        match &self.value {
            Value::Text(text) => {
                map.serialize_entry("type", "string")?;
                map.serialize_entry("value", text)?;
            }
            Value::Whole(number) => {
                map.serialize_entry("type", "int")?;
                map.serialize_entry("value", number)?;
            }
            Value::Flag(is_so) => {
                map.serialize_entry("type", "bool")?;
                map.serialize_entry("value", is_so)?;
            }
        }
        map.end()
    }
}

/// Adds a list, unless it is empty.
fn add_list<M: SerializeMap, T: Serialize>(
    map: &mut M,
    key: &'static str,
    list: &[T],
) -> Result<(), M::Error> {
    if list.is_empty() {
        return Ok(());
    }
    map.serialize_entry(key, list)
}

impl Picture {
    fn add_to<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("image", &self.file)?;
        map.serialize_entry("imagewidth", &self.size[0])?;
        map.serialize_entry("imageheight", &self.size[1])
    }
}

/// A tile and its duration in milliseconds.
struct Frame([u32; 2]);

impl Serialize for Frame {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self([tile, duration]) = self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("tileid", tile)?;
        map.serialize_entry("duration", duration)?;
        map.end()
    }
}

impl Serialize for Tile {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        add_list(&mut map, "properties", &self.properties)?;
        let frames: Vec<Frame> = self.frames.iter().copied().map(Frame).collect();
        add_list(&mut map, "animation", &frames)?;
        if let Some(picture) = &self.picture {
            picture.add_to(&mut map)?;
        }
        map.end()
    }
}

impl Serialize for Tileset {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("firstgid", &self.first_gid)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("tilewidth", &self.tile_size[0])?;
        map.serialize_entry("tileheight", &self.tile_size[1])?;
        map.serialize_entry("tilecount", &self.tile_count)?;
        map.serialize_entry("columns", &self.columns)?;
        map.serialize_entry("spacing", &0)?;
        map.serialize_entry("margin", &0)?;
        if let Some(sheet) = &self.sheet {
            sheet.add_to(&mut map)?;
        }
        add_list(&mut map, "tiles", &self.tiles)?;
        map.end()
    }
}

/// A vertex of a line.
struct Corner([f64; 2]);

impl Serialize for Corner {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self([x, y]) = self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("x", x)?;
        map.serialize_entry("y", y)?;
        map.end()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("type", self.class)?;
        map.serialize_entry("x", &self.at[0])?;
        map.serialize_entry("y", &self.at[1])?;
        map.serialize_entry("width", &self.size[0])?;
        map.serialize_entry("height", &self.size[1])?;
        map.serialize_entry("rotation", &0)?;
        map.serialize_entry("visible", &true)?;
        match &self.shape {
            Shape::Rectangle => {}
            Shape::Point => map.serialize_entry("point", &true)?,
            Shape::Line(corners) => {
                let corners: Vec<Corner> = corners.iter().copied().map(Corner).collect();
                map.serialize_entry("polyline", &corners)?;
            }
            Shape::Tile(gid) => map.serialize_entry("gid", gid)?,
        }
        add_list(&mut map, "properties", &self.properties)?;
        map.end()
    }
}

/// A layer with the map's size and its id.
struct LayerOf<'a>([u32; 2], usize, &'a Layer<'a>);

impl Serialize for LayerOf<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self([width, height], id, layer) = self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", id)?;
        map.serialize_entry("name", &layer.name)?;
        map.serialize_entry("visible", &layer.is_visible)?;
        map.serialize_entry("opacity", &layer.opacity)?;
        map.serialize_entry("x", &0)?;
        map.serialize_entry("y", &0)?;
        let axes = [("offsetx", "parallaxx", 0), ("offsety", "parallaxy", 1)];
        for (offset, parallax, axis) in axes {
            if layer.offset[axis] != 0.0 {
                map.serialize_entry(offset, &layer.offset[axis])?;
            }
            if layer.parallax[axis] != 1.0 {
                map.serialize_entry(parallax, &layer.parallax[axis])?;
            }
        }
        add_list(&mut map, "properties", &layer.properties)?;
        match &layer.content {
            Content::Tiles(cells) => {
                map.serialize_entry("type", "tilelayer")?;
                map.serialize_entry("width", width)?;
                map.serialize_entry("height", height)?;
                map.serialize_entry("data", &Data([*width, *height], cells))?;
            }
            Content::Objects(objects) => {
                map.serialize_entry("type", "objectgroup")?;
                map.serialize_entry("draworder", "index")?;
                map.serialize_entry("objects", objects)?;
            }
        }
        map.end()
    }
}

/// The cells of a layer with the map's size; they are never all in memory.
struct Data<'a>([u32; 2], &'a Cells<'a>);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self([width, height], cells) = *self;
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        to.collect_seq(rows.map(|at| cells.gid(at)))
    }
}

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("type", "map")?;
        map.serialize_entry("version", VERSION)?;
        map.serialize_entry("orientation", "orthogonal")?;
        map.serialize_entry("renderorder", "right-down")?;
        map.serialize_entry("infinite", &false)?;
        map.serialize_entry("width", &self.size[0])?;
        map.serialize_entry("height", &self.size[1])?;
        map.serialize_entry("tilewidth", &self.tile_size[0])?;
        map.serialize_entry("tileheight", &self.tile_size[1])?;
        map.serialize_entry("nextlayerid", &(self.layers.len() + 1))?;
        map.serialize_entry("nextobjectid", &self.next_object)?;
        add_list(&mut map, "properties", &self.properties)?;
        map.serialize_entry("tilesets", &self.tilesets)?;
        let layers = (1..).zip(&self.layers);
        let layers: Vec<LayerOf<'_>> = layers
            .map(|(id, layer)| LayerOf(self.size, id, layer))
            .collect();
        map.serialize_entry("layers", &layers)?;
        map.end()
    }
}
