//! Renders everything else with a graphics adapter.

use std::io::{self, Write};

use super::{Painter, Shot, check_labels, shots, write_all};
use crate::commands::cli::RenderArgs;
use crate::commands::headless::{self, Headless, view_of};
use crate::commands::{CommandError, Status, source};
use crate::images::painter::{ScenePainter, prepare_turntable};
use crate::images::png_file::MAX_SIDE;
use crate::images::series::Report;
use mapscope_render::{GpuOptions, PictureError};
use mapscope_scene::OpenOptions;

/// Renders images with a graphics adapter and checks for device errors after each one.
struct GpuPainter<'a> {
    headless: &'a Headless,
    painter: ScenePainter<'a>,
}

/// Renders a file with a graphics adapter.
pub(super) fn run(
    args: &RenderArgs,
    options: &OpenOptions,
    request: GpuOptions,
) -> Result<Status, CommandError> {
    let size = args
        .image
        .size()
        .map(|side| side.saturating_mul(args.scale));
    if let [width, height] = size
        && width.max(height) > MAX_SIDE
    {
        return Err(CommandError::Argument(format!(
            "--size: {width}x{height} is too large; expected at most {MAX_SIDE} pixels per side"
        )));
    }
    let (opened, headless) = headless::open(&args.file, options, &args.image, request, true)?;
    let document = &*opened.document;
    let mut image = args.image.clone();
    // A demo has its own best view, as in the window, unless the user requests another one.
    let request = &mut image.request;
    if let Some(demo) = source::demo_of(&args.file)?
        && !demo.is_flat
        && request.view.is_none()
        && request.camera.is_none()
        && args.turntable.is_none()
    {
        request.camera = Some(demo.first_pose);
    }
    let aspect = size[0] as f32 / size[1] as f32;
    let mut view = view_of(&image, document, aspect)?;
    if let Some(commands) = &args.run {
        let Some(script) = args.script else {
            return Err(CommandError::NotBuilt {
                what: "`--run`",
                feature: "window",
            });
        };
        let seen = script(commands, &opened.document, &image.request, aspect);
        (view.camera, view.shown) =
            seen.map_err(|why| CommandError::Argument(format!("--run: {why}")))?;
    }
    view.shown.is_transparent = args.transparent;
    view.shown.has_names = args.labels;
    check_labels(args, document, &view.shown)?;
    view.line_scale = args.scale as f32;
    let shots = shots::all(args, document, &view.shown)?;
    if args.turntable.is_some() {
        let has_pose = image.request.camera.is_some() || image.request.look_through.is_some();
        if !prepare_turntable(&mut view, document, (!has_pose).then_some(aspect)) {
            return Err(CommandError::Argument(
                "--turntable: not possible from straight above; use another view, such as --view \
                 iso or south"
                    .to_owned(),
            ));
        }
    }
    let mut painter = GpuPainter {
        headless: &headless,
        painter: ScenePainter::new(&headless.gpu, document, view, size, None)?,
    };
    write_all(args, document, &shots, &mut painter)
}

impl GpuPainter<'_> {
    /// The device's error, if any, or else the result of the painter.
    fn checked(&self, drawn: io::Result<()>) -> io::Result<()> {
        self.headless.check().map_err(io::Error::other)?;
        drawn.map_err(|error| match error.downcast() {
            Ok(PictureError::Device(error)) => io::Error::other(CommandError::Device(error)),
            Ok(PictureError::Rows(error)) | Err(error) => error,
        })
    }
}

impl Painter for GpuPainter<'_> {
    fn size(&self) -> [u64; 2] {
        self.painter.size()
    }

    fn draw(
        &mut self,
        shot: &Shot,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let drawn = self.painter.draw(shot, rows);
        self.checked(drawn)
    }

    fn write_png(
        &mut self,
        shot: &Shot,
        out: &mut dyn Write,
        report: Report<'_>,
    ) -> io::Result<()> {
        let written = self.painter.write_png(shot, out, report);
        self.checked(written)
    }
}
