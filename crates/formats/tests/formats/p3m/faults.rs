//! The problems of models with one fault each.

use mapscope_formats::p3m::{self, Layout, MaterialAnimation, MaterialKey, P3m};
use mapscope_testdata::tiny_p3m;

use super::facts;

const A: Layout = Layout::A;
const B: Layout = Layout::B;

/// A change of the tiny model in a layout, and the facts of its problems.
type Case = (Layout, fn(&mut P3m), &'static [&'static str]);

macro_rules! cases {
    ($($layout:ident, $change:expr => $($fact:literal),+;)+) => {
        &[$(($layout, $change, &[$($fact),+])),+]
    };
}

static CASES: &[Case] = cases! {
    A, |it| it.flags = 4 =>
        "0x4: warning: p3m/reserved-bits: 0x04";
    A, |it| it.mask_padding = 0x84 =>
        "0x6: warning: p3m/reserved-bits: 0x84";
    A, |it| it.parts[0].flags = 0x81 =>
        "0x7: warning: p3m/reserved-bits (Part 0): 0 0x80";
    A, |it| it.parts[0].positions[2][1] = f32::NAN =>
        "0x35: warning: p3m/not-finite (Part 0), left out: 0 2";
    B, |it| it.parts[0].uvs[3][0] = f32::INFINITY =>
        "0x5a: warning: p3m/not-finite (Part 0), left out: 0 3";
    B, |it| it.parts[0].normals[1][2] = f32::NAN =>
        "0x6e: warning: p3m/not-finite (Part 0), left out: 0 1";
    A, |it| it.parts[0].indices[4] = 4 =>
        "0x97: error: p3m/vertex-index (Part 0), left out: 0 4";
    A, |it| _ = it.parts[1].indices.pop() =>
        "0x120: warning: p3m/triangles (Part 1), left out: 1 2 3";
    A, |it| it.parts[1].groups[0].last_skip = 1 =>
        "0x130: error: p3m/weights (Part 1), left out: 0 1 3 4";
    A, |it| it.parts[1].groups[0].ranges.clear() =>
        "0x127: warning: p3m/empty-group (Part 1): 0 1";
    A, |it| it.parts[1].material = 2 =>
        "0xbb: error: p3m/material-index (Part 1), read: 1 2";
    B, |it| it.parts[0].overrides[0].material = 9 =>
        "0xf: error: p3m/material-index (Part 0), read: 0 2 9";
    A, |it| it.materials[1].texture = 3 =>
        "0x13f: error: p3m/texture-index (Material 1), read: 1 3";
    B, |it| it.materials[0].matcap = 77 =>
        "0x13b: error: p3m/texture-index (Material 0), read: 0 3 77";
    B, |it| keys(it, 3)[1].value[0] = 99 =>
        "0x146: error: p3m/texture-index (Material 1), read: 1 3 99";
    B, |it| keys(it, 0)[1].mode = 4 =>
        "0x173: warning: p3m/key-mode (Material 1), read: 1 3 4";
    A, |it| it.materials[1].mode = 2 =>
        "0x13f: warning: p3m/render-mode (Material 1), read: 1 2";
    B, |it| it.materials[0].mode = 0x42 =>
        "0x13b: warning: p3m/render-mode (Material 0), read: 0 1 2",
        "0x13b: warning: p3m/reserved-bits (Material 0): 0 0x40";
    B, |it| animated(it).flags = 0x23 =>
        "0x14b: warning: p3m/reserved-bits (Material 1): 0x20 1",
        "0x14b: warning: p3m/loop-mode (Material 1), read: 1 2 3";
    B, |it| animated(it).us_per_frame = 0 =>
        "0x147: warning: p3m/frame-time (Material 1): 0 1";
    B, |it| animated(it).matcap_scroll[1] = f32::NAN =>
        "0x15e: warning: p3m/not-finite (Material 1), read: 0 1";
    A, |it| it.textures[2].kind = 7 =>
        "0x158: warning: p3m/texture-type (Texture 2), read: 1 2 7";
    A, |it| it.bones[2].tail[0] = f32::NEG_INFINITY =>
        "0x1aa: warning: p3m/not-finite (Joint 2), read: 1 2";
    A, |it| it.bones[0].children = 3 =>
        "0x180: error: p3m/child-count (Joint 0), read: 0 2 3";
    A, |it| it.bones[0].children = 2 =>
        "0x180: warning: p3m/missing-children (Joint 0): 0 1 2";
    A, lose_tails =>
        "0x166: warning: p3m/lost-tails, read";
    A, |it| it.bones[1].name = it.bones[0].name.clone() =>
        "0x9c: warning: p3m/unknown-name (Part 0): 0 arm",
        "0x266: warning: p3m/unknown-name (Action 1): 1 arm",
        "0x181: warning: p3m/duplicate-name (Joint 1): 1 root";
    A, |it| it.bones[1].name.offset = 60_000 =>
        "0x181: error: p3m/string (Joint 1), left out: 1 49 60000",
        "0x9c: warning: p3m/unknown-name (Part 0): 0 arm",
        "0x266: warning: p3m/unknown-name (Action 1): 1 arm";
    A, |it| it.animations[1].name = it.animations[0].name.clone() =>
        "0x1cd: warning: p3m/duplicate-name (Clip 1): 1 walk";
    B, |it| it.parts[0].overrides[0].animation = it.bones[0].name.clone() =>
        "0xc: warning: p3m/unknown-name (Part 0): 0 root";
    A, |it| it.animations[1].references[0].action = 2 =>
        "0x1d0: error: p3m/action-index (Clip 1), left out: 0 1 2";
    A, |it| it.animations[0].references[1].speed = -0.0 =>
        "0x1c5: warning: p3m/speed (Clip 0), read: -0 0 1";
    A, |it| it.animations[0].references[1].speed = f32::INFINITY =>
        "0x1c5: warning: p3m/not-finite (Clip 0), read: 0 1";
    A, |it| it.animations[0].references[1].start = 4 =>
        "0x1c9: warning: p3m/downward (Clip 0), read: 0 1 3 4";
    A, |it| it.actions[1].us_per_frame = 0 =>
        "0x25d: warning: p3m/frame-time (Action 1): 0 1";
    A, |it| it.actions[1].part_list_mode = 4 =>
        "0x261: warning: p3m/part-list-mode (Action 1), read: 0 1 3 4";
    A, |it| it.actions[1].parts[0] = it.bones[0].name.clone() =>
        "0x263: warning: p3m/unknown-name (Action 1): 1 root";
    A, |it| it.actions[1].tracks.clear() =>
        "0x25d: warning: p3m/no-tracks (Action 1): 1";
    A, |it| it.actions[0].tracks[1].bone = it.actions[0].tracks[0].bone.clone() =>
        "0x23c: warning: p3m/duplicate-name (Action 0): 0 root";
    A, |it| it.actions[0].tracks[1].bone = it.parts[0].name.clone() =>
        "0x23c: warning: p3m/unknown-name (Action 0): 0 body";
    A, |it| it.actions[0].tracks[1].rotation[1].mode = 2 =>
        "0x244: warning: p3m/key-mode (Action 0), read: 0 1 2";
    A, |it| it.actions[0].tracks[1].rotation[1].value[2] = f32::NAN =>
        "0x251: warning: p3m/not-finite (Action 0), read: 0 1";
    A, |it| it.strings.resize(65_536, 0) =>
        "0x287: error: p3m/strings-size: 65535 65536";
    A, |it| it.strings.truncate(it.strings.len() - 1) =>
        "0x2b7: warning: p3m/unterminated-string (Clip 0), read: 0";
    A, |it| it.strings[1] = 0xFF =>
        "0x1cd: warning: p3m/encoding (Clip 1), read: 1 UTF-8 r\\xffn";
    B, |it| it.fields[0].kind |= 0xC0 =>
        "0x2c5: warning: p3m/reserved-bits: 0 0xc0";
    B, |it| it.fields[1].bytes[1] = 9 =>
        "0x2cb: error: p3m/string, left out: 1 2353 84";
    B, |it| it.fields[2].kind = 0x2C =>
        "0x2cf: error: p3m/field-type, left out: 11 12 2";
    B, |it| it.fields[3].kind = 0x1F =>
        "0x2d2: error: p3m/field-type, left out: 11 15 3";
    B, |it| it.fields[3].bytes[1] = 8 =>
        "0x2d3: error: p3m/field-elements, left out: 2050 3 56";
    B, |it| it.fields[3].kind = 0x10 =>
        "0x30f: error: p3m/string, left out: 25185 3 84",
        "0x311: error: p3m/string, left out: 25699 3 84";
};

#[test]
fn each_fault_is_one_problem_at_its_place() {
    for (i, (layout, change, expected)) in CASES.iter().enumerate() {
        let mut model = tiny_p3m(*layout).unwrap();
        change(&mut model);
        let read = p3m::read(&p3m::write(&model).unwrap()).unwrap();
        assert_eq!(&facts(&read.problems), expected, "case {i}");
        assert_eq!(read.layout, *layout, "case {i}");
    }
}

/// The animation of the animated material.
fn animated(model: &mut P3m) -> &mut MaterialAnimation {
    model.materials[1].animation.as_mut().unwrap()
}

/// The keys of a track of the animated material.
fn keys(model: &mut P3m, track: usize) -> &mut [MaterialKey] {
    &mut animated(model).tracks[track]
}

/// Gives all tails the height and depth of their heads.
fn lose_tails(model: &mut P3m) {
    for bone in &mut model.bones {
        bone.tail[1..].copy_from_slice(&bone.head[1..]);
    }
}
