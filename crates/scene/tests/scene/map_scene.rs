//! Scenes through the public interface: the engine's own on its map, and small ones with whatever can
//! be wrong.

use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use mapscope_formats::pfobj;
use mapscope_scene::map_scene::maps_beside;
use mapscope_scene::model::Model;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{
    Document, InfoQuery, Item, MapChoice, OpenError, OpenOptions, Playhead, Progress, Ray,
    SceneItem, Shown, Source,
};
use mapscope_testdata::tiny_scene::SCENE;
use mapscope_testdata::{shared, synthesize, tiny_model};
use serde_json::Value;

fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// The engine's demo, if it is there.
fn demo() -> Option<Arc<dyn Document>> {
    shared("corpus/permafrost/assets/maps/demo.pfscene").map(|path| open(&path))
}

/// A game folder with a map and one model, and a scene in it.
struct Game(tempfile::TempDir);

impl Game {
    fn new(scene: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for sub in ["assets/maps", "assets/models"] {
            std::fs::create_dir_all(folder.path().join(sub)).unwrap();
        }
        let game = Self(folder);
        game.write("assets/maps/a.pfmap", &synthesize::pfmap(1, 1, 1));
        game.write("assets/models/guard.pfobj", &pfobj::write(&tiny_model()));
        game.write("assets/maps/a.pfscene", scene.as_bytes());
        game
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn open(&self) -> Arc<dyn Document> {
        open(&self.0.path().join("assets/maps/a.pfscene"))
    }
}

/// The rules that a document breaks, with their lines.
fn broken(document: &dyn Document) -> Vec<(String, &'static str)> {
    let problems = document.about().problems.iter();
    problems.map(|p| (p.place.to_string(), p.rule.id)).collect()
}

fn property(document: &dyn Document, item: SceneItem, name: &str) -> String {
    let groups = document.properties(item.into(), Playhead::default());
    let properties = groups.into_iter().flat_map(|group| group.properties);
    let found = properties
        .into_iter()
        .find(|property| property.name == name);
    found.map_or_else(String::new, |property| property.value)
}

/// The whole scene with models that exist, on a map, so that nothing is wrong but the places.
fn sound(scene: &str) -> String {
    scene.replace("assets/models/rock.pfobj", "assets/models/guard.pfobj")
}

#[test]
fn the_entities_of_the_engines_demo_stand_on_its_ground() {
    let Some(document) = demo() else {
        return;
    };
    let info = document.info(&InfoQuery::default());
    let entities = info["entities"].as_array().unwrap();
    assert_eq!(entities.len(), 388);
    let mut raised = 0;
    for entity in entities {
        let y = entity["position"][1].as_f64().unwrap();
        let ground = entity["ground"].as_f64().unwrap();
        assert!((y - ground).abs() <= 0.05, "{entity}");
        raised += usize::from(y != 0.0);
    }
    assert_eq!(raised, 305, "of the fact sheet's check");
    let missing = entities.iter().filter(|entity| entity["found"] == false);
    let corpus_lacks = entities.iter().filter(|entity| {
        let model = entity["model"].as_str().unwrap();
        shared("corpus/permafrost").is_some_and(|root| !root.join(model).is_file())
    });
    assert_eq!(missing.count(), corpus_lacks.count());
    let rules = broken(&*document);
    let missing_models = rules
        .iter()
        .filter(|(_, rule)| *rule == "pfscene/missing-model");
    assert!(missing_models.count() >= 25);
    assert!(info["map"].as_str().unwrap().ends_with("demo.pfmap"));
    assert_eq!(info["factions"][1], "Sinbad's Forces");
}

#[test]
fn an_entity_stands_where_the_file_says() {
    let game = Game::new(&sound(SCENE));
    let document = game.open();
    // A triangle of the guard: turned by the conjugate of its quaternion, then scaled, then moved.
    let corners = [[-1.0, -2.0, -3.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0]].map(Vec3::from);
    let rotation = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8).conjugate();
    let world = |v: Vec3| Vec3::new(1.0, 2.0, 3.0) + Vec3::new(4.0, 5.0, 6.0) * (rotation * v);
    let [a, b, c] = corners.map(world);
    let center = (a + b + c) / 3.0;
    let normal = (b - a).cross(c - a).normalize();
    let hits = [normal, -normal].map(|direction| {
        let origin = center - direction * 0.25;
        document.pick(Ray { origin, direction }, &Shown::default())
    });
    let guard: Item = SceneItem::Entity { index: 0 }.into();
    let hit = hits.into_iter().flatten().find(|hit| hit.item == guard);
    let hit = hit.unwrap_or_else(|| panic!("the guard is not at {center}"));
    assert!((hit.distance - 0.25).abs() < 1e-3, "{hit:?}");
    assert!(hit.position.distance(center) < 1e-3, "{hit:?}");
    let bounds = document.place(guard, &Shown::default()).bounds.unwrap();
    for corner in [a, b, c] {
        assert!(bounds.distance(corner) < 1e-3, "{bounds:?} {corner}");
    }
    let info = document.info(&InfoQuery::default());
    let guard = &info["entities"][0];
    assert_eq!(guard["name"], "guard");
    assert_eq!(guard["position"], serde_json::json!([1.0, 2.0, 3.0]));
    assert_eq!(guard["scale"], serde_json::json!([4.0, 5.0, 6.0]));
    assert_eq!(guard["rotation"], serde_json::json!([0.0, 0.6, 0.0, 0.8]));
    assert_eq!(guard["faction"], 1);
    assert_eq!(guard["found"], true);
    assert_ne!(guard["ground"], Value::Null);
    assert_eq!(info["regions"], serde_json::json!(["meadow", "gate"]));
    assert_eq!(info["cameras"], serde_json::json!(["above"]));
}

