//! `mapscope render`: a picture of a file, without a window.

use std::fs::{self, File};
use std::io::{self, BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};

use image::{ImageFormat, RgbaImage};

use super::cli::RenderArgs;
use super::headless::{self, Headless, view_of};
use super::output::{self, Tally};
use super::{CommandError, Status, source};
use crate::render::{Renderer, View};
use crate::scene::Document;
use crate::scene::camera::NamedView;
use crate::scene::registry::OpenOptions;

pub(super) fn run(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    if args.picture.look.view == Some(NamedView::Flat) {
        return run_flat(args, options);
    }
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
    let clip = view.shown.playhead.clip;
    for (frame, path) in pictures(args, document, clip)? {
        if let Some(frame) = frame {
            view.shown.playhead.frame = frame as f32;
        }
        draw(&view, &path)?;
    }
    Ok(finish(args, document))
}

/// Draws a 2D map at 1:1, for which there need be no graphics adapter.
fn run_flat(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let opened = source::open(&args.file, options)?;
    let document = &*opened.document;
    headless::flat_size(document)?;
    let mut shown = headless::shown_of(&args.picture.look, document)?;
    shown.flat = true;
    for (frame, path) in pictures(args, document, shown.playhead.clip)? {
        if let Some(frame) = frame {
            shown.playhead.frame = frame as f32;
        }
        if let Some(picture) = document.flat(&shown) {
            write_whole(&path, |out| {
                picture.write_png(out).map_err(io::Error::other)
            })?;
        }
    }
    Ok(finish(args, document))
}

/// The files that are to be written, each with the frame that it shows if it is not the one that
/// the arguments ask for.
fn pictures(
    args: &RenderArgs,
    document: &dyn Document,
    clip: Option<usize>,
) -> Result<Vec<(Option<u32>, PathBuf)>, CommandError> {
    let Some(frames) = &args.frames else {
        return Ok(vec![(None, args.output.clone())]);
    };
    let pattern = FramePattern::of(&args.output)?;
    let info = clip.and_then(|clip| document.clips().get(clip));
    // All of them are there, or nothing is written.
    headless::check_frame(*frames.end() as f32, info.map_or(0, |clip| clip.frames))?;
    let pictures = frames
        .clone()
        .map(|frame| (Some(frame), pattern.path(frame)));
    Ok(pictures.collect())
}

/// Says what is wrong with the file that was drawn.
fn finish(args: &RenderArgs, document: &dyn Document) -> Status {
    output::note_problems(&args.file, document.problems());
    match Tally::of(document.problems()).errors {
        0 => Status::Done,
        _ => Status::FileErrors,
    }
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
    write_whole(path, |out| {
        // The encoder goes back to where it began.
        let mut png = Cursor::new(Vec::new());
        let encoded = picture.write_to(&mut png, ImageFormat::Png);
        encoded.map_err(io::Error::other)?;
        out.write_all(png.get_ref())
    })
}

/// Writes a file, whole or not at all.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CommandError> {
    replace_file(path, write).map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}

fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let write_to = |path: &Path| {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()
    };
    // A device or a pipe cannot be replaced, only written to.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return write_to(path);
    }
    let Some(name) = path.file_name() else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let mut part_name = name.to_owned();
    part_name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(part_name);
    let written = write_to(&part).and_then(|()| fs::rename(&part, path));
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
        let put = |path: &Path, bytes: &[u8]| replace_file(path, |out| out.write_all(bytes));
        put(&path, b"old").unwrap();
        put(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(put(&dir.path().join("no/such.png"), b"x").is_err());
        assert!(put(dir.path(), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
