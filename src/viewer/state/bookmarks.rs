//! Bookmarks of views, and the last view and panels of each file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::interface::Dialog;
use super::settings::Settings;
use super::{Effect, State, folder};
use crate::view_request::Attachment;
use crate::viewer::docks::{Dock, Panel};
use crate::viewer::view::viewpoint::Viewpoint;
use mapscope_formats::Severity;

/// Maximum number of bookmarks of a file.
pub(crate) const MAX_BOOKMARKS: u8 = 9;
/// Maximum number of files whose views are remembered.
const MAX_FILES: usize = 100;
/// Maximum number of characters of a name.
pub(crate) const MAX_NAME: usize = 60;

/// The remembered views of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileViews {
    /// The file.
    file: PathBuf,
    /// The view when it was closed.
    #[serde(default)]
    last: Option<Viewpoint>,
    /// The panels that were open when it was closed; `None` if that is unknown.
    #[serde(default)]
    panels: Option<Vec<Panel>>,
    /// The models attached to its joints when it was closed.
    #[serde(default)]
    attached: Vec<Attachment>,
    /// Its bookmarks, by number.
    #[serde(default)]
    pub bookmarks: Vec<Bookmark>,
}

/// A view with a number and a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bookmark {
    /// Its number, from 1 to 9.
    pub number: u8,
    /// Its name.
    pub name: String,
    /// Its view.
    pub view: Viewpoint,
}

impl Settings {
    /// The remembered views of a file. If it has none yet, they are added. The file becomes the
    /// first of the list.
    fn views_mut(&mut self, file: &Path) -> Option<&mut FileViews> {
        let file = folder::absolute(file);
        let at = self.views.iter().position(|views| views.file == file);
        let views = match at {
            Some(at) => self.views.remove(at),
            None => FileViews {
                file,
                last: None,
                panels: None,
                attached: Vec::new(),
                bookmarks: Vec::new(),
            },
        };
        self.views.insert(0, views);
        self.views.truncate(MAX_FILES);
        self.views.first_mut()
    }

    fn views_of(&self, file: &Path) -> Option<&FileViews> {
        let file = folder::absolute(file);
        self.views.iter().find(|views| views.file == file)
    }
}

impl State {
    /// The open file, unless it is a demo.
    fn file_with_views(&self) -> Option<PathBuf> {
        let open = self.session.open_file().filter(|open| open.demo.is_none());
        open.map(|open| open.path.clone())
    }

    /// The bookmarks of the open file, by number.
    pub(crate) fn bookmarks(&self) -> &[Bookmark] {
        let views = self.file_with_views();
        let views = views.and_then(|file| self.settings.views_of(&file));
        views.map_or(&[], |views| &views.bookmarks)
    }

    /// `true` if the open file can have bookmarks.
    pub(crate) fn can_have_bookmarks(&self) -> bool {
        self.file_with_views().is_some()
    }

    /// Makes the current view a bookmark with the first free number.
    pub(crate) fn add_bookmark(&mut self) {
        let is_free = |number: &u8| self.bookmarks().iter().all(|it| it.number != *number);
        if let Some(number) = (1..=MAX_BOOKMARKS).find(is_free) {
            self.set_bookmark(number);
            let text = if self.saves_settings {
                format!("Bookmark {number} added")
            } else {
                format!("Bookmark {number} added until the window closes: settings are not saved")
            };
            self.notices.replace_toast("Bookmark", text);
        } else {
            let text = "All nine bookmarks are used";
            self.notices.toast(text, Some(Severity::Warning));
            self.interface.dialog = Some(Dialog::Bookmarks);
        }
    }

    /// Makes the current view the bookmark with a number. The bookmark keeps its name.
    pub(crate) fn set_bookmark(&mut self, number: u8) {
        let Some(document) = self.session.document() else {
            return;
        };
        let view = self.session.view.viewpoint(&**document);
        let selected = self.session.view.shown.selected;
        let mut name = selected.map_or_else(|| format!("View {number}"), |item| item.to_string());
        let Some(bookmarks) = self.bookmarks_mut() else {
            return;
        };
        if bookmarks.iter().any(|other| other.name == name) {
            name = format!("{name} ({number})");
        }
        if let Some(bookmark) = bookmarks.iter_mut().find(|it| it.number == number) {
            bookmark.view = view;
        } else {
            bookmarks.push(Bookmark { number, name, view });
            bookmarks.sort_by_key(|bookmark| bookmark.number);
        }
        self.effects.push(Effect::SaveSettings);
    }

