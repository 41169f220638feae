//! Truncated and damaged 2D maps. For every cell, a part of a file either gives the same values as
//! the whole file or reports them as not read, and a longer part reports no fewer values.

use std::collections::BTreeMap;

use mapscope_formats::ika::{self, map as ika_map, text_map};
use mapscope_formats::ppe::{Corner, MapData, MapFlags, map_data, xmf};
use mapscope_formats::{Integers, Severity, pmf};
use mapscope_scene::diff::Diff;
use mapscope_scene::tilemap::ika::{Found, map_document, text_document, tileset_document};
use mapscope_scene::tilemap::{TileMap, ppe};
use mapscope_scene::{
    Document, InfoQuery, Item, OpenOptions, Playhead, Shown, Source, TileMapItem,
};
use mapscope_testdata::stride;
use serde_json::{Value, json};

const SIZE: [u32; 2] = [7, 5];
const CELLS: u32 = SIZE[0] * SIZE[1];

/// Reported values of a map, by position and key.
type ReportedValues = BTreeMap<String, Value>;

fn tile(map: &TileMap, x: u32, y: u32) -> Value {
    let query = InfoQuery {
        tile: Some((x, y)),
        ..InfoQuery::default()
    };
    map.info(&query).remove("tile").unwrap_or_default()
}

fn has(list: &Value, key: &str) -> bool {
    let list = list.as_array();
    list.is_some_and(|keys| keys.iter().any(|known| known == key))
}

/// All values reported for the cells of a map. Asserts that exactly the missing values are reported
/// as not read.
fn said(map: &TileMap, keys: &[&str]) -> ReportedValues {
    let mut all = ReportedValues::new();
    for (x, y) in (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y))) {
        let here = tile(map, x, y);
        for layer in here["layers"].as_array().into_iter().flatten() {
            for key in keys.iter().filter(|key| **key != "zones") {
                let is_lost = has(&layer["not_read"], key);
                assert_eq!(layer[key].is_null(), is_lost, "{key} of {layer}");
                if !is_lost {
                    let place = format!("{key} of {} at {x}, {y}", layer["layer"]);
                    all.insert(place, layer[key].clone());
                }
            }
        }
        if keys.contains(&"zones") && !here.is_null() && !has(&here["not_read"], "zones") {
            all.insert(format!("zones at {x}, {y}"), here["zones"].clone());
        }
    }
    all
}

/// Checks parts of a file with increasing lengths. Returns the number of steps that added values.
fn check_parts(
    whole: &[u8],
    keys: &[&str],
    lengths: impl Iterator<Item = usize>,
    open: impl Fn(&[u8]) -> Option<TileMap>,
) -> usize {
    let of_whole = open(whole).unwrap();
    assert_eq!(of_whole.left_out, []);
    let expected = said(&of_whole, keys);
    let mut shorter = ReportedValues::new();
    let mut steps = 0;
    for end in lengths {
        let Some(map) = open(&whole[..end]) else {
            assert!(shorter.is_empty(), "{end} bytes");
            continue;
        };
        let problems = &map.about().problems;
        let mut errors = problems.iter().map(|problem| problem.severity);
        let is_cut = errors.any(|severity| severity == Severity::Error);
        assert_eq!(
            map.left_out.is_empty(),
            !is_cut,
            "{end} bytes: {problems:?}"
        );
        let here = said(&map, keys);
        for (place, value) in &here {
            assert_eq!(expected.get(place), Some(value), "{place}, {end} bytes");
        }
        assert!(
            shorter.keys().all(|place| here.contains_key(place)),
            "{end} bytes"
        );
        steps += usize::from(here.len() > shorter.len());
        shorter = here;
    }
    assert_eq!(shorter, expected);
    steps
}

