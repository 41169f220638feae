//! The project's own 2D maps with their tiles as bytes: a village for ika and a space station for
//! `PixelPerfectEngine`.
//!
//! Each layer is painted as one picture of palette indices and then cut into tiles; equal tiles are
//! merged (`canvas`).
//!
//! Nothing here calls functions of the maths library. Sums, products and square roots give the same
//! results on every machine, and a test compares the output with `assets/maps`.

mod canvas;
mod station;
#[cfg(test)]
mod tests;
mod village;

use super::{Failure, Files};

/// Names (below `assets/maps`) and bytes of all files.
///
/// # Errors
/// If content exceeds a limit of its format.
pub fn files() -> Result<Files, Failure> {
    let mut files = village::files()?;
    files.extend(station::files()?);
    Ok(files)
}
