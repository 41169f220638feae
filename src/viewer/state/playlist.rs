//! The files that belong with the open one: its folder, or the files that were opened together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::folder::{self, format_of, name, natural_order};
use mapscope_formats::Format;

/// The source of a file list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Individually named files.
    #[default]
    Named,
    /// Searched folders, together with named files.
    Below(Vec<PathBuf>),
    /// The direct files of a folder.
    Of(PathBuf),
}

/// Files that belong together.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileList {
    /// The folder that display names are relative to.
    pub base: PathBuf,
    /// The files, in playlist order.
    pub files: Vec<ListedFile>,
    /// Display text why the list may be incomplete, if it may be.
    pub note: Option<String>,
    /// The source of the list.
    pub origin: Origin,
}

impl FileList {
    /// Creates a list of files below a folder. Reads the start of files whose names leave the
    /// format open.
    pub(crate) fn new(files: Vec<PathBuf>, base: PathBuf) -> Self {
        let files = files.into_iter();
        Self {
            files: files.map(|file| ListedFile::new(file, &base)).collect(),
            base,
            ..Self::default()
        }
    }

    /// Lists the direct files of a folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub(crate) fn beside(folder: &Path) -> std::io::Result<Self> {
        Ok(Self {
            origin: Origin::Of(folder.to_owned()),
            ..Self::new(folder::openable_files(folder)?, folder.to_owned())
        })
    }
}

/// A file in a list.
#[derive(Debug, Clone)]
pub struct ListedFile {
    /// Its path.
    pub path: PathBuf,
    /// Display name: the path relative to the base folder.
    pub name: String,
    /// The probable format, if any.
    pub format: Option<&'static Format>,
    /// Error message of the last attempt to open it, if that failed.
    pub failure: Option<String>,
}

impl ListedFile {
    fn new(path: PathBuf, base: &Path) -> Self {
        let below = path.strip_prefix(base).unwrap_or(&path);
        Self {
            name: below.display().to_string(),
            format: format_of(&path),
            failure: None,
            path,
        }
    }
}

/// The files that Page Down and Page Up step through. One of them is open.
#[derive(Debug, Clone)]
pub struct Playlist {
    /// Unique number of the list.
    number: u64,
    /// Number of changes to the set of files.
    changes: u64,
    list: FileList,
    /// `true` while a rescan of the folders is running.
    is_rescanning: bool,
    /// Text that the files to step through have in their path or format.
    filter: String,
    /// Index of the open file.
    at: usize,
    /// The file that was requested last, if it is not open: it is still loading, or failed.
    tried: Option<Attempt>,
}

/// A requested file.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    index: usize,
    /// The direction of the step; `None` if the file was chosen from the list.
    backwards: Option<bool>,
}

impl Playlist {
    /// Creates a playlist around the open file. If that is missing from the list, it is inserted.
    /// `number` identifies the list.
    pub(crate) fn new(number: u64, mut list: FileList, open: &Path) -> Self {
        let found = list.files.iter().position(|file| file.path == open);
        let at = found.unwrap_or_else(|| {
            let is_before =
                |file: &ListedFile| natural_order(&name(&file.path), &name(open)).is_lt();
            let at = list.files.partition_point(is_before);
            let file = ListedFile::new(open.to_owned(), &list.base);
            list.files.insert(at, file);
            at
        });
        Self {
            number,
            changes: 0,
            list,
            is_rescanning: false,
            filter: String::new(),
            at,
            tried: None,
        }
    }

    /// Unique number of the list.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Number of changes to the set of files.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Starts a rescan and returns its source. `None` if a rescan is running, or if the files were
    /// named individually.
    pub(crate) fn start_rescan(&mut self) -> Option<Origin> {
        let may_change = self.list.origin != Origin::Named;
        (may_change && !std::mem::replace(&mut self.is_rescanning, true))
            .then(|| self.list.origin.clone())
    }

