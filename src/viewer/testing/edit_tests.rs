//! Tests of context menus, and of opening files in the editor.

use std::path::{Path, PathBuf};

use egui::{Key, Modifiers, PointerButton, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::scene_tests::{open_in, open_scene};
use super::{
    Window, button, drag, joint, loaded, middle, move_to, press, state, window, with_demo,
    with_moving,
};
use crate::viewer::commands;
use crate::viewer::docks::Panel;
use crate::viewer::state::Effect;
use crate::viewer::state::edit::WHY_NO_DEMO;
use crate::viewer::state::interface::Dialog;
use mapscope_formats::Place;
use mapscope_scene::{
    Item, ModelItem, OpenOptions, Progress, SceneItem, Source, TerrainItem, demo,
};
use mapscope_testdata::tiny_scene::{sound_scene, write_game};

/// The effects since the last call.
fn effects(h: &mut Harness<'_, Window>) -> Vec<Effect> {
    std::mem::take(&mut h.state_mut().state.effects)
}

/// Opens the menu of the first widget with a name.
fn open_menu(h: &mut Harness<'_, Window>, name: &str) {
    h.get_all_by_label_contains(name)
        .next()
        .unwrap()
        .click_secondary();
    h.run();
}

/// Clicks an entry of the open menu and returns its effects.
fn choose(h: &mut Harness<'_, Window>, entry: &str) -> Vec<Effect> {
    effects(h);
    h.get_by_label(entry).click();
    h.run();
    assert!(h.query_by_label(entry).is_none(), "the menu closes");
    effects(h)
}

fn copied(text: &str) -> Vec<Effect> {
    vec![Effect::Copy(text.to_owned())]
}

/// The line of a file, from 1.
fn line_of(file: &Path, line: u64) -> String {
    let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
    text.lines().nth(line as usize - 1).unwrap().to_owned()
}

#[test]
fn the_selection_opens_in_the_editor_in_the_file_that_stores_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = window(|state| open_in(folder.path(), &sound_scene(), state));
    let assets = folder.path().join("assets");
    let scene = assets.join("maps/a.pfscene");
    let mut edit = |item: Option<Item>| -> (PathBuf, Option<Place>) {
        h.state_mut().state.session.select(item);
        effects(&mut h);
        press(&mut h, Modifiers::COMMAND, Key::J);
        match effects(&mut h).pop() {
            Some(Effect::Edit(file, place)) => (file, place),
            other => panic!("{item:?}: {other:?}"),
        }
    };
    let guard = SceneItem::Entity { index: 0 };
    assert_eq!(
        edit(Some(guard.into())),
        (scene.clone(), Some(Place::line(22)))
    );
    assert_eq!(
        line_of(&scene, 22),
        "entity guard assets/models/guard.pfobj 13"
    );
    assert_eq!(edit(None), (scene, None));
    for (item, file, begins) in [
        (
            TerrainItem::Material { index: 0 }.into(),
            "maps/a.pfmap",
            "material",
        ),
        (
            SceneItem::Part {
                entity: 0,
                part: ModelItem::Joint { index: 0 },
            }
            .into(),
            "models/guard.pfobj",
            "j ",
        ),
    ] {
        let (path, place) = edit(Some(item));
        assert_eq!(path, assets.join(file), "{item}");
        let Some(Place::Text { line, .. }) = place else {
            panic!("{item}: {place:?}");
        };
        let text = line_of(&path, line);
        assert!(text.trim().starts_with(begins), "{item}: {text}");
    }
}

#[test]
fn a_line_of_the_inspector_opens_in_the_editor() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = window(|state| {
        open_in(folder.path(), &sound_scene(), state);
        let guard = SceneItem::Entity { index: 0 };
        state.session.select(Some(guard.into()));
    });
    open_menu(&mut h, "22");
    let scene = folder.path().join("assets/maps/a.pfscene");
    let edit = Effect::Edit(scene, Some(Place::line(22)));
    assert_eq!(choose(&mut h, "Open in editor"), [edit]);
}

#[test]
fn a_problem_opens_in_the_editor() {
    let mut source: Source = demo::TERRAIN.source();
    source.embedded = &[];
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let document = mapscope_scene::open(&source, &options, &progress).unwrap();
    let problem = document.about().problems[0].clone();
    let mut h = window(|state| {
        state.loaded(loaded(document, false));
        state.settings.bottom.open = Some(Panel::Problems);
    });
    open_menu(&mut h, &problem.to_string());
    let edit = Effect::Edit("made.pfobj".into(), Some(problem.place));
    assert_eq!(choose(&mut h, "Open in editor"), [edit]);
}

