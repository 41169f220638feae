//! The textures that the models of the scene share. They are 128 x 128, the size to which the
//! engine scales all model textures.

use glam::{DVec2, DVec3};
use image::{DynamicImage, ImageResult, Rgb, RgbImage, Rgba, RgbaImage};

use super::kit::{Finish, Look};
use crate::maths::{cosine, sine};
use crate::models::bake::{byte, png};
use crate::noise::{cell, fbm, mix, random, smoothstep};
use crate::terrain::textures::{self, Color, blend, ramp};

const SIDE: u32 = 128;

/// The colour at a position of a picture, from 0 to 1.
type Paint = fn([f32; 2]) -> Color;

const fn finish(name: &'static str, texture: &'static str, repeat: f64) -> Finish {
    Finish {
        name,
        texture,
        repeat,
        specular: 0.02,
    }
}

pub(super) static THATCH: Finish = finish("Thatch", "thatch.jpg", 10.0);
pub(super) static TILES: Finish = finish("Roof tiles", "tiles.jpg", 8.0);
pub(super) static SLATES: Finish = finish("Slates", "slates.jpg", 8.0);
pub(super) static PLASTER: Finish = finish("Plaster", "plaster.jpg", 14.0);
pub(super) static STONES: Finish = finish("Masonry", "stones.jpg", 9.0);
pub(super) static TIMBER: Finish = finish("Timber", "timber.jpg", 6.0);
pub(super) static PLANKS: Finish = finish("Planks", "planks.jpg", 6.0);
pub(super) static BARK: Finish = finish("Bark", "bark.jpg", 8.0);
pub(super) static FOLIAGE: Finish = finish("Foliage", "foliage.jpg", 9.0);
pub(super) static LEAVES: Finish = finish("Leaves", "leaves.png", 1.0);
pub(super) static NEEDLES: Finish = finish("Needles", "needles.png", 1.0);
pub(super) static PLANTS: Finish = finish("Plants", "plants.png", 1.0);
pub(super) static COLORS: Finish = finish("Colours", "colors.png", 1.0);
/// Textures of the map that models may also use.
pub(super) static ROCK: Finish = finish("Rock", "rock.jpg", 9.0);
pub(super) static EARTH: Finish = finish("Earth", "path.jpg", 9.0);

/// Parts of [`PLANTS`]: left, bottom, right and top.
pub(super) const REEDS: [f64; 4] = [0.01, 0.51, 0.49, 0.99];
pub(super) const WHEAT: [f64; 4] = [0.51, 0.51, 0.99, 0.99];
pub(super) const GRASS: [f64; 4] = [0.01, 0.01, 0.49, 0.49];
pub(super) const FLOWERS: [f64; 4] = [0.51, 0.01, 0.99, 0.49];

/// Plain colours, each a column of [`COLORS`] from dark to light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hue {
    Skin,
    Hair,
    Linen,
    Red,
    Blue,
    Green,
    Ochre,
    Leather,
    Grey,
    Wool,
    Black,
    Orange,
    Window,
    Violet,
    Cabbage,
    Snow,
}

/// Dark, middle and light tone of each hue, in order.
const HUES: [[Color; 3]; 16] = [
    [[0.52, 0.31, 0.22], [0.84, 0.60, 0.45], [0.97, 0.80, 0.66]],
    [[0.13, 0.08, 0.05], [0.34, 0.21, 0.12], [0.60, 0.42, 0.24]],
    [[0.50, 0.45, 0.36], [0.80, 0.74, 0.62], [0.96, 0.93, 0.85]],
    [[0.30, 0.07, 0.06], [0.64, 0.16, 0.12], [0.86, 0.34, 0.25]],
    [[0.08, 0.14, 0.26], [0.19, 0.34, 0.56], [0.44, 0.60, 0.78]],
    [[0.10, 0.18, 0.07], [0.27, 0.41, 0.17], [0.50, 0.62, 0.30]],
    [[0.38, 0.24, 0.07], [0.74, 0.53, 0.18], [0.94, 0.78, 0.42]],
    [[0.15, 0.09, 0.05], [0.36, 0.23, 0.13], [0.56, 0.40, 0.25]],
    [[0.18, 0.18, 0.20], [0.42, 0.42, 0.44], [0.70, 0.70, 0.70]],
    [[0.52, 0.48, 0.42], [0.83, 0.80, 0.73], [0.97, 0.95, 0.90]],
    [[0.03, 0.03, 0.04], [0.11, 0.10, 0.10], [0.26, 0.24, 0.23]],
    [[0.55, 0.24, 0.05], [0.88, 0.48, 0.12], [0.98, 0.72, 0.34]],
    [[0.08, 0.11, 0.15], [0.21, 0.28, 0.34], [0.56, 0.64, 0.66]],
    [[0.20, 0.10, 0.24], [0.43, 0.26, 0.49], [0.68, 0.52, 0.72]],
    [[0.14, 0.26, 0.10], [0.38, 0.54, 0.24], [0.66, 0.76, 0.46]],
    [[0.62, 0.62, 0.60], [0.90, 0.90, 0.88], [1.00, 1.00, 0.98]],
];

