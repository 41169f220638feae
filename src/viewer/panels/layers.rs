//! The layers of a 2D map with their visibility and opacity.

use egui::{
    Align, Button, DragValue, Layout, Rect, RichText, ScrollArea, Slider, Ui, UiBuilder, vec2,
};

use super::document_key::DocumentKey;
use super::{Hover, PanelContext, PanelUi, Request, parts, tree};
use crate::viewer::format;
use mapscope_scene::{Item, LayerInfo};

/// Width reserved for the eye before the name, in points.
const EYE_WIDTH: f32 = 24.0;
/// Width reserved for the number after the slider, and for the button after it, in points.
const NUMBER_WIDTH: f32 = 52.0;
const SOLO_WIDTH: f32 = 42.0;
/// Minimum width of the slider, in points.
const SLIDER_WIDTH: f32 = 24.0;

/// Lists the layers in drawing order, topmost first.
#[derive(Debug, Default)]
pub struct Layers {
    of: DocumentKey,
    /// Layers from top to bottom.
    all: Vec<LayerInfo>,
    /// The selection that was last scrolled into view.
    selected: Option<Item>,
    hovered: Hover,
}

impl PanelUi for Layers {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            let layers = context.document.layers();
            self.all = layers.map_or_else(Vec::new, mapscope_scene::Layers::layers);
            self.all.reverse();
            self.selected = None;
        }
        if self.all.is_empty() {
            parts::hint(ui, "No layers", "This file has no tile layers.");
            return;
        }
        ui.horizontal(|ui| {
            let hidden = self
                .all
                .iter()
                .filter(|layer| context.shown.hides(layer.item));
            let hidden = hidden.count();
            let button = ui.add_enabled(hidden > 0, Button::new("Show all"));
            if button.on_hover_text("Show all layers again").clicked() {
                context.ask(Request::ShowAll);
            }
            let mut says = format::counted(self.all.len(), "layer");
            if hidden > 0 {
                says = format!("{says}, {hidden} hidden");
            }
            ui.add(egui::Label::new(RichText::new(says).weak()).truncate());
        });
        self.rows(ui, context);
    }
}

impl Layers {
    fn rows(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let row_height = parts::Row::height(ui) * 2.0 + 6.0;
        let id = ui.scope_id().with("layers");
        let mut hovered = None;
        // A cell belongs to a layer; a layer belongs to itself.
        let selected = context.shown.selected;
        let layer_of = |item| context.document.hide_target(item);
        let selected_layer = selected.and_then(layer_of);
        let mut area = ScrollArea::vertical().auto_shrink(false);
        if self.selected != selected {
            self.selected = selected;
            let place = |layer| self.all.iter().position(|info| info.item == layer);
            let room = (ui.available_height() / row_height) as usize;
            if let Some(at) = selected_layer.and_then(place).filter(|at| *at >= room) {
                area = area.vertical_scroll_offset((at as f32 - 1.0) * row_height);
            }
        }
        let hovered_layer = context.hovered.and_then(layer_of);
        area.show_rows(ui, row_height, self.all.len(), |ui, rows| {
            for layer in self.all.get(rows).unwrap_or_default() {
                let row = parts::Row {
                    selected: selected_layer == Some(layer.item),
                    highlighted: hovered_layer == Some(layer.item),
                    ..parts::Row::of(id, layer.item, &layer.name, context)
                };
                let response = row.show_tall(ui, row_height);
                if response.hovered() {
                    hovered = Some(layer.item);
                }
                context.answer(&response, layer.item);
                self.show_layer(ui, context, layer, &response);
                let says = [&*layer.parallax_help, &*layer.note];
                let says: Vec<&str> = says.into_iter().filter(|says| !says.is_empty()).collect();
                if !says.is_empty() {
                    response.on_hover_text(says.join("\n"));
                }
            }
        });
        self.hovered.report(context, hovered);
    }

    /// Shows a layer in its row: eye, name, size and parallax, and the opacity below.
    fn show_layer(
        &self,
        ui: &mut Ui,
        context: &mut PanelContext<'_>,
        layer: &LayerInfo,
        row: &egui::Response,
    ) {
        let hidden = context.shown.hides(layer.item);
        let rect = row.rect.shrink2(vec2(4.0, 3.0));
        let rect = rect.with_max_x(row.rect.max.x - parts::Row::END_MARGIN);
        let (above, below) = rect.split_top_bottom_at_fraction(0.5);
        let eye_place = above.with_max_x(above.min.x + EYE_WIDTH);
        let help = "; Alt+click shows only this layer";
        if tree::eye(ui, eye_place, &layer.name, hidden, row, help) {
            let alone = ui.input(|input| input.modifiers.alt);
            context.ask(if alone {
                Request::Solo(layer.item)
            } else {
                Request::Hide(layer.item, !hidden)
            });
        }
        let [width, height] = layer.size;
        // A layer of sprites has no size.
        let size = (width > 0 && height > 0).then(|| format!("{width} × {height}"));
        let parallax = (!layer.parallax.is_empty()).then(|| layer.parallax.clone());
        let note: Vec<String> = parallax.into_iter().chain(size).collect();
        let text = above.with_min_x(eye_place.max.x);
        parts::paint_name_and_note(ui, text, &layer.name, &note.join("   "), hidden);
        self.opacity(ui, context, layer, below.with_min_x(eye_place.max.x));
    }

    fn opacity(&self, ui: &mut Ui, context: &mut PanelContext<'_>, layer: &LayerInfo, place: Rect) {
        let now = context.shown.opacities.get(layer.item).unwrap_or(u8::MAX);
        let now = (f32::from(now) / 2.55).round() as u8;
        let mut wanted = now;
        let builder = UiBuilder::new().id_salt(layer.item).max_rect(place);
        let mut line = ui.new_child(builder.layout(Layout::left_to_right(Align::Center)));
        line.spacing_mut().item_spacing.x = 4.0;
        let room = line.available_width() - SOLO_WIDTH - 8.0;
        // A narrow panel shows only the slider.
        let has_number = room >= SLIDER_WIDTH + NUMBER_WIDTH + 4.0;
        let taken = if has_number { NUMBER_WIDTH + 4.0 } else { 0.0 };
        line.spacing_mut().slider_width = (room - taken).max(SLIDER_WIDTH);
        let slider = line.add(Slider::new(&mut wanted, 0..=100).show_value(false));
        parts::name(&slider, &format!("Opacity of {}", layer.name));
        if has_number {
            let size = vec2(NUMBER_WIDTH, line.available_height());
            let number = DragValue::new(&mut wanted).range(0..=100).suffix(" %");
            let number = line.add_sized(size, number);
            parts::name(&number, &format!("Opacity of {} as a number", layer.name));
        }
        if wanted != now {
            let wanted = (wanted < 100).then(|| (f32::from(wanted) * 2.55).round() as u8);
            context.ask(Request::SetOpacity(layer.item, wanted));
        }
        let others = self.all.iter().filter(|other| other.item != layer.item);
        let mut others = others.map(|other| other.item);
        let alone = self.all.len() > 1
            && !context.shown.hides(layer.item)
            && others.all(|other| context.shown.hides(other));
        let solo = Button::new(RichText::new("Solo").small()).selected(alone);
        let size = vec2(SOLO_WIDTH, line.available_height());
        let solo = line.add_sized(size, solo);
        parts::name(&solo, &format!("Solo {}", layer.name));
        if solo
            .on_hover_text("Show only this layer, or all layers again")
            .clicked()
        {
            context.ask(Request::Solo(layer.item));
        }
    }
}
