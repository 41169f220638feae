//! The search for files below folders: bounded, and not led astray by links. A link to a folder or file
//! below the folder that is searched is followed once; links that lead out of it are not followed, so that
//! a folder from a stranger cannot have other folders of the user searched.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::fs::{self, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::file_names::{NaturalName, name};

/// Where a search ends, however much more there is.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Entries of folders that are looked at, whatever they are.
    pub entries: u64,
    /// Files that are found.
    pub files: u64,
}

impl Limits {
    /// For what is opened: the folders of a game, but not a whole disk.
    pub const OPEN: Self = Self {
        entries: 200_000,
        files: 10_000,
    };
    /// For what was asked for in so many words.
    pub const NONE: Self = Self {
        entries: u64::MAX,
        files: u64::MAX,
    };
    /// For what is said while files are held over the window, and soon.
    pub const PREVIEW: Self = Self {
        entries: 4_000,
        files: 1_000,
    };
}

/// How far a search is, shared with whoever shows it.
#[derive(Debug, Default)]
pub struct SearchProgress {
    pub(crate) folders: AtomicU64,
    pub(crate) files: AtomicU64,
    pub(crate) is_over: AtomicBool,
}

/// What the system shows of itself as files, which never end and are not for reading.
const SYSTEM_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// What a search has seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Folders that were read.
    pub folders: u64,
    /// Files that were found.
    pub files: u64,
}

impl SearchProgress {
    /// What was seen so far, while folders are searched.
    pub fn seen(&self) -> Option<Seen> {
        let seen = Seen {
            folders: self.folders.load(Ordering::Relaxed),
            files: self.files.load(Ordering::Relaxed),
        };
        (seen.folders > 0 && !self.is_over.load(Ordering::Relaxed)).then_some(seen)
    }
}

/// What ended a search before all was seen, and how much of it there was until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutOff {
    /// Entries of folders.
    Entries(u64),
    /// Files.
    Files(u64),
}

/// A folder below one that was searched, which cannot be read.
#[derive(Debug)]
pub struct UnreadableFolder {
    /// The folder.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

/// A search under way, of one folder after another.
pub struct Search<'a> {
    limits: Limits,
    progress: &'a SearchProgress,
    goes_on: &'a dyn Fn() -> bool,
    is_wanted: &'a dyn Fn(&Path) -> bool,
    passes_by: &'a dyn Fn(&Path) -> bool,
    /// `true` to find links that lead to nothing.
    finds_dangling: bool,
    /// Links that lead out of the folder that was searched.
    outside: Vec<PathBuf>,
    pub(crate) read_dir: &'a dyn Fn(&Path) -> io::Result<ReadDir>,
    /// The folders that were read or will be, without links: none is read twice.
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

/// Why the search of a folder gives nothing.
#[derive(Debug)]
pub enum Halt {
    /// Nobody wants it any more.
    Stopped,
    /// The folder cannot be read.
    Unreadable(io::Error),
}

/// A folder with what was found right in it.
struct Folder {
    path: PathBuf,
    /// The same without links.
    real: PathBuf,
    files: Vec<PathBuf>,
    /// The folders right below it, by their places in the list of all.
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

/// What is right in a folder, in natural order.
#[derive(Default)]
struct Listing {
    files: Vec<PathBuf>,
    /// Folders, and whether they are links to one.
    folders: Vec<(PathBuf, bool)>,
}

impl<'a> Search<'a> {
    /// Looks for files with a name that is wanted, as long as it is to go on. Hidden files and folders
    /// are passed by.
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
            passes_by: &|_folder| false,
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

    /// Also passes by these folders, with all that is in them.
    #[must_use]
    pub fn passing_by(self, passes_by: &'a dyn Fn(&Path) -> bool) -> Self {
        Self { passes_by, ..self }
    }

    /// Also finds links that lead to nothing, by their own names.
    #[must_use]
    pub fn with_dangling_links(self) -> Self {
        Self {
            finds_dangling: true,
            ..self
        }
    }

    /// The folders below those that were searched which cannot be read, in the order in which they
    /// were met.
    pub fn unreadable(&self) -> &[UnreadableFolder] {
        &self.unreadable
    }

    /// The links that were not followed because they lead out of the folder that was searched.
    pub fn outside(&self) -> &[PathBuf] {
        &self.outside
    }

    /// What ended it before all was seen.
    pub fn cut_off(&self) -> Option<CutOff> {
        self.cut_off
    }

    /// The files below a folder, its own before those of the folders below it; none where it was
    /// searched already. A folder below it that cannot be read is [noted](Self::unreadable) and passed
    /// by.
    ///
    /// # Errors
    /// When the folder itself cannot be read, or when the search was told to stop.
    pub fn files_below(&mut self, root: &Path) -> Result<Option<Vec<PathBuf>>, Halt> {
        let top = root.canonicalize().map_err(Halt::Unreadable)?;
        if !self.known.insert(top.clone()) {
            return Ok(None);
        }
        let is_entered = |real: &Path| {
            let is_system = |system: &Path| real.starts_with(system) && !top.starts_with(system);
            !SYSTEM_FOLDERS.into_iter().map(Path::new).any(is_system)
        };
        let mut folders = vec![Folder::new(root.to_owned(), top.clone())];
        // What is nearest to the top is seen first, whatever the bound. Links wait until all that
        // is no link is known: what is in both lies where it is.
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
                Err(Halt::Unreadable(error)) if at > 0 => {
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

    /// Reads a folder below another one without links, as far as the limits let it.
    fn list(&mut self, folder: &Path, top: &Path) -> Result<Listing, Halt> {
        self.progress.folders.fetch_add(1, Ordering::Relaxed);
        let mut listing = Listing::default();
        for entry in (self.read_dir)(folder).map_err(Halt::Unreadable)? {
            if !(self.goes_on)() {
                return Err(Halt::Stopped);
            }
            if self.entries == self.limits.entries {
                self.cut_off = Some(CutOff::Entries(self.entries));
                break;
            }
            self.entries += 1;
            // What is gone again, or cannot be asked what it is, is nothing to open.
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
            // Of a link, what it leads to.
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
                    is_dir && !(self.passes_by)(&path) || is_file && (self.is_wanted)(&path);
                self.outside.extend(is_wanted.then_some(path));
            } else if is_dir {
                if !(self.passes_by)(&path) {
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

/// Adds a folder below another one, and says its place in the list of all.
fn add_below(folders: &mut Vec<Folder>, above: usize, folder: Folder) -> usize {
    let at = folders.len();
    folders.push(folder);
    if let Some(above) = folders.get_mut(above) {
        above.below.push(at);
    }
    at
}

/// The files of folders, of which the first is above all others: each folder's own, and then those
/// of the folders below it.
fn in_order(mut folders: Vec<Folder>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut next = vec![0];
    while let Some(folder) = next.pop().and_then(|at| folders.get_mut(at)) {
        files.append(&mut folder.files);
        next.extend(folder.below.iter().rev());
    }
    files
}
