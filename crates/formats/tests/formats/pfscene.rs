//! PFSCENE through the public interface: real scenes, a scene with every kind of line, and the
//! faults that an author can make.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use mapscope_formats::pfscene::{
    self, Attribute, FORMAT, Pfscene, SectionKind, Shape, Value, ValueType,
};
use mapscope_formats::{Problem, ReadError, Subject, Tally};
use mapscope_testdata::{shared, tiny_scene::SCENE};

#[track_caller]
fn read(text: impl AsRef<[u8]>) -> Pfscene {
    match pfscene::read(text.as_ref()) {
        Ok(scene) => scene,
        Err(error) => panic!("{error}"),
    }
}

fn problems(scene: &Pfscene) -> Vec<String> {
    scene.problems.iter().map(Problem::facts).collect()
}

/// A problem of an entity begins with its number and name, except for a record that was left out.
#[test]
fn problems_of_entities_name_them() {
    let begins = |from: &str, to: &str, begin: &str| {
        let scene = read(changed(from, to));
        let [problem] = &scene.problems[..] else {
            panic!("{:?}", scene.problems);
        };
        assert!(problem.message.starts_with(begin), "{problem}");
    };
    begins(
        "scale vec3 1.000000 1.000000 1.000000",
        "scale vec3 1 -1 1",
        "entity 1 `rock`: ",
    );
    begins("faction_id int 1", "faction_id int 7", "entity 0 `guard`: ");
    begins(
        "entity guard assets/models/guard.pfobj 13",
        "entity guard",
        "found",
    );
}

/// Only an odd number of negative factors mirrors.
#[test]
fn two_mirrors_make_a_turn() {
    for (scale, rules) in [
        ("-1 1 1", &["pfscene/scale"][..]),
        ("-1 1 -2", &[]),
        ("-1 -1 -1", &["pfscene/scale"]),
        ("-1 0 -1", &["pfscene/scale"]),
    ] {
        let scene = read(changed(
            "scale vec3 1.000000 1.000000 1.000000",
            &format!("scale vec3 {scale}"),
        ));
        let found: Vec<_> = scene.problems.iter().map(|it| it.rule.id).collect();
        assert_eq!(found, rules, "{scale}");
    }
}

/// If two factions have the same name, the second has a problem.
#[test]
fn factions_of_one_name_are_reported() {
    let scene = read(changed("The Others", "Villagers"));
    let found: Vec<_> = scene
        .problems
        .iter()
        .map(|it| (it.rule.id, it.subject))
        .collect();
    assert_eq!(found, [("pfscene/faction-name-twice", Subject::Faction(1))]);
}

/// The small scene with a part of its text replaced; `from` must occur in it.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert!(SCENE.contains(from), "{from}");
    SCENE.replacen(from, to, 1)
}

/// The problems of the small scene with a part of its text replaced.
#[track_caller]
fn problems_of(from: &str, to: &str) -> Vec<String> {
    let scene = read(changed(from, to));
    let written = pfscene::write(&scene);
    assert_eq!(read(&written).entities.len(), scene.entities.len());
    problems(&scene)
}

#[test]
fn real_scenes_come_back_byte_for_byte() {
    let Some(folder) = shared("corpus/permafrost/assets/maps") else {
        return;
    };
    for (name, entities, factions) in [("demo.pfscene", 388, 4), ("test.pfscene", 7, 1)] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert!((FORMAT.sniff)(&bytes), "{name}");
        let scene = read(&bytes);
        assert_eq!(problems(&scene), [""; 0], "{name}");
        assert_eq!(
            (scene.entities.len(), scene.factions.len()),
            (entities, factions)
        );
        assert!(pfscene::write(&scene) == bytes, "{name}");
        let crlf = String::from_utf8(bytes).unwrap().replace('\n', "\r\n");
        assert!(pfscene::write(&read(&crlf)) == crlf.as_bytes(), "{name}");
    }
}

