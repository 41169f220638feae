//! The engine's navigation grid: the ground that units can reach, and unreachable ground (fact
//! sheet E).
//!
//! Every tile has two by two cells of 4 by 4 units, each passable or not. Passable cells that share
//! a side (not only a corner) form an island. The engine has twelve grids, for three domains and
//! four sizes of units. This module has the first grid of two domains: units of one cell on the
//! ground and on the water. Units in the air can go anywhere.
//!
//! A cliff lies between two flat tiles of different heights. As in the engine, the cells of both
//! tiles that are not adjacent to the cliff become impassable. A static entity blocks every cell
//! that its footprint overlaps; the fact sheet does not define the footprint.

use std::ops::Range;

use glam::Vec2;

use super::geometry::{Barrier, Corner, Placement, Shape, TILE_SIDE, beyond};
use crate::Item;
use crate::core::parallel::split_among_threads;
use mapscope_formats::pfmap::{Edge, Pfmap, Tile, TileType};

/// Number of cells along a side of a tile.
pub const CELLS_PER_SIDE: u32 = 2;
/// Side of a cell in world units.
pub const CELL_SIDE: f32 = TILE_SIDE / CELLS_PER_SIDE as f32;

/// The cells of a tile as bits: north-west 1, north-east 2, south-west 4, south-east 8.
const ALL_CELLS: u8 = 0b1111;
const CORNERS: [Corner; 4] = [
    Corner::NorthWest,
    Corner::NorthEast,
    Corner::SouthWest,
    Corner::SouthEast,
];
/// Budget for testing footprints of entities: number of cell tests per cell of the map. Real maps
/// stay far below this limit; it protects against malicious files.
const TESTS_PER_CELL: u64 = 8;
/// Minimum number of cell tests, for small maps.
const MIN_TESTS: u64 = 1 << 20;

/// The domain of a navigation grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Units that walk.
    Ground = 0,
    /// Ships.
    Water = 1,
}

impl Domain {
    /// Both domains, in the order of their numbers.
    pub const ALL: [Self; 2] = [Self::Ground, Self::Water];

    /// Its name in the interface and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Water => "water",
        }
    }

    /// Extracts the four bits of this domain from a tile's byte.
    const fn of(self, byte: u8) -> u8 {
        byte >> (4 * self as u8) & ALL_CELLS
    }
}

/// Reason why a cell is impassable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The tile itself is impassable.
    Tile(Barrier),
    /// A cliff lies along the opposite edge of the tile.
    Cliff,
    /// The ground is not below the water level, so ships cannot pass.
    Dry,
    /// The tile could not be read.
    Unread,
    /// An entity stands there: the index of its [`Blocker`].
    Entity(u32),
}

impl Obstacle {
    /// Display text of the reason, without the name of an entity.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tile(barrier) => barrier.name(),
            Self::Cliff => "cliff at the opposite edge",
            Self::Dry => "not below the water",
            Self::Unread => "could not be read",
            Self::Entity(_) => "an entity stands there",
        }
    }
}

/// A cell by its row and column in the whole map. They are twice the row and column of its tile,
/// plus one in the southern and eastern half of the tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// Row, from the north.
    pub row: u32,
    /// Column, from the west.
    pub col: u32,
}

impl Cell {
    /// The cell in a corner of the tile at a row and column.
    pub const fn in_tile(row: u32, col: u32, corner: Corner) -> Self {
        let at = corner as u32;
        Self {
            row: row * CELLS_PER_SIDE + at / 2,
            col: col * CELLS_PER_SIDE + at % 2,
        }
    }

    /// Row and column of its tile.
    pub const fn tile(self) -> (u32, u32) {
        (self.row / CELLS_PER_SIDE, self.col / CELLS_PER_SIDE)
    }

    /// Its corner in the tile.
    pub const fn corner(self) -> Corner {
        CORNERS[(self.row % 2 * 2 + self.col % 2) as usize]
    }

    /// Its middle, in tiles east and south of the north-west corner of the map.
    pub fn middle(self) -> Vec2 {
        (Vec2::new(self.col as f32, self.row as f32) + 0.5) / CELLS_PER_SIDE as f32
    }
}

