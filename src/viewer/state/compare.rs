//! Compares the open file with another one, or with its version before a reload.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::find::next_in_order;
use super::interface::{Dialog, PathPurpose};
use super::reload::clock;
use super::session::Session;
use super::{Effect, OpenFile, State};
use crate::viewer::docks::Panel;
use mapscope_formats::{Severity, counted};
use mapscope_scene::diff::Diff;
use mapscope_scene::{Aabb, ChangeLines, Document, OpenOptions};

/// Prefix of messages about comparisons. A newer message replaces older ones.
const MESSAGE_PREFIX: &str = "Compared with";

/// The differences between the open file and another one.
#[derive(Debug)]
pub struct Changes {
    /// Display name of the other file.
    pub with: String,
    /// The other file, for the second view.
    pub(crate) other: Option<Arc<dyn Document>>,
    /// The differences: A is the other file, B the open one.
    pub diff: Diff,
    /// For each listed difference, the bounds in world space of an item that only the other file
    /// has.
    pub(crate) removed_bounds: Vec<Option<Aabb>>,
    /// Lines around the differences, in the open file.
    pub(crate) lines: ChangeLines,
    /// The same in the other file.
    pub(crate) other_lines: ChangeLines,
    /// Unique number of the comparison.
    pub number: u64,
}

/// The other side of a comparison.
#[derive(Clone)]
pub(crate) enum Other {
    /// A file.
    File(PathBuf),
    /// The version before a reload, with the time at which it was read.
    Before(Arc<dyn Document>, String),
}

/// A requested comparison.
#[derive(Clone)]
pub(crate) struct CompareRequest {
    /// The other side of the comparison.
    pub other: Other,
    /// The open document.
    pub document: Arc<dyn Document>,
    /// Options for opening the other file.
    pub options: OpenOptions,
    /// Sequence number of the request.
    pub number: u64,
    /// `true` if the user requested it; `false` for an automatic comparison after a reload.
    pub is_manual: bool,
    /// `true` to keep the other document for the second view.
    pub keeps_other: bool,
}

impl fmt::Debug for CompareRequest {
    /// Omits the documents, which are large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = f.debug_struct("CompareRequest");
        lines.field("number", &self.number);
        lines.field("is_manual", &self.is_manual);
        lines.finish_non_exhaustive()
    }
}

impl PartialEq for CompareRequest {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for CompareRequest {}

/// The outcome of a comparison.
#[derive(Debug)]
pub(crate) struct CompareOutcome {
    /// The request.
    pub request: CompareRequest,
    /// The differences, or an error message.
    pub result: Result<Changes, String>,
}

/// The comparison of the open file with another.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// Number of requests so far.
    requested: u64,
    /// The other file, if any. The comparison is repeated after each reload.
    pub file: Option<PathBuf>,
    /// `true` if it is with the kept version.
    pub(super) is_with_kept: bool,
    /// The latest result, if any.
    pub found: Option<Arc<Changes>>,
    /// Index of the difference that was visited last, if any.
    pub current: Option<usize>,
    /// The order in which differences follow each other, if it is not that of the file.
    pub order: Option<Vec<usize>>,
}

impl Changes {
    /// Display text with the number of differences of each kind.
    pub fn summary(&self) -> String {
        let counts: Vec<String> = self
            .diff
            .groups
            .iter()
            .map(|group| {
                let count = usize::try_from(group.count()).unwrap_or(usize::MAX);
                counted(count, group.what)
            })
            .collect();
        match (counts.is_empty(), self.is_partial()) {
            (true, false) => "no difference".to_owned(),
            (true, true) => "no difference in the readable parts".to_owned(),
            (false, false) => counts.join(", "),
            (false, true) => format!("{} in the readable parts", counts.join(", ")),
        }
    }

    /// `true` if one of the files could not be read completely. Unread parts are not compared.
    pub fn is_partial(&self) -> bool {
        self.diff.not_read.iter().any(Option::is_some)
    }
}

impl Session {
    /// Discards the comparison, because another file is open, or no file.
    pub(crate) fn forget_comparison(&mut self) {
        let requested = self.tools.comparison.requested + 1;
        self.tools.comparison = Comparison {
            requested,
            ..Comparison::default()
        };
    }

    /// `true` if there are differences to step through.
    pub(crate) fn has_changes(&self) -> bool {
        let found = self.tools.comparison.found.as_ref();
        found.is_some_and(|changes| !changes.diff.differences.is_empty())
    }

    /// Goes to the next or the previous difference, cyclically.
    pub(crate) fn next_change(&mut self, backwards: bool) {
        let found = self.tools.comparison.found.as_ref();
        let count = found.map_or(0, |changes| changes.diff.differences.len());
        let comparison = &self.tools.comparison;
        let order = comparison.order.as_deref();
        if let Some(next) = next_in_order(comparison.current, count, order, backwards) {
            self.show_change(next);
        }
    }

