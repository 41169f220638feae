//! The window itself: events in, frames out. [`App`] is what it holds; `event_loop` takes events in, `host`
//! draws frames, `jobs`, `dialogs` and `dropping` do what the state or the desktop asks for.

mod clipboard;
mod dialogs;
mod dropping;
#[cfg(target_os = "linux")]
mod drops;
mod event_loop;
pub(crate) mod events;
mod host;
mod icon;
mod jobs;
mod pointer_lock;
pub(crate) mod portions;
mod previews;
pub(crate) mod saving;
mod scale;
#[cfg(unix)]
mod signals;
pub(crate) mod surface;
pub(crate) mod view_texture;
#[cfg(target_os = "linux")]
mod wayland;
#[cfg(target_os = "linux")]
mod x11;

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use egui_winit::accesskit_winit;
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};
use winit::window::Fullscreen;

use self::clipboard::{Clipboard, PasteTarget};
#[cfg(target_os = "linux")]
use self::drops::DeviceEvent;
use self::events::{Events, Loss};
use self::host::Screen;
use self::portions::Portions;
use self::saving::{ImageOrder, SaveJob, Saved};
use self::scale::WindowScale;
use crate::viewer::io::loader::Loader;
use crate::viewer::io::settings_file::SettingsFile;
use crate::viewer::io::watch::FileWatch;
use crate::viewer::state::compare::CompareOutcome;
use crate::viewer::state::interface::{DropPreview, PathPurpose};
use crate::viewer::state::load::Outcome;
use crate::viewer::state::playlist::FileList;
use crate::viewer::state::{Effect, State};
use crate::viewer::ui::WindowUi;
use crate::viewer::ui::dialogs::system_has_file_dialogs;
use crate::viewer::{ViewError, theme};
use mapscope_render::{GraphicsApis, Samples};

/// What other threads tell the window.
#[derive(Debug)]
pub(crate) enum UserEvent {
    /// A load is over.
    Loaded(Box<Outcome>),
    /// A part has come without which the open file was opened, or the last one.
    PartHasCome,
    /// Files in watched folders changed.
    FilesChanged(Vec<PathBuf>),
    /// Which files are now where those of the list of a number come from.
    Listed(u64, FileList),
    /// Shaders changed (debug builds).
    ShadersChanged(Vec<PathBuf>),
    /// What dropping these files would do is known.
    DropPreviewed(Vec<PathBuf>, DropPreview),
    /// The system's dialog was answered, or gave nothing, after this time.
    PathsAnswered(PathPurpose, Vec<PathBuf>, Duration),
    /// The open file was compared with another.
    Compared(Box<CompareOutcome>),
    /// Images were saved, or why not.
    ImagesSaved(Saved),
    /// A screen reader asks something.
    AccessKit(accesskit_winit::Event),
    /// Drops and the clipboard on Wayland.
    #[cfg(target_os = "linux")]
    Device(DeviceEvent),
    /// The graphics device is gone.
    DeviceLost(String),
    /// The system asks the program to end.
    #[cfg(unix)]
    Ended,
    /// A test wants to lose something after so many more frames.
    Lose((Loss, u64)),
}

impl From<accesskit_winit::Event> for UserEvent {
    fn from(event: accesskit_winit::Event) -> Self {
        Self::AccessKit(event)
    }
}

/// The program while its window is open.
pub(crate) struct App {
    proxy: EventLoopProxy<UserEvent>,
    /// The graphics interfaces that are asked first.
    interfaces: GraphicsApis,
    instance: Option<JoinHandle<wgpu::Instance>>,
    /// How many samples each pixel is asked to have.
    samples: Option<Samples>,
    screen: Option<Screen>,
    scale: WindowScale,
    /// How many graphics devices were lost in a row, and when the last was.
    lost: Option<(u32, Instant)>,
    egui: egui::Context,
    ui: WindowUi,
    state: State,
    events: Events,
    loader: Loader,
    /// What is saved now, and the first of its files.
    saving: Option<SaveJob>,
    saving_to: PathBuf,
    /// Images to save once more, since the device was lost that they were drawn on.
    save_again: Option<ImageOrder>,
    clipboard: Clipboard,
    /// Drops on X11.
    #[cfg(target_os = "linux")]
    x11_drops: Option<x11::Drops>,
    files: FileWatch,
    shaders: Option<FileWatch>,
    settings_file: Option<SettingsFile>,
    dropped: Vec<PathBuf>,
    title: String,
    repaint_at: Option<Instant>,
    /// Whether the window has the keyboard, and whether others cover all of it.
    focused: bool,
    covered: bool,
    /// Whether the Super key is held, of which egui knows nothing.
    super_held: bool,
    /// Whether it filled the screen when its size last changed.
    filled_screen: bool,
    /// Whether the system may have dialogs that ask for paths.
    has_dialogs: bool,
    /// Why the window could not be opened, for whoever started it.
    pub error: Option<ViewError>,
}