/// The ground area that an entity covers, in world x and z.
#[derive(Debug, Clone, PartialEq)]
pub enum Footprint {
    /// The points of a convex outline, in order.
    Outline(Vec<Vec2>),
    /// A circle.
    Circle {
        /// Centre.
        center: Vec2,
        /// Radius in world units.
        radius: f32,
    },
}

impl Footprint {
    /// The convex hull of points.
    pub fn around(points: &[Vec2]) -> Self {
        let mut points = points.to_vec();
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        let mut outline: Vec<Vec2> = Vec::with_capacity(points.len() * 2);
        // First one side of the hull from west to east, then the other side from east to west.
        let forth = points.iter();
        let back = points.iter().rev().skip(1);
        let mut begin = 0;
        for (i, point) in forth.chain(back).enumerate() {
            if i == points.len() {
                begin = outline.len().saturating_sub(1);
            }
            while let [.., a, b] = outline[begin..] {
                if (b - a).perp_dot(*point - b) > 0.0 {
                    break;
                }
                outline.pop();
            }
            outline.push(*point);
        }
        if outline.len() > 1 {
            outline.pop();
        }
        Self::Outline(outline)
    }

    /// Converts the footprint to units of cells, from the north-west corner of a map. Also returns
    /// its bounds; `None` if they are not finite.
    fn in_cells(&self, placement: Placement) -> Option<(Self, [Vec2; 2])> {
        let cells = |at: Vec2| placement.tiles(at.x, at.y) * CELLS_PER_SIDE as f32;
        let moved = match self {
            Self::Outline(points) => Self::Outline(points.iter().map(|at| cells(*at)).collect()),
            Self::Circle { center, radius } => Self::Circle {
                center: cells(*center),
                radius: radius / CELL_SIDE,
            },
        };
        let (min, max) = moved.bounds()?;
        (min.is_finite() && max.is_finite()).then_some((moved, [min, max]))
    }

    fn bounds(&self) -> Option<(Vec2, Vec2)> {
        match self {
            Self::Outline(points) => {
                let bounds = points.iter().map(|point| (*point, *point));
                bounds.reduce(|(min, max), (a, b)| (min.min(a), max.max(b)))
            }
            Self::Circle { center, radius } => Some((*center - *radius, *center + *radius)),
        }
    }

    /// `true` if it overlaps the unit square at `corner`. Touching is not overlapping.
    fn overlaps(&self, corner: Vec2) -> bool {
        match self {
            Self::Outline(points) => {
                let is_apart =
                    |(min, max): (Vec2, Vec2)| (max.cmple(corner) | min.cmpge(corner + 1.0)).any();
                if self.bounds().is_none_or(is_apart) {
                    return false;
                }
                let ends = points.iter().skip(1).chain(points.first());
                let square = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].map(|at| corner + at);
                // The square is outside if it lies completely beyond one side of the outline.
                let is_beyond = |(from, to): (&Vec2, &Vec2)| {
                    let along = *to - *from;
                    let beyond = |at: &Vec2| along.perp_dot(*at - *from);
                    let inside = points
                        .iter()
                        .map(beyond)
                        .fold(0.0, |a: f32, b| if b.abs() > a.abs() { b } else { a });
                    inside != 0.0 && square.iter().all(|at| beyond(at) * inside.signum() <= 0.0)
                };
                !points.iter().zip(ends).any(is_beyond)
            }
            Self::Circle { center, radius } => {
                let nearest = center.clamp(corner, corner + 1.0);
                nearest.distance_squared(*center) < radius * radius
            }
        }
    }
}

/// The rows and columns of the cells that overlap bounds, in a map with `rows` rows and `cols`
/// columns of cells.
fn cells_in([min, max]: [Vec2; 2], [rows, cols]: [u32; 2]) -> [Range<u32>; 2] {
    // The casts clamp negative values to 0.
    let range = |min: f32, max: f32, count: u32| {
        (min.floor() as u32).min(count)..(max.ceil() as u32).min(count)
    };
    [range(min.y, max.y, rows), range(min.x, max.x, cols)]
}

