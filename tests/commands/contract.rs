//! Compares the text of the contract with the program's output: every documented key of a format
//! exists with its documented type, and values match those written. The written files have no two
//! equal values.

use std::collections::BTreeSet;

use mapscope_formats::ika::{self, Parallax, map as ika_map, text_map, vsp};
use mapscope_formats::p3m;
use mapscope_formats::paf::{self, Archive, NewFile, WrittenLayout};
use mapscope_formats::pfobj::{self, Bounds};
use mapscope_formats::pmf::{self, ChunkIndex, Cube, Extension, Packing};
use mapscope_formats::ppe::{MapFlags, map_data, xmf};
use mapscope_formats::ptf::{Layout, Texture};
use mapscope_formats::{pfmap, ppe::Xmf};
use mapscope_testdata::{shared, synthesize, tiny_model, tiny_p3m, tiny_scene};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::folder::Folder;

/// Documented type of a value.
#[derive(Debug, Clone)]
enum Shape {
    Any,
    Bool,
    /// One of some numbers.
    Number(Vec<u64>),
    /// One of some texts.
    Text(Vec<String>),
    Object(Vec<(String, Self)>),
    /// A list of any length.
    List(Box<Self>),
    /// A list with one element for each of these.
    Tuple(Vec<Self>),
}

/// A parser for the contract's notation: `"key": {"key", "key": [x, y]}`.
struct Notation<'a>(&'a str);

impl Notation<'_> {
    fn accept(&mut self, sign: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(sign);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn literal(&mut self) -> Option<String> {
        self.accept("\"").then(|| {
            let (text, rest) = self.0.split_once('"').unwrap();
            self.0 = rest;
            text.to_owned()
        })
    }

    fn members(&mut self) -> Vec<(String, Shape)> {
        let mut members = Vec::new();
        loop {
            if let Some(key) = self.literal() {
                let shape = if self.accept(":") {
                    self.shape()
                } else {
                    Shape::Any
                };
                members.push((key, shape));
            } else {
                // Dots mean further members of the same form.
                assert!(self.accept("..."), "{}", self.0);
            }
            if !self.accept(",") {
                return members;
            }
        }
    }

    fn shape(&mut self) -> Shape {
        if self.accept("{") {
            let members = self.members();
            assert!(self.accept("}"), "{}", self.0);
            return Shape::Object(members);
        }
        if self.accept("[") {
            let mut places = Vec::new();
            while !self.accept("]") {
                places.push(self.shape());
                self.accept(",");
            }
            return match (&*places, places.len()) {
                ([Shape::Number(count)], _) => Shape::Tuple(vec![Shape::Any; count[0] as usize]),
                (_, 1) => Shape::List(Box::new(places.remove(0))),
                _ => Shape::Tuple(places),
            };
        }
        if let Some(first) = self.literal() {
            let mut texts = vec![first];
            while self.accept("|") || self.accept("or ") {
                texts.push(self.literal().unwrap());
            }
            // An upper-case text is a placeholder.
            let is_name = |text: &String| text.chars().all(|c| !c.is_uppercase());
            return if texts.iter().all(is_name) {
                Shape::Text(texts)
            } else {
                Shape::Any
            };
        }
        let end = self.0.find([',', ']', '}']).unwrap_or(self.0.len());
        let word = self.0[..end].trim();
        self.0 = &self.0[end..];
        let numbers: Result<Vec<u64>, _> = word.split('|').map(str::parse).collect();
        match (word, numbers) {
            ("bool", _) => Shape::Bool,
            (_, Ok(numbers)) => Shape::Number(numbers),
            _ => Shape::Any,
        }
    }
}

impl Shape {
    /// Adds the paths of values that do not match.
    fn check(&self, value: &Value, path: &str, wrong: &mut Vec<String>) {
        let is_good = match self {
            Self::Any => true,
            Self::Bool => value.is_boolean(),
            Self::Number(numbers) => value.as_u64().is_some_and(|n| numbers.contains(&n)),
            Self::Text(texts) => value.as_str().is_some_and(|t| texts.iter().any(|o| o == t)),
            Self::Object(members) => {
                for (key, shape) in members {
                    let path = format!("{path}.{key}");
                    match value.get(key) {
                        Some(value) => shape.check(value, &path, wrong),
                        None => wrong.push(path),
                    }
                }
                value.is_object()
            }
            Self::List(shape) => value.as_array().is_some_and(|values| {
                for value in values {
                    shape.check(value, path, wrong);
                }
                true
            }),
            Self::Tuple(shapes) => value.as_array().is_some_and(|values| {
                for (shape, value) in shapes.iter().zip(values) {
                    shape.check(value, path, wrong);
                }
                values.len() == shapes.len()
            }),
        };
        if !is_good {
            wrong.push(format!("{path} is {value}"));
        }
    }
}

