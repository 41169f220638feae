//! The textures: 256 x 256 pixels, seamless, and evenly lit from the west like the game's sun.

use image::{ImageResult, Rgb, RgbImage};

use crate::noise::{cell, fbm, mix, random, smoothstep};

const SIDE: i32 = 256;

/// Red, green and blue.
pub(crate) type Color = [f32; 3];

/// Interpolates from `a` to `b`, clamped.
pub(crate) fn blend(a: Color, b: Color, t: f32) -> Color {
    let t = t.clamp(0.0, 1.0);
    [0, 1, 2].map(|i| mix(a[i], b[i], t))
}

fn scale(color: Color, by: f32) -> Color {
    color.map(|c| c * by)
}

/// Interpolates between evenly spaced colours, for `t` from 0 to 1.
pub(crate) fn ramp<const N: usize>(colors: [Color; N], t: f32) -> Color {
    let at = t.clamp(0.0, 0.999) * (N - 1) as f32;
    let first = at as usize;
    blend(
        colors[first],
        colors[(first + 1).min(N - 1)],
        at - first as f32,
    )
}

/// A periodic picture with a height for every texel.
struct Canvas {
    colors: Vec<Color>,
    heights: Vec<f32>,
}

impl Canvas {
    /// Paints every texel. `texel` receives a position from 0 to 1 and returns a colour (0 to 255)
    /// and a height (in texels).
    fn paint(texel: impl Fn([f32; 2]) -> (Color, f32)) -> Self {
        let place = |i: i32| (i as f32 + 0.5) / SIDE as f32;
        let texels = (0..SIDE * SIDE).map(|i| texel([place(i % SIDE), place(i / SIDE)]));
        let (colors, heights) = texels.unzip();
        Self { colors, heights }
    }

    fn index(x: i32, y: i32) -> usize {
        (y.rem_euclid(SIDE) * SIDE + x.rem_euclid(SIDE)) as usize
    }

    /// Draws a thin, soft line from its root, brighter toward the tip.
    fn stroke(&mut self, root: [f32; 2], along: [f32; 2], colors: [Color; 2], opacity: f32) {
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
        let steps = (length * 1.5) as i32 + 1;
        for step in 0..=steps {
            let t = step as f32 / steps as f32;
            let (x, y) = (root[0] + along[0] * t, root[1] + along[1] * t);
            let (x0, y0) = (x.floor(), y.floor());
            for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let near = |n: i32, d: f32| if n == 0 { 1.0 - d } else { d };
                let cover = near(i, x - x0) * near(j, y - y0) * opacity;
                let texel = &mut self.colors[Self::index(x0 as i32 + i, y0 as i32 + j)];
                *texel = blend(*texel, blend(colors[0], colors[1], t), cover);
            }
        }
    }

    /// Draws blades of grass, from dark to bright.
    fn blades(&mut self, count: i32, seed: u32, length: [f32; 2], palette: [Color; 4]) {
        for blade in 0..count {
            let pick = |n: u32| random(blade, 7, seed + n);
            let root = [pick(0) * SIDE as f32, pick(1) * SIDE as f32];
            let place = root.map(|r| r / SIDE as f32);
            let lean = (pick(2) - 0.5) * 1.2 + 0.7 * fbm(place, [3, 3], 2, seed + 90);
            let long = mix(length[0], length[1], pick(3));
            let tone = 0.5 * pick(4) + 0.5 * blade as f32 / count as f32;
            let tone = tone * 0.8 + 0.15 + 0.22 * fbm(place, [4, 4], 3, seed + 91);
            let tip = ramp(palette, tone);
            self.stroke(root, [lean * long, -long], [scale(tip, 0.62), tip], 0.6);
        }
    }

    /// Lights the heights from the west and slightly from the south.
    fn lit(self, strength: f32) -> RgbImage {
        RgbImage::from_fn(SIDE as u32, SIDE as u32, |x, y| {
            let (x, y) = (x as i32, y as i32);
            let height = |dx, dy| self.heights[Self::index(x + dx, y + dy)];
            let west = height(1, 0) - height(-1, 0);
            let south = height(0, -1) - height(0, 1);
            let light = 1.0 + strength * (0.9 * west + 0.35 * south).clamp(-1.6, 1.6);
            Rgb(scale(self.colors[Self::index(x, y)], light).map(|c| c.clamp(0.0, 255.0) as u8))
        })
    }
}

/// Encodes a picture as JPEG.
pub(crate) fn jpeg(image: &RgbImage) -> ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 86);
    encoder.encode_image(image)?;
    Ok(bytes)
}

pub(crate) fn grass() -> RgbImage {
    let palette = [
        [44.0, 70.0, 24.0],
        [70.0, 102.0, 33.0],
        [98.0, 132.0, 44.0],
        [138.0, 164.0, 66.0],
    ];
    let mut canvas = Canvas::paint(|at| (ramp(palette, 0.28 + 0.25 * fbm(at, [4, 4], 4, 11)), 0.0));
    canvas.blades(15_000, 12, [4.0, 10.0], palette);
    canvas.lit(0.0)
}

