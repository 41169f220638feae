//! The kinds of parts in a map, such as tile types, and the tile sandbox.

use egui::accesskit::Role;
use egui::emath::GuiRounding as _;
use egui::{
    Align2, Color32, CornerRadius, RichText, Sense, Stroke, StrokeKind, TextStyle, TextWrapMode,
    Ui, Vec2, WidgetInfo, WidgetText, vec2,
};

use super::document_key::DocumentKey;
use super::sandbox::Sandbox;
use super::{PanelContext, PanelUi, Request, parts};
use crate::viewer::format;
use mapscope_scene::{Item, Kind};

/// Maximum size of a kind's preview, in points. Smaller previews have the same aspect ratio.
pub const KIND_PREVIEW_SIZE: Vec2 = vec2(160.0, 120.0);
/// Minimum width of a kind's card, in points.
const CARD_WIDTH: f32 = 92.0;
/// Minimum scale of a long name's text, so that the name fits into its card.
const MIN_NAME_SCALE: f32 = 0.8;
/// Gap between cards, in points.
const CARD_GAP: f32 = 6.0;
/// Margin inside a card, in points.
const CARD_MARGIN: f32 = 4.0;

/// Shows every kind with a live preview, and steps through the items of a kind.
#[derive(Debug, Default)]
pub struct Kinds {
    of: DocumentKey,
    listed: Vec<Kind>,
    /// The kind for the step buttons.
    current: Option<Item>,
    sandbox: Sandbox,
}

impl PanelUi for Kinds {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.listed.clone_from(&context.document.about().kinds);
            self.current = None;
        }
        if self.listed.is_empty() {
            let advice = "Files of this format have no tile types.";
            parts::hint(ui, "No tile types", advice);
            return;
        }
        match context.shown.selected {
            None => self.current = None,
            Some(item) if self.listed.iter().any(|kind| kind.item == item) => {
                self.current = Some(item);
            }
            // Another item, such as one of the kind: the current kind stays.
            Some(_) => {}
        }
        self.steps(ui, context);
        parts::scrolled(ui, |ui| {
            self.cards(ui, context);
            ui.add_space(ui.spacing().item_spacing.y);
            self.sandbox.ui(ui, context);
        });
    }
}

impl Kinds {
    /// Shows a card for each kind, in rows of the panel's width.
    fn cards(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let room = ui.available_width() + CARD_GAP;
        // The end of a long name is the most distinctive part, so names are never cut off.
        let widths = self.listed.iter().map(|kind| name_width(ui, kind.name));
        let longest = widths.fold(0.0, f32::max);
        let least = CARD_WIDTH.max((longest * MIN_NAME_SCALE).ceil() + 2.0 * CARD_MARGIN);
        let columns = (room / (least + CARD_GAP)).floor().max(1.0);
        let most = KIND_PREVIEW_SIZE.x + 2.0 * CARD_MARGIN;
        // Rounded down; otherwise the last card of a row would not fit.
        let width = (room / columns - CARD_GAP).min(most).floor();
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing = Vec2::splat(CARD_GAP);
            for row in self.listed.chunks(columns as usize) {
                ui.horizontal(|ui| {
                    for kind in row {
                        let chosen = self.current == Some(kind.item);
                        if card(ui, context, kind, chosen, width) {
                            self.current = Some(kind.item);
                            // A second click removes the highlight.
                            let on = context.shown.selected != Some(kind.item);
                            let selected = on.then_some(kind.item);
                            context.ask(Request::Select(selected));
                        }
                    }
                });
            }
        });
    }

    /// Shows the buttons that step through the items of a kind.
    fn steps(&self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let current = self
            .listed
            .iter()
            .find(|kind| self.current == Some(kind.item));
        ui.horizontal(|ui| {
            for (name, backwards) in [("Previous", true), ("Next", false)] {
                let button = egui::Button::new(name);
                let button = ui.add_enabled(current.is_some_and(|kind| kind.count > 0), button);
                let button = button.on_hover_text("Show another tile of this type");
                if let Some(kind) = current.filter(|_| button.clicked()) {
                    context.ask(Request::NextOfKind {
                        kind: kind.item,
                        backwards,
                    });
                }
            }
            let says = match current {
                Some(kind) => format!("{}, {} in the map", kind.name, format::count(kind.count)),
                None => "Click to highlight".to_owned(),
            };
            ui.add(egui::Label::new(RichText::new(says).weak()).truncate());
        });
    }
}

