#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(all(
        feature = "ika",
        feature = "pfmap",
        feature = "pfobj",
        feature = "pfscene",
        feature = "pmf",
        feature = "ppe",
        feature = "write"
    )),
    allow(
        dead_code,
        unused_imports,
        reason = "no single format uses all shared code"
    )
)]

#[cfg(any(feature = "ika", feature = "ppe"))]
mod base64;
#[cfg(any(feature = "ika", feature = "pmf", feature = "ppe"))]
mod budget;
#[cfg(any(feature = "ika", feature = "pmf"))]
mod bytes;
#[cfg(any(
    feature = "ika",
    feature = "pfmap",
    feature = "pfobj",
    feature = "pfscene",
    feature = "ppe"
))]
mod conflict;
#[cfg(any(feature = "pfmap", feature = "pfobj", feature = "pfscene"))]
mod cursor;
mod error;
#[cfg(feature = "ika")]
pub mod ika;
#[cfg(any(feature = "ika", feature = "ppe"))]
mod inflate;
mod integers;
#[cfg(any(
    feature = "ika",
    feature = "pfmap",
    feature = "pfscene",
    feature = "ppe"
))]
mod misspelt;
#[cfg(any(feature = "ika", feature = "ppe"))]
mod nesting;
mod not_read;
pub mod parallel;
#[cfg(feature = "pfmap")]
pub mod pfmap;
#[cfg(feature = "pfobj")]
pub mod pfobj;
#[cfg(feature = "pfscene")]
pub mod pfscene;
#[cfg(feature = "pmf")]
pub mod pmf;
#[cfg(feature = "ppe")]
pub mod ppe;
mod problem;
mod problems;
mod rule;
mod text;

pub use error::{ReadError, WriteError};
pub use integers::Integers;
#[cfg(any(
    feature = "ika",
    feature = "pfmap",
    feature = "pfscene",
    feature = "ppe"
))]
pub use misspelt::suggest;
pub use not_read::{Rest, UnreadReason};
pub use problem::{
    Message, Outcome, Place, Plural, Problem, Severity, Subject, Tally, counted, others_on_lines,
};
pub use problems::{Cause, Problems, count_errors};
pub use rule::Rule;
use text::outside;
pub use text::{printable, quoted, quoted_path};

/// The rules of all formats. Faults outside a file, such as a missing texture, have rules
/// elsewhere.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        #[cfg(feature = "pfmap")]
        pfmap::rules::RULES,
        #[cfg(feature = "pfobj")]
        pfobj::rules::RULES,
        #[cfg(feature = "pfscene")]
        pfscene::RULES,
        #[cfg(feature = "pmf")]
        pmf::RULES,
        #[cfg(feature = "ika")]
        ika::RULES,
        #[cfg(feature = "ppe")]
        ppe::RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// `true` if the rule is about a truncated file.
pub fn is_truncation(rule: &Rule) -> bool {
    let of_end: &[&Rule] = &[
        #[cfg(feature = "pfmap")]
        &pfmap::rules::MISSING_TILES,
        #[cfg(feature = "pmf")]
        &pmf::rules::TRUNCATED,
        #[cfg(feature = "pmf")]
        &pmf::rules::UNTERMINATED_TEXT,
        #[cfg(feature = "ika")]
        &ika::rules::TRUNCATED,
        #[cfg(feature = "ppe")]
        &ppe::rules::TRUNCATED,
        #[cfg(feature = "ppe")]
        &ppe::rules::TEXT_TRUNCATED,
    ];
    of_end.contains(&rule)
}

/// Properties of a format that are needed before a file of it is read.
#[derive(Debug)]
pub struct Format {
    /// The identifier in `info --json`, such as `pfmap`.
    pub id: &'static str,
    /// Name in menus and messages.
    pub name: &'static str,
    /// File name endings without the dot, in lower case.
    pub endings: &'static [&'static str],
    /// Returns `true` if a file that begins with these bytes has this format.
    pub sniff: fn(&[u8]) -> bool,
}
