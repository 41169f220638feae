//! Saves images and files of other programs in a separate thread, without blocking the window.
//!
//! The thread has its own renderer and its own copy of the document on the device. It shares only
//! progress and cancellation with the window.

use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::images::painter::ScenePainter;
use crate::images::series::{self, Destination, SeriesObserver};
use crate::images::shots::Shot;
use mapscope_export::{Export, endings, target_of, targets, uv_layout};
use mapscope_formats::counted;
use mapscope_render::{Gpu, View};
use mapscope_scene::saving::{FileKind, SaveError};
use mapscope_scene::{Document, FlatImage, Item, Progress, Shown, system_reason};

/// Maximum time that the program waits at exit for a cancelled save to remove its files.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(5);

/// A save in progress.
#[derive(Debug)]
pub(crate) struct SaveJob {
    progress: Arc<Progress>,
    thread: JoinHandle<()>,
}

/// The result of a save.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// Number of saved files with the path of the first one, and what their format cannot
    /// represent.
    Files(PathBuf, usize, Vec<String>),
    /// The save was cancelled after it had replaced a number of files.
    Cancelled(usize),
    /// The file and the reason of the failure, for display.
    Failed(String),
    /// The graphics device was lost; the save may succeed on another one.
    DeviceLost,
}

/// Images of a document and their destination.
#[derive(Debug, Clone)]
pub(crate) struct ImageOrder {
    pub(crate) document: Arc<dyn Document>,
    /// View settings that all shots share.
    pub(crate) view: View,
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Maximum number of pixels that are drawn at once along a side.
    pub(crate) max_side: u32,
    pub(crate) shots: Vec<Shot>,
    /// Frames per second.
    pub(crate) fps: f32,
    pub(crate) destination: Destination,
}

/// A device for drawing.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) gpu: Gpu,
    /// `true` once its loss was reported.
    pub(crate) is_lost: Arc<AtomicBool>,
}

impl Device {
    fn is_lost(&self) -> bool {
        // A loss is reported only by polling.
        let _polled = self.gpu.device.poll(wgpu::PollType::Poll);
        self.is_lost.load(Ordering::Relaxed)
    }
}

impl SaveJob {
    /// Starts to save images, and passes the result to `done`.
    pub(crate) fn images(
        device: Device,
        order: ImageOrder,
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
    ) -> Self {
        Self::start(progress, done, move |progress| {
            match save_images(&device.gpu, &order, progress) {
                Err(_) if progress.check().is_ok() && device.is_lost() => {
                    return Ok(Saved::DeviceLost);
                }
                saved => saved?,
            }
            let first = order.destination.paths().first().cloned();
            let (first, count) = (first.unwrap_or_default(), order.destination.paths().len());
            Ok(Saved::Files(first, count, Vec::new()))
        })
    }

    /// Starts to save an image of a whole 2D map in its visible state.
    pub(crate) fn map(
        document: Arc<dyn Document>,
        shown: Shown,
        path: PathBuf,
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
    ) -> Self {
        Self::start(progress, done, move |progress| {
            let watched = CancellableSave::new(progress, 1);
            let saved = watched.write_atomically(&path, &mut |out| match document.layers() {
                Some(layers) => Ok(FlatRows {
                    image: layers.flat(&shown),
                    progress,
                }
                .write_png(out)?),
                None => Err(io::Error::other("this is not a 2D map")),
            });
            saved.map(|()| Saved::Files(path, 1, Vec::new()))
        })
    }

    /// Starts to save the UV layout of a texture.
    pub(crate) fn layout(
        document: Arc<dyn Document>,
        texture: Item,
        path: PathBuf,
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
    ) -> Self {
        Self::start(progress, done, move |progress| {
            let png = uv_layout(&*document, texture);
            let png = png.ok_or_else(|| SaveFailure::new("it has no UV layout".to_owned()))?;
            let watched = CancellableSave::new(progress, 1);
            watched.write_atomically(&path, &mut |out| out.write_all(&png))?;
            Ok(Saved::Files(path, 1, Vec::new()))
        })
    }

    /// Starts to export a document in the format of its file extension. None of the files in `read`
    /// is overwritten.
    pub(crate) fn export(
        document: Arc<dyn Document>,
        read: Vec<PathBuf>,
        path: PathBuf,
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
    ) -> Self {
        Self::start(progress, done, move |progress| {
            let watched = CancellableSave::new(progress, 1);
            let saved = export(&*document, &read, &path, &watched);
            let mut export = None;
            watched.remove_partial_files(saved.map(|made| export = Some(made)))?;
            let Export { beside, losses, .. } = export.unwrap_or_default();
            Ok(Saved::Files(path, 1 + beside.len(), losses))
        })
    }

