//! Skyboxes: orientation of their images and agreement with the engine; and reflections in water.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};
use mapscope_formats::pfmap::Tile;
use mapscope_render::{Samples, SceneData, View};
use mapscope_scene::assets::{DeferredSkybox, FACE_NAMES, Skybox, Texture};
use mapscope_scene::camera::{Camera, Pose, Projection};
use mapscope_scene::{Document, Environment, OpenOptions, Progress, Source, Sun};
use mapscope_testdata::shared;
use mapscope_testdata::tiny_scene::{SKYBOX, bitmap, sound_scene, write_game};

use super::scenes::{self, Scene};
use super::stage::{GRASS, SAND, Stage, open_map, terrain};
use super::terrain::corpus_map;

/// The skybox of the small scene with the given number of texels along a side, as read from its
/// files.
pub(crate) fn skybox(side: u32) -> Skybox {
    let face = |(name, [upper, lower]): (_, [[u8; 3]; 2])| {
        let image = RgbaImage::from_fn(side, side, |x, y| {
            // The engine stores the last row first, and rotates the top and bottom images.
            let [x, y] = match name {
                "top" => [side - 1 - y, x],
                "bottom" => [y, side - 1 - x],
                _ => [x, side - 1 - y],
            };
            let color = if y < side / 2 { upper } else { lower };
            let [r, g, b] = if x < side / 8 { [255; 3] } else { color };
            Rgba([r, g, b, 255])
        });
        Texture {
            size: [side; 2],
            levels: vec![image.into_raw()],
            has_holes: false,
        }
    };
    Skybox {
        faces: SKYBOX.map(face),
    }
}

/// Chimneys by the water, below that sky.
pub(crate) fn chimneys_below_a_skybox() -> Scene {
    scenes::chimneys_in(Environment {
        skybox: Some(Arc::new(DeferredSkybox::of(["sky", "png"], skybox(64)))),
        ..Environment::default()
    })
}

/// The same with a low red sun in the north and blue ambient light.
pub(crate) fn chimneys_at_dusk() -> Scene {
    scenes::chimneys_in(Environment {
        sun: Sun {
            position: Vec3::new(-300.0, 500.0, -1000.0),
            color: Vec3::new(0.9, 0.5, 0.3),
            ambient: Vec3::new(0.3, 0.4, 0.7),
        },
        skybox: None,
    })
}

/// Direction of a position in a skybox image, where `[0, 0]` is the top left. As in OpenGL with
/// images in reversed row order, and with top and bottom rotated as in the engine's shader.
fn direction(face: &str, [x, y]: [f32; 2]) -> Vec3 {
    let [x, y] = [x, y].map(|at| 2.0 * at - 1.0);
    match face {
        "right" => Vec3::new(1.0, y, -x),
        "left" => Vec3::new(-1.0, y, x),
        "top" => Vec3::new(y, 1.0, -x),
        "bottom" => Vec3::new(-y, -1.0, -x),
        "back" => Vec3::new(x, y, 1.0),
        _ => Vec3::new(-x, y, -1.0),
    }
}

/// A position far from all maps, where only the sky is visible.
const SKY_ONLY_POSITION: Vec3 = Vec3::new(5000.0, 300.0, 5000.0);

/// The sky in a direction, with a small field of view.
fn sky_in_direction(document: &dyn Document, ahead: Vec3, size: u32) -> (Camera, RgbaImage) {
    // Avoids the vertical direction.
    let ahead = ahead.normalize() + Vec3::new(0.0, 0.0, 0.01);
    let pose = Pose {
        eye: SKY_ONLY_POSITION,
        target: SKY_ONLY_POSITION + ahead * 10.0,
    };
    let mut camera = Camera::new(pose, document.about().handedness);
    camera.fov_y_radians = 100_f32.to_radians();
    let view = View::plain(camera);
    let (picture, _) = Stage::get().draw(Some(document), &view, [size; 2]);
    (camera, picture)
}

