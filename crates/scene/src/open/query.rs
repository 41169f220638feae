//! Queries over the fields of items, such as `tile where ramp_height > 1 and not pathable`
//! (contract, "Queries").
//!
//! A query names a kind of item and a condition on its fields, by their JSON keys. Values are
//! compared as typed data; nothing is formatted.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::find::{NamedItem, find_items};
use super::{item_keys, main_kind};
use crate::core::parallel::Share;
use crate::core::playback::Playhead;
use crate::describe::table::{Describe, FieldKey, ItemKeys, ValueType};
use crate::describe::value::{Plain, Value, is_key};
use crate::document::parts::Parts;
use crate::{Document, Item};

/// The items that a query found.
#[derive(Debug)]
pub struct Found {
    /// The kind of the items.
    pub kind: &'static str,
    /// The fields that the query names, as they are written there.
    pub fields: Vec<String>,
    /// Number of items that match.
    pub count: u64,
    /// The first of them, in file order.
    pub items: Vec<NamedItem>,
}

/// A fault in a query.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("column {column}: {found}; expected {expected}")]
pub struct QueryError {
    /// Number of the first character at fault, from 1.
    pub column: usize,
    /// The text at fault.
    pub found: String,
    /// What would be valid there.
    pub expected: String,
}

/// Finds the items that match a query at a moment, and lists the first `max` of them.
///
/// # Errors
///
/// If the query cannot be read, or names a kind or a field that does not exist.
pub fn find_matches(
    document: &dyn Document,
    text: &str,
    playhead: Playhead,
    max: usize,
) -> Result<Found, QueryError> {
    let mut parser = Parser::new(text)?;
    let kinds = kinds_of(document);
    let keys = parser.kind(document, &kinds)?;
    // A kind alone means all its items.
    let condition = if parser.is_kind {
        Condition::All(Vec::new())
    } else {
        parser.condition()?
    };
    if let Some(token) = parser.peek() {
        return Err(token.unexpected("`and`, `or` or the end of the query"));
    }
    let mut fields = Vec::new();
    condition.fields(&mut fields);
    for field in &fields {
        field.check(keys)?;
    }
    let search = |share| Search {
        document,
        kind: keys.kind,
        condition: &condition,
        fields: &fields,
        playhead,
        max,
        share,
        count: 0,
        found: Vec::new(),
        examined: 0,
        is_listed: false,
    };
    let mut parts = Share::among_threads(|share| {
        let mut search = search(share);
        let parts = document.parts().unwrap_or_default();
        search.visit(&parts, false);
        if !search.is_listed {
            // Details of other items, in files that consist of them.
            search.visit(&parts, true);
        }
        if !search.is_listed {
            search.visit(&document.other_parts(), false);
        }
        search
    });
    if parts.iter().all(|part| part.examined == 0) {
        // Kinds that the file does not list, such as models of a scene.
        let mut search = search(Share::whole());
        let unlisted = find_items(document, keys.kind).map_err(|_| {
            let mut names: Vec<&str> = kinds.iter().map(|keys| keys.kind).collect();
            names.retain(|name| *name != keys.kind);
            names.sort_unstable();
            names.dedup();
            QueryError {
                column: 1,
                found: format!("items of the kind `{}` cannot be listed", keys.kind),
                expected: names.join(", "),
            }
        })?;
        for NamedItem { item, name } in unlisted {
            search.test(item, search.found.len(), || name.clone());
        }
        parts.push(search);
    }
    if let Some(field) = fields.iter().find(|field| !field.is_seen()) {
        return Err(field.unknown(keys));
    }
    let count = parts.iter().map(|part| part.count).sum();
    let mut found: Vec<(usize, NamedItem)> =
        parts.into_iter().flat_map(|part| part.found).collect();
    found.sort_by_key(|(order, _)| *order);
    found.truncate(max);
    let items = found.into_iter().map(|(_, item)| item).collect();
    let mut named: Vec<String> = Vec::new();
    for field in fields {
        let path = field.path.join(".");
        if !named.contains(&path) {
            named.push(path);
        }
    }
    Ok(Found {
        kind: keys.kind,
        fields: named,
        count,
        items,
    })
}

