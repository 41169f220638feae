//! What the window shows while nothing is open.

use egui::{Button, RichText, Ui};

use super::commands::{self, Action};
use super::state::State;
use super::ui::Placed;
use super::{menus, theme};

/// What the window shows while nothing is open.
pub(super) fn start_page(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let rect = ui.available_rect_before_wrap();
    placed.at("start-page", rect);
    let mut chosen = None;
    egui::ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            let recent = state.settings.recent_files.len().min(6) as f32;
            let height = 230.0
                + if recent > 0.0 {
                    40.0 + recent * 28.0
                } else {
                    0.0
                };
            ui.add_space(((rect.height() - height) * 0.42).max(16.0));
            ui.vertical_centered(|ui| {
                ui.set_max_width(420.0);
                ui.label(RichText::new("Mapscope").size(34.0).strong());
                ui.add_space(2.0);
                ui.label(
                    RichText::new("Look into the maps of games")
                        .size(15.0)
                        .weak(),
                );
                ui.add_space(22.0);
                let zone = egui::Frame::NONE
                    .stroke(egui::Stroke::new(1.0, theme::WEAK_TEXT.gamma_multiply(0.5)))
                    .corner_radius(8)
                    .inner_margin(18)
                    .show(ui, |ui| {
                        ui.vertical_centered(|ui| {
                            ui.label("Drop a file or a folder here");
                            ui.add_space(8.0);
                            for action in [Action::Open, Action::OpenPath, Action::OpenDemo] {
                                let Some(command) = commands::of(action) else {
                                    continue;
                                };
                                let button = Button::new(command.name)
                                    .right_text(RichText::new(command.first_key_text()).weak())
                                    .min_size(egui::vec2(220.0, 30.0));
                                let button = ui.add(button).on_hover_text(command.help);
                                placed.at(&format!("start-{}", command.id), button.rect);
                                if button.clicked() {
                                    state.run(action);
                                }
                            }
                        });
                    });
                placed.at("drop-zone", zone.response.rect);
                if recent > 0.0 {
                    ui.add_space(18.0);
                    ui.label(RichText::new("Recent files").weak());
                    chosen = menus::recent_files(ui, state);
                }
            });
        });
    if let Some(path) = chosen {
        state.open_paths(vec![path]);
    }
}
