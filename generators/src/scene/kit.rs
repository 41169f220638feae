//! Building blocks of models: walls, beams, roofs, turned posts, lumps and cards. Their textures
//! are laid out in world units, so that all models share a few of them.

use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use image::ImageResult;

use crate::maths::{cosine, sine};
use crate::models::mesh::{Corner, Mesh};
use crate::models::model::{Made, Stuff, make};
use crate::models::rig::Rig;
use crate::noise::random;

/// A texture that covers surfaces.
#[derive(Debug, PartialEq)]
pub(super) struct Finish {
    pub(super) name: &'static str,
    /// File name.
    pub(super) texture: &'static str,
    /// World units per repetition.
    pub(super) repeat: f64,
    pub(super) specular: f32,
}

/// The appearance of a surface: a texture, or a single position of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) finish: &'static Finish,
    /// The position in the texture that the whole surface shows.
    pub(super) swatch: Option<DVec2>,
}

impl From<&'static Finish> for Look {
    fn from(finish: &'static Finish) -> Self {
        Self {
            finish,
            swatch: None,
        }
    }
}

/// The visible faces of a beam, which are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// All of them.
    All,
    /// The front and the two long sides: the beam is on a wall.
    OnWall,
}

/// Shorthand for a vector.
pub(super) fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A transform that only translates.
pub(super) fn moved(x: f64, y: f64, z: f64) -> DAffine3 {
    DAffine3::from_translation(v(x, y, z))
}

/// A transform that rotates around an axis by turns, then translates.
pub(super) fn turned(axis: DVec3, turns: f64, to: DVec3) -> DAffine3 {
    let half = 0.5 * turns;
    let quat = DQuat::from_vec4((axis * sine(half)).extend(cosine(half)));
    DAffine3::from_rotation_translation(quat, to)
}

/// A model under construction.
#[derive(Debug, Default)]
pub(super) struct Kit {
    mesh: Mesh,
    /// Finish and chart of each material.
    finishes: Vec<(&'static Finish, usize)>,
    /// Transform of added parts to model space.
    place: DAffine3,
    /// The joints that move added parts.
    weights: Vec<(usize, f64)>,
    /// Number of pieces, so that each beam shows another part of a texture.
    pieces: i32,
}

impl Kit {
    /// Adds parts under a further transform.
    pub(super) fn within(&mut self, place: DAffine3, build: impl FnOnce(&mut Self)) {
        let before = self.place;
        self.place = before * place;
        build(self);
        self.place = before;
    }

    /// Adds parts that are moved by joints, given as indices and weights.
    pub(super) fn held(&mut self, weights: &[(usize, f64)], build: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.weights, weights.to_vec());
        build(self);
        self.weights = before;
    }

    fn chart(&mut self, finish: &'static Finish) -> usize {
        let known = self.finishes.iter().find(|(known, _)| *known == finish);
        if let Some((_, chart)) = known {
            return *chart;
        }
        let chart = self.mesh.fixed_chart(self.finishes.len());
        self.finishes.push((finish, chart));
        chart
    }

    fn point(&mut self, at: DVec3) -> usize {
        let at = self.place.transform_point3(at);
        self.mesh.point(at, &self.weights)
    }

    /// Adds a flat, convex surface with texture coordinates. Corners are counter-clockwise as seen
    /// from outside.
    fn surface(&mut self, finish: &'static Finish, corners: &[(DVec3, DVec2)]) {
        let chart = self.chart(finish);
        let corners: Vec<Corner> = corners
            .iter()
            .map(|&(at, uv)| Corner {
                point: self.point(at),
                uv,
            })
            .collect();
        for i in 1..corners.len() - 1 {
            self.mesh
                .triangle(chart, [corners[0], corners[i], corners[i + 1]], true);
        }
    }

    /// Adds a flat triangle with texture coordinates. Corners are counter-clockwise as seen from
    /// outside.
    pub(super) fn facet(&mut self, finish: &'static Finish, corners: [(DVec3, DVec2); 3]) {
        self.surface(finish, &corners);
    }

