//! Tests of the window with a 2D map.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use crate::view_request::ViewRequest;
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::DVec2;

use super::maps::{SIZE, TILE, map, picture_of_map, with_map};
use crate::viewer::app::saving::{SaveJob, Saved};
use crate::viewer::commands::{Action, Request};
use crate::viewer::docks::Panel;
use crate::viewer::state::interface::PathPurpose;
use crate::viewer::state::settings::Settings;
use crate::viewer::state::{Effect, State};
use crate::viewer::testing::{
    Window, button, drag, keep_picture, loaded, looks, middle, move_to, press, quick_drag, state,
};
use crate::viewer::view::camera_control::CameraMode;
use mapscope_scene::camera::{NamedView, Projection};
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Item, OverlayId, Progress, Shown, TileMapItem};

type Map = Harness<'static, Window>;

fn run(h: &mut Map, action: Action) {
    h.state_mut().state.run(action);
    h.run();
}

fn with_panel(panel: Panel) -> Map {
    let mut h = with_map();
    h.state_mut().state.settings.dock_mut(panel.dock()).open = Some(panel);
    h.run();
    h
}

fn place(h: &Map, name: &str) -> Rect {
    let rects = &h.state().placed.rects;
    let found = rects.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("{name} is not shown")).1
}

fn flat(h: &Map) -> FlatWindow {
    state(h)
        .session
        .view
        .flat_window()
        .expect("the map is flat")
}

fn view_px(h: &Map) -> DVec2 {
    let [width, height] = state(h).session.view.size_px;
    DVec2::new(width.into(), height.into())
}

fn wheel(h: &mut Map, at: Pos2, notches: f32) {
    move_to(h, at);
    h.input_mut().events.push(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, notches),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    h.run();
}

/// Returns the map pixel at a window position.
fn px_at(h: &Map, at: Pos2) -> DVec2 {
    let view = h.state().placed.viewport.unwrap();
    let offset = (at - view.min) * h.ctx.pixels_per_point();
    flat(h).map_px(glam::Vec2::new(offset.x, offset.y))
}

fn map_px() -> DVec2 {
    DVec2::new((SIZE[0] * TILE).into(), (SIZE[1] * TILE).into())
}

fn layer(index: u32) -> Item {
    TileMapItem::Layer { index }.into()
}

/// A tile of the only tileset.
fn tile(index: u32) -> Item {
    let tileset = 0;
    TileMapItem::Tile { tileset, index }.into()
}

/// Returns the layer of the hovered cell.
fn layer_pointed_at(h: &Map) -> Option<u32> {
    match state(h).session.pointer.hovered {
        Some(Item::TileMap(TileMapItem::Cell { layer, .. })) => Some(layer),
        _ => None,
    }
}

// ---- Flat view ---------------------------------------------------------------------------------

#[test]
fn a_map_opens_flat_as_large_as_whole_pixels_allow() {
    let mut h = with_map();
    assert_eq!(state(&h).session.view.mode, CameraMode::Flat);
    assert!(state(&h).session.view.shown.flat);
    let fits = |h: &Map| {
        let window = flat(h);
        let wanted = (view_px(h) / map_px()).min_element().floor();
        assert_eq!(window.zoom, wanted);
        let aside = window.top_left_px + view_px(h) / (window.zoom * 2.0) - map_px() * 0.5;
        assert!(aside.abs().max_element() <= 1.0, "{window:?}");
    };
    fits(&h);
    let says = format!("{} %", flat(&h).zoom * 100.0);
    assert_eq!(h.query_all_by_label(&says).count(), 2, "bar and status bar");
    // The map stays fitted after a resize until the user moves it.
    h.state_mut().state.settings.left.open = None;
    h.run();
    fits(&h);
    drag(&mut h, PointerButton::Primary, vec2(40.0, 0.0));
    let zoom = flat(&h).zoom;
    h.state_mut().state.settings.right.open = None;
    h.run();
    assert_eq!(flat(&h).zoom, zoom);
    press(&mut h, Modifiers::NONE, Key::F);
    fits(&h);
}

