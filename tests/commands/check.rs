//! `check` for folders and standard input, and its output formats for other programs.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mapscope_formats::pfobj;
use mapscope_testdata::tiny_scene::{sound_scene, write_game};
use mapscope_testdata::{Need, skip, tiny_model};
use regex_lite::Regex;
use serde_json::{Value, json};

use super::cli::{RAMP, map};
use super::folder::{Folder, Outcome};

/// A map without textures in which one tile has an invalid type.
fn broken() -> String {
    map("grass.png", &RAMP.replacen('1', "D", 1))
}

/// A folder `game` with a broken map, two valid maps, and other files.
fn game() -> Folder {
    let folder = Folder::new();
    for name in ["game/maps/old", "game/.git", "game/empty"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    for name in ["grass.png", "rock.png"] {
        let picture = image::RgbImage::from_pixel(16, 16, image::Rgb([90, 110, 60]));
        for place in ["", "game/maps/", "game/maps/old/"] {
            picture
                .save(folder.path(&format!("{place}{name}")))
                .unwrap();
        }
    }
    folder.write("game/maps/b10.pfmap", map("grass.png", RAMP));
    folder.write("game/maps/b9.pfmap", broken());
    folder.write("game/maps/old/a.pfmap", map("grass.png", RAMP));
    folder.write("game/maps/readme.txt", "nothing to open");
    folder.write("game/.git/c.pfmap", "hidden");
    folder
}

/// The objects of a JSON report, one per line.
fn objects(outcome: &Outcome) -> Vec<Value> {
    let lines = outcome.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn files(outcome: &Outcome) -> Vec<String> {
    let objects = objects(outcome).into_iter();
    objects
        .map(|object| object["file"].as_str().unwrap().to_owned())
        .collect()
}

/// Runs the program with bytes on its standard input.
fn run_with_input(folder: &Folder, args: &str, bytes: &[u8]) -> Outcome {
    let mut command = folder.command();
    command.args(args.split_whitespace());
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(bytes).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Outcome {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn folders_are_checked_with_all_below_them_in_order() {
    let folder = game();
    let all = [
        "game/maps/b9.pfmap",
        "game/maps/b10.pfmap",
        "game/maps/old/a.pfmap",
    ];
    let check = folder.run("check game --json").expect(1);
    assert_eq!(files(&check), all);
    assert!(check.stderr.contains("3 files: 1 error\n"), "{check:?}");
    let check = folder.run("check game").expect(1);
    assert_eq!(check.stdout.lines().count(), 1, "{check:?}");
    assert!(check.stdout.starts_with("game/maps/b9.pfmap:"), "{check:?}");
    // A folder below another argument is not checked twice.
    let check = folder.run("check --json game/maps/old game").expect(1);
    assert_eq!(files(&check), [all[2], all[0], all[1]]);
    folder.run("check game/maps/old").expect(0);
}

#[cfg(unix)]
#[test]
fn link_targets_are_checked_once_and_dangling_links_are_reported() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    for name in ["l/a", "l/c"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    folder.write("l/c/bad.pmf", b"PMF");
    symlink("../c/bad.pmf", folder.path("l/a/link.pmf")).unwrap();
    symlink("c/bad.pmf", folder.path("l/z.pmf")).unwrap();
    let check = folder.run("check l --json").expect(1);
    let files: Vec<Value> = objects(&check);
    assert_eq!(files.len(), 1, "{check:?}");
    assert_eq!(files[0]["file"], "l/c/bad.pmf");
    symlink("gone.pmf", folder.path("l/dangling.pmf")).unwrap();
    let check = folder.run("check l").expect(1);
    let line = "l/dangling.pmf:1:1: error: ";
    let dangling = check
        .stdout
        .lines()
        .find(|it| it.starts_with(line))
        .unwrap();
    assert!(dangling.ends_with("[file/dangling-link]"), "{check:?}");
    let found = objects(&folder.run("check l --json"));
    let dangling = found.iter().find(|it| it["file"] == "l/dangling.pmf");
    assert_eq!(dangling.unwrap()["format"], Value::Null);
    fs::remove_file(folder.path("l/c/bad.pmf")).unwrap();
    symlink("gone.pmf", folder.path("l/c/bad.pmf")).unwrap();
    folder.run("check l --allow file/dangling-link").expect(0);
    // As an argument, it is a file that cannot be read.
    folder.run("check l/dangling.pmf").expect(2);
}

/// Names of files and the rules of their notes.
#[cfg(unix)]
fn notes(check: &Outcome) -> Vec<(String, String)> {
    let objects = objects(check).into_iter();
    let notes = objects.flat_map(|object| {
        let file = object["file"].as_str().unwrap_or_default().to_owned();
        let notes = object["notes"].as_array().cloned().unwrap_or_default();
        notes
            .into_iter()
            .map(move |note| (file.clone(), note["rule"].as_str().unwrap().to_owned()))
    });
    notes.collect()
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_noted_and_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    for name in ["l/in", "other/deep"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    folder.write("l/in/a.pfmap", map("grass.png", RAMP));
    folder.write("other/secret.pfmap", "password 123\n");
    folder.write("other/deep/b.pfmap", "password 123\n");
    symlink("in", folder.path("l/across")).unwrap();
    symlink("in/a.pfmap", folder.path("l/a.pfmap")).unwrap();
    symlink("../other/deep", folder.path("l/deep")).unwrap();
    symlink("../other/secret.pfmap", folder.path("l/token.pfmap")).unwrap();
    symlink("../other/secret.pfmap", folder.path("l/readme.txt")).unwrap();
    symlink("/", folder.path("l/root")).unwrap();
    symlink("/proc", folder.path("l/in/proc")).unwrap();
    let check = folder.run("check l --json").expect(0);
    let rule = "file/outside-link".to_owned();
    let mut found = notes(&check);
    found.retain(|(_, found)| *found == rule);
    found.sort();
    let links = ["l/deep", "l/in/proc", "l/root", "l/token.pfmap"];
    assert_eq!(found, links.map(|link| (link.to_owned(), rule.clone())));
    let mut checked = files(&check);
    checked.retain(|file| !links.contains(&&**file));
    assert_eq!(checked, ["l/in/a.pfmap"]);
    assert!(!check.stdout.contains("password"), "{check:?}");
    let denied = folder.run("check l --deny file/outside-link").expect(1);
    assert_eq!(denied.stdout.matches("[file/outside-link]").count(), 4);
    // An argument outside the folder is opened, and a folder outside is searched.
    folder.run("check l/token.pfmap").expect(1);
    assert_eq!(
        files(&folder.run("check l/deep --json")),
        ["l/deep/b.pfmap"]
    );
    let both = folder.run("check l other --json").expect(1);
    let both = files(&both);
    assert!(both.contains(&"other/secret.pfmap".to_owned()), "{both:?}");
}

#[test]
fn settings_count_in_the_repository_or_the_named_folder() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("a/b/c")).unwrap();
    folder.write("a/b/c/a.pfmap", map("grass.png", RAMP));
    let allow = "allow = [\"texture/missing\"]";
    let allowed = |args: &str| {
        let check = folder.run(&format!("check {args}")).expect(0);
        check.stderr.contains(" allowed")
    };
    folder.write("a/mapscope.toml", allow);
    // Outside a repository, nothing above an argument counts, not even the working folder.
    for (args, counts) in [
        ("a", true),
        ("a/b", false),
        ("a a/b", true),
        ("a/b/c/a.pfmap", false),
    ] {
        assert_eq!(allowed(args), counts, "{args}");
    }
    folder.write("a/b/c/mapscope.toml", allow);
    assert!(allowed("a/b/c/a.pfmap"));
    fs::remove_file(folder.path("a/b/c/mapscope.toml")).unwrap();
    fs::create_dir(folder.path("a/.git")).unwrap();
    assert!(allowed("a/b/c/a.pfmap") && allowed("a/b"));
    fs::rename(folder.path("a/mapscope.toml"), folder.path("mapscope.toml")).unwrap();
    assert!(!allowed("a") && !allowed("a/b/c/a.pfmap"));
}

#[cfg(unix)]
#[test]
fn settings_that_are_a_link_out_of_their_folder_are_not_quoted() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    fs::create_dir(folder.path("l")).unwrap();
    folder.write("l/a.pfmap", map("grass.png", RAMP));
    folder.write("secret", "password = \"ghp_123\"\n");
    symlink("../secret", folder.path("l/mapscope.toml")).unwrap();
    for args in ["check l", "check l --format github"] {
        let check = folder.run(args).expect(2);
        let said = [&*check.stdout, &*check.stderr].concat();
        assert!(said.contains("l/mapscope.toml"), "{check:?}");
        assert!(
            !said.contains("password") && !said.contains("ghp"),
            "{check:?}"
        );
    }
    // A link inside the folder is quoted like any other file.
    fs::remove_file(folder.path("l/mapscope.toml")).unwrap();
    symlink("settings", folder.path("l/mapscope.toml")).unwrap();
    folder.write("l/settings", "password = 1\n");
    let check = folder.run("check l").expect(2);
    assert!(check.stderr.contains("`password`"), "{check:?}");
}

#[cfg(unix)]
#[test]
fn links_in_circles_end() {
    use std::os::unix::fs::symlink;
    let folder = game();
    symlink("..", folder.path("game/maps/up")).unwrap();
    symlink(".", folder.path("game/self")).unwrap();
    symlink("loop", folder.path("game/loop")).unwrap();
    let check = folder.run("check game --json").expect(1);
    assert_eq!(files(&check).len(), 3, "{check:?}");
}

#[test]
fn many_files_come_out_in_order_whichever_is_done_first() {
    let folder = Folder::new();
    fs::create_dir(folder.path("many")).unwrap();
    // The first file takes longest.
    fs::write(
        folder.path("many/0.pfmap"),
        map("grass.png", RAMP).repeat(20),
    )
    .unwrap();
    for i in 1..300 {
        fs::write(folder.path(&format!("many/{i}.pfmap")), "").unwrap();
    }
    let check = folder.run("check many --json").expect(1);
    let expected: Vec<String> = (0..300).map(|i| format!("many/{i}.pfmap")).collect();
    assert_eq!(files(&check), expected);
}

#[test]
fn what_cannot_be_checked_has_a_line_of_json_and_makes_status_2() {
    let folder = game();
    folder.write("game/maps/old/picture.pfmap.png", "");
    for (args, file, word) in [
        ("game/empty game", "game/empty", "no file in this folder"),
        ("game none.pfmap", "none.pfmap", "there is no such file"),
        ("game grass.png", "grass.png", "PNG image"),
        ("game demo:none", "demo:none", "demo `none` not found"),
    ] {
        let check = folder.run(&format!("check --json {args}")).expect(2);
        let objects = objects(&check);
        assert_eq!(objects.len(), 4, "{check:?}");
        let object = objects.iter().find(|object| object["file"] == file);
        let error = object.unwrap()["error"].as_str().unwrap();
        assert!(error.contains(word) && !error.contains(file), "{error}");
        let line = format!("{file}:1:1: error: {error}");
        assert!(check.stderr.contains(&line), "{check:?}");
        assert!(check.stderr.contains("1 could not be checked"), "{check:?}");
    }
}

#[test]
fn standard_input_is_checked_once() {
    let folder = game();
    let check = run_with_input(&folder, "check -", broken().as_bytes()).expect(1);
    assert!(check.stdout.starts_with("-:25:"), "{check:?}");
    assert!(check.stdout.contains("[pfmap/tile-type]"), "{check:?}");
    // Textures are found in the working folder.
    assert_eq!(check.stdout.lines().count(), 1, "{check:?}");
    let good = map("grass.png", RAMP);
    let check = run_with_input(
        &folder,
        "check game/maps/b10.pfmap - --json",
        good.as_bytes(),
    )
    .expect(0);
    assert_eq!(files(&check), ["game/maps/b10.pfmap", "-"]);
    let empty = run_with_input(&folder, "check - --json", b"").expect(2);
    let error = objects(&empty)[0]["error"].to_string();
    assert!(error.contains("empty"), "{empty:?}");
    let twice = run_with_input(&folder, "check - -", b"").expect(2);
    assert!(twice.stderr.contains("only once"), "{twice:?}");
}

/// Visual Studio Code's pattern for errors and warnings of GCC (`$gcc`).
const GCC: &str = r"^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$";

/// The text of a document of the project.
fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The problem matcher for GitHub in the documents.
fn matcher() -> Regex {
    let page = document("docs/continuous-integration.md");
    let blocks = page.split("```json\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    let mut matchers = blocks.filter_map(|block| {
        let block: Value = serde_json::from_str(block).unwrap();
        let regexp = block.pointer("/problemMatcher/0/pattern/0/regexp")?;
        Some(regexp.as_str()?.to_owned())
    });
    Regex::new(&matchers.next().unwrap()).unwrap()
}

#[test]
fn every_line_of_text_is_what_compilers_write_of_binary_files_too() {
    let folder = game();
    folder.write("game/cut.pmf", b"PMF\0\0\0\0\0\0");
    folder.write("game/cut.vsp", [6, 0, 16, 0, 16, 0]);
    let check = folder.run("check game none.pfmap").expect(2);
    let lines: Vec<&str> = check.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{check:?}");
    let (gcc, matcher) = (Regex::new(GCC).unwrap(), matcher());
    for line in &lines {
        let parts = gcc.captures(line).unwrap_or_else(|| panic!("{line}"));
        let own = matcher.captures(line).unwrap_or_else(|| panic!("{line}"));
        for part in 1..=4 {
            assert_eq!(parts.get(part).unwrap(), own.get(part).unwrap(), "{line}");
        }
        let file = &parts[1];
        assert!(folder.path(file).is_file(), "{line}");
        assert_eq!(
            parts[5].starts_with("at 0x"),
            file.contains("/cut."),
            "{line}"
        );
        assert!(line.ends_with(&format!("[{}]", &own[6])), "{line}");
    }
    let unchecked = check.stderr.lines().next().unwrap();
    let parts = gcc.captures(unchecked).unwrap();
    assert_eq!(&parts[1], "none.pfmap");
}

#[test]
fn progress_is_shown_on_a_terminal_alone_and_leaves_nothing() {
    let folder = game();
    let piped = folder.run("check game").expect(1);
    assert!(!piped.stderr.contains("Checked"), "{piped:?}");
    let program = env!("CARGO_BIN_EXE_mapscope");
    let mut command = Command::new("script");
    let line = format!("'{program}' check game");
    command
        .current_dir(folder.path(""))
        .args(["-qec", &line, "/dev/null"]);
    command.env("TERM", "xterm").stdin(Stdio::null());
    let Ok(output) = command.output() else {
        return skip(
            Need::System,
            "there is no script(1), which makes a terminal",
        );
    };
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\rChecked 1 of 3 files\x1b[K"), "{text:?}");
    // Only the text after the last carriage return of a line stays visible.
    let seen = text.replace("\r\n", "\n");
    let seen = seen
        .lines()
        .map(|line| line.rsplit("\r\x1b[K").next().unwrap());
    let seen: Vec<&str> = seen.collect();
    assert_eq!(seen.len(), 2, "{text:?}");
    assert!(seen[0].contains("b9.pfmap:25:"), "{text:?}");
    assert_eq!(seen[1], "3 files: 1 error, 2 notes (--notes lists them)");
}

#[test]
fn rules_are_denied_and_allowed() {
    let folder = game();
    // A warning.
    folder.write("game/maps/b9.pfmap", map("gone.png", RAMP));
    let problems = |check: &Outcome| -> Vec<Value> {
        let problems = objects(check)
            .into_iter()
            .map(|file| file["problems"].clone());
        let problems = problems.flat_map(|list| list.as_array().unwrap().clone());
        let short = |problem: Value| json!([problem["severity"], problem["rule"]]);
        problems.map(short).collect()
    };
    let warning = json!(["warning", "texture/missing"]);
    let error = json!(["error", "texture/missing"]);
    for (options, status, expected) in [
        ("", 0, vec![&warning]),
        ("--deny warnings", 1, vec![&error]),
        ("--deny texture/missing", 1, vec![&error]),
        (
            "--deny texture/name --deny pfmap/tile-type",
            0,
            vec![&warning],
        ),
        ("--allow texture/missing", 0, vec![]),
        ("--deny warnings --allow texture/missing", 0, vec![]),
    ] {
        let check = folder
            .run(&format!("check game --json {options}"))
            .expect(status);
        assert_eq!(
            problems(&check).iter().collect::<Vec<_>>(),
            expected,
            "{options}"
        );
        let says = check.stderr.contains("no problems, 1 allowed");
        assert_eq!(says, expected.is_empty(), "{check:?}");
    }
    // Notes can be denied too.
    folder.run("check demo:terrain").expect(0);
    let denied = folder
        .run("check demo:terrain --deny pfmap/unreachable-ground")
        .expect(1);
    assert!(denied.stdout.contains("error: "), "{denied:?}");
    for (options, word) in [
        ("--deny pfmap/tile-typ", "unknown rule `pfmap/tile-typ`; "),
        (
            "--allow missing",
            "unknown rule `missing` (did you mean `texture/missing`?)",
        ),
        ("--allow warnings", "can only be denied"),
        (
            "--deny texture/missing --allow texture/missing",
            "both denied and allowed",
        ),
        ("--json --format text", "--format"),
        ("--format html", "html"),
        (
            "--list-rules --format sarif",
            "expected --format text or json",
        ),
    ] {
        let path = if options.contains("list") { "" } else { "game" };
        let check = folder.run(&format!("check {path} {options}")).expect(2);
        assert!(check.stderr.contains(word), "{options}: {check:?}");
        assert_eq!(check.stdout, "");
    }
}

#[test]
fn consequences_are_below_their_problem_in_every_format() {
    let folder = game();
    // Three tiles use material 7 on top.
    let text = map("grass.png", RAMP).replacen("0+0100000001", "0+0100007001", 3);
    folder.write("game/maps/b9.pfmap", text);
    let check = |options: &str| {
        let check = folder.run(&format!("check game/maps/b9.pfmap {options}"));
        check.expect(1)
    };
    let begin = "game/maps/b9.pfmap:9:7: error: the tile uses material 7 for its top, ";
    let end = " (2 more like it) [pfmap/tile-material]";
    let text = check("");
    let [line] = &text.stdout.lines().collect::<Vec<_>>()[..] else {
        panic!("{text:?}");
    };
    assert!(line.starts_with(begin) && line.ends_with(end), "{line}");
    assert_eq!(
        text.stderr,
        "1 file: 1 error, 1 note (--notes lists them)\n"
    );
    let notes = check("--notes");
    let lines: Vec<&str> = notes.stdout.lines().collect();
    assert_eq!(&lines[0], line);
    for (line, column) in lines[1..3].iter().zip([32, 57]) {
        let begin = format!("game/maps/b9.pfmap:9:{column}: note: like 9:7: the tile uses");
        assert!(line.starts_with(&begin), "{line}");
    }
    // The ramp has no adjacent slope.
    assert!(lines[3].contains("[pfmap/seam]"), "{notes:?}");
    assert_eq!(lines.len(), 4, "{notes:?}");
    let json = &objects(&check("--json"))[0]["problems"];
    let consequences = json[0]["consequences"].as_array().unwrap();
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!(json[0]["consequence_count"], 2);
    let at = consequences.iter().map(|it| it["at"].as_str().unwrap());
    assert!(at.eq(["9:32", "9:57"]), "{json}");
    let github = check("--format github");
    assert!(github.stdout.ends_with(" (2 more like it)\n"));
    let sarif = check("--format sarif").json();
    validate("log", &sarif, &mut BTreeSet::new());
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let related = &results[0]["relatedLocations"];
    let region = &related[1]["physicalLocation"]["region"];
    assert_eq!(*region, json!({"startLine": 9, "startColumn": 57}));
    let info = folder.run("info game/maps/b9.pfmap").expect(1);
    assert!(info.stdout.contains("\n1 error\n"), "{info:?}");
    // A missing file counts once per reference.
    let head = "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities 3\n";
    let scene = format!("{head}{}", "entity a gone.pfobj 0\n".repeat(3));
    folder.write("game/maps/c.pfscene", scene);
    let assets = folder.run("check game --assets").expect(1);
    assert!(
        assets.stderr.contains("(referenced 3 times in 1 file)"),
        "{assets:?}"
    );
}

#[test]
fn a_folder_says_what_becomes_of_rules_below_it() {
    let folder = game();
    for name in ["maps/b9.pfmap", "maps/old/a.pfmap"] {
        folder.write(&format!("game/{name}"), map("gone.png", RAMP));
    }
    let errors = |options: &str| -> Vec<String> {
        let check = folder.run(&format!("check game --format json {options}"));
        assert!(check.status < Some(2), "{check:?}");
        let has_error = |file: &Value| file["problems"][0]["severity"] == "error";
        let files = objects(&check).into_iter().filter(has_error);
        files
            .map(|file| file["file"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(errors("").len(), 0);
    folder.write("game/mapscope.toml", "deny = [\"warnings\"]\n");
    assert_eq!(errors(""), ["game/maps/b9.pfmap", "game/maps/old/a.pfmap"]);
    folder.write(
        "game/maps/old/mapscope.toml",
        "allow = [\"texture/missing\"]\n",
    );
    assert_eq!(errors(""), ["game/maps/b9.pfmap"]);
    assert_eq!(errors("--allow texture/missing").len(), 0);
    assert_eq!(errors("--deny texture/missing").len(), 2);
    // A single file gets the same settings as in a check of the folder, from any path.
    folder.run("check game/maps/old/a.pfmap").expect(0);
    folder.run("check game/maps/old/../b9.pfmap").expect(1);
    // Settings above a repository are ignored.
    fs::create_dir(folder.path("game/maps/.git")).unwrap();
    assert_eq!(errors("").len(), 0);
}

#[test]
fn what_a_folder_excludes_is_passed_by_and_files_are_checked_once() {
    let folder = game();
    let checked = |args: &str| {
        let check = folder.run(&format!("check {args} --json"));
        assert!(check.status < Some(2), "{check:?}");
        files(&check)
    };
    let names = [
        "a.pfmap",
        "build/deep/b.pfmap",
        "maps/c.bak.pfmap",
        "maps/d.pfmap",
    ];
    for below in ["build/deep", "maps"] {
        fs::create_dir_all(folder.path(&format!("all/{below}"))).unwrap();
    }
    for name in names {
        folder.write(&format!("all/{name}"), map("gone.png", RAMP));
    }
    folder.write("all/build/spare.png", b"");
    assert_eq!(checked("all").len(), 4);
    let exclude = "exclude = [\"/build\", \"*.bak.pfmap\"]\n";
    folder.write("all/mapscope.toml", exclude);
    assert_eq!(checked("all"), ["all/a.pfmap", "all/maps/d.pfmap"]);
    // In a repository, the settings apply from any folder; an excluded file is checked if it is an
    // argument.
    fs::create_dir(folder.path("all/.git")).unwrap();
    assert_eq!(checked("all/maps"), ["all/maps/d.pfmap"]);
    let named = "all/maps/c.bak.pfmap";
    assert_eq!(checked(named), [named]);
    let check = folder.run("check all/build/deep").expect(0);
    assert!(check.stderr.contains("0 files: "), "{check:?}");
    let unused = folder.run("check all --assets");
    assert!(!unused.stdout.contains("spare"), "{unused:?}");
    // Settings of a subfolder add to those above.
    folder.write("all/maps/mapscope.toml", "exclude = [\"d.*\"]");
    assert_eq!(checked("all"), ["all/a.pfmap"]);

    fs::remove_file(folder.path("all/maps/mapscope.toml")).unwrap();
    let twice = "all/maps/../maps/d.pfmap all ./all/a.pfmap";
    let once = ["all/maps/../maps/d.pfmap", "all/a.pfmap"];
    assert_eq!(checked(twice), once);
}

#[test]
fn settings_of_unknown_rules_are_named_with_their_place() {
    let folder = game();
    fs::remove_file(folder.path("game/maps/b9.pfmap")).unwrap();
    folder.write(
        "game/mapscope.toml",
        "deny = [\n  \"pfmap/tile-tipe\",\n  \"warnings\",\n]\nlevel = 3\n",
    );
    let check = folder.run("check game --json").expect(2);
    let expected = [
        ("2:3", "unknown rule `pfmap/tile-tipe`"),
        ("5:1", "unknown setting `level`"),
    ];
    let objects = objects(&check);
    assert_eq!(objects.len(), 4, "{check:?}");
    // Every file was checked.
    assert!(
        check.stderr.contains("; 2 mistakes in mapscope.toml"),
        "{check:?}"
    );
    assert!(!check.stderr.contains("could not be checked"), "{check:?}");
    for (object, (at, word)) in objects.iter().zip(expected) {
        assert_eq!(
            (&object["file"], &object["at"]),
            (&json!("game/mapscope.toml"), &json!(at))
        );
        let error = object["error"].as_str().unwrap();
        assert!(error.contains(word), "{error}");
        let line = format!("game/mapscope.toml:{at}: error: {error}");
        assert!(check.stderr.contains(&line), "{check:?}");
    }
    let long = b"#".repeat(2_000_000);
    for (text, word) in [
        (&b"deny = ["[..], "game/mapscope.toml:1:9: error: "),
        (b"deny = [\"\xff\"]", "byte 9 is not UTF-8"),
        (&long[..], "expected at most"),
    ] {
        folder.write("game/mapscope.toml", text);
        let check = folder.run("check game").expect(2);
        assert!(check.stderr.contains(word), "{check:?}");
    }
    fs::remove_file(folder.path("game/mapscope.toml")).unwrap();
    fs::create_dir(folder.path("game/mapscope.toml")).unwrap();
    let check = folder.run("check game").expect(2);
    let line = "game/mapscope.toml:1:1: error: it is a folder";
    assert!(check.stderr.contains(line), "{check:?}");
}

#[test]
fn github_gets_annotations() {
    let folder = game();
    folder.write("game/cut, 100%.pmf", b"PMF\0\0\0\0\0\0");
    let args = ["check", "./game", "none.pfmap", "--format", "github"];
    let check = folder.run_args(args).expect(2);
    let begins = [
        "::error file=game/cut%2C 100%25.pmf,title=pmf/",
        "::error file=game/maps/b9.pfmap,line=25,col=76,title=pfmap/tile-type::found `D` as",
        "::error file=none.pfmap::there is no such file",
    ];
    let lines: Vec<&str> = check.stdout.lines().collect();
    assert_eq!(lines.len(), begins.len(), "{check:?}");
    for (line, begins) in lines.iter().zip(begins) {
        assert!(line.starts_with(begins), "{line}");
    }
    assert!(lines[0].contains("::at 0x"), "{check:?}");
}

/// Type of a value in SARIF: the part of the schema of version 2.1.0 that reports use.
enum Kind {
    Text,
    Bool,
    /// An integer of at least this value.
    Number(i64),
    /// One of these texts.
    One(&'static [&'static str]),
    Object(&'static str),
    List(&'static str),
}

/// Keys with their types.
type Keys = &'static [(&'static str, Kind)];

/// The objects of the schema: name, required keys, and allowed keys with their types. No other keys
/// are allowed.
const SARIF: &[(&str, &[&str], Keys)] = {
    use Kind::{Bool, List, Number, Object, One, Text};
    const LEVEL: Kind = One(&["none", "note", "warning", "error"]);
    &[
        (
            "log",
            &["version", "runs"],
            &[
                ("$schema", Text),
                ("version", One(&["2.1.0"])),
                ("runs", List("run")),
            ],
        ),
        (
            "run",
            &["tool"],
            &[
                ("tool", Object("tool")),
                ("columnKind", One(&["utf16CodeUnits", "unicodeCodePoints"])),
                ("results", List("result")),
                ("invocations", List("invocation")),
            ],
        ),
        ("tool", &["driver"], &[("driver", Object("toolComponent"))]),
        (
            "toolComponent",
            &["name"],
            &[
                ("name", Text),
                ("version", Text),
                ("semanticVersion", Text),
                ("rules", List("reportingDescriptor")),
            ],
        ),
        (
            "reportingDescriptor",
            &["id"],
            &[
                ("id", Text),
                ("shortDescription", Object("multiformatMessageString")),
                ("defaultConfiguration", Object("reportingConfiguration")),
            ],
        ),
        ("multiformatMessageString", &["text"], &[("text", Text)]),
        ("reportingConfiguration", &[], &[("level", LEVEL)]),
        (
            "result",
            &["message"],
            &[
                ("ruleId", Text),
                ("ruleIndex", Number(-1)),
                ("level", LEVEL),
                ("message", Object("message")),
                ("locations", List("location")),
                ("relatedLocations", List("location")),
            ],
        ),
        // Text or an id.
        ("message", &["text"], &[("text", Text)]),
        (
            "location",
            &[],
            &[
                ("physicalLocation", Object("physicalLocation")),
                ("message", Object("message")),
            ],
        ),
        // An artifact or an address.
        (
            "physicalLocation",
            &["artifactLocation"],
            &[
                ("artifactLocation", Object("artifactLocation")),
                ("region", Object("region")),
            ],
        ),
        (
            "artifactLocation",
            &[],
            &[("uri", Text), ("uriBaseId", Text)],
        ),
        (
            "region",
            &[],
            &[
                ("startLine", Number(1)),
                ("startColumn", Number(1)),
                ("byteOffset", Number(-1)),
                ("byteLength", Number(0)),
            ],
        ),
        (
            "invocation",
            &["executionSuccessful"],
            &[
                ("executionSuccessful", Bool),
                ("exitCode", Number(i64::MIN)),
                ("toolExecutionNotifications", List("notification")),
            ],
        ),
        (
            "notification",
            &["message"],
            &[
                ("level", LEVEL),
                ("message", Object("message")),
                ("locations", List("location")),
            ],
        ),
    ]
};

/// Fails unless a value is a valid SARIF object of this name. Collects the names of all nested
/// objects.
fn validate(name: &'static str, value: &Value, seen: &mut BTreeSet<&'static str>) {
    let known = SARIF.iter().find(|(known, ..)| *known == name);
    let (_, required, keys) = known.unwrap_or_else(|| panic!("{name} is not in the table"));
    seen.insert(name);
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("{name}: {value}"));
    for key in *required {
        assert!(object.contains_key(*key), "{name} without {key}: {value}");
    }
    for (key, value) in object {
        let known = keys.iter().find(|(known, _)| known == key);
        let (_, kind) = known.unwrap_or_else(|| panic!("{name} has no {key}"));
        let is_good = match kind {
            Kind::Text => value.is_string(),
            Kind::Bool => value.is_boolean(),
            Kind::Number(min) => value.as_i64().is_some_and(|number| number >= *min),
            Kind::One(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
            Kind::Object(name) => {
                validate(name, value, seen);
                true
            }
            Kind::List(name) => {
                for value in value.as_array().unwrap() {
                    validate(name, value, seen);
                }
                true
            }
        };
        assert!(is_good, "{name}.{key}: {value}");
    }
}

#[test]
fn sarif_has_what_its_schema_asks_for() {
    let folder = game();
    folder.write("game/cut here.pmf", b"PMF\0\0\0\0\0\0");
    folder.write("game/maps/old/a.pfmap", map("gone.png", RAMP));
    let check = folder
        .run("check game none.pfmap demo:terrain --notes --format sarif")
        .expect(2);
    let log = check.json();
    let mut seen = BTreeSet::new();
    validate("log", &log, &mut seen);
    let all: BTreeSet<&str> = SARIF.iter().map(|(name, ..)| *name).collect();
    assert_eq!(seen, all, "the table speaks of what no report has");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"], "{result}");
    }
    let ids: BTreeSet<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), rules.len(), "a rule stands there twice");
    let find = |rule: &str| {
        let result = results
            .iter()
            .find(|it| it["ruleId"].as_str().unwrap().starts_with(rule));
        result.unwrap_or_else(|| panic!("no {rule} in {results:#?}"))
    };
    let tile = find("pfmap/tile-type");
    assert_eq!(tile["level"], "error");
    let expected = json!({
        "artifactLocation": {"uri": "game/maps/b9.pfmap", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 25, "startColumn": 76},
    });
    assert_eq!(tile["locations"][0]["physicalLocation"], expected);
    assert_eq!(find("texture/missing")["level"], "warning");
    assert_eq!(find("pfmap/unreachable-ground")["level"], "note");
    let binary = &find("pmf/")["locations"][0]["physicalLocation"];
    assert_eq!(binary["artifactLocation"]["uri"], "game/cut%20here.pmf");
    assert!(binary["region"]["byteOffset"].is_u64(), "{binary}");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["exitCode"], 2);
    let notification = &invocation["toolExecutionNotifications"][0];
    let message = notification["message"]["text"].as_str().unwrap();
    assert!(message.contains("there is no such file"), "{notification}");
    let clean = folder.run("check demo: --format sarif").expect(0).json();
    validate("log", &clean, &mut seen);
    assert_eq!(clean["runs"][0]["results"], json!([]));
    assert_eq!(
        clean["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
}

/// The endings of all formats.
fn endings() -> BTreeSet<String> {
    let formats = mapscope_scene::formats();
    let endings = formats.flat_map(|format| format.endings.iter());
    endings.map(|ending| (*ending).to_owned()).collect()
}

#[test]
fn hooks_know_the_endings_of_all_formats() {
    let hooks = document(".pre-commit-hooks.yaml");
    let (_, listed) = hooks.split_once("files: (?i)\\.(").unwrap();
    let (listed, _) = listed.split_once(")$\n").unwrap();
    let listed: BTreeSet<String> = listed.split('|').map(str::to_owned).collect();
    assert_eq!(listed, endings());
    assert!(hooks.contains("\n  args: [--]\n"), "{hooks}");
    let hook = document("scripts/pre-commit");
    let lines = hook.lines().map(str::trim);
    let listed = lines.filter_map(|line| line.strip_prefix("':(icase)*.")?.split('\'').next());
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(listed, endings());
}

#[cfg(unix)]
#[test]
fn the_hook_keeps_a_commit_with_errors_back() {
    let folder = game();
    let program = Path::new(env!("CARGO_BIN_EXE_mapscope"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut path: Vec<_> = std::env::split_paths(&path).collect();
    path.insert(0, program.parent().unwrap().to_owned());
    let git = |args: &str| -> Option<Output> {
        let mut command = Command::new("git");
        command
            .current_dir(folder.path("game"))
            .args(args.split(' '));
        command.env("PATH", std::env::join_paths(&path).unwrap());
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
            command.env(name, "/dev/null");
        }
        for (role, value) in [("NAME", "A Mapper"), ("EMAIL", "mapper@example.org")] {
            command.env(format!("GIT_AUTHOR_{role}"), value);
            command.env(format!("GIT_COMMITTER_{role}"), value);
        }
        command.stdin(Stdio::null()).output().ok()
    };
    fs::remove_dir_all(folder.path("game/.git")).unwrap();
    let Some(begun) = git("init -q") else {
        return skip(Need::System, "there is no git");
    };
    assert!(begun.status.success(), "{begun:?}");
    let git = |args: &str| git(args).unwrap();
    let hooks = folder.path("game/.git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/pre-commit");
    // Keeps the permissions, like `cp`.
    fs::copy(hook, hooks.join("pre-commit")).unwrap();
    git("add maps/b10.pfmap maps/readme.txt");
    let good = git("commit -q -m good");
    assert!(good.status.success(), "{good:?}");
    git("add maps");
    let bad = git("commit -q -m bad");
    assert!(!bad.status.success(), "{bad:?}");
    let said = [&*bad.stdout, &*bad.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("maps/b9.pfmap:25:76: error: "), "{said}");
    assert!(!said.contains("b10.pfmap"), "{said}");
    let forced = git("commit -q --no-verify -m bad");
    assert!(forced.status.success(), "{forced:?}");
    // A commit without maps has nothing to check.
    folder.write("game/maps/readme.txt", "more");
    let other = git("commit -q -a -m other");
    assert!(other.status.success(), "{other:?}");
    folder.write("game/maps/b9.pfmap", map("grass.png", RAMP));
    let mended = git("commit -q -a -m mended");
    assert!(mended.status.success(), "{mended:?}");
}

#[test]
fn a_level_of_detail_that_is_broken_or_does_not_fit_is_said_once() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("models")).unwrap();
    let model = tiny_model();
    let mut level = model.clone();
    level.clips.pop();
    folder.write("models/oak.pfobj", pfobj::write(&model));
    folder.write("models/oak.lod1.pfobj", pfobj::write(&level));
    let lines = |paths: &str, rule: &str| -> Vec<String> {
        let check = folder.run(&format!("check {paths}"));
        let lines = check.stdout.lines().filter(|line| line.contains(rule));
        lines.map(str::to_owned).collect()
    };
    for (paths, expected) in [
        ("models", "models/oak.lod1.pfobj:5:1: warning: "),
        (
            "models/oak.lod1.pfobj",
            "models/oak.lod1.pfobj:5:1: warning: ",
        ),
        ("models/oak.pfobj", "models/oak.pfobj:5:1: warning: "),
    ] {
        let found = lines(paths, "[pfobj/lod]");
        assert!(
            found.len() == 1 && found[0].starts_with(expected),
            "{paths}: {found:?}"
        );
    }
    let broken = String::from_utf8(pfobj::write(&model)).unwrap();
    let broken = broken.replacen("v 4.000000", "v 4x", 1);
    folder.write("models/oak.lod1.pfobj", broken);
    let found = lines("models", "4x");
    let at = "models/oak.lod1.pfobj:13:3: error: found `4x`; expected `v <x> <y> <z>`";
    assert!(found.len() == 1 && found[0].starts_with(at), "{found:?}");
    // The level file itself is not checked.
    assert_eq!(
        lines("models/oak.pfobj", "4x"),
        [
            "models/oak.pfobj:1:1: warning: the level of detail `oak.lod1.pfobj` has 1 error, the first \
          at 13:3: found `4x`; expected `v <x> <y> <z>` [pfobj/broken-lod]"
        ]
    );
}

#[test]
fn a_scene_is_checked_with_its_map_its_models_and_their_textures() {
    let folder = Folder::new();
    let scene = write_game(folder.path("").as_path(), &sound_scene()).unwrap();
    assert!(scene.ends_with("assets/maps/a.pfscene"));
    let check = |args: &str| folder.run(&format!("check {args}"));
    let lines = |args: &str| -> Vec<(String, String)> {
        let check = check(args).expect(1);
        let lines = check.stdout.lines().map(|line| {
            let (place, rest) = line.split_once(": ").unwrap();
            let (_, rule) = rest.rsplit_once('[').unwrap();
            (place.to_owned(), rule.trim_end_matches(']').to_owned())
        });
        let of_others = lines.filter(|(place, _)| !place.contains("a.pfscene"));
        of_others.collect()
    };
    let [scene, map, model] = [
        "assets/maps/a.pfscene",
        "assets/maps/a.pfmap",
        "assets/models/guard.pfobj",
    ];
    assert_eq!(check(scene).expect(0).stdout.matches("a.pfmap").count(), 0);
    // Breaks two tiles of the map, a line of the model, and its texture.
    let text = fs::read_to_string(folder.path(map)).unwrap();
    let tile = text.find("\n0+").unwrap() + 1;
    let mut broken = text.clone();
    broken.replace_range(tile..=tile, "D");
    broken.replace_range(tile + 25..=tile + 25, "D");
    folder.write(map, &broken);
    let mut text = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    text = text.replacen("v 4.000000", "v 4x", 1);
    folder.write(model, text);
    let texture = tiny_model().materials[0].texture.clone();
    folder.write(&format!("assets/models/{texture}"), "no image");
    let expected = |map: &str| -> Vec<(String, String)> {
        let line = broken[..tile].lines().count() + 1;
        let found = [
            (format!("{map}:{line}:1"), "pfmap/tile-type"),
            (format!("{map}:{line}:26"), "pfmap/tile-type"),
            (format!("{model}:13:3"), "pfobj/value"),
            (format!("{model}:23:1"), "pfobj/reversed-triangles"),
            (format!("{model}:42:13"), "texture/unreadable"),
        ];
        found.map(|(place, rule)| (place, rule.to_owned())).to_vec()
    };
    assert_eq!(lines(scene), expected(map));
    // Neither the files nor the scene report anything twice.
    let mut all = lines(&format!("{scene} {map} {model}"));
    all.retain(|(_, rule)| !rule.contains("note"));
    assert_eq!(all, expected(map));
    let check_all = check("assets").expect(1);
    assert_eq!(check_all.stdout.matches("pfobj/value").count(), 1);
    assert!(
        !check_all.stdout.contains("pfscene/broken"),
        "{check_all:?}"
    );
    let json = check(&format!("{scene} --json")).expect(1);
    assert_eq!(files(&json), [scene, map, model]);
    let map_object = &objects(&json)[1];
    assert_eq!(map_object["format"], "pfmap");
    assert_eq!(map_object["problems"].as_array().unwrap().len(), 2);
    let sarif = check(&format!("{scene} --format sarif")).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let uri = "/locations/0/physicalLocation/artifactLocation/uri";
    let count = |file: &str| {
        let of = results
            .iter()
            .filter(|it| it.pointer(uri) == Some(&json!(file)));
        of.count()
    };
    assert_eq!([map, model].map(count), [2, 3]);
    // The scene only sums up the problems of excluded files.
    folder.write("assets/models/mapscope.toml", "exclude = [\"*\"]");
    assert_eq!(lines(scene), expected(map)[..2]);
    assert!(check(scene).stdout.contains("pfscene/broken-model"));
    // Each file uses the settings of its own folder.
    folder.write("assets/models/mapscope.toml", "allow = [\"pfobj/value\"]");
    assert!(!check(scene).stdout.contains("pfobj/value"));
    folder.write("assets/models/mapscope.toml", "");
    // Notes of the map are reported for the scene, too.
    let mut ramp = broken.clone();
    ramp.replace_range(tile..=tile, "1");
    ramp.replace_range(tile + 25..=tile + 25, "0");
    folder.write(map, &ramp);
    let notes = |args: &str| {
        let objects = objects(&check(&format!("{args} --json")));
        let of_map = objects.into_iter().find(|it| it["file"] == map);
        of_map.map(|it| it["notes"].clone())
    };
    assert_eq!(notes(scene), notes(map));
    assert_ne!(notes(map), Some(json!([])));
    // A map and a model without readable content.
    folder.write(map, "version 1.0\n");
    folder.write(model, "");
    let found = lines(scene);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].0.starts_with(map) && found[1].0.starts_with(model));
    let stand_ins = check(scene).stdout;
    assert!(!stand_ins.contains("pfscene/missing-map"), "{stand_ins}");
    assert!(!stand_ins.contains("pfscene/unreadable-model"));
}

