//! Bounded search for files below folders. A symbolic link to a file or folder below the search
//! root is followed once. Links that lead outside the root are not followed: an untrusted folder
//! must not cause other folders of the user to be searched.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, ReadDir};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fmt, io};

use crate::file_names::{NaturalName, name};

/// Limits that end a search early.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of folder entries to examine, of any type.
    pub entries: u64,
    /// Maximum number of files to find.
    pub files: u64,
}

impl Limits {
    /// For opening: enough for the folders of a game, but not for a whole disk.
    pub const OPEN: Self = Self {
        entries: 200_000,
        files: 10_000,
    };
    /// For explicit requests: unlimited.
    pub const NONE: Self = Self {
        entries: u64::MAX,
        files: u64::MAX,
    };
    /// For the preview while files are dragged over the window, which must be fast.
    pub const PREVIEW: Self = Self {
        entries: 4_000,
        files: 1_000,
    };
}

/// Progress of a search, shared with the code that displays it.
#[derive(Debug, Default)]
pub struct SearchProgress {
    pub(crate) folders: AtomicU64,
    pub(crate) files: AtomicU64,
    pub(crate) is_over: AtomicBool,
}

/// Virtual file systems of the system. Their files may be endless and are not searched.
const SYSTEM_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Counts of a running search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Folders that have been read.
    pub folders: u64,
    /// Files that have been found.
    pub files: u64,
}

impl SearchProgress {
    /// Returns the counts so far while folders are being searched.
    pub fn seen(&self) -> Option<Seen> {
        let seen = Seen {
            folders: self.folders.load(Ordering::Relaxed),
            files: self.files.load(Ordering::Relaxed),
        };
        (seen.folders > 0 && !self.is_over.load(Ordering::Relaxed)).then_some(seen)
    }
}

/// The limit that ended a search early, with the count at that point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutOff {
    /// The number of folder entries.
    Entries(u64),
    /// The number of files.
    Files(u64),
}

/// An unreadable folder below a searched one.
#[derive(Debug)]
pub struct UnreadableFolder {
    /// The folder.
    pub path: PathBuf,
    /// The system's error.
    pub error: io::Error,
}

/// A search in progress over one or more folders.
pub struct Search<'a> {
    limits: Limits,
    progress: &'a SearchProgress,
    goes_on: &'a dyn Fn() -> bool,
    is_wanted: &'a dyn Fn(&Path) -> bool,
    is_skipped: &'a dyn Fn(&Path) -> bool,
    /// `true` to find dangling links.
    finds_dangling: bool,
    /// Links that lead outside the searched folder.
    outside: Vec<PathBuf>,
    pub(crate) read_dir: &'a dyn Fn(&Path) -> io::Result<ReadDir>,
    /// Canonical paths of folders that were read or are queued, so that each is read only once.
    known: HashSet<PathBuf>,
    entries: u64,
    files: u64,
    unreadable: Vec<UnreadableFolder>,
    cut_off: Option<CutOff>,
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("limits", &self.limits)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// The reason why the search of a folder has no result.
#[derive(Debug)]
pub enum SearchError {
    /// The search was cancelled.
    Stopped,
    /// The folder cannot be read.
    Unreadable(io::Error),
}

/// A folder and the files directly in it.
struct Folder {
    path: PathBuf,
    /// The canonical path.
    real: PathBuf,
    files: Vec<PathBuf>,
    /// Indices of the direct subfolders in the list of all folders.
    below: Vec<usize>,
}

impl Folder {
    fn new(path: PathBuf, real: PathBuf) -> Self {
        Self {
            path,
            real,
            files: Vec::new(),
            below: Vec::new(),
        }
    }
}

/// The direct contents of a folder, in natural order.
#[derive(Default)]
struct Listing {
    files: Vec<PathBuf>,
    /// Folders, each with a flag that is `true` for a link to a folder.
    folders: Vec<(PathBuf, bool)>,
}

impl<'a> Search<'a> {
    /// Creates a search for files whose names are wanted. It continues while `goes_on` returns
    /// `true`. Hidden files and folders are skipped.
    pub fn new(
        limits: Limits,
        progress: &'a SearchProgress,
        goes_on: &'a dyn Fn() -> bool,
        is_wanted: &'a dyn Fn(&Path) -> bool,
    ) -> Self {
        Self {
            limits,
            progress,
            goes_on,
            is_wanted,
            is_skipped: &|_folder| false,
            finds_dangling: false,
            outside: Vec::new(),
            read_dir: &|path| fs::read_dir(path),
            known: HashSet::new(),
            entries: 0,
            files: 0,
            unreadable: Vec::new(),
            cut_off: None,
        }
    }

    /// Also skips the folders that match, with their contents.
    #[must_use]
    pub fn skipping(self, is_skipped: &'a dyn Fn(&Path) -> bool) -> Self {
        Self { is_skipped, ..self }
    }

    /// Also finds dangling links whose own names are wanted.
    #[must_use]
    pub fn with_dangling_links(self) -> Self {
        Self {
            finds_dangling: true,
            ..self
        }
    }

    /// The unreadable folders below the searched ones, in the order in which they were found.
    pub fn unreadable(&self) -> &[UnreadableFolder] {
        &self.unreadable
    }

    /// The links that were not followed because they lead outside the searched folder.
    pub fn outside(&self) -> &[PathBuf] {
        &self.outside
    }

    /// The limit that ended the search early, if any.
    pub fn cut_off(&self) -> Option<CutOff> {
        self.cut_off
    }

