//! Columns and rows at the edges of a view from above.

use egui::emath::GuiRounding as _;
use egui::{
    Align2, FontId, Id, Painter, Pos2, Rangef, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};
use glam::DVec2;

use crate::viewer::state::State;
use crate::viewer::view::plan::Plan;
use crate::viewer::{places, theme};

/// Thickness of the rulers in points: the height of columns, and the width of rows.
const THICKNESS: egui::Vec2 = vec2(34.0, 16.0);
/// Minimum distance between the starts of labels in points: of columns, and of rows.
const SPACING: egui::Vec2 = vec2(46.0, 24.0);
/// Minimum size of a view with rulers, in points.
const MIN_VIEW: egui::Vec2 = vec2(240.0, 160.0);
/// Minimum size of a cell in points; of smaller ones, too many would have to be skipped.
const MIN_CELL: f32 = 1e-3;
/// Height of the labels, in points.
const FONT_SIZE: f32 = 11.0;

/// Columns or rows along an edge of the view.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ruler {
    /// Position of the start of cell 0, in points from the edge of the view.
    start: f32,
    /// Size of a cell in points.
    cell: f32,
    /// Number of cells.
    count: u32,
    /// `true` if the cells repeat.
    wraps: bool,
}

impl Ruler {
    /// The number of the cell at an index; indices before and after the map have one only if it
    /// wraps around.
    fn number(&self, index: i64) -> Option<i64> {
        let count = i64::from(self.count.max(1));
        let number = index.rem_euclid(count);
        (self.wraps || number == index).then_some(number)
    }

    /// The range of positions of a cell.
    fn range(&self, index: i64) -> Rangef {
        let from = self.start + self.cell * index as f32;
        Rangef::new(from, from + self.cell)
    }

    /// Indices of the labelled cells between two positions, with a distance of at least `spacing`
    /// points.
    fn labelled(&self, between: Rangef, spacing: f32) -> impl Iterator<Item = i64> {
        let step = step(spacing / self.cell);
        let at = |position: f32| f64::from((position - self.start) / self.cell) / step as f64;
        let steps = at(between.min).floor() as i64..=at(between.max).ceil() as i64;
        steps.map(move |at| at * step)
    }
}

/// Returns the smallest of 1, 2, 5, 10, 20, 50 and so on that is not below a number.
fn step(least: f32) -> i64 {
    let mut power = 1_i64;
    while power < i64::from(u32::MAX) {
        let steps = [1, 2, 5].map(|digit| digit * power);
        if let Some(step) = steps.into_iter().find(|step| *step as f32 >= least) {
            return step;
        }
        power *= 10;
    }
    power
}

