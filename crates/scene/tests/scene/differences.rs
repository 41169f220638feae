//! One cause is one difference between two files.

use mapscope_formats::ika::text_map::ZoneRect;
use mapscope_formats::ika::{Map, TextMap, map, text_map};
use mapscope_formats::pfmap::{self, Field, Material, Pfmap};
use mapscope_formats::pfobj::{self, Pfobj, Rotation};
use mapscope_formats::pmf::{self, Cube, Packing};
use mapscope_formats::ppe::{MapFlags, map_data};
use mapscope_scene::diff::Diff;
use mapscope_scene::{Item, ModelItem};

use mapscope_testdata::tiny_scene::SCENE;
use mapscope_testdata::{shared, synthesize, tiny_model};

use crate::same::open;

/// The differences between two files with the same name: kinds, locations, and keys of fields.
#[track_caller]
fn differences(name: &str, files: [&[u8]; 2]) -> Vec<String> {
    let [a, b] = files.map(|file| open(name, file));
    let diff = Diff::of([&*a, &*b]).unwrap();
    assert_eq!(diff.not_read, [None, None]);
    assert_eq!(diff.count(), diff.differences.len() as u64);
    let told = diff.differences.iter().map(|it| {
        let sign = match it.is_in {
            [true, false] => "-",
            [false, true] => "+",
            _ => "",
        };
        let fields = it.fields.iter().filter(|_| sign.is_empty());
        let keys: Vec<&str> = fields.map(|field| field.key.as_str()).collect();
        format!("{sign}{} {}: {}", it.what, it.place, keys.join(" "))
    });
    told.collect()
}

/// Number of tiles that cycle through the materials.
const CYCLED_TILES: usize = 100;

/// A map with five materials. The first tiles use them in turn, the others only the first.
fn map() -> Pfmap {
    let mut map = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    let material = |i: usize| Material {
        name: format!("name{i}"),
        texture: format!("picture{i}.png"),
        line: 0,
    };
    map.materials = (0..5).map(material).collect();
    for (i, tile) in map.tiles.iter_mut().enumerate() {
        let numbers = if i < CYCLED_TILES {
            [i % 5, (i + 1) % 5]
        } else {
            [0; 2]
        };
        let fields = [Field::TopMaterial, Field::SideMaterial];
        for (field, number) in fields.into_iter().zip(numbers) {
            tile.set(field, number as i32);
        }
    }
    map
}

#[track_caller]
fn map_differences(a: &Pfmap, b: &Pfmap) -> Vec<String> {
    let files = [pfmap::write(a), pfmap::write(b)];
    differences("a.pfmap", [&files[0], &files[1]])
}

/// Of two models, the second lacks a joint in the middle: those after it have other numbers.
#[test]
fn items_are_matched_with_those_of_the_other_file() {
    let a = model_with_joints(&["root", "arm", "hand", "thumb"]);
    let b = model_with_joints(&["root", "hand", "thumb"]);
    let [a, b] = [a, b].map(|model| open("a.pfobj", &pfobj::write(&model)));
    let diff = Diff::of([&*a, &*b]).unwrap();
    let joint = |index| Item::from(ModelItem::Joint { index });
    for (of_a, of_b) in [(0, Some(0)), (1, None), (2, Some(1)), (3, Some(2))] {
        assert_eq!(diff.counterpart(0, joint(of_a)), of_b.map(joint), "{of_a}");
        if let Some(of_b) = of_b {
            assert_eq!(diff.counterpart(1, joint(of_b)), Some(joint(of_a)));
        }
    }
}

/// A model with these joints, each the child of the one before.
fn model_with_joints(names: &[&str]) -> Pfobj {
    let mut model = tiny_model();
    let like = model.joints[0].clone();
    model.clips.clear();
    model.joints = names
        .iter()
        .enumerate()
        .map(|(index, name)| pfobj::Joint {
            name: (*name).to_owned(),
            parent: index.checked_sub(1).map(|parent| parent as u32),
            ..like.clone()
        })
        .collect();
    model
}

#[test]
fn a_material_of_a_map_under_another_name_is_one_difference() {
    let a = map();
    for at in 0..a.materials.len() {
        let mut b = a.clone();
        b.materials[at].name = "other".to_owned();
        let place = format!("material name{at}");
        assert_eq!(map_differences(&a, &b), [format!("{place}: name")]);
        b.materials[at].texture = "other.png".to_owned();
        assert_eq!(map_differences(&a, &b), [format!("{place}: name texture")]);
        b.materials[at].name = a.materials[at].name.clone();
        assert_eq!(map_differences(&a, &b), [format!("{place}: texture")]);
        // A tile with a real change is reported too, and no other tile.
        let number = b.tiles[700].get(Field::TopMaterial);
        b.tiles[700].set(Field::TopMaterial, (number + 1) % 5);
        let expected = [
            format!("{place}: texture"),
            "tile 21,28: top_material".to_owned(),
        ];
        assert_eq!(map_differences(&a, &b), expected);
    }
    let mut b = a.clone();
    for material in &mut b.materials {
        material.name.insert(0, 'x');
    }
    assert_eq!(map_differences(&a, &b).len(), 5);
}

