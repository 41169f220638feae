//! The interface of an open file to the window and the commands.

pub(crate) mod environment;
pub(crate) mod flat_image;
pub(crate) mod lists;
pub(crate) mod parts;
pub(crate) mod shown;
pub(crate) mod textures;

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
use self::textures::Textures;
use crate::assets::{NamedFile, Pending};
use crate::camera::Handedness;
use crate::core::item::Item;
use crate::core::overlay::{Overlay, OverlayId};
use crate::core::playback::{ClipInfo, Curve, CurveOptions, OwnClip, Playhead};
use crate::core::rules::Fault;
use crate::describe::own::OwnLine;
use crate::describe::table::Describe;
use crate::describe::{
    Kind, Label, Legend, Line, OutlineNode, PropertyGroup, Statistic, SummaryPart,
};
use crate::geometry::{Aabb, Ray};
use mapscope_formats::paf::Archive;
use mapscope_formats::{Format, Place, Problem, Problems};

/// The intersection of a ray with a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The item that was hit.
    pub item: Item,
    /// The hit point, in world space.
    pub position: Vec3,
    /// Distance from the origin of the ray, in world units.
    pub distance: f32,
}

/// Directions from which an item is visible.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum VisibleFrom {
    /// Always visible: the item is large or a group, or is drawn on top of everything.
    #[default]
    Anywhere,
    /// Visible from all sides unless something is between it and the eye.
    AllSides,
    /// Like [`VisibleFrom::AllSides`], but only from in front of its surface.
    Before {
        /// The middle of the surface, in world space.
        middle: Vec3,
        /// Unit normal of the surface, in world space.
        normal: Vec3,
    },
}

/// The view that players have in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameView {
    /// An oblique view from high above the ground, as in a real-time strategy game.
    FromAbove,
    /// The view of a person standing in the map.
    FirstPerson,
}

/// A player's start position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spawn {
    /// Position in world space.
    pub place: Vec3,
    /// Horizontal view direction of the player, a unit vector in world space.
    pub ahead: Vec3,
}

/// A direction on the map, for moving the selection to a neighbouring item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are compass directions")]
pub enum Direction {
    North,
    East,
    South,
    West,
}

impl Direction {
    /// Steps to the right and down.
    pub(crate) fn step(self) -> [i32; 2] {
        match self {
            Self::North => [0, -1],
            Self::East => [1, 0],
            Self::South => [0, 1],
            Self::West => [-1, 0],
        }
    }
}

/// Metadata of an open document.
#[derive(Debug, Clone)]
pub struct About {
    /// The format the file was read as.
    pub format: &'static Format,
    /// The version that the file declares.
    pub version: String,
    /// All problems of the file and of the files it names, in file order.
    pub problems: Vec<Problem>,
    /// World-space bounds of the document with all its levels.
    pub bounds: Aabb,
    /// Handedness of its world space.
    pub handedness: Handedness,
    /// The view that players have in its game.
    pub game_view: GameView,
    /// The overlays it offers.
    pub overlays: &'static [Overlay],
    /// Other files that it was built from, or that were searched for and not found. They are
    /// watched for changes.
    pub dependencies: Vec<PathBuf>,
    /// The kinds of objects in the document, for the panel that lists and counts them.
    pub kinds: Vec<Kind>,
    /// World height of the floor. The floor is shown while no drawn part defines a background, or
    /// while only models are drawn. `None` if the document has no floor; its models stand at height
    /// zero.
    pub floor_height: Option<f32>,
    /// Bytes of memory that it holds.
    pub cpu_bytes: u64,
}

impl About {
    /// Returns a copy with additional faults that were found after opening.
    pub(crate) fn with_faults(&self, faults: &[Fault], place: Place) -> Self {
        let mut about = self.clone();
        about.add_faults(faults, place);
        about
    }

    /// Adds the faults of a file that is named at `place`.
    pub(crate) fn add_faults(&mut self, faults: &[Fault], place: Place) {
        let mut problems = Problems::new();
        for (rule, message) in faults {
            problems.add(rule, place, || message.clone());
        }
        self.problems.extend(problems.finish());
        self.problems.sort_by_key(|problem| problem.place);
    }
}

