//! What levels, grids and frames look like, by which they are found where sizes do not lead to them.

use super::super::bytes::{ChunkIndex, Cursor, StringTable};
use super::super::entities::Entities;
use super::super::{Level, Pmf, lz4, rules};
use super::frame::read_frames;
use super::{
    DIRECTORY_BYTES, GRID_BYTES, LARGEST_CHUNK, LEVEL_HEAD_BYTES, Reader, bytes_from, in_file,
};
use crate::{Problems, ReadError, counted};

impl Reader<'_, '_> {
    /// Looks through the whole file for levels: sections that follow each other as their sizes say, with
    /// a grid behind them. They take the place of those that are not where they should be. Says whether
    /// there are any. What is wrong since a moment is why they are not where they should be.
    pub(super) fn find_levels(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
        moment: usize,
    ) -> Result<bool, ReadError> {
        let file = self.bytes;
        let mut levels = Vec::new();
        let mut at = 0;
        // A level whose chunks are all lost is where it should be.
        let first = next_level(file, at).map(|at| at as u64);
        if map.levels.iter().any(|level| Some(level.offset) == first) {
            return Ok(false);
        }
        let why = self.problems.first_error_since(moment);
        if let Some(why) = why {
            self.problems.fold_since(moment, why);
        }
        while let Some(found) = next_level(file, at)
            && let Ok(number) = u8::try_from(levels.len())
        {
            let mut level = Level::unread(found, 0);
            let filled = self.fill_level(number, &mut level, u64::MAX);
            let end = self.keep(filled, "the rest of the level")?;
            at = end.map_or(found + 1, |end| end as usize);
            level.size = u32::try_from(at - found).unwrap_or(u32::MAX);
            levels.push(level);
        }
        let Some(first) = levels.first() else {
            return Ok(false);
        };
        cursor.enter("level list", None);
        let count = counted(levels.len(), "level");
        let is = if levels.len() == 1 { "is" } else { "are" };
        let found = format!("it leads to no level, but {count} {is} in the file");
        let first_at = first.offset as usize;
        let error = cursor.fault(&rules::LEVEL_LIST, first_at, found, "where levels are");
        if let ReadError::Unreadable(problem) = error {
            self.problems.push_consequence(why, problem);
        }
        if let (None, Some(list)) = (why, self.problems.last()) {
            self.problems.fold_since(moment, list);
        }
        let why = why.or(self.problems.last());
        let of_entities = self.problems.moment();
        map.levels = levels;
        map.entities = Entities::unread();
        if are_entities(bytes_from(file, at as u64), &map.strings) {
            let mut cursor = in_file(file);
            cursor.seek(at);
            self.read_entities(&mut cursor, map)?;
        }
        if let Some(why) = why {
            self.problems.fold_since(of_entities, why);
        }
        Ok(true)
    }

    /// What follows in the file from an offset on: how many of the levels of these sizes are not there, and
    /// where the next one begins, or the entities. These are only looked for behind what is broken.
    pub(super) fn next_part(
        &mut self,
        from: usize,
        sizes: &[u32],
        strings: &StringTable,
        is_broken: bool,
    ) -> Option<(usize, usize)> {
        let file = self.bytes;
        let left = file.len().checked_sub(from)?;
        self.patience.0 = self.patience.0.checked_sub(left)?;
        if !sizes.is_empty()
            && let Some(at) = next_level(file, from)
        {
            return Some((lost_before(file, at, sizes, strings), at));
        }
        let at = (from..file.len()).filter(|_| is_broken).find(|at| {
            let mut cursor = in_file(bytes_from(file, *at as u64));
            let entities = Entities::read(&mut cursor, strings, &mut Problems::new());
            self.patience.0 = self.patience.0.saturating_sub(cursor.pos());
            let is_it = |entities: Entities| !entities.is_empty() && entities.opaque().is_none();
            self.patience.0 > 0 && cursor.left() == 0 && entities.is_ok_and(is_it)
        });
        Some((sizes.len(), at?))
    }
}

/// Whether a frame begins at an offset in a file.
pub(super) fn begins(file: &[u8], at: u64) -> bool {
    lz4::begins(bytes_from(file, at))
}