#[test]
fn every_kind_of_line_is_read() {
    let scene = read(SCENE);
    assert_eq!(problems(&scene), [""; 0]);
    assert_eq!(scene.version, "1.1");
    let kinds: Vec<&str> = scene
        .sections
        .iter()
        .map(|section| section.kind.name())
        .collect();
    assert_eq!(
        kinds,
        ["general", "factions", "entities", "regions", "cameras"]
    );

    let skybox = scene.general.skybox.as_ref().unwrap();
    assert_eq!(
        (
            skybox.value.folder.as_str(),
            skybox.value.extension.as_str(),
            skybox.line
        ),
        ("assets/skyboxes/evening sky", "jpg", 4)
    );
    let general = &scene.general;
    assert_eq!(
        general.ambient_light_color.as_ref().unwrap().value,
        [10, 20, 30, 40]
    );
    assert_eq!(
        general.emit_light_color.as_ref().unwrap().value,
        [50, 60, 70, 80]
    );
    assert_eq!(
        general.emit_light_pos.as_ref().unwrap().value,
        [1.5, 2.5, -3.5]
    );

    let faction = &scene.factions[1];
    assert_eq!(faction.name, "The Others");
    assert_eq!(faction.color(), Some([7.0, 8.0, 9.0]));
    assert_eq!(
        faction.attributes.value("controllable"),
        Some(&Value::Bool(true))
    );
    let states: Vec<_> = scene
        .diplomacy
        .iter()
        .map(|d| (d.faction, d.other, d.state))
        .collect();
    assert_eq!(states, [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]);

    let entity = &scene.entities[0];
    assert_eq!(
        (entity.name.as_str(), entity.model.as_str()),
        ("guard", "assets/models/guard.pfobj")
    );
    assert_eq!(entity.attributes.0.len(), 13);
    let value = |key| entity.attributes.value(key);
    assert_eq!(
        value("position").and_then(Value::vec3),
        Some([1.0, 2.0, 3.0])
    );
    assert_eq!(value("scale").and_then(Value::vec3), Some([4.0, 5.0, 6.0]));
    assert_eq!(
        value("rotation").and_then(Value::quat),
        Some([0.0, 0.6, 0.0, 0.8])
    );
    assert_eq!(value("animated").and_then(Value::bool), Some(true));
    assert_eq!(value("faction_id").and_then(Value::int), Some(1));
    assert_eq!(
        value("idle_clip").and_then(Value::string),
        Some("Stand still")
    );
    assert_eq!(value("selection_radius").and_then(Value::float), Some(3.25));
    assert_eq!(value("home").and_then(Value::vec2), Some([-7.0, 8.5]));
    let Some(Value::Arguments(arguments)) = value("constructor_arguments") else {
        panic!("{entity:?}");
    };
    let arguments: Vec<&Value> = arguments.iter().map(|argument| &argument.value).collect();
    assert_eq!(
        arguments,
        [
            &Value::String("two words".to_owned()),
            &Value::Int(-3),
            &Value::Float(0.5)
        ]
    );
    let Some(Value::Tags(tags)) = value("tags") else {
        panic!("{entity:?}");
    };
    let tags: Vec<_> = tags
        .iter()
        .map(|tag| (tag.text.as_str(), tag.line))
        .collect();
    assert_eq!(tags, [("night watch", 36), ("gate", 37)]);

    let [circle, rectangle] = &scene.regions[..] else {
        panic!("{:?}", scene.regions);
    };
    assert_eq!(circle.shape(), Some(Shape::Circle { radius: 12.5 }));
    assert_eq!(circle.center(), Some([10.0, -20.0]));
    assert!(circle.contains([10.0, -7.6]) && !circle.contains([10.0, -7.4]));
    assert_eq!(
        rectangle.shape(),
        Some(Shape::Rectangle { size: [30.0, 40.0] })
    );
    assert!(rectangle.contains([14.9, 19.9]) && !rectangle.contains([15.1, 0.0]));

    let camera = &scene.cameras[0];
    assert_eq!(camera.position(), Some([100.0, 175.0, -50.0]));
    assert_eq!(camera.pitch_and_yaw(), Some([-65.0, 135.0]));
}

#[test]
fn a_scene_comes_back_as_it_was_spelt() {
    assert_eq!(
        String::from_utf8(pfscene::write(&read(SCENE))).unwrap(),
        SCENE
    );
    let odd = changed(
        "   position vec3 1.000000 2.000000 3.000000",
        "\tposition  vec3 1 2.0 +3e0",
    );
    assert_eq!(String::from_utf8(pfscene::write(&read(&odd))).unwrap(), odd);
}

#[test]
fn what_is_written_announces_what_there_is() {
    let stray = "constructor_arguments int 3\nments int 3\n";
    let cases = [
        ("constructor_arguments int 3\n", stray),
        ("   home vec2", "   house int 3\n   home vec2"),
        ("tags int 2", "tags int 4"),
    ];
    for (from, to) in cases {
        let scene = read(changed(from, to));
        assert!(!scene.problems.is_empty(), "{to}");
        let written = pfscene::write(&scene);
        let again = read(&written);
        assert!(pfscene::write(&again) == written, "{to}");
        let attributes = |scene: &Pfscene| -> Vec<_> {
            let entities = scene.entities.iter();
            entities.map(|entity| entity.attributes.0.len()).collect()
        };
        assert_eq!(attributes(&again), attributes(&scene), "{to}");
    }
}

#[test]
fn what_is_changed_is_written_and_the_rest_stays() {
    let mut scene = read(SCENE);
    let radius = scene.entities[0]
        .attributes
        .0
        .iter_mut()
        .find(|a| a.key == "selection_radius");
    radius.unwrap().value = Value::Float(2.0);
    scene.entities[0].attributes.0.push(Attribute {
        key: "note".to_owned(),
        value: Value::String("new".to_owned()),
        line: 0,
    });
    let written = String::from_utf8(pfscene::write(&scene)).unwrap();
    let expected = changed(
        "selection_radius float 3.25",
        "selection_radius float 2.000000",
    )
    .replace("guard.pfobj 13", "guard.pfobj 14")
    .replace(
        "   class string Guard\n",
        "   class string Guard\n   note string new\n",
    );
    assert_eq!(written, expected);
}

#[test]
fn a_section_without_quotation_marks_begins_with_its_number() {
    for name in ["factions\"", "\"factions", "factions", "xx\"factions\""] {
        let scene = read(changed("section \"factions\"", &format!("section {name}")));
        let expected = format!("8:9: error: pfscene/record: {name}");
        assert_eq!(problems(&scene), [expected]);
        assert_eq!(scene.factions.len(), 2);
    }
}

