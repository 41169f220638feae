//! The small bar in a corner of a 2D map's view: switch between flat and 3D, zoom, and distance
//! between the layers.

use egui::{Button, Context, Id, Rect, Slider, Ui};

use super::{BarContext, notices};
use crate::viewer::commands::{self, Action, Request};
use crate::viewer::panels::parts;
use crate::viewer::places;
use crate::viewer::state::State;
use crate::viewer::view::flat;
use mapscope_scene::fixed;

/// Distance of the bar from the edges of the view, in points.
const MARGIN: f32 = 10.0;
/// Maximum width of the slider, in points; it is smaller in narrow views.
const SLIDER_WIDTH: f32 = 130.0;
/// In narrower views, in points, the bar only switches between flat and 3D.
const MIN_FULL_WIDTH: f32 = 330.0;
/// Maximum distance between layers, relative to the default.
const MAX_GAP_FACTOR: f32 = 4.0;

/// Shows the bar for a 2D map and returns its rectangle.
pub(crate) fn flat_bar(ctx: &Context, context: &mut BarContext<'_>, view: Rect) -> Option<Rect> {
    if !context.state.session.is_map() {
        return None;
    }
    let area = egui::Area::new(Id::unique("flat bar"))
        .order(egui::Order::Middle)
        .fixed_pos(view.left_top() + egui::vec2(MARGIN, MARGIN))
        .constrain_to(view)
        .show(ctx, |ui| {
            let frame = notices::overlay_frame(ui.style()).inner_margin(5);
            frame.show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 4.0;
                    bar(ui, context, view.width());
                });
            });
        });
    let place = area.response.rect;
    places::note(ctx, "flat-bar", place);
    Some(place)
}

fn bar(ui: &mut Ui, context: &mut BarContext<'_>, width: f32) {
    let flat = context.state.session.view.is_flat();
    for (text, is_flat) in [("2D", true), ("3D", false)] {
        let button = ui.selectable_label(flat == is_flat, text);
        if with_tooltip(button, context.state, Action::Flat).clicked() && flat != is_flat {
            context.run(Action::Flat);
        }
    }
    if width < MIN_FULL_WIDTH {
        return;
    }
    ui.separator();
    if let Some(window) = context.state.session.view.flat_window() {
        button(ui, context, "−", "Zoom out", Action::Zoom { nearer: false });
        let text = egui::RichText::new(flat::zoom_text(window.zoom)).monospace();
        let zoom = Button::new(text)
            .frame(false)
            .min_size(egui::vec2(58.0, 0.0));
        let zoom = with_tooltip(ui.add(zoom), context.state, Action::ActualSize);
        if zoom.clicked() {
            context.run(Action::ActualSize);
        }
        button(ui, context, "+", "Zoom in", Action::Zoom { nearer: true });
        button(ui, context, "Fit", "Fit the whole map", Action::FrameAll);
    } else {
        gap(ui, context, SLIDER_WIDTH.min(width - MIN_FULL_WIDTH + 40.0));
    }
}

/// Shows the slider for the distance between the layers.
fn gap(ui: &mut Ui, context: &mut BarContext<'_>, width: f32) {
    let layers = context.state.session.layers();
    let usual = layers.map_or(0.0, mapscope_scene::Layers::default_layer_gap);
    let mut gap = context.state.session.view.shown.layer_gap.unwrap_or(usual);
    ui.spacing_mut().slider_width = width;
    let most = (usual * MAX_GAP_FACTOR).max(1.0);
    // The number has the width of the widest one, so that the bar keeps its size.
    let widest = egui::WidgetText::from(format!("{} px", fixed(most, 0))).into_galley(
        ui,
        Some(egui::TextWrapMode::Extend),
        f32::INFINITY,
        egui::TextStyle::Button,
    );
    let number = widest.size().x + ui.spacing().button_padding.x * 2.0;
    let spacing = &mut ui.spacing_mut().interact_size.x;
    *spacing = spacing.max(number.ceil());
    let slider = Slider::new(&mut gap, 0.0..=most)
        .suffix(" px")
        .fixed_decimals(0)
        .text("Layer distance");
    let slider = ui.add(slider);
    if slider.changed() {
        context.ask(Request::SetLayerGap(Some(gap)));
    }
    if slider.double_clicked() {
        context.ask(Request::SetLayerGap(None));
    }
    slider.on_hover_text("Distance between the layers; double-click to reset");
}

fn button(ui: &mut Ui, context: &mut BarContext<'_>, text: &str, name: &str, action: Action) {
    let button = Button::new(text).min_size(egui::vec2(22.0, 0.0));
    let button = with_tooltip(ui.add(button), context.state, action);
    parts::name(&button, name);
    if button.clicked() {
        context.run(action);
    }
}

/// Adds a tooltip with a command's help and its key.
fn with_tooltip(response: egui::Response, state: &State, action: Action) -> egui::Response {
    match commands::of(action) {
        Some(command) => response.on_hover_text(command.help_and_key(&state.settings.keys)),
        None => response,
    }
}
