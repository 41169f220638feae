//! PFMAP through the public interface: real maps, every layout, and the faults that an author can
//! make.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use mapscope_formats::pfmap::{
    self, BlendMode, Edge, FORMAT, Field, Found, Pfmap, PfmapError, Tile, TileType,
};
use mapscope_formats::{Place, Problem, Severity};
use mapscope_testdata::{shared, stride, synthesize};

/// The real maps; empty if they are missing.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared("corpus/permafrost/assets/maps") else {
        return Vec::new();
    };
    let folder = std::fs::read_dir(folder).unwrap();
    folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "pfmap"))
        .map(|path| (path.display().to_string(), std::fs::read(path).unwrap()))
        .collect()
}

/// The text between two tiles, by the number of the tile before it, from 1.
type Separator = fn(usize) -> &'static str;

/// A map of one chunk as text, with parts that tests change.
struct Text {
    version: &'static str,
    head: String,
    lists: String,
    separator: Separator,
    tiles: Vec<String>,
}

impl Default for Text {
    fn default() -> Self {
        Self {
            version: "1.0",
            head: "num_materials 2\nnum_rows 1\nnum_cols 1\n".to_owned(),
            lists: "material Grass grass.png\nmaterial Cliffs cliffs.png\n".to_owned(),
            separator: |tiles| if tiles.is_multiple_of(4) { "\n" } else { " " },
            // Heights identify tiles, up to 97 of them.
            tiles: (0..1024)
                .map(|i| format!("0+{:02}00000001101001111000", i % 97))
                .collect(),
        }
    }
}

impl Text {
    fn packed(separator: Separator) -> Self {
        Self {
            separator,
            ..Self::default()
        }
    }

    fn text(&self) -> String {
        let mut text = format!("version {}\n{}{}", self.version, self.head, self.lists);
        for (i, tile) in self.tiles.iter().enumerate() {
            text.push_str(tile);
            text.push_str((self.separator)(i + 1));
        }
        text
    }

    fn read(&self) -> Pfmap {
        read(self.text())
    }
}

#[track_caller]
fn read(text: impl AsRef<[u8]>) -> Pfmap {
    match pfmap::read(text.as_ref()) {
        Ok(map) => map,
        Err(error) => panic!("{error}"),
    }
}

/// The message of a refused file.
#[track_caller]
fn refusal(text: impl AsRef<[u8]>) -> String {
    match pfmap::read(text.as_ref()) {
        Ok(map) => panic!("read, with {:?}", map.problems),
        Err(error) => {
            let problem = error.problem().unwrap();
            assert_eq!(problem.severity, Severity::Error);
            assert!(error.to_string().starts_with(&problem.place.to_string()));
            problem.facts()
        }
    }
}

fn problems(map: &Pfmap) -> Vec<String> {
    map.problems.iter().map(Problem::facts).collect()
}

/// Checks that every tile is in the text at the map's place for it, and is found from there.
#[track_caller]
fn assert_places(map: &Pfmap, text: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    for row in 0..map.rows() {
        for col in 0..map.cols() {
            let (line, column) = map.tile_place(row, col).unwrap();
            let start = column as usize - 1;
            let found = &lines[line as usize - 1][start..start + 24];
            assert_eq!(
                found.as_bytes(),
                map.tile(row, col).unwrap().text(),
                "{row} {col}"
            );
            for column in [column, column + 23] {
                assert_eq!(map.tile_at_place(line, column), Some((row, col)));
            }
            assert_ne!(map.tile_at_place(line, column + 24), Some((row, col)));
        }
    }
    assert_eq!(map.tile_at_place(1, 1), None);
}

#[test]
fn real_maps_come_back_byte_for_byte() {
    for (name, bytes) in corpus() {
        assert!((FORMAT.sniff)(&bytes), "{name}");
        let map = read(&bytes);
        assert_eq!(problems(&map), [""; 0], "{name}");
        assert!(
            pfmap::write(&map) == bytes,
            "{name} is written otherwise than it was read"
        );
        assert_eq!(
            (map.rows(), map.cols(), map.materials.len()),
            (128, 128, 11),
            "{name}"
        );
        assert_places(&map, std::str::from_utf8(&bytes).unwrap());
        if name.ends_with("demo.pfmap") {
            let counts =
                TileType::ALL.map(|kind| map.tiles.iter().filter(|tile| tile.kind == kind).count());
            let known = [15122, 124, 138, 170, 143, 94, 71, 102, 80, 89, 68, 104, 79];
            assert_eq!(counts, known);
        }
    }
}

#[test]
fn made_up_maps_come_back_and_have_everything() {
    let bytes = synthesize::pfmap(2, 3, 7);
    assert_eq!(bytes, synthesize::pfmap(2, 3, 7));
    assert_ne!(bytes, synthesize::pfmap(2, 3, 8));
    let map = read(&bytes);
    assert_eq!(problems(&map), [""; 0]);
    assert!(pfmap::write(&map) == bytes);
    assert_places(&map, std::str::from_utf8(&bytes).unwrap());

    let map = read(synthesize::pfmap(8, 8, 1));
    let share = |of: &dyn Fn(&Tile) -> bool| {
        map.tiles.iter().filter(|tile| of(tile)).count() as f32 / map.tiles.len() as f32
    };
    for kind in TileType::ALL {
        assert!(share(&|tile| tile.kind == kind) > 0.0, "no {kind}");
    }
    assert!(
        share(&|tile| tile.kind == TileType::Flat) > 0.7,
        "most of it is flat"
    );
    assert!(share(&|tile| tile.base_height < 0) > 0.02, "there is water");
    for material in [0, 2, 3, 4, 5, 6] {
        assert!(
            share(&|tile| tile.top_material == material) > 0.0,
            "no material {material}"
        );
    }
    // Slopes fit together, except for the few tiles whose corners no type has.
    let broken = (0..map.rows())
        .flat_map(|row| (1..map.cols()).map(move |col| (row, col)))
        .filter(|&(row, col)| {
            let height = |col, east| {
                let tile = map.tile(row, col).unwrap();
                // North-east and south-east raised, or north-west and south-west (table A5).
                let raised: [u8; 2] = match (tile.kind as u8, east) {
                    (1, _) | (5 | 8, true) | (6 | 7, false) => [1, 0],
                    (2, _) | (9 | 0xc, true) | (0xa | 0xb, false) => [0, 1],
                    (3, false) | (4, true) => [1, 1],
                    _ => return None,
                };
                Some(raised.map(|raised| tile.base_height + (raised * tile.ramp_height) as i8))
            };
            matches!((height(col - 1, true), height(col, false)), (Some(a), Some(b)) if a != b)
        })
        .count();
    assert!(broken * 1000 < map.tiles.len(), "{broken} broken edges");
}