pub(crate) fn meadow() -> RgbImage {
    let palette = [
        [82.0, 78.0, 34.0],
        [122.0, 112.0, 50.0],
        [156.0, 142.0, 70.0],
        [196.0, 180.0, 104.0],
    ];
    let mut canvas = Canvas::paint(|at| (ramp(palette, 0.25 + 0.25 * fbm(at, [5, 5], 4, 21)), 0.0));
    canvas.blades(11_000, 22, [5.0, 13.0], palette);
    let green = [
        [78.0, 92.0, 36.0],
        [104.0, 118.0, 46.0],
        [124.0, 136.0, 56.0],
        [146.0, 156.0, 76.0],
    ];
    canvas.blades(2_600, 25, [4.0, 9.0], green);
    canvas.lit(0.0)
}

pub(crate) fn moss() -> RgbImage {
    let palette = [
        [38.0, 48.0, 22.0],
        [62.0, 76.0, 32.0],
        [88.0, 104.0, 44.0],
        [118.0, 132.0, 62.0],
    ];
    Canvas::paint(|at| {
        let tuft = cell(at, [26, 26], 0.9, 31);
        let tone = random(tuft.id as i32, 0, 32);
        let round = smoothstep(0.0, 0.45, tuft.inside);
        let large = fbm(at, [5, 5], 3, 33);
        let fine = fbm(at, [64, 64], 2, 34);
        let earth = smoothstep(0.35, 0.6, fbm(at, [7, 7], 4, 35));
        let color = ramp(
            palette,
            0.2 + 0.3 * round + 0.25 * tone + 0.2 * large + 0.3 * fine,
        );
        let color = blend(
            color,
            [84.0 + 22.0 * fine, 66.0 + 18.0 * fine, 46.0],
            earth * 0.75,
        );
        (color, 2.2 * round * (1.0 - earth) + 1.2 * fine)
    })
    .lit(0.16)
}

pub(crate) fn rock() -> RgbImage {
    let palette = [
        [74.0, 66.0, 58.0],
        [112.0, 102.0, 90.0],
        [140.0, 130.0, 116.0],
        [172.0, 162.0, 146.0],
    ];
    Canvas::paint(|at| {
        // Upright slabs with occasional cross cuts and a rough surface.
        let warp = fbm(at, [4, 4], 3, 41);
        let bent = [at[0] + 0.035 * warp, at[1] + 0.05 * fbm(at, [3, 3], 2, 42)];
        let slab = cell(bent, [9, 4], 0.95, 43);
        let chip = cell([bent[0] + 0.01 * warp, bent[1]], [22, 12], 1.0, 44);
        let tone = random(slab.id as i32, 0, 45) - 0.5;
        let chip_tone = random(chip.id as i32, 0, 46) - 0.5;
        let crack = 1.0 - smoothstep(0.0, 0.07, slab.inside + 0.03 * warp);
        let chipped = 1.0 - smoothstep(0.0, 0.10, chip.inside);
        let skin = fbm(at, [12, 6], 5, 47);
        let streaks = fbm(bent, [22, 3], 3, 48);
        let t = 0.52 + 0.28 * tone + 0.14 * chip_tone + 0.32 * skin + 0.20 * streaks;
        let color = blend(
            ramp(palette, t),
            [92.0, 86.0, 62.0],
            smoothstep(0.2, 0.7, warp) * 0.35,
        );
        let color = scale(color, 1.0 - 0.5 * crack - 0.14 * chipped);
        let height = 5.0 * tone + 2.4 * chip_tone + 7.0 * skin + 3.0 * streaks - 3.5 * crack;
        (color, height - 1.0 * chipped)
    })
    .lit(0.15)
}

pub(crate) fn cobbles() -> RgbImage {
    Canvas::paint(|at| {
        let bend = [1, 2].map(|i| 0.006 * fbm(at, [6, 6], 3, 50 + i));
        let stone = cell([at[0] + bend[0], at[1] + bend[1]], [10, 10], 0.42, 53);
        let pick = |n| random(stone.id as i32, 1, n);
        let rough = fbm(at, [24, 24], 4, 54);
        let fine = fbm(at, [80, 80], 2, 55);
        let dome = smoothstep(0.045, 0.30, stone.inside + 0.02 * rough);
        let body = smoothstep(0.03, 0.085, stone.inside + 0.025 * rough);
        let grey = 120.0 + 32.0 * (pick(56) - 0.5) + 24.0 * rough + 16.0 * fine;
        let warm = 1.01 + 0.06 * (pick(57) - 0.4);
        let surface = scale(
            [grey * warm, grey, grey * (2.02 - warm)],
            0.86 + 0.22 * dome,
        );
        let dirt = 62.0 + 26.0 * fbm(at, [40, 40], 3, 58);
        let mossy = smoothstep(-0.1, 0.5, fbm(at, [6, 6], 3, 59));
        let joint = blend(
            [dirt * 1.08, dirt * 0.92, dirt * 0.68],
            [60.0, 72.0, 36.0],
            mossy * 0.7,
        );
        let height = 5.5 * dome * body + 1.5 * body + 1.6 * rough + 0.7 * fine;
        (blend(joint, surface, body), height)
    })
    .lit(0.17)
}

