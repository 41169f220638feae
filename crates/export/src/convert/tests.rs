use mapscope_formats::ika::map::{Entity, Layer, Map, Zone};
use mapscope_formats::ika::text_map::{self, TextMap, ZoneRect};
use mapscope_formats::ika::vsp::{Pixels, Vsp};
use mapscope_formats::ika::{Parallax, map, vsp};
use mapscope_formats::pfmap::{self, BlendMode, Edge, Pfmap, Splat, Tile};
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::ppe::{self, Cell, MapData, MapFlags, map_data};
use mapscope_formats::{Integers, p3m, pfobj, pfscene};
use mapscope_scene::{Bytes, Source};
use mapscope_testdata::{shared, synthesize, tiny_model};

use super::*;

const TILE_PX: Context = Context {
    tile_px: Some([8, 24]),
};

#[track_caller]
fn to(bytes: &[u8], format: &Format, names: &[&str]) -> Converted {
    convert(bytes, format, names, &TILE_PX).unwrap()
}

/// Converts without any loss.
#[track_caller]
fn whole(bytes: &[u8], format: &Format, names: &[&str]) -> Vec<u8> {
    let converted = to(bytes, format, names);
    assert_eq!(converted.losses, [""; 0], "{names:?}");
    converted.bytes
}

fn tile(text: &[u8; pfmap::TILE_CHARS]) -> Tile {
    Tile::parse(text).unwrap()
}

fn terrain() -> Pfmap {
    let mut map = pfmap::read(&synthesize::pfmap(1, 2, 1)).unwrap();
    for tile in &mut map.tiles {
        *tile = self::tile(b"0+0100001001100001111000");
    }
    map
}

#[test]
fn forms_have_names_of_their_own_and_sentences() {
    for format in mapscope_scene::formats() {
        let forms = forms(format);
        for (at, form) in forms.iter().enumerate() {
            let before = forms.iter().take(at);
            assert!(before.into_iter().all(|other| other.name != form.name));
            assert!(form.what.starts_with(char::is_uppercase) || form.what.starts_with('`'));
            assert!(!form.what.ends_with('.'), "{}", form.what);
        }
        // Archives are extracted, not converted.
        assert!(
            entry(format).is_some() || format.id == "paf",
            "{}",
            format.id
        );
    }
    let error = convert(&[], &ppe::MAP_FORMAT, &["zlip"], &Context::default());
    let text = error.unwrap_err().to_string();
    assert!(text.contains("`zlip`; expected old, new, none"), "{text}");
    let error = chosen::<MapData>(super::ppe::FORMS, &["rle", "zlib"]).map(|rows| rows.len());
    let text = error.unwrap_err().to_string();
    assert_eq!(
        text,
        "`rle` and `zlib` both select the compression; expected one of them"
    );
    let by_ending = |name: &str| form_by_ending(&map::FORMAT, Path::new(name));
    assert_eq!(by_ending("a.ika-MAP").unwrap().name, "1.2");
    assert_eq!(by_ending("a.map").unwrap().name, "v6");
    assert!(by_ending("a.txt").is_none());
}

#[test]
fn splats_grass_and_edges_are_lost_where_a_version_has_none() {
    let mut map = terrain();
    map.version = "1.2".to_owned();
    map.splats = vec![Splat { base: 1, accent: 0 }, Splat { base: 0, accent: 1 }];
    map.tiles[70] = tile(b"4-0502000001011020210345");
    map.tiles[71] = tile(b"0+0100001001100000000000");
    map.tiles[72] = tile(b"0+0100001001100102222000");
    let bytes = pfmap::write(&map);
    let editor = to(&bytes, &pfmap::FORMAT, &["1.0"]);
    assert_eq!(
        editor.losses,
        ["2 splats are left out: version 1.0 does not support them"]
    );
    let read = pfmap::read(&editor.bytes).unwrap();
    assert_eq!((read.version.as_str(), read.splats.len()), ("1.0", 0));
    assert_eq!(read.tiles, map.tiles);
    assert!(!editor.bytes.windows(10).any(|text| text == b"num_splats"));
    let document = to(&bytes, &pfmap::FORMAT, &["1.0-document"]);
    assert_eq!(document.losses.len(), 3, "{:?}", document.losses);
    assert!(document.losses[1].starts_with("1 tile loses its grass"));
    assert!(document.losses[2].starts_with("2 tiles lose their blend modes"));
    let read = pfmap::read(&document.bytes).unwrap();
    assert_eq!(read.tiles[0].text(), *b"0+0100001001110000000000");
    assert_eq!(read.tiles[70].text(), *b"4-0502000001011000000345");
    assert_eq!(read.tiles[71].text(), *b"0+0100001001100000000000");
    // Converted back, it has its original content.
    let back = whole(&document.bytes, &pfmap::FORMAT, &["1.2"]);
    let back = pfmap::read(&back).unwrap();
    assert_eq!(back.version, "1.2");
    assert_eq!(back.tiles[0], map.tiles[0]);
    assert_eq!(
        Edge::ALL.map(|edge| back.tiles[70].blend(edge)),
        [BlendMode::Blur; 4]
    );
}

