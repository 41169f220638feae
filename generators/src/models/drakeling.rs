//! The drakeling: the shape and the skeleton of a young dragon.
//!
//! The left half is modelled and mirrored. Trunk, neck, head and tail are rings of points around a
//! spine, the legs grow out of holes in it, and wings, ears, horns, claws and eyes are separate
//! parts.

use glam::{DVec2, DVec3};

use super::hide;
use super::mesh::{Corner, Mesh, add_weights};
use super::model::Stuff;
use super::rig::{Bone, Rig};
use crate::maths::{cosine, sine};

const HIDE: usize = 0;
const WING: usize = 1;
const HORN: usize = 2;
const EYE: usize = 3;

pub(crate) const STUFFS: [Stuff; 4] = [
    Stuff {
        name: "Hide",
        texture: "drakeling_hide.png",
        side: Some(256),
        ambient: 1.0,
        specular: 0.12,
    },
    Stuff {
        name: "Wing",
        texture: "drakeling_wing.png",
        side: Some(128),
        ambient: 1.0,
        specular: 0.1,
    },
    Stuff {
        name: "Horn",
        texture: "drakeling_horn.png",
        side: None,
        ambient: 1.0,
        specular: 0.3,
    },
    Stuff {
        name: "Eye",
        texture: "drakeling_eye.png",
        side: None,
        ambient: 1.0,
        specular: 0.5,
    },
];

/// Name, parent, start and end of the joints; those of the right side are derived from the left.
type Row = (&'static str, &'static str, [f64; 3], [f64; 3]);
const BONES: [Row; 19] = [
    ("root", "", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ("hips", "root", [0.0, 2.3, -1.35], [0.0, 2.35, -0.45]),
    ("spine.1", "hips", [0.0, 2.35, -0.45], [0.0, 2.5, 0.5]),
    ("spine.2", "spine.1", [0.0, 2.5, 0.5], [0.0, 2.95, 1.35]),
    ("neck", "spine.2", [0.0, 2.95, 1.35], [0.0, 3.85, 1.8]),
    ("head", "neck", [0.0, 3.85, 1.8], [0.0, 4.15, 4.3]),
    ("jaw", "head", [0.0, 3.85, 2.5], [0.0, 3.65, 4.15]),
    ("eyes", "head", [0.0, 4.62, 3.02], [0.0, 5.02, 3.02]),
    ("ear.left", "head", [0.95, 4.55, 2.1], [2.3, 5.1, 1.2]),
    ("wing.left.arm", "spine.2", [0.55, 3.2, 0.4], WRIST),
    ("wing.left.hand", "wing.left.arm", WRIST, FINGERS[0]),
    (
        "leg.front.left.upper",
        "spine.2",
        [0.85, 2.1, 0.75],
        [1.1, 1.2, 0.5],
    ),
    (
        "leg.front.left.lower",
        "leg.front.left.upper",
        [1.1, 1.2, 0.5],
        [1.12, 0.42, 0.75],
    ),
    (
        "leg.front.left.foot",
        "leg.front.left.lower",
        [1.12, 0.42, 0.75],
        [1.12, 0.1, 1.5],
    ),
    (
        "leg.back.left.upper",
        "hips",
        [0.8, 2.1, -1.35],
        [1.2, 1.25, -0.85],
    ),
    (
        "leg.back.left.lower",
        "leg.back.left.upper",
        [1.2, 1.25, -0.85],
        [1.15, 0.45, -1.4],
    ),
    (
        "leg.back.left.foot",
        "leg.back.left.lower",
        [1.15, 0.45, -1.4],
        [1.15, 0.1, -0.55],
    ),
    ("tail.1", "hips", [0.0, 2.2, -2.0], [0.0, 1.72, -3.3]),
    ("tail.2", "tail.1", [0.0, 1.72, -3.3], [0.0, 1.25, -4.6]),
];
const TAIL_END: [Row; 2] = [
    ("tail.3", "tail.2", [0.0, 1.25, -4.6], [0.0, 1.3, -5.8]),
    ("tail.4", "tail.3", [0.0, 1.3, -5.8], [0.0, 2.35, -7.35]),
];

/// The skeleton.
pub(crate) fn rig() -> Rig {
    let mut rig = Rig::default();
    let mut add = |(name, parent, head, tip): (String, String, [f64; 3], [f64; 3])| {
        let parent = (!parent.is_empty()).then(|| rig.find(&parent));
        let [head, tip] = [head, tip].map(DVec3::from);
        rig.bones.push(Bone {
            name,
            parent,
            head,
            tip,
        });
    };
    // A chain on the left side is followed by that on the right side.
    let mut chain: Vec<Row> = Vec::new();
    let flush = |chain: &mut Vec<Row>, add: &mut dyn FnMut(_)| {
        for (name, parent, head, tip) in chain.drain(..) {
            let mirror = |[x, y, z]: [f64; 3]| [-x, y, z];
            let other = |name: &str| name.replace("left", "right");
            add((other(name), other(parent), mirror(head), mirror(tip)));
        }
    };
    for row in BONES.into_iter().chain(TAIL_END) {
        let (name, parent, head, tip) = row;
        if !parent.contains("left") {
            flush(&mut chain, &mut add);
        }
        add((name.to_owned(), parent.to_owned(), head, tip));
        if name.contains("left") {
            chain.push(row);
        }
    }
    rig
}

/// Centre and tilt (degrees, backwards) of a ring of the body, half of its width, its extent up and
/// down, and its joints.
struct Section {
    at: [f64; 2],
    tilt: f64,
    size: [f64; 3],
    weights: &'static [(&'static str, f64)],
}

