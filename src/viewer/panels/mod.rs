//! The panels beside the 3D view: information about a document, and a sandbox for tiles.
//!
//! Panels change nothing. A click leaves a [`Request`] in the [`PanelContext`], which the window
//! carries out, so panels can be shown and tested without a window.

mod document_key;
mod dump;
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

/// The contents of a panel.
pub trait PanelUi {
    /// Shows the panel.
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>);

    /// Clears the search, because another file is open.
    fn forget_search(&mut self) {}

    /// Drops every texture, because their GPU is lost.
    fn forget_textures(&mut self) {}

    /// `true` if it needs more height below the view than a list, because it contains an image.
    fn is_tall(&self) -> bool {
        false
    }
}

/// The window edge at which a panel is docked. Panels of the same edge share it as tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dock {
    Left,
    Right,
    Bottom,
}

/// Defines the panels from one table.
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

            /// The edge at which it is docked.
            pub fn dock(self) -> Dock {
                match self { $(Self::$panel => Dock::$dock),+ }
            }

            /// The key that, with Ctrl, shows or hides it.
            pub(super) fn key(self) -> Key {
                match self { $(Self::$panel => Key::$key),+ }
            }

            /// Its name in settings and events and in the id of its command.
            pub fn id(self) -> &'static str {
                match self { $(Self::$panel => $id),+ }
            }

            /// Its display name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$panel => $name),+ }
            }

            /// Description of its contents.
            pub fn help(self) -> &'static str {
                match self { $(Self::$panel => $help),+ }
            }

            /// `true` if a document has content for it.
            pub(super) fn is_offered(self, document: &dyn Document) -> bool {
                let offered: fn(&dyn Document) -> bool = match self {
                    $(Self::$panel => $offered),+
                };
                offered(document)
            }

            /// Creates its contents.
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

/// `true` if a predicate holds for any level of a document.
fn any_level(document: &dyn Document, is_true: fn(&dyn Levels, usize) -> bool) -> bool {
    document.levels().is_some_and(|levels| {
        let mut numbers = 0..levels.levels().len();
        numbers.any(|level| is_true(levels, level))
    })
}

impl State {
    /// `true` if the open document has content for a panel. Without a document all panels are
    /// offered.
    pub(super) fn offers(&self, panel: Panel) -> bool {
        let open = self.files.open.as_ref();
        open.is_none_or(|open| open.panels.contains(&panel))
    }

    /// Returns the open panel at an edge. If the document has no content for the chosen panel, it
    /// is hidden, but stays chosen for the next document.
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

    /// `true` if a panel is open.
    pub(super) fn is_panel_open(&self, panel: Panel) -> bool {
        self.open_panel(panel.dock()) == Some(panel)
    }
}

/// The data that a panel may read, and the place for its requests.
pub struct PanelContext<'a> {
    /// The open document. It is not a plain reference, because panels identify it by a weak pointer
    /// in their caches.
    pub document: &'a Arc<dyn Document>,
    /// The file on disk, if a different version is in view.
    pub on_disk: Option<&'a OnDisk>,
    /// Differences between it and another file, once they are known.
    pub changes: Option<&'a Changes>,
    /// Index of the difference that was last gone to.
    pub change: Option<usize>,
    /// The list of files around it.
    pub files: Option<&'a Playlist>,
    /// The visible parts of the document.
    pub shown: &'a Shown,
    /// The item under the pointer, in the view or in a panel.
    pub hovered: Option<Item>,
    /// The camera of the view.
    pub camera: &'a Camera,
    /// Costs of the last frame.
    pub frame: FrameStatistics<'a>,
    /// The document's thumbnails as textures.
    pub thumbnails: &'a mut Thumbnails,
    /// Renders the live previews.
    pub previews: &'a mut dyn PreviewRenderer,
    /// Requests of the panels, in order.
    pub requests: &'a mut Vec<Request>,
}

impl PanelContext<'_> {
    /// Adds a request.
    fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Selects an item whose widget is clicked; goes to it on a double click.
    fn answer(&mut self, response: &Response, item: Item) {
        if response.clicked() {
            self.requests.push(Request::Select(Some(item)));
        }
        if response.double_clicked() {
            self.requests.push(Request::Visit(item));
        }
    }
}

