//! What is in front of the view and around it: dialogs, and the paths that they ask for.

use std::path::{Path, PathBuf, is_separator};

use super::animation::AnimationOptions;
use super::load::Cause;
use super::picture::PictureOptions;
use super::room::Room;
use super::session::Session;
use super::{Effect, State, folder, suggested_image};
use crate::images::series::{Destination, check_frame_size};
use crate::viewer::docks::Panel;
use crate::viewer::format::capitalized;
use mapscope_export::{Target, endings, target_of, targets};
use mapscope_formats::Severity;
use mapscope_scene::MapChoice;
use mapscope_scene::map_scene::MapFile;
use mapscope_scene::saving::{self, FileKind, GIF, PNG, SaveError};

/// What is in front of the view and around it.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// What is in front.
    pub dialog: Option<Dialog>,
    /// How pictures of the view are saved.
    pub picture: PictureOptions,
    /// How animations of the view are saved.
    pub animation: AnimationOptions,
    /// Where the keyboard focus is to go.
    pub focus_move: Option<FocusMove>,
    /// The path that was typed last, until a file was opened.
    pub typed_path: String,
    /// Files that are held over the window.
    pub hovering: Option<HoveringFiles>,
    /// Whether the window fills the screen.
    pub full_screen: bool,
    /// Whether the list of problems is open because a file had some, and not by wish.
    pub problems_by_themselves: bool,
    /// The panel in whose place the files are shown because a folder was opened, and not by wish.
    pub covered_by_files: Option<Panel>,
    /// What gives way to a small window.
    pub room: Room,
    /// The name of the graphics adapter.
    pub adapter: String,
    /// The same with its driver, and why it is the one.
    pub adapter_and_reason: String,
    /// How the adapter smooths edges.
    pub anti_aliasing: String,
    /// How many chunks of how many the view shows, until it shows all.
    pub chunks_shown: Option<(usize, usize)>,
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
        /// Why the path that was typed before is of no use.
        why_not: Option<String>,
    },
    /// Asks which map a scene stands on.
    ChooseMap {
        /// The scene.
        scene: PathBuf,
        /// The maps to choose from.
        maps: Vec<MapFile>,
        /// Whether it has just been opened.
        is_new: bool,
    },
    /// Asks how a picture of the view is to be saved.
    Picture,
    /// Asks how an animation of the view is to be saved.
    Animation,
    /// Lists the folders in which textures are looked for.
    TextureFolders,
    /// Asks whether existing files are to be replaced.
    Replace {
        /// What for.
        purpose: PathPurpose,
        /// The path that was chosen.
        path: PathBuf,
        /// The files.
        existing: Vec<PathBuf>,
        /// What they would be.
        kind: FileKind,
    },
    /// Asks whether to leave while something is being saved.
    Quit,
    /// Says what this program is.
    About,
}

/// Where the keyboard focus is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FocusMove {
    /// To the next part of the window.
    Next,
    /// To the part before.
    Previous,
    /// To the field that searches the outliner.
    Search,
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
    SaveAnimation,
    SaveMap,
    Export,
    TextureFolder,
    SceneMap,
    Compare,
}

/// What dropping files would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DropPreview {
    /// The file that would be opened, if any.
    pub opens: Option<PathBuf>,
    /// The main line.
    pub title: String,
    /// A smaller line below it.
    pub detail: String,
}

/// Files that are held over the window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HoveringFiles {
    /// They themselves, none twice.
    pub paths: Vec<PathBuf>,
    /// What dropping them would do, once that is known.
    pub preview: Option<DropPreview>,
}

impl Session {
    /// The file that is saved to at a path: in a folder, the one that is suggested.
    fn file_at(&self, path: &Path, kind: FileKind) -> Result<PathBuf, SaveError> {
        let last = path.as_os_str().as_encoded_bytes().last();
        if path.is_dir() {
            let open = self.open_file();
            let suggested = open.map(|open| suggested_image(&open.path, kind));
            let name = suggested.as_deref().and_then(Path::file_name);
            Ok(path.join(name.unwrap_or_default()))
        } else if last.is_some_and(|byte| is_separator(char::from(*byte))) {
            Err(SaveError::NoFolder)
        } else {
            Ok(path.to_owned())
        }
    }

