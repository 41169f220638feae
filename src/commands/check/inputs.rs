//! The files that the arguments of `check` stand for.

use std::path::{Path, PathBuf};

use super::Unchecked;
use super::progress::ProgressLine;
use crate::commands::{CommandError, output, source};
use crate::search::{Halt, Limits, Search, SearchProgress};
use mapscope_scene::{looks_openable, system_reason};

/// What is to be checked.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Files, and what else [`source::source_of`] knows, in the order of the arguments; below a folder
    /// its own files stand before those of the folders below it.
    pub(super) files: Vec<PathBuf>,
    /// Folders of which nothing can be checked.
    pub(super) unchecked: Vec<Unchecked>,
}

/// Finds what is to be checked. Of folders those files are whose names say that they can be opened.
///
/// # Errors
/// When standard input is to be read more than once.
pub(super) fn find(paths: &[PathBuf], progress: &ProgressLine) -> Result<Inputs, CommandError> {
    if paths.iter().filter(|path| source::is_stdin(path)).count() > 1 {
        return Err(CommandError::Argument(
            "`-` is standard input, which can be read only once; a file of this name is `./-`"
                .to_owned(),
        ));
    }
    let found = SearchProgress::default();
    let goes_on = || {
        let seen = found.seen();
        let files = seen.map_or(0, |seen| seen.files);
        progress.show(|| format!("Searching: {}", output::counted(files as usize, "file")));
        true
    };
    let mut search = Search::new(Limits::NONE, &found, &goes_on, &looks_openable);
    let mut inputs = Inputs::default();
    let mut unchecked = |path: &Path, message: String| {
        let path = path.to_owned();
        inputs.unchecked.push(Unchecked::new(path, message));
    };
    for path in paths {
        if source::is_stdin(path) || !path.is_dir() {
            inputs.files.push(path.clone());
            continue;
        }
        let unreadable = search.unreadable().len();
        match search.files_below(path) {
            Ok(Some(files)) => {
                if files.is_empty() && search.unreadable().len() == unreadable {
                    let message =
                        "there is no file that Mapscope opens in this folder, nor below it";
                    unchecked(path, message.to_owned());
                }
                inputs.files.extend(files);
            }
            Err(Halt::Unreadable(error)) => {
                unchecked(path, system_reason(&error, "folder"));
            }
            // It lies below another one that was named.
            Ok(None) | Err(Halt::Stopped) => {}
        }
    }
    for folder in search.unreadable() {
        unchecked(&folder.path, system_reason(&folder.error, "folder"));
    }
    Ok(inputs)
}
