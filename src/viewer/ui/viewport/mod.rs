//! The 3D view or flat map: pointer, wheel and flying keys, outlines and labels.

mod contour;
mod labels;
mod pins;

use std::collections::BTreeSet;
use std::path::PathBuf;

use egui::emath::GuiRounding as _;
use egui::{Event, Key, PointerButton, Pos2, Rect, Response, Role, Sense, WidgetInfo};
use glam::{DVec2, Vec2, Vec3};

use self::contour::Outline;
use self::labels::Labels;
use self::pins::Pins;
use crate::viewer::commands::key_of;
use crate::viewer::format::capitalized;
use crate::viewer::keymap::FLY_KEYS;
use crate::viewer::panels::menu::{self, MenuContext};
use crate::viewer::state::State;
use crate::viewer::view::View;
use crate::viewer::view::camera_control::{self, CameraMode};
use crate::viewer::view::navigation::DragEffect;
use crate::viewer::view::shown::Revision;
use mapscope_formats::Severity;
use mapscope_scene::camera::Camera;
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Document, Item, fixed};

/// Speed factor while Shift is held.
const SHIFT_SPEED_FACTOR: f32 = 4.0;
/// Logical pixels per notch of the wheel (egui's own setting).
const PIXELS_PER_NOTCH: f32 = 40.0;
/// Distance factor per notch of the wheel.
const ZOOM_PER_NOTCH: f32 = 0.85;
/// Minimum pause before a notch of the wheel zooms through a wall, in seconds. Without a pause, the
/// zoom stops at the wall.
const WHEEL_PAUSE_SECS: f64 = 0.6;
/// Interval between picks under a resting pointer during playback, in seconds.
const PICK_INTERVAL_SECS: f64 = 0.2;

/// The action of a drag.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    /// Orbit around this point.
    Orbit(Vec3),
    /// Look around.
    Look,
    /// Keep this point under the pointer, in any direction of view.
    Pan(Vec3),
    /// Keep this point under the pointer without changing the camera's height.
    PanLevel(Vec3),
    /// Keep the flat map under the pointer. The values are those at the start of the drag: the map
    /// position at the top left, and the pointer position.
    Map(DVec2, Pos2),
    /// Measure from the start of the drag.
    Measure,
}

/// State of the view between frames.
#[derive(Debug, Default)]
pub(crate) struct Viewport {
    /// The current drag, and the last pointer position that was applied.
    drag: Option<(Drag, Pos2)>,
    /// Pointer position at the start of the drag.
    drag_origin: Pos2,
    held: BTreeSet<Key>,
    /// `true` if flying ends when the right button is released.
    flies_while_held: bool,
    /// Time at which the wheel was last turned, in seconds of the window's clock.
    wheel_turned_secs: f64,
    /// Wheel motion that is not yet a whole zoom step of the flat view, in notches.
    notches: f32,
    /// Inputs of the last pick. A pick with equal inputs is skipped.
    picked: Option<(Pos2, Camera, Revision, u64)>,
    /// Time of that pick, in seconds.
    picked_at_secs: f64,
    /// The item of the last right click, and the position that was clicked.
    menu_of: Option<(Item, Vec3)>,
    outline: Outline,
    labels: Labels,
    /// `true` for the second view, to which no panels belong.
    is_second: bool,
    pins: Pins,
}

impl Viewport {
    /// The second view.
    pub(crate) fn second() -> Self {
        Self {
            is_second: true,
            ..Self::default()
        }
    }

