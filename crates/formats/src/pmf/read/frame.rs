//! The frames of sections: finds their bounds even if sizes are wrong, and decodes them.

use super::super::bytes::{Cursor, Part, Section};
use super::super::lz4::Lz4Fault;
use super::super::{Frame, PmfError, lz4, rules};
use super::layout::{Chain, begins, is_whole_level};
use super::{LEVEL_HEAD_BYTES, MAX_SHIFT_BYTES, Reader, bytes_from, refused};
use crate::{Place, ReadError, counted};

/// The loss if a section decodes completely although its frame is faulty.
const NOTHING: &str = "nothing, because it decodes to the right size";
/// The loss if a section decodes only in part.
const END_OF_SECTION: &str = "the end of the section";

impl Frame {
    /// Returns `true` if the section is missing.
    pub fn is_empty(&self) -> bool {
        self.packed == 0 && self.unpacked == 0
    }

    /// Decodes the section again. `file` is the whole file; `part` is its name in errors.
    ///
    /// # Errors
    /// The same as when the file was read.
    pub fn unpack(&self, file: &[u8], part: Part) -> Result<Vec<u8>, PmfError> {
        let frame = usize::try_from(self.start)
            .ok()
            .and_then(|start| file.get(start..)?.get(..self.packed as usize));
        let declared = u64::from(self.unpacked);
        lz4::unpack(frame.unwrap_or_default(), declared).map_err(|fault| self.fault(part, fault))
    }

    /// Decodes as much as possible. Also returns the reason if it is incomplete.
    pub(super) fn unpack_partial(
        &self,
        file: &[u8],
        part: Part,
    ) -> Result<(Vec<u8>, Option<ReadError>), ReadError> {
        let rest = bytes_from(file, self.start);
        let frame = rest.get(..self.packed as usize).unwrap_or(rest);
        let fault = |fault| {
            // At the end of the file, the truncation explains every fault.
            if frame.len() < self.packed as usize {
                self.cut_off(frame.len(), part)
            } else {
                self.fault(part, fault)
            }
        };
        match lz4::unpack_partial(frame, self.unpacked.into()) {
            Ok((bytes, why)) => Ok((bytes, why.map(fault))),
            Err(why) => Err(fault(why)),
        }
    }

    /// Adds to the reason how much of the section is lost.
    pub(super) fn losing_end(&self, why: ReadError, bytes: &[u8]) -> ReadError {
        let is_all = bytes.len() == self.unpacked as usize;
        why.with_loss(if is_all { NOTHING } else { END_OF_SECTION })
    }

    /// The error if the file ends after `left` of its bytes.
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

    /// End offset in the file, by its sizes.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.packed.into())
    }

    /// The decoded section as a source for cursors.
    pub(super) fn section(&self, part: Part) -> Section {
        Section {
            part,
            start: self.start,
            is_packed: true,
        }
    }
}

/// The possible ends of a list of frames.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    /// Latest end according to other sizes; 0 if unknown.
    pub announced: u64,
    /// Accepts an end that results from the sizes of the frames.
    pub is_plain: &'a dyn Fn(u64) -> bool,
    /// Accepts an end found by searching.
    pub is_found: &'a dyn Fn(u64) -> bool,
}

impl Reader<'_, '_> {
    /// Places consecutive frames from an offset on and returns the end of the last one. If the size
    /// of a frame does not lead to the next frame, searches for later frames at the distances given
    /// by their sizes. The frame before them is damaged or has a wrong size, which its own blocks
    /// show. `sizes_at` returns the offset of a frame's sizes.
    pub(super) fn place_frames(
        &mut self,
        frames: &mut [Frame],
        part: impl Fn(usize) -> Part,
        from_offset: u64,
        sizes_at: impl Fn(usize) -> u64,
        ends: Ends<'_>,
    ) -> u64 {
        let file = self.bytes;
        self.damage = None;
        let sizes = frames.to_vec();
        let chain = Chain {
            file,
            frames: &sizes,
            is_end: &|at| at == ends.announced || (ends.is_plain)(at),
        };
        let mut at = from_offset;
        let mut i = 0;
        while let Some(frame) = frames.get_mut(i) {
            frame.start = at;
            i += 1;
            if frame.is_empty() {
                continue;
            }
            let end = frame.end();
            let next = sizes.iter().skip(i).find(|frame| !frame.is_empty());
            let goes_on = |at| next.map_or_else(|| (chain.is_end)(at), |_| begins(file, at));
            // No frame after the last one confirms it.
            let own_len = next.is_none().then(|| self.walk(at)).flatten();
            let is_there = next.is_some() || own_len == Some(frame.packed);
            // Bytes between the last frame and the announced end are left over.
            let is_last = next.is_none() && end <= ends.announced;
            if frame.packed > 0 && is_there && (goes_on(end) || is_last) {
                at = end;
                continue;
            }
            let (part, sizes_at) = (part(i - 1), sizes_at(i - 1));
            let own_len = own_len.or_else(|| self.walk(at));
            let is_whole = own_len == Some(frame.packed);
            // The section is missing, and one of its sizes is wrong.
            let is_other =
                own_len == next.map(|next| next.packed) || (next.is_none() && (chain.is_end)(at));
            if (frame.packed == 0 || frame.unpacked == 0) && is_other {
                self.add_damage(one_size(frame, part, sizes_at), None);
                (frame.packed, frame.unpacked) = (0, 0);
                continue;
            }
            let resumed = self.resume(chain, i - 1, at);
            let own_end = own_len.map_or(end, |len| at + u64::from(len));
            let is_next = resumed.is_none_or(|(next, to)| next >= i && to >= own_end);
            if !is_whole && own_end != end && goes_on(own_end) && is_next {
                let packed = counted(frame.packed as usize, "byte");
                frame.packed = (own_end - at) as u32;
                let found = format!("sizes of the {part}: {packed}");
                let expected = format!("{}, as its frame has", frame.packed);
                let [place, _] = part.size_places(sizes_at);
                let error = refused(&rules::SECTION_SIZE, part, place, found, expected);
                self.add_damage(error, None);
                at = own_end;
                continue;
            }
            let is_other_end = |to: &u64| *to >= at && (ends.is_found)(*to);
            let near = |by| [end.saturating_sub(by), end + by];
            let near = || {
                let near = (1..=MAX_SHIFT_BYTES).flat_map(near);
                std::iter::once(at).chain(near).find(is_other_end)
            };
            let is_broken_end = next.is_none() && end <= file.len() as u64;
            let end_of_all = is_broken_end.then(near).flatten();
            let resumed = resumed.or(end_of_all.map(|to| (sizes.len(), to)));
            let Some((next, to)) = resumed.filter(|(_, to)| *to != end) else {
                at = end;
                continue;
            };
            let len = counted((to - at) as usize, "byte");
            let found = format!("{part}: {len} up to the next section");
            let expected = format!("{}, as declared", frame.packed);
            let place = Place::Offset(at);
            let error = refused(&rules::SHIFTED, part, place, found, expected);
            self.add_damage(error, Some(at..to));
            if next >= i && !(is_whole && end <= to) {
                frame.packed = (to - at) as u32;
            }
            for lost in frames.get_mut(i..next).unwrap_or_default() {
                (lost.start, lost.packed) = (at, 0);
            }
            (i, at) = (next, to);
        }
        at
    }

