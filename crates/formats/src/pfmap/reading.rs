//! The engine's reading of 24 characters that deviate from the document.
//!
//! The engine checks only their number. A type that is not a hexadecimal digit is 0, a sign other
//! than `-` is `+`, and every other character is its code minus that of `0` (fact sheet A1). Most
//! tiles with a wrong character therefore exist in the game, and must exist here.

use super::{Field, Meaning, OddText, TILE_CHARS, Tile, TileType, rules};
use crate::{Rule, counted, quoted};

/// The fields of a tile as the engine reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// By [`Field`]; some are beyond [`Field::range`].
    numbers: [i32; Field::ALL.len()],
    /// The numbers in the bounds of the document, as they are drawn. A tile without a shape
    /// ([`Reading::has_shape`]) is flat ground at its base height, or at level 0.
    pub tile: Tile,
}

/// A fault of the text in the place of a tile.
#[derive(Debug)]
pub(super) struct Fault {
    /// Index of the first wrong character.
    pub at: usize,
    /// The broken rule. If it leaves something out, the tile has no shape.
    pub rule: &'static Rule,
    /// The text found, such as ``found `x` as the cover``.
    pub found: String,
    /// The expectation.
    pub expected: &'static str,
    /// The outcome, after a semicolon; may be empty.
    pub outcome: String,
}

impl From<&Tile> for Reading {
    fn from(tile: &Tile) -> Self {
        Self {
            numbers: Field::ALL.map(|field| tile.get(field)),
            tile: *tile,
        }
    }
}

impl Reading {
    /// Reads the text in the place of a tile. Returns `None` if it does not have 24 characters: the
    /// engine then refuses the whole map. It takes a zero byte as the end of a line.
    pub fn of(text: &[u8]) -> Option<Self> {
        let chars = text.try_into().ok().filter(|_| !text.contains(&0));
        chars.map(Self::of_chars)
    }

    fn of_chars(text: &[u8; TILE_CHARS]) -> Self {
        let digit = |at: usize| i32::from(text[at].cast_signed()) - i32::from(b'0');
        let join = |number: i32, digit: i32| number * 10 + digit;
        let numbers = Field::ALL.map(|field| match field {
            Field::Type => char::from(text[0]).to_digit(16).unwrap_or(0) as i32,
            Field::BaseHeight if text[1] == b'-' => -join(digit(2), digit(3)),
            Field::BaseHeight => join(digit(2), digit(3)),
            // The engine ignores this field: characters that are not digits count as 0.
            Field::Reserved => field.chars().fold(0, |number, at| {
                let digit = Some(digit(at)).filter(|digit| (0..=9).contains(digit));
                join(number, digit.unwrap_or(0))
            }),
            _ => field.chars().map(digit).fold(0, join),
        });
        let mut reading = Self {
            numbers,
            tile: Tile::default(),
        };
        for field in Field::ALL {
            let number = Some(reading.get(field)).filter(|_| reading.fits(field));
            reading.tile.set(field, number.unwrap_or(field.fallback()));
        }
        if !reading.has_shape() {
            reading.tile.set(Field::Type, TileType::Flat as i32);
            reading.tile.set(Field::RampHeight, 0);
        }
        reading
    }

    /// The number in a field. The document allows only [`Field::range`].
    pub fn get(&self, field: Field) -> i32 {
        self.numbers[field as usize]
    }

    /// Its shape; `None` for D, E and F, which the engine accepts and then fails an assertion on.
    pub fn kind(&self) -> Option<TileType> {
        TileType::from_index(self.get(Field::Type) as u8)
    }

    /// `true` if the number in a field is allowed.
    fn fits(&self, field: Field) -> bool {
        field.range().contains(&self.get(field))
    }

    /// `true` if the ramp height is allowed, or has no meaning.
    fn has_ramp(&self) -> bool {
        self.kind() == Some(TileType::Flat) || self.fits(Field::RampHeight)
    }

