//! Pictures of several documents at once, each with its placements.

use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use image::{Rgba, RgbaImage, imageops};
use mapscope_formats::pfobj;
use mapscope_render::{SceneData, View};
use mapscope_scene::camera::{Camera, NamedView, Pose};
use mapscope_scene::{
    About, Document, Drawable, Environment, OpenOptions, OverlayId, Playhead, Progress, SceneItem,
    Shown, Source, demo,
};
use mapscope_testdata::{tiny_model, tiny_scene};

use super::stage::{GRASS, ROCK, SAND, Stage, open, open_map, open_map_in, terrain};
use super::{gallery, rigs, tile_maps};

/// A document of other documents, each with any number of placements. It has no descriptions.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) parts: Vec<Part>,
    /// The surroundings; `None` for a studio.
    pub(crate) environment: Option<Environment>,
}

/// A document that is a part of a scene.
#[derive(Debug)]
pub(crate) struct Part {
    document: Arc<dyn Document>,
    placements: Vec<Affine3A>,
    revision: u64,
    /// Its own playhead; `None` for that of the view.
    playhead: Option<Playhead>,
}

impl Part {
    fn new(document: &Arc<dyn Document>, placements: impl Into<Vec<Affine3A>>) -> Self {
        Self {
            document: Arc::clone(document),
            placements: placements.into(),
            revision: 0,
            playhead: None,
        }
    }
}

impl Document for Scene {
    fn about(&self) -> &About {
        self.parts[0].document.about()
    }

    fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        for part in &self.parts {
            part.document.for_each_drawable(shown, &mut |drawable| {
                draw(Drawable {
                    placements: mapscope_scene::Placements::Held(&part.placements),
                    revision: part.revision,
                    playhead: part.playhead,
                    ..drawable
                });
            });
        }
    }
}

/// Three chimneys on a hill by a lake: one unchanged, one rotated and larger, and one half under
/// water.
pub(crate) fn chimneys_on_land() -> Scene {
    let land = open_map([1, 1], |row, col| {
        let mut tile = mapscope_formats::pfmap::Tile::default();
        tile.top_material = if row < 17 { GRASS } else { ROCK };
        tile.base_height = if col < 18 { 0 } else { -2 };
        tile
    });
    let chimney = rigs::chimney("rock.jpg", "sand.jpg");
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    let ground = terrain(&*land).placement();
    let at = |row: f32, col: f32, level: f32| ground.world(col, row, level);
    let turned = Affine3A::from_scale_rotation_translation(
        Vec3::splat(1.8),
        Quat::from_rotation_y(0.8),
        at(14.0, 16.0, 0.0),
    );
    let places = [
        Affine3A::from_translation(at(17.0, 13.0, 0.0)),
        turned,
        Affine3A::from_translation(at(17.0, 19.0, -2.0)),
    ];
    Scene {
        parts: vec![
            Part::new(&land, [Affine3A::IDENTITY]),
            Part::new(&chimney, places),
        ],
        environment: None,
    }
}

/// The given number of chimneys at one position, two tiles east of the shore of a lake, and that
/// position.
pub(crate) fn shore(chimneys: usize) -> (Scene, Vec3) {
    let land = open_map([1, 1], |_, col| {
        let mut tile = mapscope_formats::pfmap::Tile::default();
        tile.top_material = SAND;
        tile.base_height = if col < 16 { -3 } else { 0 };
        tile
    });
    let chimney = rigs::chimney("grass.jpg", "grass.jpg");
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    let at = terrain(&*land).placement().world(18.0, 16.0, 0.0);
    let place = Affine3A::from_translation(at) * Affine3A::from_scale(Vec3::splat(2.0));
    let scene = Scene {
        parts: vec![
            Part::new(&land, [Affine3A::IDENTITY]),
            Part::new(&chimney, vec![place; chimneys]),
        ],
        environment: Some(Environment::default()),
    };
    (scene, at)
}

