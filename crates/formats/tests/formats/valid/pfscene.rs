//! Scenes (fact sheet C).

pub(super) use mapscope_formats::pfscene::read;
use mapscope_formats::pfscene::{Attributes, Pfscene, Value};

use super::{GeneratedFile, Random, Reading};

/// Attributes that the engine knows, and their types; every entity has the first three.
const KNOWN: [(&str, &str); 11] = [
    ("position", "vec3"),
    ("scale", "vec3"),
    ("rotation", "quat"),
    ("animated", "bool"),
    ("idle_clip", "string"),
    ("selection_radius", "float"),
    ("static", "bool"),
    ("collision", "bool"),
    ("vision_range", "float"),
    ("class", "string"),
    ("selectable", "bool"),
];
/// Custom keys, most of them similar to first words of other lines.
const OWN: [&str; 16] = [
    "tag",
    "entity",
    "num_regions",
    "region",
    "section",
    "camera",
    "faction",
    "num_entities",
    "diplomacy",
    "color",
    "deactivate_script",
    "positions",
    "version",
    "skybox",
    "pitch",
    "argument",
];
const TYPES: [&str; 7] = ["string", "int", "float", "bool", "vec2", "vec3", "quat"];

fn value(value: &Value) -> String {
    match value {
        Value::Arguments(list) => {
            let list = list.iter().map(|argument| self::value(&argument.value));
            format!("arguments {:?}", list.collect::<Vec<_>>())
        }
        Value::Tags(list) => {
            let list = list.iter().map(|tag| &tag.text);
            format!("tags {:?}", list.collect::<Vec<_>>())
        }
        other => format!("{other:?}"),
    }
}

fn attributes(list: &Attributes) -> String {
    let all = list
        .0
        .iter()
        .map(|it| format!(" | {} {}", it.key, value(&it.value)));
    all.collect()
}

pub(super) fn describe(scene: Pfscene) -> Reading {
    let mut records = Vec::new();
    let general = &scene.general;
    let skybox = general.skybox.as_ref();
    records.extend(skybox.map(|it| format!("skybox {:?} {}", it.value.folder, it.value.extension)));
    let ambient = general.ambient_light_color.iter();
    records.extend(ambient.map(|it| format!("ambient_light_color {:?}", it.value)));
    let sun = general.emit_light_color.iter();
    records.extend(sun.map(|it| format!("emit_light_color {:?}", it.value)));
    let sun = general.emit_light_pos.iter();
    records.extend(sun.map(|it| format!("emit_light_pos {:?}", it.value)));
    for it in &scene.factions {
        records.push(format!(
            "faction {:?}{}",
            it.name,
            attributes(&it.attributes)
        ));
    }
    for it in &scene.diplomacy {
        records.push(format!(
            "diplomacy {} {} {}",
            it.faction, it.other, it.state
        ));
    }
    for it in &scene.entities {
        records.push(format!(
            "entity {} {}{}",
            it.name,
            it.model,
            attributes(&it.attributes)
        ));
    }
    for it in &scene.regions {
        records.push(format!(
            "region {} {}{}",
            it.name,
            it.shape_type,
            attributes(&it.attributes)
        ));
    }
    for it in &scene.cameras {
        records.push(format!("camera {}{}", it.name, attributes(&it.attributes)));
    }
    let problems = scene.problems;
    Reading { records, problems }
}