/// Documented keys of a format, with the option of `info` that adds them, if any.
struct Rules {
    format: String,
    option: Option<String>,
    members: Vec<(String, Shape)>,
}

/// All rules in the contract's text. The rules for all formats have the name `common`.
fn rules(contract: &str) -> Vec<Rules> {
    let info = contract.split("\n## `info --json`").nth(1).unwrap();
    let info = info.split("\n## ").next().unwrap();
    let mut rules = Vec::new();
    let mut lines = String::new();
    let mut paragraphs = Vec::new();
    for line in info.lines().skip(1) {
        let begins = line.is_empty() || line.starts_with("**") || line.starts_with("Common");
        if begins && !lines.is_empty() {
            paragraphs.push(std::mem::take(&mut lines));
        }
        lines += line;
        lines.push(' ');
    }
    paragraphs.push(lines);
    for paragraph in paragraphs {
        let (names, text) = match paragraph.strip_prefix("**") {
            Some(rest) => rest.split_once("**").unwrap(),
            None if paragraph.starts_with("Common") => ("common", &*paragraph),
            None => continue,
        };
        // The parentheses after `2D maps` list the formats.
        let names = match text.trim_start().strip_prefix('(') {
            Some(list) => list.split_once(')').unwrap().0,
            None => names,
        };
        let mut option = None;
        let mut rest = text.split('`').skip(1);
        let mut spans = Vec::new();
        while let Some(span) = rest.next() {
            spans.push((span, rest.next().unwrap_or_default()));
        }
        for (span, after) in spans {
            if span.starts_with("--") {
                option = span.split(' ').next().map(str::to_owned);
            }
            // The common keys are a single object; other spans describe files that cannot be read.
            let notation = match names {
                "common" => span.strip_prefix('{').unwrap_or_default(),
                _ => span,
            };
            if !notation.starts_with('"') {
                continue;
            }
            let members = Notation(notation).members();
            let is_old = after.trim_start().starts_with("(old format)");
            for name in names
                .split(", ")
                .filter(|name| !is_old || *name == "ika-map")
            {
                rules.push(Rules {
                    format: name.to_owned(),
                    option: option.clone(),
                    members: members.clone(),
                });
            }
        }
    }
    rules
}

/// A written file, its `info` options, and the expected output.
pub(super) struct WrittenFile {
    pub(super) name: &'static str,
    bytes: Vec<u8>,
    pub(super) options: Vec<String>,
    expected: Value,
}

fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

fn tile_of(text: &str) -> pfmap::Tile {
    let text: &[u8; pfmap::TILE_CHARS] = text.as_bytes().try_into().unwrap();
    pfmap::Tile::parse(text).unwrap()
}

fn written_pfmap() -> WrittenFile {
    let mut map = pfmap::read(&synthesize::pfmap(3, 2, 1)).unwrap();
    let flat = tile_of("0+0300000000100001111000");
    map.tiles = vec![flat; map.tiles.len()];
    let raw = "1+0203001002100022101000";
    map.tiles[70 * 64 + 40] = tile_of(raw);
    for (i, material) in map.materials.iter_mut().enumerate() {
        material.name = format!("material{i}");
        material.texture = format!("texture{i}.png");
    }
    map.splats = vec![pfmap::Splat { base: 1, accent: 2 }];
    let materials = map.materials.iter();
    let materials: Vec<Value> = materials
        .map(|m| json!({"name": m.name, "texture": m.texture, "found": false}))
        .collect();
    WrittenFile {
        name: "a.pfmap",
        bytes: pfmap::write(&map),
        options: [
            "--tile", "70,40", "--height", "1.5,-2.5", "--height", "-9e9,4",
        ]
        .map(str::to_owned)
        .to_vec(),
        expected: json!({
            "chunks": {"rows": 3, "cols": 2},
            "tiles": {"count": 3 * 2 * 1024, "by_type": {"flat": 3 * 2 * 1024 - 1, "ramp_sn": 1}},
            "materials": materials,
            "splats": [[1, 2]],
            "tile": {
                "row": 70, "col": 40, "chunk": [2, 1], "raw": raw, "type": "ramp_sn",
                "base_height": 2, "ramp_height": 3, "top_material": 1, "side_material": 2,
                "pathable": true, "blend": [2, 1, 0, 1], "blend_normals": false, "bump": true,
                "cover": 2, "corners": {"nw": 20.0, "ne": 20.0, "sw": 8.0, "se": 8.0},
            },
            "heights": [{"x": 1.5, "z": -2.5, "y": 12.0}, {"z": 4.0, "y": null}],
        }),
    }
}