#[test]
fn what_is_wrong_on_the_map_is_said_at_its_line() {
    let game = Game::new(SCENE);
    let found = broken(&*game.open());
    for expected in [
        ("23:1", "pfscene/off-ground"),
        ("29:1", "pfscene/idle-clip"),
        ("41:1", "pfscene/missing-model"),
    ] {
        assert!(
            found
                .iter()
                .any(|(at, rule)| (at.as_str(), *rule) == expected),
            "{found:?}"
        );
    }
    let game = Game::new(&SCENE.replace("vec3 1.000000 2.000000", "vec3 1000.000000 2.000000"));
    let found = broken(&*game.open());
    assert!(
        found.contains(&("23:1".to_owned(), "pfscene/outside-map")),
        "{found:?}"
    );
    let game = Game::new(&SCENE.replace("assets/models/rock.pfobj", "../rock.pfobj"));
    let found = broken(&*game.open());
    assert!(
        found.contains(&("41:1".to_owned(), "pfscene/model-path")),
        "{found:?}"
    );
    let game = Game::new(SCENE);
    game.write("assets/models/rock.pfobj", b"no model");
    let found = broken(&*game.open());
    assert!(
        found.contains(&("41:1".to_owned(), "pfscene/unreadable-model")),
        "{found:?}"
    );
}

#[test]
fn a_scene_without_its_map_is_shown_all_the_same() {
    let game = Game::new(SCENE);
    std::fs::remove_file(game.0.path().join("assets/maps/a.pfmap")).unwrap();
    let document = game.open();
    let found = broken(&*document);
    assert!(
        found.contains(&("1:1".to_owned(), "pfscene/missing-map")),
        "{found:?}"
    );
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["map"], Value::Null);
    assert_eq!(info["entities"][0]["ground"], Value::Null);
    let watched = &document.about().dependencies;
    assert!(
        watched.iter().any(|path| path.ends_with("a.pfmap")),
        "{watched:?}"
    );
}

#[test]
fn another_map_may_be_named() {
    let game = Game::new(SCENE);
    game.write("assets/maps/other.pfmap", &synthesize::pfmap(2, 1, 1));
    let other = game.0.path().join("assets/maps/other.pfmap");
    let options = OpenOptions {
        map: MapChoice::File(other.clone()),
        ..OpenOptions::default()
    };
    let source = Source::read(&game.0.path().join("assets/maps/a.pfscene")).unwrap();
    let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["map"], other.display().to_string());
    let terrain: &Terrain = document.content().unwrap();
    assert_eq!(terrain.map().chunk_rows, 2);
}

#[test]
fn a_scene_may_stand_on_no_map_at_all() {
    let game = Game::new(&sound(SCENE));
    let options = OpenOptions {
        map: MapChoice::Nowhere,
        ..OpenOptions::default()
    };
    let source = Source::read(&game.0.path().join("assets/maps/a.pfscene")).unwrap();
    let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
    assert_eq!(document.info(&InfoQuery::default())["map"], Value::Null);
    let found = broken(&*document);
    assert!(
        found.iter().all(|(_, rule)| !rule.ends_with("missing-map")),
        "it was not looked for: {found:?}"
    );
}

#[test]
fn the_maps_beside_a_scene_are_offered_with_their_sizes() {
    let game = Game::new(SCENE);
    let scene = game.0.path().join("assets/maps/a.pfscene");
    game.write("assets/maps/b.pfmap", &synthesize::pfmap(2, 3, 1));
    game.write("assets/maps/c.PFMAP", b"no map");
    game.write("assets/maps/notes.txt", b"");
    let maps = maps_beside(&scene);
    let said = maps.iter().map(|map| {
        let name = map.path.file_name().unwrap().to_str().unwrap();
        (name, map.size())
    });
    let said: Vec<(&str, String)> = said.collect();
    let expected = [
        ("a.pfmap", "1 x 1 chunks"),
        ("b.pfmap", "2 x 3 chunks"),
        ("c.PFMAP", "size unknown"),
    ];
    assert_eq!(said, expected.map(|(name, size)| (name, size.to_owned())));
    std::fs::remove_file(game.0.path().join("assets/maps/a.pfmap")).unwrap();
    let document = game.open();
    let problems = &document.about().problems;
    let missing = problems.iter().find(|p| p.rule.id == "pfscene/missing-map");
    let message = &missing.unwrap().message;
    assert!(
        message.contains("`b.pfmap` (2 x 3 chunks), `c.PFMAP` (size unknown)"),
        "{message}"
    );
}

