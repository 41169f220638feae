//! Tests of the window with a document of two levels.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;

use super::rooms::{
    MANY, chunk, cube, face, levels, light, lightmap, lightmap_faces, material, picture_of_rooms,
    settings, with_rooms,
};
use crate::view_request::ViewRequest;
use crate::viewer::commands::{self, Action, Request};
use crate::viewer::docks::{Dock, Panel};
use crate::viewer::state::State;
use crate::viewer::state::settings::Settings;
use crate::viewer::testing::{
    Window, before_wall, button, drag, in_bathhouse, keep_picture, loaded, looking, middle,
    move_to, moving_with_levels, press, state,
};
use crate::viewer::view::View;
use mapscope_scene::{Aabb, LevelItem, OverlayId, Shown, demo};

type Rooms = Harness<'static, Window>;

fn run(h: &mut Rooms, action: Action) {
    h.state_mut().state.run(action);
    h.run();
}

fn ask(h: &mut Rooms, request: Request) {
    h.state_mut().state.request(request);
    h.run();
}

fn with_panel(panel: Panel) -> Rooms {
    let mut h = with_rooms();
    h.state_mut().state.settings.dock_mut(panel.dock()).open = Some(panel);
    h.run();
    h
}

fn place(h: &Rooms, name: &str) -> egui::Rect {
    let rects = &h.state().placed.rects;
    let found = rects.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("{name} is not shown")).1
}

fn click_at(h: &mut Rooms, at: Pos2) {
    move_to(h, at);
    button(h, PointerButton::Primary, at, true);
    button(h, PointerButton::Primary, at, false);
}

fn drag_from(h: &mut Rooms, from: Pos2, to: Pos2) {
    move_to(h, from);
    button(h, PointerButton::Primary, from, true);
    for step in 1_u8..=4 {
        move_to(h, from + (to - from) * (f32::from(step) / 4.0));
    }
    button(h, PointerButton::Primary, to, false);
}

fn type_into(h: &mut Rooms, role: Role, text: &str) {
    h.get_by_role(role).focus();
    h.run();
    h.get_by_role(role).type_text(text);
    h.run();
}

// ---- Rooms -------------------------------------------------------------------------------------

/// Returns a window with a level of closed rooms, with the eye inside.
fn in_rooms() -> Rooms {
    let mut h = crate::viewer::testing::window(|state| *state = in_bathhouse(1.0));
    h.state_mut()
        .state
        .session
        .apply_pose(demo::BATHHOUSE.first_pose);
    h.run();
    h
}

#[test]
fn a_drag_in_a_room_looks_around_and_one_from_outside_turns_the_level() {
    let mut h = in_rooms();
    let before = state(&h).session.view.camera;
    drag(&mut h, PointerButton::Primary, vec2(400.0, 30.0));
    let after = state(&h).session.view.camera;
    assert_eq!(after.pose.eye, before.pose.eye, "the eye stays in the room");
    assert!(after.forward().angle_between(before.forward()) > 0.8);
    run(&mut h, Action::FrameAll);
    let before = state(&h).session.view.camera;
    drag(&mut h, PointerButton::Primary, vec2(400.0, 30.0));
    assert!(
        state(&h)
            .session
            .view
            .camera
            .pose
            .eye
            .distance(before.pose.eye)
            > 1.0
    );
}

