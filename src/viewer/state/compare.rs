//! What differs between the open file and another one, or the version of it before a reload.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::interface::{Dialog, PathPurpose};
use super::reload::clock;
use super::session::Session;
use super::{Effect, OpenFile, State};
use crate::viewer::docks::Panel;
use mapscope_formats::{Severity, counted};
use mapscope_scene::diff::Diff;
use mapscope_scene::{Aabb, ChangeLines, Document, OpenOptions};

/// Every message about a comparison begins so, and a newer one takes its place.
const COMPARED: &str = "Compared with";

/// What differs between the open file and another.
#[derive(Debug)]
pub struct Changes {
    /// What the open file was compared with, for people.
    pub with: String,
    /// What differs: A is the other file, B the open one.
    pub diff: Diff,
    /// Of each difference that is listed, where what is only in the other is in world space.
    pub(crate) gone: Vec<Option<Aabb>>,
    /// Lines around the differences.
    pub(crate) lines: ChangeLines,
    /// Another number for each comparison.
    pub number: u64,
}

/// What the open file is compared with.
#[derive(Clone)]
pub(crate) enum Other {
    /// A file.
    File(PathBuf),
    /// The version of it that was read before, at a time of day.
    Before(Arc<dyn Document>, String),
}

/// A comparison that is to be made.
#[derive(Clone)]
pub(crate) struct CompareRequest {
    /// What it is compared with.
    pub other: Other,
    /// The document in the open file.
    pub document: Arc<dyn Document>,
    /// How the other file is opened.
    pub options: OpenOptions,
    /// Counts the comparisons that were asked for.
    pub number: u64,
    /// Whether the user waits for it.
    pub is_asked: bool,
}

impl fmt::Debug for CompareRequest {
    /// Without the documents, which are large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = f.debug_struct("CompareRequest");
        lines.field("number", &self.number);
        lines.field("is_asked", &self.is_asked);
        lines.finish_non_exhaustive()
    }
}

impl PartialEq for CompareRequest {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for CompareRequest {}

/// What a comparison gave.
#[derive(Debug)]
pub(crate) struct CompareOutcome {
    /// What was asked.
    pub request: CompareRequest,
    /// What differs, or why nothing was compared.
    pub result: Result<Changes, String>,
}

/// The comparison of the open file with another.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// How many were asked for.
    asked: u64,
    /// The file that it is compared with, again after each reload.
    file: Option<PathBuf>,
    /// What was found.
    pub found: Option<Arc<Changes>>,
    /// Index of the difference that was last gone to.
    pub current: Option<usize>,
}

impl Changes {
    /// How many differences there are of each kind, for people.
    pub fn summary(&self) -> String {
        let groups = self.diff.groups.iter();
        let counts = groups.map(|group| {
            let count = usize::try_from(group.count()).unwrap_or(usize::MAX);
            counted(count, group.what)
        });
        let counts: Vec<String> = counts.collect();
        match (counts.is_empty(), self.is_partial()) {
            (true, false) => "no difference".to_owned(),
            (true, true) => "no difference in what can be read".to_owned(),
            (false, false) => counts.join(", "),
            (false, true) => format!("{} in what can be read", counts.join(", ")),
        }
    }

    /// Whether errors of one of them left out something, which is not compared.
    pub fn is_partial(&self) -> bool {
        self.diff.not_read.iter().any(Option::is_some)
    }
}

impl Session {
    /// Forgets what was compared: another file is open, or none.
    pub(crate) fn forget_comparison(&mut self) {
        let asked = self.tools.comparison.asked + 1;
        self.tools.comparison = Comparison {
            asked,
            ..Comparison::default()
        };
    }

    /// Whether there are differences to go through.
    pub(crate) fn has_changes(&self) -> bool {
        let found = self.tools.comparison.found.as_ref();
        found.is_some_and(|changes| !changes.diff.differences.is_empty())
    }

