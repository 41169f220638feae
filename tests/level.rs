//! Levels through the public interface: what `info` says of the samples against what is said
//! beside them.

#![cfg(test)]

#[path = "support/shared.rs"]
mod shared;

use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use mapscope::formats::pmf;
use mapscope::scene::camera::Camera;
use mapscope::scene::level::{self, Map};
use mapscope::scene::registry::{self, OpenOptions, Progress, Source};
use mapscope::scene::{Document, InfoQuery, Ray};
use serde_json::{Value, json};

use shared::shared;

fn open(path: &Path) -> Arc<Map> {
    let source = Source::read(path).unwrap();
    let map = pmf::read(&source.bytes).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Arc::new(Map::build(map, &source, &options, &progress).unwrap())
}

/// The samples with what is said beside them.
fn samples() -> Vec<(Arc<Map>, Value)> {
    let Some(folder) = shared("samples/pmf") else {
        return Vec::new();
    };
    let names = ["tiny", "tiny_stored", "levels0", "room", "stripped"];
    let samples = names.map(|name| {
        let truth = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
        let map = open(&folder.join(format!("{name}.pmf")));
        (map, serde_json::from_slice(&truth).unwrap())
    });
    samples.into()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// What is said to be a list of entities and the like is counted in `info`.
fn count(value: &Value) -> Value {
    list(value).len().into()
}

#[test]
fn info_says_what_is_in_a_map() {
    for (map, truth) in samples() {
        let info = Value::from(map.info(&InfoQuery::default()));
        assert!(map.problems().is_empty());
        for key in [
            "name",
            "description",
            "authors",
            "time",
            "gamemodes",
            "compiler",
        ] {
            assert_eq!(info["header"][key], truth["header"][key], "{key}");
        }
        assert_eq!(info["archive"], truth["paf_files"]);
        assert_eq!(info["entities"], count(&truth["entities"]));
        let extensions: Vec<Value> = list(&truth["extensions"])
            .iter()
            .map(|truth| {
                json!({
                    "name": truth["name"],
                    "required": truth["support_required"],
                    "crc": truth["use_in_crc"],
                    "bytes": truth["size"],
                })
            })
            .collect();
        assert_eq!(info["extensions"], json!(extensions));
        assert_eq!(
            info["levels"].as_array().unwrap().len(),
            list(&truth["levels"]).len()
        );
        for (level, truth) in list(&info["levels"]).iter().zip(list(&truth["levels"])) {
            assert_eq!(level["materials"], truth["materials"]);
            assert_eq!(level["grid"], truth["grid_yxz"]);
            assert_eq!(level["center"], truth["center_yxz"]);
            assert_eq!(level["chunk_size"].as_f64(), truth["chunk_size"].as_f64());
            assert_eq!(level["entities"], count(&truth["entities"]));
            assert_eq!(list(&level["chunks"]).len(), list(&truth["chunks"]).len());
            for (chunk, truth) in list(&level["chunks"]).iter().zip(list(&truth["chunks"])) {
                assert_eq!(chunk["index"], truth["index_yxz"]);
                assert_eq!(chunk["by_type"], truth["counts"]);
                assert_eq!(chunk["entities"], count(&truth["entities"]));
                assert_eq!(chunk["readable"], true);
                for key in ["cubes", "triangles", "vertices", "normals", "lightmaps"] {
                    assert_eq!(chunk[key], truth[key], "{key}");
                }
            }
        }
    }
}

/// Whether two boxes are the same; those of the truth are rounded.
fn assert_box(found: &Value, truth: &Value) {
    let pairs = list(found).iter().zip(list(truth));
    let axes = pairs.flat_map(|(found, truth)| list(found).iter().zip(list(truth)));
    let mut count = 0;
    for (found, truth) in axes {
        let [found, truth] = [found, truth].map(|number| number.as_f64().unwrap());
        assert!((found - truth).abs() < 0.001, "{found}, expected {truth}");
        count += 1;
    }
    assert_eq!(count, 6);
}

#[test]
fn info_says_what_a_cube_is() {
    let mut found = 0;
    for (map, truth) in samples() {
        for (number, level) in list(&truth["levels"]).iter().enumerate() {
            for chunk in list(&level["chunks"]) {
                let [y, x, z] = [0, 1, 2].map(|axis| chunk["index_yxz"][axis].as_u64().unwrap());
                // `info` lists all chunks each time.
                for truth in list(&chunk["geometry"]).iter().step_by(53) {
                    let index = truth["i"].as_u64().unwrap();
                    let cube = [number as u64, y, x, z, index].map(|number| number as u32);
                    let query = InfoQuery {
                        cube: Some(cube),
                        ..InfoQuery::default()
                    };
                    let info = &map.info(&query)["cube"];
                    assert_eq!(info["type"], "geometry");
                    for key in ["materials", "faces", "triangles", "lightmaps", "backfaces"] {
                        assert_eq!(info[key], truth[key], "{key} of {index}");
                    }
                    assert_eq!(info["depth"], count(&info["parents"]));
                    assert_box(&info["cell"], &truth["cell"]);
                    assert_box(&info["bounds"], &truth["aabb"]);
                    found += 1;
                }
            }
        }
        let query = InfoQuery {
            cube: Some([0, 0, 0, 0, u32::MAX]),
            ..InfoQuery::default()
        };
        assert_eq!(map.info(&query)["cube"], Value::Null);
    }
    assert!(found == 0 || found > 50, "{found}");
}

/// What is said of the first face of a level on a ray: name and value.
fn pointed_at(map: &Map, ray: Ray) -> Vec<(&'static str, String)> {
    let hit = map.first_hit(ray, 0, false).unwrap();
    let parts = map.summary(hit.item).into_iter();
    parts.map(|part| (part.name, part.value)).collect()
}

#[test]
fn the_room_is_as_one_sees_it_from_inside() {
    let Some(path) = shared("samples/pmf/room.pmf") else {
        return;
    };
    let map = open(&path);
    assert!(map.textures().list.iter().all(|texture| texture.file.found));
    assert_eq!(map.textures().list.len(), 8);
    let level = &map.levels()[0];
    let bounds = level.bounds;
    assert_eq!(bounds.min.z, -8.0);
    // The reference picture has a field of view of 58 degrees at 900x600; here it is 45.
    let pose = "-6,-2,6.3,9.211,-4.394,-6.463".parse().unwrap();
    let camera = Camera::new(pose, level::HANDEDNESS);
    let zoom = 29_f32.to_radians().tan() / 22.5_f32.to_radians().tan();
    let at = |x: f32, y: f32| {
        let place = glam::Vec2::new(x / 900.0 - 0.5, y / 600.0 - 0.5) * zoom + 0.5;
        pointed_at(&map, camera.ray_in_world(place, 1.5))
    };
    let said = |x, y, name: &str| {
        let parts = at(x, y);
        let part = parts.iter().find(|(part, _)| *part == name);
        part.map(|(_, value)| value.clone()).unwrap()
    };
    // The three pillars, the floor between them, and the wall on the left.
    for (x, y) in [(210.0, 200.0), (480.0, 300.0), (840.0, 300.0)] {
        assert_eq!(said(x, y, "Material"), "brick", "{x} {y}");
    }
    assert_eq!(said(340.0, 500.0, "Material"), "wood");
    assert_eq!(said(340.0, 500.0, "Side"), "+Y");
    assert_eq!(said(60.0, 200.0, "Material"), "concrete");
    // The green block beyond the doorway is in the other chunk.
    assert_eq!(said(335.0, 352.0, "Material"), "grass");
    assert_eq!(said(335.0, 352.0, "Chunk"), "(0, 1, 0)");
    // The steps on the right go up to the left.
    assert_eq!(said(690.0, 392.0, "Material"), "brick");
    assert_eq!(said(740.0, 430.0, "Material"), "wood");
    // The middle pillar shows its side +Z on the left and -X on the right.
    let sides = [480.0, 580.0].map(|x| said(x, 300.0, "Side"));
    assert_eq!(sides, ["+Z", "-X"]);
    let down = Ray {
        origin: Vec3::new(-6.0, -2.0, 6.3),
        direction: Vec3::NEG_Y,
    };
    assert_eq!(pointed_at(&map, down)[0], ("Chunk", "(0, 0, 0)".to_owned()));
}

#[test]
fn a_pick_takes_less_than_a_millisecond_once_trees_are_there() {
    let pmf = pmf::synthesize([2, 4, 4], 4, 3);
    let source = Source {
        path: "made-up.pmf".into(),
        bytes: [].into(),
        embedded: &[],
    };
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let map = Map::build(pmf, &source, &options, &progress).unwrap();
    let bounds = map.levels()[0].bounds;
    let rays = (0..400_u32).map(|i| {
        let turn = i as f32 * 0.7;
        let origin = bounds.center() + Vec3::new(turn.cos(), 0.3, turn.sin()) * bounds.radius();
        let target = bounds.center() + Vec3::new(turn.sin(), 0.0, turn.cos()) * 20.0;
        Ray {
            origin,
            direction: (target - origin).normalize(),
        }
    });
    let rays: Vec<Ray> = rays.collect();
    let hits = rays
        .iter()
        .filter(|ray| map.first_hit(**ray, 0, false).is_some());
    assert!(hits.count() > 200);
    let begun = std::time::Instant::now();
    for ray in &rays {
        std::hint::black_box(map.first_hit(*ray, 0, false));
    }
    let each = begun.elapsed() / rays.len() as u32;
    println!("{each:?} a pick");
    assert!(each < std::time::Duration::from_millis(1), "{each:?}");
}

#[test]
fn a_broken_chunk_is_listed_as_unreadable_and_the_rest_is_there() {
    let Some(folder) = shared("samples/pmf/malformed") else {
        return;
    };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "pmf") {
            continue;
        }
        let truth = std::fs::read(path.with_extension("json")).unwrap();
        let truth: Value = serde_json::from_slice(&truth).unwrap();
        let source = Source::read(&path).unwrap();
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let opened = registry::open(&source, &options, &progress);
        // What is wrong with the file as a whole refuses it.
        assert_eq!(
            opened.is_ok(),
            truth["scope"] == "chunk",
            "{}",
            path.display()
        );
        let Ok(map) = opened else { continue };
        let info = Value::from(map.info(&InfoQuery::default()));
        let levels = list(&info["levels"]).iter();
        let chunks: Vec<&Value> = levels.flat_map(|level| list(&level["chunks"])).collect();
        let unreadable = chunks.iter().filter(|chunk| chunk["readable"] == false);
        let unreadable = unreadable.count();
        let statistics = map.statistics();
        let said = statistics.iter().find(|s| s.name == "Unreadable chunks");
        assert!(unreadable > 0, "{}", path.display());
        assert_eq!(said.unwrap().value, unreadable.to_string());
        assert!(!map.problems().is_empty(), "{}", path.display());
        assert!(map.problems().is_sorted_by_key(|problem| problem.place));
    }
}
