//! Bytes that are missing or too many among sizes and sections: where what follows them begins.

use std::ops::Range;

use super::super::bytes::{ChunkIndex, Cursor, Part, Side};
use super::super::chunk_codec::is_inside;
use super::super::{Frame, Level, lz4, rules};
use super::frame::read_frames;
use super::grid::grids_of;
use super::layout::{begins, is_directory};
use super::{
    DIRECTORY_BYTES, GRID_BYTES, LARGEST_CHUNK, LARGEST_SMALL_SHIFT, Reader, Rows, bytes_from,
    in_file, refused,
};
use crate::{Place, ReadError, counted};

/// How many places are compared with sizes to find out which frame is where: this, and so many times the
/// bytes of the file.
const COMPARED: usize = 1 << 16;
const COMPARED_PER_FILE_BYTE: usize = 4;
/// As how many compared places the search for those near a frame counts.
const SEARCH_COST: usize = 16;
/// Behind how many frames others must follow as their sizes say, if not all do.
const FEWEST_IN_ORDER: usize = 2;

/// More frames in order than there are.
const TO_LAST: usize = usize::MAX - 1;
/// How many frames more than there should be can stand before one.
const MOST_BEFORE: usize = 3;
/// The bytes of the head of a block, of which a frame has as many as it has blocks.
const BLOCK_HEAD_BYTES: usize = 4;

/// Where frames begin in a file, which is only looked for where sizes do not lead to them.
pub(super) struct FrameStarts {
    list: Option<Vec<u64>>,
    /// How many places may still be compared with sizes.
    left: usize,
}

impl FrameStarts {
    /// For a file of so many bytes.
    pub(super) fn new(file_bytes: usize) -> Self {
        let more = file_bytes.saturating_mul(COMPARED_PER_FILE_BYTE);
        Self {
            list: None,
            left: COMPARED.saturating_add(more),
        }
    }
}

/// Behind how many of the frames that should begin at an offset one after the other another one begins:
/// [`TO_LAST`] if it is so up to the last one, and that is whole, and one more if it ends where the list does.
/// Takes from `left` how many places it looks at; none where nothing is left.
fn frames_in_order(
    file: &[u8],
    sizes: &[u32],
    mut at: u64,
    (is_end, left): (&dyn Fn(u64) -> bool, &mut usize),
) -> Option<usize> {
    let last = sizes.iter().rposition(|size| *size > 0);
    let frames = sizes.iter().enumerate().filter(|(_, size)| **size > 0);
    for (in_order, (i, size)) in frames.enumerate() {
        *left = left.checked_sub(1)?;
        let end = at + u64::from(*size);
        if Some(i) == last {
            let frame = bytes_from(file, at).get(..*size as usize);
            let is_whole = frame.is_some_and(|frame| lz4::end_of(frame) == Some(frame.len()));
            *left = left.saturating_sub(*size as usize / BLOCK_HEAD_BYTES);
            // Another one does not belong to the list.
            return Some(match is_whole && !begins(file, end) {
                true if is_end(end) => usize::MAX,
                true => TO_LAST,
                false => in_order,
            });
        }
        if !begins(file, end) {
            return Some(in_order);
        }
        at = end;
    }
    Some(usize::MAX)
}

/// The frame with which a list of frames goes on.
pub(super) struct Next {
    /// Its number in the list.
    pub frame: usize,
    /// Where it is.
    pub at: u64,
    /// Where the sizes before it say that it is.
    pub expected: u64,
}

impl Reader<'_, '_> {
    /// Where a list of frames goes on behind an offset at which one of them, by its number, is not as its
    /// size says: at one from which on all are in order up to the last one, which is whole and ends where
    /// the list does, and of several at the one that is nearest to where it should be. Where there is none,
    /// it goes on where most are in order. None where it goes on at `own_end`, where a whole frame ends that
    /// begins at the offset: only its size is wrong.
    pub(super) fn resume(
        &mut self,
        sizes: &[u32],
        (first, position, own_end): (usize, u64, Option<u64>),
        is_end: impl Fn(u64) -> bool,
    ) -> Option<Next> {
        let file = self.bytes;
        let FrameStarts { list, left } = &mut self.frame_starts;
        let find = || (0..file.len() as u64).filter(|at| begins(file, *at));
        let all = list.get_or_insert_with(|| find().collect());
        let from = |at: u64| all.partition_point(|start| *start < at);
        let in_order = |number: usize, at, left: &mut usize| {
            let sizes = sizes.get(number..).unwrap_or_default();
            frames_in_order(file, sizes, at, (&is_end, left))
        };
        let is_last = first + 1 == sizes.len();
        if !is_last && own_end.is_some_and(|end| in_order(first + 1, end, left) >= Some(TO_LAST)) {
            return None;
        }
        let mut best: Option<(usize, Next)> = None;
        let is_begun = begins(file, position);
        let mut farthest = u64::MAX;
        let mut expected = position;
        for (number, size) in sizes.iter().enumerate().skip(first) {
            let Some(rest) = left.checked_sub(SEARCH_COST) else {
                break;
            };
            *left = rest;
            // What stands before the first one is no more than a few others, and not what is left of itself.
            let nearest = expected.saturating_sub(farthest).max(position);
            let (nearest, most) = match own_end {
                None if number == first && is_begun => (position + 1, 1),
                _ if number == first => (position + 1, MOST_BEFORE),
                Some(_) => (position, 1),
                None => (nearest, usize::MAX),
            };
            let range = from(nearest)..from(expected.saturating_add(farthest)).max(from(nearest));
            let starts = all.get(range).unwrap_or_default().iter().take(most);
            for at in starts.filter(|_| *size > 0).copied() {
                let Some(in_order) = in_order(number, at, left) else {
                    return best.map(|(_, next)| next);
                };
                let by = at.abs_diff(expected);
                let (most, least) = match &best {
                    Some((most, next)) => (*most, next.at.abs_diff(next.expected)),
                    None => (FEWEST_IN_ORDER - 1, u64::MAX),
                };
                let is_nearer = in_order >= most.max(TO_LAST) && by < least;
                if in_order > most || is_nearer {
                    let next = Next {
                        frame: number,
                        at,
                        expected,
                    };
                    best = Some((in_order, next));
                }
                if in_order == usize::MAX {
                    farthest = farthest.min(by);
                }
            }
            expected += u64::from(*size);
        }
        best.map(|(_, next)| next)
    }