    /// Names the bookmark with a number.
    pub(crate) fn name_bookmark(&mut self, number: u8, name: String) {
        let bookmarks = self.bookmarks_mut();
        let bookmark = bookmarks.and_then(|all| all.iter_mut().find(|it| it.number == number));
        if let Some(bookmark) = bookmark {
            bookmark.name = name;
        }
    }

    /// Removes the bookmark with a number.
    pub(crate) fn remove_bookmark(&mut self, number: u8) {
        if let Some(bookmarks) = self.bookmarks_mut() {
            bookmarks.retain(|bookmark| bookmark.number != number);
        }
    }

    fn bookmarks_mut(&mut self) -> Option<&mut Vec<Bookmark>> {
        let file = self.file_with_views()?;
        Some(&mut self.settings.views_mut(&file)?.bookmarks)
    }

    /// Goes to the bookmark with a number.
    pub(crate) fn go_to_bookmark(&mut self, number: u8) {
        let bookmark = self.bookmarks().iter().find(|it| it.number == number);
        if let Some(Bookmark { view, name, .. }) = bookmark.cloned() {
            self.look_from(&view);
            let text = format!("Bookmark {number}: {name}");
            self.notices.replace_toast("Bookmark", text);
        }
    }

    fn look_from(&mut self, view: &Viewpoint) {
        let document = self.session.document().cloned();
        let Some(document) = document.filter(|document| view.is_of(&**document)) else {
            return;
        };
        self.session.select(view.selected(&*document));
        self.session.show_level(view.level(&*document));
        self.session.view.look_from(&*document, view);
    }

    /// Remembers the view of the open file, which is about to be closed.
    pub(super) fn remember_view(&mut self) {
        self.settings = self.settings_with_view();
    }

    fn store_view(&self, file: &Path, settings: &mut Settings) {
        // The view of a file that was never shown is not known.
        if settings.remembers_views
            && self.session.view.framing.is_none()
            && let Some(document) = self.session.document()
            && let Some(views) = settings.views_mut(file)
        {
            views.last = Some(self.session.view.viewpoint(&**document));
            views.panels = Some(self.chosen_panels().collect());
            let attached = self.session.attached().iter();
            views.attached = attached.map(|it| it.at.clone()).collect();
        }
    }

    /// The settings with the view of the open file.
    pub(super) fn settings_with_view(&self) -> Settings {
        let mut settings = self.settings.clone();
        if let Some(file) = self.file_with_views() {
            self.store_view(&file, &mut settings);
        }
        settings
    }

    /// Restores the view in which a file was closed, and its panels if `has_panels`.
    pub(super) fn restore_view_of(&mut self, file: &Path, has_panels: bool) {
        let views = self.settings.views_of(file);
        let Some(views) = views.filter(|_| self.settings.remembers_views).cloned() else {
            return;
        };
        if let Some(view) = views.last {
            self.look_from(&view);
        }
        if let Some(panels) = views.panels.filter(|_| has_panels) {
            self.restore_panels(&panels);
        }
    }

    /// The models that were attached to joints of the open file when it was closed.
    pub(super) fn kept_attachments(&self) -> Vec<Attachment> {
        let file = self
            .file_with_views()
            .filter(|_| self.settings.remembers_views);
        let views = file.and_then(|file| self.settings.views_of(&file));
        views.map_or_else(Vec::new, |views| views.attached.clone())
    }