#[test]
fn any_packing_is_read_alike() {
    let plain = Text::default().read();
    assert_eq!(problems(&plain), [""; 0]);
    let packings: [(&str, Separator); 10] = [
        ("one on a line", |_| "\n"),
        ("ten on a line, rows begin lines", |n| {
            if n.is_multiple_of(32) || (n % 32).is_multiple_of(10) {
                "\n"
            } else {
                " "
            }
        }),
        ("ten on a line", |n| {
            if n.is_multiple_of(10) || n == 1024 {
                "\n"
            } else {
                " "
            }
        }),
        ("all on one line", |n| if n == 1024 { "\n" } else { " " }),
        ("tabs", |n| if n.is_multiple_of(8) { "\n" } else { "\t" }),
        (
            "two spaces",
            |n| if n.is_multiple_of(8) { "\n" } else { "  " },
        ),
        ("spaces at the ends of lines", |n| {
            if n.is_multiple_of(4) { " \n" } else { " " }
        }),
        ("spaces at the beginnings of lines", |n| {
            if n.is_multiple_of(4) { "\n  " } else { " " }
        }),
        ("blank lines", |n| {
            if n.is_multiple_of(4) { "\n\n" } else { " " }
        }),
        ("a wild mixture", |n| {
            ["\n", " ", "\t \n\n ", "   ", " \r\n"][n * n % 5]
        }),
    ];
    for (name, separator) in packings {
        let text = Text::packed(separator);
        let map = text.read();
        assert!(
            map.tiles == plain.tiles && map.bad_tiles.is_empty(),
            "{name}"
        );
        assert_places(&map, &text.text());
        let errors = map
            .problems
            .iter()
            .filter(|p| p.severity == Severity::Error);
        let mut rules = map.problems.iter().flat_map(Problem::with_consequences);
        assert!(rules.all(|p| p.rule.id != "pfmap/row-tiles"), "{name}");
        // The first has a line that is too long for the engine, the second a last line without an
        // end.
        let refused = matches!(name, "all on one line" | "a wild mixture");
        assert_eq!(errors.count(), usize::from(refused), "{name}");
        // Spaces may be lost in writing, but no tile, and the result reads the same.
        let written = pfmap::write(&map);
        let again = read(&written);
        assert!(again.tiles == plain.tiles, "{name}");
        assert_places(&again, std::str::from_utf8(&written).unwrap());
        let single = name != "tabs"
            && !(name.contains("space") || name.contains("blank") || name.contains("wild"));
        assert_eq!(written == text.text().into_bytes(), single, "{name}");
    }
}

/// If the head announces too few chunks, tiles are left out. The game leaves them out too, so that
/// is an error.
#[test]
fn tiles_behind_the_last_are_an_error() {
    let text = String::from_utf8(synthesize::pfmap(2, 1, 3)).unwrap();
    let map = read(text.replace("num_rows 2", "num_rows 1"));
    let [problem] = &*map.problems else {
        panic!("{:?}", problems(&map));
    };
    assert_eq!(
        (problem.rule.id, problem.severity),
        ("pfmap/extra-tiles", Severity::Error)
    );
    assert_eq!(problem.place.to_string(), "268:1");
    assert_eq!(
        problem.facts(),
        "268:1: error: pfmap/extra-tiles, left out: 1 1024 num_cols num_rows"
    );
    assert_eq!(map.tiles.len(), 1024);
}

fn problems_but_long_lines(map: &Pfmap) -> Vec<String> {
    let other = map
        .problems
        .iter()
        .filter(|problem| problem.rule.id != "pfmap/long-line");
    other.map(Problem::facts).collect()
}

/// All rows of a file have the same lines. A line with another number of tiles is one problem, and
/// the tiles of all other lines keep their places.
#[test]
fn a_damaged_line_moves_no_tile_of_another() {
    let tile = "0+0000000001101001111000";
    let plain = Text::default();
    let by_rows = Text::packed(|n| if n.is_multiple_of(32) { "\n" } else { " " });
    for text in [plain, by_rows] {
        let (whole, plain) = (text.read(), text.text());
        let lines: Vec<&str> = plain.lines().collect();
        let per_line = lines[6].split(' ').count();
        for at in [6, 17, lines.len() - 3] {
            let line = lines[at];
            let other = |spaces: &str| line.replacen("0000", &format!("00{spaces}00"), 1);
            let without = |from: usize, to: usize| [&line[..from], &line[to..]].concat();
            for (lost, found, in_its_place) in [
                (0, 33, vec![format!("{line} {tile}")]),
                (0, 34, vec![format!("{tile} {line} {tile}")]),
                (1, 31, vec![line[25..].to_owned()]),
                (1, 31, vec![other(" ")]),
                (1, 31, vec![other("\n")]),
                (2, 30, vec![without(49, 50)]),
                (2, 30, vec![without(40, 60)]),
                (0, 32, vec!["some words".to_owned(), line.to_owned()]),
            ] {
                if at == 6 && in_its_place.len() == 2 && found == 32 {
                    // That is not a line of the tile list.
                    continue;
                }
                let in_its_place: Vec<&str> = in_its_place.iter().map(String::as_str).collect();
                let changed = [&lines[..at], &in_its_place, &lines[at + 1..]].concat();
                let map = read(format!("{}\n", changed.join("\n")));
                let said = problems_but_long_lines(&map);
                assert_eq!(said.len(), 1, "{in_its_place:?}: {said:#?}");
                let expected = format!(" {found}");
                assert!(said[0].contains(&expected), "{in_its_place:?}: {said:?}");
                assert!(said[0].contains("pfmap/row-tiles"), "{said:?}");
                let begin = format!("{}:", at + 1);
                assert!(said[0].starts_with(&begin), "{in_its_place:?}: {said:?}");
                assert_eq!(map.missing_tiles(), lost, "{in_its_place:?}");
                let first = (at - 6) * per_line;
                let on_line = first..first + per_line;
                let tiles = tiles_of(&map).into_iter().zip(tiles_of(&whole));
                for (index, (tile, expected)) in tiles.enumerate() {
                    assert!(tile == expected || on_line.contains(&index), "{index}");
                }
                // The written file has whole lines again.
                let written = read(pfmap::write(&map));
                assert_eq!(problems_but_long_lines(&written), [""; 0]);
                assert_eq!(tiles_of(&written), tiles_of(&map));
            }
        }
        // Two joined lines.
        let [before, behind] = [&lines[..20], &lines[20..]].map(|part| part.join("\n"));
        let joined = format!("{before}{behind}\n");
        let map = read(joined);
        assert_eq!(problems_but_long_lines(&map).len(), 1);
        assert_eq!(map.missing_tiles(), 2);
    }
}

