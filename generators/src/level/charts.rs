//! Assigns faces to lightmaps. Faces of a room that touch each other in one plane share a chart,
//! and the charts of a room in a chunk share a lightmap.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

use super::grid::{Corner, Grid, MARK, RoundThing, What, mark_of};
use super::plan;
use super::tree::{Face, Outline, Tree};
use crate::maths::{cosine, sine};

/// Luxels per metre of a floor.
const DENSITY: f32 = 4.0;
/// Luxels per metre of a wall.
const WALL_DENSITY: f32 = 3.0;
/// Luxels per metre of ceilings and of the ground outside, where shadows are soft.
const SOFT_DENSITY: f32 = 2.0;
/// Luxels per metre of surfaces that players do not see.
const ROOF_DENSITY: f32 = 1.0;
/// Border of a chart in luxels. Light is baked for it too, so that filtering does not reach other
/// charts.
const GUTTER: u32 = 1;
/// Exponent of the maximum lightmap size: 2^`MAX_EXPONENT` luxels per side.
const MAX_EXPONENT: u8 = 8;

/// The surface that a chart covers.
#[derive(Debug, Clone, Copy)]
enum Surface {
    /// A plane: its upper left corner, its right and down directions, and its normal.
    Plane {
        corner: Vec3,
        right: Vec3,
        down: Vec3,
        normal: Vec3,
    },
    /// The surface around a round object.
    Round(RoundThing),
}

/// A part of a lightmap.
#[derive(Debug)]
pub(crate) struct Chart {
    surface: Surface,
    density: f32,
    /// Width and height in luxels without the gutter.
    size: [u32; 2],
    /// Index of the lightmap in its chunk, and position of the first luxel without the gutter.
    pub(crate) map: usize,
    pub(crate) at: [u32; 2],
    /// Index of its first luxel among all luxels, which is in the gutter.
    pub(crate) first: usize,
}

/// A luxel of a chart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Luxel {
    pub(crate) place: Vec3,
    pub(crate) normal: Vec3,
    /// Albedo per colour channel.
    pub(crate) albedo: Vec3,
    /// `true` if a face shows it.
    pub(crate) is_used: bool,
    /// `true` if it is not inside an object.
    pub(crate) is_free: bool,
}

/// A lightmap of a chunk.
#[derive(Debug)]
pub(crate) struct Map {
    pub(crate) chunk: usize,
    pub(crate) exponent: u8,
}

/// All charts of all chunks.
#[derive(Debug, Default)]
pub(crate) struct Charts {
    pub(crate) list: Vec<Chart>,
    pub(crate) luxels: Vec<Luxel>,
    pub(crate) maps: Vec<Map>,
    /// The chart of each face of each chunk; `None` if its light does not matter.
    of_face: Vec<Vec<Option<usize>>>,
}

/// The right and down directions of a face for an upright viewer in front of it.
pub(crate) fn frame(normal: Vec3) -> [Vec3; 2] {
    let right = if normal.y.abs() > 0.9 {
        let x = Vec3::X - normal * normal.x;
        x.normalize() * normal.y.signum()
    } else {
        normal.cross(Vec3::Y).normalize()
    };
    [right, normal.cross(right)]
}

/// A plane: its chunk, its room, its normal and its distance from the origin, in thousandths.
type Plane = (usize, usize, [i32; 3], i32);

/// A face in a plane: its chunk, its index, and its extent to the right and down.
struct Flat {
    chunk: usize,
    face: usize,
    min: Vec2,
    max: Vec2,
}

/// The room that contains a position.
pub(crate) fn room_of(place: Vec3) -> usize {
    let holds =
        |room: &plan::Room| place.cmpge(room.0.into()).all() && place.cmplt(room.1.into()).all();
    let found = plan::ROOMS.iter().position(|(_, room)| holds(room));
    found.unwrap_or(plan::ROOMS.len() - 1)
}

