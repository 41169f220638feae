//! Slopes that do not fit the ground around them.

use glam::Vec3;

use super::geometry::{Shape, beyond};
use super::{Terrain, colors};
use crate::colors::bytes;
use crate::core::rules;
use crate::describe::lines::LineBuilder;
use crate::{Annotations, Label, LegendEntry, Line, OverlayId, Shown};
use mapscope_formats::pfmap::{Edge, Pfmap, TileType};
use mapscope_formats::{Place, Problems, Subject};

/// Maximum number of seams per map.
const MAX_SEAMS: usize = 1 << 16;
/// Height of the lines of seams above the ground, in world units.
const LIFT: f32 = 0.1;

/// An eastern or southern edge of a tile where a slope does not meet its neighbour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seam {
    row: u32,
    col: u32,
    edge: Edge,
}

/// The edges at the upper and the lower end of a ramp; `None` for other types.
fn ends_of_ramp(kind: TileType) -> Option<[Edge; 2]> {
    let upper = match kind {
        TileType::RampSn => Edge::North,
        TileType::RampNs => Edge::South,
        TileType::RampEw => Edge::West,
        TileType::RampWe => Edge::East,
        _ => return None,
    };
    Some([upper, upper.opposite()])
}

/// `true` if a tile slopes and its edge should meet the neighbour: any edge of a corner tile, and
/// the ends of a ramp.
fn must_meet(kind: TileType, edge: Edge) -> bool {
    let ends = ends_of_ramp(kind);
    kind != TileType::Flat && ends.is_none_or(|ends| ends.contains(&edge))
}

/// Finds the edges where a slope does not meet its neighbour. The side of a ramp may form a wall
/// above or below flat ground.
fn find(map: &Pfmap) -> Vec<Seam> {
    let tiles = map.tiles.iter().zip(0_u32..);
    let seams = tiles.flat_map(|(tile, at)| {
        let (row, col) = (at / map.cols(), at % map.cols());
        [Edge::East, Edge::South]
            .into_iter()
            .filter_map(move |edge| {
                let (.., other) = beyond(map, row, col, edge)?;
                let kinds = [tile.kind, other.kind];
                if kinds == [TileType::Flat; 2] || !map.is_read(row, col) {
                    return None;
                }
                let back = edge.opposite();
                let meets = Shape::of(tile).edge(edge) == Shape::of(other).edge(back);
                let is_free = kinds.contains(&TileType::Flat)
                    && !must_meet(tile.kind, edge)
                    && !must_meet(other.kind, back);
                (!meets && !is_free).then_some(Seam { row, col, edge })
            })
    });
    seams.take(MAX_SEAMS).collect()
}

/// Notes slopes without height and ramps that face the wrong way.
fn check(map: &Pfmap, problems: &mut Problems) {
    for (tile, at) in map.tiles.iter().zip(0_u32..) {
        let (row, col) = (at / map.cols(), at % map.cols());
        if tile.kind == TileType::Flat || !map.is_read(row, col) {
            continue;
        }
        let Some((line, column)) = map.tile_place(row, col) else {
            continue;
        };
        let column = column.into();
        let (subject, place) = (Subject::Tile { row, col }, Place::Text { line, column });
        let name = tile.kind.name();
        let of_map = format_args!("(row {row}, column {col} of the map)");
        if tile.ramp_height == 0 {
            problems.add_about(&rules::SLOPE_WITHOUT_HEIGHT, subject, place, || {
                format!("{name} with ramp height 0 lies flat {of_map}")
            });
            continue;
        }
        let Some(ends) = ends_of_ramp(tile.kind) else {
            continue;
        };
        let own = ends.map(|edge| Some(Shape::of(tile).edge(edge)));
        let [above, below] = ends.map(|edge| {
            let (.., other) = beyond(map, row, col, edge)?;
            Some(Shape::of(other).edge(edge.opposite()))
        });
        if [below, above] == own {
            // Adjacent reversed ramps are one mistake.
            let along = match tile.kind {
                TileType::RampSn | TileType::RampNs => row,
                _ => col,
            };
            let alike = (tile.kind, along);
            problems.add_grouped(alike, &rules::REVERSED_RAMP, subject, place, || {
                let [upper, lower] = ends.map(Edge::name);
                format!("{name} rises to the {upper}, but the ground rises to the {lower} {of_map}")
            });
        }
    }
}

impl Terrain {
    /// Its seams; computed on demand.
    pub(super) fn seams(&self) -> &[Seam] {
        self.seams.get_or_init(|| find(&self.map))
    }

    /// Notes faulty slopes and seams, each at its slope.
    pub(super) fn note_slopes(&self, notes: &mut Problems) {
        check(&self.map, notes);
        for &Seam { row, col, edge } in self.seams() {
            let Some((other_row, other_col, other)) = beyond(&self.map, row, col, edge) else {
                continue;
            };
            let Some(tile) = self.map.tile(row, col) else {
                continue;
            };
            let here = (row, col, tile, edge);
            let there = (other_row, other_col, other, edge.opposite());
            let [of, beside] = match tile.kind {
                TileType::Flat => [there, here],
                _ => [here, there],
            };
            let (row, col, tile, edge) = of;
            let Some((line, column)) = self.map.tile_place(row, col) else {
                continue;
            };
            let column = column.into();
            let (subject, place) = (Subject::Tile { row, col }, Place::Text { line, column });
            notes.add_about(&rules::SEAM, subject, place, || {
                let (name, side) = (tile.kind.name(), edge.name());
                let [a, b] = Shape::of(tile).edge(edge);
                let [c, d] = Shape::of(beside.2).edge(beside.3);
                format!(
                    "{name} does not meet its {side} neighbour: levels {a} and {b} at its edge, \
                     {c} and {d} beyond (row {row}, column {col} of the map)"
                )
            });
        }
    }

    /// The legend of the seam overlay.
    pub(super) fn seam_legend(&self) -> Vec<LegendEntry> {
        let count = self.seams().len();
        let label = format!("Slope that does not meet its neighbour ({count})");
        vec![LegendEntry::new(bytes(colors::SEAM), label)]
    }
}

impl Annotations for Terrain {
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        if !shown.overlays.contains(OverlayId::Seams) {
            return;
        }
        let mut builder = LineBuilder::new(lines, bytes(colors::SEAM), 3.0);
        for &Seam { row, col, edge } in self.seams() {
            let other = beyond(&self.map, row, col, edge);
            let lines = [
                self.edge_line(row, col, edge),
                other.and_then(|(row, col, _)| self.edge_line(row, col, edge.opposite())),
            ];
            let [Some(here), Some(there)] = lines else {
                continue;
            };
            let [here, there] = [here, there].map(|line| line.map(|end| end + Vec3::Y * LIFT));
            builder.line(here[0], here[1]);
            builder.line(there[0], there[1]);
            builder.line(here[0], there[0]);
            builder.line(here[1], there[1]);
        }
    }

    fn labels(&self, _shown: &Shown, _labels: &mut Vec<Label>) {}
}
