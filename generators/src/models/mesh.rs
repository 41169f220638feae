//! Meshes for modelling: shared points, flat charts, and the painters of the charts.

use glam::{DVec2, DVec3};

use crate::maths::{cosine, sine};
use crate::terrain::textures::Color;

/// A corner of triangles.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) position: DVec3,
    /// Position along its part, for painters.
    pub(crate) along: f64,
    /// From 0 on the back to 1 on the belly, for painters.
    pub(crate) around: f64,
    /// The normal, if it differs from that of its triangles.
    pub(crate) normal: Option<DVec3>,
    /// Joints and their weights.
    pub(crate) weights: Vec<(usize, f64)>,
    /// If set, weights and position are smoothed with the neighbours; the value is the strength for
    /// the position.
    pub(crate) soft: Option<f64>,
    /// The point whose weights it adopts after smoothing.
    pub(crate) like: Option<usize>,
}

/// Adds weights, multiplied by `share`, to others.
pub(crate) fn add_weights(sums: &mut Vec<(usize, f64)>, weights: &[(usize, f64)], share: f64) {
    for &(joint, weight) in weights {
        match sums.iter_mut().find(|sum| sum.0 == joint) {
            Some(sum) => sum.1 += share * weight,
            None => sums.push((joint, share * weight)),
        }
    }
}

/// A point of a triangle and its position on its chart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    pub(crate) point: usize,
    pub(crate) uv: DVec2,
}

/// A triangle, counter-clockwise from outside.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    pub(crate) corners: [Corner; 3],
    pub(crate) chart: usize,
    /// `true` if it is flat-shaded.
    pub(crate) flat: bool,
}

/// A position on a surface, for painters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) position: DVec3,
    pub(crate) normal: DVec3,
    pub(crate) along: f64,
    pub(crate) around: f64,
    /// Visible fraction of the sky, from 0 to 1.
    pub(crate) open: f64,
}

/// Faces that are adjacent in a texture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chart {
    pub(crate) material: usize,
    /// Its painter. Corners are then in units of the model and are packed into the texture. Without
    /// a painter, corners are texture coordinates. Colour channels range from 0 to 1.
    pub(crate) paint: Option<fn(&Place) -> Color>,
    /// Scale in the texture relative to other charts.
    pub(crate) scale: f64,
}

/// A mesh under construction.
#[derive(Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) points: Vec<Point>,
    pub(crate) faces: Vec<Face>,
    pub(crate) charts: Vec<Chart>,
    /// Index of the first face that is a mirror image.
    pub(crate) mirrored_from: Option<usize>,
}

impl Mesh {
    pub(crate) fn point(&mut self, position: DVec3, weights: &[(usize, f64)]) -> usize {
        self.points.push(Point {
            position,
            along: 0.0,
            around: 0.5,
            normal: None,
            weights: weights.to_vec(),
            soft: None,
            like: None,
        });
        self.points.len() - 1
    }

    pub(crate) fn chart(&mut self, material: usize, paint: fn(&Place) -> Color) -> usize {
        self.scaled_chart(material, paint, 1.0)
    }

    pub(crate) fn scaled_chart(
        &mut self,
        material: usize,
        paint: fn(&Place) -> Color,
        scale: f64,
    ) -> usize {
        self.charts.push(Chart {
            material,
            paint: Some(paint),
            scale,
        });
        self.charts.len() - 1
    }

    /// A chart whose corners are texture coordinates.
    pub(crate) fn fixed_chart(&mut self, material: usize) -> usize {
        self.charts.push(Chart {
            material,
            paint: None,
            scale: 1.0,
        });
        self.charts.len() - 1
    }

    pub(crate) fn at(&self, point: usize) -> DVec3 {
        self.points[point].position
    }

    /// Adds a triangle unless two of its corners coincide.
    pub(crate) fn triangle(&mut self, chart: usize, corners: [Corner; 3], flat: bool) {
        let [a, b, c] = corners.map(|corner| corner.point);
        if a != b && b != c && c != a {
            self.faces.push(Face {
                corners,
                chart,
                flat,
            });
        }
    }

