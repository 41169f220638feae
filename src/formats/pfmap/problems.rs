//! The list of what is wrong with a map, which stays short however much is wrong.

use crate::formats::{Place, Problem, Severity};

/// How many problems of a kind are listed.
const LISTED: u64 = 100;

/// What can be wrong with a map that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Header,
    Material,
    Splat,
    Tile,
    Missing,
    MaterialIndex,
    SplatIndex,
    Blend,
    Cover,
    LongLine,
    RowStart,
    ChunkStart,
    FileEnd,
}

/// How bad each kind is, and what there are more of when not all are listed.
const KINDS: [(Severity, &str); 13] = [
    (Severity::Warning, "oddities in the head of the file"),
    (Severity::Error, "material lines that cannot be read"),
    (Severity::Error, "splat lines that cannot be read"),
    (Severity::Error, "tiles that cannot be read"),
    (Severity::Error, "gaps"),
    (
        Severity::Error,
        "tiles that name a material outside the list",
    ),
    (
        Severity::Warning,
        "splats that name a material outside the list",
    ),
    (Severity::Warning, "tiles with an unknown blend mode"),
    (Severity::Warning, "tiles with an unknown cover"),
    (Severity::Warning, "lines of more than 255 bytes"),
    (Severity::Warning, "rows that do not begin a line"),
    (Severity::Warning, "chunks that do not begin a line"),
    (Severity::Warning, "oddities at the end of the file"),
];

/// Problems as they are found.
#[derive(Debug, Default)]
pub(super) struct Problems {
    listed: Vec<Problem>,
    /// Of each kind, how many there are, and where the first one is that is not listed.
    counts: [(u64, Option<Place>); KINDS.len()],
}

impl Problems {
    /// Lists a problem, or counts it when there are many of its kind already.
    #[cold]
    pub(super) fn add(&mut self, kind: Kind, place: Place, message: impl FnOnce() -> String) {
        let (count, first_unlisted) = &mut self.counts[kind as usize];
        *count += 1;
        if *count <= LISTED {
            self.listed.push(Problem {
                severity: KINDS[kind as usize].0,
                place,
                message: message(),
            });
        } else {
            first_unlisted.get_or_insert(place);
        }
    }

    /// All problems by their place.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        for ((severity, noun), (count, first_unlisted)) in KINDS.into_iter().zip(self.counts) {
            if let Some(place) = first_unlisted {
                self.listed.push(Problem {
                    severity,
                    place,
                    message: format!("and {} more {noun}", count - LISTED),
                });
            }
        }
        self.listed.sort_by_key(|problem| problem.place);
        self.listed
    }
}
