//! The small, seamless textures, and the sky.

use mapscope_formats::ptf::{Layout, Texture};

use crate::noise::{cell, fbm, mix, random, smoothstep};
use crate::terrain::textures::{Color, blend, ramp};

/// Texels per side of most textures.
const SIDE: u32 = 64;
/// Texels per side of the sky's textures.
const SKY_SIDE: u32 = 64;

/// Quantisation step of colour values: fewer levels compress better.
const STEP: f32 = 6.0;

fn byte(value: f32) -> u8 {
    ((value / STEP + 0.5).floor() * STEP).clamp(0.0, 255.0) as u8
}

/// Names of textures, and functions that return the colour at a position.
type Painters<T, const N: usize> = [(&'static str, fn([f32; 2]) -> T); N];

/// Paints every texel. Positions range from 0 to 1, with V down.
fn opaque(width: u32, height: u32, texel: impl Fn([f32; 2]) -> Color) -> Texture {
    painted(width, height, false, |at| {
        let [r, g, b] = texel(at).map(byte);
        [r, g, b, 255]
    })
}

fn painted(
    width: u32,
    height: u32,
    has_alpha: bool,
    texel: impl Fn([f32; 2]) -> [u8; 4],
) -> Texture {
    let channels = if has_alpha { 4 } else { 3 };
    let mut pixels = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let at = [
                (x as f32 + 0.5) / width as f32,
                (y as f32 + 0.5) / height as f32,
            ];
            pixels.extend_from_slice(&texel(at)[..channels.into()]);
        }
    }
    Texture::new(Layout::V2, [width, height], channels, pixels)
}

fn scale(color: Color, by: f32) -> Color {
    color.map(|c| c * by)
}

/// The cell of a tile grid at a position, and the distance from its edge as a fraction of a tile.
fn tile([u, v]: [f32; 2], [columns, rows]: [i32; 2]) -> ([i32; 2], f32) {
    let (x, y) = (u * columns as f32, v * rows as f32);
    let edge = |t: f32| (t - t.floor()).min(t.floor() + 1.0 - t);
    ([x.floor() as i32, y.floor() as i32], edge(x).min(edge(y)))
}

fn marble(at: [f32; 2]) -> Color {
    let ([x, y], edge) = tile(at, [2, 2]);
    let pale = (x + y).rem_euclid(2) == 0;
    let vein = fbm(
        [at[0] + 0.1 * fbm(at, [3, 3], 2, 3), at[1]],
        [4, 4],
        4,
        1 + x.cast_unsigned(),
    );
    let vein = 1.0 - smoothstep(0.0, 0.12, vein.abs());
    let base = if pale {
        [232.0, 224.0, 208.0]
    } else {
        [188.0, 168.0, 146.0]
    };
    let color = blend(base, [150.0, 132.0, 118.0], vein * 0.4);
    scale(color, if edge < 0.03 { 0.72 } else { 1.0 })
}

fn stone(at: [f32; 2]) -> Color {
    let rough = fbm(at, [6, 6], 4, 11);
    scale([224.0, 212.0, 194.0], 0.95 + 0.12 * rough)
}

fn plaster(at: [f32; 2]) -> Color {
    let broad = fbm(at, [3, 3], 4, 21);
    scale([240.0, 226.0, 202.0], 0.95 + 0.08 * broad)
}

/// Small teal tiles with slight variations.
fn glazed(at: [f32; 2]) -> Color {
    let ([x, y], edge) = tile(at, [4, 4]);
    let tone = random(x, y, 31);
    let palette = [
        [36.0, 116.0, 124.0],
        [52.0, 146.0, 148.0],
        [84.0, 176.0, 168.0],
    ];
    let color = ramp(palette, 0.15 + 0.7 * tone);
    // A soft highlight on the glaze.
    let shine = smoothstep(0.5, 0.0, edge) * 0.12;
    if edge < 0.07 {
        [196.0, 190.0, 172.0]
    } else {
        scale(color, 1.06 - shine)
    }
}

