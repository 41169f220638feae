//! A device and a document ready to be drawn without a window.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec2;

use super::CommandError;
use super::cli::{LookArgs, PictureArgs};
use super::source::{self, Opened};
use mapscope_render::{Gpu, Target, View};
use mapscope_scene::camera::{self, Camera, NamedView, Projection};
use mapscope_scene::registry::OpenOptions;
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{ClipInfo, Document, Playhead, Shown};

/// What a picture is drawn with.
#[derive(Debug)]
pub(super) struct Headless {
    pub(super) gpu: Gpu,
    pub(super) target: Target,
    /// The first thing that the device complained of.
    complaint: Arc<Mutex<Option<String>>>,
}

/// Opens a file and a device, side by side.
pub(super) fn open(
    file: &Path,
    options: &OpenOptions,
    picture: &PictureArgs,
) -> Result<(Opened, Headless), CommandError> {
    let (opened, gpu) = std::thread::scope(|scope| {
        let gpu = scope.spawn(Gpu::headless);
        let opened = source::open(file, options);
        (opened, gpu.join())
    });
    let opened = opened?;
    shown_of(&picture.look, &*opened.document)?;
    let gpu = gpu.map_err(|_panic| {
        CommandError::Device("its driver failed while it was started".to_owned())
    })??;
    Ok((opened, Headless::new(gpu, picture.size())?))
}

impl Headless {
    fn new(gpu: Gpu, size: [u32; 2]) -> Result<Self, CommandError> {
        check_size(size, &gpu.device.limits())?;
        let complaint = Arc::new(Mutex::new(None));
        let first = Arc::clone(&complaint);
        // Without this, wgpu answers an exhausted memory with a panic.
        gpu.device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert_with(|| error.to_string());
            }));
        let target = Target::new(&gpu, size);
        let headless = Self {
            gpu,
            target,
            complaint,
        };
        headless.check()?;
        Ok(headless)
    }

    /// Makes sure that the device has not complained so far.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        let mut first = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match first.take() {
            Some(complaint) => Err(CommandError::Device(complaint)),
            None => Ok(()),
        }
    }

    /// Waits until the device has done all that it was given.
    pub(super) fn wait(&self) -> Result<(), CommandError> {
        self.gpu
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| CommandError::Device(error.to_string()))?;
        self.check()
    }
}

/// Refuses sizes that the device cannot draw, or could draw but not give back.
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
            "--size {width}x{height} is too large: the picture has {bytes} bytes, and this \
             graphics adapter gives back at most {}",
            limits.max_buffer_size
        )));
    }
    Ok(())
}

fn check_overlays(look: &LookArgs, document: &dyn Document) -> Result<(), CommandError> {
    let offered = document.overlays();
    for id in &look.overlays {
        if !offered.iter().any(|overlay| overlay.id == id) {
            let known: Vec<&str> = offered.iter().map(|overlay| overlay.id).collect();
            return Err(CommandError::Argument(format!(
                "there is no overlay `{id}`; this file has {}",
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            )));
        }
    }
    Ok(())
}

/// The moment that the arguments ask for; the begin of the first clip if they do not say, as a
/// game shows a model.
fn playhead_of(look: &LookArgs, document: &dyn Document) -> Result<Playhead, CommandError> {
    let clips = document.clips();
    let clip = match look.clip.as_deref() {
        Some("none") => None,
        Some(name) => {
            let found = clips.iter().position(|clip| clip.name == name);
            Some(found.ok_or_else(|| unknown_clip(name, clips))?)
        }
        None => (!clips.is_empty()).then_some(0),
    };
    let frame = look.frame.unwrap_or(0.0);
    if let Some(asked) = look.frame {
        if look.clip.as_deref() == Some("none") {
            let message = "--frame needs a clip, but --clip none shows the pose without any";
            return Err(CommandError::Argument(message.to_owned()));
        }
        let frames = clip
            .and_then(|clip| clips.get(clip))
            .map_or(0, |c| c.frames);
        check_frame(asked, frames)?;
    }
    Ok(Playhead {
        clip,
        frame,
        smooth: frame.fract() > 0.0,
    })
}

