//! Ray casting by walking over the tiles under the ray, from the eye outward.

use glam::{Vec2, Vec3};

use super::Terrain;
use super::geometry::{LEVEL_HEIGHT, Shape, TILE_SIDE};
use crate::{Hit, Ray, TerrainItem};

impl Terrain {
    /// The first tile whose top or side a ray hits, and the hit point.
    pub(super) fn first_hit(&self, ray: Ray) -> Option<Hit> {
        // The walk uses units of one tile, and one level of height.
        let corner = self.placement.north_west();
        let east_south_up =
            |v: Vec3| Vec3::new(-v.x / TILE_SIDE, v.z / TILE_SIDE, v.y / LEVEL_HEIGHT);
        let origin = east_south_up(ray.origin - Vec3::new(corner.x, 0.0, corner.y));
        let step = east_south_up(ray.direction);
        if !(origin.is_finite() && step.is_finite()) {
            return None;
        }
        let size = Vec2::new(self.placement.cols as f32, self.placement.rows as f32);
        let levels = self.drawn_levels().map(|level| level as f32);
        let ([mut begin, end], through_border) = clip(origin, step, size, levels)?;
        let flat = |t: f32| (origin + step * t).truncate();
        // A point slightly beyond the entry determines the first tile.
        let mut tile = flat(begin + 1e-4).floor().clamp(Vec2::ZERO, size - 1.0);
        // Sides are only hit from outside: those of the border, and of higher tiles.
        let mut entered = through_border;
        let mut at_border = through_border;
        let max_steps = self.placement.rows + self.placement.cols + 4;
        for _ in 0..max_steps {
            let leave = leave_tile(origin, step, tile).min(end);
            let (row, col) = (tile.y as u32, tile.x as u32);
            let shape = Shape::of(self.map.tile(row, col)?);
            let uv_at = |t: f32| (flat(t) - tile).clamp(Vec2::ZERO, Vec2::ONE);
            let above = |t: f32| (origin.z + step.z * t) - shape.level_at(uv_at(t));
            let hit = |t: f32| {
                Some(Hit {
                    item: TerrainItem::Tile { row, col }.into(),
                    position: ray.origin + ray.direction * t,
                    distance: t,
                })
            };
            // Entering a tile below its edge is a hit on its side. A ray that starts below the
            // ground hits nothing.
            if above(begin) < -1e-3 {
                // Nothing is drawn below the skirt.
                let height = origin.z + step.z * begin;
                let is_below = at_border && height < shape.skirt_bottom() as f32 - 1e-3;
                return if entered && !is_below {
                    hit(begin)
                } else {
                    None
                };
            }
            if let Some(t) = first_crossing(above, begin, leave, &shape, &uv_at) {
                return hit(t);
            }
            if leave >= end {
                return None;
            }
            let next = flat(leave);
            tile += next_tile(next, step, tile);
            if tile.cmplt(Vec2::ZERO).any() || tile.cmpge(size).any() {
                return None;
            }
            begin = leave;
            entered = true;
            at_border = false;
        }
        None
    }
}

/// The part of a ray over the map and between its lowest and highest level, and `true` if it enters
/// through the map's border.
fn clip(origin: Vec3, step: Vec3, size: Vec2, levels: [f32; 2]) -> Option<([f32; 2], bool)> {
    let low = Vec3::new(0.0, 0.0, levels[0] - 0.01);
    let high = Vec3::new(size.x, size.y, levels[1] + 0.01);
    let mut range = [0.0_f32, f32::MAX];
    let mut through_border = false;
    for axis in 0..3 {
        if step[axis].abs() < 1e-12 {
            if origin[axis] < low[axis] || origin[axis] > high[axis] {
                return None;
            }
            continue;
        }
        let a = (low[axis] - origin[axis]) / step[axis];
        let b = (high[axis] - origin[axis]) / step[axis];
        if a.min(b) > range[0] {
            range[0] = a.min(b);
            through_border = axis < 2;
        }
        range[1] = range[1].min(a.max(b));
    }
    (range[0] <= range[1]).then_some((range, through_border))
}

/// The ray parameter at which a ray leaves a tile.
fn leave_tile(origin: Vec3, step: Vec3, tile: Vec2) -> f32 {
    let axis = |at: f32, step: f32, low: f32| {
        if step > 0.0 {
            (low + 1.0 - at) / step
        } else if step < 0.0 {
            (low - at) / step
        } else {
            f32::MAX
        }
    };
    axis(origin.x, step.x, tile.x).min(axis(origin.y, step.y, tile.y))
}

/// The step to the tile beyond the border through which a ray leaves.
fn next_tile(at: Vec2, step: Vec3, tile: Vec2) -> Vec2 {
    let border = |at: f32, step: f32, low: f32| {
        let border = if step > 0.0 { low + 1.0 } else { low };
        if step == 0.0 {
            f32::MAX
        } else {
            (at - border).abs()
        }
    };
    if border(at.x, step.x, tile.x) <= border(at.y, step.y, tile.y) {
        Vec2::new(step.x.signum(), 0.0)
    } else {
        Vec2::new(0.0, step.y.signum())
    }
}

/// The first ray parameter in a range at which the ray crosses a tile's top from above.
///
/// The top is planar on each side of the cut. The height above it is therefore linear on each side,
/// and splitting at the cut is exact.
fn first_crossing(
    above: impl Fn(f32) -> f32,
    begin: f32,
    end: f32,
    shape: &Shape,
    uv_at: &impl Fn(f32) -> Vec2,
) -> Option<f32> {
    let cut_side = |t: f32| {
        let uv = uv_at(t);
        if shape.cut_from_north_west {
            uv.y - uv.x
        } else {
            uv.x + uv.y - 1.0
        }
    };
    let (a, b) = (cut_side(begin), cut_side(end));
    let middle = if a * b < 0.0 {
        begin + (end - begin) * (a / (a - b))
    } else {
        end
    };
    for [from, to] in [[begin, middle], [middle, end]] {
        let (high, low) = (above(from), above(to));
        if high >= 0.0 && low <= 0.0 && to > from {
            return Some(from + (to - from) * (high / (high - low).max(1e-9)));
        }
    }
    None
}