/// A row of diamonds between two gold lines.
fn band([u, v]: [f32; 2]) -> Color {
    let gold = [226.0, 176.0, 76.0];
    let diamond = (u - 0.5).abs() + (v - 0.5).abs();
    if !(0.1..0.9).contains(&v) {
        gold
    } else if diamond < 0.16 {
        [214.0, 92.0, 70.0]
    } else if diamond < 0.32 {
        gold
    } else {
        [32.0, 62.0, 110.0]
    }
}

/// A mosaic of blues.
fn mosaic(at: [f32; 2]) -> Color {
    let ([x, y], edge) = tile(at, [8, 8]);
    let palette = [
        [30.0, 96.0, 150.0],
        [54.0, 140.0, 186.0],
        [104.0, 190.0, 210.0],
        [190.0, 226.0, 224.0],
    ];
    let color = ramp(palette, random(x, y, 41) * 0.95);
    scale(color, if edge < 0.08 { 0.8 } else { 1.0 })
}

/// Boards along U.
fn planks(at: [f32; 2]) -> Color {
    let row = (at[1] * 8.0).floor() as i32;
    let edge = at[1] * 8.0 - row as f32;
    let grain = fbm([at[0] + random(row, 0, 51), at[1]], [3, 32], 3, 52);
    let tone = 0.4 + 0.35 * (random(row, 1, 53) - 0.5) + 0.3 * grain;
    let palette = [
        [138.0, 92.0, 56.0],
        [182.0, 128.0, 80.0],
        [212.0, 162.0, 108.0],
    ];
    scale(ramp(palette, tone), if edge < 0.1 { 0.62 } else { 1.0 })
}

fn grass(at: [f32; 2]) -> Color {
    let palette = [
        [56.0, 92.0, 38.0],
        [88.0, 128.0, 50.0],
        [124.0, 160.0, 66.0],
    ];
    let tone = 0.5 + 0.5 * fbm(at, [8, 8], 3, 61);
    ramp(palette, tone)
}

fn paving(at: [f32; 2]) -> Color {
    let slab = cell(at, [4, 4], 0.5, 71);
    let tone = random(slab.id as i32, 0, 72);
    let joint = smoothstep(0.03, 0.07, slab.inside);
    blend(
        [92.0, 88.0, 76.0],
        scale([182.0, 172.0, 160.0], 0.85 + 0.2 * tone),
        joint,
    )
}

fn cloth(at: [f32; 2]) -> Color {
    let ([x, y], _) = tile(at, [16, 16]);
    let thread = if (x + y) % 2 == 0 { 1.0 } else { 0.9 };
    let stripe = if (x / 2) % 4 == 0 { 1.0 } else { 0.82 };
    [250.0 * thread * stripe; 3]
}

fn water(at: [f32; 2]) -> Color {
    let bend = [1, 2].map(|i| 0.06 * fbm(at, [4, 4], 2, 80 + i));
    let ripple = cell([at[0] + bend[0], at[1] + bend[1]], [6, 6], 0.8, 83);
    let light = 1.0 - smoothstep(0.0, 0.16, ripple.inside);
    blend([168.0, 214.0, 220.0], [250.0, 255.0, 255.0], light)
}

/// Leaded glass with a diamond in the centre.
fn pane([u, v]: [f32; 2]) -> [u8; 4] {
    let (x, y) = ((u - 0.5).abs(), (v - 0.5).abs());
    let lead = x.max(y) > 0.46 || (x + y - 0.4).abs() < 0.025;
    if lead {
        [48, 44, 48, 255]
    } else if x + y < 0.4 {
        [255, 255, 255, 150]
    } else {
        [232, 236, 244, 190]
    }
}

