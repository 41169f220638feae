//! The 3D view: what the pointer and the flying keys do in it.

use std::collections::BTreeSet;

use egui::emath::GuiRounding as _;
use egui::{Event, Key, PointerButton, Pos2, Rect, Response, Role, Sense, TextureId, WidgetInfo};
use glam::{DVec2, Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::labels::Labels;
use super::outline::Outline;
use super::state::State;
use super::theme;
use crate::scene::Shown;
use crate::scene::camera::Camera;
use crate::scene::tilemap::FlatWindow;

/// The keys that fly: ahead, left, back, right, down and up. They are meant by their place on
/// the keyboard.
pub(super) const FLY_KEYS: [Key; 6] = [Key::W, Key::A, Key::S, Key::D, Key::Q, Key::E];
/// How much faster it flies while Shift is held.
const FASTER: f32 = 4.0;
/// Logical pixels that a notch of the wheel scrolls (egui's own setting).
const PIXELS_PER_NOTCH: f32 = 40.0;
/// What is left of the distance after a notch of the wheel.
const ZOOM_PER_NOTCH: f32 = 0.85;

/// What a drag does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    /// Turn around this point.
    Orbit(Vec3),
    /// Look around.
    Look,
    /// Keep this point under the pointer, whatever way the camera looks.
    Pan(Vec3),
    /// Keep this point under the pointer, the camera staying as high as it is.
    PanLevel(Vec3),
    /// Keep the flat view's map under the pointer: what is at the top left at first, and where the
    /// pointer was then.
    Map(DVec2, Pos2),
    /// Measure from where it began.
    Measure,
}

/// What the view remembers between frames.
#[derive(Debug, Default)]
pub(super) struct Viewport {
    drag: Option<Drag>,
    held: BTreeSet<Key>,
    /// Notches of the wheel that are not a whole step of the flat view's zoom yet.
    notches: f32,
    /// What the pointer was last compared with the document for: nothing is picked twice.
    picked: Option<(Pos2, Camera, Shown, u64)>,
    outline: Outline,
    labels: Labels,
}

impl Viewport {
    /// Shows the picture, and does what the user does in it. Gives its rectangle in logical
    /// pixels.
    pub(super) fn ui(&mut self, ui: &mut egui::Ui, state: &mut State, picture: TextureId) -> Rect {
        // On whole pixels of the screen, so that those of the picture are neither doubled nor lost.
        let pixels_per_point = ui.pixels_per_point();
        let rect = ui
            .available_rect_before_wrap()
            .round_to_pixels(pixels_per_point);
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        let name = if state.is_flat() { "Map" } else { "3D view" };
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        ui.painter()
            .image(picture, rect, whole, egui::Color32::WHITE);
        if rect.is_positive() {
            let size = rect.size() * pixels_per_point;
            state.resize_view([size.x, size.y].map(|side| side.round().max(1.0) as u32));
            state.shape_view(rect.width() / rect.height());
        }
        let px_at = |pos: Pos2| {
            let px = (pos - rect.min) * pixels_per_point;
            Vec2::new(px.x, px.y)
        };
        let at = |pos: Pos2| {
            Vec2::new(
                (pos.x - rect.min.x) / rect.width().max(1.0),
                (pos.y - rect.min.y) / rect.height().max(1.0),
            )
        };
        self.drag(ui, state, &response, at, px_at);
        if state.is_flat() {
            self.step_zoom(ui, state, &response, px_at);
        } else {
            Self::wheel(ui, state, &response, at);
        }
        self.fly(ui, state);
        state.follow_visibility();
        self.point(state, &response, at);
        if response.double_clicked() {
            let pointer = response.interact_pointer_pos().map(px_at);
            let in_map = pointer.and_then(|px| state.flat_place(px));
            if let Some(point) = in_map.or(state.pointed_at) {
                state.center_on(point);
            }
        } else if response.clicked() && !state.measure.is_open() {
            let item = state.hovered.filter(|_| state.pointed_at.is_some());
            state.select(item);
        }
        if let Some(drag) = self.drag {
            ui.ctx().set_cursor_icon(match drag {
                Drag::Look => egui::CursorIcon::None,
                Drag::Measure => egui::CursorIcon::Crosshair,
                Drag::Orbit(_) | Drag::Pan(_) | Drag::PanLevel(_) | Drag::Map(..) => {
                    egui::CursorIcon::Grabbing
                }
            });
        } else if state.measure.is_open() && response.hovered() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        if let Some(open) = &state.open {
            // The picture has the outline of the selection already.
            let item = state
                .hovered
                .filter(|item| state.shown.selected != Some(*item) && !state.measure.is_open());
            self.outline
                .paint(ui.painter(), rect, open, &state.camera, item, &state.shown);
            self.labels
                .paint(ui.painter(), rect, open, &state.camera, &state.shown);
            if let Some(why) = open.document.emptiness(state.shown.part) {
                let place = Rect::from_center_size(rect.center(), rect.size() * 0.8);
                ui.put(place, egui::Label::new(egui::RichText::new(why).heading()));
            }
        }
        state.paint_measured(ui.painter(), rect);
        rect
    }

