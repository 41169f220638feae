//! Map data of `PixelPerfectEngine`: every combination of flags, the faults of a file, and how it
//! is read.

use mapscope_formats::Problem;
use std::io::Write as _;
use std::ops::ControlFlow;

use mapscope_formats::ppe::map_data::{HEADER_BYTES, read, read_with, write};
use mapscope_formats::ppe::{Compression, Corner, EMPTY_CELL, MAP_FORMAT, MapData, MapFlags};
use mapscope_formats::{Integers, ReadError, Severity};
use mapscope_testdata::synthesize;

fn sniff(bytes: &[u8]) -> bool {
    (MAP_FORMAT.sniff)(bytes)
}

fn pack_zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn pack_zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

const SIZE: [u32; 2] = [7, 5];
const CELLS: usize = 35;

fn made_up(flags: u32) -> MapData {
    synthesize::ppe_map(SIZE, MapFlags(flags), 3)
}

fn written(map: &MapData) -> Vec<u8> {
    write(map).unwrap()
}

/// The file of a made-up map.
fn file(flags: u32) -> Vec<u8> {
    written(&made_up(flags))
}

/// All combinations of flags that affect the rest of the file.
fn all_flags() -> impl Iterator<Item = u32> {
    const COMPRESSIONS: [u32; 4] = [0, 0x100, 0x400, 0x800];
    (0..32).flat_map(|low| {
        COMPRESSIONS
            .into_iter()
            .flat_map(move |packed| (0..4).map(move |size| low | packed | size << 16 | 0x5A00_0000))
    })
}

/// The messages of a file, with place and severity.
fn said(map: &MapData) -> Vec<String> {
    map.problems.iter().map(Problem::facts).collect()
}

#[track_caller]
fn says(bytes: &[u8], expected: &[&str]) -> MapData {
    let map = read(bytes).unwrap();
    let said = said(&map);
    assert_eq!(said.len(), expected.len(), "{said:?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.contains(expected), "{said}\nnot {expected}");
    }
    map
}

#[track_caller]
fn refused(bytes: &[u8], expected: &str) {
    let error = read(bytes).unwrap_err();
    assert!(
        error.problem().unwrap().facts().contains(expected),
        "{error}"
    );
}

fn with_header(flags: u32, size: [i32; 2], rest: &[u8]) -> Vec<u8> {
    let head = [
        flags.to_le_bytes(),
        size[0].to_le_bytes(),
        size[1].to_le_bytes(),
    ];
    [head.as_flattened(), rest].concat()
}

#[test]
fn every_flag_comes_back() {
    for flags in all_flags() {
        let map = made_up(flags);
        let bytes = written(&map);
        let mut again = read(&bytes).unwrap();
        let problems = std::mem::take(&mut again.problems);
        assert_eq!(again, map, "{flags:#x}");
        let is_guess =
            flags & MapFlags::RLE != 0 && (map.graphics.is_some() || map.logic.is_some());
        assert_eq!(problems.len(), usize::from(is_guess), "{problems:?}");
        assert!(problems.iter().all(|p| p.severity == Severity::Warning));
        assert!(sniff(&bytes), "{flags:#x}");
        assert_eq!(map.cell_count(), CELLS);
    }
}

#[test]
fn offsets_lead_to_the_bytes() {
    for flags in all_flags() {
        let map = made_up(flags);
        let bytes = written(&map);
        let at = |offset: u64, len: usize| &bytes[offset as usize..][..len];
        for i in 0..CELLS {
            let offsets = [
                map.cell_offset(i),
                map.graphics_offset(i),
                map.logic_offset(i),
            ];
            if flags & MapFlags::COMPRESSIONS != 0 {
                assert_eq!(offsets, [None; 3]);
                continue;
            }
            assert_eq!(at(offsets[0].unwrap(), 4), map.raw(i).to_le_bytes());
            let graphics = map.graphics.as_ref().map(|all| all[i]);
            assert_eq!(offsets[1].is_some(), graphics.is_some());
            if let (Some(offset), Some(corners)) = (offsets[1], graphics) {
                assert_eq!(at(offset, 32), bytemuck::bytes_of(&corners));
                assert_eq!(map.corners(i), corners);
            }
            let logic = map.logic.as_ref();
            assert_eq!(offsets[2].is_some(), logic.is_some());
            if let (Some(offset), Some(logic)) = (offsets[2], logic) {
                let value = logic.get(i).unwrap().to_le_bytes();
                let len = logic.bits() as usize / 8;
                assert_eq!(at(offset, len), &value[..len]);
            }
        }
        assert_eq!(map.cell_offset(CELLS), None);
    }
}

