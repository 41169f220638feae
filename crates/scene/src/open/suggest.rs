//! Continuations of a query that is being typed.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::slice;

use serde_json::Value as Json;

use super::find::visit;
use super::main_kind;
use super::query::{
    Operator, Parser, Token, TokenKind, first_key, is_keyword, is_word, kind_name, kinds_of,
};
use crate::core::playback::Playhead;
use crate::describe::table::{ItemKeys, ValueType};
use crate::describe::value::{Plain, is_key};
use crate::{Document, Item};

/// Number of items whose values are suggested.
const MAX_EXAMINED: usize = 20_000;
/// Maximum number of suggested values.
const MAX_VALUES: usize = 100;

/// Returns the JSON keys of the fields of a kind of item, in the order of the inspector.
pub fn fields_of_kind(document: &dyn Document, kind: &str) -> Vec<String> {
    let kinds = kinds_of(document);
    let kind = kinds.iter().find(|keys| keys.kind == kind);
    kind.map_or_else(Vec::new, fields)
}

fn fields(kind: &ItemKeys) -> Vec<String> {
    let mut fields = Vec::new();
    for field in kind.groups.iter().flat_map(|group| &group.keys) {
        if !fields.iter().any(|known| *known == field.key) {
            fields.push(field.key.clone().into_owned());
        }
    }
    fields
}

/// Returns continuations of a query, each as the whole text: fields, operators, values of the
/// file, and kinds of items.
pub fn continuations(document: &dyn Document, text: &str) -> Vec<String> {
    // A text in quotation marks that is being typed.
    let quote = text
        .match_indices('"')
        .map(|(at, _)| at)
        .enumerate()
        .last()
        .filter(|(index, _)| index % 2 == 0)
        .map(|(_, at)| at);
    let word = text.trim_end_matches(is_word).len();
    let start = quote.unwrap_or(word);
    let (before, partial) = text.split_at(start);
    let partial = partial.trim_start_matches('"').to_lowercase();
    let Ok(parser) = Parser::new(before) else {
        return Vec::new();
    };
    let tokens: Vec<Token> = parser.tokens().collect();
    let kinds = kinds_of(document);
    let place = tokens.iter().position(|token| token.is_word("where"));
    let kind = match place {
        Some(place) => {
            let words = tokens.iter().take(place).filter_map(Token::word);
            kind_name(&words.collect::<Vec<_>>())
        }
        None => main_kind(document.about().format.id).to_owned(),
    };
    let Some(keys) = kinds.iter().find(|keys| keys.kind == kind) else {
        return Vec::new();
    };
    let condition = tokens
        .get(place.map_or(0, |place| place + 1)..)
        .unwrap_or_default();
    let candidates = match condition {
        [] => {
            let kinds = kinds.iter().filter(|_| place.is_none());
            let kinds = kinds.map(|keys| format!("{} where ", keys.kind.replace(' ', "-")));
            fields(keys).into_iter().chain(kinds).collect()
        }
        [
            ..,
            Token {
                kind: TokenKind::Open,
                ..
            },
        ] => fields(keys),
        [.., token] if ["and", "or", "not"].iter().any(|word| token.is_word(word)) => fields(keys),
        [
            ..,
            field,
            Token {
                kind: TokenKind::Operator(_),
                ..
            },
        ] => {
            let path = field
                .word()
                .map(|path| path.split('.').map(str::to_owned).collect::<Vec<_>>());
            path.map_or_else(Vec::new, |path| values(document, keys, &path))
        }
        // A value, or a flag in parentheses.
        [
            ..,
            Token {
                kind: TokenKind::Operator(_),
                ..
            },
            _,
        ]
        | [
            ..,
            Token {
                kind: TokenKind::Close,
                ..
            },
        ] => words(&["and ", "or "]),
        [..] => {
            let operators = Operator::ALL.iter().map(|(text, _)| (*text).to_owned());
            operators
                .filter(|text| text != "==")
                .chain(words(&["and ", "or "]))
                .collect()
        }
    };
    let mut dedup = BTreeSet::new();
    let begins: fn(&str, &str) -> bool = |candidate, partial| candidate.starts_with(partial);
    let contains: fn(&str, &str) -> bool = |candidate, partial| candidate.contains(partial);
    let mut found = Vec::new();
    for is_match in [begins, contains] {
        for candidate in &candidates {
            let plain = candidate.trim_matches('"').to_lowercase();
            if is_match(&plain, &partial) && plain != partial && dedup.insert(candidate.clone()) {
                found.push(format!("{before}{candidate}"));
            }
        }
    }
    found
}