#[test]
fn a_map_without_splats_is_the_same_in_all_versions() {
    let map = terrain();
    let first = pfmap::write(&Pfmap {
        version: "1.0".to_owned(),
        ..map
    });
    let mut bytes = first.clone();
    for version in ["1.1", "1.2", "1.0-document", "1.2", "1.0"] {
        bytes = whole(&bytes, &pfmap::FORMAT, &[version]);
    }
    assert!(bytes == first);
    let windows = String::from_utf8(first).unwrap().replace('\n', "\r\n");
    assert!(whole(windows.as_bytes(), &pfmap::FORMAT, &[]) == windows.as_bytes());
}

#[test]
fn what_readers_go_past_is_a_loss() {
    let text = String::from_utf8(pfmap::write(&terrain())).unwrap();
    let text = text.replacen("material ", "material é ", 1);
    let text = format!("{text}\nand more\n");
    let mut bytes = text.into_bytes();
    let at = bytes
        .windows(2)
        .position(|pair| pair == "é".as_bytes())
        .unwrap();
    bytes.remove(at);
    let losses = to(&bytes, &pfmap::FORMAT, &[]).losses;
    let all = losses.join("\n");
    for part in [
        "1 name loses characters that are not valid UTF-8 (`",
        "1 place loses words that have no meaning there (line ",
        "1 place loses data after the end",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

#[test]
fn a_file_with_errors_that_leave_something_out_is_refused() {
    let text = String::from_utf8(pfmap::write(&terrain())).unwrap();
    let cut = &text[..text.len() / 2];
    let error = convert(cut.as_bytes(), &pfmap::FORMAT, &[], &TILE_PX).unwrap_err();
    assert!(
        matches!(&error, ConvertError::Unreadable(problem) if problem.rule.id == "pfmap/missing-tiles")
    );
    // Nothing is omitted.
    let mended = whole(format!(" {text}").as_bytes(), &pfmap::FORMAT, &[]);
    assert!(mended == text.as_bytes());
}

fn cells(flags: u32, cells: &[Cell]) -> MapData {
    let flags = MapFlags(flags);
    MapData {
        flags,
        size: [cells.len() as u32, 1],
        cells: cells.iter().map(|cell| cell.encode(flags)).collect(),
        ..MapData::default()
    }
}

#[test]
fn layouts_of_cells_become_each_other() {
    let plain = Cell {
        tile_id: 0x1234,
        palette: 0x56,
        ..Cell::default()
    };
    let all = [
        plain,
        Cell {
            mirror_h: true,
            palette: 0xFF,
            ..plain
        },
        Cell {
            mirror_v: true,
            priority: 1,
            ..plain
        },
        Cell {
            axis_switch: true,
            tile_id: Cell::NO_TILE,
            ..plain
        },
    ];
    let old = map_data::write(&cells(0x7700_0004, &all)).unwrap();
    let new = whole(&old, &ppe::MAP_FORMAT, &["new"]);
    let read = map_data::read(&new).unwrap();
    assert_eq!(read.flags, MapFlags(0x7700_0008));
    assert_eq!([0, 1, 2, 3].map(|index| read.cell(index)), all);
    assert_eq!(read.cells[2], 0xA056_1234);
    assert!(whole(&new, &ppe::MAP_FORMAT, &["old"]) == old);
    for name in ["rle", "zlib", "zstd", "none"] {
        let packed = whole(&old, &ppe::MAP_FORMAT, &["new", name]);
        let read = map_data::read(&packed).unwrap();
        assert_eq!(read.flags.compression().name(), name);
        assert_eq!([0, 1, 2, 3].map(|index| read.cell(index)), all);
        assert!(
            whole(&packed, &ppe::MAP_FORMAT, &["none", "old"]) == old,
            "{name}"
        );
    }
}

#[test]
fn what_a_layout_has_no_bits_for_is_counted() {
    let cell = |palette, priority| Cell {
        tile_id: 7,
        palette,
        priority,
        ..Cell::default()
    };
    let old = cells(0, &[cell(1, 0), cell(2, 1), cell(3, 2), cell(4, 63)]);
    let lossy = to(&map_data::write(&old).unwrap(), &ppe::MAP_FORMAT, &["new"]);
    assert_eq!(lossy.losses.len(), 1);
    assert!(lossy.losses[0].starts_with("2 cells lose their priority"));
    let read = map_data::read(&lossy.bytes).unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|index| read.cell(index).priority),
        [0, 1, 1, 1]
    );
    let user = cells(
        1,
        &[
            Cell {
                priority_user_data: Some(5),
                ..cell(1, 0)
            },
            cell(2, 0),
        ],
    );
    let lossy = to(&map_data::write(&user).unwrap(), &ppe::MAP_FORMAT, &["new"]);
    assert!(
        lossy.losses[0].starts_with("1 cell loses its user data"),
        "{:?}",
        lossy.losses
    );
    assert_eq!(map_data::read(&lossy.bytes).unwrap().flags, MapFlags(8));
    let mut new = cells(9, &[cell(0x123, 1), cell(0x45, 0)]);
    new.logic = Some(Integers::U8(vec![3, 4]));
    let lossy = to(&map_data::write(&new).unwrap(), &ppe::MAP_FORMAT, &["old"]);
    assert_eq!(lossy.losses.len(), 2);
    assert!(lossy.losses[0].starts_with("2 cells lose their logic attribute"));
    assert!(lossy.losses[1].starts_with("1 cell loses its palette above 255"));
    let read = map_data::read(&lossy.bytes).unwrap();
    assert_eq!(read.flags, MapFlags(0));
    assert_eq!([read.cell(0), read.cell(1)], [cell(0x23, 1), cell(0x45, 0)]);
}

