//! PMF through the public interface: the samples are compared with their sidecar files.

use std::ops::ControlFlow;
use std::path::PathBuf;

use mapscope_formats::paf::Archive;
use mapscope_formats::pmf::{
    self, ChunkData, ChunkIndex, Cube, CubeKind, Entities, FORMAT, Face, Geometry, Level, Packing,
    Pmf, PmfError, Side, StringRef, StringTable, Vertex,
};
use mapscope_formats::{Place, Problem, Severity};
use mapscope_testdata::{shared, synthesize};
use serde_json::{Value, json};

/// The samples of a folder: name, bytes and sidecar data.
fn samples(folder: &str) -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = shared(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "pmf"))
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    files
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let truth = std::fs::read_to_string(path.with_extension("json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, bytes, serde_json::from_str(&truth).unwrap())
        })
        .collect()
}

#[track_caller]
fn read(bytes: &[u8]) -> Pmf {
    match pmf::read(bytes) {
        Ok(map) => map,
        Err(error) => panic!("{error}"),
    }
}

/// Compares a number with the sidecar's, which is rounded.
#[track_caller]
fn assert_close(found: impl Into<f64>, expected: &Value, what: &str) {
    let (found, expected) = (found.into(), expected.as_f64().unwrap());
    let tolerance = 0.001 + expected.abs() * 1e-5;
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found}, expected {expected}"
    );
}

#[track_caller]
fn assert_all_close(found: &[f32], expected: &Value, what: &str) {
    let expected = expected.as_array().unwrap();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert_close(*found, expected, what);
    }
}

fn texts(strings: &StringTable, names: impl IntoIterator<Item = StringRef>) -> Value {
    let names = names.into_iter();
    names.map(|name| json!(strings.get(name))).collect()
}

