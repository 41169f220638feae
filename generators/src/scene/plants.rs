//! Trees, bushes, reeds, flowers and rocks.

use glam::{DVec2, DVec3};

use super::kit::{Kit, moved, v};
use super::paint::{
    BARK, EARTH, FLOWERS, FOLIAGE, GRASS, Hue, LEAVES, NEEDLES, PLANTS, REEDS, ROCK, WHEAT,
    between, hue,
};
use crate::maths::{cosine, sine};
use crate::noise::random;

/// A trunk through points with radii.
fn trunk(kit: &mut Kit, path: &[(DVec3, f64)], sides: usize) {
    for pair in path.windows(2) {
        let [(from, wide), (to, narrow)] = [pair[0], pair[1]];
        for side in 0..sides {
            let at = |n: usize, (center, radius): (DVec3, f64)| {
                let turns = n as f64 / sides as f64;
                center + v(cosine(turns), 0.0, -sine(turns)) * radius
            };
            let [a, b] = [side, side + 1].map(|n| at(n, (from, wide)));
            let [c, d] = [side + 1, side].map(|n| at(n, (to, narrow)));
            kit.polygon(&BARK, &[a, b, c, d]);
        }
    }
}

/// A cloud of leaves: a dark lump, covered with sprays.
fn crown(kit: &mut Kit, center: DVec3, radii: DVec3, sprays: i32, size: f64, seed: u32) {
    kit.lump(&FOLIAGE, center, radii * 0.92, [7, 4], 0.16, seed);
    for i in 0..sprays {
        let pick = |n| f64::from(random(i, n, seed + 40));
        let y = 1.0 - (f64::from(i) + 0.5) * 1.72 / f64::from(sprays);
        let turns = f64::from(i) * 0.381_966 + 0.08 * pick(0);
        let wide = (1.0 - y * y).max(0.0).sqrt();
        let out = v(cosine(turns) * wide, y, sine(turns) * wide);
        let look = (out + v(pick(1) - 0.5, 0.25 + 0.4 * pick(2), pick(3) - 0.5) * 0.7).normalize();
        let side = look.any_orthonormal_vector();
        let spin = pick(4);
        let right = side * cosine(spin) + look.cross(side) * sine(spin);
        let half = size * (0.8 + 0.45 * pick(5));
        let at = center + out * radii * (0.86 + 0.12 * pick(6));
        let light = between(out, look + DVec3::Y * 0.4);
        kit.card(
            &LEAVES,
            at,
            [right * half, look.cross(right) * half],
            [0.0, 0.0, 1.0, 1.0],
            false,
            Some(light),
        );
    }
}

pub(super) fn oak(kit: &mut Kit) {
    trunk(
        kit,
        &[
            (v(0.0, 0.0, 0.0), 2.3),
            (v(0.1, 1.6, 0.0), 1.5),
            (v(0.4, 8.0, 0.2), 1.1),
            (v(0.0, 14.0, 0.0), 0.8),
        ],
        7,
    );
    trunk(kit, &[(v(0.3, 7.0, 0.2), 0.7), (v(4.5, 12.0, 1.5), 0.4)], 4);
    trunk(
        kit,
        &[(v(0.3, 8.0, 0.2), 0.7), (v(-4.5, 13.0, 0.5), 0.4)],
        4,
    );
    for (center, radii, sprays, seed) in [
        (v(0.0, 19.5, 0.0), v(6.8, 5.6, 6.8), 20, 11),
        (v(5.4, 14.6, 2.2), v(4.8, 4.0, 4.8), 12, 12),
        (v(-5.2, 15.4, 0.8), v(4.8, 4.0, 4.8), 12, 13),
        (v(0.2, 15.0, -5.0), v(4.6, 3.8, 4.6), 10, 14),
    ] {
        crown(kit, center, radii, sprays, 3.0, seed);
    }
}

