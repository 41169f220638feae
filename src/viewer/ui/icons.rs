//! Small icons for buttons, painted as shapes so that they do not depend on fonts.

use std::f32::consts::{PI, TAU};

use egui::{
    Color32, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

/// The icon on a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    Play,
    Pause,
    Stop,
    StepBack,
    StepAhead,
    ToStart,
    ToEnd,
    Once,
    Loop,
    PingPong,
    Smooth,
    More,
}

/// Width and height of a button with an icon, in points.
pub(crate) const BUTTON_SIZE: Vec2 = vec2(25.0, 22.0);

/// Shows a button with an icon. `on` is its state if it is a toggle, `name` its accessible name.
pub(crate) fn button(ui: &mut Ui, icon: Icon, name: &str, on: Option<bool>) -> Response {
    let (rect, response) = ui.allocate_exact_size(BUTTON_SIZE, Sense::click());
    response.widget_info(|| match on {
        Some(on) => WidgetInfo::selected(Role::Button, ui.is_enabled(), on, name),
        None => WidgetInfo::labeled(Role::Button, ui.is_enabled(), name),
    });
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let visuals = ui.style().interact_selectable(&response, on == Some(true));
    let filled = on == Some(true) || response.hovered() || response.has_focus();
    if filled {
        let painter = ui.painter();
        painter.rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
        if response.has_focus() {
            let stroke = Stroke::new(1.0, visuals.fg_stroke.color);
            painter.rect_stroke(rect, visuals.corner_radius, stroke, StrokeKind::Inside);
        }
    }
    let color = if ui.is_enabled() {
        visuals.fg_stroke.color
    } else {
        ui.visuals().weak_text_color()
    };
    paint(ui.painter(), icon, rect, color);
    response
}

/// Paints an icon at the centre of a rectangle.
fn paint(painter: &Painter, icon: Icon, rect: Rect, color: Color32) {
    let c = rect.center();
    let r = 5.0;
    let stroke = Stroke::new(1.5, color);
    let at = |x: f32, y: f32| c + vec2(x * r, y * r);
    let fill = |points: Vec<Pos2>| {
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32, half_width: f32, half_height: f32| {
        painter.rect_filled(
            Rect::from_center_size(at(x, 0.0), 2.0 * r * vec2(half_width, half_height)),
            1.0,
            color,
        );
    };
    // A triangle with its tip at `tip`, which points to the right if `width` is positive.
    let triangle = |tip: f32, width: f32| {
        fill(vec![
            at(tip, 0.0),
            at(tip - width, 1.0),
            at(tip - width, -1.0),
        ]);
    };
    let arrow_head = |tip: Pos2, direction: Vec2| {
        let along = direction.normalized() * 4.5;
        let across = along.rot90() * 0.62;
        fill(vec![tip, tip - along + across, tip - along - across]);
    };
    match icon {
        Icon::Play => triangle(1.1, 1.9),
        Icon::Pause => {
            bar(-0.55, 0.3, 1.0);
            bar(0.55, 0.3, 1.0);
        }
        Icon::Stop => bar(0.0, 0.9, 0.9),
        Icon::StepBack => {
            triangle(-0.5, -1.4);
            bar(-0.85, 0.16, 1.0);
        }
        Icon::StepAhead => {
            triangle(0.5, 1.4);
            bar(0.85, 0.16, 1.0);
        }
        Icon::ToStart => {
            triangle(-0.8, -1.1);
            triangle(0.2, -1.1);
            bar(-1.1, 0.16, 1.0);
        }
        Icon::ToEnd => {
            triangle(0.8, 1.1);
            triangle(-0.2, 1.1);
            bar(1.1, 0.16, 1.0);
        }
        Icon::Once => {
            painter.line_segment([at(-1.3, 0.0), at(0.6, 0.0)], stroke);
            arrow_head(at(1.0, 0.0), vec2(1.0, 0.0));
            bar(1.3, 0.15, 1.0);
        }
        Icon::Loop => {
            // Most of a circle, with the arrow head at its end.
            let (from, to) = (-0.35 * PI, 1.3 * PI);
            let on_circle = |angle: f32| c + 1.05 * r * vec2(angle.cos(), angle.sin());
            let points = (0..=20).map(|i| on_circle(from + (to - from) * i as f32 / 20.0));
            painter.add(Shape::line(points.collect(), stroke));
            let tangent = vec2(-(to.sin()), to.cos());
            arrow_head(on_circle(to) + tangent * 3.2, tangent);
        }
        Icon::PingPong => {
            painter.line_segment([at(-1.0, 0.0), at(1.0, 0.0)], stroke);
            arrow_head(at(1.5, 0.0), vec2(1.0, 0.0));
            arrow_head(at(-1.5, 0.0), vec2(-1.0, 0.0));
        }
        Icon::Smooth => {
            let wave = |i: i32| {
                let along = i as f32 / 20.0;
                at(along * 2.8 - 1.4, -0.8 * (along * TAU).sin())
            };
            painter.add(Shape::line((0..=20).map(wave).collect(), stroke));
        }
        Icon::More => {
            for x in [-1.0, 0.0, 1.0] {
                painter.circle_filled(pos2(c.x + x * r, c.y), 1.5, color);
            }
        }
    }
}
