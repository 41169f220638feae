//! `mapscope render`: an image of a file, without a window.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use super::cli::RenderArgs;
use super::{CommandError, Status, layers_of, output, source};
use crate::view_request::check_frame;
use mapscope_scene::camera::NamedView;
use mapscope_scene::saving::{self, PNG, SaveError};
use mapscope_scene::{Animation, Document, OpenOptions, OverlayId};

pub(super) fn run(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    if args.image.request.view == Some(NamedView::Flat) {
        run_flat(args, options)
    } else {
        run_on_gpu(args, options)
    }
}

#[cfg(not(feature = "gpu"))]
fn run_on_gpu(_: &RenderArgs, _: &OpenOptions) -> Result<Status, CommandError> {
    Err(CommandError::NotBuilt {
        what: "images but those of 2D maps with --view flat",
        feature: "gpu",
    })
}

/// Draws a file with a graphics adapter.
#[cfg(feature = "gpu")]
fn run_on_gpu(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    use super::headless::{self, Headless, view_of};
    use mapscope_render::{Renderer, View};

    let (opened, headless) = headless::open(&args.file, options, &args.image)?;
    let document = &*opened.document;
    let output = Output::new(args, document);
    let Headless { gpu, target, .. } = &headless;
    let mut image = args.image.clone();
    // A demo is seen from where it looks best, as in the window, unless it is said otherwise.
    let request = &mut image.request;
    if let Some(demo) = source::demo_of(&args.file)?
        && !demo.is_flat
        && request.view.is_none()
        && request.camera.is_none()
    {
        request.camera = Some(demo.first_pose);
    }
    let mut view = view_of(&image, document, target.aspect())?;
    let images = images(args, document, view.shown.playhead.clip, &output)?;
    let mut renderer = Renderer::new(gpu);
    let mut scene = renderer.upload(gpu, document)?;
    let mut draw = |view: &View, path: &Path| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let shown = Some((&mut scene, document));
        renderer.draw(gpu, &mut encoder, target, shown, view);
        gpu.queue.submit([encoder.finish()]);
        let image = target.read_back(gpu).map_err(CommandError::Device)?;
        headless.check()?;
        output.write(path, |out| write_png(out, &image))
    };
    for (frame, path) in images {
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
    let layers = layers_of(document)?;
    check_flat(args, layers.flat_size())?;
    let asked = args.image.request.shown(document);
    let mut shown = asked.map_err(CommandError::Argument)?;
    shown.flat = true;
    let output = Output::new(args, document);
    for (frame, path) in images(args, document, shown.playhead.clip, &output)? {
        if let Some(frame) = frame {
            shown.playhead.frame = frame as f32;
        }
        let image = layers.flat(&shown);
        output.write(&path, |out| image.write_png(out).map_err(io::Error::other))?;
    }
    Ok(finish(args, document))
}

/// Refuses what an image of a whole map at 1:1 cannot follow.
fn check_flat(args: &RenderArgs, [width, height]: [u64; 2]) -> Result<(), CommandError> {
    let refused = if args.image.size.is_some() {
        format!(
            "--size: with --view flat a pixel of the map is one of the image, which is as large \
             as the map, {width}x{height}; leave it out, or use --view top"
        )
    } else if args.image.projection.is_some() {
        "--projection: --view flat has none; leave it out, or use --view top".to_owned()
    } else if args.image.request.asks_for(OverlayId::PixelGrid) {
        "--overlay pixel-grid: with --view flat a pixel of the map is one of the image, which \
         leaves no room for lines between them"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(CommandError::Argument(refused))
}

/// The files that are to be written, each with the frame that it shows if it is not the one that
/// the arguments ask for.
fn images(
    args: &RenderArgs,
    document: &dyn Document,
    clip: Option<usize>,
    output: &Output<'_>,
) -> Result<Vec<(Option<u32>, PathBuf)>, CommandError> {
    let Some(frames) = &args.frames else {
        output.check(&args.output)?;
        return Ok(vec![(None, args.output.clone())]);
    };
    let pattern = FramePattern::of(&args.output)?;
    let clips = document.animation().map_or(&[][..], Animation::clips);
    let info = clip.and_then(|clip| clips.get(clip));
    // All of them are there, or nothing is written.
    let checked = check_frame(*frames.end() as f32, info.map_or(0, |clip| clip.frames));
    checked.map_err(CommandError::Argument)?;
    let images = frames.clone().map(|frame| {
        let path = pattern.path(frame);
        output.check(&path)?;
        Ok((Some(frame), path))
    });
    images.collect()
}

/// Says what is wrong with the file that was drawn.
fn finish(args: &RenderArgs, document: &dyn Document) -> Status {
    let problems = &document.about().problems;
    output::note_problems(&args.file, problems);
    Status::of(problems)
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
                "--output {}: --frames writes several images; expected a name with one place \
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

/// Where images go: to files that may be written, or to standard output.
#[derive(Debug)]
struct Output<'a> {
    args: &'a RenderArgs,
    /// The files that the document was read from.
    read: Vec<PathBuf>,
}

impl<'a> Output<'a> {
    fn new(args: &'a RenderArgs, document: &dyn Document) -> Self {
        let read = saving::files_read(&args.file, document);
        Self { args, read }
    }

    /// Makes sure that an image may be written there, before the work of drawing it.
    fn check(&self, path: &Path) -> Result<(), CommandError> {
        if is_stdout(path) {
            if io::stdout().is_terminal() {
                return Err(CommandError::Argument(
                    "--output -: standard output is a terminal; expected a file or a pipe"
                        .to_owned(),
                ));
            }
            return Ok(());
        }
        let checked = PNG.check_target(path, &self.read, self.args.force);
        checked.map_err(|error| {
            let hint = match error {
                SaveError::OtherKind(_) => " (--force replaces it)",
                _ => "",
            };
            CommandError::Argument(format!("--output {}: {error}{hint}", path.display()))
        })
    }

    /// Writes an image, whole or not at all.
    fn write(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        if is_stdout(path) {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        self.check(path)?;
        saving::write_whole(path, write).map_err(|source| CommandError::Write {
            path: path.to_owned(),
            source,
        })
    }
}

/// Whether an argument stands for standard output.
fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes an image as a PNG.
#[cfg(feature = "gpu")]
fn write_png(out: &mut dyn Write, image: &image::RgbaImage) -> io::Result<()> {
    // The encoder goes back to where it began.
    let mut png = io::Cursor::new(Vec::new());
    let encoded = image.write_to(&mut png, image::ImageFormat::Png);
    encoded.map_err(io::Error::other)?;
    out.write_all(png.get_ref())
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