/// A different tile, so that corners, sides and flags differ between the two files.
fn written_pfmap_of_another_tile() -> WrittenFile {
    let mut map = pfmap::read(&synthesize::pfmap(1, 2, 1)).unwrap();
    let raw = "4-0502000001011010211000";
    map.tiles[3 * 64 + 33] = tile_of(raw);
    WrittenFile {
        name: "b.pfmap",
        bytes: pfmap::write(&map),
        options: ["--tile", "3,33"].map(str::to_owned).to_vec(),
        expected: json!({"tile": {
            "row": 3, "col": 33, "chunk": [0, 1], "raw": raw, "type": "ramp_we",
            "base_height": -5, "ramp_height": 2, "top_material": 0, "side_material": 1,
            "pathable": false, "blend": [0, 2, 1, 1], "blend_normals": true, "bump": true,
            "cover": 1, "corners": {"nw": -20.0, "ne": -12.0, "sw": -20.0, "se": -12.0},
        }}),
    }
}

fn written_pfobj() -> WrittenFile {
    let model = tiny_model();
    let Bounds { min, max } = model.bounds.unwrap();
    WrittenFile {
        name: "a.pfobj",
        bytes: pfobj::write(&model),
        options: Vec::new(),
        expected: json!({
            "vertices": 6, "triangles": 2,
            "joints": [
                {"name": "root", "parent": null}, {"name": "arm", "parent": 0},
                {"name": "hand", "parent": 1},
            ],
            "materials": [
                {"name": "skin0", "texture": "picture0.png", "found": false},
                {"name": "skin1", "texture": "picture1.png", "found": false},
            ],
            "clips": [
                {"name": "walk", "frames": 3, "bounds_error": 0.5},
                {"name": "idle", "frames": 2, "bounds_error": 0.0},
            ],
            "bounds": {"min": min, "max": max},
            "reversed_triangles": [0, 1], "bent_triangles": [], "unweighted_vertices": [],
        }),
    }
}

/// A scene on the map of [`written_pfmap`], which has the same name.
fn written_pfscene() -> WrittenFile {
    WrittenFile {
        name: "a.pfscene",
        bytes: tiny_scene::SCENE.into(),
        options: Vec::new(),
        expected: json!({
            "map": "a.pfmap",
            "entities": [
                {"name": "guard", "model": "assets/models/guard.pfobj", "found": false,
                 "position": [1.0, 2.0, 3.0], "scale": [4.0, 5.0, 6.0],
                 "rotation": [0.0, 0.6, 0.0, 0.8], "faction": 1, "ground": 12.0},
                {"name": "rock", "model": "assets/models/rock.pfobj", "found": false,
                 "position": [9.0, 10.0, 11.0], "scale": [1.0, 1.0, 1.0],
                 "rotation": [0.0, 0.0, 0.0, 1.0], "faction": null, "ground": 12.0},
            ],
            "factions": ["Villagers", "The Others"],
            "regions": ["meadow", "gate"],
            "cameras": ["above"],
            "general": {
                "skybox": {"folder": "assets/skyboxes/evening sky", "extension": "jpg", "found": false},
                "ambient_light_color": [10, 20, 30, 40], "emit_light_color": [50, 60, 70, 80],
                "emit_light_pos": [1.5, 2.5, -3.5],
            },
        }),
    }
}

