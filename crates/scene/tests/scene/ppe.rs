//! Maps of `PixelPerfectEngine`, against their sidecar files and against other readers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mapscope_formats::ppe::xmf::{self, LayerKind, MapSource, PaletteSource, Shape, TileOrder};
use mapscope_formats::ppe::{
    Cell, Compression, MAP_FORMAT, MapData, XMF_FORMAT, indexed, map_data,
};
use mapscope_formats::{Problem, Severity};
use mapscope_scene::{self, Document, InfoQuery, OpenOptions, Progress, Shown, Source};
use mapscope_testdata::shared;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

/// The files of a folder that have a sidecar and this prefix and ending, with their sidecars.
fn samples(folder: &str, prefix: &str, ending: &str) -> Vec<(PathBuf, Value)> {
    let Some(folder) = shared(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = (std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(prefix) && name.ends_with(ending)
        })
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .into_iter()
        .map(|path| {
            let side_car = format!("{}.json", path.display());
            let side_car = std::fs::read(side_car).unwrap();
            (path, serde_json::from_slice(&side_car).unwrap())
        })
        .collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[track_caller]
fn check_map(path: &Path, bytes: &[u8], truth: &Value) -> MapData {
    let name = path.display();
    assert!((MAP_FORMAT.sniff)(bytes), "{name}");
    assert!(!(XMF_FORMAT.sniff)(bytes), "{name}");
    let map = map_data::read(bytes).unwrap();
    assert_eq!(map.problems, [], "{name}");
    assert_eq!(u64::from(map.flags.0), number(&truth["flags"]), "{name}");
    assert_eq!(u64::from(map.size[0]), number(&truth["width"]));
    assert_eq!(u64::from(map.size[1]), number(&truth["height"]));
    assert_eq!(map.flags.layout().name(), truth["layout"]);
    let compression = truth.get("compression").and_then(Value::as_str);
    assert_eq!(
        map.flags.compression().name(),
        compression.unwrap_or("none")
    );
    assert_eq!(sha256(&map.cell_bytes()), truth["cells_sha256_raw4"]);
    assert_eq!(map.cells.len() as u64, number(&truth["cell_count"]));
    assert_eq!(map.empty_cells() as u64, number(&truth["empty_cells"]));
    let tiles = (0..map.cells.len()).flat_map(|i| map.cell(i).tile_id.to_le_bytes());
    assert_eq!(
        sha256(&tiles.collect::<Vec<_>>()),
        truth["tiles_sha256_u16le"]
    );
    for sample in truth["samples"].as_array().unwrap() {
        let i = number(&sample["i"]) as usize;
        let cell = map.cell(i);
        let yes = |key: &str| number(&sample[key]) == 1;
        assert_eq!(
            u64::from(cell.tile_id),
            number(&sample["tile"]),
            "{name} {i}"
        );
        assert_eq!(
            u64::from(cell.palette),
            number(&sample["pal"]),
            "{name} {i}"
        );
        assert_eq!(cell.mirror_h, yes("h"), "{name} {i}");
        assert_eq!(cell.mirror_v, yes("v"), "{name} {i}");
        assert_eq!(cell.axis_switch, yes("axis"), "{name} {i}");
        if let Some(priority) = sample.get("prio") {
            assert_eq!(u64::from(cell.priority), number(priority), "{name} {i}");
        }
        if let Some(bits) = sample.get("attr_bits_3_7") {
            assert_eq!(u64::from(map.raw(i) >> 19 & 31), number(bits), "{name} {i}");
            assert_eq!(cell.priority != 0, number(bits) != 0, "{name} {i}");
        }
    }
    let graphics = truth.get("gfx_ext");
    assert_eq!(map.graphics.is_some(), graphics.is_some(), "{name}");
    if let (Some(corners), Some(truth)) = (&map.graphics, graphics) {
        let bytes: &[u8] = bytemuck::cast_slice(corners);
        assert_eq!(bytes.len() as u64, number(&truth["bytes"]));
        assert_eq!(sha256(bytes), truth["sha256"]);
        let numbers = |corner: mapscope_formats::ppe::Corner| {
            let light = corner.light.map(i64::from);
            [corner.rgba.map(i64::from).as_slice(), &light].concat()
        };
        assert_eq!(serde_json::json!(numbers(corners[0][0])), truth["corner0"]);
        let last = corners.last().unwrap()[3];
        assert_eq!(serde_json::json!(numbers(last)), truth["corner_last"]);
    }
    let logic = truth.get("logic_ext");
    assert_eq!(map.logic.is_some(), logic.is_some(), "{name}");
    if let (Some(logic), Some(truth)) = (&map.logic, logic) {
        assert_eq!(u64::from(logic.bits()), number(&truth["bits"]));
        let first: Vec<_> = (0..4).map(|i| logic.get(i).unwrap()).collect();
        assert_eq!(serde_json::json!(first), truth["first4"]);
        let start = map.logic_offset(0).unwrap() as usize;
        assert_eq!(sha256(&bytes[start..]), truth["sha256"]);
        assert_eq!((bytes.len() - start) as u64, number(&truth["bytes"]));
    }
    map
}

#[test]
fn samples_agree_with_their_side_cars() {
    for (path, truth) in samples("samples/tilemaps", "ppe_", ".map") {
        let bytes = std::fs::read(&path).unwrap();
        let mut map = check_map(&path, &bytes, &truth);
        let again = map_data::write(&map).unwrap();
        if map.flags.compression() == Compression::None {
            assert!(again == bytes, "{}", path.display());
        }
        // The map is the same in every other compression.
        for compression in [0, 0x100, 0x400, 0x800] {
            map.flags.0 = map.flags.0 & !0xF00 | compression;
            let mut again = map_data::read(&map_data::write(&map).unwrap()).unwrap();
            assert!(
                again
                    .problems
                    .iter()
                    .all(|p| p.severity == Severity::Warning)
            );
            again.problems.clear();
            assert!(again == map, "{}", path.display());
        }
    }
}

#[test]
fn broken_samples_are_told_as_they_should_be() {
    for (path, truth) in samples("samples/tilemaps/malformed", "ppe_", ".map") {
        let bytes = std::fs::read(&path).unwrap();
        let problems: Vec<Problem> = match map_data::read(&bytes) {
            Ok(map) => map.problems,
            Err(error) => error.problem().cloned().into_iter().collect(),
        };
        let worst = problems.iter().map(|problem| problem.severity).max();
        let expected = match truth["expect"].as_str().unwrap() {
            "warn" => Severity::Warning,
            "error" => Severity::Error,
            other => panic!("{other}"),
        };
        assert_eq!(worst, Some(expected), "{} {problems:?}", path.display());
        println!("{}: {}", path.display(), problems[0]);
    }
}

#[test]
fn sample_containers_agree_with_their_side_cars() {
    for (path, truth) in samples("samples/tilemaps", "ppe_", ".xmf") {
        let bytes = std::fs::read(&path).unwrap();
        assert!((XMF_FORMAT.sniff)(&bytes) && !(MAP_FORMAT.sniff)(&bytes));
        let map = xmf::read(&bytes).unwrap();
        assert_eq!(map.problems, []);
        let layers = truth["layers"].as_array().unwrap();
        assert_eq!(map.layers.len(), layers.len());
        for (layer, truth) in map.layers.iter().zip(layers) {
            assert_eq!(layer.name, truth["name"]);
            assert_eq!(layer.kind.name(), truth["kind"]);
            assert_eq!(layer.priority, truth["priority"]);
            if layer.kind.has_tiles() {
                assert_eq!(serde_json::json!(layer.tile_size), truth["tile"]);
                assert_eq!(serde_json::json!(layer.size), truth["size"]);
                let Some(MapSource::File { path, .. }) = &layer.map else {
                    panic!("{layer:?}");
                };
                assert_eq!(xmf::path_below_root(path), truth["map"]);
                let tiles = layer.tile_sources[0].tiles.as_ref().unwrap();
                assert_eq!(tiles.len() as u64, number(&truth["tiles"]));
            }
            let boxes: Vec<Value> = (layer.objects.iter())
                .filter_map(|object| match object.shape {
                    Shape::Box([left, top, right, bottom]) => Some(serde_json::json!([
                        object.name,
                        object.id,
                        left,
                        top,
                        right,
                        bottom
                    ])),
                    _ => None,
                })
                .collect();
            let expected = truth
                .get("boxes")
                .map_or(&[][..], |boxes| boxes.as_array().unwrap());
            assert_eq!(boxes, expected);
        }
        assert_round_trip(&bytes);
    }
}

/// Asserts that a container survives a round trip through the writer.
fn assert_round_trip(bytes: &[u8]) {
    let map = xmf::read(bytes).unwrap();
    let written = xmf::write(&map);
    let again = xmf::read(&written).unwrap();
    assert!(xmf::write(&again) == written);
    assert_eq!(again.layers.len(), map.layers.len());
    for (a, b) in map.layers.iter().zip(&again.layers) {
        assert_eq!(
            (&a.name, a.size, a.objects.len()),
            (&b.name, b.size, b.objects.len())
        );
        let tiles = |layer: &xmf::XmfLayer| {
            let sources = layer.tile_sources.iter();
            let tiles = sources.flat_map(|source| source.tiles.clone().unwrap_or_default());
            let without_places = tiles.map(|tile| (tile.first, tile.second, tile.name));
            without_places.collect::<Vec<_>>()
        };
        assert_eq!(tiles(a), tiles(b));
    }
}

#[test]
fn the_real_map_has_the_tiles_that_are_known() {
    let Some(path) = shared("corpus/ppe/test2_layer0.map") else {
        return;
    };
    let bytes = std::fs::read(path).unwrap();
    assert!((MAP_FORMAT.sniff)(&bytes));
    let map = map_data::read(&bytes).unwrap();
    assert_eq!(map.problems, []);
    assert_eq!((map.size, map.flags.0), ([45, 45], 0));
    let mut counts = BTreeMap::new();
    for i in 0..map.cell_count() {
        let cell = map.cell(i);
        *counts.entry(cell.tile_id).or_insert(0) += 1;
        let plain = Cell {
            tile_id: cell.tile_id,
            ..Cell::default()
        };
        assert_eq!(cell, plain);
    }
    let expected = [
        (0, 547),
        (1, 296),
        (2, 130),
        (3, 221),
        (4, 126),
        (5, 98),
        (6, 43),
    ]
    .into_iter()
    .chain([(Cell::NO_TILE, 564)]);
    assert_eq!(counts, expected.collect());
    assert!(map_data::write(&map).unwrap() == bytes);
}

#[test]
fn the_real_container_is_read_whole() {
    let Some(path) = shared("corpus/ppe/test2.xmf") else {
        return;
    };
    let bytes = std::fs::read(path).unwrap();
    assert!((XMF_FORMAT.sniff)(&bytes));
    let map = xmf::read(&bytes).unwrap();
    assert_eq!(map.problems, []);
    assert_eq!(map.metadata.name.as_deref(), Some("test2"));
    assert_eq!(map.metadata.resolution, Some([424, 240]));
    let [tiles, sprites] = map.layers.as_slice() else {
        panic!("{} layers", map.layers.len());
    };
    assert_eq!((tiles.name.as_str(), tiles.priority), ("64", 0));
    assert_eq!((tiles.tile_size, tiles.size), ([16, 16], [45, 45]));
    let infos = tiles.tile_sources[0].tiles.as_ref().unwrap();
    assert_eq!(infos.len(), 64);
    for (i, info) in infos.iter().enumerate() {
        assert_eq!(info.id(TileOrder::IdFirst), i as u32);
        assert_eq!(info.name, format!("tile{i:04X}"));
    }
    assert_eq!((&sprites.kind, sprites.priority), (&LayerKind::Sprite, 16));
    let parts: Vec<_> = sprites
        .sprite_sources
        .iter()
        .map(|source| source.part)
        .collect();
    assert_eq!(parts, [None, Some([0, 0, 12, 12])]);
    let kinds: Vec<_> = sprites
        .objects
        .iter()
        .map(|object| object.shape.kind())
        .collect();
    assert_eq!(kinds, ["Sprite", "Sprite", "Box", "Box", "Box"]);
    assert!(sprites.objects.iter().all(|object| object.to_collision));
    assert_eq!(sprites.palettes[0].offset, 256);
    let path = "%PATH%/assets/sci-fi-tileset.png".to_owned();
    assert_eq!(map.palettes[0].source, PaletteSource::File(path));
    assert_eq!(map.palettes[0].pal_shift, Some(5));
    assert_round_trip(&bytes);
}

#[test]
fn the_real_sheet_has_its_palette() {
    for (path, size, colors) in [
        ("corpus/ppe/sci-fi-tileset.png", [128, 128], 21),
        ("samples/tilemaps/ppe_tiles.png", [64, 64], 0),
    ] {
        let Some(path) = shared(path) else {
            continue;
        };
        let bytes = std::fs::read(&path).unwrap();
        let Some(sheet) = indexed::read(&bytes).unwrap() else {
            assert_eq!(colors, 0, "{}", path.display());
            continue;
        };
        assert_eq!(sheet.size, size);
        if colors > 0 {
            assert_eq!(sheet.palette.len(), colors);
        }
        assert_eq!(sheet.indices.len(), (size[0] * size[1]) as usize);
        let picture = image::load_from_memory(&bytes).unwrap().into_rgba8();
        for (index, pixel) in sheet.indices.iter().zip(picture.pixels()) {
            assert_eq!(sheet.palette[usize::from(*index)], pixel.0);
        }
    }
}

fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    let opened = mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default());
    opened.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Size and RGBA pixels of the whole map at 1:1.