#[test]
fn a_drag_with_any_button_moves_the_map_by_whole_pixels() {
    let mut h = with_map();
    for with in [
        PointerButton::Primary,
        PointerButton::Secondary,
        PointerButton::Middle,
    ] {
        let before = flat(&h);
        drag(&mut h, with, vec2(33.4, -20.3));
        let after = flat(&h);
        assert_eq!(after.zoom, before.zoom);
        let moved = (before.top_left_px - after.top_left_px) * after.zoom;
        assert_eq!(moved.round(), DVec2::new(33.0, -20.0), "{with:?}");
        assert!((moved - moved.round()).abs().max_element() < 1e-6);
        let map_size = SIZE.map(|side| u64::from(side * TILE));
        let camera = after.camera_on_map_px(map_size, state(&h).session.view.size_px);
        assert_eq!(state(&h).session.view.shown.flat_camera_px, camera);
        // A drag within one frame moves it as far.
        let from = middle(&h);
        quick_drag(&mut h, with, from, vec2(-33.4, 20.3));
        assert_eq!(flat(&h).top_left_px, before.top_left_px, "{with:?}");
    }
}

#[test]
fn a_view_that_is_gone_back_to_has_its_layers_in_place() {
    let mut h = with_map();
    let seen = |h: &Map| {
        let shown = &state(h).session.view.shown;
        (shown.flat_camera_px, shown.flat_view_px, flat(h))
    };
    let at = middle(&h);
    wheel(&mut h, at, 4.0);
    h.state_mut().state.session.view.history.rest();
    h.run();
    let before = seen(&h);
    let middle = map_px() * 0.75;
    looks(&mut h.state_mut().state, |view, document| {
        view.center_flat(document, middle);
    });
    h.run();
    let after = seen(&h);
    assert_ne!(after.0, before.0);
    h.state_mut().state.session.restore_view(true);
    h.run();
    assert_eq!(seen(&h), before);
    h.state_mut().state.session.restore_view(false);
    h.run();
    assert_eq!(seen(&h), after);
}

#[test]
fn the_mini_map_follows_a_drag_that_is_over_within_a_frame() {
    let mut h = with_map();
    press(&mut h, Modifiers::NONE, Key::T);
    // The mini map is hidden while the whole map is in view.
    let at = middle(&h);
    wheel(&mut h, at, 4.0);
    let places = &h.state().placed.rects;
    let (_, place) = places.iter().find(|(name, _)| name == "mini-map").unwrap();
    let (place, by) = (*place, vec2(40.0, 25.0));
    quick_drag(&mut h, PointerButton::Primary, place.center(), by);
    let seen = px_at(&h, middle(&h));
    let at = (place.center() + by - place.min) / place.size();
    let wanted = map_px() * DVec2::new(at.x.into(), at.y.into());
    assert!(
        (seen - wanted).abs().max_element() < 1.5,
        "{seen} is not {wanted}"
    );
}

#[test]
fn the_wheel_goes_by_whole_zooms_and_keeps_what_is_under_the_pointer() {
    let mut h = with_map();
    let view = h.state().placed.viewport.unwrap();
    let at = view.center() + vec2(51.0, 37.0);
    assert_eq!(flat(&h).zoom, 3.0);
    for (notches, zoom) in [
        (1.0, 4.0),
        (2.0, 8.0),
        (-1.0, 6.0),
        (-0.5, 6.0),
        (-0.5, 4.0),
    ] {
        let before = px_at(&h, at);
        wheel(&mut h, at, notches);
        assert_eq!(flat(&h).zoom, zoom, "{notches}");
        let moved = (px_at(&h, at) - before) * zoom;
        assert!(moved.abs().max_element() < 1.01, "{moved}");
    }
    wheel(&mut h, at, 30.0);
    assert_eq!(flat(&h).zoom, 32.0);
    wheel(&mut h, at, -60.0);
    assert_eq!(flat(&h).zoom, 1.0 / 16.0);
}

