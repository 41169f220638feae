//! Input files: their bytes, the user's options for opening them, and the progress of a load.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use thiserror::Error;

use super::budget::DecodeBudget;
use super::inside::{self, ArchiveOrigin};
use super::parsed::Parsed;
use super::system::system_reason;
use super::{altered, rules};
use mapscope_formats::ppe::xmf::{Dialect, TileOrder};
use mapscope_formats::{Format, Problem, ReadError, count_errors};

/// The bytes of a file and their origin.
#[derive(Debug, Clone)]
pub struct Source {
    /// Path of the file; a made-up name for built-in files.
    pub path: PathBuf,
    /// All its bytes.
    pub bytes: Bytes,
    /// Built-in files that replace the asset root: name and bytes.
    pub embedded: &'static [(&'static str, &'static [u8])],
    /// The archive that it comes from, if any.
    pub archive: Option<ArchiveOrigin>,
}

impl Source {
    /// Reads a file. The path of a file inside an archive goes on behind that of the archive.
    ///
    /// # Errors
    /// If it cannot be read, or changes during reading.
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        if let Some(inside) = inside::read(path) {
            return inside;
        }
        Ok(Self {
            path: path.to_owned(),
            bytes: Self::read_with(path, read_whole)?,
            embedded: &[],
            archive: None,
        })
    }

    /// Reads the bytes of a file of at most `max_bytes` bytes.
    pub(crate) fn read_up_to(path: &Path, max_bytes: u64) -> Result<Bytes, OpenError> {
        let check = |bytes: u64| {
            if bytes <= max_bytes {
                return Ok(());
            }
            let message = format!("{bytes} bytes; expected at most {max_bytes}");
            Err(std::io::Error::other(message))
        };
        if let Some(inside) = inside::read(path) {
            let bytes = inside?.bytes;
            return match check(bytes.len() as u64) {
                Ok(()) => Ok(bytes),
                Err(source) => Err(OpenError::Read {
                    path: path.to_owned(),
                    source,
                }),
            };
        }
        let bytes = Self::read_with(path, |path| {
            check(std::fs::metadata(path)?.len())?;
            std::fs::read(path)
        });
        bytes.map(Bytes::from)
    }

    /// Reads a file with a function, and checks that the file did not change in the meantime.
    fn read_with<B: AsRef<[u8]>>(
        path: &Path,
        read: impl FnOnce(&Path) -> std::io::Result<B>,
    ) -> Result<B, OpenError> {
        let error = |source| OpenError::Read {
            path: path.to_owned(),
            source,
        };
        let stamp = || {
            let meta = std::fs::metadata(path)?;
            if meta.is_dir() {
                return Err(std::io::ErrorKind::IsADirectory.into());
            }
            // Devices and pipes may never end.
            if !meta.is_file() {
                return Err(std::io::Error::other("this is not a regular file"));
            }
            Ok((meta.len(), meta.modified().ok()))
        };
        let before = stamp().map_err(error)?;
        let bytes = read(path).map_err(error)?;
        if stamp().map_err(error)? != before || bytes.as_ref().len() as u64 != before.0 {
            return Err(OpenError::Changed {
                path: path.to_owned(),
            });
        }
        Ok(bytes)
    }
}

/// Minimum size in bytes of a file that is read into huge pages.
#[cfg(target_os = "linux")]
const MIN_IN_HUGE_PAGES: u64 = 4 << 20;

/// Reads a file; a large one into huge pages, if available. Allocating small pages would take as
/// long as reading the file.
#[cfg(target_os = "linux")]
fn read_whole(path: &Path) -> std::io::Result<Bytes> {
    use std::io::Read as _;

    let mut file = std::fs::File::open(path)?;
    let len = file.metadata()?.len();
    if len < MIN_IN_HUGE_PAGES {
        return std::fs::read(path).map(Bytes::from);
    }
    let len = usize::try_from(len).map_err(std::io::Error::other)?;
    let mut pages = memmap2::MmapMut::map_anon(len)?;
    // Small pages work as well.
    let _ = pages.advise(memmap2::Advice::HugePage);
    match file.read_exact(&mut pages) {
        Ok(()) => Ok(Bytes::from_owner(pages)),
        // The caller detects from the length that the file was shortened.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(Bytes::new()),
        Err(error) => Err(error),
    }
}

/// Reads a file.
#[cfg(not(target_os = "linux"))]
fn read_whole(path: &Path) -> std::io::Result<Bytes> {
    std::fs::read(path).map(Bytes::from)
}

