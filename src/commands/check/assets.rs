//! `check --assets`: unused and missing files of whole folders.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Checked;
use super::settings::FolderSettings;
use crate::commands::cli::display_name;
use crate::commands::json::MissingOutput;
use crate::commands::{CommandError, output, source};
use crate::search::{Limits, Search, SearchProgress};
use mapscope_formats::Problem;
use mapscope_scene::{Usage, is_missing_file, is_shared_asset};

/// Maximum number of missing files listed in text output.
const MAX_LISTED_MISSING: usize = 20;

/// Usage of the folders' files, collected while files are checked.
#[derive(Debug, Default)]
pub(super) struct Assets {
    usage: Usage,
    /// Keyed by the message, which names the missing file and where it was searched.
    missing: BTreeMap<String, Missing>,
}

/// A missing file that others reference.
#[derive(Debug)]
struct Missing {
    rule: &'static str,
    /// Number of references.
    count: usize,
    /// The files that reference it.
    files: Vec<PathBuf>,
}

impl Assets {
    /// Creates an empty collection. At least one argument must be a folder.
    ///
    /// # Errors
    /// If no argument is a folder.
    pub(super) fn of(paths: &[PathBuf]) -> Result<Self, CommandError> {
        if paths.iter().any(|path| path.is_dir()) {
            return Ok(Self::default());
        }
        let why = "--assets: expected a folder among the arguments";
        Err(CommandError::Argument(why.to_owned()))
    }

    /// Adds the files that a checked file references, and those it misses.
    pub(super) fn add(&mut self, checked: &Checked) {
        let findings = &checked.findings;
        self.usage.add(&findings.dependencies);
        let problems = findings.problems.iter();
        let problems = problems.flat_map(|problem| {
            if is_missing_file(problem.rule) {
                // Consequences are further references to the same file.
                std::slice::from_ref(problem)
            } else {
                &problem.consequences
            }
        });
        for problem in problems.filter(|problem| is_missing_file(problem.rule)) {
            let missing = self.missing.entry(problem.message.clone());
            let missing = missing.or_insert_with(|| Missing {
                rule: problem.rule.id,
                count: 0,
                files: Vec::new(),
            });
            missing.count += problem.count + problem.consequence_count();
            if missing.files.last() != Some(&checked.path) {
                missing.files.push(checked.path.clone());
            }
        }
    }

    /// The unused files below folders, each with a problem that describes it.
    pub(super) fn unused(
        &self,
        paths: &[PathBuf],
        settings: &RefCell<FolderSettings>,
    ) -> Vec<(PathBuf, Problem)> {
        let found = SearchProgress::default();
        let is_excluded = |path: &Path| settings.borrow_mut().exclude(path);
        let is_wanted = |path: &Path| is_shared_asset(path) && !is_excluded(path);
        let mut search = Search::new(Limits::NONE, &found, &|| true, &is_wanted);
        search = search.skipping(&is_excluded);
        let folders = paths
            .iter()
            .filter(|path| !source::is_stdin(path) && path.is_dir());
        // Unreadable folders have already been reported with the files to check.
        let below = folders.filter_map(|path| search.files_below(path).ok().flatten());
        let files: Vec<PathBuf> = below.flatten().collect();
        let problem = |file: PathBuf| Some((self.usage.unused(&file)?, file));
        let unused = files.into_iter().filter_map(problem);
        unused.map(|(problem, file)| (file, problem)).collect()
    }

    /// The missing files as lines, the most referenced first.
    pub(super) fn missing_text(&self) -> Vec<String> {
        let mut missing: Vec<_> = self.missing.iter().collect();
        missing.sort_by_key(|(_, it)| std::cmp::Reverse(it.count));
        let lines = missing
            .iter()
            .take(MAX_LISTED_MISSING)
            .map(|(message, it)| {
                let times = output::counted(it.count, "time");
                let files = output::counted(it.files.len(), "file");
                format!("missing: {message} (referenced {times} in {files})")
            });
        let mut lines: Vec<String> = lines.collect();
        if let Some(more @ 1..) = missing.len().checked_sub(MAX_LISTED_MISSING) {
            lines.push(format!("missing: and {more} more (--json lists them)"));
        }
        lines
    }

    /// The missing files for JSON.
    pub(super) fn missing(&self) -> Vec<MissingOutput> {
        let missing = self.missing.iter().map(|(message, it)| MissingOutput {
            rule: it.rule,
            message: message.clone(),
            count: it.count,
            files: it.files.iter().map(|file| display_name(file)).collect(),
        });
        missing.collect()
    }
}
