//! What an open file offers to whoever shows it.

pub(crate) mod environment;
pub(crate) mod flat_image;
pub(crate) mod lists;
pub(crate) mod parts;
pub(crate) mod shown;

use std::any::Any;
use std::fmt;
use std::path::PathBuf;

use glam::{Affine3A, Vec3};

use self::environment::Environment;
use self::flat_image::FlatImage;
use self::lists::{
    Branch, ChunkMap, Image, LayerInfo, LevelInfo, Light, LightmapFace, LightmapInfo, NamedCamera,
    TilesetInfo,
};
use self::parts::Parts;
use self::shown::Shown;
use crate::assets::{NamedFile, Pending};
use crate::camera::Handedness;
use crate::core::item::Item;
use crate::core::overlay::{Overlay, OverlayId};
use crate::core::playback::{ClipInfo, Curve, OwnClip, Playhead};
use crate::core::rules::Fault;
use crate::describe::own::OwnLine;
use crate::describe::{
    Kind, Label, Legend, Line, OutlineNode, PropertyGroup, Statistic, SummaryPart,
};
use crate::geometry::{Aabb, Ray};
use mapscope_formats::{Format, Place, Problem, Problems};

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
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum SeenFrom {
    /// From anywhere: much is in it, or it is drawn through all else.
    #[default]
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

/// What is known of a document once it is open.
#[derive(Debug, Clone)]
pub struct About {
    /// The format it was read as.
    pub format: &'static Format,
    /// The version that the file states.
    pub version: String,
    /// Everything that is wrong with the file and the files it names, in file order.
    pub problems: Vec<Problem>,
    /// What it occupies in world space: all its levels together.
    pub bounds: Aabb,
    /// Which way round its world is.
    pub handedness: Handedness,
    /// How its game shows it.
    pub game_view: GameView,
    /// The overlays it offers.
    pub overlays: &'static [Overlay],
    /// The files besides its own that it was made from or looked for, to be watched for changes.
    pub dependencies: Vec<PathBuf>,
    /// The kinds of thing it is built of, for the panel that shows and counts them.
    pub kinds: Vec<Kind>,
    /// Bytes of memory that it holds.
    pub cpu_bytes: u64,
}

impl About {
    /// The same with what turned out to be wrong later.
    pub(crate) fn with_faults(&self, faults: &[Fault], place: Place) -> Self {
        let mut about = self.clone();
        about.add_faults(faults, place);
        about
    }

    /// Adds what is wrong with a file that is named at a place.
    pub(crate) fn add_faults(&mut self, faults: &[Fault], place: Place) {
        let mut problems = Problems::new();
        for (rule, message) in faults {
            problems.add(rule, place, || message.clone());
        }
        self.problems.extend(problems.finish());
        self.problems.sort_by_key(|problem| problem.place);
    }
}

/// Something that a renderer draws: content, in any number of places. What of the same content is
/// named several times is on the GPU once, and models are drawn together wherever they stand.
#[derive(Debug, Clone, Copy)]
pub struct Drawable<'a> {
    /// What is drawn. Each renderer knows the type that it draws, such as
    /// [`Terrain`](crate::terrain::Terrain).
    pub content: &'a (dyn Any + Send + Sync),
    /// Another number once the content has changed, or other content may lie at its address.
    pub revision: u64,
    /// Where it stands: `world_from_model` of each place. Content without a place is not drawn, but
    /// stays on the GPU.
    pub placements: &'a [Affine3A],
    /// The numbers of the entities that stand there, in the same order; empty for what is no entity.
    pub entities: &'a [u32],
    /// The moment that is shown of it; none for that of the view ([`Shown::playhead`]).
    pub playhead: Option<Playhead>,
    /// What it occupies in its own space, in whichever frame; none if that is not known, so that it
    /// is drawn even where it is out of view.
    pub bounds: Option<Aabb>,
}

impl<'a> Drawable<'a> {
    /// Content that does not change, is in world space already and follows the view.
    pub fn in_place(content: &'a (dyn Any + Send + Sync)) -> Self {
        Self {
            content,
            revision: 0,
            placements: &[Affine3A::IDENTITY],
            entities: &[],
            playhead: None,
            bounds: None,
        }
    }
}

/// Where an item is, for framing and outlining it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemPlace {
    /// What it occupies in world space; none for an item that is nowhere.
    pub bounds: Option<Aabb>,
    /// From where it can be seen.
    pub seen_from: SeenFrom,
    /// Whether it stands for something that the file does not have or that cannot be read, so that
    /// where it lies says nothing.
    pub is_placeholder: bool,
}

/// The item next to another in a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbor {
    /// The item; none at the end.
    pub item: Option<Item>,
    /// What the step is called in a menu, and what it does, where that is not what the direction
    /// says.
    pub name: Option<[&'static str; 2]>,
}