    /// Returns the files below a folder; a folder's own files precede those of its subfolders.
    /// `None` if the folder was already searched. Unreadable subfolders are
    /// [recorded](Self::unreadable) and skipped.
    ///
    /// # Errors
    /// If the folder itself cannot be read, or if the search was cancelled.
    pub fn files_below(&mut self, root: &Path) -> Result<Option<Vec<PathBuf>>, SearchError> {
        let top = root.canonicalize().map_err(SearchError::Unreadable)?;
        if !self.known.insert(top.clone()) {
            return Ok(None);
        }
        let is_entered = |real: &Path| {
            let is_system = |system: &Path| real.starts_with(system) && !top.starts_with(system);
            !SYSTEM_FOLDERS.into_iter().map(Path::new).any(is_system)
        };
        let mut folders = vec![Folder::new(root.to_owned(), top.clone())];
        // Breadth first, so that a limit keeps the folders nearest to the root. Links wait until
        // all real folders are known: a folder that is reachable both ways is listed at its real
        // path.
        let mut waiting = VecDeque::from([0]);
        let mut links: VecDeque<(usize, PathBuf)> = VecDeque::new();
        while self.cut_off.is_none() {
            let at = match waiting.pop_front() {
                Some(at) => at,
                None => match links.pop_front() {
                    Some((above, link)) => {
                        let real = link.canonicalize().ok();
                        let real = real.filter(|real| is_entered(real));
                        let Some(real) = real.filter(|real| self.known.insert(real.clone())) else {
                            continue;
                        };
                        add_below(&mut folders, above, Folder::new(link, real))
                    }
                    None => break,
                },
            };
            let Some(folder) = folders.get(at) else {
                break;
            };
            let listing = match self.list(&folder.path, &top) {
                Ok(listing) => listing,
                Err(SearchError::Unreadable(error)) if at > 0 => {
                    let path = folder.path.clone();
                    self.unreadable.push(UnreadableFolder { path, error });
                    continue;
                }
                Err(halt) => return Err(halt),
            };
            let real = folder.real.clone();
            for (path, is_link) in listing.folders {
                if is_link {
                    links.push_back((at, path));
                    continue;
                }
                let real = real.join(path.file_name().unwrap_or_default());
                if is_entered(&real) && self.known.insert(real.clone()) {
                    waiting.push_back(add_below(&mut folders, at, Folder::new(path, real)));
                }
            }
            if let Some(folder) = folders.get_mut(at) {
                folder.files = listing.files;
            }
        }
        Ok(Some(in_order(folders)))
    }

    /// Reads one folder within the limits. `top` is the canonical path of the search root.
    fn list(&mut self, folder: &Path, top: &Path) -> Result<Listing, SearchError> {
        self.progress.folders.fetch_add(1, Ordering::Relaxed);
        let mut listing = Listing::default();
        for entry in (self.read_dir)(folder).map_err(SearchError::Unreadable)? {
            if !(self.goes_on)() {
                return Err(SearchError::Stopped);
            }
            if self.entries == self.limits.entries {
                self.cut_off = Some(CutOff::Entries(self.entries));
                break;
            }
            self.entries += 1;
            // Skip entries that have disappeared or whose type cannot be determined.
            let Some((entry, kind)) = entry.ok().and_then(|entry| {
                let kind = entry.file_type().ok()?;
                Some((entry, kind))
            }) else {
                continue;
            };
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            // A link has the type of its target.
            let is_link = kind.is_symlink();
            let target = is_link.then(|| fs::metadata(&path).ok());
            let (is_dir, is_file) = match target {
                Some(target) => target.map_or((false, self.finds_dangling), |it| {
                    (it.is_dir(), it.is_file())
                }),
                None => (kind.is_dir(), kind.is_file()),
            };
            let leads_out = is_link && path.canonicalize().is_ok_and(|it| !it.starts_with(top));
            if leads_out {
                let is_wanted =
                    is_dir && !(self.is_skipped)(&path) || is_file && (self.is_wanted)(&path);
                self.outside.extend(is_wanted.then_some(path));
            } else if is_dir {
                if !(self.is_skipped)(&path) {
                    listing.folders.push((path, is_link));
                }
            } else if is_file && (self.is_wanted)(&path) {
                if self.files == self.limits.files {
                    self.cut_off = Some(CutOff::Files(self.files));
                    break;
                }
                self.files += 1;
                self.progress.files.fetch_add(1, Ordering::Relaxed);
                listing.files.push(path);
            }
        }
        listing
            .files
            .sort_by_cached_key(|path| NaturalName(name(path)));
        listing
            .folders
            .sort_by_cached_key(|(path, _)| NaturalName(name(path)));
        Ok(listing)
    }
}

/// Adds a folder below another one and returns its index in the list of all folders.
fn add_below(folders: &mut Vec<Folder>, above: usize, folder: Folder) -> usize {
    let at = folders.len();
    folders.push(folder);
    if let Some(above) = folders.get_mut(above) {
        above.below.push(at);
    }
    at
}

/// Returns the files of all folders in order: each folder's own files, then those of its
/// subfolders. The first folder is the root.
fn in_order(mut folders: Vec<Folder>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut next = vec![0];
    while let Some(folder) = next.pop().and_then(|at| folders.get_mut(at)) {
        files.append(&mut folder.files);
        next.extend(folder.below.iter().rev());
    }
    files
}
