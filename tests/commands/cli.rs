//! The commands as scripts use them: the real program, its output and its exit status.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mapscope_formats::pmf;
use mapscope_testdata::{Need, shared, skip, synthesize, tiny_scene};
use serde_json::{Value, json};

use super::folder::{Folder, Outcome};

/// A map of one chunk: flat ground at level 1, except for the tile in row 2 and column 3.
pub(super) fn map(texture: &str, special_tile: &str) -> String {
    let mut text = format!(
        "version 1.1\nnum_materials 2\nnum_splats 1\nnum_rows 1\nnum_cols 1\n\
         material Grass {texture}\nmaterial Rock rock.png\nsplat 0 1\n"
    );
    for tile in 0..32 * 32 {
        let special = tile == 2 * 32 + 3;
        text += if special {
            special_tile
        } else {
            "0+0100000001100001111000"
        };
        text += if tile % 4 == 3 { "\n" } else { " " };
    }
    text
}

/// A ramp of two levels that rises toward the north.
pub(super) const RAMP: &str = "1+0102001001101111111000";

/// A folder with a valid map and its textures.
fn good() -> Folder {
    let folder = Folder::new();
    for (name, color) in [("grass.png", [70, 120, 50]), ("rock.png", [110, 100, 95])] {
        let picture = image::RgbImage::from_pixel(64, 64, image::Rgb(color));
        picture.save(folder.path(name)).unwrap();
    }
    folder.write("good.pfmap", map("grass.png", RAMP));
    folder
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// A JSON pointer, and a predicate for the value there.
type Expected<'a> = (&'a str, fn(&Value) -> bool);