/// Chimneys on a terrace, in front of it and on a slope, and one that shades another, in the sun of
/// the game.
pub(crate) fn chimneys_in_the_sun() -> Scene {
    chimneys_in(Environment::default())
}

/// The same under another sun and sky.
pub(crate) fn chimneys_in(environment: Environment) -> Scene {
    let land = open_map_in(&environment, [1, 1], |row, col| {
        let mut tile = mapscope_formats::pfmap::Tile::default();
        tile.top_material = if row < 17 { GRASS } else { SAND };
        tile.side_material = ROCK;
        match col {
            ..12 => tile.base_height = 3,
            18 if row < 17 => {
                tile.kind = mapscope_formats::pfmap::TileType::RampWe;
                tile.ramp_height = 2;
            }
            19.. if row < 17 => tile.base_height = 2,
            23.. => tile.base_height = -2,
            _ => {}
        }
        tile
    });
    let chimney = rigs::chimney("rock.jpg", "sand.jpg");
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    let ground = terrain(&*land).placement();
    let at =
        |row: f32, col: f32, level: f32| Affine3A::from_translation(ground.world(col, row, level));
    let mirrored = Affine3A::from_scale(Vec3::new(-1.3, 1.3, 1.3));
    let places = [
        at(15.0, 11.5, 3.0),
        at(18.5, 13.0, 0.0),
        at(14.5, 16.5, 0.0),
        at(18.5, 16.5, 0.0),
        at(19.0, 17.5, 0.0) * mirrored,
        at(19.0, 22.5, 0.0),
    ];
    Scene {
        parts: vec![
            Part::new(&land, [Affine3A::IDENTITY]),
            Part::new(&chimney, places),
        ],
        environment: Some(environment),
    }
}

/// Percentage of the pixels in the middle of two pictures that differ by more than rounding.
fn percent_differing(a: &RgbaImage, b: &RgbaImage) -> usize {
    let middle = |picture: &RgbaImage| {
        let [width, height] = SIZE.map(|side| side / 4);
        imageops::crop_imm(picture, width * 3 / 2, height * 3 / 2, width, height).to_image()
    };
    let (a, b) = (middle(a), middle(b));
    let differs =
        |(a, b): &(&Rgba<u8>, &Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 12);
    let differing = a.pixels().zip(b.pixels()).filter(differs).count();
    differing * 100 / a.pixels().len()
}

const SIZE: [u32; 2] = [160, 100];

