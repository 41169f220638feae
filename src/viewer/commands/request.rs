//! What panels and bars want done.

use std::path::PathBuf;

use glam::DVec2;

use super::Action;
use crate::viewer::state::State;
use mapscope_formats::Severity;
use mapscope_scene::{Aabb, Item, ProblemTarget};

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

impl State {
    /// Does what panels and bars ask for, one after another.
    pub(crate) fn carry_out(&mut self, requests: Vec<Request>) {
        for request in requests {
            self.request(request);
        }
    }

    /// Does what a panel asks for.
    pub(crate) fn request(&mut self, request: Request) {
        match request {
            Request::Select(item) => self.select(item),
            Request::OpenFileOf(item) => self.open_file_of(item),
            Request::Hover(item) => self.pointer.hovered = item,
            Request::Frame(item) => self.frame(item),
            Request::Visit(item) => self.visit(item),
            Request::LookThrough(item) => self.look_through(item),
            Request::NextOfKind { kind, backwards } => self.next_of_kind(kind, backwards),
            Request::ShowFrame(frame) => self.scrub(frame),
            Request::GoToFrame(frame) => self.go_to_frame(frame),
            Request::HoldMoment => self.player.hold(),
            Request::ChooseClip(clip) => self.choose_clip(clip),
            Request::SetFps(fps) => self.player.set_fps(fps),
            Request::SetSpeed(speed) => self.player.set_speed(speed),
            Request::SetRangeStart(frame) => self.player.set_range_start(frame),
            Request::SetRangeEnd(frame) => self.player.set_range_end(frame),
            Request::Warn(text) => self.notices.toast(text, Some(Severity::Warning)),
            Request::ShowProblem(target) => self.show_problem(target),
            Request::ShowChange(index) => self.show_change(index),
            Request::ShowLevel(level) => self.show_level(level),
            Request::Hide(item, hide) => self.hide(item, hide),
            Request::SetLight(light, intensity) => self.view.shown.lights.set(light, intensity),
            Request::SetOpacity(layer, opacity) => self.view.shown.opacities.set(layer, opacity),
            Request::Solo(layer) => self.solo(layer),
            Request::ShowAll => self.view.shown.hidden.clear(),
            Request::SwitchAllLights(on) => self.switch_all_lights(on),
            Request::CellDepth(depth) => self.view.shown.cell_depth = depth,
            Request::CenterFlat(middle) => self.center_flat(middle),
            Request::SetLayerGap(gap) => self.view.shown.layer_gap = gap,
            Request::SetCut(cut) => self.set_cut(cut),
            Request::OpenPaths(paths) => self.open_paths(&paths),
            Request::OpenListed(index) => self.open_listed(index),
            Request::FilterListed(filter) => {
                if let Some(list) = &mut self.files.playlist {
                    list.set_filter(filter);
                }
            }
            Request::ForgetRecentFiles => self.settings.recent_files.clear(),
            Request::Run(action) => self.run(action),
        }
    }
}
