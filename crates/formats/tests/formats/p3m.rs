//! P3M through the public interface: the samples are compared with their sidecar files.

pub(crate) mod checks;
mod faults;

use std::ops::ControlFlow;
use std::path::PathBuf;

use mapscope_formats::p3m::{
    self, FORMAT, FieldValue, Key, Layout, Material, P3m, Part, Texture, TextureContent, Timeline,
    value_at,
};
use mapscope_formats::{Problem, ReadError, Severity};
use mapscope_testdata::{shared, synthesize, tiny_p3m};
use serde_json::{Value, json};

mapscope_testdata::mutation_tests! {
    changed_models_are_read: checks::good, checks::check, 10_000;
}

/// The samples of a folder: name, bytes and sidecar data.
fn samples(folder: &str) -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = shared(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "p3m"))
        .collect();
    files.sort();
    assert!(files.len() >= 7);
    files
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let truth = std::fs::read_to_string(path.with_extension("json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, bytes, serde_json::from_str(&truth).unwrap())
        })
        .collect()
}

/// The samples of layouts that are read.
fn models() -> impl Iterator<Item = (String, P3m, Value)> {
    let samples = samples("samples/platinumsrc").into_iter();
    let read = samples.map(|(name, bytes, truth)| (name, p3m::read(&bytes).unwrap(), truth));
    read.filter(|(_, model, _)| matches!(model.layout, Layout::A | Layout::B))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// The numbers of a list, exactly as in the file.
fn numbers<const N: usize>(value: &Value) -> [f32; N] {
    let numbers: Vec<f32> = list(value)
        .iter()
        .map(|number| number.as_f64().unwrap() as f32)
        .collect();
    numbers.try_into().unwrap()
}

/// A list of vectors; empty where the sidecar has none.
fn vectors<const N: usize>(value: &Value) -> Vec<[f32; N]> {
    let vectors = value.as_array().into_iter().flatten();
    vectors.map(numbers).collect()
}

#[track_caller]
fn assert_close(found: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap();
    assert!(
        (found - expected).abs() <= tolerance,
        "{found}, expected {expected}"
    );
}

#[track_caller]
fn assert_all_close(found: &[f64], expected: &Value, tolerance: f64) {
    assert_eq!(found.len(), list(expected).len());
    for (found, expected) in found.iter().zip(list(expected)) {
        assert_close(*found, expected, tolerance);
    }
}

fn facts(problems: &[Problem]) -> Vec<String> {
    let all = problems.iter().flat_map(Problem::with_consequences);
    all.map(Problem::facts).collect()
}

#[test]
fn samples_are_as_is_said_beside_them() {
    for (name, model, truth) in models() {
        println!("{name}");
        assert_eq!(json!(format!("{:?}", model.layout)), truth["layout"]);
        let of_strings = ["p3m/unknown-name", "p3m/lost-tails", "p3m/no-tracks"];
        for problem in &model.problems {
            assert!(of_strings.contains(&problem.rule.id), "{problem}");
            assert_eq!(problem.severity, Severity::Warning);
        }
        assert_eq!(model.parts.len(), list(&truth["parts"]).len());
        for (part, truth) in model.parts.iter().zip(list(&truth["parts"])) {
            check_part(&model, part, truth);
        }
        assert_eq!(model.materials.len(), list(&truth["materials"]).len());
        for (material, truth) in model.materials.iter().zip(list(&truth["materials"])) {
            check_material(&model, material, truth);
        }
        let textures = model.textures.iter().map(describe_texture);
        let expected = list(&truth["textures"])
            .iter()
            .map(|truth| json!({ "path": truth["path"], "bytes": truth["bytes"] }));
        assert!(textures.eq(expected));
        check_bones(&model, &truth);
        check_actions(&model, &truth);
        check_animations(&model, &truth);
        check_fields(&model, &truth);
    }
}

fn check_part(model: &P3m, part: &Part, truth: &Value) {
    assert_eq!(json!(part.name.text), truth["name"]);
    assert_eq!(json!(part.is_visible), truth["visible"]);
    assert_eq!(json!(part.material), truth["material"]);
    let overrides = part.overrides.iter().map(|it| {
        json!({
            "animation": it.animation.text,
            "priority": it.priority,
            "material": it.material,
        })
    });
    assert_eq!(overrides.collect::<Value>(), truth["overrides"]);
    assert_eq!(part.positions, vectors(&truth["vertices"]));
    assert_eq!(part.uvs, vectors(&truth["uvs"]));
    assert_eq!(part.normals, vectors(&truth["normals"]));
    let triangles = part.triangles().map(|(_, vertices)| json!(vertices));
    assert_eq!(triangles.collect::<Value>(), truth["triangles"]);
    let groups = part.groups.iter().map(|group| {
        let weights = group.weights(part.positions.len());
        let weights = weights.map(|(vertex, weight)| json!([vertex, (weight * 256.0) as u32]));
        json!({
            "bone": group.bone.text,
            "bone_index": model.bone_named(&group.bone.text),
            "of_256": weights.collect::<Value>(),
        })
    });
    assert_eq!(groups.collect::<Value>(), truth["weights"]);
}

fn check_material(model: &P3m, material: &Material, truth: &Value) {
    let mode = truth["mode"].as_u64().unwrap();
    assert_eq!(model.is_additive(material), mode == 1);
    assert_eq!(json!(material.color), truth["color"]);
    assert_eq!(json!(material.emission), truth["emission"]);
    assert_eq!(json!(material.shading), truth["shading"]);
    assert_eq!(json!(material.texture), truth["texture"]);
    // Layout A has no matcaps.
    let matcap = truth.get("matcap").cloned();
    assert_eq!(json!(material.matcap), matcap.unwrap_or(json!(255)));
    let truth = &truth["animated"];
    assert_eq!(material.animation.is_some(), !truth.is_null());
    let Some(animation) = &material.animation else {
        return;
    };
    assert_eq!(json!(animation.us_per_frame), truth["us"]);
    assert_eq!(json!(animation.flags & 0x0F), truth["loop"]);
    assert_eq!(json!(animation.flags & 0x10 != 0), truth["keep_scroll"]);
    assert_eq!(animation.texture_scroll, numbers(&truth["scroll"]));
    assert_eq!(animation.matcap_scroll, numbers(&truth["matcap_scroll"]));
    assert_eq!(json!(animation.last_frame), truth["last"]);
    let names = ["color", "emission", "shading", "texture", "matcap"];
    for ((track, name), components) in animation.tracks.iter().zip(names).zip([4, 3, 1, 1, 1]) {
        let keys = track
            .iter()
            .map(|key| json!([key.skip, key.mode, key.value[..components]]));
        assert_eq!(keys.collect::<Value>(), truth["tracks"][name], "{name}");
        let frames = track.iter().map(|key| key.frame);
        let skips = track.iter().map(|key| u32::from(key.skip));
        let sums = skips.scan(0, |next, skip| {
            *next += skip + 1;
            Some(*next - 1)
        });
        assert!(frames.eq(sums));
    }
}

fn describe_texture(texture: &Texture) -> Value {
    match &texture.content {
        TextureContent::Embedded { ptf, .. } => {
            assert!(ptf.starts_with(b"PTF\0"));
            json!({ "path": null, "bytes": ptf.len() })
        }
        TextureContent::External(path) => json!({ "path": path.text, "bytes": null }),
    }
}

fn check_bones(model: &P3m, truth: &Value) {
    assert_eq!(json!(model.has_lost_tails()), truth["tails_lost"]);
    let truth = list(&truth["bones"]);
    assert_eq!(model.bones.len(), truth.len());
    for ((bone, direction), truth) in model.bones.iter().zip(model.directions()).zip(truth) {
        assert_eq!(json!(bone.name.text), truth["name"]);
        assert_eq!(json!(bone.parent), truth["parent"]);
        if let Some(children) = truth.get("children") {
            assert_eq!(&json!(bone.children), children);
        }
        assert_eq!(bone.head, numbers(&truth["head"]));
        assert_eq!(bone.tail, numbers(&truth["tail"]));
        assert_all_close(&direction.map(f64::from), &truth["direction"], 1e-5);
        let frame = rest_frame(blender(direction.map(f64::from)));
        // The axes of the frame, in the axes of the file.
        let axes = [0, 1, 2].map(|axis| blender([0, 1, 2].map(|row| frame[row][axis])));
        for (axis, truth) in axes.iter().zip(list(&truth["rest_axes"])) {
            assert_all_close(axis, truth, 1e-5);
        }
    }
}

fn check_actions(model: &P3m, truth: &Value) {
    let keys = |keys: &[Key]| {
        let keys = keys.iter().map(|key| {
            let value = key.value.map(f64::from).to_vec();
            json!({ "frame": key.frame, "mode": key.mode, "value": value })
        });
        keys.collect::<Value>()
    };
    let truth = list(&truth["actions"]);
    assert_eq!(model.actions.len(), truth.len());
    for (action, truth) in model.actions.iter().zip(truth) {
        assert_eq!(json!(action.us_per_frame), truth["us_per_frame"]);
        assert_eq!(json!(action.part_list_mode), truth["part_list_mode"]);
        let parts = action.parts.iter().map(|part| json!(part.text));
        assert_eq!(parts.collect::<Value>(), truth["parts"]);
        assert_eq!(action.tracks.len(), list(&truth["bones"]).len());
        for (tracks, truth) in action.tracks.iter().zip(list(&truth["bones"])) {
            assert_eq!(json!(tracks.bone.text), truth["bone"]);
            for (name, track) in [
                ("translation", &tracks.translation),
                ("rotation", &tracks.rotation),
                ("scale", &tracks.scale),
            ] {
                let mut exact = truth[name].clone();
                for key in exact.as_array_mut().unwrap() {
                    key["value"] = json!(numbers::<3>(&key["value"]).map(f64::from));
                }
                assert_eq!(keys(track), exact);
            }
        }
    }
}

fn check_animations(model: &P3m, truth: &Value) {
    let truth = list(&truth["animations"]);
    assert_eq!(model.animations.len(), truth.len());
    for (i, (animation, truth)) in model.animations.iter().zip(truth).enumerate() {
        assert_eq!(json!(animation.name.text), truth["name"]);
        assert_eq!(animation.references.len(), list(&truth["refs"]).len());
        for (reference, truth) in animation.references.iter().zip(list(&truth["refs"])) {
            assert_eq!(json!(reference.action), truth["action"]);
            assert_eq!([reference.speed], numbers(&json!([truth["speed"]])));
            assert_eq!(json!(reference.start), truth["start"]);
            assert_eq!(json!(reference.end), truth["end"]);
        }
        let timeline = model.timeline(i).unwrap();
        assert_eq!(json!(timeline.frames), truth["frames"]);
        assert_close(timeline.duration_us, &truth["duration_us"], 0.01);
        for truth in list(&truth["moments"]) {
            check_moment(model, &timeline, truth);
        }
    }
}

fn check_moment(model: &P3m, timeline: &Timeline, truth: &Value) {
    let clip_frame = truth["clip_frame"].as_f64().unwrap() as f32;
    let moment = timeline.at(clip_frame);
    assert_eq!(json!(moment.map(|it| it.reference)), truth["ref"]);
    assert_eq!(json!(moment.map(|it| it.action)), truth["action"]);
    if let Some(moment) = moment {
        assert_close(moment.frame.into(), &truth["frame"], 1e-4);
        assert_close(timeline.us_at(clip_frame), &truth["time_us"], 0.05);
        let us = truth["time_us"].as_f64().unwrap();
        assert_close(timeline.frame_at_us(us).into(), &json!(clip_frame), 1e-4);
    } else {
        assert_eq!(timeline.us_at(clip_frame), 0.0);
    }
    let action = moment.map(|moment| moment.action);
    let visible = model.visible_parts(action);
    let visible = model.parts.iter().zip(visible).filter(|(_, is)| *is);
    let visible = visible.map(|(part, _)| json!(part.name.text));
    assert_eq!(visible.collect::<Value>(), truth["visible"]);

    let bones = bone_matrices(model, moment);
    assert_eq!(bones.len(), list(&truth["bones"]).len());
    for (bone, truth) in bones.iter().zip(list(&truth["bones"])) {
        assert_all_close(in_file_axes(*bone).as_flattened(), truth, 1e-4);
    }
    assert_eq!(model.parts.len(), list(&truth["skinned"]).len());
    for (part, truth) in model.parts.iter().zip(list(&truth["skinned"])) {
        let skinned = skinned(model, part, &bones);
        assert_eq!(skinned.len(), list(truth).len());
        for (vertex, truth) in skinned.iter().zip(list(truth)) {
            assert_all_close(vertex, truth, 1e-4);
        }
    }
}

fn check_fields(model: &P3m, truth: &Value) {
    let fields = model.fields.iter().map(|field| {
        let values = model.values_of(field).map(|value| match value {
            FieldValue::Text(text) => json!(text),
            FieldValue::Bool(value) => json!(value),
            FieldValue::Integer(value) => json!(value as f64),
            FieldValue::Single(value) => json!(f64::from(value)),
            FieldValue::Double(value) => json!(value),
        });
        let mut values: Vec<Value> = values.collect();
        json!({
            "name": field.name.text,
            "type": field.type_name().unwrap().to_lowercase(),
            "array": field.is_array(),
            "empty": field.is_empty(),
            "value": if field.is_array() {
                json!(values)
            } else {
                json!(values.pop())
            },
        })
    });
    let exact = |value: &Value, is_single: bool| match value.as_f64() {
        Some(number) if is_single => json!(f64::from(number as f32)),
        Some(number) => json!(number),
        None => value.clone(),
    };
    let expected = truth["fields"].as_array().into_iter().flatten();
    let expected = expected.map(|truth| {
        let is_single = truth["type"] == "f32";
        let is_array = truth["array"] == true;
        json!({
            "name": truth["name"],
            "type": truth["type"],
            "array": is_array,
            "empty": truth["empty"] == true,
            "value": match &truth["value"] {
                Value::Array(values) => values.iter().map(|it| exact(it, is_single)).collect(),
                Value::Null if is_array => json!([]),
                value => exact(value, is_single),
            },
        })
    });
    assert_eq!(fields.collect::<Value>(), expected.collect::<Value>());
}

/// Rows of a transform: a rotation and scale, and a translation.
type Transform = [[f64; 4]; 3];

fn product(a: Transform, b: Transform) -> Transform {
    a.map(|row| {
        let mut sums = [0.0, 0.0, 0.0, row[3]];
        for (factor, other) in row.iter().zip(b) {
            for (sum, number) in sums.iter_mut().zip(other) {
                *sum += factor * number;
            }
        }
        sums
    })
}

fn transformed(transform: Transform, [x, y, z]: [f64; 3]) -> [f64; 3] {
    transform.map(|[a, b, c, d]| a * x + b * y + c * z + d)
}

fn translation(by: [f64; 3]) -> Transform {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| match column {
            3 => by[row],
            _ => f64::from(u8::from(row == column)),
        })
    })
}