#[test]
fn keys_and_buttons_zoom_and_a_double_click_centres() {
    let mut h = with_map();
    let fitting = flat(&h).zoom;
    press(&mut h, Modifiers::NONE, Key::T);
    assert_eq!(flat(&h).zoom, 1.0);
    press(&mut h, Modifiers::NONE, Key::Plus);
    assert_eq!(flat(&h).zoom, 2.0);
    press(&mut h, Modifiers::NONE, Key::Minus);
    assert_eq!(flat(&h).zoom, 1.0);
    h.get_by_role_and_label(Role::Button, "Zoom in").click();
    h.run();
    assert_eq!(flat(&h).zoom, 2.0);
    h.get_by_role_and_label(Role::Button, "Zoom out").click();
    h.run();
    h.get_by_role_and_label(Role::Button, "Fit the whole map")
        .click();
    h.run();
    assert_eq!(flat(&h).zoom, fitting);
    let at = middle(&h) + vec2(60.0, 40.0);
    let wanted = px_at(&h, at);
    move_to(&mut h, at);
    for pressed in [true, false, true, false] {
        h.input_mut().events.push(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    h.run();
    let centre = px_at(&h, middle(&h));
    assert!(
        (centre - wanted).abs().max_element() < 0.5,
        "{centre} is not {wanted}"
    );
}

#[test]
fn physical_pixels_decide_what_is_whole() {
    let mut h = picture_of_map(vec2(900.0, 600.0), 2.0);
    let view = h.state().placed.viewport.unwrap() * 2.0;
    for side in [view.min.x, view.min.y, view.max.x, view.max.y] {
        assert_eq!(side, side.round());
    }
    assert_eq!(
        view_px(&h),
        DVec2::new(view.width().into(), view.height().into())
    );
    let before = flat(&h);
    drag(&mut h, PointerButton::Primary, vec2(10.5, 0.0));
    let moved = (before.top_left_px - flat(&h).top_left_px) * before.zoom;
    assert!((moved.x - 21.0).abs() < 1e-6, "{moved}");
}

#[test]
fn the_view_in_3d_and_the_flat_one_are_each_as_they_were_left() {
    let mut h = with_map();
    h.state_mut().state.session.view.camera.projection = Projection::Orthographic;
    press(&mut h, Modifiers::NONE, Key::T);
    drag(&mut h, PointerButton::Primary, vec2(20.0, 10.0));
    let left_at = flat(&h);
    press(&mut h, Modifiers::NONE, Key::G);
    assert_eq!(state(&h).session.view.mode, CameraMode::Orbit);
    assert!(!state(&h).session.view.shown.flat);
    assert_eq!(
        state(&h).session.view.camera.projection,
        Projection::Perspective
    );
    assert!(
        state(&h).session.view.camera.forward().y > -0.9,
        "it looks at a slant"
    );
    drag(&mut h, PointerButton::Primary, vec2(50.0, 20.0));
    let tilted = state(&h).session.view.camera.pose;
    h.get_by_label("2D").click();
    h.run();
    assert_eq!(flat(&h), left_at);
    h.get_by_label("3D").click();
    h.run();
    assert_eq!(state(&h).session.view.camera.pose, tilted);
    // The top view is 3D as well, unless the pasted camera was copied from a flat view.
    run(&mut h, Action::View(NamedView::Top));
    assert_eq!(state(&h).session.view.mode, CameraMode::Orbit);
    run(&mut h, Action::Flat);
    let pose = state(&h).session.view.camera.pose.to_string();
    run(&mut h, Action::Flat);
    h.state_mut().state.paste_pose(&pose);
    h.run();
    assert_eq!(flat(&h), left_at);
}

#[test]
fn a_map_is_seen_from_where_the_command_line_says() {
    let opened = |request: ViewRequest| {
        let mut state = State::new(Settings::default(), request);
        state.loaded(loaded(map(), false));
        looks(&mut state, |view, document| {
            view.resize_view(document, [800, 600]);
        });
        state.session.shape_view(800.0 / 600.0);
        state
    };
    let h = with_map();
    let copied = state(&h).session.view.camera.pose;
    let from_above = opened(ViewRequest {
        camera: Some(copied),
        ..ViewRequest::default()
    });
    // In a view of another size, at the nearest whole zoom.
    let window = from_above.session.view.flat_window().unwrap();
    let height = f64::from(state(&h).session.view.size_px[1]);
    assert_eq!(window.zoom, (flat(&h).zoom * 600.0 / height).round());
    assert!((from_above.session.view.camera.pose.target - copied.target).length() < 1.0);
    let slanted = "50,100,150,96,0,64".parse().unwrap();
    let slanted = opened(ViewRequest {
        camera: Some(slanted),
        ..ViewRequest::default()
    });
    assert_eq!(slanted.session.view.mode, CameraMode::Orbit);
    for (view, mode) in [
        (None, CameraMode::Flat),
        (Some(NamedView::Flat), CameraMode::Flat),
        (Some(NamedView::Iso), CameraMode::Orbit),
        (Some(NamedView::Top), CameraMode::Orbit),
    ] {
        let state = opened(ViewRequest {
            view,
            ..ViewRequest::default()
        });
        assert_eq!(state.session.view.mode, mode, "{view:?}");
        assert_eq!(
            state.session.view.flat_window().is_some(),
            mode == CameraMode::Flat
        );
    }
}

#[test]
fn a_document_after_a_map_is_shown_normally() {
    let mut h = with_map();
    let document = crate::viewer::testing::document();
    h.state_mut().state.loaded(loaded(document, false));
    h.run();
    assert_eq!(state(&h).session.view.mode, CameraMode::Orbit);
    assert_eq!(
        state(&h).session.view.camera.projection,
        Projection::Perspective
    );
    assert_eq!(*state(&h).session.view.shown, Shown::default());
    assert!(h.query_by_label("2D").is_none());
}

#[test]
fn the_layers_are_pulled_apart_with_a_slider_and_stay_so() {
    let mut h = with_map();
    run(&mut h, Action::Flat);
    let slider = h.get_by_role_and_label(Role::Slider, "Layer distance");
    assert_eq!(slider.accesskit_node().numeric_value(), Some(24.0));
    slider.set_value_accesskit(60.0);
    h.run();
    assert_eq!(state(&h).session.view.shown.layer_gap, Some(60.0));
    run(&mut h, Action::Flat);
    run(&mut h, Action::Flat);
    assert_eq!(state(&h).session.view.shown.layer_gap, Some(60.0));
    h.state_mut().state.settings.remembers_views = false;
    // It survives a reload, but is reset for another file.
    h.state_mut().state.loaded(loaded(map(), true));
    h.run();
    assert_eq!(state(&h).session.view.shown.layer_gap, Some(60.0));
    h.state_mut().state.loaded(loaded(map(), false));
    h.run();
    assert_eq!(state(&h).session.view.shown.layer_gap, None);
    assert_eq!(state(&h).session.view.mode, CameraMode::Flat);
}

/// Saves the whole map and waits for the result.
fn save_map(shown: Shown, path: PathBuf, progress: &Arc<Progress>) -> Saved {
    let (sender, receiver) = mpsc::channel();
    let done = move |saved| sender.send(saved).unwrap();
    let _job = SaveJob::map(map(), shown, path, Arc::clone(progress), done);
    receiver.recv().unwrap()
}

/// Exports the map and waits for the result.
fn export(read: &[PathBuf], path: PathBuf) -> Saved {
    let (sender, receiver) = mpsc::channel();
    let done = move |saved| sender.send(saved).unwrap();
    let _job = SaveJob::export(map(), read.to_vec(), path, Arc::default(), done);
    receiver.recv().unwrap()
}

#[test]
fn a_map_is_exported_with_what_it_names_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.tmx");
    let Saved::Files(first, count, _) = export(&[], path.clone()) else {
        panic!("it is written");
    };
    assert_eq!((first, count), (path.clone(), 2));
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names
    };
    let [image, map] = &names()[..] else {
        panic!("{:?}", names());
    };
    assert_eq!(map, &path);
    let text = std::fs::read_to_string(map).unwrap();
    let name = image.file_name().unwrap().to_str().unwrap();
    assert!(text.contains(name), "{name}: {text}");
    image::open(image).unwrap();
    // A source file is not overwritten, and no partial file remains.
    std::fs::remove_file(map).unwrap();
    let Saved::Failed(error) = export(std::slice::from_ref(image), path) else {
        panic!("the image was read");
    };
    assert!(error.contains("never overwritten"), "{error}");
    assert_eq!(names(), std::slice::from_ref(image));
}