#[test]
fn files_of_other_programs_are_skipped_in_folders() {
    let folder = Folder::new();
    fs::create_dir(folder.path("repo")).unwrap();
    folder.write(
        "repo/zlib.map",
        "ZLIB_1.2 {\n  global: first;\n  local: *;\n};\n",
    );
    folder.write(
        "repo/bundle.js.map",
        "{\"version\":3,\"mappings\":\"AACA\"}",
    );
    let check = folder.run("check repo --json").expect(0);
    let found = objects(&check);
    assert_eq!(found.len(), 2, "{check:?}");
    for object in &found {
        assert_eq!(object["notes"][0]["rule"], "file/foreign");
        assert_eq!(
            (&object["format"], &object["problems"]),
            (&Value::Null, &json!([]))
        );
    }
    assert_eq!(folder.run("check repo").expect(0).stdout, "");
    folder.run("check repo --deny file/foreign").expect(1);
    let named = folder.run("check repo/zlib.map").expect(2);
    assert!(
        named
            .stderr
            .contains("this is a script or a map of a linker"),
        "{named:?}"
    );
    for command in ["info", "check repo"] {
        let named = folder
            .run(&format!("{command} repo/bundle.js.map"))
            .expect(2);
        assert!(named.stderr.contains("source map"), "{named:?}");
    }
}

