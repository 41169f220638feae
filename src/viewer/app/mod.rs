//! The window itself: events in, frames out.

mod clipboard;
#[cfg(target_os = "linux")]
mod drops;
pub(crate) mod events;
mod icon;
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

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use egui::OutputCommand;
use egui_winit::accesskit_winit;
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
#[cfg(target_os = "linux")]
use winit::event::{ElementState, MouseButton};
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
#[cfg(target_os = "linux")]
use winit::platform::wayland::WindowAttributesExtWayland as _;
use winit::window::{Fullscreen, Theme, Window, WindowId};

use crate::images::animation::DEFAULT_FPS;
use crate::images::series::Destination;
use crate::images::shots::Shot;
use crate::viewer::commands::Action;
use crate::viewer::docks::Panel;
use crate::viewer::format::counted;
use crate::viewer::io::loader::Loader;
use crate::viewer::io::settings_file::SettingsFile;
use crate::viewer::io::watch::FileWatch;
use crate::viewer::io::{compare, drop_preview, search};
use crate::viewer::panels::FrameStatistics;
use crate::viewer::state::animation::SavingView;
use crate::viewer::state::compare::{CompareOutcome, CompareRequest};
use crate::viewer::state::interface::{Asked, DropPreview, HoveringFiles, PathPurpose};
use crate::viewer::state::load::{Cause, LoadRequest, Outcome};
use crate::viewer::state::notices::{LoadingView, Subject};
use crate::viewer::state::playlist::{FileList, Origin};
use crate::viewer::state::{self, Effect, State};
use crate::viewer::ui::{Canvas, WindowUi, dialogs};
use crate::viewer::{ViewError, places, theme};
use clipboard::{Clipboard, PasteTarget, Pasted};
#[cfg(target_os = "linux")]
use drops::{DeviceEvent, Dragged};
use events::{Events, Loss};
use mapscope_formats::Severity;
use mapscope_render::{Gpu, Interfaces, Renderer, Samples};
use mapscope_scene::Progress;
use mapscope_scene::camera::Camera;
use mapscope_scene::saving::{APNG, GIF, PNG, files_read};
use pointer_lock::PointerLock;
use portions::Portions;
use previews::{LivePreviews, PreviewTextures};
use saving::{Device, ImageOrder, SaveJob, Saved, replaced_text};
use scale::WindowScale;
use surface::{Next, WindowSurface};
use view_texture::{Extent, ViewTexture};

/// How often in a row a graphics device is lost before it is given up.
const MAX_LOSSES: u32 = 5;
/// A device that was there for so long is not lost in a row with the one before.
const LASTING: Duration = Duration::from_secs(10);
/// How many pixels of a picture are drawn at once along a side, at least: parts that are much smaller
/// would take more time than they give back to the window.
const MIN_PART_SIDE: u32 = 1024;
/// A system dialog that answers "nothing" sooner than this was never shown.
const FASTEST_CANCEL: Duration = Duration::from_millis(400);
/// What the desktop knows the program by: the name of its desktop entry and of its icon.
#[cfg(target_os = "linux")]
const APP_ID: &str = "mapscope";

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

/// The window and everything that is made for it.
struct Screen {
    window: Arc<Window>,
    gpu: Gpu,
    /// Whether the device is known to be gone.
    is_lost: Arc<AtomicBool>,
    surface: WindowSurface,
    input: egui_winit::State,
    painter: egui_wgpu::Renderer,
    renderer: Renderer,
    view: ViewTexture,
    previews: PreviewTextures,
    pointer: PointerLock,
    /// The window is shown together with its first frame, so that it is never empty.
    visible: bool,
}

/// The program while its window is open.
pub(crate) struct App {
    proxy: EventLoopProxy<UserEvent>,
    /// The graphics interfaces that are asked first.
    interfaces: Interfaces,
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
        (interfaces, instance): (Interfaces, JoinHandle<wgpu::Instance>),
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
            title: state.title(),
            repaint_at: None,
            focused: false,
            covered: false,
            super_held: false,
            filled_screen: false,
            has_dialogs: dialogs::system_has_some(),
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

    fn load(&mut self, request: LoadRequest) {
        let chosen = self.state.settings.chosen_maps.clone();
        self.loader
            .start(request, self.state.open_options(), chosen);
        self.show_loading();
    }

    fn open_window(&mut self, event_loop: &ActiveEventLoop) -> Result<Screen, ViewError> {
        let screen = event_loop
            .primary_monitor()
            .or_else(|| event_loop.available_monitors().next());
        let screen = screen.map(|screen| {
            let size = screen.size().to_logical::<f32>(screen.scale_factor());
            [size.width, size.height]
        });
        let [width, height] = self.state.settings.window_size_on(screen);
        let attributes = Window::default_attributes()
            .with_title(&self.title)
            .with_inner_size(LogicalSize::new(width, height))
            .with_min_inner_size(LogicalSize::new(480.0, 320.0))
            .with_maximized(self.state.settings.maximized)
            .with_theme(Some(Theme::Dark))
            .with_window_icon(icon::window_icon())
            .with_visible(false);
        // By this name the desktop finds icon and name of the program; on X11 too.
        #[cfg(target_os = "linux")]
        let attributes = attributes.with_name(APP_ID, APP_ID);
        let window = Arc::new(event_loop.create_window(attributes)?);
        #[cfg(target_os = "linux")]
        {
            x11::set_background(&window, theme::background(true));
            self.x11_drops = x11::Drops::start(&window, sender(&self.proxy, UserEvent::Device));
        }
        let mut input = egui_winit::State::new(
            self.egui.clone(),
            egui::ViewportId::ROOT,
            &*window,
            Some(window.scale_factor() as f32),
            window.theme(),
            None,
        );
        input.set_clipboard_shortcuts(false);
        #[cfg(target_os = "linux")]
        {
            let tell = sender(&self.proxy, UserEvent::Device);
            self.clipboard = Clipboard::new(event_loop.owned_display_handle(), tell);
        }
        input.init_accesskit(event_loop, &window, self.proxy.clone());
        let instance = self.instance.take().map(JoinHandle::join);
        let instance = instance.and_then(Result::ok);
        let screen = self.screen_on(window, input, instance, event_loop)?;
        self.name_adapter(&screen.gpu);
        self.watch_shaders();
        Ok(screen)
    }

