//! Props: toadstools, a lantern, boulders, a tree, a barrel, and a piece of ground.

use glam::{DVec2, DVec3};
use image::{DynamicImage, ImageResult, Rgb, Rgba, RgbaImage};

use super::bake::{byte, png};
use super::hide::shaded;
use super::mesh::{Corner, Mesh, Place};
use super::model::{Made, Stuff, make};
use super::rig::Rig;
use crate::maths::{cosine, sine};
use crate::noise::{fbm, mix, random, smoothstep};
use crate::terrain::textures::{self, Color, blend, ramp};

/// A material whose texture is painted per chart.
const fn baked(name: &'static str, texture: &'static str, specular: f32) -> Stuff {
    Stuff {
        name,
        texture,
        side: Some(128),
        ambient: 1.0,
        specular,
    }
}

/// A material with its own picture.
const fn pictured(name: &'static str, texture: &'static str, ambient: f32) -> Stuff {
    Stuff {
        name,
        texture,
        side: None,
        ambient,
        specular: 0.0,
    }
}

/// 3D noise from about -1 to 1, with `waves` waves per ten units.
fn rough(at: DVec3, waves: i32, octaves: i32, seed: u32) -> f32 {
    let (mut sum, mut amplitude) = (0.0, 0.5);
    let mut at = at * (0.1 * f64::from(waves));
    for octave in 0..octaves {
        sum += amplitude * noise_in_space(at, seed + octave.cast_unsigned());
        amplitude *= 0.5;
        at = at * 2.0 + 0.37;
    }
    sum * 1.5
}

/// One octave of 3D noise: random numbers at integer positions, interpolated smoothly.
fn noise_in_space(at: DVec3, seed: u32) -> f32 {
    let [x, y, z] = at.floor().to_array().map(|n| n as i32);
    let [s, t, u] = (at - at.floor())
        .to_array()
        .map(|n| smoothstep(0.0, 1.0, n as f32));
    let corner = |i: i32, j: i32, k: i32| {
        let layer = (z + k).cast_unsigned().wrapping_mul(7919);
        random(x + i, y + j, seed.wrapping_add(layer))
    };
    let row = |j: i32, k: i32| mix(corner(0, j, k), corner(1, j, k), s);
    let plane = |k: i32| mix(row(0, k), row(1, k), t);
    mix(plane(0), plane(1), u) * 2.0 - 1.0
}

/// Rotates a profile of radii and heights around an axis; a radius of 0 makes a tip.
fn lathe(
    mesh: &mut Mesh,
    chart: usize,
    origin: DVec3,
    axis: DVec3,
    sides: usize,
    profile: &[[f64; 2]],
) -> Vec<Vec<usize>> {
    let right = axis.any_orthonormal_vector();
    let up = axis.cross(right);
    let mut rings: Vec<Vec<usize>> = Vec::new();
    let mut along = 0.0;
    for (i, &[radius, height]) in profile.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|before| DVec2::from(profile[before])) {
            along += before.distance(DVec2::new(radius, height));
        }
        let center = origin + axis * height;
        let ring = if radius == 0.0 {
            vec![mesh.point(center, &[]); sides + 1]
        } else {
            mesh.ring(center, right * radius, up * radius, sides, &[])
        };
        for &point in &ring {
            mesh.points[point].along = along;
        }
        rings.push(ring);
    }
    let before = mesh.faces.len();
    mesh.sheet(chart, &rings, |_, _| false);
    // A part that ends in a tip is laid out around it.
    let tip = profile.iter().position(|row| row[0] == 0.0);
    if let Some(tip) = tip.map(|tip| mesh.points[rings[tip][0]].along) {
        for face in before..mesh.faces.len() {
            for i in 0..3 {
                let point = &mesh.points[mesh.faces[face].corners[i].point];
                let from = point.position - origin;
                let around = DVec2::new(from.dot(right), from.dot(up)).normalize_or_zero();
                mesh.faces[face].corners[i].uv = around * (point.along - tip).abs();
            }
        }
    }
    rings
}

/// A straight or bent beam, closed at both ends.
fn beam(mesh: &mut Mesh, chart: usize, path: &[(DVec3, f64)], sides: usize) {
    let rings = mesh.tube(path, DVec3::new(0.3, 0.1, 1.0), sides, |_| Vec::new());
    mesh.sheet(chart, &rings, |_, _| false);
    let ends = [(0, 1), (path.len() - 1, path.len() - 2)];
    for (end, next) in ends {
        let outward = (path[end].0 - path[next].0).normalize();
        if path[end].1 > 0.0 {
            // An edge between the side and the end.
            let ring: Vec<usize> = rings[end]
                .iter()
                .map(|&point| mesh.point(mesh.at(point), &[]))
                .collect();
            mesh.charts.push(mesh.charts[chart]);
            mesh.cap(mesh.charts.len() - 1, &ring, outward, 0.0);
        }
    }
}