fn unknown_clip(name: &str, clips: &[ClipInfo]) -> CommandError {
    let known: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    let known = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    CommandError::Argument(format!("there is no clip `{name}`; this file has {known}"))
}

/// Refuses a frame that a clip of so many frames does not have.
pub(super) fn check_frame(frame: f32, frames: u32) -> Result<(), CommandError> {
    if frame < frames as f32 {
        return Ok(());
    }
    Err(CommandError::Argument(match frames {
        0 => format!("there is no frame {frame}: nothing in this file moves"),
        _ => format!(
            "there is no frame {frame}: the clip has the frames 0 to {}",
            frames - 1
        ),
    }))
}

/// What of a document the arguments ask for, all else as it is at first.
pub(super) fn shown_of(look: &LookArgs, document: &dyn Document) -> Result<Shown, CommandError> {
    check_overlays(look, document)?;
    let mut shown = Shown {
        playhead: playhead_of(look, document)?,
        ..Shown::default()
    };
    for id in &look.overlays {
        shown.overlays.set(document.overlays(), id, true);
    }
    let asked = look.first_look().show(document, &mut shown);
    asked.map_err(CommandError::Argument)?;
    Ok(shown)
}

/// The part of a 2D map around its middle that a picture of this size shows, each pixel of the map
/// as one of the picture.
fn flat_window(document: &dyn Document, size: [u32; 2]) -> Result<FlatWindow, CommandError> {
    let map_size = flat_size(document)?;
    let corner = |axis: usize| (map_size[axis] as f64 - f64::from(size[axis])) * 0.5;
    Ok(FlatWindow {
        top_left_px: DVec2::new(corner(0), corner(1)).round(),
        zoom: 1.0,
    })
}

/// Width and height of a 2D map, in pixels.
///
/// # Errors
/// When the document is none.
pub(super) fn flat_size(document: &dyn Document) -> Result<[u64; 2], CommandError> {
    document.flat_size().ok_or_else(|| {
        let format = document.format().name;
        CommandError::Argument(format!(
            "--view flat is for 2D maps, and this is a {format}"
        ))
    })
}

/// The view that the arguments ask for, for a picture of this aspect ratio.
///
/// # Errors
/// When the document has no such clip, frame, level or light.
pub(super) fn view_of(
    picture: &PictureArgs,
    document: &dyn Document,
    aspect: f32,
) -> Result<View, CommandError> {
    let handedness = document.handedness();
    let look = &picture.look;
    let mut shown = shown_of(look, document)?;
    if look.view == Some(NamedView::Flat) {
        let window = flat_window(document, picture.size())?;
        shown.flat = true;
        let map_size = flat_size(document)?;
        shown.flat_camera_px = window.camera_on_map_px(map_size, picture.size());
        let top = Camera::framing(document.bounds(), NamedView::Top, handedness, aspect);
        let mut view = View::plain(window.camera(picture.size(), top));
        view.shown = shown;
        return Ok(view);
    }
    let bounds = document.bounds_in_view(&shown);
    let named = look.view.unwrap_or_default();
    let mut camera = match look.camera {
        Some(pose) => Camera::new(pose, handedness),
        None => Camera::framing(bounds, named, handedness, aspect),
    };
    camera.projection = picture.projection.unwrap_or_default();
    camera.near = camera::near_plane(document.part_bounds(shown.part));
    if let Some(degrees) = look.fov {
        camera.fov_y_radians = degrees.to_radians();
    }
    if look.camera.is_none() {
        if camera.projection == Projection::Orthographic {
            camera.face(named);
        }
        camera.frame(bounds, aspect);
    }
    shown.visibility_from = document.visibility_at(camera.pose.eye, &shown);
    let mut view = View::plain(camera);
    view.shown = shown;
    Ok(view)
}
