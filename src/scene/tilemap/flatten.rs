//! The picture of a whole map at 1:1, made on the CPU: exact to the pixel, whatever the graphics
//! adapter, and as large as the map.
//!
//! Layers lie upon each other over opaque black, blended as the engines blend: in gamma space
//! with 8 bits, rounded after each layer.

use std::io::Write;
use std::ops::Range;

use super::{Cell, Frame, Grid, Layer, Pass, RectPx, Step, Thing, TileMap, Tileset};
use crate::scene::{Picture, Shown};

/// Bytes of a pixel.
const RGBA: usize = 4;

/// The picture of a whole map at 1:1, row by row.
#[derive(Debug)]
pub struct FlatPicture<'a> {
    map: &'a TileMap,
    shown: &'a Shown,
    /// Of each tileset, what its tiles are at the moment.
    frames: Vec<Frame>,
    /// The things that have a picture, with it: most have none, and rows are many.
    pictured: Vec<(&'a Thing, &'a Picture)>,
    /// Width and height in pixels.
    size: [u64; 2],
}

impl TileMap {
    /// The picture of the whole map.
    pub fn flat_picture<'a>(&'a self, shown: &'a Shown) -> FlatPicture<'a> {
        let ticks = self.ticks(shown.playhead);
        let pictured = self.things.iter().filter_map(|thing| {
            let picture = self.pictures.get(thing.picture?)?;
            Some((thing, picture))
        });
        FlatPicture {
            pictured: pictured.collect(),
            map: self,
            shown,
            frames: self
                .tilesets
                .iter()
                .map(|tileset| tileset.frame(ticks))
                .collect(),
            size: self.canvas_px(),
        }
    }
}