#[test]
fn each_image_of_a_skybox_is_where_the_engine_has_it() {
    let scene = chimneys_below_a_skybox();
    for (name, [upper, lower]) in SKYBOX {
        let (camera, picture) = sky_in_direction(&scene, direction(name, [0.5; 2]), 240);
        for (place, expected) in [
            ([0.6, 0.2], upper),
            ([0.9, 0.4], upper),
            ([0.6, 0.8], lower),
            ([0.9, 0.6], lower),
            ([0.05, 0.1], [255; 3]),
            ([0.05, 0.9], [255; 3]),
        ] {
            let at = camera
                .project(SKY_ONLY_POSITION + direction(name, place) * 100.0, 1.0)
                .unwrap();
            let at = (at * 240.0).as_uvec2();
            let Rgba([r, g, b, _]) = *picture.get_pixel(at.x, at.y);
            assert_eq!([r, g, b], expected, "{name}, {place:?}: at {at}");
        }
    }
}

/// Images that join in the engine: each pixel's colour encodes its direction. Loaded from files,
/// they form a seamless sky.
#[test]
fn images_that_join_in_the_engine_join() {
    let color = |direction: Vec3| (direction.normalize() * 127.0 + 128.0).round();
    let folder = tempfile::tempdir().unwrap();
    let file = write_game(folder.path(), &sound_scene()).unwrap();
    let side = 64;
    for (face, _) in SKYBOX {
        let image = bitmap(side, |x, y| {
            let place = [x, y].map(|at| (at as f32 + 0.5) / side as f32);
            color(direction(face, place)).to_array().map(|it| it as u8)
        });
        let path = folder.path().join("assets/skyboxes/evening sky").join(face);
        std::fs::write(path.with_extension("jpg"), image).unwrap();
    }
    let source = Source::read(&file).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let scene = mapscope_scene::open(&source, &options, &progress).unwrap();
    let size = 120;
    let steps = || [-1.0, 0.0, 1.0].into_iter();
    let ahead = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| [x, y, z])));
    for ahead in ahead.map(Vec3::from).filter(|ahead| *ahead != Vec3::ZERO) {
        let (camera, picture) = sky_in_direction(&*scene, ahead, size);
        for (x, y, pixel) in picture.enumerate_pixels() {
            let at = (Vec2::new(x as f32, y as f32) + 0.5) / size as f32;
            let expected = color(camera.ray_in_world(at, 1.0).direction);
            let [r, g, b, _] = pixel.0.map(f32::from);
            let apart = (Vec3::new(r, g, b) - expected).abs().max_element();
            assert!(apart < 5.0, "{ahead}, {at}: {pixel:?}, not {expected}");
        }
    }
}

/// The images of the game's sky join, which confirms their orientation.
#[test]
fn the_images_of_the_sky_of_the_game_join() {
    let Some(document) = corpus_map("demo.pfmap") else {
        return;
    };
    document.wait_until_complete();
    let skybox = document.environment().unwrap().skybox().unwrap();
    let last = skybox.side() as usize - 1;
    // The texel of a cube texture's layer in a direction.
    let texel = |face: &str, Vec3 { x, y, z }: Vec3| {
        let (s, t) = match face {
            "right" => (-z, -y),
            "left" => (z, -y),
            "top" => (x, z),
            "bottom" => (x, -z),
            "back" => (x, -y),
            _ => (-x, -y),
        };
        let at = [s, t].map(|at| ((at + 1.0) * 0.5 * last as f32).round() as usize);
        let index = FACE_NAMES.iter().position(|name| *name == face).unwrap();
        let texels = &skybox.faces[index].levels[0];
        &texels[(at[1] * (last + 1) + at[0]) * 4..][..3]
    };
    for (face, y) in [("top", 1.0), ("bottom", -1.0)] {
        for side in ["right", "left", "back", "front"] {
            let mut sum = 0.0;
            for step in 0..=last {
                let along = 2.0 * step as f32 / last as f32 - 1.0;
                let edge = match side {
                    "right" => Vec3::new(1.0, y, along),
                    "left" => Vec3::new(-1.0, y, along),
                    "back" => Vec3::new(along, y, 1.0),
                    _ => Vec3::new(along, y, -1.0),
                };
                let pairs = texel(face, edge).iter().zip(texel(side, edge));
                sum += pairs.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>();
            }
            let mean = sum / (3 * (last + 1)) as f64;
            println!("{face}, {side}: {mean:.2} of 255 apart");
            // With any other orientation, one side of each differs by 30 or more.
            assert!(mean < 15.0, "{face}, {side}: {mean}");
        }
    }
}

