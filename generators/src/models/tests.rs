//! The models on the start page equal the output of their generator and are valid.

use std::collections::HashSet;
use std::sync::LazyLock;

use glam::Vec3;
use mapscope_formats::pfobj;

use super::model::Made;
use super::{files_of, models};

static MODELS: LazyLock<Vec<(&str, Made)>> = LazyLock::new(|| models().unwrap());

#[test]
fn the_models_are_what_the_generator_makes() {
    let folder = crate::assets().join("models");
    let made = super::files().unwrap();
    for (name, made) in &made {
        let kept = std::fs::read(folder.join(name)).unwrap();
        let hint = "run `cd generators && cargo run -- models`";
        assert!(
            kept == *made,
            "{name} is not what the generator makes: {hint}"
        );
        // The engine reads no longer lines.
        assert!(!name.contains(".pfobj") || kept.split(|&b| b == b'\n').all(|l| l.len() < 255));
    }
    let names: HashSet<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&*name), "{name} is made by the generator");
    }
    let total: usize = made.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(total < 1_500_000, "{total} bytes are small enough");
}

#[test]
fn our_models_read_as_they_were_made() {
    let files = files_of(&MODELS);
    for (name, made) in MODELS.iter() {
        let file = files.iter().find(|file| file.0 == format!("{name}.pfobj"));
        let model = pfobj::read(&file.unwrap().1).unwrap();
        assert_eq!(model.problems, [], "{name}");
        assert!(
            pfobj::write(&model) == pfobj::write(&made.model),
            "{name} loses nothing where its numbers are shortened"
        );
        for material in &model.materials {
            let texture = files.iter().find(|file| file.0 == material.texture);
            image::load_from_memory(&texture.unwrap().1).unwrap();
        }
        let used: HashSet<u32> = model.vertices.iter().map(|v| v.material).collect();
        assert_eq!(used.len(), model.materials.len(), "{name} uses what it has");
        // Triangles are counter-clockwise as seen from the side of their normals.
        for corners in model.vertices.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|i| Vec3::from(corners[i].position));
            let normal: Vec3 = corners.iter().map(|v| Vec3::from(v.normal)).sum();
            assert!(
                (b - a).cross(c - a).dot(normal) > 0.0,
                "{name} shows its outside at {corners:?}"
            );
        }
    }
}

#[test]
fn the_drakeling_is_rigged_and_moves() {
    let (_, made) = MODELS
        .iter()
        .find(|(name, _)| *name == "drakeling")
        .unwrap();
    let model = &made.model;
    let clips: Vec<_> = model
        .clips
        .iter()
        .map(|c| (&*c.name, c.frame_count))
        .collect();
    assert_eq!(clips, [("Idle", 48), ("Walk", 32), ("Jump", 36)]);
    assert_eq!(model.joints.len(), 30);
    assert!(
        model
            .joints
            .iter()
            .zip(0..)
            .all(|(joint, i)| joint.parent.is_none_or(|p| p < i))
    );
    let triangles = model.vertices.len() / 3;
    assert!((600..1500).contains(&triangles), "{triangles} triangles");
    let blended = model
        .vertices
        .iter()
        .filter(|v| v.influence_count > 1)
        .count();
    assert!(
        3 * blended > model.vertices.len(),
        "joints blend into each other"
    );
    for vertex in &model.vertices {
        let influences = model.influences_of(vertex);
        assert!((1..=4).contains(&influences.len()));
        let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
        assert!((sum - 1.0).abs() < 1e-5);
    }
    // It stands on the ground, and leaves it in one clip only.
    for clip in &model.clips {
        let off = |bounds: &pfobj::Bounds| bounds.min[1].abs() > 0.03;
        assert_eq!(
            clip.bounds.iter().flatten().any(off),
            clip.name == "Jump",
            "{}",
            clip.name
        );
    }
    // No clip jumps when it restarts: it moves as much there as elsewhere.
    for clip in &model.clips {
        let poses: Vec<_> = clip.poses.chunks(model.joints.len()).collect();
        let step = |a: usize, b: usize| {
            let moved = poses[a]
                .iter()
                .zip(poses[b])
                .map(|(a, b)| Vec3::from(a.translation).distance(Vec3::from(b.translation)));
            moved.fold(0.0, f32::max)
        };
        let steps: Vec<f32> = (1..poses.len()).map(|i| step(i - 1, i)).collect();
        let longest = steps.iter().copied().fold(0.0, f32::max);
        assert!(
            longest > 0.0 && step(poses.len() - 1, 0) <= longest,
            "{}",
            clip.name
        );
    }
}
