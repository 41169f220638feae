//! `mapscope diff`: the differences between two files, in the terms of their format.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

use super::cli::{DiffArgs, GraphicsArgs, display_name};
use super::json::DiffOutput;
use super::output::{self, Paint, Stdout, printable};
use super::source::{self, Opened};
use super::{CommandError, Status};
use mapscope_formats::{Place, Problem, Severity, is_truncation};
use mapscope_scene::diff::{self, Diff, DiffGroup, Difference, FieldChange};
use mapscope_scene::{DecodeBudget, OpenError, OpenOptions};

/// Maximum number of differences per kind in text output.
const MAX_LINES: usize = 100;
/// Default maximum number of lines that `--text` prints per file: git keeps all of them in memory.
const MAX_TEXT_LINES: usize = 1_000_000;
/// Maximum number of characters of a value or a name in text output.
const MAX_CHARS: usize = 400;
/// Path that `git difftool` passes for a file that is missing in one of two versions.
const NO_FILE: &str = "/dev/null";

#[cfg_attr(
    not(feature = "gpu"),
    expect(unused_variables, reason = "only pictures are drawn by an adapter")
)]
pub(super) fn run(
    args: &DiffArgs,
    options: &OpenOptions,
    graphics: GraphicsArgs,
) -> Result<Status, CommandError> {
    let mut out = Stdout::lock();
    let paint = out.paint();
    let Some(b) = &args.b else {
        let max_lines = if args.no_limit {
            usize::MAX
        } else {
            MAX_TEXT_LINES
        };
        write_parts(&args.a, options, max_lines, &mut out)?;
        out.flush()?;
        return Ok(Status::Done);
    };
    let files = [&*args.a, b];
    if files.into_iter().all(source::is_stdin) {
        let text = "only one file can be `-`, standard input";
        return Err(CommandError::Argument(text.to_owned()));
    }
    if args.picture {
        #[cfg(feature = "gpu")]
        return super::diff_picture::run(args, files, options, graphics.into());
        #[cfg(not(feature = "gpu"))]
        return Err(CommandError::NotBuilt {
            what: "pictures of differences",
            feature: "gpu",
        });
    }
    let is_no_file = files.map(|file| file == Path::new(NO_FILE));
    if !args.json && is_no_file[0] != is_no_file[1] {
        let [a, b] = files.map(display_name);
        let (side, file) = if is_no_file[0] { ("B", b) } else { ("A", a) };
        writeln!(out, "only in {side}: {}", printable(&file))?;
        out.flush()?;
        return Ok(Status::FileErrors);
    }
    let opened = open_both(files, options)?;
    let is_identical = opened[0].bytes == opened[1].bytes;
    let [first, second] = opened.map(|opened| opened.document);
    let diff = Diff::of([&*first, &*second]).map_err(|source| CommandError::Diff {
        files: files.map(Path::to_owned),
        source,
    })?;
    // Identical bytes need not be read.
    let is_complete = is_identical || diff.not_read.iter().all(Option::is_none);
    let is_same = diff.count() == 0 && is_complete;
    if args.json {
        let format = first.about().format;
        let output = DiffOutput::new(files, format, &diff, [is_same, is_identical, is_complete]);
        serde_json::to_writer_pretty(&mut out, &output).map_err(io::Error::from)?;
        writeln!(out)?;
    } else if diff.count() > 0 {
        write_text(&mut out, paint, files, &diff)?;
    }
    out.flush()?;
    for (file, document) in files.into_iter().zip([&first, &second]) {
        output::note_problems(file, &document.about().problems);
    }
    if is_same && !is_identical {
        output::say("same content, but different bytes");
        for (side, own, other) in [("A", &first, &second), ("B", &second, &first)] {
            let others = &other.about().problems;
            let is_of_both = |problem: &&Problem| {
                let mut others = others.iter();
                others.any(|other| (other.rule, other.subject) == (problem.rule, problem.subject))
            };
            let problems = own.about().problems.iter();
            let only = problems.filter(|problem| !is_of_both(problem));
            // The first problem of the highest severity.
            if let Some(problem) = only.min_by_key(|it| it.severity != Severity::Error) {
                output::say(&format!("only in {side}: {problem}"));
            }
        }
    }
    if !is_complete {
        for (file, problem) in files.into_iter().zip(&diff.not_read) {
            if let Some(problem) = problem {
                output::say(&not_read(file, problem));
            }
        }
    }
    Ok(if is_same {
        Status::Done
    } else {
        Status::FileErrors
    })
}

