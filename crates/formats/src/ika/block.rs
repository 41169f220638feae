//! Blocks of tiles, obstruction, zones and pixels: zlib streams, which the engine mostly left
//! unfinished (fact sheet 2, 7.4).

use std::ops::ControlFlow;

use flate2::{Compress, Compression, FlushCompress, Status};

use super::{MIN_INFLATE_BUDGET, WriteError, rules};
use crate::budget::Budget;
use crate::inflate::{End, Inflater};
use crate::parallel::in_parallel;
use crate::problems::Cause;
use crate::{Place, Problems, ReadError, Rule, Subject, UnreadReason, counted};

/// Maximum number of bytes that one byte of a deflate stream expands to.
const MAX_PER_BYTE: u64 = 1032;
/// Allowance above that, so that the inflater detects the fault.
const SLACK_BYTES: u64 = 64 << 10;

/// Number of bytes inflated beyond the needed ones to detect damage.
const MAX_TRAILING_BYTES: u64 = 1 << 20;

/// The element type of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Byte,
    /// Four bytes, little-endian.
    Word,
}

impl Element {
    fn bytes(self) -> u64 {
        match self {
            Self::Byte => 1,
            Self::Word => 4,
        }
    }
}

/// The elements of a block.
#[derive(Debug)]
pub(super) enum Elements {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

impl Elements {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Words(words) => words.len(),
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Words(_) => Vec::new(),
        }
    }

    pub(super) fn into_words(self) -> Vec<u32> {
        match self {
            Self::Bytes(_) => Vec::new(),
            Self::Words(words) => words,
        }
    }
}

/// The result of inflating a block.
#[derive(Debug)]
pub(super) struct Inflated {
    pub elements: Elements,
    /// Reason for missing elements, if any are missing.
    pub not_read: Option<UnreadReason>,
}

/// A block to inflate.
#[derive(Debug)]
pub(super) struct Block<B> {
    /// The compressed bytes.
    pub bytes: B,
    /// The position given in messages.
    pub place: Place,
    /// The name given in messages.
    pub name: String,
    /// The subject of its problems.
    pub subject: Subject,
    pub element: Element,
    /// Number of elements needed.
    pub count: u64,
    /// The problem that makes the block incomplete, if there is one.
    pub cause: Option<Cause>,
}

impl<B: AsRef<[u8]> + Sync> Block<B> {
    /// Number of bytes needed.
    pub(super) fn needed_bytes(&self) -> u64 {
        self.count * self.element.bytes()
    }

    /// Number of elements in `bytes`.
    fn elements_in(&self, bytes: u64) -> u64 {
        bytes / self.element.bytes()
    }

    /// Maximum number of bytes that can be inflated.
    fn possible_bytes(&self) -> u64 {
        let possible = match self.bytes.as_ref().len() as u64 {
            0 => 0,
            packed => packed * MAX_PER_BYTE + SLACK_BYTES,
        };
        self.needed_bytes().min(possible)
    }

    /// Inflates the block. Returns the elements, the number of bytes, how the stream ends and how
    /// much of the input was consumed.
    fn inflate(&self) -> (Elements, usize, End, usize) {
        let bytes = self.bytes.as_ref();
        let possible = self.possible_bytes() as usize;
        let mut inflater = Inflater::zlib(bytes);
        // Zeroed memory is not committed before it is written.
        let (elements, got) = match self.element {
            Element::Byte => {
                let mut bytes = vec![0_u8; possible];
                let got = inflater.fill(&mut bytes);
                bytes.truncate(got);
                (Elements::Bytes(bytes), got)
            }
            Element::Word => {
                let mut words = vec![0_u32; possible.div_ceil(4)];
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
                let got = inflater.fill(bytes.get_mut(..possible).unwrap_or_default());
                words.truncate(got / 4);
                if cfg!(target_endian = "big") {
                    for word in &mut words {
                        *word = word.swap_bytes();
                    }
                }
                (Elements::Words(words), got)
            }
        };
        let end = inflater.end();
        (elements, got, end, inflater.consumed())
    }
}

