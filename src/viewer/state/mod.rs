//! Everything that the window shows and that its commands change, without window or GPU.

mod actions;
pub(crate) mod drop_preview;
pub(crate) mod folder;
pub(crate) mod level;
pub(crate) mod loader;
mod playback;
pub(crate) mod player;
pub(crate) mod reload;
pub(crate) mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use glam::{Vec2, Vec3};

use crate::view_request::ViewRequest;
use crate::viewer::panels::OnDisk;
use crate::viewer::panels::Panel;
use crate::viewer::view::camera_control::{self, CameraMode};
use crate::viewer::view::flat::{FlatView, NO_VIEW};
use crate::viewer::view::measure::Measure;
use drop_preview::DropPreview;
use folder::Playlist;
use level::Cut;
use loader::{Cause, Failure, LoadRequest, Loaded, Outcome, Target};
use mapscope_formats::Severity;
use mapscope_scene::OpenOptions;
use mapscope_scene::camera::{self, Camera, Handedness, NamedView};
use mapscope_scene::demo::Demo;
use mapscope_scene::saving::{self, PNG, SaveError};
use mapscope_scene::{Aabb, Document, Item, OverlaySet, Shown};
use player::Player;
use reload::Wish;
use settings::{FieldsOfView, Settings};

/// An open file.
#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    /// Where it is.
    pub path: PathBuf,
    /// The demo that it is, if it is none of the user's files.
    pub demo: Option<&'static Demo>,
    /// What is in it.
    pub document: Arc<dyn Document>,
    /// Changes with every load, so that who keeps something made from the document knows when
    /// it is stale.
    pub version: u64,
    /// When it was read.
    pub read_at: SystemTime,
    /// The panels that it has something for.
    pub panels: Vec<Panel>,
}

impl OpenFile {
    /// A file that has just been opened, whose path is only a name if it is a demo.
    pub(crate) fn new(
        path: PathBuf,
        demo: Option<&'static Demo>,
        document: Arc<dyn Document>,
        version: u64,
    ) -> Self {
        let panels = Panel::ALL.iter();
        let panels = panels.filter(|panel| panel.is_offered(&*document));
        Self {
            path,
            demo,
            version,
            read_at: SystemTime::now(),
            panels: panels.copied().collect(),
            document,
        }
    }

    /// Its name for people.
    pub(crate) fn name(&self) -> String {
        match self.demo {
            // Its parts are those of a file, which is called so.
            Some(demo) => format!("{} demo ({})", demo.name, self.path.display()),
            None => folder::name(&self.path),
        }
    }
}

/// Something in front of everything else.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Dialog {
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
        /// Whether it was not shown yet.
        is_new: bool,
    },
    /// Asks for a path.
    Path {
        /// What for.
        purpose: PathPurpose,
        /// What was typed.
        text: String,
    },
    /// Lists the folders in which textures are looked for.
    TextureFolders,
    /// Asks whether an existing file is to be replaced.
    Replace {
        /// What for.
        purpose: PathPurpose,
        /// The file.
        path: PathBuf,
    },
    /// Says what this program is.
    About,
}

/// Who asked for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A dialog of the system, which asks by itself whether an existing file is to be replaced.
    BySystem,
    /// The window.
    InWindow,
    /// The window, and then whether the file that is there is to be replaced.
    ToReplace,
}

/// What a path is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathPurpose {
    Open,
    SavePicture,
    SaveMap,
    TextureFolder,
}

/// Something that only the window can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
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
    /// Save the picture of the whole map.
    SaveMap(PathBuf),
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
pub(crate) struct Toast {
    /// What it says.
    pub text: String,
    /// Whether it is about something that went wrong.
    pub severity: Option<Severity>,
    /// When it was first shown, in seconds of the window's clock.
    pub shown_at_secs: Option<f64>,
}

/// A load that is under way, for the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadingView {
    /// What is loaded.
    pub name: String,
    /// How much is done, from 0 to 1.
    pub fraction: f32,
}

/// Files that are held over the window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HoveringFiles {
    /// They themselves, none twice.
    pub paths: Vec<PathBuf>,
    /// What dropping them would do, once that is known.
    pub preview: Option<DropPreview>,
}

