//! The window with its surface and its graphics device. Opens it, draws frames, and recovers from a
//! lost device.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use egui::OutputCommand;
use winit::dpi::LogicalSize;
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};
#[cfg(target_os = "linux")]
use winit::platform::wayland::WindowAttributesExtWayland as _;
use winit::window::{Theme, Window};

use super::clipboard::Clipboard;
use super::events::Loss;
use super::pointer_lock::PointerLock;
use super::previews::{LivePreviews, PreviewTextures};
use super::surface::{Next, WindowSurface};
#[cfg(target_os = "linux")]
use super::system_theme;
use super::view_texture::{Extent, Place, ViewTexture};
#[cfg(target_os = "linux")]
use super::x11;
use super::{App, UserEvent, icon, sender, surface};
use crate::viewer::docks::Panel;
use crate::viewer::io::watch::FileWatch;
use crate::viewer::panels::FrameStatistics;
use crate::viewer::theme::ThemeChoice;
use crate::viewer::ui::Canvas;
use crate::viewer::ui::ViewPlace;
use crate::viewer::{ViewError, places, theme};
use mapscope_formats::Severity;
use mapscope_render::{Gpu, GraphicsApis, Renderer};

/// Number of losses of the graphics device in a row after which the viewer gives up.
const MAX_LOSSES: u32 = 5;
/// Lifetime after which the loss of a device starts a new count.
const STABLE_FOR: Duration = Duration::from_secs(10);
/// Application id for the desktop: the name of the desktop entry and of the icon.
#[cfg(target_os = "linux")]
const APP_ID: &str = "mapscope";

/// The theme of the window's title bar; `None` for that of the system.
fn window_theme(choice: ThemeChoice) -> Option<Theme> {
    match choice {
        ThemeChoice::Dark => Some(Theme::Dark),
        ThemeChoice::Light => Some(Theme::Light),
        ThemeChoice::System => None,
    }
}

/// The window and the resources that belong to it.
pub(super) struct Screen {
    pub(super) window: Arc<Window>,
    pub(super) gpu: Gpu,
    /// `true` once the loss of the device is known.
    pub(super) is_lost: Arc<AtomicBool>,
    pub(super) surface: WindowSurface,
    pub(super) input: egui_winit::State,
    pub(super) painter: egui_wgpu::Renderer,
    pub(super) renderer: Renderer,
    pub(super) view: ViewTexture,
    /// The second view, if it is open.
    pub(super) second: Option<ViewTexture>,
    pub(super) previews: PreviewTextures,
    pub(super) pointer: PointerLock,
    /// `false` until the first frame. The window is hidden until then, so that it never appears
    /// empty.
    pub(super) visible: bool,
}

impl App {
    pub(super) fn open_window(
        &mut self,
        event_loop: &ActiveEventLoop,
    ) -> Result<Screen, ViewError> {
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
            .with_theme(window_theme(self.state.settings.theme))
            .with_window_icon(icon::window_icon())
            .with_visible(false);
        // The desktop finds icon and name of the program by this id, also on X11.
        #[cfg(target_os = "linux")]
        let attributes = attributes.with_name(APP_ID, APP_ID);
        let window = Arc::new(event_loop.create_window(attributes)?);
        #[cfg(target_os = "linux")]
        {
            x11::set_background(&window, theme::background(&self.egui, true));
            self.x11_drops = x11::Drops::start(&window, sender(&self.proxy, UserEvent::Device));
        }
        let mut input = egui_winit::State::new(
            self.egui.clone(),
            egui::ViewportId::ROOT,
            &*window,
            Some(window.scale_factor() as f32),
            event_loop.system_theme(),
            None,
        );
        input.set_clipboard_shortcuts(false);
        #[cfg(target_os = "linux")]
        {
            let on_event = sender(&self.proxy, UserEvent::Device);
            self.clipboard = Clipboard::new(event_loop.owned_display_handle(), on_event);
        }
        input.init_accesskit(event_loop, &window, self.proxy.clone());
        let instance = self
            .instance
            .take()
            .map(JoinHandle::join)
            .and_then(Result::ok);
        let screen = self.screen_on(window, input, instance, event_loop)?;
        self.name_adapter(&screen.gpu);
        self.watch_shaders();
        Ok(screen)
    }

    /// Creates the graphics resources of a window. `instance` belongs to the preferred graphics
    /// interfaces.
    pub(super) fn screen_on(
        &self,
        window: Arc<Window>,
        input: egui_winit::State,
        instance: Option<wgpu::Instance>,
        event_loop: &ActiveEventLoop,
    ) -> Result<Screen, ViewError> {
        let new_instance = |interfaces: GraphicsApis| {
            interfaces.instance(Some(Box::new(event_loop.owned_display_handle())))
        };
        let first = self.interfaces;
        let instance = instance.unwrap_or_else(|| new_instance(first));
        let opened = surface::open(&window, first, instance).or_else(|error| {
            match (first.next(), &error) {
                (Some(next), ViewError::Gpu(no_adapter)) if no_adapter.is_adapter_missing() => {
                    // If the fallback fails too, the first error is returned. It describes the
                    // cause.
                    surface::open(&window, next, new_instance(next)).map_err(|_| error)
                }
                _ => Err(error),
            }
        });
        let (gpu, surface) = opened?;
        let gpu = gpu.with_samples(self.samples);
        Screen::new(window, input, gpu, surface, &self.proxy)
    }

