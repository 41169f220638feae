//! The menus, made from the table of commands.

use egui::{Button, Panel, Ui};

use super::commands::{Action, COMMANDS, Command, MENUS};
use super::folder;
use super::level_chooser;
use super::state::State;
use super::ui::Placed;

pub(super) fn menu_bar(root: &mut Ui, state: &mut State, placed: &mut Placed) {
    let bar = Panel::top("menu bar").show(root, |ui| {
        egui::MenuBar::new().ui(ui, |ui| {
            for title in MENUS {
                let menu = ui.menu_button(title, |ui| menu(ui, state, title, placed));
                placed.at(
                    &format!("menu-{}", title.to_lowercase()),
                    menu.response.rect,
                );
            }
            level_chooser::level_chooser(ui, state, placed);
        });
    });
    placed.at("menu", bar.response.rect);
}

fn menu(ui: &mut Ui, state: &mut State, title: &str, placed: &mut Placed) {
    ui.set_min_width(230.0);
    let mut group = None;
    let in_menu = COMMANDS
        .iter()
        .filter(|command| command.menu.title == title && is_listed(state, command))
        .collect::<Vec<_>>();
    if in_menu.is_empty() {
        ui.weak("Nothing for what is open");
    }
    for command in in_menu {
        if group.is_some_and(|group| group != command.menu.group) {
            ui.separator();
        }
        group = Some(command.menu.group);
        let item = menu_item(ui, state, command);
        placed.at(&format!("item-{}", command.id), item.rect);
        if item.clicked() {
            state.run(command.action);
            ui.close();
        }
        if command.action == Action::OpenPath {
            recent_files_menu(ui, state);
        }
    }
}

/// Whether a command is in its menu: what the open document has nothing for is not.
pub(super) fn is_listed(state: &State, command: &Command) -> bool {
    match command.action {
        Action::Overlay(_) => state.open.is_none() || state.is_enabled(command.action),
        Action::HoldVisibility => state.open.is_none() || state.can_cut(),
        Action::SelectedWeights => state.open.is_none() || state.has_joints(),
        Action::Panel(panel) => state.offers(panel),
        Action::Level { .. } => state.open.is_none() || state.has_levels(),
        Action::Cut => state.open.is_none() || state.can_cut(),
        Action::HideSelection | Action::ShowAll => state.open.is_none() || state.can_hide(),
        Action::Flat
        | Action::MiniMap
        | Action::ActualSize
        | Action::Zoom { .. }
        | Action::SaveMap => state.open.is_none() || state.is_map(),
        Action::GameView => !state.is_map(),
        Action::Solo => state.open.is_none() || state.has_layers(),
        _ => true,
    }
}

fn menu_item(ui: &mut Ui, state: &State, command: &Command) -> egui::Response {
    let on = state.is_on(command.action).unwrap_or(false);
    let [name, help] = state.name_and_help(command);
    let button = Button::new(name)
        .shortcut_text(command.first_key_text())
        .selected(on);
    ui.add_enabled(state.is_enabled(command.action), button)
        .on_hover_text(help)
}

fn recent_files_menu(ui: &mut Ui, state: &mut State) {
    let any = !state.settings.recent_files.is_empty();
    ui.add_enabled_ui(any, |ui| {
        ui.menu_button("Recent files", |ui| {
            if let Some(path) = recent_files(ui, state) {
                state.open_paths(vec![path]);
                ui.close();
            }
            ui.separator();
            if ui.button("Forget them").clicked() {
                state.settings.recent_files.clear();
                ui.close();
            }
        });
    });
}

/// The files that were open lately; gives the one that was clicked.
pub(super) fn recent_files(ui: &mut Ui, state: &State) -> Option<std::path::PathBuf> {
    let mut chosen = None;
    for path in &state.settings.recent_files {
        let button = Button::new(folder::name(path)).truncate();
        let folder_of = path.parent().map(|folder| folder.display().to_string());
        let line = ui.add(button).on_hover_text(folder_of.unwrap_or_default());
        if line.clicked() {
            chosen = Some(path.clone());
        }
    }
    chosen
}
