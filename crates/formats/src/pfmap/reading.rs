//! What the engine makes of 24 characters that are not as the document says.
//!
//! It counts them and looks at nothing else: a type that is no hexadecimal digit is 0, a sign that
//! is no `-` is `+`, and everything else is the character's code less that of `0` (fact sheet A1).
//! So most tiles with a wrong character are there in the game, and have to be here.

use super::field::Field;
use super::{TILE_CHARS, Tile, TileType, rules};
use crate::{Rule, quoted};

/// The fields of a tile as the engine reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Its shape; none for D, E and F, which the engine takes and then fails an assertion on.
    pub kind: Option<TileType>,
    /// In levels of 4 world units. The document allows -99 to 99.
    pub base_height: i32,
    /// In levels. The document allows 0 to 99.
    pub ramp_height: i32,
    /// Index of the material of the top. The document allows 0 to 999.
    pub top_material: i32,
    /// Index of the material of the sides. The document allows 0 to 999.
    pub side_material: i32,
    /// Character 16. The document allows 0 to 2.
    pub cover: i32,
    /// The same in the bounds of the document, as it is drawn: of a tile that has no shape
    /// ([`Reading::has_shape`]), flat ground at its base height, or at level 0.
    pub tile: Tile,
}

/// A field that does not hold what the document says.
#[derive(Debug)]
pub(super) struct Oddity {
    /// Which of the 24 characters is the first wrong one.
    pub at: usize,
    /// What it breaks; an error keeps the tile from having a shape.
    pub rule: &'static Rule,
    /// What stands there, such as ``found `x` as the cover``.
    pub found: String,
    /// What may.
    pub expected: &'static str,
    /// What comes of it, with a semicolon before it; may be empty.
    pub outcome: String,
}

impl From<&Tile> for Reading {
    fn from(tile: &Tile) -> Self {
        Self {
            kind: Some(tile.kind),
            base_height: tile.base_height.into(),
            ramp_height: tile.ramp_height.into(),
            top_material: tile.top_material.into(),
            side_material: tile.side_material.into(),
            cover: tile.digit(Field::Cover.at()).into(),
            tile: *tile,
        }
    }
}

impl Reading {
    /// Reads what a file has in the place of a tile; none where that is not 24 characters, on
    /// which the engine refuses the whole map.
    pub fn of(text: &[u8]) -> Option<Self> {
        text.try_into().ok().map(Self::of_chars)
    }

    pub(super) fn of_chars(text: &[u8; TILE_CHARS]) -> Self {
        let digit = |at: usize| i32::from(text[at].cast_signed()) - i32::from(b'0');
        let number = |field: Field| {
            let digits = field.chars().skip(usize::from(field == Field::BaseHeight));
            digits.fold(0, |number, at| number * 10 + digit(at))
        };
        let kind = match text[0] {
            c if c.is_ascii_hexdigit() => {
                let index = char::from(c).to_digit(16).unwrap_or_default();
                TileType::from_index(index as u8)
            }
            _ => Some(TileType::Flat),
        };
        let magnitude = number(Field::BaseHeight);
        let mut reading = Self {
            kind,
            base_height: if text[1] == b'-' {
                -magnitude
            } else {
                magnitude
            },
            ramp_height: number(Field::RampHeight),
            top_material: number(Field::TopMaterial),
            side_material: number(Field::SideMaterial),
            cover: digit(Field::Cover.at()),
            tile: Tile::default(),
        };
        let tile = &mut reading.tile;
        // Materials that three digits cannot name are not there either way.
        let material = |index: i32| u16::try_from(index).map_or(999, |index| index.min(999));
        tile.top_material = material(reading.top_material);
        tile.side_material = material(reading.side_material);
        for at in Field::Pathable.at()..TILE_CHARS {
            let read = u8::try_from(digit(at)).ok().filter(|digit| *digit <= 9);
            // One digit stands for all that are not.
            let other = match Field::of_char(at) {
                Some(Field::Pathable | Field::BlendNormals | Field::NoBump) => 1,
                Some(Field::BlendMode | Field::Reserved) => 0,
                _ => 9,
            };
            tile.set_digit(at, read.unwrap_or(other));
        }
        let has_base = reading.base_height.abs() <= 99;
        if has_base {
            reading.tile.base_height = reading.base_height as i8;
        }
        if let Some(kind) = kind.filter(|_| has_base && reading.has_ramp()) {
            reading.tile.kind = kind;
            reading.tile.ramp_height = u8::try_from(reading.ramp_height)
                .ok()
                .filter(|ramp| *ramp <= 99)
                .unwrap_or_default();
        }
        reading
    }

    /// Whether the ramp height is one that a tile may have, or means nothing.
    fn has_ramp(&self) -> bool {
        self.kind == Some(TileType::Flat) || (0..=99).contains(&self.ramp_height)
    }