/// Shows the rulers over a view from above. Returns the part of the view that they leave free.
pub(crate) fn rulers(ui: &Ui, state: &State, view: Rect) -> Rect {
    let has_room = view.width() >= MIN_VIEW.x && view.height() >= MIN_VIEW.y;
    let Some(rulers) = both(state, view).filter(|_| has_room && state.settings.rulers) else {
        return view;
    };
    let free = Rect::from_min_max(view.min + THICKNESS, view.max);
    let columns = Rect::from_min_max(pos2(free.min.x, view.min.y), pos2(view.max.x, free.min.y));
    let rows = Rect::from_min_max(pos2(view.min.x, free.min.y), pos2(free.min.x, view.max.y));
    let pointer = pointer_cell(state);
    let painter = ui.painter().with_clip_rect(view);
    let fill = theme::PANEL.of(ui.ctx());
    painter.rect_filled(Rect::from_min_max(view.min, free.min), 0.0, fill);
    for (axis, (ruler, strip)) in rulers.into_iter().zip([columns, rows]).enumerate() {
        let name = ["Columns", "Rows"][axis];
        painter.rect_filled(strip, 0.0, fill);
        let pointed_at = pointer.map(|cell| cell[axis]);
        let texts = paint(
            &painter.with_clip_rect(strip),
            ruler,
            strip,
            axis,
            view.min,
            pointed_at,
        );
        let response = ui.interact(strip, Id::unique(name), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
        ui.ctx()
            .accesskit_node_builder(response.id, |node| node.set_value(texts));
        places::note(ui.ctx(), name, strip);
    }
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    painter.hline(view.x_range(), free.min.y, line);
    painter.vline(free.min.x, view.y_range(), line);
    free
}

/// Paints the labels of a ruler. Returns them, and the cell under the pointer, for screen readers.
fn paint(
    painter: &Painter,
    ruler: Ruler,
    strip: Rect,
    axis: usize,
    origin: Pos2,
    pointed_at: Option<i64>,
) -> String {
    let ctx = painter.ctx();
    let (accent, weak) = (theme::ACCENT.of(ctx), theme::WEAK_TEXT.of(ctx));
    let font = FontId::proportional(FONT_SIZE);
    let range = if axis == 0 {
        strip.x_range()
    } else {
        strip.y_range()
    };
    let between = Rangef::new(range.min - origin[axis], range.max - origin[axis]);
    let middle = |cell: Rangef| {
        let mut middle = strip.center();
        middle[axis] = origin[axis] + cell.center();
        middle
    };
    let mut texts = String::new();
    for index in ruler.labelled(between, SPACING[axis]) {
        let Some(number) = ruler.number(index) else {
            continue;
        };
        let cell = ruler.range(index);
        let tick = (origin[axis] + cell.min).round_to_pixels(ctx.pixels_per_point());
        let stroke = Stroke::new(1.0, weak.gamma_multiply(0.5));
        if axis == 0 {
            painter.vline(tick, Rangef::new(strip.max.y - 4.0, strip.max.y), stroke);
        } else {
            painter.hline(Rangef::new(strip.max.x - 4.0, strip.max.x), tick, stroke);
        }
        // The mark of the pointer needs the room of labels beside it.
        let is_covered = pointed_at.is_some_and(|pointed_at| {
            let aside = (ruler.range(pointed_at).center() - cell.center()).abs();
            pointed_at != index && aside < SPACING[axis] * 0.5
        });
        if !is_covered && between.shrink(FONT_SIZE * 0.5).contains(cell.center()) {
            let text = number.to_string();
            texts.extend([text.as_str(), " "]);
            let at = middle(cell);
            painter.text(at, Align2::CENTER_CENTER, text, font.clone(), weak);
        }
    }
    let pointed_at = pointed_at.and_then(|index| Some((index, ruler.number(index)?)));
    if let Some((index, number)) = pointed_at {
        let cell = ruler.range(index);
        let text = number.to_string();
        let galley = painter.layout_no_wrap(text, font, theme::PANEL.of(ctx));
        // The label needs room even where cells are small.
        let size = (cell.span()).max(galley.size()[axis] + 4.0);
        let mut mark = strip;
        mark.min[axis] = origin[axis] + cell.center() - size * 0.5;
        mark.max[axis] = origin[axis] + cell.center() + size * 0.5;
        painter.rect_filled(mark, 2.0, accent);
        let at = middle(cell) - galley.size() * 0.5;
        painter.galley(at, galley, accent);
        texts.extend(["pointer at ", &number.to_string()]);
    }
    texts
}

/// Size of a cell of a plan, in its units, and the number of cells along both axes.
fn cells(state: &State, plan: Plan) -> Option<(DVec2, [u32; 2])> {
    match plan {
        Plan::Flat(_) => {
            let layers = state.session.layers()?;
            let size = layers.tile_px()?.map(|side| f64::from(side.max(1)));
            Some((DVec2::from_array(size), layers.tile_count()?))
        }
        Plan::Ground(ground) => Some((DVec2::ONE, [ground.cols, ground.rows])),
    }
}

/// Returns the columns and the rows of a view from above.
fn both(state: &State, view: Rect) -> Option<[Ruler; 2]> {
    let document = state.session.document()?;
    let from = &state.session.view;
    let plan = Plan::of(from, &**document).filter(|_| from.is_from_above())?;
    let (cell, count) = cells(state, plan)?;
    let layers = state.session.layers();
    let wraps = layers.map_or([false; 2], mapscope_scene::Layers::wraps);
    let [near, _, far, _] = from.seen_on_plan(&**document, plan)?;
    let size = DVec2::new(view.width().into(), view.height().into());
    let per_unit = size / (far - near);
    Some([0, 1].map(|axis| Ruler {
        start: (-near[axis] * per_unit[axis]) as f32,
        cell: (cell[axis] * per_unit[axis]) as f32,
        count: count[axis],
        wraps: wraps[axis],
    }))
    .filter(|rulers| {
        rulers
            .iter()
            .all(|ruler| ruler.cell > MIN_CELL && ruler.start.is_finite())
    })
}

/// Returns the column and the row of the pointer.
fn pointer_cell(state: &State) -> Option<[i64; 2]> {
    let document = state.session.document()?;
    let plan = Plan::of(&state.session.view, &**document)?;
    let (cell, _) = cells(state, plan)?;
    let at = plan.at(state.session.pointer.pointed_at?) / cell;
    Some([at.x, at.y].map(|at| at.floor() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_leave_room_for_labels() {
        for (least, expected) in [
            (0.01, 1),
            (1.0, 1),
            (1.2, 2),
            (2.1, 5),
            (5.1, 10),
            (340.0, 500),
        ] {
            assert_eq!(step(least), expected, "{least}");
        }
        assert!(step(f32::INFINITY) > 0);
        let ruler = Ruler {
            start: 20.0,
            cell: 8.0,
            count: 64,
            wraps: false,
        };
        let labelled = |ruler: Ruler, from, to| {
            let indices = ruler.labelled(Rangef::new(from, to), 46.0);
            let numbers = indices.filter_map(|index| ruler.number(index));
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(labelled(ruler, 0.0, 200.0), [0, 10, 20, 30]);
        assert_eq!(labelled(ruler, 500.0, 900.0), [60]);
        let wraps = true;
        assert_eq!(
            labelled(Ruler { wraps, ..ruler }, 520.0, 700.0),
            [60, 6, 16, 26]
        );
    }
}