fn add([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [a + x, b + y, c + z]
}

/// Minimum and maximum coordinates of points.
fn bounds(points: impl IntoIterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let none = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    points.into_iter().fold(none, |[min, max], point| {
        [
            std::array::from_fn(|axis| min[axis].min(point[axis])),
            std::array::from_fn(|axis| max[axis].max(point[axis])),
        ]
    })
}

#[track_caller]
fn assert_bounds(found: [[f32; 3]; 2], expected: &Value, what: &str) {
    for (found, expected) in found.iter().zip(expected.as_array().unwrap()) {
        assert_all_close(found, expected, what);
    }
}

#[test]
fn samples_are_as_is_said_beside_them() {
    for (name, bytes, truth) in samples("samples/pmf") {
        println!("{name}");
        assert!((FORMAT.sniff)(&bytes));
        let map = read(&bytes);
        assert_eq!(map.problems, [], "{name}");
        let header = json!({
            "name": map.header.name,
            "description": map.header.description,
            "authors": map.header.authors,
            "compiler": map.header.compiler,
            "time": map.header.created_unix_secs,
            "gamemodes": map.header.gamemodes,
            "version": 0,
        });
        assert_eq!(header, truth["header"]);
        let archive_bytes = map
            .archive
            .as_ref()
            .map_or(0, |archive| archive.bytes().len());
        assert_eq!(json!(archive_bytes), truth["paf_size"]);
        let mut files = map
            .archive
            .as_ref()
            .map_or_else(Vec::new, Archive::file_paths);
        files.sort();
        assert_eq!(json!(files), truth["paf_files"]);
        let extensions: Value = map
            .extensions
            .iter()
            .map(|extension| {
                json!({
                    "name": extension.name,
                    "use_in_crc": extension.flags & 1 != 0,
                    "support_required": extension.flags & 2 != 0,
                    "size": extension.data.len(),
                })
            })
            .collect();
        assert_eq!(extensions, truth["extensions"]);
        check_entities(&map.entities, &map.strings, [0.0; 3], &truth["entities"]);
        let levels = truth["levels"].as_array().unwrap();
        assert_eq!(map.levels.len(), levels.len());
        for (level, truth) in map.levels.iter().zip(levels) {
            check_level(level, truth);
        }
    }
}

fn check_entities(entities: &Entities, strings: &StringTable, origin: [f32; 3], truth: &Value) {
    let truth = truth.as_array().unwrap();
    assert_eq!(entities.len(), truth.len());
    for (entity, truth) in entities.iter(strings).zip(truth) {
        assert_eq!(entity.kind().name(), truth["type"]);
        assert_eq!(entity.name(), truth["name"].as_str().unwrap());
        assert_eq!(entity.gamemodes(), truth["gamemodes"]);
        let world = entity.position().map(|position| add(position, origin));
        match (world, truth.get("world")) {
            (Some(world), Some(truth)) => assert_all_close(&world, truth, "an entity"),
            (world, truth) => assert_eq!(world.is_some(), truth.is_some(), "{:?}", entity.name()),
        }
    }
}

fn check_level(level: &Level, truth: &Value) {
    let common = &level.common;
    let strings = &common.strings;
    assert_eq!(level.flags, truth["flags"]);
    let materials = &common.materials;
    assert_eq!(
        texts(strings, materials.iter().map(|m| m.name)),
        truth["materials"]
    );
    let flags: Value = materials
        .iter()
        .map(|m| json!([m.flags & 2 != 0, m.flags & 1 != 0, m.render_mode]))
        .collect();
    assert_eq!(flags, truth["material_flags"]);
    let client = level.client.as_ref().unwrap();
    let colors: Value = client
        .materials
        .iter()
        .map(|m| json!([m.color[0], m.color[1], m.color[2], m.alpha]))
        .collect();
    assert_eq!(colors, truth["material_colors"]);
    let textures = client.materials.iter().map(|m| m.texture);
    assert_eq!(texts(&client.strings, textures), truth["textures"]);
    let names = common.physics_materials.iter().map(|m| m.name);
    assert_eq!(texts(strings, names), truth["physics_materials"]);
    assert_eq!(
        json!(common.sound_materials.len()),
        truth["sound_materials"]
    );
    assert_eq!(
        texts(strings, common.weathers.iter().map(|w| w.name)),
        truth["weather"]
    );
    assert_eq!(
        texts(strings, common.gravities.iter().map(|g| g.name)),
        truth["gravity"]
    );
    let names = client.sounds.iter().map(|sound| sound.name);
    assert_eq!(texts(&client.strings, names), truth["sound_envs"]);
    let names = client.skies.iter().map(|sky| sky.name);
    assert_eq!(texts(&client.strings, names), truth["sky"]);
    assert_eq!(json!(level.grid), truth["grid_yxz"]);
    assert_eq!(json!(level.center.yxz()), truth["center_yxz"]);
    assert_close(level.chunk_side(), &truth["chunk_size"], "chunk size");
    let server = level.server.as_ref().unwrap();
    check_entities(
        &server.entities,
        &server.strings,
        [0.0; 3],
        &truth["entities"],
    );

    let chunks = truth["chunks"].as_array().unwrap();
    assert_eq!(level.chunks.len(), chunks.len());
    let mut totals = Counts::default();
    for (chunk, truth) in level.chunks.iter().zip(chunks) {
        assert_eq!(json!(chunk.index.yxz()), truth["index_yxz"]);
        assert_eq!(level.chunk(chunk.index).unwrap().index, chunk.index);
        let center = level.chunk_center(chunk.index);
        assert_all_close(&center, &truth["center"], "the centre of a chunk");
        let data = chunk.data.as_ref().unwrap();
        let counts = check_chunk(level, data, center, truth);
        totals.add(&counts);
    }
    let Some(truth) = truth.get("totals") else {
        return;
    };
    assert_eq!(json!(totals.cubes), truth["cubes"]);
    assert_eq!(json!(totals.triangles), truth["triangles"]);
    assert_eq!(json!(totals.vertices), truth["vertices"]);
    assert_eq!(json!(totals.geometry), truth["geometry"]);
    assert_eq!(json!(totals.max_depth), truth["max_depth"]);
    assert_bounds(bounds(totals.points), &truth["aabb"], "bounds of all");
}

#[derive(Debug, Default)]
struct Counts {
    cubes: usize,
    triangles: usize,
    vertices: usize,
    geometry: usize,
    max_depth: u8,
    points: Vec<[f32; 3]>,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.cubes += other.cubes;
        self.triangles += other.triangles;
        self.vertices += other.vertices;
        self.geometry += other.geometry;
        self.max_depth = self.max_depth.max(other.max_depth);
        self.points.extend(&other.points);
    }
}