fn flat(document: &dyn Document) -> ([u64; 2], Vec<u8>) {
    let shown = Shown::default();
    let picture = document.layers().unwrap().flat(&shown);
    let size = picture.size();
    let mut pixels = vec![0; (size[0] * size[1] * 4) as usize];
    for (y, row) in pixels.chunks_mut(size[0] as usize * 4).enumerate() {
        picture.row(y as u64, row);
    }
    (size, pixels)
}

fn info(document: &dyn Document) -> Value {
    Value::Object(document.info(&InfoQuery::default()))
}

#[test]
fn info_agrees_with_side_cars() {
    for (path, truth) in samples("samples/tilemaps", "ppe_", ".map") {
        let document = open(&path);
        let name = path.display();
        assert_eq!(document.about().format.id, "ppe-map", "{name}");
        // The container beside the maps names only this one.
        let is_named = path.ends_with("ppe_new.map");
        let said: Vec<_> = document
            .about()
            .problems
            .iter()
            .map(|p| p.rule.id)
            .collect();
        match &*said {
            [] => assert!(is_named, "{name}"),
            [said] => assert!(
                !is_named && *said == "ppe-map/no-container",
                "{name}: {said}"
            ),
            said => panic!("{name}: {said:?}"),
        }
        let info = info(&*document);
        assert_eq!(
            info["size"],
            serde_json::json!([truth["width"], truth["height"]])
        );
        assert_eq!(info["flags"], truth["flags"], "{name}");
        assert_eq!(info["layout"], truth["layout"], "{name}");
        assert_eq!(info["empty"], truth["empty_cells"], "{name}");
        assert_eq!(info["cells_sha256"], truth["cells_sha256_raw4"], "{name}");
        assert_eq!(info["graphics_attributes"], truth.get("gfx_ext").is_some());
        let bits = truth
            .get("logic_ext")
            .map_or(0, |logic| number(&logic["bits"]));
        assert_eq!(info["logic_attribute_bits"], bits, "{name}");
        let compression = truth.get("compression").and_then(Value::as_str);
        assert_eq!(info["compression"], compression.unwrap_or("none"));
        assert_eq!(info["xmf"].is_string(), is_named, "{name}");
        let (size, _) = flat(&*document);
        assert_eq!(size, [24 * 16, 18 * 16], "{name}");
    }
    for (path, truth) in samples("samples/tilemaps", "ppe_", ".xmf") {
        let document = open(&path);
        assert_eq!(document.about().format.id, "xmf");
        assert_eq!(document.about().problems, []);
        let info = info(&*document);
        for (layer, truth) in info["layers"]
            .as_array()
            .unwrap()
            .iter()
            .zip(truth["layers"].as_array().unwrap())
        {
            for (key, name) in [
                ("name", "name"),
                ("kind", "kind"),
                ("priority", "priority"),
                ("tile", "tile_size"),
                ("size", "size"),
                ("map", "map"),
                ("tiles", "tiles"),
                ("boxes", "boxes"),
            ] {
                if let Some(expected) = truth.get(key) {
                    assert_eq!(&layer[name], expected, "{key}");
                }
            }
        }
    }
}