    /// `true` if the engine makes a tile of it whose heights the document allows. Otherwise it is
    /// unreadable.
    pub fn has_shape(&self) -> bool {
        self.kind().is_some() && self.fits(Field::BaseHeight) && self.has_ramp()
    }

    /// Returns all faults of the text in the place of a tile: its length, or each field that
    /// deviates from the document.
    pub(super) fn faults(odd: OddText<'_>) -> Vec<Fault> {
        let whole = quoted(odd.text);
        let chars = odd.text.try_into().ok();
        let Some((text, reading)) = chars.zip(Self::of(odd.text)) else {
            let has_zero = chars.is_some().then_some(", which has a NUL byte");
            let length = || format!(", {}", counted(odd.length, "character"));
            let what = has_zero.map_or_else(length, str::to_owned);
            return vec![Fault {
                at: 0,
                rule: &rules::TILE_LENGTH,
                found: format!("found {whole}{what}"),
                expected: "a tile of 24 characters",
                outcome: String::new(),
            }];
        };
        let faults = Field::ALL.into_iter().filter_map(|field| {
            let at = field.first_invalid_char(text)?;
            let (rule, outcome) = reading.outcome(field, text[at]);
            let found = quoted(&text[field.chars()]);
            Some(Fault {
                at,
                rule,
                found: format!("found {found} as the {} in {whole}", field.noun()),
                expected: field.expected(),
                outcome,
            })
        });
        faults.collect()
    }

    /// The rule that an odd field breaks by its first odd character, and the outcome.
    fn outcome(&self, field: Field, odd: u8) -> (&'static Rule, String) {
        let reads = format!("; the engine reads {}", self.get(field));
        let odd = if odd.is_ascii_digit() {
            &rules::TILE_DIGIT
        } else {
            &rules::TILE_FIELD
        };
        let height = |fits: bool| if fits { odd } else { &rules::TILE_HEIGHT };
        let other = |outcome: &str| (odd, outcome.to_owned());
        match field.meaning() {
            Meaning::Type if self.kind().is_none() => (
                &rules::TILE_TYPE,
                "; the engine fails an assertion".to_owned(),
            ),
            Meaning::Levels if field == Field::RampHeight => (height(self.has_ramp()), reads),
            Meaning::Levels => (height(self.fits(field)), reads),
            Meaning::Type | Meaning::Material => (odd, reads),
            Meaning::Flag | Meaning::InvertedFlag(_) => other("; read as 1"),
            Meaning::BlendAll | Meaning::Reserved => other("; the engine ignores it"),
            Meaning::Cover | Meaning::Blend(_) => other(""),
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
            let whole = OddText {
                text,
                length: TILE_CHARS,
            };
            assert!(Reading::faults(whole).is_empty());
        }
        assert_eq!(Reading::of(b"0+00000000011010011110"), None);
        assert_eq!(Reading::of(b""), None);
        let zeroed = b"0+00000000011010011110\x000";
        assert_eq!(Reading::of(zeroed), None);
        let odd = OddText {
            text: zeroed,
            length: TILE_CHARS,
        };
        assert!(
            Reading::faults(odd)[0]
                .found
                .ends_with("which has a NUL byte")
        );
    }

    #[test]
    fn wrong_characters_are_the_arithmetic_of_the_engine() {
        let odd = reading(b"g*0:0/00x0/1z:x;a:1/2x00");
        use Field::{BaseHeight, Cover, RampHeight, SideMaterial, TopMaterial};
        assert_eq!(odd.kind(), Some(TileType::Flat));
        let fields = [BaseHeight, RampHeight, TopMaterial, SideMaterial, Cover];
        assert_eq!(
            fields.map(|field| odd.get(field)),
            [10, -1, 72, -9, i32::from(b'a' - b'0')]
        );
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
        assert_eq!(typeless.kind(), None);
        assert_eq!(typeless.get(Field::SideMaterial), 1);
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