#[test]
fn the_wheel_needs_a_rest_to_go_through_a_wall() {
    let mut h = in_rooms();
    let pose = before_wall(state(&h), true);
    h.state_mut().state.session.apply_pose(pose);
    let at = middle(&h);
    move_to(&mut h, at);
    let forward = state(&h).session.view.camera.forward();
    let wall = looking(state(&h), View::point_at_center);
    let mut notch = |rests: bool| {
        h.input_mut().events.push(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, 2.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        h.step();
        if rests {
            h.run_steps(6);
        }
        (wall - state(&h).session.view.camera.pose.eye).dot(forward)
    };
    let mut left = notch(false);
    for _ in 0..60 {
        left = notch(false);
        assert!(left > 0.0, "through the wall without a rest: {left}");
    }
    assert!(left < 0.1, "{left}");
    notch(true);
    assert!(notch(true) < 0.0);
}

// ---- Levels ------------------------------------------------------------------------------------

/// `true` if the camera views a box with little around it.
fn frames(state: &State, bounds: Aabb) -> bool {
    let target = state.session.view.camera.pose.target;
    target.distance(bounds.center()) < bounds.radius() * 0.5
        && state.session.view.camera.distance() < bounds.radius() * 6.0
}

#[test]
fn a_level_is_chosen_from_the_list_and_by_keys_and_comes_into_view() {
    let mut h = with_rooms();
    let known = levels();
    assert!(frames(state(&h), known[0].bounds), "at first");
    h.get_by_role_and_label(Role::ComboBox, "Level").click();
    h.run();
    h.get_by_role_and_label(Role::Button, "Cellar").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.level, 1);
    assert!(frames(state(&h), known[1].bounds));
    assert_eq!(state(&h).session.title(), "Mapscope - made.pmf - Cellar");
    press(&mut h, Modifiers::SHIFT, Key::PageDown);
    assert_eq!(state(&h).session.view.shown.level, 0, "going round");
    assert!(frames(state(&h), known[0].bounds));
    press(&mut h, Modifiers::SHIFT, Key::PageUp);
    assert_eq!(state(&h).session.view.shown.level, 1);
}

#[test]
fn selecting_something_of_another_level_shows_that_level() {
    let mut h = with_rooms();
    ask(&mut h, Request::Select(Some(chunk(1, 4))));
    assert_eq!(state(&h).session.view.shown.level, 1);
    assert_eq!(state(&h).session.view.shown.selected, Some(chunk(1, 4)));
    assert!(frames(state(&h), levels()[1].bounds));
    // An item of the previous level is deselected.
    run(&mut h, Action::Level { backwards: false });
    assert_eq!(state(&h).session.view.shown.selected, None);
    ask(&mut h, Request::Select(Some(LevelItem::Map.into())));
    assert_eq!(state(&h).session.view.shown.level, 0, "it belongs to all");
}

#[test]
fn what_the_command_line_asks_for_is_shown_at_first_and_what_is_not_there_is_named() {
    let cut = Aabb {
        min: Vec3::splat(-3.0),
        max: Vec3::splat(3.0),
    };
    let asked = |level, light: &str| ViewRequest {
        level: Some(level),
        cut: Some(cut),
        cell_depth: Some(2),
        lights: vec![(light.to_owned(), Some(70))],
        ..ViewRequest::default()
    };
    let opened = |request| {
        let mut state = State::new(Settings::default(), request);
        state.settings.remembers_views = false;
        state.loaded(loaded(moving_with_levels(levels()), false));
        state.session.shape_view(1.5);
        state
    };
    for light in ["202", "fast LIGHT 202"] {
        let mut state = opened(asked(1, light));
        assert!(frames(&state, levels()[1].bounds));
        assert_eq!(
            (
                state.session.view.shown.cut,
                state.session.view.shown.cell_depth
            ),
            (Some(cut), Some(2))
        );
        assert_eq!(state.session.view.shown.lights, settings(&[([1, 1], 70)]));
        assert!(state.session.tools.clip_box.is_open() && state.notices.toasts.is_empty());
        // Everything survives a reload, and is reset for the next document.
        state.session.hide(chunk(1, 3), true);
        let shown = state.session.view.shown.clone();
        state.loaded(loaded(moving_with_levels(levels()), true));
        assert_eq!(*state.session.view.shown, shown);
        state.loaded(loaded(moving_with_levels(levels()), false));
        state.session.shape_view(1.5);
        assert_eq!(*state.session.view.shown, Shown::default());
        assert!(!state.session.tools.clip_box.is_open() && frames(&state, levels()[0].bounds));
    }
    let state = opened(asked(2, "202"));
    assert_eq!(state.session.view.shown.level, 0);
    let says = &state.notices.toasts[0].text;
    assert!(says.contains("evel 2") && says.contains("0 to 1"), "{says}");
    let state = opened(asked(0, "205"));
    let says = &state.notices.toasts[0].text;
    assert!(
        says.contains("`205`") && says.contains("Fast light 204"),
        "{says}"
    );
}

