//! Load requests and their outcomes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::folder;
use super::playlist::FileList;
use crate::viewer::format::capitalized;
use mapscope_formats::Problem;
use mapscope_scene::demo::Demo;
use mapscope_scene::map_scene::MapFile;
use mapscope_scene::{Document, MapChoice};

/// The target of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// Files and folders. The first file that can be opened is opened, and the others become the
    /// playlist.
    Paths(Vec<PathBuf>),
    /// A built-in demo.
    Demo(&'static Demo),
}

impl Target {
    /// Display name during the load.
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

/// The cause of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The user opens a file.
    Opened,
    /// The user steps to the next or previous file, often another version to compare.
    Neighbor,
    /// The user goes back or forward in the history.
    Return {
        /// `true` to go back, `false` to go forward.
        backwards: bool,
    },
    /// The open file was saved. Its program may not be finished: a version that is worse than the
    /// visible one is ignored, and read again once there are no more changes.
    Saved,
    /// The open file has changed on disk.
    Changed,
    /// The user reloads the open file, even if it has problems.
    Asked,
    /// The user switches to the counterpart: the scene of a map, or the map of a scene.
    Counterpart,
}

impl Cause {
    /// `true` if the load reloads the open file.
    pub(crate) fn is_reload(self) -> bool {
        matches!(self, Self::Saved | Self::Changed | Self::Asked)
    }
}

/// A requested load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoadRequest {
    /// Its target.
    pub target: Target,
    /// Its cause.
    pub cause: Cause,
    /// The map for a scene. By default, it is the previously chosen map or the one beside the
    /// scene.
    pub map: MapChoice,
}

/// A file that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its path.
    pub path: PathBuf,
    /// Display text with the place and the reason.
    pub message: String,
    /// The problem, if the reason is a place in the file.
    pub problem: Option<Problem>,
}

/// Prefix of the message if the system denies reading the file.
pub(crate) const UNREADABLE: &str = "It cannot be read: ";

impl Failure {
    /// A failure without a place in the file.
    pub(crate) fn new(path: &Path, message: &str) -> Self {
        Self {
            path: path.to_owned(),
            message: capitalized(message),
            problem: None,
        }
    }
}

/// A file that was opened.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its path.
    pub path: PathBuf,
    /// The demo, if it is one.
    pub demo: Option<&'static Demo>,
    /// Its document.
    pub document: Arc<dyn Document>,
    /// The files that it was opened together with, including itself.
    pub files: FileList,
    /// The map choice, if it is a scene.
    pub map: MapChoice,
    /// The scene beside it, if it is a map.
    pub scene: Option<PathBuf>,
    /// Time at which reading began.
    pub read_at: SystemTime,
    /// Candidate maps for a scene without a map, if the user has not chosen one.
    pub maps: Vec<MapFile>,
}

impl Loaded {
    /// A loaded document without other files.
    pub(crate) fn new(path: PathBuf, document: Arc<dyn Document>) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self {
            files: FileList::new(vec![path.clone()], folder.to_owned()),
            path,
            demo: None,
            document,
            map: MapChoice::Beside,
            scene: None,
            read_at: SystemTime::now(),
            maps: Vec::new(),
        }
    }
}

/// The outcome of a load.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The request.
    pub request: LoadRequest,
    /// The opened file, if any. A cancelled load has neither a file nor failures.
    pub loaded: Option<Loaded>,
    /// The files that were tried first and failed.
    pub failures: Vec<Failure>,
    /// Sequence number of the load.
    pub number: u64,
}
