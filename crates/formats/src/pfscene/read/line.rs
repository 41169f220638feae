//! Lines of a scene and their words.

use super::super::{Value, ValueType};
use crate::cursor::{Found, Word, is_separator};

/// A line whose first word has been read.
pub(super) struct Line<'a> {
    pub key: Word<'a>,
    /// The text after the first word.
    pub rest: Option<Word<'a>>,
    /// The end of the line.
    pub end: Found<'static>,
}

impl<'a> Line<'a> {
    pub(super) fn number(&self) -> u64 {
        self.key.place.0
    }

    /// The words after the first.
    pub(super) fn words(&self) -> impl Iterator<Item = Word<'a>> {
        self.rest.into_iter().flat_map(words)
    }

    /// The type in the second word, as in every line of an attribute.
    pub(super) fn value_type(&self) -> Option<ValueType> {
        ValueType::of(self.words().next()?.text)
    }

    /// A name in quotation marks after the first word, and the text after it.
    pub(super) fn quoted_name(&self) -> Option<(Word<'a>, Word<'a>)> {
        let rest = self.rest?;
        let length = rest
            .text
            .strip_prefix(b"\"")?
            .iter()
            .position(|b| *b == b'"')?;
        let after = rest.part(length + 2..rest.text.len());
        (length > 0).then(|| (rest.part(1..length + 1), after))
    }

    /// The text after the first word, or the end of the line.
    pub(super) fn found(&self) -> Found<'a> {
        self.rest.map_or_else(|| self.end.clone(), Found::from)
    }

    /// All words of the line; `text` is the whole file.
    pub(super) fn whole(&self, text: &'a [u8]) -> Word<'a> {
        let end = self.rest.unwrap_or(self.key);
        Word {
            text: &text[self.key.start..end.start + end.text.len()],
            ..self.key
        }
    }
}

/// Splits a text on one line into words.
pub(super) fn words(text: Word<'_>) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.text.get(at..)?;
        let start = at + rest.iter().position(|byte| !is_separator(*byte))?;
        let rest = &text.text[start..];
        let end = rest.iter().position(|byte| is_separator(*byte));
        at = end.map_or(text.text.len(), |end| start + end);
        Some(text.part(start..at))
    })
}

/// Parses the next word as a number. The error is the word that is not a number, if there is one.
pub(super) fn number<'a, T: std::str::FromStr>(
    words: &mut impl Iterator<Item = Word<'a>>,
) -> Result<T, Option<Word<'a>>> {
    let word = words.next();
    word.and_then(|word| word.number()).ok_or(word)
}

pub(super) fn numbers<'a, T: std::str::FromStr + Default + Copy, const N: usize>(
    words: &mut impl Iterator<Item = Word<'a>>,
) -> Result<[T; N], Option<Word<'a>>> {
    let mut numbers = [T::default(); N];
    for slot in &mut numbers {
        *slot = number(words)?;
    }
    Ok(numbers)
}

/// Parses the next words as a value of a type. The error is the unreadable word, if there is one.
pub(super) fn value<'a>(
    value_type: ValueType,
    words: &mut impl Iterator<Item = Word<'a>>,
) -> Result<Value, Option<Word<'a>>> {
    match value_type {
        ValueType::Int => number(words).map(Value::Int),
        ValueType::Bool => match words.next() {
            Some(word) if word.text == b"0" => Ok(Value::Bool(false)),
            Some(word) if word.text == b"1" => Ok(Value::Bool(true)),
            other => Err(other),
        },
        ValueType::Vec2 => numbers(words).map(Value::Vec2),
        ValueType::Vec3 => numbers(words).map(Value::Vec3),
        ValueType::Quat => numbers(words).map(Value::Quat),
        ValueType::Float | ValueType::String => number(words).map(Value::Float),
    }
}

pub(super) fn string(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
