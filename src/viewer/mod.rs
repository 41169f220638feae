//! The window: open, look around, point, inspect.
//!
//! The modules form floors: each one uses only those above it in this list.
//! - `format`, `theme`, `places`: numbers as text; colours and fonts; where widgets were drawn, for tests
//! - `keymap`: keys as text, and the keys that the user has changed
//! - `docks`: the panels and the edges of the window that they are docked at
//! - `view`: cameras, framing and flat views of a document
//! - `state`: the open document and everything that is remembered; it knows no window and no GPU
//! - `io`: loading, searching and watching files on threads
//! - `commands`: the table of commands and what they do to the state
//! - `panels`: the panels at the edges of the window
//! - `ui`: everything else that egui draws
//! - `app`: the event loop, with winit and wgpu

mod app;
pub mod commands;
pub mod docks;
mod format;
mod io;
pub mod keymap;
pub mod panels;
mod places;
mod state;
#[cfg(test)]
mod testing;
mod theme;
mod ui;
mod view;

use std::path::PathBuf;

use thiserror::Error;
use winit::error::EventLoopError;
use winit::event_loop::EventLoop;

use self::commands::script::Script;
use self::io::settings_file::SettingsFile;
use self::state::State;
use self::state::settings::Settings;
use crate::view_request::ViewRequest;
use mapscope_render::{GpuError, GpuOptions, GraphicsApis};
use mapscope_scene::demo::{self, Demo};
use mapscope_scene::{MapChoice, OpenOptions};

pub use state::player::LoopMode;

/// The reason why the window could not be opened, or was closed.
#[derive(Debug, Error)]
pub enum ViewError {
    /// No display was found, or it refused the connection.
    #[error(
        "no window can be opened: there is no display, or it cannot be reached (on Linux the \
         environment variable DISPLAY or WAYLAND_DISPLAY names it); `mapscope render`, `info`, \
         `check` and `bench` work without one"
    )]
    NoDisplay(#[source] EventLoopError),
    /// A command of the script failed, and the script would have quit.
    #[error("--run: {0}")]
    Script(String),
    /// The display went away while the window was open.
    #[error("the display is gone: its server or compositor has ended")]
    DisplayLost,
    /// The graphics device was lost this number of times in a row; the last reason.
    #[error(
        "the graphics device was lost {0} times in a row ({1}); try another graphics interface, \
         such as `--backend gl`"
    )]
    DeviceLost(u32, String),
    /// The system did not create the window.
    #[error("no window can be opened: {}", without_place(.0))]
    NoWindow(#[from] winit::error::OsError),
    /// No graphics device was found.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device cannot draw to the window.
    #[error(transparent)]
    Surface(#[from] app::surface::SurfaceError),
}

/// Returns the system's message, without the place in winit's source before it.
fn without_place(error: &winit::error::OsError) -> String {
    let text = error.to_string();
    let said = text
        .split_once(".rs:")
        .and_then(|(_, line_and_said)| line_and_said.split_once(": "));
    said.map_or_else(|| text.clone(), |(_, said)| said.to_owned())
}

/// Opens the window and returns when it is closed. The window shows the first of the files and
/// folders that can be opened, or the demo if none are given: [`demo::FIRST`], unless another one is
/// named. Then it runs the script. It draws with the requested graphics interface, or with the first that has an adapter.
///
/// # Errors
/// If no display, no window or no graphics device is available.
pub fn run(
    files: &[PathBuf],
    demo: Option<&'static Demo>,
    request: ViewRequest,
    mut script: Script,
    open_options: OpenOptions,
    gpu_request: GpuOptions,
) -> Result<(), ViewError> {
    let mut event_loop = EventLoop::with_user_event();
    #[cfg(target_os = "linux")]
    if app::only_x11_is_there() {
        use winit::platform::x11::EventLoopBuilderExtX11 as _;
        log::warn!("WAYLAND_DISPLAY names no compositor: DISPLAY is used");
        event_loop.with_x11();
    }
    let event_loop = event_loop.build().map_err(ViewError::NoDisplay)?;
    // Finding graphics drivers takes the longest and needs no window: it goes on meanwhile.
    let display = event_loop.owned_display_handle();
    let interfaces = GraphicsApis::first(gpu_request.backend)?;
    let instance = std::thread::spawn(move || interfaces.instance(Some(Box::new(display))));
    let (settings_file, settings) = SettingsFile::default_path().map(SettingsFile::open).unzip();
    if let Some(place) = &request.place {
        script.go_to_first(place.clone());
    }
    let (settings, message) = match settings.unwrap_or_else(|| Ok(Settings::default())) {
        Ok(settings) => (settings, None),
        Err(message) => (Settings::default(), Some(message)),
    };
    let mut state = State::new(settings, request);
    if let Some(message) = message {
        state.warn_of_settings(message);
    }
    state.report_unknown_keys();
    state.open_options = open_options;
    // The map applies to the files that are opened now, not to later ones.
    state.named_map = match std::mem::take(&mut state.open_options.map) {
        MapChoice::File(map) => MapChoice::File(state::folder::absolute(&map)),
        choice => choice,
    };
    if files.is_empty() {
        state.run(commands::Action::OpenDemo(demo.unwrap_or(demo::FIRST)));
    } else {
        state.open_paths(files);
    }
    let mut app = app::App::new(
        event_loop.create_proxy(),
        (interfaces, instance),
        gpu_request.samples,
        state,
        script,
        settings_file,
    );
    event_loop.run_app(&mut app).map_err(|error| match error {
        EventLoopError::ExitFailure(_) => ViewError::DisplayLost,
        error => ViewError::NoDisplay(error),
    })?;
    app.error.take().map_or(Ok(()), Err)
}