#[test]
fn the_whole_map_is_saved_with_a_pixel_for_each_of_its_own() {
    let mut h = with_map();
    h.state_mut().state.effects.clear();
    press(&mut h, Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    assert_eq!(state(&h).effects, [Effect::AskPath(PathPurpose::SaveMap)]);
    let folder = tempfile::tempdir().unwrap();
    let wanted = folder.path().join("made.png");
    let progress = Arc::new(Progress::default());
    let saved = save_map(
        state(&h).session.view.shown.clone(),
        wanted.clone(),
        &progress,
    );
    assert_eq!(saved, Saved::Files(wanted.clone(), 1, Vec::new()));
    assert!(progress.fraction() > 0.9, "{progress:?}");
    let path = wanted;
    let saved = image::open(&path).unwrap().into_rgba8();
    assert_eq!(saved.dimensions(), (SIZE[0] * TILE, SIZE[1] * TILE));
    let mut row = vec![0; (SIZE[0] * TILE * 4) as usize];
    let made = map();
    let layers = made.layers().unwrap();
    layers.flat(&Shown::default()).row(70, &mut row);
    assert_eq!(
        saved
            .rows()
            .nth(70)
            .unwrap()
            .flat_map(|p| p.0)
            .collect::<Vec<_>>(),
        row
    );
    let nowhere = folder.path().join("no/such/folder/made.png");
    let Saved::Failed(error) = save_map(Shown::default(), nowhere, &progress) else {
        panic!("there is no such folder");
    };
    assert!(error.contains("such"), "{error}");
    progress.cancel();
    let unwanted = folder.path().join("unwanted.png");
    let saved = save_map(Shown::default(), unwanted, &progress);
    assert_eq!(saved, Saved::Cancelled(0));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

// ---- Mini map ----------------------------------------------------------------------------------

#[test]
fn the_mini_map_goes_where_it_is_pressed_and_can_be_put_away() {
    let mut h = with_map();
    for _ in 0..4 {
        run(&mut h, Action::Zoom { nearer: true });
    }
    let small = place(&h, "mini-map");
    let view = h.state().placed.viewport.unwrap();
    assert!(view.contains_rect(small));
    let ratio = small.width() / small.height();
    assert!((ratio - 1.5).abs() < 0.05, "{small:?}");
    let at = small.min + small.size() * vec2(0.25, 0.75);
    move_to(&mut h, at);
    button(&mut h, PointerButton::Primary, at, true);
    let seen = px_at(&h, middle(&h));
    assert!(
        (seen - map_px() * DVec2::new(0.25, 0.75)).length() < 3.0,
        "{seen}"
    );
    let to = small.min + small.size() * vec2(0.75, 0.25);
    move_to(&mut h, to);
    button(&mut h, PointerButton::Primary, to, false);
    let seen = px_at(&h, middle(&h));
    assert!(
        (seen - map_px() * DVec2::new(0.75, 0.25)).length() < 3.0,
        "{seen}"
    );
    press(&mut h, Modifiers::SHIFT, Key::M);
    assert!(h.query_by_label("Mini map").is_none());
    assert!(!state(&h).settings_to_keep().mini_map);
    press(&mut h, Modifiers::SHIFT, Key::M);
    h.get_by_label("Mini map");
    run(&mut h, Action::Flat);
    assert!(
        h.query_by_label("Mini map").is_none(),
        "it is of the flat view"
    );
}

#[test]
fn the_mini_map_is_not_there_while_all_of_the_map_is_in_view() {
    let mut h = with_map();
    assert!(h.query_by_label("Mini map").is_none());
    for _ in 0..2 {
        run(&mut h, Action::Zoom { nearer: true });
    }
    h.get_by_label("Mini map");
    run(&mut h, Action::FrameAll);
    assert!(h.query_by_label("Mini map").is_none());
}

// ---- Texts about places, and legends ------------------------------------------------------------

fn open_map(document: Arc<dyn mapscope_scene::Document>) -> Map {
    let mut h = with_map();
    h.state_mut().state.loaded(loaded(document, false));
    h.run();
    h
}

#[test]
fn the_status_bar_lists_every_layer_of_a_place() {
    let mut h = with_map();
    // A house, which covers the ground at this position.
    let at = |h: &Map, px: DVec2| {
        let view = h.state().placed.viewport.unwrap();
        let window = flat(h);
        let offset = (px - window.top_left_px) * window.zoom / f64::from(h.ctx.pixels_per_point());
        view.min + vec2(offset.x as f32, offset.y as f32)
    };
    let house = at(&h, DVec2::new(24.0, 24.0));
    move_to(&mut h, house);
    h.get_by_label_contains("Ground 0  Houses 2  Clouds empty");
    // An invisible layer is not picked, even if nothing has moved.
    assert_eq!(layer_pointed_at(&h), Some(1));
    h.state_mut()
        .state
        .request(Request::SetOpacity(layer(1), Some(0)));
    h.run();
    assert_eq!(layer_pointed_at(&h), Some(0));
}

#[test]
fn a_layer_that_fades_away_while_a_clip_plays_is_no_longer_pointed_at() {
    let village = crate::viewer::testing::open_demo(&mapscope_scene::demo::VILLAGE);
    let mut h = open_map(village);
    assert!(state(&h).session.player.is_playing());
    let at = middle(&h);
    move_to(&mut h, at);
    let before = layer_pointed_at(&h).unwrap();
    let fade = Request::SetOpacity(layer(before), Some(0));
    h.state_mut().state.request(fade);
    h.run();
    assert_ne!(layer_pointed_at(&h), Some(before));
}

#[test]
fn legends_fold_and_are_folded_where_they_would_hide_the_map() {
    let station = crate::viewer::testing::open_demo(&mapscope_scene::demo::STATION);
    let mut h = open_map(station.clone());
    run(&mut h, Action::Overlay(OverlayId::Logic));
    let legends = station.legends(&state(&h).session.view.shown);
    let entries = &legends[0].entries;
    assert!(entries.len() > 1);
    let first = &*entries[0].label;
    h.get_by_label(first);
    h.get_by_label("Logic values").click();
    h.run();
    assert!(h.query_by_label(first).is_none());
    h.get_by_label("Logic values").click();
    h.run();
    h.get_by_label(first);
    let mut small = open_map(station);
    small.set_size(vec2(700.0, 300.0));
    run(&mut small, Action::Overlay(OverlayId::Logic));
    small.get_by_label("Logic values");
    assert!(small.query_by_label(first).is_none());
}

#[test]
fn obstruction_and_zones_are_on_together() {
    let mut h = open_map(crate::viewer::testing::open_demo(
        &mapscope_scene::demo::VILLAGE,
    ));
    run(&mut h, Action::Overlay(OverlayId::Obstruction));
    run(&mut h, Action::Overlay(OverlayId::Zones));
    let overlays = &state(&h).session.view.shown.overlays;
    assert!(overlays.contains(OverlayId::Obstruction) && overlays.contains(OverlayId::Zones));
    assert!(
        !state(&h).is_enabled(Action::Overlay(OverlayId::Logic)),
        "there are none"
    );
}

#[test]
fn a_round_map_has_no_edge_to_stop_at() {
    let mut h = open_map(super::maps::round_map());
    let before = flat(&h).top_left_px;
    for _ in 0..8 {
        drag(&mut h, PointerButton::Primary, vec2(250.0, 0.0));
    }
    let moved = (before - flat(&h).top_left_px) * flat(&h).zoom;
    assert!((moved.x - 2000.0).abs() < 2.0, "{moved}");
    let camera = state(&h).session.view.shown.flat_camera_px;
    assert_eq!(camera, flat(&h).camera_px());
    // A map that does not wrap stops with its edge in the middle of the view.
    let mut h = with_map();
    for _ in 0..8 {
        drag(&mut h, PointerButton::Primary, vec2(250.0, 0.0));
    }
    let middle = flat(&h).top_left_px + view_px(&h) / (flat(&h).zoom * 2.0);
    assert!(middle.x.abs() < 1.0, "{middle}");
}

#[test]
fn the_bar_keeps_its_width_while_the_layers_are_pulled_apart() {
    let mut h = with_map();
    run(&mut h, Action::Flat);
    let width = |h: &mut Map, gap: f32| {
        h.state_mut().state.session.view.shown.layer_gap = Some(gap);
        h.run();
        place(h, "flat-bar").width()
    };
    let widths = [0.0, 7.0, 48.0, 96.0].map(|gap| width(&mut h, gap));
    assert!(widths.iter().all(|other| *other == widths[0]), "{widths:?}");
}

// ---- Measuring ---------------------------------------------------------------------------------

#[test]
fn a_drag_measures_in_pixels_and_tiles() {
    let mut h = with_map();
    press(&mut h, Modifiers::NONE, Key::Y);
    h.get_by_label("Measuring");
    let before = flat(&h);
    drag(
        &mut h,
        PointerButton::Primary,
        vec2(48.0, 8.0) * before.zoom as f32,
    );
    assert_eq!(flat(&h), before, "the map stays");
    let says: Vec<String> = state(&h)
        .session
        .tools
        .measure
        .parts()
        .iter()
        .map(|part| format!("{} {}", part.name, part.value))
        .collect();
    assert_eq!(says, ["Pixels 48 × 8", "Tiles 3 × 0.5", "Length 48.7"]);
    h.get_by_label_contains("48 × 8");
    // The other buttons still move the map.
    drag(&mut h, PointerButton::Secondary, vec2(20.0, 0.0));
    assert_ne!(flat(&h), before);
    assert_eq!(state(&h).session.tools.measure.parts().len(), 3);
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert!(
        !state(&h).session.tools.measure.is_open()
            && state(&h).session.tools.measure.parts().is_empty()
    );
}

#[test]
fn elsewhere_lengths_are_in_units_of_the_world() {
    let mut h = crate::viewer::testing::with_demo();
    press(&mut h, Modifiers::NONE, Key::Y);
    drag(&mut h, PointerButton::Primary, vec2(120.0, 0.0));
    let [from, to] = state(&h).session.tools.measure.line.unwrap();
    let parts = state(&h).session.tools.measure.parts();
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    assert_eq!(names, ["Length", "Tiles", "Distance", "Height difference"]);
    assert_eq!(parts[0].value, format!("{:.2}", from.distance(to)));
    assert!(from.distance(to) > 1.0);
    // A tile is 8 units wide.
    let [across, down] = [to.x - from.x, to.z - from.z].map(|way| (way / 8.0).abs());
    let tiles: Vec<f32> = parts[1]
        .value
        .split(" × ")
        .map(|n| n.parse().unwrap())
        .collect();
    assert!(
        (tiles[0] - across).abs() < 0.01 && (tiles[1] - down).abs() < 0.01,
        "{tiles:?}"
    );
    let distance = (across * 8.0).hypot(down * 8.0);
    assert_eq!(parts[2].value, format!("{distance:.2}"));
    assert_eq!(parts[3].value, format!("{:+.2}", to.y - from.y));
}

// ---- Layers ------------------------------------------------------------------------------------

#[test]
fn layers_are_listed_from_the_top_and_hidden_dimmed_and_shown_alone() {
    let mut h = with_panel(Panel::Layers);
    let y = |h: &Map, name: &str| {
        let row = h.get_by_role_and_label(Role::ListBoxOption, name);
        row.rect().center().y
    };
    assert!(y(&h, "Clouds") < y(&h, "Houses") && y(&h, "Houses") < y(&h, "Ground"));
    h.get_by_label("Show Houses").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.hidden, [layer(1)]);
    h.get_by_label("3 layers, 1 hidden");
    h.get_by_role_and_label(Role::Button, "Show all").click();
    h.run();
    assert!(state(&h).session.view.shown.hidden.is_empty());
    h.get_by_label("Solo Houses").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.hidden, [layer(0), layer(2)]);
    h.get_by_label("Solo Houses").click();
    h.run();
    assert!(state(&h).session.view.shown.hidden.is_empty());
    let slider = h.get_by_role_and_label(Role::Slider, "Opacity of Clouds");
    slider.set_value_accesskit(40.0);
    h.run();
    assert_eq!(
        state(&h).session.view.shown.opacities.get(layer(2)),
        Some(102)
    );
    let slider = h.get_by_role_and_label(Role::Slider, "Opacity of Clouds");
    slider.set_value_accesskit(100.0);
    h.run();
    assert!(state(&h).session.view.shown.opacities.is_empty());
}