/// A rotation about an axis, right-handed, in radians.
fn rotation(axis: usize, angle: f64) -> Transform {
    let (sin, cos) = angle.sin_cos();
    let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
    let mut turned = translation([0.0; 3]);
    (turned[next][next], turned[next][last]) = (cos, -sin);
    (turned[last][next], turned[last][last]) = (sin, cos);
    turned
}

/// Swaps Y and Z: from the axes of the file to Blender's, or back.
fn blender([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, z, y]
}

fn in_file_axes([x, y, z]: Transform) -> Transform {
    [x, z, y].map(|[x, y, z, w]| [x, z, y, w])
}

/// Blender's frame of roll 0 for a direction (fact sheet P4).
fn rest_frame([x, y, z]: [f64; 3]) -> Transform {
    let w = 1.0 + y;
    [
        [1.0 - x * x / w, x, -x * z / w, 0.0],
        [-x, y, -z, 0.0],
        [-x * z / w, z, 1.0 - z * z / w, 0.0],
    ]
}

/// The movement of each bone in Blender's axes (fact sheet P4).
fn bone_matrices(model: &P3m, moment: Option<p3m::Moment>) -> Vec<Transform> {
    let mut matrices: Vec<Transform> = Vec::new();
    for (bone, direction) in model.bones.iter().zip(model.directions()) {
        let pose = moment.and_then(|moment| {
            let tracks = model.actions[moment.action].tracks_of(&bone.name.text)?;
            Some(tracks.pose_at(moment.frame))
        });
        let (moved, turned, scaled) = pose.unwrap_or(([0.0; 3], [0.0; 3], [1.0; 3]));
        let [x, y, z] = turned.map(f64::from);
        let mut scale = translation([0.0; 3]);
        for (axis, factor) in scaled.into_iter().enumerate() {
            scale[axis][axis] = factor.into();
        }
        let head = blender(bone.head.map(f64::from));
        let frame = rest_frame(blender(direction.map(f64::from)));
        // The inverse of a rotation is its transpose.
        let inverse = std::array::from_fn(|row| {
            let column = [0, 1, 2].map(|other: usize| frame[other][row]);
            [column[0], column[1], column[2], 0.0]
        });
        let factors = [
            translation(head),
            frame,
            translation(moved.map(f64::from)),
            rotation(1, y),
            rotation(0, x),
            rotation(2, z),
            scale,
            inverse,
            translation(head.map(|number| -number)),
        ];
        let parent = bone
            .parent
            .map_or(translation([0.0; 3]), |parent| matrices[parent as usize]);
        matrices.push(factors.into_iter().fold(parent, product));
    }
    matrices
}