    /// Applies the result of a rescan. Returns `true` if the files have changed. The open file
    /// stays in the list even if it was deleted.
    pub(crate) fn relist(&mut self, mut list: FileList) -> bool {
        self.is_rescanning = false;
        if list.files.is_empty() {
            list.base.clone_from(&self.list.base);
        }
        let open = self.path(self.at).map(Path::to_owned).unwrap_or_default();
        let mut new = Self::new(self.number, list, &open);
        let paths = new.list.files.iter().map(|file| &file.path);
        let before = self.list.files.iter().map(|file| &file.path);
        if paths.eq(before) && new.list.note == self.list.note {
            return false;
        }
        new.tried = self.tried.and_then(|tried| {
            let index = new.index_of(self.path(tried.index)?)?;
            Some(Attempt { index, ..tried })
        });
        let mut failures: HashMap<PathBuf, String> = self
            .list
            .files
            .drain(..)
            .filter_map(|file| Some((file.path, file.failure?)))
            .collect();
        for file in &mut new.list.files {
            file.failure = failures.remove(&file.path);
        }
        new.filter = std::mem::take(&mut self.filter);
        new.changes = self.changes + 1;
        *self = new;
        true
    }

    /// Indices of the files with a text in their path or format.
    pub fn matching(&self, needle: &str) -> Vec<usize> {
        let needle = needle.to_lowercase();
        let has_it = |text: &str| text.to_lowercase().contains(&needle);
        let fits = |file: &ListedFile| {
            has_it(&file.name) || file.format.is_some_and(|format| has_it(format.name))
        };
        self.list
            .files
            .iter()
            .enumerate()
            .filter(|(_, file)| needle.is_empty() || fits(file))
            .map(|(index, _)| index)
            .collect()
    }

    /// Sets the filter for stepping: a text in the path or format.
    pub(crate) fn set_filter(&mut self, filter: String) {
        self.filter = filter;
    }

    /// The filter, if it is not empty.
    pub(crate) fn filter(&self) -> Option<&str> {
        (!self.filter.is_empty()).then_some(&*self.filter)
    }

    /// `true` if there are files to step to.
    pub(crate) fn has_others(&self) -> bool {
        self.list.files.len() > 1
    }

    /// The files.
    pub fn files(&self) -> &[ListedFile] {
        &self.list.files
    }

    /// The folder that display names are relative to.
    pub fn base(&self) -> &Path {
        &self.list.base
    }

    /// Display text why the list may be incomplete, if it may be.
    pub fn note(&self) -> Option<&str> {
        self.list.note.as_deref()
    }

    /// `true` if the files were found by searching a folder.
    pub(crate) fn is_of_folder(&self) -> bool {
        matches!(self.list.origin, Origin::Below(_))
    }

    /// Index of the open file.
    pub fn current(&self) -> usize {
        self.at
    }

    /// Index of the file that was requested last, if it is still loading or failed.
    pub fn tried(&self) -> Option<usize> {
        self.tried.map(|tried| tried.index)
    }

    /// Requests the next or the previous file, cyclically, among all files or the filtered ones.
    /// Repeated steps in one direction skip a file that cannot be opened.
    pub(crate) fn step(&mut self, backwards: bool, is_filtered: bool) -> Option<&Path> {
        let indices = self.matching(if is_filtered { &self.filter } else { "" });
        if indices.iter().all(|index| *index == self.at) {
            return None;
        }
        let same_direction =
            |tried: &Attempt| tried.backwards.is_none_or(|before| before == backwards);
        let tried = self.tried.filter(same_direction);
        let from = tried.map_or(self.at, |tried| tried.index);
        let next = if backwards {
            let before = indices.iter().rev().find(|index| **index < from);
            before.or(indices.last())
        } else {
            let after = indices.iter().find(|index| **index > from);
            after.or(indices.first())
        };
        let index = *next?;
        self.tried = Some(Attempt {
            index,
            backwards: Some(backwards),
        });
        self.path(index)
    }

