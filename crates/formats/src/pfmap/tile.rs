//! One tile: the 24 characters and their meaning (document section 3.3, fact sheet A2).

use std::fmt;

use super::{Field, TILE_CHARS};

/// The shape of a tile (field A). The second letter of a ramp is its raised end; the direction of a
/// corner is that of its lowered corner.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::NoUninit, bytemuck::Zeroable,
)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are those of the format")]
pub enum TileType {
    Flat = 0x0,
    RampSn = 0x1,
    RampNs = 0x2,
    RampEw = 0x3,
    RampWe = 0x4,
    CornerConcaveSw = 0x5,
    CornerConvexSw = 0x6,
    CornerConcaveSe = 0x7,
    CornerConvexSe = 0x8,
    CornerConcaveNw = 0x9,
    CornerConvexNw = 0xa,
    CornerConcaveNe = 0xb,
    CornerConvexNe = 0xc,
}

impl TileType {
    /// All types, in the order of their digits.
    pub const ALL: [Self; 13] = [
        Self::Flat,
        Self::RampSn,
        Self::RampNs,
        Self::RampEw,
        Self::RampWe,
        Self::CornerConcaveSw,
        Self::CornerConvexSw,
        Self::CornerConcaveSe,
        Self::CornerConvexSe,
        Self::CornerConcaveNw,
        Self::CornerConvexNw,
        Self::CornerConcaveNe,
        Self::CornerConvexNe,
    ];

    /// Returns the type of a number from 0 to 12.
    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// Name in `info --json`, such as `ramp_sn`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::RampSn => "ramp_sn",
            Self::RampNs => "ramp_ns",
            Self::RampEw => "ramp_ew",
            Self::RampWe => "ramp_we",
            Self::CornerConcaveSw => "corner_concave_sw",
            Self::CornerConvexSw => "corner_convex_sw",
            Self::CornerConcaveSe => "corner_concave_se",
            Self::CornerConvexSe => "corner_convex_se",
            Self::CornerConcaveNw => "corner_concave_nw",
            Self::CornerConvexNw => "corner_convex_nw",
            Self::CornerConcaveNe => "corner_concave_ne",
            Self::CornerConvexNe => "corner_convex_ne",
        }
    }

    /// Its hexadecimal digit in a file, in upper case.
    pub const fn digit(self) -> char {
        b"0123456789ABC"[self as usize] as char
    }
}

impl fmt::Display for TileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Blending of a tile's top with its neighbour along one edge (fact sheet A8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BlendMode {
    /// The tile's own material up to its edge.
    None = 0,
    /// A smooth mix, about one tile wide.
    Blur = 1,
    /// A ragged hard seam: the material with the higher index lies over the lower.
    Edge = 2,
    /// A digit that the engine does not know; it draws such tiles magenta.
    Unknown = 3,
}

impl BlendMode {
    /// Returns the mode of a digit; everything above 2 is unknown.
    #[inline]
    pub fn from_digit(digit: u8) -> Self {
        match digit {
            0 => Self::None,
            1 => Self::Blur,
            2 => Self::Edge,
            _ => Self::Unknown,
        }
    }

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Blur => "blur",
            Self::Edge => "edge",
            Self::Unknown => "unknown",
        }
    }
}

/// Grass that the engine plants on a tile (character 16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cover {
    /// No grass.
    None,
    /// Up to six tufts on a tile.
    Full,
    /// Up to three tufts on a tile.
    Sparse,
    /// A digit without a meaning.
    Unknown,
}

impl Cover {
    /// Returns the cover of a digit.
    #[inline]
    pub const fn from_digit(digit: u8) -> Self {
        match digit {
            0 => Self::None,
            1 => Self::Full,
            2 => Self::Sparse,
            _ => Self::Unknown,
        }
    }

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full grass",
            Self::Sparse => "sparse grass",
            Self::Unknown => "unknown",
        }
    }
}

/// An edge of a tile, in the order in which files list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are compass directions")]
pub enum Edge {
    North = 0,
    East = 1,
    South = 2,
    West = 3,
}

impl Edge {
    /// All edges, in file order.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// Name of the side, such as `north`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::North => "north",
            Self::East => "east",
            Self::South => "south",
            Self::West => "west",
        }
    }

    /// The edge of the neighbour that touches this one.
    pub fn opposite(self) -> Self {
        Self::ALL[(self as usize + 2) % 4]
    }

    /// Step to the neighbour across this edge, in rows and columns.
    pub fn step(self) -> (i32, i32) {
        match self {
            Self::North => (-1, 0),
            Self::East => (0, 1),
            Self::South => (1, 0),
            Self::West => (0, -1),
        }
    }
}

