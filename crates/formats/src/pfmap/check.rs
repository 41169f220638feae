//! Checks of the tiles that were read.

use std::collections::HashMap;
use std::ops::Range;

use super::head::Head;
use super::reading::Reading;
use super::tile::blend_digit;
use super::{BlendMode, CHUNK_SIDE, Edge, Field, OddText, Pfmap, Tile, file_tile, rules};
use crate::cursor::text_place;
use crate::parallel::map_parallel;
use crate::problems::Problems;
use crate::{Cause, Subject, outside};

/// Lists meaningless characters of tiles and materials that do not exist. Problems of tiles on or
/// after line `cut.0` are consequences of `cut.1`, the end of the file.
pub(super) fn check_tiles(
    map: &Pfmap,
    head: &Head<'_>,
    cut: Option<(u64, Cause)>,
    problems: &mut Problems,
) {
    for index in 0..map.tiles.len() {
        let (row, col) = file_tile(index, map.chunk_cols);
        let Some(tile) = map.tile(row, col) else {
            continue;
        };
        let odd = map.odd_tiles.get(index);
        let is_outside = |material: u16| usize::from(material) >= map.materials.len();
        let names_outside = is_outside(tile.top_material) || is_outside(tile.side_material);
        if odd.is_none() && tile.odd_digits() == 0 && !names_outside || map.is_missing(index) {
            continue;
        }
        let start = map.layout.place(index);
        problems.cause = cut
            .filter(|(line, _)| start.0 >= *line)
            .map(|(_, cause)| cause);
        problems.subject = Subject::Tile { row, col };
        let text = tile.text();
        let length = text.len();
        let whole = OddText {
            text: &text,
            length,
        };
        let of_map = format_args!("(row {row}, column {col} of the map)");
        let mut is_readable = true;
        for fault in Reading::faults(odd.unwrap_or(whole)) {
            is_readable &= !fault.rule.leaves_out;
            problems.add(fault.rule, text_place(start, fault.at), || {
                let (found, expected, outcome) = (fault.found, fault.expected, fault.outcome);
                format!("{found}; expected {expected}{outcome} {of_map}")
            });
            // A tile with several faults is one problem.
            problems.cause = problems.cause.or(problems.last());
        }
        let reading = odd.map_or(Some(Reading::from(tile)), |odd| Reading::of(odd.text));
        let Some(reading) = reading.filter(|_| is_readable) else {
            continue;
        };
        let named = [
            (Field::TopMaterial, "top", tile.top_material),
            (Field::SideMaterial, "sides", tile.side_material),
        ];
        for (field, part, material) in named {
            if !is_outside(material) {
                continue;
            }
            let (rule, place) = (&rules::TILE_MATERIAL, text_place(start, field.at()));
            let message = || {
                let number = reading.get(field);
                let outside = outside("material", map.materials.len() as u64);
                format!("the tile uses material {number} for its {part}, {outside} {of_map}")
            };
            let cause = problems.cause.or(head.missing_material(material.into()));
            if cause.is_some() {
                problems.add_consequence(cause, rule, problems.subject, place, message);
            } else {
                problems.add_grouped(material, rule, problems.subject, place, message);
            }
        }
    }
    problems.cause = None;
}

/// Not 0 if the blend digit of a tile differs from that of the tile beyond an edge
/// ([`Tile::blend_digits`]).
#[inline]
fn differing_digit(own: u16, beyond: u16, edge: Edge) -> u16 {
    blend_digit(own, edge) ^ blend_digit(beyond, edge.opposite())
}

/// [`differing_digit`] of several tiles and those beyond them.
#[inline]
pub(super) fn differing_digits(own: &[u16], beyond: &[u16], edge: Edge) -> u16 {
    let pairs = own.iter().zip(beyond);
    let differing = pairs.map(|(own, beyond)| differing_digit(*own, *beyond, edge));
    differing.fold(0, |all, digit| all | digit)
}

/// The east or south edge of a tile.
#[derive(Clone, Copy)]
struct TileEdge {
    row: u32,
    col: u32,
    edge: Edge,
}

impl TileEdge {
    /// Row and column of the tile beyond the edge.
    fn beyond(self) -> (u32, u32) {
        match self.edge {
            Edge::East => (self.row, self.col + 1),
            _ => (self.row + 1, self.col),
        }
    }

    /// Both ends of the edge: row and column of the tile south-east of each.
    fn ends(self) -> [Corner; 2] {
        [(self.row + 1, self.col + 1), self.beyond()]
    }

    /// The blend modes on both sides, if they differ. Unknown modes are reported elsewhere.
    fn differing(self, map: &Pfmap) -> Option<[BlendMode; 2]> {
        let (own, (row, col)) = (map.tile(self.row, self.col)?, self.beyond());
        let modes = [
            own.blend(self.edge),
            map.tile(row, col)?.blend(self.edge.opposite()),
        ];
        let is_known = !modes.contains(&BlendMode::Unknown);
        let are_read = map.is_read(self.row, self.col) && map.is_read(row, col);
        (is_known && modes[0] != modes[1] && are_read).then_some(modes)
    }
}

