//! Valid but unusual samples: each is read unchanged, with only the warnings that the fact sheets
//! name.

use std::fmt::Display;

use mapscope_formats::ika::{map, text_map, vsp};
use mapscope_formats::pfobj::Pfobj;
use mapscope_formats::pfscene::{Pfscene, Value};
use mapscope_formats::pmf::{EntityKind, Pmf};
use mapscope_formats::ppe::{map_data, sdlang, xmf};
use mapscope_formats::{Problem, Severity, pfobj, pfscene, pmf};
use mapscope_testdata::shared;

/// Reads a sample; `None` if it is missing.
#[track_caller]
fn sample<T, E: Display>(path: &str, read: fn(&[u8]) -> Result<T, E>) -> Option<T> {
    let bytes = std::fs::read(shared(&format!("samples/{path}"))?).unwrap();
    Some(read(&bytes).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// Checks that the problems of a sample are warnings of these rules, or suggest a known name.
#[track_caller]
fn only(problems: &[Problem], warnings: &[&str]) {
    let is_allowed = |problem: &&Problem| {
        problem.severity != Severity::Error
            && (warnings.contains(&problem.rule.id) || problem.message.contains("did you mean"))
    };
    let others = problems.iter().filter(|problem| !is_allowed(problem));
    assert_eq!(others.map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
}

/// Checks that a sample has one problem at the top.
#[track_caller]
fn one(problems: &[Problem]) -> &Problem {
    let [problem] = problems else {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{all:#?}")
    };
    problem
}

#[test]
fn a_zlib_stream_may_lack_its_checksum() {
    for name in ["01_ika_no_adler.base", "01_ika_no_adler"] {
        let Some(map) = sample(&format!("plain/{name}.map"), map::read) else {
            return;
        };
        only(&map.problems, &[]);
        assert_eq!(map.size, [100, 100]);
        assert!(!map.layers.is_empty());
        for layer in &map.layers {
            assert!(layer.tiles == vec![0; 10_000], "{name}");
        }
        assert_eq!(map.zone_numbers.len(), 10_000);
        assert_eq!(map.obstruction.len(), 10_000);
    }
}

#[test]
fn zero_bytes_behind_an_ika_map_are_no_entity() {
    let Some(map) = sample("plain/04_ika_76_zero_bytes.map", map::read) else {
        return;
    };
    assert_eq!(map.entities, []);
    only(&map.problems, &["ika/trailing-data"]);
}

#[test]
fn a_tileset_has_as_many_tiles_as_it_says() {
    let Some(tileset) = sample("plain/06_vsp_one_tile_more.vsp", vsp::read) else {
        return;
    };
    assert_eq!(tileset.count, 1);
    assert_eq!(tileset.pixels.len() as u64, tileset.tile_pixels());
    only(&tileset.problems, &["ika/long-block"]);
}

#[test]
fn an_own_node_is_no_known_one() {
    let path = "plain/08_text_deactivate_script.ika-map";
    let Some(map) = sample(path, text_map::read) else {
        return;
    };
    let entities = map.layers.iter().flat_map(|layer| &layer.entities);
    let crier: Vec<_> = entities
        .filter(|entity| entity.label == "TownCrier")
        .collect();
    assert_eq!(crier.len(), 1);
    assert_eq!(crier[0].activation_script, "");
    only(&map.problems, &["ika/node-name", "ika/other-node"]);
}

#[test]
fn a_conflict_within_a_text_is_text() {
    let path = "plain/11_text_conflict_in_title.ika-map";
    let Some(map) = sample(path, text_map::read) else {
        return;
    };
    let title = "notes\n<<<<<<< mine\none\n=======\ntwo\n>>>>>>> theirs\n";
    assert_eq!(map.title.replace("\r\n", "\n"), title);
    only(&map.problems, &[]);
}

#[test]
fn map_data_has_as_many_rows_as_it_says() {
    let Some(map) = sample("plain/14_ppe_one_row_more.map", map_data::read) else {
        return;
    };
    assert_eq!((map.size, map.cells.len()), ([4, 3], 12));
    only(&map.problems, &["ppe-map/trailing-data", "ppe-map/length"]);
    // Its neighbour is not unusual.
    let Some(map) = sample("plain/test2_layer0.map", map_data::read) else {
        return;
    };
    assert_eq!(map.size, [45, 45]);
    only(&map.problems, &[]);
}

#[test]
fn an_own_attribute_is_no_known_one() {
    let Some(xmf) = sample("plain/16_xmf_offsetX.xmf", xmf::read) else {
        return;
    };
    let sources = &xmf.layers[0].tile_sources;
    let own = &sources[0].attributes;
    assert_eq!((sources.len(), sources[0].offset), (1, None));
    let names: Vec<_> = own
        .iter()
        .map(|own| (&*own.name, own.value.as_integer()))
        .collect();
    assert_eq!(names, [("offsetX", Some(2)), ("offsetY", Some(4))]);
    only(&xmf.problems, &["xmf/sheet"]);
}

#[test]
fn an_attribute_may_be_called_tag() {
    for (name, count) in [("base", 4), ("_attribute_tag", 5)] {
        let name = if name == "base" {
            "19_scene.base"
        } else {
            "19_scene_attribute_tag"
        };
        let path = format!("plain/{name}.pfscene");
        let Some(scene) = sample(&path, pfscene::read) else {
            return;
        };
        let [oak, ash] = &scene.entities[..] else {
            panic!("{:?}", scene.entities)
        };
        let (oak, ash) = (&oak.attributes, &ash.attributes);
        assert_eq!((oak.0.len(), ash.0.len()), (count, 3), "{name}");
        if count == 5 {
            let tag = oak.value("tag").and_then(Value::string);
            assert_eq!(tag, Some("boss"));
        }
        only(&scene.problems, &["pfscene/attribute-key"]);
    }
}

#[test]
fn a_camera_is_read_by_order() {
    let Some(scene) = sample("plain/22_scene_camera_keys.pfscene", pfscene::read) else {
        return;
    };
    assert_eq!(scene.cameras.len(), 1);
    assert_eq!(scene.cameras[0].pitch_and_yaw(), Some([-65.0, 135.0]));
    let errors = scene
        .problems
        .iter()
        .filter(|it| it.severity == Severity::Error);
    assert_eq!(errors.count(), 0);
}

#[test]
fn the_numbers_of_poses_are_ignored() {
    let base: Option<Pfobj> = sample("plain/23_model.base.pfobj", pfobj::read);
    let Some((base, model)) = base.zip(sample("plain/23_model_numbers_go_on.pfobj", pfobj::read))
    else {
        return;
    };
    only(&base.problems, &[]);
    only(&model.problems, &["pfobj/pose-order"]);
    assert_eq!(model.clips.len(), 1);
    assert_eq!(
        (model.clips[0].frame_count, model.clips[0].poses.len()),
        (2, 4)
    );
    assert_eq!(model.clips[0].poses, base.clips[0].poses);
}

/// The kinds of the entities of a map: global ones, those of a level, and those of a chunk.
fn kinds(map: &Pmf) -> Vec<EntityKind> {
    let global = map.entities.iter(&map.strings).map(|entity| entity.kind());
    let mut kinds: Vec<_> = global.collect();
    for server in map.levels.iter().filter_map(|level| level.server.as_ref()) {
        kinds.extend(
            server
                .entities
                .iter(&server.strings)
                .map(|entity| entity.kind()),
        );
    }
    kinds
}

#[test]
fn pmf_samples_are_read_as_they_stand() {
    let read = |name: &str| sample(&format!("plain/{name}.pmf"), pmf::read);
    let rows: [(&str, &[&str]); 5] = [
        ("27_pmf_crc_behind_dummy", &["pmf/trailing-data"]),
        ("29_pmf_reserved_flag", &["pmf/reserved-bits"]),
        (
            "31_pmf_projectile_nan",
            &["pmf/not-finite", "pmf/not-finite-geometry"],
        ),
        ("33_pmf_small_cube", &[]),
        ("35_pmf_4_bytes_behind_level", &["pmf/trailing-data"]),
    ];
    for (name, warnings) in rows {
        let Some(map) = read(name) else { return };
        if ["27", "29"].contains(&&name[..2]) {
            let Some(base) = read(&format!("{name}.base")) else {
                return;
            };
            only(&base.problems, &[]);
            assert_eq!(kinds(&base), kinds(&map));
            assert_eq!(base.levels.len(), map.levels.len(), "{name}");
        }
        match &name[..2] {
            "27" => assert_eq!(kinds(&map), [EntityKind::Dummy]),
            "29" => assert_eq!(map.levels.len(), 3),
            "31" => assert_eq!(kinds(&map), [EntityKind::Projectile]),
            "33" => assert_eq!(map.levels[0].chunk_side().to_bits(), 8.0_f32.to_bits()),
            _ => assert_eq!(map.levels.len(), 1),
        }
        only(&map.problems, warnings);
        let has = |rule: &&str| map.problems.iter().any(|it| it.rule.id == *rule);
        assert_eq!(warnings.iter().any(has), !warnings.is_empty(), "{name}");
    }
}

#[test]
fn scenes_without_sections_have_one_problem() {
    let names = |scene: &Pfscene| -> Vec<String> {
        scene
            .entities
            .iter()
            .map(|entity| entity.name.clone())
            .collect()
    };
    let folder = "reports/old-scenes";
    let Some(scene) = sample(&format!("{folder}/2018-06.pfscene"), pfscene::read) else {
        return;
    };
    assert_eq!(names(&scene), ["a", "b"]);
    one(&scene.problems);
    let Some(scene) = sample(&format!("{folder}/2018-11.pfscene"), pfscene::read) else {
        return;
    };
    assert_eq!(names(&scene), ["oak", "scout"]);
    let factions: Vec<_> = scene
        .factions
        .iter()
        .map(|faction| &*faction.name)
        .collect();
    assert_eq!(factions, ["Forest", "North Watch", "River Folk"]);
    let of_faction = |index: usize| scene.entities[index].attributes.value("faction_id");
    let numbers = [0, 1].map(|index| of_faction(index).and_then(Value::int));
    assert_eq!(numbers, [Some(0), Some(2)]);
    one(&scene.problems);
}

#[test]
fn texts_of_the_writer_of_2006_are_one_problem() {
    let Some(map) = sample("reports/writer-2006/bug.ika-map", text_map::read) else {
        return;
    };
    assert_eq!((&*map.tileset, map.size), ("tiles.vsp", [480, 480]));
    assert_eq!(map.layers[0].label, "Water");
    assert!(map.layers.iter().all(|layer| layer.tiles.len() == 900));
    one(&map.problems);
}

#[test]
fn joints_of_a_second_armature_are_at_rest() {
    for (name, frames) in [("long", vec![31; 5]), ("short", vec![4])] {
        let path = format!("reports/two-armatures/{name}.pfobj");
        let Some(model) = sample(&path, pfobj::read) else {
            return;
        };
        let counts: Vec<_> = model.clips.iter().map(|clip| clip.frame_count).collect();
        assert_eq!((counts, model.joints.len()), (frames, 4), "{name}");
        for clip in &model.clips {
            assert_eq!(clip.poses.len(), clip.frame_count as usize * 4, "{name}");
        }
        one(&model.problems);
    }
}

#[test]
fn a_key_of_the_metadata_may_have_a_space() {
    let Some(map) = sample("reports/meta.ika-map", text_map::read) else {
        return;
    };
    let pairs = [("my", "key 'value'"), ("ok", "v")];
    assert_eq!(
        map.meta,
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
    let errors = map
        .problems
        .iter()
        .filter(|it| it.severity == Severity::Error);
    assert_eq!(errors.count(), 0);
}

#[test]
fn numbers_of_xdl_are_read() {
    let Some(hex) = sample("reports/xdl/hex.xmf", xmf::read) else {
        return;
    };
    only(&hex.problems, &[]);
    let layer = &hex.layers[0];
    assert_eq!(
        (layer.tile_size, layer.size, layer.priority),
        ([16, 16], [2, 2], 0)
    );
    let Some(nan) = sample("reports/xdl/nan.xmf", xmf::read) else {
        return;
    };
    only(&nan.problems, &[]);
    let other = &nan.metadata.other[0];
    let numbers: Vec<_> = other
        .values
        .iter()
        .filter_map(sdlang::Value::as_number)
        .collect();
    assert!(numbers[0].is_nan());
    let hex = f64::from(0x12ac) * 16.0;
    let rest = [
        f64::INFINITY,
        f64::NEG_INFINITY,
        1.5e-3,
        0.849_656,
        hex,
        -31.0,
    ];
    assert_eq!(numbers[1..], rest);
}