    /// Applies the theme of the settings, if another one is in use.
    fn apply_theme(&self) {
        let choice = self.state.settings.theme;
        if self.egui.options(|options| options.theme_preference) == choice.into() {
            return;
        }
        self.egui.set_theme(choice);
        if let Some(screen) = &self.screen {
            screen.window.set_theme(window_theme(choice));
            #[cfg(target_os = "linux")]
            x11::set_background(&screen.window, theme::background(&self.egui, true));
        }
        self.read_system_theme();
    }

    /// Reads the theme of the system if the window follows it. winit reports it elsewhere.
    pub(super) fn read_system_theme(&self) {
        #[cfg(target_os = "linux")]
        if self.state.settings.theme == ThemeChoice::System {
            let on_read = sender(&self.proxy, UserEvent::SystemTheme);
            // The bus may start the portal, which takes long.
            std::thread::spawn(move || on_read(system_theme::read()));
        }
    }

    pub(super) fn name_adapter(&mut self, gpu: &Gpu) {
        self.state.interface.adapter = gpu.adapter_name();
        self.state.interface.adapter_and_reason = gpu.adapter_description();
        self.state.interface.anti_aliasing = gpu.samples.to_string();
    }

    /// Watches the shaders on disk in debug builds.
    pub(super) fn watch_shaders(&mut self) {
        let Some(folder) = mapscope_render::shader_folder() else {
            return;
        };
        let files: Vec<PathBuf> = mapscope_render::SHADERS
            .iter()
            .flat_map(|shader| shader.parts)
            .map(|(name, _)| folder.join(name))
            .collect();
        let mut watch = FileWatch::new(sender(&self.proxy, UserEvent::ShadersChanged));
        watch.set(files.iter().map(PathBuf::as_path));
        self.shaders = Some(watch);
    }