pub(super) fn apple_tree(kit: &mut Kit) {
    trunk(
        kit,
        &[
            (v(0.0, 0.0, 0.0), 1.1),
            (v(0.2, 1.0, 0.0), 0.7),
            (v(-0.2, 5.5, 0.2), 0.55),
            (v(0.0, 8.0, 0.0), 0.4),
        ],
        6,
    );
    crown(kit, v(0.0, 10.4, 0.0), v(5.0, 4.0, 5.0), 18, 2.4, 21);
    crown(kit, v(3.0, 8.2, 1.0), v(2.8, 2.4, 2.8), 7, 1.9, 22);
    for i in 0..14 {
        let pick = |n| f64::from(random(i, n, 27));
        let turns = f64::from(i) * 0.381_966;
        let y = 0.7 - 1.2 * pick(0);
        let wide = (1.0 - y * y).sqrt();
        let at = v(0.0, 10.2, 0.0)
            + v(
                cosine(turns) * wide * 5.4,
                y * 4.2,
                sine(turns) * wide * 5.4,
            );
        let color = if pick(1) < 0.7 { Hue::Red } else { Hue::Ochre };
        kit.lump(hue(color, 0.62), at, DVec3::splat(0.5), [4, 2], 0.0, 28);
    }
}

/// A slender tree with a light stem.
pub(super) fn birch(kit: &mut Kit) {
    let path = [
        (v(0.0, 0.0, 0.0), 0.75),
        (v(0.3, 7.0, 0.2), 0.55),
        (v(0.0, 15.0, 0.0), 0.35),
        (v(0.2, 21.0, 0.1), 0.1),
    ];
    for pair in path.windows(2) {
        let [(from, wide), (to, narrow)] = [pair[0], pair[1]];
        for side in 0..6 {
            let at = |n: i32, (center, radius): (DVec3, f64)| {
                let turns = f64::from(n) / 6.0;
                center + v(cosine(turns), 0.0, -sine(turns)) * radius
            };
            let corners = [
                at(side, (from, wide)),
                at(side + 1, (from, wide)),
                at(side + 1, (to, narrow)),
                at(side, (to, narrow)),
            ];
            let tone = if side % 3 == 1 { 0.3 } else { 0.55 };
            kit.polygon(hue(Hue::Wool, tone), &corners);
        }
    }
    crown(kit, v(0.2, 19.0, 0.0), v(3.2, 4.8, 3.2), 14, 2.2, 31);
    crown(kit, v(0.1, 13.2, 0.2), v(3.9, 3.6, 3.9), 12, 2.2, 32);
}

/// A conifer: skirts of twigs above each other.
pub(super) fn pine(kit: &mut Kit) {
    trunk(
        kit,
        &[
            (v(0.0, 0.0, 0.0), 1.3),
            (v(0.0, 1.2, 0.0), 0.9),
            (v(0.0, 10.0, 0.0), 0.7),
        ],
        6,
    );
    for (i, [low, high, radius]) in [
        [4.0, 13.0, 7.6],
        [8.6, 17.4, 6.4],
        [13.0, 21.6, 5.2],
        [17.2, 25.4, 4.0],
        [21.2, 29.6, 2.7],
    ]
    .into_iter()
    .enumerate()
    {
        skirt(kit, [low, high], radius, i);
    }
}

/// A cone of twigs with a ragged hem and a dark interior.
fn skirt(kit: &mut Kit, [low, high]: [f64; 2], radius: f64, seed: usize) {
    const SIDES: usize = 8;
    let at = |n: usize, share: f64| {
        let turns = (n % SIDES) as f64 / SIDES as f64 + 0.055 * seed as f64;
        let dent = 0.88 + 0.24 * f64::from(random((n % SIDES) as i32, seed as i32, 37));
        let hang = if n.is_multiple_of(2) { -0.5 } else { 0.3 };
        v(
            cosine(turns) * radius * dent * share,
            low + (high - low) * (1.0 - share) + hang * share,
            -sine(turns) * radius * dent * share,
        )
    };
    for n in 0..SIDES {
        let (a, b, tip) = (at(n, 1.0), at(n + 1, 1.0), v(0.0, high, 0.0));
        let u = n as f64 * 0.26;
        kit.facet(
            &NEEDLES,
            [
                (a, DVec2::new(u, 0.0)),
                (b, DVec2::new(u + 0.5, 0.0)),
                (tip, DVec2::new(u + 0.25, 0.98)),
            ],
        );
        let (a, b, under) = (
            at(n, 0.9),
            at(n + 1, 0.9),
            v(0.0, low + 0.35 * (high - low), 0.0),
        );
        kit.polygon(hue(Hue::Green, 0.05), &[b, a, under]);
    }
}

pub(super) fn bush(kit: &mut Kit) {
    crown(kit, v(0.0, 1.9, 0.0), v(2.7, 2.1, 2.5), 11, 1.6, 41);
    crown(kit, v(2.0, 1.3, 0.9), v(1.7, 1.4, 1.7), 5, 1.2, 42);
}

