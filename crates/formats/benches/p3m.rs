//! Speed of reading and writing models, beside the plain decoding of as many numbers.
//!
//! Measured over a synthetic model of the greatest size of real ones, and over a larger one.

use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use mapscope_formats::p3m::{self, P3m};
use mapscope_testdata::synthesize;

/// Numbers of triangles.
const SIZES: [u32; 2] = [1_000, 200_000];

static MODELS: LazyLock<Vec<(P3m, Vec<u8>)>> = LazyLock::new(|| {
    let models = SIZES.iter().filter_map(|size| {
        let model = synthesize::p3m(*size, 1).ok()?;
        let bytes = p3m::write(&model).ok()?;
        Some((model, bytes))
    });
    models.collect()
});

fn main() {
    divan::main();
}

/// The model with the number of triangles at an index.
fn model(size: u32) -> &'static (P3m, Vec<u8>) {
    let index = SIZES.iter().position(|other| *other == size);
    &MODELS[index.unwrap_or_default()]
}

/// Decodes all bytes as numbers: no reader is faster.
#[divan::bench(args = SIZES)]
fn decode_numbers(bencher: Bencher<'_, '_>, size: u32) {
    let bytes = &model(size).1;
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let (numbers, _) = black_box(bytes).as_chunks::<4>();
            let numbers = numbers.iter().copied().map(f32::from_le_bytes);
            black_box(numbers.collect::<Vec<_>>())
        });
}

#[divan::bench(args = SIZES)]
fn read(bencher: Bencher<'_, '_>, size: u32) {
    let bytes = &model(size).1;
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| p3m::read(black_box(bytes)));
}

#[divan::bench(args = SIZES)]
fn write(bencher: Bencher<'_, '_>, size: u32) {
    let (model, bytes) = model(size);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| p3m::write(black_box(model)));
}

/// Triangles and weights as a viewer takes them.
#[divan::bench(args = SIZES)]
fn take_geometry(bencher: Bencher<'_, '_>, size: u32) {
    let (model, bytes) = model(size);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let parts = black_box(&model.parts).iter();
            let counts = parts.map(|part| {
                let groups = part.groups.iter();
                let weights = groups.flat_map(|group| group.weights(part.positions.len()));
                part.triangles()
                    .map(|(_, it)| usize::from(it[0]))
                    .sum::<usize>()
                    + weights.count()
            });
            counts.sum::<usize>()
        });
}