#[test]
fn a_click_with_alt_on_an_eye_shows_a_layer_alone() {
    let mut h = with_panel(Panel::Layers);
    h.get_by_label("Show Ground")
        .click_modifiers(Modifiers::ALT);
    h.run();
    assert_eq!(state(&h).session.view.shown.hidden, [layer(1), layer(2)]);
}

#[test]
fn the_selected_layer_is_hidden_and_shown_alone_by_keys() {
    let mut h = with_panel(Panel::Layers);
    h.get_by_role_and_label(Role::ListBoxOption, "Ground")
        .click();
    h.run();
    assert_eq!(state(&h).session.view.shown.selected, Some(layer(0)));
    press(&mut h, Modifiers::SHIFT, Key::H);
    assert_eq!(state(&h).session.view.shown.hidden, [layer(1), layer(2)]);
    press(&mut h, Modifiers::ALT, Key::H);
    assert!(state(&h).session.view.shown.hidden.is_empty());
    press(&mut h, Modifiers::NONE, Key::H);
    assert_eq!(state(&h).session.view.shown.hidden, [layer(0)]);
}

// ---- Tileset -----------------------------------------------------------------------------------

#[test]
fn tiles_are_listed_with_their_uses_and_a_click_selects_one() {
    let mut h = with_panel(Panel::Tileset);
    h.get_by_label_contains("300 tiles, 4 used, 16 × 16 px");
    h.get_by_label("Tile 0, used 48 times");
    h.get_by_label("Tile 3, used once");
    h.get_by_label("Tile 4, unused");
    h.get_by_label("Tile 2, used 9 times").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.selected, Some(tile(2)));
    h.get_by_role_and_label(Role::Button, "Next use").click();
    h.run();
    let first = state(&h).session.view.shown.selected;
    assert_ne!(first, Some(tile(2)), "a cell");
    h.get_by_role_and_label(Role::Button, "Next use").click();
    h.run();
    assert_ne!(state(&h).session.view.shown.selected, first);
    h.get_by_role_and_label(Role::Button, "Previous use")
        .click();
    h.run();
    assert_eq!(state(&h).session.view.shown.selected, first);
    h.get_by_label("Used only").click();
    h.run();
    assert!(h.query_by_label("Tile 4, unused").is_none());
    h.get_by_label("Tile 3, used once");
}