const fn section(
    at: [f64; 2],
    tilt: f64,
    size: [f64; 3],
    weights: &'static [(&'static str, f64)],
) -> Section {
    Section {
        at,
        tilt,
        size,
        weights,
    }
}

const HEAD: &[(&str, f64)] = &[("head", 1.0)];
/// From the nose to the tip of the tail.
const SECTIONS: [Section; 25] = [
    section([4.08, 4.42], 0.0, [0.0, 0.0, 0.0], HEAD),
    section([4.08, 4.36], -8.0, [0.42, 0.26, 0.2], HEAD),
    section([4.08, 4.1], -6.0, [0.66, 0.42, 0.27], HEAD),
    section([4.14, 3.72], 0.0, [0.76, 0.46, 0.34], HEAD),
    section([4.24, 3.34], 8.0, [0.98, 0.7, 0.46], HEAD),
    section([4.36, 2.92], 6.0, [1.26, 1.04, 0.66], HEAD),
    section([4.4, 2.4], 0.0, [1.32, 1.14, 0.76], HEAD),
    section([4.3, 1.9], -14.0, [1.1, 1.0, 0.78], HEAD),
    section(
        [3.92, 1.55],
        -40.0,
        [0.76, 0.66, 0.72],
        &[("neck", 0.55), ("head", 0.45)],
    ),
    section([3.35, 1.4], -42.0, [0.74, 0.62, 0.76], &[("neck", 1.0)]),
    section(
        [2.82, 1.15],
        -24.0,
        [0.92, 0.74, 1.0],
        &[("spine.2", 0.85), ("neck", 0.15)],
    ),
    section([2.48, 0.72], -8.0, [1.12, 0.86, 1.12], &[("spine.2", 1.0)]),
    section(
        [2.34, 0.05],
        0.0,
        [1.22, 0.9, 1.18],
        &[("spine.1", 0.6), ("spine.2", 0.4)],
    ),
    section(
        [2.3, -0.62],
        0.0,
        [1.24, 0.92, 1.14],
        &[("spine.1", 0.6), ("hips", 0.4)],
    ),
    section([2.3, -1.2], 2.0, [1.16, 0.94, 1.0], &[("hips", 1.0)]),
    section([2.28, -1.78], 8.0, [0.96, 0.84, 0.8], &[("hips", 1.0)]),
    section(
        [2.12, -2.35],
        16.0,
        [0.7, 0.64, 0.6],
        &[("hips", 0.4), ("tail.1", 0.6)],
    ),
    section([1.86, -3.0], 20.0, [0.54, 0.5, 0.48], &[("tail.1", 1.0)]),
    section(
        [1.58, -3.7],
        21.0,
        [0.43, 0.41, 0.39],
        &[("tail.1", 0.3), ("tail.2", 0.7)],
    ),
    section(
        [1.34, -4.4],
        14.0,
        [0.35, 0.33, 0.32],
        &[("tail.2", 0.7), ("tail.3", 0.3)],
    ),
    section([1.25, -5.1], -1.0, [0.28, 0.27, 0.26], &[("tail.3", 1.0)]),
    section(
        [1.36, -5.75],
        -20.0,
        [0.22, 0.21, 0.2],
        &[("tail.3", 0.5), ("tail.4", 0.5)],
    ),
    section([1.66, -6.25], -34.0, [0.19, 0.17, 0.16], &[("tail.4", 1.0)]),
    section([1.86, -6.52], -38.0, [0.72, 0.15, 0.13], &[("tail.4", 1.0)]),
    section([2.46, -7.28], -38.0, [0.0, 0.0, 0.0], &[("tail.4", 1.0)]),
];
/// Rings at which the head ends and the tail starts.
const NECK_RING: usize = 8;
const TAIL_RING: usize = 16;
/// Number of points of half a ring, including top and bottom.
const HALF: usize = 6;

