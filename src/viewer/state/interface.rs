//! The user interface around the view: dialogs, and the paths that they ask for.

use std::path::{Path, PathBuf, is_separator};

use super::animation::AnimationOptions;
use super::go_to::GoTo;
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
use mapscope_scene::map_scene::MapFile;
use mapscope_scene::saving::{self, FileKind, GIF, PNG, SaveError};
use mapscope_scene::{Item, MapChoice};

/// State of the user interface around the view.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// The open dialog, if any.
    pub dialog: Option<Dialog>,
    /// Options for saving pictures of the view.
    pub picture: PictureOptions,
    /// Options for saving animations of the view.
    pub animation: AnimationOptions,
    /// The pending move of the keyboard focus, if any.
    pub focus_move: Option<FocusMove>,
    /// The last typed path. Opening a file clears it.
    pub typed_path: String,
    /// Files that are being dragged over the window, if any.
    pub hovering: Option<HoveringFiles>,
    /// `true` in full screen.
    pub full_screen: bool,
    /// `true` if the problems panel opened automatically.
    pub problems_auto_opened: bool,
    /// The panel that the files panel replaced automatically, because a folder was opened.
    pub panel_replaced_by_files: Option<Panel>,
    /// The adaptation to small windows.
    pub room: Room,
    /// The name of the graphics adapter.
    pub adapter: String,
    /// The adapter with its driver, and the reason why it was selected.
    pub adapter_and_reason: String,
    /// The anti-aliasing mode of the adapter.
    pub anti_aliasing: String,
    /// Numbers of visible chunks and of all chunks, until all are visible.
    pub chunks_shown: Option<(usize, usize)>,
}

/// A dialog.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Dialog {
    /// The command palette.
    Palette {
        /// The typed text.
        text: String,
        /// Index of the selected result.
        at: usize,
    },
    /// Asks for a place to go to.
    GoTo(Box<GoTo>),
    /// The table of keyboard shortcuts.
    CheatSheet {
        /// The typed filter.
        text: String,
        /// `true` until it has been displayed once.
        is_new: bool,
        /// The change of keys, if the table allows it.
        edit: Option<KeyEdit>,
    },
    /// Asks for a path.
    Path {
        /// Purpose of the path.
        purpose: PathPurpose,
        /// The typed text.
        text: String,
        /// The reason why the previous path was rejected, if one was.
        why_not: Option<String>,
    },
    /// Asks for the map of a scene.
    ChooseMap {
        /// The scene file.
        scene: PathBuf,
        /// The candidate maps.
        maps: Vec<MapFile>,
        /// `true` if the scene was just opened.
        is_new: bool,
    },
    /// The list of bookmarks.
    Bookmarks,
    /// Options for saving a picture of the view.
    Picture,
    /// Options for saving an animation of the view.
    Animation,
    /// The list of texture folders.
    TextureFolders,
    /// Asks for the command of the editor.
    Editor {
        /// The typed command.
        text: String,
    },
    /// Asks for confirmation before files are overwritten.
    Replace {
        /// Purpose of the path.
        purpose: PathPurpose,
        /// The chosen path.
        path: PathBuf,
        /// The existing files.
        existing: Vec<PathBuf>,
        /// Kind of the new files.
        kind: FileKind,
    },
    /// Asks for confirmation before quitting during a save.
    Quit,
    /// Information about the program.
    About,
}

impl Dialog {
    /// The table of keyboard shortcuts, without a filter.
    pub(crate) fn cheat_sheet(edit: Option<KeyEdit>) -> Self {
        Self::CheatSheet {
            text: String::new(),
            is_new: true,
            edit,
        }
    }
}

/// The change of keys in the table of keyboard shortcuts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeyEdit {
    /// The command that gets the next pressed key, and the index of the key that is replaced.
    pub waiting: Option<(&'static str, usize)>,
    /// The reason why the last pressed key was refused, if it was.
    pub refused: Option<String>,
}

