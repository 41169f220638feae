//! How fast maps are read and written, beside copying the same bytes.
//!
//! The map has 64 by 64 chunks: 4.2 million tiles, 104 MB.

use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use mapscope_formats::pfmap;
use mapscope_testdata::synthesize;

static MAP: LazyLock<Vec<u8>> = LazyLock::new(|| synthesize::pfmap(64, 64, 1));

fn main() {
    divan::main();
}

/// A plain copy into new memory: what reading cannot be faster than by much.
#[divan::bench]
fn copy(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_slice(&MAP[..]))
        .bench_local(|| black_box(&MAP[..]).to_vec());
}

/// A plain copy into memory that is there already.
#[divan::bench]
fn copy_in_place(bencher: Bencher<'_, '_>) {
    let mut target = MAP.clone();
    bencher
        .counter(BytesCount::of_slice(&MAP[..]))
        .bench_local(|| black_box(&mut target[..]).copy_from_slice(black_box(&MAP)));
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_slice(&MAP[..]))
        .bench_local(|| pfmap::read(black_box(&MAP)));
}

/// The same with every space doubled, so that tiles are read word by word.
#[divan::bench]
fn read_words(bencher: Bencher<'_, '_>) {
    let text: Vec<u8> = MAP
        .iter()
        .flat_map(|&byte| std::iter::repeat_n(byte, if byte == b' ' { 2 } else { 1 }))
        .collect();
    bencher
        .counter(BytesCount::of_slice(&text[..]))
        .bench_local(|| pfmap::read(black_box(&text)));
}

#[divan::bench]
fn write(bencher: Bencher<'_, '_>) {
    let map = pfmap::read(&MAP);
    bencher
        .counter(BytesCount::of_slice(&MAP[..]))
        .bench_local(|| black_box(&map).as_ref().map(pfmap::write));
}
