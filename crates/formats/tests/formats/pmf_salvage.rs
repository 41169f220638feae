//! Recovery of truncated and corrupt maps.

use mapscope_formats::paf::{Archive, NewFile};
use mapscope_formats::pmf::*;
use mapscope_formats::{Place, Problem, Severity, Subject};
use mapscope_testdata::{stride, synthesize};

fn good() -> Pmf {
    let files = [
        NewFile {
            path: "a.txt",
            bytes: b"first",
            compress: false,
        },
        NewFile {
            path: "b.txt",
            bytes: b"second",
            compress: false,
        },
    ];
    Pmf {
        archive: Some(Archive::build(&files).unwrap()),
        ..synthesize::pmf([1, 2, 1], 1, 3)
    }
}

fn written(map: &Pmf) -> Vec<u8> {
    write(map, Packing::Stored).unwrap()
}

fn errors(map: &Pmf) -> Vec<&Problem> {
    let problems = map.problems.iter();
    problems
        .filter(|problem| problem.severity == Severity::Error)
        .collect()
}

/// The number of entries of each kind that a map shows.
fn shown(map: &Pmf) -> [usize; 16] {
    let header = &map.header;
    let texts = [
        &header.name,
        &header.description,
        &header.authors,
        &header.compiler,
    ];
    let levels = || map.levels.iter();
    let chunks = || levels().flat_map(|level| &level.chunks);
    let data = || chunks().filter_map(|chunk| chunk.data.as_deref());
    let clients = || data().filter_map(|data| data.client.as_ref());
    let servers = || data().filter_map(|data| data.server.as_ref());
    let faces = |data: &ChunkData| -> usize {
        let cubes = data.cubes.iter();
        let drawn = cubes.filter(|(cube, _)| data.cubes.is_drawn(*cube));
        let faces = drawn.map(|(_, cube)| match cube {
            Cube::Geometry(geometry) => geometry.faces().count(),
            _ => 0,
        });
        faces.sum()
    };
    let of_level = |level: &Level| level.server.as_ref().map_or(0, |s| s.entities.len());
    [
        texts.iter().filter(|text| !text.is_empty()).count(),
        header.gamemodes.len(),
        map.strings.bytes().len(),
        map.archive.as_ref().map_or(0, |a| a.file_paths().len()),
        map.extensions.len(),
        map.levels.len(),
        levels().map(|level| level.common.materials.len()).sum(),
        levels().filter(|level| level.client.is_some()).count(),
        levels().map(of_level).sum(),
        chunks().count(),
        data().map(|data| data.cubes.len()).sum(),
        clients().map(|client| client.vertices.len()).sum(),
        data().map(faces).sum(),
        servers().map(|server| server.entities.len()).sum(),
        chunks().filter(|chunk| chunk.is_whole()).count(),
        map.entities.len(),
    ]
}

/// A level of three chunks that ends in the second one keeps the first.
#[test]
fn a_level_that_ends_early_keeps_its_whole_chunks() {
    let file = written(&synthesize::pmf([1, 3, 1], 1, 3));
    let whole = read(&file).unwrap();
    let chunks = &whole.levels[0].chunks;
    // Within the server section of the second chunk.
    let cut = chunks[1].frames[2].start as usize + 5;
    let map = read(&file[..cut]).unwrap();
    let level = &map.levels[0];
    assert_eq!(level.common, whole.levels[0].common);
    assert!(level.chunks[0].is_whole());
    assert_eq!(level.chunks[0].data, chunks[0].data);
    let [cut_off, of_whole] = [level, &whole.levels[0]].map(|level| &level.chunks[1].data);
    let [cut_off, of_whole] = [cut_off, of_whole].map(|data| data.as_deref().unwrap());
    assert!(cut_off.is_damaged && cut_off.server.is_none());
    assert_eq!(cut_off.client, of_whole.client);
    assert_eq!(level.chunks[2].data, None);
    let third = |problem: &&Problem| {
        let chunk = [0, 2, 0];
        problem.subject == Subject::Chunk { level: 0, chunk }
    };
    let [error] = &errors(&map)[..] else {
        panic!("{:?}", errors(&map));
    };
    assert_eq!(error.place, Place::Offset(cut as u64));
    let lost = error.consequences.iter().find(third).unwrap();
    assert!(lost.may_leave_out(), "{lost}");
}

