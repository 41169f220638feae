//! The panels beside the 3D view: what a document says of itself, and a place to try out a tile.
//!
//! Panels only look. What a click asks for is left as a [`Request`] in the [`PanelContext`] for
//! the window to carry out, so a panel can be shown and tested without one.

mod chunk_map;
mod curves;
mod document_key;
mod dump;
pub(super) mod format;
mod inspector;
mod kinds;
mod layers;
mod legend;
mod lightmaps;
mod lights;
mod octree;
mod outliner;
pub(super) mod parts;
mod problems;
mod sandbox;
mod statistics;
mod thumbnails;
mod tileset;
mod tree_line;

pub use chunk_map::ChunkMapPanel;
pub use curves::Curves;
pub use inspector::Inspector;
pub use kinds::{KIND_PREVIEW_SIZE, Kinds};
pub use layers::Layers;
pub use legend::Legend;
pub use lightmaps::Lightmaps;
pub use lights::Lights;
pub use octree::Octree;
pub use outliner::Outliner;
pub use problems::{OnDisk, Problems};
pub use sandbox::{SANDBOX_PREVIEW_SIZE, TileSandbox};
pub use statistics::Statistics;
pub use thumbnails::Thumbnails;
pub use tileset::TilesetPanel;

use std::fmt;
use std::sync::Arc;

use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, Item, Shown};

/// What a panel may look at, and where it leaves what it wants done.
pub struct PanelContext<'a> {
    /// The open document. Panels keep what they made from it by a weak pointer to it, which is why
    /// this is not a plain reference.
    pub document: &'a Arc<dyn Document>,
    /// The file on disk, while this version of it is shown in its place.
    pub on_disk: Option<&'a OnDisk>,
    /// What of it is shown.
    pub shown: &'a Shown,
    /// What the pointer is over, in the view or in a panel.
    pub hovered: Option<Item>,
    /// Where it is seen from.
    pub camera: &'a Camera,
    /// What the last picture took.
    pub frame: FrameStatistics<'a>,
    /// The document's thumbnails as textures.
    pub thumbnails: &'a mut Thumbnails,
    /// Who makes the live pictures.
    pub previews: &'a mut dyn PreviewRenderer,
    /// What the panels want done, in the order in which it was asked for.
    pub requests: &'a mut Vec<Request>,
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

/// What the last picture of the view took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameStatistics<'a> {
    /// Milliseconds for the last picture that was drawn.
    pub frame_ms: f32,
    /// Triangles handed to the GPU.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
    /// Bytes of GPU memory that the document holds.
    pub gpu_bytes: u64,
    /// Bytes of memory that the document holds.
    pub cpu_bytes: u64,
    /// The name of the GPU.
    pub adapter: &'a str,
}

/// Makes the live 3D pictures in the panels.
pub trait PreviewRenderer {
    /// A picture of a kind by itself, for a place of this size in points; nothing while there is
    /// none.
    fn kind_preview(&mut self, kind: Item, size: egui::Vec2) -> Option<egui::TextureId>;

    /// A picture of the tile in the sandbox among its neighbours, for a place of this size in
    /// points; nothing while there is none.
    fn sandbox_preview(
        &mut self,
        sandbox: &TileSandbox,
        size: egui::Vec2,
    ) -> Option<egui::TextureId>;
}

/// Something that a panel wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Select an item, or nothing.
    Select(Option<Item>),
    /// Open the file that an item stands for.
    OpenFileOf(Item),
    /// The pointer is over this item in a panel, or no longer over any.
    Hover(Option<Item>),
    /// Move the camera so that an item fills the view.
    Frame(Item),
    /// Select and show the item of a kind that follows (or precedes) the selected one.
    NextOfKind {
        /// The kind.
        kind: Item,
        /// Whether to go to the one before.
        backwards: bool,
    },
    /// Show this frame of the clip.
    ShowFrame(u32),
    /// Go to the place of a problem, by its index in [`About::problems`](mapscope_scene::About::problems).
    ShowProblem(usize),
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
    /// Run the command of this name.
    Run(&'static str),
}
