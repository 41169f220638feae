//! `check` over folders and standard input, and in the forms that other programs read.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use mapscope_testdata::{Need, skip};
use serde_json::Value;

use super::cli::{RAMP, map};
use super::folder::{Folder, Outcome};

/// A map without textures, of which one tile is of a type that does not exist.
fn broken() -> String {
    map("grass.png", &RAMP.replacen('1', "D", 1))
}

/// A folder `game` with a map that has an error, two without, and what is no map.
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

/// The objects of a report in JSON, one a line.
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
fn fed(folder: &Folder, args: &str, bytes: &[u8]) -> Outcome {
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
    // A folder below another one is not checked twice.
    let check = folder.run("check --json game/maps/old game").expect(1);
    assert_eq!(files(&check), [all[2], all[0], all[1]]);
    folder.run("check game/maps/old").expect(0);
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
    // The first takes longest.
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
        (
            "game/empty game",
            "game/empty",
            "no file that Mapscope opens",
        ),
        ("game none.pfmap", "none.pfmap", "No such file"),
        ("game grass.png", "grass.png", "PNG image"),
        ("game demo:none", "demo:none", "there is no demo `none`"),
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
    let check = fed(&folder, "check -", broken().as_bytes()).expect(1);
    assert!(check.stdout.starts_with("-:25:"), "{check:?}");
    assert!(check.stdout.contains("[pfmap/tile-type]"), "{check:?}");
    // Textures lie in the working folder.
    assert_eq!(check.stdout.lines().count(), 1, "{check:?}");
    let good = map("grass.png", RAMP);
    let check = fed(
        &folder,
        "check game/maps/b10.pfmap - --json",
        good.as_bytes(),
    )
    .expect(0);
    assert_eq!(files(&check), ["game/maps/b10.pfmap", "-"]);
    let empty = fed(&folder, "check - --json", b"").expect(2);
    let error = objects(&empty)[0]["error"].to_string();
    assert!(error.contains("empty"), "{empty:?}");
    let twice = fed(&folder, "check - -", b"").expect(2);
    assert!(twice.stderr.contains("only once"), "{twice:?}");
}

/// The parts of a line as compilers write it, by what finds it in the output of programs: a name
/// without colons, two numbers, a severity and a message.
fn matched(line: &str) -> Option<(&str, u32, u32, &str, &str)> {
    let mut parts = line.splitn(4, ':');
    let file = parts.next()?;
    let [line, column] = [parts.next()?, parts.next()?];
    let (severity, message) = parts.next()?.strip_prefix(' ')?.split_once(": ")?;
    let is_known = ["error", "warning", "note"].contains(&severity);
    let numbers = (line.parse().ok()?, column.parse().ok()?);
    is_known.then_some((file, numbers.0, numbers.1, severity, message))
}

#[test]
fn every_line_of_text_is_what_compilers_write_of_binary_files_too() {
    let folder = game();
    folder.write("game/cut.pmf", b"PMF\0\0\0\0\0\0");
    folder.write("game/cut.vsp", [6, 0, 16, 0, 16, 0]);
    let check = folder.run("check game none.pfmap --notes").expect(2);
    let lines: Vec<&str> = check.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{check:?}");
    for line in &lines {
        let (file, _, _, _, message) = matched(line).unwrap_or_else(|| panic!("{line}"));
        assert!(folder.path(file).is_file(), "{line}");
        let is_binary = file.contains("/cut.");
        assert_eq!(message.starts_with("at 0x"), is_binary, "{line}");
    }
    let unchecked = check.stderr.lines().next().unwrap();
    let expected = Some(("none.pfmap", 1, 1, "error"));
    let found =
        matched(unchecked).map(|(file, line, column, severity, _)| (file, line, column, severity));
    assert_eq!(found, expected, "{unchecked}");
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
    // What is left of each line is what stands behind its last return.
    let seen = text.replace("\r\n", "\n");
    let seen = seen
        .lines()
        .map(|line| line.rsplit("\r\x1b[K").next().unwrap());
    let seen: Vec<&str> = seen.collect();
    assert_eq!(seen.len(), 2, "{text:?}");
    assert!(seen[0].contains("b9.pfmap:25:"), "{text:?}");
    assert_eq!(seen[1], "3 files: 1 error");
}