/// The positions of a part with these movements of the bones.
fn skinned(model: &P3m, part: &Part, bones: &[Transform]) -> Vec<[f64; 3]> {
    let mut sums = vec![([0.0; 3], 0.0); part.positions.len()];
    for group in &part.groups {
        let Some(bone) = model.bone_named(&group.bone.text) else {
            continue;
        };
        for (vertex, weight) in group.weights(part.positions.len()) {
            let weight = f64::from(weight);
            let rest = blender(part.positions[vertex].map(f64::from));
            let (sum, weights) = &mut sums[vertex];
            *weights += weight;
            for (sum, number) in sum.iter_mut().zip(transformed(bones[bone], rest)) {
                *sum += weight * number;
            }
        }
    }
    let positions = sums.into_iter().zip(&part.positions);
    positions
        .map(|((sum, weights), rest)| {
            if weights == 0.0 {
                rest.map(f64::from)
            } else {
                blender(sum.map(|number| number / weights))
            }
        })
        .collect()
}

#[test]
fn what_was_read_is_written_byte_for_byte() {
    for folder in ["samples/platinumsrc", "samples/platinumsrc/broken"] {
        let mut count = 0;
        for (name, bytes, _) in samples(folder) {
            let Ok(model) = p3m::read(&bytes) else {
                continue;
            };
            if checks::is_complete(&model) {
                assert!(p3m::write(&model).unwrap() == bytes, "{name}");
                count += 1;
            }
            checks::check(&bytes);
        }
        assert!(count == 0 || count >= 6, "{folder}: {count}");
    }
}

