//! How fast maps are made ready to be drawn: from their bytes to buffers for the GPU.
//!
//! Measured over a made-up map of some 200,000 cubes.

use std::io::Read as _;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use glam::Vec3;
use lz4_flex::frame::FrameDecoder;
use mapscope_formats::pmf::{self, Packing, Pmf};
use mapscope_render::{Gpu, Renderer, SceneData};
use mapscope_scene::level::Map;
use mapscope_scene::{
    self, Document, LevelItem, Levels, OpenOptions, OverlayId, Playhead, Progress, Ray, Shown,
    Source,
};
use mapscope_testdata::synthesize;

static MAP: LazyLock<Pmf> = LazyLock::new(|| synthesize::pmf([2, 5, 5], 4, 1));
static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    let bytes = pmf::write(&MAP, Packing::Compressed).unwrap_or_default();
    Source {
        path: "made-up.pmf".into(),
        bytes: bytes.into(),
        embedded: &[],
        archive: None,
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
        .bench_local(|| {
            mapscope_scene::open(black_box(&SOURCE), &options, &Progress::default()).is_ok()
        });
}

/// A device and its renderers, where there is an adapter.
#[expect(clippy::print_stderr, reason = "it says why there are no times")]
fn renderer() -> Option<(Gpu, Renderer)> {
    let gpu = Gpu::headless(None)
        .inspect_err(|error| eprintln!("skipped: {error}"))
        .ok()?;
    let renderer = Renderer::new(&gpu);
    Some((gpu, renderer))
}

/// Puts a map on the device and waits until it is there.
fn send(gpu: &Gpu, renderer: &Renderer, map: &dyn Document) -> Option<SceneData> {
    let scene = renderer.upload(gpu, map).ok()?;
    gpu.queue.submit([]);
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).ok()?;
    Some(scene)
}

/// From bytes to buffers that a device has.
#[divan::bench]
fn bytes_to_buffers(bencher: Bencher<'_, '_>) {
    let Some((gpu, renderer)) = renderer() else {
        return;
    };
    let options = OpenOptions::default();
    bencher
        .counter(BytesCount::new(SOURCE.bytes.len()))
        .bench_local(|| {
            let map =
                mapscope_scene::open(black_box(&SOURCE), &options, &Progress::default()).ok()?;
            let scene = send(&gpu, &renderer, &*map)?;
            Some((map, scene))
        });
}

/// The second half of it.
#[divan::bench]
fn upload(bencher: Bencher<'_, '_>) {
    let Some((gpu, renderer)) = renderer() else {
        return;
    };
    bencher.bench_local(|| send(&gpu, &renderer, &*OPENED));
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

#[expect(clippy::unreachable, reason = "nobody cancels the load")]
fn opened() -> Map {
    let options = OpenOptions::default();
    let map = Map::build(MAP.clone(), &SOURCE, &options, &Progress::default());
    map.unwrap_or_else(|_| unreachable!())
}

static OPENED: LazyLock<Map> = LazyLock::new(opened);

/// Rays through the level from all around it.
fn rays(map: &Map) -> Vec<Ray> {
    let bounds = map.about().bounds;
    let rays = (0..64_u32).map(|i| {
        let turn = i as f32 * 0.7;
        let origin = bounds.center() + Vec3::new(turn.cos(), 0.3, turn.sin()) * bounds.radius();
        let target = bounds.center() + Vec3::new(turn.sin(), 0.1, turn.cos()) * 30.0;
        Ray {
            origin,
            direction: (target - origin).normalize(),
        }
    });
    rays.collect()
}

/// What is under the pointer, in chunks that rays have come through before.
#[divan::bench]
fn pick(bencher: Bencher<'_, '_>) {
    let rays = rays(&OPENED);
    let shown = Shown::default();
    for ray in &rays {
        black_box(OPENED.pick(*ray, &shown));
    }
    let mut next = rays.iter().cycle();
    bencher.bench_local(|| next.next().map(|ray| OPENED.pick(*ray, &shown)));
}

/// The first one of all.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn first_pick(bencher: Bencher<'_, '_>) {
    let shown = Shown::default();
    let ray = rays(&OPENED)[5];
    bencher
        .with_inputs(opened)
        .bench_local_refs(|map| map.pick(black_box(ray), &shown));
}

/// The tree of all that the map is made of.
#[divan::bench]
fn outline() -> usize {
    OPENED.outline().len()
}

/// A search in the octrees that finds nothing.
#[divan::bench]
fn find_branches() -> usize {
    Levels::find_branches(&*OPENED, 0, "no such name", 100).len()
}

/// Everything about each of some cubes in turn.
#[divan::bench]
fn properties(bencher: Bencher<'_, '_>) {
    let cubes = (0..50).map(|chunk| LevelItem::Cube {
        level: 0,
        chunk,
        cube: chunk * 97,
    });
    let mut next = cubes.cycle();
    bencher.bench_local(|| {
        let cube = next.next()?;
        Some((&*OPENED as &dyn Document).properties(cube.into(), Playhead::default()))
    });
}

/// The lines of all cells that are drawn.
#[divan::bench]
fn cell_lines(bencher: Bencher<'_, '_>) {
    let mut shown = Shown::default();
    shown
        .overlays
        .set(OPENED.about().overlays, OverlayId::Cells, true);
    let mut lines = Vec::new();
    bencher.bench_local(|| {
        lines.clear();
        OPENED.annotations()?.lines(&shown, &mut lines);
        Some(lines.len())
    });
}
