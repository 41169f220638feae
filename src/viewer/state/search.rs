//! The search for files below folders: bounded, and not led astray by links in circles.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::folder::{name, natural_order};
use super::loader::{Failure, capitalized};
use crate::viewer::panels::format::counted;
use mapscope_scene::looks_openable;

/// Folders that cannot be read are named up to so many of them.
const NAMED_UNREADABLE: usize = 3;

/// Where a search ends, however much more there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Entries of folders that are looked at, whatever they are.
    pub entries: u64,
    /// Files that are found.
    pub files: u64,
}

impl Limits {
    /// For what is opened: the folders of a game, but not a whole disk.
    pub(crate) const OPEN: Self = Self {
        entries: 200_000,
        files: 10_000,
    };
    /// For what is said while files are held over the window, and soon.
    pub(crate) const PREVIEW: Self = Self {
        entries: 4_000,
        files: 1_000,
    };
}

/// How far a search is, shared with whoever shows it.
#[derive(Debug, Default)]
pub(crate) struct SearchProgress {
    folders: AtomicU64,
    files: AtomicU64,
    is_over: AtomicBool,
}

/// What a search has seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Folders that were read.
    pub folders: u64,
    /// Files that were found.
    pub files: u64,
}

impl SearchProgress {
    /// What was seen so far, while folders are searched.
    pub(crate) fn seen(&self) -> Option<Seen> {
        let seen = Seen {
            folders: self.folders.load(Ordering::Relaxed),
            files: self.files.load(Ordering::Relaxed),
        };
        (seen.folders > 0 && !self.is_over.load(Ordering::Relaxed)).then_some(seen)
    }
}

/// The files that some files and folders stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// They themselves, none twice, in the order in which they are tried: a folder's own files stand
    /// before those of the folders below it.
    pub files: Vec<PathBuf>,
    /// The folder that all of them lie below.
    pub base: PathBuf,
    /// The folders that were named and have none.
    pub failures: Vec<Failure>,
    /// Whether a folder was searched.
    pub is_of_folder: bool,
    /// The files and folders that were named.
    pub named: Vec<PathBuf>,
    /// Why there may be more, for people.
    pub note: Option<String>,
    /// Whether the search ended before all was seen.
    pub is_cut_off: bool,
}

impl Found {
    /// What is said where none of the files could be opened: that there may be more.
    pub(crate) fn remark(&self) -> Option<Failure> {
        let note = self.note.as_ref().filter(|_| !self.files.is_empty())?;
        Some(Failure::new(&self.base, note))
    }
}

/// Finds the files that these files and folders stand for; none when it was told to stop. Hidden
/// files and folders are passed by, but for those that are named.
pub(crate) fn find(
    paths: &[PathBuf],
    limits: Limits,
    progress: &SearchProgress,
    goes_on: &dyn Fn() -> bool,
) -> Option<Found> {
    let mut search = Search::new(limits, progress, goes_on);
    search.find(paths)
}

/// A search under way.
struct Search<'a> {
    limits: Limits,
    progress: &'a SearchProgress,
    goes_on: &'a dyn Fn() -> bool,
    read_dir: &'a dyn Fn(&Path) -> io::Result<ReadDir>,
    /// The folders that were read or will be, without links: none is read twice.
    known: HashSet<PathBuf>,
    entries: u64,
    files: u64,
    /// Folders below those that were named which cannot be read: how many, and the first of them.
    unreadable: u64,
    named_unreadable: Vec<PathBuf>,
    /// What was too many, if anything was.
    cut_off: Option<String>,
}

/// Why the search of a folder gives nothing.
enum Halt {
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
    fn new(limits: Limits, progress: &'a SearchProgress, goes_on: &'a dyn Fn() -> bool) -> Self {
        Self {
            limits,
            progress,
            goes_on,
            read_dir: &|path| fs::read_dir(path),
            known: HashSet::new(),
            entries: 0,
            files: 0,
            unreadable: 0,
            named_unreadable: Vec::new(),
            cut_off: None,
        }
    }

