//! Scenes through the public interface: the engine's own scene on its map, and small scenes with
//! all kinds of faults.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use mapscope_formats::{Problem, Subject, pfmap, pfobj};
use mapscope_scene::camera::Pose;
use mapscope_scene::diff::Diff;
use mapscope_scene::map_scene::maps_beside;
use mapscope_scene::model::Model;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::terrain::navigation::{Domain, Obstacle};
use mapscope_scene::{
    Direction, Document, InfoQuery, Item, Line, MapChoice, ModelItem, OpenError, OpenOptions,
    OverlayId, Pending, Playhead, Progress, Ray, SceneItem, Shown, Source, Sun, Swatch,
    TerrainItem,
};
use mapscope_testdata::tiny_scene::{SCENE, SKYBOX, bitmap, sound_scene, write_game, write_skybox};
use mapscope_testdata::{shared, synthesize, tiny_model};
use serde_json::Value;

fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// The engine's demo, if available.
fn demo() -> Option<Arc<dyn Document>> {
    shared("corpus/permafrost/assets/maps/demo.pfscene").map(|path| open(&path))
}

/// A game folder with a map, a model and a scene.
struct Game(tempfile::TempDir);

impl Game {
    fn new(scene: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_game(folder.path(), scene).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn open(&self) -> Arc<dyn Document> {
        open(&self.0.path().join("assets/maps/a.pfscene"))
    }
}

/// Rules that a document breaks, with their locations.
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

/// The corners of the model's triangle.
const TRIANGLE: [[f32; 3]; 3] = [[-1.0, -2.0, -3.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0]];

/// Rays to the centre of the triangle of a placed model, from both sides and a quarter of a unit
/// away.
fn toward_triangle(place: Vec3, rotation: Quat, scale: Vec3) -> [Ray; 2] {
    let [a, b, c] = TRIANGLE.map(|corner| place + scale * (rotation * Vec3::from(corner)));
    let center = (a + b + c) / 3.0;
    let normal = (b - a).cross(c - a).normalize();
    [normal, -normal].map(|direction| Ray {
        origin: center - direction * 0.25,
        direction,
    })
}

/// The scene with existing models, on a map, so that only positions are wrong.
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
    assert_eq!(missing.count(), corpus_lacks.clone().count());
    let rules = broken(&*document);
    let missing_models = rules
        .iter()
        .filter(|(_, rule)| *rule == "pfscene/missing-model");
    let lacks: BTreeSet<_> = corpus_lacks
        .map(|entity| entity["model"].as_str())
        .collect();
    assert!(!lacks.is_empty());
    assert_eq!(missing_models.count(), lacks.len(), "each is said once");
    assert!(info["map"].as_str().unwrap().ends_with("demo.pfmap"));
    assert_eq!(info["factions"][1], "Sinbad's Forces");
}

#[test]
fn an_entity_stands_where_the_file_says() {
    let game = Game::new(&sound(SCENE));
    let document = game.open();
    // A triangle of the guard: rotated by the conjugate of its quaternion, then scaled, then moved.
    let rotation = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8).conjugate();
    let (place, scale) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
    let [a, b, c] = TRIANGLE.map(|corner| place + scale * (rotation * Vec3::from(corner)));
    let center = (a + b + c) / 3.0;
    let rays = toward_triangle(place, rotation, scale);
    let hits = rays.map(|ray| document.pick(ray, &Shown::default()));
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
fn attributes_are_typed_and_compared_by_their_keys() {
    let game = Game::new(&sound_scene());
    let document = game.open();
    let guard: Item = SceneItem::Entity { index: 0 }.into();
    let details = document.details(guard, Playhead::default());
    let attributes = &details["attributes"];
    for (key, value) in [
        ("faction_id", serde_json::json!(1)),
        ("animated", serde_json::json!(true)),
        ("selection_radius", serde_json::json!(3.25)),
        ("class", serde_json::json!("Guard")),
        ("scale", serde_json::json!([4.0, 5.0, 6.0])),
        ("rotation", serde_json::json!([0.0, 0.6, 0.0, 0.8])),
        ("home", serde_json::json!([-7.0, 8.5])),
        ("tags", serde_json::json!(["night watch", "gate"])),
        (
            "constructor_arguments",
            serde_json::json!(["two words", -3, 0.5]),
        ),
    ] {
        assert_eq!(attributes[key], value, "{key}");
        // Exports have the same.
        let mut own = document.own(guard).into_iter();
        let found = own.find_map(|line| line.attribute().filter(|(it, _)| it == key));
        assert_eq!(found, Some((key.to_owned(), value)));
    }
    // The engine does not know this one.
    let other = Game::new(&sound_scene().replace("home vec2", "house vec2"));
    let diff = Diff::of([&*document, &*other.open()]).unwrap();
    let fields = diff.differences.iter().flat_map(|it| &it.fields);
    let fields: Vec<_> = fields.map(|it| (&*it.name, &*it.key)).collect();
    assert_eq!(fields, [("home", "home"), ("house", "house")]);
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
    let game = Game::new(&SCENE.replace("idle_clip string Stand still", "idle string none"));
    let found = broken(&*game.open());
    assert!(
        found.contains(&("26:1".to_owned(), "pfscene/no-idle-clip")),
        "{found:?}"
    );
    // A circle extends by its radius, a rectangle by half its sides.
    let map = open(&game.0.path().join("assets/maps/a.pfmap"));
    let map = map.about().bounds;
    for (beyond, is_outside) in [(12.0, false), (13.0, true)] {
        let x = format!("vec2 {} -20.0", map.max.x + beyond);
        let game = Game::new(&SCENE.replace("vec2 10.000000 -20.000000", &x));
        let rule = ("49:1".to_owned(), "pfscene/region-outside-map");
        assert_eq!(broken(&*game.open()).contains(&rule), is_outside, "{x}");
    }
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
    let said = game.open();
    let said = said.about().problems.iter().map(Problem::facts);
    let said: Vec<String> = said.filter(|it| it.contains("rock.pfobj")).collect();
    assert_eq!(
        said,
        [
            "41:1: error: pfscene/unreadable-model (SceneEntity 1): 1 assets/models/rock.pfobj no rock"
        ]
    );
}

