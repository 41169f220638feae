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

use super::{machine, ratios};
use crate::commands::cli::{BenchArgs, GraphicsArgs};
use crate::commands::json::{BenchOutput, Profile, SuiteFile, SuiteOutput, Unreadable};
use crate::commands::progress::ProgressLine;
use crate::commands::synthetic::{self, KINDS, Kind};
use crate::commands::{CommandError, Status, info, interrupt, output};
use crate::images::series;
use mapscope_scene::saving::JSON;

/// Number of times each file is opened; the fastest round counts.
const ROUNDS: usize = 3;
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
                failed.push(Unreadable {
                    file: argument,
                    error,
                    at: None,
                });
            }
        }
    }
    progress.clear();
    let status = if failed.is_empty() {
        Status::Done
    } else {
        Status::Failed
    };
    let whole = SuiteOutput {
        mapscope: env!("CARGO_PKG_VERSION"),
        profile: if cfg!(debug_assertions) {
            Profile::Debug
        } else {
            Profile::Release
        },
        machine: machine::machine(),
        adapter,
        size: args.image.size(),
        frames: args.frames(),
        rounds: ROUNDS,
        files,
        failed,
    };
    let written = series::write_atomically(report, &interrupt::check, &mut |out| {
        serde_json::to_writer_pretty(&mut *out, &whole)?;
        writeln!(out)
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
    fn measure(&self, kind: &Kind, size: &str, show: &dyn Fn(&str)) -> Result<SuiteFile, String> {
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
        measured.ratios = ratios(&measured);
        // The argument instead of the temporary path.
        measured.file = argument;
        std::fs::remove_file(file).map_err(|error| error.to_string())?;
        Ok(SuiteFile {
            measured,
            count: kind.count(size),
            unit: kind.unit,
        })
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
    fn bench(&self, file: &Path, more: &[&str]) -> Result<BenchOutput, String> {
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
fn keep_fastest(measured: &mut BenchOutput, again: &BenchOutput) {
    if again.first_frame_ms < measured.first_frame_ms {
        measured.start_ms = again.start_ms.clone();
        measured.first_frame_ms = again.first_frame_ms;
    }
    let (open, next) = (&mut measured.open_ms, &again.open_ms);
    open.read = open.read.min(next.read);
    open.parse = open.parse.min(next.parse);
    open.build = open.build.min(next.build);
    open.upload = open.upload.min(next.upload);
    let faster = |last: &mut Option<f64>, next: Option<f64>| {
        *last = last.zip(next).map(|(last, next)| last.min(next)).or(*last);
    };
    faster(&mut measured.complete_ms, again.complete_ms);
    let (floor, next) = (&mut measured.view.floor_ms, &again.view.floor_ms);
    faster(&mut floor.copy, next.copy);
    faster(&mut floor.empty_frame, next.empty_frame);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_two_rounds_the_smaller_figures_are_kept() {
        let round = |read: f64, copy: f64| -> BenchOutput {
            let start = json!({"opened": copy, "device": copy, "uploaded": copy});
            let report = json!({
                "file": "", "format": "pfmap", "bytes": 1, "size": [1, 1], "adapter": "",
                "samples": 1, "frames": 1, "ratios": {}, "triangles": 0, "draw_calls": 0,
                "gpu_bytes": 0, "cpu_bytes": 0, "target_bytes": 0, "gpu_ms": null,
                "open_ms": {"read": read, "parse": 1.0, "build": 1.0, "upload": 1.0},
                "start_ms": start,
                "first_frame_ms": copy,
                "frame_ms": {"median": read, "min": read, "max": read},
                "floor_ms": {"clear": 1.0, "textured_quad": 1.0, "copy": copy},
                "shadow_map": {"draw_calls": 0, "triangles": 0},
            });
            serde_json::from_value(report).unwrap()
        };
        let mut measured = round(2.0, 3.0);
        keep_fastest(&mut measured, &round(1.0, 4.0));
        assert_eq!(measured.open_ms.read, 1.0);
        assert_eq!(measured.view.floor_ms.copy, Some(3.0));
        assert_eq!(
            (measured.first_frame_ms, measured.start_ms.opened),
            (3.0, 3.0)
        );
        assert_eq!(measured.view.frame_ms.median, 2.0);
        keep_fastest(&mut measured, &round(3.0, 2.0));
        assert_eq!(
            (measured.first_frame_ms, measured.start_ms.opened),
            (2.0, 2.0)
        );
    }
}
