//! Pictures of levels, compared with independent data such as picking.

use glam::{Vec2, Vec3};
use image::Rgba;
use mapscope_formats::pmf::{self, Packing};
use mapscope_render::{Renderer, Target, View};
use mapscope_scene::camera::{Camera, Pose};
use mapscope_scene::{Aabb, Document, Item, LevelItem, OverlayId};
use mapscope_testdata::{stride, synthesize};

use super::stage::{self, Stage};

const SIZE: [u32; 2] = [96, 72];

/// A synthetic level of the given number of chunks. Each side of its blocks has the axis as normal.
fn blocks(grid: [u32; 3]) -> std::sync::Arc<dyn Document> {
    let map = synthesize::pmf(grid, 3, 5);
    let bytes = pmf::write(&map, Packing::Compressed).unwrap();
    stage::open("blocks.pmf", bytes)
}

/// Like [`blocks`], with opaque materials only.
fn solid_blocks(grid: [u32; 3]) -> std::sync::Arc<dyn Document> {
    let mut map = synthesize::pmf(grid, 3, 5);
    for material in &mut map.levels[0].common.materials {
        (material.flags, material.render_mode) = (0, 0);
    }
    let bytes = pmf::write(&map, Packing::Compressed).unwrap();
    stage::open("solid.pmf", bytes)
}

fn view(document: &dyn Document, eye: Vec3, target: Vec3) -> View {
    View::plain(Camera::new(
        Pose { eye, target },
        document.about().handedness,
    ))
}

/// Poses outside and inside a box.
fn poses(bounds: Aabb) -> impl Iterator<Item = [Vec3; 2]> {
    let half = (bounds.max - bounds.min) * 0.5;
    let at = move |place: Vec3| bounds.center() + half * place;
    [
        [Vec3::new(1.7, 1.1, 1.9), Vec3::ZERO],
        [Vec3::new(-1.9, -1.4, 1.2), Vec3::ZERO],
        [Vec3::new(-1.2, 1.8, -1.9), Vec3::ZERO],
        [Vec3::new(2.2, -0.3, -0.4), Vec3::ZERO],
        [Vec3::new(0.12, 0.3, -0.41), Vec3::new(-1.0, -0.2, 0.8)],
        [Vec3::new(-0.37, -0.55, 0.2), Vec3::new(0.9, 0.7, -0.6)],
    ]
    .into_iter()
    .map(move |pose| pose.map(at))
}

/// Each pixel shows the side of the cube that picking finds there.
#[test]
fn pictures_show_the_sides_that_are_picked() {
    let document = solid_blocks([2, 2, 2]);
    let bounds = document.about().bounds;
    let whole = poses(bounds).map(|pose| (pose, None));
    let (same, other, [empty, _]) = compare_with_picks(&*document, whole);
    assert!(same > 20_000 && empty > 1000, "{same} {other} {empty}");
    // At an edge, either side is acceptable.
    assert!(other * 100 < same, "{other} of {same}");
}

/// Cuts along the faces of cubes keep those faces whole and close solid geometry, without speckles.
/// Uncut walls do not show their backs.
#[test]
fn pictures_of_cuts_show_what_is_picked() {
    let document = solid_blocks([2, 2, 2]);
    let bounds = document.about().bounds;
    let cuts = [(0, 1.0), (1, -2.0), (2, 3.0), (0, 0.3), (1, -1.7)]
        .into_iter()
        .flat_map(|(axis, at)| {
            let (mut below, mut above) = (bounds, bounds);
            below.max[axis] = at;
            above.min[axis] = at;
            [below, above]
        });
    let views = cuts.flat_map(|cut| poses(bounds).map(move |pose| (pose, Some(cut))));
    // Every cut and every pose occurs.
    let views = views.step_by(stride(5));
    let (same, other, [_, caps]) = compare_with_picks(&*document, views);
    let [all, all_caps] = [same, caps].map(|count| count as usize * stride(5));
    assert!(all > 100_000 && all_caps > 10_000, "{same} {other} {caps}");
    assert!(other * 100 < same, "{other} of {same}");
}

