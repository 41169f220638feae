//! Tests of models attached to joints.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::kittest::Queryable as _;

use super::{joint, loaded, window};
use crate::view_request::{Attachment, ViewRequest};
use crate::viewer::commands::{find, script};
use crate::viewer::io::{attach, drop_preview};
use crate::viewer::state::load::{Cause, Loaded};
use crate::viewer::state::settings::Settings;
use crate::viewer::state::{Effect, State};
use mapscope_formats::pfobj;
use mapscope_scene::{Document, OpenOptions, OutlineNode, Progress, Shown, Source};
use mapscope_testdata::tiny_model;

/// Opens the tiny model as a file with joints of these names.
fn host(joints: [&str; 3]) -> Arc<dyn Document> {
    let mut host = tiny_model();
    for (joint, name) in host.joints.iter_mut().zip(joints) {
        name.clone_into(&mut joint.name);
    }
    let source = Source {
        path: "made.pfobj".into(),
        bytes: pfobj::write(&host).into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

const JOINTS: [&str; 3] = ["root", "arm", "hand"];

/// A state with that model, of which the hand is selected.
fn opened(settings: Settings, request: ViewRequest) -> State {
    let mut state = State::new(settings, request);
    state.loaded(loaded(host(JOINTS), false));
    state.session.shape_view(1.5);
    state.session.select(Some(joint(2)));
    state
}

fn with_hand() -> State {
    opened(Settings::default(), ViewRequest::default())
}

fn sword(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, pfobj::write(&tiny_model())).unwrap();
    path
}

/// Reads the requested models. Returns their number.
fn read(state: &mut State) -> usize {
    let mut count = 0;
    for effect in std::mem::take(&mut state.effects) {
        if let Effect::Attach(request) = effect {
            count += request.paths.len();
            state.attached(attach::run(request));
        }
    }
    count
}

/// The attached models in the outline: names of model and joint.
fn listed(state: &State) -> Vec<(String, String)> {
    let outline = state.session.document().unwrap().outline();
    let heading = outline.iter().find(|line| line.label == "Attached");
    let lines = heading.into_iter().flat_map(|line| &line.children);
    let names = |line: &OutlineNode| (line.label.clone(), line.note.clone());
    lines.map(names).collect()
}

fn pair(model: &str, joint: &str) -> (String, String) {
    (model.to_owned(), joint.to_owned())
}

/// The number of attached models that are drawn.
fn drawn(state: &State) -> usize {
    let mut count = 0;
    let document = state.session.document().unwrap();
    document.for_each_drawable(&Shown::default(), &mut |drawable| {
        count += usize::from(drawable.is_attached) * drawable.placements.len();
    });
    count
}

fn toast(state: &State) -> &str {
    &state.notices.toasts.last().unwrap().text
}

fn is_opening(state: &State) -> bool {
    let is_load = |effect: &Effect| matches!(effect, Effect::Load(_));
    state.effects.iter().any(is_load)
}

#[test]
fn dropped_models_are_attached_only_to_a_selected_joint() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = ["a.pfobj", "b.pfobj"].map(|name| sword(dir.path(), name));
    let mut state = with_hand();
    state.effects.clear();
    let joint_of = |state: &State, paths: &[PathBuf]| {
        let joint = state.session.joint_for_drop(paths)?;
        let preview = drop_preview::preview_attach(paths, joint)?;
        Some((preview.title, preview.detail))
    };
    let (title, detail) = joint_of(&state, &[a.clone(), b.clone()]).unwrap();
    assert_eq!(title, "Attach to joint hand");
    assert!(detail.starts_with("2 models; "), "{detail}");
    state.drop_paths(&[a.clone(), b.clone()]);
    assert!(!is_opening(&state) && state.session.is_attaching());
    assert_eq!(drawn(&state), 0, "they are not read yet");
    let version = state.session.open.as_ref().unwrap().version;
    assert_eq!(read(&mut state), 2);
    assert!(!state.session.is_attaching());
    let both = [pair("a.pfobj", "hand"), pair("b.pfobj", "hand")];
    assert_eq!(listed(&state), both);
    assert_eq!(drawn(&state), 2);
    assert_ne!(state.session.open.as_ref().unwrap().version, version);
    assert_eq!(state.session.view.shown.selected, Some(joint(2)));
    assert!(state.effects.contains(&Effect::Watch));
    let watched = &state.session.document().unwrap().about().dependencies;
    assert!(watched.contains(&a) && watched.contains(&b));
    // The same model at the same joint stays one, and another joint gets its own.
    state.drop_paths(std::slice::from_ref(&a));
    state.session.select(Some(joint(0)));
    state.drop_paths(std::slice::from_ref(&a));
    read(&mut state);
    assert_eq!(drawn(&state), 3);
    assert_eq!(listed(&state)[2], pair("a.pfobj", "root"));

    // Anything else is opened.
    for (selected, paths) in [
        (None, vec![a.clone()]),
        (Some(joint(1)), vec![a, dir.path().join("c.pfmap")]),
        (Some(joint(1)), vec![dir.path().to_owned()]),
    ] {
        state.session.select(selected);
        state.effects.clear();
        assert_eq!(joint_of(&state, &paths), None);
        state.drop_paths(&paths);
        assert!(is_opening(&state), "{paths:?}");
    }
}

