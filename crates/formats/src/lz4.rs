//! LZ4 frames of PMF, PAF and PTF files (fact sheet of PMF, A13).

use std::io::{BufRead as _, Write as _};

use lz4_flex::block::DecompressError;
use lz4_flex::frame::{self, BlockMode, BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

use crate::text::hex;
use crate::{budget, counted};

/// Magic bytes of a frame.
const MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];
/// Maximum decoded size of a section, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Decoding budget for all sections of any file, in bytes. Small files stay far below it, since one
/// byte expands to at most 255.
const MIN_DECODE_BUDGET: u64 = 1 << 30;

/// A fault in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lz4Fault {
    /// Offset from the start of the frame.
    pub at: usize,
    /// The value found.
    pub found: String,
    /// The value expected.
    pub expected: String,
    pub cause: FaultCause,
}

/// Category of a fault in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultCause {
    /// The frame is truncated.
    CutOff,
    /// The frame is intact but decodes to more or less than declared.
    Length,
    /// A checksum is wrong.
    Checksum,
    /// Bytes follow the frame.
    Trailing,
    /// Anything else.
    Other,
}

impl Lz4Fault {
    #[cold]
    fn new(at: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            at,
            found: found.into(),
            expected: expected.into(),
            cause: FaultCause::Other,
        }
    }

    fn of(self, cause: FaultCause) -> Self {
        Self { cause, ..self }
    }
}

/// Remaining decoding budget for the frames of a file.
#[derive(Debug)]
pub(super) struct Budget(budget::Budget);

impl Budget {
    /// The budget for a file of `file_bytes` bytes.
    pub(super) fn new(file_bytes: usize) -> Self {
        Self(budget::Budget::new(MIN_DECODE_BUDGET, file_bytes))
    }

    /// Takes the declared size of a frame from the budget, if it is possible and enough is left.
    pub(super) fn take(&mut self, packed: u64, declared: u64) -> Result<(), Lz4Fault> {
        check_declared(packed, declared)?;
        self.0.take(declared).map_err(|all| {
            Lz4Fault::new(
                0,
                format!("decodes to {declared} bytes"),
                format!("at most {all} bytes in all sections"),
            )
        })
    }
}

/// Checks that a frame of `packed` bytes can decode to `declared` bytes.
fn check_declared(packed: u64, declared: u64) -> Result<(), Lz4Fault> {
    let max = max_decoded_bytes(packed);
    if declared > max {
        return Err(Lz4Fault::new(
            0,
            format!("declared to decode to {declared} bytes"),
            format!(
                "at most {max}, the maximum for {} of LZ4",
                counted(packed as usize, "byte")
            ),
        ));
    }
    Ok(())
}

/// Decodes a frame with a declared decoded size.
///
/// Memory grows with the decoded bytes, up to `declared`.
pub(super) fn unpack(frame: &[u8], declared: u64) -> Result<Vec<u8>, Lz4Fault> {
    let mut bytes: Vec<u8> = Vec::new();
    unpack_each(frame, declared, &mut |block| {
        if bytes.capacity() - bytes.len() < block.len() {
            let room = declared as usize - bytes.len();
            bytes.reserve_exact(room.min(block.len().max(bytes.len())));
        }
        bytes.extend_from_slice(block);
    })?;
    Ok(bytes)
}

/// Decodes as much of a frame as possible, up to its end, the end of the bytes or the declared
/// size. Also returns the fault if the frame is faulty.
///
/// Bytes decoded from a truncated frame are correct. A damaged frame fails, unless it decodes
/// completely and the only faults are a wrong checksum or trailing bytes.
pub(super) fn unpack_partial(
    frame: &[u8],
    declared: u64,
) -> Result<(Vec<u8>, Option<Lz4Fault>), Lz4Fault> {
    let fault = match unpack(frame, declared) {
        Ok(bytes) => return Ok((bytes, None)),
        Err(fault) => fault,
    };
    let max = declared.min(max_decoded_bytes(frame.len() as u64)) as usize;
    let bytes = match fault.cause {
        FaultCause::Other => None,
        FaultCause::CutOff | FaultCause::Length => Some(begun(frame, max)),
        FaultCause::Checksum | FaultCause::Trailing => {
            Some(begun(frame, max)).filter(|bytes| bytes.len() as u64 == declared)
        }
    };
    match bytes {
        Some(bytes) if !bytes.is_empty() => Ok((bytes, Some(fault))),
        _ => Err(fault),
    }
}