/// The item under the pointer in a panel; changes are reported.
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

/// Costs of the last frame of the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameStatistics<'a> {
    /// Duration of the last drawn frame, in milliseconds.
    pub frame_ms: f32,
    /// GPU times of its passes, if known.
    pub passes: Option<PassTimes>,
    /// `true` if the GPU supports timestamps.
    pub has_timestamps: bool,
    /// Triangles submitted to the GPU.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
    /// Triangles in its shadow map, which are not included in `triangles`; 0 without a shadow map.
    pub shadow_triangles: u64,
    /// GPU memory of the document and its view, in bytes.
    pub gpu_bytes: u64,
    /// Memory of the document, in bytes.
    pub cpu_bytes: u64,
    /// The name of the GPU.
    pub adapter: &'a str,
}

/// Renders the live 3D previews in the panels.
pub trait PreviewRenderer {
    /// Returns a preview of one kind for a place of `size` points, once there is one.
    fn kind_preview(&mut self, kind: Item, size: egui::Vec2) -> Option<egui::TextureId>;

    /// Returns a preview of the sandbox tile among its neighbours for a place of `size` points,
    /// once there is one.
    fn sandbox_preview(
        &mut self,
        sandbox: &TileSandbox,
        size: egui::Vec2,
    ) -> Option<egui::TextureId>;
}

/// A request of a panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Select an item, or clear the selection.
    Select(Option<Item>),
    /// Open the file that an item represents.
    OpenFileOf(Item),
    /// The pointer is over this item in a panel, or over no item any more.
    Hover(Option<Item>),
    /// Move the camera so that an item fills the view.
    Frame(Item),
    /// Go to an item, like a double click on it in a list.
    Visit(Item),
    /// Look through the camera that an item represents.
    LookThrough(Item),
    /// Select and show the next (or previous) item of a kind.
    NextOfKind {
        /// The kind.
        kind: Item,
        /// `true` for the previous item.
        backwards: bool,
    },
    /// Show this frame of the clip while the pointer holds it.
    ShowFrame(f64),
    /// Go to this frame of the clip and stop there.
    GoToFrame(f64),
    /// Pause playback during this window frame.
    HoldMoment,
    /// Show a clip from its start, or the bind pose.
    ChooseClip(Option<usize>),
    /// Set the frames per second of playback.
    SetFps(f64),
    /// Set the playback speed as a factor.
    SetSpeed(f64),
    /// Set the first frame of the played range.
    SetRangeStart(u32),
    /// Set the last frame of the played range.
    SetRangeEnd(u32),
    /// Show a warning about typed text.
    Warn(String),
    /// Go to the location of a problem, if it has one.
    ShowProblem(Option<ProblemTarget>),
    /// Go to a difference, by its index.
    ShowChange(usize),
    /// Show a level of the document, by its number.
    ShowLevel(usize),
    /// Hide an item, or show it again.
    Hide(Item, bool),
    /// Set the brightness of a light; `None` restores the file's value.
    SetLight(Item, Option<u8>),
    /// Set the opacity of a layer from 0 to 255; `None` makes it fully opaque.
    SetOpacity(Item, Option<u8>),
    /// Show only this layer, or all layers if it is the only visible one.
    Solo(Item),
    /// Show everything that was hidden.
    ShowAll,
    /// Switch all lights of the visible level on or off; `None` restores the file's values.
    SwitchAllLights(Option<bool>),
    /// Outline the cells of this depth; `None` outlines the leaves of the tree.
    CellDepth(Option<u8>),
    /// Centre the flat view on a position of a 2D map, in map pixels.
    CenterFlat(DVec2),
    /// Set the distance between layers; `None` restores the default.
    SetLayerGap(Option<f32>),
    /// Cut away everything outside a box; `None` cuts nothing.
    SetCut(Option<Aabb>),
    /// Open the first of these files and folders that can be opened.
    OpenPaths(Vec<PathBuf>),
    /// Open the file at this position of the list.
    OpenListed(usize),
    /// Restrict the list of files to those with this text in their path or format.
    FilterListed(String),
    /// Clear the list of recent files.
    ForgetRecentFiles,
    /// Run a command.
    Run(Action),
}
