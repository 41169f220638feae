//! The JSON Schema: the page matches the program, and every output matches the schema without
//! unknown keys.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mapscope::commands;
use mapscope_scene::demo::DEMOS;
use mapscope_scene::{OpenOptions, Playhead, Progress, find_items, open};
use mapscope_testdata::shared;
use serde_json::{Value, json};

use super::contract::written_files;
use super::folder::Folder;

const PAGE: &str = "docs/schema/mapscope.schema.json";

#[test]
fn the_schema_of_the_documents_is_that_of_the_program() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let text = format!("{:#}\n", commands::schema());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::create_dir_all(page.parent().unwrap()).unwrap();
        fs::write(&page, &text).unwrap();
    }
    let says = fs::read_to_string(&page).unwrap_or_default();
    assert!(says == text, "write {PAGE} anew with UPDATE_SCHEMA=1");
    assert_eq!(Folder::new().run("info --schema").expect(0).stdout, text);
}

/// A validator for the subset of JSON Schema that the program uses. Keys that the schema does not
/// list are errors.
struct Schema(Value);

impl Schema {
    fn new() -> Self {
        Self(commands::schema())
    }

    /// Paths of a value that violate a schema, with the reason.
    fn wrong(&self, value: &Value, schema: &Value, path: &str) -> Vec<String> {
        // `true` allows everything.
        let Some(schema) = schema.as_object() else {
            assert_eq!(schema, true);
            return Vec::new();
        };
        let mut wrong = Vec::new();
        for (word, says) in schema {
            match word.as_str() {
                "$ref" => {
                    let name = says.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    let of = self.0["$defs"].get(name);
                    let of = of.unwrap_or_else(|| panic!("no definition of {name}"));
                    wrong.extend(self.wrong(value, of, path));
                }
                "anyOf" => {
                    wrong.extend(self.best_violations(value, says.as_array().unwrap(), path));
                }
                "const" if value != says => wrong.push(format!("{path} is {value}, not {says}")),
                "enum" if !says.as_array().unwrap().contains(value) => {
                    wrong.push(format!("{path} is {value}, none of {says}"));
                }
                "type" if !is_of_types(value, says) => {
                    wrong.push(format!("{path} is {value}, not of {says}"));
                }
                "minimum" if value.as_f64() < says.as_f64() => {
                    wrong.push(format!("{path} is {value}, below {says}"));
                }
                "minItems" if value.as_array().is_some_and(|it| it.len() < count(says)) => {
                    wrong.push(format!("{path} has less than {says}"));
                }
                "maxItems" if value.as_array().is_some_and(|it| it.len() > count(says)) => {
                    wrong.push(format!("{path} has more than {says}"));
                }
                "items" => {
                    let values = value.as_array().into_iter().flatten();
                    wrong.extend(values.flat_map(|it| self.wrong(it, says, &format!("{path}[]"))));
                }
                "required" if value.is_object() => {
                    let keys = says
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|key| key.as_str().unwrap());
                    let missing = keys.filter(|key| value.get(key).is_none());
                    wrong.extend(missing.map(|key| format!("{path}.{key} is not there")));
                }
                "const"
                | "enum"
                | "type"
                | "minimum"
                | "minItems"
                | "maxItems"
                | "properties"
                | "required"
                | "additionalProperties"
                | "$schema"
                | "$id"
                | "$defs"
                | "title"
                | "description"
                | "default"
                | "format" => {}
                word => panic!("the test does not know `{word}`"),
            }
        }
        let is_closed = schema
            .get("type")
            .is_some_and(|says| *says == "object" || *says == json!(["object", "null"]));
        for (key, value) in value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|_| is_closed)
        {
            let path = format!("{path}.{key}");
            let known = schema.get("properties").and_then(|known| known.get(key));
            match known.or_else(|| schema.get("additionalProperties")) {
                Some(of) if *of != false => wrong.extend(self.wrong(value, of, &path)),
                _ => wrong.push(format!("{path} is not in the schema")),
            }
        }
        wrong
    }

    /// The violations of the best matching schema; empty if one matches.
    fn best_violations(&self, value: &Value, schemas: &[Value], path: &str) -> Vec<String> {
        let all = schemas.iter().map(|schema| self.wrong(value, schema, path));
        let is_kind = |wrong: &String| wrong.contains(".format is") || wrong.contains(".kind is");
        let rank = |wrong: &Vec<String>| (wrong.iter().any(is_kind), wrong.len());
        all.min_by_key(rank).unwrap_or_default()
    }

    #[track_caller]
    fn assert_valid(&self, value: &Value, definition: &str, what: &str) {
        let schema = json!({"$ref": format!("#/$defs/{definition}")});
        let wrong = self.wrong(value, &schema, "");
        assert!(wrong.is_empty(), "{what}: {wrong:#?}");
        let whole = self.wrong(value, &self.0, "");
        assert!(whole.is_empty(), "{what}: {whole:#?}");
    }

    /// Validates the output of `info --json` or `check --json` for one file.
    #[track_caller]
    fn assert_file_valid(&self, value: &Value, is_info: bool, what: &str) {
        let is_refused = value["version"].is_null();
        let definition = match value["format"].as_str() {
            None if value.get("error").is_some() => "unreadable",
            Some(format) if is_info && !is_refused => format,
            _ => "checked",
        };
        self.assert_valid(value, definition, what);
    }
}