/// Maximum number of bytes that `packed` bytes of LZ4 decode to.
pub(super) fn max_decoded_bytes(packed: u64) -> u64 {
    // One byte of LZ4 expands to at most 255.
    MAX_BYTES.min(packed.saturating_mul(255).saturating_add(64))
}

/// Decodes as much of a frame as possible, piece by piece and up to `max` bytes. Returns the number
/// of decoded bytes, and the fault if the frame is faulty or decodes to another number of bytes.
/// Wrong checksums and data after the frame lose no bytes.
pub(super) fn unpack_each_partial(
    frame: &[u8],
    max: u64,
    take: &mut dyn FnMut(&[u8]),
) -> (u64, Option<Lz4Fault>) {
    let mut decoded = 0;
    let strict = unpack_each(frame, max, &mut |block| {
        decoded += block.len();
        take(block);
    });
    let Err(fault) = strict else {
        return (decoded as u64, None);
    };
    if fault.cause != FaultCause::Other {
        let mut skipped = decoded;
        decode_blocks(frame, max as usize, &mut |block| {
            let (_, new) = block.split_at(skipped.min(block.len()));
            skipped -= block.len() - new.len();
            decoded += new.len();
            take(new);
        });
    }
    (decoded as u64, Some(fault))
}

/// Decodes the blocks of a frame and ignores checksums. Stops at the end of the frame, the end of
/// the bytes or a corrupt block.
fn begun(frame: &[u8], max: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    decode_blocks(frame, max, &mut |block| bytes.extend_from_slice(block));
    bytes
}

/// [`begun`] piece by piece.
fn decode_blocks(frame: &[u8], max: usize, take: &mut dyn FnMut(&[u8])) {
    let mut window = Window {
        bytes: Vec::new(),
        passed: 0,
        left: max,
        take,
    };
    let mut is_whole = true;
    // The caller already knows the fault.
    let _ = walk_blocks(frame, &mut |block| {
        let rest = frame.get(block.data..).unwrap_or_default();
        let data = rest.get(..block.len).unwrap_or(rest);
        if !is_whole {
            return;
        }
        if block.is_stored {
            window.push(data);
        } else {
            is_whole = decode_partial_block(data, &mut window).is_some();
        }
    });
    window.pass();
}

/// The last decoded bytes, to which later ones refer.
struct Window<'t> {
    bytes: Vec<u8>,
    /// Number of `bytes` that were passed to `take`.
    passed: usize,
    /// Number of bytes up to the maximum.
    left: usize,
    take: &'t mut dyn FnMut(&[u8]),
}

impl Window<'_> {
    /// Maximum distance of a reference.
    const REACH: usize = 1 << 16;
    /// Size at which the window drops what cannot be referred to any more.
    const FULL: usize = 1 << 20;

    /// Appends bytes, up to the maximum.
    fn push(&mut self, data: &[u8]) {
        for data in data[..data.len().min(self.left)].chunks(Self::REACH) {
            self.bytes.extend_from_slice(data);
            self.left -= data.len();
            self.trim();
        }
    }

    /// Repeats bytes from a distance before the end. Returns `None` if they do not exist.
    fn repeat(&mut self, distance: usize, len: usize) -> Option<()> {
        let mut len = len.min(self.left);
        self.left -= len;
        while len > 0 {
            let start = self.bytes.len().checked_sub(distance)?;
            let end = self.bytes.len() + len.min(Self::REACH);
            len -= end - self.bytes.len();
            // The repeated bytes can be repeated themselves.
            while self.bytes.len() < end {
                let count = (end - self.bytes.len()).min(self.bytes.len() - start);
                if count == 0 {
                    return None;
                }
                self.bytes.extend_from_within(start..start + count);
            }
            self.trim();
        }
        Some(())
    }

    /// Passes on the new bytes.
    fn pass(&mut self) {
        (self.take)(&self.bytes[self.passed..]);
        self.passed = self.bytes.len();
    }

    fn trim(&mut self) {
        if self.bytes.len() >= Self::FULL {
            self.pass();
            self.bytes.drain(..self.bytes.len() - Self::REACH);
            self.passed = Self::REACH;
        }
    }
}