/// Files that a scene or a model implies are not read through a link that leads out of the asset
/// root, and none of their content is quoted.
#[cfg(unix)]
#[test]
fn what_a_file_implies_is_below_its_asset_root() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "TOKEN").unwrap();
    let said = |document: &dyn Document| {
        let problems = document.about().problems.iter();
        problems
            .map(|p| (p.rule.id, p.to_string()))
            .collect::<Vec<_>>()
    };
    let of_rule = |said: &[(&str, String)], rule: &str| {
        let of_rule = said.iter().filter(|(id, _)| *id == rule);
        of_rule.map(|(_, text)| text.clone()).collect::<String>()
    };
    let game = Game::new(&sound_scene());
    let map = game.0.path().join("assets/maps/a.pfmap");
    std::fs::remove_file(&map).unwrap();
    symlink(outside.path().join("secret"), &map).unwrap();
    let lod = game.0.path().join("assets/models/guard.lod1.pfobj");
    symlink(outside.path().join("secret"), &lod).unwrap();
    for (file, rule) in [
        ("assets/maps/a.pfscene", "pfscene/missing-map"),
        ("assets/models/guard.pfobj", "pfobj/broken-lod"),
    ] {
        let said = said(&*open(&game.0.path().join(file)));
        assert!(!of_rule(&said, rule).is_empty(), "{said:?}");
        assert!(
            !said.iter().any(|(_, text)| text.contains("TOKEN")),
            "{said:?}"
        );
    }
    // A link within the asset root is followed.
    std::fs::remove_file(&map).unwrap();
    game.write("assets/other.pfmap", &synthesize::pfmap(1, 1, 1));
    symlink("../other.pfmap", &map).unwrap();
    let said = said(&*game.open());
    assert_eq!(of_rule(&said, "pfscene/missing-map"), "", "{said:?}");
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
fn a_scene_has_the_overlays_of_the_ground_that_its_map_has() {
    let game = Game::new(SCENE);
    let map = game.0.path().join("assets/maps/a.pfmap");
    let text = std::fs::read_to_string(&map).unwrap();
    // The cover character of a tile.
    let is_tile = |token: &str| token.len() == 24;
    let with_cover = |cover: &str| {
        let lines = text.lines().map(|line| {
            let tokens = line.split(' ').map(|token| match token {
                tile if is_tile(tile) => format!("{}{cover}{}", &tile[..16], &tile[17..]),
                other => other.to_owned(),
            });
            format!("{}\n", tokens.collect::<Vec<_>>().join(" "))
        });
        lines.collect::<String>()
    };
    for (cover, has_cover) in [("0", false), ("2", true)] {
        game.write("assets/maps/a.pfmap", with_cover(cover).as_bytes());
        let has = |document: &dyn Document| {
            let mut offered = document.about().overlays.iter();
            offered.any(|overlay| overlay.id == OverlayId::Cover)
        };
        assert_eq!([has(&*open(&map)), has(&*game.open())], [has_cover; 2]);
    }
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
    let facts = missing.unwrap().facts();
    assert!(facts.ends_with(" 2 3 b.pfmap c.PFMAP"), "{facts}");
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
    let pairs = || a.materials().iter().zip(b.materials()).take(named);
    for (a, b) in pairs() {
        assert!(a.texture.get().is_none(), "it is read later");
        assert!(Arc::ptr_eq(&a.texture, &b.texture));
    }
    let bytes = document.cpu_bytes();
    document.load_deferred(&|| document.pending() != Some(Pending::Skybox), &|| {});
    for (a, _) in pairs() {
        assert_eq!(a.texture.get().unwrap().size, [8, 8]);
    }
    // Each texture is counted once.
    let levels = [8, 4, 2, 1].map(|side| side * side * 4);
    let each = levels.iter().sum::<u64>();
    assert_eq!(document.cpu_bytes() - bytes, each * named as u64);
}

#[test]
fn a_texture_of_a_model_that_is_broken_is_said_once_it_was_read() {
    let game = Game::new(&sound_scene());
    let [broken, missing] = [0, 1].map(|i| tiny_model().materials[i].texture.clone());
    game.write(&format!("assets/models/{broken}"), b"no image");
    std::fs::remove_file(game.0.path().join("assets/models").join(&missing)).unwrap();
    let document = game.open();
    let said = || {
        let groups =
            document.properties(SceneItem::Entity { index: 0 }.into(), Playhead::default());
        let group = groups
            .into_iter()
            .find(|it| it.title == "Problems of the model");
        let said = group.into_iter().flat_map(|group| group.properties);
        said.map(|property| property.value).collect::<Vec<String>>()
    };
    let of = |name: &str| said().iter().filter(|text| text.contains(name)).count();
    assert_eq!([of(&broken), of(&missing)], [0, 1], "{:?}", said());
    document.wait_until_complete();
    assert_eq!([of(&broken), of(&missing)], [1, 1], "{:?}", said());
    assert!(said().iter().any(|text| text.contains("cannot be read")));
}

#[test]
fn a_texture_of_a_model_that_is_broken_is_a_problem_once_it_was_read() {
    let game = Game::new(&sound_scene());
    let broken = tiny_model().materials[0].texture.clone();
    game.write(&format!("assets/models/{broken}"), b"no image");
    let source = Source::read(&game.0.path().join("assets/maps/a.pfscene")).unwrap();
    let said = |checks_textures: bool, waits: bool| {
        let options = OpenOptions {
            checks_textures,
            ..OpenOptions::default()
        };
        let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
        if waits {
            document.wait_until_complete();
        }
        let problems = document.about().problems.iter();
        let of_models = problems.filter(|p| p.rule.id == "pfscene/broken-model");
        of_models.map(Problem::facts).collect::<Vec<_>>()
    };
    assert_eq!(said(false, false), Vec::<String>::new());
    let found = said(true, false);
    assert_eq!(said(false, true), found);
    let [found] = found.as_slice() else {
        panic!("{found:?}");
    };
    let end = format!(" {broken}");
    assert!(found.contains(&end), "{found}");
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
            // Past the first half, which is the scene itself, and before the end.
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
fn a_faction_that_the_file_does_not_have_is_listed_with_its_entities() {
    let scene = SCENE.replace("faction_id int 1", "faction_id int 9");
    let game = Game::new(&scene);
    let document = game.open();
    let outline = document.outline();
    let factions = outline.iter().find(|line| line.label == "Factions");
    let factions = factions.unwrap().children.iter();
    let factions: Vec<_> = factions
        .map(|line| (&*line.label, line.children.len()))
        .collect();
    assert_eq!(
        factions,
        [
            ("Villagers", 0),
            ("The Others", 0),
            ("faction 9 (unknown)", 1)
        ]
    );
    let unknown = SceneItem::Faction { index: 9 };
    assert_eq!(property(&*document, unknown, "Name"), "faction 9 (unknown)");
    assert_eq!(property(&*document, unknown, "Entities"), "1");
    let guard = SceneItem::Entity { index: 0 };
    assert_eq!(
        document.next_of_kind(unknown.into(), None, false),
        Some(guard.into())
    );
    let groups = document.properties(guard.into(), Playhead::default());
    let properties = groups.iter().flat_map(|group| &group.properties);
    let faction = properties.clone().find(|it| it.name == "Faction").unwrap();
    assert_eq!(faction.value, "9, which does not exist");
    assert_eq!(faction.link, Some(unknown.into()));
    let other = SceneItem::Faction { index: 8 };
    let playhead = Playhead::default();
    assert!(document.properties(other.into(), playhead).is_empty());
}

#[test]
fn overlays_that_have_nothing_to_show_have_no_legend() {
    let titles = |scene: &str| {
        let game = Game::new(scene);
        let document = game.open();
        let offered = document.about().overlays;
        let mut shown = Shown::default();
        for id in [OverlayId::Regions, OverlayId::Cameras, OverlayId::Circles] {
            shown.overlays.set(offered, id, true);
        }
        let legends = document.legends(&shown).into_iter();
        let legends = legends.map(|legend| (legend.title, legend.entries.len()));
        legends.collect::<Vec<_>>()
    };
    let scene = sound_scene();
    let all = [("Regions", 1), ("Cameras", 1), ("Circles", 2)];
    assert_eq!(titles(&scene), all);
    let without = |beginning: &str| {
        let lines = scene.lines();
        let lines = lines.filter(|line| !line.trim_start().starts_with(beginning));
        lines.flat_map(|line| [line, "\n"]).collect::<String>()
    };
    let blind = without("vision_range");
    assert_eq!(titles(&blind), [all[0], all[1], ("Circles", 1)]);
    let blind = blind.replace("selection_radius float 3.25", "selection_radius float 0");
    assert_eq!(titles(&blind), all[..2]);
    let (empty, _) = scene.split_once("section \"regions\"").unwrap();
    assert_eq!(titles(empty), all[2..]);
}

#[test]
fn what_stands_far_off_the_map_makes_no_speck_of_it() {
    let game = Game::new(&SCENE.replace("vec3 1.000000 2.000000", "vec3 1e30 2.000000"));
    let bounds = game.open().about().bounds;
    let side = 32.0 * 8.0;
    assert!(bounds.max.x - bounds.min.x <= side + 100.0, "{bounds:?}");
    let game = Game::new(&SCENE.replace("vec3 1.000000 2.000000", "vec3 nan 2.000000"));
    let document = game.open();
    let info = document.info(&InfoQuery::default());
    let position = &info["entities"][0]["position"];
    assert_eq!(
        *position,
        serde_json::json!([null, 2.0, 3.0]),
        "as the file has it"
    );
    // An entity without a position is not placed at the centre of the map.
    let entity = SceneItem::Entity { index: 0 }.into();
    assert_eq!(
        document.details(entity, Playhead::default())["place"]["tile"],
        Value::Null
    );
}

/// A static, solid entity blocks cells and is named there. A movable entity that is stuck is noted
/// at the line of its position.
#[test]
fn static_entities_take_cells_and_what_is_stuck_is_noted() {
    let solid = |scene: &str, is_static: bool, at: &str| {
        let is_static = u8::from(is_static);
        format!(
            "{scene}entity rock no-such-model.pfobj 4\n   position vec3 {at}\n   static bool \
             {is_static}\n   collision bool 1\n   selection_radius float 3.0\n"
        )
    };
    let head = "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities 3\n";
    let scene = solid(head, true, "2.0 0.0 2.0");
    let scene = solid(&scene, false, "1.0 0.0 3.0");
    let scene = solid(&scene, false, "60.0 0.0 60.0");
    let game = Game::new(&scene);
    let mut map = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    let mut level = pfmap::Tile::default();
    level.set(pfmap::Field::Pathable, 1);
    map.tiles.fill(level);
    game.write("assets/maps/a.pfmap", &pfmap::write(&map));
    let document = game.open();
    let terrain: &Terrain = document.content().unwrap();
    // A circle of radius 3 around the centre of a cell reaches into all its neighbours.
    let grid = terrain.navigation();
    assert_eq!(grid.blocked_by_entities(), 9);
    let cell = terrain.cell_at(2.0, 2.0).unwrap();
    let obstacle = grid.obstacle(terrain.map(), Domain::Ground, cell);
    assert_eq!(obstacle, Some(Obstacle::Entity(0)));
    assert_eq!(
        terrain.blockers()[0].item,
        SceneItem::Entity { index: 0 }.into()
    );
    let (row, col) = cell.tile();
    let tile = TerrainItem::Tile { row, col };
    let groups = document.properties(tile.into(), Playhead::default());
    let lines = groups.iter().flat_map(|group| &group.properties);
    let said: Vec<_> = lines.filter(|line| line.name.ends_with(" cell")).collect();
    let blocked = said.iter().find(|line| line.value == "blocked by rock");
    assert_eq!(
        blocked.unwrap().link,
        Some(SceneItem::Entity { index: 0 }.into())
    );
    let notes = document.notes();
    let [note] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert_eq!(
        (note.rule.id, note.place.to_string()),
        ("pfscene/stuck-entity", "11:1".to_owned())
    );
    assert!(note.facts().ends_with(" rock"), "{note}");
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["navigation"]["blocked_by_entities"], 9);
    assert_eq!(info["navigation"]["ground"]["passable"], 64 * 64 - 9);
}

