//! The report of `check` on standard output.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;

use super::assets::Assets;
use super::paths::RelativePath;
use super::sarif::Log;
use super::{Checked, Findings, Unchecked};
use crate::commands::Status;
use crate::commands::cli::{ReportFormat, display_name};
use crate::commands::json::{AssetsOutput, FileOutput, Unreadable, UnusedOutput};
use crate::commands::output::{self, Paint, printable};
use mapscope_formats::{Place, Problem, Severity};

/// A report in progress.
#[derive(Debug)]
pub(super) struct Report {
    form: Form,
    /// `true` to list notes, which JSON always does.
    with_notes: bool,
}

#[derive(Debug)]
enum Form {
    /// One line per problem.
    Text(Paint),
    /// One JSON object per file, each on its own line.
    Json,
    /// One workflow command of GitHub Actions per problem, which GitHub shows as an annotation.
    GitHub,
    Sarif(Log),
}

impl Report {
    /// Creates a report; nothing is written yet.
    pub(super) fn new(format: ReportFormat, paint: Paint, with_notes: bool) -> Self {
        let form = match format {
            ReportFormat::Text => Form::Text(paint),
            ReportFormat::Json => Form::Json,
            ReportFormat::Github => Form::GitHub,
            ReportFormat::Sarif => Form::Sarif(Log::default()),
        };
        Self { form, with_notes }
    }

    /// `true` if columns count characters, not bytes.
    pub(super) fn counts_characters(&self) -> bool {
        matches!(self.form, Form::GitHub | Form::Sarif(_))
    }

    /// `true` if the report contains notes.
    pub(super) fn has_notes(&self) -> bool {
        self.with_notes || matches!(self.form, Form::Json)
    }

    /// Writes the start of the report.
    pub(super) fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        match &mut self.form {
            Form::Text(_) | Form::Json | Form::GitHub => Ok(()),
            Form::Sarif(log) => log.begin(out),
        }
    }

    /// Writes the findings of a file.
    pub(super) fn checked(&mut self, out: &mut impl Write, checked: &Checked) -> io::Result<()> {
        let Checked { path, findings } = checked;
        let Findings {
            format,
            version,
            problems,
            notes,
            ..
        } = findings;
        let listed_notes = notes.iter().filter(|_| self.with_notes);
        let mut listed = problems.iter().chain(listed_notes);
        match &mut self.form {
            Form::Text(paint) => listed.try_for_each(|problem| {
                output::write_problem(out, *paint, path, problem)?;
                if self.with_notes {
                    output::write_consequences(out, *paint, path, problem)?;
                }
                Ok(())
            }),
            Form::Json => {
                let version = version.as_deref();
                write_line(
                    out,
                    &FileOutput::new(path, *format, version, problems, notes),
                )
            }
            Form::GitHub => {
                let path = RelativePath::new(path).text();
                listed.try_for_each(|problem| annotate_problem(out, &path, problem))
            }
            Form::Sarif(log) => log.results(out, path, listed),
        }
    }

    /// Writes that a file or folder could not be checked. In text, this is on standard error
    /// instead.
    pub(super) fn unchecked(
        &mut self,
        out: &mut impl Write,
        unchecked: &Unchecked,
    ) -> io::Result<()> {
        let Unchecked {
            path,
            place,
            message,
        } = unchecked;
        match &mut self.form {
            Form::Text(_) => Ok(()),
            Form::Json => {
                let unreadable = Unreadable {
                    file: display_name(path),
                    error: message.clone(),
                    at: place.map(|place| place.to_string()),
                };
                write_line(out, &unreadable)
            }
            Form::GitHub => {
                let path = RelativePath::new(path).text();
                annotate(out, Severity::Error, &path, *place, None, message)
            }
            Form::Sarif(log) => {
                log.unchecked(unchecked);
                Ok(())
            }
        }
    }

    /// Writes the unused files. In JSON, the last line is an object that also contains the missing
    /// files.
    pub(super) fn assets(
        &mut self,
        out: &mut impl Write,
        unused: &[(PathBuf, Problem)],
        assets: &Assets,
    ) -> io::Result<()> {
        let mut unused = unused.iter();
        match &mut self.form {
            Form::Text(paint) => {
                unused.try_for_each(|(path, note)| output::write_problem(out, *paint, path, note))
            }
            Form::Json => {
                let unused = unused.map(|(path, note)| UnusedOutput {
                    file: display_name(path),
                    rule: note.rule.id,
                    severity: note.severity.into(),
                });
                let assets = AssetsOutput {
                    unused: unused.collect(),
                    missing: assets.missing(),
                };
                write_line(out, &assets)
            }
            Form::GitHub => unused.try_for_each(|(path, note)| {
                annotate_problem(out, &RelativePath::new(path).text(), note)
            }),
            Form::Sarif(log) => {
                unused.try_for_each(|(path, note)| log.results(out, path, std::iter::once(note)))
            }
        }
    }

    /// Writes the end of the report.
    pub(super) fn end(&mut self, out: &mut impl Write, status: Status) -> io::Result<()> {
        match &mut self.form {
            Form::Text(_) | Form::Json | Form::GitHub => Ok(()),
            Form::Sarif(log) => log.end(out, status as u8),
        }
    }
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

fn annotate_problem(out: &mut impl Write, path: &str, problem: &Problem) -> io::Result<()> {
    let message = problem.message_with_count();
    let (place, message) = match problem.place {
        place @ Place::Text { .. } => (Some(place), message.into_owned()),
        offset @ Place::Offset(_) => (None, format!("at {offset}: {message}")),
    };
    let rule = Some(problem.rule.id);
    annotate(out, problem.severity, path, place, rule, &message)
}

/// Writes a workflow command: its name, comma-separated properties and the message.
fn annotate(
    out: &mut impl Write,
    severity: Severity,
    path: &str,
    place: Option<Place>,
    title: Option<&str>,
    message: &str,
) -> io::Result<()> {
    let name = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let escaped = printable(message).replace('%', "%25");
    let property = |text: &str| {
        let text = printable(text).replace('%', "%25");
        text.replace(':', "%3A").replace(',', "%2C")
    };
    write!(out, "::{name} file={}", property(path))?;
    if let Some(Place::Text { line, column }) = place {
        write!(out, ",line={line},col={column}")?;
    }
    if let Some(title) = title {
        write!(out, ",title={}", property(title))?;
    }
    writeln!(out, "::{escaped}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_workflow_command_or_a_property_is_escaped() {
        let mut out = Vec::new();
        let place = Some(Place::line(3));
        let message = "100%: a, b\n::error::no";
        annotate(
            &mut out,
            Severity::Note,
            "a,b:c%.pmf",
            place,
            Some("x/y"),
            message,
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "::notice file=a%2Cb%3Ac%25.pmf,line=3,col=1,title=x/y::100%25: a, b\\n::error::no\n"
        );
    }
}
