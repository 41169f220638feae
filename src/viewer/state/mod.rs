//! The state of the viewer, without window or GPU.
//!
//! A [`Session`] has the open document with its view and playback. [`State`] adds the rest:
//! settings, dialogs, notices, and the playlist.

pub(crate) mod animation;
pub(crate) mod attach;
pub(crate) mod bookmarks;
pub(crate) mod clip_box;
pub(crate) mod compare;
pub(crate) mod copy;
mod counterpart;
pub(crate) mod edit;
pub(crate) mod files;
pub(crate) mod find;
pub(crate) mod folder;
pub(crate) mod go_to;
pub(crate) mod hide;
pub(crate) mod history;
pub(crate) mod interface;
pub(crate) mod level;
pub(crate) mod load;
mod looking;
pub(crate) mod notices;
mod overlays;
pub(crate) mod picture;
mod playback;
pub(crate) mod player;
pub(crate) mod playlist;
pub(crate) mod reload;
mod room;
mod selection;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod split;
pub(crate) mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::attach::AttachRequest;
use self::compare::CompareRequest;
use self::find::FindRequest;
use self::interface::{Interface, PathPurpose};
use self::load::{Cause, Failure, LoadRequest, Loaded, Outcome, Target};
use self::notices::{Notices, Subject};
use self::player::{LoopMode, Player};
use self::playlist::{Origin, Playlist};
use self::session::Session;
use self::settings::Settings;
use self::split::Split;
use super::view::View;
use super::view::camera_control::CameraMode;
use super::view::fields_of_view::FieldsOfView;
use crate::images::series::Destination;
use crate::view_request::ViewRequest;
use crate::viewer::docks::{Dock, Panel};
use mapscope_formats::{Place, Severity};
use mapscope_scene::saving::FileKind;
use mapscope_scene::{Document, Item, MapChoice, OpenOptions};

pub(crate) use self::session::OpenFile;

/// An action that only the window can perform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Load a file.
    Load(LoadRequest),
    /// Stop loading.
    CancelLoad,
    /// Update the set of watched files after a file was opened or closed.
    Watch,
    /// Rescan the folders of a playlist: the playlist's number and its source.
    List(u64, Origin),
    /// Compare the open file with another.
    Compare(CompareRequest),
    /// Read model files, to attach them to joints of the open one.
    Attach(AttachRequest),
    /// Find the items of the open document that match a query.
    Find(FindRequest),
    /// Ask for a path with the system's dialog.
    AskPath(PathPurpose),
    /// Save a picture of the view with the current [`PictureOptions`](picture::PictureOptions).
    SavePicture(PathBuf),
    /// Save an animation of the view with the current
    /// [`AnimationOptions`](animation::AnimationOptions).
    SaveAnimation(Destination),
    /// Save the image of the whole map.
    SaveMap(PathBuf),
    /// Save the UV layout of a texture.
    SaveLayout(Item, PathBuf),
    /// Export the document to a path. The extension selects the format.
    Export(PathBuf),
    /// Copy a picture of the view to the clipboard.
    CopyPicture,
    /// Copy text to the clipboard.
    Copy(String),
    /// Open a file in the user's editor, at a place if it is known.
    Edit(PathBuf, Option<Place>),
    /// Show a file in the file manager.
    ShowInFolder(PathBuf),
    /// Read a camera pose from the clipboard.
    PastePose,
    /// Write the settings now.
    SaveSettings,
    /// Enter or leave full screen.
    FullScreen(bool),
    /// Quit.
    Quit,
}

/// The state of the window.
#[derive(Debug)]
pub(crate) struct State {
    /// The open document and its view.
    pub session: Session,
    /// The second view, if it is open.
    pub split: Option<Box<Split>>,
    /// The files that belong with the open one.
    pub playlist: Option<Playlist>,
    /// Bumped on every load.
    pub versions: u64,
    /// A file that is about to be opened, and the name of the clip that it starts with.
    pub first_clip: Option<(PathBuf, String)>,
    /// Dialogs and the rest of the user interface.
    pub interface: Interface,
    /// Messages, failures and progress.
    pub notices: Notices,
    /// The persistent settings.
    pub settings: Settings,
    /// The view that the command line requests for the first file.
    request: ViewRequest,
    /// The map that the command line gives for the first file, if that is a scene.
    pub named_map: MapChoice,
    /// Options for opening files, without the texture folders of the settings.
    pub open_options: OpenOptions,
    /// Pending actions for the window.
    pub effects: Vec<Effect>,
    /// `true` if the settings can be saved, as far as known.
    pub saves_settings: bool,
}