/// A binary map that a text map can represent completely.
fn plain_map() -> Map {
    let zone = |name: &str, script: &str, chance_percent| Zone {
        name: name.to_owned(),
        activation_script: script.to_owned(),
        chance_percent,
        ..Zone::default()
    };
    let layer = |first: u32, parallax| Layer {
        parallax,
        tiles: (first..first + 12).collect(),
        ..Layer::default()
    };
    let parallax = Parallax {
        mul: [2, 3],
        div: [5, 7],
    };
    Map {
        tileset: "tiles.vsp".to_owned(),
        music: "song.it".to_owned(),
        render_string: "12ER3".to_owned(),
        size: [4, 3],
        start: [3, -1],
        wraps: true,
        layers: vec![
            layer(1, parallax),
            layer(20, Parallax::default()),
            layer(40, parallax),
        ],
        obstruction: vec![0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1],
        // An L and a square.
        zone_numbers: vec![1, 0, 2, 2, 1, 0, 2, 2, 1, 1, 0, 0],
        zones: vec![
            zone("Default", "", 0),
            zone("Gate", "leave", 100),
            zone("Café", "drink", 100),
        ],
        entities: vec![
            Entity {
                name: "Guard".to_owned(),
                position: [17, 33],
                direction: 2,
                speed: 50,
                is_obstructed_by_map: true,
                sprite: "guard.chr".to_owned(),
                is_adjacent: true,
                activation_script: "halt".to_owned(),
                ..Entity::default()
            },
            Entity {
                name: "Dog".to_owned(),
                position: [-4, 5],
                direction: 7,
                speed: 120,
                is_obstructed_by_entities: true,
                obstructs_entities: true,
                activation_script: "bark".to_owned(),
                state: 4,
                move_script: "run".to_owned(),
                ..Entity::default()
            },
        ],
        ..Map::default()
    }
}