/// Whether the compositor that is named does not answer, while there is an X server to go to.
#[cfg(target_os = "linux")]
pub(crate) fn only_x11_is_there() -> bool {
    let is_named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // A socket that is handed over can be used once.
    is_named("WAYLAND_DISPLAY")
        && std::env::var_os("WAYLAND_SOCKET").is_none()
        && is_named("DISPLAY")
        && wayland_client::Connection::connect_to_env().is_err()
}

/// Sends an event; when the window is gone there is nobody to tell.
fn sender<T, F: Fn(T) -> UserEvent>(
    proxy: &EventLoopProxy<UserEvent>,
    event: F,
) -> impl Fn(T) + use<T, F> {
    let proxy = proxy.clone();
    move |value| {
        let _gone = proxy.send_event(event(value));
    }
}

impl App {
    /// A program that starts loading at once and opens its window when the event loop runs.
    pub(crate) fn new(
        proxy: EventLoopProxy<UserEvent>,
        (interfaces, instance): (GraphicsApis, JoinHandle<wgpu::Instance>),
        samples: Option<Samples>,
        state: State,
        settings_file: Option<SettingsFile>,
    ) -> Self {
        let done = sender(&proxy, |outcome| UserEvent::Loaded(Box::new(outcome)));
        let part_has_come = sender(&proxy, |()| UserEvent::PartHasCome);
        let egui = egui::Context::default();
        theme::apply(&egui);
        let events = Events::from_env();
        if events.enabled() {
            // Who waits until all is drawn would wait for as long as a cursor blinks.
            theme::stop_blinking(&egui);
        }
        egui.add_plugin(Portions::default());
        let mut app = Self {
            interfaces,
            instance: Some(instance),
            samples,
            screen: None,
            scale: WindowScale::default(),
            lost: None,
            egui,
            ui: WindowUi::default(),
            events,
            loader: Loader::new(done, move || part_has_come(())),
            saving: None,
            saving_to: PathBuf::new(),
            save_again: None,
            clipboard: Clipboard::Other(None),
            #[cfg(target_os = "linux")]
            x11_drops: None,
            files: FileWatch::new(sender(&proxy, UserEvent::FilesChanged)),
            shaders: None,
            settings_file,
            dropped: Vec::new(),
            title: state.session.title(),
            repaint_at: None,
            focused: false,
            covered: false,
            super_held: false,
            filled_screen: false,
            has_dialogs: system_has_file_dialogs(),
            error: None,
            proxy,
            state,
        };
        app.events.listen(sender(&app.proxy, UserEvent::Lose));
        #[cfg(unix)]
        signals::listen(sender(&app.proxy, |()| UserEvent::Ended));
        app.start_effects();
        app
    }

    /// Starts what needs no window: loads that were asked for on the command line.
    fn start_effects(&mut self) {
        for effect in std::mem::take(&mut self.state.effects) {
            match effect {
                Effect::Load(request) => self.load(request),
                other => self.state.effects.push(other),
            }
        }
    }

    /// Does what only the window can do.
    fn carry_out_effects(&mut self, event_loop: &ActiveEventLoop) {
        while !self.state.effects.is_empty() {
            for effect in std::mem::take(&mut self.state.effects) {
                self.carry_out(effect, event_loop);
            }
            self.request_redraw();
        }
        let title = self.state.session.title();
        if title != self.title {
            if let Some(screen) = &self.screen {
                screen.window.set_title(&title);
            }
            self.title = title;
        }
    }

    fn carry_out(&mut self, effect: Effect, event_loop: &ActiveEventLoop) {
        match effect {
            Effect::Load(request) => self.load(request),
            Effect::CancelLoad => {
                self.loader.cancel();
                self.state.notices.toast("Cancelled", None);
            }
            Effect::Watch => self.watch_open_file(),
            Effect::List(number, origin) => self.list_files(number, origin),
            Effect::Compare(request) => self.compare(request),
            Effect::AskPath(purpose) => self.ask_path(purpose),
            Effect::SavePicture(path) => self.save_picture(path),
            Effect::SaveAnimation(destination) => self.save_animation(destination),
            Effect::SaveMap(path) => self.save_map(path),
            Effect::Export(path) => self.export(path),
            Effect::CopyPicture => self.copy_picture(),
            Effect::Copy(text) => self.clipboard.copy(text),
            Effect::PastePose => self.paste(PasteTarget::Camera),
            Effect::SaveSettings => self.save_settings(),
            Effect::FullScreen(on) => {
                if let Some(screen) = &self.screen {
                    let wanted = on.then_some(Fullscreen::Borderless(None));
                    screen.window.set_fullscreen(wanted);
                }
            }
            Effect::Quit => self.quit(event_loop),
        }
    }

    fn quit(&mut self, event_loop: &ActiveEventLoop) {
        if !event_loop.exiting() {
            self.loader.cancel();
            self.save_settings();
            self.events.say("closed");
            event_loop.exit();
        }
    }
}