    /// Whether the engine makes a tile of it whose heights the document allows; what does not is
    /// unreadable.
    pub fn has_shape(&self) -> bool {
        self.kind.is_some() && self.base_height.abs() <= 99 && self.has_ramp()
    }

    /// Tells of each field that does not hold what the document says.
    pub(super) fn each_oddity(text: &[u8; TILE_CHARS], mut tell: impl FnMut(Oddity)) {
        let reading = Self::of_chars(text);
        for field in Field::ALL {
            let Some(at) = field.first_odd(text) else {
                continue;
            };
            let (rule, outcome) = reading.outcome(field);
            tell(Oddity {
                at,
                rule,
                found: format!(
                    "found {} as the {}",
                    quoted(&text[field.chars()]),
                    field.noun()
                ),
                expected: field.expected(),
                outcome,
            });
        }
    }

    /// What comes of an odd field, and the rule that it breaks.
    fn outcome(&self, field: Field) -> (&'static Rule, String) {
        let reads = |value: i32| format!("; the engine reads {value}");
        match field {
            Field::Type if self.kind.is_none() => (
                &rules::TILE_TYPE,
                "; the engine fails an assertion on it".to_owned(),
            ),
            Field::Type => (&rules::TILE_FIELD, reads(0)),
            Field::BaseHeight if self.base_height.abs() > 99 => {
                (&rules::TILE_HEIGHT, reads(self.base_height))
            }
            Field::BaseHeight => (&rules::TILE_FIELD, reads(self.base_height)),
            Field::RampHeight if !self.has_ramp() => (&rules::TILE_HEIGHT, reads(self.ramp_height)),
            Field::RampHeight => (&rules::TILE_FIELD, reads(self.ramp_height)),
            Field::TopMaterial => (&rules::TILE_FIELD, reads(self.top_material)),
            Field::SideMaterial => (&rules::TILE_FIELD, reads(self.side_material)),
            Field::Pathable | Field::BlendNormals | Field::NoBump => {
                (&rules::TILE_FIELD, "; it is read as 1".to_owned())
            }
            Field::BlendMode | Field::Reserved => {
                (&rules::TILE_FIELD, "; the engine ignores it".to_owned())
            }
            Field::Cover
            | Field::BlendNorth
            | Field::BlendEast
            | Field::BlendSouth
            | Field::BlendWest => (&rules::TILE_FIELD, String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BlendMode, Edge};
    use super::*;

    fn reading(text: &[u8; TILE_CHARS]) -> Reading {
        Reading::of(text).unwrap()
    }

    #[test]
    fn what_the_document_allows_is_read_as_ever() {
        for text in [b"0+0000000001101001111000", b"C-9876254310011102010999"] {
            let tile = Tile::parse(text).unwrap();
            assert_eq!(reading(text), Reading::from(&tile));
            Reading::each_oddity(text, |oddity| panic!("{oddity:?}"));
        }
        assert_eq!(Reading::of(b"0+00000000011010011110"), None);
        assert_eq!(Reading::of(b""), None);
    }

    #[test]
    fn wrong_characters_are_the_arithmetic_of_the_engine() {
        let odd = reading(b"g*0:0/00x0/1z:x;a:1/2x00");
        assert_eq!(odd.kind, Some(TileType::Flat));
        assert_eq!((odd.base_height, odd.ramp_height), (10, -1));
        assert_eq!((odd.top_material, odd.side_material), (72, -9));
        assert_eq!(odd.cover, i32::from(b'a' - b'0'));
        assert!(odd.has_shape(), "the ramp of a flat tile means nothing");
        assert_eq!((odd.tile.base_height, odd.tile.ramp_height), (10, 0));
        assert_eq!((odd.tile.top_material, odd.tile.side_material), (72, 999));
        assert!(odd.tile.pathable() && odd.tile.blend_normals() && !odd.tile.bump());
        let edges = Edge::ALL.map(|edge| odd.tile.blend(edge));
        use BlendMode::{Blur, Edge as Ragged, Unknown};
        assert_eq!(edges, [Unknown, Blur, Unknown, Ragged]);
    }

    #[test]
    fn a_tile_without_a_shape_lies_flat_at_its_base() {
        let typeless = reading(b"F+0500000001101001111000");
        assert_eq!(typeless.kind, None);
        assert_eq!((typeless.top_material, typeless.side_material), (0, 1));
        assert_eq!(
            (typeless.tile.kind, typeless.tile.base_height),
            (TileType::Flat, 5)
        );
        for (text, base) in [
            (b"1+05xx000001101001111000", 5),
            (b"1-050/000001101001111000", -5),
            (b"2+zz03000001101001111000", 0),
        ] {
            let steep = reading(text);
            assert!(!steep.has_shape() && !typeless.has_shape());
            let tile = steep.tile;
            assert_eq!(
                (tile.kind, tile.base_height, tile.ramp_height),
                (TileType::Flat, base, 0)
            );
        }
    }
}