impl Charts {
    /// Finds charts for all faces of all chunks. `means` are the mean colours of materials.
    pub(crate) fn of(grid: &Grid, trees: &[Tree], means: &dyn Fn(usize, usize) -> Vec3) -> Self {
        let mut charts = Self {
            of_face: trees
                .iter()
                .map(|tree| vec![None; tree.faces.len()])
                .collect(),
            ..Self::default()
        };
        let mut planes: BTreeMap<Plane, Vec<Flat>> = BTreeMap::new();
        let mut rounds: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (chunk, tree) in trees.iter().enumerate() {
            for (number, face) in tree.faces.iter().enumerate() {
                if !grid.look(face.block, face.side).is_lit {
                    continue;
                }
                if let Outline::Triangles(_, Some(thing)) = &face.outline {
                    rounds
                        .entry((chunk, *thing))
                        .or_default()
                        .push((chunk, number));
                    continue;
                }
                let normal = face.normal();
                let room = room_of(face.middle() + normal * 0.1);
                let whole = |x: f32| (x * 1000.0).round() as i32;
                let plane = (
                    chunk,
                    room,
                    normal.to_array().map(whole),
                    whole(face.middle().dot(normal)),
                );
                let [min, max] = bounds(face, normal);
                planes.entry(plane).or_default().push(Flat {
                    chunk,
                    face: number,
                    min,
                    max,
                });
            }
        }
        // The charts of each lightmap, by chunk and room.
        let mut of_room: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for ((chunk, room, ..), flats) in planes {
            for group in touching(flats) {
                let chart = charts.add_plane(grid, trees, &group, room, means);
                of_room.entry((chunk, room)).or_default().push(chart);
            }
        }
        for ((chunk, thing), faces) in rounds {
            let thing = grid.rounds[thing];
            let room = room_of(thing.foot + Vec3::Y * 0.1);
            let chart = charts.add_round(thing, &faces, trees, means);
            of_room.entry((chunk, room)).or_default().push(chart);
        }
        for ((chunk, _), members) in of_room {
            charts.pack(chunk, members);
        }
        charts.mark_free(grid);
        charts
    }

    /// The chart of a face of a chunk.
    pub(crate) fn of_face(&self, chunk: usize, face: usize) -> Option<usize> {
        self.of_face[chunk][face]
    }

    fn push(&mut self, surface: Surface, density: f32, size: [u32; 2]) -> usize {
        self.list.push(Chart {
            surface,
            density,
            size,
            map: 0,
            at: [0; 2],
            first: self.luxels.len(),
        });
        let chart = &self.list[self.list.len() - 1];
        let [width, height] = chart.outer();
        let luxels = (0..width * height).map(|i| {
            let (place, normal) = chart.place([i % width, i / width]);
            Luxel {
                place,
                normal,
                albedo: Vec3::ZERO,
                is_used: false,
                is_free: false,
            }
        });
        self.luxels.extend(luxels.collect::<Vec<_>>());
        self.list.len() - 1
    }

    fn add_plane(
        &mut self,
        grid: &Grid,
        trees: &[Tree],
        group: &[Flat],
        room: usize,
        means: &dyn Fn(usize, usize) -> Vec3,
    ) -> usize {
        let min = group.iter().fold(Vec2::MAX, |min, flat| min.min(flat.min));
        let max = group.iter().fold(Vec2::MIN, |max, flat| max.max(flat.max));
        let face = &trees[group[0].chunk].faces[group[0].face];
        let normal = face.normal();
        let [right, down] = frame(normal);
        // Bent faces lie below it.
        let heights = face.corners().map(|corner| corner.place.dot(normal));
        let height = heights.fold(f32::MIN, f32::max);
        let corner = right * min.x + down * min.y + normal * height;
        let density = if room == plan::ROOMS.len() - 1 {
            ROOF_DENSITY
        } else if normal.y < -0.9 || grid.look(face.block, face.side).kind == "ground" {
            SOFT_DENSITY
        } else if normal.y > 0.1 {
            DENSITY
        } else {
            WALL_DENSITY
        };
        let size = ((max - min) * density - 1e-3)
            .ceil()
            .max(Vec2::ONE)
            .as_uvec2();
        let surface = Surface::Plane {
            corner,
            right,
            down,
            normal,
        };
        let number = self.push(surface, density, size.to_array());
        let chart = &self.list[number];
        let [width, height] = chart.outer();
        for flat in group {
            let face = &trees[flat.chunk].faces[flat.face];
            let albedo = means(face.block, face.side);
            let near = 1.01 / density;
            for (i, luxel) in (0..width * height).zip(&mut self.luxels[chart.first..]) {
                let middle = Vec2::new((i % width) as f32, (i / width) as f32) - 0.5;
                let at = min + middle / density;
                let inside = at.cmpgt(flat.min).all() && at.cmplt(flat.max).all();
                if inside || !luxel.is_used {
                    let close = at.cmpgt(flat.min - near).all() && at.cmplt(flat.max + near).all();
                    if close {
                        luxel.is_used = true;
                        luxel.albedo = albedo;
                    }
                }
            }
            self.of_face[flat.chunk][flat.face] = Some(number);
        }
        number
    }

