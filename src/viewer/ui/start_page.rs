//! The page shown while no file is open.

use egui::{
    Align2, Button, Color32, CornerRadius, FontId, Rect, RichText, Role, Sense, Stroke, StrokeKind,
    TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo,
};

use super::{BarContext, menus};
use crate::viewer::commands::{self, Action};
use crate::viewer::panels::parts;
use crate::viewer::{places, theme};
use mapscope_scene::demo::Demo;

/// Width of the column in the middle, in points.
const WIDTH: f32 = 890.0;
/// Width of the list of recent files, in points.
const RECENT_WIDTH: f32 = 470.0;
/// Maximum number of listed recent files; the menu lists all.
const RECENT_FILES: usize = 6;
/// Size of a demo's thumbnail, in points.
const THUMBNAIL_SIZE: Vec2 = Vec2::new(170.0, 96.0);
/// Height of the name below it, in points.
const NAME_HEIGHT: f32 = 26.0;

/// The page shown while no file is open.
#[derive(Default)]
pub(crate) struct StartPage {
    /// The thumbnails of the demos, loaded when first shown.
    thumbnails: Vec<(&'static Demo, Option<TextureHandle>)>,
}

impl StartPage {
    /// Shows the page and handles input on it.
    pub(crate) fn ui(&mut self, ui: &mut Ui, context: &mut BarContext<'_>) {
        let rect = ui.available_rect_before_wrap();
        places::note(ui.ctx(), "start-page", rect);
        egui::ScrollArea::vertical()
            .auto_shrink([false, false])
            .show(ui, |ui| {
                let recent = context.state.settings.recent_files.len().min(RECENT_FILES) as f32;
                let height = 640.0
                    + if recent > 0.0 {
                        40.0 + recent * 28.0
                    } else {
                        0.0
                    };
                ui.add_space(((rect.height() - height) * 0.42).max(16.0));
                ui.vertical_centered(|ui| {
                    ui.set_max_width(WIDTH.min(ui.available_width()));
                    ui.label(RichText::new("Mapscope").size(34.0).strong());
                    ui.add_space(2.0);
                    let what = "Look into the maps and models of games";
                    ui.label(RichText::new(what).size(15.0).weak());
                    ui.add_space(22.0);
                    drop_zone(ui, context);
                    ui.add_space(18.0);
                    if recent > 0.0 {
                        ui.label(RichText::new("Recent files").weak());
                        ui.scope(|ui| {
                            ui.set_max_width(RECENT_WIDTH.min(ui.available_width()));
                            menus::recent_files(ui, context, RECENT_FILES);
                        });
                        ui.add_space(18.0);
                    }
                    ui.label(RichText::new("Or look at a demo").weak());
                    ui.add_space(6.0);
                    self.demos(ui, context);
                    ui.add_space(16.0);
                });
            });
    }

    /// Shows a thumbnail and the name of each demo, in rows of the available width.
    fn demos(&mut self, ui: &mut Ui, context: &mut BarContext<'_>) {
        let offered: Vec<_> = commands::all()
            .iter()
            .filter_map(|command| match command.action {
                Action::OpenDemo(demo) => Some((command, demo)),
                _ => None,
            })
            .collect();
        let spacing = ui.spacing().item_spacing.x;
        let fitting = (ui.available_width() + spacing) / (THUMBNAIL_SIZE.x + spacing);
        for row in offered.chunks((fitting as usize).max(1)) {
            let width = row.len() as f32 * (THUMBNAIL_SIZE.x + spacing) - spacing;
            let indent = (ui.available_width() - width) * 0.5;
            ui.horizontal(|ui| {
                ui.add_space(indent.max(0.0));
                for (command, demo) in row {
                    let thumbnail = self.thumbnail(ui, demo);
                    let card = card(ui, command, demo, thumbnail);
                    places::note(ui.ctx(), format!("start-{}", command.id), card.rect);
                    if card.clicked() {
                        context.run(command.action);
                    }
                }
            });
        }
    }

    fn thumbnail(&mut self, ui: &Ui, demo: &'static Demo) -> Option<TextureHandle> {
        if let Some((_, texture)) = self.thumbnails.iter().find(|(of, _)| *of == demo) {
            return texture.clone();
        }
        // Built in; a test checks that it can be decoded.
        let image = image::load_from_memory(demo.thumbnail).ok();
        let texture = image.and_then(|image| {
            let image = image.to_rgba8();
            let size = [image.width(), image.height()];
            let image = parts::color_image(size, image.as_raw())?;
            let name = format!("demo {}", demo.id);
            Some(ui.ctx().load_texture(name, image, TextureOptions::LINEAR))
        });
        self.thumbnails.push((demo, texture.clone()));
        texture
    }
}

fn drop_zone(ui: &mut Ui, context: &mut BarContext<'_>) {
    let zone = egui::Frame::NONE
        .stroke(Stroke::new(
            1.0,
            theme::WEAK_TEXT.of(ui.ctx()).gamma_multiply(0.5),
        ))
        .corner_radius(8)
        .inner_margin(18)
        .show(ui, |ui| {
            ui.set_width(390.0_f32.min(ui.available_width()));
            ui.vertical_centered(|ui| {
                ui.label("Drop a file or a folder here");
                ui.add_space(8.0);
                for action in [Action::Open, Action::OpenPath] {
                    let Some(command) = commands::of(action) else {
                        continue;
                    };
                    let button = Button::new(command.name)
                        .right_text(
                            RichText::new(command.first_key_text(&context.state.settings.keys))
                                .weak(),
                        )
                        .min_size(egui::vec2(220.0, 30.0));
                    let button = ui.add(button).on_hover_text(command.help);
                    places::note(ui.ctx(), format!("start-{}", command.id), button.rect);
                    if button.clicked() {
                        context.run(action);
                    }
                }
            });
        });
    places::note(ui.ctx(), "drop-zone", zone.response.rect);
}

/// Shows a button with a thumbnail and a name below it.
fn card(
    ui: &mut Ui,
    command: &commands::Command,
    demo: &Demo,
    thumbnail: Option<TextureHandle>,
) -> egui::Response {
    let size = THUMBNAIL_SIZE + Vec2::new(0.0, NAME_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, command.name));
    let visuals = ui.style().interact(&response);
    let corners = CornerRadius::same(6);
    let painter = ui.painter();
    painter.rect_filled(rect, corners, visuals.weak_bg_fill);
    let thumbnail_rect = Rect::from_min_size(rect.min, THUMBNAIL_SIZE);
    if let Some(texture) = thumbnail {
        let top = CornerRadius {
            nw: 6,
            ne: 6,
            ..CornerRadius::ZERO
        };
        egui::Image::new(&texture)
            .corner_radius(top)
            .tint(Color32::WHITE)
            .paint_at(ui, thumbnail_rect);
    }
    let name_at = rect.center_bottom() - egui::vec2(0.0, NAME_HEIGHT * 0.5);
    let font = FontId::proportional(14.0);
    let color = visuals.text_color();
    painter.text(name_at, Align2::CENTER_CENTER, demo.name, font, color);
    let stroke = if response.hovered() || response.has_focus() {
        Stroke::new(1.5, ui.visuals().selection.stroke.color)
    } else {
        visuals.bg_stroke
    };
    painter.rect_stroke(rect, corners, stroke, StrokeKind::Inside);
    response.on_hover_text(demo.help)
}
