//! Opens files on a worker thread, one at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use super::search;
use crate::search::{Limits, SearchProgress, Seen};
use crate::viewer::state::folder;
use crate::viewer::state::load::{
    Cause, Failure, LoadRequest, Loaded, Outcome, Target, UNREADABLE,
};
use crate::viewer::state::playlist::FileList;
use crate::viewer::state::settings::ChosenMap;
use mapscope_scene::map_scene::maps_beside;
use mapscope_scene::{
    self, Document, MapChoice, OpenError, OpenOptions, Progress, Source, system_reason,
};

/// Minimum interval between notifications about loaded parts. Each one redraws the view, which
/// slows down the loading threads on a software adapter.
const PART_INTERVAL: Duration = Duration::from_millis(100);

/// A running load.
#[derive(Debug)]
pub(crate) struct Loading {
    /// Display name of the file or folder.
    pub name: String,
    /// Its progress.
    pub progress: Arc<Progress>,
    search: Arc<SearchProgress>,
    number: u64,
}

impl Loading {
    /// Files and folders seen so far, while folders are searched.
    pub(crate) fn seen(&self) -> Option<Seen> {
        self.search.seen()
    }
}

/// Starts loads and identifies outdated outcomes.
pub(crate) struct Loader {
    done: Arc<dyn Fn(Outcome) + Send + Sync>,
    on_part: Arc<dyn Fn() + Send + Sync>,
    loading: Option<Loading>,
    started: u64,
}

impl Loader {
    /// Creates a loader. It calls `done` with outcomes, on its worker threads. It then loads
    /// deferred textures, and calls `on_part` in between.
    pub(crate) fn new(
        done: impl Fn(Outcome) + Send + Sync + 'static,
        on_part: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            done: Arc::new(done),
            on_part: Arc::new(on_part),
            loading: None,
            started: 0,
        }
    }

    /// The running load, if any.
    pub(crate) fn loading(&self) -> Option<&Loading> {
        self.loading.as_ref()
    }

    /// Starts a load, and cancels a running one.
    pub(crate) fn start(
        &mut self,
        request: LoadRequest,
        options: OpenOptions,
        chosen: Vec<ChosenMap>,
    ) {
        self.cancel();
        self.started += 1;
        let number = self.started;
        let progress = Arc::new(Progress::default());
        let search = Arc::new(SearchProgress::default());
        self.loading = Some(Loading {
            name: request.target.name(),
            progress: Arc::clone(&progress),
            search: Arc::clone(&search),
            number,
        });
        let done = Arc::clone(&self.done);
        let on_part = Arc::clone(&self.on_part);
        let name = "loader".to_owned();
        let job = move || {
            let (loaded, failures) = load(&request, options, &chosen, &progress, &search);
            let document = loaded.as_ref().map(|it| Arc::downgrade(&it.document));
            done(Outcome {
                request,
                loaded,
                failures,
                number,
            });
            if let Some(document) = document {
                load_deferred_parts(&document, &*on_part);
            }
        };
        if let Err(error) = std::thread::Builder::new().name(name).spawn(job) {
            log::error!("no thread to load with: {error}");
            self.loading = None;
        }
    }

    /// Cancels the running load.
    pub(crate) fn cancel(&mut self) {
        if let Some(loading) = self.loading.take() {
            loading.progress.cancel();
        }
    }

    /// `true` if an outcome belongs to the newest load, which is then finished.
    pub(crate) fn finish(&mut self, outcome: &Outcome) -> bool {
        let newest = self
            .loading
            .as_ref()
            .is_some_and(|l| l.number == outcome.number);
        if newest {
            self.loading = None;
        }
        newest
    }
}

/// Loads the deferred parts of a document while it is open. Calls `on_part` at intervals and at the
/// end.
fn load_deferred_parts(document: &Weak<dyn Document>, on_part: &(dyn Fn() + Sync)) {
    let Some(document) = document.upgrade() else {
        return;
    };
    if document.pending().is_none() {
        return;
    }
    // If this is the only owner, the file was closed.
    let is_open = || Arc::strong_count(&document) > 1;
    let last_report = Mutex::new(Instant::now());
    document.load_deferred(&is_open, &|| {
        let mut last_report = last_report.lock().unwrap_or_else(PoisonError::into_inner);
        if last_report.elapsed() >= PART_INTERVAL {
            *last_report = Instant::now();
            on_part();
        }
    });
    if is_open() {
        on_part();
    }
}