impl Source {
    /// The text of the file: its bytes, or converted text if they are UTF-16 or have CR line ends.
    pub fn text(&self) -> Bytes {
        altered::restored(&self.bytes).map_or_else(|| self.bytes.clone(), |(text, _)| text)
    }

    /// Parses the bytes, which is the first half of opening a file.
    ///
    /// # Errors
    /// If nothing in the file can be shown, or `progress` was cancelled.
    pub(crate) fn parse<T: Parsed>(&self, progress: &Progress) -> Result<T, OpenError> {
        let parsed = progress.time_parse(|| self.read_bytes::<T>(progress));
        parsed.map_err(|error| match error {
            ReadError::Cancelled => OpenError::Cancelled,
            ReadError::Unreadable(problem) => OpenError::Refused {
                path: self.path.clone(),
                format: T::FORMAT,
                problem: Box::new(problem),
            },
        })
    }

    /// Parses the bytes as they are, or the text that they encode if the bytes have errors.
    fn read_bytes<T: Parsed>(&self, progress: &Progress) -> Result<T, ReadError> {
        let mut watch = |fraction: f32| match progress.report(fraction * 0.5) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let mut read = T::read_with(&self.bytes, &mut watch);
        let (has_problems, has_errors) = match &mut read {
            Ok(read) => {
                let problems = read.problems();
                (!problems.is_empty(), count_errors(problems) > 0)
            }
            Err(ReadError::Unreadable(_)) => (true, true),
            Err(ReadError::Cancelled) => (false, false),
        };
        if !has_problems {
            return read;
        }
        if has_errors && let Some((text, problem)) = altered::restored(&self.bytes) {
            let mut read = T::read_with(&text, &mut watch)?;
            read.problems().insert(0, problem);
            return Ok(read);
        }
        let Some(mut cause) = altered::handled_as_text(&self.bytes) else {
            return read;
        };
        let Ok(mut read) = read else {
            return Err(ReadError::Unreadable(cause));
        };
        for problem in std::mem::take(read.problems()) {
            cause.add_consequence(problem);
        }
        read.problems().push(cause);
        Ok(read)
    }
}

/// User options for opening files.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Folders named by the user in which textures are looked for last.
    pub texture_folders: Vec<PathBuf>,
    /// The map of a scene.
    pub map: MapChoice,
    /// Encoding of embedded cells and colours in XMF files. `None` selects the current one, or the
    /// one of the time that the file declares.
    pub xmf_dialect: Option<Dialect>,
    /// Numbering of the tile lists in XMF files.
    pub xmf_tile_order: TileOrder,
    /// `true` to leave out tiles that no sheet of an XMF file defines, as the engine does.
    /// Otherwise they are shown as numbers.
    pub xmf_hides_undefined: bool,
    /// `true` to read the textures of models, including models of a scene, during opening, only to
    /// report their problems. Their pixels are not kept.
    pub checks_textures: bool,
    /// The decode budget of the document; [`open`](crate::open) begins with a fresh one.
    pub budget: DecodeBudget,
}

/// The map of a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MapChoice {
    /// The map of the same name beside the scene, as in the engine.
    #[default]
    Beside,
    /// This file.
    File(PathBuf),
    /// No map: the scene stands on the grid.
    Nowhere,
}

/// Progress of a load, shared between the loading threads and their observers.
#[derive(Debug)]
pub struct Progress {
    load: Arc<Load>,
    /// The range of the whole load that this part covers; `None` for a part that does not report.
    part: Option<[f32; 2]>,
}

/// State shared by all parts of a load.
#[derive(Debug, Default)]
struct Load {
    permille: AtomicU32,
    cancelled: AtomicBool,
    parse_nanos: AtomicU64,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            load: Arc::default(),
            part: Some([0.0, 1.0]),
        }
    }
}

impl Progress {
    /// Returns a part of the load, such as another file that belongs to this one, that covers a
    /// range of the whole. Parallel parts never set the whole back.
    pub(crate) fn part(&self, shares: [f32; 2]) -> Self {
        Self {
            load: Arc::clone(&self.load),
            part: self
                .part
                .map(|[begin, end]| shares.map(|share| begin + (end - begin) * share)),
        }
    }

    /// Returns a part of the load that shares its cancellation but does not report progress.
    pub(crate) fn silent(&self) -> Self {
        Self {
            load: Arc::clone(&self.load),
            part: None,
        }
    }

