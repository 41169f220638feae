//! `info --item`, `--joint`, `--clip` and `--frame`, and `info` with several files.

use mapscope_formats::ika::text_map;
use mapscope_formats::pfobj::{self, Rotation, Transform};
use mapscope_testdata::{synthesize, tiny_model, tiny_scene};
use serde_json::{Value, json};

use super::folder::Folder;

/// A model whose arm turns around Z in the second frame of its first clip.
fn model() -> Vec<u8> {
    let mut model = tiny_model();
    let half = 0.5_f32.sqrt();
    let moved = |translation| Transform {
        scale: [1.0; 3],
        rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, 0.0, 1.0]),
        translation,
    };
    let bind = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]].map(moved);
    for (joint, bind) in model.joints.iter_mut().zip(bind) {
        joint.bind = bind;
    }
    for clip in &mut model.clips {
        for frame in clip.poses.chunks_exact_mut(3) {
            frame.copy_from_slice(&bind);
        }
    }
    // A quarter turn, which files store conjugated.
    model.clips[0].poses[4] = Transform {
        scale: [2.0; 3],
        rotation: Rotation::ConjugatedQuaternion([0.0, 0.0, -half, half]),
        ..bind[1]
    };
    model.vertices[0].first_influence = 0;
    model.influences[0].joint = 2;
    pfobj::write(&model)
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("arm.pfobj", model());
    folder
}

/// The list `items` of the output.
#[track_caller]
fn items(folder: &Folder, args: &str) -> Vec<Value> {
    let info = folder.run(&format!("info --json {args}"));
    let items = info.expect(0).json()["items"].take();
    items.as_array().cloned().unwrap_or_default()
}

/// Asserts that two values are equal except for rounding.
#[track_caller]
fn assert_near(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            found
                .iter()
                .zip(expected)
                .for_each(|(f, e)| assert_near(f, e));
        }
        (Value::Number(f), Value::Number(e)) => {
            let off = f.as_f64().unwrap() - e.as_f64().unwrap();
            assert!(off.abs() < 1e-4, "{found} {expected}");
        }
        _ => assert_eq!(found, expected),
    }
}

