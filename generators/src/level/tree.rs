//! The octrees of the chunks: cubes of maximum size, with the visible faces.

use glam::{IVec3, Vec3};
use mapscope_formats::pmf::{SIDE_CORNERS, corner_signs};

use super::grid::{Corner, Form, Grid, MARK, What, place_of};
use super::inside::{self, Wrap};

/// Number of marks along the edge of a chunk.
const CHUNK_MARKS: i32 = 64;
/// Maximum edge of a cube with faces, in marks: vertex light needs enough vertices.
const MAX_SEEN: i32 = 8;

/// The triangles of a face.
#[derive(Debug, Clone)]
pub(crate) enum Outline {
    /// Four corners: top left, bottom left, bottom right, top right.
    Quad([Vec3; 4]),
    /// Triangles with normals, and the index of the round object to which they belong, if any.
    Triangles(Vec<[Corner; 3]>, Option<usize>),
}

/// A visible face.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    pub(crate) side: usize,
    pub(crate) block: usize,
    pub(crate) outline: Outline,
    /// The marks of the box to which it belongs; `None` for a shape.
    pub(crate) marks: Option<(IVec3, i32)>,
}

/// The content of a cube.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Empty,
    /// Child indices by corner.
    Parent(Vec<(usize, u32)>),
    /// A box or a shape: its block, its shape, if any, and the indices of its faces.
    Geometry {
        block: usize,
        shape: Option<usize>,
        faces: Vec<usize>,
    },
    /// A wrapper around the next cube.
    Wrap(Wrap, u32),
}

/// A cube in its cell.
#[derive(Debug, Clone)]
pub(crate) struct Cube {
    pub(crate) node: Node,
    pub(crate) least: IVec3,
    pub(crate) side: i32,
}

/// The octree of a chunk, the root first, and the faces of its cubes.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) cubes: Vec<Cube>,
    pub(crate) faces: Vec<Face>,
}

/// The minimum mark of a chunk.
pub(crate) fn chunk_marks(chunk: usize) -> IVec3 {
    IVec3::X * CHUNK_MARKS * chunk as i32
}

/// The centre of a chunk, in metres.
pub(crate) fn chunk_center(chunk: usize) -> Vec3 {
    place_of(chunk_marks(chunk)) + MARK * CHUNK_MARKS as f32 * 0.5
}

/// The step to the adjacent mark on a side.
fn step(side: usize) -> IVec3 {
    let mut step = IVec3::ZERO;
    step[side % 3] = if side < 3 { 1 } else { -1 };
    step
}

impl Tree {
    /// The octree of a chunk.
    pub(crate) fn of(grid: &Grid, chunk: usize) -> Self {
        let mut tree = Self::default();
        tree.add(grid, chunk_marks(chunk), CHUNK_MARKS, 0);
        tree
    }

    /// Adds a cell with its content and returns its index.
    fn add(&mut self, grid: &Grid, least: IVec3, side: i32, depth: u32) -> u32 {
        let first = self.cubes.len() as u32;
        let push = |tree: &mut Self, node| {
            tree.cubes.push(Cube { node, least, side });
        };
        let wraps = inside::wraps(grid, least, side, depth);
        for (number, wrap) in (first + 1..).zip(wraps) {
            push(self, Node::Wrap(wrap, number));
        }
        let own = self.cubes.len();
        push(self, Node::Empty);
        self.cubes[own].node = self.content(grid, least, side).unwrap_or_else(|| {
            let half = side / 2;
            let children = (0..8).map(|corner| {
                let upper = corner_signs(corner).map(|sign| i32::from(sign > 0.0));
                let child = self.add(grid, least + IVec3::from(upper) * half, half, depth + 1);
                (corner, child)
            });
            Node::Parent(children.collect())
        });
        first
    }

