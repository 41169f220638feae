//! The open document and its view.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::attach::AttachedModel;
use super::history::History;
use super::player::{LoopMode, Player};
use super::reload::{LostSelection, OnDisk};
use super::split::KeptVersion;
use super::tools::Tools;
use crate::file_names;
use crate::viewer::docks::Panel;
use crate::viewer::view::{Pointer, View};
use mapscope_formats::printable;
use mapscope_scene::demo::Demo;
use mapscope_scene::{Document, MapChoice, Overlay};

/// An open file.
#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    /// Its path.
    pub path: PathBuf,
    /// The demo, if it is one.
    pub demo: Option<&'static Demo>,
    /// Its document, with the attached models.
    pub document: Arc<dyn Document>,
    /// Its document without attached models.
    pub host: Arc<dyn Document>,
    /// The models attached to its joints.
    pub attached: Vec<AttachedModel>,
    /// Bumped on every load; a cache key for anything derived from the document.
    pub version: u64,
    /// Time at which reading began.
    pub read_at: SystemTime,
    /// The map choice, if it is a scene.
    pub map: MapChoice,
    /// The scene beside it, if it is a map.
    pub scene: Option<PathBuf>,
    /// The panels for which it has content.
    pub panels: Vec<Panel>,
}

impl OpenFile {
    /// Creates an open file. The path of a demo is only a name.
    pub(crate) fn new(
        path: PathBuf,
        demo: Option<&'static Demo>,
        document: Arc<dyn Document>,
        version: u64,
    ) -> Self {
        let panels = Panel::ALL
            .iter()
            .filter(|panel| panel.is_offered(&*document));
        Self {
            path,
            demo,
            version,
            read_at: SystemTime::now(),
            map: MapChoice::Beside,
            scene: None,
            panels: panels.copied().collect(),
            host: Arc::clone(&document),
            attached: Vec::new(),
            document,
        }
    }

    /// Its display name.
    pub(crate) fn name(&self) -> String {
        match self.demo {
            // The parts of a demo belong to a named file.
            Some(demo) => format!("{} demo ({})", demo.name, self.path.display()),
            None => file_names::name_inside(&self.path),
        }
    }
}

/// The open document and everything that belongs to it alone. A second document would have its own
/// session.
#[derive(Debug)]
pub(crate) struct Session {
    /// The open file, if any.
    pub open: Option<OpenFile>,
    /// The camera and the shown content.
    pub view: View,
    /// The tools, such as the measuring tool.
    pub tools: Tools,
    /// State of the pointer.
    pub pointer: Pointer,
    /// The player, which determines the playhead.
    pub player: Player,
    /// `true` if an opened file starts playing. Pausing playback resets this until the next start.
    pub plays_at_once: bool,
    /// The previously opened files.
    pub history: History,
    /// The state of the file on disk, while a better version is visible.
    pub on_disk: Option<OnDisk>,
    /// `true` if the user dismissed the banner about it.
    pub on_disk_dismissed: bool,
    /// The version at opening once the file was read again, or a pinned one.
    pub kept: Option<KeptVersion>,
    /// State that a reload removed and a later version may restore.
    pub lost_selection: Option<LostSelection>,
}

impl Session {
    /// Creates a session without an open file.
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
            kept: None,
            lost_selection: None,
        }
    }

    /// The open file, if any.
    pub(crate) fn open_file(&self) -> Option<&OpenFile> {
        self.open.as_ref()
    }

    /// The open document, if any.
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
