//! Counts, sizes and offsets of a map that lie, one at a time: each is one problem, and the rest is read.

use std::collections::BTreeSet;

use mapscope_formats::pmf::archive::{Archive, NewFile};
use mapscope_formats::pmf::*;
use mapscope_formats::{Place, Severity};
use mapscope_testdata::synthesize;

/// Bytes of a block of a stored section, and of what is before the first one: magic and descriptor.
const BLOCK: usize = 64 << 10;
const HEAD: usize = 7;

/// A number in the file: what it is, its offset and how many bytes it has.
type Number = (String, usize, usize);

/// A map of two levels with an archive, an extension and all that chunks can have, their cubes divided so
/// often.
fn good(depth: u8) -> Pmf {
    let file = |path| NewFile {
        path,
        bytes: b"some text",
        compress: false,
    };
    let mut map = synthesize::pmf([1, 2, 1], depth, 3);
    map.archive = Some(Archive::build(&["a.txt", "b/c.txt"].map(file)).unwrap());
    map.levels = vec![map.levels[0].clone(), map.levels[0].clone()];
    map
}

/// Numbers that are found one after the other.
struct Numbers {
    of: String,
    /// Offset in the file of what they are in, and in that of the next one.
    start: usize,
    at: usize,
    is_section: bool,
    found: Vec<Number>,
}

impl Numbers {
    /// Begins with a part of the file.
    fn enter(&mut self, of: &str, start: usize) {
        self.of = of.to_owned();
        (self.start, self.at, self.is_section) = (start, 0, false);
    }

    /// Begins with a stored section.
    fn enter_section(&mut self, of: &str, frame: Frame) {
        self.enter(of, frame.start as usize);
        self.is_section = true;
    }

    /// Offset in the file of the next one.
    fn offset(&self) -> usize {
        // Before each block is its size.
        let heads = HEAD + 4 * (self.at / BLOCK + 1);
        self.start + self.at + if self.is_section { heads } else { 0 }
    }

    /// A number, and so many bytes behind it.
    fn add(&mut self, name: &str, bytes: usize, behind: usize) {
        let name = format!("{} {name}", self.of);
        self.found.push((name, self.offset(), bytes));
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
        start: at,
        at: 0,
        is_section: false,
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
    assert_eq!(numbers.offset() as u64, level.offset);
    numbers.enter("level", level.offset as usize + 1);
    for name in ["common", "client", "server"] {
        numbers.add(&format!("packed {name}"), 4, 0);
    }
    for name in ["common", "client", "server"] {
        numbers.add(&format!("unpacked {name}"), 4, 0);
    }
    numbers.enter("grid", level.frames[2].end() as usize);
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

    let common = &level.common;
    numbers.enter_section("common of level", level.frames[0]);
    numbers.add("string table", 4, common.strings.bytes().len());
    numbers.add("materials", 2, 10 * common.materials.len());
    numbers.add("physics materials", 2, 29 * common.physics_materials.len());
    numbers.add("sound materials", 2, 8 * common.sound_materials.len() + 4);
    numbers.add("weathers", 1, 48 * common.weathers.len());
    numbers.add("gravities", 1, 16 * common.gravities.len());
    let client = level.client.as_ref().unwrap();
    numbers.enter_section("client of level", level.frames[1]);
    numbers.add("string table", 4, client.strings.bytes().len());
    numbers.add("sounds", 1, 32 * client.sounds.len());
    numbers.add("skies", 1, 41 * client.skies.len() + 8);
    numbers.at += 16;
    numbers.add("extra textures", 1, 0);
    let server = level.server.as_ref().unwrap();
    numbers.enter_section("server of level", level.frames[2]);
    numbers.add("string table", 4, server.strings.bytes().len());
    numbers.add_entities(&server.entities);

    let chunk = &level.chunks[0];
    let content = chunk.data.as_ref().unwrap();
    numbers.enter_section("common of chunk", chunk.frames[0]);
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
    numbers.enter_section("client of chunk", chunk.frames[1]);
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
    numbers.enter_section("server of chunk", chunk.frames[2]);
    numbers.add("string table", 4, server.strings.bytes().len());
    numbers.add("regions", 1, 24);
    numbers.add("chunks of a region", 4, 4 + 4);
    numbers.add("attributes", 1, 8);
    numbers.add_entities(&server.entities);

    numbers.enter("map", file.len() - map.entities.bytes().len());
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

/// What a number can be instead.
fn lies(file: &[u8], at: usize, bytes: usize) -> (u64, BTreeSet<u64>) {
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(&file[at..at + bytes]);
    let number = u64::from_le_bytes(number);
    let lies = [number + 1, number.wrapping_sub(1), 2 * number, 0, u64::MAX];
    let lies = lies.map(|lie| lie & u64::MAX >> (64 - 8 * bytes));
    let lies = lies.into_iter().filter(|lie| *lie != number);
    (number, lies.collect())
}

/// A file with another number at an offset.
fn with(file: &[u8], (at, bytes): (usize, usize), number: u64) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at..at + bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
    file
}

#[test]
fn a_number_that_lies_is_one_problem() {
    let map = good(2);
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
        let (number, lies) = lies(&file, at, bytes);
        for lie in lies {
            let broken = with(&file, (at, bytes), lie);
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
            if !is_archive && !name.ends_with("attributes") {
                assert_eq!(contents(&map), contents(&whole), "{}", said());
                assert_eq!(map.archive, whole.archive, "{}", said());
            }
            if name.contains("packed") || name.contains("size of level") {
                assert_eq!(found[0].rule.id, "pmf/section-size");
                assert_eq!(found[0].place, Place::Offset(at as u64), "{}", said());
            }
            if is_exact(&name) {
                let what = format!(": {lie}; expected {number}, with which");
                assert!(found[0].message.contains(&what), "{}", said());
                assert_eq!(found[0].rule.id, "pmf/count");
            }
        }
    }
}

