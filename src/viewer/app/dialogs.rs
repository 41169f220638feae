//! The system's path dialogs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{App, UserEvent};
use crate::viewer::state::interface::{PathPurpose, PathSource};
use crate::viewer::state::{self};
use mapscope_scene::model::attached::FORMATS;
use mapscope_scene::saving::{APNG, GIF, PNG};

/// A system dialog that is cancelled faster than this was never displayed.
const MIN_CANCEL_TIME: Duration = Duration::from_millis(400);

impl App {
    /// Opens the system's path dialog in a separate thread, or the viewer's own dialog if the
    /// system has none.
    pub(super) fn ask_path(&mut self, purpose: PathPurpose) {
        if !self.has_dialogs {
            self.state.ask_path(purpose);
            return;
        }
        let mut dialog = rfd::AsyncFileDialog::new();
        if let Some(screen) = &self.screen {
            dialog = dialog.set_parent(&*screen.window);
        }
        let open = self.state.session.open_file();
        if let Some(folder) = open.and_then(|open| open.path.parent()) {
            dialog = dialog.set_directory(folder);
        }
        type Answer = std::pin::Pin<Box<dyn Future<Output = Vec<rfd::FileHandle>> + Send>>;
        let answer: Answer = match purpose {
            PathPurpose::Open => {
                let formats = mapscope_scene::formats();
                let endings: Vec<&str> =
                    formats.flat_map(|format| format.endings).copied().collect();
                dialog = dialog.add_filter("Supported files", &endings);
                let files = dialog.add_filter("All files", &["*"]).pick_files();
                Box::pin(async { files.await.unwrap_or_default() })
            }
            PathPurpose::Attach => {
                let endings = FORMATS.map(|format| format.endings).concat();
                dialog = dialog.add_filter("Models", &endings);
                let files = dialog.add_filter("All files", &["*"]).pick_files();
                Box::pin(async { files.await.unwrap_or_default() })
            }
            PathPurpose::Compare => {
                let document = open.map(|open| open.document.about().format);
                if let Some(format) = document {
                    dialog = dialog.add_filter(format.name, format.endings);
                }
                let file = dialog.add_filter("All files", &["*"]).pick_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::SceneMap => {
                let endings = mapscope_formats::pfmap::FORMAT.endings;
                dialog = dialog.add_filter("Maps", endings);
                let file = dialog.add_filter("All files", &["*"]).pick_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::SavePicture
            | PathPurpose::SaveAnimation
            | PathPurpose::SaveMap
            | PathPurpose::SaveLayout(_) => {
                let kinds = match purpose {
                    PathPurpose::SaveAnimation => &[GIF, APNG, PNG][..],
                    _ => &[PNG],
                };
                for kind in kinds {
                    dialog = dialog.add_filter(kind.name, &[kind.ending]);
                }
                if let (Some(open), Some(kind)) = (open, kinds.first()) {
                    let path = state::suggested_image(&open.path, *kind);
                    dialog = dialog.set_file_name(state::folder::name(&path));
                }
                let file = dialog.save_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::Export => {
                for target in self.state.session.targets() {
                    dialog = dialog.add_filter(target.kind.name, &[target.kind.ending]);
                }
                let suggested = self.state.session.suggested_export();
                let file = dialog
                    .set_file_name(state::folder::name(&suggested))
                    .save_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::TextureFolder => {
                let folder = dialog.pick_folder();
                Box::pin(async { folder.await.into_iter().collect() })
            }
        };
        let proxy = self.proxy.clone();
        let job = move || {
            let start = Instant::now();
            let files = pollster::block_on(answer);
            let paths = files.iter().map(|file| file.path().to_owned()).collect();
            let answered = UserEvent::PathsAnswered(purpose, paths, start.elapsed());
            let _gone = proxy.send_event(answered);
        };
        if std::thread::Builder::new().spawn(job).is_err() {
            self.state.ask_path(purpose);
        }
    }

    /// Handles the answer of the system's dialog. `after` is the time that it was open.
    pub(super) fn paths_answered(
        &mut self,
        purpose: PathPurpose,
        mut paths: Vec<PathBuf>,
        after: Duration,
    ) {
        match paths.pop() {
            Some(last) if !paths.is_empty() => {
                paths.push(last);
                if purpose == PathPurpose::Attach {
                    self.state.attach(&paths);
                } else {
                    self.state.open_paths(&paths);
                }
            }
            Some(path) => self
                .state
                .path_chosen(purpose, &path, PathSource::SystemDialog),
            None if after < MIN_CANCEL_TIME => {
                self.has_dialogs = false;
                self.state.ask_path(purpose);
            }
            None => {}
        }
    }
}