/// Damage of any kind and length does not move tiles on other lines.
#[test]
fn tiles_beside_damage_stay_where_they_are() {
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let lf = synthesize::pfmap(2, 2, 3);
    let crlf = String::from_utf8(lf.clone())
        .unwrap()
        .replace('\n', "\r\n")
        .into_bytes();
    let (mut beside, mut kept, mut single) = (0, 0, 0);
    let rounds = 400 / stride(4);
    for round in 0..rounds {
        let text = if round % 5 == 0 { &crlf } else { &lf };
        let whole = read(text);
        let lines = line_starts(text);
        let first = lines[whole.tile_place(0, 0).unwrap().0 as usize - 1];
        let len = 1 + random([3, 40, 400, 2000][round % 4]);
        let start = first + random(text.len() - first - len - 300);
        let mut damaged = text.clone();
        let noise: Vec<u8> = (0..len)
            .map(|_| b"0123456789+-xyz#\0 \n"[random(19)])
            .collect();
        let (removed, inserted) = match round % 7 {
            0 => (len, vec![]),
            1 => (len, noise),
            2 => (len, vec![0; len]),
            3 => (len, vec![b'#'; len]),
            4 => (0, noise),
            5 => (1 + random(30), vec![]),
            _ => (0, vec![b" \n"[random(2)]; 1]),
        };
        damaged.splice(start..start + removed, inserted);
        let map = read(&damaged);
        single += usize::from(map.problems.len() <= 1);
        for row in 0..whole.rows() {
            for col in 0..whole.cols() {
                let line = whole.tile_place(row, col).unwrap().0 as usize;
                if lines[line] <= start || lines[line - 1] > start + removed {
                    beside += 1;
                    let is_kept = map.found(row, col) == Found::Tile
                        && map.tile(row, col) == whole.tile(row, col);
                    kept += usize::from(is_kept);
                }
            }
        }
    }
    // A damaged part that reads as tiles may have other problems.
    assert!(single * 100 >= rounds * 90, "{single} of {rounds}");
    assert!(kept * 100 >= beside * 97, "{kept} of {beside}");
}

#[test]
fn what_the_engine_refuses_is_an_error() {
    let all_on_one = Text::packed(|n| if n == 1024 { "\n" } else { " " });
    // Includes consequences.
    let all = |map: &Pfmap| -> Vec<String> {
        let problems = map.problems.iter();
        let all = problems.flat_map(Problem::with_consequences);
        all.map(Problem::facts).collect()
    };
    let map = all_on_one.read();
    assert_eq!(map.problems.len(), 2, "rows are shifted for one reason");
    let found = all(&map);
    assert_eq!(found.len(), 32);
    assert_eq!(
        found[0],
        "7:256: error: pfmap/long-line (Tile 31 0): 255 25600"
    );
    assert_eq!(found[1], "7:801: warning: pfmap/row-start (Tile 1 0)");

    let eleven = Text::packed(|n| {
        if (n % 32).is_multiple_of(11) {
            "\n"
        } else {
            " "
        }
    });
    assert!(problems(&eleven.read())[0].starts_with("7:256: error: pfmap/long-line: 255 275"));

    let mut text = Text::default().text();
    assert_eq!(text.pop(), Some('\n'));
    let map = read(&text);
    assert_eq!(problems(&map), ["262:100: error: pfmap/last-line"]);
    assert_places(&map, &text);
    text.push_str("\nmore\n");
    assert_eq!(
        problems(&read(&text)),
        ["263:1: warning: pfmap/trailing-data: 5 more\\n"]
    );

    let two_chunks = Text {
        head: "num_materials 2\nnum_rows 1\nnum_cols 2\n".to_owned(),
        tiles: vec!["0+0000000001101001111000".to_owned(); 2048],
        separator: |n| {
            if (n + 16).is_multiple_of(32) || n == 2048 {
                "\n"
            } else {
                " "
            }
        },
        ..Text::default()
    };
    let found = all(&two_chunks.read());
    assert!(
        found
            .iter()
            .any(|p| p == "39:401: error: pfmap/chunk-start (Tile 0 32)")
    );

    let many = Text {
        head: "num_materials 300\nnum_rows 1\nnum_cols 1\n".to_owned(),
        lists: "material M m.png\n".repeat(300),
        ..Text::default()
    };
    assert_eq!(
        problems(&many.read()),
        ["2:15: error: pfmap/list-length: 256 300"]
    );

    let marked = format!("\u{feff}{}", Text::default().text());
    assert_eq!(
        problems(&read(marked)),
        ["1:1: error: pfmap/byte-order-mark"]
    );
    for (line, key) in [(1, "version"), (3, "num_rows"), (4, "num_cols")] {
        let text = Text::default().text().replacen(key, &format!(" {key}"), 1);
        assert_eq!(
            problems(&read(text)),
            [format!("{line}:1: error: pfmap/indented-line")]
        );
    }
    let text = Text::default().text().replacen("num_rows", "\nnum_rows", 1);
    assert_eq!(problems(&read(text)), ["3:1: error: pfmap/blank-line"]);
}

