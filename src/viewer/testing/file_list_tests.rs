//! Tests of folders in the window and of the list of their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, keep_picture, model, press, sized, state, window, with_demo};
use crate::search::{Limits, SearchProgress, Seen};
use crate::viewer::commands::Action;
use crate::viewer::docks::Panel;
use crate::viewer::io::search;
use crate::viewer::state::load::{Cause, Failure, LoadRequest, Loaded, Outcome, Target};
use crate::viewer::state::notices::LoadingView;
use crate::viewer::state::{Effect, State};
use crate::viewer::theme;
use mapscope_scene::MapChoice;

/// Creates a folder `models` with empty files, which may be in subfolders.
fn models(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("models");
    for name in names {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"").unwrap();
    }
    (dir, folder)
}

fn outcome(path: &Path, cause: Cause, loaded: Option<Loaded>, failures: Vec<Failure>) -> Outcome {
    Outcome {
        request: LoadRequest {
            target: Target::Paths(vec![path.to_owned()]),
            cause,
            map: MapChoice::Beside,
        },
        loaded,
        failures,
        number: 1,
    }
}

/// Loads a dropped folder and opens its first file.
fn open_folder(state: &mut State, folder: &Path, limits: Limits) {
    let progress = SearchProgress::default();
    let found = search::find(&[folder.to_owned()], limits, &progress, &|| true).unwrap();
    let loaded = Loaded {
        files: found.clone().into_list(),
        ..Loaded::new(found.files[0].clone(), model())
    };
    state.session.plays_at_once = false;
    state.loaded(outcome(folder, Cause::Opened, Some(loaded), Vec::new()));
    state.effects.clear();
}

/// Loads a file that was opened on its own.
fn open(state: &mut State, path: &Path, cause: Cause) {
    let loaded = Loaded::new(path.to_owned(), Arc::clone(&model()));
    state.loaded(outcome(path, cause, Some(loaded), Vec::new()));
    state.effects.clear();
}

/// Returns a window with a dropped folder.
fn with_folder(folder: &Path) -> Harness<'static, Window> {
    window(|state| open_folder(state, folder, Limits::OPEN))
}

/// Takes the load requests since the last call.
fn asked(h: &mut Harness<'_, Window>) -> Vec<LoadRequest> {
    let effects = h.state_mut().state.effects.drain(..);
    let loads = effects.filter_map(|effect| match effect {
        Effect::Load(request) => Some(request),
        _ => None,
    });
    loads.collect()
}

/// Returns the request to open a file of the list.
fn request(path: PathBuf) -> LoadRequest {
    LoadRequest {
        target: Target::Paths(vec![path]),
        cause: Cause::Neighbor,
        map: MapChoice::Beside,
    }
}

/// Returns the listed names from top to bottom, and the position of the open file.
fn listed(h: &Harness<'_, Window>) -> (Vec<String>, Option<usize>) {
    let rows = h.query_all_by_role(Role::ListBoxOption);
    let rows: Vec<_> = rows
        .map(|row| {
            let node = row.accesskit_node();
            (node.label().unwrap(), node.is_selected() == Some(true))
        })
        .collect();
    let current = rows.iter().position(|(_, selected)| *selected);
    (rows.into_iter().map(|(name, _)| name).collect(), current)
}

const FILES: [&str; 4] = [
    "arrow/arrow.pfobj",
    "barrel/barrel 2.pfobj",
    "barrel/barrel 10.pfobj",
    "maps/square.pfmap",
];

#[test]
fn a_folder_that_is_opened_lists_its_files_and_a_click_opens_one() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    assert_eq!(listed(&h), (FILES.map(String::from).to_vec(), Some(0)));
    h.get_by_label("models: 4 files");
    h.get_by_label(FILES[2]).click();
    h.run();
    let third = folder.join(FILES[2]);
    assert_eq!(asked(&mut h), [request(third.clone())]);
    open(&mut h.state_mut().state, &third, Cause::Neighbor);
    h.run();
    assert_eq!(
        listed(&h).1,
        Some(2),
        "the list stays, with the open one in it"
    );
    h.state_mut()
        .state
        .run(Action::Neighbor { backwards: true });
    assert_eq!(asked(&mut h), [request(folder.join(FILES[1]))]);
}

