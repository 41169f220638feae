//! Counts, sizes and offsets of a map that lie, one at a time: each is one problem, and the rest is read.

use std::collections::BTreeSet;

use mapscope_formats::pmf::archive::{Archive, NewFile};
use mapscope_formats::pmf::*;
use mapscope_testdata::synthesize;

/// What is before the data of a stored section: magic, descriptor and size of the block.
const BEFORE: usize = 11;

/// A number in the file: what it is, its offset and how many bytes it has.
type Number = (String, usize, usize);

/// A map of two levels with an archive, an extension and all that chunks can have.
fn good() -> Pmf {
    let file = |path| NewFile {
        path,
        bytes: b"some text",
        compress: false,
    };
    let mut map = synthesize::pmf([1, 2, 1], 2, 3);
    map.archive = Some(Archive::build(&["a.txt", "b/c.txt"].map(file)).unwrap());
    map.levels = vec![map.levels[0].clone(), map.levels[0].clone()];
    map
}

/// Numbers that are found one after the other.
struct Numbers {
    of: String,
    at: usize,
    found: Vec<Number>,
}

impl Numbers {
    /// Begins with a part of the file.
    fn enter(&mut self, of: String, at: usize) {
        self.of = of;
        self.at = at;
    }

    /// A number, and so many bytes behind it.
    fn add(&mut self, name: &str, bytes: usize, behind: usize) {
        let name = format!("{} {name}", self.of);
        self.found.push((name, self.at, bytes));
        self.at += bytes + behind;
    }

    /// Those of entities.
    fn add_entities(&mut self, entities: &Entities) {
        // Nothing is in the tables.
        for table in [
            "16-bit values",
            "32-bit values",
            "64-bit values",
            "properties",
        ] {
            self.add(table, 4, 0);
        }
        self.add("entities", 4, entities.bytes().len() - 20);
    }
}

/// All counts and sizes of a file and of its first level and chunk.
fn numbers(map: &Pmf, file: &[u8]) -> Vec<Number> {
    let header = &map.header;
    let texts = [
        &header.name,
        &header.description,
        &header.authors,
        &header.compiler,
    ];
    let at = 12 + texts.iter().map(|text| text.len() + 1).sum::<usize>();
    let mut numbers = Numbers {
        of: "front".to_owned(),
        at,
        found: Vec::new(),
    };
    let gamemodes = header.gamemodes.iter().map(|name| name.len() + 1);
    numbers.add("gamemodes", 1, gamemodes.sum());
    numbers.add("string table", 4, map.strings.bytes().len());
    let archive = map.archive.as_ref().unwrap();
    numbers.add("archive", 4, archive.bytes().len());
    numbers.add("extensions", 2, 0);
    numbers.add("extension size", 4, map.extensions[0].size as usize);
    numbers.add("levels", 1, 0);
    numbers.add("size of level 0", 4, 0);
    numbers.add("size of level 1", 4, 0);

    let level = &map.levels[0];
    assert_eq!(numbers.at as u64, level.offset);
    numbers.enter("level".to_owned(), level.offset as usize + 1);
    for name in ["common", "client", "server"] {
        numbers.add(&format!("packed {name}"), 4, 0);
    }
    for name in ["common", "client", "server"] {
        numbers.add(&format!("unpacked {name}"), 4, 0);
    }
    numbers.enter("grid".to_owned(), level.frames[2].end() as usize);
    numbers.add("Z and X", 3, 0);
    numbers.add("Y", 1, 5);
    for chunk in 0..2 {
        for name in ["common", "client", "server"] {
            numbers.add(&format!("packed {name} of chunk {chunk}"), 4, 0);
        }
        for name in ["common", "client", "server"] {
            numbers.add(&format!("unpacked {name} of chunk {chunk}"), 4, 0);
        }
    }

    let data = |frame: Frame| frame.start as usize + BEFORE;
    let common = &level.common;
    numbers.enter("common of level".to_owned(), data(level.frames[0]));
    numbers.add("string table", 4, common.strings.bytes().len());
    numbers.add("materials", 2, 10 * common.materials.len());
    numbers.add("physics materials", 2, 29 * common.physics_materials.len());
    numbers.add("sound materials", 2, 8 * common.sound_materials.len() + 4);
    numbers.add("weathers", 1, 48 * common.weathers.len());
    numbers.add("gravities", 1, 16 * common.gravities.len());
    let client = level.client.as_ref().unwrap();
    numbers.enter("client of level".to_owned(), data(level.frames[1]));
    numbers.add("string table", 4, client.strings.bytes().len());
    numbers.add("sounds", 1, 32 * client.sounds.len());
    numbers.add("skies", 1, 41 * client.skies.len() + 8);
    numbers.at += 16;
    numbers.add("extra textures", 1, 0);
    let server = level.server.as_ref().unwrap();
    numbers.enter("server of level".to_owned(), data(level.frames[2]));
    numbers.add("string table", 4, server.strings.bytes().len());
    numbers.add_entities(&server.entities);

    let chunk = &level.chunks[0];
    let content = chunk.data.as_ref().unwrap();
    numbers.enter("common of chunk".to_owned(), data(chunk.frames[0]));
    numbers.add("string table", 4, content.strings.bytes().len());
    numbers.add("materials", 1, 4 * content.materials.len());
    numbers.add("physics materials", 1, 4 * content.physics_materials.len());
    numbers.add("sound materials", 1, 4 * content.sound_materials.len());
    numbers.add("weather regions", 1, 100 * content.weather_regions.len());
    numbers.add("gravity regions", 1, 100 * content.gravity_regions.len());
    numbers.add("dynamic lights", 1, 5 * content.dynamic_lights.len());
    numbers.add("fast lights", 1, 6 * content.fast_lights.len());
    numbers.add("cubes", 4, 5);
    // The first cube is a visinfo cube.
    numbers.add("visible cubes", 4, 4);
    numbers.add("visible chunks", 4, 0);
    let client = content.client.as_ref().unwrap();
    numbers.enter("client of chunk".to_owned(), data(chunk.frames[1]));
    numbers.add("sound regions", 1, 100 * client.sound_regions.len());
    numbers.add("sky regions", 1, 100 * client.sky_regions.len());
    let luxels = client.lightmaps[0].luxels.len();
    numbers.add("lightmaps", 1, 0);
    numbers.add("size of lightmap", 1, luxels);
    numbers.add("vertices", 4, 28 * client.vertices.len());
    numbers.add("normals", 4, 12 * client.normals.len() + 3);
    numbers.add("light layers", 1, 1 + luxels + 3);
    numbers.add("light ranges", 4, 4);
    numbers.add("multipliers", 4, 0);
    let server = content.server.as_ref().unwrap();
    numbers.enter("server of chunk".to_owned(), data(chunk.frames[2]));
    numbers.add("string table", 4, server.strings.bytes().len());
    numbers.add("regions", 1, 24);
    numbers.add("chunks of a region", 4, 4 + 4);
    numbers.add("attributes", 1, 8);
    numbers.add_entities(&server.entities);

    numbers.enter("map".to_owned(), file.len() - map.entities.bytes().len());
    numbers.add_entities(&map.entities);
    numbers.found
}