/// Returns the JSON keys of the kinds of items of a document's format.
pub(super) fn kinds_of(document: &dyn Document) -> Vec<ItemKeys> {
    let format = document.about().format.id;
    let mut kinds = item_keys().into_iter();
    let kinds = kinds.find(|(formats, _)| formats.contains(&format));
    kinds.map_or_else(Vec::new, |(_, kinds)| kinds)
}

/// The search of a thread.
struct Search<'a> {
    document: &'a dyn Document,
    kind: &'a str,
    condition: &'a Condition,
    fields: &'a [&'a Field],
    playhead: Playhead,
    max: usize,
    share: Share,
    count: u64,
    /// The first matches, with their order in the file.
    found: Vec<(usize, NamedItem)>,
    examined: u64,
    /// `true` if a list has items of the kind.
    is_listed: bool,
}

impl Search<'_> {
    /// Examines the lists of items of the kind, or those of details of other items.
    fn visit(&mut self, lists: &[Parts<'_>], in_details: bool) {
        for list in lists {
            // All items of a list are of one kind.
            let of_kind = |list: &Parts<'_>| list.item(0).is_some_and(|it| it.kind() == self.kind);
            let is_wanted = if in_details {
                list.what == self.kind
            } else {
                list.lists_items()
            };
            if list.count > 0 && is_wanted && of_kind(list) {
                self.is_listed = true;
                self.examine(list);
            }
            if list.has_items_within() {
                for index in 0..list.count {
                    self.visit(&list.children(index), in_details);
                }
            }
        }
    }

    fn examine(&mut self, list: &Parts<'_>) {
        for (index, order) in self.share.of(list.count) {
            if let Some(item) = list.item(index) {
                self.test(item, order, || Some(list.name(index)));
            }
        }
    }

    /// Examines an item.
    fn test(&mut self, item: Item, order: usize, name: impl Fn() -> Option<String>) {
        let Some(record) = self.document.record(item, self.playhead.into()) else {
            return;
        };
        self.examined += 1;
        for field in self.fields {
            // A condition that is already decided would leave out the others.
            if !field.is_seen() {
                let _value = field.of(&*record);
            }
        }
        if !self.condition.holds(&*record) {
            return;
        }
        self.count += 1;
        if self.found.len() < self.max {
            let name = name();
            self.found.push((order, NamedItem { item, name }));
        }
    }
}

/// A condition on the fields of an item.
#[derive(Debug)]
enum Condition {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    /// A flag is set.
    Flag(Field),
    Compare(Field, Operator, Literal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// A text contains another, in any case.
    Contains,
}

impl Operator {
    pub(super) const ALL: [(&'static str, Self); 8] = [
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("==", Self::Equal),
        ("=", Self::Equal),
        ("<", Self::Less),
        (">", Self::Greater),
        ("~", Self::Contains),
    ];

    /// `true` if it compares by order.
    fn is_order(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual | Self::Contains)
    }
}

/// The value that a field is compared with.
#[derive(Debug)]
enum Literal {
    /// An absent value.
    Null,
    Flag(bool),
    Number(f64),
    /// A text, and the same in lower case.
    Text(String, String),
}

/// A field that a query names.
#[derive(Debug)]
struct Field {
    /// Its key, and keys within its value.
    path: Vec<String>,
    column: usize,
    /// What the field is compared with.
    use_of: Use,
    /// `true` if the kind has the field in every file, or an item of this file has it.
    is_seen: AtomicBool,
}

/// How a query uses a field.
#[derive(Debug, PartialEq)]
enum Use {
    Flag,
    /// Compared with a flag.
    WithFlag,
    /// Compared with a word without quotation marks, at this column.
    WithWord(String, usize),
    InOrder,
    Other,
}

impl Condition {
    /// Adds the fields that the condition names.
    fn fields<'a>(&'a self, fields: &mut Vec<&'a Field>) {
        match self {
            Self::All(all) | Self::Any(all) => {
                for condition in all {
                    condition.fields(fields);
                }
            }
            Self::Not(condition) => condition.fields(fields),
            Self::Flag(field) | Self::Compare(field, ..) => fields.push(field),
        }
    }