/// Fails unless a JSON object has these keys with these types.
#[track_caller]
fn assert_shape(value: &Value, shape: &[Expected<'_>]) {
    for (pointer, is_right) in shape {
        let found = value.pointer(pointer);
        assert!(
            found.is_some_and(is_right),
            "{pointer} is {found:?} in {value:#}"
        );
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let folder = Folder::new();
    for args in [
        "--help",
        "view --help",
        "info --help",
        "check --help",
        "render --help",
        "bench --help",
    ] {
        let help = folder.run(args).expect(0);
        // Images have the most options, and `bench` accepts them too.
        let most = match args {
            "render --help" => 66,
            "bench --help" => 60,
            _ => 54,
        };
        assert!(help.stdout.contains("Usage: mapscope"), "{help:?}");
        assert!(help.stdout.contains("\nExamples:\n  mapscope "), "{help:?}");
        assert!(
            help.stdout.lines().count() <= most,
            "{args} is too long: {help:?}"
        );
    }
    let help = folder.run("--help").expect(0).stdout;
    for command in ["view", "info", "check", "render", "bench"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
    let version = folder.run("--version").expect(0);
    assert_eq!(
        version.stdout,
        format!("mapscope {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn arguments_that_make_no_sense_are_status_2_and_say_why() {
    let folder = good();
    for (args, word) in [
        ("info", "<FILE>"),
        ("check", "<PATH>"),
        ("info good.pfmap --nonsense", "--nonsense"),
        (
            "info good.pfmap --tile 3",
            "two comma-separated whole numbers",
        ),
        ("info good.pfmap --tile -1,3", "whole numbers from 0"),
        (
            "info good.pfmap --cube 0,0,0,0",
            "expected 5 comma-separated whole numbers from 0",
        ),
        (
            "info good.pfmap --cube 0,0,0,-1,3",
            "expected 5 comma-separated whole numbers from 0",
        ),
        ("info good.pfmap --cube 0,0,0,0,1", "no such cube"),
        (
            "info good.pfmap --tile 32,0",
            "ROW from 0 to 31 and COL from 0 to 31",
        ),
        (
            "info good.pfmap --height x,3",
            "two comma-separated numbers",
        ),
        ("info good.pfmap --height nan,3", "finite"),
        (
            "info --textures no-such-folder good.pfmap",
            "no-such-folder",
        ),
        ("info --map no-such.pfmap good.pfmap", "no-such.pfmap"),
        (
            "info --map good.pfmap good.pfmap",
            "--map needs a scene, but the format of good.pfmap is Permafrost Engine map",
        ),
        (
            "info demo:village --tile 48,0",
            "48 x 36 tiles; expected X,Y with X from 0 to 47 and Y from 0 to 35",
        ),
        (
            "render demo:village -o a.png --view flat --size 640x480",
            "768x576; leave it out",
        ),
        (
            "render demo:village -o a.png --view flat --projection ortho",
            "--projection",
        ),
        (
            "render demo:village -o a.png --view flat --overlay pixel-grid",
            "pixel-grid",
        ),
        (
            "render demo:village -o a.png --view flat --overlay logic",
            "this file has obstruction, zones, entities, grid",
        ),
        (
            "render demo:station -o a.png --overlay zones",
            "overlay `zones` not found; this file has logic",
        ),
        ("render good.pfmap", "--output"),
        ("render good.pfmap -o a.png --camera 1,2,3", "six numbers"),
        (
            "render good.pfmap -o a.png --look-through above",
            "camera `above` not found; this file has none",
        ),
        ("render good.pfmap -o a.png --camera 1,2,3,4,5,x", "`x`"),
        (
            "render good.pfmap -o a.png --camera 1,2,3,1,2,3",
            "same point",
        ),
        (
            "render good.pfmap -o a.png --camera 1,2,3,4,5,6 --view top",
            "cannot be used",
        ),
        ("render good.pfmap -o a.png --view up", "iso"),
        (
            "render good.pfmap -o a.png --fov 29",
            "expected 30 to 110 degrees",
        ),
        ("--fov wide good.pfmap", "expected 30 to 110 degrees"),
        ("render good.pfmap -o a.png --size 0x5", "1280x720"),
        (
            "render good.pfmap -o a.png --size 4000000000x4000000000",
            "too large",
        ),
        (
            "render good.pfmap -o a.png --overlay nonsense",
            "tile-types",
        ),
        (
            "render good.pfmap -o no/such/folder/a.png --size 8x8",
            "no/such/folder",
        ),
        ("bench good.pfmap --frames 0", "--frames"),
        ("bench synthetic:0x4", "synthetic:64x64"),
        ("bench synthetic:99999x99999", "synthetic:64x64"),
        ("bench synthetic:scene:0", "synthetic:scene:5000"),
        ("bench synthetic:scene:4294967295", "at most 200000"),
        ("--camera 1,2 good.pfmap", "six numbers"),
        ("no-such-file.pfmap", "no-such-file.pfmap"),
    ] {
        let outcome = folder.run(args).expect(2);
        assert!(outcome.stderr.contains(word), "{args}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{args}");
    }
    assert!(!folder.path("a.png").exists());
}

#[test]
fn what_cannot_be_read_is_status_2_for_every_command() {
    let folder = good();
    fs::create_dir(folder.path("maps")).unwrap();
    folder.write("picture.bin", b"\x89PNG\r\n\x1a\n and so on");
    folder.write("empty", "");
    let mut files = vec![
        ("no-such-file.pfmap", "there is no such file"),
        ("maps", "folder"),
        ("picture.bin", "PNG"),
        ("empty", "empty"),
    ];
    if cfg!(target_os = "linux") {
        // Every process has this file, and a read at its start fails even for root.
        files.push(("/proc/self/mem", "/proc/self/mem"));
    }
    for (file, word) in files {
        for args in [
            format!("info {file}"),
            format!("check {file}"),
            format!("render {file} -o a.png --size 8x8"),
            format!("bench {file} --json --frames 1 --size 8x8"),
        ] {
            let outcome = folder.run(&args).expect(2);
            assert!(outcome.stderr.contains(word), "{args}: {outcome:?}");
            assert_eq!(outcome.stdout, "", "{args}");
        }
        // JSON has an object for every file, even an unreadable one, and the same one in each
        // command.
        let mut errors = BTreeSet::new();
        for command in ["info", "check"] {
            let outcome = folder.run(&format!("{command} {file} --json")).expect(2);
            assert!(
                outcome.stderr.contains(word),
                "{command} {file}: {outcome:?}"
            );
            let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
            assert_eq!(object["file"], file, "{command}");
            let reason = object["error"].as_str().unwrap();
            assert!(!reason.starts_with(file), "{command} {file}: {object}");
            errors.insert(reason.to_owned());
        }
        // Only `check` accepts a folder.
        let is_one = errors.len() == 1 || file == "maps";
        assert!(is_one, "{file} has one reason: {errors:?}");
    }
    assert!(!folder.path("a.png").exists());
}

#[test]
fn json_is_one_line_for_each_file() {
    let folder = good();
    for args in [
        "info good.pfmap --json",
        "info good.pfmap none.pfmap good.pfmap --json",
        "check good.pfmap --json",
    ] {
        let outcome = folder.run(args);
        let files = args.matches(".pfmap").count();
        assert_eq!(outcome.stdout.lines().count(), files, "{args}");
        for line in outcome.stdout.lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            assert!(object["file"].is_string(), "{args}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_like_a_file() {
    let folder = good();
    let changed = map("grass.png", "0+0100000001100001111000");
    folder.write("flat.pfmap", changed);
    folder.write("bad.pfmap", map("grass.png", "xyz"));
    folder.write("bad.map", b"MAP\xf96\0");
    let shell = |script: &str| {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", script]).current_dir(folder.path("."));
        command.env("M", env!("CARGO_BIN_EXE_mapscope"));
        Outcome::of(command)
    };
    let same = shell("$M diff <(cat good.pfmap) good.pfmap").expect(0);
    assert_eq!(same.stdout, "");
    let both = shell("$M diff <(cat good.pfmap) <(cat flat.pfmap)").expect(1);
    assert!(both.stdout.contains("tile: 1 changed"), "{both:?}");
    // Files that it names are looked up in the working folder, as for standard input.
    let info = shell("cat good.pfmap | $M info /dev/stdin --json")
        .expect(0)
        .json();
    assert_eq!(info["file"], "/dev/stdin");
    assert_eq!(info["materials"][0]["found"], true);
    let check = shell("$M check <(cat bad.pfmap) good.pfmap").expect(1);
    assert!(check.stdout.starts_with("/dev/fd/"), "{check:?}");
    let refused = shell("$M render <(cat bad.map) -o a.png").expect(1);
    assert!(refused.stderr.starts_with("/dev/fd/"), "{refused:?}");
    // A folder search skips the pipe, which may never have a writer.
    let folders = shell("mkfifo a.pfmap && $M check . --json").expect(1);
    assert_eq!(folders.stdout.lines().count(), 4, "{folders:?}");
    // A device that is not a pipe may never end.
    let device = folder.run("info /dev/zero").expect(2);
    assert!(device.stderr.contains("not a regular file"), "{device:?}");
}

/// The contract's test has the other keys.
#[test]
fn info_has_heights_where_they_are_asked_for() {
    let folder = good();
    let twice = "info good.pfmap --json --tile 2,3 --tile 2,3";
    let info = folder.run(twice).expect(2);
    assert!(info.stderr.contains("--tile"), "{info:?}");
    let info = "info good.pfmap --json --height 0,0 --height -1.5,2.25 --height 5000,0";
    let info = folder.run(info).expect(0).json();
    let heights = info["heights"].as_array().unwrap();
    let heights = heights
        .iter()
        .map(|at| [&at["x"], &at["z"], &at["y"]].map(Value::as_f64));
    let expected = [
        [Some(0.0), Some(0.0), Some(4.0)],
        [Some(-1.5), Some(2.25), Some(4.0)],
        [Some(5000.0), Some(0.0), None],
    ];
    assert_eq!(heights.collect::<Vec<_>>(), expected);
    let plain = folder.run("info good.pfmap --json").expect(0).json();
    let is_there = ["tile", "heights"].map(|key| plain.get(key).is_some());
    assert_eq!(is_there, [false; 2], "{plain}");
}

#[test]
fn info_in_words_names_what_matters_and_has_no_colours_off_a_terminal() {
    let folder = good();
    let info = folder
        .run("info good.pfmap --tile 2,3 --height 0,0")
        .expect(0)
        .stdout;
    for word in [
        "good.pfmap",
        "Permafrost",
        "1.1",
        "Grass",
        "Rock",
        "ramp_sn",
        RAMP,
        "no problems",
    ] {
        assert!(info.contains(word), "{word} is missing: {info}");
    }
    assert!(!info.contains('\u{1b}'), "{info:?}");
    assert!(info.lines().all(|line| line == line.trim_end()), "{info:?}");
}

#[test]
fn rules_are_listed() {
    let folder = Folder::new();
    let text = folder.run("check --list-rules").expect(0).stdout;
    let mut lines = text.lines();
    let is_listed = lines.any(|line| line.starts_with("pfmap/tile-type error: "));
    assert!(is_listed, "{text}");
    let rules = folder.run("check --list-rules --json").expect(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(text.lines().count()));
    assert_eq!(keys(&rules[0]), ["id", "severity", "summary"]);
    folder.run("check").expect(2);
    folder.run("check --list-rules a.pfmap").expect(2);
}

#[test]
fn a_map_with_a_bad_tile_is_status_1_and_its_place_is_named() {
    let folder = good();
    folder.write("bad.pfmap", map("grass.png", "0+01xx0001001100100000"));
    // Row 2, column 3: the last of 4 tiles on line 8 + 2 * 8 + 1.
    let check = folder.run("check bad.pfmap").expect(1);
    let line = check.stdout.lines().next().unwrap();
    assert!(
        line.starts_with("bad.pfmap:25:") && line.contains(": error: "),
        "{check:?}"
    );
    assert!(line.ends_with(" [pfmap/tile-length]"), "{check:?}");
    assert!(check.stderr.contains("1 error"), "{check:?}");

    let check = folder.run("check bad.pfmap --json").expect(1).json();
    assert_eq!(
        keys(&check),
        ["file", "format", "notes", "problems", "version"]
    );
    assert_shape(
        &check,
        &[
            ("/problems/0/severity", |v| v == "error"),
            ("/problems/0/rule", |v| v == "pfmap/tile-length"),
            ("/problems/0/at", |v| {
                v.as_str().is_some_and(|at| at.starts_with("25:"))
            }),
            ("/problems/0/message", Value::is_string),
        ],
    );
    // So is a map that the engine refuses because of its last line.
    let unended = map("grass.png", RAMP);
    folder.write("unended.pfmap", unended.trim_end());
    let refused = folder.run("check unended.pfmap").expect(1);
    assert!(
        refused
            .stdout
            .contains("missing line feed after the last line"),
        "{refused:?}"
    );
    // The map still opens and can be inspected.
    let info = folder.run("info bad.pfmap --json").expect(1).json();
    assert_eq!(info["problems"], check["problems"]);
    assert_eq!(info["tiles"]["count"], 1023);
    assert_eq!(info["tiles"]["unreadable"], 1);
    let text = folder.run("info bad.pfmap --tile 2,3").expect(1).stdout;
    assert!(text.contains("bad.pfmap:25:"), "{text}");
    let said = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.trim().split_once("  "));
        let found = lines.find(|(key, _)| *key == name);
        found.map(|(_, value)| value.trim().to_owned())
    };
    assert_eq!(said("raw").as_deref(), Some("0+01xx0001001100100000"));
    assert_eq!(said("readable").as_deref(), Some("no"));
    assert_eq!(said("base_height").as_deref(), Some("none"));
    assert_eq!(said("Unreadable tiles").as_deref(), Some("1"));
    let render = folder
        .run("render bad.pfmap -o bad.png --size 32x32")
        .expect(1);
    assert!(render.stderr.contains("1 error"), "{render:?}");
    assert!(folder.path("bad.png").exists());
}

#[test]
fn a_map_that_cannot_be_shown_at_all_is_status_1_with_its_problem() {
    let folder = Folder::new();
    folder.write("junk.pfmap", [0_u8, 159, 146, 150].repeat(1000));
    folder.write("empty.pfmap", "");
    folder.write("token.pfmap", format!("version {}", "9".repeat(5_000_000)));
    for file in ["junk.pfmap", "empty.pfmap", "token.pfmap"] {
        for command in ["info", "check"] {
            let outcome = folder.run(&format!("{command} {file} --json")).expect(1);
            let json = outcome.json();
            assert_shape(
                &json,
                &[
                    ("/format", |v| v == "pfmap"),
                    ("/problems/0/severity", |v| v == "error"),
                    ("/problems/0/at", Value::is_string),
                ],
            );
            assert_eq!(json["file"], file);
            assert!(outcome.stdout.len() < 4000, "{}", outcome.stdout.len());
        }
        let render = folder
            .run(&format!("render {file} -o a.png --size 8x8"))
            .expect(1);
        assert!(render.stderr.contains(&format!("{file}:")), "{render:?}");
        assert!(!folder.path("a.png").exists());
    }
}

#[test]
fn a_map_that_promises_too_much_is_shown_by_its_tiles_with_status_1() {
    let folder = Folder::new();
    let huge = map("grass.png", RAMP).replace("num_rows 1", "num_rows 1000000000");
    folder.write("huge.pfmap", huge);
    let json = folder.run("info huge.pfmap --json").expect(1).json();
    assert_eq!(json["chunks"]["rows"], 1);
    assert_eq!(json["problems"][0]["rule"], "pfmap/size");
    folder
        .run("render huge.pfmap -o a.png --size 8x8")
        .expect(1);
    assert!(folder.path("a.png").exists());
}

#[test]
fn check_goes_on_after_a_file_that_fails_and_ends_with_the_worst_status() {
    let folder = good();
    folder.write("bad.pfmap", map("grass.png", "0+01xx0001001100100000"));
    let check = folder
        .run("check --json good.pfmap no-such-file bad.pfmap good.pfmap")
        .expect(2);
    let files: Vec<Value> = check
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["file"].clone())
        .collect();
    // The last file was already checked.
    assert_eq!(files, ["good.pfmap", "no-such-file", "bad.pfmap"]);
    let line = "no-such-file:1:1: error: there is no such file";
    assert!(check.stderr.contains(line), "{check:?}");
    assert!(
        check.stderr.contains("; 1 could not be checked"),
        "{check:?}"
    );
    folder
        .run("check good.pfmap bad.pfmap good.pfmap")
        .expect(1);
    let clean = folder.run("check good.pfmap good.pfmap").expect(0);
    assert_eq!(clean.stdout, "");
    assert!(
        clean.stderr.contains("1 file: no problems, 1 note"),
        "{clean:?}"
    );
}

#[test]
fn a_material_that_leads_out_of_the_folder_is_refused() {
    let folder = good();
    folder.write("spy.pfmap", map("../../../etc/passwd", RAMP));
    let check = folder.run("check spy.pfmap --json");
    let problem = &check.json()["problems"][0];
    assert_eq!(
        problem["at"].as_str().map(|at| at.starts_with("6:")),
        Some(true),
        "{problem}"
    );
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.contains("../../../etc/passwd") && message.contains(".."),
        "{message}"
    );
    let info = folder.run("info spy.pfmap --json").json();
    assert_eq!(info["materials"][0]["found"], false);
    assert!(!check.stdout.contains("root:"), "{check:?}");
}

#[test]
fn textures_are_found_in_a_folder_that_the_user_names() {
    let folder = good();
    fs::create_dir(folder.path("textures")).unwrap();
    for name in ["grass.png", "rock.png"] {
        fs::rename(folder.path(name), folder.path("textures").join(name)).unwrap();
    }
    let missing = folder.run("info good.pfmap --json").json();
    assert_eq!(missing["materials"][0]["found"], false);
    assert!(!missing["problems"].as_array().unwrap().is_empty());
    for args in [
        "--textures textures info good.pfmap --json",
        "info --textures=textures good.pfmap --json",
    ] {
        let found = folder.run(args).expect(0).json();
        assert_eq!(found["materials"][0]["found"], true, "{args}");
    }
}

#[test]
fn a_scene_stands_on_the_map_that_the_user_names() {
    let folder = good();
    folder.write("siege.pfscene", tiny_scene::SCENE);
    let map = |args: &str| folder.run(args).expect(1).json()["map"].clone();
    assert_eq!(map("info siege.pfscene --json"), Value::Null);
    let check = folder.run("check siege.pfscene").expect(1);
    let offer = "select one with `--map`: `good.pfmap` (1 x 1 chunks)";
    assert!(check.stdout.contains(offer), "{check:?}");
    let named = "info --map good.pfmap siege.pfscene --json";
    assert_eq!(map(named), "good.pfmap");
    let check = folder.run("check siege.pfscene --map good.pfmap").expect(1);
    assert!(!check.stdout.contains("missing-map"), "{check:?}");
    let check = "check siege.pfscene good.pfmap --map good.pfmap";
    let check = folder.run(check).expect(1);
    assert!(check.stderr.contains("2 files: "), "{check:?}");
    folder.write("siege.pfmap", synthesize::pfmap(2, 1, 1));
    assert_eq!(map("info siege.pfscene --json"), "siege.pfmap");
    assert_eq!(map(named), "good.pfmap");
}

#[test]
fn a_map_is_drawn_with_the_entities_of_the_scene_beside_it() {
    let folder = good();
    let entities = "--overlay entities";
    let render = |file: &str, name: &str, overlays: &str| {
        let look = "--size 200x120 --camera 30,60,60,5,5,5";
        folder.run(&format!("render {file} -o {name} {look} {overlays}"))
    };
    let refused = render("good.pfmap", "a.png", entities).expect(2);
    let reason = "the scene of good.pfmap was not found; expected good.pfscene";
    assert!(refused.stderr.contains(reason), "{refused:?}");
    folder.write("good.pfscene", tiny_scene::SCENE);
    let picture = |file: &str, name: &str, overlays: &str, status: i32| {
        render(file, name, overlays).expect(status);
        fs::read(folder.path(name)).unwrap()
    };
    let alone = picture("good.pfmap", "alone.png", "", 0);
    // Models are missing, which is an error of the scene; boxes replace them.
    let peopled = picture("good.pfmap", "peopled.png", entities, 1);
    assert!(alone != peopled);
    // The scene shows entities by default, whatever other overlays are on.
    assert!(peopled == picture("good.pfscene", "scene.png", "", 1));
    let grid = "--overlay tile-grid";
    let [alone, peopled] = ["good.pfmap", "good.pfscene"].map(|file| {
        picture(
            file,
            &format!("{file}.png"),
            grid,
            i32::from(file.ends_with("scene")),
        )
    });
    assert!(alone != peopled);
    // Neither the map nor the scene is overwritten.
    let onto = folder.run("render good.pfmap -o good.pfscene --force --overlay entities");
    onto.expect(2);
}

#[test]
fn a_picture_has_the_size_asked_for_and_comes_out_the_same_twice() {
    let folder = good();
    let look = "--camera 60,70,60,0,4,0 --size 200x120 --overlay tile-types --overlay tile-grid";
    for name in ["a.png", "b.png"] {
        let outcome = folder
            .run(&format!("render good.pfmap -o {name} {look}"))
            .expect(0);
        assert_eq!(outcome.stdout, "");
    }
    let [a, b] = ["a.png", "b.png"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(a == b, "two pictures of the same view differ");
    let picture = image::load_from_memory(&a).unwrap().to_rgba8();
    assert_eq!(picture.dimensions(), (200, 120));
    let first = picture.get_pixel(0, 0);
    assert!(
        picture.pixels().any(|pixel| pixel != first),
        "the picture is empty"
    );

    let mut seen = vec![picture];
    for look in [
        "",
        "--view top",
        "--view top --projection ortho",
        "--view west",
        "--view west --projection ortho",
        "--camera 60,70,60,0,4,0",
        "--camera 60,70,60,0,4,0 --fov 90",
    ] {
        let args = format!("render good.pfmap -o c.png --size 200x120 {look}");
        folder.run(&args).expect(0);
        let picture = image::open(folder.path("c.png")).unwrap().to_rgba8();
        assert!(!seen.contains(&picture), "`{look}` is like another view");
        seen.push(picture);
    }
    let left: Vec<_> = fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn bench_json_has_the_keys_of_the_contract() {
    let folder = good();
    for (args, file) in [
        (
            "bench good.pfmap --json --frames 3 --size 64x48",
            "good.pfmap",
        ),
        (
            "bench synthetic:2x3 --fly --json --frames 3 --size 64x48",
            "synthetic:2x3",
        ),
        (
            "bench synthetic:scene:500 --json --frames 3 --size 64x48",
            "synthetic:scene:500",
        ),
    ] {
        let bench = folder.run(args).expect(0).json();
        let positive: fn(&Value) -> bool = |v| v.as_f64().is_some_and(|x| x > 0.0);
        assert_shape(
            &bench,
            &[
                ("/size/0", |v| v == 64),
                ("/size/1", |v| v == 48),
                ("/adapter", |v| {
                    v.as_str().is_some_and(|name| !name.is_empty())
                }),
                ("/open_ms/read", Value::is_number),
                ("/open_ms/parse", positive),
                ("/open_ms/build", positive),
                ("/open_ms/upload", positive),
                ("/start_ms/device", positive),
                ("/first_frame_ms", positive),
                ("/frame_ms/median", positive),
                ("/frame_ms/min", positive),
                ("/floor_ms/clear", positive),
                ("/floor_ms/textured_quad", positive),
                ("/triangles", Value::is_u64),
                ("/draw_calls", Value::is_u64),
                ("/gpu_bytes", Value::is_u64),
                ("/cpu_bytes", Value::is_u64),
            ],
        );
        assert_eq!(bench["file"], file);
        let ms = |pointer: &str| bench.pointer(pointer).and_then(Value::as_f64).unwrap();
        assert!(ms("/frame_ms/min") <= ms("/frame_ms/median"));
        assert!(ms("/start_ms/opened") > ms("/open_ms/build"));
        for before in ["opened", "device"] {
            let before = ms(&format!("/start_ms/{before}"));
            assert!(before <= ms("/start_ms/uploaded"));
        }
        assert!(ms("/start_ms/uploaded") < ms("/first_frame_ms"));
    }
    let text = folder
        .run("bench good.pfmap --frames 1 --size 32x32")
        .expect(0)
        .stdout;
    assert!(text.contains("textured quad"), "{text}");
}

#[test]
fn edges_are_smooth_if_asked_for_and_bench_says_what_that_takes() {
    let folder = good();
    let bench = |more: &str| {
        let args = format!("bench good.pfmap --json --frames 1 --size 64x48 {more}");
        folder.run(&args).expect(0).json()
    };
    for samples in [1, 4_u64] {
        let bench = bench(&format!("--msaa {samples}"));
        assert_eq!(bench["samples"], samples);
        // Colour and depth of each sample, and with several samples the resolved colour.
        let each = if samples == 1 { 2 } else { 2 * samples + 1 };
        assert_eq!(bench["target_bytes"], 64 * 48 * 4 * each);
    }
    let picture = |more: &str| {
        let args = format!("render demo:drakeling -o a.png --force --size 64x48 {more}");
        folder.run(&args).expect(0);
        fs::read(folder.path("a.png")).unwrap()
    };
    assert!(picture("--msaa 4") != picture("--msaa 1"));
    let adapters = |more: &str| {
        let args = format!("info --adapters --json {more}");
        let adapters = folder.run(&args).expect(0).json()["adapters"].take();
        adapters.as_array().unwrap().clone()
    };
    for adapter in adapters("") {
        let wanted = if adapter["type"] == "software" { 1 } else { 4 };
        assert_eq!(adapter["samples"], wanted, "{adapter:#}");
    }
    for adapter in adapters("--msaa 4") {
        assert_eq!(adapter["samples"], 4, "{adapter:#}");
    }
    let refused = folder.run("--msaa 3 render good.pfmap -o a.png").expect(2);
    assert!(
        refused.stderr.contains("[possible values: 1, 4]"),
        "{refused:?}"
    );
}

#[test]
fn without_a_graphics_adapter_pictures_are_status_2_and_the_rest_works() {
    let folder = good();
    let run = |args: &str| {
        let mut command = folder.command();
        command
            .args(args.split_whitespace())
            .env("WGPU_BACKEND", "vulkan");
        command
            .env("VK_DRIVER_FILES", "/no/such")
            .env("VK_ICD_FILENAMES", "/no/such");
        Outcome::of(command)
    };
    for args in [
        "render good.pfmap -o a.png --size 8x8",
        "bench good.pfmap --json --frames 1 --size 8x8",
    ] {
        let outcome = run(args).expect(2);
        assert!(
            outcome.stderr.contains("no graphics adapter"),
            "{outcome:?}"
        );
        assert_eq!(outcome.stdout, "");
    }
    assert!(!folder.path("a.png").exists());
    run("info good.pfmap --json").expect(0);
    run("check good.pfmap").expect(0);
}

#[test]
fn where_there_is_no_vulkan_opengl_draws_and_the_list_says_why() {
    let folder = good();
    let run = |args: &str, has_vulkan: bool| {
        let mut command = folder.command();
        command.args(args.split_whitespace());
        command.env_remove("WGPU_BACKEND");
        if !has_vulkan {
            command
                .env("VK_DRIVER_FILES", "/no/such")
                .env("VK_ICD_FILENAMES", "/no/such");
        }
        Outcome::of(command)
    };
    let adapters = |args: &str, has_vulkan| {
        let args = format!("info --adapters --json {args}");
        let outcome = run(&args, has_vulkan);
        let adapters = outcome.json()["adapters"].as_array().unwrap().clone();
        let chosen = adapters.iter().filter(|adapter| adapter["chosen"] == true);
        let chosen: Vec<Value> = chosen.cloned().collect();
        assert!(chosen.len() <= 1, "{adapters:?}");
        outcome.expect(if chosen.is_empty() { 2 } else { 0 });
        (adapters, chosen.into_iter().next())
    };
    let (without_vulkan, chosen) = adapters("", false);
    let is_gl = |adapter: &Value| adapter["backend"] == "gl";
    if !without_vulkan.iter().any(is_gl) || !cfg!(target_os = "linux") {
        skip(Need::OpenGl, "there is no OpenGL");
        return;
    }
    assert!(without_vulkan.iter().all(is_gl), "{without_vulkan:?}");
    let chosen = chosen.unwrap();
    let why = "OpenGL, since no Vulkan, Metal or Direct3D 12 adapter was found";
    assert_eq!(chosen["reason"], why);
    let outcome = run("bench good.pfmap --json --frames 1 --size 8x8", false).expect(0);
    let name = chosen["name"].as_str().unwrap();
    assert_eq!(outcome.json()["adapter"], format!("{name} (gl)"));
    let (all, chosen) = adapters("--backend gl", true);
    assert_eq!(chosen.unwrap()["reason"], "asked for by --backend");
    for other in all.iter().filter(|adapter| !is_gl(adapter)) {
        assert_eq!(other["reason"], "another interface was asked for");
    }
    let text = run("--backend gl info --adapters", true).expect(0).stdout;
    assert!(
        text.contains(name) && text.contains("asked for by --backend"),
        "{text}"
    );
    let refused = run(
        "render good.pfmap -o a.png --backend metal --size 8x8",
        true,
    )
    .expect(2);
    assert!(
        refused.stderr.contains("no graphics adapter"),
        "{refused:?}"
    );
    let (others, chosen) = adapters("--backend metal", true);
    assert_eq!((others.len(), chosen), (all.len(), None));
}

#[test]
fn an_interface_that_there_is_not_is_refused_wherever_it_is_named() {
    let folder = good();
    for args in [
        "render good.pfmap -o a.png --size 8x8",
        "bench good.pfmap --frames 1 --size 8x8",
        "info --adapters",
    ] {
        let mut command = folder.command();
        command.args(args.split_whitespace());
        command.env("WGPU_BACKEND", "vulkan,bogus");
        let outcome = Outcome::of(command).expect(2);
        let said = "WGPU_BACKEND names `bogus`; expected vulkan, gl, metal or dx12";
        assert!(outcome.stderr.contains(said), "{args}: {outcome:?}");
        assert!(!folder.path("a.png").exists());
    }
}

#[test]
fn names_with_spaces_and_letters_of_all_kinds_work() {
    let folder = good();
    let name = "größe 日本 %20.PFMAP";
    fs::copy(folder.path("good.pfmap"), folder.path(name)).unwrap();
    let info = folder.run_args(["info", "--json", name]).expect(0).json();
    assert_eq!(info["file"], name);
    folder
        .run_args(["render", name, "-o", "bild ü.png", "--size", "8x8"])
        .expect(0);
    assert!(folder.path("bild ü.png").exists());
    // A file named like a command, and one named like an option.
    fs::copy(folder.path("good.pfmap"), folder.path("info")).unwrap();
    fs::copy(folder.path("good.pfmap"), folder.path("--json")).unwrap();
    folder.run("info ./info").expect(0);
    folder.run("info -- --json").expect(0);
}

#[test]
fn a_closed_pipe_does_not_change_the_status() {
    let folder = good();
    folder.write("bad.pfmap", map("grass.png", "xyz"));
    for (args, status) in [
        ("info good.pfmap --json", 0),
        ("--help", 0),
        ("info good.pfmap", 0),
        ("info bad.pfmap", 1),
        ("check bad.pfmap good.pfmap", 1),
        ("check good.pfmap bad.pfmap --json", 1),
        ("diff good.pfmap bad.pfmap", 1),
        ("check --list-rules", 0),
        ("export good.pfmap -o - --to csv", 0),
        ("convert good.pfmap -", 0),
        ("render good.pfmap -o - --size 8x8", 0),
        ("render good.pfmap -o - --size 8x8 --raw --turntable 3", 0),
        ("render demo:village -o - --view flat", 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = folder.command();
        let args = args.split_whitespace();
        let output = command.args(args.clone()).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
        assert!(!stderr.contains("standard output"), "{args:?}: {stderr}");
    }
}

#[test]
fn a_picture_goes_to_standard_output_where_it_is_asked_for() {
    let folder = good();
    let mut command = folder.command();
    command.args("render good.pfmap --size 8x6 -o -".split_whitespace());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let picture = image::load_from_memory(&output.stdout).unwrap();
    assert_eq!([picture.width(), picture.height()], [8, 6]);
    assert!(!folder.path("-").exists());
}

#[test]
fn nothing_is_written_over_by_surprise() {
    let folder = good();
    let before = fs::read(folder.path("good.pfmap")).unwrap();
    folder.write("notes.png", "not a picture");
    fs::hard_link(folder.path("good.pfmap"), folder.path("twin.png")).unwrap();
    for (output, reason) in [
        ("good.pfmap", "ends in .png"),
        ("a.jpg", "ends in .png"),
        ("a", "ends in .png"),
        ("grass.png", "never overwritten"),
        ("twin.png", "never overwritten"),
        ("notes.png", "--force"),
    ] {
        let args = format!("render good.pfmap --size 8x8 -o {output}");
        let exists = folder.path(output).exists();
        let outcome = folder.run(&args).expect(2);
        assert!(outcome.stderr.contains(reason), "{output}: {outcome:?}");
        assert_eq!(folder.path(output).exists(), exists, "{output}");
    }
    let forced = "render good.pfmap --size 8x8 --force -o";
    for output in ["good.pfmap", "grass.png", "twin.png"] {
        folder.run(&format!("{forced} {output}")).expect(2);
    }
    assert_eq!(fs::read(folder.path("good.pfmap")).unwrap(), before);
    assert_eq!(
        fs::read(folder.path("notes.png")).unwrap(),
        b"not a picture"
    );
    // A PNG is replaced by a PNG; other files only with `--force`.
    folder.run(&format!("{forced} notes.png")).expect(0);
    folder
        .run("render good.pfmap --size 4x4 -o notes.png")
        .expect(0);
    let picture = image::open(folder.path("notes.png")).unwrap();
    assert_eq!([picture.width(), picture.height()], [4, 4]);
}

#[test]
fn nothing_is_called_an_error_where_there_is_no_desktop() {
    let folder = good();
    let mut command = folder.command();
    command.args("render good.pfmap --size 8x8 -o a.png".split_whitespace());
    for variable in ["XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY"] {
        command.env_remove(variable);
    }
    let outcome = Outcome::of(command).expect(0);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn output_that_cannot_be_written_is_status_2() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        skip(Need::System, "there is no /dev/full");
        return;
    }
    let folder = good();
    let output = fs::OpenOptions::new().write(true).open(full).unwrap();
    let mut command = folder.command();
    let output = command
        .args(["info", "good.pfmap", "--json"])
        .stdout(output)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("standard output"),
        "{output:?}"
    );
}

#[test]
fn what_a_file_says_does_not_drive_the_terminal() {
    let folder = good();
    folder.write(
        "sly.pfmap",
        map("grass.png\u{1b}[2J", "\u{1b}]0;x\u{7}0001001100100000"),
    );
    for args in ["check sly.pfmap", "info sly.pfmap"] {
        let outcome = folder.run(args);
        let raw = |c: char| c.is_control() && c != '\n';
        assert!(!outcome.stdout.contains(raw), "{outcome:?}");
        assert!(!outcome.stderr.contains(raw), "{outcome:?}");
    }
}

#[test]
fn a_map_of_the_corpus_opens_without_a_problem() {
    let Some(demo) = shared("corpus/permafrost/assets/maps/demo.pfmap") else {
        return;
    };
    let folder = Folder::new();
    let demo = demo.to_str().unwrap();
    let info = folder.run_args(["info", "--json", demo]).expect(0).json();
    assert_eq!(info["tiles"]["count"], 16384);
    let check = folder.run_args(["check", demo]).expect(0);
    assert_eq!(check.stdout, "");
    assert!(
        check.stderr.contains("74 notes (--notes lists them)"),
        "{check:?}"
    );
    let notes = folder.run_args(["check", "--notes", demo]).expect(0).stdout;
    assert_eq!(notes.lines().count(), 74, "{notes}");
    assert!(
        notes.lines().all(|line| line.contains(": note: ")),
        "{notes}"
    );
    let json = folder.run_args(["check", "--json", demo]).expect(0).json();
    assert_eq!(json["problems"], serde_json::json!([]));
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(74));
    assert_eq!(json["notes"][0]["rule"], "pfmap/unused-material");
}

#[test]
fn the_demo_map_is_built_in_and_has_all_tile_types() {
    let folder = Folder::new();
    let info = folder.run("info demo:terrain --json").expect(0).json();
    assert_eq!(info["file"], "demo:terrain");
    let counts = info["tiles"]["by_type"].as_object().unwrap();
    assert!(
        counts.values().all(|count| count.as_u64() > Some(0)),
        "{counts:?}"
    );
    let found = |material: &Value| material["found"] == true;
    assert!(
        info["materials"].as_array().unwrap().iter().all(found),
        "{info:#}"
    );
    folder.run("check demo:terrain").expect(0);
    folder
        .run("render demo:terrain -o demo.png --size 64x48")
        .expect(0);
    assert!(folder.path("demo.png").exists());
}

#[test]
fn the_demo_without_a_name_is_a_scene_that_is_seen_from_where_it_looks_best() {
    let folder = Folder::new();
    let info = folder.run("info demo: --json").expect(0).json();
    assert_eq!(
        [&info["file"], &info["format"]],
        [&json!("demo:"), &json!("pfscene")]
    );
    assert_eq!(info["problems"], json!([]));
    assert_eq!(folder.run("check demo:").expect(0).stdout, "");
    let mut pictures = Vec::new();
    for (name, more) in [
        ("a.png", ""),
        ("b.png", "--camera 70,120,130,-100,0,-20"),
        ("c.png", "--view iso"),
    ] {
        let args = format!("render demo: -o {name} --size 64x48 {more}");
        folder.run(&args).expect(0);
        pictures.push(fs::read(folder.path(name)).unwrap());
    }
    assert!(pictures[0] == pictures[1], "the pose of the demo");
    assert!(pictures[0] != pictures[2], "the view that is asked for");
}

#[test]
fn clips_of_the_demos_are_within_their_bounds() {
    let folder = Folder::new();
    let info = folder.run("info demo:drakeling --json").expect(0).json();
    assert_eq!(info["problems"], json!([]));
    for clip in info["clips"].as_array().unwrap() {
        assert!(clip["bounds_error"].as_f64().unwrap() < 1e-3, "{clip}");
    }
    let still = folder.run("info demo:barrel --json").expect(0).json();
    assert_eq!(still["clips"], json!([]));
}

#[test]
fn a_clip_is_drawn_frame_by_frame() {
    let folder = Folder::new();
    let picture = |name: &str| image::open(folder.path(name)).unwrap().into_rgb8();
    let draw = |name: &str, more: &str| {
        let args = format!("render demo:drakeling --size 64x48 -o {name} {more}");
        folder.run(&args).expect(0);
        picture(name)
    };
    let frames = draw_all(&folder, "4..7");
    assert_eq!(frames, ["walk_004.png", "walk_005.png", "walk_006.png"]);
    for name in &frames {
        let number: u32 = name[5..8].parse().unwrap();
        let alone = draw("alone.png", &format!("--clip Walk --frame {number}"));
        assert!(picture(name) == alone, "{name} is another frame");
    }
    assert!(picture("walk_004.png") != picture("walk_006.png"));
    // By default, the first frame of the first clip.
    assert!(draw("a.png", "") == draw("b.png", "--clip Idle --frame 0"));
    assert!(draw("a.png", "") != draw("b.png", "--clip none"));
    // A frame number between two frames.
    let between = draw("c.png", "--clip Walk --frame 4.5");
    assert!(between != picture("walk_004.png") && between != picture("walk_005.png"));
}

/// Names of the pictures of a range of frames, in order.
fn draw_all(folder: &Folder, frames: &str) -> Vec<String> {
    let args = format!(
        "render demo:drakeling --size 64x48 --clip Walk --frames {frames} -o walk_%03d.png"
    );
    folder.run(&args).expect(0);
    let files = fs::read_dir(folder.path("")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn clips_and_frames_that_are_not_there_are_named() {
    let folder = good();
    for (args, said) in [
        ("demo:drakeling --clip Fly -o a.png", "Idle, Walk, Jump"),
        ("demo:drakeling --clip Walk --frame 32 -o a.png", "0 to 31"),
        (
            "demo:drakeling --clip Walk --frames 0..33 -o a%d.png",
            "0 to 31",
        ),
        ("demo:drakeling --frames 0..3 -o a.png", "walk_%03d.png"),
        ("demo:barrel --clip Walk -o a.png", "this file has none"),
        (
            "demo:barrel --frame 0 -o a.png",
            "this file has no animation",
        ),
        (
            "good.pfmap --frame 0 -o a.png",
            "this file has no animation",
        ),
        (
            "demo:drakeling --attach nosuch=good.pfmap -o a.png",
            "--attach: joint `nosuch` not found; this file has ",
        ),
        (
            "demo:drakeling --attach head=good.pfmap -o a.png",
            "--attach: good.pfmap: it is not a model",
        ),
        (
            "demo:drakeling --attach head=gone.pfobj -o a.png",
            "gone.pfobj",
        ),
        (
            "demo:drakeling --attach head -o a.png",
            "such as hand_r=sword.pfobj",
        ),
        (
            "good.pfmap --attach head=a.pfobj -o a.png",
            "this file has none",
        ),
        ("demo:dragon -o a.png", "demo:drakeling"),
    ] {
        let outcome = folder.run(&format!("render --size 8x8 {args}")).expect(2);
        assert!(outcome.stderr.contains(said), "{args}: {outcome:?}");
        assert_eq!(outcome.stdout, "");
        assert!(!folder.path("a.png").exists() && !folder.path("a0.png").exists());
    }
}

#[test]
fn levels_are_cut_open_and_what_is_not_there_is_named() {
    let folder = good();
    let map = synthesize::pmf([1, 2, 1], 2, 7);
    folder.write("made.pmf", pmf::write(&map, pmf::Packing::Stored).unwrap());
    let draw = |name: &str, args: &str| {
        let args = format!("render made.pmf --size 64x48 {args} -o {name}");
        folder.run(&args).expect(0);
        fs::read(folder.path(name)).unwrap()
    };
    let whole = draw("whole.png", "--level 0 --cut -999,-999,-999,999,999,999");
    // Any two opposite corners are valid.
    assert!(whole == draw("same.png", "--cut 999,-999,-999,-999,999,999"));
    assert!(whole != draw("open.png", "--cut 999,0,999,-999,-999,-999"));
    for (args, said) in [
        (
            "made.pmf --level 3",
            "level 3 not found; this file has only level 0",
        ),
        ("made.pmf --level -1", "--level"),
        ("good.pfmap --level 0", "this file has no levels"),
        ("made.pmf --level 1.5", "expected a whole number from 0"),
        ("good.pfmap --cut 0,0,0,1,1,1", "--cut needs a level"),
        ("made.pmf --cell-depth 2", "add --overlay cells"),
        (
            "good.pfmap --cell-depth 2",
            "--cell-depth needs the overlay `cells`; this file has",
        ),
        ("made.pmf --light nosuch=3", "light `nosuch` not found"),
        ("made.pmf --light nosuch", "such as 201=0"),
        ("made.pmf --light 201=256", "such as 201=0"),
        ("made.pmf --cut 1,2,3,4,5", "two corners"),
        ("made.pmf --cut 1,2,3,4,5,nan", "two corners"),
    ] {
        for command in ["render -o a.png", "bench --frames 1"] {
            let outcome = folder
                .run(&format!("{command} --size 8x8 {args}"))
                .expect(2);
            assert!(outcome.stderr.contains(said), "{args}: {outcome:?}");
        }
    }
    assert!(!folder.path("a.png").exists());
}

#[test]
fn bench_draws_crowds_of_models_with_one_draw_for_each_material() {
    let folder = good();
    let bench = |more: &str| {
        let args = format!("bench demo:drakeling --json --frames 2 --size 32x32 {more}");
        folder.run(&args).expect(0).json()
    };
    // The backdrop is one triangle.
    let model = |bench: &Value| bench["triangles"].as_u64().unwrap() - 1;
    let (one, crowd) = (bench(""), bench("--instances 40"));
    assert!(model(&crowd) < model(&one) * 10, "they are simplified");
    let of_mesh = |more: &str| bench(&format!("--overlay normals {more}"));
    let (one, crowd) = (of_mesh(""), of_mesh("--instances 40"));
    assert_eq!(crowd["draw_calls"], one["draw_calls"]);
    assert_eq!(model(&crowd), model(&one) * 40);
    assert!(crowd["palettes_ms"]["median"].is_number() && one["palettes_ms"].is_null());
    let outcome = folder.run("bench good.pfmap --instances 2 --frames 1 --size 8x8");
    assert!(outcome.expect(2).stderr.contains("needs a model"));
}

#[test]
fn a_place_of_a_2d_map_is_told_as_text_and_json() {
    let folder = good();
    let json = folder
        .run("info demo:village --tile 36,10 --json")
        .expect(0)
        .json();
    let tile = &json["tile"];
    assert_eq!((&tile["x"], &tile["y"]), (&json!(36), &json!(10)));
    let layers = tile["layers"].as_array().unwrap();
    let numbers: Vec<_> = layers.iter().map(|layer| layer["layer"].as_u64()).collect();
    assert_eq!(numbers, [0, 1, 2, 3].map(Some), "the lowest first");
    for layer in layers {
        assert_eq!(
            layer["obstructed"],
            json!(true),
            "water is in the way: {layer}"
        );
        assert_eq!((&layer["x"], &layer["y"]), (&json!(36), &json!(10)));
        assert!(layer["tile"].is_u64(), "{layer}");
    }
    assert!(tile["zones"].is_array());
    let text = folder
        .run("info demo:village --tile 36,10")
        .expect(0)
        .stdout;
    let of_tile = text.split("\ntile\n").nth(1).unwrap();
    let lines = of_tile
        .lines()
        .filter(|line| line.contains("obstructed yes"));
    assert_eq!(lines.count(), 4, "{of_tile}");
    let station = folder
        .run("info demo:station --tile 0,0 --json")
        .expect(0)
        .json();
    let layers = station["tile"]["layers"].as_array().unwrap();
    assert!(!layers.is_empty());
    assert!(layers.iter().all(|layer| layer["obstructed"].is_null()));
}

/// Each overlay changes the picture of a whole map, and overlays add up.
#[test]
fn overlays_are_in_flat_pictures_without_a_graphics_adapter() {
    let folder = good();
    let draw = |overlays: &[&str]| {
        let overlays: Vec<String> = overlays
            .iter()
            .map(|id| format!("--overlay {id}"))
            .collect();
        let args = format!(
            "render demo:village -o a.png --view flat {}",
            overlays.join(" ")
        );
        folder.run(&args).expect(0);
        fs::read(folder.path("a.png")).unwrap()
    };
    let plain = draw(&[]);
    let mut pictures = vec![plain.clone()];
    for overlays in [
        &["obstruction"][..],
        &["zones"],
        &["obstruction", "zones"],
        &["entities"],
        &["grid"],
        &["layer-frames"],
    ] {
        let picture = draw(overlays);
        assert!(!pictures.contains(&picture), "{overlays:?}");
        pictures.push(picture);
    }
    assert!(
        draw(&["zones", "obstruction"]) == pictures[3],
        "in any order"
    );
    assert!(draw(&["still"]) == plain, "nothing moves in it");
}

#[test]
fn thumbnails_are_small_and_replace_no_other_file() {
    let folder = Folder::new();
    // `info` returns status 1, but a file manager must get its picture.
    let broken = RAMP.replacen('1', "D", 1);
    folder.write("broken.pfmap", map("grass.png", &broken));
    let harbour = mapscope_testdata::root().join("assets/maps/harbour.map");
    fs::copy(&harbour, folder.path("harbour.map")).unwrap();
    // File managers pass an empty file with a random name.
    folder.write("thumb.XXXX", "");
    folder.run("info broken.pfmap").expect(1);
    for (file, size) in [("broken.pfmap", [48, 48]), ("harbour.map", [48, 36])] {
        folder
            .run(&format!("thumbnail --size 48 {file} thumb.XXXX"))
            .expect(0);
        let bytes = fs::read(folder.path("thumb.XXXX")).unwrap();
        let image = image::load_from_memory(&bytes).unwrap();
        assert_eq!([image.width(), image.height()], size, "{file}");
        let colors = image
            .to_rgb8()
            .pixels()
            .map(|pixel| pixel.0)
            .collect::<BTreeSet<_>>();
        assert!(colors.len() > 4, "{file}: {colors:?}");
    }
    folder.write("note.txt", "kept");
    for out in ["note.txt", "harbour.map"] {
        folder
            .run(&format!("thumbnail harbour.map {out}"))
            .expect(2);
    }
    assert_eq!(fs::read(folder.path("note.txt")).unwrap(), b"kept");
}