#[test]
fn unknown_sections_and_attributes_are_kept() {
    let text = changed(
        "section \"regions\"",
        "section \"weather\"\n  rain 1 2\n\tsnow\nsection \"regions\"",
    )
    .replace("num_sections 5", "num_sections 6");
    let scene = read(&text);
    assert_eq!(problems(&scene), [""; 0]);
    assert!(
        matches!(&scene.sections[3].kind, SectionKind::Unknown { lines, .. } if lines.len() == 2)
    );
    assert_eq!(String::from_utf8(pfscene::write(&scene)).unwrap(), text);
    let text = changed("home vec2 -7.000000 8.500000", "home matrix 1 2 3");
    let scene = read(&text);
    assert_eq!(
        problems(&scene),
        [
            "30:9: error: pfscene/value (SceneEntity 0): 0 bool float guard int matrix quat string vec2 vec3"
        ]
    );
    assert_eq!(scene.problems[0].subject, Subject::SceneEntity(0));
    assert_eq!(String::from_utf8(pfscene::write(&scene)).unwrap(), text);
    // The same for lines of `general` and attributes of regions, in any place.
    let text = changed("    emit_light_color", "  fog 1 2\n    emit_light_color").replace(
        "region gate 0 2\n",
        "region gate 0 3\n   owner string Tom\n",
    );
    let scene = read(&text);
    assert_eq!(problems(&scene), [""; 0]);
    assert_eq!(scene.general.other.len(), 1);
    assert_eq!(scene.regions[1].attributes.0.len(), 3);
    assert_eq!(String::from_utf8(pfscene::write(&scene)).unwrap(), text);
}

/// A record owns as many lines as it announces, regardless of their keys.
#[test]
fn an_announced_number_bounds_a_record() {
    for own in [
        "tag string boss",
        "num_regions int 3",
        "entity string ash 3",
        "section string x",
        "camera vec3 1 2 3",
        "diplomacy int 1",
    ] {
        let text = changed("home vec2 -7.000000 8.500000", own);
        let scene = read(&text);
        assert_eq!(problems(&scene), [""; 0], "{own}");
        let attributes = &scene.entities[0].attributes;
        assert_eq!(attributes.0.len(), 13, "{own}");
        let key = own.split(' ').next().unwrap();
        assert_eq!(attributes.0[7].key, key);
        assert_eq!(scene.entities[1], read(SCENE).entities[1]);
    }
    // Surplus lines belong to no record.
    let scene = read(changed("rock.pfobj 3", "rock.pfobj 2"));
    let found = problems(&scene);
    assert_eq!(
        found,
        ["41:1: error: pfscene/attribute-missing (SceneEntity 1): 1 rock rotation"]
    );
    let below = scene.problems[0].consequences[0].facts();
    assert!(
        below.starts_with("44:4: error: pfscene/line: rotation"),
        "{below}"
    );
}

#[test]
fn factions_and_cameras_are_read_by_order() {
    let text = changed("pitch float -65", "yaw float -65")
        .replace("yaw float 135", "pitch float 135")
        .replace("color vec3 7", "controllable vec3 7");
    let scene = read(&text);
    assert_eq!(problems(&scene), [""; 0]);
    assert_eq!(scene.cameras[0].pitch_and_yaw(), Some([-65.0, 135.0]));
    assert_eq!(scene.factions[1].color(), Some([7.0, 8.0, 9.0]));
    assert_eq!(scene.factions[1].is_controllable(), Some(true));
}

#[test]
fn older_forms_have_no_sections() {
    let entities = "num_entities 2\nentity a a.pfobj 2\n   position vec3 0.0 0.0 0.0\n   scale vec3 1.0 \
                    1.0 1.0\nentity b b.pfobj 2\n   position vec3 8.0 0.0 0.0\n   scale vec3 1.0 1.0 \
                    1.0\n";
    let factions = "num_factions 3\nfaction \"Forest\"\n    color vec3 10.000000 120.000000 30.000000\n\
                    faction \"b\"\n    color vec3 1.000000 2.000000 3.000000\nfaction \"c\"\n    color \
                    vec3 3.000000 4.000000 5.000000\n";
    for (text, count) in [
        (entities.to_owned(), 0),
        (format!("{factions}{entities}"), 3),
    ] {
        assert!((FORMAT.sniff)(text.as_bytes()));
        let scene = read(&text);
        let expected = "1:1: error: pfscene/older-form";
        assert_eq!(problems(&scene), [expected]);
        assert_eq!((scene.entities.len(), scene.factions.len()), (2, count));
        assert_eq!(String::from_utf8(pfscene::write(&scene)).unwrap(), text);
        let newer = pfscene::write(&Pfscene {
            version: "1.0".to_owned(),
            ..scene
        });
        assert!(newer.starts_with(b"version 1.0\nnum_sections "));
        assert_eq!(read(&newer).entities.len(), 2);
    }
}

#[test]
fn numbers_of_entries_are_only_promises() {
    for (from, to, expected) in [
        (
            "num_entities 2",
            "num_entities 2147483648",
            "21:14: error: pfscene/count: 2 2147483648 num_entities",
        ),
        (
            "num_entities 2",
            "num_entities 99999999999999999999999",
            "21:14: error: pfscene/count: 2 64 num_entities",
        ),
        (
            "num_cameras 1",
            "num_cameras 0",
            "54:13: error: pfscene/count: 0 1 num_cameras",
        ),
        (
            "guard.pfobj 13",
            "guard.pfobj 99",
            "22:40: error: pfscene/count (SceneEntity 0): 0 13 99 guard",
        ),
        (
            "constructor_arguments int 3",
            "constructor_arguments int 4",
            "31:26: error: pfscene/count (SceneEntity 0): 0 3 4 guard",
        ),
        (
            "tags int 2",
            "tags int 3",
            "35:9: error: pfscene/count (SceneEntity 0): 0 2 3 guard",
        ),
        (
            "num_sections 5",
            "num_sections 4",
            "2:14: error: pfscene/count: 4 5 num_sections",
        ),
        (
            "diplomacy 1 1 0\n",
            "",
            "8:1: error: pfscene/count: 3 4 diplomacy",
        ),
    ] {
        let found = problems_of(from, to);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0], expected, "{to}");
    }
}

