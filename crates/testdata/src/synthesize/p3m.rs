//! Synthetic models of `PlatinumSrc` for measurements.

use mapscope_formats::WriteError;
use mapscope_formats::p3m::{
    Action, Animation, Bone, BoneTracks, Group, Key, Layout, Material, NO_TEXTURE, Name, P3m, Part,
    Reference, StringsBuilder, Texture, TextureContent, weight_ranges,
};

use super::pfobj::{FRAMES, HEIGHT, JOINT_LENGTH, JOINTS, Point, point, turn, weights};
use super::ppe::PPE_SHEET;

/// Maximum number of triangles of a part: a part has at most 65535 indices.
const PART_TRIANGLES: u32 = 65535 / 3;
/// Frames between the keys of a bone.
const KEY_DISTANCE: u32 = 8;
const US_PER_FRAME: u32 = 40_000;

/// Generates a model of layout A with `triangles` triangles, at most 5 million: the stalk of
/// [`pfobj`](super::pfobj()) as indexed parts, each with at most 21845 triangles. Its skeleton has 16
/// bones, two of which influence each vertex. Its texture is [`ppe_sheet`](super::ppe_sheet). The
/// model depends only on the arguments.
///
/// # Errors
/// Fails only if the strings are too long, which does not happen.
pub fn p3m(triangles: u32, seed: u64) -> Result<P3m, WriteError> {
    let around = ((triangles as f32 / 6.0).sqrt() as u32).max(3);
    let rings = triangles.div_ceil(2 * around).max(1);
    let rings_per_part = (PART_TRIANGLES / (2 * around)).max(1);
    let mut strings = StringsBuilder::default();
    let bones = (0..JOINTS).map(|number| strings.add(&format!("bone_{number}")));
    let bones = bones.collect::<Result<Vec<_>, _>>()?;
    let mut model = P3m::empty(Layout::A, 0);
    let mut left = triangles;
    for first in (0..rings).step_by(rings_per_part as usize) {
        let last = (first + rings_per_part).min(rings);
        let count = (2 * around * (last - first)).min(left);
        left -= count;
        let points = (first..=last).flat_map(|ring| {
            let height = ring as f32 / rings as f32;
            (0..=around).map(move |step| point(height, step, around, seed))
        });
        let points: Vec<Point> = points.collect();
        let name = strings.add(&format!("part_{}", model.parts.len()))?;
        let indices = indices(around, count);
        let material = u8::from(2 * first > rings);
        model
            .parts
            .push(part(name, material, &points, indices, &bones));
    }
    model.materials = [[200, 160, 120], [120, 220, 90]].map(material).to_vec();
    model.textures = vec![Texture {
        at: 0,
        kind: 1,
        content: TextureContent::External(strings.add(PPE_SHEET)?),
    }];
    model.bones = bones.iter().zip(0..).map(bone).collect();
    model.animations = vec![Animation {
        name: strings.add("Sway")?,
        at: 0,
        references: vec![Reference {
            at: 0,
            action: 0,
            speed: 1.0,
            start: 0,
            end: FRAMES as u16 - 1,
        }],
    }];
    model.actions = vec![Action {
        at: 0,
        us_per_frame: US_PER_FRAME,
        part_list_mode: 0,
        parts: Vec::new(),
        tracks: bones.into_iter().map(tracks).collect(),
    }];
    model.strings = strings.finish();
    Ok(model)
}

/// The first triangles of a grid with `around` squares to each row of points.
fn indices(around: u32, triangles: u32) -> Vec<u16> {
    let squares = 0..triangles.div_ceil(2);
    let corners = squares.flat_map(|square| {
        let a = square / around * (around + 1) + square % around;
        let [b, c, d] = [a + 1, a + around + 1, a + around + 2];
        [a, b, c, b, d, c]
    });
    let corners = corners.take(3 * triangles as usize);
    corners.map(|corner| corner as u16).collect()
}

fn part(name: Name, material: u8, points: &[Point], indices: Vec<u16>, bones: &[Name]) -> Part {
    let groups = bones.iter().zip(0..).filter_map(|(bone, number)| {
        let weights = points.iter().map(|point| weight(point, number));
        let ranges = weight_ranges(weights);
        (!ranges.is_empty()).then(|| Group {
            bone: bone.clone(),
            at: 0,
            ranges,
            last_skip: 0,
        })
    });
    Part {
        name,
        at: 0,
        flags: 0x01,
        is_visible: true,
        material,
        overrides: Vec::new(),
        positions: points.iter().map(|point| point.position).collect(),
        uvs: points.iter().map(|point| point.uv).collect(),
        normals: points.iter().map(|point| point.normal).collect(),
        indices,
        vertices_at: 0,
        indices_at: 0,
        groups: groups.collect(),
    }
}

/// The weight of a bone on a point, as written; `None` without influence.
fn weight(point: &Point, bone: u32) -> Option<u8> {
    let influences = weights(point.position[1]).into_iter();
    let of_bone = influences.filter(|influence| influence.joint == bone);
    let weight = of_bone.map(|influence| influence.weight).sum::<f32>();
    let steps = (weight * 256.0).round() as u32;
    Some(steps.checked_sub(1)?.min(255) as u8)
}

fn material([r, g, b]: [u8; 3]) -> Material {
    Material {
        at: 0,
        mode: 0,
        color: [r, g, b, 255],
        emission: [0; 3],
        shading: 255,
        texture: 0,
        matcap: NO_TEXTURE,
        animation: None,
    }
}

/// A bone of the upright chain.
fn bone((name, number): (&Name, u32)) -> Bone {
    let height = |joint: u32| HEIGHT.min(joint as f32 * JOINT_LENGTH);
    Bone {
        name: name.clone(),
        at: 0,
        head: [0.0, height(number), 0.0],
        tail: [0.0, height(number + 1), 0.0],
        children: u8::from(number + 1 < JOINTS),
        parent: number.checked_sub(1),
    }
}

/// Rotation keys about the Z axis of a bone.
fn tracks(bone: Name) -> BoneTracks {
    let frames = (0..=FRAMES).step_by(KEY_DISTANCE as usize);
    let rotation = frames.map(|frame| Key {
        skip: if frame == 0 {
            0
        } else {
            KEY_DISTANCE as u8 - 1
        },
        frame,
        mode: 1,
        value: [0.0, 0.0, turn(frame)],
    });
    BoneTracks {
        bone,
        at: 0,
        translation: Vec::new(),
        rotation: rotation.collect(),
        scale: Vec::new(),
    }
}
