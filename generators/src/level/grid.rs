//! The plan on a grid: the content of each quarter of a metre, and the shapes that are not boxes.

use glam::{IVec3, Vec3};
use mapscope_formats::pmf::{SIDE_CORNERS, corner_signs};

use super::materials::{LOOKS, Look};
use super::plan::{self, Block};
use crate::maths::{cosine, sine};

/// The edge of a grid mark, in metres.
pub(crate) const MARK: f32 = 0.25;
/// Marks along X, Y and Z.
pub(crate) const MARKS: [i32; 3] = [128, 64, 64];
/// Number of corners of round objects.
const ROUND_SIDES: usize = 8;

/// The content of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Outside the level.
    Nowhere,
    Air,
    /// The index of a block.
    Block(usize),
    /// The index of a shape that covers it.
    Shape(usize),
}

/// A corner of a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    pub(crate) place: Vec3,
    pub(crate) normal: Vec3,
    /// Position around and along a round object, from 0 to 1.
    pub(crate) around: [f32; 2],
}

/// The geometry of a shape.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// A box by its corners.
    Moved([Vec3; 8]),
    /// Triangles on each side, and the index of the round object to which they belong.
    Round {
        sides: [Vec<[Corner; 3]>; 6],
        thing: usize,
    },
}

/// An object that occupies its cell but is not a plain box.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) block: usize,
    /// Its minimum mark, and the number of marks along each edge.
    pub(crate) least: IVec3,
    pub(crate) side: i32,
    pub(crate) form: Form,
}

/// A cylinder around the axis of a round object, on which its light is baked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundThing {
    pub(crate) foot: Vec3,
    pub(crate) height: f32,
    /// Its maximum radius.
    pub(crate) radius: f32,
}

/// The plan on a grid.
pub(crate) struct Grid {
    pub(crate) blocks: Vec<Block>,
    marks: Vec<What>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) rounds: Vec<RoundThing>,
}

/// The mark that contains a position.
pub(crate) fn mark_of(place: Vec3) -> IVec3 {
    ((place - Vec3::from(plan::LEAST)) / MARK)
        .floor()
        .as_ivec3()
}

/// The minimum corner of a mark.
pub(crate) fn place_of(mark: IVec3) -> Vec3 {
    mark.as_vec3() * MARK + Vec3::from(plan::LEAST)
}

impl Grid {
    /// Puts the plan on a grid.
    pub(crate) fn of_plan() -> Self {
        let count = MARKS.iter().product::<i32>() as usize;
        let mut grid = Self {
            blocks: plan::BLOCKS.to_vec(),
            marks: vec![What::Air; count],
            shapes: Vec::new(),
            rounds: Vec::new(),
        };
        for plan::Fill(block, from, to) in plan::FILLS {
            grid.fill(block, *from, *to);
        }
        grid.letters();
        grid.stair();
        grid.coping();
        grid.water();
        grid.skylight();
        grid.windows();
        grid.arch();
        grid.balustrade();
        for thing in plan::THINGS {
            let corners = thing.corners.map(Vec3::from);
            grid.add_moved(thing.block, thing.at.into(), thing.metres, corners);
        }
        grid.beams();
        grid.columns();
        grid.lanterns();
        for round in plan::ROUNDS {
            let foot = round.foot.into();
            grid.add_round(round.block, foot, round.cell, round.outline);
        }
        grid
    }

    fn index(mark: IVec3) -> Option<usize> {
        let inside = |axis: usize| (0..MARKS[axis]).contains(&mark[axis]);
        let [_, height, depth] = MARKS;
        (inside(0) && inside(1) && inside(2))
            .then(|| ((mark.x * height + mark.y) * depth + mark.z) as usize)
    }

    /// The index of a mark, for data beside the grid.
    pub(crate) fn number(mark: IVec3) -> usize {
        Self::index(mark).unwrap_or(0)
    }

    /// The content of a mark.
    pub(crate) fn at(&self, mark: IVec3) -> What {
        Self::index(mark).map_or(What::Nowhere, |index| self.marks[index])
    }