fn still(mut mesh: Mesh, stuffs: &[Stuff], pictures: Vec<(&str, Vec<u8>)>) -> ImageResult<Made> {
    // Nothing extends into the ground.
    for point in &mut mesh.points {
        point.position.y = point.position.y.max(0.0);
    }
    let mut made = make(mesh, stuffs, &Rig::default(), true)?;
    let pictures = pictures
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes));
    made.textures.extend(pictures);
    Ok(made)
}

pub(crate) fn toadstools() -> ImageResult<Made> {
    // For each toadstool: its position, the position of its cap, and its size.
    const TOADSTOOLS: [([f64; 2], [f64; 3], f64); 5] = [
        ([0.1, -0.1], [-0.15, 2.75, 0.0], 1.55),
        ([1.0, 0.65], [1.55, 1.55, 0.95], 0.95),
        ([-1.0, 0.75], [-1.55, 1.15, 1.15], 0.78),
        ([0.15, 1.25], [0.2, 0.72, 1.6], 0.5),
        ([-0.95, -0.75], [-1.3, 0.95, -1.2], 0.6),
    ];
    let mut mesh = Mesh::default();
    for ([x, z], cap, size) in TOADSTOOLS {
        let (foot, cap) = (DVec3::new(x, 0.0, z), DVec3::from(cap));
        let stem = mesh.chart(0, stem);
        let middle = foot.lerp(cap, 0.5) + DVec3::new(0.12, 0.0, 0.08) * size;
        let path = [
            (foot, 0.36 * size),
            (middle, 0.2 * size),
            (cap, 0.24 * size),
        ];
        let rings = mesh.tube(&path, DVec3::X, 7, |_| Vec::new());
        mesh.sheet(stem, &rings, |_, _| false);
        let axis = (cap - middle).normalize();
        if size > 0.7 {
            let skirt = mesh.chart(0, skirt);
            let collar = middle.lerp(cap, 0.45);
            let profile = [[0.2, -0.02], [0.4, -0.16], [0.19, 0.1]];
            let profile = profile.map(|[r, h]| [r * size, h * size]);
            lathe(&mut mesh, skirt, collar, axis, 7, &profile);
        }
        let axis = (axis + DVec3::Y).normalize();
        let sides = if size > 0.7 { 11 } else { 8 };
        let under = mesh.chart(0, gills);
        let profile = [[0.15, 0.02], [0.96, -0.1]].map(|[r, h]| [r * size, h * size]);
        lathe(&mut mesh, under, cap, axis, sides, &profile);
        let over = mesh.fixed_chart(1);
        let before = mesh.faces.len();
        let profile = [
            [0.96, -0.1],
            [1.01, 0.06],
            [0.84, 0.38],
            [0.46, 0.65],
            [0.0, 0.76],
        ];
        let profile = profile.map(|[r, h]| [r * size, h * size]);
        lathe(&mut mesh, over, cap, axis, sides, &profile);
        // The picture that all caps share, centred on the top.
        for corner in mesh.faces[before..]
            .iter_mut()
            .flat_map(|face| &mut face.corners)
        {
            corner.uv = DVec2::splat(0.5) + corner.uv * (0.34 / size);
        }
    }
    let stuffs = [
        baked("Stem", "toadstools.png", 0.05),
        pictured("Cap", "toadstools_cap.png", 1.0),
    ];
    let cap = ("toadstools_cap.png", png(&cap_top())?);
    still(mesh, &stuffs, vec![cap])
}

fn stem(place: &Place) -> Color {
    let noise = rough(place.position, 14, 3, 401);
    let color = blend(
        [0.62, 0.56, 0.50],
        [0.80, 0.74, 0.63],
        (0.5 + 0.4 * noise + 0.12 * place.position.y as f32).clamp(0.0, 1.0),
    );
    let earth = 1.0 - smoothstep(0.0, 0.45, place.position.y as f32 + 0.15 * noise);
    shaded(blend(color, [0.36, 0.40, 0.20], 0.7 * earth), place.open)
}

fn skirt(place: &Place) -> Color {
    shaded([0.82, 0.76, 0.66], place.open)
}

fn gills(place: &Place) -> Color {
    let noise = rough(place.position, 30, 2, 405);
    shaded(
        blend([0.80, 0.62, 0.64], [0.93, 0.80, 0.76], 0.5 + 0.5 * noise),
        0.3 + 0.7 * place.open,
    )
}