/// Crossed cards with a part of the plants texture, scattered around.
fn tufts(
    kit: &mut Kit,
    part: [f64; 4],
    count: i32,
    spread: f64,
    [half, tall]: [f64; 2],
    seed: u32,
) {
    for i in 0..count {
        let pick = |n| f64::from(random(i, n, seed));
        let (turns, far) = (
            f64::from(i) * 0.381_966 + pick(0) * 0.1,
            spread * ((f64::from(i) + 0.3) / f64::from(count)).sqrt(),
        );
        let spin = pick(1) * 0.5;
        let right = v(cosine(spin), 0.0, sine(spin));
        let size = 0.8 + 0.4 * pick(2);
        let up = DVec3::Y * (0.5 * tall * size);
        let at = v(cosine(turns) * far, 0.0, sine(turns) * far) + up;
        let light = v(0.25 * cosine(turns), 1.0, 0.25 * sine(turns));
        kit.card(
            &PLANTS,
            at,
            [right * half * size, up],
            part,
            true,
            Some(light),
        );
    }
}

pub(super) fn reeds(kit: &mut Kit) {
    tufts(kit, REEDS, 7, 3.2, [2.6, 9.5], 51);
}

pub(super) fn grass(kit: &mut Kit) {
    tufts(kit, GRASS, 5, 1.6, [1.7, 2.6], 52);
}

pub(super) fn flowers(kit: &mut Kit) {
    tufts(kit, FLOWERS, 5, 1.8, [1.7, 2.9], 53);
}

/// A piece of a field, 16 x 8 units, with rows along X.
pub(super) fn wheat(kit: &mut Kit) {
    kit.block(
        &EARTH,
        v(-8.1, 0.0, -4.1),
        v(8.1, 0.25, 4.1),
        &[DVec3::NEG_Y],
    );
    for row in 0..4 {
        for column in 0..4 {
            let at = v(
                4.0 * f64::from(column) - 6.0,
                2.1,
                2.0 * f64::from(row) - 3.0,
            );
            let axes = [DVec3::X * 2.1, DVec3::Y * 2.0];
            kit.card(&PLANTS, at, axes, WHEAT, true, Some(v(0.0, 1.0, 0.1)));
        }
    }
    for column in 0..6 {
        for z in [-2.0, 2.0] {
            let at = v(2.6 * f64::from(column) - 6.5, 2.0, z);
            let axes = [DVec3::Z * 2.1, DVec3::Y * 1.9];
            kit.card(&PLANTS, at, axes, WHEAT, true, Some(v(0.1, 1.0, 0.0)));
        }
    }
}

/// Beds of cabbages, turnips and flowers, 11 x 7 units.
pub(super) fn garden(kit: &mut Kit) {
    for (row, what) in [Hue::Cabbage, Hue::Violet, Hue::Green]
        .into_iter()
        .enumerate()
    {
        let z = 2.5 * row as f64 - 2.5;
        kit.tapered(
            &EARTH,
            [[-5.5, z - 1.05], [5.5, z + 1.05]],
            [[-5.2, z - 0.7], [5.2, z + 0.7]],
            [0.0, 0.5],
            &[DVec3::NEG_Y],
        );
        for i in 0..5 {
            let x = 2.1 * f64::from(i) - 4.2;
            let size = 0.7 + 0.25 * f64::from(random(i, row as i32, 57));
            kit.lump(
                hue(what, 0.45 + 0.12 * f64::from(i % 3)),
                v(x, 0.5 + 0.3 * size, z),
                v(size, 0.75 * size, size),
                [5, 3],
                0.15,
                58,
            );
        }
    }
}

/// A boulder, partly sunk into the ground.
fn boulder(kit: &mut Kit, at: DVec3, radii: DVec3, seed: u32) {
    kit.within(moved(at.x, at.y, at.z), |kit| {
        kit.lump(
            &ROCK,
            v(0.0, 0.35 * radii.y, 0.0),
            radii,
            [7, 4],
            0.28,
            seed,
        );
    });
}

pub(super) fn rocks(kit: &mut Kit) {
    boulder(kit, DVec3::ZERO, v(3.0, 2.5, 2.6), 61);
    boulder(kit, v(3.0, 0.0, 1.2), v(1.5, 1.2, 1.4), 62);
    boulder(kit, v(-2.4, 0.0, 1.9), v(1.1, 0.8, 1.0), 63);
}
