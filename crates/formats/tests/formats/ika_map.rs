//! ika's binary maps: faults of a file, and how it is read.

use std::ops::{ControlFlow, Range};

use mapscope_formats::ika::Parallax;
use mapscope_formats::ika::map::{FORMAT, Map, read, read_with, write};
use mapscope_formats::{Place, Problem, ReadError, Rest, Severity};
use mapscope_testdata::synthesize;

fn sniff(bytes: &[u8]) -> bool {
    (FORMAT.sniff)(bytes)
}

fn made_up() -> Map {
    synthesize::ika_map([12, 9], 3, 7)
}

#[track_caller]
fn good(bytes: &[u8]) -> Map {
    read(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn messages(map: &Map) -> Vec<String> {
    map.problems.iter().map(Problem::facts).collect()
}

/// Checks that a map has one problem.
#[track_caller]
fn one(map: &Map, severity: Severity, with: &str) {
    let [problem] = &map.problems[..] else {
        panic!("{:?}", messages(map))
    };
    assert_eq!(problem.severity, severity, "{problem}");
    assert!(problem.facts().contains(with), "{}", problem.facts());
}

#[track_caller]
fn refused(bytes: &[u8], with: &str) {
    let error = read(bytes).unwrap_err().problem().unwrap().facts();
    assert!(error.contains(with), "{error}");
}

/// Offset of the size in [`made_up`], in bytes.
fn size_at(map: &Map) -> usize {
    let texts = [&map.tileset, &map.music, &map.render_string];
    6 + texts.iter().map(|text| 4 + text.len()).sum::<usize>()
}

/// Offset of the parallax of the first layer.
fn infos_at(map: &Map) -> usize {
    size_at(map) + 4 * 4 + 1 + 4
}

fn set(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn made_up_maps_come_back() {
    for (size, layers) in [([1, 1], 1), ([12, 9], 3), ([3, 200], 12)] {
        let map = synthesize::ika_map(size, layers, u64::from(size[0]));
        let bytes = write(&map).unwrap();
        let read = good(&bytes);
        assert!(sniff(&bytes));
        assert_eq!(messages(&read), [""; 0]);
        assert_eq!(write(&read).unwrap(), bytes);
        assert_eq!(read.without_places(), map);
    }
}

#[test]
fn parts_are_where_they_are_said_to_be() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let read = good(&bytes);
    let slice = |range: &Range<u64>| &bytes[range.start as usize..range.end as usize];
    let blocks = read.layers.iter().map(|layer| &layer.block);
    for block in blocks.chain([&read.obstruction_block, &read.zone_block]) {
        assert!(slice(block).starts_with(&[0x78]), "{block:?}");
        assert!(slice(block).ends_with(&[0, 0, 0xFF, 0xFF]), "{block:?}");
    }
    assert!(slice(&read.zones[1].place)[4..].starts_with(b"Caf\xe9"));
    assert!(slice(&read.entities[2].place)[4..].starts_with(b"Entity 2"));
    assert_eq!(read.entities[7].place.end, bytes.len() as u64);
    assert_eq!(read.tile_index([11, 8]), Some(12 * 9 - 1));
    assert_eq!(read.tile_index([12, 0]), None);
    assert_eq!(read.tile_index([0, 9]), None);
}

#[test]
fn only_maps_of_ika_are_read() {
    refused(b"", "ika/magic: 6 F9 MAP");
    refused(b"MAP", "ika/magic");
    refused(b"MAP\xf95\0and more", "ika/verge: 2 6 F9 MAP");
    refused(b"V3MAP\0\x02\0\0\0", "ika/verge: 3 6 F9 MAP");
    refused(b"MAP\xc3\xb96\0", "ika/magic: 6 F9 MAP UTF-8");
    assert!(sniff(b"MAP\xf95\0") && sniff(b"V3MAP\0") && sniff(b"MAP\xc3\xb96\0"));
    assert!(!sniff(b"\x04") && !sniff(b"\0\0\0\0\x20\0\0\0") && !sniff(b""));
    let mut stop = |_| ControlFlow::Break(());
    let stopped = read_with(&write(&made_up()).unwrap(), &mut stop);
    assert_eq!(stopped, Err(ReadError::Cancelled));
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let at = size_at(&map);
    let with = |size: [i32; 2]| {
        let mut bytes = bytes.clone();
        for (i, edge) in size.into_iter().enumerate() {
            set(&mut bytes, at + 4 * i, edge.cast_unsigned());
        }
        bytes
    };
    refused(&with([-1, 30]), "ika/size: -1 1 30 67108864");
    refused(&with([0, 30]), "ika/size: 0 1 30 67108864");
    refused(&with([0x10000, 0x10000]), "ika/size");
    refused(&with([i32::MAX, i32::MAX]), "2147483647");
    // Nothing is allocated for tiles that cannot exist.
    let read = good(&with([1 << 13, 1 << 13]));
    assert!(read.layers.iter().all(|layer| layer.tiles.len() == 12 * 9));
    assert!(read.layers[0].tiles.capacity() < 1 << 20);
    // All blocks are too short for the same reason.
    assert_eq!(read.problems.len(), 1, "{:?}", messages(&read));
    assert_eq!(read.problems[0].consequences.len(), 5);
    refused(&bytes[..at + 3], "ika/truncated: 3 4");
}

#[test]
fn cut_off_maps_show_what_is_there() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let whole = good(&bytes);
    for cut in infos_at(&map)..bytes.len() {
        let read = good(&bytes[..cut]);
        let has_error = read.problems.iter().any(|p| p.severity == Severity::Error);
        assert!(has_error, "cut at {cut}");
        let mut messages = messages(&read).into_iter();
        let says = messages.any(|message| message.contains(", left out"));
        assert!(says, "cut at {cut}");
        for (layer, all) in read.layers.iter().zip(&whole.layers) {
            assert!(all.tiles.starts_with(&layer.tiles));
            let is_whole = all.block.end <= cut as u64;
            assert!(!is_whole || layer.tiles == all.tiles, "cut at {cut}");
        }
        assert!(whole.obstruction.starts_with(&read.obstruction));
        assert!(whole.zone_numbers.starts_with(&read.zone_numbers));
        assert!(whole.zones.starts_with(&read.zones));
        assert!(whole.entities.starts_with(&read.entities));
        let entities = whole.entities.iter();
        let there = entities.filter(|entity| entity.place.end <= cut as u64);
        assert_eq!(read.entities.len(), there.count());
    }
    let cut = whole.entities[3].place.start as usize + 2;
    one(
        &good(&bytes[..cut]),
        Severity::Error,
        "ika/truncated (MapEntity 3), left out: 2 3 4 5",
    );
    let lost = |cut: u64| {
        let map = good(&bytes[..cut as usize]);
        let mut problems = map.problems.iter().filter(|it| it.may_leave_out());
        assert_eq!(problems.next().unwrap().rule.id, "ika/truncated");
        [map.layers.len(), map.zones.len(), map.entities.len()]
    };
    let [_, second, third] = &whole.layers[..] else {
        panic!("three layers");
    };
    assert_eq!(lost(second.block.end - 1)[1..], [0; 2]);
    // Before the length of the third.
    assert_eq!(lost(second.block.end + 2)[1..], [0; 2]);
    assert_eq!(lost(third.block.end - 1)[1..], [0; 2]);
    assert_eq!(lost(whole.zones[1].place.start + 2)[1..], [1, 0]);
}

#[test]
fn a_cut_in_a_block_is_one_problem() {
    let bytes = write(&made_up()).unwrap();
    let whole = good(&bytes);
    let blocks = whole.layers.iter().map(|layer| &layer.block);
    for block in blocks.chain([&whole.obstruction_block, &whole.zone_block]) {
        for cut in [
            block.start,
            block.start + 1,
            u64::midpoint(block.start, block.end),
        ] {
            let read = good(&bytes[..cut as usize]);
            let left = cut - block.start;
            assert_eq!(read.problems.len(), 1, "{left}: {:?}", messages(&read));
            assert_eq!(read.problems[0].rule.id, "ika/truncated");
            let below: Vec<_> = read.problems[0].consequences.iter().collect();
            assert_eq!(below.len(), 1, "{below:?}");
            assert_eq!(below[0].rule.id, "ika/block");
        }
    }
    // A block that is corrupt in another way has its own problem.
    let mut broken = bytes.clone();
    broken[whole.layers[1].block.start as usize] = 0;
    broken.truncate(whole.layers[2].block.end as usize - 8);
    assert_eq!(good(&broken).problems.len(), 2);
}

#[test]
fn the_order_of_the_document_is_read_too() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let places = good(&bytes);
    let infos = infos_at(&map);
    let mut mixed = bytes[..infos].to_vec();
    for (i, layer) in places.layers.iter().enumerate() {
        mixed.extend(&bytes[infos + 16 * i..][..16]);
        let block = &layer.block;
        mixed.extend(&bytes[block.start as usize - 4..block.end as usize]);
    }
    let end = places.layers.last().unwrap().block.end as usize;
    mixed.extend(&bytes[end..]);
    let read = good(&mixed);
    one(&read, Severity::Warning, "ika/layer-order");
    assert_eq!(read.clone().without_places(), map);
    // The same with a truncated file.
    let cut = read.layers[1].block.end as usize;
    let cut = good(&mixed[..cut]);
    assert_eq!(cut.layers[0].tiles, map.layers[0].tiles);
    assert_eq!(cut.layers[1].tiles, map.layers[1].tiles);

    // One layer is the same in both orders.
    let single = synthesize::ika_map([4, 4], 1, 1);
    assert_eq!(messages(&good(&write(&single).unwrap())), [""; 0]);
}

