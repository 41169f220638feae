//! `mapscope bench --suite`: measures files of all formats in several sizes and describes the
//! machine, in one report that a user can send.
//!
//! Each file is written to a temporary folder and measured by `mapscope bench --json` in its own
//! process. First frame and memory are thus those of a fresh program, and a failing driver affects
//! one file, not the whole report.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::{machine, ratios};
use crate::commands::cli::{BenchArgs, GraphicsArgs};
use crate::commands::progress::ProgressLine;
use crate::commands::synthetic::{self, KINDS, Kind};
use crate::commands::{CommandError, Status, info, interrupt, output};
use crate::images::series;
use mapscope_scene::saving::JSON;

/// Number of times each file is opened; the fastest round counts.
const ROUNDS: usize = 3;
/// JSON pointers of figures that are taken from the fastest round.
const FASTEST_ROUND_FIGURES: [&str; 8] = [
    "/open_ms/read",
    "/open_ms/parse",
    "/open_ms/build",
    "/open_ms/upload",
    "/first_frame_ms",
    "/complete_ms",
    "/floor_ms/copy",
    "/floor_ms/empty_frame",
];

/// Measures all files and writes the report.
pub(super) fn run(
    args: &BenchArgs,
    report: &Path,
    graphics: GraphicsArgs,
) -> Result<Status, CommandError> {
    let refused = |error: &dyn std::fmt::Display| {
        CommandError::Argument(format!("--output {}: {error}", report.display()))
    };
    // Check the output before measuring.
    let checked = JSON.check_target(report, &[], false);
    checked.map_err(|error| refused(&error))?;
    interrupt::hold();
    let adapter = info::chosen_adapter(graphics)?;
    let not_written = |path: &Path, source: io::Error| CommandError::Write {
        path: path.to_owned(),
        source,
    };
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|error| not_written(&std::env::temp_dir(), error))?;
    let program = std::env::current_exe();
    let program = program.map_err(|error| {
        CommandError::Argument(format!(
            "--suite: cannot find the path of this program: {error}"
        ))
    })?;
    let measuring = Measuring {
        args,
        graphics,
        folder: folder.path(),
        program,
    };
    let progress = ProgressLine::new();
    let steps = KINDS.iter().flat_map(|kind| {
        kind.suite
            .iter()
            .take(args.sizes)
            .map(move |size| (kind, *size))
    });
    let of = steps.clone().count();
    let mut files = Vec::new();
    let mut failed = Vec::new();
    for (number, (kind, size)) in (1..).zip(steps) {
        let argument = kind.argument(size);
        let go_on = || interrupt::check().map_err(|error| not_written(report, error));
        go_on()?;
        let show = |step: &str| {
            progress.begin_stage();
            progress.show(|| format!("{number} of {of}: {argument}, {step}"));
        };
        let measured = measuring.measure(kind, size, &show);
        // A signal that ends the child process ends this one too.
        go_on()?;
        match measured {
            Ok(measured) => files.push(measured),
            Err(error) => {
                progress.clear();
                output::say(&format!("{argument}: {error}"));
                failed.push(json!({ "file": argument, "error": error }));
            }
        }
    }
    progress.clear();
    let status = if failed.is_empty() {
        Status::Done
    } else {
        Status::Failed
    };
    let whole = json!({
        "mapscope": env!("CARGO_PKG_VERSION"),
        "profile": if cfg!(debug_assertions) { "debug" } else { "release" },
        "machine": machine::machine(),
        "adapter": adapter,
        "size": args.image.size(),
        "frames": args.frames(),
        "rounds": ROUNDS,
        "files": files,
        "failed": failed,
    });
    let written = series::write_atomically(report, &interrupt::check, &mut |out| {
        writeln!(out, "{whole:#}")
    });
    written.map_err(|error| not_written(report, error))?;
    Ok(status)
}

/// Parameters of the measurement.
struct Measuring<'a> {
    args: &'a BenchArgs,
    graphics: GraphicsArgs,
    /// Folder for the files.
    folder: &'a Path,
    /// The path of this program.
    program: PathBuf,
}

