//! The window: [`App`] and its parts.
//!
//! `event_loop` handles events and `host` draws frames. `jobs`, `dialogs` and `dropping` handle
//! requests of the state and of the desktop.

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
#[cfg(target_os = "linux")]
mod system_theme;
pub(crate) mod view_texture;
#[cfg(target_os = "linux")]
mod wayland;
#[cfg(target_os = "linux")]
mod x11;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use egui::Key;
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
use crate::viewer::commands::script::Script;
use crate::viewer::io::editor::{self, EditorError};
use crate::viewer::io::loader::Loader;
use crate::viewer::io::settings_file::SettingsFile;
use crate::viewer::io::watch::{Change, FileWatch};
use crate::viewer::state::attach::AttachOutcome;
use crate::viewer::state::compare::CompareOutcome;
use crate::viewer::state::find::FindOutcome;
use crate::viewer::state::interface::{DropPreview, PathPurpose};
use crate::viewer::state::load::Outcome;
use crate::viewer::state::playlist::FileList;
use crate::viewer::state::{Effect, State};
use crate::viewer::ui::WindowUi;
use crate::viewer::ui::dialogs::system_has_file_dialogs;
use crate::viewer::{ViewError, theme};
use mapscope_formats::{Severity, printable};
use mapscope_render::{GraphicsApis, Samples};

/// An event from another thread.
#[derive(Debug)]
pub(crate) enum UserEvent {
    /// A load has ended.
    Loaded(Box<Outcome>),
    /// Some or all deferred parts of the open file were loaded.
    PartsLoaded,
    /// Files in watched folders changed.
    FilesChanged(Change),
    /// A rescan of a playlist has ended: the playlist's number and the files found.
    Listed(u64, FileList),
    /// Shaders changed (debug builds).
    ShadersChanged(Change),
    /// The preview of a drop is available: the dropped paths and the preview.
    DropPreviewed(Vec<PathBuf>, DropPreview),
    /// The system's file dialog was answered, or cancelled without a path. The duration is the time
    /// since the dialog was requested.
    PathsAnswered(PathPurpose, Vec<PathBuf>, Duration),
    /// A comparison has ended.
    Compared(Box<CompareOutcome>),
    /// Models to attach were read.
    Attached(Box<AttachOutcome>),
    /// A search for items has ended.
    Found(Box<FindOutcome>),
    /// A save has ended.
    ImagesSaved(Saved),
    /// A request of a screen reader.
    AccessKit(accesskit_winit::Event),
    /// A drop or a clipboard event on Wayland.
    #[cfg(target_os = "linux")]
    Device(DeviceEvent),
    /// The theme of the desktop was read.
    #[cfg(target_os = "linux")]
    SystemTheme(Option<egui::Theme>),
    /// The graphics device was lost.
    DeviceLost(String),
    /// A signal requests the end of the program.
    #[cfg(unix)]
    Ended,
    /// A test simulates a loss after this number of frames.
    Lose((Loss, u64)),
}

impl From<accesskit_winit::Event> for UserEvent {
    fn from(event: accesskit_winit::Event) -> Self {
        Self::AccessKit(event)
    }
}

/// The program with an open window.
pub(crate) struct App {
    proxy: EventLoopProxy<UserEvent>,
    /// The preferred graphics APIs.
    interfaces: GraphicsApis,
    instance: Option<JoinHandle<wgpu::Instance>>,
    /// Requested number of samples per pixel, if any.
    samples: Option<Samples>,
    screen: Option<Screen>,
    scale: WindowScale,
    /// Number of consecutive device losses and the time of the last one, if any.
    lost: Option<(u32, Instant)>,
    egui: egui::Context,
    ui: WindowUi,
    state: State,
    events: Events,
    loader: Loader,
    /// The running save, if any.
    saving: Option<SaveJob>,
    /// The first file of the running save.
    saving_to: PathBuf,
    /// Images to save again, because the device was lost while they were saved.
    retry_save: Option<ImageOrder>,
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
    /// `true` if the window is focused.
    focused: bool,
    /// `true` if the window is completely covered.
    covered: bool,
    /// The keys that are held, by position: their names when they were pressed.
    pressed_keys: HashMap<Key, Key>,
    /// `true` while the Super key is held, which egui does not report.
    super_held: bool,
    /// `true` if the window was in full screen when its size last changed.
    filled_screen: bool,
    /// `true` if the system may offer file dialogs.
    has_dialogs: bool,
    /// The commands that still have to run.
    script: Script,
    /// The reason why the window could not be opened or was closed, if any.
    pub error: Option<ViewError>,
}

/// `true` if the configured Wayland compositor does not respond, and an X server is configured.
#[cfg(target_os = "linux")]
pub(crate) fn only_x11_is_there() -> bool {
    let is_named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // An inherited socket (`WAYLAND_SOCKET`) can be used only once, so it is not tried here.
    is_named("WAYLAND_DISPLAY")
        && std::env::var_os("WAYLAND_SOCKET").is_none()
        && is_named("DISPLAY")
        && wayland_client::Connection::connect_to_env().is_err()
}