/// In a chunk of many vertices each number that lies is one problem too.
#[test]
fn a_number_that_lies_in_a_large_chunk_is_one_problem() {
    let map = good(4);
    let file = write(&map, Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let [_, client, _] = whole.levels[0].chunks[0].frames;
    assert!(client.unpacked > 64 << 10, "{client:?}");
    let all = numbers(&whole, &file).into_iter();
    for (name, at, bytes) in all.filter(|(name, ..)| name.starts_with("client of chunk")) {
        let (number, lies) = lies(&file, at, bytes);
        for lie in lies {
            let map = read(&with(&file, (at, bytes), lie)).unwrap();
            let said = || format!("{name}: {number} as {lie}: {:#?}", map.problems);
            assert_eq!(map.problems.len(), 1, "{}", said());
            assert_eq!(contents(&map), contents(&whole), "{}", said());
        }
    }
}

/// Something else that is wrong with a chunk does not keep a count in it from being found.
#[test]
fn counts_are_found_beside_other_problems() {
    let mut map = good(2);
    let data = map.levels[0].chunks[0].data.as_mut().unwrap();
    data.materials[0] = data.sound_materials[0];
    let file = write(&map, Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let [unknown] = &whole.problems[..] else {
        panic!("{:#?}", whole.problems);
    };
    assert_eq!(unknown.rule.id, "pmf/unknown-name");
    let all = numbers(&whole, &file).into_iter();
    let all = all.filter(|(name, ..)| name.contains("of chunk") && is_exact(name));
    for (name, at, bytes) in all.skip_while(|(name, ..)| !name.ends_with("sound materials")) {
        let (number, lies) = lies(&file, at, bytes);
        for lie in lies {
            let map = read(&with(&file, (at, bytes), lie)).unwrap();
            let said = || format!("{name}: {number} as {lie}: {:#?}", map.problems);
            let rules = map.problems.iter().map(|problem| problem.rule.id);
            let rules: BTreeSet<_> = rules.collect();
            let expected = ["pmf/count", "pmf/unknown-name"];
            assert_eq!(rules, BTreeSet::from(expected), "{}", said());
            assert_eq!(map.problems.len(), 2, "{}", said());
            assert_eq!(contents(&map), contents(&whole), "{}", said());
        }
    }
}

/// Entities that are not counted are there all the same, or it is an error that they are not.
#[test]
fn entities_behind_their_count_are_no_data_that_is_left_over() {
    let map = good(2);
    let file = write(&map, Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let all = numbers(&whole, &file).into_iter();
    let counts: Vec<_> = all
        .filter(|(name, ..)| name.ends_with(" entities"))
        .collect();
    assert_eq!(counts.len(), 3);
    for (name, at, bytes) in counts {
        let (count, _) = lies(&file, at, bytes);
        for fewer in 0..count {
            let broken = with(&file, (at, bytes), fewer);
            let map = read(&broken).unwrap();
            let said = |map: &Pmf| format!("{name}: {fewer}: {:#?}", map.problems);
            assert_eq!(map.entities, whole.entities, "{}", said(&map));
            assert_eq!(contents(&map), contents(&whole), "{}", said(&map));
            let [problem] = &map.problems[..] else {
                panic!("{}", said(&map));
            };
            assert_eq!(problem.rule.id, "pmf/count");
            // What is behind them keeps it open how many there are.
            if name.starts_with("map") {
                let map = read(&[&broken[..], &[9; 3]].concat()).unwrap();
                let [problem] = &map.problems[..] else {
                    panic!("{}", said(&map));
                };
                assert_eq!(problem.severity, Severity::Error, "{}", said(&map));
                assert_eq!(map.entities.len() as u64, fewer);
            }
        }
    }
    // Zeros are padding.
    let map = read(&[&file[..], &[0; 34]].concat()).unwrap();
    let [problem] = &map.problems[..] else {
        panic!("{:#?}", map.problems);
    };
    assert_eq!(problem.rule.id, "pmf/trailing-data");
}

/// Where faces are says how large chunks are.
#[test]
fn each_wrong_size_of_chunks_is_one_problem() {
    let file = write(&good(2), Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let level = &whole.levels[0];
    let at = level.frames[2].end() as usize + 4;
    assert_eq!(file[at], level.chunk_exponent);
    for lie in (0..=255).filter(|lie| *lie != file[at]) {
        let map = read(&with(&file, (at, 1), lie.into())).unwrap();
        let [problem] = &map.problems[..] else {
            panic!("{lie}: {:#?}", map.problems);
        };
        assert_eq!(problem.place, Place::Offset(at as u64));
        let said = format!("chunks of 2^{lie} m; expected 2^{}, with", file[at]);
        assert!(problem.message.contains(&said), "{problem}");
        assert_eq!(contents(&map), contents(&whole));
    }
}

/// What chunks say of others, and the centre, tell along which axis a grid is another one.
#[test]
fn a_grid_that_lies_is_one_that_its_chunks_can_have() {
    for grid in [[1, 2, 1], [2, 2, 1], [1, 4, 3], [2, 3, 2]] {
        let mut map = synthesize::pmf(grid, 1, 3);
        let level = &mut map.levels[0];
        let last = ChunkIndex::new(grid.map(|count| count - 1));
        let data = level.chunks[0].data.as_mut().unwrap();
        data.server.as_mut().unwrap().regions[0].chunks.push(last);
        let file = write(&map, Packing::Stored).unwrap();
        let whole = read(&file).unwrap();
        let at = whole.levels[0].frames[2].end() as usize;
        let (number, _) = lies(&file, at, 4);
        for axis in [1, 1 << 12, 1 << 24] {
            for lie in [
                number + axis,
                number.wrapping_sub(axis),
                u64::from(u32::MAX),
            ] {
                let map = read(&with(&file, (at, 4), lie)).unwrap();
                let said = || format!("{grid:?} as {lie:#x}: {:#?}", map.problems);
                assert_eq!(map.problems.len(), 1, "{}", said());
                assert_eq!(contents(&map), contents(&whole), "{}", said());
            }
        }
    }
    // Where nothing tells, all that it can be are named.
    let mut file = write(&synthesize::pmf([2, 2, 3], 1, 3), Packing::Stored).unwrap();
    let at = read(&file).unwrap().levels[0].frames[2].end() as usize;
    file[at] -= 1;
    let [problem] = &read(&file).unwrap().problems[..] else {
        panic!();
    };
    let said =
        "2 by 2 by 2 chunks along Y, X and Z; expected 2 by 2 by 3 or 2 by 3 by 2 or 3 by 2 by 2,";
    assert!(problem.message.contains(said), "{problem}");
}

/// A parent that has another number of children than its mask says leads nothing astray.
#[test]
fn a_mask_that_lies_is_one_problem() {
    let file = write(&good(2), Packing::Stored).unwrap();
    let whole = read(&file).unwrap();
    let chunk = &whole.levels[0].chunks[0];
    let cubes = &chunk.data.as_ref().unwrap().cubes;
    let parents = cubes.iter().filter_map(|(cube, kind)| match kind {
        Cube::Parent(parent) => Some((cubes.record(Side::Common, cube)?.start, parent.mask)),
        _ => None,
    });
    let mut count = 0;
    for (record, mask) in parents {
        let at = chunk.frames[0].start as usize + HEAD + 4 + record as usize + 1;
        assert_eq!((file[at], mask), (0xFF, 0xFF));
        for lie in [0, 1, 0x0F, 0x7F, 0xFE] {
            let map = read(&with(&file, (at, 1), lie)).unwrap();
            let said = || format!("{lie} at {at:#x}: {:#?}", map.problems);
            assert_eq!(map.problems.len(), 1, "{}", said());
            assert_eq!(contents(&map), contents(&whole), "{}", said());
            count += 1;
        }
    }
    assert!(count >= 45, "{count}");
}
