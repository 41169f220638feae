//! Finds the files in the files and folders that are opened together. Reports why the list may be
//! incomplete.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::search::{CutOff, Limits, Search, SearchError, SearchProgress};
use crate::viewer::format::{capitalized, counted};
use crate::viewer::state::load::Failure;
use crate::viewer::state::playlist::{FileList, Origin};
use mapscope_scene::{has_known_ending, system_reason};

/// Maximum number of unreadable folders that a message lists.
const MAX_LISTED_UNREADABLE: usize = 3;

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// The files without duplicates, in the order in which they are tried. A folder's direct files
    /// precede the files of its subfolders.
    pub files: Vec<PathBuf>,
    /// The deepest common folder of the given files and folders.
    pub base: PathBuf,
    /// Given folders that contain no supported files or cannot be read.
    pub failures: Vec<Failure>,
    /// `true` if a folder was searched.
    pub is_of_folder: bool,
    /// The given files and folders.
    pub named: Vec<PathBuf>,
    /// Display text with the reasons why the list may be incomplete, if there are any.
    pub note: Option<String>,
    /// `true` if the search stopped at a limit.
    pub is_cut_off: bool,
}

impl Found {
    /// Converts the result to a file list.
    pub(crate) fn into_list(self) -> FileList {
        FileList {
            note: self.note,
            origin: if self.is_of_folder {
                Origin::Below(self.named)
            } else {
                Origin::Named
            },
            ..FileList::new(self.files, self.base)
        }
    }

    /// Returns the note, if any, as a failure. Returns `None` if no file was found. The loader adds
    /// it to the failures when none of the files can be opened.
    pub(crate) fn remark(&self) -> Option<Failure> {
        let note = self.note.as_ref().filter(|_| !self.files.is_empty())?;
        Some(Failure::new(&self.base, note))
    }
}

/// Searches files and folders. Returns `None` if the search was cancelled. Hidden files and folders
/// are skipped, unless they are given explicitly.
pub(crate) fn find(
    paths: &[PathBuf],
    limits: Limits,
    progress: &SearchProgress,
    keep_going: &dyn Fn() -> bool,
) -> Option<Found> {
    let mut search = Search::new(limits, progress, keep_going, &has_known_ending);
    find_with(&mut search, progress, paths)
}

/// Searches the source of a list again. Returns `None` for individually named files. The search may
/// take long.
pub(crate) fn list(origin: Origin) -> Option<FileList> {
    let mut list = match &origin {
        Origin::Named => return None,
        Origin::Below(paths) => {
            // `find` treats a missing path as a file.
            let existing: Vec<PathBuf> =
                paths.iter().filter(|path| path.exists()).cloned().collect();
            let progress = SearchProgress::default();
            find(&existing, Limits::OPEN, &progress, &|| true)?.into_list()
        }
        // A missing folder has no files.
        Origin::Of(folder) => FileList::beside(folder).unwrap_or_default(),
    };
    list.origin = origin;
    Some(list)
}

fn find_with(
    search: &mut Search<'_>,
    progress: &SearchProgress,
    paths: &[PathBuf],
) -> Option<Found> {
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
        let folders_before = progress.folders.load(Ordering::Relaxed);
        match search.files_below(path) {
            // The search of another given folder has included this one.
            Ok(None) => {}
            Ok(Some(files)) if files.is_empty() => {
                let folders = progress.folders.load(Ordering::Relaxed) - folders_before;
                let message = describe_empty(search, folders.saturating_sub(1));
                found.failures.push(Failure::new(path, &message));
            }
            Ok(Some(files)) => found.files.extend(files),
            Err(SearchError::Stopped) => return None,
            Err(SearchError::Unreadable(error)) => {
                let reason = system_reason(&error, "folder");
                let message = format!("This folder cannot be read: {reason}");
                found.failures.push(Failure::new(path, &message));
            }
        }
    }
    progress.is_over.store(true, Ordering::Relaxed);
    let mut listed = HashSet::new();
    found.files.retain(|file| listed.insert(file.clone()));
    // Files with unknown extensions are tried last, for example notes beside a map.
    found.files.sort_by_key(|file| !has_known_ending(file));
    found.base = common_folder(&bases);
    found.note = note(search);
    found.is_cut_off = search.cut_off().is_some();
    Some(found)
}

