//! The small image of a whole 2D map in a corner of the flat view, with the visible part marked.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use egui::emath::GuiRounding as _;
use egui::{
    Context, CornerRadius, Id, Rect, Role, Sense, Stroke, StrokeKind, TextureHandle, Ui,
    WidgetInfo, vec2,
};
use glam::DVec2;

use super::BarContext;
use crate::viewer::commands::Request;
use crate::viewer::panels::parts;
use crate::viewer::state::State;
use crate::viewer::view::flat;
use crate::viewer::{places, theme};
use mapscope_scene::{Document, Image, Item, Overrides, Shown};

/// The longer side of the image, in points, and its maximum share of the view.
const SIDE: f32 = 168.0;
const MAX_VIEW_FRACTION: f32 = 0.34;
/// Minimum size of a view with a mini map, in points.
const MIN_VIEW: egui::Vec2 = vec2(400.0, 200.0);
/// Distance from the edges of the view, in points.
const MARGIN: f32 = 10.0;
/// Maximum size of a map, in pixels, that is processed without a separate thread.
const MAX_SYNC_PIXELS: u64 = 1 << 21;
/// The mini map.
#[derive(Default)]
pub(crate) struct MiniMap {
    /// Inputs of the current or pending image.
    of: Option<ImageInputs>,
    texture: Option<TextureHandle>,
    /// The map position held by the pointer, in map pixels.
    held_at: Option<DVec2>,
    /// Receives the pending image.
    pending_image: Option<Receiver<Image>>,
}

/// The inputs of an image.
#[derive(Debug, Clone, PartialEq)]
struct ImageInputs {
    version: u64,
    hidden: Vec<Item>,
    opacities: Overrides,
    longest_px: u32,
}

impl MiniMap {
    /// Shows the mini map in a corner of the view; a press or drag moves the view.
    pub(crate) fn show(&mut self, ctx: &Context, context: &mut BarContext<'_>, view: Rect) {
        let state = context.state;
        let has_room = view.width() >= MIN_VIEW.x && view.height() >= MIN_VIEW.y;
        let wanted = state.session.view.is_flat() && state.settings.mini_map && has_room;
        let (Some(map), true) = (
            state
                .session
                .document()
                .and_then(|it| flat::map_size(&**it)),
            wanted,
        ) else {
            *self = Self::default();
            return;
        };
        // The whole map is visible: the mini map would only cover a corner of it.
        let is_all =
            |(near, far): (DVec2, DVec2)| near.max_element() <= 0.0 && far.cmpge(map).all();
        if seen(state).is_some_and(is_all) {
            return;
        }
        let side = SIDE.min(view.size().min_elem() * MAX_VIEW_FRACTION);
        let longest_px = (side * ctx.pixels_per_point()).round().max(1.0) as u32;
        self.make(ctx, state, longest_px);
        let scale = f64::from(side) / map.max_element().max(1.0);
        let size = vec2((map.x * scale) as f32, (map.y * scale) as f32).max(vec2(2.0, 2.0));
        let area = egui::Area::new(Id::unique("mini map"))
            .order(egui::Order::Middle)
            .fixed_pos(view.right_top() + vec2(-MARGIN, MARGIN))
            .pivot(egui::Align2::RIGHT_TOP)
            .constrain_to(view)
            .show(ctx, |ui| self.map(ui, context, size, map));
        places::note(ctx, "mini-map", area.inner);
    }

