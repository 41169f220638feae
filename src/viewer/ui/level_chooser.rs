//! The drop-down list of levels at the end of the menu bar.

use egui::{Align, Button, ComboBox, Layout, Ui};

use super::BarContext;
use crate::viewer::commands::{self, Action, Request};
use crate::viewer::panels::parts;
use crate::viewer::places;

/// Width of the closed list, in points; it is omitted if there is less room.
const WIDTH: f32 = 130.0;

/// Shows the list if the document has several levels.
pub(crate) fn level_chooser(ui: &mut Ui, context: &mut BarContext<'_>) {
    let state = context.state;
    if !state.session.has_levels() || ui.available_width() < WIDTH + 20.0 {
        return;
    }
    let now = state.session.view.shown.level;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let list = ComboBox::from_id_salt("level")
            .selected_text(state.session.level_name().unwrap_or_default())
            .width(WIDTH)
            .truncate()
            .show_ui(ui, |ui| {
                for (number, level) in state.session.level_list().iter().enumerate() {
                    let button = Button::new(&level.name)
                        .selected(number == now)
                        .frame_when_inactive(number == now)
                        .min_size(egui::vec2(WIDTH, 0.0));
                    if ui.add(button).clicked() {
                        context.ask(Request::ShowLevel(number));
                    }
                }
            });
        let list = list.response;
        parts::name(&list, "Level");
        places::note(ui.ctx(), "level", list.rect);
        let next = commands::of(Action::Level { backwards: false });
        let key = next.map(|command| command.first_key_text(&state.settings.keys));
        let key = key.filter(|key| !key.is_empty());
        let next = key.map_or_else(String::new, |key| format!(" ({key}: next level)"));
        list.on_hover_text(format!("Current level{next}"));
    });
}