    /// Adds a flat, convex surface with an upright texture. Corners are counter-clockwise as seen
    /// from outside.
    pub(super) fn polygon(&mut self, look: impl Into<Look>, corners: &[DVec3]) {
        let look = look.into();
        let normal = (corners[1] - corners[0])
            .cross(corners[2] - corners[0])
            .normalize_or(DVec3::Y);
        let upright = if normal.y.abs() > 0.95 {
            DVec3::Z
        } else {
            DVec3::Y
        };
        let up = upright.reject_from(normal).normalize();
        let right = up.cross(normal);
        let laid = |at: DVec3| {
            let uv = DVec2::new(at.dot(right), at.dot(up)) / look.finish.repeat;
            (at, look.swatch.unwrap_or(uv))
        };
        let corners: Vec<_> = corners.iter().map(|&at| laid(at)).collect();
        self.surface(look.finish, &corners);
    }

    /// Adds a flat surface of one colour in which each corner is moved by its own joint.
    pub(super) fn cloth(&mut self, look: Look, corners: &[(DVec3, usize)]) {
        let first = self.mesh.points.len();
        let places: Vec<DVec3> = corners.iter().map(|corner| corner.0).collect();
        self.polygon(look, &places);
        for (point, (_, joint)) in self.mesh.points[first..].iter_mut().zip(corners) {
            point.weights = vec![(*joint, 1.0)];
        }
    }

    /// Adds an axis-aligned box, without the faces in the given directions.
    pub(super) fn block(
        &mut self,
        look: impl Into<Look>,
        min: DVec3,
        max: DVec3,
        without: &[DVec3],
    ) {
        let [bottom, top] = [min, max].map(|corner| [corner.x, corner.z]);
        self.tapered(look, [bottom, top], [bottom, top], [min.y, max.y], without);
    }

