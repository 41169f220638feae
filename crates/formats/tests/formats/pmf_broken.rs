//! Maps with one fault each: which ones refuse the file, leave something out, or are only listed.

use mapscope_formats::pmf::*;
use mapscope_formats::{Problem, Severity};
use mapscope_testdata::synthesize;

/// The result of reading a map.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Refused,
    /// Read with at least one error.
    Lost,
    /// Read with warnings only.
    Listed,
}
use Outcome::{Listed, Lost, Refused};

/// A change of a good map, the result of reading it, and a part of the message.
type Case = (fn(&mut Pmf), Outcome, &'static str);

fn good() -> Pmf {
    synthesize::pmf([1, 2, 1], 2, 3)
}

/// An empty string of a table.
fn empty(strings: &StringTable) -> StringRef {
    let end = strings.bytes().iter().position(|byte| *byte == 0);
    StringRef(end.unwrap() as u32)
}

fn write_stored(map: &Pmf) -> Vec<u8> {
    write(map, Packing::Stored).unwrap()
}

#[track_caller]
fn check(bytes: &[u8], outcome: &Outcome, text: &str) {
    match read(bytes) {
        Err(error) => {
            assert!(
                *outcome == Refused && error.to_string().contains(text),
                "{error}"
            );
            assert!(error.to_string().starts_with("0x"), "{error}");
        }
        Ok(map) => {
            let of = |severity| {
                let problems = map.problems.iter().flat_map(Problem::with_consequences);
                problems.filter(move |problem| problem.severity == severity)
            };
            let lost = of(Severity::Error).next().is_some();
            // If a size is known from elsewhere, nothing is left out.
            let costs_nothing = ["pmf/section-size", "pmf/level-list"];
            assert!(of(Severity::Error).all(|problem| {
                problem.message.contains("left out: ") || costs_nothing.contains(&problem.rule.id)
            }));
            let severity = if lost {
                Severity::Error
            } else {
                Severity::Warning
            };
            let said = of(severity).any(|problem| problem.message.contains(text));
            let found = if lost { Lost } else { Listed };
            assert!(
                said && *outcome == found,
                "`{text}`: {found:?} {:#?}",
                map.problems
            );
        }
    }
}

#[track_caller]
fn check_all(cases: &[Case]) {
    for (change, outcome, text) in cases {
        let mut map = good();
        change(&mut map);
        check(&write_stored(&map), outcome, text);
    }
}

fn chunk(map: &mut Pmf) -> &mut ChunkData {
    map.levels[0].chunks[0].data.as_mut().unwrap()
}

fn client(map: &mut Pmf) -> &mut ChunkClient {
    chunk(map).client.as_mut().unwrap()
}

fn server(map: &mut Pmf) -> &mut ChunkServer {
    chunk(map).server.as_mut().unwrap()
}

fn level_client(map: &mut Pmf) -> &mut LevelClient {
    map.levels[0].client.as_mut().unwrap()
}

/// Replaces the cubes of a chunk, and adds as many vertices and normals as one face needs.
fn set_cubes(map: &mut Pmf, build: fn(&mut Cubes)) {
    let chunk = chunk(map);
    chunk.cubes = Cubes::default();
    build(&mut chunk.cubes);
    if let Some(client) = &mut chunk.client {
        client.vertices = vec![Vertex::default(); 4];
        client.normals = vec![[0.0, 1.0, 0.0]; 3];
        client.fast_lights = vec![ClientFastLight::new([0; 3])];
    }
}

/// A basic box with a face on its first side.
fn boxed() -> Geometry {
    let mut geometry = Geometry::new(0, 0, 0);
    geometry.triangles[0] = 2;
    geometry
}

const NOWHERE: StringRef = StringRef(99_999);

#[test]
fn good_maps_have_nothing_wrong() {
    let map = read(&write_stored(&good())).unwrap();
    assert_eq!(map.problems, []);
}

#[test]
fn heads_are_checked() {
    let bytes = write_stored(&good());
    let name = &good().header.name;
    assert!(bytes[12..].starts_with(name.as_bytes()));
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    check(b"", &Refused, "the file has 0 bytes");
    check(b"PMF", &Refused, "the file has 3 bytes");
    check(&with(0, b'Q'), &Refused, "found `QMF`; expected `PMF`");
    check(
        &with(3, 1),
        &Refused,
        "0x3: header: version 1; expected version 0",
    );
    check(
        &bytes[..14],
        &Refused,
        "0xc: name of the map: a text without end",
    );
    let header = &good().header;
    let texts = [
        &header.name,
        &header.description,
        &header.authors,
        &header.compiler,
    ];
    let gamemodes = 12 + texts.iter().map(|text| text.len() + 1).sum::<usize>();
    check(
        &with(gamemodes, 33),
        &Lost,
        "gamemodes: 33 gamemodes; expected at most 32",
    );
    // After one gamemode, `walk`, the tables, the archive and the extensions.
    let strings = gamemodes + 1 + 5;
    check(&with(strings + 3, 0xFF), &Lost, "bytes of strings, but");
    let archive = strings + 4 + good().strings.bytes().len();
    check(&with(archive + 3, 0xFF), &Lost, "archive: ");
    let extensions = archive + 4;
    check(&with(extensions + 1, 0xFF), &Lost, "65281 extensions, but");
    check(&with(extensions + 2 + 3, 0xFF), &Lost, "extension 0: ");
    let levels = extensions + 2 + 4 + good().extensions[0].data.len() + 1 + 12;
    assert_eq!(bytes[levels], 1);
    check(&with(levels + 4, 0xFF), &Lost, "level 0: ");
    check(
        &with(levels, 2),
        &Lost,
        "it leads to no level; expected 1 level",
    );
    let cut = bytes.len() - good().entities.bytes().len() + 19;
    check(&bytes[..cut], &Lost, "entity tables: 19 bytes left");
    check(&[&bytes[..], &[0]].concat(), &Listed, "1 byte left over");

    check_all(&[
        (
            |map| map.header.created_unix_secs = u64::MAX,
            Listed,
            "after the year 9999",
        ),
        (
            |map| map.header.name = "x".repeat(1 << 16),
            Listed,
            "more than 64 KiB",
        ),
        (
            |map| map.header.gamemodes = vec![String::new()],
            Listed,
            "a name of 0 bytes",
        ),
        (
            |map| map.header.gamemodes = vec!["x".repeat(16)],
            Listed,
            "a name of 16 bytes",
        ),
        (
            |map| map.extensions[0].name.clear(),
            Listed,
            "extension 0: it has no name",
        ),
        (|map| map.extensions[0].flags = 4, Listed, "flags 0x04"),
        (
            |map| {
                map.extensions[0].flags = Extension::SUPPORT_REQUIRED;
                map.extensions[0].name = "new".to_owned();
            },
            Listed,
            "`new` is not known",
        ),
    ]);
}

#[test]
fn levels_are_checked() {
    check_all(&[
        (|map| map.levels[0].flags = 0x80, Listed, "flags 0x80"),
        (
            |map| map.levels[0].chunk_exponent = 25,
            Lost,
            "chunks of 2^25 m",
        ),
        (
            |map| map.levels[0].center = ChunkIndex(1),
            Listed,
            "no chunk (0, 0, 1), which should be its centre",
        ),
        (
            |map| map.levels[0].common.materials[1].name = NOWHERE,
            Lost,
            "material 1, at",
        ),
        (
            |map| map.levels[0].common.materials[0].flags = 4,
            Listed,
            "flags 0x04",
        ),
        (
            |map| map.levels[0].common.materials[0].render_mode = 2,
            Listed,
            "render mode 2",
        ),
        (
            |map| map.levels[0].common.materials[1] = map.levels[0].common.materials[0],
            Listed,
            "material 1, at 0x39 of the data of the common section of level 0: `stone` is there",
        ),
        (
            |map| map.levels[0].common.physics_materials[0].flags = 2,
            Listed,
            "flags 0x02",
        ),
        (
            |map| map.levels[0].common.physics_materials[1].bounce = f32::NAN,
            Listed,
            "physics material 1, at",
        ),
        (
            |map| map.levels[0].common.sound_materials[0].volume_dampening = f32::INFINITY,
            Listed,
            "a number is inf",
        ),
        (
            |map| map.levels[0].common.air_physics = map.levels[0].common.materials[0].name,
            Listed,
            "the level has no physics material `stone`",
        ),
        (
            |map| map.levels[0].common.weathers[0].wind[1] = f32::NAN,
            Listed,
            "weather environment 0",
        ),
        (
            |map| map.levels[0].common.gravities.clear(),
            Listed,
            "no gravity environment `earth`",
        ),
        (
            |map| level_client(map).sounds[0].name = NOWHERE,
            Lost,
            "sound environment 0",
        ),
        (
            |map| level_client(map).skies[0].flags = 2,
            Listed,
            "flags 0x02",
        ),
        (
            |map| {
                level_client(map).skies[0].flags = Sky::HAS_3D_SKYBOX;
                level_client(map).skies[0].skybox_chunk = ChunkIndex::new([9, 0, 0]);
            },
            Listed,
            "no chunk (9, 0, 0) for the skybox",
        ),
        (
            |map| level_client(map).skies[0].top_clouds = level_client(map).default_sky,
            Listed,
            "the level has no material `day`",
        ),
        (
            |map| level_client(map).materials[2].matcap = NOWHERE,
            Lost,
            "client material 2",
        ),
        (
            |map| level_client(map).materials[2].wave.wind = f32::NAN,
            Listed,
            "client material 2",
        ),
        (
            |map| map.levels[0].common.strings = StringTable::new(b"not ended"),
            Lost,
            "does not end",
        ),
    ]);
}

#[test]
fn chunks_are_checked() {
    check_all(&[
        (
            |map| map.levels[0].chunks[0].data = None,
            Lost,
            "the section is missing",
        ),
        (
            |map| chunk(map).materials[2] = NOWHERE,
            Lost,
            "used material 2, at",
        ),
        (
            |map| chunk(map).sound_materials[0] = NOWHERE,
            Lost,
            "used sound material 0",
        ),
        (
            |map| chunk(map).materials[2] = chunk(map).physics_materials[0],
            Listed,
            "no material",
        ),
        (
            |map| chunk(map).weather_regions[0].environment = NOWHERE,
            Lost,
            "weather region 0",
        ),
        (
            |map| chunk(map).gravity_regions[0].environment = chunk(map).materials[0],
            Listed,
            "the level has no gravity environment `stone`",
        ),
        (
            |map| chunk(map).weather_regions[0].corners[3][1] = f32::NAN,
            Listed,
            "box is left out",
        ),
        (
            |map| chunk(map).dynamic_lights[0].flags = 0x10,
            Listed,
            "dynamic light 0",
        ),
        (
            |map| client(map).normals = vec![[f32::NAN; 3]],
            Listed,
            "normal 0",
        ),
        (
            |map| client(map).fast_lights[0].push_range(u32::MAX, &[1]),
            Lost,
            "client fast light 0",
        ),
        (
            |map| server(map).regions[0].max[0] = -99.0,
            Listed,
            "is below its min corner",
        ),
        (
            |map| server(map).regions[0].min[0] = f32::NAN,
            Listed,
            "the region is left out",
        ),
        (
            |map| server(map).regions[0].chunks[0] = ChunkIndex::new([0, 2, 0]),
            Listed,
            "region 0, at 0x2a of the data of the server section of chunk (0, 0, 0) of level 0: \
             the grid has no chunk (0, 2, 0)",
        ),
        (
            |map| chunk(map).client = None,
            Listed,
            "in the client section, which is missing",
        ),
        (
            |map| chunk(map).server = None,
            Listed,
            "in the server section, which is missing",
        ),
    ]);
}

#[test]
fn cubes_are_checked() {
    check_all(&[
        (
            |map| set_cubes(map, |cubes| _ = cubes.push_parent(1, &[0])),
            Lost,
            "cube 0, at",
        ),
        (
            |map| set_cubes(map, |cubes| _ = cubes.push_parent(3, &[1, 1])),
            Lost,
            "its child 1, but the list has only cube 0",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_parent(3, &[1, 1]);
                    cubes.push_empty();
                });
            },
            Lost,
            "its child 1 is in another cube already",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    for child in 1..=65 {
                        cubes.push_parent(1, &[child]);
                    }
                    cubes.push_empty();
                });
            },
            Lost,
            "its child 65 is below more than 64 parents",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_light_info(Some(0), [0; 3], &[], &[]);
                });
            },
            Lost,
            "of the data of the client section of chunk (0, 0, 0) of level 0: its child is cube 0",
        ),
        (
            |map| set_cubes(map, |cubes| _ = cubes.push_path_info(Some(7), &[])),
            Lost,
            "of the data of the server section of chunk (0, 0, 0) of level 0: its child 7",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let bad = PathAttribute {
                        name: StringRef(0),
                        data: NOWHERE,
                    };
                    cubes.push_path_info(Some(1), &[bad]);
                    cubes.push_empty();
                });
            },
            Lost,
            "cube 0, at",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_empty();
                    cubes.push_empty();
                    cubes.push_empty();
                });
            },
            Listed,
            "2 of 3 cubes are in no other",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.first_vertex = 1;
                    cubes.push_geometry(bad, &[]);
                });
            },
            Lost,
            "its 4 vertices begin at 1; expected all of them among the 4",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.bits = Geometry::CLIENT_EXTENDED;
                    bad.triangles[0] = 1;
                    bad.first_normal = u32::MAX;
                    cubes.push_geometry(bad, &[]);
                });
            },
            Lost,
            "its 3 normals begin at 4294967295",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.materials = [3; 6];
                    cubes.push_geometry(bad, &[]);
                });
            },
            Lost,
            "material 3, but the list ends at 2",
        ),
        // Unreachable cubes are not drawn, regardless of their content.
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_empty();
                    let mut bad = boxed();
                    bad.materials = [3; 6];
                    bad.first_vertex = 9;
                    cubes.push_geometry(bad, &[]);
                });
            },
            Listed,
            "1 of 2 cubes are in no other",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.lightmaps = [1; 6];
                    cubes.push_geometry(bad, &[]);
                });
            },
            Listed,
            "lightmap 1, but the list has only lightmap 0",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.physics = [1; 6];
                    cubes.push_geometry(bad, &[]);
                });
            },
            Listed,
            "physics material 1, but",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.sound = 9;
                    cubes.push_geometry(bad, &[]);
                });
            },
            Listed,
            "sound material 9, but",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let mut bad = boxed();
                    bad.bits = Geometry::COMMON_EXTENDED;
                    bad.moved = 4;
                    cubes.push_geometry(bad, &[[0.0, f32::NAN, 0.0]]);
                });
            },
            Listed,
            "the moved corner 2 is not finite",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_collider(1, [[[0.0; 3]; 8], [[f32::INFINITY; 3]; 8]]);
                    cubes.push_empty();
                });
            },
            Listed,
            "a corner is not finite; the box is left out",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_vis_info(1, [0, 2], &[]);
                    cubes.push_empty();
                });
            },
            Listed,
            "visible cube 2, but the list ends at 1",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let outside = ChunkIndex::new([1, 0, 0]);
                    cubes.push_vis_info(1, [], &[(outside, Vec::new())]);
                    cubes.push_empty();
                });
            },
            Listed,
            "the grid has no chunk (1, 0, 0)",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let other = ChunkIndex::new([0, 1, 0]);
                    cubes.push_vis_info(1, [], &[(other, vec![0, 9999])]);
                    cubes.push_empty();
                });
            },
            Listed,
            "visible cube 9999 of chunk (0, 1, 0), which has",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    let bad = LightReference {
                        light: 1,
                        multiplier: 1,
                    };
                    cubes.push_light_info(Some(1), [0; 3], &[], &[bad]);
                    cubes.push_empty();
                });
            },
            Listed,
            "fast light 1, but the list has only fast light 0",
        ),
        (
            |map| {
                set_cubes(map, |cubes| _ = cubes.push_geometry(boxed(), &[]));
                client(map).vertices[2].position[1] = f32::NAN;
            },
            Listed,
            "a vertex of its side +X is not finite (from vertex 0 on); the side is left out",
        ),
    ]);
}