#[test]
fn arrow_keys_go_through_the_list_and_open_each() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    h.get_by_label(FILES[0]).click();
    h.run();
    asked(&mut h);
    for (key, at) in [
        (Key::ArrowDown, Some(1)),
        (Key::ArrowDown, Some(2)),
        (Key::ArrowUp, Some(1)),
        (Key::ArrowUp, Some(0)),
        (Key::ArrowUp, None),
        (Key::Enter, Some(0)),
    ] {
        press(&mut h, Modifiers::NONE, key);
        let wanted = at.map(|at: usize| request(folder.join(FILES[at])));
        assert_eq!(asked(&mut h), wanted.as_slice(), "{key:?}");
    }
    // Both key presses of a slow frame count.
    for _ in 0..2 {
        h.input_mut().events.push(Event::Key {
            key: Key::ArrowDown,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        });
    }
    h.run();
    assert_eq!(asked(&mut h), [request(folder.join(FILES[2]))]);
    // They also continue from a file that another key opened.
    open(
        &mut h.state_mut().state,
        &folder.join(FILES[1]),
        Cause::Neighbor,
    );
    h.run();
    press(&mut h, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(asked(&mut h), [request(folder.join(FILES[2]))]);
}

#[test]
fn the_list_is_filtered_by_path_and_format_and_keeps_that_from_file_to_file() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    let search = |h: &mut Harness<'_, Window>, text: &str| {
        h.get_by_role(Role::TextInput).focus();
        h.run();
        press(h, Modifiers::COMMAND, Key::A);
        h.input_mut().events.push(Event::Text(text.to_owned()));
        h.run();
    };
    search(&mut h, "BARREL");
    assert_eq!(listed(&h).0, FILES[1..3]);
    h.get_by_label("2 matches");
    press(&mut h, Modifiers::NONE, Key::Enter);
    let second = folder.join(FILES[1]);
    assert_eq!(asked(&mut h), [request(second.clone())]);
    open(&mut h.state_mut().state, &second, Cause::Neighbor);
    h.run();
    assert_eq!(
        listed(&h),
        (
            FILES[1..3].iter().map(ToString::to_string).collect(),
            Some(0)
        )
    );
    press(&mut h, Modifiers::NONE, Key::ArrowDown);
    let third = request(folder.join(FILES[2]));
    assert_eq!(asked(&mut h), [third], "the list has the keyboard now");
    search(&mut h, "engine map");
    assert_eq!(listed(&h).0, FILES[3..]);
    search(&mut h, "nothing");
    h.get_by_label("No match for `nothing`");
    // A new folder resets the search.
    let (_other, folder) = models(&FILES[..2]);
    open_folder(&mut h.state_mut().state, &folder, Limits::OPEN);
    h.run();
    assert_eq!(listed(&h).0, FILES[..2]);
}

#[test]
fn page_down_keeps_to_the_filter_while_the_list_is_in_sight() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    h.get_by_role(Role::TextInput).focus();
    h.run();
    h.input_mut()
        .events
        .push(Event::Text("barrel 10".to_owned()));
    h.run();
    assert_eq!(listed(&h).0, FILES[2..3]);
    let neighbor = Action::Neighbor { backwards: false };
    h.state_mut().state.run(neighbor);
    assert_eq!(asked(&mut h), [request(folder.join(FILES[2]))]);
    open(
        &mut h.state_mut().state,
        &folder.join(FILES[2]),
        Cause::Neighbor,
    );
    h.state_mut().state.run(neighbor);
    assert!(asked(&mut h).is_empty());
    let said = &state(&h).notices.toasts.last().unwrap().text;
    assert_eq!(said, "No other file matches `barrel 10`");
    h.state_mut().state.run(Action::Panel(Panel::Outliner));
    h.state_mut().state.run(neighbor);
    assert_eq!(asked(&mut h), [request(folder.join(FILES[3]))]);
}

#[test]
fn files_that_come_and_go_in_the_folder_do_so_in_the_list() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    // Carries out the window's listing effects.
    let look = |h: &mut Harness<'_, Window>| {
        h.state_mut().state.rescan_playlist();
        for effect in std::mem::take(&mut h.state_mut().state.effects) {
            if let Effect::List(number, origin) = effect {
                let files = search::list(origin).unwrap();
                assert!(!h.state_mut().state.relist(number + 1, files.clone()));
                h.state_mut().state.relist(number, files);
            }
        }
        h.run();
        listed(h)
    };
    fs::write(folder.join("barrel/barrel 3.pfobj"), b"").unwrap();
    fs::remove_file(folder.join(FILES[3])).unwrap();
    let names = [FILES[0], FILES[1], "barrel/barrel 3.pfobj", FILES[2]];
    assert_eq!(look(&mut h), (names.map(String::from).to_vec(), Some(0)));
    // The open file stays listed while it is open.
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(look(&mut h), (vec![FILES[0].to_owned()], Some(0)));

    // The neighbours of a single file are updated in the same way.
    let (_dir, folder) = models(&["b.pfobj", "below/c.pfobj"]);
    let mut h = window(|state| open(state, &folder.join("b.pfobj"), Cause::Opened));
    press(&mut h, Modifiers::COMMAND, Key::E);
    fs::write(folder.join("a.pfobj"), b"").unwrap();
    let names = ["a.pfobj", "b.pfobj"].map(String::from).to_vec();
    assert_eq!(look(&mut h), (names.clone(), Some(1)));
    // Also after the folder was temporarily missing.
    let away = folder.with_extension("away");
    fs::rename(&folder, &away).unwrap();
    assert_eq!(look(&mut h), (names[1..].to_vec(), Some(0)));
    fs::rename(&away, &folder).unwrap();
    assert_eq!(look(&mut h), (names, Some(1)));
}