/// An edge that the footprint of an entity extends beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overhang {
    /// The edge of the map.
    Border,
    /// The cliff between a tile and its neighbour.
    Cliff {
        /// Row of the tile.
        row: u32,
        /// Column of the tile.
        col: u32,
        /// Edge of the tile.
        edge: Edge,
    },
}

impl Overhang {
    /// Maximum number of cells of an examined footprint; no building is that large.
    const MAX_CELLS: usize = 1 << 14;

    /// Returns the map's edge if a footprint crosses it, or else the first cliff that it crosses.
    pub fn of(map: &Pfmap, footprint: &Footprint) -> Option<Self> {
        let placement = Placement {
            rows: map.rows(),
            cols: map.cols(),
        };
        let (footprint, bounds) = footprint.in_cells(placement)?;
        let size = [map.rows(), map.cols()].map(|side| side * CELLS_PER_SIDE);
        let [min, max] = bounds;
        let ends = Vec2::new(size[1] as f32, size[0] as f32);
        if (min.cmplt(Vec2::ZERO) | max.cmpgt(ends)).any() {
            return Some(Self::Border);
        }
        let [rows, cols] = cells_in(bounds, size);
        if rows.len() * cols.len() > Self::MAX_CELLS {
            return None;
        }
        let covers = |cell: Cell| footprint.overlaps(Vec2::new(cell.col as f32, cell.row as f32));
        rows.flat_map(|row| cols.clone().map(move |col| Cell { row, col }))
            .filter(|cell| covers(*cell))
            .find_map(|cell| {
                let (row, col) = cell.tile();
                let tile = map.tile(row, col).filter(|_| map.is_read(row, col))?;
                let mut beyond = [
                    (
                        Edge::East,
                        Cell {
                            col: cell.col + 1,
                            ..cell
                        },
                    ),
                    (
                        Edge::South,
                        Cell {
                            row: cell.row + 1,
                            ..cell
                        },
                    ),
                ]
                .into_iter();
                let (edge, _) = beyond.find(|(edge, other)| {
                    other.tile() != cell.tile()
                        && covers(*other)
                        && is_cliff(map, row, col, tile, *edge)
                })?;
                Some(Self::Cliff { row, col, edge })
            })
    }
}

/// A static entity on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocker {
    /// The entity.
    pub item: Item,
    /// Its name.
    pub name: String,
    /// The ground area that it covers.
    pub footprint: Footprint,
}

/// A connected set of passable cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Island {
    /// Number of cells.
    pub cells: u32,
    /// Its first cell in row order from the north-west.
    pub first: Cell,
}

/// A run of adjacent passable cells in a row.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The first column.
    start: u32,
    /// The column after the last.
    end: u32,
    /// Index of its island in [`Islands::list`].
    island: u32,
}

/// The islands of a grid.
///
/// Cells are stored as runs: a map of four million tiles has sixteen million cells, but usually
/// only a few thousand runs.
#[derive(Debug, Default)]
pub struct Islands {
    /// The islands, the largest first; ties are ordered by first cell.
    pub list: Vec<Island>,
    runs: Vec<Run>,
    /// Index of the first run of each row of cells, then the total number of runs.
    rows: Vec<u32>,
}

impl Islands {
    /// Finds the islands of a domain in the passable cells of a map ([`passable_cells`]). Each run
    /// joins all islands that it touches in the previous row.
    fn of(domain: Domain, passable: &[u8], cols: usize) -> Self {
        let mut islands = Self::default();
        // Union-find parents: for each run another run of its island; a root is its own parent.
        let mut parents: Vec<u32> = Vec::new();
        let mut above = 0..0;
        for tiles in passable.chunks_exact(cols.max(1)) {
            for half in [0, 2] {
                let begin = islands.runs.len();
                islands.rows.push(begin as u32);
                islands.add_row(tiles.iter().map(|byte| domain.of(*byte) >> half & 3));
                parents.extend(begin as u32..islands.runs.len() as u32);
                let (before, row) = islands.runs.split_at(begin);
                let mut from = above.start;
                for (run, at) in row.iter().zip(begin..) {
                    while before.get(from).is_some_and(|other| other.end <= run.start) {
                        from += 1;
                    }
                    let touching = (from..).zip(before.get(from..).unwrap_or_default());
                    for (other, _) in touching.take_while(|(_, other)| other.start < run.end) {
                        join(&mut parents, at as u32, other as u32);
                    }
                }
                above = begin..islands.runs.len();
            }
        }
        islands.rows.push(islands.runs.len() as u32);
        islands.number(parents);
        islands
    }

