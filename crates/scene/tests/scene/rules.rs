//! Every rule is broken by some file and documented in `docs/rules.md`. The first message of each
//! rule is in `messages`, one file per format.
//!
//! Most rules are broken by sweeps: small valid files with one line, word or byte changed at every
//! position. The other rules are broken by hand-written files.

use mapscope_scene::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{LazyLock, Mutex};

use mapscope_formats::ika::{map as ika_map, text_map, vsp};
use mapscope_formats::p3m::{self, Layout, P3m};
use mapscope_formats::paf::{self, Archive, NewFile, WrittenLayout};
use mapscope_formats::pfobj::Influence;
use mapscope_formats::pmf::{
    self, ChunkClient, ChunkData, Cubes, EntityKind, EntityList, Extension, Geometry, NewEntity,
    Packing, Pmf, StringRef, StringTableBuilder,
};
use mapscope_formats::ppe::{MapFlags, map_data, xmf};
use mapscope_formats::{Problem, ReadError, pfmap, pfobj, pfscene, ptf};
use mapscope_scene::assets::FACE_NAMES;
use mapscope_scene::level::Map;
use mapscope_scene::{Document, OpenError, OpenOptions, Progress, Source, Usage, map_parallel};
use mapscope_testdata::tiny_scene::{SCENE, bitmap};
use mapscope_testdata::{synthesize, tiny_model, tiny_p3m};

/// Files beside the opened one, by name.
type AdjacentFiles = &'static [(&'static str, &'static [u8])];

