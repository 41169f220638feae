//! Maps of `PixelPerfectEngine` as they were made and as others read them.

#![cfg(test)]

#[path = "support/shared.rs"]
mod shared;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mapscope::formats::ppe::xmf::{self, LayerKind, MapSource, PaletteSource, Shape, TileOrder};
use mapscope::formats::ppe::{Cell, Compression, MAP_FORMAT, MapData, XMF_FORMAT, map_data, sheet};
use mapscope::formats::{Problem, Severity};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use shared::shared;

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// All files of a folder that have a side-car and whose name begins so, with the side-cars.
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
    assert_eq!(map.layout().name(), truth["layout"]);
    let compression = truth.get("compression").and_then(Value::as_str);
    assert_eq!(map.compression().name(), compression.unwrap_or("none"));
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
        let numbers = |corner: mapscope::formats::ppe::Corner| {
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
        if map.compression() == Compression::None {
            assert!(again == bytes, "{}", path.display());
        }
        // In every other compression the map is the same.
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
            Err(error) => vec![error.problem()],
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
        comes_back(&bytes);
    }
}

/// A container that is written and read again is the same.
fn comes_back(bytes: &[u8]) {
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
            sources
                .map(|source| source.tiles.clone())
                .collect::<Vec<_>>()
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
    ];
    let expected = expected.into_iter().chain([(Cell::NO_TILE, 564)]);
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
    comes_back(&bytes);
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
        let Some(sheet) = sheet::read(&bytes).unwrap() else {
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
