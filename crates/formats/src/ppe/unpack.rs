//! Reads packed or plain byte streams into elements, without trusting declared lengths.

use bytemuck::Pod;
use ruzstd::decoding::errors::{
    BlockHeaderReadError, DecodeBlockContentError, DecompressBlockError, FrameDecoderError,
    ReadFrameHeaderError,
};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::inflate::{End, Inflater};

/// Number of bytes to read before more memory is allocated.
const STEP_BYTES: usize = 1 << 20;
/// Number of bytes allocated up front per byte of the input.
const TRUSTED_RATIO: usize = 16;

/// A stream that is read piece by piece.
pub(super) trait Stream {
    /// Fills the buffer with the next bytes and returns their number, which is smaller only at the
    /// end.
    fn fill(&mut self, buffer: &mut [u8]) -> usize;

    /// The state of the stream at the current position.
    fn end(&mut self) -> End;

    /// Number of input bytes consumed.
    fn consumed(&self) -> usize;

    /// Number of input bytes.
    fn input_bytes(&self) -> usize;
}

/// Elements that are stored in files as raw bytes.
pub(super) trait Element: Pod {
    /// Converts between little-endian and machine byte order.
    fn swap_if_big_endian(&mut self);
}

/// Reads at most `count` elements. Stops early if the stream ends or if `keep_going`, which is called
/// now and then, returns `false`.
pub(super) fn read_elements<T: Element>(
    stream: &mut dyn Stream,
    count: usize,
    keep_going: &mut dyn FnMut(usize) -> bool,
) -> Vec<T> {
    let size = size_of::<T>();
    let step = STEP_BYTES / size;
    let trusted = stream.input_bytes().saturating_mul(TRUSTED_RATIO) / size;
    let mut elements = Vec::new();
    let mut done = 0;
    while done < count {
        let room = count.min(trusted.max(step).max(2 * done));
        if done == 0 {
            // Zeroed memory is not committed before it is used.
            elements = vec![T::zeroed(); room];
        } else {
            elements.reserve_exact(room - done);
            elements.resize(room, T::zeroed());
        }
        while done < room {
            let end = room.min(done + step);
            let buffer = bytemuck::cast_slice_mut(&mut elements[done..end]);
            let wanted = buffer.len();
            let filled = stream.fill(buffer);
            done += filled / size;
            if filled < wanted || !keep_going(stream.consumed()) {
                elements.truncate(done);
                swap_all(&mut elements);
                return elements;
            }
        }
    }
    swap_all(&mut elements);
    elements
}

/// Copies bytes into elements. An incomplete element at the end is dropped.
pub(super) fn copy_elements<T: Element>(bytes: &[u8], count: usize) -> Vec<T> {
    let size = size_of::<T>();
    let count = count.min(bytes.len() / size);
    let mut elements = bytemuck::pod_collect_to_vec(&bytes[..count * size]);
    swap_all(&mut elements);
    elements
}

/// Appends the bytes of elements as stored in files.
pub(super) fn append_elements<T: Element>(elements: &[T], out: &mut Vec<u8>) {
    if cfg!(target_endian = "big") {
        for mut element in elements.iter().copied() {
            element.swap_if_big_endian();
            out.extend_from_slice(bytemuck::bytes_of(&element));
        }
    } else {
        out.extend_from_slice(bytemuck::cast_slice(elements));
    }
}

/// Converts elements between file and machine byte order.
pub(super) fn swap_all<T: Element>(elements: &mut [T]) {
    if cfg!(target_endian = "big") {
        elements.iter_mut().for_each(T::swap_if_big_endian);
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {
        $(impl Element for $integer {
            fn swap_if_big_endian(&mut self) {
                *self = self.to_le();
            }
        })*
    };
}
integers!(u8 u16 u32 u64);

/// Returns `true` if these are valid first bytes of a zlib stream (RFC 1950, 2.2).
pub(super) fn is_zlib_header([method, flags]: [u8; 2]) -> bool {
    const DEFLATE: u8 = 8;
    const LARGEST_WINDOW: u8 = 7;
    const DICTIONARY: u8 = 0x20;
    method & 0x0F == DEFLATE
        && method >> 4 <= LARGEST_WINDOW
        && flags & DICTIONARY == 0
        && u16::from_be_bytes([method, flags]) % 31 == 0
}

impl Stream for Inflater<'_> {
    fn fill(&mut self, buffer: &mut [u8]) -> usize {
        self.fill(buffer)
    }

    fn end(&mut self) -> End {
        self.end()
    }

    fn consumed(&self) -> usize {
        self.consumed()
    }

    fn input_bytes(&self) -> usize {
        self.input_bytes()
    }
}

