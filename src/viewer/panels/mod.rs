//! The panels beside the 3D view: what a document says of itself, and a place to try out a tile.
//!
//! Panels only look. What a click asks for is left as a [`Request`] in the [`PanelContext`] for
//! the window to carry out, so a panel can be shown and tested without one.

mod document_key;
mod dump;
pub(super) mod format;
mod legend;
pub(super) mod parts;
mod sandbox;
mod thumbnails;
mod tree;

pub use self::kinds::KIND_PREVIEW_SIZE;
pub use self::legend::legend;
pub use self::problems::OnDisk;
pub use self::sandbox::{SANDBOX_PREVIEW_SIZE, TileSandbox};
pub use self::thumbnails::Thumbnails;
pub use super::state::compare::Changes;
pub use super::state::playlist::{ListedFile, Playlist};

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use egui::{Key, Response, Ui};
use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::commands::Action;
use super::state::State;
use mapscope_render::PassTimes;
use mapscope_scene::camera::Camera;
use mapscope_scene::{Aabb, Animation, Document, Item, Levels, ProblemTarget, Shown};

/// What is shown in a panel.
pub trait PanelUi {
    /// Shows the panel.
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>);

    /// Forgets what was searched for: another file is open.
    fn forget_search(&mut self) {}

    /// Forgets every texture: the GPU they were on is gone.
    fn forget_textures(&mut self) {}

    /// Whether it takes more room below the view than a list does, since an image is in it.
    fn is_tall(&self) -> bool {
        false
    }
}

/// The edge of the window that a panel is at; panels of the same edge share it as tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dock {
    Left,
    Right,
    Bottom,
}

/// Makes the panels of one table.
macro_rules! panels {
    ($(
        $panel:ident: $module:ident::$ui:ident, $dock:ident, $key:ident, $id:literal,
        $name:literal, $help:literal, $offered:expr;
    )+) => {
        $(
            mod $module;
            pub use self::$module::$ui;
        )+

        /// A panel beside the view.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Panel {
            $(
                #[doc = $help]
                #[serde(rename = $id)]
                $panel,
            )+
        }

        impl Panel {
            /// All panels, in the order of menus and tabs.
            pub const ALL: &[Self] = &[$(Self::$panel),+];

            /// The edge that it is at.
            pub fn dock(self) -> Dock {
                match self { $(Self::$panel => Dock::$dock),+ }
            }

            /// The key that shows or hides it, together with Ctrl.
            pub(super) fn key(self) -> Key {
                match self { $(Self::$panel => Key::$key),+ }
            }

            /// Its name in settings, events and the id of its command.
            pub fn id(self) -> &'static str {
                match self { $(Self::$panel => $id),+ }
            }

            /// Its name for people.
            pub fn name(self) -> &'static str {
                match self { $(Self::$panel => $name),+ }
            }

            /// What it shows.
            pub fn help(self) -> &'static str {
                match self { $(Self::$panel => $help),+ }
            }

            /// Whether a document has something that it shows.
            pub(super) fn is_offered(self, document: &dyn Document) -> bool {
                let offered: fn(&dyn Document) -> bool = match self {
                    $(Self::$panel => $offered),+
                };
                offered(document)
            }

            /// Makes what is shown in it.
            pub(super) fn make(self) -> Box<dyn PanelUi> {
                match self { $(Self::$panel => Box::<$ui>::default()),+ }
            }
        }
    };
}

