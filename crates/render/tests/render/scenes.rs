//! Pictures of several things at once, each where it is placed.

use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use image::imageops;
use image::{Rgba, RgbaImage};
use mapscope_formats::Problem;
use mapscope_render::View;
use mapscope_scene::camera::{Camera, Pose};
use mapscope_scene::{
    About, Direction, Document, Drawable, Hit, InfoQuery, Item, ItemPlace, Legend, Neighbor,
    OutlineNode, OverlayId, Playhead, ProblemTarget, PropertyGroup, Ray, Shown, Statistic,
    SummaryPart,
};

use super::stage::{GRASS, ROCK, Stage, open_map, terrain};
use super::{gallery, rigs, tile_maps};

/// Some documents, each of which may stand in several places. There is nothing to be said of it.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) parts: Vec<(Arc<dyn Document>, Affine3A)>,
}

impl Document for Scene {
    fn about(&self) -> &About {
        self.parts[0].0.about()
    }

    fn for_each_drawable<'a>(&'a self, draw: &mut dyn FnMut(Drawable<'a>)) {
        for (part, place) in &self.parts {
            part.for_each_drawable(&mut |drawable| {
                draw(Drawable {
                    world_from_model: *place * drawable.world_from_model,
                    ..drawable
                });
            });
        }
    }

    fn outline(&self) -> Vec<OutlineNode> {
        Vec::new()
    }

    fn pick(&self, _: Ray, _: &Shown) -> Option<Hit> {
        None
    }

    fn summary(&self, _: Item, _: Option<Vec3>, _: &Shown) -> Vec<SummaryPart> {
        Vec::new()
    }

    fn properties(&self, _: Item, _: Playhead) -> Vec<PropertyGroup> {
        Vec::new()
    }

    fn place(&self, _: Item, _: &Shown) -> ItemPlace {
        ItemPlace::default()
    }

    fn contour(&self, _: Item, _: &Shown) -> Vec<[Vec3; 2]> {
        Vec::new()
    }

    fn neighbor(&self, _: Item, _: Direction) -> Neighbor {
        Neighbor::default()
    }

    fn next_of_kind(&self, _: Item, _: Option<Item>, _: bool) -> Option<Item> {
        None
    }

    fn problem_target(&self, _: &Problem) -> Option<ProblemTarget> {
        None
    }

    fn legends(&self, _: &Shown) -> Vec<Legend> {
        Vec::new()
    }

    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    fn thumbnail(&self, _: usize) -> Option<(u32, u32, &[u8])> {
        None
    }

    fn info(&self, _: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }
}

/// Three chimneys on a hill by a lake: one as it is, one that is turned and larger, and one that is
/// half under water.
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
    let models = places.map(|place| (Arc::clone(&chimney), place));
    let land = (land, Affine3A::IDENTITY);
    Scene {
        parts: [land].into_iter().chain(models).collect(),
    }
}

/// How many of the pixels in the middle of two pictures differ by more than rounding, in a hundred.
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

/// The same, seen from a camera that stands elsewhere in the same way, is the same picture.
#[test]
fn what_is_moved_turned_and_scaled_looks_as_it_does_in_place() {
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
    for (document, pose, is_unlit) in parts {
        let mut view = View::plain(Camera::new(pose, document.about().handedness));
        if is_unlit {
            // Where the light is does not depend on where models stand.
            let overlays = document.about().overlays;
            view.shown.overlays.set(overlays, OverlayId::Unlit, true);
        }
        let mut stage = Stage::get();
        let (in_place, _) = stage.draw(Some(&*document), &view, SIZE);
        let scene = Scene {
            parts: vec![(Arc::clone(&document), place)],
        };
        let (unmoved, _) = stage.draw(Some(&scene), &view, SIZE);
        view.camera.pose.eye = place.transform_point3(pose.eye);
        view.camera.pose.target = place.transform_point3(pose.target);
        view.camera.near *= 2.5;
        let (moved, _) = stage.draw(Some(&scene), &view, SIZE);
        drop(stage);
        let format = document.about().format.name;
        let differing = [&unmoved, &moved].map(|picture| percent_differing(&in_place, picture));
        assert!(
            differing[0] > 20 && differing[1] < 10,
            "{format}: {differing:?}"
        );
    }
}

/// What stands in many places is on the GPU once, where its renderer draws instances.
#[test]
fn a_model_that_stands_in_many_places_is_uploaded_once() {
    let scene = chimneys_on_land();
    let [land, model, ..] = &scene.parts[..] else {
        panic!("a map and models");
    };
    let stage = Stage::get();
    let bytes = |document: &dyn Document| stage.upload(document).gpu_bytes();
    let all = bytes(&scene);
    let [land, model] = [land, model].map(|(part, _)| bytes(&**part));
    assert_eq!(all, land + model);
}