/// Content for a renderer, with any number of placements. Content that several drawables share is
/// uploaded to the GPU once, and all placements of a model are drawn together.
#[derive(Debug, Clone, Copy)]
pub struct Drawable<'a> {
    /// The content. Each renderer knows the type that it draws, such as
    /// [`Terrain`](crate::terrain::Terrain).
    pub content: &'a (dyn Any + Send + Sync),
    /// Revision number. It changes with the content, and when other content may have taken its
    /// address.
    pub revision: u64,
    /// `world_from_model` of each placement. Content without placements is not drawn but stays on
    /// the GPU.
    pub placements: &'a [Affine3A],
    /// Entity numbers of the placements, in the same order; empty if they are not entities.
    pub entities: &'a [u32],
    /// The moment to show; `None` to follow the view ([`Shown::playhead`]).
    pub playhead: Option<Playhead>,
    /// Bounds in model space over all frames; `None` if unknown, which disables culling.
    pub bounds: Option<Aabb>,
}

impl<'a> Drawable<'a> {
    /// Immutable content in world space that follows the playhead of the view.
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

/// The place of an item, for framing and outlining it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemPlace {
    /// Bounds in world space; `None` for an item without a place.
    pub bounds: Option<Aabb>,
    /// Directions from which it is visible.
    pub seen_from: VisibleFrom,
    /// `true` for a placeholder of a missing or unreadable item. Its position has no meaning.
    pub is_placeholder: bool,
}

/// The neighbour of an item in a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbor {
    /// The item; `None` if there is no neighbour in that direction.
    pub item: Option<Item>,
    /// Menu name and help of the step, if they differ from those of the direction.
    pub name: Option<[&'static str; 2]>,
}

/// The state of the view in which an item is described.
#[derive(Debug, Clone, Copy, Default)]
pub struct ViewState<'a> {
    /// The shown moment.
    pub playhead: Playhead,
    /// What is shown. Without it, layers that scroll with the camera lie as in the file.
    pub shown: Option<&'a Shown>,
    /// Position of the pointer, in world space. An item that covers several places is described at
    /// this one.
    pub pointer: Option<Vec3>,
}

impl From<Playhead> for ViewState<'_> {
    fn from(playhead: Playhead) -> Self {
        Self {
            playhead,
            ..Self::default()
        }
    }
}

impl<'a> From<&'a Shown> for ViewState<'a> {
    fn from(shown: &'a Shown) -> Self {
        Self {
            playhead: shown.playhead,
            shown: Some(shown),
            pointer: None,
        }
    }
}

/// A moment of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The bind pose, without a clip.
    BindPose,
    /// A frame, from 0.
    Frame(u32),
}

/// The subject of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemTarget {
    /// The affected item.
    pub item: Item,
    /// The affected moment of the clip.
    pub moment: Option<Moment>,
    /// The overlay that shows the problem, if any.
    pub overlay: Option<OverlayId>,
}

/// An open file: the methods of every document, and the optional capabilities of some. A document
/// that is only drawn can leave all descriptions empty.
pub trait Document: fmt::Debug + Send + Sync {
    /// Metadata that is known once the file is open.
    fn about(&self) -> &About;

