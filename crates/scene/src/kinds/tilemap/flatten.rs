//! The image of a whole map at 1:1, rendered on the CPU: exact to the pixel, independent of the
//! graphics adapter, and as large as the map.
//!
//! Layers are stacked over opaque black and blended as in the engines: in gamma space with 8 bits,
//! rounded after each layer. Active overlays are drawn on top as in the window at 1:1: colours of
//! areas and grids, lines between tiles, and lines around objects. The pixel grid is omitted
//! because a map pixel is only one image pixel. The overlay that disables parallax has no effect,
//! because the map is at rest. Unread content is outlined only on request
//! ([`Shown::outlines_left_out`]). Labels are not drawn.

use std::ops::Range;

use super::grids::{ZONE_OPACITY, hatch_px, hatched, zone_color};
use super::{Cell, Frame, Grid, Layer, Object, ObjectKind, RectPx, Step, TileMap, Tileset};
use crate::{Annotations as _, FlatImage, Image, Line, OverlayId, Shown};

/// Bytes per pixel.
const RGBA: usize = 4;

/// The image of a whole map at 1:1, row by row.
#[derive(Debug)]
pub(super) struct FlatMap<'a> {
    map: &'a TileMap,
    /// View settings at rest, without a camera offset.
    shown: Shown,
    /// The current animation frame of each tileset.
    frames: Vec<Frame>,
    /// The objects that have an image. Most objects have no image, so this list is made once for
    /// all rows.
    pictured: Vec<(&'a Object, &'a Image)>,
    /// The visible areas of zones and their colours.
    areas: Vec<(RectPx, [u8; 4])>,
    /// The visible grids with their indices, in drawing order.
    grids: Vec<(usize, &'a Grid)>,
    lines: Lines,
    /// Width and height in pixels.
    size: [u64; 2],
}

impl<'a> FlatMap<'a> {
    pub(super) fn new(map: &'a TileMap, shown: &Shown) -> Self {
        let mut shown = Shown {
            flat: true,
            flat_camera_px: [0; 2],
            flat_view_px: None,
            ..shown.clone()
        };
        if !shown.outlines_left_out {
            let offered = map.about.overlays;
            shown.overlays.set(offered, OverlayId::LeftOut, false);
        }
        let ticks = map.ticks(shown.playhead);
        let pictured = map.objects.iter().filter_map(|object| {
            let image = map.images.get(object.image?)?;
            Some((object, image))
        });
        let grids = map
            .grids_from_below()
            .into_iter()
            .filter_map(|number| Some((number, map.grids.get(number)?)));
        let mut lines = Vec::new();
        map.lines(&shown, &mut lines);
        Self {
            pictured: pictured.collect(),
            areas: map.zone_areas(&shown),
            grids: grids.filter(|(_, grid)| grid.is_shown(&shown)).collect(),
            lines: Lines::of(&lines),
            map,
            shown,
            frames: map
                .tilesets
                .iter()
                .map(|tileset| tileset.frame(ticks))
                .collect(),
            size: map.canvas_px(),
        }
    }
}

impl TileMap {
    /// Objects that an overlay fills with a colour, in drawing order: areas in layers, then areas
    /// outside all layers.
    pub fn filled_objects(&self) -> Vec<&Object> {
        let objects = self.objects.iter();
        let mut filled: Vec<&Object> = objects
            .filter(|object| object.fill_color().is_some())
            .collect();
        filled.sort_by_key(|object| (object.layer.is_none(), object.layer));
        filled
    }

    /// The visible areas of zones and their colours, without a camera offset.
    fn zone_areas(&self, shown: &Shown) -> Vec<(RectPx, [u8; 4])> {
        if !shown.overlays.contains(OverlayId::Zones) {
            return Vec::new();
        }
        let is_shown = |object: &&Object| {
            let layer = object.layer;
            layer.is_none_or(|layer| Self::is_layer_shown(layer, shown))
        };
        let areas = self.filled_objects().into_iter().filter(is_shown);
        areas
            .filter_map(|area| Some((area.rect_px, area.fill_color()?)))
            .collect()
    }
}

