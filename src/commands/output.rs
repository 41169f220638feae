//! Text and JSON output shared by all commands.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use clap::builder::styling::{AnsiColor, Style};

use super::CommandError;
use super::cli::display_name;
use mapscope_formats::{Place, Problem, Severity};
pub(super) use mapscope_formats::{Tally, counted, printable};
use mapscope_scene::OpenError;

/// Standard output. If the reader hangs up, further output is dropped and the command still
/// completes. Its exit status thus does not depend on how much was read. This matters in scripts
/// with `pipefail`, as for `mapscope check maps/* | head`.
#[derive(Debug)]
pub(super) struct Stdout {
    out: BufWriter<StdoutLock<'static>>,
    is_closed: bool,
}

impl Stdout {
    /// Locks standard output.
    pub(super) fn lock() -> Self {
        Self {
            out: BufWriter::new(io::stdout().lock()),
            is_closed: false,
        }
    }

    /// `true` if it is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.out.get_ref().is_terminal()
    }

    /// Colours for this stream, if it is a terminal.
    pub(super) fn paint(&self) -> Paint {
        Paint::on(self.out.get_ref())
    }

    fn unless_closed<T>(
        &mut self,
        when_closed: T,
        write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(when_closed);
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(when_closed)
            }
            result => result,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}

/// Text styles, which have no effect if the text does not go to a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paint {
    on: bool,
}

impl Paint {
    /// Enables colours if the stream is a terminal and the user has not disabled them (`NO_COLOR`).
    pub(super) fn on(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            on: stream.is_terminal() && !refused,
        }
    }

    /// Style of headings.
    pub(super) fn heading<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint(Style::new().bold(), text)
    }

    /// Style of side notes.
    pub(super) fn dim<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint(Style::new().dimmed(), text)
    }

    /// Style of a severity.
    pub(super) fn severity(self, severity: Severity) -> Painted<Severity> {
        let color = match severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
        };
        self.paint(color.on_default().bold(), severity)
    }

    fn paint<T>(self, style: Style, text: T) -> Painted<T> {
        let style = if self.on { style } else { Style::new() };
        Painted { style, text }
    }
}

/// A text in a style.
pub(super) struct Painted<T> {
    style: Style,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}",
            self.style.render(),
            self.text,
            self.style.render_reset()
        )
    }
}

/// Writes a problem as compilers do, `FILE:LINE:COLUMN: severity: message [rule]`, with the number
/// of consequences. Programs that parse such lines do not know offsets, so the offset in a binary
/// file precedes the message.
pub(super) fn write_problem(
    out: &mut impl Write,
    paint: Paint,
    path: &Path,
    problem: &Problem,
) -> io::Result<()> {
    let message = problem.message_with_count();
    write_message(out, paint, path, problem, problem.severity, &message)
}

/// Writes the consequences of a problem, in the form of compilers' notes to another line.
pub(super) fn write_consequences(
    out: &mut impl Write,
    paint: Paint,
    path: &Path,
    problem: &Problem,
) -> io::Result<()> {
    for consequence in &problem.consequences {
        let follows = if consequence.is_like(problem) {
            "like"
        } else {
            "follows from"
        };
        let message = format!("{follows} {}: {}", problem.place, consequence.message);
        write_message(out, paint, path, consequence, Severity::Note, &message)?;
    }
    Ok(())
}

/// Writes the line of a problem with its message.
fn write_message(
    out: &mut impl Write,
    paint: Paint,
    path: &Path,
    problem: &Problem,
    severity: Severity,
    message: &str,
) -> io::Result<()> {
    let (place, offset) = match problem.place {
        place @ Place::Text { .. } => (place, String::new()),
        offset @ Place::Offset(_) => (Place::line(1), format!("at {offset}: ")),
    };
    write_line(out, paint, path, place, severity)?;
    writeln!(
        out,
        "{offset}{} {}",
        printable(message),
        paint.dim(format!("[{}]", problem.rule.id))
    )
}

/// Writes the start of such a line, up to the message.
fn write_line(
    out: &mut impl Write,
    paint: Paint,
    path: &Path,
    place: Place,
    severity: Severity,
) -> io::Result<()> {
    let place = format!("{}:{place}:", display_name(path));
    let place = paint.heading(printable(&place));
    write!(out, "{place} {}: ", paint.severity(severity))
}

/// Reports on standard error, in the same form, why a file or folder is not checked.
pub(super) fn report_unchecked(path: &Path, place: Place, message: &str) {
    let stderr = io::stderr();
    let paint = Paint::on(&stderr);
    let mut stderr = stderr.lock();
    let _ignored = write_line(&mut stderr, paint, path, place, Severity::Error)
        .and_then(|()| writeln!(stderr, "{}", printable(message)));
}

/// Reports on standard error that a file has problems although the command continues.
pub(super) fn note_problems(path: &Path, problems: &[Problem]) {
    if !problems.is_empty() {
        let name = display_name(path);
        say(&format!(
            "{name}: {} (`mapscope check` lists them)",
            Tally::of(problems)
        ));
    }
}

/// Prints a message to the user on standard error.
pub(super) fn say(text: &str) {
    // Ignore a closed standard error: the user does not want the message.
    let _ignored = writeln!(io::stderr(), "{}", printable(text));
}

/// Reports on standard error why a command failed.
pub(super) fn report_error(error: &CommandError) {
    let stderr = io::stderr();
    let paint = Paint::on(&stderr);
    let mut stderr = stderr.lock();
    let _ignored = if let CommandError::Open(OpenError::Refused { path, problem, .. }) = error {
        write_problem(&mut stderr, paint, path, problem)
    } else {
        let severity = paint.severity(Severity::Error);
        let lines = error.lines();
        let lines: Vec<_> = lines.iter().map(|line| printable(line)).collect();
        writeln!(stderr, "{severity}: {}", lines.join("\n"))
    };
}