    fn restore_panels(&mut self, panels: &[Panel]) {
        for dock in Dock::ALL {
            let panel = panels.iter().copied().find(|panel| panel.dock() == dock);
            let open = self.settings.dock(dock).open;
            // The list of files stays open to open the next one, and problems of this file do, too.
            let opened_itself =
                self.interface.problems_auto_opened && open == Some(Panel::Problems);
            if open != panel && open != Some(Panel::Files) && !(opened_itself && panel.is_none()) {
                self.settings.dock_mut(dock).open = panel;
                self.interface.problems_auto_opened &= dock != Dock::Bottom;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::find;
    use crate::viewer::testing::{document, loaded};
    use glam::Vec3;
    use mapscope_scene::TerrainItem;
    use mapscope_scene::camera::Pose;

    fn at(x: f32) -> Pose {
        Pose {
            eye: Vec3::new(x, 50.0, 20.5),
            target: Vec3::new(x, 0.0, 0.0),
        }
    }

    fn opened(settings: Settings) -> State {
        let mut state = State::new(settings, ViewRequest::default());
        state.loaded(loaded(document(), false));
        state
    }

    #[test]
    fn bookmarks_have_the_first_free_number_and_keep_their_names() {
        let mut state = opened(Settings::default());
        let run = |state: &mut State, id: &str| state.run(find(id).unwrap().action);
        for x in [1.0, 2.0, 3.0] {
            state.saves_settings = x > 1.5;
            state.session.view.camera.pose = at(x);
            let tile = TerrainItem::Tile {
                row: x as u32,
                col: 7,
            };
            state.session.select(Some(tile.into()));
            run(&mut state, "bookmark.add");
            let text = &state.notices.toasts.last().unwrap().text;
            assert_eq!(text.contains("until the window closes"), x < 1.5, "{text}");
        }
        state.remove_bookmark(2);
        state.name_bookmark(3, "gate".to_owned());
        state.session.select(None);
        run(&mut state, "bookmark.add");
        let names: Vec<_> = state
            .bookmarks()
            .iter()
            .map(|it| (it.number, &*it.name))
            .collect();
        assert_eq!(names, [(1, "tile 1 7"), (2, "View 2"), (3, "gate")]);
        run(&mut state, "bookmark.1");
        assert_eq!(state.session.view.camera.pose, at(1.0));
        let tile = TerrainItem::Tile { row: 1, col: 7 };
        assert_eq!(state.session.view.shown.selected, Some(tile.into()));
        state.set_bookmark(3);
        run(&mut state, "bookmark.2");
        assert_eq!(state.session.view.camera.pose, at(3.0));
        assert_eq!(state.session.view.shown.selected, None);
        assert_eq!(state.bookmarks()[2].name, "gate");
        assert!(!state.is_enabled(find("bookmark.4").unwrap().action));
        run(&mut state, "bookmark.4");
        let text = &state.notices.toasts.last().unwrap().text;
        assert_eq!(text, "No bookmark 4");
        let tile = TerrainItem::Tile { row: 1, col: 7 };
        state.session.select(Some(tile.into()));
        run(&mut state, "bookmark.add");
        assert_eq!(state.bookmarks()[3].name, "tile 1 7 (4)");
    }

    #[test]
    fn a_file_opens_with_its_last_view_unless_another_is_requested() {
        let mut state = opened(Settings::default());
        state.session.shape_view(1.5);
        state.session.view.camera.pose = at(4.0);
        let kept = state.settings_to_keep();
        let text = serde_json::to_string(&kept).unwrap();
        let mut settings: Settings = serde_json::from_str(&text).unwrap();
        assert_eq!(opened(settings.clone()).session.view.camera.pose, at(4.0));
        let request = ViewRequest {
            camera: Some(at(9.0)),
            ..ViewRequest::default()
        };
        let mut state = State::new(settings.clone(), request);
        state.loaded(loaded(document(), false));
        assert_eq!(state.session.view.camera.pose, at(9.0));
        settings.remembers_views = false;
        assert_ne!(opened(settings).session.view.camera.pose, at(4.0));
    }

    #[test]
    fn the_number_of_remembered_files_is_limited() {
        let mut settings = Settings::default();
        for number in 0..150 {
            settings.views_mut(Path::new(&format!("/{number}.pfmap")));
        }
        assert_eq!(settings.views.len(), MAX_FILES);
        assert!(settings.views_of(Path::new("/149.pfmap")).is_some());
        assert!(settings.views_of(Path::new("/0.pfmap")).is_none());
    }
}