    /// Requests the file at an index.
    pub(crate) fn choose(&mut self, index: usize) -> Option<&Path> {
        if index < self.list.files.len() {
            self.tried = Some(Attempt {
                index,
                backwards: None,
            });
        }
        self.path(index)
    }

    fn path(&self, index: usize) -> Option<&Path> {
        self.list.files.get(index).map(|file| &*file.path)
    }

    fn index_of(&self, path: &Path) -> Option<usize> {
        self.list.files.iter().position(|file| file.path == path)
    }

    /// Marks a file as the open one. Returns `true` if it is in the list.
    pub(crate) fn go_to(&mut self, file: &Path) -> bool {
        let found = self.index_of(file);
        self.at = found.unwrap_or(self.at);
        self.tried = None;
        self.mark_opened(file);
        found.is_some()
    }

    /// Clears the failure of a file.
    pub(crate) fn mark_opened(&mut self, file: &Path) {
        let found = self.index_of(file);
        if let Some(file) = found.and_then(|at| self.list.files.get_mut(at)) {
            file.failure = None;
        }
    }

    /// Records the failure of a file.
    pub(crate) fn mark_failed(&mut self, file: &Path, message: &str) {
        let found = self.index_of(file);
        if let Some(file) = found.and_then(|at| self.list.files.get_mut(at)) {
            file.failure = Some(message.to_owned());
        }
    }

