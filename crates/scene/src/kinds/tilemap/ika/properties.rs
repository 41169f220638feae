//! Values that several kinds of files share.

use std::ops::Range;

use serde_json::Value as Json;

use crate::describe::value::{Fact, FactGroup, Value};
use crate::kinds::tilemap::stored::bytes_of;
use mapscope_formats::ika::DIRECTIONS;

/// The bytes of a block, which may be empty or beyond the end of the file.
pub(super) fn packed(block: &Range<u64>) -> Value {
    if block.is_empty() {
        return Value::none("none");
    }
    bytes_of(block)
}

/// The name of a number, if it has one.
pub(super) fn named(number: i64, names: &'static [&'static str]) -> Value {
    let name = usize::try_from(number).ok().and_then(|i| names.get(i));
    match name {
        Some(name) => Value::from(*name).shown_as(format!("{number} {name}")),
        None => number.into(),
    }
}

/// The author's metadata in a text file, if any: pairs, since keys may repeat.
pub(super) fn meta(pairs: &[(String, String)]) -> Option<FactGroup> {
    let lines = pairs.iter().map(|(key, value)| format!("{key}: {value}"));
    let lines = Fact::new("", Value::list(lines)).keyed("");
    let list = pairs.iter();
    let list = list.map(|(key, value)| Value::list([key.as_str(), value.as_str()]));
    let list = Fact::new("", Value::list(list)).keyed("pairs");
    (!pairs.is_empty()).then(|| FactGroup::new("Meta", [lines, list.derived().hidden()]))
}

/// The same for machine-readable output: a list of pairs, since keys may repeat.
pub(super) fn meta_info(pairs: &[(String, String)]) -> Json {
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
        assert_eq!(named(5, &DIRECTIONS).json(), "up-right");
        assert_eq!(named(5, &DIRECTIONS).text().unwrap(), "5 up-right");
        assert_eq!(named(-3, &DIRECTIONS).json(), -3);
    }
}
