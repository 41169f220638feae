//! Notices when the open file, a file it was made from, or a shader changes on disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// How long files must be left alone before a change counts: an editor saves in several steps.
const SETTLE: Duration = Duration::from_millis(150);

/// Watches some files. Their folders are watched and not they themselves, since many editors
/// save by writing a new file and giving it the name of the old one.
pub(crate) struct FileWatch {
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
    changed_at: Option<Instant>,
}

/// A path in the form in which changes are reported: its folder without links. Of a file whose
/// folder is not there, the first folder on the way to it that is missing: once that has appeared
/// the file may have too.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut awaited = path;
    loop {
        let folder = match awaited.parent()? {
            parent if parent.as_os_str().is_empty() => Path::new("."),
            parent => parent,
        };
        if let Ok(folder) = folder.canonicalize() {
            return Some(folder.join(awaited.file_name()?));
        }
        awaited = folder;
    }
}

impl FileWatch {
    /// Watches nothing yet. `changed` is called on another thread with the paths of changes.
    pub(crate) fn new(changed: impl Fn(Vec<PathBuf>) + Send + 'static) -> Self {
        let handler = move |event: notify::Result<notify::Event>| match event {
            Ok(event) if !matches!(event.kind, EventKind::Access(_)) => changed(event.paths),
            Ok(_) => {}
            Err(error) => log::warn!("watching files: {error}"),
        };
        let watcher = notify::recommended_watcher(handler)
            .map_err(|error| log::warn!("files are not watched: {error}"))
            .ok();
        Self {
            watcher,
            folders: BTreeSet::new(),
            files: BTreeSet::new(),
            changed_at: None,
        }
    }