/// A cap from above; its rim is darker and has smaller warts.
fn cap_top() -> DynamicImage {
    const SIDE: u32 = 128;
    let wart = |i: i32| {
        let pick = |n| f64::from(random(i, n, 415));
        let far = (f64::from(i) / 26.0).sqrt();
        let turns = 0.381_966 * f64::from(i) + 0.06 * pick(0);
        let at = DVec2::new(cosine(turns), sine(turns)) * (far * 0.94);
        (at, (0.15 - 0.08 * far) * (0.65 + 0.7 * pick(1)))
    };
    let warts: Vec<(DVec2, f64)> = (0..26).map(wart).collect();
    let image = image::RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let at = [x, y].map(|n| (n as f32 + 0.5) / SIDE as f32);
        let from = DVec2::from(at.map(|n| f64::from(n) * 2.0 - 1.0));
        let noise = fbm(at, [5, 5], 4, 410);
        let violet = [
            [0.58, 0.38, 0.74],
            [0.50, 0.28, 0.66],
            [0.38, 0.18, 0.53],
            [0.25, 0.11, 0.38],
        ];
        let color = ramp(violet, from.length() as f32 + 0.18 * noise);
        let edge = |&(at, size): &(DVec2, f64)| (from.distance(at) / size) as f32 + 0.35 * noise;
        let near = warts.iter().map(edge).fold(f32::MAX, f32::min);
        let shadow = 1.0 - smoothstep(0.95, 1.5, near);
        let color = blend(color, [0.17, 0.06, 0.27], 0.5 * shadow);
        let cream = blend([0.86, 0.82, 0.74], [0.70, 0.62, 0.64], near);
        Rgb(blend(color, cream, 1.0 - smoothstep(0.85, 1.02, near)).map(byte))
    });
    DynamicImage::ImageRgb8(image)
}

pub(crate) fn boulders() -> ImageResult<Made> {
    let mut mesh = Mesh::default();
    let boulders = [
        ([0.0, 1.25, 0.0], [2.3, 1.95, 1.95], 5, 1),
        ([2.35, 0.5, 1.0], [1.05, 0.85, 0.95], 3, 2),
        ([-2.1, 0.35, 1.35], [0.85, 0.65, 0.8], 2, 3),
    ];
    for (center, size, cuts, seed) in boulders {
        boulder(
            &mut mesh,
            DVec3::from(center),
            DVec3::from(size),
            cuts,
            seed,
        );
    }
    still(mesh, &[baked("Rock", "boulders.png", 0.05)], Vec::new())
}

/// A cube with subdivided faces, inflated to a ball, cut by planes and roughened.
fn boulder(mesh: &mut Mesh, center: DVec3, size: DVec3, cuts: i32, seed: u32) {
    let hew: Vec<(DVec3, f64)> = (0..14)
        .map(|i| {
            let pick = |n| f64::from(random(i, n, 420 + seed));
            let y = 1.6 * pick(0) - 0.5;
            let turns = pick(1);
            let wide = (1.0 - y * y).max(0.0).sqrt();
            let way = DVec3::new(cosine(turns) * wide, y, sine(turns) * wide);
            (way.normalize(), 0.66 + 0.24 * pick(2))
        })
        .collect();
    let place = |cube: DVec3| {
        let mut at = cube.normalize();
        for &(way, far) in &hew {
            let over = at.dot(way) - far;
            if over > 0.0 {
                at -= way * (over * 0.9);
            }
        }
        at *= 1.0 + 0.07 * f64::from(rough(at * 4.0 + f64::from(seed), 5, 3, 430));
        let at = center + at * size;
        at.with_y(at.y.max(0.0))
    };
    let axes = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::NEG_Z,
    ];
    let mut known: Vec<(DVec3, usize)> = Vec::new();
    for out in axes {
        let right = if out.x == 0.0 { DVec3::X } else { DVec3::Z };
        let up = out.cross(right);
        let chart = mesh.chart(0, stone);
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for j in 0..=cuts {
            let mut row = Vec::new();
            for i in 0..=cuts {
                let share = |n: i32| f64::from(2 * n - cuts) / f64::from(cuts);
                // Equalises the size of squares in the middle and at the edges of a face.
                let even = |n: f64| n * (0.76 + 0.24 * n * n);
                let cube = out + right * even(share(i)) + up * even(share(j));
                let found = known.iter().find(|point| point.0.distance(cube) < 1e-6);
                let point = if let Some(found) = found {
                    found.1
                } else {
                    let point = mesh.point(place(cube), &[]);
                    known.push((cube, point));
                    point
                };
                row.push(point);
            }
            rows.push(row);
        }
        if out.y > -0.5 {
            mesh.sheet(chart, &rows, |_, _| false);
        }
    }
}

fn stone(place: &Place) -> Color {
    let at = place.position;
    let large = rough(at, 6, 4, 440);
    let fine = rough(at, 34, 3, 445);
    let tone = 0.5 + 0.36 * large + 0.3 * fine + 0.14 * place.normal.y as f32;
    let mut color = ramp(
        [
            [0.24, 0.23, 0.25],
            [0.40, 0.39, 0.40],
            [0.55, 0.53, 0.51],
            [0.70, 0.68, 0.63],
        ],
        tone,
    );
    let crack = 1.0 - smoothstep(0.0, 0.035, rough(at, 9, 2, 450).abs());
    color = blend(color, [0.16, 0.15, 0.17], 0.4 * crack);
    let lichen = smoothstep(0.34, 0.5, rough(at, 13, 2, 455));
    color = blend(color, [0.72, 0.66, 0.38], 0.55 * lichen);
    // Moss on top and at the bottom.
    let moss = place.normal.y as f32 + 0.55 * large + 0.25 * fine;
    let foot = 1.0 - smoothstep(0.0, 0.5, at.y as f32 + 0.3 * large);
    let grown = smoothstep(0.52, 0.74, moss).max(0.75 * foot);
    let green = ramp(
        [[0.16, 0.22, 0.08], [0.28, 0.35, 0.12], [0.44, 0.49, 0.20]],
        0.5 + 0.7 * fine + 0.3 * large,
    );
    shaded(blend(color, green, grown), place.open)
}