#[test]
fn what_the_engine_would_refuse_is_said() {
    for (from, to, expected) in [
        ("version 1.1", "version 1.2", "pfscene/version"),
        ("version 1.1", "version x", "pfscene/header-line"),
        ("faction_id int 1", "faction_id int 2", "pfscene/faction"),
        ("faction_id int 1", "faction_id int -1", "pfscene/faction"),
        (
            "faction_id int 1",
            "faction_id float 1.0",
            "pfscene/attribute-type",
        ),
        (
            "scale vec3 4.000000 5.000000 6.000000",
            "scale vec3 4 5",
            "pfscene/value",
        ),
        (
            "scale vec3 4.000000 5.000000 6.000000",
            "scale vec3 4 0 6",
            "pfscene/scale",
        ),
        (
            "scale vec3 4.000000 5.000000 6.000000",
            "scale vec3 4 -5 6",
            "pfscene/scale",
        ),
        (
            "vec3 1.000000 2.000000 3.000000",
            "vec3 nan 2 3",
            "pfscene/not-finite",
        ),
        (
            "vec3 1.000000 2.000000 3.000000",
            "vec3 1 2 3 4",
            "pfscene/extra-words",
        ),
        (
            "quat 0.000000 0.600000",
            "quat 0.000000 0.700000",
            "pfscene/rotation-length",
        ),
        (
            "quat 0.000000 0.600000 0.000000 0.800000",
            "quat 0 0 0 0",
            "pfscene/rotation",
        ),
        ("animated bool 1", "animated bool 2", "pfscene/value"),
        (
            "selection_radius float 3.25",
            "selection_radius float -3.25",
            "pfscene/negative-length",
        ),
        (
            "dimensions vec2 30.000000",
            "dimensions vec2 -30.000000",
            "pfscene/negative-length",
        ),
        (
            "vision_range float 40.000000",
            "vision_range float 4e10",
            "pfscene/huge-length",
        ),
        (
            "scale vec3 4.000000 5",
            "scale vec3 1e38 5",
            "pfscene/huge-length",
        ),
        ("vec3 7.000000 8", "vec3 256 8", "pfscene/color"),
        ("10 20 30 40", "10 20 -30 40", "pfscene/color"),
        ("10 20 30 40", "10 20 3.5 40", "pfscene/record"),
        ("10 20 30 40", "10 20 30 40 50", "pfscene/extra-words"),
        ("camera above", "camera above all", "pfscene/extra-words"),
        ("meadow 1 2", "meadow 1 2 7", "pfscene/extra-words"),
        ("guard.pfobj 13", "guard.pfobj 13 x", "pfscene/extra-words"),
        ("entity guard", "entity gu\0rd", "pfscene/nul-byte"),
        (
            "animated bool 1",
            "static bool 1",
            "pfscene/attribute-twice",
        ),
        (
            "   position vec3 1.000000 2.000000 3.000000\n",
            "   at vec3 1.000000 2.000000 3.000000\n",
            "pfscene/attribute-missing",
        ),
        ("region meadow 1", "region meadow 2", "pfscene/region-shape"),
        ("region gate 0", "region meadow 0", "pfscene/duplicate-name"),
        ("diplomacy 0 1 1", "diplomacy 0 2 1", "pfscene/diplomacy"),
        ("diplomacy 0 1 1", "diplomacy 0 1 2", "pfscene/diplomacy"),
        (
            "diplomacy 1 1 0",
            "diplomacy 0 1 1",
            "pfscene/diplomacy-twice",
        ),
        (
            "diplomacy 1 0 1",
            "diplomacy 1 0 0",
            "pfscene/one-sided-war",
        ),
        (
            "region meadow 1",
            "region meadow 0",
            "pfscene/attribute-missing",
        ),
        ("section \"cameras\"", "section cameras", "pfscene/record"),
        (
            "section \"cameras\"",
            "\nsection \"cameras\"",
            "pfscene/blank-line",
        ),
        (
            "faction \"The Others\"",
            "faction \"The Others who have far too long a name\"",
            "pfscene/name",
        ),
        (
            "   yaw float 135.000000\n",
            "   yaw float 135.000000",
            "pfscene/last-line",
        ),
        ("   yaw float 135.000000\n", "", "pfscene/attribute-missing"),
    ] {
        let found = problems_of(from, to);
        let is_said = found.iter().any(|p| p.contains(&format!(": {expected}")));
        assert!(is_said, "{to}: {found:?}");
    }
}

