//! Malicious files: no text in a file and no file name can control a terminal, begin a log line, or
//! become a formula in a table. Small files produce no huge output.

use std::fs;

use mapscope_formats::ika::text_map;
use mapscope_formats::ppe::{Cell, MapData, MapFlags, map_data};
use mapscope_testdata::synthesize;

use super::folder::{Folder, Outcome};

/// A name with everything that could do harm in a log.
const NAME: &str = "a\n::error file=R::I\r\u{1b}[31m\u{7}\u{202e}\u{2028}z";
/// The escaped form of the name.
const ESCAPED_NAME: &str = r"a\n::error file=R::I\r\u{1b}[31m\u{7}\u{202e}\u{2028}z";

/// Fails unless the output consists of lines of printable text without injected workflow commands.
#[track_caller]
fn assert_harmless(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(
            !text.contains(['\r', '\u{1b}', '\u{7}', '\u{202e}', '\u{2028}']),
            "{outcome:?}"
        );
        assert!(
            text.lines()
                .all(|line| !line.trim().starts_with("::error file=R")),
            "{outcome:?}"
        );
    }
}

/// An ika map with a layer, a zone and an entity of this name.
fn named_map(name: &str) -> Vec<u8> {
    let mut map = synthesize::ika_text_map([4, 3], 1, 1);
    name.clone_into(&mut map.layers[0].label);
    name.clone_into(&mut map.tileset);
    for zone in &mut map.zones {
        name.clone_into(&mut zone.label);
    }
    text_map::write(&map).unwrap()
}

#[test]
fn names_of_files_stay_in_one_line_of_a_log() {
    let folder = Folder::new();
    let ending = format!("{NAME}.pfmap");
    for (args, count) in [
        (vec!["info", &ending], 1),
        (vec!["diff", &ending, "b.pfmap"], 1),
        (vec!["render", &ending, "-o", "a.png", "--view", "flat"], 1),
        (vec!["export", &ending, "-o", "a.glb"], 1),
        (vec!["check", &ending], 2),
    ] {
        let outcome = folder.run_args(args).expect(2);
        assert_harmless(&outcome);
        assert!(outcome.stderr.contains(ESCAPED_NAME), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), count, "{outcome:?}");
    }
    // This message comes from the argument parser.
    let option = format!("--{NAME}");
    let outcome = folder.run_args(["info", &option, "a"]).expect(2);
    assert_harmless(&outcome);
    let shown = r"'--a\n::error file' found";
    assert!(outcome.stderr.contains(shown), "{outcome:?}");
}

