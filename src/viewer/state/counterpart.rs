//! Maps and their scenes: the map of a scene, and switching between the two.

use std::path::{Path, PathBuf};

use super::interface::{Dialog, PathPurpose};
use super::load::{Cause, LoadRequest, Target};
use super::session::Session;
use super::{Effect, OpenFile, State, folder};
use mapscope_formats::{Severity, pfmap, pfscene};
use mapscope_scene::map_scene::{MapFile, maps_beside};
use mapscope_scene::{Document, MapChoice, SceneItem};

/// Sorts maps in natural order.
fn sort_maps(mut maps: Vec<MapFile>) -> Vec<MapFile> {
    let name = |map: &MapFile| folder::name(&map.path);
    maps.sort_by(|a, b| folder::natural_order(&name(a), &name(b)));
    maps
}

impl Session {
    /// `true` if the open document is a scene.
    pub(crate) fn is_scene(&self) -> bool {
        self.document()
            .is_some_and(|document| is_scene(&**document))
    }

    /// `true` if the open document is a map that may have a scene.
    pub(crate) fn is_terrain(&self) -> bool {
        let format = self.document().map(|document| document.about().format.id);
        format == Some(pfmap::FORMAT.id)
    }

    /// `true` if the user can choose the map of the open scene. Demos have a fixed map.
    pub(crate) fn can_choose_map(&self) -> bool {
        self.is_scene() && self.open_file().is_some_and(|open| open.demo.is_none())
    }

    /// The counterpart of the open file, if any, and the map to use: the scene of a map, or the map
    /// of a scene.
    pub(crate) fn counterpart(&self) -> Option<(PathBuf, MapChoice)> {
        let open = self.open_file().filter(|open| open.demo.is_none())?;
        if is_scene(&*open.document) {
            let map = open.document.file_of(SceneItem::Scene.into())?;
            return Some((map, MapChoice::Beside));
        }
        let scene = open.scene.clone()?;
        Some((scene, MapChoice::File(open.path.clone())))
    }

    /// The reason why the open file has no counterpart, as a sentence. `None` if it has one.
    pub(crate) fn why_no_counterpart(&self) -> Option<String> {
        if self.counterpart().is_some() {
            return None;
        }
        let open = self.open_file()?;
        Some(match (self.is_terrain(), open.demo) {
            (true, None) => {
                let scene = folder::name(&open.path.with_extension(pfscene::FORMAT.endings[0]));
                format!("There is no {scene} beside this map")
            }
            (true, Some(_)) => "This map has no entities".to_owned(),
            (false, _) if self.is_scene() => "This scene has no map file".to_owned(),
            (false, _) => "This file is neither a scene nor a map with a scene".to_owned(),
        })
    }
}

impl State {
    /// Opens the dialog that chooses the map of the scene among the maps of its folder.
    pub(crate) fn ask_for_other_map(&mut self) {
        if let Some(OpenFile { path, .. }) = self
            .session
            .open_file()
            .filter(|_| self.session.can_choose_map())
        {
            self.interface.dialog = Some(Dialog::ChooseMap {
                maps: sort_maps(maps_beside(path)),
                scene: path.clone(),
                is_new: false,
            });
        }
    }

    /// Opens the same dialog for a scene that was just opened, if there are candidates.
    pub(super) fn ask_for_map(&mut self, scene: PathBuf, maps: Vec<MapFile>) {
        if !maps.is_empty() {
            self.interface.dialog = Some(Dialog::ChooseMap {
                scene,
                maps: sort_maps(maps),
                is_new: true,
            });
        }
    }

    /// Closes map dialogs that belong to another file than the open one.
    pub(super) fn close_map_question(&mut self, open: &Path) {
        let is_of_other = |dialog: &mut Dialog| match dialog {
            Dialog::ChooseMap { scene, .. } => scene != open,
            Dialog::Path { purpose, .. } => *purpose == PathPurpose::SceneMap,
            _ => false,
        };
        self.interface.dialog.take_if(is_of_other);
    }

    /// Sets the map of a scene, now and for later loads. The view stays unless the scene was just
    /// opened.
    pub(crate) fn choose_map(&mut self, scene: PathBuf, choice: MapChoice, is_new: bool) {
        self.settings.choose_map(&scene, &choice);
        self.effects.push(Effect::SaveSettings);
        let cause = if is_new { Cause::Opened } else { Cause::Asked };
        self.load_with_map(Target::Paths(vec![scene]), cause, choice);
    }