    fn start(
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
        work: impl FnOnce(&Progress) -> Result<Saved, SaveFailure> + Send + 'static,
    ) -> Self {
        let known = Arc::clone(&progress);
        let thread = thread::spawn(move || {
            let worked = catch_unwind(AssertUnwindSafe(|| work(&known)));
            done(match worked {
                Ok(Ok(saved)) => saved,
                Ok(Err(error)) if known.check().is_err() => Saved::Cancelled(error.replaced),
                Ok(Err(error)) => Saved::Failed(error.message()),
                Err(_panic) if known.check().is_err() => Saved::Cancelled(0),
                Err(_panic) => {
                    let why = "Mapscope failed while drawing it; please report this, with the file";
                    Saved::Failed(why.to_owned())
                }
            });
        });
        Self { progress, thread }
    }

    /// Cancels the save, and waits a while until its partial files are removed.
    pub(crate) fn end(self) {
        self.progress.cancel();
        let deadline = Instant::now() + REMOVAL_TIMEOUT;
        while !self.thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Failure of a save.
#[derive(Debug)]
struct SaveFailure {
    /// The reason, for display.
    why: String,
    /// Number of files that had been replaced before.
    replaced: usize,
}

impl SaveFailure {
    fn new(why: String) -> Self {
        Self { why, replaced: 0 }
    }

    /// Describes the reason and the files that were replaced before.
    fn message(&self) -> String {
        format!("{}{}", self.why, replaced_text(self.replaced))
    }
}

impl From<io::Error> for SaveFailure {
    fn from(error: io::Error) -> Self {
        Self::new(system_reason(&error, "file"))
    }
}

/// Describes the number of files that were replaced by a failed save; empty for 0.
pub(super) fn replaced_text(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!("; already replaced: {}", counted(count, "file")),
    }
}

/// Saves images with progress and cancellation.
struct CancellableSave<'a> {
    progress: &'a Progress,
    /// Number of images.
    images: usize,
    /// Created files that did not exist before.
    made: RefCell<Vec<PathBuf>>,
    /// Number of replaced files.
    replaced: Cell<usize>,
}

impl<'a> CancellableSave<'a> {
    fn new(progress: &'a Progress, images: usize) -> Self {
        Self {
            progress,
            images,
            made: RefCell::default(),
            replaced: Cell::default(),
        }
    }

    /// After a failure, removes the created files.
    fn remove_partial_files(&self, saved: Result<(), SaveFailure>) -> Result<(), SaveFailure> {
        saved.map_err(|error| {
            for path in self.made.take() {
                if let Err(error) = fs::remove_file(&path) {
                    log::warn!("{} was not removed: {error}", path.display());
                }
            }
            let replaced = self.replaced.get();
            SaveFailure { replaced, ..error }
        })
    }

    /// Writes a file atomically.
    fn write_atomically(
        &self,
        path: &Path,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SaveFailure> {
        let check = || self.progress.check().map_err(io::Error::other);
        let written = series::write_atomically(path, &check, write);
        written.map_err(|error| {
            let reason = system_reason(&error, "file");
            SaveFailure::new(format!("{}: {reason}", path.display()))
        })
    }
}

impl SeriesObserver for CancellableSave<'_> {
    type Error = SaveFailure;

    fn report(&self, done: f32) -> io::Result<()> {
        let reported = self.progress.report(done / self.images as f32);
        reported.map_err(io::Error::other)
    }

