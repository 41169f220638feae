//! 2D maps built layer by layer, without a file. Their tiles are asymmetric, so mirrored and
//! rotated tiles differ.

use glam::{DVec2, Vec3};
use mapscope_formats::ppe;
use mapscope_render::View;
use mapscope_scene::camera::{Camera, Handedness, Pose};
use mapscope_scene::tilemap::{Cell, FlatWindow, Layer, TileMap, Tileset};
use mapscope_scene::{Image, Shown};

/// A map of these layers, drawn in their order.
pub(crate) fn map(tilesets: Vec<Tileset>, layers: Vec<Layer>) -> TileMap {
    TileMap {
        steps: TileMap::steps_in_file_order(&layers, &[]),
        tilesets,
        layers,
        ..TileMap::new(&ppe::MAP_FORMAT, "made up", Box::new(()))
    }
    .finished()
}

/// A layer of cells that are computed from column and row.
pub(crate) fn layer(size: [u32; 2], cell: impl Fn(u32, u32) -> Cell) -> Layer {
    let rows = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
    Layer {
        name: "made up".to_owned(),
        size,
        cells: rows.map(|(x, y)| cell(x, y)).collect(),
        ..Layer::default()
    }
}

/// A pseudorandom hash of a number.
pub(crate) fn scrambled(number: u32) -> u32 {
    let mixed = (number ^ 0x51ed_270b).wrapping_mul(0x9e37_79b9);
    (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b) >> 3
}

/// Colours of tiles, by number.
const COLORS: [[u8; 3]; 6] = [
    [74, 128, 66],
    [176, 138, 82],
    [70, 112, 168],
    [148, 74, 70],
    [124, 96, 150],
    [196, 188, 160],
];

/// `true` if a pixel of an 8 by 8 picture belongs to its letter, which is asymmetric.
fn is_letter([x, y]: [u32; 2]) -> bool {
    const LETTER: [&[u8; 8]; 8] = [
        b"........",
        b".######.",
        b".#......",
        b".####...",
        b".#......",
        b".#......",
        b".#......",
        b"........",
    ];
    LETTER[y as usize][x as usize] == b'#'
}

/// Opaque tiles with a letter and noise in each pixel.
pub(crate) fn tileset(tile_size: [u32; 2], count: usize) -> Tileset {
    tiles(tile_size, count, |_, _| 255)
}

/// Like [`tileset`], with an alpha value for each picture and pixel.
pub(crate) fn tiles(
    tile_size: [u32; 2],
    count: usize,
    alpha: impl Fn(u32, [u32; 2]) -> u8,
) -> Tileset {
    let [width, height] = tile_size;
    let mut rgba = Vec::new();
    for tile in 0..count as u32 {
        let color = COLORS[tile as usize % COLORS.len()];
        for at in (0..height).flat_map(|y| (0..width).map(move |x| [x, y])) {
            let [x, y] = at;
            let is_letter = is_letter([x * 8 / width, y * 8 / height]);
            let speckle = scrambled(x + y * 64 + tile * 4096) % 24;
            let channel = |channel: u8| {
                let channel = u32::from(channel) + speckle - 12;
                if is_letter {
                    (channel + 70).min(255) as u8
                } else {
                    channel as u8
                }
            };
            rgba.extend(color.map(channel));
            rgba.push(alpha(tile, at));
        }
    }
    Tileset {
        name: "made up".to_owned(),
        tile_size,
        count,
        rgba,
        ..Tileset::default()
    }
}

/// A picture for a sprite: a disc with an eye on its right.
pub(crate) fn sprite(size: [u32; 2], color: [u8; 3]) -> Image {
    let [width, height] = size.map(|side| side as f32);
    let mut rgba = Vec::new();
    for y in 0..size[1] {
        for x in 0..size[0] {
            let at = [
                (x as f32 + 0.5) / width - 0.5,
                (y as f32 + 0.5) / height - 0.5,
            ];
            let from_middle = at[0].hypot(at[1]);
            let from_eye = (at[0] - 0.2).hypot(at[1] + 0.15);
            let [r, g, b] = if from_eye < 0.12 { [250; 3] } else { color };
            rgba.extend([r, g, b, if from_middle < 0.5 { 255 } else { 0 }]);
        }
    }
    Image { size, rgba }
}

/// A flat view with this map pixel in its upper left corner.
pub(crate) fn flat_view(top_left_px: [f64; 2], zoom: f64, size: [u32; 2]) -> View {
    let window = FlatWindow {
        top_left_px: DVec2::from_array(top_left_px),
        zoom,
    };
    let any = Camera::new(
        Pose {
            eye: Vec3::Y,
            target: Vec3::ZERO,
        },
        Handedness::Right,
    );
    View {
        shown: Shown {
            flat: true,
            flat_camera_px: window.camera_px(),
            ..Shown::default()
        },
        ..View::plain(window.camera(size, any))
    }
}