    /// Allocates the view and handles input in it. Returns its rectangle in logical pixels.
    pub(crate) fn ui(
        &mut self,
        ui: &mut egui::Ui,
        state: &mut State,
        document: &dyn Document,
    ) -> Rect {
        // Aligned to whole screen pixels, so that pixels of the view are neither doubled nor lost.
        let pixels_per_point = ui.pixels_per_point();
        let rect = ui
            .available_rect_before_wrap()
            .round_to_pixels(pixels_per_point);
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        let name = match state.session.view.is_flat() {
            _ if self.is_second => "Second view",
            true => "Map",
            false => "3D view",
        };
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
        if rect.is_positive() {
            let size = rect.size() * pixels_per_point;
            state.session.view.resize_view(
                document,
                [size.x, size.y].map(|side| side.round().max(1.0) as u32),
            );
            state.session.shape_view(rect.width() / rect.height());
        }
        let px_at = |pos: Pos2| {
            let px = (pos - rect.min) * pixels_per_point;
            Vec2::new(px.x, px.y)
        };
        let at = |pos: Pos2| {
            let part = (pos - rect.min) / rect.size().max(egui::Vec2::splat(1.0));
            Vec2::new(part.x, part.y)
        };
        // Keys fly in the view under the pointer.
        if !self.is_second || response.contains_pointer() {
            self.track_held_keys(ui, state);
        } else {
            self.held.clear();
        }
        self.fly_while_held(ui, state, document, &response);
        self.drag(ui, state, document, &response, at, px_at);
        if state.session.view.is_flat() {
            self.step_zoom(ui, state, document, &response, px_at);
        } else {
            self.wheel(ui, state, document, &response, at);
        }
        self.fly(ui, state, document);
        if !self.is_second {
            state.session.follow_visibility();
            state.follow_panel();
        }
        self.pick_hovered(state, &response, at);
        if response.double_clicked() {
            let pointer = response.interact_pointer_pos().map(px_at);
            let in_map = pointer.and_then(|px| state.session.view.flat_place(px));
            if let Some(point) = in_map.or(state.session.pointer.pointed_at) {
                state.session.view.center_on(document, point);
            }
        } else if response.clicked() && !state.session.tools.measure.is_open() {
            let pointed_at = state.session.pointer.pointed_at;
            let item = state
                .session
                .pointer
                .hovered
                .filter(|_| pointed_at.is_some());
            match item.filter(|_| ui.input(|input| input.modifiers.command)) {
                Some(item) => state.session.also_select(item),
                None => state.session.select(item),
            }
        }
        self.menu(state, document, &response);
        if let Some((drag, _)) = self.drag {
            ui.ctx().set_cursor_icon(match drag {
                Drag::Look => egui::CursorIcon::None,
                Drag::Measure => egui::CursorIcon::Crosshair,
                Drag::Orbit(_) | Drag::Pan(_) | Drag::PanLevel(_) | Drag::Map(..) => {
                    egui::CursorIcon::Grabbing
                }
            });
        } else if state.session.tools.measure.is_open() && response.hovered() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        if let Some(open) = &state.session.open {
            // The view already contains the outline of the selection.
            let item = state.session.pointer.hovered.filter(|item| {
                state.session.view.shown.selected != Some(*item)
                    && !state.session.tools.measure.is_open()
            });
            let (painter, View { camera, shown, .. }) = (ui.painter(), &state.session.view);
            self.outline.paint(painter, rect, open, camera, item, shown);
            self.labels.paint(painter, rect, open, camera, shown);
            if let Some(mut text) = open.document.emptiness(&state.session.view.shown) {
                let mut problems = open.document.about().problems.iter();
                if let Some(error) = problems.find(|it| it.severity == Severity::Error) {
                    text.extend(["\n", &error.to_string()]);
                }
                let place = Rect::from_center_size(rect.center(), rect.size() * 0.8);
                ui.put(place, egui::Label::new(egui::RichText::new(text).heading()));
            }
        }
        if let Some(action) = self.pins.ui(ui, rect, state, document) {
            state.run(action);
        }
        let measure = &state.session.tools.measure;
        measure.paint(&state.session.view.camera, ui.painter(), rect);
        rect
    }

    /// Shows the menu of an item after a right click on it without a drag.
    fn menu(&mut self, state: &mut State, document: &dyn Document, response: &Response) {
        if response.secondary_clicked() {
            let pointer = &state.session.pointer;
            let hit = pointer.hovered.zip(pointer.pointed_at);
            // The right button and a key fly.
            self.menu_of = hit.filter(|_| self.held.is_empty());
        }
        let Some((item, at)) = self.menu_of else {
            return;
        };
        let mut requests = Vec::new();
        let context = MenuContext {
            document,
            path: state.session.path_on_disk().map(PathBuf::as_path),
            shown: &state.session.view.shown,
            requests: &mut requests,
        };
        response.context_menu(|ui| menu::of_item(ui, context, item, Some(at)));
        state.carry_out(requests);
    }