/// Area of a face; a quad has two triangles (fact sheet B2).
fn area(face: &Face, vertices: &[Vertex]) -> f64 {
    let corners: Vec<_> = vertices.iter().map(|v| v.position.map(f64::from)).collect();
    let triangles: Vec<[usize; 3]> = if face.first_normal.is_some() {
        (0..face.triangles.into())
            .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
            .collect()
    } else {
        vec![[0, 1, 2], [0, 2, 3]]
    };
    let area = |[a, b, c]: [usize; 3]| {
        let side = |to: usize| -> [f64; 3] {
            std::array::from_fn(|axis| corners[to][axis] - corners[a][axis])
        };
        let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
        let cross = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        cross.iter().map(|x| x * x).sum::<f64>().sqrt() / 2.0
    };
    triangles.into_iter().map(area).sum()
}

fn check_chunk(level: &Level, data: &ChunkData, center: [f32; 3], truth: &Value) -> Counts {
    let cubes = &data.cubes;
    let strings = &data.strings;
    assert_eq!(json!(cubes.len()), truth["cubes"]);
    for kind in CubeKind::ALL {
        let count = cubes
            .iter()
            .filter(|(cube, _)| cubes.kind(*cube) == Some(kind))
            .count();
        assert_eq!(json!(count), truth["counts"][kind.name()], "{kind:?}");
    }
    let used = [
        (&data.materials, "used_materials"),
        (&data.physics_materials, "used_physics"),
        (&data.sound_materials, "used_sounds"),
    ];
    let known = level.common.materials_by_name();
    for name in &data.materials {
        let index = known[strings.name(*name).unwrap()];
        let found = level.common.materials[index].name;
        assert_eq!(strings.get(*name), level.common.strings.get(found));
    }
    for (names, key) in used {
        assert_eq!(texts(strings, names.iter().copied()), truth[key], "{key}");
    }
    let no_vertices = Vec::new();
    let client = data.client.as_ref();
    let vertices = client.map_or(&no_vertices, |client| &client.vertices);
    let mut counts = Counts {
        cubes: cubes.len(),
        vertices: vertices.len(),
        ..Counts::default()
    };
    let (mut faces, mut quads, mut surface) = (0, 0, 0.0);
    let mut listed = truth["geometry"]
        .as_array()
        .unwrap()
        .iter()
        .collect::<Vec<_>>();
    listed.sort_by_key(|truth| truth["i"].as_u64());
    let mut extended = [0; 3];
    for cell in cubes.cells(level.chunk_side() / 2.0) {
        counts.max_depth = counts.max_depth.max(cell.depth);
        let Some(Cube::Geometry(geometry)) = cubes.get(cell.cube) else {
            continue;
        };
        counts.geometry += 1;
        let (ext, cext) = (geometry.is_common_extended(), geometry.is_client_extended());
        for (count, is_so) in extended.iter_mut().zip([ext, cext, ext && cext]) {
            *count += u32::from(is_so);
        }
        for face in geometry.faces() {
            faces += 1;
            quads += usize::from(face.first_normal.is_none());
            counts.triangles += usize::from(face.triangles);
            let range = face.vertices.start as usize..face.vertices.end as usize;
            surface += area(&face, &vertices[range]);
        }
        let corners = cubes
            .corners(geometry, &cell)
            .map(|corner| add(corner, center));
        counts.points.extend(corners);
        let Ok(found) = listed
            .binary_search_by_key(&u64::from(cell.cube), |truth| truth["i"].as_u64().unwrap())
        else {
            continue;
        };
        let truth = listed[found];
        let whole = cell.corners().map(|corner| add(corner, center));
        assert_bounds(bounds(whole), &truth["cell"], "the cell of a cube");
        assert_bounds(bounds(corners), &truth["aabb"], "the box of a cube");
        let sides = if ext { 6 } else { 1 };
        let materials = geometry.materials[..sides]
            .iter()
            .map(|index| data.materials[usize::from(*index)]);
        assert_eq!(texts(strings, materials), truth["materials"]);
        assert_eq!(geometry.side_mask(), truth["faces"]);
        assert_eq!(json!(geometry.triangles), truth["triangles"]);
        let sides = match client {
            None => 0,
            Some(_) if cext => 6,
            Some(_) => 1,
        };
        assert_eq!(json!(geometry.lightmaps[..sides]), truth["lightmaps"]);
        assert_eq!(geometry.draws_backfaces(), truth["backfaces"]);
        assert_eq!((ext, cext), (truth["ext"] == true, truth["cext"] == true));
    }
    assert!(listed.len() <= counts.geometry);
    assert_eq!(json!(extended[0]), truth["common_extended"]);
    assert_eq!(json!(extended[1]), truth["client_extended"]);
    assert_eq!(json!(extended[2]), truth["both_extended"]);
    assert_eq!(json!(counts.max_depth), truth["max_depth"]);
    assert_eq!(json!(faces), truth["faces"]);
    assert_eq!(json!(quads), truth["quads"]);
    assert_eq!(json!(counts.triangles), truth["triangles"]);
    assert_eq!(json!(counts.vertices), truth["vertices"]);
    assert_close(surface, &truth["surface_area"], "surface");
    let boxes = cubes.iter().map(|(_, cube)| match cube {
        Cube::Collider(collider) => cubes.boxes(collider).len(),
        _ => 0,
    });
    assert_eq!(json!(boxes.sum::<usize>()), truth["collider_boxes"]);
    let attributes = cubes.iter().map(|(_, cube)| match cube {
        Cube::PathInfo(info) => cubes.attributes(info).len(),
        _ => 0,
    });
    assert_eq!(json!(attributes.sum::<usize>()), truth["path_attributes"]);

    let regions = &truth["regions"];
    let names = data.weather_regions.iter().map(|region| region.environment);
    assert_eq!(texts(strings, names), regions["weather"]);
    let names = data.gravity_regions.iter().map(|region| region.environment);
    assert_eq!(texts(strings, names), regions["gravity"]);
    if let Some(client) = client {
        assert_eq!(json!(client.normals.len()), truth["normals"]);
        let names = client.sound_regions.iter().map(|region| region.environment);
        assert_eq!(texts(strings, names), regions["sound"]);
        let names = client.sky_regions.iter().map(|region| region.environment);
        assert_eq!(texts(strings, names), regions["sky"]);
        let lightmaps: Value = client
            .lightmaps
            .iter()
            .map(|map| json!({ "side": map.side(), "crc32": crc32fast::hash(&map.luxels) }))
            .collect();
        assert_eq!(lightmaps, truth["lightmaps"]);
        let lights: Value = data
            .dynamic_lights
            .iter()
            .zip(&client.dynamic_lights)
            .map(|(light, look)| {
                let maps: Vec<_> = look.layers.iter().map(|layer| layer.lightmap).collect();
                json!([light.id, light.flags, look.color, maps])
            })
            .collect();
        assert_eq!(lights, truth["dynamic_lights"]);
        let lights: Value = data
            .fast_lights
            .iter()
            .zip(&client.fast_lights)
            .map(|(light, look)| {
                assert!(look.ranges().all(|(range, m)| range.len() == m.len()));
                let count = look.ranges().count();
                json!([light.id, light.flags, light.intensity, look.color, count])
            })
            .collect();
        assert_eq!(lights, truth["fast_lights"]);
    } else {
        assert_eq!(truth["normals"], 0);
        assert_eq!(truth["lightmaps"], json!([]));
    }
    match &data.server {
        Some(server) => {
            assert_eq!(json!(server.regions.len()), regions["server"]);
            check_entities(
                &server.entities,
                &server.strings,
                center,
                &truth["entities"],
            );
        }
        None => assert_eq!(truth["entities"], json!([])),
    }
    counts
}