    fn write(
        &self,
        path: &Path,
        _kind: FileKind,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SaveFailure> {
        let is_new = !path.exists();
        self.write_atomically(path, write)?;
        if is_new {
            self.made.borrow_mut().push(path.to_owned());
        } else {
            self.replaced.update(|count| count + 1);
        }
        Ok(())
    }
}

/// Exports a document. The main file is written after its companion files, so that its references
/// are valid once it exists.
fn export(
    document: &dyn Document,
    read: &[PathBuf],
    path: &Path,
    watched: &CancellableSave<'_>,
) -> Result<Export, SaveFailure> {
    let targets = targets(document);
    let Some(target) = target_of(&targets, path.extension()) else {
        let why = format!("expected a name that ends in {}", endings(&targets));
        return Err(SaveFailure::new(why));
    };
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or("map");
    let made = target.make(document, stem);
    let export = made.map_err(|error| SaveFailure::new(error.to_string()))?;
    let beside = export.places(path, read, false).map_err(|(path, error)| {
        let path = path.display();
        let way_out = match error {
            SaveError::WasRead => "",
            _ => "; move it away, or choose another name",
        };
        SaveFailure::new(format!("{path}: {error}{way_out}"))
    })?;
    for (path, file) in &beside {
        watched.write(path, file.kind, &mut |out| out.write_all(&file.bytes))?;
    }
    watched.write(path, target.kind, &mut |out| out.write_all(&export.file))?;
    Ok(export)
}

/// Renders images and writes them.
fn save_images(gpu: &Gpu, order: &ImageOrder, progress: &Progress) -> Result<(), SaveFailure> {
    // Saved images contain deferred parts too.
    order.document.wait_until_complete();
    // Exceeding the device's limits is reported, and does not end the program.
    let filters = [
        wgpu::ErrorFilter::OutOfMemory,
        wgpu::ErrorFilter::Validation,
    ];
    let scopes = filters.map(|filter| gpu.device.push_error_scope(filter));
    let watched = CancellableSave::new(progress, order.shots.len());
    let max_side = Some(order.max_side);
    let painter = ScenePainter::new(
        gpu,
        &*order.document,
        order.view.clone(),
        order.size,
        max_side,
    );
    let saved = match painter {
        Ok(mut painter) => {
            let (shots, fps) = (&order.shots, order.fps);
            order.destination.write(shots, fps, &mut painter, &watched)
        }
        Err(error) => Err(SaveFailure::new(error.to_string())),
    };
    let complaint = scopes
        .into_iter()
        .rev()
        .filter_map(|scope| pollster::block_on(scope.pop()))
        .map(|error| SaveFailure::new(format!("the graphics device: {error}")));
    watched.remove_partial_files(complaint.map(Err).next().unwrap_or(saved))
}

/// A 2D map that reports the number of finished rows.
struct FlatRows<'a, I> {
    image: I,
    progress: &'a Progress,
}

impl<I: FlatImage> FlatImage for FlatRows<'_, I> {
    fn size(&self) -> [u64; 2] {
        self.image.size()
    }

    fn part_of_row(&self, from: [u64; 2], rgba: &mut [u8]) {
        let [_, y] = from;
        let [_, height] = self.image.size();
        // Cancellation is checked by the file that the rows are written to.
        let _keep_going = self.progress.report(y as f32 / height as f32);
        self.image.part_of_row(from, rgba);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::series::{FramePattern, Painter, Report};

    /// Creates empty files and is cancelled during the third.
    struct Cancels<'a>(&'a Progress);

    impl Painter for Cancels<'_> {
        fn size(&self) -> [u64; 2] {
            [1, 1]
        }

        fn draw(
            &mut self,
            shot: &Shot,
            _rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
        ) -> io::Result<()> {
            if shot.number == 2 {
                self.0.cancel();
            }
            Ok(())
        }

        fn write_png(
            &mut self,
            shot: &Shot,
            _out: &mut dyn Write,
            _report: Report<'_>,
        ) -> io::Result<()> {
            self.draw(shot, &mut |_| Ok(()))
        }
    }

    #[test]
    fn of_images_that_are_cancelled_only_those_stay_that_replaced_others() {
        let dir = tempfile::tempdir().unwrap();
        let pattern = FramePattern::of_or_numbered(&dir.path().join("a.png"));
        fs::write(pattern.path(1), b"old").unwrap();
        let images = Destination::Images((0..4).map(|number| pattern.path(number)).collect());
        let progress = Progress::default();
        let watched = CancellableSave::new(&progress, 4);
        let (shots, mut painter) = (Shot::all_around(4), Cancels(&progress));
        let written = images.write(&shots, 10.0, &mut painter, &watched);
        assert!(pattern.path(0).exists());
        let error = watched.remove_partial_files(written).unwrap_err();
        let left: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        assert_eq!(left, [pattern.path(1)]);
        assert_eq!(fs::read(pattern.path(1)).unwrap(), b"");
        assert_eq!(replaced_text(error.replaced), "; already replaced: 1 file");
        assert_eq!(replaced_text(0), "");
    }
}