/// Ids of the broken rules, each with its first message.
#[derive(Default)]
struct BrokenRules(BTreeMap<&'static str, String>);

impl BrokenRules {
    fn add<'p>(&mut self, problems: impl IntoIterator<Item = &'p Problem>) {
        let problems = problems.into_iter().flat_map(Problem::with_consequences);
        for problem in problems {
            let first = self.0.entry(problem.rule.id);
            first.or_insert_with(|| without_folders(&problem.message));
        }
    }

    fn append(&mut self, other: Self) {
        for (id, message) in other.0 {
            self.0.entry(id).or_insert(message);
        }
    }

    fn add_read<T>(&mut self, read: Result<T, ReadError>, problems: fn(&T) -> &[Problem]) {
        match read {
            Ok(file) => self.add(problems(&file)),
            Err(error) => self.add(error.problem()),
        }
    }

    /// Opens a file as the program does, with others beside it.
    fn open(&mut self, name: &str, bytes: impl Into<Vec<u8>>, beside: AdjacentFiles) {
        let source = Source {
            path: name.into(),
            bytes: bytes.into().into(),
            embedded: beside,
            archive: None,
        };
        match mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()) {
            Ok(document) => {
                self.add(&document.about().problems);
                self.add(&document.notes());
            }
            Err(OpenError::Refused { problem, .. }) => self.add([&*problem]),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

/// A message without the name of a temporary folder, which differs from run to run.
fn without_folders(message: &str) -> String {
    let message = message.replace("assets\\models", "assets/models");
    let folder = std::env::temp_dir().display().to_string();
    let Some((before, after)) = message.split_once(folder.trim_end_matches(['/', '\\'])) else {
        return message;
    };
    let rest = after.find(' ').map_or("", |at| &after[at..]);
    format!("{before}FOLDER{rest}")
}

/// Variants of a text with one line or word changed, for at most the given number of lines.
fn swept_text(text: &str, lines: usize) -> Vec<String> {
    const WORDS: [&str; 10] = [
        "",
        "x",
        "-1",
        "0",
        "2",
        "999",
        "99999999",
        "nan",
        "1,5",
        "a_very_long_name",
    ];
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let mut swept = vec![
        format!("\u{feff}{text}"),
        format!("{text}more"),
        text.trim_end().to_owned(),
        String::new(),
    ];
    for (i, line) in all.iter().enumerate().take(lines) {
        let mut with = |changed: &str| {
            let parts = [&all[..i], &[changed], &all[i + 1..]].concat();
            swept.push(parts.concat());
        };
        with("");
        with(&line.repeat(2));
        with(&format!("\n{line}"));
        with(&format!(" {line}"));
        with(&format!("<<<<<<< a\n{line}=======\n>>>>>>> b\n"));
        with(&line.replace('\n', " more\n"));
        with(&line.replace('\n', ""));
        with(&line.replace('\n', &format!("{}\n", " ".repeat(300))));
        let words: Vec<&str> = line.split_inclusive([' ', '/', '(', ')', '=']).collect();
        for (at, word) in words.iter().enumerate() {
            let bare = word.trim_end_matches([' ', '/', '(', ')', '=', '\n']);
            for new in WORDS {
                let word = word.replacen(bare, new, 1);
                let line = [&words[..at], &[&word], &words[at + 1..]].concat();
                with(&line.concat());
            }
        }
        swept.push(all[..i].concat());
        if let Some(next) = all.get(i + 1) {
            let swapped = [&all[..i], &[next, line], &all[i + 2..]].concat();
            swept.push(swapped.concat());
        }
    }
    swept
}

/// Variants of bytes with one byte of a range changed, or truncated there.
fn swept_bytes(bytes: &[u8], range: std::ops::Range<usize>) -> Vec<Vec<u8>> {
    let mut swept = vec![[bytes, b"more"].concat()];
    for at in range {
        for new in [0, 7, 0xFF] {
            let mut changed = bytes.to_vec();
            changed[at] = new;
            swept.push(changed);
        }
        swept.push(bytes[..at].to_vec());
    }
    swept
}

fn sweep_pfmap(broken: &mut BrokenRules) {
    let text = String::from_utf8(synthesize::pfmap(1, 1, 1))
        .unwrap()
        .replace("version 1.0", "version 1.2")
        .replace("num_rows", "num_splats 1\nnum_rows")
        .replacen("\n0+", "\nsplat 0 1\n0+", 1);
    for text in swept_text(&text, 14) {
        broken.add_read(pfmap::read(text.as_bytes()), |map| &map.problems);
    }
    let tile = text.find("\n0+").unwrap() + 1;
    for (at, character) in [(0, "x"), (12, "7")] {
        let mut text = text.clone();
        text.replace_range(tile + at..=tile + at, character);
        broken.add_read(pfmap::read(text.as_bytes()), |map| &map.problems);
    }
    let of_2018 = "version 1.0\nnum_rows 1\nnum_cols 1\n000010 000010\n";
    broken.add_read(pfmap::read(of_2018.as_bytes()), |map| &map.problems);
}

fn sweep_pfobj(broken: &mut BrokenRules) {
    let text = pfobj::write(&tiny_model());
    for text in swept_text(&String::from_utf8_lossy(&text), usize::MAX) {
        broken.add_read(pfobj::read(text.as_bytes()), |model| &model.problems);
        broken.add_read(pfobj::read(text.as_bytes()), |model| &model.notes);
    }
}

/// Models with an unused material, an invalid level of detail, one without clips, and weights below
/// zero.
fn break_model_files(broken: &mut BrokenRules) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pfobj");
    let mut model = tiny_model();
    for vertex in &mut model.vertices {
        vertex.material = 0;
    }
    std::fs::write(folder.path().join("a.lod1.pfobj"), "version 1.0").unwrap();
    let mut other = model.clone();
    other.clips.clear();
    std::fs::write(folder.path().join("a.lod2.pfobj"), pfobj::write(&other)).unwrap();
    let model = pfobj::write(&model);
    std::fs::write(&path, &model).unwrap();
    broken.open(path.to_str().unwrap(), model, &[]);
    let still = |corners: &[String]| {
        let count = corners.len();
        format!(
            "version 1.0\nnum_verts {count}\nnum_joints 0\nnum_materials 1\nnum_as 0\n\
             frame_counts \nhas_collision 1\n{}material Skin\nambient 1\ndiffuse 1 1 1\n\
             specular 0 0 0\ntexture skin.png\nx_bounds 0 1\ny_bounds 0 1\nz_bounds 0 1\n",
            corners.concat()
        )
    };
    // A triangle that faces +Z, with all normals except one against it.
    let corners = [("0 0 0", -1), ("1 0 0", -1), ("0 1 0", 1)]
        .map(|(at, z)| format!("v {at}\nvt 0 0\nvn 0 0 {z}\nvw \nvm 0\n"));
    broken.open("bent.pfobj", still(&corners), &[]);
    // A corner of a cube with inward normals and a single point of its texture, and one with
    // texture coordinates in pixels.
    let faces = [
        (["0 0 0", "0 1 0", "1 0 0"], "0 0 1"),
        (["0 0 0", "1 0 0", "0 0 1"], "0 1 0"),
        (["0 0 0", "0 0 1", "0 1 0"], "1 0 0"),
        (["1 0 0", "0 1 0", "0 0 1"], "-0.577350 -0.577350 -0.577350"),
    ];
    for pixels in [0, 512] {
        let corners: Vec<String> = faces
            .iter()
            .flat_map(|(corners, normal)| {
                let corners = corners.iter().zip(0..);
                corners.map(move |(at, i)| {
                    let u = pixels * i;
                    format!("v {at}\nvt {u} 0\nvn {normal}\nvw \nvm 0\n")
                })
            })
            .collect();
        broken.open("inward.pfobj", still(&corners), &[]);
    }
    let mut model = tiny_model();
    for clip in &mut model.clips {
        let first = clip.poses[0];
        clip.poses.fill(first);
    }
    broken.open(
        "still.pfobj",
        String::from_utf8(pfobj::write(&model)).unwrap(),
        &[],
    );
    for weights in [&[-1.0][..], &[1.0, -0.5]] {
        let mut model = tiny_model();
        let weights = weights.iter();
        model.influences = weights
            .map(|&weight| Influence { joint: 0, weight })
            .collect();
        for vertex in &mut model.vertices {
            vertex.first_influence = 0;
            vertex.influence_count = model.influences.len() as u8;
        }
        let model = pfobj::write(&model);
        broken.add_read(pfobj::read(&model), |model| &model.problems);
        broken.add_read(pfobj::read(&model), |model| &model.notes);
    }
}

fn sweep_pfscene(broken: &mut BrokenRules) {
    for text in swept_text(SCENE, usize::MAX) {
        broken.add_read(pfscene::read(text.as_bytes()), |scene| &scene.problems);
    }
    for (from, to) in [
        ("version 1.1", "version 1.2"),
        ("Villagers", &"a".repeat(40)),
        ("entity guard", "entity gu\0ard"),
        ("faction_id int 1", "faction_id float 1.0"),
        ("region gate", "region meadow"),
        ("static bool", "statik bool"),
        ("section \"cameras\"", "section \"camras\""),
        (
            "version 1.1\nnum_sections 5\nsection \"general\"",
            "num_entities 0",
        ),
    ] {
        let text = SCENE.replace(from, to);
        broken.add_read(pfscene::read(text.as_bytes()), |scene| &scene.problems);
    }
    let factions = "faction \"a\"\n    color vec3 1 2 3\n".repeat(17);
    let scene =
        format!("version 1.0\nnum_sections 1\nsection \"factions\"\nnum_factions 17\n{factions}");
    broken.add_read(pfscene::read(scene.as_bytes()), |scene| &scene.problems);
}

fn open_pfscenes(broken: &mut BrokenRules) {
    static MAP: LazyLock<Vec<u8>> = LazyLock::new(|| synthesize::pfmap(1, 1, 1));
    static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| pfobj::write(&tiny_model()));
    static FILES: LazyLock<[(&str, &[u8]); 3]> = LazyLock::new(|| {
        [
            ("a.pfmap", &MAP),
            ("assets/models/guard.pfobj", &MODEL),
            ("assets/models/broken.pfobj", b"no model"),
        ]
    });
    broken.open("b.pfscene", SCENE, &[]);
    broken.open("a.pfscene", SCENE, &*FILES);
    let changes = [
        ("vec3 1.000000 2.000000", "vec3 1000 2"),
        ("models/rock", "models/broken"),
        ("assets/models/rock", "../rock"),
        ("idle_clip", "idle"),
        ("vec2 10.000000 -20", "vec2 10000 -20"),
    ];
    for (from, to) in changes {
        broken.open("a.pfscene", SCENE.replace(from, to), &*FILES);
    }
    let scene = SCENE.replace("assets/skyboxes/evening sky", "../sky");
    broken.open("a.pfscene", scene, &*FILES);
    static IMAGES: LazyLock<[Vec<u8>; 2]> =
        LazyLock::new(|| [2, 4].map(|s| bitmap(s, |_, _| [0; 3])));
    let [small, large]: [&[u8]; 2] = [&IMAGES[0], &IMAGES[1]];
    for other in [&b"no image"[..], small] {
        let name = |face| &*format!("assets/skyboxes/evening sky/{face}.jpg").leak();
        let faces = FACE_NAMES.map(|face| (name(face), if face == "top" { other } else { large }));
        broken.open("a.pfscene", SCENE, faces.to_vec().leak());
    }
    static BAD_MAP: LazyLock<Vec<u8>> = LazyLock::new(|| MAP[..MAP.len() / 2].to_vec());
    static BAD_FILES: LazyLock<[(&str, &[u8]); 1]> = LazyLock::new(|| [("a.pfmap", &BAD_MAP)]);
    broken.open("a.pfscene", SCENE, &*BAD_FILES);
    // The guard is in deep water.
    let mut sea = pfmap::read(&MAP).unwrap();
    for tile in &mut sea.tiles {
        tile.set(pfmap::Field::Pathable, 0);
    }
    let sea: &[u8] = pfmap::write(&sea).leak();
    let guarded = SCENE
        .replace("static bool 0", "static bool 0\n   collision bool 1")
        .replace("guard.pfobj 13", "guard.pfobj 14");
    broken.open("a.pfscene", guarded, vec![("a.pfmap", sea)].leak());
    // Flat ground except for a walled-off tile in the north-west. A unit is on that tile, one of
    // another size is on top of it, and the same house is twice at the eastern edge.
    let mut ground = pfmap::read(&MAP).unwrap();
    let mut level = pfmap::Tile::default();
    level.set(pfmap::Field::Pathable, 1);
    ground.tiles.fill(level);
    for wall in [1, 32] {
        ground.tiles[wall].set(pfmap::Field::Pathable, 0);
    }
    let ground: &[u8] = pfmap::write(&ground).leak();
    let placed = |is_static: u8, scale: f32, at: &str| {
        format!(
            "entity e assets/models/guard.pfobj 4\n   position vec3 {at}\n   scale vec3 {scale} {scale} \
             {scale}\n   static bool {is_static}\n   collision bool 1\n"
        )
    };
    let house = placed(1, 1.0, "-127.5 0 0");
    let all = [
        placed(0, 1.0, "124 0 -124"),
        placed(0, 40.0, "124 0 -124"),
        house.clone(),
        house,
    ];
    let head = "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities 4\n";
    let files = vec![("a.pfmap", ground), FILES[1]];
    broken.open("a.pfscene", [head, &all.concat()].concat(), files.leak());
    let entity = |i: u32| format!("entity e m{i}.pfobj 0\n");
    let many: String = (0..2001).map(entity).collect();
    let head = "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities 2001\n";
    broken.open("a.pfscene", [head, &many].concat(), &*FILES);
}