/// The facts of the problems of each broken sample, without warnings about names.
const BROKEN: [(&str, &[&str]); 16] = [
    (
        "01_cut_in_vertices",
        &["0x116: error: p3m/truncated (Part 1), left out: 1 41 96"],
    ),
    (
        "02_cut_by_exporter",
        &["0x298: error: p3m/truncated (Texture 0), left out: 0 3 45"],
    ),
    ("03_magic", &["0x0: error: p3m/magic: P3M P4M"]),
    ("04_version", &["0x3: error: p3m/version: 0 7"]),
    (
        "05_index_range",
        &["0x21a: error: p3m/vertex-index (Part 1), left out: 1 4 8"],
    ),
    (
        "06_material_range",
        &["0x112: error: p3m/material-index (Part 1), read: 1 2 9"],
    ),
    (
        "07_string_range",
        &[
            "0x2c9: error: p3m/string (Joint 0), left out: 0 49 65534",
            "0xe8: warning: p3m/unknown-name (Part 0): 0 a",
            "0x33b: warning: p3m/unknown-name (Action 0): 0 a",
        ],
    ),
    (
        "08_weight_overrun",
        &["0xeb: error: p3m/weights (Part 0), left out: 0 6 60002"],
    ),
    (
        "09_child_count",
        &["0x2fe: error: p3m/child-count (Joint 1), read: 1 200"],
    ),
    (
        "10_not_a_number",
        &[
            "0x1a: warning: p3m/not-finite (Part 0), left out: 0 1",
            "0x30e: warning: p3m/not-finite (Joint 2), read: 0 2",
            "0x338: warning: p3m/not-finite (Clip 1), read: 0 1",
            "0x35f: warning: p3m/not-finite (Action 0), read: 0 1",
        ],
    ),
    ("11_empty", &["0x0: error: p3m/truncated: 0 3"]),
    (
        "12_texture_2gib",
        &["0xd: error: p3m/truncated (Texture 0), left out: 0 2147483648 27"],
    ),
    ("13_texture_garbage", &[]),
    (
        "14_action_range",
        &["0x32a: error: p3m/action-index (Clip 1), left out: 0 1 2 9"],
    ),
    (
        "15_no_nul",
        &["0x3f6: warning: p3m/unterminated-string (Clip 1), read: 1"],
    ),
    (
        "16_vertices_65535",
        &["0x3c: error: p3m/truncated (Part 0), left out: 0 2"],
    ),
];