    /// Starts, applies and ends drags. Uses pointer positions instead of egui's drag delta. The
    /// delta lacks the motion before egui has ruled out a click, and that in the release frame.
    fn drag(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        document: &dyn Document,
        response: &Response,
        at: impl Fn(Pos2) -> Vec2,
        px_at: impl Fn(Pos2) -> Vec2,
    ) {
        if response.drag_started()
            && let Some(origin) = ui.input(|input| input.pointer.press_origin())
        {
            let button = [
                PointerButton::Primary,
                PointerButton::Middle,
                PointerButton::Secondary,
            ]
            .into_iter()
            .find(|button| response.drag_started_by(*button));
            let modifiers = ui.input(|input| input.modifiers);
            let preset = state.settings.navigation.preset;
            let effect = button.and_then(|button| preset.effect(button, modifiers));
            let grabbed = state.session.view.seen_at(document, at(origin));
            let window = state.session.view.flat_window();
            let drag = match (state.session.view.mode, effect) {
                _ if state.session.tools.measure.is_open()
                    && button == Some(PointerButton::Primary) =>
                {
                    let from = state
                        .session
                        .view
                        .measured_at(document, at(origin), px_at(origin));
                    state.session.tools.measure.begin(from);
                    Some(Drag::Measure)
                }
                (CameraMode::Flat, _) => {
                    let top_left = window.map_or(DVec2::ZERO, |w| w.top_left_px);
                    Some(Drag::Map(top_left, origin))
                }
                (CameraMode::Fly, _) if button == Some(PointerButton::Middle) => {
                    Some(Drag::Pan(grabbed))
                }
                (CameraMode::Fly | CameraMode::Walk, _) => Some(Drag::Look),
                (CameraMode::Game, _) => Some(Drag::PanLevel(grabbed)),
                (CameraMode::Orbit, None) => None,
                (CameraMode::Orbit, Some(DragEffect::Pan)) => Some(Drag::Pan(grabbed)),
                (CameraMode::Orbit, Some(DragEffect::Orbit))
                    if !state.session.view.is_indoors(document) =>
                {
                    let pivot = state.session.view.pivot_at(document, at(origin));
                    Some(Drag::Orbit(pivot))
                }
                (CameraMode::Orbit, Some(_)) => Some(Drag::Look),
            };
            self.begin_drag(drag, origin);
        }
        let is_held = response.dragged() || response.drag_stopped();
        if !is_held || !ui.input(|input| input.focused) {
            self.drag = None;
        }
        // In the frame of the release, the drag is applied a last time.
        let drag = if response.dragged() {
            self.drag
        } else {
            self.drag.take()
        };
        state.session.pointer.looking = matches!(self.drag, Some((Drag::Look, _)));
        let look_delta = std::mem::take(&mut state.session.pointer.look_delta);
        let (Some((drag, from)), Some(mut to)) = (drag, response.interact_pointer_pos()) else {
            return;
        };
        let mut look_delta = look_delta;
        if state.settings.navigation.reverses_drag && drag != Drag::Measure {
            to = self.drag_origin + (self.drag_origin - to);
            look_delta = -look_delta;
        }
        if let Some((_, at)) = &mut self.drag {
            *at = to;
        }
        let moved = Vec2::new(to.x - from.x, to.y - from.y);
        let camera = &state.session.view.camera;
        state.session.view.camera.pose = match drag {
            Drag::Orbit(pivot) => camera_control::orbit(camera, pivot, moved),
            Drag::Look => camera_control::look(camera, moved + look_delta),
            Drag::Pan(grabbed) => {
                camera_control::pan(camera, grabbed, at(to), state.session.view.aspect)
            }
            Drag::PanLevel(grabbed) => {
                camera_control::pan_level(camera, grabbed, at(to), state.session.view.aspect)
            }
            Drag::Measure => {
                let to = state.session.view.measured_at(document, at(to), px_at(to));
                state.session.tools.measure.go_to(to);
                return;
            }
            Drag::Map(top_left, origin) => {
                if let Some(window) = state.session.view.flat_window() {
                    // Move by whole screen pixels, even if pointer positions are finer.
                    let by = (px_at(to) - px_at(origin)).round().as_dvec2();
                    state.session.view.show_flat_window(
                        document,
                        FlatWindow {
                            top_left_px: top_left - by / window.zoom,
                            zoom: window.zoom,
                        },
                    );
                }
                return;
            }
        };
    }

    fn begin_drag(&mut self, drag: Option<Drag>, origin: Pos2) {
        self.drag = drag.map(|drag| (drag, origin));
        self.drag_origin = origin;
    }

    /// Changes the zoom of the flat view by one step per notch of the wheel.
    fn step_zoom(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        document: &dyn Document,
        response: &Response,
        px_at: impl Fn(Pos2) -> Vec2,
    ) {
        let Some(pointer) = response.hover_pos() else {
            self.notches = 0.0;
            return;
        };
        // Raw wheel events: smoothed ones would continue after the wheel has stopped.
        let notches = ui.input(|input| input.events.iter().map(notches_of).sum::<f32>());
        self.notches += notches * wheel_sign(state);
        let steps = self.notches.trunc();
        self.notches -= steps;
        for _ in 0..steps.abs().min(32.0) as u32 {
            state
                .session
                .view
                .zoom_flat(document, steps > 0.0, px_at(pointer));
        }
    }

