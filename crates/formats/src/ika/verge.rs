//! Maps of VERGE, the engine that ika comes from. They are recognised so that they are not mistaken
//! for another format (fact sheet 6).

use std::fmt;

use super::rules;
use crate::{Place, ReadError};

/// A generation of VERGE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verge {
    /// Maps begin with a byte 4 and have a header of 100 bytes.
    One,
    /// Maps begin with `MAP`, F9, `5`.
    Two,
    /// Maps begin with `V3MAP`.
    Three,
}

impl fmt::Display for Verge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "VERGE 1",
            Self::Two => "VERGE 2",
            Self::Three => "VERGE 3",
        })
    }
}

/// The VERGE generation of a map; `None` if the bytes are not such a map.
pub fn verge_version(bytes: &[u8]) -> Option<Verge> {
    if bytes.starts_with(b"MAP\xf95\0") {
        return Some(Verge::Two);
    }
    if bytes.starts_with(b"V3MAP\0") {
        return Some(Verge::Three);
    }
    is_verge_1(bytes).then_some(Verge::One)
}

/// The error for a VERGE map.
pub(super) fn refusal(verge: Verge) -> ReadError {
    ReadError::unreadable(
        &rules::VERGE,
        Place::Offset(0),
        format!("this is a {verge} map, made for the predecessor of ika"),
        "an ika map, which begins with `MAP`, the byte F9 and `6`",
    )
}

/// Returns `true` if the bytes have the header of a VERGE 1 map and room for its layers.
fn is_verge_1(bytes: &[u8]) -> bool {
    const HEAD_BYTES: u64 = 100;
    let u16_at = |at: usize| {
        let two = bytes.get(at..).and_then(|rest| rest.first_chunk());
        two.map_or(0, |two| u16::from_le_bytes(*two))
    };
    // Header: version, tileset, music, layer count, parallax, name, flags, start, hide, warp, size.
    let name = |at: usize, len: usize| bytes.get(at..at + len).is_some_and(is_padded_name);
    let [width, height] = [u64::from(u16_at(68)), u64::from(u16_at(70))];
    // Two layers of two bytes per tile and one obstruction layer of one byte.
    let min_bytes = HEAD_BYTES + width * height * 5;
    bytes.first() == Some(&4)
        && name(1, 13)
        && bytes.get(1).is_some_and(|first| *first != 0)
        && name(14, 13)
        && name(30, 30)
        && width > 0
        && height > 0
        && bytes.len() as u64 >= min_bytes
}

/// Returns `true` if the bytes are printable up to a zero byte.
fn is_padded_name(bytes: &[u8]) -> bool {
    let len = bytes.iter().position(|byte| *byte == 0);
    len.is_some_and(|len| bytes[..len].iter().all(|byte| *byte >= b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A VERGE 1 map that ends after its layers.
    fn verge_1() -> Vec<u8> {
        let mut bytes = vec![0; 100 + 20 * 15 * 5];
        bytes[0] = 4;
        bytes[1..11].copy_from_slice(b"castle.vsp");
        bytes[14..22].copy_from_slice(b"song.mod");
        bytes[30..36].copy_from_slice(b"Castle");
        bytes[68] = 20;
        bytes[70] = 15;
        bytes
    }

    #[test]
    fn generations_are_distinguished() {
        assert_eq!(verge_version(b"MAP\xf95\0rest"), Some(Verge::Two));
        assert_eq!(verge_version(b"V3MAP\0\x02\0\0\0"), Some(Verge::Three));
        assert_eq!(verge_version(b"MAP\xf96\0rest"), None);
        assert_eq!(verge_version(&verge_1()), Some(Verge::One));
        assert_eq!(verge_version(b""), None);
        let error = refusal(Verge::Two);
        let facts = error.problem().unwrap().facts();
        assert!(facts.contains("ika/verge: 2 "), "{facts}");
    }

    #[test]
    fn a_byte_4_alone_is_not_verge_1() {
        let good = verge_1();
        assert_eq!(verge_version(&good[..good.len() - 1]), None);
        for (at, byte) in [(0, 3), (1, 0), (2, 7), (26, 1), (68, 0), (70, 0), (71, 1)] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            if at == 26 {
                bytes[14..27].fill(b'x');
            }
            assert_eq!(verge_version(&bytes), None, "byte {at}");
        }
        assert_eq!(verge_version(&[4; 2000]), None);
    }
}