#[test]
fn a_broken_level_costs_no_other() {
    let mut map = good();
    let [level] = &map.levels[..] else { panic!() };
    map.levels = vec![level.clone(); 3];
    let file = written(&map);
    let whole = read(&file).unwrap();
    let middle = &whole.levels[1];
    let without = |mut map: Pmf| {
        map.levels.remove(1);
        map.problems.clear();
        map
    };
    // All of it except the sizes, and each section alone.
    let all = middle.offset as usize..middle.offset as usize + middle.size as usize;
    let sections = middle
        .frames
        .map(|frame| frame.start as usize..frame.start as usize + 8);
    for broken in [all].into_iter().chain(sections) {
        let mut file = file.clone();
        file[broken].fill(0xAA);
        let map = read(&file).unwrap();
        assert!(!errors(&map).is_empty());
        assert_eq!(map.levels.len(), 3);
        assert_eq!(without(map), without(whole.clone()));
    }
    // A corrupt server section loses the entities of its level.
    let mut broken = file.clone();
    broken[middle.frames[2].start as usize] = 0;
    let map = read(&broken).unwrap();
    let expected = Level {
        server: None,
        ..middle.clone()
    };
    assert_eq!(map.levels[1], expected);
    let [error] = errors(&map)[..] else { panic!() };
    assert!(error.may_leave_out());
    assert_eq!(error.subject, Subject::Level(1));
}

/// If sizes are wrong, frames show their own ends.
#[test]
fn sizes_that_lie_cost_nothing() {
    let mut map = good();
    let [level] = &map.levels[..] else { panic!() };
    map.levels = vec![level.clone(); 2];
    let file = written(&map);
    let whole = read(&file).unwrap();
    let level = &whole.levels[0];
    let level_at = level.offset as usize;
    let directory = level.chunks[0].frames[0].start as usize - 24 * 2;
    let mut sizes: Vec<usize> = (0..3).map(|i| level_at + 1 + 4 * i).collect();
    sizes.extend((0..2).flat_map(|chunk| (0..3).map(move |i| directory + 24 * chunk + 4 * i)));
    // The sizes of the levels are before the first level.
    sizes.extend([level_at - 8, level_at - 4]);
    for at in sizes {
        for lie in [0, 1, 0xFFFF, u32::MAX] {
            let mut file = file.clone();
            file[at..at + 4].copy_from_slice(&u32::to_le_bytes(lie));
            let map = read(&file).unwrap();
            assert!(!errors(&map).is_empty());
            let said = || format!("{at:#x} {lie}: {:#?}", map.problems);
            assert_eq!(shown(&map)[..15], shown(&whole)[..15], "{}", said());
            assert_eq!(map.entities, whole.entities, "{at:#x} {lie}");
        }
    }
}

/// With wrong sizes before them, levels have no known offset; they are found by their sections.
#[test]
fn levels_are_found_where_nothing_leads_to_them() {
    let mut map = good();
    let [level] = &map.levels[..] else { panic!() };
    map.levels = vec![level.clone(); 2];
    let file = written(&map);
    let whole = read(&file).unwrap();
    let archive = whole.archive.as_ref().unwrap().bytes();
    let archive_at = file
        .windows(archive.len())
        .position(|bytes| bytes == archive)
        .unwrap();
    let strings_at = archive_at - 8 - whole.strings.bytes().len();
    let extension_at = archive_at + archive.len() + 2;
    let count_at = whole.levels[0].offset as usize - 9;
    let cases: [(usize, &[u8]); 5] = [
        (strings_at, &u32::MAX.to_le_bytes()),
        (archive_at - 4, &u32::MAX.to_le_bytes()),
        (archive_at - 4, &[1, 0, 0, 0]),
        (extension_at, &u32::MAX.to_le_bytes()),
        (count_at, &[3]),
    ];
    for (at, bytes) in cases {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        let map = read(&file).unwrap();
        assert!(!errors(&map).is_empty());
        assert_eq!(map.header, whole.header);
        assert_eq!(map.levels, whole.levels, "{at:#x}: {:?}", map.problems);
    }
}

fn first(map: &mut Pmf) -> &mut ChunkData {
    map.levels[0].chunks[0].data.as_mut().unwrap()
}