/// Whether it is known of a number that it is wrong, and what it should be.
fn is_exact(name: &str) -> bool {
    let is_size = ["packed", "size of level"]
        .iter()
        .any(|size| name.contains(size));
    let is_other = ["byte", "grid", "map"]
        .iter()
        .any(|other| name.starts_with(other));
    !is_size && !is_other && !name.ends_with("attributes")
}

/// What is in the levels of a map, wherever that is in the file.
fn contents(map: &Pmf) -> Vec<Level> {
    let levels = map.levels.iter().cloned().map(|mut level| {
        let chunks = level.chunks.iter_mut();
        let frames = chunks.map(|chunk| &mut chunk.frames);
        for frame in frames.chain([&mut level.frames]).flatten() {
            *frame = Frame::default();
        }
        Level { size: 0, ..level }
    });
    levels.collect()
}

#[test]
fn a_number_that_lies_is_one_problem() {
    let map = good();
    let file = write(&map, Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    assert_eq!(whole.problems, []);
    let archive = whole.archive.as_ref().unwrap().bytes();
    let archive_at = file
        .windows(archive.len())
        .position(|bytes| bytes == archive);
    let mut all = numbers(&whole, &file);
    let in_archive = 4..archive.len();
    all.extend(in_archive.map(|at| {
        (
            format!("byte {at:#x} of the archive"),
            archive_at.unwrap() + at,
            1,
        )
    }));
    for (name, at, bytes) in all {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&file[at..at + bytes]);
        let number = u64::from_le_bytes(number);
        let lies = [number + 1, number.wrapping_sub(1), 2 * number, 0, u64::MAX];
        let lies = BTreeSet::from(lies.map(|lie| lie & u64::MAX >> (64 - 8 * bytes)));
        for lie in lies {
            let mut broken = file.clone();
            broken[at..at + bytes].copy_from_slice(&lie.to_le_bytes()[..bytes]);
            if broken == file {
                continue;
            }
            let map = read(&broken).unwrap();
            let found = &map.problems;
            let said = || format!("{name}: {number} as {lie}: {found:#?}");
            // Not everything in an archive matters.
            let is_archive = name.starts_with("byte");
            assert!(
                found.len() == 1 || (is_archive && found.is_empty()),
                "{}",
                said()
            );
            // Along which axis a grid is another one cannot be told, nor what it is along two.
            if !is_archive && !name.starts_with("grid Z and X") && !name.ends_with("attributes") {
                assert_eq!(contents(&map), contents(&whole), "{}", said());
                assert_eq!(map.archive, whole.archive, "{}", said());
            }
            if is_exact(&name) {
                let what = format!(": {lie}; expected {number}, with which");
                assert!(found[0].message.contains(&what), "{}", said());
                assert_eq!(found[0].rule.id, "pmf/count");
            }
        }
    }
}
