//! `mapscope diff`: differences between two files, in the terms of their format.

use mapscope_formats::ika::{map as ika_map, text_map, vsp};
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::ppe::{MapFlags, map_data, xmf};
use mapscope_formats::{pfmap, pfobj};
use mapscope_testdata::{synthesize, tiny_model, tiny_scene};
use serde_json::{Value, json};

use super::contract::written_files;
use super::folder::{Folder, Outcome};

/// The differences between two files, each as kind, location and fields.
#[track_caller]
fn differences(name: &str, a: impl AsRef<[u8]>, b: impl AsRef<[u8]>) -> Vec<Value> {
    let folder = Folder::new();
    folder.write(&format!("a.{name}"), a);
    folder.write(&format!("b.{name}"), b);
    let json = folder
        .run(&format!("diff a.{name} b.{name} --json"))
        .expect(1)
        .json();
    assert_eq!(json["same"], false);
    let list = json["differences"].as_array().unwrap();
    assert_eq!(json["count"], list.len());
    let short = |it: &Value| json!([it["what"], it["where"], it["fields"]]);
    list.iter().map(short).collect()
}

fn tile_of(text: &[u8; pfmap::TILE_CHARS]) -> pfmap::Tile {
    pfmap::Tile::parse(text).unwrap()
}

