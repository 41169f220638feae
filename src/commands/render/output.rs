//! Where images go: to files that may be written, or to standard output.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use super::{Painter, Shot};
use crate::animated_image::{AnimationFormat, AnimationInfo, DEFAULT_FPS, MAX_FRAME_PX};
use crate::commands::cli::RenderArgs;
use crate::commands::{CommandError, interrupt};
use mapscope_scene::Document;
use mapscope_scene::saving::{self, FileKind, PNG, SaveError};

/// What the images become.
#[derive(Debug, PartialEq)]
pub(super) enum Destination {
    /// A PNG each.
    Images(Vec<PathBuf>),
    /// One file, or standard output.
    Animation(AnimationFormat, PathBuf),
    /// Their bytes on standard output.
    Raw,
}

/// What is known of where images go.
#[derive(Debug)]
pub(super) struct Output<'a> {
    args: &'a RenderArgs,
    /// The files that the document was read from.
    read: Vec<PathBuf>,
}

impl Destination {
    /// Where so many images go.
    ///
    /// # Errors
    /// When one of them may not be written there.
    pub(super) fn new(
        args: &RenderArgs,
        shots: &[Shot],
        output: &Output<'_>,
    ) -> Result<Self, CommandError> {
        let path = &args.output;
        let destination = Self::of(args, shots, output)?;
        if args.fps.is_some() && !matches!(destination, Self::Animation(..)) {
            return Err(CommandError::Argument(format!(
                "--fps is for animations, and this is none: expected a name such as a.apng or a.gif, \
                 not {}",
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
        let is_one =
            args.frames.is_none() && args.turntable.is_none() && args.camera_path.is_none();
        if is_one && AnimationFormat::of(path).is_none() {
            output.check(path, PNG)?;
            return Ok(Self::Images(vec![path.clone()]));
        }
        let is_pattern = path.to_str().is_some_and(|path| path.contains('%'));
        let format = AnimationFormat::of(path).or(is_stdout(path).then_some(AnimationFormat::Apng));
        if let Some(format) = format.filter(|_| !is_pattern) {
            output.check(path, format.file_kind())?;
            return Ok(Self::Animation(format, path.clone()));
        }
        let pattern = FramePattern::of(path)?;
        let paths = shots.iter().map(|shot| {
            let path = pattern.path(shot.number);
            output.check(&path, PNG)?;
            Ok(path)
        });
        Ok(Self::Images(paths.collect::<Result<_, CommandError>>()?))
    }
}

impl<'a> Output<'a> {
    pub(super) fn new(args: &'a RenderArgs, document: &dyn Document) -> Self {
        let read = saving::files_read(&args.file, document);
        Self { args, read }
    }

    /// Makes sure that a file of a kind may be written there, before the work of drawing it.
    fn check(&self, path: &Path, kind: FileKind) -> Result<(), CommandError> {
        if is_stdout(path) {
            if io::stdout().is_terminal() {
                return Err(CommandError::Argument(
                    "--output -: standard output is a terminal; expected a file or a pipe"
                        .to_owned(),
                ));
            }
            return Ok(());
        }
        let checked = kind.check_target(path, &self.read, self.args.force);
        checked.map_err(|error| {
            let hint = match error {
                SaveError::OtherKind(_) => " (--force replaces it)",
                SaveError::Ending(_) => ", or of an animation in .apng or .gif",
                _ => "",
            };
            CommandError::Argument(format!("--output {}: {error}{hint}", path.display()))
        })
    }

    /// Draws all images and writes them.
    pub(super) fn write_shots(
        &self,
        destination: &Destination,
        shots: &[Shot],
        painter: &mut dyn Painter,
    ) -> Result<(), CommandError> {
        interrupt::hold();
        let progress = Steps::new(shots.len());
        match destination {
            Destination::Images(paths) => {
                for (number, (shot, path)) in shots.iter().zip(paths).enumerate() {
                    progress.say(number);
                    self.write(path, PNG, |out| painter.write_png(shot, out))?;
                }
            }
            Destination::Animation(format, path) => {
                let info = self.info(shots, painter)?;
                self.write(path, format.file_kind(), |out| {
                    // The reason is kept as it is, which an error of the system could not be.
                    let mut reason = None;
                    let written = format.write(out, info, &mut |number| {
                        progress.say(number as usize);
                        let mut pixels = Vec::new();
                        let shot = shots.get(number as usize);
                        let shot = shot.ok_or(io::ErrorKind::UnexpectedEof)?;
                        let drawn = painter.draw(shot, &mut |rows| {
                            interrupt::check()?;
                            pixels.extend_from_slice(rows);
                            Ok(())
                        });
                        drawn.map_err(|error| {
                            let text = error.to_string();
                            reason = Some(error);
                            io::Error::other(text)
                        })?;
                        Ok(pixels)
                    });
                    written.map_err(|error| reason.take().unwrap_or(error.into()))
                })?;
            }
            Destination::Raw => {
                let mut out = BufWriter::new(io::stdout().lock());
                for (number, shot) in shots.iter().enumerate() {
                    progress.say(number);
                    painter.draw(shot, &mut |rows| {
                        interrupt::check()?;
                        out.write_all(rows)
                    })?;
                }
                out.flush()?;
            }
        }
        Ok(())
    }

    /// What an animation of some images is like.
    fn info(&self, shots: &[Shot], painter: &dyn Painter) -> Result<AnimationInfo, CommandError> {
        let [width, height] = painter.size();
        if width.saturating_mul(height) > MAX_FRAME_PX {
            return Err(CommandError::Argument(format!(
                "--output {}: {width}x{height} is too large for an animation, each frame of which \
                 is in memory; write images with a name such as a_%03d.png",
                self.args.output.display()
            )));
        }
        Ok(AnimationInfo {
            size: [width as u32, height as u32],
            frames: shots.len() as u32,
            fps: self.args.fps.unwrap_or(DEFAULT_FPS),
        })
    }

    /// Writes a file of a kind, whole or not at all.
    fn write(
        &self,
        path: &Path,
        kind: FileKind,
        write: impl FnOnce(&mut dyn Write) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        if is_stdout(path) {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        self.check(path, kind)?;
        let mut reason = None;
        let written = saving::write_whole(path, |out| {
            let written = write(&mut Interruptible(out));
            written.map_err(|error| match error {
                CommandError::Output(error) => error,
                error => {
                    let text = error.to_string();
                    reason = Some(error);
                    io::Error::other(text)
                }
            })
        });
        written.map_err(|source| {
            let path = path.to_owned();
            reason.unwrap_or(CommandError::Write { path, source })
        })
    }
}

/// A file that takes nothing more after Ctrl+C.
struct Interruptible<'a>(&'a mut dyn Write);

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        interrupt::check()?;
        self.0.flush()
    }
}

/// How many images are there, said on a terminal.
struct Steps {
    of: usize,
}

impl Steps {
    fn new(of: usize) -> Self {
        let is_said = of > 1 && io::stderr().is_terminal();
        Self {
            of: if is_said { of } else { 0 },
        }
    }

    fn say(&self, done: usize) {
        if self.of > 0 {
            // Whoever closed standard error does not want to know.
            let _unheard = write!(io::stderr(), "\r{done} of {} images", self.of);
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if self.of > 0 {
            // What was said is wiped out again.
            let _unheard = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// The names of a sequence of images: a path with one `%d`, or `%03d` for three digits.
#[derive(Debug, PartialEq, Eq)]
struct FramePattern<'a> {
    before: &'a str,
    digits: usize,
    after: &'a str,
}

impl<'a> FramePattern<'a> {
    fn of(output: &'a Path) -> Result<Self, CommandError> {
        let text = output.to_str().unwrap_or_default();
        let parsed = text.split_once('%').and_then(|(before, rest)| {
            let (digits, after) = rest.split_once('d')?;
            let digits = match digits {
                "" => 0,
                // More than a number of 32 bits has would only be zeros.
                _ => digits.parse().ok().filter(|digits| *digits <= 10)?,
            };
            let pattern = Self {
                before,
                digits,
                after,
            };
            (!after.contains('%')).then_some(pattern)
        });
        parsed.ok_or_else(|| {
            CommandError::Argument(format!(
                "--output {}: these are several images; expected a name with one place for the \
                 number of each, such as walk_%03d.png, or that of an animation, such as walk.apng \
                 or walk.gif",
                output.display()
            ))
        })
    }

    fn path(&self, frame: u32) -> PathBuf {
        let Self {
            before,
            digits,
            after,
        } = self;
        format!("{before}{frame:0digits$}{after}").into()
    }
}

/// Whether an argument stands for standard output.
fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_of_a_sequence_have_numbers() {
        let path = |pattern: &'static str, frame| {
            let pattern = FramePattern::of(Path::new(pattern));
            pattern.map(|pattern| pattern.path(frame)).ok()
        };
        assert_eq!(path("a/walk_%03d.png", 7), Some("a/walk_007.png".into()));
        assert_eq!(path("%d.png", 1234), Some("1234.png".into()));
        assert_eq!(path("%2d.png", 123), Some("123.png".into()));
        for none in ["walk.png", "%x.png", "%03d_%03d.png", "%-3d", "%", "%99d"] {
            assert_eq!(path(none, 0), None, "{none}");
        }
    }
}