/// A box of one material with six faces.
fn boxed(material: u8, first_vertex: u32) -> Geometry {
    let mut geometry = Geometry::new(material, 0, 0);
    geometry.triangles = [2; 6];
    geometry.first_vertex = first_vertex;
    geometry
}

/// A map with eight boxes of six faces each in the first chunk.
fn boxes() -> Pmf {
    let mut map = good();
    let data = first(&mut map);
    data.cubes = Cubes::default();
    data.cubes.push_parent(0xFF, &[1, 2, 3, 4, 5, 6, 7, 8]);
    for i in 0..8 {
        let geometry = boxed(0, 24 * i);
        data.cubes.push_geometry(geometry, &[]);
    }
    data.cubes.link().unwrap();
    let client = data.client.as_mut().unwrap();
    client.vertices = vec![Vertex::default(); 24 * 8];
    client.fast_lights = vec![ClientFastLight::new([0; 3])];
    map
}

/// Reads the boxes with changed bytes in a section of the first chunk, at an offset in the record
/// of a cube.
fn with_bytes(side: Side, cube: u32, at: usize, bytes: &[u8]) -> Pmf {
    /// Size of the parts before the data of a stored section: magic, descriptor and block size.
    const BEFORE: usize = 11;
    let mut file = written(&boxes());
    let map = read(&file).unwrap();
    assert_eq!(map.problems, []);
    let chunk = &map.levels[0].chunks[0];
    let cubes = &chunk.data.as_ref().unwrap().cubes;
    let record = cubes.record(side, cube).unwrap().start as usize;
    let at = chunk.frames[side as usize].start as usize + BEFORE + record + at;
    file[at..at + bytes.len()].copy_from_slice(bytes);
    read(&file).unwrap()
}

/// Number of drawn faces of each cube of the first chunk.
fn faces(map: &Pmf) -> Vec<usize> {
    let cubes = &map.levels[0].chunks[0].data.as_ref().unwrap().cubes;
    let faces = cubes.iter().map(|(cube, kind)| match kind {
        Cube::Geometry(geometry) if cubes.is_drawn(cube) => geometry.faces().count(),
        _ => 0,
    });
    faces.collect()
}

/// A change in the record of a cube: section, cube, offset in the record and new bytes; then the
/// number of its faces and a part of the message.
type Change<'a> = (Side, u32, usize, &'a [u8], usize, &'a str);

#[test]
fn a_bad_cube_costs_no_sibling() {
    let most = u32::MAX.to_le_bytes();
    let cases: [Change<'_>; 5] = [
        // A material that the chunk does not use, and a vertex that does not exist.
        (Side::Common, 3, 1, &[200], 0, "pmf/cube-material"),
        (Side::Client, 3, 1, &most, 0, "pmf/cube-vertices"),
        // Unknown types: the next cubes are found.
        (Side::Common, 3, 0, &[0x0F], 0, "pmf/cube-type"),
        (Side::Common, 0, 0, &[0x07], 0, "pmf/cube-type"),
        // A child that does not exist: the former child cube is still drawn at its vertices.
        (Side::Common, 0, 2, &most, 0, "pmf/cube-tree"),
    ];
    for (side, cube, at, bytes, left, said) in cases {
        let map = with_bytes(side, cube, at, bytes);
        let mut expected = vec![0, 6, 6, 6, 6, 6, 6, 6, 6];
        expected[cube as usize] = left;
        assert_eq!(faces(&map), expected, "{said}: {:?}", map.problems);
        let [error] = errors(&map)[..] else {
            panic!("{:?}", map.problems);
        };
        assert_eq!(error.rule.id, said, "{error}");
        let chunk = [0, 0, 0];
        let subject = Subject::Cube {
            level: 0,
            chunk,
            cube,
        };
        assert_eq!(error.subject, subject);
        let is_all_read = !error.may_leave_out();
        assert_eq!(map.levels[0].chunks[0].is_whole(), is_all_read);
        assert!(map.levels[0].chunks[1].is_whole());
    }
}

#[test]
fn of_a_range_that_ends_early_the_faces_are_left_out_that_it_lacks() {
    // The last box begins two faces later, so that its last two faces have no vertices.
    let map = with_bytes(Side::Client, 8, 1, &(24_u32 * 7 + 8).to_le_bytes());
    assert_eq!(faces(&map), [0, 6, 6, 6, 6, 6, 6, 6, 4]);
    assert!(errors(&map)[0].may_leave_out());
}

