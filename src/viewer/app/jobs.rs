//! Long tasks in threads: loading, listing, comparing and saving. Also watches files and stores the
//! settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use super::saving::{Device, ImageOrder, SaveJob, Saved, replaced_text};
use super::{App, UserEvent, sender, view_texture};
use crate::images::animation::DEFAULT_FPS;
use crate::images::series::Destination;
use crate::images::shots::Shot;
use crate::viewer::format::counted;
use crate::viewer::io::settings_file::SettingsFile;
use crate::viewer::io::{attach, compare, find, search};
use crate::viewer::state::animation::SavingView;
use crate::viewer::state::attach::AttachRequest;
use crate::viewer::state::compare::CompareRequest;
use crate::viewer::state::find::{FindOutcome, FindRequest};
use crate::viewer::state::load::{LoadRequest, Outcome};
use crate::viewer::state::notices::{LoadingView, Subject};
use crate::viewer::state::playlist::Origin;
use crate::viewer::state::settings::Settings;
use crate::viewer::state::{self, State};
use mapscope_formats::Severity;
use mapscope_scene::camera::Camera;
use mapscope_scene::saving::files_read;
use mapscope_scene::{Item, Progress};

/// Minimum side of a part of a picture that is drawn at once, in pixels. Smaller parts cost more
/// time than they save for the window.
const MIN_PART_SIDE: u32 = 1024;

impl App {
    pub(super) fn load(&mut self, request: LoadRequest) {
        let chosen = self.state.settings.chosen_maps.clone();
        self.loader
            .start(request, self.state.open_options(), chosen);
        self.show_loading();
    }

    pub(super) fn show_loading(&mut self) {
        self.state.notices.loading = self.loader.loading().map(|loading| LoadingView {
            name: loading.name.clone(),
            fraction: loading.progress.fraction(),
            seen: loading.seen(),
        });
    }

    pub(super) fn loaded(&mut self, outcome: Outcome) {
        if !self.loader.finish(&outcome) {
            return;
        }
        self.state.notices.loading = None;
        if self.state.session.is_unfinished(&outcome) {
            self.files.note_change(Instant::now());
            return;
        }
        for failure in &outcome.failures {
            let (path, line) = (failure.path.display(), failure.message.replace('\n', " "));
            self.events.write(format_args!("failed {path}: {line}"));
        }
        let what = if outcome.request.cause.is_reload() {
            "reloaded"
        } else {
            "opened"
        };
        let version = |state: &State| state.session.open.as_ref().map(|open| open.version);
        let before = version(&self.state);
        self.state.loaded(outcome);
        if let Some(open) = &self.state.session.open {
            let path = open.path.display();
            if version(&self.state) != before {
                self.events.write_with_frame(format!("{what} {path}"));
            } else if self.state.session.on_disk.is_some() {
                self.events.write_with_frame(format!("kept {path}"));
            }
        }
        self.save_settings();
    }

    /// Rescans the source of a list in a separate thread.
    pub(super) fn list_files(&self, number: u64, origin: Origin) {
        let listed = sender(&self.proxy, |(number, files)| {
            UserEvent::Listed(number, files)
        });
        std::thread::spawn(move || {
            if let Some(files) = search::list(origin) {
                listed((number, files));
            }
        });
    }

    /// Compares the open file with another one in a separate thread.
    pub(super) fn compare(&mut self, request: CompareRequest) {
        let compared = sender(&self.proxy, |outcome| {
            UserEvent::Compared(Box::new(outcome))
        });
        let job = move || compared(compare::run(request));
        if let Err(error) = std::thread::Builder::new().spawn(job) {
            let text = format!("The comparison could not be started: {error}");
            self.state.notices.toast(text, Some(Severity::Error));
        }
    }

    /// Reads models to attach in a separate thread.
    pub(super) fn attach(&mut self, request: AttachRequest) {
        let attached = sender(&self.proxy, |outcome| {
            UserEvent::Attached(Box::new(outcome))
        });
        let job = move || attached(attach::run(request));
        if let Err(error) = std::thread::Builder::new().spawn(job) {
            let text = format!("The models could not be read: {error}");
            self.state.notices.toast(text, Some(Severity::Error));
        }
    }