    fn holds(&self, record: &dyn Describe) -> bool {
        match self {
            Self::All(all) => all.iter().all(|condition| condition.holds(record)),
            Self::Any(all) => all.iter().any(|condition| condition.holds(record)),
            Self::Not(condition) => !condition.holds(record),
            Self::Flag(field) => {
                let value = field.of(record);
                value.any(&mut |plain| matches!(plain, Plain::Flag(true)))
            }
            Self::Compare(field, operator, literal) => {
                literal.compares(*operator, &field.of(record))
            }
        }
    }
}

impl Literal {
    /// `true` if a value, or one of its elements, compares with the literal as the operator says.
    fn compares(&self, operator: Operator, value: &Value) -> bool {
        if let Self::Null = self {
            return value.is_absent() == (operator == Operator::Equal);
        }
        match operator {
            Operator::NotEqual => {
                !value.is_absent() && !value.any(&mut |plain| self.holds(Operator::Equal, plain))
            }
            _ => value.any(&mut |plain| self.holds(operator, plain)),
        }
    }

    fn holds(&self, operator: Operator, plain: Plain<'_>) -> bool {
        let in_order = |order: Option<std::cmp::Ordering>| {
            order.is_some_and(|order| match operator {
                Operator::Less => order.is_lt(),
                Operator::LessOrEqual => order.is_le(),
                Operator::Greater => order.is_gt(),
                Operator::GreaterOrEqual => order.is_ge(),
                _ => order.is_eq(),
            })
        };
        match (self, plain) {
            (Self::Flag(wanted), Plain::Flag(flag)) => in_order(Some(flag.cmp(wanted))),
            (Self::Number(wanted), Plain::Number(number)) => in_order(number.partial_cmp(wanted)),
            // Both are rounded alike, so that 0.1 is 0.1.
            (Self::Number(wanted), Plain::Single(number)) => {
                in_order(number.partial_cmp(&(*wanted as f32)))
            }
            (Self::Text(_, lower), Plain::Text(text)) if operator == Operator::Contains => {
                contains_in_any_case(text, lower)
            }
            (Self::Text(wanted, _), Plain::Text(text)) => in_order(Some(text.cmp(wanted))),
            _ => false,
        }
    }
}

/// The first key of a value, or of the elements of a list, that are compared by their keys only.
pub(super) fn first_key(ty: ValueType) -> Option<String> {
    match ty {
        ValueType::List(of) => first_key(*of),
        ValueType::Object([(key, _), ..]) => Some(key.trim_end_matches('?').to_owned()),
        ValueType::Record(keys) | ValueType::Records(keys) => {
            Some(keys().first()?.key.clone().into_owned())
        }
        _ => None,
    }
}

fn is_never_flag(ty: ValueType) -> bool {
    use ValueType as T;
    matches!(
        ty,
        T::Integer | T::Number | T::Text | T::Numbers(_) | T::Integers(_) | T::Place
    )
}

fn is_never_number(ty: ValueType) -> bool {
    matches!(ty, ValueType::Flag | ValueType::Text | ValueType::Bytes)
}

/// `true` if a text contains another, which is in lower case.
fn contains_in_any_case(text: &str, lower: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(lower);
    }
    let (text, lower) = (text.as_bytes(), lower.as_bytes());
    lower.is_empty()
        || text
            .windows(lower.len())
            .any(|window| window.eq_ignore_ascii_case(lower))
}

impl Field {
    fn of(&self, record: &dyn Describe) -> Value {
        let value = record.value(&self.path);
        // Threads that write at the same time would wait for each other.
        if value.is_some() && !self.is_seen() {
            self.is_seen.store(true, Ordering::Relaxed);
        }
        value.unwrap_or_else(Value::absent)
    }

