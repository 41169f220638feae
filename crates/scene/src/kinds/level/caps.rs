//! Caps: the cross-sections of solid boxes where a cut passes through them.
//!
//! A level has faces only where a box meets the air, so a cut opens hollow walls. Each plane of the
//! cut is closed where it passes through a solid box. Everything else, including the backs of
//! walls, is drawn as without a cut, so that rooms whose outside has no faces stay open to the
//! view.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::Map;
use super::items::ChunkAt;
use super::materials::Blend;
use super::place::cell_in_world;
use crate::{Aabb, Hit, LevelItem, Ray, Shown};
use mapscope_formats::pmf::{Cube, Geometry};

/// Offset of caps behind the plane of the cut, and tolerance within which faces before the plane
/// are still drawn, in metres. Cuts on whole metres run along the faces of boxes: those faces are
/// not cut, and they are drawn over the cap of their own box.
pub const CUT_SLACK: f32 = 0.001;

/// Maximum number of cap vertices: more than any playable level needs, and at most 64 MiB.
const MAX_VERTICES: usize = 1 << 22;

/// A vertex of a cap triangle, for the GPU.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct CapVertex {
    /// Position in world space, in metres.
    pub position: [f32; 3],
    /// Side of the remaining box that the cap lies on: +X, +Y, +Z, -X, -Y, -Z.
    pub side: u32,
}

/// A plane of a cut.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plane {
    /// Side of the remaining box.
    side: usize,
    /// Position of the caps along its axis.
    at: f32,
}

/// Reusable polygon buffers.
#[derive(Debug, Default)]
struct Scratch {
    /// Corners of a section in its plane, counter-clockwise.
    section: Vec<Vec2>,
    clipped: Vec<Vec2>,
}

impl Plane {
    /// Returns the planes of a cut that intersect these bounds.
    fn of(cut: Aabb, bounds: Aabb) -> impl Iterator<Item = Self> {
        (0..6).filter_map(move |side| {
            let axis = side % 3;
            let (at, cuts) = if side < 3 {
                (cut.max[axis] - CUT_SLACK, cut.max[axis] < bounds.max[axis])
            } else {
                (cut.min[axis] + CUT_SLACK, cut.min[axis] > bounds.min[axis])
            };
            cuts.then_some(Self { side, at })
        })
    }

    fn axis(self) -> usize {
        self.side % 3
    }

    fn goes_through(self, aabb: &Aabb) -> bool {
        aabb.min[self.axis()] < self.at && self.at < aabb.max[self.axis()]
    }

    /// Projects a position onto the plane: along the next axis, and along the one after it.
    fn flat(self, place: Vec3) -> Vec2 {
        Vec2::new(place[(self.axis() + 1) % 3], place[(self.axis() + 2) % 3])
    }

    fn in_world(self, place: Vec2) -> Vec3 {
        let mut world = Vec3::ZERO;
        world[self.axis()] = self.at;
        world[(self.axis() + 1) % 3] = place.x;
        world[(self.axis() + 2) % 3] = place.y;
        world
    }

    /// Computes the section of an axis-aligned box, clipped to the remaining box.
    fn section_of_box(self, aabb: &Aabb, cut: Aabb, section: &mut Vec<Vec2>) {
        section.clear();
        let min = self.flat(aabb.min.max(cut.min));
        let max = self.flat(aabb.max.min(cut.max));
        if min.cmplt(max).all() {
            let [right, up] = [Vec2::new(max.x, min.y), Vec2::new(min.x, max.y)];
            section.extend([min, right, max, up]);
        }
    }

    /// Computes the section of a box with moved corners, clipped to the remaining box.
    fn section_of_hull(self, corners: &[Vec3; 8], cut: Aabb, scratch: &mut Scratch) {
        let Scratch { section, clipped } = scratch;
        section.clear();
        for (number, from) in corners.iter().enumerate() {
            for bit in [1, 2, 4] {
                // Visits each edge once, from its corner with the smaller number.
                let Some(to) = corners.get(number | bit).filter(|_| number & bit == 0) else {
                    continue;
                };
                let [a, b] = [from, to].map(|corner| corner[self.axis()] - self.at);
                if (a < 0.0) != (b < 0.0) {
                    section.push(self.flat(from.lerp(*to, a / (a - b))));
                }
            }
        }
        let middle = section.iter().sum::<Vec2>() / section.len().max(1) as f32;
        section.sort_unstable_by(|a, b| {
            let [a, b] = [a, b].map(|place| (place - middle).to_angle());
            a.total_cmp(&b)
        });
        let [min, max] = [self.flat(cut.min), self.flat(cut.max)];
        for axis in 0..2 {
            clip(section, clipped, |place| place[axis] - min[axis]);
            clip(section, clipped, |place| max[axis] - place[axis]);
        }
    }
}