/// A plain colour, from dark (0) to light (1).
pub(super) fn hue(hue: Hue, tone: f64) -> Look {
    let column = (f64::from(hue as u32) + 0.5) / HUES.len() as f64;
    Look {
        finish: &COLORS,
        swatch: Some(DVec2::new(column, 0.02 + 0.96 * tone)),
    }
}

/// Names and bytes of all textures.
pub(super) fn files() -> ImageResult<Vec<(&'static str, Vec<u8>)>> {
    let opaque: [(&Finish, Paint); 9] = [
        (&THATCH, thatch),
        (&TILES, tiles),
        (&SLATES, slates),
        (&PLASTER, plaster),
        (&STONES, stones),
        (&TIMBER, timber),
        (&PLANKS, planks),
        (&BARK, bark),
        (&FOLIAGE, foliage),
    ];
    let mut files = Vec::new();
    for (finish, paint) in opaque {
        let place = |n: u32| (n as f32 + 0.5) / SIDE as f32;
        let image = RgbImage::from_fn(
            SIDE,
            SIDE,
            |x, y| Rgb(paint([place(x), place(y)]).map(byte)),
        );
        files.push((finish.texture, textures::jpeg(&image)?));
    }
    for (finish, image) in [
        (&LEAVES, leaves()),
        (&NEEDLES, needles()),
        (&PLANTS, plants()),
    ] {
        files.push((finish.texture, png(&DynamicImage::ImageRgba8(image))?));
    }
    files.push((COLORS.texture, png(&DynamicImage::ImageRgb8(colors()))?));
    Ok(files)
}

fn lit(color: Color, by: f32) -> Color {
    color.map(|c| c * by)
}

/// Straw in layers, each of which ends above the next.
fn thatch(at: [f32; 2]) -> Color {
    let bend = 0.014 * fbm(at, [5, 3], 2, 700);
    let layer = (at[1] + 0.02 * fbm(at, [9, 4], 2, 701)) * 4.0;
    let down = layer - layer.floor();
    let straw = fbm([at[0] + bend, at[1] * 0.999], [52, 5], 3, 702);
    let broad = fbm(at, [4, 4], 3, 703);
    let color = ramp(
        [
            [0.27, 0.20, 0.12],
            [0.45, 0.35, 0.21],
            [0.60, 0.48, 0.30],
            [0.75, 0.64, 0.43],
        ],
        0.48 + 0.45 * straw + 0.22 * broad,
    );
    lit(color, mix(0.72, 1.08, smoothstep(0.0, 0.35, down)))
}

/// Rows of tiles, each offset from the next; their lower ends cast shadows.
fn shingles(at: [f32; 2], rows: i32, columns: i32, palette: [Color; 4], seed: u32) -> Color {
    let wave = 0.004 * fbm(at, [8, 8], 2, seed);
    let y = (at[1] + wave) * rows as f32;
    let row = y.floor() as i32;
    let down = y - y.floor();
    let x = at[0] * columns as f32 + 0.5 * (row & 1) as f32;
    let column = (x.floor() as i32).rem_euclid(columns);
    let across = (x - x.floor() - 0.5).abs() * 2.0;
    let pick = random(column, row.rem_euclid(rows), seed + 1);
    let fine = fbm(at, [30, 30], 2, seed + 2);
    let broad = fbm(at, [3, 3], 2, seed + 3);
    let color = ramp(
        palette,
        0.5 + 0.55 * (pick - 0.5) + 0.2 * fine + 0.2 * broad,
    );
    // Rounded at the lower end.
    let end = 1.0 - 0.16 * across * across;
    let gap = smoothstep(0.80, 1.0, across) * 0.45;
    let shade = smoothstep(0.0, 0.22, down) * (1.0 - 0.55 * smoothstep(end - 0.04, end, down));
    lit(color, mix(0.52, 1.08, shade) * (1.0 - gap))
}

