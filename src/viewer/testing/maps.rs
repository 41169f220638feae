//! A small 2D map with known contents, for tests.

use std::sync::Arc;

use egui::Vec2;
use egui_kittest::Harness;

use crate::viewer::state::State;
use crate::viewer::testing::{Window, built, sized, window};
use mapscope_formats::ppe;
use mapscope_scene::Document;
use mapscope_scene::tilemap::{Cell, Layer, Parallax, TileMap, Tileset};

/// Width and height of a tile of the map.
pub(crate) const TILE: u32 = 16;
/// Columns and rows of the map.
pub(crate) const SIZE: [u32; 2] = [12, 8];
/// Number of tiles in its tileset; the map uses the first four.
pub(crate) const TILES: usize = 300;

/// Returns tiles of plain colours with a darker edge, each with a different hue.
fn tileset() -> Tileset {
    let mut rgba = Vec::new();
    for tile in 0..TILES as u32 {
        let color = [
            tile * 97 % 200 + 40,
            tile * 57 % 200 + 40,
            tile * 23 % 200 + 40,
        ];
        for y in 0..TILE {
            for x in 0..TILE {
                let edge = x == 0 || y == 0;
                let shade = |channel: u32| (if edge { channel / 2 } else { channel }) as u8;
                rgba.extend([shade(color[0]), shade(color[1]), shade(color[2]), 255]);
            }
        }
    }
    Tileset {
        name: "made.vsp".to_owned(),
        tile_size: [TILE, TILE],
        count: TILES,
        rgba,
        ..Tileset::default()
    }
}

/// Returns a map of three layers: the ground of tiles 0 and 1, some houses of tile 2, and a cloud
/// of tile 3 that moves half as fast as the camera.
pub(crate) fn map() -> Arc<dyn Document> {
    map_of(SIZE)
}

/// Returns the same map with another number of columns and rows.
pub(crate) fn map_of(size: [u32; 2]) -> Arc<dyn Document> {
    Arc::new(made(size).finished())
}

fn made(size: [u32; 2]) -> TileMap {
    let layer = |name: &str, tile: &dyn Fn(u32, u32) -> Option<u32>| {
        let cells = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        Layer {
            name: name.to_owned(),
            size,
            cells: cells
                .map(|(x, y)| tile(x, y).map_or(Cell::EMPTY, Cell))
                .collect(),
            ..Layer::default()
        }
    };
    let ground = layer("Ground", &|x, y| Some((x + y) % 2));
    let houses = layer("Houses", &|x, y| (x % 4 == 1 && y % 3 == 1).then_some(2));
    let mut clouds = layer("Clouds", &|x, y| (x == 6 && y == 4).then_some(3));
    clouds.parallax = Parallax {
        mul: [1, 1],
        div: [2, 2],
    };
    let layers = vec![ground, houses, clouds];
    TileMap {
        tilesets: vec![tileset()],
        steps: TileMap::steps_in_file_order(&layers, &[]),
        layers,
        ..TileMap::new(&ppe::MAP_FORMAT, "2", Box::new(()))
    }
}

/// Returns the same map, wrapping around at its edges.
pub(crate) fn round_map() -> Arc<dyn Document> {
    let mut map = made(SIZE);
    for layer in &mut map.layers {
        layer.wraps = [true; 2];
    }
    Arc::new(map.finished())
}

/// Returns the same map without its tileset.
pub(crate) fn map_without_tileset() -> Arc<dyn Document> {
    let mut map = made(SIZE);
    map.tilesets[0].is_placeholder = true;
    Arc::new(map.finished())
}

fn open(state: &mut State) {
    let made = map();
    state.loaded(crate::viewer::testing::loaded(made, false));
}

/// Returns a window with the map open.
pub(crate) fn with_map() -> Harness<'static, Window> {
    window(open)
}

/// Returns a window of the given size in points with the map open, which can render pictures.
pub(crate) fn picture_of_map(size: Vec2, pixels_per_point: f32) -> Harness<'static, Window> {
    built(sized(size, pixels_per_point), open)
}