#[test]
fn whole_maps_are_drawn_as_others_draw_them() {
    // Background colours of the reference pictures.
    const MAGENTA: [u8; 3] = [255, 0, 255];
    const GREY: [u8; 3] = [60, 60, 90];
    for (files, reference, background) in [
        (
            ["corpus/ppe/test2_layer0.map", "corpus/ppe/test2.xmf"],
            "ppe_test2_layer0.png",
            MAGENTA,
        ),
        (
            [
                "samples/tilemaps/ppe_new.map",
                "samples/tilemaps/ppe_tiles.xmf",
            ],
            "sample_ppe_new.png",
            GREY,
        ),
    ] {
        let Some(reference) = shared(&format!("reference/tilemaps/{reference}")) else {
            continue;
        };
        let expected = image::open(reference).unwrap().into_rgba8();
        for file in files {
            let Some(path) = shared(file) else {
                continue;
            };
            let document = open(&path);
            // Images of sprites are missing, which does not affect the map alone.
            let is_alone = !file.contains("xmf");
            assert!(!is_alone || document.about().problems.is_empty(), "{file}");
            let (size, pixels) = flat(&*document);
            let expected_size = [expected.width(), expected.height()].map(u64::from);
            assert_eq!(size, expected_size, "{file}");
            // Half-transparent pixels differ by the background that shines through, by the same
            // amount for each colour.
            let mut shining = BTreeMap::new();
            let mut equal = 0;
            for (found, (x, y, expected)) in pixels.chunks(4).zip(expected.enumerate_pixels()) {
                if found == expected.0 {
                    equal += 1;
                    continue;
                }
                let part = [0, 1, 2].map(|i| i16::from(expected.0[i]) - i16::from(found[i]));
                assert_eq!(
                    *shining.entry(found).or_insert(part),
                    part,
                    "{file}: {x}, {y}"
                );
                let most = background.map(i16::from);
                let is_part = (0..3).all(|i| (0..=most[i]).contains(&part[i]));
                assert!(is_part, "{file}: {x}, {y}: {found:?} for {expected:?}");
            }
            assert_eq!(
                shining.get(&[0, 0, 0, 255][..]),
                Some(&background.map(i16::from))
            );
            assert!(equal > size[0] * size[1] / 2, "{file}");
        }
    }
}