/// A value as text after its type, and as it is read.
fn some_value(random: &mut Random, kind: &str, key: &str) -> (String, String) {
    match (kind, key) {
        (_, "rotation") => {
            let (x, z) =
                random.pick(&[("0.6", "0.8"), ("-0.8", "0.6"), ("1", "-0"), ("1e0", "0.0")]);
            let [x_read, z_read]: [f32; 2] = [x, z].map(|text| text.parse().unwrap());
            let read = Value::Quat([0.0, x_read, 0.0, z_read]);
            (format!("0.0 {x} 0 {z}"), value(&read))
        }
        (_, "scale") => {
            let sizes = [(); 3].map(|()| random.fresh());
            let [x, y, z] = sizes;
            (
                format!("{x}.5 {y} {z}.25"),
                value(&Value::Vec3([x as f32 + 0.5, y as f32, z as f32 + 0.25])),
            )
        }
        ("string", "class") => {
            let text = random.name();
            (text.clone(), value(&Value::String(text)))
        }
        ("string", _) => {
            let text = random.pick(&["", "two words ", "\"quoted\" ", "it's ", "float 1 "]);
            let text = format!("{text}{}", random.name());
            (text.clone(), value(&Value::String(text)))
        }
        ("int", _) => {
            let number = random.int();
            (number.to_string(), value(&Value::Int(number)))
        }
        ("bool", _) => {
            let is_set = random.below(2) == 1;
            (u8::from(is_set).to_string(), value(&Value::Bool(is_set)))
        }
        ("float", _) => {
            let (text, read) = random.number();
            match text.strip_prefix('-') {
                Some(text) if !key.is_empty() => (text.to_owned(), value(&Value::Float(-read))),
                _ => (text, value(&Value::Float(read))),
            }
        }
        ("vec2", _) => {
            let (text, read) = random.numbers(" ");
            (text, value(&Value::Vec2(read)))
        }
        ("vec3", _) => {
            let (text, read) = random.numbers(" ");
            (text, value(&Value::Vec3(read)))
        }
        _ => {
            let (text, read) = random.numbers(" ");
            (text, value(&Value::Quat(read)))
        }
    }
}

/// Writes an attribute and returns its expected text.
fn attribute(made: &mut GeneratedFile, random: &mut Random, key: &str, kind: &str) -> String {
    let (text, read) = some_value(random, kind, key);
    line(made, random, &format!("{key} {kind} {text}"));
    format!(" | {key} {read}")
}

fn line(made: &mut GeneratedFile, random: &mut Random, text: &str) {
    let indent = if random.odd(4) {
        random.pick(&["", " ", "\t", "        "])
    } else {
        "   "
    };
    made.line(&format!("{indent}{text}"));
}

fn entity(made: &mut GeneratedFile, random: &mut Random, factions: usize) {
    let start = made.bytes.len();
    let mut keys = KNOWN.to_vec();
    keys.truncate(3 + random.count(KNOWN.len() - 3));
    if random.is_odd {
        let mut own = OWN;
        random.shuffle(&mut own);
        keys.extend(
            own.into_iter()
                .take(random.below(5))
                .map(|key| (key, random.pick(&TYPES))),
        );
    }
    if random.below(2) == 0 {
        keys.push(("tags", ""));
    }
    if random.below(3) == 0 {
        keys.push(("constructor_arguments", ""));
    }
    if factions > 0 && random.below(2) == 0 {
        keys.push(("faction_id", ""));
    }
    random.shuffle(&mut keys);
    let name = match random.pick(&["", "", "entity", "tag"]) {
        same if random.is_odd && !same.is_empty() => same.to_owned(),
        _ => random.name(),
    };
    let model = format!("assets/models/{}.pfobj", random.name());
    line(
        made,
        random,
        &format!("entity {name} {model} {}", keys.len()),
    );
    let mut says = format!("entity {name} {model}");
    for (key, kind) in keys {
        match key {
            "faction_id" => {
                let faction = random.below(factions);
                line(made, random, &format!("faction_id int {faction}"));
                says += &format!(" | faction_id Int({faction})");
            }
            "tags" | "constructor_arguments" => {
                let count = random.count(3);
                line(made, random, &format!("{key} int {count}"));
                let mut list = Vec::new();
                for _ in 0..count {
                    if key == "tags" {
                        list.push(random.name());
                        line(made, random, &format!("tag \"{}\"", list[list.len() - 1]));
                    } else {
                        let kind = random.pick(&TYPES);
                        let (text, read) = some_value(random, kind, "");
                        line(made, random, &format!("{kind} {text}"));
                        list.push(read);
                    }
                }
                let list_kind = if key == "tags" { "tags" } else { "arguments" };
                says += &format!(" | {key} {list_kind} {list:?}");
            }
            _ => says += &attribute(made, random, key, kind),
        }
    }
    made.record(start, says);
}