#[test]
fn broken_samples_have_errors() {
    for (name, bytes, truth) in samples("samples/pmf/malformed") {
        println!("{name}: {}", truth["reason"]);
        assert_eq!(truth["expect"], "reject");
        match (pmf::read(&bytes), truth["scope"].as_str().unwrap()) {
            (Err(error), "file") => println!("    {error}"),
            (Ok(map), scope) => {
                let errors: Vec<_> = map
                    .problems
                    .iter()
                    .filter(|problem| problem.severity == Severity::Error)
                    .collect();
                println!("    {errors:?}");
                assert!(!errors.is_empty());
                let mut chunks = map.levels.iter().flat_map(|level| &level.chunks);
                // For a wrong size, the right one is known.
                let is_size = errors[0].rule.id == "pmf/section-size";
                let is_lost = chunks.any(|chunk| !chunk.is_whole());
                assert!(scope == "file" || is_size || is_lost);
            }
            (result, scope) => panic!("{scope}: {:?}", result.map(|map| map.problems)),
        }
    }
}

#[test]
fn the_traced_sample_is_as_traced() {
    let Some(path) = shared("samples/pmf/tiny.pmf") else {
        return;
    };
    let bytes = std::fs::read(path).unwrap();
    let map = read(&bytes);
    assert_eq!(map.header.created_unix_secs, 0x68c7_5700);
    assert_eq!(map.strings.bytes(), [0]);
    assert_eq!(map.archive, None);
    let level = &map.levels[0];
    assert_eq!((level.offset, level.size), (102, 708));
    let frames: Vec<_> = level
        .frames
        .iter()
        .map(|frame| (frame.start - level.offset, frame.packed, frame.unpacked))
        .collect();
    assert_eq!(
        frames,
        [(25, 0xc8, 0xfb), (225, 0x78, 0xa9), (345, 0x22, 0x19)]
    );
    let common = &level.common;
    let strings = &common.strings;
    assert_eq!(strings.bytes().len(), 0x32);
    assert_eq!(common.materials[0].name, StringRef(1));
    assert_eq!(common.materials[0].kind, StringRef(10));
    let [air, stone, ice] = &common.physics_materials[..] else {
        panic!("{} physics materials", common.physics_materials.len());
    };
    assert_eq!((air.name, air.flags), (StringRef(0x10), 1));
    let numbers = [
        air.friction_or_max_speed,
        air.traction,
        air.bounce,
        air.damage_speed,
        air.base_damage,
    ];
    assert_eq!(numbers, [0.5, 1.0, 0.25, 5.0, 1.0]);
    assert_eq!((stone.friction_or_max_speed, stone.flags), (1.5, 0));
    assert_eq!(ice.friction_or_max_speed, 2.5);
    let sounds: Vec<_> = common
        .sound_materials
        .iter()
        .map(|sound| [sound.volume_dampening, sound.frequency_dampening])
        .collect();
    assert_eq!(sounds, [[0.5, 0.25], [0.75, 0.1]]);
    assert_eq!(strings.get(common.air_physics), "air");
    assert_eq!(common.weathers[0].wind, [1.0, 0.0, 0.5]);
    assert_eq!(common.weathers[0].direction_seed, 11);
    assert_eq!(common.gravities[0].acceleration, [0.0, -9.8, 0.0]);
    assert_eq!(common.default_weather, StringRef(0x20));
    assert_eq!(common.default_gravity, StringRef(0x29));
    let client = level.client.as_ref().unwrap();
    assert_eq!(client.sounds[0].low_pass, 20_000.0);
    assert_eq!(client.sounds[0].high_pass, 20.0);
    assert_eq!(client.skies[0].skybox, [StringRef(12); 6]);
    assert_eq!(client.materials[0].color, [0x96; 3]);
    assert_eq!(client.materials[0].shading, 0x80);
    assert_eq!(level.center, ChunkIndex(0));

    let chunk = &level.chunks[0];
    let data = chunk.data.as_ref().unwrap();
    let cubes = &data.cubes;
    assert_eq!(cubes.record(Side::Common, 0), Some(50..54));
    assert_eq!(cubes.record(Side::Client, 0), Some(683..689));
    let [common_frame, client_frame, _] = chunk.frames;
    let part = pmf::Part::ChunkSection(0, chunk.index, Side::Common);
    let unpacked = common_frame.unpack(&bytes, part).unwrap();
    assert_eq!(unpacked[50..54], [2, 0, 0, 0]);
    let part = pmf::Part::ChunkSection(0, chunk.index, Side::Client);
    let unpacked = client_frame.unpack(&bytes, part).unwrap();
    assert_eq!(unpacked[683..689], [0xff, 0, 0, 0, 0, 0x3f]);
    let vertex = data.client.as_ref().unwrap().vertices[0];
    assert_eq!(vertex.position, [0.5, 0.5, -0.5]);
    assert_eq!(vertex.uv, [-0.25, -0.25]);
}