/// Content and camera with the same transform give the same picture.
#[test]
fn what_is_moved_turned_scaled_and_mirrored_looks_as_it_does_in_place() {
    let land = open_map([1, 1], |row, col| {
        let mut tile = mapscope_formats::pfmap::Tile::default();
        tile.top_material = if (row / 4 + col / 4) % 2 == 0 {
            GRASS
        } else {
            ROCK
        };
        tile.base_height = ((row / 5 + col / 7) % 3) as i8;
        tile
    });
    let middle = terrain(&*land).placement().world(16.0, 16.0, 0.0);
    let chimney = rigs::chimney("rock.jpg", "sand.jpg");
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    let tiles = tile_maps::map(
        vec![tile_maps::tiles([16, 16], 6, |_, _| 255)],
        vec![tile_maps::layer([20, 20], |x, y| {
            mapscope_scene::tilemap::Cell(tile_maps::scrambled(x + y * 31) % 6)
        })],
    );
    let level = gallery::open();
    // Each fills the middle of the picture.
    let pose = |target: Vec3, offset: Vec3| Pose {
        eye: target + offset,
        target,
    };
    let high = Vec3::new(10.0, 60.0, 14.0);
    let model = pose(chimney.about().bounds.center(), Vec3::new(8.0, 11.0, 15.0));
    let parts: [(Arc<dyn Document>, Pose, bool); 4] = [
        (land, pose(middle, high), false),
        (chimney, model, true),
        (level, "0.8,2.2,-11.5,-0.1,-0.8,2".parse().unwrap(), false),
        (
            Arc::new(tiles),
            pose(Vec3::new(160.0, 0.0, 160.0), Vec3::new(10.0, 90.0, 14.0)),
            false,
        ),
    ];
    let place = Affine3A::from_scale_rotation_translation(
        Vec3::splat(2.5),
        Quat::from_rotation_y(1.1),
        Vec3::new(40.0, -15.0, 22.0),
    );
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    for (document, pose, is_unlit) in parts {
        let mut view = View::plain(Camera::new(pose, document.about().handedness));
        if is_unlit {
            // The direction of light does not depend on the placement of models.
            let overlays = document.about().overlays;
            view.shown.overlays.set(overlays, OverlayId::Unlit, true);
        }
        let mut stage = Stage::get();
        let (in_place, _) = stage.draw(Some(&*document), &view, SIZE);
        let format = document.about().format.name;
        let near = view.camera.near;
        let mut draw_at = |place: Affine3A, eye: Affine3A| {
            let scene = Scene {
                parts: vec![Part::new(&document, [place])],
                environment: None,
            };
            view.camera.pose.eye = eye.transform_point3(pose.eye);
            view.camera.pose.target = eye.transform_point3(pose.target);
            let scale = eye.matrix3.determinant().abs().cbrt();
            view.camera.near = near * scale;
            stage.draw(Some(&scene), &view, SIZE).0
        };
        let unmoved = draw_at(place, Affine3A::IDENTITY);
        let moved = draw_at(place, place);
        // A mirror flips the picture.
        let mirrored = imageops::flip_horizontal(&draw_at(mirror * place, mirror * place));
        let pictures = [&unmoved, &moved, &mirrored];
        let differing = pictures.map(|picture| percent_differing(&in_place, picture));
        assert!(
            differing[0] > 20 && differing[1] < 10 && differing[2] < 10,
            "{format}: {differing:?}"
        );
    }
}

/// A document with several placements is uploaded once if its renderer draws instances.
#[test]
fn a_model_that_stands_in_many_places_is_uploaded_once() {
    let scene = chimneys_on_land();
    let stage = Stage::get();
    let bytes = |document: &dyn Document| stage.upload(document).gpu_bytes();
    let parts = scene.parts.iter().map(|part| bytes(&*part.document));
    assert_eq!(bytes(&scene), parts.sum::<u64>());
}

/// A document is drawn with its current content, whatever it had at the upload.
#[test]
fn what_appears_changes_or_vanishes_later_is_drawn_as_it_is() {
    let whole = chimneys_on_land();
    let [land, chimneys] = [&whole.parts[0], &whole.parts[1]];
    let middle = terrain(&*land.document).placement().world(16.0, 16.0, 0.0);
    let pose = Pose {
        eye: middle + Vec3::new(10.0, 60.0, 60.0),
        target: middle,
    };
    let view = View::plain(Camera::new(pose, land.document.about().handedness));
    let mut stage = Stage::get();
    let part = |of: &Part| Part::new(&of.document, of.placements.clone());
    let mut scene = Scene {
        parts: vec![part(land)],
        environment: None,
    };
    let mut data = stage.upload(&scene);
    let mut check = |scene: &Scene, stage: &mut Stage| {
        let (expected, _) = stage.draw(Some(scene), &view, SIZE);
        let (picture, _) = stage.draw_scene(Some((&mut data, scene)), &view, SIZE);
        assert!(picture == expected);
        (picture, data.gpu_bytes())
    };
    let (empty, land_bytes) = check(&scene, &mut stage);
    scene.parts.push(part(chimneys));
    let (full, full_bytes) = check(&scene, &mut stage);
    assert!(full != empty && full_bytes > land_bytes);
    // Content without placements stays on the GPU.
    let places = std::mem::take(&mut scene.parts[1].placements);
    assert_eq!(check(&scene, &mut stage).0, empty);
    assert_eq!(check(&scene, &mut stage).1, full_bytes);
    scene.parts[1].placements = places;
    // A changed part replaces its old version.
    scene.parts[1].revision += 1;
    assert_eq!(check(&scene, &mut stage), (full, full_bytes));
    scene.parts.remove(1);
    assert_eq!(check(&scene, &mut stage), (empty, land_bytes));
}

