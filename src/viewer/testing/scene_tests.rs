//! Tests of scenes in the window.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;

use super::{Window, built, press, state};
use crate::view_request::ViewRequest;
use crate::viewer::commands;
use crate::viewer::docks::Panel;
use crate::viewer::state::load::{Cause, LoadRequest, Loaded, Outcome, Target};
use crate::viewer::state::settings::Settings;
use crate::viewer::state::{Effect, State};
use mapscope_scene::{
    Document, MapChoice, ModelItem, OpenOptions, Progress, SceneItem, Source, TerrainItem,
};
use mapscope_testdata::tiny_scene::{SCENE, bitmap, sound_scene, write_game, write_skybox};

const GUARD: SceneItem = SceneItem::Entity { index: 0 };

/// Opens the small scene, with playback stopped.
fn open(state: &mut State) {
    open_text(state, &sound_scene());
}

/// Opens a scene with the given text.
fn open_text(state: &mut State, scene: &str) {
    let folder = tempfile::tempdir().unwrap();
    open_in(folder.path(), scene, state);
}

/// Opens a scene with the given text in a folder.
pub(super) fn open_in(folder: &Path, scene: &str, state: &mut State) {
    open_scene(write_game(folder, scene).unwrap(), state);
}

/// Opens a scene file.
pub(super) fn open_scene(path: PathBuf, state: &mut State) {
    let source = Source::read(&path).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let document = mapscope_scene::open(&source, &options, &progress).unwrap();
    state.settings = Settings::default();
    state.session.plays_at_once = false;
    take(state, path, document);
}

/// Loads an opened document.
fn take(state: &mut State, path: PathBuf, document: Arc<dyn Document>) {
    state.loaded(Outcome {
        request: LoadRequest {
            target: Target::Paths(vec![path.clone()]),
            cause: Cause::Opened,
            map: MapChoice::Beside,
        },
        loaded: Some(Loaded::new(path, document)),
        failures: Vec::new(),
        number: 1,
    });
    state.effects.clear();
}

fn with_scene() -> Harness<'static, Window> {
    // Short steps, so that two clicks are a double click.
    let builder = Harness::builder().with_size(vec2(1200.0, 800.0));
    built(builder.with_step_dt(0.02), open)
}

/// Clicks the first line of the tree with the given name.
fn click(h: &mut Harness<'_, Window>, name: &str) {
    h.get_all_by_label(name).next().unwrap().click();
    h.run();
}

#[test]
fn textures_that_were_not_read_yet_are_counted_and_described_once_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let mut h = super::window(|state| {
        open_in(folder.path(), &sound_scene(), state);
        let part = ModelItem::Material { index: 0 };
        state
            .session
            .select(Some(SceneItem::Part { entity: 0, part }.into()));
    });
    h.run();
    assert!(h.query_by_label("Reading textures: 0 of 2").is_some());
    assert!(h.query_by_label("not read yet").is_some());
    let document = state(&h).session.document().unwrap().clone();
    document.wait_until_complete();
    h.run();
    assert!(h.query_by_label_contains("Reading textures").is_none());
    assert!(h.query_by_label("8 x\u{a0}8 pixels").is_some());
}

#[test]
fn what_is_wrong_with_an_image_of_the_sky_is_listed_once_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let sky = folder.path().join("assets/skyboxes/clouds_blue");
    write_skybox(&sky, 8).unwrap();
    let cut = bitmap(8, |_, _| [0; 3]);
    std::fs::write(sky.join("top.jpg"), &cut[..cut.len() - 1]).unwrap();
    let scene = sound_scene().replace("evening sky", "clouds_blue");
    let mut h = super::window(|state| {
        open_in(folder.path(), &scene, state);
        state.settings.bottom.open = Some(Panel::Problems);
    });
    h.run();
    assert!(h.query_by_label_contains("top.jpg").is_none());
    let document = state(&h).session.document().unwrap().clone();
    document.wait_until_complete();
    h.run();
    assert!(h.query_by_label_contains("top.jpg").is_some());
}

#[test]
fn an_entity_is_hidden_with_its_eye_and_with_a_key() {
    let mut h = with_scene();
    click(&mut h, "Show 0 guard");
    assert_eq!(state(&h).session.view.shown.hidden, [GUARD.into()]);
    press(&mut h, Modifiers::ALT, Key::H);
    assert!(state(&h).session.view.shown.hidden.is_empty());
    let faction = SceneItem::Faction { index: 1 }.into();
    h.state_mut().state.session.select(Some(faction));
    press(&mut h, Modifiers::NONE, Key::H);
    assert_eq!(state(&h).session.view.shown.hidden, [faction]);
    assert_eq!(state(&h).session.view.shown.selected, None);
    let document = state(&h).session.document().unwrap();
    assert!(document.is_hidden(GUARD.into(), &state(&h).session.view.shown));
}