fn sweep_ika(broken: &mut BrokenRules) {
    let map = ika_map::write(&synthesize::ika_map([2, 2], 2, 1)).unwrap();
    for bytes in swept_bytes(&map, 0..map.len()) {
        broken.add_read(ika_map::read(&bytes), |map| &map.problems);
    }
    let text = text_map::write(&synthesize::ika_text_map([2, 2], 1, 1)).unwrap();
    for text in swept_text(&String::from_utf8_lossy(&text), usize::MAX) {
        broken.add_read(text_map::read(text.as_bytes()), |map| &map.problems);
    }
}

fn sweep_vsp(broken: &mut BrokenRules) {
    let good = vsp::write(&synthesize::ika_tileset(1)).unwrap();
    let tail = good.len() - 16;
    for range in [0..12, 76..84, tail..good.len()] {
        for bytes in swept_bytes(&good, range) {
            broken.add_read(vsp::read(&bytes), |vsp| &vsp.problems);
        }
    }
}

fn sweep_p3m(broken: &mut BrokenRules) {
    for layout in [Layout::A, Layout::B] {
        let good = p3m::write(&tiny_p3m(layout).unwrap()).unwrap();
        for bytes in swept_bytes(&good, 0..good.len()) {
            broken.add_read(p3m::read(&bytes), |model| &model.problems);
            broken.add_read(p3m::read(&bytes), |model| &model.notes);
        }
    }
    let changes: [fn(&mut P3m); 9] = [
        |it| it.actions[1].us_per_frame = 0,
        |it| it.bones[0].children = 2,
        |it| it.parts[1].groups[0].ranges.clear(),
        |it| it.actions[1].tracks.clear(),
        |it| it.animations[1].references.clear(),
        |it| it.strings.resize(65_536, 0),
        |it| {
            for bone in &mut it.bones {
                bone.tail = [bone.tail[0], bone.head[1], bone.head[2]];
            }
        },
        |it| {
            let part = &mut it.parts[0];
            part.positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]];
            part.normals.fill([0.0, 0.0, 1.0]);
        },
        |it| it.parts.iter_mut().for_each(|part| part.material = 0),
    ];
    for change in changes {
        let mut model = tiny_p3m(Layout::A).unwrap();
        change(&mut model);
        broken.open("a.p3m", p3m::write(&model).unwrap(), &[]);
    }
    let mut old = p3m::write(&tiny_p3m(Layout::A).unwrap()).unwrap();
    old[4..6].fill(1);
    broken.open("old.p3m", old, &[]);
}