    /// Finds the next intact frame after frame `first`, which begins at `position` and does not
    /// match its size. Returns its number and offset.
    fn resume(&mut self, chain: Chain<'_>, first: usize, position: u64) -> Option<(usize, u64)> {
        // If the damage changes no length, the next frames are in place.
        let mut at = position;
        for (number, frame) in chain.frames.iter().enumerate().skip(first) {
            self.steps_left = self.steps_left.checked_sub(1)?;
            if number > first && frame.packed > 0 && chain.holds(number, at) {
                let frame = chain.frames.get(first)?;
                return Some((first + 1, position + u64::from(frame.packed)));
            }
            at = at.saturating_add(frame.packed.into());
        }
        let file = self.bytes;
        let find = || {
            let all = 0..file.len() as u64;
            all.filter(|at| begins(file, *at)).collect()
        };
        let starts = self.frame_starts.get_or_insert_with(find);
        let before = starts.partition_point(|start| *start < position);
        for start in starts.get(before..).unwrap_or_default() {
            let head = start.saturating_sub(LEVEL_HEAD_BYTES as u64);
            if head >= position && is_whole_level(bytes_from(file, head)) {
                return (chain.is_end)(head).then_some((chain.frames.len(), head));
            }
            for (number, frame) in chain.frames.iter().enumerate().skip(first) {
                self.steps_left = self.steps_left.checked_sub(1)?;
                let is_itself = number == first && *start == position;
                if frame.packed > 0 && !is_itself && chain.holds(number, *start) {
                    return Some((number, *start));
                }
            }
        }
        None
    }

    /// Measures the decoded size of a frame that cannot have the declared one, and corrects it.
    /// Returns `true` if it was corrected.
    pub(super) fn correct_unpacked_size(
        &mut self,
        frame: &mut Frame,
        part: Part,
        sizes_at: u64,
    ) -> bool {
        let rest = bytes_from(self.bytes, frame.start);
        let packed = rest.get(..frame.packed as usize).unwrap_or_default();
        let len = lz4::decoded_len(packed, &mut self.measured_left);
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

    /// Size in bytes of the frame at an offset, by its blocks; `None` if it is corrupt.
    pub(super) fn walk(&mut self, offset: u64) -> Option<u32> {
        self.walks_left = self.walks_left.checked_sub(1)?;
        let len = lz4::frame_end(bytes_from(self.bytes, offset))?;
        u32::try_from(len).ok()
    }

    /// Takes the decoded size of a section from the decoding budget. `sizes_at` is the offset of
    /// the six sizes that include its own.
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
        // Either both sizes are 0 or neither.
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
            // The bytes before the end of the file may be read.
            packed = left;
            unpacked = unpacked.min(lz4::max_decoded_bytes(left));
        }
        self.budget.take(packed, unpacked).map_err(|fault| {
            let found = format!("sizes of the {part}: {}", fault.found);
            let rule = &rules::SECTION_SIZE;
            refused(rule, part, unpacked_at, found, fault.expected)
        })
    }
}

/// The error if only one of the sizes of a section is 0. `sizes_at` is the offset of the six sizes
/// that include them.
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
        "both to be 0, or neither",
    )
}

/// The error for a level or chunk without its common section.
pub(super) fn missing(part: Part, at: u64) -> ReadError {
    let found = format!("{part}: missing section");
    let expected = "the common section";
    refused(
        &rules::MISSING_SECTION,
        part,
        Place::Offset(at),
        found,
        expected,
    )
}

/// Reads three packed and three unpacked sizes. The offsets of the sections are not known yet.
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