    /// Finds items in a separate thread.
    pub(super) fn find(&mut self, request: FindRequest) {
        let found = sender(&self.proxy, |outcome| UserEvent::Found(Box::new(outcome)));
        let number = request.number;
        let job = move || found(find::run(&request));
        if let Err(error) = std::thread::Builder::new().spawn(job) {
            self.state.found(FindOutcome {
                number,
                result: Err(format!("The search could not be started: {error}")),
            });
        }
    }

    pub(super) fn watch_open_file(&mut self) {
        let mut files = Vec::new();
        let mut read_at = SystemTime::now();
        if let Some(open) = self
            .state
            .session
            .open_file()
            .filter(|open| open.demo.is_none())
        {
            read_at = open.read_at;
            files.push(open.path.clone());
            files.extend(open.document.about().dependencies.iter().cloned());
            let comparison = &self.state.session.tools.comparison;
            files.extend(comparison.file.clone());
            let other = comparison.found.as_ref().and_then(|it| it.other.as_ref());
            let of_other = other.map(|other| &other.about().dependencies);
            files.extend(of_other.into_iter().flatten().cloned());
        }
        self.files
            .set_since(files.iter().map(PathBuf::as_path), read_at);
        self.warn_of_unwatched_files();
    }

    pub(super) fn warn_of_unwatched_files(&mut self) {
        if let Some(trouble) = self.files.take_warning() {
            self.state.notices.toast(trouble, Some(Severity::Warning));
        }
    }

    /// Saves a picture of the view.
    pub(super) fn save_picture(&mut self, path: PathBuf) {
        let (camera, shots) = (self.state.session.view.camera, vec![Shot::numbered(0)]);
        let destination = Destination::Images(vec![path]);
        self.save_images(camera, shots, DEFAULT_FPS, destination);
    }

    /// Saves an animation of the view.
    pub(super) fn save_animation(&mut self, destination: Destination) {
        let fps = self.state.interface.animation.fps;
        let camera = self.state.animation_camera();
        self.save_images(camera, self.state.animation_shots(), fps, destination);
    }

    pub(super) fn save_images(
        &mut self,
        camera: Camera,
        shots: Vec<Shot>,
        fps: f32,
        destination: Destination,
    ) {
        let Some(document) = self.state.session.document().cloned() else {
            return;
        };
        let pixels_per_point = self.egui.pixels_per_point();
        let (view, size) = view_texture::picture_of(&self.state, camera, pixels_per_point);
        // The window's own frames have to wait for each part.
        let [width, height] = self.state.session.view.size_px;
        let max_side = width.max(height).max(MIN_PART_SIDE);
        let order = ImageOrder {
            document,
            view,
            size,
            max_side,
            shots,
            fps,
            destination,
        };
        if order.destination.paths().is_empty() {
            let why = "the path of the camera has no views".to_owned();
            self.saved(Saved::Failed(why));
        } else {
            self.retry_save = Some(order.clone());
            self.start_saving(order);
        }
    }

    pub(super) fn start_saving(&mut self, order: ImageOrder) {
        let paths = order.destination.paths();
        let (Some(screen), Some(first)) = (&self.screen, paths.first()) else {
            return;
        };
        let device = Device {
            gpu: screen.gpu.clone(),
            is_lost: Arc::clone(&screen.is_lost),
        };
        let (progress, done) = self.begin_saving(first, paths.len());
        self.saving = Some(SaveJob::images(device, order, progress, done));
    }

    /// Saves images again after a lost device, once there is another device.
    pub(super) fn retry_save(&mut self) {
        let screen = self.screen.as_ref().filter(|screen| !screen.is_lost());
        if screen.is_some()
            && self.saving.is_none()
            && let Some(order) = self.retry_save.take()
        {
            self.events.write("saving-again");
            self.start_saving(order);
        }
    }

    /// Shows the progress of a save of a number of files. Returns the progress and the callback for
    /// the result.
    pub(super) fn begin_saving(
        &mut self,
        first: &Path,
        files: usize,
    ) -> (Arc<Progress>, impl FnOnce(Saved) + use<>) {
        let progress = Arc::new(Progress::default());
        first.clone_into(&mut self.saving_to);
        self.state.notices.saving = Some(SavingView {
            name: state::folder::name(first),
            files,
            progress: Arc::clone(&progress),
        });
        (progress, sender(&self.proxy, UserEvent::ImagesSaved))
    }

