//! Finds the items that match a query.

use crate::viewer::state::find::{FindOutcome, FindRequest, Matches};
use crate::viewer::theme;
use mapscope_scene::{ChangeLines, find_matches};

/// Maximum number of listed items.
const MAX_LISTED: usize = 10_000;

/// Runs a search.
pub(crate) fn run(request: &FindRequest) -> FindOutcome {
    let document = &*request.document;
    let found = find_matches(document, &request.query, request.playhead, MAX_LISTED);
    let result = found.map_err(|error| error.to_string()).map(|found| {
        let items = found.items.iter();
        let lit = items.map(|found| (document, found.item, theme::MATCH));
        Matches {
            query: request.query.clone(),
            lines: ChangeLines::around(lit),
            found,
            number: request.number,
        }
    });
    FindOutcome {
        number: request.number,
        result,
    }
}