/// Decodes as much of a block as possible. Returns `None` if it ends too early.
fn decode_partial_block(mut rest: &[u8], window: &mut Window<'_>) -> Option<()> {
    // A length that does not fit into four bits continues in the following bytes.
    let length = |short: u8, rest: &mut &[u8]| {
        let mut length = usize::from(short);
        let mut last = if short == 15 { 255 } else { 0 };
        while last == 255 {
            last = *rest.split_off_first()?;
            length = length.saturating_add(last.into());
        }
        Some(length)
    };
    while window.left > 0
        && let Some(token) = rest.split_off_first()
    {
        let literals = length(token >> 4, &mut rest)?;
        window.push(rest.split_off(..literals.min(rest.len()))?);
        if rest.is_empty() {
            break;
        }
        let (distance, after) = rest.split_first_chunk()?;
        rest = after;
        let copied = length(token & 15, &mut rest)?;
        let distance = u16::from_le_bytes(*distance).into();
        window.repeat(distance, copied.saturating_add(4))?;
    }
    Some(())
}

/// Decodes a frame piece by piece, up to the declared total size.
///
/// # Errors
/// As [`unpack`]. Pieces before the fault have already been passed to `take`.
pub(super) fn unpack_each(
    frame: &[u8],
    declared: u64,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), Lz4Fault> {
    check_declared(frame.len() as u64, declared)?;
    let end = walk(frame)?;
    if end < frame.len() {
        let rest = frame.len() - end;
        return Err(Lz4Fault::new(
            end,
            format!("{} after the frame", counted(rest, "byte")),
            "one LZ4 frame",
        )
        .of(FaultCause::Trailing));
    }
    let declared = declared as usize;
    let mut decoder = FrameDecoder::new(frame);
    let mut decoded = 0;
    loop {
        let block = match decoder.fill_buf() {
            Ok([]) => break,
            Ok(block) => block,
            Err(error) => {
                let at = frame.len() - decoder.get_ref().len();
                let fault = Lz4Fault::new(
                    at,
                    format!("the LZ4 frame is damaged before here: {}", reason(&error)),
                    "an LZ4 frame",
                );
                return Err(fault.of(if is_of_checksum(&error) {
                    FaultCause::Checksum
                } else {
                    FaultCause::Other
                }));
            }
        };
        if block.len() > declared - decoded {
            return Err(Lz4Fault::new(
                0,
                "the LZ4 frame decodes to more bytes than declared",
                counted(declared, "byte"),
            )
            .of(FaultCause::Length));
        }
        take(block);
        let len = block.len();
        decoded += len;
        decoder.consume(len);
    }
    if decoded < declared {
        return Err(Lz4Fault::new(
            0,
            format!("the LZ4 frame decodes to {}", counted(decoded, "byte")),
            format!("{declared}, as declared"),
        )
        .of(FaultCause::Length));
    }
    Ok(())
}

/// End offset of the frame at the start of the bytes; `None` if it is truncated or not a frame.
pub(super) fn frame_end(bytes: &[u8]) -> Option<usize> {
    walk(bytes).ok()
}

/// Decoded size of a frame; `None` if it is incomplete or exceeds the budget `left`, which is
/// reduced by the decoded bytes.
pub(super) fn decoded_len(frame: &[u8], left: &mut usize) -> Option<u32> {
    if frame_end(frame) != Some(frame.len()) {
        return None;
    }
    let mut decoder = FrameDecoder::new(frame);
    let mut len = 0;
    loop {
        let block = decoder.fill_buf().ok()?.len();
        if block == 0 {
            return u32::try_from(len).ok();
        }
        len += block;
        *left = left.checked_sub(block)?;
        decoder.consume(block);
    }
}

/// Returns `true` if the bytes begin with the magic of a frame.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns `true` if the bytes begin with the magic of a frame, as far as they go.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    MAGIC.starts_with(bytes) || begins(bytes)
}

