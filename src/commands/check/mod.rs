//! `mapscope check`: reports every problem in the given files, with its place.

mod assets;
mod inputs;
mod levels;
mod paths;
mod report;
mod sarif;
mod settings;

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use self::assets::Assets;
use self::inputs::Inputs;
use self::levels::Levels;
use self::report::Report;
use self::settings::FolderSettings;
use super::cli::{CheckArgs, ReportFormat};
use super::json::RuleOutput;
use super::output::{self, Paint, Stdout, Tally};
use super::progress::ProgressLine;
use super::source::{self, Known};
use super::{CommandError, Status};
use mapscope_formats::parallel::{Step, in_order};
use mapscope_formats::{Format, Place, Problem};
use mapscope_scene::{Document, OpenOptions, OtherFile, Source, dangling_link, outside_link};

/// A checked file.
#[derive(Debug)]
struct Checked {
    path: PathBuf,
    findings: Findings,
}

/// Result of checking a file, before levels are applied.
#[derive(Debug)]
struct Found {
    checked: Checked,
    /// Problems that summarise the problems of another file, each with that file's path.
    summary_problems: Vec<(PathBuf, Problem)>,
    /// Findings in other files that it uses, unless those files are checked separately.
    others: Vec<Checked>,
}

/// Findings in a file.
#[derive(Debug)]
struct Findings {
    /// `None` if the file has no known format.
    format: Option<&'static Format>,
    /// `None` if nothing of the file can be shown.
    version: Option<String>,
    problems: Vec<Problem>,
    notes: Vec<Problem>,
    /// Number of allowed problems, which `problems` does not contain.
    allowed: usize,
    /// The files that it references.
    dependencies: Vec<PathBuf>,
}

impl Findings {
    /// Findings that consist only of problems.
    fn new(format: Option<&'static Format>, problems: Vec<Problem>) -> Self {
        Self {
            format,
            version: None,
            problems,
            notes: Vec::new(),
            allowed: 0,
            dependencies: Vec::new(),
        }
    }
}

/// A file, folder or settings file that could not be read.
#[derive(Debug)]
struct Unchecked {
    path: PathBuf,
    /// Place of the reason in the file; `None` for the whole file.
    place: Option<Place>,
    /// The reason.
    message: String,
}

impl Unchecked {
    /// A path that could not be checked as a whole.
    fn new(path: PathBuf, message: String) -> Self {
        Self {
            path,
            place: None,
            message,
        }
    }
}

pub(super) fn run(args: &CheckArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let mut out = Stdout::lock();
    let paint = out.paint();
    if args.list_rules {
        let as_json = match args.format() {
            ReportFormat::Text => false,
            ReportFormat::Json => true,
            ReportFormat::Github | ReportFormat::Sarif => {
                return Err(CommandError::Argument(
                    "--list-rules: expected --format text or json".to_owned(),
                ));
            }
        };
        list_rules(as_json, paint, &mut out)?;
        out.flush()?;
        return Ok(Status::Done);
    }
    let format = args.format();
    let options_levels = Levels::of_options(&args.deny, &args.allow)?;
    let assets = args.assets.then(|| Assets::of(&args.paths)).transpose()?;
    let options = &OpenOptions {
        checks_textures: true,
        ..options.clone()
    };
    let progress = ProgressLine::new();
    let folders = RefCell::new(FolderSettings::new(options_levels, &args.paths));
    let inputs = inputs::find(&args.paths, &folders, &progress)?;
    progress.begin_stage();
    let mut unquoted = HashSet::new();
    for file in &inputs.files {
        // Read all settings first, so that their mistakes are reported before the files.
        folders.borrow_mut().of_file(file);
        if folders.borrow().leads_out(file) {
            unquoted.insert(file);
        }
    }
    let mut run = Run {
        report: Report::new(format, paint, args.notes),
        out,
        progress,
        status: Status::Done,
        total: Tally::default(),
        files: 0,
        unchecked: 0,
        mistakes: 0,
        unlisted: 0,
        allowed: 0,
        assets,
        folders: &folders,
        others: HashSet::new(),
    };
    run.write(Report::begin)?;
    run.mistakes()?;
    for unchecked in &inputs.unchecked {
        run.unchecked(unchecked)?;
    }
    let count = inputs.files.len();
    let mut map_error = None;
    let mut has_scene = false;
    let counts_characters = run.report.counts_characters();
    let check = |i: usize| {
        let path: PathBuf = inputs.files.get(i).cloned().unwrap_or_default();
        let found = check(&path, &inputs, options, counts_characters);
        let found = if unquoted.contains(&path) {
            redact_quotations(found)
        } else {
            found
        };
        found.map_err(|message| Unchecked::new(path, message))
    };
    in_order(count, check, |step| {
        match step {
            Step::Done(done) => {
                if count > 1 {
                    let progress = &run.progress;
                    progress.show(|| format!("Checked {done} of {count} files"));
                }
            }
            Step::Result(Ok(found)) => {
                let Checked { path, findings } = &found.checked;
                // With several files, `--map` applies to the scenes among them.
                let refused = findings
                    .format
                    .map(|format| source::refuse_map(path, format, options));
                match refused {
                    Some(Ok(())) => has_scene = true,
                    Some(Err(error)) => map_error = Some(error),
                    None => {}
                }
                run.found(found)?;
            }
            Step::Result(Err(unchecked)) => run.unchecked(&unchecked)?,
        }
        Ok::<(), CommandError>(())
    })?;
    if let Some(error) = map_error.filter(|_| !has_scene) {
        return Err(error);
    }
    run.mistakes()?;
    if let Some(assets) = run.assets.take() {
        run.assets(&assets, &args.paths)?;
    }
    let status = run.status;
    run.write(|report, out| report.end(out, status))?;
    run.progress.clear();
    output::say(&run.summary());
    Ok(status)
}