/// Returns queries for the items that share a text, a reference or a flag with an item, one per
/// field of the item.
pub fn alike(document: &dyn Document, item: Item) -> Vec<String> {
    let kinds = kinds_of(document);
    let keys = kinds.iter().find(|keys| keys.kind == item.kind());
    let record = document.record(item, Playhead::default().into());
    let Some((keys, record)) = keys.zip(record) else {
        return Vec::new();
    };
    let kind = keys.kind.replace(' ', "-");
    let is_single = |key: &String| {
        let mut all = keys.groups.iter().flat_map(|group| &group.keys);
        all.all(|field| field.key != *key || first_key(field.ty).is_none())
    };
    let queries = fields(keys)
        .into_iter()
        .filter(is_single)
        .filter_map(|key| {
            let mut condition = None;
            record.value(slice::from_ref(&key))?.any(&mut |plain| {
                condition = match plain {
                    Plain::Flag(true) => Some(key.clone()),
                    Plain::Flag(false) => Some(format!("not {key}")),
                    Plain::Text(text) => written(text).map(|value| format!("{key} = {value}")),
                    // A reference has its index before its name.
                    Plain::Number(_) | Plain::Single(_) => None,
                };
                condition.is_some()
            });
            Some(format!("{kind} where {}", condition?))
        });
    queries.collect()
}

/// Items that refer to items of a kind: the kind, theirs, the condition on their fields with fields
/// of the item in braces, and the item's field with their number, if it has one.
const USERS: [(&str, &str, &str, &str); 11] = [
    ("faction", "entity", "faction = {index}", "entities"),
    ("class", "entity", "class = {name}", "entities"),
    ("model", "entity", "model = {path}", "entities"),
    ("tile type", "tile", "type = {name}", "tiles"),
    ("material", "tile", "top_material = {index}", "tops"),
    ("material", "tile", "side_material = {index}", "sides"),
    ("material", "triangle", "material = {index}", "triangles"),
    (
        "material",
        "cube",
        "materials.materials = {name} and level = {level}",
        "",
    ),
    ("entity type", "entity", "type = {type}", ""),
    (
        "tile",
        "cell",
        "tile = {number} and palette = {palette}",
        "uses",
    ),
    ("zone", "cell", "zones = {name}", ""),
];

/// The items that refer to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Users {
    /// Their kind.
    pub kind: &'static str,
    /// Their number, if the item knows it.
    pub count: Option<u64>,
    /// The query that finds them.
    pub query: String,
}

/// Returns the items that refer to an item by their fields, one entry per field.
pub fn users(document: &dyn Document, item: Item) -> Vec<Users> {
    let Some(record) = document.record(item, Playhead::default().into()) else {
        return Vec::new();
    };
    let kinds = kinds_of(document);
    let value = |key: &str| {
        let value = record.value(&[key.to_owned()]);
        value.map_or(Json::Null, |value| value.json())
    };
    let of_row = |(_, kind, condition, count): (_, &'static str, &str, &str)| {
        let mut parts = condition.split(['{', '}']);
        let mut query = format!("{kind} where {}", parts.next()?);
        let mut is_known = false;
        while let (Some(key), Some(after)) = (parts.next(), parts.next()) {
            let text = match value(key) {
                Json::String(text) => written(&text)?,
                // Only the fields after the first may be absent.
                Json::Null if !is_known => return None,
                Json::Array(list) if list.is_empty() => Json::Null.to_string(),
                Json::Array(_) | Json::Object(_) => return None,
                other => other.to_string(),
            };
            is_known = true;
            query.extend([&text, after]);
        }
        let count = value(count).as_u64();
        (count != Some(0)).then_some(Users { kind, count, query })
    };
    USERS
        .into_iter()
        .filter(|(of, kind, ..)| *of == item.kind() && kinds.iter().any(|it| it.kind == *kind))
        .filter_map(of_row)
        .collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The values that a field has in the file, as they are written in a query.
fn values(document: &dyn Document, keys: &ItemKeys, path: &[String]) -> Vec<String> {
    let mut all = keys.groups.iter().flat_map(|group| &group.keys);
    let field = path
        .first()
        .and_then(|first| all.find(|field| is_key(&field.key, first)));
    if field.is_some_and(|field| matches!(field.ty, ValueType::Flag)) {
        return words(&["true", "false"]);
    }
    let mut found = BTreeSet::new();
    let mut examined = 0;
    let is_of_kind = |item: Item| item.kind() == keys.kind;
    let mut lists = document.parts().unwrap_or_default();
    lists.extend(document.other_parts());
    let _all = visit(&lists, &is_of_kind, &mut |item, _| {
        examined += 1;
        if examined > MAX_EXAMINED || found.len() >= MAX_VALUES {
            return ControlFlow::Break(());
        }
        let record = document.record(item, Playhead::default().into());
        if let Some(value) = record.and_then(|record| record.value(path)) {
            value.any(&mut |plain| {
                if let Plain::Text(text) = plain {
                    found.extend(written(text));
                }
                false
            });
        }
        ControlFlow::Continue(())
    });
    found.into_iter().collect()
}

/// Writes a text as a value of a query. Texts with quotation marks cannot be written.
fn written(text: &str) -> Option<String> {
    let is_plain = !text.is_empty()
        && text.chars().all(is_word)
        && text.parse::<f64>().is_err()
        && !is_keyword(text);
    if is_plain {
        return Some(text.to_owned());
    }
    (!text.contains('"')).then(|| format!("\"{text}\""))
}