/// The state of the window.
#[derive(Debug)]
pub(crate) struct State {
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
    /// Width and height of the view in physical pixels, once there is one.
    pub view_px: [u32; 2],
    /// How wide the camera sees, as it was set or the command line asks for.
    pub fields_of_view: FieldsOfView,
    /// What is remembered of the flat view.
    pub flat: FlatView,
    /// The tool that measures.
    pub measure: Measure,
    /// What of the open document is shown.
    pub shown: Shown,
    /// Whether visibility stays that of where the eye was when this was switched on.
    pub holds_visibility: bool,
    /// The tool that cuts away what is not to be seen.
    pub cut: Cut,
    /// What plays; it says which moment is shown.
    pub player: Player,
    /// The kind that is stepped through.
    pub stepping: Option<Item>,
    /// What the pointer is over.
    pub hovered: Option<Item>,
    /// Where in the world the pointer is, if it is over something in the view.
    pub pointed_at: Option<Vec3>,
    /// Whether one looks around with the pointer, which is then held.
    pub looking: bool,
    /// How far the pointer that is held was moved and the view has not turned yet, in logical
    /// pixels.
    pub looked_by: Vec2,
    /// What is in front.
    pub dialog: Option<Dialog>,
    /// The path that was typed last, until a file was opened.
    pub typed_path: String,
    /// Files that could not be opened and were not dismissed yet.
    pub failures: Vec<Failure>,
    /// The open file on disk, while a better version of it is in view.
    pub on_disk: Option<OnDisk>,
    /// Whether the user knows of that.
    pub on_disk_dismissed: bool,
    /// What was looked at before a version of the file came that does not have it.
    pub wish: Option<Wish>,
    /// Short messages.
    pub toasts: Vec<Toast>,
    /// What is loaded.
    pub loading: Option<LoadingView>,
    /// How many chunks of how many the picture shows, until it shows all.
    pub chunks_shown: Option<(usize, usize)>,
    /// Files that are held over the window.
    pub hovering: Option<HoveringFiles>,
    /// The files that go with the open one.
    pub playlist: Option<Playlist>,
    /// What is remembered.
    pub settings: Settings,
    /// Whether the list of problems is open because a file had some, and not by wish.
    pub problems_by_themselves: bool,
    /// Whether the window fills the screen.
    pub full_screen: bool,
    /// The name of the graphics adapter.
    pub adapter: String,
    /// What the window still has to do.
    pub effects: Vec<Effect>,
    /// What is asked for of the first file.
    request: ViewRequest,
    /// How files are opened; textures are also looked for in folders that are remembered.
    pub open_options: OpenOptions,
    /// The direction from which a document that was just opened is to be seen, as soon as the
    /// shape of the view is known.
    framing: Option<NamedView>,
    versions: u64,
}

impl State {
    /// Nothing is open.
    pub(crate) fn new(settings: Settings, request: ViewRequest) -> Self {
        let bounds = Aabb {
            min: Vec3::splat(-100.0),
            max: Vec3::splat(100.0),
        };
        let timeline = settings.timeline;
        let mut fields_of_view = settings.fields_of_view;
        // A camera that is asked for is one of 45 degrees, whatever was set the last time.
        let usual = FieldsOfView::default().of(CameraMode::Orbit);
        let asked = request.fov.or(request.camera.map(|_| usual));
        if let Some(degrees) = asked {
            fields_of_view.set(CameraMode::Orbit, degrees);
        }
        let mut state = Self {
            open: None,
            player: Player::new(timeline.loop_mode, timeline.smooth),
            camera: Camera::framing(bounds, NamedView::default(), Handedness::Right, 1.6),
            mode: CameraMode::default(),
            fly_speed: 50.0,
            game_height: camera_control::GAME_HEIGHT,
            aspect: 1.6,
            view_px: NO_VIEW,
            fields_of_view,
            flat: FlatView::default(),
            measure: Measure::default(),
            shown: Shown::default(),
            holds_visibility: false,
            cut: Cut::default(),
            stepping: None,
            hovered: None,
            pointed_at: None,
            looking: false,
            looked_by: Vec2::ZERO,
            dialog: None,
            typed_path: String::new(),
            failures: Vec::new(),
            on_disk: None,
            on_disk_dismissed: false,
            wish: None,
            toasts: Vec::new(),
            loading: None,
            chunks_shown: None,
            hovering: None,
            playlist: None,
            settings,
            problems_by_themselves: false,
            full_screen: false,
            adapter: String::new(),
            effects: Vec::new(),
            request,
            open_options: OpenOptions::default(),
            framing: None,
            versions: 0,
        };
        state.use_field_of_view();
        state
    }