#[test]
fn sides_that_share_a_lightmap_share_its_problem() {
    for (bits, expected) in [(0, 1), (Geometry::CLIENT_EXTENDED, 6)] {
        let mut map = good();
        set_cubes(&mut map, |_| {});
        let mut bad = Geometry::new(0, 0, 0);
        bad.bits |= bits;
        bad.triangles = [2; 6];
        bad.lightmaps = [1; 6];
        chunk(&mut map).cubes.push_geometry(bad, &[]);
        client(&mut map).vertices = vec![Vertex::default(); 36];
        client(&mut map).normals = vec![[0.0, 1.0, 0.0]; 36];
        let map = read(&write_stored(&map)).unwrap();
        let text = "lightmap 1, but the list has only lightmap 0";
        let problems = map.problems.iter();
        let found = problems.filter(|problem| problem.message.contains(text));
        assert_eq!(found.count(), expected, "{:#?}", map.problems);
    }
}

#[test]
fn a_missing_section_is_one_warning() {
    for (side, missing) in [("client", true), ("server", false)] {
        let mut map = good();
        set_cubes(&mut map, |cubes| {
            cubes.push_parent(3, &[1, 2]);
            cubes.push_light_info(Some(3), [0; 3], &[], &[]);
            cubes.push_path_info(Some(4), &[]);
            cubes.push_empty();
            cubes.push_empty();
        });
        if missing {
            chunk(&mut map).client = None;
        } else {
            chunk(&mut map).server = None;
        }
        let map = read(&write_stored(&map)).unwrap();
        // A cube that has become unreachable is not reported.
        let [problem] = &map.problems[..] else {
            panic!("{:#?}", map.problems);
        };
        let text = format!("are in the {side} section, which is missing");
        assert!(problem.message.contains(&text), "{problem}");
        let cubes = &map.levels[0].chunks[0].data.as_ref().unwrap().cubes;
        assert_eq!(cubes.orphans(), 1);
    }
}