#[test]
fn a_wrong_number_of_layers_is_one_problem() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let at = infos_at(&map) - 4;
    for wrong in [0, 1, 2, 4, 5, 11, 259, 1 << 24] {
        let mut lie = bytes.clone();
        set(&mut lie, at, wrong);
        let read = good(&lie);
        one(&read, Severity::Error, "ika/layer-count");
        assert_eq!(read.problems[0].rule.id, "ika/layer-count");
        assert_eq!(read.problems[0].place, Place::Offset(at as u64));
        assert_eq!(read.without_places(), map, "{wrong}");
    }
}

#[test]
fn a_wrong_length_of_a_block_is_one_problem() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let places = good(&bytes);
    let blocks = places.layers.iter().map(|layer| &layer.block);
    for block in blocks.chain([&places.obstruction_block, &places.zone_block]) {
        let (at, length) = (block.start as usize - 4, (block.end - block.start) as u32);
        for wrong in [
            0,
            1,
            length - 1,
            length + 1,
            length + 8,
            length - 8,
            1 << 30,
        ] {
            let mut lie = bytes.clone();
            set(&mut lie, at, wrong);
            let read = good(&lie);
            one(&read, Severity::Error, "ika/block-length");
            assert!(messages(&read)[0].contains(&length.to_string()), "{wrong}");
            assert_eq!(read.problems[0].rule.id, "ika/block-length");
            assert_eq!(read.problems[0].place, Place::Offset(at as u64));
            assert_eq!(read.without_places(), map, "{wrong}");
        }
    }
}