fn sweep_ptf(broken: &mut BrokenRules) {
    let texture = ptf::Texture::new(ptf::Layout::V3, [8, 8], 4, (0..=255).collect());
    let good = texture.write().unwrap();
    for bytes in swept_bytes(&good, 0..good.len()) {
        broken.add_read(ptf::Texture::read(&bytes), |texture| &texture.problems);
    }
}

fn sweep_ppe(broken: &mut BrokenRules) {
    for flags in [0, MapFlags::RLE, MapFlags::ZLIB, MapFlags::ZSTD] {
        let flags = MapFlags(flags | MapFlags::NEW_LAYOUT);
        let map = map_data::write(&synthesize::ppe_map([3, 2], flags, 1)).unwrap();
        for bytes in swept_bytes(&map, 0..map.len()) {
            broken.add_read(map_data::read(&bytes), |map| &map.problems);
        }
    }
    for text in swept_text(XMF, usize::MAX) {
        broken.add_read(xmf::read(text.as_bytes()), |xmf| &xmf.problems);
    }
}

/// A small level, changed and written.
fn level(change: fn(&mut Pmf)) -> Vec<u8> {
    let mut map = synthesize::pmf([1, 1, 1], 0, 3);
    change(&mut map);
    pmf::write(&map, Packing::Stored).unwrap()
}

/// The first chunk of a level.
fn chunk(map: &mut Pmf) -> &mut ChunkData {
    map.levels[0].chunks[0].data.as_mut().unwrap()
}

/// The client section of a level's first chunk.
fn client(map: &mut Pmf) -> &mut ChunkClient {
    chunk(map).client.as_mut().unwrap()
}

/// Replaces the cubes in the first chunk of a level.
fn with_cubes(map: &mut Pmf, build: fn(&mut Cubes)) {
    let chunk = chunk(map);
    chunk.cubes = Cubes::default();
    build(&mut chunk.cubes);
}

/// Gives a level an archive of these files.
fn with_archive(map: &mut Pmf, files: &[(&str, &[u8])]) {
    let files = files.iter().map(|&(path, bytes)| NewFile {
        path,
        bytes,
        compress: true,
    });
    map.archive = Some(Archive::build(&files.collect::<Vec<_>>()).unwrap());
}

fn sweep_pmf(broken: &mut BrokenRules) {
    // This sweep takes longest.
    let bytes = level(|_| ());
    let found = Mutex::new(BTreeMap::new());
    map_parallel(bytes.len(), |at| {
        let mut of_byte = BrokenRules::default();
        for bytes in swept_bytes(&bytes, at..at + 1) {
            of_byte.add_read(pmf::read(&bytes), |map| &map.problems);
        }
        found.lock().unwrap().insert(at, of_byte);
    });
    for of_byte in found.into_inner().unwrap().into_values() {
        broken.append(of_byte);
    }
    let changes: [fn(&mut Pmf); 14] = [
        |map| map.header.gamemodes = vec![String::new()],
        |map| map.header.authors = "x".repeat(1 << 16),
        |map| map.header.created_unix_secs = u64::MAX,
        |map| {
            map.extensions[0].flags = Extension::SUPPORT_REQUIRED;
            map.extensions[0].name = "new".to_owned();
        },
        |map| chunk(map).server.as_mut().unwrap().regions[0].min[0] = f32::NAN,
        |map| client(map).fast_lights[0].push_range(u32::MAX, &[1]),
        |map| {
            with_cubes(map, |cubes| {
                let mut bad = Geometry::new(9, 0, 0);
                bad.triangles[0] = 2;
                cubes.push_geometry(bad, &[]);
            });
            client(map).vertices = vec![pmf::Vertex::default(); 4];
            client(map).fast_lights = vec![pmf::ClientFastLight::new([0; 3])];
        },
        |map| map.levels[0].chunks[0].data = None,
        |map| chunk(map).client = None,
        |map| {
            with_cubes(map, |cubes| {
                cubes.push_light_info(Some(1), [0; 3], &[], &[]);
                cubes.push_empty();
            });
            chunk(map).client = None;
        },
        |map| with_cubes(map, |cubes| _ = cubes.push_parent(1, &[0])),
        |map| {
            let player = NewEntity::new(EntityKind::Trigger, "player:1");
            let list = EntityList {
                properties: Vec::new(),
                entities: vec![player],
            };
            let mut strings = StringTableBuilder::default();
            map.entities = list.build(&mut strings).unwrap();
            map.strings = strings.finish();
        },
        |map| map.levels[0].common.materials[1].name = map.levels[0].common.materials[0].name,
        |map| chunk(map).sound_materials[0] = StringRef(9999),
    ];
    for change in changes {
        broken.add_read(pmf::read(&level(change)), |map| &map.problems);
    }
    // A list of levels with an extra entry.
    let mut unlisted = level(|_| ());
    let first = pmf::read(&unlisted).unwrap().levels[0].offset as usize;
    unlisted[first - 5] = 2;
    broken.add_read(pmf::read(&unlisted), |map| &map.problems);
    // An extra byte in the first section of a level.
    let mut shifted = level(|_| ());
    shifted.insert(first + 60, 0);
    broken.add_read(pmf::read(&shifted), |map| &map.problems);
    let newer = b"PMF\0A hall of pillars\0Two rooms\0somebody";
    broken.add_read(pmf::read(newer), |map| &map.problems);
    let archived = level(|map| with_archive(map, &[("qa", b"a"), ("qb", b"b")]));
    let name = archived.windows(2).position(|pair| pair == b"qb").unwrap();
    let start = archived.windows(2).position(|pair| pair == b"qa").unwrap();
    for bytes in swept_bytes(&archived, start.min(name) - 60..start.max(name) + 60) {
        broken.add_read(pmf::read(&bytes), |map| &map.problems);
    }
    let mut twice = archived.clone();
    twice[name + 1] = b'a';
    broken.add_read(pmf::read(&twice), |map| &map.problems);
}

