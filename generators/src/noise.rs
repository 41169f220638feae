//! Random numbers and periodic noise. Positions are relative to the size of the picture, so that 0
//! and 1 are the same position.

/// A hash of three numbers.
pub(crate) fn hash(x: i32, y: i32, seed: u32) -> u32 {
    let mut h = seed.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    for n in [x, y] {
        h = (h ^ n.cast_unsigned()).wrapping_mul(0xcc9e_2d51);
        h = (h ^ h >> 15).wrapping_mul(0x1b87_3593);
        h ^= h >> 13;
    }
    h ^ h >> 16
}

/// A random number from 0 to 1.
pub(crate) fn random(x: i32, y: i32, seed: u32) -> f32 {
    (hash(x, y, seed) >> 8) as f32 / (1 << 24) as f32
}

/// Interpolates from `a` to `b`.
pub(crate) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `low`, 1 above `high`, and smooth between them.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Gradient noise from about -1 to 1, with `fu` and `fv` waves across the picture.
pub(crate) fn noise([u, v]: [f32; 2], [fu, fv]: [i32; 2], seed: u32) -> f32 {
    let (x, y) = (u * fu as f32, v * fv as f32);
    let (x0, y0) = (x.floor(), y.floor());
    let (dx, dy) = (x - x0, y - y0);
    let corner = |i: i32, j: i32| {
        let (cx, cy) = (
            (x0 as i32 + i).rem_euclid(fu),
            (y0 as i32 + j).rem_euclid(fv),
        );
        let (gx, gy) = match hash(cx, cy, seed) & 7 {
            0 => (1.0, 0.0),
            1 => (-1.0, 0.0),
            2 => (0.0, 1.0),
            3 => (0.0, -1.0),
            4 => (0.7, 0.7),
            5 => (-0.7, 0.7),
            6 => (0.7, -0.7),
            _ => (-0.7, -0.7),
        };
        gx * (dx - i as f32) + gy * (dy - j as f32)
    };
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (s, t) = (fade(dx), fade(dy));
    let north = mix(corner(0, 0), corner(1, 0), s);
    let south = mix(corner(0, 1), corner(1, 1), s);
    mix(north, south, t) * 1.5
}

/// Several octaves of noise, from about -1 to 1.
pub(crate) fn fbm(at: [f32; 2], waves: [i32; 2], octaves: i32, seed: u32) -> f32 {
    let (mut sum, mut amplitude) = (0.0, 0.5);
    for octave in 0..octaves {
        let waves = waves.map(|w| w << octave);
        sum += amplitude * noise(at, waves, seed + octave.cast_unsigned());
        amplitude *= 0.5;
    }
    sum * 1.3
}

/// A cell of a Voronoi diagram of jittered grid points.
pub(crate) struct Cell {
    /// Its unique number.
    pub(crate) id: u32,
    /// Distance from its border, relative to the side of the grid.
    pub(crate) inside: f32,
}

/// The cell at a position, in a grid of `nu` x `nv` points that are displaced by up to `jitter` of
/// the grid's side.
pub(crate) fn cell([u, v]: [f32; 2], [nu, nv]: [i32; 2], jitter: f32, seed: u32) -> Cell {
    let (x, y) = (u * nu as f32, v * nv as f32);
    let (x0, y0) = (x.floor() as i32, y.floor() as i32);
    // The vector from the position to the point of a grid cell.
    let to_point = |i: i32, j: i32| {
        let (cx, cy) = ((x0 + i).rem_euclid(nu), (y0 + j).rem_euclid(nv));
        let off = |seed| (random(cx, cy, seed) - 0.5) * jitter;
        let px = (x0 + i) as f32 + 0.5 + off(seed) + 0.5 * ((y0 + j) & 1) as f32;
        [px - x, (y0 + j) as f32 + 0.5 + off(seed + 1) - y]
    };
    let around =
        |reach: i32| (-reach..=reach).flat_map(move |j| (-reach..=reach).map(move |i| (i, j)));
    let dot = |a: [f32; 2], b: [f32; 2]| a[0] * b[0] + a[1] * b[1];
    let mut nearest = (f32::MAX, (0, 0), [0.0; 2]);
    for (i, j) in around(2) {
        let point = to_point(i, j);
        if dot(point, point) < nearest.0 {
            nearest = (dot(point, point), (i, j), point);
        }
    }
    let (_, (ni, nj), near) = nearest;
    let mut inside = f32::MAX;
    for (i, j) in around(2) {
        let point = to_point(ni + i, nj + j);
        let across = [point[0] - near[0], point[1] - near[1]];
        let length = dot(across, across).sqrt();
        if length > 1e-4 {
            let middle = [0, 1].map(|i| f32::midpoint(point[i], near[i]));
            inside = inside.min(dot(middle, across) / length);
        }
    }
    let id = hash((x0 + ni).rem_euclid(nu), (y0 + nj).rem_euclid(nv), seed + 2);
    Cell { id, inside }
}