    /// Makes everything that is drawn with for a window. The instance is one of the interfaces that
    /// are asked first.
    fn screen_on(
        &self,
        window: Arc<Window>,
        input: egui_winit::State,
        instance: Option<wgpu::Instance>,
        event_loop: &ActiveEventLoop,
    ) -> Result<Screen, ViewError> {
        let new_instance = |interfaces: Interfaces| {
            interfaces.instance(Some(Box::new(event_loop.owned_display_handle())))
        };
        let first = self.interfaces;
        let instance = instance.unwrap_or_else(|| new_instance(first));
        let opened = surface::open(&window, first, instance).or_else(|error| {
            match (first.next(), &error) {
                (Some(next), ViewError::Gpu(no_adapter)) if no_adapter.is_no_adapter() => {
                    // If that is in vain too, the first error says what was missing.
                    surface::open(&window, next, new_instance(next)).map_err(|_| error)
                }
                _ => Err(error),
            }
        });
        let (gpu, surface) = opened?;
        let gpu = gpu.with_samples(self.samples);
        Screen::new(window, input, gpu, surface, &self.proxy)
    }

    fn name_adapter(&mut self, gpu: &Gpu) {
        self.state.interface.adapter = gpu.adapter_name();
        self.state.interface.adapter_and_reason = gpu.adapter_text();
        self.state.interface.anti_aliasing = gpu.samples.to_string();
    }

    /// In debug builds the view follows the shaders on disk.
    fn watch_shaders(&mut self) {
        let Some(folder) = mapscope_render::shader_folder() else {
            return;
        };
        let parts = mapscope_render::SHADERS
            .iter()
            .flat_map(|shader| shader.parts);
        let files: Vec<PathBuf> = parts.map(|(name, _)| folder.join(name)).collect();
        let mut watch = FileWatch::new(sender(&self.proxy, UserEvent::ShadersChanged));
        watch.set(files.iter().map(PathBuf::as_path));
        self.shaders = Some(watch);
    }

    fn request_redraw(&self) {
        if let Some(screen) = &self.screen {
            screen.window.request_redraw();
        }
    }

    fn show_loading(&mut self) {
        self.state.notices.loading = self.loader.loading().map(|loading| LoadingView {
            name: loading.name.clone(),
            fraction: loading.progress.fraction(),
            seen: loading.seen(),
        });
    }

    /// Whether nothing of the window can be seen: what plays in it then rests.
    fn is_out_of_sight(&self) -> bool {
        let screen = self.screen.as_ref().filter(|screen| screen.visible);
        screen.is_some_and(|screen| {
            // Only a window without the keyboard is minimised; asking the system takes time.
            self.covered || !self.focused && screen.window.is_minimized() == Some(true)
        })
    }

