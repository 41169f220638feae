//! The 3D view as a texture, which is redrawn only after changes and copied into each frame of the
//! window.

use std::sync::Arc;
use std::time::Instant;

use image::RgbaImage;

use crate::viewer::state::State;
use crate::viewer::state::session::Session;
use crate::viewer::view::shown::Revision;
use mapscope_render::{
    Blit, BlitSource, DrawStatistics, Gpu, PassTimes, Renderer, SceneData, Target, UploadError,
    View,
};
use mapscope_scene::Document;
use mapscope_scene::camera::Camera;

/// Bytes that are uploaded to the GPU before each frame while a document appears chunk by chunk.
const BYTES_PER_FRAME: u64 = 16 << 20;

/// Bytes on the GPU up to which a document stays there while its next version is uploaded.
const MAX_KEPT_BYTES: u64 = 512 << 20;

/// The view and the inputs of its last drawing.
pub(crate) struct ViewTexture {
    target: Target,
    /// The requested size; the target is smaller if the device requires it.
    size: [u32; 2],
    /// Copies the texture into the window. egui's shader runs in full for each pixel, which takes
    /// several times as long on a software adapter.
    blit: Blit,
    source: BlitSource,
    scene: Option<Uploaded>,
    drawn: Option<Drawn>,
    /// Statistics of the last drawing.
    pub statistics: DrawStatistics,
    /// Duration of the last drawing in milliseconds; 0 while unknown.
    pub frame_ms: f32,
    /// GPU times of its passes, if known.
    pub passes: Option<PassTimes>,
    /// Duration of the last drawing before its submission, in milliseconds.
    recording_ms: f32,
    /// `true` if the last drawing was measured.
    is_measured: bool,
}

/// A document on the GPU.
struct Uploaded {
    version: u64,
    /// Content on the GPU is identified by its address, which no other document may take.
    document: Arc<dyn Document>,
    scene: SceneData,
}

/// The inputs of a drawing.
#[derive(Debug, PartialEq)]
struct Drawn {
    camera: Camera,
    shown: Revision,
    line_scale: f32,
    version: u64,
    drawables: u64,
    size: [u32; 2],
}

/// The size of the view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Pixels per point of the window.
    pub(crate) pixels_per_point: f32,
}

/// The place of a view in the window, in physical pixels: left, top, width, height.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The whole view.
    pub(crate) whole: [f32; 4],
    /// The part that is shown.
    pub(crate) shown: [u32; 4],
}

impl Place {
    /// The place of a view from rectangles in points. The shown part lies in the whole view.
    pub(crate) fn new(whole: egui::Rect, shown: egui::Rect, pixels_per_point: f32) -> Self {
        let px = |rect: egui::Rect| {
            let rect = rect * pixels_per_point;
            [rect.min.x, rect.min.y, rect.width(), rect.height()].map(f32::round)
        };
        Self {
            whole: px(whole),
            shown: px(shown).map(|side| side.max(0.0) as u32),
        }
    }
}

/// Returns the view of a session. The hovered item is painted over the view instead (see
/// [`crate::viewer::view::contour`]).
fn view_of(session: &Session, pixels_per_point: f32) -> View {
    View {
        camera: session.view.camera,
        shown: session.view.shown.clone(),
        time_secs: 0.0,
        line_scale: pixels_per_point,
        part: None,
    }
}

/// Returns the view of a picture through a camera with the chosen options, and its width and height
/// in pixels. `pixels_per_point` is the window's.
pub(crate) fn picture_of(state: &State, camera: Camera, pixels_per_point: f32) -> (View, [u32; 2]) {
    let size = state.picture_size();
    // Outlines and names have the same size relative to the contents as in the view.
    let times = size[1] as f32 / state.session.view.size_px[1].max(1) as f32;
    let view = View {
        shown: state.picture_shown(),
        line_scale: (times * pixels_per_point).max(1.0),
        ..View::plain(camera)
    };
    (view, size)
}

impl ViewTexture {
    /// Creates an empty view.
    pub(crate) fn new(gpu: &Gpu, window_format: wgpu::TextureFormat) -> Self {
        let target = Target::new(gpu, [1, 1]);
        let blit = Blit::new(gpu, window_format);
        Self {
            size: target.size,
            source: blit.source(gpu, &target),
            blit,
            target,
            scene: None,
            drawn: None,
            statistics: DrawStatistics::default(),
            frame_ms: 0.0,
            passes: None,
            recording_ms: 0.0,
            is_measured: false,
        }
    }

    /// Updates the times of the last drawing if the GPU has reported them; does not wait.
    pub(crate) fn take_times(&mut self, gpu: &Gpu, renderer: &mut Renderer) {
        let times = renderer.pass_times(gpu).filter(|_| self.is_measured);
        if let Some(times) = times {
            self.frame_ms = self.recording_ms + times.sum().as_secs_f32() * 1000.0;
            self.passes = Some(times);
        }
    }

    /// Records a copy of the last drawing into a window of this width and height in pixels.
    pub(crate) fn copy(&self, pass: &mut wgpu::RenderPass<'_>, place: Place, window: [u32; 2]) {
        if self.drawn.is_some() {
            let [left, top, width, height] = place.shown;
            let [left, top] = [left.min(window[0]), top.min(window[1])];
            let [width, height] = [width.min(window[0] - left), height.min(window[1] - top)];
            pass.set_scissor_rect(left, top, width, height);
            self.blit.draw(pass, &self.source, place.whole);
        }
    }