fn sweep_paf(broken: &mut BrokenRules) {
    let file = |path, bytes| NewFile {
        path,
        bytes,
        compress: true,
    };
    let files = [file("qa", &b"one"[..]), file("qb/c", b"two")];
    for layout in [WrittenLayout::P2, WrittenLayout::P3] {
        let archive = paf::write(&files, layout).unwrap();
        for bytes in swept_bytes(&archive, 0..archive.len()) {
            broken.add_read(paf::read(&bytes.into()), |paf| &paf.problems);
        }
    }
    let archive = paf::write(&files, WrittenLayout::P3).unwrap();
    broken.add_read(paf::read(&archive[..9].to_vec().into()), |paf| {
        &paf.problems
    });
    // The root directory comes last.
    let root = archive.len() - 2 * 13;
    let with = |at: usize, number: u32| {
        let mut bytes = archive.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    // The directory is the root.
    let repeated = with(root + 13 + 9, root as u32 - 12);
    // Both entries have the name of the first.
    let first = u32::from_le_bytes(archive[root + 1..root + 5].try_into().unwrap());
    let twice = with(root + 13 + 1, first);
    // The second entry is a link whose text is its name.
    let mut link = archive.clone();
    link.copy_within(root + 13 + 1..root + 13 + 5, root + 13 + 9);
    link[root + 13] = 2;
    for bytes in [repeated, twice, link] {
        broken.open("a.paf", bytes, &[]);
    }
}

/// Levels with broken textures or too much visible content.
fn open_levels(broken: &mut BrokenRules) {
    broken.open("a.pmf", level(|_| ()), &[]);
    let textures = level(|map| {
        let mut odd = ptf::Texture::new(ptf::Layout::V2, [1, 1], 3, vec![0; 3]);
        odd.unknown_flags = 4;
        // Each declares 2^25 pixels and is long enough for them.
        let large = [b"PTF\0\0\xCD", &*vec![0; 400_000]].concat();
        with_archive(
            map,
            &[
                ("textures/broken.ptf", b"PTF\0\0\x22 no frame"),
                ("textures/flags.ptf", &odd.write().unwrap()),
                ("textures/large.ptf", &large),
                ("textures/largest.ptf", &large),
            ],
        );
    });
    broken.open("a.pmf", textures, &[]);
    // The chunks share the budget of vertices that may be read more than once.
    let mut map = synthesize::pmf([1, 1, 1], 1, 1);
    with_cubes(&mut map, |cubes| {
        let mut shared = Geometry::new(0, 0, 0);
        shared.triangles = [2; 6];
        cubes.push_parent(0xFF, &[1, 2, 3, 4, 5, 6, 7, 8]);
        for _ in 0..8 {
            cubes.push_geometry(shared, &[]);
        }
        cubes.link().unwrap();
    });
    client(&mut map).vertices.resize(24, pmf::Vertex::default());
    let level = &mut map.levels[0];
    let (index, frames) = (level.chunks[0].index, level.chunks[0].frames);
    level.chunks.resize_with(1 << 15, || pmf::Chunk {
        index,
        frames,
        data: None,
    });
    let source = Source {
        path: "a.pmf".into(),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    let map = Map::build(map, &source, &OpenOptions::default(), &Progress::default());
    broken.add(&map.unwrap().about().problems);
}

fn break_pfmap(broken: &mut BrokenRules) {
    // A ramp that faces away from a plateau, and one without height.
    let mut slopes = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    slopes.tiles.fill(pfmap::Tile::default());
    slopes.tiles[..32]
        .iter_mut()
        .for_each(|tile| tile.base_height = 1);
    for (tile, height) in slopes.tiles[32..].iter_mut().zip([0, 1]) {
        tile.kind = pfmap::TileType::RampNs;
        tile.ramp_height = height;
    }
    broken.open("a.pfmap", pfmap::write(&slopes), &[]);
    let text = String::from_utf8(synthesize::pfmap(1, 2, 1)).unwrap();
    let first = text.find("\n0+").unwrap() + 1;
    let with = |at: usize, new: &str| {
        let mut text = text.clone();
        text.replace_range(first + at..first + at + new.len(), new);
        text
    };
    broken.open("a.pfmap", with_wall(&text), &[]);
    for text in [
        // The east edge of the first tile.
        with(18, "2"),
        with(0, "F"),
        with(2, "zz"),
        with(13, "x"),
        format!("{}{}", &text[..first], "\n".repeat(20_000)),
        format!("{}{}", &text[..first], text[first..].replace('\n', " ")),
        text.replacen("\nmaterial", &"\nmaterial a b".repeat(1001), 1),
    ] {
        broken.add_read(pfmap::read(text.as_bytes()), |map| &map.problems);
    }
}

/// A flat map with a wall across it and an additional material, whatever it was before.
fn with_wall(text: &str) -> Vec<u8> {
    let mut map = pfmap::read(text.as_bytes()).unwrap();
    let cols = map.cols() as usize;
    for (index, tile) in map.tiles.iter_mut().enumerate() {
        tile.kind = pfmap::TileType::Flat;
        tile.base_height = 0;
        let is_wall = index / cols == 8;
        tile.set(pfmap::Field::Pathable, i32::from(!is_wall));
    }
    let last = map.materials[0].clone();
    map.materials.push(last);
    pfmap::write(&map)
}

fn break_pfobj(broken: &mut BrokenRules) {
    const NONE: &str = " 0.000000/0.000000/0.000000/1.000000";
    const ONE: &str = " 1.000000/1.000000/1.000000";
    let text = pfobj::write(&tiny_model());
    let text = String::from_utf8(text).unwrap();
    let weights = text.lines().find(|line| line.starts_with("vw ")).unwrap();
    let joint = text.lines().find(|line| line.starts_with("j ")).unwrap();
    let vertex: Vec<&str> = text.lines().skip(7).take(5).collect();
    let twice = |key: &str, name_at: usize| {
        let lines = text.lines().map(|line| {
            let mut words: Vec<&str> = line.split(' ').collect();
            if words[0] == key {
                words[name_at] = "same";
            }
            format!("{}\n", words.join(" "))
        });
        lines.collect::<String>()
    };
    for text in [
        twice("j", 2),
        twice("as", 1),
        // A vertex after the materials.
        text.replacen(joint, &format!("{}\n{joint}", vertex.join("\n")), 1),
        text.clone(),
        text.replace("num_materials", "num_material"),
        text.replacen(weights, &format!("vw{}", " 0/1".repeat(7)), 1),
        text.replacen(weights, "vw", 1),
        text.replacen(joint, &joint.replacen(NONE, " 0/0/0/0", 1), 1),
        text.replacen(joint, &joint.replacen(NONE, " 0/90/0", 1), 1),
        text.replacen(joint, &joint.replacen(ONE, " 0/0/0", 1), 1),
        text.replace("picture0.png", "../picture.png"),
    ] {
        let beside: AdjacentFiles = &[("picture1.png", b"not a picture")];
        broken.open("a.pfobj", text, beside);
    }
    let mut jpeg = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::new(8, 8);
    let written = picture.write_to(&mut jpeg, image::ImageFormat::Jpeg);
    written.unwrap();
    let cut: &[u8] = jpeg.into_inner().leak();
    let beside: AdjacentFiles = vec![("picture1.png", &cut[..cut.len() - 2])].leak();
    broken.open("a.pfobj", text, beside);
}

fn break_ika(broken: &mut BrokenRules) {
    broken.add_read(ika_map::read(b"MAP\xf95\0rest"), |map| &map.problems);
    let map = synthesize::ika_map([20, 30], 3, 7);
    let mut bytes = ika_map::write(&map).unwrap();
    let block = ika_map::read(&bytes).unwrap().layers[1].block.clone();
    bytes.drain(block.start as usize - 9..block.start as usize + 9);
    broken.add_read(ika_map::read(&bytes), |map| &map.problems);
    let layers = "(layer (label 'a'))".repeat(1025);
    let text = format!("(ika-map (version 1.2) (header) (layers {layers}))");
    broken.add_read(text_map::read(text.as_bytes()), |map| &map.problems);
    let text = b"(ika-map (version 1.2) (header) (layers stray (x)(layr )))";
    broken.add_read(text_map::read(text), |map| &map.problems);
    let mut bytes = ika_map::write(&synthesize::ika_map([20, 20], 2, 1)).unwrap();
    let places = ika_map::read(&bytes).unwrap();
    bytes[places.layers[1].block.start as usize - 4] ^= 1;
    broken.add_read(ika_map::read(&bytes), |map| &map.problems);
    // An entity that is too long for the length of its name to be recovered.
    let mut long = synthesize::ika_map([20, 20], 2, 1);
    long.entities[0].activation_script = "x".repeat(300);
    let mut damaged = ika_map::write(&long).unwrap();
    let long = ika_map::read(&damaged).unwrap();
    damaged[long.entities[0].place.start as usize..][..4].fill(0xFF);
    broken.add_read(ika_map::read(&damaged), |map| &map.problems);
    bytes.remove(places.layers[1].block.start as usize - 2);
    broken.add_read(ika_map::read(&bytes), |map| &map.problems);
    let nodes = "(x ".repeat(100);
    let text = format!("(ika-map {nodes}");
    broken.add_read(text_map::read(text.as_bytes()), |map| &map.problems);
    let text = "(ika-tileset (version 1.2) (tiles (count x) (dimensions (width 1) (height 1))))";
    broken.add_read(vsp::read(text.as_bytes()), |vsp| &vsp.problems);
    let mut map = synthesize::ika_map([2, 2], 2, 1);
    map.music = "x".repeat(2000);
    map.layers[1].tiles[3] = 999;
    let bytes = ika_map::write(&map).unwrap();
    broken.open("a.ika-map", bytes.clone(), &[]);
    let mut indexed = synthesize::ika_tileset(1);
    indexed.palette = vec![[0; 3]; 256];
    indexed.mask = Some(3);
    indexed.pixels = vsp::Pixels::Indexed(vec![0; 64 * 16 * 16]);
    let indexed = vsp::write(&indexed).unwrap();
    broken.add_read(vsp::read(&indexed), |vsp| &vsp.problems);
    let mut none = synthesize::ika_tileset(1);
    none.count = 0;
    none.pixels = vsp::Pixels::Rgba(Vec::new());
    broken.add_read(vsp::read(&vsp::write(&none).unwrap()), |vsp| &vsp.problems);
    let tileset = vsp::write(&synthesize::ika_tileset(1)).unwrap();
    let tileset: &[u8] = [tileset, b"more".to_vec()].concat().leak();
    let name: &str = map.tileset.leak();
    broken.open("a.ika-map", bytes, vec![(name, tileset)].leak());
    broken.add_read(ika_map::read(&in_document_order()), |map| &map.problems);
}

/// A map with the tiles of each layer after its parallax, as in the format's document.
fn in_document_order() -> Vec<u8> {
    let bytes = ika_map::write(&synthesize::ika_map([8, 8], 3, 1)).unwrap();
    let layers = ika_map::read(&bytes).unwrap().layers;
    let infos = layers[0].block.start as usize - 4 - 16 * layers.len();
    let mut mixed = bytes[..infos].to_vec();
    for (i, layer) in layers.iter().enumerate() {
        mixed.extend(&bytes[infos + 16 * i..][..16]);
        mixed.extend(&bytes[layer.block.start as usize - 4..layer.block.end as usize]);
    }
    let end = layers.last().unwrap().block.end as usize;
    mixed.extend(&bytes[end..]);
    mixed
}

fn break_ppe(broken: &mut BrokenRules) {
    // 2^23 cells with 32 bytes of attributes each.
    let header = [MapFlags::ZLIB | MapFlags::GRAPHICS, 1 << 13, 1 << 10];
    let mut bytes: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(zlib(&vec![0; 33 << 20]));
    broken.add_read(map_data::read(&bytes), |map| &map.problems);
    let small = synthesize::ppe_map([3, 2], MapFlags(MapFlags::NEW_LAYOUT), 1);
    broken.open("a.map", map_data::write(&small).unwrap(), &[]);
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let level = flate2::Compression::fast();
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), level);
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn break_xmf(broken: &mut BrokenRules) {
    let packed = [b"ZLIB".to_vec(), zlib(XMF.as_bytes())].concat();
    let layers = (0..513)
        .map(|i| format!("Layer:Tile \"a\" {i} 8 8 1 1\n"))
        .collect::<Vec<_>>()
        .concat();
    for bytes in [
        packed[..packed.len() - 9].to_vec(),
        [&packed, &b"more"[..]].concat(),
        layers.into_bytes(),
        XMF.replace("Layer:Sprite", "Layer:Odd").into_bytes(),
        XMF.replace("\"grass\"\n", "\"grass\" ").into_bytes(),
        XMF.replace("Object:Sprite", "Object:Sprote").into_bytes(),
        b"Layer:Sprite \"a\" 1 {\nObject:Box \"a\" 1 1 1 1 1\nObject:Box \"b\" 1 1 1 1 1\n}\n"
            .to_vec(),
        [XMF.as_bytes(), b"Extra \"\xff\"\n"].concat(),
    ] {
        broken.add_read(xmf::read(&bytes), |xmf| &xmf.problems);
    }
    let objects = "Object:Box \"a\" 1 1 1 1 1\n".repeat((1 << 16) + 1);
    broken.open(
        "a.xmf",
        format!("Layer:Sprite \"a\" 1 {{\n{objects}}}\n"),
        &[],
    );
    broken.open("a.xmf", XMF, &[("ground.png", b"not a picture")]);
    broken.open("a.xmf", XMF, &[("ground.png", b"\x89PNG\r\n\x1a\nbroken")]);
    broken.open("a.xmf", XMF.replace("16 8 2 1", "5000 8 2 1"), &[]);
    broken.open(
        "a.xmf",
        XMF.replace("\"man\" 65536 3", "\"man\" 65536 4"),
        &[],
    );
    let mut plain = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::new(32, 16);
    picture
        .write_to(&mut plain, image::ImageFormat::Png)
        .unwrap();
    let plain: &[u8] = plain.into_inner().leak();
    let mut map = synthesize::ppe_map([3, 2], MapFlags(MapFlags::NEW_LAYOUT), 1);
    map.cells.fill(5);
    let cells: &[u8] = map_data::write(&map).unwrap().leak();
    let beside: AdjacentFiles = vec![("ground.png", plain), ("ground.map", cells)].leak();
    let text = XMF
        .replace("Shared:MapData 7", "File:MapData \"ground.map\"")
        .replace("1 0 \"grass\"", "1 99 \"grass\"");
    broken.open("a.xmf", text, beside);
    break_palettes(broken);
}

/// A layer with more combinations of tile and palette than the limit of images, and a sheet with
/// incomplete palettes.
fn break_palettes(broken: &mut BrokenRules) {
    let mut sheet = Vec::new();
    let mut encoder = png::Encoder::new(&mut sheet, 256, 256);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(vec![0; 3 * 256]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![1; 256 * 256]).unwrap();
    writer.finish().unwrap();
    let mut map = synthesize::ppe_map([1 << 9, 1 << 9], MapFlags(MapFlags::NEW_LAYOUT), 1);
    for (cell, i) in map.cells.iter_mut().zip(0_u32..) {
        *cell = (i % 50_000) | ((i / 50_000) << 16);
    }
    let cells: &[u8] = map_data::write(&map).unwrap().leak();
    let sheet: &[u8] = sheet.leak();
    let text = "Layer:Tile \"a\" 0 1 1 512 512 {\n\tFile:MapData \"a.map\"\n\tFile:TileSource \"a.png\"\n}\n";
    broken.open(
        "a.xmf",
        text,
        vec![("a.map", cells), ("a.png", sheet)].leak(),
    );
}

const XMF: &str = r#"Metadata {
	Version 1 0
	Resolution 424 240
}
Layer:Tile "ground" 0 16 8 2 1 {
	Shared:MapData 7
	File:TileSource "ground.png" palShift=5 offset=32 {
		Embed:TileInfo {
			1 0 "grass"
		}
	}
}
Layer:Tile "sky" -1 16 8 2 1 {
	Embed:MapData [AQAAAAIAAhA=]
}
Layer:Sprite "things" 16 {
	File:SpriteSource 3 "man.png" name="man" horizOffset=1 vertOffset=2 width=3 height=4
	Object:Sprite "man" 65536 3 -16 20 palSel=1
	Object:Polyline "path" 2 {
		Begin 1 2
		Segment 3 4
		Close
	}
}
File:Palette "ground.png" palShift=5
Embed:Palette "night" [/wECA4AEBQY=] offset=768
"#;