fn written_pmf() -> WrittenFile {
    let mut map = synthesize::pmf([1, 2, 3], 1, 4);
    map.header = pmf::Header {
        created_unix_secs: 1_234_567_890,
        name: "A name".to_owned(),
        description: "What it is".to_owned(),
        authors: "Ann, Bob".to_owned(),
        compiler: "By hand".to_owned(),
        gamemodes: vec!["race".to_owned(), "hunt".to_owned()],
    };
    let file = |path, bytes| NewFile {
        path,
        bytes,
        compress: false,
    };
    let files = [file("notes/a.txt", &b"one"[..]), file("b.txt", b"four")];
    map.archive = Some(Archive::build(&files).unwrap());
    map.extensions.push(Extension {
        flags: Extension::SUPPORT_REQUIRED,
        name: "other".to_owned(),
        data: vec![7; 5],
        ..Extension::default()
    });
    let level = &mut map.levels[0];
    level.center = ChunkIndex::new([0, 1, 2]);
    let client = level.chunks[0].data.as_mut().unwrap().client.as_mut();
    client.unwrap().normals.push([0.0, 1.0, 0.0]);
    let mut cube = None;
    let chunks = level.chunks.iter().map(|chunk| {
        let data = chunk.data.as_ref().unwrap();
        let mut triangles = 0;
        let mut by_type = serde_json::Map::new();
        for (index, one) in data.cubes.iter() {
            let name = data.cubes.kind(index).unwrap().name();
            let count = by_type.get(name).and_then(Value::as_u64).unwrap_or(0);
            by_type.insert(name.to_owned(), (count + 1).into());
            if let Cube::Geometry(geometry) = one {
                triangles += geometry
                    .triangles
                    .iter()
                    .map(|t| u64::from(*t))
                    .sum::<u64>();
                if chunk.index == ChunkIndex::new([0, 1, 0]) {
                    cube.get_or_insert((index, geometry.triangles));
                }
            }
        }
        let client = data.client.as_ref().unwrap();
        let lightmaps = client.lightmaps.iter();
        json!({
            "index": chunk.index.yxz(), "cubes": data.cubes.len(), "by_type": by_type,
            "triangles": triangles, "vertices": client.vertices.len(),
            "normals": client.normals.len(),
            "lightmaps": lightmaps
                .map(|map| json!({"side": map.side(), "crc32": crc32fast::hash(&map.luxels)}))
                .collect::<Vec<_>>(),
            "entities": data.server.as_ref().unwrap().entities.len(), "readable": true,
        })
    });
    let chunks: Vec<Value> = chunks.collect();
    let (cube, triangles) = cube.unwrap();
    let (map_entities, level_entities) = (
        map.entities.len(),
        map.levels[0].server.as_ref().unwrap().entities.len(),
    );
    WrittenFile {
        name: "a.pmf",
        bytes: pmf::write(&map, Packing::Compressed).unwrap(),
        options: vec!["--cube".to_owned(), format!("0,0,1,0,{cube}")],
        expected: json!({
            "header": {
                "name": "A name", "description": "What it is", "authors": "Ann, Bob",
                "compiler": "By hand", "time": 1_234_567_890, "gamemodes": ["race", "hunt"],
            },
            "archive": ["b.txt", "notes/a.txt"],
            "extensions": [
                {"name": Extension::KNOWN, "required": false, "crc": true, "bytes": 3},
                {"name": "other", "required": true, "crc": false, "bytes": 5},
            ],
            "entities": map_entities,
            "levels": [{
                "materials": ["stone", "grass", "water"], "grid": [1, 2, 3], "chunk_size": 16.0,
                "center": [0, 1, 2], "entities": level_entities, "chunks": chunks,
            }],
            "cube": {"type": "geometry", "triangles": triangles},
        }),
    }
}

