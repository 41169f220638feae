//! The demo map and its textures, as bytes.
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and `tests/demo.rs` compares with what lies in `assets/demo`.

use image::ImageResult;

pub(crate) mod map;
mod noise;
mod textures;

/// Names (below `assets/demo`) and bytes of all files.
pub(crate) fn files() -> ImageResult<Vec<(String, Vec<u8>)>> {
    let textures = map::MATERIALS.iter().map(|material| {
        let name = format!("assets/map_textures/{}", material.texture);
        Ok((name, textures::jpeg(&(material.paint)())?))
    });
    let map = ("demo.pfmap".to_owned(), map::text().into_bytes());
    std::iter::once(Ok(map)).chain(textures).collect()
}