    fn wheel(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        document: &dyn Document,
        response: &Response,
        at: impl Fn(Pos2) -> Vec2,
    ) {
        let Some(pointer) = response.hover_pos() else {
            return;
        };
        let (scrolled, pinched, now_secs, is_turned) = ui.input(|input| {
            let is_turned = input.events.iter().any(|event| notches_of(event) != 0.0);
            let scrolled = input.smooth_scroll_delta();
            (scrolled, input.zoom_delta(), input.time, is_turned)
        });
        let has_rested = now_secs - self.wheel_turned_secs >= WHEEL_PAUSE_SECS;
        if is_turned {
            self.wheel_turned_secs = now_secs;
        }
        // With Shift, egui scrolls sideways; with Ctrl it zooms.
        let notches = (scrolled.y + scrolled.x) / PIXELS_PER_NOTCH + pinched.ln() * 6.0;
        let notches = notches * wheel_sign(state);
        if notches == 0.0 || !notches.is_finite() {
            return;
        }
        match state.session.view.mode {
            CameraMode::Orbit => {
                let factor = ZOOM_PER_NOTCH.powf(notches);
                state
                    .session
                    .view
                    .zoom_to(document, at(pointer), factor, is_turned && has_rested);
            }
            CameraMode::Game => {
                let heights = camera_control::GAME_HEIGHTS;
                let height =
                    state.session.view.game_height - camera_control::GAME_HEIGHT_STEP * notches;
                let height = height.clamp(*heights.start(), *heights.end());
                state.session.view.game_height = height;
                let target = state.session.view.point_at_center(document);
                state.session.view.camera.pose = camera_control::game_view(target, height);
            }
            CameraMode::Fly => {
                let speed = state.session.view.fly_speed * 1.2_f32.powf(notches);
                state.session.view.fly_speed = speed.clamp(0.05, 4000.0);
            }
            CameraMode::Walk | CameraMode::Flat => {}
        }
    }

    /// Tracks the held flying keys.
    fn track_held_keys(&mut self, ui: &egui::Ui, state: &State) {
        let typing = ui.ctx().text_edit_focused() || state.interface.dialog.is_some();
        ui.input(|input| {
            for event in &input.events {
                if let Event::Key {
                    physical_key: Some(key),
                    pressed,
                    modifiers,
                    ..
                } = event
                    && FLY_KEYS.contains(key)
                {
                    if *pressed && !modifiers.command && !modifiers.alt {
                        self.held.insert(*key);
                    } else {
                        self.held.remove(key);
                    }
                }
            }
            if typing || !input.focused {
                self.held.clear();
            }
        });
    }

    /// Starts flying when the right button and a flying key are held in the view. Stops when the
    /// button is released. Without a key, the drag pans the view.
    fn fly_while_held(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        document: &dyn Document,
        response: &Response,
    ) {
        let is_held = response.is_pointer_button_down_on()
            && ui.input(|input| input.pointer.button_down(PointerButton::Secondary));
        if self.flies_while_held {
            if !is_held && state.session.view.mode == CameraMode::Fly {
                state.session.view.stop_flying(document);
            }
            self.flies_while_held = is_held && state.session.view.mode == CameraMode::Fly;
        } else if is_held && state.session.view.mode == CameraMode::Orbit && !self.held.is_empty() {
            state.session.view.set_mode(CameraMode::Fly);
            self.flies_while_held = true;
            match &mut self.drag {
                Some((drag, _)) => *drag = Drag::Look,
                // A drag without an effect of its own.
                None => self.begin_drag(
                    Some(Drag::Look),
                    response.interact_pointer_pos().unwrap_or_default(),
                ),
            }
        }
    }