#[test]
fn broken_samples_keep_what_is_whole() {
    let samples = samples("samples/platinumsrc/broken");
    assert!(samples.is_empty() || samples.len() == BROKEN.len());
    for ((name, bytes, truth), (expected, problems)) in samples.iter().zip(BROKEN) {
        assert_eq!(name, expected);
        let model = match p3m::read(bytes) {
            Ok(model) => model,
            Err(error) => {
                assert_eq!(truth["expect"], "reject", "{name}");
                let refused = error.problem().cloned();
                assert_eq!(facts(refused.as_slice()), problems, "{name}");
                continue;
            }
        };
        assert_eq!(truth["expect"], "partial", "{name}");
        assert_eq!(facts(&model.problems), problems, "{name}");
        if let Some(layout) = truth["layout"].as_str() {
            assert_eq!(format!("{:?}", model.layout), layout, "{name}");
        }
        // A missing name is null.
        let text = |name: &p3m::Name| (!name.text.is_empty()).then(|| name.text.clone());
        let parts = model.parts.iter().map(|part| {
            json!({
                "name": text(&part.name),
                "vertices": part.positions.len(),
                "triangles": part.triangles().count(),
            })
        });
        let whole = &truth["whole"];
        assert_eq!(parts.collect::<Value>(), whole["parts"], "{name}");
        assert_eq!(json!(model.materials.len()), whole["materials"]);
        assert_eq!(json!(model.textures.len()), whole["textures"]);
        let bones = model.bones.iter().map(|bone| json!(text(&bone.name)));
        assert_eq!(bones.collect::<Value>(), whole["bones"]);
        let animations = model.animations.iter().map(|it| json!(text(&it.name)));
        assert_eq!(animations.collect::<Value>(), whole["animations"]);
        let resting = (0..model.animations.len())
            .filter(|animation| model.timeline(*animation).unwrap().spans.is_empty())
            .map(|animation| json!(model.animations[animation].name.text));
        let expected = whole.get("animations_without_action");
        let expected = expected.cloned().unwrap_or(json!([]));
        assert_eq!(resting.collect::<Value>(), expected);
    }
}

#[test]
fn old_layouts_are_only_named() {
    for (version, layout) in [(0, Layout::V1_0), (1, Layout::V1_1)] {
        let bytes = [b"P3M\0\x01", &[version][..], b"more"].concat();
        let model = p3m::read(&bytes).unwrap();
        let expected = P3m {
            problems: model.problems.clone(),
            ..P3m::empty(layout, 0)
        };
        assert_eq!(model, expected);
        let fact = format!("0x4: error: p3m/old-layout: 0 1.{version} 2024");
        assert_eq!(facts(&model.problems), [fact]);
        assert!(p3m::write(&model).is_err());
    }
    for (name, bytes, truth) in samples("samples/platinumsrc") {
        if truth["layout"] == "1.1" {
            assert_eq!(p3m::read(&bytes).unwrap().layout, Layout::V1_1, "{name}");
        }
    }
}

