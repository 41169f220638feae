//! The small image of a whole map in a corner of the view, with the visible part marked, and the
//! compass.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use egui::emath::GuiRounding as _;
use egui::{
    Align2, Color32, Context, CornerRadius, FontId, Id, Painter, Pos2, Rect, Role, Sense, Shape,
    Stroke, StrokeKind, TextureHandle, Ui, WidgetInfo, vec2,
};
use glam::DVec2;

use super::BarContext;
use crate::viewer::commands::Request;
use crate::viewer::panels::parts;
use crate::viewer::state::State;
use crate::viewer::view::plan::Plan;
use crate::viewer::{places, theme};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{Document, Image, Item, Overrides, Shown, TerrainItem};

/// The longer side of the image, in points, and its maximum share of the view.
const SIDE: f32 = 168.0;
const MAX_VIEW_FRACTION: f32 = 0.34;
/// Minimum size of a view with a mini map, in points.
const MIN_VIEW: egui::Vec2 = vec2(400.0, 200.0);
/// Distance from the edges of the view, in points.
const MARGIN: f32 = 10.0;
/// Maximum size of a map, in pixels, that is processed without a separate thread.
const MAX_SYNC_PIXELS: u64 = 1 << 21;
/// Radius of the dots for the camera and the selection, in points.
const DOT_RADIUS: f32 = 3.0;
/// Maximum fraction of the map that a selection with a dot takes.
const MAX_DOT_FRACTION: f64 = 0.25;
/// Side of the compass, in points.
const COMPASS_SIDE: f32 = 34.0;
/// The mini map.
#[derive(Default)]
pub(crate) struct MiniMap {
    /// Inputs of the current or pending image.
    of: Option<ImageInputs>,
    texture: Option<TextureHandle>,
    /// The place on the plan held by the pointer.
    held_at: Option<DVec2>,
    /// The selection and the load for which the dot was computed, and the place of the dot.
    dot: Option<(u64, Item, Option<DVec2>)>,
    /// Receives the pending image.
    pending_image: Option<Receiver<Image>>,
}

/// The inputs of an image.
#[derive(Debug, Clone, Default, PartialEq)]
struct ImageInputs {
    version: u64,
    hidden: Vec<Item>,
    opacities: Overrides,
    longest_px: u32,
}

impl MiniMap {
    /// Shows the mini map and the compass in a corner of the view; a press or drag on the map moves
    /// the view.
    pub(crate) fn show(&mut self, ctx: &Context, context: &mut BarContext<'_>, view: Rect) {
        let state = context.state;
        let has_room = view.width() >= MIN_VIEW.x && view.height() >= MIN_VIEW.y;
        let (Some(plan), true) = (plan(state), has_room) else {
            *self = Self::default();
            return;
        };
        let mut corner = view.right_top() + vec2(-MARGIN, MARGIN);
        let seen = seen(state, plan);
        if state.settings.mini_map && !is_all_visible(state, plan, seen) {
            let side = SIDE.min(view.size().min_elem() * MAX_VIEW_FRACTION);
            self.make(
                ctx,
                state,
                plan,
                (side * ctx.pixels_per_point()).round().max(1.0) as u32,
            );
            let scale = f64::from(side) / plan.size().max_element().max(1.0);
            let size = plan.size() * scale;
            let size = vec2(size.x as f32, size.y as f32).max(vec2(2.0, 2.0));
            let rect = area(ctx, "mini map", corner, view, |ui| {
                self.map(ui, context, size, plan, seen)
            });
            places::note(ctx, "mini-map", rect);
            corner.y = rect.max.y + MARGIN;
        }
        if let Plan::Ground(_) = plan {
            let rect = area(ctx, "compass", corner, view, |ui| compass(ui, context));
            places::note(ctx, "compass", rect);
        }
    }

