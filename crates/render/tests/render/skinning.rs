//! GPU skinning matches CPU skinning: both use the same meshes and palettes.

use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use image::Rgba;
use mapscope_render::{Gpu, Renderer, Target, View, probe_skinning};
use mapscope_scene::camera::{Camera, NamedView};
use mapscope_scene::model::Model;
use mapscope_scene::model::crowd::{Crowd, Instance};
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::{self, Document, OpenOptions, Playhead, Progress, Source};
use mapscope_testdata::shared;

use super::rigs;
use super::stage::Stage;

/// Size of the pictures in pixels.
const SIZE: [u32; 2] = [64, 64];
/// Tolerance relative to the magnitude of the values.
const ROUNDING: f32 = 1e-5;

/// Poses a model at some playheads on the GPU and on the CPU, and compares each vertex. Returns the
/// number of moved vertices.
fn compare(gpu: &Gpu, model: &Model, moments: &[Playhead]) -> usize {
    let mesh = model.mesh();
    let palette_len = model.palette_len();
    let mut palettes = vec![SkinMatrix::IDENTITY; palette_len * moments.len()];
    for (palette, moment) in palettes.chunks_exact_mut(palette_len).zip(moments) {
        model.write_palette(*moment, palette);
    }
    let probes = probe_skinning(gpu, mesh, &palettes, palette_len).unwrap();
    assert_eq!(probes.len(), mesh.vertices.len() * moments.len());
    let mut moved = 0;
    let of_moments = probes.chunks_exact(mesh.vertices.len());
    let palettes = palettes.chunks_exact(palette_len);
    for ((probes, palette), moment) in of_moments.zip(palettes).zip(moments) {
        for (i, (probe, vertex)) in probes.iter().zip(&mesh.vertices).enumerate() {
            let (position, normal) = mesh.skinned(vertex, palette);
            let bind = Vec3::from(vertex.position);
            // Sums of large numbers have larger rounding errors.
            let reach = bind.length() + position.length() + 1.0;
            let largest = mesh.influences(vertex.influence_range()).iter();
            let largest = largest.fold(1.0_f32, |largest, influence| {
                let rows = palette[influence.joint as usize].rows;
                let row = |row: [f32; 4]| glam::Vec4::from(row).abs().max_element();
                rows.map(row).into_iter().fold(largest, f32::max)
            });
            let place = format!("vertex {i} at {moment:?}: {probe:?}, not {position} {normal}");
            let error = position.distance(probe.position.into());
            assert!(error <= ROUNDING * reach * largest, "{place}");
            let error = normal.distance(probe.normal.into());
            assert!(error <= 1e-3, "{place}");
            moved += usize::from(position.distance(bind) > 0.01);
        }
    }
    moved
}

/// The bind pose, every frame of every clip, and playheads between frames.
fn moments(document: &dyn Document) -> Vec<Playhead> {
    let mut moments = vec![Playhead::default()];
    for (i, clip) in document.animation().unwrap().clips().iter().enumerate() {
        moments.extend((0..clip.frames).map(|frame| Playhead::at_frame(i, frame)));
        moments.push(Playhead {
            clip: Some(i),
            frame: clip.frames as f32 - 0.4,
            smooth: true,
            blend: None,
        });
    }
    moments
}

#[test]
fn six_weights_scaled_bones_and_three_hundred_joints() {
    let pfobj = rigs::tangle(300, 400, 5);
    let document = rigs::open(Path::new("tangle.pfobj"), &pfobj);
    let model = rigs::model(&*document);
    assert_eq!(model.palette_len(), 300);
    let most = model
        .mesh()
        .vertices
        .iter()
        .map(|v| v.influence_range().len());
    assert_eq!(most.max(), Some(6));
    let moments = moments(&*document);
    assert_eq!(moments.len(), 7);
    // One vertex in seven has no weights, and in the bind pose no vertex moves.
    let vertices = model.mesh().vertices.len();
    let moved = compare(&Stage::get().gpu, model, &moments);
    assert!(moved > vertices * 6 * 5 / 6, "{moved} of {vertices}");
}

#[test]
fn every_frame_of_every_clip_of_a_real_model() {
    let Some(path) = shared("corpus/permafrost/assets/models/knight/knight.pfobj") else {
        return;
    };
    let source = Source::read(&path).unwrap();
    let options = OpenOptions::default();
    let document = mapscope_scene::open(&source, &options, &Progress::default()).unwrap();
    let model = rigs::model(&*document);
    let moments = moments(&*document);
    let moved = compare(&Stage::get().gpu, model, &moments);
    assert!(moved > model.mesh().vertices.len() * moments.len() / 2);
}

/// A chimney, and a view of it at a frame in which it is bent.
fn chimney() -> (Arc<dyn Document>, View) {
    let path = Path::new("chimney.pfobj");
    let document = rigs::open(path, &rigs::chimney("rock.jpg", "sand.jpg"));
    let (named, handedness) = (NamedView::Iso, document.about().handedness);
    let camera = Camera::framing(document.about().bounds, named, handedness, 1.0);
    let mut view = View::plain(camera);
    view.shown.playhead = Playhead::at_frame(0, 3);
    (document, view)
}