    fn add_round(
        &mut self,
        thing: RoundThing,
        faces: &[(usize, usize)],
        trees: &[Tree],
        means: &dyn Fn(usize, usize) -> Vec3,
    ) -> usize {
        let size = [
            ((thing.radius * 6.3 * WALL_DENSITY).ceil() as u32).max(8),
            (thing.height * WALL_DENSITY).ceil() as u32,
        ];
        let number = self.push(Surface::Round(thing), WALL_DENSITY, size);
        let face = &trees[faces[0].0].faces[faces[0].1];
        let albedo = means(face.block, face.side);
        let first = self.list[number].first;
        for luxel in &mut self.luxels[first..] {
            (luxel.is_used, luxel.albedo) = (true, albedo);
        }
        for (chunk, face) in faces {
            self.of_face[*chunk][*face] = Some(number);
        }
        number
    }

    /// Packs charts into as few and as small lightmaps as possible, the highest charts first.
    fn pack(&mut self, chunk: usize, mut members: Vec<usize>) {
        members.sort_by_key(|member| {
            let [width, height] = self.list[*member].outer();
            std::cmp::Reverse((height, width))
        });
        while !members.is_empty() {
            let map = self.maps.len();
            let fit = (3..=MAX_EXPONENT).find_map(|exponent| {
                let (placed, left) = self.shelves(&members, 1 << exponent);
                (left.is_empty() || exponent == MAX_EXPONENT).then_some((exponent, placed, left))
            });
            let Some((exponent, placed, left)) = fit else {
                return;
            };
            for (member, at) in placed {
                let chart = &mut self.list[member];
                (chart.map, chart.at) = (map, at.map(|at| at + GUTTER));
            }
            self.maps.push(Map { chunk, exponent });
            assert!(
                left.len() < members.len(),
                "a chart is larger than a lightmap"
            );
            members = left;
        }
    }

    /// Places charts on shelves in a square of this side. Returns the placed and the remaining
    /// ones.
    fn shelves(&self, members: &[usize], side: u32) -> (Vec<(usize, [u32; 2])>, Vec<usize>) {
        // For each shelf: its top, its height and its filled width.
        let mut rows: Vec<[u32; 3]> = Vec::new();
        let (mut placed, mut left) = (Vec::new(), Vec::new());
        for &member in members {
            let [width, height] = self.list[member].outer();
            let row = rows
                .iter_mut()
                .find(|row| row[1] >= height && row[2] + width <= side);
            if let Some(row) = row {
                placed.push((member, [row[2], row[0]]));
                row[2] += width;
                continue;
            }
            let top = rows.last().map_or(0, |row| row[0] + row[1]);
            if top + height <= side && width <= side {
                placed.push((member, [0, top]));
                rows.push([top, height, width]);
            } else {
                left.push(member);
            }
        }
        (placed, left)
    }

    /// Marks the luxels that are not inside an object.
    fn mark_free(&mut self, grid: &Grid) {
        for luxel in &mut self.luxels {
            let mark = mark_of(luxel.place + luxel.normal * 0.03);
            luxel.is_free = match grid.at(mark) {
                What::Nowhere => false,
                What::Block(block) => grid.lets_light(block),
                What::Air | What::Shape(_) => true,
            };
        }
    }

