//! The background of the station: stars, dust clouds and a ringed planet.

use super::colors::{ACCENT, FLOOR, INK, METAL, WALL, WHITE};
use super::plan::SIZE;
use crate::noise::{fbm, hash};
use crate::tilemaps::canvas::{Canvas, TILE};

/// Number of tiles after which the sky repeats, except for the planet.
const PERIOD: i32 = 10;

/// Thresholds of a dither, from 0 to 15.
const DITHER: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// The dither threshold at a pixel, between 0 and 1.
fn dither(x: i32, y: i32) -> f32 {
    (DITHER[(y % 4) as usize][(x % 4) as usize] as f32 + 0.5) / 16.0
}

/// The sky, in the colours of [`super::colors::SPACE`].
pub(crate) fn sky() -> Canvas {
    let mut picture = Canvas::new(SIZE[0] * TILE, SIZE[1] * TILE);
    let side = PERIOD * TILE;
    let mut dust = Canvas::new(side, side);
    dust.paint(|x, y| {
        let place = [x, y].map(|at| (at as f32 + 0.5) / side as f32);
        let density = fbm(place, [2, 2], 3, 77) * 2.6 + 0.9;
        let warm = fbm(place, [2, 1], 2, 5) > 0.12;
        let level = density + (dither(x, y) - 0.5) * 0.9;
        Some(match level {
            ..0.9 => WALL[0],
            ..1.7 => WALL[1],
            ..2.4 => WALL[2],
            _ if warm => ACCENT[0],
            _ => WALL[3],
        })
    });
    for y in 0..PERIOD {
        for x in 0..PERIOD {
            let random = hash(x, y, 12);
            let [px, py] = [random % 13 + 1, random / 16 % 13 + 1].map(|at| at as i32);
            let (px, py) = (x * TILE + px, y * TILE + py);
            match random / 512 % 8 {
                0 => {
                    for (dx, dy, color) in [
                        (0, 0, WHITE),
                        (-1, 0, FLOOR[4]),
                        (1, 0, FLOOR[4]),
                        (0, -1, FLOOR[4]),
                        (0, 1, FLOOR[4]),
                    ] {
                        dust.set(px + dx, py + dy, color);
                    }
                }
                1 | 2 => dust.set(px, py, WHITE),
                3 | 4 => dust.set(px, py, FLOOR[4]),
                5 => dust.set(px, py, ACCENT[3]),
                6 => dust.set(px, py, FLOOR[3]),
                _ => {}
            }
        }
    }
    picture.paint(|x, y| Some(dust.get(x % side, y % side)));
    planet(&mut picture, [540, 58], 46);
    moon(&mut picture, [78, 40], 15);
    picture
}

/// The brightness of a ball at a position, from 0 to 1; `None` outside it. The light comes from the
/// left.
fn ball([dx, dy]: [f32; 2], radius: f32) -> Option<f32> {
    let depth = radius * radius - dx * dx - dy * dy;
    (depth > 0.0).then(|| (-0.72 * dx - 0.42 * dy + 0.55 * depth.sqrt()) / radius)
}

fn planet(picture: &mut Canvas, [cx, cy]: [i32; 2], radius: i32) {
    let radius = radius as f32;
    picture.paint(|x, y| {
        let [dx, dy] = [x - cx, y - cy].map(|at| at as f32 + 0.5);
        // The ring is tilted: in front of the planet below its centre, behind it above.
        let [rx, ry] = [dx * 0.96 + dy * 0.28, (dy * 0.96 - dx * 0.28) * 3.6];
        let far = (rx * rx + ry * ry).sqrt() / radius;
        let ring = match far {
            1.28..1.36 => Some(METAL[1]),
            1.36..1.52 => Some(METAL[3]),
            1.52..1.6 => Some(METAL[2]),
            1.66..1.8 => Some(METAL[1]),
            1.8..1.86 => Some(METAL[0]),
            _ => None,
        };
        if let (Some(color), true) = (ring, ry > 0.0) {
            return Some(color);
        }
        if let Some(light) = ball([dx, dy], radius) {
            let band = (ry * 0.28 + 2.0 * (rx * 0.06).floor() * 0.1) / 5.0;
            let band = band.floor() as i32;
            let is_dark = [1, 4, 5, 9].contains(&band.rem_euclid(11));
            let level = light * 4.2 + (dither(x, y) - 0.5) * 1.1;
            let level = level.floor().clamp(-1.0, 4.0) as i32;
            let ramp = if is_dark { ACCENT } else { METAL };
            return Some(if level < 0 { INK } else { ramp[level as usize] });
        }
        ring
    });
}

fn moon(picture: &mut Canvas, [cx, cy]: [i32; 2], radius: i32) {
    picture.paint(|x, y| {
        let [dx, dy] = [x - cx, y - cy].map(|at| at as f32 + 0.5);
        let light = ball([dx, dy], radius as f32)?;
        let crater = [(-5, -4, 4), (4, 3, 3), (-3, 7, 2), (6, -7, 2)];
        let in_crater = crater.iter().any(|(i, j, r)| {
            let (i, j) = (dx - *i as f32, dy - *j as f32);
            i * i + j * j < (r * r) as f32
        });
        let level = light * 4.4 - if in_crater { 1.2 } else { 0.0 } + (dither(x, y) - 0.5) * 0.9;
        Some(match level.floor() as i32 {
            ..0 => INK,
            level => FLOOR[level.min(4) as usize],
        })
    });
}
