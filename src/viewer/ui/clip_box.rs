//! The strip below the view that cuts a level open: a slider with two ends for each axis.

use std::ops::RangeInclusive;

use egui::{
    Align, Align2, Button, CornerRadius, CursorIcon, DragValue, Id, Layout, Panel, Rect, Response,
    Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::BarContext;
use crate::viewer::commands::{Action, Request};
use crate::viewer::panels::parts;
use crate::viewer::{places, theme};
use mapscope_scene::Aabb;

/// Minimum width of a strip with the sliders side by side, in points.
const MIN_ROW_WIDTH: f32 = 960.0;
/// Width of the two buttons at the end, in points.
const BUTTONS_WIDTH: f32 = 88.0;
/// Widths of an axis name, of a number, and of the gap between the number and the slider, in
/// points.
const LETTER_WIDTH: f32 = 13.0;
const NUMBER_WIDTH: f32 = 76.0;
const GAP: f32 = 6.0;
/// Size of the handles, and thickness of the bar between them, in points.
const HANDLE: egui::Vec2 = vec2(9.0, 17.0);
const THICKNESS: f32 = 5.0;
const AXES: [&str; 3] = ["X", "Y", "Z"];

/// Shows the strip while the tool is open.
pub(crate) fn clip_box(root: &mut Ui, context: &mut BarContext<'_>) {
    let state = context.state;
    if !state.session.tools.clip_box.is_open() {
        return;
    }
    let Some(bounds) = state.session.shown_bounds() else {
        return;
    };
    let mut ends = state.session.tools.clip_box.ends(bounds);
    let before = ends;
    let strip = Panel::bottom("cut").resizable(false).show(root, |ui| {
        parts::name_panel(ui, "Cut view");
        ui.add_space(1.0);
        let wide = ui.available_width() >= MIN_ROW_WIDTH;
        if wide {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 16.0;
                let width = (ui.available_width() - BUTTONS_WIDTH) / 3.0 - 16.0;
                for axis in 0..3 {
                    slider(ui, axis, bounds, &mut ends, width);
                }
                buttons(ui, context);
            });
        } else {
            for axis in 0..3 {
                ui.horizontal(|ui| {
                    let width = ui.available_width() - BUTTONS_WIDTH;
                    slider(ui, axis, bounds, &mut ends, width);
                    if axis == 0 {
                        buttons(ui, context);
                    }
                });
            }
        }
        ui.add_space(1.0);
    });
    places::note(root.ctx(), "cut", strip.response.rect);
    if ends != before {
        context.ask(Request::SetCut(Some(ends)));
    }
}

/// Shows the buttons that reset and close the tool.
fn buttons(ui: &mut Ui, context: &mut BarContext<'_>) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        let close = Button::new(egui::RichText::new("×").size(18.0)).frame(false);
        let close = ui
            .add(close)
            .on_hover_text("Remove the cut and close this bar");
        parts::name(&close, "Close cut");
        if close.clicked() {
            context.run(Action::Cut);
        }
        let button = Button::new("Reset");
        let button = ui.add_enabled(context.state.session.tools.clip_box.cuts(), button);
        places::note(ui.ctx(), "cut-reset", button.rect);
        if button.on_hover_text("Remove the cut").clicked() {
            context.ask(Request::SetCut(None));
        }
    });
}

/// The dragged part of a slider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Low,
    Between,
    High,
}

/// Shows the numbers and the slider of an axis in the given width.
fn slider(ui: &mut Ui, axis: usize, bounds: Aabb, ends: &mut Aabb, width: f32) {
    let (least, most) = (bounds.min[axis], bounds.max[axis]);
    let name = AXES.get(axis).copied().unwrap_or_default();
    let (mut low, mut high) = (ends.min[axis], ends.max[axis]);
    let size = vec2(
        width.max(2.0 * NUMBER_WIDTH + 80.0),
        ui.spacing().interact_size.y,
    );
    let (row, _) = ui.allocate_exact_size(size, Sense::hover());
    let (letter, rest) = row.split_left_right_at_x(row.left() + LETTER_WIDTH);
    let (from, rest) = rest.split_left_right_at_x(rest.left() + NUMBER_WIDTH);
    let (between, to) = rest.split_left_right_at_x(rest.right() - NUMBER_WIDTH);
    let text = egui::RichText::new(name).monospace();
    let color = ui.visuals().strong_text_color();
    parts::paint_text(ui, letter, text, color, Align2::LEFT_CENTER);
    number(
        ui,
        from,
        &format!("Cut {name} from"),
        &mut low,
        least..=high,
    );
    let track_place = between.shrink2(vec2(GAP, 0.0));
    places::note(
        ui.ctx(),
        format!("cut-{}", name.to_lowercase()),
        track_place,
    );
    track(ui, name, track_place, [least, most], [&mut low, &mut high]);
    number(ui, to, &format!("Cut {name} to"), &mut high, low..=most);
    ends.min[axis] = low;
    ends.max[axis] = high;
}