impl Object {
    /// The colour that an overlay fills the object with: red, green, blue and alpha. Only areas of
    /// zones are filled.
    pub fn fill_color(&self) -> Option<[u8; 4]> {
        let zone = self.zone.filter(|_| self.kind == ObjectKind::ZoneArea)?;
        let [r, g, b] = zone_color(zone);
        Some([r, g, b, ZONE_OPACITY])
    }
}

impl FlatImage for FlatMap<'_> {
    fn size(&self) -> [u64; 2] {
        self.size
    }

    fn part_of_row(&self, from: [u64; 2], row: &mut [u8]) {
        for pixel in row.chunks_exact_mut(RGBA) {
            pixel.copy_from_slice(&[0, 0, 0, if self.shown.is_transparent { 0 } else { 255 }]);
        }
        let from = from.map(|px| i64::try_from(px).unwrap_or(i64::MAX));
        for step in &self.map.steps {
            match *step {
                Step::Layer { .. } => self.layer_row(*step, from, row),
                Step::Objects { layer } => self.objects_row(layer, from, row),
            }
        }
        for (rect, color) in &self.areas {
            area_row(*rect, *color, from, row);
        }
        for (number, grid) in &self.grids {
            self.grid_row(grid, *number, from, row);
        }
        self.tile_lines_row(from, row);
        self.lines.draw_row(from, row);
    }
}

impl FlatMap<'_> {
    /// Opacity of a layer from 0 to 255; 0 if it is hidden.
    fn opacity(&self, layer: usize) -> u32 {
        let item = TileMap::layer_item(layer);
        if self.shown.hides(item) {
            return 0;
        }
        self.shown.opacities.get(item).map_or(255, u32::from)
    }

    /// Draws a row of a layer. Steps for objects are ignored.
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
            let image = cell.image().filter(|_| pass.draws(cell, skips_zero));
            let shown = image.and_then(|image| frame.shown.get(image));
            let Some(shown) = shown.and_then(|image| tileset.image(*image as usize)) else {
                continue;
            };
            let span = Span {
                // The number on a placeholder tile stays upright.
                cell: if tileset.is_placeholder {
                    cell.upright()
                } else {
                    cell
                },
                tileset,
                image: shown,
                tints,
                is_opaque,
                opacity,
                from: [dx as u32, dy as u32],
            };
            span.draw(pixels);
        }
    }

    /// Draws a row of a grid in the colours of its values.
    fn grid_row(&self, grid: &Grid, number: usize, [x0, y]: [i64; 2], row: &mut [u8]) {
        let layer = self
            .map
            .ground_of(grid)
            .filter(|_| TileMap::is_grid_shown(grid, &self.shown));
        let Some((layer, tile_size)) = layer.and_then(|layer| {
            let tile_size = self.map.tile_size(&layer)?;
            Some((layer, tile_size))
        }) else {
            return;
        };
        let spacing = grid.is_hatched().then(|| hatch_px(tile_size));
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
            let first = range.start / RGBA;
            for (x, pixel) in (first as i64..).zip(row[range].chunks_exact_mut(RGBA)) {
                let px = [x - (left - x0), y - top];
                let color = spacing.map_or(color, |spacing| hatched(color, px, spacing));
                blend(pixel, color, 255);
            }
        }
    }

    /// Draws a row of the lines between the tiles of a layer. The lines are light with a dark edge.
    /// CPU counterpart of `fs_lines` in `tiles.wgsl`.
    fn tile_lines_row(&self, [x0, y]: [i64; 2], row: &mut [u8]) {
        let is_on = self.shown.overlays.contains(OverlayId::Grid);
        let layer = is_on.then(|| self.map.lined_layer(&self.shown)).flatten();
        let layer = layer.and_then(|layer| self.map.layers.get(layer));
        let Some((layer, tile_size)) =
            layer.and_then(|layer| Some((layer, self.map.tile_size(layer)?)))
        else {
            return;
        };
        let [from, to] = TILE_LINES_APART;
        let narrowest = tile_size[0].min(tile_size[1]) as f32;
        let strength = ((narrowest - from) / (to - from)).clamp(0.0, 1.0);
        let opacity = |opacity: f32| (opacity * strength * 255.0).round() as u8;
        let [light, dark] = [[255, 255, 255, opacity(0.55)], [0, 0, 0, opacity(0.3)]];
        let origin = layer.origin_px([0, 0]);
        // If the layer repeats or is surrounded by a tile, the lines are not limited to its size.
        let at = |axis: usize, px: i64| {
            let tile = i64::from(tile_size[axis]);
            let px = px - origin[axis];
            let is_everywhere = layer.wraps[axis] || layer.outside.is_some();
            let is_inside = (0..tile * i64::from(layer.size[axis])).contains(&px);
            (is_everywhere || is_inside).then(|| px.rem_euclid(tile))
        };
        let Some(dy) = at(1, y) else {
            return;
        };
        for (x, pixel) in (x0..).zip(row.chunks_exact_mut(RGBA)) {
            match at(0, x) {
                Some(dx) if dx == 0 || dy == 0 => blend(pixel, light, 255),
                Some(dx) if dx == 1 || dy == 1 => blend(pixel, dark, 255),
                _ => {}
            }
        }
    }

    /// Draws a row of the images of objects in a layer, or outside all layers.
    fn objects_row(&self, layer: Option<usize>, from: [i64; 2], row: &mut [u8]) {
        if layer.is_some_and(|layer| self.opacity(layer) == 0) {
            return;
        }
        let of_layer = |(object, _): &&(&Object, _)| object.layer == layer;
        for (object, image) in self.pictured.iter().filter(of_layer) {
            image_row(image, object.rect_px, from, row);
        }
    }
}