/// A tile, decoded from its 24 characters to 14 bytes.
///
/// Characters 12 to 23 are kept as digits, even meaningless ones, so that [`Tile::text`] returns
/// the original text. Methods interpret them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, bytemuck::NoUninit, bytemuck::Zeroable)]
#[repr(C)]
pub struct Tile {
    /// Field A.
    pub kind: TileType,
    /// Fields B and C, in levels of 4 world units, -99 to 99.
    pub base_height: i8,
    /// Field D, in levels above the base; meaningless on a flat tile.
    pub ramp_height: u8,
    /// The spelling of the tile, where two spellings mean the same.
    pub(super) spelling: u8,
    /// Field E: index of the material of the top.
    pub top_material: u16,
    /// Field F: index of the material of the sides, and of slopes steeper than one level.
    pub side_material: u16,
    /// Characters 12 to 23 as digits, two to a byte, the first in the high half.
    pub(super) attributes: [u8; 6],
}

/// The type is written with a lower-case letter.
pub(super) const SPELLED_LOWER_CASE: u8 = 1;
/// The base height is written as `-00`.
pub(super) const SPELLED_MINUS_ZERO: u8 = 2;

/// The reason why 24 characters are not a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileError {
    /// Index of the faulty character, from 0.
    pub index: usize,
    /// The character there.
    pub found: u8,
    /// The expectation.
    pub expected: &'static str,
}

impl TileError {
    /// Finds the first character that makes `text` an invalid tile.
    fn find(text: &[u8; TILE_CHARS]) -> Self {
        let (index, expected) = if KIND_OF_CHAR[usize::from(text[0])].is_none() {
            (0, "a tile type from 0 to C")
        } else if !matches!(text[1], b'+' | b'-') {
            (1, "the sign of the base height, + or -")
        } else {
            let digits = text.iter().skip(2).take_while(|c| c.is_ascii_digit());
            // In a valid tile this is the last character, and the result is never used.
            ((2 + digits.count()).min(TILE_CHARS - 1), "a decimal digit")
        };
        Self {
            index,
            found: text[index],
            expected,
        }
    }
}

/// Field A of each character.
static KIND_OF_CHAR: [Option<TileType>; 256] = {
    let mut kinds = [None; 256];
    let mut i = 0;
    while i < TileType::ALL.len() {
        let kind = TileType::ALL[i];
        let digit = kind.digit() as u8;
        kinds[digit as usize] = Some(kind);
        kinds[digit.to_ascii_lowercase() as usize] = Some(kind);
        i += 1;
    }
    kinds
};

/// The first character that a [`Tile`] keeps as a digit.
const FIRST_DIGIT: usize = Field::Pathable.at();

/// Eight times the character `0`.
const ASCII_ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Not 0 if one of eight bytes is above 9.
#[inline]
fn above_nine(bytes: u64) -> u64 {
    (bytes.wrapping_add(0x7676_7676_7676_7676) | bytes) & 0x8080_8080_8080_8080
}

