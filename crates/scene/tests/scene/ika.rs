//! ika's maps and tilesets through the public interface: samples against their sidecar files, and
//! real files against known facts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mapscope_formats::ika::{Map, TextMap, Vsp, map, text_map, vsp};
use mapscope_formats::{Problem, Severity};
use mapscope_scene::tilemap::{
    Cell, GridKind, Integers, ObjectKind, Pass, Step, StrandMode, TileMap, numbered_tile,
};
use mapscope_scene::{
    self, Document, InfoQuery, Layers as _, OpenOptions, OverlayId, Playhead, Progress, Shown,
    Source, TileMapItem,
};
use mapscope_testdata::{shared, synthesize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The samples of a folder with this ending: name, bytes, and content of the sidecar.
fn samples(folder: &str, ending: &str) -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = shared(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("ika") && name.ends_with(ending)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 2);
    files
        .into_iter()
        .map(|path| {
            let bytes = fs::read(&path).unwrap();
            let mut beside = path.clone().into_os_string();
            beside.push(".json");
            let truth = fs::read_to_string(beside).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, bytes, serde_json::from_str(&truth).unwrap())
        })
        .collect()
}

fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

fn sha256_of_words(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    sha256(&bytes)
}

/// Compares the worst severity of problems with the expected one.
#[track_caller]
fn check_problems(problems: &[Problem], truth: &Value, name: &str) {
    let worst = problems.iter().map(|problem| problem.severity).max();
    let expected = match truth["expect"].as_str().unwrap() {
        "ok" => None,
        "warn" => Some(Severity::Warning),
        "error" => Some(Severity::Error),
        other => panic!("{name}: {other}"),
    };
    assert_eq!(worst, expected, "{name}: {problems:?}");
}