    /// The vertical field of view of the perspective picture, in degrees.
    pub(crate) fn field_of_view(&self) -> f32 {
        self.fields_of_view.of(self.mode)
    }

    /// Has the camera see as wide as it is to.
    pub(crate) fn use_field_of_view(&mut self) {
        self.camera.fov_y_radians = self.field_of_view().to_radians();
    }

    /// The open document.
    pub(crate) fn document(&self) -> Option<&Arc<dyn Document>> {
        self.open.as_ref().map(|open| &open.document)
    }

    /// The text of the window's title bar.
    pub(crate) fn title(&self) -> String {
        let name = self.open.as_ref().map(OpenFile::name);
        let level = self.level_name().map(str::to_owned);
        let parts = ["Mapscope".to_owned()].into_iter().chain(name).chain(level);
        parts.collect::<Vec<_>>().join(" - ")
    }

    /// What the user has said about opening files.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let mut options = self.open_options.clone();
        let remembered = self.settings.texture_folders.iter().cloned();
        options.texture_folders.extend(remembered);
        options
    }

    /// Shows a short message in place of an older one that begins in the same way.
    pub(crate) fn replace_toast(&mut self, begin: &str, text: String) {
        self.toasts.retain(|toast| !toast.text.starts_with(begin));
        self.toast(text, None);
    }

    /// Shows a short message.
    pub(crate) fn toast(&mut self, text: impl Into<String>, severity: Option<Severity>) {
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
    pub(crate) fn open_paths(&mut self, paths: Vec<PathBuf>) {
        if !paths.is_empty() {
            let paths = paths
                .into_iter()
                .map(|path| folder::absolute(&path))
                .collect();
            self.load(Target::Paths(paths), Cause::Opened);
        }
    }

    /// Has something loaded.
    pub(crate) fn load(&mut self, target: Target, cause: Cause) {
        self.effects
            .push(Effect::Load(LoadRequest { target, cause }));
    }

    /// Reads the open file again, keeping camera and selection.
    pub(crate) fn reload(&mut self, cause: Cause) {
        let target = match &self.open {
            Some(OpenFile {
                demo: Some(demo), ..
            }) => Target::Demo(demo),
            Some(open) => Target::Paths(vec![open.path.clone()]),
            None => return,
        };
        self.load(target, cause);
    }

    /// Takes in what a load gave. What was open stays open when nothing was opened.
    pub(crate) fn loaded(&mut self, outcome: Outcome) {
        let Outcome {
            request,
            loaded,
            failures,
            ..
        } = outcome;
        let cancelled = loaded.is_none() && failures.is_empty();
        let cause = request.cause;
        match loaded {
            Some(loaded) if cause == Cause::Changed && self.keeps_back(&loaded) => {
                self.keep_version(None, loaded.document.about().problems.clone());
            }
            Some(loaded) => {
                for failure in failures {
                    let name = folder::name(&failure.path);
                    self.toast(
                        format!("{name}: {}", failure.message),
                        Some(Severity::Error),
                    );
                }
                self.failures.clear();
                self.on_disk = None;
                self.typed_path.clear();
                self.take(loaded, cause);
            }
            None if cancelled => self.toast("Cancelled", None),
            None if cause.is_reload() => {
                for failure in failures {
                    self.keep_version_of_unreadable(failure);
                }
            }
            None => self.failures = failures,
        }
    }

    fn take(&mut self, loaded: Loaded, cause: Cause) {
        let Loaded {
            path,
            demo,
            document,
            files,
        } = loaded;
        self.versions += 1;
        let same = self.open.as_ref().is_some_and(|open| open.path == path);
        let keep = cause.is_reload() && same;
        let before = self.open.replace(OpenFile::new(
            path.clone(),
            demo,
            Arc::clone(&document),
            self.versions,
        ));
        self.hovered = None;
        self.pointed_at = None;
        let alike = before.as_ref().is_some_and(|before| {
            cause == Cause::Neighbor && look_alike(&*before.document, &*document)
        });
        let request = std::mem::take(&mut self.request);
        if keep {
            self.keep_shown(&*document);
        } else {
            self.show_first(&*document, &request);
        }
        if let Some(before) = before.filter(|_| keep) {
            let wish = self.wish(&before);
            self.grant(wish);
            self.tell_of_reload(&*before.document);
        } else {
            self.start_clip(&request);
            self.wish = None;
            self.shown.selected = None;
            self.shown.highlighted = None;
            self.stepping = None;
            if alike {
                self.keep_camera(&*document);
            } else {
                self.look_at_document(&*document, demo, &request);
            }
            if files.len() > 1 {
                self.playlist = Some(Playlist::new(files, &path));
            } else if !self.playlist.as_mut().is_some_and(|list| list.go_to(&path)) {
                self.playlist = None;
            }
            if demo.is_none() {
                self.settings.remember_file(&path);
            }
            self.show_problems_if_any(&*document);
        }
        self.keep_offered_overlays(&*document);
        self.effects.push(Effect::Watch);
    }

    /// Opens the list of problems for a file that has some, and closes it again for the next
    /// that has none.
    fn show_problems_if_any(&mut self, document: &dyn Document) {
        let open = &mut self.settings.bottom.open;
        if !document.about().problems.is_empty() {
            if open.is_none() {
                *open = Some(Panel::Problems);
                self.problems_by_themselves = true;
            }
        } else if self.problems_by_themselves && *open == Some(Panel::Problems) {
            *open = None;
        }
    }

    /// The settings as they are remembered: without what opened by itself.
    pub(crate) fn settings_to_keep(&self) -> Settings {
        let mut settings = self.settings.clone();
        settings.timeline.loop_mode = self.player.loop_mode();
        settings.timeline.smooth = self.player.is_smooth();
        if self.problems_by_themselves && settings.bottom.open == Some(Panel::Problems) {
            settings.bottom.open = None;
        }
        settings
    }

    /// Overlays that are on stay on where the new document has them too.
    fn keep_offered_overlays(&mut self, document: &dyn Document) {
        let offered = document.about().overlays;
        let mut overlays = OverlaySet::default();
        for id in self.shown.overlays.iter() {
            overlays.set(offered, id, true);
        }
        self.shown.overlays = overlays;
    }

    /// Goes on looking from the same place at a document that is like the one before.
    fn keep_camera(&mut self, document: &dyn Document) {
        self.camera.near = camera::near_plane(document.level_bounds(self.shown.level));
        self.shown.flat = self.is_flat();
        self.measure.close();
    }

    fn look_at_document(
        &mut self,
        document: &dyn Document,
        demo: Option<&Demo>,
        request: &ViewRequest,
    ) {
        let bounds = document.level_bounds(self.shown.level);
        self.camera.handedness = document.about().handedness;
        self.camera.near = camera::near_plane(bounds);
        self.forget_flat();
        self.measure.close();
        self.fly_speed = camera_control::first_fly_speed(bounds);
        let view = request.view;
        // Nobody has asked for a demo to be seen from anywhere: from where it looks best.
        let first = demo.filter(|demo| view.is_none() && !demo.is_flat);
        let first = first.map(|demo| demo.first_pose);
        if let Some(pose) = request.camera.or(first) {
            self.take_pose(pose);
            return;
        }
        self.framing = Some(view.unwrap_or_default());
        // Unless another view is asked for, a map is seen as the game shows it.
        if matches!(view, None | Some(NamedView::Flat)) && self.is_map() {
            self.set_mode(CameraMode::Flat);
        }
    }

    /// Takes on the shape of the view, and frames a document that has just been opened.
    pub(crate) fn shape_view(&mut self, aspect: f32) {
        self.aspect = aspect;
        let Some(document) = self.document().cloned() else {
            return;
        };
        let framing = self.framing.take();
        if framing.is_some() && self.is_flat() {
            self.fit_flat();
            if self.open.as_ref().is_some_and(|open| open.demo.is_some()) {
                self.show_all_pixels();
            }
        } else if let Some(view) = framing {
            self.camera.face(view);
            self.camera
                .frame(document.bounds_in_view(&self.shown), aspect);
        }
    }

    /// Closes a file that this computer cannot show, and says why.
    pub(crate) fn refuse(&mut self, message: &str) {
        if let Some(open) = &self.open {
            let path = open.path.clone();
            self.failures.push(Failure::new(&path, message));
            self.close();
        }
    }

    /// Closes the file.
    pub(crate) fn close(&mut self) {
        self.open = None;
        self.forget_flat();
        self.measure.close();
        self.forget_level();
        self.start_clip(&ViewRequest::default());
        self.on_disk = None;
        self.wish = None;
        self.playlist = None;
        self.shown.selected = None;
        self.shown.highlighted = None;
        self.stepping = None;
        self.hovered = None;
        self.pointed_at = None;
        self.effects.push(Effect::Watch);
    }

    /// Asks for a path in the window itself, which works where the system has no dialog.
    pub(crate) fn ask_path(&mut self, purpose: PathPurpose) {
        let text = match (purpose, &self.open) {
            (PathPurpose::SavePicture | PathPurpose::SaveMap, Some(open)) => {
                suggested_picture(&open.path).display().to_string()
            }
            (PathPurpose::Open, _) => self.typed_path.clone(),
            _ => String::new(),
        };
        self.dialog = Some(Dialog::Path { purpose, text });
    }

    /// Does what a path was asked for.
    pub(crate) fn path_chosen(&mut self, purpose: PathPurpose, path: PathBuf, asked: Asked) {
        match purpose {
            PathPurpose::Open => self.open_paths(vec![path]),
            PathPurpose::SavePicture => self.save_to(purpose, &path, asked, Effect::SavePicture),
            PathPurpose::SaveMap => self.save_to(purpose, &path, asked, Effect::SaveMap),
            PathPurpose::TextureFolder => self.add_texture_folder(&path),
        }
    }

    /// Saves to a path, unless something stands there that must stay or has to be asked about.
    fn save_to(
        &mut self,
        purpose: PathPurpose,
        path: &Path,
        asked: Asked,
        save: fn(PathBuf) -> Effect,
    ) {
        let named = PNG.with_ending(path);
        let may_replace = match asked {
            // The question was about the name without the ending.
            Asked::BySystem => named == path,
            Asked::InWindow => false,
            Asked::ToReplace => true,
        };
        let read = self.open.as_ref().map_or_else(Vec::new, |open| {
            saving::files_read(&open.path, &*open.document)
        });
        match PNG.check_target(&named, &read, may_replace) {
            Ok(()) if may_replace || !named.is_file() => self.effects.push(save(named)),
            Ok(()) | Err(SaveError::OtherKind(_)) => {
                let path = named;
                self.dialog = Some(Dialog::Replace { purpose, path });
            }
            Err(error) => {
                let text = format!("{} was not saved: {error}", named.display());
                self.toast(text, Some(Severity::Error));
                // For another name.
                if asked == Asked::InWindow {
                    let text = path.display().to_string();
                    self.dialog = Some(Dialog::Path { purpose, text });
                }
            }
        }
    }

    fn add_texture_folder(&mut self, folder: &Path) {
        if !folder.is_dir() {
            let text = format!("{} is not a folder", folder.display());
            self.toast(text, Some(Severity::Error));
        } else if self.settings.add_texture_folder(&folder::absolute(folder)) {
            self.toast(
                format!("Textures are looked for in {}", folder.display()),
                None,
            );
            self.effects.push(Effect::SaveSettings);
            self.reload(Cause::Changed);
        } else {
            self.toast("Textures are looked for there already", None);
        }
    }

    /// Has textures no longer looked for in one of the folders that are remembered.
    pub(crate) fn remove_texture_folder(&mut self, index: usize) {
        if index < self.settings.texture_folders.len() {
            self.settings.texture_folders.remove(index);
            self.effects.push(Effect::SaveSettings);
            self.reload(Cause::Changed);
        }
    }
}

