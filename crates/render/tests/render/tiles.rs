//! 2D maps drawn by the graphics device, compared with the CPU picture.

use image::RgbaImage;
use mapscope_render::{Gpu, Renderer, Target, View};
use mapscope_scene::camera::{Camera, Handedness, Pose};
use mapscope_scene::tilemap::{
    Cell, Grid, GridKind, Integers, Layer, ListPlace, Object, ObjectKind, Parallax, Pass, RectPx,
    Step, Strand, StrandMode, TileMap, Tileset,
};
use mapscope_scene::{Document, Layers, OverlayId, Shown};

use super::stage::{Stage, small_device};
use super::tile_maps::{flat_view, layer, map, scrambled, sprite, tiles, tileset};

/// The CPU picture of the whole map.
fn expected(map: &TileMap, shown: &Shown) -> RgbaImage {
    let picture = Layers::flat(map, shown);
    let [width, height] = picture.size().map(|side| side as u32);
    let mut image = RgbaImage::new(width, height);
    for (y, row) in image.chunks_exact_mut(width as usize * 4).enumerate() {
        picture.row(y as u64, row);
    }
    image
}

/// A map with an opaque layer below all others as a background for blending.
fn over_ground(mut tilesets: Vec<Tileset>, mut layers: Vec<Layer>) -> TileMap {
    let ground = tilesets.len();
    tilesets.push(tileset([32, 32], 6));
    let mut size = map(tilesets.clone(), layers.clone()).canvas_px();
    size[0] = size[0].max(64);
    let columns = size.map(|side| side.div_ceil(32) as u32);
    let ground = Layer {
        tileset: ground,
        ..layer(columns, |x, y| Cell(scrambled(x + y * 77) % 6))
    };
    layers.insert(0, ground);
    map(tilesets, layers)
}

/// Draws a whole map at 1:1 on the device and compares it with the CPU picture.
fn check(name: &str, map: &TileMap, shown: &Shown) {
    check_within(name, map, shown, 1);
}

fn check_within(name: &str, map: &TileMap, shown: &Shown, most: u8) {
    let size = map.canvas_px().map(|side| side as u32);
    let expected = expected(map, shown);
    let mut view = flat_view([0.0, 0.0], 1.0, size);
    view.shown = Shown {
        flat: true,
        ..shown.clone()
    };
    let (drawn, _) = Stage::get().draw(Some(map), &view, size);
    compare(name, &drawn, &expected, most);
}

fn compare(name: &str, drawn: &RgbaImage, expected: &RgbaImage, most: u8) {
    compare_except(name, [drawn, expected], most, 0);
}

/// Compares pictures, allowing `but` pixels to differ by more than `most`.
fn compare_except(name: &str, [drawn, expected]: [&RgbaImage; 2], most: u8, but: usize) {
    assert_eq!(drawn.dimensions(), expected.dimensions(), "{name}");
    let mut worst = (0, 0, 0, [0; 4], [0; 4]);
    let mut beyond = 0;
    let mut first = Vec::new();
    for ((x, y, a), b) in drawn.enumerate_pixels().zip(expected.pixels()) {
        let difference = (0..3).map(|i| a.0[i].abs_diff(b.0[i])).max().unwrap();
        beyond += usize::from(difference > most);
        if difference > most && first.len() < 8 {
            first.push([x, y]);
        }
        if difference > worst.0 {
            worst = (difference, x, y, a.0, b.0);
        }
    }
    assert!(
        beyond <= but,
        "{name}: {beyond} pixels differ: {worst:?}, first at {first:?}"
    );
}

/// Cells with all flags, empty cells and cells without a picture.
fn mixed_cell(count: u32) -> impl Fn(u32, u32) -> Cell {
    move |x, y| {
        let number = scrambled(x + y * 1009);
        match number % 13 {
            0 => Cell::EMPTY,
            1 => Cell(count + 5),
            _ => Cell((number / 13 % count) | ((number >> 16 & 15) << 24)),
        }
    }
}

