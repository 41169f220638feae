//! Whether declared bounds are wrong at two moments for one reason.
//!
//! An exporter computes all bounds in one way. What it does wrong in the bind pose it does wrong in
//! clips too, and that shows in one of three ways:
//!
//! - The mesh with its axes in another order or direction, scaled or moved, has the declared bounds:
//!   they were taken in other axes, other units or from another origin.
//! - The same bounds are declared although the mesh has others: they were taken at another moment.
//! - In every frame the same sides are too far out or too far in: the boxes were taken around turned
//!   boxes, or around a mesh with more or less in it. The arrows of the engine's own game are so.

use crate::Aabb;
use mapscope_formats::pfobj::Bounds;

/// Orders of the axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];
/// How many times as far off a side may be for the reason for which it is off elsewhere. In
/// the real exports that are so it is at most 1.02 times as far in a clip as in the bind pose.
const MAX_TIMES: f32 = 2.0;

/// Declared bounds, and those of the mesh at the same moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// Min and max along each axis, as the file has them.
    declared: [[f32; 2]; 3],
    mesh: [[f32; 2]; 3],
}

impl Pair {
    pub(super) fn new(declared: &Bounds, mesh: &Aabb) -> Self {
        let (min, max) = (mesh.min.to_array(), mesh.max.to_array());
        Self {
            declared: [0, 1, 2].map(|axis| [declared.min[axis], declared.max[axis]]),
            mesh: [0, 1, 2].map(|axis| [min[axis], max[axis]]),
        }
    }

    /// How many times as large as those of the mesh the declared bounds are along every axis; none where that
    /// is not the same, or nearly 1.
    pub(super) fn factor(&self, tolerance: f32) -> Option<f32> {
        let length = |[min, max]: [f32; 2]| max - min;
        let axes = || self.declared.into_iter().zip(self.mesh);
        let (declared, mesh) = axes().max_by(|(_, a), (_, b)| length(*a).total_cmp(&length(*b)))?;
        let factor = length(declared) / length(mesh);
        // Units are off by more than rounding and margins are.
        let is_scale = factor.is_finite() && factor > 0.0 && !(0.8..=1.25).contains(&factor);
        let fits = |(declared, mesh): ([f32; 2], [f32; 2])| {
            let apart = length(declared) - factor * length(mesh);
            apart.abs() <= 2.0 * tolerance * factor.max(1.0)
        };
        (is_scale && axes().all(fits)).then_some(factor)
    }

    /// How far out each side is declared: below 0 where it is too far in, and 0 where it is right.
    fn sides(&self, tolerance: f32) -> [f32; 6] {
        std::array::from_fn(|side| {
            let (axis, end) = (side / 2, side % 2);
            let apart = self.declared[axis][end] - self.mesh[axis][end];
            let out = if end == 0 { -apart } else { apart };
            if out.abs() <= tolerance { 0.0 } else { out }
        })
    }
}

/// What is wrong with declared bounds.
#[derive(Debug)]
pub(super) struct Fault {
    /// Bounds that have it.
    declared: [[f32; 2]; 3],
    /// All that make these bounds of those of the mesh.
    maps: Vec<Map>,
    /// How far out or in each side is at most; none where that is not the same way in every frame.
    sides: Option<[f32; 6]>,
    tolerance: f32,
}

impl Fault {
    /// That of some bounds; `all` are those of all moments of the same pose or clip.
    pub(super) fn of(pair: &Pair, all: impl IntoIterator<Item = Pair>, tolerance: f32) -> Self {
        let all = all.into_iter().map(|pair| pair.sides(tolerance));
        let sides = all.map(|sides| is_off(&sides).then_some(sides));
        let widest = |[a, b]: [f32; 2]| match (a * b < 0.0, a.abs() < b.abs()) {
            (true, _) => None,
            (_, true) => Some(b),
            (_, false) => Some(a),
        };
        let sides = sides.reduce(|a, b| {
            let (a, b) = (a?, b?);
            let mut both = [0.0; 6];
            for (both, pair) in both.iter_mut().zip(a.into_iter().zip(b)) {
                *both = widest(pair.into())?;
            }
            Some(both)
        });
        Self {
            declared: pair.declared,
            maps: Map::all(pair, tolerance),
            sides: sides.flatten(),
            tolerance,
        }
    }

    /// Whether it is why bounds are off.
    pub(super) fn explains(&self, pair: &Pair) -> bool {
        let same = near(&self.declared, &pair.declared, self.tolerance);
        same || self.maps.iter().any(|map| map.fits(pair, self.tolerance))
    }

    /// Whether it is why all of some bounds are off, none of which are right: each side that is, is so
    /// the same way and not much farther.
    pub(super) fn explains_all(&self, all: impl IntoIterator<Item = Pair>) -> bool {
        let Some(known) = self.sides else {
            return false;
        };
        all.into_iter().all(|pair| {
            let sides = pair.sides(self.tolerance);
            let mut both = sides.iter().zip(&known);
            is_off(&sides)
                && both.all(|(side, known)| {
                    *side == 0.0 || (side * known > 0.0 && side.abs() <= MAX_TIMES * known.abs())
                })
        })
    }
}

