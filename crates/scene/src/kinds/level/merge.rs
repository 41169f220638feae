//! Merging of flat neighbouring faces into larger rectangles, for drawing.
//!
//! Map compilers cut walls along the sides of cubes, so from far away a level is thousands of
//! squares of a few pixels each. Where position, texture and lightmap continue across a shared
//! edge, one rectangle with the outer corners of both looks the same. Edges of merged rectangles
//! may end in the middle of another edge (a T-junction), where rounding leaves a gap of a pixel now
//! and then. Near surfaces are therefore drawn face by face.

use std::ops::Range;

use glam::Vec2;

use super::mesh::LevelVertex;

/// Maximum deviation of texture coordinates from a straight line, in texture sizes.
const TEXTURE_SLACK: f32 = 1.0 / 4096.0;
/// The same for lightmaps, in fractions of 65535 of their page. Each coordinate is rounded.
const LIGHTMAP_SLACK: f32 = 2.0;

/// A rectangle along two axes, whose corners are vertices.
#[derive(Debug, Clone, Copy)]
struct Rectangle {
    /// Position along its normal axis.
    level: f32,
    /// Start and end along the two other axes.
    first: [f32; 2],
    last: [f32; 2],
    /// Vertices at (first, first), (last, first), (first, last) and (last, last).
    corners: [u32; 4],
}

/// Merges faces. Its buffers are reused between calls.
#[derive(Debug, Default)]
pub(super) struct FaceMerger {
    rectangles: Vec<Rectangle>,
    joined: Vec<Rectangle>,
    order: Vec<(u64, u32)>,
    /// Total area of all quads in square metres, and their number.
    area: f32,
    quads: u32,
}

impl FaceMerger {
    /// Appends the triangles of faces that lie flat on a side of their cubes to `merged`, joined
    /// where that changes nothing visible. `indices` refer to `vertices`, three for each triangle.
    /// Quads with a vertex for which `is_excluded` is true are not joined.
    pub(super) fn merge(
        &mut self,
        vertices: &[LevelVertex],
        (side, indices): (usize, &[u32]),
        is_excluded: impl Fn(u32) -> bool,
        merged: &mut Vec<u32>,
    ) {
        self.rectangles.clear();
        let mut left = indices;
        while !left.is_empty() {
            let size = surface_len(left);
            let (surface, others) = left.split_at(size);
            left = others;
            let found = rectangle(vertices, side, surface);
            if let Some(found) = &found {
                self.area += found.area();
                self.quads += 1;
            }
            match found.filter(|found| found.corners.iter().all(|corner| !is_excluded(*corner))) {
                Some(found) => self.rectangles.push(found),
                None => merged.extend_from_slice(surface),
            }
        }
        self.join(vertices, 0);
        self.join(vertices, 1);
        for rectangle in &self.rectangles {
            let [a, b, c, d] = rectangle.corners;
            // Seen from +X, +Y or +Z, the next two axes turn counter-clockwise.
            let (b, c) = if side < 3 { (b, c) } else { (c, b) };
            merged.extend_from_slice(&[a, b, d, a, d, c]);
        }
    }

    /// Mean edge length of all quads, in metres.
    pub(super) fn edge_len(&self) -> f32 {
        (self.area / self.quads.max(1) as f32).sqrt()
    }

    /// Joins rectangles that are side by side along one of their axes.
    fn join(&mut self, vertices: &[LevelVertex], along: usize) {
        if self.rectangles.len() < 2 {
            return;
        }
        self.order.clear();
        let keys = self.rectangles.iter().map(|rectangle| {
            let across = 1 - along;
            let row = [
                rectangle.level,
                rectangle.first[across],
                rectangle.last[across],
            ];
            u64::from(row_hash(row)) << 32 | u64::from(sort_key(rectangle.first[along]))
        });
        self.order.extend(keys.zip(0..));
        self.order.sort_unstable();
        self.joined.clear();
        for (_, index) in &self.order {
            let Some(next) = self.rectangles.get(*index as usize) else {
                continue;
            };
            match self.joined.last_mut() {
                Some(last) if last.continues_in(next, along, vertices) => last.extend(next, along),
                _ => self.joined.push(*next),
            }
        }
        std::mem::swap(&mut self.rectangles, &mut self.joined);
    }
}

