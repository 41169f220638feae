//! The fields of a tile's 24 characters (document section 3.3, fact sheet A2): position, name,
//! allowed characters and meaning. Reading, writing, describing and editing a tile use this table.

use std::ops::{Range, RangeInclusive};

use super::{Edge, TILE_CHARS, TileType};

/// A field of a tile's 24 characters, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of the format")]
pub enum Field {
    Type,
    BaseHeight,
    RampHeight,
    TopMaterial,
    SideMaterial,
    Pathable,
    BlendMode,
    BlendNormals,
    NoBump,
    Cover,
    BlendNorth,
    BlendEast,
    BlendSouth,
    BlendWest,
    Reserved,
}

/// Meaning of the number in a field. It decides how the field is shown and edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A [`TileType`].
    Type,
    /// A height in levels.
    Levels,
    /// The index of a material.
    Material,
    /// A flag: any digit but 0 sets it.
    Flag,
    /// A flag of this name that is set by 0.
    InvertedFlag(&'static str),
    /// The [`Cover`](super::Cover).
    Cover,
    /// The [`BlendMode`](super::BlendMode) of an edge.
    Blend(Edge),
    /// The blend mode of all edges, from versions before each edge had its own.
    BlendAll,
    /// No meaning yet.
    Reserved,
}

/// Properties of a field.
struct Row {
    field: Field,
    start: usize,
    len: usize,
    meaning: Meaning,
    /// Key in JSON; empty if it has none.
    key: &'static str,
    /// Name as a label.
    name: &'static str,
    /// Name in a sentence, after "the".
    noun: &'static str,
    /// Description of the allowed characters.
    expected: &'static str,
    /// The highest allowed digit.
    max_digit: u8,
    /// The number of a tile if the engine reads a number that does not fit the field.
    fallback: i32,
}

#[rustfmt::skip]
const TABLE: [Row; 15] = {
    use Field as F;
    use Meaning as M;
    #[expect(clippy::too_many_arguments, reason = "the arguments are the columns of the table")]
    const fn row(
        field: Field, start: usize, len: usize, max_digit: u8, fallback: i32, meaning: Meaning,
        key: &'static str, name: &'static str, noun: &'static str, expected: &'static str,
    ) -> Row {
        Row { field, start, len, meaning, key, name, noun, expected, max_digit, fallback }
    }
    [
        row(F::Type, 0, 1, 9, 0, M::Type, "type", "Type", "tile type", "0 to C"),
        row(F::BaseHeight, 1, 3, 9, 0, M::Levels, "base_height", "Base height", "base height", "+ or - and two digits"),
        row(F::RampHeight, 4, 2, 9, 0, M::Levels, "ramp_height", "Ramp height", "ramp height", "two digits"),
        row(F::TopMaterial, 6, 3, 9, 999, M::Material, "top_material", "Top material", "top material", "three digits"),
        row(F::SideMaterial, 9, 3, 9, 999, M::Material, "side_material", "Side material", "side material", "three digits"),
        row(F::Pathable, 12, 1, 1, 1, M::Flag, "pathable", "Pathable", "pathable flag", "0 or 1"),
        row(F::BlendMode, 13, 1, 1, 0, M::BlendAll, "", "Blend mode (before version 1.1)", "blend mode", "0 or 1"),
        row(F::BlendNormals, 14, 1, 1, 1, M::Flag, "blend_normals", "Blend normals", "normal blending flag", "0 or 1"),
        row(F::NoBump, 15, 1, 1, 1, M::InvertedFlag("Bumpy"), "bump", "No bump", "no-bump flag", "0 or 1"),
        row(F::Cover, 16, 1, 2, 9, M::Cover, "cover", "Cover", "cover", "0, 1 or 2"),
        row(F::BlendNorth, 17, 1, 2, 9, M::Blend(Edge::North), "blend", "Blend north", "north blend mode", "0, 1 or 2"),
        row(F::BlendEast, 18, 1, 2, 9, M::Blend(Edge::East), "blend", "Blend east", "east blend mode", "0, 1 or 2"),
        row(F::BlendSouth, 19, 1, 2, 9, M::Blend(Edge::South), "blend", "Blend south", "south blend mode", "0, 1 or 2"),
        row(F::BlendWest, 20, 1, 2, 9, M::Blend(Edge::West), "blend", "Blend west", "west blend mode", "0, 1 or 2"),
        row(F::Reserved, 21, 3, 9, 0, M::Reserved, "", "Reserved", "reserved part", "three digits"),
    ]
};