/// A map with a pool of deep water and a plateau, and entities in wrong positions.
#[test]
fn mistakes_in_valid_scenes_are_found() {
    let entity = |name: &str, model: &str, at: [f32; 3], scale: f32, is_static: u8| {
        let [x, y, z] = at;
        format!(
            "entity {name} assets/models/{model}.pfobj 5\n   position vec3 {x:.1} {y:.1} {z:.1}\n   \
             scale vec3 {scale:.1} {scale:.1} {scale:.1}\n   rotation quat 0.0 0.0 0.0 1.0\n   static \
             bool {is_static}\n   collision bool 1\n"
        )
    };
    let (pool, plateau, shore) = ([108.0, -12.0, -108.0], [-44.0, 12.0, 44.0], [0.0, 0.0, 0.0]);
    let entities = [
        entity("swimmer", "walker", pool, 1.0, 0),
        entity("boat", "boat", pool, 1.0, 0),
        entity("lonely", "walker", plateau, 1.0, 0),
        entity("free", "walker", shore, 1.0, 0),
        entity("giant", "walker", [40.0, 0.0, 0.0], 40.0, 0),
        entity("house", "house", [0.0, 0.0, -40.0], 1.0, 1),
        entity("border", "house", [126.0, 0.0, 0.0], 1.0, 1),
        entity("copy", "house", [0.0, 0.0, -40.0], 1.0, 1),
        entity("cliff", "house", [-32.0, 12.0, 44.0], 1.0, 1),
    ];
    let head = "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities 9\n";
    let game = Game::new(&format!("{head}{}", entities.concat()));
    let mut map = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    let mut level = pfmap::Tile::default();
    level.set(pfmap::Field::Pathable, 1);
    map.tiles.fill(level);
    for (row, col) in (0..5).flat_map(|row| (0..5).map(move |col| (row, col))) {
        map.tiles[row * 32 + col].base_height = -3;
    }
    for (row, col) in (20..23).flat_map(|row| (20..23).map(move |col| (row, col))) {
        map.tiles[row * 32 + col].base_height = 3;
    }
    game.write("assets/maps/a.pfmap", &pfmap::write(&map));
    let mut model = tiny_model();
    let corners = [[-6.0, -6.0], [6.0, -6.0], [6.0, 6.0]].into_iter().cycle();
    for (vertex, [x, z]) in model.vertices.iter_mut().zip(corners) {
        vertex.position = [x, 0.0, z];
    }
    game.write("assets/models/house.pfobj", &pfobj::write(&model));
    game.write("assets/models/walker.pfobj", &pfobj::write(&model));
    for clip in &mut model.clips {
        clip.name = "sail".to_owned();
    }
    game.write("assets/models/boat.pfobj", &pfobj::write(&model));
    let document = game.open();
    let found = |problems: &[Problem]| -> Vec<_> {
        let of_entity = problems.iter().filter_map(|it| match it.subject {
            Subject::SceneEntity(index) if it.rule.id.starts_with("pfscene/") => {
                let name = entities[index as usize]
                    .split(' ')
                    .nth(1)
                    .unwrap_or_default();
                // Every message begins with number and name of its entity.
                let begin = format!("entity {index} `{name}`: ");
                assert!(it.message.starts_with(&begin), "{it}");
                Some((name.to_owned(), it.rule.id))
            }
            _ => None,
        });
        of_entity.collect()
    };
    let expected = |all: &[(&str, &'static str)]| -> Vec<_> {
        all.iter()
            .map(|(name, rule)| ((*name).to_owned(), *rule))
            .collect()
    };
    let problems: Vec<Problem> = document.about().problems.clone();
    let problems: Vec<Problem> = problems
        .into_iter()
        .filter(|it| it.rule.id != "pfscene/broken-model")
        .collect();
    assert_eq!(
        found(&problems),
        expected(&[
            ("giant", "pfscene/odd-scale"),
            ("copy", "pfscene/double-entity")
        ])
    );
    assert_eq!(
        found(&document.notes()),
        expected(&[
            ("swimmer", "pfscene/stuck-entity"),
            ("lonely", "pfscene/cut-off-entity"),
            ("border", "pfscene/overhang"),
            ("cliff", "pfscene/overhang"),
        ])
    );
}

/// The engine's demo has none of these mistakes except units on unreachable ground.
#[test]
fn the_engines_demo_gives_few_alarms() {
    let Some(document) = demo() else {
        return;
    };
    let mut counts = std::collections::BTreeMap::new();
    for problem in document.about().problems.iter().chain(&document.notes()) {
        *counts.entry(problem.rule.id).or_insert(0) += problem.count;
    }
    for rule in [
        "odd-scale",
        "double-entity",
        "overhang",
        "faction-name-twice",
    ] {
        assert_eq!(counts.get(&*format!("pfscene/{rule}")), None, "{counts:?}");
    }
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

/// Number of placements of all animated drawables of a scene.
fn drawn(document: &dyn Document, shown: &Shown) -> usize {
    let mut count = 0;
    document.for_each_drawable(shown, &mut |drawable| {
        count += drawable.placements.len() * usize::from(drawable.playhead.is_some());
    });
    count
}

#[test]
fn what_is_hidden_is_neither_drawn_nor_met_nor_outlined() {
    let document = Game::new(&sound(SCENE)).open();
    let [guard, rock] = [0, 1].map(|index| Item::from(SceneItem::Entity { index }));
    let all = Shown::default();
    assert_eq!(drawn(&*document, &all), 2);
    let met = |shown: &Shown| {
        let rays = toward_triangle(Vec3::new(9.0, 10.0, 11.0), Quat::IDENTITY, Vec3::ONE);
        let hits = rays.map(|ray| document.pick(ray, shown).map(|hit| hit.item));
        hits.into_iter()
            .flatten()
            .find(|item| item.kind() == "entity")
    };
    assert_eq!(met(&all), Some(rock));
    let faction = SceneItem::Faction { index: 1 };
    let model = SceneItem::Model { index: 0 };
    for (hidden, left) in [
        (guard, vec![rock]),
        (faction.into(), vec![rock]),
        (SceneItem::Class { index: 0 }.into(), vec![rock]),
        (rock, vec![guard]),
        (model.into(), vec![]),
    ] {
        assert_eq!(document.hide_target(hidden), Some(hidden));
        let shown = Shown {
            hidden: vec![hidden],
            ..Shown::default()
        };
        assert_eq!(drawn(&*document, &shown), left.len(), "{hidden}");
        let seen = [guard, rock].into_iter();
        let seen = seen.filter(|item| !document.is_hidden(*item, &shown));
        assert_eq!(seen.collect::<Vec<_>>(), left, "{hidden}");
        let meets_hidden = met(&shown).is_some_and(|item| document.is_hidden(item, &shown));
        assert!(!meets_hidden, "{hidden}");
        let outlined = document.contour(model.into(), &shown).len();
        assert_eq!(outlined, left.len() * 12, "{hidden}");
    }
    let region = SceneItem::Region { index: 0 }.into();
    let labels = |hidden: &[Item]| {
        let mut shown = Shown {
            hidden: hidden.to_vec(),
            ..Shown::default()
        };
        let offered = document.about().overlays;
        shown.overlays.set(offered, OverlayId::Regions, true);
        let mut labels = Vec::new();
        document.annotations().unwrap().labels(&shown, &mut labels);
        labels.len()
    };
    assert_eq!([labels(&[]), labels(&[region])], [2, 1]);
    let names = |hidden: &[Item]| {
        let shown = Shown {
            hidden: hidden.to_vec(),
            has_names: true,
            ..Shown::default()
        };
        let mut labels = Vec::new();
        document.annotations().unwrap().labels(&shown, &mut labels);
        labels
            .into_iter()
            .map(|label| label.text)
            .collect::<Vec<_>>()
    };
    // The rock has no model: its label is its own name, not that of a file.
    assert_eq!(names(&[]), ["guard", "rock"]);
    assert!(!names(&[guard]).contains(&"guard".to_owned()));
}

/// Visible entities while the overlay of entities is off.
#[test]
fn without_the_overlay_of_entities_only_the_ground_is_there() {
    // The guard has a model, the rock does not.
    let document = Game::new(SCENE).open();
    let [guard, rock] = [0, 1].map(|index| Item::from(SceneItem::Entity { index }));
    let offered = document.about().overlays;
    let mut shown = Shown::default();
    let seen = |shown: &Shown| {
        let annotations = document.annotations().unwrap();
        let (mut lines, mut labels) = (Vec::new(), Vec::new());
        annotations.lines(shown, &mut lines);
        annotations.labels(shown, &mut labels);
        let guards = toward_triangle(
            Vec3::new(1.0, 2.0, 3.0),
            Quat::from_xyzw(0.0, 0.6, 0.0, 0.8).conjugate(),
            Vec3::new(4.0, 5.0, 6.0),
        );
        let down = Ray {
            origin: Vec3::new(9.0, 100.0, 11.0),
            direction: Vec3::NEG_Y,
        };
        let rays = guards.into_iter().chain([down]);
        let met = rays.filter_map(|ray| document.pick(ray, shown));
        let met = met.filter(|hit| hit.item.kind() == "entity").count();
        let contours = [guard, rock, SceneItem::Model { index: 0 }.into()];
        let contours = contours.map(|item| document.contour(item, shown).len());
        let legends = document.legends(shown).into_iter();
        let legends = legends.filter(|legend| legend.title == "Entities").count();
        (
            drawn(&*document, shown),
            met,
            [lines.len(), labels.len(), legends],
            contours,
        )
    };
    let at_first = seen(&shown);
    assert_eq!(at_first.0, 1);
    assert!(at_first.1 >= 2, "{at_first:?}");
    assert_eq!((at_first.2, at_first.3), ([14, 1, 1], [12, 12, 12]));
    // Another overlay has no effect on it.
    shown.overlays.set(offered, OverlayId::TileGrid, true);
    assert_eq!(seen(&shown), at_first);
    shown.overlays.set(offered, OverlayId::Entities, false);
    assert_eq!(seen(&shown), (0, 0, [0; 3], [0; 3]));
    shown.selected = Some(guard);
    assert_eq!(seen(&shown), (0, 0, [0; 3], [0; 3]), "nor its circles");
    shown.selected = None;
    shown.overlays.set(offered, OverlayId::Entities, true);
    assert_eq!(seen(&shown), at_first);
}

#[test]
fn every_entity_is_listed_once_below_each_of_its_kinds() {
    let document = Game::new(&many(300)).open();
    let outline = document.outline();
    for (title, kinds) in [("Factions", 2), ("Classes", 100), ("Models", 300)] {
        let heading = outline.iter().find(|line| line.label == title).unwrap();
        assert_eq!(heading.children.len(), kinds, "{title}");
        let entities = heading.children.iter().flat_map(|line| &line.children);
        let mut listed: Vec<_> = entities.map(|line| line.item.unwrap()).collect();
        for line in &heading.children {
            let counted = format!("{}", line.children.len());
            assert!(line.note.starts_with(&counted), "{title}: {}", line.note);
        }
        listed.sort_unstable_by_key(|item| match item {
            Item::Scene(SceneItem::Entity { index }) => *index,
            item => panic!("{item} is no entity"),
        });
        let all: Vec<Item> = (0..300)
            .map(|index| SceneItem::Entity { index }.into())
            .collect();
        assert_eq!(listed, all, "{title}");
    }
}

/// A scene with the given number of entities. Each has a different missing model; they have two
/// factions and up to a hundred classes.
fn many(count: usize) -> String {
    let (head, _) = SCENE.split_once("num_entities").unwrap();
    let head = head.replace("num_sections 5", "num_sections 3");
    let mut text = format!("{head}num_entities {count}\n");
    for i in 0..count {
        let entity = write!(
            text,
            "entity e{i} assets/models/no{i}.pfobj 5\n\
             position vec3 {}.0 0.0 {}.0\n\
             scale vec3 1.0 1.0 1.0\n\
             rotation quat 0.0 0.0 0.0 1.0\n\
             faction_id int {}\n\
             class string C{:02}\n",
            i % 100,
            i / 100,
            i % 2,
            i % 100
        );
        entity.unwrap();
    }
    text
}

#[test]
fn of_very_many_missing_models_crosses_are_drawn_in_place_of_boxes() {
    for (count, lines_each) in [(300, 14), (4_001, 2)] {
        let document = Game::new(&many(count)).open();
        let mut lines = Vec::new();
        let annotations = document.annotations().unwrap();
        annotations.lines(&Shown::default(), &mut lines);
        assert_eq!(lines.len(), count * lines_each);
        let is_thin_from_afar = |line: &Line| line.room.is_some_and(|room| room > 0.0);
        assert!(lines.iter().all(is_thin_from_afar));
    }
}

#[test]
fn without_a_map_a_scene_stands_on_a_floor_below_its_lowest_entity() {
    let game = Game::new(SCENE);
    assert_eq!(game.open().about().floor_height, None, "it has ground");
    let path = game.0.path().join("assets/maps/a.pfscene");
    let nowhere = OpenOptions {
        map: MapChoice::Nowhere,
        ..OpenOptions::default()
    };
    let open =
        |source: &Source| mapscope_scene::open(source, &nowhere, &Progress::default()).unwrap();
    let mut source = Source::read(&path).unwrap();
    assert_eq!(open(&source).about().floor_height, Some(2.0));
    source.bytes = many(0).into_bytes().into();
    assert_eq!(open(&source).about().floor_height, Some(0.0));
}

#[test]
fn a_camera_looks_where_the_engine_has_it_look() {
    let document = Game::new(&sound(SCENE)).open();
    let camera = &document.cameras()[0];
    assert_eq!(camera.name, "above");
    assert_eq!(document.camera_of(camera.item), Some(camera));
    let Pose { eye, target } = camera.pose;
    assert_eq!(eye, Vec3::new(100.0, 175.0, -50.0));
    // Its default pitch and yaw: down by 65 degrees, to the north-east.
    let ahead = (target - eye).normalize();
    let level = 65.0_f32.to_radians().cos() / 2.0_f32.sqrt();
    let expected = Vec3::new(-level, -65.0_f32.to_radians().sin(), -level);
    assert!(ahead.distance(expected) < 1e-5, "{ahead}");
    for wrong in ["nan", "1e39"] {
        let scene = SCENE.replace("vec3 100.000000", &format!("vec3 {wrong}"));
        assert!(Game::new(&scene).open().cameras().is_empty(), "{wrong}");
    }
}

/// The view with a selected item, ten seconds and one frame after the start.
fn selected(item: Item) -> Shown {
    Shown {
        selected: Some(item),
        playhead: Playhead::at_frame(0, 241),
        ..Shown::default()
    }
}

#[test]
fn of_a_selected_entity_the_parts_are_met_where_it_stands() {
    let document = Game::new(&sound_scene()).open();
    let guard: Item = SceneItem::Entity { index: 0 }.into();
    let part = |part| Item::from(SceneItem::Part { entity: 0, part });
    let rotation = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8).conjugate();
    let (place, scale) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
    let met = |shown: &Shown| {
        let rays = toward_triangle(place, rotation, scale);
        let hits = rays.map(|ray| document.pick(ray, shown).map(|hit| hit.item));
        hits.into_iter()
            .flatten()
            .find(|item| item.kind() != "tile")
    };
    assert_eq!(met(&Shown::default()), Some(guard));
    let rock = SceneItem::Entity { index: 1 }.into();
    assert_eq!(
        met(&selected(rock)),
        Some(guard),
        "only of the selected one"
    );
    let shown = selected(guard);
    let triangle = part(ModelItem::Triangle { index: 0 });
    assert_eq!(met(&shown), Some(triangle));
    assert_eq!(document.parent_of(triangle), Some(guard));
    // Its contour and its place are at the picked position.
    let corners = TRIANGLE.map(|corner| place + scale * (rotation * Vec3::from(corner)));
    let outline = document.contour(triangle, &shown);
    for ([from, _], corner) in outline.iter().zip(corners) {
        assert!(from.distance(corner) < 1e-3, "{from} {corner}");
    }
    let bounds = document.place(triangle, &shown).bounds.unwrap();
    assert!(corners.iter().all(|corner| bounds.distance(*corner) < 1e-3));
    // Links in the model's properties lead to parts of the same entity.
    let groups = document.properties(triangle, shown.playhead);
    let of_model = groups.iter().any(|group| group.title == "Triangle");
    assert!(of_model, "{groups:?}");
    let links = groups.iter().flat_map(|group| &group.properties);
    let links: Vec<Item> = links.filter_map(|property| property.link).collect();
    assert!(links.contains(&guard), "{links:?}");
    let material = part(ModelItem::Material { index: 0 });
    assert!(links.contains(&material), "{links:?}");
    assert!(!links.iter().any(|link| matches!(link, Item::Model(_))));
    assert_eq!(
        document.next_of_kind(material, Some(triangle), false),
        Some(triangle),
        "the only one of its material"
    );
}

/// Rays from a distance around the map to points near its centre.
fn rays_around(count: u32) -> impl Iterator<Item = Ray> {
    (0..count).map(|number| {
        let [turn, rise, reach] = [2.399_963, 0.732, 7.0].map(|step| number as f32 * step);
        let origin = Vec3::new(turn.cos() * 150.0, 5.0 + rise % 120.0, turn.sin() * 150.0);
        let target = Vec3::new(reach % 90.0 - 45.0, rise % 17.0, turn % 90.0 - 45.0);
        Ray {
            origin,
            direction: (target - origin).normalize(),
        }
    })
}

#[test]
fn texts_are_covered_by_the_ground_and_by_models_but_not_by_what_they_stand_on() {
    let game = Game::new(&sound(SCENE));
    let document = game.open();
    let annotations = document.annotations().unwrap();
    let shown = Shown::default();
    let mut covered = 0;
    for ray in rays_around(500) {
        let Some(hit) = document.pick(ray, &shown) else {
            assert!(!annotations.covers(ray, 1e4, &shown), "{ray:?}");
            continue;
        };
        assert!(
            !annotations.covers(ray, hit.distance + 0.25, &shown),
            "{ray:?}"
        );
        assert!(
            annotations.covers(ray, hit.distance + 100.0, &shown),
            "{ray:?}"
        );
        covered += 1;
    }
    assert!(covered > 100, "{covered}");

    // From the front of its triangle to behind its box.
    let place = Vec3::new(1.0, 2.0, 3.0);
    let rotation = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8).conjugate();
    let rays = toward_triangle(place, rotation, Vec3::new(4.0, 5.0, 6.0));
    let guard: Item = SceneItem::Entity { index: 0 }.into();
    let meets = |ray: &Ray| {
        document
            .pick(*ray, &shown)
            .is_some_and(|hit| hit.item == guard)
    };
    let ray = rays.into_iter().find(meets).unwrap();
    let hidden = Shown {
        hidden: [guard].into(),
        ..Shown::default()
    };
    let ground = document
        .pick(ray, &hidden)
        .map_or(f32::MAX, |hit| hit.distance);
    let bounds = document.place(guard, &shown).bounds.unwrap();
    let at = |distance: f32| ray.origin + ray.direction * distance;
    let behind = (1..1000).map(|step| step as f32 * 0.25);
    let behind = behind.take_while(|distance| *distance < ground);
    let behind: Vec<f32> = behind.filter(|it| bounds.distance(at(*it)) > 0.5).collect();
    assert!(!behind.is_empty(), "{ray:?} {ground}");
    for distance in behind {
        assert!(annotations.covers(ray, distance, &shown), "{distance}");
        assert!(!annotations.covers(ray, distance, &hidden), "{distance}");
    }
    let inside = bounds.center() - ray.origin;
    assert!(!annotations.covers(ray, inside.dot(ray.direction), &shown));
    // The bones of a selection are visible through everything.
    let above = Ray {
        origin: bounds.center().with_y(-50.0),
        direction: Vec3::Y,
    };
    let distance = bounds.center().y + 50.0;
    assert!(!annotations.covers(above, distance, &selected(guard)));
}

