//! Requests of panels and bars.

use std::path::PathBuf;

use glam::DVec2;

use super::Action;
use crate::viewer::docks::Panel;
use crate::viewer::state::copy::Copied;
use crate::viewer::state::edit::EditTarget;
use crate::viewer::state::interface::PathPurpose;
use crate::viewer::state::{Effect, State};
use mapscope_formats::Severity;
use mapscope_scene::{Aabb, Item, ProblemTarget};

/// A request of a panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Select an item, or clear the selection.
    Select(Option<Item>),
    /// Add a joint to the selection, or remove it.
    AlsoSelect(Item),
    /// Open the file that an item represents.
    OpenFileOf(Item),
    /// The pointer hovers over this item in a panel, or over no item.
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
    /// Show a frame of the clip while the pointer drags the timeline.
    ShowFrame(f64),
    /// Go to a frame of the clip and pause.
    GoToFrame(f64),
    /// Hold the position of the playback during this window frame.
    HoldMoment,
    /// Show a clip from its start, or the bind pose.
    ChooseClip(Option<usize>),
    /// Preview a transition to a clip in a number of seconds; `None` ends the preview.
    SetTransition(Option<(usize, f64)>),
    /// Scale the visible part of the timeline around a frame, by a factor.
    ZoomTimeline {
        /// The frame that keeps its place.
        frame: f64,
        /// Factor of the number of visible frames.
        factor: f64,
    },
    /// Move the visible part of the timeline by a number of frames.
    PanTimeline(f64),
    /// Set the frames between the ghosts of an onion skin.
    SetGhostStep(u32),
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
    /// Set the order in which differences follow each other; `None` for that of the file.
    OrderChanges(Option<Vec<usize>>),
    /// Find the items that match a query; an empty one ends the search.
    Find(String),
    /// Find the items that match a query, and show the panel with the matches.
    ListMatches(String),
    /// Go to a match, by its index.
    ShowMatch(usize),
    /// Set the order in which matches follow each other; `None` for that of the file.
    OrderMatches(Option<Vec<usize>>),
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
    /// Show all hidden items.
    ShowAll,
    /// Switch all lights of the visible level on or off; `None` restores the file's values.
    SwitchAllLights(Option<bool>),
    /// Outline the cells of this depth; `None` outlines the leaves of the tree.
    CellDepth(Option<u8>),
    /// Look at a place on the plan of the map.
    LookAtPlan(DVec2),
    /// Turn the view to the north.
    FaceNorth,
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
    /// Open a place in the user's editor.
    Edit(EditTarget),
    /// Show the file of an item in the file manager.
    ShowInFolder(Item),
    /// Copy a text about an item.
    Copy(Item, Copied),
    /// Ask where to save the UV layout of a texture.
    SaveLayout(Item),
    /// Run a command.
    Run(Action),
}

impl State {
    /// Carries out requests of panels and bars, in order.
    pub(crate) fn carry_out(&mut self, requests: Vec<Request>) {
        for request in requests {
            self.request(request);
        }
    }

    /// Carries out a request of a panel.
    pub(crate) fn request(&mut self, request: Request) {
        match request {
            Request::Select(item) => self.session.select(item),
            Request::AlsoSelect(item) => self.session.also_select(item),
            Request::OpenFileOf(item) => self.open_file_of(item),
            Request::Hover(item) => self.session.pointer.hovered = item,
            Request::Frame(item) => self.session.frame(item),
            Request::Visit(item) => self.visit(item),
            Request::LookThrough(item) => self.session.look_through(item),
            Request::NextOfKind { kind, backwards } => self.next_of_kind(kind, backwards),
            Request::ShowFrame(frame) => self.session.scrub(frame),
            Request::GoToFrame(frame) => self.session.go_to_frame(frame),
            Request::HoldMoment => self.session.player.hold(),
            Request::ChooseClip(clip) => self.session.choose_clip(clip),
            Request::SetTransition(to) => self.session.set_transition(to),
            Request::ZoomTimeline { frame, factor } => {
                self.session.player.zoom_window(frame, factor);
            }
            Request::PanTimeline(frames) => self.session.player.pan_window(frames),
            Request::SetGhostStep(step) => self.session.view.shown.ghost_step = Some(step),
            Request::SetFps(fps) => self.session.player.set_fps(fps),
            Request::SetSpeed(speed) => self.session.player.set_speed(speed),
            Request::SetRangeStart(frame) => self.session.player.set_range_start(frame),
            Request::SetRangeEnd(frame) => self.session.player.set_range_end(frame),
            Request::Warn(text) => self.notices.toast(text, Some(Severity::Warning)),
            Request::ShowProblem(target) => self.show_problem(target),
            Request::ShowChange(index) => self.session.show_change(index),
            Request::OrderChanges(order) => self.session.tools.comparison.order = order,
            Request::Find(query) => self.find(query),
            Request::ListMatches(query) => {
                self.show_panel(Panel::Find);
                self.find(query);
            }
            Request::ShowMatch(index) => self.session.show_match(index),
            Request::OrderMatches(order) => self.session.tools.finding.order = order,
            Request::ShowLevel(level) => self.session.show_level(level),
            Request::Hide(item, hide) => self.session.hide(item, hide),
            Request::SetLight(light, intensity) => {
                self.session.view.shown.lights.set(light, intensity);
            }
            Request::SetOpacity(layer, opacity) => {
                self.session.view.shown.opacities.set(layer, opacity);
            }
            Request::Solo(layer) => self.session.solo(layer),
            Request::ShowAll => self.session.view.shown.hidden.clear(),
            Request::SwitchAllLights(on) => self.session.switch_all_lights(on),
            Request::CellDepth(depth) => self.session.view.shown.cell_depth = depth,
            Request::LookAtPlan(at) => {
                if let Some(open) = &self.session.open {
                    self.session.view.look_at_plan(&*open.document, at);
                }
            }
            Request::FaceNorth => self.session.view.face_north(),
            Request::SetLayerGap(gap) => self.session.view.shown.layer_gap = gap,
            Request::SetCut(cut) => self.session.set_cut(cut),
            Request::OpenPaths(paths) => self.open_paths(&paths),
            Request::OpenListed(index) => self.open_listed(index),
            Request::FilterListed(filter) => {
                if let Some(list) = &mut self.playlist {
                    list.set_filter(filter);
                }
            }
            Request::ForgetRecentFiles => self.settings.recent_files.clear(),
            Request::Edit(target) => self.edit(target),
            Request::ShowInFolder(item) => self.show_in_folder(item),
            Request::Copy(item, copied) => self.copy(item, copied),
            Request::SaveLayout(texture) => {
                let purpose = PathPurpose::SaveLayout(texture);
                self.effects.push(Effect::AskPath(purpose));
            }
            Request::Run(action) => self.run(action),
        }
    }
}