// ---- Cut ---------------------------------------------------------------------------------------

#[test]
fn the_cut_is_dragged_typed_put_back_and_comes_back_with_the_tool() {
    let mut h = with_rooms();
    press(&mut h, Modifiers::NONE, Key::X);
    assert!(state(&h).session.tools.clip_box.is_open());
    assert_eq!(state(&h).session.view.shown.cut, None, "nothing is cut yet");
    let track = place(&h, "cut-y");
    let bounds = levels()[0].bounds;
    // The upper end of Y to the middle.
    let end = egui::pos2(track.right() - 4.5, track.center().y);
    drag_from(&mut h, end, track.center());
    let cut = state(&h).session.view.shown.cut.unwrap();
    assert!(cut.max.y.abs() < 0.2, "{cut:?}");
    assert!(cut.min.cmplt(bounds.min).all(), "ends cut nothing: {cut:?}");
    assert!(cut.max.x > bounds.max.x && cut.max.z > bounds.max.z);
    // Then the bar between the ends is dragged down, where it has no room to move.
    let track = place(&h, "cut-y");
    let quarter = egui::pos2(track.left() + track.width() * 0.25, track.center().y);
    drag_from(&mut h, quarter, quarter - vec2(80.0, 0.0));
    assert!((state(&h).session.view.shown.cut.unwrap().max.y - cut.max.y).abs() < 1e-3);
    drag_from(&mut h, quarter, quarter + vec2(30.0, 0.0));
    let moved = state(&h).session.view.shown.cut.unwrap();
    let thick = moved.max.y - moved.min.y;
    assert!(
        moved.min.y > bounds.min.y && (thick - 4.0).abs() < 0.3,
        "{moved:?}"
    );
    // Closing removes the cut, opening again restores it.
    press(&mut h, Modifiers::NONE, Key::X);
    assert_eq!(state(&h).session.view.shown.cut, None);
    press(&mut h, Modifiers::NONE, Key::X);
    assert_eq!(state(&h).session.view.shown.cut, Some(moved));
    h.get_by_label("Reset").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.cut, None);
    // By a typed number.
    h.get_by_label("Cut X from").click();
    h.run();
    press(&mut h, Modifiers::COMMAND, Key::A);
    h.input_mut().events.push(Event::Text("3.5".to_owned()));
    h.run();
    press(&mut h, Modifiers::NONE, Key::Enter);
    assert_eq!(
        state(&h).session.view.shown.cut.map(|cut| cut.min.x),
        Some(3.5)
    );
    run(&mut h, Action::Level { backwards: false });
    assert_eq!(
        state(&h).session.view.shown.cut,
        None,
        "another level is whole"
    );
}

// ---- Lights ------------------------------------------------------------------------------------

#[test]
fn lights_are_switched_dimmed_and_put_back() {
    let mut h = with_panel(Panel::Lights);
    h.get_by_label("Switch Fast light 201").click();
    h.run();
    assert_eq!(
        state(&h).session.view.shown.lights,
        settings(&[([0, 0], 0)])
    );
    h.get_by_label("Switch Fast light 201").click();
    h.get_by_label("Switch Fast light 204").click();
    h.run();
    assert_eq!(
        state(&h).session.view.shown.lights,
        settings(&[([0, 3], 90)]),
        "the file has it off, and 90 bright once it is on"
    );
    h.get_by_role_and_label(Role::Slider, "Brightness of Fast light 202")
        .set_value_accesskit(70.0);
    h.run();
    assert_eq!(
        state(&h).session.view.shown.lights,
        settings(&[([0, 1], 70), ([0, 3], 90)])
    );
    h.get_by_label("All off").click();
    h.run();
    // One is off in the file.
    assert_eq!(
        state(&h).session.view.shown.lights,
        settings(&[([0, 0], 0), ([0, 1], 0), ([0, 2], 0)])
    );
    h.get_by_label("All on").click();
    h.run();
    // All others are on in the file.
    assert_eq!(
        state(&h).session.view.shown.lights,
        settings(&[([0, 3], 90)])
    );
    h.get_by_label("As in the file").click();
    h.run();
    assert!(state(&h).session.view.shown.lights.is_empty());
}