/// A synthetic container with an indexed sheet: colours 0 to 7 in two rows of tiles of 2 x 2.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut sheet = Vec::new();
    let mut encoder = png::Encoder::new(&mut sheet, 8, 4);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette((0..24).collect::<Vec<u8>>());
    let pixel = |i: u32| (i % 8 / 2 + i / 16 * 4) as u8;
    let pixels: Vec<u8> = (0..32).map(pixel).collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixels)
        .unwrap();
    std::fs::create_dir(folder.path().join("art")).unwrap();
    std::fs::write(folder.path().join("art/sheet.png"), sheet).unwrap();
    folder
}

fn write_xmf(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("made.xmf");
    std::fs::write(&path, text).unwrap();
    path
}

/// RGB of a pixel of the whole map.
fn pixel(document: &dyn Document, [x, y]: [u64; 2]) -> [u8; 3] {
    let ([width, _], pixels) = flat(document);
    let at = ((y * width + x) * 4) as usize;
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

#[test]
fn cells_take_colours_from_shifted_palettes() {
    let folder = folder();
    // Two palettes of 8 colours: that of the sheet, and one of greys. Cells: tile 1 in palette 0
    // and 1, tile 5, and an empty cell. The second row is that of a sprite.
    let greys: Vec<u8> = (0..8)
        .flat_map(|i| [255, 100 + i, 100 + i, 100 + i])
        .collect();
    let cells = [0x0000_0001_u32, 0x0001_0001, 0x0000_0005, 0xFFFF];
    let base64 = |bytes: &[u8]| data_encoding::BASE64.encode(bytes);
    let text = format!(
        "Metadata {{ Version 1 0 }}\n\
         Layer:Sprite \"s\" 5 {{\n\
         File:SpriteSource 7 \"%PATH%/art/sheet.png\" horizOffset=2 vertOffset=0 width=2 height=2\n\
         Object:Sprite \"man\" 1 7 6 0 palSel=1 palShift=3\n\
         Object:Sprite \"gone\" 2 8 0 0\n\
         Object:Box \"box\" 3 0 0 1 1\n}}\n\
         Layer:Tile \"t\" -5 2 2 4 1 {{\n\
         RepeatMode \"On\"\nScrollRateX 0.5\n\
         Embed:MapData [{}]\n\
         File:TileSource \"%PATH%/art/sheet.png\" palShift=3\n}}\n\
         File:Palette \"../art/sheet.png\" palShift=3\nEmbed:Palette [{}] offset=8\n",
        base64(bytemuck::cast_slice(&cells)),
        base64(&greys),
    );
    let path = write_xmf(folder.path(), &text);
    let document = open(&path);
    let said: Vec<_> = document
        .about()
        .problems
        .iter()
        .map(Problem::facts)
        .collect();
    let expected = [
        "5:1: warning: xmf/sprite (Layer 0): 8",
        "11:1: warning: xmf/cell-layout: 2025-04-14",
    ];
    assert_eq!(said, expected);
    let color = |x| pixel(&*document, [x, 0]);
    assert_eq!(color(0), [3, 4, 5], "colour 1 of the sheet");
    assert_eq!(color(2), [101; 3], "colour 1 of the second palette");
    assert_eq!(color(4), [15, 16, 17], "colour 5 of the sheet");
    assert_eq!(
        color(6),
        [101; 3],
        "the sprite, above the layer of lower priority"
    );
    let layers = document.layers().unwrap().layers();
    let names: Vec<_> = layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["t", "s"]);
    let info = info(&*document);
    assert_eq!(info["layers"][0]["name"], "s");
    assert_eq!(
        info["layers"][0]["sprites"][0],
        serde_json::json!(["man", 1, 7, 6, 0])
    );
    assert_eq!(info["layers"][1]["embedded"], true);
    let numbers = [0, 1].map(|index| info["layers"][index]["number"].as_u64());
    assert_eq!(numbers, [Some(1), Some(0)], "the lowest is drawn first");
}