/// Opens the first file of the target that can be opened.
fn load(
    request: &LoadRequest,
    mut options: OpenOptions,
    chosen: &[ChosenMap],
    progress: &Progress,
    search: &SearchProgress,
) -> (Option<Loaded>, Vec<Failure>) {
    let mut failures = Vec::new();
    let read_at = SystemTime::now();
    let paths = match &request.target {
        Target::Demo(demo) => {
            let source = demo.source();
            let path = source.path.clone();
            let loaded = open(&source, &options, progress, request.cause)
                .map_err(|error| record_failure(&mut failures, &path, &error))
                .ok()
                .map(|document| Loaded {
                    demo: Some(demo),
                    files: FileList::default(),
                    read_at,
                    ..Loaded::new(path, document)
                });
            return (loaded, failures);
        }
        Target::Paths(paths) => paths,
    };
    let keep_going = || progress.check().is_ok();
    let Some(mut found) = search::find(paths, Limits::OPEN, search, &keep_going) else {
        return (None, Vec::new());
    };
    failures.append(&mut found.failures);
    let pair = folder::scene_and_map(paths).filter(|_| request.map == MapChoice::Beside);
    if let Some((scene, map)) = pair {
        // The scene opens the map.
        found.files.retain(|file| file != map);
        found.files.sort_by_key(|file| file != scene);
    }
    for at in 0..found.files.len() {
        let Some(path) = found.files.get(at) else {
            break;
        };
        options.map = match pair {
            Some((scene, map)) if scene == path => MapChoice::File(map.to_owned()),
            _ if request.map != MapChoice::Beside => request.map.clone(),
            _ => ChosenMap::of(path, chosen),
        };
        let opened =
            Source::read(path).and_then(|source| open(&source, &options, progress, request.cause));
        match opened {
            Ok(document) => {
                let [scene, own_map] =
                    ["pfscene", "pfmap"].map(|ending| path.with_extension(ending));
                let format = document.about().format.id;
                let needs_map = format == "pfscene"
                    && options.map == MapChoice::Beside
                    && matches!(request.cause, Cause::Opened | Cause::Neighbor)
                    && !own_map.exists();
                let path = path.clone();
                let loaded = Loaded {
                    map: options.map,
                    read_at,
                    scene: (format == "pfmap" && scene.is_file()).then_some(scene),
                    maps: if needs_map {
                        maps_beside(&path)
                    } else {
                        Vec::new()
                    },
                    files: found.into_list(),
                    ..Loaded::new(path, document)
                };
                return (Some(loaded), failures);
            }
            Err(OpenError::Cancelled) => return (None, Vec::new()),
            Err(error) => record_failure(&mut failures, path, &error),
        }
    }
    failures.extend(found.remark());
    (None, failures)
}

/// Opens a file that belongs to the open one.
pub(super) fn open_file(path: &Path, options: &OpenOptions) -> Result<Arc<dyn Document>, String> {
    let progress = Progress::default();
    Source::read(path)
        .and_then(|source| open(&source, options, &progress, Cause::Asked))
        .map_err(|error| failure_of(path, &error).message)
}

/// Describes why a file was not opened.
fn failure_of(path: &Path, error: &OpenError) -> Failure {
    // The message is always displayed beside the path.
    let message = match error {
        OpenError::Read { source, .. } => {
            format!("{UNREADABLE}{}", system_reason(source, "file"))
        }
        OpenError::Changed { .. } => "It changed while it was read".to_owned(),
        OpenError::UnknownFormat { reason, .. } => reason.clone(),
        OpenError::Refused {
            format, problem, ..
        } => format!("{}, {}: {}", format.name, problem.place, problem.message),
        OpenError::Cancelled => "Cancelled".to_owned(),
    };
    let problem = match error {
        OpenError::Refused { problem, .. } => Some((**problem).clone()),
        _ => None,
    };
    Failure {
        problem,
        ..Failure::new(path, &message)
    }
}

fn record_failure(failures: &mut Vec<Failure>, path: &Path, error: &OpenError) {
    if !matches!(error, OpenError::Cancelled) {
        failures.push(failure_of(path, error));
    }
}

