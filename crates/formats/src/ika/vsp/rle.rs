//! Run-length encoding of VERGE's tilesets (fact sheet 5).

/// End state of a packed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RleEnd {
    /// Exactly the needed elements.
    Whole,
    /// Fewer elements than needed.
    Short,
    /// More elements than needed.
    Long,
}

/// The longest run.
const LONGEST_RUN: usize = 255;

/// Unpacks bytes: FF, a count and a value are a run; any other byte is a literal.
pub(super) fn unpack_bytes(packed: &[u8], count: usize) -> (Vec<u8>, RleEnd) {
    let mut rest = packed.iter().copied();
    let runs = std::iter::from_fn(move || match rest.next()? {
        0xFF => {
            let run = rest.next()?;
            Some((usize::from(run), rest.next()?))
        }
        value => Some((1, value)),
    });
    unpack(runs, count.min(packed.len() * LONGEST_RUN), count)
}

/// Unpacks words: `FFnn` and a value are a run of `nn`; any other word is a literal.
pub(super) fn unpack_words(packed: &[u8], count: usize) -> (Vec<u16>, RleEnd) {
    let (pairs, _) = packed.as_chunks::<2>();
    let mut rest = pairs.iter().copied().map(u16::from_le_bytes);
    let runs = std::iter::from_fn(move || match rest.next()? {
        word if word & 0xFF00 == 0xFF00 => Some((usize::from(word & 0xFF), rest.next()?)),
        value => Some((1, value)),
    });
    unpack(runs, count.min(pairs.len() * LONGEST_RUN), count)
}

/// Expands runs, given as length and value, up to `count` elements.
fn unpack<T: Copy>(
    mut runs: impl Iterator<Item = (usize, T)>,
    room: usize,
    count: usize,
) -> (Vec<T>, RleEnd) {
    let mut out = Vec::with_capacity(room);
    while out.len() < count {
        let Some((run, value)) = runs.next() else {
            return (out, RleEnd::Short);
        };
        let left = count - out.len();
        out.extend(std::iter::repeat_n(value, run.min(left)));
        if run > left {
            return (out, RleEnd::Long);
        }
    }
    let is_whole = runs.next().is_none();
    (
        out,
        if is_whole {
            RleEnd::Whole
        } else {
            RleEnd::Long
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_runs_are_unpacked() {
        let packed = [1, 2, 0xFF, 3, 7, 0xFF, 1, 0xFF, 9];
        let bytes = vec![1, 2, 7, 7, 7, 0xFF, 9];
        assert_eq!(unpack_bytes(&packed, 7), (bytes.clone(), RleEnd::Whole));
        assert_eq!(unpack_bytes(&packed, 8), (bytes.clone(), RleEnd::Short));
        assert_eq!(
            unpack_bytes(&packed, 6),
            (bytes[..6].to_vec(), RleEnd::Long)
        );
        assert_eq!(
            unpack_bytes(&packed, 4),
            (bytes[..4].to_vec(), RleEnd::Long)
        );
        assert_eq!(unpack_bytes(&[5, 0xFF, 3], 4), (vec![5], RleEnd::Short));
        assert_eq!(unpack_bytes(&[0xFF, 0, 3, 4], 1), (vec![4], RleEnd::Whole));
        assert_eq!(unpack_bytes(&[], 0), (vec![], RleEnd::Whole));
    }

    #[test]
    fn words_and_runs_are_unpacked() {
        let packed = [1, 2, 0x03, 0xFF, 0x34, 0x12, 0x01, 0xFF, 0x05, 0xFF];
        let words = vec![0x0201, 0x1234, 0x1234, 0x1234, 0xFF05];
        assert_eq!(unpack_words(&packed, 5), (words.clone(), RleEnd::Whole));
        assert_eq!(unpack_words(&packed, 6), (words.clone(), RleEnd::Short));
        assert_eq!(
            unpack_words(&packed, 3),
            (words[..3].to_vec(), RleEnd::Long)
        );
        assert_eq!(unpack_words(&packed[..3], 3), (vec![0x0201], RleEnd::Short));
    }

    #[test]
    fn no_more_memory_is_taken_than_can_be_filled() {
        let (bytes, end) = unpack_bytes(&[0xFF, 255, 1], 1 << 40);
        assert_eq!((bytes.len(), end), (255, RleEnd::Short));
        assert!(bytes.capacity() < 1000);
    }
}