#[test]
fn every_sprite_has_its_own_look() {
    let folder = folder();
    // The image has two pixels, of colours 1 and 2.
    let path = write_xmf(
        folder.path(),
        "Metadata {\nDateOfCreation 2024-01-01\n}\n\
         Layer:Tile \"t\" 0 2 2 16 4 {\nEmbed:MapData []\n}\n\
         Layer:Sprite \"s\" 1 {\n\
         File:SpriteSource 1 \"art/sheet.png\" horizOffset=3 vertOffset=0 width=2 height=1\n\
         File:SpriteSource 2 \"art/sheet.png\" horizOffset=7 vertOffset=3 width=2 height=2\n\
         Object:Sprite \"plain\" 1 1 0 0\n\
         Object:Sprite \"faint\" 2 1 2 0 masterAlpha=51\n\
         Object:Sprite \"mirrored\" 3 1 4 0 hMirror=true\n\
         Object:Sprite \"scaled\" 4 1 6 0 scaleHoriz=-2048\n\
         Object:Sprite \"cornered\" 5 1 14 2 lrCornerX=10 lrCornerY=0\n\
         Object:Sprite \"night\" 6 1 16 0 palSel=0x1 palShift=3\n\
         Object:QuadSprite \"turned\" 7 1 20 0 20 2 18 0 18 2\n\
         Object:Sprite \"beyond\" 8 2 0 4\n}\n\
         Embed:Palette [/wAAAP8KFB7/KDI8] offset=8\n",
    );
    let document = open(&path);
    let said: Vec<_> = document
        .about()
        .problems
        .iter()
        .map(Problem::facts)
        .collect();
    let [cells, beyond] = &*said else {
        panic!("{said:#?}");
    };
    assert!(
        cells.contains("xmf/embedded-size (Layer 0): 0 16 256 4"),
        "{cells}"
    );
    let expected = "xmf/sprite (Layer 1): 2 3 4 7 8 sheet.png";
    assert!(beyond.contains(expected), "{beyond}");
    let color = |x, y| pixel(&*document, [x, y]);
    let [one, two] = [[3, 4, 5], [6, 7, 8]];
    assert_eq!([color(0, 0), color(1, 0)], [one, two]);
    // 20 % opacity over black.
    assert_eq!([color(2, 0), color(3, 0)], [[1, 1, 1], [1, 1, 2]]);
    assert_eq!([color(4, 0), color(5, 0)], [two, one]);
    assert_eq!([6, 7, 8, 9].map(|x| color(x, 0)), [two, two, one, one]);
    assert_eq!([10, 11, 12, 13].map(|x| color(x, 1)), [two, two, one, one]);
    // Colours in the older order, with red first.
    assert_eq!([color(16, 0), color(17, 0)], [[10, 20, 30], [40, 50, 60]]);
    // A quarter turn: its left is now on top.
    assert_eq!([color(18, 0), color(19, 1)], [one, two]);
    // An explicit dialect overrides the guess.
    let options = OpenOptions {
        xmf_dialect: Some(xmf::Dialect::default()),
        ..OpenOptions::default()
    };
    let source = Source::read(&path).unwrap();
    let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
    assert_eq!(pixel(&*document, [16, 0]), [30, 20, 10]);
}

