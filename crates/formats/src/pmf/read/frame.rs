//! Frames, of which sections consist: where they begin and end if sizes lie, and what they decode to.

use super::super::bytes::{Cursor, Part, Section};
use super::super::lz4::Lz4Fault;
use super::super::mend::Counts;
use super::super::{Frame, PmfError, lz4, rules};
use super::layout::{begins, near};
use super::shift::Next;
use super::{LARGEST_SHIFT, LARGEST_SMALL_SHIFT, Reader, bytes_from, refused};
use crate::{Place, ReadError, counted};

/// What is left out where a section decodes to all of it although its frame is not as it should be.
const NOTHING: &str = "nothing, since it decodes to the right size";
/// What is left out where a section decodes to less than all of it.
const END_OF_SECTION: &str = "the end of the section";

impl Frame {
    /// Whether there is nothing: the section is missing.
    pub fn is_empty(&self) -> bool {
        self.packed == 0 && self.unpacked == 0
    }

    /// Decodes it once more. `file` are the bytes of the whole file; `part` is what errors call it.
    ///
    /// # Errors
    /// As when the file was read.
    pub fn unpack(&self, file: &[u8], part: Part) -> Result<Vec<u8>, PmfError> {
        let frame = usize::try_from(self.start).ok();
        let frame = frame.and_then(|start| file.get(start..)?.get(..self.packed as usize));
        let declared = u64::from(self.unpacked);
        lz4::unpack(frame.unwrap_or_default(), declared).map_err(|fault| self.fault(part, fault))
    }

    /// Decodes as much of it as can be decoded, and says why that is not all.
    pub(super) fn unpack_begun(
        &self,
        file: &[u8],
        part: Part,
    ) -> Result<(Vec<u8>, Option<ReadError>), ReadError> {
        let rest = bytes_from(file, self.start);
        let frame = rest.get(..self.packed as usize).unwrap_or(rest);
        let fault = |fault| {
            // Of the end of the file it is enough to say so.
            if frame.len() < self.packed as usize {
                self.cut_off(frame.len(), part)
            } else {
                self.fault(part, fault)
            }
        };
        match lz4::unpack_begun(frame, self.unpacked.into()) {
            Ok((bytes, why)) => Ok((bytes, why.map(fault))),
            Err(why) => Err(fault(why)),
        }
    }

    /// Why it is not as it should be, and what is left out for that of what it decodes to.
    pub(super) fn losing_end(&self, why: ReadError, bytes: &[u8]) -> ReadError {
        let is_all = bytes.len() == self.unpacked as usize;
        why.losing(if is_all { NOTHING } else { END_OF_SECTION })
    }

    /// That the file ends after so many of its bytes.
    pub(super) fn cut_off(&self, left: usize, part: Part) -> ReadError {
        let found = format!("{part}: {} left", counted(left, "byte"));
        let place = Place::Offset(self.start);
        refused(&rules::TRUNCATED, part, place, found, self.packed)
    }

    pub(super) fn fault(&self, part: Part, fault: Lz4Fault) -> ReadError {
        let place = Place::Offset(self.end().min(self.start + fault.at as u64));
        let found = format!("{part}: {}", fault.found);
        refused(&rules::LZ4, part, place, found, fault.expected)
    }

    /// Where it ends in the file, as its sizes say.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.packed.into())
    }

    /// What it decodes to, to be read.
    pub(super) fn section<'a>(&self, part: Part, counts: Option<&'a Counts>) -> Section<'a> {
        Section {
            part,
            start: self.start,
            is_packed: true,
            counts,
        }
    }
}

