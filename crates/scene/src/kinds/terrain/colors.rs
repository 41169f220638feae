//! The colours of the terrain's overlays, in the numbers of the shaders: red, green and blue from 0
//! to 1. Legends have them in bytes.

use super::TileClass;

/// Of each [`TileClass`], by its index.
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

/// From the lowest level to the highest, evenly spread: blue over green and yellow to white.
pub const HEIGHTS: [[f32; 3]; 4] = [
    [0.10, 0.20, 0.50],
    [0.16, 0.62, 0.48],
    [0.94, 0.82, 0.34],
    [1.0, 1.0, 1.0],
];

/// Where ground units can walk, and where grass grows.
pub const GOOD: [f32; 3] = [0.26, 0.75, 0.32];
/// Where ground units cannot walk, and where no grass grows.
pub const BAD: [f32; 3] = [0.85, 0.20, 0.16];

/// Of islands of the navigation grid, by their size: the largest has the first one for itself, and
/// the others go round. Whoever cannot tell red from green can tell them apart.
pub const ISLANDS: [[f32; 3]; 6] = [
    [0.0, 0.62, 0.45],
    [0.34, 0.71, 0.91],
    [0.94, 0.89, 0.26],
    [0.80, 0.47, 0.65],
    [0.0, 0.30, 0.75],
    [1.0, 1.0, 1.0],
];
/// Of cells of the navigation grid that cannot be passed, and of those that could if no entity stood
/// there.
pub const BARRED_CELLS: [[f32; 3]; 2] = [[0.72, 0.16, 0.06], [0.36, 0.10, 0.10]];

/// Of each [`Cover`](mapscope_formats::pfmap::Cover), by its number.
pub const COVERS: [[f32; 3]; 4] = [BAD, GOOD, [0.97, 0.86, 0.26], [0.80, 0.30, 0.85]];

/// Of the lines along seams.
pub const SEAM: [f32; 3] = [1.0, 0.45, 0.05];
/// Of the lines around chunks.
pub const CHUNK_BORDER: [f32; 3] = [1.0, 0.16, 0.12];