#[test]
fn all_faults_of_a_chunk_are_listed() {
    let mut map = boxes();
    let data = first(&mut map);
    let mut cubes = Cubes::default();
    cubes.push_parent(0xFF, &[1, 2, 3, 99, 5, 6, 1, 8]);
    for i in 0..8_u32 {
        let geometry = boxed(
            if i == 2 { 77 } else { 0 },
            if i == 1 { 1000 } else { 24 * i },
        );
        cubes.push_geometry(geometry, &[]);
    }
    data.cubes = cubes;
    data.sound_materials = vec![StringRef(9_999)];
    let map = read(&written(&map)).unwrap();
    let rules: Vec<_> = errors(&map).iter().map(|error| error.rule.id).collect();
    let all = [
        "pmf/string",
        "pmf/cube-tree",
        "pmf/cube-tree",
        "pmf/cube-material",
        "pmf/cube-vertices",
    ];
    for rule in all {
        assert!(rules.contains(&rule), "{rule} of {rules:?}");
    }
    assert_eq!(rules.len(), all.len(), "{:?}", map.problems);
    assert_eq!(faces(&map), [0, 6, 0, 0, 6, 6, 6, 6, 6]);

    // Of very many faults, only the first hundred are listed.
    let data = first(&mut boxes()).clone();
    let mut many = good();
    *first(&mut many) = data;
    let data = first(&mut many);
    data.cubes = Cubes::default();
    for i in 0..60 {
        let bad = 99_999;
        data.cubes
            .push_parent(0xFF, &[bad, bad, bad, bad, bad, bad, bad, i + 1]);
    }
    data.cubes.push_empty();
    let map = read(&written(&many)).unwrap();
    let errors = errors(&map);
    assert_eq!(errors.len(), 101);
    let more = errors.iter().find(|error| error.count > 1).unwrap();
    assert_eq!(more.count, 320);
}

/// After a cube of an unknown type, the others are found in all sections.
#[test]
fn an_unknown_wrapper_costs_no_other_cube() {
    for is_light in [false, true] {
        let mut map = boxes();
        let data = first(&mut map);
        let mut cubes = Cubes::default();
        cubes.push_parent(0b111, &[1, 2, 4]);
        cubes.push_geometry(boxed(0, 0), &[]);
        if is_light {
            cubes.push_light_info(Some(3), [1, 2, 3], &[], &[]);
        } else {
            cubes.push_empty();
        }
        cubes.push_empty();
        cubes.push_light_info(Some(5), [7; 3], &[], &[]);
        cubes.push_path_info(Some(6), &[]);
        let last = boxed(0, 24);
        cubes.push_geometry(last, &[]);
        data.cubes = cubes;
        let mut file = written(&map);
        let whole = read(&file).unwrap();
        let chunk = &whole.levels[0].chunks[0];
        let cubes = &chunk.data.as_ref().unwrap().cubes;
        let at = cubes.record(Side::Common, 2).unwrap().start as usize;
        file[chunk.frames[0].start as usize + 11 + at] = 9;
        let map = read(&file).unwrap();
        let again = &map.levels[0].chunks[0].data.as_ref().unwrap().cubes;
        for cube in (0..7).filter(|cube| *cube != 2) {
            assert_eq!(again.kind(cube), cubes.kind(cube));
        }
        assert_eq!(faces(&map), faces(&whole));
        let [error] = errors(&map)[..] else {
            panic!("{:?}", map.problems);
        };
        assert_eq!(error.rule.id, "pmf/cube-type", "{error}");
    }
}

