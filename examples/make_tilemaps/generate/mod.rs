//! Our own 2D maps with their tiles, as bytes: a village for ika and a space station for
//! `PixelPerfectEngine`.
//!
//! Everything is painted as one picture for each layer, in numbers of a palette, and then cut into
//! tiles, of which equal ones are one ([`canvas`]).
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and `tests/demo_tilemaps.rs` compares with what lies in
//! `assets/maps`.

pub(crate) mod canvas;
#[expect(dead_code, reason = "pixels have edges, and need no smooth steps")]
#[path = "../../make_demo/generate/noise.rs"]
mod noise;
pub(crate) mod station;
pub(crate) mod village;

/// Names (below `assets/maps`) and bytes of files.
pub(crate) type Files = Vec<(&'static str, Vec<u8>)>;

/// All files.
pub(crate) fn files() -> Result<Files, Box<dyn std::error::Error>> {
    let mut files = village::files()?;
    files.extend(station::files()?);
    Ok(files)
}