/// Describes why a folder has no files. `folders_below` is the number of subfolders that were read.
fn describe_empty(search: &Search<'_>, folders_below: u64) -> String {
    if let Some(limit) = search.cut_off().map(limit_text) {
        return format!("The search ended after {limit} without finding a supported file");
    }
    let message = match folders_below {
        0 => "This folder contains no supported files".to_owned(),
        below => {
            let below = counted(below as usize, "subfolder");
            format!("This folder and its {below} contain no supported files")
        }
    };
    let texts = [Some(message), unreadable_text(search)];
    texts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Describes the reasons why the list may be incomplete, if there are any.
fn note(search: &Search<'_>) -> Option<String> {
    let cut_off = search
        .cut_off()
        .map(limit_text)
        .map(|limit| format!("The search ended after {limit}: there may be more files"));
    let outside = match search.outside() {
        [] => None,
        [link] => Some(format!(
            "1 link points outside the folder: {}",
            link.display()
        )),
        links => Some(format!("{} links point outside the folder", links.len())),
    };
    let notes: Vec<String> = [cut_off, unreadable_text(search), outside]
        .into_iter()
        .flatten()
        .collect();
    (!notes.is_empty()).then(|| capitalized(&notes.join("; ")))
}

fn unreadable_text(search: &Search<'_>) -> Option<String> {
    let unreadable = search.unreadable();
    let mut names: Vec<String> = unreadable
        .iter()
        .take(MAX_LISTED_UNREADABLE)
        .map(|it| it.path.display().to_string())
        .collect();
    match unreadable.len() {
        0 => return None,
        all if all > names.len() => names.push("others".to_owned()),
        _ => {}
    }
    let folders = counted(unreadable.len(), "folder");
    Some(format!("{folders} cannot be read: {}", names.join(", ")))
}

fn limit_text(cut_off: CutOff) -> String {
    match cut_off {
        CutOff::Entries(entries) => counted(entries as usize, "entry"),
        CutOff::Files(files) => counted(files as usize, "file"),
    }
}

/// The deepest folder that contains all given folders.
fn common_folder(folders: &[&Path]) -> PathBuf {
    let first = folders.first().copied().unwrap_or(Path::new(""));
    let mut above = first.ancestors();
    let common = above.find(|above| folders.iter().all(|folder| folder.starts_with(above)));
    common.map(Path::to_owned).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::{fs, io};

    use super::*;

    /// A folder with empty files. Paths that end in `/` are subfolders.
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

    /// The found files, relative to their base folder.
    fn names(found: &Found) -> Vec<String> {
        found
            .files
            .iter()
            .map(|file| {
                file.strip_prefix(&found.base)
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect()
    }

    #[test]
    fn files_are_found_at_any_depth_and_direct_files_come_first() {
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
    fn hidden_files_are_skipped_unless_they_are_named() {
        let dir = folder_of(&[".git/a.pfmap", "._b.pfmap", "c.pfmap"]);
        let all = found(&[dir.path().to_owned()], Limits::OPEN);
        assert_eq!(names(&all), ["c.pfmap"]);
        let named = [dir.path().join(".git"), dir.path().join("._b.pfmap")];
        let named = found(&named, Limits::OPEN);
        assert_eq!(names(&named), [".git/a.pfmap", "._b.pfmap"]);
    }

    #[test]
    fn no_file_is_listed_twice() {
        let dir = folder_of(&["a/b/c.pfmap", "a/d.pfmap", "note"]);
        let in_dir = |name: &str| dir.path().join(name);
        let named = ["note", "a/b/c.pfmap", "a", "a/b"].map(in_dir);
        let all = found(&named, Limits::OPEN);
        assert_eq!(names(&all), ["a/b/c.pfmap", "a/d.pfmap", "note"]);
        assert!(all.failures.is_empty(), "{:?}", all.failures);
    }

    #[test]
    fn a_cut_off_search_has_a_note_and_the_files_nearest_to_the_top() {
        let mut entries: Vec<String> = (0..30).map(|n| format!("a/deep/{n}.pfmap")).collect();
        entries.extend((0..5).map(|n| format!("z{n}.pfmap")));
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let dir = folder_of(&entries);
        let paths = [dir.path().to_owned()];
        let all = found(&paths, Limits::OPEN);
        assert!(all.files.len() == 35 && !all.is_cut_off && all.note.is_none());
        for (limits, count, reason) in [
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
            assert_eq!(some.files.len(), count, "{reason}");
            let at_the_top = some
                .files
                .iter()
                .filter(|file| file.parent() == Some(dir.path()));
            assert_eq!(at_the_top.count(), 5, "{reason}");
            assert!(some.is_cut_off);
            assert!(
                some.note.as_ref().unwrap().contains(reason),
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
        // A search that exactly reaches the limit is complete.
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
    fn a_folder_without_files_is_reported_with_its_number_of_subfolders() {
        let dir = folder_of(&["a/b/note.txt", "a/c/"]);
        let all = found(
            &[dir.path().to_owned(), dir.path().join("a/c")],
            Limits::OPEN,
        );
        let [failure] = &all.failures[..] else {
            panic!("{:?}", all.failures);
        };
        assert!(failure.message.contains("its 3 subfolders"), "{failure:?}");
    }

    #[cfg(unix)]
    #[test]
    fn cyclic_links_and_links_out_of_the_folder_are_not_followed() {
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
        assert_eq!(names(&all), ["a/one.pfmap"]);
        let note = all.note.unwrap();
        assert!(
            note.starts_with("2 links point outside the folder"),
            "{note}"
        );
    }

    #[test]
    fn an_unreadable_folder_is_reported_and_skipped() {
        let dir = folder_of(&["locked/a.pfmap", "open/b.pfmap", "c.pfmap"]);
        let read_dir = |path: &Path| {
            if path.ends_with("locked") {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            fs::read_dir(path)
        };
        let progress = SearchProgress::default();
        let searched = |path: PathBuf| {
            let mut search = Search::new(Limits::OPEN, &progress, &|| true, &has_known_ending);
            search.read_dir = &read_dir;
            find_with(&mut search, &progress, &[path]).unwrap()
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
    fn a_cancelled_search_stops() {
        let dir = folder_of(&["a/1.pfmap", "b/2.pfmap", "c/3.pfmap"]);
        let left = Cell::new(4);
        let keep_going = || {
            left.set(left.get() - 1);
            left.get() > 0
        };
        let progress = SearchProgress::default();
        let found = find(
            &[dir.path().to_owned()],
            Limits::OPEN,
            &progress,
            &keep_going,
        );
        assert!(found.is_none());
        let seen = progress.seen().unwrap();
        assert!(seen.folders >= 1 && seen.files < 3, "{seen:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_may_contain_any_bytes() {
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