    /// Adds the runs of a row of cells, given as two bits per tile.
    fn add_row(&mut self, tiles: impl Iterator<Item = u8>) {
        let mut open = None;
        let mut end = 0;
        for (bits, tile) in tiles.zip(0..) {
            let west = tile * CELLS_PER_SIDE;
            end = west + CELLS_PER_SIDE;
            match (bits, open) {
                (0, None) | (3, Some(_)) => {}
                _ => {
                    for side in 0..CELLS_PER_SIDE {
                        let col = west + side;
                        match (bits >> side & 1 == 1, open) {
                            (true, None) => open = Some(col),
                            (false, Some(start)) => {
                                self.add_run(start, col);
                                open = None;
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
        if let Some(start) = open {
            self.add_run(start, end);
        }
    }

    fn add_run(&mut self, start: u32, end: u32) {
        let island = u32::MAX;
        self.runs.push(Run { start, end, island });
    }

    /// Lists the islands by size, and sets the island of each run.
    fn number(&mut self, mut parents: Vec<u32>) {
        let mut found: Vec<Island> = Vec::new();
        let mut number_of = vec![u32::MAX; parents.len()];
        let ends = self.rows.iter().skip(1);
        for (row, (begin, end)) in (0..).zip(self.rows.iter().zip(ends)) {
            for at in *begin..*end {
                let root = root_of(&mut parents, at) as usize;
                let run = &mut self.runs[at as usize];
                if number_of[root] == u32::MAX {
                    number_of[root] = found.len() as u32;
                    let first = Cell {
                        row,
                        col: run.start,
                    };
                    found.push(Island { cells: 0, first });
                }
                run.island = number_of[root];
                found[run.island as usize].cells += run.end - run.start;
            }
        }
        let mut by_size: Vec<u32> = (0..found.len() as u32).collect();
        // The sort is stable, so ties keep the order of their first cells.
        by_size.sort_by_key(|at| std::cmp::Reverse(found[*at as usize].cells));
        let mut rank_of = vec![0; found.len()];
        for (at, rank) in by_size.iter().zip(0..) {
            rank_of[*at as usize] = rank;
        }
        for run in &mut self.runs {
            run.island = rank_of[run.island as usize];
        }
        let sorted = by_size.iter().map(|at| found[*at as usize]);
        self.list = sorted.collect();
    }

    /// Index of a cell's island in [`Islands::list`]; `None` if the cell is impassable.
    pub fn at(&self, cell: Cell) -> Option<usize> {
        let runs = self.row(cell.row);
        let run = runs.get(runs.partition_point(|run| run.end <= cell.col))?;
        (run.start <= cell.col).then_some(run.island as usize)
    }

    /// Number of passable cells.
    pub fn passable(&self) -> u64 {
        self.list.iter().map(|island| u64::from(island.cells)).sum()
    }

    /// Number of passable cells outside the largest island.
    pub fn cut_off(&self) -> u64 {
        let others = self.list.iter().skip(1);
        others.map(|island| u64::from(island.cells)).sum()
    }

    fn row(&self, row: u32) -> &[Run] {
        let ends = self
            .rows
            .get(row as usize)
            .zip(self.rows.get(row as usize + 1));
        let range = ends.map(|(begin, end)| *begin as usize..*end as usize);
        range
            .and_then(|range| self.runs.get(range))
            .unwrap_or_default()
    }

    /// The runs of an island with their rows, from the north.
    fn runs_of(&self, island: usize) -> impl Iterator<Item = (u32, Range<u32>)> {
        let rows = 0..self.rows.len().saturating_sub(1) as u32;
        rows.flat_map(|row| self.row(row).iter().map(move |run| (row, run)))
            .filter(move |(_, run)| run.island as usize == island)
            .map(|(row, run)| (row, run.start..run.end))
    }

    /// The rows and columns of tiles that an island covers; `None` if the island does not exist.
    pub fn tiles_of(&self, island: usize) -> Option<[Range<u32>; 2]> {
        let runs = self.runs_of(island).map(|(row, cols)| [row..row + 1, cols]);
        let wider = |a: Range<u32>, b: Range<u32>| a.start.min(b.start)..a.end.max(b.end);
        let cells = runs.reduce(|[rows, cols], [row, run]| [wider(rows, row), wider(cols, run)])?;
        Some(cells.map(|cells| cells.start / CELLS_PER_SIDE..cells.end.div_ceil(CELLS_PER_SIDE)))
    }

    /// The border of an island: pairs of a cell and one of its outer edges, run by run from the
    /// north-west.
    pub fn border(&self, island: usize) -> impl Iterator<Item = (Cell, Edge)> {
        let of_run = move |(row, cols): (u32, Range<u32>)| {
            let last = cols.end.saturating_sub(1);
            let ends = [(cols.start, Edge::West), (last, Edge::East)];
            let beyond = [
                (row.checked_sub(1), Edge::North),
                (row.checked_add(1), Edge::South),
            ];
            let sides = cols.flat_map(move |col| beyond.map(|(row, edge)| (col, row, edge)));
            // A passable cell across an edge belongs to the same island.
            let open = sides
                .filter(move |&(col, row, _)| {
                    row.is_none_or(|row| self.at(Cell { row, col }).is_none())
                })
                .map(|(col, _, edge)| (col, edge));
            let all = ends.into_iter().chain(open);
            all.map(move |(col, edge)| (Cell { row, col }, edge))
        };
        self.runs_of(island).flat_map(of_run)
    }
}

/// Returns the representative run of a run's island, and shortens the path to it.
fn root_of(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        let next = parents[parents[at as usize] as usize];
        parents[at as usize] = next;
        at = next;
    }
    at
}

/// Merges the islands of two runs. The earlier representative represents the merged island.
fn join(parents: &mut [u32], a: u32, b: u32) {
    let [a, b] = [a, b].map(|at| root_of(parents, at));
    parents[a.max(b) as usize] = a.min(b);
}

/// A cell that an entity blocks.
#[derive(Debug, Clone, Copy)]
struct Blocked {
    /// Index of the cell, row by row.
    cell: u64,
    /// Index of the first [`Blocker`] that blocks it.
    blocker: u32,
    /// `true` if the cell is otherwise passable on the ground; `false` if only on the water.
    blocks_ground: bool,
}

/// The navigation grids of a map.
#[derive(Debug)]
pub struct NavigationGrid {
    /// Rows and columns of cells.
    size: [u32; 2],
    /// The islands by [`Domain`].
    islands: [Islands; 2],
    /// Cells that only entities make impassable, row by row.
    blocked: Vec<Blocked>,
    /// Number of blocked cells that ground units could otherwise pass.
    blocked_ground: u64,
    /// Number of entities that were skipped because the test budget was used up.
    left_out: usize,
}

impl NavigationGrid {
    /// Computes the grids of a map with its static entities, on all threads of the machine.
    pub fn of(map: &Pfmap, blockers: &[Blocker]) -> Self {
        let cols = map.cols() as usize;
        let mut passable = vec![0_u8; map.tiles.len()];
        split_among_threads(&mut passable, cols, |first, bytes| {
            for (byte, at) in bytes.iter_mut().zip(first..) {
                let (row, col) = (at / cols.max(1), at % cols.max(1));
                *byte = passable_cells(map, row as u32, col as u32);
            }
        });
        for &(row, col) in &map.bad_tiles {
            if let Some(byte) = passable.get_mut(row as usize * cols + col as usize) {
                *byte = 0;
            }
        }
        let mut grid = Self {
            size: [map.rows(), map.cols()].map(|side| side * CELLS_PER_SIDE),
            islands: Default::default(),
            blocked: Vec::new(),
            blocked_ground: 0,
            left_out: 0,
        };
        grid.block(map, blockers, &mut passable);
        grid.islands = Domain::ALL.map(|domain| Islands::of(domain, &passable, cols));
        grid
    }

    /// Makes the cells that entities cover impassable.
    fn block(&mut self, map: &Pfmap, blockers: &[Blocker], passable: &mut [u8]) {
        let placement = Placement {
            rows: map.rows(),
            cols: map.cols(),
        };
        let mut budget = (self.cells() * TESTS_PER_CELL).max(MIN_TESTS);
        for (blocker, index) in blockers.iter().zip(0..) {
            let Some((footprint, bounds)) = blocker.footprint.in_cells(placement) else {
                continue;
            };
            let [rows, cols] = cells_in(bounds, self.size);
            let Some(left) = budget.checked_sub(rows.len() as u64 * cols.len() as u64) else {
                self.left_out += 1;
                continue;
            };
            budget = left;
            for row in rows {
                for col in cols.clone() {
                    if !footprint.overlaps(Vec2::new(col as f32, row as f32)) {
                        continue;
                    }
                    let cell = Cell { row, col };
                    let (tile_row, tile_col) = cell.tile();
                    let at = tile_row as usize * map.cols() as usize + tile_col as usize;
                    let bit = 1 << cell.corner() as u8;
                    let Some(byte) = passable.get_mut(at) else {
                        continue;
                    };
                    let bits = bit | bit << 4;
                    if *byte & bits != 0 {
                        let blocks_ground = *byte & bit != 0;
                        self.blocked_ground += u64::from(blocks_ground);
                        *byte &= !bits;
                        self.blocked.push(Blocked {
                            cell: self.index(cell),
                            blocker: index,
                            blocks_ground,
                        });
                    }
                }
            }
        }
        self.blocked.sort_unstable_by_key(|blocked| blocked.cell);
    }

    fn index(&self, cell: Cell) -> u64 {
        u64::from(cell.row) * u64::from(self.size[1]) + u64::from(cell.col)
    }

    /// Rows and columns of cells.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.size.map(u64::from).into_iter().product()
    }

    /// The islands of a domain.
    pub fn islands(&self, domain: Domain) -> &Islands {
        &self.islands[domain as usize]
    }

    /// Number of cells that only entities make impassable for ground units.
    pub fn blocked_by_entities(&self) -> u64 {
        self.blocked_ground
    }

    /// Number of entities that were skipped because testing them would take too long.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the reason why a cell is impassable; `None` if it is passable. `map` must be the map
    /// that the grid was computed from.
    pub fn obstacle(&self, map: &Pfmap, domain: Domain, cell: Cell) -> Option<Obstacle> {
        if self.islands(domain).at(cell).is_some() {
            return None;
        }
        let (row, col) = cell.tile();
        let Some(tile) = map.tile(row, col).filter(|_| map.is_read(row, col)) else {
            return Some(Obstacle::Unread);
        };
        let of_tile = obstacle_of_tile(tile, domain, cell.corner());
        let of_entity = || {
            let index = self.index(cell);
            let at = self
                .blocked
                .binary_search_by_key(&index, |blocked| blocked.cell);
            let blocked = self.blocked.get(at.ok()?)?;
            let is_blocked = blocked.blocks_ground || domain == Domain::Water;
            is_blocked.then_some(Obstacle::Entity(blocked.blocker))
        };
        of_tile.or_else(of_entity).or(Some(Obstacle::Cliff))
    }

    /// The ground grid for shaders: one word per tile, with one byte per cell in the order of
    /// [`Corner`], the lowest byte first. The byte of a passable cell is the colour number of its
    /// island, below `colors` ([`color_of`]). An impassable cell has the byte `colors`, or
    /// `colors + 1` if an entity blocks it.
    pub fn codes(&self, colors: u8) -> Vec<u32> {
        let [rows, cols] = self.size.map(|side| (side / CELLS_PER_SIDE) as usize);
        let barred = u32::from_le_bytes([colors; 4]);
        let mut codes = vec![barred; rows * cols];
        let mut put = |cell: Cell, code: u8| {
            let (row, col) = cell.tile();
            if let Some(tile) = codes.get_mut(row as usize * cols + col as usize) {
                let mut bytes = tile.to_le_bytes();
                bytes[cell.corner() as usize] = code;
                *tile = u32::from_le_bytes(bytes);
            }
        };
        for blocked in self.blocked.iter().filter(|blocked| blocked.blocks_ground) {
            let width = u64::from(self.size[1]).max(1);
            let cell = Cell {
                row: (blocked.cell / width) as u32,
                col: (blocked.cell % width) as u32,
            };
            put(cell, colors + 1);
        }
        let ground = self.islands(Domain::Ground);
        for row in 0..self.size[0] {
            for run in ground.row(row) {
                let code = color_of(run.island as usize, colors.into()) as u8;
                for col in run.start..run.end {
                    put(Cell { row, col }, code);
                }
            }
        }
        codes
    }
}

/// Colour number of an island. The largest island alone has the first colour; the other colours
/// repeat.
pub fn color_of(island: usize, colors: usize) -> usize {
    match island {
        0 => 0,
        _ => 1 + (island - 1) % colors.saturating_sub(1).max(1),
    }
}

/// The passable cells of a tile as bits: the low four for the ground, the high four for the water.
fn passable_cells(map: &Pfmap, row: u32, col: u32) -> u8 {
    let Some(tile) = map.tile(row, col) else {
        return 0;
    };
    let mut cells = CORNERS.into_iter().fold(0, |cells, corner| {
        Domain::ALL.into_iter().fold(cells, |cells, domain| {
            let is_open = obstacle_of_tile(tile, domain, corner).is_none();
            cells | u8::from(is_open) << (4 * domain as u8 + corner as u8)
        })
    });
    for edge in Edge::ALL {
        if cells != 0 && is_cliff(map, row, col, tile, edge) {
            cells &= cells_on(edge) * 0b1_0001;
        }
    }
    cells
}

/// The reason why a tile itself makes one of its cells impassable, without cliffs and entities.
fn obstacle_of_tile(tile: &Tile, domain: Domain, cell: Corner) -> Option<Obstacle> {
    let obstacle = match domain {
        Domain::Ground => return Barrier::of_cell(tile, cell).map(Obstacle::Tile),
        Domain::Water if !tile.pathable() => Obstacle::Tile(Barrier::Flag),
        // The engine adds the ramp height even for flat tiles.
        Domain::Water if i32::from(tile.base_height) + i32::from(tile.ramp_height) >= 0 => {
            Obstacle::Dry
        }
        Domain::Water => return None,
    };
    let is_level_corner = Shape::level_corner(tile.kind) == Some(cell);
    let is_open = is_level_corner && Shape::of(tile).corners[cell as usize] < 0;
    (!is_open).then_some(obstacle)
}

/// `true` if a tile and its neighbour across an edge are both flat and have different heights.
/// Unreadable tiles do not form cliffs.
fn is_cliff(map: &Pfmap, row: u32, col: u32, tile: &Tile, edge: Edge) -> bool {
    tile.kind == TileType::Flat
        && beyond(map, row, col, edge).is_some_and(|(.., other)| {
            other.kind == TileType::Flat && tile.base_height != other.base_height
        })
}

/// The cells of a tile that lie along an edge.
const fn cells_on(edge: Edge) -> u8 {
    match edge {
        Edge::North => 0b0011,
        Edge::East => 0b1010,
        Edge::South => 0b1100,
        Edge::West => 0b0101,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_overlaps_no_square_beside_its_corners() {
        let corners = [[1.1, 3.5], [3.5, 1.1], [5.9, 3.5], [3.5, 5.9]];
        let diamond = Footprint::Outline(corners.map(Vec2::from).to_vec());
        let overlaps = |x: f32, y: f32| diamond.overlaps(Vec2::new(x, y));
        assert!(overlaps(5.0, 3.0) && overlaps(1.0, 3.0) && overlaps(3.0, 5.0));
        assert!(!overlaps(6.0, 3.0) && !overlaps(0.0, 3.0) && !overlaps(3.0, 6.0));
        assert!(!overlaps(5.0, 5.0) && !overlaps(1.0, 1.0));
    }
}
