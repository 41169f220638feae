//! What an open file offers to whoever shows it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;

use super::camera::Handedness;
use super::level::Map;
use super::listing::{
    Branch, ChunkMap, LayerInfo, Light, Part, Picture, Sheet, SheetFace, TilesetInfo,
};
use super::model::Model;
use super::playback::{ClipInfo, Curve, Playhead};
use super::shown::{Overlay, Shown};
use super::terrain::Terrain;
use super::tilemap::{FlatPicture, TileMap};
use mapscope_formats::{Format, Problem};

/// An axis-aligned box in world space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Aabb {
    /// The least corner.
    pub min: Vec3,
    /// The greatest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box around some points; none without any.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let one = Self {
            min: first,
            max: first,
        };
        Some(points.fold(one, |all, point| Self {
            min: all.min.min(point),
            max: all.max.max(point),
        }))
    }

    /// The box around this one and another.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The middle of the box.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Half the diagonal: the radius of a sphere around the box.
    pub fn radius(&self) -> f32 {
        (self.max - self.min).length() * 0.5
    }

    /// How far a point is from the box; 0 inside.
    pub fn distance(&self, point: Vec3) -> f32 {
        point.clamp(self.min, self.max).distance(point)
    }

    /// The eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f32, high: f32| if i & bit == 0 { low } else { high };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }
}

/// A half-line in world space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vec3,
    /// Where it goes, of length 1.
    pub direction: Vec3,
}

/// Something in a document that can be pointed at, selected and described.
///
/// What the numbers mean is up to the document; they stay the same when the file is loaded
/// again, so that a selection outlives a reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Item {
    /// What it is, such as `tile` or `material`.
    pub kind: &'static str,
    /// Which of its kind.
    pub index: u64,
}

/// Where an item is that is numbered row by row: its number depends on how long the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridPlace {
    /// Which grid of the document, such as a layer; 0 where there is only one.
    pub grid: u64,
    /// The row, from 0.
    pub row: u64,
    /// The column, from 0.
    pub column: u64,
}

/// Where a ray meets a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// What was hit.
    pub item: Item,
    /// Where, in world space.
    pub position: Vec3,
    /// Distance from the origin of the ray, in world units.
    pub distance: f32,
}

/// From where an item can be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeenFrom {
    /// From anywhere: much is in it, or it is drawn through all else.
    Anywhere,
    /// From all sides, if nothing is between it and the eye.
    AllAround,
    /// The same, and only from before its surface.
    Before {
        /// The middle of the surface, in world space.
        middle: Vec3,
        /// Where it faces, in world space, of length 1.
        normal: Vec3,
    },
}

/// How the game that a document is for is seen by its players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameView {
    /// From high above the ground at a slant, as in a real-time strategy game.
    FromAbove,
    /// Through the eyes of someone who stands in it.
    FirstPerson,
}

/// Where a player begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spawn {
    /// In world space.
    pub place: Vec3,
    /// The direction in which the player looks, level, in world space, of length 1.
    pub ahead: Vec3,
}

/// A direction on the map, for walking from an item to its neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the compass needs no words")]
pub enum Direction {
    North,
    East,
    South,
    West,
}

/// A line of the outline: an item, or a heading with items under it.
#[derive(Debug, Clone)]
pub struct OutlineNode {
    /// What the line says.
    pub label: String,
    /// What a click on it selects.
    pub item: Option<Item>,
    /// A small note at the end of the line, such as a count.
    pub note: String,
    /// A picture or colour before the line.
    pub swatch: Option<Swatch>,
    /// Lines below it.
    pub children: Vec<OutlineNode>,
}

/// A small picture of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Swatch {
    /// The thumbnail with this index (see [`Document::thumbnail`]).
    Thumbnail(usize),
    /// A plain colour, red, green and blue.
    Color([u8; 3]),
}

