//! Widgets shared by all panels: list rows, swatches, field colours, hints.

use egui::accesskit::Role;
use egui::ecolor::Hsva;
use egui::util::IdTypeMap;
use egui::{
    Align2, Button, Color32, ColorImage, CornerRadius, EventFilter, Id, Key, Margin, Painter, Pos2,
    Rect, Response, RichText, ScrollArea, Sense, Stroke, StrokeKind, TextEdit, TextStyle,
    TextWrapMode, TextureFilter, TextureId, TextureOptions, TextureWrapMode, Ui, UiKind,
    WidgetInfo, WidgetText, pos2, vec2,
};

use super::{PanelContext, Request};
use crate::viewer::state::interface::FocusMove;
use crate::viewer::{format, theme};
use mapscope_formats::Severity;
use mapscope_scene::{Item, Swatch};

/// Minimum width of a note, in points; narrower notes are omitted.
const MIN_NOTE_WIDTH: f32 = 32.0;

/// Sampler options for textures whose pixels have hard edges when magnified.
pub(in crate::viewer) const SHARP: TextureOptions = TextureOptions {
    magnification: TextureFilter::Nearest,
    minification: TextureFilter::Linear,
    wrap_mode: TextureWrapMode::ClampToEdge,
    mipmap_mode: None,
};

/// Returns a texture image from RGBA without premultiplied alpha; `None` if it is empty or its
/// length does not match its size.
pub(in crate::viewer) fn color_image(size: [u32; 2], rgba: &[u8]) -> Option<ColorImage> {
    let [width, height] = size.map(|side| side as usize);
    let bytes = width.checked_mul(height)?.checked_mul(4)?;
    (bytes > 0 && rgba.len() == bytes)
        .then(|| ColorImage::from_rgba_unmultiplied([width, height], rgba))
}

/// Paints a whole texture in a rectangle.
pub(in crate::viewer) fn paint_texture(painter: &Painter, texture: TextureId, rect: Rect) {
    let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    painter.image(texture, rect, whole, Color32::WHITE);
}

/// Returns the names and values of an item's summary.
pub(super) fn summary_text(context: &PanelContext<'_>, item: Item, separator: &str) -> String {
    let summary = context.document.summary(item, context.shown);
    let texts = summary.iter();
    let texts = texts.map(|part| format!("{} {}", part.name, part.value.trim()));
    texts.collect::<Vec<_>>().join(separator)
}

/// `true` if a point is inside a convex polygon, in either winding order.
pub(super) fn is_within(corners: &[Pos2], at: Pos2) -> bool {
    let next = corners.iter().cycle().skip(1);
    let sides = corners.iter().zip(next).map(|(from, to)| {
        let (along, there) = (*to - *from, at - *from);
        along.x * there.y - along.y * there.x
    });
    sides.clone().all(|side| side >= 0.0) || sides.clone().all(|side| side <= 0.0)
}

/// Returns the colour of a field of a file's text, the same in all places.
pub(super) fn field_color(ui: &Ui, index: usize) -> Color32 {
    // Steps of the golden ratio keep consecutive fields far apart in hue.
    let hue = (index as f32 * 0.618_034).fract();
    let (saturation, value) = if ui.visuals().dark_mode {
        (0.6, 0.97)
    } else {
        (0.95, 0.15)
    };
    Hsva::new(hue, saturation, value, 1.0).into()
}

/// Position at which the pointer holds a widget, or has held it in this frame. A quick click, or
/// the last move of a drag, has already ended when it is reported.
pub(in crate::viewer) fn held_at(response: &Response) -> Option<Pos2> {
    let held = response.is_pointer_button_down_on();
    let held = held || response.clicked() || response.drag_stopped();
    response.interact_pointer_pos().filter(|_| held)
}

/// Sets the accessible name of a widget that has no visible label.
pub(in crate::viewer) fn name(response: &Response, name: &str) {
    response
        .ctx
        .accesskit_node_builder(response.id, |node| node.set_label(name));
}

/// Sets the accessible name of a part of the window.
pub(in crate::viewer) fn name_ui(ui: &Ui, name: &str) {
    ui.ctx()
        .accesskit_node_builder(ui.unique_id(), |node| node.set_label(name));
}

/// Sets the accessible name of the innermost enclosing panel, dialog or menu for which `is_target_kind`
/// holds.
pub(in crate::viewer) fn name_enclosing(
    ui: &Ui,
    is_target_kind: impl Fn(UiKind) -> bool,
    name: &str,
) {
    let mut around = ui.stack().iter();
    if let Some(around) = around.find(|around| around.kind().is_some_and(&is_target_kind)) {
        ui.ctx().accesskit_node_builder(around.unique_id, |node| {
            node.set_label(name);
            if around.kind() == Some(UiKind::Modal) {
                node.set_modal();
            }
        });
    }
}