/// Whether two documents are of the same kind and about as large, in the same place: then one is
/// well seen from where the other is.
fn look_alike(a: &dyn Document, b: &dyn Document) -> bool {
    let (bounds, other) = (a.level_bounds(0), b.level_bounds(0));
    let apart = (bounds.min - other.min)
        .abs()
        .max((bounds.max - other.max).abs());
    let tolerance = bounds.radius().min(other.radius()) * 0.1;
    std::ptr::eq(a.about().format, b.about().format)
        && a.layers().is_some() == b.layers().is_some()
        && apart.max_element() <= tolerance
}

/// Where a picture of a file is saved unless the user says otherwise: in the user's folder for
/// pictures, or else at home.
pub(crate) fn suggested_picture(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = directories::UserDirs::new().map(|dirs| {
        let pictures = dirs.picture_dir().filter(|folder| folder.is_dir());
        pictures.unwrap_or(dirs.home_dir()).to_owned()
    });
    folder.unwrap_or_default().join(format!("{stem}.png"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::commands::{self, Action};
    use mapscope_scene::camera::Projection;
    use mapscope_scene::demo;
    use mapscope_scene::{OverlayId, Progress, TerrainItem};

    fn state() -> State {
        State::new(Settings::default(), ViewRequest::default())
    }

    #[test]
    fn an_existing_picture_is_replaced_only_after_a_question_and_what_was_read_never() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        let mut state = state();
        let save = PathPurpose::SavePicture;
        state.path_chosen(save, in_dir("new"), Asked::InWindow);
        let saves = |name| [Effect::SavePicture(in_dir(name))];
        assert_eq!(std::mem::take(&mut state.effects), saves("new.png"));
        assert_eq!(state.dialog, None);

        for (name, bytes) in [("old.png", &b""[..]), ("text.png", b"a text")] {
            std::fs::write(in_dir(name), bytes).unwrap();
            state.path_chosen(save, in_dir(name), Asked::InWindow);
            assert!(state.effects.is_empty(), "{name}");
            let path = in_dir(name);
            let question = Dialog::Replace {
                purpose: save,
                path: path.clone(),
            };
            assert_eq!(state.dialog.take(), Some(question), "{name}");
            for asked in [Asked::ToReplace, Asked::BySystem] {
                state.path_chosen(save, path.clone(), asked);
                assert_eq!(std::mem::take(&mut state.effects), saves(name));
            }
        }
        // The system asked about `old`, and not about `old.png`.
        state.path_chosen(save, in_dir("old"), Asked::BySystem);
        assert!(matches!(state.dialog.take(), Some(Dialog::Replace { .. })));

        let map = in_dir("map.png");
        std::fs::copy(in_dir("old.png"), &map).unwrap();
        state.loaded(outcome(map.to_str().unwrap(), false, true));
        for (name, asked) in [
            ("map.png", Asked::ToReplace),
            ("map.png", Asked::BySystem),
            ("a.jpg", Asked::InWindow),
        ] {
            state.effects.clear();
            state.path_chosen(save, in_dir(name), asked);
            assert!(state.effects.is_empty(), "{name}");
            let toast = state.toasts.last().unwrap();
            assert_eq!(toast.severity, Some(Severity::Error));
        }
        // Another name can be typed at once.
        assert!(matches!(state.dialog, Some(Dialog::Path { .. })));
    }

    #[test]
    fn no_command_does_harm_while_nothing_is_open() {
        for command in commands::all() {
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
        for command in commands::all() {
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
            mapscope_scene::open(&demo::TERRAIN.source(), &options, &progress).unwrap()
        };
        Outcome {
            request: LoadRequest {
                target: Target::Paths(vec![path.into()]),
                cause: if reload {
                    Cause::Changed
                } else {
                    Cause::Opened
                },
            },
            loaded: opens.then(|| Loaded {
                path: path.into(),
                demo: None,
                document: document(),
                files: vec![path.into()],
            }),
            failures: if opens {
                Vec::new()
            } else {
                vec![Failure::new(Path::new(path), "1:1: bad")]
            },
            number: 1,
        }
    }

    #[test]
    fn what_is_opened_is_framed_once_the_view_has_a_shape() {
        let mut state = state();
        for projection in [Projection::Orthographic, Projection::Perspective] {
            state.camera.projection = projection;
            state.loaded(outcome("/a.pfmap", false, true));
            state.shape_view(0.8);
            assert_eq!(state.camera.projection, projection);
            let bounds = state.document().unwrap().about().bounds;
            let seen = bounds
                .corners()
                .map(|corner| state.camera.project(corner, 0.8).unwrap());
            let within = |at: &Vec2| at.min_element() > 0.0 && at.max_element() < 1.0;
            assert!(seen.iter().all(within), "{projection:?}: {seen:?}");
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
        state.select(Some(TerrainItem::Tile { row: 0, col: 77 }.into()));
        state.run(Action::Overlay(OverlayId::TileGrid));
        let kept = (
            state.camera,
            state.shown.selected,
            state.shown.overlays.clone(),
        );
        let version = state.open.as_ref().unwrap().version;
        state.loaded(outcome("/a.pfmap", true, true));
        state.shape_view(1.5);
        assert_eq!(
            (
                state.camera,
                state.shown.selected,
                state.shown.overlays.clone()
            ),
            kept
        );
        assert_ne!(state.open.as_ref().unwrap().version, version);
        state.loaded(outcome("/b.pfmap", false, true));
        state.shape_view(1.5);
        assert_eq!(state.shown.selected, None);
        assert_ne!(state.camera, kept.0);
        assert_eq!(state.shown.overlays, kept.2);
    }

    #[test]
    fn page_down_keeps_the_camera_for_another_version_of_the_same() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.shape_view(1.5);
        state.paste_pose("10,200,30,40,5,60");
        let kept = state.camera;
        let mut next = outcome("/b.pfmap", false, true);
        next.request.cause = Cause::Neighbor;
        state.loaded(next);
        state.shape_view(1.5);
        assert_eq!(state.camera, kept);
        let mut smaller = outcome("/c.pfobj", false, true);
        smaller.request.cause = Cause::Neighbor;
        smaller.loaded.as_mut().unwrap().document = crate::viewer::testing::model();
        state.loaded(smaller);
        state.shape_view(1.5);
        assert_ne!(state.camera, kept, "it is something else");
    }

    #[test]
    fn what_was_open_stays_open_when_the_next_file_fails() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.loaded(outcome("/bad.pfmap", false, false));
        assert_eq!(state.open.as_ref().unwrap().path, Path::new("/a.pfmap"));
        assert_eq!(state.failures.len(), 1);
        state.loaded(outcome("/a.pfmap", true, true));
        assert!(state.failures.is_empty());
    }

    #[test]
    fn what_opens_by_itself_closes_again_and_is_not_remembered() {
        let broken = |path: &str| {
            let source = mapscope_scene::Source {
                path: path.into(),
                bytes: demo::TERRAIN.source().bytes.to_vec().into(),
                embedded: &[],
            };
            let mut outcome = outcome(path, false, true);
            let (options, progress) = (OpenOptions::default(), Progress::default());
            let document = mapscope_scene::open(&source, &options, &progress).unwrap();
            assert!(!document.about().problems.is_empty(), "it has no textures");
            outcome.loaded.as_mut().unwrap().document = document;
            outcome
        };
        let mut state = state();
        state.loaded(broken("/no/textures.pfmap"));
        assert_eq!(state.settings.bottom.open, Some(Panel::Problems));
        assert_eq!(state.settings_to_keep().bottom.open, None);
        state.loaded(outcome("/good.pfmap", false, true));
        assert_eq!(state.settings.bottom.open, None);
        // By wish it stays.
        state.run(Action::Panel(Panel::Problems));
        state.loaded(broken("/no/textures.pfmap"));
        state.loaded(outcome("/good.pfmap", false, true));
        assert_eq!(state.settings_to_keep().bottom.open, Some(Panel::Problems));
    }

    #[test]
    fn escape_closes_what_is_foremost_first() {
        let mut state = state();
        state.shown.selected = Some(TerrainItem::Tile { row: 0, col: 3 }.into());
        state.failures.push(Failure::new(Path::new("x"), "y"));
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
        assert!(state.failures.is_empty() && state.shown.selected.is_some());
        state.run(Action::Clear);
        assert!(state.shown.selected.is_none());
        assert!(!state.is_enabled(Action::Clear));
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