fn map_as_json(map: &Map) -> Value {
    let zones = map.zones.iter().map(|zone| {
        json!({
            "name": zone.name,
            "description": zone.description,
            "act_script": zone.activation_script,
            "entity_script": zone.entity_script,
            "chance": zone.chance_percent,
            "delay": zone.delay_steps,
            "adjacent": u8::from(zone.is_adjacent),
        })
    });
    let entities = map.entities.iter().map(|entity| {
        json!({
            "name": entity.name,
            "x": entity.position[0],
            "y": entity.position[1],
            "direction": entity.direction,
            "speed": entity.speed,
            "obs_by_map": u8::from(entity.is_obstructed_by_map),
            "obs_by_ent": u8::from(entity.is_obstructed_by_entities),
            "obstructs_ent": u8::from(entity.obstructs_entities),
            "chr": entity.sprite,
            "adjacent": u8::from(entity.is_adjacent),
            "act_script": entity.activation_script,
            "state": entity.state,
            "move_script": entity.move_script,
            "wander_steps": entity.wander_steps,
            "wander_delay": entity.wander_delay,
            "wander_rect": entity.wander_rect,
            "wander_zone": entity.wander_zone,
            "chase_target": entity.chase_target,
            "chase_dist": entity.chase_distance,
        })
    });
    let layers = map.layers.iter().map(|layer| {
        json!({
            "pmultx": layer.parallax.mul[0],
            "pdivx": layer.parallax.div[0],
            "pmulty": layer.parallax.mul[1],
            "pdivy": layer.parallax.div[1],
            "tiles_sha256_u32le": sha256_of_words(&layer.tiles),
            "first8": layer.tiles[..8],
            "max_tile": layer.tiles.iter().max(),
        })
    });
    let zone_counts: serde_json::Map<String, Value> = (0..map.zones.len() as u32)
        .map(|zone| {
            (
                zone,
                map.zone_numbers.iter().filter(|n| **n == zone).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .map(|(zone, count)| (zone.to_string(), json!(count)))
        .collect();
    json!({
        "format": "ika-map-v6",
        "width": map.size[0],
        "height": map.size[1],
        "layer_count": map.layers.len(),
        "zones": zones.collect::<Value>(),
        "entities": entities.collect::<Value>(),
        "layers": layers.collect::<Value>(),
        "obstruction_sha256_u8": sha256(&map.obstruction),
        "obstructed_count": map.obstruction.iter().filter(|byte| **byte != 0).count(),
        "zone_sha256_u32le": sha256_of_words(&map.zone_numbers),
        "zone_counts": zone_counts,
        "vsp": map.tileset,
        "music": map.music,
        "render_string": map.render_string,
        "start": map.start,
        "round": u8::from(map.wraps),
    })
}

#[test]
fn binary_maps_are_as_their_side_cars_say() {
    for (name, bytes, truth) in samples("samples/tilemaps", ".map") {
        assert!((map::FORMAT.sniff)(&bytes), "{name}");
        let read = map::read(&bytes).unwrap();
        for (key, found) in map_as_json(&read).as_object().unwrap() {
            assert_eq!(*found, truth[key], "{name}: {key}");
        }
        check_problems(&read.problems, &truth, &name);
        // A written copy is equal except for the offsets of blocks.
        let again = map::read(&map::write(&read).unwrap()).unwrap();
        assert_eq!(again.without_places(), read.without_places(), "{name}");
    }
}

#[test]
fn broken_maps_are_answered_and_shown() {
    for (name, bytes, truth) in samples("samples/tilemaps/malformed", ".map") {
        match map::read(&bytes) {
            Ok(read) => check_problems(&read.problems, &truth, &name),
            Err(error) => check_problems(error.problem().cloned().as_slice(), &truth, &name),
        }
    }
    let Some(cut) = shared("samples/tilemaps/malformed/ika_trunc_300.map") else {
        return;
    };
    let cut = map::read(&fs::read(cut).unwrap()).unwrap();
    assert_eq!(cut.layers.len(), 4);
    assert!(!cut.layers[0].tiles.is_empty());
    let bomb = shared("samples/tilemaps/malformed/ika_block_bomb.map").unwrap();
    let bomb = map::read(&fs::read(bomb).unwrap()).unwrap();
    assert!(bomb.layers.iter().all(|layer| layer.tiles.len() == 1200));
}

#[test]
fn tilesets_are_as_their_side_cars_say() {
    for (name, bytes, truth) in samples("samples/tilemaps", ".vsp") {
        assert!((vsp::FORMAT.sniff)(&bytes), "{name}");
        let read = vsp::read(&bytes).unwrap();
        check_problems(&read.problems, &truth, &name);
        let strands = read
            .active_strands()
            .map(|s| json!([s.start, s.finish, s.delay, s.mode]));
        assert_eq!(
            json!(read.version.to_string().parse::<u16>().unwrap()),
            truth["version"]
        );
        assert_eq!(json!(read.count), truth["tiles"], "{name}");
        assert_eq!(json!(read.tile_size[0]), truth["tile_w"], "{name}");
        assert_eq!(json!(read.tile_size[1]), truth["tile_h"], "{name}");
        assert_eq!(json!(read.pixels.bytes_per_pixel()), truth["bpp"], "{name}");
        assert_eq!(strands.collect::<Value>(), truth["anim_used"], "{name}");
        assert_eq!(json!(sha256(&read.rgba())), truth["rgba_sha256"], "{name}");
        if let vsp::Pixels::Indexed(indices) = &read.pixels {
            assert_eq!(json!(sha256(indices)), truth["index_sha256"], "{name}");
            assert_eq!(json!(read.mask), truth["mask"], "{name}");
        }
        let again = vsp::read(&vsp::write(&read).unwrap()).unwrap();
        let strands_at = read.strands_at;
        assert_eq!(
            Vsp {
                strands_at,
                ..again
            },
            read,
            "{name}"
        );
    }
}

/// Name, version, tileset, and layer sizes of real maps (fact sheet 4).
const REAL_MAPS: [(&str, &str, &str, &[[u32; 2]]); 6] = [
    (
        "cave1",
        "1.1",
        "cave.vsp",
        &[[50, 50], [100, 100], [100, 100], [100, 100]],
    ),
    ("mapthing", "1.1", "tiles.vsp", &[[30, 30]; 3]),
    ("river", "1.1", "village.vsp", &[[100, 100]; 4]),
    ("testcave", "1.0", "cave.vsp", &[[30, 20]; 3]),
    ("town1", "1.0", "town.vsp", &[[60, 60]; 5]),
    ("towny", "1.0", "village.vsp", &[[40, 20]; 4]),
];

fn tileset(name: &str) -> Vsp {
    let path = shared(&format!("corpus/ika/{name}")).unwrap();
    vsp::read(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn real_text_maps_are_read() {
    for (name, version, tileset_name, sizes) in REAL_MAPS {
        let Some(path) = shared(&format!("corpus/ika/{name}.ika-map")) else {
            continue;
        };
        let bytes = fs::read(path).unwrap();
        assert!((text_map::FORMAT.sniff)(&bytes), "{name}");
        let read = text_map::read(&bytes).unwrap();
        assert_eq!(read.problems, [], "{name}");
        assert_eq!(
            (read.version.as_str(), read.tileset.as_str()),
            (version, tileset_name)
        );
        let found: Vec<[u32; 2]> = read.layers.iter().map(|layer| layer.size).collect();
        assert_eq!(found, sizes, "{name}");
        let tiles = tileset(tileset_name).count;
        for layer in &read.layers {
            let [width, height] = layer.size;
            assert_eq!(layer.tiles.len(), (width * height) as usize, "{name}");
            assert_eq!(layer.obstructions.len(), layer.tiles.len(), "{name}");
            assert!(layer.tiles.iter().all(|tile| *tile < tiles), "{name}");
            assert!(layer.obstructions.iter().all(|byte| *byte < 2), "{name}");
        }
        let written = text_map::write(&read).unwrap();
        let again = text_map::read(&written).unwrap();
        let expected = TextMap {
            version: "1.2".to_owned(),
            ..read.without_places()
        };
        assert_eq!(again.without_places(), expected, "{name}");
    }
}

#[test]
fn entities_of_real_maps_are_read() {
    let Some(path) = shared("corpus/ika/cave1.ika-map") else {
        return;
    };
    let read = text_map::read(&fs::read(path).unwrap()).unwrap();
    let entities = &read.layers[1].entities;
    let names: Vec<&str> = entities
        .iter()
        .map(|entity| entity.label.as_str())
        .collect();
    assert_eq!(names, ["Switch2", "Switch1", "Box1", "Switch3", "BigSign"]);
    let switch = &entities[0];
    assert_eq!((switch.position, switch.speed), ([384, 512], 100));
    assert_eq!(
        (switch.sprite.as_str(), switch.direction.as_str()),
        ("switch.ika-sprite", "up")
    );
    assert!(switch.obstructs_entities && switch.is_obstructed_by_map);
    assert_eq!(entities[4].position, [380, -19]);
    assert_eq!(read.zones[0].script, "toWorldMap");
    assert_eq!(read.meta, [("entitylayer".to_owned(), "B1".to_owned())]);
}

#[test]
fn real_tilesets_are_read() {
    for name in ["cave", "tiles", "town", "village"] {
        if shared(&format!("corpus/ika/{name}.vsp")).is_none() {
            continue;
        }
        let read = tileset(&format!("{name}.vsp"));
        assert_eq!(read.problems, [], "{name}");
        assert_eq!(
            (read.tile_size, read.pixels.bytes_per_pixel()),
            ([16, 16], 4),
            "{name}"
        );
        assert_eq!(
            read.rgba().len() as u64,
            u64::from(read.count) * 256 * 4,
            "{name}"
        );
        let strands: Vec<[u16; 2]> = read.active_strands().map(|s| [s.start, s.finish]).collect();
        // Fact sheet 5.
        let expected: &[[u16; 2]] = match name {
            "tiles" => &[[128, 159]],
            "village" => &[[144, 175]],
            _ => &[],
        };
        let span: Vec<[u16; 2]> = strands
            .first()
            .zip(strands.last())
            .map(|(first, last)| [first[0], last[1]])
            .into_iter()
            .collect();
        assert_eq!(span, expected, "{name}: {strands:?}");
        let again = vsp::read(&vsp::write(&read).unwrap()).unwrap();
        let strands_at = read.strands_at;
        assert_eq!(
            Vsp {
                strands_at,
                ..again
            },
            read,
            "{name}"
        );
    }
}

#[track_caller]
fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// Width, height and pixels of a whole map at 1:1.
fn flat(document: &dyn Document) -> ([u64; 2], Vec<u8>) {
    let shown = Shown::default();
    let picture = document.layers().unwrap().flat(&shown);
    let [width, height] = picture.size();
    let row_bytes = width as usize * 4;
    let mut pixels = vec![0; row_bytes * height as usize];
    for (y, row) in (0..).zip(pixels.chunks_mut(row_bytes)) {
        picture.row(y, row);
    }
    ([width, height], pixels)
}

#[test]
fn real_maps_look_as_another_decoder_draws_them() {
    for (name, ..) in REAL_MAPS {
        let (Some(path), Some(reference)) = (
            shared(&format!("corpus/ika/{name}.ika-map")),
            shared(&format!("reference/tilemaps/{name}.ika-map.png")),
        ) else {
            continue;
        };
        let document = open(&path);
        assert_eq!(document.about().problems, [], "{name}");
        let expected = image::open(reference).unwrap().into_rgba8();
        let (size, pixels) = flat(&*document);
        assert_eq!(
            size,
            [expected.width(), expected.height()].map(u64::from),
            "{name}"
        );
        let expected = expected.into_raw();
        let wrong = pixels
            .chunks(4)
            .zip(expected.chunks(4))
            .filter(|(a, b)| a != b);
        assert_eq!(wrong.count(), 0, "{name}");
    }
}

#[test]
fn info_says_what_the_side_cars_say() {
    for (name, _, truth) in samples("samples/tilemaps", ".map") {
        let path = shared(&format!("samples/tilemaps/{name}")).unwrap();
        let document = open(&path);
        assert_eq!(document.about().format.id, "ika-map");
        check_problems(&document.about().problems, &truth, &name);
        let info = document.info(&InfoQuery::default());
        assert_eq!(
            info["size"],
            json!([truth["width"], truth["height"]]),
            "{name}"
        );
        assert_eq!(info["tileset"], truth["vsp"], "{name}");
        assert_eq!(info["render_string"], truth["render_string"], "{name}");
        assert_eq!(info["round"], json!(truth["round"] == 1), "{name}");
        for what in ["zones", "entities"] {
            let names: Value = truth[what]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["name"].clone())
                .collect();
            assert_eq!(info[what], names, "{name}");
        }
        let layers = info["layers"].as_array().unwrap();
        assert_eq!(layers.len(), truth["layers"].as_array().unwrap().len());
        for (layer, truth) in layers.iter().zip(truth["layers"].as_array().unwrap()) {
            assert_eq!(layer["tiles_sha256"], truth["tiles_sha256_u32le"], "{name}");
            let numbers = ["pmultx", "pdivx", "pmulty", "pdivy"].map(|key| &truth[key]);
            assert_eq!(layer["parallax"], json!(numbers), "{name}");
        }
    }
    for (name, _, truth) in samples("samples/tilemaps", ".vsp") {
        let document = open(&shared(&format!("samples/tilemaps/{name}")).unwrap());
        assert_eq!(
            (
                document.about().format.id,
                document.about().version.as_str()
            ),
            ("vsp", "6")
        );
        let info = document.info(&InfoQuery::default());
        assert_eq!(info["rgba_sha256"], truth["rgba_sha256"], "{name}");
        assert_eq!(
            info["tile_size"],
            json!([truth["tile_w"], truth["tile_h"]]),
            "{name}"
        );
        assert_eq!(info["tiles"], truth["tiles"], "{name}");
        assert_eq!(info["bytes_per_pixel"], truth["bpp"], "{name}");
        assert_eq!(info["strand_list"], truth["anim_used"], "{name}");
    }
}

#[test]
fn broken_maps_are_opened() {
    for (name, _, truth) in samples("samples/tilemaps/malformed", ".map") {
        let path = shared(&format!("samples/tilemaps/malformed/{name}")).unwrap();
        let source = Source::read(&path).unwrap();
        match mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()) {
            Ok(document) => {
                check_problems(&document.about().problems, &truth, &name);
                // The tileset is in the parent folder.
                let problems = &document.about().problems;
                assert!(
                    problems.iter().any(|p| p.facts().contains("ika32.vsp")),
                    "{name}"
                );
                assert_eq!(flat(&*document).0, [40 * 16, 30 * 16], "{name}");
            }
            Err(error) => assert_eq!(truth["expect"], "error", "{name}: {error}"),
        }
    }
}

/// A temporary folder with a map and an optional tileset.
fn folder(map: &Map, tileset: Option<(&str, &[u8])>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made_up.map");
    fs::write(&path, map::write(map).unwrap()).unwrap();
    if let Some((name, bytes)) = tileset {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    (folder, path)
}

#[track_caller]
fn tiles(document: &dyn Document) -> &TileMap {
    document.content().unwrap()
}

fn messages(document: &dyn Document) -> Vec<String> {
    let problems = document.about().problems.iter();
    problems.map(Problem::facts).collect()
}

fn made_up_tileset() -> Vec<u8> {
    vsp::write(&synthesize::ika_tileset(1)).unwrap()
}

#[test]
fn binary_maps_are_drawn_as_their_render_string_says() {
    let map = Map {
        render_string: "2E12".to_owned(),
        wraps: true,
        ..synthesize::ika_map([10, 8], 3, 1)
    };
    let (_folder, path) = folder(&map, Some(("Made_Up.VSP", &made_up_tileset())));
    let document = open(&path);
    assert_eq!(messages(&*document), [""; 0]);
    let shown = tiles(&*document);
    let layers: Vec<_> = shown
        .steps
        .iter()
        .map(|step| match step {
            Step::Layer {
                layer,
                skips_zero,
                pass: Pass::All,
                ..
            } => Some((*layer, *skips_zero)),
            Step::Objects { layer: None } => None,
            other => panic!("{other:?}"),
        })
        .collect();
    // The first drawn layer shows its tile 0, whichever layer it is.
    let expected = [Some((1, false)), None, Some((0, true)), Some((1, true))];
    assert_eq!(layers, expected);
    for (layer, file) in shown.layers.iter().zip(&map.layers) {
        assert_eq!((layer.size, layer.wraps), ([10, 8], [true; 2]));
        let cells: Vec<u32> = layer.cells.iter().map(|cell| cell.0).collect();
        assert_eq!(cells, file.tiles);
        assert_eq!(layer.parallax.mul, file.parallax.mul);
    }
    let [obstruction, zones] = &shown.grids[..] else {
        panic!("{:?}", shown.grids)
    };
    let blocks = GridKind::Obstruction { by_sides: false };
    assert_eq!((obstruction.kind, obstruction.layer), (blocks, None));
    assert!(matches!(&obstruction.values, Integers::U8(v) if *v == map.obstruction));
    assert_eq!((zones.kind, zones.layer), (GridKind::Zones, None));
    assert!(matches!(&zones.values, Integers::U32(v) if *v == map.zone_numbers));
    assert_eq!(shown.zones[1].name, "Café");

    let entity = &shown.objects[2];
    assert_eq!(
        (entity.kind, entity.name.as_str()),
        (ObjectKind::Entity, "Entity 2")
    );
    assert_eq!(
        entity.rect_px.min,
        map.entities[2].position.map(|px| px as f32)
    );
    assert_eq!(entity.rect_px.max, entity.rect_px.min.map(|px| px + 16.0));
    assert_eq!(entity.faces, Some([-1, 0]));
    // It wanders in tiles 2 to 10 across and 3 to 12 down.
    let wander = entity.wander_px.unwrap();
    assert_eq!((wander.min, wander.max), ([32.0, 48.0], [176.0, 208.0]));
    assert_eq!(shown.objects[1].wander_px, None);

    let tileset = &shown.tilesets[0];
    assert_eq!(
        (tileset.tile_size, tileset.count, tileset.missing),
        ([16, 16], 65, Some(64))
    );
    assert!(!tileset.is_placeholder);
    let modes: Vec<_> = tileset.strands.iter().map(|strand| strand.mode).collect();
    let expected = [
        StrandMode::Forward,
        StrandMode::Backward,
        StrandMode::Random,
        StrandMode::PingPong,
    ];
    assert_eq!(modes, expected);
    assert_eq!(shown.clips.len(), 1);
}

#[test]
fn text_maps_have_their_own_places() {
    let map = synthesize::ika_text_map([12, 10], 3, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made_up.ika-map");
    fs::write(&path, text_map::write(&map).unwrap()).unwrap();
    fs::write(folder.path().join("made_up.vsp"), made_up_tileset()).unwrap();
    let document = open(&path);
    assert_eq!(
        (
            document.about().format.id,
            document.about().version.as_str()
        ),
        ("ika-map-text", "1.2")
    );
    assert_eq!(messages(&*document), [""; 0]);
    let shown = tiles(&*document);
    for (layer, file) in shown.layers.iter().zip(&map.layers) {
        assert_eq!((&layer.name, layer.size), (&file.label, file.size));
        assert_eq!((layer.position_px, layer.wraps), (file.position, file.wrap));
    }
    // Tile 0 is drawn like any other tile.
    let skips = |step: &Step| {
        matches!(
            step,
            Step::Layer {
                skips_zero: true,
                ..
            }
        )
    };
    assert!(!shown.steps.iter().any(skips));
    // Positions of objects on a layer are relative to the layer.
    let objects: Vec<_> = shown
        .objects
        .iter()
        .filter(|t| t.layer == Some(2))
        .collect();
    let kinds: Vec<_> = objects.iter().map(|object| object.kind).collect();
    assert_eq!(kinds[..4], [ObjectKind::Entity; 4]);
    assert_eq!(kinds[4..], [ObjectKind::ZoneArea]);
    let [x, y] = map.layers[2].entities[1].position;
    assert_eq!(objects[1].rect_px.min, [(x + 16) as f32, (y - 8) as f32]);
    assert_eq!(objects[4].rect_px.min, [32.0, 24.0]);
    assert_eq!(objects[4].rect_px.max, [96.0, 72.0]);
    assert_eq!(objects[4].zone, Some(0));
    let waypoint = shown.objects.last().unwrap();
    assert_eq!(
        (waypoint.kind, waypoint.rect_px.min),
        (ObjectKind::Waypoint, [40.0, 24.0])
    );
    assert_eq!(shown.grids.len(), 3);
    assert_eq!(shown.grids[1].layer, Some(1));
}

/// A text map as a tree of lists, parsed independently of the reader.
#[derive(Debug)]
enum Node {
    Text(String),
    List(String, Vec<Node>),
}

impl Node {
    fn read(text: &str, at: &mut usize) -> Self {
        let bytes = text.as_bytes();
        let until = |at: &mut usize, ends: &[u8]| {
            let begin = *at;
            *at += bytes[begin..]
                .iter()
                .position(|byte| ends.contains(byte))
                .unwrap();
            text[begin..*at].trim().to_owned()
        };
        *at += 1;
        let name = until(at, b" \t\r\n");
        let mut children = Vec::new();
        loop {
            *at += bytes[*at..]
                .iter()
                .position(|byte| !byte.is_ascii_whitespace())
                .unwrap();
            match bytes[*at] {
                b')' => {
                    *at += 1;
                    return Self::List(name, children);
                }
                b'(' => children.push(Self::read(text, at)),
                b'\'' => {
                    *at += 1;
                    children.push(Self::Text(until(at, b"'")));
                    *at += 1;
                }
                _ => children.push(Self::Text(until(at, b"()"))),
            }
        }
    }

    fn lists<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a Self> {
        let Self::List(_, children) = self else {
            panic!("{self:?}");
        };
        let is_it = move |node: &&Self| matches!(node, Self::List(name, _) if name == wanted);
        children.iter().filter(is_it)
    }

    fn list<'a>(&'a self, wanted: &'a str) -> &'a Self {
        self.lists(wanted).next().unwrap()
    }

    /// Its last child text.
    fn text(&self) -> &str {
        let Self::List(_, children) = self else {
            panic!("{self:?}");
        };
        let texts = children.iter().rev().find_map(|node| match node {
            Self::Text(text) => Some(text),
            Self::List(..) => None,
        });
        texts.map_or("", |text| text)
    }

    fn number(&self, wanted: &str) -> i32 {
        self.list(wanted).text().parse().unwrap()
    }
}

/// Cells of a text map that any layer blocks, and cells whose centre is in a zone. All layers of
/// the real maps start at pixel 0 and have tiles 16 pixels wide.
fn expected_cells(bytes: &[u8]) -> [BTreeSet<[u32; 2]>; 2] {
    use std::io::Read as _;

    let text: String = bytes.iter().copied().map(char::from).collect();
    let map = Node::read(&text, &mut 0);
    let (mut blocked, mut in_zones) = (BTreeSet::new(), BTreeSet::new());
    for layer in map.list("layers").lists("layer") {
        let [width, height] = ["width", "height"].map(|side| layer.list("dimensions").number(side));
        let places = (0..height).flat_map(|y| (0..width).map(move |x| [x as u32, y as u32]));
        for obstructions in layer.lists("obstructions") {
            let mut base64 = obstructions.text().to_owned();
            base64.retain(|c| !c.is_whitespace());
            let packed = data_encoding::BASE64.decode(base64.as_bytes()).unwrap();
            let mut bytes = vec![0; (width * height) as usize];
            let mut inflate = flate2::read::ZlibDecoder::new(&*packed);
            inflate.read_exact(&mut bytes).unwrap();
            let blocks = places.clone().zip(bytes).filter(|(_, byte)| *byte != 0);
            blocked.extend(blocks.map(|(place, _)| place));
        }
        for zone in layer.lists("zones").flat_map(|zones| zones.lists("zone")) {
            let [x, y, w, h] = ["x", "y", "width", "height"].map(|side| zone.number(side));
            in_zones.extend(places.clone().filter(|place| {
                let [px, py] = place.map(|cell| cell as i32 * 16 + 8);
                (x..x + w).contains(&px) && (y..y + h).contains(&py)
            }));
        }
    }
    [blocked, in_zones]
}

/// Obstruction and zones agree with an independent parser in every cell: in the pictures of the
/// overlays, in the properties of every cell, and in `info --tile`.
#[test]
fn overlays_and_all_that_is_said_agree_on_every_place_of_real_maps() {
    let Some(folder) = shared("corpus/ika") else {
        return;
    };
    let mut counts = Vec::new();
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "ika-map"))
        .collect();
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let expected = expected_cells(&fs::read(&path).unwrap());
        let source = Source::read(&path).unwrap();
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&source, &options, &progress).unwrap();
        let map = tiles(&*document);
        let [columns, rows] = map.tile_count().unwrap();
        let (mut of_info, mut of_window, mut of_overlays) = (
            [BTreeSet::new(), BTreeSet::new()],
            [BTreeSet::new(), BTreeSet::new()],
            [BTreeSet::new(), BTreeSet::new()],
        );
        for place in (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y])) {
            let tile = map.tile_info(place).unwrap();
            let layers = tile["layers"].as_array().unwrap();
            if layers
                .iter()
                .any(|layer| layer["obstructed"] == json!(true))
            {
                of_info[0].insert(place);
            }
            if tile["zones"] != json!([]) {
                of_info[1].insert(place);
            }
            // All layers agree about a cell, including the highest, which is picked first.
            let items = layers.iter().map(|layer| {
                let number = |key: &str| layer[key].as_u64().unwrap() as u32;
                let [layer, x, y] = ["layer", "x", "y"].map(number);
                TileMapItem::Cell { layer, x, y }.into()
            });
            let said: Vec<[bool; 2]> = items
                .map(|item| {
                    let summary = (map as &dyn Document).summary(item, &Shown::default());
                    ["Obstructed", "Zone"].map(|wanted| {
                        let part = summary.iter().find(|part| part.name == wanted);
                        part.is_some_and(|part| !matches!(&*part.value, "no" | "none"))
                    })
                })
                .collect();
            assert!(
                said.iter().all(|other| *other == said[0]),
                "{name}: {place:?}"
            );
            for (places, is_so) in of_window.iter_mut().zip(said[0]) {
                places.extend(is_so.then_some(place));
            }
        }
        let row = |shown: &Shown, y: u32| {
            let mut row = vec![0; columns as usize * 16 * 4];
            map.flat(shown).row(u64::from(y), &mut row);
            row
        };
        let plain = Shown::default();
        for (places, overlay) in of_overlays
            .iter_mut()
            .zip([OverlayId::Obstruction, OverlayId::Zones])
        {
            let mut colored = Shown::default();
            colored.overlays.set(map.about().overlays, overlay, true);
            for y in 0..rows {
                // At the centres of tiles, away from the edges of zones.
                let [plain, colored] = [&plain, &colored].map(|shown| row(shown, y * 16 + 8));
                let differs = |x: &u32| {
                    let at = (*x as usize * 16 + 8) * 4;
                    plain[at..at + 4] != colored[at..at + 4]
                };
                places.extend((0..columns).filter(differs).map(|x| [x, y]));
            }
        }
        for (number, what) in ["blocked", "in a zone"].into_iter().enumerate() {
            assert_eq!(of_info[number], expected[number], "{name}: info, {what}");
            assert_eq!(of_window[number], expected[number], "{name}: said, {what}");
            assert_eq!(
                of_overlays[number], expected[number],
                "{name}: overlay, {what}"
            );
        }
        counts.push((name, expected.map(|places| places.len())));
    }
    let known = [
        ("cave1.ika-map", [407, 4]),
        ("mapthing.ika-map", [92, 0]),
        ("town1.ika-map", [209, 33]),
        ("towny.ika-map", [179, 0]),
    ];
    for (name, expected) in known {
        let found = counts.iter().find(|(found, _)| found == name);
        assert_eq!(found.map(|(_, count)| *count), Some(expected), "{name}");
    }
}