/// A map with distinct numbers that are not null values.
fn ika() -> ika::Map {
    let layer = |number: u32| ika_map::Layer {
        tiles: (1 + number * CELLS..=(number + 1) * CELLS).collect(),
        ..ika_map::Layer::default()
    };
    let zone = |number: u32| ika_map::Zone {
        name: format!("zone {number}"),
        ..ika_map::Zone::default()
    };
    ika::Map {
        render_string: "123E".to_owned(),
        size: SIZE,
        layers: (0..3).map(layer).collect(),
        obstruction: (1..=CELLS as u8).collect(),
        zone_numbers: (1..=CELLS).collect(),
        zones: (0..=CELLS).map(zone).collect(),
        entities: (0..3)
            .map(|number| ika_map::Entity {
                name: format!("entity {number}"),
                ..ika_map::Entity::default()
            })
            .collect(),
        ..ika::Map::default()
    }
}

fn open_ika(bytes: &[u8]) -> Option<TileMap> {
    Some(map_document(ika_map::read(bytes).ok()?, Found::default()))
}

#[test]
fn every_part_of_a_binary_map_shows_what_it_has() {
    let whole = ika_map::write(&ika()).unwrap();
    let keys = ["tile", "obstructed"];
    let lengths = (0..whole.len()).step_by(stride(9)).chain([whole.len()]);
    let steps = check_parts(&whole, &keys, lengths, open_ika);
    assert!(steps * stride(9) > 3 * CELLS as usize);
    // Areas and names of zones are stored in different places.
    let names = |map: &TileMap| map.info(&InfoQuery::default())["zones"].clone();
    let mut longest = 0;
    for end in (0..whole.len()).step_by(stride(9)).chain([whole.len() - 1]) {
        let Some(map) = open_ika(&whole[..end]) else {
            continue;
        };
        let zones = names(&map).as_array().unwrap().len();
        assert!(zones >= longest);
        longest = zones;
        for (x, y) in [(0, 0), (6, 4)] {
            let here = tile(&map, x, y);
            let number = 1 + x + y * SIZE[0];
            let is_lost = has(&here["not_read"], "zones");
            let name = match (is_lost, (number as usize) < zones) {
                (true, _) => json!([]),
                (false, true) => json!([format!("zone {number}")]),
                (false, false) => json!([format!("{number} (not read)")]),
            };
            assert!(here.is_null() || here["zones"] == name, "{end}: {here}");
        }
    }
    assert_eq!(longest, CELLS as usize + 1);
}

#[test]
fn every_part_of_map_data_shows_what_it_has() {
    // Plain, RLE, zlib and Zstandard, with graphics attributes and 16-bit logic values.
    for packing in [0, 0x100, 0x400, 0x800] {
        let flags = MapFlags(MapFlags::NEW_LAYOUT | 0x1_0011 | packing);
        let corners = |number: u8| {
            [0, 1, 2, 3].map(|corner| Corner {
                rgba: [number, number + 1, corner, 200],
                light: [1, 2],
            })
        };
        let map = MapData {
            flags,
            size: SIZE,
            cells: (1..=CELLS).collect(),
            graphics: Some((1..=CELLS as u8).map(corners).collect()),
            logic: Some(Integers::U16((1001..=1000 + CELLS as u16).collect())),
            ..MapData::default()
        };
        let whole = map_data::write(&map).unwrap();
        let open = |bytes: &[u8]| {
            let source = Source {
                path: "cut.map".into(),
                bytes: bytes.to_vec().into(),
                embedded: &[],
                archive: None,
            };
            let map = map_data::read(bytes).ok()?;
            Some(ppe::map_document(map, &source, &OpenOptions::default()))
        };
        // Attributes after packed cells are read as plain if their length matches.
        let plain = 12 + 1 + (4 + 32 + 2) * CELLS as usize;
        let lengths = (0..whole.len())
            .step_by(stride(5))
            .chain([whole.len()])
            .filter(|end| packing != 0x100 || *end != plain);
        let steps = check_parts(&whole, &["tile", "logic"], lengths.clone(), open);
        // Zstandard puts such small data into one block.
        let least = if packing == 0x800 { 1 } else { CELLS as usize };
        assert!(steps * stride(5) >= least, "{packing:#x}: {steps} steps");
        // The tint of the last cell is in the middle of the file.
        let last = Item::from(TileMapItem::Cell {
            layer: 0,
            x: SIZE[0] - 1,
            y: SIZE[1] - 1,
        });
        let mut tints: Vec<Option<String>> = lengths
            .filter(|end| *end >= 12)
            .map(|end| {
                let map = open(&whole[..end])?;
                let groups = (&map as &dyn Document).properties(last, Playhead::default());
                let mut tint = groups
                    .iter()
                    .flat_map(|group| &group.properties)
                    .filter(|property| property.name.starts_with("Tint"));
                Some(tint.next()?.value.clone())
            })
            .collect();
        tints.dedup();
        let read = format!("{CELLS} {} 0, opacity 200", CELLS + 1);
        assert_eq!(tints.pop().flatten(), Some(read));
        assert!(!tints.is_empty());
        for lost in tints {
            let lost = lost.unwrap();
            assert!(lost.starts_with("not read: "), "{lost}");
        }
    }
}