#[test]
fn every_version_is_read() {
    for version in ["1.1", "1.2"] {
        let text = Text {
            version,
            head: "num_materials 2\nnum_splats 1\nnum_rows 1\nnum_cols 1\n".to_owned(),
            lists: "material Grass grass.png\nmaterial Cliffs cliffs.png\nsplat 0 1\n".to_owned(),
            ..Text::default()
        };
        let map = text.read();
        assert_eq!(problems(&map), [""; 0]);
        assert_eq!((map.splats[0].base, map.splats[0].accent), (0, 1));
        assert_eq!(map.version, version);
        assert!(pfmap::write(&map) == text.text().into_bytes());
    }
    let text = Text {
        version: "1.1",
        ..Text::default()
    };
    assert_eq!(
        problems(&text.read()),
        ["3:1: error: pfmap/num-splats: 1.1 num_splats"]
    );
    let text = Text {
        version: "1.2",
        head: "num_materials 2\nunm_splats 0\nnum_rows 1\nnum_cols 1\n".to_owned(),
        ..Text::default()
    };
    assert_eq!(
        problems(&text.read()),
        ["3:1: error: pfmap/header-line: num_splats unm_splats"]
    );
    let text = Text {
        version: "7.5",
        ..Text::default()
    };
    let found = problems(&text.read());
    assert_eq!(found[0], "1:9: warning: pfmap/version, read: 1.2 7.5");
    let text = Text {
        head: "num_materials 2\nnum_splats 2\nnum_rows 1\nnum_cols 1\n".to_owned(),
        lists: "material Grass grass.png\nmaterial Cliffs cliffs.png\nsplat 0 9\nsplat 1 x\n"
            .to_owned(),
        ..Text::default()
    };
    assert_eq!(
        problems(&text.read()),
        [
            "3:1: error: pfmap/num-splats: 1.1 num_rows num_splats",
            "8:9: warning: pfmap/splat-material (Splat 0): 1 9",
            "9:9: error: pfmap/splat (Splat 1): x",
        ]
    );
}

#[test]
fn lines_that_end_in_cr_lf_are_read_and_written() {
    let text = Text::default().text().replace('\n', "\r\n");
    let map = read(&text);
    assert_eq!(problems(&map), [""; 0]);
    assert!(map.crlf && map.tiles == Text::default().read().tiles);
    assert!(pfmap::write(&map) == text.as_bytes());
    assert_places(&map, &text);
}

#[test]
fn a_bad_tile_is_a_placeholder_with_a_place() {
    let mut text = Text::default();
    let bad = [
        (5, "0+00000000011010011110"),
        (33, "D+0700000001101001111000"),
        (34, "1+04xx000001101001111000"),
        (35, "2-zz00000001101001111000"),
        (100, "\0\u{1}\u{2}"),
    ];
    for (i, tile) in bad {
        text.tiles[i] = tile.to_owned();
    }
    let map = text.read();
    assert_eq!(map.bad_tiles, [(0, 5), (1, 1), (1, 2), (1, 3), (3, 4)]);
    assert_eq!((map.unreadable_tiles(), map.missing_tiles()), (5, 0));
    assert_eq!(
        problems(&map),
        [
            "8:26: error: pfmap/tile-length (Tile 0 5): 0 0+00000000011010011110 22 24 5",
            "15:26: error: pfmap/tile-type (Tile 1 1): 0 1 D D+0700000001101001111000",
            "15:55: error: pfmap/tile-height (Tile 1 2): 1 1+04xx000001101001111000 2 792 xx",
            "15:78: error: pfmap/tile-height (Tile 1 3): -814 -zz 1 2-zz00000001101001111000 3",
            "32:1: error: pfmap/tile-length (Tile 3 4): 24 3 4 \\u{0}\\u{1}\\u{2}",
        ]
    );
    for ((row, col), (_, text)) in map.bad_tiles.iter().zip(bad) {
        let Found::Odd(found) = map.found(*row, *col) else {
            panic!("{row}, {col} is as it should be");
        };
        assert_eq!((found.text, found.length), (text.as_bytes(), text.len()));
        let (line, column) = map.tile_place(*row, *col).unwrap();
        assert_eq!(map.tile_at_place(line, column), Some((*row, *col)));
        assert!(!map.is_read(*row, *col));
    }
    // Placeholders are flat at the height in the file, if it is known.
    let flat = |base_height| {
        let mut tile = Tile::default();
        tile.base_height = base_height;
        tile.side_material = 1;
        Some(tile)
    };
    assert_eq!(map.tile(0, 5), Some(&Tile::default()));
    assert_eq!(map.tile(1, 1).copied(), flat(7));
    assert_eq!(map.tile(1, 2).copied(), flat(4));
    assert_eq!(map.tile(1, 3).copied(), flat(0));
    // The tiles after a bad one keep their places.
    let good = Text::default().read();
    assert_eq!(map.tile(0, 6), good.tile(0, 6));
    assert_eq!(map.tile(31, 31), good.tile(31, 31));
    assert_eq!(map.tile_place(0, 6), Some((8, 49)));
    assert!(map.is_read(0, 6) && map.found(0, 6) == Found::Tile);
}

#[test]
fn tiles_around_zero_bytes_stay_where_they_are() {
    let text = synthesize::pfmap(1, 2, 3);
    let whole = pfmap::read(&text).unwrap();
    let lines = line_starts(&text);
    let places = |row| (0..whole.cols()).map(move |col| (row, col));
    let places: Vec<(u32, u32)> = (0..whole.rows()).flat_map(places).collect();
    let bytes_of = |(row, col): (u32, u32)| {
        let (line, column) = whole.tile_place(row, col).unwrap();
        let start = lines[line as usize - 1] + column as usize - 1;
        start..start + pfmap::TILE_CHARS
    };
    let first = bytes_of((7, 5)).start;
    // Beginning and ending in and between tiles, on one line and on several.
    for start in (first..first + 130).step_by(7) {
        for len in [55, 64, 512, 1000, 4096] {
            let mut zeroed = text.clone();
            zeroed[start..start + len].fill(0);
            let map = pfmap::read(&zeroed).unwrap();
            let is_hit = |place| {
                let bytes = bytes_of(place);
                // A tile that touches the overwritten bytes is part of the same word.
                bytes.start <= start + len && start <= bytes.end
            };
            for place @ (row, col) in places.iter().copied() {
                let what = format!("{len} bytes at {start}, tile {row}, {col}");
                assert_eq!(map.found(row, col) != Found::Tile, is_hit(place), "{what}");
                if !is_hit(place) {
                    assert_eq!(map.tile(row, col), whole.tile(row, col), "{what}");
                }
            }
            assert_eq!(
                map.unreadable_tiles() + map.missing_tiles(),
                map.bad_tiles.len()
            );
        }
    }
}

fn tiles_of(map: &Pfmap) -> Vec<Option<&Tile>> {
    let places = |row| (0..map.cols()).map(move |col| (row, col));
    let places = (0..map.rows()).flat_map(places);
    places.map(|(row, col)| map.tile(row, col)).collect()
}

