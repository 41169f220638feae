//! Bytes that are missing or too many among sizes and sections: where what follows them begins.

use std::ops::Range;

use super::super::bytes::{ChunkIndex, Cursor};
use super::super::chunk_codec::is_inside;
use super::super::{Frame, Level, lz4, rules};
use super::{
    DIRECTORY_BYTES, GRID_BYTES, LARGEST_CHUNK, LARGEST_SMALL_SHIFT, Reader, Rows, begins,
    bytes_from, grids_of, in_file, is_directory, read_frames,
};
use crate::{Place, ReadError, counted};

impl Reader<'_, '_> {
    /// Lets what is wrong with a level since a moment follow from that bytes are missing or too many, as far
    /// as it is there.
    pub(super) fn fold_shifts(&mut self, moment: usize, level: &Level, grid_at: u64) {
        let last = level.frames.iter().rfind(|frame| !frame.is_empty());
        for (cause, place) in &self.shifts {
            let mut place = place.clone();
            let is_of_level = place.start < grid_at;
            // It can be in the section before.
            if place.start == grid_at
                && let Some(last) = last
                && let Some(section) = self.problems.find_since(moment, |problem| {
                    let here = last.start..=grid_at;
                    matches!(problem.place, Place::Offset(at) if here.contains(&at))
                        && problem.rule != &rules::SHIFTED
                })
            {
                self.problems.fold_one(section, *cause);
            }
            for chunk in &level.chunks {
                let [first, .., last] = &chunk.frames;
                if (first.start..last.end()).contains(&place.start) {
                    place = first.start..place.end.max(last.end());
                }
            }
            self.problems.fold_some_since(moment, *cause, |problem| {
                // Of a frame that is cut off the place is its end.
                let is_cut = problem.rule == &rules::LZ4;
                let is_here = |at: u64| place.contains(&at) || (is_cut && at == place.end);
                let is_named = is_of_level && problem.rule == &rules::UNKNOWN_NAME;
                let is_it = matches!(problem.place, Place::Offset(at) if is_here(at));
                (is_it || is_named) && problem.rule != &rules::SHIFTED
            });
        }
    }

    /// Lists that what begins in the file where a range ends should begin at another offset. `cursor` is at
    /// what is in the range.
    pub(super) fn add_shift(&mut self, cursor: &Cursor<'_>, range: Range<u64>, expected: u64) {
        let at = range.start.saturating_sub(cursor.source().start) as usize;
        let len = counted((range.end - range.start) as usize, "byte");
        let found = format!("{len} up to the first section behind it");
        let error = cursor.fault(&rules::SHIFTED, at, found, expected - range.start);
        self.push_shift(error, range, expected);
    }

    pub(super) fn push_shift(&mut self, error: ReadError, range: Range<u64>, expected: u64) {
        self.shift += range.end as i64 - expected as i64;
        self.add(error);
        let cause = self.problems.last();
        self.shifts.extend(cause.map(|cause| (cause, range)));
    }

    /// Reads a table of the sizes of frames that has some bytes too many or too few, from one offset to
    /// another, where the frames begin: what is before these bytes from its beginning, and what is behind
    /// them from its end. None where that does not lead from frame to frame.
    pub(super) fn read_shifted(
        &mut self,
        (from, to): (u64, u64),
        rows: usize,
        is_end: impl Fn(u64) -> bool,
    ) -> Option<Vec<[Frame; 3]>> {
        let file = self.bytes;
        let row = |at: u64| read_frames(&mut in_file(bytes_from(file, at))).ok();
        let front = |index: usize| row(from + (DIRECTORY_BYTES * index) as u64);
        let back = |index: usize| {
            let left = DIRECTORY_BYTES * rows.checked_sub(index)?;
            row(to.checked_sub(left as u64)?)
        };
        // Where the frames of a row end that begin at an offset, if they are there.
        let end_of = |frames: &mut [Frame; 3], index: usize, mut at: u64| {
            for frame in frames.iter_mut().filter(|frame| !frame.is_empty()) {
                (frame.packed > 0 && begins(file, at)).then_some(())?;
                frame.start = at;
                at = frame.end();
            }
            let goes_on = if index + 1 == rows {
                is_end(at)
            } else {
                begins(file, at)
            };
            goes_on.then_some(at)
        };
        let rest = |first: usize, mut at: u64| {
            let mut rest = Vec::new();
            for index in first..rows {
                let mut frames = back(index)?;
                at = end_of(&mut frames, index, at)?;
                rest.push(frames);
            }
            Some(rest)
        };
        let mut read = Vec::new();
        let mut at = to;
        while read.len() < rows
            && let Some(mut frames) = front(read.len())
            && let Some(end) = end_of(&mut frames, read.len(), at)
        {
            read.push(frames);
            at = end;
        }
        if let Some(rest) = rest(read.len(), at) {
            // What the last of these decode to can be what is wrong.
            for frame in read.last_mut().into_iter().flatten() {
                let bytes = bytes_from(file, frame.start).get(..frame.packed as usize);
                let len = bytes.and_then(|bytes| lz4::len_of(bytes, &mut self.decoded_left.0));
                frame.unpacked = len.unwrap_or(frame.unpacked);
            }
            read.extend(rest);
            return Some(read);
        }
        // The frames of the row in which these bytes are say themselves where they end.
        let damaged = read.len();
        let has_client = [front(damaged), back(damaged)]
            .iter()
            .flatten()
            .all(|frames| {
                let [_, client, _] = frames;
                client.packed != 0
            });
        let mut walked = Vec::new();
        let mut ends = Vec::new();
        while walked.len() < 3
            && begins(file, at)
            && let Some(packed) = self.walk(at)
        {
            let bytes = bytes_from(file, at).get(..packed as usize)?;
            let unpacked = lz4::len_of(bytes, &mut self.decoded_left.0)?;
            let start = at;
            walked.push(Frame {
                start,
                packed,
                unpacked,
            });
            at += u64::from(packed);
            ends.push(at);
        }
        while let (Some(frame), Some(end)) = (walked.last().copied(), ends.pop()) {
            let goes_on = damaged + 1 < rows || is_end(end);
            if goes_on && let Some(rest) = rest(damaged + 1, end) {
                let none = Frame::default();
                read.push(match walked[..] {
                    [common, client, server] => [common, client, server],
                    [common, _] if has_client => [common, frame, none],
                    [common, _] => [common, none, frame],
                    _ => [frame, none, none],
                });
                read.extend(rest);
                return Some(read);
            }
            walked.pop();
        }
        None
    }

