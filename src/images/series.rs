//! Series of images, as numbered files or as the frames of one animation. Files are written
//! atomically, with progress reports.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::animation::{AnimationFormat, AnimationInfo, MAX_FRAME_PX};
use super::shots::Shot;
use mapscope_scene::saving::{self, FileKind, PNG};

/// Callback that receives the progress of an image, from 0 to 1. An error cancels it.
pub type Report<'a> = &'a mut dyn FnMut(f32) -> io::Result<()>;

/// Renders the images of a document.
pub trait Painter {
    /// Width and height in pixels.
    fn size(&self) -> [u64; 2];

    /// Renders an image and passes on its rows from the top: RGBA bytes, one or several rows at a
    /// time.
    ///
    /// # Errors
    /// If it cannot be rendered, or if `rows` fails.
    fn draw(
        &mut self,
        shot: &Shot,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()>;

    /// Writes an image as a PNG.
    ///
    /// # Errors
    /// If it cannot be rendered or written, or if `report` fails.
    fn write_png(&mut self, shot: &Shot, out: &mut dyn Write, report: Report<'_>)
    -> io::Result<()>;
}

/// The owner of a series of images: writes the files, receives progress and may cancel.
pub trait SeriesObserver {
    /// The reason why images are missing.
    type Error: From<io::Error>;

    /// Receives the number of completed images, plus the fraction of the current one.
    ///
    /// # Errors
    /// If the series is cancelled.
    fn report(&self, done: f32) -> io::Result<()>;

    /// Writes a file of a kind.
    ///
    /// # Errors
    /// If `write` fails, or if the file cannot be created or written.
    fn write(
        &self,
        path: &Path,
        kind: FileKind,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Self::Error>;
}

/// The files that a series is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// One PNG per image.
    Images(Vec<PathBuf>),
    /// One animation file, or standard output.
    Animation(AnimationFormat, PathBuf),
}

impl Destination {
    /// The output files.
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Self::Images(paths) => paths,
            Self::Animation(_, path) => std::slice::from_ref(path),
        }
    }

    /// Renders and writes all images. An animation has `fps` frames per second.
    ///
    /// # Errors
    /// If an image cannot be rendered or written, or if the series is cancelled. Completed images
    /// stay.
    pub fn write<O: SeriesObserver>(
        &self,
        shots: &[Shot],
        fps: f32,
        painter: &mut dyn Painter,
        overseer: &O,
    ) -> Result<(), O::Error> {
        match self {
            Self::Images(paths) => {
                for (number, (shot, path)) in shots.iter().zip(paths).enumerate() {
                    let mut report = |fraction| overseer.report(number as f32 + fraction);
                    report(0.0)?;
                    overseer.write(path, PNG, &mut |out| {
                        painter.write_png(shot, out, &mut report)
                    })?;
                }
                Ok(())
            }
            Self::Animation(format, path) => {
                let [width, height] = painter.size().map(|side| side as u32);
                let info = AnimationInfo {
                    size: [width, height],
                    frames: shots.len() as u32,
                    fps,
                };
                overseer.write(path, format.file_kind(), &mut |out| {
                    format.write(out, info, &mut |number| {
                        let mut report = |fraction| overseer.report(number as f32 + fraction);
                        report(0.0)?;
                        let shot = shots
                            .get(number as usize)
                            .ok_or(io::ErrorKind::UnexpectedEof)?;
                        let size = painter.size();
                        let mut pixels = Vec::new();
                        let mut take = |rows: &[u8]| {
                            pixels.extend_from_slice(rows);
                            Ok(())
                        };
                        painter.draw(shot, &mut counted(size, &mut take, &mut report))?;
                        Ok(pixels)
                    })
                })
            }
        }
    }
}

/// Checks the size of an animation frame in pixels, which is held in memory as a whole.
///
/// # Errors
/// If it is too large; the message suggests an alternative.
pub fn check_frame_size([width, height]: [u64; 2]) -> Result<(), String> {
    if width.saturating_mul(height) <= MAX_FRAME_PX {
        return Ok(());
    }
    Err(format!(
        "{width}x{height} is too large for an animation, whose frames are held in memory; \
         write separate images with a name such as a_%03d.png"
    ))
}

/// Returns a callback that passes rows on and reports the progress of an image of this size.
pub fn counted(
    [width, height]: [u64; 2],
    rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    report: Report<'_>,
) -> impl FnMut(&[u8]) -> io::Result<()> {
    let bytes = width as f32 * height as f32 * 4.0;
    let mut handed_on = 0;
    move |some| {
        rows(some)?;
        handed_on += some.len();
        report(handed_on as f32 / bytes)
    }
}

/// Writes a file atomically, and cancels it once `check` fails.
///
/// # Errors
/// If `check` or `write` fails, or if the file cannot be written.
pub fn write_atomically(
    path: &Path,
    check: &dyn Fn() -> io::Result<()>,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    saving::write_atomically(path, |out| {
        check()?;
        write(&mut Interruptible { out, check })?;
        // Do not keep the file if it was cancelled in the meantime.
        check()
    })
}

/// A writer that fails once a check fails.
struct Interruptible<'a> {
    out: &'a mut dyn Write,
    check: &'a dyn Fn() -> io::Result<()>,
}

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.check)()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.check)()?;
        self.out.flush()
    }
}

/// Name pattern of a sequence of images: a path with one `%d`, or `%03d` for three digits.
#[derive(Debug, PartialEq, Eq)]
pub struct FramePattern {
    before: OsString,
    digits: usize,
    after: OsString,
}

