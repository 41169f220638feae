//! Bakes the light of luxels: from the sun and the sky through the windows, from lamps, and from
//! the walls that they light.

use std::thread::ScopedJoinHandle;

use glam::{IVec3, Vec3};

use super::charts::{Charts, Luxel};
use super::grid::{Corner, Grid, MARK, MARKS, What, mark_of, place_of};
use super::tree::{Outline, Tree, wall_marks};
use super::{plan, textures};
use crate::maths::{cosine, sine};

/// Number of ray directions per luxel.
const WAYS: usize = 128;
/// Number of ray directions for the light at the centre of a cell.
const PROBE_WAYS: usize = 96;
/// Number of bounces of light between walls.
const BOUNCES: usize = 3;
/// Radius of a lamp in metres: several sample points give soft shadows.
const LAMP_RADIUS: f32 = 0.12;
/// Brightness of the sun on a surface that faces it.
const SUN: Vec3 = Vec3::new(8.4, 5.6, 2.7);
/// Brightness of the sky.
const SKY: f32 = 0.9;
/// Offset of luxels from their surface, in metres.
const OFF: f32 = 0.02;

/// Values in place of a luxel index if a ray hits none.
const SKY_MET: u32 = u32::MAX;
const NOTHING_MET: u32 = u32::MAX - 1;

/// A triangle that blocks or tints light.
struct Triangle {
    corners: [Corner; 3],
    chart: Option<usize>,
    /// The remaining light behind it; `None` if it is opaque.
    tint: Option<Vec3>,
}

/// The geometry that blocks light.
pub(crate) struct Scene<'a> {
    grid: &'a Grid,
    charts: &'a Charts,
    /// For each mark, `true` if it blocks light.
    solid: Vec<bool>,
    /// The chart of the face on each side of each mark.
    of_wall: Vec<Option<usize>>,
    /// The triangles of each shape.
    triangles: Vec<Vec<Triangle>>,
    /// The direction toward the sun.
    sun: Vec3,
}

/// The hit of a ray.
struct Met {
    luxel: u32,
    tint: Vec3,
}

/// Light of each luxel in red, green and blue; 1 makes a white surface white.
pub(crate) type Light = Vec<Vec3>;

impl<'a> Scene<'a> {
    pub(crate) fn of(grid: &'a Grid, charts: &'a Charts, trees: &[Tree]) -> Self {
        let count = MARKS.iter().product::<i32>() as usize;
        let mut scene = Self {
            grid,
            charts,
            solid: vec![false; count],
            of_wall: vec![None; count * 6],
            triangles: grid.shapes.iter().map(|_| Vec::new()).collect(),
            sun: Vec3::from(plan::SUN).normalize(),
        };
        let [width, height, depth] = MARKS;
        for x in 0..width {
            for y in 0..height {
                for z in 0..depth {
                    let mark = IVec3::new(x, y, z);
                    scene.solid[Grid::number(mark)] = match grid.at(mark) {
                        What::Block(block) => !grid.lets_light(block),
                        _ => false,
                    };
                }
            }
        }
        for (chunk, tree) in trees.iter().enumerate() {
            for (number, face) in tree.faces.iter().enumerate() {
                let chart = charts.of_face(chunk, number);
                if let Some((least, side)) = face.marks {
                    for mark in wall_marks(least, side, face.side) {
                        scene.of_wall[Grid::number(mark) * 6 + face.side] = chart;
                    }
                    continue;
                }
                let look = grid.look(face.block, face.side);
                if look.lets_light() && look.kind != "glass" && look.name != "lattice" {
                    continue;
                }
                let tint = (look.kind == "glass").then(|| Vec3::from(look.tint()));
                // Half of the light passes through the holes.
                let tint = tint.or((look.name == "lattice").then_some(Vec3::splat(0.7)));
                let What::Shape(shape) = grid.at(mark_of(face.middle() - face.normal() * 1e-3))
                else {
                    continue;
                };
                let corners = match &face.outline {
                    Outline::Quad(quad) => {
                        let corner = |i: usize| Corner {
                            place: quad[i],
                            normal: face.normal(),
                            around: [0.0; 2],
                        };
                        vec![[0, 1, 2].map(corner), [0, 2, 3].map(corner)]
                    }
                    Outline::Triangles(list, _) => list.clone(),
                };
                let triangle = |corners| Triangle {
                    corners,
                    chart,
                    tint,
                };
                scene.triangles[shape].extend(corners.into_iter().map(triangle));
            }
        }
        scene
    }

