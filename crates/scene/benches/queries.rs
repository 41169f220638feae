//! How long queries take over large files: 4.2 million tiles, 225 thousand cubes, 5,000 entities.

#![expect(
    clippy::expect_used,
    reason = "a bench whose files do not open has no result"
)]

use std::sync::{Arc, LazyLock};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::{pfmap, pfscene};
use mapscope_scene::{Document, Playhead, Source, demo, find_matches, open};
use mapscope_testdata::synthesize;

/// Number of matches that the window lists.
const LISTED: usize = 10_000;

static TERRAIN: LazyLock<Arc<dyn Document>> = LazyLock::new(|| {
    opened(&Source {
        path: "terrain.pfmap".into(),
        bytes: synthesize::pfmap(64, 64, 1).into(),
        embedded: &[],
        archive: None,
    })
});
static LEVEL: LazyLock<Arc<dyn Document>> = LazyLock::new(|| {
    let level = synthesize::pmf([2, 5, 5], 4, 1);
    let bytes = pmf::write(&level, Packing::Compressed).unwrap_or_default();
    opened(&Source {
        path: "level.pmf".into(),
        bytes: bytes.into(),
        embedded: &[],
        archive: None,
    })
});
static SCENE: LazyLock<Arc<dyn Document>> = LazyLock::new(|| {
    let demo = demo::HAMLET.source();
    let like = pfscene::read(&demo.bytes).expect("the demo is a scene");
    let map = demo
        .embedded
        .iter()
        .find_map(|(_, bytes)| pfmap::read(bytes).ok());
    let scene = synthesize::pfscene(&like, &map.expect("the demo has a map"), 5_000, 1);
    opened(&Source {
        bytes: pfscene::write(&scene).into(),
        ..demo
    })
});

fn main() {
    divan::main();
}

fn opened(source: &Source) -> Arc<dyn Document> {
    open(source, &Default::default(), &Default::default()).expect("the file opens")
}

fn measure(bencher: Bencher<'_, '_>, document: &dyn Document, kind: &str, query: &str) {
    let of = |query| find_matches(document, query, Playhead::default(), LISTED);
    let all = of(kind).expect("the kind can be listed").count;
    bencher
        .counter(ItemsCount::new(all))
        .bench_local(|| of(black_box(query)).expect("the query is valid").count);
}

#[divan::bench(sample_count = 10, args = ["ramp_height > 1 and not pathable", "top_material = 3", "type = flat"])]
fn tiles(bencher: Bencher<'_, '_>, query: &str) {
    measure(bencher, &**TERRAIN, "tile", query);
}

#[divan::bench(sample_count = 10, args = ["depth >= 3", "materials ~ brick", "type = geometry"])]
fn cubes(bencher: Bencher<'_, '_>, query: &str) {
    measure(bencher, &**LEVEL, "cube", query);
}

#[divan::bench(sample_count = 10, args = ["not found", "model ~ oak and scale > 1", "faction = \"Red\""])]
fn entities(bencher: Bencher<'_, '_>, query: &str) {
    measure(bencher, &**SCENE, "entity", query);
}