#[test]
fn a_binary_map_of_ika_becomes_a_text_map_and_comes_back() {
    let bytes = map::write(&plain_map()).unwrap();
    let text = whole(&bytes, &map::FORMAT, &["1.2"]);
    let read = text_map::read(&text).unwrap();
    assert_eq!(read.problems, []);
    assert_eq!(read.size, [32, 72]);
    let labels: Vec<&str> = read.zones.iter().map(|zone| &*zone.label).collect();
    assert_eq!(labels, ["Default", "Gate", "Café"]);
    let has = |layer: &text_map::Layer| {
        let obstructed: usize = layer
            .obstructions
            .iter()
            .map(|tile| usize::from(*tile))
            .sum();
        (layer.entities.len(), layer.zones.len(), obstructed)
    };
    let all: Vec<_> = read.layers.iter().map(has).collect();
    assert_eq!(all, [(0, 0, 0), (2, 3, 4), (0, 0, 0)]);
    let rects = read.layers[1].zones.iter();
    let rects: Vec<_> = rects.map(|it| (&*it.label, it.position, it.size)).collect();
    assert_eq!(
        rects,
        [
            ("Gate", [0, 0], [8, 72]),
            ("Café", [16, 0], [16, 48]),
            ("Gate", [8, 48], [8, 24]),
        ]
    );
    assert_eq!(read.waypoints[0].position, [24, -24]);
    assert_eq!(read.layers[1].entities[0].adjacent_script, "halt");
    assert!(whole(&text, &text_map::FORMAT, &["v6"]) == bytes);
    assert!(whole(&text, &text_map::FORMAT, &["1.2"]) == text);
}

#[test]
fn what_a_text_map_of_ika_cannot_say_is_counted() {
    let mut map = plain_map();
    map.render_string = "31E3".to_owned();
    map.zones[1].description = "out".to_owned();
    map.zones[2].chance_percent = 25;
    map.zone_numbers[1] = 9;
    map.obstruction[0] = 2;
    map.entities[0].direction = 8;
    map.entities[1].chase_target = "Guard".to_owned();
    let lossy = to(&map::write(&map).unwrap(), &map::FORMAT, &["1.2"]);
    let expected = [
        "1 layer loses its hidden state: text maps draw all layers, these below the others (Layer 1)",
        "1 step of the render string loses its layer, which is drawn only once",
        "3 layers lose their number",
        "1 zone loses its description (`Gate`)",
        "1 zone loses its chance of activation (`Café`)",
        "1 tile loses its obstruction number, which becomes 1 (0,0)",
        "1 tile loses its zone, which does not exist (1,0)",
        "2 entities lose the map's parallax: that of a layer is used (`Guard`, `Dog`)",
        "1 entity loses its direction, which becomes down (`Guard`)",
        "1 entity loses the target of its chase (`Dog`)",
    ];
    assert_eq!(lossy.losses.len(), expected.len(), "{:#?}", lossy.losses);
    for (loss, expected) in lossy.losses.iter().zip(expected) {
        assert!(loss.starts_with(expected), "{loss}: {expected}");
    }
    let read = text_map::read(&lossy.bytes).unwrap();
    let labels: Vec<&str> = read.layers.iter().map(|layer| &*layer.label).collect();
    assert_eq!(labels, ["Layer 1", "Layer 2", "Layer 0"]);
    assert_eq!(read.layers[2].entities.len(), 2);
}

#[test]
fn flags_that_are_neither_0_nor_1_are_lost() {
    let map = plain_map();
    let mut bytes = map::write(&map).unwrap();
    let read = map::read(&bytes).unwrap();
    let render = bytes.windows(5).position(|text| text == b"12ER3").unwrap();
    bytes[render + 5 + 16] = 255;
    bytes[read.zones[1].place.end as usize - 1] = 2;
    let guard = read.entities[0].place.start as usize;
    bytes[guard + 4 + "Guard".len() + 16] = 7;
    let dog = read.entities[1].place.start as usize;
    bytes[dog + 4 + "Dog".len() + 16 + 3 + 4] = 9;
    let losses = to(&bytes, &map::FORMAT, &[]).losses;
    let expected = "4 flags lose their value, which becomes 1 (wraps, adjacent activation of zone 1, \
                    obstructed by the map of entity 0, adjacent activation of entity 1)";
    assert_eq!(losses, [expected]);
}

#[test]
fn a_long_list_of_names_is_cut() {
    let mut told = ConversionReport::default();
    let names = |count: u32| -> ItemNames { (0..count).map(|i| format!("n{i}")).collect() };
    told.lost(names(5), "layer", "their name");
    told.lost(names(7), "layer", "their name");
    told.lost(0, "layer", "their name");
    let expected = [
        "5 layers lose their name (n0, n1, n2, n3, n4)",
        "7 layers lose their name (n0, n1, n2, n3, n4 and 2 more)",
    ];
    assert_eq!(told.losses, expected);
}