/// Clears everything that says where something is in a file.
fn without_places(mut model: P3m) -> P3m {
    for part in &mut model.parts {
        (part.at, part.vertices_at, part.indices_at) = (0, 0, 0);
        for group in &mut part.groups {
            group.at = 0;
        }
    }
    for material in &mut model.materials {
        material.at = 0;
    }
    for texture in &mut model.textures {
        texture.at = 0;
        if let TextureContent::Embedded { at, .. } = &mut texture.content {
            *at = 0;
        }
    }
    for bone in &mut model.bones {
        bone.at = 0;
    }
    for animation in &mut model.animations {
        animation.at = 0;
        for reference in &mut animation.references {
            reference.at = 0;
        }
    }
    for action in &mut model.actions {
        action.at = 0;
        for tracks in &mut action.tracks {
            tracks.at = 0;
        }
    }
    for field in &mut model.fields {
        field.at = 0;
        field.elements = 0..0;
    }
    model.notes.clear();
    model
}

#[test]
fn a_written_model_is_read_again() {
    for model in [
        tiny_p3m(Layout::A).unwrap(),
        tiny_p3m(Layout::B).unwrap(),
        synthesize::p3m(100_000, 7).unwrap(),
    ] {
        let bytes = p3m::write(&model).unwrap();
        assert!((FORMAT.sniff)(&bytes));
        let read = p3m::read(&bytes).unwrap();
        assert_eq!(facts(&read.problems), [""; 0]);
        if let Some(pair) = read.fields.last() {
            let elements = pair.elements.start as usize..pair.elements.end as usize;
            assert_eq!(&bytes[elements], b"abcdefg\0");
            let values: Vec<_> = read.values_of(pair).collect();
            let numbers = [0x6463_6261, 0x0067_6665].map(FieldValue::Integer);
            assert_eq!(values, numbers);
        }
        for part in &read.parts {
            let vertices = &bytes[part.vertices_at as usize..];
            let first = part.positions[0].map(f32::to_le_bytes).concat();
            assert!(vertices.starts_with(&first));
            let indices = &bytes[part.indices_at as usize..];
            assert!(indices.starts_with(&part.indices[0].to_le_bytes()));
        }
        assert!(without_places(read) == without_places(model));
    }
}

#[test]
fn synthetic_models_have_the_triangles_asked_for() {
    for triangles in [1, 7, 1000, 100_001] {
        let model = synthesize::p3m(triangles, 1).unwrap();
        let counts = model.parts.iter().map(|part| part.triangles().count());
        assert_eq!(counts.sum::<usize>(), triangles as usize);
    }
    // Triangles are counter-clockwise as seen from outside (fact sheet P2).
    let model = synthesize::p3m(1000, 1).unwrap();
    for part in &model.parts {
        for (_, vertices) in part.triangles() {
            let [a, b, c] = vertices.map(|vertex| part.positions[usize::from(vertex)]);
            let way = |to: [f32; 3]| -> [f32; 3] { std::array::from_fn(|i| to[i] - a[i]) };
            let ([x, y, z], [u, v, w]) = (way(c), way(b));
            let outward = [y * w - z * v, z * u - x * w, x * v - y * u];
            let normal = part.normals[usize::from(vertices[0])];
            let cos: f32 = outward.iter().zip(normal).map(|(a, b)| a * b).sum();
            assert!(cos > 0.0, "{outward:?} {normal:?}");
        }
    }
}

#[test]
fn a_truncated_file_keeps_its_whole_records() {
    for bytes in checks::good() {
        let whole = p3m::read(&bytes).unwrap();
        let strings_at = bytes.len() - whole.strings.len();
        let mut parts = 0;
        for end in (5..strings_at).step_by(mapscope_testdata::stride(7)) {
            let cut = p3m::read(&bytes[..end]).unwrap();
            let problem = cut.problems.last().unwrap();
            assert_eq!(problem.severity, Severity::Error);
            assert!(cut.strings.is_empty());
            // Another layout may fit the beginning of a file.
            if cut.layout != whole.layout {
                continue;
            }
            assert!(mapscope_formats::is_truncation(problem.rule), "{problem}");
            let positions = |model: &P3m| {
                let parts = model.parts.iter();
                parts.map(|part| part.positions.clone()).collect::<Vec<_>>()
            };
            assert!(positions(&whole).starts_with(&positions(&cut)));
            assert!(whole.materials.starts_with(&cut.materials));
            assert!(cut.parts.len() >= parts, "{end}");
            parts = cut.parts.len();
        }
        assert_eq!(parts, whole.parts.len());
        for end in 0..5 {
            let error = p3m::read(&bytes[..end]).unwrap_err();
            let problem = error.problem().unwrap();
            assert!(mapscope_formats::is_truncation(problem.rule));
        }
    }
}