/// A check in progress.
struct Run<'f> {
    report: Report,
    out: Stdout,
    progress: ProgressLine,
    status: Status,
    total: Tally,
    /// Number of checked files.
    files: usize,
    /// Number of files and folders that could not be checked.
    unchecked: usize,
    /// Number of reported mistakes in folder settings.
    mistakes: usize,
    /// Number of notes that are not listed.
    unlisted: usize,
    /// Number of allowed problems.
    allowed: usize,
    /// Used and unused files of the folders, with `--assets`.
    assets: Option<Assets>,
    folders: &'f RefCell<FolderSettings>,
    /// Canonical paths of the reported files that are not checked separately.
    others: HashSet<PathBuf>,
}

impl Run<'_> {
    /// Reports a file, and its other files unless they have been reported. The summary of another
    /// file's problems is reported only if that file is not, for example because it is excluded.
    fn found(&mut self, found: Found) -> io::Result<()> {
        let Found {
            mut checked,
            summary_problems,
            mut others,
        } = found;
        others.retain(|other| !self.folders.borrow_mut().exclude(&other.path));
        let is_reported = |file: &Path| others.iter().any(|other| other.path == file);
        let summaries = summary_problems.into_iter();
        let summaries = summaries.filter(|(file, _)| !is_reported(file));
        let problems = &mut checked.findings.problems;
        problems.extend(summaries.map(|(_, problem)| problem));
        problems.sort_by_key(|problem| problem.place);
        self.files += 1;
        self.checked(checked)?;
        for other in others {
            if self.others.insert(inputs::identity(&other.path)) {
                self.checked(other)?;
            }
        }
        Ok(())
    }

    fn checked(&mut self, mut checked: Checked) -> io::Result<()> {
        let settings = self.folders.borrow_mut().of_file(&checked.path);
        let findings = &mut checked.findings;
        findings.allowed = settings
            .levels
            .apply(&mut findings.problems, &mut findings.notes);
        let tally = Tally::of(&findings.problems);
        self.total += tally;
        if tally.errors > 0 {
            self.status = self.status.max(Status::FileErrors);
        }
        if !self.report.has_notes() {
            self.unlisted += findings.notes.len();
        }
        self.allowed += findings.allowed;
        if let Some(assets) = &mut self.assets {
            assets.add(&checked);
        }
        self.write(|report, out| report.checked(out, &checked))
    }

    /// Reports unused and missing files.
    fn assets(&mut self, assets: &Assets, paths: &[PathBuf]) -> io::Result<()> {
        let folders = self.folders;
        let mut unused = Vec::new();
        let mut count = 0;
        for (path, problem) in assets.unused(paths, folders) {
            let (mut problems, mut notes) = (Vec::new(), vec![problem]);
            let settings = folders.borrow_mut().of_file(&path);
            settings.levels.apply(&mut problems, &mut notes);
            let tally = Tally::of(&problems);
            self.total += tally;
            if tally.errors > 0 {
                self.status = self.status.max(Status::FileErrors);
            }
            problems.append(&mut notes);
            count += problems.len();
            unused.extend(problems.into_iter().map(|problem| (path.clone(), problem)));
        }
        self.write(|report, out| report.assets(out, &unused, assets))?;
        self.progress.clear();
        for line in assets.missing_text() {
            output::say(&line);
        }
        if count > 0 {
            let files = output::counted(count, "file");
            output::say(&format!("unused: {files}"));
        }
        Ok(())
    }

    /// Reports the mistakes in settings that have not been reported yet.
    fn mistakes(&mut self) -> io::Result<()> {
        let folders = self.folders.borrow();
        for mistake in folders.unchecked.iter().skip(self.mistakes) {
            self.mistakes += 1;
            self.refuse(mistake)?;
        }
        Ok(())
    }

    fn unchecked(&mut self, unchecked: &Unchecked) -> io::Result<()> {
        self.unchecked += 1;
        self.refuse(unchecked)
    }

    /// Reports a path that could not be checked, with the reason.
    fn refuse(&mut self, unchecked: &Unchecked) -> io::Result<()> {
        self.status = Status::Failed;
        self.write(|report, out| report.unchecked(out, unchecked))?;
        let Unchecked {
            path,
            place,
            message,
        } = unchecked;
        self.progress.clear();
        output::report_unchecked(path, place.unwrap_or(Place::line(1)), message);
        Ok(())
    }

    /// Writes and flushes a part of the report, so that a reader need not wait for all files.
    fn write(
        &mut self,
        write: impl FnOnce(&mut Report, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        write(&mut self.report, &mut text)?;
        if text.is_empty() {
            return Ok(());
        }
        self.progress.clear();
        self.out.write_all(&text)?;
        self.out.flush()
    }

    /// A summary of the checked files and their problems.
    fn summary(&self) -> String {
        let checked = match self.files {
            0 if self.unchecked > 0 => "no files checked".to_owned(),
            files => format!("{}: {}", output::counted(files, "file"), self.total),
        };
        let notes = match self.unlisted {
            0 => String::new(),
            unlisted => {
                let notes = output::counted(unlisted, "note");
                format!(", {notes} (--notes lists them)")
            }
        };
        let allowed = match self.allowed {
            0 => String::new(),
            allowed => format!(", {allowed} allowed"),
        };
        let unchecked = match self.unchecked {
            0 => String::new(),
            unchecked => format!("; {unchecked} could not be checked"),
        };
        let mistakes = match self.mistakes {
            0 => String::new(),
            mistakes => {
                let mistakes = output::counted(mistakes, "mistake");
                format!("; {mistakes} in {}", settings::FILE_NAME)
            }
        };
        format!("{checked}{allowed}{notes}{unchecked}{mistakes}")
    }
}