impl FlatPicture<'_> {
    /// Width and height in pixels.
    pub fn size(&self) -> [u64; 2] {
        self.size
    }

    /// Draws a row into as many RGBA bytes as fit, from the left.
    pub fn row(&self, y: u64, row: &mut [u8]) {
        self.part_of_row([0, y], row);
    }

    /// Draws what is to the right of a pixel, itself included, into as many RGBA bytes as fit.
    fn part_of_row(&self, from: [u64; 2], row: &mut [u8]) {
        for pixel in row.chunks_exact_mut(RGBA) {
            pixel.copy_from_slice(&[0, 0, 0, 255]);
        }
        let from = from.map(|px| i64::try_from(px).unwrap_or(i64::MAX));
        for step in &self.map.steps {
            match *step {
                Step::Layer { .. } => self.layer_row(*step, from, row),
                Step::Things { layer } => self.things_row(layer, from, row),
            }
        }
        let grids = self.map.grids.iter().zip(0..);
        for (grid, number) in grids.filter(|(grid, _)| grid.is_shown(self.shown)) {
            self.grid_row(grid, number, from, row);
        }
    }

    /// How opaque a layer is, from 0 to 255; 0 for one that is hidden.
    fn opacity(&self, layer: usize) -> u32 {
        let item = TileMap::layer_item(layer);
        if self.shown.hides(item) {
            return 0;
        }
        self.shown.opacities.get(item).map_or(255, u32::from)
    }

    /// Draws a row of the layer of a step.
    fn layer_row(&self, step: Step, [x0, y]: [i64; 2], row: &mut [u8]) {
        let Step::Layer {
            layer: index,
            skips_zero,
            is_opaque,
            pass,
        } = step
        else {
            return;
        };
        let opacity = self.opacity(index);
        let Some(layer) = self.map.layers.get(index).filter(|_| opacity > 0) else {
            return;
        };
        let (Some(tileset), Some(frame)) = (
            self.map.tilesets.get(layer.tileset),
            self.frames.get(layer.tileset),
        ) else {
            return;
        };
        let [tile_w, tile_h] = tileset.tile_size.map(i64::from);
        if tile_w == 0 || tile_h == 0 {
            return;
        }
        let [left, top] = layer.origin_px([0, 0]);
        let left = left - x0;
        let (tile_row, dy) = ((y - top).div_euclid(tile_h), (y - top).rem_euclid(tile_h));
        for (column, dx, range) in columns(row.len(), left, tile_w) {
            let pixels = &mut row[range];
            let Some((cell, tints)) = layer.cell_at([column, tile_row]) else {
                continue;
            };
            let is_in_pass = match pass {
                Pass::All => true,
                Pass::Normal => !cell.has_priority(),
                Pass::Priority => cell.has_priority(),
            };
            let picture = cell
                .picture()
                .filter(|picture| *picture != 0 || !skips_zero);
            let shown = picture
                .filter(|_| is_in_pass)
                .and_then(|picture| frame.shown.get(picture))
                .and_then(|picture| tileset.picture(*picture as usize));
            let Some(shown) = shown else {
                continue;
            };
            let span = Span {
                cell,
                tileset,
                picture: shown,
                tints,
                is_opaque,
                opacity,
                from: [dx as u32, dy as u32],
            };
            span.draw(pixels);
        }
    }

    /// Draws the colours of the numbers of a grid.
    fn grid_row(&self, grid: &Grid, number: usize, [x0, y]: [i64; 2], row: &mut [u8]) {
        let layer = self.map.layers.get(grid.layer);
        let layer = layer.filter(|_| self.opacity(grid.layer) > 0);
        let Some((layer, tile_size)) =
            layer.and_then(|layer| Some((layer, self.map.tile_size(layer)?)))
        else {
            return;
        };
        let [tile_w, tile_h] = tile_size.map(i64::from);
        let [left, top] = layer.origin_px([0, 0]);
        let cell = |axis: usize, at: i64| {
            let size = i64::from(grid.size[axis]);
            let repeats = layer.wraps[axis] && size > 0;
            let at = if repeats { at.rem_euclid(size) } else { at };
            (0..size).contains(&at).then_some(at as usize)
        };
        let Some(tile_row) = cell(1, (y - top).div_euclid(tile_h)) else {
            return;
        };
        for (column, _, range) in columns(row.len(), left - x0, tile_w) {
            let Some(column) = cell(0, column) else {
                continue;
            };
            let index = tile_row * grid.size[0] as usize + column;
            let color = self.map.grid_color(number, index);
            for pixel in row[range].chunks_exact_mut(RGBA) {
                blend(pixel, color, 255);
            }
        }
    }

    /// Draws the pictures of sprites.
    fn things_row(&self, layer: Option<usize>, from: [i64; 2], row: &mut [u8]) {
        if layer.is_some_and(|layer| self.opacity(layer) == 0) {
            return;
        }
        let of_layer = |(thing, _): &&(&Thing, _)| thing.layer == layer;
        for (thing, picture) in self.pictured.iter().filter(of_layer) {
            picture_row(picture, thing.rect_px, from, row);
        }
    }

    /// Writes it as a PNG, without ever holding all of it in memory.
    ///
    /// # Errors
    /// When it is larger than a PNG can be, or cannot be written.
    pub fn write_png(&self, out: impl Write) -> Result<(), png::EncodingError> {
        let [width, height] = self.size;
        if width.max(height) > MOST_PNG_PX {
            return Err(png::EncodingError::LimitsExceeded);
        }
        let [width_px, height_px] = [width as u32, height as u32];
        let mut encoder = png::Encoder::new(out, width_px, height_px);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        let mut row = vec![0; width_px as usize * RGBA];
        for y in 0..height {
            self.row(y, &mut row);
            stream.write_all(&row)?;
        }
        stream.finish()?;
        writer.finish()
    }

    /// A picture of it with no side longer than so many pixels. Of a large map not every pixel is
    /// looked at.
    pub fn scaled_down(&self, longest_px: u32) -> Picture {
        let [width, height] = self.size;
        let longest = width.max(height).max(1);
        let size = self.size.map(|side| {
            let scaled = u128::from(side) * u128::from(longest_px) / u128::from(longest);
            (scaled as u64).min(side).max(1)
        });
        let mut rgba = Vec::with_capacity((size[0] * size[1]) as usize * RGBA);
        let mut looked_at = [0; MOST_LOOKED_AT * RGBA];
        for line in 0..size[1] {
            let rows = part(height, size[1], line);
            for column in 0..size[0] {
                let columns = part(width, size[0], column);
                let across = (columns.end - columns.start).min(MOST_LOOKED_AT as u64) as usize;
                let row = &mut looked_at[..across * RGBA];
                let step = ((rows.end - rows.start) / MOST_LOOKED_AT as u64).max(1);
                let (mut sums, mut count) = ([0_u32; 3], 0);
                for y in rows.clone().step_by(step as usize).take(MOST_LOOKED_AT) {
                    self.part_of_row([columns.start, y], row);
                    for pixel in row.chunks_exact(RGBA) {
                        for (sum, channel) in sums.iter_mut().zip(pixel) {
                            *sum += u32::from(*channel);
                        }
                        count += 1;
                    }
                }
                let [r, g, b] = sums.map(|sum| (sum / count.max(1)) as u8);
                rgba.extend([r, g, b, 255]);
            }
        }
        Picture {
            size: size.map(|side| side as u32),
            rgba,
        }
    }
}

