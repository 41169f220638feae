//! A line of a tree, as the outliner and the octree show it.

use egui::{
    Align2, Color32, Painter, Rect, Response, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo,
    vec2,
};

use super::{PanelContext, Request, parts};
use mapscope_scene::{Item, Swatch};

/// Room before the text of a line for what opens it, in points.
const TOGGLE_WIDTH: f32 = 16.0;
/// Room for the eye at the end of a line, in points.
const EYE_WIDTH: f32 = 20.0;

/// What stands in a line.
#[derive(Debug)]
pub(super) struct TreeLine<'a> {
    pub(super) label: &'a str,
    pub(super) note: &'a str,
    pub(super) swatch: Option<Swatch>,
    /// How many lines it is under, and the room before the line for each of them, in points.
    pub(super) depth: usize,
    pub(super) indent: f32,
    /// Whether it is open, where there is something below it.
    pub(super) open: Option<bool>,
    /// With what it is hidden.
    pub(super) eye: Option<Eye<'a>>,
}

/// Hides an item or shows it again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eye<'a> {
    pub(super) item: Item,
    pub(super) name: &'a str,
}

impl TreeLine<'_> {
    /// Paints the line in its row. Returns the place that opens and closes it.
    pub(super) fn paint(
        &self,
        ui: &Ui,
        context: &mut PanelContext<'_>,
        response: &Response,
    ) -> Rect {
        let row = response.rect;
        let mut rect = row.with_max_x(row.max.x - parts::Row::END_MARGIN);
        let hidden = self.eye.is_some_and(|eye| context.shown.hides(eye.item));
        if let Some(eye) = self.eye {
            let place = rect.with_min_x(rect.max.x - EYE_WIDTH);
            rect.max.x = place.min.x - 4.0;
            if eye.show(ui, place, hidden, response, "") {
                context.requests.push(Request::Hide(eye.item, !hidden));
            }
        }
        let rect = rect.with_min_x(row.min.x + 4.0 + self.depth as f32 * self.indent);
        let toggle = rect.with_max_x(rect.min.x + TOGGLE_WIDTH);
        let mut rest = rect.with_min_x(toggle.max.x);
        let weak = ui.visuals().weak_text_color();
        let color = if hidden {
            weak
        } else {
            ui.visuals().text_color()
        };
        if let Some(open) = self.open {
            paint_triangle(ui, open, toggle);
        }
        if let Some(swatch) = self.swatch {
            let side = row.height() - 6.0;
            let place = Align2::LEFT_CENTER.align_size_within_rect(vec2(side, side), rest);
            parts::paint_swatch(ui, context, swatch, place);
            rest.min.x = place.max.x + 6.0;
        }
        let label = RichText::new(self.label);
        let taken = parts::paint_text(ui, rest, label, color, Align2::LEFT_CENTER);
        // The note has what the name leaves, if that is enough to say anything.
        let room = rest.with_min_x(rest.min.x + taken + 8.0);
        if !self.note.is_empty() && room.width() > parts::MIN_NOTE_WIDTH {
            let note = RichText::new(self.note).small();
            parts::paint_text(ui, room, note, weak, Align2::RIGHT_CENTER);
        }
        if self.open.is_some() {
            toggle
        } else {
            Rect::NOTHING
        }
    }
}

impl Eye<'_> {
    /// Shows it at a place in a row. Says whether it was clicked. What else it can do is said after
    /// what a click does.
    pub(super) fn show(
        self,
        ui: &Ui,
        place: Rect,
        hidden: bool,
        row: &Response,
        more_help: &str,
    ) -> bool {
        let response = ui.interact(place, row.id.with("eye"), Sense::click());
        response.widget_info(|| {
            let name = format!("Show {}", self.name);
            WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), !hidden, name)
        });
        let visuals = ui.visuals();
        let color = if response.hovered() || response.has_focus() {
            visuals.strong_text_color()
        } else if hidden {
            visuals.warn_fg_color
        } else {
            visuals.weak_text_color().gamma_multiply(0.8)
        };
        paint_eye(ui.painter(), place, color, hidden);
        let help = if hidden {
            "Show this again"
        } else {
            "Hide this"
        };
        response
            .on_hover_text(format!("{help}{more_help}"))
            .clicked()
    }
}

/// An eye, crossed out for what is hidden.
fn paint_eye(painter: &Painter, place: Rect, color: Color32, hidden: bool) {
    let center = place.center();
    let stroke = Stroke::new(1.2, color);
    let (wide, high) = (6.5, 4.0);
    let lid = |up: f32| {
        let points = (-6..=6).map(|step| {
            let along = f32::from(step as i8) / 6.0;
            center + vec2(along * wide, up * high * (1.0 - along * along))
        });
        Shape::line(points.collect(), stroke)
    };
    painter.add(lid(-1.0));
    painter.add(lid(1.0));
    if hidden {
        let across = vec2(5.0, 5.0);
        painter.line_segment([center - across, center + across], stroke);
    } else {
        painter.circle_filled(center, 1.9, color);
    }
}

/// Points down when open and to the right when closed.
fn paint_triangle(ui: &Ui, open: bool, rect: Rect) {
    let (center, r) = (rect.center(), 3.5);
    let corners = if open {
        [vec2(-r, -r * 0.6), vec2(r, -r * 0.6), vec2(0.0, r * 0.8)]
    } else {
        [vec2(-r * 0.6, -r), vec2(r * 0.8, 0.0), vec2(-r * 0.6, r)]
    };
    let corners = corners.map(|offset| center + offset).to_vec();
    let color = ui.visuals().weak_text_color();
    ui.painter()
        .add(Shape::convex_polygon(corners, color, Stroke::NONE));
}
