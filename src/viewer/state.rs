//! Everything that the window shows and that its commands change, without window or GPU.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::commands::{Action, ScaleChange};
use super::folder::{self, Playlist};
use super::loader::{Failure, LoadRequest, Loaded, Outcome, Target};
use super::panels::Request;
use super::settings::Settings;
use crate::formats::Severity;
use crate::scene::camera::{Camera, Handedness, NamedView, Pose, Projection};
use crate::scene::registry::OpenOptions;
use crate::scene::{Aabb, Document, Item, OverlaySet};

/// Things smaller than this are framed with what is around them, in world units: about four
/// tiles of terrain.
const LEAST_FRAMED_RADIUS: f32 = 24.0;

/// An open file.
#[derive(Debug, Clone)]
pub(super) struct OpenFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is the map that is built in.
    pub demo: bool,
    /// What is in it.
    pub document: Arc<dyn Document>,
    /// Changes with every load, so that who keeps something made from the document knows when
    /// it is stale.
    pub version: u64,
}

impl OpenFile {
    /// Its name for people.
    pub(super) fn name(&self) -> String {
        if self.demo {
            "Demo".to_owned()
        } else {
            folder::name(&self.path)
        }
    }
}

/// Something in front of everything else.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Dialog {
    /// Finds commands.
    Palette {
        /// What was typed.
        text: String,
        /// Which of those found Enter runs.
        at: usize,
    },
    /// Shows all keys.
    CheatSheet {
        /// What was typed to find some.
        text: String,
    },
    /// Asks for a path.
    Path {
        /// What for.
        purpose: PathPurpose,
        /// What was typed.
        text: String,
    },
    /// Says what this program is.
    About,
}

/// What a path is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathPurpose {
    Open,
    SavePicture,
    TextureFolder,
}

/// Something that only the window can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Load something.
    Load(LoadRequest),
    /// Stop loading.
    CancelLoad,
    /// Watch other files, since another or none is open.
    Watch,
    /// Ask for a path with the system's dialog.
    AskPath(PathPurpose),
    /// Save the picture.
    SavePicture(PathBuf),
    /// Put text on the clipboard.
    Copy(String),
    /// Take a camera from the clipboard.
    PastePose,
    /// Keep the settings now.
    SaveSettings,
    /// Fill the screen, or not.
    FullScreen(bool),
    /// Leave.
    Quit,
}

/// A short message that goes away by itself.
#[derive(Debug, Clone)]
pub(super) struct Toast {
    /// What it says.
    pub text: String,
    /// Whether it is about something that went wrong.
    pub severity: Option<Severity>,
    /// When it was first shown, in seconds of the window's clock.
    pub shown_at_secs: Option<f64>,
}

/// A load that is under way, for the screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LoadingView {
    /// What is loaded.
    pub name: String,
    /// How much is done, from 0 to 1.
    pub fraction: f32,
}

/// Files that are held over the window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HoveringFiles {
    /// They themselves, none twice.
    pub paths: Vec<PathBuf>,
    /// What dropping them would do, once that is known.
    pub preview: Option<DropPreview>,
}

/// What dropping files would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DropPreview {
    /// The file that would be opened, if any.
    pub opens: Option<PathBuf>,
    /// The main line.
    pub title: String,
    /// A smaller line below it.
    pub detail: String,
}

/// What the window was started with and has not used yet.
#[derive(Debug, Clone, Default)]
pub(super) struct StartView {
    /// The camera of the first file.
    pub pose: Option<Pose>,
    /// The direction to look from where there is no camera.
    pub view: NamedView,
    /// Names of the overlays that are on at first.
    pub overlays: Vec<String>,
    /// Folders in which textures are looked for besides those that are remembered.
    pub texture_folders: Vec<PathBuf>,
}