/// Clips away the part of a polygon where the linear function `inside` is negative.
fn clip(polygon: &mut Vec<Vec2>, clipped: &mut Vec<Vec2>, inside: impl Fn(Vec2) -> f32) {
    clipped.clear();
    let mut before = polygon.last().copied();
    for &place in &*polygon {
        let at = inside(place);
        if let Some(before) = before {
            let from = inside(before);
            if (from < 0.0) != (at < 0.0) {
                clipped.push(before.lerp(place, from / (from - at)));
            }
        }
        if at >= 0.0 {
            clipped.push(place);
        }
        before = Some(place);
    }
    std::mem::swap(polygon, clipped);
}

/// `true` if a position is inside a convex polygon.
fn contains(polygon: &[Vec2], place: Vec2) -> bool {
    let ends = polygon.iter().skip(1).chain(polygon.first());
    let is_left = |(from, to): (&Vec2, &Vec2)| (*to - *from).perp_dot(place - *from) >= 0.0;
    polygon.len() > 2 && polygon.iter().zip(ends).all(is_left)
}

/// The solid materials of a level: those that are neither see-through nor hidden.
struct Solids<'a> {
    map: &'a Map,
    shown: &'a Shown,
    by_name: HashMap<&'a [u8], usize>,
}

impl<'a> Solids<'a> {
    fn of(map: &'a Map, shown: &'a Shown) -> Option<Self> {
        let level = map.pmf.levels.get(shown.level)?;
        Some(Self {
            map,
            shown,
            by_name: level.common.materials_by_name(),
        })
    }

    /// Returns a flag for each material of a chunk: `true` if it is solid.
    fn materials(&self, at: &ChunkAt<'_>) -> Vec<bool> {
        let Some(data) = at.data() else {
            return Vec::new();
        };
        let level = self.shown.level;
        let list = self
            .map
            .levels
            .get(level)
            .map_or(&[][..], |level| &level.materials.list);
        let is_solid = |name| {
            let index = self.by_name.get(data.strings.name(name)?)?;
            let is_hidden = self.shown.hides(LevelItem::material(level, *index).into());
            Some(!is_hidden && list.get(*index)?.blend == Blend::Opaque)
        };
        let names = data.materials.iter();
        // Materials that are missing in the level are drawn as solids.
        names.map(|name| is_solid(*name).unwrap_or(true)).collect()
    }
}

/// `true` if a box is solid by the materials of its drawn sides, or of all sides if none is drawn.
fn is_solid(geometry: &Geometry, materials: &[bool]) -> bool {
    let drawn = match geometry.side_mask() {
        0 => u8::MAX,
        drawn => drawn,
    };
    let mut sides = geometry.materials.iter().enumerate();
    let is_solid = |material: u8| materials.get(usize::from(material)) != Some(&false);
    !geometry.draws_backfaces()
        && sides.all(|(side, material)| drawn >> side & 1 == 0 || is_solid(*material))
}

impl Map {
    /// Returns the caps of the cut through the visible level: three corners for each triangle,
    /// whose front faces the part that was cut away. Empty without a cut.
    pub fn caps(&self, shown: &Shown) -> Vec<CapVertex> {
        let mut caps = Vec::new();
        self.sections(shown, None, |plane, _, _, section| {
            let Some((first, others)) = section.split_first() else {
                return;
            };
            if caps.len() >= MAX_VERTICES {
                return;
            }
            for pair in others.windows(2) {
                // The far side of an axis has the opposite winding.
                let [b, c] = if plane.side < 3 {
                    [pair[0], pair[1]]
                } else {
                    [pair[1], pair[0]]
                };
                caps.extend([*first, b, c].map(|place| CapVertex {
                    position: plane.in_world(place).to_array(),
                    side: plane.side as u32,
                }));
            }
        });
        caps
    }

    /// Returns the box whose cap a ray hits.
    pub(super) fn first_cap(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let cut = shown.cut?;
        let bounds = self.levels.get(shown.level)?.bounds;
        // Only planes through which the ray enters the remaining box.
        let distance_to = |plane: Plane| {
            let axis = plane.axis();
            let comes_in = (plane.side < 3) == (ray.direction[axis] < 0.0);
            let distance = (plane.at - ray.origin[axis]) / ray.direction[axis];
            (comes_in && distance > 0.0).then_some((distance, plane))
        };
        let entered = Plane::of(cut, bounds).filter_map(distance_to);
        let (distance, plane) = entered.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let position = ray.origin + ray.direction * distance;
        let mut found = None;
        self.sections(shown, Some(position), |of, at, cube, section| {
            if of == plane && contains(section, plane.flat(position)) {
                found = found.or_else(|| Some(at.cube_item(cube).into()));
            }
        });
        Some(Hit {
            item: found?,
            position,
            distance,
        })
    }