impl Rectangle {
    fn area(&self) -> f32 {
        let [first, last] = [self.first, self.last].map(Vec2::from);
        (last - first).element_product()
    }

    /// Numbers of the corners at the near end along an axis, and of those at the far end.
    fn ends(along: usize) -> [[usize; 2]; 2] {
        match along {
            0 => [[0, 2], [1, 3]],
            _ => [[0, 1], [2, 3]],
        }
    }

    /// `true` if `next`, which follows along an axis, continues the same rectangle.
    fn continues_in(&self, next: &Self, along: usize, vertices: &[LevelVertex]) -> bool {
        let across = 1 - along;
        let is_beside = self.level == next.level
            && self.last[along] == next.first[along]
            && self.first[across] == next.first[across]
            && self.last[across] == next.last[across];
        if !is_beside {
            return false;
        }
        // Fraction of the length at which the shared edge lies.
        let length = next.last[along] - self.first[along];
        let share = (self.last[along] - self.first[along]) / length;
        let [near, far] = Self::ends(along);
        near.into_iter().zip(far).all(|(near, far)| {
            let corners = [
                self.corners[near],
                self.corners[far],
                next.corners[near],
                next.corners[far],
            ]
            .map(|corner| vertices.get(corner as usize));
            let [Some(begin), Some(left), Some(right), Some(end)] = corners else {
                return false;
            };
            let is_linear = |look: fn(&LevelVertex) -> [f32; 2], slack: f32| {
                let [begin, left, right, end] = [begin, left, right, end].map(look);
                (0..2).all(|axis| {
                    let between = begin[axis] + (end[axis] - begin[axis]) * share;
                    (left[axis] - right[axis]).abs() <= slack
                        && (between - left[axis]).abs() <= slack
                })
            };
            is_linear(|vertex| vertex.uv, TEXTURE_SLACK)
                && is_linear(|vertex| vertex.lightmap_uv.map(f32::from), LIGHTMAP_SLACK)
        })
    }

    /// Extends the rectangle by one that follows along an axis.
    fn extend(&mut self, next: &Self, along: usize) {
        self.last[along] = next.last[along];
        let [_, far] = Self::ends(along);
        for corner in far {
            self.corners[corner] = next.corners[corner];
        }
    }
}

/// Number of these indices that belong to the first surface: two triangles of four corners, or one
/// triangle.
pub fn surface_len(indices: &[u32]) -> usize {
    match indices {
        [a, _, c, d, e, _, ..] if a == d && c == e => 6,
        _ => indices.len().min(3),
    }
}

/// Splits indices into surfaces and returns the range of each.
pub fn surfaces(indices: Range<u32>, all: &[u32]) -> impl Iterator<Item = Range<u32>> {
    let Range { mut start, end } = indices;
    std::iter::from_fn(move || {
        let left = all.get(start as usize..end as usize)?;
        let size = surface_len(left) as u32;
        start += size;
        (size > 0).then(|| start - size..start)
    })
}

/// Converts a quad on a side to a rectangle, if it is one and its texture and lightmap are linear
/// over it.
fn rectangle(vertices: &[LevelVertex], side: usize, quad: &[u32]) -> Option<Rectangle> {
    let &[a, b, c, _, _, d] = quad else {
        return None;
    };
    let axes = [(side + 1) % 3, (side + 2) % 3];
    let around = [a, b, c, d];
    let mut places = [[0.0_f32; 2]; 4];
    let mut level = 0.0;
    for (place, corner) in places.iter_mut().zip(around) {
        let position = vertices.get(corner as usize)?.position;
        *place = axes.map(|axis| position[axis]);
        level = position[side % 3];
    }
    let first = places.iter().fold(places[0], |first, place| {
        [first[0].min(place[0]), first[1].min(place[1])]
    });
    let last = places.iter().fold(places[0], |last, place| {
        [last[0].max(place[0]), last[1].max(place[1])]
    });
    if !(first[0] < last[0] && first[1] < last[1]) {
        return None;
    }
    let mut corners = [None; 4];
    for (place, corner) in places.into_iter().zip(around) {
        let mut number = 0;
        for axis in 0..2 {
            if place[axis] == last[axis] {
                number |= 1 << axis;
            } else if place[axis] != first[axis] {
                return None;
            }
        }
        *corners.get_mut(number)? = Some(corner);
    }
    let [Some(a), Some(b), Some(c), Some(d)] = corners else {
        return None;
    };
    let rectangle = Rectangle {
        level,
        first,
        last,
        corners: [a, b, c, d],
    };
    rectangle.is_linear(vertices).then_some(rectangle)
}