#[test]
fn a_light_is_found_by_what_controls_it_and_selected() {
    let mut h = with_panel(Panel::Lights);
    type_into(&mut h, Role::TextInput, "LAMP_sw");
    assert!(h.query_by_label("Fast light 201").is_none());
    let row = h.get_by_label("Fast light 202").rect();
    click_at(&mut h, row.left_top() + vec2(90.0, 14.0));
    assert_eq!(state(&h).session.view.shown.selected, Some(light(0, 1)));
    // The other level has its own lights.
    run(&mut h, Action::Level { backwards: false });
    h.get_by_label("Switch Fast light 202").click();
    h.run();
    assert_eq!(
        state(&h).session.view.shown.lights,
        settings(&[([1, 1], 0)])
    );
}

// ---- Octree ------------------------------------------------------------------------------------

#[test]
fn the_tree_opens_to_what_is_selected_in_the_view() {
    let mut h = with_panel(Panel::Octree);
    assert!(h.query_by_label("Cube 35").is_none());
    // A face of the fourth cube of the fifth chunk.
    let face = face(4, 3, 2);
    ask(&mut h, Request::Select(Some(face)));
    let line = h.get_by_label("Cube 35");
    assert_eq!(line.accesskit_node().is_selected(), Some(true));
    assert!(h.query_by_label("Cube 8").is_none(), "others stay closed");
    h.get_by_label("Cube 32").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.selected, Some(cube(4, 0)));
}

#[test]
fn the_tree_is_walked_with_the_keyboard_and_hovering_points() {
    let mut h = with_panel(Panel::Octree);
    h.get_by_label("Chunk 0, 0").click();
    h.run();
    for (key, focused) in [
        (Key::ArrowDown, "Chunk 0, 1"),
        (Key::ArrowRight, "Chunk 0, 1"),
        (Key::ArrowRight, "Cube 8"),
        (Key::ArrowDown, "Cube 9"),
        (Key::ArrowLeft, "Chunk 0, 1"),
        (Key::ArrowLeft, "Chunk 0, 1"),
        (Key::ArrowDown, "Chunk 0, 2"),
    ] {
        press(&mut h, Modifiers::NONE, key);
        assert!(h.get_by_label(focused).is_focused(), "{key:?} to {focused}");
    }
    assert_eq!(state(&h).session.view.shown.selected, Some(chunk(0, 2)));
    h.get_by_label("Chunk 1, 1").hover();
    h.run();
    assert_eq!(state(&h).session.pointer.hovered, Some(chunk(0, 4)));
}

#[test]
fn the_tabs_of_a_level_have_room_beside_each_other() {
    let h = with_panel(Panel::Octree);
    let left = Panel::ALL.iter().filter(|panel| panel.dock() == Dock::Left);
    let left = left.filter(|panel| state(&h).session.offers(**panel));
    let tabs: Vec<_> = left
        .map(|panel| place(&h, &format!("tab-{}", panel.id())))
        .collect();
    let dock = place(&h, "left-dock");
    assert!(
        tabs.len() == 4 && tabs.iter().all(|tab| dock.contains_rect(*tab)),
        "{tabs:?}"
    );
}