impl Reader<'_, '_> {
    /// Finds out where frames are that follow each other from an offset on, and gives the end of the
    /// last one. A frame says itself where it ends: a size that does not go with what follows is
    /// taken from there, and listed with its place among the sizes of this frame, by its number.
    /// `is_end` says whether the last one can end at an offset, if so many bytes before that are too many.
    /// Where a frame does not say either, it goes on with the next one that is found.
    pub(super) fn settle(
        &mut self,
        mut frames: Vec<(&mut Frame, Part)>,
        from_offset: u64,
        sizes_at: impl Fn(usize) -> u64,
        is_end: impl Fn(u64, i64) -> bool,
    ) -> u64 {
        let file = self.bytes;
        let before = self.shift;
        let last = frames.iter().rposition(|(frame, _)| !frame.is_empty());
        let sizes: Vec<u32> = frames.iter().map(|(frame, _)| frame.packed).collect();
        let mut position = from_offset;
        let mut i = 0;
        while let Some((frame, part)) = frames.get_mut(i) {
            let part = *part;
            frame.start = position;
            let moved = self.shift - before;
            let is_last = Some(i) == last;
            let goes_on = |at: u64| begins(file, at) || (is_last && is_end(at, moved));
            let mut is_right = frame.is_empty() || (frame.packed > 0 && goes_on(frame.end()));
            let mut len = None;
            if !is_right || is_last {
                len = self.walk(position);
                // Where the last one ends something else can look like what follows it.
                is_right &= len.is_none_or(|len| !goes_on(position + u64::from(len)));
                is_right |= len == Some(frame.packed) && goes_on(frame.end());
            }
            if is_right {
                position = frame.end();
                i += 1;
                continue;
            }
            // Of a section that is not there, a size can lie as well: the next one is there.
            let mut behind = sizes.iter().skip(i + 1).filter(|size| **size > 0);
            let is_missing = match behind.next() {
                Some(next) => len == Some(*next),
                None => is_end(position, moved),
            };
            if is_missing && (frame.packed == 0) != (frame.unpacked == 0) {
                let error = one_size(frame, part, sizes_at(i));
                self.problems.add_error(error);
                (frame.packed, frame.unpacked) = (0, 0);
                i += 1;
                continue;
            }
            let is_whole = len == Some(frame.packed);
            let end = frame.end();
            let own_end = len.map(|len| position + u64::from(len));
            let own_end = own_end.filter(|end| !is_whole && goes_on(*end));
            let is_of_size = own_end.is_some_and(|end| is_last && is_end(end, moved));
            let next = if is_of_size {
                None
            } else {
                self.resume(&sizes, (i, position, own_end), |at| is_end(at, moved))
            };
            // A last one that is broken can be where it should be.
            let is_next_last = last == Some(i + 1);
            let last_end = end + u64::from(sizes.get(i + 1).copied().unwrap_or(0));
            let is_in_place = is_whole && is_next_last && is_end(last_end, moved);
            let is_it = |next: &Next| {
                let is_behind = next.at > position && (next.at < end || !is_in_place);
                next.at != next.expected && (is_behind || !is_whole)
            };
            let next = next.filter(is_it);
            let next = next.or_else(|| {
                let (most, is_looked_for) = if is_whole {
                    (LARGEST_SMALL_SHIFT, !is_last)
                } else {
                    (LARGEST_SHIFT, own_end.is_none())
                };
                let is_next = |at| {
                    if is_last {
                        is_end(at, moved)
                    } else {
                        begins(file, at)
                    }
                };
                let at = near(end, most, |at| at > position && is_next(at));
                let at = at.filter(|_| is_looked_for && end <= file.len() as u64)?;
                Some(Next {
                    frame: i + 1,
                    at,
                    expected: end,
                })
            });
            if let Some(next) = next
                && (next.frame == i || Some(next.at) != own_end)
            {
                self.skip(&mut frames, (i, is_whole), &next, &sizes_at);
                (i, position) = (next.frame, next.at);
                continue;
            }
            if let Some(end) = own_end {
                let packed = counted(frame.packed as usize, "byte");
                let found = format!("sizes of the {part}: {packed}");
                frame.packed = (end - position) as u32;
                let expected = format!("{}, as its frame has", frame.packed);
                let [place, _] = part.size_places(sizes_at(i));
                let error = refused(&rules::SECTION_SIZE, part, place, found, expected);
                self.problems.add_error(error);
            }
            position = frame.end();
            i += 1;
        }
        // The last ones can be there although they have no sizes, or one is there twice.
        if begins(file, position)
            && let Some(len) = self.walk(position)
            && let end = position + u64::from(len)
            && is_end(end, self.shift - before)
        {
            if !self.add_unsized(&mut frames, position..end, &sizes_at)
                && let Some((_, part)) = frames.last()
            {
                let found = format!("{} behind the {part}", counted(len as usize, "byte"));
                let place = Place::Offset(position);
                let error = refused(&rules::SHIFTED, *part, place, found, "none");
                self.push_shift(error, position..end, position);
            }
            position = end;
        }
        position
    }