#[test]
fn a_material_that_is_inserted_moves_no_tile_that_names_what_it_did() {
    let a = map();
    let new = Material {
        name: "new".to_owned(),
        texture: "new.png".to_owned(),
        line: 0,
    };
    for at in 0..=a.materials.len() {
        let mut b = a.clone();
        b.materials.insert(at, new.clone());
        // Each tile changes whose index now refers to a different material.
        let others = (0..CYCLED_TILES).filter(|i| i % 5 >= at || (i + 1) % 5 >= at);
        let rest = usize::from(at == 0) * (a.tiles.len() - CYCLED_TILES);
        let [first, second] = [&a, &b].map(|map| open("a.pfmap", &pfmap::write(map)));
        let count = Diff::of([&*first, &*second]).unwrap().count();
        assert_eq!(count, (1 + others.count() + rest) as u64, "{at}");
        for tile in &mut b.tiles {
            for field in [Field::TopMaterial, Field::SideMaterial] {
                let number = tile.get(field);
                tile.set(field, number + i32::from(number as usize >= at));
            }
        }
        assert_eq!(map_differences(&a, &b), ["+material new: "], "{at}");
        assert_eq!(map_differences(&b, &a), ["-material new: "], "{at}");
        // Another material is renamed at the same time.
        b.materials[(at + 2) % 6].name = "renamed".to_owned();
        let found = map_differences(&a, &b);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("material name") && found[1] == "+material new: ");
    }
}

#[test]
fn materials_that_are_swapped_are_others_on_their_tiles() {
    let a = map();
    let mut b = a.clone();
    b.materials.swap(1, 3);
    let found = map_differences(&a, &b);
    let changed = |i: &usize| [1, 3].contains(&(i % 5)) || [1, 3].contains(&((i + 1) % 5));
    let tiles = (0..CYCLED_TILES).filter(changed).count();
    assert_eq!(found.len(), 1 + tiles);
    assert_eq!(found[0], "material order: order");
    // After swapping the indices in the tiles too, the tiles are unchanged.
    for tile in &mut b.tiles {
        for field in [Field::TopMaterial, Field::SideMaterial] {
            tile.set(field, [0, 3, 2, 1, 4][tile.get(field) as usize]);
        }
    }
    assert_eq!(map_differences(&a, &b), ["material order: order"]);
}

/// A map of the given number of chunks whose tiles differ from their neighbours.
fn terrain(rows: u32, cols: u32) -> Pfmap {
    let mut map = pfmap::read(&synthesize::pfmap(rows, cols, 1)).unwrap();
    let cols = map.cols() as usize;
    for (i, tile) in map.tiles.iter_mut().enumerate() {
        tile.set(
            Field::BaseHeight,
            ((i / cols * 7 + i % cols * 3) % 10) as i32,
        );
    }
    map
}

#[test]
fn chunks_of_terrain_that_are_inserted_are_told_together() {
    let a = terrain(2, 2);
    let new = a.tiles[0];
    for at in 0..=2 {
        let [mut rows, mut cols] = [a.clone(), a.clone()];
        rows.chunk_rows += 1;
        let to = at * 32 * 64;
        rows.tiles.splice(to..to, vec![new; 32 * 64]);
        cols.chunk_cols += 1;
        let lines = cols.tiles.chunks(64).map(|row| {
            let (before, behind) = row.split_at(at * 32);
            [before, &[new; 32], behind].concat()
        });
        cols.tiles = lines.flatten().collect();
        for (b, what) in [(rows, "rows"), (cols, "columns")] {
            let lines = format!("tile {what} {} to {}: ", 32 * at, 32 * at + 31);
            let expected = ["map map: chunks".to_owned(), format!("+{lines}")];
            assert_eq!(map_differences(&a, &b), expected);
            let expected = ["map map: chunks".to_owned(), format!("-{lines}")];
            assert_eq!(map_differences(&b, &a), expected);
        }
    }
}