#[test]
fn a_damaged_block_says_that_it_is() {
    let map = ika();
    let whole = ika_map::write(&map).unwrap();
    let place = ika_map::read(&whole).unwrap().layers[1].block.clone();
    let mut damaged = whole.clone();
    damaged[place.start as usize..][..2].fill(0);
    let map = open_ika(&damaged).unwrap();
    let info = map.info(&InfoQuery::default());
    let expected = json!([{
        "what": "tiles", "layer": 1, "read": 0, "of": CELLS,
        "why": "the packed data is damaged before them",
    }]);
    assert_eq!(info["left_out"], expected);
    let here = tile(&map, 2, 3);
    let expected = json!({
        "layer": 1, "name": "Layer 1", "x": 2, "y": 3, "tile": null, "obstructed": true,
        "not_read": ["tile"],
    });
    assert_eq!(here["layers"][1], expected);
}

#[test]
fn text_maps_say_what_their_layers_lack() {
    let mut map = ika::TextMap {
        size: SIZE.map(|tiles| tiles as i32 * 16),
        ..ika::TextMap::default()
    };
    map.layers.push(text_map::Layer {
        size: SIZE,
        tiles: (1..=CELLS).collect(),
        obstructions: (1..=CELLS as u8).collect(),
        ..text_map::Layer::default()
    });
    let whole = text_map::write(&map).unwrap();
    let text = String::from_utf8(whole).unwrap();
    let open = |text: &str| {
        let map = text_map::read(text.as_bytes()).unwrap();
        text_document(map, Found::default())
    };
    assert_eq!(open(&text).left_out, []);
    let lost = |text: &str| open(text).info(&InfoQuery::default())["left_out"].clone();
    let expected = json!([{
        "what": "tiles", "layer": 0, "read": 0, "of": CELLS,
        "why": "the file does not have them",
    }]);
    assert_eq!(lost(&text.replacen("(data", "(type", 1)), expected);
    // The block of the obstruction is the second one.
    let at = text.rfind("eJ").unwrap();
    let mut damaged = text.clone();
    damaged.replace_range(at..at + 8, "AAAAAAAA");
    let lost = lost(&damaged);
    assert_eq!(lost[0]["what"], "obstruction", "{lost}");
    let here = tile(&open(&damaged), 0, 0);
    assert_eq!(here["layers"][0]["not_read"], json!(["obstructed"]));
    assert_eq!(here["layers"][0]["tile"], 1);
}