#[test]
fn tabs_that_have_no_room_stay_in_one_row_and_are_reached_by_clicks_alone() {
    for (dock, width) in [(Dock::Left, 640.0), (Dock::Bottom, 300.0)] {
        let mut h = picture_of_rooms(vec2(width, 400.0), 2.0);
        let panels = Panel::ALL.iter().copied();
        let panels =
            panels.filter(|panel| panel.dock() == dock && state(&h).session.offers(*panel));
        let panels: Vec<_> = panels.collect();
        h.state_mut().state.settings.dock_mut(dock).open = Some(panels[0]);
        h.run();
        let tab = |h: &Rooms, panel: Panel| place(h, &format!("tab-{}", panel.id()));
        let name = if dock == Dock::Left {
            "left-dock"
        } else {
            "bottom-dock"
        };
        let room = place(&h, name);
        let last = tab(&h, panels[panels.len() - 1]);
        assert!(last.right() > room.right(), "{dock:?} has room for all");
        for around in panels.windows(2).map(|pair| [pair[0], pair[1]]) {
            let tabs = around.map(|panel| tab(&h, panel));
            assert_eq!(tabs[0].top(), tabs[1].top());
            let close = format!("Close {}", around[0].name());
            let close = h.get_by_label(&close).rect();
            let in_sight = room.with_max_x(close.left());
            assert!(in_sight.contains_rect(tabs[0]), "{around:?}: {tabs:?}");
            let next = tabs[1].intersect(in_sight);
            assert!(next.width() > 10.0, "{around:?}: {tabs:?}");
            click_at(&mut h, next.center());
            assert!(state(&h).is_panel_open(around[1]), "{around:?}");
        }
        keep_picture(&mut h, &format!("tabs-{name}"));
    }
}

#[test]
fn the_selection_stays_in_sight_when_the_tree_has_less_room() {
    let mut h = with_panel(Panel::Octree);
    for chunk in 0..3 {
        ask(&mut h, Request::Select(Some(cube(chunk, 7))));
    }
    let before = h.get_by_label("Cube 23").rect();
    assert!(place(&h, "octree").contains_rect(before));
    run(&mut h, Action::Panel(Panel::Lightmaps));
    let room = place(&h, "octree");
    assert!(before.top() > room.bottom(), "it has to be brought back");
    let row = h.get_by_label("Cube 23").rect();
    assert!(room.contains_rect(row), "{row:?} in {room:?}");
}

#[test]
fn cubes_are_found_by_index() {
    let mut h = with_panel(Panel::Octree);
    type_into(&mut h, Role::TextInput, "41");
    h.get_by_label("1 match");
    assert!(h.query_by_label("Chunk 0, 0").is_none());
    h.get_by_label("Cube 41").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.selected, Some(cube(5, 1)));
    type_into(&mut h, Role::TextInput, "99");
    h.get_by_label("No match for `4199`");
    // Without a search the tree is open at the search result.
    h.get_by_role(Role::TextInput).focus();
    h.run();
    press(&mut h, Modifiers::COMMAND, Key::A);
    press(&mut h, Modifiers::NONE, Key::Backspace);
    h.get_by_label("Cube 40");
    h.get_by_label("Chunk 0, 0");
}

#[test]
fn the_depth_of_cells_is_chosen_and_shows_them() {
    let mut h = with_panel(Panel::Octree);
    h.get_by_role_and_label(Role::Slider, "Depth of the cells")
        .set_value_accesskit(3.0);
    h.run();
    assert_eq!(state(&h).session.view.shown.cell_depth, Some(3));
    assert!(
        state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Cells)
    );
    h.get_by_role_and_label(Role::Slider, "Depth of the cells")
        .set_value_accesskit(13.0);
    h.run();
    assert_eq!(
        state(&h).session.view.shown.cell_depth,
        None,
        "the ends of the tree"
    );
    h.get_by_label("Cells").click();
    h.run();
    assert!(
        !state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Cells)
    );
}

// ---- Chunk map ---------------------------------------------------------------------------------

/// Returns the centre of the chunk map, and the distance between neighbouring chunks from straight
/// above.
fn map_from_above(h: &mut Rooms) -> (Pos2, f32) {
    run(h, Action::View(mapscope_scene::camera::NamedView::Top));
    let rect = h.get_by_label("Map of the chunks").rect();
    (
        rect.center(),
        (rect.width().min(rect.height()) - 28.0) / 3.0,
    )
}

