//! Images of all documents that a graphics adapter renders.

use std::io::{self, Write};

use glam::vec2;

use super::labels::LabelView;
use super::names::NamePainter;
use super::png_file::write_png;
use super::series::{Painter, Report, counted};
use super::shots::Shot;
use mapscope_render::{Gpu, PictureError, Renderer, SceneData, UploadError, View, fits_one_target};
use mapscope_scene::Document;
use mapscope_scene::camera::Pose;

/// Renders images with a graphics adapter. It has its own renderer, so that it can work beside a
/// window.
#[derive(Debug)]
pub struct ScenePainter<'a> {
    gpu: &'a Gpu,
    renderer: Renderer,
    scene: SceneData,
    document: &'a dyn Document,
    /// The view that all shots share.
    view: View,
    size: [u32; 2],
    max_side: Option<u32>,
    /// Draws names, if they are requested.
    names: Option<NamePainter>,
}

impl<'a> ScenePainter<'a> {
    /// Uploads a document to a device to render images of `size` pixels. If `max_side` is given,
    /// larger images are rendered in tiles of at most this side.
    ///
    /// # Errors
    /// If the document does not fit the device.
    pub fn new(
        gpu: &'a Gpu,
        document: &'a dyn Document,
        view: View,
        size: [u32; 2],
        max_side: Option<u32>,
    ) -> Result<Self, UploadError> {
        let renderer = Renderer::new(gpu);
        let names = view.shown.has_names.then(NamePainter::default);
        Ok(Self {
            gpu,
            scene: renderer.upload(gpu, document)?,
            renderer,
            document,
            view,
            size,
            max_side,
            names,
        })
    }
}

impl Painter for ScenePainter<'_> {
    fn size(&self) -> [u64; 2] {
        self.size.map(u64::from)
    }

    fn draw(
        &mut self,
        shot: &Shot,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let view = shot.view(&self.view, self.document);
        let [width, height] = self.size;
        let mut named;
        let rows: &mut dyn FnMut(&[u8]) -> io::Result<()> = match &mut self.names {
            Some(names) => {
                names.write(LabelView {
                    document: self.document,
                    shown: &view.shown,
                    camera: &view.camera,
                    size: vec2(width as f32, height as f32),
                    scale: view.line_scale,
                });
                named = names.on_rows(width.into(), rows);
                &mut named
            }
            None => rows,
        };
        let scene = Some((&mut self.scene, self.document));
        let drawn =
            self.renderer
                .draw_image(self.gpu, scene, &view, self.size, self.max_side, rows);
        drawn.map_err(|error| match error {
            PictureError::Rows(error) => error,
            error @ PictureError::Device(_) => io::Error::other(error),
        })
    }

    fn write_png(
        &mut self,
        shot: &Shot,
        out: &mut dyn Write,
        report: Report<'_>,
    ) -> io::Result<()> {
        let size = Painter::size(self);
        let longest = self.size[0].max(self.size[1]);
        let all_at_once = fits_one_target(self.gpu, self.size)
            && self.max_side.is_none_or(|most| longest <= most);
        write_png(out, self.size, all_at_once, |rows| {
            self.draw(shot, &mut counted(size, rows, report))
        })
    }
}

/// Prepares a view for a turntable around its target. If an aspect ratio is given, moves the camera
/// back until everything stays in the image. Returns `false` if the view cannot be turned.
pub fn prepare_turntable(view: &mut View, document: &dyn Document, aspect: Option<f32>) -> bool {
    const STEPS: u32 = 32;
    let turned = |pose: Pose, step: u32| pose.turned(step as f32 / STEPS as f32);
    let mut furthest = view.camera;
    if turned(furthest.pose, 0).is_none() {
        return false;
    }
    if let Some(aspect) = aspect {
        let bounds = document.bounds_in_view(&view.shown);
        furthest.frame_centered(bounds, aspect);
        for step in 1..STEPS {
            let mut camera = view.camera;
            camera.pose = turned(camera.pose, step).unwrap_or(camera.pose);
            camera.frame_centered(bounds, aspect);
            if camera.distance() > furthest.distance() {
                let back = camera.pose.turned(-(step as f32) / STEPS as f32);
                furthest.pose = back.unwrap_or(camera.pose);
            }
        }
    }
    view.camera = furthest;
    true
}
