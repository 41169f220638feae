//! Tests of the window with the keyboard alone and with a screen reader.

use egui::accesskit::{HasPopup, Live, Role};
use egui::{Id, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, document, level, loaded, press, state, window, with_demo, with_moving};
use crate::viewer::commands::{self, Action};
use crate::viewer::docks::Panel;
use crate::viewer::state::interface::{Dialog, PathPurpose, PathSource};
use crate::viewer::view::camera_control::CameraMode;
use mapscope_formats::Severity;
use mapscope_scene::TerrainItem;

/// Returns the id of the focused widget.
fn focused(h: &Harness<'_, Window>) -> Option<Id> {
    h.ctx.memory(egui::Memory::focused)
}

/// Returns the accessible role and name of the focused widget.
fn focused_name(h: &Harness<'_, Window>) -> Option<(Role, String)> {
    let id = focused(h)?.accesskit_id();
    let node = h.root().children_recursive().find(|node| {
        let node = node.accesskit_node();
        node.locate().0 == id
    })?;
    let node = node.accesskit_node();
    Some((node.role(), node.label().unwrap_or_default()))
}

#[test]
fn f6_goes_through_the_parts_of_the_window_and_back() {
    let mut h = with_moving();
    h.state_mut().state.show_panel(Panel::Statistics);
    h.run();
    assert_eq!(focused(&h), None, "the view has the keys");
    let mut forwards = vec![focused(&h)];
    for _ in 0..10 {
        press(&mut h, Modifiers::NONE, Key::F6);
        forwards.push(focused(&h));
        if focused(&h).is_none() {
            break;
        }
    }
    assert_eq!(forwards.pop(), Some(None), "round to the view again");
    assert!(forwards.len() >= 4, "{forwards:?}");
    for before in forwards.iter().skip(1).rev() {
        press(&mut h, Modifiers::SHIFT, Key::F6);
        assert_eq!(focused(&h), *before);
    }
    // From any widget of a part: here the outliner, which precedes the view.
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    press(&mut h, Modifiers::NONE, Key::Tab);
    let row = focused_name(&h).map(|(role, _)| role);
    assert_eq!(row, Some(Role::TreeItem));
    press(&mut h, Modifiers::NONE, Key::F6);
    assert_eq!(focused(&h), None);
}

#[test]
fn parts_of_the_window_are_reached_by_name() {
    let mut h = with_demo();
    let mut names = Vec::new();
    for _ in 0..6 {
        press(&mut h, Modifiers::NONE, Key::F6);
        names.push(focused_name(&h));
    }
    let names: Vec<(Role, String)> = names.into_iter().flatten().collect();
    assert!(
        names.contains(&(Role::MenuItem, "File".to_owned())),
        "{names:?}"
    );
    let is_search = |(role, _): &(Role, String)| *role == Role::TextInput;
    assert!(names.iter().any(is_search), "{names:?}");
}

#[test]
fn the_start_page_is_reached_by_f6_too() {
    let mut h = window(|_| {});
    press(&mut h, Modifiers::NONE, Key::F6);
    let menu = Some((Role::MenuItem, "File".to_owned()));
    assert_eq!(focused_name(&h), menu);
    press(&mut h, Modifiers::NONE, Key::F6);
    let button = focused_name(&h).map(|(role, _)| role);
    assert_eq!(button, Some(Role::Button));
    press(&mut h, Modifiers::NONE, Key::F6);
    assert_eq!(focused_name(&h), menu);
}

#[test]
fn the_search_is_one_key_away_wherever_one_is() {
    let mut h = with_demo();
    h.state_mut().state.settings.left.open = None;
    h.run();
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    let name = focused_name(&h).map(|(role, _)| role);
    assert_eq!(name, Some(Role::TextInput));
    assert_eq!(state(&h).settings.left.open, Some(Panel::Outliner));
    // Only once.
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert_eq!(focused(&h), None);
}

#[test]
fn keys_with_ctrl_run_commands_in_a_field_and_the_view_has_the_keys_after_a_search() {
    let mut h = with_demo();
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    // Keys with Ctrl that do not edit text run commands in a field too.
    press(&mut h, Modifiers::COMMAND, Key::P);
    let dialog = &mut h.state_mut().state.interface.dialog;
    assert!(matches!(dialog, Some(Dialog::Palette { .. })));
    *dialog = None;
    h.run();
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    h.input_mut()
        .events
        .push(egui::Event::Text("grass".to_owned()));
    h.run();
    // Unless they edit the text.
    press(&mut h, Modifiers::COMMAND, Key::A);
    press(&mut h, Modifiers::NONE, Key::Enter);
    let selected = state(&h).session.view.shown.selected;
    assert_eq!(selected.map(mapscope_scene::Item::kind), Some("material"));
    assert_eq!(focused(&h), None);
}

