//! Tests comparisons without a window.

use egui::{Role, vec2};
use egui_kittest::kittest::Queryable as _;
use egui_kittest::{Harness, HarnessBuilder};

use super::*;
use crate::viewer::commands::{self, Action};
use crate::viewer::io;
use crate::viewer::state::interface::{PathPurpose, PathSource};
use crate::viewer::testing::{self, Window};
use mapscope_formats::pfmap::{self, TILE_CHARS, Tile};
use mapscope_scene::diff::change_color;
use mapscope_scene::{Progress, Source, TerrainItem};
use mapscope_testdata::synthesize;

/// A map of two chunks, and a version with one changed tile and without one material.
fn maps() -> [Vec<u8>; 2] {
    let mut a = pfmap::read(&synthesize::pfmap(1, 2, 1)).unwrap();
    let mut b = a.clone();
    let unused = "Unused".to_owned();
    let first = a.materials[0].clone();
    a.materials.push(pfmap::Material {
        name: unused,
        ..first
    });
    let text: &[u8; TILE_CHARS] = b"0+0900000000100001111000";
    b.tiles[3 * 64 + 33] = Tile::parse(text).unwrap();
    [a, b].map(|map| pfmap::write(&map))
}

fn open(bytes: &[u8]) -> Arc<dyn Document> {
    let source = Source {
        path: "made.pfobj".into(),
        bytes: bytes.to_vec().into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// Runs the requested comparisons. Returns their number.
fn run_requests(state: &mut State) -> usize {
    let effects = std::mem::take(&mut state.effects);
    let mut count = 0;
    for effect in effects {
        if let Effect::Compare(request) = effect {
            state.compared(io::compare::run(request));
            count += 1;
        }
    }
    count
}

fn run(state: &mut State, id: &str) {
    let command = commands::all()
        .iter()
        .find(|command| command.id == id)
        .unwrap();
    state.run(command.action);
}

/// A window with a reloaded map.
fn reloaded(builder: HarnessBuilder<Window>) -> Harness<'static, Window> {
    testing::built(builder, |state| {
        let [a, b] = maps();
        state.loaded(testing::loaded(open(&a), false));
        assert_eq!(run_requests(state), 0, "there is nothing before it");
        state.loaded(testing::loaded(open(&b), true));
        assert_eq!(run_requests(state), 1);
    })
}

#[test]
fn after_a_reload_what_changed_is_listed_and_gone_through() {
    let mut h = reloaded(Harness::builder().with_size(vec2(1200.0, 800.0)));
    let tile = Some(TerrainItem::Tile { row: 3, col: 33 }.into());
    let state = &mut h.state_mut().state;
    let toast = &state.notices.toasts.last().unwrap().text;
    assert!(toast.ends_with("1 material, 1 tile"), "{toast}");
    assert!(
        state.session.view.shown.changes.lines().is_empty(),
        "it is not listed"
    );
    run(state, "changes.show");
    h.run();
    assert_eq!(h.state().state.session.view.shown.changes.lines().len(), 4);
    h.get_by_label_contains("changed tile 3,33").click();
    h.run();
    assert_eq!(h.state().state.session.view.shown.selected, tile);
    let state = &mut h.state_mut().state;
    assert_eq!(state.session.tools.comparison.current, Some(1));
    // The next difference is the first one again: the missing material.
    run(state, "changes.next");
    assert_eq!(state.session.tools.comparison.current, Some(0));
    assert_eq!(state.session.view.shown.selected, None);
    run(state, "changes.previous");
    assert_eq!(state.session.view.shown.selected, tile);
    h.run();
    h.get_by_label("Next").click();
    h.run();
    assert_eq!(h.state().state.session.tools.comparison.current, Some(0));
    // A click on a heading lists the changed tile first, and the keys follow.
    let top = |h: &Harness<'_, Window>, text| h.get_by_label_contains(text).rect().top();
    assert!(top(&h, "gone: material") < top(&h, "changed tile"));
    h.get_by_role_and_label(Role::ColumnHeader, "change")
        .click();
    h.run();
    assert!(top(&h, "gone: material") > top(&h, "changed tile"));
    assert_eq!(
        h.state().state.session.tools.comparison.order,
        Some(vec![1, 0])
    );
    h.state_mut().state.session.tools.comparison.current = None;
    run(&mut h.state_mut().state, "changes.next");
    assert_eq!(h.state().state.session.tools.comparison.current, Some(1));
    // A closed panel draws no lines.
    h.state_mut().state.run(Action::Panel(Panel::Changes));
    h.run();
    assert!(
        h.state()
            .state
            .session
            .view
            .shown
            .changes
            .lines()
            .is_empty()
    );
}

#[test]
fn a_file_is_compared_with_another_and_again_when_it_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = maps();
    let other = folder.path().join("other.pfmap");
    std::fs::write(&other, &b).unwrap();
    let mut h = testing::window(|state| state.loaded(testing::loaded(open(&a), false)));
    let state = &mut h.state_mut().state;
    state.effects.clear();
    run(state, "compare");
    let asks = [Effect::AskPath(PathPurpose::Compare)];
    assert_eq!(std::mem::take(&mut state.effects), asks);
    state.path_chosen(PathPurpose::Compare, &other, PathSource::SystemDialog);
    assert_eq!(run_requests(state), 1);
    assert!(state.is_panel_open(Panel::Changes));
    h.run();
    h.get_by_label("From other.pfmap to the open file: 1 material, 1 tile");
    h.get_by_label_contains("only here: material");
    // After the reload, both files are the same.
    let state = &mut h.state_mut().state;
    state.loaded(testing::loaded(open(&b), true));
    assert_eq!(run_requests(state), 1);
    assert!(!state.session.has_changes());
    h.run();
    h.get_by_label_contains("No differences");
    // A failed comparison is reported.
    std::fs::write(&other, "no map").unwrap();
    let state = &mut h.state_mut().state;
    state.path_chosen(PathPurpose::Compare, &other, PathSource::SystemDialog);
    run_requests(state);
    let toast = state.notices.toasts.last().unwrap();
    assert_eq!(toast.severity, Some(Severity::Error), "{toast:?}");
    // The previous result stays.
    assert!(
        state.session.tools.comparison.found.is_some()
            && state.session.tools.comparison.file.is_some()
    );
    // Opening another file discards the comparison.
    let mut next = testing::loaded(open(&a), false);
    next.loaded.as_mut().unwrap().path = "other.pfmap".into();
    state.loaded(next);
    assert!(
        state.session.tools.comparison.found.is_none()
            && state.session.tools.comparison.file.is_none()
    );
}

