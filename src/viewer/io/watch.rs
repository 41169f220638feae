//! Detects changes on disk of the open file, of the files it was made from, and of shaders.
//!
//! The system reports changes of a folder by identity: the folder stays the same after a rename. So
//! all folders on the path to a file are watched, including links and their targets. Folders that
//! were moved, deleted or created are watched anew. If the system reports nothing, file times are
//! polled.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use mapscope_scene::system_reason;

/// Delay until a change counts, without further changes. A program may write in several steps. A
/// file that was closed or put in place is tried at once.
const SETTLE: Duration = Duration::from_millis(150);
/// Maximum delay after the first change. Some programs write continuously.
const MAX_SETTLE: Duration = Duration::from_secs(1);
/// Polling interval for files that the system does not watch.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of links on the path to a file, as on Linux.
const MAX_LINKS: usize = 40;

/// Watches files. Their folders are watched instead of the files themselves, since many editors
/// save by writing a new file and renaming it.
pub(crate) struct FileWatch {
    watcher: Option<RecommendedWatcher>,
    /// Sends orders to the polling thread.
    orders: mpsc::Sender<Order>,
    /// The watched files, as requested.
    files: BTreeSet<PathBuf>,
    /// All entries on the paths to them: a change of any of these counts.
    names: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// The watched folders.
    folders: BTreeSet<PathBuf>,
    /// Changes since the folders were chosen.
    changed: BTreeSet<PathBuf>,
    /// Times of the first and the last pending change.
    changed_at: Option<[Instant; 2]>,
    /// `true` if a file was saved since the last read.
    is_saved: bool,
    /// `true` while a version is being read.
    is_reading: bool,
    /// The reason why the system does not report changes, if it does not.
    trouble: Option<String>,
    has_reported_trouble: bool,
}

/// Returns every entry on the way to a path that can redirect it: folders, links, and their
/// targets. Only their last component may be a link. The list ends at a missing entry; once that
/// appears, the file may exist too.
fn path_entries(path: &Path) -> Vec<PathBuf> {
    let steps = |path: &Path| -> Vec<OsString> {
        path.components()
            .rev()
            .map(|step| step.as_os_str().to_owned())
            .collect()
    };
    let mut ahead = std::path::absolute(path).map_or_else(|_| Vec::new(), |path| steps(&path));
    let (mut at, mut entries, mut links) = (PathBuf::new(), Vec::new(), 0);
    while let Some(step) = ahead.pop() {
        match Path::new(&step).components().next() {
            Some(Component::Normal(name)) => {
                let entry = at.join(name);
                let file = entry.symlink_metadata();
                entries.push(entry.clone());
                match file {
                    Ok(file) if file.is_symlink() && links < MAX_LINKS => {
                        links += 1;
                        let Ok(target) = entry.read_link() else { break };
                        ahead.extend(steps(&target));
                    }
                    Ok(_) => at = entry,
                    Err(_) => break,
                }
            }
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::Prefix(_) | Component::RootDir) => at.push(&step),
            Some(Component::CurDir) | None => {}
        }
    }
    entries
}

/// A change of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) paths: Vec<PathBuf>,
    /// `true` if a program has closed the file after writing, or put a whole file in its place.
    pub(crate) is_saved: bool,
}

impl Change {
    /// A change that may be one of several.
    fn of(paths: Vec<PathBuf>) -> Self {
        let is_saved = false;
        Self { paths, is_saved }
    }
}

/// The state of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ready {
    /// The file was closed or put in place, but may change again.
    Saved,
    /// There were no changes for a while.
    Settled,
}

/// `true` if an event may mean a changed file. Some systems also report the modification of a
/// folder when a file in it changes.
fn is_change(event: &notify::Event) -> bool {
    match event.kind {
        EventKind::Access(_) => is_save(event),
        // Each name is also reported on its own.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => false,
        EventKind::Modify(ModifyKind::Any) => !event.paths.iter().all(|path| path.is_dir()),
        _ => true,
    }
}

