//! What can be wrong with maps and tilesets.

use crate::{Severity, problems};

/// The problems of a file as they are found.
pub(super) type Problems = problems::Problems<Kind>;

/// What can be wrong with a file that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Block,
    CutOff,
    Layer,
    TooMany,
    Syntax,
    Order,
    LongBlock,
    Leftover,
    Parallax,
    RenderString,
    ZoneNumber,
    ZoneName,
    Value,
    LongText,
    Version,
    OddSyntax,
    Strand,
    Mask,
    Empty,
}

/// How bad each kind is, and what there are more of when not all are listed.
const KINDS: [(Severity, &str); 19] = [
    (Severity::Error, "blocks that cannot be read in full"),
    (Severity::Error, "parts that are cut off"),
    (Severity::Error, "layers that cannot be read"),
    (Severity::Error, "lists that are too long"),
    (Severity::Error, "faults of the text"),
    (Severity::Warning, "parts in another order"),
    (
        Severity::Warning,
        "blocks that hold more than is needed or end oddly",
    ),
    (Severity::Warning, "parts with bytes left over"),
    (Severity::Warning, "divisors of parallax that are 0"),
    (Severity::Warning, "oddities of the render string"),
    (Severity::Warning, "zone numbers outside the list of zones"),
    (Severity::Warning, "names of zones that the map lacks"),
    (Severity::Warning, "values that mean nothing"),
    (Severity::Warning, "texts that are too long for the engine"),
    (Severity::Warning, "oddities of the version"),
    (Severity::Warning, "oddities of the text"),
    (Severity::Warning, "oddities of animation strands"),
    (Severity::Warning, "oddities of the transparent colour"),
    (Severity::Warning, "parts with nothing in them"),
];

impl problems::Kind for Kind {
    const KINDS: &'static [(Severity, &'static str)] = &KINDS;

    fn index(self) -> usize {
        self as usize
    }
}