/// Lists the edges whose two tiles have different blend modes. The engine blends each side by its
/// own tile, which makes a seam; its editor keeps both the same. Edges that meet are one seam, such
/// as those around a tile. Maps without modes for edges have no such edges.
///
/// Rows of chunks that are known to agree are compared only with the next row. In damaged parts of
/// the file the position of a tile is uncertain: differing edges there are consequences.
pub(super) fn check_edges(
    map: &Pfmap,
    edges_agree: &[bool],
    damaged: &[(Range<usize>, Cause)],
    problems: &mut Problems,
) {
    if !map.tiles.iter().any(Tile::has_edge_modes) {
        return;
    }
    let in_chunk_row = |chunk_row: usize| {
        let agrees = edges_agree.get(chunk_row).is_some_and(|agrees| *agrees);
        differing_edges(map, chunk_row as u32, agrees)
    };
    let found: Vec<TileEdge> = map_parallel(map.chunk_rows as usize, in_chunk_row)
        .into_iter()
        .flatten()
        .collect();
    let mut seams = Seams::default();
    for edge in &found {
        seams.join(edge.ends());
    }
    for at in found {
        let TileEdge { row, col, edge } = at;
        let Some(([own, other], tile)) = at.differing(map).zip(map.tile(row, col)) else {
            continue;
        };
        let tiles = [(row, col), at.beyond()].map(|(row, col)| map.file_index(row, col));
        let is_damaged =
            |(part, _): &&(Range<usize>, Cause)| tiles.iter().any(|tile| part.contains(tile));
        problems.cause = damaged.iter().find(is_damaged).map(|(_, cause)| *cause);
        let place = text_place(map.layout.place(tiles[0]), tile.blend_field(edge).at());
        let subject = Subject::Tile { row, col };
        let seam = (problems.cause.is_some(), seams.of(at.ends()[0]));
        problems.add_grouped(seam, &rules::EDGE_BLEND, subject, place, || {
            let side = if edge == Edge::East { "east" } else { "south" };
            let (own, other) = (own.name(), other.name());
            format!(
                "the {side} edge of the tile has the blend mode `{own}`, but `{other}` in the \
                 tile beyond it; expected the same (row {row}, column {col} of the map)"
            )
        });
    }
}

/// Returns the differing edges of a row of chunks, in file order. Digits are compared row by row;
/// modes are compared only where digits differ.
fn differing_edges(map: &Pfmap, chunk_row: u32, agrees: bool) -> Vec<TileEdge> {
    let cols = map.cols() as usize;
    let digits_of_row = |row: u32, digits: &mut Vec<u16>| {
        let tiles = map.tiles.get(row as usize * cols..).unwrap_or_default();
        digits.clear();
        digits.extend(tiles.iter().take(cols).map(Tile::blend_digits));
    };
    let end = (chunk_row + 1) * CHUNK_SIDE;
    let first = end - if agrees { 1 } else { CHUNK_SIDE };
    let mut found = Vec::new();
    let (mut own, mut below) = (Vec::new(), Vec::new());
    digits_of_row(first, &mut own);
    for row in first..end {
        digits_of_row(row + 1, &mut below);
        let east = own.get(1..).unwrap_or_default();
        for (edge, beyond) in [(Edge::East, east), (Edge::South, &below)] {
            if differing_digits(&own, beyond, edge) == 0 {
                continue;
            }
            let pairs = own.iter().zip(beyond).zip(0..);
            let differing =
                pairs.filter(|((own, beyond), _)| differing_digit(**own, **beyond, edge) != 0);
            let edges = differing.map(|(_, col)| TileEdge { row, col, edge });
            found.extend(edges.filter(|edge| edge.differing(map).is_some()));
        }
        std::mem::swap(&mut own, &mut below);
    }
    found.sort_by_key(|at| (map.file_index(at.row, at.col), at.edge as usize));
    found
}

/// The corner of a tile, as row and column of the tile south-east of it.
type Corner = (u32, u32);

/// Connected edges (union-find): the corners of each seam form a tree, and its root identifies the
/// seam.
#[derive(Debug, Default)]
struct Seams(HashMap<Corner, Corner>);

impl Seams {
    /// Returns the root of a corner's seam.
    fn of(&mut self, corner: Corner) -> Corner {
        let mut root = corner;
        while let Some(above) = self.0.get(&root).filter(|above| **above != root) {
            root = *above;
        }
        // Path compression.
        let mut at = corner;
        while let Some(above) = self.0.insert(at, root).filter(|above| *above != root) {
            at = above;
        }
        root
    }

    /// Joins the seams of two corners.
    fn join(&mut self, [a, b]: [Corner; 2]) {
        let (a, b) = (self.of(a), self.of(b));
        self.0.insert(b, a);
    }
}