/// First ring and first point of the hole from which a leg grows; it covers two by two faces.
const FRONT_HOLE: [usize; 2] = [10, 2];
const BACK_HOLE: [usize; 2] = [13, 2];

/// Centre of a ring of a leg, its extent to the sides, forward and backward, and its weights for
/// the leg's upper, lower and last joint.
type LegRing = ([f64; 3], [f64; 3], [f64; 3]);
const FRONT_LEG: [LegRing; 6] = [
    ([1.08, 1.62, 0.66], [0.44, 0.46, 0.5], [1.0, 0.0, 0.0]),
    ([1.12, 1.22, 0.56], [0.38, 0.38, 0.42], [0.5, 0.5, 0.0]),
    ([1.13, 0.82, 0.63], [0.34, 0.34, 0.36], [0.0, 1.0, 0.0]),
    ([1.13, 0.46, 0.76], [0.38, 0.4, 0.4], [0.0, 0.4, 0.6]),
    ([1.13, 0.2, 0.88], [0.48, 0.6, 0.44], [0.0, 0.0, 1.0]),
    ([1.13, 0.0, 0.88], [0.43, 0.56, 0.4], [0.0, 0.0, 1.0]),
];
const BACK_LEG: [LegRing; 6] = [
    ([1.12, 1.72, -1.16], [0.5, 0.64, 0.6], [1.0, 0.0, 0.0]),
    ([1.2, 1.28, -1.0], [0.44, 0.5, 0.54], [0.55, 0.45, 0.0]),
    ([1.18, 0.86, -1.24], [0.34, 0.38, 0.4], [0.0, 1.0, 0.0]),
    ([1.15, 0.48, -1.4], [0.36, 0.42, 0.4], [0.0, 0.45, 0.55]),
    ([1.15, 0.2, -1.22], [0.48, 0.62, 0.46], [0.0, 0.0, 1.0]),
    ([1.15, 0.0, -1.22], [0.43, 0.58, 0.42], [0.0, 0.0, 1.0]),
];

/// The left wing: shoulder, wrist, the tips of its fingers, and its contact point on the flank.
pub(crate) const SHOULDER: [f64; 3] = [0.6, 3.12, 0.5];
pub(crate) const WRIST: [f64; 3] = [1.85, 4.7, 0.0];
pub(crate) const FINGERS: [[f64; 3]; 3] =
    [[3.9, 5.35, -1.35], [3.7, 4.0, -2.35], [2.35, 3.0, -2.55]];
pub(crate) const FLANK: [f64; 3] = [0.7, 2.98, -1.15];

/// The left ear: its start, and the tips of its rays.
pub(crate) const EAR: [f64; 3] = [0.95, 4.5, 2.2];
pub(crate) const EAR_RAYS: [[f64; 3]; 3] =
    [[1.75, 5.45, 1.55], [2.42, 5.05, 1.3], [2.1, 4.2, 1.35]];
/// The centre of the left eye.
pub(crate) const EYE_AT: [f64; 3] = [1.0, 4.62, 3.06];

