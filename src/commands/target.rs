//! Files that commands write: which may be, and how.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use super::output::Stdout;
use super::{CommandError, interrupt};
use mapscope_scene::saving::{self, FileKind, SaveError};

/// Whether an argument stands for standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Makes sure that a file of a kind may be written where `--output` says, before the work of making
/// it. None of the files in `read` may be; any other may with `force`.
///
/// # Errors
/// When it may not.
pub(super) fn check(
    path: &Path,
    kind: FileKind,
    read: &[PathBuf],
    force: bool,
) -> Result<(), CommandError> {
    check_as(path, kind, read, force, true)
}

/// As [`check`], for a name that need not end as those of the kind do unless `by_ending`.
///
/// # Errors
/// When it may not.
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

/// Why a file is not written.
pub(super) fn refused(path: &Path, error: &SaveError) -> CommandError {
    CommandError::Argument(format!(
        "--output {}: {error}{}",
        path.display(),
        hint(error)
    ))
}

/// What can be done about it, behind what is wrong.
pub(super) fn hint(error: &SaveError) -> &'static str {
    if error.can_be_forced() {
        " (--force replaces it)"
    } else {
        ""
    }
}

/// Refuses to fill a terminal, for the argument that says where something goes.
///
/// # Errors
/// When standard output is a terminal.
pub(super) fn check_stdout(argument: &str) -> Result<(), CommandError> {
    if io::stdout().is_terminal() {
        return Err(CommandError::Argument(format!(
            "{argument}: standard output is a terminal; expected a file or a pipe"
        )));
    }
    Ok(())
}

/// Ends the command at Ctrl+C only when the file that it writes here is removed. A pipe may wait for a reader, and
/// nothing of it stays behind: there Ctrl+C ends the command at once.
pub(super) fn hold_for(path: &Path) {
    if !is_stdout(path) && (path.is_file() || !path.exists()) {
        interrupt::hold();
    }
}

/// Writes a file, whole or not at all, or standard output.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    if is_stdout(path) {
        let mut out = Stdout::lock();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    hold_for(path);
    let written = saving::write_whole(path, |out| {
        out.write_all(bytes)?;
        interrupt::check()
    });
    written.map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}