    /// Calls `draw` with each drawable of the document as it is shown.
    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>));

    /// Surroundings of the document. A document without surroundings is shown in a studio or has
    /// its own light, and nothing casts shadows.
    fn environment(&self) -> Option<&Environment> {
        None
    }

    /// The tree for the outliner.
    fn outline(&self) -> Vec<OutlineNode> {
        Vec::new()
    }

    /// Returns the first intersection of a ray with the visible items.
    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        let _ = (ray_in_world, shown);
        None
    }

    /// Returns the fields of an item. `None` if the item does not exist.
    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        let _ = (item, view);
        None
    }

    /// Problems of rules with severity note, in file order. They are computed on every call.
    fn notes(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// The item that a problem is about.
    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let _ = problem;
        None
    }

    /// The cameras, in file order, without those that have no position.
    fn cameras(&self) -> &[NamedCamera] {
        &[]
    }

    /// A user-facing reason why the view is empty; `None` if the view is not empty.
    fn emptiness(&self, shown: &Shown) -> Option<String> {
        self.levels()?.emptiness(shown.level)
    }

    /// Legends of the active overlays and of the selection.
    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        let _ = shown;
        Vec::new()
    }

    /// Statistics of the whole document. Those of large files are computed on the first call.
    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    /// The thumbnail with the index of a [`Swatch::Thumbnail`](crate::Swatch::Thumbnail): width,
    /// height, and RGBA bytes from the top left.
    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let _ = index;
        None
    }

    /// The format-specific keys of `info --json` (contract, "info --json").
    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let _ = query;
        serde_json::Map::new()
    }

    /// The annotations that overlays draw in the view, if supported.
    fn annotations(&self) -> Option<&dyn Annotations> {
        None
    }

    /// Its clips, if it is animated.
    fn animation(&self) -> Option<&dyn Animation> {
        None
    }

    /// Its levels, if it has any. The view shows one level at a time.
    fn levels(&self) -> Option<&dyn Levels> {
        None
    }

    /// Its layers, if it has any.
    fn layers(&self) -> Option<&dyn Layers> {
        None
    }

    /// Its textures, if it has any.
    fn textures(&self) -> Option<&dyn Textures> {
        None
    }

    /// Its deferred parts, if it loads any after opening.
    fn deferred(&self) -> Option<&dyn Deferred> {
        None
    }

    /// Navigation between its items, if supported.
    fn walk(&self) -> Option<&dyn Walk> {
        None
    }

    /// Places of its items, if they have any.
    fn places(&self) -> Option<&dyn Places> {
        None
    }

    /// Its items that can be hidden, if there are any.
    fn hiding(&self) -> Option<&dyn Hiding> {
        None
    }

    /// The files that it names or was built from, if documents of its kind can have any.
    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        None
    }

    /// The archive of files in it, if it has one.
    fn archive(&self) -> Option<&Archive> {
        None
    }

    /// The contents of its file for comparison, if it has any.
    fn comparison(&self) -> Option<&dyn Compare> {
        None
    }
}

/// Parts that a document loads after it was opened.
pub trait Deferred {
    /// Revision number. It changes when a drawable is added, changed or removed, and when a
    /// deferred part is loaded.
    fn revision(&self) -> u64;

    /// The deferred part that is loading or loads next; `None` if all are loaded.
    fn pending(&self) -> Option<Pending>;

    /// Loads the deferred parts one by one while `keep_going` returns `true`. Calls `on_part` after
    /// each part, on the thread that loaded it.
    fn load(&self, keep_going: &(dyn Fn() -> bool + Sync), on_part: &(dyn Fn() + Sync));

    /// Bytes of memory held by the deferred parts that are loaded.
    fn bytes(&self) -> u64;
}

/// Navigation between items.
pub trait Walk {
    /// The neighbour of an item in a direction.
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor;

    /// The item of a kind that follows (or precedes) `after`, wrapping around at the end. `kind`
    /// may also be an item that groups others, such as a material with its triangles.
    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item>;

    /// The item that contains another, as an entity contains a joint. Deselecting an item selects
    /// its parent.
    fn parent_of(&self, item: Item) -> Option<Item> {
        let _ = item;
        None
    }
}

/// Places of items in world space.
pub trait Places {
    /// The place of an item as the document is shown.
    fn place(&self, item: Item, shown: &Shown) -> ItemPlace;

    /// Line segments in world space that outline an item as the document is shown.
    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]>;
}

/// Items that can be hidden.
pub trait Hiding {
    /// The item to add to [`Shown::hidden`] in order to hide `item`: the item itself if possible,
    /// or its container, such as the material of a face or the layer of a cell.
    fn hide_target(&self, item: Item) -> Option<Item>;

    /// `true` if an item is hidden, directly or together with its container.
    fn is_hidden(&self, item: Item, shown: &Shown) -> bool {
        shown.hides(item)
    }
}

/// Files that a document names or was built from.
pub trait RelatedFiles {
    /// The files that it names, directly or through other files, with the paths where they were
    /// found. Each file is listed once.
    fn files(&self) -> Vec<NamedFile>;

    /// Other files that the document was built from, with their problems.
    fn other_files(&self) -> Vec<OtherFile<'_>> {
        Vec::new()
    }

    /// The other file whose problems this problem summarises, if any.
    fn summarized_file(&self, problem: &Problem) -> Option<PathBuf> {
        let _ = problem;
        None
    }

    /// The file behind an item, if it can be opened.
    fn file_of(&self, item: Item) -> Option<PathBuf> {
        let _ = item;
        None
    }

    /// The other file that stores an item; `None` for items of the document's own file.
    fn source_of(&self, item: Item) -> Option<PathBuf> {
        let _ = item;
        None
    }
}

/// The contents of a file, for comparison with another ([`Diff`](crate::diff::Diff)).
pub trait Compare {
    /// The parts of its file.
    fn parts(&self) -> Vec<Parts<'_>>;