#[test]
fn chunks_are_pointed_at_selected_and_framed_on_their_map() {
    let mut h = with_panel(Panel::ChunkMap);
    let (middle, step) = map_from_above(&mut h);
    move_to(&mut h, middle);
    assert_eq!(state(&h).session.pointer.hovered, Some(chunk(0, 4)));
    h.get_by_label_contains("Triangles: 48");
    // East is on the right, north above.
    for (aside, number) in [(vec2(step, 0.0), 7), (vec2(0.0, step), 3)] {
        click_at(&mut h, middle + aside);
        assert_eq!(
            state(&h).session.view.shown.selected,
            Some(chunk(0, number))
        );
    }
    let far = state(&h).session.view.camera.distance();
    h.run_steps(40);
    let at = middle + vec2(step, 0.0);
    move_to(&mut h, at);
    // In one frame, because frames of a test are far apart in time.
    for pressed in [true, false, true, false] {
        h.input_mut().events.push(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    h.run();
    assert!(state(&h).session.view.camera.distance() < far * 0.8);
}

#[test]
fn the_chunk_map_is_turned_by_itself_and_follows_the_view_again() {
    let mut h = with_panel(Panel::ChunkMap);
    let (middle, step) = map_from_above(&mut h);
    let follow = |h: &Rooms| {
        let button = h.get_by_label("Follow the view");
        button.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True)
    };
    assert!(follow(&h));
    let pose = state(&h).session.view.camera.pose;
    drag_from(&mut h, middle, middle + vec2(0.0, -170.0));
    assert_eq!(state(&h).session.view.camera.pose, pose, "the view stays");
    assert!(!follow(&h));
    move_to(&mut h, middle + vec2(0.0, step));
    assert_ne!(
        state(&h).session.pointer.hovered,
        Some(chunk(0, 3)),
        "it is lower now"
    );
    h.get_by_label("Follow the view").click();
    h.run();
    move_to(&mut h, middle + vec2(0.0, step));
    assert_eq!(state(&h).session.pointer.hovered, Some(chunk(0, 3)));
}

#[test]
fn the_legend_of_the_chunk_map_has_the_numbers_of_the_measure() {
    let mut h = with_panel(Panel::ChunkMap);
    h.get_by_label("8");
    h.get_by_label("Bytes").click();
    h.run();
    h.get_by_label("8\u{202f}000");
    h.get_by_label("1 cannot be read");
    h.get_by_label("1 damaged");
}

#[test]
fn a_map_of_thousands_of_chunks_is_drawn_as_one() {
    let mut h = with_panel(Panel::ChunkMap);
    let shapes = |h: &Rooms| h.output().shapes.len();
    let few = shapes(&h);
    h.state_mut().state.session.view.shown.level = MANY;
    h.run();
    h.get_by_label("4\u{202f}096 chunks");
    let many = shapes(&h);
    assert!(many < few + 500, "{many} shapes instead of {few}");
}

// ---- Lightmaps ---------------------------------------------------------------------------------

/// Returns the window position of a UV position of the lightmap.
fn on_sheet(h: &Rooms, name: &str, u: f32, v: f32) -> Pos2 {
    let place = h.get_by_label(&format!("Image of {name}")).rect();
    let size = vec2(16.0, 8.0);
    let fit = (place.width() / size.x).min(place.height() / size.y) * 0.96;
    place.center() + vec2(u - 0.5, v - 0.5) * size * fit
}

#[test]
fn faces_on_a_lightmap_are_pointed_at_and_selected() {
    let mut h = with_panel(Panel::Lightmaps);
    let faces = lightmap_faces(lightmap(0, 0));
    let at = on_sheet(&h, "Lightmap 0", 0.25, 0.5);
    click_at(&mut h, at);
    assert_eq!(state(&h).session.view.shown.selected, Some(faces[0].item));
    let at = on_sheet(&h, "Lightmap 0", 0.8, 0.2);
    move_to(&mut h, at);
    assert_eq!(state(&h).session.pointer.hovered, Some(faces[1].item));
    let at = on_sheet(&h, "Lightmap 0", 0.5, 0.5);
    move_to(&mut h, at);
    assert_eq!(state(&h).session.pointer.hovered, None, "between them");
}

#[test]
fn what_is_selected_in_the_view_shows_its_lightmap() {
    let mut h = with_panel(Panel::Lightmaps);
    let face = lightmap_faces(lightmap(0, 1))[1].item;
    ask(&mut h, Request::Select(Some(face)));
    h.get_by_label("Image of Lightmap 1");
    h.get_by_label("Lightmap 0").click();
    h.run();
    h.get_by_label("Image of Lightmap 0");
    assert_eq!(state(&h).session.view.shown.selected, Some(lightmap(0, 0)));
    run(&mut h, Action::Panel(Panel::Outliner));
    type_into(&mut h, Role::TextInput, "map 1");
    assert!(h.query_by_label("Lightmap 0").is_none());
}

#[test]
fn the_wheel_comes_nearer_to_what_is_under_the_pointer() {
    let mut h = with_panel(Panel::Lightmaps);
    let faces = lightmap_faces(lightmap(0, 0));
    let camera = state(&h).session.view.camera;
    let at = on_sheet(&h, "Lightmap 0", 0.9, 0.5);
    move_to(&mut h, at);
    h.input_mut().events.push(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, 8.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    h.run();
    assert_eq!(state(&h).session.view.camera, camera);
    // The point under the pointer stays there, and the other face has left the view.
    move_to(&mut h, at);
    assert_eq!(state(&h).session.pointer.hovered, Some(faces[1].item));
    let left = h.get_by_label("Image of Lightmap 0").rect().center();
    move_to(&mut h, left);
    assert_eq!(state(&h).session.pointer.hovered, Some(faces[1].item));
    h.get_by_label("Fit").click();
    h.run();
    let at = on_sheet(&h, "Lightmap 0", 0.25, 0.5);
    move_to(&mut h, at);
    assert_eq!(state(&h).session.pointer.hovered, Some(faces[0].item));
}

// ---- Hiding ------------------------------------------------------------------------------------

#[test]
fn materials_are_hidden_by_their_eyes_and_by_commands() {
    let mut h = with_rooms();
    h.get_by_label("Show Plaster").click();
    h.run();
    let plaster = material(1);
    assert_eq!(state(&h).session.view.shown.hidden, [plaster]);
    h.get_by_label("1 hidden").click();
    h.run();
    assert!(state(&h).session.view.shown.hidden.is_empty());
    // Hiding a face hides its material.
    ask(&mut h, Request::Select(Some(face(0, 1, 1))));
    press(&mut h, Modifiers::NONE, Key::H);
    assert_eq!(state(&h).session.view.shown.hidden, [plaster]);
    assert_eq!(state(&h).session.view.shown.selected, None);
    ask(&mut h, Request::Select(Some(chunk(0, 2))));
    press(&mut h, Modifiers::NONE, Key::H);
    assert_eq!(state(&h).session.view.shown.hidden, [plaster, chunk(0, 2)]);
    h.get_by_label("Show Plaster").click();
    h.run();
    assert_eq!(state(&h).session.view.shown.hidden, [chunk(0, 2)]);
    press(&mut h, Modifiers::ALT, Key::H);
    assert!(state(&h).session.view.shown.hidden.is_empty());
    assert!(!state(&h).is_enabled(Action::ShowAll));
}

// ---- Views -------------------------------------------------------------------------------------

#[test]
fn views_of_a_level_have_commands_under_the_names_it_gives_them() {
    let mut h = with_rooms();
    press(&mut h, Modifiers::ALT, Key::Num1);
    assert!(
        state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Lightmap)
    );
    press(&mut h, Modifiers::ALT, Key::Num5);
    assert!(
        state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Unlit)
    );
    assert!(
        !state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Lightmap)
    );
    run(&mut h, Action::Overlay(OverlayId::Wireframe));
    press(&mut h, Modifiers::ALT, Key::Num0);
    assert!(
        !state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Unlit)
    );
    assert!(
        state(&h)
            .session
            .view
            .shown
            .overlays
            .contains(OverlayId::Wireframe),
        "only what colours"
    );
    h.get_by_label("Overlays").click();
    h.run();
    h.get_by_label_contains("Full bright");
    assert!(h.query_by_label_contains("Unlit").is_none());
    assert!(h.query_by_label_contains("Tile types").is_none());
}

