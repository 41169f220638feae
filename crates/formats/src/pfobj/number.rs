//! Numbers in their plain spelling, eight characters at a time.
//!
//! Nearly every character of a model is part of a number such as `-0.123456`. Those are parsed
//! here; every other spelling is left to the standard library.

#![expect(
    clippy::inline_always,
    reason = "a number is a few dozen instructions, and a call costs a sixth of the speed"
)]

/// Maximum number of digits before and after the point of a plain number. It is one less than fit
/// into a word, so that the character after them is checked too.
const MAX_DIGITS: usize = 7;

/// Powers of ten by the number of digits after the point.
const SCALES: [(u64, f64); MAX_DIGITS + 1] = [
    (1, 1.0),
    (10, 10.0),
    (100, 100.0),
    (1_000, 1_000.0),
    (10_000, 10_000.0),
    (100_000, 100_000.0),
    (1_000_000, 1_000_000.0),
    (10_000_000, 10_000_000.0),
];

/// Up to eight digits in a row: their values, the first in the lowest byte.
#[derive(Clone, Copy)]
struct Digits {
    bytes: u64,
    count: usize,
}

impl Digits {
    /// Reads the digits at an offset. Fails if fewer than eight bytes are left.
    #[inline(always)]
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let chunk = bytes.get(at..)?.first_chunk::<8>()?;
        let bytes = u64::from_le_bytes(*chunk) ^ 0x3030_3030_3030_3030;
        // The highest bit of every byte above 9. A carry spoils only bytes after such a byte.
        let others = (bytes.wrapping_add(0x7676_7676_7676_7676) | bytes) & HIGH;
        let count = (others.trailing_zeros() / 8) as usize;
        Some(Self { bytes, count })
    }

    /// The number of one to seven digits.
    #[inline(always)]
    fn value(self) -> Option<u64> {
        if !(1..=MAX_DIGITS).contains(&self.count) {
            return None;
        }
        // Zero-padded to eight digits: pairs, fours, all.
        let digits = self.bytes << (64 - 8 * self.count);
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        const MASK: u64 = 0x0000_00ff_0000_00ff;
        let first = (pairs & MASK).wrapping_mul(100 + (1_000_000 << 32));
        let second = (pairs >> 16 & MASK).wrapping_mul(1 + (10_000 << 32));
        Some(first.wrapping_add(second) >> 32)
    }
}

/// Parses an integer of one to seven digits; returns it with the offset of its end.
#[inline(always)]
pub(super) fn plain_index(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let digits = Digits::at(bytes, at)?;
    Some((digits.value()? as u32, at + digits.count))
}

/// Parses a number in plain spelling; returns it with the offset of its end. Plain means an
/// optional minus, one to seven digits, a point, one to seven digits. The result equals that of the
/// standard library, bit for bit.
#[inline(always)]
pub(super) fn plain_number(bytes: &[u8], at: usize) -> Option<(f32, usize)> {
    let is_negative = *bytes.get(at)? == b'-';
    let at = at + usize::from(is_negative);
    let first = Digits::at(bytes, at)?;
    // Nearly all have one digit before the point and six after it. With branches for these cases,
    // the processor can start the next number before it knows where this one ends.
    let (whole, at) = if first.bytes >> 8 & 0xff == u64::from(b'.' ^ b'0') {
        if first.count != 1 {
            return None;
        }
        (first.bytes & 0xff, at + 2)
    } else {
        let at = at + first.count;
        if *bytes.get(at)? != b'.' {
            return None;
        }
        (first.value()?, at + 1)
    };
    let fraction = Digits::at(bytes, at)?;
    let (digits, divisor, end) = if fraction.count == 6 {
        let fraction = Digits {
            count: 6,
            ..fraction
        };
        (whole * 1_000_000 + fraction.value()?, 1e6, at + 6)
    } else {
        let (scale, divisor) = *SCALES.get(fraction.count)?;
        (
            whole * scale + fraction.value()?,
            divisor,
            at + fraction.count,
        )
    };
    // Both are exact, below 2^53, so this is the double nearest to the number. (A signed number
    // converts faster.)
    let double = digits as i64 as f64 / divisor;
    // The single nearest to that double is nearest to the number too, unless the double is halfway
    // between two singles: then the lost bits decide.
    if double.to_bits() & 0x1fff_ffff == 0x1000_0000 {
        return None;
    }
    let sign = u32::from(is_negative) << 31;
    let number = f32::from_bits((double as f32).to_bits() | sign);
    Some((number, end))
}

