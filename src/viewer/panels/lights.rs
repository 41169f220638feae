//! Switches for the lights of the level.

use egui::{
    Align, Align2, Checkbox, DragValue, Layout, Rect, ScrollArea, Slider, Ui, UiBuilder, vec2,
};

use super::document_key::DocumentKey;
use super::{Hover, PanelContext, PanelUi, Request, parts};
use mapscope_scene::{Light, Swatch};

/// Width reserved for the switch and the colour before the name, in points.
const SWITCH_WIDTH: f32 = 22.0;
const SWATCH_SIDE: f32 = 14.0;
/// Width reserved for the number after the slider, in points.
const NUMBER_WIDTH: f32 = 40.0;

/// Lists the lights of the visible level, each with a switch and its brightness.
#[derive(Debug, Default)]
pub struct Lights {
    of: DocumentKey,
    level: usize,
    all: Vec<Light>,
    search: String,
    /// Indices of the lights that match the search.
    listed: Vec<usize>,
    hovered: Hover,
}

impl PanelUi for Lights {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let level = context.shown.level;
        if self.of.changed_to(context.document) || self.level != level {
            self.level = level;
            let levels = context.document.levels();
            self.all = levels.map_or_else(Vec::new, |levels| levels.lights(level));
            self.list();
        }
        if self.all.is_empty() {
            let advice = "This level has no switchable lights.";
            parts::hint(ui, "No lights", advice);
            return;
        }
        if parts::search(ui, &mut self.search, "Filter lights by name") {
            self.list();
        }
        ui.horizontal_wrapped(|ui| {
            let lights = || self.all.iter().map(|light| light.item);
            let changed = lights().any(|item| context.shown.lights.get(item).is_some());
            let as_bright = "Switch every light on, with the brightness in the file";
            for (name, help, on, enabled) in [
                ("All on", as_bright, Some(true), true),
                ("All off", "Switch every light off", Some(false), true),
                (
                    "As in the file",
                    "Undo all changes to the lights",
                    None,
                    changed,
                ),
            ] {
                if parts::button(ui, enabled, name, help) {
                    context.ask(Request::SwitchAllLights(on));
                }
            }
        });
        if !self.search.is_empty() {
            ui.weak(parts::matches(self.listed.len(), &self.search));
        }
        self.rows(ui, context);
    }

    fn forget_search(&mut self) {
        self.search.clear();
        // Forces a new listing.
        self.of = DocumentKey::default();
    }
}

impl Lights {
    fn list(&mut self) {
        let wanted = self.search.to_lowercase();
        let fits = |text: &str| text.to_lowercase().contains(&wanted);
        let lights = self.all.iter().enumerate();
        let listed = lights.filter(|(_, light)| fits(&light.name) || fits(&light.note));
        self.listed = listed.map(|(index, _)| index).collect();
    }

    fn rows(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let row_height = parts::Row::height(ui) * 2.0 + 6.0;
        let id = ui.scope_id().with("lights");
        let mut hovered = None;
        let area = ScrollArea::vertical().auto_shrink(false);
        area.show_rows(ui, row_height, self.listed.len(), |ui, rows| {
            for &index in self.listed.get(rows).unwrap_or_default() {
                let Some(light) = self.all.get(index) else {
                    continue;
                };
                let row = parts::Row::of(id, light.item, &light.name, context);
                let response = row.show_tall(ui, row_height);
                if response.hovered() {
                    hovered = Some(light.item);
                }
                context.answer(&response, light.item);
                show_light(ui, context, light, response.rect);
            }
        });
        self.hovered.report(context, hovered);
    }
}

/// Shows a light in its row: switch, colour, name and note, and the brightness below.
fn show_light(ui: &mut Ui, context: &mut PanelContext<'_>, light: &Light, row: Rect) {
    let now = context
        .shown
        .lights
        .get(light.item)
        .unwrap_or(light.intensity);
    let rect = row.shrink2(vec2(4.0, 3.0));
    let rect = rect.with_max_x(row.max.x - parts::Row::END_MARGIN);
    let (above, below) = rect.split_top_bottom_at_fraction(0.5);
    let mut wanted = now;

    let mut child = |place: Rect, id: &str| {
        let builder = UiBuilder::new().id_salt((light.item, id)).max_rect(place);
        ui.new_child(builder.layout(Layout::left_to_right(Align::Center)))
    };
    let switch_place = above.with_max_x(above.min.x + SWITCH_WIDTH);
    let mut on = wanted > 0;
    let switch = child(switch_place, "switch").add(Checkbox::without_text(&mut on));
    parts::name(&switch, &format!("Switch {}", light.name));
    if switch.changed() {
        wanted = if on { light.full } else { 0 };
    }
    let mut line = child(below.with_min_x(switch_place.max.x), "brightness");
    line.spacing_mut().item_spacing.x = 4.0;
    line.spacing_mut().slider_width = (line.available_width() - NUMBER_WIDTH - 4.0).max(24.0);
    let slider = line.add(Slider::new(&mut wanted, 0..=u8::MAX).show_value(false));
    parts::name(&slider, &format!("Brightness of {}", light.name));
    let size = vec2(NUMBER_WIDTH, line.available_height());
    let number = line.add_sized(size, DragValue::new(&mut wanted));
    let name = format!("Brightness of {} as a number", light.name);
    parts::name(&number, &name);

    let swatch = Rect::from_min_size(switch_place.right_top(), above.size())
        .with_max_x(switch_place.max.x + SWATCH_SIDE);
    let swatch =
        Align2::CENTER_CENTER.align_size_within_rect(egui::Vec2::splat(SWATCH_SIDE), swatch);
    // Scaled by its brightness, but bright enough to recognise the colour.
    let share = 64 + u32::from(wanted) * 191 / 255;
    let dim = |channel: u8| (u32::from(channel) * share / 255) as u8;
    parts::paint_swatch(ui, context, Swatch::Color(light.color.map(dim)), swatch);
    let text = above.with_min_x(swatch.max.x + 7.0);
    parts::paint_name_and_note(ui, text, &light.name, &light.note, false);
    if wanted != now {
        let wanted = (wanted != light.intensity).then_some(wanted);
        context.ask(Request::SetLight(light.item, wanted));
    }
}
