//! Destination of images: output files or standard output.

use std::cell::Cell;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use super::{Painter, Shot};
use crate::commands::cli::RenderArgs;
use crate::commands::target::{self, is_stdout};
use crate::commands::{CommandError, interrupt};
use crate::images::animation::{AnimationFormat, DEFAULT_FPS};
use crate::images::series::{self, Destination, FramePattern, SeriesObserver};
use mapscope_scene::Document;
use mapscope_scene::saving::{self, FileKind, PNG};

/// The form in which images are written.
#[derive(Debug, PartialEq)]
pub(super) enum OutputForm {
    /// Files, or one file on standard output.
    Files(Destination),
    /// Raw pixels on standard output.
    Raw,
}

/// Arguments and input files that determine where images may be written.
#[derive(Debug)]
pub(super) struct Output<'a> {
    args: &'a RenderArgs,
    /// The input files of the document.
    read: Vec<PathBuf>,
}

impl OutputForm {
    /// Chooses the destination of the given shots.
    ///
    /// # Errors
    /// If one of them may not be written there.
    pub(super) fn new(
        args: &RenderArgs,
        shots: &[Shot],
        output: &Output<'_>,
    ) -> Result<Self, CommandError> {
        let path = &args.output;
        let destination = Self::of(args, shots, output)?;
        if args.fps.is_some() && !matches!(destination, Self::Files(Destination::Animation(..))) {
            return Err(CommandError::Argument(format!(
                "--fps needs an animation: expected a name such as a.apng or a.gif, found {}",
                path.display()
            )));
        }
        Ok(destination)
    }

    fn of(args: &RenderArgs, shots: &[Shot], output: &Output<'_>) -> Result<Self, CommandError> {
        let path = &args.output;
        if args.raw {
            if !is_stdout(path) {
                return Err(CommandError::Argument(format!(
                    "--output {}: --raw writes to standard output; expected `-o -`",
                    path.display()
                )));
            }
            output.check(path, PNG)?;
            return Ok(Self::Raw);
        }
        let is_animation = AnimationFormat::of(path).is_some();
        let has_ending = |path: &Path| {
            let ending = path.extension();
            ending.is_some_and(|ending| ending.eq_ignore_ascii_case(PNG.ending))
        };
        let is_one =
            args.frames.is_none() && args.turntable.is_none() && args.camera_path.is_none();
        if is_one && !(is_animation && shots.len() > 1) {
            if is_animation {
                return Err(CommandError::Argument(format!(
                    "--output {}: an animation needs several images; expected --frames, \
                     --turntable or --camera-path, or a name that ends in .png",
                    path.display()
                )));
            }
            // Devices and pipes have no extension.
            let is_file = path.is_file() || !path.exists();
            if is_file && !is_stdout(path) && !has_ending(path) {
                return Err(CommandError::Argument(format!(
                    "--output {}: expected a name that ends in .png, or in .apng or .gif for an animation",
                    path.display()
                )));
            }
            output.check(path, PNG)?;
            return Ok(Self::Files(Destination::Images(vec![path.clone()])));
        }
        let is_pattern = path.to_str().is_some_and(|path| path.contains('%'));
        let format = AnimationFormat::of(path).or(is_stdout(path).then_some(AnimationFormat::Apng));
        if let Some(format) = format.filter(|_| !is_pattern) {
            output.check(path, format.file_kind())?;
            let animation = Destination::Animation(format, path.clone());
            return Ok(Self::Files(animation));
        }
        let pattern = FramePattern::of(path).ok_or_else(|| {
            CommandError::Argument(format!(
                "--output {}: there are several images; expected a name with one placeholder for \
                 the number, such as walk_%03d.png, or the name of an animation, such as walk.apng \
                 or walk.gif",
                path.display()
            ))
        })?;
        if !has_ending(path) {
            return Err(CommandError::Argument(format!(
                "--output {}: numbered images are PNG files; expected a name that ends in .png, \
                 or a name without a placeholder that ends in .apng or .gif",
                path.display()
            )));
        }
        let paths = shots.iter().map(|shot| {
            let path = pattern.path(shot.number);
            output.check(&path, PNG)?;
            Ok(path)
        });
        let paths = paths.collect::<Result<_, CommandError>>()?;
        Ok(Self::Files(Destination::Images(paths)))
    }
}