/// The model in its bind pose.
pub(crate) fn mesh(rig: &Rig) -> Mesh {
    let mut mesh = Mesh::default();
    let body = body(&mut mesh, rig);
    for (name, hole, rings) in [
        ("front", FRONT_HOLE, FRONT_LEG),
        ("back", BACK_HOLE, BACK_LEG),
    ] {
        leg(&mut mesh, rig, &body, name, hole, &rings);
    }
    jaw(&mut mesh, rig);
    wing(&mut mesh, rig);
    ear(&mut mesh, rig);
    let horn_chart = mesh.fixed_chart(HORN);
    horns(&mut mesh, rig, horn_chart);
    spikes(&mut mesh, horn_chart, &body);
    eye(&mut mesh, rig);
    mesh.mirror(|joint| rig.opposite(joint));
    mesh.soften(2, 3);
    // The soles stay on the ground.
    for point in &mut mesh.points {
        if point.position.y < 0.04 {
            point.position.y = 0.0;
        }
    }
    mesh
}

fn named(rig: &Rig, weights: &[(&str, f64)]) -> Vec<(usize, f64)> {
    let one = |&(name, weight): &(&str, f64)| (rig.find(name), weight);
    weights.iter().map(one).collect()
}

/// The left half of a ring from top to bottom: half of its width, its extent up and down, and its
/// number of points. Without a width it is one point.
fn half_ring(
    mesh: &mut Mesh,
    center: DVec3,
    upward: DVec3,
    [width, up, down]: [f64; 3],
    count: usize,
    weights: &[(usize, f64)],
) -> Vec<usize> {
    if width == 0.0 {
        return vec![mesh.point(center, weights); count];
    }
    let mut point_at = |s: usize| {
        let around = s as f64 / (count - 1) as f64;
        let rise = cosine(around / 2.0) * if 2 * s < count { up } else { down };
        // Top and bottom must be exactly in the centre, not off by a rounding error.
        let out = if s + 1 == count {
            0.0
        } else {
            sine(around / 2.0) * width
        };
        let point = mesh.point(center + DVec3::X * out + upward * rise, weights);
        mesh.points[point].around = around;
        point
    };
    (0..count).map(&mut point_at).collect()
}

/// Builds trunk, neck, head and tail, and returns the points of each ring.
fn body(mesh: &mut Mesh, rig: &Rig) -> Vec<Vec<usize>> {
    let mut rings: Vec<Vec<usize>> = Vec::new();
    let mut along = 0.0;
    for (r, section) in SECTIONS.iter().enumerate() {
        let [y, z] = section.at;
        let center = DVec3::new(0.0, y, z);
        if let Some(before) = r.checked_sub(1) {
            let [y, z] = SECTIONS[before].at;
            along += center.distance(DVec3::new(0.0, y, z));
        }
        let turns = section.tilt / 360.0;
        let upward = DVec3::new(0.0, cosine(turns), sine(turns));
        let weights = named(rig, section.weights);
        let ring = half_ring(mesh, center, upward, section.size, HALF, &weights);
        for &point in &ring {
            mesh.points[point].along = along;
            mesh.points[point].soft = Some(0.0);
        }
        rings.push(ring);
    }
    // Nose and tail point away from the body.
    for (end, next) in [(0, 1), (SECTIONS.len() - 1, SECTIONS.len() - 2)] {
        let [from, to] = [next, end].map(|section| DVec2::from(SECTIONS[section].at));
        let way = (to - from).normalize();
        mesh.points[rings[end][0]].normal = Some(DVec3::new(0.0, way.x, way.y));
    }
    let hole = |[r0, s0]: [usize; 2], r: usize, s: usize| {
        (r0..r0 + 2).contains(&r) && (s0..s0 + 2).contains(&s)
    };
    let head = mesh.scaled_chart(HIDE, hide::body, 1.3);
    mesh.sheet(head, &rings[..=NECK_RING], |_, _| false);
    let trunk = mesh.chart(HIDE, hide::body);
    mesh.sheet(trunk, &rings[NECK_RING..=TAIL_RING], |r, s| {
        hole(FRONT_HOLE, r + NECK_RING, s) || hole(BACK_HOLE, r + NECK_RING, s)
    });
    let tail = mesh.chart(HIDE, hide::body);
    mesh.sheet(tail, &rings[TAIL_RING..], |_, _| false);
    rings
}