    /// Calls `visit` with each section of a solid box of the visible level: its plane, its chunk,
    /// its number there, and the corners of a convex polygon in the plane, counter-clockwise. With
    /// a position, only chunks that contain it are visited.
    fn sections(
        &self,
        shown: &Shown,
        place: Option<Vec3>,
        mut visit: impl FnMut(Plane, &ChunkAt<'_>, u32, &[Vec2]),
    ) {
        let level = self.levels.get(shown.level);
        let (Some(cut), Some(level)) = (shown.cut, level) else {
            return;
        };
        if Self::are_faces_hidden(shown) {
            return;
        }
        let planes: Vec<Plane> = Plane::of(cut, level.bounds).collect();
        let Some(solids) = Solids::of(self, shown).filter(|_| !planes.is_empty()) else {
            return;
        };
        let mut scratch = Scratch::default();
        for at in self.chunks_of(shown.level) {
            let bounds = at.bounds();
            let is_cut = planes.iter().any(|plane| plane.goes_through(&bounds));
            let is_asked = place.is_none_or(|place| bounds.distance(place) <= CUT_SLACK);
            let is_hidden = shown.hides(at.item().into());
            let Some(data) = at.data() else {
                continue;
            };
            if !is_cut || !is_asked || is_hidden {
                continue;
            }
            let materials = solids.materials(&at);
            for cell in data.cubes.cells(at.half()) {
                let Some(Cube::Geometry(geometry)) = data.cubes.get(cell.cube) else {
                    continue;
                };
                let center = at.center();
                let corners = (geometry.moved != 0).then(|| {
                    let corners = data.cubes.corners(geometry, &cell);
                    corners.map(|corner| Vec3::from(corner) + center)
                });
                let bounds = corners
                    .and_then(Aabb::around)
                    .unwrap_or_else(|| cell_in_world(&cell, center));
                for plane in &planes {
                    if !plane.goes_through(&bounds) || !is_solid(geometry, &materials) {
                        continue;
                    }
                    match &corners {
                        None => plane.section_of_box(&bounds, cut, &mut scratch.section),
                        Some(corners) => plane.section_of_hull(corners, cut, &mut scratch),
                    }
                    if scratch.section.len() > 2 {
                        visit(*plane, &at, cell.cube, &scratch.section);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use mapscope_formats::pmf::{Cell, CubeKind};

    fn cut(min: Vec3, max: Vec3) -> Shown {
        Shown {
            cut: Some(Aabb { min, max }),
            ..Shown::default()
        }
    }

    /// `true` if a position lies in one of the cap triangles, seen along an axis.
    fn is_covered(caps: &[CapVertex], plane: Plane, place: Vec3) -> bool {
        let (triangles, _) = caps.as_chunks::<3>();
        triangles.iter().any(|corners| {
            let corners = corners.map(|corner| plane.flat(corner.position.into()));
            // Triangles on the far sides have the opposite winding.
            contains(&corners, plane.flat(place))
                || contains(&[corners[0], corners[2], corners[1]], plane.flat(place))
        })
    }

    #[test]
    fn caps_are_where_solid_boxes_are_cut_and_nowhere_else() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let shown = Shown::default();
        let solids = Solids::of(&map, &shown).unwrap();
        let boxes: Vec<(Aabb, bool)> = map
            .chunks_of(0)
            .flat_map(|at| {
                let cubes = &at.data().unwrap().cubes;
                let cells = cubes.cells(at.half());
                let materials = solids.materials(&at);
                cells.filter_map(move |cell: Cell| match cubes.get(cell.cube) {
                    Some(Cube::Geometry(geometry)) => {
                        let is_whole = geometry.moved == 0 && is_solid(geometry, &materials);
                        Some((cell_in_world(&cell, at.center()), is_whole))
                    }
                    _ => None,
                })
            })
            .collect();
        let far = level.bounds;
        // Between faces, and along them.
        for at in [0.3, 1.0, -2.0] {
            for side in 0..6 {
                let axis = side % 3;
                let (mut min, mut max) = (far.min - 1.0, far.max + 1.0);
                let end = if side < 3 { &mut max } else { &mut min };
                end[axis] = at;
                let shown = cut(min, max);
                let caps = map.caps(&shown);
                let plane = Plane::of(shown.cut.unwrap(), far).next().unwrap();
                assert_eq!(plane.side, side);
                assert!((plane.at - at).abs() < 0.002);
                for corner in &caps {
                    assert_eq!(corner.side as usize, side);
                    assert_eq!(corner.position[axis], plane.at);
                }
                let mut found = [0, 0];
                for i in 0..400_u32 {
                    let random = |salt: u32| {
                        let bits = (i * 3 + salt).wrapping_mul(2_654_435_761);
                        (bits >> 8) as f32 / (1 << 24) as f32
                    };
                    let share = Vec3::new(random(0), random(1), random(2));
                    let mut place = far.min + (far.max - far.min) * share;
                    place[axis] = plane.at;
                    let around: Vec<bool> = boxes
                        .iter()
                        .filter(|(of, _)| of.distance(place) == 0.0)
                        .map(|(_, is_whole)| *is_whole)
                        .collect();
                    let covered = is_covered(&caps, plane, place);
                    if around.contains(&true) {
                        assert!(covered, "{place} {side}");
                        found[0] += 1;
                    } else if around.is_empty() {
                        assert!(!covered, "{place} {side}");
                        found[1] += 1;
                    }
                }
                assert!(found[0] > 10 && found[1] > 10, "{found:?} {at} {side}");
            }
        }
        assert_eq!(map.caps(&Shown::default()), []);
        assert_eq!(map.caps(&cut(far.min, far.max)), [], "nothing is cut");
    }

    #[test]
    fn fronts_of_caps_are_toward_what_is_cut_away() {
        let map = sample::made_up();
        let bounds = map.levels()[0].bounds;
        let shown = cut(bounds.min + 2.3, bounds.max - 2.3);
        let caps = map.caps(&shown);
        let mut sides = [0; 6];
        for corners in caps.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|corner| Vec3::from(corner.position));
            let side = corners[0].side as usize;
            let mut out = Vec3::ZERO;
            out[side % 3] = if side < 3 { 1.0 } else { -1.0 };
            let front = (b - a).cross(c - a);
            assert!(front.length() < 1e-6 || front.normalize().dot(out) > 0.99);
            let left = shown.cut.unwrap();
            assert!(
                [a, b, c]
                    .into_iter()
                    .all(|place| left.distance(place) < 1e-4)
            );
            sides[side] += 1;
        }
        assert!(sides.into_iter().all(|count| count > 0), "{sides:?}");
    }

    #[test]
    fn what_is_hidden_or_seen_through_has_no_caps() {
        let bounds = sample::made_up().levels()[0].bounds;
        let mut shown = cut(bounds.min, bounds.max - 2.3);
        let map = sample::made_up();
        let all = map.caps(&shown).len();
        shown.hidden = vec![LevelItem::material(0, 1).into()];
        let without = map.caps(&shown).len();
        assert!(0 < without && without < all, "{without} of {all}");
        shown.hidden = vec![LevelItem::chunk(0, 0).into()];
        let of_other = map.caps(&shown).len();
        assert!(0 < of_other && of_other < all, "{of_other} of {all}");
        shown.hidden = vec![LevelItem::cube_type(0, CubeKind::Geometry).into()];
        assert_eq!(map.caps(&shown), []);
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
        pmf.levels[0].common.materials[1].render_mode = mapscope_formats::pmf::Material::ADD;
        shown.hidden.clear();
        assert_eq!(sample::map(pmf).caps(&shown).len(), without);
    }

    #[test]
    fn sections_of_boxes_with_moved_corners_are_those_of_their_hulls() {
        let unit = Aabb {
            min: Vec3::ZERO,
            max: Vec3::ONE,
        };
        let plane = Plane { side: 1, at: 0.5 };
        let area = |polygon: &[Vec2]| {
            let ends = polygon.iter().skip(1).chain(polygon.first());
            let doubled = polygon.iter().zip(ends).map(|(a, b)| a.perp_dot(*b));
            doubled.sum::<f32>() * 0.5
        };
        let mut scratch = Scratch::default();
        let mut corners = Cell {
            cube: 0,
            depth: 0,
            center: [0.5; 3],
            half: 0.5,
        }
        .corners()
        .map(Vec3::from);
        plane.section_of_hull(&corners, unit, &mut scratch);
        assert_eq!(area(&scratch.section), 1.0);
        let mut rectangle = Vec::new();
        plane.section_of_box(&unit, unit, &mut rectangle);
        assert_eq!(area(&rectangle), 1.0);
        // A ramp: the upper corners on the +X side are moved down.
        for corner in &mut corners {
            if corner.y > 0.5 && corner.x > 0.5 {
                corner.y = 0.0;
            }
        }
        plane.section_of_hull(&corners, unit, &mut scratch);
        assert_eq!(area(&scratch.section), 0.5);
        let half = Aabb {
            max: Vec3::new(0.25, 1.0, 1.0),
            ..unit
        };
        plane.section_of_hull(&corners, half, &mut scratch);
        assert_eq!(area(&scratch.section), 0.25);
    }
}