#[test]
fn the_skeleton_of_a_selected_entity_stands_in_it() {
    let document = Game::new(&sound_scene()).open();
    let guard: Item = SceneItem::Entity { index: 0 }.into();
    let lines = |shown: &Shown, skeleton: bool| {
        let mut shown = shown.clone();
        let offered = document.about().overlays;
        shown.overlays.set(offered, OverlayId::Skeleton, skeleton);
        let mut lines = Vec::new();
        document.annotations().unwrap().lines(&shown, &mut lines);
        lines
    };
    let shown = selected(guard);
    let bones = lines(&shown, true);
    assert!(bones.len() > lines(&shown, false).len() + 20);
    let none = Shown::default();
    assert_eq!(lines(&none, true).len(), lines(&none, false).len());
    // The first bone starts at the foot of the entity and has its scaled height.
    let on_top = bones.iter().filter(|line| line.on_top);
    let ends: Vec<Vec3> = on_top.flat_map(|line| line.ends).collect();
    let foot = Vec3::new(1.0, 2.0, 3.0);
    for bone_end in [foot, foot + Vec3::Y * 5.0] {
        let nearest = ends.iter().map(|end| end.distance(bone_end));
        assert!(nearest.fold(f32::MAX, f32::min) < 1e-3, "{bone_end}");
    }
    let joint = SceneItem::Part {
        entity: 0,
        part: ModelItem::Joint { index: 1 },
    };
    let parent = document.neighbor(joint.into(), Direction::North).item;
    let root = SceneItem::Part {
        entity: 0,
        part: ModelItem::Joint { index: 0 },
    };
    assert_eq!(parent, Some(root.into()));
    let animation = document.animation().unwrap();
    assert!(animation.follows_playhead(joint.into()));
    let curves = animation.curves(joint.into(), 0, mapscope_scene::CurveOptions::default());
    let frames = animation.clips()[0].frames as usize;
    assert!(!curves.is_empty());
    assert!(curves.iter().all(|curve| curve.values.len() == frames));
}