fn leg(
    mesh: &mut Mesh,
    rig: &Rig,
    body: &[Vec<usize>],
    name: &str,
    [r, s]: [usize; 2],
    rings: &[LegRing],
) {
    let joints =
        ["upper", "lower", "foot"].map(|part| rig.find(&format!("leg.{name}.left.{part}")));
    // Around the hole, in the order of the rings of the leg.
    let rim = [
        [1, 2],
        [2, 2],
        [2, 1],
        [2, 0],
        [1, 0],
        [0, 0],
        [0, 1],
        [0, 2],
        [1, 2],
    ];
    let mut sheet: Vec<Vec<usize>> = vec![rim.map(|[i, j]| body[r + i][s + j]).to_vec()];
    let middle = body[r + 1][s + 1];
    for &point in &sheet[0][1..] {
        let weights = &mut mesh.points[point].weights;
        let trunk = std::mem::take(weights);
        add_weights(weights, &trunk, 0.65);
        add_weights(weights, &[(joints[0], 1.0)], 0.35);
        mesh.points[point].soft = Some(0.35);
    }
    for (n, &(center, [wide, ahead, back], shares)) in rings.iter().enumerate() {
        let center = DVec3::from(center);
        let weights: Vec<_> = (0..3)
            .map(|i| (joints[i], shares[i]))
            .filter(|w| w.1 > 0.0)
            .collect();
        let mut ring = Vec::new();
        for i in 0..8 {
            // From the inner side backwards to the outer side.
            let turns = f64::from(i) / 8.0;
            let (x, z) = (-cosine(turns), -sine(turns));
            let deep = if z > 0.0 { ahead } else { back };
            let point = mesh.point(center + DVec3::new(x * wide, 0.0, z * deep), &weights);
            // The flank's paint continues down the leg, and the belly's on its inner side.
            mesh.points[point].along = mesh.points[middle].along;
            mesh.points[point].around = 0.52 + 0.1 * cosine(turns);
            mesh.points[point].soft = Some(if n == 0 { 0.3 } else { 0.0 });
            ring.push(point);
        }
        ring.push(ring[0]);
        sheet.push(ring);
    }
    let chart = mesh.chart(HIDE, hide::leg);
    mesh.sheet(chart, &sheet, |_, _| false);
    let sole = mesh.scaled_chart(HIDE, hide::leg, 0.5);
    if let Some(last) = sheet.last() {
        mesh.cap(sole, last, DVec3::NEG_Y, 0.0);
    }
    // Three claws.
    let claw = mesh.fixed_chart(HORN);
    let (center, [wide, ahead, _], _) = rings[4];
    for toe in [-1.0, 0.0, 1.0] {
        let spread = toe * 0.13;
        let (x, z) = (
            2.6 * spread * wide / 0.48,
            (1.0 - 1.6 * spread * spread / 0.13) * ahead,
        );
        let base = DVec3::from(center) + DVec3::new(x * 0.86, -0.06, z * 0.84);
        let way = DVec3::new(spread * 1.6, 0.0, 1.0).normalize();
        let tip = base + way * 0.34 - DVec3::Y * 0.12;
        let side = way.cross(DVec3::Y).normalize() * 0.11;
        let corners = [
            base + side - DVec3::Y * 0.06,
            base - side - DVec3::Y * 0.06,
            base + DVec3::Y * 0.13,
        ];
        cone(mesh, claw, &corners, tip, &[(joints[2], 1.0)], None, false);
    }
}

