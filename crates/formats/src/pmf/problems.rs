//! What can be wrong with a map.

use crate::{Severity, problems};

/// The problems of a map as they are found.
pub(super) type Problems = problems::Problems<Kind>;

/// What can be wrong with a map that can be shown all the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    // The file and its parts.
    Chunk,
    Header,
    Extension,
    ReservedBits,
    Leftover,
    Number,
    ChunkOutside,
    DuplicateName,
    // Cubes.
    Missing,
    Orphans,
    NotFinite,
    Reference,
    UnknownName,
    Region,
    RenderMode,
    // Entities.
    MapEntities,
    Entities,
    EntityValue,
    // The archive.
    Archive,
    ArchiveEntry,
}

/// How bad each kind is, and what there are more of when not all are listed.
const KINDS: [(Severity, &str); 20] = [
    (Severity::Error, "chunks that cannot be read"),
    (Severity::Warning, "oddities in the head of the file"),
    (Severity::Warning, "oddities of extensions"),
    (Severity::Warning, "fields with bits that mean nothing"),
    (Severity::Warning, "parts with bytes left over"),
    (Severity::Warning, "numbers that are not finite"),
    (Severity::Warning, "chunk indices outside the grid"),
    (Severity::Warning, "names that are there twice"),
    (
        Severity::Warning,
        "chunks with cubes whose child is in a section that is missing",
    ),
    (Severity::Warning, "chunks with cubes that are not reached"),
    (
        Severity::Warning,
        "faces, points and boxes that are left out since they are not finite",
    ),
    (Severity::Warning, "indices outside of their list"),
    (Severity::Warning, "names that the level does not have"),
    (
        Severity::Warning,
        "regions whose max corner is below their min corner",
    ),
    (Severity::Warning, "materials with an unknown render mode"),
    // A map that is cut off loses these first.
    (
        Severity::Error,
        "lists of entities of the map that cannot be read",
    ),
    (Severity::Warning, "lists of entities that cannot be read"),
    (Severity::Warning, "values of entities that mean nothing"),
    (Severity::Warning, "faults of the archive"),
    (
        Severity::Warning,
        "files of the archive that cannot be read",
    ),
];

impl problems::Kind for Kind {
    const KINDS: &'static [(Severity, &'static str)] = &KINDS;

    fn index(self) -> usize {
        self as usize
    }
}
