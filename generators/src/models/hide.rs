//! Painters of the drakeling.

use glam::{DVec2, DVec3};
use image::{DynamicImage, Rgb, RgbImage};

use super::bake::byte;
use super::drakeling::{EAR, EAR_RAYS, EYE_AT, FINGERS, FLANK, SHOULDER, WRIST};
use super::mesh::Place;
use crate::noise::{cell, fbm, mix, random, smoothstep};
use crate::terrain::textures::{Color, blend, ramp};

const CRIMSON: Color = [0.52, 0.13, 0.115];
const RED: Color = [0.66, 0.19, 0.12];
const CORAL: Color = [0.82, 0.335, 0.16];
const APRICOT: Color = [0.90, 0.56, 0.28];
const CREAM: Color = [0.93, 0.80, 0.55];
const DARK: Color = [0.20, 0.06, 0.085];
const GOLD: Color = [0.95, 0.66, 0.22];

/// Makes colours darker and warmer where other parts occlude the sky.
pub(crate) fn shaded(color: Color, open: f64) -> Color {
    let open = smoothstep(0.05, 0.85, open as f32);
    let shade = [
        mix(0.46, 1.0, open),
        mix(0.36, 1.0, open),
        mix(0.40, 1.0, open),
    ];
    [0, 1, 2].map(|i| color[i] * shade[i])
}

/// Surface noise that is the same on both sides.
fn mottle(at: DVec3, waves: i32, seed: u32) -> f32 {
    let flat = [
        (at.z * 0.1 + 1.0) as f32,
        (at.y * 0.1 + at.x.abs() * 0.06) as f32,
    ];
    fbm(flat, [waves, waves], 3, seed)
}

/// Coverage of a position by a round spot, from 0 to 1.
fn spot(at: DVec3, center: [f64; 3], radius: f64) -> f32 {
    let at = DVec3::new(at.x.abs(), at.y, at.z);
    let near = at.distance(DVec3::from(center)) / radius;
    1.0 - smoothstep(0.75, 1.1, near as f32)
}

/// Trunk, neck, head and tail.
pub(crate) fn body(place: &Place) -> Color {
    let at = place.position;
    let head = smoothstep(1.7, 2.5, at.z as f32);
    let snout = smoothstep(3.2, 4.0, at.z as f32);
    let noise = mottle(at, 9, 301);
    let around = place.around as f32 + 0.035 * noise;
    let along = place.along as f32;
    let back = ramp(
        [CRIMSON, CRIMSON, RED, CORAL, CORAL, APRICOT],
        around / 0.72,
    );
    let mut color = blend(back, CORAL, 0.25 * head);
    // Darker saddles across the back, and round spots on the flanks.
    let tail = smoothstep(9.0, 10.5, along);
    let phase = along * mix(0.95, 1.25, tail);
    let wave = ((phase - phase.floor()) * 2.0 - 1.0).abs();
    let saddle = smoothstep(0.5, 0.72, wave + 0.1 * noise)
        * (1.0 - smoothstep(mix(0.30, 0.46, tail), mix(0.42, 0.58, tail), around))
        * (1.0 - head);
    color = blend(color, DARK, 0.5 * saddle);
    let dots = cell([along / 16.0, around * 0.3], [46, 12], 0.9, 310);
    let size = 0.22 + 0.2 * random(dots.id as i32, 1, 311);
    let dot = smoothstep(size - 0.08, size + 0.04, dots.inside + 0.1)
        * smoothstep(0.2, 0.3, around)
        * (1.0 - smoothstep(0.5, 0.62, around));
    color = blend(color, CRIMSON, 0.55 * dot * (1.0 - 0.5 * head));
    // A belly of broad scutes.
    let belly = smoothstep(0.69, 0.735, around + 0.05 * snout * (1.0 - around));
    let scute = along * 2.6;
    let seam = (scute - scute.floor() - 0.5).abs() * 2.0;
    let edge = smoothstep(0.74, 0.98, seam) * (1.0 - head);
    let pale = blend(CREAM, [0.68, 0.43, 0.27], 0.75 * edge);
    color = blend(color, pale, belly);
    // The face: pale muzzle and cheeks, a mask around the eyes, nostrils, freckles.
    let muzzle = snout * smoothstep(0.38, 0.6, around);
    color = blend(color, blend(APRICOT, CREAM, 0.5), 0.8 * muzzle);
    color = blend(
        color,
        CORAL,
        0.6 * snout * (1.0 - smoothstep(0.15, 0.4, around)),
    );
    color = blend(color, DARK, 0.62 * spot(at, EYE_AT, 0.72));
    color = blend(color, GOLD, 0.8 * spot(at, [0.45, 5.1, 3.25], 0.2));
    color = blend(color, DARK, 0.9 * spot(at, [0.24, 4.27, 4.36], 0.105));
    for freckle in [[0.62, 4.32, 3.75], [0.72, 4.2, 3.52], [0.56, 4.4, 3.5]] {
        color = blend(color, RED, 0.7 * spot(at, freckle, 0.07));
    }
    // Below the mouth line the head is the roof of the mouth.
    let roof =
        head * smoothstep(0.86, 0.92, place.around as f32) * smoothstep(2.6, 2.9, at.z as f32);
    color = blend(color, [0.45, 0.13, 0.15], roof);
    // The fin at the end of the tail.
    let blade = smoothstep(12.85, 13.15, along);
    let vein = smoothstep(0.72, 1.0, (place.around as f32 * 2.0 - 1.0).abs());
    color = blend(color, blend(GOLD, RED, 0.6 * vein), blade);
    let color = color.map(|c| c * (1.0 + 0.09 * noise + 0.06 * mottle(at, 40, 320)));
    shaded(color, place.open)
}