    /// [`set`](Self::set) for files that were read at some time: what has changed since in a folder
    /// that was not watched meanwhile, counts as a change.
    pub(crate) fn set_since<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a Path>,
        read_at: SystemTime,
    ) {
        let watched = self.folders.clone();
        self.set(files);
        let is_new = |file: &PathBuf| {
            file.parent()
                .is_some_and(|folder| !watched.contains(folder))
                && file
                    .metadata()
                    .and_then(|file| file.modified())
                    .is_ok_and(|modified| modified > read_at)
        };
        if self.files.iter().any(is_new) {
            self.changed_at = Some(Instant::now());
        }
    }

    /// Watches these files and no others; files that are not there yet are waited for.
    pub(crate) fn set<'a>(&mut self, files: impl IntoIterator<Item = &'a Path>) {
        let files: BTreeSet<PathBuf> = files
            .into_iter()
            // A file changes where a link leads to, another file is there if the link changes.
            .flat_map(|file| [plain(file), file.canonicalize().ok()])
            .flatten()
            .collect();
        // A change of what is watched already may have come while it was read.
        if self.files.is_disjoint(&files) {
            self.changed_at = None;
        }
        self.files = files;
        let folders: BTreeSet<PathBuf> = self
            .files
            .iter()
            .filter_map(|file| file.parent().map(Path::to_owned))
            .collect();
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        for folder in self.folders.difference(&folders) {
            // A folder that is gone is not watched either way.
            let _gone = watcher.unwatch(folder);
        }
        for folder in folders.difference(&self.folders) {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                log::warn!("{} is not watched: {error}", folder.display());
            }
        }
        self.folders = folders;
    }

    /// Takes note of changes; says whether one of the files is among them.
    pub(crate) fn note(&mut self, paths: &[PathBuf], now: Instant) -> bool {
        let ours = paths.iter().any(|path| self.files.contains(path));
        if ours {
            self.changed_at = Some(now);
        }
        ours
    }

    /// When to ask [`Self::take_settled`] next.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.changed_at.map(|at| at + SETTLE)
    }

    /// Whether a file has changed and nothing has happened to it since for a while.
    pub(crate) fn take_settled(&mut self, now: Instant) -> bool {
        let settled = self.wake_at().is_some_and(|at| now >= at);
        if settled {
            self.changed_at = None;
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Waits until a change of the watched files is reported and settled, or gives up.
    fn sees_change(watch: &mut FileWatch, changes: &mpsc::Receiver<Vec<PathBuf>>) -> bool {
        let end = Instant::now() + Duration::from_secs(3);
        while Instant::now() < end {
            if let Ok(paths) = changes.recv_timeout(Duration::from_millis(20)) {
                watch.note(&paths, Instant::now());
            }
            if watch.take_settled(Instant::now()) {
                return true;
            }
        }
        false
    }

    #[test]
    fn saves_of_every_kind_are_seen_and_other_files_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let [map, texture, other] =
            ["a map.pfmap", "later.png", "other.txt"].map(|n| dir.path().join(n));
        std::fs::write(&map, b"1").unwrap();
        let (sender, changes) = mpsc::channel();
        let mut watch = FileWatch::new(move |paths| sender.send(paths).unwrap_or_default());
        watch.set([map.as_path(), texture.as_path()]);

        std::fs::write(&map, b"2").unwrap();
        assert!(sees_change(&mut watch, &changes), "written in place");
        let new = dir.path().join("a map.pfmap~");
        std::fs::write(&new, b"3").unwrap();
        std::fs::rename(&new, &map).unwrap();
        assert!(sees_change(&mut watch, &changes), "replaced by a rename");
        std::fs::write(&texture, b"x").unwrap();
        assert!(
            sees_change(&mut watch, &changes),
            "a file that was not there"
        );
        std::fs::write(&other, b"x").unwrap();
        while changes
            .recv_timeout(Duration::from_millis(200))
            .is_ok_and(|p| !watch.note(&p, Instant::now()))
        {}
        assert_eq!(watch.wake_at(), None, "a file that nobody asked for");
    }

    #[test]
    fn a_file_whose_folder_is_not_there_yet_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("models/goblin/goblin.pfobj");
        let (sender, changes) = mpsc::channel();
        let mut watch = FileWatch::new(move |paths| sender.send(paths).unwrap_or_default());
        watch.set([model.as_path()]);
        std::fs::create_dir_all(model.parent().unwrap()).unwrap();
        assert!(sees_change(&mut watch, &changes), "its folder appears");
        watch.set([model.as_path()]);
        std::fs::write(&model, b"x").unwrap();
        assert!(sees_change(&mut watch, &changes), "it appears");
        // It came between the load and the watch.
        let mut late = FileWatch::new(|_| {});
        let before = SystemTime::now() - Duration::from_mins(1);
        late.set_since([model.as_path()], before);
        assert!(late.wake_at().is_some());
        let mut early = FileWatch::new(|_| {});
        early.set_since(
            [model.as_path()],
            SystemTime::now() + Duration::from_mins(1),
        );
        assert_eq!(early.wake_at(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_watched_and_what_it_leads_to() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("real");
        std::fs::create_dir(&folder).unwrap();
        let [first, second] = ["a.pfmap", "b.pfmap"].map(|name| folder.join(name));
        let link = dir.path().join("link.pfmap");
        for file in [&first, &second] {
            std::fs::write(file, b"1").unwrap();
        }
        symlink(&first, &link).unwrap();
        let (sender, changes) = mpsc::channel();
        let mut watch = FileWatch::new(move |paths| sender.send(paths).unwrap_or_default());
        watch.set([link.as_path()]);
        std::fs::write(&first, b"2").unwrap();
        assert!(sees_change(&mut watch, &changes), "its target is written");
        std::fs::rename(&second, &first).unwrap();
        assert!(sees_change(&mut watch, &changes), "its target is replaced");
        std::fs::remove_file(&link).unwrap();
        symlink(&second, &link).unwrap();
        assert!(sees_change(&mut watch, &changes), "it leads elsewhere");
    }

    #[test]
    fn a_change_counts_only_when_it_has_settled() {
        let dir = tempfile::tempdir().unwrap();
        let map = dir.path().canonicalize().unwrap().join("a.pfmap");
        let mut watch = FileWatch::new(|_| {});
        watch.set([map.as_path()]);
        let start = Instant::now();
        assert!(watch.note(std::slice::from_ref(&map), start));
        assert!(!watch.take_settled(start + SETTLE / 2));
        assert!(watch.note(&[map], start + SETTLE / 2));
        assert!(!watch.take_settled(start + SETTLE));
        assert!(watch.take_settled(start + SETTLE + SETTLE / 2));
        assert!(!watch.take_settled(start + SETTLE * 9));
    }

    #[test]
    fn a_change_that_comes_while_the_file_is_read_counts_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let [map, other] = ["a.pfmap", "b.pfmap"].map(|name| dir.path().join(name));
        let reported = dir.path().canonicalize().unwrap().join("a.pfmap");
        let mut watch = FileWatch::new(|_| {});
        watch.set([map.as_path()]);
        let start = Instant::now();
        assert!(watch.note(&[reported], start));
        watch.set([map.as_path(), other.as_path()]);
        assert!(watch.take_settled(start + SETTLE));
        watch.set([other.as_path()]);
        assert!(!watch.take_settled(start + SETTLE * 9));
    }
}