/// The offset nearest to another one, and no more than so many bytes from it, that is the one; none where the
/// other one is.
pub(super) fn near(at: u64, most: u64, is_it: impl Fn(u64) -> bool) -> Option<u64> {
    if is_it(at) {
        return None;
    }
    let others = (1..=most).flat_map(|by| [at.checked_add(by), at.checked_sub(by)]);
    others.flatten().find(|at| is_it(*at))
}

/// Whether bytes may begin with a level: flags that have a meaning, and the first of its sections
/// behind the sizes.
pub(super) fn is_level(bytes: &[u8]) -> bool {
    let known = Level::KEEP_VELOCITY | Level::KEEP_CHUNK | Level::KEEP_PLACE;
    let has_flags = bytes.first().is_some_and(|flags| flags & !known == 0);
    has_flags && bytes.get(LEVEL_HEAD_BYTES..).is_some_and(lz4::begins)
}

/// The offset of the next level from an offset on that can be told by its sections alone.
pub(super) fn next_level(file: &[u8], from: usize) -> Option<usize> {
    (from..file.len()).find(|at| {
        let bytes = bytes_from(file, *at as u64);
        is_level(bytes) && has_sections(bytes)
    })
}

/// How many of the levels of these sizes are not there before the one that begins at an offset: as many as
/// before the first size with which it leads to another level, or to the entities behind the last one.
pub(super) fn lost_before(file: &[u8], at: usize, sizes: &[u32], strings: &StringTable) -> usize {
    let leads_on = |(lost, size): (usize, &u32)| {
        let rest = bytes_from(file, at as u64 + u64::from(*size));
        let is_last = lost + 1 == sizes.len();
        if is_last {
            are_entities(rest, strings)
        } else {
            is_level(rest)
        }
    };
    sizes.iter().enumerate().position(leads_on).unwrap_or(0)
}

/// Whether the sections of the level that bytes begin with are where its sizes say, and its grid behind
/// them.
pub(super) fn has_sections(level: &[u8]) -> bool {
    let mut cursor = in_file(level);
    cursor.seek(1);
    let Ok(frames) = read_frames(&mut cursor) else {
        return false;
    };
    let mut at = LEVEL_HEAD_BYTES as u64;
    let are_there = frames.iter().all(|frame| {
        let begins = frame.is_empty() || lz4::begins(bytes_from(level, at));
        at += u64::from(frame.packed);
        begins
    });
    are_there && is_grid(bytes_from(level, at))
}

/// Whether bytes may begin with the grid of a level: one whose directory follows.
pub(super) fn is_grid(bytes: &[u8]) -> bool {
    let Some((grid, directory)) = bytes.split_at_checked(GRID_BYTES) else {
        return false;
    };
    let counts = grid.first_chunk().copied().map(u32::from_le_bytes);
    let counts = ChunkIndex(counts.unwrap_or(u32::MAX)).yxz();
    let chunks: u64 = counts.iter().map(|count| u64::from(count + 1)).product();
    let is_small = grid
        .get(4)
        .is_some_and(|exponent| *exponent <= LARGEST_CHUNK);
    is_small && is_directory(directory, chunks)
}

/// Whether bytes may begin with the directory of so many chunks: the first section follows it.
pub(super) fn is_directory(bytes: &[u8], chunks: u64) -> bool {
    let len = chunks.saturating_mul(DIRECTORY_BYTES as u64);
    let directory = usize::try_from(len)
        .ok()
        .and_then(|len| bytes.split_at_checked(len));
    directory.is_some_and(|(sizes, sections)| {
        let are_empty = sizes.iter().all(|byte| *byte == 0);
        are_empty || sections.len() < 4 || lz4::begins(sections)
    })
}

/// Whether bytes are entities and nothing else.
pub(super) fn are_entities(bytes: &[u8], strings: &StringTable) -> bool {
    are_entities_of(&mut in_file(bytes), strings)
}

/// The same of what a cursor has left.
pub(super) fn are_entities_of(cursor: &mut Cursor<'_>, strings: &StringTable) -> bool {
    let read = Entities::read(cursor, strings, &mut Problems::new());
    read.is_ok_and(|entities| entities.opaque().is_none()) && cursor.left() == 0
}