    /// Position such as `2 of 7`, if there are several files.
    pub(crate) fn position_text(&self) -> Option<String> {
        self.has_others()
            .then(|| format!("{} of {}", self.at + 1, self.list.files.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn playlist(files: &[&str], open: &str) -> Playlist {
        let files = files.iter().map(PathBuf::from).collect();
        Playlist::new(1, FileList::new(files, "/a".into()), Path::new(open))
    }

    #[test]
    fn an_open_file_that_is_gone_keeps_its_place_among_the_others() {
        let mut list = playlist(&["/a/v1.pfmap"], "/a/v2.pfmap");
        assert!(list.has_others());
        assert_eq!(list.step(false, false), Some(Path::new("/a/v1.pfmap")));
        let mut list = playlist(&["/a/1.map", "/a/10.map"], "/a/2.map");
        assert_eq!(list.step(false, false), Some(Path::new("/a/10.map")));
        assert!(list.go_to(Path::new("/a/2.map")));
        assert_eq!(list.step(true, false), Some(Path::new("/a/1.map")));
    }

    #[test]
    fn a_file_that_is_not_opened_is_passed_by_and_not_counted() {
        let mut list = playlist(&["a", "bad", "c"], "a");
        assert_eq!(list.step(false, false), Some(Path::new("bad")));
        assert_eq!(list.position_text().as_deref(), Some("1 of 3"));
        // Backwards it starts at the open file, forwards at the last attempt.
        assert_eq!(list.clone().step(true, false), Some(Path::new("c")));
        assert_eq!(list.step(false, false), Some(Path::new("c")));
        assert!(list.go_to(Path::new("c")));
        assert_eq!(list.position_text().as_deref(), Some("3 of 3"));
    }

    #[test]
    fn a_file_that_was_chosen_and_failed_is_marked_and_gone_on_from_both_ways() {
        let mut list = playlist(&["a", "b", "bad", "d"], "a");
        assert_eq!(list.choose(2), Some(Path::new("bad")));
        list.mark_failed(Path::new("bad"), "1:1: no number");
        assert_eq!((list.current(), list.tried()), (0, Some(2)));
        assert_eq!(list.files()[2].failure.as_deref(), Some("1:1: no number"));
        assert_eq!(list.clone().step(false, false), Some(Path::new("d")));
        assert_eq!(list.clone().step(true, false), Some(Path::new("b")));
        assert!(list.go_to(Path::new("bad")));
        assert_eq!(list.files()[2].failure, None, "it was mended");
        assert_eq!(list.choose(4), None);
        assert_eq!(list.tried(), None);
    }

    #[test]
    fn a_playlist_goes_round() {
        let mut list = playlist(&["a", "b", "c"], "b");
        assert_eq!(list.position_text().as_deref(), Some("2 of 3"));
        assert_eq!(list.step(false, false), Some(Path::new("c")));
        assert_eq!(list.step(false, false), Some(Path::new("a")));
        assert_eq!(list.step(true, false), Some(Path::new("a")));
        assert!(list.go_to(Path::new("a")));
        assert_eq!(list.step(true, false), Some(Path::new("c")));
        let mut alone = playlist(&["a"], "a");
        assert_eq!(alone.step(false, false), None);
        assert_eq!(alone.position_text(), None);
    }

    #[test]
    fn one_goes_through_the_files_that_fit_the_filter_also_from_one_that_does_not() {
        let mut list = playlist(&["a1", "b1", "a2", "b2", "a3"], "b1");
        list.set_filter("A".into());
        assert_eq!(list.clone().step(false, true), Some(Path::new("a2")));
        assert_eq!(list.clone().step(true, true), Some(Path::new("a1")));
        assert_eq!(list.clone().step(false, false), Some(Path::new("a2")));
        assert!(list.go_to(Path::new("a3")));
        assert_eq!(list.clone().step(false, true), Some(Path::new("a1")));
        assert_eq!(list.clone().step(true, true), Some(Path::new("a2")));
        assert_eq!(list.clone().step(true, false), Some(Path::new("b2")));
        for alone in ["a3", "no match"] {
            list.set_filter(alone.into());
            assert_eq!(list.step(false, true), None, "{alone}");
        }
    }

    #[test]
    fn files_come_and_go_around_the_open_one() {
        let files = |names: &[&str]| {
            let files = names.iter().map(PathBuf::from).collect();
            FileList {
                origin: Origin::Of("/a".into()),
                ..FileList::new(files, "/a".into())
            }
        };
        let mut list = Playlist::new(7, files(&["/a/b", "/a/d", "/a/e"]), Path::new("/a/d"));
        assert_eq!(list.start_rescan(), Some(Origin::Of("/a".into())));
        assert_eq!(list.start_rescan(), None, "once at a time");
        assert!(!list.relist(files(&["/a/b", "/a/d", "/a/e"])));
        assert!(list.start_rescan().is_some());
        list.mark_failed(Path::new("/a/e"), "no");
        assert_eq!(list.step(false, false), Some(Path::new("/a/e")));
        list.set_filter("a".into());
        assert!(list.relist(files(&["/a/a", "/a/c", "/a/e"])));
        let names = list.files().iter().map(|file| &*file.name);
        assert_eq!(names.collect::<Vec<_>>(), ["a", "c", "d", "e"]);
        assert_eq!((list.current(), list.tried()), (2, Some(3)));
        assert_eq!(list.files()[3].failure.as_deref(), Some("no"));
        assert_eq!((list.number(), list.changes()), (7, 1));
        assert_eq!(list.filter(), Some("a"));
        // Individually named files are never rescanned.
        assert_eq!(playlist(&["a", "b"], "a").start_rescan(), None);
    }

    #[test]
    fn files_are_named_from_their_folder_and_formats_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        std::fs::create_dir(in_dir("maps")).unwrap();
        let ika = mapscope_scene::demo::VILLAGE.source().bytes;
        for (name, bytes) in [
            ("maps/ika.map", &*ika),
            ("maps/other.map", b"?"),
            ("notes", b""),
        ] {
            std::fs::write(in_dir(name), bytes).unwrap();
        }
        let names = ["maps/ika.map", "maps/other.map", "maps/a.PfObj", "notes"];
        let list = FileList::new(names.map(in_dir).to_vec(), dir.path().to_owned());
        let listed: Vec<_> = list
            .files
            .iter()
            .map(|file| (&*file.name, file.format.map(|format| format.id)))
            .collect();
        let formats = [Some("ika-map"), Some("ppe-map"), Some("pfobj"), None];
        assert_eq!(listed, names.into_iter().zip(formats).collect::<Vec<_>>());
    }
}
