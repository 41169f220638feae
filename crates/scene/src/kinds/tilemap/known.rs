//! Statistics of a map that examine every cell, computed on demand and cached.

use std::sync::OnceLock;

use super::{Cell, Grid, GridKind, Integers, ObjectKind, TileMap, Tileset};
use crate::core::parallel::map_parallel;

/// Number of cells counted per work item.
const CELLS_PER_TASK: usize = 1 << 20;
/// Maximum number of distinct numbers of a grid that are stored.
const MAX_VALUES: usize = 64;
/// Number of steps from minimum to maximum if there are more.
const STEPS: usize = 256;
/// Number of cells sampled to determine the steps.
const SAMPLE_COUNT: usize = 1 << 14;

/// The cached statistics of a map.
#[derive(Debug, Default)]
pub struct Known {
    counts: OnceLock<Counts>,
    zones: OnceLock<Vec<ZoneCounts>>,
    /// One for each grid.
    scales: OnceLock<Vec<OnceLock<Scale>>>,
}

/// Usage counts of tiles.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// For each tileset, the number of cells that show each image.
    pub(super) uses: Vec<Vec<u64>>,
    /// For each layer, the number of empty cells.
    pub(super) empty: Vec<u64>,
}

/// The places of a zone.
#[derive(Debug, Default, Clone)]
pub(super) struct ZoneCounts {
    /// Number of grid cells with its number.
    pub(super) cells: u64,
    /// For each grid that contains it: first column and row, last column and row.
    pub(super) bounds: Vec<(usize, [[u32; 2]; 2])>,
    /// A grid, and a cell in the middle of the zone's largest connected part there.
    pub(super) middle: Option<(usize, [u32; 2])>,
    /// Its areas, by their indices among all objects, the largest first.
    pub(super) areas: Vec<usize>,
}

/// The distribution of a grid's numbers.
#[derive(Debug, Default)]
pub(super) struct Scale {
    /// Minimum and maximum.
    pub(super) range: [u64; 2],
    /// Each number with its cell count, in ascending order; empty if the numbers are too many for
    /// individual colours.
    pub(super) values: Vec<(u64, u64)>,
    /// Number of cells with a nonzero number.
    pub(super) set: u64,
    /// If there are too many numbers: the number at which each colour after the first begins,
    /// chosen so that colours cover about equally many cells.
    pub(super) bounds: Vec<u64>,
    /// Precomputed colours of numbers.
    pub(super) palette: Vec<[u8; 4]>,
}

impl Tileset {
    /// Number of images, including the one for missing tiles.
    pub(super) fn image_count(&self) -> usize {
        let missing = self.missing.map_or(0, |missing| missing + 1);
        self.count.max(missing)
    }

    /// Number of tiles, without a last image for missing tiles.
    pub fn tile_count(&self) -> usize {
        match self.missing {
            Some(missing) if missing + 1 == self.count => missing,
            _ => self.count,
        }
    }
}

impl TileMap {
    /// Usage counts of tiles.
    pub(super) fn counts(&self) -> &Counts {
        self.known.counts.get_or_init(|| self.count())
    }

    fn count(&self) -> Counts {
        let images = |tileset: usize| self.tilesets.get(tileset).map_or(0, Tileset::image_count);
        let pieces: Vec<(usize, usize, &[Cell])> = self
            .layers
            .iter()
            .enumerate()
            .flat_map(|(index, layer)| {
                let pieces = layer.cells.chunks(CELLS_PER_TASK);
                pieces.map(move |cells| (index, layer.tileset, cells))
            })
            .collect();
        let counted = map_parallel(pieces.len(), |piece| {
            let Some((_, tileset, cells)) = pieces.get(piece) else {
                return Vec::new();
            };
            // The last count is for cells without an image.
            let mut counts = vec![0_u64; images(*tileset) + 1];
            let last = counts.len() - 1;
            for cell in *cells {
                let image = (cell.0 & Cell::NOTHING) as usize;
                counts[image.min(last)] += 1;
            }
            counts
        });
        let mut all = Counts {
            uses: (0..self.tilesets.len())
                .map(|tileset| vec![0; images(tileset)])
                .collect(),
            empty: vec![0; self.layers.len()],
        };
        for ((layer, tileset, _), counts) in pieces.iter().zip(counted) {
            let Some((empty, counts)) = counts.split_last() else {
                continue;
            };
            if let Some(all) = all.empty.get_mut(*layer) {
                *all += empty;
            }
            let uses = all.uses.get_mut(*tileset).into_iter().flatten();
            for (all, count) in uses.zip(counts) {
                *all += count;
            }
        }
        // Unread cells were filled with empty ones.
        for (number, (empty, layer)) in all.empty.iter_mut().zip(&self.layers).enumerate() {
            *empty = empty.saturating_sub(self.cells_not_read(number, layer));
        }
        all
    }