#[test]
fn names_in_files_stay_in_one_line_of_a_log() {
    let folder = Folder::new();
    folder.write("a.ika-map", named_map(&NAME[..NAME.len() - 7]));
    for args in [
        "info a.ika-map --item layer:nope",
        "info a.ika-map --item zone:nope",
        "render a.ika-map --view flat --layer nope -o o.png",
    ] {
        let outcome = folder.run(args).expect(2);
        assert_harmless(&outcome);
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
    for args in [
        "info a.ika-map",
        "check a.ika-map --notes",
        "check a.ika-map --format github --notes",
        "diff --text a.ika-map",
    ] {
        let outcome = folder.run(args);
        assert!(outcome.status < Some(2), "{outcome:?}");
        assert_harmless(&outcome);
        assert!(outcome.stdout.contains(r"a\n::error"), "{outcome:?}");
    }
    // The list of losses has one line per entry.
    let outcome = folder.run("convert a.ika-map b.map").expect(2);
    assert_harmless(&outcome);
    assert!(outcome.stderr.lines().count() > 1, "{outcome:?}");
}

#[test]
fn text_in_tables_is_never_a_formula() {
    let folder = Folder::new();
    for (name, cell) in [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@a", "'@a"),
        ("\t=a", "'\t=a"),
        ("\r=a", "\"'\r=a\""),
        ("=a,b", "\"'=a,b\""),
        ("a=b", "a=b"),
    ] {
        folder.write("a.ika-map", named_map(name));
        folder.run("export a.ika-map -o a.csv --force");
        let table = fs::read_to_string(folder.path("a.csv")).unwrap();
        let (_, line) = table.split_once("\r\n").unwrap();
        assert!(line.starts_with(&format!("0,{cell},0,0,")), "{line}");
    }
}

/// A map of cells with tile numbers by column.
fn cells(size: [u32; 2], tile: impl Fn(u32) -> u16) -> Vec<u8> {
    let flags = MapFlags(0);
    let cell = |at: u32| {
        let tile_id = tile(at % size[0]);
        let cell = Cell {
            tile_id,
            ..Cell::default()
        };
        cell.encode(flags)
    };
    let map = MapData {
        flags,
        size,
        cells: (0..size[0] * size[1]).map(cell).collect(),
        ..MapData::default()
    };
    map_data::write(&map).unwrap()
}

#[test]
fn equal_cells_of_a_row_are_one_line_of_text() {
    let folder = Folder::new();
    let tile = |column| if column == 5 { 7 } else { 3 };
    folder.write("a.map", cells([9, 2], tile));
    let text = folder.run("diff --text a.map").expect(0).stdout;
    let lines = text.lines().filter(|line| line.starts_with("cell "));
    let lines: Vec<_> = lines.map(|line| line.split_once(": ").unwrap()).collect();
    let places: Vec<_> = lines.iter().map(|(place, _)| *place).collect();
    let expected = [
        "0,0 to 4,0",
        "5,0",
        "6,0 to 8,0",
        "0,1 to 4,1",
        "5,1",
        "6,1 to 8,1",
    ];
    assert_eq!(places, expected.map(|place| format!("cell {place}")));
    for (line, tile) in lines.iter().zip([3, 7, 3, 3, 7, 3]) {
        assert!(
            line.1.contains(&format!("tile identifier {tile} ")),
            "{line:?}"
        );
    }
    folder.write("a.map", cells([2048, 2048], |_| 3));
    let text = folder.run("diff --text a.map").expect(0).stdout;
    assert_eq!(text.lines().count(), 2 + 2048);
}

#[test]
fn long_outputs_end_at_a_limit_that_an_option_lifts() {
    let folder = Folder::new();
    folder.write("a.map", cells([1001, 1000], |column| (column % 2) as u16));
    let lines = |args: &str| {
        let text = folder.run(args).expect(0).stdout;
        (
            text.lines().count(),
            text.lines().last().unwrap().to_owned(),
        )
    };
    let (count, last) = lines("diff --text a.map");
    assert_eq!(count, 1 + 1_000_000 + 1);
    assert!(last.contains("--no-limit"), "{last}");
    let (count, last) = lines("diff --text --no-limit a.map");
    assert_eq!(count, 2 + 1001 * 1000);
    assert!(last.starts_with("cell 1000,999: "), "{last}");

    folder.write("b.map", cells([2001, 2000], |_| 3));
    let refused = folder.run("export b.map -o b.csv").expect(2);
    assert!(refused.stderr.contains("4002000 lines"), "{refused:?}");
    assert!(!folder.path("b.csv").exists());
    folder.run("export b.map -o b.csv --no-limit").expect(0);
    let table = fs::read_to_string(folder.path("b.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 2001 * 2000);
}

/// A link passed as an argument may point to any file of the user. That file is checked, but its
/// content is not printed.
#[cfg(unix)]
#[test]
fn content_behind_an_outside_link_is_not_quoted() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    fs::create_dir_all(folder.path("repository/.git")).unwrap();
    fs::create_dir_all(folder.path("repository/maps")).unwrap();
    folder.write("repository/inside", "TOKEN");
    folder.write("outside", "TOKEN");
    let link = |name: &str, target: &str| {
        symlink(target, folder.path("repository/maps").join(name)).unwrap();
    };
    link("out.pfmap", "../../outside");
    link("in.pfmap", "../inside");
    link("out.bin", "../../outside");
    for (name, is_quoted) in [("out.pfmap", false), ("in.pfmap", true)] {
        let outcome = folder
            .run(&format!("check repository/maps/{name}"))
            .expect(1);
        assert!(outcome.stdout.contains("pfmap/"), "{outcome:?}");
        assert_eq!(outcome.stdout.contains("TOKEN"), is_quoted, "{outcome:?}");
    }
    let outcome = folder.run("check repository/maps/out.bin").expect(2);
    assert!(
        outcome.stderr.contains("its content is not quoted"),
        "{outcome:?}"
    );
    assert!(!outcome.stderr.contains("TOKEN"), "{outcome:?}");
}