#[test]
fn tiles_that_move_on_by_a_line_are_told_by_the_lines_that_come_and_go() {
    let a = terrain(1, 2);
    let new = a.tiles[0];
    let mut b = a.clone();
    b.tiles.splice(64 * 5..64 * 5, [new; 64]);
    b.tiles.truncate(a.tiles.len());
    assert_eq!(map_differences(&a, &b), ["+tile row 5: ", "-tile row 31: "]);
    let mut b = a.clone();
    for row in b.tiles.chunks_mut(64) {
        row[9..].rotate_right(1);
        row[9] = new;
    }
    assert_eq!(
        map_differences(&a, &b),
        ["+tile column 9: ", "-tile column 63: "]
    );
    // An additional changed tile is reported as such.
    b.tiles[640 + 30].set(Field::BaseHeight, 77);
    let found = map_differences(&a, &b);
    assert_eq!(found[1], "tile 10,29: base_height", "{found:?}");
    assert_eq!(found.len(), 3);
    // A few tiles are reported individually, even if they moved.
    let flat = synthesize::pfmap(1, 1, 1);
    let mut a = pfmap::read(&flat).unwrap();
    a.tiles = vec![new; a.tiles.len()];
    let mut b = a.clone();
    a.tiles[32 * 4 + 3].set(Field::BaseHeight, 9);
    b.tiles[32 * 5 + 3].set(Field::BaseHeight, 9);
    assert_eq!(map_differences(&a, &b).len(), 2);
}

/// A model in which all numbers with a decimal point are distinct.
fn model() -> Pfobj {
    let mut model = tiny_model();
    let mut last = 0.0;
    let mut fill = |numbers: &mut [f32]| {
        for number in numbers {
            last += 0.015625;
            *number = last;
        }
    };
    for vertex in &mut model.vertices {
        fill(&mut vertex.position);
        fill(&mut vertex.uv);
        fill(&mut vertex.normal);
    }
    for (influence, i) in model.influences.iter_mut().zip(0..) {
        influence.joint = i % 3;
        fill(std::slice::from_mut(&mut influence.weight));
    }
    for material in &mut model.materials {
        fill(std::slice::from_mut(&mut material.ambient));
        fill(&mut material.diffuse);
        fill(&mut material.specular);
    }
    let clips = model.clips.iter_mut();
    let poses = clips.flat_map(|clip| &mut clip.poses);
    let binds = model.joints.iter_mut().map(|joint| &mut joint.bind);
    for transform in binds.chain(poses) {
        fill(&mut transform.scale);
        let mut rotation = [0.0; 4];
        fill(&mut rotation);
        transform.rotation = Rotation::ConjugatedQuaternion(rotation);
        fill(&mut transform.translation);
    }
    for joint in &mut model.joints {
        fill(&mut joint.tip);
    }
    for bounds in model
        .clips
        .iter_mut()
        .flat_map(|clip| clip.bounds.iter_mut().flatten())
    {
        fill(&mut bounds.min);
        fill(&mut bounds.max);
    }
    model
}

#[track_caller]
fn model_differences(a: &Pfobj, b: &Pfobj) -> Vec<String> {
    let files = [pfobj::write(a), pfobj::write(b)];
    differences("a.pfobj", [&files[0], &files[1]])
}

#[test]
fn a_renamed_part_of_a_model_is_one_difference() {
    let a = model();
    for at in 0..a.joints.len() {
        let mut b = a.clone();
        let name = std::mem::replace(&mut b.joints[at].name, "other".to_owned());
        assert_eq!(model_differences(&a, &b), [format!("joint {name}: name")]);
        b.joints[at].bind.translation[1] += 1.0;
        let expected = format!("joint {name}: name translation");
        assert_eq!(model_differences(&a, &b), [expected]);
    }
    for at in 0..a.materials.len() {
        let mut b = a.clone();
        let name = std::mem::replace(&mut b.materials[at].name, "other".to_owned());
        assert_eq!(
            model_differences(&a, &b),
            [format!("material {name}: name")]
        );
        b.materials[at].texture = "other.png".to_owned();
        assert_eq!(
            model_differences(&a, &b),
            [format!("material {name}: name texture")]
        );
    }
    for at in 0..a.clips.len() {
        let mut b = a.clone();
        let name = std::mem::replace(&mut b.clips[at].name, "other".to_owned());
        assert_eq!(model_differences(&a, &b), [format!("clip {name}: name")]);
        // With different poses it is a different clip.
        b.clips[at].poses[2].translation[0] += 1.0;
        let expected = [format!("-clip {name}: "), "+clip other: ".to_owned()];
        assert_eq!(model_differences(&a, &b), expected);
    }
    let mut b = a.clone();
    for joint in &mut b.joints {
        joint.name.insert_str(0, "rig_");
    }
    assert_eq!(model_differences(&a, &b).len(), a.joints.len());
}