/// A pyramid without its base, brown at the base and bright at the tip. Its weights are given or
/// taken from the point `like`. An `open` one is half a pyramid on the plane X = 0.
fn cone(
    mesh: &mut Mesh,
    chart: usize,
    base: &[DVec3],
    tip: DVec3,
    weights: &[(usize, f64)],
    like: Option<usize>,
    open: bool,
) {
    let middle = base.iter().sum::<DVec3>() / base.len() as f64;
    let mut add = |position| {
        let point = mesh.point(position, weights);
        mesh.points[point].like = like;
        point
    };
    let ring: Vec<usize> = base.iter().map(|&corner| add(corner)).collect();
    let tip = add(tip);
    let sides = ring.len() - usize::from(open);
    for i in 0..sides {
        let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
        let across = |part: f64| (i as f64 + part) / sides as f64;
        let corners =
            [(a, 0.0, 0.02), (b, 1.0, 0.02), (tip, 0.5, 0.98)].map(|(point, part, v)| Corner {
                point,
                uv: DVec2::new(across(part), v),
            });
        mesh.triangle_around(
            chart,
            corners,
            middle.with_x(if open { -0.01 } else { middle.x }),
            true,
        );
    }
}

fn jaw(mesh: &mut Mesh, rig: &Rig) {
    // Centre, half of the width, and extent up and down.
    const RINGS: [([f64; 2], [f64; 3]); 6] = [
        ([3.78, 2.35], [0.5, 0.1, 0.2]),
        ([3.76, 2.8], [0.86, 0.12, 0.26]),
        ([3.74, 3.3], [0.82, 0.1, 0.24]),
        ([3.76, 3.8], [0.66, 0.09, 0.2]),
        ([3.8, 4.12], [0.48, 0.08, 0.16]),
        ([3.82, 4.32], [0.0, 0.0, 0.0]),
    ];
    let chart = mesh.chart(HIDE, hide::jaw);
    let weights = named(rig, &[("jaw", 1.0)]);
    let ring = |([y, z], size): ([f64; 2], [f64; 3])| {
        half_ring(mesh, DVec3::new(0.0, y, z), DVec3::Y, size, 5, &weights)
    };
    let mut rings: Vec<Vec<usize>> = RINGS.into_iter().map(ring).collect();
    // These rings run from the back to the front.
    rings.reverse();
    mesh.sheet(chart, &rings, |_, _| false);
}

/// Position of the middle row of a web between its pivot and its rim.
const WEB_MIDDLE: f64 = 0.52;

/// Two layers of skin between rays from a pivot. The rim consists of the ends of the rays and of
/// the centre of the edge between each two of them.
struct Web<'a> {
    pivot: DVec3,
    rim: &'a [DVec3],
    /// Joint weights of the pivot and of each point of the rim.
    pivot_weights: Vec<(usize, f64)>,
    rim_weights: Vec<Vec<(usize, f64)>>,
    /// Distance by which rays protrude and the skin between them sags, halfway along.
    ridge: f64,
}

fn web(mesh: &mut Mesh, chart: usize, web: &Web<'_>) {
    let first = web.rim[0] - web.pivot;
    let last = web.rim[web.rim.len() - 1] - web.pivot;
    let out = last.cross(first).normalize();
    for side in [1.0, -1.0] {
        let lift = out * (0.025 * side);
        let pivot = mesh.point(web.pivot + lift, &web.pivot_weights);
        let mut rows: [Vec<usize>; 2] = Default::default();
        for (i, &end) in web.rim.iter().enumerate() {
            let weights = &web.rim_weights[i];
            let ridge = out * if i % 2 == 0 { web.ridge } else { -web.ridge };
            let middle = web.pivot.lerp(end, WEB_MIDDLE) + ridge + lift;
            let mut mixed = Vec::new();
            add_weights(&mut mixed, &web.pivot_weights, 0.5);
            add_weights(&mut mixed, weights, 0.5);
            rows[0].push(mesh.point(middle, &mixed));
            rows[1].push(mesh.point(end + lift, weights));
        }
        let right = first.normalize();
        let up = out.cross(right);
        let corner = |mesh: &Mesh, point: usize| {
            let from = mesh.at(point) - web.pivot;
            Corner {
                point,
                uv: DVec2::new(from.dot(right), from.dot(up)),
            }
        };
        let inside = web.pivot - out * (10.0 * side);
        for i in 0..web.rim.len() - 1 {
            let [a, b] = [rows[0][i], rows[0][i + 1]];
            let [c, d] = [rows[1][i], rows[1][i + 1]];
            // Edges lead away from the ends of rays.
            let halves = if i % 2 == 0 {
                [[a, c, d], [a, d, b]]
            } else {
                [[b, d, c], [b, c, a]]
            };
            for points in [[pivot, a, b], halves[0], halves[1]] {
                let corners = points.map(|point| corner(mesh, point));
                mesh.triangle_around(chart, corners, inside, false);
            }
        }
    }
}