#[test]
fn a_file_that_fails_is_marked_and_what_is_open_stays() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    let bad = folder.join(FILES[1]);
    let failure = Failure::new(&bad, "PFOBJ 3:1: no number");
    let failed = outcome(&bad, Cause::Neighbor, None, vec![failure]);
    h.state_mut().state.loaded(failed);
    h.run();
    assert_eq!(
        state(&h).session.open_file().unwrap().path,
        folder.join(FILES[0])
    );
    let (names, current) = listed(&h);
    assert_eq!(names[1], "barrel/barrel 2.pfobj: PFOBJ 3:1: no number");
    assert_eq!(current, Some(0));
    // The file was repaired.
    open(&mut h.state_mut().state, &bad, Cause::Neighbor);
    h.run();
    assert_eq!(listed(&h), (FILES.map(String::from).to_vec(), Some(1)));
}

#[test]
fn the_list_covers_another_panel_only_for_as_long_as_there_is_one() {
    let (_dir, folder) = models(&FILES);
    let (_other, single) = models(&["single.pfobj"]);
    let single = single.join("single.pfobj");
    let mut h = with_folder(&folder);
    // A file would open with its own panels.
    h.state_mut().state.settings.remembers_views = false;
    let left = |h: &Harness<'_, Window>| state(h).settings.left.open;
    let kept = |h: &Harness<'_, Window>| state(h).settings_to_keep().left.open;
    assert_eq!(
        (left(&h), kept(&h)),
        (Some(Panel::Files), Some(Panel::Outliner))
    );
    open(&mut h.state_mut().state, &single, Cause::Opened);
    assert_eq!(left(&h), Some(Panel::Outliner));
    // After an explicit choice it stays.
    for action in [Action::Panel(Panel::Files), Action::Panel(Panel::Files)] {
        h.state_mut().state.run(action);
    }
    assert_eq!(left(&h), None);
    open_folder(&mut h.state_mut().state, &folder, Limits::OPEN);
    assert_eq!(left(&h), None, "nothing opens where nothing is wanted");
    h.state_mut().state.run(Action::Panel(Panel::Files));
    assert_eq!(kept(&h), Some(Panel::Files));
    open(&mut h.state_mut().state, &single, Cause::Opened);
    assert_eq!(left(&h), Some(Panel::Files));
    // A single file does not open the list.
    let (_third, folder) = models(&["a/only.pfobj"]);
    h.state_mut().state.run(Action::Panel(Panel::Outliner));
    open_folder(&mut h.state_mut().state, &folder, Limits::OPEN);
    assert_eq!(left(&h), Some(Panel::Outliner));
}

#[test]
fn the_files_beside_an_open_one_are_listed_when_that_is_asked_for() {
    let (_dir, folder) = models(&["b.pfobj", "a.pfobj", "below/c.pfobj", "note.txt"]);
    let mut h = window(|state| open(state, &folder.join("b.pfobj"), Cause::Opened));
    press(&mut h, Modifiers::COMMAND, Key::E);
    let names = ["a.pfobj", "b.pfobj"].map(String::from).to_vec();
    assert_eq!(listed(&h), (names, Some(1)));
    h.get_by_label("2 of 2").click();
    h.run();
    assert!(
        listed(&h).0.is_empty(),
        "the place in the list hides it again"
    );
    let mut h = with_demo();
    press(&mut h, Modifiers::COMMAND, Key::E);
    h.get_by_label("No other files");
}

#[test]
fn a_search_says_how_far_it_is_and_that_it_ended_early() {
    let mut h = window(|state| {
        state.notices.loading = Some(LoadingView {
            name: "models".into(),
            fraction: 0.0,
            seen: Some(Seen {
                folders: 12,
                files: 1,
            }),
        });
    });
    h.get_by_label("Searching models");
    h.get_by_label("12 folders, 1 file so far");
    h.get_by_label("Cancel (Esc)").click();
    h.run_steps(3);
    assert_eq!(state(&h).effects, [Effect::CancelLoad]);

    let (_dir, folder) = models(&FILES);
    let limits = Limits {
        entries: 99,
        files: 2,
    };
    let h = window(|state| open_folder(state, &folder, limits));
    let note = "The search ended after 2 files: there may be more files";
    assert_eq!(
        h.get_all_by_label(note).count(),
        2,
        "in the list, and for a while"
    );
    let toast = state(&h).notices.toasts.last().unwrap();
    assert_eq!(toast.text, note);
}

