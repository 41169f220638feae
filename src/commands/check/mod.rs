//! `mapscope check`: every problem in files, with its place.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::cli::CheckArgs;
use super::output::{self, Paint, Stdout, Tally};
use super::source::{self, Known};
use super::{CommandError, Status};
use mapscope_scene::OpenOptions;

pub(super) fn run(args: &CheckArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let mut out = Stdout::lock();
    let paint = out.paint();
    if args.list_rules {
        list_rules(args.json, paint, &mut out)?;
        out.flush()?;
        return Ok(Status::Done);
    }
    let mut status = Status::Done;
    let mut total = Tally::default();
    let mut unchecked = 0;
    let mut unlisted = 0;
    let mut without_scene = None;
    let mut has_scene = false;
    for file in &args.files {
        let known = match check(file, options, args, paint, &mut out) {
            Ok(known) => known,
            // The other files can be checked all the same.
            Err(error @ (CommandError::Open(_) | CommandError::Argument(_))) => {
                out.flush()?;
                output::report_error(&error);
                status = Status::Failed;
                unchecked += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        // Whoever waits for a file among many, or stops reading, should not wait for all.
        out.flush()?;
        let tally = Tally::of(known.problems());
        total += tally;
        if !args.notes && !args.json {
            unlisted += known.notes().len();
        }
        if tally.errors > 0 {
            status = status.max(Status::FileErrors);
        }
        // Among several files, a map is for those that are scenes.
        match source::refuse_map(file, known.format(), options) {
            Ok(()) => has_scene = true,
            Err(error) => without_scene = Some(error),
        }
    }
    if let Some(error) = without_scene.filter(|_| !has_scene) {
        return Err(error);
    }
    let files = output::counted(args.files.len() - unchecked, "file");
    let notes = match unlisted {
        0 => String::new(),
        _ => format!(
            ", {} (--notes lists them)",
            output::counted(unlisted, "note")
        ),
    };
    output::say(&match unchecked {
        0 => format!("{files}: {total}{notes}"),
        _ => format!("{files}: {total}{notes}; {unchecked} could not be checked"),
    });
    Ok(status)
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

/// Checks a file and writes what is wrong with it.
fn check(
    file: &Path,
    options: &OpenOptions,
    args: &CheckArgs,
    paint: Paint,
    out: &mut impl Write,
) -> Result<Known, CommandError> {
    let known = source::open_or_refused(file, options)?;
    if args.json {
        serde_json::to_writer(&mut *out, &known.keys(file)).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        let notes = if args.notes {
            known.notes()
        } else {
            Vec::new()
        };
        for problem in known.problems().iter().chain(&notes) {
            output::write_problem(out, paint, file, problem)?;
        }
    }
    Ok(known)
}