#[test]
fn a_camera_is_looked_through_at_a_double_click_and_with_a_key() {
    let eye = Vec3::new(100.0, 175.0, -50.0);
    let mut h = with_scene();
    assert_ne!(state(&h).session.view.camera.pose.eye, eye);
    for _ in 0..2 {
        h.get_by_label("above").click();
    }
    h.run();
    let camera = SceneItem::Camera { index: 0 }.into();
    assert_eq!(state(&h).session.view.shown.selected, Some(camera));
    assert_eq!(state(&h).session.view.camera.pose.eye, eye);
    assert_eq!(state(&h).session.view.field_of_view(), 45.0);
    let before = state(&h).session.view.camera.forward();
    h.state_mut().state.session.frame_all();
    assert_ne!(state(&h).session.view.camera.pose.eye, eye);
    press(&mut h, Modifiers::SHIFT, Key::V);
    assert_eq!(state(&h).session.view.camera.pose.eye, eye);
    assert!(state(&h).session.view.camera.forward().distance(before) < 1e-3);
    click(&mut h, "Look through");
    h.state_mut().state.session.select(Some(GUARD.into()));
    h.run();
    assert!(h.query_by_label("Look through").is_none());
}

#[test]
fn the_search_finds_an_entity_once() {
    let mut h = with_scene();
    assert!(
        h.get_all_by_label("0 guard").count() > 1,
        "by faction, class and model"
    );
    let field = h.get_all_by_role(egui::accesskit::Role::TextInput).next();
    field.unwrap().focus();
    h.run();
    h.get_all_by_role(egui::accesskit::Role::TextInput)
        .next()
        .unwrap()
        .type_text("0 gua");
    h.run();
    assert_eq!(h.get_all_by_label("0 guard").count(), 1);
    assert!(h.query_by_label("1 match").is_some());
}

#[test]
fn the_model_of_an_entity_is_opened() {
    let mut h = with_scene();
    let asked = |h: &mut Harness<'_, Window>| {
        let effects = std::mem::take(&mut h.state_mut().state.effects);
        effects.into_iter().any(|effect| match effect {
            Effect::Load(LoadRequest {
                target: Target::Paths(paths),
                ..
            }) => paths[0].ends_with("assets/models/guard.pfobj"),
            _ => false,
        })
    };
    press(&mut h, Modifiers::COMMAND, Key::Enter);
    assert!(!asked(&mut h), "nothing is selected");
    h.state_mut().state.session.select(Some(GUARD.into()));
    press(&mut h, Modifiers::COMMAND, Key::Enter);
    assert!(asked(&mut h));
    for _ in 0..2 {
        h.get_by_label("guard.pfobj").click();
    }
    h.run();
    assert!(asked(&mut h), "a double click on the line of the model");
}

#[test]
fn the_model_of_an_entity_begins_with_the_clip_that_it_plays() {
    let folder = tempfile::tempdir().unwrap();
    let scene = sound_scene().replace("string walk", "string idle");
    let mut h = super::window(|state| open_in(folder.path(), &scene, state));
    let file = folder.path().join("assets/models/guard.pfobj");
    let clip_after = |h: &mut Harness<'_, Window>, asks: &dyn Fn(&mut State)| {
        asks(&mut h.state_mut().state);
        let source = Source::read(&file).unwrap();
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let model = mapscope_scene::open(&source, &options, &progress).unwrap();
        let clips = model.animation().unwrap().clips();
        assert_eq!([&*clips[0].name, &*clips[1].name], ["walk", "idle"]);
        take(&mut h.state_mut().state, file.clone(), model);
        state(h).session.view.shown.playhead.clip
    };
    let by_entity = |state: &mut State| {
        state.session.select(Some(GUARD.into()));
        state.run(commands::find("select.open").unwrap().action);
    };
    assert_eq!(clip_after(&mut h, &by_entity), Some(1));
    // Opened on its own, the model shows its first clip.
    let by_itself = |state: &mut State| state.open_paths(std::slice::from_ref(&file));
    assert_eq!(clip_after(&mut h, &by_itself), Some(0));
}

#[test]
fn escape_goes_from_a_part_to_the_entity_and_then_to_nothing() {
    let mut h = with_scene();
    let part = SceneItem::Part {
        entity: 0,
        part: ModelItem::Joint { index: 2 },
    };
    h.state_mut().state.session.select(Some(part.into()));
    h.run();
    let line = h.get_all_by_label("0 guard").next().unwrap();
    assert!(
        line.accesskit_node().is_selected() == Some(true),
        "its line is marked"
    );
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert_eq!(state(&h).session.view.shown.selected, Some(GUARD.into()));
    press(&mut h, Modifiers::NONE, Key::Escape);
    assert_eq!(state(&h).session.view.shown.selected, None);
}