#[test]
fn an_entity_says_what_it_plays_what_it_is_made_of_and_what_is_wrong() {
    let game = Game::new(&sound_scene());
    let texture = &tiny_model().materials[0].texture;
    std::fs::remove_file(game.0.path().join("assets/models").join(texture)).unwrap();
    let document = game.open();
    let guard = SceneItem::Entity { index: 0 };
    let shown = selected(guard.into());
    let animation = document.animation().unwrap();
    assert!(animation.clips()[0].is_clock);
    let own = animation.own_clip(guard.into(), shown.playhead).unwrap();
    // Of three frames, 241 is the second.
    assert_eq!((own.name, own.frame, own.frames), ("walk", 1, 3));
    let rock = SceneItem::Entity { index: 1 };
    assert_eq!(animation.own_clip(rock.into(), shown.playhead), None);
    let groups = document.properties(guard.into(), shown.playhead);
    let said = |title: &str, name: &str| -> Vec<String> {
        let group = groups.iter().find(|group| group.title == title);
        let properties = group.map_or(&[][..], |group| &group.properties);
        let named = properties.iter().filter(|p| p.name == name);
        named.map(|p| p.value.clone()).collect()
    };
    assert_eq!(said("Entity", "Clip"), ["walk 1 / 2"]);
    assert_eq!(said("Model", "Root joint"), ["root"]);
    assert_eq!(said("Model", "Clip"), ["walk", "idle"]);
    assert_eq!(said("Model", "Material"), ["skin0", "skin1"]);
    // A texture is missing, and the entity is above the ground.
    let wrong = said("Problems of the model", "Warning");
    assert!(wrong.iter().any(|line| line.contains(texture)), "{wrong:?}");
    let wrong = said("Problems", "Warning");
    assert!(
        wrong.iter().any(|line| line.starts_with("23:1: ")),
        "{wrong:?}"
    );
    // Swatches of the model's materials have indices after those of the map.
    let group = groups.iter().find(|group| group.title == "Model").unwrap();
    let Some(Swatch::Thumbnail(first)) = group.properties[0].swatch else {
        panic!("no swatch: {group:?}");
    };
    let terrain: &Terrain = document.content().unwrap();
    assert_eq!(first, terrain.map().materials.len());
    assert!(document.thumbnail(first).is_some() && document.thumbnail(first + 2).is_none());
}