    fn is_seen(&self) -> bool {
        self.is_seen.load(Ordering::Relaxed)
    }

    /// Checks that a kind may have the field, and that the field may be used so.
    fn check(&self, kind: &ItemKeys) -> Result<(), QueryError> {
        let groups = || kind.groups.iter();
        let fields = |word: &str| -> Vec<&FieldKey> {
            let fields = groups().flat_map(|group| &group.keys);
            fields.filter(|field| is_key(&field.key, word)).collect()
        };
        let [first, rest @ ..] = &self.path[..] else {
            return Err(self.unknown(kind));
        };
        let known = fields(first);
        let is_open = kind.is_open || groups().any(|group| group.is_open);
        let is_group = !rest.is_empty() && groups().any(|group| group.key == *first);
        if known.is_empty() && !is_open && !is_group {
            return Err(self.unknown(kind));
        }
        let can_be_text = |field: &&FieldKey| matches!(field.ty, ValueType::Text);
        if let Use::WithWord(word, column) = &self.use_of
            && let first = word.split('.').next().unwrap_or_default()
            && fields(first).iter().any(|field| field.key == first)
            && !known.iter().any(can_be_text)
        {
            return Err(QueryError {
                column: *column,
                found: format!("`{word}` is a field"),
                expected: "a value; a text that is named like a field stands in quotation marks"
                    .to_owned(),
            });
        }
        if !rest.is_empty() || known.is_empty() {
            return Ok(());
        }
        let key_within = known.iter().find_map(|field| first_key(field.ty));
        if let Some(key) =
            key_within.filter(|_| known.iter().all(|field| first_key(field.ty).is_some()))
        {
            return Err(QueryError {
                column: self.column,
                found: format!("`{first}` has several values"),
                expected: format!("one of them, such as `{first}.{key}`"),
            });
        }
        self.is_seen.store(true, Ordering::Relaxed);
        let is_all = |is_wrong: fn(ValueType) -> bool| known.iter().all(|field| is_wrong(field.ty));
        let expected = match self.use_of {
            Use::Flag if is_all(is_never_flag) => "an operator, such as `=` or `>`",
            Use::InOrder if is_all(is_never_number) => "`=` or `!=`",
            Use::WithFlag if is_all(is_never_flag) => "a value of the field's type",
            _ => return Ok(()),
        };
        Err(QueryError {
            column: self.column,
            found: format!("`{first}` has another type"),
            expected: expected.to_owned(),
        })
    }

    fn unknown(&self, kind: &ItemKeys) -> QueryError {
        let groups = kind.groups.iter();
        let open = groups.clone().filter(|group| group.is_open);
        let fields = groups.flat_map(|group| group.keys.iter().map(|field| field.key.to_string()));
        let mut keys: Vec<String> = fields
            .chain(open.map(|group| format!("{}.NAME", group.key)))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        QueryError {
            column: self.column,
            found: format!(
                "`{}` is no field of `{}`",
                cut(&self.path.join(".")),
                kind.kind
            ),
            expected: keys.join(", "),
        }
    }
}

/// A token of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    column: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Word(String),
    /// A text in quotation marks.
    Quoted(String),
    Operator(Operator),
    Open,
    Close,
}

impl Token {
    /// The word without quotation marks, if it is one.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, wanted: &str) -> bool {
        self.word()
            .is_some_and(|word| word.eq_ignore_ascii_case(wanted))
    }

    fn unexpected(&self, expected: &str) -> QueryError {
        let found = match &self.kind {
            TokenKind::Word(word) => format!("found `{}`", cut(word)),
            TokenKind::Quoted(text) => format!("found \"{}\"", cut(text)),
            TokenKind::Operator(operator) => {
                let text = Operator::ALL.iter().rfind(|(_, of)| of == operator);
                format!("found `{}`", text.map_or("", |(text, _)| text))
            }
            TokenKind::Open => "found `(`".to_owned(),
            TokenKind::Close => "found `)`".to_owned(),
        };
        QueryError {
            column: self.column,
            found,
            expected: expected.to_owned(),
        }
    }
}