    fn block(&self, name: &str) -> usize {
        let found = self.blocks.iter().position(|block| block.name == name);
        assert!(found.is_some(), "the plan has no block `{name}`");
        found.unwrap_or(0)
    }

    /// The look of a side of a block.
    pub(crate) fn look(&self, block: usize, side: usize) -> &'static Look {
        let name = self.blocks[block].sides[side];
        let found = Look::find(name);
        assert!(found.is_some(), "there is no material `{name}`");
        &LOOKS[found.unwrap_or(0)]
    }

    /// `true` if light passes through a block that is not a shape.
    pub(crate) fn lets_light(&self, block: usize) -> bool {
        self.look(block, 0).lets_light()
    }

    fn set(&mut self, least: IVec3, side: IVec3, what: What) {
        for x in 0..side.x {
            for y in 0..side.y {
                for z in 0..side.z {
                    if let Some(index) = Self::index(least + IVec3::new(x, y, z)) {
                        self.marks[index] = what;
                    }
                }
            }
        }
    }

    fn fill(&mut self, block: &str, from: plan::Point, to: plan::Point) {
        let what = if block == plan::AIR {
            What::Air
        } else {
            What::Block(self.block(block))
        };
        let (least, end) = (mark_of(from.into()), mark_of(to.into()));
        self.set(least, end - least, what);
    }

    /// Adds a box whose corners are given as fractions of its cell.
    fn add_moved(&mut self, block: &str, at: Vec3, metres: f32, corners: [Vec3; 8]) {
        let corners = corners.map(|corner| at + corner * metres);
        self.add(block, at, metres, Form::Moved(corners));
    }

    fn add(&mut self, block: &str, at: Vec3, metres: f32, form: Form) {
        let least = mark_of(at);
        let side = (metres / MARK) as i32;
        assert!(
            (least % side) == IVec3::ZERO,
            "a shape at {at} is in no cell of the octree"
        );
        let block = self.block(block);
        self.set(least, IVec3::splat(side), What::Shape(self.shapes.len()));
        self.shapes.push(Shape {
            block,
            least,
            side,
            form,
        });
    }

    fn letters(&mut self) {
        let [x, top, middle] = plan::LETTERS_AT;
        let width = plan::LETTERS[0].len() as f32 * MARK;
        // From left to right, which is toward -Z, and from the top.
        for (row, marks) in plan::LETTERS.iter().enumerate() {
            for (column, _) in marks.bytes().enumerate().filter(|(_, mark)| *mark == b'#') {
                let z = ((middle + width * 0.5) / MARK).floor() * MARK - column as f32 * MARK;
                let y = top - row as f32 * MARK;
                self.fill(
                    plan::LETTERS_BLOCK,
                    [x - MARK, y - MARK, z - MARK],
                    [x, y, z],
                );
            }
        }
    }

    /// Steps, half of which end in the centre of a cell, and the wall beside them, whose top
    /// slopes.
    fn stair(&mut self) {
        let [x, y, z] = plan::STAIR_AT;
        let [run, rise] = plan::STEP_METRES;
        let end = z + plan::STAIR_WIDTH;
        for step in 0..plan::STEPS {
            let x = x - run * (step + 1) as f32;
            let top = y + rise * (step + 1) as f32;
            let whole = y + ((top - y) / run).floor() * run;
            self.fill("step", [x, y, z], [x + run, whole, end]);
            if whole < top {
                for row in 0..3 {
                    let at = Vec3::new(x, whole, z + run * row as f32);
                    self.add_moved("step", at, run, unit([0.5; 4]));
                }
            }
            // Beside it: it rises toward -X by the height of a step.
            let low = top - rise + plan::PARAPET_METRES;
            let base = y + ((low - y) / run).floor() * run;
            self.fill("parapet", [x, y, end], [x + run, base, end + run]);
            let share = (low - base) / run;
            let at = Vec3::new(x, base, end);
            let heights = [share, share + rise / run, share, share + rise / run];
            self.add_moved("parapet", at, run, unit(heights));
        }
    }

    /// Stones around the pool, whose edges toward the water are lower.
    fn coping(&mut self) {
        let plan::Room(from, to) = plan::COPING;
        let metres = 0.5;
        let (columns, rows) = (
            ((to[0] - from[0]) / metres) as i32,
            ((to[2] - from[2]) / metres) as i32,
        );
        for column in 0..columns {
            for row in 0..rows {
                let ends = [
                    column == 0,
                    column == columns - 1,
                    row == 0,
                    row == rows - 1,
                ];
                if ends == [false; 4] {
                    continue;
                }
                let at = Vec3::new(
                    from[0] + metres * column as f32,
                    from[1],
                    from[2] + metres * row as f32,
                );
                let inner = |x: f32, z: f32| {
                    let place = at + Vec3::new(x, 0.0, z) * metres;
                    let edge = place.x > from[0] && place.x < to[0];
                    if edge && place.z > from[2] && place.z < to[2] {
                        0.7
                    } else {
                        1.0
                    }
                };
                let heights = [
                    inner(1.0, 1.0),
                    inner(0.0, 1.0),
                    inner(1.0, 0.0),
                    inner(0.0, 0.0),
                ];
                self.add_moved("coping", at, metres, unit(heights));
            }
        }
    }

    /// The surface of the water, which is in the centre of its cells.
    fn water(&mut self) {
        let plan::Room(from, to) = plan::WATER;
        let count = |axis: usize| (to[axis] - from[axis]) as u32;
        for column in 0..count(0) {
            for row in 0..count(2) {
                let at = Vec3::from(from) + Vec3::new(column as f32, 0.0, row as f32);
                self.add_moved("water", at, 1.0, unit([plan::WATER_SHARE; 4]));
            }
        }
    }

    /// Wedges around the opening in the ceiling, one metre each.
    fn skylight(&mut self) {
        let [[x0, x1, z0, z1], [wide_x0, wide_x1, wide_z0, wide_z1]] = plan::SKYLIGHT;
        let [low, high] = plan::SKYLIGHT_HEIGHTS;
        let metres = high - low;
        let mut x = wide_x0;
        while x < wide_x1 {
            let mut z = wide_z0;
            while z < wide_z1 {
                let is_open = (x0..x1).contains(&x) && (z0..z1).contains(&z);
                if !is_open {
                    let at = Vec3::new(x, low, z);
                    // The lower corners extend to the wider opening.
                    let lower = |corner: Vec3| {
                        let mut place = at + corner;
                        if corner.y == 0.0 {
                            if x < x0 {
                                place.x = wide_x0;
                            } else if x >= x1 {
                                place.x = wide_x1;
                            }
                            if z < z0 {
                                place.z = wide_z0;
                            } else if z >= z1 {
                                place.z = wide_z1;
                            }
                        }
                        place - at
                    };
                    self.add_moved("roof", at, metres, unit([1.0; 4]).map(lower));
                }
                z += metres;
            }
            x += metres;
        }
    }

    fn windows(&mut self) {
        for window in plan::WINDOWS {
            let along = 2 - window.axis;
            for row in 0..window.panes[1] {
                for column in 0..window.panes[0] {
                    let mut at = Vec3::from(window.at);
                    at[along] += column as f32;
                    at.y += row as f32;
                    let glass = window.glass.get(row as usize).copied();
                    let glass = glass.unwrap_or(window.glass[0]);
                    // Thin, in the centre of the wall.
                    let thin = |mut corner: Vec3| {
                        corner[window.axis] = corner[window.axis] * 0.06 + 0.47;
                        corner
                    };
                    self.add_moved(glass, at, 1.0, unit([1.0; 4]).map(thin));
                }
            }
        }
    }

    /// Wedges in the upper corners of the passage between vestibule and hall.
    fn arch(&mut self) {
        for x in [1.0, 1.5] {
            for (z, toward) in [(1.0, 0.0), (-1.5, 1.0)] {
                let wedge = |corner: Vec3| {
                    // The lower corner toward the centre is raised to the ceiling.
                    if corner.y == 0.0 && corner.z == toward {
                        corner.with_y(1.0)
                    } else {
                        corner
                    }
                };
                let at = Vec3::new(x, -2.0, z);
                self.add_moved("plaster", at, 0.5, unit([1.0; 4]).map(wedge));
            }
        }
    }

    /// Panels of lattice with a rail on top.
    fn balustrade(&mut self) {
        let from = Vec3::from(plan::BALUSTRADE_AT);
        for metre in 0..plan::BALUSTRADE_METRES {
            let at = from + Vec3::Z * metre as f32;
            let within = |x0: f32, x1: f32, y1: f32| {
                move |corner: Vec3| Vec3::new(x0 + corner.x * (x1 - x0), corner.y * y1, corner.z)
            };
            let whole = unit([1.0; 4]);
            self.add_moved("lattice", at, 1.0, whole.map(within(0.6, 0.66, 1.0)));
            let rail = whole.map(within(0.5, 0.76, 0.1));
            self.add_moved("timber", at + Vec3::Y, 1.0, rail);
        }
    }

    fn beams(&mut self) {
        for (at, [from, to]) in plan::BEAMS {
            let slim = |corner: Vec3| corner.with_x(from + corner.x * (to - from));
            for metre in 0..plan::BEAM_METRES {
                let at = Vec3::from(at) + Vec3::Z * metre as f32;
                self.add_moved("timber", at, 1.0, unit([1.0; 4]).map(slim));
            }
        }
    }

    fn columns(&mut self) {
        let [low, high] = plan::COLUMN_FEET;
        let [foot, shaft, head] = plan::COLUMN_OUTLINE;
        let metres = (high - low) as usize;
        for [x, z] in plan::COLUMNS {
            // Each metre continues the one below.
            let raised = |outline: &[[f32; 2]], by: usize| -> Vec<[f32; 2]> {
                let raise = |[height, radius]: &[f32; 2]| [height + by as f32, *radius];
                outline.iter().map(raise).collect()
            };
            let outline: Vec<Vec<[f32; 2]>> = (0..metres)
                .map(|metre| match metre {
                    0 => raised(foot, 0),
                    metre if metre == metres - 1 => raised(head, metre),
                    metre => raised(shaft, metre),
                })
                .collect();
            let outline: Vec<&[[f32; 2]]> = outline.iter().map(Vec::as_slice).collect();
            let foot = Vec3::new(x, low, z);
            self.add_round(plan::COLUMN_BLOCK, foot, 1.0, &outline);
        }
    }

    /// A round lamp around a point.
    fn lamp(&mut self, block: &str, middle: Vec3) {
        let foot = middle - 0.25 * Vec3::Y;
        self.add_round(block, foot, 0.5, &[plan::LANTERN_OUTLINE]);
    }

    fn lanterns(&mut self) {
        let half = 0.25;
        for place in plan::LANTERNS {
            let middle = Vec3::from(place);
            self.lamp("lamp", middle);
            // The chain up to the beam.
            let thin =
                |corner: Vec3| Vec3::new(corner.x * 0.1 + 0.45, corner.y, corner.z * 0.1 + 0.45);
            let mut at = middle - half + 0.5 * Vec3::Y;
            while at.y < plan::LANTERN_BEAM {
                self.add_moved("timber", at, 0.5, unit([1.0; 4]).map(thin));
                at.y += 0.5;
            }
        }
        self.lamp("rose lamp", Vec3::from(plan::ROSE_LAMP));
        for place in plan::GARDEN_LAMPS {
            let middle = Vec3::from(place);
            self.lamp("lamp", middle);
            let post =
                |corner: Vec3| Vec3::new(corner.x * 0.3 + 0.35, corner.y, corner.z * 0.3 + 0.35);
            let mut at = middle - half - 0.5 * Vec3::Y;
            while at.y >= -4.0 {
                self.add_moved("stone", at, 0.5, unit([1.0; 4]).map(post));
                at.y -= 0.5;
            }
        }
    }

    /// Adds a round object, cell by cell.
    fn add_round(&mut self, block: &str, foot: Vec3, cell: f32, outline: &[&[[f32; 2]]]) {
        let all = || outline.iter().copied().flatten();
        let height = all().fold(0.0_f32, |most, [height, _]| most.max(*height));
        let radius = all().fold(0.0_f32, |most, [_, radius]| most.max(*radius));
        let thing = self.rounds.len();
        self.rounds.push(RoundThing {
            foot,
            height,
            radius,
        });
        for (number, part) in outline.iter().enumerate() {
            let sides = round_sides(foot, height, part);
            let at = foot + Vec3::new(-0.5, number as f32, -0.5) * cell;
            self.add(block, at, cell, Form::Round { sides, thing });
        }
    }
}

