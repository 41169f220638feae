//! Tests of the second view.

use std::sync::Arc;
use std::time::Duration;

use egui::{Key, Modifiers, PointerButton, Role, ViewportId, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::maps::map_of;
use super::{Window, button, loaded, move_to, press, quick_drag, state, window, with_demo};
use crate::viewer::commands;
use crate::viewer::io::compare;
use crate::viewer::state::session::Session;
use crate::viewer::state::split::{Layout, Split};
use crate::viewer::state::{Effect, State};
use mapscope_scene::{Item, Playhead, TileMapItem};

fn run(h: &mut Harness<'_, Window>, id: &str) {
    let command = commands::find(id).unwrap();
    h.state_mut().state.run(command.action);
    h.run();
}

fn split<'a>(h: &'a Harness<'_, Window>) -> &'a Split {
    state(h).split.as_ref().unwrap()
}

/// Carries out the requested comparisons.
fn compare_all(h: &mut Harness<'_, Window>) {
    let effects = std::mem::take(&mut h.state_mut().state.effects);
    for effect in effects {
        if let Effect::Compare(request) = effect {
            h.state_mut().state.compared(compare::run(request));
        }
    }
    h.run();
}

fn select(h: &mut Harness<'_, Window>, item: Item) {
    h.state_mut().state.session.select(Some(item));
    h.run();
}

/// A map that was read again with more rows, beside its version at opening.
fn two_versions() -> Harness<'static, Window> {
    let mut h = window(|state| state.loaded(loaded(map_of([12, 9]), false)));
    h.state_mut().state.loaded(loaded(map_of([12, 11]), true));
    compare_all(&mut h);
    run(&mut h, "compare.kept");
    compare_all(&mut h);
    h
}

fn cell(y: u32) -> Item {
    TileMapItem::Cell { layer: 0, x: 3, y }.into()
}

#[test]
fn a_second_camera_moves_alone_until_it_is_linked() {
    let mut h = with_demo();
    let before = state(&h).session.view.camera.pose;
    press(&mut h, Modifiers::NONE, Key::F4);
    assert!(split(&h).is_camera && !split(&h).is_linked);
    let second = h.get_by_role_and_label(Role::Image, "Second view").rect();
    let first = h.get_by_role_and_label(Role::Image, "3D view").rect();
    assert_eq!(first.right(), second.left());
    assert_eq!(split(&h).session.view.camera.pose, before);
    quick_drag(
        &mut h,
        PointerButton::Primary,
        second.center(),
        vec2(40.0, 8.0),
    );
    let moved = split(&h).session.view.camera.pose;
    assert_ne!(moved, before);
    assert_eq!(state(&h).session.view.camera.pose, before);
    // Linked, the second one follows first.
    h.get_by_role_and_label(Role::Button, "Linked").click();
    h.run();
    assert_eq!(split(&h).session.view.camera.pose, before);
    quick_drag(
        &mut h,
        PointerButton::Primary,
        second.center(),
        vec2(-30.0, 5.0),
    );
    let both = split(&h).session.view.camera.pose;
    assert_ne!(both, before);
    assert_eq!(state(&h).session.view.camera.pose, both);
    quick_drag(
        &mut h,
        PointerButton::Primary,
        first.center(),
        vec2(25.0, 0.0),
    );
    assert_ne!(state(&h).session.view.camera.pose, both);
    assert_eq!(
        state(&h).session.view.camera.pose,
        split(&h).session.view.camera.pose
    );
    h.get_by_role_and_label(Role::Button, "Close").click();
    h.run();
    assert!(state(&h).split.is_none());
    assert!(h.query_by_label("Second view").is_none());
}

#[test]
fn two_views_rest_while_nothing_changes() {
    let mut h = two_versions();
    h.run();
    let revisions = |h: &Harness<'_, Window>| {
        let shown = |state: &State| state.session.view.shown.revision();
        (shown(state(h)), split(h).session.view.shown.revision())
    };
    let before = revisions(&h);
    for _ in 0..3 {
        h.step();
    }
    assert_eq!(revisions(&h), before);
    // Only messages end by themselves.
    let output = &h.output().viewport_output[&ViewportId::ROOT];
    assert!(output.repaint_delay > Duration::from_millis(500));
}