    /// Reports the completed fraction, from 0 to 1.
    ///
    /// # Errors
    /// If the load was cancelled in the meantime: the loading code must then stop.
    pub fn report(&self, fraction: f32) -> Result<(), OpenError> {
        if let Some([begin, end]) = self.part {
            let whole = begin + (end - begin) * fraction.clamp(0.0, 1.0);
            let permille = (whole * 1000.0) as u32;
            if [begin, end] == [0.0, 1.0] {
                // Each of several files starts from zero.
                self.load.permille.store(permille, Ordering::Relaxed);
            } else {
                self.load.permille.fetch_max(permille, Ordering::Relaxed);
            }
        }
        self.check()
    }

    /// Checks for cancellation.
    ///
    /// # Errors
    /// If the load was cancelled.
    pub fn check(&self) -> Result<(), OpenError> {
        if self.load.cancelled.load(Ordering::Relaxed) {
            return Err(OpenError::Cancelled);
        }
        Ok(())
    }

    /// Completed fraction of the whole load, from 0 to 1.
    pub fn fraction(&self) -> f32 {
        self.load.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// Runs the parsing step of a load, and adds its duration to [`Progress::parse_time`] unless
    /// this part is silent.
    pub fn time_parse<T>(&self, parse: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let parsed = parse();
        if self.part.is_some() {
            let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.load.parse_nanos.fetch_add(nanos, Ordering::Relaxed);
        }
        parsed
    }

    /// Total time spent on parsing in all timed parts.
    pub fn parse_time(&self) -> Duration {
        Duration::from_nanos(self.load.parse_nanos.load(Ordering::Relaxed))
    }

    /// Asks the loading threads to stop.
    pub fn cancel(&self) {
        self.load.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Reason why a file was not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file could not be read.
    #[error("{}: {}", .path.display(), system_reason(.source, "file"))]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file was written to during reading.
    #[error("{} changed while it was being read", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file's format is unknown.
    #[error("{}: {reason}", .path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// A description of the file, and the expected formats.
        reason: String,
        /// `true` if it comes from another program that uses the same file extension.
        is_foreign: bool,
    },
    /// The file is of a known format, but too corrupt to show anything.
    #[error("{}:{}: {}", .path.display(), .problem.place, .problem.message)]
    Refused {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: &'static Format,
        /// The fault and its place.
        problem: Box<Problem>,
    },
    /// The user cancelled the load.
    #[error("cancelled")]
    Cancelled,
}

impl OpenError {
    /// The note that a file in a folder is skipped because it comes from another program, if so.
    pub fn skipped(&self) -> Option<Problem> {
        match self {
            Self::UnknownFormat {
                reason,
                is_foreign: true,
                ..
            } => Some(rules::of_file(&rules::FOREIGN, reason)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_while_it_is_read_is_not_taken() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "version 1.0").unwrap();
        assert!(Source::read(file.path()).is_ok());
        let changed = Source::read_with(file.path(), |path| {
            let bytes = std::fs::read(path);
            std::fs::write(path, "version 1.0, and more")?;
            bytes
        });
        assert!(
            matches!(changed, Err(OpenError::Changed { .. })),
            "{changed:?}"
        );
    }

    #[test]
    fn large_files_are_read_whole() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for len in [0, 1, 4 << 20, (4 << 20) + 1, 9_999_999] {
            let bytes: Vec<u8> = (0..len).map(|i: u32| ((i * 7) >> 5) as u8).collect();
            std::fs::write(file.path(), &bytes).unwrap();
            assert!(Source::read(file.path()).unwrap().bytes == bytes, "{len}");
        }
    }

    #[test]
    fn a_part_is_a_share_of_the_whole_and_never_sets_it_back() {
        let whole = Progress::default();
        let [first, second] = [[0.0, 0.5], [0.5, 1.0]].map(|shares| whole.part(shares));
        first.report(0.5).unwrap();
        assert_eq!(whole.fraction(), 0.25);
        second.part([0.5, 1.0]).report(0.0).unwrap();
        assert_eq!(whole.fraction(), 0.75);
        first.report(1.0).unwrap();
        first.silent().report(1.0).unwrap();
        assert_eq!(second.fraction(), 0.75);
        first
            .silent()
            .time_parse(|| std::thread::sleep(Duration::from_millis(1)));
        assert_eq!(whole.parse_time(), Duration::ZERO);
        whole.cancel();
        assert!(first.silent().check().is_err() && second.report(1.0).is_err());
    }

    #[test]
    fn what_is_no_file_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            folder.path(),
            Path::new("/dev/zero"),
            &folder.path().join("none"),
        ] {
            let error = Source::read(path).unwrap_err();
            assert!(matches!(error, OpenError::Read { .. }));
            assert!(
                error.to_string().starts_with(path.to_str().unwrap()),
                "{error}"
            );
        }
    }
}
