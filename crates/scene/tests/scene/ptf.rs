//! Textures of `PlatinumSrc`: samples with their side-cars, and the picture as a document.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use glam::vec3;
use mapscope_formats::ptf::{Layout, Texture};
use mapscope_scene::tilemap::TileMap;
use mapscope_scene::{
    Direction, Document, InfoQuery, Item, OpenError, OpenOptions, Playhead, Progress, Ray, Shown,
    Source, TileMapItem, find_matches,
};
use mapscope_testdata::{shared, synthesize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn opened(bytes: Vec<u8>) -> Result<Arc<dyn Document>, OpenError> {
    let source = Source {
        path: "made.ptf".into(),
        bytes: bytes.into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
}

fn open(texture: &Texture) -> Arc<dyn Document> {
    opened(texture.write().unwrap()).unwrap()
}

/// The samples in a folder, with their side-cars.
fn samples(folder: &Path) -> Vec<(String, Vec<u8>, Value)> {
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "ptf"));
    files
        .map(|path| {
            let truth = fs::read(path.with_extension("json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let truth = serde_json::from_slice(&truth).unwrap();
            (name, fs::read(path).unwrap(), truth)
        })
        .collect()
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn samples_are_as_their_side_cars_say() {
    let Some(folder) = shared("samples/platinumsrc") else {
        return;
    };
    let samples = samples(&folder);
    assert!(samples.len() >= 11);
    for (name, bytes, truth) in samples {
        let texture = Texture::read(&bytes).unwrap();
        assert_eq!(texture.problems, [], "{name}");
        assert_eq!(json!(format!("v{}", texture.layout)), truth["layout"]);
        assert_eq!(json!(sha256(&texture.pixels)), truth["pixels_sha256"]);
        let channels = usize::from(texture.channels);
        for probe in truth["probes"].as_array().unwrap() {
            let [x, y] = ["x", "row_from_top"].map(|key| probe[key].as_u64().unwrap() as usize);
            let at = (y * texture.width as usize + x) * channels;
            let pixel = &texture.pixels[at..at + channels];
            assert_eq!(json!(pixel), probe["value"], "{name}");
        }
        let info = opened(bytes).unwrap().info(&InfoQuery::default());
        assert_eq!(json!(format!("v{}", info["layout"])), truth["layout"]);
        assert_eq!(info["size"], json!([truth["width"], truth["height"]]));
        assert_eq!(info["channels"], truth["channels"], "{name}");
        assert_eq!(info["rgba_sha256"], truth["rgba_sha256"], "{name}");
    }
}

#[test]
fn whatever_is_whole_of_broken_samples_is_shown() {
    let Some(folder) = shared("samples/platinumsrc/broken") else {
        return;
    };
    let samples = samples(&folder);
    assert!(samples.len() >= 5);
    for (name, bytes, truth) in samples {
        let at = format!("{:#x}", truth["wrong"][0]["at"].as_u64().unwrap());
        let document = match opened(bytes.clone()) {
            Ok(document) => document,
            Err(OpenError::Refused { problem, .. }) => {
                assert_eq!(truth["expect"], "reject", "{name}");
                assert_eq!(problem.place.to_string(), at, "{name}");
                continue;
            }
            Err(error) => panic!("{name}: {error}"),
        };
        assert_eq!(truth["expect"], "partial", "{name}");
        let [problem] = &document.about().problems[..] else {
            panic!("{name}: {:?}", document.about().problems);
        };
        assert_eq!(problem.place.to_string(), at, "{name}");
        let texture = Texture::read(&bytes).unwrap();
        let whole = &truth["whole"];
        assert_eq!(json!(texture.width), whole["width"], "{name}");
        assert_eq!(json!(texture.height), whole["height"], "{name}");
        assert_eq!(json!(texture.channels), whole["channels"], "{name}");
        let (decoded, missing) = texture
            .pixels
            .split_at(whole["bytes"].as_u64().unwrap() as usize);
        assert!(missing.iter().all(|byte| *byte == 0), "{name}");
        if let Some(hash) = whole["pixels_sha256"].as_str() {
            assert_eq!(sha256(decoded), hash, "{name}");
        }
    }
}

#[test]
fn a_picture_has_pixels_and_no_layers() {
    let texture = synthesize::ptf(Layout::V3, [16, 8], 4);
    let rgba = texture.clone().into_rgba();
    let document = open(&texture);
    let outline = document.outline();
    assert_eq!(outline.len(), 1);
    assert_eq!(
        (&*outline[0].label, &*outline[0].note),
        ("Picture", "16 x 8 pixels")
    );
    let layers = document.layers().unwrap();
    assert_eq!(layers.flat_size(), [16, 8]);
    assert!(layers.layers().is_empty() && layers.tilesets().is_empty());
    // A point of the view is a pixel, from which arrow keys lead to the next.
    let shown = Shown {
        flat: true,
        ..Shown::default()
    };
    let ray = Ray {
        origin: vec3(5.5, 100.0, 3.5),
        direction: -glam::Vec3::Y,
    };
    let item: Item = TileMapItem::Pixel { x: 5, y: 3 }.into();
    assert_eq!(document.pick(ray, &shown).unwrap().item, item);
    let beside = |direction| document.walk().unwrap().neighbor(item, direction).item;
    assert_eq!(
        beside(Direction::South),
        Some(TileMapItem::Pixel { x: 5, y: 4 }.into())
    );
    let edge = TileMapItem::Pixel { x: 15, y: 0 }.into();
    let walk = document.walk().unwrap();
    assert_eq!(walk.neighbor(edge, Direction::East).item, None);
    let at = (3 * 16 + 5) * 4;
    let pixel = &document.details(item, Playhead::default())["pixel"];
    for (channel, name) in ["red", "green", "blue", "alpha"].iter().enumerate() {
        assert_eq!(pixel[name], json!(rgba[at + channel]));
    }
    let found = find_matches(&*document, "pixel where alpha = 0", Playhead::default(), 5).unwrap();
    let transparent = rgba.chunks(4).filter(|pixel| pixel[3] == 0).count();
    assert_eq!(found.count, transparent as u64);
    // The picture is the texture of the file.
    let textures = document.textures().unwrap();
    let [listed] = &textures.list()[..] else {
        panic!("one texture");
    };
    assert_eq!(textures.image(listed.item).unwrap().levels[0], rgba);
}

#[test]
fn large_pictures_are_shown_smaller_with_the_hash_of_all_pixels() {
    // 2^26 pixels, of which 2^24 are shown.
    let texture = Texture::new(Layout::V3, [1 << 13; 2], 1, vec![9; 1 << 26]);
    let document = open(&texture);
    let map = document.content::<TileMap>().unwrap();
    assert_eq!(map.tilesets[0].tile_size, [1 << 12; 2]);
    let info = document.info(&InfoQuery::default());
    assert_eq!(info["size"], json!([8192, 8192]));
    let mut hasher = Sha256::new();
    (0..1 << 13).for_each(|_| hasher.update([9, 9, 9, 255].repeat(1 << 13)));
    let hash: String = hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(info["rgba_sha256"], hash);
}