    /// Goes to a difference: selects an item of the open file, or frames the place of an item that
    /// is missing in it.
    pub(crate) fn show_change(&mut self, index: usize) {
        let Some(changes) = self.tools.comparison.found.clone() else {
            return;
        };
        let Some(difference) = changes.diff.differences.get(index) else {
            return;
        };
        self.tools.comparison.current = Some(index);
        if let Some(item) = difference.items[1].filter(|_| difference.is_in[1]) {
            self.select(Some(item));
            self.frame(item);
            return;
        }
        self.select(None);
        if let Some(bounds) = changes.removed_bounds.get(index).copied().flatten()
            && let Some(open) = &self.open
        {
            self.view.frame_bounds(&*open.document, bounds);
        }
    }
}

impl State {
    /// Compares the open file with another one.
    pub(super) fn compare_with(&mut self, path: PathBuf) {
        self.compare(Other::File(path), true);
    }

    /// Compares a reloaded file with the previously compared file, or else with the version before.
    pub(super) fn compare_reloaded(&mut self, before: &OpenFile) {
        let comparison = &self.session.tools.comparison;
        let kept = self
            .session
            .kept
            .as_ref()
            .filter(|_| comparison.is_with_kept);
        let other = match (&comparison.file, kept) {
            (Some(file), _) => Other::File(file.clone()),
            (None, Some(kept)) => kept.other(),
            _ => Other::Before(Arc::clone(&before.document), clock(before.read_at)),
        };
        self.compare(other, false);
    }

    pub(super) fn compare(&mut self, other: Other, is_manual: bool) {
        let Some(document) = self.session.document().cloned() else {
            return;
        };
        self.session.tools.comparison.requested += 1;
        self.effects.push(Effect::Compare(CompareRequest {
            other,
            document,
            options: self.open_options(),
            number: self.session.tools.comparison.requested,
            is_manual,
            keeps_other: is_manual || self.shows_compared(),
        }));
    }

    /// Applies the outcome of a comparison, unless a newer one was requested.
    pub(crate) fn compared(&mut self, outcome: CompareOutcome) {
        let CompareOutcome { request, result } = outcome;
        if request.number != self.session.tools.comparison.requested {
            return;
        }
        match result {
            Ok(changes) => {
                // A reload because of a texture leaves the file unchanged.
                if request.is_manual || changes.diff.count() > 0 {
                    let text = format!("{MESSAGE_PREFIX} {}: {}", changes.with, changes.summary());
                    self.notices.replace_toast(MESSAGE_PREFIX, text);
                }
                let comparison = &mut self.session.tools.comparison;
                (comparison.current, comparison.order) = (None, None);
                self.session.tools.comparison.found = Some(Arc::new(changes));
                if request.is_manual {
                    let comparison = &mut self.session.tools.comparison;
                    (comparison.file, comparison.is_with_kept) = match request.other {
                        Other::File(path) => (Some(path), false),
                        Other::Before(..) => (None, true),
                    };
                    self.effects.push(Effect::Watch);
                    if self.compare_dialog_error().is_some() {
                        self.interface.dialog = None;
                    }
                    self.show_panel(Panel::Changes);
                }
                if request.is_manual || self.shows_compared() {
                    self.split_view(false);
                }
            }
            Err(message) => {
                // The previous result stays valid for the same version of the file.
                if !request.is_manual {
                    self.session.tools.comparison.found = None;
                }
                match self.compare_dialog_error() {
                    Some(why) if request.is_manual => *why = Some(message),
                    _ => self.notices.toast(message, Some(Severity::Error)),
                }
            }
        }
    }

    /// The error field of the open comparison dialog; `None` if that dialog is closed.
    fn compare_dialog_error(&mut self) -> Option<&mut Option<String>> {
        match &mut self.interface.dialog {
            Some(Dialog::Path {
                purpose: PathPurpose::Compare,
                why_not,
                ..
            }) => Some(why_not),
            _ => None,
        }
    }

    /// Draws lines around the differences, or around the matches of a search, while their panel is
    /// open.
    pub(crate) fn follow_panel(&mut self) {
        let found = self.session.tools.comparison.found.as_ref();
        let listed = found.filter(|_| self.is_panel_open(Panel::Changes));
        let lines = listed
            .map(|changes| &changes.lines)
            .or_else(|| self.lines_around_matches())
            .map_or_else(ChangeLines::default, Clone::clone);
        // Writing to `shown` marks it as changed.
        if self.session.view.shown.changes != lines {
            self.session.view.shown.changes = lines;
        }
    }

    /// Shows the changes panel.
    pub(crate) fn show_changes(&mut self) {
        self.show_panel(Panel::Changes);
    }
}

#[cfg(test)]
mod tests;