/// A move of the keyboard focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FocusMove {
    /// Moves to the next part of the window.
    Next,
    /// Moves to the previous part.
    Previous,
    /// Moves to the search field of the outliner.
    Search,
    /// Moves to the query of the find panel.
    Query,
}

/// The source of a chosen path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathSource {
    /// A dialog of the system, which confirms overwriting itself.
    SystemDialog,
    /// A dialog of the viewer.
    InApp,
    /// A dialog of the viewer, and the user has confirmed overwriting.
    OverwriteConfirmed,
}

/// The purpose of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathPurpose {
    Open,
    SavePicture,
    SaveAnimation,
    SaveMap,
    /// Save the UV layout of a texture.
    SaveLayout(Item),
    Export,
    TextureFolder,
    SceneMap,
    Compare,
    /// Attach models to the selected joint.
    Attach,
}

/// The effect of dropping the dragged files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DropPreview {
    /// The file that would be opened, if any.
    pub opens: Option<PathBuf>,
    /// The headline.
    pub title: String,
    /// The smaller line below it.
    pub detail: String,
}

/// Files that are being dragged over the window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HoveringFiles {
    /// Their paths, without duplicates.
    pub paths: Vec<PathBuf>,
    /// The effect of dropping them, once it is known.
    pub preview: Option<DropPreview>,
}

impl Session {
    /// The file to save for a chosen path. For a folder, it is the suggested name in that folder.
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

    /// The export formats of the open document, best first.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let document = self.document();
        document.map_or_else(Vec::new, |document| targets(&**document))
    }

    /// The suggested export path: beside the open file, or in the pictures folder for a demo.
    pub(crate) fn suggested_export(&self) -> PathBuf {
        match (&self.open, self.targets().first()) {
            (Some(open), Some(target)) if open.demo.is_none() => {
                // Beside the archive, for a file inside it.
                let disk = mapscope_scene::file_on_disk(&open.path);
                let name = open.path.file_name().unwrap_or_default();
                disk.with_file_name(name).with_extension(target.kind.ending)
            }
            (Some(open), Some(target)) => suggested_image(&open.path, target.kind),
            _ => PathBuf::new(),
        }
    }
}