/// The last bytes of a stream that was flushed but not finished.
const FLUSHED: [u8; 4] = [0, 0, 0xFF, 0xFF];

/// Returns `true` if the bytes are exactly one block of the given size: the stream is finished or
/// flushed at their end.
pub(super) fn is_whole(bytes: &[u8], needed: u64) -> bool {
    let mut inflater = Inflater::zlib(bytes);
    if skip(&mut inflater, needed).is_none() {
        return false;
    }
    match inflater.end() {
        End::Complete => inflater.consumed() == bytes.len(),
        End::Unfinished => bytes.ends_with(&FLUSHED),
        _ => false,
    }
}

/// Number of bytes after a flushed stream of the given size. `consumed` is how much input the
/// inflater took.
fn bytes_after_flush(bytes: &[u8], needed: u64, consumed: usize) -> Option<usize> {
    /// The inflater reads ahead by at most the lengths of all codes.
    const MAX_AHEAD: usize = 400;
    let from = consumed.saturating_sub(MAX_AHEAD);
    let near = bytes.get(from..bytes.len().min(consumed + FLUSHED.len()))?;
    let flushed = near.windows(FLUSHED.len()).position(|it| it == FLUSHED)?;
    let (stream, behind) = bytes.split_at_checked(from + flushed + FLUSHED.len())?;
    is_whole(stream, needed).then_some(behind.len())
}

/// Returns `true` if a stream with more than the needed bytes breaks after them or has a wrong
/// checksum.
fn has_trailing_damage(bytes: &[u8], needed: u64) -> bool {
    let mut inflater = Inflater::zlib(bytes);
    let _ = skip(&mut inflater, needed + MAX_TRAILING_BYTES);
    matches!(inflater.end(), End::Broken | End::WrongChecksum)
}

/// Skips `needed` bytes; `None` if there are fewer.
fn skip(inflater: &mut Inflater<'_>, needed: u64) -> Option<()> {
    let mut part = vec![0; 64 << 10];
    let mut left = needed;
    while left > 0 {
        let want = left.min(part.len() as u64) as usize;
        let filled = inflater.fill(part.get_mut(..want)?);
        left = left.checked_sub(filled as u64).filter(|_| filled > 0)?;
    }
    Some(())
}

/// The inflation budget for all blocks of a file.
pub(super) fn budget(file_bytes: usize) -> Budget {
    Budget::new(MIN_INFLATE_BUDGET, file_bytes)
}

