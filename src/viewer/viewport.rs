//! The 3D view: what the pointer and the flying keys do in it.

use std::collections::BTreeSet;

use egui::{Event, Key, PointerButton, Pos2, Rect, Response, Role, Sense, TextureId, WidgetInfo};
use glam::{Vec2, Vec3};

use super::camera_control::{self, CameraMode};
use super::labels::Labels;
use super::outline::Outline;
use super::state::State;
use super::theme;
use crate::scene::Shown;
use crate::scene::camera::Camera;

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
}

/// What the view remembers between frames.
#[derive(Debug, Default)]
pub(super) struct Viewport {
    drag: Option<Drag>,
    held: BTreeSet<Key>,
    /// What the pointer was last compared with the document for: nothing is picked twice.
    picked: Option<(Pos2, Camera, Shown, u64)>,
    outline: Outline,
    labels: Labels,
}

impl Viewport {
    /// Shows the picture, and does what the user does in it. Gives its rectangle in logical
    /// pixels.
    pub(super) fn ui(&mut self, ui: &mut egui::Ui, state: &mut State, picture: TextureId) -> Rect {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "3D view"));
        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        ui.painter()
            .image(picture, rect, whole, egui::Color32::WHITE);
        if rect.is_positive() {
            state.shape_view(rect.width() / rect.height());
        }
        let at = |pos: Pos2| {
            Vec2::new(
                (pos.x - rect.min.x) / rect.width().max(1.0),
                (pos.y - rect.min.y) / rect.height().max(1.0),
            )
        };
        self.drag(ui, state, &response, at);
        Self::wheel(ui, state, &response, at);
        self.fly(ui, state);
        self.point(state, &response, at);
        if response.double_clicked() {
            if let Some(point) = state.pointed_at {
                state.camera.pose = camera_control::center_on(&state.camera, point);
            }
        } else if response.clicked() {
            let item = state.hovered.filter(|_| state.pointed_at.is_some());
            state.select(item);
        }
        if let Some(drag) = self.drag {
            ui.ctx().set_cursor_icon(match drag {
                Drag::Look => egui::CursorIcon::None,
                Drag::Orbit(_) | Drag::Pan(_) | Drag::PanLevel(_) => egui::CursorIcon::Grabbing,
            });
        }
        if let Some(open) = &state.open {
            // The picture has the outline of the selection already.
            let item = state
                .hovered
                .filter(|item| state.shown.selected != Some(*item));
            self.outline
                .paint(ui.painter(), rect, open, &state.camera, item, &state.shown);
            self.labels
                .paint(ui.painter(), rect, open, &state.camera, &state.shown);
        }
        rect
    }

    fn drag(
        &mut self,
        ui: &egui::Ui,
        state: &mut State,
        response: &Response,
        at: impl Fn(Pos2) -> Vec2,
    ) {
        if response.drag_started()
            && let Some(origin) = ui.input(|input| input.pointer.press_origin())
        {
            let primary = response.drag_started_by(PointerButton::Primary);
            let middle = response.drag_started_by(PointerButton::Middle);
            let shift = ui.input(|input| input.modifiers.shift);
            let grabbed = state.seen_at(at(origin));
            self.drag = Some(match state.mode {
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
            (Drag::Pan(_) | Drag::PanLevel(_), None) => camera.pose,
        };
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
        let same = |(at, camera, shown, version): &(Pos2, Camera, Shown, u64)| {
            (*at, camera, *version) == (pointer, &state.camera, open.version)
                && shown.overlays == state.shown.overlays
                && shown.selected == state.shown.selected
                && shown.part == state.shown.part
                && shown.cut == state.shown.cut
                && shown.hidden == state.shown.hidden
                && (plays || shown.playhead == state.shown.playhead)
        };
        if self.picked.as_ref().is_some_and(same) {
            return;
        }
        self.picked = Some((pointer, state.camera, state.shown.clone(), open.version));
        let ray = state.camera.ray_in_world(at(pointer), state.aspect);
        let hit = open.document.pick(ray, &state.shown);
        state.hovered = hit.map(|hit| hit.item);
        state.pointed_at = hit.map(|hit| hit.position);
    }
}

/// A line for the status bar: what the pointer does now.
pub(super) fn hint(state: &State) -> String {
    match state.mode {
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