#[test]
fn tiles_stand_in_as_many_columns_as_in_their_picture() {
    let mut h = with_panel(Panel::Tileset);
    let at = |h: &Map, label: &str| h.get_by_role_and_label(Role::Button, label).rect();
    let first = at(&h, "Tile 0, used 48 times");
    assert_eq!(at(&h, "Tile 4, unused").min.y, first.min.y);
    h.get_by_label("Columns of tiles").set_value_accesskit(4.0);
    h.run();
    let fifth = at(&h, "Tile 4, unused");
    assert_eq!(fifth.min.x, first.min.x);
    assert!(fifth.min.y > first.min.y);
}

#[test]
fn who_looks_for_a_tileset_that_was_not_found_can_name_its_folder() {
    let mut h = open_map(super::maps::map_without_tileset());
    h.state_mut()
        .state
        .settings
        .dock_mut(Panel::Tileset.dock())
        .open = Some(Panel::Tileset);
    h.run();
    h.get_by_label_contains("`made.vsp` was not found");
    h.state_mut().state.effects.clear();
    h.get_by_role_and_label(Role::Button, "Add texture folder…")
        .click();
    h.run();
    assert_eq!(
        state(&h).effects,
        [Effect::AskPath(PathPurpose::TextureFolder)]
    );
    let found = with_panel(Panel::Tileset);
    assert!(found.query_by_label_contains("was not found").is_none());
}