/// Removes, inserts or changes bytes at each place of a range.
fn damaged(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = (Range<usize>, Vec<u8>)> {
    let places = range.clone().step_by(3);
    places.flat_map(move |at| {
        let changes: [(usize, &[u8]); 9] = [
            (1, &[]),
            (4, &[]),
            (8, &[]),
            (0, &[0]),
            (0, &[0xDD; 4]),
            (0, &[0; 8]),
            (1, &[0xFF]),
            (4, &[0xDD; 4]),
            (20, &[0; 20]),
        ];
        let end = range.end;
        changes
            .into_iter()
            .filter(move |(lost, _)| at + lost <= end)
            .map(move |(lost, new)| {
                let changed = [&bytes[..at], new, &bytes[at + lost..]].concat();
                (at..at + lost, changed)
            })
    })
}

/// A map whose zones and entities have unique names.
fn with_records() -> Map {
    let mut map = synthesize::ika_map([12, 9], 2, 7);
    map.zones = map.zones.iter().cycle().take(5).cloned().collect();
    map.entities = map.entities.iter().cycle().take(6).cloned().collect();
    for (i, zone) in map.zones.iter_mut().enumerate() {
        zone.name = format!("zone number {i}");
    }
    for (i, entity) in map.entities.iter_mut().enumerate() {
        entity.name = format!("entity number {i}");
    }
    map
}

#[test]
fn damage_to_a_record_is_one_problem_and_loses_no_other() {
    let bytes = write(&with_records()).unwrap();
    let whole = good(&bytes);
    let records = whole.zones[0].place.start as usize..whole.entities[5].place.start as usize;
    let (mut all, mut lost) = (0, 0);
    for (place, changed) in damaged(&bytes, records) {
        let read = good(&changed);
        let said = messages(&read);
        assert!(said.len() <= 1, "{place:x?}: {said:#?}");
        let last = place.end.max(place.start + 1) as u64;
        let is_apart = |of: &Range<u64>| of.end <= place.start as u64 || of.start >= last;
        let zones = whole.zones.iter().filter(|zone| is_apart(&zone.place));
        let read_zones = |name: &String| read.zones.iter().any(|it| it.name == *name);
        let entities = whole
            .entities
            .iter()
            .filter(|entity| is_apart(&entity.place));
        let read_entities = |name: &String| read.entities.iter().any(|it| it.name == *name);
        let zones = zones.map(|zone| read_zones(&zone.name));
        let entities = entities.map(|entity| read_entities(&entity.name));
        let there: Vec<bool> = zones.chain(entities).collect();
        all += there.len();
        lost += there.iter().filter(|is_there| !**is_there).count();
        let counts = |map: &Map| [map.zones.len(), map.entities.len()];
        let [zones, entities] = counts(&read);
        assert!(
            zones <= whole.zones.len() && entities <= whole.entities.len(),
            "{place:x?}: {said:#?}"
        );
    }
    // Records beside the damage can seem to be a part of it.
    assert!(200 * lost <= all, "{lost} of {all}");
}

#[test]
fn longer_parts_of_damaged_files_show_no_less() {
    let bytes = write(&with_records()).unwrap();
    let places = good(&bytes);
    let at = places.zones[2].place.start as usize + 3;
    let changed = [&bytes[..at], &[9], &bytes[at..]].concat();
    for bytes in [bytes, changed] {
        let mut before = [0; 2];
        for end in places.zones[0].place.start as usize..=bytes.len() {
            let read = good(&bytes[..end]);
            let zones = read.zones.iter().filter(|zone| !zone.name.is_empty());
            let there = [zones.count(), read.entities.len()];
            assert!(
                there[0] >= before[0] && there[1] >= before[1],
                "{end:#x}: {there:?} after {before:?}: {:#?}",
                messages(&read)
            );
            before = there;
        }
    }
}

#[test]
fn damage_to_a_block_is_one_problem_and_loses_no_other() {
    let bytes = write(&with_records()).unwrap();
    let whole = good(&bytes);
    let infos = infos_at(&with_records());
    let blocks = infos..whole.zone_block.end as usize;
    for (place, changed) in damaged(&bytes, blocks) {
        let read = good(&changed);
        let said = messages(&read);
        // Zero bytes give a problem with the parallax of each layer.
        let is_zero = |problem: &Problem| problem.rule.id == "ika/parallax";
        let is_one = said.len() <= 1 || read.problems.iter().all(is_zero);
        // The end of a block and the length of the next one.
        let mut blocks = whole.layers.iter().map(|layer| &layer.block);
        let is_two = blocks.any(|block| place.contains(&(block.end as usize)) && said.len() == 2);
        let is_one = is_one || is_two;
        assert!(is_one, "{place:x?}: {said:#?}");
        let is_apart =
            |of: &Range<u64>| of.end <= place.start as u64 || of.start > place.end as u64 + 4;
        for (i, layer) in whole.layers.iter().enumerate() {
            let is_same = read.layers.get(i).is_some_and(|it| it.tiles == layer.tiles);
            assert!(
                is_same || !is_apart(&layer.block),
                "{place:x?}: layer {i}: {said:#?}"
            );
        }
        let is_same = read.obstruction == whole.obstruction;
        assert!(
            is_same || !is_apart(&whole.obstruction_block),
            "{place:x?}: {said:#?}"
        );
        let is_same = read.zone_numbers == whole.zone_numbers;
        assert!(
            is_same || !is_apart(&whole.zone_block),
            "{place:x?}: {said:#?}"
        );
        assert_eq!(
            read.layers.len(),
            whole.layers.len(),
            "{place:x?}: {said:#?}"
        );
        assert_eq!(read.zones.len(), whole.zones.len(), "{place:x?}: {said:#?}");
        assert_eq!(
            read.entities.len(),
            whole.entities.len(),
            "{place:x?}: {said:#?}"
        );
    }
}

#[test]
fn valid_maps_are_read_as_they_stand() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let whole = good(&bytes);
    // Surplus bytes at the end, including bytes that form a record.
    let entity = &whole.entities[0].place;
    let entity = &bytes[entity.start as usize..entity.end as usize];
    for behind in [&[0; 76][..], &[0; 78], b"\n", entity] {
        let mut long = map.clone();
        long.entities.last_mut().unwrap().name.clear();
        let read = good(&[&write(&long).unwrap(), behind].concat());
        let bytes = format!("ika/trailing-data: {}", behind.len());
        one(&read, Severity::Warning, &bytes);
        assert_eq!(read.problems[0].rule.id, "ika/trailing-data");
        let end = read.entities.last().unwrap().place.end;
        assert_eq!(read.problems[0].place, Place::Offset(end));
        assert_eq!(read.without_places(), long);
    }
    // One more row in all blocks, or in one.
    let taller = synthesize::ika_map([12, 10], 3, 7);
    let mut all = write(&taller).unwrap();
    set(&mut all, size_at(&taller) + 4, 9);
    let mut one_layer = map.clone();
    let read = good(&all);
    one(&read, Severity::Warning, "ika/long-block");
    assert_eq!(read.size, [12, 9]);
    assert_eq!(read.layers[1].tiles, taller.layers[1].tiles[..12 * 9]);
    // Zones and entities without texts.
    one_layer.zones[0] = mapscope_formats::ika::map::Zone::default();
    one_layer.entities[0] = mapscope_formats::ika::map::Entity::default();
    one_layer.entities[1].position = [1 << 20, -1 << 20];
    let read = good(&write(&one_layer).unwrap());
    assert_eq!(messages(&read), [""; 0]);
    assert_eq!(read.without_places(), one_layer);
}

