//! Overlay colours of the terrain as used by shaders: red, green and blue from 0 to 1. Legends
//! convert them to bytes.

use super::TileClass;

/// Colour of each [`TileClass`], by index.
pub const TYPES: [[f32; 3]; TileClass::COUNT] = [
    [0.62, 0.65, 0.60],
    [0.90, 0.32, 0.26],
    [0.98, 0.62, 0.20],
    [0.97, 0.86, 0.26],
    [0.62, 0.82, 0.24],
    [0.18, 0.62, 0.30],
    [0.36, 0.83, 0.62],
    [0.12, 0.60, 0.72],
    [0.47, 0.78, 0.96],
    [0.20, 0.36, 0.80],
    [0.58, 0.56, 0.95],
    [0.52, 0.20, 0.66],
    [0.92, 0.52, 0.82],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
];

/// Colour ramp from the lowest to the highest level, evenly spaced: blue, green, yellow, white.
pub const HEIGHTS: [[f32; 3]; 4] = [
    [0.10, 0.20, 0.50],
    [0.16, 0.62, 0.48],
    [0.94, 0.82, 0.34],
    [1.0, 1.0, 1.0],
];

/// Ground on which units can walk, or on which grass grows.
pub const GOOD: [f32; 3] = [0.26, 0.75, 0.32];
/// Ground on which units cannot walk, or on which no grass grows.
pub const BAD: [f32; 3] = [0.85, 0.20, 0.16];

/// Colours of navigation islands by size. Only the largest island has the first colour; the others
/// repeat the rest. The colours remain distinct with red-green colour blindness.
pub const ISLANDS: [[f32; 3]; 6] = [
    [0.0, 0.62, 0.45],
    [0.34, 0.71, 0.91],
    [0.94, 0.89, 0.26],
    [0.80, 0.47, 0.65],
    [0.0, 0.30, 0.75],
    [1.0, 1.0, 1.0],
];
/// Colours of impassable navigation cells, and of cells that only an entity blocks.
pub const BLOCKED_CELLS: [[f32; 3]; 2] = [[0.72, 0.16, 0.06], [0.36, 0.10, 0.10]];

/// Colour of each [`Cover`](mapscope_formats::pfmap::Cover), by number.
pub const COVERS: [[f32; 3]; 4] = [BAD, GOOD, [0.97, 0.86, 0.26], [0.80, 0.30, 0.85]];

/// Colour of the lines along seams.
pub const SEAM: [f32; 3] = [1.0, 0.45, 0.05];
/// Colour of the lines around chunks.
pub const CHUNK_BORDER: [f32; 3] = [1.0, 0.16, 0.12];