panels! {
    Outliner: outliner::Outliner, Left, Num1, "outliner", "Outliner",
        "What the file is made of, as a tree", |_| true;
    Kinds: kinds::Kinds, Left, Num2, "kinds", "Tile types",
        "The kinds of tile, how often each is used, and a place to try a tile out",
        |document| !document.about().kinds.is_empty();
    Inspector: inspector::Inspector, Right, Num3, "inspector", "Inspector",
        "Everything about what is selected", |_| true;
    Problems: problems::Problems, Bottom, Num4, "problems", "Problems",
        "What is wrong with the file, and where", |_| true;
    Changes: changes::ChangesPanel, Bottom, D, "changes", "Changes",
        "What differs from another file, or from the version before a reload", |_| true;
    Statistics: statistics::Statistics, Bottom, Num5, "statistics", "Statistics",
        "Frame time, triangles, memory and counts", |_| true;
    Curves: curves::Curves, Bottom, Num6, "curves", "Curves",
        "How the selected joint moves in the course of a clip",
        |document| document.animation().is_some_and(Animation::has_curves);
    Octree: octree::Octree, Left, Num7, "octree", "Octree",
        "The cubes of the level as a tree, from the chunks down",
        |document| any_level(document, |levels, level| !levels.branches(level, None).is_empty());
    Lights: lights::Lights, Left, Num8, "lights", "Lights",
        "Switch and dim the lights of the level",
        |document| any_level(document, |levels, level| !levels.lights(level).is_empty());
    ChunkMap: chunk_map::ChunkMapPanel, Bottom, Num9, "chunk-map", "Chunk map",
        "The chunks of the level as boxes, coloured by how much is in them",
        |document| any_level(document, |levels, level| {
            levels.chunk_map(level).is_some_and(|map| !map.chunks.is_empty())
        });
    Lightmaps: lightmaps::Lightmaps, Bottom, L, "lightmaps", "Lightmaps",
        "The lightmaps of the level with the faces that lie on them",
        |document| any_level(document, |levels, level| !levels.lightmaps(level).is_empty());
    Layers: layers::Layers, Left, Num7, "layers", "Layers",
        "The layers of the map: which are shown, how opaque, and how they move",
        |document| document.layers().is_some_and(|layers| !layers.layers().is_empty());
    Files: files::Files, Left, E, "files", "Files",
        "The files of the folder, or those that were opened together", |_| true;
    Tileset: tileset::TilesetPanel, Bottom, Num8, "tileset", "Tileset",
        "All tiles of a tileset, and where each is used",
        |document| document.layers().is_some();
}

/// Whether a document has a level of which something is true.
fn any_level(document: &dyn Document, is_true: fn(&dyn Levels, usize) -> bool) -> bool {
    document.levels().is_some_and(|levels| {
        let mut numbers = 0..levels.levels().len();
        numbers.any(|level| is_true(levels, level))
    })
}

impl State {
    /// Whether the open document has something that a panel shows; all do while none is open.
    pub(super) fn offers(&self, panel: Panel) -> bool {
        let open = self.files.open.as_ref();
        open.is_none_or(|open| open.panels.contains(&panel))
    }

    /// The panel that is open at an edge. One that the document has nothing for gives way, but is
    /// remembered for the next.
    pub(super) fn open_panel(&self, dock: Dock) -> Option<Panel> {
        let wanted = self.settings.dock(dock).open;
        let wanted = wanted.filter(|_| !self.is_folded(dock))?;
        if self.offers(wanted) {
            return Some(wanted);
        }
        match dock {
            Dock::Left => Some(Panel::Outliner),
            Dock::Right | Dock::Bottom => None,
        }
    }

    /// Whether a panel is open.
    pub(super) fn is_panel_open(&self, panel: Panel) -> bool {
        self.open_panel(panel.dock()) == Some(panel)
    }
}

/// What a panel may look at, and where it leaves what it wants done.
pub struct PanelContext<'a> {
    /// The open document. Panels keep what they made from it by a weak pointer to it, which is why
    /// this is not a plain reference.
    pub document: &'a Arc<dyn Document>,
    /// The file on disk, while this version of it is shown in its place.
    pub on_disk: Option<&'a OnDisk>,
    /// What differs between it and another file, once that is known.
    pub changes: Option<&'a Changes>,
    /// The difference that was gone to last, by its index.
    pub change: Option<usize>,
    /// The files that go with it.
    pub files: Option<&'a Playlist>,
    /// What of it is shown.
    pub shown: &'a Shown,
    /// What the pointer is over, in the view or in a panel.
    pub hovered: Option<Item>,
    /// Where it is seen from.
    pub camera: &'a Camera,
    /// What the last frame took.
    pub frame: FrameStatistics<'a>,
    /// The document's thumbnails as textures.
    pub thumbnails: &'a mut Thumbnails,
    /// Who makes the live previews.
    pub previews: &'a mut dyn PreviewRenderer,
    /// What the panels want done, in the order in which it was asked for.
    pub requests: &'a mut Vec<Request>,
}

impl PanelContext<'_> {
    /// Has something done.
    fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Selects an item whose widget is clicked, and goes to it at a double click.
    fn answer(&mut self, response: &Response, item: Item) {
        if response.clicked() {
            self.requests.push(Request::Select(Some(item)));
        }
        if response.double_clicked() {
            self.requests.push(Request::Visit(item));
        }
    }
}

/// What the pointer is over in a panel, reported when that changes.
#[derive(Debug, Default)]
struct Hover(Option<Item>);