/// Offsets of the lines of a text.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let ends = (1..).zip(text).filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(ends.map(|(end, _)| end)).collect()
}

#[test]
fn a_tile_that_the_engine_reads_is_read_as_it_does() {
    let mut text = Text::default();
    text.tiles[33] = "x+0302000001101001111000".to_owned();
    text.tiles[34] = "1*0402000001101001111000".to_owned();
    text.tiles[35] = "0+05xx00000110100111100x".to_owned();
    text.tiles[36] = "0+060000:001o01001111000".to_owned();
    text.tiles[37] = "0+07000000/1101001111000".to_owned();
    let map = text.read();
    assert_eq!(map.bad_tiles, []);
    let of_tiles = |map: &Pfmap| -> Vec<String> {
        let all = map.problems.iter().flat_map(Problem::with_consequences);
        let of_tiles = all.filter(|problem| problem.rule.id != "pfmap/tile-material");
        of_tiles.map(Problem::facts).collect()
    };
    assert_eq!(
        of_tiles(&map),
        [
            "15:26: error: pfmap/tile-field (Tile 1 1): 0 1 x x+0302000001101001111000",
            "15:52: error: pfmap/tile-field (Tile 1 2): *04 1 1*0402000001101001111000 2 4",
            "15:80: error: pfmap/tile-field (Tile 1 3): 0+05xx00000110100111100x 1 3 792 xx",
            "15:99: error: pfmap/tile-field (Tile 1 3): 0+05xx00000110100111100x 00x 1 3",
            "16:9: error: pfmap/tile-field (Tile 1 4): 0+060000:001o01001111000 00: 1 10 4",
            "16:13: error: pfmap/tile-field (Tile 1 4): 0 0+060000:001o01001111000 1 4 o",
            "16:36: error: pfmap/tile-field (Tile 1 5): -9 0+07000000/1101001111000 0/1 1 5",
        ]
    );
    let mut of_tiles = map.problems.iter();
    assert!(of_tiles.all(|it| it.rule.id == "pfmap/tile-field"));
    // A tile with several faults is one problem.
    let [first, second] = &map.problems[3..] else {
        panic!("{:#?}", problems(&map));
    };
    for (odd, read) in [
        (first, "pfmap/tile-material (Tile 1 4): 1 10 4"),
        (second, "pfmap/tile-material (Tile 1 5): -9 1 5"),
    ] {
        let mut consequences = odd.consequences.iter();
        assert!(consequences.any(|it| it.facts().contains(read)), "{odd}");
    }
    assert_eq!(map.tile(1, 1).unwrap().kind, TileType::Flat);
    let ramp = map.tile(1, 2).unwrap();
    assert_eq!(
        (ramp.kind, ramp.base_height, ramp.ramp_height),
        (TileType::RampSn, 4, 2)
    );
    assert_eq!(map.tile(1, 3).unwrap().base_height, 5);
    assert!(map.tile(1, 4).unwrap().pathable());
    // It is written by its meaning.
    let again = read(pfmap::write(&map));
    assert!(again.tiles == map.tiles);
    assert!(again.problems.iter().all(|p| p.severity == Severity::Error));
}

#[test]
fn a_name_with_a_space_is_named() {
    let text = Text::default();
    let said = |line: &str| {
        let map = Text {
            lists: text.lists.replacen("material Grass grass.png", line, 1),
            ..Text::default()
        }
        .read();
        let lines = problems(&map);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(map.problems[0].rule.id, "pfmap/extra-words");
        lines[0].clone()
    };
    let cut = said("material Ground 2 a.png");
    assert!(cut.contains("pfmap/extra-words (Material 0): 2"), "{cut}");
    let more = said("material Grass grass.png a.png");
    assert!(more.contains("pfmap/extra-words (Material 0)"), "{more}");
}

#[test]
fn many_problems_of_a_kind_are_counted() {
    let mut text = Text::default();
    for tile in &mut text.tiles[1..] {
        tile.replace_range(0..1, "F");
    }
    let map = text.read();
    assert_eq!((map.bad_tiles.len(), map.problems.len()), (1023, 101));
    assert_eq!(problems(&map)[100], "32:26: error: pfmap/tile-type: 923");
}

#[test]
fn what_tiles_name_must_exist() {
    let mut text = Text::default();
    text.tiles[2] = "0+0000002999101001111000".to_owned();
    text.tiles[3] = "0+0000000001101071111000".to_owned();
    text.tiles[4] = "0+0000000001101001141000".to_owned();
    text.tiles[5] = "0+0000000001391000000000".to_owned();
    text.tiles[6] = "0+0000000001128501111999".to_owned();
    let map = text.read();
    assert!(map.bad_tiles.is_empty());
    let all = map.problems.iter().flat_map(Problem::with_consequences);
    assert_eq!(
        all.map(Problem::facts).collect::<Vec<_>>(),
        [
            "7:57: error: pfmap/tile-material (Tile 0 2): 0 1 2",
            "7:60: error: pfmap/tile-material (Tile 0 2): 0 1 2 999",
            "7:92: warning: pfmap/tile-digit (Tile 0 3): 0 0+0000000001101071111000 1 2 3 7",
            "8:20: warning: pfmap/tile-digit (Tile 0 4): 0 0+0000000001101001141000 1 2 4",
            "8:38: warning: pfmap/tile-digit (Tile 0 5): 0 0+0000000001391000000000 1 3 5",
            "8:39: warning: pfmap/tile-digit (Tile 0 5): 0 0+0000000001391000000000 1 5 9",
            "8:64: warning: pfmap/tile-digit (Tile 0 6): 0 0+0000000001128501111999 1 2 6",
            "8:65: warning: pfmap/tile-digit (Tile 0 6): 0 0+0000000001128501111999 1 6 8",
            "8:66: warning: pfmap/tile-digit (Tile 0 6): 0 0+0000000001128501111999 1 5 6",
        ]
    );
}

