//! The demo map and its textures as bytes.
//!
//! Nothing here calls functions of the maths library. Sums, products and square roots give the same
//! results on every machine, and a test compares the output with `assets/demo`.

use super::{Failure, Files};

pub(crate) mod map;
#[cfg(test)]
mod tests;
pub(crate) mod textures;

/// Names (below `assets/demo`) and bytes of all files.
///
/// # Errors
/// If content exceeds a limit of its format.
pub fn files() -> Result<Files, Failure> {
    let textures = map::MATERIALS.iter().map(|material| {
        let name = format!("assets/map_textures/{}", material.texture);
        Ok((name, textures::jpeg(&(material.paint)())?))
    });
    let map = ("demo.pfmap".to_owned(), map::text().into_bytes());
    std::iter::once(Ok(map)).chain(textures).collect()
}