#[test]
fn a_file_that_cannot_be_attached_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let good = sword(dir.path(), "good.pfobj");
    let broken = dir.path().join("broken.pfobj");
    std::fs::write(&broken, "version none").unwrap();
    let map = dir.path().join("map.pfmap");
    std::fs::write(&map, mapscope_testdata::synthesize::pfmap(1, 1, 1)).unwrap();
    let mut state = with_hand();
    state.attach(std::slice::from_ref(&good));
    read(&mut state);
    for (path, why) in [
        (broken, "broken.pfobj: "),
        (map, "map.pfmap: it is not a model"),
        (dir.path().join("gone.pfobj"), "gone.pfobj: "),
    ] {
        state.attach(&[path]);
        read(&mut state);
        assert!(toast(&state).starts_with(why), "{}", toast(&state));
        assert_eq!(listed(&state), [pair("good.pfobj", "hand")]);
        assert!(!state.session.is_attaching());
    }
    // An attached file that is damaged later stays as it was.
    std::fs::write(&good, "version none").unwrap();
    state.loaded(loaded(host(JOINTS), true));
    assert_eq!(read(&mut state), 1);
    assert!(toast(&state).starts_with("good.pfobj: "));
    assert_eq!((drawn(&state), listed(&state).len()), (1, 1));
    // Without a joint, nothing is attached.
    state.session.select(None);
    state.attach(&[good]);
    assert_eq!(read(&mut state), 0);
    assert_eq!(toast(&state), "Select the joint to attach the model to");
}

#[test]
fn a_reload_keeps_attached_models_unless_their_joint_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = ["a.pfobj", "b.pfobj"].map(|name| sword(dir.path(), name));
    let mut state = with_hand();
    state.attach(&[a]);
    state.session.select(Some(joint(1)));
    state.attach(&[b]);
    read(&mut state);
    // The joints come in another order, so their indices change.
    state.loaded(loaded(host(["hand", "root", "arm"]), true));
    let both = [pair("a.pfobj", "hand"), pair("b.pfobj", "arm")];
    assert_eq!((listed(&state), drawn(&state)), (both.to_vec(), 2));
    assert_eq!(read(&mut state), 2, "their files may have changed too");
    assert_eq!(listed(&state), both);

    state.loaded(loaded(host(["fist", "root", "arm"]), true));
    let text = "a.pfobj was detached: made.pfobj has no joint `hand`";
    let texts: Vec<&str> = state.notices.toasts.iter().map(|it| &*it.text).collect();
    assert!(texts.contains(&text), "{texts:?}");
    assert_eq!(read(&mut state), 1);
    assert_eq!(listed(&state), both[1..]);
    // A version that is kept because the next one is worse keeps its models.
    assert_eq!(drawn(&state), 1);
}