pub(crate) fn leg(place: &Place) -> Color {
    let at = place.position;
    let noise = mottle(at, 11, 330);
    let outer = smoothstep(0.75, 1.3, at.x as f32 + 0.1 * noise);
    let mut color = blend(APRICOT, CORAL, outer);
    let low = at.y as f32 + 0.1 * noise;
    color = blend(color, CRIMSON, 0.9 * (1.0 - smoothstep(0.35, 0.95, low)));
    for [x, y, z, radius] in [
        [1.6, 1.7, -1.2, 0.17],
        [1.6, 1.42, -0.85, 0.12],
        [1.6, 1.35, -1.35, 0.11],
        [1.5, 1.55, 0.6, 0.13],
        [1.5, 1.25, 0.78, 0.09],
    ] {
        color = blend(color, CRIMSON, 0.6 * spot(at, [x, y, z], radius));
    }
    let color = color.map(|c| c * (1.0 + 0.1 * noise));
    let flank = smoothstep(1.35, 1.8, at.y as f32);
    blend(shaded(color, place.open), body(place), flank)
}

pub(crate) fn jaw(place: &Place) -> Color {
    let inner = 1.0 - smoothstep(0.3, 0.42, place.around as f32);
    let lip = blend(
        CREAM,
        APRICOT,
        1.0 - smoothstep(0.5, 0.8, place.around as f32),
    );
    let tongue = 1.0 - smoothstep(0.22, 0.34, place.position.x as f32);
    let mouth = blend([0.42, 0.11, 0.14], [0.86, 0.40, 0.42], tongue);
    let open = place.open.max(0.55 * f64::from(inner));
    shaded(blend(lip, mouth, inner), open)
}

pub(crate) fn arm(place: &Place) -> Color {
    shaded(
        blend(RED, CRIMSON, 0.5 + 0.5 * mottle(place.position, 11, 340)),
        place.open,
    )
}