    /// Number of cells that show an image of a tileset.
    pub(super) fn uses(&self, tileset: usize, image: usize) -> u64 {
        let uses = self.counts().uses.get(tileset);
        uses.and_then(|uses| uses.get(image)).copied().unwrap_or(0)
    }

    /// The places of each zone.
    pub(super) fn zone_counts(&self) -> &[ZoneCounts] {
        self.known.zones.get_or_init(|| {
            let mut zones = vec![ZoneCounts::default(); self.zones.len()];
            for (number, grid) in self.grids.iter().enumerate() {
                if grid.kind == GridKind::Zones {
                    count_zones(number, grid, &mut zones);
                }
            }
            for (index, object) in self.objects.iter().enumerate() {
                let zone = object.zone.filter(|_| object.kind == ObjectKind::ZoneArea);
                if let Some(zone) = zone.and_then(|zone| zones.get_mut(zone)) {
                    zone.areas.push(index);
                }
            }
            let area = |index: &usize| {
                self.objects
                    .get(*index)
                    .map_or(0.0, |area| area.rect_px.area())
            };
            for zone in &mut zones {
                zone.areas.sort_by(|a, b| area(b).total_cmp(&area(a)));
            }
            zones
        })
    }

    /// The distribution of a grid's numbers; for zones, only the colours are computed.
    pub(super) fn scale(&self, grid: usize) -> Option<&Scale> {
        let none = || self.grids.iter().map(|_| OnceLock::new()).collect();
        let grid = match self.grids.get(grid)?.kind {
            // Logic colours have the same meaning on all layers.
            GridKind::Logic => self.first_logic_grid()?,
            GridKind::Obstruction { .. } | GridKind::Zones => grid,
        };
        let scale = self.known.scales.get_or_init(none).get(grid)?;
        let grid = self.grids.get(grid)?;
        Some(scale.get_or_init(|| {
            let mut scale = match grid.kind {
                GridKind::Obstruction { .. } => Scale::of(&[&grid.values]),
                GridKind::Logic => {
                    let grids = self
                        .grids
                        .iter()
                        .filter(|grid| grid.kind == GridKind::Logic);
                    let values: Vec<_> = grids.map(|grid| &grid.values).collect();
                    Scale::of(&values)
                }
                GridKind::Zones => Scale::default(),
            };
            scale.palette = scale.palette(grid.kind, self.zones.len());
            scale
        }))
    }

    /// The first grid of logic values.
    pub(super) fn first_logic_grid(&self) -> Option<usize> {
        let mut grids = self.grids.iter();
        grids.position(|grid| grid.kind == GridKind::Logic)
    }
}

impl Scale {
    /// The distribution of the numbers of several grids together.
    fn of(grids: &[&Integers]) -> Self {
        let mut known: Vec<(u64, u64)> = Vec::new();
        let mut too_many = false;
        let mut range = [u64::MAX, 0];
        let mut set = 0;
        // Most cells repeat the previous number.
        let mut at = 0;
        let all = grids.iter().flat_map(|values| {
            let indices = 0..values.len();
            indices.filter_map(|index| values.get(index))
        });
        for value in all {
            set += u64::from(value != 0);
            if !too_many && known.get(at).is_none_or(|(last, _)| *last != value) {
                match known.binary_search_by_key(&value, |(known, _)| *known) {
                    Ok(found) => at = found,
                    Err(_) if known.len() == MAX_VALUES => too_many = true,
                    Err(place) => {
                        known.insert(place, (value, 0));
                        at = place;
                    }
                }
            }
            if too_many {
                range = [range[0].min(value), range[1].max(value)];
            } else if let Some((_, count)) = known.get_mut(at) {
                *count += 1;
            }
        }
        for (value, _) in &known {
            range = [range[0].min(*value), range[1].max(*value)];
        }
        let mut bounds = if too_many {
            step_bounds(grids)
        } else {
            Vec::new()
        };
        // If many cells have the lowest number, no bound is needed for it.
        bounds.retain(|bound| *bound > range[0]);
        Self {
            range: if range[0] > range[1] { [0; 2] } else { range },
            values: if too_many { Vec::new() } else { known },
            set,
            bounds,
            palette: Vec::new(),
        }
    }
}

