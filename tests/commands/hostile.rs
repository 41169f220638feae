//! Names that are made to deceive: nothing in a file or a file name drives a terminal, begins a line of a log,
//! or becomes a formula of a table.

use std::fs;

use mapscope_formats::ika::text_map;
use mapscope_testdata::synthesize;

use super::folder::{Folder, Outcome};

/// A name with all that could do harm in a log.
const NAME: &str = "a\n::error file=R::I\r\u{1b}[31m\u{7}\u{202e}\u{2028}z";
/// The same as it is shown.
const SHOWN: &str = r"a\n::error file=R::I\r\u{1b}[31m\u{7}\u{202e}\u{2028}z";

/// Fails unless output is lines of printable text, of which none is a workflow command of a name.
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

/// A map of ika with a layer, a zone and an entity of that name.
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
        assert!(outcome.stderr.contains(SHOWN), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), count, "{outcome:?}");
    }
    // The message is that of the parser of arguments.
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
    // What would be lost is a list of lines, each of which is one.
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