#[test]
fn what_stands_nowhere_is_not_shown_and_nothing_is_made_up_of_its_place() {
    let (from, to) = ("vec3 1.000000 2.000000 3.000000", "vec3 nan 2 3");
    assert!(SCENE.contains(from));
    let document = Game::new(&sound_scene().replacen(from, to, 1)).open();
    let entity = SceneItem::Entity { index: 0 };
    let rules = broken(&*document);
    assert!(
        rules.iter().any(|(_, rule)| *rule == "pfscene/not-finite"),
        "{rules:?}"
    );
    let line = |rule: &str| {
        rules
            .iter()
            .find(|(_, r)| *r == rule)
            .map(|(line, _)| line.clone())
    };
    // The rock is above the ground, in line 42; the guard is off the map.
    assert_eq!(line("pfscene/off-ground").as_deref(), Some("42:1"));
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["entities"][0]["ground"], Value::Null);
    assert!(info["entities"][1]["ground"].is_number());
    let shown = Shown::default();
    assert!(document.is_hidden(entity.into(), &shown));
    assert_eq!(document.place(entity.into(), &shown).bounds, None);
    let mut placements = 0;
    document.for_each_drawable(&shown, &mut |drawable| {
        let is_model = (drawable.content as &dyn std::any::Any).is::<Model>();
        placements += if is_model {
            drawable.placements.len()
        } else {
            0
        };
    });
    assert_eq!(placements, 1, "the rock");
}

#[test]
fn errors_of_the_map_are_said_of_the_scene() {
    let game = Game::new(&sound_scene());
    assert!(
        !broken(&*game.open())
            .iter()
            .any(|(_, rule)| *rule == "pfscene/broken-map")
    );
    let map = synthesize::pfmap(1, 1, 1);
    game.write("assets/maps/a.pfmap", &map[..map.len() / 2]);
    let document = game.open();
    let problems = &document.about().problems;
    let found = problems
        .iter()
        .find(|p| p.rule.id == "pfscene/broken-map")
        .unwrap();
    // The path of the temporary folder may have any digits.
    assert!(found.message.contains("a.pfmap"), "{}", found.message);
    assert!(found.facts().contains("1024"), "{}", found.facts());
}

