//! How fast 2D maps are sent to a device and drawn, beside the quad that is the least there is to
//! draw: a layer of 4096 by 4096 tiles may take no more than twice as long while it is moved.

#[expect(dead_code, reason = "tests make other maps")]
#[path = "../tests/render/tile_maps.rs"]
mod tile_maps;

use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use glam::Vec3;
use mapscope_render::{Floor, Gpu, Renderer, Target, View};
use mapscope_scene::camera::{Camera, Handedness, Pose};
use mapscope_scene::tilemap::{Cell, TileMap};

use tile_maps::{flat_view, layer, map, scrambled, tileset};

const SIDE: u32 = 4096;
const TILES: u32 = 2000;
const SIZE: [u32; 2] = [1280, 720];

/// One layer of tiles that are turned every way.
static MAP: LazyLock<TileMap> = LazyLock::new(|| {
    let cell = |x: u32, y: u32| {
        let number = scrambled(x ^ y << 12);
        Cell((number % TILES) | ((number >> 20 & 7) << 24))
    };
    map(
        vec![tileset([16, 16], TILES as usize)],
        vec![layer([SIDE, SIDE], cell)],
    )
});

/// The same with what makes layers slower: another one over it that is tinted, repeats, and has
/// holes.
static RICH: LazyLock<TileMap> = LazyLock::new(|| {
    let mut over = layer([64, 64], |x, y| {
        let number = scrambled(x ^ y << 12);
        if number.is_multiple_of(3) {
            Cell::EMPTY
        } else {
            Cell(number % TILES)
        }
    });
    over.wraps = [true, true];
    over.tints = Some(vec![[[90, 128, 160, 200]; 4]; 64 * 64]);
    let layers = vec![MAP.layers[0].clone(), over];
    map(MAP.tilesets.clone(), layers)
});

fn main() {
    divan::main();
}

/// Draws a view of a map that is moved a little before each picture.
fn draw(bencher: Bencher<'_, '_>, map: &TileMap, view: impl Fn(u32) -> View) {
    let Some(gpu) = device() else {
        return;
    };
    let mut renderer = Renderer::new(&gpu);
    let target = Target::new(&gpu, SIZE);
    let Ok(mut scene) = renderer.upload(&gpu, map) else {
        return;
    };
    let mut number = 0;
    let mut next = || {
        number += 1;
        renderer.draw_and_wait(&gpu, &target, Some((&mut scene, map)), &view(number))
    };
    next();
    bencher.bench_local(next);
}

#[expect(clippy::print_stderr, reason = "it says why there are no times")]
fn device() -> Option<Gpu> {
    let gpu = Gpu::headless(None);
    gpu.inspect_err(|error| eprintln!("skipped: {error}")).ok()
}

/// What the others are measured against.
#[divan::bench]
fn textured_quad(bencher: Bencher<'_, '_>) {
    let Some(gpu) = device() else {
        return;
    };
    let (target, mut floor) = (Target::new(&gpu, SIZE), Floor::new(&gpu));
    bencher.bench_local(|| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        floor.textured_quad(&mut encoder, &target);
        gpu.queue.submit([encoder.finish()]);
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).is_ok()
    });
}

/// At 1:1.
#[divan::bench]
fn flat(bencher: Bencher<'_, '_>) {
    draw(bencher, &MAP, |number| {
        flat_view([f64::from(number) * 37.0, 9000.0], 1.0, SIZE)
    });
}

#[divan::bench]
fn flat_rich(bencher: Bencher<'_, '_>) {
    draw(bencher, &RICH, |number| {
        flat_view([f64::from(number) * 37.0, 9000.0], 1.0, SIZE)
    });
}

/// With pixels that are no squares.
#[divan::bench]
fn flat_between_zooms(bencher: Bencher<'_, '_>) {
    draw(bencher, &MAP, |number| {
        flat_view([f64::from(number) * 37.0, 9000.0], 1.37, SIZE)
    });
}

/// A pixel of the picture is some pixels of a tile.
#[divan::bench]
fn flat_smaller(bencher: Bencher<'_, '_>) {
    draw(bencher, &MAP, |number| {
        flat_view([f64::from(number) * 37.0, 9000.0], 0.25, SIZE)
    });
}

/// All of the map.
#[divan::bench]
fn zoomed_out(bencher: Bencher<'_, '_>) {
    draw(bencher, &MAP, |number| {
        flat_view(
            [-9000.0 - f64::from(number % 99) * 93.0, 0.0],
            720.0 / 65_536.0,
            SIZE,
        )
    });
}

/// In perspective.
#[divan::bench]
fn tilted(bencher: Bencher<'_, '_>) {
    draw(bencher, &MAP, |number| {
        let target = Vec3::new(9000.0 + number as f32 * 9.0, 0.0, 9000.0);
        let eye = target + Vec3::new(100.0, 500.0, 600.0);
        View::plain(Camera::new(Pose { eye, target }, Handedness::Right))
    });
}

/// From cells and pictures to buffers and textures that a device has.
#[divan::bench(sample_count = 10)]
fn upload(bencher: Bencher<'_, '_>) {
    let Some(gpu) = device() else {
        return;
    };
    let renderer = Renderer::new(&gpu);
    let map = &*MAP;
    bencher
        .counter(BytesCount::new(map.layers[0].cells.len() * 4))
        .bench_local(|| {
            let scene = renderer.upload(&gpu, map);
            gpu.queue.submit([]);
            (
                scene,
                gpu.device.poll(wgpu::PollType::wait_indefinitely()).is_ok(),
            )
        });
}

/// The averages of all tiles, and the first picture of the whole map.
#[divan::bench(sample_count = 5)]
fn first_zoomed_out(bencher: Bencher<'_, '_>) {
    let Some(gpu) = device() else {
        return;
    };
    let mut renderer = Renderer::new(&gpu);
    let target = Target::new(&gpu, SIZE);
    let map = &*MAP;
    let view = flat_view([0.0, 0.0], 720.0 / 65_536.0, SIZE);
    bencher.bench_local(|| {
        let Ok(mut scene) = renderer.upload(&gpu, map) else {
            return;
        };
        renderer.draw_and_wait(&gpu, &target, Some((&mut scene, map)), &view);
    });
}