    /// Follows a ray for up to `reach` metres.
    fn meet(&self, from: Vec3, way: Vec3, reach: f32) -> Met {
        let mut tint = Vec3::ONE;
        let met = |luxel: u32, tint: Vec3| Met { luxel, tint };
        let start = (from - Vec3::from(plan::LEAST)) / MARK;
        let mut mark = start.floor().as_ivec3();
        let step = IVec3::from(way.to_array().map(|w| if w > 0.0 { 1 } else { -1 }));
        let mut next = [0.0_f32; 3];
        let mut each = [f32::INFINITY; 3];
        for axis in 0..3 {
            let edge = (mark[axis] + i32::from(step[axis] > 0)) as f32;
            if way[axis] == 0.0 {
                next[axis] = f32::INFINITY;
            } else {
                next[axis] = (edge - start[axis]) / way[axis];
                each[axis] = 1.0 / way[axis].abs();
            }
        }
        let reach = reach / MARK;
        let mut entered = 0.0;
        let mut wall = 0;
        let mut tried = usize::MAX;
        loop {
            match self.grid.at(mark) {
                What::Nowhere => return met(SKY_MET, tint),
                What::Block(_) if self.solid[Grid::number(mark)] => {
                    let chart = self.of_wall[Grid::number(mark) * 6 + wall];
                    let corner = Corner {
                        place: from + way * entered * MARK,
                        normal: Vec3::ZERO,
                        around: [0.0; 2],
                    };
                    let luxel = chart.map(|chart| self.charts.luxel_at(chart, &corner));
                    return met(luxel.map_or(NOTHING_MET, |luxel| luxel as u32), tint);
                }
                What::Shape(shape) if shape != tried => {
                    tried = shape;
                    let nearest = self.meet_shape(shape, from, way, reach * MARK, &mut tint);
                    if let Some(luxel) = nearest {
                        return met(luxel, tint);
                    }
                }
                _ => {}
            }
            let axis = if next[0] < next[1] && next[0] < next[2] {
                0
            } else if next[1] < next[2] {
                1
            } else {
                2
            };
            entered = next[axis];
            if entered > reach {
                return met(SKY_MET, tint);
            }
            next[axis] += each[axis];
            mark[axis] += step[axis];
            wall = if step[axis] > 0 { axis + 3 } else { axis };
        }
    }

    /// The luxel of a shape that a ray hits; the ray is tinted where it passes through.
    fn meet_shape(
        &self,
        shape: usize,
        from: Vec3,
        way: Vec3,
        reach: f32,
        tint: &mut Vec3,
    ) -> Option<u32> {
        let mut nearest: Option<(f32, u32)> = None;
        for triangle in &self.triangles[shape] {
            let [a, b, c] = triangle.corners;
            let Some((distance, [u, v])) =
                cross([a.place, b.place, c.place], from, way).filter(|met| met.0 < reach)
            else {
                continue;
            };
            if let Some(through) = triangle.tint {
                // Glass has two sides; only one tints.
                if way.dot(a.normal) < 0.0 {
                    *tint *= through;
                }
                continue;
            }
            if nearest.is_some_and(|(nearest, _)| nearest <= distance) {
                continue;
            }
            let between = |a: f32, b: f32, c: f32| a + (b - a) * u + (c - a) * v;
            let corner = Corner {
                place: from + way * distance,
                normal: a.normal,
                around: [0, 1].map(|i| between(a.around[i], b.around[i], c.around[i])),
            };
            let luxel = triangle
                .chart
                .map(|chart| self.charts.luxel_at(chart, &corner));
            nearest = Some((distance, luxel.map_or(NOTHING_MET, |luxel| luxel as u32)));
        }
        nearest.map(|(_, luxel)| luxel)
    }

    /// The fraction of light that passes from one position to another.
    fn passes(&self, from: Vec3, to: Vec3) -> Vec3 {
        let length = from.distance(to);
        let way = (to - from) / length;
        match self.meet(from, way, length - 1e-3) {
            Met {
                luxel: SKY_MET,
                tint,
            } => tint,
            _ => Vec3::ZERO,
        }
    }

    fn sky(&self, way: Vec3) -> Vec3 {
        // Clamp the glow around the sun: it belongs to the sun's light and must not count twice.
        Vec3::from(textures::sky(way.to_array(), self.sun.to_array())).min(Vec3::ONE) * SKY
    }