/// Magic bytes of a Zstandard frame.
pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Consecutive Zstandard frames.
pub(super) struct Zstd<'a> {
    input: &'a [u8],
    /// The unread input.
    rest: &'a [u8],
    decoder: FrameDecoder,
    is_in_frame: bool,
    end: Option<End>,
}

impl<'a> Zstd<'a> {
    pub(super) fn new(input: &'a [u8]) -> Self {
        Self {
            input,
            rest: input,
            decoder: FrameDecoder::new(),
            is_in_frame: false,
            end: None,
        }
    }

    /// Begins the next frame, or sets the end if there is no frame.
    fn begin_frame(&mut self) {
        let is_first = self.rest.len() == self.input.len();
        let is_frame = match self.rest.first_chunk() {
            Some([0x50..=0x5F, 0x2A, 0x4D, 0x18]) => true,
            Some(magic) => *magic == ZSTD_MAGIC,
            None => false,
        };
        if !is_frame {
            let magic = &ZSTD_MAGIC[..self.rest.len().min(4)];
            self.end = Some(match is_first {
                true if self.rest == magic => End::Unfinished,
                true => End::Broken,
                false => End::Complete,
            });
            return;
        }
        let frame = self.rest;
        match self.decoder.reset(&mut self.rest) {
            Ok(()) => self.is_in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => match self.rest.get(length as usize..) {
                Some(rest) => self.rest = rest,
                None => self.end = Some(End::Unfinished),
            },
            Err(_) if self.rest.is_empty() => self.end = Some(End::Unfinished),
            Err(_) => {
                self.rest = frame;
                self.end = Some(End::Broken);
            }
        }
    }

    /// Decodes another block. Bytes decoded before an error remain readable after it. A corrupt
    /// block does not count as consumed.
    fn decode_block(&mut self) {
        /// An empty last block and a checksum.
        const EMPTY_LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
        let one = || BlockDecodingStrategy::UptoBlocks(1);
        let block = self.rest;
        if let Err(error) = self.decoder.decode_blocks(&mut self.rest, one()) {
            if is_cut(&error) {
                self.rest = &[];
                self.end = Some(End::Unfinished);
            } else {
                self.rest = block;
                self.end = Some(End::Broken);
            }
            let _ = self.decoder.decode_blocks(&EMPTY_LAST_BLOCK[..], one());
        }
    }

    fn end_frame(&mut self) {
        self.is_in_frame = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            self.end.get_or_insert(End::WrongChecksum);
        }
    }
}

/// Returns `true` if a block failed because the input ends in it or in the checksum after it.
fn is_cut(error: &FrameDecoderError) -> bool {
    use DecodeBlockContentError as Content;
    matches!(
        error,
        FrameDecoderError::FailedToReadBlockHeader(BlockHeaderReadError::ReadError(_))
            | FrameDecoderError::FailedToReadBlockBody(
                Content::ReadError { .. }
                    | Content::DecompressBlockError(DecompressBlockError::BlockContentReadError(_))
            )
            | FrameDecoderError::FailedToReadChecksum(_)
    )
}

impl Stream for Zstd<'_> {
    fn fill(&mut self, buffer: &mut [u8]) -> usize {
        use std::io::Read as _;
        let mut filled = 0;
        while filled < buffer.len() {
            if !self.is_in_frame {
                if self.end.is_some() {
                    break;
                }
                self.begin_frame();
                continue;
            }
            // Reading from the decoder's memory does not fail.
            let read = self.decoder.read(&mut buffer[filled..]).unwrap_or(0);
            filled += read;
            if read == 0 {
                if self.decoder.is_finished() || self.end.is_some() {
                    self.end_frame();
                } else {
                    self.decode_block();
                }
            }
        }
        filled
    }

    fn end(&mut self) -> End {
        if self.fill(&mut [0]) > 0 {
            return End::More;
        }
        self.end.unwrap_or(End::Complete)
    }

    fn consumed(&self) -> usize {
        self.input.len() - self.rest.len()
    }

    fn input_bytes(&self) -> usize {
        self.input.len()
    }
}