impl FramePattern {
    /// Parses a path; `None` if it is not a pattern.
    pub fn of(path: &Path) -> Option<Self> {
        let (before, rest) = path.to_str()?.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = match digits {
            "" => 0,
            // A 32-bit number has at most 10 digits; more would only be zeros.
            _ => digits.parse().ok().filter(|digits| *digits <= 10)?,
        };
        let pattern = Self {
            before: before.into(),
            digits,
            after: after.into(),
        };
        (!after.contains('%')).then_some(pattern)
    }

    /// Parses a path, or appends a number to its name if it is not a pattern: `walk_%03d.png` for
    /// `walk.png`.
    pub fn of_or_numbered(path: &Path) -> Self {
        Self::of(path).unwrap_or_else(|| {
            let mut name = path.file_stem().unwrap_or_default().to_owned();
            name.push("_");
            let mut after = OsString::new();
            if let Some(ending) = path.extension() {
                after.push(".");
                after.push(ending);
            }
            Self {
                before: path.with_file_name(name).into(),
                digits: 3,
                after,
            }
        })
    }

    /// The path of the image with this number.
    pub fn path(&self, number: u32) -> PathBuf {
        let digits = self.digits;
        let mut path = self.before.clone();
        path.push(format!("{number:0digits$}"));
        path.push(&self.after);
        path.into()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    #[test]
    fn the_images_of_a_sequence_have_numbers() {
        let path = |pattern: &'static str, frame| {
            let pattern = FramePattern::of(Path::new(pattern));
            pattern.map(|pattern| pattern.path(frame))
        };
        assert_eq!(path("a/walk_%03d.png", 7), Some("a/walk_007.png".into()));
        assert_eq!(path("%d.png", 1234), Some("1234.png".into()));
        assert_eq!(path("%2d.png", 123), Some("123.png".into()));
        for none in ["walk.png", "%x.png", "%03d_%03d.png", "%-3d", "%", "%99d"] {
            assert_eq!(path(none, 0), None, "{none}");
        }
        for (name, numbered) in [
            ("a/walk.png", "a/walk_007.png"),
            ("100%.PNG", "100%_007.PNG"),
            ("a/%d.png", "a/7.png"),
            ("a.b/c", "a.b/c_007"),
        ] {
            let pattern = FramePattern::of_or_numbered(Path::new(name));
            assert_eq!(pattern.path(7), Path::new(numbered));
        }
    }

    /// Renders images of 2 x 2 pixels in a single grey.
    struct Greys;

    impl Painter for Greys {
        fn size(&self) -> [u64; 2] {
            [2, 2]
        }

        fn draw(
            &mut self,
            shot: &Shot,
            rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
        ) -> io::Result<()> {
            let row = [shot.number as u8; 8];
            rows(&row)?;
            rows(&row)
        }

        fn write_png(
            &mut self,
            shot: &Shot,
            out: &mut dyn Write,
            report: Report<'_>,
        ) -> io::Result<()> {
            self.draw(
                shot,
                &mut counted([2, 2], &mut |row| out.write_all(row), report),
            )
        }
    }

    /// Cancels once the progress exceeds `most`.
    struct CancelAfter {
        most: f32,
        reported: RefCell<Vec<f32>>,
        is_enough: Cell<bool>,
    }

    impl CancelAfter {
        fn up_to(most: f32) -> Self {
            Self {
                most,
                reported: RefCell::default(),
                is_enough: Cell::default(),
            }
        }
    }

    impl SeriesObserver for CancelAfter {
        type Error = io::Error;

        fn report(&self, done: f32) -> io::Result<()> {
            self.reported.borrow_mut().push(done);
            self.is_enough.set(done > self.most);
            if done > self.most {
                return Err(io::Error::other("enough"));
            }
            Ok(())
        }

        fn write(
            &self,
            path: &Path,
            _kind: FileKind,
            write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
        ) -> io::Result<()> {
            let check = || {
                if self.is_enough.get() {
                    return Err(io::Error::other("enough"));
                }
                Ok(())
            };
            write_atomically(path, &check, write)
        }
    }

    #[test]
    fn what_was_begun_is_gone_when_no_more_is_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(dir.path()).unwrap();
            let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let shots = Shot::all_around(3);
        let pattern = FramePattern::of_or_numbered(&dir.path().join("a.png"));
        let images = Destination::Images((0..3).map(|number| pattern.path(number)).collect());
        let wants = CancelAfter::up_to(1.0);
        let written = images.write(&shots, 10.0, &mut Greys, &wants);
        assert_eq!(written.unwrap_err().to_string(), "enough");
        assert_eq!(*wants.reported.borrow(), [0.0, 0.5, 1.0, 1.0, 1.5]);
        assert_eq!(names(), ["a_000.png"], "the first stays, and nothing else");
        let gif = Destination::Animation(AnimationFormat::Gif, dir.path().join("a.gif"));
        let written = gif.write(&shots, 10.0, &mut Greys, &CancelAfter::up_to(2.0));
        assert_eq!(written.unwrap_err().to_string(), "enough");
        assert_eq!(names(), ["a_000.png"]);
        gif.write(&shots, 10.0, &mut Greys, &CancelAfter::up_to(3.0))
            .unwrap();
        assert_eq!(names(), ["a.gif", "a_000.png"]);
    }

    #[test]
    fn a_frame_that_is_too_large_is_refused() {
        assert_eq!(check_frame_size([8192, 8192]), Ok(()));
        assert!(check_frame_size([8192, 8193]).is_err());
        assert!(check_frame_size([u64::MAX, 2]).is_err());
    }
}