/// A headed list of what is known of an item.
#[derive(Debug, Clone)]
pub struct PropertyGroup {
    /// The heading.
    pub title: &'static str,
    /// Lines in reading order.
    pub properties: Vec<Property>,
}

/// One thing that is known of an item.
#[derive(Debug, Clone)]
pub struct Property {
    /// The name of the field.
    pub name: &'static str,
    /// Its value, for people.
    pub value: String,
    /// A picture or colour beside the value.
    pub swatch: Option<Swatch>,
    /// Where a click on the value leads.
    pub link: Option<Item>,
    /// The value as text of the file, in spans coloured by the field they belong to.
    /// When this is not empty it is shown in place of `value`.
    pub spans: Vec<TextSpan>,
    /// Bytes to be shown as rows of numbers and letters. When there are any they are shown in
    /// place of `value`, across the whole width.
    pub bytes: Arc<[u8]>,
}

impl Property {
    /// A property that is bytes of a file.
    pub fn dump(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            bytes: bytes.into(),
            ..Self::new("Bytes", "")
        }
    }

    /// A property that is a name and a text.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            swatch: None,
            link: None,
            spans: Vec::new(),
            bytes: Arc::default(),
        }
    }
}

/// A piece of a file's text and the field it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSpan {
    /// The characters as they stand in the file.
    pub text: String,
    /// The field, for a tooltip.
    pub field: &'static str,
    /// Which of the palette's colours the field has; spans of the same field have the same.
    pub color_index: usize,
}

/// A part of the line about an item in the status bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryPart {
    /// What it is, such as `Row`.
    pub name: &'static str,
    /// Its value, for people.
    pub value: String,
    /// How many characters the longest such value of the document has, so that what follows
    /// stays in its place while the pointer moves on.
    pub width: usize,
}

impl SummaryPart {
    /// A part that stands alone, or last, and may be as wide as it is.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            width: 0,
        }
    }
}

/// A number about the whole document.
#[derive(Debug, Clone)]
pub struct Statistic {
    /// What is counted.
    pub name: &'static str,
    /// The number, for people.
    pub value: String,
}

/// What colours mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// What is coloured.
    pub title: &'static str,
    /// Its colours.
    pub entries: Vec<LegendEntry>,
}

/// A colour of an overlay and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegendEntry {
    /// Red, green and blue.
    pub color: [u8; 3],
    /// What the colour means.
    pub label: String,
}

/// A line of an overlay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Where it begins and ends, in world space.
    pub ends: [Vec3; 2],
    /// Red, green, blue and opacity.
    pub color: [u8; 4],
    /// How wide it is, in pixels of a plain screen.
    pub width_points: f32,
    /// Whether it is seen through what is in front of it.
    pub on_top: bool,
}

/// A text at a place of the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The place, in world space.
    pub position: Vec3,
    /// How much room there is around the place for a text that is to stand in the middle of it, in
    /// world units across the picture: it is left out where it does not fit. None for a text that
    /// stands to the right of its place.
    pub room: Option<f32>,
    /// What it says.
    pub text: String,
    /// Red, green and blue.
    pub color: [u8; 3],
}

/// One of the kinds of thing that a map is built of, such as a tile type.
#[derive(Debug, Clone)]
pub struct Kind {
    /// The item that stands for all of this kind: selecting it highlights them.
    pub item: Item,
    /// Its name.
    pub name: &'static str,
    /// How a file writes it, such as a hexadecimal digit.
    pub code: String,
    /// How many of it the document has.
    pub count: u64,
}