/// Which of so many pixels are a pixel of a smaller picture of so many.
fn part(all: u64, of: u64, index: u64) -> Range<u64> {
    let at = |index: u64| (u128::from(all) * u128::from(index) / u128::from(of)) as u64;
    at(index)..at(index + 1)
}

/// The most pixels along a side of a picture that is written: a row of it must fit in memory.
const MOST_PNG_PX: u64 = 1 << 24;
/// How many pixels are looked at across, and how many down, for one of a smaller picture.
const MOST_LOOKED_AT: usize = 16;

/// A part of a row that is within one cell.
struct Span<'a> {
    cell: Cell,
    tileset: &'a Tileset,
    /// The bytes of the picture that is shown.
    picture: &'a [u8],
    tints: Option<&'a [[u8; 4]; 4]>,
    /// Whether every pixel of the picture counts as opaque.
    is_opaque: bool,
    opacity: u32,
    /// The first pixel, from the top left of the cell.
    from: [u32; 2],
}

impl Span<'_> {
    fn draw(&self, pixels: &mut [u8]) {
        let size = self.tileset.tile_size;
        let [x, y] = self.from;
        for (pixel, x) in pixels.chunks_exact_mut(RGBA).zip(x..) {
            let [u, v] = self.cell.source_pixel([x, y], size);
            let at = (v * size[0] + u) as usize * RGBA;
            let Some(&[r, g, b, a]) = self.picture.get(at..at + RGBA) else {
                continue;
            };
            let mut color = [r, g, b, if self.is_opaque { 255 } else { a }];
            if let Some(tints) = self.tints {
                color = tinted(color, tints, [x, y], size);
            }
            blend(pixel, color, self.opacity);
        }
    }
}

impl Layer {
    /// The cell of a column and row, which may lie outside of the layer, and its tints.
    pub fn cell_at(&self, at: [i64; 2]) -> Option<(Cell, Option<&[[u8; 4]; 4]>)> {
        let mut inside = [0; 2];
        for axis in 0..2 {
            let size = i64::from(self.size[axis]);
            let number = if self.wraps[axis] && size > 0 {
                at[axis].rem_euclid(size)
            } else {
                at[axis]
            };
            if !(0..size).contains(&number) {
                return self.outside.map(|cell| (cell, None));
            }
            inside[axis] = number as usize;
        }
        let index = inside[1] * self.size[0] as usize + inside[0];
        let cell = *self.cells.get(index)?;
        Some((cell, self.tints.as_ref().and_then(|tints| tints.get(index))))
    }
}

/// A colour with the tint at a pixel of a cell, which lies between those of the corners.
fn tinted(color: [u8; 4], tints: &[[u8; 4]; 4], [x, y]: [u32; 2], [w, h]: [u32; 2]) -> [u8; 4] {
    let across = (x as f32 + 0.5) / w as f32;
    let down = (y as f32 + 0.5) / h as f32;
    std::array::from_fn(|channel| {
        let [upper_left, upper_right, lower_left, lower_right] =
            tints.map(|corner| f32::from(corner[channel]));
        let upper = upper_left + (upper_right - upper_left) * across;
        let lower = lower_left + (lower_right - lower_left) * across;
        let tint = upper + (lower - upper) * down;
        let from = f32::from(color[channel]);
        let to = match channel {
            3 => from * tint / 255.0,
            _ if tint < 128.0 => from * tint / 128.0,
            _ => 255.0 - (255.0 - from) * (255.0 - tint) / 127.0,
        };
        to.round() as u8
    })
}

/// Puts a colour over an opaque one.
fn blend(pixel: &mut [u8], [r, g, b, a]: [u8; 4], opacity: u32) {
    let alpha = (u32::from(a) * opacity * 2 + 255) / 510;
    for (below, above) in pixel.iter_mut().zip([r, g, b]) {
        let sum = u32::from(above) * alpha + u32::from(*below) * (255 - alpha);
        *below = ((sum * 2 + 255) / 510) as u8;
    }
}

/// The columns of tiles that a row of so many bytes shows, the first of which begins at `left`: of
/// each its number, the first of its pixels that is shown, and its bytes.
fn columns(bytes: usize, left: i64, tile_w: i64) -> impl Iterator<Item = (i64, i64, Range<usize>)> {
    let width = (bytes / RGBA) as i64;
    let mut x = 0;
    std::iter::from_fn(move || {
        if x >= width {
            return None;
        }
        let (column, dx) = ((x - left).div_euclid(tile_w), (x - left).rem_euclid(tile_w));
        let count = (tile_w - dx).min(width - x);
        let range = x as usize * RGBA..(x + count) as usize * RGBA;
        x += count;
        Some((column, dx, range))
    })
}

