//! The menus, built from the table of commands.

use egui::accesskit::{HasPopup, Role};
use egui::{Button, Id, Key, Modifiers, Panel, Popup, Response, RichText, Ui, UiKind};

use super::dialogs::scrolled;
use super::{BarContext, level_chooser};
use crate::file_names;
use crate::viewer::commands::{self, Action, Command, MENUS, Request};
use crate::viewer::panels::parts;
use crate::viewer::state::interface::Dialog;
use crate::viewer::state::{State, folder};
use crate::viewer::{places, theme};

/// Width of the list of recent files, in points.
const RECENT_WIDTH: f32 = 320.0;
/// Gap above and below an open menu, in points.
const GAP: f32 = 6.0;

pub(crate) fn menu_bar(root: &mut Ui, context: &mut BarContext<'_>) {
    let state = context.state;
    let wanted = opened_by_key(root.ctx(), state);
    let panel = Panel::top("menu bar").frame(theme::bar(root));
    let bar = panel.show(root, |ui| {
        parts::name_panel(ui, "Menu bar");
        egui::MenuBar::new().ui(ui, |ui| {
            parts::take_role(ui, Role::MenuBar);
            parts::name_ui(ui, "Menus");
            let below = room_below(ui);
            for title in MENUS {
                let has_any = commands_of(state, title).next().is_some();
                let menu = ui.add_enabled_ui(has_any, |ui| {
                    ui.menu_button(title, |ui| {
                        parts::name_enclosing(ui, |kind| kind == UiKind::Menu, title);
                        // A menu that does not fit below the bar scrolls.
                        scrolled(ui, below, |ui| menu(ui, context, title));
                    })
                    .response
                });
                let menu = menu.inner;
                take_menu_role(&menu, true);
                if wanted == Some(title) {
                    Popup::open_id(ui.ctx(), Popup::default_response_id(&menu));
                    menu.request_focus();
                    ui.ctx().request_repaint();
                }
                switch_menu(ui, state, title, &menu);
                places::note(
                    ui.ctx(),
                    format!("menu-{}", title.to_lowercase()),
                    menu.rect,
                );
            }
            level_chooser::level_chooser(ui, context);
        });
    });
    places::note(root.ctx(), "menu", bar.response.rect);
}

/// Returns the maximum height of a menu's contents below the bar.
fn room_below(bar: &Ui) -> f32 {
    let around = bar.spacing().menu_margin.sum().y + 2.0 * GAP;
    bar.ctx().content_rect().bottom() - bar.max_rect().bottom() - around
}

/// Id under which the menu opened by an arrow key is stored.
fn next_menu_id() -> Id {
    Id::unique("next menu")
}

/// Opens the adjacent menu when an arrow key is pressed at the title of the open one.
fn switch_menu(ui: &Ui, state: &State, title: &str, menu: &Response) {
    let is_open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(menu));
    if !(menu.has_focus() && is_open) {
        return;
    }
    let mut titles: Vec<&'static str> = MENUS
        .into_iter()
        .filter(|title| commands_of(state, title).next().is_some())
        .collect();
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowLeft) {
        titles.reverse();
    } else if !pressed(Key::ArrowRight) {
        return;
    }
    let after = titles.iter().cycle().skip_while(|other| **other != title);
    if let Some(next) = after.skip(1).copied().next() {
        ui.data_mut(|data| data.insert_temp(next_menu_id(), next));
        ui.ctx().request_repaint();
    }
}

/// Returns the menu whose key was pressed: Alt and its first letter, or F10 for the first menu.
/// Arrow keys then move through the menus.
fn opened_by_key(ctx: &egui::Context, state: &State) -> Option<&'static str> {
    if !matches!(
        state.interface.dialog,
        None | Some(Dialog::CheatSheet { edit: None, .. })
    ) {
        return None;
    }
    if let Some(next) = ctx.data_mut(|data| data.remove_temp::<&'static str>(next_menu_id())) {
        return Some(next);
    }
    let types = ctx.text_edit_focused();
    let opens = |title: &&str| commands_of(state, title).next().is_some();
    ctx.input_mut(|input| {
        let mut is_pressed = |modifiers, key| input.consume_key(modifiers, key);
        if is_pressed(Modifiers::NONE, Key::F10) {
            return MENUS.first().copied();
        }
        // During typing, Alt and a letter may enter a character.
        let mut titles = MENUS.into_iter().filter(|title| !types && opens(title));
        titles.find(|title| {
            let letter = title.get(..1).and_then(Key::from_name);
            letter.is_some_and(|letter| is_pressed(Modifiers::ALT, letter))
        })
    })
}

/// Returns the commands of a menu that apply to the open document.
fn commands_of<'a>(
    state: &'a State,
    title: &'a str,
) -> impl Iterator<Item = &'static Command> + use<'a> {
    commands::all()
        .iter()
        .filter(move |command| command.menu.title == title && is_listed(state, command))
}