pub(crate) fn lantern() -> ImageResult<Made> {
    let mut mesh = Mesh::default();
    let wood = |mesh: &mut Mesh| mesh.chart(0, timber);
    let iron = |mesh: &mut Mesh| mesh.chart(0, iron);
    let v = DVec3::new;
    let chart = wood(&mut mesh);
    let post = [
        (v(0.0, 0.0, 0.0), 0.36),
        (v(0.02, 1.6, 0.03), 0.29),
        (v(-0.04, 3.6, 0.0), 0.26),
        (v(-0.1, 5.5, -0.02), 0.25),
        (v(-0.12, 6.5, -0.02), 0.24),
    ];
    beam(&mut mesh, chart, &post, 7);
    let chart = wood(&mut mesh);
    beam(
        &mut mesh,
        chart,
        &[
            (v(-0.75, 5.72, 0.0), 0.19),
            (v(0.6, 5.88, 0.0), 0.18),
            (v(2.0, 5.98, 0.02), 0.15),
        ],
        6,
    );
    let chart = wood(&mut mesh);
    beam(
        &mut mesh,
        chart,
        &[(v(-0.05, 4.55, 0.0), 0.13), (v(1.15, 5.86, 0.0), 0.12)],
        5,
    );
    // An iron cap, and a hoop at the bottom.
    let chart = iron(&mut mesh);
    lathe(
        &mut mesh,
        chart,
        v(-0.12, 6.5, -0.02),
        DVec3::Y,
        7,
        &[[0.33, -0.1], [0.33, 0.04], [0.0, 0.34]],
    );
    let chart = iron(&mut mesh);
    lathe(
        &mut mesh,
        chart,
        v(0.01, 0.95, 0.01),
        DVec3::Y,
        7,
        &[[0.31, 0.0], [0.37, 0.03], [0.365, 0.22], [0.3, 0.25]],
    );
    // The lantern hangs from a ring.
    let hook = v(1.72, 5.84, 0.02);
    let chart = iron(&mut mesh);
    beam(
        &mut mesh,
        chart,
        &[(hook, 0.05), (hook - DVec3::Y * 0.42, 0.05)],
        4,
    );
    let lamp = hook - DVec3::Y * 0.42;
    let chart = iron(&mut mesh);
    lathe(
        &mut mesh,
        chart,
        lamp,
        DVec3::NEG_Y,
        6,
        &[
            [0.0, -0.06],
            [0.16, 0.0],
            [0.24, 0.14],
            [0.62, 0.44],
            [0.6, 0.52],
            [0.3, 0.52],
        ],
    );
    let chart = iron(&mut mesh);
    lathe(
        &mut mesh,
        chart,
        lamp,
        DVec3::NEG_Y,
        6,
        &[
            [0.3, 1.24],
            [0.52, 1.24],
            [0.55, 1.38],
            [0.3, 1.5],
            [0.0, 1.62],
        ],
    );
    let glass = mesh.fixed_chart(1);
    let before = mesh.faces.len();
    let rings = lathe(
        &mut mesh,
        glass,
        lamp,
        DVec3::NEG_Y,
        6,
        &[[0.47, 0.5], [0.42, 1.26]],
    );
    for face in &mut mesh.faces[before..] {
        face.flat = true;
        // Every pane shows the whole picture.
        let pane = (0..6).find(|&i| {
            let corners = [rings[0][i], rings[0][i + 1], rings[1][i], rings[1][i + 1]];
            face.corners
                .iter()
                .all(|corner| corners.contains(&corner.point))
        });
        let pane = pane.unwrap_or_default();
        for corner in &mut face.corners {
            let top = rings[0].contains(&corner.point);
            let left = rings.iter().any(|ring| ring[pane] == corner.point);
            corner.uv = DVec2::new(f64::from(u8::from(!left)), f64::from(u8::from(top)));
        }
    }
    let stuffs = [
        baked("Wood and iron", "lantern.png", 0.1),
        pictured("Glass", "lantern_glass.png", 2.2),
    ];
    still(
        mesh,
        &stuffs,
        vec![("lantern_glass.png", png(&glass_pane())?)],
    )
}