#[test]
fn a_joint_that_is_inserted_is_one_difference() {
    let a = model();
    for at in 0..=a.joints.len() {
        let mut b = a.clone();
        let mut new = b.joints[0].clone();
        (new.name, new.parent) = ("new".to_owned(), None);
        for joint in &mut b.joints {
            joint.parent = joint
                .parent
                .map(|parent| parent + u32::from(parent as usize >= at));
        }
        b.joints.insert(at, new);
        for influence in &mut b.influences {
            influence.joint += u32::from(influence.joint as usize >= at);
        }
        for clip in &mut b.clips {
            let frames = clip
                .poses
                .chunks(a.joints.len())
                .map(<[_]>::to_vec)
                .flat_map(|mut frame| {
                    frame.insert(at, frame[0]);
                    frame
                });
            clip.poses = frames.collect();
        }
        assert_eq!(model_differences(&a, &b), ["+joint new: "], "{at}");
        assert_eq!(model_differences(&b, &a), ["-joint new: "], "{at}");
    }
}

/// Variants of a text in which one number with a decimal point is replaced: by the next larger
/// value, and by another spelling.
fn with_other_numbers(text: &str) -> Vec<[String; 2]> {
    let is_end = |c: char| c.is_ascii_whitespace() || c == '/';
    let mut texts = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(is_end) {
        let number = word.trim_end_matches(is_end);
        if number.contains('.')
            && let Ok(value) = number.parse::<f32>()
        {
            let next = if value == 0.0 { 1e-9 } else { value.next_up() };
            texts.push([format!("{next:.12}"), format!("{number}000")].map(|with| {
                let mut text = text.to_owned();
                text.replace_range(at..at + number.len(), &with);
                text
            }));
        }
        at += word.len();
    }
    texts
}

#[test]
fn numbers_differ_by_value_and_not_by_spelling() {
    let model = String::from_utf8(pfobj::write(&model())).unwrap();
    for (name, text) in [("a.pfobj", &*model), ("a.pfscene", SCENE)] {
        let others = with_other_numbers(text);
        assert!(others.len() > 40, "{name}: {}", others.len());
        for [other, same] in others {
            let lines = text.lines().zip(other.lines());
            let line = lines.filter(|(line, other)| line != other).last().unwrap();
            // The engine does not parse the version as a number.
            if line.0.starts_with("version") {
                continue;
            }
            let files = [text, &other].map(str::as_bytes);
            let found = differences(name, files);
            assert_eq!(found.len(), 1, "{line:?}: {found:?}");
            let files = [text, &same].map(str::as_bytes);
            assert!(differences(name, files).is_empty(), "{line:?}");
        }
    }
}

#[test]
fn a_corner_of_a_level_that_is_moved_a_little_is_a_difference() {
    let moved = |map: &pmf::Pmf| {
        let data = map.levels[0].chunks[0].data.as_ref()?;
        data.cubes.iter().find_map(|(_, cube)| match cube {
            Cube::Geometry(geometry) => data.cubes.moved_points(geometry).next(),
            _ => None,
        })
    };
    let maps = (0..50).map(|seed| synthesize::pmf([1, 1, 1], 3, seed));
    let mut moved = maps.filter_map(|map| Some((moved(&map)?.1, map)));
    let (point, map) = moved.next().unwrap();
    let file = pmf::write(&map, Packing::Stored).unwrap();
    let bytes = point.map(f32::to_le_bytes).concat();
    let at = file.windows(12).position(|window| window == bytes).unwrap();
    for (axis, coordinate) in point.into_iter().enumerate() {
        let mut other = file.clone();
        let place = at + 4 * axis..at + 4 * axis + 4;
        other[place].copy_from_slice(&coordinate.next_up().to_le_bytes());
        let found = differences("a.pmf", [&file, &other]);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}

/// A map of levels with one chunk each, which share only their materials and environments.
fn map_of_levels(count: u64) -> pmf::Pmf {
    let mut maps = (0..count).map(|seed| synthesize::pmf([1, 1, 1], 2, seed));
    let mut map = maps.next().unwrap();
    map.levels.extend(maps.flat_map(|map| map.levels));
    map
}

#[track_caller]
fn level_differences(a: &pmf::Pmf, b: &pmf::Pmf) -> Vec<String> {
    let files = [a, b].map(|map| pmf::write(map, Packing::Stored).unwrap());
    differences("a.pmf", [&files[0], &files[1]])
}

#[test]
fn a_level_that_comes_or_goes_is_one_difference() {
    let a = map_of_levels(4);
    for at in 0..a.levels.len() {
        let mut b = a.clone();
        let level = b.levels.remove(at);
        assert_eq!(level_differences(&a, &b), [format!("-level {at}: ")]);
        assert_eq!(level_differences(&b, &a), [format!("+level {at}: ")]);
        for to in (0..a.levels.len()).filter(|to| *to != at) {
            let mut b = b.clone();
            b.levels.insert(to, level.clone());
            assert_eq!(level_differences(&a, &b), ["level order: order"]);
        }
    }
}

#[test]
fn what_stands_in_a_level_follows_it() {
    let a = map_of_levels(3);
    let mut b = a.clone();
    b.levels.rotate_left(1);
    // All levels change; the last one only in a chunk.
    b.levels[2].server.as_mut().unwrap().entities = pmf::Entities::default();
    b.levels[1].common.materials[1].flags = 2;
    let data = b.levels[0].chunks[0].data.as_mut().unwrap();
    data.client.as_mut().unwrap().lightmaps[0].luxels[5] ^= 1;
    assert_eq!(
        level_differences(&a, &b),
        [
            "-entity 0: DUMMY made up: ",
            "-entity 0: LIGHT made up: ",
            "lightmap 1: (0, 0, 0): 0: luxels",
            "material 2: grass: flags",
            "level order: order",
        ]
    );
    let new = synthesize::pmf([1, 1, 1], 2, 9).levels.remove(0);
    b.levels.insert(0, new);
    let found = level_differences(&a, &b);
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found.contains(&"+level 0: ".to_owned()), "{found:?}");
}