#[test]
fn tiles_and_materials_differ_by_field() {
    let a = pfmap::read(&synthesize::pfmap(1, 2, 1)).unwrap();
    let mut b = a.clone();
    let place = 3 * 64 + 33;
    let mut a = a;
    a.tiles[place] = tile_of(b"4-0502000001011010211000");
    b.tiles[place] = tile_of(b"4+0702000001010010212000");
    // A material that no tile uses.
    let mut unused = a.materials[0].clone();
    unused.name = "unused".to_owned();
    a.materials.push(unused.clone());
    let mut more = unused.clone();
    unused.texture = "other.png".to_owned();
    more.name = "sand".to_owned();
    b.materials.extend([unused, more]);
    let [old, name] = [a.materials[0].texture.as_str(), "unused"];
    let texture = &b.materials[0].texture;
    let found = differences("pfmap", pfmap::write(&a), pfmap::write(&b));
    let expected = [
        json!(["material", name, {"texture": [old, "other.png"]}]),
        json!(["material", "sand", {"name": [null, "sand"], "texture": [null, texture]}]),
        json!(["tile", "3,33", {
            "base_height": [-5, 7], "blend_normals": [true, false], "blend_west": ["blur", "edge"],
        }]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn tiles_are_compared_by_the_materials_that_they_name() {
    let mut a = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    for tile in &mut a.tiles {
        *tile = tile_of(b"0+0000001001100011211000");
    }
    a.materials[1].name = "grass".to_owned();
    a.materials[1].texture = "grass.png".to_owned();
    let tiles = a.tiles.len();
    let mut sand = a.materials[1].clone();
    sand.name = "sand".to_owned();
    let counts = |b: &pfmap::Pfmap| {
        let folder = Folder::new();
        folder.write("a.pfmap", pfmap::write(&a));
        folder.write("b.pfmap", pfmap::write(b));
        let json = folder.run("diff a.pfmap b.pfmap --json").expect(1).json();
        let groups = json["groups"].as_array().unwrap().iter();
        let changed = |group: &Value| (group["what"].clone(), group["changed"].clone());
        (groups.map(changed).collect::<Vec<_>>(), json)
    };
    // A different material at the index that all tiles use.
    let mut b = a.clone();
    b.materials.insert(1, sand);
    let (changed, json) = counts(&b);
    assert_eq!(
        changed,
        [(json!("material"), json!(0)), (json!("tile"), json!(tiles))]
    );
    let tile = &json["differences"][1]["fields"];
    let named = json!(["grass, grass.png", "sand, grass.png"]);
    assert_eq!(
        (&tile["top_material"], &tile["side_material"]),
        (&named, &named)
    );
    // After renumbering in the tiles, they are unchanged.
    for tile in &mut b.tiles {
        tile.set(pfmap::Field::TopMaterial, 2);
        tile.set(pfmap::Field::SideMaterial, 2);
    }
    let (changed, json) = counts(&b);
    assert_eq!(changed, [(json!("material"), json!(0))], "{json}");
    // A renamed material is the same, and only the other differences of a tile are listed.
    let mut b = a.clone();
    b.materials[1].name = "lawn".to_owned();
    b.tiles[5] = tile_of(b"0+0000001001110011211000");
    let (_, json) = counts(&b);
    let all = json["differences"].as_array().unwrap();
    let fields: Vec<_> = all.iter().map(|it| (&it["where"], &it["fields"])).collect();
    let renamed = json!({"name": ["grass", "lawn"]});
    let told = json!({"other_characters": [null, "13: 1"]});
    assert_eq!(
        fields,
        [(&json!("grass"), &renamed), (&json!("0,5"), &told)]
    );
}

#[test]
fn what_errors_leave_out_is_not_the_same() {
    let folder = Folder::new();
    let map = synthesize::pmf([1, 2, 1], 2, 3);
    let whole = pmf::write(&map, Packing::Stored).unwrap();
    let frames = pmf::read(&whole).unwrap().levels[0].frames;
    let mut broken = pmf::write(&map, Packing::Stored).unwrap();
    // Breaks the server section of the level, so that both sides have nothing to compare.
    broken[frames[2].start as usize] = 0;
    let mut other = broken.clone();
    other[frames[2].start as usize] = 1;
    folder.write("a.pmf", &broken);
    folder.write("b.pmf", &other);
    let outcome = folder.run("diff a.pmf b.pmf --json").expect(1);
    let json = outcome.json();
    // Each file has a different error at that location.
    assert_eq!(
        [&json["same"], &json["complete"], &json["count"]],
        [&json!(false), &json!(false), &json!(2)]
    );
    for (error, side) in json["differences"].as_array().unwrap().iter().zip(0..) {
        assert_eq!(error["what"], "error");
        assert_eq!(error["where"], json["not_read"][side]["rule"]);
        assert_eq!(error["at"][side], json["not_read"][side]["at"]);
        let message = &error["fields"]["message"];
        assert_eq!(message[side], json["not_read"][side]["message"]);
        assert_eq!(message[1 - side], Value::Null);
    }
    for name in ["a.pmf", "b.pmf"] {
        let said = format!("{name}: errors leave out part of the file");
        assert!(outcome.stderr.contains(&said), "{outcome:?}");
    }
    assert_eq!(json["not_read"][0]["severity"], "error");
    // Identical bytes are the same.
    let json = folder.run("diff a.pmf a.pmf --json").expect(0).json();
    assert_eq!([&json["same"], &json["complete"]], [true, true]);
    folder.write("whole.pmf", &whole);
    let json = folder.run("diff whole.pmf a.pmf --json").expect(1).json();
    assert_eq!(json["complete"], false);
    assert_eq!(json["differences"][0]["what"], "error");
    assert_eq!(json["not_read"][0], Value::Null);
    assert!(json["not_read"][1]["message"].is_string(), "{json}");
}

/// For files with equal content, the worst problem that only one of them has is reported.
#[test]
fn a_problem_of_one_file_alone_is_named_where_both_say_the_same() {
    let folder = Folder::new();
    let model = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    folder.write("a.pfobj", &model);
    let line = model.lines().find(|line| line.starts_with("frame_counts"));
    let line = line.unwrap();
    let longer = line.rsplit_once(' ').unwrap().0;
    folder.write("b.pfobj", model.replace(line, &format!("{longer} 77")));
    for (files, side) in [("a.pfobj b.pfobj", "B"), ("b.pfobj a.pfobj", "A")] {
        let said = folder.run(&format!("diff {files}")).expect(0).stderr;
        let named = said.lines().filter(|line| line.starts_with("only in "));
        let named: Vec<&str> = named.collect();
        let [line] = named[..] else {
            panic!("{said}");
        };
        assert!(line.starts_with(&format!("only in {side}: ")), "{line}");
        assert!(line.contains("expected 77"), "{line}");
    }
}

#[test]
fn an_error_for_which_all_was_read_hides_nothing() {
    let folder = Folder::new();
    let models = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    let maps = String::from_utf8(synthesize::pfmap(1, 1, 1)).unwrap();
    let scenes = tiny_scene::SCENE.to_owned();
    for (name, text) in [("pfobj", &models), ("pfmap", &maps), ("pfscene", &scenes)] {
        folder.write(&format!("a.{name}"), text);
        let twisted = [
            text.trim_end().to_owned(),
            format!("\u{feff}{text}"),
            text.replacen('\n', "\n\n", 1),
            text.replacen('\n', &format!("{}\n", " ".repeat(256)), 1),
        ];
        for other in twisted {
            folder.write(&format!("b.{name}"), other);
            let files = format!("a.{name} b.{name}");
            let outcome = folder.run(&format!("check b.{name}"));
            assert!(outcome.stdout.contains("error"), "{outcome:?}");
            let json = folder.run(&format!("diff {files} --json")).expect(0).json();
            assert_eq!([&json["same"], &json["complete"]], [true, true], "{name}");
            assert_eq!(json["not_read"], json!([null, null]));
        }
    }
    // A consequence of such an error may hide a difference.
    let lines: Vec<&str> = models.lines().collect();
    folder.write("b.pfobj", lines[..lines.len() - 5].join("\n"));
    let json = folder.run("diff a.pfobj b.pfobj --json").expect(1).json();
    assert_eq!(json["complete"], false);
}

/// One line reports the position of the truncation, and everything after it is only in the other
/// file.
#[test]
fn truncated_files_are_compared_up_to_the_truncation() {
    let folder = Folder::new();
    let cut = |name: &str, bytes: &[u8], at: usize, said: &str| {
        folder.write(&format!("whole.{name}"), bytes);
        folder.write(&format!("cut.{name}"), &bytes[..at]);
        for files in ["whole cut", "cut whole"] {
            let files: Vec<_> = files.split(' ').map(|it| format!("{it}.{name}")).collect();
            let outcome = folder.run(&format!("diff {}", files.join(" "))).expect(1);
            // Two lines name the files.
            let told: Vec<&str> = outcome.stdout.lines().skip(2).collect();
            assert!(told[1].starts_with("error: 1 only in "), "{outcome:?}");
            let errors = told.iter().filter(|line| line.starts_with("error: "));
            assert_eq!(errors.count(), 1, "{outcome:?}");
            let said = format!("cut.{name}: only the part before {said}");
            let lines = outcome.stderr.lines();
            let lines = lines.filter(|line| line.starts_with(&said));
            assert_eq!(lines.count(), 1, "{name}: {}", outcome.stderr);
        }
    };
    let map = synthesize::ika_map([10, 8], 2, 1);
    let bytes = ika_map::write(&map).unwrap();
    let places = ika_map::read(&bytes).unwrap();
    let [layer, zones] = [&places.layers[1].block, &places.zone_block];
    for block in [layer, &places.obstruction_block, zones] {
        let half = u64::midpoint(block.start, block.end);
        cut(
            "map",
            &bytes,
            half as usize,
            &format!("{:#x} ", block.start - 4),
        );
    }
    let zone = places.zones[1].place.start as usize + 2;
    cut("map", &bytes, zone, &format!("{zone:#x}")[..4]);
    let entity = places.entities[1].place.end as usize;
    cut("map", &bytes, entity, "0x");
    let terrain = pfmap::write(&pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap());
    cut("pfmap", &terrain, terrain.len() - 500, "line ");
    let level = pmf::write(&synthesize::pmf([1, 2, 1], 2, 3), Packing::Stored).unwrap();
    cut("pmf", &level, level.len() * 2 / 3, "0x");
    // Everything before the truncation is still compared.
    let mut changed = map.clone();
    changed.layers[0].tiles[3] += 1;
    changed.entities[0].speed += 1;
    folder.write("a.map", ika_map::write(&changed).unwrap());
    folder.write("b.map", &bytes[..entity]);
    let json = folder.run("diff a.map b.map --json").expect(1).json();
    let found: Vec<_> = json["differences"].as_array().unwrap().iter().collect();
    let places: Vec<_> = found
        .iter()
        .map(|it| it["where"].as_str().unwrap())
        .collect();
    for place in ["Layer 0: 3,0", "Entity 0"] {
        assert!(places.contains(&place), "{places:?}");
    }
    assert_eq!([&json["complete"], &json["same"]], [false, false]);
}

#[test]
fn layers_grids_zones_and_entities_of_a_map_differ() {
    let a = synthesize::ika_map([10, 8], 2, 1);
    let mut b = a.clone();
    b.layers[1].tiles[2 * 10 + 3] += 1;
    b.layers[1].parallax.mul = [3, 5];
    b.obstruction[10 + 4] ^= 1;
    b.zone_numbers[2 * 10 + 5] ^= 1;
    b.zones[1].description.push('!');
    b.entities[2].speed += 1;
    b.entities.insert(
        0,
        ika_map::Entity {
            name: "Newcomer".to_owned(),
            ..a.entities[0].clone()
        },
    );
    b.render_string.push('1');
    let tile = a.layers[1].tiles[2 * 10 + 3];
    let [speed, faster] = [&a, &b].map(|map| {
        let entity = map.entities.iter().find(|e| e.name == "Entity 2").unwrap();
        entity.speed
    });
    let bytes = [&a, &b].map(|map| ika_map::write(map).unwrap());
    let [a, b] = bytes;
    let folder = Folder::new();
    folder.write("a.map", &a);
    folder.write("b.map", &b);
    let json = folder.run("diff a.map b.map --json").expect(1).json();
    let at = |what: &str| {
        let mut all = json["differences"].as_array().unwrap().iter();
        all.find(|it| it["what"] == what).unwrap()["at"][0].clone()
    };
    assert_eq!(at("obstruction"), "0xe to 0xf of the unpacked data");
    assert_eq!(at("zone cell"), "0x64 to 0x68 of the unpacked data");
    assert!(at("zone").as_str().unwrap().contains(" bytes"), "{json}");
    let found = differences("map", a, b);
    let kinds: Vec<[&str; 2]> = found
        .iter()
        .map(|it| [&it[0], &it[1]].map(|text| text.as_str().unwrap()))
        .collect();
    let expected = [
        ["map", "map"],
        ["layer", "Layer 1"],
        ["cell", "Layer 1: 3,2"],
        ["obstruction", "4,1"],
        ["zone cell", "5,2"],
        ["zone", "Café"],
        ["entity", "Entity 2"],
        ["entity", "Newcomer"],
    ];
    assert_eq!(kinds, expected);
    assert_eq!(found[2][2], json!({"tile": [tile, tile + 1]}));
    assert_eq!(found[6][2], json!({"speed_px_per_s": [speed, faster]}));
    assert_eq!(found[7][2]["name"], json!([null, "Newcomer"]));
}

#[test]
fn text_maps_tilesets_and_maps_of_ppe_differ() {
    let a = synthesize::ika_text_map([12, 9], 2, 1);
    let mut b = a.clone();
    b.title.push('!');
    b.layers[1].obstructions[5] ^= 1;
    b.layers[0].entities[0].position[0] += 8;
    let label = a.layers[0].entities[0].label.clone();
    let [a, b] = [a, b].map(|map| text_map::write(&map).unwrap());
    let found = differences("ika-map", a, b);
    let what: Vec<&Value> = found.iter().map(|it| &it[0]).collect();
    assert_eq!(what, ["map", "obstruction", "entity"]);
    assert_eq!(found[1][1], "Layer 1: 5,0");
    assert_eq!(found[2][1], label);
    let [before, now] = [0, 1].map(|i| found[2][2]["rect"][i].as_array().unwrap());
    assert_eq!(now[0].as_f64(), before[0].as_f64().map(|x| x + 8.0));
    assert_eq!(before[1..], now[1..]);

    let a = synthesize::ika_tileset(1);
    let mut b = a.clone();
    let vsp::Pixels::Rgba(pixels) = &mut b.pixels else {
        panic!("{:?}", b.pixels.bytes_per_pixel());
    };
    // The first pixel of tile 3.
    let at = 3 * a.tile_pixels() as usize * 4;
    pixels[at] ^= 0x80;
    let [a, b] = [a, b].map(|tileset| vsp::write(&tileset).unwrap());
    let found = differences("vsp", a, b);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0][0], &found[0][1]), (&json!("tile"), &json!("3")));

    let a = synthesize::ppe_map([7, 5], MapFlags(0x2A01_0000 | 0x19), 3);
    let mut b = a.clone();
    b.cells[2 * 7 + 4] ^= 1;
    b.graphics.as_mut().unwrap()[3][1].light[0] += 1;
    let [a, b] = [a, b].map(|map| map_data::write(&map).unwrap());
    let found = differences("map", a, b);
    let places: Vec<&str> = found.iter().map(|it| it[1].as_str().unwrap()).collect();
    assert!(
        places[0].ends_with("4,2") && places[1].ends_with("3,0"),
        "{found:?}"
    );
    assert_eq!(places.len(), 2);

    let layer = |priority| xmf::XmfLayer {
        name: "ground".to_owned(),
        priority,
        tile_size: [16, 8],
        size: [7, 5],
        ..Default::default()
    };
    let map = |layers| {
        xmf::write(&mapscope_formats::ppe::Xmf {
            layers,
            ..Default::default()
        })
    };
    let found = differences("xmf", map(vec![layer(1)]), map(vec![layer(4)]));
    assert_eq!(found, [json!(["layer", "ground", {"priority": [1, 4]}])]);
}