/// The rim of a web: the ends of its rays, and the points between them drawn toward the pivot.
fn scalloped(pivot: DVec3, rays: &[DVec3], depth: f64) -> Vec<DVec3> {
    let mut rim = vec![rays[0]];
    for pair in rays.windows(2) {
        rim.push(pair[0].midpoint(pair[1]).lerp(pivot, depth));
        rim.push(pair[1]);
    }
    rim
}

fn wing(mesh: &mut Mesh, rig: &Rig) {
    let [shoulder, wrist, flank] = [SHOULDER, WRIST, FLANK].map(DVec3::from);
    let fingers = FINGERS.map(DVec3::from);
    let chart = mesh.chart(WING, hide::wing);
    let hand = named(rig, &[("wing.left.hand", 1.0)]);
    let elbow = named(rig, &[("wing.left.hand", 0.5), ("wing.left.arm", 0.5)]);
    let inner = named(rig, &[("wing.left.arm", 0.6), ("spine.2", 0.4)]);
    let root = named(rig, &[("wing.left.arm", 0.3), ("spine.2", 0.7)]);
    let side = named(rig, &[("spine.1", 0.6), ("spine.2", 0.4)]);
    let rays = [fingers[0], fingers[1], fingers[2], flank, shoulder];
    let mut rim = scalloped(wrist, &rays, 0.16);
    // There is no free edge between the flank and the shoulder.
    rim[7] = flank.midpoint(shoulder);
    let web_of = Web {
        pivot: wrist,
        rim: &rim,
        pivot_weights: elbow.clone(),
        rim_weights: [
            &hand, &hand, &hand, &hand, &hand, &inner, &side, &root, &root,
        ]
        .map(Clone::clone)
        .to_vec(),
        ridge: 0.07,
    };
    web(mesh, chart, &web_of);
    // The arm and the first finger.
    let bone = mesh.chart(HIDE, hide::arm);
    // Halfway, they bend like the skin.
    let out = (shoulder - wrist).cross(fingers[0] - wrist).normalize();
    let halfway = |end: DVec3| wrist.lerp(end, WEB_MIDDLE) + out * web_of.ridge;
    let path = [
        (shoulder.lerp(DVec3::new(0.0, 2.7, 0.5), 0.3), 0.24),
        (halfway(shoulder), 0.17),
        (wrist, 0.15),
        (halfway(fingers[0]), 0.1),
        (fingers[0].lerp(wrist, -0.04), 0.0),
    ];
    let arm = named(rig, &[("wing.left.arm", 1.0)]);
    let weights = [root, arm, elbow, hand.clone(), hand.clone()];
    let rings = mesh.tube(&path, DVec3::Y, 5, |i| weights[i].clone());
    mesh.sheet(bone, &rings, |_, _| false);
    // A thumb.
    let claw = mesh.fixed_chart(HORN);
    let base = [
        wrist + DVec3::new(0.1, 0.05, 0.05),
        wrist + DVec3::new(-0.1, 0.05, 0.08),
        wrist + DVec3::new(0.0, 0.02, -0.12),
    ];
    cone(
        mesh,
        claw,
        &base,
        wrist + DVec3::new(0.02, 0.48, 0.22),
        &hand,
        None,
        false,
    );
}

fn ear(mesh: &mut Mesh, rig: &Rig) {
    let pivot = DVec3::from(EAR);
    let rays = EAR_RAYS.map(DVec3::from);
    let rim = scalloped(pivot, &rays, 0.2);
    let ear = named(rig, &[("ear.left", 1.0)]);
    let chart = mesh.scaled_chart(WING, hide::ear, 1.5);
    web(
        mesh,
        chart,
        &Web {
            pivot,
            rim: &rim,
            pivot_weights: named(rig, &[("ear.left", 0.4), ("head", 0.6)]),
            rim_weights: vec![ear; rim.len()],
            ridge: 0.06,
        },
    );
}

