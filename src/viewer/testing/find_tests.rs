//! Tests of Go to and Find, by keyboard alone.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, press, state, window, with_demo};
use crate::viewer::commands::Request;
use crate::viewer::docks::Panel;
use crate::viewer::io::find;
use crate::viewer::state::Effect;
use mapscope_scene::{Item, TerrainItem, TileMapItem};

fn enter_text(h: &mut Harness<'_, Window>, text: &str) {
    h.input_mut().events.push(Event::Text(text.to_owned()));
    h.run();
}

fn selected(h: &Harness<'_, Window>) -> Option<Item> {
    state(h).session.view.shown.selected
}

/// Runs the pending searches.
fn search(h: &mut Harness<'_, Window>) {
    loop {
        let effects = &mut h.state_mut().state.effects;
        let Some(at) = effects.iter().position(|it| matches!(it, Effect::Find(_))) else {
            break;
        };
        if let Effect::Find(request) = effects.remove(at) {
            h.state_mut().state.found(find::run(&request));
        }
    }
    h.run();
}

#[test]
fn a_place_is_shown_while_it_is_typed_and_escape_returns() {
    let mut h = with_demo();
    let before = state(&h).session.view.camera.pose;
    let tile = |row, col| Some(Item::from(TerrainItem::Tile { row, col }));
    press(&mut h, Modifiers::COMMAND, Key::G);
    enter_text(&mut h, "30 5");
    assert_eq!(selected(&h), tile(30, 5));
    enter_text(&mut h, "0");
    assert_eq!(selected(&h), tile(30, 50));
    let there = state(&h).session.view.camera.pose;
    assert_ne!(there, before);
    // The second place of a pair is a position.
    press(&mut h, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(selected(&h), None);
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert!(state(&h).interface.dialog.is_none());
    assert_eq!(state(&h).session.view.camera.pose, before);
    assert_eq!(selected(&h), None);

    press(&mut h, Modifiers::COMMAND, Key::G);
    enter_text(&mut h, "row 30, column 50");
    let rows: Vec<String> = h
        .get_all_by_role(Role::ListBoxOption)
        .filter_map(|row| row.accesskit_node().label())
        .collect();
    assert_eq!(rows, ["Tile 30 50"]);
    press(&mut h, Modifiers::NONE, Key::Enter);
    assert!(state(&h).interface.dialog.is_none());
    assert_eq!(selected(&h), tile(30, 50));
    assert_eq!(state(&h).session.view.camera.pose, there);
    // The view from before is in the history.
    press(&mut h, Modifiers::COMMAND, Key::Z);
    assert_eq!(state(&h).session.view.camera.pose, before);
}

#[test]
fn a_text_that_names_no_place_says_why() {
    let mut h = with_demo();
    press(&mut h, Modifiers::COMMAND, Key::G);
    enter_text(&mut h, "tile:900,900");
    assert_eq!(h.query_all_by_role(Role::ListBoxOption).count(), 0);
    h.get_by_label_contains("The file has no tile");
    press(&mut h, Modifiers::NONE, Key::Enter);
    assert!(state(&h).interface.dialog.is_some());
}

#[test]
fn items_are_found_listed_and_gone_to() {
    let mut h = with_demo();
    press(&mut h, Modifiers::COMMAND, Key::F);
    enter_text(&mut h, "row = 3 and col < 4");
    search(&mut h);
    h.get_by_label("4 tiles");
    let tile = |col| Some(Item::from(TerrainItem::Tile { row: 3, col }));
    press(&mut h, Modifiers::NONE, Key::Enter);
    assert_eq!(selected(&h), tile(0));
    h.get_by_label("1 of 4 tiles");
    press(&mut h, Modifiers::NONE, Key::F3);
    assert_eq!(selected(&h), tile(1));
    press(&mut h, Modifiers::SHIFT, Key::F3);
    press(&mut h, Modifiers::SHIFT, Key::F3);
    assert_eq!(selected(&h), tile(3));
    // Two clicks on a heading put the largest first.
    for _ in 0..2 {
        let headings = h.get_all_by_role(Role::ColumnHeader);
        let col = headings.last().unwrap();
        assert_eq!(col.accesskit_node().label().as_deref(), Some("col"));
        col.click();
        h.run();
    }
    h.get_by_label("tile 3 3");
    // Matches are outlined while the panel is open.
    assert!(!state(&h).session.view.shown.changes.lines().is_empty());
    press(&mut h, Modifiers::COMMAND, Key::K);
    assert!(state(&h).session.view.shown.changes.lines().is_empty());
}

#[test]
fn a_fault_in_a_query_lists_the_fields() {
    let mut h = with_demo();
    press(&mut h, Modifiers::COMMAND, Key::F);
    enter_text(&mut h, "rows = 3");
    search(&mut h);
    h.get_by_label_contains("base_height");
    press(&mut h, Modifiers::NONE, Key::Escape);
    search(&mut h);
    assert!(state(&h).session.tools.finding.result.is_none());
}

#[test]
fn items_like_the_one_of_a_menu_are_listed() {
    let mut h = with_demo();
    let query = "tile where top_material = Snow";
    h.state_mut()
        .state
        .request(Request::ListMatches(query.to_owned()));
    h.run();
    search(&mut h);
    assert!(state(&h).is_panel_open(Panel::Find));
    assert_eq!(h.get_by_label("Query").value().as_deref(), Some(query));
    h.get_by_label("404 tiles");
}

#[test]
fn cells_of_a_2d_map_are_gone_to() {
    let mut h = window(|state| {
        let document = super::open_demo(&mapscope_scene::demo::STATION);
        state.loaded(super::loaded(document, false));
    });
    press(&mut h, Modifiers::COMMAND, Key::G);
    enter_text(&mut h, "3 4");
    press(&mut h, Modifiers::NONE, Key::Enter);
    let cell = matches!(
        selected(&h),
        Some(Item::TileMap(TileMapItem::Cell { x: 3, y: 4, .. }))
    );
    assert!(cell, "{:?}", selected(&h));
}

/// One task per format, from the question to the answer in the inspector, by keyboard alone.
#[test]
fn a_question_about_each_format_is_answered_by_keyboard_alone() {
    use mapscope_scene::demo::{BATHHOUSE, DRAKELING, HAMLET, STATION, TERRAIN, VILLAGE};
    for (demo, place, kind, query) in [
        (
            &TERRAIN,
            "row 30 column 50",
            "tile",
            "row = 30 and col = 50",
        ),
        (&HAMLET, "chapel", "entity", "name = chapel"),
        (&DRAKELING, "joint 3", "joint", "joint where index = 3"),
        (
            &BATHHOUSE,
            "material 4",
            "material",
            "material where index = 4",
        ),
        (&VILLAGE, "zone 1", "zone", "zone where name ~ \"\""),
        (&STATION, "x 3 y 4", "cell", "x = 3 and y = 4"),
    ] {
        let mut h = window(|state| {
            state.loaded(super::loaded(super::open_demo(demo), false));
        });
        press(&mut h, Modifiers::COMMAND, Key::G);
        enter_text(&mut h, place);
        press(&mut h, Modifiers::NONE, Key::Enter);
        let item = selected(&h).unwrap_or_else(|| panic!("{place}"));
        assert_eq!(item.kind(), kind, "{place}");
        let document = state(&h).session.document().unwrap().clone();
        let properties = document.properties(item, &*state(&h).session.view.shown);
        // The inspector shows the answer, by name and value.
        let shown = properties[0]
            .properties
            .iter()
            .filter(|it| !it.value.is_empty());
        for property in shown.take(2) {
            assert!(
                h.query_all_by_label_contains(&property.value).count() > 0,
                "{property:?}"
            );
        }
        press(&mut h, Modifiers::NONE, Key::Escape);
        press(&mut h, Modifiers::COMMAND, Key::F);
        enter_text(&mut h, query);
        search(&mut h);
        press(&mut h, Modifiers::NONE, Key::Enter);
        let found = selected(&h).unwrap_or_else(|| panic!("{query}"));
        assert_eq!(found.kind(), kind, "{query}");
        press(&mut h, Modifiers::COMMAND, Key::Z);
    }
}

#[test]
fn a_faction_links_to_its_members_and_an_empty_query_to_missing_models() {
    use mapscope_scene::demo::HAMLET;
    let mut h = window(|state| {
        state.loaded(super::loaded(super::open_demo(&HAMLET), false));
    });
    let faction = Item::of_kind("faction", "1")[0];
    h.state_mut().state.request(Request::Select(Some(faction)));
    h.run();
    h.get_by_role_and_label(Role::Link, "3 entities").click();
    h.run();
    search(&mut h);
    let query = h.get_by_label("Query").value();
    assert_eq!(query.as_deref(), Some("entity where faction = 1"));
    let finding = &state(&h).session.tools.finding;
    assert_eq!(finding.matches().unwrap().found.items.len(), 3);
    h.state_mut().state.request(Request::Find(String::new()));
    h.run();
    h.get_by_role_and_label(Role::Link, "entity where not found")
        .click();
    h.run();
    search(&mut h);
    h.get_by_label("No match");
}
