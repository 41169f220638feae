//! Resolves the arguments of `check` to files.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Unchecked;
use super::settings::FolderSettings;
use crate::commands::progress::ProgressLine;
use crate::commands::{CommandError, output, source};
use crate::search::{Limits, Search, SearchError, SearchProgress};
use mapscope_scene::{has_known_ending, system_reason};

/// The files to check.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Files, and other sources that [`source::source_of`] knows, in the order of the arguments and
    /// without duplicates. In a folder, its own files precede those of its subfolders.
    pub(super) files: Vec<PathBuf>,
    /// Arguments in which nothing can be checked, and unreadable subfolders.
    pub(super) unchecked: Vec<Unchecked>,
    /// Files that are links out of the named folder, which are not followed.
    outside: HashSet<PathBuf>,
    /// Canonical paths of the files.
    known: HashSet<PathBuf>,
    /// The arguments.
    named: Vec<PathBuf>,
}

impl Inputs {
    /// `true` if a file is among the files to check.
    pub(super) fn contains(&self, file: &Path) -> bool {
        self.known.contains(&identity(file))
    }

    /// `true` for a link that leads out of the named folder.
    pub(super) fn leads_out(&self, file: &Path) -> bool {
        self.outside.contains(file)
    }

    /// `true` if a file was found in a folder, not named as an argument.
    pub(super) fn was_found(&self, file: &Path) -> bool {
        !self.named.iter().any(|named| named == file)
    }
}

/// Finds the files to check. In folders, these are files with an extension that Mapscope opens,
/// except those that settings exclude.
///
/// # Errors
/// If standard input is named more than once.
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
    let is_wanted = |path: &Path| has_known_ending(path) && !is_excluded(path);
    let mut search = Search::new(Limits::NONE, &found, &goes_on, &is_wanted);
    search = search.skipping(&is_excluded).with_dangling_links();
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
                    let message = "no file in this folder or below it has a known format";
                    unchecked(path, message.to_owned());
                }
                inputs.files.extend(new_among(files, &mut known));
                inputs.files.extend_from_slice(outside);
                inputs.outside.extend(outside.iter().cloned());
            }
            Err(SearchError::Unreadable(error)) => {
                unchecked(path, system_reason(&error, "folder"));
            }
            // It lies below another named folder.
            Ok(None) | Err(SearchError::Stopped) => {}
        }
    }
    for folder in search.unreadable() {
        unchecked(&folder.path, system_reason(&folder.error, "folder"));
    }
    inputs.known = known;
    Ok(inputs)
}

/// Filters out files that are already known. A file that is also reachable by links is kept at its
/// real path.
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

/// The canonical path of a file, which identifies it whatever path names it.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