#[test]
fn what_a_binary_map_of_ika_cannot_say_is_counted() {
    let text = synthesize::ika_text_map([20, 15], 3, 1);
    let bytes = text_map::write(&text).unwrap();
    let lossy = to(&bytes, &text_map::FORMAT, &["v6"]);
    let all = lossy.losses.join("\n");
    for part in [
        "2 layers lose their size: they are padded to that of the map with tile 0 (`Layer 1`, `Layer 2`)",
        "2 layers lose their position",
        "2 layers lose their wrapping",
        "the size of the map changes from 320 x 240 pixels to that of its layers, 160 x 360",
        "12 entities lose their touch script",
        "8 entities lose their position below",
        "1 map loses its title (`",
        "1 waypoint loses its position (`",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let map = map::read(&lossy.bytes).unwrap();
    assert_eq!((map.size, map.layers.len()), ([20, 15], 3));
    assert_eq!(map.layers[1].tiles[..18], text.layers[1].tiles[..18]);
    assert_eq!(map.layers[1].tiles[18..20], [0, 0]);
    assert_eq!(map.render_string, "123ER");
    assert_eq!(map.zones[1].name, "Café");
    let unknown = convert(&bytes, &text_map::FORMAT, &["v6"], &Context::default()).unwrap();
    assert!(
        unknown.losses[0].contains("16 x 16"),
        "{:?}",
        unknown.losses
    );
    let none = TextMap {
        layers: Vec::new(),
        ..text
    };
    let none = text_map::write(&none).unwrap();
    let error = convert(&none, &text_map::FORMAT, &["v6"], &TILE_PX).unwrap_err();
    assert!(matches!(error, ConvertError::Unrepresentable(_)));
}

#[test]
fn rectangles_without_tiles_and_nodes_that_nobody_knows_are_lost() {
    let mut text = synthesize::ika_text_map([20, 15], 1, 1);
    let label = text.zones[0].label.clone();
    let zone = |x: i32, width: i32| ZoneRect {
        label: label.clone(),
        position: [x, 0],
        size: [width, 48],
        ..ZoneRect::default()
    };
    text.layers[0].zones = vec![zone(16, 16), zone(32, 0), zone(9600, 16), zone(-160, 16)];
    let bytes = text_map::write(&text).unwrap();
    let said = |bytes: &[u8], form| to(bytes, &text_map::FORMAT, &[form]).losses;
    let losses = said(&bytes, "v6");
    let lost: Vec<&String> = losses
        .iter()
        .filter(|it| it.contains("rectangle"))
        .collect();
    let expected = "3 rectangles are left out: outside";
    assert!(
        lost.iter().any(|loss| loss.starts_with(expected)),
        "{lost:?}"
    );
    let speed = b"(speed ";
    let at = bytes
        .windows(speed.len())
        .position(|word| word == speed)
        .unwrap();
    let more = [&bytes[..at], b"(mood 'angry')", &bytes[at..]].concat();
    assert_eq!(said(&bytes, "1.2"), [""; 0]);
    let expected = "1 custom node is left out: only nodes known to ika are written (`mood`)";
    assert_eq!(said(&more, "1.2"), [expected]);
}

fn tileset(pixels: Pixels) -> Vsp {
    Vsp {
        tile_size: [2, 1],
        count: 2,
        description: "Four pixels".to_owned(),
        pixels,
        ..Vsp::default()
    }
}

#[test]
fn pixels_of_tilesets_get_a_palette_and_lose_it() {
    let rgba = [[9, 8, 7, 0], [1, 2, 3, 255], [4, 5, 6, 255], [1, 2, 3, 255]];
    let bytes = vsp::write(&tileset(Pixels::Rgba(rgba.concat()))).unwrap();
    let indexed = whole(&bytes, &vsp::FORMAT, &["8-bit"]);
    let read = vsp::read(&indexed).unwrap();
    assert_eq!(read.pixels, Pixels::Indexed(vec![0, 1, 2, 1]));
    assert_eq!(*read.rgba(), rgba.concat());
    let back = to(&indexed, &vsp::FORMAT, &["32-bit"]);
    assert!(back.bytes == bytes);
    assert_eq!(back.losses.len(), 1, "the palette");
    let blended = tileset(Pixels::Rgba([[1, 2, 3, 128]; 4].concat()));
    let blended = vsp::write(&blended).unwrap();
    let error = convert(&blended, &vsp::FORMAT, &["8-bit"], &TILE_PX).unwrap_err();
    assert!(error.to_string().contains("opacity 128"), "{error}");
}

#[test]
fn tilesets_of_16_bits_become_version_6() {
    // Version 4: the count, 256 words per tile and the strands.
    let words = (0..256_u16).map(|word| word * 97);
    let mut bytes = [4, 0, 1, 0].to_vec();
    bytes.extend(words.flat_map(u16::to_le_bytes));
    bytes.resize(bytes.len() + 800, 0);
    let old = vsp::read(&bytes).unwrap();
    assert_eq!(old.problems, []);
    let new = whole(&bytes, &vsp::FORMAT, &["6"]);
    assert_eq!(*vsp::read(&new).unwrap().rgba(), *old.rgba());
}

#[test]
fn packings_of_levels_and_containers_have_the_same_content() {
    let stored = pmf::write(&synthesize::pmf([1, 2, 1], 2, 3), Packing::Stored).unwrap();
    let packed = whole(&stored, &pmf::FORMAT, &["compressed"]);
    assert!(packed.len() < stored.len());
    assert_eq!(to(&packed, &pmf::FORMAT, &[]).form, "compressed");
    assert!(whole(&packed, &pmf::FORMAT, &["stored"]) == stored);
    // With a comment, which only the text contains.
    let text = b"// mine\nMetadata {\n\tVersion 1 0\n\tResolution 32 16\n}\n";
    for name in ["zlib", "zstd"] {
        let packed = whole(text, &ppe::XMF_FORMAT, &[name]);
        assert_eq!(packed[..4].to_ascii_lowercase(), *name.as_bytes());
        assert!(whole(&packed, &ppe::XMF_FORMAT, &["text"]) == text);
    }
}

#[test]
fn scenes_change_between_versions_and_models_have_one() {
    let scene = mapscope_testdata::tiny_scene::sound_scene();
    let first = pfscene::read(scene.as_bytes()).unwrap();
    let old = to(scene.as_bytes(), &pfscene::FORMAT, &["1.0"]);
    let read = pfscene::read(&old.bytes).unwrap();
    assert_eq!(read.version, "1.0");
    assert_eq!(read.entities.len(), first.entities.len());
    let is_less = first.is_1_1() && !first.factions.is_empty();
    assert_eq!(!old.losses.is_empty(), is_less, "{:?}", old.losses);
    let new = to(&old.bytes, &pfscene::FORMAT, &["1.1"]);
    let read = pfscene::read(&new.bytes).unwrap();
    assert_eq!(read.problems, first.problems);
    assert_eq!(read.factions.len(), first.factions.len());
    assert_eq!(new.losses.len(), usize::from(!first.factions.is_empty()));
    let model = pfobj::write(&tiny_model());
    assert!(whole(&model, &pfobj::FORMAT, &[]) == model);
    let error = convert(&model, &pfobj::FORMAT, &["1.0"], &TILE_PX).unwrap_err();
    assert!(
        error.to_string().ends_with("it has only one form"),
        "{error}"
    );
}

#[test]
fn scenes_keep_the_bytes_of_their_lines() {
    let said = |from: &str, to: &[u8]| {
        let scene = mapscope_testdata::tiny_scene::sound_scene();
        let at = scene.find(from).unwrap();
        let [before, after] = [&scene[..at], &scene[at + from.len()..]].map(str::as_bytes);
        [before, to, after].concat()
    };
    for scene in [
        said("float 3.25", b"float 3.25 and more"),
        said("night watch", b"night w\xE4tch"),
        said("night watch", b"night \xFF"),
    ] {
        assert!(whole(&scene, &pfscene::FORMAT, &[]) == scene);
        let old = to(&scene, &pfscene::FORMAT, &["1.0"]);
        let all = old.losses.join("\n");
        assert!(!all.contains("words") && !all.contains("UTF-8"), "{all}");
    }
}

#[test]
fn factions_and_sky_have_what_version_1_0_knows() {
    let scene = mapscope_testdata::tiny_scene::sound_scene();
    // The engine relies on the order of attributes, not on their keys.
    let misspelt = scene.replace("controllable", "controlable");
    let old = to(misspelt.as_bytes(), &pfscene::FORMAT, &["1.0"]);
    assert_eq!(pfscene::read(&old.bytes).unwrap().factions.len(), 2);
    let expected = "2 factions lose their flag `controllable` (`Villagers`, `The Others`)";
    assert_eq!(old.losses[0], expected);
    let sky = &scene[..scene.find("section \"factions\"").unwrap()];
    let sky = sky.replace("num_sections 5", "num_sections 1");
    let error = convert(sky.as_bytes(), &pfscene::FORMAT, &["1.0"], &TILE_PX).unwrap_err();
    assert!(matches!(error, ConvertError::Unrepresentable(_)), "{error}");
}

#[test]
fn a_model_without_the_bounds_that_it_says_it_has_is_not_written() {
    let text = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    // One missing joint explains everything that is missing after it.
    let cut = &text[..=text.rfind("\nj ").unwrap()];
    let error = convert(cut.as_bytes(), &pfobj::FORMAT, &[], &TILE_PX).unwrap_err();
    assert!(!matches!(error, ConvertError::Differs(_)), "{error}");
}

/// The real files and the samples, by their paths.
fn files() -> Vec<std::path::PathBuf> {
    let mut folders: Vec<_> = ["corpus", "samples"]
        .into_iter()
        .filter_map(shared)
        .collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("malformed") => {}
                true => folders.push(path),
                false if mapscope_scene::has_known_ending(&path) => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

#[test]
fn real_files_become_every_form_and_come_back_with_no_difference() {
    let mut count = [0; 2];
    for path in files() {
        let bytes = std::fs::read(&path).unwrap();
        let source = Source {
            path: path.clone(),
            bytes: Bytes::from(bytes.clone()),
            embedded: &[],
            archive: None,
        };
        let Ok(format) = mapscope_scene::identify_format(&source) else {
            continue;
        };
        let Ok(as_it_is) = convert(&bytes, format, &[], &TILE_PX) else {
            // Nothing is written for files that cannot be read completely.
            continue;
        };
        let again = to(&as_it_is.bytes, format, &[]);
        assert!(again.bytes == as_it_is.bytes, "{}", path.display());
        for form in forms(format) {
            let Ok(there) = convert(&bytes, format, &[form.name], &TILE_PX) else {
                // More colours than a palette has, and a map without layers.
                // Textures that are no square or have too few channels.
                let refused = [
                    ("vsp", "8-bit"),
                    ("ika-map-text", "v6"),
                    ("ptf", "v1"),
                    ("ptf", "v2"),
                ];
                let is_refused = refused.contains(&(format.id, form.name));
                assert!(is_refused, "{}", path.display());
                continue;
            };
            count[0] += 1;
            // Grey textures become coloured ones, which is noted.
            let is_other = form.aspect == "pixels" || form.name == "png";
            let is_other = is_other || (format.id == "ptf" && !there.notes.is_empty());
            if !there.losses.is_empty() || is_other {
                continue;
            }
            let own = match format.id {
                // The form before versions is never written.
                "pfscene" if as_it_is.form == "version " => continue,
                "pfmap" | "pfscene" => {
                    let version = as_it_is.form.strip_prefix("version ").unwrap();
                    vec![version.to_owned()]
                }
                "pmf" | "xmf" => vec![as_it_is.form.clone()],
                "ptf" => {
                    let layout = as_it_is.form.strip_prefix("layout ").unwrap();
                    vec![format!("v{}", &layout[..1])]
                }
                // Without parts and materials, both layouts look alike.
                "p3m" if p3m::read(&bytes).unwrap().materials.is_empty() => continue,
                "p3m" => {
                    let layout = as_it_is.form.strip_prefix("layout ").unwrap();
                    vec![layout.to_lowercase()]
                }
                "ika-map" => vec!["v6".to_owned()],
                "ika-map-text" => vec!["1.2".to_owned()],
                "ppe-map" => {
                    let map = map_data::read(&bytes).unwrap();
                    let flags = map.flags;
                    vec![
                        flags.layout().name().to_owned(),
                        flags.compression().name().to_owned(),
                    ]
                }
                _ => Vec::new(),
            };
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let back = whole(&there.bytes, there.format, &own);
            let form = form.name;
            assert!(back == as_it_is.bytes, "{} {form} {own:?}", path.display());
            count[1] += 1;
        }
    }
    if shared("corpus").is_some() && shared("samples").is_some() {
        assert!(count[0] > 60 && count[1] > 40, "{count:?}");
    }
}