/// Distance of a position from a line segment, and position along it.
fn near_line(at: DVec3, a: DVec3, b: DVec3) -> [f32; 2] {
    let along = b - a;
    let t = ((at - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    [at.distance(a + along * t) as f32, t as f32]
}

pub(crate) fn wing(place: &Place) -> Color {
    let at = place.position;
    let wrist = DVec3::from(WRIST);
    let reach = (at.distance(wrist) / 3.1) as f32;
    let noise = mottle(at, 12, 350);
    let mut color = ramp(
        [
            [0.74, 0.25, 0.14],
            [0.86, 0.43, 0.17],
            GOLD,
            [0.97, 0.80, 0.42],
        ],
        reach + 0.08 * noise,
    );
    for end in FINGERS.into_iter().chain([FLANK, SHOULDER]) {
        let [near, t] = near_line(at, wrist, DVec3::from(end));
        let width = mix(0.16, 0.045, t);
        color = blend(
            color,
            RED,
            0.85 * (1.0 - smoothstep(0.55 * width, width, near)),
        );
        color = blend(
            color,
            RED,
            0.22 * (1.0 - smoothstep(width, width + 0.35, near)),
        );
    }
    let color = color.map(|c| c * (1.0 + 0.1 * noise));
    shaded(color, 0.35 + 0.65 * place.open)
}

pub(crate) fn ear(place: &Place) -> Color {
    let at = place.position;
    let pivot = DVec3::from(EAR);
    let reach = (at.distance(pivot) / 1.75) as f32;
    let mut color = ramp([RED, CORAL, GOLD, [0.97, 0.80, 0.42]], reach);
    for end in EAR_RAYS {
        let [near, t] = near_line(at, pivot, DVec3::from(end));
        let width = mix(0.15, 0.04, t);
        color = blend(
            color,
            CRIMSON,
            0.8 * (1.0 - smoothstep(0.5 * width, width, near)),
        );
    }
    shaded(color, 0.3 + 0.7 * place.open)
}

/// Horns, spikes and claws, from the base at the bottom to the tip.
pub(crate) fn horn() -> DynamicImage {
    const SIDE: u32 = 64;
    let image = RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let at = [
            (x as f32 + 0.5) / SIDE as f32,
            1.0 - (y as f32 + 0.5) / SIDE as f32,
        ];
        let grain = fbm(at, [10, 4], 3, 360);
        let color = ramp(
            [
                [0.30, 0.15, 0.13],
                [0.56, 0.36, 0.24],
                [0.80, 0.65, 0.46],
                [0.94, 0.87, 0.70],
                [0.97, 0.93, 0.80],
            ],
            at[1] + 0.05 * grain,
        );
        let rib = at[1] * 9.0 + 0.3 * grain;
        let groove = smoothstep(0.6, 0.95, ((rib - rib.floor()) * 2.0 - 1.0).abs()) * (1.0 - at[1]);
        Rgb(color.map(|c| byte(c * (1.0 - 0.28 * groove + 0.08 * grain))))
    });
    DynamicImage::ImageRgb8(image)
}

/// An eye seen from straight ahead, with its upper lid at the top.
pub(crate) fn eye() -> DynamicImage {
    const SIDE: u32 = 64;
    let image = RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let at = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5) / f64::from(SIDE) * 2.0 - 1.0;
        let at = DVec2::new(at.x, -at.y);
        let disc = |center: [f64; 2], size: [f64; 2], soft: f32| {
            let from = (at - DVec2::from(center)) / DVec2::from(size);
            1.0 - smoothstep(1.0 - soft, 1.0 + soft, from.length() as f32)
        };
        let mut color = [0.93, 0.91, 0.84];
        color = blend(
            color,
            [0.05, 0.13, 0.14],
            disc([-0.12, 0.0], [0.76, 0.82], 0.05),
        );
        let glow = ramp(
            [[0.55, 0.93, 0.55], [0.13, 0.66, 0.55], [0.03, 0.34, 0.38]],
            (0.55 + 0.75 * at.y) as f32,
        );
        color = blend(color, glow, disc([-0.12, 0.0], [0.69, 0.75], 0.05));
        color = blend(
            color,
            [0.02, 0.04, 0.06],
            disc([-0.16, 0.02], [0.40, 0.53], 0.06),
        );
        color = blend(
            color,
            [1.0, 1.0, 0.98],
            disc([-0.1, 0.38], [0.22, 0.23], 0.14),
        );
        color = blend(
            color,
            [0.75, 0.95, 0.85],
            0.8 * disc([-0.34, -0.36], [0.13, 0.12], 0.25),
        );
        // The lids' rim.
        let rim = smoothstep(0.79, 0.87, at.length() as f32 + 0.06 * at.y as f32);
        Rgb(blend(color, [0.10, 0.035, 0.05], rim).map(byte))
    });
    DynamicImage::ImageRgb8(image)
}