/// The name of a kind from the words of a query.
pub(super) fn kind_name(words: &[&str]) -> String {
    words.join(" ").replace('-', " ").to_lowercase()
}

/// `true` for a character of a word without quotation marks.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_.+-".contains(c)
}

/// `true` for a word with its own meaning.
pub(super) fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 10] = [
        "and", "or", "not", "where", "true", "false", "yes", "no", "null", "none",
    ];
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Cuts a text for a message.
fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(MAX_QUOTED).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// Reads a query from left to right.
pub(super) struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    /// Column after the last character.
    end: usize,
    /// Nesting of parentheses and negations.
    depth: usize,
    /// `true` if the query is a kind alone.
    is_kind: bool,
}

/// Maximum number of characters of a query that a message quotes.
const MAX_QUOTED: usize = 40;
/// Maximum nesting of a query.
const MAX_DEPTH: usize = 64;

impl Parser {
    pub(super) fn new(text: &str) -> Result<Self, QueryError> {
        let chars: Vec<char> = text.chars().collect();
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            let column = at + 1;
            let rest: String = chars.iter().skip(at).take(2).collect();
            let operator = Operator::ALL
                .iter()
                .find(|(text, _)| rest.starts_with(text));
            let kind = if c.is_whitespace() {
                at += 1;
                continue;
            } else if c == '(' || c == ')' {
                at += 1;
                if c == '(' {
                    TokenKind::Open
                } else {
                    TokenKind::Close
                }
            } else if c == '"' {
                let text: String = chars
                    .iter()
                    .skip(at + 1)
                    .take_while(|c| **c != '"')
                    .collect();
                at += text.chars().count() + 2;
                if at > chars.len() {
                    return Err(QueryError {
                        column,
                        found: "a text that does not end".to_owned(),
                        expected: "a quotation mark at its end".to_owned(),
                    });
                }
                TokenKind::Quoted(text)
            } else if let Some((text, operator)) = operator {
                at += text.len();
                TokenKind::Operator(*operator)
            } else if is_word(c) {
                let word: String = chars.iter().skip(at).take_while(|c| is_word(**c)).collect();
                at += word.chars().count();
                TokenKind::Word(word)
            } else {
                return Err(QueryError {
                    column,
                    found: format!("found `{c}`"),
                    expected: "a field, an operator or a value; texts with other characters \
                               stand in quotation marks"
                        .to_owned(),
                });
            };
            tokens.push(Token { kind, column });
        }
        Ok(Self {
            tokens: tokens.into_iter().peekable(),
            end: chars.len() + 1,
            depth: 0,
            is_kind: false,
        })
    }

    /// The tokens that are not read yet.
    pub(super) fn tokens(&self) -> impl Iterator<Item = Token> {
        self.tokens.clone()
    }

    fn peek(&mut self) -> Option<&Token> {
        self.tokens.peek()
    }

    fn ended(&self, expected: &str) -> QueryError {
        QueryError {
            column: self.end,
            found: "the query ends".to_owned(),
            expected: expected.to_owned(),
        }
    }

    /// Reads the kind before `where`, or returns the main kind of the document.
    fn kind<'k>(
        &mut self,
        document: &dyn Document,
        kinds: &'k [ItemKeys],
    ) -> Result<&'k ItemKeys, QueryError> {
        let tokens: Vec<Token> = self.tokens().collect();
        let place = tokens.iter().position(|token| token.is_word("where"));
        let (name, column) = if let Some(place) = place {
            let words = tokens.iter().take(place).map(|token| match &token.kind {
                TokenKind::Word(word) => Ok(word.as_str()),
                _ => Err(token.unexpected("a kind of item before `where`")),
            });
            let words: Vec<&str> = words.collect::<Result<_, _>>()?;
            // The words, and `where`.
            self.tokens.by_ref().take(place + 1).for_each(drop);
            (kind_name(&words), tokens[0].column)
        } else {
            let words: Vec<&str> = tokens.iter().map_while(Token::word).collect();
            let name = kind_name(&words);
            self.is_kind =
                words.len() == tokens.len() && kinds.iter().any(|keys| keys.kind == name);
            if self.is_kind {
                self.tokens.by_ref().for_each(drop);
                (name, 1)
            } else {
                (main_kind(document.about().format.id).to_owned(), 1)
            }
        };
        let found = kinds.iter().find(|keys| keys.kind == name);
        found.ok_or_else(|| {
            let mut names: Vec<&str> = kinds.iter().map(|keys| keys.kind).collect();
            names.sort_unstable();
            names.dedup();
            QueryError {
                column,
                found: format!("`{name}` is no kind of item of this format"),
                expected: names.join(", "),
            }
        })
    }

    fn condition(&mut self) -> Result<Condition, QueryError> {
        let mut any = vec![self.all_of()?];
        while self.tokens.next_if(|token| token.is_word("or")).is_some() {
            any.push(self.all_of()?);
        }
        Ok(Condition::Any(any))
    }

    fn all_of(&mut self) -> Result<Condition, QueryError> {
        let mut all = vec![self.one()?];
        while self.tokens.next_if(|token| token.is_word("and")).is_some() {
            all.push(self.one()?);
        }
        Ok(Condition::All(all))
    }

    fn one(&mut self) -> Result<Condition, QueryError> {
        const EXPECTED: &str = "a field, `not` or `(`";
        let token = self.tokens.next().ok_or_else(|| self.ended(EXPECTED))?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(token.unexpected("less nesting"));
        }
        let condition = if token.is_word("not") {
            Condition::Not(Box::new(self.one()?))
        } else if token.kind == TokenKind::Open {
            let condition = self.condition()?;
            match self.tokens.next() {
                Some(token) if token.kind == TokenKind::Close => condition,
                Some(token) => return Err(token.unexpected("`)`")),
                None => return Err(self.ended("`)`")),
            }
        } else if let TokenKind::Word(word) = &token.kind {
            let field = |use_of| Field {
                path: word.split('.').map(str::to_owned).collect(),
                column: token.column,
                use_of,
                is_seen: AtomicBool::new(false),
            };
            self.comparison(field)?
        } else {
            return Err(token.unexpected(EXPECTED));
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// Reads what follows a field.
    fn comparison(&mut self, field: impl Fn(Use) -> Field) -> Result<Condition, QueryError> {
        let is_operator = |token: &Token| matches!(token.kind, TokenKind::Operator(_));
        let Some(Token {
            kind: TokenKind::Operator(operator),
            ..
        }) = self.tokens.next_if(is_operator)
        else {
            return Ok(Condition::Flag(field(Use::Flag)));
        };
        let expected = "a number, a text, `true`, `false` or `null`";
        let token = self.tokens.next().ok_or_else(|| self.ended(expected))?;
        let text = |text: &str| Literal::Text(text.to_owned(), text.to_lowercase());
        let literal = match &token.kind {
            TokenKind::Quoted(quoted) => text(quoted),
            TokenKind::Word(word) if operator == Operator::Contains => text(word),
            TokenKind::Word(word) => match (word.parse::<f64>(), &*word.to_lowercase()) {
                (Ok(number), _) if number.is_finite() => Literal::Number(number),
                (_, "true" | "yes") => Literal::Flag(true),
                (_, "false" | "no") => Literal::Flag(false),
                (_, "null" | "none") => Literal::Null,
                _ => text(word),
            },
            _ => return Err(token.unexpected(expected)),
        };
        if operator.is_order() && !matches!(literal, Literal::Number(_)) {
            return Err(token.unexpected("a number"));
        }
        let use_of = match (&literal, token.kind) {
            _ if operator.is_order() => Use::InOrder,
            (Literal::Flag(_), _) => Use::WithFlag,
            (Literal::Text(..), TokenKind::Word(word)) if operator != Operator::Contains => {
                Use::WithWord(word, token.column)
            }
            _ => Use::Other,
        };
        Ok(Condition::Compare(field(use_of), operator, literal))
    }
}
