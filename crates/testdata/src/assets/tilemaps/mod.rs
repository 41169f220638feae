//! Our own 2D maps with their tiles, as bytes: a village for ika and a space station for
//! `PixelPerfectEngine`.
//!
//! Everything is painted as one picture for each layer, in numbers of a palette, and then cut into
//! tiles, of which equal ones are one (`canvas`).
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and a test compares with what lies in
//! `assets/maps`.

mod canvas;
mod station;
#[cfg(test)]
mod tests;
mod village;

use super::{Failure, Files};

/// Names (below `assets/maps`) and bytes of all files.
///
/// # Errors
/// When something does not fit into its format.
pub fn files() -> Result<Files, Failure> {
    let mut files = village::files()?;
    files.extend(station::files()?);
    Ok(files)
}
