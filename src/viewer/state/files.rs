//! The open file and its playlist.

use std::path::Path;

use super::load::{Cause, Failure, Target};
use super::playlist::{FileList, Playlist};
use super::{Effect, State, folder};
use crate::viewer::docks::Panel;
use mapscope_formats::Severity;
use mapscope_scene::{Item, system_reason};

impl State {
    /// Replaces the playlist by the files that were opened together. A single file moves to its
    /// place in the current list, or else closes that.
    pub(super) fn update_playlist(&mut self, files: FileList, open: &Path) {
        if files.files.len() > 1 {
            let list = Playlist::new(self.versions, files, open);
            if list.is_of_folder() {
                self.show_files_of_folder();
            }
            self.playlist = Some(list);
            return;
        }
        let _gone = self.playlist.take_if(|list| !list.go_to(open));
        let before = self.panel_replaced_by_files();
        if let Some(before) = before.filter(|_| self.playlist.is_none()) {
            self.show_panel(before);
        }
    }

    /// Lists the folder of the open file, unless there is a playlist.
    pub(crate) fn list_neighbors(&mut self) {
        let open = self
            .session
            .open
            .as_ref()
            .filter(|open| open.demo.is_none());
        let Some(open) = open.filter(|_| self.playlist.is_none()) else {
            return;
        };
        let Some(folder) = open.path.parent() else {
            return;
        };
        // Listing one folder is fast enough for this thread.
        let files = FileList::beside(folder).unwrap_or_else(|error| {
            let reason = system_reason(&error, "folder");
            let text = format!("{} cannot be read: {reason}", folder.display());
            self.notices.toast(text, Some(Severity::Error));
            FileList::default()
        });
        self.playlist = Some(Playlist::new(self.versions, files, &open.path));
    }

    /// Requests a rescan of the playlist's folders.
    pub(crate) fn rescan_playlist(&mut self) {
        let list = self.playlist.as_mut();
        let origin = list.and_then(|list| Some((list.number(), list.start_rescan()?)));
        if let Some((number, origin)) = origin {
            self.effects.push(Effect::List(number, origin));
        }
    }

    /// Applies the result of a rescan to the playlist with a number. Returns `true` if its files
    /// have changed.
    pub(crate) fn relist(&mut self, number: u64, files: FileList) -> bool {
        let list = self.playlist.as_mut();
        list.filter(|list| list.number() == number)
            .is_some_and(|list| list.relist(files))
    }

    /// Opens the next or the previous file of the playlist. The filter applies while the files
    /// panel is open.
    pub(crate) fn open_neighbor(&mut self, backwards: bool) {
        self.list_neighbors();
        let is_filtered = self.is_panel_open(Panel::Files);
        let playlist = self.playlist.as_mut();
        let next = playlist.and_then(|list| list.step(backwards, is_filtered));
        if let Some(path) = next.map(Path::to_owned) {
            self.load(Target::Paths(vec![path]), Cause::Neighbor);
            return;
        }
        let list = self.playlist.as_ref().filter(|_| is_filtered);
        let text = match list.and_then(Playlist::filter) {
            Some(filter) => format!("No other file matches `{filter}`"),
            None => "No other supported file in this folder".to_owned(),
        };
        self.notices.toast(text, None);
    }

    /// Opens a file of the playlist.
    pub(crate) fn open_listed(&mut self, index: usize) {
        let list = self.playlist.as_mut();
        if let Some(path) = list.and_then(|list| list.choose(index)).map(Path::to_owned) {
            self.load(Target::Paths(vec![path]), Cause::Neighbor);
        }
    }

    /// Opens the file of an item, such as the model of an entity, with its current clip.
    pub(crate) fn open_file_of(&mut self, item: Item) {
        let document = self.session.document();
        let Some((document, file)) = document.and_then(|it| Some((it, it.file_of(item)?))) else {
            return;
        };
        let file = folder::absolute(&file);
        let animation = document.animation();
        let clip = animation
            .and_then(|it| it.own_clip(item, self.session.view.shown.playhead))
            .map(|clip| (file.clone(), clip.name.to_owned()));
        self.open_paths(&[file]);
        self.first_clip = clip;
    }

    /// Marks the failed files in the playlist.
    pub(crate) fn mark_failed(&mut self, failures: &[Failure]) {
        if let Some(list) = &mut self.playlist {
            for failure in failures {
                list.mark_failed(&failure.path, &failure.message);
            }
        }
    }

    /// Shows a panel in place of the open one in its dock.
    pub(crate) fn show_panel(&mut self, panel: Panel) {
        let dock = panel.dock();
        if dock == Panel::Files.dock() {
            self.interface.panel_replaced_by_files = None;
        }
        self.settings.dock_mut(dock).open = Some(panel);
    }

    /// Shows the files of an opened folder, if the dock has an open panel.
    fn show_files_of_folder(&mut self) {
        let open = self.settings.dock(Panel::Files.dock()).open;
        if let Some(before) = open.filter(|open| *open != Panel::Files) {
            self.show_panel(Panel::Files);
            self.interface.panel_replaced_by_files = Some(before);
        }
    }

    /// The panel that the files panel replaced automatically, if that is still open.
    pub(super) fn panel_replaced_by_files(&self) -> Option<Panel> {
        let is_open = self.settings.dock(Panel::Files.dock()).open == Some(Panel::Files);
        self.interface.panel_replaced_by_files.filter(|_| is_open)
    }
}