    /// Direct sunlight at a position.
    fn sun(&self, place: Vec3, normal: Vec3) -> Vec3 {
        let facing = self.sun.dot(normal);
        if facing <= 0.0 {
            return Vec3::ZERO;
        }
        let [side, up] = [Vec3::Y.cross(self.sun).normalize(), Vec3::Y];
        let spread = [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)];
        let seen: Vec3 = spread
            .into_iter()
            .map(|(x, y)| {
                let way = (self.sun + side * x * 0.02 + up * y * 0.02).normalize();
                match self.meet(place, way, 60.0) {
                    Met {
                        luxel: SKY_MET,
                        tint,
                    } => tint,
                    _ => Vec3::ZERO,
                }
            })
            .sum();
        SUN * seen * facing * 0.25
    }

    /// Light of a lamp at a position, equal in all channels. `strength` is its light at one metre.
    pub(crate) fn lamp(&self, at: Vec3, strength: f32, place: Vec3, normal: Vec3) -> Vec3 {
        let to = at - place;
        let facing = to.dot(normal);
        if facing <= 0.0 {
            return Vec3::ZERO;
        }
        let square = to.length_squared();
        let near = strength * facing / square.sqrt() / (square + LAMP_RADIUS);
        if near < 1e-3 {
            return Vec3::ZERO;
        }
        let spread = [
            Vec3::new(1.0, 1.0, 1.0),
            Vec3::new(-1.0, -1.0, 1.0),
            Vec3::new(-1.0, 1.0, -1.0),
            Vec3::new(1.0, -1.0, -1.0),
        ];
        let seen = spread.map(|off| self.passes(place, at + off * LAMP_RADIUS * 0.58));
        near * 0.25 * seen.into_iter().sum::<Vec3>()
    }
}

/// The share of a fast light that reaches a position, from 0 to 1. It has no shadows and ends at
/// its reach.
pub(crate) fn fast(lamp: &plan::FastLamp, place: Vec3, normal: Vec3) -> f32 {
    let sum: f32 = (lamp.places.iter())
        .map(|at| {
            let to = Vec3::from(*at) - place;
            let facing = to.dot(normal) / to.length().max(0.1);
            let fade = (1.0 - to.length_squared() / (lamp.reach * lamp.reach)).max(0.0);
            facing.max(0.0) * fade * fade
        })
        .sum();
    sum.min(1.0)
}

/// The intersection of a ray with a triangle: its distance, and the barycentric coordinates of the
/// second and third corner.
fn cross([a, b, c]: [Vec3; 3], from: Vec3, way: Vec3) -> Option<(f32, [f32; 2])> {
    let (ab, ac) = (b - a, c - a);
    let across = way.cross(ac);
    let det = ab.dot(across);
    if det.abs() < 1e-9 {
        return None;
    }
    let to = from - a;
    let u = to.dot(across) / det;
    let upright = to.cross(ab);
    let v = way.dot(upright) / det;
    let distance = ac.dot(upright) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 1e-4).then_some((distance, [u, v]))
}

/// Tone-maps light to luxel values from 0 to 1: a square root with compressed highlights.
pub(crate) fn tone(light: Vec3) -> Vec3 {
    let bent = light * (1.0 + light / 2.5) / (1.0 + light);
    Vec3::from(bent.to_array().map(f32::sqrt)).min(Vec3::ONE)
}

/// Directions over the hemisphere around Z, denser near its pole.
fn ways() -> Vec<Vec3> {
    (0..WAYS)
        .map(|i| {
            let share = (i as f64 + 0.5) / WAYS as f64;
            let turns = i as f64 * 0.618_033_988_75;
            let wide = share.sqrt();
            let z = (1.0 - share).sqrt();
            Vec3::new(
                (cosine(turns) * wide) as f32,
                (sine(turns) * wide) as f32,
                z as f32,
            )
        })
        .collect()
}

/// Light of a luxel: direct light of each set of lights, and the luxels that its rays hit.
struct Lit {
    direct: Vec<Vec3>,
    met: [u32; WAYS],
}

/// The light of the sun and the sky, and of each of the lamps of the plan.
pub(crate) struct Lights {
    pub(crate) static_light: Light,
    pub(crate) lamps: Vec<Light>,
}

impl Lights {
    /// Bakes the light of each luxel.
    pub(crate) fn bake(scene: &Scene<'_>) -> Self {
        let luxels = &scene.charts.luxels;
        let ways = ways();
        let lit = in_parallel(luxels, |luxel| {
            (luxel.is_used && luxel.is_free).then(|| scene.lit(luxel, &ways))
        });
        let mut sets: Vec<Light> = (0..=plan::LAMPS.len())
            .map(|set| {
                let direct = lit.iter().map(|lit| {
                    let direct = lit.as_ref().and_then(|lit| lit.direct.get(set));
                    direct.copied().unwrap_or(Vec3::ZERO)
                });
                bounced(luxels, &lit, direct.collect())
            })
            .collect();
        for set in &mut sets {
            scene.charts.spread(set);
        }
        let lamps = sets.split_off(1);
        Self {
            static_light: sets.swap_remove(0),
            lamps,
        }
    }
}

