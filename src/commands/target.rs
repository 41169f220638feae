//! Output files of commands: whether they may be written, and writing them.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use super::output::Stdout;
use super::{CommandError, interrupt};
use mapscope_scene::saving::{self, FileKind, SaveError};

/// `true` if an argument means standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks that a file of a kind may be written to `--output`, before the work of creating it. Files
/// in `read` are never overwritten; other existing files only with `force`.
///
/// # Errors
/// If it may not be written.
pub(super) fn check(
    path: &Path,
    kind: FileKind,
    read: &[PathBuf],
    force: bool,
) -> Result<(), CommandError> {
    check_as(path, kind, read, force, true)
}

/// As [`check`], but checks the extension of the name only if `by_ending`.
///
/// # Errors
/// If it may not be written.
pub(super) fn check_as(
    path: &Path,
    kind: FileKind,
    read: &[PathBuf],
    force: bool,
    by_ending: bool,
) -> Result<(), CommandError> {
    if is_stdout(path) {
        return check_stdout("--output -");
    }
    let checked = if by_ending {
        kind.check_target(path, read, force)
    } else {
        kind.check_unnamed_target(path, read, force)
    };
    checked.map_err(|error| refused(path, &error))
}

/// The error for a file that may not be written.
pub(super) fn refused(path: &Path, error: &SaveError) -> CommandError {
    CommandError::Argument(format!(
        "--output {}: {error}{}",
        path.display(),
        hint(error)
    ))
}

/// A hint how to resolve the error, appended to its message.
pub(super) fn hint(error: &SaveError) -> &'static str {
    if error.can_be_forced() {
        " (--force replaces it)"
    } else {
        ""
    }
}

/// Refuses to write to a terminal; `argument` is named in the error.
///
/// # Errors
/// If standard output is a terminal.
pub(super) fn check_stdout(argument: &str) -> Result<(), CommandError> {
    if io::stdout().is_terminal() {
        return Err(CommandError::Argument(format!(
            "{argument}: standard output is a terminal; expected a file or a pipe"
        )));
    }
    Ok(())
}

/// Makes Ctrl+C wait until the partial output file is removed. Opening a pipe may wait for a reader
/// and leaves nothing behind, so there Ctrl+C ends the command at once.
pub(super) fn defer_interrupts_for(path: &Path) {
    if !is_stdout(path) && (path.is_file() || !path.exists()) {
        interrupt::hold();
    }
}

/// Writes a file atomically, or to standard output.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    if is_stdout(path) {
        let mut out = Stdout::lock();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    defer_interrupts_for(path);
    let written = saving::write_atomically(path, |out| {
        out.write_all(bytes)?;
        interrupt::check()
    });
    written.map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}