/// The state of the window.
#[derive(Debug)]
pub(super) struct State {
    /// The open file.
    pub open: Option<OpenFile>,
    /// Where the picture is taken from.
    pub camera: Camera,
    /// What the pointer does to the camera.
    pub mode: CameraMode,
    /// Speed of flying in world units a second.
    pub fly_speed: f32,
    /// Height of the game's view above the ground.
    pub game_height: f32,
    /// Width of the view over its height.
    pub aspect: f32,
    /// The overlays that are on.
    pub overlays: OverlaySet,
    /// What is selected.
    pub selected: Option<Item>,
    /// The kind that is stepped through.
    pub stepping: Option<Item>,
    /// What the pointer is over.
    pub hovered: Option<Item>,
    /// Where in the world the pointer is, if it is over something in the view.
    pub pointed_at: Option<Vec3>,
    /// What is in front.
    pub dialog: Option<Dialog>,
    /// Files that could not be opened and were not dismissed yet.
    pub failures: Vec<Failure>,
    /// Short messages.
    pub toasts: Vec<Toast>,
    /// What is loaded.
    pub loading: Option<LoadingView>,
    /// Files that are held over the window.
    pub hovering: Option<HoveringFiles>,
    /// The files that go with the open one.
    pub playlist: Option<Playlist>,
    /// What is remembered.
    pub settings: Settings,
    /// Whether the window fills the screen.
    pub full_screen: bool,
    /// The name of the graphics adapter.
    pub adapter: String,
    /// What the window still has to do.
    pub effects: Vec<Effect>,
    start: StartView,
    /// The direction from which a document that was just opened is to be seen, as soon as the
    /// shape of the view is known.
    framing: Option<NamedView>,
    versions: u64,
}

impl State {
    /// Nothing is open.
    pub(super) fn new(settings: Settings, start: StartView) -> Self {
        let bounds = Aabb {
            min: Vec3::splat(-100.0),
            max: Vec3::splat(100.0),
        };
        Self {
            open: None,
            camera: Camera::framing(bounds, start.view, Handedness::Right, 1.6),
            mode: CameraMode::default(),
            fly_speed: 50.0,
            game_height: camera_control::GAME_HEIGHT,
            aspect: 1.6,
            overlays: OverlaySet::default(),
            selected: None,
            stepping: None,
            hovered: None,
            pointed_at: None,
            dialog: None,
            failures: Vec::new(),
            toasts: Vec::new(),
            loading: None,
            hovering: None,
            playlist: None,
            settings,
            full_screen: false,
            adapter: String::new(),
            effects: Vec::new(),
            start,
            framing: None,
            versions: 0,
        }
    }

    /// The open document.
    pub(super) fn document(&self) -> Option<&Arc<dyn Document>> {
        self.open.as_ref().map(|open| &open.document)
    }

    /// The text of the window's title bar.
    pub(super) fn title(&self) -> String {
        match &self.open {
            Some(open) => format!("Mapscope - {}", open.name()),
            None => "Mapscope".to_owned(),
        }
    }

    /// What the user has said about opening files.
    pub(super) fn open_options(&self) -> OpenOptions {
        let remembered = self.settings.texture_folders.iter();
        OpenOptions {
            texture_folders: self
                .start
                .texture_folders
                .iter()
                .chain(remembered)
                .cloned()
                .collect(),
        }
    }

    /// Shows a short message.
    pub(super) fn toast(&mut self, text: impl Into<String>, severity: Option<Severity>) {
        let text = text.into();
        self.toasts.retain(|toast| toast.text != text);
        // More would cover the view.
        if self.toasts.len() >= 4 {
            self.toasts.remove(0);
        }
        self.toasts.push(Toast {
            text,
            severity,
            shown_at_secs: None,
        });
    }

    /// Opens the first of these files and folders that can be opened.
    pub(super) fn open_paths(&mut self, paths: Vec<PathBuf>) {
        if !paths.is_empty() {
            self.load(Target::Paths(paths), false);
        }
    }

    fn load(&mut self, target: Target, reload: bool) {
        self.effects
            .push(Effect::Load(LoadRequest { target, reload }));
    }

    /// Reads the open file again, keeping camera and selection.
    pub(super) fn reload(&mut self) {
        let target = match &self.open {
            Some(open) if open.demo => Target::Demo,
            Some(open) => Target::Paths(vec![open.path.clone()]),
            None => return,
        };
        self.load(target, true);
    }

