//! Checks of a model after it was read: indices of other sections, and what only an engine or a
//! viewer notices.

use std::collections::HashSet;

use super::bytes::{File, record};
use super::{Layout, MaterialAnimation, NO_TEXTURE, Name, P3m, rules};
use crate::bytes::{Record, Source as _};
use crate::{Message, Place, Problems, Rule, Subject, counted, quoted};

/// Checks the indices of materials, textures and actions.
pub(super) fn references(model: &P3m, problems: &mut Problems) {
    let materials = model.materials.len();
    for (i, part) in model.parts.iter().enumerate() {
        let overrides = part.overrides.iter().zip(0..);
        let overrides = overrides.map(|(it, number)| (it.material, part.at + 8 + 4 * number));
        for (material, at) in [(part.material, part.at + 3)].into_iter().chain(overrides) {
            if usize::from(material) >= materials {
                add(
                    problems,
                    &rules::MATERIAL_INDEX,
                    record("part", i, ""),
                    at,
                    || {
                        let materials = counted(materials, "material");
                        let found = format!("material {material}; expected one of {materials}");
                        Message::read(found, "without a material")
                    },
                );
            }
        }
    }
    let textures = model.textures.len();
    for (i, material) in model.materials.iter().enumerate() {
        let animation = material.animation.as_deref();
        let keys = animation
            .into_iter()
            .flat_map(MaterialAnimation::texture_keys);
        for texture in [material.texture, material.matcap].into_iter().chain(keys) {
            if texture != NO_TEXTURE && usize::from(texture) >= textures {
                let record = record("material", i, "");
                add(problems, &rules::TEXTURE_INDEX, record, material.at, || {
                    let textures = counted(textures, "texture");
                    let found = format!("texture {texture}; expected one of {textures}");
                    Message::read(found, "without a texture")
                });
            }
        }
    }
    let actions = model.actions.len();
    for (i, animation) in model.animations.iter().enumerate() {
        for (number, reference) in animation.references.iter().enumerate() {
            let action = reference.action;
            if usize::from(action) >= actions {
                let record = record("animation", i, "");
                add(problems, &rules::ACTION_INDEX, record, reference.at, || {
                    let found = format!("reference {number} is to action {action}");
                    let expected = format!("expected one of {}", counted(actions, "action"));
                    Message::left_out(format!("{found}; {expected}"), "the reference")
                });
            }
        }
    }
}

fn add(
    problems: &mut Problems,
    rule: &'static Rule,
    record: Record,
    at: u64,
    message: impl FnOnce() -> Message,
) {
    problems.add_about(rule, File.subject(record), Place::Offset(at), || {
        message().within(record)
    });
}

/// Reports what the engine forgives and what crashes it. `is_complete` is `false` if names are
/// missing, since the file is truncated.
pub(super) fn lint(model: &P3m, is_complete: bool, problems: &mut Problems, notes: &mut Problems) {
    if is_complete && model.layout == Layout::B {
        notes.add(
            &rules::LAYOUT_B,
            Place::Offset(0),
            || "layout B of the format's document, which the engine does not read",
        );
    }
    if let [bone, ..] = &model.bones[..]
        && model.has_lost_tails()
    {
        problems.add(&rules::LOST_TAILS, Place::Offset(bone.at), || {
            let found = "the tails of all bones are at the height and depth of their heads";
            Message::read(found, "as bones that point at their first child")
        });
    }
    groups(model, problems);
    animations(model, problems, notes);
    actions(model, problems);
    if is_complete {
        names(model, problems);
    }
}

fn groups(model: &P3m, problems: &mut Problems) {
    for (i, part) in model.parts.iter().enumerate() {
        for (number, group) in part.groups.iter().enumerate() {
            if group.ranges.is_empty() {
                add(
                    problems,
                    &rules::EMPTY_GROUP,
                    record("part", i, ""),
                    group.at,
                    || format!("group {number} has no weights, which crashes the engine").into(),
                );
            }
        }
    }
}