/// The differences after a change in a level.
#[track_caller]
fn changed_level_differences(change: impl FnOnce(&mut pmf::Level)) -> Vec<String> {
    let a = synthesize::pmf([1, 2, 1], 1, 7);
    let mut b = a.clone();
    change(&mut b.levels[0]);
    level_differences(&a, &b)
}

#[test]
fn whatever_is_read_of_a_level_is_a_difference() {
    let found =
        changed_level_differences(|level| level.client.as_mut().unwrap().skies[0].flags = 0x80);
    assert_eq!(found, ["sky 0: day: flags"]);

    // Far from the origin, where fewer decimal digits remain.
    let file = pmf::write(&synthesize::pmf([1, 2, 1], 1, 7), Packing::Stored).unwrap();
    let map = pmf::read(&file).unwrap();
    let data = map.levels[0].chunks[1].data.as_ref().unwrap();
    let mut colliders = data.cubes.iter().filter_map(|(_, cube)| match cube {
        Cube::Collider(collider) => Some(data.cubes.boxes(collider)),
        _ => None,
    });
    let corners = colliders.next().unwrap().as_flattened();
    let numbers = corners.as_flattened().iter();
    let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    let mut places = file.windows(bytes.len()).enumerate();
    let at = places.rfind(|(_, window)| *window == bytes).unwrap().0;
    let mut other = file.clone();
    other[at] ^= 1;
    let found = differences("a.pmf", [&file, &other]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("cube 0: (0, 1, 0)"), "{found:?}");

    // A difference near the end of a long list.
    let lists = |last: u32| {
        move |level: &mut pmf::Level| {
            let data = level.chunks[0].data.as_mut().unwrap();
            let seen: Vec<u32> = (1..600).chain([last]).collect();
            let mut cubes = pmf::Cubes::default();
            let other = (pmf::ChunkIndex::new([0, 1, 0]), seen.clone());
            cubes.push_vis_info(1, seen, &[other]);
            cubes.push_empty();
            cubes.link().unwrap();
            data.cubes = cubes;
            let region = &mut data.server.as_mut().unwrap().regions[0];
            region.chunks = vec![pmf::ChunkIndex::default(); 300];
            region.chunks[299] = pmf::ChunkIndex::new([0, last, 0]);
        }
    };
    let [mut a, mut b] = [0, 1].map(|_| synthesize::pmf([1, 2, 1], 1, 7));
    lists(0)(&mut a.levels[0]);
    lists(1)(&mut b.levels[0]);
    assert_eq!(
        level_differences(&a, &b),
        [
            "cube 0: (0, 0, 0): 0: sees_cubes sees_of_chunks",
            "server region 0: (0, 0, 0): 0: active_chunks",
        ]
    );
}

/// A level of one chunk with these cubes.
fn level_of(cubes: &[fn(&mut pmf::Cubes) -> u32]) -> pmf::Pmf {
    let mut map = synthesize::pmf([1, 1, 1], 1, 7);
    let data = map.levels[0].chunks[0].data.as_mut().unwrap();
    data.cubes = pmf::Cubes::default();
    for push in cubes {
        push(&mut data.cubes);
    }
    data.cubes.link().unwrap();
    map
}

#[test]
fn a_cube_that_wraps_another_leaves_it_as_it_is() {
    let empty = pmf::Cubes::push_empty as fn(&mut pmf::Cubes) -> u32;
    let a = level_of(&[|cubes| cubes.push_parent(0b11, &[1, 2]), empty, empty]);
    let path: fn(&mut pmf::Cubes) -> u32 = |cubes| cubes.push_path_info(Some(2), &[]);
    let b = level_of(&[|cubes| cubes.push_parent(0b11, &[1, 3]), path, empty, empty]);
    assert_eq!(level_differences(&a, &b), ["+cube 0: (0, 0, 0): 1: "]);
    assert_eq!(level_differences(&b, &a), ["-cube 0: (0, 0, 0): 1: "]);
    // Also if it wraps all of them.
    let c = level_of(&[
        |cubes| cubes.push_vis_info(1, [1], &[]),
        |cubes| cubes.push_parent(0b11, &[2, 4]),
        |cubes| cubes.push_path_info(Some(3), &[]),
        empty,
        empty,
    ]);
    assert_eq!(level_differences(&b, &c), ["+cube 0: (0, 0, 0): 0: "]);
}

