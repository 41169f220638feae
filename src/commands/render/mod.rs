//! `mapscope render`: images of a file, without a window.

mod flat;
#[cfg(feature = "gpu")]
mod gpu;
mod output;
mod shots;

use self::output::{Output, OutputForm};
use super::cli::{GraphicsArgs, RenderArgs};
use super::{CommandError, Status, output as messages};
use crate::images::series::Painter;
use crate::images::shots::Shot;
use mapscope_scene::camera::NamedView;
use mapscope_scene::{Document, OpenOptions, Shown};

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
        if args.run.is_some() {
            return Err(CommandError::Argument(
                "--run: --view flat has no commands; leave out one of both".to_owned(),
            ));
        }
        return flat::run(args, options);
    }
    if args.region.is_some() {
        return Err(CommandError::Argument(
            "--region needs --view flat".to_owned(),
        ));
    }
    #[cfg(feature = "gpu")]
    return gpu::run(args, options, graphics.into());
    #[cfg(not(feature = "gpu"))]
    Err(CommandError::NotBuilt {
        what: "rendering, except of 2D maps with --view flat",
        feature: "gpu",
    })
}

/// Refuses `--labels` if no visible item of the file has a name.
fn check_labels(
    args: &RenderArgs,
    document: &dyn Document,
    shown: &Shown,
) -> Result<(), CommandError> {
    let mut labels = Vec::new();
    if let Some(annotations) = document.annotations().filter(|_| args.labels) {
        annotations.labels(shown, &mut labels);
    }
    if args.labels && labels.is_empty() {
        return Err(CommandError::Argument(
            "--labels draws the names of joints, entities and zones, but this file has none; \
             leave it out"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Renders and writes all images, then reports the problems of the file.
fn write_all(
    args: &RenderArgs,
    document: &dyn Document,
    shots: &[Shot],
    painter: &mut dyn Painter,
) -> Result<Status, CommandError> {
    let output = Output::new(args, document);
    // Check all output files before drawing.
    let written = OutputForm::new(args, shots, &output)?;
    match output.write_shots(&written, shots, painter) {
        // The reader has hung up: the remaining images are not needed.
        Err(error) if error.is_hang_up() => {}
        result => result?,
    }
    let problems = &document.about().problems;
    messages::note_problems(&args.file, problems);
    Ok(Status::of(problems))
}
