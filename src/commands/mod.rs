//! The command line and the commands without a window: `info`, `check`, `diff`, `render`, `bench`,
//! `export`, `extract` and `convert`.
//!
//! Output meant for machines goes to standard output, everything else to standard error.

#[cfg(feature = "gpu")]
mod bench;
mod check;
mod cli;
mod convert;
mod diff;
#[cfg(feature = "gpu")]
mod diff_picture;
mod export;
mod extract;
#[cfg(feature = "gpu")]
mod headless;
mod info;
mod interrupt;
mod json;
mod log;
mod output;
mod progress;
mod render;
mod schema;
mod source;
mod synthetic;
mod target;
#[cfg(feature = "gpu")]
mod thumbnail;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use thiserror::Error;

use mapscope_formats::{Problem, Tally};
#[cfg(feature = "gpu")]
use mapscope_render::{GpuError, UploadError};
use mapscope_scene::diff::DiffError;
use mapscope_scene::{Document, Layers, OpenError, OpenOptions, system_reason};

#[cfg(feature = "gpu")]
pub use cli::ViewScript;
use cli::display_name;
pub use cli::{
    BackendName, BenchArgs, CheckArgs, Cli, Command, ConvertArgs, DiffArgs, ExportArgs,
    ExtractArgs, GraphicsArgs, HeadlessCommand, ImageArgs, InfoArgs, RenderArgs, ReportFormat,
    SampleCount, ThumbnailArgs, ViewArgs, parse,
};
pub use log::log_to_stderr;
pub use schema::schema;

/// Exit status of a command, ordered from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: done, without errors in the file.
    Done,
    /// 1: the file has errors; for `diff`, the files differ.
    FileErrors,
    /// 2: the command failed.
    Failed,
}

impl Status {
    /// The status of a completed command whose file has these problems.
    fn of(problems: &[Problem]) -> Self {
        match Tally::of(problems).errors {
            0 => Self::Done,
            _ => Self::FileErrors,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// The reason why a command failed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The file was not opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// This build does not include the command or the requested function.
    #[error(
        "this build of Mapscope does not include {what}; build it with the feature `{feature}`"
    )]
    NotBuilt {
        /// The missing function.
        what: &'static str,
        /// The feature that includes it.
        feature: &'static str,
    },
    /// No graphics adapter can draw.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device has no room for the file.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Upload(#[from] UploadError),
    /// The graphics device failed.
    #[cfg(feature = "gpu")]
    #[error("the graphics device failed: {0}")]
    Device(String),
    /// An argument that is invalid only in combination with the file or the device.
    #[error("{0}")]
    Argument(String),
    /// The conversion would lose data.
    #[error(
        "{}: not written, because data would be lost (--lossy writes it anyway)", .path.display()
    )]
    Loss {
        /// The file that was not written.
        path: PathBuf,
        /// A sentence for each loss.
        losses: Vec<String>,
    },
    /// The window could not be opened, or had to close.
    #[cfg(feature = "window")]
    #[error("{0}")]
    Window(String),
    /// The two files cannot be compared.
    #[error("{}, {}: {source}", .files[0].display(), .files[1].display())]
    Diff {
        /// The files.
        files: [PathBuf; 2],
        /// The reason.
        source: DiffError,
    },
    /// A file could not be written.
    #[error("{}: {}", .path.display(), system_reason(.source, "file"))]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Standard output could not be written.
    #[error("standard output: {}", system_reason(.0, "file"))]
    Output(#[from] io::Error),
}

impl CommandError {
    /// Adds the name of the file, for a command on several files.
    fn about(self, file: &Path) -> Self {
        match self {
            Self::Argument(text) => Self::Argument(format!("{}: {text}", display_name(file))),
            // Other errors already name the file.
            other => other,
        }
    }

    /// Names the file as in this argument: a pipe has no name of its own.
    fn named(mut self, argument: &Path) -> Self {
        if let Self::Open(OpenError::UnknownFormat { path, .. } | OpenError::Refused { path, .. }) =
            &mut self
        {
            argument.clone_into(path);
        }
        self
    }