#[test]
fn the_line_of_a_selection_comes_into_sight_when_its_heading_opens() {
    let rock = |_| {
        "entity rock assets/models/rock.pfobj 3\n   position vec3 9.000000 0.000000 11.000000\n   \
         scale vec3 1.000000 1.000000 1.000000\n   rotation quat 0.000000 0.000000 0.000000 \
         1.000000\n"
    };
    let entities: String = (0..200).map(rock).collect();
    let scene =
        format!("version 1.1\nnum_sections 1\nsection \"entities\"\nnum_entities 200\n{entities}");
    let mut h = built(Harness::builder().with_size([1200.0, 800.0]), |state| {
        open_text(state, &scene);
    });
    assert!(
        h.query_by_label("150 rock").is_none(),
        "its heading is closed"
    );
    let entity = SceneItem::Entity { index: 150 };
    h.state_mut().state.session.select(Some(entity.into()));
    h.run();
    let line = h.get_by_label("150 rock").rect();
    let rects = &h.state().placed.rects;
    let (_, dock) = rects.iter().find(|(name, _)| name == "left-dock").unwrap();
    let middle = dock.top() + dock.height() * 0.6;
    assert!(
        line.top() > dock.top() + 60.0 && line.bottom() < middle,
        "{line} in {dock}"
    );
}

#[test]
fn the_legend_of_missing_models_begins_folded_in_a_small_window() {
    for (size, is_open) in [([640.0, 400.0], false), ([1200.0, 800.0], true)] {
        let h = built(Harness::builder().with_size(size), |state| {
            open_text(state, SCENE);
        });
        assert_eq!(h.query_by_label("Missing model").is_some(), is_open);
        assert!(h.query_all_by_label("Entities").count() > 0);
    }
}

#[test]
fn the_timeline_of_a_scene_tells_the_time_and_the_clip_of_the_selection() {
    let mut h = with_scene();
    assert!(
        h.query_by_label("Frame").is_none(),
        "a frame of all clips is no frame"
    );
    assert!(h.query_by_label("Time").is_some() && h.query_by_label("/ 60 s").is_some());
    h.state_mut().state.session.select(Some(GUARD.into()));
    h.state_mut().state.session.go_to_frame(241.0);
    h.run();
    let both = h.get_all_by_label("walk 1 / 2").count();
    assert_eq!(both, 2, "in the timeline and in the inspector");
}

#[test]
fn an_edit_of_the_map_is_a_change_and_a_broken_map_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = State::new(Settings::default(), ViewRequest::default());
    open_in(folder.path(), &sound_scene(), &mut state);
    let path = folder.path().join("assets/maps/a.pfscene");
    let map = path.with_extension("pfmap");
    let good = std::fs::read_to_string(&map).unwrap();
    let tile = good.find("\n0+").unwrap() + 1;
    let reload = |state: &mut State, text: &str| {
        std::fs::write(&map, text).unwrap();
        let source = Source::read(&path).unwrap();
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&source, &options, &progress).unwrap();
        let outcome = Outcome {
            request: LoadRequest {
                target: Target::Paths(vec![path.clone()]),
                cause: Cause::Changed,
                map: MapChoice::Beside,
            },
            loaded: Some(Loaded::new(path.clone(), document)),
            failures: Vec::new(),
            number: 1,
        };
        state.loaded(outcome);
        for effect in std::mem::take(&mut state.effects) {
            if let Effect::Compare(request) = effect {
                state.compared(crate::viewer::io::compare::run(request));
            }
        }
    };
    let version = |state: &State| state.session.open.as_ref().unwrap().version;
    let first = version(&state);
    for broken in [
        &good[..good.len() / 2],
        "version 1.0\n",
        &good.replacen("\n0+", "\nD+", 1),
    ] {
        reload(&mut state, broken);
        assert_eq!(version(&state), first);
        let on_disk = state.session.on_disk.as_ref().unwrap();
        assert!(on_disk.new.is_some(), "{on_disk:?}");
    }
    let mut edited = good.clone();
    edited.replace_range(tile + 2..tile + 4, "77");
    reload(&mut state, &edited);
    assert_ne!(version(&state), first);
    assert_eq!(state.session.on_disk, None);
    let changes = state.session.tools.comparison.found.clone().unwrap();
    let [change] = &changes.diff.differences[..] else {
        panic!("{changes:?}");
    };
    assert_eq!((change.what, &*change.place), ("tile", "0,0"));
    assert!(!change.fields.is_empty());
    state.show_changes();
    state.follow_panel();
    assert!(!state.session.view.shown.changes.lines().is_empty());
    state.session.show_change(0);
    let selected = TerrainItem::Tile { row: 0, col: 0 };
    assert_eq!(state.session.view.shown.selected, Some(selected.into()));
}
