//! The JSON Schema of the JSON output of commands: `mapscope info --schema`.
//!
//! It is derived from the types of the output ([`super::json`]) and from the field tables of the
//! formats. `docs/schema/mapscope.schema.json` is a copy, and tests validate every output against
//! it.

#![expect(
    clippy::needless_pass_by_value,
    reason = "parts of the schema are written inline"
)]

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::json::{
    AdaptersOutput, AssetsOutput, BenchOutput, DiffOutput, FileOutput, NamedFileOutput,
    PictureDiffOutput, ProblemOutput, ReloadOutput, RuleOutput, SuiteOutput, TargetsOutput,
    Unreadable,
};
use mapscope_scene::{FieldKey, GroupKeys, InfoKeys, ItemKeys, ValueType, info_keys, item_keys};

/// Version of the schema. The first number increases when a key is removed or changes its meaning,
/// the second when keys are added.
const VERSION: &str = "2.0";

/// The whole schema.
pub fn schema() -> Value {
    let mut types = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut outputs: Vec<Value> = [
        types.subschema_for::<FileOutput>(),
        types.subschema_for::<Unreadable>(),
        types.subschema_for::<AssetsOutput>(),
        types.subschema_for::<Vec<RuleOutput>>(),
        types.subschema_for::<AdaptersOutput>(),
        types.subschema_for::<TargetsOutput>(),
        types.subschema_for::<DiffOutput>(),
        types.subschema_for::<BenchOutput>(),
        types.subschema_for::<SuiteOutput>(),
        types.subschema_for::<ReloadOutput>(),
        types.subschema_for::<PictureDiffOutput>(),
    ]
    .map(Value::from)
    .into();
    let problem = Value::from(types.subschema_for::<ProblemOutput>());
    let named_file = Value::from(types.subschema_for::<NamedFileOutput>());
    let mut definitions = types.take_definitions(true);
    let mut define = |name: &str, schema: Value| {
        definitions.insert(name.to_owned(), schema);
    };
    define("place", place());
    for (formats, kinds) in item_keys() {
        let kinds = kinds.iter().map(item);
        define(
            &items_name(&formats),
            json!({"anyOf": kinds.collect::<Value>()}),
        );
    }
    for (format, InfoKeys { keys, optional }) in info_keys() {
        let mut all = vec![
            ("file", text()),
            ("format", json!({"const": format})),
            ("version", or_null(text())),
            ("problems", list(problem.clone())),
            ("notes", list(problem.clone())),
            ("files", list(named_file.clone())),
        ];
        let of_format = item_keys()
            .into_iter()
            .find(|(ids, _)| ids.contains(&format));
        let items = of_format.map_or(json!({}), |(ids, _)| defined(&items_name(&ids)));
        all.push(("objects", list(items.clone())));
        all.push(("items?", list(items.clone())));
        let found = object(&[
            ("query", text()),
            ("count", integer()),
            ("listed", integer()),
            ("items", list(items)),
        ]);
        all.push(("found?", found));
        let mut object = object(&all);
        for field in keys.iter().chain(&optional) {
            object["properties"][&*field.key] = of_type(field.ty);
        }
        if let Some(required) = object["required"].as_array_mut() {
            required.extend(keys.iter().map(|field| Value::from(&*field.key)));
        }
        define(format, object);
        outputs.push(defined(format));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:mapscope:json:{VERSION}"),
        "title": format!("JSON output of Mapscope, version {VERSION}"),
        "description": "An object that `mapscope info`, `check`, `diff`, `bench` and `export --list` print with \
                        --json, or the report of `bench --suite`. docs/commands.md describes the keys. Keys may be \
                        added.",
        "anyOf": outputs,
        "$defs": definitions,
    })
}

/// The id of a format; null for a file without one.
pub(super) fn format_id(_: &mut SchemaGenerator) -> Schema {
    let ids = mapscope_scene::formats().map(|format| Value::from(format.id));
    let ids: Vec<Value> = ids.chain([Value::Null]).collect();
    json_schema!({ "enum": ids })
}