/// Compares pictures with picking. Returns the numbers of matching and differing pixels, and of
/// those where picking finds nothing or a cap.
fn compare_with_picks(
    document: &dyn Document,
    views: impl Iterator<Item = ([Vec3; 2], Option<Aabb>)>,
) -> (u32, u32, [u32; 2]) {
    let (mut same, mut other, mut empty, mut caps) = (0, 0, 0, 0);
    for ([eye, target], cut) in views {
        let mut view = view(document, eye, target);
        view.shown.cut = cut;
        let plain = view.shown.clone();
        view.shown
            .overlays
            .set(document.about().overlays, OverlayId::Normals, true);
        let (picture, _) = Stage::get().draw(Some(document), &view, SIZE);
        for (x, y) in (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y))) {
            let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let at = at / Vec2::new(SIZE[0] as f32, SIZE[1] as f32);
            let aspect = SIZE[0] as f32 / SIZE[1] as f32;
            let ray = view.camera.ray_in_world(at, aspect);
            let Some(hit) = document.pick(ray, &plain) else {
                empty += 1;
                continue;
            };
            let Rgba([r, g, b, _]) = *picture.get_pixel(x, y);
            let Item::Level(LevelItem::Face { side, .. }) = hit.item else {
                caps += 1;
                // A lighter or darker brown.
                let is_cap = r > g && g >= b && (40..=120).contains(&r) && r - b > 15;
                *if is_cap { &mut same } else { &mut other } += 1;
                continue;
            };
            let side = usize::from(side);
            let mut normal = Vec3::ZERO;
            normal[side % 3] = if side < 3 { 1.0 } else { -1.0 };
            let shown = Vec3::from([r, g, b].map(f32::from)) / 127.5 - 1.0;
            // Sides at moved corners are slanted.
            if shown.dot(normal) > 0.6 {
                same += 1;
            } else {
                other += 1;
            }
        }
    }
    (same, other, [empty, caps])
}

/// Additive light hides nothing in any view of surfaces.
#[test]
fn additive_volumes_hide_nothing_in_views_of_surfaces() {
    let mut map = synthesize::pmf([1, 2, 2], 3, 5);
    let bytes = pmf::write(&map, Packing::Compressed).unwrap();
    let solid = stage::open("solid.pmf", bytes);
    map.levels[0].common.materials[1].render_mode = pmf::Material::ADD;
    let bytes = pmf::write(&map, Packing::Compressed).unwrap();
    let additive = stage::open("additive.pmf", bytes);
    let far = |a: &Rgba<u8>, b: &Rgba<u8>| {
        let pairs = a.0.iter().zip(b.0);
        pairs.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>()
    };
    for overlay in [
        OverlayId::Lightmap,
        OverlayId::Normals,
        OverlayId::UvChecker,
        OverlayId::MaterialColors,
        OverlayId::OctreeDepth,
        OverlayId::CubeTypes,
    ] {
        let (mut veiled, mut hidden) = (0, 0);
        for [eye, target] in poses(solid.about().bounds) {
            let mut view = view(&*solid, eye, target);
            view.shown
                .overlays
                .set(solid.about().overlays, overlay, true);
            let mut stage = Stage::get();
            let (opaque, _) = stage.draw(Some(&*solid), &view, SIZE);
            let (blended, _) = stage.draw(Some(&*additive), &view, SIZE);
            view.shown.hidden = vec![LevelItem::Material { level: 0, index: 1 }.into()];
            let (behind, _) = stage.draw(Some(&*solid), &view, SIZE);
            let pixels = opaque.pixels().zip(blended.pixels()).zip(behind.pixels());
            for ((opaque, blended), behind) in pixels.filter(|((a, _), b)| far(a, b) > 60) {
                // Closer to the content behind it, through one or two veils.
                if far(blended, behind) < far(blended, opaque) && blended != behind {
                    veiled += 1;
                } else {
                    hidden += 1;
                }
            }
        }
        assert!(veiled > 1000, "{overlay}: {veiled} {hidden}");
        assert!(hidden * 8 < veiled, "{overlay}: {hidden} of {veiled}");
    }
}