/// In a text map that ends before the areas of its zones, no cell is reported as outside all zones.
#[test]
fn cells_are_outside_zones_only_if_all_areas_are_read() {
    let text = text_map::write(&mapscope_testdata::synthesize::ika_text_map(SIZE, 3, 5)).unwrap();
    let open = |end: usize| {
        let map = text_map::read(&text[..end]).ok()?;
        Some(text_document(map, Found::default()))
    };
    let of_whole = said(&open(text.len()).unwrap(), &["zones"]);
    assert!(of_whole.values().any(|zones| *zones != json!([])));
    let mut seen = 0;
    for map in (0..text.len()).step_by(7 * stride(3)).filter_map(open) {
        // The names of zones precede the layers.
        if map.info(&InfoQuery::default())["zones"]
            .as_array()
            .unwrap()
            .is_empty()
        {
            continue;
        }
        for (place, zones) in said(&map, &["zones"]) {
            assert_eq!(zones, of_whole[&place], "{place}");
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn containers_say_which_cells_they_lack() {
    let text = "Metadata { Version 1 0 }\n\
                Layer:Tile \"short\" 0 16 16 2 2 {\n\tEmbed:MapData [AQAAAA==]\n}\n\
                Layer:Tile \"gone\" 1 16 16 2 2 {\n\tFile:MapData \"gone.map\"\n}\n\
                Layer:Tile \"bare\" 2 16 16 2 2\n";
    let source = Source {
        path: "cut.xmf".into(),
        bytes: text.as_bytes().to_vec().into(),
        embedded: &[],
        archive: None,
    };
    let xmf = xmf::read(text.as_bytes()).unwrap();
    let map = ppe::xmf_document(xmf, &source, &OpenOptions::default());
    let info = map.info(&InfoQuery::default());
    let expected = json!([
        {"what": "tiles", "layer": 0, "read": 1, "of": 4, "why": "the file does not have them"},
        {"what": "tiles", "layer": 1, "read": 0, "of": 4, "why": "the file with them cannot be read"},
    ]);
    assert_eq!(info["left_out"], expected);
    let mut lines = Vec::new();
    map.annotations()
        .unwrap()
        .lines(&Shown::default(), &mut lines);
    // Around three tiles of one layer and all tiles of the other.
    assert_eq!(lines.len(), 6 + 4);
}

/// Number of differences of each kind.
fn differences(a: &TileMap, b: &TileMap) -> Vec<(&'static str, u64)> {
    let diff = Diff::of([a, b]).unwrap();
    assert_eq!(Diff::of([b, a]).unwrap().count(), diff.count());
    let groups = diff.groups.iter();
    groups.map(|group| (group.what, group.count())).collect()
}

/// Asserts that the comparison of a truncated file with the whole one reports the truncation once,
/// as its first difference.
#[track_caller]
fn assert_reported_once(cut: &dyn Document, whole: &dyn Document, at: usize) {
    let diff = Diff::of([cut, whole]).unwrap();
    assert_eq!(Diff::of([whole, cut]).unwrap().count(), diff.count());
    if diff.not_read[0].is_none() {
        assert_eq!(diff.differences, [], "cut at {at}");
        return;
    }
    let error = &diff.differences[0];
    assert_eq!((error.what, error.is_in), ("error", [true, false]));
    let errors = diff.differences.iter().filter(|it| it.what == "error");
    assert_eq!(errors.count(), 1, "cut at {at}");
}

#[test]
fn a_truncated_file_is_reported_once_and_lacks_the_rest() {
    let text = text_map::write(&mapscope_testdata::synthesize::ika_text_map(SIZE, 3, 5)).unwrap();
    let open = |bytes: &[u8]| text_document(text_map::read(bytes).unwrap(), Found::default());
    let whole = open(&text);
    for cut in (12..text.len()).step_by(11 * stride(3)) {
        assert_reported_once(&open(&text[..cut]), &whole, cut);
    }
    let tileset = mapscope_testdata::synthesize::ika_tileset(1);
    let bytes = ika::vsp::write(&tileset).unwrap();
    let open = |bytes: &[u8]| {
        ika::vsp::read(bytes)
            .ok()
            .map(|vsp| tileset_document(vsp, "a"))
    };
    let whole = open(&bytes).unwrap();
    for cut in (80..bytes.len())
        .step_by(997)
        .chain(bytes.len() - 812..bytes.len() - 800)
        .chain(bytes.len() - 799..bytes.len())
    {
        let cut_off = open(&bytes[..cut]).unwrap();
        assert_reported_once(&cut_off, &whole, cut);
        // Partially read tiles are not reported as changed.
        let diff = Diff::of([&cut_off as &dyn Document, &whole]).unwrap();
        let of_tiles = diff.groups.iter().find(|group| group.what == "tile");
        assert!(of_tiles.is_none_or(|group| group.changed == 0), "{cut}");
        let info = cut_off.info(&InfoQuery::default());
        assert!(!info["left_out"].as_array().unwrap().is_empty(), "{cut}");
    }
}

/// Opens bytes under a name.
fn open_ppe(name: &str, bytes: &[u8]) -> Option<TileMap> {
    let source = Source {
        path: name.into(),
        bytes: bytes.to_vec().into(),
        embedded: &[],
        archive: None,
    };
    let options = OpenOptions::default();
    if name == "a.xmf" {
        let xmf = xmf::read(bytes).ok()?;
        return Some(ppe::xmf_document(xmf, &source, &options));
    }
    let map = map_data::read(bytes).ok()?;
    Some(ppe::map_document(map, &source, &options))
}

const XMF: &str = r#"Metadata {
	Version 1 0
	Name "cut"
}
Layer:Tile "ground" 0 16 8 2 1 {
	RepeatMode "On"
	File:MapData "ground.map"
	File:TileSource "ground.png" palShift=5 {
		Embed:TileInfo {
			0 0 "grass"
			1 1 "stone"
		}
	}
}
Layer:Tile "sky" 1 16 8 2 1 {
	Embed:MapData [AQAAAAIAAhA=]
}
Layer:Sprite "things" 16 {
	File:SpriteSource 3 "man.tga" name="man"
	File:SpriteSheet "all.png" {
		SheetData id=56 {
			32 1 2 3 4 name="cat"
		}
	}
	File:Palette "man.tga" offset=256
	Object:Box "gate" 1 16 17 48 49
	Object:Sprite "man" 65536 3 -16 20 { ToCollision }
	Object:Polyline "path" 2 {
		Begin 1 2
		Segment 3 4
	}
	Note "kept"
}
Extra 1
Embed:Palette "night" [/wECA4AEBQY=] offset=768
"#;

#[test]
fn a_truncated_container_is_reported_once() {
    let open = |end| open_ppe("a.xmf", &XMF.as_bytes()[..end]);
    let whole = open(XMF.len()).unwrap();
    let mut compared = 0;
    for end in (0..XMF.len()).step_by(stride(3)) {
        let Some(cut) = open(end) else {
            continue;
        };
        let mut problems = cut.about().problems.iter();
        let Some(error) = problems.find(|problem| problem.severity == Severity::Error) else {
            // A truncation between tags is undetectable.
            continue;
        };
        compared += 1;
        let diff = Diff::of([&cut, &whole]).unwrap();
        assert_eq!(diff.not_read[0].as_ref(), Some(error), "cut at {end}");
        assert_reported_once(&cut, &whole, end);
        let info = cut.info(&InfoQuery::default());
        assert!(!info["left_out"].as_array().unwrap().is_empty(), "{end}");
    }
    assert!(compared * stride(3) > XMF.len() - 150, "{compared}");
}

/// The only difference of two files: kind, location on the map, location in the files, and fields.
#[track_caller]
fn one_difference(a: &TileMap, b: &TileMap) -> (&'static str, String, String, Vec<String>) {
    let diff = Diff::of([a, b]).unwrap();
    let [difference] = &diff.differences[..] else {
        panic!("{:?}", diff.differences);
    };
    let fields = difference.fields.iter().map(|field| field.name.clone());
    let at = difference.at[1].clone().unwrap_or_default();
    (
        difference.what,
        difference.place.clone(),
        at,
        fields.collect(),
    )
}

#[test]
fn what_map_data_says_of_a_cell_is_compared_with_its_place() {
    let corners = |number: u8| {
        [number; 4].map(|number| Corner {
            rgba: [number; 4],
            light: [1, 2],
        })
    };
    let map = MapData {
        flags: MapFlags(MapFlags::NEW_LAYOUT | 0x1_0011),
        size: SIZE,
        cells: (1..=CELLS).collect(),
        graphics: Some((1..=CELLS as u8).map(corners).collect()),
        logic: Some(Integers::U16((1..=CELLS as u16).collect())),
        ..MapData::default()
    };
    let bytes = map_data::write(&map).unwrap();
    let whole = open_ppe("a.map", &bytes).unwrap();
    let changed = |at: usize| {
        let mut other = bytes.clone();
        other[at] ^= 1;
        one_difference(&whole, &open_ppe("a.map", &other).unwrap())
    };
    let (what, place, at, _) = changed(12 + 4 * 8);
    assert_eq!((what, &*place), ("cell", "1,1"));
    assert!(at.ends_with(" at 0x2c"), "{at}");
    let attributes = 12 + 4 * CELLS as usize;
    let (what, place, at, fields) = changed(attributes + 32 * 8 + 9);
    assert_eq!((what, &*place), ("graphics attributes", "1,1"));
    assert_eq!(
        (at, fields),
        ("32 at 0x198".to_owned(), vec!["Upper right".to_owned()])
    );
    let (what, place, at, _) = changed(attributes + 32 * CELLS as usize + 2 * 8);
    assert_eq!((what, &*place, &*at), ("logic value", "1,1", "2 at 0x508"));
}

#[test]
fn a_tileset_is_compared_as_its_file_has_it() {
    let tileset = ika::Vsp {
        tile_size: [2, 2],
        count: 2,
        palette: vec![[9; 3]; 256],
        mask: Some(0),
        pixels: ika::vsp::Pixels::Indexed(vec![0, 1, 2, 3, 4, 5, 6, 7]),
        ..mapscope_testdata::synthesize::ika_tileset(1)
    };
    let open = |vsp: &ika::Vsp| {
        let bytes = ika::vsp::write(vsp).unwrap();
        tileset_document(ika::vsp::read(&bytes).unwrap(), "a")
    };
    let changed = |change: fn(&mut ika::Vsp)| {
        let mut other = tileset.clone();
        change(&mut other);
        let (what, place, at, _) = one_difference(&open(&tileset), &open(&other));
        (what, place, at)
    };
    let expected = |what, place: &str, at: &str| (what, place.to_owned(), at.to_owned());
    // Whether the colour is used or not.
    for used in [
        changed(|vsp| vsp.palette[5][1] = 10),
        changed(|vsp| vsp.palette[5] = [200; 3]),
    ] {
        assert_eq!(used, expected("colour", "5", "3 at 0x5a"));
    }
    assert_eq!(changed(|vsp| vsp.palette[99] = [1; 3]).0, "colour");
    assert_eq!(
        changed(|vsp| vsp.mask = Some(3)),
        expected("tileset", "tileset", "")
    );
    let description = changed(|vsp| "other".clone_into(&mut vsp.description));
    assert_eq!(description, expected("tileset", "tileset", ""));
    let tile = changed(|vsp| {
        vsp.pixels = ika::vsp::Pixels::Indexed(vec![0, 1, 2, 3, 4, 5, 6, 9]);
    });
    assert_eq!(
        tile,
        expected("tile", "1", "0x4 to 0x8 of the unpacked data")
    );
    let (what, _, at) = changed(|vsp| vsp.strands[2].delay = 77);
    assert_eq!(what, "strand");
    assert!(at.starts_with("8 at 0x"), "{at}");
}

#[test]
fn changes_of_strands_are_differences() {
    let tileset = mapscope_testdata::synthesize::ika_tileset(1);
    let open = |vsp: &ika::vsp::Vsp| tileset_document(vsp.clone(), "a");
    let changed = |change: fn(&mut ika::vsp::Strand)| {
        let mut other = tileset.clone();
        change(&mut other.strands[2]);
        let diff = Diff::of([&open(&tileset), &open(&other)]).unwrap();
        let [difference] = &diff.differences[..] else {
            panic!("{:?}", diff.differences);
        };
        assert_eq!((difference.what, &*difference.place), ("strand", "2"));
        let [_, text] = difference.fields[0].texts.clone();
        format!("{}: {}", difference.fields[0].name, text.unwrap())
    };
    assert_eq!(
        changed(|strand| strand.finish = 64),
        "Last tile: 64 (there is no such tile)"
    );
    assert_eq!(changed(|strand| strand.mode = 4), "Mode: 4 (means nothing)");
    assert_eq!(changed(|strand| strand.mode = 0), "Mode: forwards");
}

/// A level that ends anywhere, even within its header, lacks only the content after its end.
#[test]
fn a_truncated_level_is_reported_once_and_lacks_the_rest() {
    let mut level = mapscope_testdata::synthesize::pmf([1, 1, 1], 2, 3);
    let header = &mut level.header;
    header.description = "a description".to_owned();
    header.authors = "someone".to_owned();
    header.compiler = "a compiler".to_owned();
    header.gamemodes = vec!["dm".to_owned(), "tdm".to_owned()];
    let dummy = |name: &str| pmf::NewEntity::new(pmf::EntityKind::Dummy, name);
    let list = pmf::EntityList {
        entities: ["a", "b", "c"].map(dummy).into(),
        ..pmf::EntityList::default()
    };
    let mut strings = pmf::StringTableBuilder::default();
    level.entities = list.build(&mut strings).unwrap();
    level.strings = strings.finish();
    let file = pmf::write(&level, pmf::Packing::Compressed).unwrap();
    let whole = level_document(&file);
    let read = pmf::read(&file).unwrap();
    let entities = file.len() - read.entities.bytes().len();
    let mut compared = 0;
    let of_chunks = (400..entities).step_by(23);
    let cuts = (0..400).chain(of_chunks).chain(entities..file.len());
    for cut in cuts.step_by(stride(5)) {
        let Some(part) = open_level(&file[..cut]) else {
            continue;
        };
        compared += 1;
        assert_reported_once(&*part, &*whole, cut);
    }
    assert!(compared * stride(5) > 300, "{compared}");
}

fn open_level(file: &[u8]) -> Option<std::sync::Arc<dyn Document>> {
    let source = Source {
        path: "a.pmf".into(),
        bytes: file.to_vec().into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Default::default()).ok()
}

fn level_document(file: &[u8]) -> std::sync::Arc<dyn Document> {
    open_level(file).unwrap()
}

#[test]
fn what_a_level_names_and_does_not_have_is_said_by_its_number() {
    let file = pmf::write(
        &mapscope_testdata::synthesize::pmf([1, 1, 1], 2, 3),
        pmf::Packing::Stored,
    )
    .unwrap();
    let whole = pmf::read(&file).unwrap();
    let [common, client, _] = whole.levels[0].chunks[0].frames;
    let data = whole.levels[0].chunks[0].data.as_ref().unwrap();
    let mut boxes = data.cubes.iter().filter(|(_, cube)| match cube {
        pmf::Cube::Geometry(geometry) => geometry.side_mask() != 0,
        _ => false,
    });
    let (cube, _) = boxes.next().unwrap();
    // A stored frame has 11 bytes before its data.
    let at = |frame: pmf::Frame, side, offset: u32| {
        let record = data.cubes.record(side, cube).unwrap();
        frame.start as usize + 11 + (record.start + offset) as usize
    };
    let good = file.clone();
    let said = |at: usize, change: fn(u8) -> u8| {
        let mut file = good.clone();
        file[at] = change(file[at]);
        let [a, b] = [&good, &file].map(|file| level_document(file));
        let diff = Diff::of([&*a, &*b]).unwrap();
        let of_cube = diff.differences.iter().find(|it| it.what == "cube");
        let fields = of_cube.map(|it| it.fields.iter().map(|field| field.texts[1].clone()));
        fields
            .into_iter()
            .flatten()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(
        said(at(common, pmf::Side::Common, 2), |_| 99),
        "99 (there is none)"
    );
    let sides = said(at(client, pmf::Side::Client, 5), |sides| sides | 0x80);
    assert_eq!(sides, "0x80 (means nothing)");
}

#[test]
fn a_string_that_is_not_there_is_not_an_empty_one() {
    let map = mapscope_testdata::synthesize::pmf([1, 1, 1], 2, 3);
    let file = pmf::write(&map, pmf::Packing::Stored).unwrap();
    let level = &pmf::read(&file).unwrap().levels[0];
    let strings = level.common.strings.bytes().len();
    // Behind the frame's header, the strings with their size, the number of materials, and the name
    // of the first one.
    let at = level.frames[0].start as usize + 11 + 4 + strings + 2 + 4;
    let mut bad = file.clone();
    bad[at..at + 4].copy_from_slice(&0x00AB_CDEF_u32.to_le_bytes());
    let [a, b] = [&file, &bad].map(|file| level_document(file));
    let diff = Diff::of([&*a, &*b]).unwrap();
    let [error, difference] = &diff.differences[..] else {
        panic!("{:?}", diff.differences);
    };
    assert_eq!([error.what, difference.what], ["error", "material"]);
    let [field] = &difference.fields[..] else {
        panic!("{difference:?}");
    };
    assert_eq!(field.name, "Type");
    assert_eq!(field.texts[1].as_deref(), Some("0xabcdef (no string)"));
}

/// Number of differences of each kind between a map and a changed copy.
fn changed<M: Clone>(
    map: &M,
    change: impl FnOnce(&mut M),
    open: impl Fn(&M) -> TileMap,
) -> Vec<(&'static str, u64)> {
    let mut other = map.clone();
    change(&mut other);
    differences(&open(map), &open(&other))
}

fn new_zone() -> ika_map::Zone {
    ika_map::Zone {
        name: "new".to_owned(),
        ..ika_map::Zone::default()
    }
}

#[test]
fn cells_are_compared_by_zone_and_not_by_zone_number() {
    let map = ika();
    let open = |map: &ika::Map| open_ika(&ika_map::write(map).unwrap()).unwrap();
    let of_zones = |change: fn(&mut ika::Map)| changed(&map, change, open);
    // Increments all later zone numbers.
    let inserted = |map: &mut ika::Map| {
        map.zones.insert(3, new_zone());
        let numbers = map.zone_numbers.iter_mut();
        numbers
            .filter(|number| **number >= 3)
            .for_each(|number| *number += 1);
    };
    assert_eq!(of_zones(inserted), [("zone", 1)]);
    // Unchanged numbers refer to other zones.
    let only_inserted = |map: &mut ika::Map| map.zones.insert(30, new_zone());
    assert_eq!(of_zones(only_inserted), [("zone cell", 6), ("zone", 1)]);
    // A renamed zone keeps its cells.
    let renamed = |map: &mut ika::Map| map.zones[5].name = "other".to_owned();
    assert_eq!(of_zones(renamed), [("zone", 1)]);
    let moved = |map: &mut ika::Map| map.zone_numbers[8] = 1;
    assert_eq!(of_zones(moved), [("zone cell", 1)]);
    // Zones without names are distinguished by their other fields.
    let mut unnamed = map.clone();
    for (number, zone) in unnamed.zones.iter_mut().enumerate() {
        zone.name.clear();
        zone.description = format!("number {number}");
    }
    assert_eq!(changed(&unnamed, inserted, open), [("zone", 1)]);
}

#[test]
fn what_stands_on_a_layer_that_is_moved_is_the_same() {
    let map = mapscope_testdata::synthesize::ika_text_map(SIZE, 3, 5);
    assert!(map.layers.iter().all(|layer| !layer.entities.is_empty()));
    let open = |map: &ika::TextMap| {
        let text = text_map::write(map).unwrap();
        text_document(text_map::read(&text).unwrap(), Found::default())
    };
    let moved = changed(&map, |map| map.layers[1].position = [80, -7], open);
    assert_eq!(moved, [("layer", 1)]);
    let moved = changed(&map, |map| map.layers[1].entities[0].position[0] += 5, open);
    assert_eq!(moved, [("entity", 1)]);
}