#[test]
fn a_level_with_new_wrappers_differs_by_them_alone() {
    let Some(folder) = shared("samples/levels") else {
        return;
    };
    let files = ["t1.pmf", "t2.pmf"].map(|name| std::fs::read(folder.join(name)).unwrap());
    let found = differences("a.pmf", [&files[0], &files[1]]);
    assert_eq!(found.len(), 64);
    assert!(found.iter().all(|it| it.starts_with("+cube ")), "{found:?}");
}

#[test]
fn whatever_is_read_of_an_entity_is_a_difference() {
    let map = |name: &str, number: u32, flags: u64| {
        let mut strings = pmf::StringTableBuilder::default();
        let numbers = |count, last| (1..count).chain([last]).collect::<Vec<u32>>();
        let values = pmf::PropertyValues::U32(numbers(300, number));
        let property = pmf::Property {
            lengths: vec![300],
            values,
        };
        let entity = pmf::NewEntity::new(pmf::EntityKind::Prop, name);
        let entity = pmf::NewEntity {
            properties: vec![0],
            ..entity
        };
        let list = pmf::EntityList {
            properties: vec![property],
            entities: vec![entity.with("flags", flags)],
        };
        let mut map = synthesize::pmf([1, 1, 1], 1, 7);
        map.entities = list.build(&mut strings).unwrap();
        map.strings = strings.finish();
        map
    };
    let a = map("prop", 1, 0);
    assert_eq!(
        level_differences(&a, &map("prop", 2, 0)),
        ["entity PROP prop: properties"]
    );
    assert_eq!(
        level_differences(&a, &map("prop", 1, 0x80)),
        ["entity PROP prop: flags"]
    );
    let [a, b] = ["a", "b"].map(|end| map(&format!("{}{end}", "long".repeat(200)), 1, 0));
    assert_eq!(level_differences(&a, &b).len(), 1);
    // A renamed gamemode is a difference of the map.
    let mut b = a.clone();
    b.header.gamemodes[0] = "run".to_owned();
    assert_eq!(level_differences(&a, &b), ["map map: gamemodes"]);
}

#[test]
fn an_error_that_leaves_something_out_is_told_once_and_first() {
    let map = synthesize::pmf([1, 2, 1], 1, 7);
    let whole = pmf::write(&map, Packing::Stored).unwrap();
    let mut broken = whole.clone();
    let server_section = pmf::read(&whole).unwrap().levels[0].frames[2].start;
    broken[server_section as usize] = 0;
    let [a, b] = [whole, broken].map(|file| open("a.pmf", &file));
    for (files, is_in) in [([&*a, &*b], [false, true]), ([&*b, &*a], [true, false])] {
        let diff = Diff::of(files).unwrap();
        assert_eq!(diff.not_read.each_ref().map(Option::is_some), is_in);
        let [error, rest @ ..] = &diff.differences[..] else {
            panic!("{diff:?}");
        };
        assert_eq!((error.what, error.is_in), ("error", is_in));
        assert_eq!(error.at.each_ref().map(Option::is_some), is_in);
        let texts = error.fields[0].texts.iter().flatten();
        for text in texts {
            assert!(text.starts_with("server section of level 0"), "{text}");
        }
        // The content that it leaves out is only in the other file.
        assert!(!rest.is_empty());
        for it in rest {
            let is_gone = it.is_in == is_in.map(|is_in| !is_in);
            assert!(is_gone && it.what != "error", "{it:?}");
        }
    }
    for file in [&*a, &*b] {
        assert_eq!(Diff::of([file, file]).unwrap().count(), 0);
    }
}

#[test]
fn a_renamed_part_of_a_scene_is_one_difference() {
    let renamed = [
        ("\"Villagers\"", "\"Farmers\"", "faction Villagers: name"),
        ("entity guard", "entity warden", "entity guard: name"),
        ("region meadow", "region field", "region meadow: name"),
        ("camera above", "camera below", "camera above: name"),
    ];
    for (name, other, expected) in renamed {
        let other = SCENE.replacen(name, other, 1);
        let files = [SCENE, &other].map(str::as_bytes);
        assert_eq!(differences("a.pfscene", files), [expected]);
    }
}

#[track_caller]
fn binary_map_differences(a: &Map, b: &Map) -> Vec<String> {
    let files = [a, b].map(|map| map::write(map).unwrap());
    differences("a.map", [&files[0], &files[1]])
}

