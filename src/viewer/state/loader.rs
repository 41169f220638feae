//! Opening files on a worker thread, one at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder;
use mapscope_formats::Problem;
use mapscope_scene::Document;
use mapscope_scene::demo::Demo;
use mapscope_scene::{self, OpenError, OpenOptions, Progress, Source};

/// What is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The first of these files and folders that can be opened; the rest is kept for going on.
    Paths(Vec<PathBuf>),
    /// Something that is built in.
    Demo(&'static Demo),
}

impl Target {
    /// What it is called while it is loaded.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Paths(paths) => paths
                .first()
                .map(|path| folder::name(path))
                .unwrap_or_default(),
            Self::Demo(demo) => format!("the {} demo", demo.name.to_lowercase()),
        }
    }
}

/// Why something is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It is to be opened.
    Opened,
    /// It is to be opened because it is next to the open file in its folder: who goes from one
    /// version of a thing to the other compares them.
    Neighbor,
    /// It was open before and is returned to.
    Return {
        /// Whether it was open before what is, and not after it.
        backwards: bool,
    },
    /// It is open and has changed on disk.
    Changed,
    /// It is open, and the user wants to see it as it is on disk, whatever is wrong with it.
    Asked,
}

impl Cause {
    /// Whether it is open already and only read again.
    pub(crate) fn is_reload(self) -> bool {
        matches!(self, Self::Changed | Self::Asked)
    }
}

/// Something to open, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoadRequest {
    /// What.
    pub target: Target,
    /// Why.
    pub cause: Cause,
}

/// A file that was not opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The file.
    pub path: PathBuf,
    /// Where in it and why, for people.
    pub message: String,
    /// The same where it is a place in the file that is to blame.
    pub problem: Option<Problem>,
}

impl Failure {
    /// A file that was not opened for a reason that is no place in it.
    pub(crate) fn new(path: &Path, message: &str) -> Self {
        Self {
            path: path.to_owned(),
            message: capitalized(message),
            problem: None,
        }
    }

    fn of(path: &Path, error: &OpenError) -> Self {
        // The path stands beside the message wherever it is shown.
        let message = match error {
            OpenError::Read { source, .. } => format!("It cannot be read: {source}"),
            OpenError::Changed { .. } => "It changed while it was read".to_owned(),
            OpenError::UnknownFormat { reason, .. } => reason.clone(),
            OpenError::Refused {
                format, problem, ..
            } => format!("{} {}: {}", format.name, problem.place, problem.message),
            OpenError::Cancelled => "Cancelled".to_owned(),
        };
        let problem = match error {
            OpenError::Refused { problem, .. } => Some(problem.clone()),
            _ => None,
        };
        Self {
            problem,
            ..Self::new(path, &message)
        }
    }
}

/// A sentence with a large letter at its beginning.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A file that was opened.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// The demo that it is, if it is none of the user's files.
    pub demo: Option<&'static Demo>,
    /// What is in it.
    pub document: Arc<dyn Document>,
    /// The files that it was opened together with, itself among them.
    pub files: Vec<PathBuf>,
}

/// How a load ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// What was asked.
    pub request: LoadRequest,
    /// What was opened, if anything; nothing, and no failures, when it was cancelled.
    pub loaded: Option<Loaded>,
    /// The files that were tried before and could not be opened.
    pub failures: Vec<Failure>,
    /// Which of all loads it is.
    pub number: u64,
}

/// A load that is under way.
#[derive(Debug)]
pub(crate) struct Loading {
    /// What is loaded, for people.
    pub name: String,
    /// How far it is.
    pub progress: Arc<Progress>,
    number: u64,
}

/// Starts loads and tells the newest from those that it has replaced.
pub(crate) struct Loader {
    done: Arc<dyn Fn(Outcome) + Send + Sync>,
    loading: Option<Loading>,
    started: u64,
}

impl Loader {
    /// A loader that hands over outcomes on its worker thread.
    pub(crate) fn new(done: impl Fn(Outcome) + Send + Sync + 'static) -> Self {
        Self {
            done: Arc::new(done),
            loading: None,
            started: 0,
        }
    }

