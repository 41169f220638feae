#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(feature = "write"),
    expect(dead_code, reason = "helpers of the writers")
)]

mod base64;
mod budget;
mod bytes;
mod conflict;
mod cursor;
mod error;
pub mod ika;
mod inflate;
mod integers;
mod lz4;
mod misspelt;
mod nesting;
mod not_read;
mod out;
pub mod p3m;
pub mod paf;
pub mod parallel;
pub mod pfmap;
pub mod pfobj;
pub mod pfscene;
pub mod pmf;
pub mod ppe;
mod problem;
mod problems;
pub mod ptf;
mod rule;
mod text;

pub use error::{ReadError, WriteError};
pub use integers::Integers;
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
        pfmap::rules::RULES,
        pfobj::rules::RULES,
        pfscene::RULES,
        pmf::RULES,
        p3m::RULES,
        paf::rules::RULES,
        paf::rules::in_maps::RULES,
        ika::RULES,
        ppe::RULES,
        ptf::RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// `true` if the rule is about a truncated file.
pub fn is_truncation(rule: &Rule) -> bool {
    let of_end: &[&Rule] = &[
        &pfmap::rules::MISSING_TILES,
        &pmf::rules::TRUNCATED,
        &pmf::rules::UNTERMINATED_TEXT,
        &p3m::rules::TRUNCATED,
        &ika::rules::TRUNCATED,
        &ppe::rules::TRUNCATED,
        &ppe::rules::TEXT_TRUNCATED,
        &ptf::rules::TRUNCATED,
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
