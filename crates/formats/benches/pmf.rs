//! How fast maps are read and written, beside the decoding of their sections alone.
//!
//! Measured over a made-up map of some 200,000 cubes.

use std::io::Read as _;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use lz4_flex::frame::FrameDecoder;
use mapscope_formats::pmf::{self, Frame, Packing, Pmf};
use mapscope_testdata::synthesize;

static MAP: LazyLock<Pmf> = LazyLock::new(|| synthesize::pmf([2, 5, 5], 4, 1));
static BYTES: LazyLock<Vec<u8>> =
    LazyLock::new(|| pmf::write(&MAP, Packing::Compressed).unwrap_or_default());
/// All sections with what they are in the file.
static FRAMES: LazyLock<Vec<Frame>> = LazyLock::new(|| match pmf::read(&BYTES) {
    Ok(map) => map
        .levels
        .iter()
        .flat_map(|level| &level.chunks)
        .flat_map(|chunk| chunk.frames)
        .collect(),
    Err(_) => Vec::new(),
});

fn main() {
    divan::main();
}

/// How much the sections decode to.
fn unpacked() -> BytesCount {
    let bytes: u64 = FRAMES.iter().map(|frame| u64::from(frame.unpacked)).sum();
    BytesCount::new(bytes)
}

/// Decodes what of the map a thread is to decode.
fn decode(frames: &[Frame]) -> usize {
    let mut total = 0;
    for frame in frames {
        let start = frame.start as usize;
        let bytes = BYTES.get(start..start + frame.packed as usize);
        let mut section = Vec::with_capacity(frame.unpacked as usize);
        let decoder = &mut FrameDecoder::new(bytes.unwrap_or_default());
        total += decoder.read_to_end(black_box(&mut section)).unwrap_or(0);
    }
    total
}

/// The LZ4 frames and no more, on one thread.
#[divan::bench]
fn decode_on_one_thread(bencher: Bencher<'_, '_>) {
    bencher
        .counter(unpacked())
        .bench_local(|| decode(black_box(&FRAMES)));
}

/// The LZ4 frames and no more, on as many threads as the machine has.
#[divan::bench]
fn decode_on_all_threads(bencher: Bencher<'_, '_>) {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let counter = unpacked();
    let share = FRAMES.len().div_ceil(threads).max(1);
    bencher.counter(counter).bench_local(|| {
        std::thread::scope(|scope| {
            for frames in black_box(&FRAMES).chunks(share) {
                scope.spawn(|| decode(frames));
            }
        });
    });
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    bencher
        .counter(unpacked())
        .bench_local(|| black_box(pmf::read(black_box(&BYTES))).is_ok());
}

#[divan::bench]
fn write(bencher: Bencher<'_, '_>) {
    bencher
        .counter(unpacked())
        .bench_local(|| black_box(pmf::write(black_box(&MAP), Packing::Compressed)).is_ok());
}