#[test]
fn headers_without_sense_are_refused() {
    refused(b"", "0x0: error: ppe-map/header: 12");
    refused(&[0; 11], "0xb: error: ppe-map/header: 11 12");
    let size = |size| with_header(8, size, &[0; 401]);
    refused(&size([-24, 18]), "0x4: error: ppe-map/size: -24 1");
    refused(&size([24, 0]), "0x8: error: ppe-map/size: 0 1");
    refused(
        &size([i32::MIN, 1]),
        "0x4: error: ppe-map/size: -2147483648 1",
    );
    let most = "0x4: error: ppe-map/size";
    refused(&size([65536, 65536]), &format!("{most}: 65536 "));
    refused(&size([0x4000_0000, 4]), &format!("{most}: 1073741824 "));
    refused(&size([1 << 13, (1 << 13) + 1]), &format!("{most}: "));
    says(
        &size([1 << 13, 1 << 13]),
        &["ppe-map/truncated: 100 67108864"],
    );
}

#[test]
fn flags_without_meaning_are_warned_of() {
    let map = says(
        &with_header(0x8000_10A0, [1, 1], &[7, 0, 1, 0]),
        &["0x0: warning: ppe-map/flags: 0x800010a0 12 5 7"],
    );
    assert_eq!(map.cells, [0x1_0007]);
    assert_eq!(map.flags.user(), 0x80);
}

#[test]
fn what_cannot_be_unpacked_has_its_header_shown() {
    let map = says(
        &with_header(0x1_0219, [24, 18], &[1; 400]),
        &["0x0: error: ppe-map/compression: 0x10219"],
    );
    assert_eq!((map.size, map.cells.len()), ([24, 18], 0));
    assert_eq!(map.flags.compression(), Compression::Lzw);
    assert_eq!(map.graphics, Some(Vec::new()));
    assert_eq!(map.logic.as_ref().map(Integers::bits), Some(16));
    assert_eq!((map.cell(0).is_empty(), map.raw(0)), (true, EMPTY_CELL));
    assert_eq!(map.corners(0), [Corner::NEUTRAL; 4]);
    let several = with_header(0xD00, [24, 18], &[1; 400]);
    let map = says(&several, &["ppe-map/compression: 0xd00"]);
    assert_eq!(map.problems[0].severity, Severity::Error);
    assert!(!sniff(&several));
}

#[test]
fn files_that_are_cut_off_keep_what_they_have() {
    let whole = made_up(0x1_0019);
    let bytes = written(&whole);
    let sections = [4, 32, 2];
    let mut start = HEADER_BYTES as usize;
    for size in sections {
        for bytes_left in [0, 1, size, 3 * size + 1, CELLS * size - 1] {
            let cut = &bytes[..start + bytes_left];
            let found = bytes_left / size;
            let expected = format!("{:#x}: error: ppe-map/truncated: ", cut.len());
            let map = says(cut, &[&expected]);
            assert!(said(&map)[0].contains(&found.to_string()));
            assert!(whole.cells.starts_with(&map.cells));
            assert!(
                whole
                    .graphics
                    .as_ref()
                    .unwrap()
                    .starts_with(map.graphics.as_ref().unwrap())
            );
            assert!(!sniff(cut));
        }
        start += CELLS * size;
    }
    assert_eq!(start, bytes.len());
    let long = [&bytes[..], b"tail"].concat();
    says(&long, &["ppe-map/length: 4 5 7"]);
    assert!(!sniff(&long));
    // A surplus byte among cells or attributes.
    for at in HEADER_BYTES as usize..=bytes.len() {
        let long = [&bytes[..at], b"x", &bytes[at..]].concat();
        let map = says(&long, &["ppe-map/length: 1 5 7"]);
        let before = (at - HEADER_BYTES as usize) / 4;
        let before = before.min(CELLS);
        assert_eq!(map.cells[..before], whole.cells[..before]);
    }
}