/// Packs eight digits, a byte each, into four bytes, the first of two in the high half.
#[inline]
fn packed(digits: u64) -> u64 {
    let pairs = (digits << 4 | digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    (fours | fours >> 16) & 0xffff_ffff
}

/// Extracts an edge's blend mode from [`Tile::blend_digits`].
#[inline]
pub(super) fn blend_digit(digits: u16, edge: Edge) -> u16 {
    digits >> (12 - 4 * edge as u32) & 0xf
}

impl Default for Tile {
    /// The tile of an empty map: flat, at height 0, passable, blurred on all edges.
    fn default() -> Self {
        Self {
            kind: TileType::Flat,
            base_height: 0,
            ramp_height: 0,
            spelling: 0,
            top_material: 0,
            side_material: 0,
            attributes: [0x10, 0x10, 0x01, 0x11, 0x10, 0x00],
        }
    }
}

impl Tile {
    /// Reads the 24 characters of a tile.
    ///
    /// # Errors
    /// If the type is not a hexadecimal digit from 0 to C, the sign is neither `+` nor `-`, or
    /// another character is not a decimal digit. ([`Reading`](super::Reading) accepts those, as the
    /// engine does.)
    pub fn parse(text: &[u8; TILE_CHARS]) -> Result<Self, TileError> {
        let (tile, flaws) = Self::parse_words(text);
        if flaws == 0 {
            Ok(tile)
        } else {
            Err(TileError::find(text))
        }
    }

    /// [`Tile::parse`] without an error and without a branch, eight characters at a time. The
    /// second value is 0 if the characters are a tile, so that a reader of many tiles can check all
    /// at once.
    #[inline]
    pub(super) fn parse_words(text: &[u8; TILE_CHARS]) -> (Self, u64) {
        let word = |at: usize| {
            let bytes = text[at..].first_chunk().copied().unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        let kind = KIND_OF_CHAR[usize::from(text[0])];
        let is_negative = text[1] == b'-';
        let is_signed = is_negative || text[1] == b'+';
        // The first two characters are not digits: they are replaced by zeros.
        let head = (word(0) & !0xffff | 0x3030) ^ ASCII_ZEROS;
        let middle = word(8) ^ ASCII_ZEROS;
        let tail = word(16) ^ ASCII_ZEROS;
        let flaws = above_nine(head)
            | above_nine(middle)
            | above_nine(tail)
            | u64::from(kind.is_none() || !is_signed);
        // Characters 2 to 7 in pairs, each pair in the low byte of 16 bits.
        let pairs = head.wrapping_mul(10).wrapping_add(head >> 8) & 0x00ff_00ff_00ff_00ff;
        let magnitude = (pairs >> 16) as i8;
        let byte = |at: u32| (middle >> (8 * at)) as u8;
        let attributes = packed(middle >> 32) | packed(tail) << 16;
        let [a, b, c, d, e, f, ..] = attributes.to_le_bytes();
        let lower_case = u8::from(text[0] >= b'a') * SPELLED_LOWER_CASE;
        let minus_zero = u8::from(is_negative && magnitude == 0) * SPELLED_MINUS_ZERO;
        let tile = Self {
            kind: kind.unwrap_or(TileType::Flat),
            base_height: if is_negative {
                magnitude.wrapping_neg()
            } else {
                magnitude
            },
            ramp_height: (pairs >> 32) as u8,
            spelling: lower_case | minus_zero,
            top_material: (pairs >> 48) as u16 * 10 + u16::from(byte(0)),
            side_material: u16::from(byte(1)) * 100
                + u16::from(byte(2).wrapping_mul(10).wrapping_add(byte(3))),
            attributes: [a, b, c, d, e, f],
        };
        (tile, flaws)
    }

    /// Not 0 if a character from 12 on is a digit that its field does not allow: above 1 in the
    /// flags, above 2 in the cover and the blend modes.
    #[inline]
    pub(super) fn odd_digits(&self) -> u64 {
        // Bits of `digits`: characters 12 to 15 are flags, 16 to 20 are the cover and the modes.
        const FLAGS: u64 = 0xffff;
        const MODES: u64 = 0xf0_ffff_0000;
        const TOO_HIGH: u64 = FLAGS & 0xeeee_eeee_eeee | MODES & 0xcccc_cccc_cccc;
        const OF_THREE: u64 = MODES & 0x1111_1111_1111;
        let digits = self.digits();
        digits & TOO_HIGH | digits & digits >> 1 & OF_THREE
    }

    /// Returns the 24 characters of the tile.
    pub fn text(&self) -> [u8; TILE_CHARS] {
        let mut text = [b'0'; TILE_CHARS];
        let mut put = |field: Field, mut rest: u16| {
            for at in field.chars().rev() {
                text[at] = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        };
        put(Field::BaseHeight, self.base_height.unsigned_abs().into());
        put(Field::RampHeight, self.ramp_height.into());
        put(Field::TopMaterial, self.top_material);
        put(Field::SideMaterial, self.side_material);
        for (at, digit) in text.iter_mut().enumerate().skip(FIRST_DIGIT) {
            *digit = b'0' + self.digit(at);
        }
        let kind = self.kind.digit() as u8;
        text[0] = if self.spelling & SPELLED_LOWER_CASE == 0 {
            kind
        } else {
            kind.to_ascii_lowercase()
        };
        let negative = self.base_height < 0
            || self.base_height == 0 && self.spelling & SPELLED_MINUS_ZERO != 0;
        text[1] = if negative { b'-' } else { b'+' };
        text
    }

    /// The number in a field.
    pub fn get(&self, field: Field) -> i32 {
        match field {
            Field::Type => self.kind as i32,
            Field::BaseHeight => self.base_height.into(),
            Field::RampHeight => self.ramp_height.into(),
            Field::TopMaterial => self.top_material.into(),
            Field::SideMaterial => self.side_material.into(),
            _ => field
                .chars()
                .fold(0, |number, at| number * 10 + i32::from(self.digit(at))),
        }
    }

    /// Sets the number in a field, clamped to its range. An alternative spelling of the field is
    /// lost.
    pub fn set(&mut self, field: Field, number: i32) {
        let number = number.clamp(*field.range().start(), *field.range().end());
        match field {
            Field::Type => {
                self.kind = TileType::from_index(number as u8).unwrap_or(TileType::Flat);
                self.spelling &= !SPELLED_LOWER_CASE;
            }
            Field::BaseHeight => {
                self.base_height = number as i8;
                self.spelling &= !SPELLED_MINUS_ZERO;
            }
            Field::RampHeight => self.ramp_height = number as u8,
            Field::TopMaterial => self.top_material = number as u16,
            Field::SideMaterial => self.side_material = number as u16,
            _ => {
                let mut rest = number;
                for at in field.chars().rev() {
                    self.set_digit(at, (rest % 10) as u8);
                    rest /= 10;
                }
            }
        }
    }

    /// Sets the blend mode of an edge. The other edges keep theirs, in the characters of each edge:
    /// the old field for all four applies only if all of them are 0.
    pub fn set_blend(&mut self, edge: Edge, mode: BlendMode) {
        let mut modes = Edge::ALL.map(|edge| self.blend(edge));
        modes[edge as usize] = mode;
        self.set(Field::BlendMode, 0);
        for (edge, mode) in Edge::ALL.into_iter().zip(modes) {
            self.set(Field::blend(edge), mode as i32);
        }
    }

    /// Character `index` (12 to 23) as a digit.
    #[inline]
    fn digit(&self, index: usize) -> u8 {
        let byte = self.attributes[(index - 12) / 2];
        if index.is_multiple_of(2) {
            byte >> 4
        } else {
            byte & 0xf
        }
    }

    /// Sets character `index` (12 to 23) to a digit from 0 to 9.
    fn set_digit(&mut self, index: usize, digit: u8) {
        let byte = &mut self.attributes[(index - 12) / 2];
        *byte = if index.is_multiple_of(2) {
            *byte & 0x0f | digit << 4
        } else {
            *byte & 0xf0 | digit
        };
    }

    /// Field G: `true` if units can walk here unless something blocks the way.
    #[inline]
    pub fn pathable(&self) -> bool {
        self.digit(Field::Pathable.at()) != 0
    }

    /// Field I: `true` if the normals of the top are averaged with those around it.
    #[inline]
    pub fn blend_normals(&self) -> bool {
        self.digit(Field::BlendNormals.at()) != 0
    }

    /// Field J, inverted: `true` if the top is bumpy.
    #[inline]
    pub fn bump(&self) -> bool {
        self.digit(Field::NoBump.at()) == 0
    }

    /// Character 16: the grass on it.
    #[inline]
    pub fn cover(&self) -> Cover {
        Cover::from_digit(self.digit(Field::Cover.at()))
    }

    /// Characters 12 to 23, four bits each: the first in bits 4 to 7, the second in bits 0 to 3,
    /// the third in bits 12 to 15 and so on.
    #[inline]
    fn digits(&self) -> u64 {
        let [a, b, c, d, e, f] = self.attributes;
        u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
    }

    /// `true` if it has a blend mode for each edge instead of one for all.
    pub(super) fn has_edge_modes(&self) -> bool {
        self.edge_digits() != 0
    }

    /// Characters 17 to 20, four bits each, the north in the highest.
    #[inline]
    fn edge_digits(&self) -> u16 {
        let [_, _, north, east_and_south, west, _] = self.attributes;
        u16::from(north & 0xf) << 12 | u16::from(east_and_south) << 4 | u16::from(west >> 4)
    }

    /// Blend digits of the edges, in the layout of `edge_digits`. If all of them are 0, field H
    /// applies to all four edges (fact sheet A2, F8: files of `version 1.0` have either).
    #[inline]
    pub(super) fn blend_digits(&self) -> u16 {
        match self.edge_digits() {
            0 => u16::from(self.digit(Field::BlendMode.at())) * 0x1111,
            edges => edges,
        }
    }

    /// Blend modes of the edges, in the order of [`Edge`]: see `blend_digits`.
    #[inline]
    pub fn blends(&self) -> [BlendMode; 4] {
        let digits = self.blend_digits();
        Edge::ALL.map(|edge| BlendMode::from_digit(blend_digit(digits, edge) as u8))
    }

    /// Blend mode of an edge.
    pub fn blend(&self, edge: Edge) -> BlendMode {
        self.blends()[edge as usize]
    }

    /// The field that holds the blend mode of an edge.
    pub(super) fn blend_field(&self, edge: Edge) -> Field {
        if self.has_edge_modes() {
            Field::blend(edge)
        } else {
            Field::BlendMode
        }
    }
}

impl fmt::Debug for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tile({})", String::from_utf8_lossy(&self.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_gives_back_its_characters() {
        for text in [
            b"0+0000000001101001111000",
            b"c-0312999998123456789012",
            b"C-0000255255000000000000",
        ] {
            assert_eq!(&Tile::parse(text).unwrap().text(), text);
        }
        assert_eq!(
            size_of::<Tile>(),
            14,
            "4.2 million of them stay below the file's size"
        );
    }

    #[test]
    fn every_character_is_checked_and_the_first_bad_one_named() {
        let good = b"b-9876543210123456789012";
        for index in 0..TILE_CHARS {
            for c in 0..=u8::MAX {
                let mut text = *good;
                text[index] = c;
                let fits = match index {
                    0 => b"0123456789abcABC".contains(&c),
                    1 => b"+-".contains(&c),
                    _ => c.is_ascii_digit(),
                };
                match Tile::parse(&text) {
                    Ok(tile) => assert!(fits && tile.text() == text, "{index} {c:#x}"),
                    Err(e) => assert!(!fits && e.index == index && e.found == c, "{index} {c:#x}"),
                }
            }
        }
        let tile = Tile::parse(good).unwrap();
        assert_eq!(tile.kind, TileType::CornerConcaveNe);
        assert_eq!((tile.base_height, tile.ramp_height), (-98, 76));
        assert_eq!((tile.top_material, tile.side_material), (543, 210));
        assert_eq!(
            std::array::from_fn(|i| tile.digit(12 + i)),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]
        );
    }

    #[test]
    fn what_is_set_is_what_is_written_and_nothing_else_changes() {
        let original = Tile::parse(b"c-0012345678900210102123").unwrap();
        for field in Field::ALL {
            let range = field.range();
            for (number, held) in [
                (*range.start(), *range.start()),
                (*range.end(), *range.end()),
                (*range.start() - 1, *range.start()),
                (*range.end() + 1, *range.end()),
            ] {
                let mut tile = original;
                tile.set(field, number);
                assert_eq!(tile.get(field), held, "{field:?}");
                assert_eq!(Tile::parse(&tile.text()), Ok(tile));
                let mut expected = original.text();
                expected[field.chars()].copy_from_slice(&tile.text()[field.chars()]);
                assert_eq!(tile.text(), expected, "{field:?}");
            }
        }
        let mut tile = original;
        tile.set_blend(Edge::South, BlendMode::Edge);
        assert_eq!(&tile.text()[13..21], b"00210122".as_slice());
    }

    #[test]
    fn digits_that_may_not_stand_in_their_fields_are_seen() {
        for index in 12..TILE_CHARS {
            let field = Field::of_char(index).unwrap();
            for digit in 0..10 {
                let mut tile = Tile::default();
                tile.set_digit(index, digit);
                let odd = field.first_invalid_char(&tile.text()).is_some();
                assert_eq!(tile.odd_digits() != 0, odd, "{index} {digit}");
            }
        }
    }

    #[test]
    fn digits_of_edges_are_those_of_their_fields() {
        for edge in Edge::ALL {
            for digit in 0..10 {
                let mut tile = Tile {
                    attributes: [0; 6],
                    ..Tile::default()
                };
                tile.set_digit(Field::blend(edge).at(), digit);
                assert_eq!(blend_digit(tile.edge_digits(), edge), digit.into());
                assert_eq!(tile.has_edge_modes(), digit != 0);
                let others = Edge::ALL.into_iter().filter(|other| *other != edge);
                for other in others {
                    assert_eq!(blend_digit(tile.edge_digits(), other), 0);
                }
            }
        }
    }

    #[test]
    fn edges_win_over_field_h_and_h_stands_in_for_them() {
        let tile = Tile::parse(b"0+0000000001111000000000").unwrap();
        assert!(Edge::ALL.iter().all(|&e| tile.blend(e) == BlendMode::Blur));
        let tile = Tile::parse(b"0+0000000001111000201000").unwrap();
        assert_eq!(
            Edge::ALL.map(|e| tile.blend(e)),
            [
                BlendMode::None,
                BlendMode::Edge,
                BlendMode::None,
                BlendMode::Blur
            ]
        );
    }

    #[test]
    fn a_bad_character_is_named() {
        let error = Tile::parse(b"D+0000000001111000201000").unwrap_err();
        assert_eq!((error.index, error.found), (0, b'D'));
        let error = Tile::parse(b"0+0000000001111000201 00").unwrap_err();
        assert_eq!((error.index, error.found), (21, b' '));
    }
}
