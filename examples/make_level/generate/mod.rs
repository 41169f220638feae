//! Our own level, as bytes: a bath house.
//!
//! [`plan`] says what stands where, and [`materials`] what it looks like. The rest turns that into
//! octrees with faces ([`grid`], [`tree`], [`inside`]), finds out how they are lit ([`charts`],
//! [`light`]) and puts it all together ([`build`]).
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and `tests/demo_level.rs` compares with what lies in
//! `assets/levels`.

use mapscope_formats::pmf::{self, Packing};

mod build;
mod charts;
mod entities;
mod grid;
mod inside;
mod light;
mod materials;
#[expect(dead_code, reason = "levels need sines only")]
#[path = "../../make_models/generate/maths.rs"]
mod maths;
#[path = "../../make_demo/generate/noise.rs"]
mod noise;
#[expect(dead_code, reason = "levels need to mix colours only")]
#[path = "../../make_demo/generate/textures.rs"]
mod paint;
pub(crate) mod plan;
mod textures;
mod tree;

/// Name of the file below `assets/levels`.
pub(crate) const FILE: &str = "bathhouse.pmf";

/// The bytes of the file.
pub(crate) fn bytes() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    Ok(pmf::write(&build::map()?, Packing::Compressed)?)
}
