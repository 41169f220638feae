//! The project's own level as bytes: a bath house.
//!
//! `plan` defines the objects and `materials` their appearance. The rest converts them to octrees
//! with faces (`grid`, `tree`, `inside`), bakes their light (`charts`, `light`) and assembles the
//! file (`build`).
//!
//! Nothing here calls functions of the maths library. Sums, products and square roots give the same
//! results on every machine, and a test compares the output with `assets/levels`.

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
/// If content exceeds a limit of its format.
pub fn files() -> Result<Files, Failure> {
    Ok(vec![(FILE.to_owned(), bytes()?)])
}

fn bytes() -> Result<Vec<u8>, Failure> {
    Ok(pmf::write(&build::map()?, Packing::Compressed)?)
}
