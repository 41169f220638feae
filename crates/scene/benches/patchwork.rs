//! How long one terrain texture takes to become an atlas of Wang tiles: 11 of them must not hold
//! up the first picture of a map.

use image::{Rgba, RgbaImage};
use mapscope_scene::terrain::patchwork;

fn main() {
    divan::main();
}

/// A texture with noise and structure.
fn texture(side: u32) -> RgbaImage {
    RgbaImage::from_fn(side, side, |x, y| {
        let hash =
            (x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35);
        let stone = ((x / 13 + y / 17) * 37 % 90) as u8;
        Rgba([
            stone + 60 + (hash >> 27) as u8,
            stone + 50,
            40 + (hash >> 26) as u8,
            255,
        ])
    })
}

#[divan::bench(args = [256, 512])]
fn atlas_and_mips(bencher: divan::Bencher<'_, '_>, side: u32) {
    bencher
        .with_inputs(|| texture(side))
        .bench_refs(|image| patchwork(image));
}