#[test]
fn models_of_a_joint_or_all_of_them_are_detached() {
    let dir = tempfile::tempdir().unwrap();
    let a = sword(dir.path(), "a.pfobj");
    let mut state = with_hand();
    let [attach, detach] = ["animation.attach", "animation.detach"].map(|id| find(id).unwrap());
    let offered = |state: &State| [attach, detach].map(|it| state.is_enabled(it.action));
    assert_eq!(offered(&state), [true, false]);
    for index in 0..3 {
        state.session.select(Some(joint(index)));
        state.attach(std::slice::from_ref(&a));
    }
    read(&mut state);
    assert_eq!((drawn(&state), offered(&state)), (3, [true, true]));
    state.run(detach.action);
    assert_eq!((drawn(&state), offered(&state)), (2, [true, false]));
    state.session.select(None);
    assert_eq!(offered(&state), [false, true]);
    state.run(detach.action);
    assert_eq!((drawn(&state), offered(&state)), (0, [false, false]));
    assert!(listed(&state).is_empty());
    let open = state.session.open_file().unwrap();
    assert!(Arc::ptr_eq(&open.document, &open.host));
}

#[test]
fn attached_models_are_kept_with_the_view() {
    let dir = tempfile::tempdir().unwrap();
    let a = sword(dir.path(), "a.pfobj");
    let mut state = with_hand();
    state.attach(std::slice::from_ref(&a));
    read(&mut state);
    let kept = state.settings_to_keep();
    let text = serde_json::to_string(&kept).unwrap();
    let settings: Settings = serde_json::from_str(&text).unwrap();
    let mut again = opened(settings.clone(), ViewRequest::default());
    assert_eq!(read(&mut again), 1);
    assert_eq!(listed(&again), [pair("a.pfobj", "hand")]);
    // A return in the history attaches them too; another file has none.
    let mut other = loaded(host(JOINTS), false);
    other.loaded = Some(Loaded::new("other.pfobj".into(), host(JOINTS)));
    again.loaded(other);
    assert_eq!((read(&mut again), drawn(&again)), (0, 0));
    let mut back = loaded(host(JOINTS), false);
    back.request.cause = Cause::Return { backwards: true };
    again.loaded(back);
    assert_eq!((read(&mut again), drawn(&again)), (1, 1));
    // The command line has precedence.
    let request = ViewRequest {
        attach: vec!["arm=b.pfobj".parse().unwrap()],
        ..ViewRequest::default()
    };
    let again = opened(settings.clone(), request);
    let at = &again.session.attached()[0].at;
    assert_eq!((again.session.attached().len(), &*at.joint), (1, "arm"));
    assert!(at.path.is_absolute() && at.path.ends_with("b.pfobj"));
    let mut forgets = settings;
    forgets.remembers_views = false;
    assert_eq!(read(&mut opened(forgets, ViewRequest::default())), 0);
}

#[test]
fn an_attachment_is_written_as_joint_and_file() {
    let parse = str::parse::<Attachment>;
    let at = parse("hand_r=a=b.pfobj").unwrap();
    assert_eq!(
        (&*at.joint, at.path.to_str()),
        ("hand_r", Some("a=b.pfobj"))
    );
    for wrong in ["hand", "=a.pfobj", "hand=", ""] {
        let why = parse(wrong).unwrap_err();
        assert!(why.starts_with("expected a joint and a file"), "{why}");
    }
}

#[test]
fn a_script_attaches_only_in_a_window() {
    let host = host(JOINTS);
    let attach = "select.go-to joint:hand; animation.attach sword.pfobj";
    let error = script::view_after(attach, &host, &ViewRequest::default(), 1.5).unwrap_err();
    assert!(
        error.ends_with("`animation.attach`: it needs a window"),
        "{error}"
    );
}

#[test]
fn the_outliner_and_the_inspector_name_attached_models() {
    let dir = tempfile::tempdir().unwrap();
    let a = sword(dir.path(), "a.pfobj");
    let mut h = window(|state| {
        *state = with_hand();
        state.attach(&[a]);
        read(state);
    });
    h.state_mut()
        .state
        .show_panel(crate::viewer::docks::Panel::Inspector);
    h.run();
    let named = h.query_all_by_label_contains("a.pfobj").count();
    assert!(named > 0, "the inspector names it");
    h.state_mut()
        .state
        .show_panel(crate::viewer::docks::Panel::Outliner);
    h.run();
    assert!(h.query_all_by_label_contains("Attached").count() > 0);
}
