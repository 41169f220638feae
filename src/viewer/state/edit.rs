//! The places of files that can be opened in the user's editor.

use std::path::PathBuf;

use super::session::Session;
use super::{Effect, State};
use mapscope_formats::{Place, Severity};
use mapscope_scene::Item;

/// A place of a file to open in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditTarget {
    /// The place where an item is stored.
    Item(Item),
    /// A place in the file that stores an item.
    Within(Item, Place),
    /// A place in the open file.
    Place(Place),
    /// Another file, and a place in it.
    File(PathBuf, Option<Place>),
}

impl Session {
    /// The path of the open file. `None` for a demo, whose path is only a name.
    pub(crate) fn path_on_disk(&self) -> Option<&PathBuf> {
        let open = self.open_file().filter(|open| open.demo.is_none());
        open.map(|open| &open.path)
    }

    /// The file that stores an item: the open one or another of its files.
    fn file_with(&self, item: Item) -> Option<PathBuf> {
        let open = self.path_on_disk()?;
        let source = self.document()?.source_of(item);
        Some(source.unwrap_or_else(|| open.clone()))
    }
}

impl State {
    /// The reason why no place can be opened in the editor, if a file is open.
    pub(crate) fn why_no_editing(&self) -> Option<String> {
        let open = self.session.open_file()?;
        open.demo.map(|_| WHY_NO_DEMO.to_owned())
    }

    /// Opens the place of the selection in the editor, or else the open file.
    pub(crate) fn edit_selection(&mut self) {
        match self.session.view.shown.selected {
            Some(item) => self.edit(EditTarget::Item(item)),
            None => {
                if let Some(path) = self.session.path_on_disk().cloned() {
                    self.edit(EditTarget::File(path, None));
                }
            }
        }
    }

    /// Shows the file of an item in the file manager: the file behind it, or the one that stores it.
    pub(crate) fn show_in_folder(&mut self, item: Item) {
        let behind = self.session.document().and_then(|it| it.file_of(item));
        let file = behind.or_else(|| self.session.file_with(item));
        self.effects.extend(file.map(Effect::ShowInFolder));
    }

    /// Opens a place in the editor.
    pub(crate) fn edit(&mut self, target: EditTarget) {
        let session = &self.session;
        let found = match target {
            EditTarget::Item(item) => {
                let place = session.document().and_then(|it| it.place_in_file(item));
                session.file_with(item).map(|file| (file, place))
            }
            EditTarget::Within(item, place) => {
                session.file_with(item).map(|file| (file, Some(place)))
            }
            EditTarget::Place(place) => session
                .path_on_disk()
                .map(|path| (path.clone(), Some(place))),
            EditTarget::File(path, place) => Some((path, place)),
        };
        match found {
            Some((file, place)) => self.effects.push(Effect::Edit(file, place)),
            None => self.notices.toast(WHY_NO_DEMO, Some(Severity::Warning)),
        }
    }
}

/// The reason why a demo cannot be opened in the editor.
pub(crate) const WHY_NO_DEMO: &str = "A demo is part of the program and has no file";