#[test]
fn a_file_that_fails_has_a_red_mark_and_long_paths_keep_their_names() {
    let long = |n| format!("a folder with a long name/and one below/model {n}.pfobj");
    let names: Vec<String> = FILES
        .map(String::from)
        .into_iter()
        .chain((0..40).map(long))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (_dir, folder) = models(&names);
    for (scale, name) in [(1.0, "files"), (2.0, "files-2x")] {
        let mut h = super::built(sized(vec2(1000.0, 640.0), scale), |state| {
            open_folder(state, &folder, Limits::OPEN);
        });
        let list = h
            .state()
            .placed
            .rects
            .iter()
            .find(|(name, _)| name == "file-list");
        let list = list.unwrap().1;
        // Red pixels at the start of the second row.
        let mark = |h: &mut Harness<'_, Window>| {
            let row = row_height(h);
            let picture = keep_picture(h, name);
            let place = list.with_max_x(list.min.x + 24.0).translate(vec2(0.0, row));
            let [x, y, width, height] =
                [place.min.x, place.min.y, 24.0, row].map(|length| (length * scale) as u32);
            let color = theme::ERROR.of(&h.ctx).to_array();
            let pixels = (y..y + height).flat_map(|y| (x..x + width).map(move |x| [x, y]));
            pixels
                .filter(|[x, y]| picture.get_pixel(*x, *y).0 == color)
                .count()
        };
        assert_eq!(mark(&mut h), 0);
        let bad = folder.join(long(1));
        let failure = Failure::new(&bad, "PFOBJ 3:1: no number");
        h.state_mut().state.mark_failed(&[failure]);
        h.run();
        assert!(mark(&mut h) > 20);
    }
}

/// Returns the height of a row of the list, in points.
fn row_height(h: &Harness<'_, Window>) -> f32 {
    h.ctx.global_style().spacing.interact_size.y
}

#[test]
fn files_are_sorted_by_a_click_on_a_heading() {
    let (_dir, folder) = models(&FILES);
    let mut h = with_folder(&folder);
    for (heading, first, last) in [
        ("format", FILES[3], FILES[2]),
        ("format", FILES[0], FILES[3]),
        ("format", FILES[0], FILES[3]),
        ("path", FILES[0], FILES[3]),
        ("path", FILES[3], FILES[0]),
    ] {
        h.get_by_role_and_label(Role::ColumnHeader, heading).click();
        h.run();
        let (files, current) = listed(&h);
        assert_eq!((&*files[0], &*files[3]), (first, last), "{heading}");
        let open = current.map(|at| &*files[at]);
        assert_eq!(open, Some(FILES[0]), "{heading}");
    }
}

#[test]
fn a_file_opens_with_its_panels_but_not_while_one_steps_through_files() {
    let mut h = window(|state| open(state, Path::new("/a.pfobj"), Cause::Opened));
    let state = &mut h.state_mut().state;
    let panels = |state: &State| {
        [Panel::Outliner, Panel::Inspector, Panel::Find].map(|panel| state.is_panel_open(panel))
    };
    assert_eq!(panels(state), [true, true, false]);
    state.session.view.framing = None;
    state.run(Action::Panel(Panel::Find));
    state.run(Action::Panel(Panel::Inspector));
    open(state, Path::new("/b.pfobj"), Cause::Opened);
    assert_eq!(panels(state), [true, false, true], "the file is new");
    state.session.view.framing = None;
    state.run(Action::Panel(Panel::Find));
    open(state, Path::new("/a.pfobj"), Cause::Opened);
    assert_eq!(panels(state), [true, false, true]);
    let kept = serde_json::to_string(&state.settings_to_keep()).unwrap();
    assert!(kept.contains(r#""panels":["outliner","find"]"#), "{kept}");
    open(state, Path::new("/b.pfobj"), Cause::Neighbor);
    assert_eq!(panels(state), [true, false, true]);
    // The list of files that the user opens files from stays.
    state.run(Action::Panel(Panel::Files));
    open(state, Path::new("/a.pfobj"), Cause::Opened);
    assert!(state.is_panel_open(Panel::Files));
    state.settings.remembers_views = false;
    state.run(Action::Panel(Panel::Find));
    open(state, Path::new("/a.pfobj"), Cause::Opened);
    assert_eq!(panels(state), [false, false, false]);
}