    /// The parts of other files that the document shows, for comparing two versions of it
    /// ([`Diff::of_shown`](crate::diff::Diff::of_shown)).
    fn other_parts(&self) -> Vec<Parts<'_>> {
        Vec::new()
    }

    /// The values that the file stores for an item and their places in the file. Derived values are
    /// omitted. Empty if the item does not exist.
    fn own(&self, item: Item) -> Vec<OwnLine>;
}

impl dyn Document + '_ {
    /// One line about an item for the status bar. It omits the coordinates of the pointer.
    pub fn summary<'a>(&'a self, item: Item, view: impl Into<ViewState<'a>>) -> Vec<SummaryPart> {
        let record = self.record(item, view.into());
        record.map_or_else(Vec::new, |record| record.summary())
    }

    /// All properties of an item, for the inspector. Empty if the item does not exist.
    pub fn properties<'a>(
        &'a self,
        item: Item,
        view: impl Into<ViewState<'a>>,
    ) -> Vec<PropertyGroup> {
        let record = self.record(item, view.into());
        record.map_or_else(Vec::new, |record| record.groups())
    }

    /// All properties of an item at a moment, for programs: one object per inspector heading. Empty
    /// if the item does not exist.
    pub fn details(
        &self,
        item: Item,
        playhead: Playhead,
    ) -> serde_json::Map<String, serde_json::Value> {
        let record = self.record(item, playhead.into());
        record.map_or_else(Default::default, |record| record.details())
    }

    /// `true` if an item exists.
    pub fn has(&self, item: Item) -> bool {
        self.record(item, ViewState::default()).is_some()
    }

    /// Revision number of its drawables ([`Deferred::revision`]).
    pub fn revision(&self) -> u64 {
        self.deferred().map_or(0, Deferred::revision)
    }

    /// The deferred part that is loading or loads next, if any.
    pub fn pending(&self) -> Option<Pending> {
        self.deferred()?.pending()
    }

    /// Loads its deferred parts ([`Deferred::load`]).
    pub fn load_deferred(
        &self,
        keep_going: &(dyn Fn() -> bool + Sync),
        on_part: &(dyn Fn() + Sync),
    ) {
        if let Some(deferred) = self.deferred() {
            deferred.load(keep_going, on_part);
        }
    }

    /// The neighbour of an item in a direction.
    pub fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let walk = self.walk();
        walk.map_or_else(Neighbor::default, |walk| walk.neighbor(item, direction))
    }

    /// The next or previous item of a kind ([`Walk::next_of_kind`]).
    pub fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        self.walk()?.next_of_kind(kind, after, backwards)
    }

    /// The item that contains another, if any ([`Walk::parent_of`]).
    pub fn parent_of(&self, item: Item) -> Option<Item> {
        self.walk()?.parent_of(item)
    }

    /// The place of an item as the document is shown.
    pub fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        let places = self.places();
        places.map_or_else(ItemPlace::default, |places| places.place(item, shown))
    }

    /// Line segments in world space that outline an item as the document is shown.
    pub fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        let places = self.places();
        places.map_or_else(Vec::new, |places| places.contour(item, shown))
    }

    /// `true` if the document has items that can be hidden.
    pub fn can_hide(&self) -> bool {
        self.hiding().is_some()
    }

    /// The item to hide in order to hide `item` ([`Hiding::hide_target`]).
    pub fn hide_target(&self, item: Item) -> Option<Item> {
        self.hiding()?.hide_target(item)
    }

    /// `true` if an item is hidden, directly or together with its container.
    pub fn is_hidden(&self, item: Item, shown: &Shown) -> bool {
        match self.hiding() {
            Some(hiding) => hiding.is_hidden(item, shown),
            None => shown.hides(item),
        }
    }

    /// The files that it names ([`RelatedFiles::files`]).
    pub fn files(&self) -> Vec<NamedFile> {
        self.related_files()
            .map_or_else(Vec::new, RelatedFiles::files)
    }

    /// Other files that it was built from, with their problems.
    pub fn other_files(&self) -> Vec<OtherFile<'_>> {
        self.related_files()
            .map_or_else(Vec::new, RelatedFiles::other_files)
    }

    /// The other file whose problems this problem summarises, if any.
    pub fn summarized_file(&self, problem: &Problem) -> Option<PathBuf> {
        self.related_files()?.summarized_file(problem)
    }

    /// The file behind an item, if it can be opened.
    pub fn file_of(&self, item: Item) -> Option<PathBuf> {
        self.related_files()?.file_of(item)
    }

    /// The other file that stores an item, if any ([`RelatedFiles::source_of`]).
    pub fn source_of(&self, item: Item) -> Option<PathBuf> {
        self.related_files()?.source_of(item)
    }

    /// The place of an item in the file that stores it. `None` if the item has no place, or one in
    /// data that was unpacked from the file.
    pub fn place_in_file(&self, item: Item) -> Option<Place> {
        let record = self.record(item, ViewState::default())?;
        record.value(&["place".to_owned()])?.place_in_file()
    }

    /// The parts of its file; `None` if it has no file contents to compare.
    pub fn parts(&self) -> Option<Vec<Parts<'_>>> {
        self.comparison().map(Compare::parts)
    }

    /// The parts of other files that it shows ([`Compare::other_parts`]).
    pub fn other_parts(&self) -> Vec<Parts<'_>> {
        self.comparison()
            .map_or_else(Vec::new, Compare::other_parts)
    }

    /// The values that the file stores for an item ([`Compare::own`]).
    pub fn own(&self, item: Item) -> Vec<OwnLine> {
        self.comparison().map_or_else(Vec::new, |it| it.own(item))
    }

    /// Returns the content of the first drawable of type `T`.
    pub fn content<T: Any>(&self) -> Option<&T> {
        let mut found = None;
        self.for_each_drawable(&Shown::default(), &mut |drawable| {
            let content: &dyn Any = drawable.content;
            found = found.or(content.downcast_ref());
        });
        found
    }

    /// Loads all deferred parts and waits for them.
    pub fn wait_until_complete(&self) {
        self.load_deferred(&|| true, &|| {});
    }

    /// Bytes of memory that it holds, including parts that were loaded after opening.
    pub fn cpu_bytes(&self) -> u64 {
        self.about().cpu_bytes + self.deferred().map_or(0, Deferred::bytes)
    }

    /// The camera of an item.
    pub fn camera_of(&self, item: Item) -> Option<&NamedCamera> {
        self.cameras().iter().find(|camera| camera.item == item)
    }

    /// World-space bounds of a level, or of the whole document if it has no levels.
    pub fn level_bounds(&self, level: usize) -> Aabb {
        let level = self.levels().and_then(|levels| levels.levels().get(level));
        level.map_or(self.about().bounds, |level| level.bounds)
    }

    /// World-space bounds of the visible content over the playing clip, for framing.
    pub fn bounds_in_view(&self, shown: &Shown) -> Aabb {
        let of_clip = |animation: &dyn Animation| animation.bounds(shown.playhead.clip);
        let animated = self.animation().and_then(of_clip);
        animated.unwrap_or_else(|| self.level_bounds(shown.level))
    }
}

