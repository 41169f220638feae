//! Bytes of the records of cubes: sections of chunks are decoded again on demand.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Map;
use super::items::ChunkAt;
use mapscope_formats::pmf::{Part, Side};

/// A cache of recently decoded sections, so that showing the same record every frame is fast.
#[derive(Debug, Default)]
pub(super) struct Sections(Mutex<Vec<(Part, Vec<u8>)>>);

/// Number of cached sections.
const MAX_CACHED: usize = 2;

impl Map {
    /// Returns decoded bytes of a section of a chunk, or `None` for a map that is not from a file.
    pub(super) fn section_bytes(
        &self,
        at: &ChunkAt<'_>,
        side: Side,
        range: &Range<u32>,
    ) -> Option<Vec<u8>> {
        let part = Part::ChunkSection(at.level_number as u8, at.chunk.index, side);
        let frame = at.chunk.frames.get(side as usize)?;
        let range = range.start as usize..range.end as usize;
        let mut kept = self
            .sections
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = kept.iter().find(|(of, _)| *of == part) {
            return Some(bytes.get(range)?.to_vec());
        }
        let section = frame.unpack(&self.bytes, part).ok()?;
        let bytes = section.get(range).map(<[u8]>::to_vec);
        if kept.len() == MAX_CACHED {
            kept.remove(0);
        }
        kept.push((part, section));
        bytes
    }
}