/// A document lists ground before the models on it, but ground is drawn after them, so hidden
/// ground is not shaded. At equal depth, the last one drawn is visible.
#[test]
fn what_a_document_lists_first_is_drawn_last() {
    let chimneys = [["rock.jpg", "sand.jpg"], ["grass.jpg", "snow.jpg"]].map(|[wall, cap]| {
        let chimney = rigs::chimney(wall, cap);
        rigs::open(Path::new("chimney.pfobj"), &chimney)
    });
    let about = chimneys[0].about();
    let camera = Camera::framing(about.bounds, NamedView::Iso, about.handedness, 1.6);
    let view = View::plain(camera);
    let mut stage = Stage::get();
    let mut draw = |documents: &[&Arc<dyn Document>]| {
        let parts = documents.iter();
        let scene = Scene {
            parts: parts
                .map(|it| Part::new(it, [Affine3A::IDENTITY]))
                .collect(),
            environment: None,
        };
        stage.draw(Some(&scene), &view, SIZE).0
    };
    let [a, b] = &chimneys;
    let [of_a, of_b, both] = [&[a][..], &[b], &[a, b]].map(&mut draw);
    assert!(of_a != of_b);
    assert!(both == of_a);
}

/// While clips play, static content has a separate shadow map. That must be invisible: each frame
/// equals a frame drawn without a cache.
#[test]
fn shadows_follow_what_plays_and_stay_below_what_rests() {
    let mut scene = chimneys_in_the_sun();
    let ground = terrain(&*scene.parts[0].document).placement();
    let middle = ground.world(17.0, 16.0, 0.0);
    let rig = rigs::open(Path::new("tangle.pfobj"), &rigs::tangle(8, 20, 4));
    let above = Affine3A::from_translation(middle + Vec3::Y * 12.0);
    scene.parts[1].playhead = Some(Playhead::default());
    let pose = Pose {
        eye: middle + Vec3::new(10.0, 60.0, 60.0),
        target: middle,
    };
    let handedness = scene.about().handedness;
    let mut view = View::plain(Camera::new(pose, handedness));
    let mut stage = Stage::get();
    let mut data = stage.upload(&scene);
    let mut draw = |scene: &Scene, frame: u32| {
        view.shown.playhead = Playhead::at_frame(0, frame);
        let expected = stage.draw(Some(scene), &view, SIZE);
        let drawn = stage.draw_scene(Some((&mut data, scene)), &view, SIZE);
        assert!(drawn == expected, "frame {frame}");
        drawn
    };
    let (empty, rests) = draw(&scene, 0);
    scene.parts.push(Part::new(&rig, [above]));
    let (first, plays) = draw(&scene, 0);
    assert!(plays.shadow_triangles > rests.shadow_triangles && first != empty);
    let (next, _) = draw(&scene, 1);
    assert!(next != first);
    // Moves the static content, and then removes the playing content.
    scene.parts[1].placements.pop();
    draw(&scene, 1);
    draw(&scene, 2);
    scene.parts.pop();
    draw(&scene, 3);
}

