//! File formats: bytes to plain data, and back.
//!
//! Nothing here knows of a GPU, a window or a file system: a reader takes a byte slice
//! and gives a value with the list of everything that is wrong with it.

mod budget;
mod cursor;
mod error;
pub mod ika;
mod inflate;
pub mod parallel;
pub mod pfmap;
pub mod pfobj;
pub mod pmf;
pub mod ppe;
mod problem;
mod problems;
mod text;

pub use error::{ReadError, WriteError};
pub use problem::{Place, Problem, Severity, Tally, counted};
use text::outside;
pub use text::quoted;

/// What the program must know of a format before it reads a file of it.
#[derive(Debug)]
pub struct Format {
    /// The identifier of `info --json`, such as `pfmap`.
    pub id: &'static str,
    /// The name that people know it by.
    pub name: &'static str,
    /// File name endings without the dot, in lower case.
    pub endings: &'static [&'static str],
    /// Says whether a file that begins with these bytes is of this format.
    pub sniff: fn(&[u8]) -> bool,
}
