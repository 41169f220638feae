//! Skyboxes: which way round their images are, and that they stand where the engine has them; and what
//! water mirrors.

use std::sync::Arc;

use glam::{UVec2, Vec2, Vec3};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};
use mapscope_formats::pfmap::Tile;
use mapscope_render::View;
use mapscope_scene::assets::{FACE_NAMES, Skybox, Texture};
use mapscope_scene::camera::{Camera, Pose, Projection};
use mapscope_scene::{Document, Environment, Sun};
use mapscope_testdata::shared;
use mapscope_testdata::tiny_scene::SKYBOX;

use super::scenes::{self, Scene};
use super::stage::{GRASS, SAND, Stage, open_map, terrain};
use super::terrain::corpus_map;

/// The skybox of the small scene, with so many texels along a side, as it is read from its files.
pub(crate) fn skybox(side: u32) -> Skybox {
    let face = |(_, [upper, lower]): (_, [[u8; 3]; 2])| {
        // The engine has the last row first.
        let image = RgbaImage::from_fn(side, side, |x, y| {
            let color = if y < side / 2 { lower } else { upper };
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
        name: ["sky", "png"].map(str::to_owned),
        faces: SKYBOX.map(face),
    }
}

/// Chimneys by the water, below that sky.
pub(crate) fn chimneys_below_a_skybox() -> Scene {
    scenes::chimneys_in(Environment {
        skybox: Some(Arc::new(skybox(64))),
        ..Environment::default()
    })
}

/// The same in a low red sun in the north and a blue light from everywhere.
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

/// Where a place of an image of a skybox is seen, as OpenGL has it of images whose first row is their
/// last: `[0, 0]` is the top left.
fn direction(face: usize, [x, y]: [f32; 2]) -> Vec3 {
    let (s, t) = (2.0 * x - 1.0, 1.0 - 2.0 * y);
    match FACE_NAMES[face] {
        "right" => Vec3::new(1.0, -t, -s),
        "left" => Vec3::new(-1.0, -t, s),
        "top" => Vec3::new(s, 1.0, t),
        "bottom" => Vec3::new(s, -1.0, -t),
        "back" => Vec3::new(s, -t, 1.0),
        _ => Vec3::new(-s, -t, -1.0),
    }
}

#[test]
fn each_image_of_a_skybox_is_where_opengl_has_it() {
    let scene = chimneys_below_a_skybox();
    let size = [240, 240];
    // Far from the map, so that nothing is in the way.
    let eye = Vec3::new(5000.0, 300.0, 5000.0);
    for face in 0..6 {
        let middle = direction(face, [0.5, 0.5]) + Vec3::new(0.0, 0.0, 0.01);
        let pose = Pose {
            eye,
            target: eye + middle * 10.0,
        };
        let mut camera = Camera::new(pose, scene.about().handedness);
        camera.fov_y_radians = 100_f32.to_radians();
        let (picture, _) = Stage::get().draw(Some(&scene), &View::plain(camera), size);
        let [upper, lower] = SKYBOX[face].1;
        for (place, expected) in [
            ([0.6, 0.2], upper),
            ([0.9, 0.4], upper),
            ([0.6, 0.8], lower),
            ([0.9, 0.6], lower),
            ([0.05, 0.1], [255; 3]),
            ([0.05, 0.9], [255; 3]),
        ] {
            let at = camera
                .project(eye + direction(face, place) * 100.0, 1.0)
                .unwrap();
            let at = (at * Vec2::from(size.map(|side| side as f32))).as_uvec2();
            let Rgba([r, g, b, _]) = *picture.get_pixel(at.x, at.y);
            let name = FACE_NAMES[face];
            assert_eq!([r, g, b], expected, "{name}, {place:?}: at {at}");
        }
    }
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

/// The sky above the demo map, beside that in the engine's own pictures.
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

/// What water reflects is where a mirror shows it: walls of the shore stand upside down below it.
#[test]
fn water_reflects_the_ground_where_a_mirror_shows_it() {
    // A lake beside a cliff, seen from over the water.
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
    let mut draw = |reflects_ground| {
        let mut stage = Stage::get();
        stage.set_reflects_ground(reflects_ground);
        let (picture, _) = stage.draw(Some(&*land), &View::plain(camera), size);
        stage.set_reflects_ground(false);
        picture
    };
    let [sky, ground] = [false, true].map(&mut draw);
    // Where the reflection of a place is seen.
    let at = |place: Vec3| {
        let mirrored = place.with_y(-4.0 - place.y);
        let at = camera
            .project(mirrored, size[0] as f32 / size[1] as f32)
            .unwrap();
        (at * Vec2::from(size.map(|side| side as f32))).as_uvec2()
    };
    // How much greener it is than the sky: the cliff is, in the sun.
    let greener = |at: UVec2| {
        let green = |picture: &RgbaImage| {
            let Rgba([_, g, b, _]) = *picture.get_pixel(at.x, at.y);
            i32::from(g) - i32::from(b)
        };
        green(&ground) - green(&sky)
    };
    // The cliff is 24 units high; above it is the sky, as it is without.
    for y in [4.0, 10.0, 18.0] {
        let greener = greener(at(place(16.0, y)));
        assert!(greener > 20, "{y}: {greener}");
    }
    for y in [29.0, 31.0] {
        let greener = greener(at(place(16.0, y)));
        assert!(greener.abs() < 16, "{y}: {greener}");
    }
    // What is not water is the same.
    assert_eq!(sky.get_pixel(120, 2), ground.get_pixel(120, 2));
}
