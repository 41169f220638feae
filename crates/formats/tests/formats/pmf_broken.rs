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
                *outcome == Refused && error.problem().unwrap().facts().contains(text),
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
                problem.may_leave_out() || costs_nothing.contains(&problem.rule.id)
            }));
            let severity = if lost {
                Severity::Error
            } else {
                Severity::Warning
            };
            let said = of(severity).any(|problem| problem.facts().contains(text));
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
    check(b"", &Refused, "pmf/magic: 0 PMF");
    check(b"PMF", &Refused, "pmf/magic: 3 PMF");
    check(&with(0, b'Q'), &Refused, "pmf/magic: PMF QMF");
    check(&with(3, 1), &Refused, "0x3: error: pmf/version: 0 1");
    check(&bytes[..14], &Refused, "0xc: error: pmf/unterminated-text");
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
        "pmf/gamemode-count, left out: 32 33",
    );
    // After one gamemode, `walk`, the tables, the archive and the extensions.
    let strings = gamemodes + 1 + 5;
    check(
        &with(strings + 3, 0xFF),
        &Lost,
        "pmf/truncated, left out: 1 17051 4278190089",
    );
    let archive = strings + 4 + good().strings.bytes().len();
    check(&with(archive + 3, 0xFF), &Lost, "pmf/");
    let extensions = archive + 4;
    check(
        &with(extensions + 1, 0xFF),
        &Lost,
        "pmf/truncated, left out: 17036 4 65281",
    );
    check(&with(extensions + 2 + 3, 0xFF), &Lost, "(Extension 0)");
    let levels = extensions + 2 + 4 + good().extensions[0].data.len() + 1 + 12;
    assert_eq!(bytes[levels], 1);
    check(
        &with(levels + 4, 0xFF),
        &Lost,
        "pmf/section-size (Level 0): 0 16897 4278206977",
    );
    check(&with(levels, 2), &Lost, "pmf/level-list: 0x69 1");
    let cut = bytes.len() - good().entities.bytes().len() + 19;
    check(&bytes[..cut], &Lost, "pmf/truncated, left out: 19 20");
    check(
        &[&bytes[..], &[0]].concat(),
        &Listed,
        "pmf/trailing-data: 1",
    );

    check_all(&[
        (
            |map| map.header.created_unix_secs = u64::MAX,
            Listed,
            "pmf/creation-time: 18446744073709551615 9999",
        ),
        (
            |map| map.header.name = "x".repeat(1 << 16),
            Listed,
            "pmf/long-text: 64 65536",
        ),
        (
            |map| map.header.gamemodes = vec![String::new()],
            Listed,
            "pmf/gamemode-name: 0 1 15",
        ),
        (
            |map| map.header.gamemodes = vec!["x".repeat(16)],
            Listed,
            "pmf/gamemode-name: 0 1 15 16",
        ),
        (
            |map| map.extensions[0].name.clear(),
            Listed,
            "pmf/extension-name (Extension 0): 0",
        ),
        (
            |map| map.extensions[0].flags = 4,
            Listed,
            "pmf/reserved-bits (Extension 0): 0 0x03 0x04",
        ),
        (
            |map| {
                map.extensions[0].flags = Extension::SUPPORT_REQUIRED;
                map.extensions[0].name = "new".to_owned();
            },
            Listed,
            "pmf/required-extension (Extension 0): 0 new",
        ),
    ]);
}

