//! The panels beside the 3D view: information about a document, and a sandbox for tiles.
//!
//! Panels change nothing. A click leaves a [`Request`] in the [`PanelContext`], which the window
//! carries out, so panels can be shown and tested without a window.

mod document_key;
mod dump;
mod image_view;
mod legend;
mod list;
pub(super) mod menu;
pub(super) mod parts;
mod sandbox;
mod sorting;
mod thumbnails;
mod tree;

pub use self::kinds::KIND_PREVIEW_SIZE;
pub use self::legend::legend;
pub use self::sandbox::{SANDBOX_PREVIEW_SIZE, TileSandbox};
pub use self::thumbnails::Thumbnails;
pub use super::commands::Request;
pub use super::state::compare::Changes;
pub use super::state::edit::EditTarget;
pub use super::state::find::{Finding, Matches};
pub use super::state::playlist::{ListedFile, Playlist};
pub use super::state::reload::OnDisk;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use egui::{Response, Ui};

use super::docks::{Panel, panel_table};
use super::keymap::Keymap;
use mapscope_render::PassTimes;
use mapscope_scene::camera::Camera;
use mapscope_scene::{Document, Item, Shown};

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

/// Declares the modules of the panels in the table, and makes their contents.
macro_rules! contents {
    ($(
        $panel:ident: $module:ident::$ui:ident, $dock:ident, $key:ident, $id:literal,
        $name:literal, $help:literal, $offered:expr;
    )+) => {
        $(
            mod $module;
            pub use self::$module::$ui;
        )+

        /// Makes the contents of a panel.
        pub(super) fn contents(panel: Panel) -> Box<dyn PanelUi> {
            match panel { $(Panel::$panel => Box::<$ui>::default()),+ }
        }
    };
}

panel_table!(contents);

/// The data that a panel may read, and the place for its requests.
pub struct PanelContext<'a> {
    /// The open document. It is not a plain reference, because panels identify it by a weak pointer
    /// in their caches.
    pub document: &'a Arc<dyn Document>,
    /// Its path; `None` for a demo, which has no file.
    pub path: Option<&'a Path>,
    /// The file on disk, if a different version is in view.
    pub on_disk: Option<&'a OnDisk>,
    /// Differences between it and another file, once they are known.
    pub changes: Option<&'a Changes>,
    /// Index of the difference that was last gone to.
    pub change: Option<usize>,
    /// The search for its items.
    pub finding: &'a Finding,
    /// The list of files around it.
    pub files: Option<&'a Playlist>,
    /// The visible parts of the document.
    pub shown: &'a Shown,
    /// The frames that the timeline shows.
    pub timeline: TimelineWindow,
    /// The item under the pointer, in the view or in a panel.
    pub hovered: Option<Item>,
    /// The camera of the view.
    pub camera: &'a Camera,
    /// The keys that the user has changed.
    pub keymap: &'a Keymap,
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

    /// Selects an item whose widget is clicked; goes to it on a double click. A right click opens its
    /// menu.
    fn answer(&mut self, response: &Response, item: Item) {
        if response.clicked() {
            self.requests.push(Request::Select(Some(item)));
        }
        if response.double_clicked() {
            self.requests.push(Request::Visit(item));
        }
        response.context_menu(|ui| menu::of_item(ui, self.menu(), item, None));
    }
}

/// The visible part of the timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimelineWindow {
    /// The visible frames, from the start of the first to the end of the last.
    pub frames: [f64; 2],
    /// The frame at which the shown clip starts; 0 except after a transition.
    pub clip_start: f64,
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