/// Sets the accessible name of the enclosing panel.
pub(in crate::viewer) fn name_panel(ui: &Ui, name: &str) {
    name_enclosing(ui, |kind| kind.is_panel(), name);
}

/// Sets the accessible role of a part of the window.
pub(in crate::viewer) fn take_role(ui: &Ui, role: Role) {
    ui.ctx()
        .accesskit_node_builder(ui.unique_id(), |node| node.set_role(role));
}

/// Id of the flag that requests focus for a search field.
fn search_focus_id() -> Id {
    Id::unique("wanted search")
}

/// Requests focus for a search field, or withdraws the request.
pub(in crate::viewer) fn request_search_focus(ctx: &egui::Context, wanted: Option<FocusMove>) {
    ctx.data_mut(|data| data.insert_temp(search_focus_id(), wanted));
}

/// Gives a search field the focus, if that was requested.
pub(super) fn focus_if_wanted(field: &Response, by: FocusMove) {
    let wanted = |data: &mut IdTypeMap| data.get_temp::<Option<FocusMove>>(search_focus_id());
    if field.ctx.data_mut(wanted).flatten() == Some(by) {
        request_search_focus(&field.ctx, None);
        field.request_focus();
    }
}

/// Id under which the last focused row is stored.
fn focused_row_id() -> Id {
    Id::unique("focused row")
}

/// `true` if a row of a list has the focus.
pub(in crate::viewer) fn is_row_focused(ctx: &egui::Context) -> bool {
    let row = ctx.data(|data| data.get_temp::<Id>(focused_row_id()));
    row.is_some() && row == ctx.memory(egui::Memory::focused)
}

/// The request of the wheel over a widget that shows frames of the timeline: zoom around `frame`,
/// or pan with Shift.
pub(in crate::viewer) fn timeline_scroll(
    ui: &Ui,
    frame: f64,
    frames_per_point: f64,
) -> Option<Request> {
    let (scrolled, pinched) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
    let factor = f64::from(2.0_f32.powf(-scrolled.y / 100.0) / pinched);
    if factor != 1.0 {
        Some(Request::ZoomTimeline { frame, factor })
    } else if scrolled.x != 0.0 {
        Some(Request::PanTimeline(
            -f64::from(scrolled.x) * frames_per_point,
        ))
    } else {
        None
    }
}

/// Shows a button with a tooltip. Returns `true` if it was clicked.
pub(in crate::viewer) fn button(ui: &mut Ui, enabled: bool, text: &str, help: &str) -> bool {
    let button = ui.add_enabled(enabled, Button::new(text));
    button.on_hover_text(help).clicked()
}

/// User input in a search field.
pub(super) struct SearchInput {
    /// `true` if the text was changed.
    pub(super) changed: bool,
    /// `true` if Enter was pressed.
    pub(super) entered: bool,
}

/// Shows a search field of the full width. Escape clears it, and leaves it if it is empty.
pub(super) fn search_field(ui: &mut Ui, text: &mut String, help: &str) -> SearchInput {
    let field = TextEdit::singleline(text)
        .hint_text("Search")
        .desired_width(f32::INFINITY)
        // Otherwise egui would take Escape and leave the field at once, and Escape would deselect.
        .event_filter(EventFilter {
            escape: true,
            horizontal_arrows: true,
            vertical_arrows: true,
            tab: false,
        });
    let field = ui.add(field).on_hover_text(help);
    focus_if_wanted(&field, FocusMove::Search);
    // Give the keys back to the view: the user wants to look at the result.
    let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    let escaped = field.has_focus() && ui.input(|input| input.key_pressed(Key::Escape));
    let emptied = escaped && !text.is_empty();
    if emptied {
        text.clear();
    } else if escaped {
        field.surrender_focus();
    }
    SearchInput {
        changed: field.changed() || emptied,
        entered,
    }
}

/// Like [`search_field`] without Enter; returns `true` if the text was changed.
pub(super) fn search(ui: &mut Ui, text: &mut String, help: &str) -> bool {
    search_field(ui, text, help).changed
}

/// Formats the number of search results.
pub(super) fn matches(found: usize, wanted: &str) -> String {
    match found {
        0 => format!("No match for `{wanted}`"),
        1 => "1 match".to_owned(),
        found => format!("{} matches", format::count(found as u64)),
    }
}

/// Shows why a panel is empty, with advice for the user.
pub(super) fn hint(ui: &mut Ui, what: &str, advice: &str) {
    ui.add_space(ui.spacing().interact_size.y);
    ui.vertical_centered(|ui| {
        ui.label(RichText::new(what).strong());
        if !advice.is_empty() {
            ui.weak(advice);
        }
    });
}

