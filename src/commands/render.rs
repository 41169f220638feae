//! `mapscope render`: a picture of a file, without a window.

use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use image::{ImageFormat, RgbaImage};

use super::cli::RenderArgs;
use super::headless::{self, Headless, view_of};
use super::output::{self, Tally};
use super::{CommandError, Status};
use crate::render::{Renderer, View};
use crate::scene::registry::OpenOptions;

pub(super) fn run(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let (opened, headless) = headless::open(&args.file, options, &args.picture)?;
    let document = &*opened.document;
    let Headless { gpu, target, .. } = &headless;
    let mut renderer = Renderer::new(gpu);
    let mut scene = renderer.upload(gpu, document)?;
    let mut view = view_of(&args.picture, document, target.aspect())?;
    let mut draw = |view: &View, output: &Path| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let shown = Some((&mut scene, document));
        renderer.draw(gpu, &mut encoder, target, shown, view);
        gpu.queue.submit([encoder.finish()]);
        let picture = target.read_back(gpu).map_err(CommandError::Device)?;
        headless.check()?;
        write_picture(output, &picture)
    };
    match &args.frames {
        None => draw(&view, &args.output)?,
        Some(frames) => {
            let pattern = FramePattern::of(&args.output)?;
            let clip = view.shown.playhead.clip;
            let info = clip.and_then(|clip| document.clips().get(clip));
            // All of them are there, or nothing is written.
            headless::check_frame(*frames.end() as f32, info.map_or(0, |clip| clip.frames))?;
            for frame in frames.clone() {
                view.shown.playhead.frame = frame as f32;
                draw(&view, &pattern.path(frame))?;
            }
        }
    }
    output::note_problems(&args.file, document.problems());
    Ok(match Tally::of(document.problems()).errors {
        0 => Status::Done,
        _ => Status::FileErrors,
    })
}

/// The names of a sequence of pictures: a path with one `%d`, or `%03d` for three digits.
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
                "--output {}: --frames writes several pictures; expected a name with one place \
                 for the number of the frame, such as walk_%03d.png",
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

/// Writes a PNG, whole or not at all.
fn write_picture(path: &Path, picture: &RgbaImage) -> Result<(), CommandError> {
    let error = |source| CommandError::Write {
        path: path.to_owned(),
        source,
    };
    let mut png = Cursor::new(Vec::new());
    picture
        .write_to(&mut png, ImageFormat::Png)
        .map_err(|e| error(io::Error::other(e)))?;
    replace_file(path, &png.into_inner()).map_err(error)
}

fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device or a pipe cannot be replaced, only written to.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return fs::write(path, bytes);
    }
    let Some(name) = path.file_name() else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let mut part_name = name.to_owned();
    part_name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(part_name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // There may be nothing to remove; the first error is the one that matters.
        let _gone = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_of_a_sequence_have_numbers() {
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

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("größe.png");
        replace_file(&path, b"old").unwrap();
        replace_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(replace_file(&dir.path().join("no/such.png"), b"x").is_err());
        assert!(replace_file(dir.path(), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