#[test]
fn the_size_of_an_entity_is_scaled_and_the_same_however_it_is_turned() {
    let rock = SceneItem::Entity { index: 1 };
    let still = "   rotation quat 0.000000 0.000000 0.000000 1.000000";
    let turned = "   rotation quat 0.000000 0.382683 0.000000 0.923880";
    assert!(sound_scene().contains(still));
    for rotation in [still, turned] {
        let scene = sound_scene().replace(still, rotation);
        let scene = scene.replace("scale vec3 1.000000 1.000000 1.000000", "scale vec3 2 2 2");
        let document = Game::new(&scene).open();
        let size = property(&*document, rock, "Size along its axes");
        let words: Vec<&str> = size.split_whitespace().collect();
        assert_eq!(words, ["x", "10", "y", "14", "z", "18"]);
    }
}

#[test]
fn a_place_beyond_all_maps_is_one_problem() {
    let at = |x: &str| {
        let scene = sound_scene();
        let place = "position vec3 1.000000 2.000000 3.000000";
        assert!(scene.contains(place));
        let scene = scene.replace(place, &format!("position vec3 {x} 2 3"));
        let document = Game::new(&scene).open();
        let problems = document.about().problems.iter();
        let of_place = problems.filter(|p| p.place.to_string().starts_with("23:"));
        of_place.map(|p| p.rule.id).collect::<Vec<_>>()
    };
    assert_eq!(at("900000"), ["pfscene/outside-map"]);
    assert_eq!(at("9000000"), ["pfscene/huge-length"]);
}

#[test]
fn the_angles_of_a_rotation_are_turned_around_z_first() {
    let rock = SceneItem::Entity { index: 1 };
    let angles = [20.0_f32, -30.0, 50.0].map(f32::to_radians);
    let [x, y, z] = angles;
    let rotation = Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z);
    let written = rotation.conjugate();
    let still = "   rotation quat 0.000000 0.000000 0.000000 1.000000";
    assert!(sound_scene().contains(still));
    let turned = format!(
        "   rotation quat {:.6} {:.6} {:.6} {:.6}",
        written.x, written.y, written.z, written.w
    );
    let document = Game::new(&sound_scene().replace(still, &turned)).open();
    assert_eq!(
        property(&*document, rock, "Rotation"),
        "20.00° -30.00° 50.00° around X, Y and Z, Z first"
    );
}

#[test]
fn what_models_lack_is_said_once_where_they_are_first_named() {
    let game = Game::new(&sound_scene());
    let of_models = |document: &dyn Document| {
        let problems = document.about().problems.iter();
        let of_models = problems.filter(|p| p.rule.id == "pfscene/broken-model");
        let lines = of_models.map(Problem::facts);
        lines.collect::<Vec<_>>()
    };
    assert_eq!(of_models(&*game.open()), Vec::<String>::new());
    let texture = &tiny_model().materials[0].texture;
    std::fs::remove_file(game.0.path().join("assets/models").join(texture)).unwrap();
    let found = of_models(&*game.open());
    let [found] = found.as_slice() else {
        panic!("{found:?}");
    };
    let lines: Vec<&str> = SCENE.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("entity "));
    let line = first.unwrap() + 1;
    let start = format!("{line}:1: warning: pfscene/broken-model ");
    assert!(found.starts_with(&start), "{found}");
    assert!(found.contains(&format!(" {texture}")), "{found}");
}

/// The second and last texel of each face of a skybox.
type FaceEnds = Vec<[[u8; 3]; 2]>;

/// The skybox of a document after loading: its path, texels along a side, and [`FaceEnds`].
fn skybox(document: &dyn Document) -> Option<(String, u32, FaceEnds)> {
    document.wait_until_complete();
    let environment = document.environment()?;
    let skybox = environment.skybox()?;
    let texel = |texels: &[u8]| [texels[0], texels[1], texels[2]];
    let faces = skybox.faces.iter().map(|face| {
        let level = &face.levels[0];
        [texel(&level[4..]), texel(&level[level.len() - 4..])]
    });
    let name = environment.skybox.as_ref()?.name.join(" ");
    Some((name, skybox.side(), faces.collect()))
}

#[test]
fn the_skybox_of_a_scene_is_found_and_turned_as_the_engine_does() {
    let game = Game::new(&sound_scene());
    let document = game.open();
    // The last row of an image comes first. In the top face, that is the right column from its top,
    // and in the bottom face the left column, which is white, from its bottom.
    let faces = SKYBOX.map(|(name, [upper, lower])| match name {
        "top" => [upper, [255; 3]],
        "bottom" => [[255; 3], upper],
        _ => [lower, upper],
    });
    let faces = faces.to_vec();
    let name = "assets/skyboxes/evening sky jpg".to_owned();
    assert_eq!(skybox(&*document), Some((name, 4, faces)));
    let watched = &document.about().dependencies;
    for (face, _) in SKYBOX {
        let is_it = |path: &Path| path.ends_with(format!("evening sky/{face}.jpg"));
        assert!(
            watched.iter().any(|path| is_it(path)),
            "{face}: {watched:?}"
        );
    }
    let rules = broken(&*document);
    assert!(
        rules.iter().all(|(_, rule)| !rule.starts_with("skybox/")),
        "{rules:?}"
    );
    let with_dot = Game::new(&sound_scene().replace("sky\" jpg", "sky/\" .jpg"));
    assert_eq!(skybox(&*with_dot.open()), skybox(&*document));
}

#[test]
fn what_is_wrong_with_a_skybox_is_said_at_its_line_and_leaves_the_sky_to_mapscope() {
    let folder = "assets/skyboxes/evening sky";
    let check = |change: &dyn Fn(&Game), scene: &str, expected: &[(&str, &str)]| {
        let game = Game::new(scene);
        change(&game);
        let document = game.open();
        assert!(skybox(&*document).is_none());
        let problems = document.about().problems.iter();
        let problems = problems.filter(|problem| problem.rule.id.starts_with("skybox/"));
        let problems: Vec<_> = problems.collect();
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, (rule, said)) in problems.iter().zip(expected) {
            assert_eq!(
                (problem.place.to_string().as_str(), problem.rule.id),
                ("4:1", *rule)
            );
            let message = &problem.message;
            assert!(message.contains(said) && message.len() < 400, "{message}");
        }
    };
    let sound = sound_scene();
    let remove = |game: &Game, name: &str| {
        std::fs::remove_file(game.0.path().join(folder).join(name)).unwrap();
    };
    check(
        &|game| {
            remove(game, "front.jpg");
            remove(game, "top.jpg");
        },
        &sound,
        &[
            ("skybox/missing", "top.jpg"),
            ("skybox/missing", "front.jpg"),
        ],
    );
    check(
        &|game| game.write(&format!("{folder}/left.jpg"), b"no image"),
        &sound,
        &[("skybox/unreadable", "left.jpg")],
    );
    check(
        &|game| game.write(&format!("{folder}/back.jpg"), &bitmap(8, |_, _| [0; 3])),
        &sound,
        &[("skybox/size", "back.jpg")],
    );
    let cut = bitmap(4, |_, _| [0; 3]);
    let cut = |game: &Game| game.write(&format!("{folder}/top.jpg"), &cut[..cut.len() - 1]);
    check(&cut, &sound, &[("skybox/unreadable", "top.jpg")]);
    let elsewhere = sound.replace("evening sky", "morning");
    check(
        &|_| (),
        &elsewhere,
        &[("skybox/missing", "`assets/skyboxes/morning/right.jpg`")],
    );
    // A long name is truncated in the message.
    let long = sound.replace("sky\" jpg", &format!("sky\" {}", "e".repeat(400)));
    let said = format!("`{folder}/right.ee");
    check(&|_| (), &long, &[("skybox/missing", &*said)]);
    let outside = sound.replace(folder, "../sky");
    check(&|_| (), &outside, &[("skybox/name", "../sky/right.jpg")]);
}

