//! What opening a map costs after it is read: its own shadow, packing, and the whole of it, beside
//! reading it.
//!
//! The map has 64 by 64 chunks: 4.2 million tiles, 104 MB.

use mapscope_scene::Bytes;
use std::path::PathBuf;
use std::sync::LazyLock;

use divan::{Bencher, black_box};
use mapscope_formats::pfmap::{self, Pfmap};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::terrain::pack::{Layers, pack};
use mapscope_scene::terrain::sun::ShadowMap;
use mapscope_scene::{OpenOptions, Progress, Source, Sun};
use mapscope_testdata::synthesize;

static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| synthesize::pfmap(64, 64, 1));
#[expect(clippy::panic, reason = "what the synthesizer makes can be read")]
static MAP: LazyLock<Pfmap> =
    LazyLock::new(|| pfmap::read(&TEXT).unwrap_or_else(|e| panic!("{e}")));

fn main() {
    divan::main();
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| pfmap::read(black_box(&TEXT)));
}

#[divan::bench]
fn cast_shadow(bencher: Bencher<'_, '_>) {
    let to_sun = Sun::default().casting_direction();
    bencher.bench_local(|| ShadowMap::cast(black_box(&MAP), to_sun));
}

/// The sun where lines of light run along columns.
#[divan::bench]
fn cast_shadow_from_the_south(bencher: Bencher<'_, '_>) {
    let to_sun = Some(glam::Vec3::new(0.2, 0.5, 0.8).normalize());
    bencher.bench_local(|| ShadowMap::cast(black_box(&MAP), to_sun));
}

#[divan::bench]
fn pack_tiles(bencher: Bencher<'_, '_>) {
    let (_, shaded) = ShadowMap::cast(&MAP, Sun::default().casting_direction());
    let of_material: Vec<u8> = (0..MAP.materials.len() as u8).collect();
    let layers = Layers {
        of_material: &of_material,
        placeholder: of_material.len() as u8,
    };
    let everything = [0..MAP.rows(), 0..MAP.cols()];
    bencher.bench_local(|| pack(black_box(&MAP), &layers, &shaded, &everything));
}

/// All of it, of a map that is read, with no textures beside it.
#[divan::bench]
fn build(bencher: Bencher<'_, '_>) {
    let source = Source {
        path: PathBuf::from("bench.pfmap"),
        bytes: Bytes::new(),
        embedded: &[],
    };
    bencher
        .with_inputs(|| MAP.clone())
        .bench_local_values(|map| {
            Terrain::build(map, &source, &OpenOptions::default(), &Progress::default())
        });
}