/// The corners of a cell from 0 to 1, with the given heights of its upper corners: (+X +Z), (-X
/// +Z), (+X -Z), (-X -Z).
fn unit(heights: [f32; 4]) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        let [x, y, z] = corner_signs(corner).map(|sign| sign * 0.5 + 0.5);
        Vec3::new(x, y * heights[corner % 4], z)
    })
}

/// The direction of a corner of a round object.
fn around(corner: usize) -> Vec3 {
    let turns = corner as f64 / ROUND_SIDES as f64 + 0.125;
    Vec3::new(cosine(turns) as f32, 0.0, sine(turns) as f32)
}

/// The triangles of a round object with smooth normals, grouped by the side that they face.
fn round_sides(foot: Vec3, height: f32, outline: &[[f32; 2]]) -> [Vec<[Corner; 3]>; 6] {
    let mut sides: [Vec<[Corner; 3]>; 6] = Default::default();
    // Starting after a quarter turn, from +X toward +Z.
    const ORDER: [usize; 4] = [2, 3, 5, 0];
    for pair in outline.windows(2) {
        let [[low, wide], [high, narrow]] = [pair[0], pair[1]];
        if wide == 0.0 && narrow == 0.0 {
            continue;
        }
        // The upward or downward slope of the surface.
        let slope =
            (wide - narrow) / (high - low).abs().max(1e-3) * if high < low { -1.0 } else { 1.0 };
        let inward = if high < low { -1.0 } else { 1.0 };
        for step in 0..ROUND_SIDES {
            let corner = |number: usize, height_at: f32, radius: f32| {
                let out = around(number % ROUND_SIDES);
                Corner {
                    place: foot + out * radius + Vec3::Y * height_at,
                    normal: (out * inward + Vec3::Y * slope * inward).normalize(),
                    around: [number as f32 / ROUND_SIDES as f32, 1.0 - height_at / height],
                }
            };
            // Seen from outside with Y up, larger numbers are to the right: X is right, Z ahead.
            let [tl, tr] = [step, step + 1].map(|number| corner(number, high, narrow));
            let [bl, br] = [step, step + 1].map(|number| corner(number, low, wide));
            let list = &mut sides[ORDER[step / (ROUND_SIDES / 4)]];
            // The outward normal of a triangle is (c - a) x (b - a).
            let facing = |triangle: [Corner; 3]| {
                let [a, b, c] = triangle;
                let outward = (c.place - a.place).cross(b.place - a.place);
                if outward.dot(a.normal + b.normal + c.normal) < 0.0 {
                    [a, c, b]
                } else {
                    triangle
                }
            };
            if narrow > 0.0 {
                list.push(facing([tl, bl, tr]));
            }
            if wide > 0.0 {
                list.push(facing([tr, bl, br]));
            }
        }
    }
    sides
}

impl Shape {
    /// `true` if a side covers the whole side of its cell and hides everything beside it.
    pub(crate) fn fills(&self, side: usize) -> bool {
        match &self.form {
            Form::Moved(corners) => {
                let least = place_of(self.least);
                let metres = self.side as f32 * MARK;
                SIDE_CORNERS[side].into_iter().all(|corner| {
                    let signs = Vec3::from(corner_signs(corner));
                    corners[corner] == least + (signs * 0.5 + 0.5) * metres
                })
            }
            Form::Round { .. } => false,
        }
    }

    /// The corners of a side of a box.
    pub(crate) fn quad(&self, side: usize) -> Option<[Vec3; 4]> {
        match &self.form {
            Form::Moved(corners) => Some(SIDE_CORNERS[side].map(|corner| corners[corner])),
            Form::Round { .. } => None,
        }
    }
}