fn timber(place: &Place) -> Color {
    let at = place.position;
    // Fibres run along long parts.
    let upright = DVec3::new(at.x * 3.0, at.y * 0.35, at.z * 3.0);
    let fibre = rough(upright, 13, 3, 460);
    let fine = rough(at, 40, 2, 465);
    let mut color = ramp(
        [
            [0.20, 0.12, 0.08],
            [0.36, 0.23, 0.14],
            [0.50, 0.34, 0.20],
            [0.62, 0.46, 0.29],
        ],
        0.5 + 0.5 * fibre + 0.2 * fine,
    );
    let foot = 1.0 - smoothstep(0.1, 0.9, at.y as f32 + 0.35 * fibre);
    color = blend(color, [0.25, 0.30, 0.12], 0.7 * foot);
    shaded(color, place.open)
}

fn iron(place: &Place) -> Color {
    let noise = rough(place.position, 26, 3, 470);
    let rust = smoothstep(0.15, 0.5, rough(place.position, 15, 2, 475));
    let color = ramp(
        [[0.13, 0.13, 0.16], [0.25, 0.25, 0.29], [0.40, 0.40, 0.44]],
        0.45 + 0.6 * noise + 0.2 * place.normal.y as f32,
    );
    shaded(blend(color, [0.42, 0.24, 0.13], 0.5 * rust), place.open)
}

/// A lit pane with a frame and a bar.
fn glass_pane() -> DynamicImage {
    const SIDE: u32 = 64;
    let image = image::RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let at = [x, y].map(|n| (n as f32 + 0.5) / SIDE as f32 * 2.0 - 1.0);
        let from = DVec2::new(f64::from(at[0]) * 0.9, f64::from(at[1]) - 0.15).length() as f32;
        let glow = ramp(
            [
                [1.0, 0.97, 0.78],
                [1.0, 0.86, 0.46],
                [0.96, 0.62, 0.22],
                [0.74, 0.36, 0.10],
            ],
            from * 0.8,
        );
        let bar = at[0].abs().max(at[1].abs());
        let frame = smoothstep(0.80, 0.88, bar);
        let cross = 1.0 - smoothstep(0.04, 0.08, (at[1] + 0.3).abs());
        Rgb(blend(glow, [0.10, 0.09, 0.10], frame.max(0.9 * cross)).map(byte))
    });
    DynamicImage::ImageRgb8(image)
}

pub(crate) fn barrel() -> ImageResult<Made> {
    const STAVES: usize = 12;
    // Heights and radii.
    const PROFILE: [[f64; 2]; 5] = [
        [0.0, 0.88],
        [0.7, 1.07],
        [1.5, 1.15],
        [2.3, 1.07],
        [3.0, 0.88],
    ];
    let mut mesh = Mesh::default();
    for stave in 0..STAVES {
        let chart = mesh.chart(0, staves);
        let rows: Vec<Vec<usize>> = PROFILE
            .iter()
            .map(|&[height, radius]| {
                let edge = |side: f64| (stave as f64 + side) / STAVES as f64;
                [0.0, 1.0]
                    .map(|side| {
                        let turns = edge(side);
                        let out = DVec3::new(cosine(turns), 0.0, -sine(turns)) * radius;
                        let point = mesh.point(out + DVec3::Y * height, &[]);
                        mesh.points[point].around = side;
                        mesh.points[point].along = stave as f64;
                        point
                    })
                    .to_vec()
            })
            .collect();
        mesh.sheet(chart, &rows, |_, _| false);
    }
    for (low, high) in [(0.28, 0.55), (0.95, 1.17), (1.83, 2.05), (2.45, 2.72)] {
        let wide = |height: f64| {
            let next = PROFILE.partition_point(|row| row[0] < height).clamp(1, 4);
            let [a, b] = [PROFILE[next - 1], PROFILE[next]];
            a[1] + (b[1] - a[1]) * (height - a[0]) / (b[0] - a[0]) + 0.05
        };
        let chart = mesh.chart(0, iron);
        let profile = [
            [wide(low) - 0.05, low],
            [wide(low), low],
            [wide(high), high],
            [wide(high) - 0.05, high],
        ];
        lathe(&mut mesh, chart, DVec3::ZERO, DVec3::Y, STAVES, &profile);
    }
    let chart = mesh.scaled_chart(0, lid, 1.4);
    lathe(
        &mut mesh,
        chart,
        DVec3::ZERO,
        DVec3::Y,
        STAVES,
        &[[0.885, 3.0], [0.8, 2.86], [0.4, 2.87], [0.0, 2.88]],
    );
    still(mesh, &[baked("Barrel", "barrel.png", 0.08)], Vec::new())
}

fn staves(place: &Place) -> Color {
    let stave = place.along as f32;
    let pick = random(stave.round() as i32, 1, 485);
    let at = place.position;
    let along = [
        (stave * 0.37 + place.around as f32 * 0.09).fract(),
        (at.y * 0.05) as f32,
    ];
    let fibre = fbm(along, [44, 12], 3, 490);
    let tone = 0.45 + 0.35 * (pick - 0.5) + 0.5 * fibre;
    let color = ramp(
        [
            [0.26, 0.15, 0.08],
            [0.44, 0.27, 0.14],
            [0.60, 0.40, 0.21],
            [0.72, 0.53, 0.31],
        ],
        tone,
    );
    let edge = smoothstep(0.3, 0.46, (place.around as f32 - 0.5).abs());
    shaded(blend(color, [0.12, 0.07, 0.04], 0.8 * edge), place.open)
}