/// The decoded sections of levels and chunks, in file order; empty for missing ones.
fn sections(map: &Pmf, file: &[u8]) -> Vec<Vec<u8>> {
    let levels = map.levels.iter().map(|level| level.frames);
    let chunks = map.levels.iter().flat_map(|level| &level.chunks);
    let frames = levels.chain(chunks.map(|chunk| chunk.frames)).flatten();
    let unpack = |frame: pmf::Frame| {
        if frame.is_empty() {
            Vec::new()
        } else {
            frame.unpack(file, pmf::Part::File).unwrap()
        }
    };
    frames.map(unpack).collect()
}

/// A copy of a map without the offsets of its parts in a file.
fn without_places(mut map: Pmf) -> Pmf {
    for extension in &mut map.extensions {
        (extension.offset, extension.size) = (0, 0);
    }
    for level in &mut map.levels {
        (level.offset, level.size, level.frames) = (0, 0, Default::default());
        for chunk in &mut level.chunks {
            chunk.frames = Default::default();
        }
    }
    map
}

#[test]
fn samples_are_written_as_they_were() {
    for (name, bytes, _) in samples("samples/pmf") {
        let map = read(&bytes);
        let expected = sections(&map, &bytes);
        for packing in [Packing::Compressed, Packing::Stored] {
            let written = pmf::write(&map, packing).unwrap();
            let again = read(&written);
            assert!(sections(&again, &written) == expected, "{name}");
            assert_eq!(
                without_places(again),
                without_places(map.clone()),
                "{name}, {packing:?}"
            );
            assert_eq!(pmf::write(&map, packing).unwrap(), written);
        }
    }
}