fn number(ui: &mut Ui, place: Rect, name: &str, value: &mut f32, range: RangeInclusive<f32>) {
    let field = DragValue::new(value)
        .speed(0.05)
        .range(range)
        .fixed_decimals(2)
        .suffix(" m");
    let mut ui = ui.new_child(UiBuilder::new().id_salt(name).max_rect(place));
    // The same width for all numbers.
    ui.spacing_mut().interact_size.x = NUMBER_WIDTH;
    parts::name(&ui.add(field), name);
}

/// Shows the slider: either end can be dragged, and the bar between them moves both.
fn track(ui: &Ui, name: &str, rect: Rect, [least, most]: [f32; 2], [low, high]: [&mut f32; 2]) {
    let inner = rect.shrink2(vec2(HANDLE.x * 0.5, 0.0));
    let per_point = (most - least) / inner.width().max(1.0);
    let at = |value: f32| {
        let along = ((value - least) / (most - least).max(1e-6)).clamp(0.0, 1.0);
        inner.left() + along * inner.width()
    };
    let center = rect.center().y;
    let handle = |x: f32| Rect::from_center_size(pos2(x, center), HANDLE);
    let id = ui.scope_id().with(("cut", name));
    // The handles last, so that they are in front of the bar.
    let between = Rect::from_min_max(
        pos2(at(*low), center - HANDLE.y * 0.5),
        pos2(at(*high), center + HANDLE.y * 0.5),
    );
    let places = [
        (Part::Between, between, "slice"),
        (Part::Low, handle(at(*low)), "lower end"),
        (Part::High, handle(at(*high)), "upper end"),
    ];
    let responses = places.map(|(part, place, what)| {
        let response = ui.interact(place, id.with(what), Sense::drag());
        let text = format!("{name} {what}");
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, ui.is_enabled(), &text));
        if response.dragged() {
            drag(
                ui,
                id,
                part,
                &response,
                per_point,
                [least, most],
                [&mut *low, &mut *high],
            );
        }
        (part, response)
    });
    let visuals = ui.visuals();
    let painter = ui.painter();
    let bar = |from: f32, to: f32| {
        let half = THICKNESS * 0.5;
        Rect::from_min_max(pos2(from, center - half), pos2(to, center + half))
    };
    let radius = CornerRadius::same(2);
    painter.rect_filled(
        bar(inner.left(), inner.right()),
        radius,
        visuals.extreme_bg_color,
    );
    painter.rect_filled(
        bar(at(*low), at(*high)),
        radius,
        theme::ACCENT.of(ui.ctx()).gamma_multiply(0.55),
    );
    for (part, response) in responses {
        let active = response.hovered() || response.dragged();
        if active {
            let resize = part != Part::Between;
            ui.ctx().set_cursor_icon(if resize {
                CursorIcon::ResizeHorizontal
            } else {
                CursorIcon::Grab
            });
        }
        let x = match part {
            Part::Low => at(*low),
            Part::High => at(*high),
            Part::Between => continue,
        };
        let widgets = &visuals.widgets;
        let look = if active {
            &widgets.active
        } else {
            &widgets.hovered
        };
        painter.rect(
            handle(x).shrink2(vec2(1.0, 0.0)),
            CornerRadius::same(3),
            look.bg_fill,
            Stroke::new(
                1.0,
                if active {
                    theme::ACCENT.of(ui.ctx())
                } else {
                    visuals.weak_text_color()
                },
            ),
            egui::StrokeKind::Inside,
        );
    }
}

/// Moves the dragged part with the pointer. The offset is measured from the start of the drag, so
/// that the part is under the pointer again after it was stopped by a limit.
fn drag(
    ui: &Ui,
    id: Id,
    part: Part,
    response: &Response,
    per_point: f32,
    [least, most]: [f32; 2],
    [low, high]: [&mut f32; 2],
) {
    let held = id.with("held");
    if response.drag_started() {
        ui.data_mut(|data| data.insert_temp(held, [*low, *high]));
    }
    let from: Option<[f32; 2]> = ui.data(|data| data.get_temp(held));
    let origin = ui.input(|input| input.pointer.press_origin());
    let now = response.interact_pointer_pos();
    let (Some([from_low, from_high]), Some(origin), Some(now)) = (from, origin, now) else {
        return;
    };
    let by = (now.x - origin.x) * per_point;
    match part {
        Part::Low => *low = (from_low + by).clamp(least, high.max(least)),
        Part::High => *high = (from_high + by).clamp(low.min(most), most),
        Part::Between => {
            let by = by.clamp(least - from_low, (most - from_high).max(least - from_low));
            *low = from_low + by;
            *high = from_high + by;
        }
    }
}