/// One wrong byte anywhere: earlier and unrelated content is kept.
#[test]
fn one_wrong_byte_costs_only_what_it_is_in() {
    let file = written(&good());
    let whole = read(&file).unwrap();
    let level = &whole.levels[0];
    let header_end = 12 + whole.header.name.len() + 1;
    let frames: Vec<_> = level.chunks.iter().map(|chunk| chunk.frames).collect();
    let range = |frame: &Frame| {
        let start = frame.start as usize;
        start..start + frame.packed as usize
    };
    let mut kept_chunks = 0;
    for at in (0..file.len()).step_by(stride(7)) {
        let flip = if at % 2 == 0 { 0x01 } else { 0x80 };
        let mut broken = file.clone();
        broken[at] ^= flip;
        let map = match read(&broken) {
            Ok(map) => map,
            Err(error) => {
                assert!(at < header_end, "{at:#x}: {error}");
                continue;
            }
        };
        let said = || format!("{at:#x} ^ {flip:#x}: {:?}", map.problems);
        if at >= header_end {
            assert_eq!(map.header.name, whole.header.name);
        }
        if at >= level.offset as usize {
            assert_eq!(map.header, whole.header);
            assert_eq!(map.strings, whole.strings);
            assert_eq!(map.archive, whole.archive);
            assert_eq!(map.extensions, whole.extensions);
            assert_eq!(map.levels.len(), 1);
        }
        // Lost content is always reported.
        let is_less = shown(&map)
            .iter()
            .zip(&shown(&whole))
            .any(|(now, all)| now < all);
        assert!(!is_less || !map.problems.is_empty(), "{}", said());
        for (i, chunk) in frames.iter().enumerate() {
            let Some(hit) = chunk.iter().position(|frame| range(frame).contains(&at)) else {
                continue;
            };
            let [mine, other] = [i, 1 - i].map(|i| &map.levels[0].chunks[i]);
            let [expected, of_other] = [i, 1 - i].map(|i| &level.chunks[i].data);
            assert_eq!(&other.data, of_other, "{}", said());
            kept_chunks += 1;
            let expected = expected.as_deref().unwrap();
            if hit == 2 {
                let data = mine.data.as_deref().unwrap();
                assert_eq!(data.client, expected.client, "{}", said());
                assert_eq!(data.materials, expected.materials);
                assert_eq!(data.cubes.len(), expected.cubes.len());
                let all = faces_of(expected);
                assert_eq!(faces_of(data), all, "{}", said());
            }
            if hit == 1
                && let Some(data) = mine.data.as_deref()
            {
                assert_eq!(data.cubes.len(), expected.cubes.len());
                assert_eq!(data.server.is_some(), expected.server.is_some());
            }
        }
    }
    assert!(kept_chunks * stride(7) > 1000, "{kept_chunks}");
}

/// Number of drawn faces.
fn faces_of(data: &ChunkData) -> usize {
    let drawn = data
        .cubes
        .iter()
        .filter(|(cube, _)| data.cubes.is_drawn(*cube));
    let faces = drawn.map(|(_, cube)| match cube {
        Cube::Geometry(geometry) => geometry.faces().count(),
        _ => 0,
    });
    faces.sum()
}

/// A section whose announced size is a byte too small still has that byte.
#[test]
fn a_size_that_is_one_too_small_costs_nothing() {
    let map = good();
    let file = written(&map);
    let whole = read(&file).unwrap();
    // The unpacked size of the common section, after flags and three packed sizes.
    let at = whole.levels[0].offset as usize + 13;
    let mut small = file.clone();
    small[at] -= 1;
    let read = read(&small).unwrap();
    let [problem] = &read.problems[..] else {
        panic!("{:?}", read.problems);
    };
    assert_eq!(problem.rule.id, "pmf/section-size");
    let [common, of_whole] = [&read, &whole].map(|map| &map.levels[0].common);
    assert_eq!(common, of_whole);
}

/// If the file ends in a client section, the part decoded before is shown.
#[test]
fn a_client_section_that_is_cut_keeps_its_first_faces() {
    let file = written(&synthesize::pmf([1, 1, 1], 3, 3));
    let whole = read(&file).unwrap();
    let frame = whole.levels[0].chunks[0].frames[1];
    let cut = (frame.start + u64::from(frame.packed)) as usize - 40;
    let map = read(&file[..cut]).unwrap();
    let faces = |map: &Pmf| {
        let data = map.levels[0].chunks[0].data.as_ref().unwrap();
        let faces = data.cubes.iter().map(|(_, cube)| match cube {
            Cube::Geometry(geometry) => geometry.faces().count(),
            _ => 0,
        });
        faces.sum::<usize>()
    };
    assert!(faces(&map) > faces(&whole) / 2, "{}", faces(&map));
    assert!(faces(&map) < faces(&whole));
    let [problem] = &map.problems[..] else {
        panic!("{:?}", map.problems);
    };
    assert_eq!(problem.place, Place::Offset(cut as u64));
}