impl State {
    /// Creates the state without an open file.
    pub(crate) fn new(settings: Settings, request: ViewRequest) -> Self {
        let timeline = settings.timeline;
        let mut fields_of_view = settings.fields_of_view;
        // A requested camera has the default field of view, regardless of the settings.
        let default_fov = FieldsOfView::default().of(CameraMode::Orbit);
        let has_pose = request.camera.is_some() || request.look_through.is_some();
        let fov = request.fov.or(has_pose.then_some(default_fov));
        if let Some(degrees) = fov {
            fields_of_view.set(CameraMode::Orbit, degrees);
        }
        Self {
            session: Session::new(View::new(fields_of_view), timeline.smooth),
            split: None,
            playlist: None,
            versions: 0,
            first_clip: None,
            interface: Interface::default(),
            notices: Notices::default(),
            settings,
            request,
            named_map: MapChoice::Beside,
            open_options: OpenOptions::default(),
            effects: Vec::new(),
            saves_settings: true,
        }
    }

    /// The options for opening files, with the texture folders of the settings.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let mut options = self.open_options.clone();
        let remembered = self.settings.texture_folders.iter().cloned();
        options.texture_folders.extend(remembered);
        options
    }

    /// Opens the first supported file in the given files and folders.
    pub(crate) fn open_paths(&mut self, paths: &[PathBuf]) {
        if !paths.is_empty() {
            let paths = paths.iter().map(|path| folder::absolute(path));
            let map = std::mem::take(&mut self.named_map);
            self.load_with_map(Target::Paths(paths.collect()), Cause::Opened, map);
        }
    }

    /// Requests a load.
    pub(crate) fn load(&mut self, target: Target, cause: Cause) {
        self.load_with_map(target, cause, MapChoice::Beside);
    }

    /// Requests a load with a given map, which only scenes use.
    pub(crate) fn load_with_map(&mut self, target: Target, cause: Cause, map: MapChoice) {
        let request = LoadRequest { target, cause, map };
        self.effects.push(Effect::Load(request));
    }

    /// Reloads the open file. Camera and selection stay.
    pub(crate) fn reload(&mut self, cause: Cause) {
        if let Some(open) = &self.session.open {
            self.load_with_map(open.target(), cause, open.map.clone());
        }
    }

    /// Applies the outcome of a load. If it failed, the previous file stays open.
    pub(crate) fn loaded(&mut self, outcome: Outcome) {
        let Outcome {
            request,
            loaded,
            failures,
            ..
        } = outcome;
        let cancelled = loaded.is_none() && failures.is_empty();
        let cause = request.cause;
        self.notices.dismiss_about(&Subject::Load);
        match loaded {
            Some(loaded)
                if cause == Cause::Changed && self.session.should_keep_version(&loaded) =>
            {
                self.session.keep_better_version(&*loaded.document);
            }
            Some(loaded) => {
                for Failure { path, message, .. } in &failures {
                    let text = format!("{}: {message}", folder::name(path));
                    let severity = Some(Severity::Error);
                    self.notices.toast_about(Subject::Load, text, severity);
                }
                if let Some(note) = &loaded.files.note {
                    let severity = Some(Severity::Warning);
                    self.notices.toast_about(Subject::Load, note, severity);
                }
                self.notices.failures.clear();
                self.session.on_disk = None;
                self.interface.typed_path.clear();
                self.warn_of_named_map(&request, &*loaded.document);
                self.open_loaded(loaded, cause);
                self.mark_failed(&failures);
            }
            None if cancelled => self.notices.toast_about(Subject::Load, "Cancelled", None),
            None if cause.is_reload() => {
                self.mark_failed(&failures);
                for failure in failures {
                    self.session.keep_version_of_unreadable(failure);
                }
            }
            None => {
                self.mark_failed(&failures);
                self.notices.failures = failures;
            }
        }
    }

    fn open_loaded(&mut self, loaded: Loaded, cause: Cause) {
        let Loaded {
            path,
            demo,
            document,
            files,
            map,
            scene,
            read_at,
            maps,
        } = loaded;
        self.versions += 1;
        if !cause.is_reload() {
            self.remember_view();
        }
        let target = match demo {
            Some(demo) => Target::Demo(demo),
            None => Target::Paths(vec![path.clone()]),
        };
        let returned = self.session.leave_for(&target, cause);
        let is_same_file = self
            .session
            .open_file()
            .is_some_and(|open| open.path == path);
        let is_reload = cause.is_reload() && is_same_file;
        if !is_reload {
            self.reset_problem_overlays();
        }
        let versions = self.versions;
        let mut before = self.session.open.replace(OpenFile {
            read_at,
            map,
            scene,
            ..OpenFile::new(path.clone(), demo, Arc::clone(&document), versions)
        });
        self.session.pointer.leave();
        let neighbor = before.as_ref().filter(|_| cause == Cause::Neighbor);
        let keeps_camera = neighbor.is_some_and(|before| is_similar(&*before.document, &*document))
            || cause == Cause::Counterpart;
        let selected = self.session.view.shown.selected;
        let mut request = std::mem::take(&mut self.request);
        let clip = self.first_clip.take_if(|_| !is_reload);
        if let Some((_, clip)) = clip.filter(|(file, _)| *file == path) {
            request.clip.get_or_insert(clip);
        }
        if is_reload {
            let attached = before.as_mut().map(|before| &mut before.attached);
            self.keep_attached(attached.map(std::mem::take).unwrap_or_default());
            self.session.keep_shown(&*document);
        } else {
            self.show_first(&*document, &request);
        }
        if let Some(before) = before.filter(|_| is_reload) {
            let lost_selection = self.session.capture_selection(&before);
            self.session.restore_selection(lost_selection);
            if let Some(list) = &mut self.playlist {
                list.mark_opened(&path);
            }
            self.find_again();
            self.report_reload(&*before.document);
            self.session.keep_opened_version(&before);
            self.compare_reloaded(&before);
            self.reload_split();
        } else {
            self.session.forget_comparison();
            self.session.kept = None;
            self.split = None;
            self.forget_search();
            // Playback settings belong to the document. Interpolation is a preference of the user.
            self.session.plays_at_once = true;
            self.session.player = Player::new(LoopMode::default(), self.session.player.is_smooth());
            self.session.start_clip(&request);
            self.session.view.history.forget();
            self.session.lost_selection = None;
            self.session.deselect();
            if cause == Cause::Counterpart {
                let selected = selected.filter(|item| document.has(*item));
                self.session.select(selected);
            }
            if keeps_camera {
                self.session.keep_camera(&*document);
            } else {
                self.session.look_at_document(&*document, demo, &request);
            }
            self.update_playlist(files, &path);
            if demo.is_none() {
                self.settings.remember_file(&path);
            }
            self.show_problems_if_any(&*document);
            self.close_map_question(&path);
            let opened = path.clone();
            self.ask_for_map(path, maps);
            self.offer_scene(cause);
            self.show_requested_entities(&request);
            self.restore_attached(&request);
            if let Some(visit) = returned {
                self.restore_visit(visit);
            } else if demo.is_none()
                && matches!(cause, Cause::Opened | Cause::Neighbor)
                && !keeps_camera
                && !request.sets_view()
            {
                // The panels stay while the user steps through files.
                self.restore_view_of(&opened, cause == Cause::Opened);
            }
        }
        self.session.keep_offered_overlays(&*document);
        self.effects.push(Effect::Watch);
    }

    /// Opens the problems panel if the file has problems, there is room and the user did not close
    /// it. Closes an automatically opened panel if the file has no problems.
    fn show_problems_if_any(&mut self, document: &dyn Document) {
        let may_open = self.has_room_below() && !self.settings.keeps_problems_closed;
        let open = &mut self.settings.bottom.open;
        if !document.about().problems.is_empty() {
            if open.is_none() && may_open {
                *open = Some(Panel::Problems);
                self.interface.problems_auto_opened = true;
            }
        } else if self.interface.problems_auto_opened && *open == Some(Panel::Problems) {
            *open = None;
        }
    }

    /// The settings to store. Panels that opened automatically are left out.
    pub(crate) fn settings_to_keep(&self) -> Settings {
        let mut settings = self.settings_with_view();
        settings.timeline.smooth = self.session.player.is_smooth();
        for dock in Dock::ALL {
            settings.dock_mut(dock).open = None;
        }
        for panel in self.chosen_panels() {
            settings.dock_mut(panel.dock()).open = Some(panel);
        }
        settings
    }

    /// The open panels, without those that opened automatically.
    fn chosen_panels(&self) -> impl Iterator<Item = Panel> {
        Dock::ALL.into_iter().filter_map(|dock| {
            let open = self.settings.dock(dock).open?;
            match open {
                Panel::Problems if self.interface.problems_auto_opened => None,
                Panel::Files => self.panel_replaced_by_files().or(Some(open)),
                _ => Some(open),
            }
        })
    }

    /// Shows why the settings file is not read or written.
    pub(crate) fn warn_of_settings(&mut self, text: String) {
        let severity = Some(Severity::Warning);
        self.notices.toast_about(Subject::Settings, text, severity);
    }

    /// Adopts settings that other windows have changed.
    pub(crate) fn adopt_settings(&mut self, settings: Settings) {
        let folders = self.settings.texture_folders.clone();
        self.settings.adopt(settings);
        self.session.view.shown.hides_weights = !self.settings.joint_weights;
        if self.settings.texture_folders != folders {
            self.reload(Cause::Changed);
        }
    }

    /// Closes a file that this computer cannot display, and reports the reason.
    pub(crate) fn refuse(&mut self, message: &str) {
        if let Some(open) = &self.session.open {
            let path = open.path.clone();
            self.notices.failures.push(Failure::new(&path, message));
            self.close();
        }
    }

    /// Closes the file.
    pub(crate) fn close(&mut self) {
        self.remember_view();
        self.session.leave();
        self.session.open = None;
        self.session.view.forget_flat();
        self.session.tools.measure.close();
        self.forget_level();
        self.session.start_clip(&ViewRequest::default());
        self.session.on_disk = None;
        self.session.lost_selection = None;
        self.playlist = None;
        self.session.forget_comparison();
        self.session.kept = None;
        self.split = None;
        self.forget_search();
        self.session.deselect();
        self.session.pointer.leave();
        self.effects.push(Effect::Watch);
    }
}

