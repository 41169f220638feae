//! `mapscope check`: every problem in files, with its place.

mod assets;
mod inputs;
mod levels;
mod paths;
mod report;
mod sarif;
mod settings;

use std::cell::RefCell;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use self::assets::Assets;
use self::inputs::Inputs;
use self::levels::Levels;
use self::report::Report;
use self::settings::{FolderSettings, Settings};
use super::cli::{CheckArgs, ReportFormat};
use super::output::{self, Paint, Stdout, Tally};
use super::progress::ProgressLine;
use super::source::{self, Known};
use super::{CommandError, Status};
use mapscope_formats::parallel::{Step, in_order};
use mapscope_formats::{Format, Place, Problem, Subject};
use mapscope_scene::{Document, OpenOptions, is_of_lod};

/// A file that was checked.
#[derive(Debug)]
struct Checked {
    path: PathBuf,
    findings: Findings,
}

/// What was found in a file.
#[derive(Debug)]
struct Findings {
    format: &'static Format,
    /// None where nothing of it can be shown.
    version: Option<String>,
    problems: Vec<Problem>,
    notes: Vec<Problem>,
    /// Problems that are allowed, and not in the list.
    allowed: usize,
    /// The files that it names.
    dependencies: Vec<PathBuf>,
}

/// A file or folder that could not be checked, or settings that could not be read.
#[derive(Debug)]
struct Unchecked {
    path: PathBuf,
    /// Where in the file the reason is; none where it is the whole file.
    place: Option<Place>,
    /// The reason.
    message: String,
}

impl Unchecked {
    /// One that could not be checked as a whole.
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
    let folders = RefCell::new(FolderSettings::new(options_levels));
    let inputs = inputs::find(&args.paths, &folders, &progress)?;
    progress.begin_stage();
    let settings = inputs.files.iter();
    let settings = settings.map(|file| folders.borrow_mut().of_file(file));
    let settings: Vec<Arc<Settings>> = settings.collect();
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
    };
    run.write(Report::begin)?;
    for mistake in &folders.borrow().unchecked {
        run.mistakes += 1;
        run.refuse(mistake)?;
    }
    for unchecked in &inputs.unchecked {
        run.unchecked(unchecked)?;
    }
    let count = inputs.files.len();
    let mut without_scene = None;
    let mut has_scene = false;
    let counts_characters = run.report.counts_characters();
    let check = |i: usize| {
        let path: PathBuf = inputs.files.get(i).cloned().unwrap_or_default();
        let mut findings = match check(&path, &inputs, options, counts_characters) {
            Ok(findings) => findings,
            Err(message) => return Err(Unchecked::new(path, message)),
        };
        if let Some(Settings { levels, .. }) = settings.get(i).map(|it| &**it) {
            findings.allowed = levels.apply(&mut findings.problems, &mut findings.notes);
        }
        Ok(Checked { path, findings })
    };
    in_order(count, check, |step| {
        match step {
            Step::Done(done) => {
                if count > 1 {
                    let progress = &run.progress;
                    progress.show(|| format!("Checked {done} of {count} files"));
                }
            }
            Step::Result(Ok(checked)) => {
                run.checked(&checked)?;
                // Among several files, a map is for those that are scenes.
                match source::refuse_map(&checked.path, checked.findings.format, options) {
                    Ok(()) => has_scene = true,
                    Err(error) => without_scene = Some(error),
                }
            }
            Step::Result(Err(unchecked)) => run.unchecked(&unchecked)?,
        }
        Ok::<(), CommandError>(())
    })?;
    if let Some(error) = without_scene.filter(|_| !has_scene) {
        return Err(error);
    }
    if let Some(assets) = run.assets.take() {
        run.assets(&assets, &args.paths, &folders)?;
    }
    let status = run.status;
    run.write(|report, out| report.end(out, status))?;
    run.progress.clear();
    output::say(&run.summary());
    Ok(status)
}