    pub(super) fn reload_shaders(&mut self) {
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

    pub(super) fn request_redraw(&self) {
        if let Some(screen) = &self.screen {
            screen.window.request_redraw();
        }
    }

    /// `true` if the window is completely hidden. Playback then pauses.
    pub(super) fn is_out_of_sight(&self) -> bool {
        let screen = self.screen.as_ref().filter(|screen| screen.visible);
        screen.is_some_and(|screen| {
            // Only an unfocused window can be minimised. The query is slow.
            self.covered || !self.focused && screen.window.is_minimized() == Some(true)
        })
    }

    /// Draws a frame and presents it.
    pub(super) fn draw(&mut self) {
        if self.is_out_of_sight() {
            return;
        }
        self.show_loading();
        self.apply_theme();
        let Some(screen) = &mut self.screen else {
            return;
        };
        if self.events.take_due_loss(Loss::Surface) {
            screen.surface.lose();
        }
        // Requested first, because drawn contents must be presented.
        let frame = match screen.surface.next(&screen.gpu) {
            Next::Draw(frame) => frame,
            Next::Again => {
                screen.window.request_redraw();
                return;
            }
            Next::Never => {
                screen.poll_loss();
                return;
            }
        };
        if self.events.take_due_loss(Loss::Device) {
            screen.gpu.device.destroy();
            screen.poll_loss();
        }
        if !screen.visible {
            screen.visible = true;
            screen.window.set_visible(true);
        }
        let zoom = self.state.settings.scale * self.scale.zoom(&screen.window);
        self.egui.set_zoom_factor(zoom);
        let mut raw = screen.input.take_egui_input(&screen.window);
        // Hovering files are part of the state. egui would repaint continuously if it knew of them.
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
            cpu_bytes: self.state.session.document().map_or(0, |d| d.cpu_bytes()),
            adapter: &adapter,
        };
        let mut previews = LivePreviews::new(
            &screen.gpu,
            &mut screen.renderer,
            &mut screen.painter,
            &mut screen.view,
            &mut screen.previews,
            self.state.session.open.clone(),
            egui_winit::pixels_per_point(&self.egui, &screen.window),
        );
        let mut canvas = Canvas {
            frame: frame_statistics,
            previews: &mut previews,
        };
        let mut viewport = None;
        // Delays count from the start of the frame, regardless of its duration.
        let began = Instant::now();
        let mut output = self.egui.run_ui(raw, |ui| {
            viewport = self.ui.show(ui, &mut self.state, &mut canvas);
        });
        if previews.unfinished() {
            screen.window.request_redraw();
        }
        screen
            .pointer
            .hold(&screen.window, self.state.session.pointer.looking);
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
        if let Some((first, second)) = viewport.filter(|_| !screen.is_lost()) {
            let extent = |place: ViewPlace| Extent {
                size: [place.whole.width(), place.whole.height()]
                    .map(|side| (side * pixels_per_point).round().max(1.0) as u32),
                pixels_per_point,
            };
            let measure = self.state.is_panel_open(Panel::Statistics);
            let (gpu, renderer) = (&screen.gpu, &mut screen.renderer);
            let session = &self.state.session;
            let mut drawn = screen
                .view
                .update(gpu, renderer, session, extent(first), measure);
            if let (Some(place), Some(split)) = (second, &self.state.split) {
                let new = || ViewTexture::new(gpu, screen.surface.format());
                let view = screen.second.get_or_insert_with(new);
                let second = view.update(gpu, renderer, &split.session, extent(place), false);
                let is_complete = view.progress().is_none();
                drawn = drawn.and_then(|drawn| Ok(second? || drawn));
                if !is_complete {
                    screen.window.request_redraw();
                }
            } else {
                screen.second = None;
            }
            if let Err(error) = &drawn {
                // Without the second view, the first one may fit.
                if self.state.split.take().is_some() {
                    let text = format!("The second view was closed: {error}");
                    self.state.notices.toast(text, Some(Severity::Error));
                } else {
                    self.state.refuse(&error.to_string());
                }
                screen.window.request_redraw();
            }
            if self.state.interface.chunks_shown != screen.view.progress() {
                // The next frame uploads more chunks, or reports that all are uploaded.
                screen.window.request_redraw();
            }
            let drawn = drawn.unwrap_or(false);
            if drawn {
                self.events.scene_frame();
            }
            if measure && (drawn || screen.renderer.has_pending_pass_times()) {
                // The panel shows the time of this frame in the next one.
                screen.window.request_redraw();
            }
        }
        let jobs = self.egui.tessellate(output.shapes, pixels_per_point);
        // egui's painter requires that the device can allocate memory.
        if screen.is_lost() {
            output.textures_delta.clear();
            return;
        }
        let view_places = viewport.map(|(first, second)| {
            let place = |place: ViewPlace| Place::new(place.whole, place.shown, pixels_per_point);
            (place(first), second.map(place))
        });
        let textures = output.textures_delta;
        screen.paint(frame, &jobs, textures, pixels_per_point, view_places);
        if self.events.enabled() {
            // A test that reads the frame event looks at the screen at once.
            screen.wait();
        }
        self.events.frame();
        screen.poll_loss();
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

    /// Creates a new device after a loss, and all resources on it. Documents are kept in memory, so
    /// nothing is lost.
    pub(super) fn rebuild(&mut self, reason: &str, event_loop: &ActiveEventLoop) {
        let Some(screen) = self.screen.take() else {
            return;
        };
        let before = self.lost.filter(|(_, at)| at.elapsed() < STABLE_FOR);
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
                self.events.write("device-restored");
                if self.saving.is_none() {
                    self.retry_save();
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
    pub(super) fn new(
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
        // An out-of-memory error counts as a loss. Without a handler, wgpu panics, also on calls to
        // a lost device.
        gpu.device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| fail(error.to_string())));
        let surface = WindowSurface::new(surface, Arc::clone(&window), &gpu)?;
        let max_side = gpu.device.limits().max_texture_dimension_2d;
        input.set_max_texture_side(max_side as usize);
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
            second: None,
            previews: PreviewTextures::default(),
            pointer: PointerLock::default(),
            visible: false,
        })
    }

    /// Returns the parts that survive a lost device. The others are dropped at once, because a
    /// window can have only one configured surface.
    pub(super) fn into_kept(self) -> (Arc<Window>, egui_winit::State, PointerLock) {
        (self.window, self.input, self.pointer)
    }

    /// Waits until the device has finished all submitted work.
    pub(super) fn wait(&self) {
        self.poll(wgpu::PollType::wait_indefinitely());
    }

    /// Polls the device, which reports a loss only then.
    pub(super) fn poll_loss(&self) {
        self.poll(wgpu::PollType::Poll);
    }

    /// `true` once the loss of the device is known.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    pub(super) fn poll(&self, how: wgpu::PollType) {
        if let Err(error) = self.gpu.device.poll(how) {
            log::debug!("waiting for the graphics device: {error}");
        }
    }

    /// Uploads the fonts to a new device. egui assumes that they are uploaded already.
    pub(super) fn upload_fonts(&mut self, egui: &egui::Context) {
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

    /// Draws the window's contents and presents them. The view lies below the interface.
    /// `view_places` are those of both views, if they are visible.
    #[expect(
        clippy::iter_over_hash_type,
        reason = "each texture is changed by itself, in any order"
    )]
    pub(super) fn paint(
        &mut self,
        frame: wgpu::SurfaceTexture,
        jobs: &[egui::ClippedPrimitive],
        mut textures: egui::TexturesDelta,
        pixels_per_point: f32,
        view_places: Option<(Place, Option<Place>)>,
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
        let background = theme::background(self.input.egui_ctx(), view_places.is_some());
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
        if let Some((first, second)) = view_places {
            let size = self.surface.size();
            self.view.copy(&mut pass, first, size);
            if let (Some(view), Some(place)) = (&self.second, second) {
                view.copy(&mut pass, place, size);
            }
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
