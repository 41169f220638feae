//! What `check` writes to standard output.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Checked, Findings, Unchecked};
use crate::commands::cli::display_name;
use crate::commands::output::{self, Paint};
use crate::commands::source;

/// A form of the report.
#[derive(Debug)]
pub(super) enum Report {
    /// A line for each problem.
    Text {
        paint: Paint,
        /// Whether notes are listed too.
        with_notes: bool,
    },
    /// A JSON object for each file, on a line of its own.
    Json,
}

impl Report {
    /// Writes what there is to say of a file.
    pub(super) fn checked(&self, out: &mut impl Write, checked: &Checked) -> io::Result<()> {
        let Checked { path, findings } = checked;
        let Findings {
            format,
            version,
            problems,
            notes,
        } = findings;
        match *self {
            Self::Text { paint, with_notes } => {
                let notes = notes.iter().filter(|_| with_notes);
                for problem in problems.iter().chain(notes) {
                    output::write_problem(out, paint, path, problem)?;
                }
                Ok(())
            }
            Self::Json => {
                let keys = source::keys(path, format, version.as_deref(), problems, notes);
                write_line(out, &keys.into())
            }
        }
    }

    /// Writes that a file or folder could not be checked. People hear of it on standard error.
    pub(super) fn unchecked(&self, out: &mut impl Write, unchecked: &Unchecked) -> io::Result<()> {
        match self {
            Self::Text { .. } => Ok(()),
            Self::Json => {
                let file = display_name(&unchecked.path);
                write_line(out, &json!({"file": file, "error": unchecked.message}))
            }
        }
    }
}

fn write_line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