/// A check under way.
struct Run {
    report: Report,
    out: Stdout,
    progress: ProgressLine,
    status: Status,
    total: Tally,
    /// Files that were checked.
    files: usize,
    /// Files and folders that were not.
    unchecked: usize,
    /// What settings of folders say that cannot be followed.
    mistakes: usize,
    /// Notes that are not listed.
    unlisted: usize,
    /// Problems that are allowed.
    allowed: usize,
    /// What is known of the folders, if that is asked for.
    assets: Option<Assets>,
}

impl Run {
    fn checked(&mut self, checked: &Checked) -> io::Result<()> {
        let findings = &checked.findings;
        let tally = Tally::of(&findings.problems);
        self.total += tally;
        self.files += 1;
        if tally.errors > 0 {
            self.status = self.status.max(Status::FileErrors);
        }
        if !self.report.has_notes() {
            self.unlisted += findings.notes.len();
        }
        self.allowed += findings.allowed;
        if let Some(assets) = &mut self.assets {
            assets.add(checked);
        }
        self.write(|report, out| report.checked(out, checked))
    }

    /// Says which files nobody uses, and what is missing.
    fn assets(
        &mut self,
        assets: &Assets,
        paths: &[PathBuf],
        folders: &RefCell<FolderSettings>,
    ) -> io::Result<()> {
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

    fn unchecked(&mut self, unchecked: &Unchecked) -> io::Result<()> {
        self.unchecked += 1;
        self.refuse(unchecked)
    }

    /// Says what could not be checked or followed, and why.
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

    /// Writes a part of the report. Whoever waits for a file among many should not wait for all.
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

    /// What was checked, and what came of it.
    fn summary(&self) -> String {
        let checked = match self.files {
            0 if self.unchecked > 0 => "no file checked".to_owned(),
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

/// Checks a file, or says why it cannot be checked. A reader that panics is such a reason: the other
/// files can be checked all the same.
fn check(
    path: &Path,
    inputs: &Inputs,
    options: &OpenOptions,
    counts_characters: bool,
) -> Result<Findings, String> {
    let job = || {
        let source = source::source_of(path)?;
        let mut findings = match source::known(&source, options)? {
            Known::Opened(document) => {
                let about = document.about();
                let problems = about.problems.iter();
                let problems =
                    problems.filter(|problem| !is_said_elsewhere(&*document, problem, inputs));
                Findings {
                    format: about.format,
                    version: Some(about.version.clone()),
                    problems: problems.cloned().collect(),
                    notes: document.notes(),
                    allowed: 0,
                    dependencies: about.dependencies.clone(),
                }
            }
            Known::Refused(format, [problem]) => Findings {
                format,
                version: None,
                problems: vec![problem],
                notes: Vec::new(),
                allowed: 0,
                dependencies: Vec::new(),
            },
        };
        if counts_characters {
            let text = source.text();
            count_characters(&text, &mut findings.problems);
            count_characters(&text, &mut findings.notes);
        }
        Ok(findings)
    };
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(result) => result.map_err(|error: CommandError| error.reason()),
        Err(_panic) => {
            Err("Mapscope failed while reading it; please report this, with the file".to_owned())
        }
    }
}

/// Whether another file that is checked says the same: a level of detail that is broken or does not fit its
/// model does.
fn is_said_elsewhere(document: &dyn Document, problem: &Problem, inputs: &Inputs) -> bool {
    if !is_of_lod(problem.rule) || problem.subject == Subject::Lod(0) {
        return false;
    }
    let target = document.problem_target(problem);
    let level = target.and_then(|target| document.file_of(target.item));
    level.is_some_and(|level| inputs.contains(&level))
}

/// Makes the columns of problems count characters, where they count bytes.
fn count_characters(text: &[u8], problems: &mut [Problem]) {
    if problems.is_empty() || text.is_ascii() {
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

/// Writes every rule: with `json`, as one array.
fn list_rules(json: bool, paint: Paint, out: &mut impl Write) -> io::Result<()> {
    if json {
        let rules: Vec<Value> = mapscope_scene::rules()
            .map(|rule| {
                json!({
                    "id": rule.id,
                    "severity": rule.severity.to_string(),
                    "summary": rule.summary,
                })
            })
            .collect();
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