/// A damaged line is one problem. All records beside it are read.
#[test]
fn a_wrong_line_is_one_problem() {
    let four = "section \"entities\"\nnum_entities 2\n";
    let [both, second, none] = [&["guard", "rock"][..], &["rock"], &["guard"]];
    for (from, to, entities, expected) in [
        (
            "section \"factions\"\n",
            "",
            both,
            "8:1: error: pfscene/line: num_factions section \"factions\"",
        ),
        (
            four,
            "",
            both,
            "20:1: error: pfscene/line: entity section \"entities\"",
        ),
        (
            "section \"entities\"",
            "secton \"entities\"",
            both,
            "20:1: error: pfscene/line: section secton",
        ),
        (
            "section \"entities\"",
            "section \"entties\"",
            both,
            "20:10: error: pfscene/section: entities entties",
        ),
        (
            "section \"entities\"",
            "section \"xxxxxxx\"",
            both,
            "21:1: error: pfscene/line: num_entities section \"entities\"",
        ),
        (
            "section \"entities\"",
            "section",
            both,
            "20:8: error: pfscene/record",
        ),
        (
            "entity rock",
            "entitty rock",
            none,
            "41:1: error: pfscene/line: entitty entity",
        ),
        (
            "entity guard assets/models/guard.pfobj 13\n",
            "",
            second,
            "22:4: error: pfscene/line: position",
        ),
        (
            "entity rock assets/models/rock.pfobj 3\n",
            "",
            none,
            "41:4: error: pfscene/line: position",
        ),
        (
            "entity guard assets/models/guard.pfobj 13\n",
            "entity guard\n",
            second,
            "22:8: error: pfscene/record: guard",
        ),
        (
            "   animated bool 1\n",
            "   animated bool 1\n   animated bool 1\n",
            both,
            "27:4: error: pfscene/attribute-twice (SceneEntity 0): 0 26 animated guard",
        ),
        (
            "   animated bool 1\n",
            "hello\n   animated bool 1\n",
            both,
            "26:6: error: pfscene/value",
        ),
        (
            "   scale vec3 4.000000 5.000000 6.000000\n",
            "",
            both,
            "22:1: error: pfscene/attribute-missing (SceneEntity 0): 0 guard scale",
        ),
        (
            "position vec3 1.000000 2.000000 3.000000",
            "position vec2 1.000000 2.000000 3.000000",
            both,
            "23:13: error: pfscene/attribute-type (SceneEntity 0)",
        ),
        (
            "faction \"The Others\"",
            "fraction \"The Others\"",
            both,
            "13:1: error: pfscene/line: faction fraction",
        ),
        (
            "faction \"The Others\"",
            "faction The Others",
            both,
            "13:9: error: pfscene/record",
        ),
        (
            "faction \"The Others\"",
            "faction",
            both,
            "13:8: error: pfscene/record",
        ),
        (
            "faction \"Villagers\"\n",
            "",
            both,
            "10:5: error: pfscene/line: color",
        ),
        (
            "    controllable bool 1\n",
            "    controllable bool 1\n    color int 1\n",
            both,
            "16:5: error: pfscene/line: color",
        ),
        (
            "region gate 0 2\n",
            "",
            both,
            "50:4: error: pfscene/line: dimensions",
        ),
        (
            "   pos vec2 10.000000 -20.000000",
            "   position vec2 10.000000 -20.000000",
            both,
            "47:1: error: pfscene/attribute-missing (Region 0): pos",
        ),
        (
            "camera above",
            "camra above",
            both,
            "55:1: error: pfscene/line: camera camra",
        ),
    ] {
        let scene = read(changed(from, to));
        let found = problems(&scene);
        assert!(
            found.len() == 1 && found[0].starts_with(expected),
            "{to}: {found:#?}"
        );
        let names = scene.entities.iter().map(|entity| &*entity.name);
        assert!(names.eq(entities.iter().copied()), "{to}");
        let whole = read(SCENE);
        for entity in &scene.entities {
            let mut of_whole = whole.entities.iter();
            let of_whole = of_whole.find(|it| it.name == entity.name).unwrap();
            let changed = [entity, of_whole].map(|it| it.attributes.0.len());
            assert!(changed[0].abs_diff(changed[1]) <= 1, "{to}");
        }
    }
    // A file that is cut after a line.
    let lines: Vec<&str> = SCENE.split_inclusive('\n').collect();
    for cut in [30, 46] {
        let found = problems(&read(lines[..cut].concat()));
        assert_eq!(found.len(), 1, "{cut}: {found:#?}");
    }
}

#[test]
fn an_attribute_that_comes_twice_is_said_of_whatever_number() {
    let attributes: Vec<String> = (0..50).map(|i| format!("   a{i} int 1\n")).collect();
    let attributes = attributes.concat();
    for again in [3, 31, 32, 33, 49] {
        let text = format!(
            "version 1.1\nnum_sections 1\nsection \"entities\"\nnum_entities 1\nentity e e.pfobj 52\n\
             {attributes}   a{again} int 2\n   a{again} int 3\n"
        );
        let scene = read(text);
        let found: Vec<_> = scene
            .problems
            .iter()
            .flat_map(Problem::with_consequences)
            .map(Problem::facts)
            .collect();
        for (line, before) in [(56, 6 + again), (57, 56)] {
            let expected = format!(
                "{line}:4: error: pfscene/attribute-twice (SceneEntity 0): 0 {before} a{again} e"
            );
            assert!(found.contains(&expected), "{expected}: {found:#?}");
        }
    }
}