/// The beginning of a frame, for messages.
pub(super) fn begin() -> String {
    format!("an LZ4 frame, which begins with {}", hex(&MAGIC))
}

/// Returns `true` if the decoder stopped at a wrong checksum.
fn is_of_checksum(error: &std::io::Error) -> bool {
    use frame::Error;
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(
        inner,
        Some(Error::HeaderChecksumError | Error::BlockChecksumError | Error::ContentChecksumError)
    )
}

/// The reason why the decoder stopped. Replaces the decoder's own messages, which are names from
/// its code.
fn reason(error: &std::io::Error) -> String {
    use frame::Error;
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let text = match inner {
        Some(Error::DecompressionError(error)) => match error {
            DecompressError::OutputTooSmall { .. } => "a block decodes to more than the maximum",
            DecompressError::LiteralOutOfBounds | DecompressError::ExpectedAnotherByte => {
                "truncated block"
            }
            DecompressError::OffsetZero | DecompressError::OffsetOutOfBounds => {
                "a block refers to bytes before the beginning of the data"
            }
            _ => "invalid block",
        },
        Some(Error::UnsupportedBlocksize(number)) => {
            return format!("invalid block size {number}");
        }
        Some(Error::UnsupportedVersion(version)) => {
            return format!("version {version}; expected 1");
        }
        Some(Error::ReservedBitsSet) => "reserved bits of the header are set",
        Some(Error::InvalidBlockInfo) => "invalid block header",
        Some(Error::BlockTooBig) => "a block is larger than the header of the frame allows",
        Some(Error::HeaderChecksumError) => "wrong checksum of the header",
        Some(Error::BlockChecksumError) => "wrong checksum of a block",
        Some(Error::ContentChecksumError) => "wrong checksum of the content",
        Some(Error::ContentLengthError { expected, actual }) => {
            return format!("it decodes to {actual} bytes; its header declares {expected}");
        }
        Some(_) => "invalid frame",
        None => return error.to_string(),
    };
    text.to_owned()
}

/// Walks the blocks of a frame without decoding them and returns the end offset of the frame.
/// Needed because the decoder accepts a frame that is cut between two blocks, and continues with a
/// frame that follows.
fn walk(frame: &[u8]) -> Result<usize, Lz4Fault> {
    walk_blocks(frame, &mut |_| {})
}

/// A block of a frame.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Offset of its bytes.
    data: usize,
    /// Number of bytes.
    len: usize,
    /// `true` if its bytes are not compressed.
    is_stored: bool,
}

/// [`walk`] that passes each block to `begins`, including a truncated one.
fn walk_blocks(frame: &[u8], begins: &mut dyn FnMut(Block)) -> Result<usize, Lz4Fault> {
    const BLOCK_CHECKSUMS: u8 = 0x10;
    const CONTENT_SIZE: u8 = 0x08;
    const CONTENT_CHECKSUM: u8 = 0x04;
    const DICTIONARY: u8 = 0x01;
    const STORED: u32 = 0x8000_0000;

    if !frame.starts_with(&MAGIC) {
        let begin = frame.get(..4).unwrap_or(frame);
        return Err(Lz4Fault::new(
            0,
            format!("the section begins with {}", hex(begin)),
            self::begin(),
        ));
    }
    let ends = |at: usize| {
        Lz4Fault::new(at.min(frame.len()), "truncated frame", "more data").of(FaultCause::CutOff)
    };
    let flags = *frame.get(4).ok_or_else(|| ends(4))?;
    if flags & DICTIONARY != 0 {
        return Err(Lz4Fault::new(
            4,
            "the frame needs a dictionary",
            "a frame without one",
        ));
    }
    let has = |flag: u8, bytes: usize| if flags & flag != 0 { bytes } else { 0 };
    // Magic, flags, block size and the checksum of flags and block size.
    let mut at = 7 + has(CONTENT_SIZE, 8);
    loop {
        let size = frame.get(at..).and_then(|rest| rest.first_chunk());
        let size = u32::from_le_bytes(*size.ok_or_else(|| ends(at))?);
        at += 4;
        if size == 0 {
            break;
        }
        begins(Block {
            data: at,
            len: (size & !STORED) as usize,
            is_stored: size & STORED != 0,
        });
        at = at
            .saturating_add((size & !STORED) as usize)
            .saturating_add(has(BLOCK_CHECKSUMS, 4));
        if at > frame.len() {
            return Err(ends(at));
        }
    }
    at += has(CONTENT_CHECKSUM, 4);
    if at > frame.len() {
        return Err(ends(at));
    }
    Ok(at)
}