    /// Takes in what a load gave. What was open stays open when nothing was opened.
    pub(super) fn loaded(&mut self, outcome: Outcome) {
        let Outcome {
            request,
            loaded,
            failures,
            ..
        } = outcome;
        let cancelled = loaded.is_none() && failures.is_empty();
        match loaded {
            Some(loaded) => {
                for failure in failures {
                    let name = folder::name(&failure.path);
                    self.toast(
                        format!("{name}: {}", failure.message),
                        Some(Severity::Error),
                    );
                }
                self.failures.clear();
                self.take(loaded, request.reload);
            }
            None if cancelled => self.toast("Cancelled", None),
            None if request.reload => {
                for failure in &failures {
                    let name = folder::name(&failure.path);
                    let text = format!("{name} cannot be read now; the last good version stays");
                    self.toast(text, Some(Severity::Error));
                }
                self.failures = failures;
            }
            None => {
                if let Some(failure) = failures.first() {
                    let name = folder::name(&failure.path);
                    self.toast(format!("{name} could not be opened"), Some(Severity::Error));
                }
                self.failures = failures;
            }
        }
    }

    fn take(&mut self, loaded: Loaded, reload: bool) {
        let Loaded {
            path,
            demo,
            document,
            files,
        } = loaded;
        self.versions += 1;
        let same = self.open.as_ref().is_some_and(|open| open.path == path);
        let keep = reload && same;
        self.open = Some(OpenFile {
            path: path.clone(),
            demo,
            document: Arc::clone(&document),
            version: self.versions,
        });
        let is_gone = |item: &Item| document.properties(*item).is_empty();
        self.hovered = None;
        self.pointed_at = None;
        if keep {
            self.selected = self.selected.filter(|item| !is_gone(item));
            self.toast("Reloaded", None);
        } else {
            self.selected = None;
            self.stepping = None;
            self.look_at_document(&*document);
            if files.len() > 1 {
                self.playlist = Some(Playlist::new(files, &path));
            } else if !self.playlist.as_mut().is_some_and(|list| list.go_to(&path)) {
                self.playlist = None;
            }
            if !demo {
                self.settings.remember_file(&path);
            }
            if !document.problems().is_empty() && self.settings.bottom.open.is_none() {
                self.settings.bottom.open = Some(super::settings::Panel::Problems);
            }
        }
        self.keep_offered_overlays(&*document);
        self.effects.push(Effect::Watch);
    }

    /// Overlays that are on stay on where the new document has them too.
    fn keep_offered_overlays(&mut self, document: &dyn Document) {
        let offered = document.overlays();
        let mut overlays = OverlaySet::default();
        for id in self.overlays.iter() {
            overlays.set(offered, id, true);
        }
        for id in std::mem::take(&mut self.start.overlays) {
            overlays.set(offered, &id, true);
        }
        self.overlays = overlays;
    }

    fn look_at_document(&mut self, document: &dyn Document) {
        let bounds = document.bounds();
        self.camera.handedness = document.handedness();
        self.camera.near = camera_control::near_plane(bounds);
        self.mode = CameraMode::Orbit;
        self.fly_speed = camera_control::first_fly_speed(bounds);
        let view = std::mem::take(&mut self.start.view);
        match self.start.pose.take() {
            Some(pose) => self.camera.pose = pose,
            None => self.framing = Some(view),
        }
    }

    /// Takes on the shape of the view, and frames a document that has just been opened.
    pub(super) fn shape_view(&mut self, aspect: f32) {
        self.aspect = aspect;
        let Some(document) = self.document().cloned() else {
            return;
        };
        if let Some(view) = self.framing.take() {
            let Camera {
                projection,
                near,
                handedness,
                ..
            } = self.camera;
            self.camera = Camera {
                projection,
                near,
                ..Camera::framing(document.bounds(), view, handedness, aspect)
            };
        }
    }

    /// Closes a file that this computer cannot show, and says why.
    pub(super) fn refuse(&mut self, message: String) {
        if let Some(open) = &self.open {
            let path = open.path.clone();
            self.failures.push(Failure { path, message });
            self.close();
        }
    }

    /// Closes the file.
    fn close(&mut self) {
        self.open = None;
        self.playlist = None;
        self.selected = None;
        self.stepping = None;
        self.hovered = None;
        self.pointed_at = None;
        self.effects.push(Effect::Watch);
    }