    /// The reason without the file name, which has its own key in JSON.
    fn reason(&self) -> String {
        match self {
            Self::Open(OpenError::Read { source, .. }) => system_reason(source, "file"),
            Self::Open(OpenError::Changed { .. }) => {
                "the file changed while it was being read".to_owned()
            }
            Self::Open(OpenError::UnknownFormat { reason, .. }) => reason.clone(),
            error => error.to_string(),
        }
    }

    /// The lines of the message. Text from files and file names never starts a line, whatever it
    /// contains.
    fn lines(&self) -> Vec<String> {
        let text = self.to_string();
        match self {
            // Errors of devices and displays have several lines and contain no file names.
            #[cfg(feature = "gpu")]
            Self::Gpu(_) | Self::Device(_) => text.lines().map(str::to_owned).collect(),
            #[cfg(feature = "window")]
            Self::Window(_) => text.lines().map(str::to_owned).collect(),
            Self::Loss { losses, .. } => {
                let losses = losses.iter().map(|loss| format!("  {loss}"));
                std::iter::once(format!("{text}:")).chain(losses).collect()
            }
            _ => vec![text],
        }
    }

    /// `true` if the reader of standard output has hung up.
    fn is_hang_up(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    fn status(&self) -> Status {
        match self {
            Self::Open(OpenError::Refused { .. }) => Status::FileErrors,
            _ => Status::Failed,
        }
    }
}

/// The layers of a 2D map.
fn layers_of(document: &dyn Document) -> Result<&dyn Layers, CommandError> {
    document.layers().ok_or_else(|| {
        let format = document.about().format.name;
        CommandError::Argument(format!(
            "--view flat needs a 2D map; the format of this file is {format}"
        ))
    })
}

/// Width and height of the flat image of a map, in pixels.
///
/// # Errors
/// If no layer reaches into the image, which starts at the point 0,0 of the map.
fn flat_size_of(layers: &dyn Layers) -> Result<[u64; 2], CommandError> {
    let size = layers.flat_size();
    let tile = layers.tile_px().map(|tile| tile.map(u64::from));
    if size.contains(&1) && tile != Some(size) {
        let why = "the image is empty: all layers end left of x 0 or above y 0";
        return Err(CommandError::Argument(why.to_owned()));
    }
    Ok(size)
}

/// Runs a command with the given graphics options. `started` is the start of the process.
#[cfg_attr(
    not(feature = "gpu"),
    expect(unused_variables, reason = "only `bench` reports the start")
)]
/// # Errors
/// If the command fails.
pub fn run(
    command: HeadlessCommand,
    options: &OpenOptions,
    graphics: GraphicsArgs,
    started: Instant,
) -> Result<Status, CommandError> {
    match command {
        HeadlessCommand::Info(args) => info::run(&args, options, graphics),
        HeadlessCommand::Check(args) => check::run(&args, options),
        HeadlessCommand::Diff(args) => diff::run(&args, options, graphics),
        HeadlessCommand::Export(args) => export::run(&args, options),
        HeadlessCommand::Extract(args) => extract::run(&args, options),
        HeadlessCommand::Convert(args) => convert::run(&args, options),
        HeadlessCommand::Render(mut args) => {
            let request = &args.image.request;
            let options = source::with_entities(&mut args.file, request, options)?;
            render::run(&args, &options, graphics)
        }
        #[cfg(feature = "gpu")]
        HeadlessCommand::Bench(args) => bench::run(args, options, graphics, started),
        #[cfg(not(feature = "gpu"))]
        HeadlessCommand::Bench(_) => Err(CommandError::NotBuilt {
            what: "`bench`",
            feature: "gpu",
        }),
        #[cfg(feature = "gpu")]
        HeadlessCommand::Thumbnail(args) => thumbnail::run(&args, options, graphics.into()),
        #[cfg(not(feature = "gpu"))]
        HeadlessCommand::Thumbnail(_) => Err(CommandError::NotBuilt {
            what: "`thumbnail`",
            feature: "gpu",
        }),
    }
}

/// Reports an error to the user and returns the exit status.
pub fn conclude(result: Result<Status, CommandError>) -> Status {
    result.unwrap_or_else(|error| {
        output::report_error(&error);
        error.status()
    })
}
