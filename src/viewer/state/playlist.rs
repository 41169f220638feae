//! The files that go with the open one: those of its folder, or those that it was opened together
//! with.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::folder::{self, format_of, name, natural_order};
use mapscope_formats::Format;

/// Where files that go together come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// They were named one by one.
    #[default]
    Named,
    /// They are those below these folders, with these files.
    Below(Vec<PathBuf>),
    /// They are a folder's own files.
    Of(PathBuf),
}

/// Files that go together.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileList {
    /// The folder from which they are named.
    pub base: PathBuf,
    /// They themselves, in the order in which one goes through them.
    pub files: Vec<ListedFile>,
    /// Why there may be more, for people.
    pub note: Option<String>,
    /// Where they come from.
    pub origin: Origin,
}

impl FileList {
    /// Files that are named from a folder. Reads the beginnings of those whose names do not say of
    /// which format they are.
    pub(crate) fn new(files: Vec<PathBuf>, base: PathBuf) -> Self {
        let files = files.into_iter();
        Self {
            files: files.map(|file| ListedFile::new(file, &base)).collect(),
            base,
            ..Self::default()
        }
    }

    /// The own files of a folder.
    ///
    /// # Errors
    /// When the folder cannot be read.
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
    /// Where it is.
    pub path: PathBuf,
    /// Its path from the folder that all lie below, for people.
    pub name: String,
    /// The format that it seems to be of.
    pub format: Option<&'static Format>,
    /// Why it could not be opened, if that was tried.
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

/// The files that Page Down and Page Up go through, of which one is open.
#[derive(Debug, Clone)]
pub struct Playlist {
    /// Another one for each list.
    number: u64,
    /// How often other files were in it than before.
    changes: u64,
    list: FileList,
    /// Whether somebody is looking which files are there now.
    is_looked_after: bool,
    /// What the files that one goes through have in their path or format.
    filter: String,
    /// Which of them is open.
    at: usize,
    /// Which of them was asked for last. It is not the open one while it is read, nor when it cannot
    /// be.
    tried: Option<Tried>,
}

/// A file that was asked for.
#[derive(Debug, Clone, Copy)]
struct Tried {
    index: usize,
    /// Whether by going back, if by going.
    backwards: Option<bool>,
}

impl Playlist {
    /// These files, of which one is open; it is one of them also while it is gone from its folder.
    /// The number tells the list from others.
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
            is_looked_after: false,
            filter: String::new(),
            at,
            tried: None,
        }
    }

    /// Tells the list from others.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How often other files were in it than before.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Where to look which files are there now, unless somebody does that already.
    pub(crate) fn look_again(&mut self) -> Option<Origin> {
        let may_change = self.list.origin != Origin::Named;
        (may_change && !std::mem::replace(&mut self.is_looked_after, true))
            .then(|| self.list.origin.clone())
    }

    /// Takes in which files are there now; says whether they are others. The open one stays in the
    /// list, also while it is gone from its folder.
    pub(crate) fn relist(&mut self, mut list: FileList) -> bool {
        self.is_looked_after = false;
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
            Some(Tried { index, ..tried })
        });
        let failures = self.list.files.drain(..);
        let failures = failures.filter_map(|file| Some((file.path, file.failure?)));
        let mut failures: HashMap<PathBuf, String> = failures.collect();
        for file in &mut new.list.files {
            file.failure = failures.remove(&file.path);
        }
        new.filter = std::mem::take(&mut self.filter);
        new.changes = self.changes + 1;
        *self = new;
        true
    }

    /// The places of the files that have a text in their path or format.
    pub fn matching(&self, wanted: &str) -> Vec<usize> {
        let wanted = wanted.to_lowercase();
        let has_it = |text: &str| text.to_lowercase().contains(&wanted);
        let fits = |file: &ListedFile| {
            has_it(&file.name) || file.format.is_some_and(|format| has_it(format.name))
        };
        let files = self.list.files.iter().enumerate();
        let found = files.filter(|(_, file)| wanted.is_empty() || fits(file));
        found.map(|(index, _)| index).collect()
    }

    /// Takes in what the files that one goes through are to have in their path or format.
    pub(crate) fn set_filter(&mut self, filter: String) {
        self.filter = filter;
    }

    /// That, if it is anything.
    pub(crate) fn filter(&self) -> Option<&str> {
        (!self.filter.is_empty()).then_some(&*self.filter)
    }

    /// Whether there is anything to go to.
    pub(crate) fn has_others(&self) -> bool {
        self.list.files.len() > 1
    }

    /// The files.
    pub fn files(&self) -> &[ListedFile] {
        &self.list.files
    }

    /// The folder from which they are named.
    pub fn base(&self) -> &Path {
        &self.list.base
    }

    /// Why there may be more, for people.
    pub fn note(&self) -> Option<&str> {
        self.list.note.as_deref()
    }

    /// Whether they were found by searching a folder.
    pub(crate) fn is_of_folder(&self) -> bool {
        matches!(self.list.origin, Origin::Below(_))
    }

    /// Which of them is open.
    pub fn current(&self) -> usize {
        self.at
    }

    /// Which of them was asked for last and is not open: it is read, or could not be.
    pub fn tried(&self) -> Option<usize> {
        self.tried.map(|tried| tried.index)
    }

    /// The file after the open one, or before it, round at the end, among all or among those that
    /// fit the filter. Who goes on in the same direction passes by a file that cannot be opened.
    pub(crate) fn step(&mut self, backwards: bool, is_filtered: bool) -> Option<&Path> {
        let ways = self.matching(if is_filtered { &self.filter } else { "" });
        if ways.iter().all(|index| *index == self.at) {
            return None;
        }
        let goes_on = |tried: &Tried| tried.backwards.is_none_or(|before| before == backwards);
        let tried = self.tried.filter(goes_on);
        let from = tried.map_or(self.at, |tried| tried.index);
        let next = if backwards {
            let before = ways.iter().rev().find(|index| **index < from);
            before.or(ways.last())
        } else {
            let after = ways.iter().find(|index| **index > from);
            after.or(ways.first())
        };
        let index = *next?;
        self.tried = Some(Tried {
            index,
            backwards: Some(backwards),
        });
        self.path(index)
    }

    /// The file of an index, which is asked for.
    pub(crate) fn choose(&mut self, index: usize) -> Option<&Path> {
        if index < self.list.files.len() {
            self.tried = Some(Tried {
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

    /// A file was opened; says whether it is among them.
    pub(crate) fn go_to(&mut self, file: &Path) -> bool {
        let found = self.index_of(file);
        self.at = found.unwrap_or(self.at);
        self.tried = None;
        self.mark_opened(file);
        found.is_some()
    }

    /// A file could be opened, whatever was before.
    pub(crate) fn mark_opened(&mut self, file: &Path) {
        let found = self.index_of(file);
        if let Some(file) = found.and_then(|at| self.list.files.get_mut(at)) {
            file.failure = None;
        }
    }

    /// A file could not be opened.
    pub(crate) fn mark_failed(&mut self, file: &Path, message: &str) {
        let found = self.index_of(file);
        if let Some(file) = found.and_then(|at| self.list.files.get_mut(at)) {
            file.failure = Some(message.to_owned());
        }
    }

    /// `2 of 7`, where there is more than one.
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
        // Back from where one is, and on from what was tried.
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
        assert_eq!(list.look_again(), Some(Origin::Of("/a".into())));
        assert_eq!(list.look_again(), None, "once at a time");
        assert!(!list.relist(files(&["/a/b", "/a/d", "/a/e"])));
        assert!(list.look_again().is_some());
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
        // Files that were named stay as they are.
        assert_eq!(playlist(&["a", "b"], "a").look_again(), None);
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
        let listed = list.files.iter();
        let listed: Vec<_> = listed
            .map(|file| (&*file.name, file.format.map(|format| format.id)))
            .collect();
        let formats = [Some("ika-map"), Some("ppe-map"), Some("pfobj"), None];
        assert_eq!(listed, names.into_iter().zip(formats).collect::<Vec<_>>());
    }
}
