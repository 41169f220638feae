//! What `check --assets` says of folders as a whole: the files that nobody uses, and what is missing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Checked;
use super::settings::FolderSettings;
use crate::commands::cli::display_name;
use crate::commands::{CommandError, output, source};
use crate::search::{Limits, Search, SearchProgress};
use mapscope_formats::Problem;
use mapscope_scene::{Usage, is_for_others, is_missing_file};

/// So many of what is missing are listed in text.
const LISTED: usize = 20;

/// What is known of the folders while files are checked.
#[derive(Debug, Default)]
pub(super) struct Assets {
    usage: Usage,
    /// By the message that says what is missing and where it was looked for.
    missing: BTreeMap<String, Missing>,
}

/// A file that others name and that is not there.
#[derive(Debug)]
struct Missing {
    rule: &'static str,
    /// How often it is named.
    count: usize,
    /// The files that name it.
    files: Vec<PathBuf>,
}

impl Assets {
    /// Fails unless there is a folder among the arguments.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn of(paths: &[PathBuf]) -> Result<Self, CommandError> {
        if paths.iter().any(|path| path.is_dir()) {
            return Ok(Self::default());
        }
        let why = "--assets is for folders: expected one, of which all files are known";
        Err(CommandError::Argument(why.to_owned()))
    }

    /// Takes what a file names.
    pub(super) fn add(&mut self, checked: &Checked) {
        let findings = &checked.findings;
        self.usage.add(&findings.dependencies);
        let problems = findings.problems.iter();
        let problems = problems.flat_map(|problem| {
            if is_missing_file(problem.rule) {
                // Others that name the same file follow from it.
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

    /// The files below folders that nobody uses, with what there is to say of them.
    pub(super) fn unused(
        &self,
        paths: &[PathBuf],
        settings: &RefCell<FolderSettings>,
    ) -> Vec<(PathBuf, Problem)> {
        let found = SearchProgress::default();
        let is_excluded = |path: &Path| settings.borrow_mut().exclude(path);
        let is_wanted = |path: &Path| is_for_others(path) && !is_excluded(path);
        let mut search = Search::new(Limits::NONE, &found, &|| true, &is_wanted);
        search = search.passing_by(&is_excluded);
        let folders = paths
            .iter()
            .filter(|path| !source::is_stdin(path) && path.is_dir());
        // What cannot be read was said of the files to check.
        let below = folders.filter_map(|path| search.files_below(path).ok().flatten());
        let files: Vec<PathBuf> = below.flatten().collect();
        let problem = |file: PathBuf| Some((self.usage.unused(&file)?, file));
        let unused = files.into_iter().filter_map(problem);
        unused.map(|(problem, file)| (file, problem)).collect()
    }

    /// What is missing as lines, the most wanted first.
    pub(super) fn missing_text(&self) -> Vec<String> {
        let mut missing: Vec<_> = self.missing.iter().collect();
        missing.sort_by_key(|(_, it)| std::cmp::Reverse(it.count));
        let lines = missing.iter().take(LISTED).map(|(message, it)| {
            let times = output::counted(it.count, "time");
            let files = output::counted(it.files.len(), "file");
            format!("missing: {message} (named {times} in {files})")
        });
        let mut lines: Vec<String> = lines.collect();
        if let Some(more @ 1..) = missing.len().checked_sub(LISTED) {
            lines.push(format!("missing: and {more} more (--json has them)"));
        }
        lines
    }

    /// What is missing as JSON.
    pub(super) fn missing_json(&self) -> Value {
        let missing = self.missing.iter().map(|(message, it)| {
            let files = it.files.iter().map(|file| display_name(file));
            json!({
                "rule": it.rule,
                "message": message,
                "count": it.count,
                "files": files.collect::<Vec<_>>(),
            })
        });
        missing.collect()
    }
}