#[test]
fn tiles_without_a_tileset_show_their_numbers() {
    let map = synthesize::ika_map([10, 8], 2, 1);
    let (_folder, path) = folder(&map, None);
    let document = open(&path);
    let [message] = &messages(&*document)[..] else {
        panic!("{:?}", messages(&*document))
    };
    assert!(message.starts_with("0x6: warning: ika/missing-tileset (Tileset): "));
    assert!(message.ends_with("made_up.vsp"), "{message}");
    let tileset = &tiles(&*document).tilesets[0];
    let greatest = map
        .layers
        .iter()
        .flat_map(|layer| &layer.tiles)
        .max()
        .unwrap();
    assert!(tileset.is_placeholder);
    assert_eq!(tileset.missing, Some(*greatest as usize + 1));
    assert_eq!(tileset.image(17).unwrap(), numbered_tile([16, 16], 17));
    // Layers are stacked, so tile 0 is invisible.
    assert!(tileset.image(0).unwrap().iter().all(|byte| *byte == 0));
    // The missing file is watched.
    assert!(
        document
            .about()
            .dependencies
            .iter()
            .any(|path| path.ends_with("made_up.vsp"))
    );

    let nameless = Map {
        tileset: String::new(),
        ..map
    };
    let document = open(&folder(&nameless, None).1.clone());
    assert!(messages(&*document)[0].contains("ika/missing-tileset"));
}