#[test]
fn a_skybox_that_comes_later_is_drawn_as_if_it_had_been_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_game(folder.path(), &sound_scene()).unwrap();
    let source = Source::read(&file).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let scene = mapscope_scene::open(&source, &options, &progress).unwrap();
    let pose = Pose {
        eye: Vec3::new(90.0, 30.0, 90.0),
        target: Vec3::new(0.0, 30.0, 0.0),
    };
    let view = View::plain(Camera::new(pose, scene.about().handedness));
    let mut stage = Stage::get();
    let mut data = stage.upload_without_deferred(&*scene);
    let draw = |stage: &mut Stage, data: &mut SceneData| {
        let (picture, _) = stage.draw_scene(Some((data, &*scene)), &view, [160, 100]);
        (picture, data.gpu_bytes())
    };
    let (before, few_bytes) = draw(&mut stage, &mut data);
    scene.wait_until_complete();
    let (after, bytes) = draw(&mut stage, &mut data);
    assert!(before != after && few_bytes < bytes);
    let mut whole = stage.upload(&*scene);
    assert!(draw(&mut stage, &mut whole).0 == after);
}

#[test]
fn without_perspective_the_sky_is_mapscopes_own() {
    let with = chimneys_below_a_skybox();
    let without = scenes::chimneys_in_the_sun();
    let pose = Pose {
        eye: Vec3::new(90.0, 60.0, 90.0),
        target: Vec3::ZERO,
    };
    let mut camera = Camera::new(pose, with.about().handedness);
    let draw = |scene: &Scene, camera: Camera| {
        let view = View::plain(camera);
        *Stage::get()
            .draw(Some(scene), &view, [160, 100])
            .0
            .get_pixel(80, 1)
    };
    assert_ne!(draw(&with, camera), draw(&without, camera));
    camera.projection = Projection::Orthographic;
    assert_eq!(draw(&with, camera), draw(&without, camera));
}

/// The sky above the demo map, compared with the engine's own pictures.
#[test]
fn the_sky_of_the_game_is_where_the_engine_has_it() {
    let Some(document) = corpus_map("demo.pfmap") else {
        return;
    };
    let size = [320, 180];
    for (name, pose, rows) in [
        ("demo_cliff_side", "-41,30,40,-65.454,19.604,-2.355", 40),
        ("demo_ramp", "290,60,-290,335.315,38.869,-290", 45),
        ("demo_lake", "259,50,-90,259,28.869,-135.315", 14),
    ] {
        let path = shared(&format!("reference/{name}.jpg")).unwrap();
        let engine = image::open(path).unwrap().into_rgba8();
        let engine = imageops::resize(&engine, size[0], size[1], FilterType::Triangle);
        let camera = Camera::new(pose.parse().unwrap(), document.about().handedness);
        let (ours, _) = Stage::get().draw(Some(&*document), &View::plain(camera), size);
        let sum = |picture: &RgbaImage| -> f64 {
            let pixels = picture.enumerate_pixels().zip(engine.pixels());
            let sky = pixels.filter(|((_, y, _), _)| *y < rows);
            let apart = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b));
            sky.map(|((_, _, a), b)| a.0.iter().zip(&b.0).map(apart).sum::<f64>())
                .sum()
        };
        let mean = sum(&ours) / f64::from(3 * size[0] * rows);
        println!("{name}: {mean:.2} of 255 apart");
        assert!(mean < 4.0, "{name}: {mean}");
    }
}

