//! Places of layers in a frame.

use std::ops::Range;

use glam::Vec3;

use super::cells::Rows;
use super::gpu_data;
use super::pipelines::Sampling;
use crate::frame::LocalView;
use mapscope_scene::OverlayId;
use mapscope_scene::camera::Projection;
use mapscope_scene::tilemap::{Cell, FlatWindow, Layer, TILE_LINES_APART, TileMap};

/// Zoom levels at which lines around pixels appear, and at which they have full strength.
const PIXEL_LINES: [f64; 2] = [5.0, 12.0];
/// A map in a frame.
#[derive(Debug)]
pub(super) struct MapView<'a> {
    /// The visible part of the map in a flat view.
    window: Option<FlatWindow>,
    local: &'a LocalView<'a>,
    /// `true` in the game view, where layers repeat and are surrounded by cells.
    is_game: bool,
    /// The pixel of the map that layers follow in the game view, each with its own speed.
    followed_px: Option<[i64; 2]>,
}

/// The position of the viewer, as far as it affects the order of layers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Eye {
    At(f32),
    Above,
    Below,
}

impl Eye {
    pub(super) fn of(local: &LocalView<'_>) -> Self {
        match local.view.camera.projection {
            Projection::Perspective => Self::At(local.eye.y),
            Projection::Orthographic if local.forward.y <= 0.0 => Self::Above,
            Projection::Orthographic => Self::Below,
        }
    }

    /// A measure of nearness for the order of layers.
    pub(super) fn nearness(self, height: f32) -> f32 {
        match self {
            // A layer above the eye and one below it never overlap.
            Self::At(eye) => -(height - eye).abs(),
            Self::Above => height,
            Self::Below => -height,
        }
    }
}

impl<'a> MapView<'a> {
    pub(super) fn of(local: &'a LocalView<'a>) -> Self {
        let shown = &local.view.shown;
        let window = FlatWindow::of(&local.view.camera, local.size);
        let window = window
            .map(|window| window.from(local.part.origin))
            .filter(|_| local.is_in_place);
        let is_game = shown.flat && window.is_some();
        let follows = shown.flat && !shown.overlays.contains(OverlayId::Still);
        Self {
            window,
            local,
            is_game,
            followed_px: follows.then_some(shown.flat_camera_px),
        }
    }

    pub(super) fn sampling(&self) -> Sampling {
        match &self.window {
            None => Sampling::InSpace,
            Some(window) if window.zoom >= 1.0 && window.zoom.fract() == 0.0 => Sampling::Exact,
            Some(_) => Sampling::Smooth,
        }
    }

    /// The axes along which a layer repeats.
    pub(super) fn wraps(&self, layer: &Layer) -> [bool; 2] {
        layer.wraps.map(|wraps| wraps && self.is_game)
    }

    /// `true` if cells surround a layer.
    pub(super) fn is_around(&self, layer: &Layer) -> bool {
        self.is_game && layer.outside.is_some()
    }

    /// Position of the top left corner of a layer, in pixels of the map.
    pub(super) fn origin_px(&self, layer: &Layer) -> [i64; 2] {
        match self.followed_px {
            Some(camera_px) => layer.origin_px(camera_px),
            None => layer.position_px.map(i64::from),
        }
    }

    /// Sets the place of some rows of a layer. Returns the maximum extent of a frame pixel on the
    /// layer, in pixels of the map; `None` if the rows are outside of the frame.
    pub(super) fn place(
        &self,
        values: &mut gpu_data::Draw,
        layer: &Layer,
        rows: &Rows,
        height: f32,
    ) -> Option<f32> {
        let origin = self.origin_px(layer);
        if self.window.is_some() {
            return self.place_flat(values, layer, rows, origin);
        }
        let [left, top] = origin.map(|px| px as f32);
        values.place = [left, height, top, 0.0];
        let tile = values.tile;
        let [right, bottom] = [
            values.size[0] as f32 * tile[0],
            values.size[1] as f32 * tile[1],
        ];
        // One more pixel on each side, for smooth edges.
        let reach = self.reach_px(Vec3::new(left, height, top), [right, bottom]);
        let margin = reach.min(tile[0].max(tile[1]));
        let row_px = |row: u32| row as f32 * tile[1];
        let is_first = rows.drawn.start == 0;
        let is_last = rows.drawn.end as i32 >= values.size[1];
        values.rect = [
            -margin,
            row_px(rows.drawn.start) - if is_first { margin } else { 0.0 },
            right + margin,
            row_px(rows.drawn.end) + if is_last { margin } else { 0.0 },
        ];
        // In space nothing surrounds a layer.
        values.outside = Cell::EMPTY.0;
        Some(reach)
    }