    /// Shows one frame.
    fn draw(&mut self) {
        if self.is_out_of_sight() {
            return;
        }
        self.show_loading();
        let Some(screen) = &mut self.screen else {
            return;
        };
        if self.events.is_lost_now(Loss::Surface) {
            screen.surface.lose();
        }
        // Before anything else: once the window's contents are made they must be shown.
        let frame = match screen.surface.next(&screen.gpu) {
            Next::Draw(frame) => frame,
            Next::Again => {
                screen.window.request_redraw();
                return;
            }
            Next::Never => {
                screen.hear_of_loss();
                return;
            }
        };
        if self.events.is_lost_now(Loss::Device) {
            screen.gpu.device.destroy();
            screen.hear_of_loss();
        }
        if !screen.visible {
            screen.visible = true;
            screen.window.set_visible(true);
        }
        let zoom = self.state.settings.scale * self.scale.zoom(&screen.window);
        self.egui.set_zoom_factor(zoom);
        let mut raw = screen.input.take_egui_input(&screen.window);
        // The state knows of files that hover. While egui does too, it draws without a pause.
        raw.hovered_files.clear();
        let adapter = self.state.interface.adapter.clone();
        self.state.interface.chunks_shown = screen.view.progress();
        screen.view.take_times(&screen.gpu, &mut screen.renderer);
        let frame_statistics = FrameStatistics {
            frame_ms: screen.view.frame_ms,
            passes: screen.view.passes,
            has_timestamps: screen.gpu.has_timestamps(),
            triangles: screen.view.statistics.triangles,
            draw_calls: screen.view.statistics.draw_calls,
            shadow_triangles: screen.view.statistics.shadow_triangles,
            gpu_bytes: screen.view.gpu_bytes(),
            cpu_bytes: self.state.document().map_or(0, |d| d.cpu_bytes()),
            adapter: &adapter,
        };
        let mut previews = LivePreviews::new(
            &screen.gpu,
            &mut screen.renderer,
            &mut screen.painter,
            &mut screen.view,
            &mut screen.previews,
            self.state.files.open.clone(),
            egui_winit::pixels_per_point(&self.egui, &screen.window),
        );
        let mut canvas = Canvas {
            frame: frame_statistics,
            previews: &mut previews,
        };
        let mut viewport = None;
        // What is asked for after a while is meant from now on, however long the frame takes.
        let began = Instant::now();
        let mut output = self.egui.run_ui(raw, |ui| {
            viewport = self.ui.show(ui, &mut self.state, &mut canvas);
        });
        if previews.unfinished() {
            screen.window.request_redraw();
        }
        screen
            .pointer
            .hold(&screen.window, self.state.pointer.looking);
        let mut platform = output.platform_output;
        platform.commands.retain_mut(|command| match command {
            OutputCommand::CopyText(text) => {
                self.clipboard.copy(std::mem::take(text));
                false
            }
            OutputCommand::TextSelectionSettled(text) => {
                self.clipboard.copy_selection(std::mem::take(text));
                false
            }
            _ => true,
        });
        screen
            .input
            .handle_platform_output(&screen.window, platform);
        let pixels_per_point = output.pixels_per_point;
        if let Some(rect) = viewport.filter(|_| !screen.is_lost()) {
            let size = [rect.width(), rect.height()]
                .map(|side| (side * pixels_per_point).round().max(1.0) as u32);
            let measure = self.state.is_panel_open(Panel::Statistics);
            let drawn = screen.view.update(
                &screen.gpu,
                &mut screen.renderer,
                &self.state,
                Extent {
                    size,
                    pixels_per_point,
                },
                measure,
            );
            if let Err(error) = &drawn {
                self.state.refuse(&error.to_string());
                screen.window.request_redraw();
            }
            if self.state.interface.chunks_shown != screen.view.progress() {
                // For the next chunks, or to say that all are there.
                screen.window.request_redraw();
            }
            let drawn = drawn.unwrap_or(false);
            if drawn {
                self.events.scene_frame();
            }
            if measure && (drawn || screen.renderer.awaits_pass_times()) {
                // So that the panel shows what this frame took.
                screen.window.request_redraw();
            }
        }
        let jobs = self.egui.tessellate(output.shapes, pixels_per_point);
        // What paints the interface takes the memory of a device for granted.
        if screen.is_lost() {
            output.textures_delta.clear();
            return;
        }
        let view_place = viewport.map(|rect| {
            let rect = rect * pixels_per_point;
            [rect.min.x, rect.min.y, rect.width(), rect.height()].map(f32::round)
        });
        let textures = output.textures_delta;
        screen.paint(frame, &jobs, textures, pixels_per_point, view_place);
        if self.events.enabled() {
            // Who reads that there is a frame looks at the screen at once.
            screen.wait();
        }
        self.events.frame();
        screen.hear_of_loss();
        self.events
            .state(&self.state, &places::take(&self.egui), pixels_per_point);
        let delay = output
            .viewport_output
            .get(&egui::ViewportId::ROOT)
            .map_or(Duration::MAX, |output| output.repaint_delay);
        if delay.is_zero() {
            screen.window.request_redraw();
        }
        self.repaint_at = began.checked_add(delay).filter(|_| !delay.is_zero());
    }