    /// What the open document can become, the best first.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let document = self.document();
        document.map_or_else(Vec::new, |document| targets(&**document))
    }

    /// Where a file of another program is suggested to be: beside the one that is open.
    pub(crate) fn suggested_export(&self) -> PathBuf {
        match (&self.open, self.targets().first()) {
            (Some(open), Some(target)) if open.demo.is_none() => {
                open.path.with_extension(target.kind.ending)
            }
            (Some(open), Some(target)) => suggested_image(&open.path, target.kind),
            _ => PathBuf::new(),
        }
    }
}

impl State {
    /// Asks for a path in the window itself, which works where the system has no dialog.
    pub(crate) fn ask_path(&mut self, purpose: PathPurpose) {
        let text = match (purpose, &self.session.open) {
            (PathPurpose::SavePicture | PathPurpose::SaveMap, Some(open)) => {
                suggested_image(&open.path, PNG).display().to_string()
            }
            (PathPurpose::SaveAnimation, Some(open)) => {
                suggested_image(&open.path, GIF).display().to_string()
            }
            (PathPurpose::Export, _) => self.session.suggested_export().display().to_string(),
            (PathPurpose::Open, _) => self.interface.typed_path.clone(),
            _ => String::new(),
        };
        self.interface.dialog = Some(Dialog::Path {
            purpose,
            text,
            why_not: None,
        });
    }