#[test]
fn a_layer_without_a_name_that_comes_or_goes_is_one_difference() {
    let a = synthesize::ika_map([12, 9], 4, 3);
    for at in 0..a.layers.len() {
        let mut b = a.clone();
        let layer = b.layers.remove(at);
        assert_eq!(
            binary_map_differences(&a, &b),
            [format!("-layer Layer {at}: ")]
        );
        assert_eq!(
            binary_map_differences(&b, &a),
            [format!("+layer Layer {at}: ")]
        );
        // A changed tile of a remaining layer is reported in that layer.
        for other in 0..b.layers.len() {
            let mut b = b.clone();
            b.layers[other].tiles[40] ^= 1;
            let mut found = binary_map_differences(&a, &b);
            found.sort();
            let place = other + usize::from(other >= at);
            let cell = format!("cell Layer {place}: 4,3: tile");
            assert_eq!(found, [format!("-layer Layer {at}: "), cell]);
        }
        // The layer is moved.
        for to in (0..a.layers.len()).filter(|to| *to != at) {
            let mut b = b.clone();
            b.layers.insert(to, layer.clone());
            assert_eq!(binary_map_differences(&a, &b), ["layer order: order"]);
        }
    }
    for at in 0..=a.layers.len() {
        let mut b = a.clone();
        b.layers.insert(at, a.layers[0].clone());
        b.layers[at].tiles.fill(0);
        assert_eq!(
            binary_map_differences(&a, &b),
            [format!("+layer Layer {at}: ")]
        );
    }
}

/// Grids of the same size are compared in blocks of a thousand cells.
#[test]
fn a_cell_that_differs_is_found_wherever_it_is_in_a_large_map() {
    let a = synthesize::ika_map([50, 60], 2, 3);
    let mut b = a.clone();
    b.layers[1].tiles[1] ^= 1;
    b.layers[1].tiles[2999] ^= 1;
    b.obstruction[1023] ^= 1;
    b.zone_numbers[1024] += 1;
    let expected = [
        "cell Layer 1: 1,0: tile",
        "cell Layer 1: 49,59: tile",
        "obstruction 23,20: obstruction",
        "zone cell 24,20: zone_cell",
    ];
    assert_eq!(binary_map_differences(&a, &b), expected);
    // No tileset has this tile.
    b = a.clone();
    b.layers[0].tiles[2000] = u32::MAX;
    assert_eq!(binary_map_differences(&a, &b), ["cell Layer 0: 0,40: tile"]);
    let mut other = b.clone();
    other.layers[0].tiles[2000] -= 1;
    assert_eq!(
        binary_map_differences(&b, &other),
        ["cell Layer 0: 0,40: tile"]
    );

    let a = synthesize::ppe_map([50, 60], MapFlags::default(), 3);
    let mut b = a.clone();
    b.cells[2500] ^= 1;
    let files = [&a, &b].map(|map| map_data::write(map).unwrap());
    let found = differences("a.map", [&files[0], &files[1]]);
    assert_eq!(found, ["cell 0,50: tile_identifier"]);

    let a = terrain(1, 2);
    let mut b = a.clone();
    b.tiles[2047].set(Field::TopMaterial, 1);
    assert_eq!(map_differences(&a, &b), ["tile 31,63: top_material"]);
}

#[test]
fn an_order_is_told_under_the_names_of_the_first_file() {
    let a = synthesize::ika_map([12, 9], 3, 3);
    let mut b = a.clone();
    b.layers.swap(0, 1);
    let [a, b] = [&a, &b].map(|map| open("a.map", &map::write(map).unwrap()));
    let diff = Diff::of([&*a, &*b]).unwrap();
    let texts = diff.differences[0].fields[0]
        .texts
        .clone()
        .map(Option::unwrap);
    assert_eq!(
        texts,
        ["Layer 0, Layer 1, Layer 2", "Layer 1, Layer 0, Layer 2"]
    );
}

/// Inserts `count` zeros at a position of each row.
fn widen<T: Copy + Default>(all: &mut Vec<T>, width: usize, at: usize, count: usize) {
    let rows = all.chunks(width).map(|row| {
        let (before, behind) = row.split_at(at);
        [before, &vec![T::default(); count], behind].concat()
    });
    *all = rows.flatten().collect();
}

