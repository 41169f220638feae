//! Compares the open file with another one, or with its version before a reload.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::viewer::state::compare::{Changes, CompareOutcome, CompareRequest, Other};
use crate::viewer::state::folder;
use mapscope_scene::diff::Diff;
use mapscope_scene::{Progress, Source};

/// Runs a comparison. Takes about as long as reading the other file.
pub(crate) fn run(request: CompareRequest) -> CompareOutcome {
    let compared = catch_unwind(AssertUnwindSafe(|| compare(&request)));
    let result = compared.unwrap_or_else(|_| {
        Err("Mapscope failed while comparing; please report this, with both files".to_owned())
    });
    CompareOutcome { request, result }
}

fn compare(request: &CompareRequest) -> Result<Changes, String> {
    let (other, with) = match &request.other {
        Other::File(path) => {
            let progress = Progress::default();
            let opened = Source::read(path)
                .and_then(|source| mapscope_scene::open(&source, &request.options, &progress))
                .map_err(|error| error.to_string())?;
            (opened, folder::name(path))
        }
        Other::Before(document, read_at) => {
            let with = format!("the version read at {read_at}");
            (Arc::clone(document), with)
        }
    };
    let documents = [&*other, &*request.document];
    let diff = match &request.other {
        Other::File(_) => Diff::of(documents),
        Other::Before(..) => Diff::of_shown(documents),
    };
    let diff = diff.map_err(|error| format!("{with}: {error}"))?;
    Ok(Changes {
        removed_bounds: diff.removed_bounds(&*other),
        lines: diff.lines(documents),
        other_lines: diff.lines_in(documents, 0),
        other: request.keeps_other.then(|| Arc::clone(&other)),
        with,
        diff,
        number: request.number,
    })
}