    /// The maximum extent of a frame pixel on a layer, in pixels of the map.
    fn reach_px(&self, corner: Vec3, [width, depth]: [f32; 2]) -> f32 {
        let LocalView {
            view, size, eye, ..
        } = *self.local;
        let pixel = view.camera.half_height() * 2.0 / size[1].max(1) as f32;
        if view.camera.projection == Projection::Orthographic {
            return self.local.distance() * pixel / self.local.forward.y.abs().max(0.02);
        }
        let corners = [[0.0, 0.0], [width, 0.0], [0.0, depth], [width, depth]];
        let reaches = corners.map(|[x, z]| {
            let toward = corner + Vec3::new(x, 0.0, z) - eye;
            let distance = toward.length();
            // It grows at grazing angles.
            let steepness = (toward.y.abs() / distance.max(1e-6)).max(0.02);
            distance * pixel / steepness
        });
        reaches.into_iter().fold(0.0, f32::max)
    }

    fn place_flat(
        &self,
        values: &mut gpu_data::Draw,
        layer: &Layer,
        rows: &Rows,
        origin: [i64; 2],
    ) -> Option<f32> {
        let window = self.window.as_ref()?;
        let wraps = self.wraps(layer);
        let is_everywhere = self.is_around(layer);
        if !self.is_game {
            values.outside = Cell::EMPTY.0;
        }
        let margin = if self.sampling() == Sampling::Smooth {
            1.0
        } else {
            0.0
        };
        let top_left = window.top_left_px.to_array();
        let drawn = [0..values.size[0] as u32, rows.drawn.clone()];
        let mut corners = [[0.0_f32; 2]; 2];
        for axis in 0..2 {
            let tile = f64::from(values.tile[axis]);
            let from_origin = top_left[axis] - origin[axis] as f64;
            let cell = (from_origin / tile).floor();
            values.offset[axis] = (from_origin - cell * tile) as f32;
            let cells = f64::from(values.size[axis]).max(1.0);
            let first = if wraps[axis] {
                cell.rem_euclid(cells)
            } else {
                cell
            };
            values.first_cell[axis] = first.clamp(-1e9, 1e9) as i32;
            let side = f64::from(self.local.part.size[axis]);
            let edge = |cell: u32| (f64::from(cell) * tile - from_origin) * window.zoom;
            let (begin, end) = if wraps[axis] || is_everywhere {
                (0.0, side)
            } else {
                let Range { start, end } = drawn[axis];
                // Only at edges of the layer, not between its bands.
                let before = if start == 0 { margin } else { 0.0 };
                let is_last = end as i32 >= values.size[axis];
                let after = if is_last { margin } else { 0.0 };
                (
                    (edge(start) - before).max(0.0),
                    (edge(end) + after).min(side),
                )
            };
            if begin >= end {
                return None;
            }
            let ndc = |px: f64| (px / side * 2.0 - 1.0) as f32;
            corners[axis] = [ndc(begin), ndc(end)];
        }
        let [[left, right], [top, bottom]] = corners;
        values.rect = [left, -top, right, -bottom];
        values.pixel = (1.0 / window.zoom) as f32;
        Some(values.pixel)
    }

    /// The uniforms of the sprites of a layer whose top left corner was moved.
    pub(super) fn of_objects(&self, moved_px: [i64; 2], height: f32) -> gpu_data::Draw {
        let mut values = gpu_data::Draw {
            opacity: 1.0,
            ..Default::default()
        };
        if let Some(window) = &self.window {
            let top_left = window.top_left_px.to_array();
            values.offset = [0, 1].map(|axis| (top_left[axis] - moved_px[axis] as f64) as f32);
            values.pixel = (1.0 / window.zoom) as f32;
        } else {
            let [x, z] = moved_px.map(|px| px as f32);
            values.place = [x, height, z, 0.0];
        }
        values
    }

    /// The uniforms of the backdrop in the game view.
    pub(super) fn of_backdrop(&self, map: &TileMap) -> Option<gpu_data::Draw> {
        let window = self.window.as_ref().filter(|_| self.is_game)?;
        if self.local.view.shown.is_transparent {
            return None;
        }
        let canvas = map.canvas_px();
        let mut values = gpu_data::Draw::default();
        let canvas = canvas.into_iter().zip(window.top_left_px.to_array());
        for (axis, (side, top_left)) in canvas.enumerate() {
            let begin = -top_left * window.zoom;
            let end = (side as f64 - top_left) * window.zoom;
            let [begin_px, end_px] = [begin, end].map(|px| px.clamp(-1e6, 1e6) as f32);
            (values.rect[axis], values.rect[axis + 2]) = (begin_px, end_px);
        }
        Some(values)
    }

    /// Fades lines of a flat view where they are close together.
    pub(super) fn fade_lines(&self, values: &mut gpu_data::Draw) {
        let Some(window) = &self.window else {
            return;
        };
        let share = |at: f64, [from, to]: [f64; 2]| ((at - from) / (to - from)).clamp(0.0, 1.0);
        let narrowest = f64::from(values.tile[0].min(values.tile[1]));
        let apart = TILE_LINES_APART.map(f64::from);
        values.lines[0] *= share(narrowest * window.zoom, apart) as f32;
        values.lines[1] *= share(window.zoom, PIXEL_LINES) as f32;
    }
}