/// Tile sizes in pixels at which the lines between tiles appear, and at which they reach full
/// strength.
pub const TILE_LINES_APART: [f32; 2] = [4.0, 10.0];
/// Sample position within a pixel for line coverage, slightly right of and below the middle. A line
/// covers the pixel if its left or upper edge passes through the middle. It does not if its right
/// or lower edge does. The GPU has the same rule.
const SAMPLE: f32 = 0.5 + 1e-3;
/// Maximum height in pixels of lines that are indexed by row.
const MAX_LOW_HEIGHT: f32 = 256.0;

/// Lines over an image, indexed by row.
#[derive(Debug, Default)]
struct Lines {
    /// All lines, in drawing order.
    all: Vec<FlatLine>,
    /// Indices of lines higher than [`MAX_LOW_HEIGHT`].
    high: Vec<usize>,
    /// Indices of the other lines, sorted by first row.
    low: Vec<usize>,
}

/// A line in an image at 1:1: a rectangle around the line, extended by a quarter of its width at
/// each end. CPU counterpart of `vs_line` in `lines.wgsl`.
#[derive(Debug, Clone, Copy)]
struct FlatLine {
    from: [f32; 2],
    /// Unit direction.
    along: [f32; 2],
    length: f32,
    half_width: f32,
    color: [u8; 4],
    /// The range of y that it may touch, in pixels from the top.
    rows: [f32; 2],
}

impl FlatLine {
    fn of(line: &Line) -> Option<Self> {
        let [from, to] = line.ends.map(|end| [end.x, end.z]);
        let by = [to[0] - from[0], to[1] - from[1]];
        let length = by[0].hypot(by[1]);
        if !(length > 1e-4 && length.is_finite()) {
            return None;
        }
        let half_width = line.width_points * 0.5;
        Some(Self {
            from,
            along: by.map(|by| by / length),
            length,
            half_width,
            color: line.color,
            rows: [
                from[1].min(to[1]) - half_width * 1.5,
                from[1].max(to[1]) + half_width * 1.5,
            ],
        })
    }

