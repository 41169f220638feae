//! Trees, bushes and clouds: heaps of round clumps, lit from the upper left.

use super::colors::{CLOUD, INK, LEAF, PINE, Ramp, SHADOW, WOOD};
use crate::noise::hash;
use crate::tilemaps::canvas::Canvas;

/// A clump: its centre and radius in pixels.
type Clump = (i32, i32, i32);

/// Paints clumps from back to front, with a dark outline.
fn heap(size: [i32; 2], clumps: &[Clump], ramp: Ramp) -> Canvas {
    let mut canvas = Canvas::new(size[0], size[1]);
    for (cx, cy, radius) in clumps {
        let mut clump = Canvas::new(size[0], size[1]);
        clump.paint(|x, y| {
            let (dx, dy) = (2 * (x - cx) + 1, 2 * (y - cy) + 1);
            let ragged = (hash(x / 2, y / 2, 3) % 3) as i32;
            let reach = 2 * radius + 1 - ragged / 2;
            if dx * dx + dy * dy > reach * reach {
                return None;
            }
            // How much it faces the light, from -1 to 1.
            let facing = -(2 * dx + 3 * dy) as f32 / (3.6 * 2.0 * *radius as f32);
            let dither = if (x + y) % 2 == 0 { 0.08 } else { -0.08 };
            Some(match facing + dither {
                ..-0.52 => ramp[1],
                ..0.18 => ramp[2],
                ..0.72 => ramp[3],
                _ => ramp[4],
            })
        });
        // A dark seam below separates it from the clumps behind.
        let mut seam = Canvas::new(size[0], size[1]);
        seam.paint(|x, y| {
            let is_seam = clump.get(x, y) == 0
                && (clump.get(x - 1, y) != 0 || clump.get(x, y - 1) != 0)
                && canvas.get(x, y) != 0;
            is_seam.then_some(ramp[1])
        });
        canvas.draw(&seam, 0, 0);
        canvas.draw(&clump, 0, 0);
    }
    canvas.outline(ramp[0]);
    canvas
}

/// An elliptical shadow.
pub(crate) fn shadow(size: [i32; 2], [cx, cy]: [i32; 2], [rx, ry]: [i32; 2]) -> Canvas {
    let mut canvas = Canvas::new(size[0], size[1]);
    canvas.paint(|x, y| {
        let (dx, dy) = ((2 * (x - cx) + 1) * ry, (2 * (y - cy) + 1) * rx);
        (dx * dx + dy * dy < 4 * rx * rx * ry * ry).then_some(SHADOW)
    });
    canvas
}

/// A tree of two by three tiles: the part on the ground, and the part above the player.
pub(crate) fn tree(ramp: Ramp) -> [Canvas; 2] {
    let size = [32, 48];
    let mut trunk = Canvas::new(size[0], size[1]);
    trunk.paint(|x, y| {
        let half = if y > 43 { 5 - (46 - y).min(2) } else { 3 };
        let dx = x - 16;
        if !(28..46).contains(&y) || dx < -half || dx >= half {
            return None;
        }
        Some(match dx {
            _ if dx == -half || dx == half - 1 || y == 45 => INK,
            ..-1 => WOOD[3],
            -1 | 0 => WOOD[2],
            _ => WOOD[1],
        })
    });
    trunk.draw_below(&shadow(size, [18, 43], [13, 4]), 0, 0);
    let clumps = [
        (16, 8, 7),
        (8, 13, 7),
        (24, 13, 7),
        (7, 22, 6),
        (25, 22, 6),
        (16, 15, 9),
        (10, 27, 6),
        (22, 27, 6),
        (16, 25, 8),
        (12, 17, 6),
    ];
    [trunk, heap(size, &clumps, ramp)]
}

/// A fir of two by three tiles, in the same two parts.
pub(crate) fn fir() -> [Canvas; 2] {
    let size = [32, 48];
    let mut trunk = Canvas::new(size[0], size[1]);
    trunk.rect([13, 36], [6, 9], INK);
    trunk.rect([14, 36], [2, 8], WOOD[2]);
    trunk.rect([16, 36], [2, 8], WOOD[1]);
    trunk.draw_below(&shadow(size, [18, 43], [12, 4]), 0, 0);
    let mut top = Canvas::new(size[0], size[1]);
    // Skirts from the lowest to the topmost: lower end, height and half width.
    for (bottom, height, half) in [(40, 17, 13), (30, 16, 11), (21, 14, 8), (12, 11, 5)] {
        let mut skirt = Canvas::new(size[0], size[1]);
        skirt.paint(|x, y| {
            let dx = 2 * (x - 16) + 1;
            let down = y - (bottom - height);
            let wide = 2 * half * (down + 2) / (height + 2);
            // The hem has points.
            let hem =
                bottom - (dx.abs() / 4) - [0, 1, 2, 3, 2, 1][((x - 16).rem_euclid(6)) as usize];
            if down < 0 || dx.abs() > wide || y > hem + 1 {
                return None;
            }
            let from_hem = hem + 1 - y;
            let streak = hash(x, y / 3, 13).is_multiple_of(5);
            Some(match from_hem {
                0 => PINE[0],
                1..=2 => PINE[1],
                _ if dx < -wide / 3 => PINE[if streak { 4 } else { 3 }],
                _ if dx < wide / 4 => PINE[if streak { 3 } else { 2 }],
                _ => PINE[if streak { 2 } else { 1 }],
            })
        });
        top.draw(&skirt, 0, 0);
    }
    top.outline(PINE[0]);
    [trunk, top]
}

/// A bush of one tile, with or without berries.
pub(crate) fn bush(berries: Option<u8>) -> Canvas {
    let clumps = [(8, 6, 4), (4, 9, 4), (11, 9, 4), (8, 10, 4)];
    let mut canvas = heap([16, 16], &clumps, LEAF);
    if let Some(color) = berries {
        for [x, y] in [[5, 6], [10, 5], [8, 9], [12, 9], [4, 11]] {
            canvas.set(x, y, color);
        }
    }
    canvas.draw_below(&shadow([16, 16], [9, 13], [7, 2]), 0, 0);
    canvas
}

/// A translucent cloud.
pub(crate) fn cloud(size: [i32; 2], clumps: &[Clump]) -> Canvas {
    let mut canvas = heap(size, clumps, CLOUD);
    // No seams and no outline: white at the top, slightly blue at the bottom.
    let shape = canvas.clone();
    canvas.paint(|x, y| {
        if shape.get(x, y) == 0 {
            return None;
        }
        let to_end = |dy: i32| (1..=9).find(|step| shape.get(x, y + dy * step) == 0);
        let edge = [(-1, 0), (1, 0), (0, -1), (0, 1)];
        if edge.iter().any(|(i, j)| shape.get(x + i, y + j) == 0) {
            return Some(CLOUD[4]);
        }
        Some(match (to_end(1), to_end(-1)) {
            (Some(1..=3), _) => CLOUD[0],
            (Some(4..=6), _) => CLOUD[1],
            (_, Some(1..=3)) => CLOUD[3],
            _ => CLOUD[2],
        })
    });
    canvas
}