/// A game folder and a scene of two models. Each model is a two-sided triangle with holes in half
/// of its texture. Both use the same texture, or two files with equal content.
fn two_flags(is_shared: bool) -> (tempfile::TempDir, Arc<dyn Document>) {
    let folder = tempfile::tempdir().unwrap();
    let scene = tiny_scene::write_game(folder.path(), tiny_scene::SCENE).unwrap();
    let mut flag = tiny_model();
    let corners = [[-6.0, 0.0, 0.0], [6.0, 0.0, 0.0], [0.0, 12.0, 0.0]];
    let uvs = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
    for (vertex, corner) in flag.vertices.iter_mut().zip([0, 1, 2, 2, 1, 0]) {
        (vertex.position, vertex.uv) = (corners[corner], uvs[corner]);
        vertex.material = 0;
    }
    let image = RgbaImage::from_fn(16, 16, |x, _| {
        let opacity = if x < 8 { 255 } else { 0 };
        Rgba([0, 255, 0, opacity])
    });
    for (name, texture) in [("guard", "a.png"), ("rock", "b.png")] {
        let texture = if is_shared { "a.png" } else { texture };
        flag.materials[0].texture = texture.to_owned();
        let models = folder.path().join("assets/models");
        std::fs::write(
            models.join(name).with_extension("pfobj"),
            pfobj::write(&flag),
        )
        .unwrap();
        image.save(models.join(texture)).unwrap();
    }
    let source = Source::read(&scene).unwrap();
    let opened = mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default());
    (folder, opened.unwrap())
}

#[test]
fn textures_that_come_later_are_drawn_as_if_they_had_been_there() {
    let (_folder, document) = two_flags(true);
    let pose = Pose {
        eye: Vec3::new(70.0, 60.0, 80.0),
        target: Vec3::new(5.0, 10.0, 7.0),
    };
    let view = View::plain(Camera::new(pose, document.about().handedness));
    let mut stage = Stage::get();
    let mut data = stage.upload_without_deferred(&*document);
    let draw = |stage: &mut Stage, data: &mut SceneData| {
        stage.draw_scene(Some((data, &*document)), &view, SIZE).0
    };
    let before = draw(&mut stage, &mut data);
    assert!(draw(&mut stage, &mut data) == before);
    let revision = document.revision();
    document.wait_until_complete();
    assert_ne!(document.revision(), revision);
    let after = draw(&mut stage, &mut data);
    assert!(percent_differing(&before, &after) > 0);
    // Including the shadow of the holes.
    let mut whole = stage.upload(&*document);
    assert!(after == draw(&mut stage, &mut whole));
    // Each user of a texture counts a share of it, so these must be released.
    drop([data, whole]);
    // A texture used by two models is uploaded once.
    let (_folder, other) = two_flags(false);
    let [together, apart] = [document, other].map(|document| stage.upload(&*document).gpu_bytes());
    let levels = [16, 8, 4, 2, 1].map(|side| side * side * 4);
    assert_eq!(apart - together, levels.iter().sum::<u64>());
}

/// Semitransparent tiles of one colour at a height.
fn semitransparent_tiles(color: [u8; 4], height: f32) -> Part {
    let mut tiles = tile_maps::tiles([16, 16], 1, |_, _| 255);
    for pixel in tiles.rgba.chunks_exact_mut(4) {
        pixel.copy_from_slice(&color);
    }
    let layer = tile_maps::layer([4, 4], |_, _| mapscope_scene::tilemap::Cell(0));
    let map: Arc<dyn Document> = Arc::new(tile_maps::map(vec![tiles], vec![layer]));
    Part::new(&map, [Affine3A::from_translation(Vec3::Y * height)])
}

