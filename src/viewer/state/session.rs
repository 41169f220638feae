//! The open document, and how it is looked at.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::folder;
use super::history::History;
use super::player::{LoopMode, Player};
use super::reload::{OnDisk, Wish};
use super::tools::Tools;
use crate::viewer::docks::Panel;
use crate::viewer::view::{Pointer, View};
use mapscope_formats::printable;
use mapscope_scene::demo::Demo;
use mapscope_scene::{Document, MapChoice, Overlay};

/// An open file.
#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    /// Where it is.
    pub path: PathBuf,
    /// The demo that it is, if it is none of the user's files.
    pub demo: Option<&'static Demo>,
    /// What is in it.
    pub document: Arc<dyn Document>,
    /// Changes with every load, so that who keeps something made from the document knows when
    /// it is stale.
    pub version: u64,
    /// When it began to be read.
    pub read_at: SystemTime,
    /// Which map it stands on, if it is a scene.
    pub map: MapChoice,
    /// The scene beside it, if it is a map.
    pub scene: Option<PathBuf>,
    /// The panels that it has something for.
    pub panels: Vec<Panel>,
}

impl OpenFile {
    /// A file that has just been opened, whose path is only a name if it is a demo.
    pub(crate) fn new(
        path: PathBuf,
        demo: Option<&'static Demo>,
        document: Arc<dyn Document>,
        version: u64,
    ) -> Self {
        let panels = Panel::ALL.iter();
        let panels = panels.filter(|panel| panel.is_offered(&*document));
        Self {
            path,
            demo,
            version,
            read_at: SystemTime::now(),
            map: MapChoice::Beside,
            scene: None,
            panels: panels.copied().collect(),
            document,
        }
    }

    /// Its display name.
    pub(crate) fn name(&self) -> String {
        match self.demo {
            // Its parts are those of a file, which is called so.
            Some(demo) => format!("{} demo ({})", demo.name, self.path.display()),
            None => folder::name(&self.path),
        }
    }
}

/// The open document, and everything that goes with it alone: a second document would have a session of
/// its own.
#[derive(Debug)]
pub(crate) struct Session {
    /// The open file.
    pub open: Option<OpenFile>,
    /// Where it is seen from, and what of it is shown.
    pub view: View,
    /// What is done with it beside looking.
    pub tools: Tools,
    /// State of the pointer.
    pub pointer: Pointer,
    /// What plays; it says which moment is shown.
    pub player: Player,
    /// Whether a file that is opened plays at once: until something is stopped, and again at the next
    /// start.
    pub plays_at_once: bool,
    /// The files that were open before.
    pub history: History,
    /// The open file on disk, while a better version of it is in view.
    pub on_disk: Option<OnDisk>,
    /// Whether the user knows of that.
    pub on_disk_dismissed: bool,
    /// What was looked at before a version of the file came that does not have it.
    pub wish: Option<Wish>,
}

impl Session {
    /// A session in which nothing is open.
    pub(crate) fn new(view: View, is_smooth: bool) -> Self {
        Self {
            open: None,
            view,
            tools: Tools::default(),
            pointer: Pointer::default(),
            player: Player::new(LoopMode::default(), is_smooth),
            plays_at_once: true,
            history: History::default(),
            on_disk: None,
            on_disk_dismissed: false,
            wish: None,
        }
    }

    /// The open file.
    pub(crate) fn open_file(&self) -> Option<&OpenFile> {
        self.open.as_ref()
    }

    /// The open document.
    pub(crate) fn document(&self) -> Option<&Arc<dyn Document>> {
        self.open_file().map(|open| &open.document)
    }

    /// The overlays of the open document.
    pub(crate) fn overlays(&self) -> &'static [Overlay] {
        self.document()
            .map_or(&[], |document| document.about().overlays)
    }

    /// The text of the window's title bar.
    pub(crate) fn title(&self) -> String {
        let name = self.open_file().map(OpenFile::name);
        let level = self.level_name().map(str::to_owned);
        let parts = ["Mapscope".to_owned()].into_iter().chain(name).chain(level);
        printable(&parts.collect::<Vec<_>>().join(" - ")).into_owned()
    }
}