    /// Adds a box with different rectangles at the top and the bottom; each is given by minimum and
    /// maximum X and Z.
    pub(super) fn tapered(
        &mut self,
        look: impl Into<Look>,
        bottom: [[f64; 2]; 2],
        top: [[f64; 2]; 2],
        heights: [f64; 2],
        without: &[DVec3],
    ) {
        let look = look.into();
        let corner = |x: usize, y: usize, z: usize| {
            let of = [bottom, top][y];
            v(of[x][0], heights[y], of[z][1])
        };
        let faces = [
            (DVec3::Z, [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]),
            (DVec3::NEG_Z, [(1, 0, 0), (0, 0, 0), (0, 1, 0), (1, 1, 0)]),
            (DVec3::X, [(1, 0, 1), (1, 0, 0), (1, 1, 0), (1, 1, 1)]),
            (DVec3::NEG_X, [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)]),
            (DVec3::Y, [(0, 1, 1), (1, 1, 1), (1, 1, 0), (0, 1, 0)]),
            (DVec3::NEG_Y, [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]),
        ];
        for (out, corners) in faces {
            if !without.contains(&out) {
                self.polygon(look, &corners.map(|(x, y, z)| corner(x, y, z)));
            }
        }
    }

    /// Adds a beam between two points with a width, a depth and a direction of its front. The
    /// texture runs along it.
    pub(super) fn beam(
        &mut self,
        look: impl Into<Look>,
        [from, to]: [DVec3; 2],
        [width, depth]: [f64; 2],
        front: DVec3,
        seen: Seen,
    ) {
        let look = look.into();
        self.pieces += 1;
        let off = DVec2::new(
            f64::from(random(self.pieces, 0, 601)),
            f64::from(random(self.pieces, 1, 601)),
        );
        let ahead = (to - from).normalize();
        let front = front.reject_from(ahead).normalize();
        let right = ahead.cross(front);
        let long = from.distance(to) / look.finish.repeat;
        // For each face: its outward axis, the axis across, and half of both sizes.
        let sides = [
            (front, right, depth, width),
            (right, -front, width, depth),
            (-right, front, width, depth),
            (-front, -right, depth, width),
        ];
        let count = if seen == Seen::OnWall { 3 } else { 4 };
        for &(out, across, thick, wide) in &sides[..count] {
            let (out, across) = (out * (0.5 * thick), across * (0.5 * wide));
            let wide = wide / look.finish.repeat;
            let corners = [
                (from + out - across, DVec2::ZERO),
                (from + out + across, DVec2::new(wide, 0.0)),
                (to + out + across, DVec2::new(wide, long)),
                (to + out - across, DVec2::new(0.0, long)),
            ];
            let corners = corners.map(|(at, uv)| (at, look.swatch.unwrap_or(uv + off)));
            // Across, along and out form a right-handed system.
            self.surface(look.finish, &corners);
        }
        if seen == Seen::All {
            for (end, out) in [(from, -ahead), (to, ahead)] {
                let (x, y) = (right * (0.5 * width), out.cross(right) * (0.5 * depth));
                let corners = [-x - y, x - y, x + y, -x + y].map(|corner| end + corner);
                self.polygon(look, &corners);
            }
        }
    }

    /// Rotates a profile of radii and heights, from the bottom, around the Y axis. A radius of 0
    /// makes a tip. The sides are smooth or flat.
    pub(super) fn lathe(
        &mut self,
        look: impl Into<Look>,
        profile: &[[f64; 2]],
        sides: usize,
        round: bool,
    ) {
        let look = look.into();
        let chart = self.chart(look.finish);
        let widest = profile.iter().map(|row| row[0]).fold(0.0, f64::max);
        // A whole number of repetitions avoids a seam.
        let repeats = (widest * std::f64::consts::TAU / look.finish.repeat)
            .round()
            .max(1.0);
        let mut along = 0.0;
        let mut rows: Vec<Vec<Corner>> = Vec::new();
        for (i, &[radius, height]) in profile.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).map(|i| DVec2::from(profile[i])) {
                along += before.distance(DVec2::new(radius, height));
            }
            let tip = (radius == 0.0).then(|| self.point(v(0.0, height, 0.0)));
            let mut row: Vec<Corner> = (0..sides)
                .map(|side| {
                    let turns = side as f64 / sides as f64;
                    let at = v(cosine(turns) * radius, height, -sine(turns) * radius);
                    Corner {
                        point: tip.unwrap_or_else(|| self.point(at)),
                        uv: DVec2::new(turns * repeats, along / look.finish.repeat),
                    }
                })
                .collect();
            let mut last = row[0];
            last.uv.x += repeats;
            row.push(last);
            for corner in &mut row {
                corner.uv = look.swatch.unwrap_or(corner.uv);
            }
            rows.push(row);
        }
        for pair in rows.windows(2) {
            for i in 0..sides {
                let [a, b, c, d] = [pair[0][i], pair[0][i + 1], pair[1][i + 1], pair[1][i]];
                self.mesh.triangle(chart, [a, b, c], !round);
                self.mesh.triangle(chart, [a, c, d], !round);
            }
        }
    }

    /// Adds a lump: a ball with the given sides and rings and a radius along each axis, randomly
    /// dented.
    pub(super) fn lump(
        &mut self,
        look: impl Into<Look>,
        center: DVec3,
        radii: DVec3,
        [sides, rings]: [usize; 2],
        dents: f64,
        seed: u32,
    ) {
        let look = look.into();
        let at = |ring: usize, side: usize| {
            let up = ring as f64 / rings as f64 * 0.5;
            let around =
                (side % sides) as f64 / sides as f64 + 0.5 / sides as f64 * (ring % 2) as f64;
            let wide = sine(up);
            let dent = 1.0 - dents * f64::from(random(ring as i32, (side % sides) as i32, seed));
            let dent = if wide.abs() < 1e-9 { 1.0 } else { dent };
            let way = v(cosine(around) * wide, -cosine(up), -sine(around) * wide);
            center + way * radii * dent
        };
        for ring in 0..rings {
            for side in 0..sides {
                let (low, high) = (ring, ring + 1);
                // Every other ring is rotated by half a side.
                let next = side + 1;
                let [a, b, c, d] = [at(low, side), at(low, next), at(high, side), at(high, next)];
                let triangles = if low % 2 == 0 {
                    [[a, b, c], [b, d, c]]
                } else {
                    [[a, b, d], [a, d, c]]
                };
                for triangle in triangles {
                    let [a, b, c] = triangle;
                    if (b - a).cross(c - a).length_squared() > 1e-9 {
                        self.polygon(look, &triangle);
                    }
                }
            }
        }
    }

    /// Adds a card around its centre: half of its width and height, and the part of a texture that
    /// it shows (left, bottom, right, top). A two-sided card gets both faces. It may be lit like
    /// another surface, which faces a direction of model space.
    pub(super) fn card(
        &mut self,
        finish: &'static Finish,
        middle: DVec3,
        [right, up]: [DVec3; 2],
        [left, bottom, end, top]: [f64; 4],
        two_sided: bool,
        light: Option<DVec3>,
    ) {
        let corners = [
            (middle - right - up, DVec2::new(left, bottom)),
            (middle + right - up, DVec2::new(end, bottom)),
            (middle + right + up, DVec2::new(end, top)),
            (middle - right + up, DVec2::new(left, top)),
        ];
        let mut back = corners;
        back.reverse();
        for side in [Some(corners), two_sided.then_some(back)]
            .into_iter()
            .flatten()
        {
            let (points, faces) = (self.mesh.points.len(), self.mesh.faces.len());
            self.surface(finish, &side);
            if let Some(light) = light {
                for point in &mut self.mesh.points[points..] {
                    point.normal = Some(light.normalize());
                }
                for face in &mut self.mesh.faces[faces..] {
                    face.flat = false;
                }
            }
        }
    }

    /// The finished model with its joints.
    pub(super) fn finished(self, rig: &Rig) -> ImageResult<Made> {
        let stuffs: Vec<Stuff> = self
            .finishes
            .iter()
            .map(|(finish, _)| Stuff {
                name: finish.name,
                texture: finish.texture,
                side: None,
                ambient: 1.0,
                specular: finish.specular,
            })
            .collect();
        make(self.mesh, &stuffs, rig, true)
    }
}