/// Validates an output against its definition.
#[track_caller]
pub(crate) fn assert_valid(value: &Value, definition: &str) {
    Schema::new().assert_valid(value, definition, definition);
}

fn count(number: &Value) -> usize {
    number.as_u64().unwrap() as usize
}

fn is_of_types(value: &Value, types: &Value) -> bool {
    let is_of = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        name => panic!("{name}"),
    };
    match types {
        Value::Array(types) => types.iter().any(is_of),
        name => is_of(name),
    }
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_test_of_the_schema_finds_what_is_wrong() {
    let schema = Schema::new();
    let good = json!({"file": "a", "error": "b"});
    let wrong = |value: &Value| schema.wrong(value, &json!({"$ref": "#/$defs/unreadable"}), "");
    assert_eq!(wrong(&good), [""; 0]);
    let mut more = good.clone();
    more["reason"] = "c".into();
    assert_eq!(wrong(&more), [".reason is not in the schema"]);
    assert_eq!(wrong(&json!({"file": "a"})), [".error is not there"]);
    assert_eq!(
        wrong(&json!({"file": 1, "error": "b"})),
        [".file is 1, not of \"string\""]
    );
    assert!(!schema.wrong(&more, &schema.0, "").is_empty());
    // Definitions with optional keys must be closed, or an incomplete output would pass as a
    // smaller one.
    assert_eq!(schema.0["$defs"]["checked"]["additionalProperties"], false);
}

