//! Levels through the public interface: the output of `info` for samples against their sidecar
//! files.

use mapscope_scene::{Places as _, Walk as _};
use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use mapscope_formats::{Problem, Severity, pmf};
use mapscope_scene::camera::Camera;
use mapscope_scene::level::{self, Map};
use mapscope_scene::{
    Document, InfoQuery, Item, LevelItem, Levels as _, OpenOptions, OutlineNode, Playhead,
    Progress, Property, Ray, Shown, Source,
};
use mapscope_testdata::shared;
use serde_json::{Value, json};

fn open(path: &Path) -> Arc<Map> {
    let source = Source::read(path).unwrap();
    let map = pmf::read(&source.bytes).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Arc::new(Map::build(map, &source, &options, &progress).unwrap())
}

/// The samples with the content of their sidecar files.
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

/// Length of a list in the sidecar, which `info` reports as a number.
fn count(value: &Value) -> Value {
    list(value).len().into()
}

#[test]
fn info_says_what_is_in_a_map() {
    for (map, truth) in samples() {
        let info = Value::from(map.info(&InfoQuery::default()));
        assert!(map.about().problems.is_empty());
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

/// Asserts that two boxes are equal; the expected one is rounded.
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
                // `info` lists all chunks on every call, so only some cubes are queried.
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

/// Names and values of the summary of the first face on a ray.
fn pointed_at(map: &Map, ray: Ray) -> Vec<(&'static str, String)> {
    let hit = map.first_hit(ray, 0, false).unwrap();
    let parts = (map as &dyn Document)
        .summary(hit.item, &Shown::default())
        .into_iter();
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
    // The steps on the right rise to the left.
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
fn what_is_broken_is_listed_and_the_rest_is_there() {
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
        let opened = mapscope_scene::open(&source, &options, &progress);
        // A file without its name is refused; the intact parts of all others are shown.
        let is_lost = matches!(truth["code"].as_str(), Some("unterminated" | "magic"));
        assert_eq!(opened.is_err(), is_lost, "{}", path.display());
        let Ok(map) = opened else { continue };
        let problems = &map.about().problems;
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        assert!(problems.iter().any(is_error), "{}", path.display());
        assert!(problems.is_sorted_by_key(|problem| problem.place));
        if truth["scope"] != "chunk" {
            continue;
        }
        let info = Value::from(map.info(&InfoQuery::default()));
        let levels = list(&info["levels"]).iter();
        let chunks: Vec<&Value> = levels.flat_map(|level| list(&level["chunks"])).collect();
        let unreadable = chunks
            .iter()
            .filter(|chunk| chunk["readable"] == false)
            .count();
        let statistics = map.statistics();
        let said = |name: &str| -> usize {
            let said = statistics.iter().find(|s| s.name == name);
            said.unwrap().value.parse().unwrap()
        };
        // A wrong size can be corrected.
        let is_size = problems[0].rule.id == "pmf/section-size";
        assert!(unreadable > 0 || is_size, "{}", path.display());
        assert_eq!(
            said("Unreadable chunks") + said("Damaged chunks"),
            unreadable
        );
    }
}

/// Collects all lines of a tree.
fn all_lines<'a>(lines: &'a [OutlineNode], found: &mut Vec<&'a OutlineNode>) {
    for line in lines {
        found.push(line);
        all_lines(&line.children, found);
    }
}

/// The items of a kind in the outline of a map, in ascending order.
fn items(map: &Map, kind: &str) -> Vec<Item> {
    let outline = map.outline();
    let mut lines = Vec::new();
    all_lines(&outline, &mut lines);
    let mut items: Vec<Item> = lines
        .iter()
        .filter_map(|line| line.item)
        .filter(|item| item.kind() == kind)
        .collect();
    items.sort_unstable();
    items
}

fn properties(map: &Map, item: Item) -> Vec<Property> {
    let groups = (map as &dyn Document)
        .properties(item, Playhead::default())
        .into_iter();
    groups.flat_map(|group| group.properties).collect()
}

/// The value of the first property with this name.
fn value(properties: &[Property], name: &str) -> String {
    let property = properties
        .iter()
        .find(|property| property.name == name)
        .unwrap_or_else(|| panic!("no {name} in {properties:?}"));
    property.value.clone()
}

/// The entities in the sidecar: those of the map, then for each level those of the level and of its
/// chunks.
fn expected_entities(truth: &Value) -> Vec<&Value> {
    let mut told: Vec<&Value> = list(&truth["entities"]).iter().collect();
    for level in list(&truth["levels"]) {
        told.extend(list(&level["entities"]));
        for chunk in list(&level["chunks"]) {
            told.extend(list(&chunk["entities"]));
        }
    }
    told
}

#[test]
fn entities_are_where_they_are_said_to_be() {
    let mut placed = 0;
    for (map, truth) in samples() {
        let entities = items(&map, "entity");
        let told = expected_entities(&truth);
        assert_eq!(entities.len(), told.len());
        for (item, told) in entities.into_iter().zip(told) {
            let said = properties(&map, item);
            assert_eq!(value(&said, "Type"), told["type"].as_str().unwrap());
            assert_eq!(value(&said, "Name"), told["name"].as_str().unwrap());
            let mask = told["gamemodes"].as_u64().unwrap();
            assert!(value(&said, "Gamemodes").ends_with(&format!("({mask:#x})")));
            let bounds = map.place(item, &Shown::default()).bounds;
            let Some(world) = told["world"].as_array() else {
                assert_eq!(bounds, None, "{told}");
                continue;
            };
            let axes = [0, 1, 2].map(|axis| world[axis].as_f64().unwrap() as f32);
            let bounds = bounds.unwrap();
            assert!(bounds.distance(axes.into()) < 1e-3, "{bounds:?} {told}");
            let place = value(&said, "World position");
            let numbers = place.split(' ').filter_map(|word| word.parse::<f32>().ok());
            for (found, told) in numbers.zip(axes) {
                assert!((found - told).abs() < 1.5e-3, "{place} {told}");
            }
            placed += 1;
        }
    }
    assert!(placed == 0 || placed > 10, "{placed}");
}

#[test]
fn lights_regions_and_lightmaps_are_those_of_the_side_cars() {
    for (map, truth) in samples() {
        for (number, level) in list(&truth["levels"]).iter().enumerate() {
            let mut dynamic = std::collections::BTreeMap::new();
            let mut fast = std::collections::BTreeMap::new();
            let mut regions = Vec::new();
            let mut lightmaps = Vec::new();
            let mut server = 0;
            for chunk in list(&level["chunks"]) {
                for light in list(&chunk["dynamic_lights"]) {
                    let [id, flags] = [0, 1].map(|i| light[i].as_u64().unwrap());
                    dynamic
                        .entry(id)
                        .or_insert(if flags & 1 == 1 { 255 } else { 0 });
                }
                for light in list(&chunk["fast_lights"]) {
                    let [id, flags, intensity] = [0, 1, 2].map(|i| light[i].as_u64().unwrap());
                    fast.entry(id).or_insert((
                        if flags & 1 == 1 { intensity } else { 0 },
                        // A visible brightness for a light that is switched on.
                        if intensity == 0 { 255 } else { intensity },
                    ));
                }
                for kind in ["weather", "gravity", "sound", "sky"] {
                    let names = list(&chunk["regions"][kind]).iter();
                    regions.extend(names.map(|name| name.as_str().unwrap().to_owned()));
                }
                server += chunk["regions"]["server"].as_u64().unwrap() as usize;
                lightmaps.extend(
                    list(&chunk["lightmaps"])
                        .iter()
                        .map(|map| map["side"].clone()),
                );
            }
            let dynamic = dynamic
                .iter()
                .map(|(id, now)| ("dynamic light", *id, *now, 255));
            let fast = fast
                .iter()
                .map(|(id, (now, full))| ("fast light", *id, *now, *full));
            let told: Vec<(&str, u64, u64, u64)> = dynamic.chain(fast).collect();
            let lights = map.lights(number);
            let found: Vec<(&str, u64, u64, u64)> = lights
                .iter()
                .map(|light| {
                    let Item::Level(
                        LevelItem::DynamicLight { id, .. } | LevelItem::FastLight { id, .. },
                    ) = light.item
                    else {
                        panic!("{} is no light", light.item);
                    };
                    let (kind, id) = (light.item.kind(), u64::from(id));
                    let plain = format!("{kind} {id}");
                    let name = light.name.to_lowercase();
                    // Named after its controller, if it has one.
                    assert!(
                        name == plain || name.ends_with(&format!(" ({plain})")),
                        "{name}"
                    );
                    let [now, full] = [light.intensity, light.full].map(u64::from);
                    (kind, id, now, full)
                })
                .collect();
            assert_eq!(found, told);
            let of_level = |kind| {
                let items = items(&map, kind).into_iter();
                items.filter(|item| map.level_of(*item) == Some(number))
            };
            let mut names: Vec<String> = of_level("environment region")
                .map(|item| value(&properties(&map, item), "Environment"))
                .collect();
            names.sort();
            regions.sort();
            assert_eq!(names, regions);
            assert_eq!(of_level("server region").count(), server);
            let found = map.lightmaps(number);
            let sides: Vec<Value> = found
                .iter()
                .map(|lightmap| lightmap.size[0].into())
                .collect();
            assert_eq!(sides, lightmaps);
            for lightmap in found {
                let faces = map.lightmap_faces(lightmap.item);
                assert_eq!(faces.len(), lightmap.faces);
                let uvs = faces.iter().flat_map(|face| &face.triangles).flatten();
                let range = -0.01..=1.01_f32;
                assert!(
                    uvs.into_iter()
                        .all(|uv| range.contains(&uv.x) && range.contains(&uv.y))
                );
                let picture = map
                    .lightmap_image(lightmap.item, &Shown::default())
                    .unwrap();
                let [width, height] = lightmap.size.map(|side| side as usize);
                assert_eq!(picture.len(), width * height * 4);
            }
        }
    }
}

#[test]
fn areas_of_materials_add_up_to_that_of_the_level() {
    for (map, truth) in samples() {
        for (number, level) in list(&truth["levels"]).iter().enumerate() {
            let told: f64 = list(&level["chunks"])
                .iter()
                .filter_map(|chunk| chunk["surface_area"].as_f64())
                .sum();
            let materials = items(&map, "material")
                .into_iter()
                .filter(|item| map.level_of(*item) == Some(number));
            let areas = materials.map(|item| {
                let area = value(&properties(&map, item), "Area");
                area.trim_end_matches(" m²").parse::<f64>().unwrap()
            });
            let area: f64 = areas.sum();
            assert!((area - told).abs() < 0.1 + told * 1e-4, "{area} {told}");
        }
    }
}

#[test]
fn a_walk_goes_from_box_to_box_and_ends_at_the_edge() {
    use mapscope_scene::Direction;
    let Some(path) = shared("samples/pmf/room.pmf") else {
        return;
    };
    let map = open(&path);
    // The floor of the first room.
    let down = Ray {
        origin: Vec3::new(0.0, -4.0, 2.0),
        direction: Vec3::NEG_Y,
    };
    let mut at = map.first_hit(down, 0, false).unwrap().item;
    let middle = |item| map.place(item, &Shown::default()).bounds.unwrap().center();
    let mut steps = 0;
    while let Some(next) = map.neighbor(at, Direction::East).item {
        assert!(middle(next).x > middle(at).x);
        assert_eq!(
            (&*map as &dyn Document)
                .summary(next, &Shown::default())
                .iter()
                .find(|p| p.name == "Type")
                .unwrap()
                .value,
            "geometry"
        );
        at = next;
        steps += 1;
        assert!(steps < 200);
    }
    // Through the doorway to the end of the other chunk.
    assert!(steps > 4 && middle(at).x > 22.0, "{steps} {}", middle(at));
    let back = map.neighbor(at, Direction::West).item.unwrap();
    assert!(middle(back).x < middle(at).x);
}
