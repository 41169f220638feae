//! The documents: links have targets, commands parse, examples print the documented output, and all
//! commands, options and keys are documented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mapscope::commands;
use mapscope_scene::{
    ArchiveItem, Item, LevelItem, ModelItem, SceneItem, TerrainItem, TileMapItem,
};
use serde_json::Value;

use super::cli::{RAMP, map};
use super::contract::{info, written_files};
use super::folder::{Folder, Outcome};
use super::schema;

/// The page of commands and JSON keys.
const COMMANDS: &str = "docs/commands.md";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Paths of all documents of the project.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![
        root().to_owned(),
        root().join("docs"),
        root().join("crates"),
    ];
    while let Some(folder) = folders.pop() {
        let is_root = folder == root();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !is_root && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The lines of a document outside of code blocks.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The targets of the links and images of a document.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let ends = text.split("](").skip(1);
    ends.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
        .collect()
}

/// The anchor of a heading, as forges generate it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let text = prose(text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// The table has a row with the forms of items for each kind of document.
#[test]
fn all_forms_of_items_are_in_the_table() {
    let documents: [Item; 6] = [
        TerrainItem::Map.into(),
        ModelItem::Model.into(),
        SceneItem::Scene.into(),
        LevelItem::Map.into(),
        TileMapItem::Map.into(),
        ArchiveItem::Archive.into(),
    ];
    let text = read(COMMANDS);
    for item in documents {
        let row = format!(" | `{}` |", item.sibling_forms().join("`, `"));
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn every_link_in_the_documents_leads_somewhere() {
    let mut broken = Vec::new();
    let mut checked = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            checked += 1;
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => document.clone(),
                path => document.parent().unwrap().join(path),
            };
            let is_good = target.exists()
                && (heading.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap()).contains(heading));
            if !is_good {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(checked > 30, "{checked}");
}

/// The files and folders of this repository that CONTRIBUTING.md names exist.
#[test]
fn every_path_for_contributors_exists() {
    const ROOTS: [&str; 6] = ["crates/", "src/", "tests/", "shaders/", "docs/", "scripts/"];
    let text = read("CONTRIBUTING.md");
    let paths = text.split('`').skip(1).step_by(2).filter(|code| {
        let is_below = ROOTS.iter().any(|root| code.starts_with(root));
        is_below && !code.contains(['<', ' ', '*'])
    });
    let paths: Vec<&str> = paths.collect();
    assert!(paths.len() > 10, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "{path}");
    }
}

