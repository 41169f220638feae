//! Patterns at the start of levels, grids and frames. They locate these parts if sizes are wrong.

use super::super::bytes::{ChunkIndex, StringTable};
use super::super::entities::Entities;
use super::super::{Frame, lz4, rules};
use super::frame::read_frames;
use super::{
    DIRECTORY_BYTES, GRID_BYTES, LEVEL_HEAD_BYTES, MAX_CHUNK_EXPONENT, bytes_from, in_file,
};
use crate::Problems;

/// Maximum number of candidates when searching for a level.
const MAX_CANDIDATES: usize = 1 << 10;

/// Returns `true` if a frame begins at an offset in a file.
pub(super) fn begins(file: &[u8], at: u64) -> bool {
    lz4::begins(bytes_from(file, at))
}

/// Returns `true` if bytes may begin with a level: its first section follows the sizes.
pub(super) fn is_level(bytes: &[u8]) -> bool {
    bytes.get(LEVEL_HEAD_BYTES..).is_some_and(lz4::begins)
}

/// End offset of the sections of the level at the start of `level`, by its sizes. `None` unless
/// they lead from frame to frame and to a grid.
fn sections_end(level: &[u8]) -> Option<u64> {
    let mut cursor = in_file(level);
    cursor.seek(1);
    let frames = read_frames(&mut cursor).ok()?;
    let mut at = LEVEL_HEAD_BYTES as u64;
    for frame in frames.iter().filter(|frame| !frame.is_empty()) {
        begins(level, at).then_some(())?;
        at += u64::from(frame.packed);
    }
    is_grid(bytes_from(level, at)).then_some(at)
}

/// Returns `true` if bytes begin with a level whose sizes lead to its sections and grid.
pub(super) fn is_whole_level(bytes: &[u8]) -> bool {
    is_level(bytes) && sections_end(bytes).is_some()
}

/// Size of the level at the start of `level`, by the sizes of its sections.
pub(super) fn level_size(level: &[u8]) -> Option<u64> {
    let grid_at = sections_end(level)?;
    let mut cursor = in_file(bytes_from(level, grid_at));
    let chunks = chunk_count(cursor.u32().ok()?);
    cursor.seek(GRID_BYTES);
    let directory = chunks.checked_mul(DIRECTORY_BYTES as u64)?;
    let mut end = grid_at + GRID_BYTES as u64 + directory;
    for _ in 0..chunks {
        let frames = read_frames(&mut cursor).ok()?;
        end += frames
            .iter()
            .map(|frame| u64::from(frame.packed))
            .sum::<u64>();
    }
    Some(end)
}

/// Number of chunks in a grid.
fn chunk_count(grid: u32) -> u64 {
    let counts = ChunkIndex(grid).yxz();
    counts.iter().map(|count| u64::from(count + 1)).product()
}

/// Offset of the next level from `from` on whose sizes lead to its sections and grid.
pub(super) fn next_level(file: &[u8], from: usize) -> Option<usize> {
    let mut begun = (from..file.len()).filter(|at| file.get(*at..).is_some_and(is_level));
    let mut begun = begun.by_ref().take(MAX_CANDIDATES);
    begun.find(|at| file.get(*at..).and_then(sections_end).is_some())
}

/// Finds the first run of consecutive levels from `from` on that ends at entities at the end of the
/// file. Returns its offset and the sizes.
pub(super) fn find_levels(file: &[u8], from: usize) -> Option<(usize, Vec<u32>)> {
    let begun = (from..file.len()).filter(|at| file.get(*at..).is_some_and(is_level));
    begun.take(MAX_CANDIDATES).find_map(|start| {
        let mut rest = file.get(start..)?;
        let mut sizes = Vec::new();
        while let Some(size) = level_size(rest)
            && sizes.len() < usize::from(u8::MAX)
        {
            rest = rest.get(usize::try_from(size).ok()?..)?;
            sizes.push(u32::try_from(size).ok()?);
        }
        let is_it = !sizes.is_empty() && are_entities(rest, &StringTable::default());
        is_it.then_some((start, sizes))
    })
}

/// Returns `true` if bytes may begin with the grid of a level: the first section of a chunk follows
/// the directory.
pub(super) fn is_grid(bytes: &[u8]) -> bool {
    let mut cursor = in_file(bytes);
    let (Ok(grid), Ok(exponent)) = (cursor.u32(), cursor.u8()) else {
        return false;
    };
    exponent <= MAX_CHUNK_EXPONENT && begins(bytes, sections_of(grid))
}

/// Offset of the chunk sections relative to their grid.
fn sections_of(grid: u32) -> u64 {
    GRID_BYTES as u64 + chunk_count(grid).saturating_mul(DIRECTORY_BYTES as u64)
}

/// [`is_grid`] with stronger evidence: two sections of the first chunk must be where the directory
/// puts them.
pub(super) fn is_confirmed_grid(bytes: &[u8]) -> bool {
    let mut cursor = in_file(bytes);
    let grid = cursor.u32().unwrap_or(u32::MAX);
    cursor.seek(GRID_BYTES);
    let frames = read_frames(&mut cursor).unwrap_or_default();
    let mut at = sections_of(grid);
    let mut first = frames.iter().filter(|frame| !frame.is_empty()).take(2);
    is_grid(bytes)
        && first.all(|frame| {
            let is_there = begins(bytes, at);
            at = at.saturating_add(frame.packed.into());
            is_there
        })
}

/// Returns `true` if the bytes are exactly a list of entities.
pub(super) fn are_entities(bytes: &[u8], strings: &StringTable) -> bool {
    let mut cursor = in_file(bytes);
    let read = Entities::read(&mut cursor, strings, &mut Problems::new(), &rules::ENTITIES);
    read.is_ok_and(|entities| entities.opaque().is_none()) && cursor.left() == 0
}

/// Consecutive frames, placed by their sizes.
#[derive(Clone, Copy)]
pub(super) struct Chain<'a> {
    pub file: &'a [u8],
    pub frames: &'a [Frame],
    /// Accepts the end of the last one.
    pub is_end: &'a dyn Fn(u64) -> bool,
}

impl Chain<'_> {
    /// Number of frames to verify.
    const LONGEST: usize = 4;

    /// Returns `true` if frames begin at the offsets given by their sizes, starting with frame
    /// `first` at `at`.
    pub(super) fn holds(self, first: usize, mut at: u64) -> bool {
        let mut frames = self
            .frames
            .get(first..)
            .unwrap_or_default()
            .iter()
            .filter(|frame| frame.packed > 0);
        for frame in frames.by_ref().take(Self::LONGEST) {
            if !begins(self.file, at) {
                return false;
            }
            at += u64::from(frame.packed);
        }
        match frames.next() {
            Some(_) => begins(self.file, at),
            None => (self.is_end)(at),
        }
    }
}