#[test]
fn panels_of_levels_are_offered_for_levels_only() {
    let panels = [
        Panel::Octree,
        Panel::Lights,
        Panel::ChunkMap,
        Panel::Lightmaps,
    ];
    let rooms = with_rooms();
    let terrain = crate::viewer::testing::with_demo();
    for panel in panels {
        assert!(state(&rooms).session.offers(panel));
        assert!(!state(&terrain).session.offers(panel), "{panel:?}");
        let command = commands::of(Action::Panel(panel)).unwrap();
        assert!(!state(&terrain).is_enabled(command.action));
    }
    for action in [Action::Cut, Action::Level { backwards: false }] {
        assert!(state(&rooms).is_enabled(action) && !state(&terrain).is_enabled(action));
    }
}

// ---- Pictures ----------------------------------------------------------------------------------

/// Asserts that all recorded rectangles whose names start with `of` are inside the window.
#[track_caller]
fn assert_inside(h: &Rooms, of: &str) {
    let inside = h.ctx.content_rect();
    for (name, rect) in &h.state().placed.rects {
        let whole = !name.starts_with(of) || inside.contains_rect(*rect);
        assert!(whole, "{name} is at {rect:?} in {inside:?}");
    }
}

#[test]
fn everything_is_in_its_place_in_small_and_large_windows() {
    let sizes = [
        (vec2(1280.0, 800.0), 1.0),
        (vec2(800.0, 600.0), 1.0),
        (vec2(640.0, 520.0), 2.0),
    ];
    for (size, scale) in sizes {
        let name = |what: &str| format!("level-{what}-{}-{scale}", size.x);
        for (what, left, bottom) in [
            ("octree", Panel::Octree, Panel::ChunkMap),
            ("lights", Panel::Lights, Panel::Lightmaps),
        ] {
            let mut h = picture_of_rooms(size, scale);
            let settings = &mut h.state_mut().state.settings;
            settings.left.open = Some(left);
            settings.bottom.open = Some(bottom);
            ask(&mut h, Request::Select(Some(face(4, 3, 0))));
            run(&mut h, Action::Cut);
            assert_inside(&h, "cut");
            assert_inside(&h, "level");
            keep_picture(&mut h, &name(what));
        }
        let mut h = picture_of_rooms(size, scale);
        ask(&mut h, Request::Hide(material(1), true));
        for title in ["View", "Overlays"] {
            h.get_by_label(title).click();
            h.run();
            keep_picture(&mut h, &name(&title.to_lowercase()));
            press(&mut h, Modifiers::NONE, Key::Escape);
        }
        run(&mut h, Action::CheatSheet);
        keep_picture(&mut h, &name("keys"));
    }
}