/// A moment of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Without any clip.
    BindPose,
    /// A frame, from 0.
    Frame(u32),
}

/// What a problem is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemTarget {
    /// The item that has it.
    pub item: Item,
    /// The moment of that clip at which it is.
    pub moment: Option<Moment>,
    /// The overlay that shows what is wrong, if one does.
    pub overlay: Option<OverlayId>,
}

/// An open file: what every document offers, and the capabilities that only some have. One that is
/// made only to be drawn has nothing to say of itself.
pub trait Document: fmt::Debug + Send + Sync {
    /// What is known of it from the start.
    fn about(&self) -> &About;

    /// Calls a function with each of its drawables, as the document is shown.
    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>));

    /// Another number once a drawable has appeared, changed or vanished, or a part has come without
    /// which it was opened.
    fn revision(&self) -> u64 {
        0
    }

    /// What it was opened without, and still is.
    fn pending(&self) -> Option<Pending> {
        None
    }

    /// Makes what it was opened without, part by part for as long as `goes_on`, and calls
    /// `has_come` after each, on the thread that has made it.
    fn complete(&self, _goes_on: &(dyn Fn() -> bool + Sync), _has_come: &(dyn Fn() + Sync)) {}

    /// Bytes of memory that the parts hold that have come since it was opened.
    fn completed_bytes(&self) -> u64 {
        0
    }

    /// What surrounds it. Without any it stands in a studio, or has light of its own, and nothing
    /// casts shadows.
    fn environment(&self) -> Option<&Environment> {
        None
    }

    /// The tree that the outliner shows.
    fn outline(&self) -> Vec<OutlineNode> {
        Vec::new()
    }

    /// The first thing that a ray meets of what is shown.
    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        let _ = (ray_in_world, shown);
        None
    }

    /// One line about an item, for the status bar, with what else is at the place in world space
    /// where the pointer is. That place itself need not be said.
    fn summary(&self, item: Item, pointer: Option<Vec3>, shown: &Shown) -> Vec<SummaryPart> {
        let _ = (item, pointer, shown);
        Vec::new()
    }

    /// Everything about an item at a moment, for the inspector. Empty for an item that is not
    /// there.
    fn properties(&self, item: Item, playhead: Playhead) -> Vec<PropertyGroup> {
        let _ = (item, playhead);
        Vec::new()
    }

    /// The same of an item as it is shown: of a tile in layers that move with the camera, what all of
    /// them have where it is seen now, as [`Document::summary`] says it.
    fn properties_shown(&self, item: Item, shown: &Shown) -> Vec<PropertyGroup> {
        self.properties(item, shown.playhead)
    }

    /// Everything about an item at a moment, for programs: an object for each heading of the
    /// inspector. Empty for an item that is not there.
    fn details(
        &self,
        item: Item,
        playhead: Playhead,
    ) -> serde_json::Map<String, serde_json::Value> {
        let _ = (item, playhead);
        serde_json::Map::new()
    }

    /// Where an item is, as the document is shown.
    fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        let _ = (item, shown);
        ItemPlace::default()
    }

    /// Line segments in world space that outline an item, as the document is shown.
    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        let _ = (item, shown);
        Vec::new()
    }

    /// The item next to another.
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let _ = (item, direction);
        Neighbor::default()
    }

    /// The item of a kind, or of what else items are counted by, that follows (or precedes)
    /// another, going round at the end.
    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let _ = (kind, after, backwards);
        None
    }

    /// What is not wrong, but worth knowing: problems of rules that are notes, in file order. They
    /// are looked for each time they are asked for.
    fn notes(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// The item that a problem is about.
    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let _ = problem;
        None
    }

    /// The files that it was made of beside its own, with their problems.
    fn other_files(&self) -> Vec<OtherFile<'_>> {
        Vec::new()
    }

    /// The other file whose problems a problem stands for, if it does.
    fn stands_for(&self, problem: &Problem) -> Option<PathBuf> {
        let _ = problem;
        None
    }

    /// The file that an item stands for, if it is one to be opened.
    fn file_of(&self, item: Item) -> Option<PathBuf> {
        let _ = item;
        None
    }

    /// The cameras that it has, in file order, without those that say not where they are.
    fn cameras(&self) -> &[NamedCamera] {
        &[]
    }

    /// What is hidden ([`Shown::hidden`]) for an item not to be seen: itself, if it can be, or
    /// what it is made of, such as the material of a face or the layer of a cell.
    fn hidden_with(&self, item: Item) -> Option<Item> {
        let _ = item;
        None
    }

    /// The item that another is a part of, as a joint is of an entity: what is selected once the part
    /// no longer is.
    fn whole_of(&self, item: Item) -> Option<Item> {
        let _ = item;
        None
    }

    /// Whether an item was hidden, by itself or with what it is one of.
    fn is_hidden(&self, item: Item, shown: &Shown) -> bool {
        shown.hides(item)
    }

    /// World height of the floor that it is shown on while nothing of it is drawn that says what is
    /// behind everything, or while models are all that is drawn; none for a document without a floor,
    /// whose models stand at height 0.
    fn floor_height(&self) -> Option<f32> {
        None
    }

    /// Whether there are items that can be hidden.
    fn can_hide(&self) -> bool {
        self.levels().is_some() || self.layers().is_some()
    }

    /// Why nothing of it is in view, for people; none where something is.
    fn emptiness(&self, shown: &Shown) -> Option<String> {
        self.levels()?.emptiness(shown.level)
    }

    /// What the colours mean of the overlays that are on and of the selection.
    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        let _ = shown;
        Vec::new()
    }

    /// Numbers about the whole. Those of a large file are counted when they are first asked for.
    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    /// A small image, by the index of a [`Swatch::Thumbnail`](crate::Swatch::Thumbnail):
    /// width, height, and RGBA bytes from the top left.
    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let _ = index;
        None
    }

    /// The keys of `info --json` that are this format's own (contract, "info --json").
    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let _ = query;
        serde_json::Map::new()
    }

    /// What its file is made of, for comparing it with another ([`Diff`](crate::diff::Diff)); none
    /// of a document that is made of nothing that a file says.
    fn parts(&self) -> Option<Vec<Parts<'_>>> {
        None
    }

    /// The parts of the other files that it shows, for comparing two versions of what is seen
    /// ([`Diff::of_shown`](crate::diff::Diff::of_shown)).
    fn other_parts(&self) -> Vec<Parts<'_>> {
        Vec::new()
    }

    /// What its file says of an item, and where, without what follows from something else. Empty
    /// for an item that is not there.
    fn own(&self, item: Item) -> Vec<OwnLine> {
        let _ = item;
        Vec::new()
    }

    /// The files that it names, and those that these name, each once, with where they were found.
    fn files(&self) -> Vec<NamedFile> {
        Vec::new()
    }

    /// What overlays draw in the view, if it has such.
    fn annotations(&self) -> Option<&dyn Annotations> {
        None
    }

    /// Its clips, if anything of it moves.
    fn animation(&self) -> Option<&dyn Animation> {
        None
    }

    /// Its levels, if it is made of such, of which one is shown at a time.
    fn levels(&self) -> Option<&dyn Levels> {
        None
    }

    /// Its layers, if it is made of such.
    fn layers(&self) -> Option<&dyn Layers> {
        None
    }
}

