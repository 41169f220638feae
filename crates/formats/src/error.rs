//! Why nothing of a file can be shown.

use super::{Place, Problem, Rule, Subject};

/// Why nothing of a file can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// What the file must have before anything can be shown is missing or broken.
    #[error("{}: {}", .0.place, .0.message)]
    Unreadable(Problem),
    /// Whoever watches the progress asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl ReadError {
    /// The problem that keeps the file from being read; none if the reading was cancelled.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Unreadable(problem) => Some(problem),
            Self::Cancelled => None,
        }
    }

    /// The same with what is lost for it, such as `the chunk`, at the end of its message.
    #[must_use]
    pub(super) fn losing(self, what: impl std::fmt::Display) -> Self {
        match self {
            Self::Unreadable(problem) => Self::Unreadable(problem.losing(what)),
            Self::Cancelled => Self::Cancelled,
        }
    }

    /// What stands somewhere, such as ``found `num_row` ``, and what should.
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