#[test]
fn a_map_without_layers_is_no_map() {
    let read = good(&write(&synthesize::ika_map([5, 5], 0, 0)).unwrap());
    one(&read, Severity::Error, "ika/no-layers");
    assert_eq!(read.entities.len(), 8);
}

#[test]
fn a_broken_block_loses_no_other() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let places = good(&bytes);
    let mut broken = bytes.clone();
    let start = places.layers[1].block.start as usize;
    broken[start..start + 2].fill(0);
    let read = good(&broken);
    one(&read, Severity::Error, "ika/block (Layer 1): 0 1 432");
    assert_eq!(
        read.problems[0].place.to_string(),
        format!("{:#x}", places.layers[1].block.start)
    );
    assert!(read.layers[1].tiles.is_empty());
    assert_eq!(read.layers[2], places.layers[2]);
    assert_eq!(read.entities, places.entities);
}

#[test]
fn odd_values_are_listed() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let infos = infos_at(&map);
    let mut odd = bytes.clone();
    set(&mut odd, infos + 4, 0);
    set(&mut odd, infos, 5);
    let read = good(&odd);
    one(
        &read,
        Severity::Warning,
        "ika/parallax (Layer 0): 0 0/1 5/0",
    );
    assert_eq!(read.problems[0].place, Place::Offset(infos as u64 + 4));
    assert_eq!(
        read.layers[0].parallax,
        Parallax {
            mul: [5, 1],
            div: [0, 1]
        }
    );

    let mut odd = map.clone();
    odd.zone_numbers[17] = 3;
    odd.zone_numbers[40] = u32::MAX;
    let read = good(&write(&odd).unwrap());
    one(
        &read,
        Severity::Warning,
        "ika/zone-number (Cell 0 5 1): 1 2 3 5",
    );
    assert_eq!(read.zone_numbers, odd.zone_numbers);

    let mut odd = map.clone();
    odd.zones.clear();
    odd.zone_numbers.fill(0);
    assert_eq!(messages(&good(&write(&odd).unwrap())), [""; 0]);
    odd.zone_numbers[0] = 1;
    one(
        &good(&write(&odd).unwrap()),
        Severity::Warning,
        "ika/zone-number (Cell 0 0 0): 0 1",
    );

    let mut odd = map.clone();
    odd.entities[1].direction = 9;
    odd.entities[2].state = 6;
    odd.music = "m".repeat(1024);
    let read = good(&write(&odd).unwrap());
    assert_eq!(read.problems.len(), 3, "{:?}", messages(&read));
    assert!(
        read.problems[0]
            .facts()
            .contains("ika/long-text: 1023 1024")
    );
    assert!(
        read.problems[1]
            .facts()
            .contains("ika/value (MapEntity 1): 0 1 8 9")
    );
    assert!(
        read.problems[2]
            .facts()
            .contains("ika/value (MapEntity 2): 0 2 5 6")
    );

    let mut odd = map.clone();
    odd.render_string = "19".to_owned();
    one(
        &good(&write(&odd).unwrap()),
        Severity::Warning,
        "ika/render-string: 19 3 8 9",
    );
    let mut odd = bytes.clone();
    odd.extend([1, 2, 3]);
    one(&good(&odd), Severity::Warning, "ika/trailing-data");

    // Records of another map after the end do not count.
    let mut other = map.clone();
    for zone in &mut other.zones {
        zone.name.push_str(" of the other map");
    }
    other.entities.reverse();
    for behind in [bytes.clone(), write(&other).unwrap()] {
        let two = good(&[&bytes[..], &behind].concat());
        let what = format!("ika/trailing-data: {}", behind.len());
        one(&two, Severity::Warning, &what);
        assert_eq!(two.zones.len(), map.zones.len());
        assert!(
            two.zones
                .iter()
                .zip(&map.zones)
                .all(|(a, b)| a.name == b.name)
        );
        assert!(
            two.entities
                .iter()
                .zip(&map.entities)
                .all(|(a, b)| a.name == b.name)
        );
    }
}