/// Numbers that divide the cells into about equal steps.
fn step_bounds(grids: &[&Integers]) -> Vec<u64> {
    let count: usize = grids.iter().map(|values| values.len()).sum();
    let get = |mut index: usize| {
        for values in grids {
            match index.checked_sub(values.len()) {
                Some(left) => index = left,
                None => return values.get(index),
            }
        }
        None
    };
    // Spread over the whole map rather than a few columns.
    let golden = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = |i: usize| (u128::from(golden(i)) * count as u128) >> 64;
    let sampled = (0..SAMPLE_COUNT).filter_map(|i| get(place(i) as usize));
    let mut sample: Vec<u64> = sampled.collect();
    sample.sort_unstable();
    let mut bounds: Vec<u64> = (1..STEPS)
        .filter_map(|step| sample.get(step * sample.len() / STEPS))
        .copied()
        .collect();
    bounds.dedup();
    bounds
}

/// A connected part of a zone, as far as rows were processed.
#[derive(Debug, Clone, Copy)]
struct Part {
    zone: usize,
    cells: u64,
    /// Sums of all columns and of all rows.
    sums: [u64; 2],
    /// Length, first column and row of the longest run of adjacent cells.
    longest: [u32; 3],
}

/// A run of adjacent cells of a zone in a row.
#[derive(Debug, Clone, Copy)]
struct Run {
    from: u32,
    to: u32,
    part: usize,
}