#[test]
fn what_is_said_of_files_is_as_the_schema_says() {
    let schema = Schema::new();
    let folder = Folder::new();
    let mut formats = BTreeMap::new();
    for written in written_files(&folder) {
        for options in [&[][..], &written.options] {
            let args = ["info", "--json", written.name].into_iter();
            let outcome = folder.run_args(args.chain(options.iter().map(String::as_str)));
            let info = outcome.json();
            *formats.entry(info["format"].to_string()).or_insert(0) += 1;
            schema.assert_file_valid(&info, true, written.name);
        }
        // Truncated files, and files with a changed byte.
        let bytes = fs::read(folder.path(written.name)).unwrap();
        let ending = written.name.rsplit('.').next().unwrap();
        for part in 1..6 {
            let mut broken = bytes.clone();
            let at = bytes.len() * part / 6;
            if part % 2 == 0 {
                broken.truncate(at);
            } else {
                broken[at] ^= 0x15;
            }
            folder.write(&format!("broken{part}.{ending}"), broken);
        }
    }
    assert_eq!(formats.len(), mapscope_scene::formats().count());
    folder.write("odd.pfobj", "no model");
    let check = folder.run("check --json --assets .");
    let checked = lines(&check.stdout);
    assert!(checked.len() > 50, "{}", checked.len());
    let (assets, checked) = checked.split_last().unwrap();
    schema.assert_valid(assets, "assets", "assets");
    let mut names = Vec::new();
    for checked in checked {
        schema.assert_file_valid(checked, false, "check");
        names.push(checked["file"].as_str().unwrap());
    }
    let told = folder.run_args(["info", "--json"].into_iter().chain(names.iter().copied()));
    let told = lines(&told.stdout);
    assert_eq!(told.len(), names.len());
    for info in &told {
        schema.assert_file_valid(info, true, info["file"].as_str().unwrap());
    }
    let rules = folder.run("check --list-rules --json").expect(0).json();
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/rule"}});
    for of in [&list, &schema.0] {
        let wrong = schema.wrong(&rules, of, "");
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    let diff = folder.run("diff --json a.pfmap b.pfmap").json();
    schema.assert_valid(&diff, "diff", "diff");
    let bench = "bench demo:drakeling --json --frames 2 --size 64x48 --instances 2";
    let bench = folder.run(bench).expect(0).json();
    schema.assert_valid(&bench, "bench", "bench");
    let adapters = folder.run("info --adapters --json").expect(0).json();
    schema.assert_valid(&adapters, "adapters", "adapters");
    for demo in [
        "demo:",
        "demo:bathhouse",
        "demo:station",
        "demo:village",
        "demo:drakeling",
    ] {
        let info = folder.run(&format!("info --json {demo}")).json();
        schema.assert_file_valid(&info, true, demo);
    }
}

#[test]
fn what_is_said_of_items_is_as_the_schema_says() {
    let schema = Schema::new();
    let mut seen = BTreeMap::new();
    for demo in DEMOS {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = open(&demo.source(), &options, &progress).unwrap();
        let document = &*document;
        let format = document.about().format.id;
        let whole = document.outline().into_iter().find_map(|line| line.item);
        for kind in whole.unwrap().sibling_kinds() {
            let found = find_items(document, kind).unwrap_or_default();
            for named in found.iter().step_by(found.len() / 3 + 1) {
                let item = json!({
                    "item": named.item.to_string(),
                    "kind": kind,
                    "name": named.name,
                    "fields": document.details(named.item, Playhead::at_frame(0, 0)),
                });
                let known = schema.0["$defs"][format]["properties"]["items"].clone();
                let what = format!("{}: {}", demo.id, named.item);
                // Headings that are not in the tables may contain only keys of one format.
                let wrong = schema.wrong(&json!([item]), &known, "");
                assert!(wrong.is_empty(), "{what}: {wrong:#?}");
                *seen.entry((format, *kind)).or_insert(0) += 1;
            }
        }
    }
    assert!(seen.len() > 30, "{seen:#?}");
}

#[test]
fn files_of_the_corpus_are_as_the_schema_says() {
    let Some(corpus) = shared("corpus") else {
        return;
    };
    let schema = Schema::new();
    let folder = Folder::new();
    let check = folder.run_args(["check", "--json", corpus.to_str().unwrap()]);
    let checked = lines(&check.stdout);
    let names: Vec<&str> = checked
        .iter()
        .map(|it| it["file"].as_str().unwrap())
        .collect();
    for checked in &checked {
        schema.assert_file_valid(checked, false, checked["file"].as_str().unwrap());
    }
    let told = folder.run_args(["info", "--json"].into_iter().chain(names.iter().copied()));
    for info in lines(&told.stdout) {
        schema.assert_file_valid(&info, true, info["file"].as_str().unwrap());
    }
}