    /// Adds a quadrilateral, split along its shorter diagonal.
    pub(crate) fn quad(&mut self, chart: usize, [a, b, c, d]: [Corner; 4], flat: bool) {
        let length = |a: Corner, b: Corner| self.at(a.point).distance_squared(self.at(b.point));
        if length(a, c) <= length(b, d) {
            self.triangle(chart, [a, b, c], flat);
            self.triangle(chart, [a, c, d], flat);
        } else {
            self.triangle(chart, [a, b, d], flat);
            self.triangle(chart, [b, c, d], flat);
        }
    }

    /// Adds a triangle whose front faces away from `inside`.
    pub(crate) fn triangle_around(
        &mut self,
        chart: usize,
        corners: [Corner; 3],
        inside: DVec3,
        flat: bool,
    ) {
        let [a, b, c] = corners.map(|corner| self.at(corner.point));
        let [p, q, r] = corners;
        if (b - a).cross(c - a).dot(a - inside) < 0.0 {
            self.triangle(chart, [p, r, q], flat);
        } else {
            self.triangle(chart, [p, q, r], flat);
        }
    }

    /// Joins rings of equally many points with faces and lays them out flat, each ring with its
    /// true length. Around x along points outwards. Closed rings repeat their first point at the
    /// end.
    pub(crate) fn sheet(
        &mut self,
        chart: usize,
        rings: &[Vec<usize>],
        skip: impl Fn(usize, usize) -> bool,
    ) {
        let mut along = 0.0;
        let mut laid: Vec<Vec<Corner>> = Vec::new();
        for (r, ring) in rings.iter().enumerate() {
            if let Some(before) = r.checked_sub(1).map(|before| &rings[before]) {
                let steps = ring.iter().zip(before);
                let sum: f64 = steps.map(|(&a, &b)| self.at(a).distance(self.at(b))).sum();
                along += sum / ring.len() as f64;
            }
            let mut around = 0.0;
            let mut places = vec![0.0];
            for pair in ring.windows(2) {
                around += self.at(pair[0]).distance(self.at(pair[1]));
                places.push(around);
            }
            let corners = ring.iter().zip(places).map(|(&point, place)| Corner {
                point,
                uv: DVec2::new(along, 0.5 * around - place),
            });
            laid.push(corners.collect());
        }
        for (r, pair) in laid.windows(2).enumerate() {
            let (a, b) = (&pair[0], &pair[1]);
            for s in 0..a.len() - 1 {
                if !skip(r, s) {
                    self.quad(chart, [a[s], a[s + 1], b[s + 1], b[s]], false);
                }
            }
        }
    }

    /// A closed ring of points around a centre, from `right` toward `up`.
    pub(crate) fn ring(
        &mut self,
        center: DVec3,
        right: DVec3,
        up: DVec3,
        sides: usize,
        weights: &[(usize, f64)],
    ) -> Vec<usize> {
        let mut ring: Vec<usize> = (0..sides)
            .map(|i| {
                let turns = i as f64 / sides as f64;
                let position = center + right * cosine(turns) + up * sine(turns);
                self.point(position, weights)
            })
            .collect();
        ring.push(ring[0]);
        ring
    }

    /// Rings along a path of positions and radii, for [`Mesh::sheet`]; a radius of 0 makes a tip.
    /// The rings start at `side`.
    pub(crate) fn tube(
        &mut self,
        path: &[(DVec3, f64)],
        side: DVec3,
        sides: usize,
        weights: impl Fn(usize) -> Vec<(usize, f64)>,
    ) -> Vec<Vec<usize>> {
        let mut rings = Vec::new();
        for (i, &(center, radius)) in path.iter().enumerate() {
            let (before, after) = (
                path[i.saturating_sub(1)].0,
                path[(i + 1).min(path.len() - 1)].0,
            );
            let ahead = (after - before).normalize();
            let right = side.reject_from(ahead).normalize();
            let weights = weights(i);
            rings.push(if radius == 0.0 {
                vec![self.point(center, &weights); sides + 1]
            } else {
                let up = ahead.cross(right);
                self.ring(center, right * radius, up * radius, sides, &weights)
            });
        }
        rings
    }