#[test]
fn a_skybox_is_read_after_what_it_is_around_was_opened() {
    let game = Game::new(&sound_scene().replace("evening sky", "clouds_blue"));
    let folder = game.0.path().join("assets/skyboxes/clouds_blue");
    write_skybox(&folder, 8).unwrap();
    let map = game.0.path().join("assets/maps/a.pfmap");
    let revisions = |document: &dyn Document| {
        let mut revisions = Vec::new();
        document.for_each_drawable(&Shown::default(), &mut |it| revisions.push(it.revision));
        revisions
    };
    for document in [game.open(), open(&map)] {
        document.load_deferred(&|| document.pending() != Some(Pending::Skybox), &|| {});
        assert_eq!(document.pending(), Some(Pending::Skybox));
        let is_there = || document.environment().unwrap().skybox().is_some();
        assert!(!is_there());
        let before = (document.revision(), document.cpu_bytes());
        let drawn = revisions(&*document);
        document.wait_until_complete();
        assert!(is_there() && document.pending().is_none());
        assert_ne!(document.revision(), before.0);
        // Six faces with their mip levels.
        assert_eq!(document.cpu_bytes() - before.1, 6 * 4 * (64 + 16 + 4 + 1));
        // Nothing else is uploaded again.
        assert_eq!(revisions(&*document), drawn);
    }
    let cut = bitmap(8, |_, _| [0; 3]);
    std::fs::write(folder.join("top.jpg"), &cut[..cut.len() - 1]).unwrap();
    for path in [&game.0.path().join("assets/maps/a.pfscene"), &map] {
        let source = Source::read(path).unwrap();
        let rules = |checks_textures| {
            let options = OpenOptions {
                checks_textures,
                ..OpenOptions::default()
            };
            let document = mapscope_scene::open(&source, &options, &Progress::default());
            broken(&*document.unwrap())
        };
        let is_said = |rules: Vec<(String, &str)>| {
            let said = rules
                .iter()
                .filter(|(_, rule)| *rule == "skybox/unreadable");
            said.count()
        };
        assert_eq!([false, true].map(|it| is_said(rules(it))), [0, 1]);
    }
    // A truncated image is shown as far as it goes.
    let mut jpeg = std::io::Cursor::new(Vec::new());
    let black = image::RgbImage::new(8, 8);
    black.write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
    let jpeg = jpeg.into_inner();
    std::fs::write(folder.join("top.jpg"), &jpeg[..jpeg.len() - 2]).unwrap();
    for document in [game.open(), open(&map)] {
        let is_said = || {
            let mut rules = broken(&*document).into_iter();
            rules.any(|(_, rule)| rule == "texture/truncated")
        };
        assert!(!is_said());
        assert!(skybox(&*document).is_some() && is_said());
    }
}

#[test]
fn around_what_names_no_skybox_is_that_of_the_game_if_it_is_there() {
    let line = "    skybox \"assets/skyboxes/evening sky\" jpg\n";
    let game = Game::new(&sound_scene().replace(line, ""));
    let map = game.0.path().join("assets/maps/a.pfmap");
    let documents = || [game.open(), open(&map)];
    for document in documents() {
        assert!(skybox(&*document).is_none());
        let rules = broken(&*document);
        assert!(
            rules.iter().all(|(_, rule)| !rule.starts_with("skybox/")),
            "{rules:?}"
        );
    }
    let folder = game.0.path().join("assets/skyboxes/clouds_blue");
    write_skybox(&folder, 8).unwrap();
    for document in documents() {
        let (name, side, _) = skybox(&*document).unwrap();
        assert_eq!(
            (name.as_str(), side),
            ("assets/skyboxes/clouds_blue jpg", 8)
        );
    }
    std::fs::remove_file(folder.join("right.jpg")).unwrap();
    for document in documents() {
        assert!(skybox(&*document).is_none());
        let found = broken(&*document);
        assert!(
            found.contains(&("1:1".to_owned(), "skybox/missing")),
            "{found:?}"
        );
    }
    // A scene with its own skybox does not look for the default one.
    let named = Game::new(&sound_scene());
    write_skybox(&named.0.path().join("assets/skyboxes/clouds_blue"), 8).unwrap();
    assert_eq!(skybox(&*named.open()).unwrap().1, 4);
}

#[test]
fn a_scene_stands_in_the_light_that_it_names() {
    let document = Game::new(&sound_scene()).open();
    let sun = document.environment().unwrap().sun;
    assert_eq!(sun.position, Vec3::new(1.5, 2.5, -3.5));
    assert_eq!((sun.ambient * 255.0).round(), Vec3::new(10.0, 20.0, 30.0));
    assert_eq!((sun.color * 255.0).round(), Vec3::new(50.0, 60.0, 70.0));
    // Its map is shaded with the same sun.
    let terrain: &Terrain = document.content().unwrap();
    assert_eq!(*terrain.sun(), sun);
    let alone = Game::new(&sound_scene());
    let alone = open(&alone.0.path().join("assets/maps/a.pfmap"));
    let alone: &Terrain = alone.content().unwrap();
    assert_eq!(*alone.sun(), Sun::default());
    let [alone, here] = [alone, terrain].map(|it| &it.relief().shadow.heights);
    assert_ne!(alone, here);
    let shown = |name| property(&*document, SceneItem::Scene, name);
    assert_eq!(shown("Skybox"), "assets/skyboxes/evening sky (jpg)");
    assert_eq!(shown("Sun"), "50 60 70, alpha 80");
    assert_eq!(shown("Height of the sun"), "33.3° above the horizon");
    let info = document.info(&InfoQuery::default());
    let expected = serde_json::json!({
        "skybox": {"folder": "assets/skyboxes/evening sky", "extension": "jpg", "found": true},
        "ambient_light_color": [10, 20, 30, 40],
        "emit_light_color": [50, 60, 70, 80],
        "emit_light_pos": [1.5, 2.5, -3.5],
    });
    assert_eq!(info["general"], expected);
    assert!(document.outline()[0].note.contains("sky evening sky"));
}

#[test]
fn what_a_scene_does_not_name_of_its_light_is_as_in_the_game() {
    let is_light =
        |line: &&str| line.trim_start().starts_with("ambient_") || line.contains("emit_");
    let scene = sound_scene();
    let lines: Vec<&str> = scene.lines().filter(|line| !is_light(line)).collect();
    let scene = format!("{}\n", lines.join("\n"));
    let elsewhere = scene.replace("evening sky", "morning");
    let document = Game::new(&elsewhere).open();
    assert_eq!(document.environment().unwrap().sun, Sun::default());
    let shown = |name| property(&*document, SceneItem::Scene, name);
    assert_eq!(shown("Ambient light"), "255 255 255, as in the game");
    assert_eq!(
        shown("Position of the sun"),
        "1664 1024 384, as in the game"
    );
    assert_eq!(
        shown("Skybox"),
        "assets/skyboxes/morning (jpg), which cannot be shown"
    );
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["general"]["skybox"]["found"], false);
    assert_eq!(info["general"]["emit_light_pos"], Value::Null);
}