    fn drag(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        response: &Response,
        at: impl Fn(Pos2) -> Vec2,
        px_at: impl Fn(Pos2) -> Vec2,
    ) {
        if response.drag_started()
            && let Some(origin) = ui.input(|input| input.pointer.press_origin())
        {
            let primary = response.drag_started_by(PointerButton::Primary);
            let middle = response.drag_started_by(PointerButton::Middle);
            let shift = ui.input(|input| input.modifiers.shift);
            let grabbed = state.seen_at(at(origin));
            let window = state.flat_window();
            self.drag = Some(match state.mode {
                _ if state.measure.is_open() && primary => {
                    let from = state.measured_at(at(origin), px_at(origin));
                    state.measure.begin(from);
                    Drag::Measure
                }
                CameraMode::Flat => {
                    Drag::Map(window.map_or(DVec2::ZERO, |w| w.top_left_px), origin)
                }
                CameraMode::Fly if middle => Drag::Pan(grabbed),
                CameraMode::Fly => Drag::Look,
                CameraMode::Game => Drag::PanLevel(grabbed),
                CameraMode::Orbit if primary && !shift => Drag::Orbit(state.pivot_at(at(origin))),
                CameraMode::Orbit => Drag::Pan(grabbed),
            });
        }
        if !response.dragged() || !ui.input(|input| input.focused) {
            self.drag = None;
        }
        state.looking = self.drag == Some(Drag::Look);
        let looked_by = std::mem::take(&mut state.looked_by);
        let Some(drag) = self.drag else {
            return;
        };
        let moved = response.drag_delta();
        let moved = Vec2::new(moved.x, moved.y);
        let camera = &state.camera;
        let to = response.interact_pointer_pos().map(at);
        state.camera.pose = match (drag, to) {
            (Drag::Orbit(pivot), _) => camera_control::orbit(camera, pivot, moved),
            (Drag::Look, _) => camera_control::look(camera, moved + looked_by),
            (Drag::Pan(grabbed), Some(to)) => {
                camera_control::pan(camera, grabbed, to, state.aspect)
            }
            (Drag::PanLevel(grabbed), Some(to)) => {
                camera_control::pan_level(camera, grabbed, to, state.aspect)
            }
            (Drag::Measure, Some(to)) => {
                let px = response.interact_pointer_pos().map(px_at);
                let to = state.measured_at(to, px.unwrap_or_default());
                state.measure.go_to(to);
                return;
            }
            (Drag::Map(top_left, origin), Some(_)) => {
                if let (Some(window), Some(to)) =
                    (state.flat_window(), response.interact_pointer_pos())
                {
                    // By whole pixels of the screen, however fine the pointer's are.
                    let by = (px_at(to) - px_at(origin)).round().as_dvec2();
                    state.see_flat(FlatWindow {
                        top_left_px: top_left - by / window.zoom,
                        zoom: window.zoom,
                    });
                }
                return;
            }
            (Drag::Pan(_) | Drag::PanLevel(_) | Drag::Measure | Drag::Map(..), None) => camera.pose,
        };
    }

    /// Changes the zoom of the flat view by whole steps, a notch of the wheel each.
    fn step_zoom(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        response: &Response,
        px_at: impl Fn(Pos2) -> Vec2,
    ) {
        let Some(pointer) = response.hover_pos() else {
            self.notches = 0.0;
            return;
        };
        // As the wheel gives them: smoothed they would go on after it has stopped.
        self.notches += ui.input(|input| input.events.iter().map(notches_of).sum::<f32>());
        let steps = self.notches.trunc();
        self.notches -= steps;
        for _ in 0..steps.abs().min(32.0) as u32 {
            state.zoom_flat(steps > 0.0, px_at(pointer));
        }
    }