#[test]
fn children_in_a_section_that_cannot_be_read_are_said_to_be() {
    let mut map = good();
    set_cubes(&mut map, |cubes| {
        cubes.push_path_info(Some(1), &[]);
        cubes.push_geometry(boxed(), &[]);
    });
    let mut file = write_stored(&map);
    let frames = read(&file).unwrap().levels[0].chunks[0].frames;
    file[frames[2].start as usize] = 0;
    let map = read(&file).unwrap();
    let cubes = &map.levels[0].chunks[0].data.as_ref().unwrap().cubes;
    assert!(cubes.is_drawn(1) && !cubes.is_reached(1));
    let [problem] = &map.problems[..] else {
        panic!("{:?}", map.problems);
    };
    let mut problems = problem.consequences.iter();
    let said = problems.find(|problem| problem.rule.id == "pmf/missing-children");
    let message = &said.unwrap().message;
    assert!(
        message.contains("1 pathinfo cube, of which this is the first: "),
        "{message}"
    );
}

#[test]
fn empty_names_are_names_that_a_level_must_have() {
    type Break = fn(&mut Pmf);
    let cases: [(Break, &str); 4] = [
        (
            |map| {
                let chunk = chunk(map);
                chunk.materials[0] = empty(&chunk.strings);
            },
            "used material 0, at",
        ),
        (
            |map| {
                let chunk = chunk(map);
                chunk.physics_materials[0] = empty(&chunk.strings);
            },
            "the level has no physics material",
        ),
        (
            |map| {
                let chunk = chunk(map);
                chunk.weather_regions[0].environment = empty(&chunk.strings);
            },
            "the level has no weather environment",
        ),
        (
            |map| {
                let none = empty(&chunk(map).strings);
                client(map).sky_regions[0].environment = none;
            },
            "the level has no sky environment",
        ),
    ];
    for (change, text) in cases {
        let mut map = good();
        change(&mut map);
        check(&write_stored(&map), &Listed, text);
    }
    // Default values may be empty.
    let mut map = good();
    let common = &mut map.levels[0].common;
    common.default_weather = empty(&common.strings);
    common.default_gravity = empty(&common.strings);
    common.air_physics = empty(&common.strings);
    assert_eq!(read(&write_stored(&map)).unwrap().problems, []);
}