/// A view over water, with or without reflected ground.
fn over_water(
    document: &dyn Document,
    camera: Camera,
    size: [u32; 2],
    samples: Samples,
    has_ground_reflection: bool,
) -> RgbaImage {
    let mut stage = Stage::with(samples);
    stage.set_ground_reflection(has_ground_reflection);
    let (picture, _) = stage.draw(Some(document), &View::plain(camera), size);
    stage.set_ground_reflection(false);
    picture
}

/// World height of water (fact sheet A11).
const WATER_HEIGHT: f32 = -2.0;

/// The pixel with the reflection of a position, possibly out of view.
fn reflected_at(camera: &Camera, place: Vec3, [width, height]: [u32; 2]) -> Vec2 {
    let mirrored = place.with_y(2.0 * WATER_HEIGHT - place.y);
    let at = camera.project(mirrored, width as f32 / height as f32);
    at.unwrap() * Vec2::new(width as f32, height as f32)
}

/// Reflections are at their mirrored position: walls of the shore appear upside down below it.
#[test]
fn water_reflects_the_ground_where_a_mirror_shows_it() {
    // A lake beside a cliff, seen from above the water.
    let land = open_map([1, 1], |_, col| {
        let mut tile = Tile::default();
        (tile.top_material, tile.side_material) = (SAND, GRASS);
        tile.base_height = if col < 16 { -3 } else { 6 };
        tile
    });
    let place = |col: f32, y: f32| {
        let ground = terrain(&*land).placement().world(col, 16.0, 0.0);
        ground.with_y(y)
    };
    let pose = Pose {
        eye: place(4.0, 12.0),
        target: place(16.0, 4.0),
    };
    let camera = Camera::new(pose, land.about().handedness);
    let size = [240, 160];
    let draw = |on| over_water(&*land, camera, size, Samples::One, on);
    let [sky, ground] = [false, true].map(draw);
    // How much greener the reflection is with ground than with sky only; the sunlit cliff is green.
    let greener = |place: Vec3| {
        let at = reflected_at(&camera, place, size).as_uvec2();
        let green = |picture: &RgbaImage| {
            let Rgba([_, g, b, _]) = *picture.get_pixel(at.x, at.y);
            i32::from(g) - i32::from(b)
        };
        green(&ground) - green(&sky)
    };
    // The cliff is 24 units high; above it, the sky is unchanged.
    for y in [4.0, 10.0, 18.0] {
        let greener = greener(place(16.0, y));
        assert!(greener > 20, "{y}: {greener}");
    }
    for y in [29.0, 31.0] {
        let greener = greener(place(16.0, y));
        assert!(greener.abs() < 16, "{y}: {greener}");
    }
    // Pixels outside the water are unchanged.
    assert_eq!(sky.get_pixel(120, 2), ground.get_pixel(120, 2));
}

/// Models on the ground are reflected even if they are above the frame themselves, and only if
/// water reflects the ground.
#[test]
fn water_reflects_what_stands_at_its_shore() {
    let [(empty, foot), (scene, _)] = [0, 1].map(scenes::shore);
    let pose = Pose {
        eye: foot + Vec3::new(96.0, 10.0, 0.0),
        target: foot + Vec3::new(79.0, 0.0, 0.0),
    };
    let camera = Camera::new(pose, scene.about().handedness);
    let size = [240, 160];
    assert!(camera.project(foot, 1.5).unwrap().y < 0.0, "in the frame");
    for (samples, differs) in [
        (Samples::One, true),
        (Samples::One, false),
        (Samples::Four, true),
    ] {
        let pictures = [&empty, &scene].map(|it| over_water(it, camera, size, samples, differs));
        for height in [8.0, 16.0, 24.0] {
            let at = reflected_at(&camera, foot + Vec3::Y * height, size).as_uvec2();
            let [without, with] = pictures.each_ref().map(|it| it.get_pixel(at.x, at.y).0);
            let apart = without.iter().zip(with).map(|(a, b)| a.abs_diff(b)).max();
            assert_eq!(apart > Some(20), differs, "{height}: {without:?}, {with:?}");
        }
        assert!(differs || pictures[0] == pictures[1]);
    }
}