const A: Layout = Layout::A;
const B: Layout = Layout::B;

#[test]
fn a_field_of_unknown_size_hides_the_names() {
    let model = tiny_p3m(B).unwrap();
    let mut bytes = p3m::write(&model).unwrap();
    let field = p3m::read(&bytes).unwrap().fields[1].at;
    bytes[field as usize + 2] = 13;
    let read = p3m::read(&bytes).unwrap();
    let fact = format!("{:#x}: error: p3m/field-type, left out: 1 11 13", field + 2);
    assert_eq!(facts(&read.problems), [fact]);
    assert_eq!((read.fields.len(), read.strings.len()), (1, 0));
    assert_eq!(read.parts[0].positions, model.parts[0].positions);
}

#[test]
fn what_is_only_noteworthy_is_no_problem() {
    let mut model = tiny_p3m(B).unwrap();
    model.animations[0].references.clear();
    let read = p3m::read(&p3m::write(&model).unwrap()).unwrap();
    assert_eq!(read.problems, []);
    let notes = facts(&read.notes);
    let at = read.animations[0].at;
    let empty = format!("{at:#x}: note: p3m/empty-animation (Clip 0): 0");
    assert_eq!(notes, ["0x0: note: p3m/layout-b", &empty]);
    let model = p3m::write(&tiny_p3m(A).unwrap()).unwrap();
    assert_eq!(p3m::read(&model).unwrap().notes, []);
}

#[test]
fn keys_are_steps_or_lines() {
    let key = |frame, mode, x| Key {
        skip: 0,
        frame,
        mode,
        value: [x, 2.0 * x, -x],
    };
    let keys = [
        key(2, 0, 1.0),
        key(6, 1, 3.0),
        key(8, 0, 5.0),
        key(9, 7, 4.0),
    ];
    let absent = [9.0; 3];
    let at = |frame| value_at(&keys, frame, absent);
    for (frame, x) in [
        (-1.0, 1.0),
        (2.0, 1.0),
        (3.0, 1.5),
        (5.0, 2.5),
        (6.0, 3.0),
        (7.9, 3.0),
        (8.0, 5.0),
        // An unknown mode is read as linear.
        (8.5, 4.5),
        (100.0, 4.0),
    ] {
        assert_eq!(at(frame), [x, 2.0 * x, -x], "{frame}");
    }
    assert_eq!(value_at(&[], 1.0, absent), absent);
    let bad = [key(0, 1, 1.0), key(2, 1, f32::NAN)];
    assert_eq!(value_at(&bad, 5.0, absent), absent);
    assert_eq!(value_at(&bad, 1.0, [3.0; 3]), [2.0, 2.5, 1.0]);
}

#[test]
fn references_are_played_with_their_speed_and_direction() {
    let mut model = tiny_p3m(A).unwrap();
    let references = &mut model.animations[0].references;
    (references[0].start, references[0].end, references[0].speed) = (9, 2, -1.0);
    references[1].action = 0;
    let mut missing = references[1];
    missing.action = 2;
    references.insert(1, missing);
    let timeline = model.timeline(0).unwrap();
    assert_eq!(timeline.frames, 12);
    assert_eq!(timeline.duration_us, 41_667.0 * (8.0 + 4.0 * 2.0));
    let at = |frame| timeline.at(frame).map(|it| (it.reference, it.frame));
    assert_eq!(at(-3.0), Some((0, 9.0)));
    assert_eq!(at(1.5), Some((0, 7.5)));
    assert_eq!(at(7.5), Some((0, 1.5)));
    assert_eq!(at(8.25), Some((2, 0.25)));
    assert_eq!(at(f32::INFINITY), Some((2, 4.0)));
    assert_eq!(timeline.frame_at_us(41_667.0 * 9.0), 8.5);
    assert_eq!(timeline.us_at(8.5), 41_667.0 * 9.0);
    assert_eq!(timeline.frame_at_us(-1.0), 0.0);
    assert_eq!(timeline.frame_at_us(1e9), 12.0);
    assert_eq!(model.timeline(2), None);

    // Frames that take no time are never seen.
    model.actions[0].us_per_frame = 0;
    let timeline = model.timeline(0).unwrap();
    assert_eq!(timeline.duration_us, 0.0);
    assert_eq!(timeline.frame_at_us(0.0), 12.0);
}

