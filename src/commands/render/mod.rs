//! `mapscope render`: images of a file, without a window.

mod flat;
#[cfg(feature = "gpu")]
mod gpu;
mod output;
mod shots;

use std::io::{self, Write};

use self::output::{Destination, Output};
use self::shots::Shot;
use super::cli::{GraphicsArgs, RenderArgs};
use super::{CommandError, Status, output as messages};
use mapscope_scene::camera::NamedView;
use mapscope_scene::{Document, OpenOptions};

/// Makes the images of a document, of whichever size.
trait Painter {
    /// Width and height in pixels.
    fn size(&self) -> [u64; 2];

    /// Makes an image, and hands out its rows from the top: RGBA bytes, one or several rows at once.
    fn draw(
        &mut self,
        shot: &Shot,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), CommandError>;

    /// Writes an image as a PNG.
    fn write_png(&mut self, shot: &Shot, out: &mut dyn Write) -> Result<(), CommandError>;
}

pub(super) fn run(
    args: &RenderArgs,
    options: &OpenOptions,
    #[cfg_attr(
        not(feature = "gpu"),
        expect(unused_variables, reason = "flat images need no adapter")
    )]
    graphics: GraphicsArgs,
) -> Result<Status, CommandError> {
    if args.image.request.view == Some(NamedView::Flat) {
        return flat::run(args, options);
    }
    if args.region.is_some() {
        return Err(CommandError::Argument(
            "--region counts tiles of a 2D map that is seen from straight above: it goes with \
             --view flat"
                .to_owned(),
        ));
    }
    #[cfg(feature = "gpu")]
    return gpu::run(args, options, graphics.into());
    #[cfg(not(feature = "gpu"))]
    Err(CommandError::NotBuilt {
        what: "images but those of 2D maps with --view flat",
        feature: "gpu",
    })
}

/// Makes all images and writes them where they go, then says what is wrong with the file.
fn write_all(
    args: &RenderArgs,
    document: &dyn Document,
    shots: &[Shot],
    painter: &mut dyn Painter,
) -> Result<Status, CommandError> {
    let output = Output::new(args, document);
    // All that is to be written may be, or nothing is drawn.
    let destination = Destination::new(args, shots, &output)?;
    output.write_shots(&destination, shots, painter)?;
    let problems = &document.about().problems;
    messages::note_problems(&args.file, problems);
    Ok(Status::of(problems))
}