#[test]
fn opaque_tiles_are_exact() {
    for size in [
        [16, 16],
        [8, 8],
        [1, 1],
        [24, 24],
        [32, 16],
        [7, 13],
        [40, 3],
    ] {
        let tileset = tileset(size, 11);
        let of = Layer {
            position_px: [5, 3],
            ..layer([19, 23], mixed_cell(11))
        };
        let map = over_ground(vec![tileset], vec![of]);
        let name = format!("{size:?}");
        let shown = Shown::default();
        let mut view = flat_view([0.0, 0.0], 1.0, [1, 1]);
        check(&name, &map, &shown);
        // At other integer zooms, every pixel is a square.
        let whole = expected(&map, &shown);
        for (zoom, left, top) in [(2, 3.5, 0.0), (3, 7.0, 4.0 / 3.0), (5, 0.4, 11.6)] {
            let size = [83, 59];
            view = flat_view([left, top], f64::from(zoom), size);
            let (drawn, _) = Stage::get().draw(Some(&map), &view, size);
            let zoomed = RgbaImage::from_fn(size[0], size[1], |x, y| {
                let at = |px: u32, from: f64| (f64::from(px) + 0.5) / f64::from(zoom) + from;
                let (x, y) = (at(x, left) as u32, at(y, top) as u32);
                // Beside the map, the smoothed edge would interfere.
                *whole
                    .get_pixel_checked(x, y)
                    .unwrap_or(drawn.get_pixel(0, 0))
            });
            let inside = whole.width() as f64 > left + 83.0 && whole.height() as f64 > top + 59.0;
            if inside {
                compare(&format!("{name} x{zoom}"), &drawn, &zoomed, 0);
            }
        }
        let _ = view;
    }
}

#[test]
fn where_nothing_is_drawn_it_is_black() {
    let see_through = tiles([16, 16], 9, |tile, [x, _]| if x < tile { 0 } else { 160 });
    let map = map(vec![see_through], vec![layer([12, 9], mixed_cell(9))]);
    check("over black", &map, &Shown::default());
}

#[test]
fn half_transparent_tiles_and_layers_blend_as_in_the_other_picture() {
    let see_through = tiles([16, 16], 9, |tile, [x, y]| match tile % 3 {
        0 => 255,
        1 => (x * 16 + y) as u8,
        _ => {
            if (x / 4 + y / 4) % 2 == 0 {
                0
            } else {
                190
            }
        }
    });
    let layers = vec![
        layer([12, 9], mixed_cell(9)),
        layer([12, 9], |x, y| mixed_cell(9)(x + 90, y)),
        layer([12, 9], |x, y| mixed_cell(9)(x, y + 90)),
    ];
    let map = over_ground(vec![see_through], layers);
    let mut shown = Shown::default();
    // Devices round after the multiplication and again after the addition.
    check_within("three layers", &map, &shown, 3);
    shown.hidden.push(TileMap::layer_item(3));
    shown.hidden.push(TileMap::layer_item(1));
    check("one layer", &map, &shown);
    shown.opacities.set(TileMap::layer_item(2), Some(101));
    check("with opacity", &map, &shown);
}

#[test]
fn tints_are_those_of_the_other_picture() {
    let mut of = layer([12, 9], mixed_cell(9));
    let corner = |number: u32| scrambled(number).to_le_bytes();
    let tint = |i: u32| [0, 1, 2, 3].map(|k| corner(i * 4 + k));
    of.tints = Some((0..12 * 9).map(tint).collect());
    let mut plain = of.clone();
    plain.tints = Some(vec![[[128, 128, 128, 255]; 4]; 12 * 9]);
    plain.position_px = [100, 0];
    for size in [[16, 16], [10, 6]] {
        let map = over_ground(vec![tileset(size, 9)], vec![of.clone(), plain.clone()]);
        check("tints", &map, &Shown::default());
    }
}