#[test]
fn numbers_of_tiles_are_read_as_the_user_says() {
    let folder = folder();
    let path = write_xmf(
        folder.path(),
        "Metadata {}\nLayer:Tile \"t\" 0 2 2 1 1 {\nEmbed:MapData [AQAAAA==]\n\
         File:TileSource \"art/sheet.png\" {\nEmbed:TileInfo {\n1 2 \"a\"\n3 1 \"b\"\n}\n}\n}\n",
    );
    let source = Source::read(&path).unwrap();
    for (order, expected) in [
        (TileOrder::IdFirst, [6, 7, 8]),
        (TileOrder::IndexFirst, [9, 10, 11]),
    ] {
        let options = OpenOptions {
            xmf_tile_order: order,
            ..OpenOptions::default()
        };
        let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
        // Tile 1 is at position 2 or 3 of the sheet.
        assert_eq!(pixel(&*document, [0, 0]), expected, "{order:?}");
    }
}

#[test]
fn undefined_tiles_are_numbered_or_left_out() {
    let folder = folder();
    let path = write_xmf(
        folder.path(),
        "Metadata {}\nLayer:Tile \"t\" 0 2 2 2 1 {\nEmbed:MapData [AQAAAAkAAAA=]\n\
         File:TileSource \"art/sheet.png\" {\nEmbed:TileInfo {\n1 2 \"a\"\n}\n}\n}\n",
    );
    let source = Source::read(&path).unwrap();
    let open = |hides| {
        let options = OpenOptions {
            xmf_hides_undefined: hides,
            ..OpenOptions::default()
        };
        mapscope_scene::open(&source, &options, &Progress::default()).unwrap()
    };
    let numbered = open(false);
    let says_so = |document: &dyn Document| {
        let mut problems = document.about().problems.iter();
        problems.any(|problem| problem.rule.id == "xmf/undefined-tile")
    };
    assert!(says_so(&*numbered) && !says_so(&*open(true)));
    assert_eq!(pixel(&*numbered, [0, 0]), [6, 7, 8]);
    assert_ne!(pixel(&*numbered, [2, 0]), [0, 0, 0]);
    let hidden = open(true);
    assert_eq!(pixel(&*hidden, [0, 0]), [6, 7, 8]);
    assert_eq!(pixel(&*hidden, [2, 0]), [0, 0, 0], "tile 9");
}