#[test]
fn letters_do_nothing_else_while_a_row_of_a_list_has_the_focus() {
    let mut h = with_demo();
    let row = h.get_all_by_role(Role::TreeItem).next().unwrap();
    row.focus();
    h.run();
    let projection = state(&h).session.view.camera.projection;
    press(&mut h, Modifiers::NONE, Key::G);
    press(&mut h, Modifiers::NONE, Key::P);
    press(&mut h, Modifiers::NONE, Key::Num2);
    assert_eq!(state(&h).session.view.mode, CameraMode::Orbit);
    assert_eq!(state(&h).session.view.camera.projection, projection);
    // Keys with Ctrl run commands everywhere.
    press(&mut h, Modifiers::COMMAND, Key::P);
    let dialog = &mut h.state_mut().state.interface.dialog;
    assert!(matches!(dialog, Some(Dialog::Palette { .. })));
    *dialog = None;
    press(&mut h, Modifiers::NONE, Key::F6);
    h.ctx.memory_mut(egui::Memory::stop_text_input);
    press(&mut h, Modifiers::NONE, Key::P);
    assert_ne!(state(&h).session.view.camera.projection, projection);
}

#[test]
fn enter_presses_a_button_of_each_dialog() {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("a.png");
    std::fs::write(&image, b"\x89PNG\r\n\x1a\n").unwrap();
    let text = dir.path().join("text.png");
    std::fs::write(&text, b"no image").unwrap();
    for (path, wanted) in [(&image, "Replace"), (&text, "Cancel")] {
        let mut h = window(|state| state.loaded(loaded(document(), false)));
        let enter = egui::Event::Key {
            key: Key::Enter,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        h.input_mut().events.push(enter.clone());
        h.run();
        let source = PathSource::InApp;
        let state_mut = &mut h.state_mut().state;
        state_mut.path_chosen(PathPurpose::SavePicture, path, source);
        h.run();
        let name = focused_name(&h).map(|(_, name)| name);
        assert_eq!(name.as_deref(), Some(wanted));
        // A key held down since the previous dialog.
        let before = state(&h).effects.len();
        h.input_mut().events.push(enter);
        h.run();
        assert!(state(&h).interface.dialog.is_some());
        h.key_up(Key::Enter);
        press(&mut h, Modifiers::NONE, Key::Enter);
        assert_eq!(state(&h).interface.dialog, None);
        let saves = state(&h).effects.len() > before;
        assert_eq!(saves, wanted == "Replace");
    }
    for action in [Action::About, Action::TextureFolders] {
        let mut h = with_demo();
        h.state_mut().state.run(action);
        h.run();
        press(&mut h, Modifiers::NONE, Key::Enter);
        assert_eq!(state(&h).interface.dialog, None, "{action:?}");
    }
}

#[test]
fn the_choice_in_the_palette_is_announced() {
    let mut h = with_demo();
    press(&mut h, Modifiers::COMMAND, Key::P);
    let active = |h: &Harness<'_, Window>| {
        let field = h.get_by_role_and_label(Role::TextInput, "Find a command");
        let chosen = field.accesskit_node().active_descendant()?;
        assert_eq!(chosen.role(), Role::ListBoxOption);
        assert_eq!(chosen.is_selected(), Some(true));
        chosen.label()
    };
    assert_eq!(active(&h), None, "the field itself is what is new");
    h.get_by_role_and_label(Role::ListBox, "Commands");
    let names: Vec<String> = h
        .get_all_by_role(Role::ListBoxOption)
        .filter_map(|row| row.accesskit_node().label())
        .take(3)
        .collect();
    press(&mut h, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(active(&h).as_ref(), names.get(1));
    press(&mut h, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(active(&h).as_ref(), names.get(2));
    let chosen = h.get_all_by_role(Role::ListBoxOption);
    let chosen = chosen.filter(|row| row.accesskit_node().is_selected() == Some(true));
    assert_eq!(chosen.count(), 1);
    h.input_mut()
        .events
        .push(egui::Event::Text("ortho".to_owned()));
    h.run();
    assert_eq!(
        active(&h).as_deref(),
        Some("Toggle orthographic projection")
    );
}

#[test]
fn menus_are_menus() {
    let mut h = with_demo();
    h.get_by_role_and_label(Role::MenuBar, "Menus");
    let camera = |h: &Harness<'_, Window>| {
        let title = h.get_by_role_and_label(Role::MenuItem, "Camera");
        let title = title.accesskit_node();
        (title.data().is_expanded(), title.has_popup())
    };
    assert_eq!(camera(&h), (Some(false), Some(HasPopup::Menu)));
    h.get_by_role_and_label(Role::MenuItem, "Camera").click();
    h.run();
    assert_eq!(camera(&h), (Some(true), Some(HasPopup::Menu)));
    h.get_by_role_and_label(Role::Menu, "Camera");
    h.get_by_role_and_label(Role::MenuItem, "Frame all");
    let name = "Toggle orthographic projection";
    let item = h.get_by_role_and_label(Role::MenuItemCheckBox, name);
    assert!(item.accesskit_node().toggled().is_some());
    let plain = commands::find("camera.frame-all").unwrap().name;
    let item = h.get_by_role_and_label(Role::MenuItem, plain);
    assert_eq!(item.accesskit_node().toggled(), None);
}

#[test]
fn window_panels_and_dialogs_have_names() {
    let mut h = with_demo();
    let title = state(&h).session.title();
    assert_eq!(h.root().accesskit_node().label(), Some(title));
    for name in ["Outliner", "Inspector", "Menu bar", "Status bar"] {
        h.get_by_role_and_label(Role::Pane, name);
    }
    let tab = |h: &Harness<'_, Window>, name| {
        let tab = h.get_by_role_and_label(Role::Tab, name);
        tab.accesskit_node().is_selected()
    };
    assert_eq!(tab(&h, "Outliner"), Some(true));
    assert_eq!(tab(&h, "Files"), Some(false));
    for (action, name) in [
        (Action::Palette, "Find a command"),
        (Action::SavePicture, "Save picture"),
        (Action::TextureFolders, "Texture folders"),
    ] {
        h.state_mut().state.run(action);
        h.run();
        let dialog = h.get_by_role_and_label(Role::Dialog, name);
        assert!(dialog.accesskit_node().is_modal());
    }
}