    /// Does what only the window can do.
    fn carry_out_effects(&mut self, event_loop: &ActiveEventLoop) {
        while !self.state.effects.is_empty() {
            for effect in std::mem::take(&mut self.state.effects) {
                self.carry_out(effect, event_loop);
            }
            self.request_redraw();
        }
        let title = self.state.title();
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

    /// Writes the settings that were changed here, and takes over those that other windows changed.
    fn save_settings(&mut self) {
        let Some(file) = &mut self.settings_file else {
            return;
        };
        match file.save(&self.state.settings_to_keep()) {
            Ok(Some(merged)) => {
                self.state.notices.end(&Subject::Settings);
                self.state.adopt_settings(merged);
            }
            Ok(None) => {}
            Err(text) => {
                let severity = Some(Severity::Warning);
                let notices = &mut self.state.notices;
                notices.toast_about(Subject::Settings, text, severity);
            }
        }
    }

    /// Takes over the settings that other windows changed.
    fn look_at_settings(&mut self) {
        let Some(file) = &mut self.settings_file else {
            return;
        };
        let settings = self.state.settings_to_keep();
        if let Some(merged) = file.look(&settings) {
            self.state.adopt_settings(merged);
        }
    }

    fn watch_open_file(&mut self) {
        let mut files = Vec::new();
        let mut read_at = SystemTime::now();
        if let Some(open) = self.state.open_file().filter(|open| open.demo.is_none()) {
            read_at = open.read_at;
            files.push(open.path.clone());
            files.extend(open.document.about().dependencies.iter().cloned());
        }
        self.files
            .set_since(files.iter().map(PathBuf::as_path), read_at);
        self.tell_of_unwatched_files();
    }

    fn tell_of_unwatched_files(&mut self) {
        if let Some(trouble) = self.files.take_trouble() {
            self.state.notices.toast(trouble, Some(Severity::Warning));
        }
    }

    /// Looks which files are where those of a list come from, on a thread of its own.
    fn list_files(&self, number: u64, origin: Origin) {
        let listed = sender(&self.proxy, |(number, files)| {
            UserEvent::Listed(number, files)
        });
        std::thread::spawn(move || {
            if let Some(files) = search::list(origin) {
                listed((number, files));
            }
        });
    }

    /// Compares the open file with another, on a thread of its own.
    fn compare(&mut self, request: CompareRequest) {
        let compared = sender(&self.proxy, |outcome| {
            UserEvent::Compared(Box::new(outcome))
        });
        let job = move || compared(compare::run(request));
        if let Err(error) = std::thread::Builder::new().spawn(job) {
            let text = format!("There is no thread to compare with: {error}");
            self.state.notices.toast(text, Some(Severity::Error));
        }
    }

    /// Asks for a path with the system's dialog, on a thread of its own, or in the window where
    /// the system has none.
    fn ask_path(&mut self, purpose: PathPurpose) {
        if !self.has_dialogs {
            self.state.ask_path(purpose);
            return;
        }
        let mut dialog = rfd::AsyncFileDialog::new();
        if let Some(screen) = &self.screen {
            dialog = dialog.set_parent(&*screen.window);
        }
        let open = self.state.open_file();
        if let Some(folder) = open.and_then(|open| open.path.parent()) {
            dialog = dialog.set_directory(folder);
        }
        type Answer = std::pin::Pin<Box<dyn Future<Output = Vec<rfd::FileHandle>> + Send>>;
        let answer: Answer = match purpose {
            PathPurpose::Open => {
                let formats = mapscope_scene::formats();
                let endings = formats.flat_map(|format| format.endings).copied();
                let endings: Vec<&str> = endings.collect();
                dialog = dialog.add_filter("What Mapscope opens", &endings);
                let files = dialog.add_filter("All files", &["*"]).pick_files();
                Box::pin(async { files.await.unwrap_or_default() })
            }
            PathPurpose::Compare => {
                let document = open.map(|open| open.document.about().format);
                if let Some(format) = document {
                    dialog = dialog.add_filter(format.name, format.endings);
                }
                let file = dialog.add_filter("All files", &["*"]).pick_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::SceneMap => {
                let endings = mapscope_formats::pfmap::FORMAT.endings;
                dialog = dialog.add_filter("Maps", endings);
                let file = dialog.add_filter("All files", &["*"]).pick_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::SavePicture | PathPurpose::SaveAnimation | PathPurpose::SaveMap => {
                let kinds = match purpose {
                    PathPurpose::SaveAnimation => &[GIF, APNG, PNG][..],
                    _ => &[PNG],
                };
                for kind in kinds {
                    dialog = dialog.add_filter(kind.name, &[kind.ending]);
                }
                if let (Some(open), Some(kind)) = (open, kinds.first()) {
                    let path = state::suggested_image(&open.path, *kind);
                    dialog = dialog.set_file_name(state::folder::name(&path));
                }
                let file = dialog.save_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::Export => {
                for target in self.state.targets() {
                    dialog = dialog.add_filter(target.kind.name, &[target.kind.ending]);
                }
                let suggested = self.state.suggested_export();
                let file = dialog
                    .set_file_name(state::folder::name(&suggested))
                    .save_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
            PathPurpose::TextureFolder => {
                let folder = dialog.pick_folder();
                Box::pin(async { folder.await.into_iter().collect() })
            }
        };
        let proxy = self.proxy.clone();
        let job = move || {
            let start = Instant::now();
            let files = pollster::block_on(answer);
            let paths = files.iter().map(|file| file.path().to_owned()).collect();
            let answered = UserEvent::PathsAnswered(purpose, paths, start.elapsed());
            let _gone = proxy.send_event(answered);
        };
        if std::thread::Builder::new().spawn(job).is_err() {
            self.state.ask_path(purpose);
        }
    }

    /// Saves a picture of the view.
    fn save_picture(&mut self, path: PathBuf) {
        let (camera, shots) = (self.state.view.camera, vec![Shot::numbered(0)]);
        let destination = Destination::Images(vec![path]);
        self.save_images(camera, shots, DEFAULT_FPS, destination);
    }

    /// Saves an animation of the view.
    fn save_animation(&mut self, destination: Destination) {
        let fps = self.state.interface.animation.fps;
        let camera = self.state.animation_camera();
        self.save_images(camera, self.state.animation_shots(), fps, destination);
    }

    fn save_images(
        &mut self,
        camera: Camera,
        shots: Vec<Shot>,
        fps: f32,
        destination: Destination,
    ) {
        let Some(document) = self.state.document().cloned() else {
            return;
        };
        let pixels_per_point = self.egui.pixels_per_point();
        let (view, size) = view_texture::picture_of(&self.state, camera, pixels_per_point);
        // The window's own frames wait for each part.
        let [width, height] = self.state.view.size_px;
        let max_side = width.max(height).max(MIN_PART_SIDE);
        let order = ImageOrder {
            document,
            view,
            size,
            max_side,
            shots,
            fps,
            destination,
        };
        if order.destination.paths().is_empty() {
            let why = "there is nothing to look at on the way".to_owned();
            self.saved(Saved::Failed(why));
        } else {
            self.save_again = Some(order.clone());
            self.start_saving(order);
        }
    }

    fn start_saving(&mut self, order: ImageOrder) {
        let paths = order.destination.paths();
        let (Some(screen), Some(first)) = (&self.screen, paths.first()) else {
            return;
        };
        let device = Device {
            gpu: screen.gpu.clone(),
            is_lost: Arc::clone(&screen.is_lost),
        };
        let (progress, done) = self.begin_saving(first, paths.len());
        self.saving = Some(SaveJob::images(device, order, progress, done));
    }

    /// Saves images once more whose device was lost, as soon as there is another.
    fn save_again(&mut self) {
        let screen = self.screen.as_ref().filter(|screen| !screen.is_lost());
        if screen.is_some()
            && self.saving.is_none()
            && let Some(order) = self.save_again.take()
        {
            self.events.say("saving-again");
            self.start_saving(order);
        }
    }

    /// Says that so many files are saved, and gives what its thread needs to say how far it is and how it
    /// ends.
    fn begin_saving(
        &mut self,
        first: &Path,
        files: usize,
    ) -> (Arc<Progress>, impl FnOnce(Saved) + use<>) {
        let progress = Arc::new(Progress::default());
        first.clone_into(&mut self.saving_to);
        self.state.notices.saving = Some(SavingView {
            name: state::folder::name(first),
            files,
            progress: Arc::clone(&progress),
        });
        (progress, sender(&self.proxy, UserEvent::ImagesSaved))
    }

    /// Says how saving something ended.
    fn saved(&mut self, saved: Saved) {
        self.saving = None;
        self.state.notices.saving = None;
        if saved == Saved::DeviceLost && self.save_again.is_some() {
            self.save_again();
            return;
        }
        self.save_again = None;
        let (text, severity) = match saved {
            Saved::Files(first, count, losses) => {
                let path = first.display();
                self.events.say(format_args!("saved {path}"));
                let others = match count {
                    0 | 1 => String::new(),
                    _ => format!(" and {}", counted(count - 1, "other")),
                };
                let mut text = format!("Saved {path}{others}");
                for loss in &losses {
                    text.extend(["\n", loss]);
                }
                (text, None)
            }
            Saved::Cancelled(replaced) => {
                self.events.say("not-saved cancelled");
                (format!("Cancelled{}", replaced_text(replaced)), None)
            }
            Saved::DeviceLost => {
                self.events.say("not-saved device lost");
                let text = "Saving failed: the graphics driver has stopped twice while drawing";
                (text.to_owned(), Some(Severity::Error))
            }
            Saved::Failed(error) => {
                self.events.say(format_args!("not-saved {error}"));
                let text = format!("Saving failed: {error}");
                (text, Some(Severity::Error))
            }
        };
        let subject = Subject::Save(std::mem::take(&mut self.saving_to));
        self.state.notices.end(&subject);
        self.state.notices.toast_about(subject, text, severity);
    }

    /// Puts what the view shows on the clipboard.
    fn copy_picture(&mut self) {
        let Some(screen) = &mut self.screen else {
            return;
        };
        let image = screen
            .view
            .take(&screen.gpu, &mut screen.renderer, &self.state);
        match image.and_then(|image| self.clipboard.copy_image(image)) {
            Ok(()) => {
                self.events.say("picture-copied");
                self.state.notices.toast("Picture copied", None);
            }
            Err(error) => {
                let text = format!("The picture was not copied: {error}");
                self.state.notices.toast(text, Some(Severity::Error));
            }
        }
    }

    /// Saves the image of the whole map.
    fn save_map(&mut self, path: PathBuf) {
        let Some(document) = self.state.document().cloned() else {
            return;
        };
        let shown = self.state.view.shown.clone();
        let (progress, done) = self.begin_saving(&path, 1);
        self.saving = Some(SaveJob::map(document, shown, path, progress, done));
    }

    /// Writes what is open as a file of another program.
    fn export(&mut self, path: PathBuf) {
        let Some(open) = self.state.open_file() else {
            return;
        };
        let document = Arc::clone(&open.document);
        let read = files_read(&open.path, &*document);
        let (progress, done) = self.begin_saving(&path, 1);
        self.saving = Some(SaveJob::export(document, read, path, progress, done));
    }

    /// Asks for the text on the clipboard.
    fn paste(&mut self, target: PasteTarget) {
        if let Some(pasted) = self.clipboard.paste(target) {
            self.pasted(target, pasted);
        }
    }

    /// Puts a text from the clipboard where it is wanted.
    fn pasted(&mut self, target: PasteTarget, pasted: Pasted) {
        let text = match pasted {
            Ok(text) => text.replace("\r\n", "\n"),
            Err(error) => {
                self.events.say(format_args!("not-pasted {error}"));
                let text = format!("Nothing was pasted: {error}");
                self.state.notices.toast(text, Some(Severity::Error));
                return;
            }
        };
        let event = match target {
            PasteTarget::Camera => {
                self.state.paste_pose(&text);
                return;
            }
            _ if text.is_empty() => return,
            PasteTarget::Focused => egui::Event::Paste(text),
            PasteTarget::At(pos) => egui::Event::MiddleClickPaste { pos, text },
        };
        if let Some(screen) = &mut self.screen {
            screen.input.egui_input_mut().events.push(event);
        }
    }

    /// What the desktop says of drops and the clipboard.
    #[cfg(target_os = "linux")]
    fn hear_device(&mut self, event: DeviceEvent) {
        match event {
            DeviceEvent::Over(dragged) if dragged.is_refused_whole() => {
                let title = dragged.refusal.unwrap_or_default();
                self.events.say(format_args!("hover-refused {title}"));
                self.state.interface.hovering = Some(HoveringFiles {
                    paths: Vec::new(),
                    preview: Some(DropPreview {
                        opens: None,
                        title,
                        detail: String::new(),
                    }),
                });
            }
            DeviceEvent::Over(Dragged { paths, .. }) => {
                self.state.interface.hovering = Some(HoveringFiles::default());
                if !paths.is_empty() {
                    self.hover(paths);
                }
            }
            DeviceEvent::Left => self.end_hover(),
            DeviceEvent::Dropped(Dragged { paths, refusal }) => {
                self.end_hover();
                self.dropped.extend(paths);
                if let Some(refusal) = refusal {
                    self.events.say(format_args!("not-dropped {refusal}"));
                    self.state.notices.toast(refusal, Some(Severity::Error));
                }
            }
            DeviceEvent::Pasted(target, pasted) => self.pasted(target, pasted),
        }
    }

    fn hovered(&mut self, path: PathBuf) {
        let hovering = self.state.interface.hovering.get_or_insert_default();
        if hovering.paths.contains(&path) {
            return;
        }
        let mut paths = std::mem::take(&mut hovering.paths);
        paths.push(path);
        self.hover(paths);
    }

    /// Shows that files are held over the window, and soon what dropping them would do.
    fn hover(&mut self, paths: Vec<PathBuf>) {
        self.state.interface.hovering = Some(HoveringFiles {
            paths: paths.clone(),
            preview: None,
        });
        // Reading a folder may take long: not here.
        let previewed = sender(&self.proxy, |(paths, preview)| {
            UserEvent::DropPreviewed(paths, preview)
        });
        std::thread::spawn(move || {
            let preview = drop_preview::preview_drop(&paths);
            previewed((paths, preview));
        });
    }

    fn end_hover(&mut self) {
        if self.state.interface.hovering.take().is_some() {
            self.events.say("hover-end");
            self.request_redraw();
        }
    }

    fn loaded(&mut self, outcome: Outcome) {
        if !self.loader.finish(&outcome) {
            return;
        }
        self.state.notices.loading = None;
        for failure in &outcome.failures {
            let (path, line) = (failure.path.display(), failure.message.replace('\n', " "));
            self.events.say(format_args!("failed {path}: {line}"));
        }
        let what = if outcome.request.cause.is_reload() {
            "reloaded"
        } else {
            "opened"
        };
        let version = |state: &State| state.files.open.as_ref().map(|open| open.version);
        let before = version(&self.state);
        self.state.loaded(outcome);
        if let Some(open) = &self.state.files.open {
            let path = open.path.display();
            if version(&self.state) != before {
                self.events.say_with_frame(format!("{what} {path}"));
            } else if self.state.files.on_disk.is_some() {
                self.events.say_with_frame(format!("kept {path}"));
            }
        }
        self.save_settings();
    }

    fn reload_shaders(&mut self) {
        let Some(screen) = &mut self.screen else {
            return;
        };
        match screen.renderer.reload_shaders(&screen.gpu) {
            Ok(()) => {
                screen.view.invalidate();
                screen.previews.clear(&mut screen.painter);
                self.state.notices.toast("Shaders reloaded", None);
            }
            Err(error) => self.state.notices.toast(error, Some(Severity::Error)),
        }
    }

    /// Makes everything that was on a device that is gone again on a new one. Documents are kept
    /// in memory, so nothing is lost.
    fn rebuild(&mut self, reason: &str, event_loop: &ActiveEventLoop) {
        let Some(screen) = self.screen.take() else {
            return;
        };
        let before = self.lost.filter(|(_, at)| at.elapsed() < LASTING);
        let count = before.map_or(0, |(count, _)| count) + 1;
        if count == MAX_LOSSES {
            self.error = Some(ViewError::DeviceLost(count, reason.to_owned()));
            self.quit(event_loop);
            return;
        }
        log::warn!("the graphics device was lost ({reason}); starting it again");
        let (window, input, pointer) = screen.into_kept();
        match self.screen_on(window, input, None, event_loop) {
            Ok(mut screen) => {
                self.lost = Some((count, Instant::now()));
                screen.visible = true;
                screen.pointer = pointer;
                screen.upload_fonts(&self.egui);
                self.ui.forget_textures();
                self.name_adapter(&screen.gpu);
                screen.window.request_redraw();
                self.screen = Some(screen);
                let text = "The graphics driver was restarted";
                self.state.notices.toast(text, Some(Severity::Warning));
                self.events.say("device-restored");
                if self.saving.is_none() {
                    self.save_again();
                }
            }
            Err(error) => {
                self.error = Some(error);
                self.quit(event_loop);
            }
        }
    }
}

impl Screen {
    fn new(
        window: Arc<Window>,
        mut input: egui_winit::State,
        gpu: Gpu,
        surface: wgpu::Surface<'static>,
        proxy: &EventLoopProxy<UserEvent>,
    ) -> Result<Self, ViewError> {
        let is_lost = Arc::new(AtomicBool::new(false));
        let known = Arc::clone(&is_lost);
        let lost = sender(proxy, UserEvent::DeviceLost);
        let lose = Arc::new(move |reason: String| {
            if !known.swap(true, Ordering::Relaxed) {
                lost(reason);
            }
        });
        let fail = Arc::clone(&lose);
        gpu.device.set_device_lost_callback(move |reason, message| {
            lose(format!("{reason:?}: {message}"));
        });
        // A device without memory is of as little use. Without this, wgpu answers with a panic, also to
        // whatever is asked of a device that was lost.
        gpu.device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| fail(error.to_string())));
        let surface = WindowSurface::new(surface, Arc::clone(&window), &gpu)?;
        let most = gpu.device.limits().max_texture_dimension_2d;
        input.set_max_texture_side(most as usize);
        let options = egui_wgpu::RendererOptions::default();
        let painter = egui_wgpu::Renderer::new(&gpu.device, surface.format(), options);
        let renderer = Renderer::new(&gpu);
        let view = ViewTexture::new(&gpu, surface.format());
        Ok(Self {
            window,
            gpu,
            is_lost,
            surface,
            input,
            painter,
            renderer,
            view,
            previews: PreviewTextures::default(),
            pointer: PointerLock::default(),
            visible: false,
        })
    }

    /// What outlives the device. All else goes at once: a window can have only one surface that is
    /// drawn on.
    fn into_kept(self) -> (Arc<Window>, egui_winit::State, PointerLock) {
        (self.window, self.input, self.pointer)
    }

    /// Waits until the device has done everything it was told to.
    fn wait(&self) {
        self.poll(wgpu::PollType::wait_indefinitely());
    }

    /// Lets the device say that it is lost: it does so only when asked.
    fn hear_of_loss(&self) {
        self.poll(wgpu::PollType::Poll);
    }

    /// Whether the device is known to be lost.
    fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    fn poll(&self, how: wgpu::PollType) {
        if let Err(error) = self.gpu.device.poll(how) {
            log::debug!("waiting for the graphics device: {error}");
        }
    }

    /// Puts the letters on a new device: egui believes that they are there already.
    fn upload_fonts(&mut self, egui: &egui::Context) {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method alone has too narrow a lifetime"
        )]
        let image = egui.fonts(|fonts| fonts.image());
        let delta = epaint::ImageDelta::full(image, egui::TextureOptions::LINEAR);
        let id = egui::TextureId::default();
        self.painter
            .update_texture(&self.gpu.device, &self.gpu.queue, id, &delta);
    }

    /// Draws the window's contents and presents them. The view, where it is shown, lies below all else:
    /// `view_place` is its `[left, top, width, height]` in physical pixels.
    #[expect(
        clippy::iter_over_hash_type,
        reason = "each texture is changed by itself, in any order"
    )]
    fn paint(
        &mut self,
        frame: wgpu::SurfaceTexture,
        jobs: &[egui::ClippedPrimitive],
        mut textures: egui::TexturesDelta,
        pixels_per_point: f32,
        view_place: Option<[f32; 4]>,
    ) {
        let Gpu { device, queue, .. } = &self.gpu;
        for (id, deltas) in textures.set.drain() {
            for delta in deltas {
                self.painter.update_texture(device, queue, id, &delta);
            }
        }
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: self.surface.size(),
            pixels_per_point,
        };
        let background = theme::background(view_place.is_some());
        let mut encoder = device.create_command_encoder(&Default::default());
        let before = self
            .painter
            .update_buffers(device, queue, &mut encoder, jobs, &screen);
        let view = frame.texture.create_view(&Default::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("window"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(self.surface.color(background)),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            })
            .forget_lifetime();
        if let Some(place) = view_place {
            self.view.copy(&mut pass, place);
        }
        self.painter.render(&mut pass, jobs, &screen);
        drop(pass);
        queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in textures.free.drain() {
            self.painter.free_texture(&id);
        }
        self.window.pre_present_notify();
        queue.present(frame);
    }
}