/// `true` if two documents have the same kind and almost the same bounds, so that the camera can
/// stay.
fn is_similar(a: &dyn Document, b: &dyn Document) -> bool {
    let (bounds, other) = (a.level_bounds(0), b.level_bounds(0));
    let apart = (bounds.min - other.min)
        .abs()
        .max((bounds.max - other.max).abs());
    let tolerance = bounds.radius().min(other.radius()) * 0.1;
    std::ptr::eq(a.about().format, b.about().format)
        && a.layers().is_some() == b.layers().is_some()
        && apart.max_element() <= tolerance
}

/// Returns the suggested path for saving an image of a file: in the user's pictures folder, or else
/// in the home folder.
pub(crate) fn suggested_image(file: &Path, kind: FileKind) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = directories::UserDirs::new().map(|dirs| {
        let pictures = dirs.picture_dir().filter(|folder| folder.is_dir());
        pictures.unwrap_or(dirs.home_dir()).to_owned()
    });
    folder
        .unwrap_or_default()
        .join(format!("{stem}.{}", kind.ending))
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::interface::{Dialog, PathSource};
    use super::notices::LoadingView;
    use super::picture::PictureSize;
    use super::playlist::FileList;
    use super::*;
    use crate::images::animation::AnimationFormat;
    use crate::viewer::commands::{self, Action, Request, Setting};
    use mapscope_scene::camera::Projection;
    use mapscope_scene::saving::PNG;
    use mapscope_scene::{OverlayId, ProblemTarget, Progress, TerrainItem, demo};

    fn state() -> State {
        State::new(Settings::default(), ViewRequest::default())
    }

    #[test]
    fn an_existing_picture_is_replaced_only_after_confirmation_and_an_input_file_never() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        let mut state = state();
        let save = PathPurpose::SavePicture;
        state.path_chosen(save, &in_dir("new"), PathSource::InApp);
        let saves = |name| [Effect::SavePicture(in_dir(name))];
        assert_eq!(std::mem::take(&mut state.effects), saves("new.png"));
        assert_eq!(state.interface.dialog, None);

        for (name, bytes) in [("old.png", &b""[..]), ("text.png", b"a text")] {
            std::fs::write(in_dir(name), bytes).unwrap();
            state.path_chosen(save, &in_dir(name), PathSource::InApp);
            assert!(state.effects.is_empty(), "{name}");
            let path = in_dir(name);
            let question = Dialog::Replace {
                purpose: save,
                path: path.clone(),
                existing: vec![path.clone()],
                kind: PNG,
            };
            assert_eq!(state.interface.dialog.take(), Some(question), "{name}");
            for source in [PathSource::OverwriteConfirmed, PathSource::SystemDialog] {
                state.path_chosen(save, &path, source);
                assert_eq!(std::mem::take(&mut state.effects), saves(name));
            }
        }
        // The system's dialog confirmed `old`, not `old.png`.
        state.path_chosen(save, &in_dir("old"), PathSource::SystemDialog);
        assert!(matches!(
            state.interface.dialog.take(),
            Some(Dialog::Replace { .. })
        ));

        let map = in_dir("map.png");
        std::fs::copy(in_dir("old.png"), &map).unwrap();
        state.loaded(outcome(map.to_str().unwrap(), false, true));
        for (name, source) in [
            ("map.png", PathSource::OverwriteConfirmed),
            ("map.png", PathSource::SystemDialog),
            ("a.jpg", PathSource::InApp),
        ] {
            state.effects.clear();
            state.path_chosen(save, &in_dir(name), source);
            assert!(state.effects.is_empty(), "{name}");
            let toast = state.notices.toasts.last().unwrap();
            assert_eq!(toast.severity, Some(Severity::Error));
        }
        // The dialog stays open for another name.
        assert!(matches!(state.interface.dialog, Some(Dialog::Path { .. })));
    }

    #[test]
    fn full_screen_shows_a_hint_how_to_leave_it() {
        let mut state = state();
        let shows_hint = |state: &State| {
            state
                .notices
                .toasts
                .iter()
                .any(|toast| toast.text == "Press F11 to leave full screen")
        };
        for is_full in [true, false, true] {
            state.run(Action::FullScreen);
            assert_eq!(shows_hint(&state), is_full);
        }
    }

    #[test]
    fn a_chosen_folder_gets_a_file_with_the_suggested_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut state = state();
        state.loaded(outcome("/maps/castle.pfmap", false, true));
        let chosen = |state: &mut State, purpose, path: PathBuf| {
            state.effects.clear();
            state.path_chosen(purpose, &path, PathSource::InApp);
            state.effects.pop()
        };
        let animation = PathPurpose::SaveAnimation;
        let gif = dir.path().join("castle.gif");
        let expected = Effect::SaveAnimation(Destination::Animation(AnimationFormat::Gif, gif));
        let found = chosen(&mut state, animation, dir.path().to_owned());
        assert_eq!(found, Some(expected));
        let picture = PathPurpose::SavePicture;
        let png = dir.path().join("castle.png");
        let found = chosen(&mut state, picture, dir.path().join(""));
        assert_eq!(found, Some(Effect::SavePicture(png.clone())));
        // An existing file needs a confirmation.
        std::fs::write(&png, b"").unwrap();
        let path = dir.path().to_owned();
        state.effects.clear();
        state.path_chosen(picture, &path, PathSource::SystemDialog);
        assert!(state.effects.is_empty());
        assert!(matches!(
            state.interface.dialog.take(),
            Some(Dialog::Replace { .. })
        ));
        let found = chosen(&mut state, animation, dir.path().join("none").join(""));
        assert_eq!(found, None);
        let Some(Dialog::Path { why_not, .. }) = state.interface.dialog else {
            panic!("it asks for another");
        };
        assert_eq!(why_not.as_deref(), Some("There is no such folder"));
    }

    #[test]
    fn the_extension_selects_the_export_format() {
        let dir = tempfile::tempdir().unwrap();
        let mut state = state();
        state.loaded(outcome("/maps/castle.pfmap", false, true));
        state.effects.clear();
        let command = commands::all()
            .iter()
            .find(|command| command.id == "export");
        state.run(command.unwrap().action);
        let export = PathPurpose::Export;
        assert_eq!(state.effects, [Effect::AskPath(export)]);
        state.ask_path(export);
        let Some(Dialog::Path { text, .. }) = state.interface.dialog.take() else {
            panic!("it asks for a path");
        };
        assert_eq!(text, "/maps/castle.glb");
        let mut chosen = |name: &str| {
            state.effects.clear();
            state.path_chosen(export, &dir.path().join(name), PathSource::SystemDialog);
            state.effects.pop()
        };
        let exports = |name: &str| Some(Effect::Export(dir.path().join(name)));
        assert_eq!(chosen("a.csv"), exports("a.csv"));
        assert_eq!(chosen("a.GLTF"), exports("a.GLTF"));
        assert_eq!(chosen("a"), exports("a.glb"));
        assert_eq!(chosen(""), exports("castle.glb"));
        assert_eq!(chosen("a.obj"), None);
        let toast = &state.notices.toasts.last().unwrap().text;
        let expected = "a.obj was not saved: expected a name that ends in .glb, .gltf or .csv";
        assert!(toast.ends_with(expected), "{toast}");
    }

    #[test]
    fn an_animation_asks_once_about_all_existing_files_and_refuses_a_size_that_is_too_large() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        let mut state = state();
        state.interface.animation.views = 3;
        let save = PathPurpose::SaveAnimation;
        state.path_chosen(save, &in_dir("new"), PathSource::SystemDialog);
        let gif = Destination::Animation(AnimationFormat::Gif, in_dir("new.gif"));
        let saves = [Effect::SaveAnimation(gif)];
        assert_eq!(std::mem::take(&mut state.effects), saves);

        for name in ["a_001.png", "a_002.png"] {
            std::fs::write(in_dir(name), b"").unwrap();
        }
        // The system's dialog does not know the numbered names.
        state.path_chosen(save, &in_dir("a.png"), PathSource::SystemDialog);
        assert!(state.effects.is_empty());
        let question = Dialog::Replace {
            purpose: save,
            path: in_dir("a.png"),
            existing: ["a_001.png", "a_002.png"].map(in_dir).to_vec(),
            kind: PNG,
        };
        assert_eq!(state.interface.dialog.take(), Some(question));
        state.path_chosen(save, &in_dir("a.png"), PathSource::OverwriteConfirmed);
        let images = ["a_000.png", "a_001.png", "a_002.png"].map(in_dir);
        let saves = [Effect::SaveAnimation(Destination::Images(images.to_vec()))];
        assert_eq!(std::mem::take(&mut state.effects), saves);

        state.path_chosen(save, &in_dir("a.jpg"), PathSource::SystemDialog);
        let toast = &state.notices.toasts.last().unwrap().text;
        let expected = "a.jpg was not saved: expected a name that ends in .png, .apng or .gif";
        assert!(toast.ends_with(expected), "{toast}");
        state.interface.picture.size = PictureSize::Typed;
        state.interface.picture.typed_size = [20_000; 2];
        state.path_chosen(save, &in_dir("large.apng"), PathSource::SystemDialog);
        let toast = &state.notices.toasts.last().unwrap().text;
        assert!(toast.contains("20000x20000"), "{toast}");
        assert!(state.effects.is_empty());
    }

    #[test]
    fn every_command_is_harmless_without_an_open_file() {
        for command in commands::all() {
            let mut state = state();
            let pose = state.session.view.camera.pose;
            state.run(command.action);
            assert!(
                state.session.open.is_none() && state.session.view.camera.pose == pose,
                "{}",
                command.id
            );
            assert!(
                state.session.view.camera.pose.eye.is_finite(),
                "{}",
                command.id
            );
        }
    }

    #[test]
    fn toggle_commands_report_their_state() {
        for command in commands::all() {
            let mut state = state();
            let before = state.is_on(command.action);
            state.run(command.action);
            if let Action::Setting(Setting::Navigation(_) | Setting::Theme(_)) = command.action {
                // One of several choices, which stays on.
                assert_eq!(state.is_on(command.action), Some(true), "{}", command.id);
                continue;
            }
            if let (Some(before), true) = (before, state.is_enabled(command.action)) {
                assert_eq!(state.is_on(command.action), Some(!before), "{}", command.id);
                state.run(command.action);
                assert_eq!(state.is_on(command.action), Some(before), "{}", command.id);
            }
        }
    }

    /// The outcome of a load: the demo under another name, or a failure.
    fn outcome(path: &str, reload: bool, opens: bool) -> Outcome {
        let document = || {
            let (options, progress) = (OpenOptions::default(), Progress::default());
            mapscope_scene::open(&demo::TERRAIN.source(), &options, &progress).unwrap()
        };
        Outcome {
            request: LoadRequest {
                map: MapChoice::Beside,
                target: Target::Paths(vec![path.into()]),
                cause: if reload {
                    Cause::Changed
                } else {
                    Cause::Opened
                },
            },
            loaded: opens.then(|| Loaded::new(path.into(), document())),
            failures: if opens {
                Vec::new()
            } else {
                vec![Failure::new(Path::new(path), "1:1: bad")]
            },
            number: 1,
        }
    }

    #[test]
    fn the_title_escapes_invisible_characters_of_a_name() {
        let mut state = state();
        state.loaded(outcome("/a\u{202e}\n\u{1b}b.pfmap", false, true));
        assert_eq!(
            state.session.title(),
            r"Mapscope - a\u{202e}\n\u{1b}b.pfmap"
        );
    }

    #[test]
    fn an_opened_file_is_framed_once_the_view_has_an_aspect_ratio() {
        let mut state = state();
        for projection in [Projection::Orthographic, Projection::Perspective] {
            state.session.view.camera.projection = projection;
            state.loaded(outcome("/a.pfmap", false, true));
            state.session.shape_view(0.8);
            assert_eq!(state.session.view.camera.projection, projection);
            let bounds = state.session.document().unwrap().about().bounds;
            let seen = bounds
                .corners()
                .map(|corner| state.session.view.camera.project(corner, 0.8).unwrap());
            let within = |at: &Vec2| at.min_element() > 0.0 && at.max_element() < 1.0;
            assert!(seen.iter().all(within), "{projection:?}: {seen:?}");
        }
        assert_eq!(state.session.title(), "Mapscope - a.pfmap");
        assert_eq!(state.settings.recent_files, [PathBuf::from("/a.pfmap")]);
    }

    #[test]
    fn a_reload_keeps_camera_selection_and_overlays() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.session.shape_view(1.5);
        state.paste_pose("10,200,30,40,5,60");
        state
            .session
            .select(Some(TerrainItem::Tile { row: 0, col: 77 }.into()));
        state.run(Action::Overlay(OverlayId::TileGrid));
        let kept = (
            state.session.view.camera,
            state.session.view.shown.selected,
            state.session.view.shown.overlays.clone(),
        );
        let version = state.session.open.as_ref().unwrap().version;
        state.loaded(outcome("/a.pfmap", true, true));
        state.session.shape_view(1.5);
        assert_eq!(
            (
                state.session.view.camera,
                state.session.view.shown.selected,
                state.session.view.shown.overlays.clone()
            ),
            kept
        );
        assert_ne!(state.session.open.as_ref().unwrap().version, version);
        state.loaded(outcome("/b.pfmap", false, true));
        state.session.shape_view(1.5);
        assert_eq!(state.session.view.shown.selected, None);
        assert_ne!(state.session.view.camera, kept.0);
        assert_eq!(state.session.view.shown.overlays, kept.2);
    }

    #[test]
    fn page_down_keeps_the_camera_for_a_similar_file() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.session.shape_view(1.5);
        state.paste_pose("10,200,30,40,5,60");
        let kept = state.session.view.camera;
        let mut next = outcome("/b.pfmap", false, true);
        next.request.cause = Cause::Neighbor;
        state.loaded(next);
        state.session.shape_view(1.5);
        assert_eq!(state.session.view.camera, kept);
        let mut smaller = outcome("/c.pfobj", false, true);
        smaller.request.cause = Cause::Neighbor;
        smaller.loaded.as_mut().unwrap().document = crate::viewer::testing::model();
        state.loaded(smaller);
        state.session.shape_view(1.5);
        assert_ne!(state.session.view.camera, kept, "it is not similar");
    }

    #[test]
    fn the_open_file_stays_open_if_the_next_one_fails() {
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        state.loaded(outcome("/bad.pfmap", false, false));
        assert_eq!(
            state.session.open.as_ref().unwrap().path,
            Path::new("/a.pfmap")
        );
        assert_eq!(state.notices.failures.len(), 1);
        state.loaded(outcome("/a.pfmap", true, true));
        assert!(state.notices.failures.is_empty());
    }

    /// A deleted file is marked in the playlist until it can be read again.
    #[test]
    fn a_deleted_open_file_is_marked_in_the_playlist() {
        let mut state = state();
        let mut opened = outcome("/a.pfmap", false, true);
        let files = ["/a.pfmap", "/b.pfmap"].map(PathBuf::from).to_vec();
        opened.loaded.as_mut().unwrap().files = FileList::new(files, "/".into());
        state.loaded(opened);
        let failure = |state: &State| {
            let list = state.playlist.as_ref().unwrap();
            list.files()[0].failure.clone()
        };
        assert_eq!(failure(&state), None);
        state.loaded(outcome("/a.pfmap", true, false));
        assert_eq!(failure(&state).as_deref(), Some("1:1: bad"));
        assert!(state.session.shows_disk_banner());
        state.loaded(outcome("/a.pfmap", true, true));
        assert_eq!(failure(&state), None);
    }

    /// The outcome of loading a map without its textures.
    fn broken(path: &str) -> Outcome {
        let source = mapscope_scene::Source {
            path: path.into(),
            bytes: demo::TERRAIN.source().bytes.to_vec().into(),
            embedded: &[],
            archive: None,
        };
        let mut outcome = outcome(path, false, true);
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&source, &options, &progress).unwrap();
        assert!(
            !document.about().problems.is_empty(),
            "its textures are missing"
        );
        outcome.loaded.as_mut().unwrap().document = document;
        outcome
    }

    #[test]
    fn an_automatically_opened_panel_closes_again_and_is_not_stored() {
        let mut state = state();
        state.loaded(broken("/no/textures.pfmap"));
        assert_eq!(state.settings.bottom.open, Some(Panel::Problems));
        assert_eq!(state.settings_to_keep().bottom.open, None);
        state.loaded(outcome("/good.pfmap", false, true));
        assert_eq!(state.settings.bottom.open, None);
        // A closed panel stays closed, also after a restart.
        state.loaded(broken("/no/textures.pfmap"));
        state.run(Action::Panel(Panel::Problems));
        state.loaded(broken("/no/textures.pfmap"));
        assert_eq!(state.settings.bottom.open, None);
        assert!(state.settings_to_keep().keeps_problems_closed);
        // An explicitly opened panel stays open.
        state.run(Action::Panel(Panel::Problems));
        assert!(!state.settings.keeps_problems_closed);
        state.loaded(broken("/no/textures.pfmap"));
        state.loaded(outcome("/good.pfmap", false, true));
        assert_eq!(state.settings_to_keep().bottom.open, Some(Panel::Problems));
    }

    #[test]
    fn the_problems_panel_opens_automatically_only_if_there_is_room() {
        for (size, opens) in [([1280.0, 400.0], false), ([1280.0, 800.0], true)] {
            // A file may be loaded before the window has its size.
            for is_sized_first in [true, false] {
                let mut state = state();
                if is_sized_first {
                    state.fit_window(size);
                }
                state.loaded(broken("/no/textures.pfmap"));
                state.fit_window(size);
                assert_eq!(state.is_panel_open(Panel::Problems), opens);
                if !opens {
                    state.run(Action::Panel(Panel::Problems));
                    state.fit_window(size);
                    assert!(state.is_panel_open(Panel::Problems), "the user opened it");
                }
            }
        }
    }

    #[test]
    fn a_problems_panel_that_closed_in_a_low_window_reopens_in_a_higher_one() {
        const LOW: [f32; 2] = [1280.0, 400.0];
        const HIGH: [f32; 2] = [1280.0, 800.0];
        let mut state = state();
        state.fit_window(HIGH);
        state.loaded(broken("/no/textures.pfmap"));
        state.fit_window(LOW);
        assert!(!state.is_panel_open(Panel::Problems));
        state.fit_window(HIGH);
        assert!(state.is_panel_open(Panel::Problems));
        assert_eq!(
            state.settings_to_keep().bottom.open,
            None,
            "it opened automatically"
        );
        // It stays closed for a file without problems, or after another panel was used.
        state.fit_window(LOW);
        state.loaded(outcome("/good.pfmap", false, true));
        state.fit_window(HIGH);
        assert!(!state.is_panel_open(Panel::Problems));
        state.loaded(broken("/no/textures.pfmap"));
        state.fit_window(LOW);
        state.run(Action::Panel(Panel::Statistics));
        state.run(Action::Panel(Panel::Statistics));
        state.fit_window(HIGH);
        assert!(!state.is_panel_open(Panel::Problems));
    }

    #[test]
    fn escape_closes_the_topmost_element_first() {
        let mut state = state();
        state.session.view.shown.selected = Some(TerrainItem::Tile { row: 0, col: 3 }.into());
        state
            .notices
            .failures
            .push(Failure::new(Path::new("x"), "y"));
        state.notices.loading = Some(LoadingView {
            name: "z".into(),
            fraction: 0.1,
            seen: None,
        });
        state.run(Action::About);
        state.run(Action::Clear);
        assert!(state.interface.dialog.is_none() && state.effects.is_empty());
        state.run(Action::Clear);
        assert_eq!(state.effects, [Effect::CancelLoad]);
        state.notices.loading = None;
        state.run(Action::Clear);
        assert!(state.notices.failures.is_empty() && state.session.view.shown.selected.is_some());
        state.run(Action::Clear);
        assert!(state.session.view.shown.selected.is_none());
        assert!(!state.is_enabled(Action::Clear));
    }

    #[test]
    fn a_pasted_camera_is_applied_and_other_text_is_reported() {
        let mut state = state();
        state.paste_pose(" 1,2,3,4,5,6\n");
        assert_eq!(state.session.view.camera.pose.to_string(), "1,2,3,4,5,6");
        state.paste_pose("hello");
        assert_eq!(state.session.view.camera.pose.to_string(), "1,2,3,4,5,6");
        assert!(
            state.notices.toasts[0].text.contains("hello"),
            "{:?}",
            state.notices.toasts
        );
    }

    #[test]
    fn a_newer_message_replaces_an_older_one_about_the_same_subject() {
        let mut state = state();
        let messages = |state: &State| -> Vec<String> {
            state
                .notices
                .toasts
                .iter()
                .map(|toast| toast.text.clone())
                .collect()
        };
        let save = |file: &str| Subject::Save(file.into());
        let (failed, error) = ("Saving failed: the disk is full", Some(Severity::Error));
        state.notices.toast_about(save("/a.png"), failed, error);
        state.notices.dismiss_about(&save("/b.png"));
        state
            .notices
            .toast_about(save("/b.png"), "Saved /b.png", None);
        assert_eq!(messages(&state), [failed, "Saved /b.png"]);
        state.notices.dismiss_about(&save("/a.png"));
        assert_eq!(messages(&state), ["Saved /b.png"]);
        // One file opened and another one failed.
        let mut both = outcome("/a.pfmap", false, true);
        both.failures = vec![Failure::new(Path::new("/bad.pfmap"), "1:1: bad")];
        state.loaded(both);
        assert_eq!(messages(&state), ["Saved /b.png", "bad.pfmap: 1:1: bad"]);
        state.loaded(outcome("/bad.pfmap", false, true));
        assert_eq!(messages(&state), ["Saved /b.png"]);
    }

    #[test]
    fn an_overlay_that_shows_a_problem_is_on_until_another_file_is_opened() {
        let problem = |overlay| {
            Request::ShowProblem(Some(ProblemTarget {
                item: TerrainItem::Tile { row: 0, col: 5 }.into(),
                moment: None,
                overlay: Some(overlay),
            }))
        };
        let mut state = state();
        state.loaded(outcome("/a.pfmap", false, true));
        let (shown, other) = (OverlayId::TileGrid, OverlayId::Wireframe);
        let on = |state: &State| [shown, other].map(|id| state.session.is_overlay_on(id));
        state.request(problem(shown));
        assert_eq!(on(&state), [true, false]);
        state.loaded(outcome("/a.pfmap", true, true));
        assert_eq!(on(&state), [true, false], "the same file again");
        state.loaded(outcome("/b.pfmap", false, true));
        assert_eq!(on(&state), [false, false]);
        // Overlays that the user has switched stay on.
        state.run(Action::Overlay(other));
        state.request(problem(other));
        state.request(problem(shown));
        state.run(Action::Overlay(shown));
        state.run(Action::Overlay(shown));
        state.loaded(outcome("/c.pfmap", false, true));
        assert_eq!(on(&state), [true, true]);
    }

    #[test]
    fn the_same_message_is_not_stacked() {
        let mut state = state();
        for number in 0..9 {
            state.notices.toast("same", None);
            state.notices.toast(format!("{number}"), None);
        }
        assert!(state.notices.toasts.len() <= 4);
        assert_eq!(
            state
                .notices
                .toasts
                .iter()
                .filter(|t| t.text == "same")
                .count(),
            1
        );
    }
}