/// A container with every kind of content.
const CONTAINER: &str = r#"Metadata {
	Version 1 2
	Name "town"
	Resolution 424 240
	Creator "somebody"
}
File:Palette "pal.tga" palShift=4 offset=16
Embed:Palette "blue" [AAAAAP8AAP8=] offset=32
Embed:Script "on start" lang="lua"
Layer:Tile "ground" 0 16 8 2 1 {
	RenderingMode "Copy"
	ScrollRateX 0.5
	Embed:MapData [/////wAAAAA=]
	File:TileSource "tiles.tga" palShift=5 {
		Embed:TileInfo {
			7 0 "grass"
			8 1 "sand"
		}
	}
	Color "green" kind=3
}
Layer:Tile "above" 3 16 8 2 1 {
	RepeatMode "On"
	File:MapData "above.map" dataPakSrc="a.dpk"
	Shared:TileData 0
}
Layer:Sprite "people" 5 {
	File:SpriteSource 1 "hero.tga" name="hero" horizOffset=1 vertOffset=2 width=3 height=4
	File:SpriteSheet "crowd.tga" {
		SheetData {
			2 0 0 8 8 name="first"
		}
	}
	Object:Sprite "hero" 1 1 30 40 scaleHoriz=512 lrCornerY=90 palSel=2 masterAlpha=99
	Object:Box "door" 2 5 6 7 8 {
		ToCollision
		Note "locked"
	}
	Object:Polyline "way" 3 {
		Begin 0 1
		Segment 4 5 {
			Bezier 2 3
		}
	}
	Object:QuadSprite "flag" 4 2 1 2 3 4 5 6 7 8
	Object:Circle "pond" 5 10 20
}
"#;

#[test]
fn all_that_a_container_says_is_compared_and_nothing_beside_it() {
    let folder = Folder::new();
    folder.write("a.xmf", CONTAINER);
    let is_same = |text: &str| {
        folder.write("b.xmf", text);
        let outcome = folder.run("diff a.xmf b.xmf --json");
        let json = outcome.json();
        assert_eq!(json["same"], json["count"] == 0);
        json["same"] == true
    };
    assert!(is_same(CONTAINER));
    // Changes every number and every text, one after the other.
    let mut at = 0;
    let mut changed = 0;
    let mut missed = Vec::new();
    while let Some(found) = CONTAINER[at..].find(|c: char| c.is_ascii_digit() || c == '"') {
        let start = at + found;
        let (mut end, new) = if CONTAINER[start..].starts_with('"') {
            let end = start + 2 + CONTAINER[start + 1..].find('"').unwrap();
            (end, "\"other\"".to_owned())
        } else {
            let is_number = |c: char| c.is_ascii_digit() || c == '.';
            let end = start + CONTAINER[start..].find(|c| !is_number(c)).unwrap();
            (end, "9".to_owned())
        };
        if CONTAINER[..start].ends_with("Bezier") {
            end = start;
        }
        at = end.max(start + 1);
        // Skips base64 and digits within names.
        let before = CONTAINER[..start].chars().next_back();
        let line_start = CONTAINER[..start].rfind('\n').map_or(0, |line| line + 1);
        let line = &CONTAINER[line_start..];
        let in_bytes = CONTAINER[line_start..start].contains('[')
            && !CONTAINER[line_start..start].contains(']');
        if in_bytes || before.is_some_and(char::is_alphabetic) {
            continue;
        }
        // Skips keywords, which are not free text.
        if line.trim_start().starts_with("RepeatMode") {
            continue;
        }
        let text = [&CONTAINER[..start], &new, &CONTAINER[end..]].concat();
        changed += 1;
        if is_same(&text) {
            missed.push(line.lines().next().unwrap().to_owned());
        }
    }
    assert!(changed > 80, "{changed}");
    assert_eq!(missed, [""; 0]);
    for [old, new] in [
        ["RepeatMode \"On\"", "RepeatMode \"Off\""],
        ["/////wAAAAA=", "/////wEAAAA="],
        ["AAAAAP8AAP8=", "AAAAAP8AAAA="],
        ["\t\tToCollision\n", ""],
        ["Bezier 2 3", "Bezier 3 3"],
    ] {
        let text = CONTAINER.replacen(old, new, 1);
        assert_ne!(text, CONTAINER);
        assert!(!is_same(&text), "{old}");
    }
    // The cells and the sheet beside it make no difference.
    let told = folder.run("diff --text a.xmf").expect(0).stdout;
    for name in ["here", "alone"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("here/a.xmf", CONTAINER);
    let map = synthesize::ppe_map([2, 1], MapFlags(0x2A01_0000), 3);
    folder.write("here/above.map", map_data::write(&map).unwrap());
    let outcome = folder.run("diff a.xmf here/a.xmf --json").expect(0);
    assert_eq!(outcome.json()["same"], true);
    assert_eq!(folder.run("diff --text here/a.xmf").expect(0).stdout, told);
    // A map of cells is independent of the container beside it.
    folder.write("above.map", map_data::write(&map).unwrap());
    folder.write("alone/above.map", map_data::write(&map).unwrap());
    let outcome = folder
        .run("diff here/above.map alone/above.map --json")
        .expect(0);
    assert_eq!(outcome.json()["count"], 0);
}

/// Kind and location of each difference, in the order of the format.
fn places(found: &[Value]) -> Vec<[&str; 2]> {
    let places = found.iter();
    places
        .map(|it| [&it[0], &it[1]].map(|text| text.as_str().unwrap()))
        .collect()
}

#[test]
fn models_differ_by_joints_clips_poses_and_vertices() {
    let a = tiny_model();
    let mut b = a.clone();
    b.materials[1].diffuse[0] = 0.123_456;
    b.joints[2].tip[1] += 0.000_01;
    b.clips[0].poses[3 + 2].translation[0] += 1.0;
    b.clips[1].name = "rest".to_owned();
    b.vertices[4].position[2] += 0.5;
    let [first, second] = [a, b].map(|model| pfobj::write(&model));
    let found = differences("pfobj", &first, &second);
    let expected = [
        ["material", "skin1"],
        ["joint", "hand"],
        ["pose", "walk: frame 1: hand"],
        ["clip", "idle"],
        ["vertex", "4"],
    ];
    assert_eq!(places(&found), expected);
    let folder = Folder::new();
    folder.write("a.pfobj", first);
    folder.write("b.pfobj", second);
    let text = folder.run("diff a.pfobj b.pfobj").expect(1).stdout;
    let pose = text.lines().find(|line| line.contains("frame 1: hand"));
    let pose = pose.and_then(|line| line.split_once("  (line "));
    let line: usize = pose.unwrap().1.trim_end_matches(')').parse().unwrap();
    let read = pfobj::read(&std::fs::read(folder.path("a.pfobj")).unwrap()).unwrap();
    assert_eq!(line as u64, read.clips[0].frame_lines[1] + 2);
    assert_eq!(found[0][2]["diffuse"][1][0], 0.123_456);
    let translation = &found[2][2]["translation"];
    let [before, after] = [0, 1].map(|i| translation[i][0].as_f64().unwrap());
    assert!((after - before - 1.0).abs() < 1e-4, "{translation}");
    assert_eq!(
        found[4][2].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["position"]
    );
}

#[test]
fn a_joint_that_is_inserted_is_one_difference() {
    let a = tiny_model();
    let mut b = a.clone();
    // Before the last joint, which the vertices reference by its index; poses have the order of the
    // joints.
    let mut extra = b.joints[2].clone();
    extra.name = "thumb".to_owned();
    b.joints.insert(2, extra);
    for influence in &mut b.influences {
        influence.joint += u32::from(influence.joint >= 2);
    }
    for clip in &mut b.clips {
        let mut at = 2;
        while at < clip.poses.len() {
            let pose = clip.poses[at];
            clip.poses.insert(at, pose);
            at += 4;
        }
    }
    let [a, b] = [a, b].map(|model| pfobj::write(&model));
    let found = differences("pfobj", a, b);
    assert_eq!(places(&found), [["joint", "thumb"]]);
}

#[test]
fn scenes_differ_by_entity_and_attribute() {
    let a = tiny_scene::SCENE;
    let b = a.replacen(
        "9.000000 10.000000 11.000000",
        "9.000000 10.500000 11.000000",
        1,
    );
    assert_ne!(a, b, "{a}");
    let b = b.replacen("Villagers", "Farmers", 1);
    let found = differences("pfscene", a, &b);
    assert_eq!(
        places(&found),
        [["faction", "Villagers"], ["entity", "rock"]]
    );
    let folder = Folder::new();
    folder.write("a.pfscene", a);
    folder.write("b.pfscene", b);
    let text = folder.run("diff a.pfscene b.pfscene").expect(1).stdout;
    assert!(text.contains("~ rock  (line "), "{text}");
    let rock = found.last().unwrap();
    assert_eq!(
        rock[2],
        json!({"position": [[9.0, 10.0, 11.0], [9.0, 10.5, 11.0]]})
    );
}

#[test]
fn levels_differ_by_chunk_and_cube_however_they_are_packed() {
    let a = synthesize::pmf([1, 2, 1], 2, 4);
    let mut b = a.clone();
    b.header.name.push('!');
    let chunk = b.levels[0].chunks[1].data.as_mut().unwrap();
    let lightmap = &mut chunk.client.as_mut().unwrap().lightmaps[0];
    lightmap.luxels[5] ^= 1;
    let vertex = &mut chunk.client.as_mut().unwrap().vertices[0];
    vertex.uv[0] += 0.25;
    let client = b.levels[0].client.as_mut().unwrap();
    client.materials[1].alpha ^= 1;
    let [first, second] = [&a, &b].map(|map| pmf::write(map, Packing::Compressed).unwrap());
    let found = differences("pmf", &first, second);
    let kinds: Vec<&str> = places(&found).into_iter().map(|[what, _]| what).collect();
    assert_eq!(
        kinds,
        ["map", "material", "vertex", "lightmap"],
        "{found:?}"
    );
    // A vertex is located by cube and side, with its changed fields.
    let place = found[2][1].as_str().unwrap();
    assert!(
        place.starts_with("0: (0, 1, 0): ") && place.ends_with(": 0"),
        "{place}"
    );
    let keys: Vec<_> = found[2][2].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["texture"], "{found:?}");
    assert_eq!(found[3][1], "0: (0, 1, 0): 0");
    // The same content in a different packing.
    let folder = Folder::new();
    folder.write("a.pmf", &first);
    folder.write("b.pmf", pmf::write(&a, Packing::Stored).unwrap());
    let same = folder.run("diff a.pmf b.pmf --json").expect(0);
    assert_eq!(
        (&same.json()["same"], &same.json()["identical"]),
        (&json!(true), &json!(false))
    );
    assert!(same.stderr.contains("different bytes"), "{same:?}");
}

#[test]
fn git_shows_what_differs() {
    let folder = Folder::new();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(folder.path("")).args(args);
        // Ignores the configuration of the user who runs the test.
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        command
    };
    if git(&["--version"]).output().is_err() {
        return;
    }
    let run = |args: &[&str]| Outcome::of(git(args));
    let program = env!("CARGO_BIN_EXE_mapscope");
    run(&["init", "-q"]).expect(0);
    for (key, value) in [
        ("user.name", "A"),
        ("user.email", "a@example.org"),
        (
            "diff.mapscope.textconv",
            &*format!("'{program}' diff --text"),
        ),
        (
            "difftool.mapscope.cmd",
            &*format!("'{program}' diff \"$LOCAL\" \"$REMOTE\""),
        ),
    ] {
        run(&["config", key, value]).expect(0);
    }
    folder.write(".gitattributes", "*.map diff=mapscope\n");
    let a = synthesize::ika_map([10, 8], 2, 1);
    let mut b = a.clone();
    b.entities[2].speed = 77;
    folder.write("town.map", ika_map::write(&a).unwrap());
    run(&["add", "."]).expect(0);
    run(&["commit", "-qm", "one"]).expect(0);
    folder.write("town.map", ika_map::write(&b).unwrap());
    let diff = run(&["diff"]).expect(0).stdout;
    let changed: Vec<&str> = diff
        .lines()
        .filter(|line| line.starts_with("+entity") || line.starts_with("-entity"))
        .collect();
    assert_eq!(changed.len(), 2, "{diff}");
    assert!(changed[1].contains("speed 77 pixels a second"), "{diff}");
    let tool = run(&["difftool", "-y", "-t", "mapscope"]);
    assert!(
        tool.stdout.contains("entity: 1 changed\n  ~ Entity 2"),
        "{tool:?}"
    );
    // Git passes no file for one that a version lacks.
    folder.write("new.map", ika_map::write(&a).unwrap());
    std::fs::remove_file(folder.path("town.map")).unwrap();
    run(&["add", "-A"]).expect(0);
    let tool = run(&["difftool", "-y", "--no-renames", "-t", "mapscope", "HEAD"]);
    assert!(tool.stdout.contains("only in B: new.map\n"), "{tool:?}");
    assert!(
        tool.stdout.contains("only in A: ") && tool.stdout.contains("town.map\n"),
        "{tool:?}"
    );
}