#[cfg(test)]
mod tests {
    use super::{plain_index, plain_number};

    /// Compares the result for a text with the standard library. Returns `true` if the text is
    /// plain.
    #[track_caller]
    fn check(text: &str) -> bool {
        let padded = format!("{text} 123456789");
        let Some((number, end)) = plain_number(padded.as_bytes(), 0) else {
            return false;
        };
        assert_eq!(end, text.len(), "{text}");
        let expected: f32 = text.parse().unwrap();
        assert_eq!(number.to_bits(), expected.to_bits(), "{text}");
        true
    }

    #[test]
    fn plain_numbers_equal_those_of_the_standard_library() {
        let mut bits = 1_u64;
        let mut next = || {
            bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut out = bits;
            out = (out ^ out >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            out = (out ^ out >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            out ^ out >> 31
        };
        for _ in 0..3_000_000 {
            let random = next();
            let sign = if random & 1 == 0 { "" } else { "-" };
            let whole = 1 + (random >> 1) as usize % 7;
            let fraction = 1 + (random >> 8) as usize % 7;
            let digits = next();
            let whole_digits = digits as u32 % 10_u32.pow(whole as u32);
            let fraction_digits = (digits >> 32) as u32 % 10_u32.pow(fraction as u32);
            let text = format!("{sign}{whole_digits:0whole$}.{fraction_digits:0fraction$}");
            let halfway = text.parse::<f64>().unwrap().to_bits() & 0x1fff_ffff == 0x1000_0000;
            assert_eq!(check(&text), !halfway, "{text}");
        }
    }

    #[test]
    fn numbers_halfway_between_two_are_left_to_the_standard_library() {
        // One bit more than a single holds.
        for halfway in ["16777217.0", "8388608.5", "2097152.125", "1048577.0625"] {
            assert!(!check(halfway), "{halfway}");
        }
        for beside in ["8388608.4", "8388608.6", "8388609.0", "2097152.1250001"] {
            assert!(check(beside), "{beside}");
        }
    }

    #[test]
    fn whatever_is_not_plain_is_left_alone() {
        for text in ["0.0", "-0.0", "9999999.9999999", "0000000.0000001"] {
            assert!(check(text), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "1",
            "-1",
            "1.",
            ".5",
            "+1.5",
            "1e3",
            "nan",
            "inf",
            "--1.0",
            "1,5",
            "12345678.0",
            "1.12345678",
            "\u{663}.5",
        ] {
            assert!(!check(text), "{text}");
        }
        // Reading stops at the end of the text.
        for len in 0..8 {
            assert_eq!(plain_number(&b"0.123456"[..len], 0), None);
            assert_eq!(plain_index(&b"12345678"[..len], 0), None);
        }
        assert_eq!(plain_number(b"0.5", 9), None);
    }

    #[test]
    fn whole_numbers_have_one_to_seven_digits() {
        assert_eq!(plain_index(b"35/1.000000", 0), Some((35, 2)));
        assert_eq!(plain_index(b"x0000009\n...", 1), Some((9, 8)));
        assert_eq!(plain_index(b"1234567 ", 0), Some((1_234_567, 7)));
        for text in ["12345678 ", "-1 ......", "x......."] {
            assert_eq!(plain_index(text.as_bytes(), 0), None, "{text}");
        }
    }
}