impl Rectangle {
    /// `true` if texture and lightmap are linear over it. They are not if opposite edges differ.
    fn is_linear(&self, vertices: &[LevelVertex]) -> bool {
        let corners = self.corners.map(|corner| vertices.get(corner as usize));
        let [Some(a), Some(b), Some(c), Some(d)] = corners else {
            return false;
        };
        let is_linear = |look: fn(&LevelVertex) -> [f32; 2], slack: f32| {
            let [a, b, c, d] = [a, b, c, d].map(look);
            (0..2).all(|axis| (a[axis] + d[axis] - b[axis] - c[axis]).abs() <= slack)
        };
        is_linear(|vertex| vertex.uv, TEXTURE_SLACK)
            && is_linear(|vertex| vertex.lightmap_uv.map(f32::from), LIGHTMAP_SLACK)
    }
}

/// Hashes a row. Rectangles in one row have the same hash. A collision between rows can only
/// prevent joins.
fn row_hash(row: [f32; 3]) -> u32 {
    let bits = row.map(|number| u64::from(sort_key(number)));
    let mixed = bits.into_iter().fold(0_u64, |mixed, bits| {
        (mixed.rotate_left(29) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed >> 32) as u32
}

/// Maps a finite number to an integer with the same order.
fn sort_key(number: f32) -> u32 {
    // Both zeros are the same position.
    let bits = (number + 0.0).to_bits();
    if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::kinds::level::mesh::ChunkMesh;
    use crate::kinds::level::sample;

    /// A quad on +Y with these ends along Z and X. Texture and lightmap coordinates are functions
    /// of both.
    fn quad(
        [z0, x0]: [f32; 2],
        [z1, x1]: [f32; 2],
        uv: impl Fn(f32, f32) -> [f32; 2],
        light: impl Fn(f32, f32) -> [u16; 2],
    ) -> [LevelVertex; 4] {
        [[z0, x0], [z1, x0], [z1, x1], [z0, x1]].map(|[z, x]| LevelVertex {
            position: [x, 3.0, z],
            normal: [0; 2],
            uv: uv(z, x),
            lightmap_uv: light(z, x),
        })
    }

    /// Number of triangles that remain of quads on +Y.
    fn triangles(quads: &[[LevelVertex; 4]], is_excluded: impl Fn(u32) -> bool) -> usize {
        let indices: Vec<u32> = (0..quads.len() as u32)
            .flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|corner| quad * 4 + corner))
            .collect();
        let mut merged = Vec::new();
        let vertices = quads.as_flattened();
        FaceMerger::default().merge(vertices, (1, &indices), is_excluded, &mut merged);
        assert!((area(vertices, &merged) - area(vertices, &indices)).abs() < 1e-3);
        for triangle in merged.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| place(vertices, triangle[i]));
            assert!((b - a).cross(c - a).y > 0.0);
        }
        merged.len() / 3
    }

    fn place(vertices: &[LevelVertex], index: u32) -> Vec3 {
        vertices[index as usize].position.into()
    }

    fn area(vertices: &[LevelVertex], indices: &[u32]) -> f32 {
        let triangles = indices.chunks_exact(3);
        let areas = triangles.map(|triangle| {
            let [a, b, c] = [0, 1, 2].map(|i| place(vertices, triangle[i]));
            (b - a).cross(c - a).length() * 0.5
        });
        areas.sum()
    }

    fn uv(z: f32, x: f32) -> [f32; 2] {
        [0.5 * z + 0.1 * x, 0.25 * x - 7.0]
    }

    fn light(z: f32, x: f32) -> [u16; 2] {
        [100.3 + 33.3 * z, 200.1 + 77.7 * x].map(|at| at.round() as u16)
    }

    /// Adjacent quads of one metre.
    fn grid(rows: u8, columns: u8) -> Vec<[LevelVertex; 4]> {
        let cells = (0..rows).flat_map(|z| (0..columns).map(move |x| [z, x].map(f32::from)));
        cells
            .map(|[z, x]| quad([z, x], [z + 1.0, x + 1.0], uv, light))
            .collect()
    }

    #[test]
    fn what_runs_on_is_joined() {
        assert_eq!(triangles(&grid(1, 1), |_| false), 2);
        assert_eq!(triangles(&grid(1, 9), |_| false), 2);
        assert_eq!(triangles(&grid(9, 1), |_| false), 2);
        assert_eq!(triangles(&grid(7, 5), |_| false), 2);
        let mut holed = grid(3, 3);
        holed.remove(4);
        assert_eq!(triangles(&holed, |_| false), 8);
        // Of different sizes.
        let mixed = [
            quad([0.0, 0.0], [2.0, 1.0], uv, light),
            quad([2.0, 0.0], [3.0, 0.5], uv, light),
            quad([2.0, 0.5], [3.0, 1.0], uv, light),
        ];
        assert!(triangles(&mixed, |_| false) <= 4);
        assert_eq!(triangles(&[], |_| false), 0);
    }

    #[test]
    fn what_does_not_run_on_is_not_joined() {
        let first = quad([0.0, 0.0], [1.0, 1.0], uv, light);
        let next = |uv: fn(f32, f32) -> [f32; 2], light: fn(f32, f32) -> [u16; 2]| {
            quad([1.0, 0.0], [2.0, 1.0], uv, light)
        };
        assert_eq!(triangles(&[first, next(uv, light)], |_| false), 2);
        let other_uvs: [fn(f32, f32) -> [f32; 2]; 4] = [
            // Another offset, then other directions and scales from the same edge.
            |z, x| uv(z + 1.0, x),
            |z, x| uv(2.0 - z, x),
            |z, x| uv(1.0 + (z - 1.0) * 1.01, x),
            |z, x| uv(z, x + (z - 1.0) * x),
        ];
        for other in other_uvs {
            assert_eq!(triangles(&[first, next(other, light)], |_| false), 4);
        }
        let other_lights: [fn(f32, f32) -> [u16; 2]; 3] = [
            |z, x| light(z + 0.1, x),
            |z, x| light(2.0 - z, x),
            |z, x| light(z, x * z),
        ];
        for other in other_lights {
            assert_eq!(triangles(&[first, next(uv, other)], |_| false), 4);
        }
        // Quads at other positions.
        let mut above = next(uv, light);
        for vertex in &mut above {
            vertex.position[1] = 3.5;
        }
        let apart = quad([1.001, 0.0], [2.0, 1.0], uv, light);
        let aside = quad([1.0, 0.5], [2.0, 1.5], uv, light);
        let mut slanted = next(uv, light);
        slanted[1].position[2] += 0.5;
        for other in [above, apart, aside, slanted] {
            assert_eq!(triangles(&[first, other], |_| false), 4);
        }
        // A quad that must not be joined.
        let row = grid(1, 5);
        assert_eq!(triangles(&row, |vertex| (8..12).contains(&vertex)), 6);
    }

    /// Texture and lightmap coordinates at a point, if it is in a triangle.
    fn at(vertices: &[LevelVertex], triangle: &[u32], point: Vec3) -> Option<[f32; 4]> {
        let corners = [0, 1, 2].map(|i| &vertices[triangle[i] as usize]);
        let [a, b, c] = corners.map(|corner| Vec3::from(corner.position));
        let whole = (b - a).cross(c - a);
        let share = |b: Vec3, c: Vec3| (b - point).cross(c - point).dot(whole);
        let shares = [share(b, c), share(c, a), share(a, b)].map(|s| s / whole.length_squared());
        let is_inside = shares.iter().all(|share| *share >= -1e-5);
        let is_near = (point - a).dot(whole.normalize()).abs() < 1e-4;
        (is_inside && is_near).then(|| {
            std::array::from_fn(|i| {
                let values = corners.map(|corner| match i {
                    0 | 1 => corner.uv[i],
                    _ => f32::from(corner.lightmap_uv[i - 2]),
                });
                values.iter().zip(shares).map(|(v, s)| v * s).sum()
            })
        })
    }

    /// Checks the centres of all flat triangles of a mesh. Returns their numbers after and before
    /// merging.
    fn compare(mesh: &ChunkMesh) -> [usize; 2] {
        let mut counts = [0, 0];
        let merged = mesh.drawn_indices(true);
        for part in 0..mesh.parts.len() {
            let bounds = [true, false].map(|is_merged| mesh.drawn_bounds(part, is_merged).unwrap());
            let groups = bounds.map(|bounds| bounds.array_windows().copied().collect::<Vec<_>>());
            for (side, (few, all)) in groups[0].iter().zip(&groups[1]).enumerate() {
                let of = |all: &[u32], [start, end]: [u32; 2]| {
                    all[start as usize..end as usize].to_vec()
                };
                let (few, all) = (of(merged, *few), of(&mesh.indices, *all));
                counts[0] += few.len() / 3;
                counts[1] += all.len() / 3;
                if side == 6 {
                    assert_eq!(few, all);
                    continue;
                }
                let areas = [&few, &all].map(|indices| area(&mesh.vertices, indices));
                assert!((areas[0] - areas[1]).abs() < 1e-3 * areas[1].max(1.0));
                for triangle in all.chunks_exact(3) {
                    let [a, b, c] = [0, 1, 2].map(|i| place(&mesh.vertices, triangle[i]));
                    let point = a * 0.5 + b * 0.3 + c * 0.2;
                    let expected = at(&mesh.vertices, triangle, point).unwrap();
                    let mut found = few
                        .chunks_exact(3)
                        .filter_map(|triangle| at(&mesh.vertices, triangle, point));
                    let found = found.next().unwrap();
                    for (i, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                        let slack = [TEXTURE_SLACK, LIGHTMAP_SLACK][i / 2];
                        assert!((found - expected).abs() <= slack, "{found} {expected}");
                    }
                }
            }
        }
        counts
    }

    #[test]
    fn joined_faces_look_the_same() {
        let map = sample::made_up();
        for mesh in &map.levels()[0].chunks {
            let [few, all] = compare(mesh);
            assert!(few * 3 < all * 2, "{few} of {all}");
            assert!(
                mesh.edge_len > 1.5 && mesh.edge_len < 2.5,
                "{}",
                mesh.edge_len
            );
        }
    }

    #[test]
    fn faces_that_fast_lights_reach_stay_as_they_are() {
        let map = sample::made_up();
        let mesh = &map.levels()[0].chunks[0];
        let data = map.pmf().levels[0].chunks[mesh.chunk].data.as_ref();
        let client = data.unwrap().client.as_ref().unwrap();
        let light = mesh.fast_light(client, &[255]);
        let is_lit = |surface: &[u32]| {
            let mut lit = surface.iter().map(|at| light[*at as usize][..3] != [0; 3]);
            lit.any(|lit| lit)
        };
        let lit = |is_merged| {
            let all = mesh.drawn_indices(is_merged);
            let listed = surfaces(0..all.len() as u32, all)
                .map(|at| all[at.start as usize..at.end as usize].to_vec());
            let mut lit: Vec<_> = listed.filter(|surface| is_lit(surface)).collect();
            lit.sort_unstable();
            lit
        };
        assert!(lit(false).len() > 10);
        assert_eq!(lit(true), lit(false));
    }
}
