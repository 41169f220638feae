//! Handles the events of the window and of other threads.

use std::collections::HashMap;
use std::time::Instant;

use egui::Key;
use egui_winit::accesskit_winit;
use winit::application::ApplicationHandler;
#[cfg(target_os = "linux")]
use winit::event::{ElementState, MouseButton};
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;

use super::clipboard::{Clipboard, PasteTarget};
use super::{App, UserEvent, clipboard};
use crate::viewer::commands::Action;
use crate::viewer::io::watch::{FileWatch, Ready};
use crate::viewer::state::load::Cause;

/// Releases keys under the names that they had when they were pressed. If Shift is released before a
/// digit, the digit has another name, and egui would take the first one for held from then on.
fn release_pressed_keys(pressed_keys: &mut HashMap<Key, Key>, events: &mut Vec<egui::Event>) {
    let mut releases = Vec::new();
    for event in events.iter() {
        let egui::Event::Key {
            key,
            physical_key: Some(physical_key),
            pressed,
            ..
        } = event
        else {
            continue;
        };
        if *pressed {
            pressed_keys.insert(*physical_key, *key);
        } else if let Some(was) = pressed_keys.remove(physical_key).filter(|was| was != key) {
            releases.push(egui::Event::Key {
                key: was,
                physical_key: None,
                pressed: false,
                repeat: false,
                modifiers: egui::Modifiers::NONE,
            });
        }
    }
    events.extend(releases);
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
                self.read_system_theme();
                self.events.write("ready");
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
        self.scale.record(&mut event, &screen.window);
        if let WindowEvent::ModifiersChanged(modifiers) = &event {
            self.super_held = modifiers.state().super_key();
        }
        // The desktop owns shortcuts with the Super key. On macOS this key is Command, which starts
        // shortcuts.
        let is_press =
            matches!(&event, WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed());
        if is_press && self.super_held && !cfg!(target_os = "macos") {
            return;
        }
        // Hover events repeat continuously and must not cause a frame each.
        let about_files = matches!(
            event,
            WindowEvent::HoveredFile(_)
                | WindowEvent::HoveredFileCancelled
                | WindowEvent::DroppedFile(_)
        );
        let mut held_pointer_moved = false;
        if let WindowEvent::CursorMoved { position, .. } = event {
            // For the interface, a locked pointer stays in place.
            held_pointer_moved = screen.pointer.is_held();
            if let Some(by) = screen.pointer.moved(&screen.window, position) {
                self.state
                    .session
                    .pointer
                    .look(by, self.scale.of(&screen.window));
                screen.window.request_redraw();
            }
        }
        if let WindowEvent::Focused(false) = event {
            self.state.session.pointer.looking = false;
            screen.pointer.hold(&screen.window, false);
        }
        if !about_files && !held_pointer_moved {
            let response = screen.input.on_window_event(&screen.window, &event);
            // It requests a repaint even for a redraw request.
            if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
                screen.window.request_redraw();
            }
        }
        if let WindowEvent::KeyboardInput { .. } = event {
            let events = &mut screen.input.egui_input_mut().events;
            release_pressed_keys(&mut self.pressed_keys, events);
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
                    // The desktop has ended full screen.
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
            // A hidden window skips frames.
            WindowEvent::Occluded(covered) => {
                self.covered = covered;
                screen.window.request_redraw();
            }
            WindowEvent::Focused(focused) => {
                self.focused = focused;
                screen.window.request_redraw();
                if focused {
                    // Files may have been created in another program.
                    self.state.rescan_playlist();
                    self.files.poll();
                    self.reload_settings();
                    self.read_system_theme();
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
            // On X11 a drag source grabs the pointer, and may not report the end of the drag. If
            // the pointer moves here, the drag has ended.
            WindowEvent::CursorMoved { .. } if !self.clipboard.reports_drags() => self.end_hover(),
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
            self.state
                .session
                .pointer
                .look(by, self.scale.of(&screen.window));
            screen.window.request_redraw();
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        match event {
            UserEvent::Loaded(outcome) => self.loaded(*outcome),
            UserEvent::PartsLoaded => {
                let pending = self.state.session.document().and_then(|it| it.pending());
                let line = pending.map_or_else(|| "complete".to_owned(), |it| it.to_string());
                self.events.write_with_frame(line);
            }
            UserEvent::FilesChanged(change) => {
                self.files.note(&change, Instant::now());
                return;
            }
            UserEvent::Listed(number, files) => {
                if !self.state.relist(number, files) {
                    return;
                }
                let list = self.state.playlist.as_ref();
                let count = list.map_or(0, |list| list.files().len());
                self.events.write_with_frame(format!("listed {count}"));
            }
            UserEvent::ShadersChanged(change) => {
                if let Some(shaders) = &mut self.shaders {
                    shaders.note(&change, Instant::now());
                }
                return;
            }
            UserEvent::DropPreviewed(paths, preview) => {
                if !self.drop_previewed(&paths, preview) {
                    return;
                }
            }
            UserEvent::PathsAnswered(purpose, paths, after) => {
                self.paths_answered(purpose, paths, after);
            }
            UserEvent::Compared(outcome) => {
                self.state.compared(*outcome);
                self.events.write("compared");
            }
            UserEvent::Attached(outcome) => {
                self.state.attached(*outcome);
                self.events.write_with_frame("attached".to_owned());
            }
            UserEvent::Found(outcome) => {
                self.state.found(*outcome);
                self.events.write("found");
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
            UserEvent::Device(event) => self.on_device_event(event),
            #[cfg(target_os = "linux")]
            UserEvent::SystemTheme(theme) => {
                if let Some(screen) = &mut self.screen {
                    screen.input.egui_input_mut().system_theme = theme;
                }
            }
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
            self.state.drop_paths(&paths);
        }
        self.files.note_reading(self.loader.loading().is_some());
        if let Some(ready) = self.files.take_ready(now) {
            self.warn_of_unwatched_files();
            self.state.reload(match ready {
                Ready::Saved => Cause::Saved,
                Ready::Settled => Cause::Changed,
            });
        }
        let shaders = self.shaders.as_mut();
        if shaders.is_some_and(|shaders| shaders.take_ready(now).is_some()) {
            self.reload_shaders();
            self.request_redraw();
        }
        self.run_script(event_loop);
        self.carry_out_effects(event_loop);
        let shaders = self.shaders.as_ref().and_then(FileWatch::wake_at);
        let wake_at = [self.repaint_at, self.files.wake_at(), shaders];
        event_loop.set_control_flow(match wake_at.into_iter().flatten().min() {
            Some(at) => ControlFlow::WaitUntil(at),
            None => ControlFlow::Wait,
        });
    }

    fn exiting(&mut self, _event_loop: &ActiveEventLoop) {
        // If the display is gone, the settings were not saved before.
        self.save_settings();
        if let Some(saving) = self.saving.take() {
            saving.end();
        }
        #[cfg(target_os = "linux")]
        {
            self.x11_drops = None;
        }
        // The window must be dropped before the event loop's connection to the display.
        self.screen = None;
        self.clipboard = Clipboard::Other(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_whose_name_changes_while_it_is_held_is_released() {
        let event = |key, pressed| egui::Event::Key {
            key,
            physical_key: Some(Key::Num1),
            pressed,
            repeat: false,
            modifiers: egui::Modifiers::NONE,
        };
        let mut keys = HashMap::new();
        let mut events = vec![event(Key::Exclamationmark, true), event(Key::Num1, false)];
        release_pressed_keys(&mut keys, &mut events);
        let released: Vec<Key> = events
            .iter()
            .filter_map(|event| match event {
                egui::Event::Key {
                    key,
                    pressed: false,
                    ..
                } => Some(*key),
                _ => None,
            })
            .collect();
        assert_eq!(released, [Key::Num1, Key::Exclamationmark]);
        let mut events = vec![event(Key::Num1, true), event(Key::Num1, false)];
        release_pressed_keys(&mut keys, &mut events);
        assert_eq!(events.len(), 2);
    }
}