#[test]
fn layers_wrap_and_have_something_around_them() {
    let mut wrapped = layer([3, 2], mixed_cell(9));
    wrapped.wraps = [true, true];
    wrapped.position_px = [-37, 21];
    let mut across = layer([2, 1], |x, _| Cell(x));
    across.wraps = [true, false];
    across.position_px = [11, 40];
    let mut framed = layer([4, 3], mixed_cell(9));
    framed.outside = Some(Cell(4 | Cell::MIRROR_X));
    framed.position_px = [50, 60];
    let wide = layer([20, 14], |_, _| Cell::EMPTY);
    let see_through = tiles([16, 16], 9, |_, [x, _]| if x < 6 { 0 } else { 255 });
    for of in [wrapped, across, framed] {
        let map = over_ground(vec![see_through.clone()], vec![wide.clone(), of]);
        check("around", &map, &Shown::default());
    }
}

#[test]
fn steps_skip_tile_0_and_priority_comes_last() {
    let layers = vec![
        layer([12, 9], |x, y| mixed_cell(3)(x, y)),
        layer([12, 9], |x, y| mixed_cell(3)(x + 50, y)),
    ];
    let mut map = over_ground(vec![tileset([16, 16], 3)], layers);
    let step = |layer, skips_zero, pass| Step::Layer {
        layer,
        skips_zero,
        is_opaque: false,
        pass,
    };
    map.images = vec![
        sprite([20, 12], [200, 60, 60]),
        sprite([9, 33], [60, 90, 220]),
    ];
    for (number, (left, top)) in [(10.0, 20.0), (60.0, -5.0), (100.0, 90.0)]
        .into_iter()
        .enumerate()
    {
        let [w, h] = map.images[number % 2].size.map(|side| side as f32);
        map.objects.push(Object {
            rect_px: RectPx {
                min: [left, top],
                max: [left + w, top + h],
            },
            image: Some(number % 2),
            ..Object::new(ObjectKind::Sprite, "made up", Some(1))
        });
    }
    map.steps = vec![
        step(0, false, Pass::All),
        step(2, true, Pass::Normal),
        step(1, false, Pass::Normal),
        Step::Objects { layer: Some(1) },
        step(1, false, Pass::Priority),
        step(2, true, Pass::Priority),
    ];
    check("steps", &map, &Shown::default());
}

#[test]
fn tiles_that_change_show_what_is_shown_at_the_moment() {
    let mut changing = tileset([16, 16], 9);
    let strand = |first, last, mode| Strand {
        first,
        last,
        delay_ticks: 12,
        mode,
    };
    changing.strands = vec![
        strand(1, 4, StrandMode::Forward),
        strand(5, 8, StrandMode::PingPong),
    ];
    let map = over_ground(vec![changing], vec![layer([12, 9], mixed_cell(9))]);
    let mut shown = Shown::default();
    for frame in [0.0, 3.0, 7.5, 1000.0] {
        shown.playhead.clip = Some(0);
        shown.playhead.frame = frame;
        check(&format!("frame {frame}"), &map, &shown);
    }
}

/// A map with content for every overlay.
fn with_overlays() -> TileMap {
    let mut upper = layer([12, 9], mixed_cell(9));
    upper.position_px = [5, 3];
    let mut map = over_ground(vec![tileset([16, 16], 9)], vec![upper]);
    let numbers = |number: &dyn Fn(u32) -> u32| {
        Integers::U32((0..12 * 9).map(|index| number(scrambled(index))).collect())
    };
    let grid = |kind, layer, values| Grid {
        kind,
        layer,
        size: [12, 9],
        values,
        place: ListPlace::Unknown,
    };
    map.grids = vec![
        grid(
            GridKind::Obstruction { by_sides: true },
            Some(1),
            numbers(&|number| [0, 0, 1, 5][number as usize % 4]),
        ),
        grid(GridKind::Zones, None, numbers(&|number| number % 3)),
        grid(GridKind::Logic, Some(1), numbers(&|number| number % 23)),
    ];
    let object = |kind, [x, y]: [f32; 2], [w, h]: [f32; 2], zone, layer| Object {
        rect_px: RectPx {
            min: [x, y],
            max: [x + w, y + h],
        },
        faces: (kind == ObjectKind::Entity).then_some([1, 1]),
        zone,
        ..Object::new(kind, "made up", layer)
    };
    map.objects = vec![
        object(
            ObjectKind::ZoneArea,
            [10.0, 20.0],
            [50.0, 31.0],
            Some(1),
            Some(1),
        ),
        object(
            ObjectKind::ZoneArea,
            [40.0, 40.0],
            [33.0, 17.0],
            Some(2),
            None,
        ),
        object(ObjectKind::Entity, [90.0, 60.0], [16.0, 16.0], None, None),
        object(ObjectKind::Waypoint, [120.0, 30.0], [0.0, 0.0], None, None),
    ];
    map.finished()
}

