//! Wrappers of the cubes in the octrees: visibility, light, paths and colliders.

use glam::{IVec3, Vec3};

use super::grid::{Grid, MARK, What, place_of};
use super::plan::{self, Point, Room};

/// Names and values of attributes.
type Attributes = &'static [(&'static str, &'static str)];

/// A wrapper around a cube.
#[derive(Debug, Clone)]
pub(crate) enum Wrap {
    /// The parts that are visible from it: centres of eighths of chunks.
    Sight(&'static [Point]),
    /// Its own light.
    Light,
    /// Attributes of the paths through it.
    Path(Attributes),
    /// Collision boxes.
    Collider(Vec<[Vec3; 8]>),
}

/// Depth of cells with their own light: four metres.
const LIGHT_DEPTH: u32 = 2;
/// Depth of cells with their own visibility: eight metres.
pub(crate) const SIGHT_DEPTH: u32 = 1;

/// The eighths of the first chunk that contain the vestibule, and those that contain the hall.
const VESTIBULE: Point = [-4.0, -4.0, -4.0];
const VESTIBULE_BACK: Point = [-4.0, -4.0, 4.0];
const HALL: [Point; 4] = [
    [4.0, -4.0, -4.0],
    [4.0, -4.0, 4.0],
    [12.0, -4.0, -4.0],
    [12.0, -4.0, 4.0],
];

/// Visibility between parts: the vestibule and the hall see each other through the arch.
const SIGHTS: [(Point, &[Point]); 6] = [
    (VESTIBULE, &[VESTIBULE_BACK, HALL[0], HALL[1], HALL[2]]),
    (VESTIBULE_BACK, &[VESTIBULE, HALL[0], HALL[1], HALL[3]]),
    (
        HALL[0],
        &[HALL[1], HALL[2], HALL[3], VESTIBULE, VESTIBULE_BACK],
    ),
    (
        HALL[1],
        &[HALL[0], HALL[2], HALL[3], VESTIBULE, VESTIBULE_BACK],
    ),
    (HALL[2], &[HALL[0], HALL[1], HALL[3], VESTIBULE]),
    (HALL[3], &[HALL[0], HALL[1], HALL[2], VESTIBULE_BACK]),
];

/// Paths: a position, the depth of the cell, and attributes.
const PATHS: [(Point, u32, Attributes); 4] = [
    ([7.0, -5.0, 1.0], 2, &[("surface", "water"), ("cost", "4")]),
    ([9.0, -5.0, 1.0], 2, &[("surface", "water"), ("cost", "4")]),
    (
        [5.0, -3.0, -6.5],
        3,
        &[("surface", "stairs"), ("cost", "2")],
    ),
    ([1.5, -3.0, 0.5], 3, &[("passage", "arch")]),
];

/// Colliders: a position, the depth of its cell, and boxes. Players slide along one slope instead
/// of steps, and along boxes instead of columns.
const COLLIDERS: [(Point, u32, &[Slope]); 3] = [
    (
        [7.0, -3.0, -6.5],
        2,
        &[Slope {
            room: Room([4.0, -4.0, -7.0], [8.0, -1.0, -5.5]),
            high_end: -3.0,
        }],
    ),
    (
        [9.0, -3.0, -6.5],
        2,
        &[Slope {
            room: Room([8.0, -4.0, -7.0], [10.0, -3.0, -5.5]),
            high_end: -4.0,
        }],
    ),
    (
        [13.0, -3.0, 5.0],
        2,
        &[
            Slope {
                room: Room([12.0, -4.0, 6.5], [16.0, -3.5, 7.0]),
                high_end: -3.5,
            },
            Slope {
                room: Room([15.0, -4.0, 4.0], [16.0, 0.0, 5.0]),
                high_end: 0.0,
            },
        ],
    ),
];

/// A box whose top slopes down toward +X to `high_end`.
struct Slope {
    room: Room,
    high_end: f32,
}

impl Slope {
    fn corners(&self) -> [Vec3; 8] {
        let Room(from, to) = self.room;
        let [x0, y0, z0] = from;
        let [x1, y1, z1] = to;
        let low = self.high_end;
        [
            [x1, low, z1],
            [x0, y1, z1],
            [x1, low, z0],
            [x0, y1, z0],
            [x1, y0, z1],
            [x0, y0, z1],
            [x1, y0, z0],
            [x0, y0, z0],
        ]
        .map(Vec3::from)
    }
}

/// The wrappers of a cell, from the outermost inwards.
pub(crate) fn wraps(grid: &Grid, least: IVec3, side: i32, depth: u32) -> Vec<Wrap> {
    let from = place_of(least);
    let to = from + side as f32 * MARK;
    let holds = |place: Point| {
        let place = Vec3::from(place);
        place.cmpge(from).all() && place.cmplt(to).all()
    };
    let mut wraps = Vec::new();
    if depth == SIGHT_DEPTH {
        let sights = SIGHTS.iter().filter(|(place, _)| holds(*place));
        wraps.extend(sights.map(|(_, seen)| Wrap::Sight(seen)));
    }
    if depth == LIGHT_DEPTH && is_in_house(from, to) && has_air(grid, least, side) {
        wraps.push(Wrap::Light);
    }
    let paths = PATHS.iter().filter(|path| path.1 == depth && holds(path.0));
    wraps.extend(paths.map(|(_, _, attributes)| Wrap::Path(attributes)));
    let colliders = COLLIDERS.iter().filter(|c| c.1 == depth && holds(c.0));
    wraps.extend(
        colliders.map(|(_, _, boxes)| Wrap::Collider(boxes.iter().map(Slope::corners).collect())),
    );
    wraps
}

fn is_in_house(from: Vec3, to: Vec3) -> bool {
    let middle = (from + to) * 0.5;
    let [least, most] = [plan::ROOMS[1].1.0, plan::ROOMS[3].1.1].map(Vec3::from);
    middle.cmpgt(least.min(Vec3::new(-8.0, -6.5, -8.0))).all() && middle.cmplt(most).all()
}

fn has_air(grid: &Grid, least: IVec3, side: i32) -> bool {
    (0..side).any(|x| {
        (0..side).any(|y| (0..side).any(|z| grid.at(least + IVec3::new(x, y, z)) == What::Air))
    })
}