/// Checks a file. Fails with the reason if it cannot be checked. A panic of a reader is also
/// returned as a reason, so that the other files are still checked.
fn check(
    path: &Path,
    inputs: &Inputs,
    options: &OpenOptions,
    counts_characters: bool,
) -> Result<Found, String> {
    let checked = |findings| Checked {
        path: path.to_owned(),
        findings,
    };
    let alone = |findings| Found {
        checked: checked(findings),
        summary_problems: Vec::new(),
        others: Vec::new(),
    };
    let was_found = inputs.was_found(path);
    if inputs.leads_out(path) {
        return Ok(alone(Findings {
            notes: vec![outside_link()],
            ..Findings::new(None, Vec::new())
        }));
    }
    if let Some(problem) = dangling_link(path).filter(|_| was_found) {
        return Ok(alone(Findings::new(None, vec![problem])));
    }
    let job = || {
        let source = source::source_of(path)?;
        let known = source::known(&source, options);
        if let Err(CommandError::Open(error)) = &known
            && let Some(note) = error.skipped().filter(|_| was_found)
        {
            return Ok(alone(Findings {
                notes: vec![note],
                ..Findings::new(None, Vec::new())
            }));
        }
        let mut found = match known? {
            Known::Opened(document) => {
                let (problems, summary_problems) =
                    split_summary_problems(&*document, &document.about().problems, inputs);
                let others = document.other_files().into_iter();
                let others = others.filter(|other| !inputs.contains(&other.path));
                let others = others.filter_map(|other| of_other(other, inputs, counts_characters));
                Found {
                    summary_problems,
                    others: others.collect(),
                    checked: checked(Findings {
                        version: Some(document.about().version.clone()),
                        notes: document.notes(),
                        dependencies: document.about().dependencies.clone(),
                        ..Findings::new(Some(document.about().format), problems)
                    }),
                }
            }
            Known::Refused(format, [problem]) => alone(Findings::new(Some(format), vec![problem])),
        };
        if counts_characters {
            let text = source.text();
            let findings = &mut found.checked.findings;
            let summary_problems = found
                .summary_problems
                .iter_mut()
                .map(|(_, problem)| problem);
            count_characters(&text, findings.problems.iter_mut().chain(summary_problems));
            count_characters(&text, &mut findings.notes);
        }
        Ok(found)
    };
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(result) => result.map_err(|error: CommandError| error.reason()),
        Err(_panic) => Err(
            "Mapscope crashed while reading this file; please report it with the file".to_owned(),
        ),
    }
}