#[test]
fn overlays_are_those_of_the_other_picture() {
    let map = with_overlays();
    for overlays in [
        &[OverlayId::Obstruction][..],
        &[OverlayId::Zones],
        &[OverlayId::Logic],
        &[OverlayId::Obstruction, OverlayId::Zones],
        &[OverlayId::Grid],
        &[OverlayId::Entities],
        &[OverlayId::LayerFrames],
    ] {
        let mut shown = Shown::default();
        for overlay in overlays {
            shown.overlays.set(map.about().overlays, *overlay, true);
        }
        assert_ne!(expected(&map, &shown), expected(&map, &Shown::default()));
        check_within(&format!("{overlays:?}"), &map, &shown, 2);
    }
}

/// Stripes stay in place on the map at every zoom and position. If they are too fine to be visible,
/// they become a uniform shade halfway between bright and dark.
#[test]
fn stripes_stay_on_the_map() {
    let mut map = with_overlays();
    map.grids.truncate(1);
    map.grids[0].values = Integers::U8(vec![1; 12 * 9]);
    let mut shown = Shown {
        flat: true,
        ..Shown::default()
    };
    shown
        .overlays
        .set(map.about().overlays, OverlayId::Obstruction, true);
    let whole = expected(&map, &shown);
    let size = [60, 48];
    for (zoom, [left, top]) in [(1, [30.0, 20.0]), (2, [31.0, 17.0]), (4, [12.0, 45.0])] {
        let mut view = flat_view([left, top], f64::from(zoom), size);
        view.shown.overlays = shown.overlays.clone();
        // No layer has parallax.
        let (drawn, _) = Stage::get().draw(Some(&map), &view, size);
        let seen = RgbaImage::from_fn(size[0], size[1], |x, y| {
            *whole.get_pixel(x / zoom + left as u32, y / zoom + top as u32)
        });
        compare(&format!("x{zoom}"), &drawn, &seen, 2);
    }
    let mut view = flat_view([20.0, 20.0], 0.1, [9, 8]);
    view.shown.overlays = shown.overlays.clone();
    let (far, _) = Stage::get().draw(Some(&map), &view, [9, 8]);
    let reds = far.pixels().map(|pixel| pixel.0[0]);
    let (min, max) = reds.fold((255, 0), |(min, max), red| (red.min(min), red.max(max)));
    assert!(min > 60 && max < 200, "{min} to {max}");
}

#[test]
fn an_opaque_layer_shows_what_is_transparent_elsewhere() {
    let see_through = tiles(
        [16, 16],
        4,
        |tile, [x, _]| if x < 4 * tile { 0 } else { 120 },
    );
    let mut map = over_ground(vec![see_through], vec![layer([12, 9], mixed_cell(4))]);
    if let [_, Step::Layer { is_opaque, .. }] = &mut map.steps[..] {
        *is_opaque = true;
    }
    check("opaque", &map, &Shown::default());
}

/// Panning gives the same picture as another part of the whole map; layers with parallax move by
/// whole pixels.
#[test]
fn layers_follow_the_camera_each_in_its_own_way() {
    let mut slow = layer([12, 9], mixed_cell(9));
    slow.parallax = Parallax {
        mul: [1, 2],
        div: [2, 3],
    };
    let map = over_ground(vec![tileset([16, 16], 9)], vec![slow.clone()]);
    let size = [90, 70];
    for camera in [[0, 0], [31, 17], [-23, -9]] {
        let view = flat_view(camera.map(f64::from), 1.0, size);
        let (drawn, _) = Stage::get().draw(Some(&map), &view, size);
        let [left, top] = map.layers[1].origin_px(camera.map(i64::from));
        let mut moved = map.layers[1].clone();
        moved.parallax = Parallax::default();
        moved.position_px = [left as i32, top as i32];
        let still = over_ground(vec![tileset([16, 16], 9)], vec![moved]);
        let (expected, _) = Stage::get().draw(Some(&still), &view, size);
        // The backdrop is larger where the layer moved out of the map.
        let inside = |image: &RgbaImage| {
            let [x, y] = camera.map(|px: i32| px.min(0).unsigned_abs());
            image::imageops::crop_imm(image, x, y, size[0] - x, size[1] - y).to_image()
        };
        compare("parallax", &inside(&drawn), &inside(&expected), 0);
    }
}

