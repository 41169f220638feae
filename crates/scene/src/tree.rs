//! A tree of boxes around the triangles of a mesh, or around other small things, which finds what
//! a ray meets without looking at all of them. Its boxes may follow what moves, while its shape
//! stays that of the beginning.

use glam::{Vec3, Vec3A};

use super::Ray;

/// Triangles in a leaf.
const LEAF: usize = 6;
/// Nodes that may wait to be looked at: halving so often ends with one triangle.
const DEPTH: usize = 64;

/// A box: least and greatest corner.
pub(super) type Corners = [Vec3A; 2];

/// A box around nothing.
const NOTHING: Corners = [Vec3A::INFINITY, Vec3A::NEG_INFINITY];

/// The box around some points.
pub(super) fn around(points: impl IntoIterator<Item = Vec3A>) -> Corners {
    let points = points.into_iter();
    points.fold(NOTHING, |[min, max], point| {
        [min.min(point), max.max(point)]
    })
}

#[derive(Debug)]
pub(super) struct Tree {
    /// A node, then all below its first child, then its second child.
    nodes: Vec<Node>,
    /// Triangles, leaf by leaf.
    triangles: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Of a leaf, its first triangle; else the second child.
    at: u32,
    /// Triangles of a leaf; 0 of other nodes.
    count: u32,
}

impl Tree {
    /// Makes the tree of triangles by their middles.
    pub(super) fn build(middles: &[Vec3A]) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(middles.len() / 2),
            triangles: (0..middles.len() as u32).collect(),
        };
        if !middles.is_empty() {
            let mut triangles = std::mem::take(&mut tree.triangles);
            tree.split(middles, &mut triangles, 0);
            tree.triangles = triangles;
        }
        tree
    }

    /// Makes the node of these triangles, of which so many stand before them, and those below it.
    fn split(&mut self, middles: &[Vec3A], triangles: &mut [u32], before: usize) {
        let node = self.nodes.len();
        self.nodes.push(Node {
            at: before as u32,
            count: triangles.len() as u32,
        });
        if triangles.len() <= LEAF {
            return;
        }
        let middle = |triangle: u32| middles[triangle as usize];
        let [min, max] = triangles.iter().fold(NOTHING, |[min, max], &triangle| {
            [min.min(middle(triangle)), max.max(middle(triangle))]
        });
        let axis = (max - min).max_position();
        let half = triangles.len() / 2;
        triangles
            .select_nth_unstable_by(half, |&a, &b| middle(a)[axis].total_cmp(&middle(b)[axis]));
        let (first, second) = triangles.split_at_mut(half);
        self.split(middles, first, before);
        self.nodes[node] = Node {
            at: self.nodes.len() as u32,
            count: 0,
        };
        self.split(middles, second, before + half);
    }

    /// Works out the boxes of all nodes from those around the triangles.
    pub(super) fn fit(&self, around: impl Fn(u32) -> Corners, boxes: &mut Vec<Corners>) {
        boxes.clear();
        boxes.resize(self.nodes.len(), NOTHING);
        // Those below a node stand after it.
        for (i, node) in self.nodes.iter().enumerate().rev() {
            boxes[i] = if node.count == 0 {
                let ([a, b], [c, d]) = (boxes[i + 1], boxes[node.at as usize]);
                [a.min(c), b.max(d)]
            } else {
                let inside = self.leaf(*node).iter().map(|&triangle| around(triangle));
                inside.fold(NOTHING, |[a, b], [c, d]| [a.min(c), b.max(d)])
            };
        }
    }

    fn leaf(&self, node: Node) -> &[u32] {
        let first = node.at as usize;
        let range = first..first + node.count as usize;
        self.triangles.get(range).unwrap_or_default()
    }

    /// Looks for the first triangle on a ray. `meet` says at which distance a triangle is met
    /// that is nearer than the second number.
    pub(super) fn first(
        &self,
        boxes: &[Corners],
        origin: Vec3A,
        direction: Vec3A,
        mut meet: impl FnMut(u32, f32) -> Option<f32>,
    ) -> Option<(u32, f32)> {
        let inverse = direction.recip();
        let enter = |node: usize, nearest: f32| {
            let [min, max] = *boxes.get(node)?;
            let (a, b) = ((min - origin) * inverse, (max - origin) * inverse);
            // A ray within the plane of a side gives NaN, which does not count.
            let near = a.min(b).max(Vec3A::ZERO).max_element();
            let far = a.max(b).min_element();
            let is_met = near <= far * 1.000_001 + 1e-6 || far.is_nan();
            (is_met && near <= nearest).then_some(near)
        };
        let mut found = None;
        let mut nearest = f32::INFINITY;
        let mut waiting = [0_usize; DEPTH];
        let mut count = usize::from(enter(0, nearest).is_some());
        while count > 0 {
            count -= 1;
            let at = waiting[count];
            let (Some(&node), Some(_)) = (self.nodes.get(at), enter(at, nearest)) else {
                continue;
            };
            if node.count == 0 {
                let children = [at + 1, node.at as usize];
                let [a, b] = children.map(|child| enter(child, nearest));
                // The nearer one is looked at first: it is put on top.
                let order = if a.is_some_and(|a| b.is_none_or(|b| a <= b)) {
                    [(b, children[1]), (a, children[0])]
                } else {
                    [(a, children[0]), (b, children[1])]
                };
                for (entered, child) in order {
                    if entered.is_some() && count < DEPTH {
                        waiting[count] = child;
                        count += 1;
                    }
                }
                continue;
            }
            for &triangle in self.leaf(node) {
                if let Some(distance) = meet(triangle, nearest) {
                    nearest = distance;
                    found = Some((triangle, distance));
                }
            }
        }
        found
    }

    /// Bytes of memory that it holds.
    pub(super) fn cpu_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.triangles.as_slice())
    }
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Met {
    pub(super) distance: f32,
    /// How much each corner has to do with the place; they sum to 1.
    pub(super) shares: [f32; 3],
}

/// Meets a triangle from the side from which its corners go round counter-clockwise, or from both.
/// (Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.)
pub(super) fn meet(ray: Ray, [a, b, c]: [Vec3; 3], two_sided: bool) -> Option<Met> {
    let (ab, ac) = (b - a, c - a);
    let across = ray.direction.cross(ac);
    let determinant = ab.dot(across);
    let is_front = determinant > 0.0;
    if determinant == 0.0 || !(is_front || two_sided) {
        return None;
    }
    let from_a = ray.origin - a;
    let b_share = from_a.dot(across) / determinant;
    let over = from_a.cross(ab);
    let c_share = ray.direction.dot(over) / determinant;
    let distance = ac.dot(over) / determinant;
    let is_inside = b_share >= 0.0 && c_share >= 0.0 && b_share + c_share <= 1.0;
    (is_inside && distance > 0.0).then_some(Met {
        distance,
        shares: [1.0 - b_share - c_share, b_share, c_share],
    })
}