    /// The position of a face corner on its lightmap, from 0 to 1.
    pub(crate) fn uv(&self, chart: usize, corner: &Corner) -> [f32; 2] {
        let chart = &self.list[chart];
        let side = (1_u32 << self.maps[chart.map].exponent) as f32;
        let at = chart.luxel_at(corner);
        [0, 1].map(|axis| (chart.at[axis] as f32 + at[axis]) / side)
    }

    /// The index of the luxel at a corner or at a point between corners.
    pub(crate) fn luxel_at(&self, chart: usize, corner: &Corner) -> usize {
        let chart = &self.list[chart];
        let [width, height] = chart.outer();
        let at = chart.luxel_at(corner) + GUTTER as f32;
        let inside = |at: f32, count: u32| (at.max(0.0) as u32).min(count - 1);
        chart.first + (inside(at.y, height) * width + inside(at.x, width)) as usize
    }
}

impl Chart {
    /// Width and height in luxels with the gutter.
    pub(crate) fn outer(&self) -> [u32; 2] {
        self.size.map(|size| size + 2 * GUTTER)
    }

    /// Position and normal of a luxel in the world. Luxels count from the gutter.
    fn place(&self, luxel: [u32; 2]) -> (Vec3, Vec3) {
        let at = luxel.map(|at| at as f32 + 0.5 - GUTTER as f32);
        match self.surface {
            Surface::Plane {
                corner,
                right,
                down,
                normal,
            } => {
                let place = corner + (right * at[0] + down * at[1]) / self.density;
                (place, normal)
            }
            Surface::Round(thing) => {
                let [u, v] = [0, 1].map(|axis| at[axis] / self.size[axis] as f32);
                let turns = f64::from(u) + 0.125;
                let out = Vec3::new(cosine(turns) as f32, 0.0, sine(turns) as f32);
                let height = thing.height * (1.0 - v);
                (
                    thing.foot + out * (thing.radius + 0.03) + Vec3::Y * height,
                    out,
                )
            }
        }
    }

    /// The distance of a corner from the first luxel without the gutter, in luxels.
    fn luxel_at(&self, corner: &Corner) -> Vec2 {
        match self.surface {
            Surface::Plane {
                corner: first,
                right,
                down,
                ..
            } => {
                let from = corner.place - first;
                Vec2::new(from.dot(right), from.dot(down)) * self.density
            }
            Surface::Round(_) => {
                Vec2::from(corner.around) * Vec2::from(self.size.map(|size| size as f32))
            }
        }
    }
}

/// The extent of a face to the right and down, relative to the origin.
fn bounds(face: &Face, normal: Vec3) -> [Vec2; 2] {
    let [right, down] = frame(normal);
    let flat = |place: Vec3| Vec2::new(place.dot(right), place.dot(down));
    let places: Vec<Vec2> = match &face.outline {
        Outline::Quad(corners) => corners.iter().copied().map(flat).collect(),
        Outline::Triangles(list, _) => list
            .iter()
            .flatten()
            .map(|corner| flat(corner.place))
            .collect(),
    };
    let min = places.iter().copied().fold(Vec2::MAX, Vec2::min);
    let max = places.iter().copied().fold(Vec2::MIN, Vec2::max);
    [min, max]
}

/// Groups of faces that touch each other.
fn touching(flats: Vec<Flat>) -> Vec<Vec<Flat>> {
    let slack = MARK * 0.1;
    let mut groups: Vec<Vec<Flat>> = Vec::new();
    for flat in flats {
        let touches = |group: &Vec<Flat>| {
            group.iter().any(|other| {
                (flat.min - slack).cmple(other.max).all()
                    && (flat.max + slack).cmpge(other.min).all()
            })
        };
        let (mut near, far): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = far;
        let mut group: Vec<Flat> = near.drain(..).flatten().collect();
        group.push(flat);
        groups.push(group);
    }
    groups
}