    fn find(&mut self, paths: &[PathBuf]) -> Option<Found> {
        let mut found = Found {
            named: paths.to_vec(),
            ..Found::default()
        };
        let mut bases: Vec<&Path> = Vec::new();
        for path in paths {
            if !path.is_dir() {
                bases.extend(path.parent());
                found.files.push(path.clone());
                continue;
            }
            bases.push(path);
            found.is_of_folder = true;
            let folders_before = self.progress.folders.load(Ordering::Relaxed);
            match self.files_below(path) {
                // It lies below another one that was named.
                Ok(None) => {}
                Ok(Some(files)) if files.is_empty() => {
                    let folders = self.progress.folders.load(Ordering::Relaxed) - folders_before;
                    let message = self.why_nothing(folders.saturating_sub(1));
                    found.failures.push(Failure::new(path, &message));
                }
                Ok(Some(files)) => found.files.extend(files),
                Err(Halt::Stopped) => return None,
                Err(Halt::Unreadable(error)) => {
                    let message = format!("This folder cannot be read: {error}");
                    found.failures.push(Failure::new(path, &message));
                }
            }
        }
        self.progress.is_over.store(true, Ordering::Relaxed);
        let mut listed = HashSet::new();
        found.files.retain(|file| listed.insert(file.clone()));
        // Files whose names promise nothing are tried last: a map may come with its notes.
        found.files.sort_by_key(|file| !looks_openable(file));
        found.base = common_folder(&bases);
        found.note = self.note();
        found.is_cut_off = self.cut_off.is_some();
        Some(found)
    }

    /// The files below a folder; none where it was searched already.
    fn files_below(&mut self, root: &Path) -> Result<Option<Vec<PathBuf>>, Halt> {
        let real = root.canonicalize().map_err(Halt::Unreadable)?;
        if !self.known.insert(real.clone()) {
            return Ok(None);
        }
        let mut folders = vec![Folder::new(root.to_owned(), real)];
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
            let listing = match self.list(&folder.path) {
                Ok(listing) => listing,
                Err(Halt::Unreadable(_)) if at > 0 => {
                    self.unreadable += 1;
                    if self.named_unreadable.len() < NAMED_UNREADABLE {
                        self.named_unreadable.push(folder.path.clone());
                    }
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
                if self.known.insert(real.clone()) {
                    waiting.push_back(add_below(&mut folders, at, Folder::new(path, real)));
                }
            }
            if let Some(folder) = folders.get_mut(at) {
                folder.files = listing.files;
            }
        }
        Ok(Some(in_order(folders)))
    }