/// A place in a file.
fn place() -> Value {
    object(&[
        ("line?", integer()),
        ("last_line?", integer()),
        ("column?", integer()),
        ("offset?", integer()),
        ("length?", integer()),
        ("section?", text()),
    ])
}

/// The schema of a type. Every value can be null.
fn of_type(ty: ValueType) -> Value {
    or_null(match ty {
        ValueType::Flag => flag(),
        ValueType::Integer => integer(),
        ValueType::Number => json!({"type": "number"}),
        ValueType::Text | ValueType::Bytes => text(),
        ValueType::Place => defined("place"),
        ValueType::Numbers(count) => list_of(count, number()),
        ValueType::Integers(count) => list_of(count, integer()),
        ValueType::List(of) => list(of_type(*of)),
        ValueType::ByName(of) => by_name(of_type(*of)),
        ValueType::Object([]) => return json!({}),
        ValueType::Object(keys) => {
            let keys = keys.iter().map(|(key, ty)| (*key, of_type(*ty)));
            object(&keys.collect::<Vec<_>>())
        }
        ValueType::Record(keys) => record(&keys()),
        ValueType::Records(keys) => list(record(&keys())),
    })
}

/// An object with fields, all of which are required.
fn record(keys: &[FieldKey]) -> Value {
    let mut record = fields(keys);
    record["required"] = keys.iter().map(|field| Value::from(&*field.key)).collect();
    record
}

/// An object with fields, none of which is required.
fn fields(keys: &[FieldKey]) -> Value {
    let keys = keys.iter().map(|field| {
        let mut schema = of_type(field.ty);
        if !field.name.is_empty() {
            schema["title"] = field.name.into();
        }
        (field.key.to_string(), schema)
    });
    json!({"type": "object", "properties": keys.collect::<Map<_, _>>()})
}

/// A key and the schema of its value. A trailing `?` marks an optional key.
type Key = (&'static str, Value);

fn object(keys: &[Key]) -> Value {
    let name = |key: &str| key.trim_end_matches('?').to_owned();
    let properties: Map<String, Value> = keys
        .iter()
        .map(|(key, value)| (name(key), value.clone()))
        .collect();
    let required = keys.iter().filter(|(key, _)| !key.ends_with('?'));
    let required: Value = required.map(|(key, _)| name(key)).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// An object that is keyed by names.
fn by_name(of: Value) -> Value {
    json!({"type": "object", "additionalProperties": of})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn list_of(count: usize, of: Value) -> Value {
    json!({"type": "array", "items": of, "minItems": count, "maxItems": count})
}

fn or_null(mut of: Value) -> Value {
    match of.get_mut("type") {
        Some(Value::String(of_type)) => of["type"] = json!([&*of_type, "null"]),
        Some(_) => {}
        None => of = json!({"anyOf": [of, {"type": "null"}]}),
    }
    of
}

fn defined(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn integer() -> Value {
    json!({"type": "integer"})
}

/// A number from a file; null if it is not finite.
fn number() -> Value {
    json!({"type": ["number", "null"]})
}

fn items_name(formats: &[&str]) -> String {
    format!("item_of_{}", formats.join("_").replace('-', "_"))
}

/// An item of a kind, with its known groups of fields; an open item may have further groups.
fn item(keys: &ItemKeys) -> Value {
    let groups = keys
        .groups
        .iter()
        .map(|group| (group.key.clone(), group_of(group)));
    let groups: Map<String, Value> = groups.collect();
    let mut item = object(&[("item", text()), ("name", or_null(text()))]);
    item["properties"]["kind"] = json!({"const": keys.kind});
    let mut fields = json!({"type": "object", "properties": groups});
    fields["additionalProperties"] = if keys.is_open {
        by_name(json!({}))
    } else {
        false.into()
    };
    item["properties"]["fields"] = fields;
    item["required"] = json!(["item", "kind", "name", "fields"]);
    item
}

fn group_of(group: &GroupKeys) -> Value {
    let mut object = fields(&group.keys);
    object["additionalProperties"] = if group.is_open {
        json!({})
    } else {
        false.into()
    };
    match &*group.key {
        "corners" => list(object),
        _ => object,
    }
}