/// Crossed laths with holes between them.
fn lattice([u, v]: [f32; 2]) -> [u8; 4] {
    let frame = (u - 0.5).abs().max((v - 0.5).abs()) > 0.45;
    let wave = |t: f32| (t - t.floor() - 0.5).abs();
    let lath = wave((u + v) * 4.0) < 0.12 || wave((u - v + 1.0) * 4.0) < 0.12;
    let tone = if frame { 150.0 } else { 176.0 };
    if frame || lath {
        [byte(tone), byte(tone * 0.68), byte(tone * 0.42), 255]
    } else {
        [120, 80, 50, 0]
    }
}

/// Bright at the top and faint at the bottom. It is 8 metres high and starts in the middle of the
/// texture.
fn sunbeam([_, v]: [f32; 2]) -> Color {
    let height = if v < 0.5 { 0.5 - v } else { 1.5 - v };
    let light = 255.0 * (0.25 + 0.75 * height);
    [light, light, light]
}

/// The text of the sign, in marks of two texels.
const SIGN: [&str; 9] = [
    "                                ",
    "   ##  ##  ##  #  #       #     ",
    "  #  # # # #   ## #        #    ",
    "  #  # ##  ##  # ##   #######   ",
    "  #  # #   #   #  #        #    ",
    "   ##  #   ### #  #       #     ",
    "                                ",
    "                                ",
    "                                ",
];

/// The sign over the arch, lit or not: letters and an arrow.
fn sign(is_lit: bool) -> Texture {
    opaque(64, 32, |[u, v]| {
        let (column, row) = ((u * 32.0) as usize, (v * 16.0) as usize);
        let mark = |dx: usize, dy: usize| {
            let row = (row + dy).checked_sub(4).and_then(|row| SIGN.get(row));
            let marks = row.map_or(&b""[..], |row| row.as_bytes());
            let column = (column + dx).checked_sub(1);
            column.and_then(|column| marks.get(column)) == Some(&b'#')
        };
        let near = [(0, 1), (2, 1), (1, 0), (1, 2)]
            .iter()
            .any(|(x, y)| mark(*x, *y));
        let frame = (u - 0.5).abs() > 0.47 || (v - 0.5).abs() > 0.44;
        match (mark(1, 1), near, is_lit) {
            (true, _, true) => [255.0, 150.0, 210.0],
            (true, _, false) => [110.0, 60.0, 84.0],
            (_, true, true) => [130.0, 36.0, 88.0],
            _ if frame => [150.0, 104.0, 64.0],
            _ => [38.0, 28.0, 44.0],
        }
    })
}

/// The colour of the sky in a direction, from 0 to 1, for the textures and for the light through
/// windows.
pub(crate) fn sky([x, y, z]: [f32; 3], sun: [f32; 3]) -> Color {
    let length = (x * x + y * y + z * z).sqrt();
    let [x, y, z] = [x, y, z].map(|c| c / length);
    let toward_sun = (x * sun[0] + y * sun[1] + z * sun[2]).max(0.0);
    let high = y.max(0.0).sqrt();
    // From the horizon up: gold, rose, violet blue.
    let near_sun = smoothstep(-0.4, 1.0, x * 0.93 + z * 0.36);
    let horizon = blend([0.86, 0.56, 0.60], [1.0, 0.78, 0.48], near_sun);
    let middle = blend([0.50, 0.46, 0.72], [0.88, 0.58, 0.56], near_sun * 0.8);
    let color = ramp(
        [horizon, middle, [0.40, 0.44, 0.74], [0.20, 0.26, 0.56]],
        high,
    );
    // Streaks of cloud, longer than high. Directions serve as noise positions.
    let across = [0.5 + 0.25 * x, 0.5 + 0.25 * z];
    let cloud = fbm([across[0] + 0.4 * y, across[1] - 0.3 * y], [5, 9], 4, 91);
    let cloud = smoothstep(0.05, 0.5, cloud) * smoothstep(0.04, 0.2, y);
    let color = blend(
        color,
        blend([0.84, 0.60, 0.66], [1.0, 0.84, 0.66], near_sun),
        0.65 * cloud,
    );
    let glow = toward_sun * toward_sun;
    let glow = glow * glow * glow * glow;
    let disc = smoothstep(0.9965, 0.998, toward_sun);
    let color = [0, 1, 2].map(|i| {
        let warm = [1.0, 0.8, 0.45][i];
        mix(color[i], 1.2 * warm, 0.55 * glow).max(disc * [1.0, 0.96, 0.82][i])
    });
    // Hills at the horizon, and dark ground below.
    let ridge = -0.01 + 0.04 * fbm([across[0], across[1]], [4, 4], 4, 95);
    let far = 0.02 + 0.05 * fbm(across, [3, 3], 3, 97);
    let land = blend([0.34, 0.30, 0.42], [0.70, 0.50, 0.38], near_sun);
    let color = blend(
        color,
        blend(land, horizon, 0.45),
        1.0 - smoothstep(far - 0.004, far + 0.004, y),
    );
    let color = blend(
        color,
        land,
        1.0 - smoothstep(ridge - 0.004, ridge + 0.004, y),
    );
    blend(color, [0.22, 0.23, 0.24], smoothstep(-0.05, -0.5, y))
}