#[test]
fn a_wrong_number_of_zones_or_entities_is_one_problem() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let places = good(&bytes);
    let [zones_at, entities_at] =
        [places.zones[0].place.start, places.entities[0].place.start].map(|at| at as usize - 4);
    let with = |at: usize, wrong: u32| {
        let mut lie = bytes.clone();
        set(&mut lie, at, wrong);
        good(&lie)
    };
    for wrong in [0, 1, 2, 4, 5, 1000, 1_000_003, u32::MAX] {
        let read = with(zones_at, wrong);
        one(&read, Severity::Error, "ika/record-count");
        assert_eq!(read.problems[0].rule.id, "ika/record-count");
        assert_eq!(read.problems[0].place, Place::Offset(zones_at as u64));
        assert_eq!(read.without_places(), map, "{wrong}");
    }
    // A smaller number is used as it is; with a larger one, the file seems truncated.
    for wrong in [0, 1, 2] {
        let read = with(entities_at, wrong);
        one(&read, Severity::Warning, "ika/trailing-data");
        assert_eq!(read.entities, places.entities[..wrong as usize]);
    }
    for wrong in [9, 1_000_003, u32::MAX] {
        let read = with(entities_at, wrong);
        assert_eq!(read.problems.len(), 1, "{wrong}: {:?}", messages(&read));
        assert_eq!(read.entities, places.entities, "{wrong}");
    }
}