    /// Leaves out what stands before the frame with which a list of frames goes on, and lists why: the first
    /// of `frames` is not as its size says, unless it is whole, and there is nothing of those between.
    pub(super) fn skip(
        &mut self,
        frames: &mut [(&mut Frame, Part)],
        (first, is_whole): (usize, bool),
        next: &Next,
        sizes_at: impl Fn(usize) -> u64,
    ) {
        let to = frames.get(next.frame).map(|(_, part)| *part);
        let Some((before, behind)) = frames.split_at_mut_checked(first) else {
            return;
        };
        let Some((frame, part)) = behind.first_mut() else {
            return;
        };
        let (part, position) = (*part, frame.start);
        let range = position..next.at;
        if next.frame == first && self.add_unsized(before, range.clone(), sizes_at) {
            return;
        }
        let len = counted((next.at - position) as usize, "byte");
        let expected = next.expected - position;
        let (found, expected) = match to {
            _ if next.frame == first => (format!("{len} before the {part}"), "none".to_owned()),
            Some(to) if next.frame > first + 1 => {
                let expected = format!("{expected}, as the sizes before it say");
                (format!("{part}: {len} up to the {to}"), expected)
            }
            _ => {
                let expected = format!("{expected}, as its sizes say");
                (format!("{part}: {len} up to the next section"), expected)
            }
        };
        let error = refused(
            &rules::SHIFTED,
            part,
            Place::Offset(position),
            found,
            expected,
        );
        self.push_shift(error, range, next.expected);
        let lost = behind.get_mut(..next.frame - first).unwrap_or_default();
        for (i, (frame, _)) in lost.iter_mut().enumerate() {
            let is_damaged = i == 0 && (!is_whole || next.at < frame.end());
            if is_damaged {
                frame.packed = (next.at - position) as u32;
            } else if i > 0 {
                frame.start = position;
                frame.packed = 0;
            }
        }
    }

    /// Gives the frames in a range of the file to the last ones of a list, which have no sizes, if there are as
    /// many of them. Of more, those are taken that others of the list have too.
    pub(super) fn add_unsized(
        &mut self,
        frames: &mut [(&mut Frame, Part)],
        range: Range<u64>,
        sizes_at: impl Fn(usize) -> u64,
    ) -> bool {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end && begins(self.bytes, at) && found.len() < frames.len() {
            let Some(packed) = self.walk(at) else { break };
            found.push((at, packed));
            at += u64::from(packed);
        }
        let is_there = |(frame, _): &(&mut Frame, Part)| frame.packed > 0;
        let sides: Vec<Side> = frames
            .iter()
            .filter(|frame| is_there(frame))
            .filter_map(|(_, part)| part.side())
            .collect();
        let first = frames.iter().rposition(is_there).map_or(0, |last| last + 1);
        let unsized_ones = (first..frames.len())
            .filter(|i| frames.get(*i).is_some_and(|(frame, _)| frame.is_empty()));
        let (mut likely, others): (Vec<usize>, Vec<usize>) = unsized_ones.partition(|i| {
            let side = frames.get(*i).and_then(|(_, part)| part.side());
            side.is_some_and(|side| sides.contains(&side))
        });
        likely.extend(others);
        if at != range.end || found.is_empty() || found.len() > likely.len() {
            return false;
        }
        likely.truncate(found.len());
        likely.sort_unstable();
        for (i, (start, packed)) in likely.into_iter().zip(found) {
            let Some((frame, part)) = frames.get_mut(i) else {
                continue;
            };
            let bytes = bytes_from(self.bytes, start).get(..packed as usize);
            let unpacked = bytes.and_then(|bytes| lz4::len_of(bytes, &mut self.decoded_left.0));
            let [place, _] = part.size_places(sizes_at(i));
            let found = format!("sizes of the {part}: both are 0");
            let expected = format!(
                "{packed} and {}, as the frame there has",
                unpacked.unwrap_or(0)
            );
            let error = refused(&rules::SECTION_SIZE, *part, place, found, expected);
            self.problems.add_error(error);
            **frame = Frame {
                start,
                packed,
                unpacked: unpacked.unwrap_or(0),
            };
        }
        true
    }

    /// Whether nothing of a section is there since bytes are missing.
    pub(super) fn is_lost(&self, frame: &Frame) -> bool {
        let is_here = |range: &Range<u64>| range.start == frame.start;
        let is_empty = frame.packed == 0 && frame.unpacked > 0;
        is_empty && self.shifts.iter().any(|(_, range)| is_here(range))
    }

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
            let start = place.start;
            for chunk in &level.chunks {
                let [first, .., last] = &chunk.frames;
                if (first.start..last.end()).contains(&start) {
                    place = place.start.min(first.start)..place.end.max(last.end());
                }
            }
            self.problems.fold_some_since(moment, *cause, |problem| {
                // Of a frame that is cut off the place is its end.
                let is_cut = problem.rule == &rules::LZ4;
                let is_here =
                    |at: u64| place.contains(&at) || at == start || (is_cut && at == place.end);
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