fn is_off(sides: &[f32; 6]) -> bool {
    sides.iter().any(|side| *side != 0.0)
}

fn near(a: &[[f32; 2]; 3], b: &[[f32; 2]; 3], tolerance: f32) -> bool {
    let mut both = a.iter().flatten().zip(b.iter().flatten());
    both.all(|(a, b)| (a - b).abs() <= tolerance)
}

/// The axes of a mesh in another order or direction, scaled and moved.
#[derive(Debug)]
struct Map([MappedAxis; 3]);

/// An axis of declared bounds, made of one of the mesh.
#[derive(Debug, Clone, Copy)]
struct MappedAxis {
    /// Which one: 0, 1 or 2.
    of: usize,
    /// Below 0 where it is turned around.
    scale: f32,
    offset: f32,
}

impl Map {
    /// All that make the declared bounds of those of the mesh.
    fn all(pair: &Pair, tolerance: f32) -> Vec<Self> {
        let directions = (0..8_u8).map(|bits| [1, 2, 4].map(|bit| bits & bit != 0));
        let maps = directions.flat_map(|is_turned| ORDERS.map(|order| (order, is_turned)));
        maps.filter_map(|(order, is_turned)| Self::between(pair, order, is_turned, tolerance))
            .collect()
    }

    fn between(
        pair: &Pair,
        order: [usize; 3],
        is_turned: [bool; 3],
        tolerance: f32,
    ) -> Option<Self> {
        let length = |[min, max]: [f32; 2]| max - min;
        // What is flat does not show its scale: that of the longest axis is the likeliest.
        let longest = (0..3).max_by(|a, b| {
            let [a, b] = [a, b].map(|axis| length(pair.mesh[order[*axis]]));
            a.total_cmp(&b)
        })?;
        let scale_of = |axis: usize| length(pair.declared[axis]) / length(pair.mesh[order[axis]]);
        let mut axes = [MappedAxis {
            of: 0,
            scale: 1.0,
            offset: 0.0,
        }; 3];
        for (axis, mapped) in axes.iter_mut().enumerate() {
            let (declared, mesh) = (pair.declared[axis], pair.mesh[order[axis]]);
            let is_flat = length(mesh) <= tolerance;
            if is_flat && length(declared) > tolerance {
                return None;
            }
            let scale = scale_of(if is_flat { longest } else { axis });
            let scale = if is_turned[axis] { -scale } else { scale };
            let [first, _] = ends(mesh, scale);
            *mapped = MappedAxis {
                of: order[axis],
                scale,
                offset: declared[0] - first * scale,
            };
        }
        let is_finite = |axis: &MappedAxis| axis.scale.is_finite() && axis.offset.is_finite();
        axes.iter().all(is_finite).then_some(Self(axes))
    }

    /// Whether it makes declared bounds of those of the mesh.
    fn fits(&self, pair: &Pair, tolerance: f32) -> bool {
        self.0.iter().zip(&pair.declared).all(|(axis, declared)| {
            let made = ends(pair.mesh[axis.of], axis.scale);
            let tolerance = tolerance * axis.scale.abs().max(1.0);
            let mut both = made.iter().zip(declared);
            both.all(|(made, declared)| {
                (made * axis.scale + axis.offset - declared).abs() <= tolerance
            })
        })
    }
}