    /// Shows the image. Returns its rectangle.
    fn map(
        &mut self,
        ui: &mut Ui,
        context: &mut BarContext<'_>,
        size: egui::Vec2,
        map: DVec2,
    ) -> Rect {
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let rect = rect.round_to_pixels(ui.pixels_per_point());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), "Mini map"));
        let per_point = map / DVec2::new(rect.width().into(), rect.height().into());
        let held_at = parts::held_at(&response).map(|at| {
            let along = DVec2::new((at.x - rect.min.x).into(), (at.y - rect.min.y).into());
            along * per_point
        });
        if self.held_at != held_at {
            self.held_at = held_at;
            context.requests.extend(held_at.map(Request::CenterFlat));
            // The new position of the view is marked only in the next frame.
            ui.ctx().request_repaint();
        }
        let painter = ui.painter();
        let square = CornerRadius::ZERO;
        painter.rect_filled(rect, square, theme::DEEP.of(ui.ctx()));
        if let Some(texture) = &self.texture {
            parts::paint_texture(painter, texture.id(), rect);
        }
        let frame = Stroke::new(1.0, theme::DEEP.of(ui.ctx()));
        painter.rect_stroke(rect.expand(1.0), square, frame, StrokeKind::Outside);
        let frame = ui.visuals().widgets.noninteractive.bg_stroke;
        painter.rect_stroke(rect, square, frame, StrokeKind::Outside);
        if let Some((near, far)) = seen(context.state) {
            let at = |px: DVec2| {
                let along = px / per_point;
                rect.min + vec2(along.x as f32, along.y as f32)
            };
            let seen = Rect::from_min_max(at(near), at(far)).intersect(rect);
            let painter = painter.with_clip_rect(rect.expand(2.0));
            for (width, color) in [
                (3.0, theme::DEEP.of(ui.ctx()).gamma_multiply(0.7)),
                (1.0, theme::ACCENT.of(ui.ctx())),
            ] {
                let stroke = Stroke::new(width, color);
                painter.rect_stroke(seen, square, stroke, StrokeKind::Middle);
            }
        }
        response.on_hover_cursor(egui::CursorIcon::Crosshair);
        rect
    }

    /// Updates the image if its inputs have changed; large maps are processed in a separate thread.
    fn make(&mut self, ctx: &Context, state: &State, longest_px: u32) {
        let Some(open) = &state.session.open else {
            return;
        };
        let of = ImageInputs {
            version: open.version,
            hidden: state.session.view.shown.hidden.clone(),
            opacities: state.session.view.shown.opacities.clone(),
            longest_px,
        };
        if self.of.as_ref() != Some(&of) {
            let before = self.of.take();
            if before.is_some_and(|before| before.version != of.version) {
                self.texture = None;
            }
            let shown = Shown {
                hidden: of.hidden.clone(),
                opacities: of.opacities.clone(),
                ..Shown::default()
            };
            self.of = Some(of);
            let layers = open.document.layers();
            let [width, height] = layers.map_or([0; 2], mapscope_scene::Layers::flat_size);
            let looked_at = width.saturating_mul(height.min(u64::from(longest_px) * 4));
            let document = Arc::clone(&open.document);
            if looked_at < MAX_SYNC_PIXELS {
                self.pending_image = None;
                self.take(ctx, image(&*document, &shown, longest_px));
            } else {
                let (send, pending_image) = channel();
                let ctx = ctx.clone();
                std::thread::spawn(move || {
                    if let Some(image) = image(&*document, &shown, longest_px) {
                        // The image may be stale by now; then nobody receives it.
                        let _unwanted = send.send(image);
                        ctx.request_repaint();
                    }
                });
                self.pending_image = Some(pending_image);
            }
        }
        match self.pending_image.as_ref().map(Receiver::try_recv) {
            Some(Ok(image)) => {
                self.pending_image = None;
                self.take(ctx, Some(image));
            }
            Some(Err(TryRecvError::Disconnected)) => self.pending_image = None,
            Some(Err(TryRecvError::Empty)) | None => {}
        }
    }

    fn take(&mut self, ctx: &Context, image: Option<Image>) {
        let image = image.and_then(|Image { size, rgba }| parts::color_image(size, &rgba));
        match (image, &mut self.texture) {
            (Some(image), Some(texture)) => texture.set(image, parts::SHARP),
            (Some(image), none) => *none = Some(ctx.load_texture("mini map", image, parts::SHARP)),
            (None, texture) => *texture = None,
        }
    }
}

/// Returns the corners of the visible part of a map, in map pixels.
fn seen(state: &State) -> Option<(DVec2, DVec2)> {
    let window = state.session.view.flat_window()?;
    let size = DVec2::from_array(state.session.view.size_px.map(f64::from));
    Some((window.top_left_px, window.top_left_px + size / window.zoom))
}

fn image(document: &dyn Document, shown: &Shown, longest_px: u32) -> Option<Image> {
    Some(document.layers()?.flat(shown).scaled_down(longest_px))
}
