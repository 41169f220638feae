//! Errors of readers and writers.

use super::{Place, Problem, Rule, Subject};

/// The reason why nothing of a file can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A part without which nothing can be shown is missing or corrupt.
    #[error("{}: {}", .0.place, .0.message)]
    Unreadable(Problem),
    /// The progress callback asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl ReadError {
    /// The problem that made the file unreadable; `None` if the reading was cancelled.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Unreadable(problem) => Some(problem),
            Self::Cancelled => None,
        }
    }

    /// Appends the loss, such as `the chunk`, to the message.
    #[must_use]
    pub(super) fn with_loss(self, what: impl std::fmt::Display) -> Self {
        match self {
            Self::Unreadable(problem) => Self::Unreadable(problem.with_loss(what)),
            Self::Cancelled => Self::Cancelled,
        }
    }

    /// Returns an error with the text found at a place, such as ``found `num_row` ``, and the
    /// expectation.
    #[cold]
    pub(super) fn unreadable(
        rule: &'static Rule,
        place: Place,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Self {
        let message = format!("{found}; expected {expected}");
        Self::Unreadable(Problem::new(rule, Subject::File, place, message))
    }
}

/// The reason why something cannot be written: the format cannot represent it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{record}: {what}")]
pub struct WriteError {
    /// The record that cannot be written, such as `layer 2`.
    pub record: String,
    /// The reason.
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