    /// Draws the pixels of a row whose sample positions the line contains.
    fn draw_row(&self, [x0, y]: [i64; 2], row: &mut [u8]) {
        let [along_x, along_y] = self.along;
        let down = y as f32 + SAMPLE - self.from[1];
        let left = self.from[0] - x0 as f32;
        let reach = self.half_width * 1.5;
        // A line that is not horizontal covers only a few pixels of a row.
        let (mut first, mut last) = (
            left.min(left + along_x * self.length) - reach,
            left.max(left + along_x * self.length) + reach,
        );
        if along_y.abs() > 1e-3 {
            let middle = left + down * along_x / along_y;
            let half = self.half_width / along_y.abs() + 1.0;
            (first, last) = (first.max(middle - half), last.min(middle + half));
        }
        let pixels = row.chunks_exact_mut(RGBA).enumerate();
        let [first, last] = [first, last].map(|x| x.clamp(0.0, 1e9) as usize);
        for (x, pixel) in pixels.take(last + 1).skip(first) {
            let right = x as f32 + SAMPLE - left;
            let at = right * along_x + down * along_y;
            let aside = (right * along_y - down * along_x).abs();
            let end = self.half_width * 0.5;
            if aside <= self.half_width && at >= -end && at <= self.length + end {
                blend(pixel, self.color, 255);
            }
        }
    }
}

impl Lines {
    fn of(lines: &[Line]) -> Self {
        let all: Vec<FlatLine> = lines.iter().filter_map(FlatLine::of).collect();
        let first_row = |index: &usize| all.get(*index).map_or(0.0, |line| line.rows[0]);
        let is_high = |index: &usize| {
            let line = all.get(*index);
            line.is_some_and(|line| line.rows[1] - line.rows[0] > MAX_LOW_HEIGHT)
        };
        let (high, mut low): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(is_high);
        low.sort_by(|a, b| first_row(a).total_cmp(&first_row(b)));
        Self { all, high, low }
    }

    fn draw_row(&self, from: [i64; 2], row: &mut [u8]) {
        if self.all.is_empty() {
            return;
        }
        let y = from[1] as f32 + 0.5;
        let first_row = |index: &usize| self.all.get(*index).map_or(0.0, |line| line.rows[0]);
        let begin = self
            .low
            .partition_point(|index| first_row(index) < y - MAX_LOW_HEIGHT);
        let end = self.low.partition_point(|index| first_row(index) <= y);
        let near = self.low.get(begin..end).unwrap_or_default();
        let lines = near
            .iter()
            .chain(&self.high)
            .filter_map(|index| Some((*index, self.all.get(*index)?)));
        let is_here = |(_, line): &(usize, &FlatLine)| line.rows[0] <= y && y <= line.rows[1];
        // Few lines cross a row. They are sorted by index to restore the drawing order.
        let mut here: Vec<(usize, &FlatLine)> = lines.filter(is_here).collect();
        here.sort_unstable_by_key(|(index, _)| *index);
        for (_, line) in here {
            line.draw_row(from, row);
        }
    }
}

/// Draws a row of a filled rectangle.
fn area_row(rect: RectPx, color: [u8; 4], [x0, y]: [i64; 2], row: &mut [u8]) {
    let middle = y as f32 + 0.5;
    if middle < rect.min[1] || middle >= rect.max[1] {
        return;
    }
    // The rectangle covers the pixels whose middles it contains.
    let column = |x: f32| (x - x0 as f32 - 0.5).ceil().max(0.0) as usize;
    let (first, end) = (column(rect.min[0]), column(rect.max[0]));
    for pixel in row.chunks_exact_mut(RGBA).take(end).skip(first) {
        blend(pixel, color, 255);
    }
}

/// A part of a row within a single cell.
struct Span<'a> {
    cell: Cell,
    tileset: &'a Tileset,
    /// The bytes of the shown image.
    image: &'a [u8],
    tints: Option<&'a [[u8; 4]; 4]>,
    /// `true` if the alpha of the image is ignored.
    is_opaque: bool,
    opacity: u32,
    /// Position of the first pixel in the cell, from the top left.
    from: [u32; 2],
}