/// Another file that a document was built from.
#[derive(Debug)]
pub struct OtherFile<'d> {
    /// Its path.
    pub path: PathBuf,
    /// Its format.
    pub format: &'static Format,
    /// Its document; `None` if it has no content to show.
    pub document: Option<&'d dyn Document>,
    /// Its problems.
    pub problems: Vec<Problem>,
}

/// Lines and labels that overlays draw in the view of a document.
pub trait Annotations {
    /// Appends the lines of the active overlays to `lines`.
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>);

    /// Appends the labels of the active overlays to `labels`, the most important first. Where
    /// labels overlap, only the first is shown.
    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>);

    /// `true` if visible content occludes the point at `distance` along a ray from the eye. The
    /// label of an occluded point is hidden. Content that is drawn on top, such as bones, is never
    /// occluded.
    fn covers(&self, ray_in_world: Ray, distance: f32, shown: &Shown) -> bool {
        let _ = (ray_in_world, distance, shown);
        false
    }
}

/// The clips of an animated document.
pub trait Animation {
    /// Its clips in file order; at least one.
    fn clips(&self) -> &[ClipInfo];

    /// The curves of an item's values over the clip with this index; empty if the item has no
    /// curves.
    fn curves(&self, item: Item, clip: usize, options: CurveOptions) -> Vec<Curve> {
        let _ = (item, clip, options);
        Vec::new()
    }

    /// `true` if any item has curves.
    fn has_curves(&self) -> bool {
        false
    }