/// Inflates blocks in parallel. Elements that are missing at the end of a block are reported.
pub(super) fn inflate_all<B: AsRef<[u8]> + Sync>(
    blocks: &[Block<B>],
    budget: &mut Budget,
    problems: &mut Problems,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Vec<Inflated>, ReadError> {
    let admitted: Vec<Result<(), u64>> = blocks
        .iter()
        .map(|block| budget.take(block.possible_bytes()))
        .collect();
    // The other threads may finish everything before this one polls `watch`.
    if watch(0.0).is_break() {
        return Err(ReadError::Cancelled);
    }
    let mut on_progress = |begun: usize| watch(begun as f32 / blocks.len() as f32);
    let inflated = in_parallel(blocks.len(), &mut on_progress, |i| {
        let (block, admitted) = (blocks.get(i)?, admitted.get(i)?);
        admitted.is_ok().then(|| block.inflate())
    });
    let mut all = Vec::with_capacity(blocks.len());
    let inflated = inflated.ok_or(ReadError::Cancelled)?;
    for ((block, admitted), inflated) in blocks.iter().zip(admitted).zip(inflated) {
        let Some((elements, bytes, end, consumed)) = inflated else {
            problems.add_about(&rules::BLOCK, block.subject, block.place, || {
                format!(
                    "{}: needs {}, but the blocks of a file of this size can inflate to at most \
                     {}; it is left out",
                    block.name,
                    counted(block.needed_bytes() as usize, "byte"),
                    admitted.err().unwrap_or_default()
                )
            });
            all.push(Inflated {
                elements: match block.element {
                    Element::Byte => Elements::Bytes(Vec::new()),
                    Element::Word => Elements::Words(Vec::new()),
                },
                not_read: Some(UnreadReason::TooLarge),
            });
            continue;
        };
        let not_read = check_stream_end(block, bytes as u64, end, consumed, problems);
        all.push(Inflated { elements, not_read });
    }
    Ok(all)
}

/// Reports faults at the end of a block. Returns the reason if the end was not read.
fn check_stream_end<B: AsRef<[u8]> + Sync>(
    block: &Block<B>,
    got: u64,
    end: End,
    consumed: usize,
    problems: &mut Problems,
) -> Option<UnreadReason> {
    let subject = block.subject;
    let (name, place, needed) = (&block.name, block.place, block.needed_bytes());
    let bytes = block.bytes.as_ref();
    // If the size of the map is wrong, all blocks are too short or too long by the same amount.
    let mut add = |alike: Option<u64>, rule: &'static Rule, message: String| {
        let message = || message;
        match alike {
            Some(_) if block.cause.is_none() => {
                problems.add_grouped((alike, block.count), rule, subject, place, message);
            }
            _ => problems.add_consequence(block.cause, rule, subject, place, message),
        }
    };
    if got < needed {
        let (why, not_read) = match end {
            End::Broken => ("is not a zlib stream after that", UnreadReason::Damaged),
            _ => ("ends there", UnreadReason::DataEnds),
        };
        let elements = block.elements_in(got);
        let is_short = not_read == UnreadReason::DataEnds && elements > 0;
        let got = counted(got as usize, "byte");
        let message = format!("{name}: inflates to {got} and {why}; expected {needed}");
        add(is_short.then_some(elements), &rules::BLOCK, message);
        return Some(not_read);
    }
    let behind = match end {
        End::Complete => Some(bytes.len() - consumed).filter(|rest| *rest > 0),
        End::Broken => bytes_after_flush(bytes, needed, consumed),
        // More bytes can be the beginning of another part of the stream.
        End::Unfinished if !bytes.ends_with(&FLUSHED) => bytes_after_flush(bytes, needed, consumed),
        _ => None,
    };
    let is_broken = match end {
        End::More => has_trailing_damage(bytes, needed),
        End::Broken => behind.is_none(),
        _ => false,
    };
    let needed = counted(needed as usize, "byte");
    if let Some(behind) = behind {
        let rest = counted(behind, "byte");
        let message = format!("{name}: {rest} after the end of the zlib stream; ignored");
        add(None, &rules::TRAILING_DATA, message);
    } else if is_broken {
        let message = format!(
            "{name}: the stream is damaged after the needed {needed}; its values may be wrong"
        );
        add(None, &rules::DAMAGED_BLOCK, message);
    } else if end == End::WrongChecksum {
        let message =
            format!("{name}: the checksum does not match the data; its values may be wrong");
        add(None, &rules::DAMAGED_BLOCK, message);
    } else if end == End::More {
        let message =
            format!("{name}: inflates to more than the needed {needed}; the rest is left out");
        add(Some(block.count), &rules::LONG_BLOCK, message);
    }
    None
}

/// Compresses a block as the engine did: a zlib stream that is flushed but not finished.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Compress::new(Compression::default(), true);
    let mut out = Vec::with_capacity(bytes.len() / 16 + 64);
    loop {
        let read = stream.total_in() as usize;
        let rest = bytes.get(read..).unwrap_or_default();
        let status = stream.compress_vec(rest, &mut out, FlushCompress::Sync);
        let is_flushed = out.len() < out.capacity() && stream.total_in() as usize == bytes.len();
        // Writing to memory does not fail.
        if is_flushed || !matches!(status, Ok(Status::Ok | Status::BufError)) {
            return out;
        }
        out.reserve(out.capacity().max(64));
    }
}

/// [`deflate`] for words.
pub(super) fn deflate_words(words: &[u32]) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        return deflate(&bytes);
    }
    deflate(bytemuck::cast_slice(words))
}