fn lid(place: &Place) -> Color {
    let at = place.position;
    let board = at.x * 2.6 + 0.5;
    let pick = random(board.floor() as i32, 2, 486);
    let gap = smoothstep(0.34, 0.46, ((board - board.floor()) as f32 - 0.5).abs());
    let fibre = fbm(
        [(at.x * 0.4 + 0.5) as f32, (at.z * 0.05 + 0.5) as f32],
        [40, 10],
        3,
        491,
    );
    let color = ramp(
        [[0.30, 0.18, 0.10], [0.48, 0.31, 0.17], [0.62, 0.43, 0.24]],
        0.5 + 0.4 * (pick - 0.5) + 0.4 * fibre,
    );
    shaded(blend(color, [0.12, 0.07, 0.05], 0.8 * gap), place.open)
}

pub(crate) fn tree() -> ImageResult<Made> {
    let mut mesh = Mesh::default();
    let v = DVec3::new;
    let trunk = [
        (v(0.0, 0.0, 0.0), 1.05),
        (v(0.05, 0.5, 0.0), 0.66),
        (v(0.3, 2.0, 0.1), 0.48),
        (v(0.15, 3.6, 0.3), 0.42),
        (v(-0.35, 5.2, 0.2), 0.34),
        (v(-0.5, 6.8, -0.1), 0.22),
        (v(-0.3, 8.4, -0.2), 0.08),
    ];
    let branches: [&[(DVec3, f64)]; 4] = [
        &[
            (v(0.15, 3.3, 0.3), 0.3),
            (v(1.3, 4.5, 0.9), 0.22),
            (v(2.5, 5.5, 1.3), 0.13),
            (v(3.1, 6.3, 1.4), 0.05),
        ],
        &[
            (v(-0.2, 4.4, 0.2), 0.28),
            (v(-1.5, 5.4, 0.6), 0.2),
            (v(-2.8, 6.1, 1.0), 0.12),
            (v(-3.3, 6.8, 1.1), 0.05),
        ],
        &[
            (v(-0.3, 4.9, 0.2), 0.24),
            (v(0.2, 5.9, -1.2), 0.16),
            (v(0.5, 6.6, -2.3), 0.06),
        ],
        &[
            (v(-0.4, 5.6, 0.1), 0.2),
            (v(0.6, 6.8, 0.9), 0.14),
            (v(1.2, 7.6, 1.2), 0.05),
        ],
    ];
    let chart = mesh.chart(0, bark);
    let rings = mesh.tube(&trunk, DVec3::X, 8, |_| Vec::new());
    // Roots.
    for (i, &point) in rings[0].iter().take(8).enumerate() {
        let stretch = if i % 2 == 0 { 1.25 } else { 0.72 };
        let at = mesh.at(point);
        mesh.points[point].position = v(at.x * stretch, at.y, at.z * stretch);
    }
    mesh.sheet(chart, &rings, |_, _| false);
    for branch in branches {
        let chart = mesh.chart(0, bark);
        let rings = mesh.tube(branch, DVec3::X, 5, |_| Vec::new());
        mesh.sheet(chart, &rings, |_, _| false);
    }
    // Clouds of blossom: their centres and sizes.
    const CLOUDS: [([f64; 3], f64, u32); 6] = [
        ([-0.3, 8.2, -0.2], 2.2, 26),
        ([2.7, 6.5, 1.3], 1.75, 15),
        ([-3.0, 6.9, 1.0], 1.7, 15),
        ([0.6, 7.0, -2.3], 1.7, 14),
        ([1.2, 7.9, 1.4], 1.6, 12),
        ([-1.4, 7.4, -1.6], 1.5, 11),
    ];
    /// Minimum cosine between a card's direction and its normals.
    const LEAST_LEAN: f64 = 0.25;
    let crown = v(0.0, 6.4, 0.1);
    let leaves = mesh.fixed_chart(1);
    for (cloud, (center, size, cards)) in CLOUDS.into_iter().enumerate() {
        let center = DVec3::from(center);
        for card in 0..cards {
            let pick = |n| f64::from(random(card as i32, n, 500 + cloud as u32));
            let y = 1.0 - (f64::from(card) + 0.5) * 1.7 / f64::from(cards);
            let turns = f64::from(card) * 0.381_966 + 0.1 * pick(0);
            let wide = (1.0 - y * y).max(0.0).sqrt();
            let out = v(cosine(turns) * wide, y, sine(turns) * wide);
            // It faces outwards and is rotated at random.
            let look = (out + v(pick(1) - 0.5, pick(2) - 0.3, pick(3) - 0.5) * 0.8).normalize();
            let side = look.any_orthonormal_vector();
            let spin = pick(4);
            let right = side * cosine(spin) + look.cross(side) * sine(spin);
            let up = look.cross(right);
            let at = center + out * (size * (0.62 + 0.2 * pick(5)));
            let half = size * (0.58 + 0.18 * pick(6));
            let mut corner = |x: f64, y: f64, back: f64| {
                let position = at + (right * x + up * y - look * back) * half;
                let point = mesh.point(position, &[]);
                // Lit as one round crown.
                let soft = (position - center).normalize() * 0.8 + (position - crown).normalize();
                let soft = soft.normalize();
                // Normals must stay on the front side of the card, from which it is visible.
                let lean = soft.dot(look);
                let soft = soft + look * (LEAST_LEAN - lean).max(0.0);
                mesh.points[point].normal = Some(soft.normalize());
                Corner {
                    point,
                    uv: DVec2::new(0.5 + 0.5 * x, 0.5 + 0.5 * y),
                }
            };
            // A shallow bowl, so that no side view is a mere line.
            let middle = corner(0.0, 0.0, -0.12);
            let rim = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            let rim = rim.map(|[x, y]| corner(x, y, 0.16));
            for i in 0..4 {
                mesh.triangle(leaves, [middle, rim[i], rim[(i + 1) % 4]], false);
            }
        }
    }
    let stuffs = [
        baked("Bark", "blossom_tree_bark.png", 0.03),
        pictured("Blossom", "blossom_tree_leaves.png", 1.0),
    ];
    still(
        mesh,
        &stuffs,
        vec![("blossom_tree_leaves.png", png(&blossom())?)],
    )
}