#[test]
fn made_up_maps_are_read_as_they_were_written() {
    for (grid, depth) in [([1, 1, 1], 0), ([1, 2, 1], 2), ([2, 3, 2], 3)] {
        let map = synthesize::pmf(grid, depth, 7);
        for packing in [Packing::Compressed, Packing::Stored] {
            let written = pmf::write(&map, packing).unwrap();
            let again = read(&written);
            assert_eq!(again.problems, []);
            assert_eq!(pmf::write(&again, packing).unwrap(), written);
            assert_eq!(again.levels.len(), map.levels.len());
            assert_eq!((&again.header, &again.strings), (&map.header, &map.strings));
            for (again, level) in again.levels.iter().zip(&map.levels) {
                assert_eq!(
                    (&again.common, &again.client),
                    (&level.common, &level.client)
                );
                for (again, chunk) in again.chunks.iter().zip(&level.chunks) {
                    let (again, data) = (again.data.as_ref(), chunk.data.as_ref());
                    let (again, data) = (again.unwrap(), data.unwrap());
                    assert_eq!(again.cubes, data.cubes);
                    assert_eq!(again.client, data.client);
                    assert_eq!(again.weather_regions, data.weather_regions);
                    assert_eq!(again.cubes.orphans(), 0);
                }
            }
        }
    }
}

#[test]
fn made_up_maps_have_every_kind_of_cube() {
    let map = synthesize::pmf([1, 1, 1], 4, 7);
    let cubes = &map.levels[0].chunks[0].data.as_ref().unwrap().cubes;
    for kind in CubeKind::ALL {
        let is_there = cubes.iter().any(|(cube, _)| cubes.kind(cube) == Some(kind));
        assert!(is_there, "{kind:?}");
    }
    for bits in [0x00, 0x10, 0x20, 0x30] {
        let has_bits = |(_, cube): (u32, Cube<'_>)| match cube {
            Cube::Geometry(geometry) => geometry.bits == bits && geometry.side_mask() != 0,
            _ => false,
        };
        assert!(cubes.iter().any(has_bits), "{bits:#x}");
    }
}

#[test]
fn a_few_bytes_that_become_millions_of_cubes_are_refused() {
    let mut map = synthesize::pmf([1, 1, 2], 1, 1);
    let cubes = &mut map.levels[0].chunks[1].data.as_mut().unwrap().cubes;
    for _ in 0..4_000_000 {
        cubes.push_empty();
    }
    let bytes = pmf::write(&map, Packing::Compressed).unwrap();
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let map = pmf::read(&bytes).unwrap();
    let readable = map.levels[0].chunks.iter().map(|c| c.data.is_some());
    assert_eq!(readable.collect::<Vec<_>>(), [true, false]);
    let said = |problem: &Problem| problem.rule.id == "pmf/cube-count";
    assert_eq!(map.problems.iter().filter(|p| said(p)).count(), 1);
}