/// Checks that a list to be written has one element per tile of its layer.
pub(super) fn check_count(
    record: &str,
    what: &str,
    count: usize,
    [width, height]: [u32; 2],
) -> Result<(), WriteError> {
    let needed = u64::from(width) * u64::from(height);
    if count as u64 == needed {
        return Ok(());
    }
    Err(WriteError::new(
        record,
        format!("{count} {what}, but {width} x {height} tiles"),
    ))
}

/// Returns `true` if the bytes begin with a zlib header.
pub(super) fn is_zlib(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|[cmf, flg]| {
        cmf & 0x0F == 8 && u16::from_be_bytes([*cmf, *flg]).is_multiple_of(31)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::ZlibEncoder;

    use super::*;
    use crate::Problem;

    fn block(bytes: Vec<u8>, element: Element, count: u64) -> Block<Vec<u8>> {
        Block {
            bytes,
            place: Place::Offset(7),
            name: "layer 0".to_owned(),
            subject: Subject::File,
            element,
            count,
            cause: None,
        }
    }

    fn inflate(block: Block<Vec<u8>>) -> (Elements, Vec<Problem>) {
        let mut problems = Problems::new();
        let mut budget = budget(block.bytes.len());
        let mut go_on = |_| ControlFlow::Continue(());
        let mut all = inflate_all(&[block], &mut budget, &mut problems, &mut go_on).unwrap();
        (all.remove(0).elements, problems.finish())
    }

    fn finished(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_block_ends_where_its_stream_does() {
        let bytes = sample(100_000);
        for stream in [deflate(&bytes), finished(&bytes)] {
            let more = [&stream[..], &[0; 9]].concat();
            for len in stream.len() - 9..=more.len() {
                let is_end = is_whole(&more[..len], 100_000);
                assert_eq!(is_end, len == stream.len(), "{len}");
            }
            assert!(!is_whole(&stream, 99_999) && !is_whole(&stream, 100_001));
        }
    }

    #[test]
    fn complete_streams_need_no_checksum() {
        for bytes in [vec![0; 40_000], sample(40_000), vec![7]] {
            let mut stream = finished(&bytes);
            stream.truncate(stream.len() - 4);
            let needed = bytes.len() as u64;
            let (elements, problems) = inflate(block(stream.clone(), Element::Byte, needed));
            assert!(elements.into_bytes() == bytes);
            assert_eq!(problems, []);
            // Surplus bytes are dropped.
            let (elements, problems) = inflate(block(stream, Element::Byte, needed / 2));
            assert!(elements.into_bytes() == bytes[..needed as usize / 2]);
            if needed > 1 {
                one(&problems, crate::Severity::Warning, "ika/long-block");
            }
        }
    }

    fn sample(len: usize) -> Vec<u8> {
        (0..len)
            .map(|i| (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] & 0x3F)
            .collect()
    }

    #[track_caller]
    fn one(problems: &[Problem], severity: crate::Severity, with: &str) {
        let [problem] = problems else {
            panic!("{problems:?}")
        };
        assert_eq!(problem.severity, severity);
        assert!(problem.facts().contains(with), "{}", problem.facts());
    }

    #[test]
    fn unfinished_streams_are_as_good_as_finished_ones() {
        for len in [0, 1, 64, 1000, 300_000] {
            let bytes = sample(len);
            let unfinished = deflate(&bytes);
            assert!(unfinished.ends_with(&[0, 0, 0xFF, 0xFF]), "{len}");
            for stream in [unfinished, finished(&bytes)] {
                let (elements, problems) = inflate(block(stream, Element::Byte, len as u64));
                assert!(elements.into_bytes() == bytes);
                assert_eq!(problems, []);
            }
        }
        let words = [0, 1, 0xFFFF_FFFF, 0x0102_0304];
        let stream = deflate_words(&words);
        let (elements, problems) = inflate(block(stream, Element::Word, 4));
        assert_eq!((elements.into_words(), problems), (words.to_vec(), vec![]));
    }

    #[test]
    fn streams_of_other_lengths_are_listed() {
        use crate::Severity::{Error, Warning};
        let stream = deflate(&sample(1002));
        let (elements, problems) = inflate(block(stream.clone(), Element::Byte, 1003));
        assert!(elements.into_bytes() == sample(1002));
        one(&problems, Error, "ika/block: 0 1002 1003");

        let (elements, problems) = inflate(block(stream.clone(), Element::Word, 251));
        assert_eq!(elements.into_words().len(), 250);
        one(&problems, Error, "ika/block: 0 1002 1004");

        let (elements, problems) = inflate(block(stream, Element::Byte, 1001));
        assert!(elements.into_bytes() == sample(1001));
        one(&problems, Warning, "ika/long-block: 0 1001");

        for more in [&[0; 9][..], &[1, 2, 3], &[0xFF; 40]] {
            let long = [&deflate(&sample(100)), more].concat();
            let (elements, problems) = inflate(block(long, Element::Byte, 100));
            assert!(elements.into_bytes() == sample(100));
            one(
                &problems,
                Warning,
                &format!("ika/trailing-data: 0 {}", more.len()),
            );
        }

        let broken = [&deflate(&sample(1002)), &[7; 9][..]].concat();
        let (_, problems) = inflate(block(broken, Element::Byte, 900));
        one(&problems, Error, "ika/damaged-block: 0 900");

        let mut long = finished(&sample(100));
        long.extend([1, 2, 3]);
        let (_, problems) = inflate(block(long, Element::Byte, 100));
        one(&problems, Warning, "ika/trailing-data: 0 3");

        let mut wrong = finished(&sample(100));
        *wrong.last_mut().unwrap() ^= 1;
        let (elements, problems) = inflate(block(wrong, Element::Byte, 100));
        assert!(elements.into_bytes() == sample(100));
        one(&problems, Error, "ika/damaged-block: 0");

        let (elements, problems) = inflate(block(b"no zlib".to_vec(), Element::Word, 10));
        assert!(elements.into_words().is_empty());
        one(&problems, Error, "ika/block: 0 40");
        let (_, problems) = inflate(block(Vec::new(), Element::Word, 10));
        one(&problems, Error, "ika/block: 0 40");
    }

    #[test]
    fn a_wrong_size_of_the_map_is_one_problem() {
        let tiles = block(deflate_words(&[7; 90]), Element::Word, 100);
        let obstruction = block(deflate(&[1; 90]), Element::Byte, 100);
        let other = block(deflate(&[1; 80]), Element::Byte, 100);
        let mut problems = Problems::new();
        let mut go_on = |_| ControlFlow::Continue(());
        let blocks = [tiles, obstruction, other];
        inflate_all(&blocks, &mut budget(0), &mut problems, &mut go_on).unwrap();
        let problems = problems.finish();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert_eq!(problems[0].consequences.len(), 1);
        assert!(problems[1].facts().contains("ika/block: 0 100 80"));
    }

    #[test]
    fn memory_is_bounded_by_the_block_and_the_file() {
        let (elements, problems) = inflate(block(deflate(&[0; 100]), Element::Word, 1 << 26));
        let Elements::Words(words) = elements else {
            panic!("words were asked for")
        };
        assert!(words.capacity() < 100_000, "{}", words.capacity());
        assert_eq!(problems.len(), 1);

        let full = || block(deflate(&vec![0; 1 << 24]), Element::Byte, 1 << 24);
        let blocks: Vec<_> = (0..18).map(|_| full()).collect();
        let mut problems = Problems::new();
        let mut go_on = |_| ControlFlow::Continue(());
        let all = inflate_all(&blocks, &mut budget(0), &mut problems, &mut go_on).unwrap();
        let lengths: Vec<_> = all
            .into_iter()
            .map(|block| (block.elements.into_bytes().len(), block.not_read))
            .collect();
        assert_eq!(lengths[..16], [(1 << 24, None); 16]);
        assert_eq!(lengths[16..], [(0, Some(UnreadReason::TooLarge)); 2]);
        let problems = problems.finish();
        assert_eq!(problems.len(), 2);
        assert!(
            problems[0]
                .facts()
                .contains("ika/block: 0 16777216 268435456"),
            "{}",
            problems[0]
        );
    }
}
