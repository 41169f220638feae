//! A document and a device that renders it, without a window.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use glam::DVec2;

use super::cli::ImageArgs;
use super::source::{self, Opened};
use super::{CommandError, layers_of};
use mapscope_render::{Gpu, GpuOptions, Target, View};
use mapscope_scene::camera::{Camera, NamedView};
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Document, OpenOptions};

/// The device that renders images.
#[derive(Debug)]
pub(super) struct Headless {
    pub(super) gpu: Gpu,
    /// Time when the device was ready.
    pub(super) ready_at: Instant,
    /// The first error that the device reported.
    device_error: Arc<Mutex<Option<String>>>,
}

/// Opens a file and a device in parallel. If `waits_until_complete`, also loads the deferred parts
/// of the file.
pub(super) fn open(
    file: &Path,
    options: &OpenOptions,
    image: &ImageArgs,
    request: GpuOptions,
    waits_until_complete: bool,
) -> Result<(Opened, Headless), CommandError> {
    let (opened, headless) = std::thread::scope(|scope| {
        let headless = scope.spawn(move || Gpu::requested(request).map(Headless::new));
        let opened = source::open(file, options);
        if let Ok(opened) = &opened
            && waits_until_complete
        {
            opened.document.wait_until_complete();
        }
        (opened, headless.join())
    });
    let mut opened = opened?;
    opened.document = source::with_attached(&opened.document, &image.request.attach, options)?;
    let asked = image.request.shown(&*opened.document);
    asked.map_err(CommandError::Argument)?;
    let headless = headless.map_err(|_panic| {
        CommandError::Device("the driver failed during initialization".to_owned())
    })??;
    Ok((opened, headless))
}

impl Headless {
    /// Wraps a device and records its errors.
    pub(super) fn new(gpu: Gpu) -> Self {
        let device_error = Arc::new(Mutex::new(None));
        let first = Arc::clone(&device_error);
        // Without this handler, wgpu panics if memory is exhausted.
        gpu.device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert_with(|| error.to_string());
            }));
        Self {
            gpu,
            ready_at: Instant::now(),
            device_error,
        }
    }

    /// Creates the render target for an image of this size.
    ///
    /// # Errors
    /// If the device cannot draw the image or cannot read it back.
    pub(super) fn target(&self, size: [u32; 2]) -> Result<Target, CommandError> {
        check_size(size, &self.gpu.device.limits())?;
        let target = Target::new(&self.gpu, size);
        self.check()?;
        Ok(target)
    }

    /// Checks that the device has reported no error so far.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        let mut first = self
            .device_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match first.take() {
            Some(device_error) => Err(CommandError::Device(device_error)),
            None => Ok(()),
        }
    }

    /// Waits until the device has completed all submitted work.
    pub(super) fn wait(&self) -> Result<(), CommandError> {
        self.gpu
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| CommandError::Device(error.to_string()))?;
        self.check()
    }
}

/// Refuses sizes that the device cannot draw or cannot read back.
fn check_size([width, height]: [u32; 2], limits: &wgpu::Limits) -> Result<(), CommandError> {
    let side = limits.max_texture_dimension_2d;
    if width > side || height > side {
        return Err(CommandError::Argument(format!(
            "--size {width}x{height} is too large: this graphics adapter draws at most \
             {side}x{side} pixels"
        )));
    }
    let row = u64::from(width * 4).next_multiple_of(u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT));
    let bytes = row * u64::from(height);
    if bytes > limits.max_buffer_size {
        return Err(CommandError::Argument(format!(
            "--size {width}x{height} is too large: the image has {bytes} bytes, but this graphics \
             adapter returns at most {}",
            limits.max_buffer_size
        )));
    }
    Ok(())
}

/// The part of a 2D map around its centre that an image of this size shows, one image pixel per map
/// pixel.
fn flat_window(map_size: [u64; 2], size: [u32; 2]) -> FlatWindow {
    let corner = |axis: usize| (map_size[axis] as f64 - f64::from(size[axis])) * 0.5;
    FlatWindow {
        top_left_px: DVec2::new(corner(0), corner(1)).round(),
        zoom: 1.0,
    }
}

/// The view that the arguments request, for an image of this aspect ratio.
///
/// # Errors
/// If the document does not have the requested clip, frame, level or light.
pub(super) fn view_of(
    image: &ImageArgs,
    document: &dyn Document,
    aspect: f32,
) -> Result<View, CommandError> {
    let request = &image.request;
    let mut shown = request.shown(document).map_err(CommandError::Argument)?;
    let camera = if request.view == Some(NamedView::Flat) {
        let map_size = layers_of(document)?.flat_size();
        let window = flat_window(map_size, image.size());
        shown.flat = true;
        shown.flat_camera_px = window.camera_on_map_px(map_size, image.size());
        let about = document.about();
        let top = Camera::framing(about.bounds, NamedView::Top, about.handedness, aspect);
        window.camera(image.size(), top)
    } else {
        let projection = image.projection.unwrap_or_default();
        request.camera(document, &shown, projection, aspect)
    };
    let levels = document.levels();
    shown.visibility_from = levels.and_then(|levels| levels.visibility_at(camera.pose.eye, &shown));
    let mut view = View::plain(camera);
    view.shown = shown;
    Ok(view)
}
