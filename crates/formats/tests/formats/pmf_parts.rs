//! The parts of PMF samples that are files or lists of their own: archives, textures, entities.

use std::path::PathBuf;

use mapscope_formats::paf::{Archive, Content};
use mapscope_formats::pmf::{
    self, Entities, EntityKind, EntityList, Pmf, StringTable, StringTableBuilder,
};
use mapscope_formats::ptf::Texture;
use mapscope_testdata::shared;
use serde_json::Value;

/// The readable samples: name, bytes and sidecar data.
fn samples() -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = shared("samples/pmf") else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "pmf"))
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    let load = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let truth = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, bytes, serde_json::from_str(&truth).unwrap())
    };
    files.into_iter().map(load).collect()
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    list.iter().map(text).collect()
}

fn file(archive: &Archive, path: &str) -> Vec<u8> {
    let index = archive.find(path).unwrap_or_else(|| panic!("{path}"));
    archive.file(index).unwrap().unwrap().to_vec()
}

#[test]
fn archives_hold_the_files_that_are_said_to_be_in_them() {
    let mut textures = 0;
    for (name, bytes, truth) in samples() {
        let map = pmf::read(&bytes).unwrap();
        assert_eq!(map.problems, [], "{name}");
        let Some(archive) = map.archive else {
            assert_eq!(truth["paf_size"], 0, "{name}");
            continue;
        };
        assert_eq!(truth["paf_size"], archive.bytes().len(), "{name}");
        let mut expected = texts(&truth["paf_files"]);
        expected.sort_unstable();
        assert_eq!(archive.file_paths(), expected, "{name}");
        for path in archive.file_paths() {
            let bytes = file(&archive, &path);
            if let Some(resource) = path.strip_suffix(".ptf") {
                let texture = Texture::read(&bytes).unwrap();
                assert_eq!(texture.unknown_flags, 0);
                assert_eq!((texture.width, texture.height), (64, 64), "{path}");
                let written = texture.write().unwrap();
                assert_eq!(Texture::read(&written).unwrap(), texture);
                let index = archive.find(&path);
                assert_eq!(archive.find_texture(resource), index);
                assert_eq!(archive.find_texture(&format!("map:/{resource}")), index);
                textures += 1;
            }
        }
        for level in truth["levels"].as_array().unwrap() {
            for path in texts(&level["textures"]) {
                assert!(path.is_empty() || archive.find_texture(&path).is_some());
            }
        }
        rewrite(&archive);
    }
    assert!(textures >= 8 || shared("samples/pmf").is_none());
}

/// Writes the files of an archive into another, and reads them from there.
fn rewrite(archive: &Archive) {
    let paths = archive.file_paths();
    let files: Vec<_> = paths.iter().map(|path| file(archive, path)).collect();
    let is_compressed = |path: &String| {
        let entry = &archive.entries()[archive.find(path).unwrap()];
        matches!(&entry.content, Content::File(file) if file.is_compressed)
    };
    let new: Vec<_> = paths
        .iter()
        .zip(&files)
        .map(|(path, bytes)| mapscope_formats::paf::NewFile {
            path,
            bytes,
            compress: is_compressed(path),
        })
        .collect();
    let again = Archive::build(&new).unwrap();
    assert_eq!(again.file_paths(), paths);
    for (path, bytes) in paths.iter().zip(&files) {
        assert_eq!(&file(&again, path), bytes, "{path}");
    }
}

/// All entity lists of a map, with their sidecar data and their origins.
fn entity_lists<'a>(
    map: &'a Pmf,
    truth: &'a Value,
) -> Vec<(&'a Entities, &'a StringTable, &'a Value, [f32; 3])> {
    let mut lists = vec![(&map.entities, &map.strings, &truth["entities"], [0.0; 3])];
    for (i, level) in map.levels.iter().enumerate() {
        let truth = &truth["levels"][i];
        if let Some(server) = &level.server {
            let strings = &server.strings;
            lists.push((&server.entities, strings, &truth["entities"], [0.0; 3]));
        }
        for (j, chunk) in level.chunks.iter().enumerate() {
            let center = level.chunk_center(chunk.index);
            let truth = &truth["chunks"][j]["entities"];
            if let Some(server) = chunk.data.as_ref().and_then(|data| data.server.as_ref()) {
                lists.push((&server.entities, &server.strings, truth, center));
            }
        }
    }
    lists
}

#[test]
fn entities_are_as_they_are_said_to_be() {
    let mut seen = 0;
    for (name, bytes, truth) in samples() {
        let map = pmf::read(&bytes).unwrap();
        for (entities, strings, truth, center) in entity_lists(&map, &truth) {
            let truth = truth.as_array().unwrap();
            assert_eq!(entities.len(), truth.len(), "{name}");
            assert!(entities.opaque().is_none());
            for (entity, truth) in entities.iter(strings).zip(truth) {
                assert_eq!(truth["type"], entity.kind().name());
                assert_eq!(truth["name"], entity.name().as_ref());
                assert_eq!(truth["gamemodes"], entity.gamemodes());
                let world = truth.get("world").and_then(Value::as_array);
                assert_eq!(world.is_some(), entity.position().is_some());
                for (axis, expected) in world.into_iter().flatten().enumerate() {
                    let found = entity.position().unwrap()[axis] + center[axis];
                    let off = f64::from(found) - expected.as_f64().unwrap();
                    assert!(off.abs() < 0.001, "{truth}: {found}");
                }
                if entity.kind() == EntityKind::Text {
                    let text = entity.value("text").unwrap();
                    assert_eq!(truth["text"], text.text().unwrap());
                }
                for field in entity.head().chain(entity.fields()) {
                    let shown = field.field.describe(&field.value);
                    assert!(!shown.contains("outside"), "{}: {shown}", field.field.name);
                }
                seen += 1;
            }
        }
    }
    assert!(seen >= 24 || shared("samples/pmf").is_none());
}

#[test]
fn entities_can_be_described_and_written_again() {
    for (name, bytes, truth) in samples() {
        let map = pmf::read(&bytes).unwrap();
        for (entities, strings, ..) in entity_lists(&map, &truth) {
            let list = EntityList::of(entities, strings).unwrap();
            let mut builder = StringTableBuilder::default();
            let again = list.build(&mut builder).unwrap();
            let strings = builder.finish();
            assert_eq!(EntityList::of(&again, &strings).unwrap(), list, "{name}");
        }
    }
}