/// Removes all quotations from the findings in a link that leads out of its folder: an untrusted
/// link must not reveal the content of a private file. Findings in its other files are removed.
fn redact_quotations(found: Result<Found, String>) -> Result<Found, String> {
    let link = "this file is a link that leads out of its folder; its content is not quoted";
    let mut found = found.map_err(|_quoted| format!("this file cannot be checked; {link}"))?;
    found.others.clear();
    let findings = &mut found.checked.findings;
    findings.dependencies.clear();
    let Findings {
        problems, notes, ..
    } = findings;
    let summary_problems = found
        .summary_problems
        .iter_mut()
        .map(|(_, problem)| problem);
    for problem in problems.iter_mut().chain(notes).chain(summary_problems) {
        let Problem { rule, subject, .. } = *problem;
        let message = format!("{} ({link})", rule.summary);
        *problem = Problem::new(rule, subject, problem.place, message);
    }
    Ok(found)
}

/// Splits the problems of a document into its own and summaries of another file's problems, each
/// with that file. Summaries of files that are checked separately are omitted.
fn split_summary_problems(
    document: &dyn Document,
    problems: &[Problem],
    inputs: &Inputs,
) -> (Vec<Problem>, Vec<(PathBuf, Problem)>) {
    let (mut own, mut summary_problems) = (Vec::new(), Vec::new());
    for problem in problems {
        match document.summarized_file(problem) {
            Some(file) if inputs.contains(&file) => {}
            Some(file) => summary_problems.push((file, problem.clone())),
            None => own.push(problem.clone()),
        }
    }
    (own, summary_problems)
}

/// Returns the findings in another file of a document, if there are any.
fn of_other(other: OtherFile<'_>, inputs: &Inputs, counts_characters: bool) -> Option<Checked> {
    let OtherFile {
        path,
        format,
        document,
        mut problems,
    } = other;
    if let Some(document) = document {
        let (own, summary_problems) = split_summary_problems(document, &problems, inputs);
        problems = own;
        problems.extend(summary_problems.into_iter().map(|(_, problem)| problem));
        problems.sort_by_key(|problem| problem.place);
    }
    let mut notes = document.map_or_else(Vec::new, Document::notes);
    let has_any = !(problems.is_empty() && notes.is_empty());
    if counts_characters
        && has_any
        && let Ok(source) = Source::read(&path)
    {
        count_characters(&source.text(), problems.iter_mut().chain(&mut notes));
    }
    let version = document.map(|document| document.about().version.clone());
    has_any.then(|| Checked {
        path,
        findings: Findings {
            version,
            notes,
            ..Findings::new(Some(format), problems)
        },
    })
}

/// Converts the columns of problems from bytes to characters.
fn count_characters<'p>(text: &[u8], problems: impl IntoIterator<Item = &'p mut Problem>) {
    if text.is_ascii() {
        return;
    }
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    for problem in problems {
        count_characters_of(&lines, problem);
    }
}

fn count_characters_of(lines: &[&[u8]], problem: &mut Problem) {
    for problem in &mut problem.consequences {
        count_characters_of(lines, problem);
    }
    if let Place::Text { line, column } = &mut problem.place {
        let line = lines.get(line.saturating_sub(1) as usize).copied();
        let line = line.unwrap_or_default();
        let before = column.saturating_sub(1).min(line.len() as u64) as usize;
        let before = String::from_utf8_lossy(line.get(..before).unwrap_or_default());
        *column = before.chars().count() as u64 + 1;
    }
}

/// Prints every rule: one per line, or as one JSON array.
fn list_rules(json: bool, paint: Paint, out: &mut impl Write) -> io::Result<()> {
    if json {
        let rules = mapscope_scene::rules().map(|rule| RuleOutput {
            id: rule.id,
            severity: rule.severity.into(),
            summary: rule.summary,
        });
        let rules: Vec<RuleOutput> = rules.collect();
        serde_json::to_writer(&mut *out, &rules)?;
        return writeln!(out);
    }
    for rule in mapscope_scene::rules() {
        let severity = paint.severity(rule.severity);
        writeln!(
            out,
            "{} {severity}: {}",
            paint.heading(rule.id),
            rule.summary
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_formats::Subject;

    #[test]
    fn columns_count_characters() {
        let rule = mapscope_scene::rules().next().unwrap();
        let text = "größe x\nbä y".as_bytes();
        for (line, column, expected) in [(1, 1, 1), (1, 9, 7), (2, 4, 3), (9, 9, 1), (1, 99, 8)] {
            let place = Place::Text { line, column };
            let mut problem = Problem::new(rule, Subject::File, place, "");
            problem.add_consequence(problem.clone());
            let mut problems = [problem];
            count_characters(text, &mut problems);
            let place = Place::Text {
                line,
                column: expected,
            };
            assert!(problems[0].with_consequences().all(|it| it.place == place));
        }
        let place = Place::Offset(7);
        let mut problems = [Problem::new(rule, Subject::File, place, "")];
        count_characters(text, &mut problems);
        assert_eq!(problems[0].place, place);
    }
}