/// A map of a uniform colour has that colour in every view, without gaps between tiles.
#[test]
fn there_are_no_seams() {
    let plain = Tileset {
        rgba: [90, 160, 210, 255].repeat(12 * 12 * 5),
        ..tileset([12, 12], 5)
    };
    let map = map(vec![plain], vec![layer([60, 60], mixed_opaque)]);
    let size = [120, 90];
    for zoom in [0.031, 0.07, 0.21, 0.5, 0.77, 1.0, 1.3, 2.0, 3.7] {
        // The map fills the picture.
        let px = [120.0 / zoom, 90.0 / zoom];
        let view = flat_view([360.0 - px[0] / 2.0, 360.0 - px[1] / 2.0], zoom, size);
        let (drawn, _) = Stage::get().draw(Some(&map), &view, size);
        for (x, y, pixel) in drawn.enumerate_pixels() {
            let at = [(f64::from(x) - 60.0) / zoom, (f64::from(y) - 45.0) / zoom];
            let is_inside = at.iter().all(|px| px.abs() < 360.0 - 2.5 / zoom);
            if is_inside {
                let near = pixel
                    .0
                    .iter()
                    .zip([90, 160, 210])
                    .all(|(a, b)| a.abs_diff(b) <= 1);
                assert!(near, "zoom {zoom}: {pixel:?} at {x}, {y}");
            }
        }
    }
}

/// If a pixel covers several tiles, it has their mean colour, which does not change while the map
/// moves.
#[test]
fn nothing_shimmers_from_afar() {
    let mut tileset = tileset([16, 16], 2);
    for (at, channel) in tileset.rgba.iter_mut().enumerate() {
        let is_white = at >= 16 * 16 * 4;
        *channel = if at % 4 == 3 || is_white { 255 } else { 0 };
    }
    let map = map(
        vec![tileset],
        vec![layer([400, 400], |x, y| Cell((x + y) % 2))],
    );
    let size = [100, 80];
    for zoom in [0.0173, 0.03, 0.045, 0.056] {
        let look = |moved: f64| {
            let px = size.map(|side| f64::from(side) / zoom);
            let left = 3200.0 - px[0] / 2.0 + moved / zoom;
            let view = flat_view([left, 3200.0 - px[1] / 2.0], zoom, size);
            Stage::get().draw(Some(&map), &view, size).0
        };
        let (before, after) = (look(0.0), look(1.0));
        for (x, y, pixel) in before.enumerate_pixels().filter(|(x, ..)| *x > 0) {
            let red = pixel.0[0];
            assert!(red.abs_diff(127) < 40, "zoom {zoom}: {red} at {x}, {y}");
            let moved = after.get_pixel(x - 1, y).0[0];
            assert!(red.abs_diff(moved) <= 2, "zoom {zoom}: {red}, then {moved}");
        }
    }
}

#[test]
fn a_layer_is_one_draw_and_4_bytes_a_tile() {
    let map = map(
        vec![tileset([16, 16], 5)],
        vec![layer([1000, 1000], mixed_opaque)],
    );
    let size = [64, 64];
    let view = flat_view([5000.0, 5000.0], 1.0, size);
    let (_, drawn) = Stage::get().draw(Some(&map), &view, size);
    // The other draw call is the backdrop.
    assert_eq!((drawn.draw_calls, drawn.triangles), (2, 3));
    let gpu = Gpu::headless(None).unwrap();
    let scene = Renderer::new(&gpu).upload(&gpu, &map).unwrap();
    let beside_cells = scene.gpu_bytes() - 4_000_000;
    assert!(beside_cells < 32_768, "{beside_cells}");
}