fn written_paf() -> WrittenFile {
    let file = |path, bytes| NewFile {
        path,
        bytes,
        compress: false,
    };
    let files = [file("b.txt", &b"four"[..]), file("a/notes.txt", b"one")];
    let mut bytes = paf::write(&files, WrittenLayout::P3).unwrap();
    // Another name for the last entry of the root, which becomes a link to that name.
    let text = bytes.len() as u32;
    let entry = bytes.len() - 13;
    let name = u32::from_le_bytes(bytes[entry + 1..entry + 5].try_into().unwrap());
    bytes.extend([3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(b"a/.");
    bytes[entry] = 2;
    bytes[entry + 9..entry + 13].copy_from_slice(&text.to_le_bytes());
    assert_eq!(&bytes[name as usize + 12..][..5], b"b.txt");
    WrittenFile {
        name: "a.paf",
        bytes,
        options: Vec::new(),
        expected: json!({
            "layout": 3,
            "entries": [
                {"path": "a", "kind": "folder", "size": null, "sha256": null, "target": null},
                {
                    "path": "a/notes.txt", "kind": "file", "size": 3, "sha256": sha256(b"one"),
                    "target": null,
                },
                {"path": "b.txt", "kind": "link", "size": null, "sha256": null, "target": "a/."},
            ],
        }),
    }
}

const PARALLAX: Parallax = Parallax {
    mul: [3, 5],
    div: [2, 7],
};

fn words(numbers: &[u32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    sha256(&bytes)
}

fn written_ika_map() -> WrittenFile {
    let mut map = synthesize::ika_map([10, 8], 2, 1);
    map.wraps = true;
    map.layers[1].parallax = PARALLAX;
    WrittenFile {
        name: "a.map",
        expected: json!({
            "size": [10, 8], "tileset": synthesize::IKA_TILESET,
            "layers": [
                {"label": "Layer 0", "size": [10, 8], "parallax": [1, 1, 1, 1],
                 "tiles_sha256": words(&map.layers[0].tiles)},
                {"label": "Layer 1", "size": [10, 8], "parallax": [3, 2, 5, 7],
                 "tiles_sha256": words(&map.layers[1].tiles)},
            ],
            "zones": ["No zone", "Café", "South-east"],
            "entities": (0..8).map(|i| format!("Entity {i}")).collect::<Vec<_>>(),
            "render_string": "12ER", "round": true,
            "tile": {"x": 3, "y": 2, "layers": [
                {"layer": 0, "x": 3, "y": 2, "tile": map.layers[0].tiles[2 * 10 + 3]},
                {"layer": 1, "x": 3, "y": 2, "tile": map.layers[1].tiles[2 * 10 + 3]},
            ]},
        }),
        bytes: ika_map::write(&map).unwrap(),
        options: ["--tile", "3,2"].map(str::to_owned).to_vec(),
    }
}

fn written_ika_text() -> WrittenFile {
    let mut map = synthesize::ika_text_map([12, 9], 2, 1);
    map.size = [400, 300];
    map.layers[1].parallax = PARALLAX;
    // Ten tiles wide from the fourth column, so it ends one tile beyond the other layer.
    map.layers[1].position = [48, 8];
    WrittenFile {
        name: "a.ika-map",
        expected: json!({
            // In tiles, as far as layers extend.
            "size": [13, 9], "tileset": synthesize::IKA_TILESET,
            "layers": [
                {"label": "Layer 0", "size": [12, 9], "parallax": [1, 1, 1, 1],
                 "tiles_sha256": words(&map.layers[0].tiles)},
                {"label": "Layer 1", "size": [10, 7], "parallax": [3, 2, 5, 7],
                 "tiles_sha256": words(&map.layers[1].tiles)},
            ],
            "zones": ["Café"],
            "entities": map.layers.iter().flat_map(|l| &l.entities).map(|e| &e.label)
                .collect::<Vec<_>>(),
            // The upper layer is offset by three tiles to the right and half a tile down.
            "tile": {"x": 5, "y": 3, "layers": [
                {"layer": 0, "x": 5, "y": 3, "tile": map.layers[0].tiles[3 * 12 + 5]},
                {"layer": 1, "x": 2},
            ]},
        }),
        bytes: text_map::write(&map).unwrap(),
        options: ["--tile", "5,3"].map(str::to_owned).to_vec(),
    }
}

fn written_vsp() -> WrittenFile {
    let tileset = ika::Vsp {
        tile_size: [3, 2],
        count: 16,
        pixels: vsp::Pixels::Rgba((0..=255).chain(0..128).collect()),
        ..synthesize::ika_tileset(1)
    };
    WrittenFile {
        name: "a.vsp",
        expected: json!({
            "tile_size": [3, 2], "tiles": 16, "bytes_per_pixel": 4, "strands": 4,
            "rgba_sha256": sha256(&tileset.rgba()),
        }),
        bytes: vsp::write(&tileset).unwrap(),
        options: Vec::new(),
    }
}

fn written_p3m() -> WrittenFile {
    let model = tiny_p3m(p3m::Layout::A).unwrap();
    let all = || model.parts.iter().flat_map(|part| &part.positions);
    let bound = |of: fn(f32, f32) -> f32| {
        [0, 1, 2].map(|axis| all().map(|place| place[axis]).reduce(of).unwrap())
    };
    WrittenFile {
        name: "a.p3m",
        bytes: p3m::write(&model).unwrap(),
        options: Vec::new(),
        expected: json!({
            "layout": "a", "vertices": 7, "triangles": 3,
            "parts": [
                {"name": "body", "material": 1, "vertices": 4, "triangles": 2, "visible": true},
                {"name": "helmet", "material": 0, "vertices": 3, "triangles": 1, "visible": false},
            ],
            "joints": [
                {"name": "root", "parent": null}, {"name": "arm", "parent": 0},
                {"name": "hand", "parent": 1},
            ],
            "materials": [
                {"mode": "normal", "color": [10, 11, 12, 13], "texture": null, "found": false,
                 "texture_index": 0, "emission": [14, 15, 16], "shading": 17},
                {"mode": "add", "color": [110, 111, 112, 113], "texture": null, "found": false,
                 "texture_index": 2, "emission": [114, 115, 116], "shading": 117},
            ],
            "textures": [
                {"index": 0, "path": null, "bytes": 6, "found": false},
                {"index": 1, "path": "textures/skin", "bytes": null, "found": false},
                {"index": 2, "path": null, "bytes": 8, "found": false},
            ],
            "clips": [
                {"name": "walk", "frames": 12, "duration_us": 488_888.0},
                {"name": "run", "frames": 2, "duration_us": 22_222.0},
            ],
            "bounds": {"min": bound(f32::min), "max": bound(f32::max)},
        }),
    }
}

fn written_ptf() -> WrittenFile {
    let grey: Vec<u8> = (0..64).map(|i| i * 4).collect();
    let pixels = grey.chunks_exact(2);
    let rgba: Vec<u8> = pixels.flat_map(|it| [it[0], it[0], it[0], it[1]]).collect();
    WrittenFile {
        name: "a.ptf",
        expected: json!({
            "layout": 3, "size": [8, 4], "channels": 2, "rgba_sha256": sha256(&rgba),
        }),
        bytes: Texture::new(Layout::V3, [8, 4], 2, grey).write().unwrap(),
        options: Vec::new(),
    }
}

fn written_ppe_map() -> WrittenFile {
    // New layout, graphics attributes, 16-bit logic attributes, and user bits.
    let flags = 0x2A01_0000 | 0x19;
    let map = synthesize::ppe_map([7, 5], MapFlags(flags), 3);
    WrittenFile {
        name: "b.map",
        expected: json!({
            "size": [7, 5], "flags": flags, "layout": "new", "compression": "none",
            "empty": map.empty_cells(), "cells_sha256": words(&map.cells),
            "graphics_attributes": true, "logic_attribute_bits": 16,
        }),
        bytes: map_data::write(&map).unwrap(),
        options: ["--tile", "3,2"].map(str::to_owned).to_vec(),
    }
}

fn written_xmf() -> WrittenFile {
    let layer = xmf::XmfLayer {
        name: "ground".to_owned(),
        priority: 4,
        tile_size: [16, 8],
        size: [7, 5],
        map: Some(xmf::MapSource::File {
            path: "%PATH%/b.map".to_owned(),
            at: Default::default(),
        }),
        ..Default::default()
    };
    let sprites = xmf::XmfLayer {
        name: "things".to_owned(),
        kind: xmf::LayerKind::Sprite,
        priority: 9,
        ..Default::default()
    };
    let map = Xmf {
        layers: vec![layer, sprites],
        ..Xmf::default()
    };
    WrittenFile {
        name: "a.xmf",
        expected: json!({"layers": [
            {"name": "ground", "kind": "Tile", "tile_size": [16, 8], "size": [7, 5], "map": "b.map"},
            {"name": "things", "kind": "Sprite", "tile_size": [0, 0], "size": [0, 0], "map": null},
        ]}),
        bytes: xmf::write(&map),
        options: Vec::new(),
    }
}

/// Asserts that all expected values exist; additional keys are allowed.
#[track_caller]
fn compare(found: &Value, expected: &Value, path: &str) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, expected) in expected {
                let found = found.get(key).unwrap_or(&Value::Null);
                compare(found, expected, &format!("{path}.{key}"));
            }
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            for (found, expected) in found.iter().zip(expected) {
                compare(found, expected, path);
            }
        }
        (Value::Number(found), Value::Number(expected)) => {
            assert_eq!(found.as_f64(), expected.as_f64(), "{path}");
        }
        _ => assert_eq!(found, expected, "{path}"),
    }
}