impl Hover {
    fn report(&mut self, context: &mut PanelContext<'_>, item: Option<Item>) {
        if self.0 != item {
            self.0 = item;
            context.ask(Request::Hover(item));
        }
    }
}

impl fmt::Debug for PanelContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PanelContext")
            .field("shown", &self.shown)
            .field("hovered", &self.hovered)
            .field("frame", &self.frame)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

/// What the last frame of the view took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameStatistics<'a> {
    /// Milliseconds for the last frame that was drawn.
    pub frame_ms: f32,
    /// What its passes took on the GPU; none while that is not known.
    pub passes: Option<PassTimes>,
    /// Whether the GPU can say it.
    pub has_timestamps: bool,
    /// Triangles handed to the GPU.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
    /// Triangles on its shadow map, which are not among the others; 0 without one.
    pub shadow_triangles: u64,
    /// Bytes of GPU memory that the document and its view hold.
    pub gpu_bytes: u64,
    /// Bytes of memory that the document holds.
    pub cpu_bytes: u64,
    /// The name of the GPU.
    pub adapter: &'a str,
}

/// Makes the live 3D previews in the panels.
pub trait PreviewRenderer {
    /// A preview of a kind by itself, for a place of this size in points; nothing while there is
    /// none.
    fn kind_preview(&mut self, kind: Item, size: egui::Vec2) -> Option<egui::TextureId>;

    /// A preview of the tile in the sandbox among its neighbours, for a place of this size in
    /// points; nothing while there is none.
    fn sandbox_preview(
        &mut self,
        sandbox: &TileSandbox,
        size: egui::Vec2,
    ) -> Option<egui::TextureId>;
}

/// Something that a panel wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Select an item, or nothing.
    Select(Option<Item>),
    /// Open the file that an item stands for.
    OpenFileOf(Item),
    /// The pointer is over this item in a panel, or no longer over any.
    Hover(Option<Item>),
    /// Move the camera so that an item fills the view.
    Frame(Item),
    /// Go to an item as a double click on it in a list does.
    Visit(Item),
    /// Look through the camera that an item stands for.
    LookThrough(Item),
    /// Select and show the item of a kind that follows (or precedes) the selected one.
    NextOfKind {
        /// The kind.
        kind: Item,
        /// Whether to go to the one before.
        backwards: bool,
    },
    /// Show this frame of the clip while it is held.
    ShowFrame(f64),
    /// Stop at this frame of the clip.
    GoToFrame(f64),
    /// Keep the moment from going on during this frame of the window.
    HoldMoment,
    /// Show a clip from its beginning, or the bind pose.
    ChooseClip(Option<usize>),
    /// Play so many frames a second.
    SetFps(f64),
    /// Play so many times as fast as usual.
    SetSpeed(f64),
    /// Begin what is played with this frame.
    SetRangeStart(u32),
    /// End what is played with this frame.
    SetRangeEnd(u32),
    /// Say what was wrong with something that was typed.
    Warn(String),
    /// Go to what a problem is about, if that can be shown.
    ShowProblem(Option<ProblemTarget>),
    /// Go to a difference from another file, by its index.
    ShowChange(usize),
    /// Show one of the document's levels, by its number.
    ShowLevel(usize),
    /// Hide an item, or show it again.
    Hide(Item, bool),
    /// Make a light this bright, or as the file has it.
    SetLight(Item, Option<u8>),
    /// Make a layer this opaque, from 0 to 255, or wholly so.
    SetOpacity(Item, Option<u8>),
    /// Show a layer alone, or all of them if it is alone already.
    Solo(Item),
    /// Show again all that was hidden.
    ShowAll,
    /// Switch all lights of the level that is shown on or off, or have them as in the file.
    SwitchAllLights(Option<bool>),
    /// Outline the cells of this depth, or those at the ends of the tree.
    CellDepth(Option<u8>),
    /// Put a place of a 2D map, in pixels of it, into the middle of the flat view.
    CenterFlat(DVec2),
    /// Draw the layers this far apart, or as far as usual.
    SetLayerGap(Option<f32>),
    /// Cut away what is outside a box, or nothing.
    SetCut(Option<Aabb>),
    /// Open the first of these files and folders that can be opened.
    OpenPaths(Vec<PathBuf>),
    /// Open the file of this place in the list of files.
    OpenListed(usize),
    /// Go only through files of the list that have this in their path or format.
    FilterListed(String),
    /// Forget which files were opened.
    ForgetRecentFiles,
    /// Do what a command does.
    Run(Action),
}
