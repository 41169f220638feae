//! Display texts for parts of maps.

use std::ops::Range;

use serde_json::Value;

use crate::kinds::tilemap::Grid;
use crate::kinds::tilemap::making::group;
use crate::{Property, PropertyGroup};
use mapscope_formats::counted;
use mapscope_formats::ika::DIRECTIONS;

/// A byte range of a file.
pub(super) fn bytes(range: &Range<u64>) -> String {
    let Range { start, end } = range;
    let count = end.saturating_sub(*start);
    format!(
        "{start:#x} to {end:#x}, {}",
        counted(count as usize, "byte")
    )
}

/// The bytes of a block, which may be empty or beyond the end of the file.
pub(super) fn packed(block: &Range<u64>) -> String {
    if block.is_empty() {
        return "none".to_owned();
    }
    bytes(block)
}

/// A number followed by its name, if it has one.
pub(super) fn named(number: i64, names: &[&str]) -> String {
    let name = usize::try_from(number).ok().and_then(|i| names.get(i));
    name.map_or_else(|| number.to_string(), |name| format!("{number} {name}"))
}

/// The author's metadata in a text file, if any.
pub(super) fn meta(pairs: &[(String, String)]) -> Option<PropertyGroup> {
    let lines = pairs
        .iter()
        .map(|(key, value)| Property::new("", format!("{key}: {value}")));
    (!pairs.is_empty()).then(|| group("Meta", lines.collect()))
}

/// The same for machine-readable output: a list of pairs, since keys may repeat.
pub(super) fn meta_info(pairs: &[(String, String)]) -> Value {
    pairs
        .iter()
        .map(|(key, value)| vec![&**key, &**value])
        .collect()
}

/// The step of a numeric direction; `None` for an invalid number or no step.
pub(super) fn faces(direction: i64) -> Option<[i8; 2]> {
    const STEPS: [[i8; 2]; 8] = [
        [0, -1],
        [0, 1],
        [-1, 0],
        [1, 0],
        [-1, -1],
        [1, -1],
        [-1, 1],
        [1, 1],
    ];
    STEPS.get(usize::try_from(direction).ok()?).copied()
}

/// The step of a direction's name; like the engine, it treats unknown names as down.
pub(super) fn direction_by_name(word: &str) -> Option<[i8; 2]> {
    let number = DIRECTIONS.iter().position(|name| *name == word);
    faces(number.unwrap_or(1) as i64)
}

/// The range of a tile's bytes in the unpacked data.
pub(super) fn unpacked(index: usize) -> String {
    unpacked_bytes(index, 4)
}

/// The same for a number of a grid; obstruction has one byte per tile.
pub(super) fn unpacked_of(grid: &Grid, index: usize) -> String {
    unpacked_bytes(index, if grid.kind.is_obstruction() { 1 } else { 4 })
}

fn unpacked_bytes(index: usize, bytes: u64) -> String {
    let start = index as u64 * bytes;
    format!("{start:#x} to {:#x} of the unpacked data", start + bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_steps() {
        let signs: Vec<_> = DIRECTIONS
            .iter()
            .map(|word| direction_by_name(word))
            .collect();
        for (number, (word, step)) in DIRECTIONS.iter().zip(&signs).enumerate() {
            assert_eq!(faces(number as i64), *step);
            let [x, y] = step.unwrap_or_default();
            assert_eq!(x < 0, word.contains("left"), "{word}");
            assert_eq!(x > 0, word.contains("right"), "{word}");
            assert_eq!(y < 0, word.starts_with("up"), "{word}");
            assert_eq!(y > 0, word.starts_with("down"), "{word}");
        }
        assert_eq!(direction_by_name("wtf"), Some([0, 1]));
        assert_eq!((faces(-1), faces(9)), (None, None));
        assert_eq!(named(5, &DIRECTIONS), "5 up-right");
        assert_eq!(named(-3, &DIRECTIONS), "-3");
    }
}
