//! Everything else, with a graphics adapter.

use std::io::{self, Write};

use super::{Painter, Shot, write_all};
use crate::commands::cli::RenderArgs;
use crate::commands::headless::{self, Headless, view_of};
use crate::commands::{CommandError, Status, source};
use crate::image_file::{MAX_SIDE, write_png};
use mapscope_render::{GpuRequest, PictureError, Renderer, SceneData, View, is_drawn_at_once};
use mapscope_scene::camera::Pose;
use mapscope_scene::{Document, OpenOptions};

/// Makes images with a graphics adapter.
struct GpuPainter<'a> {
    headless: &'a Headless,
    renderer: Renderer,
    scene: SceneData,
    document: &'a dyn Document,
    /// What is shown where a shot does not say otherwise.
    view: View,
    size: [u32; 2],
}

/// Draws a file with a graphics adapter.
pub(super) fn run(
    args: &RenderArgs,
    options: &OpenOptions,
    request: GpuRequest,
) -> Result<Status, CommandError> {
    let size = args
        .image
        .size()
        .map(|side| side.saturating_mul(args.scale));
    if let [width, height] = size
        && width.max(height) > MAX_SIDE
    {
        return Err(CommandError::Argument(format!(
            "--size: {width}x{height} is too large; expected at most {MAX_SIDE} pixels along a side"
        )));
    }
    let (opened, headless) = headless::open(&args.file, options, &args.image, request, true)?;
    let document = &*opened.document;
    let mut image = args.image.clone();
    // A demo is seen from where it looks best, as in the window, unless it is said otherwise.
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
    view.shown.is_transparent = args.transparent;
    view.outline_scale = args.scale as f32;
    let shots = Shot::all(args, document, &view.shown)?;
    if args.turntable.is_some() {
        let has_pose = image.request.camera.is_some() || image.request.look_through.is_some();
        prepare_turntable(&mut view, document, (!has_pose).then_some(aspect))?;
    }
    let renderer = Renderer::new(&headless.gpu);
    let scene = renderer.upload(&headless.gpu, document)?;
    let mut painter = GpuPainter {
        headless: &headless,
        renderer,
        scene,
        document,
        view,
        size,
    };
    write_all(args, document, &shots, &mut painter)
}

/// Makes sure that a view can be turned around its target, and moves it so far away that all stays in
/// an image of this aspect ratio, if there is one.
fn prepare_turntable(
    view: &mut View,
    document: &dyn Document,
    aspect: Option<f32>,
) -> Result<(), CommandError> {
    const STEPS: u32 = 32;
    let bounds = document.bounds_in_view(&view.shown);
    let turned = |pose: Pose, part: f32| {
        pose.turned(part).ok_or_else(|| {
            CommandError::Argument(
                "--turntable: from straight above there is nothing to turn around; use another \
                 view, such as --view iso or south"
                    .to_owned(),
            )
        })
    };
    let mut furthest = view.camera;
    turned(furthest.pose, 0.0)?;
    if let Some(aspect) = aspect {
        furthest.frame_centered(bounds, aspect);
        for step in 1..STEPS {
            let mut camera = view.camera;
            camera.pose = turned(camera.pose, step as f32 / STEPS as f32)?;
            camera.frame_centered(bounds, aspect);
            if camera.distance() > furthest.distance() {
                furthest.pose = camera
                    .pose
                    .turned(-(step as f32) / STEPS as f32)
                    .unwrap_or(camera.pose);
            }
        }
    }
    view.camera = furthest;
    Ok(())
}

impl Painter for GpuPainter<'_> {
    fn size(&self) -> [u64; 2] {
        self.size.map(u64::from)
    }

    fn draw(
        &mut self,
        shot: &Shot,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        let mut view = self.view.clone();
        if let Some(frame) = shot.frame {
            view.shown.playhead.frame = frame as f32;
        }
        let pose = &mut view.camera.pose;
        *pose = shot.pose.unwrap_or(*pose);
        *pose = shot
            .turn
            .and_then(|part| pose.turned(part))
            .unwrap_or(*pose);
        let levels = self.document.levels();
        let visible =
            levels.and_then(|levels| levels.visibility_at(view.camera.pose.eye, &view.shown));
        view.shown.visibility_from = visible;
        let scene = Some((&mut self.scene, self.document));
        let gpu = &self.headless.gpu;
        let drawn = self
            .renderer
            .draw_image(gpu, scene, &view, self.size, None, rows);
        self.headless.check()?;
        drawn.map_err(|error| match error {
            PictureError::Device(error) => CommandError::Device(error),
            PictureError::Rows(error) => error.into(),
        })
    }

    fn write_png(&mut self, shot: &Shot, out: &mut dyn Write) -> Result<(), CommandError> {
        let come_at_once = is_drawn_at_once(&self.headless.gpu, self.size);
        write_png(out, self.size, come_at_once, |rows| self.draw(shot, rows))
    }
}