/// `true` if an event means that a program has closed a file after writing, or renamed a file to its
/// name.
fn is_save(event: &notify::Event) -> bool {
    use EventKind::{Access, Modify};
    matches!(
        event.kind,
        Access(AccessKind::Close(AccessMode::Write)) | Modify(ModifyKind::Name(RenameMode::To))
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileWatch {
    /// Creates a watch without files. `changed` is called on other threads with each change.
    pub(crate) fn new(changed: impl Fn(Change) + Send + Sync + 'static) -> Self {
        let names = Arc::new(Mutex::new(BTreeSet::new()));
        let changed = Arc::new(changed);
        let (orders, received) = mpsc::channel();
        let handler = {
            let (changed, names) = (Arc::clone(&changed), Arc::clone(&names));
            move |event: notify::Result<notify::Event>| match event {
                Ok(event) if event.need_rescan() => {
                    // Some events were lost: anything may have changed.
                    let all = lock(&names).iter().cloned().collect();
                    changed(Change::of(all));
                }
                // The folder may contain many files of other programs.
                Ok(event) if is_change(&event) => {
                    let is_ours = |path| lock(&names).contains(path);
                    if event.paths.iter().any(is_ours) {
                        changed(Change {
                            is_saved: is_save(&event),
                            paths: event.paths,
                        });
                    }
                }
                Ok(_) => {}
                Err(error) => log::warn!("watching files: {error}"),
            }
        };
        let (watcher, trouble) = match notify::recommended_watcher(handler) {
            Ok(watcher) => (Some(watcher), None),
            Err(error) => (None, Some(why_unwatched(&error))),
        };
        let poll = move || poll_times(&received, &*changed);
        if let Err(error) = thread::Builder::new().spawn(poll) {
            log::warn!("the times of files are not looked at: {error}");
        }
        Self {
            watcher,
            orders,
            files: BTreeSet::new(),
            names,
            folders: BTreeSet::new(),
            changed: BTreeSet::new(),
            changed_at: None,
            is_saved: false,
            is_reading: false,
            trouble,
            has_reported_trouble: false,
        }
    }

    /// Like [`set`](Self::set), for files that were read earlier. A change since then counts if its
    /// folder was not watched meanwhile.
    pub(crate) fn set_since<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a Path>,
        read_at: SystemTime,
    ) {
        let watched = self.folders.clone();
        self.set_files(files, read_at);
        let is_new = |file: &PathBuf| {
            let folder = file.canonicalize().ok();
            let folder = folder.as_deref().and_then(Path::parent);
            folder.is_some_and(|folder| !watched.contains(folder))
                && file
                    .metadata()
                    .and_then(|file| file.modified())
                    .is_ok_and(|modified| modified > read_at)
        };
        if self.files.iter().any(is_new) {
            self.note_change(Instant::now());
        }
    }

    /// Replaces the watched files; missing files are detected when they appear.
    pub(crate) fn set<'a>(&mut self, files: impl IntoIterator<Item = &'a Path>) {
        self.set_files(files, SystemTime::now());
    }

    fn set_files<'a>(&mut self, files: impl IntoIterator<Item = &'a Path>, read_at: SystemTime) {
        let files: BTreeSet<PathBuf> = files.into_iter().map(Path::to_owned).collect();
        // A change of a file that was watched already may have arrived during the read.
        if self.files.is_disjoint(&files) {
            self.changed_at = None;
        }
        self.files = files;
        self.watch(read_at);
    }

    /// Watches all folders on the current paths to the files.
    fn watch(&mut self, read_at: SystemTime) {
        let paths: Vec<Vec<PathBuf>> = self.files.iter().map(|file| path_entries(file)).collect();
        let folders_of_files: BTreeSet<&Path> = paths
            .iter()
            .filter_map(|entries| entries.last()?.parent())
            .collect();
        let names = paths.iter().flatten();
        let folders: BTreeSet<&Path> = names.clone().filter_map(|name| name.parent()).collect();
        *lock(&self.names) = names.cloned().collect();
        let mut is_unwatched = self.watcher.is_none();
        if let Some(watcher) = &mut self.watcher {
            let changed = std::mem::take(&mut self.changed);
            self.folders.retain(|folder| {
                // After a move or a creation, the name may belong to another folder.
                let is_same = !changed.iter().any(|name| folder.starts_with(name));
                let stays = is_same && folders.contains(folder.as_path());
                if !stays {
                    // A deleted folder is not watched either way.
                    let _gone = watcher.unwatch(folder);
                }
                stays
            });
            // Deepest first: if only some can be watched, folders near the files are preferred.
            for folder in folders.into_iter().rev() {
                if self.folders.contains(folder) {
                    continue;
                }
                match watcher.watch(folder, RecursiveMode::NonRecursive) {
                    Ok(()) => {
                        self.folders.insert(folder.to_owned());
                    }
                    Err(error) => {
                        log::info!("{} is not watched: {error}", folder.display());
                        is_unwatched = true;
                        if folders_of_files.contains(folder) && !is_about_folder(&error) {
                            self.trouble = Some(why_unwatched(&error));
                        }
                    }
                }
            }
        }
        let _gone = self.orders.send(Order::Files {
            files: self.files.clone(),
            read_at,
            is_unwatched,
        });
    }

    /// Returns why the system does not report changes, for display, and only once.
    pub(crate) fn take_warning(&mut self) -> Option<String> {
        let why = self.trouble.take().filter(|_| !self.has_reported_trouble)?;
        self.has_reported_trouble = true;
        let secs = POLL_INTERVAL.as_secs();
        Some(format!(
            "Files are checked for changes only every {secs} seconds: {why}"
        ))
    }

    /// Polls file times now. Some changes are not reported, such as those by another computer in a
    /// shared folder.
    pub(crate) fn poll(&self) {
        let _gone = self.orders.send(Order::Poll);
    }

    /// Records changes; returns `true` if they concern a watched file.
    pub(crate) fn note(&mut self, change: &Change, now: Instant) -> bool {
        let names = lock(&self.names);
        let is_ours = |path: &&PathBuf| names.contains(*path) || self.files.contains(*path);
        let ours: Vec<PathBuf> = change.paths.iter().filter(is_ours).cloned().collect();
        drop(names);
        let is_any = !ours.is_empty();
        self.changed.extend(ours);
        if is_any {
            self.is_saved |= change.is_saved;
            self.note_change(now);
        }
        is_any
    }

    /// Records that the files may change again soon.
    pub(crate) fn note_change(&mut self, now: Instant) {
        let first = self.changed_at.map_or(now, |[first, _]| first);
        self.changed_at = Some([first, now]);
    }

    /// Returns when to call [`Self::take_ready`] next.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let [first, last] = self.changed_at?;
        if self.is_saved && !self.is_reading {
            return Some(last);
        }
        let settled = last + SETTLE;
        Some(if self.is_reading {
            settled
        } else {
            settled.min(first + MAX_SETTLE)
        })
    }

    /// Records whether a version is being read. A read is finished even if a program writes
    /// continuously; otherwise a large file would never be loaded.
    pub(crate) fn note_reading(&mut self, is_reading: bool) {
        self.is_reading = is_reading;
    }

    /// Returns the state of a change once the files can be read, and watches the paths anew. Changes
    /// after a subsequent read are detected.
    pub(crate) fn take_ready(&mut self, now: Instant) -> Option<Ready> {
        self.wake_at().filter(|at| now >= *at)?;
        self.changed_at = None;
        self.watch(SystemTime::now());
        let is_saved = std::mem::take(&mut self.is_saved);
        Some(if is_saved {
            Ready::Saved
        } else {
            Ready::Settled
        })
    }
}