    /// Shows the image. Returns its rectangle.
    fn map(
        &mut self,
        ui: &mut Ui,
        context: &mut BarContext<'_>,
        size: egui::Vec2,
        plan: Plan,
        seen: Option<[DVec2; 4]>,
    ) -> Rect {
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let rect = rect.round_to_pixels(ui.pixels_per_point());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), "Mini map"));
        let per_point = plan.size() / DVec2::new(rect.width().into(), rect.height().into());
        let held_at = parts::held_at(&response).map(|at| {
            let along = DVec2::new((at.x - rect.min.x).into(), (at.y - rect.min.y).into());
            (along * per_point).clamp(DVec2::ZERO, plan.size())
        });
        if self.held_at != held_at {
            self.held_at = held_at;
            context.requests.extend(held_at.map(Request::LookAtPlan));
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
        let at = |place: DVec2| {
            let along = place / per_point;
            rect.min + vec2(along.x as f32, along.y as f32)
        };
        let inside = painter.with_clip_rect(rect.expand(2.0));
        match plan {
            Plan::Flat(_) => {
                if let Some([near, _, far, _]) = seen {
                    let seen = Rect::from_min_max(at(near), at(far)).intersect(rect);
                    let corners = [seen.min, seen.right_top(), seen.max, seen.left_bottom()];
                    outline(&inside, &corners, true);
                }
            }
            Plan::Ground(_) => {
                let eye = plan.at(context.state.session.view.camera.pose.eye);
                cone(&inside, at(eye), seen.map(|corners| corners.map(at)));
            }
        }
        if let Some(place) = self.dot(context.state, plan) {
            dot(&inside, at(place), ui.visuals().strong_text_color());
        }
        response.on_hover_cursor(egui::CursorIcon::Crosshair);
        rect
    }

    /// Returns the place of the selection, unless it is much of the map.
    fn dot(&mut self, state: &State, plan: Plan) -> Option<DVec2> {
        let open = state.session.open.as_ref()?;
        let shown = &state.session.view.shown;
        let item = shown.selected?;
        match self.dot {
            Some((version, of, place)) if (version, of) == (open.version, item) => place,
            _ => {
                // These are all over the map, and it takes long to search for them.
                let is_spread = matches!(
                    item,
                    Item::Terrain(TerrainItem::Material { .. } | TerrainItem::TileType { .. })
                );
                let place = || {
                    let bounds = open.document.place(item, shown).bounds?;
                    let size = (plan.at(bounds.max) - plan.at(bounds.min)).abs();
                    let is_small = size.cmple(plan.size() * MAX_DOT_FRACTION).all();
                    is_small.then(|| plan.at(bounds.center()))
                };
                let place = (!is_spread).then(place).flatten();
                self.dot = Some((open.version, item, place));
                place
            }
        }
    }

    /// Updates the image if its inputs have changed; large maps are processed in a separate thread.
    fn make(&mut self, ctx: &Context, state: &State, plan: Plan, longest_px: u32) {
        let Some(open) = &state.session.open else {
            return;
        };
        let mut of = ImageInputs {
            version: open.version,
            longest_px,
            ..ImageInputs::default()
        };
        if let Plan::Flat(_) = plan {
            of.hidden.clone_from(&state.session.view.shown.hidden);
            of.opacities = state.session.view.shown.opacities.clone();
        }
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

/// Returns the plan of the open document in its view.
fn plan(state: &State) -> Option<Plan> {
    Plan::of(&state.session.view, &**state.session.document()?)
}

fn seen(state: &State, plan: Plan) -> Option<[DVec2; 4]> {
    let document = state.session.document()?;
    state.session.view.seen_on_plan(&**document, plan)
}

/// `true` if the view shows the whole map from above. The mini map would only cover a corner of it.
fn is_all_visible(state: &State, plan: Plan, seen: Option<[DVec2; 4]>) -> bool {
    let is_inside =
        |[near, _, far, _]: [DVec2; 4]| near.max_element() <= 0.0 && far.cmpge(plan.size()).all();
    state.session.view.is_from_above() && seen.is_some_and(is_inside)
}

fn image(document: &dyn Document, shown: &Shown, longest_px: u32) -> Option<Image> {
    if let Some(layers) = document.layers() {
        return Some(layers.flat(shown).scaled_down(longest_px));
    }
    Some(document.content::<Terrain>()?.plan(longest_px))
}

/// Shows something with its top right corner at a position. Returns its rectangle.
fn area(
    ctx: &Context,
    name: &str,
    corner: Pos2,
    view: Rect,
    show: impl FnOnce(&mut Ui) -> Rect,
) -> Rect {
    egui::Area::new(Id::unique(name))
        .order(egui::Order::Middle)
        .fixed_pos(corner)
        .pivot(Align2::RIGHT_TOP)
        .constrain_to(view)
        .show(ctx, show)
        .inner
}

/// Paints a line with dark edges, so that it is visible on any map.
fn outline(painter: &Painter, points: &[Pos2], closed: bool) {
    let ctx = painter.ctx();
    for (width, color) in [
        (3.0, theme::DEEP.of(ctx).gamma_multiply(0.7)),
        (1.0, theme::ACCENT.of(ctx)),
    ] {
        let (points, stroke) = (points.to_vec(), Stroke::new(width, color));
        painter.add(if closed {
            Shape::closed_line(points, stroke)
        } else {
            Shape::line(points, stroke)
        });
    }
}

/// Paints the visible ground, and the eye with the lines of sight to the near edge.
fn cone(painter: &Painter, eye: Pos2, seen: Option<[Pos2; 4]>) {
    let accent = theme::ACCENT.of(painter.ctx());
    if let Some(seen) = seen {
        let [far_left, far_right, near_right, near_left] = seen;
        let fill = accent.gamma_multiply(0.18);
        painter.add(Shape::convex_polygon(seen.to_vec(), fill, Stroke::NONE));
        let ahead = far_left.lerp(far_right, 0.5) - near_left.lerp(near_right, 0.5);
        if (near_left.lerp(near_right, 0.5) - eye).dot(ahead) > 0.0 {
            outline(painter, &[near_left, eye, near_right], false);
        }
        outline(painter, &seen, true);
    }
    dot(painter, eye, accent);
}

fn dot(painter: &Painter, at: Pos2, color: Color32) {
    let edge = Stroke::new(1.0, theme::DEEP.of(painter.ctx()));
    painter.circle(at, DOT_RADIUS, color, edge);
}

/// Shows the direction to the north; a click turns the view there. Returns its rectangle.
fn compass(ui: &mut Ui, context: &mut BarContext<'_>) -> Rect {
    let size = egui::Vec2::splat(COMPASS_SIDE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let north = context.state.session.view.north();
    let names = [
        "north",
        "north-east",
        "east",
        "south-east",
        "south",
        "south-west",
        "west",
        "north-west",
    ];
    // The compass turns against the view.
    let eighths = (-north.x).atan2(north.y) / std::f32::consts::FRAC_PI_4;
    let name = names[(eighths.round() as i32).rem_euclid(8) as usize];
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), "Compass"));
    let text = format!("Looking {name}");
    ui.ctx()
        .accesskit_node_builder(response.id, |node| node.set_value(text.as_str()));
    let visuals = ui.style().interact(&response);
    let painter = ui.painter().with_clip_rect(rect);
    let (center, radius) = (rect.center(), COMPASS_SIDE * 0.5 - 1.0);
    let edge = if response.has_focus() {
        ui.visuals().selection.stroke
    } else {
        ui.visuals().window_stroke
    };
    let fill = ui.visuals().window_fill.gamma_multiply(0.94);
    painter.circle(center, radius, fill, edge);
    let toward = vec2(north.x, -north.y);
    let (tip, aside) = (toward * radius * 0.45, toward.rot90() * 3.5);
    let accent = theme::ACCENT.of(ui.ctx());
    for (tip, color) in [(tip, accent), (-tip * 1.6, theme::WEAK_TEXT.of(ui.ctx()))] {
        let corners = [tip, aside, -aside].map(|offset| center + offset);
        painter.add(Shape::convex_polygon(corners.to_vec(), color, Stroke::NONE));
    }
    painter.text(
        center + toward * radius * 0.7,
        Align2::CENTER_CENTER,
        "N",
        FontId::proportional(11.0),
        visuals.text_color(),
    );
    if response
        .on_hover_text(format!("{text}; click to look north"))
        .clicked()
    {
        context.ask(Request::FaceNorth);
    }
    rect
}