    /// Goes to the difference after the one that was gone to last, or before it, round at the end.
    pub(crate) fn next_change(&mut self, backwards: bool) {
        let found = self.tools.comparison.found.as_ref();
        let count = found.map_or(0, |changes| changes.diff.differences.len());
        let Some(last) = count.checked_sub(1) else {
            return;
        };
        let next = match (self.tools.comparison.current, backwards) {
            (None, false) => 0,
            (None | Some(0), true) => last,
            (Some(at), true) => at - 1,
            (Some(at), false) if at >= last => 0,
            (Some(at), false) => at + 1,
        };
        self.show_change(next);
    }

    /// Goes to a difference: selects what the open file has, or looks at where the other one has
    /// what this has not.
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
        if let Some(bounds) = changes.gone.get(index).copied().flatten()
            && let Some(open) = &self.open
        {
            self.view.frame_bounds(&*open.document, bounds);
        }
    }
}

impl State {
    /// Compares the open file with another.
    pub(super) fn compare_with(&mut self, path: PathBuf) {
        self.compare(Other::File(path), true);
    }

    /// Compares a version that was read again with the file that the one before was compared with,
    /// or else with that version.
    pub(super) fn compare_reloaded(&mut self, before: &OpenFile) {
        let other = match &self.session.tools.comparison.file {
            Some(file) => Other::File(file.clone()),
            None => Other::Before(Arc::clone(&before.document), clock(before.read_at)),
        };
        self.compare(other, false);
    }

    fn compare(&mut self, other: Other, is_asked: bool) {
        let Some(document) = self.session.document().cloned() else {
            return;
        };
        self.session.tools.comparison.asked += 1;
        self.effects.push(Effect::Compare(CompareRequest {
            other,
            document,
            options: self.open_options(),
            number: self.session.tools.comparison.asked,
            is_asked,
        }));
    }

    /// Takes in what a comparison gave, unless another was asked for since.
    pub(crate) fn compared(&mut self, outcome: CompareOutcome) {
        let CompareOutcome { request, result } = outcome;
        if request.number != self.session.tools.comparison.asked {
            return;
        }
        match result {
            Ok(changes) => {
                // A reload for a texture has changed nothing of the file.
                if request.is_asked || changes.diff.count() > 0 {
                    let text = format!("{COMPARED} {}: {}", changes.with, changes.summary());
                    self.notices.replace_toast(COMPARED, text);
                }
                self.session.tools.comparison.current = None;
                self.session.tools.comparison.found = Some(Arc::new(changes));
                if request.is_asked {
                    if let Other::File(path) = request.other {
                        self.session.tools.comparison.file = Some(path);
                    }
                    if self.asks_what_to_compare().is_some() {
                        self.interface.dialog = None;
                    }
                    self.show_panel(Panel::Changes);
                }
            }
            Err(message) => {
                // What stood before stands as long as it is about this version of the file.
                if !request.is_asked {
                    self.session.tools.comparison.found = None;
                }
                match self.asks_what_to_compare() {
                    Some(why) if request.is_asked => *why = Some(message),
                    _ => self.notices.toast(message, Some(Severity::Error)),
                }
            }
        }
    }

    /// Why the last path was of no use, of the dialog that asks for one to compare with; none if that
    /// is not open.
    fn asks_what_to_compare(&mut self) -> Option<&mut Option<String>> {
        match &mut self.interface.dialog {
            Some(Dialog::Path {
                purpose: PathPurpose::Compare,
                why_not,
                ..
            }) => Some(why_not),
            _ => None,
        }
    }

    /// Draws lines around the differences while they are listed.
    pub(crate) fn follow_changes(&mut self) {
        let found = self.session.tools.comparison.found.as_ref();
        let listed = found.filter(|_| self.is_panel_open(Panel::Changes));
        let lines = listed.map_or_else(ChangeLines::default, |changes| changes.lines.clone());
        // What is shown is another revision once it was written to.
        if self.session.view.shown.changes != lines {
            self.session.view.shown.changes = lines;
        }
    }

    /// Lists what has changed.
    pub(crate) fn show_changes(&mut self) {
        self.show_panel(Panel::Changes);
    }
}

#[cfg(test)]
mod tests;