    fn fly(&mut self, ui: &egui::Ui, state: &mut State, document: &dyn Document) {
        let walks = state.session.view.mode == CameraMode::Walk;
        if self.held.is_empty() || !(walks || state.session.view.mode == CameraMode::Fly) {
            return;
        }
        let (seconds, faster) = ui.input(|input| (input.stable_dt.min(0.1), input.modifiers.shift));
        let held = |key| f32::from(u8::from(self.held.contains(&key)));
        let [ahead, left, back, right, down, up] = FLY_KEYS.map(held);
        let way = Vec3::new(right - left, up - down, ahead - back).normalize_or_zero();
        let seconds = seconds * if faster { SHIFT_SPEED_FACTOR } else { 1.0 };
        if walks {
            state.session.view.walk(document, way * seconds);
        } else {
            let way = way * (state.session.view.fly_speed(document) * seconds);
            state.session.view.camera.pose = camera_control::fly(&state.session.view.camera, way);
        }
        ui.ctx().request_repaint();
    }

    /// Picks the item under the pointer if the pointer or the view has moved.
    fn pick_hovered(&mut self, state: &mut State, response: &Response, at: impl Fn(Pos2) -> Vec2) {
        let pointer = response.hover_pos().filter(|_| self.drag.is_none());
        let (Some(pointer), Some(open)) = (pointer, &state.session.open) else {
            // Panels also set the hovered item: clear only an item that was picked in the view.
            if self.picked.take().is_some() {
                state.session.pointer.leave();
            }
            return;
        };
        // During playback the scene moves under a resting pointer. Picking in every frame would
        // cost more than drawing it.
        let now_secs = response.ctx.input(|input| input.time);
        let is_recent = (0.0..PICK_INTERVAL_SECS).contains(&(now_secs - self.picked_at_secs));
        let skips_moment = state.session.player.is_playing() && is_recent;
        let shown = state.session.view.shown.revision();
        let is_unchanged = |(at, camera, revision, version): &(Pos2, Camera, Revision, u64)| {
            let is_same_moment = skips_moment || revision.moment == shown.moment;
            let is_same_view = revision.all_but_moment == shown.all_but_moment && is_same_moment;
            (*at, *camera, *version) == (pointer, state.session.view.camera, open.version)
                && is_same_view
        };
        if self.picked.as_ref().is_some_and(is_unchanged) {
            return;
        }
        self.picked = Some((pointer, state.session.view.camera, shown, open.version));
        self.picked_at_secs = now_secs;
        // Pick through the centre of the pixel: its corner can lie between two flat map pixels.
        let half_pixel = egui::Vec2::splat(0.5 / response.ctx.pixels_per_point());
        let ray = state
            .session
            .view
            .camera
            .ray_in_world(at(pointer + half_pixel), state.session.view.aspect);
        let hit = open.document.pick(ray, &state.session.view.shown);
        state.session.pointer.hovered = hit.map(|hit| hit.item);
        state.session.pointer.pointed_at = hit.map(|hit| hit.position);
    }
}

/// The direction in which the wheel zooms.
fn wheel_sign(state: &State) -> f32 {
    if state.settings.navigation.reverses_wheel {
        -1.0
    } else {
        1.0
    }
}

/// Returns the wheel motion of an event in notches.
fn notches_of(event: &Event) -> f32 {
    match event {
        Event::MouseWheel { unit, delta, .. } => {
            let notches = match unit {
                egui::MouseWheelUnit::Line => 1.0,
                egui::MouseWheelUnit::Point => 1.0 / PIXELS_PER_NOTCH,
                egui::MouseWheelUnit::Page => 4.0,
            };
            // With Shift, the wheel scrolls sideways.
            (delta.x + delta.y) * notches
        }
        Event::Zoom(factor) => factor.ln() * 6.0,
        _ => 0.0,
    }
}

/// Returns the status bar text about the available mouse actions.
pub(crate) fn hint(state: &State, document: &dyn Document) -> String {
    let stop = match key_of("select.clear", &state.settings.keys).as_str() {
        "" => String::new(),
        key => format!(", {key} to stop"),
    };
    match state.session.view.mode {
        _ if state.session.tools.measure.is_open() => {
            format!("Drag from one point to another to measure{stop}")
        }
        CameraMode::Flat => "Drag to move, wheel to zoom, double click to centre".to_owned(),
        CameraMode::Orbit => {
            let preset = state.settings.navigation.preset;
            let drags = capitalized(&preset.hint(state.session.view.is_indoors(document)));
            format!("{drags}, wheel to zoom, hold the right button and W A S D to fly")
        }
        CameraMode::Fly => {
            format!("W A S D Q E to fly, drag to look, wheel for the speed{stop}")
        }
        CameraMode::Walk => format!("W A S D to walk, drag to look{stop}"),
        CameraMode::Game => {
            format!(
                "Drag to move, wheel for the height ({}){stop}",
                fixed(state.session.view.game_height, 0)
            )
        }
    }
}