#[test]
fn long_chains_of_cubes_are_read() {
    const CHAIN: u32 = 300_000;
    let mut map = synthesize::pmf([1, 1, 1], 0, 1);
    let data = map.levels[0].chunks[0].data.as_mut().unwrap();
    data.cubes = pmf::Cubes::default();
    for cube in 0..CHAIN {
        data.cubes.push_light_info(Some(cube + 1), [0; 3], &[], &[]);
    }
    data.cubes.push_empty();
    let client = data.client.as_mut().unwrap();
    client.fast_lights[0] = pmf::ClientFastLight::new([0; 3]);
    let again = read(&pmf::write(&map, Packing::Compressed).unwrap());
    assert_eq!(again.problems, []);
    let data = again.levels[0].chunks[0].data.as_ref().unwrap();
    let cells: Vec<_> = data.cubes.cells(8.0).collect();
    assert_eq!(cells.len() as u32, CHAIN + 1);
    assert!(cells.iter().all(|cell| cell.depth == 0 && cell.half == 8.0));
    assert_eq!(data.cubes.above(CHAIN), Some(CHAIN - 1));
}

#[test]
fn what_would_be_read_as_of_a_newer_layout_is_not_written() {
    // As long as an unreadable text is not repaired, it distinguishes the map from a newer layout.
    let map = read(b"PMF\0The hall of pillars\0\0W\xc7iny s");
    let error = pmf::write(&map, Packing::Stored).unwrap_err().to_string();
    let expected = "header: would be read as ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn what_cannot_be_said_in_a_file_is_not_written() {
    #[track_caller]
    fn refused(change: impl FnOnce(&mut Pmf), with: &str) {
        let mut map = synthesize::pmf([1, 1, 1], 1, 1);
        change(&mut map);
        let error = pmf::write(&map, Packing::Stored).unwrap_err().to_string();
        assert!(error.contains(with), "{error}");
    }
    fn chunk(map: &mut Pmf) -> &mut ChunkData {
        map.levels[0].chunks[0].data.as_mut().unwrap()
    }
    refused(
        |map| map.header.name = "a\0b".to_owned(),
        "name: a text contains a NUL byte",
    );
    refused(
        |map| map.header.gamemodes = vec![String::new(); 33],
        "gamemodes: found 33",
    );
    refused(
        |map| map.levels[0].grid = [1, 2, 1],
        "level 0: chunks: found 1; expected 2",
    );
    refused(|map| map.levels[0].grid = [257, 1, 1], "level 0: grid");
    refused(
        |map| chunk(map).materials = vec![StringRef(0); 256],
        "used materials: found 256",
    );
    refused(
        |map| chunk(map).cubes = pmf::Cubes::default(),
        "chunk (0, 0, 0): cubes",
    );
    refused(
        |map| chunk(map).fast_lights.clear(),
        "client fast lights: found 1; expected 0",
    );
    refused(
        |map| {
            let mut geometry = Geometry::new(0, 0, 0);
            geometry.materials[3] = 1;
            chunk(map).cubes.push_geometry(geometry, &[]);
        },
        "sides of a basic cube differ",
    );
    refused(
        |map| {
            chunk(map).cubes.push_collider(0, []);
        },
        "0 boxes",
    );
    refused(
        |map| {
            chunk(map).cubes.push_parent(0b111, &[1]);
        },
        "mask",
    );
}

#[test]
fn reading_can_be_watched_and_stopped() {
    let Some(path) = shared("samples/pmf/room.pmf") else {
        return;
    };
    let bytes = std::fs::read(path).unwrap();
    let mut seen = Vec::new();
    let map = pmf::read_with(&bytes, &mut |done| {
        seen.push(done);
        ControlFlow::Continue(())
    });
    assert!(map.is_ok());
    assert!(!seen.is_empty() && seen.is_sorted());
    assert!(seen.iter().all(|done| (0.0..=1.0).contains(done)));
    let stopped = pmf::read_with(&bytes, &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(PmfError::Cancelled));
}

#[test]
fn every_cut_of_a_file_is_answered() {
    let Some(path) = shared("samples/pmf/tiny_stored.pmf") else {
        return;
    };
    let bytes = std::fs::read(path).unwrap();
    for cut in 0..bytes.len() {
        let problems = match pmf::read(&bytes[..cut]) {
            Ok(map) => map.problems,
            Err(error) => vec![error.problem().unwrap().clone()],
        };
        let mut errors = problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        assert!(errors.next().is_some(), "cut at {cut}");
        for problem in &problems {
            let Place::Offset(offset) = problem.place else {
                panic!("{problem}");
            };
            assert!(offset <= cut as u64, "cut at {cut}: {problem}");
        }
    }
}