#[test]
fn a_wrong_number_of_many_zones_or_of_those_of_a_map_without_entities_is_one_problem() {
    let mut map = synthesize::ika_map([2, 2], 1, 1);
    let zone = map.zones[0].clone();
    map.entities.clear();
    for zones in [3, 2000] {
        map.zones = vec![zone.clone(); zones as usize];
        let bytes = write(&map).unwrap();
        let at = good(&bytes).zones[0].place.start as usize - 4;
        for wrong in [zones - 1, zones + 1, 2 * zones, u32::MAX] {
            let mut lie = bytes.clone();
            set(&mut lie, at, wrong);
            let read = good(&lie);
            assert_eq!(read.problems.len(), 1, "{wrong}: {:?}", messages(&read));
            assert_eq!(read.problems[0].severity, Severity::Error);
            // Four zero bytes after them are not a list of entities.
            let there = wrong.min(zones) as usize;
            assert_eq!(read.without_places().zones, map.zones[..there], "{wrong}");
        }
    }
}

#[test]
fn lies_about_counts_cost_nothing() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let layers = infos_at(&map) - 4;
    let mut lie = bytes.clone();
    set(&mut lie, layers, i32::MAX.cast_unsigned());
    assert!(good(&lie).layers.len() <= bytes.len() / 16);
    let zones = good(&bytes).zones[0].place.start as usize - 4;
    let mut lie = bytes;
    set(&mut lie, zones, u32::MAX);
    // In a truncated file the number is unknown.
    lie.pop();
    let read = good(&lie);
    assert_eq!(read.zones, good(&write(&map).unwrap()).zones);
    let [zones_problem, cut] = &read.problems[..] else {
        panic!("{:?}", messages(&read));
    };
    assert!(zones_problem.facts().contains("ika/record-count"));
    assert_eq!(zones_problem.place, Place::Offset(zones as u64));
    assert!(
        cut.facts()
            .contains("ika/truncated (MapEntity 7), left out: 1 3 4 7")
    );
    assert_eq!(read.entities_not_read, Rest::Count(1));
    let bytes = write(&map).unwrap();
    let whole = good(&bytes);
    let entities = whole.entities[0].place.start as usize - 4;
    for count in [-5, 100_000_000] {
        let mut lie = bytes.clone();
        set(&mut lie, entities, i32::cast_unsigned(count));
        lie.pop();
        let read = good(&lie);
        one(&read, Severity::Error, "ika/truncated");
        assert!(messages(&read)[0].contains(&count.to_string()));
        assert_eq!(read.problems[0].place, Place::Offset(entities as u64));
        let there = whole.entities.len() - 1;
        assert_eq!(read.entities, whole.entities[..there]);
    }

    // Millions of empty layers.
    let mut zeros = write(&synthesize::ika_map([1, 1], 0, 0)).unwrap();
    zeros.truncate(infos_at(&Map {
        render_string: "ER".to_owned(),
        ..map
    }));
    let at = zeros.len() - 4;
    set(&mut zeros, at, 500_000);
    zeros.resize(at + 4 + 500_000 * 20 + 100, 0);
    let read = good(&zeros);
    assert_eq!(read.layers.len(), 1024);
    assert!(
        read.problems
            .iter()
            .any(|p| p.facts().contains("ika/too-many-layers: 1024 500000"))
    );
}

#[test]
fn what_cannot_be_written_is_said() {
    let mut map = made_up();
    map.tileset = "地図.vsp".to_owned();
    let error = write(&map).unwrap_err().to_string();
    assert!(
        error.contains("name of the tileset: `地図.vsp` has characters"),
        "{error}"
    );
    let mut map = made_up();
    map.layers[2].tiles.pop();
    let error = write(&map).unwrap_err().to_string();
    assert_eq!(error, "layer 2: 107 tiles, but 12 x 9 tiles");
}

#[test]
fn a_wrong_width_or_height_is_one_problem_and_stays() {
    let map = made_up();
    let bytes = write(&map).unwrap();
    let at = size_at(&map);
    for (side, wrong) in [(0, 13), (0, 35), (1, 10), (1, 1 << 20)] {
        let mut lie = bytes.clone();
        set(&mut lie, at + 4 * side, wrong);
        let read = good(&lie);
        one(&read, Severity::Error, "ika/size");
        assert!(wrong > 13 || read.problems[0].facts().contains(" 12 "));
        assert_eq!(
            read.problems[0].place,
            Place::Offset((at + 4 * side) as u64)
        );
        assert_eq!(read.size[side], wrong);
        assert_eq!(read.layers[0].tiles, map.layers[0].tiles);
    }
    for (side, wrong) in [(0, 1), (0, 11), (1, 4)] {
        let mut lie = bytes.clone();
        set(&mut lie, at + 4 * side, wrong);
        let read = good(&lie);
        one(&read, Severity::Warning, "ika/long-block");
        assert_eq!(read.size[side], wrong);
    }
}

#[test]
fn numbers_below_zero_are_wrong_numbers() {
    let map = made_up();
    let mut bytes = write(&map).unwrap();
    let at = infos_at(&map) - 4;
    set(&mut bytes, at, u32::MAX);
    let read = good(&bytes);
    one(&read, Severity::Error, "ika/layer-count, read: -1 3");
    assert_eq!(read.without_places(), map);
    bytes.truncate(at + 30);
    refused(&bytes, "ika/layer-count: -1 0");
}

