//! The files that the arguments of `check` stand for.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Unchecked;
use super::settings::FolderSettings;
use crate::commands::progress::ProgressLine;
use crate::commands::{CommandError, output, source};
use crate::search::{Halt, Limits, Search, SearchProgress};
use mapscope_scene::{looks_openable, system_reason};

/// What is to be checked.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Files, and what else [`source::source_of`] knows, in the order of the arguments, none twice;
    /// below a folder its own files stand before those of the folders below it.
    pub(super) files: Vec<PathBuf>,
    /// Folders of which nothing can be checked.
    pub(super) unchecked: Vec<Unchecked>,
    /// Those of the files that are links out of the folder that was named, which are not followed.
    outside: HashSet<PathBuf>,
    /// By what each of the files is known.
    known: HashSet<PathBuf>,
    /// The arguments.
    named: Vec<PathBuf>,
}

impl Inputs {
    /// Whether a file is among them.
    pub(super) fn contains(&self, file: &Path) -> bool {
        self.known.contains(&identity(file))
    }

    /// `true` for a link that leads out of the folder that was named.
    pub(super) fn leads_out(&self, file: &Path) -> bool {
        self.outside.contains(file)
    }

    /// Whether one of them was found in a folder and not named itself.
    pub(super) fn was_found(&self, file: &Path) -> bool {
        !self.named.iter().any(|named| named == file)
    }
}

/// Finds what is to be checked. Of folders those files are whose names say that they can be opened, and
/// that no settings exclude.
///
/// # Errors
/// When standard input is to be read more than once.
pub(super) fn find(
    paths: &[PathBuf],
    settings: &RefCell<FolderSettings>,
    progress: &ProgressLine,
) -> Result<Inputs, CommandError> {
    source::refuse_stdin_twice(paths)?;
    let found = SearchProgress::default();
    let goes_on = || {
        let seen = found.seen();
        let files = seen.map_or(0, |seen| seen.files);
        progress.show(|| format!("Searching: {}", output::counted(files as usize, "file")));
        true
    };
    let excluded = Cell::new(0);
    let is_excluded = |path: &Path| {
        let is_excluded = settings.borrow_mut().exclude(path);
        excluded.set(excluded.get() + usize::from(is_excluded));
        is_excluded
    };
    let is_wanted = |path: &Path| looks_openable(path) && !is_excluded(path);
    let mut search = Search::new(Limits::NONE, &found, &goes_on, &is_wanted);
    search = search.passing_by(&is_excluded).with_dangling_links();
    let mut inputs = Inputs {
        named: paths.to_vec(),
        ..Inputs::default()
    };
    let mut known = HashSet::new();
    let mut unchecked = |path: &Path, message: String| {
        let path = path.to_owned();
        inputs.unchecked.push(Unchecked::new(path, message));
    };
    for path in paths {
        if source::is_stdin(path) || !path.is_dir() {
            if known.insert(identity(path)) {
                inputs.files.push(path.clone());
            }
            continue;
        }
        let (unreadable, excluded_before) = (search.unreadable().len(), excluded.get());
        let outside = search.outside().len();
        match search.files_below(path) {
            Ok(Some(files)) => {
                let outside = search.outside().get(outside..).unwrap_or_default();
                let is_empty = files.is_empty() && outside.is_empty();
                let is_empty = is_empty && search.unreadable().len() == unreadable;
                if is_empty && excluded.get() == excluded_before {
                    let message =
                        "there is no file that Mapscope opens in this folder, nor below it";
                    unchecked(path, message.to_owned());
                }
                inputs.files.extend(new_among(files, &mut known));
                inputs.files.extend_from_slice(outside);
                inputs.outside.extend(outside.iter().cloned());
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
    inputs.known = known;
    Ok(inputs)
}

/// The files that are not known yet. One that links lead to as well stands where it is.
fn new_among(files: Vec<PathBuf>, known: &mut HashSet<PathBuf>) -> Vec<PathBuf> {
    let mut is_new = vec![false; files.len()];
    for of_links in [false, true] {
        for (file, is_new) in files.iter().zip(&mut is_new) {
            if file.is_symlink() == of_links {
                *is_new = known.insert(identity(file));
            }
        }
    }
    let files = files.into_iter().zip(is_new);
    files
        .filter_map(|(file, is_new)| is_new.then_some(file))
        .collect()
}

/// A path by which a file is known however it is named: that without links.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