fn leave_unused(broken: &mut BrokenRules) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.png");
    std::fs::write(&path, b"").unwrap();
    let mut usage = Usage::default();
    broken.add(&usage.unused(&path));
    usage.add([dir.path().join(".").join("a.png")]);
    assert_eq!(usage.unused(&path), None);
    broken.add(&Some(mapscope_scene::outside_link()));
    #[cfg(unix)]
    {
        let link = dir.path().join("link.pfmap");
        std::os::unix::fs::symlink("gone.pfmap", &link).unwrap();
        broken.add(&mapscope_scene::dangling_link(&link));
    }
    let source = Source {
        path: "linker.map".into(),
        bytes: Bytes::from_static(b"SECTIONS { }\n"),
        embedded: &[],
        archive: None,
    };
    let error = mapscope_scene::identify_format(&source).unwrap_err();
    broken.add(&error.skipped());
}

/// Files after handling by programs that treat them as text, or as text of another system.
fn break_by_reencoding(broken: &mut BrokenRules) {
    let map = ika_map::write(&synthesize::ika_map([20, 30], 2, 7)).unwrap();
    let as_text: String = map.iter().copied().map(char::from).collect();
    broken.open("a.map", as_text, &[]);
    let lines =
        map.split_inclusive(|byte| *byte == b'\n')
            .map(|line| match line.strip_suffix(b"\n") {
                Some(line) => [line, &b"\r\n"[..]].concat(),
                None => line.to_vec(),
            });
    broken.open("a.map", lines.collect::<Vec<_>>().concat(), &[]);
    let text = String::from_utf8(synthesize::pfmap(1, 1, 1)).unwrap();
    broken.open("a.pfmap", text.replace('\n', "\r"), &[]);
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    broken.open("a.pfmap", utf_16, &[]);
}

