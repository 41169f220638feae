//! What is loaded, why, and how it ended.

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

/// What is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The first of these files, and of those below these folders, that can be opened; the rest is
    /// kept for going on.
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
    /// It is to be opened because it belongs to the open file: the scene of a map, or the map of a
    /// scene.
    Counterpart,
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
    /// Which map a scene is to stand on; the usual one is that which was chosen for it before, if
    /// one was.
    pub map: MapChoice,
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

/// How the message of a file begins that the system does not let be read.
pub(crate) const UNREADABLE: &str = "It cannot be read: ";

impl Failure {
    /// A file that was not opened for a reason that is no place in it.
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
    /// The file.
    pub path: PathBuf,
    /// The demo that it is, if it is none of the user's files.
    pub demo: Option<&'static Demo>,
    /// What is in it.
    pub document: Arc<dyn Document>,
    /// The files that it was opened together with, itself among them.
    pub files: FileList,
    /// Which map it stands on, if it is a scene.
    pub map: MapChoice,
    /// The scene beside it, if it is a map.
    pub scene: Option<PathBuf>,
    /// When it began to be read.
    pub read_at: SystemTime,
    /// The maps that it may stand on, if it is a scene without one of which nobody has said so.
    pub maps: Vec<MapFile>,
}

impl Loaded {
    /// A document by itself.
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
