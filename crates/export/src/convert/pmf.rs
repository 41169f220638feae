//! Packings of PMF (fact sheet of PMF, A13).

use mapscope_formats::pmf::{self, FORMAT, Frame, Packing, Pmf};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, Row};

/// The packings of PMF.
pub(super) const FORMS: &[Row<PackedPmf>] = &[
    Row::change(
        &FORMAT,
        "packing",
        ["compressed", "Sections of levels and chunks are compressed"],
        |map, _| {
            map.packing = Packing::Compressed;
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "packing",
        [
            "stored",
            "Sections are stored uncompressed in LZ4 frames, for tools that cannot decompress",
        ],
        |map, _| {
            map.packing = Packing::Stored;
            Ok(())
        },
    ),
];

/// A map and the packing of its sections.
pub(super) struct PackedPmf {
    map: Pmf,
    packing: Packing,
}

/// The packing of a map's sections: compressed if any is smaller than its decoded content.
fn packing(map: &Pmf) -> Packing {
    let levels = map.levels.iter();
    let mut frames = levels.flat_map(|level| {
        let chunks = level.chunks.iter().flat_map(|chunk| &chunk.frames);
        level.frames.iter().chain(chunks)
    });
    let is_small = |frame: &Frame| frame.packed < frame.unpacked;
    if frames.any(is_small) {
        Packing::Compressed
    } else {
        Packing::Stored
    }
}

impl Content for PackedPmf {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let map = pmf::read(bytes)?;
        let packing = packing(&map);
        Ok(Self { map, packing })
    }

    fn problems(&self) -> &[Problem] {
        &self.map.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        pmf::write(&self.map, self.packing).map_err(|error| error.to_string())
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        let packing = match self.packing {
            Packing::Compressed => "compressed",
            Packing::Stored => "stored",
        };
        packing.to_owned()
    }

    /// Sections that packing does not shrink are read back as stored.
    fn form_when_read(&self, _again: &Self) -> String {
        self.form()
    }

    /// Compares the output of the writer, which contains the whole content but no positions.
    fn is_same(&self, other: &Self) -> bool {
        let stored = |of: &Self| pmf::write(&of.map, Packing::Stored);
        stored(self).is_ok_and(|bytes| stored(other).as_ref() == Ok(&bytes))
    }
}