#[test]
fn runs_must_end_with_the_cells() {
    let bytes = file(0x108);
    let more = [&bytes[..], &[0x80, 1, 2, 3, 4]].concat();
    let map = says(&more, &["ppe-map/trailing-data: 5"]);
    assert_eq!(map.cells, made_up(0x108).cells);
    // A packet that continues past the last cell.
    let crossing = with_header(0x108, [3, 1], &[0x84, 1, 2, 3, 4]);
    let map = says(&crossing, &["0xc: error: ppe-map/long-packet: 2 3"]);
    assert_eq!(map.cells, [0x0403_0201; 3]);
    assert!(!sniff(&crossing) && sniff(&bytes) && sniff(&more));
    let cut = &bytes[..bytes.len() - 1];
    let map = says(cut, &["ppe-map/truncated: 0 35"]);
    assert!(made_up(0x108).cells.starts_with(&map.cells));
    assert!(!sniff(cut));
}

#[test]
fn attributes_of_runs_are_guessed_both_ways() {
    for flags in [0x118, 0x109, 0x2_0119, 0x3_0119] {
        let mut map = made_up(flags);
        let packed = written(&map);
        map.problems = says(&packed, &["ppe-map/rle-attributes"]).problems;
        // The same with uncompressed attributes.
        let mut plain = map.clone();
        plain.flags = MapFlags(flags & !MapFlags::RLE);
        let plain = written(&plain);
        let mut cells = map.clone();
        (cells.flags, cells.graphics, cells.logic) = (MapFlags(0x108), None, None);
        let mut mixed = written(&cells);
        mixed[..4].copy_from_slice(&flags.to_le_bytes());
        mixed.extend(&plain[HEADER_BYTES as usize + 4 * CELLS..]);
        let again = says(&mixed, &["ppe-map/rle-attributes"]);
        assert_eq!((&again.cells, &again.graphics), (&map.cells, &map.graphics));
        assert_eq!(again.logic, map.logic);
        assert!(sniff(&packed) && sniff(&mixed));
        // Truncated, neither reading fits.
        says(
            &mixed[..mixed.len() - 1],
            &["ppe-map/rle-attributes", "ppe-map/truncated"],
        );
    }
}

#[test]
fn streams_that_are_not_whole_are_told_apart() {
    let map = made_up(0x2_0419);
    let bytes = written(&map);
    let whole = |bytes: &[u8], expected: &str| {
        let again = says(bytes, &[expected]);
        assert_eq!((&again.cells, &again.logic), (&map.cells, &map.logic));
        assert!(sniff(bytes));
    };
    whole(&bytes[..bytes.len() - 4], "ppe-map/unfinished");
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    whole(&wrong, "ppe-map/damaged");
    let long = [&bytes[..], b"tail"].concat();
    whole(&long, "ppe-map/trailing-data: 4");
    // Attributes that are not in the flags.
    let mut more = bytes.clone();
    more[2] = 0;
    more[0] = 0x08;
    let again = says(&more, &["ppe-map/length: 140 5 7"]);
    assert_eq!(again.cells, map.cells);
    assert_eq!((again.graphics, again.logic), (None, None));
    // Missing attributes.
    let mut fewer = file(0x408);
    fewer[0] |= 0x10;
    says(&fewer, &["ppe-map/truncated: 0 35"]);
    let half = &bytes[..bytes.len() / 2];
    let again = says(half, &["ppe-map/truncated"]);
    assert!(!again.cells.is_empty() && map.cells.starts_with(&again.cells));
    let mut broken = bytes.clone();
    broken[14] = 0xFF;
    let again = says(&broken, &["ppe-map/truncated: 0 35"]);
    assert!(again.cells.is_empty());
    says(&bytes[..12], &["ppe-map/truncated: 0 35"]);

    let bytes = file(0x808);
    says(&bytes[..bytes.len() - 5], &["ppe-map/truncated: 0 35"]);
    let mut broken = bytes.clone();
    broken[12] = 0;
    says(&broken, &["0xc: error: ppe-map/truncated: 0 35"]);
    assert!(!sniff(&broken));
}

