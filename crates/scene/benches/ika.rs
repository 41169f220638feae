//! How fast ika's maps are read, opened and written, beside the inflating of their blocks alone.
//!
//! Measured over made-up maps with a layer of 4096 x 4096 tiles.

use std::ops::Range;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use flate2::{Decompress, FlushDecompress};
use mapscope_formats::ika::{Map, TextMap, map, text_map};
use mapscope_scene::tilemap::ika::{Found, map_document, text_document};
use mapscope_testdata::synthesize;

const SIZE: [u32; 2] = [4096; 2];
/// What the tiles inflate to, in bytes.
const TILE_BYTES: usize = 4096 * 4096 * 4;

static MAP: LazyLock<Map> = LazyLock::new(|| synthesize::ika_map(SIZE, 1, 1));
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| map::write(&MAP).unwrap_or_default());
static TEXT: LazyLock<TextMap> = LazyLock::new(|| synthesize::ika_text_map(SIZE, 1, 1));
static TEXT_BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| text_map::write(&TEXT).unwrap_or_default());
/// The blocks of the map: where they are, and what they inflate to.
static BLOCKS: LazyLock<Vec<(Range<u64>, usize)>> = LazyLock::new(|| match map::read(&BYTES) {
    Ok(map) => {
        let layers = map
            .layers
            .iter()
            .map(|layer| (layer.block.clone(), TILE_BYTES));
        let others = [
            (map.obstruction_block.clone(), TILE_BYTES / 4),
            (map.zone_block.clone(), TILE_BYTES),
        ];
        layers.chain(others).collect()
    }
    Err(_) => Vec::new(),
});

fn main() {
    divan::main();
}

/// Inflates blocks one after the other into memory of their own.
fn inflate(blocks: &[(Range<u64>, usize)]) -> u64 {
    let mut total = 0;
    for (range, unpacked) in blocks {
        let packed = BYTES.get(range.start as usize..range.end as usize);
        let mut out = vec![0; *unpacked];
        let mut stream = Decompress::new(true);
        let packed = packed.unwrap_or_default();
        // Streams that are not finished end without an error too.
        let _ = stream.decompress(packed, &mut out, FlushDecompress::None);
        total += stream.total_out();
        black_box(out);
    }
    total
}

/// The blocks and no more, on one thread.
#[divan::bench]
fn inflate_all_blocks(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(2 * TILE_BYTES + TILE_BYTES / 4))
        .bench_local(|| inflate(black_box(&BLOCKS)));
}

/// The block of the layer and no more.
#[divan::bench]
fn inflate_tiles(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(TILE_BYTES))
        .bench_local(|| inflate(black_box(BLOCKS.get(..1).unwrap_or_default())));
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(2 * TILE_BYTES + TILE_BYTES / 4))
        .bench_local(|| black_box(map::read(black_box(&BYTES))).is_ok());
}

/// Reading, and making a document of it.
#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(2 * TILE_BYTES + TILE_BYTES / 4))
        .bench_local(|| map::read(black_box(&BYTES)).map(|map| map_document(map, found())));
}

/// Reading a text map, and making a document of it.
#[divan::bench]
fn open_text(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(TILE_BYTES + TILE_BYTES / 4))
        .bench_local(|| {
            text_map::read(black_box(&TEXT_BYTES)).map(|map| text_document(map, found()))
        });
}

/// The tileset of made-up maps.
fn found() -> Found {
    Found {
        vsp: Some(synthesize::ika_tileset(1)),
        ..Found::default()
    }
}

#[divan::bench(sample_count = 3)]
fn write(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| map::write(black_box(&MAP)).is_ok());
}
