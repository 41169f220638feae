//! The places of one or two views: side by side or one over the other, with a border to drag.

use egui::emath::GuiRounding as _;
use egui::{
    Align2, Button, Context, CursorIcon, Id, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};

use super::notices::overlay_frame;
use super::viewport::Viewport;
use crate::viewer::commands::{self, Action, key_of};
use crate::viewer::places;
use crate::viewer::state::State;
use crate::viewer::state::session::OpenFile;
use crate::viewer::state::split::{Layout, Split};

/// Width of the border where it can be dragged, in points.
const BORDER_WIDTH: f32 = 8.0;
/// Distance of names and buttons from the edges of the views, in points.
const MARGIN: f32 = 8.0;
/// Height of a name with its margins, in points.
pub(super) const NAME_HEIGHT: f32 = 36.0;
/// Height of the buttons with their margins, in points.
pub(super) const BUTTONS_HEIGHT: f32 = 44.0;
/// Commands of the buttons at the border.
const BUTTONS: [(&str, &str); 4] = [
    ("view.link", "Linked"),
    ("view.wipe", "Wipe"),
    ("view.swap", "Swap"),
    ("view.split", "Close"),
];

/// The place of a view, in logical pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViewPlace {
    /// The whole view.
    pub(crate) whole: Rect,
    /// The part that is shown.
    pub(crate) shown: Rect,
}

/// The places of the first view, and of the second one if it is open.
pub(crate) type ViewPlaces = (ViewPlace, Option<ViewPlace>);

/// Divides an area between the views.
fn divide(area: Rect, split: &Split, pixels_per_point: f32) -> [ViewPlace; 2] {
    let x = area.left() + area.width() * split.border;
    let x = x.round_to_pixels(pixels_per_point);
    let [left, right] = [
        Rect::from_min_max(area.min, pos2(x, area.bottom())),
        Rect::from_min_max(pos2(x, area.top()), area.max),
    ];
    let [first, second] = if split.is_second_left() {
        [right, left]
    } else {
        [left, right]
    };
    let place = |whole, shown| ViewPlace { whole, shown };
    match split.layout {
        Layout::Beside => [place(first, first), place(second, second)],
        Layout::Wipe if split.blinks => [place(area, Rect::ZERO), place(area, area)],
        Layout::Wipe => [place(area, first), place(area, second)],
    }
}

/// Shows the views of a state with an open document, and handles input in them.
pub(super) fn views(
    ui: &mut Ui,
    state: &mut State,
    [first, second]: [&mut Viewport; 2],
) -> Option<ViewPlaces> {
    let document = state.session.document().cloned()?;
    end_blink(ui.ctx(), state);
    let Some(split) = &state.split else {
        let whole = first.ui(ui, state, &*document);
        let shown = whole;
        return Some((ViewPlace { whole, shown }, None));
    };
    let ppp = ui.pixels_per_point();
    let area = ui.available_rect_before_wrap().round_to_pixels(ppp);
    let places = divide(area, split, ppp);
    let is_beside = split.layout == Layout::Beside;
    ui.scope_builder(UiBuilder::new().max_rect(places[0].whole), |ui| {
        first.ui(ui, state, &*document)
    });
    let size = places[1].whole.size();
    state.with_second(|state| {
        let document = state.session.document().cloned()?;
        if is_beside {
            ui.scope_builder(UiBuilder::new().max_rect(places[1].whole), |ui| {
                second.ui(ui, state, &*document)
            });
        } else {
            let size_px = [size.x, size.y].map(|side| (side * ppp).round().max(1.0) as u32);
            state.session.view.resize_view(&*document, size_px);
            state.session.shape_view(size.x / size.y.max(1.0));
        }
        Some(())
    });
    state.link_views();
    drag_border(ui, state, area);
    name_views(ui.ctx(), state, places);
    buttons(ui.ctx(), state, area);
    places::note(ui.ctx(), "second-view", places[1].shown);
    Some((places[0], Some(places[1])))
}

/// Ends blinking once its key is released.
fn end_blink(ctx: &Context, state: &mut State) {
    let Some(command) = commands::find("view.blink") else {
        return;
    };
    let keys = command.keys(&state.settings.keys);
    let is_held = ctx.input(|input| keys.iter().any(|key| input.key_down(key.logical_key)));
    state.change_split(|split| split.blinks &= is_held);
}

fn drag_border(ui: &Ui, state: &mut State, area: Rect) {
    let Some(split) = &mut state.split else {
        return;
    };
    let x = area.left() + area.width() * split.border;
    let center = pos2(x, area.center().y);
    let border = Rect::from_center_size(center, vec2(BORDER_WIDTH, area.height()));
    let response = ui.interact(border, Id::unique("border of views"), Sense::drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, "Border between the views"));
    if response.hovered() || response.dragged() {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    if let Some(pointer) = response
        .interact_pointer_pos()
        .filter(|_| response.dragged())
    {
        split.move_border((pointer.x - area.left()) / area.width().max(1.0));
    }
    let color = ui.style().interact(&response).fg_stroke.color;
    ui.painter()
        .vline(x, area.y_range(), Stroke::new(1.0, color));
    places::note(ui.ctx(), "view-border", border);
}

/// Shows the names of what both views show.
fn name_views(ctx: &Context, state: &State, places: [ViewPlace; 2]) {
    let Some(split) = &state.split else { return };
    let first = state
        .session
        .open_file()
        .map(OpenFile::name)
        .unwrap_or_default();
    let second = if split.is_camera {
        "second camera"
    } else {
        &split.name
    };
    for (name, place) in [(first.as_str(), places[0]), (second, places[1])] {
        if place.shown.width() < MARGIN * 2.0 {
            continue;
        }
        egui::Area::new(Id::unique(("name of view", name == second)))
            .order(egui::Order::Middle)
            .fixed_pos(place.shown.left_top() + vec2(MARGIN, MARGIN))
            .constrain_to(place.shown)
            .interactable(false)
            .show(ctx, |ui| {
                ui.set_max_width(place.shown.width() * 0.8);
                overlay_frame(ui.style()).inner_margin(4.0).show(ui, |ui| {
                    ui.add(egui::Label::new(name).truncate());
                });
            });
    }
}

/// Shows the buttons at the lower end of the border.
fn buttons(ctx: &Context, state: &mut State, area: Rect) {
    let Some(split) = &state.split else { return };
    let x = area.left() + area.width() * split.border;
    let is_on = [split.is_linked, split.layout == Layout::Wipe, false, false];
    let mut chosen: Option<Action> = None;
    egui::Area::new(Id::unique("buttons of views"))
        .order(egui::Order::Middle)
        .fixed_pos(pos2(x, area.bottom() - MARGIN))
        .pivot(Align2::CENTER_BOTTOM)
        .constrain_to(area)
        .show(ctx, |ui| {
            overlay_frame(ui.style()).inner_margin(4.0).show(ui, |ui| {
                ui.horizontal(|ui| {
                    for ((id, text), is_on) in BUTTONS.into_iter().zip(is_on) {
                        let Some(command) = commands::find(id) else {
                            continue;
                        };
                        let button = Button::new(RichText::new(text)).selected(is_on);
                        let key = key_of(id, &state.settings.keys);
                        let help = match &*key {
                            "" => command.help.to_owned(),
                            key => format!("{} ({key})", command.help),
                        };
                        if ui.add(button).on_hover_text(help).clicked() {
                            chosen = Some(command.action);
                        }
                    }
                });
            });
        });
    if let Some(action) = chosen {
        state.run(action);
    }
}