/// The picture is completed chunk by chunk.
#[test]
fn levels_appear_chunk_by_chunk() {
    let document = blocks([1, 3, 2]);
    let bounds = document.about().bounds;
    let view = view(&*document, bounds.max + 8.0, bounds.center());
    let stage = Stage::get();
    let mut renderer = Renderer::new(&stage.gpu);
    let target = Target::new(&stage.gpu, SIZE);
    let mut draw = |budget: Option<u64>| {
        let mut scene = match budget {
            Some(bytes) => renderer.upload_gradually(&stage.gpu, &*document, bytes),
            None => renderer.upload(&stage.gpu, &*document),
        }
        .unwrap();
        let mut steps = vec![scene.progress()];
        let mut triangles = Vec::new();
        loop {
            let shown = Some((&mut scene, &*document));
            let drawn = renderer.draw_and_wait(&stage.gpu, &target, shown, &view);
            triangles.push(drawn.triangles);
            steps.push(scene.progress());
            if scene.progress().is_none() {
                let picture = target.read_back(&stage.gpu).unwrap();
                return (picture, steps, triangles);
            }
        }
    };
    let (at_once, steps, all) = draw(None);
    assert_eq!(steps, [None, None]);
    // The minimum is one chunk per picture.
    let (picture, steps, triangles) = draw(Some(1));
    let expected: Vec<_> = (0..6).map(|shown| Some((shown, 6))).chain([None]).collect();
    assert_eq!(steps, expected);
    assert!(
        triangles.is_sorted() && triangles[0] * 3 < all[0],
        "{triangles:?}"
    );
    assert_eq!(triangles.last(), all.last());
    assert!(picture == at_once);
    let (picture, steps, _) = draw(Some(1 << 30));
    assert_eq!(steps, [Some((0, 6)), None]);
    assert!(picture == at_once);
}

/// Only visible chunks are drawn, and without the sides that face away.
#[test]
fn what_is_out_of_view_is_not_drawn() {
    let document = blocks([1, 2, 2]);
    let bounds = document.about().bounds;
    let triangles = |eye: Vec3, target: Vec3| {
        let view = view(&*document, eye, target);
        Stage::get().draw(Some(&*document), &view, SIZE).1.triangles
    };
    let outside = bounds.max + 20.0;
    let all = triangles(outside, bounds.center());
    let away = triangles(outside, outside * 2.0 - bounds.center());
    // The sides of the sky.
    assert_eq!(away, 12);
    let mut two_sided = view(&*document, outside, bounds.center());
    let overlays = document.about().overlays;
    two_sided
        .shown
        .overlays
        .set(overlays, OverlayId::TwoSided, true);
    let both = Stage::get().draw(Some(&*document), &two_sided, SIZE).1;
    assert!(all * 3 < both.triangles * 2, "{all} of {}", both.triangles);
}

/// Faces are merged at a distance: the picture is the same with fewer triangles, except for a few
/// pixels.
#[test]
fn pictures_of_joined_faces_are_those_of_all_faces() {
    let document = blocks([2, 2, 2]);
    let stage = Stage::get();
    let mut renderer = Renderer::new(&stage.gpu);
    let size = [240, 180];
    let target = Target::new(&stage.gpu, size);
    let mut scene = renderer.upload(&stage.gpu, &*document).unwrap();
    let mut draw = |view: &View, is_face_merging_on: bool| {
        scene.set_face_merging(is_face_merging_on);
        let shown = Some((&mut scene, &*document));
        let drawn = renderer.draw_and_wait(&stage.gpu, &target, shown, view);
        (target.read_back(&stage.gpu).unwrap(), drawn.triangles)
    };
    for [eye, target] in poses(document.about().bounds).take(4) {
        for overlay in [
            None,
            Some(OverlayId::Lightmap),
            Some(OverlayId::UvChecker),
            Some(OverlayId::TwoSided),
        ] {
            let mut view = view(&*document, eye, target);
            if let Some(id) = overlay {
                view.shown.overlays.set(document.about().overlays, id, true);
            }
            let (all, triangles) = draw(&view, false);
            let (few, fewer) = draw(&view, true);
            assert!(fewer * 3 < triangles * 2, "{fewer} of {triangles}");
            let is_other = |(a, b): &(&Rgba<u8>, &Rgba<u8>)| {
                a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8)
            };
            let other = all.pixels().zip(few.pixels()).filter(is_other).count();
            assert!(other <= 20, "{overlay:?}: {other} pixels");
        }
        // Colours of faces need all faces.
        let mut view = view(&*document, eye, target);
        let overlays = document.about().overlays;
        view.shown
            .overlays
            .set(overlays, OverlayId::MaterialColors, true);
        assert_eq!(draw(&view, true), draw(&view, false));
        view.shown
            .overlays
            .set(overlays, OverlayId::MaterialColors, false);
        view.shown
            .overlays
            .set(overlays, OverlayId::Wireframe, true);
        assert_eq!(draw(&view, true), draw(&view, false));
    }
    // Nearby faces are not merged.
    let center = document.about().bounds.center();
    let mut view = view(&*document, center + 0.1, center + Vec3::new(3.0, 1.0, 2.0));
    view.camera.near = 0.1;
    assert_eq!(draw(&view, true), draw(&view, false));
}
