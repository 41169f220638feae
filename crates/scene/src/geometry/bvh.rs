//! A bounding volume hierarchy (BVH) over the triangles of a mesh, or over other small items. It
//! finds ray hits without testing every item. Its boxes can be refitted to an animation, while the
//! hierarchy stays that of the bind pose.

use glam::{Vec3, Vec3A};

use super::Ray;

/// Maximum number of triangles in a leaf.
const MAX_LEAF_TRIANGLES: usize = 6;
/// Size of the stack of nodes to visit. This many halvings always end with one triangle.
const STACK_SIZE: usize = 64;

/// A bounding box: min and max.
pub(crate) type Bounds = [Vec3A; 2];

/// Empty bounds.
const EMPTY: Bounds = [Vec3A::INFINITY, Vec3A::NEG_INFINITY];

/// Returns the bounds of points.
pub(crate) fn bounds(points: impl IntoIterator<Item = Vec3A>) -> Bounds {
    let points = points.into_iter();
    points.fold(EMPTY, |[min, max], point| [min.min(point), max.max(point)])
}

/// The hierarchy, without its boxes.
#[derive(Debug)]
pub(crate) struct Bvh {
    /// Nodes in depth-first order: a node, the subtree of its first child, then its second child.
    nodes: Vec<Node>,
    /// Triangles, leaf by leaf.
    triangles: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// First triangle of a leaf; second child of an inner node.
    at: u32,
    /// Number of triangles of a leaf; 0 for an inner node.
    count: u32,
}

impl Bvh {
    /// Builds the hierarchy from the centres of triangles.
    pub(crate) fn build(centers: &[Vec3A]) -> Self {
        let mut bvh = Self {
            nodes: Vec::with_capacity(centers.len() / 2),
            triangles: (0..centers.len() as u32).collect(),
        };
        if !centers.is_empty() {
            let mut triangles = std::mem::take(&mut bvh.triangles);
            bvh.split(centers, &mut triangles, 0);
            bvh.triangles = triangles;
        }
        bvh
    }

    /// Creates the node of these triangles and its descendants. `before` is the number of triangles
    /// that precede them.
    fn split(&mut self, centers: &[Vec3A], triangles: &mut [u32], before: usize) {
        let node = self.nodes.len();
        self.nodes.push(Node {
            at: before as u32,
            count: triangles.len() as u32,
        });
        if triangles.len() <= MAX_LEAF_TRIANGLES {
            return;
        }
        let center = |triangle: u32| centers[triangle as usize];
        let [min, max] = bounds(triangles.iter().map(|&triangle| center(triangle)));
        let axis = (max - min).max_position();
        let half = triangles.len() / 2;
        triangles
            .select_nth_unstable_by(half, |&a, &b| center(a)[axis].total_cmp(&center(b)[axis]));
        let (first, second) = triangles.split_at_mut(half);
        self.split(centers, first, before);
        self.nodes[node] = Node {
            at: self.nodes.len() as u32,
            count: 0,
        };
        self.split(centers, second, before + half);
    }

    /// Refits the boxes of all nodes to those of the triangles.
    pub(crate) fn refit(&self, of_triangle: impl Fn(u32) -> Bounds, boxes: &mut Vec<Bounds>) {
        boxes.clear();
        boxes.resize(self.nodes.len(), EMPTY);
        // Descendants follow their node.
        for (i, node) in self.nodes.iter().enumerate().rev() {
            boxes[i] = if node.count == 0 {
                let ([a, b], [c, d]) = (boxes[i + 1], boxes[node.at as usize]);
                [a.min(c), b.max(d)]
            } else {
                let inside = self
                    .leaf(*node)
                    .iter()
                    .map(|&triangle| of_triangle(triangle));
                inside.fold(EMPTY, |[a, b], [c, d]| [a.min(c), b.max(d)])
            };
        }
    }

    fn leaf(&self, node: Node) -> &[u32] {
        let first = node.at as usize;
        let range = first..first + node.count as usize;
        self.triangles.get(range).unwrap_or_default()
    }

    /// Returns the first triangle that a ray hits, and the distance. `hit` returns the distance to
    /// a triangle if the ray hits it closer than the second argument.
    pub(crate) fn first_hit(
        &self,
        boxes: &[Bounds],
        origin: Vec3A,
        direction: Vec3A,
        mut hit: impl FnMut(u32, f32) -> Option<f32>,
    ) -> Option<(u32, f32)> {
        let inverse = direction.recip();
        let enter = |node: usize, nearest: f32| {
            let [min, max] = *boxes.get(node)?;
            let (a, b) = ((min - origin) * inverse, (max - origin) * inverse);
            // A ray within the plane of a side gives NaN, which is ignored.
            let near = a.min(b).max(Vec3A::ZERO).max_element();
            let far = a.max(b).min_element();
            let is_hit = near <= far * 1.000_001 + 1e-6 || far.is_nan();
            (is_hit && near <= nearest).then_some(near)
        };
        let mut found = None;
        let mut nearest = f32::INFINITY;
        let mut stack = [0_usize; STACK_SIZE];
        let mut count = usize::from(enter(0, nearest).is_some());
        while count > 0 {
            count -= 1;
            let at = stack[count];
            let (Some(&node), Some(_)) = (self.nodes.get(at), enter(at, nearest)) else {
                continue;
            };
            if node.count == 0 {
                let children = [at + 1, node.at as usize];
                let [a, b] = children.map(|child| enter(child, nearest));
                // The nearer child is visited first: it is pushed last.
                let order = if a.is_some_and(|a| b.is_none_or(|b| a <= b)) {
                    [(b, children[1]), (a, children[0])]
                } else {
                    [(a, children[0]), (b, children[1])]
                };
                for (entered, child) in order {
                    if entered.is_some() && count < STACK_SIZE {
                        stack[count] = child;
                        count += 1;
                    }
                }
                continue;
            }
            for &triangle in self.leaf(node) {
                if let Some(distance) = hit(triangle, nearest) {
                    nearest = distance;
                    found = Some((triangle, distance));
                }
            }
        }
        found
    }

    /// Heap size in bytes.
    pub(crate) fn cpu_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.triangles.as_slice())
    }
}

/// A hit of a ray on a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TriangleHit {
    pub(crate) distance: f32,
    /// Barycentric coordinates.
    pub(crate) weights: [f32; 3],
}

/// Intersects a ray with a triangle from its front, where its corners are counter-clockwise, or
/// from both sides. (Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.)
pub(crate) fn intersect(ray: Ray, [a, b, c]: [Vec3; 3], two_sided: bool) -> Option<TriangleHit> {
    let (ab, ac) = (b - a, c - a);
    let across = ray.direction.cross(ac);
    let determinant = ab.dot(across);
    let is_front = determinant > 0.0;
    if determinant == 0.0 || !(is_front || two_sided) {
        return None;
    }
    let from_a = ray.origin - a;
    let v = from_a.dot(across) / determinant;
    let over = from_a.cross(ab);
    let w = ray.direction.dot(over) / determinant;
    let distance = ac.dot(over) / determinant;
    let is_inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
    (is_inside && distance > 0.0).then_some(TriangleHit {
        distance,
        weights: [1.0 - v - w, v, w],
    })
}