    /// Whether a command can do anything now.
    pub(super) fn is_enabled(&self, action: Action) -> bool {
        let open = self.open.is_some();
        match action {
            Action::Reload
            | Action::SavePicture
            | Action::Close
            | Action::FrameAll
            | Action::View(_)
            | Action::GameView
            | Action::Orthographic
            | Action::Fly
            | Action::CopyPose
            | Action::PastePose => open,
            Action::Neighbor { .. } => self.open.as_ref().is_some_and(|open| !open.demo),
            Action::FrameSelection | Action::Walk(_) => open && self.selected.is_some(),
            Action::NextOfKind { .. } => open && (self.selected.or(self.stepping)).is_some(),
            Action::Overlay(id) => self
                .document()
                .is_some_and(|document| document.overlays().iter().any(|o| o.id == id)),
            Action::Clear => {
                self.loading.is_some()
                    || self.dialog.is_some()
                    || !self.failures.is_empty()
                    || self.selected.is_some()
            }
            Action::Open
            | Action::OpenPath
            | Action::OpenDemo
            | Action::AddTextureFolder
            | Action::Quit
            | Action::Panel(_)
            | Action::Scale(_)
            | Action::FullScreen
            | Action::Palette
            | Action::CheatSheet
            | Action::About => true,
        }
    }

    /// Whether what a command switches is on; none for commands that switch nothing.
    pub(super) fn is_on(&self, action: Action) -> Option<bool> {
        match action {
            Action::Panel(panel) => Some(self.settings.is_open(panel)),
            Action::FullScreen => Some(self.full_screen),
            Action::Orthographic => Some(self.camera.projection == Projection::Orthographic),
            Action::GameView => Some(self.mode == CameraMode::Game),
            Action::Fly => Some(self.mode == CameraMode::Fly),
            Action::Overlay(id) => Some(self.overlays.contains(id)),
            _ => None,
        }
    }