#[test]
fn a_broken_tileset_is_said_and_shown_as_far_as_it_goes() {
    let mut map = synthesize::ika_map([10, 8], 1, 1);
    map.layers[0].tiles[5] = 63;
    let whole = made_up_tileset();
    let (_folder, path) = folder(&map, Some(("made_up.vsp", &whole[..whole.len() / 2])));
    let document = open(&path);
    let problems = messages(&*document);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("ika/tileset") && problems[0].contains("26753"),
        "{problems:?}"
    );
    let tileset = &tiles(&*document).tilesets[0];
    let count = tileset.missing.unwrap();
    assert!((1..64).contains(&count) && !tileset.is_placeholder);
    assert_eq!(tileset.rgba.len(), tileset.count * 1024);
    // The missing tile is a consequence of the truncation.
    assert_eq!(tiles(&*document).layers[0].cells[5], Cell(count as u32));
    map.layers[0].tiles[5] = 64;
    let (_folder, path) = folder(&map, Some(("made_up.vsp", &whole[..whole.len() / 2])));
    let problems = messages(&*open(&path));
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[1].contains("ika/tile-number (Cell 0 5 0): 0 5 64"),
        "{problems:?}"
    );

    let (_folder, path) = folder(&map, Some(("made_up.vsp", b"no tileset")));
    let document = open(&path);
    let problems = messages(&*document);
    assert!(problems[0].contains("ika/missing-tileset (Tileset): 0x0 2 28526 6 made_up.vsp"));
    assert!(tiles(&*document).tilesets[0].is_placeholder);
}