#[test]
fn rows_and_columns_that_are_inserted_are_told_together() {
    let a = synthesize::ika_map([12, 9], 2, 3);
    let [columns, rows] = a.size.map(|edge| edge as usize);
    let all = |a: &Map, change: &dyn Fn(&mut Vec<u32>), of_bytes: &dyn Fn(&mut Vec<u8>)| {
        let mut b = a.clone();
        for layer in &mut b.layers {
            change(&mut layer.tiles);
        }
        change(&mut b.zone_numbers);
        of_bytes(&mut b.obstruction);
        b
    };
    let told = |found: &[String], what: &str| {
        assert_eq!(found[0], "map map: size");
        let lines = found.iter().filter(|it| it.contains(what)).count();
        assert_eq!((lines, found.len()), (4, 5), "{found:?}");
    };
    for count in [1, 3] {
        for at in 0..=rows {
            let to = at * columns;
            let mut b = all(
                &a,
                &|cells| drop(cells.splice(to..to, vec![0; count * columns])),
                &|cells| drop(cells.splice(to..to, vec![0; count * columns])),
            );
            b.size[1] += count as u32;
            told(&binary_map_differences(&a, &b), "row");
            told(&binary_map_differences(&b, &a), "row");
        }
        for at in 0..=columns {
            let mut b = all(&a, &|cells| widen(cells, columns, at, count), &|cells| {
                widen(cells, columns, at, count);
            });
            b.size[0] += count as u32;
            told(&binary_map_differences(&a, &b), "column");
            told(&binary_map_differences(&b, &a), "column");
        }
    }
}

#[track_caller]
fn text_map_differences(a: &TextMap, b: &TextMap) -> Vec<String> {
    let files = [a, b].map(|map| text_map::write(map).unwrap());
    differences("a.ika-map", [&files[0], &files[1]])
}

#[test]
fn what_stands_on_a_layer_follows_it() {
    let a = synthesize::ika_text_map([12, 9], 3, 3);
    for at in 0..a.layers.len() {
        let name = &a.layers[at].label;
        let mut b = a.clone();
        b.layers[at].label = "other".to_owned();
        assert_eq!(
            text_map_differences(&a, &b),
            [format!("layer {name}: name")]
        );
        b.layers.remove(at);
        assert_eq!(text_map_differences(&a, &b), [format!("-layer {name}: ")]);
        assert_eq!(text_map_differences(&b, &a), [format!("+layer {name}: ")]);
        let mut b = a.clone();
        b.layers.swap(at, (at + 1) % 3);
        assert_eq!(text_map_differences(&a, &b), ["layer order: order"]);
        // A part that moves to another layer stays the same part.
        let mut b = a.clone();
        let entity = b.layers[at].entities.remove(1);
        b.layers[(at + 1) % 3].entities.insert(0, entity);
        assert_eq!(
            text_map_differences(&a, &b),
            [format!("entity Entity {at}.1: layer")]
        );
        let mut b = a.clone();
        b.layers[at].entities[2].label.clear();
        assert_eq!(
            text_map_differences(&a, &b),
            [format!("entity Entity {at}.2: name")]
        );
        let mut b = a.clone();
        b.layers[at].entities.swap(1, 2);
        assert_eq!(text_map_differences(&a, &b), ["entity order: order"]);
    }
    let mut b = a.clone();
    b.zones[0].label = "Inn".to_owned();
    for area in b.layers.iter_mut().flat_map(|layer| &mut layer.zones) {
        area.label = "Inn".to_owned();
    }
    assert_eq!(text_map_differences(&a, &b), ["zone Café: name"]);
}

#[test]
fn areas_of_one_zone_are_those_in_their_places() {
    let mut a = synthesize::ika_text_map([12, 9], 1, 3);
    let label = a.zones[0].label.clone();
    let area = |position, size| ZoneRect {
        label: label.clone(),
        position,
        size,
        ..ZoneRect::default()
    };
    a.layers[0].zones = vec![area([32, 64], [48, 16]), area([64, 16], [16, 32])];
    let mut b = a.clone();
    b.layers[0].zones = vec![area([64, 16], [16, 48]), area([32, 64], [32, 16])];
    let changed = format!("zone area {label}: rect");
    assert_eq!(
        text_map_differences(&a, &b),
        [
            changed.clone(),
            changed,
            "zone area order: order".to_owned()
        ]
    );
}

/// A container with a layer of two boxes with the same name.
fn container(layer: &str, ids: [u32; 2]) -> String {
    let boxes = ids.map(|id| format!("\tObject:Box \"gate\" {id} 0 0 {} 16\n", 16 + id % 2));
    let [first, second] = boxes;
    format!("Metadata {{\n\tVersion 1 0\n}}\nLayer:Sprite \"{layer}\" 1 {{\n{first}{second}}}\n")
}

#[test]
fn an_identifier_of_a_container_is_no_order_and_its_layers_may_be_renamed() {
    let of = |a: &str, b: &str| differences("a.xmf", [a.as_bytes(), b.as_bytes()]);
    let a = container("one", [1, 3]);
    assert_eq!(of(&a, &container("two", [1, 3])), ["layer one: name"]);
    assert_eq!(of(&a, &container("one", [5, 3])), ["box gate: identifier"]);
}
