//! Everything that the window shows and that its commands change, without window or GPU.
//!
//! A [`Session`] has what belongs to one open document. [`State`] has the rest: the settings, the dialogs,
//! the notices, and the files that go with the open one.

pub(crate) mod animation;
pub(crate) mod clip_box;
pub(crate) mod compare;
mod counterpart;
pub(crate) mod files;
pub(crate) mod folder;
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
pub(crate) mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::compare::CompareRequest;
use self::interface::{Interface, PathPurpose};
use self::load::{Cause, Failure, LoadRequest, Loaded, Outcome, Target};
use self::notices::{Notices, Subject};
use self::player::{LoopMode, Player};
use self::playlist::{Origin, Playlist};
use self::session::Session;
use self::settings::Settings;
use super::view::View;
use super::view::camera_control::CameraMode;
use super::view::fields_of_view::FieldsOfView;
use crate::images::series::Destination;
use crate::view_request::ViewRequest;
use crate::viewer::docks::Panel;
use mapscope_formats::Severity;
use mapscope_scene::saving::FileKind;
use mapscope_scene::{Document, MapChoice, OpenOptions};

pub(crate) use self::session::OpenFile;

/// Something that only the window can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Load something.
    Load(LoadRequest),
    /// Stop loading.
    CancelLoad,
    /// Watch other files, since another or none is open.
    Watch,
    /// Look which files are now where those of the list of a number come from.
    List(u64, Origin),
    /// Compare the open file with another.
    Compare(CompareRequest),
    /// Ask for a path with the system's dialog.
    AskPath(PathPurpose),
    /// Save a picture of the view as [`PictureOptions`](picture::PictureOptions) say.
    SavePicture(PathBuf),
    /// Save an animation of the view as
    /// [`AnimationOptions`](animation::AnimationOptions) say.
    SaveAnimation(Destination),
    /// Save the image of the whole map.
    SaveMap(PathBuf),
    /// Write what is open as a file of another program, of the kind that its name ends in.
    Export(PathBuf),
    /// Put what the view shows on the clipboard.
    CopyPicture,
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

/// The state of the window.
#[derive(Debug)]
pub(crate) struct State {
    /// The open document and how it is looked at.
    pub session: Session,
    /// The files that go with the open one.
    pub playlist: Option<Playlist>,
    /// How many loads there were.
    pub versions: u64,
    /// The clip that a file begins with which is about to be opened.
    pub first_clip: Option<(PathBuf, String)>,
    /// What is in front of the view and around it.
    pub interface: Interface,
    /// What is said for a while.
    pub notices: Notices,
    /// What is remembered.
    pub settings: Settings,
    /// What is asked for of the first file.
    request: ViewRequest,
    /// The map that the first file is to stand on, which is a scene.
    pub named_map: MapChoice,
    /// How files are opened; textures are also looked for in folders that are remembered.
    pub open_options: OpenOptions,
    /// What the window still has to do.
    pub effects: Vec<Effect>,
}

impl State {
    /// Nothing is open.
    pub(crate) fn new(settings: Settings, request: ViewRequest) -> Self {
        let timeline = settings.timeline;
        let mut fields_of_view = settings.fields_of_view;
        // A camera that is asked for is one of 45 degrees, whatever was set the last time.
        let usual = FieldsOfView::default().of(CameraMode::Orbit);
        let has_pose = request.camera.is_some() || request.look_through.is_some();
        let asked = request.fov.or(has_pose.then_some(usual));
        if let Some(degrees) = asked {
            fields_of_view.set(CameraMode::Orbit, degrees);
        }
        Self {
            session: Session::new(View::new(fields_of_view), timeline.smooth),
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
        }
    }