#[test]
fn an_undefined_tile_counts_once_in_whichever_palettes_it_is() {
    let folder = folder();
    let said = |cells: [u32; 4]| {
        let cells = data_encoding::BASE64.encode(bytemuck::cast_slice(&cells));
        let text = format!(
            "Metadata {{}}\nLayer:Tile \"t\" 0 2 2 4 1 {{\nEmbed:MapData [{cells}]\n\
             File:TileSource \"art/sheet.png\" palShift=3 {{\nEmbed:TileInfo {{\n1 2 \"a\"\n}}\n}}\n}}\n",
        );
        let document = open(&write_xmf(folder.path(), &text));
        let mut problems = document.about().problems.iter();
        let found = problems.find(|problem| problem.rule.id == "xmf/undefined-tile");
        let facts = found.unwrap().facts();
        facts.rsplit_once(": ").unwrap().1.to_owned()
    };
    let [one, two] = [
        [1, 0x0000_0009, 0x0001_0009, 0x0002_0009],
        [0x0001_0007, 0x0000_0009, 0x0001_0009, 0x0002_0009],
    ]
    .map(said);
    assert_eq!(one, "9");
    assert_eq!(two, "2 7");
}

#[test]
fn what_is_missing_is_said_and_the_rest_shown() {
    let folder = folder();
    let path = write_xmf(
        folder.path(),
        "Layer:Tile \"a\" 0 2 2 2 1 {\n\
         File:MapData \"%PATH%/../../a.map\"\n\
         File:TileSource \"%PATH%/none.png\" {\nEmbed:TileInfo {\n0 0 \"x\"\n}\n}\n}\n\
         Layer:Tile \"b\" 1 2 2 3 1 {\n\
         File:MapData \"b.map\"\n\
         File:TileSource \"art/sheet.png\" {\nEmbed:TileInfo {\n0 0 \"x\"\n1 99 \"y\"\n}\n}\n}\n\
         Layer:Tile \"c\" 2 0 2000 1 1 {\nShared:MapData 9\n}",
    );
    // One of two cells; the second is truncated.
    let map = [8_u32, 2, 1, 1].map(u32::to_le_bytes).concat();
    std::fs::write(folder.path().join("b.map"), map).unwrap();
    let document = open(&path);
    let said: Vec<_> = document
        .about()
        .problems
        .iter()
        .map(Problem::facts)
        .collect();
    let expected = [
        ("2:1", "warning: xmf/missing-file"),
        ("3:1", "warning: xmf/missing-file (Tileset): "),
        ("9:1", "warning: xmf/layer-size (Layer 1): 1 2 3"),
        ("9:1", "warning: xmf/undefined-tile (Tileset): 1"),
        ("10:1", "error: ppe-map/truncated (Layer 1): 0x10 1 2 b.map"),
        (
            "11:1",
            "warning: xmf/sheet-place (Tileset): 1 8 99 sheet.png",
        ),
    ];
    for (place, text) in &expected[1..] {
        let is_said = said
            .iter()
            .any(|said| said.starts_with(&format!("{place}: {text}")));
        assert!(is_said, "{place}: {text}\n{said:#?}");
    }
    assert!(
        said.iter()
            .any(|said| said.contains("xmf/shared-cells (Layer 2): 9"))
    );
    assert_eq!(document.layers().unwrap().layers().len(), 3);
    // A map that is opened alone finds the container that names it.
    let map = open(&folder.path().join("b.map"));
    assert_eq!(info(&*map)["xmf"], "made.xmf");
    assert_eq!(flat(&*map).0, [4, 2]);
    // Unless the container is a link that leads elsewhere.
    #[cfg(unix)]
    {
        let outside = tempfile::tempdir().unwrap();
        let [file, other] = [folder.path(), outside.path()].map(|it| it.join("made.xmf"));
        std::fs::rename(&file, &other).unwrap();
        std::os::unix::fs::symlink(other, file).unwrap();
        let map = open(&folder.path().join("b.map"));
        assert_eq!(info(&*map)["xmf"], Value::Null);
    }
}

