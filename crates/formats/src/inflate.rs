//! Inflates zlib streams into a buffer of the caller and reports how they end.

use flate2::{Decompress, FlushDecompress, Status};

/// The state of a stream after the bytes that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The stream ends here, and its checksum matches.
    Complete,
    /// The stream ends here, but its checksum does not match.
    WrongChecksum,
    /// The input is truncated. As little as the last block or the checksum may be missing.
    Unfinished,
    /// The following bytes are not a zlib stream.
    Broken,
    /// The stream has more bytes.
    More,
}

/// A zlib stream that is read part by part.
#[derive(Debug)]
pub(super) struct Inflater<'a> {
    input: &'a [u8],
    consumed: usize,
    stream: Decompress,
    end: Option<End>,
}

impl<'a> Inflater<'a> {
    /// Creates an inflater at the beginning of a stream. `input` may be longer than the stream.
    pub(super) fn zlib(input: &'a [u8]) -> Self {
        Self {
            input,
            consumed: 0,
            stream: Decompress::new(true),
            end: None,
        }
    }

    /// Number of input bytes consumed: the whole stream once it is complete.
    pub(super) fn consumed(&self) -> usize {
        self.consumed
    }

    /// Number of input bytes.
    pub(super) fn input_bytes(&self) -> usize {
        self.input.len()
    }

    /// Fills the buffer with the next bytes and returns their number. It is less than the buffer's
    /// length only at the end of the stream; [`Inflater::end`] describes that end.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < buffer.len() && self.end.is_none() {
            filled += self.step(&mut buffer[filled..]);
        }
        filled
    }

    /// Returns the state of the stream. One byte is lost if it is [`End::More`].
    pub(super) fn end(&mut self) -> End {
        loop {
            if let Some(end) = self.end {
                return end;
            }
            if self.step(&mut [0]) > 0 {
                return End::More;
            }
        }
    }

    /// Makes one step: something is read or written, or the end is found.
    fn step(&mut self, buffer: &mut [u8]) -> usize {
        let input = self.input.get(self.consumed..).unwrap_or_default();
        let (read, written) = (self.stream.total_in(), self.stream.total_out());
        let status = self.stream.decompress(input, buffer, FlushDecompress::None);
        let read = (self.stream.total_in() - read) as usize;
        let written = (self.stream.total_out() - written) as usize;
        self.consumed += read;
        self.end = match status {
            Ok(Status::StreamEnd) => Some(End::Complete),
            Ok(_) if read > 0 || written > 0 => None,
            Ok(_) => Some(End::Unfinished),
            // The message is the only way to recognise this error.
            Err(error) if error.message() == Some("incorrect data check") => {
                Some(End::WrongChecksum)
            }
            Err(_) => Some(End::Broken),
        };
        written.min(buffer.len())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn bytes() -> Vec<u8> {
        (0..100_000_u32)
            .map(|i| (i.wrapping_mul(i) >> 7) as u8 & 0x1f)
            .collect()
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Inflates an input in parts; returns the bytes, the end and the number of consumed bytes.
    fn inflate(input: &[u8], part: usize, max: usize) -> (Vec<u8>, End, usize) {
        let mut inflater = Inflater::zlib(input);
        let mut out = Vec::new();
        while out.len() < max {
            let start = out.len();
            let want = part.min(max - start);
            out.resize(start + want, 0);
            let filled = inflater.fill(&mut out[start..]);
            out.truncate(start + filled);
            if filled < want {
                break;
            }
        }
        (out, inflater.end(), inflater.consumed())
    }

    #[test]
    fn whole_streams_end_where_they_do() {
        let bytes = bytes();
        let stream = deflate(&bytes);
        let more = [&stream[..], b"more"].concat();
        for part in [1, 7, 1000, 100_000, 200_000] {
            for input in [&stream, &more] {
                let (out, end, consumed) = inflate(input, part, bytes.len());
                assert!(out == bytes);
                assert_eq!((end, consumed), (End::Complete, stream.len()));
                let (out, end, _) = inflate(input, part, usize::MAX);
                assert!(out == bytes);
                assert_eq!(end, End::Complete);
            }
            let (out, end, _) = inflate(&stream, part, bytes.len() - 1);
            assert!(out == bytes[..bytes.len() - 1]);
            assert_eq!(end, End::More);
        }
        assert_eq!(inflate(&deflate(&[]), 10, 10).1, End::Complete);
    }

    #[test]
    fn what_is_wrong_with_a_stream_is_told_apart() {
        let bytes = bytes();
        let stream = deflate(&bytes);
        let len = stream.len();
        for cut in 1..=4 {
            let (out, end, _) = inflate(&stream[..len - cut], 1 << 20, bytes.len());
            assert!(out == bytes, "all is there");
            assert_eq!(end, End::Unfinished);
        }
        let (out, end, consumed) = inflate(&stream[..len / 2], 1000, bytes.len());
        assert!(!out.is_empty() && bytes.starts_with(&out));
        assert_eq!((end, consumed), (End::Unfinished, len / 2));
        assert_eq!(inflate(&[], 10, 10), (Vec::new(), End::Unfinished, 0));

        let mut wrong = stream.clone();
        wrong[len - 1] ^= 1;
        for part in [1, 1 << 20] {
            let (out, end, _) = inflate(&wrong, part, bytes.len());
            assert!(out == bytes);
            assert_eq!(end, End::WrongChecksum);
        }
        let mut broken = stream;
        broken[..2].copy_from_slice(b"MA");
        assert_eq!(inflate(&broken, 10, 10).1, End::Broken);
    }
}