#[test]
fn checksums_behind_the_map_are_looked_at() {
    let numbers: Vec<u8> = (0..560_u32).map(|i| ((i * i) >> 5) as u8).collect();
    let zlib = pack_zlib(&numbers);
    let checksum_at = HEADER_BYTES as usize + zlib.len() - 4;
    let mut wrong = zlib.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let tail = [&wrong[..], b"tail"].concat();
    for stream in [&wrong, &tail] {
        // The data is complete, too long or too short: always one problem.
        for (height, expected) in [(20, ""), (5, ": 140")] {
            let expected = format!("{checksum_at:#x}: error: ppe-map/damaged{expected}");
            let map = says(&with_header(0x408, [7, height], stream), &[&expected]);
            assert_eq!(map.problems[0].rule.id, "ppe-map/damaged");
        }
        let expected = format!("{checksum_at:#x}: error: ppe-map/truncated: 140 147");
        says(&with_header(0x408, [7, 21], stream), &[&expected]);
    }
    // A truncated or complete stream after the map.
    for stream in [&zlib[..], &zlib[..zlib.len() - 2]] {
        says(
            &with_header(0x408, [7, 5], stream),
            &["ppe-map/length: 140 5 7"],
        );
    }
    let mut zstd = pack_zstd(&numbers);
    *zstd.last_mut().unwrap() ^= 1;
    says(
        &with_header(0x808, [7, 5], &zstd),
        &["ppe-map/damaged: 140"],
    );
}

#[test]
fn damaged_blocks_are_not_called_cut_off() {
    // Block headers have three bytes: one of a type that does not exist, and one of a size that is
    // too large.
    let frame = pack_zstd(&[7; 140]);
    let block_at = frame.len() - 4 - 4;
    assert_eq!(frame[block_at] >> 1 & 3, 1, "a byte that is repeated");
    for begin in [[0x07, 0, 0], [0x03, 0xFF, 0xFF]] {
        let mut damaged = frame[..block_at].to_vec();
        damaged.extend(begin);
        let at = HEADER_BYTES as usize + block_at;
        let expected = format!("{at:#x}: error: ppe-map/truncated");
        for tail in [&b""[..], b"tail"] {
            let file = [&damaged[..], tail].concat();
            says(&with_header(0x808, [7, 5], &file), &[&expected]);
        }
    }
    for cut in [5, 6, 7] {
        let expected = format!("{:#x}: error: ppe-map/truncated", 12 + frame.len() - cut);
        let file = with_header(0x808, [7, 5], &frame[..frame.len() - cut]);
        says(&file, &[&expected]);
    }
}

#[test]
fn bombs_stop_at_the_size_of_the_map() {
    let zeros = vec![0; 32 << 20];
    for (flag, packed) in [(0x400, pack_zlib(&zeros)), (0x800, pack_zstd(&zeros))] {
        assert!(packed.len() < 64 << 10);
        let map = says(
            &with_header(flag, [4, 4], &packed),
            &["ppe-map/length: 4 64"],
        );
        assert_eq!((map.cells.len(), map.cells.capacity()), (16, 16));
        // The header of a map that is larger than the stream.
        let map = says(
            &with_header(flag, [1 << 12, 1 << 13], &packed),
            &["ppe-map/truncated: 33554432 8388608"],
        );
        assert!(map.cells.capacity() <= 16 << 20);
    }
}

#[test]
fn large_maps_of_nothing_are_read() {
    // An empty map of 144 MB in some 140 kB.
    let packed = pack_zlib(&vec![0xFF; 4 * 6000 * 6000]);
    assert!(packed.len() < 256 << 10);
    let map = read(&with_header(0x408, [6000, 6000], &packed)).unwrap();
    assert_eq!(map.problems, []);
    assert_eq!(map.empty_cells(), 6000 * 6000);
}

#[test]
fn attributes_that_are_too_much_are_left_out() {
    // Attributes of 2^23 cells take 256 MiB, and the cells already use a part of it.
    let packed = pack_zlib(&vec![0; 33 << 20]);
    let map = says(
        &with_header(0x410, [1 << 13, 1 << 10], &packed),
        &[
            "ppe-map/too-large: 2113985 268435456 67647520",
            "ppe-map/truncated: 32768 8388608",
        ],
    );
    assert_eq!(map.cells.len(), 1 << 23);
    assert_eq!(map.graphics.map(|graphics| graphics.len()), Some(1 << 15));
}

#[test]
fn nothing_else_is_taken_for_map_data() {
    for bytes in [
        &b"MAP\xf96\0\0\0\x01\0\0\0"[..],
        b"version 1.0\nnum_verts 3\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        &[0; 12],
        &[0; 16],
        b"",
    ] {
        assert!(!sniff(bytes), "{bytes:?}");
    }
    assert!(sniff(&with_header(0, [1, 1], &[0; 4])));
    assert!(!sniff(&with_header(0x400, [1, 1], b"MA")));
    assert!(!sniff(&with_header(0x400, [1, 1], &[0x78])));
}

