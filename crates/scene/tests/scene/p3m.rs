//! P3M models through the public interface: samples against their sidecar files.

use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use mapscope_scene::model::Model;
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::{
    self, Animation as _, Document, Item, ModelItem, OpenOptions, Playhead, Progress, Ray, Shown,
    Source, Textures as _,
};
use mapscope_testdata::shared;
use serde_json::Value;

/// Samples with moments of their animations.
const NAMES: [&str; 4] = ["figure_a", "figure_b", "exporter_a", "mini_b"];
/// Maximum distance of a skinned vertex from the sidecar's, in metres.
const TOLERANCE: f32 = 1e-4;

fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// The samples with animations: name, document and sidecar.
fn samples() -> Vec<(&'static str, Arc<dyn Document>, Value)> {
    let found = NAMES.into_iter().filter_map(|name| {
        let path = shared(&format!("samples/platinumsrc/{name}.p3m"))?;
        let truth = std::fs::read_to_string(path.with_extension("json")).unwrap();
        Some((name, open(&path), serde_json::from_str(&truth).unwrap()))
    });
    found.collect()
}

fn numbers(value: &Value) -> Vec<f32> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|it| it.as_f64().unwrap() as f32).collect()
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from_slice(&numbers(value))
}

#[test]
fn vertices_are_skinned_as_the_sidecars_say() {
    for (name, document, truth) in samples() {
        let model: &Model = document.content().unwrap();
        let animations = truth["animations"].as_array().unwrap();
        assert_eq!(model.clips().len(), animations.len(), "{name}");
        for (clip, animation) in animations.iter().enumerate() {
            assert_eq!(model.clips()[clip].frames, animation["frames"]);
            for moment in animation["moments"].as_array().unwrap() {
                let at = format!("{name}, clip {clip}, {}", moment["clip_frame"]);
                let playhead = Playhead {
                    clip: Some(clip),
                    frame: moment["clip_frame"].as_f64().unwrap() as f32,
                    smooth: true,
                    blend: None,
                };
                let mut palette = vec![SkinMatrix::IDENTITY; model.palette_len()];
                model.write_palette(playhead, &mut palette);
                let bones = moment["bones"].as_array().unwrap();
                for (bone, matrix) in bones.iter().enumerate() {
                    let rows = numbers(matrix);
                    let own: Vec<f32> = palette[bone].rows.as_flattened().to_vec();
                    let apart = own.iter().zip(&rows).map(|(a, b)| (a - b).abs());
                    let apart = apart.fold(0.0, f32::max);
                    assert!(apart < TOLERANCE, "{at}: bone {bone}: {apart}");
                }
                let mut vertices = model.mesh().vertices.iter();
                for part in moment["skinned"].as_array().unwrap() {
                    for place in part.as_array().unwrap() {
                        let vertex = vertices.next().unwrap();
                        let (posed, _) = model.mesh().skinned(vertex, &palette);
                        let apart = posed.distance(vector(place));
                        assert!(apart < TOLERANCE, "{at}: {posed} {place}");
                    }
                }
                assert!(vertices.next().is_none(), "{at}");

                let drawn = model.materials_of_parts(model.part_state(playhead));
                let names = truth["parts"].as_array().unwrap().iter().zip(drawn);
                let seen: Vec<&Value> = names
                    .filter(|(_, material)| material.is_some())
                    .map(|(part, _)| &part["name"])
                    .collect();
                let expected: Vec<&Value> = moment["visible"].as_array().unwrap().iter().collect();
                assert_eq!(seen, expected, "{at}");
            }
        }
    }
}

#[test]
fn triangles_show_the_texels_that_the_sidecars_name() {
    for (name, document, truth) in samples() {
        let model: &Model = document.content().unwrap();
        let file = model.p3m().unwrap();
        for texel in truth["texels"].as_array().into_iter().flatten() {
            let index = |key: &str| texel[key].as_u64().unwrap() as usize;
            let part = &file.parts[index("part")];
            let first = model.mesh().parts[index("part")].indices.start as usize;
            let corners = &model.mesh().indices[first + 3 * index("triangle")..][..3];
            let uv = corners
                .iter()
                .map(|at| model.mesh().vertices[*at as usize].uv);
            let [u, v] = uv.fold([0.0; 2], |sum, uv| [0, 1].map(|i| sum[i] + uv[i] / 3.0));
            let material = Item::from(ModelItem::Material {
                index: part.material.into(),
            });
            let texture = model.image(material).unwrap();
            let [width, height] = texture.size.map(|side| side as f32);
            let (x, y) = (
                u.rem_euclid(1.0) * width,
                (1.0 - v).rem_euclid(1.0) * height,
            );
            let at = (y as usize * texture.size[0] as usize + x as usize) * 4;
            let own = texture.levels[0][at..at + 4].to_vec();
            let shown: Vec<f32> = own.into_iter().map(f32::from).collect();
            assert_eq!(shown, numbers(&texel["value"]), "{name}: {texel}");
        }
    }
}

#[test]
fn a_ray_hits_the_outside_of_visible_parts() {
    for (name, document, truth) in samples() {
        let model: &Model = document.content().unwrap();
        let shown = Shown::default();
        let mut hits = 0;
        for (at, part) in truth["parts"].as_array().unwrap().iter().enumerate() {
            let indices = model.mesh().parts[at].indices.clone();
            for first in indices.step_by(3) {
                let corners = [0, 1, 2].map(|corner| {
                    let vertex = model.mesh().indices[first as usize + corner];
                    Vec3::from(model.mesh().vertices[vertex as usize].position)
                });
                let [a, b, c] = corners;
                let Some(outward) = (b - a).cross(c - a).try_normalize() else {
                    continue;
                };
                let middle = (a + b + c) / 3.0;
                let ray = Ray {
                    origin: middle + outward * 1e-3,
                    direction: -outward,
                };
                let hit = document.pick(ray, &shown);
                let is_hit = hit.is_some_and(|hit| hit.distance < 2e-3);
                assert!(!is_hit || part["visible"] == true, "{name}: part {at}");
                hits += usize::from(is_hit);
            }
        }
        assert!(hits > 10, "{name}: {hits}");
    }
}

#[test]
fn bones_stand_where_the_file_says() {
    for (name, document, truth) in samples() {
        let model: &Model = document.content().unwrap();
        for (index, bone) in truth["bones"].as_array().unwrap().iter().enumerate() {
            let global: Affine3A = model.skeleton().bind_global(index);
            let head = Vec3::from(global.translation);
            assert!(
                head.distance(vector(&bone["head"])) < TOLERANCE,
                "{name}: {index}"
            );
            let along = global.transform_vector3(Vec3::Z);
            let apart = along.distance(vector(&bone["direction"]));
            assert!(apart < TOLERANCE, "{name}: {index}: {along}");
        }
    }
}