    /// Returns the document on the GPU, once it is uploaded.
    pub(crate) fn scene(&mut self, version: u64) -> Option<&mut SceneData> {
        let scene = self.scene.as_mut().filter(|it| it.version == version);
        scene.map(|it| &mut it.scene)
    }

    /// Returns the GPU memory of the document and of the view itself, in bytes.
    pub(crate) fn gpu_bytes(&self) -> u64 {
        let scene = self.scene.as_ref();
        scene.map_or(0, |it| it.scene.gpu_bytes()) + self.target.gpu_bytes()
    }

    /// Returns the numbers of visible and of all chunks while a document appears chunk by chunk;
    /// `None` once it is complete.
    pub(crate) fn progress(&self) -> Option<(usize, usize)> {
        self.scene.as_ref()?.scene.progress()
    }

    /// Forces the view to be drawn again.
    pub(crate) fn invalidate(&mut self) {
        self.drawn = None;
    }

    /// Draws the view if the state has changed; returns `true` if it was drawn. `measure` requests
    /// its duration; a GPU without timestamps is waited for.
    ///
    /// # Errors
    /// Fails if the document does not fit the device.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        session: &Session,
        extent: Extent,
        measure: bool,
    ) -> Result<bool, UploadError> {
        let Some(open) = &session.open else {
            self.scene = None;
            self.drawn = None;
            return Ok(false);
        };
        let now = Drawn {
            camera: session.view.camera,
            shown: session.view.shown.revision(),
            line_scale: extent.pixels_per_point,
            version: open.version,
            drawables: open.document.revision(),
            size: extent.size,
        };
        let size = extent.size;
        let measured = self.is_measured || !measure;
        if self.drawn.as_ref() == Some(&now) && measured && self.progress().is_none() {
            return Ok(false);
        }
        let before = self.scene.take_if(|it| it.version != open.version);
        if self.scene.is_none() {
            let document = Arc::clone(&open.document);
            // A large one is dropped first: two of them may not fit at once.
            let before = before.filter(|it| it.scene.gpu_bytes() <= MAX_KEPT_BYTES);
            let scene = if let Some(mut before) = before {
                let versions = [&*before.document, &*document];
                renderer.upload_version(gpu, &mut before.scene, versions)?;
                before.scene
            } else {
                renderer.upload_gradually(gpu, &*document, BYTES_PER_FRAME)?
            };
            self.scene = Some(Uploaded {
                version: open.version,
                document,
                scene,
            });
        }
        if self.size != size {
            self.size = size;
            self.target = Target::new(gpu, size);
            self.source = self.blit.source(gpu, &self.target);
        }
        let start = Instant::now();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let view = view_of(session, extent.pixels_per_point);
        let scene = self
            .scene
            .as_mut()
            .map(|it| (&mut it.scene, &*open.document));
        renderer.set_pass_timing(gpu, measure);
        self.statistics = renderer.draw(gpu, &mut encoder, &self.target, scene, &view);
        renderer.set_pass_timing(gpu, false);
        gpu.queue.submit([encoder.finish()]);
        if let Some(it) = &self.scene {
            renderer.prefetch_pipelines(gpu, &it.scene);
        }
        self.is_measured = measure;
        self.recording_ms = start.elapsed().as_secs_f32() * 1000.0;
        if !measure {
            (self.frame_ms, self.passes) = (0.0, None);
        } else if !gpu.has_timestamps() {
            if let Err(error) = gpu.device.poll(wgpu::PollType::wait_indefinitely()) {
                log::warn!("waiting for the view: {error}");
            }
            self.frame_ms = start.elapsed().as_secs_f32() * 1000.0;
        }
        self.drawn = Some(now);
        Ok(true)
    }

    /// Returns an image of the view without overlays, to be copied.
    ///
    /// # Errors
    /// Fails if the GPU returns no image.
    pub(crate) fn take(
        &mut self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        state: &State,
    ) -> Result<RgbaImage, String> {
        let target = Target::new(gpu, self.target.size);
        let view = view_of(&state.session, 1.0);
        let document = state.session.document();
        // A copied image contains deferred parts too.
        if let Some(document) = document {
            document.wait_until_complete();
        }
        loop {
            let scene = self
                .scene
                .as_mut()
                .map(|it| &mut it.scene)
                .zip(document.map(|document| &**document));
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            renderer.draw(gpu, &mut encoder, &target, scene, &view);
            gpu.queue.submit([encoder.finish()]);
            if self.progress().is_none() {
                return target.read_back(gpu);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::state::picture::PictureSize;
    use crate::viewer::state::settings::Settings;

    #[test]
    fn lines_and_names_of_a_picture_are_as_large_as_in_the_view() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.session.view.size_px = [640, 360];
        for (times, pixels_per_point, expected) in [(1, 1.0, 1.0), (1, 2.0, 2.0), (2, 1.5, 3.0)] {
            state.interface.picture.size = PictureSize::Times(times);
            let (view, _) = picture_of(&state, state.session.view.camera, pixels_per_point);
            assert_eq!(view.line_scale, expected);
        }
        state.interface.picture.size = PictureSize::Typed;
        state.interface.picture.typed_size = [64, 36];
        let (view, _) = picture_of(&state, state.session.view.camera, 2.0);
        assert_eq!(view.line_scale, 1.0, "no thinner than a pixel");
    }
}