/// Returns a function that sends events. Events after the end of the event loop are
/// ignored.
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
    /// Creates the program. Loads start at once; the window opens when the event loop runs.
    pub(crate) fn new(
        proxy: EventLoopProxy<UserEvent>,
        (interfaces, instance): (GraphicsApis, JoinHandle<wgpu::Instance>),
        samples: Option<Samples>,
        mut state: State,
        script: Script,
        settings_file: Option<SettingsFile>,
    ) -> Self {
        let done = sender(&proxy, |outcome| UserEvent::Loaded(Box::new(outcome)));
        let on_part = sender(&proxy, |()| UserEvent::PartsLoaded);
        let egui = egui::Context::default();
        theme::apply(&egui);
        egui.set_theme(state.settings.theme);
        let events = Events::from_env();
        if events.enabled() {
            // With a blinking cursor, a test would wait forever for the last frame.
            theme::stop_blinking(&egui);
        }
        egui.add_plugin(Portions::default());
        state.saves_settings = settings_file.as_ref().is_some_and(SettingsFile::works);
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
            loader: Loader::new(done, move || on_part(())),
            saving: None,
            saving_to: PathBuf::new(),
            retry_save: None,
            clipboard: Clipboard::Other(None),
            #[cfg(target_os = "linux")]
            x11_drops: None,
            files: FileWatch::new(sender(&proxy, UserEvent::FilesChanged)),
            shaders: None,
            settings_file,
            dropped: Vec::new(),
            script,
            title: state.session.title(),
            repaint_at: None,
            focused: false,
            covered: false,
            pressed_keys: HashMap::new(),
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

    /// Starts effects that need no window, such as loads from the command line.
    fn start_effects(&mut self) {
        for effect in std::mem::take(&mut self.state.effects) {
            match effect {
                Effect::Load(request) => self.load(request),
                other => self.state.effects.push(other),
            }
        }
    }

    /// Runs the next command of the script, once the file is shown and the last command is done. A
    /// command that fails ends the script, and the program if the script would have quit.
    fn run_script(&mut self, event_loop: &ActiveEventLoop) {
        let state = &mut self.state;
        let is_busy = self.loader.loading().is_some()
            || state.session.open.is_none()
            || state.session.view.framing.is_some()
            || state.notices.saving.is_some()
            || state.session.tools.finding.is_running
            || state.session.is_attaching();
        if self.script.is_done() || is_busy {
            return;
        }
        let failed = state.notices.last_error().map(str::to_owned);
        let failed = failed.filter(|_| self.script.has_begun());
        let result = failed.map_or_else(
            || self.script.step(state).map_err(|error| error.to_string()),
            Err,
        );
        if let Err(why) = result {
            let quits = self.script.end();
            if quits {
                self.error = Some(ViewError::Script(why));
                self.quit(event_loop);
                return;
            }
            // Ignore errors: without an output, the window still shows the message.
            let _ignored = writeln!(std::io::stderr(), "error: {}", printable(&why));
            self.state.notices.toast(why, Some(Severity::Error));
        }
        self.request_redraw();
    }

    /// Runs the pending effects of the state.
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
            Effect::Attach(request) => self.attach(request),
            Effect::Find(request) => self.find(request),
            Effect::AskPath(purpose) => self.ask_path(purpose),
            Effect::SavePicture(path) => self.save_picture(path),
            Effect::SaveAnimation(destination) => self.save_animation(destination),
            Effect::SaveMap(path) => self.save_map(path),
            Effect::SaveLayout(texture, path) => self.save_layout(texture, path),
            Effect::Export(path) => self.export(path),
            Effect::CopyPicture => self.copy_picture(),
            Effect::Copy(text) => self.clipboard.copy(text),
            Effect::Edit(file, place) => {
                let opened = editor::open(&self.state.settings.editor, &file, place);
                self.report_start(opened);
            }
            Effect::ShowInFolder(file) => {
                let shown = editor::show_in_folder(&file);
                self.report_start(shown);
            }
            Effect::PastePose => self.paste(PasteTarget::Camera),
            Effect::SaveSettings => self.save_settings(),
            Effect::FullScreen(on) => {
                if let Some(screen) = &self.screen {
                    let mode = on.then_some(Fullscreen::Borderless(None));
                    screen.window.set_fullscreen(mode);
                }
            }
            Effect::Quit => self.quit(event_loop),
        }
    }

    /// Reports why a program was not started.
    fn report_start(&mut self, started: Result<(), EditorError>) {
        if let Err(error) = started {
            let text = error.to_string();
            self.state.notices.toast(text, Some(Severity::Error));
        }
    }

    fn quit(&mut self, event_loop: &ActiveEventLoop) {
        if !event_loop.exiting() {
            self.loader.cancel();
            self.save_settings();
            self.events.write("closed");
            event_loop.exit();
        }
    }
}