    /// Reports the result of a save.
    pub(super) fn saved(&mut self, saved: Saved) {
        self.saving = None;
        self.state.notices.saving = None;
        if saved == Saved::DeviceLost && self.retry_save.is_some() {
            self.retry_save();
            return;
        }
        self.retry_save = None;
        let (text, severity) = match saved {
            Saved::Files(first, count, losses) => {
                let path = first.display();
                self.events.write(format_args!("saved {path}"));
                let others = match count {
                    0 | 1 => String::new(),
                    _ => format!(" and {}", counted(count - 1, "other")),
                };
                let mut text = format!("Saved {path}{others}");
                for loss in &losses {
                    text.extend(["\n", loss]);
                }
                (text, None)
            }
            Saved::Cancelled(replaced) => {
                self.events.write("not-saved cancelled");
                (format!("Cancelled{}", replaced_text(replaced)), None)
            }
            Saved::DeviceLost => {
                self.events.write("not-saved device lost");
                let text = "Saving failed: the graphics driver has stopped twice while drawing";
                (text.to_owned(), Some(Severity::Error))
            }
            Saved::Failed(error) => {
                self.events.write(format_args!("not-saved {error}"));
                let text = format!("Saving failed: {error}");
                (text, Some(Severity::Error))
            }
        };
        let subject = Subject::Save(std::mem::take(&mut self.saving_to));
        self.state.notices.dismiss_about(&subject);
        self.state.notices.toast_about(subject, text, severity);
    }

    /// Copies a picture of the view to the clipboard.
    pub(super) fn copy_picture(&mut self) {
        let Some(screen) = &mut self.screen else {
            return;
        };
        let image = screen
            .view
            .take(&screen.gpu, &mut screen.renderer, &self.state);
        match image.and_then(|image| self.clipboard.copy_image(image)) {
            Ok(()) => {
                self.events.write("picture-copied");
                self.state.notices.toast("Picture copied", None);
            }
            Err(error) => {
                let text = format!("The picture was not copied: {error}");
                self.state.notices.toast(text, Some(Severity::Error));
            }
        }
    }

    /// Saves the image of the whole map.
    pub(super) fn save_map(&mut self, path: PathBuf) {
        let Some(document) = self.state.session.document().cloned() else {
            return;
        };
        let shown = self.state.session.view.shown.clone();
        let (progress, done) = self.begin_saving(&path, 1);
        self.saving = Some(SaveJob::map(document, shown, path, progress, done));
    }

    /// Saves the UV layout of a texture.
    pub(super) fn save_layout(&mut self, texture: Item, path: PathBuf) {
        let Some(document) = self.state.session.document().cloned() else {
            return;
        };
        let (progress, done) = self.begin_saving(&path, 1);
        self.saving = Some(SaveJob::layout(document, texture, path, progress, done));
    }

    /// Exports the open document.
    pub(super) fn export(&mut self, path: PathBuf) {
        let Some(open) = self.state.session.open_file() else {
            return;
        };
        // Attached models move with their joints, which other programs cannot express.
        let document = Arc::clone(&open.host);
        let read = files_read(&open.path, &*open.document);
        let (progress, done) = self.begin_saving(&path, 1);
        self.saving = Some(SaveJob::export(document, read, path, progress, done));
    }

    /// Writes the settings of this window, and adopts those that other windows have changed.
    pub(super) fn save_settings(&mut self) {
        self.exchange_settings(SettingsFile::save);
    }

    /// Adopts the settings that other windows have changed.
    pub(super) fn reload_settings(&mut self) {
        self.exchange_settings(SettingsFile::read_changes);
    }

    fn exchange_settings(
        &mut self,
        exchange: fn(&mut SettingsFile, &Settings) -> Result<Option<Settings>, String>,
    ) {
        let Some(file) = &mut self.settings_file else {
            return;
        };
        let exchanged = exchange(file, &self.state.settings_to_keep());
        self.state.saves_settings = file.works();
        match exchanged {
            Ok(Some(merged)) => {
                self.state.notices.dismiss_about(&Subject::Settings);
                let has_new_keys = merged.keys != self.state.settings.keys;
                self.state.adopt_settings(merged);
                if has_new_keys {
                    self.state.report_unknown_keys();
                }
            }
            Ok(None) => {}
            Err(text) => self.state.warn_of_settings(text),
        }
    }
}
