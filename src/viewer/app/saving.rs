//! Images that are saved on a thread of their own, while the window goes on.
//!
//! The thread has a renderer and a copy of the document on the device, and shares nothing else with the
//! window but how far it is, and whether it is still wanted.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::images::painter::ScenePainter;
use crate::images::series::{self, Destination, Overseer};
use crate::images::shots::Shot;
use mapscope_render::{Gpu, View};
use mapscope_scene::saving::FileKind;
use mapscope_scene::{Document, FlatImage, Progress, Shown, system_reason};

/// How long the end of the program waits for one that is not wanted any more, to remove what it began.
const PATIENCE: Duration = Duration::from_secs(5);

/// Something that is saved.
#[derive(Debug)]
pub(crate) struct SaveJob {
    progress: Arc<Progress>,
    thread: JoinHandle<()>,
}

/// How saving something ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// So many files are there, the first of them here.
    Files(PathBuf, usize),
    /// It was not wanted any more.
    Cancelled,
    /// The file and why it was not written, for people.
    Failed(String),
}

/// Images of a document, and where they are to go.
#[derive(Debug)]
pub(crate) struct ImageOrder {
    pub(crate) document: Arc<dyn Document>,
    /// What the shots have in common.
    pub(crate) view: View,
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// How many of them are drawn at once along a side.
    pub(crate) max_side: u32,
    pub(crate) shots: Vec<Shot>,
    /// Frames a second.
    pub(crate) fps: f32,
    pub(crate) destination: Destination,
}

impl SaveJob {
    /// Starts to save images, and tells `done` how that ended.
    pub(crate) fn images(
        gpu: Gpu,
        order: ImageOrder,
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
    ) -> Self {
        Self::start(progress, done, move |progress| {
            save_images(&gpu, &order, progress)?;
            let first = order.destination.first().map(Path::to_owned);
            let count = match &order.destination {
                Destination::Images(paths) => paths.len(),
                Destination::Animation(..) => 1,
            };
            Ok((first.unwrap_or_default(), count))
        })
    }

    /// Starts to save the image of a whole 2D map, with what is shown of it.
    pub(crate) fn map(
        document: Arc<dyn Document>,
        shown: Shown,
        path: PathBuf,
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
    ) -> Self {
        Self::start(progress, done, move |progress| {
            let watched = Watched {
                progress,
                images: 1,
            };
            let saved = watched.whole(&path, &mut |out| match document.layers() {
                Some(layers) => Ok(FlatRows {
                    image: layers.flat(&shown),
                    progress,
                }
                .write_png(out)?),
                None => Err(io::Error::other("this is not a 2D map")),
            });
            saved.map(|()| (path, 1))
        })
    }

    fn start(
        progress: Arc<Progress>,
        done: impl FnOnce(Saved) + Send + 'static,
        work: impl FnOnce(&Progress) -> Result<(PathBuf, usize), NotSaved> + Send + 'static,
    ) -> Self {
        let known = Arc::clone(&progress);
        let thread = thread::spawn(move || {
            let worked = catch_unwind(AssertUnwindSafe(|| work(&known)));
            done(match worked {
                Ok(Ok((path, count))) => Saved::Files(path, count),
                _ if known.check().is_err() => Saved::Cancelled,
                Ok(Err(NotSaved(why))) => Saved::Failed(why),
                Err(_panic) => {
                    let why = "Mapscope failed while drawing it; please report this, with the file";
                    Saved::Failed(why.to_owned())
                }
            });
        });
        Self { progress, thread }
    }

    /// Gives it up, and waits a while until what was begun is removed.
    pub(crate) fn end(self) {
        self.progress.cancel();
        let deadline = Instant::now() + PATIENCE;
        while !self.thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Why something was not saved, for people.
struct NotSaved(String);

impl From<io::Error> for NotSaved {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Images that go on for as long as they are wanted.
struct Watched<'a> {
    progress: &'a Progress,
    /// How many there are.
    images: usize,
}

impl Watched<'_> {
    /// Writes a file whole or not at all.
    fn whole(
        &self,
        path: &Path,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), NotSaved> {
        let check = || self.progress.check().map_err(io::Error::other);
        let written = series::write_whole(path, &check, write);
        written.map_err(|error| {
            let reason = system_reason(&error, "file");
            NotSaved(format!("{}: {reason}", path.display()))
        })
    }
}

impl Overseer for Watched<'_> {
    type Error = NotSaved;

    fn report(&self, done: f32) -> io::Result<()> {
        let reported = self.progress.report(done / self.images as f32);
        reported.map_err(io::Error::other)
    }

    fn write(
        &self,
        path: &Path,
        _kind: FileKind,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), NotSaved> {
        self.whole(path, write)
    }
}

/// Draws images and writes them.
fn save_images(gpu: &Gpu, order: &ImageOrder, progress: &Progress) -> Result<(), NotSaved> {
    // What is saved shows all.
    order.document.wait_for_textures();
    // What is too much for the device is said, and does not end the program.
    let filters = [
        wgpu::ErrorFilter::OutOfMemory,
        wgpu::ErrorFilter::Validation,
    ];
    let scopes = filters.map(|filter| gpu.device.push_error_scope(filter));
    let watched = Watched {
        progress,
        images: order.shots.len(),
    };
    let most = Some(order.max_side);
    let painter = ScenePainter::new(gpu, &*order.document, order.view.clone(), order.size, most);
    let saved = match painter {
        Ok(mut painter) => {
            let (shots, fps) = (&order.shots, order.fps);
            order.destination.write(shots, fps, &mut painter, &watched)
        }
        Err(error) => Err(NotSaved(error.to_string())),
    };
    for scope in scopes.into_iter().rev() {
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(NotSaved(format!("the graphics device: {error}")));
        }
    }
    saved
}

/// A 2D map that says how many of its rows are done.
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
        // Whether to go on, the file asks that they are written to.
        let _wanted = self.progress.report(y as f32 / height as f32);
        self.image.part_of_row(from, rgba);
    }
}