#[test]
fn reading_can_be_stopped() {
    for flags in [0x08, 0x118, 0x408, 0x808] {
        let map = synthesize::ppe_map([700, 700], MapFlags(flags), 1);
        let bytes = written(&map);
        let mut left = 2;
        let mut watch = |done: f32| {
            assert!((0.0..=1.0).contains(&done));
            left -= 1;
            if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let stopped = read_with(&bytes, &mut watch) == Err(ReadError::Cancelled);
        assert_eq!(stopped, flags != 0x08, "a copy is not worth asking for");
        assert_eq!(
            read_with(&bytes, &mut |_| ControlFlow::Break(())),
            Err(ReadError::Cancelled)
        );
    }
}

#[test]
fn lists_must_agree_with_the_header() {
    let map = synthesize::ppe_map([3, 2], MapFlags(0x1_0019), 1);
    let refused = |change: &dyn Fn(&mut MapData)| {
        let mut map = map.clone();
        change(&mut map);
        write(&map).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|map| map.size = [0, 6]),
        "0 x 6 cells; expected at least 1 and at most 67108864 in all"
    );
    assert_eq!(refused(&|map| map.size = [1, 5]), "6 cells for 5 cells");
    assert!(refused(&|map| map.size = [1 << 20, 1 << 20]).contains("1048576 x 1048576"));
    assert_eq!(
        refused(&|map| map.graphics = None),
        "the flags 0x10019 are not those of a map with no graphics attributes"
    );
    assert_eq!(
        refused(&|map| map.logic = Some(Integers::U8(vec![0; 6]))),
        "the flags 0x10019 are not those of a map with logic attributes of 8 bits"
    );
    assert_eq!(
        refused(&|map| map.logic = Some(Integers::U16(vec![0; 5]))),
        "5 logic attributes for 6 cells"
    );
    assert_eq!(
        refused(&|map| map.flags.0 |= MapFlags::LZW),
        "the compression `lzw` cannot be written"
    );
    assert!(refused(&|map| map.flags.0 |= MapFlags::COMPRESSIONS).contains("several"));
}

#[test]
fn the_file_is_laid_out_as_the_document_says() {
    let mut map = synthesize::ppe_map([1, 1], MapFlags(0x1_0019), 1);
    map.cells = vec![0x8003_0201];
    let mut corner = 0;
    map.graphics = Some(vec![[(); 4].map(|()| {
        corner += 1;
        Corner {
            rgba: [corner, 2, 3, 4],
            light: [-2, 0x102],
        }
    })]);
    map.logic = Some(Integers::U16(vec![0x0A0B]));
    let mut expected = vec![0x19, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 0x80];
    for corner in 1..=4 {
        expected.extend([corner, 2, 3, 4, 0xFE, 0xFF, 2, 1]);
    }
    expected.extend([0x0B, 0x0A]);
    assert_eq!(write(&map).unwrap(), expected);
}

#[test]
fn a_file_of_another_length_keeps_its_size_and_has_a_hint() {
    let cells = [7; 7 * 6 * 4];
    for (flags, size, fits) in [
        (8, [7, 5], "7 x 6"),
        (8, [6, 5], "6 x 7"),
        (8, [7, 8], "7 x 6"),
        (8, [21, 5], "21 x 2"),
        (8, [5, 6], "7 x 6"),
    ] {
        let map = read(&with_header(flags, size, &cells)).unwrap();
        let [problem] = &map.problems[..] else {
            panic!("{:?}", said(&map));
        };
        let fits: Vec<&str> = fits.split(" x ").collect();
        let facts = problem.facts();
        let is_said = |side: &&str| facts.split(' ').any(|it| it == *side);
        assert!(fits.iter().all(is_said), "{facts}");
        assert_eq!(map.size.map(u32::cast_signed), size);
        let is_short = size[0] * size[1] > 42;
        let severity = if is_short {
            Severity::Error
        } else {
            Severity::Warning
        };
        assert_eq!(problem.severity, severity, "{problem}");
    }
    // Custom bytes after the cells are not attributes.
    let own = with_header(8, [7, 5], &[1; 35 * 5]);
    let map = says(&own, &["ppe-map/length: 35 5 7"]);
    assert_eq!((map.cells.len(), map.logic), (35, None));
}