impl State {
    /// Opens the viewer's own path dialog, which needs no dialog of the system.
    pub(crate) fn ask_path(&mut self, purpose: PathPurpose) {
        let text = match (purpose, &self.session.open) {
            (
                PathPurpose::SavePicture | PathPurpose::SaveMap | PathPurpose::SaveLayout(_),
                Some(open),
            ) => suggested_image(&open.path, PNG).display().to_string(),
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

    /// Asks for the command of the editor.
    pub(crate) fn ask_for_editor(&mut self) {
        let text = self.settings.editor.clone();
        self.interface.dialog = Some(Dialog::Editor { text });
    }

    /// Sets the command of the editor. An empty one restores the search.
    pub(crate) fn set_editor(&mut self, command: &str) {
        command.trim().clone_into(&mut self.settings.editor);
        self.effects.push(Effect::SaveSettings);
    }

    /// Uses a chosen path for its purpose.
    pub(crate) fn path_chosen(&mut self, purpose: PathPurpose, path: &Path, source: PathSource) {
        let saved = match purpose {
            PathPurpose::SavePicture | PathPurpose::SaveMap | PathPurpose::SaveLayout(_) => {
                Some(PNG)
            }
            PathPurpose::SaveAnimation => Some(GIF),
            PathPurpose::Export => self.session.targets().first().map(|target| target.kind),
            _ => None,
        };
        let file = saved.map_or_else(
            || Ok(path.to_owned()),
            |kind| self.session.file_at(path, kind),
        );
        let (path, source) = match file {
            // This file has not been confirmed yet.
            Ok(file) if file != path => (file, PathSource::InApp),
            Ok(file) => (file, source),
            Err(error) => {
                self.refuse_to_save(purpose, path, source, &error.to_string());
                return;
            }
        };
        match purpose {
            PathPurpose::Open => self.open_paths(&[path]),
            PathPurpose::SavePicture => {
                self.save_to(purpose, &path, source, Effect::SavePicture);
            }
            PathPurpose::SaveMap => self.save_to(purpose, &path, source, Effect::SaveMap),
            PathPurpose::SaveLayout(texture) => {
                let save = |path| Effect::SaveLayout(texture, path);
                self.save_to(purpose, &path, source, save);
            }
            PathPurpose::Export => self.export_to(&path, source),
            PathPurpose::SaveAnimation => self.save_animation_to(&path, source),
            PathPurpose::TextureFolder => self.add_texture_folder(&path),
            PathPurpose::Attach => self.attach(&[path]),
            PathPurpose::Compare => {
                if source == PathSource::InApp {
                    // The dialog stays open until the path is known to be valid.
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

    /// Saves to a path, unless an existing file must stay or needs a confirmation.
    fn save_to(
        &mut self,
        purpose: PathPurpose,
        path: &Path,
        source: PathSource,
        save: impl FnOnce(PathBuf) -> Effect,
    ) {
        let named = PNG.with_ending(path);
        if self.may_save(purpose, path, source, PNG, std::slice::from_ref(&named)) {
            self.effects.push(save(named));
        }
    }

    /// Exports the document to a path. The extension selects the format.
    fn export_to(&mut self, path: &Path, source: PathSource) {
        let targets = self.session.targets();
        let target = match path.extension() {
            None => targets.first(),
            ending => target_of(&targets, ending),
        };
        let Some(Target { kind, .. }) = target else {
            let why = format!("expected a name that ends in {}", endings(&targets));
            self.refuse_to_save(PathPurpose::Export, path, source, &why);
            return;
        };
        let named = kind.with_ending(path);
        let files = std::slice::from_ref(&named);
        if self.may_save(PathPurpose::Export, path, source, *kind, files) {
            self.effects.push(Effect::Export(named));
        }
    }

    /// Saves the animation to a path, with the same checks.
    fn save_animation_to(&mut self, path: &Path, source: PathSource) {
        let purpose = PathPurpose::SaveAnimation;
        let destination = self.animation_at(path);
        let may_save = match &destination {
            Destination::Images(paths) => self.may_save(purpose, path, source, PNG, paths),
            Destination::Animation(format, file) => {
                let size = self.picture_size().map(u64::from);
                let file = std::slice::from_ref(file);
                match check_frame_size(size) {
                    Ok(()) => self.may_save(purpose, path, source, format.file_kind(), file),
                    Err(why) => {
                        self.refuse_to_save(purpose, path, source, &why);
                        false
                    }
                }
            }
        };
        if may_save {
            self.effects.push(Effect::SaveAnimation(destination));
        }
    }

    /// `true` if files may be saved for a chosen path. Otherwise, a message or a confirmation
    /// dialog appears.
    fn may_save(
        &mut self,
        purpose: PathPurpose,
        path: &Path,
        source: PathSource,
        kind: FileKind,
        files: &[PathBuf],
    ) -> bool {
        let may_replace = match source {
            // The system confirmed the name before the extension or the number was added.
            PathSource::SystemDialog => *files == [path],
            PathSource::InApp => false,
            PathSource::OverwriteConfirmed => true,
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
                    self.refuse_to_save(purpose, path, source, &why);
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

    /// Reports why nothing is saved to a path, and asks for another path.
    fn refuse_to_save(&mut self, purpose: PathPurpose, path: &Path, source: PathSource, why: &str) {
        let text = path.display().to_string();
        if source == PathSource::InApp {
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
            self.notices
                .toast(format!("Added texture folder {}", folder.display()), None);
            self.effects.push(Effect::SaveSettings);
            self.reload(Cause::Changed);
        } else {
            self.notices
                .toast("This texture folder is already in the list", None);
        }
    }

    /// Removes a texture folder from the settings.
    pub(crate) fn remove_texture_folder(&mut self, index: usize) {
        if index < self.settings.texture_folders.len() {
            self.settings.texture_folders.remove(index);
            self.effects.push(Effect::SaveSettings);
            self.reload(Cause::Changed);
        }
    }
}