    /// What the user has said about opening files.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let mut options = self.open_options.clone();
        let remembered = self.settings.texture_folders.iter().cloned();
        options.texture_folders.extend(remembered);
        options
    }

    /// Opens the first of these files and folders that can be opened.
    pub(crate) fn open_paths(&mut self, paths: &[PathBuf]) {
        if !paths.is_empty() {
            let paths = paths.iter().map(|path| folder::absolute(path));
            let map = std::mem::take(&mut self.named_map);
            self.load_on(Target::Paths(paths.collect()), Cause::Opened, map);
        }
    }

    /// Has something loaded.
    pub(crate) fn load(&mut self, target: Target, cause: Cause) {
        self.load_on(target, cause, MapChoice::Beside);
    }

    /// Has something loaded, which is to stand on a map if it is a scene.
    pub(crate) fn load_on(&mut self, target: Target, cause: Cause, map: MapChoice) {
        let request = LoadRequest { target, cause, map };
        self.effects.push(Effect::Load(request));
    }

    /// Reads the open file again, keeping camera and selection.
    pub(crate) fn reload(&mut self, cause: Cause) {
        if let Some(open) = &self.session.open {
            self.load_on(open.target(), cause, open.map.clone());
        }
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
        self.notices.end(&Subject::Load);
        match loaded {
            Some(loaded) if cause == Cause::Changed && self.session.keeps_back(&loaded) => {
                self.session
                    .keep_version(None, loaded.document.about().problems.clone());
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
                self.take(loaded, cause);
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

    fn take(&mut self, loaded: Loaded, cause: Cause) {
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
        let target = match demo {
            Some(demo) => Target::Demo(demo),
            None => Target::Paths(vec![path.clone()]),
        };
        let returned = self.session.leave_for(&target, cause);
        let same = self
            .session
            .open_file()
            .is_some_and(|open| open.path == path);
        let keep = cause.is_reload() && same;
        if !keep {
            self.forget_overlays_of_problems();
        }
        let versions = self.versions;
        let before = self.session.open.replace(OpenFile {
            read_at,
            map,
            scene,
            ..OpenFile::new(path.clone(), demo, Arc::clone(&document), versions)
        });
        self.session.pointer.leave();
        let comparing = before.as_ref().filter(|_| cause == Cause::Neighbor);
        let alike = comparing.is_some_and(|before| look_alike(&*before.document, &*document))
            || cause == Cause::Counterpart;
        let selected = self.session.view.shown.selected;
        let mut request = std::mem::take(&mut self.request);
        let clip = self.first_clip.take_if(|_| !keep);
        if let Some((_, clip)) = clip.filter(|(file, _)| *file == path) {
            request.clip.get_or_insert(clip);
        }
        if keep {
            self.session.keep_shown(&*document);
        } else {
            self.show_first(&*document, &request);
        }
        if let Some(before) = before.filter(|_| keep) {
            let wish = self.session.wish(&before);
            self.session.grant(wish);
            if let Some(list) = &mut self.playlist {
                list.mark_opened(&path);
            }
            self.tell_of_reload(&*before.document);
            self.compare_reloaded(&before);
        } else {
            self.session.forget_comparison();
            // How something plays belongs to its document; whether poses are mixed is a taste.
            self.session.plays_at_once = true;
            self.session.player = Player::new(LoopMode::default(), self.session.player.is_smooth());
            self.session.start_clip(&request);
            self.session.view.history.forget();
            self.session.wish = None;
            self.session.deselect();
            if cause == Cause::Counterpart {
                self.session.select(selected.filter(|item| {
                    let playhead = self.session.view.shown.playhead;
                    !document.properties(*item, playhead).is_empty()
                }));
            }
            if alike {
                self.session.keep_camera(&*document);
            } else {
                self.session.look_at_document(&*document, demo, &request);
            }
            self.go_on_in_list(files, &path);
            if demo.is_none() {
                self.settings.remember_file(&path);
            }
            self.show_problems_if_any(&*document);
            self.take_back_question(&path);
            self.ask_for_map(path, maps);
            self.offer_scene(cause);
            self.show_asked_entities(&request);
            if let Some(visit) = returned {
                self.look_again(visit);
            }
        }
        self.session.keep_offered_overlays(&*document);
        self.effects.push(Effect::Watch);
    }

    /// Opens the list of problems for a file that has some, where there is room and nobody has closed
    /// it, and closes it again for the next that has none.
    fn show_problems_if_any(&mut self, document: &dyn Document) {
        let may_open = self.has_room_below() && !self.settings.keeps_problems_closed;
        let open = &mut self.settings.bottom.open;
        if !document.about().problems.is_empty() {
            if open.is_none() && may_open {
                *open = Some(Panel::Problems);
                self.interface.problems_by_themselves = true;
            }
        } else if self.interface.problems_by_themselves && *open == Some(Panel::Problems) {
            *open = None;
        }
    }

    /// The settings as they are remembered: without what opened by itself.
    pub(crate) fn settings_to_keep(&self) -> Settings {
        let mut settings = self.settings.clone();
        settings.timeline.smooth = self.session.player.is_smooth();
        if self.interface.problems_by_themselves && settings.bottom.open == Some(Panel::Problems) {
            settings.bottom.open = None;
        }
        if let Some(before) = self.covered_by_files() {
            settings.left.open = Some(before);
        }
        settings
    }

    /// Takes over settings that other windows have changed.
    pub(crate) fn adopt_settings(&mut self, settings: Settings) {
        let folders = self.settings.texture_folders.clone();
        self.settings.adopt(settings);
        self.session.view.shown.hides_weights = !self.settings.joint_weights;
        if self.settings.texture_folders != folders {
            self.reload(Cause::Changed);
        }
    }

    /// Closes a file that this computer cannot show, and says why.
    pub(crate) fn refuse(&mut self, message: &str) {
        if let Some(open) = &self.session.open {
            let path = open.path.clone();
            self.notices.failures.push(Failure::new(&path, message));
            self.close();
        }
    }

    /// Closes the file.
    pub(crate) fn close(&mut self) {
        self.session.leave();
        self.session.open = None;
        self.session.view.forget_flat();
        self.session.tools.measure.close();
        self.forget_level();
        self.session.start_clip(&ViewRequest::default());
        self.session.on_disk = None;
        self.session.wish = None;
        self.playlist = None;
        self.session.forget_comparison();
        self.session.deselect();
        self.session.pointer.leave();
        self.effects.push(Effect::Watch);
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

/// Where an image of a file is saved as this kind unless the user says otherwise: in the user's folder
/// for pictures, or else at home.
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

    use super::interface::{Asked, Dialog};
    use super::notices::LoadingView;
    use super::picture::PictureSize;
    use super::playlist::FileList;
    use super::*;
    use crate::images::animation::AnimationFormat;
    use crate::viewer::commands::{self, Action, Request};
    use mapscope_scene::camera::Projection;
    use mapscope_scene::saving::PNG;
    use mapscope_scene::{OverlayId, ProblemTarget, Progress, TerrainItem, demo};

    fn state() -> State {
        State::new(Settings::default(), ViewRequest::default())
    }

    #[test]
    fn an_existing_picture_is_replaced_only_after_a_question_and_what_was_read_never() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        let mut state = state();
        let save = PathPurpose::SavePicture;
        state.path_chosen(save, &in_dir("new"), Asked::InWindow);
        let saves = |name| [Effect::SavePicture(in_dir(name))];
        assert_eq!(std::mem::take(&mut state.effects), saves("new.png"));
        assert_eq!(state.interface.dialog, None);

        for (name, bytes) in [("old.png", &b""[..]), ("text.png", b"a text")] {
            std::fs::write(in_dir(name), bytes).unwrap();
            state.path_chosen(save, &in_dir(name), Asked::InWindow);
            assert!(state.effects.is_empty(), "{name}");
            let path = in_dir(name);
            let question = Dialog::Replace {
                purpose: save,
                path: path.clone(),
                existing: vec![path.clone()],
                kind: PNG,
            };
            assert_eq!(state.interface.dialog.take(), Some(question), "{name}");
            for asked in [Asked::ToReplace, Asked::BySystem] {
                state.path_chosen(save, &path, asked);
                assert_eq!(std::mem::take(&mut state.effects), saves(name));
            }
        }
        // The system asked about `old`, and not about `old.png`.
        state.path_chosen(save, &in_dir("old"), Asked::BySystem);
        assert!(matches!(
            state.interface.dialog.take(),
            Some(Dialog::Replace { .. })
        ));

        let map = in_dir("map.png");
        std::fs::copy(in_dir("old.png"), &map).unwrap();
        state.loaded(outcome(map.to_str().unwrap(), false, true));
        for (name, asked) in [
            ("map.png", Asked::ToReplace),
            ("map.png", Asked::BySystem),
            ("a.jpg", Asked::InWindow),
        ] {
            state.effects.clear();
            state.path_chosen(save, &in_dir(name), asked);
            assert!(state.effects.is_empty(), "{name}");
            let toast = state.notices.toasts.last().unwrap();
            assert_eq!(toast.severity, Some(Severity::Error));
        }
        // Another name can be typed at once.
        assert!(matches!(state.interface.dialog, Some(Dialog::Path { .. })));
    }

    #[test]
    fn how_to_leave_the_full_screen_is_said_while_one_is_in_it() {
        let mut state = state();
        let said = |state: &State| {
            let mut toasts = state.notices.toasts.iter();
            toasts.any(|toast| toast.text == "F11 leaves the full screen")
        };
        for is_full in [true, false, true] {
            state.run(Action::FullScreen);
            assert_eq!(said(&state), is_full);
        }
    }

    #[test]
    fn in_a_folder_a_file_is_saved_by_the_name_that_is_suggested() {
        let dir = tempfile::tempdir().unwrap();
        let mut state = state();
        state.loaded(outcome("/maps/castle.pfmap", false, true));
        let chosen = |state: &mut State, purpose, path: PathBuf| {
            state.effects.clear();
            state.path_chosen(purpose, &path, Asked::InWindow);
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
        // What is in it is asked about.
        std::fs::write(&png, b"").unwrap();
        let path = dir.path().to_owned();
        state.effects.clear();
        state.path_chosen(picture, &path, Asked::BySystem);
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
    fn an_export_is_of_the_kind_that_its_name_ends_in() {
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
            state.path_chosen(export, &dir.path().join(name), Asked::BySystem);
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
    fn an_animation_asks_once_about_all_files_that_are_there_and_refuses_what_is_too_large() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        let mut state = state();
        state.interface.animation.views = 3;
        let save = PathPurpose::SaveAnimation;
        state.path_chosen(save, &in_dir("new"), Asked::BySystem);
        let gif = Destination::Animation(AnimationFormat::Gif, in_dir("new.gif"));
        let saves = [Effect::SaveAnimation(gif)];
        assert_eq!(std::mem::take(&mut state.effects), saves);

        for name in ["a_001.png", "a_002.png"] {
            std::fs::write(in_dir(name), b"").unwrap();
        }
        // The system knows nothing of the numbers.
        state.path_chosen(save, &in_dir("a.png"), Asked::BySystem);
        assert!(state.effects.is_empty());
        let question = Dialog::Replace {
            purpose: save,
            path: in_dir("a.png"),
            existing: ["a_001.png", "a_002.png"].map(in_dir).to_vec(),
            kind: PNG,
        };
        assert_eq!(state.interface.dialog.take(), Some(question));
        state.path_chosen(save, &in_dir("a.png"), Asked::ToReplace);
        let images = ["a_000.png", "a_001.png", "a_002.png"].map(in_dir);
        let saves = [Effect::SaveAnimation(Destination::Images(images.to_vec()))];
        assert_eq!(std::mem::take(&mut state.effects), saves);

        state.path_chosen(save, &in_dir("a.jpg"), Asked::BySystem);
        let toast = &state.notices.toasts.last().unwrap().text;
        let expected = "a.jpg was not saved: expected a name that ends in .png, .apng or .gif";
        assert!(toast.ends_with(expected), "{toast}");
        state.interface.picture.size = PictureSize::Typed;
        state.interface.picture.typed_size = [20_000; 2];
        state.path_chosen(save, &in_dir("large.apng"), Asked::BySystem);
        let toast = &state.notices.toasts.last().unwrap().text;
        assert!(toast.contains("20000x20000"), "{toast}");
        assert!(state.effects.is_empty());
    }

    #[test]
    fn no_command_does_harm_while_nothing_is_open() {
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
    fn the_title_shows_what_a_name_hides() {
        let mut state = state();
        state.loaded(outcome("/a\u{202e}\n\u{1b}b.pfmap", false, true));
        assert_eq!(
            state.session.title(),
            r"Mapscope - a\u{202e}\n\u{1b}b.pfmap"
        );
    }

    #[test]
    fn what_is_opened_is_framed_once_the_view_has_a_shape() {
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
    fn page_down_keeps_the_camera_for_another_version_of_the_same() {
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
        assert_ne!(state.session.view.camera, kept, "it is something else");
    }

    #[test]
    fn what_was_open_stays_open_when_the_next_file_fails() {
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

    /// In the list of files a file that is gone from the disk is marked until it can be read again.
    #[test]
    fn an_open_file_that_is_gone_is_marked_in_the_list() {
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
        assert!(state.session.tells_of_disk());
        state.loaded(outcome("/a.pfmap", true, true));
        assert_eq!(failure(&state), None);
    }

    /// What a load gives of a map without its textures.
    fn broken(path: &str) -> Outcome {
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
    }

    #[test]
    fn what_opens_by_itself_closes_again_and_is_not_remembered() {
        let mut state = state();
        state.loaded(broken("/no/textures.pfmap"));
        assert_eq!(state.settings.bottom.open, Some(Panel::Problems));
        assert_eq!(state.settings_to_keep().bottom.open, None);
        state.loaded(outcome("/good.pfmap", false, true));
        assert_eq!(state.settings.bottom.open, None);
        // What was closed stays closed, also after the next start.
        state.loaded(broken("/no/textures.pfmap"));
        state.run(Action::Panel(Panel::Problems));
        state.loaded(broken("/no/textures.pfmap"));
        assert_eq!(state.settings.bottom.open, None);
        assert!(state.settings_to_keep().keeps_problems_closed);
        // After an explicit choice it stays.
        state.run(Action::Panel(Panel::Problems));
        assert!(!state.settings.keeps_problems_closed);
        state.loaded(broken("/no/textures.pfmap"));
        state.loaded(outcome("/good.pfmap", false, true));
        assert_eq!(state.settings_to_keep().bottom.open, Some(Panel::Problems));
    }

    #[test]
    fn problems_open_by_themselves_only_where_there_is_room() {
        for (size, opens) in [([1280.0, 400.0], false), ([1280.0, 800.0], true)] {
            // A file may be read before the window has its size.
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
                    assert!(state.is_panel_open(Panel::Problems), "it was asked for");
                }
            }
        }
    }

    #[test]
    fn problems_that_gave_way_to_a_low_window_come_back_in_a_higher_one() {
        const LOW: [f32; 2] = [1280.0, 400.0];
        const HIGH: [f32; 2] = [1280.0, 800.0];
        let mut state = state();
        state.fit_window(HIGH);
        state.loaded(broken("/no/textures.pfmap"));
        state.fit_window(LOW);
        assert!(!state.is_panel_open(Panel::Problems));
        state.fit_window(HIGH);
        assert!(state.is_panel_open(Panel::Problems));
        assert_eq!(state.settings_to_keep().bottom.open, None, "by itself");
        // Not for a file without any, nor when something else was wanted there.
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
    fn escape_closes_what_is_foremost_first() {
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
    fn a_pasted_camera_is_taken_and_anything_else_is_named() {
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
    fn a_message_goes_when_something_newer_is_known_about_the_same() {
        let mut state = state();
        let said = |state: &State| -> Vec<String> {
            let toasts = state.notices.toasts.iter();
            toasts.map(|toast| toast.text.clone()).collect()
        };
        let save = |file: &str| Subject::Save(file.into());
        let (failed, error) = ("Saving failed: the disk is full", Some(Severity::Error));
        state.notices.toast_about(save("/a.png"), failed, error);
        state.notices.end(&save("/b.png"));
        state
            .notices
            .toast_about(save("/b.png"), "Saved /b.png", None);
        assert_eq!(said(&state), [failed, "Saved /b.png"]);
        state.notices.end(&save("/a.png"));
        assert_eq!(said(&state), ["Saved /b.png"]);
        // The file that could not be opened beside one that could.
        let mut both = outcome("/a.pfmap", false, true);
        both.failures = vec![Failure::new(Path::new("/bad.pfmap"), "1:1: bad")];
        state.loaded(both);
        assert_eq!(said(&state), ["Saved /b.png", "bad.pfmap: 1:1: bad"]);
        state.loaded(outcome("/bad.pfmap", false, true));
        assert_eq!(said(&state), ["Saved /b.png"]);
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
        // What the user has switched on or touched stays.
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