#[test]
fn items_are_found_by_their_fields() {
    let folder = Folder::new();
    let query = "tile where type != flat and row < 20";
    let find =
        |more: &[&str]| folder.run_args([&["info", "demo:terrain", "--find"], more].concat());
    let found = find(&[query, "--json"]).json()["found"].clone();
    assert_eq!(found["query"], query);
    let items = found["items"].as_array().unwrap();
    assert_eq!(found["listed"], items.len());
    assert!(found["count"].as_u64() >= found["listed"].as_u64());
    for item in items {
        assert_eq!(item["kind"], "tile");
        assert!(item["fields"]["tile"]["row"].as_u64() < Some(20));
        assert_ne!(item["fields"]["shape"]["type"], "flat");
    }
    let text = find(&[query]).stdout;
    assert!(
        text.contains(&format!("{} items found", found["count"])),
        "{text}"
    );
    let none = find(&["row > 1000", "--json"]).json()["found"].clone();
    assert_eq!(
        none,
        json!({"query": "row > 1000", "count": 0, "listed": 0, "items": []})
    );
    for query in ["rows_of > 1", "trees where row = 1", "row >"] {
        let refused = find(&[query]).expect(2);
        assert!(
            refused.stderr.contains("--find: column "),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn a_joint_is_described_at_a_frame() {
    let folder = folder();
    let hand = items(&folder, "arm.pfobj --joint hand --clip walk --frame 1");
    let [hand] = &hand[..] else {
        panic!("{hand:?}");
    };
    assert_eq!(hand["item"], "joint 2");
    assert_eq!(hand["kind"], "joint");
    assert_eq!(hand["name"], "hand");
    let fields = &hand["fields"];
    assert_eq!(fields["joint"]["name"], "hand");
    assert_eq!(fields["joint"]["index"], 2);
    assert_eq!(fields["joint"]["parent"], 1);
    assert_eq!(fields["joint"]["children"], json!([]));
    assert_eq!(fields["joint"]["vertices"], 1);
    let text = std::fs::read_to_string(folder.path("arm.pfobj")).unwrap();
    let line = |line: &Value| {
        text.lines()
            .nth(line.as_u64().unwrap() as usize - 1)
            .unwrap()
    };
    assert!(line(&fields["joint"]["place"]["line"]).contains("hand"));
    assert!(line(&fields["local"]["place"]["line"]).contains("3.0"));
    assert_near(&fields["local"]["translation"], &json!([0, 0, 3]));
    assert_near(&fields["local"]["rotation"], &json!([0, 0, 0, 1]));
    // The arm is at 1, 2, 0, twice as large, and its X is the model's Y.
    let global = json!([[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 6]]);
    assert_near(&fields["global"]["matrix"], &global);
    assert_near(&fields["global"]["translation"], &json!([1, 2, 6]));
    assert_near(&fields["global"]["scale"], &json!([2, 2, 2]));
    let half = 0.5_f32.sqrt();
    assert_near(&fields["global"]["rotation"], &json!([0, 0, half, half]));
    let skinning = json!([[0, -2, 0, 5], [2, 0, 0, 0], [0, 0, 2, 0]]);
    assert_near(&fields["global"]["skinning"], &skinning);
    assert_near(&fields["bind_global"]["translation"], &json!([1, 2, 3]));
    assert_near(&fields["bind_local"]["tip"], &json!([0, 1, 0]));

    let root = items(&folder, "arm.pfobj --joint root");
    assert_eq!(root[0]["fields"]["joint"]["parent"], Value::Null);
    assert_eq!(root[0]["fields"]["joint"]["children"], json!([1]));
    assert_eq!(root[0]["fields"].get("global"), None);
    let half_way = items(&folder, "arm.pfobj --joint arm --clip walk --frame 0.5");
    assert_near(
        &half_way[0]["fields"]["local"]["scale"],
        &json!([1.5, 1.5, 1.5]),
    );
}

#[test]
fn items_are_found_by_kind_name_and_number() {
    let folder = folder();
    let called = |args: &str| -> Vec<String> {
        let items = items(&folder, args);
        let names = items
            .iter()
            .map(|it| it["item"].as_str().unwrap().to_owned());
        names.collect()
    };
    let joints = ["joint 0", "joint 1", "joint 2"];
    assert_eq!(called("arm.pfobj --item joint"), joints);
    assert_eq!(called("arm.pfobj --item joint:arm"), ["joint 1"]);
    assert_eq!(called("arm.pfobj --item joint:1"), ["joint 1"]);
    assert_eq!(
        called("arm.pfobj --item triangle"),
        ["triangle 0", "triangle 1"]
    );
    // Flaws, chunks and islands have no lists in the file.
    let flaws = called("arm.pfobj --item flaw");
    assert!(flaws.iter().all(|flaw| flaw.starts_with("flaw ")));
    folder.write("hill.pfmap", synthesize::pfmap(2, 1, 1));
    assert_eq!(
        called("hill.pfmap --item chunk"),
        ["chunk 0 0", "chunk 1 0"]
    );
    assert!(!called("hill.pfmap --item island").is_empty());
    let several = "arm.pfobj --item clip:idle --item material:skin1 --joint root";
    assert_eq!(called(several), ["clip 1", "material 1", "joint 0"]);
    let triangle = &items(&folder, "arm.pfobj --item triangle:1")[0];
    let corner = &triangle["fields"]["corners"][0];
    assert_eq!(corner["weights"], json!([{"joint": 0, "weight": 1.0}]));
    assert_eq!(corner["uv"], json!([0.25, 0.5]));
    let text = folder.run("info arm.pfobj --joint hand").expect(0).stdout;
    assert!(
        text.contains("\njoint 2  hand\n  Joint\n    Index"),
        "{text}"
    );
    assert!(text.contains("Parent       arm\n"), "{text}");
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let folder = folder();
    for (args, expected) in [
        (
            "--joint foot",
            "--joint foot: the file has no joint `foot`; there are root, arm, hand",
        ),
        (
            "--item joint:9",
            "no joint `9`; there are 0 (root), 1 (arm), 2 (hand); expected joint:INDEX or a name",
        ),
        ("--item tile:1,2", "no tile `1,2`"),
        (
            "--item foot",
            "--item foot: expected a kind of item, optionally with a colon and a name or numbers; \
             this file has model, joint:INDEX, triangle:INDEX",
        ),
        ("--item zone", "this file has model, joint:INDEX"),
        (
            "--joint arm --clip run",
            "clip `run` not found; this file has walk, idle",
        ),
        (
            "--joint arm --clip walk --frame 3",
            "the clip has frames 0 to 2",
        ),
    ] {
        let outcome = folder.run(&format!("info arm.pfobj {args}")).expect(2);
        assert!(outcome.stderr.contains(expected), "{args}: {outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
    let outcome = folder.run("info arm.pfobj --joint arm --frame 1").expect(2);
    assert!(outcome.stderr.contains("--clip"), "{outcome:?}");
}

#[test]
fn several_files_are_described_one_after_another() {
    let folder = folder();
    let mut broken = model();
    broken.truncate(broken.len() / 2);
    folder.write("broken.pfobj", broken);
    folder.write("odd.pfobj", "no model");
    let text = folder.run("info arm.pfobj arm.pfobj").expect(0).stdout;
    assert_eq!(text.matches("arm.pfobj\n").count(), 2, "{text}");
    assert!(text.contains("\n\narm.pfobj\n"), "{text}");
    let outcome = folder.run("info --json arm.pfobj broken.pfobj").expect(1);
    let lines: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["file"], "arm.pfobj");
    assert_eq!(lines[0]["vertices"], 6);
    assert_ne!(lines[1]["problems"], json!([]));
    let outcome = folder.run("info --json none.pfobj arm.pfobj").expect(2);
    let first: Value = serde_json::from_str(outcome.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["file"], "none.pfobj");
    assert!(first["error"].is_string());
    assert_eq!(outcome.stdout.lines().count(), 2);
    assert!(outcome.stderr.contains("none.pfobj"), "{outcome:?}");
    // Each message names its file.
    let outcome = folder
        .run("info arm.pfobj demo:village --tile 900,2")
        .expect(2);
    for name in ["arm.pfobj", "demo:village"] {
        let said = format!("error: {name}: --tile 900,2: ");
        assert!(outcome.stderr.contains(&said), "{outcome:?}");
    }
    let outcome = folder
        .run("info arm.pfobj odd.pfobj --joint foot")
        .expect(2);
    let said = "error: arm.pfobj: --joint foot: the file has no joint";
    assert!(outcome.stderr.contains(said), "{outcome:?}");
    let outcome = folder.run("info - -").expect(2);
    assert!(outcome.stderr.contains("only once"), "{outcome:?}");
}

/// The fields of all objects of a kind in the output of `info --json`.
fn objects<'a>(info: &'a Value, kind: &str) -> Vec<&'a Value> {
    let objects = info["objects"].as_array().unwrap().iter();
    let of_kind = objects.filter(|object| object["kind"] == kind);
    let heading = kind.replace(' ', "_");
    of_kind.map(|it| &it["fields"][&heading]).collect()
}

#[test]
fn json_has_all_that_stands_on_a_2d_map() {
    let folder = Folder::new();
    let map = synthesize::ika_text_map([12, 9], 2, 1);
    folder.write("a.ika-map", text_map::write(&map).unwrap());
    let info = folder.run("info --json a.ika-map").expect(0).json();
    let layers = map.layers.iter();
    let entities = layers.flat_map(|layer| layer.entities.iter().map(move |it| (layer, it)));
    let entities: Vec<_> = entities.collect();
    let found = objects(&info, "entity");
    assert_eq!(found.len(), entities.len());
    for (found, (layer, entity)) in found.iter().zip(entities) {
        assert_eq!(found["name"], *entity.label);
        // The position of the layer is added to that of the entity.
        let place = [0, 1].map(|axis| layer.position[axis] + entity.position[axis]);
        assert_near(&json!([found["rect"][0], found["rect"][1]]), &json!(place));
    }
    assert_eq!(found[5]["layer"], 1);
    let text = info["objects"].to_string();
    for said in [
        "walker.ika-sprite",
        "enter_café",
        "touch",
        "talk",
        "path\\\\way",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let zone = objects(&info, "zone")[0];
    assert_eq!(zone["name"], "Café");
    let areas: Vec<Value> = map
        .layers
        .iter()
        .zip(0..)
        .flat_map(|(layer, number)| {
            let areas = layer.zones.iter();
            areas.map(move |it| {
                let place = [0, 1].map(|axis| layer.position[axis] + it.position[axis]);
                {
                    let rect = [place, it.size].concat();
                    json!([number, rect])
                }
            })
        })
        .collect();
    let found = zone["areas"].as_array().unwrap().iter();
    let found: Vec<Value> = found.map(|it| json!([it["layer"], it["rect"]])).collect();
    assert_near(&found.into(), &areas.into());
    let obstructed: Vec<Value> = map
        .layers
        .iter()
        .zip(0..)
        .map(|(layer, number)| {
            let blocked = layer.obstructions.iter().filter(|it| **it != 0).count();
            json!({"layer": number, "size": layer.size, "obstructed": blocked, "by_sides": true})
        })
        .collect();
    assert_eq!(info["obstruction"], Value::from(obstructed));
    let tileset = json!([{"kind": "tileset", "name": map.tileset, "path": null, "found": false,
                          "named_by": null}]);
    assert_eq!(info["files"], tileset);
    let tileset = synthesize::ika_tileset(1);
    folder.write(
        &map.tileset,
        mapscope_formats::ika::vsp::write(&tileset).unwrap(),
    );
    let info = folder.run("info --json a.ika-map").expect(0).json();
    let found = &info["files"][0];
    assert_eq!(found["found"], true);
    assert!(
        found["path"].as_str().unwrap().ends_with(&map.tileset),
        "{found}"
    );
}

#[test]
fn json_has_all_of_a_scene_and_where_its_files_are() {
    let folder = Folder::new();
    let scene = tiny_scene::write_game(&folder.path(""), &tiny_scene::sound_scene()).unwrap();
    let scene = scene.to_str().unwrap();
    let info = folder.run_args(["info", "--json", scene]).json();
    let kinds = |kind| objects(&info, kind).len();
    assert_eq!([kinds("entity"), kinds("faction")], [2, 2]);
    assert_eq!([kinds("region"), kinds("camera")], [2, 1]);
    let guard = &info["objects"]
        .as_array()
        .unwrap()
        .iter()
        .find(|object| object["item"] == "entity 0")
        .unwrap()["fields"];
    assert_eq!(guard["attributes"]["scale"], json!([4.0, 5.0, 6.0]));
    assert_eq!(guard["attributes"]["faction_id"], 1);
    assert_eq!(guard["place"]["position"], json!([1.0, 2.0, 3.0]));
    let files = info["files"].as_array().unwrap();
    let found = |kind: &str, end: &str| {
        let mut files = files.iter().filter(|file| file["kind"] == kind);
        let file = files.find(|file| file["name"].as_str().unwrap().ends_with(end));
        file.unwrap_or_else(|| panic!("{kind} {end}: {files:?}"))
            .clone()
    };
    for (kind, end) in [
        ("map", "a.pfmap"),
        ("model", "guard.pfobj"),
        ("texture", "picture0.png"),
    ] {
        let file = found(kind, end);
        assert_eq!(file["found"], true, "{file}");
        assert!(file["path"].as_str().unwrap().ends_with(end), "{file}");
    }
    assert_eq!(found("model", "guard.pfobj")["named_by"], Value::Null);
    let by = &found("texture", "picture0.png")["named_by"];
    assert!(by.as_str().unwrap().ends_with("guard.pfobj"), "{by}");
    std::fs::remove_file(folder.path("assets/models/guard.pfobj")).unwrap();
    let info = folder.run_args(["info", "--json", scene]).json();
    let files = info["files"].as_array().unwrap();
    let model = files.iter().find(|file| file["kind"] == "model").unwrap();
    assert_eq!(
        [&model["found"], &model["path"]],
        [&json!(false), &Value::Null]
    );
}

#[test]
fn a_kind_that_a_file_has_none_of_is_named() {
    let folder = Folder::new();
    let mut model = tiny_model();
    model.clips.clear();
    folder.write("still.pfobj", pfobj::write(&model));
    let info = folder.run("info still.pfobj --item clip --item joint");
    let text = info.expect(0).stdout.clone();
    assert!(text.contains("\nclip  none\n"), "{text}");
    assert!(!text.contains("joint  none"), "{text}");
    assert!(items(&folder, "still.pfobj --item clip").is_empty());
}