/// The code blocks of a document: language and lines.
fn blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => open = Some((language, Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    blocks
}

/// The arguments of a command as a shell splits them. Quotes group words; a comment, pipe or
/// redirection ends the command.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '|' | '#' | '>' if !is_quoted => break,
            c if c.is_whitespace() && !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_in_the_documents_can_be_typed() {
    let mut count = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for (_, lines) in blocks(&text) {
            for line in lines {
                let line = line.trim_start_matches("$ ");
                // A description follows its command after at least two spaces.
                let line = line.split("  ").next().unwrap_or_default();
                if !line.starts_with("mapscope ") {
                    continue;
                }
                let parsed = commands::parse(words(line).into_iter().map(Into::into));
                assert!(parsed.is_ok(), "{}: {line}", document.display());
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

/// Creates the files that the examples use.
fn examples() -> Folder {
    let folder = Folder::new();
    for name in ["grass.png", "rock.png"] {
        let picture = image::RgbImage::from_pixel(16, 16, image::Rgb([90, 110, 60]));
        picture.save(folder.path(name)).unwrap();
    }
    folder.write("castle.pfmap", map("grass.png", RAMP));
    let broken = RAMP.replacen('1', "D", 1);
    folder.write("broken.pfmap", map("grass.png", &broken));
    let keep = RAMP.replacen("+01", "+04", 1);
    folder.write("keep.pfmap", map("grass.png", &keep));
    for name in ["harbour.map", "harbour.vsp"] {
        fs::copy(root().join("assets/maps").join(name), folder.path(name)).unwrap();
    }
    folder
}

/// `true` if lines match a pattern, in which `…` matches any number of lines.
fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines.first() == Some(first) && matches(rest, &lines[1..]),
    }
}

#[test]
fn examples_print_what_the_documents_say() {
    let mut count = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let consoles = blocks(&text)
            .into_iter()
            .filter(|(language, _)| *language == "console");
        for (_, lines) in consoles {
            let folder = examples();
            let mut status = None;
            let mut lines = lines.as_slice();
            while let Some((command, rest)) = lines.split_first() {
                let end = rest.iter().position(|line| line.starts_with("$ "));
                let (expected, next) = rest.split_at(end.unwrap_or(rest.len()));
                let command = command.strip_prefix("$ ").unwrap();
                let printed = if command == "echo $?" {
                    format!("{}", status.unwrap())
                } else {
                    let command = words(command);
                    let args = command.iter().skip(1).map(String::as_str);
                    let Outcome {
                        status: ended,
                        stdout,
                        stderr,
                    } = folder.run_args(args);
                    status = ended;
                    [stdout, stderr].concat()
                };
                let found: Vec<&str> = printed.trim_end().lines().collect();
                assert!(
                    matches(expected, &found) || found.is_empty() && expected.is_empty(),
                    "{}: {command}\nexpected {expected:#?}\nfound {found:#?}",
                    document.display()
                );
                count += 1;
                lines = next;
            }
        }
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn every_command_and_option_is_in_the_documents() {
    let text = read(COMMANDS);
    let folder = Folder::new();
    let help = folder.run("--help").expect(0).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty());
    let names = names.map(|line| line.split_whitespace().next().unwrap());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() >= 5, "{names:?}");
    let mut missing = Vec::new();
    for name in names {
        if !text.contains(&format!("`mapscope {name}`")) {
            missing.push(name.to_owned());
        }
        let help = folder.run(&format!("{name} --help")).expect(0).stdout;
        let lines = help.lines().map(str::trim_start);
        let options = lines
            .filter(|line| line.starts_with('-'))
            .filter_map(|line| {
                let (_, option) = line.split_once("--")?;
                let end = option.find(|c: char| c != '-' && !c.is_alphanumeric());
                Some(&option[..end.unwrap_or(option.len())])
            });
        for option in options.filter(|option| !matches!(*option, "help" | "version")) {
            let is_there = |end: &str| text.contains(&format!("`--{option}{end}"));
            if !is_there("`") && !is_there(" ") {
                missing.push(format!("{name} --{option}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in {COMMANDS}: {missing:#?}");
}

#[test]
fn every_format_has_a_page_and_stands_in_the_readme() {
    let folder = root().join("docs/formats");
    let pages = fs::read_dir(folder).unwrap();
    let pages = pages.map(|page| fs::read_to_string(page.unwrap().path()).unwrap());
    let pages: Vec<String> = pages.collect();
    let readme = read("README.md");
    let mut missing = Vec::new();
    for format in mapscope_scene::formats() {
        for ending in format.endings {
            let name = format!("`.{ending}`");
            let names = |page: &String| page.lines().take(8).any(|line| line.contains(&name));
            if !pages.iter().any(names) || !readme.contains(&name) {
                missing.push(name);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// Collects the paths of all keys of a value; `[]` matches every element of a list.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                let path = below(key);
                paths(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(values) => {
            for value in values {
                paths(value, &below("[]"), found);
            }
        }
        _ => {}
    }
}

/// The keys in the first column of the tables, by heading.
fn documented(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut heading = String::new();
    for line in text.lines() {
        if line.starts_with('#') {
            heading = line.trim_matches(['#', ' ', '`']).to_owned();
        }
        let Some(row) = line.strip_prefix("| `") else {
            continue;
        };
        let cell = row.split(" | ").next().unwrap_or_default();
        let keys = cell.split('`').step_by(2).filter(|key| !key.is_empty());
        let section = sections.entry(heading.clone()).or_default();
        section.extend(keys.map(str::to_owned));
    }
    sections
}

#[test]
fn every_json_key_is_in_the_documents_and_the_other_way_round() {
    let sections = documented(&read(COMMANDS));
    let folder = Folder::new();
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |info: &Value| {
        let format = info["format"].as_str().unwrap().to_owned();
        paths(info, "", keys.entry(format).or_default());
    };
    for written in written_files(&folder) {
        add(&info(&folder, &written, &written.options).unwrap());
    }
    // Content that the synthetic files lack.
    for demo in ["demo:", "demo:bathhouse", "demo:station"] {
        add(&folder.run(&format!("info --json {demo}")).json());
    }
    let formats: BTreeSet<&str> = mapscope_scene::formats().map(|format| format.id).collect();
    assert!(keys.keys().map(String::as_str).eq(formats), "{keys:#?}");
    let mut wrong = Vec::new();
    let mut shared_keys: BTreeSet<&String> = sections["Navigation"].iter().collect();
    shared_keys.extend(&sections["2D maps"]);
    for (format, found) in keys {
        shared_keys.retain(|key| !found.contains(*key));
        let shared = match format.as_str() {
            "pfmap" | "pfscene" => "Navigation",
            "pfobj" | "pmf" => "",
            _ => "2D maps",
        };
        let of_format = ["Every format", &format, shared].into_iter();
        let told = of_format.filter_map(|heading| sections.get(heading));
        let told: BTreeSet<&String> = told.flatten().collect();
        let is_below = |path: &str, above: &str| {
            let rest = path.strip_prefix(above);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        // A row also covers all keys below its own.
        for path in &found {
            let mut told = told.iter();
            if !told.any(|key| is_below(path, key) || is_below(key, path)) {
                wrong.push(format!("{format}: {path} is not documented"));
            }
        }
        let own = sections["Every format"].iter().chain(&sections[&format]);
        for key in own.filter(|key| !found.contains(*key)) {
            wrong.push(format!("{format}: {key} is documented and not there"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(shared_keys.is_empty(), "no format has {shared_keys:?}");
}

#[test]
fn every_key_of_bench_is_in_the_documents() {
    let told = &documented(&read(COMMANDS))["Bench"];
    let bench = "bench demo:drakeling --json --frames 2 --size 64x48 --instances 2";
    let bench = Folder::new().run(bench).expect(0).json();
    // Textures of a scene are loaded later.
    let scene = "bench demo: --json --frames 1 --size 64x48";
    let scene = Folder::new().run(scene).expect(0).json();
    let views = "bench demo:barrel --json --frames 1 --size 64x48 --all-views";
    let views = Folder::new().run(views).expect(0).json();
    let keys = [bench, scene, views].map(|it| it.as_object().unwrap().clone());
    let found = keys.iter().flat_map(|it| it.keys()).cloned();
    assert_eq!(*told, found.collect::<BTreeSet<String>>());
}

/// Runs only the smallest sizes.
#[test]
fn the_suite_writes_a_report_as_it_is_documented_and_its_curves() {
    let folder = Folder::new();
    let suite = "bench --suite --sizes 1 --frames 1 --size 64x48 -o report.json";
    folder.run(suite).expect(0);
    let report = fs::read_to_string(folder.path("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let told = &documented(&read(COMMANDS))["Suite"];
    let found = report.as_object().unwrap().keys().cloned();
    assert_eq!(*told, found.collect::<BTreeSet<String>>());
    schema::assert_valid(&report, "suite");
    let files = report["files"].as_array().unwrap();
    let formats = files.iter().map(|file| file["format"].as_str().unwrap());
    let formats: Vec<&str> = formats.collect();
    let all = ["pfmap", "pfobj", "p3m", "pfscene", "pmf", "ika-map", "xmf"];
    assert_eq!(formats, all);
    for file in files {
        let views = file["views"].as_array().unwrap().len();
        let is_flat = ["ika-map", "xmf"].contains(&file["format"].as_str().unwrap());
        assert_eq!(views, if is_flat { 7 } else { 6 }, "{}", file["file"]);
        assert!(file["ratios"]["parse"].as_f64().unwrap() > 0.0);
    }
    folder.run("bench --plot report.json -o curves").expect(0);
    folder.write("cut.json", "{\n  \"files\": [");
    folder.write("other.json", "{\"problems\": []}");
    folder.write(
        "odd.json",
        r#"{"files": [{"format": "pmf", "bytes": 1}, 7]}"#,
    );
    for (file, said) in [
        ("none.json", "there is no such file; expected a report of"),
        ("cut.json", "2:12: invalid JSON; expected a report of"),
        ("other.json", "missing list `files`; expected a report of"),
        (
            "odd.json",
            "files[1]: found `7`; expected an object with `format` and `bytes`",
        ),
    ] {
        let refused = folder.run(&format!("bench --plot {file} -o odd")).expect(2);
        let said = format!("--plot {file}: {said}");
        assert!(refused.stderr.contains(&said), "{refused:?}");
    }
    for args in ["demo: --sizes 2", "--plot report.json -o odd --sizes 2"] {
        let refused = folder.run(&format!("bench {args}")).expect(2);
        assert!(refused.stderr.contains("--sizes"), "{refused:?}");
    }
    let frame = fs::read_to_string(folder.path("curves/frame.svg")).unwrap();
    let page = fs::read_to_string(folder.path("curves/figures.md")).unwrap();
    for format in all {
        assert!(frame.contains(&format!(">{format}<")), "{format}");
        assert!(page.contains(&format!("\n## {format}\n")), "{format}");
    }
    let refused = folder
        .run("bench --plot curves/frame.svg -o curves")
        .expect(2);
    assert!(
        refused.stderr.contains("--plot curves/frame.svg"),
        "{refused:?}"
    );
}

#[test]
fn every_key_of_diff_is_in_the_documents() {
    let told = &documented(&read(COMMANDS))["Differences in JSON"];
    let told: BTreeSet<&str> = told.iter().map(String::as_str).collect();
    let diff = examples().run("diff castle.pfmap keep.pfmap --json");
    let diff = diff.expect(1).json();
    let found: BTreeSet<&str> = diff
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(told, found);
    let row = read(COMMANDS);
    let row = row
        .lines()
        .find(|line| line.starts_with("| `differences`"))
        .unwrap();
    for key in diff["differences"][0].as_object().unwrap().keys() {
        assert!(row.contains(&format!("`{key}`")), "{key}");
    }
}
