//! Tests of the mini map, the compass and the rulers.

use std::time::Duration;

use egui::accesskit::Role;
use egui::{PointerButton, Pos2, Rect, ViewportId, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::{DVec2, Vec3};

use super::maps::with_map;
use super::{Window, button, looking, middle, model, move_to, state, with_demo};
use crate::viewer::commands::Action;
use crate::viewer::testing::loaded;
use crate::viewer::view::plan::Plan;
use mapscope_scene::camera::NamedView;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::terrain::geometry::TILE_SIDE;

type Opened = Harness<'static, Window>;

fn run(h: &mut Opened, action: Action) {
    h.state_mut().state.run(action);
    h.run();
}

fn place(h: &Opened, name: &str) -> Option<Rect> {
    let rects = &h.state().placed.rects;
    Some(rects.iter().find(|(known, _)| known == name)?.1)
}

fn value(h: &Opened, role: Role, name: &str) -> String {
    h.get_by_role_and_label(role, name).value().unwrap()
}

/// World position of a fraction of the mini map.
fn world(h: &Opened, fraction: DVec2) -> Vec3 {
    looking(state(h), |view, document| {
        let plan = Plan::of(view, document).unwrap();
        plan.world(plan.size() * fraction, 0.0)
    })
}

fn press_map(h: &mut Opened, at: [f32; 2], pressed: bool) -> DVec2 {
    let map = place(h, "mini-map").unwrap();
    let at = map.min + map.size() * vec2(at[0], at[1]);
    move_to(h, at);
    button(h, PointerButton::Primary, at, pressed);
    let along: egui::Vec2 = (at - map.min) / map.size();
    DVec2::new(along.x.into(), along.y.into())
}

#[track_caller]
fn assert_target(h: &Opened, fraction: DVec2) {
    let (target, wanted) = (state(h).session.view.camera.pose.target, world(h, fraction));
    let aside = (target - wanted).with_y(0.0).length();
    assert!(aside < TILE_SIDE, "{target} is not {wanted}");
}

#[test]
fn a_press_and_a_drag_on_the_mini_map_of_a_terrain_move_the_target() {
    for view in [NamedView::Iso, NamedView::North] {
        let mut h = with_demo();
        run(&mut h, Action::View(view));
        let at = press_map(&mut h, [0.25, 0.7], true);
        assert_target(&h, at);
        let before = state(&h).session.view.camera;
        let at = press_map(&mut h, [0.8, 0.3], false);
        assert_target(&h, at);
        let after = state(&h).session.view.camera;
        assert!((after.distance() / before.distance() - 1.0).abs() < 1e-3);
        assert!(after.forward().distance(before.forward()) < 1e-3);
        let terrain = looking(state(&h), |_, document| {
            let target = after.pose.target;
            document
                .content::<Terrain>()
                .unwrap()
                .height_at(target.x, target.z)
        });
        assert!((terrain.unwrap() - after.pose.target.y).abs() < 0.01);
    }
}

#[test]
fn the_mini_map_of_a_terrain_is_hidden_while_all_of_it_is_visible_from_above() {
    let mut h = with_demo();
    assert!(h.query_by_label("Mini map").is_none());
    run(&mut h, Action::View(NamedView::Iso));
    h.get_by_label("Mini map");
    run(&mut h, Action::MiniMap);
    assert!(h.query_by_label("Mini map").is_none());
    h.get_by_label("Compass");
    h.state_mut().state.loaded(loaded(model(), false));
    h.run();
    run(&mut h, Action::MiniMap);
    for label in ["Mini map", "Compass"] {
        assert!(h.query_by_label(label).is_none(), "a model has no {label}");
    }
}

#[test]
fn the_compass_names_the_direction_and_turns_to_the_north() {
    let mut h = with_demo();
    for (view, name) in [
        (NamedView::South, "Looking north"),
        (NamedView::East, "Looking west"),
        (NamedView::Iso, "Looking north-east"),
        (NamedView::West, "Looking east"),
    ] {
        run(&mut h, Action::View(view));
        assert_eq!(value(&h, Role::Button, "Compass"), name);
    }
    let before = state(&h).session.view.camera;
    h.get_by_label("Compass").click();
    h.run();
    assert_eq!(value(&h, Role::Button, "Compass"), "Looking north");
    let after = state(&h).session.view.camera;
    assert!((after.forward().y - before.forward().y).abs() < 1e-4);
    assert!(after.forward().dot(after.handedness.north()) > 0.5);
    assert_eq!(after.pose.target, before.pose.target);
}

#[test]
fn rulers_of_a_terrain_show_the_tile_under_the_pointer() {
    let mut h = with_demo();
    let labels = |h: &Opened, name| {
        let value = value(h, Role::Image, name);
        let numbers = value.split(' ').map_while(|word| word.parse().ok());
        numbers.collect::<Vec<i64>>()
    };
    for name in ["Columns", "Rows"] {
        let labels = labels(&h, name);
        assert!(labels.len() > 2 && labels[0] % 10 == 0, "{labels:?}");
        let steps: Vec<i64> = labels.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| *step == steps[0]), "{labels:?}");
        assert!([5, 10, 20, 50].contains(&steps[0]), "{labels:?}");
    }
    let at = middle(&h) + vec2(61.0, 37.0);
    move_to(&mut h, at);
    let terrain = state(&h).session.pointer.pointed_at.unwrap();
    let (row, col, _) = looking(state(&h), |_, document| {
        let ground = document.content::<Terrain>().unwrap().placement();
        ground.tile_at(terrain.x, terrain.z).unwrap()
    });
    assert!(value(&h, Role::Image, "Columns").ends_with(&format!("pointer at {col}")));
    assert!(value(&h, Role::Image, "Rows").ends_with(&format!("pointer at {row}")));
    // A click in the view still selects, and one on a ruler does too.
    button(&mut h, PointerButton::Primary, at, true);
    button(&mut h, PointerButton::Primary, at, false);
    assert!(state(&h).session.view.shown.selected.is_some());
    run(&mut h, Action::View(NamedView::Iso));
    assert!(h.query_by_role_and_label(Role::Image, "Columns").is_none());
}

#[test]
fn rulers_of_a_2d_map_count_its_cells_and_can_be_hidden() {
    let mut h = with_map();
    let rows = place(&h, "Rows").unwrap();
    let bar = place(&h, "flat-bar").unwrap();
    assert!(bar.min.x >= rows.max.x, "{bar:?}");
    let at: Pos2 = middle(&h);
    move_to(&mut h, at);
    let seen = state(&h).session.pointer.pointed_at.unwrap();
    let tile = f32::from(u16::try_from(super::maps::TILE).unwrap());
    for (name, at) in [("Columns", seen.x), ("Rows", seen.z)] {
        let value = value(&h, Role::Image, name);
        let cell = (at / tile).floor();
        assert!(value.starts_with("0 "), "{value}");
        assert!(value.ends_with(&format!("pointer at {cell}")), "{value}");
    }
    run(&mut h, Action::Rulers);
    assert!(h.query_by_role_and_label(Role::Image, "Rows").is_none());
    assert!(!state(&h).settings_to_keep().rulers);
}

#[test]
fn nothing_is_drawn_again_while_nothing_changes() {
    let mut h = with_demo();
    for view in [NamedView::Top, NamedView::Iso] {
        run(&mut h, Action::View(view));
        h.run_steps(3);
        let output = &h.output().viewport_output[&ViewportId::ROOT];
        assert!(output.repaint_delay > Duration::from_mins(1), "{view:?}");
    }
}