/// Opens a source. A panic of a reader counts as a failure, so that the load ends. A reload
/// includes all deferred textures, so that visible ones do not disappear for a moment.
fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
    cause: Cause,
) -> Result<Arc<dyn Document>, OpenError> {
    let job = || {
        let document = mapscope_scene::open(source, options, progress)?;
        if cause.is_reload() {
            document.load_deferred(&|| progress.check().is_ok(), &|| {});
            progress.check()?;
        }
        Ok(document)
    };
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|_| {
        Err(OpenError::UnknownFormat {
            path: source.path.clone(),
            reason: "Mapscope failed while reading it; please report this, with the file"
                .to_owned(),
            is_foreign: false,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::viewer::state::playlist::Origin;
    use mapscope_scene::Pending;
    use mapscope_scene::terrain::Terrain;

    fn outcome_of(paths: Vec<PathBuf>) -> (Outcome, Loader) {
        outcome_with(paths, Vec::new())
    }

    #[test]
    fn a_failure_names_the_format_and_then_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let bad = folder.path().join("bad.pmf");
        std::fs::write(&bad, b"PMF\x01 and no more").unwrap();
        let (outcome, _loader) = outcome_of(vec![bad]);
        let message = &outcome.failures[0].message;
        assert!(
            message.starts_with("PlatinumSrc map, 0x3: header"),
            "{message}"
        );
    }

    fn outcome_with(paths: Vec<PathBuf>, chosen: Vec<ChosenMap>) -> (Outcome, Loader) {
        let (sender, receiver) = mpsc::channel();
        let mut loader = Loader::new(move |outcome| sender.send(outcome).unwrap(), || {});
        let request = LoadRequest {
            target: Target::Paths(paths),
            cause: Cause::Opened,
            map: MapChoice::Beside,
        };
        loader.start(request, OpenOptions::default(), chosen);
        let outcome = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
        (outcome, loader)
    }

    /// The files that were opened together.
    fn files(loaded: &Loaded) -> Vec<&Path> {
        loaded.files.files.iter().map(|file| &*file.path).collect()
    }

    #[test]
    fn a_folder_gives_the_first_that_can_be_opened_below_it_and_lists_all() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(dir.path().join("broken.pfmap"), b"?").unwrap();
        let maps = ["9.pfmap", "10.pfmap"].map(|name| folder.join(name));
        for map in &maps {
            std::fs::write(map, mapscope_testdata::synthesize::pfmap(1, 1, 1)).unwrap();
        }
        let (outcome, loader) = outcome_of(vec![dir.path().to_owned()]);
        let loaded = outcome.loaded.unwrap();
        assert_eq!(loaded.path, maps[0]);
        let broken = dir.path().join("broken.pfmap");
        assert_eq!(files(&loaded), [&broken, &maps[0], &maps[1]]);
        assert!(matches!(loaded.files.origin, Origin::Below(_)));
        assert_eq!(outcome.failures.len(), 1);
        assert_eq!(outcome.failures[0].path, broken);
        assert_eq!(loader.loading().unwrap().seen(), None, "the search is over");
    }

    #[test]
    fn textures_of_models_come_after_their_scene_unless_it_was_in_view_already() {
        let dir = tempfile::tempdir().unwrap();
        let scene = mapscope_testdata::tiny_scene::sound_scene();
        let scene = mapscope_testdata::tiny_scene::write_game(dir.path(), &scene).unwrap();
        for material in mapscope_testdata::tiny_model().materials {
            let texture = dir.path().join("assets/models").join(material.texture);
            image::RgbaImage::new(8, 8).save(texture).unwrap();
        }
        let (sender, receiver) = mpsc::channel();
        let (part_sender, parts) = mpsc::channel();
        let hold = Arc::new(Mutex::new(()));
        let held = Arc::clone(&hold);
        let done = move |outcome| {
            sender.send(outcome).unwrap();
            // Waits until the test has checked the outcome.
            drop(held.lock().unwrap());
        };
        let mut loader = Loader::new(done, move || part_sender.send(()).unwrap());
        for cause in [Cause::Opened, Cause::Changed] {
            let guard = hold.lock().unwrap();
            let request = LoadRequest {
                target: Target::Paths(vec![scene.clone()]),
                cause,
                map: MapChoice::Beside,
            };
            loader.start(request, OpenOptions::default(), Vec::new());
            let wait = Duration::from_secs(30);
            let loaded = receiver.recv_timeout(wait).unwrap().loaded.unwrap();
            let document = loaded.document;
            let pending = (!cause.is_reload()).then_some(Pending::Textures([0, 2]));
            assert_eq!(document.pending(), pending);
            drop(guard);
            while document.pending().is_some() {
                parts.recv_timeout(wait).unwrap();
            }
        }
    }

    #[test]
    fn what_cannot_be_opened_is_named_with_its_reason() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("nö such.pfmap");
        let (outcome, mut loader) = outcome_of(vec![missing.clone(), dir.path().to_owned()]);
        assert!(outcome.loaded.is_none());
        let failed: Vec<&Path> = outcome.failures.iter().map(|f| f.path.as_path()).collect();
        assert_eq!(failed, [dir.path(), &missing]);
        assert!(
            outcome.failures[0].message.contains("no supported files"),
            "{:?}",
            outcome.failures
        );
        assert!(
            outcome.failures[1].message.contains("cannot be read"),
            "{:?}",
            outcome.failures
        );
        assert!(loader.finish(&outcome));
        assert!(loader.loading().is_none());
    }

    #[test]
    fn a_scene_stands_on_the_map_that_it_came_with_or_that_was_chosen_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let [scene, map, other] =
            ["siege.pfscene", "castle.pfmap", "lake.pfmap"].map(|name| dir.path().join(name));
        std::fs::write(&scene, mapscope_testdata::tiny_scene::SCENE).unwrap();
        for (path, rows) in [(&map, 1), (&other, 2)] {
            std::fs::write(path, mapscope_testdata::synthesize::pfmap(rows, 1, 1)).unwrap();
        }
        let opened = |paths: &[&PathBuf], chosen: &[ChosenMap]| {
            let paths = paths.iter().copied().cloned().collect();
            let loaded = outcome_with(paths, chosen.to_vec()).0.loaded.unwrap();
            let rows = loaded.document.content::<Terrain>();
            (rows.map(|terrain| terrain.map().chunk_rows), loaded)
        };
        let (rows, loaded) = opened(&[&other, &scene], &[]);
        assert_eq!((rows, &loaded.path), (Some(2), &scene));
        assert_eq!(loaded.map, MapChoice::File(other.clone()));
        assert_eq!(files(&loaded), [&scene], "the map is seen with it");
        // Without a map, the scene has candidates to choose from.
        let (rows, loaded) = opened(&[&scene], &[]);
        assert_eq!((rows, loaded.maps.len()), (None, 2));
        let chosen = |map: Option<&PathBuf>| ChosenMap {
            scene: scene.clone(),
            map: map.cloned(),
        };
        let (rows, loaded) = opened(&[&scene], &[chosen(Some(&map))]);
        assert_eq!((rows, loaded.maps.len()), (Some(1), 0));
        let (rows, loaded) = opened(&[&scene], &[chosen(None)]);
        assert_eq!((rows, loaded.maps.len()), (None, 0));
        assert_eq!(loaded.map, MapChoice::Nowhere);
        // A chosen map that no longer exists is ignored.
        let gone = dir.path().join("gone.pfmap");
        let (rows, loaded) = opened(&[&scene], &[chosen(Some(&gone))]);
        assert_eq!((rows, loaded.maps.len()), (None, 2));
        // If there are several maps, the one with the same name is used.
        let own = dir.path().join("siege.pfmap");
        std::fs::copy(&map, &own).unwrap();
        let (_, loaded) = opened(&[&other, &scene, &own], &[]);
        assert_eq!(loaded.map, MapChoice::File(own.clone()));
        assert_eq!(files(&loaded), [&scene, &other]);
        let (_, loaded) = opened(&[&own], &[]);
        assert_eq!(loaded.scene, Some(scene.clone()));
        let (_, loaded) = opened(&[&map], &[]);
        assert_eq!(loaded.scene, None);
    }

    #[test]
    fn a_search_that_was_cancelled_opens_nothing_and_blames_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let map = dir.path().join("a.pfmap");
        std::fs::write(&map, mapscope_testdata::synthesize::pfmap(1, 1, 1)).unwrap();
        let request = LoadRequest {
            target: Target::Paths(vec![dir.path().to_owned()]),
            cause: Cause::Opened,
            map: MapChoice::Beside,
        };
        let (progress, search) = (Progress::default(), SearchProgress::default());
        progress.cancel();
        let (loaded, failures) = load(&request, OpenOptions::default(), &[], &progress, &search);
        assert!(loaded.is_none() && failures.is_empty());
        assert_eq!(search.seen().unwrap().files, 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn nobody_waits_for_what_is_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
        let named = [pipe, dir.path().join("socket"), "/dev/zero".into()];
        let (outcome, _) = outcome_of(named.to_vec());
        assert!(outcome.loaded.is_none());
        let mut failures = outcome.failures.iter();
        assert!(
            failures.len() == 3 && failures.all(|it| it.message.contains("not a regular file"))
        );
    }

    #[test]
    fn a_load_that_was_replaced_is_not_the_newest() {
        let (outcome, mut loader) = outcome_of(vec!["/nowhere/a.pfmap".into()]);
        let request = LoadRequest {
            target: Target::Paths(vec!["/nowhere/b.pfmap".into()]),
            cause: Cause::Opened,
            map: MapChoice::Beside,
        };
        let first = loader.loading().map(|l| Arc::clone(&l.progress)).unwrap();
        loader.start(request, OpenOptions::default(), Vec::new());
        assert!(
            first.report(0.5).is_err(),
            "the load that was replaced must stop"
        );
        assert!(!loader.finish(&outcome));
        assert!(loader.loading().is_some());
    }
}