pub(crate) fn flagstones() -> RgbImage {
    Canvas::paint(|at| {
        let bend = [1, 2].map(|i| 0.004 * fbm(at, [10, 10], 3, 60 + i));
        let slab = cell([at[0] + bend[0], at[1] + bend[1]], [5, 6], 0.6, 63);
        let pick = |n| random(slab.id as i32, 2, n);
        let rough = fbm(at, [14, 14], 5, 64);
        let fine = fbm(at, [90, 90], 2, 65);
        let body = smoothstep(0.020, 0.045, slab.inside + 0.008 * rough);
        let bevel = smoothstep(0.025, 0.095, slab.inside + 0.012 * rough);
        let light = 130.0 + 26.0 * (pick(66) - 0.5) + 20.0 * rough + 14.0 * fine;
        let warm = 1.035 + 0.06 * (pick(67) - 0.5);
        let surface = [light * warm, light, light * (1.9 - warm)];
        let sand = 92.0 + 26.0 * fbm(at, [50, 50], 3, 68);
        let height = 2.6 * bevel + 1.6 * rough + 0.6 * fine;
        (
            blend([sand, sand * 0.88, sand * 0.68], surface, body),
            height,
        )
    })
    .lit(0.17)
}

pub(crate) fn path() -> RgbImage {
    let palette = [
        [92.0, 70.0, 48.0],
        [124.0, 97.0, 68.0],
        [150.0, 122.0, 88.0],
        [178.0, 152.0, 116.0],
    ];
    Canvas::paint(|at| {
        let broad = fbm(at, [5, 5], 5, 71);
        let fine = fbm(at, [48, 48], 3, 72);
        let pebble = cell(at, [30, 30], 0.9, 73);
        let pick = |n| random(pebble.id as i32, 3, n);
        let there = if pick(74) < 0.28 { 1.0 } else { 0.0 };
        let size = 0.10 + 0.14 * pick(75);
        let body = there * smoothstep(size, size + 0.10, pebble.inside);
        let dome = there * smoothstep(size, size + 0.30, pebble.inside);
        let grey = 118.0 + 56.0 * (pick(76) - 0.35);
        let earth = ramp(palette, 0.45 + 0.28 * broad + 0.34 * fine);
        let color = blend(earth, [grey * 1.04, grey, grey * 0.9], body * 0.85);
        (color, 2.0 * broad + 2.2 * fine + 3.0 * dome + body)
    })
    .lit(0.15)
}

pub(crate) fn sand() -> RgbImage {
    let palette = [
        [150.0, 126.0, 88.0],
        [170.0, 146.0, 104.0],
        [186.0, 164.0, 122.0],
    ];
    Canvas::paint(|at| {
        let warp = fbm(at, [3, 3], 3, 81);
        // Ripples: a smooth, warped and fading zigzag.
        let phase = at[1] * 15.0 + 1.1 * warp + 0.4 * fbm(at, [6, 6], 2, 82);
        let zigzag = ((phase - phase.floor()) * 2.0 - 1.0).abs();
        let ripple = zigzag * zigzag * (3.0 - 2.0 * zigzag);
        let fade = smoothstep(-0.5, 0.45, fbm(at, [4, 4], 2, 83));
        let grain = fbm(at, [100, 100], 2, 84);
        let broad = fbm(at, [4, 4], 4, 85);
        let t = 0.5 + 0.28 * broad + 0.42 * grain + 0.16 * (ripple - 0.5) * fade;
        (
            ramp(palette, t),
            3.2 * ripple * fade + 1.0 * grain + 2.0 * broad,
        )
    })
    .lit(0.09)
}

/// Snow, darker than in reality: on summits, the game's light is half as strong again.
pub(crate) fn snow() -> RgbImage {
    let palette = [
        [122.0, 136.0, 158.0],
        [146.0, 156.0, 172.0],
        [162.0, 169.0, 178.0],
    ];
    Canvas::paint(|at| {
        let warp = fbm(at, [4, 4], 3, 91);
        let drift = fbm([at[0] + 0.05 * warp, at[1] + 0.04 * warp], [4, 7], 4, 92);
        let grain = fbm(at, [90, 90], 2, 93);
        let crust = fbm(at, [20, 20], 4, 94);
        let color = ramp(palette, 0.58 + 0.42 * drift + 0.18 * crust + 0.18 * grain);
        (color, 7.0 * drift + 2.2 * crust + 0.7 * grain)
    })
    .lit(0.07)
}