/// What the renderer can draw, one variant for each way of drawing.
#[derive(Debug, Clone, Copy)]
pub enum Drawable<'a> {
    /// Tile terrain.
    Terrain(&'a Terrain),
    /// A mesh that joints move.
    Model(&'a Model),
    /// A map of cubes.
    Level(&'a Map),
    /// Layers of 2D tiles.
    Tiles(&'a TileMap),
}

/// An open file: what can be drawn, pointed at, listed and said of it.
pub trait Document: fmt::Debug + Send + Sync {
    /// The format it was read as.
    fn format(&self) -> &'static Format;

    /// The version that the file states.
    fn version(&self) -> String;

    /// Everything that is wrong with the file and the files it names, in file order.
    fn problems(&self) -> &[Problem];

    /// What it occupies in world space: all its parts together.
    fn bounds(&self) -> Aabb;

    /// Which way round its world is.
    fn handedness(&self) -> Handedness;

    /// How it is drawn.
    fn drawable(&self) -> Drawable<'_>;

    /// Its parts, if one is shown at a time ([`Shown::part`]); the first one is shown first.
    fn parts(&self) -> &[Part] {
        &[]
    }

    /// What a part occupies in world space; all of the document if it shows all at once.
    fn part_bounds(&self, part: usize) -> Aabb {
        let part = self.parts().get(part);
        part.map_or_else(|| self.bounds(), |part| part.bounds)
    }

    /// What is shown of it occupies in world space in the course of what plays: for framing it.
    fn bounds_in_view(&self, shown: &Shown) -> Aabb {
        self.part_bounds(shown.part)
    }

    /// How its game shows it.
    fn game_view(&self) -> GameView {
        GameView::FromAbove
    }

    /// Where a player begins in a part, if it says so.
    fn spawn(&self, part: usize) -> Option<Spawn> {
        let _ = part;
        None
    }

    /// The part that an item belongs to; none for one that belongs to all.
    fn part_of(&self, item: Item) -> Option<usize> {
        let _ = item;
        None
    }

    /// The tree that the outliner shows.
    fn outline(&self) -> Vec<OutlineNode>;

    /// Its clips, in the order of the file. Empty for what does not move.
    fn clips(&self) -> &[ClipInfo] {
        &[]
    }

    /// How the numbers of an item run over a clip, by its index in [`Document::clips`]; empty for
    /// an item that has none.
    fn curves(&self, item: Item, clip: usize) -> Vec<Curve> {
        let _ = (item, clip);
        Vec::new()
    }

    /// Whether anything that is said of an item changes while a clip plays.
    fn follows_playhead(&self, item: Item) -> bool {
        let _ = item;
        !self.clips().is_empty()
    }

    /// The first thing that a ray meets of what is shown.
    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit>;

    /// One line about an item, for the status bar. Where the pointer is on it need not be said.
    fn summary(&self, item: Item) -> Vec<SummaryPart>;

    /// The same for the pointer at a place in world space, if what else is there is to be said too.
    fn summary_shown(&self, item: Item, at: Option<Vec3>, shown: &Shown) -> Vec<SummaryPart> {
        let _ = (at, shown);
        self.summary(item)
    }

    /// Whether an item stands for something that the file does not have or that cannot be read, so
    /// that where it lies says nothing.
    fn is_placeholder(&self, item: Item) -> bool {
        let _ = item;
        false
    }

    /// Everything about an item at a moment, for the inspector. Empty for an item that is not
    /// there.
    fn properties(&self, item: Item, playhead: Playhead) -> Vec<PropertyGroup>;

    /// Where an item is in world space at a moment, for framing it.
    fn item_bounds(&self, item: Item, playhead: Playhead) -> Option<Aabb>;

    /// The same where the document is shown, if its parts are not always in the same place.
    fn bounds_shown(&self, item: Item, shown: &Shown) -> Option<Aabb> {
        self.item_bounds(item, shown.playhead)
    }

    /// From where an item can be seen where the document is shown.
    fn seen_from(&self, item: Item, shown: &Shown) -> SeenFrom {
        let _ = (item, shown);
        SeenFrom::Anywhere
    }

    /// Line segments in world space that outline an item in the view at a moment.
    fn item_outline(&self, item: Item, playhead: Playhead) -> Vec<[Vec3; 2]>;

    /// The same where the document is shown, if its parts are not always in the same place.
    fn outline_shown(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        self.item_outline(item, shown.playhead)
    }

    /// Adds the lines of the overlays that are on to those in `lines`.
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        let _ = (shown, lines);
    }

    /// Adds the texts of the overlays that are on to those in `labels`, the most important first:
    /// of texts that would lie upon each other only the first is shown.
    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        let _ = (shown, labels);
    }

    /// Whether what is shown covers a place so far along a ray from the eye, so that a text there
    /// is not to be read. What is seen through everything, such as bones, has its texts covered by
    /// nothing.
    fn covers(&self, ray_in_world: Ray, distance: f32, shown: &Shown) -> bool {
        let _ = (ray_in_world, distance, shown);
        false
    }

    /// The item at a place of the part that is shown that lists what is seen from there; none where
    /// nothing does.
    fn visibility_at(&self, eye: Vec3, shown: &Shown) -> Option<Item> {
        let _ = (eye, shown);
        None
    }

    /// The item next to another.
    fn neighbor(&self, item: Item, direction: Direction) -> Option<Item>;

    /// What the item next to another is called in a menu, and what it is, where that is not what
    /// the direction says.
    fn neighbor_name(&self, item: Item, direction: Direction) -> Option<[&'static str; 2]> {
        let _ = (item, direction);
        None
    }

    /// Where an item is on a grid, if it is numbered row by row: there it is found again when the
    /// grid has grown.
    fn grid_place(&self, item: Item) -> Option<GridPlace> {
        let _ = item;
        None
    }

    /// The item of a kind at such a place.
    fn item_on_grid(&self, kind: &'static str, place: GridPlace) -> Option<Item> {
        let _ = (kind, place);
        None
    }

    /// The item that a problem is about.
    fn problem_item(&self, problem: &Problem) -> Option<Item>;

    /// Where in the clip that is [`Self::problem_item`] a problem is.
    fn problem_frame(&self, problem: &Problem) -> Option<ProblemFrame> {
        let _ = problem;
        None
    }

    /// The file that an item stands for, if it is one to be opened.
    fn file_of(&self, item: Item) -> Option<PathBuf> {
        let _ = item;
        None
    }

    /// The overlays it offers.
    fn overlays(&self) -> &'static [Overlay];

    /// What the colours of an overlay mean.
    fn legend(&self, overlay_id: &str) -> Vec<LegendEntry>;

    /// What the colours mean that a selection brings out, and what is coloured.
    fn selection_legend(&self, item: Item) -> Option<Legend> {
        let _ = item;
        None
    }

    /// The kinds of thing it is built of, for the panel that shows and counts them.
    fn kinds(&self) -> Vec<Kind>;

    /// The item of a kind, or of what else items are counted by, that follows (or precedes)
    /// another, going round at the end.
    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item>;

    /// What is hidden ([`Shown::hidden`]) for an item not to be seen: itself, if it can be, or
    /// what it is made of, such as the material of a face.
    fn hidden_with(&self, item: Item) -> Option<Item> {
        let _ = item;
        None
    }

    /// Why there is nothing to be seen of a part, as a sentence; none where there may be.
    fn emptiness(&self, part: usize) -> Option<String> {
        let _ = part;
        None
    }

    /// The lights of a part that can be switched.
    fn lights(&self, part: usize) -> Vec<Light> {
        let _ = part;
        Vec::new()
    }

    /// The lines of a tree too large for the outline: those below an item, or the first ones of a
    /// part.
    fn branches(&self, part: usize, below: Option<Item>) -> Vec<Branch> {
        let _ = (part, below);
        Vec::new()
    }

    /// The item in the tree of [`Document::branches`] above another.
    fn branch_above(&self, item: Item) -> Option<Item> {
        let _ = item;
        None
    }

    /// Items in the tree of [`Document::branches`] of a part that a text finds, at most so many,
    /// in the order of the tree.
    fn find_branches(&self, part: usize, text: &str, most: usize) -> Vec<Branch> {
        let _ = (part, text, most);
        Vec::new()
    }

    /// The chunks of a part, if it is made of such.
    fn chunk_map(&self, part: usize) -> Option<ChunkMap> {
        let _ = part;
        None
    }

    /// The sheets of a part, such as lightmaps.
    fn sheets(&self, part: usize) -> Vec<Sheet> {
        let _ = part;
        Vec::new()
    }

    /// The picture of a sheet with the lights that shine: RGBA bytes from the top left.
    fn sheet_picture(&self, sheet: Item, shown: &Shown) -> Option<Vec<u8>> {
        let _ = (sheet, shown);
        None
    }

    /// The faces on a sheet.
    fn sheet_faces(&self, sheet: Item) -> Vec<SheetFace> {
        let _ = sheet;
        Vec::new()
    }

    /// Its layers, from the bottom to the top, if it is made of such.
    fn layers(&self) -> Vec<LayerInfo> {
        Vec::new()
    }

    /// What its layers take their tiles from.
    fn tilesets(&self) -> Vec<TilesetInfo> {
        Vec::new()
    }

    /// The picture of a tile as it is at a moment.
    fn tile_picture(&self, tile: Item, playhead: Playhead) -> Option<Picture> {
        let _ = (tile, playhead);
        None
    }

    /// The item of a tile of a tileset, by its index in [`TilesetInfo::uses`].
    fn tile_item(&self, tileset: Item, index: usize) -> Option<Item> {
        let _ = (tileset, index);
        None
    }

    /// How far apart its layers are along Y unless it is said otherwise
    /// ([`Shown::layer_gap`]), in world units. Only of what is made of layers.
    fn usual_layer_gap(&self) -> f32 {
        0.0
    }

    /// The width and height of its picture when each of its pixels is one of the picture. Only of
    /// what is flat.
    fn flat_size(&self) -> Option<[u64; 2]> {
        None
    }

    /// Whether a flat picture of it goes on beyond its edges, across and down, as a map that is round
    /// does.
    fn flat_wraps(&self) -> [bool; 2] {
        [false; 2]
    }

    /// That picture. Only of what is flat.
    fn flat<'a>(&'a self, shown: &'a Shown) -> Option<FlatPicture<'a>> {
        let _ = shown;
        None
    }

    /// Numbers about the whole.
    fn statistics(&self) -> Vec<Statistic>;

    /// A thumbnail: width, height, and RGBA bytes from the top left.
    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])>;

    /// The files besides its own that it was made from or looked for, to be watched for changes.
    fn dependencies(&self) -> Vec<PathBuf>;

    /// Bytes of memory that it holds.
    fn cpu_bytes(&self) -> u64;

    /// How many columns and rows of tiles [`InfoQuery::tile`] may ask a 2D map for.
    fn tile_count(&self) -> Option<[u32; 2]> {
        None
    }

    /// The keys of `info --json` that are this format's own (contract, "info --json").
    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value>;
}

/// The moment that a problem is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemFrame {
    /// The frame, from 0.
    pub frame: u32,
    /// The overlay that shows what is wrong, if one does.
    pub overlay: Option<&'static str>,
}

/// What `info` was asked beyond the file as a whole.
#[derive(Debug, Clone, Default)]
pub struct InfoQuery {
    /// `--tile ROW,COL`: row and column in the whole map; of 2D maps `X,Y`, column and row of the
    /// map at rest.
    pub tile: Option<(u32, u32)>,
    /// `--height X,Z`, any number of times: world coordinates.
    pub heights: Vec<(f32, f32)>,
    /// `--cube LEVEL,Y,X,Z,INDEX`: the level, the place of the chunk in its grid, and the cube in
    /// the chunk.
    pub cube: Option<[u32; 5]>,
}