    /// The content that fills a whole cell; `None` if the cell must be divided.
    fn content(&mut self, grid: &Grid, least: IVec3, side: i32) -> Option<Node> {
        let what = grid.at(least);
        if let What::Shape(number) = what {
            let shape = &grid.shapes[number];
            let is_whole = shape.least == least && shape.side == side;
            return is_whole.then(|| {
                let first = self.faces.len();
                self.faces.extend(shape_faces(grid, number));
                Node::Geometry {
                    block: shape.block,
                    shape: Some(number),
                    faces: (first..self.faces.len()).collect(),
                }
            });
        }
        let mut marks = all_marks(least, side);
        if !marks.all(|mark| grid.at(mark) == what) {
            return None;
        }
        let What::Block(block) = what else {
            return Some(Node::Empty);
        };
        let faces: Vec<Face> = (0..6)
            .filter(|wall| is_seen(grid, least, side, *wall))
            .map(|wall| Face {
                side: wall,
                block,
                outline: Outline::Quad(SIDE_CORNERS[wall].map(|corner| {
                    let signs = Vec3::from(corner_signs(corner)) * 0.5 + 0.5;
                    place_of(least) + signs * side as f32 * MARK
                })),
                marks: Some((least, side)),
            })
            .collect();
        if !faces.is_empty() && side > MAX_SEEN {
            return None;
        }
        let first = self.faces.len();
        self.faces.extend(faces);
        Some(Node::Geometry {
            block,
            shape: None,
            faces: (first..self.faces.len()).collect(),
        })
    }
}

/// All marks of a cell.
fn all_marks(least: IVec3, side: i32) -> impl Iterator<Item = IVec3> {
    (0..side).flat_map(move |x| {
        (0..side).flat_map(move |y| (0..side).map(move |z| least + IVec3::new(x, y, z)))
    })
}

/// The marks on the inner side of a cell's wall.
pub(crate) fn wall_marks(least: IVec3, side: i32, wall: usize) -> impl Iterator<Item = IVec3> {
    let axis = wall % 3;
    let mut corner = least;
    if wall < 3 {
        corner[axis] += side - 1;
    }
    let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    (0..side).flat_map(move |i| {
        (0..side).map(move |j| {
            let mut mark = corner;
            mark[a] += i;
            mark[b] += j;
            mark
        })
    })
}

/// `true` if any part of a box's side is visible.
fn is_seen(grid: &Grid, least: IVec3, side: i32, wall: usize) -> bool {
    let What::Block(block) = grid.at(least) else {
        return false;
    };
    let clear = grid.lets_light(block) && grid.look(block, 0).kind != "lamp";
    wall_marks(least, side, wall).any(|mark| match grid.at(mark + step(wall)) {
        What::Nowhere => false,
        What::Air => true,
        // Transparent blocks are see-through, but have no face toward solid ones.
        What::Block(beside) => {
            let look = grid.look(beside, 0);
            !clear && look.lets_light() && look.kind != "lamp"
        }
        What::Shape(shape) => !clear && !hides(grid, shape, (wall + 3) % 6),
    })
}

/// `true` if a side of a shape hides everything beside its cell.
fn hides(grid: &Grid, shape: usize, wall: usize) -> bool {
    let shape = &grid.shapes[shape];
    shape.fills(wall) && !grid.lets_light(shape.block)
}

/// The visible faces of a shape.
fn shape_faces(grid: &Grid, number: usize) -> Vec<Face> {
    let shape = &grid.shapes[number];
    let face = |side: usize, outline| Face {
        side,
        block: shape.block,
        outline,
        marks: None,
    };
    match &shape.form {
        Form::Round { sides, thing } => (sides.iter().enumerate())
            .filter(|(_, triangles)| !triangles.is_empty())
            .map(|(side, list)| face(side, Outline::Triangles(list.clone(), Some(*thing))))
            .collect(),
        Form::Moved(_) => (0..6)
            .filter(|wall| !is_hidden(grid, number, *wall))
            .filter_map(|wall| Some(face(wall, flat_outline(shape.quad(wall)?)?)))
            .collect(),
    }
}