impl dyn Document + '_ {
    /// The content of the first drawable of a type.
    pub fn content<T: Any>(&self) -> Option<&T> {
        let mut found = None;
        self.for_each_drawable(&Shown::default(), &mut |drawable| {
            let content: &dyn Any = drawable.content;
            found = found.or(content.downcast_ref());
        });
        found
    }

    /// Makes what it was opened without, and waits until all of it is there.
    pub fn wait_until_complete(&self) {
        self.complete(&|| true, &|| {});
    }

    /// Bytes of memory that it holds, with what has come since it was opened.
    pub fn cpu_bytes(&self) -> u64 {
        self.about().cpu_bytes + self.completed_bytes()
    }

    /// The camera that an item stands for.
    pub fn camera_of(&self, item: Item) -> Option<&NamedCamera> {
        self.cameras().iter().find(|camera| camera.item == item)
    }

    /// What a level occupies in world space; all of the document if it is not made of such.
    pub fn level_bounds(&self, level: usize) -> Aabb {
        let level = self.levels().and_then(|levels| levels.levels().get(level));
        level.map_or(self.about().bounds, |level| level.bounds)
    }

    /// What is shown of it occupies in world space in the course of what plays: for framing it.
    pub fn bounds_in_view(&self, shown: &Shown) -> Aabb {
        let of_clip = |animation: &dyn Animation| animation.bounds(shown.playhead.clip);
        let animated = self.animation().and_then(of_clip);
        animated.unwrap_or_else(|| self.level_bounds(shown.level))
    }
}

/// A file that a document was made of beside its own.
#[derive(Debug)]
pub struct OtherFile<'d> {
    /// Where it is.
    pub path: PathBuf,
    /// Its format.
    pub format: &'static Format,
    /// What was made of it; `None` if nothing in it can be shown.
    pub document: Option<&'d dyn Document>,
    /// Its problems.
    pub problems: Vec<Problem>,
}