/// Min and max of an axis as they come after scaling.
fn ends([min, max]: [f32; 2], scale: f32) -> [f32; 2] {
    if scale < 0.0 { [max, min] } else { [min, max] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 0.001;

    fn pair(declared: [[f32; 2]; 3], mesh: [[f32; 2]; 3]) -> Pair {
        Pair { declared, mesh }
    }

    /// What an exporter makes of the bounds of a mesh.
    type Export = fn([[f32; 2]; 3]) -> [[f32; 2]; 3];

    fn moved([min, max]: [f32; 2], by: f32) -> [f32; 2] {
        [min + by, max + by]
    }

    #[test]
    fn other_axes_units_and_origins_are_seen_in_every_frame() {
        let bind = [[-1.0, 2.0], [0.0, 5.0], [-0.5, 0.5]];
        let frame = [[-2.0, 2.5], [0.0, 4.0], [-0.75, 3.0]];
        let faults: [Export; 5] = [
            |[x, y, z]| [moved(x, 3.0), moved(y, -1.0), z],
            |mesh| mesh.map(|axis| axis.map(|end| end * 100.0)),
            |[x, y, z]| [x, z, y],
            |[x, [min, max], z]| [x, z, [-max, -min]],
            |[[min, max], y, z]| [[-max, -min], y, z],
        ];
        for (i, export) in faults.into_iter().enumerate() {
            let wrong = pair(export(bind), bind);
            let fault = Fault::of(&wrong, [wrong], TOLERANCE);
            assert!(fault.explains(&pair(export(frame), frame)), "{i}");
            let mut other = export(frame);
            other[1][1] += 0.25;
            assert!(!fault.explains(&pair(other, frame)), "{i}");
            // What is wrong otherwise has another reason.
            let others = faults.iter().enumerate().filter(|(other, _)| *other != i);
            for (j, other) in others {
                assert!(!fault.explains(&pair(other(frame), frame)), "{i} and {j}");
            }
        }
    }

    #[test]
    fn other_units_are_a_factor() {
        let mesh = [[-1.0, 2.0], [0.0, 5.0], [0.25, 0.25]];
        let times = |factor: f32| pair(mesh.map(|axis| axis.map(|end| end * factor)), mesh);
        for factor in [100.0, 0.01, 39.37] {
            let found = times(factor).factor(TOLERANCE).unwrap();
            assert!((found / factor - 1.0).abs() < 1e-4, "{found}");
        }
        let moved = pair(mesh.map(|axis| moved(axis.map(|end| end * 2.0), 7.0)), mesh);
        assert_eq!(moved.factor(TOLERANCE), Some(2.0));
        for other in [
            times(1.0),
            times(1.1),
            times(-2.0),
            pair([[-2.0, 4.0], [0.0, 10.0], [0.0, 9.0]], mesh),
            pair(mesh, [[0.0; 2]; 3]),
        ] {
            assert_eq!(other.factor(TOLERANCE), None, "{other:?}");
        }
    }

    #[test]
    fn flat_meshes_are_moved_and_scaled_too() {
        let bind = [[0.0, 1.0], [0.0, 2.0], [0.0, 0.0]];
        let frame = [[0.0, 1.0], [0.0, 2.0], [0.0, 1.5]];
        let scaled = |mesh: [[f32; 2]; 3]| mesh.map(|axis| axis.map(|end| end * 10.0));
        let wrong = pair(scaled(bind), bind);
        let fault = Fault::of(&wrong, [wrong], TOLERANCE);
        assert!(fault.explains(&pair(scaled(frame), frame)));
        assert!(!fault.explains(&pair(bind, frame)));
        // No scale makes what is flat thick.
        let thick = pair([[0.0, 1.0], [0.0, 2.0], [0.0, 0.5]], bind);
        assert!(Map::all(&thick, TOLERANCE).is_empty());
    }

    #[test]
    fn bounds_of_another_moment_are_the_same_in_every_frame() {
        let still = [[0.0, 1.0]; 3];
        let wrong = |end: f32| pair(still, [[0.0, end], [0.0, 1.0], [0.0, 1.0]]);
        let fault = Fault::of(&wrong(3.0), [wrong(3.0)], TOLERANCE);
        assert!(fault.explains(&wrong(2.0)) && fault.explains(&wrong(0.5)));
    }

    #[test]
    fn the_same_sides_are_off_in_every_frame() {
        let mesh = [[-1.0, 1.0]; 3];
        let off = |sides: [f32; 6]| {
            let declared =
                [0, 1, 2].map(|axis| [-1.0 - sides[2 * axis], 1.0 + sides[2 * axis + 1]]);
            pair(declared, mesh)
        };
        let wrong = off([0.5, 2.0, 0.0, 0.0, 0.0, -0.25]);
        let fault = Fault::of(&wrong, [wrong], TOLERANCE);
        let all = |frames: &[[f32; 6]]| fault.explains_all(frames.iter().map(|it| off(*it)));
        assert!(all(&[
            [0.4, 1.8, 0.0, 0.0, 0.0, -0.25],
            [0.0, 0.9, 0.0, 0.0, 0.0, 0.0]
        ]));
        for other in [
            [0.0; 6],
            [0.5, 2.0, 0.5, 0.0, 0.0, -0.25],
            [-0.5, 2.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 4.5, 0.0, 0.0, 0.0, 0.0],
        ] {
            assert!(!all(&[[0.5, 2.0, 0.0, 0.0, 0.0, 0.0], other]), "{other:?}");
        }
        // Of a clip, whatever its frames have in common.
        let frames = [
            off([0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
            off([0.25, 1.0, 0.0, 0.0, 0.0, 0.0]),
        ];
        let fault = Fault::of(&frames[0], frames, TOLERANCE);
        assert!(fault.explains_all([off([0.0, 2.0, 0.0, 0.0, 0.0, 0.0])]));
        let right = off([0.0; 6]);
        for other in [right, off([-0.5, 0.0, 0.0, 0.0, 0.0, 0.0])] {
            let fault = Fault::of(&frames[0], [frames[0], other], TOLERANCE);
            assert!(!fault.explains_all([frames[0]]));
        }
    }
}