#[test]
fn numbers_that_the_tileset_lacks_are_shown_and_kept() {
    let mut map = synthesize::ika_map([10, 8], 2, 1);
    map.layers[1].tiles[23] = 64;
    map.layers[1].tiles[40] = u32::MAX;
    let (_folder, path) = folder(&map, Some(("made_up.vsp", &made_up_tileset())));
    let document = open(&path);
    let problems = messages(&*document);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let expected = "ika/tile-number (Cell 1 3 2): 1 2 3 64";
    assert!(problems[0].contains(expected), "{problems:?}");
    let layer = &tiles(&*document).layers[1];
    assert_eq!((layer.cells[23], layer.cells[40]), (Cell(64), Cell(64)));
    let info = document.info(&InfoQuery::default());
    let hash = sha256_of_words(&map.layers[1].tiles);
    assert_eq!(info["layers"][1]["tiles_sha256"], json!(hash));
    let cell = TileMap::cell_item(1, [0, 4]);
    let details = document.details(cell, Playhead::default());
    assert_eq!(details["in_the_file"]["tile_number"], u32::MAX);
    assert_eq!(details["tile"]["tile"], u32::MAX);
}

#[test]
fn a_tileset_is_shown_on_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiles.vsp");
    fs::write(&path, made_up_tileset()).unwrap();
    let document = open(&path);
    let shown = tiles(&*document);
    assert_eq!(shown.layers[0].size, [16, 4]);
    assert_eq!(shown.layers[0].cells[17], Cell(17));
    let tileset = synthesize::ika_tileset(1);
    let ([width, height], pixels) = flat(&*document);
    assert_eq!([width, height], [256, 64]);
    // The tenth pixel of row 5 of tile 17, which is opaque.
    let at = ((16 + 5) * width as usize + 16 + 10) * 4;
    let rgba = tileset.rgba();
    assert_eq!(
        pixels[at..at + 4],
        rgba[(17 * 256 + 5 * 16 + 10) * 4..][..4]
    );
    assert_eq!(document.animation().unwrap().clips().len(), 1);
}