/// Writes a file of each format into a folder.
pub(super) fn written_files(folder: &Folder) -> Vec<WrittenFile> {
    let files = vec![
        written_pfmap(),
        written_pfmap_of_another_tile(),
        written_pfobj(),
        written_pfscene(),
        written_pmf(),
        written_paf(),
        written_ika_map(),
        written_ika_text(),
        written_vsp(),
        written_p3m(),
        written_ptf(),
        written_ppe_map(),
        written_xmf(),
    ];
    for written in &files {
        folder.write(written.name, &written.bytes);
    }
    files
}

/// The output of `info` for a file; `None` for status 2.
pub(super) fn info(folder: &Folder, written: &WrittenFile, options: &[String]) -> Option<Value> {
    let args = ["info", written.name, "--json"];
    let options = options.iter().map(String::as_str);
    let outcome = folder.run_args(args.into_iter().chain(options));
    assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
    (outcome.status != Some(2)).then(|| outcome.json())
}

/// Formats of the contract that are not supported yet.
const PLANNED: [&str; 0] = [];

#[test]
fn info_is_as_the_contract_says() {
    let folder = Folder::new();
    let files = written_files(&folder);
    let contract = shared("contract.md").map(|path| std::fs::read_to_string(path).unwrap());
    let rules = contract.as_deref().map(rules).unwrap_or_default();
    let mut missing = BTreeSet::new();
    let mut checked = BTreeSet::new();
    for written in &files {
        let name = written.name;
        let Some(base) = info(&folder, written, &[]) else {
            panic!("{name}: info does not work");
        };
        let asked = info(&folder, written, &written.options);
        compare(asked.as_ref().unwrap_or(&base), &written.expected, name);
        let format = base["format"].as_str().unwrap();
        for rule in &rules {
            if rule.format != "common" && rule.format != format {
                continue;
            }
            let of = &rule.format;
            checked.insert(of.clone());
            let value = match &rule.option {
                None => Some(&base),
                Some(option) if written.options.contains(option) => asked.as_ref(),
                Some(_) => continue,
            };
            let Some(value) = value else {
                missing.extend(rule.members.iter().map(|(key, _)| format!("{of} {key}")));
                continue;
            };
            let mut wrong = Vec::new();
            Shape::Object(rule.members.clone()).check(value, "", &mut wrong);
            missing.extend(wrong.iter().map(|path| format!("{of} {}", &path[1..])));
        }
    }
    assert_eq!(missing, BTreeSet::new());
    let Some(contract) = contract else {
        return;
    };
    // Every format of the contract is checked.
    let known: BTreeSet<&str> = mapscope_scene::formats().map(|format| format.id).collect();
    let formats = contract.split("`format` is one of `").nth(1).unwrap();
    let formats = formats.split('`').next().unwrap().split(' ');
    for format in formats.filter(|format| !PLANNED.contains(format)) {
        let is_checked = known.contains(format) && checked.contains(format);
        assert!(is_checked, "{format}");
    }
    assert!(checked.contains("common"));
    let block = contract.split("```").nth(1).unwrap();
    let lines = block
        .lines()
        .filter_map(|line| line.strip_prefix("mapscope "));
    let commands = lines.filter_map(|line| line.split(' ').next());
    let commands: BTreeSet<&str> = commands.filter(|name| !name.starts_with('[')).collect();
    assert!(commands.len() > 4, "{commands:?}");
    for command in commands {
        let is_there = folder
            .run_args([command, "--help"])
            .stdout
            .contains(&format!(" {command} "));
        assert!(is_there, "{command}");
    }
}