fn bark(place: &Place) -> Color {
    let at = place.position;
    let ring = rough(DVec3::new(at.x, at.y * 4.0, at.z), 9, 3, 520);
    let fine = rough(at, 36, 2, 525);
    let mut color = ramp(
        [
            [0.17, 0.10, 0.10],
            [0.30, 0.19, 0.17],
            [0.44, 0.31, 0.27],
            [0.60, 0.47, 0.41],
        ],
        0.45 + 0.45 * ring + 0.25 * fine,
    );
    let moss = (1.0 - smoothstep(0.2, 1.6, at.y as f32 + 0.8 * ring)) * 0.7;
    color = blend(color, [0.28, 0.34, 0.12], moss);
    shaded(color, 0.25 + 0.75 * place.open)
}

/// A spray of blossoms and young leaves on a transparent background.
fn blossom() -> DynamicImage {
    const SIDE: u32 = 128;
    let mut image = RgbaImage::from_pixel(SIDE, SIDE, Rgba([214, 120, 146, 0]));
    let mut dab = |center: DVec2, radius: f64, petals: bool, turn: f64, color: Color, seed: i32| {
        let reach = radius * 1.3;
        let [left, top] = (center - reach)
            .max(DVec2::ZERO)
            .to_array()
            .map(|n| n as u32);
        let [right, bottom] = (center + reach)
            .min(DVec2::splat(f64::from(SIDE - 1)))
            .to_array()
            .map(|n| n as u32);
        for y in top..=bottom {
            for x in left..=right {
                let from = (DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5) - center) / radius;
                let (inside, shade) = if petals {
                    // Five round petals around a centre.
                    let near = (0..5).map(|i| {
                        let turns = turn + f64::from(i) / 5.0;
                        from.distance(DVec2::new(cosine(turns), sine(turns)) * 0.55)
                    });
                    let near = near.fold(f64::MAX, f64::min);
                    (near < 0.42, 1.0 - 0.5 * near + 0.12 * from.length())
                } else {
                    // A leaf: the intersection of two discs.
                    let axis = DVec2::new(cosine(turn), sine(turn));
                    let far = |side: f64| from.distance(axis.perp() * (0.75 * side));
                    let rib = axis.perp_dot(from).abs();
                    (
                        far(1.0) < 1.25 && far(-1.0) < 1.25,
                        if rib < 0.07 { 1.15 } else { 0.9 },
                    )
                };
                if inside {
                    let heart = petals && from.length() < 0.24;
                    let tone = shade as f32 * (0.95 + 0.1 * random(x as i32 + seed, y as i32, 530));
                    let color = if heart {
                        [0.93, 0.74, 0.32]
                    } else {
                        color.map(|c| c * tone)
                    };
                    let [r, g, b] = color.map(byte);
                    image.put_pixel(x, y, Rgba([r, g, b, 255]));
                }
            }
        }
    };
    // From back to front: dark at the bottom, bright at the top.
    for i in 0..150 {
        let pick = |n| f64::from(random(i, n, 540));
        let layer = f64::from(i) / 150.0;
        let turns = pick(0);
        let far = 47.0 * pick(1).sqrt() * (1.05 - 0.15 * layer);
        let center = DVec2::splat(64.0) + DVec2::new(cosine(turns), sine(turns)) * far;
        let depth = layer as f32;
        if i % 6 == 0 {
            let green = blend([0.20, 0.30, 0.12], [0.46, 0.58, 0.24], depth);
            dab(center, 8.5, false, pick(3), green, i);
        } else {
            let dark = [0.56, 0.24, 0.36];
            let bright = blend([0.86, 0.50, 0.61], [0.92, 0.74, 0.78], pick(4) as f32);
            let color = blend(dark, bright, mix(0.15, 1.0, depth));
            dab(center, 7.0 + 3.0 * pick(2), true, pick(3), color, i);
        }
    }
    DynamicImage::ImageRgba8(image)
}