#[test]
fn levels_are_checked() {
    check_all(&[
        (
            |map| map.levels[0].flags = 0x80,
            Listed,
            "pmf/reserved-bits (Level 0): 0 0x07 0x80",
        ),
        (
            |map| map.levels[0].chunk_exponent = 25,
            Lost,
            "pmf/chunk-size (Level 0), left out: 0 2^24 2^25",
        ),
        (
            |map| map.levels[0].center = ChunkIndex(1),
            Listed,
            "pmf/chunk-index (Level 0): 0 1",
        ),
        (
            |map| map.levels[0].common.materials[1].name = NOWHERE,
            Lost,
            "pmf/string",
        ),
        (
            |map| map.levels[0].common.materials[0].flags = 4,
            Listed,
            "pmf/reserved-bits (Level 0): 0 0x03 0x04 0x37",
        ),
        (
            |map| map.levels[0].common.materials[0].render_mode = 2,
            Listed,
            "pmf/render-mode (Level 0): 0 0x38 1 2",
        ),
        (
            |map| map.levels[0].common.materials[1] = map.levels[0].common.materials[0],
            Listed,
            "pmf/duplicate-name (Level 0): 0 0x39 1 stone",
        ),
        (
            |map| map.levels[0].common.physics_materials[0].flags = 2,
            Listed,
            "pmf/reserved-bits",
        ),
        (
            |map| map.levels[0].common.physics_materials[1].bounce = f32::NAN,
            Listed,
            "pmf/not-finite",
        ),
        (
            |map| map.levels[0].common.sound_materials[0].volume_dampening = f32::INFINITY,
            Listed,
            "pmf/not-finite (Level 0): 0 0x8b",
        ),
        (
            |map| map.levels[0].common.air_physics = map.levels[0].common.materials[0].name,
            Listed,
            "pmf/unknown-name (Level 0): 0 0x93 stone",
        ),
        (
            |map| map.levels[0].common.weathers[0].wind[1] = f32::NAN,
            Listed,
            "pmf/not-finite",
        ),
        (
            |map| map.levels[0].common.gravities.clear(),
            Listed,
            "pmf/unknown-name",
        ),
        (
            |map| level_client(map).sounds[0].name = NOWHERE,
            Lost,
            "pmf/string (Level 0), left out: 0 0x15 0x1869f 16",
        ),
        (
            |map| level_client(map).skies[0].flags = 2,
            Listed,
            "pmf/reserved-bits",
        ),
        (
            |map| {
                level_client(map).skies[0].flags = Sky::HAS_3D_SKYBOX;
                level_client(map).skies[0].skybox_chunk = ChunkIndex::new([9, 0, 0]);
            },
            Listed,
            "pmf/chunk-index (Level 0): 0 0x5b 9",
        ),
        (
            |map| level_client(map).skies[0].top_clouds = level_client(map).default_sky,
            Listed,
            "pmf/unknown-name (Level 0): 0 0x53 day",
        ),
        (
            |map| level_client(map).materials[2].matcap = NOWHERE,
            Lost,
            "pmf/string",
        ),
        (
            |map| level_client(map).materials[2].wave.wind = f32::NAN,
            Listed,
            "pmf/not-finite",
        ),
        (
            |map| map.levels[0].common.strings = StringTable::new(b"not ended"),
            Lost,
            "pmf/string",
        ),
    ]);
}

#[test]
fn chunks_are_checked() {
    check_all(&[
        (
            |map| map.levels[0].chunks[0].data = None,
            Lost,
            "pmf/missing-section (Chunk 0 0 0 0), left out: 0",
        ),
        (|map| chunk(map).materials[2] = NOWHERE, Lost, "pmf/string"),
        (
            |map| chunk(map).sound_materials[0] = NOWHERE,
            Lost,
            "pmf/string (Chunk 0 0 0 0), left out: 0 0x1869f 0x4a 51",
        ),
        (
            |map| chunk(map).materials[2] = chunk(map).physics_materials[0],
            Listed,
            "pmf/unknown-name (Chunk 0 0 0 0): 0 0x40 2 ground",
        ),
        (
            |map| chunk(map).weather_regions[0].environment = NOWHERE,
            Lost,
            "pmf/string",
        ),
        (
            |map| chunk(map).gravity_regions[0].environment = chunk(map).materials[0],
            Listed,
            "pmf/unknown-name (Chunk 0 0 0 0): 0 0x114 stone",
        ),
        (
            |map| chunk(map).weather_regions[0].corners[3][1] = f32::NAN,
            Listed,
            "pmf/not-finite-geometry (Chunk 0 0 0 0): 0 0x4f",
        ),
        (
            |map| chunk(map).dynamic_lights[0].flags = 0x10,
            Listed,
            "pmf/reserved-bits (Chunk 0 0 0 0): 0 0x03 0x10 0x119",
        ),
        (
            |map| client(map).normals = vec![[f32::NAN; 3]],
            Listed,
            "pmf/not-finite",
        ),
        (
            |map| client(map).fast_lights[0].push_range(u32::MAX, &[1]),
            Lost,
            "pmf/light-vertices (Chunk 0 0 0 0), left out: 0 0x1a44 176 4294967295 4294967296",
        ),
        (
            |map| server(map).regions[0].max[0] = -99.0,
            Listed,
            "pmf/region-corners (Chunk 0 0 0 0): -8.0 -8.0] 0 0xe 8.0 8.0] [-8.0 [-99.0",
        ),
        (
            |map| server(map).regions[0].min[0] = f32::NAN,
            Listed,
            "pmf/not-finite-geometry (Chunk 0 0 0 0): 0 0xe",
        ),
        (
            |map| server(map).regions[0].chunks[0] = ChunkIndex::new([0, 2, 0]),
            Listed,
            "pmf/chunk-index (Chunk 0 0 0 0): 0 0x2a 2",
        ),
        (
            |map| chunk(map).client = None,
            Listed,
            "pmf/missing-children (Cube 0 0 0 0 1): 0 0x14e 1",
        ),
        (
            |map| chunk(map).server = None,
            Listed,
            "pmf/missing-children (Cube 0 0 0 0 2): 0 0x14f 1 2",
        ),
    ]);
}