/// Adds the places of zones in a grid. Parts that only join further down count as two.
fn count_zones(number: usize, grid: &Grid, zones: &mut [ZoneCounts]) {
    let [width, height] = grid.size;
    let mut best: Vec<Option<Part>> = vec![None; zones.len()];
    let mut finish = |part: &Part| {
        if let Some(best) = best.get_mut(part.zone)
            && best.is_none_or(|best| best.cells < part.cells)
        {
            *best = Some(*part);
        }
    };
    // The runs of the row above, and the index of each part in the current row, once it continues
    // there.
    let (mut above, mut parts_above): (Vec<Run>, Vec<(Part, Option<usize>)>) = Default::default();
    let mut bounds: Vec<Option<[[u32; 2]; 2]>> = vec![None; zones.len()];
    for row in 0..height {
        let (mut runs, mut parts): (Vec<Run>, Vec<(Part, Option<usize>)>) = Default::default();
        let first = row as usize * width as usize;
        let zone_at = |column: u32| grid.values.get(first + column as usize);
        let mut first_above = 0;
        let mut column = 0;
        while column < width {
            let from = column;
            let zone = zone_at(from);
            column += 1;
            while column < width && zone_at(column) == zone {
                column += 1;
            }
            let zone = zone.and_then(|zone| usize::try_from(zone).ok());
            let Some((zone, counts)) = zone.and_then(|zone| Some((zone, zones.get_mut(zone)?)))
            else {
                continue;
            };
            let length = u64::from(column - from);
            counts.cells += length;
            let here = [[from, row], [column - 1, row]];
            if let Some(bounds) = bounds.get_mut(zone) {
                let [min, max] = bounds.unwrap_or(here);
                *bounds = Some([[min[0].min(from), min[1]], [max[0].max(column - 1), row]]);
            }
            while above.get(first_above).is_some_and(|run| run.to <= from) {
                first_above += 1;
            }
            let mut touching = above
                .get(first_above..)
                .unwrap_or_default()
                .iter()
                .take_while(|run| run.from < column);
            let joined = touching.find(|run| {
                let part = parts_above.get(run.part);
                part.is_some_and(|(part, _)| part.zone == zone)
            });
            let part = joined.and_then(|run| {
                let (part, moved) = parts_above.get_mut(run.part)?;
                Some(*moved.get_or_insert_with(|| {
                    parts.push((*part, None));
                    parts.len() - 1
                }))
            });
            let part = part.unwrap_or_else(|| {
                let part = Part {
                    zone,
                    cells: 0,
                    sums: [0; 2],
                    longest: [0; 3],
                };
                parts.push((part, None));
                parts.len() - 1
            });
            if let Some((part, _)) = parts.get_mut(part) {
                part.cells += length;
                part.sums[0] += length * (u64::from(from) * 2 + length - 1) / 2;
                part.sums[1] += length * u64::from(row);
                if length > u64::from(part.longest[0]) {
                    part.longest = [column - from, from, row];
                }
            }
            let to = column;
            runs.push(Run { from, to, part });
        }
        let ended = parts_above.iter().filter(|(_, moved)| moved.is_none());
        ended.for_each(|(part, _)| finish(part));
        (above, parts_above) = (runs, parts);
    }
    for (part, _) in &parts_above {
        finish(part);
    }
    for (zone, (part, bounds)) in best.into_iter().zip(bounds).enumerate() {
        let Some(counts) = zones.get_mut(zone) else {
            continue;
        };
        counts.bounds.extend(bounds.map(|bounds| (number, bounds)));
        if let Some(part) = part {
            let center = part.sums.map(|sum| (sum / part.cells.max(1)) as u32);
            let index = center[1] as usize * width as usize + center[0] as usize;
            let [length, from, row] = part.longest;
            // The centroid of a ring is outside the ring.
            let is_in = grid.values.get(index) == Some(zone as u64);
            let middle = if is_in {
                center
            } else {
                [from + length / 2, row]
            };
            counts.middle.get_or_insert((number, middle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::sample;

    #[test]
    fn every_use_of_a_tile_is_counted() {
        let map = sample::made_up();
        // The ground, the roof and the layer that is not drawn.
        assert_eq!(map.counts().uses, [vec![7, 2, 3, 2, 1]]);
        assert_eq!(map.counts().empty, [1, 1, 0]);
        assert_eq!(map.tilesets[0].tile_count(), 4);
    }

    #[test]
    fn numbers_beyond_the_tileset_do_not_count() {
        let mut map = sample::made_up();
        map.layers[0].cells[0] = Cell(4000);
        assert_eq!(map.counts().uses[0][0], 6);
        assert_eq!(map.counts().empty[0], 2, "nothing is seen there");
    }

    #[test]
    fn zones_are_where_their_cells_and_areas_are() {
        let map = sample::made_up();
        let [_, meadow, other] = map.zone_counts() else {
            panic!("three zones");
        };
        assert_eq!((meadow.cells, other.cells), (5, 0));
        assert_eq!(meadow.bounds, [(1, [[0, 0], [2, 2]])]);
        assert_eq!(meadow.middle, Some((1, [1, 1])));
        assert_eq!(other.areas, [2]);
    }

    #[test]
    fn the_name_of_a_ring_is_on_it() {
        let ring = [1, 1, 1, 1, 0, 1, 1, 1, 1];
        let mut map = sample::made_up();
        map.grids[1].size = [3, 3];
        map.grids[1].values = Integers::U8(ring.to_vec());
        let (_, [x, y]) = map.zone_counts()[1].middle.unwrap();
        assert_eq!(ring[(y * 3 + x) as usize], 1);
    }

    #[test]
    fn of_two_parts_the_larger_one_has_the_name() {
        let mut map = sample::made_up();
        map.grids[1].size = [6, 2];
        let row = [1, 0, 0, 1, 1, 1];
        map.grids[1].values = Integers::U16([row, row].concat());
        assert_eq!(map.zone_counts()[1].middle.unwrap().1, [4, 0]);
    }

    #[test]
    fn few_numbers_are_kept_and_of_many_the_range() {
        let few = Scale::of(&[&Integers::U8(vec![3, 3, 0, 9])]);
        assert_eq!(few.values, [(0, 1), (3, 2), (9, 1)]);
        assert_eq!((few.range, few.set), ([0, 9], 3));
        let many = Scale::of(&[&Integers::U64((5..500).collect())]);
        assert!(many.values.is_empty());
        assert_eq!((many.range, many.set), ([5, 499], 495));
        assert_eq!(Scale::of(&[&Integers::U32(Vec::new())]).range, [0, 0]);
    }
}