/// Draws a row of a picture that fills a rectangle.
fn picture_row(picture: &Picture, rect: RectPx, [x0, y]: [i64; 2], row: &mut [u8]) {
    let [left, top] = rect.min;
    let [left, right] = [left, rect.max[0]].map(|x| x - x0 as f32);
    let [w, h] = [0, 1].map(|axis| rect.max[axis] - rect.min[axis]);
    let down = (y as f32 + 0.5 - top) / h;
    if !(0.0..1.0).contains(&down) {
        return;
    }
    let v = (down * picture.size[1] as f32) as usize;
    let ends = [
        left.round().max(0.0) as usize,
        right.round().max(0.0) as usize,
    ];
    for (x, pixel) in row
        .chunks_exact_mut(RGBA)
        .enumerate()
        .take(ends[1])
        .skip(ends[0])
    {
        let across = (x as f32 + 0.5 - left) / w;
        if !(0.0..1.0).contains(&across) {
            continue;
        }
        let u = (across * picture.size[0] as f32) as usize;
        let at = (v * picture.size[0] as usize + u) * RGBA;
        if let Some(&[r, g, b, a]) = picture.rgba.get(at..at + RGBA) {
            blend(pixel, [r, g, b, a], 255);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;
    use crate::scene::Document;
    use crate::scene::tilemap::{GridKind, GridValues, Parallax};

    /// Two tiles of 2 by 2 pixels: four grey levels, and red at half opacity.
    fn tileset() -> Tileset {
        let greys = [10, 20, 30, 40].map(|grey| [grey, grey, grey, 255]);
        let reds = [[255, 0, 0, 128]; 4];
        Tileset {
            tile_size: [2, 2],
            count: 2,
            rgba: [greys, reds].concat().concat(),
            ..Tileset::default()
        }
    }

    fn layer(size: [u32; 2], cells: &[u32]) -> Layer {
        Layer {
            size,
            cells: cells.iter().copied().map(Cell).collect(),
            ..Layer::default()
        }
    }

    fn map(layers: Vec<Layer>) -> TileMap {
        TileMap {
            steps: TileMap::steps_in_file_order(&layers, &[]),
            tilesets: vec![tileset()],
            layers,
            ..TileMap::new(&formats::ppe::MAP_FORMAT, "new", Box::new(()))
        }
    }

    /// Red of each pixel, row by row.
    fn reds(map: &TileMap, shown: &Shown) -> Vec<Vec<u8>> {
        let picture = map.flat_picture(shown);
        let [width, height] = picture.size();
        let rows = (0..height).map(|y| {
            let mut row = vec![0; width as usize * RGBA];
            picture.row(y, &mut row);
            row.chunks_exact(RGBA).map(|pixel| pixel[0]).collect()
        });
        rows.collect()
    }

    #[test]
    fn layers_lie_upon_each_other_over_black() {
        let below = layer([1, 1], &[0]);
        let mut above = layer([1, 1], &[1]);
        above.position_px = [1, 0];
        let map = map(vec![below, above]);
        // 255 and 20 at 128 of 255, rounded; beside the first layer there is black below.
        assert_eq!(
            reds(&map, &Shown::default()),
            [[10, 138, 128], [30, 148, 128]]
        );
        let mut shown = Shown::default();
        shown.opacities.set(TileMap::layer_item(1), Some(0));
        assert_eq!(reds(&map, &shown), [[10, 20, 0], [30, 40, 0]]);
        shown.hidden.push(TileMap::layer_item(0));
        assert_eq!(reds(&map, &shown), [[0, 0, 0], [0, 0, 0]]);
    }

    #[test]
    fn cells_are_turned_and_layers_repeat() {
        let mut wrapping = layer([1, 1], &[Cell::MIRROR_X]);
        wrapping.wraps = [true, false];
        let map = map(vec![wrapping, layer([2, 2], &[Cell::NOTHING; 4])]);
        assert_eq!(
            reds(&map, &Shown::default()),
            [
                [20, 10, 20, 10],
                [40, 30, 40, 30],
                [0, 0, 0, 0],
                [0, 0, 0, 0]
            ]
        );
    }

    #[test]
    fn the_first_tile_is_left_out_where_the_order_says_so() {
        let mut map = map(vec![layer([2, 1], &[0, 1])]);
        map.steps = vec![Step::Layer {
            layer: 0,
            skips_zero: true,
            is_opaque: false,
            pass: Pass::All,
        }];
        let [first, _] = &reds(&map, &Shown::default())[..] else {
            panic!("two rows");
        };
        assert_eq!(first, &[0, 0, 128, 128]);
    }

    #[test]
    fn an_opaque_layer_shows_what_is_transparent_elsewhere() {
        let mut map = map(vec![layer([1, 1], &[1])]);
        map.steps = vec![Step::Layer {
            layer: 0,
            skips_zero: false,
            is_opaque: true,
            pass: Pass::All,
        }];
        assert_eq!(reds(&map, &Shown::default()), [[255, 255], [255, 255]]);
    }

    #[test]
    fn priority_comes_last() {
        let below = layer([1, 1], &[Cell::PRIORITY]);
        let above = layer([1, 1], &[1]);
        let mut map = map(vec![below, above]);
        let tiles = |layer, pass| Step::Layer {
            layer,
            skips_zero: false,
            is_opaque: false,
            pass,
        };
        map.steps = vec![
            tiles(0, Pass::Normal),
            tiles(1, Pass::All),
            tiles(0, Pass::Priority),
        ];
        assert_eq!(reds(&map, &Shown::default()), [[10, 20], [30, 40]]);
    }

    #[test]
    fn tints_darken_below_128_and_lighten_above() {
        let grey = [100, 100, 100, 255];
        let corners = |tint: [u8; 4]| [tint; 4];
        let tint = |tint| tinted(grey, &corners(tint), [0, 0], [2, 2]);
        assert_eq!(tint([128, 128, 128, 255]), grey);
        assert_eq!(tint([64, 0, 255, 128]), [50, 0, 255, 128]);
        // A quarter of the way from one corner to the next.
        let across = [[0, 0, 0, 255], [128, 128, 128, 255]];
        let corners = [across[0], across[1], across[0], across[1]];
        assert_eq!(tinted(grey, &corners, [0, 1], [2, 2]), [25, 25, 25, 255]);
    }

    #[test]
    fn parallax_leaves_the_whole_map_as_it_is() {
        let mut slow = layer([1, 1], &[0]);
        slow.parallax = Parallax {
            mul: [1, 1],
            div: [2, 2],
        };
        let map = map(vec![slow]);
        assert_eq!(reds(&map, &Shown::default()), [[10, 20], [30, 40]]);
    }

    #[test]
    fn a_smaller_picture_has_the_mean_colours() {
        let map = map(vec![layer([2, 1], &[0, Cell::NOTHING])]);
        let shown = Shown::default();
        let picture = map.flat_picture(&shown);
        let small = picture.scaled_down(2);
        assert_eq!(
            (small.size, &small.rgba[..]),
            ([2, 1], &[25, 25, 25, 255, 0, 0, 0, 255][..])
        );
        // It is never made larger.
        assert_eq!(picture.scaled_down(100).size, [4, 2]);
    }

    #[test]
    fn numbers_are_colored_where_their_overlay_is_on() {
        let mut map = map(vec![layer([2, 1], &[1, 1])]);
        map.layers[0].position_px = [1, 0];
        map.layers[0].wraps = [true, false];
        map.grids = vec![Grid {
            kind: GridKind::Obstruction,
            layer: 0,
            size: [2, 1],
            values: GridValues::U8(vec![0, 1]),
        }];
        let mut shown = Shown::default();
        let plain = reds(&map, &shown);
        shown.overlays.set(map.overlays(), "obstruction", true);
        let colored = reds(&map, &shown);
        // The second tile is at pixels 3 and 4, and once more at the left edge.
        let differs = plain[0].iter().zip(&colored[0]).map(|(a, b)| a != b);
        let expected = [true, false, false, true, true];
        assert_eq!(differs.collect::<Vec<_>>(), expected);
        shown.hidden.push(TileMap::layer_item(0));
        assert_eq!(reds(&map, &shown)[0], [0; 5]);
    }

    #[test]
    fn a_png_has_every_row() {
        let map = map(vec![layer([2, 1], &[0, 1])]);
        let shown = Shown::default();
        let mut png = Vec::new();
        map.flat_picture(&shown).write_png(&mut png).unwrap();
        let decoded = image::load_from_memory(&png).unwrap().into_rgba8();
        assert_eq!(decoded.dimensions(), (4, 2));
        assert_eq!(decoded.get_pixel(1, 1).0, [40, 40, 40, 255]);
        assert_eq!(decoded.get_pixel(3, 0).0, [128, 0, 0, 255]);
    }
}
