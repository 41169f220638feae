//! Our own level, as bytes: a bath house.
//!
//! `plan` says what stands where, and `materials` what it looks like. The rest turns that into
//! octrees with faces (`grid`, `tree`, `inside`), finds out how they are lit (`charts`,
//! `light`) and puts it all together (`build`).
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and a test compares with what lies in `assets/levels`.

use mapscope_formats::pmf::{self, Packing};

use super::{Failure, Files};

mod build;
mod charts;
mod entities;
mod grid;
mod inside;
mod light;
mod materials;
mod plan;
#[cfg(test)]
mod tests;
mod textures;
mod tree;

/// Name of the file below `assets/levels`.
const FILE: &str = "bathhouse.pmf";

/// Names (below `assets/levels`) and bytes of all files.
///
/// # Errors
/// When something does not fit into its format.
pub fn files() -> Result<Files, Failure> {
    Ok(vec![(FILE.to_owned(), bytes()?)])
}

fn bytes() -> Result<Vec<u8>, Failure> {
    Ok(pmf::write(&build::map()?, Packing::Compressed)?)
}