    /// Finds out what a frame decodes to of which it cannot be what is said. Says whether it is known, and
    /// something else.
    pub(super) fn settle_unpacked(&mut self, frame: &mut Frame, part: Part, sizes_at: u64) -> bool {
        let rest = bytes_from(self.bytes, frame.start);
        let packed = rest.get(..frame.packed as usize).unwrap_or_default();
        let len = lz4::len_of(packed, &mut self.patience.0);
        let len = len.filter(|len| *len != frame.unpacked && *len > 0);
        let Some(len) = len else { return false };
        if self.budget.take(packed.len() as u64, len.into()).is_err() {
            return false;
        }
        let unpacked = counted(frame.unpacked as usize, "byte");
        let found = format!("sizes of the {part}: {unpacked} once decoded");
        let expected = format!("{len}, as its frame has");
        let [_, place] = part.size_places(sizes_at);
        self.add(refused(&rules::SECTION_SIZE, part, place, found, expected));
        frame.unpacked = len;
        true
    }

    /// The bytes of the frame at an offset, as it says itself; none where it is broken.
    pub(super) fn walk(&mut self, offset: u64) -> Option<u32> {
        self.walks_left = self.walks_left.checked_sub(1)?;
        let len = lz4::end_of(bytes_from(self.bytes, offset))?;
        u32::try_from(len).ok()
    }

    /// Takes what a section decodes to from what all may decode to. Its sizes stand among the six
    /// that begin at `sizes_at` in the file.
    pub(super) fn admit(
        &mut self,
        frame: Frame,
        part: Part,
        sizes_at: u64,
    ) -> Result<(), ReadError> {
        let [_, unpacked_at] = part.size_places(sizes_at);
        let Frame {
            packed, unpacked, ..
        } = frame;
        if self.is_lost(&frame) {
            let found = format!("{part}: nothing of it is there");
            let expected = format!(
                "a section that decodes to {}",
                counted(unpacked as usize, "byte")
            );
            let place = Place::Offset(frame.start);
            return Err(refused(&rules::TRUNCATED, part, place, found, expected));
        }
        // Where nothing is, nothing is to be decoded, and the other way round.
        if (packed == 0) != (unpacked == 0) {
            return Err(one_size(&frame, part, sizes_at));
        }
        let file_bytes = self.bytes.len() as u64;
        let (mut packed, mut unpacked) = (u64::from(packed), u64::from(unpacked));
        if frame.end() > file_bytes {
            let left = file_bytes.saturating_sub(frame.start);
            if left == 0 {
                let start = frame.start.min(file_bytes);
                return Err(Frame { start, ..frame }.cut_off(0, part));
            }
            // What there is of it may be read.
            packed = left;
            unpacked = unpacked.min(lz4::most_of(left));
        }
        self.budget.take(packed, unpacked).map_err(|fault| {
            let found = format!("sizes of the {part}: {}", fault.found);
            let rule = &rules::SECTION_SIZE;
            refused(rule, part, unpacked_at, found, fault.expected)
        })
    }
}

/// That only one of the sizes of a section is 0. They are among the six that begin at an offset.
pub(super) fn one_size(frame: &Frame, part: Part, sizes_at: u64) -> ReadError {
    let Frame {
        packed, unpacked, ..
    } = *frame;
    let [packed_at, unpacked_at] = part.size_places(sizes_at);
    let decodes = if packed == 1 { "decodes" } else { "decode" };
    let bytes = counted(packed as usize, "byte");
    let found = format!("sizes of the {part}: {bytes} {decodes} to {unpacked}");
    let place = if packed == 0 { packed_at } else { unpacked_at };
    refused(
        &rules::SECTION_SIZE,
        part,
        place,
        found,
        "both 0, or neither",
    )
}

/// Why something without its common section cannot be read.
pub(super) fn missing(part: Part, at: u64) -> ReadError {
    let found = format!("{part}: the section is missing");
    let expected = "a section that says what is there";
    refused(
        &rules::MISSING_SECTION,
        part,
        Place::Offset(at),
        found,
        expected,
    )
}

/// Reads three packed sizes and what they decode to. Where the sections begin is not known yet.
pub(super) fn read_frames(cursor: &mut Cursor<'_>) -> Result<[Frame; 3], ReadError> {
    let mut frames = [Frame::default(); 3];
    for frame in &mut frames {
        frame.packed = cursor.u32()?;
    }
    for frame in &mut frames {
        frame.unpacked = cursor.u32()?;
    }
    Ok(frames)
}