fn tiles(at: [f32; 2]) -> Color {
    let palette = [
        [0.36, 0.16, 0.11],
        [0.50, 0.24, 0.16],
        [0.60, 0.33, 0.22],
        [0.70, 0.44, 0.31],
    ];
    shingles(at, 8, 8, palette, 710)
}

fn slates(at: [f32; 2]) -> Color {
    let palette = [
        [0.22, 0.25, 0.31],
        [0.31, 0.36, 0.43],
        [0.41, 0.46, 0.53],
        [0.53, 0.57, 0.62],
    ];
    shingles(at, 8, 8, palette, 720)
}

fn plaster(at: [f32; 2]) -> Color {
    let broad = fbm(at, [4, 4], 4, 730);
    let fine = fbm(at, [40, 40], 2, 731);
    let color = ramp(
        [[0.70, 0.62, 0.48], [0.85, 0.79, 0.66], [0.94, 0.90, 0.80]],
        0.6 + 0.35 * broad + 0.15 * fine,
    );
    let bare = smoothstep(0.52, 0.62, fbm(at, [6, 6], 3, 732));
    blend(color, [0.62, 0.50, 0.38], 0.5 * bare)
}

fn stones(at: [f32; 2]) -> Color {
    let bend = [1, 2].map(|i| 0.008 * fbm(at, [8, 8], 2, 740 + i));
    let stone = cell([at[0] + bend[0], at[1] + bend[1]], [5, 8], 0.55, 743);
    let pick = |n| random(stone.id as i32, 4, n);
    let rough = fbm(at, [18, 18], 3, 744);
    let body = smoothstep(0.03, 0.10, stone.inside + 0.02 * rough);
    let light = 0.54 + 0.22 * (pick(745) - 0.5) + 0.15 * rough;
    let warm = 1.04 + 0.12 * (pick(746) - 0.4);
    let surface = [light * warm, light, light * (1.92 - warm)];
    blend([0.40, 0.36, 0.30], surface, body)
}

/// Fibres along V.
fn fibres(at: [f32; 2], boards: i32, palette: [Color; 4], seed: u32) -> Color {
    let x = at[0] * boards as f32;
    let board = (x.floor() as i32).rem_euclid(boards);
    let across = (x - x.floor() - 0.5).abs() * 2.0;
    let pick = random(board, 0, seed);
    let along = (at[1] + pick).fract();
    let fibre = fbm([at[0], along * 0.999], [40, 3], 3, seed + 1);
    let broad = fbm([at[0], along * 0.999], [7, 3], 2, seed + 2);
    let color = ramp(
        palette,
        0.5 + 0.4 * (pick - 0.5) + 0.36 * fibre + 0.24 * broad,
    );
    let gap = if boards > 1 {
        smoothstep(0.86, 0.97, across)
    } else {
        0.0
    };
    lit(color, 1.0 - 0.6 * gap)
}

fn timber(at: [f32; 2]) -> Color {
    let palette = [
        [0.16, 0.10, 0.07],
        [0.26, 0.17, 0.11],
        [0.35, 0.24, 0.15],
        [0.46, 0.33, 0.22],
    ];
    fibres(at, 1, palette, 750)
}

fn planks(at: [f32; 2]) -> Color {
    let palette = [
        [0.30, 0.21, 0.14],
        [0.46, 0.34, 0.22],
        [0.59, 0.46, 0.31],
        [0.71, 0.59, 0.43],
    ];
    fibres(at, 4, palette, 755)
}

fn bark(at: [f32; 2]) -> Color {
    let ridge = fbm(at, [16, 4], 3, 760);
    let fine = fbm(at, [40, 20], 2, 761);
    ramp(
        [
            [0.17, 0.12, 0.09],
            [0.29, 0.21, 0.15],
            [0.41, 0.32, 0.23],
            [0.54, 0.44, 0.33],
        ],
        0.45 + 0.5 * ridge + 0.25 * fine,
    )
}