impl<'a> Output<'a> {
    pub(super) fn new(args: &'a RenderArgs, document: &dyn Document) -> Self {
        let read = saving::files_read(&args.file, document);
        Self { args, read }
    }

    /// Checks that a file of a kind may be written, before it is drawn.
    fn check(&self, path: &Path, kind: FileKind) -> Result<(), CommandError> {
        target::check(path, kind, &self.read, self.args.force)
    }

    /// Draws all images and writes them.
    pub(super) fn write_shots(
        &self,
        written: &OutputForm,
        shots: &[Shot],
        painter: &mut dyn Painter,
    ) -> Result<(), CommandError> {
        if let OutputForm::Files(destination) = written {
            for path in destination.paths() {
                target::defer_interrupts_for(path);
            }
        }
        let writing = Writing {
            output: self,
            steps: StepProgress::new(shots.len()),
        };
        match written {
            OutputForm::Files(destination) => {
                if let Destination::Animation(_, path) = destination {
                    series::check_frame_size(painter.size()).map_err(|why| {
                        CommandError::Argument(format!("--output {}: {why}", path.display()))
                    })?;
                }
                let fps = self.args.fps.unwrap_or(DEFAULT_FPS);
                destination.write(shots, fps, painter, &writing)
            }
            OutputForm::Raw => {
                let mut out = BufWriter::new(io::stdout().lock());
                for (number, shot) in shots.iter().enumerate() {
                    let drawn = painter.draw(shot, &mut |rows| {
                        writing.report(number as f32)?;
                        out.write_all(rows)
                    });
                    drawn.map_err(restore_command_error)?;
                }
                Ok(out.flush()?)
            }
        }
    }
}

/// Writes images as the arguments request.
struct Writing<'a> {
    output: &'a Output<'a>,
    steps: StepProgress,
}

impl SeriesObserver for Writing<'_> {
    type Error = CommandError;

    fn report(&self, done: f32) -> io::Result<()> {
        self.steps.say(done as usize);
        interrupt::check()
    }

    fn write(
        &self,
        path: &Path,
        kind: FileKind,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        if is_stdout(path) {
            let mut out = BufWriter::new(io::stdout().lock());
            saving::preserving_error(&mut out, write).map_err(restore_command_error)?;
            return Ok(out.flush()?);
        }
        self.output.check(path, kind)?;
        let written = series::write_atomically(path, &interrupt::check, write);
        written.map_err(|error| match restore_command_error(error) {
            CommandError::Output(source) => {
                let path = path.to_owned();
                CommandError::Write { path, source }
            }
            error => error,
        })
    }
}

/// Restores a command error that was passed as an I/O error.
fn restore_command_error(error: io::Error) -> CommandError {
    error.downcast().unwrap_or_else(CommandError::Output)
}

/// Progress in images, printed on a terminal.
struct StepProgress {
    of: usize,
    /// The number that was printed last.
    last_printed: Cell<Option<usize>>,
}

impl StepProgress {
    fn new(of: usize) -> Self {
        let is_said = of > 1 && io::stderr().is_terminal();
        Self {
            of: if is_said { of } else { 0 },
            last_printed: Cell::default(),
        }
    }

    fn say(&self, done: usize) {
        if self.of > 0 && self.last_printed.replace(Some(done)) != Some(done) {
            // Ignore a closed standard error: the user does not want the message.
            let _ignored = write!(io::stderr(), "\r{done} of {} images", self.of);
        }
    }
}

impl Drop for StepProgress {
    fn drop(&mut self) {
        if self.of > 0 {
            // Erase the progress line.
            let _ignored = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