/// `true` if a side of a shape lies against something solid, or against the same side of another
/// shape.
fn is_hidden(grid: &Grid, number: usize, wall: usize) -> bool {
    let shape = &grid.shapes[number];
    let Some(quad) = shape.quad(wall) else {
        return false;
    };
    let axis = wall % 3;
    let cell = place_of(shape.least);
    let plane = cell[axis]
        + if wall < 3 {
            shape.side as f32 * MARK
        } else {
            0.0
        };
    if quad.iter().any(|corner| corner[axis] != plane) {
        return false;
    }
    let mut marks = wall_marks(shape.least, shape.side, wall);
    marks.all(|mark| {
        let beside = mark + step(wall);
        if !touches(&quad, beside, axis) {
            return true;
        }
        match grid.at(beside) {
            What::Nowhere => true,
            What::Air => false,
            What::Block(block) => !grid.lets_light(block) || block == shape.block,
            What::Shape(other_number) => {
                let other = &grid.shapes[other_number];
                let against = other.quad((wall + 3) % 6);
                let same = |corner: &Vec3| quad.contains(corner);
                hides(grid, other_number, (wall + 3) % 6)
                    || against.is_some_and(|it| it.iter().all(same))
            }
        }
    })
}

/// `true` if the bounding box of a side reaches into an adjacent mark.
fn touches(quad: &[Vec3; 4], mark: IVec3, axis: usize) -> bool {
    let least = place_of(mark);
    (0..3).filter(|other| *other != axis).all(|other| {
        let low = quad
            .iter()
            .fold(f32::MAX, |low, corner| low.min(corner[other]));
        let high = quad
            .iter()
            .fold(f32::MIN, |high, corner| high.max(corner[other]));
        low < least[other] + MARK && high > least[other]
    })
}

/// The outline of a side whose corners may coincide; `None` if it has no area.
fn flat_outline(quad: [Vec3; 4]) -> Option<Outline> {
    let mut corners: Vec<Vec3> = Vec::new();
    for (i, corner) in quad.into_iter().enumerate() {
        if corner != quad[(i + 3) % 4] && corners.first() != Some(&corner) {
            corners.push(corner);
        }
    }
    match corners[..] {
        [a, b, c] => {
            let normal = (c - a).cross(b - a).try_normalize()?;
            let corner = |place: Vec3| Corner {
                place,
                normal,
                around: [0.0; 2],
            };
            Some(Outline::Triangles(vec![[a, b, c].map(corner)], None))
        }
        [a, b, c, d] => {
            let area = (c - a).cross(b - a) + (d - a).cross(c - a);
            (area.length() > 1e-5).then_some(Outline::Quad([a, b, c, d]))
        }
        _ => None,
    }
}

impl Face {
    /// Its mean normal.
    pub(crate) fn normal(&self) -> Vec3 {
        match &self.outline {
            Outline::Quad([a, b, c, d]) => {
                ((c - a).cross(b - a) + (d - a).cross(c - a)).normalize()
            }
            Outline::Triangles(list, _) => {
                let sum: Vec3 = list.iter().flatten().map(|corner| corner.normal).sum();
                sum.normalize_or(step(self.side).as_vec3())
            }
        }
    }

    /// Its centre.
    pub(crate) fn middle(&self) -> Vec3 {
        let (count, sum) = self
            .corners()
            .fold((0.0, Vec3::ZERO), |(count, sum), corner| {
                (count + 1.0, sum + corner.place)
            });
        sum / count
    }

    /// Its corners: four of a quad, three per triangle.
    pub(crate) fn corners(&self) -> impl Iterator<Item = Corner> {
        let (quad, triangles) = match &self.outline {
            Outline::Quad(quad) => (Some(*quad), None),
            Outline::Triangles(list, _) => (None, Some(list)),
        };
        let normal = self.normal();
        let corner = move |place| Corner {
            place,
            normal,
            around: [0.0; 2],
        };
        let quad = quad.into_iter().flatten().map(corner);
        quad.chain(triangles.into_iter().flatten().flatten().copied())
    }

    /// The corners of its triangles, three each.
    pub(crate) fn triangles(&self) -> Vec<Corner> {
        let corners: Vec<Corner> = self.corners().collect();
        match (&self.outline, &corners[..]) {
            (Outline::Quad(_), &[a, b, c, d]) => vec![a, b, c, a, c, d],
            _ => corners,
        }
    }
}