    /// Does what a command says, if it can.
    pub(super) fn run(&mut self, action: Action) {
        if !self.is_enabled(action) {
            return;
        }
        match action {
            Action::Open => self.effects.push(Effect::AskPath(PathPurpose::Open)),
            Action::OpenPath => self.ask_path(PathPurpose::Open),
            Action::OpenDemo => self.load(Target::Demo, false),
            Action::Reload => self.reload(),
            Action::Neighbor { backwards } => self.open_neighbor(backwards),
            Action::SavePicture => self.effects.push(Effect::AskPath(PathPurpose::SavePicture)),
            Action::AddTextureFolder => {
                self.effects
                    .push(Effect::AskPath(PathPurpose::TextureFolder));
            }
            Action::Close => self.close(),
            Action::Quit => self.effects.push(Effect::Quit),
            Action::Panel(panel) => {
                let open = self.settings.is_open(panel);
                self.settings.dock_mut(panel.dock()).open = (!open).then_some(panel);
            }
            Action::Scale(change) => {
                let scale = match change {
                    ScaleChange::Larger => self.settings.scale + 0.1,
                    ScaleChange::Smaller => self.settings.scale - 0.1,
                    ScaleChange::Reset => 1.0,
                };
                self.settings.scale = (scale.clamp(0.5, 3.0) * 10.0).round() / 10.0;
            }
            Action::FullScreen => {
                self.full_screen = !self.full_screen;
                self.effects.push(Effect::FullScreen(self.full_screen));
            }
            Action::FrameSelection => {
                if let Some(item) = self.selected {
                    self.frame(item);
                }
            }
            Action::FrameAll => self.frame_all(),
            Action::View(view) => {
                self.mode = CameraMode::Orbit;
                let direction = view.direction(self.camera.handedness);
                self.camera.pose = camera_control::face(&self.camera, direction);
            }
            Action::Orthographic => {
                self.camera.projection = match self.camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                };
            }
            Action::GameView => {
                if self.mode == CameraMode::Game {
                    self.mode = CameraMode::Orbit;
                } else {
                    self.mode = CameraMode::Game;
                    self.game_height = camera_control::GAME_HEIGHT;
                    let seen = self.seen_in_the_middle();
                    self.camera.pose = camera_control::game_view(seen, self.game_height);
                }
            }
            Action::Fly => {
                self.mode = match self.mode {
                    CameraMode::Fly => {
                        // Turning is around something that is in view again.
                        self.camera.pose.target = self.seen_in_the_middle();
                        CameraMode::Orbit
                    }
                    CameraMode::Orbit | CameraMode::Game => CameraMode::Fly,
                };
            }
            Action::CopyPose => {
                self.effects
                    .push(Effect::Copy(self.camera.pose.to_string()));
                self.toast("Camera copied", None);
            }
            Action::PastePose => self.effects.push(Effect::PastePose),
            Action::Clear => self.clear(),
            Action::Walk(direction) => {
                let neighbor = self.selected.and_then(|item| {
                    self.document()
                        .and_then(|document| document.neighbor(item, direction))
                });
                if neighbor.is_some() {
                    self.select(neighbor);
                    self.keep_in_view();
                }
            }
            Action::NextOfKind { backwards } => {
                if let Some(kind) = self.kind_of_selection() {
                    self.next_of_kind(kind, backwards);
                }
            }
            Action::Overlay(id) => {
                if let Some(document) = self.document().cloned() {
                    let on = !self.overlays.contains(id);
                    self.overlays.set(document.overlays(), id, on);
                }
            }
            Action::Palette => {
                self.dialog = Some(Dialog::Palette {
                    text: String::new(),
                    at: 0,
                });
            }
            Action::CheatSheet => {
                let shown = matches!(self.dialog, Some(Dialog::CheatSheet { .. }));
                self.dialog = (!shown).then(|| Dialog::CheatSheet {
                    text: String::new(),
                });
            }
            Action::About => self.dialog = Some(Dialog::About),
        }
    }

    /// Does what a panel asks for.
    pub(super) fn request(&mut self, request: Request) {
        match request {
            Request::Select(item) => self.select(item),
            Request::Hover(item) => self.hovered = item,
            Request::Frame(item) => self.frame(item),
            Request::NextOfKind { kind, backwards } => self.next_of_kind(kind, backwards),
            Request::ShowProblem(index) => self.show_problem(index),
            Request::Run(id) => match super::commands::find(id) {
                Some(command) => self.run(command.action),
                None => log::error!("a panel asked for the command `{id}`, which there is not"),
            },
        }
    }

    /// Selects an item, or nothing.
    pub(super) fn select(&mut self, item: Option<Item>) {
        self.selected = item;
        if let Some(item) = item
            && self.is_kind(item)
        {
            self.stepping = Some(item);
        }
    }

    fn is_kind(&self, item: Item) -> bool {
        self.document()
            .is_some_and(|document| document.kinds().iter().any(|kind| kind.item == item))
    }

    /// The kind that the selection is, or is of.
    fn kind_of_selection(&self) -> Option<Item> {
        let Some(selected) = self.selected else {
            return self.stepping;
        };
        if self.is_kind(selected) {
            return Some(selected);
        }
        // An item's properties link to its kind.
        let groups = self.document()?.properties(selected);
        let links = groups.iter().flat_map(|group| &group.properties);
        links
            .filter_map(|property| property.link)
            .find(|link| self.is_kind(*link))
            .or(self.stepping)
    }

    fn next_of_kind(&mut self, kind: Item, backwards: bool) {
        let after = self.selected.filter(|item| *item != kind);
        let next = self
            .document()
            .and_then(|document| document.next_of_kind(kind, after, backwards));
        match next {
            Some(next) => {
                self.select(Some(next));
                self.stepping = Some(kind);
                self.center_on_selection();
            }
            None => self.toast("There are none of this kind", None),
        }
    }

    fn show_problem(&mut self, index: usize) {
        let Some(document) = self.document() else {
            return;
        };
        let item = document
            .problems()
            .get(index)
            .and_then(|problem| document.problem_item(problem));
        match item {
            Some(item) => {
                self.select(Some(item));
                self.frame(item);
            }
            None => self.toast("This problem is not about a place on the map", None),
        }
    }

    /// Fills the view with everything.
    fn frame_all(&mut self) {
        let Some(bounds) = self.document().map(|document| document.bounds()) else {
            return;
        };
        self.mode = CameraMode::Orbit;
        self.camera.pose = camera_control::frame(&self.camera, bounds, 1.0, self.aspect);
    }

    /// Fills the view with an item; in the game's view it goes to the middle.
    fn frame(&mut self, item: Item) {
        let Some(bounds) = self.bounds_of(item) else {
            return;
        };
        let least = self.least_framed_radius();
        self.camera.pose = match self.mode {
            CameraMode::Game => camera_control::game_view(bounds.center(), self.game_height),
            CameraMode::Orbit | CameraMode::Fly => {
                camera_control::frame(&self.camera, bounds, least, self.aspect)
            }
        };
    }

    fn bounds_of(&self, item: Item) -> Option<Aabb> {
        self.document()
            .and_then(|document| document.item_bounds(item))
    }

    /// Less for documents that are themselves small.
    fn least_framed_radius(&self) -> f32 {
        let whole = self
            .document()
            .map_or(0.0, |document| document.bounds().radius());
        LEAST_FRAMED_RADIUS.min(whole * 0.25)
    }

    fn center_on_selection(&mut self) {
        if let Some(bounds) = self.selected.and_then(|item| self.bounds_of(item)) {
            self.camera.pose = camera_control::center_on(&self.camera, bounds.center());
        }
    }

    /// Moves the camera only if the selection has left the view.
    fn keep_in_view(&mut self) {
        let Some(bounds) = self.selected.and_then(|item| self.bounds_of(item)) else {
            return;
        };
        let seen = self.camera.project(bounds.center(), self.aspect);
        let margin = 0.06;
        let inside = |p: Vec2| p.min_element() > margin && p.max_element() < 1.0 - margin;
        if !seen.is_some_and(inside) {
            self.center_on_selection();
        }
    }

    /// The point of the document, or of the ground, that is in the middle of the picture.
    pub(super) fn seen_in_the_middle(&self) -> Vec3 {
        self.seen_at(Vec2::splat(0.5))
    }

    /// The point of the document that is at a point of the picture; where there is none, of the
    /// level ground at the target's height, or at its distance.
    pub(super) fn seen_at(&self, at: Vec2) -> Vec3 {
        let ray = self.camera.ray_in_world(at, self.aspect);
        let hit = self.document().and_then(|document| document.pick(ray));
        if let Some(hit) = hit {
            return hit.position;
        }
        let bounds = self.document().map(|document| document.bounds());
        let ground = bounds.map_or(0.0, |bounds| bounds.center().y);
        let reach = bounds.map_or(1000.0, |bounds| bounds.radius() * 2.0) + self.camera.distance();
        camera_control::on_level(&self.camera, ground, at, self.aspect)
            .filter(|point| point.distance(self.camera.pose.eye) < reach)
            .unwrap_or_else(|| camera_control::at_target_depth(&self.camera, at, self.aspect))
    }

    fn open_neighbor(&mut self, backwards: bool) {
        if self.playlist.is_none()
            && let Some(open) = &self.open
            && let Some(folder) = open.path.parent()
        {
            // The names of one folder: fast enough to be read here.
            match folder::openable_files(folder) {
                Ok(files) => self.playlist = Some(Playlist::new(files, &open.path)),
                Err(error) => {
                    let text = format!("{} cannot be read: {error}", folder.display());
                    self.toast(text, Some(Severity::Error));
                }
            }
        }
        let next = self.playlist.as_mut().and_then(|list| list.step(backwards));
        match next.map(Path::to_owned) {
            Some(path) => self.open_paths(vec![path]),
            None => self.toast("There is no other file to open in this folder", None),
        }
    }

    /// Cancels, closes or deselects: whatever is foremost.
    fn clear(&mut self) {
        if self.dialog.take().is_some() {
            return;
        }
        if self.loading.is_some() {
            self.effects.push(Effect::CancelLoad);
        } else if !self.failures.is_empty() {
            self.failures.clear();
        } else {
            self.select(None);
            self.stepping = None;
        }
    }

    /// Asks for a path in the window itself, which works where the system has no dialog.
    pub(super) fn ask_path(&mut self, purpose: PathPurpose) {
        let text = match (purpose, &self.open) {
            (PathPurpose::SavePicture, Some(open)) => {
                suggested_picture(&open.path).display().to_string()
            }
            _ => String::new(),
        };
        self.dialog = Some(Dialog::Path { purpose, text });
    }

    /// Does what a path was asked for.
    pub(super) fn path_chosen(&mut self, purpose: PathPurpose, path: PathBuf) {
        match purpose {
            PathPurpose::Open => self.open_paths(vec![path]),
            PathPurpose::SavePicture => self.effects.push(Effect::SavePicture(path)),
            PathPurpose::TextureFolder => self.add_texture_folder(&path),
        }
    }

    fn add_texture_folder(&mut self, folder: &Path) {
        if !folder.is_dir() {
            let text = format!("{} is not a folder", folder.display());
            self.toast(text, Some(Severity::Error));
        } else if self.settings.add_texture_folder(folder) {
            self.toast(
                format!("Textures are looked for in {}", folder.display()),
                None,
            );
            self.effects.push(Effect::SaveSettings);
            self.reload();
        } else {
            self.toast("Textures are looked for there already", None);
        }
    }

    /// Takes the camera from a text, such as one that was copied.
    pub(super) fn paste_pose(&mut self, text: &str) {
        match text.parse::<Pose>() {
            Ok(pose) => {
                self.mode = CameraMode::Orbit;
                self.camera.pose = pose;
            }
            Err(error) => {
                let text = format!("The clipboard has no camera: {error}");
                self.toast(text, Some(Severity::Error));
            }
        }
    }
}