/// Opens two files in parallel.
pub(super) fn open_both(
    files: [&Path; 2],
    options: &OpenOptions,
) -> Result<[Opened; 2], CommandError> {
    let options = &OpenOptions {
        budget: DecodeBudget::shared_among(2),
        ..options.clone()
    };
    let open = |file: &Path| source::open(file, options);
    let [a, b] = thread::scope(|scope| {
        let other = scope.spawn(|| open(files[1]));
        let one = open(files[0]);
        [
            one,
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        ]
    });
    // Status 1 means that the files differ; an unreadable file must give status 2.
    let failed = |error| match error {
        CommandError::Open(error @ OpenError::Refused { .. }) => {
            CommandError::Argument(error.to_string())
        }
        error => error,
    };
    Ok([a.map_err(failed)?, b.map_err(failed)?])
}

/// Writes each part of a file on one line. An unreadable file gives one line with the error: git
/// aborts on all files if one of them has no text.
fn write_parts(
    file: &Path,
    options: &OpenOptions,
    max_lines: usize,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let document = match source::open(file, options) {
        Ok(opened) => opened.document,
        Err(CommandError::Open(OpenError::Refused { problem, .. })) => {
            writeln!(out, "cannot be read: {}", printable(&problem.to_string()))?;
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let about = document.about();
    writeln!(
        out,
        "format {} {}",
        about.format.id,
        printable(&about.version)
    )?;
    let mut written = Ok(());
    let mut lines = 0;
    let _whole = diff::tell(&*document, |part| {
        if lines == max_lines {
            written = writeln!(out, "more than {max_lines} lines (--no-limit prints them)");
            return ControlFlow::Break(());
        }
        lines += 1;
        let mut line = match part.place {
            place if place == part.what => place.to_owned(),
            place => format!("{} {place}", part.what),
        };
        for (i, field) in part.fields.iter().enumerate() {
            let [value, _] = &field.texts;
            line.push_str(if i == 0 { ": " } else { ", " });
            line.push_str(&field.name.to_lowercase());
            line.push(' ');
            line.push_str(value.as_deref().unwrap_or_default());
        }
        written = writeln!(out, "{}", printable(&line));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    Ok(written?)
}

/// A message that a file was not read from a place on, or that errors omit parts of it.
fn not_read(file: &Path, problem: &Problem) -> String {
    let (file, Problem { place, message, .. }) = (display_name(file), problem);
    let place = match place {
        Place::Text { line, .. } => format!("line {line}"),
        Place::Offset(_) => place.to_string(),
    };
    if is_truncation(problem.rule) {
        format!("{file}: only the part before {place} was read and compared: {message}")
    } else {
        format!(
            "{file}: errors leave out part of the file, and only the rest was compared; the first error at {place}: {message}"
        )
    }
}

/// Writes the differences, group by group.
fn write_text(
    out: &mut impl Write,
    paint: Paint,
    files: [&Path; 2],
    diff: &Diff,
) -> io::Result<()> {
    for (sign, file) in ["---", "+++"].into_iter().zip(files) {
        let name = display_name(file);
        writeln!(
            out,
            "{}",
            paint.heading(printable(&format!("{sign} {name}")))
        )?;
    }
    let mut differences = diff.differences.iter().peekable();
    for group in &diff.groups {
        let heading = format!("{}: {}", group.what, group_text(group));
        writeln!(out, "\n{}", paint.heading(heading))?;
        let of_group = || differences.next_if(|difference| difference.what == group.what);
        let of_group: Vec<&Difference> = std::iter::from_fn(of_group).collect();
        for difference in of_group.iter().take(MAX_LINES) {
            write_difference(out, paint, difference)?;
        }
        let more = group.count() - of_group.len().min(MAX_LINES) as u64;
        if more > 0 {
            writeln!(out, "  {}", paint.dim(format!("… and {more} more")))?;
        }
    }
    Ok(())
}

/// The counts of differences of a group.
fn group_text(group: &DiffGroup) -> String {
    let [only_in_a, only_in_b] = group.only_in;
    let counts = [
        (group.changed, "changed"),
        (only_in_a, "only in A"),
        (only_in_b, "only in B"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, how)| format!("{count} {how}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn write_difference(out: &mut impl Write, paint: Paint, difference: &Difference) -> io::Result<()> {
    let sign = match difference.is_in {
        [true, false] => "-",
        [false, true] => "+",
        _ => "~",
    };
    let at = match &difference.at {
        [Some(a), Some(b)] if a == b => format!("  ({a})"),
        [Some(a), Some(b)] => format!("  ({a}; in B {b})"),
        [Some(at), None] | [None, Some(at)] => format!("  ({at})"),
        [None, None] => String::new(),
    };
    let place = format!("{sign} {}", excerpt(&difference.place, 0));
    writeln!(
        out,
        "  {}{}",
        paint.heading(printable(&place)),
        paint.dim(printable(&at))
    )?;
    for field in &difference.fields {
        let text = field_text(field, difference.is_in);
        writeln!(out, "      {}", printable(&text))?;
    }
    Ok(())
}

/// The name of a field and its values in A and B.
fn field_text(field: &FieldChange, is_in: [bool; 2]) -> String {
    let [a, b] = field.texts.clone();
    let same = match (&a, &b) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let from = same.saturating_sub(MAX_CHARS / 4);
    let is_changed = is_in == [true; 2] && a != b;
    let [a, b] = [a, b].map(|text| text.map(|text| excerpt(&text, from).into_owned()));
    let values = if is_changed {
        let said = |text: Option<String>| match text.as_deref() {
            None => "none".to_owned(),
            Some("") => "empty".to_owned(),
            Some(text) => text.to_owned(),
        };
        let [a, b] = [a, b].map(said);
        format!("{a} → {b}")
    } else {
        a.or(b).unwrap_or_default()
    };
    format!("{}: {values}", label(&field.name))
}

/// Returns an excerpt of at most [`MAX_CHARS`] characters, with the total count: corrupt text can
/// have any length.
fn excerpt(text: &str, from: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= MAX_CHARS {
        return text.into();
    }
    let from = from.min(count - MAX_CHARS);
    let shown: String = text.chars().skip(from).take(MAX_CHARS).collect();
    let before = if from > 0 { "…" } else { "" };
    let behind = if from + MAX_CHARS < count { "…" } else { "" };
    format!("{before}{shown}{behind} ({count} characters)").into()
}

/// The name of a field as a label, also if it only has its name in the file.
fn label(name: &str) -> String {
    let name = name.replace('_', " ");
    let mut rest = name.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_values_that_is_shown_in_which_they_differ() {
        let changed = |a: &str, b: &str| {
            let field = FieldChange {
                name: "name".to_owned(),
                key: "name".to_owned(),
                values: [a, b].map(|text| Some(text.into())),
                texts: [a, b].map(|text| Some(text.to_owned())),
            };
            field_text(&field, [true; 2])
        };
        assert_eq!(changed("old", ""), "Name: old → empty");
        let (long, zeros) = ("x".repeat(1000), "\0".repeat(5000));
        let start = "x".repeat(MAX_CHARS);
        let expected = format!("Name: short → {start}… (1000 characters)");
        assert_eq!(changed("short", &long), expected);
        let end = "x".repeat(100);
        let text = changed(&format!("{long}a{zeros}"), &format!("{long}b"));
        let expected = format!("Name: …{end}a{}… (6001 characters) → …", &zeros[..299]);
        assert!(text.starts_with(&expected), "{text}");
        let b = format!("{}b (1001 characters)", &start[1..]);
        assert!(text.ends_with(&b), "{text}");
    }
}