    /// Switches between a map and its scene. The view stays.
    pub(crate) fn open_counterpart(&mut self) {
        if let Some((path, map)) = self.session.counterpart() {
            self.notices.offers_scene = false;
            self.load_with_map(Target::Paths(vec![path]), Cause::Counterpart, map);
        }
    }

    /// Shows the banner that offers the scene beside an opened map.
    pub(super) fn offer_scene(&mut self, cause: Cause) {
        let has_scene = self
            .session
            .open_file()
            .is_some_and(|open| open.scene.is_some());
        let is_new = matches!(cause, Cause::Opened | Cause::Neighbor);
        self.notices.offers_scene = has_scene && is_new;
    }

    /// Warns if a map was given for a file that is not a scene.
    pub(super) fn warn_of_named_map(&mut self, request: &LoadRequest, document: &dyn Document) {
        if let MapChoice::File(_) = request.map
            && !is_scene(document)
        {
            let format = document.about().format.name;
            let text = format!("--map is only for scenes, but the format of this file is {format}");
            self.notices.toast(text, Some(Severity::Warning));
        }
    }
}

fn is_scene(document: &dyn Document) -> bool {
    document.about().format.id == pfscene::FORMAT.id
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::interface::{PathPurpose, PathSource};
    use super::super::load::{Loaded, Outcome};
    use super::super::settings::{ChosenMap, Settings};
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::Action;
    use crate::viewer::testing::{built, state, window};
    use egui::Role;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use mapscope_scene::{OpenOptions, OverlayId, Progress, Source, TerrainItem};
    use mapscope_testdata::{synthesize, tiny_scene};

    #[test]
    fn maps_to_choose_from_are_in_natural_order() {
        let map = |name: &str| MapFile {
            path: name.into(),
            chunks: None,
        };
        let maps = sort_maps(["cut12.pfmap", "cut0.pfmap", "cut3.pfmap"].map(map).into());
        let names: Vec<_> = maps.iter().map(|map| folder::name(&map.path)).collect();
        assert_eq!(names, ["cut0.pfmap", "cut3.pfmap", "cut12.pfmap"]);
    }

    /// A folder with a map and its scene.
    struct Game(tempfile::TempDir);

    impl Game {
        fn new() -> Self {
            let game = Self(tempfile::tempdir().unwrap());
            std::fs::write(game.path("a.pfmap"), synthesize::pfmap(1, 1, 1)).unwrap();
            std::fs::write(game.path("a.pfscene"), tiny_scene::SCENE).unwrap();
            game
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        /// The outcome of loading a file.
        fn outcome(&self, name: &str, cause: Cause, map: MapChoice) -> Outcome {
            let path = self.path(name);
            let options = OpenOptions {
                map: map.clone(),
                ..OpenOptions::default()
            };
            let source = Source::read(&path).unwrap();
            let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
            let scene = path.with_extension("pfscene");
            Outcome {
                request: LoadRequest {
                    target: Target::Paths(vec![path.clone()]),
                    cause,
                    map: map.clone(),
                },
                loaded: Some(Loaded {
                    map,
                    scene: (name.ends_with("pfmap") && scene.is_file()).then_some(scene),
                    ..Loaded::new(path, document)
                }),
                failures: Vec::new(),
                number: 1,
            }
        }
    }

    fn requested_load(state: &State) -> Option<(&Path, Cause, &MapChoice)> {
        state.effects.iter().rev().find_map(|effect| match effect {
            Effect::Load(LoadRequest {
                target: Target::Paths(paths),
                cause,
                map,
            }) => Some((paths.first()?.as_path(), *cause, map)),
            _ => None,
        })
    }

    #[test]
    fn a_map_and_its_scene_lead_to_each_other_and_the_view_stays() {
        let game = Game::new();
        let [map, scene] = ["a.pfmap", "a.pfscene"].map(|name| game.path(name));
        let mut state = State::new(Settings::default(), ViewRequest::default());
        assert!(!state.is_enabled(Action::Counterpart));
        state.loaded(game.outcome("a.pfmap", Cause::Opened, MapChoice::Beside));
        assert!(state.notices.offers_scene);
        state.session.shape_view(1.5);
        state.paste_pose("10,200,30,40,5,60");
        let tile = Some(TerrainItem::Tile { row: 4, col: 7 }.into());
        state.session.select(tile);
        let pose = state.session.view.camera.pose;
        state.run(Action::Counterpart);
        let choice = MapChoice::File(map.clone());
        assert_eq!(
            requested_load(&state),
            Some((&*scene, Cause::Counterpart, &choice))
        );
        assert!(!state.notices.offers_scene);
        state.loaded(game.outcome("a.pfscene", Cause::Counterpart, choice));
        state.session.shape_view(1.5);
        assert!(state.session.is_scene() && state.session.why_no_counterpart().is_none());
        assert_eq!(
            (
                state.session.view.camera.pose,
                state.session.view.shown.selected
            ),
            (pose, tile)
        );
        state.effects.clear();
        state.run(Action::Counterpart);
        let beside = MapChoice::Beside;
        assert_eq!(
            requested_load(&state),
            Some((&*map, Cause::Counterpart, &beside))
        );
        state.loaded(game.outcome("a.pfmap", Cause::Counterpart, beside));
        assert!(!state.notices.offers_scene, "one comes from there");
        // A reload keeps the map of the scene.
        state.loaded(game.outcome("a.pfscene", Cause::Opened, MapChoice::Nowhere));
        state.reload(Cause::Changed);
        assert_eq!(
            requested_load(&state),
            Some((&*scene, Cause::Changed, &MapChoice::Nowhere))
        );
        let why = state.session.why_no_counterpart();
        assert_eq!(why.as_deref(), Some("This scene has no map file"));
    }

    #[test]
    fn the_overlay_of_entities_opens_the_scene_of_a_map_and_hides_those_of_a_scene() {
        let game = Game::new();
        let [map, scene] = ["a.pfmap", "a.pfscene"].map(|name| game.path(name));
        let choice = MapChoice::File(map);
        let entities = Action::Overlay(OverlayId::Entities);
        let mut window = window(|state| {
            state.loaded(game.outcome("a.pfmap", Cause::Opened, MapChoice::Beside));
        });
        assert_eq!(state(&window).is_on(entities), Some(false));
        window.state_mut().state.run(entities);
        let load = Some((&*scene, Cause::Counterpart, &choice));
        assert_eq!(requested_load(state(&window)), load);
        let open = &mut window.state_mut().state;
        open.loaded(game.outcome("a.pfscene", Cause::Counterpart, choice.clone()));
        window.run();
        assert_eq!(state(&window).is_on(entities), Some(true));
        window.state_mut().state.run(entities);
        let hidden = state(&window);
        assert_eq!(hidden.is_on(entities), Some(false));
        assert!(
            hidden
                .session
                .view
                .shown
                .overlays
                .is_off(OverlayId::Entities)
        );
        // The map alone has no entities. Loading the scene shows them again.
        let open = &mut window.state_mut().state;
        open.loaded(game.outcome("a.pfmap", Cause::Counterpart, MapChoice::Beside));
        assert_eq!(open.is_on(entities), Some(false));
        open.loaded(game.outcome("a.pfscene", Cause::Counterpart, choice));
        assert_eq!(open.is_on(entities), Some(true));
    }

    #[test]
    fn entities_that_are_asked_for_are_those_of_the_scene_beside_the_map() {
        let game = Game::new();
        let asking = || {
            let request = ViewRequest {
                overlays: vec!["entities".to_owned()],
                ..ViewRequest::default()
            };
            let mut state = State::new(Settings::default(), request);
            state.loaded(game.outcome("a.pfmap", Cause::Opened, MapChoice::Beside));
            state
        };
        let choice = MapChoice::File(game.path("a.pfmap"));
        let scene = game.path("a.pfscene");
        let state = asking();
        assert_eq!(
            requested_load(&state),
            Some((&*scene, Cause::Counterpart, &choice))
        );
        std::fs::remove_file(&scene).unwrap();
        let state = asking();
        assert_eq!(requested_load(&state), None);
        let entities = Action::Overlay(OverlayId::Entities);
        assert!(!state.is_enabled(entities) && state.is_on(entities) == Some(false));
        let why = "There is no a.pfscene beside this map";
        assert_eq!(state.why_disabled(entities).as_deref(), Some(why));
        assert_eq!(state.notices.toasts.last().unwrap().text, why);
    }

    #[test]
    fn the_offer_of_a_scene_leads_to_it_or_goes_away() {
        let game = Game::new();
        let opened = || game.outcome("a.pfmap", Cause::Opened, MapChoice::Beside);
        for (button, is_loaded) in [("Show its entities", true), ("Dismiss", false)] {
            let mut window = window(|state| state.loaded(opened()));
            window.get_by_label("The scene a.pfscene uses this map");
            window.get_by_label(button).click();
            window.run();
            assert!(window.query_by_label(button).is_none(), "{button}");
            assert_eq!(
                requested_load(state(&window)).is_some(),
                is_loaded,
                "{button}"
            );
        }
    }

    #[test]
    fn the_offer_of_a_scene_is_as_wide_as_its_text_and_stays_in_a_small_view() {
        let game = Game::new();
        for size in [[480.0, 320.0], [1280.0, 800.0]] {
            let window = built(Harness::builder().with_size(size), |state| {
                state.loaded(game.outcome("a.pfmap", Cause::Opened, MapChoice::Beside));
            });
            let placed = &window.state().placed;
            let banner = placed
                .rects
                .iter()
                .find(|(name, _)| name == "banner")
                .unwrap()
                .1;
            assert!(placed.viewport.unwrap().contains_rect(banner), "{banner}");
            assert!(banner.width() < 260.0, "{banner}");
        }
    }

    #[test]
    fn a_scene_without_a_map_asks_for_one_and_remembers_the_answer() {
        let game = Game::new();
        std::fs::rename(game.path("a.pfmap"), game.path("castle.pfmap")).unwrap();
        let scene = game.path("a.pfscene");
        let opened = || {
            let mut outcome = game.outcome("a.pfscene", Cause::Opened, MapChoice::Beside);
            outcome.loaded.as_mut().unwrap().maps = maps_beside(&scene);
            outcome
        };
        let castle = MapChoice::File(game.path("castle.pfmap"));
        for (button, choice) in [
            ("castle.pfmap, 1 x 1 chunks", Some(castle.clone())),
            ("No map", Some(MapChoice::Nowhere)),
            ("Cancel", None),
        ] {
            let mut window = window(|state| state.loaded(opened()));
            window.get_by_role_and_label(Role::Dialog, "Choose a map for the scene");
            window.get_by_label(button).click();
            window.run();
            let state = state(&window);
            assert_eq!(state.interface.dialog, None, "{button}");
            let loads = choice.as_ref().map(|map| (&*scene, Cause::Opened, map));
            assert_eq!(requested_load(state), loads, "{button}");
            let remembered = ChosenMap::of(&scene, &state.settings.chosen_maps);
            assert_eq!(remembered, choice.unwrap_or_default(), "{button}");
        }
        // Opening another file closes the question.
        let mut asking = State::new(Settings::default(), ViewRequest::default());
        asking.loaded(opened());
        assert!(asking.interface.dialog.is_some());
        asking.loaded(game.outcome("castle.pfmap", Cause::Opened, MapChoice::Beside));
        assert_eq!(asking.interface.dialog, None);
        // A command changes the map later, and the view stays.
        let mut window = window(|state| {
            state.loaded(game.outcome("a.pfscene", Cause::Opened, MapChoice::Nowhere));
            state.run(Action::ChooseMap);
        });
        window.get_by_label("castle.pfmap, 1 x 1 chunks").click();
        window.run();
        assert_eq!(
            requested_load(state(&window)),
            Some((&*scene, Cause::Asked, &castle))
        );
        window.state_mut().state.run(Action::ChooseMap);
        window.run();
        window.get_by_label("Another file…").click();
        window.run();
        let effect = Effect::AskPath(PathPurpose::SceneMap);
        assert!(state(&window).effects.contains(&effect));
        let window = &mut window.state_mut().state;
        window.path_chosen(
            PathPurpose::SceneMap,
            Path::new("/b.pfmap"),
            PathSource::SystemDialog,
        );
        let other = MapChoice::File("/b.pfmap".into());
        assert_eq!(
            requested_load(window),
            Some((&*scene, Cause::Asked, &other))
        );
    }

    #[test]
    fn a_map_without_a_scene_says_so() {
        let game = Game::new();
        std::fs::remove_file(game.path("a.pfscene")).unwrap();
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.loaded(game.outcome("a.pfmap", Cause::Opened, MapChoice::Beside));
        assert!(!state.is_enabled(Action::Counterpart) && !state.notices.offers_scene);
        let why = state.session.why_no_counterpart();
        assert_eq!(
            why.as_deref(),
            Some("There is no a.pfscene beside this map")
        );
        state.loaded(game.outcome("a.pfmap", Cause::Opened, MapChoice::File("b".into())));
        let message = &state.notices.toasts.last().unwrap().text;
        assert!(message.starts_with("--map is only for scenes"), "{message}");
    }
}