#[test]
fn broken_lists_leave_the_numbers_of_materials_alone() {
    let head = |materials: u32| format!("num_materials {materials}\nnum_rows 1\nnum_cols 1\n");
    let with = |materials, lists: &str| Text {
        head: head(materials),
        lists: lists.to_owned(),
        ..Text::default()
    };
    let text = with(
        3,
        "material Grass\nmateral Mud mud.png\nmaterial Cliffs cliffs.png\n",
    );
    let map = text.read();
    assert_eq!(
        problems(&map),
        [
            "5:15: error: pfmap/material (Material 0)",
            "6:1: error: pfmap/material (Material 0): materal material",
        ]
    );
    assert_eq!(
        (map.materials[2].name.as_str(), map.materials[2].line),
        ("Cliffs", 7)
    );

    let found = problems(&with(3, "material A a.png\nmaterial B b.png\n").read());
    assert_eq!(
        found,
        ["7:1: error: pfmap/material-count: 2 3 num_materials"]
    );
    let map = with(1, "material A a.png\nmaterial B b.png\n").read();
    assert_eq!(
        problems(&map),
        ["6:1: error: pfmap/material-count (Material 1): 1 material num_materials"]
    );
    assert_eq!(map.materials.len(), 2);
    let found = problems(&with(1_000_000_000, "material A a.png\nmaterial B b.png\n").read());
    assert_eq!(found.len(), 1);

    let found = problems(&with(0, "").read());
    assert!(found[0].contains("pfmap/tile-material"));

    let found = problems(&with(2, "\nmaterial A a.png b\n material B b.png\n\n").read());
    assert_eq!(
        found,
        [
            "5:1: error: pfmap/blank-line",
            "6:18: warning: pfmap/extra-words (Material 0)",
        ],
        "the engine splits these lines at spaces"
    );
}

#[test]
fn a_truncated_map_is_shown_as_far_as_it_goes() {
    let whole = Text::default().text();
    let map = read(&whole[..whole.len() / 2 + 7]);
    let good = Text::default().read();
    assert_eq!(map.tiles.len(), 1024);
    assert_eq!(map.tiles[..510], good.tiles[..510]);
    let placeholders: Vec<_> = (510..1024).map(|i| (i / 32, i % 32)).collect();
    assert_eq!(map.bad_tiles, placeholders);
    assert_eq!(
        problems(&map),
        ["134:57: error: pfmap/missing-tiles (Tile 15 31): 1024 511 513"],
        "what the end cut off is no problem of its own"
    );
    assert_eq!((map.unreadable_tiles(), map.missing_tiles()), (1, 513));
    assert_eq!(map.tile_place(15, 30), Some((134, 51)));
    assert_eq!(map.tile_place(31, 31), None, "what is missing is nowhere");
    assert_eq!(map.found(31, 31), Found::Missing);
    assert_eq!(map.tile_at_place(134, 57), Some((15, 31)));
    read(pfmap::write(&map));

    // A file cut at any place is either read or refused.
    for end in (0..whole.len()).step_by(stride(37)) {
        match pfmap::read(&whole.as_bytes()[..end]) {
            Ok(map) => assert!(end + 1 >= whole.len() || !map.bad_tiles.is_empty()),
            Err(error) => assert!(end < whole.len() / 3, "{end}: {error}"),
        }
    }
}

#[test]
fn a_head_that_cannot_be_read_is_refused_with_a_place() {
    assert_eq!(refusal(""), "1:1: error: pfmap/header-line");
    assert_eq!(
        refusal("\0\u{1}junk"),
        "1:1: error: pfmap/header-line: \\u{0}\\u{1}junk"
    );
    assert_eq!(
        refusal(b"\x89PNG\xff"),
        "1:1: error: pfmap/header-line: \\x89PNG\\xff"
    );
    assert_eq!(refusal("version"), "1:8: error: pfmap/header-line");
    assert_eq!(
        refusal("version one\n"),
        "1:9: error: pfmap/header-line: one"
    );
    assert_eq!(refusal("version 1.0\n"), "2:1: error: pfmap/header-line");
    assert_eq!(
        refusal("version 1.0\nnum_materials 2\nnum_row 4\n"),
        "3:1: error: pfmap/header-line: num_row num_rows"
    );
    assert_eq!(
        refusal("version 1.0\nnum_materials 2\nnum_rows -4\n"),
        "3:10: error: pfmap/header-line: -4"
    );
    let with = |rows: &str, cols: &str| {
        let text = Text {
            head: format!("num_materials 2\nnum_rows {rows}\nnum_cols {cols}\n"),
            ..Text::default()
        };
        let map = text.read();
        // Its size is that of its tiles.
        assert_eq!([map.chunk_rows, map.chunk_cols], [1, 1]);
        // A number may also make a line too long.
        problems(&map).swap_remove(0)
    };
    assert_eq!(with("0", "1"), "3:10: error: pfmap/size: 0");
    assert_eq!(
        with("1000000000", "1"),
        "3:10: error: pfmap/size: 1 1000000000 1024"
    );
    assert!(with("1", "17").starts_with("4:10: error: pfmap/size: 1 1024 17"));
    // Of a small map even a short beginning is shown.
    let begun = Text {
        head: "num_materials 2\nnum_rows 4\nnum_cols 4\n".to_owned(),
        ..Text::default()
    };
    let map = begun.read();
    assert_eq!((map.rows(), map.problems.len()), (128, 1));
    for absurd in ["4294967296", "18446744073709551615", &"9".repeat(5 << 20)] {
        assert!(with(absurd, absurd).starts_with("3:10: error: pfmap/"));
        assert!(with("1", absurd).starts_with("4:10: error: pfmap/"));
    }
    let head = Text {
        tiles: Vec::new(),
        ..Text::default()
    }
    .text();
    assert_eq!(refusal(&head), "7:1: error: pfmap/no-tiles");
    let junk = format!("{head}{}", "\u{7f}junk ".repeat(10_000));
    assert_eq!(
        refusal(&junk),
        "7:1: error: pfmap/header-line: 24 \\u{7f}junk"
    );
}

#[test]
fn a_word_of_five_megabytes_is_one_bad_word() {
    let long = "7".repeat(5 << 20);
    let mut text = Text::default();
    text.tiles[40] = long.clone();
    let map = text.read();
    assert_eq!(map.bad_tiles, [(1, 8)]);
    let found = problems(&map);
    assert!(
        found.iter().any(|p| p.contains("pfmap/tile-length (Tile 1 8): 1 24 5242880 7777777777777777777777777777777777777777... 8")) && found.len() == 2,
        "{found:?}"
    );

    let text = Text {
        lists: format!("material Grass {long}\nmaterial {long} cliffs.png\n"),
        ..Text::default()
    };
    assert_eq!(text.read().materials[0].texture.len(), long.len());
    assert!(refusal(&long).len() < 200);
    assert!(refusal(format!("version {long}\nnum_materials {long}\n{long}")).len() < 200);
    assert!(!(FORMAT.sniff)(long.as_bytes()));
}