    fn wheel(ui: &egui::Ui, state: &mut State, response: &Response, at: impl Fn(Pos2) -> Vec2) {
        let Some(pointer) = response.hover_pos() else {
            return;
        };
        let (scrolled, pinched) =
            ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        // Holding Shift makes egui scroll sideways, holding Ctrl makes it zoom.
        let notches = (scrolled.y + scrolled.x) / PIXELS_PER_NOTCH + pinched.ln() * 6.0;
        if notches == 0.0 || !notches.is_finite() {
            return;
        }
        match state.mode {
            CameraMode::Orbit => {
                let anchor = state.seen_at(at(pointer));
                let factor = ZOOM_PER_NOTCH.powf(notches);
                state.camera.pose = camera_control::zoom(&state.camera, anchor, factor);
            }
            CameraMode::Game => {
                let heights = camera_control::GAME_HEIGHTS;
                let lower = camera_control::GAME_HEIGHT_STEP * notches;
                state.game_height =
                    (state.game_height - lower).clamp(*heights.start(), *heights.end());
                let target = state.seen_in_the_middle();
                state.camera.pose = camera_control::game_view(target, state.game_height);
            }
            CameraMode::Fly => {
                state.fly_speed = (state.fly_speed * 1.2_f32.powf(notches)).clamp(0.05, 4000.0);
            }
            CameraMode::Flat => {}
        }
    }

    fn fly(&mut self, ui: &egui::Ui, state: &mut State) {
        let typing = ui.ctx().text_edit_focused() || state.dialog.is_some();
        let (seconds, faster) = ui.input(|input| {
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
            if !input.focused {
                self.held.clear();
            }
            (input.stable_dt.min(0.1), input.modifiers.shift)
        });
        if state.mode != CameraMode::Fly || typing {
            self.held.clear();
        }
        if self.held.is_empty() {
            return;
        }
        let held = |key| f32::from(u8::from(self.held.contains(&key)));
        let [ahead, left, back, right, down, up] = FLY_KEYS.map(held);
        let way = Vec3::new(right - left, up - down, ahead - back);
        let speed = state.fly_speed * if faster { FASTER } else { 1.0 };
        let way = way.normalize_or_zero() * speed * seconds;
        state.camera.pose = camera_control::fly(&state.camera, way);
        ui.ctx().request_repaint();
    }

    /// Finds what the pointer is over, if it or the picture has moved.
    fn point(&mut self, state: &mut State, response: &Response, at: impl Fn(Pos2) -> Vec2) {
        let pointer = response.hover_pos().filter(|_| self.drag.is_none());
        let (Some(pointer), Some(open)) = (pointer, &state.open) else {
            // Only what the view itself has pointed at: panels point too.
            if self.picked.take().is_some() {
                state.hovered = None;
                state.pointed_at = None;
            }
            return;
        };
        // What plays passes below a pointer that rests: finding out what would cost more than
        // drawing it. It is found out when the pointer moves, or when it stands still.
        let plays = state.player.is_playing();
        let same = |(at, camera, shown, version): &mut (Pos2, Camera, Shown, u64)| {
            (*at, *camera, *version) == (pointer, state.camera, open.version)
                && if plays {
                    shown.is_same_but_moment(&state.shown)
                } else {
                    *shown == state.shown
                }
        };
        if self.picked.as_mut().is_some_and(same) {
            return;
        }
        self.picked = Some((pointer, state.camera, state.shown.clone(), open.version));
        let ray = state.camera.ray_in_world(at(pointer), state.aspect);
        let hit = open.document.pick(ray, &state.shown);
        state.hovered = hit.map(|hit| hit.item);
        state.pointed_at = hit.map(|hit| hit.position);
    }
}

/// How many notches of a wheel something is that the pointer did.
fn notches_of(event: &Event) -> f32 {
    match event {
        Event::MouseWheel { unit, delta, .. } => {
            let notches = match unit {
                egui::MouseWheelUnit::Line => 1.0,
                egui::MouseWheelUnit::Point => 1.0 / PIXELS_PER_NOTCH,
                egui::MouseWheelUnit::Page => 4.0,
            };
            // Holding Shift turns the wheel sideways.
            (delta.x + delta.y) * notches
        }
        Event::Zoom(factor) => factor.ln() * 6.0,
        _ => 0.0,
    }
}

/// A line for the status bar: what the pointer does now.
pub(super) fn hint(state: &State) -> String {
    match state.mode {
        _ if state.measure.is_open() => {
            "Drag from one point to another to measure, Esc ends it".to_owned()
        }
        CameraMode::Flat => "Drag to move, wheel to zoom, double click to centre".to_owned(),
        CameraMode::Orbit => "Drag to turn, right drag to move, wheel to zoom".to_owned(),
        CameraMode::Fly => format!(
            "W A S D Q E to fly, drag to look, wheel for the speed ({:.1} units a second)",
            state.fly_speed
        ),
        CameraMode::Game => {
            format!(
                "Drag to move, wheel for the height ({:.0})",
                state.game_height
            )
        }
    }
}

/// The colour behind the view while there is no picture.
pub(super) const BACKGROUND: egui::Color32 = theme::DEEP;
