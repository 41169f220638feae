//! Playback allocates no memory: counts allocations while palettes are computed and uploaded.
#![cfg(test)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use mapscope_render::{Gpu, Renderer, View};
use mapscope_scene::Playhead;
use mapscope_scene::camera::{Camera, NamedView};
use mapscope_scene::model::crowd::{Crowd, Instance};
use mapscope_scene::model::skeleton::SkinMatrix;

#[expect(dead_code, reason = "other tests use the other models")]
#[path = "render/rigs.rs"]
mod rigs;

thread_local! {
    /// Allocations of this thread since the start of the program. Other threads belong to other
    /// tests and to the graphics driver.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, with a counter.
struct Counting;

#[expect(
    unsafe_code,
    reason = "an allocator requires unsafe code; this one forwards every call"
)]
// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    // The counter of an ending thread may already be destroyed.
    let _ended = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

/// Number of allocations by a function.
fn allocations(mut what: impl FnMut()) -> u64 {
    let before = ALLOCATIONS.get();
    what();
    ALLOCATIONS.get() - before
}

const JOINTS: u32 = 50;
const FRAMES: u32 = 24;
const CROWD: usize = 1000;

/// Instances in rows, each with a different frame from its neighbours.
fn crowd(count: usize, smooth: bool) -> Vec<Instance> {
    let one = |i: usize| Instance {
        world_from_model: Affine3A::from_translation(Vec3::new(
            (i % 40) as f32 * 20.0,
            0.0,
            (i / 40) as f32 * 20.0,
        )),
        playhead: Playhead {
            clip: Some(0),
            frame: (i % FRAMES as usize) as f32 + if smooth { 0.37 } else { 0.0 },
            smooth,
            blend: None,
        },
    };
    (0..count).map(one).collect()
}

/// Advances every instance to its next frame.
fn step(crowd: &mut [Instance]) {
    for instance in crowd {
        instance.playhead.frame = (instance.playhead.frame + 1.0) % FRAMES as f32;
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| ()), 0);
    assert_eq!(
        allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))),
        1
    );
    let mut grows = Vec::<u64>::with_capacity(1);
    grows.push(1);
    assert_eq!(allocations(|| grows.push(std::hint::black_box(2))), 1);
}

#[test]
fn making_palettes_allocates_nothing() {
    let document = rigs::open(Path::new("tangle.pfobj"), &rigs::tangle(JOINTS, 20, FRAMES));
    let model = rigs::model(&*document);
    let mut palette = vec![SkinMatrix::IDENTITY; model.palette_len()];
    for smooth in [false, true] {
        let crowd = crowd(CROWD, smooth);
        let made = allocations(|| {
            for instance in &crowd {
                model.write_palette(instance.playhead, &mut palette);
            }
        });
        assert_eq!(made, 0, "smooth: {smooth}");
    }
}

/// The largest number of allocations of one frame, after a few warm-up frames.
fn most(gpu: &Gpu, frame: &mut dyn FnMut()) -> u64 {
    let mut most = 0;
    for i in 0..20 {
        let count = allocations(&mut *frame);
        most = if i < 5 { 0 } else { most.max(count) };
        gpu.queue.submit([]);
        gpu.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }
    most
}

/// Every upload makes wgpu allocate a few times, whatever its size. Preparing a crowd allocates no
/// more than that per upload, and unchanged content is not uploaded.
#[test]
fn preparing_a_crowd_allocates_no_more_than_sending_four_bytes() {
    let document = rigs::open(Path::new("tangle.pfobj"), &rigs::tangle(JOINTS, 20, FRAMES));
    let gpu = Gpu::headless(None).unwrap();
    let most = |frame: &mut dyn FnMut()| most(&gpu, frame);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let four_bytes = most(&mut || {
        let view = gpu
            .queue
            .write_buffer_with(&buffer, 0, NonZero::new(4).unwrap());
        view.unwrap().copy_from_slice(&[0; 4]);
    });
    assert!(four_bytes > 0, "wgpu is not seen to allocate");
    // The list of commands that wgpu makes for an upload doubles once more in some runs: its number
    // of barriers depends on the addresses of its buffers.
    let one_sent = four_bytes + 1;

    let mut renderer = Renderer::new(&gpu);
    let camera = |turned: f32| {
        let about = document.about();
        let mut camera = Camera::framing(about.bounds, NamedView::Iso, about.handedness, 1.0);
        camera.pose.eye.x += turned;
        View::plain(camera)
    };
    for smooth in [false, true] {
        let mut scene = renderer.upload(&gpu, &*document).unwrap();
        let mut crowd = Crowd::new(Arc::clone(&document), crowd(CROWD, smooth));
        let mut prepare = |crowd: &Crowd, view: &View| {
            renderer.prepare(&gpu, &mut scene, crowd, view, [64, 64]);
        };
        let view = camera(0.0);
        // Uploads palettes and placements; the camera does not move.
        let moving = most(&mut || {
            step(&mut crowd.instances);
            prepare(&crowd, &view);
        });
        println!("smooth: {smooth}: {moving} allocations, {four_bytes} for four bytes");
        assert!(moving <= one_sent * 2, "{moving}, not {one_sent} * 2");
        let still = most(&mut || prepare(&crowd, &view));
        assert_eq!(still, 0);
        // Uploads the frame and the visible part of the crowd.
        let mut turned = 0.0;
        let flying = most(&mut || {
            turned += 1.0;
            prepare(&crowd, &camera(turned));
        });
        assert!(flying <= one_sent * 3, "{flying}, not {one_sent} * 3");
    }
}

/// A playing scene uploads one palette for each model and clip, whatever the number of entities.
#[test]
fn a_scene_that_plays_allocates_as_much_for_many_entities_as_for_few() {
    let gpu = Gpu::headless(None).unwrap();
    let rig = rigs::with_clips(rigs::tangle(JOINTS, 20, FRAMES), 4);
    let [few, many] = [4, 388].map(|entities| {
        let document = rigs::scene(entities, &rig);
        let about = document.about();
        let camera = Camera::framing(about.bounds, NamedView::Iso, about.handedness, 1.0);
        let mut view = View::plain(camera);
        let mut renderer = Renderer::new(&gpu);
        let mut scene = renderer.upload(&gpu, &*document).unwrap();
        view.shown.playhead.clip = Some(0);
        most(&gpu, &mut || {
            view.shown.playhead.frame += 1.0;
            renderer.prepare(&gpu, &mut scene, &*document, &view, [64, 64]);
        })
    });
    println!("{few} allocations for 4 entities, {many} for 388");
    assert!(few > 0, "nothing is sent");
    assert_eq!(many, few);
}