#[test]
fn faces_that_are_not_finite_are_left_out() {
    let mut map = good();
    set_cubes(&mut map, |cubes| _ = cubes.push_geometry(boxed(), &[]));
    client(&mut map).vertices[3].uv[0] = f32::INFINITY;
    let again = read(&write_stored(&map)).unwrap();
    let data = again.levels[0].chunks[0].data.as_ref().unwrap();
    let Some(Cube::Geometry(geometry)) = data.cubes.get(0) else {
        panic!("no geometry");
    };
    assert_eq!((geometry.side_mask(), geometry.faces().count()), (1, 0));
}

/// Changes bytes of the decoded section of a chunk.
fn patched(side: Side, at: usize, bytes: &[u8]) -> Vec<u8> {
    /// Size of the parts before the data of a stored section: magic, descriptor and block size.
    const BEFORE: usize = 11;
    let mut file = write_stored(&good());
    let map = read(&file).unwrap();
    let frame = map.levels[0].chunks[0].frames[side as usize];
    let start = frame.start as usize + BEFORE;
    assert!(frame.unpacked < 1 << 16 && at + bytes.len() <= frame.unpacked as usize);
    let at = start + at;
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[test]
fn counts_that_lie_are_found_out() {
    let data = good().levels.remove(0).chunks.remove(0).data.unwrap();
    let client = data.client.unwrap();
    // Offsets of the numbers of cubes, vertices and normals.
    let cubes = 4 + data.strings.bytes().len() + 3 + 4 * (3 + 1 + 1) + 2 + 2 * 100 + 2 + 5 + 6;
    let lightmaps = 2 + 2 * 100;
    let vertices = lightmaps + 1 + 1 + client.lightmaps[0].luxels.len();
    let normals = vertices + 4 + 28 * client.vertices.len();
    let lights = normals + 4 + 12 * client.normals.len();
    let fast_lights = lights + 3 + 1 + 1 + client.lightmaps[0].luxels.len();
    let regions = 4 + data.server.unwrap().strings.bytes().len();
    let most = &u32::MAX.to_le_bytes()[..];
    let cases: [(Side, usize, &[u8], &str); 15] = [
        (
            Side::Common,
            0,
            most,
            "string table, at 0x4 of the data of the common section of chunk (0, 0, 0) of level 0: 4294967295 bytes of strings, but",
        ),
        (Side::Common, cubes, &[0; 4], "no cubes"),
        (Side::Common, cubes, most, "4294967295 cubes, but"),
        (Side::Common, cubes + 4, &[7], "cube 0, at"),
        (
            Side::Common,
            cubes + 9,
            most,
            "4294967295 visible cubes, but",
        ),
        (Side::Common, cubes - 6 - 1, &[255], "255 fast lights, but"),
        (Side::Client, 0, &[255], "255 sound regions, but"),
        (Side::Client, lightmaps + 1, &[16], "lightmap 0"),
        (Side::Client, lightmaps + 1, &[15], "lightmap 0"),
        (Side::Client, vertices, most, "4294967295 vert"),
        (Side::Client, normals, most, "4294967295 normals, but"),
        (
            Side::Client,
            lights + 4,
            &[1],
            "lightmap 1, but the list has only lightmap 0",
        ),
        (
            Side::Client,
            fast_lights + 3,
            most,
            "4294967295 ranges of vertices, but",
        ),
        (
            Side::Client,
            fast_lights + 3 + 4 + 4,
            most,
            "4294967295 multipliers, but",
        ),
        (Side::Server, regions, &[255], "255 regions, but"),
    ];
    for (side, at, bytes, text) in cases {
        check(&patched(side, at, bytes), &Lost, text);
    }
    // Bits without a meaning.
    check(
        &patched(Side::Common, cubes + 4, &[0x83]),
        &Listed,
        "flags 0x80",
    );
}

#[test]
fn entities_that_cannot_be_read_spoil_nothing_else() {
    let file = write_stored(&good());
    let map = read(&file).unwrap();
    let data = map.levels[0].chunks[0].data.as_ref().unwrap();
    let entities = data.server.as_ref().unwrap().entities.range().start;
    let file = patched(Side::Server, entities, &[0xFF; 8]);
    check(&file, &Lost, "4294967295 16-bit values, but");
    let map = read(&file).unwrap();
    let chunk = &map.levels[0].chunks[0];
    assert!(!chunk.is_whole() && chunk.data.is_some());
}

#[test]
fn a_broken_entity_costs_none_of_those_before_it() {
    let whole = good();
    let file = write_stored(&whole);
    let count = whole.entities.len();
    assert!(count > 1);
    let map = read(&file[..file.len() - 1]).unwrap();
    assert_eq!(map.entities.len(), count - 1);
    let names = |map: &Pmf| -> Vec<_> {
        let all = (0..count - 1).map(|i| map.entities.get(i, &map.strings).unwrap().range());
        all.map(|range| range.len()).collect()
    };
    assert_eq!(names(&map), names(&read(&file).unwrap()));
    let [problem] = &map.problems[..] else {
        panic!("{:?}", map.problems);
    };
    assert!(problem.message.ends_with("left out: 1 entity"), "{problem}");
    // A wrong number.
    let map = read(&file).unwrap();
    let data = map.levels[0].chunks[0].data.as_ref().unwrap();
    let server = data.server.as_ref().unwrap();
    let entities = &server.entities;
    let first = entities.get(0, &server.strings).unwrap().range().start;
    let file = patched(Side::Server, first - 4, &[200]);
    let map = read(&file).unwrap();
    let chunk = &map.levels[0].chunks[0];
    let kept = &chunk
        .data
        .as_ref()
        .unwrap()
        .server
        .as_ref()
        .unwrap()
        .entities;
    assert_eq!(kept.len(), entities.len());
    assert!(!chunk.is_whole());
    check(&file, &Lost, "200 entities, but");
}

/// The entities of the map are its end: without them it is incomplete, but the rest is shown.
#[test]
fn a_map_cut_off_in_its_entities_has_an_error() {
    let file = write_stored(&good());
    for left in 20..good().entities.bytes().len() {
        let cut = file.len() - good().entities.bytes().len() + left;
        let map = read(&file[..cut]).unwrap();
        assert_eq!(map.levels.len(), 1);
        assert!(
            map.entities.len() < good().entities.len(),
            "{left}: {:?}",
            map.problems
        );
        let [problem] = &map.problems[..] else {
            panic!("{:?}", map.problems);
        };
        assert_eq!(problem.severity, Severity::Error);
    }
}

#[test]
fn sections_that_lie_are_left_out() {
    let file = write_stored(&good());
    let map = read(&file).unwrap();
    let level = &map.levels[0];
    let at = |offset: u64| offset as usize;
    let with = |at: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let most = &u32::MAX.to_le_bytes()[..];
    let sizes = at(level.offset) + 1;
    check(&with(sizes, most), &Lost, "common section of level 0: ");
    check(
        &with(sizes, &[0; 4]),
        &Lost,
        "sizes of the common section of level 0: 0 bytes; expected",
    );
    check(
        &with(sizes + 12, &[0; 4]),
        &Lost,
        "sizes of the common section of level 0: 0 bytes once decoded; expected 225, as",
    );
    check(
        &with(sizes + 12, most),
        &Lost,
        "4294967295 bytes once decoded; expected 225",
    );
    check(
        &with(at(level.frames[1].start), &[0]),
        &Lost,
        "expected an LZ4 frame",
    );
    let grid = at(level.frames[2].start) + level.frames[2].packed as usize;
    check(
        &with(grid, most),
        &Lost,
        "(256 along Y, 4096 along X, 4096 along Z), but",
    );
    let directory = grid + 4 + 1 + 4;
    check(
        &with(directory, most),
        &Lost,
        "sizes of the common section of chunk (0, 0, 0) of level 0: 4294967295 bytes; expected",
    );
    check(
        &with(directory, &[0; 4]),
        &Lost,
        "sizes of the common section of chunk (0, 0, 0)",
    );
    check(
        &with(directory + 12, &[0; 4]),
        &Lost,
        "sizes of the common section of chunk (0, 0, 0) of level 0: 0 bytes once decoded",
    );
    check(
        &with(directory + 24 + 20, most),
        &Lost,
        "sizes of the server section of chunk (0, 1, 0)",
    );
    check(
        &with(at(level.chunks[1].frames[1].start) + 4, &[1]),
        &Lost,
        "needs a dictionary",
    );
}

/// White lightmaps are 250 times as large decoded as compressed, and are read anyway.
#[test]
fn a_map_may_decode_to_as_much_as_lz4_can() {
    let mut map = good();
    let white = || Lightmap {
        exponent: 11,
        luxels: vec![255; 3 << 22],
    };
    for chunk in &mut map.levels[0].chunks {
        let client = chunk.data.as_mut().unwrap().client.as_mut().unwrap();
        client.lightmaps.extend((0..6).map(|_| white()));
    }
    let file = write(&map, Packing::Compressed).unwrap();
    let again = read(&file).unwrap();
    assert_eq!(again.problems, []);
    let decoded = 2 * 6 * (3 << 22);
    assert!(
        decoded > 128 << 20 && file.len() * 100 < decoded,
        "{}",
        file.len()
    );
    assert!(
        again.levels[0]
            .chunks
            .iter()
            .all(|chunk| chunk.data.is_some())
    );
}

#[test]
fn compressed_sections_that_are_broken_are_left_out() {
    let file = write(&good(), Packing::Compressed).unwrap();
    let map = read(&file).unwrap();
    for (i, chunk) in map.levels[0].chunks.iter().enumerate() {
        for (frame, side) in chunk.frames.into_iter().zip(Side::ALL) {
            let mut file = file.clone();
            file[frame.start as usize + frame.packed as usize / 2] ^= 0x55;
            let broken = read(&file).unwrap();
            let chunks = &broken.levels[0].chunks;
            assert!(!chunks[i].is_whole() && chunks[1 - i].is_whole());
            // A section that decodes to its full size is kept.
            assert!(chunks[i].data.is_some() || side == Side::Common);
            // A warning adds that the place of cubes is lost with it.
            let errors = broken.problems.iter();
            let mut errors = errors.filter(|problem| problem.severity == Severity::Error);
            let (Some(problem), None) = (errors.next(), errors.next()) else {
                panic!("{:?}", broken.problems);
            };
            let message = &problem.message;
            assert!(message.contains("the LZ4 frame") && message.contains("left out: "));
        }
    }
}

/// A fault of a frame outside its blocks does not lose any of their content.
#[test]
fn a_wrong_checksum_is_an_error_that_costs_nothing() {
    let file = write(&good(), Packing::Compressed).unwrap();
    let map = read(&file).unwrap();
    for (i, chunk) in map.levels[0].chunks.iter().enumerate() {
        for frame in chunk.frames {
            // The checksums of the head and of the content.
            for at in [frame.start + 6, frame.end() - 1] {
                let mut file = file.clone();
                file[at as usize] ^= 0x55;
                let broken = read(&file).unwrap();
                let [problem] = &broken.problems[..] else {
                    panic!("{:?}", broken.problems);
                };
                assert_eq!(problem.severity, Severity::Error);
                assert_eq!(problem.rule.id, "pmf/lz4");
                let data = broken.levels[0].chunks[i].data.clone().unwrap();
                let expected = chunk.data.clone().unwrap();
                assert!(data.is_damaged);
                let is_damaged = false;
                assert_eq!(
                    ChunkData {
                        is_damaged,
                        ..*data
                    },
                    *expected
                );
            }
        }
    }
}