#[test]
fn a_problem_of_the_map_opens_the_map() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_game(folder.path(), &sound_scene()).unwrap();
    let map = path.with_extension("pfmap");
    let text = std::fs::read(&map).unwrap();
    std::fs::write(&map, &text[..text.len() * 3 / 4]).unwrap();
    let mut h = window(|state| {
        open_scene(path, state);
        state.settings.bottom.open = Some(Panel::Problems);
    });
    let document = state(&h).session.document().unwrap().clone();
    let problems = document.about().problems.iter();
    let mut broken = problems.filter(|it| it.rule.id == "pfscene/broken-map");
    open_menu(&mut h, &broken.next().unwrap().message);
    let [Effect::Edit(file, Some(place))] = &choose(&mut h, "Open a.pfmap in editor")[..] else {
        panic!("nothing opens");
    };
    let others = document.other_files();
    let mut problems = others.iter().flat_map(|other| &other.problems);
    assert_eq!(*file, map);
    assert!(problems.any(|problem| problem.place == *place));
}

#[test]
fn a_demo_does_not_open_in_the_editor() {
    let mut h = with_demo();
    effects(&mut h);
    press(&mut h, Modifiers::COMMAND, Key::J);
    assert_eq!(effects(&mut h), []);
    let toasts = &state(&h).notices.toasts;
    assert_eq!(toasts.last().unwrap().text, WHY_NO_DEMO);
}

#[test]
fn the_editor_is_chosen_in_a_dialog() {
    let mut h = window(|state| {
        state.settings.editor = "'/no such program' {file}".to_owned();
        state.run(commands::find("editor").unwrap().action);
    });
    h.run();
    h.get_by_label_contains("The editor `/no such program` was not found");
    let button = h.get_by_label("Use");
    assert!(button.accesskit_node().is_disabled());
    let own = std::env::current_exe().unwrap();
    let command = format!("'{}' -n{{line}} {{file}}", own.display());
    let dialog = Some(Dialog::Editor {
        text: format!("  {command}"),
    });
    h.state_mut().state.interface.dialog = dialog;
    h.run();
    h.get_by_label(&format!("Runs {} -n30 map.pfmap", own.display()));
    effects(&mut h);
    h.get_by_label("Use").click();
    h.run();
    assert_eq!(state(&h).settings.editor, command);
    assert_eq!(effects(&mut h), [Effect::SaveSettings]);
    assert!(state(&h).interface.dialog.is_none());
}

#[test]
fn a_right_click_in_the_view_opens_the_menu_of_an_item_and_a_drag_does_not() {
    let mut h = with_demo();
    let at = middle(&h);
    move_to(&mut h, at);
    let item = state(&h).session.pointer.hovered.unwrap();
    let place = state(&h).session.pointer.pointed_at.unwrap();
    let open = |h: &mut Harness<'_, Window>| {
        for pressed in [true, false] {
            button(h, PointerButton::Secondary, at, pressed);
        }
    };
    open(&mut h);
    let written = item.written();
    assert!(written.starts_with("tile:"), "{written}");
    assert_eq!(choose(&mut h, "Copy item"), copied(&written));
    open(&mut h);
    let position = format!("{:.3} {:.3} {:.3}", place.x, place.y, place.z);
    assert_eq!(choose(&mut h, "Copy position"), copied(&position));
    open(&mut h);
    let command = format!("mapscope demo:terrain --select {written}");
    assert_eq!(choose(&mut h, "Copy command line"), copied(&command));
    open(&mut h);
    let edit = h.get_by_label("Open in editor");
    assert!(edit.accesskit_node().is_disabled());
    press(&mut h, Modifiers::NONE, Key::Escape);
    let before = state(&h).session.view.camera;
    drag(&mut h, PointerButton::Secondary, vec2(60.0, 0.0));
    assert_ne!(state(&h).session.view.camera, before);
    assert!(h.query_by_label("Copy item").is_none());
}

#[test]
fn the_outliner_and_the_inspector_have_the_same_menu() {
    let mut h = with_moving();
    let mut open_and_choose = |entry: &str| {
        open_menu(&mut h, "Hip");
        choose(&mut h, entry)
    };
    assert_eq!(open_and_choose("Copy item"), copied("joint:0"));
    assert_eq!(open_and_choose("Copy text"), copied("joint joint 0"));
    let position = "0.000 1.000 0.000";
    assert_eq!(open_and_choose("Copy position"), copied(position));
    let file = PathBuf::from("made.pfobj");
    let command = "mapscope made.pfobj --select joint:0";
    assert_eq!(open_and_choose("Copy command line"), copied(command));
    let edit = Effect::Edit(file.clone(), None);
    assert_eq!(open_and_choose("Open in editor"), [edit]);
    let shown = Effect::ShowInFolder(file);
    assert_eq!(open_and_choose("Show in file manager"), [shown]);
    h.state_mut().state.session.select(Some(joint(1)));
    h.run();
    h.get_by_label("More").click();
    h.run();
    assert_eq!(choose(&mut h, "Copy item"), copied("joint:1"));
}