fn general(made: &mut GeneratedFile, random: &mut Random) {
    let mut lines = [
        "skybox",
        "ambient_light_color",
        "emit_light_color",
        "emit_light_pos",
    ];
    random.shuffle(&mut lines);
    for key in lines {
        let start = made.bytes.len();
        let colors = [(); 4].map(|()| random.below(256));
        let (position, read) = random.numbers::<3>(" ");
        let name = random.name();
        let [r, g, b, a] = colors;
        let (text, says) = match key {
            "skybox" => (
                format!("\"sky {name}\" jpg"),
                format!("skybox {:?} jpg", format!("sky {name}")),
            ),
            "emit_light_pos" => (position, format!("{key} {read:?}")),
            _ => (format!("{r} {g} {b} {a}"), format!("{key} {colors:?}")),
        };
        line(made, random, &format!("{key} {text}"));
        made.record(start, says);
    }
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut made = GeneratedFile::text(random);
    let is_1_1 = random.below(2) == 0;
    let counts = [(); 4].map(|()| random.count(3));
    let [factions, entities, regions, cameras] = counts;
    let mut sections = vec!["factions", "entities", "regions", "cameras"];
    if is_1_1 {
        sections.push("general");
    }
    if random.is_odd {
        random.shuffle(&mut sections);
        made.warn("pfscene/attribute-key");
    }
    made.piece(if is_1_1 { "version 1.1" } else { "version 1.0" });
    made.piece(&format!("num_sections {}", sections.len()));
    for section in sections {
        made.piece(&format!("section \"{section}\""));
        match section {
            "factions" => {
                made.piece(&format!("num_factions {factions}"));
                for _ in 0..factions {
                    let start = made.bytes.len();
                    let name = format!("The {}", random.name());
                    line(&mut made, random, &format!("faction \"{name}\""));
                    let [r, g, b] = [(); 3].map(|()| random.below(256) as f32);
                    let key = if random.odd(4) { "colour" } else { "color" };
                    line(
                        &mut made,
                        random,
                        &format!("{key} vec3 {r:.6} {g:.6} {b:.6}"),
                    );
                    let mut says = format!("faction {name:?} | {key} {:?}", Value::Vec3([r, g, b]));
                    if is_1_1 {
                        says += &attribute(&mut made, random, "controllable", "bool");
                    }
                    made.record(start, says);
                }
                let pairs = (0..factions).flat_map(|a| (0..factions).map(move |b| (a, b)));
                for (a, b) in pairs.filter(|_| is_1_1) {
                    let start = made.bytes.len();
                    let state = (a + b) % 2;
                    line(&mut made, random, &format!("diplomacy {a} {b} {state}"));
                    made.record(start, format!("diplomacy {a} {b} {state}"));
                }
            }
            "entities" => {
                made.piece(&format!("num_entities {entities}"));
                for _ in 0..entities {
                    entity(&mut made, random, factions);
                }
            }
            "regions" => {
                made.piece(&format!("num_regions {regions}"));
                for _ in 0..regions {
                    let start = made.bytes.len();
                    let (name, kind) = (random.name(), random.below(2));
                    line(&mut made, random, &format!("region {name} {kind} 2"));
                    // A rectangle, and a circle.
                    let size = random.fresh();
                    let (extent, read) = [
                        (
                            format!("dimensions vec2 {size}.5 {size}"),
                            format!(
                                "dimensions {:?}",
                                Value::Vec2([size as f32 + 0.5, size as f32])
                            ),
                        ),
                        (
                            format!("radius float {size}.25"),
                            format!("radius {:?}", Value::Float(size as f32 + 0.25)),
                        ),
                    ][kind]
                        .clone();
                    let is_swapped = random.odd(2);
                    let mut says = format!("region {name} {kind}");
                    if is_swapped {
                        says += &attribute(&mut made, random, "pos", "vec2");
                    }
                    line(&mut made, random, &extent);
                    says += &format!(" | {read}");
                    if !is_swapped {
                        says += &attribute(&mut made, random, "pos", "vec2");
                    }
                    made.record(start, says);
                }
            }
            "cameras" => {
                made.piece(&format!("num_cameras {cameras}"));
                for _ in 0..cameras {
                    let start = made.bytes.len();
                    let name = random.name();
                    line(&mut made, random, &format!("camera {name}"));
                    let keys = if random.odd(2) {
                        ["position", "yaw", "pitch"]
                    } else {
                        ["pos", "pitch", "yaw"]
                    };
                    let kinds = ["vec3", "float", "float"];
                    let all: String = keys
                        .iter()
                        .zip(kinds)
                        .map(|(key, kind)| attribute(&mut made, random, key, kind))
                        .collect();
                    made.record(start, format!("camera {name}{all}"));
                }
            }
            _ => general(&mut made, random),
        }
    }
    made
}