#[test]
fn a_reloaded_file_is_shown_beside_its_version_at_opening() {
    let mut h = two_versions();
    assert!(split(&h).is_linked && !split(&h).is_camera);
    let sizes = |state: &State| size_of(&state.session);
    let (first, second) = (sizes(state(&h)), sizes_of(split(&h)));
    assert!(
        first.z > second.z && first.x == second.x,
        "{first} {second}"
    );
    assert!(split(&h).name.starts_with("the version read at "));
    // The same item is selected in both, if both have it.
    select(&mut h, cell(4));
    assert_eq!(split(&h).session.view.shown.selected, Some(cell(4)));
    select(&mut h, cell(10));
    assert_eq!(split(&h).session.view.shown.selected, None);
    assert_eq!(state(&h).session.view.shown.selected, Some(cell(10)));
    // A selection in the second view.
    h.state_mut()
        .state
        .with_second(|state| state.session.select(Some(cell(2))));
    h.run();
    assert_eq!(state(&h).session.view.shown.selected, Some(cell(2)));
    // Another reload keeps the comparison with the version at opening.
    h.state_mut().state.loaded(loaded(map_of([12, 13]), true));
    compare_all(&mut h);
    assert_eq!(sizes_of(split(&h)), second);
    // A pinned version takes its place.
    run(&mut h, "compare.pin");
    let toast = state(&h).notices.toasts.last().unwrap().text.clone();
    assert!(
        toast.starts_with("Pinned the version read at ") && toast.contains("iB)"),
        "{toast}"
    );
    run(&mut h, "compare.kept");
    compare_all(&mut h);
    assert_eq!(sizes_of(split(&h)), sizes(state(&h)));
    // Another file has no earlier version.
    let mut next = loaded(map_of([5, 4]), false);
    next.loaded.as_mut().unwrap().path = "other.map".into();
    h.state_mut().state.loaded(next);
    h.run();
    assert!(state(&h).split.is_none() && state(&h).session.kept.is_none());
}

fn sizes_of(split: &Split) -> glam::Vec3 {
    size_of(&split.session)
}

fn size_of(session: &Session) -> glam::Vec3 {
    let bounds = session.document().unwrap().about().bounds;
    bounds.max - bounds.min
}

#[test]
fn a_wipe_shows_both_in_one_place_and_a_held_key_the_other_one() {
    let mut h = two_versions();
    let whole = h.get_by_role_and_label(Role::Image, "Map").rect();
    h.get_by_role_and_label(Role::Button, "Wipe").click();
    h.run();
    assert_eq!(split(&h).layout, Layout::Wipe);
    let map = h.get_by_role_and_label(Role::Image, "Map").rect();
    assert!(map.width() > whole.width() * 1.9);
    let border = h.get_by_label("Border between the views").rect().center();
    move_to(&mut h, border);
    button(&mut h, PointerButton::Primary, border, true);
    let to = border - vec2(map.width() / 4.0, 0.0);
    move_to(&mut h, to);
    button(&mut h, PointerButton::Primary, to, false);
    assert!(
        (split(&h).border - 0.25).abs() < 0.01,
        "{}",
        split(&h).border
    );
    h.key_down(Key::F7);
    h.run();
    assert!(split(&h).blinks);
    h.key_up(Key::F7);
    h.run();
    assert!(!split(&h).blinks);
    press(&mut h, Modifiers::SHIFT, Key::F4);
    assert_eq!(split(&h).layout, Layout::Beside);
    let left = |h: &Harness<'_, Window>| h.get_by_label("Second view").rect().left();
    let before = left(&h);
    h.key_down(Key::F7);
    h.run();
    assert!(left(&h) < before, "the views have changed places");
    h.key_up(Key::F7);
    h.run();
    assert_eq!(left(&h), before);
    run(&mut h, "view.swap");
    assert!(left(&h) < before);
}

#[test]
fn clips_are_in_step_by_their_names() {
    let first = super::moving(&[("Walk", 32), ("Idle", 10)]);
    let second = super::moving(&[("Idle", 6), ("Salute", 1)]);
    let at = |clip, frame| Playhead::at_frame(clip, frame);
    for (of_first, of_second) in [
        (at(1, 4), at(0, 4)),
        (at(1, 9), at(0, 5)),
        (
            at(0, 7),
            Playhead {
                clip: None,
                frame: 0.0,
                ..at(0, 0)
            },
        ),
    ] {
        let documents = [Arc::clone(&first), Arc::clone(&second)];
        let documents = documents.each_ref().map(|document| &**document);
        assert_eq!(
            crate::viewer::state::split::same_moment(of_first, documents),
            of_second
        );
    }
}
