//! How fast maps are made ready to be drawn: from their bytes to buffers for the GPU.
//!
//! Measured over a made-up map of some 200,000 cubes.

use std::sync::{Arc, LazyLock};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use mapscope::formats::pmf::{self, Packing, Pmf};
use mapscope::scene::level::Map;
use mapscope::scene::registry::{self, OpenOptions, Progress, Source};

static MAP: LazyLock<Pmf> = LazyLock::new(|| pmf::synthesize([2, 5, 5], 4, 1));
static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    let bytes = pmf::write(&MAP, Packing::Compressed).unwrap_or_default();
    Source {
        path: "made-up.pmf".into(),
        bytes: Arc::from(bytes),
        embedded: &[],
    }
});

fn main() {
    divan::main();
}

/// From bytes to buffers.
#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let options = OpenOptions::default();
    bencher
        .counter(BytesCount::new(SOURCE.bytes.len()))
        .bench_local(|| registry::open(black_box(&SOURCE), &options, &Progress::default()).is_ok());
}

/// From plain data to buffers.
#[divan::bench]
fn build(bencher: Bencher<'_, '_>) {
    let options = OpenOptions::default();
    bencher
        .with_inputs(|| MAP.clone())
        .bench_local_values(|map| Map::build(map, &SOURCE, &options, &Progress::default()));
}