/// A piece of ground of the size of a map tile, on a base of earth.
pub(crate) fn ground() -> ImageResult<Made> {
    const CUTS: usize = 4;
    let mut mesh = Mesh::default();
    let top = mesh.fixed_chart(0);
    let corners = [[-4.0, 4.0], [4.0, 4.0], [4.0, -4.0], [-4.0, -4.0]].map(|[x, z]| Corner {
        point: mesh.point(DVec3::new(x, 0.0, z), &[]),
        uv: DVec2::new(0.5 + x / 8.0, 0.5 - z / 8.0),
    });
    mesh.quad(top, corners, true);
    let side = mesh.fixed_chart(1);
    let under = mesh.point(DVec3::new(0.0, -2.25, 0.0), &[]);
    for (out, right) in [
        (DVec3::Z, DVec3::X),
        (DVec3::X, DVec3::NEG_Z),
        (DVec3::NEG_Z, DVec3::NEG_X),
        (DVec3::NEG_X, DVec3::Z),
    ] {
        // From left to right, top to bottom.
        let mut rows: Vec<Vec<Corner>> = Vec::new();
        for (j, (depth, inward)) in [(0.0, 0.0), (0.75, 0.12), (1.5, 0.3), (2.05, 0.95)]
            .into_iter()
            .enumerate()
        {
            let row = (0..=CUTS).map(|i| {
                let x = 8.0 * i as f64 / CUTS as f64 - 4.0;
                let at = out * 4.0 + right * x;
                // Equal on both sides of a corner.
                let key = (at * 10.0).round();
                let pick = f64::from(random(key.x as i32, key.z as i32, 550 + j as u32)) - 0.5;
                let rugged = if j == 0 { 0.0 } else { pick };
                let shrink = 1.0 - (inward + 0.22 * rugged) / 4.0;
                let y = -depth + 0.3 * rugged * if j == 3 { 1.6 } else { 1.0 };
                let position = DVec3::new(at.x * shrink, y, at.z * shrink);
                Corner {
                    point: mesh.point(position, &[]),
                    uv: DVec2::new(x / 4.0, 1.0 - depth / 2.3),
                }
            });
            rows.push(row.collect());
        }
        for pair in rows.windows(2) {
            for i in 0..CUTS {
                mesh.quad(
                    side,
                    [pair[1][i], pair[1][i + 1], pair[0][i + 1], pair[0][i]],
                    true,
                );
            }
        }
        for pair in rows[3].windows(2) {
            let middle = Corner {
                point: under,
                uv: DVec2::new(f64::midpoint(pair[0].uv.x, pair[1].uv.x), 0.78),
            };
            mesh.triangle(side, [pair[1], pair[0], middle], true);
        }
    }
    let stuffs = [
        pictured("Grass", "ground_grass.jpg", 1.0),
        pictured("Earth", "ground_earth.jpg", 1.0),
    ];
    let pictures = vec![
        (
            "ground_grass.jpg".to_owned(),
            textures::jpeg(&textures::grass())?,
        ),
        ("ground_earth.jpg".to_owned(), textures::jpeg(&earth())?),
    ];
    let mut made = make(mesh, &stuffs, &Rig::default(), false)?;
    made.textures.extend(pictures);
    Ok(made)
}

/// Earth like that of the map's paths, darker with depth, under a fringe of grass.
fn earth() -> image::RgbImage {
    let mut image = textures::path();
    let [width, height] = [image.width() as f32, image.height() as f32];
    for (x, y, pixel) in image.enumerate_pixels_mut() {
        let (u, v) = ((x as f32 + 0.5) / width, (y as f32 + 0.5) / height);
        let layers = fbm([u, v * 0.5], [4, 18], 3, 560);
        let earth = pixel
            .0
            .map(|c| f32::from(c) / 255.0 * mix(0.72, 0.42, v) * (1.0 + 0.3 * layers));
        let blades = fbm([u, 0.5], [44, 2], 2, 565) + 0.6 * fbm([u, 0.3], [9, 2], 2, 566);
        let hang = 0.10 + 0.07 * blades;
        let grass = 1.0 - smoothstep(hang - 0.012, hang + 0.012, v);
        let green = ramp(
            [[0.40, 0.53, 0.19], [0.27, 0.40, 0.14], [0.14, 0.22, 0.08]],
            v / hang.max(0.02) + 0.4 * blades,
        );
        let below = smoothstep(0.0, 0.05, v - hang);
        pixel.0 = blend(earth.map(|c| c * mix(0.6, 1.0, below)), green, grass).map(byte);
    }
    image
}