    /// The clip that an item plays in place of the document's clip.
    fn own_clip(&self, item: Item, playhead: Playhead) -> Option<OwnClip<'_>> {
        let _ = (item, playhead);
        None
    }

    /// `true` if the description of an item changes while a clip plays.
    fn follows_playhead(&self, item: Item) -> bool {
        let _ = item;
        false
    }

    /// Bounds over a clip, or in the pose without a clip; `None` if they never change.
    fn bounds(&self, clip: Option<usize>) -> Option<Aabb> {
        let _ = clip;
        None
    }
}

/// A document of levels, which consist of chunks of cubes.
pub trait Levels {
    /// The levels. The first one is initially visible.
    fn levels(&self) -> &[LevelInfo];

    /// The level that contains an item; `None` if the item belongs to all levels.
    fn level_of(&self, item: Item) -> Option<usize>;

    /// The player's start in a level, if it has one.
    fn spawn(&self, level: usize) -> Option<Spawn>;

    /// A sentence that explains why a level is empty; `None` if it may have visible content.
    fn emptiness(&self, level: usize) -> Option<String>;

    /// The switchable lights of a level.
    fn lights(&self, level: usize) -> Vec<Light>;

    /// Lines of a tree that is too large for the outline: the children of `below`; the roots of the
    /// level if `below` is `None`.
    fn branches(&self, level: usize, below: Option<Item>) -> Vec<Branch>;

    /// The parent of an item in the tree of [`Levels::branches`].
    fn branch_above(&self, item: Item) -> Option<Item>;

    /// The first `max` items in the tree of [`Levels::branches`] that match a text, in tree order.
    fn find_branches(&self, level: usize, text: &str, max: usize) -> Vec<Branch>;

    /// The chunks of a level.
    fn chunk_map(&self, level: usize) -> Option<ChunkMap>;

    /// The lightmaps of a level.
    fn lightmaps(&self, level: usize) -> Vec<LightmapInfo>;

    /// The image of a lightmap under the active lights: RGBA bytes from the top left.
    fn lightmap_image(&self, lightmap: Item, shown: &Shown) -> Option<Vec<u8>>;

    /// The faces on a lightmap.
    fn lightmap_faces(&self, lightmap: Item) -> Vec<LightmapFace>;

    /// The item that contains `eye` in the current level and has a visibility list, if any.
    fn visibility_at(&self, eye: Vec3, shown: &Shown) -> Option<Item>;
}

/// A document of flat tile layers.
pub trait Layers {
    /// The layers, from bottom to top.
    fn layers(&self) -> Vec<LayerInfo>;

    /// The tilesets of the layers.
    fn tilesets(&self) -> Vec<TilesetInfo>;

    /// The image of a tile at a moment.
    fn tile_image(&self, tile: Item, playhead: Playhead) -> Option<Image>;

    /// The item of a tile, by its tileset and its index in [`TilesetInfo::uses`].
    fn tile_item(&self, tileset: Item, index: usize) -> Option<Item>;

    /// Default distance between layers along Y, in world units ([`Shown::layer_gap`] overrides it).
    fn default_layer_gap(&self) -> f32;

    /// Numbers of tile columns and rows that [`InfoQuery::tile`] accepts.
    fn tile_count(&self) -> Option<[u32; 2]>;

    /// Width and height in pixels of the tiles that [`Layers::tile_count`] counts.
    fn tile_px(&self) -> Option<[u32; 2]>;

    /// For each axis (across, down), `true` if the flat image wraps at its edges.
    fn wraps(&self) -> [bool; 2];

    /// Size of the flat image at 1:1, in pixels.
    fn flat_size(&self) -> [u64; 2];

    /// The flat image at 1:1.
    fn flat<'a>(&'a self, shown: &'a Shown) -> Box<dyn FlatImage + 'a>;
}

/// Options of `info` for parts of a file.
#[derive(Debug, Clone, Default)]
pub struct InfoQuery {
    /// `--tile ROW,COL`: row and column in the whole map. For 2D maps `X,Y`: column and row of the
    /// map at rest.
    pub tile: Option<(u32, u32)>,
    /// `--height X,Z`, repeatable: world coordinates.
    pub heights: Vec<(f32, f32)>,
    /// `--cube LEVEL,Y,X,Z,INDEX`: the level, the grid position of the chunk, and the cube in the
    /// chunk.
    pub cube: Option<[u32; 5]>,
}