impl Field {
    /// All fields, in the order of the file.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::Type; TABLE.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = TABLE[i].field;
            i += 1;
        }
        all
    };

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Range of the field in the 24 characters.
    pub const fn chars(self) -> Range<usize> {
        let row = self.row();
        row.start..row.start + row.len
    }

    /// Index of the first character: the only one of a field with one digit.
    pub const fn at(self) -> usize {
        self.row().start
    }

    /// Meaning of the number.
    pub const fn meaning(self) -> Meaning {
        self.row().meaning
    }

    /// The numbers that fit the field, including those without a meaning.
    pub fn range(self) -> RangeInclusive<i32> {
        match self {
            Self::Type => 0..=TileType::ALL.len() as i32 - 1,
            Self::BaseHeight => -99..=99,
            _ => 0..=10_i32.pow(self.row().len as u32) - 1,
        }
    }

    /// The highest digit with a meaning in a field of one digit.
    pub const fn max_digit(self) -> u8 {
        self.row().max_digit
    }

    /// The number of a tile if the engine reads a number that does not fit the field.
    pub(super) const fn fallback(self) -> i32 {
        self.row().fallback
    }

    /// Key in JSON, or an empty text; the blend modes of the edges share theirs.
    pub const fn key(self) -> &'static str {
        self.row().key
    }

    /// Name as a label.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Label of the value. The label of an inverted flag describes the value 0.
    pub const fn label(self) -> &'static str {
        match self.meaning() {
            Meaning::InvertedFlag(label) => label,
            _ => self.name(),
        }
    }

    /// Name in a sentence.
    pub(super) const fn noun(self) -> &'static str {
        self.row().noun
    }

    /// Description of the allowed characters.
    pub(super) const fn expected(self) -> &'static str {
        self.row().expected
    }

    /// The field of the blend mode of an edge.
    pub const fn blend(edge: Edge) -> Self {
        match edge {
            Edge::North => Self::BlendNorth,
            Edge::East => Self::BlendEast,
            Edge::South => Self::BlendSouth,
            Edge::West => Self::BlendWest,
        }
    }

    /// The field of a character; `None` after the last.
    pub fn of_char(index: usize) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|field| field.chars().contains(&index))
    }

    /// Index of the first of the 24 characters that is not allowed in this field.
    pub(super) fn first_invalid_char(self, text: &[u8; TILE_CHARS]) -> Option<usize> {
        let digits = b'0'..=b'0' + self.row().max_digit;
        self.chars().find(|&at| match at {
            0 => !matches!(text[0], b'0'..=b'9' | b'A'..=b'C' | b'a'..=b'c'),
            1 => !matches!(text[1], b'+' | b'-'),
            _ => !digits.contains(&text[at]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_the_characters_one_behind_the_other() {
        let mut end = 0;
        for (i, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, i);
            assert_eq!(field.chars().start, end, "{field:?}");
            end = field.chars().end;
            if let Meaning::Blend(edge) = field.meaning() {
                assert_eq!(Field::blend(edge), field);
            }
        }
        assert_eq!(end, TILE_CHARS);
        assert_eq!(Field::of_char(3), Some(Field::BaseHeight));
        assert_eq!(Field::of_char(TILE_CHARS), None);
    }
}
