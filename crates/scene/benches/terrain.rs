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
use mapscope_scene::terrain::pack::{self, Layers, Packed};
use mapscope_scene::terrain::sun::ShadowMap;
use mapscope_scene::{Deferred as _, OpenError, OpenOptions, Progress, Source, Sun};
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

static OF_MATERIAL: LazyLock<Vec<u8>> = LazyLock::new(|| (0..MAP.materials.len() as u8).collect());

fn layers() -> Layers<'static> {
    Layers {
        of_material: &OF_MATERIAL,
        placeholder: OF_MATERIAL.len() as u8,
    }
}

#[divan::bench]
fn pack_tiles(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| pack::pack_tiles(black_box(&MAP), &layers()));
}

#[divan::bench]
fn list_faces(bencher: Bencher<'_, '_>) {
    let (_, shaded) = ShadowMap::cast(&MAP, Sun::default().casting_direction());
    let records = pack::pack_tiles(&MAP, &layers());
    let everything = [0..MAP.rows(), 0..MAP.cols()];
    bencher
        .bench_local(|| Packed::list(black_box(&MAP), &records, &layers(), &shaded, &everything));
}

/// All that is needed to show a map that is read, with no textures beside it.
#[divan::bench]
fn build(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| MAP.clone())
        .bench_local_values(build_terrain);
}

/// The same, and its faces and islands.
#[divan::bench]
fn build_completely(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| MAP.clone())
        .bench_local_values(|map| {
            let terrain = build_terrain(map)?;
            terrain.load(&|| true, &|| {});
            Ok::<_, OpenError>(terrain)
        });
}

fn build_terrain(map: Pfmap) -> Result<Terrain, OpenError> {
    let source = Source {
        path: PathBuf::from("bench.pfmap"),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    Terrain::build(map, &source, &OpenOptions::default(), &Progress::default())
}