#[test]
fn a_file_is_the_same_as_itself_and_told_part_by_part() {
    let folder = Folder::new();
    for written in written_files(&folder) {
        let name = written.name;
        let same = folder.run(&format!("diff {name} {name}")).expect(0);
        assert_eq!(same.stdout, "", "{name}");
        let json = folder
            .run(&format!("diff {name} {name} --json"))
            .expect(0)
            .json();
        assert_eq!(json["same"], true);
        assert_eq!(json["identical"], true);
        assert_eq!(
            (&json["count"], &json["differences"]),
            (&json!(0), &json!([]))
        );
        let told = folder.run(&format!("diff --text {name}")).expect(0).stdout;
        assert!(told.starts_with(&format!("format {}", json["format"].as_str().unwrap())));
        assert!(told.lines().count() > 1, "{name}: {told}");
        // The text is independent of the file's location.
        assert!(!told.contains(name), "{name}: {told}");
    }
}

#[test]
fn a_zone_that_is_renamed_is_one_difference_of_the_text() {
    let folder = Folder::new();
    let mut map = synthesize::ika_map([12, 9], 2, 3);
    let told = |map: &ika_map::Map| {
        folder.write("a.map", ika_map::write(map).unwrap());
        folder.run("diff --text a.map").expect(0).stdout
    };
    let before = told(&map);
    assert!(
        before.lines().any(|line| line.ends_with(": zone cell 1")),
        "{before}"
    );
    map.zones[1].name = "Another name".to_owned();
    let after = told(&map);
    let lines = before.lines().zip(after.lines());
    let changed: Vec<_> = lines.filter(|(a, b)| a != b).collect();
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(before.lines().count(), after.lines().count());
}