/// Overlapping leaves, like a treetop from a distance.
fn foliage(at: [f32; 2]) -> Color {
    let leaf = cell(at, [16, 18], 0.9, 770);
    let pick = random(leaf.id as i32, 1, 771);
    let round = smoothstep(0.0, 0.4, leaf.inside);
    let broad = fbm(at, [4, 4], 3, 772);
    ramp(
        [
            [0.09, 0.17, 0.05],
            [0.18, 0.30, 0.09],
            [0.29, 0.43, 0.14],
            [0.43, 0.56, 0.22],
        ],
        0.06 + 0.4 * round + 0.4 * pick + 0.25 * broad,
    )
}

/// A transparent picture whose hidden colour matches its paint.
fn clear(color: Color) -> RgbaImage {
    let [r, g, b] = color.map(byte);
    RgbaImage::from_pixel(SIDE, SIDE, Rgba([r, g, b, 0]))
}

fn dab(image: &mut RgbaImage, x: i32, y: i32, color: Color) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && x < SIDE
        && y < SIDE
    {
        let [r, g, b] = color.map(byte);
        image.put_pixel(x, y, Rgba([r, g, b, 255]));
    }
}

/// A spray of leaves, dark behind light.
fn leaves() -> RgbaImage {
    const COUNT: i32 = 230;
    let mut image = clear([0.26, 0.38, 0.13]);
    let side = f64::from(SIDE);
    for i in 0..COUNT {
        let pick = |n| f64::from(random(i, n, 780));
        let layer = f64::from(i) / f64::from(COUNT);
        let (turns, far) = (pick(0), 0.43 * pick(1).sqrt() * (1.05 - 0.2 * layer));
        let middle = DVec2::splat(0.5) + DVec2::new(cosine(turns), sine(turns)) * far;
        let middle = middle * side;
        let lean = turns + 0.3 * (pick(2) - 0.5);
        let axis = DVec2::new(cosine(lean), sine(lean));
        let size = 5.5 + 3.5 * pick(3);
        let tone = (0.12 + 0.62 * layer + 0.3 * (pick(4) - 0.5)) as f32;
        let color = ramp(
            [
                [0.10, 0.19, 0.05],
                [0.20, 0.33, 0.09],
                [0.34, 0.49, 0.15],
                [0.53, 0.65, 0.26],
            ],
            tone,
        );
        let reach = size.ceil() as i32;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let from = DVec2::new(f64::from(dx), f64::from(dy)) / size;
                let far = |side: f64| from.distance(axis.perp() * (0.8 * side));
                if far(1.0) < 1.25 && far(-1.0) < 1.25 {
                    let rib = axis.perp_dot(from);
                    let shade = if rib > 0.0 { 1.06 } else { 0.92 };
                    let at = [middle.x as i32 + dx, middle.y as i32 + dy];
                    dab(&mut image, at[0], at[1], lit(color, shade));
                }
            }
        }
    }
    image
}

/// Twigs of a conifer, which overhang their lower end.
fn needles() -> RgbaImage {
    let mut image = clear([0.13, 0.24, 0.13]);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let at = [x, y].map(|n| (n as f32 + 0.5) / SIDE as f32);
            let twig = cell([at[0], at[1] * 0.5], [11, 5], 0.9, 790);
            let pick = random(twig.id as i32, 0, 791);
            let fine = fbm(at, [44, 14], 2, 792);
            let shade = smoothstep(0.0, 0.35, twig.inside);
            let hem = ramp(
                [
                    [0.05, 0.12, 0.07],
                    [0.11, 0.22, 0.11],
                    [0.20, 0.34, 0.16],
                    [0.34, 0.47, 0.24],
                ],
                0.05 + 0.35 * shade + 0.35 * pick + 0.3 * fine + 0.2 * at[1],
            );
            // Rows of a picture run downwards: the hem is ragged.
            let points = (at[0] * 9.0 + 0.3 * fbm(at, [6, 6], 2, 793)).fract();
            let tooth = 1.0 - (2.0 * points - 1.0).abs();
            let end = 0.76 + 0.22 * tooth + 0.05 * fine;
            if at[1] < end {
                dab(&mut image, x as i32, y as i32, hem);
            }
        }
    }
    image
}