#[test]
fn an_older_layout_is_named() {
    let tiles = ["000010 ".repeat(32), "\n".to_owned()].concat().repeat(32);
    let materials = "material Grass\n    ambient 1.0\n    texture grass.png\n";
    for text in [
        format!("version 1.0\nnum_rows 1\nnum_cols 1\n{tiles}{materials}"),
        format!("version 1.0\nnum_rows 1\nnum_cols 1\nnum_materials 32\n{tiles}{materials}"),
        format!("version 1.0\nnum_materials 1\nnum_rows 1\nnum_cols 1\n{materials}{tiles}"),
    ] {
        let said = refusal(text);
        let expected = "pfmap/older-layout: 000010 2019 24 6";
        assert!(said.ends_with(expected), "{said}");
    }
    let eight = tiles.replace("000010", "00001010");
    let said = refusal(format!("version 1.0\nnum_rows 1\nnum_cols 1\n{eight}"));
    assert!(
        said.contains("pfmap/older-layout: 00001010 2019 24 8"),
        "{said}"
    );
}

#[test]
fn a_watcher_sees_the_progress_and_can_stop_it() {
    let bytes = synthesize::pfmap(2, 2, 1);
    let mut seen = Vec::new();
    let map = pfmap::read_with(&bytes, &mut |done| {
        seen.push(done);
        ControlFlow::Continue(())
    });
    assert!(map.is_ok() && seen.is_sorted() && seen.len() == 2 && seen[1] == 1.0);
    let stopped = pfmap::read_with(&bytes, &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(PfmapError::Cancelled));
}

#[test]
fn a_map_is_known_by_its_content() {
    let sniff = |text: &str| (FORMAT.sniff)(text.as_bytes());
    let text = Text::default().text();
    assert!(sniff(&text) && sniff(&text[..40]) && sniff(&format!("\u{feff}\r\n{text}")));
    assert!(sniff("version\nnum_materials 4\nnum_rows"));
    assert!(sniff("version 1.2\r\nnum_materials 4\r\nnum_splats 0\r\n"));
    let mut pfobj = String::from("version 1.0\n");
    for key in ["verts", "joints", "materials", "as"] {
        let _ = writeln!(pfobj, "num_{key} 4");
    }
    for other in [
        "",
        "version",
        "version 1.0\n",
        "num_materials 4\n",
        "versions 1 num_materials 4",
        &pfobj,
    ] {
        assert!(!sniff(other), "{other}");
    }
    assert!(!sniff("version 1.0\nnum_materials 4\nnum_verts 4\n"));
}

#[test]
fn a_place_is_a_line_and_a_column() {
    let Err(error) = pfmap::read(b"version 1.0\nnum_materials x\n") else {
        panic!("it is read");
    };
    assert_eq!(
        error.problem().unwrap().place,
        Place::Text {
            line: 2,
            column: 15
        }
    );
}

/// Each edge is listed once, at the character of its north or west tile. The mode for all edges
/// counts as well.
#[test]
fn edges_of_which_two_tiles_say_different_things_are_listed() {
    let mut map = pfmap::read(&synthesize::pfmap(1, 2, 1)).unwrap();
    let mut blurred = Tile::default();
    for edge in Edge::ALL {
        blurred.set_blend(edge, BlendMode::Blur);
    }
    map.tiles.fill(blurred);
    let found = |map: &Pfmap| -> Vec<String> {
        let map = pfmap::read(&pfmap::write(map)).unwrap();
        let problems = map.problems.iter();
        let all = problems.flat_map(Problem::with_consequences);
        all.map(Problem::facts).collect()
    };
    assert_eq!(found(&map), Vec::<String>::new());
    let cols = map.cols() as usize;
    // The last column of the first chunk: its neighbour is in the second one.
    map.tiles[2 * cols + 31].set_blend(Edge::East, BlendMode::Edge);
    // The form of the editor's first versions: one mode for all edges.
    let legacy = |mode| {
        let mut tile = Tile::default();
        for edge in Edge::ALL {
            tile.set_blend(edge, BlendMode::None);
        }
        tile.set(Field::BlendMode, mode);
        tile
    };
    map.tiles[cols] = legacy(0);
    let line = |row, col, character: u32, side, own, other| {
        let (line, column) = map.tile_place(row, col).unwrap();
        let column = column + character;
        let mut names = [own, other];
        names.sort_unstable();
        let [a, b] = names;
        let mut numbers = [row.to_string(), col.to_string()];
        numbers.sort();
        let [c, d] = numbers;
        let both = if c == d { c } else { format!("{c} {d}") };
        let subject = format!("(Tile {row} {col})");
        assert!(["south", "east"].contains(&side));
        format!("{line}:{column}: warning: pfmap/edge-blend {subject}: {both} {a} {b}")
    };
    let expected = [
        line(0, 0, 19, "south", "blur", "none"),
        line(1, 0, 13, "east", "none", "blur"),
        line(1, 0, 13, "south", "none", "blur"),
        line(2, 31, 18, "east", "edge", "blur"),
    ];
    assert_eq!(found(&map), expected);
    // Edges around a tile are one problem.
    let read = pfmap::read(&pfmap::write(&map)).unwrap();
    let counts = read.problems.iter().map(Problem::consequence_count);
    assert!(counts.eq([2, 0]));
    // If all tiles have this form, no edges are listed.
    for (tile, at) in map.tiles.iter_mut().zip(0..) {
        *tile = legacy(at % 2);
    }
    assert_eq!(found(&map), Vec::<String>::new());
    // Many are counted: all edges of 32 x 64 tiles, except those of the border.
    for (tile, at) in map.tiles.iter_mut().zip(0..) {
        let mode = [BlendMode::Blur, BlendMode::Edge][(at / cols + at % cols) % 2];
        for edge in Edge::ALL {
            tile.set_blend(edge, mode);
        }
    }
    let found = found(&map);
    assert_eq!(found.len(), 102);
    let more = format!(" {}", 31 * 64 + 32 * 63 - 101);
    assert!(found.iter().any(|text| text.ends_with(&more)), "{more}");
}

