//! The JSON Schema of the JSON output of commands: `mapscope info --schema`.
//!
//! The keys of files and their parts are defined here; the keys of items come from the field
//! tables. `docs/schema/mapscope.schema.json` is a copy, and tests validate every output against
//! it.

#![expect(
    clippy::needless_pass_by_value,
    reason = "parts of the schema are written inline"
)]

use serde_json::{Map, Value, json};

use mapscope_scene::{GroupKeys, ItemKeys, item_keys};

/// Version of the schema. The first number increases when a key is removed or changes its meaning,
/// the second when keys are added.
const VERSION: &str = "1.1";

/// The whole schema.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    let mut define = |name: &str, schema: Value| {
        definitions.insert(name.to_owned(), schema);
    };
    define("problem", problem());
    define("named_file", named_file());
    define(
        "value",
        json!({"description": "A value as the inspector shows it"}),
    );
    define("navigation", navigation());
    define(
        "material",
        object(&[("name", text()), ("texture", text()), ("found", flag())]),
    );
    define("pfmap_tile", pfmap_tile());
    define("pmf_level", pmf_level());
    define("pmf_cube", pmf_cube());
    define("map_tile", map_tile());
    for (formats, kinds) in item_keys() {
        let name = items_name(&formats);
        // Fields that only one format of 2D maps has are grouped under other headings.
        let is_open = formats.len() > 1;
        let kinds = kinds.iter().map(|keys| item(keys, is_open));
        define(&name, json!({"anyOf": kinds.collect::<Value>()}));
    }
    let mut outputs = vec![
        "checked",
        "unreadable",
        "assets",
        "rules",
        "adapters",
        "diff",
        "bench",
        "suite",
    ];
    // Without this, all other outputs of a file would match too, since they have the same keys.
    let mut checked = common(None);
    for (key, value) in &mut checked {
        // A dangling link, or a file of another program, has no format.
        if *key == "format" {
            *value = or_null(value.take());
        }
    }
    // For a file without displayable content.
    checked.push(("error?", text()));
    let mut checked = object(&checked);
    checked["additionalProperties"] = json!(false);
    define("checked", checked);
    define("unreadable", object(&[("file", text()), ("error", text())]));
    define("assets", assets());
    let rule = object(&[
        ("id", text()),
        ("severity", severity()),
        ("summary", text()),
    ]);
    define("rules", list(rule));
    define("adapters", object(&[("adapters", list(adapter()))]));
    define("diff", diff());
    define("bench", object(&bench()));
    define("suite", suite());
    for (format, own) in formats() {
        let mut keys = common(Some(format));
        keys.extend(own);
        keys.push(("files", list(defined("named_file"))));
        let of_format = item_keys()
            .into_iter()
            .find(|(ids, _)| ids.contains(&format));
        let items = of_format.map_or(json!({}), |(ids, _)| defined(&items_name(&ids)));
        keys.push(("objects", list(items.clone())));
        keys.push(("items?", list(items)));
        define(format, object(&keys));
        outputs.push(format);
    }
    let outputs: Value = outputs.into_iter().map(defined).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:mapscope:json:{VERSION}"),
        "title": format!("JSON output of Mapscope, version {VERSION}"),
        "description": "An object that `mapscope info`, `check`, `diff` and `bench` print with --json, or the \
                        report of `bench --suite`. docs/commands.md describes the keys. Keys may be added.",
        "anyOf": outputs,
        "$defs": definitions,
    })
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

fn or_null(of: Value) -> Value {
    json!({"anyOf": [of, {"type": "null"}]})
}