#[test]
fn the_first_of_equal_names_and_the_highest_priority_win() {
    let mut model = tiny_p3m(B).unwrap();
    let body = &model.parts[0];
    assert_eq!(model.material_of(body, None), 1);
    assert_eq!(model.material_of(body, Some(0)), 1);
    assert_eq!(model.material_of(body, Some(1)), 0);
    assert_eq!(model.visible_parts(None), [true, false]);
    assert_eq!(model.visible_parts(Some(0)), [true, true]);
    assert_eq!(model.visible_parts(Some(1)), [false, true]);
    for (mode, visible) in [(0, [true, true]), (1, [true, false]), (2, [false, true])] {
        model.actions[0].part_list_mode = mode;
        assert_eq!(model.visible_parts(Some(0)), visible, "{mode}");
    }
    let again = model.parts[0].overrides[0].clone();
    for (priority, material) in [(7, 2), (9, 3), (9, 4)] {
        let it = p3m::Override {
            priority,
            material,
            ..again.clone()
        };
        model.parts[0].overrides.push(it);
    }
    assert_eq!(model.material_of(&model.parts[0], Some(1)), 3);
    assert_eq!(model.bone_named("arm"), Some(1));
    model.bones[2].name = model.bones[1].name.clone();
    assert_eq!(model.bone_named("arm"), Some(1));
    assert_eq!(model.bone_named(""), None);
    let action = &mut model.actions[0];
    action.tracks[1].bone = action.tracks[0].bone.clone();
    assert_eq!(action.tracks_of("root"), Some(&action.tracks[0]));
    assert_eq!(action.tracks_of("tail"), None);
}

#[test]
fn reading_can_be_watched_and_stopped() {
    for bytes in checks::good() {
        let mut seen = vec![0.0];
        p3m::read_with(&bytes, &mut |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(seen.is_sorted() && seen.len() > 5 && seen[seen.len() - 1] <= 1.0);
        let stopped = p3m::read_with(&bytes, &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(ReadError::Cancelled));
    }
}

#[test]
fn long_names_that_overlap_are_bounded() {
    let mut model = tiny_p3m(A).unwrap();
    model.strings = vec![b'x'; 65_535];
    let list = &mut model.actions[0].parts;
    *list = vec![list[0].clone(); 255];
    let bytes = p3m::write(&model).unwrap();
    assert!(!checks::check(&bytes));
    let read = p3m::read(&bytes).unwrap();
    let is_lost = |problem: &Problem| problem.rule.id == "p3m/string";
    assert!(read.problems.iter().any(is_lost));
}

#[test]
fn what_the_layout_cannot_represent_is_not_written() {
    type Case = (Layout, fn(&mut P3m), &'static str);
    let cases: [Case; 9] = [
        (
            A,
            |it| it.parts = vec![it.parts[0].clone(); 256],
            "parts: found 256; expected at most 255",
        ),
        (
            A,
            |it| _ = it.parts[0].uvs.pop(),
            "part 0: UVs: found 3; expected 4",
        ),
        (
            B,
            |it| it.parts[1].flags = 1,
            "part 1: normals: found 3; expected 0",
        ),
        (
            A,
            |it| it.materials[0].animation = Some(Box::new(animation())),
            "material 0: its flags do not match its animation",
        ),
        (
            B,
            |it| it.materials[1].mode = 1,
            "material 1: its flags do not match its animation",
        ),
        (
            A,
            |it| it.textures[1].kind = 0,
            "texture 1: its flags do not match its content",
        ),
        (
            B,
            |it| it.fields[0].bytes.clear(),
            "field 0: found 0; expected 2",
        ),
        (B, |it| it.fields[0].kind = 12, "field 0: unknown type"),
        (
            B,
            |it| it.layout = A,
            "part 0: overrides in layout A: found 1; expected 0",
        ),
    ];
    for (layout, change, expected) in cases {
        let mut model = tiny_p3m(layout).unwrap();
        change(&mut model);
        assert_eq!(p3m::write(&model).unwrap_err().to_string(), expected);
    }
    let mut strings = p3m::StringsBuilder::default();
    assert!(strings.add("a\0b").is_err());
    assert_eq!(strings.add("a").unwrap(), strings.add("a").unwrap());
    assert_eq!(strings.add(&"b".repeat(65_532)).unwrap().offset, 2);
    assert!(strings.add("").is_err());
    assert_eq!(strings.finish().len(), 65_535);
}

fn animation() -> p3m::MaterialAnimation {
    let animated = tiny_p3m(B).unwrap().materials.pop().unwrap();
    *animated.animation.unwrap()
}

#[test]
fn weights_are_collected_in_runs() {
    let weights = [None, Some(4), Some(0), None, None, Some(255), None];
    let ranges = p3m::weight_ranges(weights);
    let found = ranges.iter().map(|range| (range.skip, &range.weights[..]));
    assert!(found.eq([(1, &[4, 0][..]), (2, &[255])]));
    let group = p3m::Group {
        bone: p3m::Name::default(),
        at: 0,
        ranges,
        last_skip: 1,
    };
    let expected = [(1, 5.0 / 256.0), (2, 1.0 / 256.0), (5, 1.0)];
    assert_eq!(group.weights(7).collect::<Vec<_>>(), expected);
    assert_eq!(group.weights(6).count(), 0, "the last skip counts");
}
