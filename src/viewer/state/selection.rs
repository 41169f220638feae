//! The selection, and moving it to other items.

use std::path::PathBuf;

use super::State;
use super::session::Session;
use mapscope_scene::{Direction, Item, LevelItem, ModelItem, Moment, ProblemTarget, SceneItem};

/// `true` for a joint of a model, also of an entity's.
pub(crate) fn is_joint(item: Item) -> bool {
    let joint = |part: ModelItem| matches!(part, ModelItem::Joint { .. });
    matches!(item, Item::Model(part) | Item::Scene(SceneItem::Part { part, .. }) if joint(part))
}

impl Session {
    /// The file that the selection refers to, if any.
    pub(crate) fn file_of_selection(&self) -> Option<PathBuf> {
        let selected = self.view.shown.selected?;
        self.document()?.file_of(selected)
    }

    /// The neighbour of the selection. Without a selection, the first tile of a walk over tiles.
    pub(crate) fn neighbor(&self, direction: Direction) -> Option<Item> {
        match self.view.shown.selected {
            Some(item) => self.document()?.neighbor(item, direction).item,
            None => self.has_tiles().then(|| self.first_tile())?,
        }
    }

    /// Sets or clears the selection.
    pub(crate) fn select(&mut self, item: Option<Item>) {
        self.view.shown.selected = item;
        self.view.shown.also_selected.clear();
        self.view.shown.highlighted = None;
        let Some(item) = item else {
            return;
        };
        self.show_level_of(item);
        if self.is_kind(item) {
            self.tools.stepping = Some(item);
        }
        self.choose_clip_of(item);
    }

    /// Adds a joint to the selection, or removes it. Other items are selected alone.
    pub(crate) fn also_select(&mut self, item: Item) {
        let Some(selected) = self
            .view
            .shown
            .selected
            .filter(|it| is_joint(*it) && is_joint(item))
        else {
            self.select(Some(item));
            return;
        };
        let others = &mut self.view.shown.also_selected;
        let count = others.len();
        others.retain(|other| *other != item);
        if item == selected {
            let next = (count > 0).then(|| others.remove(0));
            self.view.shown.selected = next;
        } else if others.len() == count {
            others.push(item);
        }
    }

    /// `true` if an item is a kind whose members can be stepped through.
    fn is_kind(&self, item: Item) -> bool {
        self.document().is_some_and(|document| {
            document.about().kinds.iter().any(|kind| kind.item == item)
                || document.next_of_kind(item, None, false).is_some()
        })
    }

    /// The kind of the selection, or the selection itself if it is a kind.
    pub(crate) fn kind_of_selection(&self) -> Option<Item> {
        let Some(selected) = self.view.shown.selected else {
            return self.tools.stepping;
        };
        if self.is_kind(selected) {
            return Some(selected);
        }
        // The properties of an item link to its kinds. The current kind is preferred.
        let groups = self
            .document()?
            .properties(selected, self.view.shown.playhead);
        let mut links = groups
            .iter()
            .flat_map(|group| &group.properties)
            .filter_map(|property| property.link);
        if let Some(stepping) = self.tools.stepping
            && links.clone().any(|link| link == stepping)
        {
            return self.tools.stepping;
        }
        links
            .find(|link| self.is_kind(*link))
            .or(self.tools.stepping)
    }

    /// `true` if the document has tiles to walk over.
    fn has_tiles(&self) -> bool {
        let about = self.document().map(|document| document.about());
        self.is_map() || about.is_some_and(|about| !about.kinds.is_empty())
    }

    /// The first tile of a walk: the one in the middle of the view, or else the first tile of the
    /// document.
    fn first_tile(&self) -> Option<Item> {
        let document = self.document()?;
        self.view.item_at_center(&**document).or_else(|| {
            document
                .about()
                .kinds
                .iter()
                .find_map(|kind| document.next_of_kind(kind.item, None, false))
        })
    }

    /// Clears the selection and the kind to step through.
    pub(crate) fn deselect(&mut self) {
        self.select(None);
        self.tools.stepping = None;
    }

    /// `true` if an item is a camera to look through.
    pub(crate) fn is_camera(&self, item: Item) -> bool {
        self.document()
            .is_some_and(|document| document.camera_of(item).is_some())
    }
}

impl State {
    pub(crate) fn next_of_kind(&mut self, kind: Item, backwards: bool) {
        let after = self
            .session
            .view
            .shown
            .selected
            .filter(|item| *item != kind);
        let next = self
            .session
            .document()
            .and_then(|document| document.next_of_kind(kind, after, backwards));
        match next {
            Some(next) => {
                self.session.select(Some(next));
                self.session.tools.stepping = Some(kind);
                self.session.view.shown.highlighted = Some(kind);
                if matches!(kind, Item::Model(ModelItem::Flaw { .. })) {
                    // A back-facing triangle may be in view, but invisible.
                    self.session.frame(next);
                } else {
                    self.session.keep_in_view();
                }
            }
            None => self.notices.toast("No other item of this kind", None),
        }
    }

    pub(crate) fn show_problem(&mut self, target: Option<ProblemTarget>) {
        let Some(ProblemTarget {
            item,
            moment,
            overlay,
        }) = target
        else {
            let text = "This problem has no location in the view";
            self.notices.toast(text, None);
            self.session.select(None);
            return;
        };
        self.session.select(Some(item));
        match moment {
            Some(Moment::Frame(frame)) => self.session.go_to_frame(frame.into()),
            Some(Moment::BindPose) => self.session.choose_clip(None),
            None => {}
        }
        if let Some(overlay) = overlay {
            self.switch_on_for_problem(overlay);
        }
        self.session.frame(item);
    }

    /// Visits an item like a double click in a list: looks through a camera, opens a model
    /// file or a file of an archive, and frames everything else.
    pub(crate) fn visit(&mut self, item: Item) {
        let file = match item {
            Item::Scene(SceneItem::Model { .. })
            | Item::Model(ModelItem::Lod { .. })
            | Item::Level(LevelItem::ArchiveFile { .. })
            | Item::Archive(_) => self
                .session
                .document()
                .and_then(|document| document.file_of(item)),
            _ => None,
        };
        if self.session.is_camera(item) {
            self.session.look_through(item);
        } else if let Some(file) = file {
            self.open_paths(&[file]);
        } else {
            self.session.frame(item);
        }
    }
}
