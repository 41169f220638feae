//! Finds the items that match a query.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::viewer::state::find::{FindOutcome, FindRequest, Matches};
use crate::viewer::theme;
use mapscope_scene::{ChangeLines, find_matches};

/// Maximum number of listed items.
const MAX_LISTED: usize = 10_000;

/// Runs a search.
pub(crate) fn run(request: &FindRequest) -> FindOutcome {
    let found = catch_unwind(AssertUnwindSafe(|| find(request)));
    let result = found.unwrap_or_else(|_| {
        Err("Mapscope failed while searching; please report this, with the file".to_owned())
    });
    FindOutcome {
        number: request.number,
        result,
    }
}

fn find(request: &FindRequest) -> Result<Matches, String> {
    let document = &*request.document;
    let found = find_matches(document, &request.query, request.playhead, MAX_LISTED);
    let found = found.map_err(|error| error.to_string())?;
    let items = found.items.iter();
    let lit = items.map(|found| (document, found.item, theme::MATCH));
    Ok(Matches {
        query: request.query.clone(),
        lines: ChangeLines::around(lit),
        found,
        number: request.number,
    })
}
