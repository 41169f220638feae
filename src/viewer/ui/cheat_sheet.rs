//! The cheat sheet: every key with its command and the command's current state.

use egui::{Key, RichText, TextEdit};

use super::menus;
use crate::viewer::commands::{self, Action, Command, MENUS, POINTER};
use crate::viewer::state::State;
use crate::viewer::theme;

/// Width of the key column, in logical pixels.
const KEYS_WIDTH: f32 = 130.0;
/// Width of the column with a command's name and state, in logical pixels.
const NAME_WIDTH: f32 = 200.0;

fn fits(typed: &str, texts: &[&str]) -> bool {
    let typed = typed.trim().to_lowercase();
    texts
        .iter()
        .any(|text| text.to_lowercase().contains(&typed))
}

fn command_fits(typed: &str, state: &State, command: &Command) -> bool {
    let [name, help] = state.name_and_help(command);
    fits(typed, &[name, help, command.menu.title])
        || command.key_texts().any(|keys| fits(typed, &[&keys]))
}

/// Shows the sheet and focuses its search field at first. Returns the clicked command.
pub(crate) fn ui(
    ui: &mut egui::Ui,
    state: &State,
    text: &mut String,
    is_new: &mut bool,
) -> Option<Action> {
    let mut chosen = None;
    let field = TextEdit::singleline(text)
        .hint_text("Search keys and commands")
        .desired_width(f32::INFINITY);
    let field = ui.add(field);
    super::dialogs::name_field(&field, "Search keys and commands");
    if std::mem::take(is_new) {
        field.request_focus();
    }
    if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
        chosen = Some(Action::CheatSheet);
    }
    ui.add_space(4.0);
    egui::ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            let mut any = false;
            for menu in MENUS {
                let shown: Vec<&Command> = commands::all()
                    .iter()
                    .filter(|c| c.menu.title == menu && menus::is_listed(state, c))
                    .filter(|c| command_fits(text, state, c))
                    .collect();
                if shown.is_empty() {
                    continue;
                }
                any = true;
                heading(ui, menu);
                for command in shown {
                    if row(ui, state, command) {
                        chosen = Some(command.action);
                    }
                }
            }
            let shown = POINTER
                .iter()
                .filter(|p| fits(text, &[p.gesture, p.help, "pointer"]));
            let mut shown = shown.peekable();
            if shown.peek().is_some() {
                any = true;
                heading(ui, "Pointer in the view");
                for pointer in shown {
                    columns(
                        ui,
                        [
                            &mut |ui| {
                                let gesture = RichText::new(pointer.gesture).color(theme::ACCENT);
                                ui.add(egui::Label::new(gesture).wrap());
                            },
                            &mut |_| {},
                            &mut |ui| {
                                ui.add(egui::Label::new(RichText::new(pointer.help).weak()).wrap());
                            },
                        ],
                    );
                }
            }
            if !any {
                ui.weak("No matching key or command");
            }
        });
    chosen
}

fn heading(ui: &mut egui::Ui, text: &str) {
    ui.add_space(8.0);
    ui.label(RichText::new(text).strong().size(15.0));
}

/// Lays out the three columns of a row. The first two have a fixed width if there is room, the last
/// takes the rest. Their first lines are aligned.
fn columns(ui: &mut egui::Ui, cells: [&mut dyn FnMut(&mut egui::Ui); 3]) {
    let spacing = ui.spacing().item_spacing.x;
    let room = ui.available_width() - 2.0 * spacing;
    // In a narrow window help still has the widest column.
    let (keys, name) = (KEYS_WIDTH.min(room * 0.26), NAME_WIDTH.min(room * 0.33));
    ui.horizontal_top(|ui| {
        for (cell, width) in cells.into_iter().zip([keys, name, room - keys - name]) {
            ui.vertical(|ui| {
                ui.set_width(width.max(60.0));
                ui.spacing_mut().interact_size.y = 0.0;
                ui.spacing_mut().button_padding.y = 0.0;
                cell(ui);
            });
        }
    });
}

/// Shows keys, name with state, and help. Returns `true` if the name was clicked.
fn row(ui: &mut egui::Ui, state: &State, command: &Command) -> bool {
    let mut clicked = false;
    let [name, help] = state.name_and_help(command);
    columns(
        ui,
        [
            &mut |ui| {
                let keys: Vec<String> = command.key_texts().collect();
                if !keys.is_empty() {
                    let keys = RichText::new(keys.join("  ")).monospace();
                    ui.add(egui::Label::new(keys.color(theme::ACCENT)).wrap());
                }
            },
            &mut |ui| {
                ui.horizontal_wrapped(|ui| {
                    let name = egui::Button::new(name).frame(false).wrap();
                    clicked = ui
                        .add_enabled(state.is_enabled(command.action), name)
                        .clicked();
                    match state.is_on(command.action) {
                        Some(true) => {
                            ui.label(RichText::new("on").small().strong().color(theme::ACCENT));
                        }
                        Some(false) => {
                            ui.label(RichText::new("off").small().weak());
                        }
                        None => {}
                    }
                });
            },
            &mut |ui| {
                ui.add(egui::Label::new(RichText::new(help).weak()).wrap());
            },
        ],
    );
    clicked
}