/// `true` if an error concerns one folder, which is missing or not accessible.
fn is_about_folder(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
        _ => false,
    }
}

fn why_unwatched(error: &notify::Error) -> String {
    let why = match &error.kind {
        ErrorKind::MaxFilesWatch => "the limit on watched folders is reached".to_owned(),
        ErrorKind::Io(error) => system_reason(error, "folder"),
        kind => format!("{kind:?}"),
    };
    format!("the system does not report changes ({why})")
}

/// An order to the polling thread.
enum Order {
    /// Poll these files instead of the previous ones.
    Files {
        files: BTreeSet<PathBuf>,
        /// Time at which they were read.
        read_at: SystemTime,
        /// `true` if the system does not report all changes.
        is_unwatched: bool,
    },
    /// Poll now.
    Poll,
}

/// Distinguishes versions of a file: modification time and length.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(file: &Path) -> Stamp {
    let file = file.metadata().ok()?;
    Some((file.modified().ok()?, file.len()))
}

/// Reports files whose times have changed: on order, and at intervals if the system does not watch
/// all of them.
fn poll_times(orders: &mpsc::Receiver<Order>, changed: &impl Fn(Change)) {
    let mut known: BTreeMap<PathBuf, Stamp> = BTreeMap::new();
    let mut polls_regularly = false;
    loop {
        let order = if polls_regularly && !known.is_empty() {
            match orders.recv_timeout(POLL_INTERVAL) {
                Err(mpsc::RecvTimeoutError::Timeout) => Ok(Order::Poll),
                order => order.map_err(drop),
            }
        } else {
            orders.recv().map_err(drop)
        };
        let Ok(order) = order else { return };
        let mut new = Vec::new();
        match order {
            Order::Files {
                files,
                read_at,
                is_unwatched,
            } => {
                polls_regularly = is_unwatched;
                let before = std::mem::take(&mut known);
                for file in files {
                    let now = stamp(&file);
                    let is_later = now.is_some_and(|(modified, _)| modified > read_at);
                    if is_later && before.get(&file).is_some_and(|before| *before != now) {
                        new.push(file.clone());
                    }
                    known.insert(file, now);
                }
            }
            Order::Poll => {
                for (file, before) in &mut known {
                    let now = stamp(file);
                    if std::mem::replace(before, now) != now {
                        new.push(file.clone());
                    }
                }
            }
        }
        if !new.is_empty() {
            changed(Change::of(new));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Waits until a change of the watched files is reported and settled; returns `false` after a
    /// timeout.
    fn wait_for_change(watch: &mut FileWatch, changes: &mpsc::Receiver<Change>) -> bool {
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if let Ok(change) = changes.recv_timeout(Duration::from_millis(20)) {
                watch.note(&change, Instant::now());
            }
            if watch.take_ready(Instant::now()).is_some() {
                return true;
            }
        }
        false
    }

    /// Waits until no more changes arrive, and discards them.
    fn drain_changes(watch: &mut FileWatch, changes: &mpsc::Receiver<Change>) {
        while let Ok(change) = changes.recv_timeout(2 * SETTLE) {
            watch.note(&change, Instant::now());
        }
        watch.take_ready(Instant::now() + MAX_SETTLE);
    }

    fn watching(files: &[&Path]) -> (FileWatch, mpsc::Receiver<Change>) {
        let (sender, changes) = mpsc::channel();
        let mut watch = FileWatch::new(move |change| sender.send(change).unwrap_or_default());
        watch.set(files.iter().copied());
        (watch, changes)
    }

    /// Asserts that `change` is detected, and then saves of the file as well.
    fn assert_seen(
        (watch, changes): &mut (FileWatch, mpsc::Receiver<Change>),
        file: &Path,
        what: &str,
        change: impl FnOnce(),
    ) {
        drain_changes(watch, changes);
        change();
        assert!(wait_for_change(watch, changes), "{what}");
        for save in 0..2 {
            drain_changes(watch, changes);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, format!("{what} {save}")).unwrap();
            assert!(wait_for_change(watch, changes), "save {save} after: {what}");
        }
    }

    #[test]
    fn saves_are_seen_after_a_folder_on_the_way_was_replaced() {
        use std::fs::{create_dir_all, remove_dir_all, rename, write};
        let dir = tempfile::tempdir().unwrap();
        let repository = dir.path().join("repository");
        let [maps, old, new] = ["maps", "maps.old", "maps.new"].map(|name| repository.join(name));
        let map = maps.join("a.pfmap");
        create_dir_all(&maps).unwrap();
        write(&map, "1").unwrap();
        let mut watching = watching(&[&map]);
        assert_seen(&mut watching, &map, "deleted and made again", || {
            remove_dir_all(&maps).unwrap();
            create_dir_all(&maps).unwrap();
            write(&map, "22").unwrap();
        });
        assert_seen(&mut watching, &map, "deleted with its folder", || {
            remove_dir_all(&maps).unwrap();
        });
        assert_seen(&mut watching, &map, "deleted with two folders", || {
            remove_dir_all(&repository).unwrap();
        });
        create_dir_all(&new).unwrap();
        write(new.join("a.pfmap"), "333").unwrap();
        assert_seen(&mut watching, &map, "the folder is swapped", || {
            rename(&maps, &old).unwrap();
            rename(&new, &maps).unwrap();
        });
        assert_seen(
            &mut watching,
            &map,
            "the folder above is moved away and back",
            || {
                let elsewhere = dir.path().join("elsewhere");
                rename(&repository, &elsewhere).unwrap();
                rename(&elsewhere, &repository).unwrap();
            },
        );
        // Saves in the old folder no longer count.
        let (watch, changes) = &mut watching;
        drain_changes(watch, changes);
        write(old.join("a.pfmap"), "4444").unwrap();
        assert!(changes.recv_timeout(2 * SETTLE).is_err());
    }

    #[test]
    fn a_folder_of_another_file_that_is_copied_anew_is_seen() {
        use std::fs::{create_dir_all, remove_dir_all, write};
        let dir = tempfile::tempdir().unwrap();
        let scene = dir.path().join("a.pfscene");
        let knight = dir.path().join("models/knight/knight.pfobj");
        create_dir_all(knight.parent().unwrap()).unwrap();
        write(&scene, "1").unwrap();
        write(&knight, "1").unwrap();
        let mut watching = watching(&[&scene, &knight]);
        assert_seen(&mut watching, &knight, "copied anew", || {
            remove_dir_all(knight.parent().unwrap()).unwrap();
            create_dir_all(knight.parent().unwrap()).unwrap();
            write(&knight, "22").unwrap();
        });
        assert_seen(&mut watching, &scene, "the other one is saved", || {
            write(&knight, "333").unwrap();
        });
    }

    #[cfg(unix)]
    #[test]
    fn links_of_files_and_folders_are_followed_and_watched() {
        use std::fs::{create_dir_all, remove_file, rename, write};
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| dir.path().join(name));
        for folder in [&first, &second] {
            create_dir_all(folder).unwrap();
            write(folder.join("real.pfmap"), "1").unwrap();
        }
        // A link to a file, in a folder that is a link to a folder.
        let stored = dir.path().join("stored.pfmap");
        write(&stored, "1").unwrap();
        for folder in [&first, &second] {
            symlink("../stored.pfmap", folder.join("link.pfmap")).unwrap();
        }
        let folder_link = dir.path().join("maps");
        symlink("first", &folder_link).unwrap();
        let link = folder_link.join("link.pfmap");
        let mut watching = watching(&[&link]);
        assert_seen(&mut watching, &stored, "written through the links", || {
            write(&link, "22").unwrap();
        });
        assert_seen(
            &mut watching,
            &stored,
            "the folder link is switched",
            || {
                let new = dir.path().join("new link");
                symlink("second", &new).unwrap();
                rename(&new, &folder_link).unwrap();
            },
        );
        let real = second.join("real.pfmap");
        assert_seen(&mut watching, &real, "the file link is switched", || {
            remove_file(second.join("link.pfmap")).unwrap();
            symlink("real.pfmap", second.join("link.pfmap")).unwrap();
        });
        // A cycle of links counts as a missing file.
        assert_seen(&mut watching, &real, "a ring", || {
            remove_file(&real).unwrap();
            symlink("link.pfmap", &real).unwrap();
            assert!(path_entries(&link).len() > MAX_LINKS);
            remove_file(&real).unwrap();
        });
    }

    #[test]
    fn times_are_looked_at_where_nothing_is_reported_and_on_demand() {
        use std::fs::{remove_file, write};
        let dir = tempfile::tempdir().unwrap();
        let map = dir.path().join("a.pfmap");
        write(&map, "1").unwrap();
        let (mut watch, changes) = watching(&[]);
        watch.watcher = None;
        watch.trouble = Some("it is a test".to_owned());
        watch.set([map.as_path()]);
        let warning = watch.take_warning();
        assert!(warning.is_some_and(|warning| warning.contains("it is a test")));
        watch.trouble = Some("it is a test".to_owned());
        assert_eq!(watch.take_warning(), None, "once is enough");
        drain_changes(&mut watch, &changes);
        write(&map, "22").unwrap();
        assert!(wait_for_change(&mut watch, &changes), "by itself");
        drain_changes(&mut watch, &changes);
        remove_file(&map).unwrap();
        watch.poll();
        let reported = changes.recv_timeout(POLL_INTERVAL / 2);
        assert_eq!(reported, Ok(Change::of(vec![map.clone()])), "on demand");
        // Polling unchanged files reports nothing.
        watch.poll();
        assert!(changes.recv_timeout(POLL_INTERVAL / 2).is_err());
    }

    #[test]
    fn a_program_that_writes_without_a_pause_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let map = dir.path().canonicalize().unwrap().join("a.pfmap");
        let mut watch = FileWatch::new(|_| {});
        watch.set([map.as_path()]);
        let start = Instant::now();
        let mut now = start;
        let written = Change::of(vec![map]);
        while now < start + MAX_SETTLE {
            assert_eq!(watch.take_ready(now), None);
            watch.note(&written, now);
            now += SETTLE / 2;
        }
        watch.note_reading(true);
        assert_eq!(watch.take_ready(start + MAX_SETTLE), None);
        watch.note_reading(false);
        assert_eq!(watch.take_ready(start + MAX_SETTLE), Some(Ready::Settled));
        // A settled change interrupts a read in progress.
        watch.note(&written, now);
        watch.note_reading(true);
        assert_eq!(watch.take_ready(now + SETTLE), Some(Ready::Settled));
    }

    #[test]
    fn saves_of_every_kind_are_seen_and_other_files_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let [map, texture, other] =
            ["a map.pfmap", "later.png", "other.txt"].map(|n| dir.path().join(n));
        std::fs::write(&map, b"1").unwrap();
        let (sender, changes) = mpsc::channel();
        let mut watch = FileWatch::new(move |change| sender.send(change).unwrap_or_default());
        watch.set([map.as_path(), texture.as_path()]);

        std::fs::write(&map, b"2").unwrap();
        assert!(wait_for_change(&mut watch, &changes), "written in place");
        let new = dir.path().join("a map.pfmap~");
        std::fs::write(&new, b"3").unwrap();
        std::fs::rename(&new, &map).unwrap();
        assert!(
            wait_for_change(&mut watch, &changes),
            "replaced by a rename"
        );
        std::fs::write(&texture, b"x").unwrap();
        assert!(
            wait_for_change(&mut watch, &changes),
            "a file that was not there"
        );
        std::fs::write(&other, b"x").unwrap();
        while changes
            .recv_timeout(Duration::from_millis(200))
            .is_ok_and(|change| !watch.note(&change, Instant::now()))
        {}
        assert_eq!(watch.wake_at(), None, "a file that nobody asked for");
    }

    #[test]
    fn a_file_whose_folder_is_not_there_yet_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("models/goblin/goblin.pfobj");
        let (sender, changes) = mpsc::channel();
        let mut watch = FileWatch::new(move |change| sender.send(change).unwrap_or_default());
        watch.set([model.as_path()]);
        std::fs::create_dir_all(model.parent().unwrap()).unwrap();
        assert!(wait_for_change(&mut watch, &changes), "its folder appears");
        watch.set([model.as_path()]);
        std::fs::write(&model, b"x").unwrap();
        assert!(wait_for_change(&mut watch, &changes), "it appears");
        // The file changed between the load and the watch.
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
        let mut watch = FileWatch::new(move |change| sender.send(change).unwrap_or_default());
        watch.set([link.as_path()]);
        std::fs::write(&first, b"2").unwrap();
        assert!(
            wait_for_change(&mut watch, &changes),
            "its target is written"
        );
        std::fs::rename(&second, &first).unwrap();
        assert!(
            wait_for_change(&mut watch, &changes),
            "its target is replaced"
        );
        std::fs::remove_file(&link).unwrap();
        symlink(&second, &link).unwrap();
        assert!(wait_for_change(&mut watch, &changes), "it leads elsewhere");
    }

    #[test]
    fn a_change_counts_when_it_has_settled_and_a_save_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let map = dir.path().canonicalize().unwrap().join("a.pfmap");
        let mut watch = FileWatch::new(|_| {});
        watch.set([map.as_path()]);
        let start = Instant::now();
        let written = Change::of(vec![map]);
        assert!(watch.note(&written, start));
        assert_eq!(watch.take_ready(start + SETTLE / 2), None);
        assert!(watch.note(&written, start + SETTLE / 2));
        assert_eq!(watch.take_ready(start + SETTLE), None);
        let settled = watch.take_ready(start + SETTLE + SETTLE / 2);
        assert_eq!(settled, Some(Ready::Settled));
        assert_eq!(watch.take_ready(start + SETTLE * 9), None);
        let saved = Change {
            is_saved: true,
            ..written.clone()
        };
        assert!(watch.note(&written, start) && watch.note(&saved, start));
        assert_eq!(watch.take_ready(start), Some(Ready::Saved));
        // Others may follow.
        assert!(watch.note(&written, start));
        assert_eq!(watch.take_ready(start), None);
        assert_eq!(watch.take_ready(start + SETTLE), Some(Ready::Settled));
    }

    #[test]
    fn a_change_that_comes_while_the_file_is_read_counts_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let [map, other] = ["a.pfmap", "b.pfmap"].map(|name| dir.path().join(name));
        let reported = dir.path().canonicalize().unwrap().join("a.pfmap");
        let mut watch = FileWatch::new(|_| {});
        watch.set([map.as_path()]);
        let start = Instant::now();
        assert!(watch.note(&Change::of(vec![reported]), start));
        watch.set([map.as_path(), other.as_path()]);
        assert!(watch.take_ready(start + SETTLE).is_some());
        watch.set([other.as_path()]);
        assert_eq!(watch.take_ready(start + SETTLE * 9), None);
    }
}