    /// Closes the end of rings with a fan around its centre, on its own chart.
    pub(crate) fn cap(&mut self, chart: usize, ring: &[usize], outward: DVec3, bulge: f64) {
        let corners = &ring[..ring.len() - 1];
        let sum: DVec3 = corners.iter().map(|&point| self.at(point)).sum();
        let middle = sum / corners.len() as f64;
        let weights = self.points[ring[0]].weights.clone();
        let center = self.point(middle + outward * bulge, &weights);
        self.points[center].around = self.points[ring[0]].around;
        let right = outward.any_orthonormal_vector();
        let up = outward.cross(right);
        for pair in ring.windows(2) {
            let corners = [pair[0], pair[1], center].map(|point| {
                let from = self.at(point) - middle;
                let uv = DVec2::new(from.dot(right), from.dot(up));
                Corner { point, uv }
            });
            self.triangle_around(chart, corners, middle - outward, false);
        }
    }

    /// Adds the mirror image on the other side of X = 0 and joins the halves there. `joint` returns
    /// the joint of the other side.
    pub(crate) fn mirror(&mut self, joint: impl Fn(usize) -> usize) {
        let count = self.points.len();
        let mut image = Vec::new();
        for i in 0..count {
            let mut point = self.points[i].clone();
            if point.position.x.abs() < 1e-9 {
                image.push(i);
                continue;
            }
            point.position.x = -point.position.x;
            for weight in &mut point.weights {
                weight.0 = joint(weight.0);
            }
            image.push(self.points.len());
            self.points.push(point);
        }
        for point in &mut self.points[count..] {
            point.like = point.like.map(|like| image[like]);
        }
        self.mirrored_from = Some(self.faces.len());
        for i in 0..self.faces.len() {
            let mut face = self.faces[i].clone();
            face.corners.reverse();
            for corner in &mut face.corners {
                corner.point = image[corner.point];
            }
            self.faces.push(face);
        }
    }

    /// Smooths the positions of soft points, then their weights.
    pub(crate) fn soften(&mut self, place_rounds: usize, weight_rounds: usize) {
        let mut neighbours = vec![Vec::new(); self.points.len()];
        for face in &self.faces {
            for i in 0..3 {
                let (a, b) = (face.corners[i].point, face.corners[(i + 1) % 3].point);
                for (a, b) in [(a, b), (b, a)] {
                    if !neighbours[a].contains(&b) {
                        neighbours[a].push(b);
                    }
                }
            }
        }
        for _ in 0..place_rounds {
            let before: Vec<DVec3> = self.points.iter().map(|point| point.position).collect();
            for (point, around) in self.points.iter_mut().zip(&neighbours) {
                let share = point.soft.unwrap_or_default();
                if share > 0.0 && !around.is_empty() {
                    let sum: DVec3 = around.iter().map(|&near| before[near]).sum();
                    let middle = sum / around.len() as f64;
                    point.position = point.position.lerp(middle, share);
                }
            }
        }
        for _ in 0..weight_rounds {
            let before: Vec<_> = self.points.iter().map(|p| p.weights.clone()).collect();
            for (point, around) in self.points.iter_mut().zip(&neighbours) {
                if point.soft.is_none() || around.is_empty() {
                    continue;
                }
                let share = 0.5 / around.len() as f64;
                let mut sums: Vec<(usize, f64)> = Vec::new();
                add_weights(&mut sums, &point.weights, 0.5);
                for &near in around {
                    add_weights(&mut sums, &before[near], share);
                }
                point.weights = sums;
            }
        }
        let even: Vec<_> = self.points.iter().map(|p| p.weights.clone()).collect();
        for point in &mut self.points {
            if let Some(like) = point.like {
                point.weights.clone_from(&even[like]);
            }
        }
    }

    /// The normal of each point, and of each face.
    pub(crate) fn normals(&self) -> (Vec<DVec3>, Vec<DVec3>) {
        let mut points = vec![DVec3::ZERO; self.points.len()];
        let mut faces = Vec::new();
        for face in &self.faces {
            let [a, b, c] = face.corners.map(|corner| self.at(corner.point));
            let across = (b - a).cross(c - a);
            faces.push(across.normalize_or_zero());
            if face.flat {
                continue;
            }
            for i in 0..3 {
                let [here, next, last] =
                    [0, 1, 2].map(|n| self.at(face.corners[(i + n) % 3].point));
                // Weight triangles by their angle, so that long and thin ones do not count more.
                let (p, q) = ((next - here).normalize(), (last - here).normalize());
                let wide = 1.0 - p.dot(q);
                points[face.corners[i].point] += across.normalize_or_zero() * wide;
            }
        }
        for normal in &mut points {
            *normal = normal.normalize_or(DVec3::Y);
        }
        (points, faces)
    }
}