    /// Does what a path was asked for.
    pub(crate) fn path_chosen(&mut self, purpose: PathPurpose, path: &Path, asked: Asked) {
        let saved = match purpose {
            PathPurpose::SavePicture | PathPurpose::SaveMap => Some(PNG),
            PathPurpose::SaveAnimation => Some(GIF),
            PathPurpose::Export => self.session.targets().first().map(|target| target.kind),
            _ => None,
        };
        let file = saved.map_or_else(
            || Ok(path.to_owned()),
            |kind| self.session.file_at(path, kind),
        );
        let (path, asked) = match file {
            // Nobody was asked about that file.
            Ok(file) if file != path => (file, Asked::InWindow),
            Ok(file) => (file, asked),
            Err(error) => {
                self.refuse_to_save(purpose, path, asked, &error.to_string());
                return;
            }
        };
        match purpose {
            PathPurpose::Open => self.open_paths(&[path]),
            PathPurpose::SavePicture => {
                self.save_to(purpose, &path, asked, Effect::SavePicture);
            }
            PathPurpose::SaveMap => self.save_to(purpose, &path, asked, Effect::SaveMap),
            PathPurpose::Export => self.export_to(&path, asked),
            PathPurpose::SaveAnimation => self.save_animation_to(&path, asked),
            PathPurpose::TextureFolder => self.add_texture_folder(&path),
            PathPurpose::Compare => {
                if asked == Asked::InWindow {
                    // Until it is known whether the path is of use, as it was typed.
                    self.interface.dialog = Some(Dialog::Path {
                        purpose,
                        text: self.interface.typed_path.clone(),
                        why_not: None,
                    });
                }
                self.compare_with(folder::absolute(&path));
            }
            PathPurpose::SceneMap => {
                let scene = self
                    .session
                    .open_file()
                    .filter(|_| self.session.can_choose_map());
                if let Some(scene) = scene.map(|open| open.path.clone()) {
                    let map = MapChoice::File(folder::absolute(&path));
                    self.choose_map(scene, map, false);
                }
            }
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
        if self.may_save(purpose, path, asked, PNG, std::slice::from_ref(&named)) {
            self.effects.push(save(named));
        }
    }

    /// Writes a file of another program, of the kind that its name ends in.
    fn export_to(&mut self, path: &Path, asked: Asked) {
        let targets = self.session.targets();
        let target = match path.extension() {
            None => targets.first(),
            ending => target_of(&targets, ending),
        };
        let Some(Target { kind, .. }) = target else {
            let why = format!("expected a name that ends in {}", endings(&targets));
            self.refuse_to_save(PathPurpose::Export, path, asked, &why);
            return;
        };
        let named = kind.with_ending(path);
        let files = std::slice::from_ref(&named);
        if self.may_save(PathPurpose::Export, path, asked, *kind, files) {
            self.effects.push(Effect::Export(named));
        }
    }

    /// Saves the animation that was asked for to a path, in the same way.
    fn save_animation_to(&mut self, path: &Path, asked: Asked) {
        let purpose = PathPurpose::SaveAnimation;
        let destination = self.animation_at(path);
        let may_save = match &destination {
            Destination::Images(paths) => self.may_save(purpose, path, asked, PNG, paths),
            Destination::Animation(format, file) => {
                let size = self.picture_size().map(u64::from);
                let file = std::slice::from_ref(file);
                match check_frame_size(size) {
                    Ok(()) => self.may_save(purpose, path, asked, format.file_kind(), file),
                    Err(why) => {
                        self.refuse_to_save(purpose, path, asked, &why);
                        false
                    }
                }
            }
        };
        if may_save {
            self.effects.push(Effect::SaveAnimation(destination));
        }
    }

    /// Whether files of a kind may be saved for a path that was chosen. Where something stands that
    /// must stay, that is said, and where it may be replaced, there is a question.
    fn may_save(
        &mut self,
        purpose: PathPurpose,
        path: &Path,
        asked: Asked,
        kind: FileKind,
        files: &[PathBuf],
    ) -> bool {
        let may_replace = match asked {
            // The question was about the name without the ending, or without the number.
            Asked::BySystem => *files == [path],
            Asked::InWindow => false,
            Asked::ToReplace => true,
        };
        let read = self.session.open.as_ref().map_or_else(Vec::new, |open| {
            saving::files_read(&open.path, &*open.document)
        });
        let mut existing = Vec::new();
        for file in files {
            match kind.check_target(file, &read, may_replace) {
                Ok(()) if may_replace || !file.is_file() => {}
                Ok(()) => existing.push(file.clone()),
                Err(error) if error.can_be_forced() => existing.push(file.clone()),
                Err(error) => {
                    let why = match (&error, purpose) {
                        (SaveError::Ending(_), PathPurpose::SaveAnimation) => {
                            "expected a name that ends in .png, .apng or .gif".to_owned()
                        }
                        _ => error.to_string(),
                    };
                    self.refuse_to_save(purpose, path, asked, &why);
                    return false;
                }
            }
        }
        if existing.is_empty() {
            return true;
        }
        self.interface.dialog = Some(Dialog::Replace {
            purpose,
            path: path.to_owned(),
            existing,
            kind,
        });
        false
    }

    /// Says why nothing is saved to a path, and asks for another.
    fn refuse_to_save(&mut self, purpose: PathPurpose, path: &Path, asked: Asked, why: &str) {
        let text = path.display().to_string();
        if asked == Asked::InWindow {
            self.interface.dialog = Some(Dialog::Path {
                purpose,
                text,
                why_not: Some(capitalized(why)),
            });
        } else {
            let text = format!("{text} was not saved: {why}");
            self.notices.toast(text, Some(Severity::Error));
        }
    }

    fn add_texture_folder(&mut self, folder: &Path) {
        if !folder.is_dir() {
            let text = format!("{} is not a folder", folder.display());
            self.notices.toast(text, Some(Severity::Error));
        } else if self.settings.add_texture_folder(&folder::absolute(folder)) {
            self.notices.toast(
                format!("Textures are looked for in {}", folder.display()),
                None,
            );
            self.effects.push(Effect::SaveSettings);
            self.reload(Cause::Changed);
        } else {
            self.notices
                .toast("Textures are looked for there already", None);
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
