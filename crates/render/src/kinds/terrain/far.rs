//! Grids of far chunks: their triangles, and the skirts that hide cracks between grids of different
//! steps. Skirts face outward, so that a view through a crack shows the skirt on its far side.

use std::ops::Range;

use mapscope_scene::terrain::{CHUNK_SIDE, Edge};

/// The step of the furthest chunks, whose grid has one cell.
pub(super) const LAST_STEP: u32 = 5;

/// A value for each step of a grid. Step 0 is never drawn.
pub(super) type BySteps<T> = [T; LAST_STEP as usize + 1];

/// A value for the grid itself, and one for the skirt on each side, in the order of [`Edge`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts<T> {
    pub(super) ground: T,
    pub(super) skirts: [T; 4],
}

impl<T> Parts<T> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.ground).chain(&self.skirts)
    }
}

/// The triangles of the grids of all steps: indices of corners, and their range for each part.
///
/// `vs_far` numbers the corners of a grid row by row from the north-west, then the lower corners of
/// skirts in the same order.
pub(super) fn triangles() -> (Vec<u16>, BySteps<Parts<Range<u32>>>) {
    let mut indices = Vec::new();
    let parts = std::array::from_fn(|step| {
        if step == 0 {
            return Parts::default();
        }
        let cells = (CHUNK_SIDE >> step) as u16;
        let wide = cells + 1;
        let corner = |row: u16, col: u16| row * wide + col;
        let mut add = |quads: &mut dyn Iterator<Item = [u16; 4]>| {
            let start = indices.len() as u32;
            for [a, b, c, d] in quads {
                indices.extend([a, b, c, b, d, c]);
            }
            start..indices.len() as u32
        };
        let cells_of = (0..cells).flat_map(|row| (0..cells).map(move |col| (row, col)));
        let mut ground = cells_of.map(|(row, col)| {
            let [below, right] = [row + 1, col + 1];
            [
                corner(row, col),
                corner(row, right),
                corner(below, col),
                corner(below, right),
            ]
        });
        Parts {
            ground: add(&mut ground),
            skirts: Edge::ALL.map(|side| {
                let at = |along: u16| match side {
                    Edge::North => corner(0, along),
                    Edge::South => corner(cells, along),
                    Edge::West => corner(along, 0),
                    Edge::East => corner(along, cells),
                };
                let lower = |upper: u16| upper + wide * wide;
                // From left to right as seen from outside.
                let is_reversed = matches!(side, Edge::North | Edge::East);
                add(&mut (0..cells).map(|along| {
                    let mut ends = [at(along), at(along + 1)];
                    if is_reversed {
                        ends.reverse();
                    }
                    let [left, right] = ends;
                    [left, right, lower(left), lower(right)]
                }))
            }),
        }
    });
    (indices, parts)
}

/// The steps of the visible chunks, which determine the sides that need skirts.
#[derive(Debug)]
pub(super) struct Steps {
    /// The step of each chunk; 0 if it is not drawn as a grid.
    of_chunks: Vec<u8>,
    /// Number of chunks from west to east.
    across: usize,
    /// `true` if they are seen from below, where cracks do not matter.
    is_from_below: bool,
}

impl Steps {
    pub(super) fn new(chunks: usize, across: usize) -> Self {
        Self {
            of_chunks: vec![0; chunks],
            across: across.max(1),
            is_from_below: false,
        }
    }

    /// Sets the steps of a frame from pairs of chunk and step.
    pub(super) fn set(&mut self, far: impl Iterator<Item = (u32, u32)>, is_from_below: bool) {
        self.is_from_below = is_from_below;
        self.of_chunks.fill(0);
        for (chunk, step) in far {
            if let Some(of_chunk) = self.of_chunks.get_mut(chunk as usize) {
                *of_chunk = step as u8;
            }
        }
    }

    /// `true` if a chunk needs a skirt on a side: at the border of the map, and next to a chunk of
    /// another step unless it is seen from below.
    pub(super) fn need_skirt(&self, chunk: u32, step: u32, side: Edge) -> bool {
        let (rows, cols) = side.step();
        let chunk = chunk as usize;
        let col = (chunk % self.across).checked_add_signed(cols as isize);
        let row = (chunk / self.across).checked_add_signed(rows as isize);
        let neighbor = row
            .zip(col.filter(|col| *col < self.across))
            .and_then(|(row, col)| self.of_chunks.get(row * self.across + col));
        neighbor.is_none_or(|of_neighbor| u32::from(*of_neighbor) != step && !self.is_from_below)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn a_grid_is_its_cells_and_a_skirt_on_each_side() {
        let (indices, parts) = triangles();
        for (step, parts) in (0..).zip(&parts).skip(1) {
            let cells = CHUNK_SIDE >> step;
            let corners = (cells + 1) * (cells + 1);
            assert_eq!(parts.ground.len() as u32, cells * cells * 6);
            let of = |range: &Range<u32>| &indices[range.start as usize..range.end as usize];
            assert!(
                of(&parts.ground)
                    .iter()
                    .all(|corner| u32::from(*corner) < corners)
            );
            for (side, skirt) in Edge::ALL.into_iter().zip(&parts.skirts) {
                assert_eq!(skirt.len() as u32, cells * 6);
                let (rows, cols) = side.step();
                // Clockwise from outside, as the ground is from above.
                for triangle in of(skirt).chunks_exact(3) {
                    let [a, b, c] = std::array::from_fn(|i| {
                        let hangs = u32::from(triangle[i]) >= corners;
                        let at = u32::from(triangle[i]) % corners;
                        let [row, col] = [at / (cells + 1), at % (cells + 1)];
                        Vec3::new(col as f32, -f32::from(u8::from(hangs)), row as f32)
                    });
                    let outward = Vec3::new(cols as f32, 0.0, rows as f32);
                    assert!((c - a).cross(b - a).dot(outward) > 0.0, "{side:?}");
                }
                // All on one line, half of them below it.
                for corner in of(skirt).iter().map(|corner| u32::from(*corner) % corners) {
                    let [row, col] = [corner / (cells + 1), corner % (cells + 1)];
                    let end = |step: i32| if step < 0 { 0 } else { cells };
                    assert!(rows == 0 || row == end(rows), "{side:?}");
                    assert!(cols == 0 || col == end(cols), "{side:?}");
                }
                let below = of(skirt)
                    .iter()
                    .filter(|corner| u32::from(**corner) >= corners);
                assert_eq!(below.count() as u32, cells * 3);
            }
        }
    }

    #[test]
    fn skirts_hang_at_the_border_and_where_steps_differ() {
        let mut steps = Steps::new(6, 3);
        let far = [(0, 5), (1, 5), (2, 4), (3, 5), (4, 5)];
        steps.set(far.into_iter(), false);
        let sides = |steps: &Steps, chunk: u32, step: u32| {
            Edge::ALL.map(|side| steps.need_skirt(chunk, step, side))
        };
        // North, east, south, west.
        assert_eq!(sides(&steps, 0, 5), [true, false, false, true]);
        assert_eq!(sides(&steps, 1, 5), [true, true, false, false]);
        assert_eq!(sides(&steps, 2, 4), [true, true, true, true]);
        // Its eastern neighbour is not drawn.
        assert_eq!(sides(&steps, 4, 5), [false, true, true, false]);
        steps.set(far.into_iter(), true);
        assert_eq!(sides(&steps, 2, 4), [true, true, false, false]);
        steps.set(std::iter::empty(), false);
        assert_eq!(sides(&steps, 0, 5), [true; 4]);
    }
}
