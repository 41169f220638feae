//! The built-in demo scene equals the output of its generator and is valid.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use glam::Vec3;
use mapscope_formats::pfobj::Pfobj;
use mapscope_formats::pfscene::{ENTITY_ATTRIBUTES, Pfscene, Value, ValueType};
use mapscope_formats::{pfobj, pfscene};
use mapscope_scene::map_scene::MapScene;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{OpenOptions, Progress, demo};

use super::super::Files;
use super::ground::{Ground, world};
use super::models::MODELS;
use super::{files, layout};
use crate::terrain::map::{PATHS, ROADS, distance, distance_from_lines};

static FILES: LazyLock<Files> = LazyLock::new(|| files().unwrap());

fn scene() -> MapScene {
    let source = demo::HAMLET.source();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let pfscene = pfscene::read(&source.bytes).unwrap();
    MapScene::build(pfscene, &source, &options, &progress).unwrap()
}

fn models() -> impl Iterator<Item = (&'static str, Pfobj)> {
    FILES.iter().filter_map(|(name, bytes)| {
        let name = name.strip_suffix(".pfobj")?.rsplit('/').next()?;
        Some((name, pfobj::read(bytes).unwrap()))
    })
}

#[test]
fn the_assets_are_what_the_generator_makes() {
    let assets = crate::assets().join("demo");
    let source = demo::HAMLET.source();
    for (name, made) in FILES.iter() {
        let kept = std::fs::read(assets.join(name)).unwrap_or_default();
        let hint = "run `cd generators && cargo run -- scene`";
        assert!(
            kept == *made,
            "{name} is not what the generator makes: {hint}"
        );
        // Models are named by their paths, textures by the names in models.
        let ends = |(part, _): &&(&str, &[u8])| name == part || name.ends_with(&format!("/{part}"));
        let part = source.embedded.iter().find(ends);
        let bytes = part.map_or(&*source.bytes, |(_, bytes)| *bytes);
        assert!(bytes == made, "{name} is in the program");
    }
    let names: HashSet<&str> = FILES.iter().map(|(name, _)| name.as_str()).collect();
    for entry in std::fs::read_dir(assets.join(super::FOLDER)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{}/{name}", super::FOLDER);
        assert!(names.contains(&*path), "{name} is made by the generator");
    }
    let total: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(total < 2_400_000, "{total} bytes are small enough");
}

#[test]
fn nothing_is_wrong_with_the_scene() {
    use mapscope_scene::Document as _;
    let scene = scene();
    assert_eq!(scene.about().problems, []);
    let entities = &scene.pfscene().entities;
    let count = entities.len();
    assert!((150..=400).contains(&count), "{count} entities");
    for model in MODELS {
        let is_used = entities.iter().any(|entity| entity.model == model.path());
        assert!(is_used, "{} stands somewhere", model.name);
    }
    assert!(scene.animation().is_some());
}

/// The scene contains every feature, so that it reveals gaps in other readers.
#[test]
fn the_scene_has_every_kind_of_section_and_attribute() {
    let scene: Pfscene = layout::scene();
    let names: HashSet<&str> = scene.sections.iter().map(|s| s.kind.name()).collect();
    assert_eq!(names.len(), 5);
    let attributes: Vec<_> = scene
        .entities
        .iter()
        .flat_map(|e| &e.attributes.0)
        .collect();
    for known in ENTITY_ATTRIBUTES {
        let is_used = attributes
            .iter()
            .any(|attribute| attribute.key == known.key);
        assert!(is_used, "{} is used", known.key);
    }
    for wanted in [
        ValueType::String,
        ValueType::Int,
        ValueType::Float,
        ValueType::Bool,
        ValueType::Vec2,
        ValueType::Vec3,
        ValueType::Quat,
    ] {
        let of_type = |value: &Value| value.value_type() == Some(wanted);
        let is_used = attributes.iter().any(|attribute| of_type(&attribute.value));
        assert!(is_used, "{} is used", wanted.name());
    }
    assert!(scene.regions.iter().any(|region| region.shape_type == 0));
    assert!(scene.regions.iter().any(|region| region.shape_type == 1));
    assert!(!scene.cameras.is_empty() && scene.general.emit_light_pos.is_some());
}

#[test]
fn the_ground_is_as_high_as_the_terrain_of_the_program() {
    let scene = scene();
    let terrain: &Arc<Terrain> = scene.terrain().unwrap();
    let ground = Ground::new();
    for row in 0..256 {
        for column in 0..256 {
            // In both halves of every tile, and beside their diagonals.
            let at = [column as f32 * 0.5 + 0.12, row as f32 * 0.5 + 0.31];
            let [x, z] = world(at);
            let (own, theirs) = (ground.height(at).unwrap(), terrain.height_at(x, z).unwrap());
            assert!((own - theirs).abs() < 1e-3, "{at:?}: {own} {theirs}");
        }
    }
}

