//! The window: open, look around, point, inspect.
//!
//! `state` is what is open and what commands change; it knows neither window nor GPU. `view` is
//! about where it is seen from, `ui` shows it with egui, with the `panels` at its edges, and `app`
//! ties all of it to winit and wgpu.

mod app;
pub mod commands;
pub mod panels;
mod state;
#[cfg(test)]
mod testing;
mod ui;
mod view;

use std::path::PathBuf;

use thiserror::Error;
use winit::event_loop::EventLoop;

use mapscope_render::{Gpu, GpuError};
use mapscope_scene::FirstLook;
use mapscope_scene::OpenOptions;
use mapscope_scene::camera::{NamedView, Pose};
use mapscope_scene::demo::{self, Demo};

pub use state::player::LoopMode;

/// What the window shows when it opens.
#[derive(Debug, Clone, Default)]
pub struct ViewOptions {
    /// Files and folders: the first that can be opened is; none for a demo.
    pub files: Vec<PathBuf>,
    /// The demo to open where there are no files; the terrain unless another one is named.
    pub demo: Option<&'static Demo>,
    /// Where the first picture is taken from; none to have everything in view.
    pub camera: Option<Pose>,
    /// The direction of the first picture where there is no camera; none for the usual one.
    pub view: Option<NamedView>,
    /// The vertical field of view; none for the usual one, or 45 degrees with a camera.
    pub fov_y_degrees: Option<f32>,
    /// Names of the overlays that are on at first.
    pub overlays: Vec<String>,
    /// What of the file is shown at first beside that.
    pub first_look: FirstLook,
    /// The name of the clip that is shown at first; none for the first one.
    pub clip: Option<String>,
    /// The frame at which it is shown; none to have it play.
    pub frame: Option<f32>,
    /// How files are opened; textures are also looked for in folders that are remembered.
    pub open_options: OpenOptions,
}

/// Why there is no window.
#[derive(Debug, Error)]
pub enum ViewError {
    /// There is no display, or it refuses.
    #[error(
        "no window can be opened: there is no display, or it cannot be reached (on Linux the \
         environment variable DISPLAY or WAYLAND_DISPLAY names it); `mapscope render`, `info`, \
         `check` and `bench` work without one"
    )]
    NoDisplay(#[source] winit::error::EventLoopError),
    /// The system gave no window.
    #[error("no window can be opened: {}", without_place(.0))]
    NoWindow(#[from] winit::error::OsError),
    /// There is no graphics device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device cannot draw to the window.
    #[error(transparent)]
    Surface(#[from] app::surface::SurfaceError),
}

/// What the system said, without the place in winit's source that winit puts before it.
fn without_place(error: &winit::error::OsError) -> String {
    let text = error.to_string();
    let said = text
        .split_once(".rs:")
        .and_then(|(_, line_and_said)| line_and_said.split_once(": "));
    said.map_or_else(|| text.clone(), |(_, said)| said.to_owned())
}

/// Opens the window and comes back when it is closed.
///
/// # Errors
/// When there is no display, no window or no graphics device.
pub fn run(options: ViewOptions) -> Result<(), ViewError> {
    let event_loop = EventLoop::with_user_event()
        .build()
        .map_err(ViewError::NoDisplay)?;
    // Finding graphics drivers takes the longest and needs no window: it goes on meanwhile.
    let display = event_loop.owned_display_handle();
    let instance = std::thread::spawn(move || Gpu::instance(Some(Box::new(display))));
    let settings_file = state::settings::Settings::file();
    let settings = settings_file
        .as_deref()
        .map(state::settings::Settings::load)
        .unwrap_or_default();
    let start = state::StartView {
        pose: options.camera,
        view: options.view,
        fov_y_degrees: options.fov_y_degrees,
        overlays: options.overlays,
        first_look: options.first_look,
        clip: options.clip,
        frame: options.frame,
        open_options: options.open_options,
    };
    let mut state = state::State::new(settings, start);
    if options.files.is_empty() {
        let demo = options.demo.unwrap_or(&demo::TERRAIN);
        state.run(commands::Action::OpenDemo(demo));
    } else {
        state.open_paths(options.files);
    }
    let mut app = app::App::new(event_loop.create_proxy(), instance, state, settings_file);
    event_loop.run_app(&mut app).map_err(ViewError::NoDisplay)?;
    app.error.take().map_or(Ok(()), Err)
}