    /// Reads a folder, as far as the limits let it.
    fn list(&mut self, folder: &Path) -> Result<Listing, Halt> {
        self.progress.folders.fetch_add(1, Ordering::Relaxed);
        let mut listing = Listing::default();
        for entry in (self.read_dir)(folder).map_err(Halt::Unreadable)? {
            if !(self.goes_on)() {
                return Err(Halt::Stopped);
            }
            if self.entries == self.limits.entries {
                self.cut_off = Some(counted(self.entries as usize, "entry"));
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
                Some(target) => target.map_or((false, false), |it| (it.is_dir(), it.is_file())),
                None => (kind.is_dir(), kind.is_file()),
            };
            if is_dir {
                listing.folders.push((path, is_link));
            } else if is_file && looks_openable(&path) {
                if self.files == self.limits.files {
                    self.cut_off = Some(counted(self.files as usize, "file"));
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

    /// Why a folder gives no file, with so many folders below it that were read.
    fn why_nothing(&self, folders_below: u64) -> String {
        if let Some(limit) = &self.cut_off {
            return format!(
                "The search ended after {limit}, and no file that Mapscope opens was found in this \
                 folder until then"
            );
        }
        let message = match folders_below {
            0 => "This folder has no file that Mapscope opens".to_owned(),
            below => {
                let below = counted(below as usize, "folder");
                format!(
                    "There is no file that Mapscope opens in this folder, nor in the {below} below it"
                )
            }
        };
        let unreadable = self.unreadable_text();
        [Some(message), unreadable]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Why there may be more files than were found.
    fn note(&self) -> Option<String> {
        let cut_off = self.cut_off.as_ref();
        let cut_off =
            cut_off.map(|limit| format!("The search ended after {limit}: there may be more"));
        let notes = [cut_off, self.unreadable_text()];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| capitalized(&notes.join("; ")))
    }

    fn unreadable_text(&self) -> Option<String> {
        let names = self
            .named_unreadable
            .iter()
            .map(|path| path.display().to_string());
        let mut names: Vec<String> = names.collect();
        match self.unreadable {
            0 => return None,
            all if all > names.len() as u64 => names.push("others".to_owned()),
            _ => {}
        }
        let folders = counted(self.unreadable as usize, "folder");
        Some(format!("{folders} cannot be read: {}", names.join(", ")))
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

/// The deepest folder that some folders are, or lie below.
fn common_folder(folders: &[&Path]) -> PathBuf {
    let first = folders.first().copied().unwrap_or(Path::new(""));
    let mut above = first.ancestors();
    let common = above.find(|above| folders.iter().all(|folder| folder.starts_with(above)));
    common.map(Path::to_owned).unwrap_or_default()
}

/// A name that is ordered as people order names.
#[derive(PartialEq, Eq)]
struct NaturalName(String);

impl PartialOrd for NaturalName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NaturalName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        natural_order(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A folder with empty files at these places, and with the folders of which the names end in `/`.
    fn folder_of(entries: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for entry in entries {
            let path = dir.path().join(entry);
            let folder = if entry.ends_with('/') {
                &*path
            } else {
                path.parent().unwrap()
            };
            fs::create_dir_all(folder).unwrap();
            if !entry.ends_with('/') {
                fs::write(path, b"").unwrap();
            }
        }
        dir
    }

    fn found(paths: &[PathBuf], limits: Limits) -> Found {
        find(paths, limits, &SearchProgress::default(), &|| true).unwrap()
    }

    /// The files that were found, named from the folder that all lie below.
    fn names(found: &Found) -> Vec<String> {
        let files = found.files.iter();
        let names = files.map(|file| {
            file.strip_prefix(&found.base)
                .unwrap()
                .display()
                .to_string()
        });
        names.collect()
    }

    #[test]
    fn files_are_found_however_deep_they_lie_each_folder_before_those_below_it() {
        let deep = format!("{}deep.pfobj", "d/".repeat(200));
        let dir = folder_of(&[
            "z.pfmap",
            "models/tree 10/oak.pfobj",
            "models/tree 9/fir.pfobj",
            "models/b.PFOBJ",
            "models/notes.txt",
            "models/empty/",
            "models/folder.pfobj/",
            &deep,
        ]);
        let progress = SearchProgress::default();
        let path = dir.path().to_owned();
        let all = find(
            std::slice::from_ref(&path),
            Limits::OPEN,
            &progress,
            &|| true,
        )
        .unwrap();
        let expected = [
            "z.pfmap",
            &deep,
            "models/b.PFOBJ",
            "models/tree 9/fir.pfobj",
            "models/tree 10/oak.pfobj",
        ];
        assert_eq!(names(&all), expected);
        assert_eq!(all.base, path);
        assert!(all.is_of_folder && all.failures.is_empty() && all.note.is_none());
        assert_eq!(progress.files.into_inner(), 5);
        assert_eq!(progress.folders.into_inner(), 206);
    }

    #[test]
    fn what_is_hidden_is_passed_by_unless_it_is_named() {
        let dir = folder_of(&[".git/a.pfmap", "._b.pfmap", "c.pfmap"]);
        let all = found(&[dir.path().to_owned()], Limits::OPEN);
        assert_eq!(names(&all), ["c.pfmap"]);
        let named = [dir.path().join(".git"), dir.path().join("._b.pfmap")];
        let named = found(&named, Limits::OPEN);
        assert_eq!(names(&named), [".git/a.pfmap", "._b.pfmap"]);
    }

    #[test]
    fn no_file_stands_twice_whatever_was_named() {
        let dir = folder_of(&["a/b/c.pfmap", "a/d.pfmap", "note"]);
        let in_dir = |name: &str| dir.path().join(name);
        let named = ["note", "a/b/c.pfmap", "a", "a/b"].map(in_dir);
        let all = found(&named, Limits::OPEN);
        assert_eq!(names(&all), ["a/b/c.pfmap", "a/d.pfmap", "note"]);
        assert!(all.failures.is_empty(), "{:?}", all.failures);
    }

    #[test]
    fn a_search_that_is_cut_off_says_so_and_has_what_is_nearest_to_the_top() {
        let mut entries: Vec<String> = (0..30).map(|n| format!("a/deep/{n}.pfmap")).collect();
        entries.extend((0..5).map(|n| format!("z{n}.pfmap")));
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let dir = folder_of(&entries);
        let paths = [dir.path().to_owned()];
        let all = found(&paths, Limits::OPEN);
        assert!(all.files.len() == 35 && !all.is_cut_off && all.note.is_none());
        for (limits, count, said) in [
            (
                Limits {
                    entries: 12,
                    files: 99,
                },
                10,
                "after 12 entries",
            ),
            (
                Limits {
                    entries: 99,
                    files: 8,
                },
                8,
                "after 8 files",
            ),
        ] {
            let some = found(&paths, limits);
            assert_eq!(some.files.len(), count, "{said}");
            let at_the_top = some
                .files
                .iter()
                .filter(|file| file.parent() == Some(dir.path()));
            assert_eq!(at_the_top.count(), 5, "{said}");
            assert!(some.is_cut_off);
            assert!(
                some.note.as_ref().unwrap().contains(said),
                "{:?}",
                some.note
            );
        }
        let some = found(
            &paths,
            Limits {
                entries: 99,
                files: 8,
            },
        );
        let remark = some.remark().unwrap();
        assert!(
            remark.path == paths[0] && remark.message.contains("may be more"),
            "{remark:?}"
        );
        assert_eq!(all.remark(), None);
        // Just enough is enough.
        let exact = found(
            &paths,
            Limits {
                entries: 37,
                files: 35,
            },
        );
        assert!(!exact.is_cut_off && exact.files.len() == 35);
        let none = found(
            &[dir.path().join("a")],
            Limits {
                entries: 1,
                files: 9,
            },
        );
        assert!(
            none.failures[0].message.contains("after 1 entry"),
            "{:?}",
            none.failures
        );
    }

    #[test]
    fn folders_without_a_file_are_named_with_how_much_was_searched() {
        let dir = folder_of(&["a/b/note.txt", "a/c/"]);
        let all = found(
            &[dir.path().to_owned(), dir.path().join("a/c")],
            Limits::OPEN,
        );
        let [failure] = &all.failures[..] else {
            panic!("{:?}", all.failures);
        };
        assert!(
            failure.message.contains("the 3 folders below it"),
            "{failure:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_in_circles_end_and_other_links_are_followed() {
        use std::os::unix::fs::symlink;
        let dir = folder_of(&["game/a/one.pfmap", "game/b/", "else/two.pfmap", "three"]);
        let in_dir = |name: &str| dir.path().join(name);
        symlink(in_dir("game"), in_dir("game/b/up")).unwrap();
        symlink("../a", in_dir("game/b/across")).unwrap();
        symlink(".", in_dir("game/self")).unwrap();
        symlink("nowhere", in_dir("game/broken.pfmap")).unwrap();
        symlink("loop.pfmap", in_dir("game/loop.pfmap")).unwrap();
        symlink(in_dir("else"), in_dir("game/away")).unwrap();
        symlink(in_dir("game"), in_dir("else/back")).unwrap();
        symlink(in_dir("three"), in_dir("game/three.pfmap")).unwrap();
        let all = found(&[in_dir("game")], Limits::OPEN);
        assert_eq!(
            names(&all),
            ["three.pfmap", "a/one.pfmap", "away/two.pfmap"]
        );
        assert!(all.note.is_none(), "{:?}", all.note);
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_named_and_passed_by() {
        let dir = folder_of(&["locked/a.pfmap", "open/b.pfmap", "c.pfmap"]);
        let read_dir = |path: &Path| {
            if path.ends_with("locked") {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            fs::read_dir(path)
        };
        let progress = SearchProgress::default();
        let searched = |path: PathBuf| {
            let mut search = Search::new(Limits::OPEN, &progress, &|| true);
            search.read_dir = &read_dir;
            search.find(&[path]).unwrap()
        };
        let all = searched(dir.path().to_owned());
        assert_eq!(names(&all), ["c.pfmap", "open/b.pfmap"]);
        let note = all.note.unwrap();
        assert!(
            note.starts_with("1 folder cannot be read: ") && note.ends_with("locked"),
            "{note}"
        );
        let none = searched(dir.path().join("locked"));
        assert!(
            none.failures[0].message.contains("cannot be read"),
            "{:?}",
            none.failures
        );
    }

    #[test]
    fn a_search_stops_when_nobody_wants_it_any_more() {
        let dir = folder_of(&["a/1.pfmap", "b/2.pfmap", "c/3.pfmap"]);
        let left = Cell::new(4);
        let goes_on = || {
            left.set(left.get() - 1);
            left.get() > 0
        };
        let progress = SearchProgress::default();
        let found = find(&[dir.path().to_owned()], Limits::OPEN, &progress, &goes_on);
        assert!(found.is_none());
        let seen = progress.seen().unwrap();
        assert!(seen.folders >= 1 && seen.files < 3, "{seen:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_may_hold_anything() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let dir = folder_of(&["Größe 100% & #2/日本 карта.pfmap", "a\nb/'\"$x`.pfmap"]);
        let latin = dir.path().join(OsStr::from_bytes(b"caf\xe9"));
        fs::create_dir(&latin).unwrap();
        fs::write(latin.join(OsStr::from_bytes(b"\xff.pfmap")), b"").unwrap();
        let all = found(&[dir.path().to_owned()], Limits::OPEN);
        assert_eq!(all.files.len(), 3);
        assert!(
            all.files.iter().all(|file| file.is_file()),
            "{:?}",
            all.files
        );
    }
}