/// Compresses bytes into a frame with linked blocks and a content checksum.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    let info = FrameInfo::new()
        .block_mode(BlockMode::Linked)
        .block_size(BlockSize::Max256KB)
        .content_checksum(true);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Wraps bytes in a frame without compression.
pub(super) fn store(bytes: &[u8]) -> Vec<u8> {
    /// Version 1, independent blocks of at most 64 KiB, and the checksum of the descriptor.
    const DESCRIPTOR: [u8; 3] = [0x60, 0x40, 0x82];
    const BLOCK_BYTES: usize = 64 << 10;
    let blocks = bytes.len().div_ceil(BLOCK_BYTES);
    let mut frame = Vec::with_capacity(bytes.len() + 4 * blocks + 11);
    frame.extend(MAGIC);
    frame.extend(DESCRIPTOR);
    for block in bytes.chunks(BLOCK_BYTES) {
        frame.extend((block.len() as u32 | 0x8000_0000).to_le_bytes());
        frame.extend(block);
    }
    frame.extend([0; 4]);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(len: usize) -> Vec<u8> {
        (0..len)
            .map(|i| (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] & 0x3F)
            .collect()
    }

    #[track_caller]
    fn refused(frame: &[u8], declared: u64, with: &str) -> usize {
        let fault = unpack(frame, declared).unwrap_err();
        let text = format!("{}; expected {}", fault.found, fault.expected);
        assert!(text.contains(with), "{text}");
        fault.at
    }

    #[test]
    fn frames_come_back() {
        for len in [0, 1, 100, 70_000, 3_000_000] {
            let bytes = sample(len);
            for frame in [pack(&bytes), store(&bytes)] {
                let unpacked = unpack(&frame, len as u64).unwrap();
                assert!(unpacked == bytes);
                assert!(unpacked.capacity() <= len.max(8));
            }
        }
    }

    #[test]
    fn decoded_length_is_exact() {
        for frame in [pack(&sample(1000)), store(&sample(1000))] {
            refused(&frame, 1001, "decodes to 1000 bytes; expected 1001");
            refused(&frame, 999, "more bytes than declared");
            refused(&frame, 0, "more bytes than declared");
        }
    }

    #[test]
    fn bombs_are_refused_before_they_are_decoded() {
        let frame = pack(&[0; 100]);
        refused(&frame, u64::from(u32::MAX), "at most");
        refused(&frame, 255 * frame.len() as u64 + 65, "at most");
        assert!(check_declared(1 << 40, MAX_BYTES + 1).is_err());
        assert!(check_declared(1 << 40, MAX_BYTES).is_ok());
        let mut budget = Budget::new(1 << 30);
        for _ in 0..4 {
            budget.take(1 << 30, MAX_BYTES).unwrap();
        }
        assert!(budget.take(1 << 30, 1).is_err());
        assert!(budget.take(1 << 30, 0).is_ok());
    }

    #[test]
    fn only_one_whole_frame_will_do() {
        let bytes = sample(5000);
        let frame = pack(&bytes);
        for cut in 0..frame.len() {
            let fault = unpack(&frame[..cut], 5000).unwrap_err();
            assert!(fault.at <= cut);
        }
        let twice = [&frame[..], &frame].concat();
        assert_eq!(refused(&twice, 10_000, "after the frame"), frame.len());
        let more = [&frame[..], &[0]].concat();
        assert_eq!(refused(&more, 5000, "1 byte after the frame"), frame.len());

        let mut legacy = frame.clone();
        legacy[..4].copy_from_slice(&[0x02, 0x21, 0x4C, 0x18]);
        refused(&legacy, 5000, "begins with");
        let mut skippable = vec![0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0];
        skippable.extend(&frame);
        refused(&skippable, 5000, "begins with");
        let mut dictionary = frame.clone();
        dictionary[4] |= 1;
        assert_eq!(refused(&dictionary, 5000, "dictionary"), 4);
        assert_eq!(refused(&[], 0, "begins with"), 0);
    }

    #[test]
    fn what_comes_before_a_cut_is_decoded() {
        // Repetitive bytes, longer than a block.
        let bytes: Vec<u8> = (0..400_000_u32)
            .map(|i| (i % 251 + i / 5000) as u8)
            .collect();
        for frame in [pack(&bytes), store(&bytes)] {
            let mut longest = 0;
            for cut in (0..frame.len()).step_by(frame.len() / 97) {
                let Ok((begun, fault)) = unpack_partial(&frame[..cut], bytes.len() as u64) else {
                    continue;
                };
                assert!(fault.unwrap().found.contains("truncated"));
                assert!(bytes.starts_with(&begun), "{cut}");
                assert!(begun.len() >= longest, "{cut}");
                longest = begun.len();
            }
            assert!(longest > bytes.len() / 2, "{longest}");
            // Up to the declared size, if that is too small.
            let (begun, fault) = unpack_partial(&frame, 300_000).unwrap();
            assert!(begun == bytes[..300_000] && fault.is_some());
            let (begun, fault) = unpack_partial(&frame, 400_001).unwrap();
            assert!(begun == bytes && fault.is_some());
            let mut broken = frame.clone();
            broken[4] ^= 0x40;
            assert!(unpack_partial(&broken, 400_000).is_err());
            // A wrong checksum or trailing bytes lose no data.
            let behind = [&frame[..], &[7]].concat();
            let mut broken = vec![behind];
            for at in [6, frame.len() - 1] {
                let is_checked = at == 6 || frame[4] & 4 != 0;
                broken.extend(is_checked.then(|| {
                    let mut broken = frame.clone();
                    broken[at] ^= 0x30;
                    broken
                }));
            }
            for broken in broken {
                let (all, fault) = unpack_partial(&broken, 400_000).unwrap();
                assert!(all == bytes && fault.is_some());
            }
        }
    }

    #[test]
    fn checksums_are_verified() {
        let frame = pack(&sample(5000));
        for at in [4, 5, 6, 20, frame.len() / 2, frame.len() - 1] {
            let mut broken = frame.clone();
            broken[at] ^= 0x20;
            assert!(unpack(&broken, 5000).is_err(), "byte {at}");
        }
        // A content size in the frame must be true.
        let info = FrameInfo::new().content_size(Some(5001));
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(&sample(5000)).unwrap();
        assert!(encoder.finish().is_err());
        let info = FrameInfo::new()
            .content_size(Some(5000))
            .block_checksums(true);
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(&sample(5000)).unwrap();
        let frame = encoder.finish().unwrap();
        assert!(unpack(&frame, 5000).unwrap() == sample(5000));
        let frame_len = frame.len();
        let mut broken = frame;
        *broken.get_mut(frame_len / 2).unwrap() ^= 0x20;
        refused(&broken, 5000, "before here: wrong checksum of a block");
    }

    #[test]
    fn faults_are_described_in_words() {
        let frame = pack(&sample(5000));
        refused(
            &[0xFB, 0x22, 0x4D, 0x18],
            0,
            "begins with fb 22 4d 18; expected an LZ4 frame, which begins with 04 22 4d 18",
        );
        let mut words = std::collections::BTreeSet::new();
        for at in 4..frame.len() {
            for bit in 0..8 {
                let mut broken = frame.clone();
                broken[at] ^= 1 << bit;
                let Err(fault) = unpack(&broken, 5000) else {
                    continue;
                };
                // Messages contain no type or variant names.
                let is_name =
                    |word: &str| word.chars().skip(1).any(char::is_uppercase) && word != "LZ4";
                assert!(
                    !fault.found.split_whitespace().any(is_name),
                    "{}",
                    fault.found
                );
                assert!(!fault.found.contains(['(', '[', '{']), "{}", fault.found);
                words.insert(fault.found);
            }
        }
        let said = |text: &str| words.iter().any(|found| found.ends_with(text));
        assert!(said("wrong checksum of the header"), "{words:?}");
        assert!(said("wrong checksum of the content"), "{words:?}");
        assert!(said("before the beginning of the data"), "{words:?}");
    }
}
