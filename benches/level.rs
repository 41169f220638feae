//! How fast maps are made ready to be drawn: from their bytes to buffers for the GPU.
//!
//! Measured over a made-up map of some 200,000 cubes.

use std::io::Read as _;
use std::sync::{Arc, LazyLock};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use lz4_flex::frame::FrameDecoder;
use mapscope::formats::pmf::{self, Packing, Pmf};
use mapscope::scene::Shown;
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

/// The LZ4 frames and no more, on one thread: what the others are measured against.
#[divan::bench]
fn decode_alone(bencher: Bencher<'_, '_>) {
    let bytes = &*SOURCE.bytes;
    let map = pmf::read(bytes).unwrap_or_else(|_| MAP.clone());
    let chunks = map.levels.iter().flat_map(|level| &level.chunks);
    let frames: Vec<_> = chunks.flat_map(|chunk| chunk.frames).collect();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            for frame in black_box(&frames) {
                let start = frame.start as usize;
                let packed = bytes.get(start..start + frame.packed as usize);
                let mut section = Vec::with_capacity(frame.unpacked as usize);
                let decoder = &mut FrameDecoder::new(packed.unwrap_or_default());
                black_box(decoder.read_to_end(&mut section).is_ok());
            }
        });
}

/// From bytes to buffers.
#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let options = OpenOptions::default();
    bencher
        .counter(BytesCount::new(SOURCE.bytes.len()))
        .bench_local(|| registry::open(black_box(&SOURCE), &options, &Progress::default()).is_ok());
}

/// The tints of all vertices, which are sent beside the buffers.
#[divan::bench]
fn tints(bencher: Bencher<'_, '_>) {
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let map = Map::build(MAP.clone(), &SOURCE, &options, &progress).ok();
    let shown = Shown::default();
    bencher.bench_local(|| {
        let map = black_box(map.as_ref())?;
        let chunks = map.levels().first()?.chunks.iter();
        Some(
            chunks
                .map(|mesh| map.tint(&shown, 0, mesh))
                .collect::<Vec<_>>(),
        )
    });
}

/// From plain data to buffers.
#[divan::bench]
fn build(bencher: Bencher<'_, '_>) {
    let options = OpenOptions::default();
    bencher
        .with_inputs(|| MAP.clone())
        .bench_local_values(|map| Map::build(map, &SOURCE, &options, &Progress::default()));
}