#[test]
fn houses_stand_on_level_ground_off_the_roads_and_apart_from_each_other() {
    let ground = Ground::new();
    let is_house = |name: &str| {
        ["cottage", "barn", "chapel", "windmill"]
            .iter()
            .any(|house| name.contains(house))
    };
    let houses: Vec<_> = layout::PLAN
        .iter()
        .filter(|(name, ..)| is_house(name))
        .collect();
    assert!(houses.len() > 15);
    for (i, (name, at, _)) in houses.iter().enumerate() {
        assert!(ground.is_level(*at, 1.5), "{name} at {at:?} is level");
        let roads = distance_from_lines(*at, &ROADS).min(distance_from_lines(*at, &PATHS));
        assert!(roads > 2.4, "{name} at {at:?} is {roads} from a road");
        for (other, place, _) in &houses[..i] {
            let apart = distance(*at, *place);
            assert!(
                apart > 3.6,
                "{name} and {other} at {place:?} are {apart} apart"
            );
        }
    }
}

#[test]
fn the_models_are_sound() {
    for (name, model) in models() {
        assert_eq!(model.problems, [], "{name}");
        let triangles = model.triangle_count();
        assert!(
            (20..2000).contains(&triangles),
            "{name}: {triangles} triangles"
        );
        let textured = |texture: &str| {
            demo::HAMLET
                .source()
                .embedded
                .iter()
                .any(|(n, _)| *n == texture)
        };
        assert!(
            model
                .materials
                .iter()
                .all(|material| textured(&material.texture)),
            "{name}"
        );
        // Leaves are lit like the crown that carries them; everything else is lit by its own
        // normals.
        let is_card = |material: u32| {
            let texture = &model.materials[material as usize].texture;
            texture == "leaves.png" || texture == "plants.png"
        };
        for corners in model.vertices.chunks(3).filter(|c| !is_card(c[0].material)) {
            let [a, b, c] = [0, 1, 2].map(|i| Vec3::from(corners[i].position));
            let normal: Vec3 = corners.iter().map(|v| Vec3::from(v.normal)).sum();
            assert!(
                (b - a).cross(c - a).dot(normal) > 0.0,
                "{name} shows its outside at {corners:?}"
            );
        }
        for vertex in &model.vertices {
            let influences = model.influences_of(vertex);
            assert_eq!(influences.is_empty(), model.joints.is_empty(), "{name}");
            let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
            assert!(influences.is_empty() || (sum - 1.0).abs() < 1e-5, "{name}");
        }
        let low = model.bounds.unwrap().min[1];
        // Rocks, bushes and piles of the jetty extend into the ground.
        let is_rooted = ["rocks", "bush", "jetty"].contains(&name);
        assert!(
            is_rooted == (low < -0.05) && low < 0.3,
            "{name} stands at {low}"
        );
    }
}

/// All idle clips restart together after a minute, and none jumps when it restarts.
#[test]
fn clips_go_into_a_minute_and_do_not_jump() {
    let mut moving = 0;
    for (name, model) in models() {
        for clip in &model.clips {
            moving += 1;
            assert_eq!(1440 % clip.frame_count, 0, "{name}: {}", clip.name);
            if name == "windmill" {
                // Its sails look the same after a quarter turn.
                continue;
            }
            let poses: Vec<_> = clip.poses.chunks(model.joints.len()).collect();
            let step = |a: usize, b: usize| {
                let moved = poses[a].iter().zip(poses[b]).map(|(a, b)| {
                    let [a, b] = [a, b].map(|pose| match pose.rotation {
                        pfobj::Rotation::ConjugatedQuaternion(quat) => glam::Quat::from_array(quat),
                        pfobj::Rotation::EulerDegrees(_) => glam::Quat::IDENTITY,
                    });
                    a.normalize().angle_between(b.normalize())
                });
                moved.fold(0.0, f32::max)
            };
            let steps: Vec<f32> = (1..poses.len()).map(|i| step(i - 1, i)).collect();
            let longest = steps.iter().copied().fold(0.0, f32::max);
            let last = step(poses.len() - 1, 0);
            assert!(
                longest > 0.0 && last <= longest * 1.05,
                "{name}: {}",
                clip.name
            );
        }
    }
    assert_eq!(moving, 4 * 2 + 4);
}

/// The door of a cottage is 6.6 units high.
#[test]
fn villagers_fit_through_doors() {
    let (_, villager) = models().find(|(name, _)| *name == "villager_blue").unwrap();
    let tall = villager.bounds.unwrap().max[1];
    for entity in layout::scene().entities {
        if entity.model.contains("villager") {
            let scale = entity
                .attributes
                .value("scale")
                .and_then(Value::vec3)
                .unwrap()[1];
            let height = scale * tall;
            assert!(
                (5.0..7.4).contains(&height),
                "{} is {height} tall",
                entity.name
            );
        }
    }
}