#[test]
fn every_rule_is_broken_by_some_file() {
    let mut broken = BrokenRules::default();
    for break_files in [
        sweep_pfmap,
        sweep_pfobj,
        break_model_files,
        sweep_pfscene,
        open_pfscenes,
        sweep_ika,
        sweep_vsp,
        sweep_ptf,
        sweep_ppe,
        sweep_p3m,
        sweep_pmf,
        sweep_paf,
        open_levels,
        break_pfmap,
        break_pfobj,
        break_ika,
        break_ppe,
        break_xmf,
        leave_unused,
        break_by_reencoding,
    ] {
        break_files(&mut broken);
    }
    let listed: BTreeSet<&str> = mapscope_scene::rules().map(|rule| rule.id).collect();
    let ids: BTreeSet<&str> = broken.0.keys().copied().collect();
    let unlisted: Vec<_> = ids.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the tables: {unlisted:#?}");
    let unbroken: Vec<_> = listed.difference(&ids).collect();
    assert!(unbroken.is_empty(), "nothing breaks {unbroken:#?}");
    compare_messages(&broken);
}

/// Compares the first message of each rule with the files in `messages`.
fn compare_messages(broken: &BrokenRules) {
    let mut pages: BTreeMap<&str, String> = BTreeMap::new();
    for (id, message) in &broken.0 {
        let (format, _) = id.split_once('/').unwrap();
        let page = pages.entry(format).or_default();
        writeln!(page, "{id}: {message}").unwrap();
    }
    let folder = mapscope_testdata::root().join("crates/scene/tests/scene/messages");
    for (format, page) in pages {
        let path = folder.join(format!("{format}.txt"));
        if std::env::var_os("UPDATE_MESSAGES").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &page).unwrap();
        }
        let written = std::fs::read_to_string(&path)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        let lines = page.lines().zip(written.lines());
        let differing: Vec<_> = lines.filter(|(is, was)| is != was).collect();
        assert!(
            written == page,
            "messages of {format} differ (run with UPDATE_MESSAGES=1 to accept): {differing:#?}"
        );
    }
}

