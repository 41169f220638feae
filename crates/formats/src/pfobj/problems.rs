//! What can be wrong with a model.

use crate::{Severity, problems};

/// What can be wrong with a model that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Header,
    Head,
    Limit,
    Line,
    Number,
    NotFinite,
    Extra,
    Count,
    Triangles,
    Order,
    Influences,
    Weight,
    EmptyWeights,
    JointIndex,
    MaterialIndex,
    Name,
    Parent,
    Rotation,
    PoseOrder,
    Frame,
    Bounds,
    BoundsOrder,
    BlankLine,
    LongLine,
    FileEnd,
}

/// How bad each kind is, and what there are more of when not all are listed.
const KINDS: [(Severity, &str); 25] = [
    (Severity::Warning, "oddities in the head of the file"),
    (
        Severity::Error,
        "lines in the head of the file that cannot be read",
    ),
    (Severity::Warning, "lists that are too long for the engine"),
    (Severity::Error, "lines that are missing or out of place"),
    (Severity::Error, "lines that cannot be read"),
    (Severity::Error, "numbers that are not finite"),
    (Severity::Warning, "lines with more than is read"),
    (Severity::Error, "lists of another length than is promised"),
    (Severity::Error, "vertices that make no whole triangle"),
    (Severity::Error, "parts in a wrong order"),
    (Severity::Warning, "vertices moved by more than 6 joints"),
    (Severity::Error, "weights below zero"),
    (
        Severity::Warning,
        "`vw` lines that the engine refuses since they end at once",
    ),
    (
        Severity::Error,
        "vertices that name a joint outside the list",
    ),
    (
        Severity::Error,
        "vertices that name a material outside the list",
    ),
    (Severity::Warning, "names that the engine does not take"),
    (Severity::Error, "joints with an impossible parent"),
    (Severity::Error, "rotations of length zero"),
    (
        Severity::Warning,
        "poses with another number than that of their joint",
    ),
    (Severity::Error, "frames that are not whole"),
    (Severity::Error, "bounds that are missing"),
    (Severity::Warning, "bounds whose min is above their max"),
    (Severity::Warning, "blank lines"),
    (Severity::Warning, "lines of more than 255 bytes"),
    (Severity::Warning, "oddities at the end of the file"),
];

impl problems::Kind for Kind {
    const KINDS: &'static [(Severity, &'static str)] = &KINDS;

    fn index(self) -> usize {
        self as usize
    }
}

impl problems::TextKind for Kind {
    const HEADER: Self = Self::Header;
    const REFUSED: Self = Self::Header;
    const LONG_LINE: Self = Self::LongLine;
}
