//! Why nothing of a file can be shown.

use super::{Place, Problem};

/// Why nothing of a file can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// What the file must have before anything can be shown is missing or broken.
    #[error("{place}: {found}; expected {expected}")]
    Unreadable {
        /// Where.
        place: Place,
        /// What stands there, such as ``found `num_row` ``.
        found: String,
        /// What should.
        expected: String,
    },
    /// Whoever watches the progress asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl ReadError {
    pub(super) fn unreadable(
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Unreadable {
            place,
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// The error as the problem that `check` and `info` report.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Unreadable {
                place,
                found,
                expected,
            } => Problem::error(*place, format!("{found}; expected {expected}")),
            Self::Cancelled => Problem::error(Place::Text { line: 1, column: 1 }, "cancelled"),
        }
    }
}

/// Why something cannot be written: the format has no way to say it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{record}: {what}")]
pub struct WriteError {
    /// What cannot be written, such as `layer 2`.
    pub record: String,
    /// Why.
    pub what: String,
}

impl WriteError {
    pub(super) fn new(record: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            record: record.into(),
            what: what.into(),
        }
    }
}