/// The direction of a texel of a side of the sky. Sides are +X, +Y, +Z, -X, -Y, -Z; the upper left
/// corner is (0, 0) as seen from inside.
fn sky_direction(side: usize, [u, v]: [f32; 2]) -> [f32; 3] {
    let (right, up) = (2.0 * u - 1.0, 1.0 - 2.0 * v);
    match side {
        0 => [1.0, up, -right],
        1 => [right, 1.0, -up],
        2 => [right, up, 1.0],
        3 => [-1.0, up, right],
        4 => [right, -1.0, up],
        _ => [-right, up, -1.0],
    }
}

fn sky_side(side: usize, sun: [f32; 3]) -> Texture {
    opaque(SKY_SIDE, SKY_SIDE, |at| {
        scale(sky(sky_direction(side, at), sun), 255.0)
    })
}

/// Names and data of the textures in the archive.
pub(crate) fn all(sun: [f32; 3]) -> Vec<(String, Texture)> {
    let seamless: Painters<Color, 12> = [
        ("marble", marble),
        ("stone", stone),
        ("plaster", plaster),
        ("glazed", glazed),
        ("mosaic", mosaic),
        ("planks", planks),
        ("grass", grass),
        ("paving", paving),
        ("cloth", cloth),
        ("water", water),
        ("sunbeam", sunbeam),
        ("band", band),
    ];
    let mut textures: Vec<(String, Texture)> = seamless
        .into_iter()
        .map(|(name, texel)| (name.to_owned(), opaque(SIDE, SIDE, texel)))
        .collect();
    let holed: Painters<[u8; 4], 2> = [("pane", pane), ("lattice", lattice)];
    textures.extend(holed.map(|(name, texel)| (name.to_owned(), painted(SIDE, SIDE, true, texel))));
    textures.push(("sign".to_owned(), sign(true)));
    textures.push(("sign off".to_owned(), sign(false)));
    let sides = super::materials::SKY.into_iter().enumerate();
    textures.extend(sides.map(|(side, name)| (name.to_owned(), sky_side(side, sun))));
    textures
}

/// The mean colour of a texture, 0 to 1.
pub(crate) fn mean(texture: &Texture) -> [f32; 3] {
    let bytes = usize::from(texture.channels);
    let mut sums = [0_u64; 3];
    for pixel in texture.pixels.chunks_exact(bytes) {
        for (sum, channel) in sums.iter_mut().zip(pixel) {
            *sum += u64::from(*channel);
        }
    }
    let count = (texture.pixels.len() / bytes) as f32;
    sums.map(|sum| sum as f32 / count / 255.0)
}