/// A roof over a rectangle with its ridge along X.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roof {
    /// Half of its length along X, including overhang.
    pub(super) half_length: f64,
    /// Half of its width along Z, including overhang.
    pub(super) half_width: f64,
    /// Heights of its underside at the eaves and at the ridge.
    pub(super) heights: [f64; 2],
    /// Vertical thickness.
    pub(super) thick: f64,
    /// Outward bulge of its slopes in the middle, and sag of its ridge.
    pub(super) bulge: f64,
    pub(super) sag: f64,
    /// Number of segments along its length.
    pub(super) parts: usize,
}

impl Kit {
    /// Adds a roof with gables. `edge` is the look of its edges and its underside.
    pub(super) fn roof(&mut self, look: impl Into<Look>, edge: impl Into<Look>, roof: &Roof) {
        let (look, edge) = (look.into(), edge.into());
        let [eaves, ridge] = roof.heights;
        for side in [1.0, -1.0] {
            // Maps a position along the length and down the slope, each from 0 to 1, to the
            // surface.
            let at = |along: f64, down: f64, top: f64| {
                let x = (2.0 * along - 1.0) * roof.half_length;
                let hang = roof.sag * 4.0 * along * (1.0 - along) * (1.0 - down);
                let bulge = roof.bulge * 4.0 * down * (1.0 - down);
                let y = ridge + (eaves - ridge) * down + bulge - hang + roof.thick * top;
                v(x * side, y, roof.half_width * down * side)
            };
            let rows: &[f64] = if roof.bulge > 0.0 {
                &[0.0, 0.5, 1.0]
            } else {
                &[0.0, 1.0]
            };
            for part in 0..roof.parts {
                let [a, b] = [part, part + 1].map(|part| part as f64 / roof.parts as f64);
                for rows in rows.windows(2) {
                    let [high, low] = [rows[0], rows[1]];
                    self.polygon(
                        look,
                        &[
                            at(a, low, 1.0),
                            at(b, low, 1.0),
                            at(b, high, 1.0),
                            at(a, high, 1.0),
                        ],
                    );
                }
                self.polygon(
                    edge,
                    &[
                        at(a, 1.0, 0.0),
                        at(b, 1.0, 0.0),
                        at(b, 1.0, 1.0),
                        at(a, 1.0, 1.0),
                    ],
                );
            }
            self.polygon(
                edge,
                &[
                    at(0.0, 0.0, 0.0),
                    at(1.0, 0.0, 0.0),
                    at(1.0, 1.0, 0.0),
                    at(0.0, 1.0, 0.0),
                ],
            );
            for rows in rows.windows(2) {
                let [high, low] = [rows[0], rows[1]];
                self.polygon(
                    edge,
                    &[
                        at(1.0, low, 0.0),
                        at(1.0, high, 0.0),
                        at(1.0, high, 1.0),
                        at(1.0, low, 1.0),
                    ],
                );
                self.polygon(
                    edge,
                    &[
                        at(0.0, high, 0.0),
                        at(0.0, low, 0.0),
                        at(0.0, low, 1.0),
                        at(0.0, high, 1.0),
                    ],
                );
            }
        }
    }

    /// Adds parts that are scaled.
    pub(super) fn scaled(&mut self, by: DVec3, build: impl FnOnce(&mut Self)) {
        self.within(DAffine3::from_mat3(DMat3::from_diagonal(by)), build);
    }
}