#[test]
fn what_is_transparent_is_drawn_from_far_to_near_whatever_the_order_of_drawables() {
    let [red, blue] = [[255, 0, 0, 128], [0, 0, 255, 128]];
    let pose = |height: f32| Pose {
        eye: Vec3::new(32.0, height, 33.0),
        target: Vec3::new(32.0, 0.0, 32.0),
    };
    let mut stage = Stage::get();
    let mut pixel = |height: f32, parts: [Part; 2]| {
        let scene = Scene {
            parts: parts.into(),
            environment: None,
        };
        let camera = Camera::new(pose(height), scene.about().handedness);
        let (picture, _) = stage.draw(Some(&scene), &View::plain(camera), SIZE);
        *picture.get_pixel(SIZE[0] / 2, SIZE[1] / 2)
    };
    for (height, is_blue_above) in [(90.0, true), (-90.0, false)] {
        let one = pixel(
            height,
            [
                semitransparent_tiles(red, 0.0),
                semitransparent_tiles(blue, 10.0),
            ],
        );
        let other = pixel(
            height,
            [
                semitransparent_tiles(blue, 10.0),
                semitransparent_tiles(red, 0.0),
            ],
        );
        assert_eq!(one, other);
        assert_eq!(one[2] > one[0], is_blue_above, "from {height}: {one:?}");
    }
}

/// The box of a missing model covers the same share of itself at every distance, and never
/// disappears.
#[test]
fn the_box_of_a_missing_model_is_thinner_and_fainter_from_afar() {
    // Both of its models are missing. The box of the second is six units wide and high.
    let document = open("made.pfscene", tiny_scene::SCENE);
    let center = Vec3::new(9.0, 13.0, 11.0);
    let entity = |index| SceneItem::Entity { index }.into();
    let size = [120, 120];
    // Coverage of the square around a box of the given width in pixels. Half-transparent lines
    // count half.
    let mut stage = Stage::get();
    let mut covered = |pixels: f32| {
        let mut pose = Pose {
            eye: center,
            target: center,
        };
        let camera = Camera::new(pose, document.about().handedness);
        let distance = 6.0 * size[1] as f32 / (2.0 * camera.half_height() * pixels);
        pose.eye += Vec3::new(0.3, 0.5, 1.0).normalize() * distance;
        let camera = Camera::new(pose, document.about().handedness);
        let [with, without] = [vec![entity(0)], vec![entity(0), entity(1)]].map(|hidden| {
            let mut view = View::plain(camera);
            view.shown.hidden = hidden;
            stage.draw(Some(&*document), &view, size).0
        });
        let red = with.pixels().zip(without.pixels()).map(|(with, without)| {
            let [with, without] = [with, without].map(|pixel| f32::from(pixel.0[0]));
            (with - without) / (240.0 - without)
        });
        red.sum::<f32>() / (pixels * pixels)
    };
    let near = covered(60.0);
    let of_lines = 14.0 * 0.8 * 2.0 / 60.0;
    assert!((0.6..1.2).contains(&(near / of_lines)), "{near}");
    for pixels in [24.0, 12.0, 6.0, 3.0] {
        let covered = covered(pixels);
        println!("{pixels} pixels: {covered:.2}");
        assert!((0.15..0.6).contains(&covered), "{pixels} pixels: {covered}");
    }
}

/// Views of a document neither disturb each other nor wait for each other.
#[test]
fn two_views_of_a_document_in_one_submission_are_as_each_alone() {
    let stage = &mut Stage::get();
    stage.set_ground_reflection(true);
    for demo in demo::DEMOS {
        let (options, progress) = Default::default();
        let document = mapscope_scene::open(&demo.source(), &options, &progress).unwrap();
        let about = document.about();
        let views = [NamedView::Iso, NamedView::East].map(|named| {
            let mut view = View::plain(Camera::framing(about.bounds, named, about.handedness, 1.5));
            view.shown.playhead.clip = Some(0);
            view
        });
        let size = [150, 100];
        let together = stage.draw_views(&*document, &views, size);
        for (view, picture) in views.iter().zip(&together) {
            let (alone, _) = stage.draw(Some(&*document), view, size);
            assert!(alone == *picture, "{}: {:?}", demo.name, view.camera.pose);
        }
        assert!(together[0] != together[1], "{}", demo.name);
    }
    stage.set_ground_reflection(false);
}
