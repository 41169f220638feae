//! Small valid models, and invariants of everything read from them after changes. The fuzz target
//! uses them too.

use mapscope_formats::p3m::{self, Layout, P3m};
use mapscope_testdata::{synthesize, tiny_p3m};

/// Texts of names that the smallest file may have, in bytes, and those for each byte of a file.
const TEXT_BYTES: usize = 1 << 20;
const TEXT_PER_BYTE: usize = 16;

pub(crate) fn good() -> Vec<Vec<u8>> {
    let models = [
        tiny_p3m(Layout::A),
        tiny_p3m(Layout::B),
        synthesize::p3m(40, 1),
    ];
    models
        .into_iter()
        .map(|model| p3m::write(&model.unwrap()).unwrap())
        .collect()
}

/// `true` if the whole file was read.
pub(crate) fn is_complete(model: &P3m) -> bool {
    let mut problems = model.problems.iter();
    !problems.any(|problem| match problem.rule.id {
        "p3m/truncated" | "p3m/old-layout" => true,
        // Without its size, nothing after a field is found.
        "p3m/field-type" => model.strings.is_empty(),
        _ => false,
    })
}

/// Returns `true` if the file is refused.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let model = match p3m::read(bytes) {
        Ok(model) => model,
        Err(error) => {
            let problem = error.problem().expect("nothing cancels");
            assert!(problem.message.chars().count() < 400, "{problem}");
            return true;
        }
    };
    assert!(model.problems.len() < 4000, "{}", model.problems.len());
    for problem in &model.problems {
        assert!(problem.message.chars().count() < 400, "{problem}");
    }
    if is_complete(&model) {
        assert!(p3m::write(&model).unwrap() == bytes, "written as read");
    } else {
        assert!(model.strings.is_empty());
    }
    check_size(&model, bytes.len());
    check_use(&model);
    false
}

/// Asserts that a model needs memory in proportion to its file.
fn check_size(model: &P3m, bytes: usize) {
    let texts = model
        .parts
        .iter()
        .flat_map(|part| {
            let groups = part.groups.iter().map(|group| &group.bone);
            let overrides = part.overrides.iter().map(|it| &it.animation);
            groups.chain(overrides).chain([&part.name])
        })
        .chain(model.bones.iter().map(|bone| &bone.name))
        .chain(model.actions.iter().flat_map(|action| {
            let tracks = action.tracks.iter().map(|tracks| &tracks.bone);
            tracks.chain(&action.parts)
        }))
        .map(|name| name.text.len());
    // Bytes that are not UTF-8 are replaced with characters of three bytes.
    let most = 3 * (TEXT_BYTES + TEXT_PER_BYTE * bytes);
    assert!(texts.sum::<usize>() <= most);
    let vertices = model.parts.iter().map(|part| part.positions.len());
    assert!(12 * vertices.sum::<usize>() <= bytes);
}

/// Asserts that what a viewer takes from a model is inside its lists and finite.
fn check_use(model: &P3m) {
    for part in &model.parts {
        let count = part.positions.len();
        for list in [part.uvs.len(), part.normals.len()] {
            assert!(list == 0 || list == count);
        }
        assert!(part.triangles().count() <= part.indices.len() / 3);
        for (triangle, vertices) in part.triangles() {
            assert_eq!(part.indices[3 * triangle..][..3], vertices);
            for vertex in vertices {
                let position = part.positions[usize::from(vertex)];
                assert!(position.iter().all(|number| number.is_finite()));
            }
        }
        for group in &part.groups {
            for (vertex, weight) in group.weights(count) {
                assert!(vertex < count && weight > 0.0 && weight <= 1.0);
            }
        }
    }
    for (i, bone) in model.bones.iter().enumerate() {
        assert!(bone.parent.is_none_or(|parent| (parent as usize) < i));
    }
    let directions = model.directions();
    assert_eq!(directions.len(), model.bones.len());
    for direction in directions {
        let length = direction.iter().map(|it| it * it).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-5, "{direction:?}");
    }
    for animation in 0..model.animations.len() {
        let timeline = model.timeline(animation).unwrap();
        assert_eq!(timeline.at(0.0).is_none(), timeline.spans.is_empty());
        for part in [-1.0, 0.0, 0.3, 0.8, 1.0, 2.0] {
            let frame = timeline.frames as f32 * part;
            let Some(moment) = timeline.at(frame) else {
                continue;
            };
            assert!((0.0..=timeline.duration_us).contains(&timeline.us_at(frame)));
            let frame = timeline.frame_at_us(timeline.duration_us * f64::from(part));
            assert!((0.0..=timeline.frames as f32).contains(&frame));
            for tracks in &model.actions[moment.action].tracks {
                let (translation, rotation, scale) = tracks.pose_at(moment.frame);
                for values in [translation, rotation, scale] {
                    assert!(values.iter().all(|number| number.is_finite()));
                }
            }
            let visible = model.visible_parts(Some(moment.action));
            assert_eq!(visible.len(), model.parts.len());
        }
    }
    for field in &model.fields {
        assert!(model.values_of(field).count() <= 65536);
        let count = field.elements.end - field.elements.start;
        assert!(count <= model.strings.len() as u64);
    }
}