/// A heading within a panel.
pub(super) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(ui.spacing().item_spacing.y);
    ui.label(RichText::new(text).strong());
}

/// Returns the text of a property's value: monospace for numbers, proportional for words.
pub(super) fn value_text(value: &str) -> RichText {
    let text = RichText::new(unbroken(value));
    let mut words = value.split(|c: char| !c.is_alphabetic());
    if words.any(|word| word.chars().nth(1).is_some()) {
        text
    } else {
        text.monospace()
    }
}

/// Replaces the space between an axis letter and its number by a no-break space.
fn unbroken(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(space) = rest.find(' ') {
        let (before, after) = rest.split_at(space);
        text.push_str(before);
        let axis = before.len() == 1 && before.starts_with(|c: char| c.is_ascii_lowercase());
        let number = after[1..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        text.push(if axis && number { '\u{a0}' } else { ' ' });
        rest = &after[1..];
    }
    text.push_str(rest);
    text
}

/// Shows a panel's contents and scrolls them if they are too tall. The bar lies beside them.
pub(super) fn scrolled(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let area = ScrollArea::vertical().auto_shrink(false);
    let margin = Margin {
        right: Row::END_MARGIN as i8,
        ..Margin::ZERO
    };
    area.content_margin(margin).show(ui, contents);
}

/// Shows a swatch as tall as a line of text.
pub(super) fn swatch(ui: &mut Ui, context: &mut PanelContext<'_>, swatch: Swatch) {
    let side = ui.text_style_height(&TextStyle::Body);
    let (rect, _) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
    paint_swatch(ui, context, swatch, rect);
}

/// Leaves the space of a swatch empty.
pub(super) fn no_swatch(ui: &mut Ui) {
    let side = ui.text_style_height(&TextStyle::Body);
    ui.allocate_space(vec2(side, side));
}

/// Paints a swatch in a given rectangle.
pub(super) fn paint_swatch(ui: &Ui, context: &mut PanelContext<'_>, swatch: Swatch, rect: Rect) {
    let painter = ui.painter();
    let outline = ui.visuals().widgets.noninteractive.bg_stroke;
    match swatch {
        Swatch::Color([r, g, b]) => {
            painter.rect_filled(rect, 2.0, Color32::from_rgb(r, g, b));
        }
        Swatch::Thumbnail(index) => {
            if let Some(texture) = context.thumbnails.get(ui.ctx(), context.document, index) {
                paint_texture(painter, texture.id, rect);
            } else {
                // A missing image is crossed out.
                painter.line_segment([rect.left_bottom(), rect.right_top()], outline);
                painter.line_segment([rect.left_top(), rect.right_bottom()], outline);
            }
        }
    }
    painter.rect_stroke(rect, CornerRadius::same(2), outline, StrokeKind::Outside);
}

/// A clickable row of a list, over the full width.
pub(super) struct Row<'a> {
    /// Stable id while the list scrolls, so that the row keeps the focus.
    pub(super) id: Id,
    /// Its accessible role.
    pub(super) role: Role,
    /// Its accessible name.
    pub(super) name: &'a str,
    /// Its accessible description.
    pub(super) note: &'a str,
    /// `true` if it is selected.
    pub(super) selected: bool,
    /// `true` if its item is pointed at elsewhere.
    pub(super) highlighted: bool,
    /// Its place in a tree.
    pub(super) branch: Option<Branch>,
}

/// The place of a row in a tree.
pub(super) struct Branch {
    /// Number of ancestors.
    pub(super) depth: usize,
    /// `true` if it is open; `None` without children.
    pub(super) open: Option<bool>,
}

impl<'a> Row<'a> {
    /// Returns the row of an item in a list.
    pub(super) fn of(list: Id, item: Item, name: &'a str, context: &PanelContext<'_>) -> Self {
        Self {
            id: list.with(item),
            role: Role::ListBoxOption,
            name,
            note: "",
            selected: context.shown.selected == Some(item),
            highlighted: context.hovered == Some(item),
            branch: None,
        }
    }

    /// Width at the end of a row that the scroll bar covers.
    pub(super) const END_MARGIN: f32 = 12.0;

    /// The height of every row.
    pub(super) fn height(ui: &Ui) -> f32 {
        ui.spacing().interact_size.y
    }

    /// Allocates the row and paints its background.
    pub(super) fn show(self, ui: &mut Ui) -> Response {
        let height = Self::height(ui);
        self.show_tall(ui, height)
    }