    /// Reads a grid and the directory behind it that have some bytes too many or too few together, up to
    /// the first chunk: the sizes of the chunks and where these begin. The level ends at `announced` but for
    /// these bytes.
    pub(super) fn read_shifted_grid(
        &mut self,
        (grid_at, announced): (u64, u64),
        level: &mut Level,
    ) -> Option<Rows> {
        let file = self.bytes;
        let chunks = level.grid.iter().map(|count| u64::from(*count)).product();
        let directory_at = grid_at + GRID_BYTES as u64;
        if is_directory(bytes_from(file, directory_at), chunks) {
            return None;
        }
        self.walks_left = self.walks_left.checked_sub(1)?;
        let least = directory_at + DIRECTORY_BYTES as u64 - LARGEST_SMALL_SHIFT;
        let chunks_at = (least..file.len() as u64).find(|at| begins(file, *at))?;
        let rows = (chunks_at - directory_at + DIRECTORY_BYTES as u64 / 2) / DIRECTORY_BYTES as u64;
        let shift = chunks_at as i64 - (directory_at + DIRECTORY_BYTES as u64 * rows) as i64;
        if shift == 0 || shift.unsigned_abs() > LARGEST_SMALL_SHIFT {
            return None;
        }
        let is_end =
            |at: u64| announced == u64::MAX || announced.checked_add_signed(shift) == Some(at);
        let of = |grid: &[u8]| {
            let mut cursor = in_file(grid);
            let grid = ChunkIndex(cursor.u32().ok()?).yxz().map(|count| count + 1);
            let exponent = cursor.u8().ok()?;
            let center = ChunkIndex(cursor.u32().ok()?);
            let is_it = grid.iter().map(|count| u64::from(*count)).product::<u64>() == rows;
            (is_it && exponent <= LARGEST_CHUNK).then_some((grid, exponent, center))
        };
        let found = if of(bytes_from(file, grid_at)).is_some() {
            self.read_shifted((directory_at, chunks_at), rows as usize, is_end)
        } else {
            None
        };
        if found.is_some() {
            return found.map(|rows| (rows, chunks_at));
        }
        // Or all of the directory is right, and the grid is not.
        let directory_at = chunks_at - DIRECTORY_BYTES as u64 * rows;
        let found = self.read_shifted((directory_at, chunks_at), rows as usize, is_end)?;
        let bytes = file.get(grid_at as usize..directory_at as usize)?;
        let by = shift.unsigned_abs() as usize;
        let mended = (0..=GRID_BYTES).find_map(|at| {
            let mut bytes = bytes.to_vec();
            let behind = if shift > 0 { at + by } else { at };
            let put = vec![0; if shift > 0 { 0 } else { by }];
            bytes.get(at..behind)?;
            bytes.splice(at..behind, put);
            of(&bytes).filter(|(grid, _, center)| is_inside(*grid, *center))
        });
        if let Some((grid, exponent, center)) = mended {
            level.grid = grid;
            level.chunk_exponent = exponent;
            level.center = center;
        } else {
            level.grid = *grids_of(rows, level.grid).first()?;
        }
        Some((found, chunks_at))
    }
}