#[test]
fn a_byte_order_mark_is_passed_by() {
    let map = made_up();
    let file = [b"\xef\xbb\xbf", &write(&map).unwrap()[..]].concat();
    assert!(sniff(&file));
    let read = good(&file);
    one(&read, Severity::Error, "ika/magic: MAP UTF-8");
    assert_eq!(read.without_places(), map);
}

#[test]
fn an_index_out_of_range_hides_no_damage_elsewhere() {
    let mut map = made_up();
    map.entities.truncate(3);
    map.entities[2].direction = 11;
    map.entities[2].state = 9;
    map.zone_numbers[7] = map.zones.len() as u32 + 5;
    let bytes = write(&map).unwrap();
    let whole = good(&bytes);
    assert_eq!(whole.problems.len(), 3, "{:?}", messages(&whole));
    for (entity, warnings) in [(0, 3), (1, 3), (2, 1)] {
        let at = whole.entities[entity].place.start as usize;
        for changed in [
            [&bytes[..at], &[0xDD, 0xDD, 0xDD, 0], &bytes[at + 4..]].concat(),
            [&bytes[..at], &bytes[at + 1..]].concat(),
            [&bytes[..at + 5], b"?", &bytes[at + 5..]].concat(),
        ] {
            let read = good(&changed);
            let said = messages(&read);
            let errors = read
                .problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error);
            assert_eq!(errors.count(), 1, "{said:#?}");
            assert!(read.problems.len() > warnings, "{said:#?}");
            let mut others = (0..3).filter(|other| *other != entity);
            let is_there = |name| read.entities.iter().any(|it| it.name == name);
            assert!(
                others.all(|other| is_there(&*map.entities[other].name)),
                "{said:#?}"
            );
        }
    }
    // A truncation is not a consequence of a zone's number either.
    let at = whole.entities[0].place.start as usize;
    let read = good(&bytes[..at + 6]);
    let [zone, cut] = &read.problems[..] else {
        panic!("{:?}", messages(&read))
    };
    assert_eq!(zone.severity, Severity::Warning);
    assert_eq!(cut.severity, Severity::Error);
}

/// Removes bytes from a map, or replaces them by zeros.
fn with_hole(bytes: &[u8], hole: Range<usize>) -> [Vec<u8>; 2] {
    let (before, behind) = (&bytes[..hole.start], &bytes[hole.end..]);
    let zeros = vec![0; hole.len()];
    [&[][..], &zeros].map(|with| [before, with, behind].concat())
}

/// `true` if a part of a file is outside a hole and does not begin at its end.
fn is_apart(place: &Range<u64>, hole: &Range<usize>) -> bool {
    place.end <= hole.start as u64 || place.start > hole.end as u64 + 4
}

#[test]
fn a_hole_in_blocks_is_one_problem_and_loses_only_those_that_it_is_in() {
    let map = synthesize::ika_map([40, 30], 4, 7);
    let bytes = write(&map).unwrap();
    let whole = good(&bytes);
    let blocks = whole.layers[0].block.start as usize..whole.zone_block.end as usize;
    let (mut holes, mut of_two_blocks) = (0, 0);
    for len in [2, 9, 64, 512] {
        for at in blocks.clone().step_by(61) {
            let hole = at..(at + len).min(blocks.end);
            for changed in with_hole(&bytes, hole.clone()) {
                let read = good(&changed);
                let said = messages(&read);
                // Zeros over the end of a block and the length of the next one give a problem for
                // each.
                assert!(said.len() <= 2, "{hole:x?}: {said:#?}");
                holes += 1;
                of_two_blocks += usize::from(said.len() == 2);
                let is_apart = |place: &Range<u64>| is_apart(place, &hole);
                for (i, (layer, whole)) in read.layers.iter().zip(&whole.layers).enumerate() {
                    let is_same = layer.tiles == whole.tiles;
                    assert!(
                        is_same || !is_apart(&whole.block),
                        "{hole:x?}: {i}: {said:?}"
                    );
                    // Other values in their place are plausible too.
                    let is_short = layer.tiles.len() < whole.tiles.len();
                    assert!(!is_short || !said.is_empty(), "{hole:x?}: {i}");
                }
                let is_same = read.obstruction == whole.obstruction;
                assert!(
                    is_same || !is_apart(&whole.obstruction_block),
                    "{hole:x?}: {said:?}"
                );
                let counts = |map: &Map| [map.layers.len(), map.zones.len(), map.entities.len()];
                assert_eq!(counts(&read), counts(&whole), "{hole:x?}: {said:?}");
            }
        }
    }
    assert!(50 * of_two_blocks < holes, "{of_two_blocks} of {holes}");
}