impl Span<'_> {
    fn draw(&self, pixels: &mut [u8]) {
        let size = self.tileset.tile_size;
        let [x, y] = self.from;
        for (pixel, x) in pixels.chunks_exact_mut(RGBA).zip(x..) {
            let [u, v] = self.cell.source_pixel([x, y], size);
            let at = (v * size[0] + u) as usize * RGBA;
            let Some(&[r, g, b, a]) = self.image.get(at..at + RGBA) else {
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
    /// Returns the cell at a column and row, and its tints. Outside the layer, returns the cell
    /// that surrounds it, if any.
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

/// Tints a colour at a pixel of a cell by interpolating the tints of the corners.
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

/// Blends a colour over a pixel.
fn blend(pixel: &mut [u8], [r, g, b, a]: [u8; 4], opacity: u32) {
    let alpha = (u32::from(a) * opacity * 2 + 255) / 510;
    let below = pixel.last().map_or(255, |below| u32::from(*below));
    if below < 255 {
        return blend_over_transparent(pixel, [r, g, b], alpha, below);
    }
    for (below, above) in pixel.iter_mut().zip([r, g, b]) {
        let sum = u32::from(above) * alpha + u32::from(*below) * (255 - alpha);
        *below = ((sum * 2 + 255) / 510) as u8;
    }
}

/// Blends a colour over a pixel that is not opaque. Colours are not premultiplied.
fn blend_over_transparent(pixel: &mut [u8], above: [u8; 3], alpha: u32, below: u32) {
    // The parts of the resulting alpha from above and below, times 255.
    let (over, under) = (alpha * 255, below * (255 - alpha));
    let both = over + under;
    if both == 0 {
        return;
    }
    for (channel, above) in pixel.iter_mut().zip(above) {
        let sum = u32::from(above) * over + u32::from(*channel) * under;
        *channel = ((sum * 2 + both) / (both * 2)) as u8;
    }
    if let Some(opacity) = pixel.last_mut() {
        *opacity = ((both * 2 + 255) / 510) as u8;
    }
}

/// The tile columns in a row of `bytes` bytes, if column 0 begins at pixel `left`. Each has its
/// number, the first visible pixel within the tile, and its byte range in the row.
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

/// Draws a row of an image that fills a rectangle.
fn image_row(image: &Image, rect: RectPx, [x0, y]: [i64; 2], row: &mut [u8]) {
    let [left, top] = rect.min;
    let [left, right] = [left, rect.max[0]].map(|x| x - x0 as f32);
    let [w, h] = rect.size();
    let down = (y as f32 + 0.5 - top) / h;
    if !(0.0..1.0).contains(&down) {
        return;
    }
    let v = (down * image.size[1] as f32) as usize;
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
        let u = (across * image.size[0] as f32) as usize;
        let at = (v * image.size[0] as usize + u) * RGBA;
        if let Some(&[r, g, b, a]) = image.rgba.get(at..at + RGBA) {
            blend(pixel, [r, g, b, a], 255);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layers as _;
    use crate::kinds::tilemap::{GridKind, Integers, ListPlace, Parallax, Pass};

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
            ..TileMap::new(&mapscope_formats::ppe::MAP_FORMAT, "new", Box::new(()))
        }
    }

    /// Red of each pixel, row by row.
    fn reds(map: &TileMap, shown: &Shown) -> Vec<Vec<u8>> {
        let image = map.flat(shown);
        let [width, height] = image.size();
        let rows = (0..height).map(|y| {
            let mut row = vec![0; width as usize * RGBA];
            image.row(y, &mut row);
            row.chunks_exact(RGBA).map(|pixel| pixel[0]).collect()
        });
        rows.collect()
    }

    #[test]
    fn layers_are_stacked_over_black() {
        let below = layer([1, 1], &[0]);
        let mut above = layer([1, 1], &[1]);
        above.position_px = [1, 0];
        let map = map(vec![below, above]);
        // 255 and 20 at 128 of 255, rounded; beyond the first layer the background is black.
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
    fn cells_are_mirrored_and_layers_repeat() {
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
    fn placeholder_numbers_are_not_mirrored() {
        let turned = Cell::MIRROR_X | Cell::MIRROR_Y | Cell::SWAP_AXES;
        let mut map = map(vec![layer([1, 1], &[turned])]);
        let turned = reds(&map, &Shown::default());
        map.tilesets[0].is_placeholder = true;
        assert_eq!(reds(&map, &Shown::default()), [[10, 20], [30, 40]]);
        assert_ne!(turned, [[10, 20], [30, 40]]);
    }

    #[test]
    fn tile_zero_is_skipped_if_the_step_skips_it() {
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
    fn an_opaque_layer_ignores_alpha() {
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
    fn priority_tiles_are_drawn_last() {
        let below = layer([1, 1], &[Cell::PRIORITY]);
        let above = layer([1, 1], &[1]);
        let mut map = map(vec![below, above]);
        let tiles = Step::tiles;
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
    fn parallax_does_not_change_the_whole_map() {
        let mut slow = layer([1, 1], &[0]);
        slow.parallax = Parallax {
            mul: [1, 1],
            div: [2, 2],
        };
        let map = map(vec![slow]);
        assert_eq!(reds(&map, &Shown::default()), [[10, 20], [30, 40]]);
    }

    #[test]
    fn a_smaller_image_has_the_mean_colours() {
        let map = map(vec![layer([2, 1], &[0, Cell::NOTHING])]);
        let shown = Shown::default();
        let image = map.flat(&shown);
        let small = image.scaled_down(2);
        assert_eq!(
            (small.size, &small.rgba[..]),
            ([2, 1], &[25, 25, 25, 255, 0, 0, 0, 255][..])
        );
        // The image is never enlarged.
        assert_eq!(image.scaled_down(100).size, [4, 2]);
    }

    #[test]
    fn grid_values_are_colored_while_their_overlay_is_active() {
        let mut map = map(vec![layer([2, 1], &[1, 1])]);
        map.layers[0].position_px = [1, 0];
        map.layers[0].wraps = [true, false];
        map.grids = vec![Grid {
            kind: GridKind::Obstruction { by_sides: true },
            layer: Some(0),
            size: [2, 1],
            values: Integers::U8(vec![0, 1]),
            place: ListPlace::Unknown,
        }];
        let map = map.finished();
        let mut shown = Shown::default();
        let plain = reds(&map, &shown);
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Obstruction, true);
        let colored = reds(&map, &shown);
        // The second tile is at pixels 3 and 4, and again at the left edge.
        let differs = plain[0].iter().zip(&colored[0]).map(|(a, b)| a != b);
        let expected = [true, false, false, true, true];
        assert_eq!(differs.collect::<Vec<_>>(), expected);
        shown.hidden.push(TileMap::layer_item(0));
        assert_eq!(reds(&map, &shown)[0], [0; 5]);
    }

    #[test]
    fn obstruction_is_hatched_over_zones() {
        let mut map = map(vec![layer([4, 4], &[Cell::NOTHING; 16])]);
        map.tilesets[0].tile_size = [4, 4];
        map.tilesets[0].rgba.resize(2 * 64, 0);
        let grid = |kind, values| Grid {
            kind,
            layer: None,
            size: [4, 4],
            values: Integers::U8(values),
            place: ListPlace::Unknown,
        };
        map.grids = vec![
            grid(GridKind::Obstruction { by_sides: false }, vec![1; 16]),
            grid(GridKind::Zones, vec![1; 16]),
        ];
        map.zones = vec![
            crate::tilemap::Zone {
                name: "any".to_owned(),
            };
            2
        ];
        let map = map.finished();
        let mut shown = Shown::default();
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Zones, true);
        let of_zone = reds(&map, &shown)[0][0];
        assert!(of_zone > 0);
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Obstruction, true);
        assert!(shown.overlays.contains(OverlayId::Zones), "both are on");
        let both = reds(&map, &shown);
        assert!(both[0][0] > 150 && both[0][1] > 150);
        // The zone is visible between the stripes, darkened. `dark` exceeds a fifth of its colour
        // at opacity 90 of 255 over black.
        let dark = 16;
        assert!(both[0][2] > dark && both[0][2] < both[0][1]);
        assert_eq!(both[1][1], both[0][2]);
        // Hiding a layer does not hide a grid of the map itself.
        shown.hidden.push(TileMap::layer_item(0));
        assert_eq!(reds(&map, &shown), both);
    }

    #[test]
    fn areas_are_filled_and_lines_drawn_as_in_the_window() {
        let mut map = map(vec![layer([20, 10], &[Cell::NOTHING; 200])]);
        map.objects = vec![
            Object {
                rect_px: RectPx::at([4.0, 4.0], [12.0, 8.0]),
                zone: Some(1),
                ..Object::new(ObjectKind::ZoneArea, "", Some(0))
            },
            Object {
                rect_px: RectPx::at([24.0, 6.0], [8.0, 8.0]),
                ..Object::new(ObjectKind::Entity, "", None)
            },
        ];
        let map = map.finished();
        let mut shown = Shown {
            // The camera offset of a view does not affect the whole map.
            flat_camera_px: [500, 300],
            ..Shown::default()
        };
        assert!(reds(&map, &shown).concat().iter().all(|red| *red == 0));
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Zones, true);
        let zones = reds(&map, &shown);
        let fill = map.objects[0].fill_color().unwrap();
        let filled = (u32::from(fill[0]) * u32::from(fill[3]) + 127) / 255;
        assert_eq!(u32::from(zones[8][10]), filled);
        // The edge of the area is two pixels wide, in the zone's own colour.
        assert_eq!([zones[3][10], zones[4][10]], [fill[0]; 2]);
        assert_eq!(zones[8][20], 0);
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Entities, true);
        let both = reds(&map, &shown);
        assert_eq!(both[6][28], 255);
        assert_eq!(both[5][28], 255);
        assert!(
            (1..60).contains(&both[4][28]),
            "the dark edge: {}",
            both[4][28]
        );
        assert_eq!(both[10][28], 0);
        // A part of a row equals the same part of the whole image.
        let image = map.flat(&shown);
        let mut part = vec![0; 5 * RGBA];
        image.part_of_row([22, 6], &mut part);
        let part: Vec<u8> = part.chunks_exact(RGBA).map(|pixel| pixel[0]).collect();
        assert_eq!(part, both[6][22..27]);
    }

    #[test]
    fn lines_between_tiles_have_a_dark_side() {
        let mut map = map(vec![layer([3, 2], &[Cell::NOTHING; 6])]);
        map.tilesets[0].tile_size = [12, 12];
        map.layers[0].position_px = [1, 0];
        let map = map.finished();
        let mut shown = Shown::default();
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Grid, true);
        let rows = reds(&map, &shown);
        assert_eq!(rows[0][0], 0, "beside the layer");
        assert_eq!(rows[0][1..], [140; 36]);
        let light: Vec<usize> = (0..37).filter(|x| rows[5][*x] > 0).collect();
        assert_eq!(light, [1, 13, 25]);
        assert_eq!(rows[12][20], 140);
    }

    #[test]
    fn a_png_has_every_row() {
        let map = map(vec![layer([2, 1], &[0, 1])]);
        let shown = Shown::default();
        let mut png = Vec::new();
        map.flat(&shown).write_png(&mut png).unwrap();
        let decoded = image::load_from_memory(&png).unwrap().into_rgba8();
        assert_eq!(decoded.dimensions(), (4, 2));
        assert_eq!(decoded.get_pixel(1, 1).0, [40, 40, 40, 255]);
        assert_eq!(decoded.get_pixel(3, 0).0, [128, 0, 0, 255]);
    }
}