#[test]
fn models_of_a_scene_share_their_textures() {
    let game = Game::new(SCENE);
    game.write("assets/models/rock.pfobj", &pfobj::write(&tiny_model()));
    let pixels = image::RgbImage::from_pixel(8, 8, image::Rgb([9, 8, 7]));
    let names = tiny_model().materials.into_iter().map(|m| m.texture);
    for name in names {
        let path = game.0.path().join("assets/models").join(name);
        pixels
            .save_with_format(path, image::ImageFormat::Png)
            .unwrap();
    }
    let document = game.open();
    let mut models: Vec<&Model> = Vec::new();
    document.for_each_drawable(&Shown::default(), &mut |drawable| {
        models.extend(drawable.content.downcast_ref::<Model>());
    });
    let [a, b] = models[..] else {
        panic!("{} models", models.len());
    };
    let named = tiny_model().materials.len();
    for (a, b) in a.materials().iter().zip(b.materials()).take(named) {
        assert_eq!(a.texture.size, [8, 8]);
        assert!(Arc::ptr_eq(&a.texture, &b.texture));
    }
}

#[test]
fn the_load_of_a_map_is_heard_of_and_can_be_cancelled() {
    let game = Game::new(SCENE);
    game.write("assets/maps/a.pfmap", &synthesize::pfmap(24, 24, 1));
    let source = Source::read(&game.0.path().join("assets/maps/a.pfscene")).unwrap();
    let progress = Progress::default();
    let (opened, heard) = std::thread::scope(|scope| {
        let load = || mapscope_scene::open(&source, &OpenOptions::default(), &progress);
        let opened = scope.spawn(load);
        let mut heard = 0.0;
        while !opened.is_finished() {
            let fraction = progress.fraction();
            // Beyond the half that is the scene itself, and before the end.
            if fraction > 0.5 {
                heard = fraction;
                progress.cancel();
            }
            std::thread::yield_now();
        }
        (opened.join().unwrap(), heard)
    });
    assert!(heard < 0.9, "{heard}");
    assert!(matches!(opened, Err(OpenError::Cancelled)), "{heard}");
}

#[test]
fn entities_are_found_by_faction_class_and_model() {
    let game = Game::new(SCENE);
    let document = game.open();
    let outline = document.outline();
    let headings: Vec<&str> = outline.iter().map(|line| line.label.as_str()).collect();
    assert_eq!(
        headings,
        [
            "a.pfscene",
            "Factions",
            "Classes",
            "Models",
            "Regions",
            "Cameras",
            "Map"
        ]
    );
    let guard: Item = SceneItem::Entity { index: 0 }.into();
    let rock: Item = SceneItem::Entity { index: 1 }.into();
    let next = |kind: SceneItem| document.next_of_kind(kind.into(), None, false);
    assert_eq!(next(SceneItem::Faction { index: 1 }), Some(guard));
    assert_eq!(next(SceneItem::Class { index: 0 }), Some(guard));
    assert_eq!(next(SceneItem::Model { index: 1 }), Some(rock));
    let entity = SceneItem::Entity { index: 0 };
    assert_eq!(property(&*document, entity, "Faction"), "1 The Others");
    assert_eq!(property(&*document, entity, "Class"), "Guard");
    assert_eq!(property(&*document, entity, "Region"), "gate");
    assert_eq!(
        property(&*document, entity, "selection_radius"),
        "3.25 (float, line 38)"
    );
    assert_eq!(property(&*document, entity, "Tag"), "night watch (line 36)");
    let file = document.file_of(guard).unwrap();
    assert!(
        file.ends_with("assets/models/guard.pfobj"),
        "{}",
        file.display()
    );
}

#[test]
fn what_stands_far_off_the_map_makes_no_speck_of_it() {
    let game = Game::new(&SCENE.replace("vec3 1.000000 2.000000", "vec3 1e30 2.000000"));
    let bounds = game.open().about().bounds;
    let side = 32.0 * 8.0;
    assert!(bounds.max.x - bounds.min.x <= side + 100.0, "{bounds:?}");
    let game = Game::new(&SCENE.replace("vec3 1.000000 2.000000", "vec3 nan 2.000000"));
    let info = game.open().info(&InfoQuery::default());
    let position = &info["entities"][0]["position"];
    assert_eq!(
        *position,
        serde_json::json!([null, 2.0, 3.0]),
        "as the file has it"
    );
}

#[test]
fn a_cancelled_load_stops() {
    let game = Game::new(SCENE);
    let source = Source::read(&game.0.path().join("assets/maps/a.pfscene")).unwrap();
    let progress = Progress::default();
    progress.cancel();
    let opened = mapscope_scene::open(&source, &OpenOptions::default(), &progress);
    assert!(matches!(opened, Err(OpenError::Cancelled)));
}