#[test]
fn ids_are_unique_and_written_alike() {
    let mut ids = BTreeSet::new();
    for rule in mapscope_scene::rules() {
        let is_kebab = |part: &str| {
            let mut chars = part.chars();
            chars.all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-')) && !part.is_empty()
        };
        let (format, name) = rule.id.split_once('/').unwrap();
        assert!(is_kebab(format) && is_kebab(name), "{}", rule.id);
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        assert!(rule.summary.ends_with('.'), "{}", rule.id);
    }
}

/// The page of all rules, generated from the tables.
fn page() -> String {
    let mut page = "# Rules\n\n\
         Rules that `mapscope check` reports. Ids are stable and appear in brackets at the end of each\n\
         line, and as `rule` in JSON. `mapscope check --list-rules` prints this list.\n"
        .to_owned();
    let mut rules: Vec<_> = mapscope_scene::rules().collect();
    rules.sort_by_key(|rule| rule.id);
    let mut last = "";
    for rule in rules {
        let (format, _) = rule.id.split_once('/').unwrap();
        if format != last {
            let head = "| Rule | Severity | Fault |\n|---|---|---|";
            writeln!(page, "\n## {format}\n\n{head}").unwrap();
            last = format;
        }
        let (id, severity, summary) = (rule.id, rule.severity, rule.summary);
        writeln!(page, "| `{id}` | {severity} | {summary} |").unwrap();
    }
    page
}

#[test]
fn the_page_of_rules_is_that_of_the_tables() {
    let path = mapscope_testdata::root().join("docs/rules.md");
    if std::env::var_os("UPDATE_RULES").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "{} is not that of the tables: run this test with UPDATE_RULES=1",
        path.display()
    );
}
