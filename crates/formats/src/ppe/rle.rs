//! Run-length encoding as in TGA, for elements of any size (fact sheet 6).

use bytemuck::Pod;

/// Flag in the first byte of a packet that repeats one element.
const RUN: u8 = 0x80;
/// Maximum number of elements in a packet.
const LONGEST: usize = 128;

/// A fault in a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The input ends before or in the packet.
    Cut,
    /// The packet exceeds the requested count by this number of elements.
    Overlong(usize),
}

/// The result of decoding packets.
#[derive(Debug, PartialEq)]
pub(super) struct Unpacked<T> {
    /// The elements, fewer than requested if the input is truncated.
    pub elements: Vec<T>,
    /// End offset: after the last packet, or at the faulty one.
    pub end: usize,
    /// The fault of the packet at `end`.
    pub fault: Option<Fault>,
}

/// A packet without its elements.
struct Packet {
    is_run: bool,
    count: usize,
    /// Total size in bytes.
    bytes: usize,
}

impl Packet {
    fn new(head: u8, element_bytes: usize) -> Self {
        let is_run = head & RUN != 0;
        let count = usize::from(head & !RUN) + 1;
        let stored = if is_run { 1 } else { count };
        Self {
            is_run,
            count,
            bytes: 1 + stored * element_bytes,
        }
    }
}

/// Decodes packets up to `count` elements.
///
/// Memory is bounded by the maximum decoded size of the bytes.
pub(super) fn unpack<T: Pod>(bytes: &[u8], count: usize) -> Unpacked<T> {
    let element_bytes = size_of::<T>();
    let possible = bytes.len() / (1 + element_bytes) * LONGEST + LONGEST;
    let mut elements = Vec::with_capacity(count.min(possible));
    let mut end = 0;
    let mut fault = None;
    while elements.len() < count {
        let rest = bytes.get(end..).unwrap_or_default();
        let Some(packet) = rest.first().map(|head| Packet::new(*head, element_bytes)) else {
            fault = Some(Fault::Cut);
            break;
        };
        let room = count - elements.len();
        let stored = &rest[1..rest.len().min(packet.bytes)];
        let is_cut = rest.len() < packet.bytes;
        let mut stored = stored
            .chunks_exact(element_bytes)
            .map(bytemuck::pod_read_unaligned::<T>);
        if packet.is_run {
            if let Some(element) = stored.next() {
                elements.extend(std::iter::repeat_n(element, packet.count.min(room)));
            }
        } else {
            elements.extend(stored.take(room));
        }
        if is_cut {
            fault = Some(Fault::Cut);
            break;
        }
        if packet.count > room {
            fault = Some(Fault::Overlong(packet.count - room));
            break;
        }
        end += packet.bytes;
    }
    Unpacked {
        elements,
        end,
        fault,
    }
}

/// Returns `true` if the packets at the start of the bytes have exactly `count` elements.
pub(super) fn fits(bytes: &[u8], count: usize, element_bytes: usize) -> bool {
    let mut found = 0;
    let mut end = 0_usize;
    while found < count {
        let Some(head) = bytes.get(end) else {
            return false;
        };
        let packet = Packet::new(*head, element_bytes);
        found += packet.count;
        end += packet.bytes;
    }
    found == count && end <= bytes.len()
}

/// Encodes elements. At least two equal elements become a run, because a run is shorter then.
pub(super) fn pack<T: Pod + PartialEq>(elements: &[T], out: &mut Vec<u8>) {
    let mut rest = elements;
    let run_of = |rest: &[T]| {
        let first = rest.first();
        let equal = rest.iter().take_while(|element| Some(*element) == first);
        equal.take(LONGEST).count()
    };
    while let Some(first) = rest.first() {
        let run = run_of(rest);
        let taken = if run > 1 {
            out.push(RUN | (run - 1) as u8);
            out.extend_from_slice(bytemuck::bytes_of(first));
            run
        } else {
            let next_run = rest
                .windows(2)
                .take(LONGEST)
                .position(|pair| pair[0] == pair[1]);
            let literals = next_run.unwrap_or(rest.len().min(LONGEST));
            out.push((literals - 1) as u8);
            out.extend_from_slice(bytemuck::cast_slice(&rest[..literals]));
            literals
        };
        rest = &rest[taken..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(bytes: &[u8], count: usize) -> (Vec<u16>, usize, Option<Fault>) {
        let unpacked = unpack(bytes, count);
        assert!(unpacked.elements.capacity() <= count);
        (unpacked.elements, unpacked.end, unpacked.fault)
    }

    #[test]
    fn packets_are_runs_and_literals() {
        let bytes = [0x82, 7, 0, 0x01, 1, 0, 2, 0, 0x80, 9, 0, 0x00, 3, 1];
        let elements = vec![7, 7, 7, 1, 2, 9, 0x103];
        assert_eq!(unpacked(&bytes, 7), (elements.clone(), 14, None));
        assert!(fits(&bytes, 7, 2) && fits(&bytes, 6, 2) && !fits(&bytes, 4, 2));
        // Only the requested elements are read.
        assert_eq!(unpacked(&bytes, 3), (elements[..3].to_vec(), 3, None));
        assert_eq!(unpacked(&bytes, 0), (Vec::new(), 0, None));
        assert_eq!(unpacked(&[0xFF, 1, 1], 128).0, [0x101; 128]);
    }

    #[test]
    fn faults_keep_what_can_be_read() {
        let bytes = [0x82, 7, 0, 0x01, 1, 0, 2, 0];
        let expected = |elements: &[u16], end, fault| (elements.to_vec(), end, Some(fault));
        assert_eq!(
            unpacked(&bytes, 2),
            expected(&[7, 7], 0, Fault::Overlong(1))
        );
        let four = expected(&[7, 7, 7, 1], 3, Fault::Overlong(1));
        assert_eq!(unpacked(&bytes, 4), four);
        let five = expected(&[7, 7, 7, 1, 2], 8, Fault::Cut);
        assert_eq!(unpacked(&bytes, 1000), five);
        assert_eq!(
            unpacked(&bytes[..7], 5),
            expected(&[7, 7, 7, 1], 3, Fault::Cut)
        );
        assert_eq!(unpacked(&bytes[..2], 5), expected(&[], 0, Fault::Cut));
        assert!(!fits(&bytes, 6, 2) && !fits(&bytes[..7], 5, 2));
    }

    #[test]
    fn elements_come_back() {
        let mut state = 1_u32;
        for len in [0, 1, 2, 127, 128, 129, 256, 257, 10_000] {
            for spread in [1, 2, 3, 1000] {
                let elements: Vec<u32> = (0..len)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (state >> 16) % spread
                    })
                    .collect();
                let mut bytes = Vec::new();
                pack(&elements, &mut bytes);
                let unpacked = unpack::<u32>(&bytes, len);
                assert!(unpacked.elements == elements);
                assert_eq!((unpacked.end, unpacked.fault), (bytes.len(), None));
                assert!(fits(&bytes, len, 4));
                assert!(
                    bytes.len() <= 4 * len + len.div_ceil(LONGEST) + 1,
                    "{len} {spread}"
                );
            }
        }
    }
}