fn horns(mesh: &mut Mesh, rig: &Rig, chart: usize) {
    let path = [
        (DVec3::new(0.5, 5.1, 2.45), 0.27),
        (DVec3::new(0.66, 5.62, 2.12), 0.21),
        (DVec3::new(0.82, 5.98, 1.68), 0.14),
        (DVec3::new(0.92, 6.3, 1.4), 0.0),
    ];
    let head = named(rig, &[("head", 1.0)]);
    let rings = mesh.tube(&path, DVec3::X, 6, |_| head.clone());
    let before = mesh.faces.len();
    mesh.sheet(chart, &rings, |_, _| false);
    // Up the horn and around it.
    let mut laid: Vec<(usize, f64)> = Vec::new();
    for (r, ring) in rings.iter().enumerate() {
        laid.extend(ring.iter().map(|&point| (point, r as f64 / 3.0)));
    }
    for face in &mut mesh.faces[before..] {
        for corner in &mut face.corners {
            let height = laid.iter().find(|place| place.0 == corner.point);
            let v = height.map_or(0.0, |place| place.1);
            corner.uv = DVec2::new(corner.uv.y, 0.02 + 0.96 * v);
        }
    }
}

/// Spikes along the back, from the head to the tail.
fn spikes(mesh: &mut Mesh, chart: usize, body: &[Vec<usize>]) {
    // Ring, length and height.
    const SPIKES: [(usize, f64, f64); 11] = [
        (6, 0.26, 0.36),
        (7, 0.28, 0.46),
        (8, 0.3, 0.56),
        (9, 0.3, 0.58),
        (10, 0.3, 0.54),
        (12, 0.32, 0.5),
        (13, 0.32, 0.52),
        (15, 0.3, 0.5),
        (16, 0.26, 0.44),
        (18, 0.22, 0.36),
        (20, 0.18, 0.26),
    ];
    for (ring, long, high) in SPIKES {
        let point = body[ring][0];
        let here = mesh.at(point);
        let ahead = mesh.at(body[ring - 1][0]);
        let behind = mesh.at(body[ring + 1][0]);
        let along = (ahead - behind).normalize();
        let up = DVec3::X.cross(-along).normalize();
        let base = here - up * 0.1;
        let corners = [
            base + along * long,
            base + DVec3::X * (0.3 * long + 0.07) - up * 0.05,
            base - along * long,
        ];
        let high = 1.3 * high;
        let tip = base + up * high - along * (0.55 * high);
        cone(mesh, chart, &corners, tip, &[], Some(point), true);
    }
}

/// A dome with a picture projected from straight ahead.
fn eye(mesh: &mut Mesh, rig: &Rig) {
    let center = DVec3::from(EYE_AT);
    let out = DVec3::new(0.86, 0.12, 0.5).normalize();
    let up = DVec3::Y.reject_from(out).normalize();
    let right = up.cross(out);
    let weights = named(rig, &[("eyes", 1.0)]);
    let chart = mesh.fixed_chart(EYE);
    // For each ring: the distance from the axis and along it.
    let (wide, tall, deep) = (0.4, 0.5, 0.3);
    let mut rings = vec![vec![mesh.point(center + out * deep, &weights)]];
    for turns in [0.115, 0.25] {
        let (radius, height) = (sine(turns), cosine(turns));
        let mut ring = mesh.ring(
            center + out * (deep * height),
            right * (wide * radius),
            up * (tall * radius),
            10,
            &weights,
        );
        ring.pop();
        rings.push(ring);
    }
    let corner = |mesh: &Mesh, point: usize| {
        let from = mesh.at(point) - center;
        let uv = DVec2::new(from.dot(right) / wide, from.dot(up) / tall);
        Corner {
            point,
            uv: DVec2::splat(0.5) + 0.48 * uv,
        }
    };
    for i in 0..10 {
        let next = (i + 1) % 10;
        let [a, b, c, d] = [rings[1][i], rings[1][next], rings[2][next], rings[2][i]];
        for points in [[rings[0][0], a, b], [a, c, b], [a, d, c]] {
            let corners = points.map(|point| corner(mesh, point));
            mesh.triangle_around(chart, corners, center - out, false);
        }
    }
}