#[test]
fn a_layer_that_is_too_large_for_one_buffer_looks_the_same() {
    let mut of = layer([60, 57], mixed_cell(9));
    of.position_px = [9, 4];
    let mut outside = of.clone();
    outside.outside = Some(Cell(3));
    let mut wrapped = of.clone();
    wrapped.wraps = [true, true];
    let see_through = tiles([16, 16], 9, |tile, [x, _]| if x < tile { 0 } else { 200 });
    let size = [100, 80];
    let gpu = small_device(4096);
    let mut renderer = Renderer::new(&gpu);
    let target = Target::new(&gpu, size);
    for layer in [of, outside, wrapped] {
        let map = map(vec![see_through.clone()], vec![layer]);
        let mut scene = renderer.upload(&gpu, &map).unwrap();
        let pose: Pose = "200,300,1100,480,0,450".parse().unwrap();
        let tilted = View::plain(Camera::new(pose, Handedness::Right));
        let flat = [
            ([40.0, 150.0], 1.0),
            ([300.0, 500.0], 2.4),
            ([-40.0, -30.0], 0.1),
            ([-800.0, -700.0], 0.03),
        ]
        .map(|(top_left, zoom)| flat_view(top_left, zoom, size));
        let mut draw_calls = 0;
        // If the layer repeats, the last row is in a different buffer from the first one, so its
        // edge is not smoothed there.
        let most = if map.layers[0].wraps[1] { 1 } else { 5 };
        for view in flat.iter().chain([&tilted]).take(most) {
            let (expected, _) = Stage::get().draw(Some(&map), view, size);
            let scene = Some((&mut scene, &map as &dyn Document));
            let statistics = renderer.draw_and_wait(&gpu, &target, scene, view);
            draw_calls += statistics.draw_calls;
            let drawn = target.read_back(&gpu).unwrap();
            // A graphics card samples several points of a pixel; some of them are in the next
            // buffer.
            let is_card = gpu.adapter.get_info().device_type != wgpu::DeviceType::Cpu;
            let but = if is_card { 4 } else { 0 };
            compare_except("in several buffers", [&drawn, &expected], 2, but);
        }
        // All five buffers if the whole map is visible.
        assert!(most == 1 || draw_calls > 15, "{draw_calls}");
    }
    let map = map(vec![see_through], vec![layer([400, 12], mixed_cell(9))]);
    let error = renderer.upload(&gpu, &map).unwrap_err().to_string();
    assert!(error.contains("a layer would take"), "{error}");
}

/// Layers of truncated files, and layers without tiles.
#[test]
fn what_is_not_there_is_not_drawn() {
    let mut short = layer([30, 30], mixed_cell(9));
    short.cells.truncate(30 * 11 + 7);
    let mut empty = layer([0, 0], mixed_cell(9));
    empty.wraps = [true, true];
    let mut flat = layer([5, 0], mixed_cell(9));
    flat.outside = Some(Cell(1));
    let mut lost = layer([5, 5], mixed_cell(9));
    lost.tileset = 7;
    let nothing = Tileset::default();
    for layers in [vec![short], vec![empty, flat], vec![lost], vec![]] {
        let mut map = map(vec![tileset([16, 16], 9), nothing.clone()], layers);
        map.steps.push(Step::Objects { layer: Some(99) });
        let size = [50, 40];
        for zoom in [1.0, 0.4, 0.01] {
            let view = flat_view([-10.0, 150.0], zoom, size);
            Stage::get().draw(Some(&map), &view, size);
        }
        let pose: Pose = "200,300,1100,480,0,450".parse().unwrap();
        let view = View::plain(Camera::new(pose, Handedness::Right));
        Stage::get().draw(Some(&map), &view, size);
    }
}

fn mixed_opaque(x: u32, y: u32) -> Cell {
    let number = scrambled(x + y * 1009);
    Cell((number % 5) | ((number >> 16 & 7) << 24))
}