impl ApplicationHandler<UserEvent> for App {
    fn new_events(&mut self, _event_loop: &ActiveEventLoop, cause: StartCause) {
        if let StartCause::ResumeTimeReached { .. } = cause
            && self.repaint_at.is_some_and(|at| Instant::now() >= at)
        {
            self.repaint_at = None;
            self.request_redraw();
        }
    }

    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.is_some() {
            return;
        }
        match self.open_window(event_loop) {
            Ok(screen) => {
                screen.window.request_redraw();
                self.screen = Some(screen);
                self.events.say("ready");
            }
            Err(error) => {
                self.error = Some(error);
                event_loop.exit();
            }
        }
    }

    fn window_event(
        &mut self,
        event_loop: &ActiveEventLoop,
        _id: WindowId,
        mut event: WindowEvent,
    ) {
        let Some(screen) = &mut self.screen else {
            return;
        };
        self.scale.hear(&mut event, &screen.window);
        if let WindowEvent::ModifiersChanged(modifiers) = &event {
            self.super_held = modifiers.state().super_key();
        }
        // With it keys are the desktop's. On macOS it is Command, the key of shortcuts.
        let is_press =
            matches!(&event, WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed());
        if is_press && self.super_held && !cfg!(target_os = "macos") {
            return;
        }
        // A file that hovers is told of again and again: not a reason for a frame each time.
        let about_files = matches!(
            event,
            WindowEvent::HoveredFile(_)
                | WindowEvent::HoveredFileCancelled
                | WindowEvent::DroppedFile(_)
        );
        let mut held_pointer_moved = false;
        if let WindowEvent::CursorMoved { position, .. } = event {
            // The interface is not to know: for it the pointer stays where it was.
            held_pointer_moved = screen.pointer.is_held();
            if let Some(by) = screen.pointer.moved(&screen.window, position) {
                self.state.pointer.look(by, self.scale.of(&screen.window));
                screen.window.request_redraw();
            }
        }
        if let WindowEvent::Focused(false) = event {
            self.state.pointer.looking = false;
            screen.pointer.hold(&screen.window, false);
        }
        if !about_files && !held_pointer_moved {
            let response = screen.input.on_window_event(&screen.window, &event);
            // It also asks for a frame when it is told that there is one.
            if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
                screen.window.request_redraw();
            }
        }
        match event {
            WindowEvent::KeyboardInput { .. }
                if clipboard::take_shortcuts(&mut screen.input.egui_input_mut().events) =>
            {
                self.paste(PasteTarget::Focused);
            }
            #[cfg(target_os = "linux")]
            WindowEvent::MouseInput {
                state: ElementState::Pressed,
                button: MouseButton::Middle,
                ..
            } => {
                if let Some(place) = self.egui.pointer_latest_pos() {
                    self.paste(PasteTarget::At(place));
                }
            }
            WindowEvent::RedrawRequested => self.draw(),
            WindowEvent::Resized(size) => {
                screen.surface.resize(&screen.gpu, size);
                let fills_screen = screen.window.fullscreen().is_some();
                let filled_screen = std::mem::replace(&mut self.filled_screen, fills_screen);
                if filled_screen && !fills_screen && self.state.interface.full_screen {
                    // The desktop ended it.
                    self.state.run(Action::FullScreen);
                }
                let logical = size.to_logical::<f32>(self.scale.of(&screen.window));
                self.state.settings.maximized = screen.window.is_maximized();
                if !self.state.settings.maximized
                    && !self.state.interface.full_screen
                    && size.width > 0
                {
                    self.state.settings.window_size = [logical.width, logical.height];
                }
                screen.window.request_redraw();
            }
            // What was not drawn while it was out of sight is drawn now.
            WindowEvent::Occluded(covered) => {
                self.covered = covered;
                screen.window.request_redraw();
            }
            WindowEvent::Focused(focused) => {
                self.focused = focused;
                screen.window.request_redraw();
                if focused {
                    // Whoever was elsewhere may have made some there.
                    self.state.look_for_files();
                    self.files.look();
                    self.look_at_settings();
                }
            }
            WindowEvent::CloseRequested => {
                self.state.run(Action::Quit);
                screen.window.request_redraw();
            }
            WindowEvent::HoveredFile(path) => self.hovered(path),
            WindowEvent::HoveredFileCancelled => self.end_hover(),
            WindowEvent::DroppedFile(path) => {
                self.end_hover();
                self.dropped.push(path);
            }
            // On X11 whoever drags files holds the pointer, and a drag that ends may not say so:
            // when the pointer moves here, it is over.
            WindowEvent::CursorMoved { .. } if !self.clipboard.tells_of_drags() => self.end_hover(),
            _ => {}
        }
        self.carry_out_effects(event_loop);
    }

    fn device_event(
        &mut self,
        _event_loop: &ActiveEventLoop,
        _device_id: winit::event::DeviceId,
        event: winit::event::DeviceEvent,
    ) {
        if let (Some(screen), winit::event::DeviceEvent::MouseMotion { delta }) =
            (&self.screen, event)
            && let Some(by) = screen.pointer.mouse_moved(delta)
        {
            self.state.pointer.look(by, self.scale.of(&screen.window));
            screen.window.request_redraw();
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        match event {
            UserEvent::Loaded(outcome) => self.loaded(*outcome),
            UserEvent::PartHasCome => {
                let pending = self.state.document().and_then(|it| it.pending());
                let line = pending.map_or_else(|| "complete".to_owned(), |it| it.to_string());
                self.events.say_with_frame(line);
            }
            UserEvent::FilesChanged(paths) => {
                self.files.note(&paths, Instant::now());
                return;
            }
            UserEvent::Listed(number, files) => {
                if !self.state.relist(number, files) {
                    return;
                }
                let list = self.state.files.playlist.as_ref();
                let count = list.map_or(0, |list| list.files().len());
                self.events.say_with_frame(format!("listed {count}"));
            }
            UserEvent::ShadersChanged(paths) => {
                if let Some(shaders) = &mut self.shaders {
                    shaders.note(&paths, Instant::now());
                }
                return;
            }
            UserEvent::DropPreviewed(paths, preview) => {
                let hovering = self.state.interface.hovering.as_mut();
                let Some(hovering) = hovering.filter(|hovering| hovering.paths == paths) else {
                    return;
                };
                if let Some(path) = preview.opens.as_ref().or(paths.first()) {
                    let (count, path) = (paths.len(), path.display());
                    self.events.say(format_args!("hover {count} {path}"));
                }
                hovering.preview = Some(preview);
            }
            UserEvent::PathsAnswered(purpose, mut paths, after) => match paths.pop() {
                // Several only where several can be opened.
                Some(last) if !paths.is_empty() => {
                    paths.push(last);
                    self.state.open_paths(&paths);
                }
                Some(path) => self.state.path_chosen(purpose, &path, Asked::BySystem),
                None if after < FASTEST_CANCEL => {
                    self.has_dialogs = false;
                    self.state.ask_path(purpose);
                }
                None => {}
            },
            UserEvent::Compared(outcome) => {
                self.state.compared(*outcome);
                self.events.say("compared");
            }
            UserEvent::ImagesSaved(saved) => self.saved(saved),
            UserEvent::AccessKit(event) => {
                let Some(screen) = &mut self.screen else {
                    return;
                };
                match event.window_event {
                    accesskit_winit::WindowEvent::InitialTreeRequested => {
                        self.egui.enable_accesskit();
                    }
                    accesskit_winit::WindowEvent::ActionRequested(request) => {
                        screen.input.on_accesskit_action_request(request);
                    }
                    accesskit_winit::WindowEvent::AccessibilityDeactivated => {
                        self.egui.disable_accesskit();
                        return;
                    }
                }
            }
            #[cfg(target_os = "linux")]
            UserEvent::Device(event) => self.hear_device(event),
            UserEvent::DeviceLost(reason) => {
                if !event_loop.exiting() {
                    self.rebuild(&reason, event_loop);
                }
            }
            #[cfg(unix)]
            UserEvent::Ended => self.quit(event_loop),
            UserEvent::Lose(loss) => self.events.lose(loss),
        }
        self.request_redraw();
        self.carry_out_effects(event_loop);
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let now = Instant::now();
        if !self.dropped.is_empty() {
            let paths = std::mem::take(&mut self.dropped);
            self.state.open_paths(&paths);
        }
        self.files.note_reading(self.loader.loading().is_some());
        if self.files.take_settled(now) {
            self.tell_of_unwatched_files();
            self.state.reload(Cause::Changed);
        }
        let shaders = self.shaders.as_mut();
        if shaders.is_some_and(|shaders| shaders.take_settled(now)) {
            self.reload_shaders();
            self.request_redraw();
        }
        self.carry_out_effects(event_loop);
        let shaders = self.shaders.as_ref().and_then(FileWatch::wake_at);
        let wake_at = [self.repaint_at, self.files.wake_at(), shaders];
        event_loop.set_control_flow(match wake_at.into_iter().flatten().min() {
            Some(at) => ControlFlow::WaitUntil(at),
            None => ControlFlow::Wait,
        });
    }

    fn exiting(&mut self, _event_loop: &ActiveEventLoop) {
        // When the display is gone nobody has closed the window before.
        self.save_settings();
        if let Some(saving) = self.saving.take() {
            saving.end();
        }
        #[cfg(target_os = "linux")]
        {
            self.x11_drops = None;
        }
        // The window goes before the event loop's connection to the display does.
        self.screen = None;
        self.clipboard = Clipboard::Other(None);
    }
}