#[test]
fn the_tile_of_a_selected_cell_comes_into_sight() {
    let mut h = with_panel(Panel::Tileset);
    assert!(h.query_by_label("Tile 299, unused").is_none());
    h.state_mut()
        .state
        .request(Request::Select(Some(tile(299))));
    h.run();
    h.get_by_role_and_label(Role::Button, "Tile 299, unused");
}

// ---- Pictures ----------------------------------------------------------------------------------

#[test]
fn panels_of_maps_look_as_they_should() {
    for scale in [1.0, 2.0] {
        let mut h = picture_of_map(vec2(1200.0, 800.0), scale);
        let settings = &mut h.state_mut().state.settings;
        settings.left.open = Some(Panel::Layers);
        settings.bottom.open = Some(Panel::Tileset);
        h.run();
        let picture = keep_picture(&mut h, &format!("map-{scale}"));
        assert_eq!(picture.width(), (1200.0 * scale) as u32);
        press(&mut h, Modifiers::NONE, Key::Y);
        drag(&mut h, PointerButton::Primary, vec2(90.0, 60.0));
        keep_picture(&mut h, &format!("map-measured-{scale}"));
        run(&mut h, Action::Flat);
        keep_picture(&mut h, &format!("map-3d-{scale}"));
    }
}

/// The banner about the file on disk leaves the buttons of the bar accessible.
#[test]
fn a_banner_covers_no_button_of_the_bar() {
    let mut h = with_map();
    h.state_mut()
        .state
        .session
        .keep_version(Some("there is no such file".to_owned()), Vec::new());
    h.run();
    let (bar, banner) = (place(&h, "flat-bar"), place(&h, "banner"));
    assert!(!bar.intersects(banner), "{bar:?} {banner:?}");
    // Also in a narrow window.
    h.set_size(vec2(420.0, 700.0));
    h.run();
    let (bar, banner) = (place(&h, "flat-bar"), place(&h, "banner"));
    assert!(!bar.intersects(banner), "{bar:?} {banner:?}");
}

#[test]
fn panels_of_the_least_width_cut_nothing_off() {
    let mut h = picture_of_map(vec2(600.0, 400.0), 2.0);
    let state = &mut h.state_mut().state;
    state.settings.left.open = Some(Panel::Layers);
    let cell = TileMapItem::Cell {
        layer: 1,
        x: 1,
        y: 1,
    };
    state.session.select(Some(cell.into()));
    state.run(Action::Panel(Panel::Inspector));
    h.run();
    let [left, right] = ["left-dock", "right-dock"].map(|name| place(&h, name));
    assert!(left.width() < 160.0 && right.width() < 160.0);
    for name in ["Opacity of Houses", "Solo Houses"] {
        let widget = h.get_by_label(name).rect();
        assert!(left.contains_rect(widget), "{name}: {widget:?}");
    }
    let value = h.get_by_role_and_label(Role::Link, "Houses").rect();
    assert!(right.contains_rect(value) && value.height() < 24.0);
    keep_picture(&mut h, "narrow-panels");
}