#[test]
fn cubes_are_checked() {
    check_all(&[
        (
            |map| set_cubes(map, |cubes| _ = cubes.push_parent(1, &[0])),
            Lost,
            "pmf/",
        ),
        (
            |map| set_cubes(map, |cubes| _ = cubes.push_parent(3, &[1, 1])),
            Lost,
            "pmf/cube-tree",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_parent(3, &[1, 1]);
                    cubes.push_empty();
                });
            },
            Lost,
            "pmf/cube-tree (Cube 0 0 0 0 0), left out: 0 0x12f 1",
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
            "pmf/cube-tree (Cube 0 0 0 0 64), left out: 0 0x2ab 64 65",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_light_info(Some(0), [0; 3], &[], &[]);
                });
            },
            Lost,
            "pmf/cube-tree (Cube 0 0 0 0 0), left out: 0 0x774",
        ),
        (
            |map| set_cubes(map, |cubes| _ = cubes.push_path_info(Some(7), &[])),
            Lost,
            "pmf/cube-tree (Cube 0 0 0 0 0), left out: 0 0x2e 7",
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
            "pmf/",
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
            "pmf/unreached-cube (Cube 0 0 0 0 1): 0 0x12a 1 2 3",
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
            "pmf/cube-vertices (Cube 0 0 0 0 0), left out: 0 0x774 1 4",
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
            "pmf/cube-vertices (Cube 0 0 0 0 0), left out: 0 0x774 3 4294967295",
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
            "pmf/cube-material (Cube 0 0 0 0 0), left out: 0 0x12a 2 3",
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
            "pmf/unreached-cube (Cube 0 0 0 0 1): 0 0x12a 1 2",
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
            "pmf/index (Cube 0 0 0 0 0): 0 0x774 1",
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
            "pmf/index (Cube 0 0 0 0 0): 0 0x12b 1",
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
            "pmf/index (Cube 0 0 0 0 0): 0 0x12c 9",
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
            "pmf/not-finite-geometry (Cube 0 0 0 0 0): 0 0x138 2",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_collider(1, [[[0.0; 3]; 8], [[f32::INFINITY; 3]; 8]]);
                    cubes.push_empty();
                });
            },
            Listed,
            "pmf/not-finite-geometry (Cube 0 0 0 0 0): 0 0x18e",
        ),
        (
            |map| {
                set_cubes(map, |cubes| {
                    cubes.push_vis_info(1, [0, 2], &[]);
                    cubes.push_empty();
                });
            },
            Listed,
            "pmf/index (Cube 0 0 0 0 0): 0 0x136 1 2",
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
            "pmf/chunk-index (Cube 0 0 0 0 0): 0 0x136 1",
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
            "pmf/index (Chunk 0 0 0 0): 0 1 77 9999",
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
            "pmf/index (Cube 0 0 0 0 0): 0 0x77d 1",
        ),
        (
            |map| {
                set_cubes(map, |cubes| _ = cubes.push_geometry(boxed(), &[]));
                client(map).vertices[2].position[1] = f32::NAN;
            },
            Listed,
            "pmf/not-finite-geometry (Cube 0 0 0 0 0): 0 0x774",
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
        let text = "pmf/index";
        let problems = map.problems.iter();
        let found = problems.filter(|problem| problem.facts().contains(text));
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
        assert_eq!(problem.rule.id, "pmf/missing-children", "{side}: {problem}");
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
    let message = &said.unwrap().facts();
    assert!(
        message.contains("pmf/missing-children (Cube 0 0 0 0 0): 0 0x129 1"),
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
            "pmf/unknown-name (Chunk 0 0 0 0):  0 0x38",
        ),
        (
            |map| {
                let chunk = chunk(map);
                chunk.physics_materials[0] = empty(&chunk.strings);
            },
            "pmf/unknown-name (Chunk 0 0 0 0):  0 0x45",
        ),
        (
            |map| {
                let chunk = chunk(map);
                chunk.weather_regions[0].environment = empty(&chunk.strings);
            },
            "pmf/unknown-name (Chunk 0 0 0 0):  0 0xaf",
        ),
        (
            |map| {
                let none = empty(&chunk(map).strings);
                client(map).sky_regions[0].environment = none;
            },
            "pmf/unknown-name (Chunk 0 0 0 0):  0 0xc6",
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
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x4 1 1043 4294967295",
        ),
        (
            Side::Common,
            cubes,
            &[0; 4],
            "pmf/cube-count (Chunk 0 0 0 0), left out: 0 0x125",
        ),
        (
            Side::Common,
            cubes,
            most,
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x129 1 4294967295 750",
        ),
        (Side::Common, cubes + 4, &[7], "pmf/"),
        (
            Side::Common,
            cubes + 9,
            most,
            "pmf/truncated (Cube 0 0 0 0 0), left out: 0 0x132 4 4294967295 741",
        ),
        (
            Side::Common,
            cubes - 6 - 1,
            &[255],
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x11f 255 6 760",
        ),
        (
            Side::Client,
            0,
            &[255],
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x1 100 255 7024",
        ),
        (Side::Client, lightmaps + 1, &[16], "pmf/"),
        (Side::Client, lightmaps + 1, &[15], "pmf/"),
        (
            Side::Client,
            vertices,
            most,
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x3d0 28 4294967295 6049",
        ),
        (
            Side::Client,
            normals,
            most,
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x1714 1117 12 4294967295",
        ),
        (
            Side::Client,
            lights + 4,
            &[1],
            "pmf/light-lightmap (Chunk 0 0 0 0), left out: 0 0x1718 1",
        ),
        (
            Side::Client,
            fast_lights + 3,
            most,
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x1a20 337 4294967295 8",
        ),
        (
            Side::Client,
            fast_lights + 3 + 4 + 4,
            most,
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0x1a28 1 329 4294967295",
        ),
        (
            Side::Server,
            regions,
            &[255],
            "pmf/truncated (Chunk 0 0 0 0), left out: 0 0xe 159 255 28",
        ),
    ];
    for (side, at, bytes, text) in cases {
        check(&patched(side, at, bytes), &Lost, text);
    }
    // Bits without a meaning.
    check(
        &patched(Side::Common, cubes + 4, &[0x83]),
        &Listed,
        "pmf/reserved-bits (Cube 0 0 0 0 0): 0 0x00 0x129 0x80",
    );
}