impl Scene<'_> {
    fn lit(&self, luxel: &Luxel, ways: &[Vec3]) -> Lit {
        let place = luxel.place + luxel.normal * OFF;
        let side = if luxel.normal.y.abs() > 0.9 {
            Vec3::X
        } else {
            Vec3::Y
        };
        let tangent = side.cross(luxel.normal).normalize();
        let other = luxel.normal.cross(tangent);
        let mut sky = Vec3::ZERO;
        let mut met = [NOTHING_MET; WAYS];
        for (way, met) in ways.iter().zip(&mut met) {
            let way = tangent * way.x + other * way.y + luxel.normal * way.z;
            let found = self.meet(place, way, 60.0);
            *met = found.luxel;
            if found.luxel == SKY_MET {
                sky += self.sky(way) * found.tint;
            }
        }
        let mut direct = vec![sky / WAYS as f32 + self.sun(place, luxel.normal)];
        direct.extend(plan::LAMPS.iter().map(|lamp| {
            let color = Vec3::from(lamp.color.map(|channel| f32::from(channel) / 255.0));
            let lights = lamp.places.iter();
            let sum: Vec3 = lights
                .map(|at| self.lamp((*at).into(), lamp.strength, place, luxel.normal))
                .sum();
            sum * color * color
        }));
        Lit { direct, met }
    }

    /// The light at a position in a room from the sky and from the walls.
    pub(crate) fn probe(&self, place: Vec3, light: &Light) -> Vec3 {
        self.around(place, light, 1.0)
    }

    /// The light at a position in a room from walls that a lamp lights.
    pub(crate) fn probe_of_lamp(&self, place: Vec3, light: &Light) -> Vec3 {
        self.around(place, light, 0.0)
    }

    fn around(&self, place: Vec3, light: &Light, sky: f32) -> Vec3 {
        let sum: Vec3 = (0..PROBE_WAYS)
            .map(|i| {
                let y = 1.0 - (i as f64 + 0.5) * 2.0 / PROBE_WAYS as f64;
                let turns = i as f64 * 0.618_033_988_75;
                let wide = (1.0 - y * y).sqrt();
                let way = Vec3::new(
                    (cosine(turns) * wide) as f32,
                    y as f32,
                    (sine(turns) * wide) as f32,
                );
                let met = self.meet(place, way, 60.0);
                match met.luxel {
                    SKY_MET => self.sky(way) * met.tint * sky,
                    NOTHING_MET => Vec3::ZERO,
                    luxel => light[luxel as usize] * self.charts.luxels[luxel as usize].albedo,
                }
            })
            .sum();
        tone(sum / PROBE_WAYS as f32)
    }
}

/// Adds light that bounces off walls.
fn bounced(luxels: &[Luxel], lit: &[Option<Lit>], direct: Light) -> Light {
    let mut all = direct.clone();
    let mut last = direct;
    for _ in 0..BOUNCES {
        let next: Light = lit
            .iter()
            .map(|lit| {
                let Some(lit) = lit else {
                    return Vec3::ZERO;
                };
                let sum: Vec3 = (lit.met.iter())
                    .filter(|met| **met < NOTHING_MET)
                    .map(|met| last[*met as usize] * luxels[*met as usize].albedo)
                    .sum();
                sum / WAYS as f32
            })
            .collect();
        for (all, next) in all.iter_mut().zip(&next) {
            *all += *next;
        }
        last = next;
    }
    all
}

impl Charts {
    /// Fills luxels that are inside an object with the light of their neighbours.
    fn spread(&self, light: &mut Light) {
        let mut known: Vec<bool> = self.luxels.iter().map(|l| l.is_used && l.is_free).collect();
        for chart in &self.list {
            let [width, height] = chart.outer();
            let index = |x: u32, y: u32| chart.first + (y * width + x) as usize;
            for _ in 0..3 {
                let mut found = Vec::new();
                for y in 0..height {
                    for x in 0..width {
                        let own = index(x, y);
                        if known[own] || !self.luxels[own].is_used {
                            continue;
                        }
                        let mut sum = Vec3::ZERO;
                        let mut count = 0.0;
                        for (nx, ny) in [
                            (x.wrapping_sub(1), y),
                            (x + 1, y),
                            (x, y.wrapping_sub(1)),
                            (x, y + 1),
                        ] {
                            if nx < width && ny < height && known[index(nx, ny)] {
                                sum += light[index(nx, ny)];
                                count += 1.0;
                            }
                        }
                        if count > 0.0 {
                            found.push((own, sum / count));
                        }
                    }
                }
                for (own, sum) in found {
                    (light[own], known[own]) = (sum, true);
                }
            }
        }
    }
}

/// Maps a list in parallel, with one thread per core.
fn in_parallel<T: Sync, R: Send>(list: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let each = list.len().div_ceil(cores).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = list
            .chunks(each)
            .map(|part| scope.spawn(|| part.iter().map(&work).collect::<Vec<R>>()))
            .collect();
        let parts = parts.into_iter().map(ScopedJoinHandle::join);
        parts
            .flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The centre of a cell.
pub(crate) fn middle(least: IVec3, side: i32) -> Vec3 {
    place_of(least) + side as f32 * MARK * 0.5
}