fn defined(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn one_of(texts: &[&str]) -> Value {
    json!({"enum": texts})
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

/// A measured number.
fn millis() -> Value {
    json!({"type": "number", "minimum": 0})
}

fn severity() -> Value {
    one_of(&["error", "warning", "note"])
}

/// The keys that all formats share; `format` restricts them to one format.
fn common(format: Option<&str>) -> Vec<Key> {
    let ids = mapscope_scene::formats().map(|format| format.id);
    let format = match format {
        Some(format) => json!({"const": format}),
        None => one_of(&ids.collect::<Vec<_>>()),
    };
    vec![
        ("file", text()),
        ("format", format),
        ("version", or_null(text())),
        ("problems", list(defined("problem"))),
        ("notes", list(defined("problem"))),
    ]
}

fn problem() -> Value {
    object(&[
        ("severity", severity()),
        ("rule", text()),
        ("at", text()),
        ("message", text()),
        ("consequence_count?", integer()),
        ("consequences?", list(defined("problem"))),
    ])
}

fn named_file() -> Value {
    object(&[
        ("kind", text()),
        ("name", text()),
        ("path", or_null(text())),
        ("found", flag()),
        ("named_by", or_null(text())),
    ])
}

/// The additional keys of each format.
fn formats() -> Vec<(&'static str, Vec<Key>)> {
    let size = || list_of(2, integer());
    let materials = || list(defined("material"));
    let heights = list(object(&[("x", number()), ("z", number()), ("y", number())]));
    let entity = object(&[
        ("name", text()),
        ("model", text()),
        ("found", flag()),
        ("position", or_null(list_of(3, number()))),
        ("scale", or_null(list_of(3, number()))),
        ("rotation", or_null(list_of(4, number()))),
        ("faction", or_null(integer())),
        ("ground", number()),
    ]);
    let skybox = object(&[("folder", text()), ("extension", text()), ("found", flag())]);
    let general = object(&[
        ("skybox", or_null(skybox)),
        ("ambient_light_color", or_null(list_of(4, integer()))),
        ("emit_light_color", or_null(list_of(4, integer()))),
        ("emit_light_pos", or_null(list_of(3, number()))),
    ]);
    let clip = object(&[
        ("name", text()),
        ("frames", integer()),
        ("bounds_error", number()),
    ]);
    let joint = object(&[("name", text()), ("parent", or_null(integer()))]);
    let bounds = object(&[("min", list_of(3, number())), ("max", list_of(3, number()))]);
    let header = object(&[
        ("name", text()),
        ("description", text()),
        ("authors", text()),
        ("compiler", text()),
        ("time", integer()),
        ("gamemodes", list(text())),
    ]);
    let extension = object(&[
        ("name", text()),
        ("required", flag()),
        ("crc", flag()),
        ("bytes", integer()),
    ]);
    let map_layer = [
        ("label", text()),
        ("size", size()),
        ("parallax", list_of(4, integer())),
        ("tiles_sha256", text()),
    ];
    let text_layer = [
        &map_layer[..],
        &[("position", size()), ("wrap", list_of(2, flag()))],
    ]
    .concat();
    let of_tiles = || {
        let obstruction = object(&[
            ("layer", or_null(integer())),
            ("size", size()),
            ("obstructed", integer()),
            ("by_sides", flag()),
        ]);
        let left_out = object(&[
            ("what", text()),
            ("layer", or_null(integer())),
            ("read", integer()),
            ("of", or_null(integer())),
            ("why", text()),
        ]);
        [
            ("tile?", defined("map_tile")),
            ("obstruction", list(obstruction)),
            ("left_out", list(left_out)),
            ("loop_s", or_null(number())),
        ]
    };
    let with_tiles = |keys: Vec<Key>| -> Vec<Key> { keys.into_iter().chain(of_tiles()).collect() };
    let meta = || list(list_of(2, text()));
    vec![
        (
            "pfmap",
            vec![
                (
                    "chunks",
                    object(&[("rows", integer()), ("cols", integer())]),
                ),
                (
                    "tiles",
                    object(&[
                        ("count", integer()),
                        ("by_type", by_name(integer())),
                        ("unreadable", integer()),
                        ("missing", integer()),
                    ]),
                ),
                ("materials", materials()),
                ("splats", list(list_of(2, integer()))),
                ("navigation", defined("navigation")),
                ("tile?", defined("pfmap_tile")),
                ("heights?", heights),
            ],
        ),
        (
            "pfobj",
            vec![
                ("vertices", integer()),
                ("triangles", integer()),
                ("joints", list(joint)),
                ("materials", materials()),
                ("clips", list(clip)),
                ("lods?", list(text())),
                ("reversed_triangles", list(integer())),
                ("bent_triangles", list(integer())),
                ("unweighted_vertices", list(integer())),
                ("bounds", bounds),
            ],
        ),
        (
            "pfscene",
            vec![
                ("map", or_null(text())),
                ("entities", list(entity)),
                ("factions", list(text())),
                ("regions", list(text())),
                ("cameras", list(text())),
                ("general", general),
                ("navigation?", defined("navigation")),
            ],
        ),
        (
            "pmf",
            vec![
                ("header", header),
                ("archive", list(text())),
                ("extensions", list(extension)),
                ("entities", integer()),
                ("document", text()),
                ("levels", list(defined("pmf_level"))),
                ("cube?", defined("pmf_cube")),
            ],
        ),
        (
            "ika-map",
            with_tiles(vec![
                ("size", size()),
                ("tileset", text()),
                ("music", text()),
                ("start", size()),
                ("round", flag()),
                ("render_string", text()),
                ("layers", list(object(&map_layer))),
                ("zones", list(text())),
                ("entities", list(text())),
            ]),
        ),
        (
            "ika-map-text",
            with_tiles(vec![
                ("title", text()),
                ("meta", meta()),
                ("size", size()),
                ("size_px", size()),
                ("tileset", text()),
                ("layers", list(object(&text_layer))),
                ("zones", list(text())),
                ("entities", list(text())),
                ("waypoints", list(text())),
            ]),
        ),
        (
            "vsp",
            with_tiles(vec![
                ("tile_size", size()),
                ("tiles", integer()),
                ("bytes_per_pixel", integer()),
                ("strands", integer()),
                ("strand_list", list(list_of(4, integer()))),
                ("description", text()),
                ("meta", meta()),
                ("rgba_sha256", text()),
            ]),
        ),
        (
            "ppe-map",
            with_tiles(vec![
                ("size", size()),
                ("flags", integer()),
                ("user_flags", integer()),
                ("layout", one_of(&["old", "new"])),
                ("compression", text()),
                ("empty", or_null(integer())),
                ("cells_sha256", or_null(text())),
                ("graphics_attributes", flag()),
                ("logic_attribute_bits", integer()),
                ("xmf", or_null(text())),
            ]),
        ),
        (
            "xmf",
            with_tiles(vec![
                ("name", or_null(text())),
                ("resolution", or_null(list_of(2, integer()))),
                ("layers", list(xmf_layer())),
            ]),
        ),
    ]
}

fn navigation() -> Value {
    let island = object(&[
        ("island", integer()),
        ("cells", integer()),
        ("tile", list_of(2, integer())),
        ("x", number()),
        ("z", number()),
    ]);
    let domain = object(&[
        ("passable", integer()),
        ("unreachable", integer()),
        ("island_count", integer()),
        ("listed", integer()),
        ("islands", list(island)),
    ]);
    object(&[
        ("cells", integer()),
        ("blocked_by_entities", integer()),
        ("entities_left_out", integer()),
        ("ground", domain.clone()),
        ("water", domain),
    ])
}

/// An object with a value per corner of a tile.
fn corners(of: &Value) -> Value {
    object(&["nw", "ne", "sw", "se"].map(|corner| (corner, of.clone())))
}

fn pfmap_tile() -> Value {
    let state = [
        ("passable", flag()),
        ("blocked", or_null(text())),
        ("entity", or_null(text())),
        ("island", or_null(integer())),
    ];
    let cell = [&state[..], &[("water", or_null(object(&state)))]].concat();
    object(&[
        ("row", integer()),
        ("col", integer()),
        ("chunk", list_of(2, integer())),
        ("raw", or_null(text())),
        ("readable", flag()),
        ("missing", flag()),
        ("type", or_null(text())),
        ("base_height", or_null(integer())),
        ("ramp_height", or_null(integer())),
        ("top_material", or_null(integer())),
        ("side_material", or_null(integer())),
        ("pathable", or_null(flag())),
        ("walkable", or_null(flag())),
        ("blend", or_null(list_of(4, integer()))),
        ("blend_normals", or_null(flag())),
        ("bump", or_null(flag())),
        ("cover", or_null(integer())),
        ("corners", or_null(corners(&number()))),
        ("cells", corners(&object(&cell))),
    ])
}

/// A string of a PMF file; null if the string table does not contain it.
fn pmf_text() -> Value {
    or_null(text())
}

fn pmf_level() -> Value {
    let triple = || list_of(3, integer());
    let lightmap = object(&[("side", integer()), ("crc32", integer())]);
    let of_kind = object(&[("names", list(pmf_text())), ("default", pmf_text())]);
    let kinds = ["weather?", "gravity?", "sound?", "sky?"];
    let regions = kinds.map(|kind| (kind, list(pmf_text())));
    let regions = [&regions[..], &[("server?", list(integer()))]].concat();
    let chunk = object(&[
        ("index", triple()),
        ("readable", flag()),
        ("cubes", integer()),
        ("by_type", by_name(integer())),
        ("triangles", integer()),
        ("vertices", integer()),
        ("normals", integer()),
        ("lightmaps", list(lightmap)),
        ("entities", integer()),
        ("regions", or_null(object(&regions))),
    ]);
    object(&[
        ("materials", list(pmf_text())),
        ("grid", triple()),
        ("center", triple()),
        ("chunk_size", number()),
        ("entities", integer()),
        ("readable", flag()),
        (
            "environments",
            object(&kinds.map(|kind| (kind, of_kind.clone()))),
        ),
        ("chunks", list(chunk)),
    ])
}

fn pmf_cube() -> Value {
    let aabb = || or_null(list_of(2, list_of(3, number())));
    let wrapper = object(&[("index", integer()), ("type", text())]);
    let record = object(&[("offset", integer()), ("hex", text())]);
    object(&[
        ("type", text()),
        ("depth", or_null(integer())),
        ("parents", or_null(list(integer()))),
        ("wrappers", or_null(list(wrapper))),
        ("cell", aabb()),
        ("bounds", aabb()),
        ("materials", list(pmf_text())),
        ("lightmaps", list(integer())),
        ("faces", integer()),
        ("backfaces?", flag()),
        ("triangles", list_of(6, integer())),
        ("bytes", by_name(record)),
    ])
}

fn map_tile() -> Value {
    let layer = object(&[
        ("layer", integer()),
        ("name", text()),
        ("x", integer()),
        ("y", integer()),
        ("tile", or_null(integer())),
        ("obstructed", or_null(flag())),
        ("logic?", or_null(integer())),
        ("not_read?", list(one_of(&["tile", "obstructed", "logic"]))),
    ]);
    object(&[
        ("x", integer()),
        ("y", integer()),
        ("layers", list(layer)),
        ("zones", list(text())),
        ("not_read?", list(one_of(&["zones"]))),
    ])
}

fn xmf_layer() -> Value {
    let size = || list_of(2, integer());
    object(&[
        ("name", text()),
        ("number", or_null(integer())),
        ("kind", text()),
        ("priority", integer()),
        ("tile_size", size()),
        ("size", size()),
        ("tiles", integer()),
        ("map", or_null(text())),
        ("embedded", flag()),
        ("repeat", text()),
        ("scroll_rate", list_of(2, number())),
        ("rendering_mode", or_null(text())),
        (
            "boxes",
            list(list_of(6, json!({"type": ["string", "integer"]}))),
        ),
        (
            "sprites",
            list(list_of(5, json!({"type": ["string", "integer"]}))),
        ),
    ])
}

fn items_name(formats: &[&str]) -> String {
    format!("item_of_{}", formats.join("_").replace('-', "_"))
}

/// An item of a kind, with its known groups of fields; an open item may have further groups.
fn item(keys: &ItemKeys, is_open: bool) -> Value {
    let groups = keys
        .groups
        .iter()
        .map(|group| (group.key.clone(), group_of(group)));
    let groups: Map<String, Value> = groups.collect();
    let mut item = object(&[("item", text()), ("name", or_null(text()))]);
    item["properties"]["kind"] = json!({"const": keys.kind});
    let mut fields = json!({"type": "object", "properties": groups});
    if is_open {
        fields["additionalProperties"] = by_name(defined("value"));
    }
    item["properties"]["fields"] = fields;
    item["required"] = json!(["item", "kind", "name", "fields"]);
    item
}

fn group_of(group: &GroupKeys) -> Value {
    let keys = group.keys.iter().map(|(key, name)| {
        let says = if name.is_empty() {
            json!({})
        } else {
            json!({"title": name})
        };
        (key.clone(), says)
    });
    let object = json!({
        "type": "object",
        "properties": keys.collect::<Map<_, _>>(),
        "additionalProperties": defined("value"),
    });
    match &*group.key {
        "corners" => list(object),
        _ => object,
    }
}

fn assets() -> Value {
    let unused = object(&[("file", text()), ("rule", text()), ("severity", severity())]);
    let missing = object(&[
        ("rule", text()),
        ("message", text()),
        ("count", integer()),
        ("files", list(text())),
    ]);
    object(&[("unused", list(unused)), ("missing", list(missing))])
}

fn adapter() -> Value {
    object(&[
        ("name", text()),
        ("type", text()),
        ("backend", text()),
        ("driver", text()),
        ("samples", integer()),
        ("chosen", flag()),
        ("reason", text()),
    ])
}

fn diff() -> Value {
    let group = object(&[
        ("what", text()),
        ("changed", integer()),
        ("only_in_a", integer()),
        ("only_in_b", integer()),
    ]);
    let difference = object(&[
        ("what", text()),
        ("where", text()),
        ("in", list_of(2, flag())),
        ("at", list_of(2, or_null(text()))),
        ("fields", by_name(list_of(2, defined("value")))),
    ]);
    object(&[
        ("a", text()),
        ("b", text()),
        ("format", text()),
        ("same", flag()),
        ("complete", flag()),
        ("not_read", list_of(2, or_null(defined("problem")))),
        ("identical", flag()),
        ("count", integer()),
        ("listed", integer()),
        ("groups", list(group)),
        ("differences", list(difference)),
    ])
}

/// An object of measured numbers.
fn millis_of(keys: &[&'static str]) -> Value {
    let keys: Vec<Key> = keys.iter().map(|key| (*key, millis())).collect();
    object(&keys)
}

/// The keys of `bench` that every view has, with further baselines besides those of frames.
fn measured_view(floors: &[&'static str]) -> Vec<Key> {
    let on_gpu = ["reflection?", "shadow_map?", "frame?", "textured_quad?"];
    let floors = [&["clear", "textured_quad"], floors].concat();
    vec![
        ("frame_ms", millis_of(&["median", "min", "max"])),
        ("floor_ms", millis_of(&floors)),
        ("gpu_ms", or_null(millis_of(&on_gpu))),
        ("triangles", integer()),
        ("draw_calls", integer()),
        (
            "shadow_map",
            object(&[("draw_calls", integer()), ("triangles", integer())]),
        ),
    ]
}

fn bench() -> Vec<Key> {
    let ratios = [
        "read?",
        "parse?",
        "build?",
        "upload?",
        "first_frame?",
        "frame?",
        "frame_on_gpu?",
        "memory?",
    ];
    let mut view = measured_view(&[]);
    view.push(("view", text()));
    let mut keys = measured_view(&["copy", "empty_frame"]);
    keys.extend([
        ("file", text()),
        ("format", text()),
        ("bytes", integer()),
        ("size", list_of(2, integer())),
        ("adapter", text()),
        ("samples", integer()),
        ("open_ms", millis_of(&["read", "parse", "build", "upload"])),
        ("start_ms", millis_of(&["opened", "device", "uploaded"])),
        ("first_frame_ms", millis()),
        ("complete_ms?", millis()),
        ("frames", integer()),
        ("ratios", millis_of(&ratios)),
        ("views?", list(object(&view))),
        ("gpu_bytes", integer()),
        ("cpu_bytes", integer()),
        ("peak_bytes?", integer()),
        ("target_bytes", integer()),
        ("instances?", integer()),
        ("palettes_ms?", millis_of(&["median", "min"])),
    ]);
    keys
}

/// The report of `bench --suite`.
fn suite() -> Value {
    let mut file = bench();
    file.extend([("count", integer()), ("unit", text())]);
    let machine = object(&[
        ("cpu", or_null(text())),
        ("threads", or_null(integer())),
        ("memory_bytes", or_null(integer())),
        ("os", text()),
        ("architecture", text()),
    ]);
    let failed = object(&[("file", text()), ("error", text())]);
    object(&[
        ("mapscope", text()),
        ("profile", one_of(&["debug", "release"])),
        ("machine", machine),
        ("adapter", or_null(adapter())),
        ("size", list_of(2, integer())),
        ("frames", integer()),
        ("rounds", integer()),
        ("files", list(object(&file))),
        ("failed", list(failed)),
    ])
}
