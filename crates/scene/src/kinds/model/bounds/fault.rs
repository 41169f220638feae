//! Heuristics for whether declared bounds are wrong at two moments for the same reason.
//!
//! An exporter computes all bounds in the same way. A mistake that it makes in the bind pose recurs
//! in clips, in one of three ways:
//!
//! - The declared bounds are those of the mesh with permuted, mirrored, scaled or moved axes: they
//!   were taken in other axes, other units or from another origin.
//! - The same bounds are declared for different bounds of the mesh: they were taken at another
//!   moment.
//! - The same sides are too far out or too far in in every frame: the boxes were taken around
//!   rotated boxes, or around a mesh with more or fewer parts. The arrows of the engine's own game
//!   are an example.

use crate::Aabb;
use mapscope_formats::pfobj::Bounds;

/// Permutations of the axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];
/// Maximum ratio between the errors of a side for them to have the same cause. In real exports with
/// this fault, the error in a clip is at most 1.02 times that in the bind pose.
const MAX_ERROR_RATIO: f32 = 2.0;

/// Declared bounds, and those of the mesh at the same moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// Min and max along each axis, as in the file.
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

    /// Returns the factor between the declared bounds and those of the mesh. Returns `None` if it
    /// differs between axes or is close to 1.
    pub(super) fn factor(&self, tolerance: f32) -> Option<f32> {
        let length = |[min, max]: [f32; 2]| max - min;
        let axes = || self.declared.into_iter().zip(self.mesh);
        let (declared, mesh) = axes().max_by(|(_, a), (_, b)| length(*a).total_cmp(&length(*b)))?;
        let factor = length(declared) / length(mesh);
        // Wrong units cause larger errors than rounding and margins do.
        let is_scale = factor.is_finite() && factor > 0.0 && !(0.8..=1.25).contains(&factor);
        let fits = |(declared, mesh): ([f32; 2], [f32; 2])| {
            let apart = length(declared) - factor * length(mesh);
            apart.abs() <= 2.0 * tolerance * factor.max(1.0)
        };
        (is_scale && axes().all(fits)).then_some(factor)
    }

    /// Outward error of each declared side: negative if it is too far in, 0 if it is right.
    fn sides(&self, tolerance: f32) -> [f32; 6] {
        std::array::from_fn(|side| {
            let (axis, end) = (side / 2, side % 2);
            let apart = self.declared[axis][end] - self.mesh[axis][end];
            let out = if end == 0 { -apart } else { apart };
            if out.abs() <= tolerance { 0.0 } else { out }
        })
    }
}

/// The cause of wrong declared bounds.
#[derive(Debug)]
pub(super) struct Fault {
    /// Declared bounds with this fault.
    declared: [[f32; 2]; 3],
    /// All maps from the bounds of the mesh to these bounds.
    maps: Vec<Map>,
    /// Maximum outward or inward error of each side, or `None` if the direction differs between
    /// frames.
    sides: Option<[f32; 6]>,
    tolerance: f32,
}

impl Fault {
    /// Analyses the fault of some bounds. `all` are the bounds at all moments of the same pose or
    /// clip.
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

    /// `true` if the fault explains why bounds are wrong.
    pub(super) fn explains(&self, pair: &Pair) -> bool {
        let same = near(&self.declared, &pair.declared, self.tolerance);
        same || self.maps.iter().any(|map| map.fits(pair, self.tolerance))
    }

    /// `true` if the fault explains why all of these bounds are wrong. Each wrong side must deviate
    /// in the same direction and not much farther, and none of the bounds may be right.
    pub(super) fn explains_all(&self, all: impl IntoIterator<Item = Pair>) -> bool {
        let Some(known) = self.sides else {
            return false;
        };
        all.into_iter().all(|pair| {
            let sides = pair.sides(self.tolerance);
            let mut both = sides.iter().zip(&known);
            is_off(&sides)
                && both.all(|(side, known)| {
                    *side == 0.0
                        || (side * known > 0.0 && side.abs() <= MAX_ERROR_RATIO * known.abs())
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

/// A map of the axes of a mesh: permuted or mirrored, scaled and moved.
#[derive(Debug)]
struct Map([MappedAxis; 3]);

/// An axis of declared bounds, derived from an axis of the mesh.
#[derive(Debug, Clone, Copy)]
struct MappedAxis {
    /// Axis of the mesh: 0, 1 or 2.
    of: usize,
    /// Scale, negative if the axis is mirrored.
    scale: f32,
    offset: f32,
}

impl Map {
    /// Returns all maps from the bounds of the mesh to the declared ones.
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
        // A flat axis does not reveal its scale. The scale of the longest axis is the most likely
        // one.
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

    /// `true` if it maps the bounds of the mesh to the declared ones.
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

/// Orders the ends of an axis as they are after scaling.
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

    /// The bounds that an exporter writes for those of a mesh.
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
            // Bounds with another fault have another cause.
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
        // No scale makes a flat axis thick.
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
        // The common fault of all frames of a clip.
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