#[test]
fn a_hole_in_zones_and_entities_is_one_problem_and_loses_only_those_that_it_is_in() {
    let mut map = synthesize::ika_map([12, 9], 1, 7);
    map.zones = map.zones.iter().cycle().take(20).cloned().collect();
    map.entities = map.entities.iter().cycle().take(30).cloned().collect();
    for (i, zone) in map.zones.iter_mut().enumerate() {
        zone.name = format!("zone number {i}");
    }
    for (i, entity) in map.entities.iter_mut().enumerate() {
        entity.name = format!("entity number {i}");
    }
    let bytes = write(&map).unwrap();
    let whole = good(&bytes);
    let records = whole.zones[0].place.start as usize..whole.entities[28].place.start as usize;
    let mut trailing = 0;
    for len in [100, 300, 700] {
        for at in records.clone().step_by(41) {
            let hole = at..(at + len).min(records.end);
            for changed in with_hole(&bytes, hole.clone()) {
                let read = good(&changed);
                let said = messages(&read);
                // Zero bytes can form a count of entities, and entities. The remaining records are
                // then outside the map.
                if changed.len() == bytes.len() && read.problems[0].rule.id == "ika/trailing-data" {
                    trailing += 1;
                    continue;
                }
                assert_eq!(said.len(), 1, "{hole:x?}: {said:#?}");
                assert_eq!(
                    read.problems[0].severity,
                    Severity::Error,
                    "{hole:x?}: {said:#?}"
                );
                let zones: Vec<_> = whole
                    .zones
                    .iter()
                    .filter(|zone| is_apart(&zone.place, &hole))
                    .map(|zone| &zone.name)
                    .collect();
                let read_zones: Vec<_> = read.zones.iter().map(|zone| &zone.name).collect();
                let is_there = zones.iter().all(|zone| read_zones.contains(zone));
                assert!(is_there, "{hole:x?}: {said:?} {read_zones:?}");
                let entities: Vec<_> = whole
                    .entities
                    .iter()
                    .filter(|it| is_apart(&it.place, &hole))
                    .map(|entity| &entity.name)
                    .collect();
                let of_read: Vec<_> = read.entities.iter().map(|entity| &entity.name).collect();
                let is_there = entities.iter().all(|entity| of_read.contains(entity));
                assert!(is_there, "{hole:x?}: {said:?} {of_read:?}");
            }
        }
    }
    assert!(trailing < 80, "{trailing}");
}

/// Found by a fuzzer: some records that were read from a damaged map reached into the whole part
/// after the damage.
#[test]
fn what_is_whole_behind_damage_may_have_been_read_before_it() {
    const FILE: &str = "TUFQ+TYACQAAAGlrYTMyLnZzcAgAAAB0aGVtZS5pdAMAAAAxRVIoAAAAHgAAAAUAAAAHAAAAAAEAAAABAAAAAQAA\
        AAEAAAABAAAANwIAAHicfNZZjsMwDANQJ/b9zzxToAHYV6ofRhNvUkiK6rXWOu9x/4/r/fz63TF3xdqz98SezbnN\
        vhPnn/3GyhzuuGfH3L0+czux7r7n3bU8n/dnbs/dOX+Y3+sbg+lbPOPInO4f94hLy3PzLD6Oxr+x5aJpIGM3PRjz\
        Yv0ud6UG81tbromtHBtPTo2lPg7x8tkayfxS/+2efE+OjS3PxtoM8cj7zUcs805xUveN74zT+Gz1K/6pyXt9c5Vz\
        rW4n/D3jeuIq/vrHhNfFAAAAAAAAAQATJ/PTOxrvze+av7qWuciV3tf8uWHRdJHnEiO5meJnbDFUq3qIPuFeObVe\
        jZmYq6fc07xnwl/NW/epe/e0d71j0pB9c9Kr2lKHGXicY2AAAAAFAAFXv1Lb1r18mH/iKcf2l4axGjFXfa3l1bxF\
        z7VXyJlYt14n5vYzdZv1NdXQzRBj+bMnTH1SH/Bc5jfx3jjXq9X9pO/USONdf1Uj1nnrQ1MN5Ls56X+tJicexENs\
        Wu9t9d3+L6ipCfPU/rW+8Wt4yq9611PE4XCfNaDPtZz0zwk/udDfmzfab8X0lJh+ixpLjeRjrytip9aMYd6t97Yc\
        9A51qfaaz5pLYqRuWz9p/msf16fls/l98/iWt3mlRq3R1NPkT3rVhHHTQf7aH1oftfdM+5umf/VEc24e1PrZ5Pv2\
        ztbzrPv2P2Dywql21HOruanHNf7tB22/dQAAACAAAAA8AAAACgAAAAUAAAAUAAAADAAAAAAAAAAAAAAAAAAAAAMA\
        AABEb2eQAQAALAEAAAMAAABkAAAAAQEABwAAAGRvZy5jaHIBAAAAAAUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAQAAABIZXJvEAAAAAQAAABDb29r8P///0AAAAAHAAAAZAAAAAAAAQAAAAAAAAAAAAMAAAAEAAAA\
        VTJEMgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAABDYWbpAAAAAAAAAAA=";
    let file = data_encoding::BASE64.decode(FILE.as_bytes()).unwrap();
    let map = good(&file);
    assert!(!map.problems.is_empty());
}