#[test]
fn a_path_of_no_use_is_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = maps();
    let other = folder.path().join("other.pfmap");
    std::fs::write(&other, &b).unwrap();
    let mut h = testing::window(|state| state.loaded(testing::loaded(open(&a), false)));
    let state = &mut h.state_mut().state;
    state.effects.clear();
    let missing = folder.path().join("none.pfmap");
    state.ask_path(PathPurpose::Compare);
    state.path_chosen(PathPurpose::Compare, &missing, PathSource::InApp);
    run_requests(state);
    h.run();
    h.get_by_role_and_label(Role::Dialog, "Compare with");
    h.get_by_label_contains("none.pfmap: ");
    assert!(h.state().state.notices.toasts.is_empty());
    let state = &mut h.state_mut().state;
    state.path_chosen(PathPurpose::Compare, &other, PathSource::InApp);
    run_requests(state);
    assert!(state.interface.dialog.is_none() && state.session.has_changes());
}

#[test]
fn a_comparison_that_another_has_replaced_is_not_taken() {
    let [a, b] = maps();
    let mut state = State::new(Default::default(), Default::default());
    state.loaded(testing::loaded(open(&a), false));
    state.loaded(testing::loaded(open(&b), true));
    state.loaded(testing::loaded(open(&a), true));
    let requests: Vec<_> = std::mem::take(&mut state.effects)
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Compare(request) => Some(request),
            _ => None,
        })
        .collect();
    let [first, second] = &*requests else {
        panic!("{requests:?}");
    };
    state.compared(io::compare::run(second.clone()));
    let number = state
        .session
        .tools
        .comparison
        .found
        .as_ref()
        .unwrap()
        .number;
    state.compared(io::compare::run(first.clone()));
    assert_eq!(
        state
            .session
            .tools
            .comparison
            .found
            .as_ref()
            .unwrap()
            .number,
        number
    );
}

#[test]
fn each_line_of_the_list_has_the_colour_of_its_lines_in_the_view() {
    for scale in [1.0, 2.0] {
        let mut h = reloaded(testing::sized(vec2(1000.0, 640.0), scale));
        run(&mut h.state_mut().state, "changes.show");
        h.run();
        let picture = testing::keep_picture(&mut h, &format!("changes-{scale}"));
        for is_in in [[true, false], [true, true]] {
            let color = change_color(is_in);
            let marked = picture
                .pixels()
                .filter(|pixel| pixel.0[..3] == color)
                .count();
            assert!(marked as f32 > 10.0 * scale, "{is_in:?}: {marked} pixels");
        }
    }
}