/// What overlays draw in the view of a document.
pub trait Annotations {
    /// Adds the lines of the overlays that are on to those in `lines`.
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>);

    /// Adds the texts of the overlays that are on to those in `labels`, the most important first:
    /// of texts that would lie upon each other only the first is shown.
    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>);

    /// Whether what is shown covers a place so far along a ray from the eye, so that a text there
    /// is not to be read. What is seen through everything, such as bones, has its texts covered by
    /// nothing.
    fn covers(&self, ray_in_world: Ray, distance: f32, shown: &Shown) -> bool {
        let _ = (ray_in_world, distance, shown);
        false
    }
}

/// A document that moves.
pub trait Animation {
    /// Its clips, in the order of the file; at least one.
    fn clips(&self) -> &[ClipInfo];

    /// How the numbers of an item run over a clip, by its index; empty for an item that has none.
    fn curves(&self, item: Item, clip: usize) -> Vec<Curve> {
        let _ = (item, clip);
        Vec::new()
    }

    /// Whether there are items that have curves.
    fn has_curves(&self) -> bool {
        false
    }

    /// The clip of its own that an item plays, where it does not play that of the document.
    fn own_clip(&self, item: Item, playhead: Playhead) -> Option<OwnClip<'_>> {
        let _ = (item, playhead);
        None
    }

    /// Whether anything that is said of an item changes while a clip plays.
    fn follows_playhead(&self, item: Item) -> bool {
        let _ = item;
        false
    }

    /// What the document occupies in the course of a clip, or in the pose without one; none where
    /// that is always the same.
    fn bounds(&self, clip: Option<usize>) -> Option<Aabb> {
        let _ = clip;
        None
    }
}

/// A document of levels, which are made of chunks of cubes.
pub trait Levels {
    /// The levels; the first one is shown first.
    fn levels(&self) -> &[LevelInfo];

    /// The level that an item belongs to; none for one that belongs to all.
    fn level_of(&self, item: Item) -> Option<usize>;

    /// Where a player begins in a level, if it says so.
    fn spawn(&self, level: usize) -> Option<Spawn>;

    /// Why there is nothing to be seen of a level, as a sentence; none where there may be.
    fn emptiness(&self, level: usize) -> Option<String>;

    /// The lights of a level that can be switched.
    fn lights(&self, level: usize) -> Vec<Light>;

    /// The lines of a tree too large for the outline: those below an item, or the first ones of a
    /// level.
    fn branches(&self, level: usize, below: Option<Item>) -> Vec<Branch>;

    /// The item in the tree of [`Levels::branches`] above another.
    fn branch_above(&self, item: Item) -> Option<Item>;

    /// Items in the tree of [`Levels::branches`] of a level that a text finds, at most so many,
    /// in the order of the tree.
    fn find_branches(&self, level: usize, text: &str, max: usize) -> Vec<Branch>;

    /// The chunks of a level.
    fn chunk_map(&self, level: usize) -> Option<ChunkMap>;

    /// The lightmaps of a level.
    fn lightmaps(&self, level: usize) -> Vec<LightmapInfo>;

    /// The image of a lightmap with the lights that shine: RGBA bytes from the top left.
    fn lightmap_image(&self, lightmap: Item, shown: &Shown) -> Option<Vec<u8>>;

    /// The faces on a lightmap.
    fn lightmap_faces(&self, lightmap: Item) -> Vec<LightmapFace>;

    /// The item at a place of the level that is shown that lists what is seen from there; none
    /// where nothing does.
    fn visibility_at(&self, eye: Vec3, shown: &Shown) -> Option<Item>;
}

/// A document of flat layers of tiles.
pub trait Layers {
    /// The layers, from the bottom to the top.
    fn layers(&self) -> Vec<LayerInfo>;

    /// What the layers take their tiles from.
    fn tilesets(&self) -> Vec<TilesetInfo>;

    /// The image of a tile as it is at a moment.
    fn tile_image(&self, tile: Item, playhead: Playhead) -> Option<Image>;

    /// The item of a tile of a tileset, by its index in [`TilesetInfo::uses`].
    fn tile_item(&self, tileset: Item, index: usize) -> Option<Item>;

    /// How far apart layers are along Y unless it is said otherwise ([`Shown::layer_gap`]), in
    /// world units.
    fn usual_layer_gap(&self) -> f32;

    /// How many columns and rows of tiles [`InfoQuery::tile`] may ask for.
    fn tile_count(&self) -> Option<[u32; 2]>;

    /// Width and height in pixels of the tiles that are counted so.
    fn tile_px(&self) -> Option<[u32; 2]>;

    /// Whether the flat image wraps at its edges, across and down.
    fn wraps(&self) -> [bool; 2];

    /// The size in pixels of the flat image at 1:1.
    fn flat_size(&self) -> [u64; 2];

    /// The flat image at 1:1.
    fn flat<'a>(&'a self, shown: &'a Shown) -> Box<dyn FlatImage + 'a>;
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