#[test]
fn a_missing_file_is_one_problem_however_often_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let layer =
        |(i, name)| format!("Layer:Tile \"L\" {i} 16 16 2 2 {{\n File:MapData \"{name}\"\n}}\n");
    let layers = (0..).zip(["a.map", "a.map", "b.map", "a.map"]).map(layer);
    let head = "Metadata {\n Version 1 0\n Resolution 424 240\n}\n".to_owned();
    let text: String = [head].into_iter().chain(layers).collect();
    let document = open(&write_xmf(folder.path(), &text));
    let problems = document.about().problems.iter();
    let missing = problems
        .filter(|problem| problem.rule.id == "xmf/missing-file")
        .map(|it| (it.place.to_string(), it.consequences.len()));
    let expected = [("6:2", 2), ("12:2", 0)].map(|(at, more)| (at.to_owned(), more));
    assert_eq!(missing.collect::<Vec<_>>(), expected);
}

#[test]
fn maps_that_cannot_be_unpacked_show_their_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lzw.map");
    let map = [0x1_0219_u32, 24, 18, 1, 2, 3]
        .map(u32::to_le_bytes)
        .concat();
    std::fs::write(&path, map).unwrap();
    let document = open(&path);
    // The other problem is that no container names it.
    assert_eq!(document.about().problems.len(), 2);
    let info = info(&*document);
    assert_eq!(
        (&info["size"][0], &info["compression"]),
        (&24.into(), &"lzw".into())
    );
    assert_eq!(info["logic_attribute_bits"], 16);
    assert_eq!(info["cells_sha256"], Value::Null);
    assert_eq!(flat(&*document).0, [24 * 16, 18 * 16]);
}
