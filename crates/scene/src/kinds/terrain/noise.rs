//! The noise for bumps, ragged seams, splats and clouds: one small tileable texture.

use std::f32::consts::TAU;
use std::sync::OnceLock;

use crate::map_parallel;

/// Side of the texture in texels.
pub const SIDE: usize = 256;

/// Slope of an accent's coverage over the noise value (fact sheet A8).
pub const ACCENT_SLOPE: f32 = 2.0;
/// Offset subtracted from the coverage, so that the accent only appears above low noise values.
pub const ACCENT_START: f32 = 0.8;

/// A seamless RGBA8 texture.
///
/// - Red and green: direction of the ascent, east and south, for the engine's bumps (fact sheet
///   A9).
/// - Blue: a medium-coarse value for splats and seams.
/// - Alpha: a coarse value for clouds and seams.
///
/// Bytes 0 to 255 represent -1 to 1 or 0 to 1.
pub fn texture() -> &'static [u8] {
    static TEXTURE: OnceLock<Vec<u8>> = OnceLock::new();
    TEXTURE.get_or_init(make)
}

/// Mean share of a material that its accent covers: the mean of the shader's result over the noise.
pub fn accent_share() -> f32 {
    static SHARE: OnceLock<f32> = OnceLock::new();
    *SHARE.get_or_init(|| {
        let values = texture()
            .chunks_exact(4)
            .map(|texel| f32::from(texel[2]) / 255.0);
        let share = |value: f32| (value * ACCENT_SLOPE - ACCENT_START).clamp(0.0, 1.0);
        let shares = values.map(share);
        shares.sum::<f32>() / (SIDE * SIDE) as f32
    })
}

fn make() -> Vec<u8> {
    // The coarsest octave of the engine's noise has a wavelength of two tiles, and this texture
    // spans a chunk of 32.
    let kinds = [(16, 4, 0.5, 11), (8, 5, 0.55, 23), (4, 6, 0.5, 47)];
    let fields = map_parallel(kinds.len(), |i| {
        let (cells, count, persistence, seed) = kinds[i];
        octaves(cells, count, persistence, seed)
    });
    let [bumps, fine, coarse] = [0, 1, 2].map(|i| &fields[i]);
    let at = |field: &[f32], x: usize, y: usize| field[(y % SIDE) * SIDE + x % SIDE];
    let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let mut texels = Vec::with_capacity(SIDE * SIDE * 4);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let dx = at(bumps, x + 1, y) - at(bumps, x + SIDE - 1, y);
            let dy = at(bumps, x, y + 1) - at(bumps, x, y + SIDE - 1);
            // West is +X in the world, and columns run east.
            let length = (dx * dx + dy * dy).sqrt().max(1e-6);
            texels.extend([
                byte(0.5 - 0.5 * dx / length),
                byte(0.5 + 0.5 * dy / length),
                byte(0.5 + 0.5 * at(fine, x, y)),
                byte(0.5 + 0.8 * at(coarse, x, y)),
            ]);
        }
    }
    texels
}

/// Gradient noise that repeats after [`SIDE`] texels. The coarsest octave has `cells` cells per
/// side; each further octave has twice as many and is scaled by `persistence`.
fn octaves(cells: usize, count: u32, persistence: f32, seed: u32) -> Vec<f32> {
    let mut sum = vec![0.0; SIDE * SIDE];
    let mut strength = 1.0;
    for octave in 0..count {
        add_octave(&mut sum, cells << octave, strength, seed + octave);
        strength *= persistence;
    }
    sum
}

fn add_octave(sum: &mut [f32], cells: usize, strength: f32, seed: u32) {
    let gradients: Vec<[f32; 2]> = (0..cells * cells)
        .map(|i| {
            let angle = hash(i as u32 ^ seed.wrapping_mul(0x9e37_79b9)) as f32 / u32::MAX as f32;
            let (sin, cos) = (angle * TAU).sin_cos();
            [cos, sin]
        })
        .collect();
    let per_cell = SIDE / cells;
    let smooth = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    for (y, line) in sum.chunks_exact_mut(SIDE).enumerate() {
        let (cy, fy) = (y / per_cell, (y % per_cell) as f32 / per_cell as f32);
        let wy = smooth(fy);
        for (x, value) in line.iter_mut().enumerate() {
            let (cx, fx) = (x / per_cell, (x % per_cell) as f32 / per_cell as f32);
            let dot = |dx: usize, dy: usize| {
                let [gx, gy] = gradients[(cy + dy) % cells * cells + (cx + dx) % cells];
                gx * (fx - dx as f32) + gy * (fy - dy as f32)
            };
            let wx = smooth(fx);
            let north = dot(0, 0) + (dot(1, 0) - dot(0, 0)) * wx;
            let south = dot(0, 1) + (dot(1, 1) - dot(0, 1)) * wx;
            *value += strength * (north + (south - north) * wy);
        }
    }
}

fn hash(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_repeats_without_a_seam() {
        let field = octaves(16, 4, 0.5, 11);
        let steps = |a: usize, b: usize| (field[a] - field[b]).abs();
        let inside = (0..SIDE)
            .map(|y| steps(y * SIDE + 99, y * SIDE + 100))
            .fold(0.0, f32::max);
        let seam = (0..SIDE)
            .map(|y| steps(y * SIDE + 255, y * SIDE))
            .fold(0.0, f32::max);
        assert!(seam < inside * 2.0 + 0.05, "{seam} against {inside}");
        let spread = field.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        assert!(spread > 0.3, "the noise is nearly flat: {spread}");
    }
}