/// Lines of the lists that are missing, misspelt, surplus or out of order do not affect the tiles.
#[test]
fn a_wrong_line_of_a_list_is_one_problem() {
    let text = |lists: &str| Text {
        version: "1.1",
        head: "num_materials 2\nnum_splats 1\nnum_rows 1\nnum_cols 1\n".to_owned(),
        lists: lists.to_owned(),
        ..Text::default()
    };
    let [a, b, splat] = ["material A a.png\n", "material B b.png\n", "splat 0 1\n"];
    for (lists, materials, expected) in [
        (
            format!("{a}{b}splt 0 1\n"),
            2,
            "8:1: error: pfmap/splat (Material 1): splat splt",
        ),
        (
            format!("hello\n{a}{b}{splat}"),
            2,
            "6:1: error: pfmap/material: hello",
        ),
        (
            format!("{a}{b}hello\n{splat}"),
            2,
            "8:1: error: pfmap/splat (Material 1): hello",
        ),
        (
            format!("{a}matrial B b.png\n{splat}"),
            2,
            "7:1: error: pfmap/material (Material 0): material matrial",
        ),
        (
            // References to the second material are consequences.
            format!("{a}{splat}"),
            1,
            "7:1: error: pfmap/material-count: 1 2 num_materials",
        ),
        (
            format!("{a}{splat}{b}"),
            2,
            "8:1: error: pfmap/material (Material 1)",
        ),
        (
            format!("{a}{b}"),
            2,
            "6:1: error: pfmap/splat-count: 0 1 num_splats",
        ),
    ] {
        let mut text = text(&lists);
        text.tiles[7] = "0+0000000001101001111000".to_owned();
        let map = text.read();
        assert_eq!(problems(&map), [expected], "{lists}");
        assert_eq!(
            (map.materials.len(), map.unreadable_tiles()),
            (materials, 0)
        );
        assert!(map.tiles == text_of_two(&text).read().tiles, "{lists}");
    }
    // A line that may be a material keeps its number, and its content is not guessed.
    let found = text(&format!("{a}matrial B b.png\n{splat}")).read();
    assert_eq!(found.materials[1].texture, "");
}

/// The same tiles below lists without a fault.
fn text_of_two(text: &Text) -> Text {
    Text {
        tiles: text.tiles.clone(),
        ..Text::default()
    }
}

/// With a missing or surplus line, tiles meet the wrong neighbours: differing edges are
/// consequences.
#[test]
fn edges_of_tiles_that_moved_follow_from_what_moved_them() {
    let mut map = pfmap::read(&synthesize::pfmap(1, 2, 1)).unwrap();
    let cols = map.cols() as usize;
    for (tile, at) in map.tiles.iter_mut().zip(0..) {
        let mode = if at % cols < 13 {
            BlendMode::Edge
        } else {
            BlendMode::Blur
        };
        for edge in Edge::ALL {
            tile.set_blend(edge, mode);
        }
        if at % cols == 12 {
            tile.set_blend(Edge::East, BlendMode::Blur);
        }
    }
    let whole = String::from_utf8(pfmap::write(&map)).unwrap();
    assert_eq!(problems(&read(&whole)), [""; 0]);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let first = lines
        .iter()
        .position(|line| line.starts_with("0+") || line.len() > 90)
        .unwrap();
    let at = first + 83;
    let without = [&lines[..at], &lines[at + 1..]].concat().concat();
    let with = [&lines[..=at], &lines[at..]].concat().concat();
    let tile_less = [
        &lines[..at].concat(),
        &lines[at][25..],
        &lines[at + 1..].concat(),
    ]
    .concat();
    for text in [without, with, tile_less] {
        let map = read(&text);
        let [problem] = &map.problems[..] else {
            panic!("{:#?}", problems(&map));
        };
        let of_edges = problem
            .consequences
            .iter()
            .filter(|it| it.rule.id == "pfmap/edge-blend");
        assert!(of_edges.count() > 0, "{problem}");
    }
}

/// A map of version 1.1 with splats. All its lines before the tiles differ.
fn text_with_splats() -> Text {
    Text {
        version: "1.1",
        head: "num_materials 2\nnum_splats 2\nnum_rows 1\nnum_cols 1\n".to_owned(),
        lists: "material A a.png\nmaterial B b.png\nsplat 0 1\nsplat 1 0\n".to_owned(),
        ..Text::default()
    }
}

#[test]
fn a_wrong_line_of_the_head_is_one_problem_and_hides_nothing() {
    let whole = text_with_splats();
    let shown = whole.read();
    let text = whole.text();
    let lines: Vec<&str> = text.lines().collect();
    let head = 5;
    for at in 0..head {
        for (what, in_its_place) in [
            ("removed", vec![]),
            ("there twice", vec![lines[at]; 2]),
            ("blank", vec![""]),
            ("another", vec!["junk"]),
            ("one too many", vec!["junk 7", lines[at]]),
        ] {
            let broken = [&lines[..at], &in_its_place, &lines[at + 1..]].concat();
            let map = read(format!("{}\n", broken.join("\n")));
            let line = lines[at];
            let found = problems(&map);
            assert_eq!(found.len(), 1, "{line} {what}: {found:?}");
            assert_eq!(map.problems[0].severity, Severity::Error, "{line} {what}");
            let mut all = map.problems[0].with_consequences();
            assert!(
                all.all(|it| !it.rule.leaves_out),
                "{line} {what}: {found:?}"
            );
            assert!(map.tiles == shown.tiles, "{line} {what}");
            assert_eq!(
                [map.chunk_rows, map.chunk_cols],
                [shown.chunk_rows, shown.chunk_cols],
                "{line} {what}"
            );
            assert_eq!(map.materials.len(), 2, "{line} {what}");
            assert_eq!(map.splats.len(), 2, "{line} {what}");
            // Writing restores missing lines.
            let written = read(pfmap::write(&map));
            assert_eq!(problems(&written), [""; 0], "{line} {what}");
        }
    }
}

#[test]
fn a_number_beyond_the_limit_that_is_wrong_is_one_problem() {
    for (from, to, place) in [
        ("num_materials 2", "num_materials 257", "8:1"),
        ("num_splats 2", "num_splats 9999", "10:1"),
    ] {
        let text = text_with_splats().text().replacen(from, to, 1);
        let map = read(&text);
        let [problem] = &*map.problems else {
            panic!("{:#?}", problems(&map));
        };
        assert_eq!(problem.place.to_string(), place);
        assert_eq!(problem.consequences[0].rule.id, "pfmap/list-length");
    }
}