fn animations(model: &P3m, problems: &mut Problems, notes: &mut Problems) {
    for (i, animation) in model.animations.iter().enumerate() {
        let record = record("animation", i, "");
        if animation.references.is_empty() {
            add(notes, &rules::EMPTY_ANIMATION, record, animation.at, || {
                "plays no action, so the model stands at rest".into()
            });
        }
        for (number, it) in animation.references.iter().enumerate() {
            if it.speed <= 0.0 {
                add(problems, &rules::SPEED, record, it.at + 1, || {
                    let found = format!("speed of reference {number} is {}", it.speed);
                    Message::read(format!("{found}; expected more than 0"), "as 1")
                });
            }
            if it.start > it.end {
                add(problems, &rules::DOWNWARD, record, it.at + 5, || {
                    let found = format!("reference {number} is from frame {}", it.start);
                    Message::read(format!("{found} down to {}", it.end), "downward")
                });
            }
        }
    }
}

fn actions(model: &P3m, problems: &mut Problems) {
    let no_time = || "a frame takes 0 µs".into();
    for (i, action) in model.actions.iter().enumerate() {
        let record = record("action", i, "");
        if action.us_per_frame == 0 {
            add(problems, &rules::FRAME_TIME, record, action.at, no_time);
        }
        if action.tracks.is_empty() {
            add(problems, &rules::NO_TRACKS, record, action.at, || {
                "no tracks of bones, which crashes the engine".into()
            });
        }
    }
    for (i, material) in model.materials.iter().enumerate() {
        let animation = material.animation.as_ref();
        if animation.is_some_and(|animation| animation.us_per_frame == 0) {
            let record = record("material", i, "");
            add(
                problems,
                &rules::FRAME_TIME,
                record,
                material.at + 1,
                no_time,
            );
        }
    }
}

/// Reports names that occur twice or name nothing.
fn names(model: &P3m, problems: &mut Problems) {
    let bones = model.bones.iter().enumerate();
    let bones = bones.map(|(i, bone)| (&bone.name, record("bone", i, ""), bone.at));
    let bones = unique(bones, problems);
    let animations = model.animations.iter().enumerate();
    let animations = animations.map(|(i, it)| (&it.name, record("animation", i, ""), it.at));
    let animations = unique(animations, problems);
    let parts = model.parts.iter().map(|part| &*part.name.text).collect();
    // Names of bones may be unknown because that of a bone is unreadable.
    let cause = problems.find(|problem| {
        problem.rule == &rules::STRING && matches!(problem.subject, Subject::Joint(_))
    });
    let mut known = |(kind, known): (&str, &HashSet<&str>), name: &Name, record, at| {
        if name.text.is_empty() || known.contains(&*name.text) {
            return;
        }
        problems.cause = cause.filter(|_| kind == "bone");
        let (subject, place) = (File.subject(record), Place::Offset(at));
        let named = (kind, &name.text);
        problems.add_grouped(named, &rules::UNKNOWN_NAME, subject, place, || {
            let name = quoted(name.text.as_bytes());
            Message::from(format!("{kind} {name} does not exist")).within(record)
        });
        problems.cause = None;
    };
    for (i, part) in model.parts.iter().enumerate() {
        for (it, number) in part.overrides.iter().zip(0..) {
            let at = part.at + 5 + 4 * number;
            known(
                ("animation", &animations),
                &it.animation,
                record("part", i, ""),
                at,
            );
        }
        for group in &part.groups {
            known(
                ("bone", &bones),
                &group.bone,
                record("part", i, ""),
                group.at,
            );
        }
    }
    for (i, action) in model.actions.iter().enumerate() {
        for (part, number) in action.parts.iter().zip(0..) {
            let at = action.at + 6 + 2 * number;
            known(("part", &parts), part, record("action", i, ""), at);
        }
        for tracks in &action.tracks {
            known(
                ("bone", &bones),
                &tracks.bone,
                record("action", i, ""),
                tracks.at,
            );
        }
    }
    for (i, action) in model.actions.iter().enumerate() {
        let tracks = action.tracks.iter();
        let tracks = tracks.map(|it| (&it.bone, record("action", i, ""), it.at));
        unique(tracks, problems);
    }
}

/// Collects names, and reports those that occur twice.
fn unique<'m>(
    names: impl Iterator<Item = (&'m Name, Record, u64)>,
    problems: &mut Problems,
) -> HashSet<&'m str> {
    let mut known = HashSet::new();
    for (name, record, at) in names {
        if !name.text.is_empty() && !known.insert(&*name.text) {
            add(problems, &rules::DUPLICATE_NAME, record, at, || {
                let found = format!("duplicate name {}", quoted(name.text.as_bytes()));
                format!("{found}; the first is used").into()
            });
        }
    }
    known
}
