//! Finds items of the open document by their fields.

use std::fmt;
use std::sync::Arc;

use super::session::Session;
use super::{Effect, State};
use crate::viewer::docks::Panel;
use mapscope_scene::{ChangeLines, Document, Found, Playhead};

/// The items that match a query.
#[derive(Debug)]
pub struct Matches {
    /// The query.
    pub query: String,
    /// The items.
    pub found: Found,
    /// Lines around them.
    pub(crate) lines: ChangeLines,
    /// Unique number of the search.
    pub number: u64,
}

/// A requested search.
#[derive(Clone)]
pub(crate) struct FindRequest {
    /// The open document.
    pub document: Arc<dyn Document>,
    /// The query.
    pub query: String,
    /// The moment at which fields are compared.
    pub playhead: Playhead,
    /// Sequence number of the request.
    pub number: u64,
}

impl fmt::Debug for FindRequest {
    /// Omits the document, which is large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = f.debug_struct("FindRequest");
        lines.field("query", &self.query);
        lines.field("number", &self.number);
        lines.finish_non_exhaustive()
    }
}

impl PartialEq for FindRequest {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for FindRequest {}

/// The outcome of a search.
#[derive(Debug)]
pub(crate) struct FindOutcome {
    /// Sequence number of the request.
    pub number: u64,
    /// The matches, or an error message.
    pub result: Result<Matches, String>,
}

/// The search in the open document.
#[derive(Debug, Default)]
pub struct Finding {
    /// The query; empty without a search.
    pub query: String,
    /// Number of requests so far.
    requested: u64,
    /// `true` until the outcome of the last search is known.
    pub is_running: bool,
    /// `true` if the query changed while a search was running.
    is_outdated: bool,
    /// The latest matches, or an error message, if any.
    pub result: Option<Result<Arc<Matches>, String>>,
    /// Index of the match that was visited last, if any.
    pub current: Option<usize>,
    /// The order in which matches follow each other, if it is not that of the file.
    pub order: Option<Vec<usize>>,
}

impl Finding {
    /// The matches.
    pub(crate) fn matches(&self) -> Option<&Arc<Matches>> {
        self.result.as_ref()?.as_ref().ok()
    }
}

impl Session {
    /// Goes to a match, by its index.
    pub(crate) fn show_match(&mut self, index: usize) {
        let Some(matches) = self.tools.finding.matches() else {
            return;
        };
        if let Some(found) = matches.found.items.get(index) {
            let item = found.item;
            self.tools.finding.current = Some(index);
            self.select(Some(item));
            self.frame(item);
        }
    }

    /// Goes to the next or the previous match, cyclically.
    pub(crate) fn next_match(&mut self, backwards: bool) {
        let finding = &self.tools.finding;
        let count = finding.matches().map_or(0, |it| it.found.items.len());
        let order = finding.order.as_deref();
        if let Some(next) = next_in_order(finding.current, count, order, backwards) {
            self.show_match(next);
        }
    }
}

/// Returns the row after or before the current one of `count` rows, cyclically. `order` is that of
/// the list, if it is not that of the file.
pub(super) fn next_in_order(
    current: Option<usize>,
    count: usize,
    order: Option<&[usize]>,
    backwards: bool,
) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let at = current.map(|current| {
        let place = order.and_then(|order| order.iter().position(|it| *it == current));
        place.unwrap_or(current)
    });
    let next = match (at, backwards) {
        (None, false) => 0,
        (None, true) => last,
        (Some(at), true) => (at + last) % count,
        (Some(at), false) => (at + 1) % count,
    };
    order.map_or(Some(next), |order| order.get(next).copied())
}

impl State {
    /// Searches the open document. An empty query ends the search.
    pub(crate) fn find(&mut self, query: String) {
        let finding = &mut self.session.tools.finding;
        if query.trim().is_empty() {
            let requested = finding.requested + 1;
            *finding = Finding {
                requested,
                ..Finding::default()
            };
            return;
        }
        finding.query = query;
        self.find_again();
    }

    /// Searches for the same query, because the document or the query changed. Only one search runs
    /// at a time.
    pub(super) fn find_again(&mut self) {
        let playhead = self.session.view.shown.playhead;
        let document = self.session.document().cloned();
        let finding = &mut self.session.tools.finding;
        finding.is_outdated = finding.is_running;
        if let Some(document) = document
            && !finding.is_running
            && !finding.query.is_empty()
        {
            finding.requested += 1;
            finding.is_running = true;
            self.effects.push(Effect::Find(FindRequest {
                document,
                query: finding.query.clone(),
                playhead,
                number: finding.requested,
            }));
        }
    }

    /// Applies the outcome of a search, unless the search has ended.
    pub(crate) fn found(&mut self, outcome: FindOutcome) {
        let finding = &mut self.session.tools.finding;
        if outcome.number != finding.requested {
            return;
        }
        finding.is_running = false;
        if finding.is_outdated {
            self.find_again();
            return;
        }
        (finding.current, finding.order) = (None, None);
        finding.result = Some(outcome.result.map(Arc::new));
    }

    /// Ends the search, because another file is open.
    pub(super) fn forget_search(&mut self) {
        self.find(String::new());
    }

    /// Draws lines around the matches while the panel is open.
    pub(super) fn lines_around_matches(&self) -> Option<&ChangeLines> {
        let matches = self.session.tools.finding.matches();
        let shown = matches.filter(|_| self.is_panel_open(Panel::Find));
        shown.map(|matches| &matches.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::io::find;
    use crate::viewer::state::settings::Settings;
    use crate::viewer::testing::{document, loaded};

    /// Runs the pending searches.
    fn search(state: &mut State) -> usize {
        let mut count = 0;
        while let Some(at) = state
            .effects
            .iter()
            .position(|it| matches!(it, Effect::Find(_)))
        {
            if let Effect::Find(request) = state.effects.remove(at) {
                state.found(find::run(&request));
                count += 1;
            }
        }
        count
    }

    #[test]
    fn one_search_runs_at_a_time_and_the_last_query_counts() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(document(), false));
        for query in ["row", "row <", "row < 1"] {
            state.find(query.to_owned());
        }
        assert_eq!(search(&mut state), 2);
        let finding = &state.session.tools.finding;
        let matches = finding.matches().unwrap();
        assert_eq!((&*matches.query, matches.found.kind), ("row < 1", "tile"));
        let items = matches.found.items.clone();
        assert!(items.len() > 2 && matches.found.count == items.len() as u64);
        let selected = |state: &State| state.session.view.shown.selected;
        state.session.next_match(false);
        assert_eq!(selected(&state), Some(items[0].item));
        state.session.next_match(true);
        assert_eq!(selected(&state), items.last().map(|found| found.item));
        state.session.next_match(false);
        assert_eq!(selected(&state), Some(items[0].item));
    }

    #[test]
    fn a_query_with_a_fault_leaves_a_message_and_another_file_ends_the_search() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(loaded(document(), false));
        state.find("rov < 1".to_owned());
        search(&mut state);
        let result = &state.session.tools.finding.result;
        assert!(
            result
                .as_ref()
                .unwrap()
                .as_ref()
                .unwrap_err()
                .contains("rov")
        );
        state.loaded(loaded(document(), false));
        assert_eq!(search(&mut state), 0);
        assert!(state.session.tools.finding.result.is_none());
    }
}
