//! The cheat sheet: every key with its command and the command's current state, and the dialog that
//! changes keys.

use egui::{Button, Event, Key, KeyboardShortcut, RichText, TextEdit};

use super::menus;
use crate::viewer::commands::{self, Action, Command, MENUS, pointer_gestures};
use crate::viewer::keymap::{self, key_text};
use crate::viewer::panels::parts;
use crate::viewer::state::State;
use crate::viewer::state::interface::KeyEdit;
use crate::viewer::theme;

/// Width of the key column, in logical pixels.
const KEYS_WIDTH: f32 = 130.0;
/// Width of the key column with buttons that change keys, in logical pixels.
const KEY_BUTTONS_WIDTH: f32 = 185.0;
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
        || command
            .key_texts(&state.settings.keys)
            .any(|keys| fits(typed, &[&keys]))
}

/// Shows the sheet and focuses its search field at first. Returns the clicked command.
pub(crate) fn ui(
    ui: &mut egui::Ui,
    state: &mut State,
    text: &mut String,
    is_new: &mut bool,
    mut edit: Option<&mut KeyEdit>,
) -> Option<Action> {
    let mut chosen = None;
    if let Some(edit) = &mut edit {
        if edit.waiting.is_some() {
            bind_pressed_key(ui, state, edit);
        } else if ui.input(|input| input.key_pressed(Key::Escape)) {
            chosen = Some(Action::CheatSheet);
        }
        edit_header(ui, state, edit);
    }
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
                    .filter(|c| c.menu.title == menu)
                    .filter(|c| edit.is_some() || menus::is_listed(state, c))
                    .filter(|c| command_fits(text, state, c))
                    .collect();
                if shown.is_empty() {
                    continue;
                }
                any = true;
                heading(ui, menu);
                for command in shown {
                    match &mut edit {
                        Some(edit) => edit_row(ui, state, command, edit),
                        None if row(ui, state, command) => chosen = Some(command.action),
                        None => {}
                    }
                }
            }
            let shown =
                pointer_gestures(state.settings.navigation.preset).filter(|(pointer, help)| {
                    edit.is_none() && fits(text, &[pointer, help, "pointer"])
                });
            let mut shown = shown.peekable();
            if shown.peek().is_some() {
                any = true;
                heading(ui, "Pointer in the view");
                for (gesture, help) in shown {
                    columns(
                        ui,
                        KEYS_WIDTH,
                        [
                            &mut |ui| {
                                let gesture =
                                    RichText::new(&*gesture).color(theme::ACCENT.of(ui.ctx()));
                                ui.add(egui::Label::new(gesture).wrap());
                            },
                            &mut |_| {},
                            &mut |ui| {
                                ui.add(egui::Label::new(RichText::new(help).weak()).wrap());
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
fn columns(ui: &mut egui::Ui, keys_width: f32, cells: [&mut dyn FnMut(&mut egui::Ui); 3]) {
    let spacing = ui.spacing().item_spacing.x;
    let room = ui.available_width() - 2.0 * spacing;
    // In a narrow window help still has the widest column.
    let (keys, name) = (keys_width.min(room * 0.3), NAME_WIDTH.min(room * 0.33));
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
        KEYS_WIDTH,
        [
            &mut |ui| {
                let keys: Vec<String> = command.key_texts(&state.settings.keys).collect();
                if !keys.is_empty() {
                    let keys = RichText::new(keys.join("  ")).monospace();
                    ui.add(egui::Label::new(keys.color(theme::ACCENT.of(ui.ctx()))).wrap());
                }
            },
            &mut |ui| {
                ui.horizontal_wrapped(|ui| {
                    let name = Button::new(name).frame(false).wrap();
                    clicked = ui
                        .add_enabled(state.is_enabled(command.action), name)
                        .clicked();
                    match state.is_on(command.action) {
                        Some(true) => {
                            ui.label(
                                RichText::new("on")
                                    .small()
                                    .strong()
                                    .color(theme::ACCENT.of(ui.ctx())),
                            );
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

/// Binds the pressed key to the waiting command. Escape keeps its key, and Delete removes it.
fn bind_pressed_key(ui: &egui::Ui, state: &mut State, edit: &mut KeyEdit) {
    let mut pressed = None;
    ui.input_mut(|input| {
        input.events.retain(|event| {
            if let Event::Key {
                key,
                pressed: true,
                repeat: false,
                modifiers,
                ..
            } = event
            {
                pressed = Some(keymap::shortcut_of(*key, *modifiers));
            }
            !matches!(event, Event::Key { .. })
        });
    });
    let waiting = edit
        .waiting
        .and_then(|(id, at)| Some((commands::find(id)?, at)));
    let (Some(pressed), Some((command, at))) = (pressed, waiting) else {
        return;
    };
    edit.waiting = None;
    let mut keys = command.keys(&state.settings.keys).to_vec();
    let is_plain = pressed.modifiers.is_none();
    match (pressed.logical_key, keymap::check(pressed)) {
        (Key::Escape, _) if is_plain => return,
        (Key::Delete | Key::Backspace, _) if is_plain => {
            keys.drain(at..keys.len().min(at + 1));
        }
        (_, Err(error)) => {
            edit.refused = Some(error.to_string());
            return;
        }
        (_, Ok(())) if keys.contains(&pressed) => return,
        (_, Ok(())) => match keys.get_mut(at) {
            Some(key) => *key = pressed,
            None => keys.push(pressed),
        },
    }
    state.set_keys(command, keys);
}

/// Shows how keys are changed, and a button that restores all.
fn edit_header(ui: &mut egui::Ui, state: &mut State, edit: &KeyEdit) {
    ui.horizontal(|ui| {
        let is_changed = state.settings.keys != keymap::Keymap::default();
        let help = "Restore the default keys of all commands";
        if parts::button(ui, is_changed, "Reset all", help) {
            state.reset_keys();
        }
        match &edit.refused {
            Some(refused) => ui.colored_label(ui.visuals().error_fg_color, refused),
            None => ui.weak("Click a key to change it, or + to add one"),
        };
    });
}

/// Shows the keys of a command as buttons that change them, its name, and its conflicts.
fn edit_row(ui: &mut egui::Ui, state: &mut State, command: &Command, edit: &mut KeyEdit) {
    let (id, name) = (command.id, command.name);
    let keys: Vec<KeyboardShortcut> = command.keys(&state.settings.keys).to_vec();
    let is_changed = keys != command.default_keys;
    let others = commands::conflicts(command, &state.settings.keys).map(|other| other.name);
    let others = others.collect::<Vec<_>>().join(", ");
    let mut resets = false;
    columns(
        ui,
        KEY_BUTTONS_WIDTH,
        [
            &mut |ui| {
                ui.horizontal_wrapped(|ui| {
                    for at in 0..=keys.len() {
                        let (text, spoken) = match keys.get(at).copied().map(key_text) {
                            Some(key) => (key.clone(), format!("{key}: {name}")),
                            None => ("+".to_owned(), format!("Add a key: {name}")),
                        };
                        let is_waiting = edit.waiting == Some((id, at));
                        let text = if is_waiting { "Press a key" } else { &text };
                        let button = Button::new(RichText::new(text).monospace());
                        let button = ui.add(button.selected(is_waiting));
                        parts::name(&button, &spoken);
                        let help = "Click and press the new key; Delete removes the key, and Esc \
                                    keeps it";
                        if button.on_hover_text(help).clicked() {
                            edit.waiting = (!is_waiting).then_some((id, at));
                            edit.refused = None;
                            // Otherwise the key would go to the search field.
                            ui.memory_mut(egui::Memory::stop_text_input);
                        }
                    }
                });
            },
            &mut |ui| {
                ui.add(egui::Label::new(name).wrap())
                    .on_hover_text(command.help);
            },
            &mut |ui| {
                ui.horizontal_wrapped(|ui| {
                    if is_changed {
                        let reset = ui.small_button("Reset");
                        parts::name(&reset, &format!("Reset: {name}"));
                        resets = reset.on_hover_text("Restore the default keys").clicked();
                    }
                    if !others.is_empty() {
                        let text = format!("Conflicts with {others}");
                        ui.colored_label(ui.visuals().warn_fg_color, text);
                    }
                });
            },
        ],
    );
    if resets {
        state.set_keys(command, command.default_keys.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use egui::Modifiers;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::viewer::state::Effect;
    use crate::viewer::testing::{press, state, window};

    #[test]
    fn a_pressed_key_is_bound_refused_removed_and_reset() {
        let mut h = window(|state| state.run(Action::EditKeys));
        h.get_by_label("Search keys and commands")
            .type_text("reload");
        h.run();
        assert!(
            h.query_by_label_contains("Add a key: Quit").is_none(),
            "filtered"
        );
        let keys = |h: &egui_kittest::Harness<'_, _>| {
            let keymap = &state(h).settings.keys;
            let reload = commands::find("reload").unwrap();
            reload.key_texts(keymap).collect::<Vec<_>>().join(" ")
        };
        let mut bind = |label: &str, modifiers, key| {
            h.get_by_label(label).click();
            h.run();
            press(&mut h, modifiers, key);
            h.run();
            keys(&h)
        };
        let command = Modifiers::COMMAND;
        assert_eq!(bind("F5: Reload", command, Key::O), "Ctrl+O Ctrl+R");
        // It is neither run nor typed.
        assert_eq!(
            bind("Add a key: Reload", Modifiers::NONE, Key::B),
            "Ctrl+O Ctrl+R B"
        );
        assert_eq!(
            bind("B: Reload", Modifiers::NONE, Key::Escape),
            "Ctrl+O Ctrl+R B"
        );
        assert_eq!(
            bind("B: Reload", Modifiers::SHIFT, Key::W),
            "Ctrl+O Ctrl+R B"
        );
        h.get_by_label("Shift+W is reserved for flying (W A S D Q E, faster with Shift)");
        h.get_by_label("Conflicts with Open…");
        assert_eq!(
            state(&h).effects,
            [Effect::SaveSettings, Effect::SaveSettings]
        );
        let mut bind = |label: &str, modifiers, key| {
            h.get_by_label(label).click();
            h.run();
            press(&mut h, modifiers, key);
            h.run();
            keys(&h)
        };
        assert_eq!(
            bind("Ctrl+R: Reload", Modifiers::NONE, Key::Delete),
            "Ctrl+O B"
        );
        h.get_by_label("Reset: Reload").click();
        h.run();
        assert_eq!(keys(&h), "F5 Ctrl+R");
        assert_eq!(state(&h).settings.keys, keymap::Keymap::default());
        h.state_mut().state.run(Action::EditKeys);
        press(&mut h, Modifiers::NONE, Key::Escape);
        h.run();
        assert_eq!(state(&h).interface.dialog, None);
    }

    #[test]
    fn commands_are_searched_by_key_and_reset_together() {
        let mut h = window(|state| {
            let keys = r#"{"open": ["F2"], "gone": ["F3"]}"#;
            state.settings.keys = serde_json::from_str(keys).unwrap();
            state.run(Action::EditKeys);
        });
        h.get_by_label("Search keys and commands").type_text("f2");
        h.run();
        h.get_by_label("F2: Open…");
        assert!(h.query_by_label_contains("Add a key: Reload").is_none());
        h.get_by_label("Reset all").click();
        h.run();
        assert_eq!(state(&h).settings.keys, keymap::Keymap::default());
        h.get_by_label("No matching key or command");
    }
}