/// The number of names is limited only by the size of a scene. Comparing each name with all earlier
/// ones takes minutes here.
#[test]
fn names_without_end_are_read_in_time() {
    let many = |line: fn(u32) -> String| (0..100_000).map(line).collect::<Vec<_>>().concat();
    let head = "version 1.1\nnum_sections 1\n".to_owned();
    let entity = format!("{head}section \"entities\"\nnum_entities 1\nentity e e.pfobj 100000\n");
    let begin = Instant::now();
    let scene = read([entity, many(|i| format!("   a{i} int 1\n"))].concat());
    assert_eq!(scene.entities[0].attributes.0.len(), 100_000);
    let scene = read([head, many(|i| format!("section \"s{i}\"\n"))].concat());
    assert_eq!(scene.sections.len(), 100_000);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// Rules of models and scenes about the same fault describe the engine in the same way.
#[test]
fn rotations_say_what_the_engine_does() {
    let rotation = "rotation quat 0.000000 0.000000 0.000000 1.000000";
    let said = |quaternion: &str| {
        assert!(SCENE.contains(rotation));
        let text = SCENE.replacen(rotation, &format!("rotation quat {quaternion}"), 1);
        problems(&read(text)).join("\n")
    };
    let zero = said("0 0 0 0");
    assert!(zero.contains("error: pfscene/rotation "), "{zero}");
    let long = said("0 0 0 2");
    assert!(long.contains("warning: pfscene/rotation-length "), "{long}");
}

#[test]
fn a_first_line_that_is_there_twice_is_one_problem() {
    for (line, expected) in [
        ("section \"entities\"\n", "20:1: error: pfscene/count"),
        (
            "entity rock assets/models/rock.pfobj 3\n",
            "41:1: error: pfscene/record, left out",
        ),
    ] {
        let scene = read(SCENE.replace(line, &line.repeat(2)));
        assert_eq!(problems(&scene), [expected]);
        assert_eq!(scene.entities.len(), 2);
    }
}

#[test]
fn a_scene_that_is_cut_says_after_how_many_entities() {
    let second = SCENE.rfind("entity ").unwrap();
    let cut = &SCENE[..second - 12];
    let found = problems(&read(cut));
    assert_eq!(found.len(), 1, "{found:#?}");
    let expected = "error: pfscene/last-line (SceneEntity 0): 0 1 2 guard";
    assert!(found[0].ends_with(expected), "{found:#?}");
}

#[test]
fn a_section_that_comes_twice_is_read_as_one_whose_parts_count_for_themselves() {
    let text = format!(
        "{}section \"entities\"\nnum_entities 1\nentity more a.pfobj 3\n   position vec3 0.000000 \
         0.000000 0.000000\n   scale vec3 1.000000 1.000000 1.000000\n   rotation quat 0.000000 \
         0.000000 0.000000 1.000000\n",
        SCENE.replace("num_sections 5", "num_sections 6")
    );
    let scene = read(&text);
    assert_eq!(scene.entities.len(), 3);
    let twice = "59:10: warning: pfscene/section-twice: 20 entities";
    assert_eq!(problems(&scene), [twice]);
    assert_eq!(scene.sections.len(), 5);

    let scene = read(text.replace("num_entities 1\n", ""));
    let no_count = "59:1: error: pfscene/count";
    assert_eq!(problems(&scene), [no_count, twice]);

    let factions = "section \"factions\"\nnum_factions 1\nfaction \"a\"\ncolor vec3 1 2 3\n\
                    controllable bool 0\n";
    let text = format!(
        "{}{factions}",
        SCENE.replace("num_sections 5", "num_sections 6")
    );
    let found = problems(&read(format!("{text}diplomacy 2 2 0\n")));
    assert_eq!(found.len(), 1, "{found:?}");
    let found = problems(&read(text));
    let expected = "pfscene/count: 0 1 diplomacy";
    assert!(found.iter().any(|p| p.contains(expected)), "{found:?}");
}

#[test]
fn what_is_cut_off_is_shown_as_far_as_it_goes() {
    for (i, _) in SCENE.match_indices('\n').skip(3) {
        let scene = read(&SCENE[..=i]);
        let errors = Tally::of(&scene.problems).errors;
        let expected = usize::from(i + 1 < SCENE.len());
        assert_eq!(
            [errors, scene.problems.len()],
            [expected; 2],
            "{}: {:#?}",
            &SCENE[..=i],
            problems(&scene)
        );
    }
    let error = pfscene::read(b"version 1.0\nnum_sections 1\n").unwrap_err();
    assert_eq!(error.problem().unwrap().facts(), "3:1: error: pfscene/line");
    assert!(pfscene::read(b"").is_err());
}

#[test]
fn a_tag_without_quotation_marks_is_one_problem() {
    let tag = SCENE
        .lines()
        .find(|line| line.trim().starts_with("tag "))
        .unwrap();
    let scene = read(changed(tag, &tag.replace('"', "")));
    let said = problems(&scene);
    assert!(
        said.len() == 1 && said[0].contains(": pfscene/record"),
        "{said:#?}"
    );
    let Some(Value::Tags(tags)) = scene.entities[0].attributes.value("tags") else {
        panic!("{:?}", scene.entities);
    };
    assert_eq!(tags[0].text, "gate");
    assert_eq!(scene.entities[0].attributes.0.len(), 13);
}

#[test]
fn a_watcher_can_stop_the_reading() {
    let mut asked = 0;
    let read = pfscene::read_with(SCENE.as_bytes(), &mut |_| {
        asked += 1;
        ControlFlow::Break(())
    });
    assert_eq!((read, asked), (Err(ReadError::Cancelled), 1));
}

#[test]
fn types_have_the_names_of_files() {
    for name in ["string", "int", "float", "bool", "vec2", "vec3", "quat"] {
        assert_eq!(
            ValueType::of(name.as_bytes()).map(ValueType::name),
            Some(name)
        );
    }
}

/// The small scene with a line, from 1, replaced by others.
fn with_line(number: usize, to: &[&str]) -> String {
    let lines = (1..).zip(SCENE.lines()).flat_map(|(at, line)| {
        if at == number {
            to.to_vec()
        } else {
            vec![line]
        }
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A fault of one line is at most one problem, at the line or at its record. All entities are read,
/// except one without its line.
#[test]
fn one_wrong_line_is_one_problem_wherever_it_is() {
    for (number, line) in (1..).zip(SCENE.lines()) {
        let words = line.trim_start();
        let (key, rest) = words.split_once(' ').unwrap();
        let indent = &line[..line.len() - words.len()];
        let misspelt = format!("{indent}{key}x {rest}");
        let extra = format!("{line} zz9");
        let is_setting = (4..=7).contains(&number);
        // The engine identifies some attributes by their order, and does not know all keys; a
        // string is the rest of its line.
        let is_attribute = !indent.is_empty() && !is_setting && key != "tag";
        let is_string = words.contains("string") && key != "class";
        for (to, is_said) in [
            (&[][..], !is_setting),
            (&[""][..], true),
            (&[line, line][..], true),
            (&["hello", line][..], true),
            (&[misspelt.as_str()][..], !is_attribute),
            (&[extra.as_str()][..], !is_string),
        ] {
            let scene = read(with_line(number, to));
            let found = problems(&scene);
            let range = usize::from(is_said)..=1;
            let count = scene.problems.len();
            assert!(range.contains(&count), "{number}: {to:?}: {found:#?}");
            let is_lost = key == "entity" && !to.concat().contains("entity ");
            assert_eq!(
                scene.entities.len(),
                2 - usize::from(is_lost),
                "{number}: {to:?}"
            );
        }
    }
}

#[test]
fn an_attribute_that_is_missing_is_said_to_be() {
    for (line, said) in [
        (
            "   position vec3 100.000000 175.000000 -50.000000\n",
            "56:10: error: pfscene/attribute-type (Camera 0): float pitch",
        ),
        (
            "   pitch float -65.000000\n",
            "55:1: error: pfscene/attribute-missing (Camera 0): 2 3 pitch position yaw",
        ),
        (
            "    color vec3 7.000000 8.000000 9.000000\n",
            "14:18: error: pfscene/attribute-type (Faction 1): bool controllable",
        ),
        (
            "    controllable bool 1\n",
            "13:1: error: pfscene/attribute-missing (Faction 1): 1 2 color controllable",
        ),
    ] {
        let scene = read(changed(line, ""));
        let found = problems(&scene);
        assert!(found.len() == 1 && found[0].starts_with(said), "{found:#?}");
        assert_eq!((scene.factions.len(), scene.cameras.len()), (2, 1));
    }
}

/// In a file of version 1.1, factions of version 1.0 all lack the same attribute.
#[test]
fn factions_of_an_older_version_are_one_problem() {
    let lines = SCENE.lines().filter(|line| {
        let key = line.split_whitespace().next().unwrap();
        key != "controllable" && key != "diplomacy"
    });
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let scene = read(&text);
    let found = problems(&scene);
    assert_eq!(
        found,
        ["10:1: error: pfscene/attribute-missing (Faction 0): 1 2 color controllable"]
    );
    let all: Vec<String> = scene.problems[0]
        .consequences
        .iter()
        .map(Problem::facts)
        .collect();
    assert_eq!(
        all,
        [
            "8:1: error: pfscene/count: 0 4 diplomacy",
            "12:1: error: pfscene/attribute-missing (Faction 1): 1 2 color controllable",
        ]
    );
    let older = text.replace("version 1.1", "version 1.0");
    assert_eq!(problems(&read(older)), [""; 0]);
    // Without a version, the lines decide which one it is.
    for text in [
        text.replace("version 1.1", "version"),
        SCENE.replace("version 1.1\n", ""),
    ] {
        let found = problems(&read(text));
        assert!(
            found.len() == 1 && found[0].contains(": pfscene/header-line"),
            "{found:?}"
        );
    }
}

/// A class that is not UTF-8 is longer as text than in the file.
#[test]
fn a_class_of_any_bytes_is_read() {
    let (before, after) = SCENE.split_once("Guard").unwrap();
    let text = [before.as_bytes(), b"\xff\xfe \xff more", after.as_bytes()].concat();
    assert_eq!(
        problems(&read(text)),
        ["40:20: warning: pfscene/extra-words (SceneEntity 0): 0 \\xff guard"]
    );
}

/// Each key of an attribute that the engine knows, with each of its letters missing.
#[test]
fn the_key_that_is_meant_is_said_where_it_is_misspelt() {
    let mut count = 0;
    for (number, line) in (1..).zip(SCENE.lines()).skip(21) {
        let words = line.trim_start();
        let (key, rest) = words.split_once(' ').unwrap();
        let indent = &line[..line.len() - words.len()];
        let mut known = pfscene::ENTITY_ATTRIBUTES.iter();
        // Cameras have a position too.
        if indent.is_empty() || number > 44 || !known.any(|known| known.key == key) {
            continue;
        }
        for letter in 0..key.len() {
            let mut misspelt = key.to_owned();
            misspelt.remove(letter);
            if misspelt.len() < 4 {
                continue;
            }
            let scene = read(with_line(number, &[&format!("{indent}{misspelt} {rest}")]));
            let found = problems(&scene);
            let expected = format!(" {key}");
            let place = format!("{number}:{}: ", indent.len() + 1);
            let is_said = |said: &String| {
                said.starts_with(&place)
                    && said.contains("pfscene/attribute-key")
                    && said.contains(&expected)
            };
            assert!(
                found.len() == 1 && is_said(&found[0]),
                "{misspelt}: {found:#?}"
            );
            let is_needed = ["position", "scale", "rotation"].contains(&key);
            let is_list = ["tags", "constructor_arguments"].contains(&key);
            let has_error = Tally::of(&scene.problems).errors == 1;
            assert_eq!(has_error, is_needed || is_list, "{misspelt}: {found:#?}");
            assert_eq!(scene.entities.len(), 2);
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

/// An unknown key is not a misspelling of a known one if the record has that one too, or if its
/// type differs.
#[test]
fn keys_of_scripts_are_no_misspelt_ones() {
    for line in [
        "   home vec2 -7.000000 8.500000",
        "   selectable_by int 3",
        "   positions vec3 1.000000 2.000000 3.000000",
        "   animatd int 1",
    ] {
        let scene = read(with_line(30, &[line]));
        assert_eq!(problems(&scene), [""; 0], "{line}");
    }
}

#[test]
fn a_number_that_is_not_finite_is_pointed_at() {
    let text = changed("vec3 1.000000 2.000000", "vec3 1.000000 inf");
    let (line, column) = text
        .lines()
        .zip(1..)
        .find_map(|(text, line)| Some((line, text.find("inf")? + 1)))
        .unwrap();
    assert_eq!(
        problems(&read(&text)),
        [format!(
            "{line}:{column}: error: pfscene/not-finite (SceneEntity 0): 0 guard inf"
        )]
    );
}

/// The records of a scene as text, without their lines.
fn records(scene: &Pfscene) -> Vec<(&'static str, String)> {
    let text = |attributes: &pfscene::Attributes| {
        let attributes = attributes.0.iter().map(|it| match &it.value {
            Value::Arguments(listed) => {
                let listed = listed.iter().map(|it| format!("{:?}", it.value));
                format!("{} {:?}", it.key, listed.collect::<Vec<_>>())
            }
            Value::Tags(tags) => {
                let tags = tags.iter().map(|tag| &tag.text);
                format!("{} {:?}", it.key, tags.collect::<Vec<_>>())
            }
            value => format!("{} {value:?}", it.key),
        });
        attributes.collect::<Vec<_>>().join("\n")
    };
    let factions = scene
        .factions
        .iter()
        .map(|it| ("faction", format!("{}\n{}", it.name, text(&it.attributes))));
    let entities = scene.entities.iter().map(|it| {
        let attributes = text(&it.attributes);
        ("entity", format!("{} {}\n{attributes}", it.name, it.model))
    });
    let regions = scene.regions.iter().map(|it| {
        let attributes = text(&it.attributes);
        (
            "region",
            format!("{} {}\n{attributes}", it.name, it.shape_type),
        )
    });
    let cameras = scene
        .cameras
        .iter()
        .map(|it| ("camera", format!("{}\n{}", it.name, text(&it.attributes))));
    let all = factions.chain(entities).chain(regions).chain(cameras);
    all.collect()
}

/// Changes to some lines of a record do not affect other records. They give at most one problem, in
/// the damage or in its consequences.
#[test]
fn damage_stays_in_its_record() {
    let text = SCENE.replace(
        "camera above",
        "camera below\n   pos vec3 1.0 2.0 3.0\n   pitch float 1.0\n   yaw float 2.0\ncamera above",
    )
        .replace("num_cameras 1", "num_cameras 2");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let whole = records(&read(&text));
    let heads = ["faction ", "entity ", "region ", "camera "];
    let starts = (0..lines.len()).filter(|i| heads.iter().any(|head| lines[*i].starts_with(head)));
    let ends = |line: &&str| {
        line.starts_with("section")
            || line.starts_with("diplomacy")
            || heads.iter().any(|head| line.starts_with(head))
    };
    for (index, start) in starts.enumerate() {
        let len = lines[start + 1..].iter().position(&ends);
        let len = 1 + len.unwrap_or(lines.len() - start - 1);
        for from in start..start + len {
            for to in from + 1..=(from + 3).min(start + len) {
                let damaged = lines[from..to].concat();
                let half = damaged.len() / 2;
                let junk = "#".repeat(damaged.len() - 1);
                for new in [
                    String::new(),
                    "\n".to_owned(),
                    format!("{junk}\n"),
                    damaged.repeat(2),
                    format!("hello\n{damaged}"),
                    format!("{}@@ @{}", &damaged[..half], &damaged[half..]),
                    format!("{}{}", &damaged[..half / 2], &damaged[half + 1..]),
                    format!("{}\n{}", &damaged[..half], &damaged[half..]),
                ] {
                    let text = [&lines[..from].concat(), &*new, &lines[to..].concat()].concat();
                    let scene = read(&text);
                    let found = problems(&scene);
                    assert!(found.len() <= 1, "{from}..{to}: {new}: {found:#?}");
                    let mut left = records(&scene);
                    for (i, record) in whole.iter().enumerate() {
                        let at = left.iter().position(|it| it == record);
                        assert!(
                            at.is_some() || i == index,
                            "{from}..{to}: {new}: {record:?}: {left:#?}"
                        );
                        at.map(|at| left.remove(at));
                    }
                    // The rest is the damaged record, which may be there twice.
                    assert!(left.len() <= 2, "{from}..{to}: {new}: {left:#?}");
                }
            }
        }
    }
}