    /// Like [`show`](Self::show), with another height.
    pub(super) fn show_tall(self, ui: &mut Ui, height: f32) -> Response {
        let size = vec2(ui.available_width(), height);
        let (_, rect) = ui.allocate_space(size);
        let response = ui.interact(rect, self.id, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(self.role, ui.is_enabled(), self.name));
        ui.ctx().accesskit_node_builder(self.id, |node| {
            node.set_selected(self.selected);
            if !self.note.is_empty() {
                node.set_description(self.note);
            }
            if let Some(branch) = &self.branch {
                node.set_level(branch.depth + 1);
                if let Some(open) = branch.open {
                    node.set_expanded(open);
                }
            }
        });
        let visuals = ui.visuals();
        let fill = if self.selected {
            Some(visuals.selection.bg_fill)
        } else if response.hovered() || self.highlighted {
            Some(visuals.widgets.hovered.weak_bg_fill)
        } else {
            None
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, 3.0, fill);
        }
        if response.has_focus() {
            ui.data_mut(|data| data.insert_temp(focused_row_id(), self.id));
            let stroke = Stroke::new(1.0, visuals.strong_text_color());
            ui.painter()
                .rect_stroke(rect, 3.0, stroke, StrokeKind::Inside);
        }
        response
    }
}

/// Paints one line of text in a row, truncated at the end of the rectangle. Returns its width, and
/// `true` if it was truncated.
pub(in crate::viewer) fn paint_text(
    ui: &Ui,
    rect: Rect,
    text: RichText,
    color: Color32,
    align: Align2,
) -> (f32, bool) {
    let text = WidgetText::from(text);
    let wrap = Some(TextWrapMode::Truncate);
    let galley = text.into_galley(ui, wrap, rect.width().max(0.0), TextStyle::Body);
    let place = align.align_size_within_rect(galley.size(), rect);
    let (width, cut) = (galley.size().x, galley.elided);
    ui.painter().galley(place.min, galley, color);
    (width, cut)
}

/// Paints a name, weak if hidden, and a smaller note in the remaining width, if that is wide
/// enough. Returns `true` if both fit in full.
pub(super) fn paint_name_and_note(
    ui: &Ui,
    rect: Rect,
    name: &str,
    note: &str,
    hidden: bool,
) -> bool {
    let weak = ui.visuals().weak_text_color();
    let color = if hidden {
        weak
    } else {
        ui.visuals().text_color()
    };
    let (taken, cut) = paint_text(ui, rect, RichText::new(name), color, Align2::LEFT_CENTER);
    let room = rect.with_min_x(rect.min.x + taken + 8.0);
    if note.is_empty() {
        return !cut;
    }
    if room.width() <= MIN_NOTE_WIDTH {
        return false;
    }
    let note = RichText::new(note).small();
    let (_, cut_note) = paint_text(ui, room, note, weak, Align2::RIGHT_CENTER);
    !(cut || cut_note)
}

/// Paints a severity mark, which differs by shape as well as by colour: a triangle for a warning, a
/// crossed disc for an error, a plain ring for a note.
pub(in crate::viewer) fn paint_severity(ui: &Ui, severity: Severity, rect: Rect) {
    let painter = ui.painter();
    let visuals = ui.visuals();
    let center = rect.center();
    let radius = rect.width().min(rect.height()) * 0.5;
    let ink = Stroke::new(radius * 0.28, theme::PANEL.of(painter.ctx()));
    match severity {
        Severity::Note => {
            let line = Stroke::new(radius * 0.28, visuals.weak_text_color());
            painter.circle_stroke(center, radius * 0.8, line);
        }
        Severity::Error => {
            painter.circle_filled(center, radius, visuals.error_fg_color);
            let arm = radius * 0.42;
            for slope in [-1.0, 1.0] {
                let offset = vec2(arm, arm * slope);
                painter.line_segment([center - offset, center + offset], ink);
            }
        }
        Severity::Warning => {
            let corners = vec![
                center + vec2(0.0, -radius),
                center + vec2(radius * 1.08, radius * 0.9),
                center + vec2(radius * -1.08, radius * 0.9),
            ];
            let shape = egui::Shape::convex_polygon(corners, visuals.warn_fg_color, Stroke::NONE);
            painter.add(shape);
            let at = |y: f32| center + vec2(0.0, radius * y);
            painter.line_segment([at(-0.4), at(0.3)], ink);
            painter.circle_filled(at(0.62), radius * 0.15, theme::PANEL.of(painter.ctx()));
        }
    }
}

/// Shows a severity mark as large as a line of text.
pub(in crate::viewer) fn severity(ui: &mut Ui, severity: Severity) {
    let side = ui.text_style_height(&TextStyle::Body) * 0.9;
    let (rect, _) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
    paint_severity(ui, severity, rect);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_stays_with_its_number() {
        assert_eq!(
            unbroken("x -16383.5  y 0  z 4.25 and 3 x 4 m"),
            "x\u{a0}-16383.5  y\u{a0}0  z\u{a0}4.25 and 3 x\u{a0}4 m"
        );
        assert_eq!(unbroken(""), "");
    }
}