fn menu(ui: &mut Ui, context: &mut BarContext<'_>, title: &str) {
    ui.set_min_width(230.0);
    let mut group = None;
    for command in commands_of(context.state, title) {
        if group.is_some_and(|group| group != command.menu.group) {
            ui.separator();
        }
        group = Some(command.menu.group);
        let item = menu_item(ui, context.state, command);
        if item.gained_focus() {
            item.scroll_to_me(None);
        }
        places::note(ui.ctx(), format!("item-{}", command.id), item.rect);
        if item.clicked() {
            context.run(command.action);
            ui.close();
        }
        if command.action == Action::OpenPath {
            recent_files_menu(ui, context);
        }
    }
}

/// `true` if a command is in its menu: commands that do not apply to the open document are not.
pub(crate) fn is_listed(state: &State, command: &Command) -> bool {
    let is_offered = match command.action {
        Action::Panel(panel) => return state.session.offers(panel),
        Action::GameView => return !state.session.is_map(),
        Action::Overlay(id) => state.session.offers_overlay(id),
        Action::ChooseMap => state.session.can_choose_map(),
        Action::Counterpart => state.session.can_choose_map() || state.session.is_terrain(),
        Action::HoldVisibility | Action::Cut => state.session.can_cut(),
        Action::SelectedWeights => state.session.has_joints(),
        Action::Do(operation) if operation.is_of_models() => state.is_enabled(command.action),
        Action::Bookmark(_) | Action::Surroundings(_) => state.is_enabled(command.action),
        Action::Level { .. } => state.session.has_levels(),
        Action::HideSelection | Action::ShowAll | Action::Solo => state.session.can_hide(),
        Action::Flat | Action::ActualSize | Action::Zoom { .. } | Action::SaveMap => {
            state.session.is_map()
        }
        Action::MiniMap | Action::Rulers => state.session.has_plan(),
        Action::Animation(_) => !state.session.clips().is_empty(),
        _ => true,
    };
    is_offered || state.session.open.is_none()
}

fn menu_item(ui: &mut Ui, state: &State, command: &Command) -> Response {
    let on = state.is_on(command.action);
    let [name, help] = state.name_and_help(command);
    let key = command.first_key_text(&state.settings.keys);
    let mut button = Button::new(name).shortcut_text(key);
    if let Some(on) = on {
        button = button.selected(on);
    }
    let item = ui.add_enabled(state.is_enabled(command.action), button);
    take_menu_role(&item, false);
    parts::name(&item, name);
    let item = item.on_hover_text(help);
    match state.why_disabled(command.action) {
        Some(why) => item.on_disabled_hover_text(why),
        None => item,
    }
}

/// Sets the accessible role of a button in a menu, and whether it opens a submenu.
fn take_menu_role(button: &Response, opens_menu: bool) {
    let is_open = Popup::is_id_open(&button.ctx, Popup::default_response_id(button));
    button.ctx.accesskit_node_builder(button.id, |node| {
        node.set_role(match node.toggled() {
            Some(_) => Role::MenuItemCheckBox,
            None => Role::MenuItem,
        });
        if opens_menu {
            node.set_has_popup(HasPopup::Menu);
            node.set_expanded(is_open);
        }
    });
}

fn recent_files_menu(ui: &mut Ui, context: &mut BarContext<'_>) {
    let any = !context.state.settings.recent_files.is_empty();
    ui.add_enabled_ui(any, |ui| {
        let menu = ui.menu_button("Recent files", |ui| {
            ui.set_min_width(RECENT_WIDTH);
            if recent_files(ui, context, usize::MAX) {
                ui.close();
            }
            ui.separator();
            let forget = ui.button("Clear recent files");
            take_menu_role(&forget, false);
            if forget.clicked() {
                context.ask(Request::ForgetRecentFiles);
                ui.close();
            }
        });
        take_menu_role(&menu.response, true);
    });
}

/// Lists up to `most` recent files; a click opens a file. Returns `true` if one was clicked.
pub(crate) fn recent_files(ui: &mut Ui, context: &mut BarContext<'_>, most: usize) -> bool {
    let mut clicked = false;
    let files = &context.state.settings.recent_files;
    let folders = folder::disambiguated(files);
    for (path, folder) in files.iter().zip(folders).take(most) {
        let button = Button::new(file_names::name_inside(path))
            .right_text(RichText::new(folder).weak())
            .min_size(egui::vec2(ui.available_width(), 0.0))
            .truncate();
        let line = ui.add(button).on_hover_text(path.display().to_string());
        if line.clicked() {
            clicked = true;
            context.ask(Request::OpenPaths(vec![path.clone()]));
        }
    }
    clicked
}