/// Where a picture of a file is saved unless the user says otherwise.
pub(super) fn suggested_picture(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let pictures =
        directories::UserDirs::new().and_then(|dirs| dirs.picture_dir().map(Path::to_owned));
    pictures.unwrap_or_default().join(format!("{stem}.png"))
}

/// Says what dropping these files would do. Reads folders.
pub(super) fn preview_drop(paths: &[PathBuf]) -> DropPreview {
    let openable = |path: &&PathBuf| crate::scene::registry::looks_openable(path);
    match paths {
        [folder] if folder.is_dir() => {
            let name = folder::name(folder);
            let files = folder::openable_files(folder).unwrap_or_default();
            match files.first() {
                Some(first) => DropPreview {
                    title: format!("Drop to open the folder {name}"),
                    detail: match files.len() {
                        1 => folder::name(first),
                        count => format!("{}, the first of {count} files", folder::name(first)),
                    },
                    opens: Some(first.clone()),
                },
                None => DropPreview {
                    title: format!("{name} has no file that Mapscope opens"),
                    detail: String::new(),
                    opens: None,
                },
            }
        }
        [file] => DropPreview {
            title: format!("Drop to open {}", folder::name(file)),
            detail: if openable(&file) {
                String::new()
            } else {
                "Its name promises nothing, but its content may".to_owned()
            },
            opens: Some(file.clone()),
        },
        several => match several.iter().find(openable).or(several.first()) {
            Some(first) => DropPreview {
                title: format!("Drop to open {}", folder::name(first)),
                detail: format!(
                    "{} files: the first that can be opened, the others with Page Down",
                    several.len()
                ),
                opens: Some(first.clone()),
            },
            None => DropPreview {
                title: "Drop to open".to_owned(),
                detail: String::new(),
                opens: None,
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::commands::COMMANDS;
    use super::*;
    use crate::scene::demo;
    use crate::scene::registry::{self, Progress};

    fn state() -> State {
        State::new(Settings::default(), StartView::default())
    }

    #[test]
    fn no_command_does_harm_while_nothing_is_open() {
        for command in COMMANDS {
            let mut state = state();
            let pose = state.camera.pose;
            state.run(command.action);
            assert!(
                state.open.is_none() && state.camera.pose == pose,
                "{}",
                command.id
            );
            assert!(state.camera.pose.eye.is_finite(), "{}", command.id);
        }
    }

    #[test]
    fn what_switches_says_whether_it_is_on() {
        for command in COMMANDS {
            let mut state = state();
            let before = state.is_on(command.action);
            state.run(command.action);
            if let (Some(before), true) = (before, state.is_enabled(command.action)) {
                assert_eq!(state.is_on(command.action), Some(!before), "{}", command.id);
                state.run(command.action);
                assert_eq!(state.is_on(command.action), Some(before), "{}", command.id);
            }
        }
    }

    /// What a load gives: the demo under another name, or a failure.
    fn outcome(path: &str, reload: bool, opens: bool) -> Outcome {
        let document = || {
            let (options, progress) = (OpenOptions::default(), Progress::default());
            registry::open(&demo::source(), &options, &progress).unwrap()
        };
        Outcome {
            request: LoadRequest {
                target: Target::Paths(vec![path.into()]),
                reload,
            },
            loaded: opens.then(|| Loaded {
                path: path.into(),
                demo: false,
                document: document(),
                files: vec![path.into()],
            }),
            failures: if opens {
                Vec::new()
            } else {
                vec![Failure {
                    path: path.into(),
                    message: "1:1: bad".into(),
                }]
            },
            number: 1,
        }
    }

    #[test]
    fn what_is_opened_is_framed_once_the_view_has_a_shape() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.shape_view(0.8);
        let bounds = state.document().unwrap().bounds();
        for corner in bounds.corners() {
            let seen = state.camera.project(corner, 0.8).unwrap();
            assert!(
                seen.min_element() > 0.0 && seen.max_element() < 1.0,
                "{seen}"
            );
        }
        assert_eq!(state.title(), "Mapscope - a.pfmap");
        assert_eq!(state.settings.recent_files, [PathBuf::from("/a.pfmap")]);
    }

    #[test]
    fn a_reload_keeps_camera_selection_and_overlays() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.shape_view(1.5);
        state.paste_pose("10,200,30,40,5,60");
        state.select(Some(Item {
            kind: "tile",
            index: 77,
        }));
        state.run(Action::Overlay("tile-grid"));
        let kept = (state.camera, state.selected, state.overlays.clone());
        let version = state.open.as_ref().unwrap().version;
        state.loaded(outcome("/a.pfmap", true, true));
        state.shape_view(1.5);
        assert_eq!((state.camera, state.selected, state.overlays.clone()), kept);
        assert_ne!(state.open.as_ref().unwrap().version, version);
        state.loaded(outcome("/b.pfmap", false, true));
        state.shape_view(1.5);
        assert_eq!(state.selected, None);
        assert_ne!(state.camera, kept.0);
        assert_eq!(state.overlays, kept.2);
    }

    #[test]
    fn what_was_open_stays_open_when_the_next_file_fails() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        for reload in [false, true] {
            state.loaded(outcome("/bad.pfmap", reload, false));
            assert_eq!(state.open.as_ref().unwrap().path, Path::new("/a.pfmap"));
            assert_eq!(state.failures.len(), 1);
        }
        state.loaded(outcome("/a.pfmap", true, true));
        assert!(state.failures.is_empty());
    }

    #[test]
    fn escape_closes_what_is_foremost_first() {
        let mut state = state();
        state.selected = Some(Item {
            kind: "tile",
            index: 3,
        });
        state.failures.push(Failure {
            path: "x".into(),
            message: "y".into(),
        });
        state.loading = Some(LoadingView {
            name: "z".into(),
            fraction: 0.1,
        });
        state.run(Action::About);
        state.run(Action::Clear);
        assert!(state.dialog.is_none() && state.effects.is_empty());
        state.run(Action::Clear);
        assert_eq!(state.effects, [Effect::CancelLoad]);
        state.loading = None;
        state.run(Action::Clear);
        assert!(state.failures.is_empty() && state.selected.is_some());
        state.run(Action::Clear);
        assert!(state.selected.is_none());
        assert!(!state.is_enabled(Action::Clear));
    }

    #[test]
    fn the_overlay_says_what_a_drop_would_open() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        for name in ["b10.pfmap", "b9.pfmap", "notes.txt"] {
            std::fs::write(in_dir(name), b"x").unwrap();
        }
        let one = preview_drop(&[in_dir("日本 100%.pfmap")]);
        assert_eq!(one.title, "Drop to open 日本 100%.pfmap");
        let several = preview_drop(&[in_dir("notes.txt"), in_dir("b9.pfmap")]);
        assert_eq!(several.opens, Some(in_dir("b9.pfmap")));
        assert!(several.detail.starts_with("2 files"), "{several:?}");
        let folder = preview_drop(&[dir.path().to_owned()]);
        assert_eq!(folder.opens, Some(in_dir("b9.pfmap")));
        assert!(folder.detail.contains("first of 2"), "{folder:?}");
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(preview_drop(&[empty.path().to_owned()]).opens, None);
    }

    #[test]
    fn a_pasted_camera_is_taken_and_anything_else_is_named() {
        let mut state = state();
        state.paste_pose(" 1,2,3,4,5,6\n");
        assert_eq!(state.camera.pose.to_string(), "1,2,3,4,5,6");
        state.paste_pose("hello");
        assert_eq!(state.camera.pose.to_string(), "1,2,3,4,5,6");
        assert!(state.toasts[0].text.contains("hello"), "{:?}", state.toasts);
    }

    #[test]
    fn the_same_message_is_not_stacked() {
        let mut state = state();
        for number in 0..9 {
            state.toast("same", None);
            state.toast(format!("{number}"), None);
        }
        assert!(state.toasts.len() <= 4);
        assert_eq!(state.toasts.iter().filter(|t| t.text == "same").count(), 1);
    }
}