/// Blades and stems side by side: reeds, wheat, grass and flowers, a quarter each.
fn plants() -> RgbaImage {
    let mut image = clear([0.40, 0.46, 0.20]);
    let quarter = SIDE as i32 / 2;
    let mut blade =
        |[left, top]: [i32; 2], i: i32, kind: u32, colors: [Color; 2], tall: [f32; 2]| {
            let pick = |n| random(i, n, 800 + kind);
            let root = 5.0 + pick(0) * (quarter - 10) as f32;
            let lean = (pick(1) - 0.5) * 0.5 + (root / quarter as f32 - 0.5) * 0.35;
            let long = mix(tall[0], tall[1], pick(2)) * quarter as f32;
            let tone = pick(3);
            let tip = blend(colors[0], colors[1], tone);
            let mut end = [0; 2];
            for step in 0..long as i32 {
                let t = step as f32 / long;
                let x = root + lean * t * t * long;
                let wide = if t < 0.55 { 2 } else { 1 };
                end = [left + x as i32, top + quarter - 1 - step];
                for dx in 0..wide {
                    let inside = (left + 1..left + quarter - 1).contains(&(end[0] + dx));
                    if inside {
                        let color = lit(tip, mix(0.66, 1.1, t));
                        dab(&mut image, end[0] + dx, end[1], color);
                    }
                }
            }
            end
        };
    let mut heads = Vec::new();
    for i in 0..46 {
        let end = blade(
            [0, 0],
            i,
            0,
            [[0.26, 0.36, 0.12], [0.56, 0.60, 0.26]],
            [0.45, 0.93],
        );
        if i % 4 == 0 {
            heads.push((end, [2, 8], [0.33, 0.20, 0.10]));
        }
        let end = blade(
            [quarter, 0],
            i,
            1,
            [[0.60, 0.47, 0.16], [0.88, 0.74, 0.34]],
            [0.5, 0.86],
        );
        heads.push((end, [2, 6], [0.90, 0.74, 0.36]));
        blade(
            [0, quarter],
            i,
            2,
            [[0.34, 0.48, 0.14], [0.62, 0.72, 0.28]],
            [0.25, 0.8],
        );
        blade(
            [quarter, quarter],
            i,
            3,
            [[0.32, 0.46, 0.14], [0.56, 0.66, 0.24]],
            [0.2, 0.55],
        );
    }
    for i in 100..118 {
        let end = blade(
            [quarter, quarter],
            i,
            3,
            [[0.24, 0.38, 0.12], [0.38, 0.50, 0.18]],
            [0.5, 0.88],
        );
        let petals = [
            [0.93, 0.90, 0.84],
            [0.90, 0.42, 0.32],
            [0.95, 0.76, 0.28],
            [0.62, 0.46, 0.78],
        ];
        heads.push((end, [5, 5], petals[(i % 4) as usize]));
    }
    for ([x, y], [wide, tall], color) in heads {
        for dy in 0..tall {
            for dx in 0..wide {
                // Omit the corners of wide strokes.
                let corner = (dx == 0 || dx == wide - 1) && (dy == 0 || dy == tall - 1);
                let column = x - wide / 2 + dx;
                let other_cell =
                    (column / quarter != x / quarter) || (y + dy) / quarter != y / quarter;
                if !((wide > 2 && corner) || other_cell) {
                    let shade = 1.08 - 0.06 * dy as f32;
                    let heart = wide > 2 && dx == 2 && dy == 2;
                    let color = if heart { [0.86, 0.62, 0.16] } else { color };
                    dab(&mut image, column, y + dy - 1, lit(color, shade));
                }
            }
        }
    }
    image
}

fn colors() -> RgbImage {
    RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let column = x as usize * HUES.len() / SIDE as usize;
        Rgb(ramp(HUES[column], 1.0 - (y as f32 + 0.5) / SIDE as f32).map(byte))
    })
}

/// A direction between two others, for lighting of cards.
pub(super) fn between(a: DVec3, b: DVec3) -> DVec3 {
    (a.normalize_or_zero() + b.normalize_or_zero()).normalize_or(DVec3::Y)
}
