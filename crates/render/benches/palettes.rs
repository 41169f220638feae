//! What a frame costs in which a thousand models of 50 joints move, each at its own moment: making
//! their joint palettes, and making and sending them. Copying as many bytes is beside it. Then the same
//! of a scene of 388 entities that play four clips.

#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "these are models of tests, which make others too"
)]
#[path = "../tests/render/rigs.rs"]
mod rigs;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use divan::{AllocProfiler, Bencher, black_box};
use glam::{Affine3A, Vec3};
use mapscope_render::{Gpu, Renderer, View};
use mapscope_scene::camera::{Camera, NamedView};
use mapscope_scene::model::crowd::{Crowd, Instance};
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::{Document, Playhead};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const JOINTS: u32 = 50;
const FRAMES: u32 = 48;
const CROWD: usize = 1000;

static DOCUMENT: LazyLock<Arc<dyn Document>> = LazyLock::new(|| {
    rigs::open(
        Path::new("tangle.pfobj"),
        &rigs::tangle(JOINTS, 500, FRAMES),
    )
});

fn main() {
    divan::main();
}

/// The crowd at one of its frames.
fn crowd(step: usize, smooth: bool) -> Vec<Instance> {
    let one = |i: usize| Instance {
        world_from_model: Affine3A::from_translation(Vec3::X * 20.0 * i as f32),
        playhead: Playhead {
            clip: Some(0),
            frame: ((i * 7 + step) % FRAMES as usize) as f32 + if smooth { 0.37 } else { 0.0 },
            smooth,
            blend: None,
        },
    };
    (0..CROWD).map(one).collect()
}

#[divan::bench]
fn copy_as_many_bytes(bencher: Bencher<'_, '_>) {
    let from = vec![SkinMatrix::IDENTITY; JOINTS as usize * CROWD];
    let mut to = from.clone();
    bencher.bench_local(|| black_box(&mut to[..]).copy_from_slice(black_box(&from)));
}

#[divan::bench(args = [false, true])]
fn make(bencher: Bencher<'_, '_>, smooth: bool) {
    let model = rigs::model(&**DOCUMENT);
    let crowd = crowd(0, smooth);
    let mut palettes = vec![SkinMatrix::IDENTITY; model.palette_len() * CROWD];
    bencher.bench_local(|| {
        let each = palettes.chunks_exact_mut(model.palette_len());
        for (instance, palette) in black_box(&crowd).iter().zip(each) {
            model.write_palette(instance.playhead, palette);
        }
    });
}

#[divan::bench(args = [false, true])]
fn make_and_send(bencher: Bencher<'_, '_>, smooth: bool) {
    let gpu = Gpu::headless(None).ok();
    let Some(gpu) = gpu else {
        return;
    };
    let mut renderer = Renderer::new(&gpu);
    let Ok(mut scene) = renderer.upload(&gpu, &**DOCUMENT) else {
        return;
    };
    let about = DOCUMENT.about();
    let camera = Camera::framing(about.bounds, NamedView::Iso, about.handedness, 1.0);
    let view = View::plain(camera);
    let crowd = |step| Crowd::new(Arc::clone(&DOCUMENT), crowd(step, smooth));
    let steps: Vec<Crowd> = (0..8).map(crowd).collect();
    let mut step = 0;
    bencher
        .with_inputs(|| {
            // What was sent before has arrived.
            let _lost = gpu.device.poll(wgpu::PollType::wait_indefinitely());
            step = (step + 1) % steps.len();
            step
        })
        .bench_local_values(|step| {
            renderer.prepare(&gpu, &mut scene, &steps[step], &view, [64, 64]);
            gpu.queue.submit([])
        });
}

#[divan::bench]
fn play_a_scene(bencher: Bencher<'_, '_>) {
    let Ok(gpu) = Gpu::headless(None) else {
        return;
    };
    let rig = rigs::with_clips(rigs::tangle(JOINTS, 500, FRAMES), 4);
    let document = rigs::scene(388, &rig);
    let mut renderer = Renderer::new(&gpu);
    let Ok(mut scene) = renderer.upload(&gpu, &*document) else {
        return;
    };
    let about = document.about();
    let camera = Camera::framing(about.bounds, NamedView::Iso, about.handedness, 1.0);
    let mut view = View::plain(camera);
    view.shown.playhead.clip = Some(0);
    bencher
        .with_inputs(|| {
            let _lost = gpu.device.poll(wgpu::PollType::wait_indefinitely());
        })
        .bench_local_values(|()| {
            view.shown.playhead.frame += 1.0;
            renderer.prepare(&gpu, &mut scene, &*document, &view, [64, 64]);
            gpu.queue.submit([])
        });
}