/// Returns the width of a kind's name at full text size, in points.
fn name_width(ui: &Ui, name: &str) -> f32 {
    let text = WidgetText::from(RichText::new(name).small());
    let wrap = Some(TextWrapMode::Extend);
    let galley = text.into_galley(ui, wrap, f32::INFINITY, TextStyle::Small);
    galley.size().x
}

/// Shows a kind's card: preview, name, code and count. Returns `true` if it was clicked.
fn card(
    ui: &mut Ui,
    context: &mut PanelContext<'_>,
    kind: &Kind,
    chosen: bool,
    width: f32,
) -> bool {
    let line = ui.text_style_height(&TextStyle::Small) + 2.0;
    let shape = KIND_PREVIEW_SIZE.y / KIND_PREVIEW_SIZE.x;
    let preview_height = (width - 2.0 * CARD_MARGIN) * shape;
    let size = vec2(width, preview_height + 2.0 * (CARD_MARGIN + line));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| {
        let name = format!(
            "{}, code {}, {} in the map",
            kind.name, kind.code, kind.count
        );
        WidgetInfo::selected(Role::Button, ui.is_enabled(), chosen, name)
    });
    if !ui.is_rect_visible(rect) {
        return response.clicked();
    }
    let visuals = ui.visuals();
    let fill = match (chosen, response.hovered()) {
        (true, _) => visuals.selection.bg_fill,
        (false, true) => visuals.widgets.hovered.weak_bg_fill,
        (false, false) => visuals.faint_bg_color,
    };
    ui.painter().rect_filled(rect, 4.0, fill);
    if response.has_focus() {
        let stroke = Stroke::new(1.0, visuals.strong_text_color());
        ui.painter()
            .rect_stroke(rect, CornerRadius::same(4), stroke, StrokeKind::Inside);
    }
    // Kinds that the map does not use are dimmed.
    let (strong, weak, tint) = if kind.count == 0 {
        let weak = visuals.weak_text_color();
        (weak, weak, Color32::from_white_alpha(90))
    } else {
        (
            visuals.text_color(),
            visuals.weak_text_color(),
            Color32::WHITE,
        )
    };
    let inner = rect.shrink(CARD_MARGIN);
    let preview = inner.with_max_y(inner.min.y + preview_height);
    // Whole pixels; otherwise it would be blurred.
    let preview = preview.round_to_pixels(ui.pixels_per_point());
    let texture = context.previews.kind_preview(kind.item, preview.size());
    if let Some(texture) = texture {
        egui::Image::new((texture, preview.size()))
            .corner_radius(3)
            .tint(tint)
            .paint_at(ui, preview);
    } else {
        let code = RichText::new(&kind.code).heading();
        parts::paint_text(ui, preview, code, weak, Align2::CENTER_CENTER);
    }
    let scale = (inner.width() - 1.0) / name_width(ui, kind.name);
    let size = TextStyle::Small.resolve(ui.style()).size * scale.clamp(MIN_NAME_SCALE, 1.0);
    let name = inner
        .with_min_y(preview.max.y)
        .with_max_y(preview.max.y + line);
    parts::paint_text(
        ui,
        name,
        RichText::new(kind.name).size(size),
        strong,
        Align2::LEFT_CENTER,
    );
    let below = inner.with_min_y(name.max.y);
    let code = RichText::new(&kind.code).small().monospace();
    parts::paint_text(ui, below, code, weak, Align2::LEFT_CENTER);
    let count = RichText::new(format::count(kind.count)).small().monospace();
    parts::paint_text(ui, below, count, weak, Align2::RIGHT_CENTER);
    response.on_hover_text(kind.name).clicked()
}