    /// The load that is under way.
    pub(crate) fn loading(&self) -> Option<&Loading> {
        self.loading.as_ref()
    }

    /// Starts a load in place of the one that is under way.
    pub(crate) fn start(&mut self, request: LoadRequest, options: OpenOptions) {
        self.cancel();
        self.started += 1;
        let number = self.started;
        let progress = Arc::new(Progress::default());
        self.loading = Some(Loading {
            name: request.target.name(),
            progress: Arc::clone(&progress),
            number,
        });
        let done = Arc::clone(&self.done);
        let name = "loader".to_owned();
        let job = move || {
            let (loaded, failures) = load(&request.target, &options, &progress);
            done(Outcome {
                request,
                loaded,
                failures,
                number,
            });
        };
        if let Err(error) = std::thread::Builder::new().name(name).spawn(job) {
            log::error!("no thread to load with: {error}");
            self.loading = None;
        }
    }

    /// Stops the load that is under way.
    pub(crate) fn cancel(&mut self) {
        if let Some(loading) = self.loading.take() {
            loading.progress.cancel();
        }
    }

    /// Whether an outcome is that of the newest load; that load is then over.
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

/// Opens the first that can be opened.
fn load(
    target: &Target,
    options: &OpenOptions,
    progress: &Progress,
) -> (Option<Loaded>, Vec<Failure>) {
    let mut failures = Vec::new();
    let paths = match target {
        Target::Demo(demo) => {
            let source = demo.source();
            let path = source.path.clone();
            let loaded = open(&source, options, progress)
                .map_err(|error| note(&mut failures, &path, &error))
                .ok()
                .map(|document| Loaded {
                    path,
                    demo: Some(demo),
                    document,
                    files: Vec::new(),
                });
            return (loaded, failures);
        }
        Target::Paths(paths) => paths,
    };
    let (files, refused) = folder::expand(paths);
    failures.extend(refused);
    for path in &files {
        let opened = Source::read(path).and_then(|source| open(&source, options, progress));
        match opened {
            Ok(document) => {
                let loaded = Loaded {
                    path: path.clone(),
                    demo: None,
                    document,
                    files: files.clone(),
                };
                return (Some(loaded), failures);
            }
            Err(OpenError::Cancelled) => return (None, Vec::new()),
            Err(error) => note(&mut failures, path, &error),
        }
    }
    (None, failures)
}

fn note(failures: &mut Vec<Failure>, path: &Path, error: &OpenError) {
    if !matches!(error, OpenError::Cancelled) {
        failures.push(Failure::of(path, error));
    }
}

/// Opens a source; a reader that panics is a failure like any other, and not a load that never
/// ends.
fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let job = || mapscope_scene::open(source, options, progress);
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|_| {
        Err(OpenError::UnknownFormat {
            path: source.path.clone(),
            reason: "Mapscope failed while reading it; please report this, with the file"
                .to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn outcome_of(paths: Vec<PathBuf>) -> (Outcome, Loader) {
        let (sender, receiver) = mpsc::channel();
        let mut loader = Loader::new(move |outcome| sender.send(outcome).unwrap());
        let request = LoadRequest {
            target: Target::Paths(paths),
            cause: Cause::Opened,
        };
        loader.start(request, OpenOptions::default());
        let outcome = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
        (outcome, loader)
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
            outcome.failures[0].message.contains("no file"),
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
    fn a_load_that_was_replaced_is_not_the_newest() {
        let (outcome, mut loader) = outcome_of(vec!["/nowhere/a.pfmap".into()]);
        let request = LoadRequest {
            target: Target::Paths(vec!["/nowhere/b.pfmap".into()]),
            cause: Cause::Opened,
        };
        let first = loader.loading().map(|l| Arc::clone(&l.progress)).unwrap();
        loader.start(request, OpenOptions::default());
        assert!(
            first.report(0.5).is_err(),
            "the load that was replaced must stop"
        );
        assert!(!loader.finish(&outcome));
        assert!(loader.loading().is_some());
    }
}