#[test]
fn a_thousand_instances_take_one_draw_for_each_material() {
    let (document, mut view) = chimney();
    let mut stage = Stage::get();
    let mut draw = |view: &View, instances: Vec<Instance>| {
        let mut crowd = Crowd::new(Arc::clone(&document), Vec::new());
        // A crowd that is created without instances has no simplified meshes.
        crowd.instances = instances;
        stage.draw(Some(&crowd), view, SIZE)
    };
    let in_place = Instance::in_place(view.shown.playhead);
    let (one, statistics) = draw(&view, vec![in_place]);
    // Two materials, and the sky.
    assert_eq!(statistics.draw_calls, 3);
    assert_eq!(statistics.triangles, 128 + 1);
    // An instance uses its own playhead, not the view's.
    view.shown.playhead = Playhead::at_frame(0, 7);
    assert!(one == draw(&view, vec![in_place]).0);

    // A thousand more that are too small to be visible.
    let small = |i: u32| Instance {
        world_from_model: Affine3A::from_scale(Vec3::splat(1e-6)),
        playhead: Playhead::at_frame(0, i % 8),
    };
    let mut crowd: Vec<Instance> = (0..1000).map(small).collect();
    crowd.push(in_place);
    let (again, statistics) = draw(&view, crowd.clone());
    assert!(one == again);
    assert_eq!(statistics.draw_calls, 3);
    assert_eq!(statistics.triangles, 128 * 1001 + 1);
    // Instances out of view are not drawn.
    for instance in &mut crowd[..1000] {
        instance.world_from_model.translation.z += 5000.0;
    }
    let (again, statistics) = draw(&view, crowd);
    assert!(one == again);
    assert_eq!(statistics.triangles, 128 + 1);
    // Without instances, nothing is drawn.
    assert!(one != draw(&view, Vec::new()).0);
}

/// At any distance, simplified meshes look like the full mesh.
#[test]
fn a_crowd_looks_the_same_with_fewer_triangles() {
    let mut stage = Stage::get();
    let instances: Vec<Instance> = (0..64_u32)
        .map(|i| Instance {
            world_from_model: Affine3A::from_translation(Vec3::new(
                (i % 8) as f32 * 6.0,
                0.0,
                (i / 8) as f32 * 6.0,
            )),
            playhead: Playhead::at_frame(0, i % 8),
        })
        .collect();
    let (document, mut view) = chimney();
    let simplified = Crowd::new(document, instances.clone());
    let mut full = Crowd::new(chimney().0, Vec::new());
    full.instances = instances;
    let mut shares = Vec::new();
    for distance in [20.0, 60.0, 120.0, 240.0, 480.0] {
        view.camera.pose.target = Vec3::new(21.0, 2.0, 21.0);
        view.camera.pose.eye = view.camera.pose.target + Vec3::new(0.5, 0.6, 0.6) * distance;
        let [(full, of_full), (simplified, of_simplified)] =
            [&full, &simplified].map(|crowd| stage.draw(Some(crowd), &view, [256, 256]));
        let pairs = full.pixels().zip(simplified.pixels());
        let differs = |(a, b): &(&Rgba<u8>, &Rgba<u8>)| {
            let channels = a.0.iter().zip(b.0);
            channels.map(|(a, b)| a.abs_diff(b)).max() > Some(24)
        };
        let differing = pairs.filter(differs).count();
        // Pixels along edges may be on either side.
        assert!(differing < 256 * 256 / 250, "{distance}: {differing}");
        shares.push(of_simplified.triangles as f32 / of_full.triangles as f32);
    }
    let [near, .., far] = shares.as_slice() else {
        panic!("{shares:?}");
    };
    assert!(*near == 1.0 && *far < 0.25, "{shares:?}");
    assert!(shares.is_sorted_by(|near, far| near >= far), "{shares:?}");
}

/// A model in place looks like a crowd of one. If a smooth clip may move it further than any frame,
/// it is drawn even if it seems to be out of view.
#[test]
fn between_frames_models_are_drawn_wherever_they_are() {
    let (document, mut view) = chimney();
    let mut stage = Stage::get();
    let (alone, _) = stage.draw(Some(&*document), &view, SIZE);
    let in_place = Instance::in_place(view.shown.playhead);
    let mut crowd = Crowd::new(document, vec![in_place]);
    assert!(alone == stage.draw(Some(&crowd), &view, SIZE).0);
    view.camera.pose.target = view.camera.pose.eye * 2.0 - view.camera.pose.target;
    for (smooth, triangles) in [(false, 1), (true, 128 + 1)] {
        crowd.instances[0].playhead.smooth = smooth;
        let (_, statistics) = stage.draw(Some(&crowd), &view, SIZE);
        assert_eq!(statistics.triangles, triangles, "smooth: {smooth}");
    }
}

#[test]
fn shaders_are_made_again_while_a_model_is_open() {
    let (document, view) = chimney();
    let gpu = Gpu::headless(None).unwrap();
    let mut renderer = Renderer::new(&gpu);
    let mut scene = renderer.upload(&gpu, &*document).unwrap();
    let target = Target::new(&gpu, SIZE);
    let mut pictures = Vec::new();
    for _ in 0..2 {
        renderer.draw_and_wait(&gpu, &target, Some((&mut scene, &*document)), &view);
        pictures.push(target.read_back(&gpu).unwrap());
        renderer.reload_shaders(&gpu).unwrap();
    }
    assert!(pictures[0] == pictures[1]);
}