#[test]
fn entities_that_cannot_be_read_spoil_nothing_else() {
    let file = write_stored(&good());
    let map = read(&file).unwrap();
    let data = map.levels[0].chunks[0].data.as_ref().unwrap();
    let entities = data.server.as_ref().unwrap().entities.range().start;
    let file = patched(Side::Server, entities, &[0xFF; 8]);
    check(&file, &Lost, "4294967295");
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
    assert!(problem.may_leave_out(), "{problem}");
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
    check(&file, &Lost, " 200");
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
    check(&with(sizes, most), &Lost, "pmf/section-size");
    check(
        &with(sizes, &[0; 4]),
        &Lost,
        "pmf/section-size (Level 0): 0 240",
    );
    check(
        &with(sizes + 12, &[0; 4]),
        &Lost,
        "pmf/section-size (Level 0): 0 225",
    );
    check(
        &with(sizes + 12, most),
        &Lost,
        "pmf/section-size (Level 0): 0 225 4294967295",
    );
    check(
        &with(at(level.frames[1].start), &[0]),
        &Lost,
        "pmf/lz4 (Level 0), left out: 0 00 04 18 22 4d LZ4",
    );
    let grid = at(level.frames[2].start) + level.frames[2].packed as usize;
    check(
        &with(grid, most),
        &Lost,
        "pmf/truncated (Level 0), left out: 0 16294 24 256 4096 4294967296",
    );
    let directory = grid + 4 + 1 + 4;
    check(
        &with(directory, most),
        &Lost,
        "pmf/section-size (Chunk 0 0 0 0): 0 1062 4294967295",
    );
    check(&with(directory, &[0; 4]), &Lost, "pmf/section-size");
    check(
        &with(directory + 12, &[0; 4]),
        &Lost,
        "pmf/section-size (Chunk 0 0 0 0): 0 1047",
    );
    check(&with(directory + 24 + 20, most), &Lost, "pmf/section-size");
    check(
        &with(at(level.chunks[1].frames[1].start) + 4, &[1]),
        &Lost,
        "pmf/lz4 (Chunk 0 0 1 0), left out: 0 1",
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
            let mut errors = broken
                .problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error);
            let (Some(problem), None) = (errors.next(), errors.next()) else {
                panic!("{:?}", broken.problems);
            };
            assert!(problem.rule.id == "pmf/lz4" && problem.may_leave_out());
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