#[test]
fn the_cheat_sheet_keeps_its_size() {
    let mut h = with_rooms();
    run(&mut h, Action::CheatSheet);
    let row = |h: &Rooms| h.get_by_label("Show keys and pointer").rect();
    let close = |h: &Rooms| h.get_by_label("Close window").rect();
    let before = (row(&h), close(&h));
    for x in 0..8 {
        move_to(&mut h, egui::pos2(300.0 + 30.0 * x as f32, 300.0));
    }
    assert_eq!((row(&h), close(&h)), before);
}

#[test]
fn a_light_or_a_material_is_shown_alone_and_with_the_others_again() {
    let mut h = with_rooms();
    let lights = super::rooms::lights(0);
    assert!(lights.len() > 1);
    let select = |h: &mut Rooms, item| h.state_mut().state.session.select(Some(item));
    select(&mut h, lights[1].item);
    let brightness = |h: &Rooms| -> Vec<u8> {
        let set = &state(h).session.view.shown.lights;
        let now = |light: &mapscope_scene::Light| set.get(light.item).unwrap_or(light.intensity);
        lights.iter().map(now).collect()
    };
    let before = brightness(&h);
    run(&mut h, Action::Solo);
    let alone = brightness(&h);
    let expected = lights.iter().enumerate();
    let expected = expected.map(|(at, light)| if at == 1 { light.full } else { 0 });
    assert_eq!(alone, expected.collect::<Vec<u8>>());
    run(&mut h, Action::Solo);
    assert_eq!(brightness(&h), before);
}