#[test]
fn what_cannot_be_compared_fails() {
    let folder = Folder::new();
    written_files(&folder);
    folder.write("broken.pfmap", "version 1.0\nnum_materials x");
    for (args, expected) in [
        (
            "diff a.pfmap a.vsp",
            "expected two files of the same format",
        ),
        ("diff a.pfmap none.pfmap", "none.pfmap"),
        ("diff a.pfmap broken.pfmap", "broken.pfmap"),
        ("diff a.pfmap", "<B>"),
    ] {
        let outcome = folder.run(args).expect(2);
        assert!(outcome.stderr.contains(expected), "{args}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{args}");
    }
    // git gives up on all files if one has no text.
    let told = folder.run("diff --text broken.pfmap").expect(0);
    assert!(told.stdout.starts_with("cannot be read: "), "{told:?}");
}

#[test]
fn one_of_the_files_can_come_through_a_pipe() {
    use std::io::Write as _;
    use std::process::Stdio;

    let folder = Folder::new();
    written_files(&folder);
    let bytes = std::fs::read(folder.path("a.pfmap")).unwrap();
    let run = |args: &str| {
        let mut command = folder.command();
        command.args(args.split(' ')).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A command that refuses the arguments does not read the pipe.
        let _unread = pipe.write_all(&bytes);
        drop(pipe);
        child.wait_with_output().unwrap()
    };
    assert_eq!(run("diff - a.pfmap").status.code(), Some(0));
    let other = run("diff b.pfmap - --json");
    assert_eq!(other.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(
        (&json["b"], &json["format"]),
        (&json!("-"), &json!("pfmap"))
    );
    let both = run("diff - -");
    assert_eq!(both.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&both.stderr).contains("only one"),
        "{both:?}"
    );
}

#[test]
fn text_is_grouped_and_cut() {
    let a = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    let mut b = a.clone();
    for tile in &mut b.tiles {
        *tile = tile_of(b"4+0702000001010010212000");
    }
    b.materials[0].name.push('2');
    let folder = Folder::new();
    folder.write("a.pfmap", pfmap::write(&a));
    folder.write("b.pfmap", pfmap::write(&b));
    let text = folder.run("diff a.pfmap b.pfmap").expect(1).stdout;
    assert!(text.starts_with("--- a.pfmap\n+++ b.pfmap\n\nmaterial: 1 changed\n"));
    assert!(
        text.contains("\ntile: 1024 changed\n  ~ 0,0  (line "),
        "{text}"
    );
    assert!(text.ends_with("  … and 924 more\n"), "{text}");
    let json = folder.run("diff a.pfmap b.pfmap --json").expect(1).json();
    assert_eq!(json["count"], 1025);
    assert_eq!(json["listed"], 1001);
    assert_eq!(json["groups"][1]["changed"], 1024);
}