impl Measuring<'_> {
    /// Synthesises and measures a file. `show` displays the current step.
    fn measure(&self, kind: &Kind, size: &str, show: &dyn Fn(&str)) -> Result<Value, String> {
        show("generating the file");
        let argument = kind.argument(size);
        let file = self.make(&argument)?;
        show("measuring frames");
        let frames = self.args.frames().to_string();
        let mut measured = self.bench(&file, &["--all-views", "--frames", &frames])?;
        for round in 2..=ROUNDS {
            show(&format!("opening the file, {round} of {ROUNDS}"));
            let again = self.bench(&file, &["--frames", "1"])?;
            keep_fastest(&mut measured, &again);
        }
        measured["ratios"] = ratios(&measured);
        // The argument instead of the temporary path.
        measured["file"] = argument.into();
        measured["count"] = kind.count(size).into();
        measured["unit"] = kind.unit.into();
        std::fs::remove_file(file).map_err(|error| error.to_string())?;
        Ok(measured)
    }

    /// Writes the synthetic file that an argument names, and the files that it references.
    fn make(&self, argument: &str) -> Result<PathBuf, String> {
        let source = synthetic::source_of(Path::new(argument));
        let source = source.ok_or("no such synthetic file")?;
        let source = source.map_err(|error| error.to_string())?;
        let path = self.folder.join(&source.path);
        let write = |path: &Path, bytes: &[u8]| {
            let folder = path.parent().unwrap_or(self.folder);
            std::fs::create_dir_all(folder)?;
            std::fs::write(path, bytes)
        };
        let named = source.embedded.iter();
        let named = named.map(|(name, bytes)| (self.folder.join(name), *bytes));
        let all = named.chain([(path.clone(), &*source.bytes)]);
        let written: io::Result<()> = { all }.try_for_each(|(path, bytes)| write(&path, bytes));
        written.map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// The output of `mapscope bench --json` for a file.
    fn bench(&self, file: &Path, more: &[&str]) -> Result<Value, String> {
        let mut command = Command::new(&self.program);
        command.args(["bench", "--json", "--textures"]);
        command.arg(self.folder).args(more);
        let [width, height] = self.args.image.size();
        command.args(["--size", &format!("{width}x{height}")]);
        let backend = self
            .graphics
            .backend
            .and_then(|name| name.to_possible_value());
        let samples = self
            .graphics
            .msaa
            .and_then(|count| count.to_possible_value());
        for (option, value) in [("--backend", backend), ("--msaa", samples)] {
            if let Some(value) = value {
                command.args([option, value.get_name()]);
            }
        }
        let output = command.arg("--").arg(file).output();
        let output = output.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("{}: {}", output.status, said.trim()))
    }
}

/// Replaces figures by those of another round if they are smaller.
fn keep_fastest(measured: &mut Value, again: &Value) {
    let first_frame = |of: &Value| of["first_frame_ms"].as_f64();
    if first_frame(again) < first_frame(measured) {
        measured["start_ms"] = again["start_ms"].clone();
    }
    for pointer in FASTEST_ROUND_FIGURES {
        let figure = |of: &Value| of.pointer(pointer).and_then(Value::as_f64);
        if let (Some(last), Some(next)) = (figure(measured), figure(again))
            && next < last
            && let Some(kept) = measured.pointer_mut(pointer)
        {
            *kept = next.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_rounds_the_smaller_figures_are_kept() {
        let round = |read: f64, copy: f64| {
            json!({
                "open_ms": { "read": read },
                "floor_ms": { "copy": copy },
                "first_frame_ms": copy,
                "start_ms": copy,
                "frames": read,
            })
        };
        let mut measured = round(2.0, 3.0);
        keep_fastest(&mut measured, &round(1.0, 4.0));
        assert_eq!(measured, {
            let mut expected = round(1.0, 3.0);
            expected["frames"] = json!(2.0);
            expected
        });
    }
}