#[test]
fn lines_of_a_tree_say_how_deep_they_are_and_whether_they_are_open() {
    let mut h = window(|state| state.loaded(loaded(level(), false)));
    h.run();
    h.get_all_by_role(Role::Tree).next().unwrap();
    let lines = |h: &Harness<'_, Window>| -> Vec<(Option<usize>, Option<bool>)> {
        let rows = h.get_all_by_role(Role::TreeItem);
        rows.map(|row| {
            let node = row.accesskit_node();
            (node.level(), node.data().is_expanded())
        })
        .collect()
    };
    let before = lines(&h);
    assert_eq!(before[0].0, Some(1));
    assert!(
        before.iter().any(|(level, _)| *level == Some(2)),
        "{before:?}"
    );
    let parent = before.iter().position(|(_, open)| open.is_some()).unwrap();
    let toggled = before[parent].1.map(|open| !open);
    let row = h.get_all_by_role(Role::TreeItem).nth(parent).unwrap();
    row.focus();
    h.run();
    let key = if toggled == Some(true) {
        Key::ArrowRight
    } else {
        Key::ArrowLeft
    };
    press(&mut h, Modifiers::NONE, key);
    assert_eq!(lines(&h)[parent].1, toggled);
}

#[test]
fn values_are_announced_with_their_names() {
    let mut h = with_demo();
    let tile = TerrainItem::Tile { row: 3, col: 5 };
    h.state_mut().state.session.select(Some(tile.into()));
    h.run();
    let is_of = |name: &str| {
        let mut labels = h.get_all_by_role(Role::Label);
        labels.any(|label| label.accesskit_node().description().as_deref() == Some(name))
    };
    assert!(is_of("Base height"));
    // Also in the status bar, where values are close together.
    h.state_mut().state.session.pointer.hovered = Some(tile.into());
    h.step();
    h.get_by_label_contains("Row 3, Column 5, ");
}

#[test]
fn short_messages_are_announced() {
    let mut h = with_demo();
    let notices = &mut h.state_mut().state.notices;
    notices.toast("Picture copied", None);
    notices.toast("Saving failed: the disk is full", Some(Severity::Error));
    h.run_steps(2);
    let live = |text: &str| h.get_by_label(text).accesskit_node().live();
    assert_eq!(live("Picture copied"), Live::Polite);
    assert_eq!(live("Saving failed: the disk is full"), Live::Assertive);
}