/// Compresses bytes as a zlib stream.
pub(super) fn pack_zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Compresses bytes as a Zstandard frame.
pub(super) fn pack_zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: u32) -> Vec<u32> {
        (0..count).map(|i| i.wrapping_mul(i) >> 9 & 0xFF).collect()
    }

    fn read(stream: &mut dyn Stream, count: usize) -> (Vec<u32>, End) {
        let elements = read_elements(stream, count, &mut |_| true);
        (elements, stream.end())
    }

    #[test]
    fn elements_come_back_from_streams() {
        for count in [1, 1000, 1_000_000] {
            let numbers = numbers(count);
            let mut bytes = Vec::new();
            append_elements(&numbers, &mut bytes);
            let count = numbers.len();
            let (zlib, zstd) = (pack_zlib(&bytes), pack_zstd(&bytes));
            let streams: [Box<dyn Stream>; 2] =
                [Box::new(Inflater::zlib(&zlib)), Box::new(Zstd::new(&zstd))];
            for mut stream in streams {
                let (elements, end) = read(&mut *stream, count);
                assert!(elements == numbers);
                assert_eq!(end, End::Complete);
                assert_eq!(stream.consumed(), stream.input_bytes());
            }
            assert!(copy_elements::<u32>(&bytes, usize::MAX) == numbers);
            assert!(copy_elements::<u32>(&bytes[..4 * count - 1], count) == numbers[..count - 1]);
        }
    }

    #[test]
    fn memory_grows_with_what_is_decoded() {
        let zlib = pack_zlib(&[7; 100]);
        let (elements, end) = read(&mut Inflater::zlib(&zlib), 1 << 40);
        assert_eq!((elements.len(), end), (25, End::Complete));
        assert!(elements.capacity() <= STEP_BYTES);
        let zstd = pack_zstd(&vec![7; 3 << 20]);
        let (elements, end) = read(&mut Zstd::new(&zstd), 1 << 40);
        assert_eq!((elements.len(), end), (3 << 18, End::Complete));
        assert!(elements.capacity() <= 4 << 18);
        let (elements, end) = read(&mut Zstd::new(&zstd), 100);
        assert_eq!((elements.len(), end), (100, End::More));
        assert_eq!(elements.capacity(), 100);
    }

    #[test]
    fn zstandard_frames_follow_each_other() {
        let frame = pack_zstd(&[1; 1000]);
        let skippable = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9];
        let all = [&skippable[..], &frame, &skippable, &frame, b"tail"].concat();
        let mut stream = Zstd::new(&all);
        let (elements, end) = read(&mut stream, 500);
        assert_eq!((elements, end), (vec![0x0101_0101; 500], End::Complete));
        assert_eq!(stream.consumed(), all.len() - 4);

        let end = |input: &[u8]| read(&mut Zstd::new(input), 1000).1;
        assert_eq!(end(&all[..9]), End::Unfinished);
        assert_eq!(end(b"MAP\xf9"), End::Broken);
        assert_eq!(end(&[]), End::Unfinished);
        assert_eq!(end(&frame[..3]), End::Unfinished);
    }

    #[test]
    fn blocks_before_the_end_are_not_lost() {
        let numbers = numbers(200_000);
        let zstd = pack_zstd(bytemuck::cast_slice(&numbers));
        for cut in [1, 4, 1000, zstd.len() / 2, zstd.len() - 10] {
            let (elements, end) = read(&mut Zstd::new(&zstd[..zstd.len() - cut]), 200_000);
            assert_eq!(end, End::Unfinished, "{cut}");
            assert!(numbers.starts_with(&elements), "{cut}");
            // Blocks have at most 128 KiB.
            let lost = numbers.len() - elements.len();
            assert!(lost <= 200_000 * cut / zstd.len() + 40_000, "{cut}: {lost}");
        }
        let mut wrong = zstd.clone();
        *wrong.last_mut().unwrap() ^= 1;
        let (elements, end) = read(&mut Zstd::new(&wrong), 200_000);
        assert!(elements == numbers);
        assert_eq!(end, End::WrongChecksum);
    }
}