#[test]
fn unused_and_missing_assets_are_listed() {
    let folder = game();
    let picture = folder.path("grass.png");
    // A missing model might use the images beside it.
    fs::create_dir_all(folder.path("game/assets/models/deer")).unwrap();
    let scene = "version 1.0\nnum_sections 1\nsection \"entities\"\nnum_entities 1\n\
                 entity deer assets/models/deer/deer.pfobj 1\nposition vec3 0 0 0\n";
    folder.write("game/maps/deer.pfscene", scene);
    for name in [
        "maps/old/spare.PNG",
        "maps/old/spare.txt",
        "assets/models/deer/deer-fur.png",
    ] {
        fs::copy(&picture, folder.path(&format!("game/{name}"))).unwrap();
    }
    folder.write("game/maps/b9.pfmap", map("gone.png", RAMP));
    folder.write("game/maps/b11.pfmap", map("gone.png", RAMP));
    folder.write("game/maps/lonely.pfobj", pfobj::write(&tiny_model()));
    let check = folder.run("check game --json --assets");
    let objects = objects(&check);
    let (last, files) = objects.split_last().unwrap();
    assert!(
        files.iter().all(|file| file["file"].is_string()),
        "{check:?}"
    );
    let unused = last["unused"].as_array().unwrap().iter();
    let unused: Vec<_> = unused.map(|it| it["file"].as_str().unwrap()).collect();
    assert_eq!(
        unused,
        ["game/maps/lonely.pfobj", "game/maps/old/spare.PNG"]
    );
    assert_eq!(last["unused"][1]["rule"], "asset/unused");
    assert_eq!(last["unused"][1]["severity"], "note");
    let missing = last["missing"].as_array().unwrap().iter();
    let gone = missing.filter(|it| it["message"].as_str().unwrap().contains("`gone.png`"));
    let gone: Vec<&Value> = gone.collect();
    assert_eq!(gone.len(), 1, "{last}");
    assert_eq!(gone[0]["rule"], "texture/missing");
    assert_eq!(gone[0]["count"], 2);
    let named_by = ["game/maps/b9.pfmap", "game/maps/b11.pfmap"];
    assert_eq!(gone[0]["files"], json!(named_by));
    let text = folder.run("check game --assets");
    let line = "game/maps/old/spare.PNG:1:1: note: ";
    let mut lines = text.stdout.lines();
    let line = lines.find(|it| it.starts_with(line)).unwrap();
    assert!(line.ends_with("[asset/unused]"), "{text:?}");
    let said = text
        .stderr
        .lines()
        .find(|line| line.contains("`gone.png`"))
        .unwrap();
    assert!(
        said.starts_with("missing: ") && said.ends_with("(referenced 2 times in 2 files)"),
        "{said}"
    );
    assert!(text.stderr.contains("unused: 2 files\n"), "{text:?}");
    // Denied notes count, and each folder has its own settings.
    folder.run("check game/maps/old --assets").expect(0);
    folder
        .run("check game/maps/old --assets --deny asset/unused")
        .expect(1);
    folder.write("game/maps/old/mapscope.toml", "allow = [\"asset/unused\"]");
    let old = folder.run("check game/maps/old --assets").expect(0);
    assert_eq!(old.stdout, "");
    let sarif = folder.run("check game --assets --format sarif").json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        results.iter().any(|it| it["ruleId"] == "asset/unused"),
        "{sarif}"
    );
    let refused = folder.run("check game/maps/b9.pfmap --assets").expect(2);
    assert!(
        refused.stderr.contains("--assets: expected a folder"),
        "{refused:?}"
    );
}
